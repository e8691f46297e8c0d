"""Whether a table keeps to the legend beside it.

A table and its legend go in; problems go to the report (`check_legend`). Commands on tables and the
reading of grammars call it. Each check reports what is wrong with one kind of cell: one problem for
each column and fault, with the first places of it. Cells are looked at once, however many rows hold
them. What is in cells is checked before what has to be, so that a misspelt value is not reported
again by its consequences.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from merula.core.diagnostics import Diagnostic, Report
from merula.core.source import Source
from merula.core.wording import counted, did_you_mean, listing
from merula.language.parse import parse_cell
from merula.lexicon.legend import ALWAYS, OWN, ColumnLegend, Legend, asked_words
from merula.lexicon.table import ANY, CATEGORY, LEMMA, Rows, Table, members

MAX_PROBLEMS = 10  # with one code: one screen of a terminal
MAX_PLACES = 5  # further ones that a problem names: one line
FLAGS = ("yes", "no")


def check_legend(table: Table, legend: Legend, report: Report, category: str | None = None) -> None:
    """Report where a table of lexemes departs from its legend.

    ``category`` is that of all lexemes, where a grammar says it instead of the table.
    """
    if LEMMA not in table.columns or (category is None and CATEGORY not in table.columns):
        return  # the compiler says so
    categories = [category] * len(table) if category is not None else table.columns[CATEGORY]
    view = _View(table, legend, tuple(categories))
    for check in CHECKS:
        report.extend(_few(list(check(view))))


def fitting(condition: str, features: Rows) -> Sequence[bool]:
    """Return, for every row, whether its lexeme fulfils a condition of the legend.

    ``features`` are the rows with nothing but features (`Legend.features`).
    """
    from merula.lexicon.selection import cell_expression, fits

    node = None if condition == ALWAYS else cell_expression(condition)
    if node is None:
        return [condition == ALWAYS] * len(features)
    return cast("list[bool]", fits(node, features, range(len(features)), {}).tolist())


class _View:
    """A table with its legend, the rows of each category, and the rows at fault in each column."""

    def __init__(self, table: Table, legend: Legend, categories: tuple[str, ...]) -> None:
        self.table, self.legend, self.categories = table, legend, categories
        self.features = legend.features(table, categories)
        self.faulty: dict[str, set[int]] = {}
        self.rows: dict[str, list[int]] = {}
        for row, category in enumerate(categories):
            self.rows.setdefault(category, []).append(row)

    def of(self, column: ColumnLegend) -> Sequence[int]:
        """Return the rows whose lexemes have a column."""
        if self.rows.keys() <= set(column.categories):
            return range(len(self.table))
        return sorted(row for name in column.categories for row in self.rows.get(name, ()))

    def filled(self, column: ColumnLegend) -> set[str]:
        """Return the different cells of a column, without empty ones."""
        cells = self.table.columns.get(column.name, ())
        rows = self.of(column) if cells else ()
        return (set(cells) if len(rows) == len(cells) else {cells[row] for row in rows}) - {""}

    def holding(self, column: ColumnLegend, faulty: Collection[str]) -> list[int]:
        """Return the rows of a column that have one of some cells, which are at fault."""
        cells = self.table.columns[column.name]
        rows = [row for row in self.of(column) if cells[row] in faulty]
        self.faulty.setdefault(column.name, set()).update(rows)
        return rows

    def doubtful(self, column: ColumnLegend, condition: str) -> set[int]:
        """Return the rows that a condition on a column does not judge, since a cell is at fault."""
        words = set(asked_words(condition) or ())
        asked = [
            other.name
            for other in self.legend.columns.values()
            if other.name in words or not words.isdisjoint(other.values)
        ]
        return set().union(*(self.faulty.get(name, ()) for name in (column.name, *asked)))

    def columns(self, *kinds: str) -> Iterator[ColumnLegend]:
        """Return the columns of some kinds."""
        return (column for column in self.legend.columns.values() if column.kind in kinds)

    def lemmas(self, rows: Sequence[int]) -> str:
        """Return the lexemes of the first of some rows: ``the noun `goat` ``."""
        return f"the {self.categories[rows[0]]} `{self.table.columns[LEMMA][rows[0]]}`"

    def fault(self, code: str, message: str, rows: Sequence[int], remedy: str) -> Diagnostic:
        """Return an error at the first of some rows; a note names the next."""
        places = [self.table.place(row) for row in rows]
        lemmas = [self.table.columns[LEMMA][row] for row in rows]
        rest = [f"{p} ({lemma})" for p, lemma in zip(places, lemmas, strict=True)][1:]
        more = f" and {len(rest) - MAX_PLACES:,} more" if rest[MAX_PLACES:] else ""
        notes = (f"the same is wrong at {', '.join(rest[:MAX_PLACES])}{more}",) if rest else ()
        return Diagnostic(code, message, (), remedy, notes, "error", places[0])

    def allowed(self, column: ColumnLegend) -> str:
        """Return where a reader finds what a column may hold."""
        return f"{self.legend.name} describes `{column.name}`"


Check = Callable[[_View], Iterable[Diagnostic]]


def _few(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return the first of many problems with one code; the last of these counts those left out."""
    more = len(problems) - MAX_PROBLEMS
    if more <= 0:
        return problems
    last = problems[MAX_PROBLEMS - 1]
    note = f"{counted(more, 'more problem')} of this kind are left out"
    return [*problems[: MAX_PROBLEMS - 1], replace(last, notes=(*last.notes, note))]


