"""Grammars that the compiler refuses are made plainer until it does not.

What is drawn is valid in most cases; whether two forms look alike beside their neighbours, or an
edit leads to a sentence that another one gives as well, only the compiler can say. What a problem
points at is then left out: an answer, a selection, a rule, a factor, and last a design.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import Diagnostic, Label
from merula.core.frozen import frozen
from merula.core.source import Source
from merula.lexicon.table import SETS
from merula.strategies.inventing.parts import Parts, Section
from merula.strategies.inventing.sketch import Wanted
from merula.strategies.tables import TableText

STEPS = 25  # times that something is left out, before the plainest grammar is taken instead
REMOVABLE = ("answers", "select", "internal", "external")
DESIGNS = ("paradigm", "matrix")
MADE = (*DESIGNS, "answers")
# What follows a design's factors, the last first.
TAILS = (" where ", " with ", " varying ", " in ")


@frozen
class Draft:
    """A grammar as it is drawn, and plainer designs that may stand in the place of its own."""

    parts: Parts
    designs: tuple[tuple[Section, ...], ...]


@frozen(eq=False)
class Mended:
    """A grammar that compiles, and how often something was left out of it."""

    parts: Parts
    compiled: Compiled
    steps: int


def mended(draft: Draft, wanted: Wanted) -> Mended:
    """A grammar that compiles and has what is wanted, as near to a draft as can be."""
    parts, designs = draft.parts, list(draft.designs)
    for step in range(STEPS):
        found = compiled(parts)
        problem = next((p for p in found.problems if p.severity == "error"), None)
        if problem is None and _has(parts, wanted):
            return Mended(parts, found, step)
        plainer = None if problem is None else _without(parts, problem)
        if plainer is None:
            if not designs:
                break
            plainer = _with_designs(parts, designs.pop(0))
        parts = plainer
    parts = plainest(wanted)
    return Mended(parts, compiled(parts), STEPS)


def compiled(parts: Parts) -> Compiled:
    """A grammar in parts, compiled."""
    return compile_source(Source("<text>", parts.text), tables=parts.tables)


def _has(parts: Parts, wanted: Wanted) -> bool:
    """Whether a grammar has what is wanted."""
    heads = [head for head, _ in parts.sections]
    found = {head.split()[0] for head in heads}
    found |= {"crossed"} if any(head.endswith(" crossed") for head in heads) else set()
    needs = {wanted.design} if wanted.design is not None else set()
    needs |= {"answers"} if wanted.answers else set()
    needs |= {"crossed"} if wanted.crossed else set()
    return needs <= found and not found.isdisjoint(DESIGNS)


def _with_designs(parts: Parts, designs: tuple[Section, ...]) -> Parts:
    """The grammar with other designs."""
    own = [section for section in parts.sections if not section[0].startswith(MADE)]
    return replace(parts, sections=(*own, *designs))


# --- what is left out --------------------------------------------------------------------------


def _without(parts: Parts, problem: Diagnostic) -> Parts | None:
    """The grammar without what a problem points at; nothing, if that cannot be left out."""
    places = [(label, *parts.place(_line(label))) for label in _ours(problem)]
    for head in REMOVABLE:
        for _, section, entry in places:
            if entry is not None and parts.sections[section][0].startswith(head):
                return _tidied(parts.without(section, entry))
    for label, section, entry in places:
        if parts.sections[section][0].startswith(DESIGNS):
            return _plainer_design(parts, section, entry, label)
    return None


def _ours(problem: Diagnostic) -> Iterator[Label]:
    return (label for label in problem.labels if not label.span.source.cell)


def _line(label: Label) -> int:
    return label.span.source.text.count("\n", 0, label.span.start)


def _tidied(parts: Parts) -> Parts:
    """The grammar without crossed answers of which a single one is left."""
    for number, (head, entries) in enumerate(parts.sections):
        if head.endswith("crossed") and len(entries) < 2:
            return parts.with_section(number, None)
    return parts


def _plainer_design(parts: Parts, section: int, entry: int | None, label: Label) -> Parts | None:
    head, entries = parts.sections[section]
    cycles = [line for line in entries if " cycles " in line]
    if entry is not None and len(cycles) > 1:
        return parts.without(section, entry)
    start, equals, rest = head.partition(" = ")
    for tail in TAILS:
        kept, found, _ = rest.rpartition(tail)
        if found and not (tail == " in " and _frames(parts) > 1):
            return parts.with_section(section, (f"{start}{equals}{kept}", entries))
        if found and " | " in rest.rpartition(tail)[2]:
            rest = kept + found + rest.rpartition(tail)[2].split(" | ")[0]
            return parts.with_section(section, (f"{start}{equals}{rest}", entries))
    factors = re.split(r" [×*] ", rest)
    if head.startswith("paradigm") and len(factors) > 1:
        place = label.span.source.text[: label.span.start].rpartition("\n")[2]
        number = min(len(re.findall(r" [×*] ", place)), len(factors) - 1)
        del factors[number]
        return parts.with_section(section, (f"{start}{equals}{' × '.join(factors)}", entries))
    if head.startswith("paradigm") or "= ~base~" in head:
        return parts.with_section(section, None)
    return None


def _frames(parts: Parts) -> int:
    return next(len(entries) for head, entries in parts.sections if head == "frames")


# --- the plainest ------------------------------------------------------------------------------


def plainest(wanted: Wanted) -> Parts:
    """A small grammar that has what is wanted."""
    design: Section = ("paradigm ~cells~ = ~subj~.~number~", ())
    answers: tuple[Section, ...] = ()
    if wanted.design == "matrix" or wanted.answers or wanted.crossed:
        design = ("matrix ~base~ = 4 items", ("~subj~.~number~ cycles ~sg~ | ~pl~ every 1",))
        edits = ("~AE~: flip ~subj~.~number~", '~WN~: replace ~verb~ with "wrong"')
        if wanted.answers or wanted.crossed:
            answers = ((f"answers{' crossed' * wanted.crossed}", edits),)
    language = ((f"language {wanted.language}", ()),) if wanted.language else ()
    table = TableText(
        "sets.tsv", SETS, ("~subj~.~sg~", "~subj~.~pl~", "~verb~"), (("p", "ps", "v"),)
    )
    sections = (
        ("phenomenon ~random~", ()),
        *language,
        (table.declaration, ()),
        ("objects", ("~subj~ : ~noun~ (~number~)", "~verb~ : ~verb~")),
        ("attributes", ("~number~ = ~sg~ | ~pl~",)),
        ("frames", ("~main~ = ~subj~ ~verb~",)),
        design,
        *answers,
    )
    return Parts(sections, (table,))
