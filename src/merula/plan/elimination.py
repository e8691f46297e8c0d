"""Count the combinations of a component by eliminating its slots one after the other.

A component is a set of slots that constraints tie together. In go the sizes of its slots and the
constraints between them; out come the number of combinations, the combination at an address
(`Component.unrank`) and the address of a combination (`Component.rank`). `merula.plan.space`
multiplies components, `merula.plan.wishes` reads their tables. `rank` and `unrank` are inverse over
[0, count), and every count is exact.

Combinations are far too many to be listed (10¹¹ are usual), but lexemes that no constraint can tell
apart form a class, and there are few classes. So a table over classes is kept instead, with the
sizes of classes as weights. This is bucket elimination (Dechter 1999, "Bucket elimination: a
unifying framework for reasoning"): a slot is summed out of all tables that mention it, which leaves
a table over its neighbours, its message. The slot whose table is smallest goes first.

An example: three nouns, the last one an animal, and four verbs, the first of which wants no animal.
The nouns fall into two classes of 2 and 1, the verbs into two of 1 and 3.

>>> from merula.plan.relations import ConstraintOrigin
>>> groups = np.array([0, 0, 1]), np.array([0, 1, 1, 1])
>>> allowed = np.array([[True, True], [False, True]])
>>> tied = Constraint((0, 1), groups, allowed, ConstraintOrigin("verb is not with_animal"))
>>> component = Component([3, 4], [tied], [])
>>> noun, verb = component.buckets

The nouns are eliminated first. For each class of verbs (a row) the table says how many nouns of
each class go with it; the message holds the sums: 2 nouns for the first verb, 3 for any other.

>>> noun.table.tolist(), noun.message.tolist()
([[2, 0], [2, 1]], [2, 3])

Then the verbs are: 1 · 2 combinations with the first verb, 3 · 3 with the other three, 11 in all.

>>> verb.table.tolist(), component.count
([2, 9], 11)

The running sums 0, 2, 11 turn an address into a class of verbs: 10 lies in the second share, at 8.
Of what is left the lowest digit (8 mod 3 = 2) is the place of the verb in its class, and the rest
(8 // 3 = 2) is an address among the 3 nouns for it: the last noun and the last verb.

>>> {slot: chosen.tolist() for slot, chosen in component.unrank(np.array([0, 2, 10])).items()}
{1: [0, 1, 3], 0: [0, 0, 2]}
>>> component.rank([2, 3])
10
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Ints
from merula.plan.distinct import DistinctGroup, counts_of, digit_of, partition
from merula.plan.relations import Constraint, Distinct, TooWide, fits_in_table

# Instances that are counted in int64, above that in Python's integers. It is half of what int64
# holds, so that the sum of two addresses still fits.
MAX_INT64_COUNT = 2**62


@dataclass
class _Bucket:
    """One eliminated slot, with the table that was made of the tables that mention it.

    The table holds, over the classes of (*parents, slot), how many combinations of the slots
    eliminated so far go with them. It is large, and is dropped once its running sums are made,
    which say the same. What is left of an address after a class is found is a mixed-radix number:
    its digits, from the lowest, are those of ``lexemes``, ``distinct`` and ``children``.
    """

    slot: int
    parents: tuple[int, ...]
    table: NDArray[Any] | None
    shape: tuple[int, ...]
    lexemes: list[int] = field(default_factory=list)  # slots whose candidate is decoded here
    distinct: list[int] = field(default_factory=list)  # slots of distinct groups decoded here
    children: list[int] = field(default_factory=list)  # buckets whose message was used here
    message: NDArray[Any] | None = None  # the sums of the table, over the classes of the parents

    @cached_property
    def cumulative(self) -> NDArray[Any]:
        """The running sums over the flat table, from zero."""
        assert self.table is not None
        flat, self.table = self.table.reshape(-1), None
        sums = np.zeros(len(flat) + 1, flat.dtype)
        np.cumsum(flat, out=sums[1:])
        return sums

    @property
    def width(self) -> int:
        """The number of the slot's classes."""
        return self.shape[-1]

    def ways(self, row: int) -> NDArray[Any]:
        """Return the entries of a row of the table: one for each class of the slot."""
        if self.table is not None:
            entries: NDArray[Any] = self.table.reshape(-1, self.width)[row]
            return entries
        return np.diff(self.cumulative[row * self.width : (row + 1) * self.width + 1])

    @cached_property
    def guide(self) -> _Guide:
        """The index of the running sums."""
        return _Guide(self.cumulative, self.width)

    def find(self, row: Ints, wanted: NDArray[Any]) -> Ints:
        """Return the place in the flat table whose share of the running sums holds each number."""
        if self.width == 1 or not len(row):
            return row
        # making the guide pays off from an eighth as many numbers on as there are sums
        few = "guide" not in self.__dict__ and len(row) * 8 < len(self.cumulative)
        if self.cumulative.dtype == object or few:
            return np.searchsorted(self.cumulative, wanted, side="right") - 1
        return self.guide.find(row, wanted)


