"""The instances of a data set of matrices: drawn for each split, with their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.data.formats import plain
from merula.plan.elimination import LIMIT
from merula.plan.order import Permutation
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation
from merula.suite.division import divide_answers, restricted
from merula.suite.sides import Side
from merula.suite.splits import Split
from merula.suite.tables import located

Addresses = NDArray[Any]  # int64, or Python integers where there are very many instances


@frozen(eq=False)
class Source:
    """A part of a suite, compiled; ``units`` are the lexical sets of each split, if divided so."""

    part: str
    compiled: Compiled
    units: Mapping[str, tuple[str, ...]] | None
    unit: str
    split: Split
    seed: int

    def drawn(
        self, designs: Sequence[CompiledDesign], variation: Variation, number: int
    ) -> dict[str, dict[str, list[Any]]]:
        """So many instances of each design: by its name and by split plain batches, with spans.

        Raises `MerulaError` where there are fewer.
        """
        by_design = {design.name: design for design in designs}
        return {
            name: self._rows(self._maker(by_design[name], variation, number), found)
            for name, found in self.addresses(designs, variation, number).items()
        }

    def addresses(
        self, designs: Sequence[CompiledDesign], variation: Variation, number: int
    ) -> dict[str, dict[str, Addresses]]:
        """The addresses of so many instances of each design, by its name and by split.

        Raises `MerulaError` where there are fewer.
        """
        split_of: dict[str, str] = {}  # of right answers
        found = {}
        for design in designs:
            if self.units is not None:
                sizes = self.split.sizes(number)
                found[design.name] = self._by_set(design, variation, sizes)
            else:
                there = AddressSpace(design, variation, strict=False).count
                self._demand(design, variation, "", there, number)
                maker = self._maker(design, variation, number)
                found[design.name] = self._by_answer(maker, split_of)
        return found

    @staticmethod
    def _rows(maker: RowMaker, found: Mapping[str, Addresses]) -> dict[str, list[Any]]:
        """The rows at the addresses of each split."""
        rows, first = {}, 0
        for name, addresses in found.items():
            rows[name] = list(_batches(maker, addresses, first))
            # the right answer is at each place equally often in a block: begin another one
            first += len(addresses) + -len(addresses) % (len(maker.cells) - _right(maker))
        return rows

    def _maker(self, design: CompiledDesign, variation: Variation, number: int) -> RowMaker:
        """Writes rows of the whole design, so that splits have the same texts and columns."""
        selection = RowChoice(number, self._seed_of(variation, ""), variation, spans=True)
        return RowMaker(self.compiled, design, selection)

    def _seed_of(self, variation: Variation, split: str) -> int:
        """A seed of its own; the answer sets of a part have the same, so the same contexts."""
        text = "\0".join(["merula matrices", str(self.seed), self.part, variation.kind, split])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")

    def _by_set(
        self, design: CompiledDesign, variation: Variation, sizes: Mapping[str, int]
    ) -> dict[str, Addresses]:
        """The addresses of each split, whose lexical sets are in no other."""
        assert self.units is not None
        whole = AddressSpace(design, variation)
        found: dict[str, Addresses] = {}
        for split, size in sizes.items():
            side = restricted(design, self.unit, self.units[split])
            own = AddressSpace(side.design, variation, strict=False)
            self._demand(design, variation, split, own.count, size)
            order = Permutation(max(own.count, 1), self._seed_of(variation, split))
            found[split] = _addresses(side, own, whole, order.rows(0, size))
        return found

    def _by_answer(self, maker: RowMaker, split_of: dict[str, str]) -> dict[str, Addresses]:
        """The addresses of each split, whose right answers are in no other.

        ``split_of`` holds the splits of right answers that are divided already.
        """
        addresses = maker.order.rows(0, maker.number)
        right: list[str] = []
        for start in range(0, maker.number, maker.chunk):
            rows = located(maker, addresses[start : start + maker.chunk], start)
            right += maker.writer.texts(rows.written.numbers[:, _right(maker)]).to_pylist()
        divide_answers(right, self.split, self.seed, split_of)
        names = np.array([split_of[answer] for answer in right], dtype=object)
        return {name: addresses[names == name] for name in self.split.names}

    def _demand(
        self, design: CompiledDesign, variation: Variation, split: str, there: int, wanted: int
    ) -> None:
        """Raise `MerulaError` where there are fewer instances than are wanted."""
        if there >= wanted:
            return
        of = f" for {split}" if split else ""
        notes = []
        if split and self.units is not None:
            notes = [f"no lexical set is in two splits; {split} has {len(self.units[split])}"]
        raise MerulaError.of(
            "M687",
            f"{self.part} {design.name} has {there:,} matrices of type {variation.kind}{of}; "
            + (f"{wanted:,} are wanted" if wanted > 1 else "1 is wanted"),
            remedy="ask for fewer (-n), give its tables more rows, or divide right answers instead"
            " (--disjoint answers)"
            if split
            else "ask for fewer (-n), or give its tables more rows",
            notes=notes,
            place=self.compiled.source.name,
        )


def _right(maker: RowMaker) -> int:
    """The cell that is the right answer: the one after the context."""
    return [cell.role for cell in maker.cells].count("context")


def _batches(maker: RowMaker, addresses: Addresses, first: int) -> Iterator[Any]:
    """The rows at some addresses, numbered from ``first``: one plain batch at least."""
    for start in range(0, len(addresses), maker.chunk):
        rows = located(maker, addresses[start : start + maker.chunk], first + start)
        arrays = [column.make(rows) for column in maker.columns]
        yield plain(pa.RecordBatch.from_arrays(arrays, schema=maker.schema))
    if not len(addresses):
        yield plain(pa.RecordBatch.from_pylist([], schema=maker.schema))


def _addresses(side: Side, own: AddressSpace, whole: AddressSpace, found: Addresses) -> Addresses:
    """The addresses in the whole space of some in the space of a side."""
    kind: Any = np.int64 if whole.count < LIMIT else object
    if not len(found):
        return np.zeros(0, dtype=kind)
    plan_of, draws = own.locate(found)
    starts = np.array([side.design.starts[plan] for plan in plan_of.tolist()], dtype=object)
    chosen = [side.addresses(starts + draw.astype(object)) for draw in draws]
    return np.array([_address(whole, one) for one in zip(*chosen, strict=True)], dtype=kind)


def _address(whole: AddressSpace, chosen: tuple[int, ...]) -> int:
    """The address of an instance each of whose draws is an instance of the design."""
    plan, _ = whole.design.locate(chosen[0])
    start = whole.design.starts[plan]
    return whole.address(plan, [address - start for address in chosen])


def told(batch: Any, first: int, part: str, name: str, split: str) -> Any:
    """Rows with what says which data set they are of, numbered from ``first``."""
    rows = batch.num_rows
    constants = [("part", part), ("set", name), ("split", split)]
    fields = [pa.field(column, pa.string()) for column, _ in constants]
    arrays = [pa.array([text] * rows, pa.string()) for _, text in constants]
    numbers = pa.array(np.arange(first, first + rows, dtype=np.int64))
    for field, array in zip(batch.schema, batch.columns, strict=True):
        fields.append(field)
        arrays.append(numbers if field.name == "instance" else array)
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
