"""Regions of sentences: what stands at each place, so that several sentences share their places.

A region is the words of an object, or a fixed word between objects. Words are cut at spaces only,
so that the regions of a sentence, joined by spaces, are the sentence again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WORDS = re.compile(r"(?<=\S) (?=\S)")


class Unit(NamedTuple):
    """What a region is: an object by its name, or a fixed word (``fixed``) by what it is."""

    name: str
    fixed: bool = False


Piece = tuple[Unit, str]
Span = tuple[str, int, int]  # an object, its first character, the one after its last


def pieces(sentence: str, spans: Sequence[Span]) -> list[Piece]:
    """The units of a sentence in order, each with its words; the spans stand in order too.

    Joined by spaces, the words are the sentence. A word that several objects share, such as
    *l'amie*, is of the one that has most of it.

    >>> found = pieces("The cat sleeps.", [("n", 4, 7), ("v", 8, 14)])
    >>> [(unit.name, words) for unit, words in found]
    [('the', 'The'), ('n', 'cat'), ('v', 'sleeps.')]
    """
    found: list[Piece] = []
    at, first, last = 0, 0, -1
    for word in _WORDS.split(sentence):
        end = at + len(word)
        while first < len(spans) and spans[first][2] <= at:
            first += 1
        owner = _owner(spans, first, at, end)
        if owner < 0:
            found.append((Unit(word.casefold(), True), word))
        elif owner == last:
            found[-1] = found[-1][0], f"{found[-1][1]} {word}"
        else:
            found.append((Unit(spans[owner][0]), word))
        at, last = end + 1, owner
    return found


def _owner(spans: Sequence[Span], first: int, start: int, end: int) -> int:
    """The number of the span, from a first one on, that has most of some characters; else -1."""
    best, found = 0, -1
    for number in range(first, len(spans)):
        _, own_start, own_end = spans[number]
        if own_start >= end:
            break
        share = min(end, own_end) - max(start, own_start)
        if share >= best and share > 0:
            best, found = share, number
    return found


class Alignment:
    """A row of places into which sentences fit, whichever of its objects they have.

    Each new order of units is merged into the row: as few places as possible are added.
    """

    def __init__(self) -> None:
        self.row: list[tuple[int, Unit]] = []  # a number of its own for each place
        self._known: dict[tuple[Unit, ...], list[int]] = {}
        self._places: dict[tuple[Unit, ...], list[int]] = {}
        self._next = 0

    def add(self, units: Iterable[Unit]) -> None:
        """Make places for the units of a sentence."""
        order = tuple(units)
        if order not in self._known:
            self._known[order] = self._merge(order)
            self._places.clear()

    def _merge(self, order: tuple[Unit, ...]) -> list[int]:
        """Merge an order into the row; returns the number of the place of each of its units."""
        shared = _in_common([unit for _, unit in self.row], order)
        row: list[tuple[int, Unit]] = []
        numbers: list[int] = []
        i = 0
        for j, unit in enumerate(order):
            if j in shared:
                row += self.row[i : shared[j] + 1]
                i = shared[j] + 1
                numbers.append(row[-1][0])
            else:
                row.append((self._next, unit))
                numbers.append(self._next)
                self._next += 1
        self.row = row + self.row[i:]
        return numbers

    def numbers(self, units: Iterable[Unit]) -> list[int]:
        """The number of the place of each unit of a sentence that was added: it stays the same."""
        return self._known[tuple(units)]

    def places(self, units: Iterable[Unit]) -> list[int]:
        """The place of each unit of a sentence that was added, counted from 0."""
        order = tuple(units)
        if order not in self._places:
            self._places[order] = [self.place_of(number) for number in self._known[order]]
        return self._places[order]

    def place_of(self, number: int) -> int:
        """Where the place of a number stands in the row, counted from 0."""
        return [own for own, _ in self.row].index(number)

    def names(self) -> list[str]:
        """What the places are called; a name that comes again is numbered."""
        seen: dict[str, int] = {}
        found = []
        for _, unit in self.row:
            seen[unit.name] = number = seen.get(unit.name, 0) + 1
            found.append(unit.name if number == 1 else f"{unit.name} {number}")
        return found


def _in_common(row: Sequence[Unit], order: Sequence[Unit]) -> dict[int, int]:
    """Which units of an order are which of a row: the most that there can be, in order."""
    length = [[0] * (len(order) + 1) for _ in range(len(row) + 1)]
    for i in reversed(range(len(row))):
        for j in reversed(range(len(order))):
            same = row[i] == order[j]
            skipped = max(length[i + 1][j], length[i][j + 1])
            length[i][j] = max(length[i + 1][j + 1] + 1, skipped) if same else skipped
    found, i, j = {}, 0, 0
    while i < len(row) and j < len(order):
        if row[i] == order[j] and length[i][j] == length[i + 1][j + 1] + 1:
            found[j] = i
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
