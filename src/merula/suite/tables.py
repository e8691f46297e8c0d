"""The tables of a suite: sentences, minimal pairs, cloze pairs and probing tables.

In: the paradigms drawn for a design, with the features of its cells. Out: Arrow batches. In
``sentences`` a row is a sentence, with the columns of `merula generate` and those of the recipe;
the batches of the other tables are made of these. ``parts`` keeps sentences and pairs, ``make``
writes all tables of them; exports use `difference`. Every table is made a batch at a time; the
sentences of a paradigm are neighbours, and pairs are of sentences in one paradigm.

>>> pair = difference("The boys had ever left.", "The boys had often left.")
>>> pair.one.of("The boys had ever left."), pair.rest_of("The boys had ever left.")
('ever', 'left')
>>> pair.one_word
True
>>> difference("The boys left.", "The boys had left.").one
Stretch(start=9, end=9, words=0)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.arrays import Ints
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.design.cells import Cell
from merula.design.pairs import MinimalPair, pairs_of
from merula.rows.columns import WORD, Located, Words, repeated, words_array
from merula.rows.maker import RowChoice, RowMaker
from merula.suite.recipe import FeatureColumn, ParadigmRecipe

SENTENCES, PAIRS, CLOZE, PROBING = "sentences", "minimal_pairs", "cloze", "probing"
KINDS = (SENTENCES, PAIRS, CLOZE, PROBING)
MASK = "[MASK]"
BATCH = 4_096  # paradigms, some ten thousand sentences: a few megabytes
SCOPE = "scope"


# --- cells: their features, and which of them make pairs ---------------------------------------


@frozen(eq=False)
class CellFeatures:
    """The features of each cell of each plan (shape: plans, cells, features), and the pairs."""

    names: tuple[str, ...]
    values: Ints
    pairs: tuple[tuple[MinimalPair, ...], ...]  # by plan


def features_of(
    design: CompiledDesign, features: Sequence[FeatureColumn], what: str, place: str
) -> CellFeatures:
    """Return the features and pairs of a design's cells.

    Raises `MerulaError` where the cells do not have a feature; ``what`` names the design in it,
    ``place`` the recipe.
    """
    by_plan = [[cell.cell for cell in plan.cells] for plan in design.plans]
    _demand_features(features, by_plan[0] if by_plan else [], design.name, what, place)
    values = [
        [[_value(feature, cell, design.name) for feature in features] for cell in cells]
        for cells in by_plan
    ]
    names = tuple(feature.name for feature in features)
    good = [[cell.acceptable for cell in cells] for cells in by_plan]
    pairs = tuple(
        tuple(pairs_of(names, cell_values, is_good))
        for cell_values, is_good in zip(values, good, strict=True)
    )
    shape = (len(by_plan), len(by_plan[0]) if by_plan else 0, len(names))
    return CellFeatures(names, np.array(values, np.int64).reshape(shape), pairs)


def objects_of(feature: FeatureColumn, design: str) -> tuple[str, ...]:
    """Return the objects that a feature can be about in a design."""
    return tuple(name.partition(".")[0] for name in feature.names(design))


def _levels(feature: FeatureColumn, cell: Cell) -> dict[str, str]:
    """Return what a cell says of each factor or each scope, whichever the feature is about."""
    return dict(cell.scopes if feature.scopes else cell.factors)


def _value(feature: FeatureColumn, cell: Cell, design: str) -> int:
    levels = _levels(feature, cell)
    yes = ("in",) if feature.scopes else feature.yes
    level = next((levels[name] for name in feature.names(design) if name in levels), None)
    return int(level in yes) if level is not None else feature.otherwise or 0


def _demand_features(
    features: Sequence[FeatureColumn], cells: Sequence[Cell], design: str, what: str, place: str
) -> None:
    """Raise where the cells do not have a feature, or where it would be 0 in all of them."""
    for feature in features:
        levels = [name for cell in cells[:1] for name in _levels(feature, cell)]
        names = feature.names(design)
        name = next((name for name in names if name in levels), None)
        if name is not None and feature.factors:
            _demand_value(feature, name, cells, what, place)
        elif name is None and feature.otherwise is None:
            kind = "scope" if feature.scopes else "factor"
            raise MerulaError.of(
                "M684",
                f"features.{feature.name}: {what} has no {kind} {listing(names, 'or')}",
                remedy=did_you_mean(names[0], levels)
                or (f"it has {listing(levels)}" if levels else "write otherwise = 0 or 1"),
                place=place,
            )


def _demand_value(
    feature: FeatureColumn, name: str, cells: Sequence[Cell], what: str, place: str
) -> None:
    """Raise where a factor has none of the values that count as 1."""
    values = list(dict.fromkeys(dict(cell.factors)[name] for cell in cells))
    if not {*values} & {*feature.yes}:
        raise MerulaError.of(
            "M684",
            f"features.{feature.name}: {name} of {what} is never {listing(feature.yes, 'or')}",
            remedy=f"it is {listing(values, 'or')}: name one of them in `yes`",
            place=place,
        )


# --- sentences -----------------------------------------------------------------------------


@frozen(eq=False)
class Paradigms:
    """The paradigms of a design: the address, name, split and order (None: without) of each."""

    part: str
    cells: CellFeatures
    addresses: NDArray[Any]
    names: tuple[str, ...]
    splits: tuple[str, ...]
    orders: tuple[str | None, ...]


def sentence_batches(
    recipe: ParadigmRecipe, compiled: Compiled, design: CompiledDesign, paradigms: Paradigms
) -> Iterator[tuple[Any, Ints]]:
    """Yield the rows of some paradigms, `BATCH` of them at once, and the plan of each paradigm."""
    count = len(paradigms.names)
    choice = RowChoice(min(count, design.count), recipe.head.seed, spans=True)
    maker = RowMaker(compiled, design, choice)
    for start in range(0, count, BATCH):
        stop = min(start + BATCH, count)
        rows = maker.located(paradigms.addresses[start:stop], start)
        # the columns of the recipe come first: they say of which design the others are
        columns = _recipe_columns(recipe, design, paradigms, rows, slice(start, stop))
        names = {field.name for field, _ in columns}
        if SCOPE in paradigms.cells.names:
            names.add(SCOPE)
        columns += [
            (column.field, column.make(rows))
            for column in maker.columns
            if column.field.name not in names
        ]
        arrays = [array for _, array in columns]
        schema = pa.schema([field for field, _ in columns])
        yield pa.RecordBatch.from_arrays(arrays, schema=schema), rows.plan_of


def _recipe_columns(
    recipe: ParadigmRecipe,
    design: CompiledDesign,
    paradigms: Paradigms,
    rows: Located,
    numbers: slice,
) -> list[tuple[Any, Any]]:
    """Return the fields and arrays that the recipe adds to the rows of some paradigms."""
    cells = paradigms.cells
    width = cells.values.shape[1]

    def words(name: str, texts: Sequence[str | None]) -> tuple[Any, Any]:
        column = Words(texts)
        return pa.field(name, WORD), repeated(column.array(column.ids), width)

    orders = paradigms.orders[numbers]
    values = cells.values[rows.plan_of].reshape(len(rows) * width, len(cells.names))
    columns = [
        words(recipe.part_column, [paradigms.part] * len(rows)),
        words(recipe.design_column, [design.name] * len(rows)),
        words("paradigm", paradigms.names[numbers]),
        words("split", paradigms.splits[numbers]),
        words("order", orders),
        *(_int8(name, values[:, i]) for i, name in enumerate(cells.names)),
    ]
    for flag in recipe.flags:
        holds = np.ones(len(values), dtype=np.bool_)
        for name, value in flag.features:
            holds &= values[:, cells.names.index(name)] == value
        if flag.orders:
            holds &= np.repeat([order in flag.orders for order in orders], width)
        if flag.parts:
            holds &= paradigms.part in flag.parts
        columns.append(_int8(flag.name, holds))
    return columns


def _int8(name: str, values: NDArray[Any]) -> tuple[Any, Any]:
    return pa.field(name, pa.int8()), pa.array(values.astype(np.int8))


# --- differences of two sentences ----------------------------------------------------------

TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")  # a word, with its clitics, or a mark
Token = tuple[str, int, int]  # its text, its first character, the one after its last


@frozen
class Stretch:
    """Neighbouring words of a sentence: the first character, the one after the last."""

    start: int
    end: int
    words: int

    def of(self, sentence: str) -> str:
        """Return the words as they are in the sentence."""
        return sentence[self.start : self.end]


@frozen
class SentenceDifference:
    """The words that differ in two sentences, and those that both have after it.

    The words after it, ``one_rest`` and ``other_rest``, end before the full stop.
    """

    one: Stretch
    other: Stretch
    one_rest: Stretch
    other_rest: Stretch

    @property
    def one_word(self) -> bool:
        """Whether one word is in the place of one word."""
        return self.one.words == self.other.words == 1

    def rest_of(self, one: str) -> str:
        """Return the words after the difference, as they are in the first sentence."""
        return self.one_rest.of(one)


def difference(one: str, other: str) -> SentenceDifference:
    """Return where two sentences differ, in whole words.

    The words in common at both ends are left out; a word is in common at one end only. In ``a a b``
    and ``a b`` the first and the last word are in common, and the difference is the second ``a``.
    """
    one_tokens, other_tokens = tokens(one), tokens(other)
    before = _in_common(one_tokens, other_tokens)
    shorter = min(len(one_tokens), len(other_tokens)) - before
    after = min(_in_common(one_tokens[::-1], other_tokens[::-1]), shorter)
    one_end, other_end = len(one_tokens) - after, len(other_tokens) - after
    return SentenceDifference(
        _stretch(one, one_tokens, before, one_end),
        _stretch(other, other_tokens, before, other_end),
        _rest(one, one_tokens, one_end),
        _rest(other, other_tokens, other_end),
    )


@lru_cache(maxsize=64)  # the sentences of some paradigms, which pairs compare several times
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words and marks of a sentence."""
    return tuple((match[0], *match.span()) for match in TOKEN.finditer(text))


