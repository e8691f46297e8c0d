"""The part of a design whose content lexemes are on one side of a split.

The spaces of the design's plans are restricted to some candidates, so that a grammar is compiled
once, on all its tables, and each instance keeps its address in the whole design.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.plan.elimination import LIMIT
from merula.plan.planner import Plan
from merula.plan.slots import Slot, kept
from merula.plan.space import Space

Sides = Callable[[str], bool]  # whether the lexeme with a lemma belongs to it


@frozen(eq=False)
class Side:
    """A restricted design, and for each of its plans the whole one and the candidates kept."""

    design: CompiledDesign
    whole: tuple[tuple[int, Plan, tuple[Ints, ...]], ...]  # first address, plan, candidates

    def addresses(self, found: NDArray[Any]) -> list[int]:
        """The addresses in the whole design of some in this one."""
        places: dict[int, list[tuple[int, int]]] = {}
        for place, address in enumerate(found.tolist()):
            number, local = self.design.locate(int(address))
            places.setdefault(number, []).append((place, local))
        done = [0] * len(found)
        for number, own in places.items():
            first, plan, candidates = self.whole[number]
            space = self.design.plans[number].space
            kind: Any = np.int64 if space.count < LIMIT else object
            chosen = space.unrank(np.array([local for _, local in own], dtype=kind))
            rows = zip(*(kept[x] for kept, x in zip(candidates, chosen, strict=True)), strict=True)
            known: dict[tuple[int, ...], int] = {}
            for (place, _), row in zip(own, rows, strict=True):
                if row not in known:
                    known[row] = first + plan.space.rank([int(i) for i in row])
                done[place] = known[row]
        return done


def is_content(slot: Slot, closed: Sequence[str], categories: dict[str, str]) -> bool:
    """Whether a slot holds content lexemes: those of a table, of no closed category.

    Words that stand in the grammar (``ever = no "often", "recently"``) are none.
    """
    if slot.rows is None:
        return False
    return not slot.objects or any(categories.get(name) not in closed for name in slot.objects)


def one_side(design: CompiledDesign, inside: Sides, content: Callable[[Slot], bool]) -> Side:
    """The instances of a design all of whose content lexemes are ``inside``."""
    made = _Restricted(inside, content)
    plans: list[Plan] = []
    whole: list[tuple[int, Plan, tuple[Ints, ...]]] = []
    for first, plan in zip(design.starts, design.plans, strict=True):
        candidates = tuple(np.flatnonzero(made.keep(slot)) for slot in plan.slots)
        space = made.space(plan.space, candidates)
        if space.count:
            slots = tuple(made.slot(slot) for slot in plan.slots)
            plans.append(replace(plan, slots=slots, space=space))
            whole.append((first, plan, candidates))
    starts = tuple(accumulate((plan.count for plan in plans), initial=0))
    restricted = replace(design, plans=tuple(plans), starts=starts[:-1], count=starts[-1])
    return Side(restricted, tuple(whole))


def choices(
    design: CompiledDesign, inside: Sides, content: Callable[[Slot], bool]
) -> tuple[int, ...]:
    """How many instances each plan of a design has on a side (`one_side`), which may be none."""
    made = _Restricted(inside, content)
    return tuple(
        made.space(plan.space, tuple(np.flatnonzero(made.keep(slot)) for slot in plan.slots)).count
        for plan in design.plans
    )


class _Restricted:
    """Slots and spaces with fewer candidates; equal ones are made once."""

    def __init__(self, inside: Sides, content: Callable[[Slot], bool]) -> None:
        self.inside, self.content = inside, content
        self._keep: dict[int, tuple[tuple[str, ...], Bools]] = {}
        self._slots: dict[int, tuple[Slot, Slot]] = {}
        self._spaces: dict[tuple[Any, ...], tuple[Space, Space]] = {}

    def keep(self, slot: Slot) -> Bools:
        """Which candidates of a slot are inside."""
        if not self.content(slot):
            return np.ones(len(slot), dtype=np.bool_)
        titles = slot.titles  # kept with what is found, so that their id stays theirs
        if id(titles) not in self._keep:
            keep = np.array([self.inside(title) for title in titles], dtype=np.bool_)
            self._keep[id(titles)] = (titles, keep)
        return self._keep[id(titles)][1]

    def slot(self, slot: Slot) -> Slot:
        """The slot with the candidates that are inside."""
        if id(slot) not in self._slots:
            self._slots[id(slot)] = (slot, kept(slot, self.keep(slot)))
        return self._slots[id(slot)][1]

    def space(self, space: Space, candidates: tuple[Ints, ...]) -> Space:
        """The space of some candidates only."""
        key = (id(space), *(x.tobytes() for x in candidates))
        if key not in self._spaces:
            self._spaces[key] = (space, space.restricted(candidates))
        return self._spaces[key][1]
