"""The selections of a grammar as constraints between the slots of a plan.

A grammar's selections and some slots go in; constraints come out, each a table over groups of
candidates (`merula.plan.relations`). `merula.plan.planner` calls this. A selection that asks about
one object only has been applied to its slot before (`merula.plan.slots`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

import numpy as np

from merula.core.arrays import Bools, Ints
from merula.core.diagnostics import Report
from merula.grammar import model as g
from merula.language.syntax import cell_references, references
from merula.lexicon.selection import check_cells, fits
from merula.lexicon.table import ANY, Rows, members
from merula.plan.relations import MAX_TABLE, Constraint, ConstraintOrigin, Distinct, TooWide
from merula.plan.slots import Slot

Together = frozenset[tuple[int, int]]  # the pairs of slots that some cell shows both


class Selector:
    """Makes the constraints of a grammar's selections; what equal slots share is made once."""

    def __init__(self, grammar: g.Grammar, report: Report) -> None:
        self.grammar, self.report = grammar, report
        self._relations: dict[tuple[object, ...], tuple[Ints, Ints, Bools]] = {}
        self._keys: dict[tuple[object, ...], tuple[Ints, ...]] = {}
        self._shared: dict[tuple[object, ...], tuple[tuple[Ints, ...], Bools]] = {}
        self._checked: set[tuple[Rows, str, Rows]] = set()

    def constraints(
        self, slots: Sequence[Slot], together: Together
    ) -> tuple[list[Constraint], list[Distinct]]:
        """Return what the selections demand of some slots."""
        constraints: list[Constraint] = []
        distinct: list[Distinct] = []
        for selection in self.grammar.selections:
            self._select(selection, slots, together, constraints, distinct)
        return constraints, distinct

    def _select(
        self,
        selection: g.Selection,
        slots: Sequence[Slot],
        together: Together,
        constraints: list[Constraint],
        distinct: list[Distinct],
    ) -> None:
        if isinstance(selection, g.IsA):
            constraints.extend(self._is_a(selection, slots, together))
            return
        names = [item.name for item in selection.objects]
        chosen = [i for i, s in enumerate(slots) if s.rows and s.objects & set(names)]
        origin = ConstraintOrigin(_what(selection), selection.span)
        if isinstance(selection, g.Share) and len(chosen) > 1:
            for tied in _spokes(chosen, slots, selection):
                key = (selection, *(_identity(slots[i]) for i in tied))
                if key not in self._shared:
                    self._shared[key] = _share([slots[i] for i in tied], selection)
                constraints.append(Constraint(tuple(tied), *self._shared[key], origin))
        elif isinstance(selection, g.Differ) and len(chosen) > 1:
            key = (selection, *(_identity(slots[i]) for i in chosen))
            if key not in self._keys:
                self._keys[key] = _lemma_keys([slots[i] for i in chosen])
            for group in _overlapping(chosen, self._keys[key]):
                _differ(group, constraints, distinct, origin)

    def _is_a(
        self,
        selection: g.IsA,
        slots: Sequence[Slot],
        together: Together,
    ) -> Iterator[Constraint]:
        wanted = sorted(references(selection.expression))
        if not wanted:
            return
        origin = ConstraintOrigin(_what(selection), selection.span)
        other_name = wanted[0][0]
        mine = [i for i, s in enumerate(slots) if s.rows and selection.object.name in s.objects]
        theirs = [i for i, s in enumerate(slots) if s.rows and other_name in s.objects]
        for i in mine:
            for j in theirs:
                if i != j and (min(i, j), max(i, j)) in together:
                    yield self._relation(selection, wanted, (i, slots[i]), (j, slots[j]), origin)

    def _relation(
        self,
        selection: g.IsA,
        wanted: Sequence[tuple[str, str]],
        mine: tuple[int, Slot],
        theirs: tuple[int, Slot],
        origin: ConstraintOrigin,
    ) -> Constraint:
        """Return the pairs of lexemes that an expression over two objects allows."""
        (i, slot), (j, other) = mine, theirs
        rows = _rows(slot).of(selection.object.name)
        other_rows = _rows(other).of(wanted[0][0])
        for _, column in sorted(cell_references(selection.expression)):
            checked = (other_rows, column, rows)
            if checked not in self._checked:
                self._checked.add(checked)
                check_cells(other_rows, column, rows, self.report)
        key = (selection, _identity(slot), _identity(other))
        if key not in self._relations:
            self._relations[key] = _relation(selection, wanted, slot, other)
        mine_groups, theirs_groups, table = self._relations[key]
        return Constraint((i, j), (mine_groups, theirs_groups), table, origin)


def _overlapping(slots: Sequence[int], keys: Sequence[Ints]) -> list[list[tuple[int, Ints]]]:
    """Return the groups of slots that can have a lexeme in common; other slots always differ."""
    groups: list[list[tuple[int, Ints]]] = []
    for slot, slot_keys in zip(slots, keys, strict=True):
        apart, meeting = [], [(slot, slot_keys)]
        for group in groups:
            shares = any(np.isin(slot_keys, other).any() for _, other in group)
            if shares:
                meeting = [*group, *meeting]
            else:
                apart.append(group)
        groups = [*apart, meeting]
    return [sorted(group, key=lambda x: x[0]) for group in groups if len(group) > 1]


