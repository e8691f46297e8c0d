"""For which lexemes two cells would be the same sentence, decided on written forms.

The forms of a variant's slots and the difference of two cells go in; a `Collapse` comes out, the
combinations of lexemes for which both cells are written alike, or None where there are none.
`merula.plan.planner` forbids them, so that cells that have to differ do differ in every instance;
`merula.changes` asks which sentences an edit leaves as they were.

Most pairs of cells differ in a way that one look at the columns of forms decides: no text of the
one begins, or ends, like a text of the other. Where the pieces have equal word counts, sentences
are equal if they are at every place (`_placewise`). Only where a word may be written otherwise
beside its neighbour (*le* before a vowel) are combinations of forms written out (`Contraster.
_written`), at most `MAX_JOINT` of them.

*le* and *la* differ before *chat*, and are both *l'* before *arbre* and *orme*:

>>> change = {"changes": (("le", "vowel", "l'"), ("la", "vowel", "l'"))}
>>> french = Surface(sounds=(("vowel", "[aeiou]"),), **change)
>>> noun = Piece(0, "lemma")
>>> where = difference((Piece(-1, "le"), noun), (Piece(-1, "la"), noun))
>>> found = Contraster(french).contrast([{"lemma": ("arbre", "chat", "orme")}], where)
>>> found.slots, found.groups[0].tolist(), found.table.tolist()
((0,), [0, 1, 0], [True, False])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from merula.core.arrays import Bools, Ints
from merula.core.frozen import ById, frozen
from merula.lexicon.surface import CLOSING, END, PhraseEdge, Surface
from merula.plan.relations import MAX_TABLE, TooWide

_MARKS = ".?!…"
_WORD = re.compile(r"\w+")
MAX_JOINT = 100_000  # combinations of forms that are written out: a few seconds for two cells


class Piece(NamedTuple):
    """A part of a cell: a form (a column) of a slot, or fixed words where ``slot`` is -1."""

    slot: int
    text: str  # the name of the column, or the words


@frozen(eq=False)
class CellDifference:
    """The pieces in which two cells differ, without those that they begin and end with alike.

    ``tail`` is the piece after both; where there is none they end the sentence. ``first`` says
    that they begin it. ``free`` are slots whose lexemes ``other`` may choose for itself, whatever
    the instance has: any choice that makes the two alike counts.
    """

    one: tuple[Piece, ...]
    other: tuple[Piece, ...]
    tail: Piece | None
    first: bool
    free: frozenset[int] = frozenset()

    def columns(self, slot: int) -> tuple[str, ...]:
        """Return the columns of a slot that the two show."""
        shown = (p.text for p in (*self.one, *self.other) if p.slot == slot and p.text)
        return tuple(dict.fromkeys(shown))


def difference(
    one: tuple[Piece, ...], other: tuple[Piece, ...], free: frozenset[int] = frozenset()
) -> CellDifference | None:
    """Return the difference of two cells, or None where they have the same pieces."""
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
    mine, theirs = one[start : len(one) - end], other[start : len(other) - end]
    return CellDifference(mine, theirs, tail, not start, free)


@frozen(eq=False)
class Collapse:
    """The combinations of lexemes that make two cells one sentence.

    ``groups[i]`` gives the group of every candidate of ``slots[i]``; ``table`` is True for the
    combinations of groups that collapse. Without slots the cells are one sentence always.
    """

    slots: tuple[int, ...]
    groups: tuple[Ints, ...]
    table: NDArray[np.bool_]


class _Sides(NamedTuple):
    """The words of some texts, and all their beginnings, from nothing to the whole text."""

    whole: frozenset[tuple[str, ...]]
    parts: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[tuple[str, ...]]) -> _Sides:
        whole = frozenset(texts)
        return cls(whole, frozenset(words[:n] for words in whole for n in range(len(words) + 1)))


@frozen(eq=False)
class WordFacts:
    """The facts about the texts of a piece that comparisons need, found once."""

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
    """Compares cells; what it finds out about a column of forms is kept."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.unchecked = False  # whether something was too much to write out
        self._fixed: dict[str, tuple[str, ...]] = {}
        self._cores: dict[ById, frozenset[tuple[str, ...]]] = {}
        self._words: dict[tuple[ById, bool, bool], WordFacts] = {}
        self._alike: dict[tuple[WordFacts, WordFacts], Bools] = {}
        self._apart: dict[tuple[str, WordFacts, WordFacts], bool] = {}

    def contrast(
        self, forms: Sequence[Mapping[str, tuple[str, ...]]], where: CellDifference
    ) -> Collapse | None:
        """Return where two cells are written alike although their pieces differ; None if nowhere.

        ``forms[s]`` are the columns of slot *s*. The answer is exact, unless more than `MAX_JOINT`
        combinations of forms would have to be written out: then the cells are taken to differ, and
        ``unchecked`` says so.
        """
        collapse = self._collapse(forms, where)
        return _without_free(collapse, where.free) if collapse is not None else None

    def _collapse(
        self, forms: Sequence[Mapping[str, tuple[str, ...]]], where: CellDifference
    ) -> Collapse | None:
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
        texts, other_texts = [w.texts for w in mine], [w.texts for w in theirs]
        if aligned and where.free and _each_with_one_slot(where):
            return _by_membership(texts, other_texts, one, other, where.free)
        if aligned and len(slots) > 1:
            try:
                return _placewise(texts, other_texts, one, other)
            except TooWide:
                self.unchecked = True
                return None
        return self._written(forms, where, None)

    def cores(self, texts: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
        """Return what is the same of each text beside any neighbour, as words.

        Without marks and capitals, and with one name for all that a word can become: `_names`.
        Texts with different ones are never written alike.
        """
        key = ById(texts)
        if key not in self._cores:
            words = (_spoken(self.surface.settle(text)) for text in texts)
            names = self._names
            self._cores[key] = frozenset(
                tuple(chain.from_iterable(names.get(w, (w,)) for w in spoken)) if names else spoken
                for spoken in words
            )
        return self._cores[key]

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        """For each word that surface rules change or make, the names it has in `cores`.

        Words that become each other have one name; what two words become has the names of both.
        With *il* → *l'* and *di il* → *del*, *il* and *l* are (il) and *del* is (di, il). A word
        has no name where the rules leave open which words it is of.
        """
        changes = [(_spoken(word), _spoken(becomes)) for word, _, becomes in self.surface.changes]
        pairs = [
            ((*_spoken(word), *_spoken(after)), _spoken(becomes))
            for word, after, becomes in self.surface.contractions
        ]
        every = {word for rule in (*changes, *pairs) for side in rule for word in side}
        name = {word: word for word in sorted(every)}
        nameless: set[str] = set()
        for before, after in changes:
            if len(before) == len(after) == 1:
                old, new = name[after[0]], name[before[0]]
                name = {word: new if x == old else x for word, x in name.items()}
            else:
                nameless.update(before, after)
        parts: dict[str, set[tuple[str, ...]]] = {}
        for both, made in pairs:
            if len(made) == 1:
                parts.setdefault(name[made[0]], set()).add(tuple(name[word] for word in both))
            else:
                nameless.update(both, made)
        for whole, ways in parts.items():
            if len(ways) > 1 or any(part in parts for way in ways for part in way):
                nameless.update([whole], *ways)
        nameless = {name[word] for word in nameless}
        return {
            word: () if x in nameless else next(iter(parts.get(x, {(x,)})))
            for word, x in name.items()
        }

    def _pieces(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        where: CellDifference,
        pieces: Sequence[Piece],
    ) -> list[WordFacts]:
        """Return the texts of some pieces; those at the sentence's edges with capital and stop."""
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
    ) -> WordFacts:
        """Return the texts of a piece with the facts about them."""
        texts = self.fixed(piece.text) if piece.slot < 0 else forms[piece.slot][piece.text]
        return self.facts(texts, first=first, last=last)

    def fixed(self, text: str) -> tuple[str, ...]:
        """Return fixed words as texts, always the same tuple."""
        return self._fixed.setdefault(text, (text,))

    def facts(
        self, texts: tuple[str, ...], *, first: bool = False, last: bool = False
    ) -> WordFacts:
        """Return the facts about some texts."""
        key = (ById(texts), first, last)
        words = self._words.get(key)
        if words is None:
            words = self._words[key] = self._facts(texts, first=first, last=last)
        return words

    def _facts(self, texts: tuple[str, ...], *, first: bool, last: bool) -> WordFacts:
        settled = tuple(
            self._shown(self.surface.settle(text), first=first, last=last) for text in texts
        )
        split = [text.split() for text in settled]
        counts = {len(words) for words in split}
        return WordFacts(
            settled,
            counts.pop() if len(counts) == 1 else None,
            frozenset(words[0].rstrip(_MARKS) for words in split if words),
            frozenset(words[-1].rstrip(_MARKS) for words in split if words),
            self._changes_last(texts, split),
            any(words[-1].endswith("'") or words[0][0] in CLOSING for words in split if words),
            _Sides.of(_spoken(text) for text in settled),
            _Sides.of(self._steady(text) for text in settled),
            *self._common(settled),
        )

    def _changes_last(self, texts: Sequence[str], settled: Sequence[Sequence[str]]) -> bool:
        """Return whether a last word may change: as given (``de le``) or as settled (``du``)."""
        last = {text.split()[-1].lower() for text in texts if text.strip()}
        last |= {words[-1].lower() for words in settled if words}
        return not last.isdisjoint(self.surface.changing)

    def _steady(self, text: str) -> tuple[str, ...]:
        """Return the words of a text, the last one first, without a first one that may change."""
        words = _spoken(text)
        glued = "'" in text.partition(" ")[0]
        if words and (words[0] in self._unsteady or (glued and len(words) > 1)):
            words = words[1:]
        return tuple(reversed(words))

    def _common(self, texts: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words that all texts have beside any neighbour, and those that some have."""
        words = [frozenset(_spoken(text)) for text in texts]
        always = frozenset.intersection(*words) if words else frozenset()
        return always - self._unsteady, frozenset().union(*words)

    @cached_property
    def _unsteady(self) -> frozenset[str]:
        """The words that some surface rule changes or makes."""
        surface = self.surface
        made = [becomes for *_, becomes in (*surface.changes, *surface.contractions)]
        return frozenset(_spoken(" ".join([*surface.changing, *made])))

    def _shown(self, text: str, *, first: bool, last: bool) -> str:
        if last:
            text = self.surface.stopped(text)
        return self.surface.capitalise(text) if first and self.surface.capital else text

    def _beside(self, words: Sequence[WordFacts], after: WordFacts | None) -> bool:
        """Return whether the last word of a piece may be written otherwise before the next one."""
        follow = [*words[1:], *([after] if after is not None else [])]
        return any(w.changing for w in words[: len(follow)])

    def _begin_apart(self, one: WordFacts, other: WordFacts) -> bool:
        """Return whether two pieces never begin alike, whatever follows them.

        No text of the one is a text of the other, or the beginning of one.
        """
        if one.changing or other.changing or one.joins or other.joins:
            return False
        return self._differ("begin", one, other)

    def _end_apart(self, one: WordFacts, other: WordFacts) -> bool:
        """Return whether two pieces never end alike, whatever is before them.

        Their first words may be written otherwise or swallowed there, and do not count.
        """
        return not (one.changing or other.changing) and self._differ("end", one, other)

    def _differ(self, side: str, one: WordFacts, other: WordFacts) -> bool:
        key = (side, one, other)
        if key not in self._apart:
            a, b = (x.begins if side == "begin" else x.ends for x in (one, other))
            self._apart[key] = a.whole.isdisjoint(b.parts) and b.whole.isdisjoint(a.parts)
        return self._apart[key]

    def _never(
        self,
        one: Sequence[Piece],
        other: Sequence[Piece],
        mine: Sequence[WordFacts],
        theirs: Sequence[WordFacts],
    ) -> bool:
        """Return whether the first or the last pieces are enough to tell the two apart."""
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

    def _alike_in(self, one: WordFacts, other: WordFacts) -> Bools:
        """Return for which candidates one text begins or ends with the other."""
        key = (one, other)
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
        where: CellDifference,
        tail: Piece | None,
    ) -> Collapse | None:
        """Write every combination of forms before every edge that ``tail`` shows, and compare.

        Forms are numbered, so that lexemes with equal forms are written once; the edges of the tail
        are few (*a vowel*, *a consonant*), however many forms it has.
        """
        one, other = where.one, where.other
        slots = tuple(dict.fromkeys(p.slot for p in (*one, *other) if p.slot >= 0))
        names = [tuple(dict.fromkeys(p.text for p in (*one, *other) if p.slot == s)) for s in slots]
        combos = [
            tuple(zip(*(forms[s][c] for c in columns), strict=True))
            for s, columns in zip(slots, names, strict=True)
        ]
        edges, edge_of = self._edges(forms, tail)
        numbers = [{combo: i for i, combo in enumerate(dict.fromkeys(x))} for x in combos]
        kinds_of = [[*ids] for ids in numbers]
        possible = self._possible(forms, where, slots, kinds_of, names)
        if possible is None or int(possible.sum()) * len(edges) > MAX_JOINT:
            self.unchecked = True
            return None
        table = np.zeros([*possible.shape, len(edges)], dtype=np.bool_)
        for place in np.argwhere(possible):
            at = tuple(int(i) for i in place)
            chosen = {
                (slot, column): text
                for slot, columns, kinds, i in zip(slots, names, kinds_of, at, strict=True)
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
            for ids, x in zip(numbers, combos, strict=True)
        ]
        if tail is None or tail.slot < 0 or len(edges) == 1:
            return Collapse(slots, tuple(groups), np.asarray(table.any(axis=-1)))
        if tail.slot in slots:
            return _diagonal(slots, groups, table, slots.index(tail.slot), edge_of)
        return Collapse((*slots, tail.slot), (*groups, edge_of), table)

    def _possible(
        self,
        forms: Sequence[Mapping[str, tuple[str, ...]]],
        where: CellDifference,
        slots: Sequence[int],
        combos: Sequence[Sequence[tuple[str, ...]]],
        names: Sequence[Sequence[str]],
    ) -> Bools | None:
        """Return the combinations in which both may begin alike and end alike.

        These are all that have to be written out. None where there are too many combinations to
        look at. A piece whose edge may be written otherwise beside a neighbour rules nothing out.
        """
        shape = [len(kinds) for kinds in combos]
        if prod(shape) > MAX_TABLE:
            return None
        table = np.ones(shape, dtype=np.bool_)
        for at, side in ((0, "begin"), (-1, "end")):
            pieces = where.one[at], where.other[at]
            words = [self._pieces(forms, where, cell)[at] for cell in (where.one, where.other)]
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
            alike = _alike_at([[self._edge_words(t, side) for t in column] for column in texts])
            view = [1] * len(shape)
            for axis, size in zip(axes, alike.shape, strict=True):
                if axis >= 0:
                    view[axis] = size
            table &= (alike if axes[0] < axes[1] else alike.T).reshape(view)
        return table

    def _edge_words(self, text: str, side: str) -> tuple[str, ...]:
        """Return the words of a text from its beginning, or from its end what does not change."""
        settled = self.surface.settle(text)
        return self._steady(settled) if side == "end" else _spoken(settled)

    def _edges(
        self, forms: Sequence[Mapping[str, tuple[str, ...]]], tail: Piece | None
    ) -> tuple[tuple[PhraseEdge, ...], Ints]:
        """Return the edges that the tail can show, and which of them each candidate shows."""
        if tail is None:
            return (END,), np.zeros(1, dtype=np.int64)
        texts = self.words(forms, tail).texts
        edges = [self.surface.edge(text.split()[0]) if text else END for text in texts]
        numbers = {edge: i for i, edge in enumerate(dict.fromkeys(edges))}
        return tuple(numbers), np.array([numbers[edge] for edge in edges], dtype=np.int64)


def _spoken(text: str) -> tuple[str, ...]:
    """Return the words of a text without marks and capitals.

    A mark may come from a neighbour (*dogs* *,* or *dogs,*). Upper case comes first, since ``ı``
    and ``i`` have the same capital, and that of ``ß`` is two letters.

    >>> _spoken("Straße, dogs")
    ('strasse', 'dogs')
    """
    return tuple(_WORD.findall(text.upper().casefold()))


def _alike_at(texts: Sequence[Sequence[tuple[str, ...]]]) -> Bools:
    """Return, for each text of one list and each of another, whether one begins with the other.

    >>> _alike_at([[("the",), ("a",)], [("the", "dog"), ("an",)]]).tolist()
    [[True, False], [False, False]]
    """
    one, other = texts
    return np.array(
        [[a[: len(b)] == b[: len(a)] for b in other] for a in one], dtype=np.bool_
    ).reshape(len(one), len(other))


def _told_by_a_word(mine: Sequence[WordFacts], theirs: Sequence[WordFacts]) -> bool:
    """Return whether one of two phrases always has a word that the other never has."""
    for one, other in ((mine, theirs), (theirs, mine)):
        ever = frozenset().union(*(w.ever for w in other))
        if any(not w.always <= ever for w in one):
            return True
    return False


def _diagonal(
    slots: tuple[int, ...],
    groups: list[Ints],
    table: NDArray[np.bool_],
    at: int,
    edge_of: Ints,
) -> Collapse:
    """Return the collapse where the tail is a form of a slot that is compared too.

    The slot's candidate decides its forms and the edge, so that one axis of the table stands for
    both. A noun of forms 0 and 1, whose lexemes show the edges 0, 1 and 1:

    >>> table = np.array([[True, False], [False, True]])  # form × edge
    >>> found = _diagonal((0,), [np.array([0, 0, 1])], table, 0, np.array([0, 1, 1]))
    >>> found.groups[0].tolist(), found.table.tolist()
    ([0, 1, 2], [True, False, True])
    """
    both = groups[at] * table.shape[-1] + edge_of
    kinds, inverse = np.unique(both, return_inverse=True)
    moved = np.moveaxis(table, at, -2)
    flat = moved.reshape((*moved.shape[:-2], -1))[..., kinds]
    new = [*groups]
    new[at] = inverse.astype(np.int64)
    return Collapse(slots, tuple(new), np.moveaxis(flat, -1, at))


def _each_with_one_slot(where: CellDifference) -> bool:
    """Return whether each free slot is compared with the forms of one other slot only."""
    beside: dict[int, set[int]] = {}
    for a, b in zip(where.one, where.other, strict=True):
        if b.slot in where.free:
            beside.setdefault(b.slot, set()).add(a.slot)
    return all(len(slots - {-1}) < 2 for slots in beside.values())


def _by_membership(
    mine: Sequence[tuple[str, ...]],
    theirs: Sequence[tuple[str, ...]],
    one: Sequence[Piece],
    other: Sequence[Piece],
    free: frozenset[int],
) -> Collapse | None:
    """Return where two cells are equal at every place, if the second may choose some lexemes.

    As `_placewise`. A lexeme of the first makes them alike where some lexeme of a free slot has its
    forms at all places of that slot. That is looked up in the set of these forms, so that 1,000
    lexemes of each are 2,000 steps and not 1,000,000.

    *the sheep* is the singular of one noun and the plural of another, *the dogs* only a plural:

    >>> singular, plural = ("dog", "sheep", "fish"), ("dogs", "sheep", "fishes")
    >>> one, other = [Piece(0, "sg")], [Piece(1, "pl")]
    >>> found = _by_membership([singular], [plural], one, other, frozenset({1}))
    >>> found.slots, found.groups[0].tolist(), found.table.tolist()
    ((0,), [0, 1, 0], [False, True])
    """
    keep: dict[int, Bools] = {}

    def demand(slot: int, mask: Bools) -> None:
        keep[slot] = keep[slot] & mask if slot in keep else mask

    places: dict[int, list[int]] = {}  # of free slots
    for at, (a, b, texts, other_texts) in enumerate(zip(one, other, mine, theirs, strict=True)):
        if b.slot in free:
            places.setdefault(b.slot, []).append(at)
            continue
        pairs = np.broadcast_arrays(
            np.array(texts, dtype=object), np.array(other_texts, dtype=object)
        )
        equal = np.asarray(pairs[0] == pairs[1], dtype=np.bool_)
        if not equal.any():
            return None
        if max(a.slot, b.slot) >= 0:
            demand(max(a.slot, b.slot), equal)
    for at_places in places.values():
        forms = set(zip(*(theirs[at] for at in at_places), strict=True))
        number = max(len(mine[at]) for at in at_places)
        columns = [mine[at] * number if len(mine[at]) == 1 else mine[at] for at in at_places]
        mask = np.array([x in forms for x in zip(*columns, strict=True)], dtype=np.bool_)
        if not mask.any():
            return None
        slot = max(one[at].slot for at in at_places)
        if slot >= 0:
            demand(slot, mask)
    keep = {slot: mask for slot, mask in keep.items() if not mask.all()}
    table = np.zeros((2,) * len(keep), dtype=np.bool_)
    table[(1,) * len(keep)] = True
    return Collapse(tuple(keep), tuple(mask.astype(np.int64) for mask in keep.values()), table)


def _without_free(collapse: Collapse, free: frozenset[int]) -> Collapse:
    """Return a collapse for the slots that are not free: some choice for the others is enough."""
    axes = tuple(i for i, slot in enumerate(collapse.slots) if slot in free)
    if not axes:
        return collapse
    kept = [i for i in range(len(collapse.slots)) if i not in axes]
    return Collapse(
        tuple(collapse.slots[i] for i in kept),
        tuple(collapse.groups[i] for i in kept),
        np.asarray(collapse.table.any(axis=axes)),
    )


def _placewise(
    mine: Sequence[tuple[str, ...]],
    theirs: Sequence[tuple[str, ...]],
    one: Sequence[Piece],
    other: Sequence[Piece],
) -> Collapse | None:
    """Return where two cells are equal at every place: exact where pieces have equal word counts.

    Without this all combinations of texts would have to be written out: 1,000 nouns and 1,000 verbs
    are 1,000,000 sentences. Place by place they are 2 · 2: at a place with one slot, its candidates
    are told apart by whether the texts are equal; at a place with two, by the texts themselves.

    *the dog barks* and *the dogs bark* differ, for these lexemes and for *sheep* and *barks*; only
    *sheep* and *hit* together hide the number.

    >>> mine, theirs = [("dog", "sheep"), ("barks", "hit")], [("dogs", "sheep"), ("bark", "hit")]
    >>> one, other = ([Piece(0, number), Piece(1, number)] for number in ("sg", "pl"))
    >>> found = _placewise(mine, theirs, one, other)
    >>> [group.tolist() for group in found.groups], found.table.tolist()
    ([[0, 1], [0, 1]], [[False, False], [False, True]])
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
        marks, inverse = np.unique(np.stack(columns[slot], axis=1), axis=0, return_inverse=True)
        kinds.append(marks)
        groups.append(inverse.reshape(-1).astype(np.int64))

    def view(slot: int, column: int) -> Ints:
        axis = slots.index(slot)
        shape = [-1 if i == axis else 1 for i in range(len(slots))]
        return kinds[axis][:, column].reshape(shape)

    shape = [len(marks) for marks in kinds]
    if prod(shape) > MAX_TABLE:
        raise TooWide(slots, [])
    table = np.ones(shape, dtype=np.bool_)
    for place in places:
        if len(place) == 1:
            table &= view(*place[0]) == 1
        else:
            table &= view(*place[0]) == view(*place[1])
    return Collapse(slots, tuple(groups), table) if table.any() else None
