"""Checks of numbers: cells, labels, lengths, and words over labels."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from merula.audit.checks.spelling import shown
from merula.audit.corpus import LICENSOR, NPI, Cell
from merula.audit.findings import FindingPlace, Found, Settings
from merula.audit.view import View

LEVEL = 0.05  # of error for all words together, after Holm's correction


def cells(view: View, settings: Settings) -> Found | None:
    """Paradigms that have not the cells that most paradigms of their part have."""
    del settings
    by_part: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for group, members in view.groups.items():
        cells_there = sorted(str(view.sentences[number].cell) for number in members)
        by_part[view.sentences[members[0]].part][group] = tuple(cells_there)
    if not any(cell for part in by_part.values() for there in part.values() for cell in there):
        return None
    found = []
    for part in by_part.values():
        usual = Counter(part.values()).most_common(1)[0][0]
        for group, there in part.items():
            if there != usual:
                place = view.sentences[view.groups[group][0]].place
                said = _difference(Counter(usual), Counter(there))
                found.append(FindingPlace(place, f"{group}: {said}"))
    return Found(len(view.groups), tuple(found))


def _difference(usual: Counter[str], there: Counter[str]) -> str:
    """What is missing, and what is too much."""
    missing = [f"no {cell}" for cell in (usual - there)]
    return "; ".join(missing + [f"one more {cell}" for cell in (there - usual)])


def labels(view: View, settings: Settings) -> Found | None:
    """Sentences labelled otherwise than most of their cell; parts with one label only."""
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
    found = []
    for s in view.sentences:
        if s.acceptable is not None and s.acceptable != usual.get((s.part, s.cell), s.acceptable):
            label = "good" if s.acceptable else "bad"
            found.append(
                FindingPlace(s.place, f"{label}, unlike most of {s.cell}: {shown(s.text)}")
            )
    for part, count in parts.items():
        if len(count) == 1:
            only = "good" if True in count else "bad"
            found.append(FindingPlace(None, f"{part or 'the data'}: all sentences are {only}"))
    total = sum((count for count in parts.values()), Counter[bool]())
    share = total[True] / total.total()
    return Found(total.total(), tuple(found), f"{share:.1%} are good")


def length(view: View, settings: Settings) -> Found | None:
    """How long good and bad sentences are, in words."""
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
    """A word: how many sentences have it, how much more often they are good, the chi-square."""

    part: str
    word: str
    sentences: int
    effect: float
    p: float


def words_by_label(view: View, settings: Settings) -> Found | None:
    """Words that tell the label, though the design gives them no part in it.

    Within each paradigm a word is expected in good and bad sentences alike (Mantel & Haenszel:
    paradigms are the strata; without paradigms a part of the data is one). Words that stand
    where the licensor or the NPI does are meant to differ, and left out.
    """
    tested: list[Departure] = []
    of = 0
    for part, numbers in view.parts.items():
        looked_at, departures = _departures(view, part, numbers)
        of += looked_at
        tested += departures
    if not of:
        return None
    tested.sort(key=lambda item: item.p)
    found = []
    for rank, item in enumerate(tested):
        if item.p * (len(tested) - rank) > LEVEL:
            break
        if abs(item.effect) > settings.tolerance:
            found.append(item)
    found.sort(key=lambda item: -abs(item.effect) * math.sqrt(item.sentences))
    return Found(of, tuple(FindingPlace(None, _said(item)) for item in found))


def _said(item: Departure) -> str:
    where = f" in {item.part}" if item.part else ""
    more = "more" if item.effect > 0 else "less"
    return (
        f"`{item.word}`{where}: {abs(item.effect):.0%} points {more} often good than its paradigms"
        f" ({item.sentences:,} sentences, p {_p(item.p)})"
    )


def _p(p: float) -> str:
    return "< 1e-12" if p < 1e-12 else f"= {p:.1e}"


def _departures(view: View, part: str, numbers: Sequence[int]) -> tuple[int, list[Departure]]:
    """How many words a part has that are not meant to differ; those that could depart, tested."""
    rows = [number for number in numbers if view.sentences[number].acceptable is not None]
    if not rows:
        return 0, []
    meant = {
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
    observed, variance, seen = _mantel_haenszel(
        np.array(word_of, dtype=np.int64), np.array(row_of, dtype=np.int64), stratum, good
    )
    found = []
    for number in np.flatnonzero(variance > 0).tolist():
        word = names[number]
        if word not in meant:
            excess = max(abs(float(observed[number])) - 0.5, 0.0)
            p = math.erfc(excess / math.sqrt(2 * float(variance[number])))
            effect = float(observed[number] / seen[number])
            found.append(Departure(part, word, int(seen[number]), effect, p))
    return len(ids.keys() - meant), found


def _mantel_haenszel(
    word_of: NDArray[np.int64],
    row_of: NDArray[np.int64],
    stratum: NDArray[np.int64],
    good: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Of each word: good sentences beyond those expected, their variance, its sentences."""
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
