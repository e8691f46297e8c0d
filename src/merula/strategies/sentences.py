"""Sentences, pairs, paradigms, matrices and answers of a grammar as Hypothesis strategies."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from merula.api import Design, Grammar, Instance, Sentence
from merula.compiler import Compiled
from merula.language.diagnostics import MerulaError
from merula.narrowing import Narrow, Plainness, Where, narrowed, plainness
from merula.plan import phrases, slot_names
from merula.slots import Slot
from merula.suite.cells import pairs_of

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Occurrence(Sentence):
    """A sentence where it stands: in the instance of a design at an address."""

    design: str
    _of: tuple[Design, Narrow, tuple[int, ...]] = field(compare=False)

    @property
    def address(self) -> int:
        """The address of its instance."""
        design, narrow, chosen = self._of
        return narrow.address(design._design, chosen)

    @property
    def instance(self) -> Instance:
        """Its instance, with all cells."""
        return self._of[0][self.address]

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))

    def __repr__(self) -> str:
        star = "" if self.acceptable else "*"
        return f"<{self.design}[{self.address}] {self.label!r}: {star}{self.text}>"


@dataclass(frozen=True, repr=False)
class Pair:
    """Two sentences of an instance that differ in one thing; ``contrast`` says in what."""

    good: Occurrence
    bad: Occurrence
    contrast: str

    def __repr__(self) -> str:
        return f"<{self.contrast}: {self.good!r} {self.bad!r}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))


def sentences(
    grammar: Grammar,
    *,
    design: str | None = None,
    where: Where | None = None,
    acceptable: bool | None = None,
) -> SearchStrategy[Occurrence]:
    """Sentences of a grammar: cells of paradigms, items and answers of matrices.

    ``design`` names one paradigm or matrix (else all that have what is asked for), ``where`` asks
    for frames, attribute values, lexemes, features and factors (`merula.narrowing`), ``acceptable``
    for sentences that are, or are not. Raises `MerulaError` where there is none.
    """

    def cells(narrow: Narrow) -> list[int]:
        of = narrow.plan.cells
        return [i for i in narrow.cells if acceptable in (None, of[i].cell.acceptable)]

    return _drawn(_sources(grammar, design, where, cells), _sentence)


def answers(
    grammar: Grammar,
    *,
    breaks: str | None = None,
    design: str | None = None,
    where: Where | None = None,
) -> SearchStrategy[Occurrence]:
    """Answers of matrices; ``breaks`` is a rule (``E agreement``) or a class (``E``).

    Raises `MerulaError` where there is none.
    """

    def cells(narrow: Narrow) -> list[int]:
        of = narrow.plan.cells
        return [
            i
            for i in narrow.cells
            if of[i].cell.role == "answer"
            and (breaks is None or any(breaks in (rule, rule[0]) for rule in of[i].cell.broken))
        ]

    return _drawn(_sources(grammar, design, where, cells), _sentence)


def pairs(
    grammar: Grammar,
    *,
    contrast: str | None = None,
    design: str | None = None,
    where: Where | None = None,
) -> SearchStrategy[Pair]:
    """Minimal pairs: two cells of a paradigm that differ in one factor and in acceptability.

    ``contrast`` is that factor. Raises `MerulaError` where there is none.
    """

    def cells(narrow: Narrow) -> list[tuple[int, int, str]]:
        of = [cell.cell for cell in narrow.plan.cells]
        if any(cell.role != "cell" for cell in of):
            return []
        names = [name for name, _ in of[0].factors]
        values = [[value for _, value in cell.factors] for cell in of]
        return [
            (pair.good, pair.bad, pair.contrast)
            for pair in pairs_of(names, values, [cell.acceptable for cell in of])
            if contrast in (None, pair.contrast) and {pair.good, pair.bad} <= set(narrow.cells)
        ]

    return _drawn(_sources(grammar, design, where, cells), _pair)


def paradigms(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Instances of paradigms, with all their cells. Raises `MerulaError` where there is none."""
    return _drawn(_sources(grammar, design, where, _whole("cell")), _instance)


