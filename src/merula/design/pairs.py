"""Minimal pairs among the cells of a paradigm.

A pair is two cells that have all features but one in common, one good, one bad; so contrasts follow
from the features and the labels, and nobody lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from merula.core.frozen import frozen


@frozen
class MinimalPair:
    """The places of a bad and of a good cell, the feature that they differ in, and a name.

    The name, ``licensor=0-1_scope=1_npi_present=1``, says of the feature the value of the bad
    cell, then that of the good one.
    """

    bad: int
    good: int
    contrast: str
    condition: str


def pairs_of(
    names: Sequence[str], values: Sequence[Sequence[object]], good: Sequence[bool]
) -> list[MinimalPair]:
    """Return the pairs among cells, given the values of each for ``names`` and if it is good."""
    pairs = []
    for bad, fine in permutations(range(len(values)), 2):
        different = [i for i in range(len(names)) if values[bad][i] != values[fine][i]]
        if good[bad] or not good[fine] or len(different) != 1:
            continue
        condition = "_".join(
            f"{name}={values[bad][i]}" + (f"-{values[fine][i]}" if i in different else "")
            for i, name in enumerate(names)
        )
        pairs.append(MinimalPair(bad, fine, names[different[0]], condition))
    order = {name: i for i, name in enumerate(names)}
    return sorted(pairs, key=lambda pair: (order[pair.contrast], pair.condition))