class _Guide:
    """An index of running sums, which finds the place of a number faster than a binary search.

    Each row's range is cut into equal shares, more than there are sums, and every share knows the
    place of its beginning (the indexed search of Chen & Asau 1974). A binary search of *n* sums
    takes log₂ *n* steps, each a jump in memory; here one look-up gives the place or its neighbour.
    The look-up needs floating point and may be off by a place; steps make it exact.

    One row of four classes with 6, 2, 0 and 3 combinations has the running sums 0, 6, 8, 8, 11.
    The empty class is left out; the range [0, 11) is cut into 8 shares of 1.375, and share 5, which
    begins at 6.875, begins in place 1. So the number 7 (in share 5) is in place 1. The number 8 is
    in share 5 too, but the sums say that place 1 ends before 8, and one step finds place 3.

    >>> guide = _Guide(np.array([0, 6, 8, 8, 11]), 4)
    >>> guide.kept.tolist(), guide.shares, guide.places.tolist()
    ([0, 1, 3], 8, [0, 0, 0, 0, 0, 1, 2, 2])
    >>> guide.find(np.zeros(3, np.int64), np.array([5, 7, 8])).tolist()
    [0, 1, 3]
    """

    def __init__(self, cumulative: Ints, width: int) -> None:
        self.kept = np.flatnonzero(np.diff(cumulative))  # places that hold something
        self.sums = np.append(cumulative[self.kept], cumulative[-1])
        starts = np.searchsorted(self.kept, np.arange(0, len(cumulative), width))
        rows, widest = len(starts) - 1, int(np.diff(starts).max())
        self.shares = 1 << (2 * widest - 1).bit_length()
        self.first = cumulative[:-1:width]
        sizes = np.maximum(cumulative[width::width] - self.first, 1)
        self.scale = self.shares / sizes.astype(np.float64)
        begin = np.arange(self.shares) / self.scale[:, None] + self.first[:, None]
        nearest = np.searchsorted(self.sums, begin.astype(np.int64), side="right") - 1
        last = np.maximum(starts[1:] - 1, starts[:-1])[:, None]
        places = np.clip(nearest, starts[:-1, None], last).reshape(rows * self.shares)
        self.places = np.minimum(places, max(len(self.kept) - 1, 0))

    def find(self, row: Ints, wanted: Ints) -> Ints:
        """Return the place in the table whose share of the running sums holds each number."""
        share = ((wanted - self.first[row]) * self.scale[row]).astype(np.int64)
        np.minimum(share, self.shares - 1, out=share)
        share += row * self.shares
        at = self.places[share]
        at += self.sums[at + 1] <= wanted
        low = np.flatnonzero(self.sums[at + 1] <= wanted)
        while len(low):
            at[low] += 1
            low = low[self.sums[at[low] + 1] <= wanted[low]]
        high = np.flatnonzero(self.sums[at] > wanted)
        while len(high):
            at[high] -= 1
            high = high[self.sums[at[high]] > wanted[high]]
        return np.asarray(self.kept[at], dtype=np.int64)


