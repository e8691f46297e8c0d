"""What all rows of a configuration are like: numbers of cells, labels, rules, lengths, lexemes.

Rows are counted as Arrow columns, a batch at a time, so that a million take a moment and little
memory.
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
TOP = 10  # variants that are listed
TOP_LEXEMES = 6  # lexemes of a slot that are listed
GOOD, BAD = True, False


@frozen
class Bar:
    """A line of a chart: how many of what there are, and what is said of it.

    ``star`` says that it is unacceptable, ``place`` which number it has in the data.
    """

    label: str
    number: int
    star: bool = False
    note: str = ""
    place: int | None = None


@frozen
class Chart:
    """Numbers of things of a kind; ``of`` is how many things there are in all.

    A bar of full length is all of them. ``more`` is how many kinds are left out.
    """

    title: str
    head: str
    bars: tuple[Bar, ...]
    of: int
    more: int = 0
    note: str = ""


@frozen
class Lengths:
    """How many sentences have how many words: those that are good, those that are not.

    ``rows`` are how many words, how many good ones have so many, how many bad ones; ``of`` is how
    many good ones and bad ones there are in all.
    """

    heads: tuple[str, str]
    rows: tuple[tuple[int, int, int], ...]
    means: tuple[float, float]
    of: tuple[int, int]

    @property
    def averages(self) -> str:
        """The means in words, of the kinds that there are."""
        own = zip(self.heads, self.means, self.of, strict=True)
        return ", ".join(f"{mean:.2f} on average where {head}" for head, mean, n in own if n)


@frozen
class SlotLexemes:
    """The lexemes in a place of the sentences: how many there are, the most frequent ones."""

    name: str
    different: int
    of: int
    top: tuple[tuple[str, int], ...]


@frozen
class Summary:
    """All that is told of the rows of a configuration."""

    rows: int
    charts: tuple[Chart, ...]
    lengths: Lengths | None
    slots: tuple[SlotLexemes, ...]


class RowTally:
    """Counts the rows of a configuration, a batch after the other."""

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
        there = set(batch.schema.names)
        for name in ("frame", "variant", "correct"):
            if name in there:
                self._count(name, batch.column(name))
        if self.config.kind == MATRIX:
            self._matrices(batch, there)
        else:
            self._sentences(batch, there)
        for name in ("lexemes", "context_lexemes", "answer_lexemes"):
            if name in there:
                self._lexemes(batch.column(name))

    def _sentences(self, batch: Any, there: set[str]) -> None:
        if {"cell", "acceptable"} <= there:
            good = batch.column("acceptable")
            words = good.cast(pa.string())
            self._cross("cell", batch.column("cell"), words)
            self._count("acceptable", words)
            if "sentence" in there:
                self._measure(batch.column("sentence"), np.asarray(good))
        if "broken" in there:
            self._count("broken", batch.column("broken").flatten())

    def _matrices(self, batch: Any, there: set[str]) -> None:
        if {"labels", "classes"} <= there:
            self._cross(
                "labels", batch.column("labels").flatten(), batch.column("classes").flatten()
            )
        if "broken" in there:
            self._count("broken", batch.column("broken").flatten().flatten())
        if {"answers", "correct"} <= there:
            answers = batch.column("answers")
            starts = np.asarray(answers.offsets)[:-1] - answers.offsets[0].as_py()
            texts = answers.flatten()
            right = np.zeros(len(texts), dtype=np.bool_)
            right[starts + np.asarray(batch.column("correct"))] = True
            self._measure(texts, right)

    def _count(self, name: str, column: Any) -> None:
        self.plain.setdefault(name, Counter()).update(_counted(column))

    def _cross(self, name: str, one: Any, other: Any) -> None:
        """Count pairs of words: few kinds, of which each number of a dictionary is one."""
        (a, names), (b, others) = _coded(one), _coded(other)
        numbers = np.bincount(a * len(others) + b, minlength=len(names) * len(others))
        found = self.pairs.setdefault(name, Counter())
        for place in np.flatnonzero(numbers):
            pair = names[place // len(others)] or "", others[place % len(others)] or ""
            found[pair] += int(numbers[place])

    def _measure(self, texts: Any, good: Any) -> None:
        """Count how many words sentences have."""
        lengths = np.asarray(pc.count_substring_regex(texts, r"\S+"))
        for value in (GOOD, BAD):
            numbers = np.bincount(lengths[good == value])
            self.lengths.update({(int(n), value): int(numbers[n]) for n in np.flatnonzero(numbers)})

    def _lexemes(self, column: Any) -> None:
        values = column.flatten() if pa.types.is_list(column.type) else column
        for field, child in zip(values.type, values.flatten(), strict=True):
            self.lexemes.setdefault(field.name, Counter()).update(_counted(child))

    # --- what was counted ----------------------------------------------------------------------

    def summary(self) -> Summary:
        """All that was counted."""
        slots = (_slot(name, own) for name, own in self.lexemes.items() if own)
        return Summary(self.rows, tuple(self._charts()), self._lengths(), tuple(slots))

    def _charts(self) -> Iterator[Chart]:
        if "cell" in self.pairs:
            note = "a star marks sentences that are unacceptable"
            yield _chart("Cells", "cell", self._cells(), note=note)
        if "acceptable" in self.plain:
            names = {"true": "acceptable", "false": "unacceptable"}
            own = self.plain["acceptable"]
            bars = [Bar(names[name], own[name], star=name == "false") for name in names]
            yield _chart("Acceptability", "judgement", bars)
        if "labels" in self.pairs:
            yield _chart("Answers", "label", self._labels())
        if self.plain.get("correct"):
            own = self.plain["correct"]
            places = sorted(own, key=int)
            bars = [Bar(place, own[place]) for place in places]
            note = "counted from 0, as the column correct does"
            yield _chart("Where the right answer stands", "position", bars, note=note)
        if self.plain.get("broken"):
            unit = "answers" if self.config.kind == MATRIX else "sentences"
            rules = self.config.rules
            bars = [Bar(r, n, note=rules.get(r, "")) for r, n in self.plain["broken"].most_common()]
            sentences = self._sentence_number()
            note = f"of {sentences:,} {unit}; one may break several"
            yield _chart("Rules that are broken", "rule", bars, of=sentences, note=note)
        yield from self._settings()

    def _settings(self) -> Iterator[Chart]:
        """The frames and the variants."""
        for name, title, most in (("frame", "Frames", None), ("variant", "Variants", TOP)):
            own = self.plain.get(name, Counter())
            bars = [Bar(label or "(the only one)", n) for label, n in own.most_common(most)]
            if bars:
                yield _chart(title, name, bars, of=own.total(), more=len(own) - len(bars))

    def _sentence_number(self) -> int:
        return sum(self.pairs.get("labels", Counter()).values()) or self.rows

    def _cells(self) -> list[Bar]:
        """The cells, in the order of their numbers; one may be acceptable in some frames only."""
        known = {name: i for i, name in enumerate(self.config.cells)}
        bars = [
            Bar(cell, n, star=good == "false", place=known.get(cell))
            for (cell, good), n in self.pairs["cell"].items()
        ]
        return sorted(bars, key=lambda bar: len(known) if bar.place is None else bar.place)

    def _labels(self) -> list[Bar]:
        """The labels of answers: the right one first, then as the design has them."""
        known = {name: i for i, name in enumerate(self.config.labels)}

        def place(pair: tuple[str, str]) -> tuple[bool, int, str]:
            return pair[0] != CORRECT, known.get(pair[0], len(known)), pair[0]

        own = self.pairs["labels"]
        return [
            Bar(label, own[label, letter], note=_class(letter))
            for label, letter in sorted(own, key=place)
        ]

    def _lengths(self) -> Lengths | None:
        if not self.lengths:
            return None
        every = sorted({length for length, _ in self.lengths})
        rows = tuple((n, self.lengths[n, GOOD], self.lengths[n, BAD]) for n in every)
        heads = ("right", "wrong") if self.config.kind == MATRIX else ("acceptable", "unacceptable")
        good, bad = ([(row[0], row[at]) for row in rows] for at in (1, 2))
        of = sum(n for _, n in good), sum(n for _, n in bad)
        return Lengths(heads, rows, (_mean(good), _mean(bad)), of)


CLASSES = {"E": "external", "I": "internal", "R": "relational", "": "", "none": ""}


def _class(letter: str) -> str:
    """What a letter stands for."""
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


def _slot(name: str, own: Counter[str]) -> SlotLexemes:
    return SlotLexemes(name, len(own), own.total(), tuple(own.most_common(TOP_LEXEMES)))


def _mean(pairs: Sequence[tuple[int, int]]) -> float:
    of = sum(n for _, n in pairs)
    return sum(value * n for value, n in pairs) / of if of else 0.0


def _counted(column: Any) -> dict[str, int]:
    """How often each value stands in a column, without the missing ones."""
    pairs = zip(*(side.to_pylist() for side in pc.value_counts(column).flatten()), strict=True)
    return {str(value): number for value, number in pairs if value is not None}


def _coded(column: Any) -> tuple[Any, list[str]]:
    """A column as numbers and the words that they stand for; missing ones are an empty word."""
    column = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    coded = pc.fill_null(column, "").dictionary_encode()
    return np.asarray(coded.indices).astype(np.int64), coded.dictionary.to_pylist()
