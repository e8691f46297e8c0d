"""Arrow arrays of words and lists, from numbers in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.space import Ints


class Words:
    """Words with ids, and columns of them."""

    def __init__(self, texts: Sequence[str | None], shape: tuple[int, ...] = (-1,)) -> None:
        known = {t: i for i, t in enumerate(dict.fromkeys(t for t in texts if t is not None))}
        ids = [-1 if t is None else known[t] for t in texts]
        self.ids: NDArray[np.int32] = np.array(ids, dtype=np.int32).reshape(shape)
        self.values = pa.array(list(known), pa.string())

    def array(self, ids: NDArray[np.int32]) -> Any:
        """The column of some ids (null for -1)."""
        return words_array(ids.reshape(-1), self.values)


class Lists:
    """Lists of words, and columns of them."""

    def __init__(self, lists: Sequence[Sequence[str]]) -> None:
        self.words = Words([word for words in lists for word in words])
        self.sizes = np.array([len(words) for words in lists], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def array(self, ids: Ints) -> Any:
        """The column of the lists with some numbers."""
        sizes = self.sizes[ids]
        offsets = np.zeros(len(ids) + 1, dtype=np.int32)
        np.cumsum(sizes, out=offsets[1:])
        places = np.repeat(self.starts[ids] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return pa.ListArray.from_arrays(pa.array(offsets), self.words.array(self.words.ids[places]))


def words_array(ids: NDArray[np.int32], values: Any) -> Any:
    """A dictionary array of the values with some places (null for -1)."""
    missing = ids < 0
    mask = missing if missing.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(ids, mask=mask), values)


def repeated(array: Any, times: int) -> Any:
    """An array with each value a number of times."""
    if times == 1:
        return array
    return array.take(pa.array(np.repeat(np.arange(len(array), dtype=np.int32), times)))


def struct_array(fields: Mapping[str, Words], plan_of: Ints) -> Any:
    """A struct of words that plans decide; ids of shape (plans, …)."""
    arrays = [words.array(words.ids[plan_of]) for words in fields.values()]
    return pa.StructArray.from_arrays(arrays, names=list(fields))


def list_array(values: Any, width: int) -> Any:
    """Lists of ``width`` neighbouring values each."""
    length = len(values) // width if width else 0
    offsets = pa.array(np.arange(length + 1, dtype=np.int32) * width)
    return pa.ListArray.from_arrays(offsets, values)
