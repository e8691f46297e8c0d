"""What an answer set gives away: chance, the classes that are broken, what grammar alone reaches.

>>> from merula.compiler.compile import compile_source
>>> from merula.core.diagnostics import Report
>>> from merula.grammar.program import read_grammar
>>> compiled = compile_source(read_grammar("blm/agreement_en", Report()))
>>> found = answer_set(compiled.designs["balanced"])
>>> found.answers, found.chance, found.grammar, round(found.classes["E"], 3)
(8, 0.125, 0.25, 0.5)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.frozen import frozen
from merula.grammar import model as g


@frozen
class AnswerSet:
    """The answers of a matrix, over all of its instances of type I.

    ``classes`` is P(E), P(I), P(R): the share of answers, the right one among them, that break
    something of the class. ``grammar`` is the chance of somebody who takes any answer that is a
    good sentence and breaks no rule (that it differs from the operators is not a fault of the
    sentence, also where their cycle is filed under I).
    """

    answers: int
    classes: Mapping[str, float]
    grammar: float

    @property
    def chance(self) -> float:
        """The chance of somebody who takes any answer."""
        return 1 / self.answers

    def to_json(self) -> dict[str, Any]:
        """Return plain values, shares to six digits."""
        return {
            "number": self.answers,
            "chance": round(self.chance, 6),
            "grammar": round(self.grammar, 6),
            **{f"P({letter})": round(share, 6) for letter, share in self.classes.items()},
        }


def pooled(every: Iterable[AnswerSet | None]) -> AnswerSet | None:
    """Return the answer set of matrices with as many instances and answers; None if one has none.

    >>> one, other = AnswerSet(4, {"E": 0.5}, 0.5), AnswerSet(4, {"E": 0.25}, 1.0)
    >>> pooled([one, other])
    AnswerSet(answers=4, classes={'E': 0.375}, grammar=0.75)
    """
    every = list(every)
    sets = [one for one in every if one is not None]
    if not sets or len(sets) < len(every):
        return None
    classes = {
        letter: sum(one.classes[letter] for one in sets) / len(sets) for letter in sets[0].classes
    }
    return AnswerSet(sets[0].answers, classes, sum(one.grammar for one in sets) / len(sets))


def answer_sets_of(compiled: Compiled) -> dict[str, AnswerSet]:
    """Return the answer sets of a grammar's matrices, by design."""
    every = {name: answer_set(d) for name, d in compiled.designs.items()}
    return {name: found for name, found in every.items() if found is not None}


def answer_set(design: CompiledDesign) -> AnswerSet | None:
    """Return the answer set of a matrix that has wrong answers and instances; else None."""
    total = sum(plan.count for plan in design.plans)
    if not isinstance(design.design, g.Matrix) or not design.design.answers or not total:
        return None
    broken = dict.fromkeys(g.LETTERS, 0)
    answers, right = 0, 0.0
    for plan in design.plans:
        cells = [cell.cell for cell in plan.cells if cell.cell.role == "answer"]
        answers = len(cells)
        good = sum(cell.acceptable for cell in cells)
        right += plan.count / good
        for letter in g.LETTERS:
            hit = sum(any(rule[0] == letter for rule in cell.broken) for cell in cells)
            broken[letter] += plan.count * hit
    classes = {letter: n / (total * answers) for letter, n in broken.items()}
    return AnswerSet(answers, classes, right / total)
