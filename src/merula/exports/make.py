"""The formats, and the making of an export in one of them.

To add a format, write a module with a function ``write(request, folder)`` (see
`request.ExportFormat`), add its name to `merula.exports.format_names`, an entry to `FORMATS`, and a
section to docs/exports.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.data.folder import new_folder
from merula.data.opened import Published
from merula.exports import blimp, latin_square, lm_eval, minicons, syntaxgym
from merula.exports.format_names import BLIMP, LATIN_SQUARE, LM_EVAL, MINICONS, SYNTAXGYM
from merula.exports.request import MATRIX, PARADIGM, ExportFormat, ExportOptions, Made, request_for

FORMATS: Mapping[str, ExportFormat] = {
    export_format.name: export_format
    for export_format in (
        ExportFormat(BLIMP, (PARADIGM, MATRIX), ("field",), blimp.write),
        ExportFormat(MINICONS, (PARADIGM, MATRIX), (), minicons.write),
        ExportFormat(LM_EVAL, (PARADIGM, MATRIX), ("hub",), lm_eval.write),
        ExportFormat(SYNTAXGYM, (PARADIGM,), (), syntaxgym.write),
        ExportFormat(LATIN_SQUARE, (PARADIGM,), ("seed", "share_lexemes"), latin_square.write),
    )
}


@frozen
class Exported:
    """The counts of an export, and the configurations left out since the format does not fit."""

    made: tuple[Made, ...]
    left_out: tuple[str, ...]


def export(
    folder: Path,
    export_format: ExportFormat,
    out: Path,
    *,
    configs: Sequence[str] = (),
    splits: Sequence[str] = (),
    options: ExportOptions | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Write published data for another tool into a folder that is new or empty.

    Without names all configurations that fit and all splits are written. ``progress`` is called
    after each configuration. Raises `MerulaError`; then ``out`` is as it was.
    """
    published = Published.open(folder)
    options = options or ExportOptions()
    request, unfit = request_for(export_format, published, configs, splits, options)
    counts = []
    with new_folder(out, published.folder) as aside:
        for item in export_format.write(request, aside):
            counts.append(item)
            if progress is not None:
                progress(item.file, len(counts), 0)
    return Exported(tuple(counts), tuple(unfit))
