"""Checks of cells that are contested, equal or repeated."""

from __future__ import annotations

from itertools import combinations

from merula.compiler.checks.observations import DesignReport, of_variants, variant_name
from merula.core.diagnostics import Label, Report
from merula.core.source import Span
from merula.core.wording import listing
from merula.design.cells import Variant, cell_name
from merula.grammar import model as g
from merula.grammar.conditions import variables_of
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


def check_misplaced(seen: DesignReport, report: Report) -> None:
    """Report objects at sites that a frame does not have, and two objects at one site."""
    for fault, (variant, cell) in seen.misplaced.items():
        name, frame = fault.object.name, fault.frame.name
        site = seen.grammar.variables[fault.object, "site"]
        notes = [f"{cell_name(seen.design, cell)}, in {variant_name(variant)}"]
        if fault.other is None:
            report.error(
                "M219",
                f"`{name}` is at `@{fault.site}`, which the frame {frame} does not have",
                Label(seen.design.span, "in this design"),
                Label(site.span, "the sites of the object"),
                remedy=f"mark the place in the frame with @{fault.site}, or take the frame or the"
                " value out of the design",
                notes=notes,
            )
        else:
            report.error(
                "M220",
                f"`{fault.other.name}` and `{name}` are both at `@{fault.site}` of {frame}",
                Label(seen.design.span, "in this design"),
                remedy="give one of them another site, or let the design not give both the same",
                notes=notes,
            )


def check_verdicts(seen: DesignReport, report: Report) -> None:
    """Warn of a paradigm whose cells all have one label, if its fixed values do not explain it.

    They do if a rule is about them: ``with verb.number = pl`` may make every cell bad on purpose.
    That all cells are good is a fault only if a rule might fail in one: if the design gives what
    the rule determines, or what it only tests.
    """
    design, rules = seen.design, seen.grammar.rules
    if isinstance(design, g.Matrix) or not seen.verdicts:
        return
    asked = {rule: {v for test in rule.tests for v in variables_of(test)} for rule in rules}
    if any(variable in variables for variables in asked.values() for variable, _ in design.fixings):
        return
    axes = (*design.factors, *design.varying)
    given = {v for axis in axes for point in axis.points for v, _ in point.assignment}
    determined: dict[g.Rule, set[g.Variable]] = {}
    for equation in seen.grammar.equations:
        determined.setdefault(equation.rule, set()).add(equation.target)
    may_fail = any(given & determined.get(rule, asked[rule]) for rule in rules)
    for good, word in ((False, "unacceptable"), (True, "acceptable")):
        cases = [v for v, labels in seen.verdicts.items() if labels and set(labels) == {good}]
        if not cases or (good and not may_fail):
            continue
        remedy = (
            "is a rule about something else than you think? `merula show` draws the cells; nothing"
            " is wrong if you want acceptable sentences only"
            if good
            else "do rules exclude each other? `merula show` says which rules each cell breaks"
        )
        report.warning(
            "M429",
            f"every cell of {design.name} is {word}{of_variants(len(cases), seen.variants)}",
            design.span,
            remedy=remedy,
            notes=seen.example(cases[0]) if len(cases) < seen.variants else [],
        )


def check_same_variants(seen: DesignReport, report: Report) -> None:
    """Report what varies and shows nowhere; warn of variants that are the same as another."""
    same = seen.same
    if not same or seen.equal:
        return
    other, one = next(iter(same.items()))
    for name, span in _varied(seen).items():
        if _shows_nowhere(seen, name):
            report.error(
                "M425",
                f"what varies in {seen.design.name} does not show:"
                f" `{variant_name(one)}` and `{variant_name(other)}` have the same sentences",
                span,
                remedy=f"let a frame show {name}, or do not vary it",
            )
            return
    left = len(same)
    report.warning(
        "M425",
        f"{left} of {seen.variants} variants of {seen.design.name}"
        f" {'is' if left == 1 else 'are'} left out: {'it has' if left == 1 else 'each has'} the"
        " sentences of another variant",
        seen.design.span,
        remedy="nothing is wrong if these forms are alike; else let the words show the difference",
        notes=[f"`{variant_name(one)}` and `{variant_name(other)}` have the same sentences"],
    )


def _varied(seen: DesignReport) -> dict[str, Span]:
    """Return what a design varies, with its place; the frames are one of these, named ``frame``."""
    spans = {axis.name: axis.span for axis in seen.design.varying}
    if isinstance(seen.design, g.Matrix):
        spans |= {cycle.axis.name: cycle.span for cycle in seen.design.cycles}
    features = {name for variant in seen.first_of for name, _ in variant.choices}
    return (
        dict.fromkeys(features - spans.keys(), seen.design.span)
        | spans
        | {"frame": seen.design.span}
    )


def _shows_nowhere(seen: DesignReport, name: str) -> bool:
    """Return whether variants that differ in one choice alone are always the same instances.

    The choice has to be made somewhere: at least two variants differ in it.
    """
    alike: dict[object, set[Variant]] = {}
    values: dict[object, set[str]] = {}
    for variant, first in seen.first_of.items():
        choices = {**dict(variant.choices), "frame": variant.frame.name}
        value = choices.pop(name, "")
        rest = tuple(choices.items())
        alike.setdefault(rest, set()).add(first)
        values.setdefault(rest, set()).add(value)
    varied = [rest for rest, every in values.items() if len(every) > 1]
    return bool(varied) and all(len(alike[rest]) == 1 for rest in varied)


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
        count = len(set(cases))
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
