"""Sentences, pairs, paradigms, matrices and answers of a grammar as Hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from hypothesis.strategies import SearchStrategy

from merula.api import Design, Grammar, Instance
from merula.core.diagnostics import MerulaError
from merula.core.wording import did_you_mean, listing
from merula.query.narrowing import Restriction, Where, names_of, narrowed
from merula.query.occurrences import (
    Occurrence,
    Pair,
    designs_of,
    occurrence,
    pair_of,
    pairs_in,
    sentences_in,
)
from merula.strategies.draws import Chosen, DrawnInstance, DrawSource

T = TypeVar("T")


def sentences(
    grammar: Grammar,
    *,
    design: str | None = None,
    where: Where | None = None,
    acceptable: bool | None = None,
) -> SearchStrategy[Occurrence]:
    """Draw sentences of a grammar: cells of paradigms, items and answers of matrices.

    ``design`` names one paradigm or matrix; without it all designs are drawn from that fit.
    ``where`` asks for frames, attribute values, lexemes, features and factors
    (`merula.query.narrowing`), ``acceptable`` for sentences that are, or are not. Raises
    `MerulaError` where there is none.
    """

    asked = Request("sentences", grammar, design, where, {"acceptable": acceptable})
    return asked.drawn(lambda narrow: sentences_in(narrow, acceptable), occurrence)


def answers(
    grammar: Grammar,
    *,
    breaks: str | None = None,
    design: str | None = None,
    where: Where | None = None,
) -> SearchStrategy[Occurrence]:
    """Draw answers of matrices; ``breaks`` is a rule (``E agreement``) or a class (``E``).

    Raises `MerulaError` where there is none.
    """

    def cells(narrow: Restriction) -> list[int]:
        of = narrow.plan.cells
        return [
            i
            for i in narrow.cells
            if of[i].cell.role == "answer"
            and (breaks is None or any(breaks in (rule, rule[0]) for rule in of[i].cell.broken))
        ]

    asked = Request("answers", grammar, design, where, {"breaks": breaks})
    asked.demand(breaks, _rules, "answer that breaks")
    return asked.drawn(cells, occurrence)


def pairs(
    grammar: Grammar,
    *,
    contrast: str | None = None,
    design: str | None = None,
    where: Where | None = None,
) -> SearchStrategy[Pair]:
    """Draw minimal pairs: two cells of a paradigm that differ in one factor and in acceptability.

    ``contrast`` is that factor. Raises `MerulaError` where there is none.
    """

    asked = Request("pairs", grammar, design, where, {"contrast": contrast})
    if not asked._matrices:
        asked.demand(contrast, lambda n: (pair.contrast for pair in pairs_in(n)), "contrast")
    return asked.drawn(lambda narrow: pairs_in(narrow, contrast), pair_of)


def paradigms(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Draw instances of paradigms with all cells. Raises `MerulaError` where there is none."""
    return Request("paradigms", grammar, design, where).drawn(_whole("cell"), _instance)


