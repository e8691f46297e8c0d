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
from merula.values import frozen

LIMIT = 2**62
MAX_TABLE = 16_000_000  # entries of one elimination table
_NOWHERE = np.iinfo(np.int64).max

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@frozen(eq=False)
class Origin:
    """Where a constraint comes from, for messages."""

    text: str
    span: Span | None = None


@frozen(eq=False)
class Constraint:
    """Allowed combinations of candidate groups.

    ``groups[i][c]`` is the group of candidate ``c`` of ``slots[i]``; ``table`` says for every
    combination of groups whether it is allowed.
    """

    slots: tuple[int, ...]
    groups: tuple[Ints, ...]
    table: Bools
    origin: Origin


@frozen(eq=False)
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
    """All combinations of one candidate a slot that satisfy the constraints.

    ``made`` keeps what is worked out, for other spaces that have a part in common with this one.
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

    def _component(self, slots: tuple[int, ...], made: Made) -> _Component:
        """The component of some slots, which are numbered from 0 in it."""
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
            made[key] = _Component(sizes, constraints, distinct)
        return made[key]

    def unrank(self, addresses: NDArray[Any]) -> list[Ints]:
        """The candidates at each address: an array a slot.

        ``addresses`` is an int64 array, or one of Python integers where ``count`` is above 2⁶².
        """
        found: list[Ints] = [np.empty(0, np.int64)] * len(self.sizes)
        rest = addresses
        for number, (slots, component) in enumerate(self.components):
            if number == len(self.components) - 1:
                own = rest
            else:
                own = rest % component.count
                rest = rest // component.count
            for slot, chosen in component.unrank(own).items():
                found[slots[slot]] = chosen
        return found

    def unrank_one(self, address: int) -> tuple[int, ...]:
        """The candidates at one address."""
        kind = np.int64 if self.count < LIMIT else object
        return tuple(int(x[0]) for x in self.unrank(np.array([address], dtype=kind)))

    def forget(self) -> None:
        """Let go of what makes finding addresses fast; it is worked out again if needed."""
        for _, component in self.components:
            for bucket in component.buckets:
                bucket.__dict__.pop("guide", None)

    def rank(self, candidates: Sequence[int]) -> int:
        """The address of a combination that satisfies the constraints."""
        address = 0
        for slots, component in reversed(self.components):
            own = component.rank([candidates[slot] for slot in slots])
            address = address * component.count + own
        return address

    def contains(self, candidates: Sequence[int]) -> bool:
        """Whether a combination satisfies all constraints."""
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
        """The space of some candidates only: ``keep`` holds the ones left of each slot."""
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
        """For an empty space: an irreducible set of constraints that no combination satisfies."""
        needed: list[Constraint | Distinct] = [*self.distinct, *self.constraints]
        for item in list(needed):
            fewer = [other for other in needed if other is not item]
            constraints = [x for x in fewer if isinstance(x, Constraint)]
            distinct = [x for x in fewer if isinstance(x, Distinct)]
            if Space(self.sizes, constraints, distinct).count == 0:
                needed = fewer
        return needed


def _components(number: int, links: Iterable[Constraint | Distinct]) -> list[tuple[int, ...]]:
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
    """One eliminated slot: the table over (parents, slot) and what its residue is made of.

    The table holds the completions over the classes of (*parents, slot). It is large, so once its
    running sums are made it is let go of: they say the same.
    """

    slot: int
    parents: tuple[int, ...]
    table: NDArray[Any] | None
    shape: tuple[int, ...]
    lexemes: list[int] = field(default_factory=list)  # slots whose candidate is decoded here
    distinct: list[int] = field(default_factory=list)  # the same, of slots in a distinct group
    children: list[int] = field(default_factory=list)  # buckets whose message was used here
    message: NDArray[Any] | None = None  # over parents

    @cached_property
    def cumulative(self) -> NDArray[Any]:
        """Running sums over the flat table, from zero."""
        assert self.table is not None
        flat, self.table = self.table.reshape(-1), None
        sums = np.zeros(len(flat) + 1, flat.dtype)
        np.cumsum(flat, out=sums[1:])
        return sums

    @property
    def width(self) -> int:
        """How many classes the slot has."""
        return self.shape[-1]

    def ways(self, row: int) -> NDArray[Any]:
        """The completions of each class of the slot, given the row of its parents' classes."""
        if self.table is not None:
            found: NDArray[Any] = self.table.reshape(-1, self.width)[row]
            return found
        return np.diff(self.cumulative[row * self.width : (row + 1) * self.width + 1])

    @cached_property
    def guide(self) -> _Guide:
        """Where to look for a number among the running sums of a row."""
        return _Guide(self.cumulative, self.width)

    def find(self, row: Ints, wanted: NDArray[Any]) -> Ints:
        """The place in the flat table whose share of the running sums holds each number."""
        if self.width == 1 or not len(row):
            return row
        few = "guide" not in self.__dict__ and len(row) * 8 < len(self.cumulative)
        if self.cumulative.dtype == object or few:  # to make the guide would take longer
            return np.searchsorted(self.cumulative, wanted, side="right") - 1
        return self.guide.find(row, wanted)


