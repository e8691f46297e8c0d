"""Shortcuts in matrices: how often the right answer is found without the pattern of the context.

In goes a `View`, out come `Probed`, one for each part and each of `SOLVERS`; ``report`` calls
`solve`. A solver gives each answer of a set a score and takes the answer with the highest; where
several have it, it counts as one of them taken at random. Most solvers never look at the context:
one that beats chance (1/n of *n* answers) does so by the making of the set. (So did Hu et al. 2021
with RAVEN, where the wrong answers were made from the right one.)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.audit.corpus import Matrix
from merula.audit.findings import Settings
from merula.audit.probes.answer_scores import (
    Score,
    Words,
    bags,
    credit,
    edits,
    lengths,
    pairs_of_words,
    places,
    slot_values,
    slots,
)
from merula.audit.probes.linear import Bags, fitted, usable
from merula.audit.probes.sentences import FOLDS, MIN_GROUPS, Probed
from merula.audit.view import View
from merula.core.frozen import frozen

MATRICES = "matrices"
MIN_ERRORS = 3.0  # standard errors that a solver has to be above chance
MIN_ABOVE = 0.03  # by which it has to be above, too: words are never used equally often
MAX_SETS = 1_000  # whose letters are compared, and from which a classifier learns: some seconds
MAX_BY_MEMORY = 0.5  # share of the matrices that grammar and memory may solve
AGREEMENT = re.compile(r"agreement_error|(?<![^\W_])AE(?![^\W_])", re.IGNORECASE)


@frozen(eq=False)
class Sets:
    """The answer sets of a part, each in the order of its labels, with its right answer's index.

    ``words[i]`` are the answers of set *i*, each a list of numbers: equal words of a set have equal
    numbers. Sets that are built alike from different words are equal, and are solved once.
    """

    matrices: Sequence[Matrix]
    orders: Sequence[tuple[int, ...]]
    words: Sequence[tuple[tuple[int, ...], ...]]
    right: Sequence[int]

    def __len__(self) -> int:
        return len(self.matrices)

    @staticmethod
    def of(matrices: Sequence[Matrix], tokens_of: Callable[[str], Sequence[str]]) -> Sets:
        """Return the sets of matrices that have one right answer and a wrong one."""
        solvable = [m for m in matrices if m.correct >= 0 and len(m.answers) > 1]
        orders, words, right = [], [], []
        for matrix in solvable:
            order = _order(matrix)
            ids: dict[str, int] = {}
            words.append(
                tuple(
                    tuple(ids.setdefault(t, len(ids)) for t in tokens_of(matrix.answers[place]))
                    for place in order
                )
            )
            orders.append(order)
            right.append(order.index(matrix.correct))
        return Sets(solvable, orders, words, right)

    @cached_property
    def chance(self) -> float:
        """Return how often an answer taken at random is right."""
        return sum(1 / len(order) for order in self.orders) / len(self)

    def each(self, texts: Callable[[Matrix], Sequence[str]]) -> Iterator[tuple[str, ...]]:
        """Yield texts of the answers of each set, in its order."""
        for matrix, order in zip(self.matrices, self.orders, strict=True):
            of_answers = texts(matrix)
            yield tuple(of_answers[place] for place in order)


def _order(matrix: Matrix) -> tuple[int, ...]:
    """Return the places of the answers by labels, so that sets that are built alike look alike."""
    places = range(len(matrix.answers))
    if not matrix.labels:
        return tuple(sorted(places, key=lambda p: matrix.answers[p]))
    return tuple(sorted(places, key=lambda p: (matrix.labels[p], matrix.answers[p])))


# --- solvers that do not look at the context -----------------------------------------------


def solve(view: View, settings: Settings) -> list[Probed]:
    """Return the results of all solvers on all parts that have enough sets."""
    results = []
    for part, matrices in view.matrix_parts.items():
        sets = Sets.of(matrices, view.tokens_of)
        if len(sets) < MIN_GROUPS:
            continue
        chance = sets.chance
        for name, reached, allowed in _reached(sets, view, settings):
            size = min(len(sets), MAX_SETS) if name in SAMPLED else len(sets)
            noise = max(MIN_ERRORS * math.sqrt(chance * (1 - chance) / size), MIN_ABOVE)
            results.append(Probed(name, part, MATRICES, size, reached, chance, allowed, noise))
    return results


def _reached(
    sets: Sets, view: View, settings: Settings
) -> Iterator[tuple[str, float, float | None]]:
    """Yield each solver's name, its accuracy, and the accuracy allowed (None: any)."""
    scored = _scored(sets, view)
    reached = {name: _accuracy(scores, sets.right) for name, scores in scored.items()}
    for name, several in BEST_OF.items():
        reached[name] = max([reached.pop(one) for one in several])
    numbers = _some(len(sets), settings)
    reached["letters"] = _by_letters(sets, numbers)
    reached["position"] = _by_position(sets, settings)
    if usable():
        reached["learned"] = _by_ranks(sets, numbers, scored, settings)
    informed = {n: _accuracy(scores, sets.right) for n, scores in _with_context(sets, view)}
    for name in BLIND:
        if name in reached:  # a classifier may learn what is grammatical, and no more
            learnt = informed.get("grammar", 0.0) if name == "learned" else 0.0
            yield name, reached[name], max(sets.chance, learnt)
    if usable():
        yield "alone", _by_answer(sets, numbers, view, settings), None
    for name, accuracy in informed.items():
        yield name, accuracy, MAX_BY_MEMORY if name == "unseen" else None


