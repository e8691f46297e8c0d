"""Slots whose lexemes must be pairwise different, counted by falling factorials.

To say with tables that *k* slots of *n* lexemes differ would take a table of *n* · *n* for each
pair, and elimination would tie all *k* together: *n*ᵏ entries. But the first slot has *n* lexemes,
the second *n* - 1 of them left, the third *n* - 2; only how many are left matters, and classes say
that. So the group is a factor of `merula.plan.elimination`, and a digit of an address counts among
the lexemes that are left.

An example: nouns 0, 1, 2, 3 in one slot, nouns 2, 3, 4 in the other.

>>> from merula.plan.relations import ConstraintOrigin
>>> nouns = Distinct((0, 1), (np.array([0, 1, 2, 3]), np.array([2, 3, 4])), ConstraintOrigin(""))
>>> classes = {0: np.zeros(4, np.int64), 1: np.zeros(3, np.int64)}
>>> group = DistinctGroup(nouns, classes)

What the slots share splits the first one into two classes, nouns 0 and 1, and nouns 2 and 3.

>>> classes[0].tolist(), classes[1].tolist()
([0, 0, 1, 1], [0, 0, 0])

Either has 2 nouns. After the first class the second slot has 3 nouns left, after the other one only
2: that makes 2 · 3 + 2 · 2 = 10 pairs.

>>> group.describe_classes({0: np.array([0, 2]), 1: np.array([0])})
>>> group.ways(0, np.int64).tolist(), group.ways(1, np.int64).tolist()
([2, 2], [[3], [2]])

The digits 1 and 1 of the second class name its noun 3, and of the nouns 2 and 4 that are left the
second one; a digit skips the lexemes that are taken.

>>> one = np.array([1])
>>> chosen = group.decode({0: one, 1: np.array([0])}, {0: one, 1: one})
>>> [int(nouns.keys[slot][chosen[slot]][0]) for slot in (0, 1)]
[3, 4]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Ints
from merula.plan.relations import Distinct, TooWide, fits_in_table

NOWHERE = np.iinfo(np.int64).max  # the place of a key that is not in a class, above any place


class DistinctGroup:
    """Slots whose candidates have different keys, one after the other.

    A slot's classes have to say what it shares with the slots after it, so that, once classes
    are chosen, the number of candidates left for a slot is the size of its class less the
    earlier slots in the same class. Slots that need few classes come last.

    ``class_of`` are the classes that constraints make of each slot's candidates; it is refined.
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
        by_key = []  # for each slot, key → class of its candidate, -1 where there is none
        for slot, keys in zip(self.slots, self.keys, strict=True):
            column = np.full(universe, -1, dtype=np.int64)
            column[keys] = class_of[slot]
            by_key.append(column)
        # class_at[i][key]: the class of a key as slot i sees it
        self.class_at = [partition(universe, by_key[i:]) for i in range(len(by_key))]
        self.candidate_at: list[Ints] = []
        for slot, keys, classes in zip(self.slots, self.keys, self.class_at, strict=True):
            class_of[slot] = partition(len(keys), [classes[keys]])
            candidates = np.full(universe, -1, dtype=np.int64)
            candidates[keys] = np.arange(len(keys))
            self.candidate_at.append(candidates)

    def describe_classes(self, first: dict[int, Ints]) -> None:
        """Note for every class its key class, its members and their order.

        ``first`` holds, for each slot, one candidate of every class.
        """
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
            place = np.full(len(self.class_at[i]), NOWHERE, dtype=np.int64)
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
        """Return how many candidates slot ``i`` has left, over the classes of slots ``0 … i``."""
        shape = [len(self.key_class[g]) for g in range(i + 1)]
        if not fits_in_table(shape):
            raise TooWide(self.slots[: i + 1], [self.origin])
        total: NDArray[Any] = np.broadcast_to(self.sizes[i], shape).copy()
        for g in range(i):
            same = self.seen_as[i][g][:, None] == self.key_class[i][None, :]
            view = [shape[g] if a == g else shape[i] if a == i else 1 for a in range(i + 1)]
            total -= same.reshape(view)
        return counts_of(np.maximum(total, 0, out=total), dtype)

    def left(self, i: int, classes: dict[int, Ints]) -> Ints:
        """Return how many candidates slot ``i`` has left in each row, given the rows' classes."""
        mine = classes[self.slots[i]]
        total = self.sizes[i][mine]
        for g in range(i):
            seen = self.seen_as[i][g][classes[self.slots[g]]]
            total = total - (seen == self.key_class[i][mine])
        return total

    def decode(self, classes: dict[int, Ints], digits: dict[int, Ints]) -> dict[int, Ints]:
        """Return the candidates of each slot: the digit-th of those its class has left."""
        chosen: dict[int, Ints] = {}
        keys: list[Ints] = []
        for i, slot in enumerate(self.slots):
            mine, place = classes[slot], digits[slot]
            wanted = self.key_class[i][mine]
            taken = [
                np.where(self.class_at[i][k] == wanted, self.place[i][k], NOWHERE) for k in keys
            ]
            for used in sorted_columns(taken):
                place = place + (place >= used)
            chosen[slot] = self.ordered[i][self.starts[i][mine] + place]
            keys.append(self.keys[i][chosen[slot]])
        return chosen

    def encode(self, candidates: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Return the digit of each slot's candidate, and how many digits there are."""
        digits: dict[int, tuple[int, int]] = {}
        keys: list[int] = []
        for i, slot in enumerate(self.slots):
            key = int(self.keys[i][candidates[slot]])
            wanted = int(self.class_at[i][key])
            taken = [int(self.place[i][k]) for k in keys if int(self.class_at[i][k]) == wanted]
            size = int((self.class_at[i][self.keys[i]] == wanted).sum())
            place = int(self.place[i][key])
            digits[slot] = (place - sum(p < place for p in taken), size - len(taken))
            keys.append(key)
        return digits


def sorted_columns(columns: list[Ints]) -> list[Ints]:
    """Sort the entries of every row over some columns, of which there are few.

    >>> [column.tolist() for column in sorted_columns([np.array([3, 1]), np.array([2, 5])])]
    [[2, 1], [3, 5]]
    """
    done: list[Ints] = []
    for column in columns:
        rest = column
        for i, sorted_column in enumerate(done):
            done[i], rest = np.minimum(sorted_column, rest), np.maximum(sorted_column, rest)
        done.append(rest)
    return done


def digit_of(
    rest: NDArray[Any], radix: NDArray[Any], *, last: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lowest digit of mixed-radix numbers and what is left; the last digit is all."""
    if last:
        return rest, rest
    above = rest // radix
    return rest - above * radix, above


def partition(size: int, columns: Sequence[Ints]) -> Ints:
    """Number the ``size`` rows of some columns so that equal rows have one number.

    >>> partition(3, [np.array([7, 5, 7]), np.array([1, 1, 1])]).tolist()
    [0, 1, 0]
    """
    if not columns or size == 0:
        return np.zeros(size, dtype=np.int64)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    classes = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    return np.array([classes[row] for row in rows], dtype=np.int64)


def counts_of(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return the values as exact integers of a kind (Python's own for ``object``)."""
    whole = np.asarray(values).astype(np.int64, copy=False)
    return whole.astype(object) if dtype is object else whole
