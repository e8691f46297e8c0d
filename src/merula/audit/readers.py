"""Data of several formats as one `Corpus`: the format of each file is guessed from its content.

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
from collections.abc import Callable, Sequence
from pathlib import Path

from merula.audit.corpus import Corpus, Pair, Sentence
from merula.audit.rows import (
    COLUMNS,
    Columns,
    Read,
    read_npi,
    read_npi_pairs,
    read_pairs,
    read_sentences,
)
from merula.audit.tables import (
    BINARY,
    LONGEST_NOTE,
    SUFFIXES,
    Table,
    lines_of,
    names_of,
    read_binary,
    read_json_lines,
    read_separated,
    read_text,
)
from merula.language.diagnostics import MerulaError, listing
from merula.values import frozen

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
PUBLISHED = re.compile(r"experiment=[^\t]*\t")
PUBLISHED_PAIR = re.compile(r"[^\t]+\t[^\t]+\t[^\t]+\t[01]\t[^\t]+")


@frozen
class Format:
    """A format of data: its name, what it is, and what reads a text or a table of it."""

    name: str
    about: str
    of_text: Callable[[Path, str, str], Read] | None = None
    of_table: Callable[[Path, Table, str, Columns], Read] | None = None


PROBING = "probing"  # tables of a suite that say what sentences have, not which are good

FORMATS = (
    Format(
        "sentences", "a table of sentences, one a row: Merula's paradigms", None, read_sentences
    ),
    Format("pairs", "a table of pairs, one a row: BLiMP, any two columns", None, read_pairs),
    Format("npi", "the published NPI paradigms: metadata, label, empty, sentence", read_npi),
    Format(
        "npi-pairs", "the published NPI pairs: task, two sentences, the good one's", read_npi_pairs
    ),
)
_BY_NAME = {form.name: form for form in FORMATS}


@frozen
class Reading:
    """How data are read: the format (empty: guessed), the names of columns, the language."""

    form: str = ""
    columns: Columns = Columns()
    language: str = ""


def read_corpus(paths: Sequence[Path], reading: Reading | None = None) -> Corpus:
    """All sentences and pairs in some files and folders; raises `MerulaError`."""
    reading = reading or Reading()
    sentences: list[Sentence] = []
    pairs: list[Pair] = []
    files: list[tuple[str, str]] = []
    languages: list[str] = []
    for path in paths:
        titles: dict[str, str] = {}
        if (path / MANIFEST).is_file():
            titles = _manifest(path, languages)
        for file in _files(path):
            form, (read_s, read_p) = _read(file, titles.get(file.name, ""), reading)
            sentences += read_s
            pairs += read_p
            files.append((str(file), form))
    language = reading.language or (languages[0] if languages else "en")
    return Corpus(tuple(sentences), tuple(pairs), tuple(files), language)


def _manifest(folder: Path, languages: list[str]) -> dict[str, str]:
    """The title of the design of each file, as `merula generate` has noted; its language."""
    from merula.manifest import read_manifest

    try:
        manifest = read_manifest(folder / MANIFEST)
    except MerulaError:  # of another program, or of a suite: the files say what they are
        return {}
    languages += [design.language for design in manifest.designs if design.language]
    return {file.file: file.title for file in manifest.files}


def _files(path: Path) -> list[Path]:
    """The files of data at a path, in order; raises `MerulaError` where there are none."""
    try:
        if path.is_dir():
            found = [p for p in sorted(path.rglob("*")) if _is_data(p.relative_to(path), p)]
            if found:
                return found
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
        remedy=f"name a file of data ({listing(SUFFIXES, 'or')}), or a folder with such files",
        place=str(path),
    )


def _is_data(inside: Path, path: Path) -> bool:
    left_out = any(part.startswith(".") or part == PROBING for part in inside.parts)
    return not left_out and path.suffix.lower() in SUFFIXES and path.is_file()


def split_of(path: Path) -> str:
    """The split that the name of a file, or of its folder, tells; empty where it tells none.

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
    """What a file is called, without the number of its part and without its split.

    >>> title_of(Path("a-00000-of-00002.csv")), title_of(Path("only_dev.csv"))
    ('a', 'only')
    """
    stem = re.sub(r"-\d{5}-of-\d{5}$", "", path.stem)
    found = SPLIT.search(stem.lower())
    return stem if found is None else (stem[: found.start()] + stem[found.end() :]).strip("-_. ")


# --- one file ------------------------------------------------------------------------------


def _read(path: Path, title: str, reading: Reading) -> tuple[str, Read]:
    """The format of a file and what is in it."""
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
    form = _BY_NAME.get(name)
    if form is not None and form.of_text is not None:
        return name, form.of_text(path, text, split_of(path))
    start = first.lstrip()[:1]
    if start == "[":
        raise MerulaError.of(
            "M691",
            f"{path} holds a JSON list",
            remedy="write it as JSON Lines: one object a line",
            place=str(path),
        )
    table = read_json_lines(path, text) if start == "{" else read_separated(path, text)
    return _of_table(path, table, list(table.columns), title, reading)


def _without_header(first: str) -> str:
    if PUBLISHED.match(first):
        return "npi"
    return "npi-pairs" if PUBLISHED_PAIR.fullmatch(first.rstrip()) else ""


def _read_table(path: Path, title: str, reading: Reading) -> tuple[str, Read]:
    names = names_of(path)
    own = [name for name in reading.columns.named if name]
    return _of_table(path, read_binary(path, [*COLUMNS, *own]), names, title, reading)


def _of_table(
    path: Path, table: Table, names: Sequence[str], title: str, reading: Reading
) -> tuple[str, Read]:
    name = reading.form or _with_header(names, reading.columns)
    if not name:
        raise _unknown(path, names)
    form = _BY_NAME[name]
    if form.of_table is None:
        raise MerulaError.of(
            "M691",
            f"{path} is a table, not a text without a header",
            remedy=f"leave `--as {name}` out, or name another format",
            place=str(path),
        )
    if not len(table):
        raise _empty(path)
    title = title or title_of(path)
    sentences, pairs = form.of_table(path, table, title, reading.columns)
    split = split_of(path)
    if split:
        sentences = [s if s.split else s._replace(split=split) for s in sentences]
        pairs = [p if p.split else p._replace(split=split) for p in pairs]
    return name, (sentences, pairs)


def _with_header(names: Sequence[str], columns: Columns) -> str:
    if columns.good or columns.bad or "sentence_good" in names:
        return "pairs"
    return "sentences" if columns.sentence or "sentence" in names else ""


def _empty(path: Path) -> MerulaError:
    return MerulaError.of(
        "M696",
        f"there are no sentences in {path}",
        remedy="make the file again, or leave it out",
        place=str(path),
    )


def _unknown(path: Path, names: Sequence[str]) -> MerulaError:
    """The error of a file whose format nobody knows."""
    if "answers" in names or "answers.0" in names:
        return MerulaError.of(
            "M691",
            f"{path} holds matrices; sentences and pairs can be audited",
            remedy="audit the paradigms of the grammar",
            place=str(path),
        )
    return MerulaError.of(
        "M691",
        f"it is not clear what {path} holds",
        remedy="name the columns: --sentence COLUMN --label COLUMN for sentences, --good COLUMN"
        " --bad COLUMN for pairs; or the format: --as FORMAT",
        notes=[f"its columns are called {listing(names)}"[:LONGEST_NOTE]],
        place=str(path),
    )
