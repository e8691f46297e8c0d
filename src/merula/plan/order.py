"""A seeded permutation of [0, count): sampling without replacement, any row alone.

A sample without repetition is the beginning of a permutation. One that is stored takes memory for
every address, of which there may be 10¹¹; so this one is computed, an address at a time.

It is a Feistel network on pairs (left, right) with left < a, right < b and a·b just above
``count``: a round adds a keyed function of one half to the other, modulo its size. A round can be
undone, by subtracting the same, so that two numbers never become one. Where the result is not below
``count`` it is put in again, until one is (Black & Rogaway 2002, "Ciphers with arbitrary finite
domains", methods 2 and 3); that leaves numbers out of the cycles of the permutation, and what is
left of a cycle is a cycle, so that this is one to one as well. Round keys come from SHA-256, so
that the order is the same on every machine. A few addresses are sorted by their hashes instead,
since a network on small halves is not random.

2,000 addresses are pairs of halves below a = b = 45, since 45 · 45 = 2,025: address 909 is the pair
(20, 9). Only 25 of 2,025 results lie outside and are walked again.

>>> order = Permutation(2_000, seed=7)
>>> order.sizes, order.rows(0, 5).tolist()
((45, 45), [909, 870, 1389, 982, 194])
>>> sorted(order.rows(0, 2_000).tolist()) == list(range(2_000))
True
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.plan.elimination import MAX_INT64_COUNT

_ROUNDS = 4  # an even number: both halves are changed equally often
_MORE_ROUNDS = 8  # where halves are small, four leave neighbouring rows a little alike
_MAX_SMALL = 2**24  # addresses with halves below 2¹², which take more rounds
_MAX_SORTED = 1_024  # addresses that are sorted: their halves would be below 32

ORDER = 1  # the version of the order: raised when a seed means other rows than before
_LOW = np.uint64(32)  # bits of the low half of a word
_ODD = np.uint64(0xD6E8FEB86659FD93)  # the multiplier of degski's 64-bit mixer


class Permutation:
    """The addresses of rows, one to one: ``seed`` decides the order of the ``count`` addresses."""

    def __init__(self, count: int, seed: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        self.count, self.seed = count, seed
        left = isqrt(count - 1) + 1
        self.sizes = (left, -(-count // left))
        self.rounds = _ROUNDS if count > _MAX_SMALL else _MORE_ROUNDS
        text = f"merula permutation {seed} {count}"
        self._keys = [
            int.from_bytes(hashlib.sha256(f"{text} {i}".encode()).digest()[:8], "big")
            for i in range(2 * self.rounds)
        ]

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        """All addresses in the order of their rows, where there are few."""
        text = f"merula permutation {self.seed} {self.count}"
        keys = [hashlib.sha256(f"{text} {i}".encode()).digest() for i in range(self.count)]
        return np.array(sorted(range(self.count), key=keys.__getitem__), dtype=np.int64)

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """Return the addresses of rows ``start`` to ``stop`` (exclusive).

        They are int64, or Python integers where ``count`` is 2⁶² or more.
        """
        if not 0 <= start <= stop <= self.count:
            raise ValueError(f"rows {start} to {stop} are not within 0 to {self.count}")
        if self.count <= _MAX_SORTED:
            return self._sorted[start:stop]
        if self.count >= MAX_INT64_COUNT:
            return np.array([self._walk_wide(row) for row in range(start, stop)], dtype=object)
        places = np.arange(start, stop, dtype=np.uint64)
        self._cipher(places)
        outside = np.flatnonzero(places >= np.uint64(self.count))
        while len(outside):
            again = places[outside]
            self._cipher(again)
            places[outside] = again
            outside = outside[again >= np.uint64(self.count)]
        return places.view(np.int64)

    def _cipher(self, places: NDArray[np.uint64]) -> None:
        """Encipher numbers below a·b in place."""
        size = np.uint64(self.sizes[1])
        halves = [places // size, places]
        places -= halves[0] * size
        mixed, carry = np.empty_like(places), np.empty(len(places), np.bool_)
        for number in range(self.rounds):
            target, source = halves[number % 2], halves[1 - number % 2]
            radix = np.uint64(self.sizes[number % 2])
            self._mix(source, number, radix, mixed)
            target += mixed
            np.greater_equal(target, radix, out=carry)
            np.multiply(carry, radix, out=mixed)
            target -= mixed
        halves[0] *= size
        places += halves[0]

    def _mix(
        self,
        source: NDArray[np.uint64],
        number: int,
        radix: np.uint64,
        out: NDArray[np.uint64],
    ) -> None:
        """Write a keyed function of a half, below ``radix`` (which is below 2³²).

        A 64-bit finaliser of shifts and odd multiplications, its high half scaled to the radix.
        """
        np.add(source, np.uint64(self._keys[2 * number + 1]), out=out)
        out *= np.uint64(self._keys[2 * number] | 1)
        out ^= out >> _LOW
        out *= _ODD
        out ^= out >> np.uint64(29)
        out *= _ODD
        out >>= _LOW
        out *= radix
        out >>= _LOW

    def _walk_wide(self, row: int) -> int:
        place = self._cipher_wide(row)
        while place >= self.count:
            place = self._cipher_wide(place)
        return place

    def _cipher_wide(self, place: int) -> int:
        halves = list(divmod(place, self.sizes[1]))
        size = (self.sizes[0].bit_length() + 7) // 8
        for number in range(self.rounds):
            key = self._keys[2 * number].to_bytes(8, "big")
            data = key + halves[1 - number % 2].to_bytes(size, "big")
            # eight bytes more than the radix has, so that the remainder is as good as uniform
            mixed = int.from_bytes(hashlib.shake_128(data).digest(size + 8), "big")
            halves[number % 2] = (halves[number % 2] + mixed) % self.sizes[number % 2]
        return halves[0] * self.sizes[1] + halves[1]
