"""Constituents: neighbouring pieces of a cell fused into one table of written texts.

The pieces of a plan's cells go in (`Phrasebook.divided`, `Phrasebook.tables`); tables of numbered
texts come out, and one dictionary with the text of every number. `merula.rows.sentences` calls
this.

To join the words of a sentence for each of a million rows takes most of the time of writing it. So
neighbouring pieces are fused: every combination of their lexemes is written once, and a sentence is
a few numbers in one dictionary of texts. A piece's text depends on what follows it (``de le ami`` →
``de l'ami``), and all that it has to know is the `PhraseEdge` at its right; a constituent is
written once for every edge that can follow, from right to left. Elision and contraction are exact
inside a constituent and between two.

An example: *voit le* or *aime le*, and then *chat* or *arbre*.

>>> from types import SimpleNamespace
>>> from merula.plan.slots import Slot
>>> french = Surface(False, "", (("vowel", "[aeiou]"),), (("le", "vowel", "l'"),))
>>> def slot(*texts):
...     return Slot("", frozenset(), texts, texts, {"lemma": texts}, None, ())
>>> plan = SimpleNamespace(slots=[slot("voit", "aime"), slot("chat", "arbre")])
>>> book = Phrasebook(french)
>>> verb_phrase, noun = [Piece(0, "lemma"), Piece(-1, "le")], [Piece(1, "lemma")]
>>> verb_table, noun_table = book.tables(plan, [verb_phrase, noun])

The nouns are numbers 1 and 2. The verbs are written twice, before either edge that nouns show:

>>> book.texts.to_pylist()
['', 'chat', 'arbre', 'voit le ', 'aime le ', "voit l'", "aime l'"]
>>> verb_table.base, verb_table.size, noun_table.base
(3, 2, 1)

The sentence of verb 1 and noun 1: the noun has the number 1 + 1 = 2, which shows the edge 2 (a
vowel); before that edge the number of a verb grows by 2, and so it is 3 + 1 + 2 = 6.

>>> int(book.edge[2]), book.shifts(verb_table).tolist()
(2, [0, 0, 2])
>>> strung(book.texts, np.array([[6, 2]])).to_pylist()
["aime l'arbre"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.core.arrays import Bools, Ints
from merula.core.frozen import ById
from merula.lexicon.surface import END, PhraseEdge, Surface, WrittenPhrase
from merula.plan.contrast import Piece
from merula.plan.planner import Plan, forms

MAX_FUSED = 4_096  # combinations of a constituent: larger tables are slower than one look-up more
EMPTY = 0  # the number of the empty text


@dataclass(frozen=True, eq=False)
class TextTable:
    """The texts of a constituent: numbers from ``base`` on, a block of ``size`` an edge.

    The number of a text is ``base`` + its edge's block · ``size`` + the sum of ``strides`` times
    the candidates of ``slots``: linear in the candidates, so that numpy finds many at once.
    """

    base: int
    size: int
    slots: tuple[int, ...]
    strides: tuple[int, ...]
    block_of: Mapping[PhraseEdge, int]
    edges: tuple[PhraseEdge, ...]  # that it can show its left neighbour
    swallows: bool  # whether a text of it can swallow the beginning of its right neighbour

    @property
    def blocks(self) -> int:
        """The number of ways to write it, by what follows."""
        return len(set(self.block_of.values()))


@dataclass(frozen=True, eq=False)
class _Column:
    """A piece written before each of some edges; a text's entry is block · size + candidate."""

    size: int
    block_of: Mapping[PhraseEdge, int]
    texts: Any  # pa.StringArray, the full texts and then the withheld ones
    visible: Ints  # characters of each text without space and stop
    edges: tuple[PhraseEdge, ...]
    edge: Ints  # entry → place in ``edges``
    swallows: Bools

    @staticmethod
    def make(
        forms: Sequence[str],
        rights: Sequence[PhraseEdge],
        surface: Surface,
        *,
        first: bool,
        last: bool,
    ) -> _Column:
        """Return the column of a piece with some forms."""
        blocks: dict[tuple[WrittenPhrase, ...], int] = {}
        block_of: dict[PhraseEdge, int] = {}
        for right in rights:
            block = tuple(surface.write(form, right) for form in forms)
            block_of[right] = blocks.setdefault(block, len(blocks))
        entries = [entry for block in blocks for entry in block]
        edges = {edge: i for i, edge in enumerate(dict.fromkeys(e.edge for e in entries))}
        texts = [e.text for e in entries] + [e.withheld for e in entries]
        if first and surface.capital:
            texts = [surface.capitalise(text) for text in texts]
        visible = [len(text.rstrip(" ")) for text in texts]
        if last:
            texts = [surface.stopped(text) for text in texts]
        return _Column(
            len(forms),
            block_of,
            pa.array(texts, pa.string()),
            np.array(visible, dtype=np.int64),
            tuple(edges),
            np.array([edges[e.edge] for e in entries], dtype=np.int64),
            np.array([e.swallows for e in entries], dtype=np.bool_),
        )


