"""Relations between slots: which combinations are allowed, and which lexemes must differ."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.core.source import Span

MAX_TABLE = 16_000_000  # entries of a table: 128 MB of int64, so that a laptop holds a few of them


def fits_in_table(shape: Sequence[int]) -> bool:
    """Return whether a table of this shape has at most `MAX_TABLE` entries."""
    return prod(shape) <= MAX_TABLE


@frozen(eq=False)
class ConstraintOrigin:
    """The origin of a constraint, for messages: what it says, and its place in a grammar."""

    text: str
    span: Span | None = None


@frozen(eq=False)
class Constraint:
    """The combinations of some slots' candidates that are allowed.

    ``groups[i][c]`` is the group of candidate ``c`` of ``slots[i]``; ``table``, with an axis for
    each slot, says for every combination of groups whether it is allowed.
    """

    slots: tuple[int, ...]
    groups: tuple[Ints, ...]
    table: Bools
    origin: ConstraintOrigin


@frozen(eq=False)
class Distinct:
    """A demand that the candidates of some slots have pairwise different keys.

    ``keys[i][c]`` is the key of candidate ``c`` of ``slots[i]``; a key occurs once in a slot.
    """

    slots: tuple[int, ...]
    keys: tuple[Ints, ...]
    origin: ConstraintOrigin


class TooWide(Exception):
    """Constraints tie so many slots together that counting needs too large a table."""

    def __init__(self, slots: Sequence[int], origins: Sequence[ConstraintOrigin]) -> None:
        super().__init__(slots)
        self.slots, self.origins = tuple(slots), tuple(origins)
