"""No check of `merula.plan.contrast` tells two cells apart that are written alike.

Sentences are drawn as words, and each is cut into the pieces of two cells in two ways: so most
pairs are one sentence, by way of elisions, contractions, marks and capitals. Whether they are is
decided on the finished sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from merula.core.resources import data_root
from merula.lexicon.surface import Surface, load_surface, plain_surface
from merula.plan.contrast import CellDifference, Contraster, Piece, _told_by_a_word, difference
from random_grammars import examples

Forms = Sequence[Mapping[str, tuple[str, ...]]]

WORDS = {
    "fr": ("de le", "le", "l'", "l'ami", "ami", "de", "du", "des", "chat", "d'", "à", "si il"),
    "it": (
        "di il",
        "di",
        "il",
        "a la",
        "l'",
        "dell'amico",
        "amico",
        "del",
        "uno",
        "un",
        "e",
        "zio",
    ),
    "en": ("a", "an", "an egg", "egg", "a b", "the", "dog"),
    "es": ("de el", "de", "el", "del", "niño", "a", "al", "y", "hijo"),
    "de": ("x", "y", "ß", "ss", "SS"),
    "": ("x", "X", "x y", "y", "ı", "i", "I"),
}
MARKS = (",", ".", "?", "x,", ", x", ",x", "x?", "x.", ".x")


@dataclass(frozen=True)
class Pair:
    """Two cells, and the forms of their slots: of each slot columns of equal length."""

    code: str
    forms: Forms
    one: tuple[Piece, ...]
    other: tuple[Piece, ...]

    def combinations(self) -> list[tuple[int, ...]]:
        return [*product(*(range(len(next(iter(columns.values())))) for columns in self.forms))]

    def alike(self, chosen: Sequence[int]) -> bool:
        """Whether the two are one sentence."""
        surface = surface_of(self.code)
        sentences = {
            surface.sentence(
                [p.text if p.slot < 0 else self.forms[p.slot][p.text][chosen[p.slot]] for p in cell]
            )
            for cell in (self.one, self.other)
        }
        return len(sentences) == 1


@cache
def surface_of(code: str) -> Surface:
    if not code:
        return plain_surface()
    path = data_root() / "lexicons" / code / "surface.toml"
    return load_surface(path.read_text(encoding="utf-8"))


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    code = draw(st.sampled_from(sorted(WORDS)))
    word = st.sampled_from((*WORDS[code], *MARKS))
    words = " ".join(draw(st.lists(word, min_size=1, max_size=4))).split()
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    forms: list[dict[str, tuple[str, ...]]] = [{} for _ in sizes]

    def column(slot: int, text: str) -> str:
        """A column whose first form is a text, and whose others may be."""
        for name, texts in forms[slot].items():
            if texts[0] == text:
                return name
        others = st.one_of(st.just(text), st.lists(word, min_size=1, max_size=2).map(" ".join))
        name = f"c{len(forms[slot])}"
        forms[slot][name] = (text, *(draw(others) for _ in range(sizes[slot] - 1)))
        return name

    def cell() -> tuple[Piece, ...]:
        said = words
        if draw(st.booleans()):  # as it is written in the end
            said = surface_of(code).settle(" ".join(words)).split()
        cuts = draw(st.lists(st.integers(0, len(said)), max_size=3).map(set))
        pieces = []
        for start, end in pairwise(sorted({0, *cuts, len(said)})):
            text = " ".join(said[start:end])
            slot = draw(st.integers(-1, len(sizes) - 1))
            pieces.append(Piece(slot, text if slot < 0 else column(slot, text)))
        return tuple(pieces)

    one, other = cell(), cell()
    for slot, size in enumerate(sizes):
        forms[slot] = forms[slot] or {"c0": ("q",) * size}
    return Pair(code, forms, one, other)


def possible(
    contraster: Contraster, forms: Forms, where: CellDifference, chosen: Sequence[int]
) -> bool:
    """Whether `_possible` takes two cells for one sentence, perhaps, for some candidates."""
    pieces = (*where.one, *where.other)
    slots = tuple(dict.fromkeys(p.slot for p in pieces if p.slot >= 0))
    names = [tuple(dict.fromkeys(p.text for p in pieces if p.slot == s)) for s in slots]
    columns = [[forms[s][c] for c in cs] for s, cs in zip(slots, names, strict=True)]
    combos = [[*zip(*texts, strict=True)] for texts in columns]
    table = contraster._possible(forms, where, slots, combos, names)
    assert table is not None
    return bool(table[tuple(chosen[s] for s in slots)])


@pytest.mark.slow
@examples(1000)
@given(pairs())
def test_what_is_written_alike_is_never_told_apart(pair: Pair) -> None:
    where = difference(pair.one, pair.other)
    alike = [chosen for chosen in pair.combinations() if pair.alike(chosen)]
    event("one sentence somewhere" if alike else "two sentences")
    if where is None or not alike or not where.one or not where.other:
        return
    contraster = Contraster(surface_of(pair.code))
    mine, theirs = (contraster._pieces(pair.forms, where, x) for x in (where.one, where.other))
    assert not contraster._begin_apart(mine[0], theirs[0])
    assert not contraster._end_apart(mine[-1], theirs[-1])
    assert not _told_by_a_word(mine, theirs)
    assert all(possible(contraster, pair.forms, where, chosen) for chosen in alike)


def said(pair: Pair) -> dict[tuple[int, ...], bool]:
    """For which candidates `contrast` takes two cells for one sentence."""
    where = difference(pair.one, pair.other)
    assert where is not None
    contraster = Contraster(surface_of(pair.code))
    found = contraster.contrast(pair.forms, where)
    assert not contraster.unchecked
    if found is None:
        return dict.fromkeys(pair.combinations(), False)
    return {
        chosen: bool(
            found.table[
                tuple(int(x[chosen[s]]) for s, x in zip(found.slots, found.groups, strict=True))
            ]
        )
        for chosen in pair.combinations()
    }


@pytest.mark.slow
@examples(1000)
@given(pairs())
def test_a_contrast_is_what_is_written(pair: Pair) -> None:
    """Exactly so without marks; a mark that is glued to a word may hide a contraction."""
    if difference(pair.one, pair.other) is None:
        return
    alike = {chosen: pair.alike(chosen) for chosen in pair.combinations()}
    found = said(pair)
    texts = " ".join(t for columns in pair.forms for texts in columns.values() for t in texts)
    texts += " ".join(p.text for p in (*pair.one, *pair.other) if p.slot < 0)
    if any(mark in texts for mark in ",.?"):
        assert all(found[chosen] for chosen, same in alike.items() if same)
    else:
        assert found == alike


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("fr", ("de le", "ami dort"), ("de l'ami dort",)),
        ("it", ("di il e un",), ("di il", "e", "un")),
        ("it", ("a la", "amica"), ("all'", "amica")),
        ("es", ("de el", "niño"), ("del niño",)),
        ("en", ("a", "egg"), ("an egg",)),
        ("", ("x", ", y"), ("x,", "y")),
        ("", ("x", ",y"), ("x,y",)),
        ("", ("x", "?"), ("x?",)),
        ("", ("x",), ("x", ".")),
        ("", ("ısı",), ("isı",)),
        ("de", ("ß .",), ("SS",)),
    ],
)
@pytest.mark.parametrize("slots", [False, True])
def test_pairs_that_are_one_sentence(
    code: str, one: tuple[str, ...], other: tuple[str, ...], slots: bool
) -> None:
    """Written by hand, as fixed words and as the forms of a slot each."""
    texts = (*one, *other)
    numbers = range(len(texts)) if slots else [-1] * len(texts)
    forms = [{"c": (text,)} for text in texts] if slots else []
    pieces = [Piece(n, text if n < 0 else "c") for n, text in zip(numbers, texts, strict=True)]
    pair = Pair(code, forms, tuple(pieces[: len(one)]), tuple(pieces[len(one) :]))
    (chosen,) = pair.combinations()
    assert pair.alike(chosen)
    assert said(pair) == {chosen: True}
