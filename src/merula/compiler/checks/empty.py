"""Checks of variants without instances."""

from __future__ import annotations

from collections.abc import Sequence

from merula.compiler.checks.observations import DesignReport, of_variants
from merula.core.diagnostics import Label, Report
from merula.core.wording import listing
from merula.grammar import model as g
from merula.plan.slots import lexemes_of


def check_empty(seen: DesignReport, report: Report) -> None:
    """Report variants that have no instance, with the rules and rows that clash."""
    if not seen.empty or seen.equal:
        return
    everything = len(seen.empty) == seen.variants
    if everything and _faulty_cells(report):
        return
    plan = seen.empty[0]
    where = of_variants(len(seen.empty), seen.variants)
    add = report.error if everything else report.warning
    notes = seen.example(plan.variant)
    if not seen.clash:
        bare = dict.fromkeys(f"no {lexemes_of(x.name)}" for x in plan.slots if len(x) == 0)
        add(
            "M502",
            f"{seen.design.name} has no instance{where}: {listing(bare)} is left",
            seen.design.span,
            remedy="the warnings say what was left out, and why",
            notes=notes,
        )
        return
    lexemes = {name: x for clash in seen.clash for name, x in clash.lexemes.items()}
    notes += [
        f"{'the lexical set' if name == 'set' else f'`{name}`'} is one of {_few(titles)}"
        for name, titles in lexemes.items()
        if titles
    ]
    notes += [clash.origin.text for clash in seen.clash if clash.origin.span is None]
    spans = dict.fromkeys(c.origin.span for c in seen.clash if c.origin.span is not None)
    one = len(seen.clash) == 1
    demands = "this demand" if one else f"these {len(seen.clash)} demands together"
    remedy = (
        f"take {'it' if one else 'one of them'} away, or add lexemes that satisfy"
        f" {'it' if one else 'all of them'}"
    )
    if not spans and isinstance(seen.design, g.Paradigm):
        remedy = "add lexemes whose forms differ, or leave one of these cells out with `where`"
    add(
        "M503",
        f"{seen.design.name} has no instance{where}: no lexemes satisfy {demands}",
        *([Label(span) for span in spans] or [Label(seen.design.span)]),
        remedy=remedy,
        notes=list(dict.fromkeys(notes)),
    )


def _faulty_cells(report: Report) -> bool:
    """Return whether selection cells could not be read, so that nothing can fit them."""
    places = (label.span.source for item in report.items for label in item.labels[:1])
    return any(place.cell for place in places)


def _few(titles: Sequence[str]) -> str:
    shown = ", ".join(titles[:4])
    return shown + (f" … ({len(titles)})" if len(titles) > 4 else "")
