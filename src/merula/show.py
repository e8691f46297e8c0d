"""Drawings in a terminal: aligned, numbered, attributes coloured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from merula.compiler import CompiledDesign
from merula.drawing import Drawing, Row, Run
from merula.grammar import CORRECT
from merula.overview import Overview, count_rows
from merula.variation import TYPE_I, Variation

PALETTE = ("cyan", "magenta", "yellow", "green", "blue")
BAD = "red"
_ANY_WIDTH = 10_000


def render(drawn: Drawing) -> RenderableType:
    """A drawing with its title; sentences as running text where the console is too narrow."""
    title = f" · {drawn.where} · {drawn.title}"
    parts: list[RenderableType] = [Text.assemble((drawn.design, "bold"), title)]
    styles = _styles(drawn)
    if styles:
        parts.append(Text("  ").join(Text(value, style) for value, style in styles.items()))
    draw = _paradigm if drawn.kind == "paradigm" else _matrix
    aligned = [[_text(run, styles) for run in row.words] for row in drawn.rows]
    parts.append(_Fitting(draw(drawn, aligned), _running(drawn, styles)))
    return Group(*parts)


def parts(about: Overview) -> RenderableType:
    """What a grammar consists of, section by section."""
    language = f" · {about.language}" if about.language else ""
    doc = f"\n{about.doc}" if about.doc else ""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for section in about.sections:
        for i, entry in enumerate(section.entries):
            said = " – ".join(text for text in (entry.text, entry.doc) if text)
            table.add_row(Text("" if i else section.name, "dim"), Text(entry.name), Text(said))
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
    """The aligned table where it fits the console, else the sentences as running text."""

    aligned: Table
    running: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options.update_width(_ANY_WIDTH), self.aligned).maximum
        yield self.aligned if needed <= options.max_width else self.running


def _paradigm(drawn: Drawing, rows: Sequence[Sequence[Text]]) -> Table:
    table = _table(("", *drawn.factors, *drawn.scopes, "", *drawn.heads, "breaks"))
    for number, (row, texts) in enumerate(zip(drawn.rows, rows, strict=True), 1):
        values = [Text(value, "dim") for value in (*row.factors, *row.scopes)]
        table.add_row(str(number), *values, _star(row), *texts, _broken(row))
    return table


def _matrix(drawn: Drawing, rows: Sequence[Sequence[Text]]) -> Table:
    table = _table(("", *drawn.heads, "", "breaks"))
    answers = False
    for row, texts in zip(drawn.rows, rows, strict=True):
        if row.role == "answer" and not answers:
            answers = True
            blank = [""] * (len(drawn.heads) - 1)
            table.add_row(str(len(table.rows) + 1), "???", *blank, "", "", end_section=True)
        table.add_row(_label(row), *texts, Text(row.letter, BAD), _broken(row))
    return table


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=True)
    return table


def _running(drawn: Drawing, styles: Mapping[str, str]) -> Table:
    """A sentence under the other, and under each what is said of it."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    names = [*drawn.factors, *drawn.scopes]
    paradigm, answers = drawn.kind == "paradigm", False
    for number, row in enumerate(drawn.rows, 1):
        if row.role == "answer" and not answers:
            answers = True
            table.add_row(str(number), "", "???")
            table.add_row()
        pairs = zip(names, (*row.factors, *row.scopes), strict=True)
        said = [Text(f"{name} {value}", "dim") for name, value in pairs] if paradigm else []
        if row.broken:
            letter = "" if paradigm or not row.letter else f"{row.letter}: "
            said.append(Text.assemble((letter, BAD), ("breaks ", "dim"), _broken(row)))
        text = _text(row.sentence, styles)
        if said:
            text = Text("\n").join([text, Text(" · ", "dim").join(said)])
        label = Text(str(number)) if paradigm else _label(row)
        table.add_row(label, _star(row) if paradigm else "", text)
    return table


def _label(row: Row) -> Text:
    if row.role == "context":
        return Text(row.label)
    return Text(row.label, "bold green" if row.label == CORRECT else "bold")


def _star(row: Row) -> Text:
    return Text("" if row.acceptable else "*", BAD)


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
