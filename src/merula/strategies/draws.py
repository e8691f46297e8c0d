"""Draws by Hypothesis: one of several sources, a part of it, and a lexeme for each slot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

from merula.plan.planner import slot_names
from merula.plan.slots import Slot
from merula.query.narrowing import Plainness, Restriction, plainness

T = TypeVar("T")
Chosen = tuple[int, ...]  # a candidate a slot
TRIES = 500  # choices that are looked at for one that will do
SLOT = 0x6D6572756C61  # the label of a slot's draw: all have one, so that they may change places


def collect_constants() -> None:
    """Let Hypothesis collect now what it would collect in the middle of a draw.

    Some of the integers that it draws are constants of the program under test: it reads the sources
    of all modules outside site-packages. In a checkout these are Merula's own, which takes a second
    and more, and Hypothesis fails a test whose first ten draws take longer than that.
    """
    getattr(ConjectureData(random=Random(0)).provider, "_local_constants", None)


class Choosing(Protocol):
    """A chooser of lexemes, from a wish for each slot (`merula.plan.wishes.Chooser`)."""

    def choose(self, wishes: Sequence[int]) -> tuple[int, ...]:
        """Return the candidate of each slot."""


@dataclass(frozen=True, eq=False)
class DrawSource(Generic[T]):
    """Named slots, a chooser of their lexemes, and a function that makes a value of a choice.

    One of ``parts`` is drawn too; ``make`` gets it together with the choice.
    """

    slots: Sequence[tuple[str, Slot]]
    chooser: Choosing
    parts: Sequence[Any]
    make: Callable[[Any, Chosen], T]

    @staticmethod
    def of(
        narrow: Restriction, parts: Sequence[Any], make: Callable[[Any, Chosen], T]
    ) -> DrawSource[T]:
        """Return the source that draws from a plan."""
        plan = narrow.plan
        slots = list(zip(slot_names(plan), plan.slots, strict=True))
        return DrawSource(slots, narrow.chooser, parts, make)

    def choices(self) -> Iterator[Chosen]:
        """Yield `TRIES` choices, always the same: the plainest first."""
        return map(self.chooser.choose, tries(len(slot) for _, slot in self.slots))


def tries(sizes: Iterable[int]) -> list[list[int]]:
    """Return `TRIES` wishes for slots of some sizes, always the same: the plainest first."""
    sizes = list(sizes)
    wishes = np.random.default_rng(0).integers(sizes, size=(TRIES, len(sizes)))
    wishes[0] = 0
    return [[int(wish) for wish in row] for row in wishes]


class DrawnInstance(SearchStrategy[T]):
    """A strategy that draws a source, one of its parts, and a lexeme for each slot of any source.

    A lexeme is drawn by its place among those that any source has in the slot, so that a draw
    means the same in all sources: otherwise a plainer source could not be tried with what makes an
    example fail. ``places[i][s]`` leads from there to the wish of slot *s* of source *i*.

    Numbers are drawn from Hypothesis' choice sequence itself: a strategy for each would take longer
    than all the rest.
    """

    def __init__(self, name: str, sources: Sequence[DrawSource[T]]) -> None:
        super().__init__()
        collect_constants()
        self._name, self._sources = name, sources
        lexemes_of = {
            slot: sorted(plainness(slot)) for source in sources for _, slot in source.slots
        }
        in_any: dict[str, set[Plainness]] = {}  # the lexemes of a slot's name in any source
        for source in sources:
            for slot_name, slot in source.slots:
                in_any.setdefault(slot_name, set()).update(lexemes_of[slot])
        every = {slot_name: sorted(lexemes) for slot_name, lexemes in in_any.items()}
        number = {slot_name: i for i, slot_name in enumerate(every)}
        places: dict[tuple[str, Slot], tuple[int, Sequence[int]]] = {}
        for source in sources:
            for slot_name, slot in source.slots:
                if (slot_name, slot) not in places:
                    steps = _steps(every[slot_name], lexemes_of[slot])
                    places[slot_name, slot] = number[slot_name], steps
        self._places = [[places[named_slot] for named_slot in source.slots] for source in sources]
        self._none = [0] * len(every)
        sizes = map(len, every.values())
        self._slots = [(i, size - 1) for i, size in enumerate(sizes) if size > 1]

    def __repr__(self) -> str:
        return self._name

    def do_draw(self, data: ConjectureData) -> T:
        """Draw a value."""
        at = data.draw_integer(0, len(self._sources) - 1)
        source = self._sources[at]
        part = source.parts[data.draw_integer(0, len(source.parts) - 1)]
        lexemes = self._none.copy()
        for slot, last in self._slots:
            data.start_span(SLOT)
            lexemes[slot] = data.draw_integer(0, last)
            data.stop_span()
        wishes = [steps[lexemes[i]] for i, steps in self._places[at]]
        return source.make(part, source.chooser.choose(wishes))


def _steps(every: Sequence[Plainness], of_slot: Sequence[Plainness]) -> list[int]:
    """Return for every lexeme the place in a slot of the same or the next one; last comes first."""
    return [bisect_left(of_slot, key) % len(of_slot) for key in every]
