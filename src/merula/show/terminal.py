"""Drawings in a terminal: aligned, numbered, attributes coloured.

Drawings, overviews, counts and answer sets go in; what rich can print comes out. The commands print
it, and `text_of` gives the Python interface the same as plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from merula.compiler.answer_sets import AnswerSet
from merula.compiler.compiled import CompiledDesign
from merula.grammar.model import CORRECT
from merula.rows.variation import TYPE_I, Variation
from merula.show.drawing import NOTHING, Drawing, DrawnRow, Run
from merula.show.overview import Overview, count_rows

PALETTE = ("cyan", "magenta", "yellow", "green", "blue")
BAD = "red"
_ANY_WIDTH = 10_000  # columns of a console that is as wide as anything needs


def render(drawn: Drawing) -> RenderableType:
    """Return a drawing with its title; running text where the console is too narrow."""
    title = f" · {drawn.where} · {drawn.title}"
    parts: list[RenderableType] = [Text.assemble((drawn.design, "bold"), title)]
    styles = _styles(drawn)
    if styles:
        parts.append(Text("  ").join(Text(value, style) for value, style in styles.items()))
    cut = [[_text(run, styles) for run in row.words] for row in drawn.rows]
    if drawn.kind == "paradigm":
        parts.append(_Fitting((_paradigm(drawn, cut),), _running(drawn, styles)))
        return Group(*parts)
    if drawn.objects:
        outline = _outline(drawn, styles)
        whole = [[_text(row.sentence, styles)] for row in drawn.rows]
        tables = (
            _matrix(drawn, drawn.heads, cut, outline),
            _matrix(drawn, ("sentence",), whole, outline),
            _matrix(drawn, ("sentence",), whole, outline, between=",\n"),
        )
        parts.append(_Fitting(tables, _stacked(drawn, styles, outline)))
    else:
        parts.append(_Fitting((_matrix(drawn, drawn.heads, cut),), _running(drawn, styles)))
    if drawn.rules:
        parts += [Text(""), _rules(drawn)]
    return Group(*parts)


def parts(about: Overview) -> RenderableType:
    """Return the parts of a grammar, section by section."""
    language = f" · {about.language}" if about.language else ""
    doc = f"\n{about.doc}" if about.doc else ""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for section in about.sections:
        for i, entry in enumerate(section.entries):
            text = " – ".join(text for text in (entry.text, entry.doc) if text)
            table.add_row(Text("" if i else section.name, "dim"), Text(entry.name), Text(text))
    return Group(Text.assemble((about.name, "bold"), language, doc), table)


def text_of(*drawings: RenderableType) -> str:
    """Return drawings as plain text, as wide as they need, an empty line between them."""
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
    """The first of some tables that fits the console, else the sentences as running text."""

    tables: tuple[Table, ...]
    running: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        free = options.update_width(_ANY_WIDTH)
        for table in self.tables:
            if Measurement.get(console, free, table).maximum <= options.max_width:
                yield table
                return
        yield self.running


def _paradigm(drawn: Drawing, rows: Sequence[Sequence[Text]]) -> Table:
    table = _table(("", *drawn.factors, *drawn.scopes, "", *drawn.heads, "breaks"))
    for number, (row, texts) in enumerate(zip(drawn.rows, rows, strict=True), 1):
        values = [Text(value, "dim") for value in (*row.factors, *row.scopes)]
        table.add_row(str(number), *values, _star(row), *texts, _broken(row))
    return table


def _matrix(
    drawn: Drawing,
    heads: Sequence[str],
    rows: Sequence[Sequence[Text]],
    outline: Sequence[Text] = (),
    between: str = ", ",
) -> Table:
    """Return the items, the gap, the answers: the outline (if any), the words, what is broken."""
    table = _table(("", *(["outline"] if outline else []), *heads, "", "breaks"))
    if outline:
        table.columns[1].header = outline[0]
    answers = False
    for i, (row, texts) in enumerate(zip(drawn.rows, rows, strict=True), 1):
        cells = [outline[i]] if outline else []
        if row.role == "answer" and not answers:
            answers = True
            table.add_row(str(i), *("" for _ in cells), "???", end_section=True)
        table.add_row(_label(row), *cells, *texts, Text(row.letter, BAD), _broken(row, between))
    return table


def _outline(drawn: Drawing, styles: Mapping[str, str]) -> list[Text]:
    """Return the names of the objects, and for each row their values below them."""
    cells = [[Text(name) for name in drawn.objects]]
    cells += [[_text(run, styles) for run in row.outline] for row in drawn.rows]
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    for line in cells:
        for cell, width in zip(line, widths, strict=True):
            if cell.plain == NOTHING:
                cell.stylize("dim")
            cell.pad_right(width - cell.cell_len)
    return [Text("  ").join(line) for line in cells]


def _stacked(drawn: Drawing, styles: Mapping[str, str], outline: Sequence[Text]) -> Table:
    """Return each row's outline and the rules that it breaks, with the sentence below."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    answers = False
    table.add_row("", Text.assemble(outline[0], style="dim"))
    for i, row in enumerate(drawn.rows, 1):
        if row.role == "answer" and not answers:
            answers = True
            table.add_row(str(i), "???")
            table.add_row()
        broken = ("   ", (row.letter, BAD), "   ", _broken(row)) if row.broken else ()
        text = Text.assemble(outline[i], *broken)
        table.add_row(_label(row), Text("\n").join([text, _text(row.sentence, styles)]))
    return table


