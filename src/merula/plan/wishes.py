"""A combination of lexemes from one wish a slot: the nearest ones that go together.

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

MOST = 4096  # rows that a slot keeps at a time


class Chooser:
    """Chooses in a space; ``order`` holds the candidates of each slot, those liked best first."""

    def __init__(self, space: Space, order: Sequence[Sequence[int]]) -> None:
        self.number = len(space.sizes)
        self.steps: list[_Step] = []
        self.groups: list[_Group] = []
        for slots, component in space.components:
            own = {slot: [int(c) for c in order[slot]] for slot in slots}
            steps = [_Step(component, i, slots, own) for i in range(len(component.buckets))]
            self.steps += reversed(steps)
            self.groups += [_Group(component, i, slots, own) for i in range(len(component.groups))]

    def choose(self, wishes: Sequence[int]) -> tuple[int, ...]:
        """The candidate of each slot.

        ``wishes[s]`` is a place in the order of slot *s*, from 0 to its size - 1. The candidate
        there is taken if it can be, else the next that can, from the end to the beginning again.
        Slots are settled in an order of the space's own.
        """
        found, settled, places = [0] * self.number, [0] * self.number, list(wishes)
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
            found[slot] = step.order[place]
        for group in self.groups:
            group.part(found, places)
        return tuple(found)


class _Step:
    """One slot is settled, given the classes of its parents, which are settled before it."""

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
        """Which places leave the slots that are not settled something."""
        if len(self.fine) >= MOST:
            self.fine.clear()
        ways = np.asarray(self.bucket.ways(row) != 0, dtype=np.bool_)
        found = self.fine[row] = ways[self._classes].tobytes()
        return found


class _Group:
    """Slots whose candidates have to have different keys; their classes say that they can."""

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
            own = order[slots[slot]]
            at = np.array(own, dtype=np.int64)
            kinds: list[int] = component.class_of[slot][at].tolist()
            self.members.append((slots[slot], own, keys[at].tolist(), kinds))

    def part(self, found: list[int], places: Sequence[int]) -> None:
        """Exchange a candidate whose key is taken for the next one of its class that is free."""
        taken: set[int] = set()
        for slot, order, keys, kinds in self.members:
            start = place = places[slot]
            while keys[place] in taken or kinds[place] != kinds[start]:
                place = (place + 1) % len(order)
            found[slot] = order[place]
            taken.add(keys[place])


def _next(fine: bytes, place: int) -> int:
    """The next place that is fine, from a place on and round."""
    found = fine.find(1, place)
    return found if found >= 0 else fine.find(1)
