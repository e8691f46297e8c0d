"""Checks of a matrix's context: faulty items, and cycles that do not determine the answer."""

from __future__ import annotations

from collections.abc import Sequence

from merula.compiler.checks.observations import DesignReport, of_variants
from merula.core.diagnostics import Label, Report
from merula.core.wording import listing
from merula.design.cells import Variant, predicted
from merula.design.settings import in_force
from merula.grammar import model as g


def check_context(seen: DesignReport, report: Report) -> None:
    """Report items of the context that break a rule."""
    for label, cases in seen.faulty.items():
        variant, broken = cases[0]
        report.warning(
            "M427",
            f"item {label} of {seen.design.name} breaks {listing(broken)}"
            f"{of_variants(len(cases), seen.variants)}: the context shows what the rules forbid",
            seen.design.span,
            remedy="mend the item or the rule, unless the context is meant to",
            notes=seen.example(variant),
        )


def turned_round(
    seen: DesignReport, design: g.Matrix, variant: Variant, broken: Sequence[str]
) -> str:
    """Return the remedy where a broken rule determines what the matrix gives, or an empty text."""
    assigned = dict(variant.given)
    for _, point in predicted(design, variant, design.length - 1):
        assigned.update(point.assignment)
    given = frozenset(assigned)
    determining = in_force(seen.grammar, given)
    for equation in seen.grammar.equations:
        target, source = equation.target, equation.source
        if str(equation.rule) not in broken or target not in given or isinstance(source, str):
            continue
        determined = {e.target for e in determining if e.rule is not equation.rule}
        if source not in determined | given and not source.lexical:
            return (
                f"`{target} = {source}` gives {target} its value, but the matrix does that;"
                f" turn it round: {source} = {target}"
            )
    return ""


def check_determinacy(design: g.Matrix, cycle: g.Cycle, report: Report) -> None:
    """Report a cycle that items 1 … n-1 continue in more than one way.

    Every cycle over the values with a period of at most n is tried: order, step, start.
    """
    n = design.length
    for order in cycle.orders[:1]:  # the others differ in the names of values only
        shown = [order[i // cycle.every % len(order)].label for i in range(n)]
        rival = _rival(shown, [p.label for p in cycle.axis.points])
        if rival is None:
            continue
        labels, every = rival
        report.error(
            "M404",
            f"items 1 to {n - 1} do not determine item {n}: {cycle.axis.name} goes"
            f" {' '.join(shown[:-1])}, then {shown[-1]}, but"
            f" {_as_cycle(labels, every)} goes on otherwise",
            Label(cycle.every_span, f"with this step, item {n} is {shown[-1]}"),
            remedy="choose a step that shows a whole period before the last item",
        )
        return


def _as_cycle(labels: Sequence[str], every: int) -> str:
    if len(labels) == 1:
        return f"{labels[0]} throughout"
    return f"{' | '.join(labels)} every {every}"


def _rival(shown: Sequence[str], values: Sequence[str]) -> tuple[tuple[str, ...], int] | None:
    """Return a cycle that shows the same items but for the last: its labels in order, and its step.

    Its period is at most the number of items, so at most one of its labels is not shown yet. Four
    singulars before a plural may as well be singular throughout; two of either leave one way to go.

    >>> _rival("sg sg sg sg pl".split(), ["sg", "pl"])
    (('sg',), 1)
    >>> _rival("sg sg pl pl sg".split(), ["sg", "pl"])
    """
    seen = list(dict.fromkeys(shown[:-1]))
    unseen = [v for v in dict.fromkeys(values) if v not in seen]
    for k in range(len(seen), min(len(seen) + len(unseen[:1]), len(shown)) + 1):
        for every in range(1, len(shown) // k + 1):
            for start in range(k * every):
                labels = _continued(shown, k, every, start, unseen)
                if labels is not None:
                    return labels, every
    return None


def _continued(
    shown: Sequence[str], k: int, every: int, start: int, unseen: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the ``k`` labels of a cycle that shows all items but the last; None if none does."""
    places = [(i + start) // every % k for i in range(len(shown))]
    labels: dict[int, str] = {}
    for place, label in zip(places[:-1], shown[:-1], strict=True):
        if labels.setdefault(place, label) != label:
            return None
    if len(set(labels.values())) < len(labels):
        return None
    free = [v for v in unseen if places[-1] in labels or v != shown[-1]]
    for place in range(k):
        if place not in labels and not free:
            return None
        if place not in labels:
            labels[place] = free.pop(0)
    if labels[places[-1]] == shown[-1]:
        return None
    return tuple(labels[place] for place in range(k))
