"""A paradigm or a matrix as a linguist draws it, as a value: aligned rows of words.

A compiled design and an address go in; a `Drawing` comes out, in which the words of all cells are
aligned under the objects of the frame. `merula.show.terminal` draws it in a terminal,
`merula.show.html` as HTML; data cards and ``merula show`` use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.frozen import frozen
from merula.design.cells import Cell, Variant
from merula.design.outline import Outliner, frame_order, in_order, merged, objects
from merula.design.placement import Placed, placed_name, shown_values
from merula.grammar import model as g
from merula.lexicon.surface import CLOSING
from merula.plan.planner import phrases


class DrawnWord(NamedTuple):
    """Some words, with the value of their object that changes between the cells, or ""."""

    text: str
    value: str = ""


Run = tuple[DrawnWord, ...]  # words beside each other, with the spaces between them

NOTHING, THERE = "-", "+"


@frozen
class DrawnRow:
    """A sentence: ``words`` are under the heads of the drawing, ``outline`` under its objects."""

    role: str  # "cell", "context" or "answer"
    label: str
    factors: tuple[str, ...]
    scopes: tuple[str, ...]
    acceptable: bool
    words: tuple[Run, ...]
    letter: str
    broken: tuple[str, ...]
    outline: tuple[Run, ...] = ()

    @property
    def sentence(self) -> Run:
        """All words in a row."""
        return joined(self.words)


@frozen
class Drawing:
    """An instance of a design, or its cells without lexemes.

    ``factors`` and ``scopes`` name the columns before the words, ``heads`` those of the words.
    ``legend`` are the values that words are coloured by. ``objects`` names the columns of the
    outline, which a matrix has: what is in each place, `NOTHING` where nothing is, `THERE`
    where something is that shows no value. ``rules`` are the rules broken in some row that have a
    doc string.
    """

    design: str
    kind: str
    where: str  # the frame and what is chosen
    title: str  # the instance or the template
    language: str
    legend: tuple[str, ...]
    factors: tuple[str, ...]
    scopes: tuple[str, ...]
    heads: tuple[str, ...]
    rows: tuple[DrawnRow, ...]
    objects: tuple[str, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


def without_outline(drawn: Drawing) -> Drawing:
    """Return a drawing of the sentences alone."""
    return replace(drawn, objects=(), rows=tuple(replace(row, outline=()) for row in drawn.rows))


def draw_instance(compiled: Compiled, design: CompiledDesign, address: int) -> Drawing:
    """Return the instance at an address."""
    number, local = design.locate(address)
    plan = design.plans[number]
    chosen = plan.space.unrank_one(local)
    texts = [
        [text.strip() for text in compiled.surface.pieces(phrases(plan.slots, cell, chosen))]
        for cell in plan.cells
    ]
    title = f"instance {address:,} of {design.count:,}"
    language = compiled.grammar.language if compiled.grammar is not None else ""
    cells = [cell.cell for cell in plan.cells]
    drawn = _draw(design, plan.variant, cells, texts, title, language)
    if design.kind == "paradigm" or compiled.grammar is None:
        return drawn
    return _with_rules(_with_outline(drawn, plan.variant.frame, cells), compiled.grammar.rules)


def draw_template(
    design: CompiledDesign, number: int = 0, *, language: str = "", rules: Iterable[g.Rule] = ()
) -> Drawing:
    """Return the cells of a variant without lexemes."""
    variant, cells = design.cells[number]
    texts = [[shown_values(p) or placed_name(p) for p in cell.item.words] for cell in cells]
    title = f"template, variant {number + 1} of {len(design.cells)}"
    drawn = _draw(design, variant, cells, texts, title, language)
    return drawn if design.kind == "paradigm" else _with_rules(drawn, rules)


def draw_sentences(
    design: str, where: str, title: str, factors: Sequence[str], rows: Sequence[DrawnRow]
) -> Drawing:
    """Return a drawing of sentences of which only the texts are known."""
    kind = "paradigm" if rows and rows[0].role == "cell" else "matrix"
    heads = ("sentence",)
    return Drawing(design, kind, where, title, "", (), tuple(factors), (), heads, tuple(rows))


def _draw(
    design: CompiledDesign,
    variant: Variant,
    cells: Sequence[Cell],
    texts: Sequence[Sequence[str]],
    title: str,
    language: str,
) -> Drawing:
    values = _Values(cells)
    shown = [_shown(cell, texts_of, values) for cell, texts_of in zip(cells, texts, strict=True)]
    heads, words = _rows(shown, variant.frame, merge=design.kind == "paradigm")
    paradigm = design.kind == "paradigm"
    factors = [name for name, _ in cells[0].factors] if paradigm else []
    scoped = [name for name, _ in cells[0].scopes if name in factors]
    rows = tuple(
        DrawnRow(
            cell.role,
            cell.label,
            tuple(value for _, value in cell.factors) if paradigm else (),
            tuple(dict(cell.scopes).get(name, "") for name in scoped),
            cell.acceptable,
            tuple(runs),
            cell.letter,
            cell.broken,
        )
        for cell, runs in zip(cells, words, strict=True)
    )
    return Drawing(
        design.name,
        design.kind,
        variant.title,
        title,
        language,
        tuple(values.legend),
        tuple(factors),
        tuple(f"scope of {name}" if len(scoped) > 1 else "scope" for name in scoped),
        tuple(heads),
        rows,
    )


def _with_rules(drawn: Drawing, rules: Iterable[g.Rule]) -> Drawing:
    """Return a drawing with what the rules that are broken in it say."""
    broken = {name for row in drawn.rows for name in row.broken}
    docs = tuple((str(rule), rule.doc) for rule in rules if rule.doc and str(rule) in broken)
    return replace(drawn, rules=docs)


def _with_outline(drawn: Drawing, frame: g.Frame, cells: Sequence[Cell]) -> Drawing:
    """Return a drawing of a matrix with an outline of each of its sentences."""
    outliner = Outliner(cells)
    parts = [outliner.parts(cell) for cell in cells]
    shown = [{part.name: part.values for part in values} for values in parts]
    heads = [
        name
        for name in objects(frame, cells, parts)
        if any(values.get(name, (NOTHING,)) for values in shown)  # else it is the same in all
    ]
    rows = tuple(
        replace(row, outline=tuple(_values(values.get(name), drawn.legend) for name in heads))
        for row, values in zip(drawn.rows, shown, strict=True)
    )
    return replace(drawn, objects=tuple(heads), rows=rows)


def _values(values: Sequence[str] | None, legend: Sequence[str]) -> Run:
    """Return the values that an object shows, or a sign that it is absent."""
    if not values:
        return (DrawnWord(NOTHING if values is None else THERE),)
    return joined([(DrawnWord(value, value if value in legend else ""),) for value in values])


# --- words ---------------------------------------------------------------------------------------


def plain(run: Run) -> str:
    """Return the text of some words."""
    return "".join(word.text for word in run)


def joined(runs: Iterable[Run]) -> Run:
    """Return words put together as in writing: no space after an apostrophe or before a comma."""
    words: list[DrawnWord] = []
    for run in runs:
        before, after = plain(tuple(words)), plain(run)
        if before and after and not before.endswith("'") and after[0] not in CLOSING:
            words.append(DrawnWord(" "))
        words += run
    return tuple(words)


class _Shown(NamedTuple):
    """A cell with the text of each of its words; ``keys`` name the columns they belong to."""

    cell: Cell
    keys: tuple[str, ...]
    runs: tuple[Run, ...]


def _shown(cell: Cell, texts: Sequence[str], values: _Values) -> _Shown:
    """Return the words of a cell by column; a position's marker and filler share one."""
    keys: list[str] = []
    runs: list[Run] = []
    for placed, text in zip(cell.item.words, texts, strict=True):
        key = placed.object.name if placed.object is not None else f'"{placed_name(placed)}"'
        run = (DrawnWord(text, values.of(placed, cell)),)
        if keys and key == keys[-1] and placed.object is not None:
            runs[-1] = joined([runs[-1], run])
        else:
            keys.append(key)
            runs.append(run)
    return _Shown(cell, tuple(keys), tuple(runs))


