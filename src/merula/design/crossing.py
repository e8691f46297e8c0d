"""Crossed answer sets: every combination of some edits, so that no answer is the centre.

In a set of single edits the right answer is the one that all others resemble, and can be found
without the context. A full crossing has no such centre: each edit is done in half of the answers
(the attribute bisection tree of I-RAVEN, Hu et al. 2021). That holds only if the edits *commute*,
so that a combination is one sentence whatever the order, and if no two combinations break the same
rules, so that each has a meaning of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from merula.core.frozen import frozen
from merula.design.cells import Cell, Unshown, Variant, edited, unshown_points
from merula.design.placement import Item, NoSense
from merula.grammar import model as g


@frozen
class Uneven:
    """Two answers that keep a set from being a full crossing.

    Either their order counts, or they are alike: then ``broken`` are the rules that both break.
    """

    one: str
    other: str
    broken: tuple[str, ...] | None = None


def uneven(
    grammar: g.Grammar, design: g.Matrix, variant: Variant, cells: Sequence[Cell]
) -> tuple[Uneven, ...]:
    """Return what keeps the crossed answers of a variant from being a full crossing.

    Where the order of edits counts, what their combinations break is no second fault.
    """
    answers = [cell for cell in cells if cell.role == "answer"]
    right, wrong = answers[0], answers[1:]
    unshown = tuple(unshown_points(design, variant))
    in_order = _in_order(grammar, design, variant.frame, right.item, unshown)
    return in_order or tuple(_alike(wrong))


@lru_cache(maxsize=2_000)
def _in_order(
    grammar: g.Grammar, design: g.Matrix, frame: g.Frame, right: Item, unshown: Unshown
) -> tuple[Uneven, ...]:
    """Return the pairs of edits whose order counts, whatever others are done before."""
    single = [answer for answer in design.answers if len(answer.steps) == 1]
    pairs: dict[Uneven, None] = {}
    for one, other in combinations(single, 2):
        rest = [answer for answer in single if answer not in (one, other)]
        for before in _subsets(rest):
            first, second = (
                _outcome(grammar, frame, [*before, *pair], right, unshown)
                for pair in ((one, other), (other, one))
            )
            if first != second:
                pairs[Uneven(one.label, other.label)] = None
    return tuple(pairs)


def _subsets(answers: Sequence[g.Answer]) -> Iterator[tuple[g.Answer, ...]]:
    for number in range(len(answers) + 1):
        yield from combinations(answers, number)


def _outcome(
    grammar: g.Grammar,
    frame: g.Frame,
    answers: Sequence[g.Answer],
    right: Item,
    unshown: Unshown,
) -> object:
    """Return what edits in this order lead to: values and words, or None if they have no sense."""
    steps = [step for answer in answers for step in answer.steps]
    try:
        item = edited(grammar, frame, steps, right, unshown)
    except NoSense:
        return None
    return dict(item.solved.values), item.words


def _alike(wrong: Sequence[Cell]) -> Iterator[Uneven]:
    """Yield the pairs of wrong answers that break the same rules."""
    first: dict[tuple[str, ...], str] = {}
    for cell in wrong:
        key = tuple(sorted(cell.broken))
        if key in first:
            yield Uneven(first[key], cell.label, cell.broken)
        first.setdefault(key, cell.label)