# --- what is in the legend -----------------------------------------------------------------


def categories(view: _View) -> Iterator[Diagnostic]:
    """Report categories that the legend does not name."""
    known = view.legend.categories
    for name, rows in view.rows.items():
        if name and name not in known:
            yield view.fault(
                "M661",
                f"the legend has no category `{name}`",
                rows,
                did_you_mean(name, known)
                or f"it has {listing(known)}; add `{name}` under [category] in {view.legend.name}",
            )


def columns(view: _View) -> Iterator[Diagnostic]:
    """Report columns that the legend does not describe, or that no category of the table has."""
    described = view.legend.columns
    for name in view.table.columns:
        if name not in described and name not in OWN:
            yield Diagnostic(
                "M662",
                f"the legend does not describe the column `{name}`",
                (),
                did_you_mean(name, described)
                or f'write [column.{name}] into {view.legend.name}, with kind = "text" if it holds'
                " remarks",
                (),
                "error",
                f"{view.table.name}:1",
            )


# --- what is in cells ------------------------------------------------------------------------


def values(view: _View) -> Iterator[Diagnostic]:
    """Report values that the legend does not list, and several where one is meant."""
    for column in view.columns("values"):
        unknown: dict[str, set[str]] = {}
        several = []
        for cell in sorted(view.filled(column) - column.values.keys()):
            if not column.several and (ANY in members(cell) or len(members(cell)) > 1):
                several.append(cell)
                continue
            for value in members(cell):
                if value not in column.values and value != ANY:
                    unknown.setdefault(value, set()).add(cell)
        for value, cells in unknown.items():
            yield view.fault(
                "M663",
                f"`{value}` is not a value of the column `{column.name}`",
                view.holding(column, cells),
                did_you_mean(value, column.values) or f"it has {listing(column.values)}",
            )
        for cell in several:
            yield view.fault(
                "M663",
                f"`{cell}` stands for several values, but `{column.name}` has one",
                view.holding(column, [cell]),
                f"write one of {listing(column.values)}, or write several = true into the legend",
            )


def flags(view: _View) -> Iterator[Diagnostic]:
    """Report flags that are neither yes nor no."""
    for column in view.columns("flag"):
        for cell in sorted(view.filled(column).difference(FLAGS)):
            yield view.fault(
                "M666",
                f"`{cell}` is in `{column.name}`, where only `yes` or nothing can be",
                view.holding(column, [cell]),
                did_you_mean(cell, FLAGS)
                or "write `yes`, or empty the cell; a column of values says"
                ' kind = "values" in the legend',
            )


def numbers(view: _View) -> Iterator[Diagnostic]:
    """Report cells that are not numbers, or numbers outside the bounds."""
    for column in view.columns("number"):
        least, most = column.least, column.most
        bounds = "" if least is None else f" of at least {least:g}"
        if most is not None:
            bounds = (
                f" from {least:g} to {most:g}" if least is not None else f" of {most:g} or less"
            )
        for cell in sorted(view.filled(column)):
            number = _number(cell)
            inside = number is not None and (
                (least is None or number >= least) and (most is None or number <= most)
            )
            if not inside:
                yield view.fault(
                    "M668",
                    f"`{cell}` is in `{column.name}`, where only a number{bounds} can be",
                    view.holding(column, [cell]),
                    "write digits, with a point for decimals"
                    if number is None
                    else f"mend the number, or the bounds in {view.legend.name}",
                )


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None  # nan is not a number either