class Phrasebook:
    """All texts of a design's constituents, each with a number; tables are made when needed.

    With ``spans`` it also knows where in each text its pieces begin and end.
    """

    def __init__(self, surface: Surface, *, spans: bool = False) -> None:
        self.surface, self.spans = surface, spans
        self._tables: dict[tuple[Any, ...], TextTable] = {}
        self._columns: dict[tuple[Any, ...], _Column] = {}
        self._changing: dict[ById | str, bool] = {}
        self._ids: dict[PhraseEdge, int] = {}
        self._texts: list[Any] = [pa.array([""], pa.string())]
        self._edge = [np.zeros(1, np.int64)]
        self._swallows = [np.zeros(1, np.bool_)]
        self._withheld = [np.zeros(1, np.int64)]
        self._extents: list[Ints] = [np.zeros((1, 1, 2), np.int64)]
        self._length = 1

    def __len__(self) -> int:
        return self._length

    def divided(self, plan: Plan, pieces: Sequence[Piece], largest: int) -> list[tuple[Piece, ...]]:
        """Return the pieces of a cell in constituents of at most ``largest`` combinations.

        As few as can be, cut where nothing is elided or contracted if there is a choice, and
        then with the smallest tables. A slot alone may be as large as it is.

        The best way to divide the first *n* pieces ends with some constituent, and before it is the
        best way to divide the rest: so each *n* is divided once, from the left, and of 20 pieces no
        more than 210 constituents are looked at instead of 2¹⁹ divisions. With 40 nouns, 30 verbs
        and 20 adverbs three constituents fuse into two, either 40 · 30 and 20 or 40 and 30 · 20;
        the second has the smaller tables, 640 texts against 1,220.

        >>> from types import SimpleNamespace
        >>> from merula.lexicon.surface import plain_surface
        >>> from merula.plan.slots import Slot
        >>> def slot(size):
        ...     texts = tuple(f"word{i}" for i in range(size))
        ...     return Slot("", frozenset(), texts, texts, {"lemma": texts}, None, ())
        >>> plan = SimpleNamespace(slots=[slot(40), slot(30), slot(20)])
        >>> pieces = [Piece(slot, "lemma") for slot in range(3)]
        >>> parts = Phrasebook(plain_surface()).divided(plan, pieces, MAX_FUSED)
        >>> [[piece.slot for piece in part] for part in parts]
        [[0], [1, 2]]
        """
        # best[n]: (constituents, cuts where something may be elided, texts), where the last begins
        best: list[tuple[tuple[int, int, int], int]] = [((0, 0, 0), 0)]
        opens = [self._changes(forms(plan.slots, piece)) for piece in pieces]
        for end in range(1, len(pieces) + 1):
            choices = []
            slots: set[int] = set()
            size = widest = 1
            for start in range(end - 1, -1, -1):
                slot = pieces[start].slot
                if slot >= 0 and slot not in slots:
                    slots.add(slot)
                    size *= len(plan.slots[slot])
                    widest = max(widest, len(plan.slots[slot]))
                if size > max(largest, widest):
                    break
                count, opened, total = best[start][0]
                opened += start > 0 and opens[start - 1]
                choices.append(((count + 1, opened, total + size), start))
            best.append(min(choices))
        parts: list[tuple[Piece, ...]] = []
        end = len(pieces)
        while end:
            start = best[end][1]
            parts.insert(0, tuple(pieces[start:end]))
            end = start
        return parts

    def _changes(self, texts: Sequence[str]) -> bool:
        """Return whether the end of a piece may be written otherwise before some neighbour."""
        key = _key(texts)
        if key not in self._changing:
            changing = self.surface.changing
            ends = changing and any(text.lower().split()[-1] in changing for text in texts)
            self._changing[key] = bool(ends)
        return self._changing[key]

    def tables(self, plan: Plan, parts: Sequence[Sequence[Piece]]) -> list[TextTable]:
        """Return the tables of a cell's constituents, from left to right."""
        rights: tuple[PhraseEdge, ...] = (END,)
        tables: list[TextTable] = []
        for number in range(len(parts) - 1, -1, -1):
            table = self._table(
                plan,
                parts[number],
                rights,
                first=number == 0,
                last=number == len(parts) - 1,
            )
            tables.insert(0, table)
            rights = table.edges
        return tables

    def _table(
        self,
        plan: Plan,
        pieces: Sequence[Piece],
        rights: tuple[PhraseEdge, ...],
        *,
        first: bool,
        last: bool,
    ) -> TextTable:
        slots = tuple(dict.fromkeys(p.slot for p in pieces if p.slot >= 0))
        texts = [forms(plan.slots, p) for p in pieces]
        places = [slots.index(p.slot) if p.slot >= 0 else -1 for p in pieces]
        key = (*places, *map(_key, texts), rights, first, last)
        table = self._tables.get(key)
        if table is None:
            sizes = [len(plan.slots[s]) for s in slots]
            table = self._make(texts, places, sizes, rights, first=first, last=last)
            self._tables[key] = table
        return replace(table, slots=slots)

    def _column(
        self, texts: Sequence[str], rights: tuple[PhraseEdge, ...], *, first: bool, last: bool
    ) -> _Column:
        key = (_key(texts), rights, first, last)
        column = self._columns.get(key)
        if column is None:
            column = _Column.make(texts, rights, self.surface, first=first, last=last)
            self._columns[key] = column
        return column

    def _make(
        self,
        texts: Sequence[Sequence[str]],
        places: Sequence[int],
        sizes: Sequence[int],
        rights: tuple[PhraseEdge, ...],
        *,
        first: bool,
        last: bool,
    ) -> TextTable:
        """Write a constituent: ``texts`` of each piece, by the candidates of its place's slot.

        ``places`` are -1 for fixed words; ``sizes`` are those of the slots. Where a left neighbour
        may swallow the beginning of a text (*de* + *le chat* → *du* + *chat*), the texts follow
        once more without it, ``withheld`` numbers behind.
        """
        columns: list[_Column] = []
        for i in range(len(texts) - 1, -1, -1):
            edges = columns[0].edges if columns else rights
            ends = last and i == len(texts) - 1
            column = self._column(texts[i], edges, first=first and i == 0, last=ends)
            columns.insert(0, column)
        size = prod(sizes)
        strides = tuple(prod(sizes[i + 1 :]) for i in range(len(sizes)))
        combinations = np.arange(size)
        chosen = [combinations // s % n for s, n in zip(strides, sizes, strict=True)]
        base, blocks = self._length, sorted(set(columns[-1].block_of.values()))
        candidates = [chosen[p] if p >= 0 else 0 for p in places]
        entries = [_entries(columns, candidates, block, size) for block in blocks]
        for block_entries in entries:
            self._add(columns, block_entries, size)
        total = size * len(blocks)
        withheld = any(edge.second for edge in columns[0].edges)
        self._withheld.append(np.full(total, total * withheld))
        if withheld:
            for block_entries in entries:
                block_entries[:, 0] += len(columns[0].edge)
                self._add(columns, block_entries, size)
            self._withheld.append(np.zeros(total, np.int64))
        return TextTable(
            base,
            size,
            tuple(range(len(sizes))),
            strides,
            columns[-1].block_of,
            columns[0].edges,
            bool(columns[-1].swallows.any()),
        )

    def _add(self, columns: Sequence[_Column], entries: Ints, size: int) -> None:
        """Add the texts of a block; ``entries`` are the pieces' entries, shape (size, pieces)."""
        firsts = np.cumsum([0, *(len(c.texts) for c in columns)])
        every = pa.concat_arrays([c.texts for c in columns])
        self._texts.append(strung(every, entries + firsts[:-1]))
        left, right = columns[0], columns[-1]
        ids = np.array([self._id(edge) for edge in left.edges], dtype=np.int64)
        self._edge.append(ids[left.edge[entries[:, 0] % len(left.edge)]])
        self._swallows.append(right.swallows[entries[:, -1] % len(right.edge)])
        self._length += size
        if self.spans:
            lengths = np.array([len(text) for text in every.to_pylist()], dtype=np.int64)
            visible = np.concatenate([c.visible for c in columns])
            begin = np.cumsum(lengths[entries + firsts[:-1]], axis=1)
            begin = np.concatenate([np.zeros((size, 1), np.int64), begin[:, :-1]], axis=1)
            end = begin + visible[entries + firsts[:-1]]
            self._extents.append(np.stack([begin, end], axis=2))
        self._forget()

    def _id(self, edge: PhraseEdge) -> int:
        return self._ids.setdefault(edge, len(self._ids) + 1)

    def _forget(self) -> None:
        for name in ("texts", "edge", "swallows", "withheld", "lengths", "extents"):
            self.__dict__.pop(name, None)

    @cached_property
    def texts(self) -> Any:
        """The text of each number (a pyarrow string array)."""
        self._texts = [pa.concat_arrays(self._texts)]
        return self._texts[0]

    @cached_property
    def edge(self) -> Ints:
        """The number of the edge that each text shows its left neighbour."""
        self._edge = [np.concatenate(self._edge)]
        return self._edge[0]

    @cached_property
    def swallows(self) -> Bools:
        """Whether each text has swallowed the beginning of its right neighbour."""
        self._swallows = [np.concatenate(self._swallows)]
        return self._swallows[0]

    @cached_property
    def withheld(self) -> Ints:
        """The distance from each text to the same one without its swallowed beginning."""
        self._withheld = [np.concatenate(self._withheld)]
        return self._withheld[0]

    @cached_property
    def lengths(self) -> Ints:
        """The length of each text in characters."""
        return np.array([len(text) for text in self.texts.to_pylist()], dtype=np.int64)

    @cached_property
    def extents(self) -> Ints:
        """The bounds of each piece of each text in characters, space and stop left out."""
        width = max(x.shape[1] for x in self._extents)
        wide = [np.pad(x, ((0, 0), (0, width - x.shape[1]), (0, 0))) for x in self._extents]
        self._extents = [np.concatenate(wide)]
        return self._extents[0]

    def shifts(self, table: TextTable) -> Ints:
        """Return, for each number of an edge, how much the number of a text grows before it."""
        growth = np.zeros(len(self._ids) + 1, dtype=np.int64)
        for edge, block in table.block_of.items():
            growth[self._id(edge)] = block * table.size
        return growth


def _key(texts: Sequence[str]) -> ById | str:
    """Return the key of a piece's texts: fixed words by themselves, a column by its identity."""
    return texts[0] if len(texts) == 1 else ById(texts)


def _entries(columns: Sequence[_Column], candidates: Sequence[Any], block: int, size: int) -> Ints:
    """Return the entry of every piece for every combination, the last piece as in a block.

    From right to left, since each piece is written before the edge that the next one shows. Entries
    in the second half of a column are the withheld texts, for pieces that are swallowed.
    """
    entries = np.empty((size, len(columns)), dtype=np.int64)
    entries[:, -1] = block * columns[-1].size + candidates[-1]
    for i in range(len(columns) - 2, -1, -1):
        column, right = columns[i], columns[i + 1]
        blocks = np.array([column.block_of[edge] for edge in right.edges], dtype=np.int64)
        entries[:, i] = blocks[right.edge[entries[:, i + 1]]] * column.size + candidates[i]
    for i in range(len(columns) - 1):
        swallowed = columns[i].swallows[entries[:, i] % len(columns[i].edge)]
        entries[:, i + 1] += swallowed * len(columns[i + 1].edge)
    return entries


def strung(texts: Any, numbers: NDArray[Any]) -> Any:
    """Return the texts of each row of numbers, strung together: one take, no join.

    Taken one after the other, the texts of a row lie side by side in the buffer of characters; what
    is left is to keep one offset a row. Of *a b c b b* and the offsets 0, 2, 4, 6, 8 the rows of
    two keep 0, 4, 8.

    >>> strung(pa.array(["a ", "b "]), np.array([[0, 1], [1, 1]])).to_pylist()
    ['a b ', 'b b ']
    """
    rows, width = numbers.shape
    taken = texts.take(pa.array(numbers.reshape(-1)))
    _, offsets, characters = taken.buffers()
    ends = np.frombuffer(offsets, np.int32, rows * width + 1, taken.offset * 4)
    kept = pa.py_buffer(np.ascontiguousarray(ends[::width]))
    return pa.StringArray.from_buffers(rows, kept, characters)
