"""The formats, and how an export is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.data.folder import new_folder
from merula.data.opened import Published
from merula.exports import blimp, latin_square, lm_eval, minicons, syntaxgym
from merula.exports.request import MATRIX, PARADIGM, ExportFormat, ExportOptions, Made, asked

FORMATS: Mapping[str, ExportFormat] = {
    form.name: form
    for form in (
        ExportFormat(
            "blimp",
            "lines of JSON as in BLiMP, a file for each contrast",
            (PARADIGM, MATRIX),
            ("field",),
            blimp.write,
        ),
        ExportFormat(
            "minicons",
            "tables of pairs for the scorers of minicons",
            (PARADIGM, MATRIX),
            (),
            minicons.write,
        ),
        ExportFormat(
            "lm-eval",
            "a folder of tasks for lm-evaluation-harness",
            (PARADIGM, MATRIX),
            ("hub",),
            lm_eval.write,
        ),
        ExportFormat(
            "syntaxgym",
            "test suites with regions and predictions for SyntaxGym",
            (PARADIGM,),
            (),
            syntaxgym.write,
        ),
        ExportFormat(
            "latin-square",
            "lists for rating studies, each item in one cell a list",
            (PARADIGM,),
            ("seed", "share_lexemes"),
            latin_square.write,
        ),
    )
}


@frozen
class Exported:
    """What was written, and which configurations were left out, for the format does not fit."""

    made: tuple[Made, ...]
    left_out: tuple[str, ...]


def export(
    folder: Path,
    form: ExportFormat,
    out: Path,
    *,
    configs: Sequence[str] = (),
    splits: Sequence[str] = (),
    options: ExportOptions | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Write published data for another tool into a folder that is new or empty.

    Without names all configurations that fit and all splits are written. ``progress`` is told of
    each configuration that is done. Raises `MerulaError`; then nothing is left of it.
    """
    published = Published.open(folder)
    wanted, others = asked(form, published, configs, splits, options or ExportOptions())
    made = []
    with new_folder(out, published.folder) as aside:
        for item in form.write(wanted, aside):
            made.append(item)
            if progress is not None:
                progress(item.file, len(made), 0)
    return Exported(tuple(made), tuple(others))
