"""What a compiler tells the author of a design: claims, contrasts, determinacy, examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from merula import grammar as g
from merula.crossing import Uneven, uneven
from merula.grammar import CORRECT
from merula.language.diagnostics import Label, Report, listing, near
from merula.meaning import Cell, Senseless, Variant, predicted
from merula.plan import Clash, Plan
from merula.settings import in_force
from merula.slots import lexemes_of


@dataclass
class DesignReport:
    """What was seen over the variants of a design, reported once each at the end."""

    grammar: g.Grammar
    design: g.Design
    variants: int = 0
    broken: dict[str, list[tuple[Variant, tuple[str, ...]]]] = field(default_factory=dict)
    faulty: dict[str, list[tuple[Variant, tuple[str, ...]]]] = field(default_factory=dict)
    senseless: dict[str, list[Senseless]] = field(default_factory=dict)
    equal: dict[tuple[str, str], list[Variant]] = field(default_factory=dict)
    same: list[tuple[Variant, Variant]] = field(default_factory=list)
    seen_plans: dict[tuple[object, ...], Variant] = field(default_factory=dict)
    repeated: list[tuple[Variant, str]] = field(default_factory=list)
    factors: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    empty: list[Plan] = field(default_factory=list)
    clash: tuple[Clash, ...] = ()  # of the first empty plan
    contested: list[tuple[Variant, Cell]] = field(default_factory=list)
    uneven: dict[Uneven, list[Variant]] = field(default_factory=dict)

    def example(self, variant: Variant) -> list[str]:
        """A note that names a variant, where there are several."""
        return [f"for example in {variant_name(variant)}"] if self.variants > 1 else []

    def see(self, variant: Variant, cells: Sequence[Cell], senseless: Sequence[Senseless]) -> None:
        """Note what the rules say of a variant's cells."""
        self.variants += 1
        for item in senseless:
            self.senseless.setdefault(item.answer.label, []).append(item)
        if isinstance(self.design, g.Matrix) and self.design.crossed and not senseless:
            for fault in uneven(self.grammar, self.design, variant, cells):
                self.uneven.setdefault(fault, []).append(variant)
        for cell in cells:
            if cell.role == "answer":
                self.broken.setdefault(cell.label, []).append((variant, cell.broken))
            elif cell.role == "context" and cell.broken:
                self.faulty.setdefault(cell.label, []).append((variant, cell.broken))

    def see_plan(self, plan: Plan) -> None:
        """Note what the lexicon says of a variant."""
        for pair in plan.alike:
            self.equal.setdefault(pair, []).append(plan.variant)
        for cell in plan.cells:
            self.factors.setdefault(cell.cell.label, cell.cell.factors)
        self._see_repeated(plan)
        key = (id(plan.space), plan.slots, tuple(cell.pieces for cell in plan.cells))
        if key in self.seen_plans:
            self.same.append((self.seen_plans[key], plan.variant))
        else:
            self.seen_plans[key] = plan.variant
        if plan.count == 0:
            self.empty.append(plan)

    def _see_repeated(self, plan: Plan) -> None:
        right = next((c for c in plan.cells if c.cell.label == CORRECT), None)
        for cell in plan.cells:
            if cell.cell.role == "context" and right and cell.pieces == right.pieces:
                self.repeated.append((plan.variant, cell.cell.label))
                return


def of_variants(some: int, total: int) -> str:
    """``in all 72 variants``, ``in 12 of 72 variants``, or nothing where there is only one."""
    if total == 1:
        return ""
    return f" in all {total} variants" if some == total else f" in {some} of {total} variants"


def variant_name(variant: Variant) -> str:
    """``main, subj.number sg pl``."""
    return ", ".join([variant.frame.name, *(f"{name} {label}" for name, label in variant.choices)])


def check_design(seen: DesignReport, report: Report) -> None:
    """Report what was seen: senseless edits, contradicted claims, equal cells, empty variants."""
    if isinstance(seen.design, g.Matrix):
        if _wrong_right_answer(seen, seen.design, report):
            return  # what the others break means nothing then
        for answer in seen.design.answers:
            _senseless(seen, answer, report)
            _claims(seen, answer, report)
        _uneven(seen, seen.design, report)
        _faulty_context(seen, report)
        for cycle in seen.design.cycles:
            _determined(seen.design, cycle, report)
    _contested(seen, report)
    _equal(seen, report)
    _same_variants(seen, report)
    _empty(seen, report)


def _uneven(seen: DesignReport, design: g.Matrix, report: Report) -> None:
    """Report crossed answers that are no full crossing, one pair of each kind."""
    spans = {answer.label: answer.span for answer in design.answers}
    told: set[bool] = set()
    for fault, variants in seen.uneven.items():
        alike = fault.broken is not None
        if alike in told:
            continue
        told.add(alike)
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


def _contested(seen: DesignReport, report: Report) -> None:
    """Say which variants are left out, since one of their cells has no label."""
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


def _senseless(seen: DesignReport, answer: g.Answer, report: Report) -> None:
    cases = seen.senseless.get(answer.label, [])
    if not cases or _follows(seen, answer):
        return
    where = of_variants(len(cases), seen.variants)
    if len(cases) < seen.variants:
        remedy = "add another edit for these variants: `… else …`"
    elif any(isinstance(edit, g.Unshown) for edit in _edits(answer)):
        remedy = "let the cycle show all of its values but one: `cycles 2 of absent | sg | pl`"
        if isinstance(seen.design, g.Matrix) and seen.design.rows:
            remedy = "the items stand in a table, so write the value: `set n2 = pl`"
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
    """Whether a combination of crossed edits has no sense because one of them has none."""
    return len(answer.steps) > 1 and any(name in seen.senseless for name in answer.label.split("+"))


