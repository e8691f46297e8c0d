"""Rows of sentences and pairs, whatever their format.

In goes a `DataTable`, or the text of a file without a header, out comes what was `Read`;
``readers.FORMATS`` names the functions, ``published`` calls `read_sentences`. Columns are optional
but for the sentences; a label that is neither good nor bad raises, a missing one is None. Values
that many rows share (cells, groups) are one object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from merula.audit.corpus import (
    LICENSOR,
    NO_CELL,
    NPI,
    SCOPE,
    Cell,
    Matrix,
    ObjectSpan,
    Pair,
    Place,
    Sentence,
)
from merula.audit.reading.tables import DataTable, UnreadableLine, lacks, split_tabs, unreadable
from merula.audit.reading.values import MISSING, first_column, text_of, word_of
from merula.core.frozen import frozen


class Read(NamedTuple):
    """The content of a file."""

    sentences: Sequence[Sentence] = ()
    pairs: Sequence[Pair] = ()
    matrices: Sequence[Matrix] = ()


GOOD = frozenset("1 1.0 true yes good acceptable grammatical ok".split())
BAD = frozenset("0 0.0 false no bad unacceptable ungrammatical *".split())
IN, OUT = (
    frozenset({"1", "1.0", "true", "yes", "in"}),
    frozenset({"0", "0.0", "false", "no", "out"}),
)
LABELS = ("acceptable", "label")
ROLES = (LICENSOR, "npi_present", SCOPE)
# The columns that are read from a Parquet or Arrow file, with all columns inside them.
COLUMNS = (
    "sentence acceptable label factors scope spans lexemes licensor npi_present npi environment env"
    " design address paradigm group split frame variant sentence_good sentence_bad contrast"
    " condition UID pairID masked"
).split()
SPAN = re.compile(r"(.+?) (\d+)-(\d+)(?:; |$)")


@frozen
class Columns:
    """The names of columns that the user gives (empty: the usual ones)."""

    good: str = ""
    bad: str = ""
    sentence: str = ""
    label: str = ""
    group: str = ""

    @property
    def named(self) -> tuple[str, ...]:
        """Return all of them."""
        return (self.good, self.bad, self.sentence, self.label, self.group)


# --- cells of tables -----------------------------------------------------------------------


def _either(value: Any, yes: frozenset[str], no: frozenset[str]) -> bool | None:
    word = word_of(value).strip().lower()
    return True if word in yes else False if word in no else None


def _labels(file: str, cells: Sequence[Any], rows: Sequence[int]) -> list[bool | None]:
    """Return labels as truth values; raises `MerulaError` where one is neither good nor bad."""
    values: dict[str, bool | None] = {}
    faults = []
    labels = []
    for cell, row in zip(cells, rows, strict=True):
        word = word_of(cell).strip().lower()
        if word not in values:
            values[word] = _either(word, GOOD, BAD)
        labels.append(values[word])
        if values[word] is None and word not in MISSING:
            faults.append(UnreadableLine(row, f"the label `{word[:40]}` is neither good nor bad"))
    if faults:
        remedy = (
            "write 1 for good sentences and 0 for bad ones (true and false, yes and no, good and"
            " bad, acceptable and unacceptable, grammatical and ungrammatical are understood)"
        )
        raise unreadable("M695", file, faults, remedy)
    return labels


def _required(path: Path, table: DataTable, name: str, option: str) -> Sequence[Any]:
    if name not in table.columns:
        raise lacks(str(path), name, list(table.columns), f"name the column with {option}")
    return table.columns[name]


# --- tables of sentences -------------------------------------------------------------------


def read_sentences(path: Path, table: DataTable, title: str, names: Columns) -> Read:
    """Return the sentences of a table, in Merula's columns or those that the user names."""
    file = str(path)
    texts = _required(path, table, names.sentence or "sentence", "--sentence")
    for given, option in ((names.label, "--label"), (names.group, "--group")):
        if given:
            _required(path, table, given, option)
    labels = first_column(table, names.label) or first_column(table, *LABELS) or [None] * len(table)
    npi_object = _npi_object(table)
    objects = first_column(table, "npi") if _has_roles(table) else None
    parts = _parts(table, title)
    splits = first_column(table, "split") or [""] * len(table)
    sentences = [
        Sentence(text, label, group, part, cell, split, Place(file, row), span, lemmas, npi)
        for text, label, group, part, cell, split, row, span, lemmas, npi in zip(
            map(text_of, texts),
            _labels(file, labels, table.rows),
            _groups(table, names, parts),
            parts,
            _cells(table, npi_object),
            map(word_of, splits),
            table.rows,
            _spans(table),
            _lexemes(table),
            map(word_of, objects or [npi_object] * len(table)),
            strict=True,
        )
    ]
    return Read(sentences)