class _Guide:
    """A first guess at where a number stands among the running sums of its row, then steps.

    Each row's range is cut into equal shares, more than there are sums, and every share knows the
    place of its beginning (the indexed search of Chen & Asau 1974). The guess needs floating
    point and may be off by a place; the steps make it exact.
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
        found = np.searchsorted(self.sums, begin.astype(np.int64), side="right") - 1
        last = np.maximum(starts[1:] - 1, starts[:-1])[:, None]
        places = np.clip(found, starts[:-1, None], last).reshape(rows * self.shares)
        self.places = np.minimum(places, max(len(self.kept) - 1, 0))

    def find(self, row: Ints, wanted: Ints) -> Ints:
        """The place in the table whose share of the running sums holds each number."""
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


class _Component:
    def __init__(
        self, sizes: Sequence[int], constraints: list[Constraint], distinct: list[Distinct]
    ) -> None:
        self.slots = tuple(range(len(sizes)))
        self.constraints, self.distinct = constraints, distinct
        self.wide = prod(max(size, 1) for size in sizes) >= LIMIT
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
        self.groups = [_Group(d, self.class_of) for d in self.distinct]
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
            factors.append((c.slots, _numbers(table, self.dtype) if self.wide else table, "", 0))
        factors += [
            ((slot,), _numbers(self.size[slot], self.dtype), "lexeme", slot)
            for slot in self.slots
            if slot not in grouped
        ]
        self.member_of: dict[int, tuple[_Group, int]] = {}
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
        if prod(shape) > MAX_TABLE:
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
        """Candidates of the component's slots at its addresses."""
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
                place, rest = _digit(rest, self.size[slot][classes[slot]], last=not left)
                place = self.offset[slot][classes[slot]] + place.astype(np.int64)
                chosen[slot] = self.flat[slot][place]
            for slot in bucket.distinct:
                left -= 1
                group, i = self.member_of[slot]
                place, rest = _digit(rest, group.left(i, classes), last=not left)
                digits[slot] = place.astype(np.int64)
            for child in bucket.children:
                left -= 1
                below = self.buckets[child]
                assert below.message is not None
                ways = below.message[tuple(classes[s] for s in below.parents)]
                residues[child], rest = _digit(rest, ways, last=not left)
        for group in self.groups:
            chosen.update(group.decode(classes, digits))
        return chosen

    def _row(self, bucket: _Bucket, classes: dict[int, Ints], length: int) -> Ints:
        row = np.zeros(length, dtype=np.int64)
        for slot in bucket.parents:
            row = row * len(self.first[slot]) + classes[slot]
        return row

    def rank(self, candidates: Sequence[int]) -> int:
        """The component's address of a combination of its candidates."""
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


Made = dict[tuple[object, ...], _Component]


