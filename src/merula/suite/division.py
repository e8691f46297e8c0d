"""Dividing matrices among splits, so that what a model was trained on does not come again.

Lexical sets are the rows of a table of sets, or the lexemes of one object with all that goes with
them. They are divided once for a part: in the same way for all of its answer sets and types, so
that a model may be trained on one and tested on another. Or else right answers are divided.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import perm

from merula.compiler.compiled import CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import counted, listing
from merula.plan.planner import Plan
from merula.rows.variation import AddressSpace, Variation
from merula.suite.splits import IsContent, RestrictedDesign, Split, restricted, restricted_counts

UNIT = "set"  # the name of the slot of a table of sets
# Of lexical sets, for each split but train: with dev and test, train keeps a third at least.
MAX_HELD_OUT = Fraction(1, 3)


def in_order(names: Iterable[str], seed: int) -> list[str]:
    """Return names in an order that they and the seed decide, not their order in a table.

    >>> in_order(["a", "b", "c"], 0) == in_order(["c", "b", "a"], 0)
    True
    """
    return sorted(
        set(names), key=lambda name: hashlib.sha256(f"merula unit {seed} {name}".encode()).digest()
    )


@frozen
class DivisionTask:
    """The designs that lexical sets are divided for, their types, and how many instances of each.

    ``sizes`` are the instances in each split, of each design and type. ``unit`` names the slot
    with the lexical sets.
    """

    designs: tuple[CompiledDesign, ...]
    variations: tuple[Variation, ...]
    sizes: Mapping[str, int]
    unit: str
    what: str  # for messages
    place: str


def divide(task: DivisionTask, split: Split, seed: int) -> dict[str, tuple[str, ...]]:
    """Return the lexical sets of each split; raises `MerulaError` where there are too few.

    Each split has its share of them at first. An instance of type III takes as many different
    choices as there are sentences in its context, and one more. So splits other than train get more
    until they have instances of every variant, or a third of all sets, or train would then have too
    few of a type. (Of a type that train has too few of anyway, no more is asked.) Twelve sets in
    90:10 are 10 and 1 with one left over, so 11 and 1; if a type III instance needs four, test
    gets four, which is a third.
    """
    units = in_order(_titles(task), seed)
    if len(units) < len(split.names):
        raise MerulaError.of(
            "M688",
            f"{task.what} has {counted(len(units), 'lexical set')} for {len(split.names)} splits",
            remedy="give its table more rows, or ask for fewer splits (--split 90:10)",
            place=task.place,
        )
    train, *rest = split.names
    divided: dict[str, tuple[str, ...]] = {}
    free = units
    for place, name in enumerate(rest):
        room = len(free) - len(rest[place:])  # each split after it needs one, and so does train
        size = min(max(split.sizes(len(units))[name], 1), room)
        largest = min(max(int(MAX_HELD_OUT * len(units)), size), room)
        while (
            size < largest
            and not _serves(task, free[:size], name)
            and _short(task, free[size + 1 :], train) == _short(task, free[size:], train)
        ):
            size += 1
        divided[name], free = tuple(free[:size]), free[size:]
    divided[train] = tuple(free)
    return {name: divided[name] for name in split.names}


def _titles(task: DivisionTask) -> set[str]:
    """Return the names of all lexical sets; raises `MerulaError` where a variant shows none."""
    titles: set[str] = set()
    for plan in _plans(task):
        of_plan = {title for s in plan.slots if s.name == task.unit for title in s.titles}
        if not of_plan:
            raise _no_unit(task)
        titles |= of_plan
    return titles


def _plans(task: DivisionTask) -> list[Plan]:
    """Return the plans of all designs that have instances."""
    return [plan for design in task.designs for plan in design.plans if plan.count]


def _no_unit(task: DivisionTask) -> MerulaError:
    """Return the error of a unit that some variant does not show."""
    slots = [{slot.name for slot in plan.slots if slot.rows is not None} for plan in _plans(task)]
    common = sorted(set.intersection(*slots))
    if UNIT in common:
        remedy = "leave unit out of the recipe: the rows of the table of sets are divided then"
    elif common:
        remedy = f'write unit = "{common[0]}" in the recipe'
        remedy += f", or {listing(common[1:], 'or')} instead" if common[1:] else ""
    else:
        remedy = "divide right answers instead (--disjoint answers)"
    what = f"not every variant shows lexemes of `{task.unit}`"
    if task.unit == UNIT:
        what = "its grammar has no table of sets"
    return MerulaError.of(
        "M688",
        f"the lexical sets of {task.what} cannot be divided: {what}",
        remedy=remedy,
        place=task.place,
    )


def _serves(task: DivisionTask, units: Sequence[str], split: str) -> bool:
    """Return whether lexical sets are enough for a split, in every variant with instances."""
    return not any(_short(task, units, split)) and all(
        some or not whole
        for of_units, of_all in _counts(task, units)
        for some, whole in zip(of_units, of_all, strict=True)
    )


def _short(task: DivisionTask, units: Sequence[str], split: str) -> list[bool]:
    """Return for each design and type whether lexical sets make too few instances for a split."""
    return [sum(of_units) < task.sizes[split] for of_units, _ in _counts(task, units)]


def _counts(task: DivisionTask, units: Sequence[str]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield for each design and type the instances of each plan: with these sets only, and all.

    An instance that takes k different choices out of n is one of n! / (n − k)! (`math.perm`).
    """
    inside = frozenset(units)
    for design in task.designs:
        choices = restricted_counts(design, inside.__contains__, _is(task.unit))
        for variation in task.variations:
            space = AddressSpace(design, variation, strict=False)
            yield [perm(count, space.draws) for count in choices], list(space.counts)


def with_units(design: CompiledDesign, unit: str, units: Iterable[str]) -> RestrictedDesign:
    """Return the instances of a design that show some lexical sets only."""
    return restricted(design, frozenset(units).__contains__, _is(unit))


def _is(unit: str) -> IsContent:
    return lambda slot: slot.name == unit


def divide_answers(
    answers: Sequence[str], split: Split, seed: int, split_of: dict[str, str]
) -> None:
    """Put the split of each right answer of some instances into ``split_of``.

    Answers that are in it keep their splits. Splits other than train are filled with one answer
    after the other, in an order that the seed decides, as long as they stay within their sizes.
    Of ten instances in 80:20, an answer of three of them goes to train, and one of two to test.
    """
    frequency = Counter(answers)
    train, *rest = split.names
    room = split.sizes(len(answers))
    for answer in frequency.keys() & split_of.keys():
        room[split_of[answer]] -= frequency[answer]
    for answer in in_order(frequency.keys() - split_of.keys(), seed):
        fitting = [name for name in rest if frequency[answer] <= room[name]]
        split_of[answer] = fitting[0] if fitting else train
        room[split_of[answer]] -= frequency[answer]
