"""Slots whose lexemes must be pairwise different, counted by falling factorials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Ints
from merula.plan.relations import Distinct, TooWide, fits_in_table

NOWHERE = np.iinfo(np.int64).max


class DistinctGroup:
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
        self.class_at = [partition(universe, own[i:]) for i in range(len(own))]
        self.candidate_at: list[Ints] = []
        for slot, keys, classes in zip(self.slots, self.keys, self.class_at, strict=True):
            class_of[slot] = partition(len(keys), [classes[keys]])
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
        """How many candidates slot ``i`` has left, over the classes of slots ``0 … i``."""
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
                np.where(self.class_at[i][k] == wanted, self.place[i][k], NOWHERE) for k in keys
            ]
            for used in sorted_columns(taken):
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


def sorted_columns(columns: list[Ints]) -> list[Ints]:
    """The columns with the entries of every row in order (there are few columns)."""
    done: list[Ints] = []
    for column in columns:
        rest = column
        for i, other in enumerate(done):
            done[i], rest = np.minimum(other, rest), np.maximum(other, rest)
        done.append(rest)
    return done


def digit_of(
    rest: NDArray[Any], radix: NDArray[Any], *, last: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lowest digit of a mixed-radix number and what is left; the last digit is all of it."""
    if last:
        return rest, rest
    above = rest // radix
    return rest - above * radix, above


def partition(number: int, columns: Sequence[Ints]) -> Ints:
    """Class numbers of equal rows of the columns, in order of first occurrence."""
    if not columns or number == 0:
        return np.zeros(number, dtype=np.int64)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    classes = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    return np.array([classes[row] for row in rows], dtype=np.int64)


def counts_of(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The values as exact integers of the wanted kind (Python's own for ``object``)."""
    whole = np.asarray(values).astype(np.int64, copy=False)
    return whole.astype(object) if dtype is object else whole
