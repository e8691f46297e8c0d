"""Counting, ranking and unranking the combinations of candidates that satisfy all constraints.

Candidates of a slot that no constraint can tell apart form a class. Classes are counted by
bucket elimination, with class sizes as weights; the same tables turn a number in [0, count)
into a combination and back. A connected component of slots is a space of its own, so that
only a component's tables have to be small; the address is a mixed-radix number over components.

Counts are exact Python integers. Where the sizes of a component multiply to less than 2⁶² its
tables are int64 and unranking is a few numpy look-ups an address; above that they hold Python
integers, slower and just as exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.language.source import Span

LIMIT = 2**62
MAX_TABLE = 4_000_000  # entries of one elimination table
_NOWHERE = np.iinfo(np.int64).max

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a constraint comes from, for messages."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Constraint:
    """Allowed combinations of candidate groups.

    ``groups[i][c]`` is the group of candidate ``c`` of ``slots[i]``; ``table`` says for every
    combination of groups whether it is allowed.
    """

    slots: tuple[int, ...]
    groups: tuple[Ints, ...]
    table: Bools
    origin: Origin


@dataclass(frozen=True, eq=False)
class Distinct:
    """The slots' candidates have pairwise different keys; a key occurs once in a slot."""

    slots: tuple[int, ...]
    keys: tuple[Ints, ...]
    origin: Origin


class TooWide(Exception):
    """Constraints tie so many slots together that counting needs too large a table."""

    def __init__(self, slots: Sequence[int], origins: Sequence[Origin]) -> None:
        super().__init__(slots)
        self.slots, self.origins = tuple(slots), tuple(origins)


class Space:
    """All combinations of one candidate a slot that satisfy the constraints."""

    def __init__(
        self,
        sizes: Sequence[int],
        constraints: Sequence[Constraint] = (),
        distinct: Sequence[Distinct] = (),
    ) -> None:
        self.sizes = tuple(sizes)
        self.constraints = tuple(constraints)
        self.distinct = tuple(distinct)
        self.components = [
            _Component(self.sizes, slots, constraints, distinct)
            for slots in _components(len(sizes), [*constraints, *distinct])
        ]
        self.count: int = prod(component.count for component in self.components)

    def unrank(self, addresses: NDArray[Any]) -> list[Ints]:
        """The candidates at each address: an array a slot.

        ``addresses`` is an int64 array, or one of Python integers where ``count`` is above 2⁶².
        """
        found: list[Ints] = [np.empty(0, np.int64)] * len(self.sizes)
        rest = addresses
        for component in self.components:
            if component is self.components[-1]:
                own = rest
            else:
                own = rest % component.count
                rest = rest // component.count
            for slot, chosen in component.unrank(own).items():
                found[slot] = chosen
        return found

    def unrank_one(self, address: int) -> tuple[int, ...]:
        """The candidates at one address."""
        kind = np.int64 if self.count < LIMIT else object
        return tuple(int(x[0]) for x in self.unrank(np.array([address], dtype=kind)))

    def rank(self, candidates: Sequence[int]) -> int:
        """The address of a combination that satisfies the constraints."""
        address = 0
        for component in reversed(self.components):
            address = address * component.count + component.rank(candidates)
        return address

    def contains(self, candidates: Sequence[int]) -> bool:
        """Whether a combination satisfies all constraints."""
        for c in self.constraints:
            place = tuple(groups[candidates[s]] for s, groups in zip(c.slots, c.groups, strict=True))
            if not c.table[place]:
                return False
        for d in self.distinct:
            keys = {int(keys[candidates[s]]) for s, keys in zip(d.slots, d.keys, strict=True)}
            if len(keys) < len(d.slots):
                return False
        return True

    def clash(self) -> list[Constraint | Distinct]:
        """For an empty space: an irreducible set of constraints that no combination satisfies."""
        needed: list[Constraint | Distinct] = [*self.constraints, *self.distinct]
        for item in list(needed):
            fewer = [other for other in needed if other is not item]
            constraints = [x for x in fewer if isinstance(x, Constraint)]
            distinct = [x for x in fewer if isinstance(x, Distinct)]
            if Space(self.sizes, constraints, distinct).count == 0:
                needed = fewer
        return needed


def _components(
    number: int, links: Iterable[Constraint | Distinct]
) -> list[tuple[int, ...]]:
    parent = list(range(number))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for link in links:
        for slot in link.slots[1:]:
            one, other = sorted((root(link.slots[0]), root(slot)))
            parent[other] = one
    members: dict[int, list[int]] = {}
    for slot in range(number):
        members.setdefault(root(slot), []).append(slot)
    return [tuple(slots) for slots in members.values()]


