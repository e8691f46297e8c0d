"""The columns of rows: the name and type of each, and the array of it for a batch.

A compiled design goes in; its columns come out (`columns_of`), each of which makes an Arrow array
of the rows of a batch (`Located`). `merula.rows.maker` calls this. Paradigms have a row a cell,
matrices a row an instance with its cells in lists; there is one schema for either, and no writer
adds to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.arrays import Ints
from merula.design.cells import Cell, template
from merula.plan.planner import Plan
from merula.rows.sentences import Writer, WrittenRows
from merula.rows.variation import AddressSpace

WORD = pa.dictionary(pa.int32(), pa.string())
WORDS = pa.list_(WORD)
TEXTS = pa.list_(pa.string())
SPANS = pa.list_(pa.struct([("object", WORD), ("start", pa.int32()), ("end", pa.int32())]))
# What a language model put in place of a word (type II): in which sentence (items, then answers,
# from 0), of which object, from what, and the log-probabilities of both in that sentence.
VARIED = pa.list_(
    pa.struct(
        [
            ("sentence", pa.int32()),
            ("slot", WORD),
            ("original", WORD),
            ("filler", WORD),
            ("original_score", pa.float64()),
            ("filler_score", pa.float64()),
        ]
    )
)


# Columns of texts that hardly repeat; all other strings are words in a dictionary.
TEXT_COLUMNS = ("address", "sentence", "context", "answers")


def row_schema(stored: Any) -> Any:
    """Return the schema of rows that are stored with plain types."""
    fields = [
        pa.field(field.name, _type(field.type, pa.string() if field.name in TEXT_COLUMNS else WORD))
        for field in stored
    ]
    return pa.schema(fields, metadata=stored.metadata)


def _type(kind: Any, text: Any) -> Any:
    """Return a type with ``text`` for all kinds of strings that files have."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return text
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _type(field.type, text)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_type(kind.value_type, text))
    return kind


@dataclass(eq=False)
class Located:
    """The instances of a batch, with what several columns need."""

    numbers: Ints
    addresses: NDArray[Any]
    plan_of: Ints
    written: WrittenRows
    order: Ints | None = None  # of the answers
    spans: Any = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, part: slice) -> Located:
        lexemes = tuple({n: x[part] for n, x in draw.items()} for draw in self.written.lexemes)
        return Located(
            self.numbers[part],
            self.addresses[part],
            self.plan_of[part],
            WrittenRows(self.written.numbers[part], lexemes),
        )


Make = Callable[[Located], Any]


@dataclass(frozen=True, eq=False)
class Column:
    """A column: its Arrow field, and what makes its array for the rows of a batch."""

    field: Any
    make: Make

    @staticmethod
    def of(name: str, kind: Any, make: Make) -> Column:
        """Return a column with a name and a type."""
        return Column(pa.field(name, kind), make)


def columns_of(
    compiled: Compiled,
    design: CompiledDesign,
    space: AddressSpace,
    writer: Writer,
    *,
    seed: int,
    spans: bool,
) -> list[Column]:
    """Return all columns of a design's rows, in order."""
    kind = ParadigmColumns if design.kind == "paradigm" else MatrixColumns
    of = kind(design, space, writer, seed=seed, spans=spans)
    return [
        Column.of("instance", pa.int64(), lambda rows: pa.array(of.repeat(rows.numbers))),
        Column.of(
            "address",
            pa.string(),
            lambda rows: repeated(_address_texts(rows.addresses), of.rows_per_instance),
        ),
        of.constant("design", design.name),
        of.by_plan("frame", lambda plan: plan.variant.frame.name),
        of.by_plan("variant", variant_text),
        *of.columns(),
        of.constant("grammar", compiled.grammar_digest[:16]),
        of.constant("lexicon", compiled.lexicon_digest[:16]),
    ]


