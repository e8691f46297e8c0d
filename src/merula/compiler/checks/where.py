"""Checks of the test that says which combinations of factors are cells."""

from __future__ import annotations

from math import prod

from merula.compiler.checks.observations import DesignReport, variant_name
from merula.core.diagnostics import Report
from merula.core.wording import listing
from merula.grammar import model as g
from merula.grammar.conditions import variables_of


def check_where(seen: DesignReport, report: Report) -> bool:
    """Report a `where` that leaves no cell, all cells, or different ones from variant to variant.

    Return whether all variants have the same cells, at least one.
    """
    design = seen.design
    if not isinstance(design, g.Paradigm) or design.where is None or not seen.cell_labels:
        return True
    if not any(seen.cell_labels):
        report.error(
            "M438",
            f"`where` leaves no cell of {design.name}",
            design.where.span,
            remedy="ask about values that some cells have; of an absent object no test is true",
        )
        return False
    if len(seen.cell_labels) > 1:
        _differing(seen, design, design.where, report)
        return False
    (labels,) = seen.cell_labels
    if len(labels) == prod(len(axis.points) for axis in design.factors):
        report.warning(
            "M439",
            f"`where` leaves every cell of {design.name}, so it does nothing",
            design.where.span,
            remedy="delete it, or ask about something that is not so in every cell",
        )
    return True


def _differing(seen: DesignReport, design: g.Paradigm, where: g.Where, report: Report) -> None:
    """Report cells that are left in some variants only."""
    (some, one), (others, other) = list(seen.cell_labels.items())[:2]
    label = next((x for x in some if x not in others), None)
    if label is None:
        label = next(x for x in others if x not in some)
        one, other = other, one
    axes = (*design.factors, *design.varying)
    given = {v for axis in axes for point in axis.points for v, _ in point.assignment}
    chosen = [v for v in dict.fromkeys(variables_of(where.test)) if v.lexical and v not in given]
    report.error(
        "M440",
        f"`where` leaves different cells of {design.name} in different variants, and all instances"
        " of a paradigm have the same cells",
        where.span,
        remedy=f"lexemes have {listing(chosen)}: say under `select` which ones are meant"
        if chosen
        else "ask only about what is the same in all variants, or write a paradigm for each",
        notes=[f"`{label}` is a cell in {variant_name(one)}, but not in {variant_name(other)}"],
    )
