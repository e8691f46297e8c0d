"""Demands on candidates that hold iff a sentence reads the same in two grammars.

In go the cells that a variant has in both grammars, out come constraints on the shared choices;
``cells`` counts and draws the instances that fail them, since these read differently. Forms, the
order of words and the surface rules may all have changed.

A sentence reads the same if its parts do. A part is a form of a choice, or fixed words; it is
written before the edge of its right neighbour, and its left neighbour may swallow its beginning.
So a candidate counts only by its behaviour before each edge, and a part depends on a few more
parts: one at its left, and at its right those up to the first whose edge is always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from merula.changes.choices import SharedChoice, brings
from merula.core.arrays import Ints
from merula.core.frozen import ById, frozen
from merula.design.placement import Fixed
from merula.lexicon.surface import END, PhraseEdge, Surface
from merula.plan.contrast import MAX_JOINT
from merula.plan.planner import Plan
from merula.plan.relations import Constraint, ConstraintOrigin

Texts = tuple[str, ...]
_SAME = 0b1111


@frozen
class PhraseTexts:
    """A part of a sentence: its text for each shared candidate of a choice (-1: fixed words)."""

    choice: int
    texts: Texts


@frozen(eq=False)
class _Both:
    """A part of a sentence in the old and in the new grammar."""

    choice: int
    old: Texts
    new: Texts


@frozen(eq=False)
class _Table:
    """The writing of a part: a row for each candidate, a column for each edge at its right.

    Edges are pairs, of the old and the new neighbour. ``same`` holds four bits: whether old and
    new are alike where neither, only the old, only the new, or both have lost their beginning.
    ``swallows`` is 1 where the old part swallows from its neighbour, plus 2 where the new one does.
    """

    shown: tuple[tuple[PhraseEdge, PhraseEdge], ...]
    edge: Ints  # which of the edges ``shown`` it has itself
    same: Ints
    swallows: Ints

    @property
    def settled(self) -> bool:
        """Return whether its own edge does not depend on that of its neighbour."""
        return bool((self.edge == self.edge[:, :1]).all())


class Wording:
    """A comparison of the sentences of two grammars, which writes a part once for all cells."""

    def __init__(self, old: Surface, new: Surface) -> None:
        self.old, self.new = old, new
        self.same_rules = old.rules == new.rules
        self._texts: dict[tuple[ById, ById], Texts] = {}
        self._tables: dict[tuple[object, ...], _Table] = {}

    def parts(
        self, plan: Plan, number: int, choices: Sequence[SharedChoice], *, old: bool
    ) -> list[PhraseTexts]:
        """Return the parts of a cell of a plan; fixed words beside each other are one part."""
        cell = plan.cells[number]
        slots = [choice.old if old else choice.new for choice in choices]
        parts: list[PhraseTexts] = []
        for piece, placed in zip(cell.pieces, cell.cell.item.words, strict=True):
            word = placed.word
            if piece.slot >= 0:
                i = slots.index(piece.slot)
                shared = choices[i].old_shared if old else choices[i].new_shared
                texts = self._some(plan.slots[piece.slot].forms[piece.text], shared)
                parts.append(PhraseTexts(i, texts))
                continue
            assert isinstance(word, Fixed)
            single = (
                i
                for i, slot in enumerate(slots)
                if slot is None
                and brings(placed, word, cell.cell, choices[i].variable, choices[i].value)
            )
            i = next(single, -1)
            if i >= 0:
                parts.append(PhraseTexts(i, (word.text,) * len(choices[i].old_shared)))
            elif parts and parts[-1].choice < 0:
                parts[-1] = PhraseTexts(-1, (f"{parts[-1].texts[0]} {word.text}",))
            else:
                parts.append(PhraseTexts(-1, (word.text,)))
        return parts

    def _some(self, texts: Texts, shared: Ints) -> Texts:
        key = (ById(texts), ById(shared))
        if key not in self._texts:
            self._texts[key] = tuple(texts[i] for i in shared.tolist())
        return self._texts[key]

    def demands(
        self, old: Sequence[PhraseTexts], new: Sequence[PhraseTexts], label: str, nothing: int
    ) -> Iterator[Constraint]:
        """Yield the demands under which a cell reads the same.

        ``nothing`` is the number of a choice with one candidate, for a demand that never holds.
        """
        origin = ConstraintOrigin(label)
        if [part.choice for part in old] != [part.choice for part in new]:
            yield from self._jointly(old, new, origin, nothing)
            return
        pairs = [_Both(a.choice, a.texts, b.texts) for a, b in zip(old, new, strict=True)]
        if self.same_rules and all(part.old == part.new for part in pairs):
            return
        tables = self._cell_tables(pairs)
        for number in range(len(pairs)):
            window = _window(number, pairs, tables)
            if window is None:
                continue
            choices = sorted({pairs[x].choice for x in window.parts if pairs[x].choice >= 0})
            behaviours = [window.behaviours(choice) for choice in choices]
            demands = _demands(choices, behaviours, window.same, origin, nothing)
            yield from self._jointly(old, new, origin, nothing) if demands is None else demands

    # --- parts in the same order

    def _cell_tables(self, both: Sequence[_Both]) -> list[_Table]:
        tables: list[_Table] = []
        rights: tuple[tuple[PhraseEdge, PhraseEdge], ...] = ((END, END),)
        for number in range(len(both) - 1, -1, -1):
            first, last = number == 0, number == len(both) - 1
            table = self._table(both[number], rights, first=first, last=last)
            tables.insert(0, table)
            rights = table.shown
        return tables

    def _table(
        self,
        part: _Both,
        rights: tuple[tuple[PhraseEdge, PhraseEdge], ...],
        *,
        first: bool,
        last: bool,
    ) -> _Table:
        key = (part.old, part.new, rights, first, last)
        if key not in self._tables:
            self._tables[key] = self._make_table(part, rights, first=first, last=last)
        return self._tables[key]

    def _make_table(
        self,
        part: _Both,
        rights: tuple[tuple[PhraseEdge, PhraseEdge], ...],
        *,
        first: bool,
        last: bool,
    ) -> _Table:
        shown: dict[tuple[PhraseEdge, PhraseEdge], int] = {}
        shape = (len(part.old), len(rights))
        edge, same, swallows = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for i, texts in enumerate(zip(part.old, part.new, strict=True)):
            for j, right in enumerate(rights):
                was = self.old.write(texts[0], right[0])
                now = self.new.write(texts[1], right[1])
                edge[i, j] = shown.setdefault((was.edge, now.edge), len(shown))
                forms = [
                    [_finished(text, surface, first=first, last=last) for text in both]
                    for surface, both in (
                        (self.old, (was.text, was.withheld)),
                        (self.new, (now.text, now.withheld)),
                    )
                ]
                for bit in range(4):
                    same[i, j] |= (forms[0][bit & 1] == forms[1][bit >> 1]) << bit
                swallows[i, j] = was.swallows + 2 * now.swallows
        return _Table(tuple(shown), edge, same, swallows)

    # --- parts in another order

    def _jointly(
        self,
        old: Sequence[PhraseTexts],
        new: Sequence[PhraseTexts],
        origin: ConstraintOrigin,
        nothing: int,
    ) -> list[Constraint]:
        """Write every combination of forms; of too many all are taken to read differently."""
        choices = sorted({part.choice for part in (*old, *new) if part.choice >= 0})
        forms = [
            list(zip(*(p.texts for p in (*old, *new) if p.choice == i), strict=True))
            for i in choices
        ]

        def same(chosen: Mapping[int, int]) -> bool:
            before, after = (
                surface.sentence([part.texts[chosen.get(part.choice, 0)] for part in parts])
                for surface, parts in ((self.old, old), (self.new, new))
            )
            return before == after

        demands = _demands(choices, forms, same, origin, nothing)
        return [_never(nothing, origin)] if demands is None else demands


@frozen(eq=False)
class _Window:
    """The numbers of the parts that decide whether part ``number`` reads the same."""

    both: Sequence[_Both]
    tables: Sequence[_Table]
    number: int
    left: int | None  # the part that may swallow its beginning
    rights: tuple[int, ...]  # the parts that decide the edge at its right

    @property
    def parts(self) -> tuple[int, ...]:
        """Return all of them."""
        return (self.number, *self.rights, *(() if self.left is None else (self.left,)))

    def behaviours(self, choice: int) -> list[tuple[object, ...]]:
        """Return for each candidate of a choice the rows of the tables that can tell it apart."""
        rows: list[list[list[int]]] = []
        for part in self.parts:
            if self.both[part].choice == choice:
                rows.append(self.tables[part].edge.tolist())
                if part == self.number:
                    rows.append(self.tables[part].same.tolist())
                if part == self.left:
                    rows.append(self.tables[part].swallows.tolist())
        return [tuple(map(tuple, columns)) for columns in zip(*rows, strict=True)]

    def same(self, chosen: Mapping[int, int]) -> bool:
        """Return whether the part reads the same for some candidates, by choice."""
        row = {part: chosen.get(self.both[part].choice, 0) for part in self.parts}
        right = 0
        for part in reversed(self.rights):
            right = int(self.tables[part].edge[row[part], right])
        table, candidate = self.tables[self.number], row[self.number]
        lost = 0  # the bit of ``same`` that counts: whose beginning the left part swallows
        if self.left is not None:
            edge = int(table.edge[candidate, right])
            lost = int(self.tables[self.left].swallows[row[self.left], edge])
        return bool(int(table.same[candidate, right]) >> lost & 1)


def _window(number: int, parts: Sequence[_Both], tables: Sequence[_Table]) -> _Window | None:
    """Return the parts that decide about one, or None if it always reads the same."""
    table = tables[number]
    if (table.same == _SAME).all():
        return None
    swallowing = number - 1 if number and tables[number - 1].swallows.any() else None
    alone = bool((table.same == table.same[:, :1]).all())
    rights: list[int] = []
    if not alone or (swallowing is not None and not table.settled):
        for neighbour in range(number + 1, len(tables)):
            rights.append(neighbour)
            if tables[neighbour].settled:
                break
    return _Window(parts, tables, number, swallowing, tuple(rights))


def _demands(
    choices: Sequence[int],
    behaviours: Sequence[Sequence[tuple[object, ...]]],
    same: Callable[[Mapping[int, int]], bool],
    origin: ConstraintOrigin,
    nothing: int,
) -> list[Constraint] | None:
    """Return the demand that something reads the same, tried for a candidate of each behaviour.

    None where there are too many combinations of behaviours. Of a thousand nouns whose forms have
    changed in two ways, or not at all, three are tried.
    """
    groups, firsts = _classes(behaviours)
    if prod(map(len, firsts)) > MAX_JOINT:
        return None
    table = np.zeros([len(first) for first in firsts], dtype=np.bool_)
    for place in product(*(range(len(first)) for first in firsts)):
        chosen = [first[i] for first, i in zip(firsts, place, strict=True)]
        table[place] = same(dict(zip(choices, chosen, strict=True)))
    if table.all():
        return []
    if not table.any():
        return [_never(nothing, origin)]
    return [Constraint(tuple(choices), tuple(groups), table, origin)]


def _classes(
    behaviours: Sequence[Sequence[tuple[object, ...]]],
) -> tuple[list[Ints], list[list[int]]]:
    """Return for each choice the class of every candidate, and the first of every class."""
    groups, firsts = [], []
    for column in behaviours:
        ids: dict[tuple[object, ...], int] = {}
        first: list[int] = []
        for i, behaviour in enumerate(column):
            if behaviour not in ids:
                ids[behaviour] = len(ids)
                first.append(i)
        groups.append(np.array([ids[behaviour] for behaviour in column], dtype=np.int64))
        firsts.append(first)
    return groups, firsts


def _never(nothing: int, origin: ConstraintOrigin) -> Constraint:
    """Return a demand that nothing satisfies."""
    return Constraint((nothing,), (np.zeros(1, np.int64),), np.zeros(1, np.bool_), origin)


def _finished(text: str, surface: Surface, *, first: bool, last: bool) -> str:
    text = surface.stopped(text) if last else text
    return surface.capitalise(text) if first and surface.capital else text
