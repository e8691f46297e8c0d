"""Outlines: the sentences of a matrix as papers draw them, each object with the values that change.

A cell's template (`merula.design.cells.template`) names the forms of its words. An outline names
the places of the sentence, what fills them, and only those values by which the items differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from merula.design.cells import Cell
from merula.design.placement import Item
from merula.grammar import model as g


class OutlinePart(NamedTuple):
    """A part of a sentence: an object and the values it shows, or fixed words without a name.

    ``overt`` says whether it has any words.
    """

    name: str
    values: tuple[str, ...]
    overt: bool = True


class Outliner:
    """Draws the outlines of a matrix's cells.

    A value is shown if its attribute, which several objects may have, takes more than one value in
    the items (the context and the right answer). Other attributes are shown only where a wrong
    answer changes them.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._seen: dict[_Attribute, set[str]] = {}  # the values in the items
        variables: dict[g.Variable, None] = {}
        for cell in cells:
            for variable, value in cell.item.solved.values.items():
                variables.setdefault(variable, None)
                if is_item(cell):
                    self._seen.setdefault(_attribute(variable), set()).add(value)
        self._variables: dict[g.Object, list[g.Variable]] = {}
        for variable in sorted(variables, key=lambda v: (v.attribute != "", v.span.start)):
            self._variables.setdefault(variable.object, []).append(variable)
        self._objects = {target.name: target for target in self._variables}

    def parts(self, cell: Cell) -> tuple[OutlinePart, ...]:
        """Return the parts of a cell in the order of its words; absent objects are none."""
        item = cell.item
        written = [target for target, _ in groupby(item.words, key=lambda placed: placed.object)]
        parts: list[OutlinePart] = []
        at = 0
        for leaf in item.leaves:
            overt = at < len(written) and written[at] is leaf.object
            before = at > 0 and written[at - 1] is leaf.object
            text = leaf.text.strip()
            if leaf.object is None and text and before and not overt and not parts[-1].name:
                parts[-1] = OutlinePart("", (f"{parts[-1].values[0]} {text}",))
            elif leaf.object is None and text:
                parts.append(OutlinePart("", (text,), overt))
            elif leaf.object is not None and not (before and not overt):
                values = tuple(self._values(item, leaf.object))
                parts.append(OutlinePart(leaf.object.name, values, overt))
            at += overt and (leaf.object is not None or bool(text))
        return tuple(parts)

    def _values(self, item: Item, target: g.Object) -> Iterator[str]:
        """Yield the values that an object shows: its kind or what fills it, then its attributes."""
        instead = item.state.texts.get(target)
        if isinstance(instead, str):
            yield instead
            return
        if isinstance(instead, g.Object):
            yield instead.name
            target = instead
        for variable in self._variables.get(target, ()):
            value = item.solved.values.get(variable)
            text = item.state.texts.get(variable)
            if isinstance(text, str):
                yield text
            elif value is None or (not variable.attribute and value in (g.ABSENT, g.PRESENT)):
                continue
            elif target.position and not variable.attribute:
                yield value
                if value in self._objects:
                    yield from self._values(item, self._objects[value])
            elif self._tells(variable, value):
                yield value

    def _tells(self, variable: g.Variable, value: str) -> bool:
        return not variable.lexical and self._seen.get(_attribute(variable)) != {value}


_Attribute = tuple[str, tuple[str, ...]]


def _attribute(variable: g.Variable) -> _Attribute:
    """Return a key of an attribute, the same for all objects that have it with the same values."""
    return variable.attribute or f"{variable.object.name}.", variable.values


def is_item(cell: Cell) -> bool:
    """Return whether a cell is an item of its matrix: of the context, or the right answer."""
    return cell.role == "context" or cell.label == g.CORRECT


def in_order(cell: Cell) -> bool:
    """Return whether the words of a cell stand in the order of its frame."""
    return not cell.item.state.swaps and not cell.item.state.embeds


def merged(sequences: Iterable[Sequence[str]]) -> list[str]:
    """Return one order of which every sequence is a subsequence, if there is one.

    >>> merged([["subj", "verb"], ["subj", "attr", "verb"]])
    ['subj', 'attr', 'verb']
    """
    order: list[str] = []
    for sequence in sequences:
        longer: list[str] = []
        matcher = SequenceMatcher(None, order, sequence, autojunk=False)
        for kind, a, b, c, d in matcher.get_opcodes():
            longer += order[a:b]
            if kind in ("insert", "replace"):
                longer += sequence[c:d]
        order = longer
    return order


def frame_order(items: Iterable[g.Item]) -> Iterator[str]:
    """Yield the names of the objects that the items of a frame name, as often as they do."""
    for item in items:
        match item:
            case g.Reference(object=target):
                yield target.name
            case g.Bracket(items=content):
                yield from frame_order(content)
            case g.Guarded(options=options):
                for _, content in options:
                    yield from frame_order(content)


def objects(
    frame: g.Frame, cells: Sequence[Cell], parts: Sequence[Sequence[OutlinePart]]
) -> tuple[str, ...]:
    """Return the objects of some cells with these parts, each once, in the order of their frame."""
    names = [list(dict.fromkeys(part.name for part in own if part.name)) for own in parts]
    ordered = [own for cell, own in zip(cells, names, strict=True) if in_order(cell)]
    known = merged([list(dict.fromkeys(frame_order(frame.items))), *ordered])
    there = {name for own in names for name in own}
    return tuple(dict.fromkeys(name for name in (*known, *sorted(there)) if name in there))