def _accuracy(scores: Sequence[Score], right: Sequence[int]) -> float:
    return sum(map(credit, scores, right)) / len(right)


def _scored(sets: Sets, view: View) -> dict[str, list[Score]]:
    """Return the scores of the answers of each set, by solver."""
    of_words: dict[object, dict[str, Score]] = {}
    scored: dict[str, list[Score]] = {}
    for words in sets.words:
        if words not in of_words:
            by_solver = {name: score(words) for name, score in BY_WORDS.items()}
            of_words[words] = by_solver | lengths(words)
        for name, scores in of_words[words].items():
            scored.setdefault(name, []).append(scores)
    if all(matrix.answer_templates for matrix in sets.matrices):
        of_templates: dict[tuple[str, ...], Score] = {}
        scored["slots"] = []
        for texts in sets.each(lambda matrix: matrix.answer_templates):
            if texts not in of_templates:
                of_templates[texts] = slots(texts)
            scored["slots"].append(of_templates[texts])
    scored["common"] = _by_frequency(sets, view)
    scored["rare"] = [[-score for score in scores] for scores in scored["common"]]
    return scored


def _by_frequency(sets: Sets, view: View) -> list[Score]:
    """Return scores for words of many answers of the part: the mean logarithm of how many."""
    times = Counter(text for matrix in sets.matrices for text in matrix.answers)
    of_word: Counter[str] = Counter()
    for text, number in times.items():
        for word in view.tokens_of(text):
            of_word[word] += number
    mean = {}
    for text in times:
        logs = [math.log(of_word[word]) for word in view.tokens_of(text)]
        mean[text] = round(sum(logs) / len(logs), 9) if logs else 0.0
    return [[mean[text] for text in texts] for texts in sets.each(lambda matrix: matrix.answers)]


def _some(size: int, settings: Settings) -> list[int]:
    """Return indices of sets, as many as can be looked at closely, chosen by the seed."""
    if size <= MAX_SETS:
        return list(range(size))
    chosen = np.random.default_rng(settings.seed).choice(size, MAX_SETS, replace=False)
    return sorted(chosen.tolist())


def _by_letters(sets: Sets, numbers: Sequence[int]) -> float:
    """Return the accuracy of taking the answer with the fewest letters changed from the rest."""
    answers = list(sets.each(lambda matrix: matrix.answers))
    scores: dict[tuple[str, ...], Score] = {}
    total = 0.0
    for number in numbers:
        texts = answers[number]
        if texts not in scores:
            scores[texts] = edits(texts)
        total += credit(scores[texts], sets.right[number])
    return total / len(numbers)


