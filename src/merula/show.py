"""A paradigm or a matrix as a linguist draws it: aligned, numbered, attributes coloured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from merula import grammar as g
from merula.compiler import Compiled, CompiledDesign
from merula.grammar import CORRECT
from merula.items import Placed, placed_name, shown_values
from merula.meaning import Cell, Variant
from merula.plan import phrases
from merula.surface import CLOSING

PALETTE = ("cyan", "magenta", "yellow", "green", "blue")
BAD = "red"
_ANY_WIDTH = 10_000


@dataclass(frozen=True)
class _Shown:
    """A cell with the text of each of its words; ``keys`` name the columns they belong to."""

    cell: Cell
    keys: tuple[str, ...]
    texts: tuple[Text, ...]


def draw_instance(compiled: Compiled, design: CompiledDesign, address: int) -> RenderableType:
    """The instance at an address."""
    number, local = design.locate(address)
    plan = design.plans[number]
    chosen = plan.space.unrank_one(local)
    cells = [cell.cell for cell in plan.cells]
    colours = _Colours(cells)
    shown = []
    for cell in plan.cells:
        texts = compiled.surface.pieces(phrases(plan.slots, cell, chosen))
        shown.append(_shown(cell.cell, [text.strip() for text in texts], colours))
    title = f"instance {address:,} of {design.count:,}"
    return _draw(design, plan.variant, shown, colours, title)


def draw_template(design: CompiledDesign, number: int = 0) -> RenderableType:
    """The cells of a variant without lexemes."""
    variant, cells = design.cells[number]
    colours = _Colours(cells)
    shown = [
        _shown(cell, [shown_values(p) or placed_name(p) for p in cell.item.words], colours)
        for cell in cells
    ]
    title = f"template, variant {number + 1} of {len(design.cells)}"
    return _draw(design, variant, shown, colours, title)


def _shown(cell: Cell, texts: Sequence[str], colours: _Colours) -> _Shown:
    """The words of a cell by column; a position's marker and filler share one."""
    keys: list[str] = []
    styled: list[Text] = []
    for placed, text in zip(cell.item.words, texts, strict=True):
        key = placed.object.name if placed.object is not None else f'"{placed_name(placed)}"'
        word = Text(text, colours.style(placed, cell))
        if keys and key == keys[-1] and placed.object is not None:
            styled[-1] = _joined([styled[-1], word])
        else:
            keys.append(key)
            styled.append(word)
    return _Shown(cell, tuple(keys), tuple(styled))


class _Colours:
    """A colour for each value of the attributes that change between the cells."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        seen: dict[g.Variable, dict[str, None]] = {}
        for cell in cells:
            for variable, value in cell.item.solved.values.items():
                seen.setdefault(variable, {})[value] = None
        changing = [v for v, values in seen.items() if len(values) > 1]
        self.variable: dict[g.Object, g.Variable] = {}
        for v in changing:
            if not (v.attribute == "" and set(v.values) <= {g.ABSENT, g.PRESENT}):
                self.variable.setdefault(v.object, v)
        self.styles: dict[str, str] = {}
        for v in self.variable.values():
            for value in v.values:
                if value != g.ABSENT and value in seen[v]:
                    self.styles.setdefault(value, PALETTE[len(self.styles) % len(PALETTE)])

    def style(self, placed: Placed, cell: Cell) -> str:
        """The colour of a word: that of its object's value."""
        if placed.object is None:
            return ""
        variable = self.variable.get(placed.object)
        value = cell.item.solved.values.get(variable) if variable is not None else None
        return self.styles.get(value or "", "")

    def legend(self) -> Text:
        """The values in their colours."""
        parts = [Text(value, style) for value, style in self.styles.items()]
        return Text("  ").join(parts)


def _columns(shown: Sequence[_Shown]) -> list[str]:
    """One order of columns in which the words of every cell in frame order are a subsequence."""
    columns: list[str] = []
    for item in shown:
        state = item.cell.item.state
        if state.swaps or state.embeds:
            continue
        merged: list[str] = []
        matcher = SequenceMatcher(None, columns, item.keys, autojunk=False)
        for kind, a, b, c, d in matcher.get_opcodes():
            merged += columns[a:b]
            if kind in ("insert", "replace"):
                merged += item.keys[c:d]
        columns = merged
    return columns


def _places(columns: Sequence[str], item: _Shown) -> dict[int, int] | None:
    """The column of each word (column → word), or None if the words are out of frame order."""
    matcher = SequenceMatcher(None, columns, item.keys, autojunk=False)
    at = {
        block.a + i: block.b + i
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
    }
    return at if len(at) == len(item.keys) else None


def _spread(columns: Sequence[str], shown: Sequence[_Shown], item: _Shown) -> Iterator[Text]:
    """The words of a cell under its columns.

    Words out of frame order stand, in their own order, where another cell of as many words has
    its own; if there is none, all stand in the first column.
    """
    at = _places(columns, item)
    if at is None:
        others = (other for other in shown if len(other.keys) == len(item.keys))
        at = next((p for p in (_places(columns, other) for other in others) if p), None)
    for i in range(len(columns)):
        if at is None:
            yield _joined(item.texts if i == 0 else ())
        else:
            yield item.texts[at[i]] if i in at else Text("")