class _Values:
    """The attribute of each object that changes between the cells, and the values it takes."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        values_of: dict[g.Variable, dict[str, None]] = {}
        for cell in cells:
            for variable, value in cell.item.solved.values.items():
                values_of.setdefault(variable, {})[value] = None
        changing = [v for v, values in values_of.items() if len(values) > 1]
        self.variable: dict[g.Object, g.Variable] = {}
        for v in changing:
            if not (v.attribute == "" and set(v.values) <= {g.ABSENT, g.PRESENT}):
                self.variable.setdefault(v.object, v)
        self.legend = dict.fromkeys(
            value
            for v in self.variable.values()
            for value in v.values
            if value != g.ABSENT and value in values_of[v]
        )

    def of(self, placed: Placed, cell: Cell) -> str:
        """Return the value of a word's object that tells the cells apart."""
        if placed.object is None:
            return ""
        variable = self.variable.get(placed.object)
        value = cell.item.solved.values.get(variable) if variable is not None else None
        return value if value in self.legend else ""


# --- columns -------------------------------------------------------------------------------------


def _columns(shown: Sequence[_Shown], frame: g.Frame) -> list[str]:
    """Return one order of columns, of which the words of each cell in frame order are a part."""
    ordered = [item.keys for item in shown if in_order(item.cell)]
    used = {key for keys in ordered for key in keys}
    named = [name for name in dict.fromkeys(frame_order(frame.items)) if name in used]
    return merged([named, *ordered])