def _in_common(one: Sequence[Token], other: Sequence[Token]) -> int:
    both = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], both))


def _stretch(text: str, words: Sequence[Token], start: int, end: int) -> Stretch:
    if start < end:
        return Stretch(words[start][1], words[end - 1][2], end - start)
    place = words[start][1] if start < len(words) else len(text)
    return Stretch(place, place, 0)


def _rest(text: str, words: Sequence[Token], start: int) -> Stretch:
    end = len(words)
    while end > start and not words[end - 1][0][0].isalnum():
        end -= 1
    if start == end:
        return Stretch(len(text), len(text), 0)
    return _stretch(text, words, start, end)


# --- pairs ---------------------------------------------------------------------------------


def pair_batch(recipe: ParadigmRecipe, paradigms: Paradigms, batch: Any, plan_of: Ints) -> Any:
    """Return the minimal pairs of the paradigms in a batch of sentences.

    ``plan_of`` are the plans of the paradigms. In the columns, ``good_start`` to ``good_end`` is
    what differs in the good sentence, ``spillover`` are the words that both have after it.
    """
    width = paradigms.cells.values.shape[1]
    bad_rows, good_rows, pairs = [], [], []
    for i, plan in enumerate(plan_of.tolist()):
        for pair in paradigms.cells.pairs[plan]:
            bad_rows.append(i * width + pair.bad)
            good_rows.append(i * width + pair.good)
            pairs.append(pair)
    sentences = batch.column("sentence").to_pylist()
    bads, goods = [sentences[i] for i in bad_rows], [sentences[i] for i in good_rows]
    differences = [difference(good, bad) for good, bad in zip(goods, bads, strict=True)]
    kept = (*_paradigm_columns(recipe), *(flag.name for flag in recipe.flags))
    of_bad = batch.take(pa.array(bad_rows, pa.int64()))
    columns: dict[str, Any] = {name: of_bad.column(name) for name in kept}
    columns["contrast"] = _words([pair.contrast for pair in pairs])
    columns["condition"] = _words([pair.condition for pair in pairs])
    columns["sentence_good"] = pa.array(goods, pa.string())
    columns["sentence_bad"] = pa.array(bads, pa.string())
    for name, stretches in (
        ("good", [d.one for d in differences]),
        ("bad", [d.other for d in differences]),
        ("good_spillover", [d.one_rest for d in differences]),
        ("bad_spillover", [d.other_rest for d in differences]),
    ):
        columns[f"{name}_start"] = pa.array([s.start for s in stretches], pa.int32())
        columns[f"{name}_end"] = pa.array([s.end for s in stretches], pa.int32())
    rests = [d.rest_of(good) for d, good in zip(differences, goods, strict=True)]
    columns["spillover"] = pa.array(rests, pa.string())
    columns["one_word"] = pa.array([d.one_word for d in differences], pa.bool_())
    return pa.RecordBatch.from_pydict(columns)


