"""Writing the sentences of a design a batch at a time: numbers in one dictionary of texts.

The plans of a design go in, and for each batch the rows' plans and addresses; out come the lexemes
of each row and the numbers of its constituents (`WrittenRows`), their texts and the spans of
objects. `merula.rows.maker` and `merula.rows.columns` call this. The number of a text is linear in
the candidates of its slots, so that all plans that share a space and their slots are written
together: one look-up of the plans' bases, one sum a slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Ints
from merula.core.frozen import ById
from merula.lexicon.surface import Surface
from merula.plan.contrast import Piece
from merula.plan.elimination import MAX_INT64_COUNT
from merula.plan.planner import Plan, PlanCell, slot_names
from merula.plan.space import Space
from merula.rows.constituents import EMPTY, MAX_FUSED, Phrasebook, TextTable, strung

MAX_TEXTS = 1_000_000  # of all constituents together, roughly: some tens of megabytes
_Terms = tuple[tuple[int, int], ...]  # (slot, stride)


@dataclass(frozen=True, eq=False)
class _Layout:
    """The tables of a plan's cells, and the names of its slots and their candidates."""

    tables: tuple[tuple[TextTable, ...], ...]  # by cell, by constituent
    objects: tuple[tuple[tuple[str, int, int], ...], ...]  # by cell: object, constituent, piece
    names: tuple[str, ...]  # of the plan's slots
    titles: tuple[tuple[str, ...], ...]

    def base(self, cell: int, part: int) -> int:
        """Return the number of the first text of a constituent."""
        return self.tables[cell][part].base if part < len(self.tables[cell]) else EMPTY


@dataclass(eq=False)
class _Group:
    """Plans that are written together: one space, one shape of tables, the same lexemes."""

    space: Space
    layouts: dict[int, _Layout] = field(default_factory=dict)  # by plan
    recipe: _Recipe | None = None


@dataclass(frozen=True, eq=False)
class _Recipe:
    """The steps that find the numbers of a group's sentences; a column is a constituent of a cell.

    To the bases of a plan is added a sum over lexemes (``sums``: draw, terms, columns), then what
    the neighbour at the right asks for (``shifts``: column, plan × edge → growth), column by column
    from the right; then a text whose beginning is swallowed (by a column of ``swallowing``) is
    exchanged for what is left of it. `Writer._write` has an example.
    """

    sums: tuple[tuple[int, _Terms, tuple[int, ...]], ...]
    shifts: tuple[tuple[int, Ints], ...]
    swallowing: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WrittenRows:
    """The sentences of some rows.

    ``numbers`` are those of the constituents in the phrasebook, shape (rows, cells,
    constituents); ``lexemes[d][name]`` is the lexeme of a slot in the rows' ``d``-th draw, as a
    place among `Writer.titles`, -1 where a variant does not have the slot.
    """

    numbers: NDArray[np.int32]
    lexemes: tuple[dict[str, NDArray[np.int32]], ...]


@dataclass(frozen=True, eq=False)
class Spans:
    """The places of objects in sentences: the first character, and the one after the last.

    ``offsets`` bounds the spans of each sentence; ``objects`` are places among ``names``. Words
    of one object beside each other make one span. A word contracted with the one before it is
    counted to that one; spaces and the full stop belong to none.
    """

    names: list[str]
    offsets: NDArray[np.int32]
    objects: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


