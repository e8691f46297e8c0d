"""Source text → a compiled grammar: settings solved, rules checked, plans counted.

A source goes in; a `Compiled` grammar comes out, with all problems. The Python interface and the
commands call `compile_source`. The passes run one way: program → grammar → cells of every variant →
plans → checks. Problems are collected; a design with an error has no instances.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import prod

from merula.compiler.checks.design import check_design
from merula.compiler.checks.left_out import check_left_out
from merula.compiler.checks.observations import DesignReport, variant_name
from merula.compiler.checks.where import check_where
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.compiler.examples import check_examples
from merula.compiler.features import check_features, check_fillers
from merula.compiler.unmarked_licensors import check_unseen
from merula.core.diagnostics import Label, Report
from merula.core.source import Source
from merula.core.wording import did_you_mean, listing
from merula.design.cells import (
    Cell,
    Variant,
    cell_name,
    cells,
    crossed,
    lexical_choices,
    shared_values,
    variants,
)
from merula.design.placement import Item, Lexical
from merula.design.settings import Circular
from merula.grammar import model as g
from merula.grammar.program import Notice, Program, read_program, unnoticed
from merula.grammar.resolve import resolve
from merula.lexicon.table import Lexicon, TableOptions
from merula.plan.planner import Clash, Plan, Planner
from merula.plan.readings import Goods
from merula.plan.relations import TooWide

MAX_VARIANTS = 50_000  # of a design: a minute or two, where each takes a millisecond or two
MAX_CELLS = 1_000  # of a paradigm: half a million pairs of cells are compared
MAX_COMBINATIONS = 100_000  # of factors, of which `where` leaves some: tested in a second or two


def compile_source(
    source: Source,
    options: TableOptions | None = None,
    tables: Mapping[str, str | bytes] | None = None,
    report: Report | None = None,
    notice: Notice = unnoticed,
) -> Compiled:
    """Compile a grammar; nothing raises, ``problems`` holds what is wrong with it."""
    report = report if report is not None else Report()
    program = read_program(source, report, options, tables, notice)
    grammar = resolve(program.files, program.lexicon, report)
    designs = {}
    if grammar is not None and not report.failed:
        designs = _Designs(grammar, program, report).compile()
    lexicon = "" if report.failed else _lexicon_digest(program)
    return Compiled(
        source, grammar, program.surface, designs, report.sorted(), _digest(program), lexicon
    )


def _digest(program: Program) -> str:
    total = hashlib.sha256()
    for file in program.files:
        total.update(file.source.text.encode("utf-8", "surrogatepass") + b"\0")
    return total.hexdigest()


def _lexicon_digest(program: Program) -> str:
    """Return the digest of tables and surface rules, as both decide what sentences look like."""
    tables = program.lexicon.digest if program.lexicon else ""
    return hashlib.sha256(f"{tables} {program.surface.rules!r}".encode()).hexdigest()


class _Designs:
    def __init__(self, grammar: g.Grammar, program: Program, report: Report) -> None:
        self.grammar, self.program, self.report = grammar, program, report
        lexicon = program.lexicon or Lexicon()
        self.planner = Planner(grammar, lexicon, program.surface, report)
        self.unchecked: dict[str, g.Design] = {}  # what is not checked, and of which design
        self.seen: list[DesignReport] = []

    def compile(self) -> dict[str, CompiledDesign]:
        if not self.grammar.designs:
            self.report.warning(
                "M112",
                f"{self.grammar.name} has no paradigm and no matrix, so there is nothing to make",
                remedy="declare one: `paradigm NAME = factor × factor`",
                place=self.grammar.source.name,
            )
        done = {}
        for design in self.grammar.designs:
            compiled = self._design(design)
            if compiled is not None:
                done[design.name] = compiled
            for question in self.planner.unchecked:
                self.unchecked.setdefault(question, design)
        self._excluded()
        if self.program.lexicon is not None:
            check_features(self.grammar, self.program.lexicon, self.report)
            check_fillers(self.grammar, self.program.lexicon, self.report)
        elif not self.report.failed:
            self._without_lexicon(done.values())
        if not self.report.failed:
            check_examples(self.grammar, list(done.values()), self.program.surface, self.report)
        return done

    def _without_lexicon(self, designs: Iterable[CompiledDesign]) -> None:
        """Warn that there are no tables, and report names that no column of one can have.

        Where an object's words are all in the grammar, a table would not say more of it.
        """
        items = {cell.item for design in designs for _, cells in design.cells for cell in cells}
        words = [placed for item in items for placed in item.words]
        bare = {word.object for word in (x.word for x in words) if isinstance(word, Lexical)}
        fixed = {x.object for x in words if not isinstance(x.word, Lexical)} - bare
        columns = [v for v in self.grammar.variables.values() if v.lexical]
        for variable in columns:
            if variable.object in fixed:
                self._no_attribute(variable)
        if bare:
            examples = "; its examples are not checked" if self.grammar.examples else ""
            asked = [str(v) for v in columns if v.object not in fixed]
            note = f"taken for columns of its tables, unless they are misspelt: {listing(asked)}"
            self.report.warning(
                "M113",
                f"{self.grammar.name} names no lexicon, so there are only templates{examples}",
                remedy='name its tables: lexicon "nouns.tsv"',
                notes=[note] if asked else [],
                place=self.grammar.source.name,
            )

    def _no_attribute(self, variable: g.Variable) -> None:
        """Report an attribute that has been taken for a column."""
        item, name = variable.object, variable.attribute
        has = [v.attribute for v in self.grammar.by_object[item] if v.attribute and not v.lexical]
        self.report.error(
            "M103",
            f"`{item.name}` has no attribute `{name}`",
            variable.span,
            remedy=did_you_mean(name, has) or f"it has {listing(has) or 'no attributes'}",
        )

    def _design(self, design: g.Design) -> CompiledDesign | None:
        seen = DesignReport(self.grammar, design)
        self.seen.append(seen)
        made: list[tuple[Variant, tuple[Cell, ...]]] = []
        plans: list[Plan] = []
        try:
            if not self._small_enough(design):
                return None
            possible: list[tuple[Variant, tuple[Cell, ...]]] = []
            for variant in variants(self.grammar, design):
                variant_cells, senseless = cells(self.grammar, design, variant)
                seen.see(variant, variant_cells, senseless)
                if not variant_cells:
                    continue
                barred = next((cell for cell in variant_cells if cell.contested), None)
                if barred is not None:
                    seen.contested.append((variant, barred))
                    continue
                made.append((variant, variant_cells))
                if senseless or (self.program.lexicon is None and _needs_lexemes(variant_cells)):
                    continue
                possible.append((variant, variant_cells))
            good = _good_items(design, possible)
            for variant, variant_cells in possible:
                plan = self.planner.plan(design, variant, variant_cells, good)
                if plan is None:
                    return None
                if plan.count == 0 and not seen.empty:
                    seen.clash = self._clash(plan, good)
                seen.see_plan(plan)
                plans.append(plan)
        except Circular as error:
            self._circular(design, error)
            return None
        except TooWide as error:
            self._too_wide(design, error)
            return None
        before = self.report.errors
        if not check_where(seen, self.report):
            return None
        check_design(seen, self.report)
        lexicon = self.program.lexicon or Lexicon()
        check_unseen(self.grammar, lexicon, design, plans, self.report)
        left = [x for x in plans if x.count and not x.readable]
        if plans and not left and self.report.errors == before:
            self._nothing_left(design)
        if self.report.errors > before:
            left = []
        again = seen.same
        plans = [plan for plan in left if plan.variant not in again]
        starts = tuple(accumulate((plan.count for plan in plans), initial=0))
        return CompiledDesign(design, tuple(made), tuple(plans), starts[:-1], starts[-1])

    def _nothing_left(self, design: g.Design) -> None:
        self.report.error(
            "M502",
            f"{design.name} has no instance: every variant is left out",
            design.span,
            remedy="the warnings say why",
        )

    def _clash(self, plan: Plan, good: Goods) -> tuple[Clash, ...]:
        try:
            return self.planner.clash(plan, good)
        except TooWide:  # the design is small enough to count, but not without its selections
            return ()

    def _small_enough(self, design: g.Design) -> bool:
        axes = [len(axis.points) for axis in design.varying]
        if isinstance(design, g.Matrix):
            axes += [len(cycle.orders) for cycle in design.cycles]
        count = 0
        for frame in design.frames:
            features = lexical_choices(self.grammar, design, frame)
            count += prod([*axes, *(len(shared_values(self.grammar, v)) for v in features)])
        if count > MAX_VARIANTS:
            self.report.error(
                "M505",
                f"{design.name} has {count:,} variants; {MAX_VARIANTS:,} are the most",
                design.span,
                remedy="vary fewer attributes, or fix some with `with`",
            )
            return False
        return not isinstance(design, g.Paradigm) or self._few_cells(design)

    def _few_cells(self, design: g.Paradigm) -> bool:
        combinations = prod(len(axis.points) for axis in design.factors)
        fault = ""
        if combinations > MAX_COMBINATIONS and design.where is not None:
            fault = (
                f"the factors of {design.name} have {combinations:,} combinations, too many to"
                f" test; {MAX_COMBINATIONS:,} are the most"
            )
        elif combinations > MAX_CELLS:
            fixed = dict(design.fixings)
            cells = sum(1 for _ in crossed(design, fixed)) if design.where else combinations
            if cells > MAX_CELLS:
                may = "may have" if design.where else "has"
                fault = f"{design.name} {may} {cells:,} cells; {MAX_CELLS:,} are the most"
        if fault:
            self.report.error(
                "M506",
                fault,
                design.span,
                remedy="cross fewer factors, and let others vary from instance to instance:"
                " varying …",
            )
        return not fault

    def _circular(self, design: g.Design, error: Circular) -> None:
        names = listing([*error.variables, error.variables[0]], "and").replace(" and ", ", ")
        self.report.error(
            "M206",
            f"these attributes determine each other in a circle: {names}",
            Label(error.rule.span, "one of the rules"),
            Label(design.span, "in this design"),
            remedy="let one of them be given by the design, or by another rule",
        )

    def _too_wide(self, design: g.Design, error: TooWide) -> None:
        spans = {origin.span: None for origin in error.origins if origin.span is not None}
        one = len(spans) == 1
        self.report.error(
            "M504",
            f"{design.name} cannot be counted: {'this' if one else 'these'}"
            f" selection{'s' * (not one)} tie{'s' * one} {len(error.slots)} objects together too"
            " closely",
            *([Label(span) for span in spans] or [Label(design.span)]),
            remedy=f"drop {'it' if one else 'one of them'}, or let fewer features decide it",
        )

    def _excluded(self) -> None:
        """Warn of contrasts that are not checked, and of what one leaves out."""
        for question, design in list(self.unchecked.items())[:1]:
            self.report.warning(
                "M426",
                f"in {design.name}, whether {question} was not checked for all lexemes, since there"
                " are too many combinations of unequal length",
                design.span,
                remedy="give the words that differ the same number of words in every form",
            )
        check_left_out(self.seen, self.report)


def _good_items(
    design: g.Design, possible: Iterable[tuple[Variant, Sequence[Cell]]]
) -> dict[Item, str]:
    """Return the good items of a design, each with the name of a cell that it is."""
    good: dict[Item, str] = {}
    for variant, shown in possible:
        for cell in shown:
            if cell.acceptable and cell.item not in good:
                good[cell.item] = f"{cell_name(design, cell)} in {variant_name(variant)}"
    return good


def _needs_lexemes(shown: Sequence[Cell]) -> bool:
    return any(isinstance(placed.word, Lexical) for cell in shown for placed in cell.item.words)