class _Group:
    """Slots whose candidates have different keys, one after the other.

    A slot's classes have to say what it shares with the slots after it, so that, once classes
    are chosen, the number of candidates left for a slot is the size of its class less the
    earlier slots in the same class. Slots that need few classes come last.
    """

    def __init__(self, d: Distinct, class_of: dict[int, Ints]) -> None:
        order = sorted(
            range(len(d.slots)),
            key=lambda i: (-int(class_of[d.slots[i]].max(initial=-1)), d.slots[i]),
        )
        self.origin = d.origin
        self.slots = tuple(d.slots[i] for i in order)
        self.keys = [d.keys[i] for i in order]
        universe = 1 + max((int(k.max()) for k in self.keys if len(k)), default=-1)
        own = []
        for slot, keys in zip(self.slots, self.keys, strict=True):
            column = np.full(universe, -1, dtype=np.int64)
            column[keys] = class_of[slot]
            own.append(column)
        # class_at[i][key]: the class of a key as slot i sees it
        self.class_at = [_partition(universe, own[i:]) for i in range(len(own))]
        self.candidate_at: list[Ints] = []
        for slot, keys, classes in zip(self.slots, self.keys, self.class_at, strict=True):
            class_of[slot] = _partition(len(keys), [classes[keys]])
            candidates = np.full(universe, -1, dtype=np.int64)
            candidates[keys] = np.arange(len(keys))
            self.candidate_at.append(candidates)

    def describe_classes(self, first: dict[int, Ints]) -> None:
        """Note, for every class of every slot, its key class, its members and their order."""
        self.key_class: list[Ints] = []  # slot's class → class of its keys
        self.sizes: list[Ints] = []  # slot's class → number of candidates
        self.place: list[Ints] = []  # key → place among the candidates of its class
        self.starts: list[Ints] = []
        self.ordered: list[Ints] = []  # candidates, class after class
        self.seen_as: list[list[Ints]] = []  # [i][g]: class of slot g → class of slot i's keys
        for i, (slot, keys) in enumerate(zip(self.slots, self.keys, strict=True)):
            of_keys = self.class_at[i][keys]
            mine = of_keys[first[slot]]
            order = np.argsort(of_keys, kind="stable")
            ranks = np.searchsorted(of_keys[order], mine)
            sizes = np.searchsorted(of_keys[order], mine, side="right") - ranks
            place = np.full(len(self.class_at[i]), _NOWHERE, dtype=np.int64)
            begin = np.searchsorted(of_keys[order], of_keys[order])
            place[keys[order]] = np.arange(len(order)) - begin
            self.key_class.append(mine)
            self.sizes.append(sizes.astype(np.int64))
            self.place.append(place)
            self.starts.append(ranks.astype(np.int64))
            self.ordered.append(order.astype(np.int64))
            self.seen_as.append(
                [self.class_at[i][self.keys[g][first[self.slots[g]]]] for g in range(i)]
            )

    def ways(self, i: int, dtype: Any) -> NDArray[Any]:
        """How many candidates slot ``i`` has left, over the classes of slots ``0 … i``."""
        shape = [len(self.key_class[g]) for g in range(i + 1)]
        if prod(shape) > MAX_TABLE:
            raise TooWide(self.slots[: i + 1], [self.origin])
        total: NDArray[Any] = np.broadcast_to(self.sizes[i], shape).copy()
        for g in range(i):
            same = self.seen_as[i][g][:, None] == self.key_class[i][None, :]
            view = [shape[g] if a == g else shape[i] if a == i else 1 for a in range(i + 1)]
            total -= same.reshape(view)
        return _numbers(np.maximum(total, 0, out=total), dtype)

    def left(self, i: int, classes: dict[int, Ints]) -> Ints:
        """How many candidates slot ``i`` has left in each row, given the rows' classes."""
        mine = classes[self.slots[i]]
        total = self.sizes[i][mine]
        for g in range(i):
            seen = self.seen_as[i][g][classes[self.slots[g]]]
            total = total - (seen == self.key_class[i][mine])
        return total

    def decode(self, classes: dict[int, Ints], digits: dict[int, Ints]) -> dict[int, Ints]:
        """The candidates of each slot: the digit-th of those its class has left."""
        chosen: dict[int, Ints] = {}
        keys: list[Ints] = []
        for i, slot in enumerate(self.slots):
            mine, place = classes[slot], digits[slot]
            wanted = self.key_class[i][mine]
            taken = [
                np.where(self.class_at[i][k] == wanted, self.place[i][k], _NOWHERE) for k in keys
            ]
            for used in _sorted(taken):
                place = place + (place >= used)
            chosen[slot] = self.ordered[i][self.starts[i][mine] + place]
            keys.append(self.keys[i][chosen[slot]])
        return chosen

    def encode(self, candidates: Sequence[int]) -> dict[int, tuple[int, int]]:
        """The digit of each slot's candidate and how many there could be."""
        found: dict[int, tuple[int, int]] = {}
        keys: list[int] = []
        for i, slot in enumerate(self.slots):
            key = int(self.keys[i][candidates[slot]])
            wanted = int(self.class_at[i][key])
            taken = [int(self.place[i][k]) for k in keys if int(self.class_at[i][k]) == wanted]
            size = int((self.class_at[i][self.keys[i]] == wanted).sum())
            place = int(self.place[i][key])
            found[slot] = (place - sum(p < place for p in taken), size - len(taken))
            keys.append(key)
        return found


def _sorted(columns: list[Ints]) -> list[Ints]:
    """The columns with the entries of every row in order (there are few columns)."""
    done: list[Ints] = []
    for column in columns:
        rest = column
        for i, other in enumerate(done):
            done[i], rest = np.minimum(other, rest), np.maximum(other, rest)
        done.append(rest)
    return done


def _digit(
    rest: NDArray[Any], radix: NDArray[Any], *, last: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lowest digit of a mixed-radix number and what is left; the last digit is all of it."""
    if last:
        return rest, rest
    above = rest // radix
    return rest - above * radix, above


def _partition(number: int, columns: Sequence[Ints]) -> Ints:
    """Class numbers of equal rows of the columns, in order of first occurrence."""
    if not columns or number == 0:
        return np.zeros(number, dtype=np.int64)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    classes = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    return np.array([classes[row] for row in rows], dtype=np.int64)


def _numbers(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The values as exact integers of the wanted kind (Python's own for ``object``)."""
    whole = np.asarray(values).astype(np.int64, copy=False)
    return whole.astype(object) if dtype is object else whole
