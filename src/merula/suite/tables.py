"""The tables of a suite: sentences, minimal pairs, cloze pairs and probing tables.

Every table is made a batch at a time. In ``sentences`` a row is a sentence, with all that
`merula generate` says of it and what the recipe asks for; the other tables are made of these rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.arrays import Ints
from merula.core.frozen import frozen
from merula.rows.columns import WORD, Located, Words, repeated, words_array
from merula.rows.maker import RowChoice, RowMaker
from merula.suite.cells import Cells
from merula.suite.differences import difference
from merula.suite.recipe import Recipe

SENTENCES, PAIRS, CLOZE, PROBING = "sentences", "minimal_pairs", "cloze", "probing"
KINDS = (SENTENCES, PAIRS, CLOZE, PROBING)
MASK = "[MASK]"
BATCH = 4_096  # paradigms
SCOPE = "scope"


@frozen(eq=False)
class Paradigms:
    """The paradigms of a design: where each is, its name, its split and its order."""

    part: str
    cells: Cells
    addresses: NDArray[Any]
    names: tuple[str, ...]
    splits: tuple[str, ...]
    orders: tuple[str | None, ...]


def sentence_batches(
    recipe: Recipe, compiled: Compiled, design: CompiledDesign, paradigms: Paradigms
) -> Iterator[tuple[Any, Ints]]:
    """The rows of some paradigms, `BATCH` of them at once, and the plan of each paradigm."""
    number = len(paradigms.names)
    selection = RowChoice(min(number, design.count), recipe.seed, spans=True)
    maker = RowMaker(compiled, design, selection)
    for start in range(0, number, BATCH):
        stop = min(start + BATCH, number)
        rows = located(maker, paradigms.addresses[start:stop], start)
        made = [
            (column.field, column.make(rows))
            for column in maker.columns
            if not (column.field.name == SCOPE and SCOPE in paradigms.cells.names)
        ]
        told = _told(recipe, design, paradigms, rows, slice(start, stop))
        # what says which design it is comes first, then what is said of it
        fields = [*told, *(item for item in made if item[0].name not in _names(told))]
        arrays = [array for _, array in fields]
        schema = pa.schema([field for field, _ in fields])
        yield pa.RecordBatch.from_arrays(arrays, schema=schema), rows.plan_of


def _names(fields: Iterable[tuple[Any, Any]]) -> set[str]:
    return {field.name for field, _ in fields}


def located(maker: RowMaker, addresses: NDArray[Any], first: int) -> Located:
    """The instances at some addresses, numbered from ``first``."""
    plan_of, draws = maker.space.locate(addresses)
    written = maker.writer.write(plan_of, draws)
    numbers = np.arange(first, first + len(addresses), dtype=np.int64)
    return Located(numbers, addresses, plan_of, written)


def _told(
    recipe: Recipe,
    design: CompiledDesign,
    paradigms: Paradigms,
    rows: Located,
    which: slice,
) -> list[tuple[Any, Any]]:
    """The columns that the suite adds, of all cells of some paradigms."""
    cells = paradigms.cells
    width = cells.values.shape[1]

    def words(name: str, texts: Sequence[str | None]) -> tuple[Any, Any]:
        known = Words(texts)
        return pa.field(name, WORD), repeated(known.array(known.ids), width)

    orders = paradigms.orders[which]
    values = cells.values[rows.plan_of].reshape(len(rows) * width, len(cells.names))
    found = [
        words(recipe.part_column, [paradigms.part] * len(rows)),
        words(recipe.design_column, [design.name] * len(rows)),
        words("paradigm", paradigms.names[which]),
        words("split", paradigms.splits[which]),
        words("order", orders),
        *(_number(name, values[:, i]) for i, name in enumerate(cells.names)),
    ]
    for flag in recipe.flags:
        holds = np.ones(len(values), dtype=np.bool_)
        for name, value in flag.features:
            holds &= values[:, cells.names.index(name)] == value
        if flag.orders:
            holds &= np.repeat([order in flag.orders for order in orders], width)
        if flag.parts:
            holds &= paradigms.part in flag.parts
        found.append(_number(flag.name, holds))
    return found


def _number(name: str, values: NDArray[Any]) -> tuple[Any, Any]:
    return pa.field(name, pa.int8()), pa.array(values.astype(np.int8))


# --- pairs ---------------------------------------------------------------------------------


def pair_batch(recipe: Recipe, paradigms: Paradigms, batch: Any, plan_of: Ints) -> Any:
    """The minimal pairs of the paradigms in a batch of sentences.

    ``plan_of`` are their plans. ``good_start`` to ``good_end`` is what differs in the good
    sentence, ``spillover`` the words that both have after it.
    """
    width = paradigms.cells.values.shape[1]
    bad, good, said = [], [], []
    for i, plan in enumerate(plan_of.tolist()):
        for pair in paradigms.cells.pairs[plan]:
            bad.append(i * width + pair.bad)
            good.append(i * width + pair.good)
            said.append((pair.contrast, pair.condition))
    sentences = batch.column("sentence").to_pylist()
    bads, goods = [sentences[i] for i in bad], [sentences[i] for i in good]
    found = [difference(g, b) for g, b in zip(goods, bads, strict=True)]
    kept = (recipe.part_column, recipe.design_column, "paradigm", "split", "order")
    flags = [flag.name for flag in recipe.flags]
    of_bad = batch.take(pa.array(bad, pa.int64()))
    columns: dict[str, Any] = {name: of_bad.column(name) for name in (*kept, *flags)}
    columns["contrast"] = _words([contrast for contrast, _ in said])
    columns["condition"] = _words([condition for _, condition in said])
    columns["sentence_good"] = pa.array(goods, pa.string())
    columns["sentence_bad"] = pa.array(bads, pa.string())
    for name, stretches in (
        ("good", [d.one for d in found]),
        ("bad", [d.other for d in found]),
        ("good_spillover", [d.one_rest for d in found]),
        ("bad_spillover", [d.other_rest for d in found]),
    ):
        columns[f"{name}_start"] = pa.array([s.start for s in stretches], pa.int32())
        columns[f"{name}_end"] = pa.array([s.end for s in stretches], pa.int32())
    rests = [d.rest_of(g) for d, g in zip(found, goods, strict=True)]
    columns["spillover"] = pa.array(rests, pa.string())
    columns["one_word"] = pa.array([d.one_word for d in found], pa.bool_())
    return pa.RecordBatch.from_pydict(columns)


def _words(texts: Sequence[str]) -> Any:
    known = Words(texts)
    return words_array(known.ids, known.values)


def minimal_pairs(batch: Any) -> Any:
    """The columns of minimal pairs."""
    return batch.select([name for name in batch.schema.names if name != "one_word"])


def cloze(batch: Any) -> Any:
    """The pairs that differ in one word: masked, with the two words and where they begin."""
    batch = batch.filter(batch.column("one_word"))
    goods = batch.column("sentence_good").to_pylist()
    bads = batch.column("sentence_bad").to_pylist()
    start, end = (batch.column(f"good_{x}").to_pylist() for x in ("start", "end"))
    ends = batch.column("bad_end").to_pylist()
    names = batch.schema.names
    kept = names[: names.index("sentence_good")]
    columns: dict[str, Any] = {name: batch.column(name) for name in kept}
    masked = [f"{g[:s]}{MASK}{g[e:]}" for g, s, e in zip(goods, start, end, strict=True)]
    columns["masked"] = pa.array(masked, pa.string())
    columns["good"] = _words([g[s:e] for g, s, e in zip(goods, start, end, strict=True)])
    columns["bad"] = _words([b[s:e] for b, s, e in zip(bads, start, ends, strict=True)])
    columns["start"] = batch.column("good_start")
    columns["good_end"] = batch.column("good_end")
    columns["bad_end"] = batch.column("bad_end")
    columns["sentence_good"] = batch.column("sentence_good")
    columns["sentence_bad"] = batch.column("sentence_bad")
    return pa.RecordBatch.from_pydict(columns)


def probing(batch: Any, recipe: Recipe) -> Any:
    """A row for each sentence and each feature that varies in its design; the batch is of one."""
    kept = (recipe.part_column, recipe.design_column, "paradigm", "split", "order")
    varying = []
    for feature in recipe.features:
        values = batch.column(feature.name)
        if len(values.unique()) > 1:
            varying.append((feature.name, values))
    rows, names = batch.num_rows, [name for name, _ in varying]
    places = pa.array(np.tile(np.arange(rows), len(varying)))
    columns: dict[str, Any] = {name: batch.column(name).take(places) for name in kept}
    columns["feature"] = _words([name for name in names for _ in range(rows)])
    columns["sentence"] = batch.column("sentence").take(places)
    labels = [values for _, values in varying]
    columns["label"] = pa.concat_arrays(labels) if labels else pa.array([], pa.int8())
    return pa.RecordBatch.from_pydict(columns)


# --- tables of several designs -------------------------------------------------------------
