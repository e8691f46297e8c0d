"""A table without a grammar: read, taken apart by category, its columns told apart.

The bytes of a table go in; a `Profile` comes out (`profile_of`), with the columns of each category
and their kinds, or None and problems. `merula.lexicon.oddities`, `merula.lexicon.stats` and
``merula lexicon`` read it. A grammar says which columns are forms, features or selections, and so
does a legend. Without them it is judged by what is in a column: forms are nearly all different,
features are few values again and again, and a selection has cells such as ``person and not
proper``.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, cycle
from typing import Literal

from merula.core.diagnostics import Diagnostic, Report
from merula.lexicon.legend import Legend
from merula.lexicon.selection import cell_expression
from merula.lexicon.table import (
    ANY,
    BAR,
    CATEGORY,
    LEMMA,
    SETS,
    Table,
    TableFormat,
    build,
    members,
    read_table,
)

Kind = Literal["name", "form", "feature", "selection", "text"]

SET = "set"
KINDS: Mapping[str, Kind] = {  # what a legend calls the kinds
    "form": "form",
    "values": "feature",
    "flag": "feature",
    "number": "feature",
    "selection": "selection",
    "text": "text",
}
NAMES = (LEMMA, CATEGORY, SET)
MIN_DIFFERENT = 0.75  # the share of a column's cells that are different, where they are forms
MIN_READABLE = 0.6  # the share of a column's cells that can be read, where they are selections
MAX_PLACES = 5  # further ones that a warning names: one line
MIN_ROWS = 8  # rows of a category that say something about its columns
MAX_CELLS_READ = 1_000  # of a column that may hold selections: a tenth of a second
MAX_SEVERAL = 0.5  # the share of a column's cells with bars, where they are forms
MAX_SPARSE_VALUES = 3  # of a column of features in rows that are nearly all empty
OPERATOR = re.compile(r"\b(?:and|or|not)\b|[()]")
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
WORD = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True)
class ProfileColumn:
    """A column of a section: its cells, and what they are or seem to be.

    ``gloss`` is what a legend says of the column.
    """

    name: str
    cells: tuple[str, ...]
    kind: Kind
    gloss: str = ""

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of times that each cell occurs, without empty ones."""
        return Counter(cell for cell in self.cells if cell)

    @property
    def filled(self) -> int:
        """The number of cells that are not empty."""
        return self.counts.total()

    @cached_property
    def values(self) -> Counter[str]:
        """The count of each value; a cell of several values counts for each, ``*`` for none."""
        values: Counter[str] = Counter()
        for cell, number in self.counts.items():
            for value in _values(cell, self.kind):
                values[value] += number
        return values

    def siblings(self, other: ProfileColumn) -> bool:
        """Return whether both are forms that differ in one value: ``nom.sg`` and ``nom.pl``."""
        mine, theirs = self.name.split("."), other.name.split(".")
        if self.kind != "form" or other.kind != "form" or len(mine) != len(theirs):
            return False
        return sum(a != b for a, b in zip(mine, theirs, strict=True)) == 1

    def alike(self, other: ProfileColumn) -> tuple[int, ...]:
        """Return the rows of the section that have the same form in both columns."""
        pairs = enumerate(zip(self.cells, other.cells, strict=True))
        return tuple(row for row, (mine, theirs) in pairs if mine and mine == theirs)


@dataclass(frozen=True)
class ProfileSection:
    """The lexemes of a category, or all lexical sets: ``rows`` are their numbers in the table."""

    category: str
    rows: tuple[int, ...]
    columns: tuple[ProfileColumn, ...]

    def same_forms(self) -> Iterator[tuple[ProfileColumn, ProfileColumn, tuple[int, ...]]]:
        """Yield pairs of columns that differ in one value, with the rows whose forms do not."""
        for one, other in combinations(self.columns, 2):
            if one.siblings(other):
                alike = one.alike(other)
                if alike:
                    yield one, other, tuple(self.rows[row] for row in alike)


