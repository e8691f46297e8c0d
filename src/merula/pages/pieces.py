"""Sentences in pieces, and the columns in which the pieces of several sentences stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from merula.design.outline import merged

Run = tuple[tuple[str, str], ...]  # texts, each with the value that it is coloured by, or nothing

CLOSING = re.compile(r"[\s.,;:!?…)\]»”’]*")  # what belongs to the word before
WORD = re.compile(r"\s*\S+\s*")
MOST_COLUMNS = 40
MOST_ADDED = 3  # columns that a wrong answer may add before it stands alone

Piece = tuple[str, Run]  # the column that it belongs to, and its words


def spans_of(
    spans: Sequence[Mapping[str, Any]] | None, values: Mapping[str, str]
) -> list[tuple[str, int, int, str]]:
    """Spans of a row, each with the value by which its object is coloured."""
    return [
        (span["object"], span["start"], span["end"], values.get(span["object"], ""))
        for span in spans or ()
    ]


def pieces_of(text: str, spans: Sequence[tuple[str, int, int, str]]) -> list[Piece]:
    """A sentence in pieces: the words of each object, and what stands between them.

    A sign that closes, and the space behind a word, belong to the word before.
    """
    found: list[Piece] = []
    at = 0
    for name, start, end, value in sorted(spans, key=lambda span: span[1]):
        if start < at or end > len(text):
            return [("", ((text, ""),))]
        _between(found, text[at:start])
        _put(found, name, ((text[start:end], value),))
        at = end
    _between(found, text[at:])
    return found


def _between(found: list[Piece], gap: str) -> None:
    """Add what stands between two objects."""
    closing = CLOSING.match(gap)
    end = closing.end() if closing and found else 0
    if end:
        name, run = found[-1]
        found[-1] = name, (*run, (gap[:end], ""))
    rest = gap[end:]
    for word in WORD.findall(rest) or filter(None, [rest]):
        _put(found, f'"{word.strip().casefold()}"', ((word, ""),))


def _put(found: list[Piece], name: str, run: Run) -> None:
    if found and found[-1][0] == name:
        found[-1] = name, (*found[-1][1], *run)
    else:
        found.append((name, run))


def columns_of(
    pieces: Sequence[Sequence[Piece]], items: Iterable[int], *, join: bool
) -> tuple[tuple[str, ...], list[tuple[Run, ...]]]:
    """Heads, and the words of each sentence under them; a sentence of another order is one piece.

    ``items`` are the sentences that decide the order; where they have too little in common, each
    stays in one piece. With ``join``, neighbouring columns that are the same in all sentences
    become one.
    """
    keys = [[key for key, _ in own] for own in pieces]
    known = merged(dict.fromkeys(tuple(keys[i]) for i in items))
    for own in dict.fromkeys(map(tuple, keys)):
        longer = merged([known, own])
        known = longer if len(longer) - len(known) <= MOST_ADDED else known
    if len(known) > min(MOST_COLUMNS, 2 * max(map(len, keys), default=0) + MOST_ADDED):
        return ("",), [(tuple(word for _, run in own for word in run),) for own in pieces]
    rows = [_spread(known, own) for own in pieces]
    heads = ["" if key.startswith('"') else key for key in known]
    if join:
        heads, rows = _joined(heads, rows)
    return tuple(heads), rows


def _spread(columns: Sequence[str], own: Sequence[Piece]) -> tuple[Run, ...]:
    """The pieces of a sentence, each in its column, or all in one where they do not fit."""
    found: list[Run] = [()] * len(columns)
    at = 0
    for key, run in own:
        place = next((i for i in range(at, len(columns)) if columns[i] == key), -1)
        if place < 0:
            return (tuple(word for _, run in own for word in run),)
        found[place] = run
        at = place + 1
    return tuple(found)


def _joined(
    heads: Sequence[str], rows: Sequence[tuple[Run, ...]]
) -> tuple[list[str], list[tuple[Run, ...]]]:
    """Columns, with neighbours that are the same in all sentences made one."""
    whole = [row for row in rows if len(row) == len(heads)]
    names: list[list[str]] = []
    groups: list[list[int]] = []
    before = False
    for at, head in enumerate(heads):
        same = len({row[at] for row in whole}) == 1
        if same and before:
            groups[-1].append(at)
            names[-1].append(head)
        else:
            groups.append([at])
            names.append([head])
        before = same
    found = [
        tuple(tuple(word for at in group for word in row[at]) for group in groups)
        if len(row) == len(heads)
        else row
        for row in rows
    ]
    return [" ".join(filter(None, own)) for own in names], found


def json_of(run: Run, numbers: Mapping[str, int]) -> Any:
    """Words as a page holds them: a text, or texts with the numbers of their values (-1: none).

    >>> json_of((("Only ", "yes"), ("the", "")), {"yes": 0})
    ['Only ', 0, 'the', -1]
    >>> json_of((("the", ""), (" dog", "")), {})
    'the dog'
    """
    parts = list(_together(run, numbers))
    if all(number < 0 for _, number in parts):
        return "".join(text for text, _ in parts)
    return [item for part in parts for item in part]


def _together(run: Run, numbers: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Words with the numbers of their values; neighbours without a value are one."""
    plain = ""
    for text, value in run:
        if value in numbers:
            if plain:
                yield plain, -1
            yield text, numbers[value]
            plain = ""
        else:
            plain += text
    if plain:
        yield plain, -1
