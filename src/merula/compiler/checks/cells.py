"""Checks of cells that are contested, equal or repeated."""

from __future__ import annotations

from itertools import combinations

from merula.compiler.checks.observations import DesignReport, of_variants, variant_name
from merula.core.diagnostics import Label, Report
from merula.core.wording import listing
from merula.design.cells import Variant
from merula.grammar import model as g
from merula.grammar.model import CORRECT


def check_contested(seen: DesignReport, report: Report) -> None:
    """Report variants that are left out, since one of their cells is contested."""
    if not seen.contested:
        return
    variant, cell = seen.contested[0]
    names = tuple(dict.fromkeys(name for _, cell in seen.contested for name in cell.contested))
    labels = [Label(seen.design.span, "in this design")] + [
        Label(rule.span, "contested by this test")
        for rule in seen.grammar.contested
        if rule.name in names
    ]
    left_out, all_of_them = len(seen.contested), len(seen.contested) == seen.variants
    where = f" in {variant_name(variant)}" if seen.variants > 1 else ""
    if all_of_them:
        each = " in every variant" if seen.variants > 1 else ""
        report.error(
            "M432",
            f"{seen.design.name} makes nothing: a cell is contested{each} ({listing(names)})",
            *labels,
            remedy="vary what makes it contested, so that only those variants are left out, or"
            " take these values out of the design",
            notes=[f"the cell `{cell.label}`{where}"],
        )
        return
    report.warning(
        "M432",
        f"{left_out} of {seen.variants} variants of {seen.design.name}"
        f" {'is' if left_out == 1 else 'are'} left out: a cell is contested ({listing(names)})",
        *labels,
        remedy="nothing is wrong if you want no data of them; else vary or cross other values",
        notes=[f"{'' if left_out == 1 else 'for example '}the cell `{cell.label}`{where}"],
    )


def check_equal(seen: DesignReport, report: Report) -> None:
    """Report answers, or cells of a paradigm, that are the same sentence."""
    if isinstance(seen.design, g.Paradigm):
        _equal_cells(seen, seen.design, report)
        return
    spans = {answer.label: answer.span for answer in seen.design.answers}
    reported: set[str] = set()
    for (one, other), cases in seen.equal.items():
        if other in reported:  # the same as something that it was said to be the same as
            continue
        reported.add(other)
        first = "the right answer" if one == CORRECT else f"`{one}`"
        report.error(
            "M402",
            f"`{other}` is the same sentence as {first}{of_variants(len(cases), seen.variants)}",
            *[Label(spans[x]) for x in (other, one) if x in spans],
            remedy="edit something that shows"
            if one == CORRECT
            else "delete one of them, or edit something else",
            notes=seen.example(cases[0]),
        )
    if seen.repeated and not seen.senseless:
        variant, item = seen.repeated[0]
        report.warning(
            "M407",
            f"the right answer of {seen.design.name} is item {item} of its context"
            f"{of_variants(len(seen.repeated), seen.variants)}",
            seen.design.span,
            remedy="let one more attribute change, or stop a period earlier",
            notes=seen.example(variant),
        )


def check_same_variants(seen: DesignReport, report: Report) -> None:
    """Report variants that are the same instances under two names: what varies has to show."""
    if not seen.same or seen.equal:
        return
    one, other = seen.same[0]
    names = [n for (n, a), (_, b) in zip(one.choices, other.choices, strict=False) if a != b]
    spans = {axis.name: axis.span for axis in seen.design.varying}
    if isinstance(seen.design, g.Matrix):
        spans |= {cycle.axis.name: cycle.span for cycle in seen.design.cycles}
    name = names[0] if names else f"the frame {other.frame.name}"
    report.error(
        "M425",
        f"what varies in {seen.design.name} does not show:"
        f" `{variant_name(one)}` and `{variant_name(other)}` have the same sentences",
        spans.get(name, seen.design.span),
        remedy=f"let a frame show {name}, or do not vary it",
    )


def _equal_cells(seen: DesignReport, design: g.Paradigm, report: Report) -> None:
    """Report the factors that do not show; else the cells that look alike."""
    axes = {axis.name: axis for axis in design.factors}
    hidden: dict[str, list[Variant]] = {}
    alike: list[tuple[str, str, Variant]] = []
    for (one, other), cases in seen.equal.items():
        mine, theirs = seen.factors[one], seen.factors[other]
        differing = [name for name, value in mine if dict(theirs)[name] != value]
        if len(differing) == 1:
            hidden.setdefault(differing[0], []).extend(cases)
        else:
            alike.append((one, other, cases[0]))
    for name, cases in hidden.items():
        count = len({id(variant) for variant in cases})
        where = of_variants(count, seen.variants)
        alike_in, telling = _cells_with(seen, name, cases[0])
        if not telling:
            report.error(
                "M402",
                f"the factor `{name}` does not show in the sentences of {design.name}{where}",
                axes[name].span,
                remedy="give its values different words or forms, let a frame show it, or drop it",
                notes=seen.example(cases[0]),
            )
            continue
        one, other = alike_in[0]
        report.error(
            "M402",
            f"the factor `{name}` does not show in all cells of {design.name}:"
            f" `{one}` and `{other}` are one sentence{where}",
            axes[name].span,
            remedy="leave cells that are one sentence out with `where`"
            f"{_test_suggested(seen, design, name, alike_in, telling)}, or give its values"
            " different words or forms",
            notes=seen.example(cases[0]),
        )
    if alike and not hidden:
        one, other, variant = alike[0]
        report.error(
            "M402",
            f"the cells `{one}` and `{other}` of {design.name} are one sentence",
            design.span,
            remedy="give the values different words or forms, drop a factor, or leave one of the"
            " cells out with `where`",
            notes=seen.example(variant),
        )


_Pairs = list[tuple[str, str]]


def _cells_with(seen: DesignReport, name: str, variant: Variant) -> tuple[_Pairs, _Pairs]:
    """Return the pairs of cells that differ in one factor alone: those alike, and the others."""
    alike: _Pairs = []
    telling: _Pairs = []
    for (one, mine), (other, theirs) in combinations(seen.factors.items(), 2):
        if [x for (x, a), (_, b) in zip(mine, theirs, strict=True) if a != b] == [name]:
            same = variant in seen.equal.get((one, other), ())
            (alike if same else telling).append((one, other))
    return alike, telling


def _test_suggested(
    seen: DesignReport, design: g.Paradigm, name: str, alike: _Pairs, telling: _Pairs
) -> str:
    """Return a test that keeps a factor to its first value in the cells where it does not show.

    It is found where one other factor decides in which cells that is, as `` (where pron.person =
    third or pron.gender = m)``; else the text is empty.
    """
    axes = {axis.name: axis for axis in design.factors}
    for axis in design.factors:
        if design.where is not None or axis.name == name:
            continue
        hidden = {dict(seen.factors[one])[axis.name] for one, _ in alike}
        shown = {dict(seen.factors[one])[axis.name] for one, _ in telling}
        plain = all(
            len({point.assignment[0][0] for point in x.points}) == 1 for x in (axis, axes[name])
        )
        if plain and not hidden & shown:
            values = " | ".join(point.label for point in axis.points if point.label in shown)
            first = axes[name].points[0].label
            return f" (where {axis.name} = {values} or {name} = {first})"
    return ""
