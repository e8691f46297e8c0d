"""Constituents: neighbouring pieces of a cell fused into one table of written texts.

A piece's text depends on what follows it (``de le ami`` → ``de l'ami``), and all that it has to
know is the `Edge` at its right. So a constituent is written once for every combination of its
lexemes and every edge that can follow, from right to left, and a sentence is a row of numbers in
one dictionary of texts. Elision and contraction are exact inside a constituent and between two.
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
from merula.lexicon.surface import END, Edge, Surface, Written
from merula.plan.contrast import Piece
from merula.plan.planner import Plan, forms

MAX_FUSED = 4_096  # entries of a table that are worth a look-up less
EMPTY = 0  # the number of the empty text
_NO_EDGE = 0


@dataclass(frozen=True, eq=False)
class Table:
    """The texts of a constituent: numbers from ``base`` on, a block of ``size`` an edge.

    The number of a text is ``base`` + its edge's block · ``size`` + the sum of ``strides`` times
    the candidates of ``slots``.
    """

    base: int
    size: int
    slots: tuple[int, ...]
    strides: tuple[int, ...]
    block_of: Mapping[Edge, int]
    edges: tuple[Edge, ...]  # what it can show its left neighbour
    swallows: bool  # whether a text of it can swallow the beginning of its right neighbour

    @property
    def blocks(self) -> int:
        """How many ways there are to write it, by what follows."""
        return len(set(self.block_of.values()))


@dataclass(frozen=True, eq=False)
class _Column:
    """A piece written before each of some edges: entry ``block · size + candidate``."""

    size: int
    block_of: Mapping[Edge, int]
    texts: Any  # pa.StringArray, the full texts and then the withheld ones
    visible: Ints  # characters of each text without space and stop
    edges: tuple[Edge, ...]
    edge: Ints  # entry → place in ``edges``
    swallows: Bools

    @staticmethod
    def make(
        forms: Sequence[str], rights: Sequence[Edge], surface: Surface, *, first: bool, last: bool
    ) -> _Column:
        """The column of a piece with some forms."""
        blocks: dict[tuple[Written, ...], int] = {}
        block_of: dict[Edge, int] = {}
        for right in rights:
            block = tuple(surface.write(form, right) for form in forms)
            block_of[right] = blocks.setdefault(block, len(blocks))
        entries = [entry for block in blocks for entry in block]
        known = {edge: i for i, edge in enumerate(dict.fromkeys(e.edge for e in entries))}
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
            tuple(known),
            np.array([known[e.edge] for e in entries], dtype=np.int64),
            np.array([e.swallows for e in entries], dtype=np.bool_),
        )


class Phrasebook:
    """All texts of a design's constituents, each with a number; tables are made when needed.

    With ``spans`` it also knows where in each text its pieces stand.
    """

    def __init__(self, surface: Surface, *, spans: bool = False) -> None:
        self.surface, self.spans = surface, spans
        self._tables: dict[tuple[Any, ...], tuple[list[Sequence[str]], Table]] = {}
        self._columns: dict[tuple[Any, ...], tuple[Sequence[str], _Column]] = {}
        self._changing: dict[Any, tuple[Sequence[str], bool]] = {}
        self._ids: dict[Edge, int] = {}
        self._texts: list[Any] = [pa.array([""], pa.string())]
        self._edge = [np.zeros(1, np.int64)]
        self._swallows = [np.zeros(1, np.bool_)]
        self._withheld = [np.zeros(1, np.int64)]
        self._extents: list[Ints] = [np.zeros((1, 1, 2), np.int64)]
        self._length = 1

    def __len__(self) -> int:
        return self._length

    def divided(self, plan: Plan, pieces: Sequence[Piece], largest: int) -> list[tuple[Piece, ...]]:
        """The pieces of a cell in constituents of at most ``largest`` combinations.

        As few as can be, cut where nothing is elided or contracted if there is a choice, and
        then with the smallest tables. A slot alone may be as large as it is.
        """
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
                number, opened, total = best[start][0]
                opened += start > 0 and opens[start - 1]
                choices.append(((number + 1, opened, total + size), start))
            best.append(min(choices))
        parts: list[tuple[Piece, ...]] = []
        end = len(pieces)
        while end:
            start = best[end][1]
            parts.insert(0, tuple(pieces[start:end]))
            end = start
        return parts

    def _changes(self, texts: Sequence[str]) -> bool:
        """Whether the end of a piece may be written otherwise before some neighbour."""
        key = texts if len(texts) == 1 else id(texts)
        found = self._changing.get(key)
        if found is None:
            changing = self.surface.changing
            ends = changing and any(text.lower().split()[-1] in changing for text in texts)
            found = self._changing[key] = (texts, bool(ends))
        return found[1]

    def tables(self, plan: Plan, parts: Sequence[Sequence[Piece]]) -> list[Table]:
        """The tables of a cell's constituents, from left to right."""
        rights: tuple[Edge, ...] = (END,)
        found: list[Table] = []
        for number in range(len(parts) - 1, -1, -1):
            table = self._table(
                plan,
                parts[number],
                rights,
                first=number == 0,
                last=number == len(parts) - 1,
            )
            found.insert(0, table)
            rights = table.edges
        return found

    def _table(
        self,
        plan: Plan,
        pieces: Sequence[Piece],
        rights: tuple[Edge, ...],
        *,
        first: bool,
        last: bool,
    ) -> Table:
        slots = tuple(dict.fromkeys(p.slot for p in pieces if p.slot >= 0))
        texts = [forms(plan.slots, p) for p in pieces]
        # texts are kept with the table, so that their ids stay theirs; fixed words are equal by
        # what they say
        key = (
            tuple(
                ("", p.text) if p.slot < 0 else (slots.index(p.slot), id(t))
                for p, t in zip(pieces, texts, strict=True)
            ),
            rights,
            first,
            last,
        )
        found = self._tables.get(key)
        if found is None:
            sizes = [len(plan.slots[s]) for s in slots]
            places = [slots.index(p.slot) if p.slot >= 0 else -1 for p in pieces]
            table = self._make(texts, places, sizes, rights, first=first, last=last)
            found = self._tables[key] = (texts, table)
        table = found[1]
        return replace(table, slots=slots)

    def _column(
        self, texts: Sequence[str], rights: tuple[Edge, ...], *, first: bool, last: bool
    ) -> _Column:
        key = (texts if len(texts) == 1 else id(texts), rights, first, last)
        found = self._columns.get(key)
        if found is None:
            column = _Column.make(texts, rights, self.surface, first=first, last=last)
            found = self._columns[key] = (texts, column)
        return found[1]

    def _make(
        self,
        texts: Sequence[Sequence[str]],
        places: Sequence[int],
        sizes: Sequence[int],
        rights: tuple[Edge, ...],
        *,
        first: bool,
        last: bool,
    ) -> Table:
        """Write a constituent whose pieces have texts by the candidates of their places."""
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
        for found in entries:
            self._add(columns, found, size)
        total = size * len(blocks)
        withheld = any(edge.second for edge in columns[0].edges)
        self._withheld.append(np.full(total, total * withheld))
        if withheld:
            for found in entries:
                found[:, 0] += len(columns[0].edge)
                self._add(columns, found, size)
            self._withheld.append(np.zeros(total, np.int64))
        return Table(
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

    def _id(self, edge: Edge) -> int:
        return self._ids.setdefault(edge, len(self._ids) + 1)

    def _forget(self) -> None:
        for name in ("texts", "edge", "swallows", "withheld", "lengths", "extents"):
            self.__dict__.pop(name, None)

    @cached_property
    def texts(self) -> Any:
        """Number → text (a pyarrow string array)."""
        self._texts = [pa.concat_arrays(self._texts)]
        return self._texts[0]

    @cached_property
    def edge(self) -> Ints:
        """Number → number of the edge it shows its left neighbour."""
        self._edge = [np.concatenate(self._edge)]
        return self._edge[0]

    @cached_property
    def swallows(self) -> Bools:
        """Number → whether it has swallowed the beginning of its right neighbour."""
        self._swallows = [np.concatenate(self._swallows)]
        return self._swallows[0]

    @cached_property
    def withheld(self) -> Ints:
        """Number → how far behind it the text without its swallowed beginning is."""
        self._withheld = [np.concatenate(self._withheld)]
        return self._withheld[0]

    @cached_property
    def lengths(self) -> Ints:
        """Number → characters of its text."""
        return np.array([len(text) for text in self.texts.to_pylist()], dtype=np.int64)

    @cached_property
    def extents(self) -> Ints:
        """Number, piece → first character and the one after the last, space and stop left out."""
        most = max(x.shape[1] for x in self._extents)
        wide = [np.pad(x, ((0, 0), (0, most - x.shape[1]), (0, 0))) for x in self._extents]
        self._extents = [np.concatenate(wide)]
        return self._extents[0]

    def shifts(self, table: Table) -> Ints:
        """Edge number → how much the number of a text grows before that edge."""
        found = np.zeros(len(self._ids) + 1, dtype=np.int64)
        for edge, block in table.block_of.items():
            found[self._id(edge)] = block * table.size
        return found


def _entries(columns: Sequence[_Column], candidates: Sequence[Any], block: int, size: int) -> Ints:
    """The entry of every piece for every combination; the last piece is written as in a block.

    Entries in the second half of a column are the withheld texts.
    """
    found = np.empty((size, len(columns)), dtype=np.int64)
    found[:, -1] = block * columns[-1].size + candidates[-1]
    for i in range(len(columns) - 2, -1, -1):
        column, right = columns[i], columns[i + 1]
        blocks = np.array([column.block_of[edge] for edge in right.edges], dtype=np.int64)
        found[:, i] = blocks[right.edge[found[:, i + 1]]] * column.size + candidates[i]
    for i in range(len(columns) - 1):
        swallowed = columns[i].swallows[found[:, i] % len(columns[i].edge)]
        found[:, i + 1] += swallowed * len(columns[i + 1].edge)
    return found


def strung(texts: Any, numbers: NDArray[Any]) -> Any:
    """The texts of each row of numbers, strung together: one take, no join.

    Taken one after the other, the texts of a row lie side by side in the buffer of characters;
    what is left is to keep one offset a row.
    """
    rows, width = numbers.shape
    taken = texts.take(pa.array(numbers.reshape(-1)))
    _, offsets, characters = taken.buffers()
    ends = np.frombuffer(offsets, np.int32, rows * width + 1, taken.offset * 4)
    kept = pa.py_buffer(np.ascontiguousarray(ends[::width]))
    return pa.StringArray.from_buffers(rows, kept, characters)
