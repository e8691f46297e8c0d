"""Published rows as instances, one after another: a paradigm with its cells, or a matrix.

`ConfigSplit` reads a split of a configuration in pieces of bounded size, as often as it is asked,
so that no format holds a split in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.data.manifests.publication import ConfigEntry
from merula.data.opened import Published
from merula.design.pairs import MinimalPair, pairs_of

# Rows held as Python values at once, some megabytes, whatever the size of the row groups.
CHUNK_ROWS = 8_192


class ParadigmInstance(NamedTuple):
    """An instance of a paradigm: its cells in the order of the design.

    ``more`` has the further columns that were read, each a list with a value for each cell.
    """

    number: int
    address: str
    sentences: list[str]
    acceptable: tuple[bool, ...]
    more: dict[str, list[Any]]


class MatrixInstance(NamedTuple):
    """An instance of a matrix."""

    number: int
    address: str
    context: list[str]
    answers: list[str]
    correct: int
    labels: list[str]
    classes: list[str]
    broken: list[list[str]]


@frozen(eq=False)
class Grid:
    """The cells of a paradigm: its factors, and the name and the values of each cell.

    A pattern is the judgement of each cell. There may be several, in the order of the rows, since
    variants of a design may judge a cell differently.
    """

    factors: tuple[str, ...]
    cells: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    patterns: tuple[tuple[bool, ...], ...]

    def __len__(self) -> int:
        return len(self.cells)

    def pairs(self, acceptable: tuple[bool, ...]) -> list[MinimalPair]:
        """Return the pairs of a bad and a good cell that differ in one factor."""
        return pairs_of(self.factors, self.values, acceptable)

    @property
    def conditions(self) -> list[MinimalPair]:
        """Return the pairs of all patterns, each condition once, in the order of the factors."""
        pairs = {pair.condition: pair for p in self.patterns for pair in self.pairs(p)}
        order = {name: i for i, name in enumerate(self.factors)}
        return sorted(pairs.values(), key=lambda pair: (order[pair.contrast], pair.condition))


@frozen(eq=False)
class ConfigSplit:
    """A split of a configuration, to be read as often as needed.

    ``limit`` is the number of instances that are read, from the first on; None: all.
    """

    published: Published
    config: ConfigEntry
    split: str
    limit: int | None = None

    def grid(self) -> Grid:
        """Return the cells of a paradigm that has rows; reads little but its judgements."""
        width = self.config.cells
        first = next(self._rows(("cell", "factors")))
        factors = first["factors"][:width]
        names = tuple(factors[0])
        values = tuple(tuple(str(cell[name]) for name in names) for cell in factors)
        patterns: dict[tuple[bool, ...], None] = {}
        for rows in self._rows(("acceptable",)):
            judgements = rows["acceptable"]
            for i in range(0, len(judgements), width):
                patterns[tuple(judgements[i : i + width])] = None
        return Grid(names, tuple(first["cell"][:width]), values, tuple(patterns))

    def paradigms(self, more: Sequence[str] = ()) -> Iterator[ParadigmInstance]:
        """Yield the instances of a paradigm in the order of the rows, with ``more`` columns."""
        width = self.config.cells
        for rows in self._rows(("instance", "address", "sentence", "acceptable", *more)):
            for i in range(0, len(rows["instance"]), width):
                cells = slice(i, i + width)
                yield ParadigmInstance(
                    rows["instance"][i],
                    rows["address"][i],
                    rows["sentence"][cells],
                    tuple(rows["acceptable"][cells]),
                    {name: rows[name][cells] for name in more},
                )

    def lexemes(self) -> Iterator[dict[str, str]]:
        """Yield for each instance of a paradigm the lexeme of each slot; {} if it has no slots."""
        width = self.config.cells
        if "lexemes" not in self.config.fields:
            sizes = {entry.name: entry.instances for entry in self.config.splits}
            yield from ({} for _ in range(sizes.get(self.split, 0)))
            return
        # the first row of an instance is a multiple of the width
        rows_before = 0  # before this piece
        for columns in self._columns(("lexemes",), width):
            column = columns["lexemes"]
            first = column.take(pa.array(range(-rows_before % width, len(column), width)))
            for lexemes in first.to_pylist():
                yield {slot: lexeme for slot, lexeme in lexemes.items() if lexeme is not None}
            rows_before += len(column)

    def matrices(self) -> Iterator[MatrixInstance]:
        """Yield the instances of a matrix in the order of the rows."""
        names = ("instance", "address", *MatrixInstance._fields[2:])
        for columns in self._columns(names, 1):
            for values in zip(*(columns[name].to_pylist() for name in names), strict=True):
                yield MatrixInstance(*values)

    def answers(self) -> Iterator[tuple[str, str]]:
        """Yield the label and the class of each answer of each instance of a matrix."""
        for columns in self._columns(("labels", "classes"), 1):
            both = (columns[name].flatten().to_pylist() for name in ("labels", "classes"))
            yield from zip(*both, strict=True)

    def _rows(self, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
        """Yield columns of a paradigm, some whole instances at a time."""
        width = self.config.cells
        pending: dict[str, list[Any]] = {name: [] for name in names}
        for columns in self._columns(names, width):
            for name in names:
                pending[name] += _python(columns[name])
            whole = len(pending[names[0]]) // width * width
            if whole:
                yield {name: values[:whole] for name, values in pending.items()}
                pending = {name: values[whole:] for name, values in pending.items()}
        if pending[names[0]]:
            raise MerulaError.of(
                "M720",
                f"the last instance of {self.config.name} lacks some of its rows",
                remedy="publish the data set again, or fetch it again",
                place=str(self.published.folder),
            )

    def _columns(self, names: Sequence[str], width: int) -> Iterator[dict[str, Any]]:
        """Yield columns of some thousand rows at a time, up to the limit; ``width`` rows each."""
        rest = None if self.limit is None else self.limit * width
        for batch in self.published.rows(self.config, self.split, columns=names):
            for start in range(0, batch.num_rows, CHUNK_ROWS):
                rows = batch.slice(start, CHUNK_ROWS if rest is None else min(CHUNK_ROWS, rest))
                if rest is not None:
                    rest -= rows.num_rows
                if rows.num_rows:
                    yield {name: rows.column(name) for name in names}
            if rest == 0:
                return


def _python(column: Any) -> list[Any]:
    """Return a column as Python values; spans are lists of (object, start, end)."""
    kind = column.type
    if not (pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)):
        values: list[Any] = column.to_pylist()
        return values
    spans = list(zip(*(field.to_pylist() for field in column.flatten().flatten()), strict=True))
    offsets = column.offsets.to_numpy() - column.offsets[0].as_py()
    return [spans[start:end] for start, end in pairwise(offsets.tolist())]
