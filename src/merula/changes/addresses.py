"""The addresses of instances that two grammars share: are they the same in both?

An address counts the instances of the variants before it, and then those of its own variant, in
an order that the sizes of the choices, the order of their candidates and the demands on them
decide. Where all of these are equal, so are the addresses, however many there are. Where they are
not, addresses are compared one by one, as far as that is feasible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from merula.changes.choices import SharedChoice
from merula.changes.joint import SharedVariant
from merula.changes.overlap import numbered
from merula.core.arrays import Bools, Ints
from merula.plan.relations import Constraint, Distinct
from merula.plan.space import Space

# Instances of a variant whose addresses are compared one by one: it takes a fraction of a second.
MAX_INSTANCES = 100_000


def reordered(joints: Sequence[SharedVariant]) -> bool:
    """Return whether an instance has a new address; for designs with the same instances.

    A variant of more than `MAX_INSTANCES` instances whose choices or demands differ is taken to
    have new addresses.
    """
    return any(not _same_addresses(joint) for joint in joints if joint.kept)


def _same_addresses(joint: SharedVariant) -> bool:
    assert joint.choices is not None
    if joint.pair.old.start != joint.pair.new.start:
        return False
    old, new = joint.plan(old=True).space, joint.plan(old=False).space
    if all(map(_same_choice, joint.choices.both)) and built_alike(old, new):
        return True
    return old.count == new.count <= MAX_INSTANCES and _equal(old, new, joint.choices.both)


def _same_choice(choice: SharedChoice) -> bool:
    """Return whether a choice has the same place, and shared candidates the same numbers."""
    same_place = choice.old is not None and choice.old == choice.new
    return same_place and np.array_equal(choice.old_shared, choice.new_shared)


def built_alike(one: Space, other: Space) -> bool:
    """Return whether two spaces are built alike, so that their combinations have equal addresses.

    The order of demands, of the slots in them and of the numbers of groups and keys changes no
    address. The groups that demands tell apart do, even where they allow the same combinations.
    """
    return one.sizes == other.sizes and _demands(one) == _demands(other)


def _demands(space: Space) -> set[object]:
    return {*map(_allowed, space.constraints), *map(_differing, space.distinct)}


def _allowed(demand: Constraint) -> object:
    """Return a constraint's slots, the groups of their candidates, and which groups may meet."""
    order = sorted(range(len(demand.slots)), key=demand.slots.__getitem__)
    table: Bools = demand.table.transpose(order)
    groups: list[Ints] = []
    for axis, i in enumerate(order):
        column = demand.groups[i]
        groups.append(numbered(column))
        first = np.sort(np.unique(column, return_index=True)[1])
        table = table.take(column[first], axis=axis)
    slots = tuple(demand.slots[i] for i in order)
    return ("allow", slots, *(column.tobytes() for column in groups), table.tobytes())


def _differing(demand: Distinct) -> object:
    """Return the slots that have to differ, and which of their candidates have equal keys."""
    order = sorted(range(len(demand.slots)), key=demand.slots.__getitem__)
    keys = np.concatenate([demand.keys[i] for i in order])
    return ("differ", tuple(demand.slots[i] for i in order), numbered(keys).tobytes())


def _equal(old: Space, new: Space, choices: Sequence[SharedChoice]) -> bool:
    """Return whether two spaces of equal size have the same combination at every address."""
    addresses = np.arange(old.count, dtype=np.int64)
    chosen = old.unrank(addresses), new.unrank(addresses)
    for choice in choices:
        if choice.old is None or choice.new is None:
            continue  # a single word
        in_new = np.full(old.sizes[choice.old], -1, dtype=np.int64)
        in_new[choice.old_shared] = choice.new_shared
        if not np.array_equal(in_new[chosen[0][choice.old]], chosen[1][choice.new]):
            return False
    return True
