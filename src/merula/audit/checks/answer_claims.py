"""What answers break by the data, against what they break by a grammar.

Each answer is parsed back into the sentences that the grammar can build, with the rules that fail
in each. Where the data name the variant of a matrix, only its own answers can be meant, and all
rules are compared. Of the data of others only the sentences themselves are judged: a right answer
breaks no external and no internal rule, and one that is labelled an error of agreement does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix
from merula.audit.findings import FindingPlace, Found, Settings
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

MOST_OWN, MOST_OTHER = 1_000, 200  # matrices that are parsed: of a known variant, of any


class ClaimGrammar:
    """A grammar that answers are parsed by; what it says of a sentence is worked out once."""

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
        self._known: dict[tuple[object, str], list[Cell]] = {}
        self._parsers: dict[object, ExampleParser] = {}

    def of(self, matrix: Matrix) -> Sequence[Plan] | None:
        """The plans of a matrix's variant; None where the grammar has not the variant."""
        return self.variants.get((matrix.design, matrix.frame, matrix.variant))

    def _parser(self, variant: object, plans: Sequence[Plan] | None) -> ExampleParser:
        """What reads the sentences of a variant, or of all where it is not known."""
        from merula.compiler.examples import ExampleParser

        if variant not in self._parsers:
            self._parsers[variant] = ExampleParser(plans or self.plans, self.surface)
        return self._parsers[variant]

    def read(self, matrix: Matrix, text: str) -> list[Cell]:
        """What a sentence can be: an answer of the variant, or any item where that is not known."""
        own = self.of(matrix)
        key = ((matrix.design, matrix.frame, matrix.variant) if own is not None else None, text)
        found = self._known.get(key)
        if found is None:
            cells = [cell for _, cell in self._parser(key[0], own).readings(closed_up(text))]
            if own is not None:
                cells = [cell for cell in cells if cell.role == "answer"]
            found = self._known[key] = cells
        return found


def claims(view: View, settings: Settings) -> Found | None:
    """Answers that break other rules by the grammar than by the data."""
    if view.grammar is None or not view.matrices:
        return None
    grammar = ClaimGrammar(view.grammar)
    own = [m for m in view.matrices if m.broken and grammar.of(m) is not None]
    chosen = _some(own or view.matrices, MOST_OWN if own else MOST_OTHER, settings)
    examples: list[FindingPlace] = []
    of = read = 0
    for matrix in chosen:
        for place, text in enumerate(matrix.answers):
            of += 1
            cells = grammar.read(matrix, text)
            read += bool(cells)
            why = _against(matrix, place, cells, known=bool(own))
            if why:
                said = f"{matrix.label(place)}: {shown(text)}  ← {why}"
                examples.append(FindingPlace(matrix.place, said))
    if not read:
        raise _strange(grammar, view)
    notes = [f"{of - read:,} of them not built by the grammar"] if not own and read < of else []
    if len(chosen) < len(view.matrices):
        notes.insert(0, f"in {len(chosen):,} matrices")
    return Found(of, tuple(examples), "; ".join(notes))


def _some(matrices: Sequence[Matrix], most: int, settings: Settings) -> list[Matrix]:
    """As many matrices as can be parsed, chosen by the seed."""
    if len(matrices) <= most:
        return list(matrices)
    chosen = np.random.default_rng(settings.seed).choice(len(matrices), most, replace=False)
    return [matrices[number] for number in sorted(chosen.tolist())]


def _against(matrix: Matrix, place: int, cells: Sequence[Cell], *, known: bool) -> str:
    """What the grammar says against the data's word on an answer; empty where they agree."""
    if known:
        claimed = set(matrix.broken[place])
        if not cells:
            return "no answer of this variant"
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
    """The error of a grammar that builds none of the answers."""
    return MerulaError.of(
        "M699",
        f"{grammar.file} builds none of the answers",
        remedy="name the grammar, and with --lexicon the tables, that the data were made with",
        notes=[f"an answer: {shown(view.matrices[0].answers[0])}"],
        place=grammar.file,
    )
