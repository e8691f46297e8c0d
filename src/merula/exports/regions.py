"""Regions of sentences, and a row of places into which those of several sentences fit.

A region is the words of an object, or a fixed word between objects. Words are cut at spaces only,
so that the regions of a sentence, joined by spaces, are the sentence again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WORDS = re.compile(r"(?<=\S) (?=\S)")


class Unit(NamedTuple):
    """The name of a region: an object's name, or where ``fixed`` a word in lower case."""

    name: str
    fixed: bool = False


Piece = tuple[Unit, str]
Span = tuple[str, int, int]  # an object, its first character, the one after its last


def pieces(sentence: str, spans: Sequence[Span]) -> list[Piece]:
    """Return the units of a sentence, each with its words; ``spans`` are in their order.

    Joined by spaces, the words are the sentence. A word that several objects share, such as
    *l'amie*, is of the one that has most of it.

    >>> cut = pieces("The cat sleeps.", [("n", 4, 7), ("v", 8, 14)])
    >>> [(unit.name, words) for unit, words in cut]
    [('the', 'The'), ('n', 'cat'), ('v', 'sleeps.')]
    """
    cut: list[Piece] = []
    at, first, last = 0, 0, -1
    for word in _WORDS.split(sentence):
        end = at + len(word)
        while first < len(spans) and spans[first][2] <= at:
            first += 1
        owner = _owner(spans, first, at, end)
        if owner < 0:
            cut.append((Unit(word.casefold(), True), word))
        elif owner == last:
            cut[-1] = cut[-1][0], f"{cut[-1][1]} {word}"
        else:
            cut.append((Unit(spans[owner][0]), word))
        at, last = end + 1, owner
    return cut


def _owner(spans: Sequence[Span], first: int, start: int, end: int) -> int:
    """Return the index of the span, from ``first`` on, that has most of some characters, or -1."""
    best, owner = 0, -1
    for i in range(first, len(spans)):
        _, span_start, span_end = spans[i]
        if span_start >= end:
            break
        share = min(end, span_end) - max(start, span_start)
        if share >= best and share > 0:
            best, owner = share, i
    return owner


class Alignment:
    """A row of places into which sentences fit, whichever of its objects they have.

    Each new order of units is merged into the row by a longest common subsequence, so that as few
    places as possible are added. *the n v* and *the n that v*: the row is *the n that v*, and the
    places of the first are 0, 1, 3. A place keeps its number when others are put before it.
    """

    def __init__(self) -> None:
        self.row: list[tuple[int, Unit]] = []  # the number of each place, and its unit
        self._numbers: dict[tuple[Unit, ...], list[int]] = {}
        self._places: dict[tuple[Unit, ...], list[int]] = {}
        self._next = 0

    def add(self, units: Iterable[Unit]) -> None:
        """Make places for the units of a sentence."""
        order = tuple(units)
        if order not in self._numbers:
            self._numbers[order] = self._merge(order)
            self._places.clear()

    def _merge(self, order: tuple[Unit, ...]) -> list[int]:
        """Merge an order into the row; return the number of the place of each unit."""
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
        """Return the lasting number of the place of each unit of a sentence that was added."""
        return self._numbers[tuple(units)]

    def places(self, units: Iterable[Unit]) -> list[int]:
        """Return the present place, from 0, of each unit of a sentence that was added."""
        order = tuple(units)
        if order not in self._places:
            self._places[order] = [self.place_of(number) for number in self._numbers[order]]
        return self._places[order]

    def place_of(self, number: int) -> int:
        """Return the present place, from 0, of the place with a number."""
        return [placed for placed, _ in self.row].index(number)

    def names(self) -> list[str]:
        """Return the names of the places; one that comes again is numbered."""
        seen: dict[str, int] = {}
        names = []
        for _, unit in self.row:
            seen[unit.name] = count = seen.get(unit.name, 0) + 1
            names.append(unit.name if count == 1 else f"{unit.name} {count}")
        return names


def _in_common(row: Sequence[Unit], order: Sequence[Unit]) -> dict[int, int]:
    """Return a longest common subsequence: from indices of ``order`` to those of ``row``."""
    # length[i][j] is its length for row[i:] and order[j:]; it is then read from the front.
    length = [[0] * (len(order) + 1) for _ in range(len(row) + 1)]
    for i in reversed(range(len(row))):
        for j in reversed(range(len(order))):
            same = row[i] == order[j]
            skipped = max(length[i + 1][j], length[i][j + 1])
            length[i][j] = max(length[i + 1][j + 1] + 1, skipped) if same else skipped
    shared, i, j = {}, 0, 0
    while i < len(row) and j < len(order):
        if row[i] == order[j] and length[i][j] == length[i + 1][j + 1] + 1:
            shared[j] = i
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return shared
