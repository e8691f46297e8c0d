"""Which instances read the same in two grammars: forms, order of words, surface rules.

A sentence reads the same if its parts do. A part is a form of a choice, or fixed words; it is
written before the edge of its right neighbour, and its left neighbour may swallow its beginning.
So what counts of a candidate is only how it behaves before every edge, and a part depends on few
others. "Reads the same" is thereby a demand on candidates like any other: the instances that read
otherwise are counted, and drawn, as those that fail it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from merula.changes.choices import SharedChoice, brings
from merula.core.arrays import Ints
from merula.core.frozen import frozen
from merula.design.placement import Fixed
from merula.lexicon.surface import END, PhraseEdge, Surface
from merula.plan.contrast import MAX_JOINT
from merula.plan.planner import Plan
from merula.plan.relations import Constraint, ConstraintOrigin

Texts = tuple[str, ...]
_SAME = 0b1111


@frozen
class PhraseTexts:
    """What part of a sentence is for each shared candidate of a choice (-1: for fixed words)."""

    choice: int
    texts: Texts


@frozen(eq=False)
class _Both:
    """A part as it was and as it is."""

    choice: int
    old: Texts
    new: Texts


@frozen(eq=False)
class _Table:
    """How a part is written: a row for each candidate, a column for each edge at its right.

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
        """Whether its edge does not depend on its neighbour's."""
        return bool((self.edge == self.edge[:, :1]).all())


class Wording:
    """Compares the sentences of two grammars; what cells have in common is found out once."""

    def __init__(self, old: Surface, new: Surface) -> None:
        self.old, self.new = old, new
        self.same_rules = old.rules == new.rules
        self._texts: dict[tuple[int, int], tuple[object, object, Texts]] = {}
        self._tables: dict[tuple[object, ...], _Table] = {}

    def parts(
        self, plan: Plan, number: int, choices: Sequence[SharedChoice], *, old: bool
    ) -> list[PhraseTexts]:
        """The parts of a cell of a plan; fixed words beside each other are one."""
        cell = plan.cells[number]
        slots = [choice.old if old else choice.new for choice in choices]
        found: list[PhraseTexts] = []
        for piece, placed in zip(cell.pieces, cell.cell.item.words, strict=True):
            word = placed.word
            if piece.slot >= 0:
                i = slots.index(piece.slot)
                shared = choices[i].old_shared if old else choices[i].new_shared
                texts = self._some(plan.slots[piece.slot].forms[piece.text], shared)
                found.append(PhraseTexts(i, texts))
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
                found.append(PhraseTexts(i, (word.text,) * len(choices[i].old_shared)))
            elif found and found[-1].choice < 0:
                found[-1] = PhraseTexts(-1, (f"{found[-1].texts[0]} {word.text}",))
            else:
                found.append(PhraseTexts(-1, (word.text,)))
        return found

    def _some(self, texts: Texts, shared: Ints) -> Texts:
        key = (id(texts), id(shared))
        if key not in self._texts:  # both are kept, so that the numbers stay theirs
            self._texts[key] = (texts, shared, tuple(texts[i] for i in shared.tolist()))
        return self._texts[key][2]

    def demands(
        self, old: Sequence[PhraseTexts], new: Sequence[PhraseTexts], label: str, nothing: int
    ) -> Iterator[Constraint]:
        """What has to hold for a cell to read the same.

        ``nothing`` is the number of a choice with a single candidate.
        """
        origin = ConstraintOrigin(label)
        if [part.choice for part in old] != [part.choice for part in new]:
            yield from self._jointly(old, new, origin, nothing)
            return
        both = [_Both(a.choice, a.texts, b.texts) for a, b in zip(old, new, strict=True)]
        if self.same_rules and all(part.old == part.new for part in both):
            return
        tables = self._cell_tables(both)
        for number in range(len(both)):
            window = _window(number, both, tables)
            if window is None:
                continue
            choices = sorted({both[x].choice for x in window.parts if both[x].choice >= 0})
            behaviours = [window.behaviours(choice) for choice in choices]
            found = _demands(choices, behaviours, window.same, origin, nothing)
            yield from self._jointly(old, new, origin, nothing) if found is None else found

    # --- parts that stand in the same order

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
        """Write every combination of forms; of too many all are taken to read otherwise."""
        choices = sorted({part.choice for part in (*old, *new) if part.choice >= 0})
        forms = [
            list(zip(*(p.texts for p in (*old, *new) if p.choice == i), strict=True))
            for i in choices
        ]

        def same(chosen: Mapping[int, int]) -> bool:
            one, other = (
                surface.sentence([part.texts[chosen.get(part.choice, 0)] for part in parts])
                for surface, parts in ((self.old, old), (self.new, new))
            )
            return one == other

        found = _demands(choices, forms, same, origin, nothing)
        return [_never(nothing, origin)] if found is None else found


@frozen(eq=False)
class _Window:
    """The parts that decide whether part ``number`` reads the same, all by their numbers."""

    both: Sequence[_Both]
    tables: Sequence[_Table]
    number: int
    left: int | None  # the part that may swallow its beginning
    rights: tuple[int, ...]  # those that decide which edge stands at its right

    @property
    def parts(self) -> tuple[int, ...]:
        """All of them."""
        return (self.number, *self.rights, *(() if self.left is None else (self.left,)))

    def behaviours(self, choice: int) -> list[tuple[object, ...]]:
        """All that counts of each candidate of a choice."""
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
        """Whether the part reads the same for some candidates, by choice."""
        row = {part: chosen.get(self.both[part].choice, 0) for part in self.parts}
        right = 0
        for part in reversed(self.rights):
            right = int(self.tables[part].edge[row[part], right])
        table, own = self.tables[self.number], row[self.number]
        lost = 0
        if self.left is not None:
            edge = int(table.edge[own, right])
            lost = int(self.tables[self.left].swallows[row[self.left], edge])
        return bool(int(table.same[own, right]) >> lost & 1)


def _window(number: int, both: Sequence[_Both], tables: Sequence[_Table]) -> _Window | None:
    """The parts that decide about one, or None if it always reads the same."""
    table = tables[number]
    if (table.same == _SAME).all():
        return None
    left = number - 1 if number and tables[number - 1].swallows.any() else None
    alone = bool((table.same == table.same[:, :1]).all())
    rights: list[int] = []
    if not alone or (left is not None and not table.settled):
        for other in range(number + 1, len(tables)):
            rights.append(other)
            if tables[other].settled:
                break
    return _Window(both, tables, number, left, tuple(rights))


def _demands(
    choices: Sequence[int],
    behaviours: Sequence[Sequence[tuple[object, ...]]],
    same: Callable[[Mapping[int, int]], bool],
    origin: ConstraintOrigin,
    nothing: int,
) -> list[Constraint] | None:
    """That something reads the same, worked out for one candidate of every behaviour.

    None where there are too many combinations of behaviours.
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
    """For each choice the class of every candidate, and the first candidate of every class."""
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
    """A demand that nothing satisfies."""
    return Constraint((nothing,), (np.zeros(1, np.int64),), np.zeros(1, np.bool_), origin)


def _finished(text: str, surface: Surface, *, first: bool, last: bool) -> str:
    text = surface.stopped(text) if last else text
    return surface.capitalise(text) if first and surface.capital else text
