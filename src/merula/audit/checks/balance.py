"""Checks of balance: cells, labels, lengths, and words that predict a label.

In goes a `View`, out come `Found`; ``registry`` lists the functions. The check of words is a test
of Mantel and Haenszel for each word, with Holm's correction for all of them together.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from merula.audit.checks.spelling import shown
from merula.audit.corpus import LICENSOR, NPI, Cell
from merula.audit.findings import Finding, Found, Settings
from merula.audit.view import View

LEVEL = 0.05  # probability of an error for all words together, after Holm's correction


def cells(view: View, settings: Settings) -> Found | None:
    """Find paradigms that do not have the cells that most paradigms of their part have."""
    del settings
    by_part: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for group, members in view.groups.items():
        names = sorted(str(view.sentences[i].cell) for i in members)
        by_part[view.sentences[members[0]].part][group] = tuple(names)
    if not any(any(group_cells) for part in by_part.values() for group_cells in part.values()):
        return None
    findings = []
    for part in by_part.values():
        usual = Counter(part.values()).most_common(1)[0][0]
        for group, group_cells in part.items():
            if group_cells != usual:
                place = view.sentences[view.groups[group][0]].place
                difference = _difference(Counter(usual), Counter(group_cells))
                findings.append(Finding(place, f"{group}: {difference}"))
    return Found(len(view.groups), tuple(findings))


def _difference(usual: Counter[str], cells: Counter[str]) -> str:
    """Return the cells that are missing, and those that are too many."""
    missing = [f"no {cell}" for cell in (usual - cells)]
    return "; ".join(missing + [f"one more {cell}" for cell in (cells - usual)])


def labels(view: View, settings: Settings) -> Found | None:
    """Find sentences labelled unlike most of their cell, and parts with one label only."""
    del settings
    counts: dict[tuple[str, Cell], Counter[bool]] = defaultdict(Counter)
    parts: dict[str, Counter[bool]] = defaultdict(Counter)
    for s in view.sentences:
        if s.acceptable is not None:
            parts[s.part][s.acceptable] += 1
            if s.cell.factors:
                counts[s.part, s.cell][s.acceptable] += 1
    if not parts:
        return None
    usual = {key: count.most_common(1)[0][0] for key, count in counts.items()}
    findings = []
    for s in view.sentences:
        if s.acceptable is not None and s.acceptable != usual.get((s.part, s.cell), s.acceptable):
            label = "good" if s.acceptable else "bad"
            findings.append(Finding(s.place, f"{label}, unlike most of {s.cell}: {shown(s.text)}"))
    for part, count in parts.items():
        if len(count) == 1:
            only = "good" if True in count else "bad"
            findings.append(Finding(None, f"{part or 'the data'}: all sentences are {only}"))
    total = sum((count for count in parts.values()), Counter[bool]())
    share = total[True] / total.total()
    return Found(total.total(), tuple(findings), f"{share:.1%} are good")


def length(view: View, settings: Settings) -> Found | None:
    """Compare the lengths of good and bad sentences in words, with Cohen's d."""
    del settings
    by_label: dict[bool, list[int]] = {True: [], False: []}
    for s, words in zip(view.sentences, view.words, strict=True):
        if s.acceptable is not None:
            by_label[s.acceptable].append(len(words))
    if not all(by_label.values()):
        return None
    good, bad = np.array(by_label[True]), np.array(by_label[False])
    spread = math.sqrt((good.var() + bad.var()) / 2)
    effect = f", d = {(good.mean() - bad.mean()) / spread:+.2f}" if spread else ""
    return Found(
        len(good) + len(bad),
        (),
        f"good ones have {good.mean():.2f} words, bad ones {bad.mean():.2f}{effect}",
    )


# --- words over labels ---------------------------------------------------------------------


Floats = NDArray[Any]


class Departure(NamedTuple):
    """A word of a part, and how its sentences depart from their paradigms."""

    part: str
    word: str
    sentences: int  # that have the word
    effect: float  # by what share they are more often good, from -1 to 1
    p: float  # of the test of Mantel and Haenszel, without correction


