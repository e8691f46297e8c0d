"""Summaries of finished suites, as tables for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table

from merula.data.manifests.suite import ParadigmRecord, SuiteManifest
from merula.suite.plan import ParadigmPlan, SuitePlan
from merula.suite.recipe import ParadigmRecipe


def summary(plan: SuitePlan, manifest: SuiteManifest) -> RenderableType:
    """Return a table with a row for each design, or each data set of matrices."""
    if isinstance(plan, ParadigmPlan):
        return _paradigms(plan.recipe, manifest)
    return _matrices(manifest)


def _table(texts: list[str], numbers: list[str]) -> Table:
    """Return an empty table with columns of text, then columns of numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in texts:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _paradigms(recipe: ParadigmRecipe, manifest: SuiteManifest) -> Table:
    """A row for each design: paradigms, sentences, word types, the lexeme that is used most."""
    table = _table(
        [recipe.part_column, recipe.design_column], ["paradigms", "sentences", "word types"]
    )
    table.add_column("largest share of a lexeme", no_wrap=True)
    for record in manifest.designs:
        counts = (record.paradigms, record.sentences, record.word_types)
        texts = (f"{count:,}" for count in counts)
        table.add_row(record.part, record.design, *texts, _largest(record))
    totals = (
        sum(r.paradigms for r in manifest.designs),
        sum(r.sentences for r in manifest.designs),
        manifest.word_types,
    )
    if len(manifest.designs) > 1:
        table.add_section()
        table.add_row("all", "", *(f"{total:,}" for total in totals), "")
    return table


def _largest(record: ParadigmRecord) -> str:
    largest = record.largest
    return "" if largest is None else f"{largest.share:.1%}  {largest.lexeme} ({largest.slot})"


def _matrices(manifest: SuiteManifest) -> Table:
    """A row for each data set: instances by split, lexical sets, what its answers give away."""
    splits = list(dict.fromkeys(split for record in manifest.matrices for split in record.splits))
    table = _table(
        ["part", "set", "type"],
        [*splits, "lexical sets", "answers", "chance", "grammar alone"],
    )
    for record in manifest.matrices:
        units = ":".join(str(size) for size in record.units.values())
        answers = record.answers
        table.add_row(
            record.part,
            record.set,
            record.type,
            *(f"{record.splits[split]:,}" for split in splits),
            units or "shared",
            str(answers["number"]) if answers else "0",
            *(f"{answers[key]:.1%}" if answers else "" for key in ("chance", "grammar")),
        )
    return table