def matrices(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Instances of matrices, of type I. Raises `MerulaError` where there is none."""
    return _drawn(_sources(grammar, design, where, _whole("context")), _instance)


# --- what is drawn -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Source:
    """A plan to draw from, and what of it: one of ``parts`` is taken."""

    design: Design
    narrow: Narrow
    parts: Sequence[Any]


@dataclass(frozen=True, eq=False)
class _Draws:
    """What is drawn: a source, one of its parts, and a lexeme for each slot that some source has.

    A lexeme is drawn by its place among those that any source has in the slot, so that a draw
    means the same in all sources: otherwise a plainer source could not be tried with what makes an
    example fail. ``places[i][s]`` leads from there to the wish of slot *s* of source *i*.
    """

    sources: Sequence[_Source]
    slots: Sequence[SearchStrategy[int] | None]  # None where there is nothing to choose
    places: Sequence[Sequence[tuple[int, Sequence[int]]]]

    @staticmethod
    def of(sources: Sequence[_Source]) -> _Draws:
        """The draws of some sources."""
        known: dict[str, set[Plainness]] = {}
        keys: dict[int, list[Plainness]] = {}
        for source in sources:
            for name, slot in _slots(source):
                if id(slot) not in keys:
                    keys[id(slot)] = sorted(plainness(slot))
                known.setdefault(name, set()).update(keys[id(slot)])
        every = {name: sorted(own) for name, own in known.items()}
        number = {name: i for i, name in enumerate(every)}
        made: dict[tuple[str, int], tuple[int, Sequence[int]]] = {}
        places = []
        for source in sources:
            own = []
            for name, slot in _slots(source):
                if (name, id(slot)) not in made:
                    steps = _steps(every[name], keys[id(slot)])
                    made[name, id(slot)] = number[name], steps
                own.append(made[name, id(slot)])
            places.append(own)
        slots = [st.integers(0, len(own) - 1) if len(own) > 1 else None for own in every.values()]
        return _Draws(sources, slots, places)


def _slots(source: _Source) -> Iterator[tuple[str, Slot]]:
    plan = source.narrow.plan
    return zip(slot_names(plan), plan.slots, strict=True)


def _steps(every: Sequence[Plainness], own: Sequence[Plainness]) -> list[int]:
    """For each of all lexemes the place of the next of some of them, and round."""
    return [bisect_left(own, key) % len(own) for key in every]


def _sources(
    grammar: Grammar,
    design: str | None,
    where: Where | None,
    parts: Callable[[Narrow], Sequence[Any]],
) -> list[_Source]:
    """What can be drawn from, the plainest of each design first."""
    names = list(grammar) if design is None else [design]
    found, problems = [], []
    for name in names:
        own = grammar[name]
        try:
            narrow = narrowed(own._design, where)
        except MerulaError as error:
            problems.append(error)
            continue
        found += [_Source(own, n, of) for n in narrow if (of := parts(n))]
    if not found:
        if problems:
            raise problems[0]
        raise MerulaError.of(
            "M751",
            f"{' and '.join(names)} of {grammar.name} has nothing of what is asked for",
            remedy="ask for less, or for another design",
        )
    return found


def _whole(role: str) -> Callable[[Narrow], Sequence[None]]:
    def parts(narrow: Narrow) -> Sequence[None]:
        there = narrow.plan.cells[0].cell.role == role
        return [None] if there and len(narrow.cells) == len(narrow.plan.cells) else []

    return parts


def _drawn(
    sources: Sequence[_Source], make: Callable[[_Source, Any, tuple[int, ...]], T]
) -> SearchStrategy[T]:
    draws = _Draws.of(sources)
    number = st.integers(0, len(sources) - 1)
    most = max(len(source.parts) for source in sources)
    numbers = [st.integers(0, i) for i in range(most)]

    @st.composite
    def drawn(draw: Callable[[SearchStrategy[int]], int]) -> T:
        at = draw(number)
        source = sources[at]
        part = source.parts[draw(numbers[len(source.parts) - 1])]
        lexemes = [0 if slot is None else draw(slot) for slot in draws.slots]
        wishes = [steps[lexemes[i]] for i, steps in draws.places[at]]
        return make(source, part, source.narrow.chooser.choose(wishes))

    return drawn()


def _sentence(source: _Source, place: int, chosen: tuple[int, ...]) -> Occurrence:
    plan, compiled = source.narrow.plan, source.design._compiled
    return _occurrence(source, plan.cells[place], chosen, compiled)


def _occurrence(
    source: _Source, own: Any, chosen: tuple[int, ...], compiled: Compiled
) -> Occurrence:
    cell = own.cell
    return Occurrence(
        cell.role,
        cell.label,
        compiled.surface.sentence(phrases(source.narrow.plan.slots, own, chosen)),
        cell.acceptable,
        cell.broken,
        cell.letter,
        dict(cell.factors),
        dict(cell.scopes),
        source.design.name,
        (source.design, source.narrow, chosen),
    )


def _pair(source: _Source, pair: tuple[int, int, str], chosen: tuple[int, ...]) -> Pair:
    good, bad, contrast = pair
    return Pair(_sentence(source, good, chosen), _sentence(source, bad, chosen), contrast)


def _instance(source: _Source, part: None, chosen: tuple[int, ...]) -> Instance:
    del part
    return source.design[source.narrow.address(source.design._design, chosen)]
