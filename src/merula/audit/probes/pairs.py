"""Shortcuts in pairs: how often the good sentence can be guessed without knowing any syntax.

It is not known what a design of pairs forces, so no accuracy is a fault; 0.5 is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from merula.audit.findings import Settings
from merula.audit.probes.linear import Bags, linear_choices, usable
from merula.audit.probes.sentences import FOLDS, MIN_GROUPS, Probed, bigrams, folds_of
from merula.audit.view import View

Ints = NDArray[np.int64]
Words = Sequence[tuple[Sequence[str], Sequence[str]]]


def probe_pairs(view: View, settings: Settings) -> list[Probed]:
    """Return the results of all probes on all parts that have enough pairs."""
    results = []
    for part, numbers in view.pair_parts.items():
        ids: dict[Hashable, int] = {}
        names = [view.pairs[number].group or number for number in numbers]
        groups = np.array([ids.setdefault(name, len(ids)) for name in names], dtype=np.int64)
        if len(ids) < MIN_GROUPS:
            continue
        folds = folds_of(groups, settings.seed)
        words = [view.pair_words[number] for number in numbers]
        for name, accuracy in PAIR_PROBES.items():
            reached = accuracy(words, folds, settings)
            if reached is not None:
                results.append(Probed(name, part, "pairs", len(numbers), reached, 0.5, None))
    return results


def _by_words(words: Words, folds: Ints, settings: Settings) -> float | None:
    """Return the accuracy of a linear classifier of the words that the two do not share."""
    return _linear([good for good, _ in words], [bad for _, bad in words], folds, settings)


def _by_bigrams(words: Words, folds: Ints, settings: Settings) -> float | None:
    """Return the same of words side by side."""
    goods, bads = [bigrams(good) for good, _ in words], [bigrams(bad) for _, bad in words]
    return _linear(goods, bads, folds, settings)


def _linear(
    goods: Sequence[Sequence[Hashable]],
    bads: Sequence[Sequence[Hashable]],
    folds: Ints,
    settings: Settings,
) -> float | None:
    if not usable():
        return None
    good, bad = Bags.of([*goods, *bads]).split(len(goods))
    return float(linear_choices(good, bad, folds, settings.seed).mean())


def _by_length(words: Words, folds: Ints, settings: Settings) -> float | None:
    """Return the accuracy of choosing by length as is best in the other folds; equal ones: 0.5."""
    del settings
    longer = np.array([np.sign(len(good) - len(bad)) for good, bad in words], dtype=np.int64)
    right = np.full(len(longer), 0.5)
    for fold in range(FOLDS):
        test = folds == fold
        way = np.sign(longer[~test].sum())
        right[test] = 0.5 + 0.5 * way * longer[test]
    return float(right.mean())


PAIR_PROBES: dict[str, Callable[[Words, Ints, Settings], float | None]] = {
    "words": _by_words,
    "bigrams": _by_bigrams,
    "length": _by_length,
}
