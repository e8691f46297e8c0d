"""Drawing matrices: the data sets of a part, their instances in each split, their rows.

In: the plan of a run and the compiled grammar of a part. Out: for each design and split the
addresses of its instances, or their rows as plain Arrow batches. ``make`` writes the rows, the
publishing of suites takes the addresses. Splits share no lexical set, or no right answer, over all
designs drawn together; answer sets of a part have the same contexts in the same splits.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.data.formats import plain
from merula.plan.elimination import MAX_INT64_COUNT
from merula.plan.order import Permutation
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation
from merula.suite.division import UNIT, DivisionTask, divide, divide_answers, with_units
from merula.suite.plan import SETS, MatrixPlan
from merula.suite.recipe import MatrixSet, SourceGrammar
from merula.suite.splits import RestrictedDesign, Split

Addresses = NDArray[Any]  # int64, or Python integers where there are very many instances
DesignsOfSet = tuple[MatrixSet, list[CompiledDesign]]
DrawnRows = dict[str, dict[str, list[Any]]]  # by design and split, plain batches with spans


# --- which data sets -----------------------------------------------------------------------


def sets_of(
    plan: MatrixPlan, part: SourceGrammar, compiled: Compiled
) -> tuple[list[DesignsOfSet], MatrixSource]:
    """Return the data sets of a part with their matrices, and the source of their instances.

    Raises `MerulaError` where a matrix does not exist or lexical sets cannot be divided.
    """
    sets = _sets(plan, part, compiled)
    recipe, unit = plan.recipe, part.unit or UNIT
    split = recipe.head.split
    units = None
    if plan.disjoint == SETS:
        task = DivisionTask(
            tuple({design.name: design for _, designs in sets for design in designs}.values()),
            tuple(Variation(name) for name in recipe.types),
            split.sizes(plan.instances(part)),
            unit,
            part.name,
            recipe.head.place,
        )
        units = divide(task, split, recipe.head.seed)
    return sets, MatrixSource(part.name, compiled, units, unit, split, recipe.head.seed)


def _sets(plan: MatrixPlan, part: SourceGrammar, compiled: Compiled) -> list[DesignsOfSet]:
    matrices = {n: d for n, d in compiled.designs.items() if d.kind == "matrix" and d.plans}
    place = plan.recipe.head.place
    if not matrices:
        raise MerulaError.of(
            "M684",
            f"the grammar of {part.name} has no matrix with instances",
            remedy='name another grammar; a recipe of paradigms has no kind = "matrices"',
            place=place,
        )
    sets = part.sets or tuple(MatrixSet(name, (name,)) for name in matrices)
    for name in (name for matrix_set in sets for name in matrix_set.designs):
        if name not in matrices:
            raise MerulaError.of(
                "M684",
                f"the grammar of {part.name} has no matrix {name}",
                remedy=did_you_mean(name, matrices) or f"there is {listing(matrices)}",
                place=place,
            )
    with_designs = [(one, [matrices[name] for name in one.designs]) for one in sets]
    for matrix_set, designs in with_designs:
        _demand_alike(matrix_set, designs, part.name, place)
    return with_designs


def _demand_alike(
    matrix_set: MatrixSet, designs: Sequence[CompiledDesign], part: str, place: str
) -> None:
    """Raise `MerulaError` where the matrices of a data set differ in how long they are."""
    shapes = [Counter(cell.role for cell in design.cells[0][1]) for design in designs]
    if shapes.count(shapes[0]) < len(shapes):
        raise MerulaError.of(
            "M684",
            f"the matrices of {matrix_set.name} in {part} cannot be one data set: their numbers of"
            " items or answers differ",
            remedy="give each a set of its own",
            notes=[
                f"{design.name} shows {shape['context']} items and has {shape['answer']} answers"
                for design, shape in zip(designs, shapes, strict=True)
            ],
            place=place,
        )


# --- which instances -----------------------------------------------------------------------


@frozen(eq=False)
class MatrixSource:
    """A compiled part of a suite, which the instances of its data sets are drawn from.

    ``units`` are the lexical sets of each split (None: right answers are divided); ``unit`` names
    the slot with the lexical sets.
    """

    part: str
    compiled: Compiled
    units: Mapping[str, tuple[str, ...]] | None
    unit: str
    split: Split
    seed: int

    def rows(
        self, designs: Sequence[CompiledDesign], variation: Variation, count: int
    ) -> DrawnRows:
        """Draw ``count`` instances of each design and make their rows.

        Raises `MerulaError` where there are fewer.
        """
        by_name = {design.name: design for design in designs}
        return {
            name: self._rows(self._maker(by_name[name], variation, count), addresses)
            for name, addresses in self.addresses(designs, variation, count).items()
        }

    def addresses(
        self, designs: Sequence[CompiledDesign], variation: Variation, count: int
    ) -> dict[str, dict[str, Addresses]]:
        """Draw the addresses of ``count`` instances of each design, by its name and by split.

        Raises `MerulaError` where there are fewer.
        """
        split_of: dict[str, str] = {}  # of right answers
        drawn = {}
        for design in designs:
            if self.units is not None:
                drawn[design.name] = self._by_set(design, variation, self.split.sizes(count))
            else:
                available = AddressSpace(design, variation, strict=False).count
                self._demand(design, variation, "", available, count)
                maker = self._maker(design, variation, count)
                drawn[design.name] = self._by_answer(maker, split_of)
        return drawn

    @staticmethod
    def _rows(maker: RowMaker, by_split: Mapping[str, Addresses]) -> dict[str, list[Any]]:
        rows, first = {}, 0
        for name, addresses in by_split.items():
            rows[name] = list(_batches(maker, addresses, first))
            # The right answer is at each place equally often in a block of as many instances as
            # there are answers. Begin a new one: with 4 answers and 35 instances go on at 36.
            first += len(addresses) + -len(addresses) % (len(maker.cells) - _right(maker))
        return rows

    def _maker(self, design: CompiledDesign, variation: Variation, count: int) -> RowMaker:
        """Return a maker of rows of the whole design, so that splits have the same columns."""
        choice = RowChoice(count, self._seed_of(variation, ""), variation, spans=True)
        return RowMaker(self.compiled, design, choice)

    def _seed_of(self, variation: Variation, split: str) -> int:
        """Return a seed for a type and split: the same in all answer sets, as are contexts then."""
        text = "\0".join(["merula matrices", str(self.seed), self.part, variation.kind, split])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")

    def _by_set(
        self, design: CompiledDesign, variation: Variation, sizes: Mapping[str, int]
    ) -> dict[str, Addresses]:
        """Draw the addresses of each split, with the lexical sets of the split."""
        assert self.units is not None
        whole = AddressSpace(design, variation)
        by_split: dict[str, Addresses] = {}
        for split, size in sizes.items():
            part = with_units(design, self.unit, self.units[split])
            space = AddressSpace(part.design, variation, strict=False)
            self._demand(design, variation, split, space.count, size)
            order = Permutation(max(space.count, 1), self._seed_of(variation, split))
            by_split[split] = _in_whole(part, space, whole, order.rows(0, size))
        return by_split

    def _by_answer(self, maker: RowMaker, split_of: dict[str, str]) -> dict[str, Addresses]:
        """Draw the addresses of each split, whose right answers are in no other split.

        ``split_of`` holds the splits of right answers that are divided already.
        """
        addresses = maker.order.rows(0, maker.size)
        answers: list[str] = []
        for start in range(0, maker.size, maker.chunk):
            rows = maker.located(addresses[start : start + maker.chunk], start)
            answers += maker.writer.texts(rows.written.numbers[:, _right(maker)]).to_pylist()
        divide_answers(answers, self.split, self.seed, split_of)
        splits = np.array([split_of[answer] for answer in answers], dtype=object)
        return {name: addresses[splits == name] for name in self.split.names}

    def _demand(
        self, design: CompiledDesign, variation: Variation, split: str, available: int, count: int
    ) -> None:
        """Raise `MerulaError` where fewer instances are available than are wanted."""
        if available >= count:
            return
        of = f" for {split}" if split else ""
        notes = []
        if split and self.units is not None:
            notes = [f"no lexical set is in two splits; {split} has {len(self.units[split])}"]
        raise MerulaError.of(
            "M687",
            f"{self.part} {design.name} has {available:,} matrices of type {variation.kind}{of}; "
            + (f"{count:,} are wanted" if count > 1 else "1 is wanted"),
            remedy="ask for fewer (-n), give its tables more rows, or divide right answers instead"
            " (--disjoint answers)"
            if split
            else "ask for fewer (-n), or give its tables more rows",
            notes=notes,
            place=self.compiled.source.name,
        )


def _right(maker: RowMaker) -> int:
    """Return the place of the right answer among the cells: the first after the context."""
    return [cell.role for cell in maker.cells].count("context")


def _batches(maker: RowMaker, addresses: Addresses, first: int) -> Iterator[Any]:
    """Yield the rows at some addresses, numbered from ``first``: at least one plain batch."""
    for start in range(0, len(addresses), maker.chunk):
        rows = maker.located(addresses[start : start + maker.chunk], first + start)
        arrays = [column.make(rows) for column in maker.columns]
        yield plain(pa.RecordBatch.from_arrays(arrays, schema=maker.schema))
    if not len(addresses):
        yield plain(pa.RecordBatch.from_pylist([], schema=maker.schema))


def _in_whole(
    part: RestrictedDesign, space: AddressSpace, whole: AddressSpace, addresses: Addresses
) -> Addresses:
    """Return addresses in the space of a restricted design as addresses in the whole space.

    An instance of type III has several draws, each an instance of the design. So an address is
    taken apart into draws, each is looked up in the whole design, and together they have an
    address there.
    """
    kind: Any = np.int64 if whole.count < MAX_INT64_COUNT else object
    if not len(addresses):
        return np.zeros(0, dtype=kind)
    plan_of, draws = space.locate(addresses)
    starts = np.array([part.design.starts[plan] for plan in plan_of.tolist()], dtype=object)
    chosen = [part.addresses(starts + draw.astype(object)) for draw in draws]
    return np.array([_address(whole, each) for each in zip(*chosen, strict=True)], dtype=kind)


def _address(whole: AddressSpace, instances: tuple[int, ...]) -> int:
    """Return the address of an instance whose draws are some instances of the design."""
    plan, _ = whole.design.locate(instances[0])
    start = whole.design.starts[plan]
    return whole.address(plan, [address - start for address in instances])


def labelled(batch: Any, first: int, part: str, name: str, split: str) -> Any:
    """Return rows with the part, data set and split that they are of, numbered from ``first``."""
    rows = batch.num_rows
    constants = [("part", part), ("set", name), ("split", split)]
    fields = [pa.field(column, pa.string()) for column, _ in constants]
    arrays = [pa.array([text] * rows, pa.string()) for _, text in constants]
    numbers = pa.array(np.arange(first, first + rows, dtype=np.int64))
    for field, array in zip(batch.schema, batch.columns, strict=True):
        fields.append(field)
        arrays.append(numbers if field.name == "instance" else array)
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
