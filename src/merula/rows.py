"""Rows of a design as Arrow batches: one schema a kind of design, from addresses to columns.

Row order is decided by the seed alone: row ``k`` is the instance at the ``k``-th address of the
seed's permutation, whatever the size of a batch. A paradigm has a row a sentence, the cells of
an instance beside each other; a matrix has a row an instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.columns import Tables, Writer
from merula.compiler import Compiled, CompiledDesign
from merula.items import piece_template
from merula.language.diagnostics import MerulaError
from merula.permute import Permutation
from merula.plan import Plan, slot_names
from merula.space import LIMIT, Ints

SCHEMA_VERSION = 1
CHUNK = 131_072  # sentences or matrices a batch


@dataclass(frozen=True)
class Selection:
    """Which rows: the first ``n`` of a seed's order (all where ``n`` is None)."""

    n: int | None = None
    seed: int = 0

    def number(self, design: CompiledDesign) -> int:
        """How many instances; raises `MerulaError` where there are not so many."""
        if self.n is None:
            return design.count
        if self.n < 0 or self.n > design.count:
            raise MerulaError.of(
                "M606",
                f"{design.name} has {design.count:,} instances; {self.n:,} were asked for",
                remedy="ask for fewer, or for all (--all)",
            )
        return self.n


class RowMaker:
    """Makes the batches of one design of a compiled grammar."""

    def __init__(self, compiled: Compiled, design: CompiledDesign) -> None:
        self.compiled, self.design = compiled, design
        self.paradigm = design.kind == "paradigm"
        self._writers: list[Writer | None] = [None] * len(design.plans)
        self._tables: Tables = {}

    @property
    def rows_per_instance(self) -> int:
        """A row for each cell of a paradigm, one for a matrix."""
        return len(self.design.plans[0].cells) if self.paradigm and self.design.plans else 1

    @cached_property
    def schema(self) -> Any:
        """The Arrow schema of the design's rows."""
        word = pa.dictionary(pa.int32(), pa.string())
        fields = [
            pa.field("instance", pa.int64()),
            pa.field("address", pa.string()),
            pa.field("design", word),
            pa.field("frame", word),
            pa.field("variant", word),
        ]
        if self.paradigm:
            fields += [
                pa.field("cell", word),
                pa.field("factors", pa.struct([(name, word) for name in self._factors])),
                *(
                    [pa.field("scope", pa.struct([(name, word) for name in self._scopes]))]
                    if self._scopes
                    else []
                ),
                pa.field("sentence", pa.string()),
                pa.field("acceptable", pa.bool_()),
                pa.field("broken", pa.list_(pa.string())),
            ]
        else:
            texts = pa.list_(pa.string())
            fields += [
                pa.field("context", texts),
                pa.field("answers", texts),
                pa.field("correct", pa.int32()),
                pa.field("labels", texts),
                pa.field("classes", texts),
                pa.field("broken", pa.list_(texts)),
                pa.field("context_templates", texts),
                pa.field("answer_templates", texts),
            ]
        if self._slot_names:  # a struct needs a field
            lexemes = pa.struct([(name, word) for name in self._slot_names])
            fields.append(pa.field("lexemes", lexemes))
        fields += [
            pa.field("grammar", word),
            pa.field("lexicon", word),
        ]
        return pa.schema(fields, metadata=self._metadata)

    @cached_property
    def _metadata(self) -> dict[str, str]:
        grammar = self.compiled.grammar
        assert grammar is not None
        return {
            "merula.schema": str(SCHEMA_VERSION),
            "merula.phenomenon": grammar.name,
            "merula.design": self.design.name,
            "merula.kind": self.design.kind,
            "merula.language": grammar.language,
            "merula.grammar": self.compiled.grammar_digest,
            "merula.lexicon": self.compiled.lexicon_digest,
        }

    @cached_property
    def _factors(self) -> list[str]:
        _, cells = self.design.cells[0]
        return [name for name, _ in cells[0].factors]

    @cached_property
    def _scopes(self) -> list[str]:
        """The objects of which a rule asks whether they stand in a constituent."""
        cells = (cell for _, found in self.design.cells for cell in found)
        return list(dict.fromkeys(name for cell in cells for name, _ in cell.scopes))

    @cached_property
    def _slot_names(self) -> list[str]:
        names: dict[str, None] = {}
        for plan in self.design.plans:
            names.update(dict.fromkeys(slot_names(plan)))
        return list(names)

    @cached_property
    def _slot_places(self) -> list[dict[str, int]]:
        """For each plan, which slot has a name."""
        return [{n: i for i, n in enumerate(slot_names(p))} for p in self.design.plans]

    def _writer(self, number: int) -> Writer:
        found = self._writers[number]
        if found is None:
            found = Writer(self.design.plans[number], self.compiled.surface, self._tables)
            self._writers[number] = found
        return found

    def batches(self, selection: Selection, chunk: int | None = None) -> Iterator[Any]:
        """Record batches of the selected instances, ``chunk`` instances in each but the last."""
        number = selection.number(self.design)
        if number == 0:
            return
        chunk = chunk or max(CHUNK // len(self.design.plans[0].cells), 1)
        order = Permutation(self.design.count, selection.seed)
        for start in range(0, number, chunk):
            stop = min(start + chunk, number)
            yield self.batch(start, order.rows(start, stop), selection.seed)

    def batch(self, first: int, addresses: NDArray[Any], seed: int) -> Any:
        """The rows of some addresses; ``first`` is the row number of the first one."""
        blocks = _Blocks(self.design, addresses)
        length = len(addresses)
        numbers = np.arange(first, first + length, dtype=np.int64)
        columns: dict[str, Any] = {
            "instance": pa.array(numbers),
            "address": _address_texts(addresses),
            "design": _constant(self.design.name, length),
            "frame": blocks.by_plan(lambda plan: plan.variant.frame.name),
            "variant": blocks.by_plan(variant_text),
            "grammar": _constant(self.compiled.grammar_digest[:16], length),
            "lexicon": _constant(self.compiled.lexicon_digest[:16], length),
        }
        if self._slot_names:
            columns["lexemes"] = self._lexemes(blocks)
        sentences = [
            [self._writer(p).column(c, candidates) for c in range(len(self.design.plans[p].cells))]
            for p, candidates in zip(blocks.plans, blocks.candidates, strict=True)
        ]
        if self.paradigm:
            columns = self._cell_rows(columns, blocks, sentences)
        else:
            self._answers(columns, blocks, sentences, numbers, seed)
        arrays = [columns[field.name] for field in self.schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _lexemes(self, blocks: _Blocks) -> Any:
        """The lexeme of every slot, null where a variant has not the slot."""
        fields = []
        for name in self._slot_names:
            parts = []
            for p, size, candidates in zip(
                blocks.plans, blocks.sizes, blocks.candidates, strict=True
            ):
                slot = self._slot_places[p].get(name)
                if slot is None:
                    parts.append(pa.nulls(size, pa.string()))
                else:
                    titles = pa.array(self.design.plans[p].slots[slot].titles, pa.string())
                    parts.append(titles.take(pa.array(candidates[slot])))
            joined = pa.concat_arrays(parts).take(blocks.order)
            fields.append(_dictionary(joined))
        return pa.StructArray.from_arrays(fields, names=self._slot_names)

    def _cell_rows(
        self, columns: dict[str, Any], blocks: _Blocks, sentences: list[list[Any]]
    ) -> dict[str, Any]:
        """Spread instances over their cells: a row a sentence."""
        cells = len(sentences[0])
        length = blocks.length
        repeat = pa.array(np.repeat(np.arange(length), cells))
        spread = {name: column.take(repeat) for name, column in columns.items()}
        flat = pa.concat_arrays([array for block in sentences for array in block])
        spread["sentence"] = flat.take(pa.array(blocks.cell_places(cells).reshape(-1)))
        ids = blocks.plan_numbers()[:, None] * cells + np.arange(cells)
        where = pa.array(ids.reshape(-1))
        for name, column in self._cell_columns.items():
            spread[name] = column.take(where)
        return spread

    @cached_property
    def _cell_columns(self) -> dict[str, Any]:
        """What is the same for every instance of a cell: a row for each plan and cell."""
        cells = [cell.cell for plan in self.design.plans for cell in plan.cells]
        factors = [
            _dictionary(pa.array([dict(c.factors)[name] for c in cells], pa.string()))
            for name in self._factors
        ]
        found = {
            "cell": _dictionary(pa.array([c.label for c in cells], pa.string())),
            "factors": pa.StructArray.from_arrays(factors, names=self._factors),
            "acceptable": pa.array([c.acceptable for c in cells], pa.bool_()),
            "broken": pa.array([list(c.broken) for c in cells], pa.list_(pa.string())),
        }
        if self._scopes:
            scopes = [
                _dictionary(pa.array([dict(c.scopes).get(name) for c in cells], pa.string()))
                for name in self._scopes
            ]
            found["scope"] = pa.StructArray.from_arrays(scopes, names=self._scopes)
        return found

    def _answers(
        self,
        columns: dict[str, Any],
        blocks: _Blocks,
        sentences: list[list[Any]],
        numbers: Ints,
        seed: int,
    ) -> None:
        """Context and answers as lists; the answers in an order of the row's own."""
        roles = [cell.cell.role for cell in self.design.plans[0].cells]
        context = roles.count("context")
        total, answers = len(roles), len(roles) - context
        flat = pa.concat_arrays([array for block in sentences for array in block])
        places = blocks.cell_places(total)
        order = answer_orders(numbers, answers, seed)
        columns["context"] = _lists(flat.take(pa.array(places[:, :context].reshape(-1))), context)
        shuffled = np.take_along_axis(places[:, context:], order, axis=1)
        columns["answers"] = _lists(flat.take(pa.array(shuffled.reshape(-1))), answers)
        columns["correct"] = pa.array(np.argmin(order, axis=1).astype(np.int32))
        ids = blocks.plan_numbers()[:, None] * total + np.arange(total)
        chosen = np.take_along_axis(ids[:, context:], order, axis=1).reshape(-1)
        for name in ("labels", "classes", "broken", "answer_templates"):
            source = self._answer_columns[name]
            columns[name] = _lists(source.take(pa.array(chosen)), answers)
        templates = self._answer_columns["answer_templates"]
        shown = templates.take(pa.array(ids[:, :context].reshape(-1)))
        columns["context_templates"] = _lists(shown, context)

    @cached_property
    def _answer_columns(self) -> dict[str, Any]:
        cells = [(plan, cell) for plan in self.design.plans for cell in plan.cells]
        texts = pa.list_(pa.string())
        return {
            "labels": pa.array([cell.cell.label for _, cell in cells], pa.string()),
            "classes": pa.array([cell.cell.letter for _, cell in cells], pa.string()),
            "broken": pa.array([list(cell.cell.broken) for _, cell in cells], texts),
            "answer_templates": pa.array([template(cell.cell) for _, cell in cells], pa.string()),
        }


class _Blocks:
    """Addresses sorted by the plan they belong to, with the way back to the order of rows."""

    def __init__(self, design: CompiledDesign, addresses: NDArray[Any]) -> None:
        starts = np.array(design.starts, dtype=addresses.dtype)
        plan_of = np.searchsorted(starts, addresses, side="right") - 1
        sorted_rows = np.argsort(plan_of, kind="stable")
        self.design, self.length = design, len(addresses)
        self.plan_of = plan_of
        self.plans: list[int] = np.unique(plan_of).tolist()
        self.sizes: list[int] = []
        self.candidates: list[list[Ints]] = []
        bounds = np.searchsorted(plan_of[sorted_rows], [*self.plans, len(design.plans)])
        for i, p in enumerate(self.plans):
            rows = sorted_rows[bounds[i] : bounds[i + 1]]
            local = addresses[rows] - starts[p]
            if design.plans[p].count < LIMIT:
                local = local.astype(np.int64)
            self.sizes.append(len(rows))
            self.candidates.append(design.plans[p].space.unrank(local))
        self.place = np.empty(self.length, dtype=np.int64)  # row → place among sorted rows
        self.place[sorted_rows] = np.arange(self.length)
        self.order = pa.array(self.place)

    def by_plan(self, text: Any) -> Any:
        """A dictionary column of a text that each plan decides."""
        texts = [text(plan) for plan in self.design.plans]
        known = {t: i for i, t in enumerate(dict.fromkeys(texts))}
        ids = np.array([known[t] for t in texts], dtype=np.int32)
        return pa.DictionaryArray.from_arrays(
            pa.array(ids[self.plan_of]), pa.array(list(known), pa.string())
        )

    def plan_numbers(self) -> Ints:
        """The plan of each row."""
        return self.plan_of.astype(np.int64)

    def cell_places(self, cells: int) -> Ints:
        """Where the sentence of each row and cell stands when blocks of cells are laid end to end.

        Shape: (rows, cells).
        """
        sizes = np.array(self.sizes, dtype=np.int64)
        firsts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])[:-1]
        block = np.searchsorted(np.array(self.plans), self.plan_of)
        inside = self.place - firsts[block]
        base = firsts[block] * cells + inside
        return np.asarray(base[:, None] + np.arange(cells) * sizes[block][:, None])


