"""Sentences, pairs, paradigms, matrices and answers of a grammar as Hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis.strategies import SearchStrategy

from merula.api import Grammar, Instance
from merula.language.diagnostics import MerulaError
from merula.narrowing import Narrow, Where, narrowed
from merula.occurrences import Occurrence, Pair, occurrence, pair_of, pairs_in, sentences_in
from merula.strategies.draws import Drawn, Source
from merula.suite.cells import CellPair

T = TypeVar("T")


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
        return sentences_in(narrow, acceptable)

    asked = Asked("sentences", grammar, design, where, {"acceptable": acceptable})
    return asked.drawn(cells, _sentence)


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

    asked = Asked("answers", grammar, design, where, {"breaks": breaks})
    return asked.drawn(cells, _sentence)


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

    def cells(narrow: Narrow) -> list[CellPair]:
        return pairs_in(narrow, contrast)

    asked = Asked("pairs", grammar, design, where, {"contrast": contrast})
    return asked.drawn(cells, _pair)


def paradigms(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Instances of paradigms, with all their cells. Raises `MerulaError` where there is none."""
    return Asked("paradigms", grammar, design, where).drawn(_whole("cell"), _instance)


def matrices(
    grammar: Grammar, *, design: str | None = None, where: Where | None = None
) -> SearchStrategy[Instance]:
    """Instances of matrices, of type I. Raises `MerulaError` where there is none."""
    return Asked("matrices", grammar, design, where).drawn(_whole("context"), _instance)


# --- what is drawn -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Asked:
    """What a caller asks; ``kind`` is the function, ``more`` the rest of its arguments."""

    kind: str
    grammar: Grammar
    design: str | None
    where: Where | None
    more: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        named = {"design": self.design, "where": self.where, **self.more}
        given = [f"{name}={value!r}" for name, value in named.items() if value is not None]
        return f"{self.kind}({', '.join([self.grammar.name, *given])})"

    def drawn(
        self,
        parts: Callable[[Narrow], Sequence[Any]],
        make: Callable[[Source, Any, tuple[int, ...]], T],
    ) -> SearchStrategy[T]:
        """The strategy; ``parts`` says what of a plan is wanted."""
        return Drawn(str(self), self._sources(parts), make)

    def _sources(self, parts: Callable[[Narrow], Sequence[Any]]) -> list[Source]:
        """What can be drawn from, the plainest of each design first."""
        names = list(self.grammar) if self.design is None else [self.design]
        found, problems = [], []
        for name in names:
            own = self.grammar[name]
            try:
                narrow = narrowed(own._design, self.where)
            except MerulaError as error:
                problems.append(error)
                continue
            found += [Source(own, n, of) for n in narrow if (of := parts(n))]
        if not found:
            if problems:
                raise problems[0]
            raise MerulaError.of(
                "M751",
                f"{' and '.join(names)} of {self.grammar.name} has nothing of what is asked for",
                remedy="ask for less, or for another design",
            )
        return found


def _whole(role: str) -> Callable[[Narrow], Sequence[None]]:
    def parts(narrow: Narrow) -> Sequence[None]:
        there = narrow.plan.cells[0].cell.role == role
        return [None] if there and len(narrow.cells) == len(narrow.plan.cells) else []

    return parts


def _sentence(source: Source, place: int, chosen: tuple[int, ...]) -> Occurrence:
    return occurrence(source.design, source.narrow, place, chosen)


def _pair(source: Source, pair: CellPair, chosen: tuple[int, ...]) -> Pair:
    return pair_of(source.design, source.narrow, pair, chosen)


def _instance(source: Source, part: None, chosen: tuple[int, ...]) -> Instance:
    del part
    return source.design[source.narrow.address(source.design._design, chosen)]
