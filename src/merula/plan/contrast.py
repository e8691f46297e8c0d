"""For which lexemes two cells would be the same sentence, decided on written forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.lexicon.surface import CLOSING, END, Edge, Surface
from merula.plan.relations import MAX_TABLE, TooWide

_MARKS = ".?!…"
_WORD = re.compile(r"\w+")
MAX_JOINT = 100_000  # combinations of forms written out to compare two cells exactly


class Piece(NamedTuple):
    """Part of a cell: a form (a column) of a slot, or fixed words where ``slot`` is -1."""

    slot: int
    text: str


@frozen(eq=False)
class Difference:
    """Where two cells differ: the pieces of each, without what they begin and end with alike.

    ``tail`` is the piece after both; where there is none they end the sentence. ``first`` says
    that they begin it.
    """

    one: tuple[Piece, ...]
    other: tuple[Piece, ...]
    tail: Piece | None
    first: bool

    def columns(self, slot: int) -> tuple[str, ...]:
        """The columns of a slot that the two show."""
        shown = (p.text for p in (*self.one, *self.other) if p.slot == slot and p.text)
        return tuple(dict.fromkeys(shown))


def difference(one: tuple[Piece, ...], other: tuple[Piece, ...]) -> Difference | None:
    """The difference of two cells, or None where they have the same pieces."""
    if one == other:
        return None
    shorter = min(len(one), len(other))
    start = end = 0
    while start < shorter and one[start] == other[start]:
        start += 1
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    if not end and start == shorter:
        start -= 1  # one goes on where the other ends: a stop may make them alike
    tail = one[len(one) - end] if end else None
    return Difference(one[start : len(one) - end], other[start : len(other) - end], tail, not start)


@frozen(eq=False)
class Contrast:
    """Combinations that make two cells one sentence.

    ``groups[i]`` gives the group of every candidate of ``slots[i]``; ``table`` is True for the
    combinations of groups that collapse.
    """

    slots: tuple[int, ...]
    groups: tuple[Ints, ...]
    table: NDArray[np.bool_]


class _Sides(NamedTuple):
    """The words of some texts, and all that they begin with, whole texts among them."""

    whole: frozenset[tuple[str, ...]]
    parts: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[tuple[str, ...]]) -> _Sides:
        whole = frozenset(texts)
        return cls(whole, frozenset(words[:n] for words in whole for n in range(len(words) + 1)))


@frozen(eq=False)
class _Words:
    """What is needed of the texts of a piece, found once."""

    texts: tuple[str, ...]  # as written, whatever stands beside them
    count: int | None  # how many words each has, None where that differs
    first: frozenset[str]  # the first words, without marks
    last: frozenset[str]
    changing: bool  # whether the last word may be written otherwise before a neighbour
    joins: bool  # whether it stands without a space beside a neighbour
    begins: _Sides  # of its words, whatever marks stand between them
    ends: _Sides
    always: frozenset[str]  # words that all texts have, whatever stands beside them
    ever: frozenset[str]  # words that some text has


class Contraster:
    """Compares pieces; what it finds out about a column of forms is kept."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.unchecked = False  # whether something was too much to write out
        self._fixed: dict[str, tuple[str, ...]] = {}
        self._words: dict[tuple[int, bool, bool], tuple[tuple[str, ...], _Words]] = {}
        self._alike: dict[tuple[int, int], Bools] = {}
        self._apart: dict[tuple[str, int, int], bool] = {}

    def contrast(
        self, forms: Sequence[Mapping[str, tuple[str, ...]]], where: Difference
    ) -> Contrast | None:
        """Where two cells are written alike although their pieces differ; None if nowhere.

        Exact, except that where more than `MAX_JOINT` combinations of forms of unequal word
        numbers would have to be written out, they are taken to differ.
        """
        one, other, tail = where.one, where.other, where.tail
        if not one or not other:
            return None
        mine, theirs = (self._pieces(forms, where, pieces) for pieces in (one, other))
        if (
            self._begin_apart(mine[0], theirs[0])
            or self._end_apart(mine[-1], theirs[-1])
            or _told_by_a_word(mine, theirs)
        ):
            return None
        after = self.words(forms, tail) if tail is not None else None
        joins = any(w.joins for w in (*mine, *theirs))
        if joins or self._beside(mine, after) or self._beside(theirs, after):
            return self._written(forms, where, tail)
        if self._never(one, other, mine, theirs):
            return None
        slots = {p.slot for p in (*one, *other) if p.slot >= 0}
        counts = [[w.count for w in words] for words in (mine, theirs)]
        aligned = None not in counts[0] and counts[0] == counts[1]
        if aligned and len(slots) > 1:
            try:
                return _placewise([w.texts for w in mine], [w.texts for w in theirs], one, other)
            except TooWide:
                self.unchecked = True
                return None
        return self._written(forms, where, None)

    def _pieces(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        where: Difference,
        pieces: Sequence[Piece],
    ) -> list[_Words]:
        """The texts of some pieces; at the edges of the sentence with its capital and stop."""
        last = len(pieces) - 1
        return [
            self.words(
                forms,
                piece,
                first=where.first and i == 0,
                last=where.tail is None and i == last,
            )
            for i, piece in enumerate(pieces)
        ]

    def words(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        piece: Piece,
        *,
        first: bool = False,
        last: bool = False,
    ) -> _Words:
        """The texts of a piece, with what is known of them."""
        texts = self._fixed.setdefault(piece.text, (piece.text,))
        if piece.slot >= 0:
            texts = forms[piece.slot][piece.text]
        key = (id(texts), first, last)  # the texts are kept, so that the number stays theirs
        known = self._words.get(key)
        if known is not None and known[0] is texts:
            return known[1]
        settled = tuple(
            self._shown(self.surface.settle(text), first=first, last=last) for text in texts
        )
        split = [text.split() for text in settled]
        counts = {len(words) for words in split}
        found = _Words(
            settled,
            counts.pop() if len(counts) == 1 else None,
            frozenset(words[0].rstrip(_MARKS) for words in split if words),
            frozenset(words[-1].rstrip(_MARKS) for words in split if words),
            self._changes_last(texts, split),
            any(words[-1].endswith("'") or words[0][0] in CLOSING for words in split if words),
            _Sides.of(_spoken(text) for text in settled),
            _Sides.of(self._steady(text) for text in settled),
            *self._said(settled),
        )
        self._words[key] = (texts, found)
        return found

    def _changes_last(self, texts: Sequence[str], settled: Sequence[Sequence[str]]) -> bool:
        """Whether a last word may change: of a text as given (``de le``) or as settled (``du``)."""
        last = {text.split()[-1].lower() for text in texts if text.strip()}
        last |= {words[-1].lower() for words in settled if words}
        return not last.isdisjoint(self.surface.changing)

    def _steady(self, text: str) -> tuple[str, ...]:
        """The words of a text, the last one first, without a first word that may be changed."""
        words = _spoken(text)
        glued = "'" in text.partition(" ")[0]
        if words and (words[0] in self._unsteady or (glued and len(words) > 1)):
            words = words[1:]
        return tuple(reversed(words))

    def _said(self, texts: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
        """The words that all of some texts have, written so beside any neighbour; all words."""
        said = [frozenset(_spoken(text)) for text in texts]
        always = frozenset.intersection(*said) if said else frozenset()
        return always - self._unsteady, frozenset().union(*said)

    @cached_property
    def _unsteady(self) -> frozenset[str]:
        """The words that a surface rule changes or makes."""
        surface = self.surface
        made = [becomes for *_, becomes in (*surface.changes, *surface.contractions)]
        return frozenset(_spoken(" ".join([*surface.changing, *made])))

    def _shown(self, text: str, *, first: bool, last: bool) -> str:
        if last:
            text = self.surface.stopped(text)
        return self.surface.capitalise(text) if first and self.surface.capital else text

    def _beside(self, words: Sequence[_Words], after: _Words | None) -> bool:
        """Whether the last word of a piece may be written otherwise before the next piece."""
        follow = [*words[1:], *([after] if after is not None else [])]
        return any(w.changing for w in words[: len(follow)])

    def _begin_apart(self, one: _Words, other: _Words) -> bool:
        """Whether two pieces never begin alike, whatever follows them.

        None of the texts of the one is a text of the other, or the words that it begins with.
        """
        if one.changing or other.changing or one.joins or other.joins:
            return False
        return self._differ("begin", one, other)

    def _end_apart(self, one: _Words, other: _Words) -> bool:
        """Whether two pieces never end alike, whatever stands before them.

        Their first words may be written otherwise or swallowed there, and do not count.
        """
        return not (one.changing or other.changing) and self._differ("end", one, other)

    def _differ(self, side: str, one: _Words, other: _Words) -> bool:
        key = (side, id(one), id(other))
        if key not in self._apart:
            a, b = (x.begins if side == "begin" else x.ends for x in (one, other))
            self._apart[key] = a.whole.isdisjoint(b.parts) and b.whole.isdisjoint(a.parts)
        return self._apart[key]

    def _never(
        self,
        one: Sequence[Piece],
        other: Sequence[Piece],
        mine: Sequence[_Words],
        theirs: Sequence[_Words],
    ) -> bool:
        """Whether the first or the last pieces are enough to tell the two apart."""
        first = mine[0].first, theirs[0].first
        if "" not in first[0] | first[1] and first[0].isdisjoint(first[1]):
            return True
        last = mine[-1].last, theirs[-1].last
        if len(mine) == len(theirs) and "" not in last[0] | last[1] and last[0].isdisjoint(last[1]):
            return True
        for at in (0, -1):
            a, b = one[at], other[at]
            if a.slot == b.slot and not self._alike_in(mine[at], theirs[at]).any():
                return True
        return False

    def _alike_in(self, one: _Words, other: _Words) -> Bools:
        """The candidates for which one text begins or ends with the other."""
        key = (id(one), id(other))
        if key not in self._alike:
            self._alike[key] = np.array(
                [
                    a == b or a.startswith(b) or b.startswith(a) or a.endswith(b) or b.endswith(a)
                    for a, b in zip(one.texts, other.texts, strict=True)
                ],
                dtype=np.bool_,
            )
        return self._alike[key]

    def _written(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        where: Difference,
        tail: Piece | None,
    ) -> Contrast | None:
        """Write every combination of forms before every edge that ``tail`` shows, and compare."""
        one, other = where.one, where.other
        slots = tuple(dict.fromkeys(p.slot for p in (*one, *other) if p.slot >= 0))
        names = [tuple(dict.fromkeys(p.text for p in (*one, *other) if p.slot == s)) for s in slots]
        combos = [
            tuple(zip(*(forms[s][c] for c in columns), strict=True))
            for s, columns in zip(slots, names, strict=True)
        ]
        edges, edge_of = self._edges(forms, tail)
        known = [{combo: i for i, combo in enumerate(dict.fromkeys(x))} for x in combos]
        shape = [len(ids) for ids in known]
        possible = self._possible(forms, where, slots, [[*ids] for ids in known], names)
        if possible is None or int(possible.sum()) * len(edges) > MAX_JOINT:
            self.unchecked = True
            return None
        written_out = [[*ids] for ids in known]
        table = np.zeros([*shape, len(edges)], dtype=np.bool_)
        for found in np.argwhere(possible):
            at = tuple(int(i) for i in found)
            chosen = {
                (slot, column): text
                for slot, columns, kinds, i in zip(slots, names, written_out, at, strict=True)
                for column, text in zip(columns, kinds[i], strict=True)
            }
            phrases = [
                " ".join(p.text if p.slot < 0 else chosen[p.slot, p.text] for p in pieces)
                for pieces in (one, other)
            ]
            for i, edge in enumerate(edges):
                written = [self.surface.write(phrase, edge) for phrase in phrases]
                shown = {
                    (self._shown(w.text, first=where.first, last=where.tail is None), w.swallows)
                    for w in written
                }
                table[(*at, i)] = len(shown) == 1
        if not table.any():
            return None
        groups = [
            np.array([ids[combo] for combo in x], dtype=np.int64)
            for ids, x in zip(known, combos, strict=True)
        ]
        if tail is None or tail.slot < 0 or len(edges) == 1:
            return Contrast(slots, tuple(groups), np.asarray(table.any(axis=-1)))
        if tail.slot in slots:
            return _diagonal(slots, groups, table, slots.index(tail.slot), edge_of)
        return Contrast((*slots, tail.slot), (*groups, edge_of), table)

    def _possible(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        where: Difference,
        slots: Sequence[int],
        combos: Sequence[Sequence[tuple[str, ...]]],
        names: Sequence[Sequence[str]],
    ) -> Bools | None:
        """The combinations in which both may begin alike and end alike; None if there are too many.

        A piece whose edge is written otherwise beside a neighbour rules nothing out.
        """
        shape = [len(kinds) for kinds in combos]
        if prod(shape) > MAX_TABLE:
            return None
        table = np.ones(shape, dtype=np.bool_)
        for at, side in ((0, "begin"), (-1, "end")):
            pieces = where.one[at], where.other[at]
            words = [self._pieces(forms, where, some)[at] for some in (where.one, where.other)]
            if any(w.changing or (w.joins and side == "begin") for w in words):
                continue
            axes = [slots.index(p.slot) if p.slot >= 0 else -1 for p in pieces]
            if axes[0] == axes[1]:
                continue
            texts = [
                [p.text]
                if axis < 0
                else [combo[names[axis].index(p.text)] for combo in combos[axis]]
                for p, axis in zip(pieces, axes, strict=True)
            ]
            alike = _alike_at([[self._edge_words(t, side) for t in some] for some in texts])
            view = [1] * len(shape)
            for axis, size in zip(axes, alike.shape, strict=True):
                if axis >= 0:
                    view[axis] = size
            table &= (alike if axes[0] < axes[1] else alike.T).reshape(view)
        return table

    def _edge_words(self, text: str, side: str) -> tuple[str, ...]:
        """The words of a text from its beginning, or from its end without what may be changed."""
        settled = self.surface.settle(text)
        return self._steady(settled) if side == "end" else _spoken(settled)

    def _edges(
        self, forms: Sequence[Mapping[str, tuple[str, ...]]], tail: Piece | None
    ) -> tuple[tuple[Edge, ...], Ints]:
        """The edges the tail can show, and which one each of its candidates shows."""
        if tail is None:
            return (END,), np.zeros(1, dtype=np.int64)
        texts = self.words(forms, tail).texts
        edges = [self.surface.edge(text.split()[0]) if text else END for text in texts]
        known = {edge: i for i, edge in enumerate(dict.fromkeys(edges))}
        return tuple(known), np.array([known[edge] for edge in edges], dtype=np.int64)


def _spoken(text: str) -> tuple[str, ...]:
    """The words of a text without marks, which may come from a neighbour: *dogs* *,* or *dogs,*.

    Without regard to capitals either: ``ı`` and ``i`` have the same one, and that of ``ß`` is two
    letters.
    """
    return tuple(_WORD.findall(text.upper().casefold()))


def _alike_at(texts: Sequence[Sequence[tuple[str, ...]]]) -> Bools:
    """For each text of one list and each of another, whether one begins with the other."""
    one, other = texts
    return np.array(
        [[a[: len(b)] == b[: len(a)] for b in other] for a in one], dtype=np.bool_
    ).reshape(len(one), len(other))


def _told_by_a_word(mine: Sequence[_Words], theirs: Sequence[_Words]) -> bool:
    """Whether one of two phrases always has a word that the other never has."""
    for some, others in ((mine, theirs), (theirs, mine)):
        ever = frozenset().union(*(w.ever for w in others))
        if any(not w.always <= ever for w in some):
            return True
    return False


def _diagonal(
    slots: tuple[int, ...],
    groups: list[Ints],
    table: NDArray[np.bool_],
    at: int,
    edge_of: Ints,
) -> Contrast:
    """The tail is a form of a slot that is compared too: one group for both."""
    both = groups[at] * table.shape[-1] + edge_of
    kinds, inverse = np.unique(both, return_inverse=True)
    moved = np.moveaxis(table, at, -2)
    flat = moved.reshape((*moved.shape[:-2], -1))[..., kinds]
    new = [*groups]
    new[at] = inverse.astype(np.int64)
    return Contrast(slots, tuple(new), np.moveaxis(flat, -1, at))


def _placewise(
    mine: Sequence[tuple[str, ...]],
    theirs: Sequence[tuple[str, ...]],
    one: Sequence[Piece],
    other: Sequence[Piece],
) -> Contrast | None:
    """Equal iff equal at every place: exact where each piece has one word number.

    At a place with one slot, its candidates are told apart by whether the texts are equal; at a
    place with two, by the texts themselves.
    """
    columns: dict[int, list[Ints]] = {}  # slot → for every place it is part of, a mark a candidate
    places: list[list[tuple[int, int]]] = []  # for every place, (slot, which of its columns)

    def mark(slot: int, marks: Ints) -> tuple[int, int]:
        columns.setdefault(slot, []).append(marks)
        return slot, len(columns[slot]) - 1

    for a, b, texts, other_texts in zip(one, other, mine, theirs, strict=True):
        ids = {text: i for i, text in enumerate(dict.fromkeys((*texts, *other_texts)))}
        numbers = [np.array([ids[t] for t in f], dtype=np.int64) for f in (texts, other_texts)]
        if a.slot >= 0 and b.slot >= 0 and a.slot != b.slot:
            places.append([mark(a.slot, numbers[0]), mark(b.slot, numbers[1])])
            continue
        equal = (numbers[0] == numbers[1]).astype(np.int64)
        if not equal.any():
            return None
        if max(a.slot, b.slot) >= 0:
            places.append([mark(max(a.slot, b.slot), equal)])
    slots = tuple(columns)
    kinds: list[Ints] = []
    groups: list[Ints] = []
    for slot in slots:
        found, inverse = np.unique(np.stack(columns[slot], axis=1), axis=0, return_inverse=True)
        kinds.append(found)
        groups.append(inverse.reshape(-1).astype(np.int64))

    def view(slot: int, column: int) -> Ints:
        axis = slots.index(slot)
        shape = [-1 if i == axis else 1 for i in range(len(slots))]
        return kinds[axis][:, column].reshape(shape)

    if prod(len(found) for found in kinds) > MAX_TABLE:
        raise TooWide(slots, [])
    table = np.ones([len(found) for found in kinds], dtype=np.bool_)
    for place in places:
        if len(place) == 1:
            table &= view(*place[0]) == 1
        else:
            table &= view(*place[0]) == view(*place[1])
    return Contrast(slots, tuple(groups), table) if table.any() else None
