"""Data of several formats as one `Corpus`: the format of each file is guessed from its content.

In go paths of files and folders and a `Reading`, out comes a `Corpus`; ``merula audit`` calls
`read_corpus`. A file that cannot be read raises, so that nothing is left out unseen.

To add a format:

1. Write its reader beside the ones in ``rows`` (sentences, pairs) or ``matrix_formats``: a function
   from a path and a `DataTable`, or from the text of a file without a header.
2. Add its name to `merula.audit.format_names`, which has the choices of ``--as``, and a
   `DataFormat` to `FORMATS`.
3. Let `_without_header`, `_with_header` or `_matrices_of` recognise it, if its columns do not occur
   in another format; and add those columns to `rows.COLUMNS` or `matrix_formats.MATRIX_COLUMNS`, so
   that they are read from Parquet and Arrow files.
4. Add a row to the table of formats in docs/audit.md, and tests to tests/audit: a file that is
   recognised, and one with a fault in each place where the reader can raise.

>>> import json, pathlib, tempfile
>>> pair = {"sentence_good": "Dogs bark.", "sentence_bad": "Dogs barks.", "UID": "a", "pairID": "0"}
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "a.jsonl"
...     _ = path.write_text(json.dumps(pair))
...     corpus = read_corpus([path])
>>> [(pair.good, pair.bad, pair.part) for pair in corpus.pairs], corpus.files[0][1]
([('Dogs bark.', 'Dogs barks.', 'a')], 'pairs')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from merula.audit.corpus import Corpus, Matrix, Pair, Sentence
from merula.audit.format_names import (
    BLM,
    FIRST_BLM,
    GENBENCH,
    MATRICES,
    NPI_PAIRS,
    NPI_PARADIGMS,
    PAIRS,
    SENTENCES,
    XY,
)
from merula.audit.reading.matrix_formats import (
    MATRIX_COLUMNS,
    WIDE,
    read_genbench,
    read_matrices,
    read_numbered,
    read_wide,
    read_xy,
)
from merula.audit.reading.matrix_rows import part_of
from merula.audit.reading.rows import (
    COLUMNS,
    Columns,
    Read,
    read_npi,
    read_npi_pairs,
    read_pairs,
    read_sentences,
)
from merula.audit.reading.tables import (
    BINARY,
    MAX_NOTE,
    SUFFIXES,
    DataTable,
    lines_of,
    names_of,
    read_binary,
    read_json,
    read_json_lines,
    read_separated,
    read_text,
)
from merula.audit.reading.values import FALSE, TRUE, word_of
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import listing

if TYPE_CHECKING:
    from merula.data.manifests.publication import Publication

SPLITS = {
    "train": "train",
    "training": "train",
    "dev": "dev",
    "valid": "dev",
    "validation": "dev",
    "val": "dev",
    "test": "test",
}
SPLIT = re.compile(rf"(?<![a-z])({'|'.join(SPLITS)})(?![a-z])")
MANIFEST = "manifest.json"
LOOSE = ".json"  # files of settings or notes, if there are tables beside them
PUBLISHED = re.compile(r"experiment=[^\t]*\t")
PUBLISHED_PAIR = re.compile(r"[^\t]+\t[^\t]+\t[^\t]+\t[01]\t[^\t]+")


@frozen
class DataFormat:
    """A format of data: its name, and one function that reads a file of it.

    ``of_text`` takes a path, a text and a split, ``of_table`` a path, a table, a title and the
    names of columns, ``of_matrices`` a path, a table and a title. The title is the part of rows
    that name none.
    """

    name: str
    of_text: Callable[[Path, str, str], Read] | None = None
    of_table: Callable[[Path, DataTable, str, Columns], Read] | None = None
    of_matrices: Callable[[Path, DataTable, str], list[Matrix]] | None = None


PROBING = "probing"  # the folder of a suite whose tables have properties, not judgements

FORMATS = (
    DataFormat(SENTENCES, of_table=read_sentences),
    DataFormat(PAIRS, of_table=read_pairs),
    DataFormat(NPI_PARADIGMS, of_text=read_npi),
    DataFormat(NPI_PAIRS, of_text=read_npi_pairs),
    DataFormat(MATRICES, of_matrices=read_matrices),
    DataFormat(BLM, of_matrices=read_wide),
    DataFormat(FIRST_BLM, of_matrices=read_numbered),
    DataFormat(GENBENCH, of_matrices=read_genbench),
    DataFormat(XY, of_matrices=read_xy),
)
_BY_NAME = {data_format.name: data_format for data_format in FORMATS}


@frozen
class Reading:
    """The user's choices: format and language (empty: as the data say), names of columns."""

    form: str = ""
    columns: Columns = Columns()
    language: str = ""


