"""A compiled grammar at a glance, as a value: its parts, its tables, exact numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.frozen import frozen
from merula.core.wording import counted
from merula.grammar import model as g
from merula.lexicon.table import SETS
from merula.rows.variation import TYPE_I, AddressSpace, Variation


class OverviewEntry(NamedTuple):
    """An entry of a section: its name, its content, and its doc string."""

    name: str
    text: str
    doc: str = ""


@frozen
class OverviewSection:
    """A section of a grammar."""

    name: str
    entries: tuple[OverviewEntry, ...]


@frozen
class Overview:
    """A grammar: its name, and its sections that have entries."""

    name: str
    doc: str
    language: str
    sections: tuple[OverviewSection, ...]


class CountRow(NamedTuple):
    """A row of the table of counts, numbers written out; a frame has a row under its design."""

    name: str
    kind: str
    frame: str
    variants: str
    cells: str
    good: str  # how many of the cells are acceptable: ``4``, or ``2–4`` where variants differ
    instances: str


def overview(compiled: Compiled) -> Overview:
    """Return the parts of a grammar, in the order of its sections."""
    grammar = compiled.grammar
    assert grammar is not None
    sections = {
        "lexicon": _tables(compiled),
        "objects": _objects(grammar),
        "attributes": _attributes(grammar),
        "external": _rules(grammar.rules, "E"),
        "internal": _rules(grammar.rules, "I"),
        "contested": _rules(grammar.contested, ""),
        "select": (
            OverviewEntry("", text)
            for text in dict.fromkeys(_line(x.span.text) for x in grammar.selections)
        ),
        "frames": _frames(grammar),
        "paradigms": _factors(grammar),
        "matrices": _cycles(grammar),
        "answers": _answers(grammar),
    }
    found = (OverviewSection(name, tuple(entries)) for name, entries in sections.items())
    return Overview(
        grammar.name, grammar.doc, grammar.language, tuple(s for s in found if s.entries)
    )


def count_rows(design: CompiledDesign, variation: Variation = TYPE_I) -> list[CountRow]:
    """Return the exact counts of a design, then of each of its frames if it has several."""
    space = AddressSpace(design, variation)
    frames = space.by_frame()
    variants = dict.fromkeys(frames, 0)
    for variant, _ in design.cells:
        variants[variant.frame.name] += 1
    several = len(frames) > 1
    cells = len(design.cells[0][1]) if design.cells else 0
    head = CountRow(
        design.name,
        design.kind,
        "all" if several else next(iter(frames), ""),
        f"{len(design.cells):,}",
        str(cells),
        span_of(good_cells(design)),
        f"{space.count:,}",
    )
    rest = [
        CountRow("", "", name, f"{variants[name]:,}", "", "", f"{number:,}")
        for name, number in frames.items()
    ]
    return [head, *(rest if several else [])]


def good_cells(design: CompiledDesign) -> tuple[int, int]:
    """Return the least and the most cells of a variant that are acceptable."""
    numbers = [sum(cell.acceptable for cell in shown) for _, shown in design.cells] or [0]
    return min(numbers), max(numbers)


def span_of(numbers: tuple[int, int]) -> str:
    """Return two numbers as one says them: ``4``, or ``2–4``."""
    least, most = numbers
    return str(least) if least == most else f"{least}–{most}"


def _tables(compiled: Compiled) -> Iterator[OverviewEntry]:
    """Yield the tables that words are taken from, and how many rows of each kind there are."""
    plans = (plan for design in compiled.designs.values() for plan in design.plans)
    tables = dict.fromkeys(slot.rows for plan in plans for slot in plan.slots)
    for rows in (rows for rows in tables if rows is not None):
        files = dict.fromkeys(place.rpartition(":")[0] for place in rows.places)
        noun = "set" if rows.kind == SETS else "lexeme"
        kind = "" if rows.kind == SETS else f" of the category {rows.kind}"
        yield OverviewEntry(", ".join(files), f"{counted(len(rows), noun)}{kind}")


def _objects(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Yield the objects, those of one category and the same attributes together."""
    by_line: dict[str, list[str]] = {}
    for item in grammar.objects.values():
        attributes = [v for v in grammar.by_object[item] if v.attribute and not v.lexical]
        features = [f"{v.attribute} = {v.default}" if v.fixed else v.attribute for v in attributes]
        category = "position" if item.position else item.category
        text = category + (f" ({', '.join(features)})" if features else "")
        by_line.setdefault(text, []).append(item.name + "?" * item.optional)
    for text, names in by_line.items():
        yield OverviewEntry(", ".join(names), text)


