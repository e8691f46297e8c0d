"""A combination of lexemes from one wish a slot: the nearest ones that go together.

`Space.unrank` turns one number into a combination. Here each slot has a number of its own, so that
a change of one wish changes as little as can be: what shrinks examples needs that. Any wishes give
a combination that satisfies all constraints, and each combination is what some wishes give.

The tables of bucket elimination (`merula.space`) say of each class of a slot whether the slots that
are still open can be filled, given the classes that are settled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from merula.space import Bools, Space, _Component


class Chooser:
    """Chooses in a space; ``order`` holds the candidates of each slot, those liked best first."""

    def __init__(self, space: Space, order: Sequence[Sequence[int]]) -> None:
        self.sizes = space.sizes
        self.parts = [
            (slots, _Part(component, [order[slot] for slot in slots]))
            for slots, component in space.components
        ]

    def choose(self, wishes: Sequence[int]) -> tuple[int, ...]:
        """The candidate of each slot.

        ``wishes[s]`` is a place in the order of slot *s*, from 0 to its size - 1. The candidate
        there is taken if it can be, else the next that can, from the end to the beginning again.
        Slots are settled in an order of the space's own.
        """
        found = [0] * len(self.sizes)
        for slots, part in self.parts:
            own = part.choose([wishes[slot] for slot in slots])
            for slot, candidate in zip(slots, own, strict=True):
                found[slot] = candidate
        return tuple(found)


class _Part:
    """A component of a space: slots that constraints tie together."""

    def __init__(self, component: _Component, order: Sequence[Sequence[int]]) -> None:
        self.component = component
        self.order = [[int(candidate) for candidate in candidates] for candidates in order]
        # the class of the candidate at each place of the order
        self.classes = [
            component.class_of[slot][np.array(own, dtype=np.int64)]
            for slot, own in zip(component.slots, self.order, strict=True)
        ]
        self.keys = {
            slot: keys.tolist()
            for group in component.groups
            for slot, keys in zip(group.slots, group.keys, strict=True)
        }
        self._open: dict[tuple[int, int], Bools] = {}

    def choose(self, wishes: Sequence[int]) -> list[int]:
        """The candidate of each slot of the component."""
        component = self.component
        settled: dict[int, int] = {}  # slot → class
        places = [0] * len(self.order)
        for number in range(len(component.buckets) - 1, -1, -1):
            slot = component.buckets[number].slot
            fine = self._fine(number, settled)[self.classes[slot]]
            places[slot] = _next(fine.tobytes(), wishes[slot])
            settled[slot] = int(self.classes[slot][places[slot]])
        found = [own[place] for own, place in zip(self.order, places, strict=True)]
        for group in component.groups:
            taken: set[int] = set()
            for slot in group.slots:
                if self.keys[slot][found[slot]] in taken:
                    found[slot] = self._untaken(slot, places[slot], settled[slot], taken)
                taken.add(self.keys[slot][found[slot]])
        return found

    def _fine(self, number: int, settled: dict[int, int]) -> Bools:
        """Which classes of a bucket's slot leave the open slots something."""
        bucket = self.component.buckets[number]
        row = 0
        for slot in bucket.parents:
            row = row * len(self.component.first[slot]) + settled[slot]
        if (number, row) not in self._open:
            self._open[number, row] = np.asarray(bucket.ways(row) != 0, dtype=np.bool_)
        return self._open[number, row]

    def _untaken(self, slot: int, place: int, kind: int, taken: set[int]) -> int:
        """The next candidate of a class whose key is not taken: counting says that there is one."""
        order, keys = self.order[slot], self.keys[slot]
        alike = (self.classes[slot] == kind).tobytes()
        while keys[order[place]] in taken:
            place = _next(alike, place + 1)
        return order[place]


def _next(fine: bytes, place: int) -> int:
    """The next place that is fine, from a place on and round."""
    found = fine.find(1, place)
    return found if found >= 0 else fine.find(1)
