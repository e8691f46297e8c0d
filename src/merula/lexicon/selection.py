"""Selection: what an expression over lexical features says of rows, and of pairs of slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from merula.core.arrays import Bools
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.core.wording import did_you_mean
from merula.language import syntax as s
from merula.language.parse import parse_cell
from merula.lexicon.table import ANY, Rows, members

MAX_CELLS = 5  # faulty ones of a column that are reported one by one
Cells = Mapping[tuple[str, str], str]


def fits(node: s.Expression, rows: Rows, candidates: Sequence[int], cells: Cells) -> Bools:
    """Return which candidates satisfy an expression; ``cells`` are the other object's columns.

    A column of another object holds an expression of its own; an empty one is fitted by nothing.
    (What cannot be understood in a cell is fitted by nothing too; `check_cells` reports it.)
    """
    nothing = np.zeros(len(candidates), dtype=np.bool_)
    match node:
        case s.Truth(path=path) if path.attribute is None:
            return _feature(rows, candidates, path.owner.text)
        case s.Truth(path=path):
            cell = cells.get((path.owner.text, str(path.attribute)), "")
            if cell == ANY:
                return ~nothing
            inner = cell_expression(cell) if cell else None
            return fits(inner, rows, candidates, {}) if inner is not None else nothing
        case s.Equal(path=path, terms=terms):
            wanted = {str(term) for term in terms}
            if path.attribute is not None:
                held = members(cells.get((path.owner.text, path.attribute.text), ""))
                return ~nothing if wanted & set(held) or ANY in held else nothing
            column = path.owner.text
            return _any_of(rows, candidates, column, wanted) if column in rows.columns else nothing
        case s.Not(item=item):
            return ~fits(item, rows, candidates, cells)
        case s.And(items=items):
            parts = [fits(x, rows, candidates, cells) for x in items]
            return np.asarray(np.logical_and.reduce(parts), dtype=np.bool_)
        case s.Or(items=items):
            parts = [fits(x, rows, candidates, cells) for x in items]
            return np.asarray(np.logical_or.reduce(parts), dtype=np.bool_)
        case s.Inside():
            return nothing


def fits_itself(node: s.Expression, rows: Rows, candidates: Sequence[int], other: Rows) -> Bools:
    """Return which rows of a table of sets satisfy an expression that names columns of the row."""
    wanted = s.references(node)
    return np.array(
        [
            bool(fits(node, rows, [r], {(o, c): other.columns[c][r] for o, c in wanted})[0])
            for r in candidates
        ],
        dtype=np.bool_,
    )


@lru_cache(maxsize=10_000)
def cell_expression(text: str) -> s.Expression | None:
    """Return the expression in a selection cell, or None if it does not parse."""
    return parse_cell(Source("<cell>", text), Report())


def check_cells(rows: Rows, column: str, target: Rows, report: Report) -> None:
    """Report the selection cells of a column that do not parse or name an unknown feature."""
    seen: set[str] = set()
    faults = Report()
    for cell, place in zip(rows.columns[column], rows.places, strict=True):
        if cell in seen or cell in ("", ANY):
            continue
        seen.add(cell)
        if _fine(cell, target):
            continue
        expression = parse_cell(Source(f"{place}, column {column}", cell, cell=True), faults)
        if expression is not None:
            _check(expression, target, faults)
    more = len(faults.items) - MAX_CELLS
    if more > 0:
        note = f"{more:,} more cells of the column `{column}` are at fault"
        last = faults.items[MAX_CELLS - 1]
        faults.items[MAX_CELLS - 1 :] = [replace(last, notes=(*last.notes, note))]
    report.extend(faults.items)


def _fine(cell: str, target: Rows) -> bool:
    expression = cell_expression(cell)
    found = Report()
    if expression is not None:
        _check(expression, target, found)
    return expression is not None and not found.items


def _check(node: s.Expression, target: Rows, report: Report) -> None:

    match node:
        case s.Not(item=item):
            _check(item, target, report)
        case s.And(items=items) | s.Or(items=items):
            for item in items:
                _check(item, target, report)
        case s.Truth(path=path) | s.Equal(path=path) if path.attribute is None:
            word = path.owner
            if isinstance(node, s.Equal):
                known = word.text in target.columns
                hint = None if known else did_you_mean(word.text, target.columns)
            else:
                hint = unknown_feature(target, word.text)
            if hint is not None:
                report.error(
                    "M316",
                    f"`{word}` is not a feature of {target.kind}: no column has that name"
                    + ("" if isinstance(node, s.Equal) else " or holds that value"),
                    word.span,
                    remedy=hint or "check the word, or add the feature to the table",
                )
        case _:
            report.error(
                "M324",
                "a selection cell can only ask for features of the lexeme that is selected",
                node.span,
                remedy="write them without an object: person and not proper",
            )


def _feature(rows: Rows, candidates: Sequence[int], word: str) -> Bools:
    if word in rows.columns:
        return _by_value(rows.columns[word], candidates, lambda cell: cell not in ("", "no"))
    holding = [name for name, values in rows.values.items() if word in values]
    if not holding:
        return np.zeros(len(candidates), dtype=np.bool_)
    parts = [_any_of(rows, candidates, name, {word}) for name in holding]
    return np.asarray(np.logical_or.reduce(parts), dtype=np.bool_)


def _any_of(rows: Rows, candidates: Sequence[int], column: str, wanted: set[str]) -> Bools:
    def has(cell: str) -> bool:
        held = members(cell)
        return ANY in held or not wanted.isdisjoint(held)

    return _by_value(rows.columns[column], candidates, has)


def _by_value(
    cells: Sequence[str], candidates: Sequence[int], test: Callable[[str], bool]
) -> Bools:
    chosen = [cells[row] for row in candidates]
    answers = {cell: test(cell) for cell in set(chosen)}
    return np.array([answers[cell] for cell in chosen], dtype=np.bool_)


def unknown_feature(rows: Rows, word: str) -> str | None:
    """Return a hint, maybe empty, for a word that is neither column nor value; else None."""
    if word in rows.columns or any(word in values for values in rows.values.values()):
        return None
    words = [*rows.columns, *(v for n, vs in rows.values.items() if len(vs) < 50 for v in vs)]
    return did_you_mean(word, words)