SUITE_DEPTH = 3  # folders between a file of a suite of matrices and its manifest


@frozen
class Noted:
    """The titles of files and the languages of parts, as a manifest has them."""

    titles: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)


def read_corpus(paths: Sequence[Path], reading: Reading | None = None) -> Corpus:
    """Return all sentences, pairs and matrices in some files and folders; raises `MerulaError`."""
    from merula.audit.reading.published import read_published

    reading = reading or Reading()
    sentences: list[Sentence] = []
    pairs: list[Pair] = []
    matrices: list[Matrix] = []
    files: list[tuple[str, str]] = []
    languages: list[str] = []
    for path in paths:
        published = _published(path)
        if published is not None:
            languages += published.languages
            for name, format_name, read in read_published(published, path.joinpath):
                sentences += read.sentences
                matrices += read.matrices
                files.append((str(path / name), format_name))
            continue
        noted = _manifest(path if path.is_dir() else path.parent)
        languages += noted.languages.values()
        for file in _files(path):
            format_name, read = _read(file, noted.titles.get(file.name, ""), reading)
            sentences += read.sentences
            pairs += read.pairs
            by_part = {} if reading.language else noted.languages
            matrices += (m._replace(language=by_part.get(m.part, "")) for m in read.matrices)
            files.append((str(file), format_name))
    language = reading.language or (languages[0] if languages else "en")
    return Corpus(tuple(sentences), tuple(pairs), tuple(files), language, tuple(matrices))


def _published(path: Path) -> Publication | None:
    """Return the publication in a folder, or None if it is not one."""
    from merula.data.manifests.publication import PUBLICATION
    from merula.data.opened import Published

    return Published.open(path).about if (path / PUBLICATION).is_file() else None


def _manifest(folder: Path) -> Noted:
    """Return the titles and languages of the manifest above a folder, of a run or of a suite.

    A file of a suite of matrices is three folders below its manifest.
    """
    from merula.data.manifests.read import read_manifest
    from merula.data.manifests.suite import SuiteManifest

    above = [folder, *folder.resolve().parents[:SUITE_DEPTH]]
    path = next((f / MANIFEST for f in above if (f / MANIFEST).is_file()), None)
    if path is None:
        return Noted()
    try:
        manifest = read_manifest(path)
    except MerulaError:  # of another program: the files say what they are
        return Noted()
    if isinstance(manifest, SuiteManifest):
        languages = {part_of(r.part, r.design): r.language for r in manifest.designs}
        languages |= {part_of(r.part, r.set): r.language for r in manifest.matrices}
        return Noted({}, languages)
    titles = {file.file: file.title for file in manifest.files}
    return Noted(titles, {d.title: d.language for d in manifest.designs if d.language})


def _files(path: Path) -> list[Path]:
    """Return the files of data at a path, in order; raises `MerulaError` where there are none."""
    try:
        if path.is_dir():
            files = [p for p in sorted(path.rglob("*")) if _is_data(p.relative_to(path), p)]
            tables = [p for p in files if p.suffix.lower() != LOOSE]
            if files:
                return tables or files
            why = f"there is no file of data in {path}"
        elif path.exists():
            return [path]
        else:
            why = f"{path} does not exist"
    except (OSError, ValueError) as error:
        why = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
    raise MerulaError.of(
        "M690",
        why,
        remedy=f"name a file of data ({listing(SUFFIXES, 'or')}), or a folder of them",
        place=str(path),
    )


def _is_data(inside: Path, path: Path) -> bool:
    left_out = any(part.startswith(".") or part in (PROBING, MANIFEST) for part in inside.parts)
    return not left_out and path.suffix.lower() in SUFFIXES and path.is_file()


def split_of(path: Path) -> str:
    """Return the split that is in the name of a file, or of its folder; empty if there is none.

    >>> split_of(Path("npi/adverbs_train.tsv")), split_of(Path("a/validation/0.csv"))
    ('train', 'dev')
    >>> split_of(Path("testimony.tsv"))
    ''
    """
    for name in (path.stem, path.parent.name):
        found = SPLIT.findall(name.lower())
        if found:
            return SPLITS[found[-1]]
    return ""


def title_of(path: Path) -> str:
    """Return the name of a file without its suffix, the number of its part and its split.

    >>> title_of(Path("a-00000-of-00002.csv")), title_of(Path("only_dev.csv"))
    ('a', 'only')
    """
    stem = re.sub(r"-\d{5}-of-\d{5}$", "", path.stem)
    split = SPLIT.search(stem.lower())
    return stem if split is None else (stem[: split.start()] + stem[split.end() :]).strip("-_. ")