def _edits(answer: g.Answer) -> Iterator[g.Edit]:
    for remedies in answer.steps:
        for edits in remedies:
            yield from edits.edits


def _claims(seen: DesignReport, answer: g.Answer, report: Report) -> None:
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
    said = listing(" ".join((c.letter, *c.rules)) for c in answer.claims)
    label = Label(answer.claims[0].span, "claimed here")
    report.error(
        "M401",
        f"`{answer.label}` is said to break {said}, but{where} it breaks {listing(broken)}",
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
            reason, remedy = "no rule is called so", f"write `breaks {_claim_for(broken)}`"
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
    """Whether the claims are what was derived: the first class, and the named rules exactly."""
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


def _wrong_right_answer(seen: DesignReport, design: g.Matrix, report: Report) -> bool:
    wrong = [(v, b) for v, b in seen.broken.get(CORRECT, []) if b]
    if not wrong:
        return False
    variant, broken = wrong[0]
    where = of_variants(len(wrong), seen.variants)
    turned = _turned(seen, design, variant, broken)
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


def _faulty_context(seen: DesignReport, report: Report) -> None:
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


def _turned(seen: DesignReport, design: g.Matrix, variant: Variant, broken: Sequence[str]) -> str:
    """What to do where a rule is written the other way round: its left side is given."""
    given = dict(variant.given)
    for _, point in predicted(design, variant, design.length - 1):
        given.update(point.assignment)
    known = frozenset(given)
    determining = in_force(seen.grammar, known)
    for equation in seen.grammar.equations:
        target, source = equation.target, equation.source
        if str(equation.rule) not in broken or target not in known or isinstance(source, str):
            continue
        others = {e.target for e in determining if e.rule is not equation.rule}
        if source not in others | known and not source.lexical:
            return (
                f"`{target} = {source}` gives {target} its value, but the matrix does that;"
                f" turn it round: {source} = {target}"
            )
    return ""


def _determined(design: g.Matrix, cycle: g.Cycle, report: Report) -> None:
    """Whether items 1 … n-1 leave one continuation of a cycle.

    Every odometer over the values with a period of at most n is tried: order, step, start.
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
    """A cycle that shows the same items but for the last: its labels in order, and its step.

    Its period is at most the number of items, so at most one of its labels is not shown yet.
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
    """The ``k`` labels of a cycle that shows all items but the last, which it shows otherwise."""
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


def _equal(seen: DesignReport, report: Report) -> None:
    if isinstance(seen.design, g.Paradigm):
        _equal_cells(seen, seen.design, report)
        return
    spans = {answer.label: answer.span for answer in seen.design.answers}
    told: set[str] = set()
    for (one, other), cases in seen.equal.items():
        if other in told:  # the same as something that it was said to be the same as
            continue
        told.add(other)
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


def _same_variants(seen: DesignReport, report: Report) -> None:
    """Variants must not be the same instances under two names: what varies has to show."""
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
    """Name the factors that do not show; else the cells that look alike."""
    axes = {axis.name: axis for axis in design.factors}
    hidden: dict[str, list[Variant]] = {}
    others: list[tuple[str, str, Variant]] = []
    for (one, other), cases in seen.equal.items():
        mine, theirs = seen.factors[one], seen.factors[other]
        differing = [name for name, value in mine if dict(theirs)[name] != value]
        if len(differing) == 1:
            hidden.setdefault(differing[0], []).extend(cases)
        else:
            others.append((one, other, cases[0]))
    for name, cases in hidden.items():
        number = len({id(variant) for variant in cases})
        report.error(
            "M402",
            f"the factor `{name}` does not show in the sentences of {design.name}"
            f"{of_variants(number, seen.variants)}",
            axes[name].span,
            remedy="give its values different words or forms, let a frame show it, or drop it",
            notes=seen.example(cases[0]),
        )
    if others and not hidden:
        one, other, variant = others[0]
        report.error(
            "M402",
            f"the cells `{one}` and `{other}` of {design.name} are one sentence",
            design.span,
            remedy="give the values different words or forms, or drop a factor",
            notes=seen.example(variant),
        )


def _empty(seen: DesignReport, report: Report) -> None:
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
    add(
        "M503",
        f"{seen.design.name} has no instance{where}: no lexemes satisfy {demands}",
        *([Label(span) for span in spans] or [Label(seen.design.span)]),
        remedy=f"take {'it' if one else 'one of them'} away, or add lexemes that satisfy"
        f" {'it' if one else 'all of them'}",
        notes=list(dict.fromkeys(notes)),
    )


def _faulty_cells(report: Report) -> bool:
    """Whether selection cells could not be read: then it is no wonder that nothing fits them."""
    places = (label.span.source for item in report.items for label in item.labels[:1])
    return any(place.cell for place in places)


def _few(titles: Sequence[str]) -> str:
    shown = ", ".join(titles[:4])
    return shown + (f" … ({len(titles)})" if len(titles) > 4 else "")