class DesignColumns:
    """The columns that paradigms and matrices have in common."""

    def __init__(
        self,
        design: CompiledDesign,
        space: AddressSpace,
        writer: Writer,
        *,
        seed: int,
        spans: bool,
    ) -> None:
        self.design, self.space, self.writer = design, space, writer
        self.seed, self.with_spans = seed, spans
        self.cells: tuple[Cell, ...] = design.cells[0][1] if design.cells else ()

    @property
    def rows_per_instance(self) -> int:
        """How many rows an instance has."""
        return 1

    def columns(self) -> Iterator[Column]:
        """Yield the columns of this kind of design."""
        raise NotImplementedError

    def repeat(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of instances as values of rows."""
        return np.repeat(values, self.rows_per_instance)

    def constant(self, name: str, text: str) -> Column:
        """Return a column of one word."""
        values = pa.array([text], pa.string())

        def make(rows: Located) -> Any:
            zeros = np.zeros(len(rows) * self.rows_per_instance, dtype=np.int32)
            return pa.DictionaryArray.from_arrays(pa.array(zeros), values)

        return Column.of(name, WORD, make)

    def by_plan(self, name: str, text: Callable[[Plan], str]) -> Column:
        """Return a column of a text that the variant decides."""
        words = Words([text(plan) for plan in self.design.plans])
        return Column.of(name, WORD, lambda rows: words.array(self.repeat(words.ids[rows.plan_of])))

    def by_cell(self, text: Callable[[Cell], str | None]) -> Words:
        """Return the words of a text that variant and cell decide, ids of shape (plans, cells)."""
        shape = (len(self.design.plans), len(self.cells))
        return Words([text(cell) for cell in self._every_cell()], shape)

    def broken(self) -> WordLists:
        """Return the broken rules of all cells; the number of a list is plan · cells + cell."""
        return WordLists([cell.broken for cell in self._every_cell()])

    def _every_cell(self) -> Iterator[Cell]:
        return (cell.cell for plan in self.design.plans for cell in plan.cells)

    @property
    def lexeme_type(self) -> Any:
        """The type of lexemes: a struct with a word for each slot."""
        return pa.struct([(name, WORD) for name in self.writer.titles])

    def lexemes(self, places: Mapping[str, NDArray[np.int32]], length: int) -> Any:
        """Return the lexeme of each slot, null where a variant does not have the slot."""
        missing = np.full(length, -1, dtype=np.int32)
        fields = [
            words_array(places.get(name, missing), pa.array(list(titles), pa.string()))
            for name, titles in self.writer.titles.items()
        ]
        return pa.StructArray.from_arrays(fields, names=list(self.writer.titles))

    def lexeme_column(self) -> Iterator[Column]:
        """Yield the column of lexemes, where there are any (a struct needs a field)."""
        if self.writer.titles:

            def make(rows: Located) -> Any:
                places = {n: self.repeat(x) for n, x in rows.written.lexemes[0].items()}
                return self.lexemes(places, len(rows) * self.rows_per_instance)

            yield Column.of("lexemes", self.lexeme_type, make)

    def spans(self, rows: Located) -> Any:
        """Return the places of objects, sentence by sentence."""
        if rows.spans is None:
            spans = self.writer.spans(rows.plan_of, rows.written)
            struct = pa.StructArray.from_arrays(
                [
                    words_array(spans.objects, pa.array(spans.names, pa.string())),
                    pa.array(spans.starts),
                    pa.array(spans.ends),
                ],
                fields=list(SPANS.value_type),
            )
            rows.spans = pa.ListArray.from_arrays(pa.array(spans.offsets), struct)
        return rows.spans


class ParadigmColumns(DesignColumns):
    """The columns of a paradigm, which has a row a cell."""

    @property
    def rows_per_instance(self) -> int:
        """How many rows an instance has."""
        return len(self.cells)

    def columns(self) -> Iterator[Column]:
        """Yield the columns that only paradigms have."""
        label = self.by_cell(lambda cell: cell.label)
        yield Column.of("cell", WORD, lambda rows: label.array(label.ids[rows.plan_of]))
        names = [name for name, _ in self.cells[0].factors] if self.cells else []
        yield self._struct("factors", names, lambda cell: dict(cell.factors))
        scopes = self._scopes()
        if scopes:
            yield self._struct("scope", scopes, lambda cell: dict(cell.scopes))
        yield Column.of(
            "sentence", pa.string(), lambda rows: self.writer.texts(rows.written.numbers)
        )
        if self.with_spans:
            yield Column.of("spans", SPANS, self.spans)
        yield self._acceptable()
        broken, cells = self.broken(), np.arange(len(self.cells))
        yield Column.of(
            "broken",
            WORDS,
            lambda rows: broken.array((rows.plan_of[:, None] * len(cells) + cells).reshape(-1)),
        )
        yield from self.lexeme_column()

    def _struct(
        self, name: str, names: Iterable[str], values: Callable[[Cell], Mapping[str, str]]
    ) -> Column:
        """Return a column of structs of words that variant and cell decide."""
        fields = {
            key: self.by_cell(lambda cell, key=key: values(cell).get(key))  # type: ignore[misc]
            for key in names
        }
        kind = pa.struct([(key, WORD) for key in fields])
        return Column.of(name, kind, lambda rows: struct_array(fields, rows.plan_of))

    def _scopes(self) -> list[str]:
        """Return the objects of which a rule asks whether they are in a constituent."""
        every = (cell for _, cells in self.design.cells for cell in cells)
        return list(dict.fromkeys(name for cell in every for name, _ in cell.scopes))

    def _acceptable(self) -> Column:
        values = np.array([cell.acceptable for cell in self._every_cell()], dtype=np.bool_)
        by_plan = values.reshape(len(self.design.plans), len(self.cells))
        return Column.of(
            "acceptable", pa.bool_(), lambda rows: pa.array(by_plan[rows.plan_of].reshape(-1))
        )


class MatrixColumns(DesignColumns):
    """The columns of a matrix: a row an instance, cells in lists, answers in an order a row."""

    @property
    def context(self) -> int:
        """The number of items that are shown."""
        return [cell.role for cell in self.cells].count("context")

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.cells) - self.context

    def columns(self) -> Iterator[Column]:
        """Yield the columns that only matrices have."""
        yield self.constant("variation", self.space.variation.kind)
        yield Column.of("context", TEXTS, lambda rows: self._texts(rows, self._shown(rows)))
        yield Column.of("answers", TEXTS, lambda rows: self._texts(rows, self._answers(rows)))
        yield Column.of(
            "correct",
            pa.int32(),
            lambda rows: pa.array(np.argmin(self._answers(rows), axis=1).astype(np.int32)),
        )
        yield self._words("labels", self._answers, lambda cell: cell.label)
        yield self._words("classes", self._answers, lambda cell: cell.letter)
        broken = self.broken()
        yield Column.of(
            "broken",
            pa.list_(WORDS),
            lambda rows: list_array(
                broken.array(self._numbers(rows, self._answers(rows))), self.answers
            ),
        )
        yield self._words("context_templates", self._shown, template)
        yield self._words("answer_templates", self._answers, template)
        both = {"context": self._shown, "answer": self._answers}
        if self.with_spans:
            for name, cells in both.items():
                yield self._span_column(f"{name}_spans", cells)
        if self.space.draws == 1:
            yield from self.lexeme_column()
        elif self.writer.titles:
            for name, cells in both.items():
                yield self._lexeme_lists(f"{name}_lexemes", cells)
        yield Column.of("varied", VARIED, lambda rows: _nothing_varied(len(rows)))

    # which cells a row shows, shape (rows, cells)

    def _shown(self, rows: Located) -> Ints:
        return np.tile(np.arange(self.context), (len(rows), 1))

    def _answers(self, rows: Located) -> Ints:
        if rows.order is None:
            rows.order = answer_orders(rows.numbers, self.answers, self.seed)
        return self.context + rows.order

    # columns of some cells

    def _numbers(self, rows: Located, cells: Ints) -> Ints:
        """Return the number of each cell shown: plan · cells + cell."""
        return (rows.plan_of[:, None] * len(self.cells) + cells).reshape(-1)

    def _texts(self, rows: Located, cells: Ints) -> Any:
        numbers = rows.written.numbers[np.arange(len(rows))[:, None], cells]
        return list_array(self.writer.texts(numbers), cells.shape[1])

    def _words(
        self, name: str, cells: Callable[[Located], Ints], text: Callable[[Cell], str]
    ) -> Column:
        words = self.by_cell(text)

        def make(rows: Located) -> Any:
            shown = cells(rows)
            ids = words.ids.reshape(-1)[self._numbers(rows, shown)]
            return list_array(words.array(ids), shown.shape[1])

        return Column.of(name, WORDS, make)

    def _span_column(self, name: str, cells: Callable[[Located], Ints]) -> Column:
        def make(rows: Located) -> Any:
            shown = cells(rows)
            places = np.arange(len(rows))[:, None] * len(self.cells) + shown
            return list_array(self.spans(rows).take(pa.array(places.reshape(-1))), shown.shape[1])

        return Column.of(name, pa.list_(SPANS), make)

    def _lexeme_lists(self, name: str, cells: Callable[[Located], Ints]) -> Column:
        draws = np.array(self.space.draws_of)

        def make(rows: Located) -> Any:
            shown = cells(rows)
            chosen = draws[shown]
            missing = np.full(len(rows), -1, dtype=np.int32)
            places = {
                slot: np.take_along_axis(
                    np.stack([x.get(slot, missing) for x in rows.written.lexemes], axis=1),
                    chosen,
                    axis=1,
                ).reshape(-1)
                for slot in self.writer.titles
            }
            return list_array(self.lexemes(places, shown.size), shown.shape[1])

        return Column.of(name, pa.list_(self.lexeme_type), make)


def _nothing_varied(length: int) -> Any:
    """Return an empty list a row: types I and III show the words of the tables."""
    offsets = pa.array(np.zeros(length + 1, dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array([], VARIED.value_type))


def answer_orders(numbers: Ints, answers: int, seed: int) -> Ints:
    """Return the order of the answers of each row: ``[r, j]`` is the answer at position ``j``.

    In every block of as many rows as there are answers, the right answer (0) is at each position
    once, in an order of the block's own; so it is at each equally often, and neither the rows
    before nor the number of a row tell where. Wrong answers are in an order of the row's own.

    >>> orders = answer_orders(np.arange(6), 3, seed=0)
    >>> orders.argmin(axis=1).tolist()
    [2, 0, 1, 1, 2, 0]
    """
    blocks, block_of = np.unique(numbers // answers, return_inverse=True)
    positions = _shuffles(blocks, answers, seed, "positions")[block_of, numbers % answers]
    wrong = _shuffles(numbers, answers - 1, seed, "others") + 1
    order = np.zeros((len(numbers), answers), dtype=np.int64)
    rows = np.arange(len(numbers))
    for at in range(answers - 1):
        order[rows, at + (at >= positions)] = wrong[:, at]
    return order


def _shuffles(numbers: Ints, width: int, seed: int, what: str) -> Ints:
    """Return a permutation of 0 … ``width`` - 1 for each number, decided by the seed.

    It is Fisher and Yates' shuffle, which is uniform, done for all numbers at once. A number times
    an odd constant is mixed by shifts and multiplications as in SplitMix64 (Steele, Lea & Flood
    2014), once more for every step.
    """
    shuffled = np.tile(np.arange(width, dtype=np.int64), (len(numbers), 1))
    text = f"merula {what} {seed}".encode()
    key = np.uint64(int.from_bytes(hashlib.sha256(text).digest()[:8], "little"))
    state = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
    rows = np.arange(len(numbers))
    for i in range(width - 1, 0, -1):
        for _ in range(2):
            state ^= state >> np.uint64(30)
            state *= np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(27)
        j = ((state >> np.uint64(32)) * np.uint64(i + 1) >> np.uint64(32)).astype(np.int64)
        shuffled[rows, i], shuffled[rows, j] = shuffled[rows, j], shuffled[rows, i]
    return shuffled


def variant_text(plan: Plan) -> str:
    """Return the choices of a plan's variant: ``subj.number=sg pl; n2=absent sg``."""
    return "; ".join(f"{name}={label}" for name, label in plan.variant.choices)


def _address_texts(addresses: NDArray[Any]) -> Any:
    if addresses.dtype == object:
        return pa.array([str(a) for a in addresses], pa.string())
    return pa.array(addresses).cast(pa.string())


# --- arrow arrays of words and lists, from numbers in numpy ---------------------------------


class Words:
    """Words with ids, and columns of them."""

    def __init__(self, texts: Sequence[str | None], shape: tuple[int, ...] = (-1,)) -> None:
        places = {t: i for i, t in enumerate(dict.fromkeys(t for t in texts if t is not None))}
        ids = [-1 if t is None else places[t] for t in texts]
        self.ids: NDArray[np.int32] = np.array(ids, dtype=np.int32).reshape(shape)
        self.values = pa.array(list(places), pa.string())

    def array(self, ids: NDArray[np.int32]) -> Any:
        """Return the column of some ids (null for -1)."""
        return words_array(ids.reshape(-1), self.values)


class WordLists:
    """Lists of words, and columns of them."""

    def __init__(self, lists: Sequence[Sequence[str]]) -> None:
        self.words = Words([word for words in lists for word in words])
        self.sizes = np.array([len(words) for words in lists], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def array(self, ids: Ints) -> Any:
        """Return the column of the lists with some numbers."""
        sizes = self.sizes[ids]
        offsets = np.zeros(len(ids) + 1, dtype=np.int32)
        np.cumsum(sizes, out=offsets[1:])
        places = np.repeat(self.starts[ids] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return pa.ListArray.from_arrays(pa.array(offsets), self.words.array(self.words.ids[places]))


def words_array(ids: NDArray[np.int32], values: Any) -> Any:
    """Return a dictionary array of the values at some places (null for -1)."""
    missing = ids < 0
    mask = missing if missing.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(ids, mask=mask), values)


def repeated(array: Any, times: int) -> Any:
    """Return an array with each value a number of times."""
    if times == 1:
        return array
    return array.take(pa.array(np.repeat(np.arange(len(array), dtype=np.int32), times)))


def struct_array(fields: Mapping[str, Words], plan_of: Ints) -> Any:
    """Return a struct array of words that plans decide, with ids of shape (plans, …)."""
    arrays = [words.array(words.ids[plan_of]) for words in fields.values()]
    return pa.StructArray.from_arrays(arrays, names=list(fields))


def list_array(values: Any, width: int) -> Any:
    """Return lists of ``width`` neighbouring values each."""
    length = len(values) // width if width else 0
    offsets = pa.array(np.arange(length + 1, dtype=np.int32) * width)
    return pa.ListArray.from_arrays(offsets, values)
