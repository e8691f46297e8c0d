"""What a check is and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from merula.audit.corpus import Place
from merula.audit.view import View
from merula.core.frozen import frozen


class FindingPlace(NamedTuple):
    """Something that was found, and where; ``other`` is a second place that it is about."""

    place: Place | None
    text: str
    other: Place | None = None

    def __str__(self) -> str:
        if self.place is None:
            return self.text
        if self.other is None:
            return f"{self.place}  {self.text}"
        there = f":{self.other.row}" if self.other.file == self.place.file else str(self.other)
        return f"{self.place}  {self.text}  (also {there})"


@frozen(eq=False)
class Found:
    """What a check has found: one example each, of ``of`` things that were looked at.

    ``said`` sums up what was measured, also where nothing is wrong. Where an example stands for
    several things, ``times`` is how many things they are.
    """

    of: int
    examples: tuple[FindingPlace, ...] = ()
    said: str = ""
    times: int | None = None

    @property
    def number(self) -> int:
        """How many things were found."""
        return len(self.examples) if self.times is None else self.times


@frozen
class Settings:
    """What the user may set: how much may depart by chance, the seed, stricter demands."""

    tolerance: float = 0.02
    seed: int = 0
    disjoint_lexemes: bool = False


@frozen
class Check:
    """A check: its name, what it counts, and the function that looks for it.

    The function gives None where the data have nothing to look at. ``fault`` is False for what is
    told and is no fault in itself.
    """

    name: str
    meaning: str
    find: Callable[[View, Settings], Found | None]
    fault: bool = True
