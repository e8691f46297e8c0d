"""A seeded permutation of [0, count): sampling without replacement, any row alone.

A Feistel network over the smallest even number of bits that holds the addresses, walked until
the result lies below ``count`` (Black & Rogaway 2002, "Ciphers with arbitrary finite domains").
Round keys come from SHA-256, so that the order is the same on every machine.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.space import LIMIT

_ROUNDS = 4


class Permutation:
    """Row number → address, one to one, decided by ``seed``."""

    def __init__(self, count: int, seed: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count}")
        self.count, self.seed = count, seed
        self.half = max((max(count - 1, 1).bit_length() + 1) // 2, 1)
        text = f"merula permutation {seed} {count}"
        self._keys = [
            int.from_bytes(hashlib.sha256(f"{text} {i}".encode()).digest()[:8], "big")
            for i in range(2 * _ROUNDS)
        ]

    def rows(self, start: int, stop: int) -> NDArray[Any]:
        """The addresses of rows ``start`` to ``stop``: int64, or Python integers above 2⁶²."""
        if not 0 <= start <= stop <= self.count:
            raise ValueError(f"rows {start} to {stop} are not within 0 to {self.count}")
        if self.count >= LIMIT:
            found = [self._walk_wide(row) for row in range(start, stop)]
            return np.array(found, dtype=object)
        places = np.arange(start, stop, dtype=np.uint64)
        outside = np.ones(len(places), dtype=np.bool_)
        while outside.any():
            places[outside] = self._cipher(places[outside])
            outside = places >= np.uint64(self.count)
        return places.astype(np.int64)

    def _cipher(self, places: NDArray[np.uint64]) -> NDArray[np.uint64]:
        half, mask = np.uint64(self.half), np.uint64((1 << self.half) - 1)
        left, right = places >> half, places & mask
        for i in range(_ROUNDS):
            left, right = right, left ^ (self._mix(right, i) & mask)
        return left << half | right

    def _mix(self, x: NDArray[np.uint64], number: int) -> NDArray[np.uint64]:
        """A 64-bit finaliser (shifts and odd multiplications) of a half with the round's keys."""
        odd = np.uint64(self._keys[2 * number] | 1)
        x = (x + np.uint64(self._keys[2 * number + 1])) * odd
        x ^= x >> np.uint64(32)
        x = x * np.uint64(0xD6E8FEB86659FD93)
        return x ^ x >> np.uint64(29)

    def _walk_wide(self, row: int) -> int:
        place = self._cipher_wide(row)
        while place >= self.count:
            place = self._cipher_wide(place)
        return place

    def _cipher_wide(self, place: int) -> int:
        mask = (1 << self.half) - 1
        size = (self.half + 7) // 8
        left, right = place >> self.half, place & mask
        for i in range(_ROUNDS):
            key = self._keys[2 * i].to_bytes(8, "big")
            data = key + right.to_bytes(size, "big")
            mixed = int.from_bytes(hashlib.shake_128(data).digest(size), "big") & mask
            left, right = right, left ^ mixed
        return left << self.half | right
