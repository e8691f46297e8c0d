"""Instances laid out from their rows alone, as a linguist draws them: words under heads, coloured.

Spans say which words are an object's. The value by which an object's words are coloured is that of
its factor in a paradigm; in a matrix it stands in the templates of the sentences. Every sentence
stays whole: its words, from the first column to the last, are its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from merula.core.frozen import frozen
from merula.data.opened import MATRIX, Config
from merula.design.outline import merged
from merula.grammar.model import ABSENT, PRESENT
from merula.pages.pieces import Run, columns_of, pieces_of, spans_of
from merula.pages.sample import ShownInstance
from merula.show.drawing import NOTHING, THERE

PIECE = re.compile(r"([^\s\[\]]+)(?:\[([^\]]*)\])?")  # of a template: `n1[pp sg]`, `by`


@frozen
class SentenceLine:
    """A sentence; ``words`` stand under the heads, or all in one where the order is another.

    ``outline`` says what stands in each place of a matrix. ``place`` is its number in the data,
    from 0: that of its cell, or the one in the list of the items or of the answers.
    """

    role: str  # cell, context or answer
    label: str
    factors: tuple[str, ...]
    scopes: tuple[str, ...]
    acceptable: bool
    letter: str
    broken: tuple[str, ...]
    words: tuple[Run, ...]
    place: int
    outline: tuple[Run, ...] = ()


@frozen
class Colours:
    """What is coloured by which values: factors or objects that have some of them in common."""

    names: tuple[str, ...]
    values: tuple[str, ...]


@frozen
class Laid:
    """An instance: where it comes from, the heads of its columns, its sentences, its colours."""

    split: str
    number: int
    address: str
    frame: str
    variant: str
    factors: tuple[str, ...]
    scopes: tuple[str, ...]
    heads: tuple[str, ...]
    objects: tuple[str, ...]
    lines: tuple[SentenceLine, ...]
    colours: tuple[Colours, ...]


def lay_out(shown: ShownInstance) -> Laid:
    """An instance as its rows tell it."""
    row = shown.rows[0]
    factors: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    if shown.config.kind == MATRIX:
        heads, objects, lines, colours = _matrix(row, shown.config)
    else:
        factors, scopes = _present(shown.rows, "factors"), _present(shown.rows, "scope")
        scopes = tuple(name for name in scopes if name in factors)
        heads, lines, colours = _paradigm(shown, factors, scopes)
    return Laid(
        shown.split,
        int(row.get("instance", 0)),
        str(row.get("address", "")),
        str(row.get("frame") or ""),
        str(row.get("variant") or ""),
        factors,
        scopes,
        heads,
        objects,
        lines,
        colours,
    )


def values_of(laid: Iterable[Laid]) -> list[str]:
    """All values that words are coloured by."""
    runs = (run for one in laid for line in one.lines for run in (*line.outline, *line.words))
    return sorted({value for run in runs for _, value in run if value})


def together(coloured: Iterable[tuple[str, str]]) -> tuple[Colours, ...]:
    """Names and the values that each has, as few groups: none shares a value with another."""
    own: dict[str, set[str]] = {}
    for name, value in coloured:
        if value:
            own.setdefault(name, set()).add(value)
    groups: list[tuple[list[str], set[str]]] = []
    for name, values in own.items():
        near = [group for group in groups if group[1] & values]
        groups = [group for group in groups if group not in near]
        names = [other for group in near for other in group[0]]
        groups.append(([*names, name], values.union(*(group[1] for group in near))))
    return tuple(Colours(tuple(names), tuple(sorted(values))) for names, values in groups)


def _present(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    """The fields of a group of words that some row has."""
    own = [_group(row, name) for row in rows]
    return tuple(dict.fromkeys(key for one in own for key, value in one.items() if value))


def _group(row: Mapping[str, Any], name: str) -> Mapping[str, str | None]:
    """A group of words; of the scope, suites only say whether the NPI is in it."""
    own = row.get(name)
    if isinstance(own, Mapping):
        return own
    return {} if own is None else {str(row.get("npi")): "in" if own else "out"}


# --- paradigms ---------------------------------------------------------------------------------


def _paradigm(
    shown: ShownInstance, factors: Sequence[str], scopes: Sequence[str]
) -> tuple[tuple[str, ...], tuple[SentenceLine, ...], tuple[Colours, ...]]:
    rows = shown.rows
    places = {name: i for i, name in enumerate(shown.config.cells)}
    coloured = _by_object(rows, factors)
    pieces, used = [], []
    for row in rows:
        values = {own: _group(row, "factors").get(name) or "" for own, name in coloured.items()}
        spans = spans_of(row.get("spans"), values)
        used += [(coloured[name], value) for name, _, _, value in spans if name in coloured]
        pieces.append(pieces_of(row["sentence"], spans))
    heads, words = columns_of(pieces, range(len(pieces)), join=True)
    lines = tuple(
        SentenceLine(
            "cell",
            str(row["cell"]),
            tuple(_group(row, "factors").get(name) or "" for name in factors),
            tuple(_group(row, "scope").get(name) or "" for name in scopes),
            bool(row["acceptable"]),
            "",
            tuple(row["broken"]),
            own,
            places.get(str(row["cell"]), number),
        )
        for number, (row, own) in enumerate(zip(rows, words, strict=True))
    )
    return heads, lines, together(sorted(used, key=lambda pair: factors.index(pair[0])))


def _by_object(rows: Sequence[Mapping[str, Any]], factors: Sequence[str]) -> dict[str, str]:
    """The factor that colours each object: the first that is its own and not its mere presence."""
    found: dict[str, str] = {}
    for name in factors:
        values = {_group(row, "factors").get(name) for row in rows}
        if len(values) > 1 and not values <= {ABSENT, PRESENT}:
            found.setdefault(name.partition(".")[0], name)
    return found


# --- matrices ----------------------------------------------------------------------------------


@frozen
class _Part:
    """What fills a place of a sentence, and the values that it shows."""

    object: str
    filler: str
    values: tuple[str, ...]


def _matrix(
    row: Mapping[str, Any], config: Config
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[SentenceLine, ...], tuple[Colours, ...]]:
    answers = _answer_order(row, config)
    context = range(len(row["context"]))
    texts = [*row["context"], *(row["answers"][i] for i in answers)]
    spans = _picked(row, "spans", len(context), answers)
    templates = _picked(row, "templates", len(context), answers)
    parts = [_parts(t or "", s or ()) for t, s in zip(templates, spans, strict=True)]
    items = [*context, *(len(context) + k for k, i in enumerate(answers) if i == row["correct"])]
    values = _Values(parts, items)
    pieces = [
        pieces_of(
            text,
            [(s["object"], s["start"], s["end"], v) for s, v in zip(own or (), said, strict=False)],
        )
        for text, own, said in zip(texts, spans, map(values.colours, parts), strict=True)
    ]
    heads, words = columns_of(pieces, items, join=False)
    objects = values.objects()
    lines = []
    for k, own in enumerate(words):
        outline = tuple(values.outline(name, parts[k]) for name in objects)
        if k < len(context):
            lines.append(SentenceLine("context", "", (), (), True, "", (), own, k, outline))
            continue
        i = answers[k - len(context)]
        label, letter = row["labels"][i], row["classes"][i] or ""
        broken = tuple(row["broken"][i])
        letter = "" if letter == "none" else letter
        right = i == row["correct"]
        lines.append(SentenceLine("answer", label, (), (), right, letter, broken, own, i, outline))
    coloured = [pair for own in parts for pair in values.coloured(own)]
    order = {name: i for i, name in enumerate(objects)}
    coloured.sort(key=lambda pair: order.get(pair[0], len(order)))
    return heads, objects, tuple(lines), together(coloured)


def _answer_order(row: Mapping[str, Any], config: Config) -> list[int]:
    """The right answer, then the others as the design has them, or by their labels."""
    known = {name: i for i, name in enumerate(config.labels)}
    labels = row["labels"]

    def place(i: int) -> tuple[bool, int, str]:
        return i != row["correct"], known.get(labels[i], len(known)), labels[i]

    return sorted(range(len(labels)), key=place)


def _picked(row: Mapping[str, Any], what: str, context: int, answers: Sequence[int]) -> list[Any]:
    """A column of the items and one of the answers, in the order in which they are drawn."""
    shown = row.get(f"context_{what}") or [None] * context
    given = row.get(f"answer_{what}") or [None] * len(answers)
    return [*shown, *(given[i] for i in answers)]


def _parts(template: str, spans: Sequence[Mapping[str, Any]]) -> tuple[_Part, ...]:
    """What a template says of each span; nothing where it cannot be told which word is whose.

    A word that shows values fills a place of its own; so does one without, at the end.
    """
    found = [(name, tuple(said.split())) for name, said in PIECE.findall(template)]
    names = [span["object"] for span in spans]
    own = [piece for piece in found if piece[0] in names]
    with_values = [i for i, piece in enumerate(found) if piece[1]]
    filled = [found[i] for i in with_values]
    last = found[with_values[-1] + 1 :] if with_values else []
    for pieces in (own, filled, [*filled, *last]):
        if len(pieces) == len(names):
            pairs = zip(names, pieces, strict=True)
            return tuple(_Part(name, filler, values) for name, (filler, values) in pairs)
    return tuple(_Part(name, "", ()) for name in names)


class _Values:
    """Of each object of a matrix: which of its values changes, and which ones tell something."""

    def __init__(self, parts: Sequence[Sequence[_Part]], items: Sequence[int]) -> None:
        self.parts = parts
        self._colours: dict[_Part, str] = {}
        self.every: dict[str, list[_Part]] = {}
        self.items: dict[str, list[_Part]] = {}
        for number, own in enumerate(parts):
            for part in (part for part in own if part.filler):
                self.every.setdefault(part.object, []).append(part)
                if number in items:
                    self.items.setdefault(part.object, []).append(part)
        self.changing = {value for name in self.items for value in self._changing(name)}

    def _changing(self, name: str) -> Iterator[str]:
        """The values that an object takes in turn in the items."""
        for values in zip(*(part.values for part in self.items[name]), strict=False):
            if len(set(values)) > 1:
                yield from values

    def colours(self, own: Sequence[_Part]) -> list[str]:
        """The value of each part by which its words are coloured."""
        return [self._colour(part) for part in own]

    def coloured(self, own: Sequence[_Part]) -> Iterator[tuple[str, str]]:
        """The object of each part, with that value."""
        return ((part.object, self._colour(part)) for part in own)

    def _colour(self, part: _Part) -> str:
        if part not in self._colours:
            self._colours[part] = self._changed(part)
        return self._colours[part]

    def _changed(self, part: _Part) -> str:
        """What fills the place of a part, or its first value, that is not the same everywhere."""
        every = self.every.get(part.object, [])
        if len({one.filler for one in every}) > 1:
            return part.filler
        if len({len(one.values) for one in every}) > 1:
            return " ".join(part.values)
        changing = (
            value
            for place, value in enumerate(part.values)
            if len({one.values[place] for one in every}) > 1
        )
        return next(changing, "")

    def _telling(self, part: _Part) -> list[str]:
        """The values of a part without those that stand in all items and change nowhere."""
        items = self.items.get(part.object, [])
        found = (
            [part.filler]
            if len({one.filler for one in self.every.get(part.object, ())}) > 1
            else []
        )
        for place, value in enumerate(part.values):
            seen = {one.values[place] if place < len(one.values) else "" for one in items}
            if seen != {value} or value in self.changing:
                found.append(value)
        return found

    def objects(self) -> tuple[str, ...]:
        """The objects that are not the same in all sentences, in their order."""
        names = merged(dict.fromkeys(tuple(part.object for part in own) for own in self.parts))
        return tuple(
            name
            for name in dict.fromkeys(names)
            if any(self._telling(part) for part in self.every.get(name, ()))
            or not all(any(part.object == name for part in own) for own in self.parts)
        )

    def outline(self, name: str, own: Sequence[_Part]) -> Run:
        """What an object shows in a sentence, or that it is absent."""
        part = next((part for part in own if part.object == name), None)
        if part is None:
            return ((NOTHING, ""),)
        colour, said = self._colour(part), self._telling(part)
        found: list[tuple[str, str]] = []
        for value in said:
            found += [(" ", "")] if found else []
            found.append((value, value if value == colour else ""))
        return tuple(found) or ((THERE, ""),)
