"""The exact count of instances that two plans share, and the instances of one plan alone.

In go two plans and their `SharedChoices`, out come counts and spaces from which instances are
drawn; ``joint`` makes an `Overlap`, ``losses`` and ``cells`` read it. The shared instances are the
combinations of shared candidates that satisfy the demands of both plans: one space with both sets
of constraints. Those of one plan alone fall into disjoint parts: a part for each choice with a
candidate that the other plan lacks (the choices before it have shared ones), and one for each
demand of the other plan that fails (those before it hold). So they are counted part by part, and
any of them can be drawn, however rare.

An example: the old plan chooses one of the nouns *a, b, c* and one of the verbs *x, y*, the new one
of *a, b* and of *x, y*, but not *b* with *y*. Of the six old instances three are shared. The part
of the nouns that are lacking is *c x, c y*; the part of the demand that fails is *b y*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import combinations

import numpy as np

from merula.changes.choices import SharedChoices
from merula.core.arrays import Ints
from merula.core.frozen import frozen
from merula.plan.planner import Plan
from merula.plan.relations import Constraint, ConstraintOrigin, Distinct, TooWide
from merula.plan.space import Space

Demand = Constraint | Distinct
_EVERYTHING = np.ones(1, dtype=np.bool_).tobytes()


@frozen(eq=False)
class LostPart:
    """Instances of one plan that the other lacks, all for the same reason.

    ``choice`` is the number of the choice whose candidates the other plan lacks, or else ``demand``
    is the demand of the other plan that fails. ``keep`` has for each choice the candidate of the
    plan for each candidate of ``space``.
    """

    space: Space
    keep: tuple[Ints, ...]
    choice: int | None = None
    demand: ConstraintOrigin | None = None

    @property
    def count(self) -> int:
        """Return the count of instances."""
        return self.space.count

    def member(self, number: int) -> tuple[int, ...]:
        """Return the candidates of an instance, choice by choice; instances count from 0."""
        chosen = self.space.unrank_one(number)
        return tuple(int(keep[c]) for keep, c in zip(self.keep, chosen, strict=True))


class Half:
    """The demands of one plan, with its slots numbered as the shared choices.

    A further choice with a single candidate is last: demands on no choice at all refer to it.
    """

    def __init__(self, plan: Plan, slots: Sequence[int | None], shared: Sequence[Ints]) -> None:
        self.plan, self.slots = plan, tuple(slots)
        self.sizes = [1 if s is None else len(plan.slots[s]) for s in slots] + [1]
        self.shared = [*shared, np.zeros(1, dtype=np.int64)]
        place = {slot: i for i, slot in enumerate(slots) if slot is not None}
        space = plan.space
        self.demands: list[Demand] = [
            Constraint(tuple(place[s] for s in c.slots), c.groups, c.table, c.origin)
            for c in space.constraints
        ]
        self.demands += [
            Distinct(tuple(place[s] for s in d.slots), d.keys, d.origin) for d in space.distinct
        ]

    def all(self) -> list[Ints]:
        """Return all candidates of each choice."""
        return [np.arange(size, dtype=np.int64) for size in self.sizes]

    def among(self, keep: Sequence[Ints]) -> list[Demand]:
        """Return the demands on some candidates of each choice."""
        return [_taken(demand, keep) for demand in self.demands]

    def lacking(self, i: int) -> Ints:
        """Return the candidates of a choice that the other plan does not have."""
        return np.setdiff1d(np.arange(self.sizes[i], dtype=np.int64), self.shared[i])

    def candidates(self, chosen: Sequence[int]) -> tuple[int, ...]:
        """Return a combination in the order of choices as one in the order of the plan's slots."""
        by_slot = {s: c for s, c in zip(self.slots, chosen, strict=False) if s is not None}
        return tuple(by_slot[s] for s in range(len(self.plan.slots)))


