"""Checks and their findings, as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from merula.audit.corpus import Place
from merula.audit.view import View
from merula.core.frozen import frozen


class Finding(NamedTuple):
    """A finding: its text and its place (None: no single one); ``other`` is a second place."""

    place: Place | None
    text: str
    other: Place | None = None

    def __str__(self) -> str:
        if self.place is None:
            return self.text
        if self.other is None:
            return f"{self.place}  {self.text}"
        other = f":{self.other.row}" if self.other.file == self.place.file else str(self.other)
        return f"{self.place}  {self.text}  (also {other})"


@frozen(eq=False)
class Found:
    """The findings of a check among ``of`` things that it looked at, with an example of each.

    ``summary`` says what was measured, also where nothing is wrong. Where an example is of several
    findings, ``times`` is the count of findings; None: as many as examples.
    """

    of: int
    examples: tuple[Finding, ...] = ()
    summary: str = ""
    times: int | None = None

    @property
    def count(self) -> int:
        """Return the count of findings."""
        return len(self.examples) if self.times is None else self.times


@frozen
class Settings:
    """The settings of an audit."""

    tolerance: float = 0.02  # a share: by how much an accuracy or a frequency may be off
    seed: int = 0  # of folds and samples
    disjoint_lexemes: bool = False  # whether a lexeme in two splits is a fault


@frozen
class Check:
    """A check: its name, the things that it counts, and the function that finds them.

    The function returns None where the data have nothing to look at. ``fault`` is False where the
    findings are information, not faults.
    """

    name: str
    meaning: str
    find: Callable[[View, Settings], Found | None]
    fault: bool = True
