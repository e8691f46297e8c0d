"""Shortcuts in sentences: how often a label can be guessed without knowing any syntax.

In goes a `View`, out come `Probed`, one for each part and each of `PROBES`; ``report`` calls
`probe`. A probe sees one property of a sentence (its words, its neighbouring words, its length, the
order of licensor and NPI); it is trained on some paradigms and tested on the rest. Some accuracy is
*forced* by the design: a sentence with an NPI but without a licensor is bad, and words tell as
much. The accuracy beyond the forced one is due to the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from merula.audit.corpus import LICENSOR, NPI, Cell
from merula.audit.findings import Settings
from merula.audit.probes.linear import Bags, linear_guesses, usable
from merula.audit.view import View
from merula.core.frozen import frozen

FOLDS = 5  # so that a probe learns from four fifths of the paradigms
MIN_GROUPS = 10  # paradigms of a part that is probed: two in each fold
MIN_KNOWN = 0.9  # share of known places of licensors and NPIs, for the probe of positions

Factors = tuple[tuple[str, str], ...]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@frozen
class Probed:
    """The accuracy of a probe on a part of the data.

    ``kind`` is ``sentences``, ``pairs`` or ``matrices``, ``number`` the count of them. ``majority``
    is the share of the commoner label, or the accuracy by chance. ``forced`` is the accuracy that
    the design forces or allows, None if it is not known; chance may add ``noise`` to it.
    """

    probe: str
    part: str
    kind: str
    number: int
    accuracy: float
    majority: float
    forced: float | None
    noise: float = 0.0

    def leaks(self, settings: Settings) -> bool:
        """Return whether it reaches more than is forced."""
        if self.forced is None:
            return False
        return self.accuracy - self.forced > max(settings.tolerance, self.noise)


@frozen(eq=False)
class ProbeTask:
    """The sentences of a part, by their indices, with labels, paradigms and folds."""

    view: View
    numbers: Sequence[int]
    good: Bools
    groups: Ints
    folds: Ints

    @property
    def cells(self) -> list[Cell]:
        """Return the cell of each sentence."""
        return [self.view.sentences[number].cell for number in self.numbers]


@frozen
class Probe:
    """A probe: the property that it sees, its accuracy, and the accuracy that is forced."""

    name: str
    meaning: str
    accuracy: Callable[[ProbeTask, Settings], float | None]
    forced: Callable[[ProbeTask], float | None]
    needs_library: bool = False


def tasks(view: View, settings: Settings) -> dict[str, ProbeTask]:
    """Return the parts that can be probed: those with both labels and enough paradigms."""
    parts = {}
    for part, all_numbers in view.parts.items():
        numbers = [n for n in all_numbers if view.sentences[n].acceptable is not None]
        good = np.array([view.sentences[n].acceptable for n in numbers], dtype=np.bool_)
        if not len(good) or good.all() or not good.any():
            continue
        ids: dict[Hashable, int] = {}
        names = [view.sentences[n].group or n for n in numbers]
        groups = np.array([ids.setdefault(name, len(ids)) for name in names], dtype=np.int64)
        if len(ids) < MIN_GROUPS:
            continue
        parts[part] = ProbeTask(view, numbers, good, groups, folds_of(groups, settings.seed))
    return parts


def folds_of(groups: Ints, seed: int) -> Ints:
    """Return a fold for each item; the items of a group are in the same fold."""
    size = int(groups.max()) + 1
    order = np.random.default_rng(seed).permutation(size)
    return (order % FOLDS)[groups]


def probe(view: View, settings: Settings) -> list[Probed]:
    """Return the results of all probes on all parts, without those whose library is missing."""
    results = []
    for part, task in tasks(view, settings).items():
        share = float(task.good.mean())
        for kind in PROBES:
            if kind.needs_library and not usable():
                continue
            accuracy = kind.accuracy(task, settings)
            if accuracy is not None:
                majority = max(share, 1 - share)
                forced = kind.forced(task)
                results.append(
                    Probed(
                        kind.name,
                        part,
                        "sentences",
                        len(task.good),
                        accuracy,
                        majority,
                        forced,
                    )
                )
    return results


# --- bags ----------------------------------------------------------------------------------


def bigrams(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words side by side, with an empty word at either end.

    >>> bigrams(["dogs", "bark"])
    [('', 'dogs'), ('dogs', 'bark'), ('bark', '')]
    """
    return list(zip(["", *words], [*words, ""], strict=True))


