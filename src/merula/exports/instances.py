"""Published rows as instances, one after the other: a paradigm with its cells, a matrix."""

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

CHUNK = 8_192  # rows held as Python values


class ParadigmInstance(NamedTuple):
    """An instance of a paradigm: its cells in the order of the design.

    ``more`` has what else was asked for, a list of as many values as there are cells for each
    column.
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
    """What the cells of a paradigm are: factors, and the name and the values of each cell.

    ``patterns`` are the judgements that instances have, each cell's, in the order in which they
    turn up: variants of a design may judge a cell differently.
    """

    factors: tuple[str, ...]
    cells: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    patterns: tuple[tuple[bool, ...], ...]

    def __len__(self) -> int:
        return len(self.cells)

    def pairs(self, acceptable: tuple[bool, ...]) -> list[MinimalPair]:
        """A bad and a good cell that differ in one factor, with these judgements."""
        return pairs_of(self.factors, self.values, acceptable)

    @property
    def conditions(self) -> list[MinimalPair]:
        """The pairs of all patterns, each condition once, in the order of the factors."""
        found = {pair.condition: pair for p in self.patterns for pair in self.pairs(p)}
        order = {name: i for i, name in enumerate(self.factors)}
        return sorted(found.values(), key=lambda pair: (order[pair.contrast], pair.condition))


@frozen(eq=False)
class ConfigSplit:
    """A configuration in a split, or the first ``limit`` instances of it; it can be read again."""

    published: Published
    config: ConfigEntry
    split: str
    limit: int | None = None

    def grid(self) -> Grid:
        """The cells of a paradigm that has rows; its judgements are read, nothing else."""
        width = self.config.cells
        first = next(self._rows(("cell", "factors")))
        factors = first["factors"][:width]
        names = tuple(factors[0])
        values = tuple(tuple(str(own[name]) for name in names) for own in factors)
        patterns: dict[tuple[bool, ...], None] = {}
        for rows in self._rows(("acceptable",)):
            said = rows["acceptable"]
            for i in range(0, len(said), width):
                patterns[tuple(said[i : i + width])] = None
        return Grid(names, tuple(first["cell"][:width]), values, tuple(patterns))

    def paradigms(self, more: Sequence[str] = ()) -> Iterator[ParadigmInstance]:
        """The instances of a paradigm in the order of the rows, with ``more`` columns."""
        width = self.config.cells
        for rows in self._rows(("instance", "address", "sentence", "acceptable", *more)):
            for i in range(0, len(rows["instance"]), width):
                own = slice(i, i + width)
                yield ParadigmInstance(
                    rows["instance"][i],
                    rows["address"][i],
                    rows["sentence"][own],
                    tuple(rows["acceptable"][own]),
                    {name: rows[name][own] for name in more},
                )

    def lexemes(self) -> Iterator[dict[str, str]]:
        """The lexeme of each slot of each instance of a paradigm; {} where the design has none."""
        width = self.config.cells
        if "lexemes" not in self.config.fields:
            there = next((own.instances for own in self.config.splits if own.name == self.split), 0)
            yield from ({} for _ in range(there))
            return
        seen = 0
        for columns in self._columns(("lexemes",), width):
            column = columns["lexemes"]
            first = column.take(pa.array(range(-seen % width, len(column), width)))
            for own in first.to_pylist():
                yield {slot: lexeme for slot, lexeme in own.items() if lexeme is not None}
            seen += len(column)

    def matrices(self) -> Iterator[MatrixInstance]:
        """The instances of a matrix in the order of the rows."""
        names = ("instance", "address", *MatrixInstance._fields[2:])
        for columns in self._columns(names, 1):
            for values in zip(*(columns[name].to_pylist() for name in names), strict=True):
                yield MatrixInstance(*values)

    def answers(self) -> Iterator[tuple[str, str]]:
        """The label and the class of each answer of a matrix."""
        for columns in self._columns(("labels", "classes"), 1):
            both = (columns[name].flatten().to_pylist() for name in ("labels", "classes"))
            yield from zip(*both, strict=True)

    def _rows(self, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
        """Columns of a paradigm, some instances at once, none of them cut."""
        width = self.config.cells
        left: dict[str, list[Any]] = {name: [] for name in names}
        for columns in self._columns(names, width):
            for name in names:
                left[name] += _python(columns[name])
            whole = len(left[names[0]]) // width * width
            if whole:
                yield {name: values[:whole] for name, values in left.items()}
                left = {name: values[whole:] for name, values in left.items()}
        if left[names[0]]:
            raise MerulaError.of(
                "M720",
                f"the last instance of {self.config.name} has lost some of its rows",
                remedy="publish the data set again, or fetch it again",
                place=str(self.published.folder),
            )

    def _columns(self, names: Sequence[str], width: int) -> Iterator[dict[str, Any]]:
        """Columns of some thousand rows at once, ``width`` of them an instance, up to the limit."""
        left = None if self.limit is None else self.limit * width
        for batch in self.published.rows(self.config, self.split, columns=names):
            for start in range(0, batch.num_rows, CHUNK):
                rows = batch.slice(start, CHUNK if left is None else min(CHUNK, left))
                if left is not None:
                    left -= rows.num_rows
                if rows.num_rows:
                    yield {name: rows.column(name) for name in names}
            if left == 0:
                return


def _python(column: Any) -> list[Any]:
    """A column as Python values; spans are lists of (object, start, end)."""
    kind = column.type
    if not (pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)):
        found: list[Any] = column.to_pylist()
        return found
    spans = list(zip(*(own.to_pylist() for own in column.flatten().flatten()), strict=True))
    offsets = column.offsets.to_numpy() - column.offsets[0].as_py()
    return [spans[start:end] for start, end in pairwise(offsets.tolist())]
