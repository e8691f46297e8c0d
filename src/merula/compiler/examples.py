"""Examples in a grammar (``accept "…"``, ``reject "…"``), parsed back into cells and checked.

The examples of a grammar and the plans of its designs go in; problems go to the report. Tests and
the audit read sentences of others with the same `ExampleParser`. A sentence is read from right to
left, as it is written: for every piece the forms that can end the text so far, given the edge to
the right. The forms of all pieces leave some candidates of each slot, and some combination of these
has to satisfy the constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from merula.core.diagnostics import Report
from merula.core.frozen import ById
from merula.core.wording import listing
from merula.design.cells import Cell, cell_name
from merula.grammar import model as g
from merula.lexicon.surface import END, PhraseEdge, Surface
from merula.lexicon.table import clean
from merula.plan.contrast import Piece
from merula.plan.planner import Plan, PlanCell, phrases
from merula.plan.slots import Slot

if TYPE_CHECKING:
    from merula.compiler.compiled import CompiledDesign


_NO_MARK = re.compile(r"[^\w\s'-]")


def check_examples(
    grammar: g.Grammar, designs: Sequence[CompiledDesign], surface: Surface, report: Report
) -> None:
    """Report the examples that the grammar cannot build, or labels otherwise."""
    plans = [plan for design in designs for plan in design.plans]
    if not plans:
        return
    parser = ExampleParser(plans, surface)
    for example in grammar.examples:
        readings = list(parser.readings(example.text))
        good = [(design, cell) for design, cell in readings if cell.acceptable]
        if not readings:
            near = nearest(plans, surface, example.text)
            apart = near == surface.finish(clean(example.text))
            report.error(
                "M408",
                "no cell of this grammar can be this sentence",
                example.span,
                notes=["its words are those of a cell, but these lexemes are never chosen together"]
                if apart
                else [f"the nearest is: {near}"],
                remedy="choose lexemes that satisfy the selections"
                if apart
                else "check its words and its frame; an example must be a sentence the grammar"
                " builds",
            )
        elif example.accept and not good:
            broken = listing(dict.fromkeys(rule for _, cell in readings for rule in cell.broken))
            report.error(
                "M409",
                f"this sentence should be accepted, but breaks {broken}",
                example.span,
                remedy="mend the rule, or write `reject`",
            )
        elif not example.accept and good:
            report.error(
                "M409",
                "this sentence should be rejected, but breaks no rule (it is"
                f" {cell_name(*good[0])})",
                example.span,
                remedy="add the rule that it breaks, or write `accept`",
            )


class ExampleParser:
    """Reads sentences back into the cells of some plans; cells that are alike are tried once."""

    def __init__(self, plans: Sequence[Plan], surface: Surface) -> None:
        self.surface = surface
        unlike = {
            (plan.slots, plan.space, cell.pieces, cell.cell.broken, cell.cell.acceptable): (
                plan,
                cell,
            )
            for plan in reversed(plans)
            for cell in reversed(plan.cells)
        }
        self.cells = tuple(reversed(unlike.values()))

    def readings(self, text: str) -> Iterator[tuple[g.Design, Cell]]:
        """Yield the cells that can be a sentence, each with its design."""
        wanted = self.surface.finish(clean(text))
        words = _Words(wanted, self.surface)
        for plan, cell in self.cells:
            texts = words.of_cell(plan.slots, cell.pieces)
            if texts is not None and any(
                _fits(plan, cell, way) for way in _ways(texts, self.surface, wanted)
            ):
                yield plan.design, cell.cell


class _Words:
    """The words of a sentence: a text with any other word cannot be part of it."""

    def __init__(self, sentence: str, surface: Surface) -> None:
        # in capitals, as the first letter of a sentence is made one (`ß`, `ı`)
        self._shown = set(_NO_MARK.sub("", sentence).upper().replace("'", "' ").split())
        self._changing = surface.changing
        self._possible: dict[ById, tuple[str, ...]] = {}

    def of_cell(
        self, slots: Sequence[Slot], pieces: Sequence[Piece]
    ) -> list[tuple[str, ...]] | None:
        """Return the texts that each piece of a cell can have; None where one can have none."""
        possible = []
        for piece in pieces:
            texts = self.possible(slots, piece)
            if not texts:
                return None
            possible.append(texts)
        return possible

    def possible(self, slots: Sequence[Slot], piece: Piece) -> tuple[str, ...]:
        """Return the texts that a piece can have in the sentence."""
        if piece.slot < 0:
            return (piece.text,) if self._has(piece.text) else ()
        texts = slots[piece.slot].forms[piece.text]
        key = ById(texts)
        if key not in self._possible:
            possible = dict.fromkeys(text for text in texts if self._has(text))
            self._possible[key] = tuple(possible)
        return self._possible[key]

    def _has(self, text: str) -> bool:
        """Return whether all words of a text show, except those that may be written otherwise."""
        return all(
            word.upper() in self._shown or word.lower() in self._changing or not word.isalpha()
            for word in text.split()
        )


def nearest(plans: Sequence[Plan], surface: Surface, text: str) -> str:
    """Return a sentence of the grammar near a text: slots take the lexemes with most of its words.

    Whether the lexemes go together does not count, since that may be what is wrong.
    """
    from difflib import SequenceMatcher

    wanted = surface.finish(clean(text))
    words = _NO_MARK.sub("", wanted).lower().split()
    place = {word: i for i, word in reversed(list(enumerate(words)))}
    sentences: dict[str, float] = {}
    for plan in plans:
        chosen: list[int] = []
        taken: set[str] = set()
        for slot in plan.slots:
            shown = [
                {w for column in slot.forms.values() for w in column[c].lower().split()}
                for c in range(len(slot))
            ]
            fresh = [[place[w] for w in s if w in place and w not in taken] for s in shown]
            ranks = [(len(places), -min(places, default=0)) for places in fresh]
            chosen.append(ranks.index(max(ranks)))
            taken |= shown[chosen[-1]]
        for cell in plan.cells:
            sentence = surface.sentence(phrases(plan.slots, cell, chosen))
            matcher = SequenceMatcher(None, wanted, sentence, autojunk=False)
            sentences[sentence] = matcher.ratio()
    return max(sentences, key=sentences.__getitem__)


def _ways(
    texts: Sequence[Sequence[str]], surface: Surface, wanted: str
) -> Iterator[tuple[str, ...]]:
    """Yield every way to read a sentence: a text for each piece, out of those that it may have."""

    def read(number: int, end: int, right: PhraseEdge, may_lack: str) -> Iterator[tuple[str, ...]]:
        """Yield the readings of the pieces up to ``number``, which end at ``end``.

        ``may_lack`` is what the piece to the right has lost to this one, if it is read that way.
        """
        if number < 0:
            if end == 0 and not may_lack:
                yield ()
            return
        for text in texts[number]:
            written = surface.write(text, right)
            if written.swallows != bool(may_lack):
                continue
            for as_is, lacks in ((written.text, ""), (written.withheld, written.edge.second)):
                if lacks and number == 0:
                    continue
                shown = surface.stopped(as_is) if number == len(texts) - 1 else as_is
                start = end - len(shown)
                if start >= 0 and _alike(
                    wanted[start:end], shown, capital=start == 0 and surface.capital
                ):
                    for before in read(number - 1, start, written.edge, lacks):
                        yield (*before, text)
                if not written.edge.second:
                    break

    yield from read(len(texts) - 1, len(wanted), END, "")


def _alike(piece: str, shown: str, *, capital: bool) -> bool:
    return piece == shown or (capital and piece == Surface.capitalise(shown))


def _fits(plan: Plan, cell: PlanCell, way: tuple[str, ...]) -> bool:
    """Return whether some combination of candidates has these texts."""
    keep = [np.ones(len(slot), dtype=np.bool_) for slot in plan.slots]
    for piece, text in zip(cell.pieces, way, strict=True):
        if piece.slot >= 0:
            column = plan.slots[piece.slot].forms[piece.text]
            keep[piece.slot] &= np.array([form == text for form in column], dtype=np.bool_)
    left = [np.flatnonzero(k).astype(np.int64) for k in keep]
    return all(len(x) for x in left) and plan.space.restricted(left).count > 0
