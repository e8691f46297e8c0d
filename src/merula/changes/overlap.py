"""How many instances of two plans are the same ones, exactly, and instances of one plan alone.

The instances in both are those combinations of shared candidates that satisfy what both plans
demand: one space with both sets of constraints. Those of one plan alone fall into parts that have
nothing in common: a part for each choice with a candidate that the other plan lacks (the choices
before it have shared ones), and one for each demand of the other plan that fails (those before it
hold). So they are counted part by part, and any of them can be drawn, however rare.
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
    """Instances of one plan that the other lacks, all for one reason.

    ``choice`` is the number of the choice whose candidates the other plan lacks; ``demand`` what
    else the other plan demands. ``keep`` sends the candidates of ``space`` to those of the plan.
    """

    space: Space
    keep: tuple[Ints, ...]
    choice: int | None = None
    demand: ConstraintOrigin | None = None

    @property
    def count(self) -> int:
        """How many instances there are."""
        return self.space.count

    def member(self, number: int) -> tuple[int, ...]:
        """The candidates of one of them, choice by choice."""
        chosen = self.space.unrank_one(number)
        return tuple(int(keep[c]) for keep, c in zip(self.keep, chosen, strict=True))


class Half:
    """The demands of one plan, its slots numbered as the choices of both plans are.

    One choice more, with a single candidate, stands last: it is there for demands on nothing.
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
        """Every candidate of every choice."""
        return [np.arange(size, dtype=np.int64) for size in self.sizes]

    def among(self, keep: Sequence[Ints]) -> list[Demand]:
        """What is demanded of some candidates."""
        return [_taken(demand, keep) for demand in self.demands]

    def lacking(self, i: int) -> Ints:
        """The candidates of a choice that the other plan has not."""
        return np.setdiff1d(np.arange(self.sizes[i], dtype=np.int64), self.shared[i])

    def candidates(self, chosen: Sequence[int]) -> tuple[int, ...]:
        """A combination by choices as one by slots of the plan."""
        found = {s: c for s, c in zip(self.slots, chosen, strict=False) if s is not None}
        return tuple(found[s] for s in range(len(self.plan.slots)))


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
        mine, theirs = (half.among(half.shared) for half in (self.old, self.new))
        self.common = [*mine, *further(theirs, set(map(form, mine)))]
        self._parts: dict[bool, list[LostPart]] = {}
        self.space = _countable(self.sizes, self.common)
        self.kept = None if self.space is None else self.space.count

    @cached_property
    def forms(self) -> frozenset[object]:
        """What is demanded of them, as `form` gives it."""
        return frozenset(map(form, self.common))

    def parts(self, *, lost: bool) -> list[LostPart]:
        """The instances of the old plan (or of the new one) that the other lacks.

        A part that cannot be counted is left out.
        """
        if lost not in self._parts:
            self._parts[lost] = list(self._make_parts(lost=lost))
        return self._parts[lost]

    def _make_parts(self, *, lost: bool) -> Iterator[LostPart]:
        mine, theirs = (self.old, self.new) if lost else (self.new, self.old)
        rest = mine.plan.count - (self.kept or 0)
        if not rest:
            return
        for i in range(len(self.choices.both)):
            lacking = mine.lacking(i)
            if len(lacking):
                keep = [*mine.shared[:i], lacking, *mine.all()[i + 1 :]]
                found = _countable(map(len, keep), mine.among(keep))
                if found is not None:
                    rest -= found.count
                    yield LostPart(found, tuple(keep), choice=i)
        base = mine.among(mine.shared)
        demands = further(theirs.among(theirs.shared), set(map(form, base)))
        for failed, origin in failing(self.sizes, base, demands, rest):
            yield LostPart(failed, tuple(mine.shared), demand=origin)


def failing(
    sizes: Sequence[int], base: Sequence[Demand], demands: Sequence[Demand], wanted: int
) -> Iterator[tuple[Space, ConstraintOrigin]]:
    """The combinations that satisfy ``base`` but not all ``demands``: ``wanted`` of them.

    Spaces that have nothing in common, each with the origin of the first demand that fails in it.
    Demands that the base does not make in the same words come first. (A part that cannot be
    counted is left out.)
    """
    if not wanted:
        return
    known = {demand.origin.text for demand in base}
    so_far = list(base)
    for demand in sorted(demands, key=lambda d: (d.origin.text in known, d.origin.text)):
        for denied in _denied(demand):
            if not wanted:
                return
            found = _countable(sizes, [*so_far, *denied])
            if found is not None and found.count:
                wanted -= found.count
                yield found, demand.origin
        so_far.append(demand)


