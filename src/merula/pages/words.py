"""Instances laid out from their rows alone, as a linguist draws them: words under heads, coloured.

In goes a `ShownInstance`, out comes a `Laid`, which ``report`` writes into the page. Spans say
which words are an object's. The value that colours an object's words is that of its factor in a
paradigm; in a matrix it is in the templates of the sentences (``n1[pp sg] v[sg]``). Every sentence
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
    """A sentence: the words under each head, or all in one where its order is different.

    ``outline`` has the values of each object in a sentence of a matrix. ``place`` is the number in
    the data, from 0: of its cell, or in the list of items or of answers.
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
    """Factors or objects that have values in common, and these values, each with its colour."""

    names: tuple[str, ...]
    values: tuple[str, ...]


@frozen
class Laid:
    """An instance as it is drawn: its place in the data, heads, sentences and colours."""

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
    """Return an instance as its rows describe it."""
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
    """Return all values that colour words."""
    runs = (run for one in laid for line in one.lines for run in (*line.outline, *line.words))
    return sorted({value for run in runs for _, value in run if value})


def together(coloured: Iterable[tuple[str, str]]) -> tuple[Colours, ...]:
    """Return groups of names, none of which shares a value with another group."""
    values_by_name: dict[str, set[str]] = {}
    for name, value in coloured:
        if value:
            values_by_name.setdefault(name, set()).add(value)
    groups: list[tuple[list[str], set[str]]] = []
    for name, values in values_by_name.items():
        near = [group for group in groups if group[1] & values]
        groups = [group for group in groups if group not in near]
        names = [member for group in near for member in group[0]]
        groups.append(([*names, name], values.union(*(group[1] for group in near))))
    return tuple(Colours(tuple(names), tuple(sorted(values))) for names, values in groups)


def _present(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    """Return the fields of a record (``factors``, ``scope``) that have a value in some row."""
    records = [_group(row, name) for row in rows]
    return tuple(dict.fromkeys(key for one in records for key, value in one.items() if value))


def _group(row: Mapping[str, Any], name: str) -> Mapping[str, str | None]:
    """Return a record of a row; the scope of suites only says whether the NPI is in it."""
    record = row.get(name)
    if isinstance(record, Mapping):
        return record
    return {} if record is None else {str(row.get("npi")): "in" if record else "out"}


# --- paradigms ---------------------------------------------------------------------------------


def _paradigm(
    shown: ShownInstance, factors: Sequence[str], scopes: Sequence[str]
) -> tuple[tuple[str, ...], tuple[SentenceLine, ...], tuple[Colours, ...]]:
    rows = shown.rows
    places = {name: i for i, name in enumerate(shown.config.cells)}
    coloured = _by_object(rows, factors)
    pieces, used = [], []
    for row in rows:
        values = {
            object_: _group(row, "factors").get(name) or "" for object_, name in coloured.items()
        }
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
            runs,
            places.get(str(row["cell"]), number),
        )
        for number, (row, runs) in enumerate(zip(rows, words, strict=True))
    )
    return heads, lines, together(sorted(used, key=lambda pair: factors.index(pair[0])))


def _by_object(rows: Sequence[Mapping[str, Any]], factors: Sequence[str]) -> dict[str, str]:
    """Return the factor that colours each object: its first, unless that is its mere presence."""
    factor_of: dict[str, str] = {}
    for name in factors:
        values = {_group(row, "factors").get(name) for row in rows}
        if len(values) > 1 and not values <= {ABSENT, PRESENT}:
            factor_of.setdefault(name.partition(".")[0], name)
    return factor_of


# --- matrices ----------------------------------------------------------------------------------


@frozen
class _Part:
    """The filler of an object's place in a sentence, and the values that the template shows."""

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
    pieces = []
    for text, of_text, sentence in zip(texts, spans, parts, strict=True):
        coloured_spans = zip(of_text or (), values.colours(sentence), strict=False)
        pieces.append(
            pieces_of(text, [(s["object"], s["start"], s["end"], v) for s, v in coloured_spans])
        )
    heads, words = columns_of(pieces, items, join=False)
    objects = values.objects()
    lines = []
    for k, runs in enumerate(words):
        outline = tuple(values.outline(name, parts[k]) for name in objects)
        if k < len(context):
            lines.append(SentenceLine("context", "", (), (), True, "", (), runs, k, outline))
            continue
        i = answers[k - len(context)]
        label, letter = row["labels"][i], row["classes"][i] or ""
        broken = tuple(row["broken"][i])
        letter = "" if letter == "none" else letter
        right = i == row["correct"]
        lines.append(SentenceLine("answer", label, (), (), right, letter, broken, runs, i, outline))
    coloured = [pair for sentence in parts for pair in values.coloured(sentence)]
    order = {name: i for i, name in enumerate(objects)}
    coloured.sort(key=lambda pair: order.get(pair[0], len(order)))
    return heads, objects, tuple(lines), together(coloured)


