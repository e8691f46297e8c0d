"""Writing sentences a column at a time: look-ups in dictionaries, one join a sentence.

Every piece of a cell has a table of its texts, written once before every edge that can stand at
its right. A batch is written from right to left: an index into the table is taken from the
candidates and the edge to the right, and gives the text and the piece's own edge. Elision and
contraction across pieces are exact, and no finished sentence is ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merula.contrast import Piece
from merula.plan import Plan, PlanCell, forms, phrases
from merula.space import Ints
from merula.surface import END, Edge, Surface, Written


@dataclass(frozen=True, eq=False)
class _PieceTable:
    """Texts of a piece; entry ``column_of[right edge] * size + candidate``."""

    size: int
    column_of: Mapping[Edge, int]
    texts: Any  # pa.StringArray
    withheld: Any  # the texts without what the left neighbour swallowed, or None
    edges: tuple[Edge, ...]
    edge: Ints  # entry → index into ``edges``
    swallows: Ints | None  # entry → 1 where it swallows from its right neighbour

    @staticmethod
    def make(
        forms: Sequence[str], rights: Iterable[Edge], surface: Surface, *, first: bool, last: bool
    ) -> _PieceTable:
        """The table of a piece with some forms, before some edges."""
        columns: dict[tuple[Written, ...], int] = {}
        column_of: dict[Edge, int] = {}
        for right in rights:
            column = tuple(surface.write(form, right) for form in forms)
            column_of[right] = columns.setdefault(column, len(columns))
        entries = [entry for column in columns for entry in column]
        known = {edge: i for i, edge in enumerate(dict.fromkeys(e.edge for e in entries))}

        def finished(text: str) -> str:
            text = surface.stopped(text) if last else text
            return surface.capitalise(text) if first and surface.capital else text

        swallows = any(e.swallows for e in entries)
        withheld = None
        if any(e.edge.second for e in entries):
            withheld = pa.array([finished(e.withheld) for e in entries], pa.string())
        return _PieceTable(
            len(forms),
            column_of,
            pa.array([finished(e.text) for e in entries], pa.string()),
            withheld,
            tuple(known),
            np.array([known[e.edge] for e in entries], dtype=np.int64),
            np.array([e.swallows for e in entries], dtype=np.int64) if swallows else None,
        )


Tables = dict[tuple[int, tuple[Edge, ...], bool, bool], tuple[Sequence[str], _PieceTable]]


class Writer:
    """Writes the cells of a plan; ``made`` keeps tables that several plans need."""

    def __init__(self, plan: Plan, surface: Surface, made: Tables | None = None) -> None:
        self.plan, self.surface = plan, surface
        self._made = made if made is not None else {}
        self._tables = [self._cell_tables(cell) for cell in plan.cells]

    def column(self, cell: int, candidates: Sequence[Ints]) -> Any:
        """The sentences of a cell (a pyarrow string array) for candidates, an array a slot."""
        length = len(candidates[0]) if candidates else 1
        pieces, tables = self.plan.cells[cell].pieces, self._tables[cell]
        parts: list[Any] = []
        right: tuple[_PieceTable, Any] | None = None
        for piece, table in zip(reversed(pieces), reversed(tables), strict=True):
            entry = self._entries(piece, table, right, candidates)
            if right is not None:
                parts.append(_texts(right, table, entry))
            right = (table, entry)
        assert right is not None
        parts.append(_texts(right, None, None))
        arrays = [_full(part, length) for part in reversed(parts)]
        return pc.binary_join_element_wise(*arrays, "") if len(arrays) > 1 else arrays[0]

    def sentence(self, cell: int, candidates: Sequence[int]) -> str:
        """One sentence, put together from words."""
        return self.surface.sentence(phrases(self.plan.slots, self.plan.cells[cell], candidates))

    def _cell_tables(self, cell: PlanCell) -> list[_PieceTable]:
        tables: list[_PieceTable] = []
        rights: tuple[Edge, ...] = (END,)
        for number in range(len(cell.pieces) - 1, -1, -1):
            piece = cell.pieces[number]
            first, last = number == 0, number == len(cell.pieces) - 1
            table = self._table(piece, rights, first=first, last=last)
            tables.insert(0, table)
            rights = table.edges
        return tables

    def _table(
        self, piece: Piece, rights: tuple[Edge, ...], *, first: bool, last: bool
    ) -> _PieceTable:
        texts = forms(self.plan.slots, piece)
        key = (
            id(texts),
            rights,
            first,
            last,
        )  # the texts are kept, so that the number stays theirs
        found = self._made.get(key)
        if found is None or found[0] is not texts:
            table = _PieceTable.make(texts, rights, self.surface, first=first, last=last)
            found = self._made[key] = (texts, table)
        return found[1]

    def _entries(
        self,
        piece: Piece,
        table: _PieceTable,
        right: tuple[_PieceTable, Any] | None,
        candidates: Sequence[Ints],
    ) -> Any:
        """The entry of the piece in every row: an array, or one number where it is the same."""
        index: Any = candidates[piece.slot] if piece.slot >= 0 else 0
        if len(set(table.column_of.values())) == 1:
            return index
        assert right is not None
        columns = np.array([table.column_of[edge] for edge in right[0].edges], dtype=np.int64)
        return columns[right[0].edge[right[1]]] * table.size + index


def _texts(right: tuple[_PieceTable, Any], left: _PieceTable | None, left_entry: Any) -> Any:
    """The texts of a piece, without their beginning where the left neighbour swallows it."""
    table, entry = right
    if left is None or left.swallows is None or table.withheld is None:
        return _take(table.texts, entry)
    swallowed = left.swallows[left_entry]
    both = pa.concat_arrays([table.texts, table.withheld])
    return _take(both, entry + swallowed * len(table.texts))


def _take(texts: Any, entry: Any) -> Any:
    return texts.take(pa.array(entry)) if isinstance(entry, np.ndarray) else texts[int(entry)]


def _full(part: Any, length: int) -> Any:
    return pa.repeat(part, length) if isinstance(part, pa.Scalar) else part