class Overlap:
    """The instances that two plans share, lose and gain.

    ``kept`` is None where both sets of demands tie too many choices together to be counted.
    """

    def __init__(self, old: Plan, new: Plan, choices: SharedChoices) -> None:
        self.choices = choices
        self.matched = not choices.gone and not choices.added
        if not self.matched:
            self.kept: int | None = 0
            return
        both = choices.both
        self.old = Half(old, [c.old for c in both], [c.old_shared for c in both])
        self.new = Half(new, [c.new for c in both], [c.new_shared for c in both])
        self.sizes = [len(shared) for shared in self.old.shared]
        of_old, of_new = (half.among(half.shared) for half in (self.old, self.new))
        self.common = [*of_old, *further(of_new, set(map(form, of_old)))]
        self._parts: dict[bool, list[LostPart]] = {}
        self.space = _countable(self.sizes, self.common)
        self.kept = None if self.space is None else self.space.count

    @cached_property
    def forms(self) -> frozenset[object]:
        """Return the demands on shared instances, as `form` gives them."""
        return frozenset(map(form, self.common))

    def parts(self, *, lost: bool) -> list[LostPart]:
        """Return the instances of the old plan if ``lost``, else of the new, that the other lacks.

        A part that cannot be counted is left out.
        """
        if lost not in self._parts:
            self._parts[lost] = list(self._make_parts(lost=lost))
        return self._parts[lost]

    def _make_parts(self, *, lost: bool) -> Iterator[LostPart]:
        half, other_half = (self.old, self.new) if lost else (self.new, self.old)
        rest = half.plan.count - (self.kept or 0)
        if not rest:
            return
        for i in range(len(self.choices.both)):
            lacking = half.lacking(i)
            if len(lacking):
                keep = [*half.shared[:i], lacking, *half.all()[i + 1 :]]
                part = _countable(map(len, keep), half.among(keep))
                if part is not None:
                    rest -= part.count
                    yield LostPart(part, tuple(keep), choice=i)
        base = half.among(half.shared)
        demands = further(other_half.among(other_half.shared), set(map(form, base)))
        for failed, origin in failing(self.sizes, base, demands, rest):
            yield LostPart(failed, tuple(half.shared), demand=origin)


def failing(
    sizes: Sequence[int], base: Sequence[Demand], demands: Sequence[Demand], missing: int
) -> Iterator[tuple[Space, ConstraintOrigin]]:
    """Yield the combinations that satisfy ``base`` but not all ``demands``, as disjoint spaces.

    ``missing`` is the count of these combinations: the search ends when so many are found. Each
    space comes with the origin of the first demand that fails in it. Demands whose text is not in
    the base come first, since an author looks for what is new. A part that cannot be counted is
    left out.
    """
    if not missing:
        return
    texts = {demand.origin.text for demand in base}
    so_far = list(base)
    for demand in sorted(demands, key=lambda d: (d.origin.text in texts, d.origin.text)):
        for denied in _denied(demand):
            if not missing:
                return
            failed = _countable(sizes, [*so_far, *denied])
            if failed is not None and failed.count:
                missing -= failed.count
                yield failed, demand.origin
        so_far.append(demand)


def space(sizes: Iterable[int], demands: Iterable[Demand]) -> Space:
    """Return a space under demands, of which several may demand that the same slots differ.

    `Space` takes them on different slots only; the rest become constraints on pairs.
    """
    constraints: list[Constraint] = []
    distinct: list[Distinct] = []
    for demand in sorted(demands, key=lambda d: -len(d.slots)):
        if isinstance(demand, Constraint):
            constraints.append(demand)
            continue
        near = [wider for wider in distinct if set(wider.slots) & set(demand.slots)]
        if not near:
            distinct.append(demand)
            continue
        for i, j in combinations(range(len(demand.slots)), 2):
            if not any(_implies(wider, demand, (i, j)) for wider in near):
                constraints.append(_pair(demand, i, j, equal=False))
    return Space(list(sizes), constraints, distinct)


def _countable(sizes: Iterable[int], demands: Iterable[Demand]) -> Space | None:
    try:
        return space(sizes, demands)
    except TooWide:
        return None


# --- demands -----------------------------------------------------------------------------------


def _taken(demand: Demand, keep: Sequence[Ints]) -> Demand:
    """Return a demand on some candidates only."""
    if isinstance(demand, Constraint):
        groups = tuple(x[keep[s]] for s, x in zip(demand.slots, demand.groups, strict=True))
        return Constraint(demand.slots, groups, demand.table, demand.origin)
    keys = tuple(x[keep[s]] for s, x in zip(demand.slots, demand.keys, strict=True))
    return Distinct(demand.slots, keys, demand.origin)


