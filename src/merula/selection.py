"""Selection: what an expression over lexical features says of rows, and of pairs of slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from merula.language import syntax as s
from merula.language.diagnostics import Report
from merula.language.parse import parse_cell
from merula.language.source import Source
from merula.lexicon import ANY, Rows, members
from merula.space import Bools

Cells = Mapping[tuple[str, str], str]


def references(node: s.Expression) -> frozenset[tuple[str, str]]:
    """The columns of other objects that an expression names, as (object, column)."""
    match node:
        case s.Truth(path=path) | s.Equal(path=path):
            if path.attribute is None:
                return frozenset()
            return frozenset({(path.owner.text, path.attribute.text)})
        case s.Not(item=item):
            return references(item)
        case s.And(items=items) | s.Or(items=items):
            return frozenset().union(*(references(item) for item in items))
        case _:
            return frozenset()


def fits(node: s.Expression, rows: Rows, candidates: Sequence[int], cells: Cells) -> Bools:
    """Which candidates satisfy an expression; ``cells`` are the other object's columns.

    A column of another object holds an expression of its own; an empty one is fitted by nothing.
    """
    match node:
        case s.Truth(path=path) if path.attribute is None:
            return _feature(rows, candidates, path.owner.text)
        case s.Truth(path=path):
            assert path.attribute is not None
            cell = cells[path.owner.text, path.attribute.text]
            if cell in ("", ANY):
                return np.full(len(candidates), cell == ANY)
            inner = cell_expression(cell)
            if inner is None:
                return np.zeros(len(candidates), dtype=np.bool_)
            return fits(inner, rows, candidates, cells)
        case s.Equal(path=path, terms=terms):
            wanted = {str(term) for term in terms}
            if path.attribute is not None:
                held = members(cells[path.owner.text, path.attribute.text])
                return np.full(len(candidates), bool(wanted & set(held)) or ANY in held)
            return _any_of(rows, candidates, path.owner.text, wanted)
        case s.Not(item=item):
            return ~fits(item, rows, candidates, cells)
        case s.And(items=items):
            return np.logical_and.reduce([fits(x, rows, candidates, cells) for x in items])
        case s.Or(items=items):
            return np.logical_or.reduce([fits(x, rows, candidates, cells) for x in items])
        case _:
            raise AssertionError(node)


@lru_cache(maxsize=10_000)
def cell_expression(text: str) -> s.Expression | None:
    """The expression in a selection cell, or None if it does not parse."""
    return parse_cell(Source("<cell>", text), Report())


def check_cells(rows: Rows, column: str, target: Rows, report: Report) -> None:
    """Report the selection cells of a column that do not parse or name an unknown feature."""
    from merula.language.resolve import unknown_feature

    seen: set[str] = set()
    for cell, place in zip(rows.columns[column], rows.places, strict=True):
        if cell in seen or cell in ("", ANY):
            continue
        seen.add(cell)
        expression = parse_cell(Source(f"{place} ({column})", cell), report)
        for word in _words(expression) if expression is not None else ():
            hint = unknown_feature(target, word.text)
            if hint is not None:
                report.error(
                    "M316",
                    f"`{word}` is no feature of {target.kind}: no column is called so or holds"
                    " that value",
                    word.span,
                    remedy=hint or "check the word, or add the feature to the table",
                )


def _words(node: s.Expression) -> list[s.Word]:
    match node:
        case s.Truth(path=path) | s.Equal(path=path) if path.attribute is None:
            return [path.owner]
        case s.Not(item=item):
            return _words(item)
        case s.And(items=items) | s.Or(items=items):
            return [word for item in items for word in _words(item)]
        case _:
            return []


def _feature(rows: Rows, candidates: Sequence[int], word: str) -> Bools:
    if word in rows.columns:
        return _by_value(rows.columns[word], candidates, lambda cell: cell not in ("", "no"))
    holding = [name for name, values in rows.values.items() if word in values]
    if not holding:
        return np.zeros(len(candidates), dtype=np.bool_)
    return np.logical_or.reduce([_any_of(rows, candidates, name, {word}) for name in holding])


def _any_of(rows: Rows, candidates: Sequence[int], column: str, wanted: set[str]) -> Bools:
    def has(cell: str) -> bool:
        held = members(cell)
        return ANY in held or not wanted.isdisjoint(held)

    return _by_value(rows.columns[column], candidates, has)


def _by_value(
    cells: Sequence[str], candidates: Sequence[int], test: Callable[[str], bool]
) -> Bools:
    known: dict[str, bool] = {}
    found = np.empty(len(candidates), dtype=np.bool_)
    for i, row in enumerate(candidates):
        cell = cells[row]
        if cell not in known:
            known[cell] = test(cell)
        found[i] = known[cell]
    return found