def matrices(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Draw instances of matrices, of type I. Raises `MerulaError` where there is none."""
    return Request("matrices", grammar, design, where).drawn(_whole("context"), _instance)


# --- what is drawn -----------------------------------------------------------------------------

NO_PAIRS = 'a matrix has no pairs: write edits(g, "cell", old="Correct", new=LABEL)'

Make = Callable[[Design, Restriction, Any, Chosen], T]  # of a part of a plan and the lexemes chosen


@dataclass(frozen=True, eq=False)
class Request:
    """A call of a strategy; ``kind`` is the function, ``more`` are the rest of its arguments."""

    kind: str
    grammar: Grammar
    design: str | None
    where: Where | None
    more: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.grammar, Grammar):
            raise TypeError(f"{self.grammar!r} is not a grammar: merula.load reads one")

    def __str__(self) -> str:
        named = {"design": self.design, "where": self.where, **self.more}
        given = [f"{name}={called(x)}" for name, x in named.items() if x is not None]
        return f"{self.kind}({', '.join([self.grammar.name, *given])})"

    @property
    def designs(self) -> list[Design]:
        """Return the designs to draw from."""
        return designs_of(self.grammar, self.design)

    @property
    def _matrices(self) -> bool:
        return all(design.kind == "matrix" for design in self.designs)

    def narrowed(self) -> list[tuple[Design, list[Restriction]]]:
        """Return the plans of each design that have what is asked for, the plainest first."""
        plans, problems = [], []
        for design in self.designs:
            try:
                plans.append((design, narrowed(design._design, self.where)))
            except MerulaError as error:
                problems.append(error)
        if not plans and problems:
            raise problems[0]
        return plans

    def demand(
        self, value: str | None, values: Callable[[Restriction], Iterable[str]], what: str
    ) -> None:
        """Raise `MerulaError` where ``value`` is not among the ``values`` of any plan."""
        if value is None:
            return
        every = {x for _, narrows in self.narrowed() for narrow in narrows for x in values(narrow)}
        if value not in every:
            raise MerulaError.of(
                "M751",
                f"{self.grammar.name} has no {what} {value}",
                remedy=did_you_mean(value, every) or f"there is {listing(sorted(every)) or 'none'}",
                place=self.grammar._compiled.source.name,
            )

    def drawn(
        self, parts: Callable[[Restriction], Sequence[Any]], make: Make[T]
    ) -> SearchStrategy[T]:
        """Return the strategy; ``parts`` gives the parts of a plan that may be drawn."""
        return self.strategy(
            DrawSource.of(narrow, of_plan, partial(make, design, narrow))
            for design, narrows in self.narrowed()
            for narrow in narrows
            if (of_plan := parts(narrow))
        )

    def strategy(self, sources: Iterable[DrawSource[T]]) -> SearchStrategy[T]:
        """Return the strategy that draws from some sources; raises `MerulaError` without any."""
        sources = list(sources)
        if not sources:
            raise MerulaError.of(
                "M751",
                f"{self.grammar.name} has nothing for {self}",
                remedy=NO_PAIRS if self.kind == "pairs" and self._matrices else "ask for less",
                place=self.grammar._compiled.source.name,
            )
        return DrawnInstance(str(self), sources)


def _rules(narrow: Restriction) -> Iterable[str]:
    """Yield the rules that answers break, and their classes."""
    for cell in narrow.plan.cells:
        if cell.cell.role == "answer":
            yield from (name for rule in cell.cell.broken for name in (rule, rule[0]))


def names(grammar: Grammar, design: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return the names that ``where`` and `edits` take, with their values, but no features.

    >>> import merula
    >>> from merula.strategies import names
    >>> names(merula.load("npi/only"), "any")["N1.number"]
    ('sg', 'pl')
    """
    values_of: dict[str, dict[str, None]] = {}
    for each in designs_of(grammar, design):
        for name, values in names_of(each._design.plans).items():
            values_of.setdefault(name, {}).update(dict.fromkeys(values))
    return {name: tuple(values) for name, values in values_of.items()}


def called(value: object) -> str:
    """Return the name of a value in messages; that of a function is the same in every process."""
    if not callable(value):
        return repr(value)
    inner = value.func if isinstance(value, partial) else value
    return str(getattr(inner, "__name__", type(inner).__name__))


def _whole(role: str) -> Callable[[Restriction], Sequence[None]]:
    def parts(narrow: Restriction) -> Sequence[None]:
        if narrow.plan.cells[0].cell.role != role or len(narrow.cells) != len(narrow.plan.cells):
            return []
        narrow.whole.space.unrank_one(0)  # makes the tables of addresses, or the first draw would
        return [None]

    return parts


def _instance(design: Design, narrow: Restriction, part: None, chosen: Chosen) -> Instance:
    del part
    return design[narrow.address(design._design, chosen)]