def _answer_order(row: Mapping[str, Any], config: Config) -> list[int]:
    """Return the right answer, then the wrong ones in the order of the design, or by labels."""
    order = {name: i for i, name in enumerate(config.labels)}
    labels = row["labels"]

    def place(i: int) -> tuple[bool, int, str]:
        return i != row["correct"], order.get(labels[i], len(order)), labels[i]

    return sorted(range(len(labels)), key=place)


def _picked(row: Mapping[str, Any], what: str, context: int, answers: Sequence[int]) -> list[Any]:
    """Return a column of the items and one of the answers, in the order in which they are drawn."""
    shown = row.get(f"context_{what}") or [None] * context
    given = row.get(f"answer_{what}") or [None] * len(answers)
    return [*shown, *(given[i] for i in answers)]


def _parts(template: str, spans: Sequence[Mapping[str, Any]]) -> tuple[_Part, ...]:
    """Return the part of the template that belongs to each span, or empty parts if it is unclear.

    A word that shows values fills a place; so does one without values at the end. The first of
    three readings that has as many words as there are spans holds: the words that are names of
    objects, those with values, those with values and the words after the last of them.
    """
    words = [(name, tuple(values.split())) for name, values in PIECE.findall(template)]
    names = [span["object"] for span in spans]
    objects = [word for word in words if word[0] in names]
    with_values = [i for i, word in enumerate(words) if word[1]]
    filled = [words[i] for i in with_values]
    last = words[with_values[-1] + 1 :] if with_values else []
    for pieces in (objects, filled, [*filled, *last]):
        if len(pieces) == len(names):
            pairs = zip(names, pieces, strict=True)
            return tuple(_Part(name, filler, values) for name, (filler, values) in pairs)
    return tuple(_Part(name, "", ()) for name in names)


class _Values:
    """The values of a matrix: which of them change, and which tell its sentences apart.

    ``parts`` are those of each sentence, ``items`` the indices of the context and the right answer.
    """

    def __init__(self, parts: Sequence[Sequence[_Part]], items: Sequence[int]) -> None:
        self.parts = parts
        self._colours: dict[_Part, str] = {}
        self.every: dict[str, list[_Part]] = {}
        self.items: dict[str, list[_Part]] = {}
        for i, sentence in enumerate(parts):
            for part in (part for part in sentence if part.filler):
                self.every.setdefault(part.object, []).append(part)
                if i in items:
                    self.items.setdefault(part.object, []).append(part)
        self.changing = {value for name in self.items for value in self._changing(name)}

    def _changing(self, name: str) -> Iterator[str]:
        """Yield the values that an object takes in turn in the items."""
        for values in zip(*(part.values for part in self.items[name]), strict=False):
            if len(set(values)) > 1:
                yield from values

    def colours(self, sentence: Sequence[_Part]) -> list[str]:
        """Return for each part of a sentence the value that colours its words."""
        return [self._colour(part) for part in sentence]

    def coloured(self, sentence: Sequence[_Part]) -> Iterator[tuple[str, str]]:
        """Yield the object of each part of a sentence, with the value that colours it."""
        return ((part.object, self._colour(part)) for part in sentence)

    def _colour(self, part: _Part) -> str:
        if part not in self._colours:
            self._colours[part] = self._changed(part)
        return self._colours[part]

    def _changed(self, part: _Part) -> str:
        """Return the filler of a part, or else its first value, if it differs between sentences."""
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
        """Return the values of a part without those that all items have and that never change."""
        items = self.items.get(part.object, [])
        fillers = {one.filler for one in self.every.get(part.object, ())}
        telling = [part.filler] if len(fillers) > 1 else []
        for place, value in enumerate(part.values):
            seen = {one.values[place] if place < len(one.values) else "" for one in items}
            if seen != {value} or value in self.changing:
                telling.append(value)
        return telling

    def objects(self) -> tuple[str, ...]:
        """Return the objects that differ between sentences, in their order."""
        names = merged(dict.fromkeys(tuple(part.object for part in one) for one in self.parts))
        return tuple(
            name
            for name in dict.fromkeys(names)
            if any(self._telling(part) for part in self.every.get(name, ()))
            or not all(any(part.object == name for part in one) for one in self.parts)
        )

    def outline(self, name: str, sentence: Sequence[_Part]) -> Run:
        """Return the values of an object in a sentence, or the sign that it is absent."""
        part = next((part for part in sentence if part.object == name), None)
        if part is None:
            return ((NOTHING, ""),)
        colour = self._colour(part)
        run: list[tuple[str, str]] = []
        for value in self._telling(part):
            run += [(" ", "")] if run else []
            run.append((value, value if value == colour else ""))
        return tuple(run) or ((THERE, ""),)
