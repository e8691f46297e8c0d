"""The faults that the compiler has seen over the variants of a design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from merula.design.cells import Cell, Senseless, Variant
from merula.design.crossing import Uneven, uneven
from merula.design.placement import Misplaced, misplaced
from merula.grammar import model as g
from merula.grammar.model import CORRECT
from merula.plan.planner import Clash, LeftOut, Plan


@dataclass(eq=False)
class DesignReport:
    """The faults seen over the variants of a design, each reported once at the end."""

    grammar: g.Grammar
    design: g.Design
    variants: int = 0
    broken: dict[str, list[tuple[Variant, tuple[str, ...]]]] = field(default_factory=dict)
    faulty: dict[str, list[tuple[Variant, tuple[str, ...]]]] = field(default_factory=dict)
    senseless: dict[str, list[Senseless]] = field(default_factory=dict)
    equal: dict[tuple[str, str], list[Variant]] = field(default_factory=dict)
    seen_plans: dict[tuple[object, ...], Variant] = field(default_factory=dict)
    first_of: dict[Variant, Variant] = field(default_factory=dict)  # with the same instances
    repeated: list[tuple[Variant, str]] = field(default_factory=list)
    factors: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    empty: list[Plan] = field(default_factory=list)
    clash: tuple[Clash, ...] = ()  # of the first empty plan
    contested: list[tuple[Variant, Cell]] = field(default_factory=list)
    uneven: dict[Uneven, list[Variant]] = field(default_factory=dict)
    misplaced: dict[Misplaced, tuple[Variant, Cell]] = field(default_factory=dict)
    verdicts: dict[Variant, tuple[bool, ...]] = field(default_factory=dict)  # of cells: good or bad
    planned: list[Variant] = field(default_factory=list)  # the variants that have a plan
    left_out: dict[LeftOut, list[Variant]] = field(default_factory=dict)
    readable: dict[tuple[str, str], list[Variant]] = field(default_factory=dict)
    cell_labels: dict[tuple[str, ...], Variant] = field(default_factory=dict)  # first with these

    @property
    def is_matrix(self) -> bool:
        """Whether the design is a matrix."""
        return isinstance(self.design, g.Matrix)

    @property
    def same(self) -> dict[Variant, Variant]:
        """The variants that have the instances of another one, with the first of these."""
        return {v: first for v, first in self.first_of.items() if first is not v}

    def example(self, variant: Variant) -> list[str]:
        """Return a note that names a variant, where there are several."""
        return [f"for example in {variant_name(variant)}"] if self.variants > 1 else []

    def see(self, variant: Variant, cells: Sequence[Cell], senseless: Sequence[Senseless]) -> None:
        """Note what the rules say of a variant's cells."""
        self.variants += 1
        if not any(cell.contested for cell in cells):
            self.cell_labels.setdefault(tuple(cell.label for cell in cells), variant)
        for item in senseless:
            self.senseless.setdefault(item.answer.label, []).append(item)
        if isinstance(self.design, g.Matrix) and self.design.crossed and not senseless:
            for fault in uneven(self.grammar, self.design, variant, cells):
                self.uneven.setdefault(fault, []).append(variant)
        self.verdicts[variant] = tuple(cell.acceptable for cell in cells)
        for cell in cells:
            for wrong in misplaced(self.grammar, cell.item):
                self.misplaced.setdefault(wrong, (variant, cell))
            if cell.role == "answer":
                self.broken.setdefault(cell.label, []).append((variant, cell.broken))
            elif cell.role == "context" and cell.broken:
                self.faulty.setdefault(cell.label, []).append((variant, cell.broken))

    def see_plan(self, plan: Plan) -> None:
        """Note what the lexicon says of a variant."""
        self.planned.append(plan.variant)
        for left_out in plan.left_out:
            self.left_out.setdefault(left_out, []).append(plan.variant)
        for names in plan.readable:
            self.readable.setdefault(names, []).append(plan.variant)
        for pair in plan.alike:
            self.equal.setdefault(pair, []).append(plan.variant)
        for cell in plan.cells:
            self.factors.setdefault(cell.cell.label, cell.cell.factors)
        self._see_repeated(plan)
        key = (plan.space, plan.slots, tuple(cell.pieces for cell in plan.cells))
        if plan.count and not plan.readable:
            first = self.seen_plans.setdefault(key, plan.variant)
            self.first_of[plan.variant] = first
        if plan.count == 0:
            self.empty.append(plan)

    def _see_repeated(self, plan: Plan) -> None:
        right = next((c for c in plan.cells if c.cell.label == CORRECT), None)
        for cell in plan.cells:
            if cell.cell.role == "context" and right and cell.pieces == right.pieces:
                self.repeated.append((plan.variant, cell.cell.label))
                return


def of_variants(count: int, total: int) -> str:
    """Return `` in all 72 variants``, `` in 12 of 72 variants``, or "" where there is only one."""
    if total == 1:
        return ""
    return f" in all {total} variants" if count == total else f" in {count} of {total} variants"


def variant_name(variant: Variant) -> str:
    """Return a variant's frame and choices: ``main, subj.number sg pl``."""
    return ", ".join([variant.frame.name, *(f"{name} {label}" for name, label in variant.choices)])