def space(sizes: Iterable[int], demands: Iterable[Demand]) -> Space:
    """A space under demands of which several may ask that the same slots differ."""
    constraints: list[Constraint] = []
    distinct: list[Distinct] = []
    for demand in sorted(demands, key=lambda d: -len(d.slots)):
        if isinstance(demand, Constraint):
            constraints.append(demand)
            continue
        near = [other for other in distinct if set(other.slots) & set(demand.slots)]
        if not near:
            distinct.append(demand)
            continue
        for i, j in combinations(range(len(demand.slots)), 2):
            if not any(_implies(other, demand, (i, j)) for other in near):
                constraints.append(_pair(demand, i, j, equal=False))
    return Space(list(sizes), constraints, distinct)


def _countable(sizes: Iterable[int], demands: Iterable[Demand]) -> Space | None:
    try:
        return space(sizes, demands)
    except TooWide:
        return None


# --- demands -----------------------------------------------------------------------------------


def _taken(demand: Demand, keep: Sequence[Ints]) -> Demand:
    """A demand on some candidates only."""
    if isinstance(demand, Constraint):
        groups = tuple(x[keep[s]] for s, x in zip(demand.slots, demand.groups, strict=True))
        return Constraint(demand.slots, groups, demand.table, demand.origin)
    keys = tuple(x[keep[s]] for s, x in zip(demand.slots, demand.keys, strict=True))
    return Distinct(demand.slots, keys, demand.origin)


def _denied(demand: Demand) -> Iterator[list[Demand]]:
    """How a demand can fail, in ways that have nothing in common."""
    if isinstance(demand, Constraint):
        yield [Constraint(demand.slots, demand.groups, ~demand.table, demand.origin)]
        return
    for j in range(1, len(demand.slots)):
        before = Distinct(demand.slots[:j], demand.keys[:j], demand.origin)
        for i in range(j):
            yield [*([before] if j > 1 else []), _pair(demand, i, j, equal=True)]


def _pair(demand: Distinct, i: int, j: int, *, equal: bool) -> Constraint:
    """That two of the slots have equal keys, or unequal ones."""
    one, other = demand.keys[i], demand.keys[j]
    shared = np.intersect1d(one, other)
    number = len(shared)
    groups = tuple(
        np.where(np.isin(keys, shared), np.searchsorted(shared, keys), number).astype(np.int64)
        for keys in (one, other)
    )
    table = np.eye(number + 1, dtype=np.bool_)
    table[number, number] = False  # keys of one slot only are equal to none
    slots = (demand.slots[i], demand.slots[j])
    return Constraint(slots, groups, table if equal else ~table, demand.origin)


def _implies(stronger: Distinct, demand: Distinct, pair: tuple[int, int]) -> bool:
    """Whether two slots of a demand differ already, since another demand says so."""
    slots = [demand.slots[i] for i in pair]
    if not set(slots) <= set(stronger.slots):
        return False
    places = [stronger.slots.index(slot) for slot in slots]
    theirs = np.concatenate([stronger.keys[at] for at in places])
    mine = np.concatenate([demand.keys[i] for i in pair])
    both = len(np.unique(np.stack([mine, theirs], axis=1), axis=0)) if len(mine) else 0
    # what is equal for the demand has to be equal for the stronger one
    return both == len(np.unique(mine))


def further(demands: Sequence[Demand], known: Set[object]) -> list[Demand]:
    """The demands that ask more than nothing and whose forms are not known, each once."""
    found: dict[object, Demand] = {}
    for demand in demands:
        what = form(demand)
        if what not in known and what[-1] != _EVERYTHING:
            found.setdefault(what, demand)
    return list(found.values())


def form(demand: Demand) -> tuple[object, ...]:
    """Equal for two demands on the same candidates iff they allow the same."""
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
    """Equal numbers where there were equal ones, counted off as they occur."""
    _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    places = np.empty(len(first), dtype=np.int64)
    places[np.argsort(first)] = np.arange(len(first))
    return np.asarray(places[inverse.reshape(-1)], dtype=np.int64)