def _folds(number: int, settings: Settings) -> NDArray[np.int64]:
    return np.random.default_rng(settings.seed).permutation(number) % FOLDS


def _by_position(sets: Sets, settings: Settings) -> float:
    """Return the accuracy of taking the commonest place of right answers in the other folds."""
    places_ = np.array([matrix.correct for matrix in sets.matrices])
    folds = _folds(len(sets), settings)
    total = 0.0
    for fold in range(FOLDS):
        times = np.bincount(places_[folds != fold], minlength=int(places_.max()) + 1)
        for number in np.flatnonzero(folds == fold).tolist():
            matrix = sets.matrices[number]
            scores = np.zeros(len(matrix.answers))
            shared = min(len(scores), len(times))
            scores[:shared] = times[:shared]
            total += credit(scores.tolist(), matrix.correct)
    return total / len(sets)


def _by_ranks(
    sets: Sets, numbers: Sequence[int], scored: dict[str, list[Score]], settings: Settings
) -> float:
    """Return the accuracy of a classifier that sees an answer's rank with each other solver.

    So it finds more than any of them: that the right answer is the second most alike, say.
    """
    names = [name for name in LEARNT if name in scored]
    most = max(len(sets.orders[number]) for number in numbers)
    rows = []
    for number in numbers:
        ranks = [_ranks(scored[name][number]) for name in names]
        for at in range(len(sets.orders[number])):
            row = np.zeros(len(names) * most)
            row[[i * most + own[at] for i, own in enumerate(ranks)]] = 1
            rows.append(row)
    return _learnt(sets, numbers, np.array(rows), settings)


def _by_answer(sets: Sets, some: Sequence[int], view: View, settings: Settings) -> float:
    """Return the accuracy of a classifier that sees the words of an answer, and nothing else."""
    answers = list(sets.each(lambda matrix: matrix.answers))
    bags_ = [view.tokens_of(text) for number in some for text in answers[number]]
    return _learnt(sets, some, Bags.of(bags_).matrix(), settings)


def _learnt(sets: Sets, numbers: Sequence[int], features: Any, settings: Settings) -> float:
    """Return the accuracy of a classifier that learns from four fifths of sets and solves the rest.

    ``features`` has a row for each answer of each of these sets.
    """
    starts = np.cumsum([0, *(len(sets.orders[number]) for number in numbers)])
    label = np.zeros(int(starts[-1]), dtype=np.bool_)
    label[[start + sets.right[number] for start, number in zip(starts, numbers, strict=False)]] = (
        True
    )
    folds = _folds(len(numbers), settings)
    of_row = np.repeat(folds, np.diff(starts))
    total = 0.0
    for fold in range(FOLDS):
        train = np.flatnonzero(of_row != fold)
        model = fitted(features[train], label[train], settings.seed, intercept=True)
        for i in np.flatnonzero(folds == fold).tolist():
            scores = model.decision_function(features[int(starts[i]) : int(starts[i + 1])])
            total += credit(np.round(scores, 6).tolist(), sets.right[numbers[i]])
    return total / len(numbers)


def _ranks(scores: Score) -> list[int]:
    """Return for each score how many different scores are higher.

    >>> _ranks([3, 1, 3, 2])
    [0, 2, 0, 1]
    """
    order = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True))}
    return [order[score] for score in scores]


# --- solvers that know grammar and remember the context -------------------------------------


def _with_context(sets: Sets, view: View) -> Iterator[tuple[str, list[Score]]]:
    """Yield the scores by grammar alone, and by grammar with a memory of the context.

    ``grammar`` takes any answer that breaks no rule of its own sentence. ``unseen`` takes of these
    one that is not in the context, as a sentence or as a template; ``shown`` takes of those one
    of which the context has every value at its place. The order of the context is ignored.
    """
    fine = [grammatical(matrix) for matrix in sets.matrices]
    if not any(one is not None for one in fine):
        return
    grammar: list[Score] = []
    unseen: list[Score] = []
    shown: list[Score] = []
    for matrix, order, own in zip(sets.matrices, sets.orders, fine, strict=True):
        good = [own is None or own[place] for place in order]
        new = [not _in_context(matrix, place, view) for place in order]
        values = _values_shown(matrix, view)
        grammar.append([float(a) for a in good])
        unseen.append([a * (1.0 + b) for a, b in zip(good, new, strict=True)])
        shown.append(
            [a * (1.0 + b * (1.0 + values[p])) for a, b, p in zip(good, new, order, strict=True)]
        )
    yield "grammar", grammar
    yield "unseen", unseen
    yield "shown", shown


