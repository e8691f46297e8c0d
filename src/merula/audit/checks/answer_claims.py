"""A check of the rules that answers break by the data against those that they break by a grammar.

Each answer is parsed back into the sentences that the grammar can build, with the rules that fail
in each. Where the data name the variant of a matrix, only answers of this variant can be meant, and
all rules are compared. In data that Merula did not make only the sentences themselves are judged: a
right answer breaks no external and no internal rule, and one labelled as an error of agreement
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix
from merula.audit.findings import Finding, Found, Settings
from merula.audit.probes.solvers import AGREEMENT
from merula.audit.view import View
from merula.audit.words import closed_up
from merula.core.diagnostics import MerulaError
from merula.core.wording import listing

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled
    from merula.compiler.examples import ExampleParser
    from merula.design.cells import Cell
    from merula.plan.planner import Plan

# Matrices that are parsed: of a known variant, and of any, where all plans of the grammar are tried
# and an answer takes several times as long.
MAX_OF_VARIANT, MAX_OF_ANY = 1_000, 200


class ClaimGrammar:
    """A grammar by which answers are parsed, each sentence once."""

    def __init__(self, compiled: Compiled) -> None:
        from merula.rows.columns import variant_text

        self.file = compiled.source.name
        self.surface = compiled.surface
        designs = [d for d in compiled.designs.values() if d.kind == "matrix"]
        self.plans: list[Plan] = [plan for design in designs for plan in design.plans]
        self.variants: dict[tuple[str, str, str], list[Plan]] = {}
        for design in designs:
            for plan in design.plans:
                key = (design.name, plan.variant.frame.name, variant_text(plan))
                self.variants.setdefault(key, []).append(plan)
        self._cells: dict[tuple[object, str], list[Cell]] = {}
        self._parsers: dict[object, ExampleParser] = {}

    def of(self, matrix: Matrix) -> Sequence[Plan] | None:
        """Return the plans of a matrix's variant; None where the grammar does not have it."""
        return self.variants.get((matrix.design, matrix.frame, matrix.variant))

    def _parser(self, variant: object, plans: Sequence[Plan] | None) -> ExampleParser:
        """Return a parser of the sentences of a variant, or of all if it is not known."""
        from merula.compiler.examples import ExampleParser

        if variant not in self._parsers:
            self._parsers[variant] = ExampleParser(plans or self.plans, self.surface)
        return self._parsers[variant]

    def read(self, matrix: Matrix, text: str) -> list[Cell]:
        """Return the cells that can have a sentence: answers of the variant, or any if unknown."""
        plans = self.of(matrix)
        key = ((matrix.design, matrix.frame, matrix.variant) if plans is not None else None, text)
        if key not in self._cells:
            cells = [cell for _, cell in self._parser(key[0], plans).readings(closed_up(text))]
            if plans is not None:
                cells = [cell for cell in cells if cell.role == "answer"]
            self._cells[key] = cells
        return self._cells[key]


def claims(view: View, settings: Settings) -> Found | None:
    """Find answers that break different rules by the grammar than by the data."""
    if view.grammar is None or not view.matrices:
        return None
    grammar = ClaimGrammar(view.grammar)
    of_variant = [m for m in view.matrices if m.broken and grammar.of(m) is not None]
    chosen = _some(
        of_variant or view.matrices, MAX_OF_VARIANT if of_variant else MAX_OF_ANY, settings
    )
    examples: list[Finding] = []
    of = read = 0
    for matrix in chosen:
        for place, text in enumerate(matrix.answers):
            of += 1
            cells = grammar.read(matrix, text)
            read += bool(cells)
            why = _against(matrix, place, cells, known=bool(of_variant))
            if why:
                text_and_why = f"{matrix.label(place)}: {shown(text)}  ← {why}"
                examples.append(Finding(matrix.place, text_and_why))
    if not read:
        raise _strange(grammar, view)
    notes = (
        [f"{of - read:,} of them not built by the grammar"] if not of_variant and read < of else []
    )
    if len(chosen) < len(view.matrices):
        notes.insert(0, f"in {len(chosen):,} matrices")
    return Found(of, tuple(examples), "; ".join(notes))


def _some(matrices: Sequence[Matrix], most: int, settings: Settings) -> list[Matrix]:
    """Return as many matrices as can be parsed, chosen by the seed."""
    if len(matrices) <= most:
        return list(matrices)
    chosen = np.random.default_rng(settings.seed).choice(len(matrices), most, replace=False)
    return [matrices[number] for number in sorted(chosen.tolist())]


def _against(matrix: Matrix, place: int, cells: Sequence[Cell], *, known: bool) -> str:
    """Return how the grammar contradicts the data about an answer; empty where it does not."""
    if known:
        claimed = set(matrix.broken[place])
        if not cells:
            return "not an answer of this variant"
        if any(set(cell.broken) == claimed for cell in cells):
            return ""
        derived = " or ".join(_rules(cell.broken) for cell in cells)
        return f"breaks {derived}, not {_rules(matrix.broken[place])}"
    if not cells:
        return ""
    good = any(cell.acceptable for cell in cells)
    if place in matrix.right and not good:
        return f"the right answer breaks {_rules(cells[0].broken)}"
    if place not in matrix.right and good and AGREEMENT.search(matrix.label(place)):
        return "breaks no rule"
    return ""


def _rules(broken: Sequence[str]) -> str:
    return listing(broken) if broken else "nothing"


def _strange(grammar: ClaimGrammar, view: View) -> MerulaError:
    """Return the error of a grammar that builds none of the answers."""
    return MerulaError.of(
        "M699",
        f"{grammar.file} builds none of the answers",
        remedy="name the grammar, and with --lexicon the tables, that the data were made with",
        notes=[f"an answer: {shown(view.matrices[0].answers[0])}"],
        place=grammar.file,
    )
