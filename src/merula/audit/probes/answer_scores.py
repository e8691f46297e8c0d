"""Scores of the answers of a set by the words that they share with each other alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from statistics import median

SLOT = re.compile(r"([^\s_\[\]]+)(?:\[([^\]]*)\]|_(\S*))?")
Score = Sequence[float]

Words = Sequence[Sequence[int]]  # equal words of a set have equal numbers


def edits(answers: Sequence[Sequence[object]]) -> Score:
    """Score answers that are near the rest in words changed, put in or left out (Levenshtein)."""
    total = [0] * len(answers)
    for a, b in combinations(range(len(answers)), 2):
        apart = distance(answers[a], answers[b])
        total[a] -= apart
        total[b] -= apart
    return total


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the edit distance of two sequences (Levenshtein 1966).

    >>> distance("kitten", "sitting"), distance([1, 2], [2])
    (3, 1)
    """
    start, shortest = 0, min(len(one), len(other))
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    if not a or not b:
        return max(len(a), len(b))
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def places(answers: Words) -> Score:
    """Score answers with words that many answers have at the same place."""
    longest = max(map(len, answers))
    padded = [[*answer, *[-1] * (longest - len(answer))] for answer in answers]
    counts = [Counter(column) for column in zip(*padded, strict=True)]
    return [
        sum(count[word] for count, word in zip(counts, answer, strict=True)) for answer in padded
    ]


def bags(answers: Words) -> Score:
    """Score answers with words that many answers have, in any place."""
    return _overlap([set(answer) for answer in answers])


def pairs_of_words(answers: Words) -> Score:
    """Score answers with neighbouring words that many answers have side by side."""
    return _overlap([set(_neighbours(answer)) for answer in answers])


def _neighbours(answer: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip([-1, *answer], [*answer, -2], strict=True))


def _overlap(sets: Sequence[AbstractSet[object]]) -> Score:
    return [-sum(len(one ^ other) for other in sets) for one in sets]


def lengths(answers: Words) -> dict[str, Score]:
    """Return scores for short answers, for long ones, and for those of median length."""
    sizes = [len(answer) for answer in answers]
    middle = median(sizes)
    return {
        "shortest": [-size for size in sizes],
        "longest": list(sizes),
        "median": [-abs(size - middle) for size in sizes],
    }


def slots(templates: Sequence[str]) -> Score:
    """Score answers with values that many answers have in the same slots of their templates."""
    answers = [dict(slot_values(template)) for template in templates]
    names = list(dict.fromkeys(name for values in answers for name in values))
    counts = {name: Counter(values.get(name) for values in answers) for name in names}
    return [sum(counts[name][values.get(name)] for name in names) for values in answers]


def slot_values(template: str) -> Iterator[tuple[str, str]]:
    """Yield the slots of a template with their values, Merula's or the published ones.

    >>> list(slot_values("prefix subj[sg pp] verb[pl]"))
    [('prefix', ''), ('subj', 'sg pp'), ('verb', 'pl')]
    >>> list(slot_values("Subj_pl P2_None V_sg"))
    [('Subj', 'pl'), ('P2', 'None'), ('V', 'sg')]
    """
    for match in SLOT.finditer(template):
        yield match[1], match[2] or match[3] or ""


def credit(scores: Score, right: int) -> float:
    """Return 1 if the right answer alone has the highest score, 1/n if *n* answers do, else 0.

    >>> credit([3, 1, 3], 0), credit([3, 1, 3], 1), credit([0, 2, 1], 1)
    (0.5, 0.0, 1.0)
    """
    best = max(scores)
    tied = [score > best - 1e-9 for score in scores]
    return 1 / sum(tied) if tied[right] else 0.0
