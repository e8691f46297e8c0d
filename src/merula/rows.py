"""Rows of a design as Arrow batches: one schema a kind of design, from addresses to columns.

Row order is decided by the seed alone: row ``k`` is the instance at the ``k``-th address of the
seed's permutation, whatever the size of a batch. A paradigm has a row a sentence, the cells of
an instance beside each other; a matrix has a row an instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.arrays import Lists, Words, list_array, repeated, struct_array, words_array
from merula.columns import Writer, Written
from merula.compiler import Compiled, CompiledDesign
from merula.items import piece_template
from merula.language.diagnostics import MerulaError, did_you_mean, listing
from merula.meaning import Cell
from merula.permute import Permutation
from merula.plan import Plan
from merula.space import Ints
from merula.variation import TYPE_I, AddressSpace, Variation

SCHEMA_VERSION = 2
CHUNK = 32_768  # sentences a batch: little enough for their memory to be used again at once
AHEAD = 8  # batches whose lexemes are looked up together

WORD = pa.dictionary(pa.int32(), pa.string())
WORDS = pa.list_(WORD)
TEXTS = pa.list_(pa.string())
SPANS = pa.list_(pa.struct([("object", WORD), ("start", pa.int32()), ("end", pa.int32())]))


# Columns of texts that hardly repeat; all other strings are words of a dictionary.
TEXT_COLUMNS = ("address", "sentence", "context", "answers")


def row_schema(stored: Any) -> Any:
    """The schema of rows that are stored with plain types."""
    fields = [
        field if field.name in TEXT_COLUMNS else pa.field(field.name, _as_words(field.type))
        for field in stored
    ]
    return pa.schema(fields, metadata=stored.metadata)


def _as_words(kind: Any) -> Any:
    if pa.types.is_string(kind):
        return WORD
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _as_words(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(_as_words(kind.value_type))
    return kind


@dataclass(frozen=True)
class Selection:
    """Which rows, and which of their columns.

    The first ``n`` instances of a seed's order (all where ``n`` is None). ``columns`` names the
    columns wanted (all where it is None); ``spans`` adds where each object stands.
    """

    n: int | None = None
    seed: int = 0
    variation: Variation = TYPE_I
    spans: bool = False
    columns: tuple[str, ...] | None = None


class RowMaker:
    """Makes the batches of one design of a compiled grammar.

    Raises `MerulaError` where the design has not what is selected.
    """

    def __init__(
        self, compiled: Compiled, design: CompiledDesign, selection: Selection | None = None
    ) -> None:
        self.compiled, self.design = compiled, design
        self.selection = selection = selection or Selection()
        self.paradigm = design.kind == "paradigm"
        self.cells: tuple[Cell, ...] = design.cells[0][1] if design.cells else ()
        self.space = AddressSpace(design, selection.variation)
        self.number = self._number()
        self.schema: Any = self._schema()

    def _number(self) -> int:
        """How many instances."""
        n, count = self.selection.n, self.space.count
        if n is None:
            return count
        if n < 0 or n > count:
            raise MerulaError.of(
                "M606",
                f"{self.design.name} has {count:,} instances; {n:,} were asked for",
                remedy="ask for fewer, or for all (--all)",
            )
        return n

    @property
    def rows_per_instance(self) -> int:
        """A row for each cell of a paradigm, one for a matrix."""
        return len(self.cells) if self.paradigm else 1

    @property
    def chunk(self) -> int:
        """How many instances a batch has, unless asked otherwise."""
        return max(CHUNK // max(len(self.cells), 1), 1)

    # --- schema

    def _schema(self) -> Any:
        fields = [
            pa.field("instance", pa.int64()),
            pa.field("address", pa.string()),
            pa.field("design", WORD),
            pa.field("frame", WORD),
            pa.field("variant", WORD),
            *(self._paradigm_fields() if self.paradigm else self._matrix_fields()),
            pa.field("grammar", WORD),
            pa.field("lexicon", WORD),
        ]
        wanted = self.selection.columns
        if wanted is not None:
            fields = self._wanted(fields, wanted)
        return pa.schema(fields, metadata=self._metadata())

    def _wanted(self, fields: Sequence[Any], wanted: Sequence[str]) -> list[Any]:
        by_name = {field.name: field for field in fields}
        for name in wanted:
            if name not in by_name:
                raise MerulaError.of(
                    "M616",
                    f"the rows of {self.design.name} have no column {name}",
                    remedy=did_you_mean(name, by_name) or f"they have {listing(by_name)}",
                )
        return [field for name, field in by_name.items() if name in wanted]

    def _paradigm_fields(self) -> Iterator[Any]:
        yield pa.field("cell", WORD)
        yield pa.field("factors", pa.struct([(name, WORD) for name in self._factors]))
        if self._scopes:
            yield pa.field("scope", pa.struct([(name, WORD) for name in self._scopes]))
        yield pa.field("sentence", pa.string())
        if self.selection.spans:
            yield pa.field("spans", SPANS)
        yield pa.field("acceptable", pa.bool_())
        yield pa.field("broken", WORDS)
        if self._slot_names:  # a struct needs a field
            yield pa.field("lexemes", self._lexeme_type)

    def _matrix_fields(self) -> Iterator[Any]:
        yield pa.field("variation", WORD)
        yield pa.field("context", TEXTS)
        yield pa.field("answers", TEXTS)
        yield pa.field("correct", pa.int32())
        yield pa.field("labels", WORDS)
        yield pa.field("classes", WORDS)
        yield pa.field("broken", pa.list_(WORDS))
        yield pa.field("context_templates", WORDS)
        yield pa.field("answer_templates", WORDS)
        if self.selection.spans:
            yield pa.field("context_spans", pa.list_(SPANS))
            yield pa.field("answer_spans", pa.list_(SPANS))
        if self._slot_names and self.space.draws == 1:
            yield pa.field("lexemes", self._lexeme_type)
        elif self._slot_names:
            yield pa.field("context_lexemes", pa.list_(self._lexeme_type))
            yield pa.field("answer_lexemes", pa.list_(self._lexeme_type))

    @cached_property
    def _lexeme_type(self) -> Any:
        return pa.struct([(name, WORD) for name in self._slot_names])

    def _metadata(self) -> dict[str, str]:
        grammar, variation = self.compiled.grammar, self.selection.variation
        assert grammar is not None
        found = {
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
            found["merula.variation"] = variation.kind
            found["merula.answers"] = variation.answers
        return found

    @cached_property
    def _factors(self) -> list[str]:
        _, cells = self.design.cells[0]
        return [name for name, _ in cells[0].factors]

    @cached_property
    def _scopes(self) -> list[str]:
        """The objects of which a rule asks whether they stand in a constituent."""
        cells = (cell for _, found in self.design.cells for cell in found)
        return list(dict.fromkeys(name for cell in cells for name, _ in cell.scopes))

    @property
    def _slot_names(self) -> list[str]:
        return list(self._writer.titles)

    # --- rows

    @cached_property
    def _writer(self) -> Writer:
        return Writer(
            self.design.plans,
            self.compiled.surface,
            draws=self.space.draws_of,
            instances=self.number,
            spans=self.selection.spans,
        )

    @cached_property
    def _order(self) -> Permutation:
        return Permutation(self.space.count, self.selection.seed)

    def batches(
        self, start: int = 0, stop: int | None = None, chunk: int | None = None
    ) -> Iterator[Any]:
        """Record batches of instances ``start`` to ``stop``, ``chunk`` in each but the last."""
        stop = self.number if stop is None else stop
        chunk = chunk or self.chunk
        for first in range(start, stop, AHEAD * chunk):
            rows = self._rows(first, min(first + AHEAD * chunk, stop))
            for i in range(0, len(rows), chunk):
                yield self._batch(rows[i : i + chunk])

    def batch(self, start: int, stop: int) -> Any:
        """The rows of instances ``start`` to ``stop`` (exclusive) of the seed's order."""
        return self._batch(self._rows(start, stop))

    def _rows(self, start: int, stop: int) -> _Rows:
        addresses = self._order.rows(start, stop)
        plan_of, draws = self.space.locate(addresses)
        written = self._writer.write(plan_of, draws)
        return _Rows(np.arange(start, stop, dtype=np.int64), addresses, plan_of, written)

    def _batch(self, rows: _Rows) -> Any:
        makers = self._makers
        arrays = [makers[field.name](rows) for field in self.schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    @cached_property
    def _makers(self) -> Mapping[str, Callable[[_Rows], Any]]:
        """What makes each column; each is made once for the rows of a batch."""
        cells = self.rows_per_instance
        common: dict[str, Callable[[_Rows], Any]] = {
            "instance": lambda rows: pa.array(np.repeat(rows.numbers, cells)),
            "address": lambda rows: repeated(_address_texts(rows.addresses), cells),
            "design": self._constant(self.design.name),
            "frame": self._by_plan(lambda plan: plan.variant.frame.name),
            "variant": self._by_plan(variant_text),
            "grammar": self._constant(self.compiled.grammar_digest[:16]),
            "lexicon": self._constant(self.compiled.lexicon_digest[:16]),
            "lexemes": lambda rows: self._lexemes(
                {n: np.repeat(x, cells) for n, x in rows.written.lexemes[0].items()}
            ),
        }
        return {**common, **(self._paradigm_makers() if self.paradigm else self._matrix_makers())}

    def _constant(self, text: str) -> Callable[[_Rows], Any]:
        values = pa.array([text], pa.string())
        cells = self.rows_per_instance

        def make(rows: _Rows) -> Any:
            zeros = pa.array(np.zeros(len(rows) * cells, dtype=np.int32))
            return pa.DictionaryArray.from_arrays(zeros, values)

        return make

    def _by_plan(self, text: Callable[[Plan], str]) -> Callable[[_Rows], Any]:
        words = Words([text(plan) for plan in self.design.plans])
        cells = self.rows_per_instance
        return lambda rows: words.array(np.repeat(words.ids[rows.plan_of], cells))

    def _by_cell(self, text: Callable[[Cell], str | None]) -> Words:
        """The words of a text that plan and cell decide, ids of shape (plans, cells)."""
        return Words(
            [text(cell.cell) for plan in self.design.plans for cell in plan.cells],
            (len(self.design.plans), len(self.cells)),
        )

    def _lexemes(self, places: Mapping[str, NDArray[np.int32]]) -> Any:
        fields = []
        length = 0
        for name, known in self._writer.titles.items():
            found = places.get(name)
            if found is None:
                length = len(next(iter(places.values()), ()))
                found = np.full(length, -1, dtype=np.int32)
            fields.append(words_array(found, pa.array(list(known), pa.string())))
        return pa.StructArray.from_arrays(fields, names=list(self._writer.titles))

    # --- paradigms: a row a cell

    def _paradigm_makers(self) -> dict[str, Callable[[_Rows], Any]]:
        label = self._by_cell(lambda cell: cell.label)
        factors = {
            name: self._by_cell(lambda cell, name=name: dict(cell.factors)[name])  # type: ignore[misc]
            for name in self._factors
        }
        scopes = {
            name: self._by_cell(lambda cell, name=name: dict(cell.scopes).get(name))  # type: ignore[misc]
            for name in self._scopes
        }
        broken = Lists(
            [cell.cell.broken for plan in self.design.plans for cell in plan.cells],
        )
        acceptable = np.array(
            [[cell.cell.acceptable for cell in plan.cells] for plan in self.design.plans]
        )
        cells = np.arange(len(self.cells))

        def ids(rows: _Rows) -> Ints:
            return (rows.plan_of[:, None] * len(cells) + cells).reshape(-1)

        return {
            "cell": lambda rows: label.array(label.ids[rows.plan_of]),
            "factors": lambda rows: struct_array(factors, rows.plan_of),
            "scope": lambda rows: struct_array(scopes, rows.plan_of),
            "sentence": lambda rows: self._writer.texts(rows.written.numbers),
            "spans": self._spans,
            "acceptable": lambda rows: pa.array(acceptable[rows.plan_of].reshape(-1)),
            "broken": lambda rows: broken.array(ids(rows)),
        }

    # --- matrices: a row an instance, its cells in lists

    def _matrix_makers(self) -> dict[str, Callable[[_Rows], Any]]:
        context = [cell.role for cell in self.cells].count("context")
        answers = len(self.cells) - context
        total = len(self.cells)
        labels = self._by_cell(lambda cell: cell.label)
        classes = self._by_cell(lambda cell: cell.letter)
        templates = self._by_cell(template)
        broken = Lists([cell.cell.broken for plan in self.design.plans for cell in plan.cells])

        def order(rows: _Rows) -> Ints:
            if rows.order is None:
                rows.order = answer_orders(rows.numbers, answers, self.selection.seed)
            return rows.order

        def shuffled(rows: _Rows, values: NDArray[Any]) -> NDArray[Any]:
            """Values of shape (rows, answers, …) in the order in which a row shows its answers."""
            return values[np.arange(len(rows))[:, None], order(rows)]

        def words(rows: _Rows, found: Words) -> Any:
            ids = shuffled(rows, found.ids[rows.plan_of][:, context:])
            return list_array(found.array(ids), answers)

        def broken_lists(rows: _Rows) -> Any:
            ids = rows.plan_of[:, None] * total + context + order(rows)
            return list_array(broken.array(ids.reshape(-1)), answers)

        def texts(numbers: NDArray[np.int32], width: int) -> Any:
            return list_array(self._writer.texts(numbers), width)

        def spans(rows: _Rows, cells: Ints, width: int) -> Any:
            flat = self._spans(rows)
            places = np.arange(len(rows))[:, None] * total + cells
            return list_array(flat.take(pa.array(places.reshape(-1))), width)

        def lexemes(rows: _Rows, cells: Ints, width: int) -> Any:
            draws = np.array(self.space.draws_of)[cells]
            places = {
                name: _stacked(rows.written.lexemes, name, len(rows))[
                    np.arange(len(rows))[:, None], draws
                ].reshape(-1)
                for name in self._writer.titles
            }
            return list_array(self._lexemes(places), width)

        def shown(rows: _Rows) -> Ints:
            return np.tile(np.arange(context), (len(rows), 1))

        return {
            "variation": self._constant(self.selection.variation.kind),
            "context": lambda rows: texts(rows.written.numbers[:, :context], context),
            "answers": lambda rows: texts(
                shuffled(rows, rows.written.numbers[:, context:]), answers
            ),
            "correct": lambda rows: pa.array(np.argmin(order(rows), axis=1).astype(np.int32)),
            "labels": lambda rows: words(rows, labels),
            "classes": lambda rows: words(rows, classes),
            "broken": broken_lists,
            "context_templates": lambda rows: list_array(
                templates.array(templates.ids[rows.plan_of][:, :context]), context
            ),
            "answer_templates": lambda rows: words(rows, templates),
            "context_spans": lambda rows: spans(rows, shown(rows), context),
            "answer_spans": lambda rows: spans(rows, context + order(rows), answers),
            "context_lexemes": lambda rows: lexemes(rows, shown(rows), context),
            "answer_lexemes": lambda rows: lexemes(rows, context + order(rows), answers),
        }

    # --- spans

    def _spans(self, rows: _Rows) -> Any:
        """Where the objects of each sentence stand, sentence by sentence."""
        if rows.spans is None:
            found = self._writer.spans(rows.plan_of, rows.written)
            struct = pa.StructArray.from_arrays(
                [
                    words_array(found.objects, pa.array(found.names, pa.string())),
                    pa.array(found.starts),
                    pa.array(found.ends),
                ],
                fields=list(SPANS.value_type),
            )
            rows.spans = pa.ListArray.from_arrays(pa.array(found.offsets), struct)
        return rows.spans


@dataclass(eq=False)
class _Rows:
    """The instances of a batch, and what several columns need of them."""

    numbers: Ints
    addresses: NDArray[Any]
    plan_of: Ints
    written: Written
    order: Ints | None = None  # of the answers
    spans: Any = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, part: slice) -> _Rows:
        lexemes = tuple({n: x[part] for n, x in draw.items()} for draw in self.written.lexemes)
        return _Rows(
            self.numbers[part],
            self.addresses[part],
            self.plan_of[part],
            Written(self.written.numbers[part], lexemes),
        )


def variant_text(plan: Plan) -> str:
    """``subj.number=sg pl; n2=absent sg``."""
    return "; ".join(f"{name}={label}" for name, label in plan.variant.choices)


def template(cell: Cell) -> str:
    """``subj[sg] n1[pp sg] verb[sg]``: a cell without its lexemes."""
    return " ".join(piece_template(placed) for placed in cell.item.words)


def _address_texts(addresses: NDArray[Any]) -> Any:
    if addresses.dtype == object:
        return pa.array([str(a) for a in addresses], pa.string())
    return pa.array(addresses).cast(pa.string())


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


def _stacked(
    draws: Sequence[Mapping[str, NDArray[np.int32]]], name: str, rows: int
) -> NDArray[np.int32]:
    """A slot's lexemes, shape (rows, draws)."""
    missing = np.full(rows, -1, dtype=np.int32)
    return np.stack([lexemes.get(name, missing) for lexemes in draws], axis=1)