def _denied(demand: Demand) -> Iterator[list[Demand]]:
    """Yield the ways in which a demand can fail, which are disjoint.

    That slots *a, b, c* differ fails if *a = b*, or *a ≠ b* and *a = c*, or *a ≠ b* and *b = c*.
    """
    if isinstance(demand, Constraint):
        yield [Constraint(demand.slots, demand.groups, ~demand.table, demand.origin)]
        return
    for j in range(1, len(demand.slots)):
        before = Distinct(demand.slots[:j], demand.keys[:j], demand.origin)
        for i in range(j):
            yield [*([before] if j > 1 else []), _pair(demand, i, j, equal=True)]


def _pair(demand: Distinct, i: int, j: int, *, equal: bool) -> Constraint:
    """Return the demand that two of the slots have equal keys, or unequal ones."""
    one, other = demand.keys[i], demand.keys[j]
    shared = np.intersect1d(one, other)
    rest = len(shared)  # the group of all keys that only one of the slots has
    groups = tuple(
        np.where(np.isin(keys, shared), np.searchsorted(shared, keys), rest).astype(np.int64)
        for keys in (one, other)
    )
    table = np.eye(rest + 1, dtype=np.bool_)
    table[rest, rest] = False
    slots = (demand.slots[i], demand.slots[j])
    return Constraint(slots, groups, table if equal else ~table, demand.origin)


def _implies(stronger: Distinct, demand: Distinct, pair: tuple[int, int]) -> bool:
    """Return whether two slots of a demand have to differ already by a stronger demand."""
    slots = [demand.slots[i] for i in pair]
    if not set(slots) <= set(stronger.slots):
        return False
    places = [stronger.slots.index(slot) for slot in slots]
    stronger_keys = np.concatenate([stronger.keys[at] for at in places])
    keys = np.concatenate([demand.keys[i] for i in pair])
    both = len(np.unique(np.stack([keys, stronger_keys], axis=1), axis=0)) if len(keys) else 0
    # candidates that are equal for the demand have to be equal for the stronger one
    return both == len(np.unique(keys))


def further(demands: Sequence[Demand], known: Set[object]) -> list[Demand]:
    """Return the demands that rule something out and whose forms are not known, each once."""
    by_form: dict[object, Demand] = {}
    for demand in demands:
        what = form(demand)
        if what not in known and what[-1] != _EVERYTHING:
            by_form.setdefault(what, demand)
    return list(by_form.values())


def form(demand: Demand) -> tuple[object, ...]:
    """Return a key that two demands on the same candidates share iff they allow the same.

    A constraint is reduced to the groups that its table tells apart, numbered as they occur: with
    the groups *0 1 2* of a slot, of which 0 and 1 may meet the same groups of the other slot, the
    key has *0 0 1*.
    """
    order = sorted(range(len(demand.slots)), key=demand.slots.__getitem__)
    slots = tuple(demand.slots[i] for i in order)
    if isinstance(demand, Distinct):
        keys = np.concatenate([demand.keys[i] for i in order])
        return ("differ", slots, numbered(keys).tobytes())
    groups = [demand.groups[i] for i in order]
    table = demand.table.transpose(order)
    for axis, column in enumerate(groups):
        present, groups[axis] = np.unique(column, return_inverse=True)
        table = table.take(present, axis=axis)
    for axis, column in enumerate(groups):
        if not len(column):
            return ("nothing", slots)
        slices = np.moveaxis(table, axis, 0).reshape(table.shape[axis], -1)
        _, first, same = np.unique(slices, axis=0, return_index=True, return_inverse=True)
        merged = same.reshape(-1)[column]
        groups[axis] = numbered(merged)
        seen = np.unique(merged, return_index=True)[1]
        table = table.take(first[merged[np.sort(seen)]], axis=axis)
    return ("allow", slots, *(column.tobytes() for column in groups), table.tobytes())


def numbered(column: Ints) -> Ints:
    """Return numbers equal where those of the column are, from 0 in the order of occurrence."""
    _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    places = np.empty(len(first), dtype=np.int64)
    places[np.argsort(first)] = np.arange(len(first))
    return np.asarray(places[inverse.reshape(-1)], dtype=np.int64)
