"""Constituents against the surface rules: each text they make, and how cells are divided."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from types import SimpleNamespace
from typing import Any

import pytest

from merula.lexicon.surface import Surface, load_surface
from merula.plan.contrast import Piece
from merula.plan.slots import Slot
from merula.rows.constituents import EMPTY, Phrasebook

FRENCH = load_surface(
    """
capital = true
stop = "."
[sounds]
vowel = "[aeiou]"
[[change]]
words = ["le"]
before = "vowel"
becomes = "l'"
[[change]]
words = ["de"]
before = "vowel"
becomes = "d'"
[[contract]]
words = ["de", "le"]
becomes = "du"
"""
)
SLOTS = {  # every kind of neighbour: elided, contracted, swallowed whole, a mark, two words
    "prep": ["de", "avec", "près de"],
    "article": ["le", "un", "le même"],
    "noun": ["ami", "chat", "grand ami", "le"],
    "mark": [", ici", "ici", "?"],
}
CELLS = (
    ("=il parle", "prep", "article", "noun"),
    ("prep", "article", "noun", "mark"),
    ("article", "noun", "=de", "article", "noun"),  # a slot shows twice
    ("=voilà", "=de", "=le", "noun", "=,", "prep", "article"),
    ("noun",),
)


def plan_of(*cells: Sequence[str]) -> tuple[Any, list[list[Piece]]]:
    """A plan as far as a phrasebook looks at it, and the pieces of its cells."""
    slots = [
        Slot(name, frozenset(), tuple(texts), tuple(texts), {"": tuple(texts)}, None, ())
        for name, texts in SLOTS.items()
    ]
    order = list(SLOTS)
    pieces = [
        [Piece(-1, word[1:]) if word[0] == "=" else Piece(order.index(word), "") for word in cell]
        for cell in cells
    ]
    return SimpleNamespace(slots=slots), pieces


def texts_of(plan: Any, pieces: Sequence[Piece], chosen: Sequence[int]) -> list[str]:
    return [p.text if p.slot < 0 else plan.slots[p.slot].forms[""][chosen[p.slot]] for p in pieces]


def written(book: Phrasebook, tables: Sequence[Any], chosen: Sequence[int]) -> list[int]:
    """The numbers of a cell's texts, as their tables say that they are found."""
    numbers: list[int] = []
    for table in reversed(tables):
        terms = zip(table.slots, table.strides, strict=True)
        number = table.base + sum(stride * chosen[slot] for slot, stride in terms)
        if numbers:
            number += int(book.shifts(table)[book.edge[numbers[0]]])
        numbers.insert(0, number)
    for i in range(len(numbers) - 1):
        if book.swallows[numbers[i]]:
            assert tables[i].swallows
            numbers[i + 1] += int(book.withheld[numbers[i + 1]])
    return numbers


@pytest.mark.parametrize("largest", [1, 10, 4_096])
@pytest.mark.parametrize("surface", [FRENCH, Surface(capital=False, stop="")])
def test_texts_put_together_are_the_sentence(surface: Surface, largest: int) -> None:
    plan, cells = plan_of(*CELLS)
    book = Phrasebook(surface, spans=True)
    parts = [book.divided(plan, pieces, largest) for pieces in cells]
    tables = [book.tables(plan, divided) for divided in parts]
    assert book.texts[EMPTY].as_py() == ""
    assert len(book) == len(book.texts) == len(book.edge) == len(book.swallows)
    for pieces, divided, found in zip(cells, parts, tables, strict=True):
        for chosen in product(*(range(len(texts)) for texts in SLOTS.values())):
            phrases = texts_of(plan, pieces, chosen)
            numbers = written(book, found, chosen)
            texts = [book.texts[number].as_py() for number in numbers]
            assert "".join(texts) == surface.sentence(phrases)
            assert [len(text) for text in texts] == book.lengths[numbers].tolist()
            # and its pieces are where the surface rules put them, without space and stop
            shown = [
                text[begin:end]
                for text, number, part in zip(texts, numbers, divided, strict=True)
                for begin, end in book.extents[number][: len(part)].tolist()
            ]
            expected = [text.rstrip(" ") for text in surface.pieces(phrases)]
            if surface.stop and not phrases[-1].endswith("?"):
                expected[-1] = expected[-1].removesuffix(surface.stop)
            assert shown == expected


def divisions(pieces: Sequence[Piece]) -> list[list[tuple[Piece, ...]]]:
    """All ways to cut a cell."""
    ways = []
    for cuts in product([False, True], repeat=len(pieces) - 1):
        parts = [pieces[:1]]
        for cut, piece in zip(cuts, pieces[1:], strict=True):
            if cut:
                parts.append([piece])
            else:
                parts[-1] = [*parts[-1], piece]
        ways.append([tuple(part) for part in parts])
    return ways


@pytest.mark.parametrize("largest", [1, 9, 12, 36, 40, 1_000])
def test_a_cell_has_as_few_constituents_as_can_be(largest: int) -> None:
    plan, cells = plan_of(*CELLS)
    book = Phrasebook(FRENCH)
    changing = {"de", "le"}

    def sizes(part: Sequence[Piece]) -> list[int]:
        return [len(plan.slots[slot]) for slot in {p.slot for p in part if p.slot >= 0}]

    def cost(parts: Sequence[Sequence[Piece]]) -> tuple[int, int, int]:
        ends = [part[-1] for part in parts[:-1]]
        texts = [plan.slots[p.slot].forms[""] if p.slot >= 0 else (p.text,) for p in ends]
        opened = sum(any(t.split()[-1] in changing for t in forms) for forms in texts)
        return len(parts), opened, sum(prod(sizes(part)) for part in parts)

    for pieces in cells:
        allowed = [
            parts
            for parts in divisions(pieces)
            if all(prod(sizes(part)) <= max(largest, *sizes(part), 1) for part in parts)
        ]
        parts = book.divided(plan, pieces, largest)
        assert parts in allowed
        assert cost(parts) == min(map(cost, allowed))


def test_equal_constituents_are_written_once() -> None:
    plan, (cell, again) = plan_of(CELLS[0], CELLS[0])
    book = Phrasebook(FRENCH)
    first = book.tables(plan, book.divided(plan, cell, 10))
    length = len(book)
    second = book.tables(plan, book.divided(plan, again, 10))
    assert len(book) == length
    assert [table.base for table in second] == [table.base for table in first]


def test_a_text_is_written_once_for_neighbours_that_change_nothing() -> None:
    plan, (cell,) = plan_of(("prep", "article", "noun"))
    book = Phrasebook(FRENCH)
    prep, article, noun = book.tables(plan, [[piece] for piece in cell])
    assert noun.blocks == 1
    assert article.blocks == 2  # before a vowel, and before a consonant
    assert prep.blocks == 3 == len(prep.block_of)  # before `le`, a vowel, anything else
    assert prep.swallows
    assert not noun.swallows
