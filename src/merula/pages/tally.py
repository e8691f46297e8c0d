"""Counts over all rows of a configuration: cells, labels, broken rules, lengths, lexemes.

In go batches of Arrow columns, out comes a `Summary` of charts for the page; ``sample`` feeds a
`RowTally` while it reads the files. Columns that the data lack are left out. Rows are counted as
columns, a batch at a time, so that a million take a moment and little memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from merula.core.frozen import frozen
from merula.data.opened import MATRIX, Config
from merula.grammar.model import CORRECT

# The columns that are counted.
COLUMNS = (
    "frame variant cell sentence acceptable broken lexemes context answers correct labels classes"
    " context_lexemes answer_lexemes"
).split()
MAX_VARIANTS = 10  # that are listed, the most frequent ones
MAX_LEXEMES = 6  # of a slot that are listed: what fits into a line of the page
GOOD, BAD = True, False


@frozen
class Bar:
    """A line of a chart: a label, how many there are of it, and a note.

    ``star`` marks what is unacceptable; ``place`` is the number of a cell in the data, or None.
    """

    label: str
    number: int
    star: bool = False
    note: str = ""
    place: int | None = None


@frozen
class Chart:
    """Bars with a title; ``of`` is the count that a bar of full length has.

    ``head`` names the labels, ``more`` counts the bars that are left out.
    """

    title: str
    head: str
    bars: tuple[Bar, ...]
    of: int
    more: int = 0
    note: str = ""


@frozen
class Lengths:
    """A distribution of sentence lengths in words, of good and of bad sentences.

    Each of ``rows`` is a length with the counts of good and bad sentences of it; ``of`` are the
    counts of all good and all bad sentences.
    """

    heads: tuple[str, str]
    rows: tuple[tuple[int, int, int], ...]
    means: tuple[float, float]
    of: tuple[int, int]

    @property
    def averages(self) -> str:
        """Return the mean length of good and of bad sentences, if there are any, as a text."""
        kinds = zip(self.heads, self.means, self.of, strict=True)
        return ", ".join(f"{mean:.2f} on average where {head}" for head, mean, n in kinds if n)


@frozen
class SlotLexemes:
    """The lexemes of a slot: how many different ones, in how many rows, the most frequent ones."""

    name: str
    different: int
    of: int
    top: tuple[tuple[str, int], ...]


@frozen
class Summary:
    """The charts, lengths and lexemes of the rows of a configuration."""

    rows: int
    charts: tuple[Chart, ...]
    lengths: Lengths | None
    slots: tuple[SlotLexemes, ...]


class RowTally:
    """A count of the rows of a configuration, a batch after another."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.rows = 0
        self.plain: dict[str, Counter[str]] = {}
        self.pairs: dict[str, Counter[tuple[str, str]]] = {}
        self.lengths: Counter[tuple[int, bool]] = Counter()
        self.lexemes: dict[str, Counter[str]] = {}

    def add(self, batch: Any) -> None:
        """Count the rows of a batch."""
        self.rows += batch.num_rows
        columns = set(batch.schema.names)
        for name in ("frame", "variant", "correct"):
            if name in columns:
                self._count(name, batch.column(name))
        if self.config.kind == MATRIX:
            self._matrices(batch, columns)
        else:
            self._sentences(batch, columns)
        for name in ("lexemes", "context_lexemes", "answer_lexemes"):
            if name in columns:
                self._lexemes(batch.column(name))

    def _sentences(self, batch: Any, columns: set[str]) -> None:
        if {"cell", "acceptable"} <= columns:
            good = batch.column("acceptable")
            words = good.cast(pa.string())
            self._cross("cell", batch.column("cell"), words)
            self._count("acceptable", words)
            if "sentence" in columns:
                self._measure(batch.column("sentence"), np.asarray(good))
        if "broken" in columns:
            self._count("broken", batch.column("broken").flatten())

    def _matrices(self, batch: Any, columns: set[str]) -> None:
        if {"labels", "classes"} <= columns:
            self._cross(
                "labels", batch.column("labels").flatten(), batch.column("classes").flatten()
            )
        if "broken" in columns:
            self._count("broken", batch.column("broken").flatten().flatten())
        if {"answers", "correct"} <= columns:
            answers = batch.column("answers")
            starts = np.asarray(answers.offsets)[:-1] - answers.offsets[0].as_py()
            texts = answers.flatten()
            right = np.zeros(len(texts), dtype=np.bool_)
            right[starts + np.asarray(batch.column("correct"))] = True
            self._measure(texts, right)

    def _count(self, name: str, column: Any) -> None:
        self.plain.setdefault(name, Counter()).update(_counted(column))

    def _cross(self, name: str, one: Any, other: Any) -> None:
        """Count the pairs of words of two columns.

        There are few kinds of words, so a pair is one number: its codes *a* and *b* give
        *a* · *n* + *b*, where *n* is the count of kinds in the second column.
        """
        (a, firsts), (b, seconds) = _coded(one), _coded(other)
        counts = np.bincount(a * len(seconds) + b, minlength=len(firsts) * len(seconds))
        pairs = self.pairs.setdefault(name, Counter())
        for code in np.flatnonzero(counts):
            pair = firsts[code // len(seconds)] or "", seconds[code % len(seconds)] or ""
            pairs[pair] += int(counts[code])

    def _measure(self, texts: Any, good: Any) -> None:
        """Count the lengths of sentences in words."""
        lengths = np.asarray(pc.count_substring_regex(texts, r"\S+"))
        for value in (GOOD, BAD):
            counts = np.bincount(lengths[good == value])
            self.lengths.update({(int(n), value): int(counts[n]) for n in np.flatnonzero(counts)})

    def _lexemes(self, column: Any) -> None:
        values = column.flatten() if pa.types.is_list(column.type) else column
        for field, child in zip(values.type, values.flatten(), strict=True):
            self.lexemes.setdefault(field.name, Counter()).update(_counted(child))

    # --- the summary -----------------------------------------------------------------------------

    def summary(self) -> Summary:
        """Return all counts so far, as charts."""
        slots = (_slot(name, counts) for name, counts in self.lexemes.items() if counts)
        return Summary(self.rows, tuple(self._charts()), self._lengths(), tuple(slots))

    def _charts(self) -> Iterator[Chart]:
        if "cell" in self.pairs:
            note = "a star marks sentences that are unacceptable"
            yield _chart("Cells", "cell", self._cells(), note=note)
        if "acceptable" in self.plain:
            names = {"true": "acceptable", "false": "unacceptable"}
            counts = self.plain["acceptable"]
            bars = [Bar(names[name], counts[name], star=name == "false") for name in names]
            yield _chart("Acceptability", "judgement", bars)
        if "labels" in self.pairs:
            yield _chart("Answers", "label", self._labels())
        if self.plain.get("correct"):
            counts = self.plain["correct"]
            places = sorted(counts, key=int)
            bars = [Bar(place, counts[place]) for place in places]
            note = "counted from 0, as the column correct does"
            yield _chart("Where the right answer is", "position", bars, note=note)
        if self.plain.get("broken"):
            unit = "answers" if self.config.kind == MATRIX else "sentences"
            rules = self.config.rules
            bars = [Bar(r, n, note=rules.get(r, "")) for r, n in self.plain["broken"].most_common()]
            size = self._sentence_count()
            note = f"of {size:,} {unit}; one may break several"
            yield _chart("Rules that are broken", "rule", bars, of=size, note=note)
        yield from self._settings()

    def _settings(self) -> Iterator[Chart]:
        """Yield charts of the frames and the variants."""
        for name, title, most in (("frame", "Frames", None), ("variant", "Variants", MAX_VARIANTS)):
            counts = self.plain.get(name, Counter())
            bars = [Bar(label or "(the only one)", n) for label, n in counts.most_common(most)]
            if bars:
                yield _chart(title, name, bars, of=counts.total(), more=len(counts) - len(bars))

    def _sentence_count(self) -> int:
        return sum(self.pairs.get("labels", Counter()).values()) or self.rows

    def _cells(self) -> list[Bar]:
        """Return the cells as the design has them; one may be acceptable in some frames only."""
        order = {name: i for i, name in enumerate(self.config.cells)}
        bars = [
            Bar(cell, n, star=good == "false", place=order.get(cell))
            for (cell, good), n in self.pairs["cell"].items()
        ]
        return sorted(bars, key=lambda bar: len(order) if bar.place is None else bar.place)

    def _labels(self) -> list[Bar]:
        """Return the labels of answers: the right one, then the wrong ones as in the design."""
        order = {name: i for i, name in enumerate(self.config.labels)}

        def place(pair: tuple[str, str]) -> tuple[bool, int, str]:
            return pair[0] != CORRECT, order.get(pair[0], len(order)), pair[0]

        counts = self.pairs["labels"]
        return [
            Bar(label, counts[label, letter], note=_class(letter))
            for label, letter in sorted(counts, key=place)
        ]

    def _lengths(self) -> Lengths | None:
        if not self.lengths:
            return None
        lengths = sorted({length for length, _ in self.lengths})
        rows = tuple((n, self.lengths[n, GOOD], self.lengths[n, BAD]) for n in lengths)
        heads = ("right", "wrong") if self.config.kind == MATRIX else ("acceptable", "unacceptable")
        good, bad = ([(row[0], row[at]) for row in rows] for at in (1, 2))
        of = sum(n for _, n in good), sum(n for _, n in bad)
        return Lengths(heads, rows, (_mean(good), _mean(bad)), of)


CLASSES = {"E": "external", "I": "internal", "R": "relational", "": "", "none": ""}


def _class(letter: str) -> str:
    """Return a letter with the name of its class."""
    name = CLASSES.get(letter, "")
    return f"{letter} · {name}" if name else ""


def _chart(
    title: str,
    head: str,
    bars: Sequence[Bar],
    *,
    of: int = 0,
    more: int = 0,
    note: str = "",
) -> Chart:
    return Chart(title, head, tuple(bars), of or sum(bar.number for bar in bars), more, note)


def _slot(name: str, counts: Counter[str]) -> SlotLexemes:
    return SlotLexemes(name, len(counts), counts.total(), tuple(counts.most_common(MAX_LEXEMES)))


def _mean(pairs: Sequence[tuple[int, int]]) -> float:
    of = sum(n for _, n in pairs)
    return sum(value * n for value, n in pairs) / of if of else 0.0


def _counted(column: Any) -> dict[str, int]:
    """Return the count of each value in a column, without missing ones."""
    pairs = zip(*(side.to_pylist() for side in pc.value_counts(column).flatten()), strict=True)
    return {str(value): count for value, count in pairs if value is not None}


def _coded(column: Any) -> tuple[Any, list[str]]:
    """Return a column as codes and the word of each code; a missing value is an empty word."""
    column = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    coded = pc.fill_null(column, "").dictionary_encode()
    return np.asarray(coded.indices).astype(np.int64), coded.dictionary.to_pylist()
