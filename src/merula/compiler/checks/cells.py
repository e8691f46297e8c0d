"""Checks of cells that are contested, equal or repeated."""

from __future__ import annotations

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
    """
    design = seen.design
    if isinstance(design, g.Matrix) or not seen.grammar.rules or not seen.verdicts:
        return
    judged = {v for rule in seen.grammar.rules for test in rule.tests for v in variables_of(test)}
    if judged & {variable for variable, _ in design.fixings}:
        return
    for good, word in ((False, "unacceptable"), (True, "acceptable")):
        cases = [v for v, labels in seen.verdicts.items() if labels and set(labels) == {good}]
        if not cases:
            continue
        remedy = (
            "cross what a rule determines (verb.number beside subj.number); nothing is wrong if"
            " you want acceptable sentences only"
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
    if not seen.same or seen.equal:
        return
    one, other = seen.same[0]
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
    left = len(seen.same)
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
    features = {name for variant in seen.plan_of for name, _ in variant.choices}
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
    for variant, first in seen.plan_of.items():
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
        count = len({id(variant) for variant in cases})
        report.error(
            "M402",
            f"the factor `{name}` does not show in the sentences of {design.name}"
            f"{of_variants(count, seen.variants)}",
            axes[name].span,
            remedy="give its values different words or forms, let a frame show it, or drop it",
            notes=seen.example(cases[0]),
        )
    if alike and not hidden:
        one, other, variant = alike[0]
        report.error(
            "M402",
            f"the cells `{one}` and `{other}` of {design.name} are one sentence",
            design.span,
            remedy="give the values different words or forms, or drop a factor",
            notes=seen.example(variant),
        )
