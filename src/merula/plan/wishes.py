"""A combination of lexemes from one wish a slot: the nearest lexemes that go together.

`Space.unrank` turns one number into a combination. Here each slot has a number of its own, so that
a change of one wish changes as little as can be: what shrinks examples needs that. Any wishes give
a combination that satisfies all constraints, and each combination is what some wishes give.

The tables of bucket elimination (`merula.plan.elimination`) say of each class of a slot whether the
slots that are still open can be filled, given the classes that are settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from merula.plan.elimination import Component
from merula.plan.space import Space

MAX_ROWS_KEPT = 4_096  # of a slot at a time: some megabytes, where a slot has a thousand lexemes


class Chooser:
    """Chooses in a space; ``order`` holds the candidates of each slot, those liked best first."""

    def __init__(self, space: Space, order: Sequence[Sequence[int]]) -> None:
        self.size = len(space.sizes)
        self.steps: list[_Step] = []
        self.groups: list[_Group] = []
        for slots, component in space.components:
            orders = {slot: [int(c) for c in order[slot]] for slot in slots}
            steps = [_Step(component, i, slots, orders) for i in range(len(component.buckets))]
            self.steps += reversed(steps)
            groups = range(len(component.groups))
            self.groups += [_Group(component, i, slots, orders) for i in groups]

    def choose(self, wishes: Sequence[int]) -> tuple[int, ...]:
        """Return the candidate of each slot.

        ``wishes[s]`` is a place in the order of slot *s*, from 0 to its size - 1. The candidate
        there is taken if it can be, else the next one that can, going on from the end to the
        beginning. Slots are settled in the order in which elimination leaves them.
        """
        chosen, settled, places = [0] * self.size, [0] * self.size, list(wishes)
        for step in self.steps:
            slot = step.slot
            row = 0
            for parent, width in step.parents:
                row = row * width + settled[parent]
            fine = step.fine.get(row) or step.open(row)
            place = places[slot]
            if not fine[place]:
                places[slot] = place = _next(fine, place)
            settled[slot] = step.classes[place]
            chosen[slot] = step.order[place]
        for group in self.groups:
            group.part(chosen, places)
        return tuple(chosen)


class _Step:
    """The settling of one slot, given the classes of its parents, which are settled before it."""

    def __init__(
        self,
        component: Component,
        number: int,
        slots: Sequence[int],
        order: Mapping[int, list[int]],
    ) -> None:
        self.bucket = component.buckets[number]
        self.slot = slots[self.bucket.slot]
        self.parents = tuple((slots[p], len(component.first[p])) for p in self.bucket.parents)
        self.order = order[self.slot]
        # the class of the candidate at each place of the order
        self._classes = component.class_of[self.bucket.slot][np.array(self.order, dtype=np.int64)]
        self.classes: list[int] = self._classes.tolist()
        self.fine: dict[int, bytes] = {}  # row of the parents' classes → whether each place can be

    def open(self, row: int) -> bytes:
        """Return which places leave something for the slots that are not settled yet."""
        if len(self.fine) >= MAX_ROWS_KEPT:
            self.fine.clear()
        ways = np.asarray(self.bucket.ways(row) != 0, dtype=np.bool_)
        fine = self.fine[row] = ways[self._classes].tobytes()
        return fine


class _Group:
    """Slots whose candidates must have different keys; the classes chosen say that they can."""

    def __init__(
        self,
        component: Component,
        number: int,
        slots: Sequence[int],
        order: Mapping[int, list[int]],
    ) -> None:
        group = component.groups[number]
        self.members = []
        for slot, keys in zip(group.slots, group.keys, strict=True):
            candidates = order[slots[slot]]
            at = np.array(candidates, dtype=np.int64)
            kinds: list[int] = component.class_of[slot][at].tolist()
            self.members.append((slots[slot], candidates, keys[at].tolist(), kinds))

    def part(self, chosen: list[int], places: Sequence[int]) -> None:
        """Exchange a candidate whose key is taken for the next one of its class that is free."""
        taken: set[int] = set()
        for slot, order, keys, kinds in self.members:
            start = place = places[slot]
            while keys[place] in taken or kinds[place] != kinds[start]:
                place = (place + 1) % len(order)
            chosen[slot] = order[place]
            taken.add(keys[place])


def _next(fine: bytes, place: int) -> int:
    """Return the next place that is fine, from a place on and round to the beginning."""
    found = fine.find(1, place)
    return found if found >= 0 else fine.find(1)
