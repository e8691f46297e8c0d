"""What was made, as a table for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table

from merula.data.manifests.suite import ParadigmRecord, SuiteManifest
from merula.suite.recipe import Recipe


def summary(recipe: Recipe, manifest: SuiteManifest) -> RenderableType:
    """A row a design: paradigms, sentences, word types, the lexeme that is used most."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in (recipe.part_column, recipe.design_column):
        table.add_column(name, no_wrap=True)
    for name in ("paradigms", "sentences", "word types"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("largest share of a lexeme", no_wrap=True)
    for record in manifest.designs:
        numbers = (record.paradigms, record.sentences, record.word_types)
        texts = (f"{number:,}" for number in numbers)
        table.add_row(record.part, record.design, *texts, _largest(record))
    totals = (
        sum(r.paradigms for r in manifest.designs),
        sum(r.sentences for r in manifest.designs),
        manifest.word_types,
    )
    if len(manifest.designs) > 1:
        table.add_section()
        table.add_row("all", "", *(f"{number:,}" for number in totals), "")
    return table


def matrix_summary(manifest: SuiteManifest) -> RenderableType:
    """A row a data set: instances by split, lexical sets, and what its answers give away."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in ("part", "set", "type"):
        table.add_column(name, no_wrap=True)
    splits = list(dict.fromkeys(split for record in manifest.matrices for split in record.splits))
    for name in (*splits, "lexical sets", "answers", "chance", "grammar alone"):
        table.add_column(name, justify="right", no_wrap=True)
    for record in manifest.matrices:
        units = ":".join(str(number) for number in record.units.values())
        answers = record.answers
        table.add_row(
            record.part,
            record.set,
            record.type,
            *(f"{record.splits[split]:,}" for split in splits),
            units or "shared",
            *([str(answers["number"])] if answers else ["0"]),
            *(f"{answers[key]:.1%}" if answers else "" for key in ("chance", "grammar")),
        )
    return table


def _largest(record: ParadigmRecord) -> str:
    found = record.largest
    return "" if found is None else f"{found.share:.1%}  {found.lexeme} ({found.slot})"
