"""Source texts and the places in them."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import field
from functools import cached_property
from pathlib import Path

from merula.core.frozen import frozen


@frozen
class Source:
    """A text with the name a reader knows it by (a path, or ``<text>``).

    ``path`` is the file it came from, if any; imports and tables are looked up beside it. The
    name of a table's ``cell`` says its whole place.
    """

    name: str
    text: str = field(repr=False)
    path: Path | None = field(default=None, compare=False)
    cell: bool = field(default=False, compare=False)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of the first character of every line."""
        return (0, *(i + 1 for i, c in enumerate(self.text) if c == "\n"))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both counted from one, in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line, counted from one, without its end."""
        start = self.line_starts[number - 1]
        last = number == len(self.line_starts)
        end = len(self.text) if last else self.line_starts[number] - 1
        return self.text[start:end]

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters ``start`` to ``end`` (exclusive)."""
        return Span(self, start, end)


@frozen
class Span:
    """A stretch of a source: characters ``start`` to ``end`` (exclusive)."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Return the stretch from the start of this span to the end of another."""
        return Span(self.source, self.start, max(self.end, other.end))


def display_width(text: str) -> int:
    """Return the columns a terminal needs: wide characters take two, combining ones none.

    >>> display_width("dog"), display_width("犬"), display_width("e\\u0301")
    (3, 2, 1)
    """
    width = 0
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
            continue
        width += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return width
