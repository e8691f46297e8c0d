"""The instances of a data set of matrices: drawn for each split, with their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from merula.compiler import Compiled, CompiledDesign
from merula.formats import plain
from merula.language.diagnostics import MerulaError
from merula.rows import RowMaker, Selection
from merula.suite.matrices.division import divide_answers, restricted
from merula.suite.sides import Side
from merula.suite.splits import Split
from merula.values import frozen
from merula.variation import AddressSpace, Variation


@frozen(eq=False)
class Drawn:
    """The rows of a design for one split: plain batches of the matrix schema, with spans."""

    design: CompiledDesign
    batches: tuple[Any, ...]

    @property
    def number(self) -> int:
        """How many instances."""
        return sum(batch.num_rows for batch in self.batches)


@frozen(eq=False)
class Source:
    """A part of a suite, compiled; ``units`` are the lexical sets of each split, if divided so."""

    part: str
    compiled: Compiled
    units: Mapping[str, tuple[str, ...]] | None
    unit: str
    split: Split
    seed: int

    @cached_property
    def _sides(self) -> dict[tuple[str, str], Side]:
        return {}

    def side(self, design: CompiledDesign, split: str) -> Side:
        """The instances of a design that a split may show."""
        assert self.units is not None
        key = (design.name, split)
        if key not in self._sides:
            self._sides[key] = restricted(design, self.unit, self.units[split])
        return self._sides[key]

    def drawn(
        self, design: CompiledDesign, variation: Variation, number: int
    ) -> dict[str, list[Any]]:
        """So many instances of a design, by split; raises `MerulaError` where there are fewer."""
        if self.units is None:
            return self._by_answer(design, variation, number)
        sizes = self.split.sizes(number)
        return {
            name: list(self._of_side(design, variation, name, size)) for name, size in sizes.items()
        }

    def _of_side(
        self, design: CompiledDesign, variation: Variation, split: str, number: int
    ) -> Iterator[Any]:
        side, units = self.side(design, split), (self.units or {})[split]
        there = AddressSpace(side.design, variation, strict=False).count
        if there < number:
            where = f"{self.part} {design.name}"
            raise MerulaError.of(
                "M687",
                f"{where} has {there:,} matrices of type {variation.kind} for {split}, and"
                f" {number:,} are asked for",
                remedy="ask for fewer (-n), or give this split a larger share (--split)",
                notes=[f"no lexical set is in two splits; {split} has {len(units)} of them"],
                place=self.compiled.source.name,
            )
        if not number:
            return
        seed = _seed(self.seed, self.part, variation.kind, split)
        maker = RowMaker(self.compiled, side.design, Selection(number, seed, variation, spans=True))
        for batch in maker.batches():
            yield _readdressed(plain(batch), side, design, variation)

    def _by_answer(
        self, design: CompiledDesign, variation: Variation, number: int
    ) -> dict[str, list[Any]]:
        there = AddressSpace(design, variation, strict=False).count
        if there < number:
            raise MerulaError.of(
                "M687",
                f"{self.part} {design.name} has {there:,} matrices of type {variation.kind}, and"
                f" {number:,} are asked for",
                remedy="ask for fewer (-n)",
                place=self.compiled.source.name,
            )
        seed = _seed(self.seed, self.part, variation.kind, "")
        maker = RowMaker(self.compiled, design, Selection(number, seed, variation, spans=True))
        batches = [plain(batch) for batch in maker.batches()]
        right = [text for batch in batches for text in right_answers(batch)]
        names = np.array(divide_answers(right, self.split, self.seed), dtype=object)
        found: dict[str, list[Any]] = {name: [] for name in self.split.names}
        start = 0
        for batch in batches:
            own = names[start : start + batch.num_rows]
            start += batch.num_rows
            for name, some in found.items():
                some.append(batch.filter(pa.array(own == name)))
        return found


def right_answers(batch: Any) -> list[str]:
    """The right answer of each row."""
    answers, places = batch.column("answers").to_pylist(), batch.column("correct").to_pylist()
    return [own[place] for own, place in zip(answers, places, strict=True)]


def _seed(seed: int, *names: str) -> int:
    """A seed for something of its own; the answer sets of a part have one, so one context."""
    text = "\0".join(["merula matrices", str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _readdressed(batch: Any, side: Side, design: CompiledDesign, variation: Variation) -> Any:
    """Rows of a side with their addresses in the whole design."""
    found = [int(address) for address in batch.column("address").to_pylist()]
    if variation.kind == "I":
        kind: Any = np.int64 if max(found, default=0) < 2**62 else object
        texts = [str(a) for a in side.addresses(np.array(found, dtype=kind))]
    else:
        mine = AddressSpace(side.design, variation)
        whole = AddressSpace(design, variation)
        kind = np.int64 if mine.count < 2**62 else object
        plan_of, draws = mine.locate(np.array(found, dtype=kind))
        starts = np.array([side.design.starts[plan] for plan in plan_of.tolist()], dtype=object)
        drawn = [side.addresses(starts + draw.astype(object)) for draw in draws]
        texts = [str(_address(design, whole, one)) for one in zip(*drawn, strict=True)]
    place = batch.schema.get_field_index("address")
    return batch.set_column(place, batch.schema.field(place), pa.array(texts, pa.string()))


def _address(design: CompiledDesign, whole: AddressSpace, draws: Sequence[int]) -> int:
    """The address of an instance of type III of which each draw is an instance of a design."""
    number, _ = design.locate(draws[0])
    return whole.address(number, [draw - design.starts[number] for draw in draws])


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
