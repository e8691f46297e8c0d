"""Splits: how many paradigms go into each, and on which side a lexeme is.

>>> Split.of("80:10:10").sizes(1000)
{'train': 800, 'dev': 100, 'test': 100}
>>> Split.of("90:10").sizes(15)
{'train': 14, 'test': 1}
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from merula.core.arrays import Ints
from merula.core.frozen import frozen
from merula.plan.order import Permutation

NAMES = {2: ("train", "test"), 3: ("train", "dev", "test")}


@frozen
class Split:
    """The splits that are not empty, in order, with their shares of the whole."""

    shares: tuple[tuple[str, Fraction], ...]

    @staticmethod
    def of(text: str) -> Split:
        """The split that a text such as ``80:10:10`` or ``90:10`` says; raises ValueError."""
        try:
            parts = [Fraction(part.strip()) for part in text.split(":")]
        except (ValueError, ZeroDivisionError):
            parts = []
        if len(parts) not in NAMES or min(parts) < 0 or sum(parts) <= 0:
            raise ValueError(
                f"{text!r} should be shares for train, dev and test such as 80:10:10, or for"
                " train and test such as 90:10"
            )
        whole = sum(parts)
        named = zip(NAMES[len(parts)], parts, strict=True)
        return Split(tuple((name, part / whole) for name, part in named if part))

    def __str__(self) -> str:
        return ", ".join(f"{name} {float(share):.4g}" for name, share in self.shares)

    @property
    def names(self) -> tuple[str, ...]:
        """What the splits are called."""
        return tuple(name for name, _ in self.shares)

    def sizes(self, number: int) -> dict[str, int]:
        """How many of a number of paradigms each split has: whole, and as near as can be.

        What is left over by rounding down goes where most was cut off (Hare's method).
        """
        exact = {name: share * number for name, share in self.shares}
        found = {name: int(size) for name, size in exact.items()}
        left = number - sum(found.values())
        cut = sorted(found, key=lambda name: found[name] - exact[name])
        for name in cut[:left]:
            found[name] += 1
        return found

    def side(self, lemma: str, seed: int) -> str:
        """The split on whose side a lexeme is, decided by its lemma and a seed alone."""
        at = _fraction(lemma, seed)
        below = Fraction(0)
        for name, share in self.shares:
            below += share
            if at < below:
                return name
        return self.names[-1]


@lru_cache(maxsize=100_000)
def _fraction(lemma: str, seed: int) -> Fraction:
    """A number from 0 to below 1 that a lemma and a seed decide."""
    digest = hashlib.sha256(f"merula side {seed} {lemma}".encode()).digest()
    return Fraction(int.from_bytes(digest[:8], "big"), 2**64)


def shared_evenly(number: int, kinds: int, first: int = 0) -> list[int]:
    """How often each of some kinds is had if they are taken in turn, from a place on.

    >>> shared_evenly(5, 2), shared_evenly(5, 2, first=5)
    ([3, 2], [2, 3])
    """
    return [len(range(first + (i - first) % kinds, first + number, kinds)) for i in range(kinds)]


def split_names(split: Split, kinds: Sequence[int], seed: int) -> list[str]:
    """The split of each of some paradigms, which have a kind each.

    Splits have the sizes that `Split.sizes` says, and each has of each kind what it should have,
    but for rounding: paradigms of a kind stand one after the other in an order that the seed
    decides, kinds are taken in turn, and the splits are stretches of that.
    """
    number = len(kinds)
    if not number:
        return []
    shuffled = Permutation(number, seed).rows(0, number)
    by_kind: dict[int, list[int]] = {kind: [] for kind in sorted(set(kinds))}
    for at in shuffled.tolist():
        by_kind[kinds[at]].append(at)
    places = _in_turn(list(by_kind.values()))
    found = [""] * number
    start = 0
    for name, size in split.sizes(number).items():
        for at in places[start : start + size].tolist():
            found[at] = name
        start += size
    return found


def _in_turn(queues: Sequence[Sequence[int]]) -> Ints:
    """The members of some queues, so that every stretch has of each about what it should."""
    keys = [
        ((2 * place + 1) / (2 * len(queue)), number, member)
        for number, queue in enumerate(queues)
        for place, member in enumerate(queue)
    ]
    return np.array([member for _, _, member in sorted(keys)], dtype=np.int64)