class Writer:
    """Writes the cells of a design's plans.

    ``draws[c]`` says from which lexical choice of an instance cell ``c`` is written (0 for all
    cells where there is one choice); ``instances`` is how many are wanted, so that tables are
    not made larger than they are worth.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        surface: Surface,
        *,
        draws: Sequence[int] | None = None,
        instances: int = 1,
        spans: bool = False,
    ) -> None:
        self.plans = plans
        cells = len(plans[0].cells) if plans else 0
        self.draws = tuple(draws) if draws is not None else (0,) * cells
        self.book = Phrasebook(surface, spans=spans)
        worth = min(instances // max(len(plans), 1), MAX_TEXTS // max(len(plans) * cells, 1))
        self.largest = max(min(worth, MAX_FUSED), 1)
        self.titles: dict[str, dict[str, int]] = {}
        self._groups: dict[tuple[Any, ...], _Group] = {}
        self._group_of: dict[int, _Group] = {}
        self._bases = np.empty((len(plans), 0), dtype=np.int32)
        self._width = 0
        self._titles_of: dict[tuple[str, ById], NDArray[np.int32]] = {}
        for plan in plans:
            for name, slot in zip(slot_names(plan), plan.slots, strict=True):
                self._places(name, slot.titles)

    # --- what a plan's cells are made of

    def _prepare(self, plans: Sequence[int]) -> None:
        """Make the tables of plans that are written for the first time."""
        new = [p for p in plans if p not in self._group_of]
        for number in new:
            plan = self.plans[number]
            parts = [self.book.divided(plan, c.pieces, self.largest) for c in plan.cells]
            tables = tuple(tuple(self.book.tables(plan, found)) for found in parts)
            layout = _Layout(
                tables,
                tuple(_objects(c, found) for c, found in zip(plan.cells, parts, strict=True)),
                tuple(slot_names(plan)),
                tuple(slot.titles for slot in plan.slots),
            )
            shape = tuple(tuple((t.slots, t.strides) for t in parts) for parts in tables)
            key = (plan.space, layout.names, layout.titles, shape)
            group = self._groups.setdefault(key, _Group(plan.space))
            group.layouts[number] = layout
            group.recipe = None
            self._group_of[number] = group
        if new:
            self._lay_out(new)

    def _lay_out(self, new: Sequence[int]) -> None:
        """Put the bases of new plans beside each other, as wide as the widest cell."""
        width = max(len(parts) for p in new for parts in self._group_of[p].layouts[p].tables)
        redo: Sequence[int] = new
        if width > self._width:
            self._width, redo = width, list(self._group_of)
            for group in self._groups.values():
                group.recipe = None
            self._bases = np.zeros((len(self.plans), len(self.draws) * width), dtype=np.int32)
        for number in redo:
            layout = self._group_of[number].layouts[number]
            self._bases[number] = [
                layout.base(cell, part)
                for cell in range(len(self.draws))
                for part in range(self._width)
            ]

    # --- rows

    def write(self, plan_of: Ints, addresses: Sequence[NDArray[Any]]) -> WrittenRows:
        """Return the sentences of rows, given their plans and their addresses for every draw."""
        present = np.unique(plan_of).tolist()
        self._prepare(present)
        groups = list(dict.fromkeys(self._group_of[p] for p in present))
        if len(groups) == 1:
            return self._write(groups[0], plan_of, addresses)
        number = np.zeros(len(self.plans), dtype=np.int64)
        for i, group in enumerate(groups):
            number[list(group.layouts)] = i
        group_of = number[plan_of]
        rows = len(plan_of)
        whole = np.empty((rows, len(self.draws), self._width), dtype=np.int32)
        lexemes = tuple(
            {name: np.full(rows, -1, dtype=np.int32) for name in self.titles} for _ in addresses
        )
        for i, group in enumerate(groups):
            here = np.flatnonzero(group_of == i)
            part = self._write(group, plan_of[here], [a[here] for a in addresses])
            whole[here] = part.numbers
            for mine, theirs in zip(lexemes, part.lexemes, strict=True):
                for name, places in theirs.items():
                    mine[name][here] = places
        return WrittenRows(whole, lexemes)

    def _write(
        self, group: _Group, plan_of: Ints, addresses: Sequence[NDArray[Any]]
    ) -> WrittenRows:
        """Return the sentences of rows whose plans are all of one group.

        Writing a million sentences word by word takes seconds in Python; here each step is one
        operation of numpy on all rows. In the example of `merula.rows.constituents` the bases of
        the plan are (3, 1), for *voit le* and *chat*. Row by row, with the verbs 0, 1 and the nouns
        1, 1, the sums make (3, 2) and (4, 2). Both nouns show edge 2, before which a verb grows by
        2: the shifts make (5, 2) and (6, 2), *voit l'arbre* and *aime l'arbre*. With a rule
        *de le* → *du*, *de* before *le chat* swallows the beginning of its neighbour; the number of
        *le chat* plus ``withheld`` is that of *chat*.
        """
        if group.space.count < MAX_INT64_COUNT:
            addresses = [a.astype(np.int64, copy=False) for a in addresses]
        candidates = [group.space.unrank(a) for a in addresses]
        if group.recipe is None:
            group.recipe = self._recipe(group)
        numbers = self._bases[plan_of]
        for draw, terms, columns in group.recipe.sums:
            total = _sum(candidates[draw], terms)
            for column in columns:
                numbers[:, column] += total
        for column, shifts in group.recipe.shifts:
            edges = self.book.edge[numbers[:, column + 1]]
            numbers[:, column] += shifts[plan_of, edges].astype(np.int32)
        for column in group.recipe.swallowing:
            swallowed = np.flatnonzero(self.book.swallows[numbers[:, column]])
            right = numbers[swallowed, column + 1]
            numbers[swallowed, column + 1] += self.book.withheld[right].astype(np.int32)
        layout = next(iter(group.layouts.values()))
        lexemes = tuple(
            {
                name: self._places(name, titles)[chosen]
                for name, titles, chosen in zip(layout.names, layout.titles, drawn, strict=True)
            }
            for drawn in candidates
        )
        return WrittenRows(numbers.reshape(len(plan_of), -1, self._width), lexemes)

    def _recipe(self, group: _Group) -> _Recipe:
        """Return the steps for the sentences of a group, found once."""
        layout = next(iter(group.layouts.values()))
        sums: dict[tuple[int, _Terms], list[int]] = {}
        shifts: list[tuple[int, Ints]] = []
        swallowing: list[int] = []
        for cell, draw in enumerate(self.draws):
            first = cell * self._width
            for part, table in enumerate(layout.tables[cell]):
                terms = tuple(zip(table.slots, table.strides, strict=True))
                if terms:
                    sums.setdefault((draw, terms), []).append(first + part)
            for part in range(self._width - 2, -1, -1):
                tables = {
                    plan: plan_layout.tables[cell][part]
                    for plan, plan_layout in group.layouts.items()
                    if part < len(plan_layout.tables[cell]) - 1
                }
                if any(table.blocks > 1 for table in tables.values()):
                    shifts.append((first + part, self._shift(tables)))
                if any(table.swallows for table in tables.values()):
                    swallowing.append(first + part)
        return _Recipe(
            tuple((*key, tuple(columns)) for key, columns in sums.items()),
            tuple(shifts),
            tuple(sorted(swallowing)),
        )

    def _shift(self, tables: Mapping[int, TextTable]) -> Ints:
        """Return how much a number grows, by plan and edge."""
        growths = [self.book.shifts(table) for table in tables.values()]
        shifts = np.zeros((len(self.plans), max(map(len, growths))), dtype=np.int64)
        for plan, growth in zip(tables, growths, strict=True):
            shifts[plan, : len(growth)] = growth
        return shifts

    def _places(self, name: str, titles: tuple[str, ...]) -> NDArray[np.int32]:
        """Return the place of each candidate's title among `titles` of the slot's name."""
        key = (name, ById(titles))
        if key not in self._titles_of:
            of_name = self.titles.setdefault(name, {})
            places = [of_name.setdefault(title, len(of_name)) for title in titles]
            self._titles_of[key] = np.array(places, dtype=np.int32)
        return self._titles_of[key]

    def texts(self, numbers: NDArray[np.int32]) -> Any:
        """Return the sentences of numbers (…, constituents) as a pyarrow string array."""
        return strung(self.book.texts, numbers.reshape(-1, numbers.shape[-1]))

    def spans(self, plan_of: Ints, written: WrittenRows) -> Spans:
        """Return the spans of all sentences, row by row and cell by cell.

        The writer has to be made with ``spans``.
        """
        numbers, cells = written.numbers, len(self.draws)
        lengths = self.book.lengths[numbers]
        begins = np.cumsum(lengths, axis=2) - lengths
        present = np.unique(plan_of).tolist()
        layouts = {p: self._group_of[p].layouts[p] for p in present}
        sizes = np.zeros((len(self.plans), cells), dtype=np.int64)
        for p, layout in layouts.items():
            sizes[p] = [len(_joined(layout.objects[c])) for c in range(cells)]
        offsets = np.zeros(len(plan_of) * cells + 1, dtype=np.int64)
        np.cumsum(sizes[plan_of].reshape(-1), out=offsets[1:])
        spans = np.empty((3, offsets[-1]), dtype=np.int32)  # object, start, end
        names: dict[str, int] = {}
        for p, layout in layouts.items():
            rows = np.flatnonzero(plan_of == p)
            for cell in range(cells):
                at = offsets[rows * cells + cell]
                for i, words in enumerate(_joined(layout.objects[cell])):
                    spans[0, at + i] = names.setdefault(words[0][0], len(names))
                    spans[1, at + i], spans[2, at + i] = self._extent(
                        words, numbers[rows, cell], begins[rows, cell]
                    )
        return Spans(list(names), offsets.astype(np.int32), *spans)

    def _extent(
        self, words: Sequence[tuple[str, int, int]], numbers: NDArray[np.int32], begins: Ints
    ) -> tuple[Ints, Ints]:
        """Return where neighbouring words begin and end, without those swallowed whole."""
        start = end = np.zeros(len(numbers), dtype=np.int64)
        nothing = np.ones(len(numbers), dtype=np.bool_)
        for _, part, piece in words:
            first, last = (self.book.extents[numbers[:, part], piece] + begins[:, part, None]).T
            overt = last > first
            start = np.where(nothing, first, start)
            end = np.where(nothing | overt, last, end)
            nothing &= ~overt
        return start, end


def _objects(cell: PlanCell, parts: Sequence[Sequence[Piece]]) -> tuple[tuple[str, int, int], ...]:
    """Return, for every word of a cell, its object ("" for fixed words) and its piece's place."""
    places = [(i, j) for i, pieces in enumerate(parts) for j in range(len(pieces))]
    return tuple(
        ("" if placed.object is None else placed.object.name, *place)
        for placed, place in zip(cell.cell.item.words, places, strict=True)
    )


def _joined(words: Sequence[tuple[str, int, int]]) -> list[list[tuple[str, int, int]]]:
    """Return neighbouring words of one object together, fixed words left out."""
    groups = groupby(words, key=itemgetter(0))
    return [list(group) for name, group in groups if name]


def _sum(candidates: Sequence[Ints], terms: _Terms) -> NDArray[np.int32]:
    total = np.zeros(len(candidates[terms[0][0]]), dtype=np.int32)
    for slot, stride in terms:
        total += candidates[slot].astype(np.int32) * np.int32(stride)
    return total
