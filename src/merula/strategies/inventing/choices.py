"""Small draws, each with its plainest outcome first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import perm
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
DrawInt = Callable[[SearchStrategy[int]], int]


@lru_cache(maxsize=200)
def _integers(least: int, most: int) -> SearchStrategy[int]:
    return st.integers(least, most)


class Choices:
    """What one example decides, draw by draw.

    Shrinking changes one draw and keeps those after it in their places. So whoever draws does it
    whatever has been drawn before, as far as can be: ``c.chance(30) and there``, not the other way.
    """

    def __init__(self, draw: Callable[[SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def draw(self, strategy: SearchStrategy[T]) -> T:
        """What a strategy gives."""
        found: T = self._draw(strategy)
        return found

    def number(self, least: int, most: int) -> int:
        """A number; the least is the plainest."""
        return int(self._draw(_integers(least, max(least, most))))

    def part(self, make: Callable[[], T]) -> T:
        """Something with draws of its own, which Hypothesis may take back together.

        Whatever need not be there is such a part, or it would not go away in shrinking.
        """
        found: T = self._draw(_part(self, make))
        return found

    def pick(self, options: Sequence[T]) -> T:
        """One of some options; the first is the plainest."""
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred; False is the plainest.

        What is rare lies inside the range, for Hypothesis likes to draw its ends.
        """
        start = min(40, 100 - percent)
        return start <= self.number(0, 99) < start + percent

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Different ones of some options, in any order; the first ones are the plainest."""
        number = self.number(min(least, len(options)), min(most, len(options)))
        return self._arranged(options, number)

    def order(self, options: Sequence[T]) -> list[T]:
        """All options in some order; their own is the plainest."""
        return self._arranged(options, len(options))

    def _arranged(self, options: Sequence[T], number: int) -> list[T]:
        """So many of some options in an order, by one draw."""
        rank = self.number(0, perm(len(options), number) - 1)
        left, chosen = list(options), []
        for step in range(number):
            place, rank = divmod(rank, perm(len(left) - 1, number - step - 1))
            chosen.append(left.pop(place))
        return chosen

    def quoted(self, options: Sequence[str]) -> str:
        """One of some words, between quotation marks."""
        return f'"{self.pick(options)}"'


@st.composite
def _part(draw: DrawInt, choices: Choices, make: Callable[[], T]) -> T:
    outer, choices._draw = choices._draw, draw
    try:
        return make()
    finally:
        choices._draw = outer