class Component:
    """Slots that constraints tie together, with the tables that count their combinations.

    Raises `TooWide` where a table would have more than `merula.plan.relations.MAX_TABLE` entries.
    """

    def __init__(
        self, sizes: Sequence[int], constraints: list[Constraint], distinct: list[Distinct]
    ) -> None:
        self.slots = tuple(range(len(sizes)))
        self.constraints, self.distinct = constraints, distinct
        self.wide = prod(max(size, 1) for size in sizes) >= MAX_INT64_COUNT
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
            slot: partition(sizes[slot], columns) for slot, columns in signatures.items()
        }
        self.groups = [DistinctGroup(d, self.class_of) for d in self.distinct]
        self.members: dict[int, list[Ints]] = {}
        self.first: dict[int, Ints] = {}
        for slot in self.slots:
            classes = self.class_of[slot]
            count = int(classes.max()) + 1 if len(classes) else 0
            order = np.argsort(classes, kind="stable")
            bounds = np.searchsorted(classes[order], np.arange(count + 1))
            self.members[slot] = [order[bounds[i] : bounds[i + 1]] for i in range(count)]
            self.first[slot] = np.array([m[0] for m in self.members[slot]], dtype=np.int64)
        self._flat_members()
        for group in self.groups:
            group.describe_classes(self.first)

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

    # --- elimination

    def _eliminate(self) -> None:
        grouped = {slot for d in self.distinct for slot in d.slots}
        factors: list[tuple[tuple[int, ...], NDArray[Any], str, int]] = []
        for c in self.constraints:
            table = c.table
            for axis, (slot, groups) in enumerate(zip(c.slots, c.groups, strict=True)):
                table = table.take(groups[self.first[slot]], axis=axis)
            factors.append((c.slots, counts_of(table, self.dtype) if self.wide else table, "", 0))
        factors += [
            ((slot,), counts_of(self.size[slot], self.dtype), "lexeme", slot)
            for slot in self.slots
            if slot not in grouped
        ]
        self.member_of: dict[int, tuple[DistinctGroup, int]] = {}
        for group in self.groups:
            for i, slot in enumerate(group.slots):
                self.member_of[slot] = (group, i)
                factors.append((group.slots[: i + 1], group.ways(i, self.dtype), "group", slot))
        self.buckets: list[_Bucket] = []
        left = list(self.slots)
        while left:
            slot = min(left, key=lambda s: (self._cost(s, factors), s))
            left.remove(slot)
            used = [f for f in factors if slot in f[0]]
            factors = [f for f in factors if slot not in f[0]]
            bucket = self._bucket(slot, used)
            assert bucket.table is not None
            message = np.asarray(bucket.table.sum(axis=-1), dtype=self.dtype)
            bucket.message = message
            self.buckets.append(bucket)
            factors.append((bucket.parents, message, "bucket", len(self.buckets) - 1))
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
        if not fits_in_table(shape):
            origins = [c.origin for c in self.constraints if set(c.slots) & set(scope)]
            origins += [d.origin for d in self.distinct if set(d.slots) & set(scope)]
            raise TooWide(scope, origins)
        table: NDArray[Any] = np.ones(shape, dtype=self.dtype)
        bucket = _Bucket(slot, parents, table, shape)
        for slots, values, kind, number in used:
            order = sorted(range(len(slots)), key=lambda i: scope.index(slots[i]))
            view = values.transpose(order).reshape(
                [len(self.first[s]) if s in slots else 1 for s in scope]
            )
            table *= view
            if kind == "lexeme":
                bucket.lexemes.append(number)
            elif kind == "group":
                bucket.distinct.append(number)
            elif kind == "bucket":
                bucket.children.append(number)
        return bucket

    # --- addresses

    def unrank(self, addresses: NDArray[Any]) -> dict[int, Ints]:
        """Return the candidates of each slot at some of the component's addresses."""
        if not self.wide:
            addresses = addresses.astype(np.int64)
        classes: dict[int, Ints] = {}
        chosen: dict[int, Ints] = {}
        digits: dict[int, Ints] = {}
        residues: dict[int, NDArray[Any]] = {}
        rest = addresses
        for _, message, _, number in self.roots:
            residues[number], rest = rest % int(message), rest // int(message)
        for number in range(len(self.buckets) - 1, -1, -1):
            bucket = self.buckets[number]
            row = self._row(bucket, classes, len(addresses))
            width = bucket.width
            start = bucket.cumulative[row * width]
            wanted = residues.pop(number) + start
            at = bucket.find(row, wanted)
            classes[bucket.slot] = at - row * width
            rest = wanted - bucket.cumulative[at]
            left = len(bucket.lexemes) + len(bucket.distinct) + len(bucket.children)
            for slot in bucket.lexemes:
                left -= 1
                place, rest = digit_of(rest, self.size[slot][classes[slot]], last=not left)
                place = self.offset[slot][classes[slot]] + place.astype(np.int64)
                chosen[slot] = self.flat[slot][place]
            for slot in bucket.distinct:
                left -= 1
                group, i = self.member_of[slot]
                place, rest = digit_of(rest, group.left(i, classes), last=not left)
                digits[slot] = place.astype(np.int64)
            for child in bucket.children:
                left -= 1
                below = self.buckets[child]
                assert below.message is not None
                ways = below.message[tuple(classes[s] for s in below.parents)]
                residues[child], rest = digit_of(rest, ways, last=not left)
        for group in self.groups:
            chosen.update(group.decode(classes, digits))
        return chosen

    def _row(self, bucket: _Bucket, classes: dict[int, Ints], length: int) -> Ints:
        row = np.zeros(length, dtype=np.int64)
        for slot in bucket.parents:
            row = row * len(self.first[slot]) + classes[slot]
        return row

    def rank(self, candidates: Sequence[int]) -> int:
        """Return the component's address of a combination of its candidates."""
        classes = {s: int(self.class_of[s][candidates[s]]) for s in self.slots}
        digits = {s: d for group in self.groups for s, d in group.encode(candidates).items()}
        ranks: list[int] = []
        for bucket in self.buckets:
            rest = 0
            for child in reversed(bucket.children):
                message = self.buckets[child].message
                assert message is not None
                size = int(message[tuple(classes[s] for s in self.buckets[child].parents)])
                rest = rest * size + ranks[child]
            for slot in reversed(bucket.distinct):
                digit, radix = digits[slot]
                rest = rest * radix + digit
            for slot in reversed(bucket.lexemes):
                cls = classes[slot]
                place = int(np.flatnonzero(self.members[slot][cls] == candidates[slot])[0])
                rest = rest * int(self.size[slot][cls]) + place
            row = 0
            for slot in bucket.parents:
                row = row * len(self.first[slot]) + classes[slot]
            width = bucket.width
            at = row * width + classes[bucket.slot]
            ranks.append(rest + int(bucket.cumulative[at]) - int(bucket.cumulative[row * width]))
        address = 0
        for _, message, _, number in reversed(self.roots):
            address = address * int(message) + ranks[number]
        return address


Made = dict[tuple[object, ...], Component]
