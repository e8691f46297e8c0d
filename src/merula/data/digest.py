"""A digest of what rows say, whatever file format, batch size or dictionary they are kept in.

A data set's digest is a sum over its blocks, so that parts made apart, in any order, add up to
it. A block is hashed with SHA-256 column by column: of the columns of words the hashes of their
words are summed row by row, other columns are hashed as the bytes of their values and list
lengths. Long columns are folded first: each 32 KiB is added, as 64-bit numbers, to what came
before times an odd constant (4,096 polynomial hashes side by side, modulo 2⁶⁴), and the fold is
hashed. A digest tells data apart, by accident or by a mistake; it does not protect against somebody
who builds two data sets to have the same one.

A digest is not that of the bytes of files, since these depend on the format, on the version of its
library and on the order in which parts are made. Blocks know the number of their first instance, so
that the sum is the same in any order, and yet another one where two blocks change places:

>>> rows = pa.record_batch({"cell": pa.array([3, 1, 4, 1])})
>>> hasher = BlockHasher(rows.schema)
>>> whole = summed([hasher.block(rows.slice(0, 2), 0), hasher.block(rows.slice(2), 2)])
>>> whole == summed([hasher.block(rows.slice(2), 2), hasher.block(rows.slice(0, 2), 0)])
True
>>> whole == summed([hasher.block(rows.slice(0, 2), 2), hasher.block(rows.slice(2), 0)])
False

The fold is there since SHA-256 of long columns takes longer than to make the rows; it goes through
memory once, eight bytes a step. With the constant 3 and one lane, the numbers 5, 7, 1 fold to (5 ·
3 + 7) · 3 + 1 = 67, and the numbers 7, 5, 1 to (7 · 3 + 5) · 3 + 1 = 79. As the constant is odd it
has an inverse modulo 2⁶⁴, so that one changed number always changes the fold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_MODULUS = 2**256  # digests have as many bits as one of SHA-256
_LANES = 4_096  # numbers folded side by side: 32 KiB, which fit into a processor's first cache
_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio, to the nearest odd number


class BlockHasher:
    """Hashes blocks of rows of one schema (that of `merula.rows.maker`)."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self._keys: dict[str, dict[str | None, int]] = {}

    def block(self, batch: Any, first: int) -> int:
        """Return the digest of a record batch; ``first`` is the number of its first instance."""
        total = hashlib.sha256(f"merula rows {first} {batch.num_rows}".encode())
        words = np.zeros(batch.num_rows, dtype=np.uint64)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for path, leaf, whole in _leaves(name, column):
                if whole and pa.types.is_dictionary(leaf.type):
                    words += self._hashed(path, leaf)
                elif pa.types.is_dictionary(leaf.type):
                    _feed(total, path, self._hashed(path, leaf))
                else:
                    for values in _values(leaf):
                        _feed(total, path, values)
        _feed(total, "words", words)
        return int.from_bytes(total.digest(), "big")

    def _hashed(self, path: str, column: Any) -> NDArray[np.uint64]:
        """Return the hash of the word in each row."""
        of_path = self._keys.setdefault(path, {})
        keys = np.array(
            [self._key(path, of_path, word) for word in [*column.dictionary.to_pylist(), None]],
            dtype=np.uint64,
        )
        ids = column.indices
        if len(keys) == 2 and not column.null_count:
            return np.broadcast_to(keys[0], len(column))
        if column.null_count:
            ids = ids.fill_null(len(keys) - 1)
        return np.asarray(keys[ids.to_numpy(zero_copy_only=False)], dtype=np.uint64)

    @staticmethod
    def _key(path: str, known: dict[str | None, int], word: str | None) -> int:
        if word not in known:
            text = f"{path}\0{'' if word is None else '=' + word}"
            known[word] = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return known[word]


def summed(digests: Iterator[int] | list[int]) -> int:
    """Return the digest of blocks or parts together."""
    return sum(digests) % _MODULUS


def written(digest: int) -> str:
    """Return a digest as it is written down: 64 hexadecimal digits."""
    return f"{digest % _MODULUS:064x}"


def _leaves(name: str, column: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield the columns inside a column, list lengths among them, and if each has a value a row.

    Raises ValueError where something is null that never is (only words are).
    """
    kind = column.type
    if column.null_count and not pa.types.is_dictionary(kind):
        raise ValueError(f"a value of {name} is missing")
    if pa.types.is_struct(kind):
        for field, child in zip(kind, column.flatten(), strict=True):
            yield from _leaves(f"{name}.{field.name}", child)
    elif pa.types.is_list(kind):
        yield f"{name}[]", pa.array(np.diff(_offsets(column))), False
        for path, leaf, _ in _leaves(f"{name}[]", column.flatten()):
            yield path, leaf, False
    else:
        yield name, column, True


def _offsets(column: Any) -> NDArray[np.int32]:
    """Return the bounds of a list's or a text's values."""
    at = 1 if len(column.buffers()) > 1 else 0
    start = column.offset * 4
    return np.frombuffer(column.buffers()[at], np.int32, len(column) + 1, start)


def _values(leaf: Any) -> Iterator[NDArray[Any]]:
    """Yield the lengths and characters of texts, or the numbers of a plain column."""
    if pa.types.is_string(leaf.type):
        offsets = _offsets(leaf)
        yield np.diff(offsets)
        yield np.frombuffer(leaf.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    else:
        yield leaf.to_numpy(zero_copy_only=False)


def _feed(total: Any, path: str, values: NDArray[Any]) -> None:
    values = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    total.update(f"\0{path} {values.dtype.str} {len(values)}\0".encode())
    raw = values.view(np.uint8)
    total.update((raw if len(raw) < 16 * _LANES else _folded(raw)).data)


def _folded(raw: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return bytes folded into 32 KiB."""
    whole = len(raw) // (8 * _LANES) * (8 * _LANES)
    rest = np.zeros(8 * _LANES, dtype=np.uint8)
    rest[: len(raw) - whole] = raw[whole:]
    fold = rest.view("<u8").copy()
    start = raw[:whole]
    if start.ctypes.data % 8:
        start = start.copy()
    for block in start.view("<u8").reshape(-1, _LANES):
        fold *= _STEP
        fold += block
    return fold
