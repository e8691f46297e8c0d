"""Checks of an answer set: edits without sense, claims, the right answer, crossing.

What was seen over the variants of a matrix goes in, and problems go to the report, one for all
variants. `merula.compiler.checks.design` calls each check. A claim is only compared with the rules
that an answer was found to break; no label comes from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from merula.compiler.checks.cycles import turned_round
from merula.compiler.checks.observations import DesignReport, of_variants
from merula.core.diagnostics import Label, Report
from merula.core.wording import listing, near
from merula.grammar import model as g
from merula.grammar.model import CORRECT


def check_crossing(seen: DesignReport, design: g.Matrix, report: Report) -> None:
    """Report crossed answers that are not a full crossing, one pair of each kind."""
    spans = {answer.label: answer.span for answer in design.answers}
    reported: set[bool] = set()
    for fault, variants in seen.uneven.items():
        alike = fault.broken is not None
        if alike in reported:
            continue
        reported.add(alike)
        where = of_variants(len(variants), seen.variants)
        names = [fault.one, *fault.other.split("+")]
        labels = [Label(spans[name]) for name in dict.fromkeys(names) if name in spans][:2]
        if alike:
            report.error(
                "M435",
                f"the crossed answers `{fault.one}` and `{fault.other}` break the same rules"
                f"{where}: {listing(fault.broken or ())}",
                *labels,
                remedy="cross edits each of which breaks a rule or an operator of its own",
                notes=seen.example(variants[0]),
            )
        else:
            report.error(
                "M434",
                f"the crossed edits `{fault.one}` and `{fault.other}` give another sentence in the"
                f" other order{where}",
                *labels,
                remedy="cross edits that do not change what the other one edits",
                notes=seen.example(variants[0]),
            )


def check_senseless(seen: DesignReport, answer: g.Answer, report: Report) -> None:
    """Report an answer whose edit cannot be done in some variant."""
    cases = seen.senseless.get(answer.label, [])
    if not cases or _follows(seen, answer):
        return
    where = of_variants(len(cases), seen.variants)
    if len(cases) < seen.variants:
        remedy = "add another edit for these variants: `… else …`"
    elif any(isinstance(edit, g.Unshown) for edit in _edits(answer)):
        remedy = "let the cycle show all of its values but one: `cycles 2 of absent | sg | pl`"
        if isinstance(seen.design, g.Matrix) and seen.design.rows:
            remedy = "the items are in a table, so write the value: `set n2 = pl`"
    else:
        remedy = "edit something that is there"
    report.error(
        "M403",
        f"the edits of `{answer.label}` have no sense{where}: {listing(cases[0].reasons)}",
        answer.span,
        remedy=remedy,
        notes=seen.example(cases[0].variant),
    )


def _follows(seen: DesignReport, answer: g.Answer) -> bool:
    """Return whether a combination of crossed edits has no sense because one of them has none."""
    return len(answer.steps) > 1 and any(name in seen.senseless for name in answer.label.split("+"))


def _edits(answer: g.Answer) -> Iterator[g.Edit]:
    for remedies in answer.steps:
        for edits in remedies:
            yield from edits.edits


def check_claims(seen: DesignReport, answer: g.Answer, report: Report) -> None:
    """Report an answer that breaks other rules than its author claims."""
    cases = seen.broken.get(answer.label, [])
    same = {id(v) for pair, vs in seen.equal.items() if answer.label in pair for v in vs}
    nothing = [variant for variant, broken in cases if not broken and id(variant) not in same]
    if nothing:
        where = of_variants(len(nothing), seen.variants)
        report.error(
            "M405",
            f"`{answer.label}` breaks no rule{where}, so nothing makes it wrong",
            answer.span,
            remedy="edit something that a rule or an operator decides",
            notes=seen.example(nothing[0]),
        )
        return
    wrong = [(v, b) for v, b in cases if b and not _agrees(answer, b)]
    if not wrong or _unknown_rule(seen, answer, [rule for _, b in wrong for rule in b], report):
        return
    variant, broken = wrong[0]
    where = of_variants(len(wrong), seen.variants)
    letter = broken[0][0]
    if answer.counts_as is not None and answer.counts_as not in {rule[0] for rule in broken}:
        report.error(
            "M401",
            f"`{answer.label}` is to be printed as {answer.counts_as}, but{where} it breaks only"
            f" {listing(broken)}",
            answer.span,
            remedy=f"take `as {answer.counts_as}` away, or edit something that a rule of that"
            " class decides",
            notes=seen.example(variant),
        )
        return
    claimed = listing(" ".join((c.letter, *c.rules)) for c in answer.claims)
    label = Label(answer.claims[0].span, "claimed here")
    report.error(
        "M401",
        f"`{answer.label}` is said to break {claimed}, but{where} it breaks {listing(broken)}",
        label,
        *_rule_labels(seen, broken),
        remedy=f"write `breaks {_claim_for(broken)}`"
        + (
            f", or `… as {answer.claims[0].letter}` if that class shall be printed"
            if answer.claims
            and answer.claims[0].letter in {b[0] for b in broken}
            and answer.claims[0].letter != letter
            else ""
        ),
        notes=seen.example(variant),
    )


def _claim_for(broken: Sequence[str]) -> str:
    letter = broken[0][0]
    return " ".join([letter, *dict.fromkeys(rule[2:] for rule in broken if rule[0] == letter)])


def _unknown_rule(
    seen: DesignReport, answer: g.Answer, broken: Sequence[str], report: Report
) -> bool:
    """Report a claimed rule that no answer of the design breaks, if there is one."""
    known = {rule for cases in seen.broken.values() for _, rules in cases for rule in rules}
    known |= {str(rule) for rule in seen.grammar.rules}
    known |= {f"R {variable}" for variable in seen.grammar.variables.values()}
    for claim in answer.claims:
        for name in claim.rules:
            if f"{claim.letter} {name}" in known or any(rule[2:] == name for rule in broken):
                continue
            letters = {rule[2:]: rule[0] for rule in sorted((*broken, *known), reverse=True)}
            meant = near(name, letters)
            reason, remedy = "no rule has that name", f"write `breaks {_claim_for(broken)}`"
            if name in ("and", "or"):
                remedy = "classes are separated by commas: breaks E agreement, R n1.number"
            elif name in letters:
                reason = f"{name} {_CLASSES[letters[name]]}"
                remedy = f"write `breaks {letters[name]} {name}`"
            elif meant is not None:
                remedy = f"did you mean `breaks {letters[meant]} {meant}`?"
            report.error(
                "M423",
                f"`{answer.label}` is said to break {claim.letter} {name}, but {reason}",
                Label(claim.span, "claimed here"),
                remedy=remedy,
            )
            return True
    return False


_CLASSES = {
    "E": "is an external rule",
    "I": "is an internal rule",
    "R": "belongs to class R (relational)",
}


def _rule_labels(seen: DesignReport, broken: Sequence[str]) -> Iterator[Label]:
    if not isinstance(seen.design, g.Matrix):
        return
    for cycle in seen.design.cycles:
        names = {f"{cycle.letter} {v}" for p in cycle.axis.points for v, _ in p.assignment}
        if names & set(broken):
            yield Label(cycle.span, "the operator that it breaks")
            return


def _agrees(answer: g.Answer, broken: Sequence[str]) -> bool:
    """Return whether the claims are as derived: the first class, and exactly the named rules."""
    letters = [rule[0] for rule in broken]
    if answer.counts_as is not None and answer.counts_as not in letters:
        return False
    if answer.claims and answer.claims[0].letter != letters[0]:
        return False
    for letter in {claim.letter for claim in answer.claims}:
        named = {rule for claim in answer.claims if claim.letter == letter for rule in claim.rules}
        derived = {rule[2:] for rule in broken if rule[0] == letter}
        if not derived or (named and named != derived):
            return False
    return True


def check_right_answer(seen: DesignReport, design: g.Matrix, report: Report) -> bool:
    """Report a right answer that breaks a rule; True where there is one."""
    wrong = [(v, b) for v, b in seen.broken.get(CORRECT, []) if b]
    if not wrong:
        return False
    variant, broken = wrong[0]
    where = of_variants(len(wrong), seen.variants)
    turned = turned_round(seen, design, variant, broken)
    rules = [rule for rule in seen.grammar.rules if str(rule) in broken]
    report.error(
        "M406",
        f"the right answer of {design.name} breaks {listing(broken)}{where}",
        *[Label(rule.span) for rule in rules],
        Label(design.span, "of this matrix"),
        remedy=turned or "mend the rule, or the items that lead to it",
        notes=seen.example(variant),
    )
    return True