# --- one file ------------------------------------------------------------------------------


def _read(path: Path, title: str, reading: Reading) -> tuple[str, Read]:
    """Return the format of a file and its content."""
    try:
        if path.suffix.lower() in BINARY:
            return _read_table(path, title, reading)
        text = read_text(path)
    except OSError as error:
        raise MerulaError.of(
            "M690",
            f"{path} cannot be read: {error.strerror or error}",
            remedy="check the file's name and its rights",
            place=str(path),
        ) from error
    first = next((line for _, line in lines_of(text)), "")
    if not first:
        raise _empty(path)
    name = reading.form or _without_header(first)
    data_format = _BY_NAME.get(name)
    if data_format is not None and data_format.of_text is not None:
        return name, data_format.of_text(path, text, split_of(path))
    read = {"{": read_json_lines, "[": read_json}.get(first.lstrip()[:1], read_separated)
    table = read(path, text)
    return _of_table(path, table, list(table.columns), title, reading)


def _without_header(first: str) -> str:
    if PUBLISHED.match(first):
        return NPI_PARADIGMS
    return NPI_PAIRS if PUBLISHED_PAIR.fullmatch(first.rstrip()) else ""


def _read_table(path: Path, title: str, reading: Reading) -> tuple[str, Read]:
    names = names_of(path)
    named = [name for name in reading.columns.named if name]
    table = read_binary(path, [*COLUMNS, *MATRIX_COLUMNS, *named])
    return _of_table(path, table, names, title, reading)


def _of_table(
    path: Path, table: DataTable, names: Sequence[str], title: str, reading: Reading
) -> tuple[str, Read]:
    if not names:
        raise _empty(path)
    name = reading.form or _with_header(names, reading.columns) or _matrices_of(names, table)
    if not name:
        raise _unknown(path, names)
    data_format = _BY_NAME[name]
    if data_format.of_text is not None:
        raise MerulaError.of(
            "M691",
            f"{path} is a table, not a text without a header",
            remedy=f"leave `--as {name}` out, or name another format",
            place=str(path),
        )
    if not len(table):
        raise _empty(path)
    title = title or title_of(path)
    if data_format.of_table is not None:
        read = data_format.of_table(path, table, title, reading.columns)
    else:
        assert data_format.of_matrices is not None
        read = Read(matrices=data_format.of_matrices(path, table, title))
    split = split_of(path)
    if split:
        read = Read(
            [s if s.split else s._replace(split=split) for s in read.sentences],
            [p if p.split else p._replace(split=split) for p in read.pairs],
            [m if m.split else m._replace(split=split) for m in read.matrices],
        )
    return name, read


def _with_header(names: Sequence[str], columns: Columns) -> str:
    if columns.good or columns.bad or "sentence_good" in names:
        return PAIRS
    return SENTENCES if columns.sentence or "sentence" in names else ""


def _matrices_of(names: Sequence[str], table: DataTable) -> str:
    """Return the format of a table of matrices; empty if it is not one."""
    starts = {name.partition(".")[0] for name in names}
    if {"context", "answers"} <= starts:
        return MATRICES
    if {"sent", "answer"} <= {m[1].lower() for m in map(WIDE.fullmatch, names) if m}:
        return BLM
    if "target_options" in names:
        return GENBENCH
    if {"x", "y"} <= starts and any(isinstance(cell, list) for cell in table.columns.get("y", ())):
        return XY
    numbered = len(names) > 2 and all(name.isdecimal() for name in names if name)
    return FIRST_BLM if numbered and _has_truths(table) else ""


def _has_truths(table: DataTable) -> bool:
    """Return whether some column of a table contains nothing but True and False."""
    values = TRUE | FALSE
    return any(
        cells and all(word_of(cell).strip().lower() in values for cell in cells)
        for cells in table.columns.values()
    )


def _empty(path: Path) -> MerulaError:
    return MerulaError.of(
        "M696",
        f"there are no sentences in {path}",
        remedy="make the file again, or leave it out",
        place=str(path),
    )


def _unknown(path: Path, names: Sequence[str]) -> MerulaError:
    """Return the error of a file whose format is not recognised."""
    return MerulaError.of(
        "M691",
        f"the columns of {path} are not those of any format",
        remedy="name the columns: --sentence COLUMN --label COLUMN for sentences, --good COLUMN"
        " --bad COLUMN for pairs; or the format: --as FORMAT",
        notes=[f"its columns are named {listing(names)}"[:MAX_NOTE]],
        place=str(path),
    )