def _has_roles(table: DataTable) -> bool:
    """Return whether a table has a suite's columns of licensor, NPI and scope."""
    return all(name in table.columns for name in ROLES)


def _npi_object(table: DataTable) -> str:
    """Return the object that is an NPI in some cells: a factor that has a scope; or ""."""
    factors = table.under("factors")
    return next((name for name in table.under(SCOPE) if name in factors), "")


def _parts(table: DataTable, title: str) -> list[str]:
    """Return the part of each row: an environment and an NPI, or else a design."""
    env = first_column(table, "environment", "env", "UID")
    if env is None:
        return [title] * len(table)
    npi = first_column(table, "npi")
    if npi is None:
        return [word_of(value) for value in env]
    return [f"{word_of(e)} {word_of(n)}".strip() for e, n in zip(env, npi, strict=True)]


def _groups(table: DataTable, names: Columns, parts: Sequence[str]) -> list[str]:
    """Return the paradigm of each row; empty where the data do not say."""
    column = first_column(table, names.group, "paradigm", "group", "address")
    if column is None:
        return [""] * len(table)
    shared: dict[tuple[str, str], str] = {}
    return [
        shared.setdefault((part, value), f"{part} {value}")
        for part, value in zip(parts, map(word_of, column), strict=True)
    ]


def _cells(table: DataTable, npi_object: str) -> list[Cell]:
    """Return the cell of each row; equal cells are one object, since there are few."""
    factors = table.under("factors")
    if not factors or _has_roles(table):
        factors = {name: table.columns[name] for name in ROLES if name in table.columns}
    if not factors:
        return [NO_CELL] * len(table)
    names = tuple(factors)
    scopes = table.under(SCOPE).get(npi_object)
    roles = {
        LICENSOR: first_column(table, LICENSOR, f"factors.{LICENSOR}"),
        NPI: first_column(table, "npi_present", f"factors.{npi_object}"),
        SCOPE: scopes if scopes is not None else first_column(table, SCOPE),
    }
    absent = [None] * len(table)
    by_role = [column or absent for column in roles.values()]
    settings = [first_column(table, name) or absent for name in ("frame", "variant")]
    shared: dict[tuple[Any, ...], Cell] = {}
    cells = []
    for values in zip(*factors.values(), *by_role, *settings, strict=True):
        cell = shared.get(values)
        if cell is None:
            pairs = tuple((n, word_of(v)) for n, v in zip(names, values, strict=False))
            licensor, npi, scope = (_either(v, IN, OUT) for v in values[len(names) : -2])
            setting = " ".join(word_of(value) for value in values[-2:])
            cell = shared[values] = Cell(pairs, licensor, npi, scope, npi_object, setting)
        cells.append(cell)
    return cells


def _spans(table: DataTable) -> Iterator[tuple[ObjectSpan, ...]]:
    column = first_column(table, "spans")
    for cell in column or repeat((), len(table)):
        if isinstance(cell, str):
            yield tuple(ObjectSpan(n, int(a), int(b)) for n, a, b in SPAN.findall(cell))
        else:
            yield tuple(ObjectSpan(*span.values()) for span in cell or ())


def _lexemes(table: DataTable) -> Iterator[tuple[str, ...]]:
    """Yield the lexemes of each row, without words that a value chooses (``any=no``)."""
    columns = [c for name, c in table.under("lexemes").items() if "=" not in name]
    if not columns:
        yield from repeat((), len(table))
        return
    for values in zip(*columns, strict=True):
        yield tuple(value for value in values if value)


# --- tables of pairs -----------------------------------------------------------------------