def _differ(
    group: Sequence[tuple[int, Ints]],
    constraints: list[Constraint],
    distinct: list[Distinct],
    origin: ConstraintOrigin,
) -> None:
    """Add that the slots of a group differ; pair by pair where one is in another group too."""
    slots = tuple(slot for slot, _ in group)
    if not {s for d in distinct for s in d.slots} & set(slots):
        distinct.append(Distinct(slots, tuple(keys for _, keys in group), origin))
        return
    for (i, one), (j, other) in combinations(group, 2):
        count = int(max(one.max(initial=0), other.max(initial=0))) + 1
        table = ~np.eye(count, dtype=np.bool_)
        constraints.append(Constraint((i, j), (one, other), table, origin))


def _relation(
    selection: g.IsA, wanted: Sequence[tuple[str, str]], slot: Slot, other: Slot
) -> tuple[Ints, Ints, Bools]:
    rows = _rows(slot).of(selection.object.name)
    other_rows = _rows(other).of(wanted[0][0])
    columns = [other_rows.columns[column] for _, column in wanted]
    cells = [tuple(column[r] for column in columns) for r in other.candidates]
    kinds = {cell: n for n, cell in enumerate(dict.fromkeys(cells))}
    fitting = [
        fits(selection.expression, rows, slot.candidates, dict(zip(wanted, cell, strict=True)))
        for cell in kinds
    ]
    matrix = np.stack(fitting, axis=1) if fitting else np.zeros((len(slot), 0), np.bool_)
    table, groups = np.unique(matrix, axis=0, return_inverse=True)
    theirs_groups = np.array([kinds[cell] for cell in cells], dtype=np.int64)
    mine_groups = groups.reshape(-1).astype(np.int64)
    return mine_groups, theirs_groups, table.astype(np.bool_)


def _identity(slot: Slot) -> tuple[Rows | None, tuple[int, ...]]:
    """Return what decides a slot's lexemes: the rows that they are from, and which of these."""
    return slot.rows, slot.candidates


def _lemma_keys(slots: Sequence[Slot]) -> tuple[Ints, ...]:
    """Number the lexemes of some slots: a lexeme is a lemma of a category."""
    names = [[(_rows(slot).kind, title) for title in slot.titles] for slot in slots]
    ids = {name: i for i, name in enumerate(sorted({n for many in names for n in many}))}
    return tuple(np.array([ids[name] for name in many], dtype=np.int64) for many in names)


def _spokes(
    chosen: Sequence[int], slots: Sequence[Slot], selection: g.Share
) -> list[Sequence[int]]:
    """Return the groups of slots that have to share a value, so that all of them share one.

    Where each lexeme of a slot has one value, it is enough that every other slot fits that.
    """
    for i in chosen:
        item = next(item for item in selection.objects if item.name in slots[i].objects)
        rows = _rows(slots[i]).of(item.name)
        cells = {rows.columns[selection.column][r] for r in slots[i].candidates}
        if all(len(members(cell)) == 1 and ANY not in members(cell) for cell in cells):
            return [tuple(sorted((i, j))) for j in chosen if j != i]
    return [chosen]


def _share(slots: Sequence[Slot], selection: g.Share) -> tuple[tuple[Ints, ...], Bools]:
    """Return the combinations of cells that have a value in common, as groups and a table.

    A cell is a bit set of its values, all bits for ``*``, and a combination is allowed where the
    AND of its bit sets is not empty: of *court* = 01, *market* = 10 and *court | market* = 11 only
    the first two do not go together.
    """
    names = [item.name for item in selection.objects]
    views = [_rows(s).of(next(n for n in names if n in s.objects)) for s in slots]
    column = selection.column
    values = [ANY, *sorted({v for rows in views for v in rows.values[column]})]
    bits = {v: 1 << n for n, v in enumerate(values)}
    everything = (1 << len(values)) - 1
    groups: list[Ints] = []
    kinds_of = [
        dict.fromkeys(rows.columns[column][r] for r in slot.candidates)
        for slot, rows in zip(slots, views, strict=True)
    ]
    if prod(len(kinds) for kinds in kinds_of) > MAX_TABLE:
        raise TooWide(range(len(slots)), [ConstraintOrigin(_what(selection), selection.span)])
    table = np.array(everything, dtype=object)
    for axis, (slot, rows) in enumerate(zip(slots, views, strict=True)):
        cells = [rows.columns[column][r] for r in slot.candidates]
        kinds = {cell: n for n, cell in enumerate(dict.fromkeys(cells))}
        groups.append(np.array([kinds[cell] for cell in cells], dtype=np.int64))
        masks = [
            everything if ANY in members(c) else sum(bits[v] for v in members(c)) for c in kinds
        ]
        shape = [-1 if a == axis else 1 for a in range(len(slots))]
        table = table & np.array(masks, dtype=object).reshape(shape)
    return tuple(groups), (table != 0).astype(np.bool_)


def _rows(slot: Slot) -> Rows:
    assert slot.rows is not None
    return slot.rows


def _what(selection: g.Selection) -> str:
    return " ".join(selection.span.text.split())