def words_by_label(view: View, settings: Settings) -> Found | None:
    """Find words that predict the label, though they should not by the design.

    Within each paradigm a word is expected in good and bad sentences alike (Mantel & Haenszel:
    paradigms are the strata; without paradigms a part of the data is one). The words of licensors
    and NPIs are meant to differ, and left out. By Holm's correction the smallest p is multiplied by
    the count of tests, the next one by one less, and so on, up to the first that exceeds `LEVEL`.
    """
    tested: list[Departure] = []
    of = 0
    for part, numbers in view.parts.items():
        looked_at, of_part = _departures(view, part, numbers)
        of += looked_at
        tested += of_part
    if not of:
        return None
    tested.sort(key=lambda departure: departure.p)
    departing = []
    for rank, departure in enumerate(tested):
        if departure.p * (len(tested) - rank) > LEVEL:
            break
        if abs(departure.effect) > settings.tolerance:
            departing.append(departure)
    departing.sort(key=lambda departure: -abs(departure.effect) * math.sqrt(departure.sentences))
    return Found(of, tuple(Finding(None, _text(departure)) for departure in departing))


def _text(item: Departure) -> str:
    where = f" in {item.part}" if item.part else ""
    more = "more" if item.effect > 0 else "less"
    return (
        f"`{item.word}`{where}: {abs(item.effect):.0%} points {more} often good than its paradigms"
        f" ({item.sentences:,} sentences, p {_p(item.p)})"
    )


def _p(p: float) -> str:
    return "< 1e-12" if p < 1e-12 else f"= {p:.1e}"


def _departures(view: View, part: str, numbers: Sequence[int]) -> tuple[int, list[Departure]]:
    """Return how many words of a part should not differ, and the tests of those that vary."""
    rows = [i for i in numbers if view.sentences[i].acceptable is not None]
    if not rows:
        return 0, []
    licensors_and_npis = {
        word
        for number in rows
        for role in (LICENSOR, NPI)
        if number in view.sites[role] and view.sites[role][number].sure
        for word in view.sites[role][number].words.split()
    }
    ids: dict[str, int] = {}
    strata: dict[str, int] = {}
    word_of, row_of = [], []
    for row, number in enumerate(rows):
        for word in set(view.words[number]):
            word_of.append(ids.setdefault(word, len(ids)))
            row_of.append(row)
    alone = len(view.groups) in (0, len(view.sentences))
    stratum = np.array(
        [strata.setdefault("" if alone else view.sentences[n].group, len(strata)) for n in rows]
    )
    good = np.array([view.sentences[number].acceptable for number in rows], dtype=np.float64)
    names = list(ids)
    observed, variance, counts = _mantel_haenszel(
        np.array(word_of, dtype=np.int64), np.array(row_of, dtype=np.int64), stratum, good
    )
    departures = []
    for i in np.flatnonzero(variance > 0).tolist():
        word = names[i]
        if word not in licensors_and_npis:
            excess = max(abs(float(observed[i])) - 0.5, 0.0)  # with a correction for continuity
            p = math.erfc(excess / math.sqrt(2 * float(variance[i])))
            effect = float(observed[i] / counts[i])
            departures.append(Departure(part, word, int(counts[i]), effect, p))
    return len(ids.keys() - licensors_and_npis), departures


def _mantel_haenszel(
    word_of: NDArray[np.int64],
    row_of: NDArray[np.int64],
    stratum: NDArray[np.int64],
    good: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Return for each word its good sentences beyond those expected, the variance, its sentences.

    ``word_of`` and ``row_of`` say which word is in which row, ``stratum`` and ``good`` are of rows.
    In a paradigm of *t* sentences, *g* of them good, *n* with the word, one expects n · g / t good
    ones with the word, and the variance is that of drawing *n* of *t* (hypergeometric). A word that
    is in both good sentences of a paradigm of four: 2 · 2 / 4 = 1 is expected, so 1 is beyond.
    """
    size = np.bincount(stratum).astype(np.float64)
    goods = np.bincount(stratum, weights=good)
    key = word_of * len(size) + stratum[row_of]
    pairs, inverse = np.unique(key, return_inverse=True)
    n = np.bincount(inverse).astype(np.float64)
    a = np.bincount(inverse, weights=good[row_of])
    word, layer = pairs // len(size), pairs % len(size)
    total, g = size[layer], goods[layer]
    expected = n * g / total
    with np.errstate(divide="ignore", invalid="ignore"):
        var = n * (total - n) * g * (total - g) / (total**2 * (total - 1))
    var = np.where(total > 1, var, 0.0)
    beyond: Floats = np.bincount(word, weights=a - expected)
    spread: Floats = np.bincount(word, weights=var)
    return beyond, spread, np.bincount(word, weights=n)