def selections(view: _View) -> Iterator[Diagnostic]:
    """Report selections that cannot be read, or that ask for what the legend does not have."""
    for column in view.columns("selection"):
        allowed = view.legend.words(column.asks)
        unknown: dict[str, set[str]] = {}
        for cell in sorted(view.filled(column) - {ANY}):
            words = asked_words(cell)
            if words is None:
                yield _unreadable(view, column, cell)
            for word in words or ():
                if word not in allowed:
                    unknown.setdefault(word, set()).add(cell)
        for word, cells in unknown.items():
            yield view.fault(
                "M667",
                f"the column `{column.name}` asks for `{word}`, which is neither a feature nor a"
                f" value of {listing(column.asks, 'or')}",
                view.holding(column, cells),
                did_you_mean(word, allowed) or f"describe `{word}` in {view.legend.name}",
            )


def _unreadable(view: _View, column: ColumnLegend, cell: str) -> Diagnostic:
    found, rows = Report(), view.holding(column, [cell])
    parse_cell(Source(view.table.place(rows[0]), cell, cell=True), found)
    why = found.items[0].message if found.items else "it asks for another object"
    return view.fault(
        "M667",
        f"the selection `{cell}` in `{column.name}` cannot be read: {why}",
        rows,
        "write features joined by and, or, not: person and not proper",
    )


# --- what must be filled, and what may be ---------------------------------------------------


def missing(view: _View) -> Iterator[Diagnostic]:
    """Report empty cells of lexemes that need one."""
    for column in view.legend.columns.values():
        needing = _meeting(view, column, column.required) if column.required else []
        cells = view.table.columns.get(column.name)
        if needing and cells is None:
            yield Diagnostic(
                "M664",
                f"the table has no column `{column.name}`, which {view.lemmas(needing)} needs",
                (),
                f"add it: {column.gloss}",
                (),
                "error",
                f"{view.table.name}:1",
            )
        elif cells is not None:
            doubtful = view.doubtful(column, column.required) if needing else set()
            empty = [row for row in needing if not cells[row] and row not in doubtful]
            if empty:
                if_so = "" if column.required == ALWAYS else f" that is `{column.required}`"
                yield view.fault(
                    "M664",
                    f"{view.lemmas(empty)} has no `{column.name}`, which every"
                    f" {view.categories[empty[0]]}{if_so} needs",
                    empty,
                    f"fill the cell: {column.gloss}",
                )


def superfluous(view: _View) -> Iterator[Diagnostic]:
    """Report cells of lexemes that do not have the column."""
    for column in view.legend.columns.values():
        cells = view.table.columns.get(column.name)
        if cells is None:
            continue
        strays = [
            row
            for name, rows in view.rows.items()
            if name in view.legend.categories and name not in column.categories
            for row in rows
            if cells[row]
        ]
        if strays:
            yield view.fault(
                "M665",
                f"{view.lemmas(strays)} has `{cells[strays[0]]}` in `{column.name}`, which is not a"
                f" column of {view.categories[strays[0]]}",
                strays,
                f"empty the cell, or add the category to [column.{column.name}] in"
                f" {view.legend.name}",
            )
        if column.only:
            fine = {*_meeting(view, column, column.only), *view.doubtful(column, column.only)}
            wrong = [r for r in view.of(column) if cells[r] not in ("", "no") and r not in fine]
            if wrong:
                yield view.fault(
                    "M665",
                    f"{view.lemmas(wrong)} has `{cells[wrong[0]]}` in `{column.name}`, but is not"
                    f" `{column.only}`",
                    wrong,
                    "empty the cell, or mend what says that it is not",
                )


def _meeting(view: _View, column: ColumnLegend, condition: str) -> Sequence[int]:
    """Return the rows of a column's categories that fulfil a condition."""
    rows = view.of(column)
    if condition == ALWAYS or not rows:
        return rows
    fits = fitting(condition, view.features)
    return [row for row in rows if fits[row]]


CHECKS: tuple[Check, ...] = (
    categories,
    columns,
    values,
    flags,
    numbers,
    selections,
    missing,
    superfluous,
)