def _places(columns: Sequence[str], item: _Shown) -> dict[int, int] | None:
    """Return the word of each column, by number, or None if the words are out of frame order."""
    matcher = SequenceMatcher(None, columns, item.keys, autojunk=False)
    at = {
        block.a + i: block.b + i
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
    }
    return at if len(at) == len(item.keys) else None


def _spread(columns: Sequence[str], shown: Sequence[_Shown], item: _Shown) -> Iterator[Run]:
    """Yield the words of a cell under its columns.

    Words out of frame order are put, in their own order, where another cell of as many words has
    its own; if there is none, all are put in the first column.
    """
    at = _places(columns, item)
    if at is None:
        others = (other for other in shown if len(other.keys) == len(item.keys))
        at = next((p for p in (_places(columns, other) for other in others) if p), None)
    for i in range(len(columns)):
        if at is None:
            yield joined(item.runs if i == 0 else ())
        else:
            yield item.runs[at[i]] if i in at else ()


def _rows(
    shown: Sequence[_Shown], frame: g.Frame, *, merge: bool
) -> tuple[list[str], list[list[Run]]]:
    """Return column heads and, for each cell, the words under each.

    With ``merge``, neighbouring columns that are the same in all cells become one.
    """
    columns = _columns(shown, frame)
    rows = [list(_spread(columns, shown, item)) for item in shown]
    if not merge:
        return ["" if head.startswith('"') else head for head in columns], rows
    heads: list[str] = []
    merged: list[list[Run]] = [[] for _ in rows]
    before = False
    for at, head in enumerate(columns):
        same = len({plain(row[at]) for row in rows}) == 1
        name = "" if head.startswith('"') else head
        if same and before:
            heads[-1] = f"{heads[-1]} {name}".strip()
            for row, made in zip(rows, merged, strict=True):
                made[-1] = joined([made[-1], row[at]])
        else:
            heads.append(name)
            for row, made in zip(rows, merged, strict=True):
                made.append(row[at])
        before = same
    return heads, merged