def answer_orders(numbers: Ints, answers: int, seed: int) -> Ints:
    """The order of the answers of each row: entry ``[r, j]`` is the answer at position ``j``.

    The right answer (0) goes round over the positions, so that it is at each equally often; the
    others are ordered by the row's number and the seed.
    """
    length = len(numbers)
    start = Permutation(answers, seed).rows(0, answers)
    order = np.empty((length, answers), dtype=np.int64)
    rest = np.tile(np.arange(1, answers, dtype=np.int64), (length, 1))
    state = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
        (seed * 0x2545F4914F6CDD1D + 1) % 2**64
    )
    rows = np.arange(length)
    for i in range(answers - 2, 0, -1):
        state ^= state >> np.uint64(30)
        state = state * np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(27)
        j = (state % np.uint64(i + 1)).astype(np.int64)
        rest[rows, i], rest[rows, j] = rest[rows, j].copy(), rest[rows, i].copy()
    position = start[numbers % answers]
    for at in range(answers):
        before = np.minimum(np.where(at < position, at, at - 1), max(answers - 2, 0))
        others = rest[rows, np.maximum(before, 0)] if answers > 1 else np.zeros(length, np.int64)
        order[:, at] = np.where(position == at, 0, others)
    return order


def variant_text(plan: Plan) -> str:
    """``subj.number=sg pl; n2=absent sg``."""
    return "; ".join(f"{name}={label}" for name, label in plan.variant.choices)


def template(cell: Any) -> str:
    """``subj[sg] n1[pp sg] verb[sg]``: a cell without its lexemes."""
    return " ".join(piece_template(placed) for placed in cell.item.words)


def _address_texts(addresses: NDArray[Any]) -> Any:
    if addresses.dtype == object:
        return pa.array([str(a) for a in addresses], pa.string())
    return pa.array(addresses).cast(pa.string())


def _constant(text: str, length: int) -> Any:
    zeros = pa.array(np.zeros(length, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(zeros, pa.array([text], pa.string()))


def _dictionary(texts: Any) -> Any:
    return texts.dictionary_encode()


def _lists(values: Any, width: int) -> Any:
    length = len(values) // width if width else 0
    offsets = pa.array(np.arange(length + 1, dtype=np.int32) * width)
    return pa.ListArray.from_arrays(offsets, values)
