"""Scores of the answers of a set by what they share with the others, and by nothing else."""

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
    """Few words to be changed, put in or left out, to get to the others (Levenshtein 1966)."""
    total = [0] * len(answers)
    for a, b in combinations(range(len(answers)), 2):
        apart = distance(answers[a], answers[b])
        total[a] -= apart
        total[b] -= apart
    return total


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """The edit distance of two sequences.

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
    """Words that the others have at the same place: for each place, how many answers have it."""
    longest = max(map(len, answers))
    padded = [[*answer, *[-1] * (longest - len(answer))] for answer in answers]
    counts = [Counter(column) for column in zip(*padded, strict=True)]
    return [
        sum(count[word] for count, word in zip(counts, answer, strict=True)) for answer in padded
    ]


def bags(answers: Words) -> Score:
    """Words that the others have, wherever: few that only one of two answers has."""
    return _overlap([set(answer) for answer in answers])


def pairs_of_words(answers: Words) -> Score:
    """Neighbouring words that the others have side by side, in the same way."""
    return _overlap([set(_neighbours(answer)) for answer in answers])


def _neighbours(answer: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip([-1, *answer], [*answer, -2], strict=True))


def _overlap(sets: Sequence[AbstractSet[object]]) -> Score:
    return [-sum(len(one ^ other) for other in sets) for one in sets]


def lengths(answers: Words) -> dict[str, Score]:
    """Few words, many words, and a number of words in the middle of the others'."""
    sizes = [len(answer) for answer in answers]
    middle = median(sizes)
    return {
        "shortest": [-size for size in sizes],
        "longest": list(sizes),
        "median": [-abs(size - middle) for size in sizes],
    }


def slots(templates: Sequence[str]) -> Score:
    """Values that the others have in the same slots of their templates."""
    values = [dict(slot_values(template)) for template in templates]
    names = list(dict.fromkeys(name for own in values for name in own))
    counts = {name: Counter(own.get(name) for own in values) for name in names}
    return [sum(counts[name][own.get(name)] for name in names) for own in values]


def slot_values(template: str) -> Iterator[tuple[str, str]]:
    """The slots of a template with their values, Merula's or the published ones.

    >>> list(slot_values("prefix subj[sg pp] verb[pl]"))
    [('prefix', ''), ('subj', 'sg pp'), ('verb', 'pl')]
    >>> list(slot_values("Subj_pl P2_None V_sg"))
    [('Subj', 'pl'), ('P2', 'None'), ('V', 'sg')]
    """
    for match in SLOT.finditer(template):
        yield match[1], match[2] or match[3] or ""


def credit(scores: Score, right: int) -> float:
    """1 if the right answer alone has the highest score; a share, if it has it with others.

    >>> credit([3, 1, 3], 0), credit([3, 1, 3], 1), credit([0, 2, 1], 1)
    (0.5, 0.0, 1.0)
    """
    best = max(scores)
    tied = [score > best - 1e-9 for score in scores]
    return 1 / sum(tied) if tied[right] else 0.0
