"""Counting, ranking and unranking the combinations of candidates that satisfy all constraints.

The sizes of slots and the constraints between them go in; out come the number of combinations, the
combination at an address in [0, count), and the address of a combination. Planner, rows, suites and
changes call this. A connected component of slots is counted by itself
(`merula.plan.elimination`), so that only a component's tables have to be small; an address is a
mixed-radix number over components. Slots of 3, 4 and 5 lexemes without a constraint are three
components, and address 37 = 1 + 3 · (0 + 4 · 3) is their lexemes 1, 0 and 3:

>>> space = Space([3, 4, 5])
>>> space.count, space.unrank_one(37), space.rank([1, 0, 3])
(60, (1, 0, 3), 37)

Counts are exact Python integers. Where the sizes of a component multiply to less than 2⁶² its
tables are int64 and unranking is a few numpy look-ups an address; above that they hold Python
integers, slower and just as exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Ints
from merula.plan.elimination import MAX_INT64_COUNT, Component, Made
from merula.plan.relations import Constraint, Distinct


class Space:
    """All combinations of one candidate a slot that satisfy the constraints.

    ``made`` keeps components, for other spaces that have some in common with this one.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        constraints: Sequence[Constraint] = (),
        distinct: Sequence[Distinct] = (),
        made: Made | None = None,
    ) -> None:
        self.sizes = tuple(sizes)
        self.constraints = tuple(constraints)
        self.distinct = tuple(distinct)
        self.components = [
            (slots, self._component(slots, {} if made is None else made))
            for slots in _components(len(sizes), [*constraints, *distinct])
        ]
        self.count: int = prod(component.count for _, component in self.components)

    def _component(self, slots: tuple[int, ...], made: Made) -> Component:
        """Return the component of some slots, which are numbered from 0 in it."""
        number = {slot: i for i, slot in enumerate(slots)}
        sizes = tuple(self.sizes[slot] for slot in slots)
        constraints = [
            Constraint(tuple(number[s] for s in c.slots), c.groups, c.table, c.origin)
            for c in self.constraints
            if c.slots[0] in number
        ]
        distinct = [
            Distinct(tuple(number[s] for s in d.slots), d.keys, d.origin)
            for d in self.distinct
            if d.slots[0] in number
        ]
        key = (
            sizes,
            *((c.slots, id(c.table), *(id(x) for x in c.groups)) for c in constraints),
            *((d.slots, *(id(x) for x in d.keys)) for d in distinct),
        )
        if key not in made:  # a component keeps its arrays, so that the numbers stay theirs
            made[key] = Component(sizes, constraints, distinct)
        return made[key]

    def unrank(self, addresses: NDArray[Any]) -> list[Ints]:
        """Return the candidates at some addresses: an array a slot.

        ``addresses`` is an int64 array, or one of Python integers where ``count`` is 2⁶² or more.
        """
        candidates: list[Ints] = [np.empty(0, np.int64)] * len(self.sizes)
        rest = addresses
        for number, (slots, component) in enumerate(self.components):
            if number == len(self.components) - 1:
                part = rest
            else:
                part = rest % component.count
                rest = rest // component.count
            for slot, chosen in component.unrank(part).items():
                candidates[slots[slot]] = chosen
        return candidates

    def unrank_one(self, address: int) -> tuple[int, ...]:
        """Return the candidates at one address."""
        kind = np.int64 if self.count < MAX_INT64_COUNT else object
        return tuple(int(x[0]) for x in self.unrank(np.array([address], dtype=kind)))

    def forget(self) -> None:
        """Drop the indices that make addresses fast to find; they are made again if needed."""
        for _, component in self.components:
            for bucket in component.buckets:
                bucket.__dict__.pop("guide", None)

    def rank(self, candidates: Sequence[int]) -> int:
        """Return the address of a combination that satisfies the constraints."""
        address = 0
        for slots, component in reversed(self.components):
            part = component.rank([candidates[slot] for slot in slots])
            address = address * component.count + part
        return address

    def contains(self, candidates: Sequence[int]) -> bool:
        """Return whether a combination satisfies all constraints."""
        for c in self.constraints:
            place = tuple(x[candidates[s]] for s, x in zip(c.slots, c.groups, strict=True))
            if not c.table[place]:
                return False
        for d in self.distinct:
            keys = {int(keys[candidates[s]]) for s, keys in zip(d.slots, d.keys, strict=True)}
            if len(keys) < len(d.slots):
                return False
        return True

    def restricted(self, keep: Sequence[Ints]) -> Space:
        """Return the space of some candidates only: ``keep`` holds those left of each slot."""
        constraints = [
            Constraint(
                c.slots,
                tuple(x[keep[s]] for s, x in zip(c.slots, c.groups, strict=True)),
                c.table,
                c.origin,
            )
            for c in self.constraints
        ]
        distinct = [
            Distinct(
                d.slots, tuple(x[keep[s]] for s, x in zip(d.slots, d.keys, strict=True)), d.origin
            )
            for d in self.distinct
        ]
        return Space([len(k) for k in keep], constraints, distinct)

    def clash(self) -> list[Constraint | Distinct]:
        """Return, for an empty space, an irreducible set of constraints that cannot hold together.

        Each constraint in turn is left out for good if the space is empty without it too. So none
        of the rest can be spared, though another set may have fewer constraints.
        """
        needed: list[Constraint | Distinct] = [*self.distinct, *self.constraints]
        for item in list(needed):
            fewer = [other for other in needed if other is not item]
            constraints = [x for x in fewer if isinstance(x, Constraint)]
            distinct = [x for x in fewer if isinstance(x, Distinct)]
            if Space(self.sizes, constraints, distinct).count == 0:
                needed = fewer
        return needed


def _components(count: int, links: Iterable[Constraint | Distinct]) -> list[tuple[int, ...]]:
    """Return the sets of slots, out of ``count``, that constraints tie together (union-find)."""
    parent = list(range(count))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for link in links:
        for slot in link.slots[1:]:
            one, other = sorted((root(link.slots[0]), root(slot)))
            parent[other] = one
    members: dict[int, list[int]] = {}
    for slot in range(count):
        members.setdefault(root(slot), []).append(slot)
    return [tuple(slots) for slots in members.values()]