def _paradigm_columns(recipe: ParadigmRecipe) -> tuple[str, ...]:
    """Return the names of the columns that all tables have."""
    return (recipe.part_column, recipe.design_column, "paradigm", "split", "order")


def _words(texts: Sequence[str]) -> Any:
    column = Words(texts)
    return words_array(column.ids, column.values)


def minimal_pairs(batch: Any) -> Any:
    """Return a batch of pairs with the columns of minimal pairs."""
    return batch.select([name for name in batch.schema.names if name != "one_word"])


def cloze(batch: Any) -> Any:
    """Return the pairs that differ in one word: masked, with the two words and where they begin."""
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
    for name in ("good_end", "bad_end", "sentence_good", "sentence_bad"):
        columns[name] = batch.column(name)
    return pa.RecordBatch.from_pydict(columns)


# --- probing -------------------------------------------------------------------------------


def probing(batch: Any, recipe: ParadigmRecipe) -> Any:
    """Return a row for each sentence and each feature that varies in a batch of one design."""
    varying = [
        (feature.name, batch.column(feature.name))
        for feature in recipe.features
        if len(batch.column(feature.name).unique()) > 1
    ]
    rows = batch.num_rows
    places = pa.array(np.tile(np.arange(rows), len(varying)))
    kept = _paradigm_columns(recipe)
    columns: dict[str, Any] = {name: batch.column(name).take(places) for name in kept}
    columns["feature"] = _words([name for name, _ in varying for _ in range(rows)])
    columns["sentence"] = batch.column("sentence").take(places)
    labels = [values for _, values in varying]
    columns["label"] = pa.concat_arrays(labels) if labels else pa.array([], pa.int8())
    return pa.RecordBatch.from_pydict(columns)