def grammatical(matrix: Matrix) -> list[bool] | None:
    """Return which answers break no external or internal rule; None where the data do not say.

    An answer that breaks a relation between sentences is a good sentence by itself: ``R …``, and a
    cycle that counts as I, which has the name of an attribute or an object, not of a rule. In data
    without rules of agreement the labels tell which answers have an error of agreement.
    """
    if matrix.broken:
        objects = _objects(matrix.answer_templates)
        return [not any(_of_sentence(rule, objects) for rule in rules) for rules in matrix.broken]
    if any(AGREEMENT.search(label) for label in matrix.labels):
        return [not AGREEMENT.search(label) for label in matrix.labels]
    return None


def _of_sentence(rule: str, objects: AbstractSet[str]) -> bool:
    letter, _, name = rule.partition(" ")
    return letter == "E" or (letter == "I" and "." not in name and name not in objects)


@lru_cache(maxsize=4096)
def _objects(templates: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for template in templates for name, _ in slot_values(template))


def _in_context(matrix: Matrix, place: int, view: View) -> bool:
    if view.plain(matrix.answers[place]) in {view.plain(text) for text in matrix.context}:
        return True
    templates = matrix.answer_templates
    return bool(templates) and templates[place] in matrix.context_templates


def _values_shown(matrix: Matrix, view: View) -> list[bool]:
    """Return for each answer whether the context has all its values at their places.

    The values are those of templates, where there are any, and a missing slot is a value, too; else
    they are words, counted from the left.
    """
    if matrix.answer_templates and matrix.context_templates:
        both = [dict(slot_values(t)) for t in (*matrix.context_templates, *matrix.answer_templates)]
        names = {name for own in both for name in own}
        values = [{(name, own.get(name)) for name in names} for own in both]
        return _all_in(values[: len(matrix.context)], values[len(matrix.context) :])
    words = [set(enumerate(view.tokens_of(text))) for text in matrix.context]
    return _all_in(words, [set(enumerate(view.tokens_of(text))) for text in matrix.answers])


def _all_in(
    context: Sequence[AbstractSet[object]], answers: Sequence[AbstractSet[object]]
) -> list[bool]:
    shown: frozenset[object] = frozenset().union(*context)
    return [answer <= shown for answer in answers]


BY_WORDS: Mapping[str, Callable[[Words], Score]] = {
    "edits": edits,
    "places": places,
    "words": bags,
    "bigrams": pairs_of_words,
}
BEST_OF = {"length": ("shortest", "longest", "median"), "common": ("common", "rare")}
LEARNT = ("edits", "places", "words", "bigrams", "slots", "longest", "common")
# The answer that each solver takes. Blind ones do not look at the context and know no words.
BLIND = {
    "edits": "the nearest to the other answers, in words",
    "letters": "the nearest to the other answers, in letters",
    "places": "the one with the words that other answers have at the same places",
    "words": "the one with the words that other answers have",
    "bigrams": "the one with the neighbouring words that other answers have",
    "slots": "the one with the values that other answers have in their templates",
    "length": "the shortest, the longest, or the middle one",
    "common": "the one with the commonest words, or with the rarest",
    "position": "the one at the commonest place",
    "learned": "what a classifier makes of all of these",
}
TOLD = {
    "alone": "what a classifier makes of the words of an answer",
    "grammar": "one that breaks no rule",
    "unseen": "of these one that is not in the context",
    "shown": "of those one whose values the context has",
}
MEANINGS = BLIND | TOLD
SAMPLED = ("letters", "learned", "alone")
SOLVERS = tuple(MEANINGS)