def _rules(drawn: Drawing) -> Table:
    """Return a table of the broken rules' doc strings."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for name, doc in drawn.rules:
        table.add_row(Text(name, BAD), Text(doc))
    return table


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=True)
    return table


def _running(drawn: Drawing, styles: Mapping[str, str]) -> Table:
    """Return one sentence under the other, and under each its label."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    names = [*drawn.factors, *drawn.scopes]
    paradigm, answers = drawn.kind == "paradigm", False
    for number, row in enumerate(drawn.rows, 1):
        if row.role == "answer" and not answers:
            answers = True
            table.add_row(str(number), "", "???")
            table.add_row()
        pairs = zip(names, (*row.factors, *row.scopes), strict=True)
        remarks = [Text(f"{name} {value}", "dim") for name, value in pairs] if paradigm else []
        if row.broken:
            letter = "" if paradigm or not row.letter else f"{row.letter}: "
            remarks.append(Text.assemble((letter, BAD), ("breaks ", "dim"), _broken(row)))
        text = _text(row.sentence, styles)
        if remarks:
            text = Text("\n").join([text, Text(" · ", "dim").join(remarks)])
        label = Text(str(number)) if paradigm else _label(row)
        table.add_row(label, _star(row) if paradigm else "", text)
    return table


def _label(row: DrawnRow) -> Text:
    if row.role == "context":
        return Text(row.label)
    return Text(row.label, "bold green" if row.label == CORRECT else "bold")


def _star(row: DrawnRow) -> Text:
    return Text("" if row.acceptable else "*", BAD)


def _broken(row: DrawnRow, between: str = ", ") -> Text:
    return Text(between.join(row.broken), BAD)


def answer_sets(sets: Mapping[str, AnswerSet]) -> Table:
    """Return a row a matrix: what its answer set gives away."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("answers of")
    for name in ("number", "chance", "grammar alone", "P(E)", "P(I)", "P(R)"):
        table.add_column(name, justify="right")
    for name, answers in sets.items():
        shares = [answers.chance, answers.grammar, *answers.classes.values()]
        table.add_row(name, str(answers.answers), *(f"{share:.1%}" for share in shares))
    return table


def counts(designs: Mapping[str, CompiledDesign], variation: Variation = TYPE_I) -> Table:
    """Return a table of exact counts, by design and frame."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name, justify in (("design", "left"), ("kind", "left"), ("frame", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name in ("variants", "cells", "good", "instances"):
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
                row.good,
                Text(row.instances, style),
            )
    return table