@dataclass
class _Bucket:
    """One eliminated slot: the table over (parents, slot) and what its residue is made of."""

    slot: int
    parents: tuple[int, ...]
    table: NDArray[Any]  # completions, over the classes of (*parents, slot)
    lexemes: list[int] = field(default_factory=list)  # slots whose candidate is decoded here
    groups: list[int] = field(default_factory=list)  # distinct groups decoded here
    children: list[int] = field(default_factory=list)  # buckets whose message was used here
    message: NDArray[Any] | None = None  # over parents

    @cached_property
    def cumulative(self) -> NDArray[Any]:
        """Running sums over the flat table, from zero."""
        flat = self.table.reshape(-1)
        return np.concatenate([np.zeros(1, flat.dtype), np.cumsum(flat)])


class _Component:
    def __init__(
        self,
        sizes: Sequence[int],
        slots: tuple[int, ...],
        constraints: Sequence[Constraint],
        distinct: Sequence[Distinct],
    ) -> None:
        self.slots = slots
        self.constraints = [c for c in constraints if c.slots[0] in slots]
        self.distinct = [d for d in distinct if d.slots[0] in slots]
        self.wide = prod(max(sizes[s], 1) for s in slots) >= LIMIT
        self.dtype: Any = object if self.wide else np.int64
        self._classes(sizes)
        self._eliminate()

    # --- classes

    def _classes(self, sizes: Sequence[int]) -> None:
        signatures: dict[int, list[Ints]] = {slot: [] for slot in self.slots}
        for c in self.constraints:
            for slot, groups in zip(c.slots, c.groups, strict=True):
                signatures[slot].append(groups)
        self.class_of: dict[int, Ints] = {
            slot: _partition(sizes[slot], columns) for slot, columns in signatures.items()
        }
        self.joint: list[list[Ints]] = [self._join(d) for d in self.distinct]
        self.members: dict[int, list[Ints]] = {}
        self.first: dict[int, Ints] = {}
        for slot in self.slots:
            classes = self.class_of[slot]
            number = int(classes.max()) + 1 if len(classes) else 0
            order = np.argsort(classes, kind="stable")
            bounds = np.searchsorted(classes[order], np.arange(number + 1))
            self.members[slot] = [order[bounds[i] : bounds[i + 1]] for i in range(number)]
            self.first[slot] = np.array([m[0] for m in self.members[slot]], dtype=np.int64)
        self._flat_members()
        self._group_tables()

    def _join(self, d: Distinct) -> list[Ints]:
        """Refine the classes of the group's slots to one partition of their keys."""
        universe = int(max((keys.max() for keys in d.keys if len(keys)), default=-1)) + 1
        columns = []
        for slot, keys in zip(d.slots, d.keys, strict=True):
            column = np.full(universe, -1, dtype=np.int64)
            column[keys] = self.class_of[slot]
            columns.append(column)
        joint = _partition(universe, columns)
        for slot, keys in zip(d.slots, d.keys, strict=True):
            self.class_of[slot] = _partition(len(keys), [joint[keys]])
        return [joint[keys] for keys in d.keys]

    def _flat_members(self) -> None:
        self.flat: dict[int, Ints] = {}
        self.offset: dict[int, Ints] = {}
        self.size: dict[int, Ints] = {}
        for slot in self.slots:
            sizes = np.array([len(m) for m in self.members[slot]], dtype=np.int64)
            self.size[slot] = sizes
            self.offset[slot] = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[:-1]
            self.flat[slot] = (
                np.concatenate(self.members[slot]) if len(sizes) else np.empty(0, np.int64)
            )

    def _group_tables(self) -> None:
        """For each distinct group: the joint class of every slot class, keys by joint class."""
        self.joint_of: list[list[Ints]] = []
        self.keys_at: list[list[Ints]] = []  # joint class → its keys in order
        self.candidate_of: list[list[Ints]] = []  # slot → key → candidate
        for d, joint in zip(self.distinct, self.joint, strict=True):
            self.joint_of.append(
                [column[self.first[slot]] for slot, column in zip(d.slots, joint, strict=True)]
            )
            number = max((int(column.max()) + 1 for column in joint if len(column)), default=0)
            universe = int(max((k.max() for k in d.keys if len(k)), default=-1)) + 1
            order: list[dict[int, None]] = [{} for _ in range(number)]
            for keys, column in zip(d.keys, joint, strict=True):
                for key, cls in zip(keys.tolist(), column.tolist(), strict=True):
                    order[cls][key] = None
            self.keys_at.append([np.array(list(x), dtype=np.int64) for x in order])
            inverse = []
            for keys in d.keys:
                table = np.full(universe, -1, dtype=np.int64)
                table[keys] = np.arange(len(keys))
                inverse.append(table)
            self.candidate_of.append(inverse)

    # --- elimination

    def _eliminate(self) -> None:
        grouped = {slot for d in self.distinct for slot in d.slots}
        factors: list[tuple[tuple[int, ...], NDArray[Any], str, int]] = []
        for c in self.constraints:
            places = [
                groups[self.first[slot]] for slot, groups in zip(c.slots, c.groups, strict=True)
            ]
            factors.append((c.slots, _numbers(c.table[np.ix_(*places)], self.dtype), "", 0))
        for slot in self.slots:
            if slot not in grouped:
                factors.append(((slot,), _numbers(self.size[slot], self.dtype), "lexeme", slot))
        for number, d in enumerate(self.distinct):
            factors.append((d.slots, self._falling(number), "group", number))
        self.buckets: list[_Bucket] = []
        left = list(self.slots)
        while left:
            slot = min(left, key=lambda s: (self._cost(s, factors), s))
            left.remove(slot)
            used = [f for f in factors if slot in f[0]]
            factors = [f for f in factors if slot not in f[0]]
            bucket = self._bucket(slot, used)
            bucket.message = bucket.table.sum(axis=-1)
            if not isinstance(bucket.message, np.ndarray):
                bucket.message = np.array(bucket.message, dtype=self.dtype)
            self.buckets.append(bucket)
            factors.append((bucket.parents, bucket.message, "bucket", len(self.buckets) - 1))
        # one component: all but the last message were used on the way
        self.roots = [f for f in factors if f[2] == "bucket"]
        self.count = prod(int(f[1]) for f in self.roots)

    def _cost(self, slot: int, factors: Sequence[tuple[tuple[int, ...], Any, str, int]]) -> int:
        scope = {s for f in factors if slot in f[0] for s in f[0]}
        return prod(max(len(self.first[s]), 1) for s in scope)

    def _bucket(
        self, slot: int, used: Sequence[tuple[tuple[int, ...], NDArray[Any], str, int]]
    ) -> _Bucket:
        parents = tuple(sorted({s for f in used for s in f[0]} - {slot}))
        scope = (*parents, slot)
        shape = tuple(len(self.first[s]) for s in scope)
        if prod(shape) > MAX_TABLE:
            origins = [c.origin for c in self.constraints if set(c.slots) & set(scope)]
            origins += [d.origin for d in self.distinct if set(d.slots) & set(scope)]
            raise TooWide(scope, origins)
        table: NDArray[Any] = np.ones(shape, dtype=self.dtype)
        bucket = _Bucket(slot, parents, table)
        for slots, values, kind, number in used:
            order = sorted(range(len(slots)), key=lambda i: scope.index(slots[i]))
            view = values.transpose(order).reshape(
                [len(self.first[s]) if s in slots else 1 for s in scope]
            )
            bucket.table = bucket.table * view
            if kind == "lexeme":
                bucket.lexemes.append(number)
            elif kind == "group":
                bucket.groups.append(number)
            elif kind == "bucket":
                bucket.children.append(number)
        return bucket

    def _falling(self, number: int) -> NDArray[Any]:
        """How many ways a group's slots have, given their classes, to take different keys."""
        joint = self.joint_of[number]
        sizes = np.array([len(k) for k in self.keys_at[number]], dtype=np.int64)
        k = len(joint)
        if prod(len(j) for j in joint) > MAX_TABLE:
            raise TooWide(self.distinct[number].slots, [self.distinct[number].origin])
        axes = [j.reshape([-1 if i == a else 1 for i in range(k)]) for a, j in enumerate(joint)]
        total: NDArray[Any] = np.ones([len(j) for j in joint], dtype=self.dtype)
        for i, axis in enumerate(axes):
            taken = sum((axes[h] == axis).astype(np.int64) for h in range(i))
            total = total * _numbers(np.maximum(sizes[axis] - taken, 0), self.dtype)
        return total

    # --- addresses

    def unrank(self, addresses: NDArray[Any]) -> dict[int, Ints]:
        """Candidates of the component's slots at its addresses."""
        if not self.wide:
            addresses = addresses.astype(np.int64)
        classes: dict[int, Ints] = {}
        chosen: dict[int, Ints] = {}
        residues: dict[int, NDArray[Any]] = {}
        rest = addresses
        for _, message, _, number in self.roots:
            residues[number], rest = rest % int(message), rest // int(message)
        for number in range(len(self.buckets) - 1, -1, -1):
            bucket = self.buckets[number]
            row = self._row(bucket, classes, len(addresses))
            width = bucket.table.shape[-1]
            start = bucket.cumulative[row * width]
            wanted = residues.pop(number) + start
            at = np.searchsorted(bucket.cumulative, wanted, side="right") - 1
            classes[bucket.slot] = at - row * width
            rest = wanted - bucket.cumulative[at]
            for slot in bucket.lexemes:
                size = self.size[slot][classes[slot]]
                place = (rest % size).astype(np.int64)
                chosen[slot] = self.flat[slot][self.offset[slot][classes[slot]] + place]
                rest = rest // size
            for group in bucket.groups:
                rest = self._unrank_group(group, classes, rest, chosen)
            for child in bucket.children:
                message = self.buckets[child].message
                assert message is not None
                place_ = tuple(classes[s] for s in self.buckets[child].parents)
                size = message[place_]
                residues[child], rest = rest % size, rest // size
        return chosen

    def _row(self, bucket: _Bucket, classes: dict[int, Ints], length: int) -> Ints:
        row = np.zeros(length, dtype=np.int64)
        for slot in bucket.parents:
            row = row * len(self.first[slot]) + classes[slot]
        return row

    def _unrank_group(
        self,
        group: int,
        classes: dict[int, Ints],
        rest: NDArray[Any],
        chosen: dict[int, Ints],
    ) -> NDArray[Any]:
        d = self.distinct[group]
        sizes = np.array([len(k) for k in self.keys_at[group]], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[:-1]
        keys = np.concatenate(self.keys_at[group])
        taken: list[tuple[Ints, Ints]] = []  # joint class, place in it
        for i, slot in enumerate(d.slots):
            joint = self.joint_of[group][i][classes[slot]]
            before = [np.where(j == joint, p, _NOWHERE) for j, p in taken]
            radix = sizes[joint] - sum((p != _NOWHERE).astype(np.int64) for p in before)
            place = (rest % radix).astype(np.int64)
            rest = rest // radix
            if before:
                for used in np.sort(np.stack(before), axis=0):
                    place = place + (place >= used)
            taken.append((joint, place))
            chosen[slot] = self.candidate_of[group][i][keys[starts[joint] + place]]
        return rest

    def rank(self, candidates: Sequence[int]) -> int:
        """The component's address of a combination of candidates (of all slots)."""
        classes = {s: int(self.class_of[s][candidates[s]]) for s in self.slots}
        ranks: list[int] = []
        for bucket in self.buckets:
            rest = 0
            for child in reversed(bucket.children):
                message = self.buckets[child].message
                assert message is not None
                size = int(message[tuple(classes[s] for s in self.buckets[child].parents)])
                rest = rest * size + ranks[child]
            for group in reversed(bucket.groups):
                rest = self._rank_group(group, candidates, rest)
            for slot in reversed(bucket.lexemes):
                cls = classes[slot]
                place = int(np.flatnonzero(self.members[slot][cls] == candidates[slot])[0])
                rest = rest * int(self.size[slot][cls]) + place
            row = 0
            for slot in bucket.parents:
                row = row * len(self.first[slot]) + classes[slot]
            width = bucket.table.shape[-1]
            at = row * width + classes[bucket.slot]
            ranks.append(rest + int(bucket.cumulative[at]) - int(bucket.cumulative[row * width]))
        address = 0
        for _, message, _, number in reversed(self.roots):
            address = address * int(message) + ranks[number]
        return address

    def _rank_group(self, group: int, candidates: Sequence[int], rest: int) -> int:
        d = self.distinct[group]
        digits: list[tuple[int, int]] = []
        taken: list[tuple[int, int]] = []
        for i, slot in enumerate(d.slots):
            joint = int(self.joint[group][i][candidates[slot]])
            key = int(d.keys[i][candidates[slot]])
            place = int(np.flatnonzero(self.keys_at[group][joint] == key)[0])
            before = [p for j, p in taken if j == joint]
            digit = place - sum(p < place for p in before)
            digits.append((digit, len(self.keys_at[group][joint]) - len(before)))
            taken.append((joint, place))
        for digit, radix in reversed(digits):
            rest = rest * radix + digit
        return rest


def _partition(number: int, columns: Sequence[Ints]) -> Ints:
    """Class numbers of equal rows of the columns, in order of first occurrence."""
    if not columns or number == 0:
        return np.zeros(number, dtype=np.int64)
    _, first, inverse = np.unique(
        np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[inverse.reshape(-1)], dtype=np.int64)


def _numbers(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The values as exact integers of the wanted kind (Python's own for ``object``)."""
    whole = np.asarray(values).astype(np.int64)
    return whole.astype(object) if dtype is object else whole
