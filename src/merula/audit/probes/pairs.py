"""Shortcuts in pairs: how well the good sentence of two can be told without knowing any syntax.

Nothing is known of what a design of pairs forces, so that no accuracy is a fault. What is told is
how the number is to be read: 0.5 is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from merula.audit.findings import Settings
from merula.audit.probes.linear import Bags, linear_choices, usable
from merula.audit.probes.sentences import FEWEST, FOLDS, Probed, bigrams, folds_of
from merula.audit.view import View

Ints = NDArray[np.int64]
Words = Sequence[tuple[Sequence[str], Sequence[str]]]


def probe_pairs(view: View, settings: Settings) -> list[Probed]:
    """All probes of all parts that have enough pairs."""
    found = []
    for part, numbers in view.pair_parts.items():
        ids: dict[Hashable, int] = {}
        names = [view.pairs[number].group or number for number in numbers]
        groups = np.array([ids.setdefault(name, len(ids)) for name in names], dtype=np.int64)
        if len(ids) < FEWEST:
            continue
        folds = folds_of(groups, settings.seed)
        words = [view.pair_words[number] for number in numbers]
        for name, accuracy in PAIR_PROBES.items():
            reached = accuracy(words, folds, settings)
            if reached is not None:
                found.append(Probed(name, part, "pairs", len(numbers), reached, 0.5, None))
    return found


def _by_words(words: Words, folds: Ints, settings: Settings) -> float | None:
    """Of a linear classifier that sees which words the two do not share."""
    return _linear([good for good, _ in words], [bad for _, bad in words], folds, settings)


def _by_bigrams(words: Words, folds: Ints, settings: Settings) -> float | None:
    """The same of words that stand side by side."""
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
    """Of choosing the longer one, or the shorter one, as in the other folds; equal ones: 0.5."""
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
