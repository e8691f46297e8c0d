"""Sentences cut into pieces, and columns in which the pieces of several sentences are aligned.

Nothing here knows of data sets: texts and spans go in, heads and cells of a table come out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from merula.design.outline import merged

Run = tuple[tuple[str, str], ...]  # texts, each with the value that colours it, or ""

CLOSING = re.compile(r"[\s.,;:!?…)\]»”’]*")  # signs and spaces that belong to the word before
WORD = re.compile(r"\s*\S+\s*")
MAX_COLUMNS = 40  # more do not fit beside each other on any screen
# Columns that a sentence may add before it is shown in one piece: an auxiliary and a negation more
# are still the same order, a clause more is not.
MAX_ADDED_COLUMNS = 3

Piece = tuple[str, Run]  # the key of its column, and its words


def spans_of(
    spans: Sequence[Mapping[str, Any]] | None, values: Mapping[str, str]
) -> list[tuple[str, int, int, str]]:
    """Return the spans of a row, each with the value that colours its object, or \"\"."""
    return [
        (span["object"], span["start"], span["end"], values.get(span["object"], ""))
        for span in spans or ()
    ]


def pieces_of(text: str, spans: Sequence[tuple[str, int, int, str]]) -> list[Piece]:
    """Return a sentence in pieces: the words of each object, and the words between objects.

    A closing sign and the space behind a word belong to the word before. Joined, the pieces are the
    sentence.
    """
    pieces: list[Piece] = []
    at = 0
    for name, start, end, value in sorted(spans, key=lambda span: span[1]):
        if start < at or end > len(text):
            return [("", ((text, ""),))]
        _between(pieces, text[at:start])
        _put(pieces, name, ((text[start:end], value),))
        at = end
    _between(pieces, text[at:])
    return pieces


def _between(pieces: list[Piece], gap: str) -> None:
    """Add the words between two objects."""
    closing = CLOSING.match(gap)
    end = closing.end() if closing and pieces else 0
    if end:
        name, run = pieces[-1]
        pieces[-1] = name, (*run, (gap[:end], ""))
    rest = gap[end:]
    for word in WORD.findall(rest) or filter(None, [rest]):
        _put(pieces, f'"{word.strip().casefold()}"', ((word, ""),))


def _put(pieces: list[Piece], name: str, run: Run) -> None:
    if pieces and pieces[-1][0] == name:
        pieces[-1] = name, (*pieces[-1][1], *run)
    else:
        pieces.append((name, run))


def columns_of(
    pieces: Sequence[Sequence[Piece]], items: Iterable[int], *, join: bool
) -> tuple[tuple[str, ...], list[tuple[Run, ...]]]:
    """Return heads, and the words of each sentence under them.

    A sentence whose order does not fit is in one piece. ``items`` are the indices of the sentences
    that decide the order; where they have too little in common, every sentence is in one piece.
    With ``join``, neighbouring columns that are the same in all sentences become one.
    """
    orders = [tuple(key for key, _ in sentence) for sentence in pieces]
    columns = merged(dict.fromkeys(orders[i] for i in items))
    for order in dict.fromkeys(orders):
        longer = merged([columns, order])
        columns = longer if len(longer) - len(columns) <= MAX_ADDED_COLUMNS else columns
    if len(columns) > min(MAX_COLUMNS, 2 * max(map(len, orders), default=0) + MAX_ADDED_COLUMNS):
        return ("",), [_whole(sentence) for sentence in pieces]
    rows = [_spread(columns, sentence) for sentence in pieces]
    heads = ["" if key.startswith('"') else key for key in columns]
    if join:
        heads, rows = _joined(heads, rows)
    return tuple(heads), rows


def _whole(sentence: Sequence[Piece]) -> tuple[Run, ...]:
    return (tuple(word for _, run in sentence for word in run),)


def _spread(columns: Sequence[str], sentence: Sequence[Piece]) -> tuple[Run, ...]:
    """Return the pieces of a sentence, each in its column, or all in one where they do not fit."""
    cells: list[Run] = [()] * len(columns)
    at = 0
    for key, run in sentence:
        place = next((i for i in range(at, len(columns)) if columns[i] == key), -1)
        if place < 0:
            return _whole(sentence)
        cells[place] = run
        at = place + 1
    return tuple(cells)


def _joined(
    heads: Sequence[str], rows: Sequence[tuple[Run, ...]]
) -> tuple[list[str], list[tuple[Run, ...]]]:
    """Return the columns with neighbours joined that are the same in all sentences."""
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
    joined = [
        tuple(tuple(word for at in group for word in row[at]) for group in groups)
        if len(row) == len(heads)
        else row
        for row in rows
    ]
    return [" ".join(filter(None, group)) for group in names], joined


def json_of(run: Run, numbers: Mapping[str, int]) -> Any:
    """Return words as a page holds them: a text, or texts each with the number of its value.

    The number is -1 for words without a value.

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
    """Yield words with the numbers of their values; neighbours without a value are joined."""
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
