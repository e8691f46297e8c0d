"""Rows of a design as Arrow batches: from the seed's order of addresses to columns.

Row order is decided by the seed alone: row ``k`` is the instance at the ``k``-th address of the
seed's permutation, whatever the size of a batch. A paradigm has a row a sentence, the cells of
an instance beside each other; a matrix has a row an instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.wording import counted, did_you_mean, listing
from merula.design.cells import Cell
from merula.plan.order import Permutation
from merula.rows.columns import Column, Located, columns_of
from merula.rows.sentences import Writer
from merula.rows.variation import TYPE_I, AddressSpace, Variation

SCHEMA_VERSION = 3  # raised when columns mean something else than before
CHUNK = 65_536  # sentences a batch: some megabytes of Arrow
AHEAD = 4  # batches whose lexemes are looked up together: fewer and longer steps of numpy


@dataclass(frozen=True)
class RowChoice:
    """A choice of rows and of their columns.

    The rows are the first ``n`` instances of a seed's order, all where ``n`` is None. ``columns``
    are the names of the columns, all where it is None; ``spans`` adds the places of objects.
    """

    n: int | None = None
    seed: int = 0
    variation: Variation = TYPE_I
    spans: bool = False
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Take numpy's integers as well; raises TypeError for other numbers."""
        if self.n is not None:
            object.__setattr__(self, "n", index(self.n))
        object.__setattr__(self, "seed", index(self.seed))


class RowMaker:
    """Makes the batches of one design of a compiled grammar.

    ``addresses`` are those of the instances, in order, where the seed does not draw them; they are
    numbered from ``first``. Raises `MerulaError` where the design does not have the instances or
    columns of the selection.
    """

    def __init__(
        self,
        compiled: Compiled,
        design: CompiledDesign,
        selection: RowChoice | None = None,
        addresses: NDArray[Any] | None = None,
        first: int = 0,
    ) -> None:
        self.compiled, self.design = compiled, design
        self.addresses, self.first = addresses, first
        self.selection = selection = selection or RowChoice()
        self.paradigm = design.kind == "paradigm"
        self.cells: tuple[Cell, ...] = design.cells[0][1] if design.cells else ()
        self.space = AddressSpace(design, selection.variation)
        self.size = self._size()
        self.writer = Writer(
            design.plans,
            compiled.surface,
            draws=self.space.draws_of,
            instances=self.size,
            spans=selection.spans,
        )
        self.columns = self._columns()
        fields = [column.field for column in self.columns]
        self.schema: Any = pa.schema(fields, metadata=self._metadata())

    def _size(self) -> int:
        """Return the number of instances."""
        n, count = self.selection.n, self.space.count
        if n is None:
            return count
        if n < 0 or n > count:
            raise MerulaError.of(
                "M606",
                f"{self.design.name} has {counted(count, 'instance')}; {n:,} were asked for",
                remedy="ask for fewer",
                place=self.compiled.source.name,
            )
        return n

    def _columns(self) -> list[Column]:
        """Return the columns of the selection."""
        chosen = self.selection
        every = columns_of(
            self.compiled,
            self.design,
            self.space,
            self.writer,
            seed=chosen.seed,
            spans=chosen.spans,
        )
        wanted = chosen.columns
        if wanted is None:
            return every
        names = [column.field.name for column in every]
        if not any(wanted):
            raise MerulaError.of(
                "M616",
                f"no column of {self.design.name} is kept",
                remedy=f"there is {listing(names)}",
                place=self.compiled.source.name,
            )
        for name in wanted:
            if name not in names:
                raise MerulaError.of(
                    "M616",
                    f"the rows of {self.design.name} have no column {name}",
                    remedy="add --spans"
                    if name.endswith("spans")
                    else did_you_mean(name, names) or f"they have {listing(names)}",
                    place=self.compiled.source.name,
                )
        return [column for column in every if column.field.name in wanted]

    def _metadata(self) -> dict[str, str]:
        grammar, variation = self.compiled.grammar, self.selection.variation
        assert grammar is not None
        metadata = {
            "merula.schema": str(SCHEMA_VERSION),
            "merula.phenomenon": grammar.name,
            "merula.design": self.design.name,
            "merula.kind": self.design.kind,
            "merula.language": grammar.language,
            "merula.grammar": self.compiled.grammar_digest,
            "merula.lexicon": self.compiled.lexicon_digest,
            "merula.seed": str(self.selection.seed),
        }
        if not self.paradigm:
            metadata["merula.variation"] = variation.kind
            metadata["merula.answers"] = variation.answers
        return metadata

    @property
    def rows_per_instance(self) -> int:
        """The number of rows of an instance: one for each cell of a paradigm, one for a matrix."""
        return len(self.cells) if self.paradigm else 1

    @property
    def chunk(self) -> int:
        """The number of instances of a batch, where none is given."""
        return max(CHUNK // max(len(self.cells), 1), 1)

    @cached_property
    def order(self) -> Permutation:
        """The order of the addresses, where the seed decides it."""
        return Permutation(self.space.count, self.selection.seed)

    def _addresses(self, start: int, stop: int) -> NDArray[Any]:
        if self.addresses is not None:
            return self.addresses[start - self.first : stop - self.first]
        return self.order.rows(start, stop)

    def batches(
        self, start: int = 0, stop: int | None = None, chunk: int | None = None
    ) -> Iterator[Any]:
        """Yield record batches of instances ``start`` to ``stop``, each of ``chunk`` instances."""
        stop = self.size if stop is None else stop
        chunk = chunk or self.chunk
        for first in range(start, stop, AHEAD * chunk):
            addresses = self._addresses(first, min(first + AHEAD * chunk, stop))
            rows = self.located(addresses, first)
            for i in range(0, len(rows), chunk):
                yield self._batch(rows[i : i + chunk])

    def batch(self, start: int, stop: int) -> Any:
        """Return the rows of instances ``start`` to ``stop`` (exclusive) of the seed's order."""
        return self._batch(self.located(self._addresses(start, stop), start))

    def located(self, addresses: NDArray[Any], first: int) -> Located:
        """Return the instances at some addresses, numbered from ``first``."""
        plan_of, draws = self.space.locate(addresses)
        written = self.writer.write(plan_of, draws)
        numbers = np.arange(first, first + len(addresses), dtype=np.int64)
        return Located(numbers, addresses, plan_of, written)

    def _batch(self, rows: Located) -> Any:
        arrays = [column.make(rows) for column in self.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)