def read_pairs(path: Path, table: DataTable, title: str, names: Columns) -> Read:
    """Return the pairs of a table, in BLiMP's columns or those that the user names."""
    good = _required(path, table, names.good or "sentence_good", "--good")
    bad = _required(path, table, names.bad or "sentence_bad", "--bad")
    if names.group:
        _required(path, table, names.group, "--group")
    parts = _parts(table, title)
    groups = _groups(table, names, parts)
    conditions = first_column(table, "contrast", "condition") or [""] * len(table)
    splits = first_column(table, "split") or [""] * len(table)
    cloze = "masked" in table.columns or "cloze" in f"{path.parent.name} {path.stem}".lower()
    file = str(path)
    pairs = [
        Pair(g, b, part, group, _contrast(c), c, split, Place(file, row), cloze)
        for g, b, part, group, c, split, row in zip(
            map(text_of, good),
            map(text_of, bad),
            parts,
            groups,
            map(word_of, conditions),
            map(word_of, splits),
            table.rows,
            strict=True,
        )
    ]
    return Read(pairs=pairs)


def _contrast(condition: str) -> str:
    """Return the contrast of a pair by its condition: ``npi_present=1-0``, ``scope``; or ""."""
    crossed = CROSSED.search(condition)
    name = crossed[1] if crossed else condition
    return {"npi_present": NPI, "npi": NPI, LICENSOR: LICENSOR, SCOPE: SCOPE}.get(name, "")


CROSSED = re.compile(r"(licensor|scope|npi_present)=[01]-[01]")


# --- the published NPI data ----------------------------------------------------------------


def read_npi(path: Path, text: str, split: str) -> Read:
    """Return sentences from lines of metadata, label, an empty cell and a sentence, with tabs."""
    file = str(path)
    lines = list(split_tabs(path, text, 4, "metadata, a label, an empty cell and a sentence"))
    numbers = [number for number, _ in lines]
    labels = _labels(file, [cells[1] for _, cells in lines], numbers)
    designs: dict[str, tuple[Cell, str]] = {}
    sentences, faults = [], []
    for (number, cells), label in zip(lines, labels, strict=True):
        design, marker, paradigm = cells[0].rpartition("-paradigm=")
        if not marker:
            why = f"the metadata `{cells[0][:60]}` do not name a paradigm"
            faults.append(UnreadableLine(number, why))
            continue
        if design not in designs:
            designs[design] = _design(design)
        cell, part = designs[design]
        group = f"{part} {paradigm}"
        sentences.append(Sentence(cells[3], label, group, part, cell, split, Place(file, number)))
    if faults:
        raise unreadable(
            "M692",
            file,
            faults,
            "metadata are written like experiment=NPI-env=only-npi=any-crucial_item=only-licensor=1"
            "-scope=1-npi_present=1-paradigm=7",
        )
    return Read(sentences=sentences)


def _design(metadata: str) -> tuple[Cell, str]:
    """Return the cell and the part that metadata name."""
    pairs = [item.partition("=") for item in re.split(r"-(?=\w+=)", metadata)]
    values: Mapping[str, str] = {name: value for name, _, value in pairs}
    names = ("experiment", "env", "npi", "crucial_item")
    factors = tuple((name, value) for name, value in values.items() if name not in names)
    licensor, npi, scope = (_either(values.get(name), IN, OUT) for name in ROLES)
    part = f"{values.get('env', '')} {values.get('npi', '')}".strip()
    return Cell(factors, licensor, npi, scope), part


def read_npi_pairs(path: Path, text: str, split: str) -> Read:
    """Return pairs from lines of task, two sentences, index of the good one, condition."""
    pairs, faults = [], []
    columns = "a task, two sentences, 0 or 1 (which is good) and a condition"
    cloze = "cloze" in path.stem.lower()
    for number, cells in split_tabs(path, text, 5, columns):
        task, one, other, index, condition = cells
        if index.strip() not in ("0", "1"):
            faults.append(
                UnreadableLine(number, f"the index of the good sentence is `{index[:40]}`")
            )
            continue
        good, bad = (one, other) if index.strip() == "0" else (other, one)
        contrast = _contrast(condition)
        place = Place(str(path), number)
        pairs.append(Pair(good, bad, task, "", contrast, condition, split, place, cloze))
    if faults:
        raise unreadable("M692", str(path), faults, "write 0 for the first and 1 for the second")
    return Read(pairs=pairs)