def _attributes(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Yield every attribute with its values, once for all objects that have the same ones."""
    objects_of: dict[tuple[str, str], list[str]] = {}
    for variable in grammar.variables.values():
        values = [_value(variable, value) for value in variable.values]
        if variable.lexical or set(variable.values) <= {g.ABSENT, g.PRESENT}:
            continue
        name = variable.attribute or variable.object.name
        objects_of.setdefault((name, " | ".join(values)), []).append(variable.object.name)
    for (name, values_), objects in objects_of.items():
        twice = sum(name == other for other, _ in objects_of) > 1
        yield OverviewEntry(f"{objects[0]}.{name}" if twice else name, values_)


def _value(variable: g.Variable, value: str) -> str:
    words = (
        f"{w.object.name}.{w.column}" if isinstance(w, g.ColumnWord) else f'"{w}"'
        for w in variable.words.get(value, ())
    )
    return f"{value} {', '.join(words)}".strip()


def _rules(rules: Iterable[g.Rule], letter: str) -> Iterator[OverviewEntry]:
    for rule in rules:
        if rule.letter == letter:
            clause = re.sub(r'^[^\s:"]+\s*("(\\.|[^"\\])*"\s*)?:\s*', "", rule.span.text)
            yield OverviewEntry(rule.name, _line(clause), rule.doc)


def _frames(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Return the sentence patterns that designs use, alternatives counted off."""
    frames = {frame.name: frame for design in grammar.designs for frame in design.frames}
    return (OverviewEntry(name, " ".join(_items(frame.items))) for name, frame in frames.items())


def _items(items: Iterable[g.Item]) -> Iterator[str]:
    for item in items:
        match item:
            case g.Reference(object=placed):
                yield placed.name
            case g.Literal(text=text):
                yield f'"{text}"'
            case g.Site(name=name):
                yield f"@{name}"
            case g.Bracket(name=name, items=inner):
                yield f"[{' '.join([name, *_items(inner)])}]"
            case g.Guarded(options=options):
                yield f"({' | '.join(' '.join(_items(inner)) for _, inner in options)})"


def _factors(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Yield the factors that each paradigm crosses, in which cells, and what varies beside them."""
    for design in grammar.designs:
        if isinstance(design, g.Paradigm):
            free = ", ".join(axis.name for axis in design.varying)
            text = " × ".join(axis.name for axis in design.factors)
            text += f" where {design.where.text}" if design.where is not None else ""
            text += f" varying {free}" if free else ""
            yield OverviewEntry(design.name, text, design.doc)


def _cycles(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Yield how many items each matrix has, and its operators."""
    for design in grammar.designs:
        if isinstance(design, g.Matrix):
            yield OverviewEntry(design.name, f"{design.length} items", design.doc)
            yield from (OverviewEntry("", _line(cycle.span.text)) for cycle in design.cycles)


def _answers(grammar: g.Grammar) -> Iterator[OverviewEntry]:
    """Yield the wrong answers of the matrices, each once."""
    answers = {
        answer.span: answer
        for design in grammar.designs
        if isinstance(design, g.Matrix)
        for answer in design.answers
    }
    for answer in answers.values():
        edits = answer.span.text.removeprefix(answer.label)
        yield OverviewEntry(answer.label, _line(edits), answer.doc)


def _line(text: str) -> str:
    return " ".join(text.split())