def _bags(task: ProbeTask) -> list[list[str]]:
    return [task.view.tokens[number] for number in task.numbers]


def word_accuracy(task: ProbeTask, settings: Settings) -> float:
    """Return the accuracy of a linear classifier of the words of a sentence."""
    guesses = linear_guesses(Bags.of(_bags(task)), task.good, task.folds, settings.seed)
    return float((guesses == task.good).mean())


def bigram_accuracy(task: ProbeTask, settings: Settings) -> float:
    """Return the accuracy of a linear classifier of the words side by side."""
    bags = Bags.of([bigrams(bag) for bag in _bags(task)])
    guesses = linear_guesses(bags, task.good, task.folds, settings.seed)
    return float((guesses == task.good).mean())


def word_forced(task: ProbeTask) -> float:
    """Return the best accuracy of words, which by design are the same in and out of scope.

    It is the lower of two: the best answer to each bag of words within a paradigm, and, where the
    cells are known, the best answer to each combination of licensor and NPI. In a design of
    licensor × scope × NPI one of eight cells is bad but looks good by its words (the NPI out of
    scope): 7/8. Where cells are left out, the words of other factors may tell more (`_others`).
    """
    allowed = _best(task, [tuple(sorted(bag)) for bag in _bags(task)], within=True)
    cells = task.cells
    if any(None in (cell.licensor, cell.npi, cell.scope) for cell in cells):
        return allowed
    seen = zip(cells, _others(cells), strict=True)
    return min(allowed, _best(task, [(cell.licensor, cell.npi, others) for cell, others in seen]))


def _others(cells: Sequence[Cell]) -> list[Factors]:
    """Return what each cell has besides licensor, NPI and scope, where cells are left out.

    In a full crossing that tells nothing of the label, and all are empty. If the present tense has
    only cells in scope, it is forced by design that its sentences with a licensor are good.
    """
    different = dict.fromkeys(cell.factors for cell in cells)
    values = Counter(name for name, _ in {pair for factors in different for pair in factors})
    if len(different) == prod(values.values()):
        return [()] * len(cells)
    scopes: dict[tuple[str, str], set[bool | None]] = {}
    for cell in dict.fromkeys(cells):
        for pair in cell.factors:
            scopes.setdefault(pair, set()).add(cell.scope)
    telling = {name for (name, _), found in scopes.items() if len(found) > 1}
    return [tuple(pair for pair in cell.rest if pair[0] in telling) for cell in cells]


def bigram_forced(task: ProbeTask) -> float:
    """Return the best accuracy of an answer to each bag of bigrams within a paradigm."""
    seen = [tuple(sorted(bigrams(bag))) for bag in _bags(task)]
    return _best(task, seen, within=True)


def _best(task: ProbeTask, seen: Sequence[Hashable], *, within: bool = False) -> float:
    """Return the best accuracy of an answer to each value in ``seen`` (and paradigm)."""
    ids: dict[Hashable, int] = {}
    keys = zip(task.groups.tolist(), seen, strict=True) if within else iter(seen)
    codes = np.array([ids.setdefault(key, len(ids)) for key in keys], dtype=np.int64)
    return best(codes, task.good)


def best(values: Ints, good: Bools, weight: NDArray[np.float64] | None = None) -> float:
    """Return the accuracy of the commoner label of each of ``values``, codes from 0.

    >>> float(best(np.array([0, 0, 0, 1]), np.array([True, True, False, False])))
    0.75
    """
    weight = np.ones(len(values)) if weight is None else weight
    total = np.bincount(values, weights=weight)
    goods = np.bincount(values, weights=weight * good)
    return float(np.maximum(goods, total - goods).sum() / weight.sum())


# --- length --------------------------------------------------------------------------------


def _lengths(task: ProbeTask) -> Ints:
    return np.array([len(task.view.words[number]) for number in task.numbers], dtype=np.int64)