@dataclass(frozen=True)
class Profile:
    """A table and its sections; ``written`` are the rows of its file before anything is trimmed.

    ``legend`` is the one beside the table, if there is one.
    """

    table: Table
    sections: tuple[ProfileSection, ...]
    written: tuple[tuple[str, ...], ...]
    legend: Legend | None = None

    @property
    def has_sets(self) -> bool:
        """Whether the rows are lexical sets; otherwise they are lexemes."""
        return _has_sets(self.table)

    @cached_property
    def distinct(self) -> Mapping[str, frozenset[str]]:
        """The different cells of each column."""
        return {name: frozenset(cells) for name, cells in self.table.columns.items()}

    @property
    def head(self) -> tuple[str, ...]:
        """The place of the headers."""
        return (f"{self.table.name}:1",)

    def places(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Return the places of some rows."""
        return tuple(self.table.place(row) for row in rows)

    def title(self, row: int) -> str:
        """Return the name of a row: its lemma, its set, or its first cell."""
        columns = self.table.columns
        named = [columns[name][row] for name in (LEMMA, SET) if name in columns]
        cells = (*named, *(cells[row] for cells in columns.values()))
        return next((cell for cell in cells if cell), "an empty row")


def odd(code: str, message: str, places: Sequence[str], *, remedy: str) -> Diagnostic:
    """Return a warning about some places of a table; the first is named, the next in a note."""
    first, *rest = places
    more = f" and {len(rest) - MAX_PLACES:,} more" if rest[MAX_PLACES:] else ""
    notes = (f"the same at {', '.join(rest[:MAX_PLACES])}{more}",) if rest else ()
    return Diagnostic(code, message, (), remedy, notes, "warning", first)


def profile_of(
    name: str, data: bytes, form: TableFormat, report: Report, legend: Legend | None = None
) -> Profile | None:
    """Return the profile of a table's bytes; what the compiler would say of it is reported."""
    table = read_table(name, data, form, report)
    if table is None:
        return None
    legend = None if _has_sets(table) else legend
    sections = tuple(_sections(table, legend))
    profile = Profile(table, sections, _as_written(name, data, form), legend)
    if profile.has_sets:
        build([(table, SETS)], (), report)
    else:
        build((), [(table, None if CATEGORY in table.columns else "lexeme")], report)
    return profile


def _sections(table: Table, legend: Legend | None) -> Iterator[ProfileSection]:
    words = {
        name: frozenset(cell for cell in set(column) if WORD.fullmatch(cell))
        for name, column in table.columns.items()
        if name not in NAMES
    }
    everything = range(len(table))
    if _has_sets(table):
        kinds = _kinds(table.columns, words, sets=True)
        yield _section(SETS, everything, table.columns, kinds)
        return
    by_category: dict[str, list[int]] = {}
    for row, category in zip(everything, table.columns.get(CATEGORY, cycle([""])), strict=False):
        by_category.setdefault(category, []).append(row)
    kinds = _kinds(_with_column(table, by_category.values()), words, sets=False)
    for category, rows in by_category.items():
        cells = {name: tuple(column[row] for row in rows) for name, column in table.columns.items()}
        enough = len(rows) >= MIN_ROWS
        category_kinds = _kinds(cells, words, sets=False) if enough else kinds
        yield _described(_section(category, rows, cells, category_kinds), legend)


def _with_column(table: Table, categories: Iterable[Sequence[int]]) -> dict[str, tuple[str, ...]]:
    """Return the cells of each column in the rows of those categories that fill it somewhere.

    Others do not have the column, so that their empty cells say nothing about its kind.
    """
    rows_of = list(categories)
    return {
        name: tuple(cells[row] for rows in rows_of if any(cells[r] for r in rows) for row in rows)
        for name, cells in table.columns.items()
    }


def _described(section: ProfileSection, legend: Legend | None) -> ProfileSection:
    """Return the section with its columns as a legend describes them."""
    described = (
        {} if legend is None else {column.name: column for column in legend.columns.values()}
    )
    columns = [
        replace(column, kind=KINDS[described[column.name].kind], gloss=described[column.name].gloss)
        if column.name in described
        else column
        for column in section.columns
    ]
    return replace(section, columns=tuple(columns))


def _has_sets(table: Table) -> bool:
    return LEMMA not in table.columns and CATEGORY not in table.columns


def _section(
    category: str,
    rows: Sequence[int],
    cells: Mapping[str, tuple[str, ...]],
    kinds: Mapping[str, Kind],
) -> ProfileSection:
    columns = tuple(ProfileColumn(name, column, kinds[name]) for name, column in cells.items())
    return ProfileSection(category, tuple(rows), columns)


def _kinds(
    cells: Mapping[str, tuple[str, ...]], words: Mapping[str, frozenset[str]], *, sets: bool
) -> dict[str, Kind]:
    """Return what columns seem to be; ``words`` are the cells of each that are one word."""
    return {name: _kind(name, column, words, sets=sets) for name, column in cells.items()}


def _kind(
    name: str, cells: Sequence[str], words: Mapping[str, frozenset[str]], *, sets: bool
) -> Kind:
    if name in NAMES:
        return "name"
    filled = [cell for cell in cells if cell]
    distinct = set(filled)
    varied = len(distinct) >= MIN_DIFFERENT * len(filled)
    if not sets and _is_selection(name, distinct, words, varied=varied):
        return "selection"
    several = ANY in distinct or (
        any(BAR in cell for cell in distinct) and not (varied and _are_forms(distinct))
    )
    numbers = all(NUMBER.fullmatch(cell) for cell in distinct)
    sparse = 2 * len(filled) < len(cells) and len(distinct) <= MAX_SPARSE_VALUES
    return "feature" if several or numbers or sparse or not varied else "form"


def _are_forms(cells: set[str]) -> bool:
    """Return whether cells with bars seem to be forms of one word: ``learned | learnt``.

    They are few, what is between their bars begins alike, and no other cell has it alone.
    """
    barred = [members(cell) for cell in cells if BAR in cell]
    return len(barred) <= MAX_SEVERAL * len(cells) and all(
        len(texts) > 1
        and len({text[0].casefold() for text in texts}) == 1
        and cells.isdisjoint(texts)
        for texts in barred
    )


def _is_selection(
    name: str, cells: set[str], words: Mapping[str, frozenset[str]], *, varied: bool
) -> bool:
    """Return whether cells are expressions: some have operators, and most of these can be read.

    Forms may hold an *and*, too. Where nearly all cells are different, most of them have to be
    expressions, and to ask for what other cells hold.
    """
    asking = sorted(cell for cell in cells if OPERATOR.search(cell))[:MAX_CELLS_READ]
    readable = [cell for cell in asking if cell_expression(cell) is not None]
    if not readable or 2 * len(readable) < len(asking):
        return False
    if not varied:
        return True
    single = words.get(name, frozenset())
    if len(readable) + len(single) < MIN_READABLE * len(cells):
        return False
    asked = {word for cell in readable for word in words_of(cell)}
    return any(asked & found for found in words.values())


def words_of(cell: str) -> list[str]:
    """Return the features that a selection asks for."""
    return [word for word in WORD.findall(cell) if word not in ("and", "or", "not")]


def _values(cell: str, kind: Kind) -> Sequence[str]:
    if kind == "selection":
        return words_of(cell)
    if kind == "feature":
        return [value for value in members(cell) if value != ANY]
    return (cell,)


def _as_written(name: str, data: bytes, form: TableFormat) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a table that `read_table` has read, before anything is trimmed."""
    plain = form.encoding.lower().replace("_", "-") == "utf-8"
    text = data.decode("utf-8-sig" if plain else form.encoding)
    declared = re.match(r"sep=(.)\r?\n", text)
    if declared:
        text = text[declared.end() :]
    usual = "," if name.lower().endswith(".csv") else "\t"
    separator = form.separator or (declared[1] if declared else usual)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )
    return tuple(tuple(row) for row in reader if any(cell.strip() for cell in row))
