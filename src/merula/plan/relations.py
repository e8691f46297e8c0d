"""Relations between slots: which combinations are allowed, and which lexemes must differ."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.core.source import Span

MAX_TABLE = 16_000_000  # entries of one elimination table: 128 MB of int64


def fits_in_table(shape: Sequence[int]) -> bool:
    """Return whether a table of this shape is small enough to be made."""
    return prod(shape) <= MAX_TABLE


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