def length_accuracy(task: ProbeTask, settings: Settings) -> float:
    """Return the accuracy of the commoner label of each length."""
    del settings
    return table_accuracy(_lengths(task), task.good, task.folds)


def length_forced(task: ProbeTask) -> float:
    """Return the share of the commoner label: no design forces lengths. (Of eight cells: 5/8.)"""
    share = float(task.good.mean())
    return max(share, 1 - share)


def table_accuracy(values: Ints, good: Bools, folds: Ints) -> float:
    """Return the accuracy of the commoner label of each value in the other folds.

    A value with as many good as bad sentences, or a new one, gets the commoner label of them all.
    """
    right = 0
    size = int(values.max()) + 1
    for fold in range(FOLDS):
        test, train = folds == fold, folds != fold
        if not test.any() or not train.any():
            continue
        goods = np.bincount(values[train], weights=good[train], minlength=size)
        total = np.bincount(values[train], minlength=size)
        common = bool(good[train].mean() >= 0.5)
        guess = np.where(goods * 2 == total, common, goods * 2 > total)
        right += int((guess[values[test]] == good[test]).sum())
    return right / len(good)


# --- position ------------------------------------------------------------------------------


def _places(task: ProbeTask) -> list[tuple[str, str, bool] | None] | None:
    """Return the words of licensor and NPI, and whether the NPI comes first; None: not known.

    None instead of a list where a smaller share than `MIN_KNOWN` is known.
    """
    sites = task.view.sites
    places: list[tuple[str, str, bool] | None] = []
    for number in task.numbers:
        licensor, npi = sites[LICENSOR].get(number), sites[NPI].get(number)
        if licensor is None or npi is None:
            places.append(None)
        else:
            places.append((licensor.words, npi.words, npi.at < licensor.at))
    return places if places.count(None) <= (1 - MIN_KNOWN) * len(places) else None


def position_accuracy(task: ProbeTask, settings: Settings) -> float | None:
    """Return the accuracy of the commoner label of each licensor, NPI and order of the two.

    Where the data say whether there is a licensor and an NPI, their words are ignored, since a word
    that few paradigms have (*the kindest*) could not be learnt.
    """
    del settings
    places = _places(task)
    if places is None:
        return None
    ids: dict[Hashable, int] = {}
    seen = [
        ids.setdefault(place and _abstract(place, cell), len(ids))
        for place, cell in zip(places, task.cells, strict=True)
    ]
    return table_accuracy(np.array(seen, dtype=np.int64), task.good, task.folds)


def _abstract(place: tuple[str, str, bool], cell: Cell) -> Hashable:
    licensor, npi, first = place
    return (
        licensor if cell.licensor is None else cell.licensor,
        npi if cell.npi is None else cell.npi,
        first,
    )


def position_forced(task: ProbeTask) -> float | None:
    """Return the accuracy by order that is forced, if out of scope half of the NPIs come first.

    A licensed NPI follows its licensor, so one that comes first is out of scope. Of eight cells one
    is bad but looks good without the order; the order gives away half of its sentences: 15/16.
    """
    places, cells = _places(task), task.cells
    if places is None or any(None in (c.licensor, c.npi, c.scope) for c in cells):
        return None
    ids: dict[Hashable, int] = {}
    values, good, weight = [], [], []
    goods = task.good.tolist()
    for cell, place, label, others in zip(cells, places, goods, _others(cells), strict=True):
        orders = [(True, 0.5), (False, 0.5)]
        if cell.scope or place is None:
            orders = [(place is not None and place[2], 1.0)]
        for first, share in orders:
            values.append(ids.setdefault((cell.licensor, cell.npi, first, others), len(ids)))
            good.append(label)
            weight.append(share)
    return best(np.array(values), np.array(good), np.array(weight))


PROBES = (
    Probe("words", "which words there are", word_accuracy, word_forced, needs_library=True),
    Probe(
        "bigrams",
        "which words are side by side",
        bigram_accuracy,
        bigram_forced,
        needs_library=True,
    ),
    Probe("length", "how many words there are", length_accuracy, length_forced),
    Probe(
        "position",
        "which licensor and NPI, and which comes first",
        position_accuracy,
        position_forced,
    ),
)
