"""Drawings in a terminal: aligned, numbered, attributes coloured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from merula import drawing
from merula.compiler import Compiled, CompiledDesign
from merula.drawing import Drawing, Row, Run
from merula.grammar import CORRECT
from merula.overview import Overview, count_rows
from merula.variation import TYPE_I, Variation

PALETTE = ("cyan", "magenta", "yellow", "green", "blue")
BAD = "red"
_ANY_WIDTH = 10_000


def draw_instance(compiled: Compiled, design: CompiledDesign, address: int) -> RenderableType:
    """The instance at an address."""
    return render(drawing.draw_instance(compiled, design, address))


def draw_template(design: CompiledDesign, number: int = 0) -> RenderableType:
    """The cells of a variant without lexemes."""
    return render(drawing.draw_template(design, number))


def render(drawn: Drawing) -> RenderableType:
    """A drawing with its title; sentences as running text where the console is too narrow."""
    title = f" · {drawn.where} · {drawn.title}"
    parts: list[RenderableType] = [Text.assemble((drawn.design, "bold"), title)]
    styles = _styles(drawn)
    if styles:
        parts.append(Text("  ").join(Text(value, style) for value, style in styles.items()))
    draw = _paradigm if drawn.kind == "paradigm" else _matrix
    aligned = [[_text(run, styles) for run in row.words] for row in drawn.rows]
    running = [[_text(row.sentence, styles)] for row in drawn.rows]
    parts.append(_Fitting(draw(drawn, drawn.heads, aligned), draw(drawn, ["sentence"], running)))
    return Group(*parts)


def parts(about: Overview) -> RenderableType:
    """What a grammar consists of, section by section."""
    language = f" · {about.language}" if about.language else ""
    doc = f"\n{about.doc}" if about.doc else ""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for section in about.sections:
        for i, entry in enumerate(section.entries):
            said = " – ".join(text for text in (entry.text, entry.doc) if text)
            table.add_row(Text("" if i else section.name, "dim"), entry.name, said)
    return Group(Text.assemble((about.name, "bold"), language, doc), table)


def text_of(*drawings: RenderableType) -> str:
    """Drawings as plain text, as wide as they need, an empty line between them."""
    console = Console(highlight=False, width=_ANY_WIDTH, color_system=None, record=False)
    with console.capture() as capture:
        for i, item in enumerate(drawings):
            if i:
                console.print()
            console.print(item)
    return "\n".join(line.rstrip() for line in capture.get().split("\n")).rstrip("\n")


def _styles(drawn: Drawing) -> dict[str, str]:
    return {value: PALETTE[i % len(PALETTE)] for i, value in enumerate(drawn.legend)}


def _text(run: Run, styles: Mapping[str, str]) -> Text:
    return Text.assemble(*((word.text, styles.get(word.value, "")) for word in run))


@dataclass(frozen=True)
class _Fitting:
    """The aligned table where it fits the console, else sentences as running text."""

    aligned: Table
    running: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options.update_width(_ANY_WIDTH), self.aligned).maximum
        yield self.aligned if needed <= options.max_width else self.running


def _paradigm(drawn: Drawing, heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> Table:
    names = [*drawn.factors, *drawn.scopes]
    table = _table(("", *names, "", *heads, "breaks"), wrap=len(heads) == 1)
    for number, (row, texts) in enumerate(zip(drawn.rows, rows, strict=True), 1):
        values = [Text(value, "dim") for value in (*row.factors, *row.scopes)]
        star = Text("" if row.acceptable else "*", BAD)
        table.add_row(str(number), *values, star, *texts, _broken(row))
    return table


def _matrix(drawn: Drawing, heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> Table:
    table = _table(("", *heads, "", "breaks"), wrap=len(heads) == 1)
    answers = False
    for row, texts in zip(drawn.rows, rows, strict=True):
        right = row.label == CORRECT
        if row.role == "answer" and not answers:
            answers = True
            blank = [""] * (len(heads) - 1)
            table.add_row(str(len(table.rows) + 1), "???", *blank, "", "", end_section=True)
        style = "" if row.role == "context" else "bold green" if right else "bold"
        label = Text(row.label, style)
        letter = Text(row.letter, BAD)
        table.add_row(label, *texts, letter, _broken(row))
    return table


def _table(columns: Sequence[str], *, wrap: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in columns:
        running = wrap and name in ("sentence", "breaks")
        table.add_column(name, no_wrap=not running, overflow="fold")
    return table


def _broken(row: Row) -> Text:
    return Text(", ".join(row.broken), BAD)


def counts(designs: Mapping[str, CompiledDesign], variation: Variation = TYPE_I) -> Table:
    """A table of exact counts, by design and frame."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name, justify in (("design", "left"), ("kind", "left"), ("frame", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name in ("variants", "cells", "instances"):
        table.add_column(name, justify="right")
    for design in designs.values():
        for row in count_rows(design, variation):
            style = "bold" if row.name else ""
            table.add_row(
                Text(row.name, style),
                row.kind,
                row.frame,
                row.variants,
                row.cells,
                Text(row.instances, style),
            )
    return table