def _joined(texts: Iterable[Text]) -> Text:
    """Texts put together as they are written: no space after an apostrophe or before a comma."""
    joined = Text()
    for text in texts:
        before, after = joined.plain, text.plain
        if before and after and not before.endswith("'") and after[0] not in CLOSING:
            joined.append(" ")
        joined.append_text(text)
    return joined


def _rows(shown: Sequence[_Shown], *, merge: bool) -> tuple[list[str], list[list[Text]]]:
    """Column heads and, for each cell, the text under each.

    With ``merge``, neighbouring columns that are the same in all cells become one.
    """
    columns = _columns(shown)
    rows = [list(_spread(columns, shown, item)) for item in shown]
    if not merge:
        return ["" if head.startswith('"') else head for head in columns], rows
    heads: list[str] = []
    joined: list[list[Text]] = [[] for _ in rows]
    before = False
    for at, head in enumerate(columns):
        same = len({row[at].plain for row in rows}) == 1
        name = "" if head.startswith('"') else head
        if same and before:
            heads[-1] = f"{heads[-1]} {name}".strip()
            for row, made in zip(rows, joined, strict=True):
                made[-1] = _joined([made[-1], row[at]])
        else:
            heads.append(name)
            for row, made in zip(rows, joined, strict=True):
                made.append(row[at])
        before = same
    return heads, joined


def _draw(
    design: CompiledDesign,
    variant: Variant,
    shown: Sequence[_Shown],
    colours: _Colours,
    title: str,
) -> RenderableType:
    where = " · ".join([variant.frame.name, *(f"{n} {label}" for n, label in variant.choices)])
    head = Text.assemble((design.name, "bold"), f" · {where} · {title}")
    parts: list[RenderableType] = [head]
    legend = colours.legend()
    if legend.plain:
        parts.append(legend)
    draw = _paradigm if design.kind == "paradigm" else _matrix
    heads, rows = _rows(shown, merge=design.kind == "paradigm")
    running = [[_joined(row)] for row in rows]
    parts.append(_Fitting(draw(heads, rows, shown), draw(["sentence"], running, shown)))
    return Group(*parts)


@dataclass(frozen=True)
class _Fitting:
    """The aligned table where it fits the console, else sentences as running text."""

    aligned: Table
    running: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options.update_width(_ANY_WIDTH), self.aligned).maximum
        yield self.aligned if needed <= options.max_width else self.running


def _paradigm(
    heads: Sequence[str], rows: Sequence[Sequence[Text]], shown: Sequence[_Shown]
) -> Table:
    factors = [name for name, _ in shown[0].cell.factors]
    scoped = [name for name, _ in shown[0].cell.scopes if name in factors]
    names = [*factors, *(f"scope of {name}" if len(scoped) > 1 else "scope" for name in scoped)]
    table = _table(("", *names, "", *heads, "breaks"), wrap=len(heads) == 1)
    for number, (item, texts) in enumerate(zip(shown, rows, strict=True), 1):
        scopes = dict(item.cell.scopes)
        values = [Text(value, "dim") for _, value in item.cell.factors]
        values += [Text(scopes.get(name, ""), "dim") for name in scoped]
        star = Text("" if item.cell.acceptable else "*", BAD)
        table.add_row(str(number), *values, star, *texts, _broken(item.cell))
    return table


def _matrix(heads: Sequence[str], rows: Sequence[Sequence[Text]], shown: Sequence[_Shown]) -> Table:
    table = _table(("", *heads, "", "breaks"), wrap=len(heads) == 1)
    answers = False
    for item, texts in zip(shown, rows, strict=True):
        right = item.cell.label == CORRECT
        if item.cell.role == "answer" and not answers:
            answers = True
            blank = [""] * (len(heads) - 1)
            table.add_row(str(len(table.rows) + 1), "???", *blank, "", "", end_section=True)
        style = "" if item.cell.role == "context" else "bold green" if right else "bold"
        label = Text(item.cell.label, style)
        letter = Text(item.cell.letter, BAD)
        table.add_row(label, *texts, letter, _broken(item.cell))
    return table


def _table(columns: Sequence[str], *, wrap: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name in columns:
        running = wrap and name in ("sentence", "breaks")
        table.add_column(name, no_wrap=not running, overflow="fold")
    return table


def _broken(cell: Cell) -> Text:
    return Text(", ".join(cell.broken), BAD)


def counts(designs: Mapping[str, CompiledDesign]) -> Table:
    """A table of exact counts, by design and frame."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for name, justify in (("design", "left"), ("kind", "left"), ("frame", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name in ("variants", "cells", "instances"):
        table.add_column(name, justify="right")
    for design in designs.values():
        frames = design.by_frame()
        cells = len(design.cells[0][1]) if design.cells else 0
        per_frame = dict.fromkeys(frames, 0)
        for variant, _ in design.cells:
            per_frame[variant.frame.name] += 1
        table.add_row(
            Text(design.name, "bold"),
            design.kind,
            "all" if len(frames) > 1 else next(iter(frames), ""),
            f"{len(design.cells):,}",
            str(cells),
            Text(f"{design.count:,}", "bold"),
        )
        if len(frames) > 1:
            for name, number in frames.items():
                table.add_row("", "", name, f"{per_frame[name]:,}", "", f"{number:,}")
    return table
