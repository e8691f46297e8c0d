"""Dividing matrices among splits, so that what a model was trained on does not come again.

Lexical sets (rows of a table of sets, or the lexemes of one object with all that goes with them)
are divided once for a part: the same for all of its answer sets and types, so that a model may be
trained on one and tested on another. Or else right answers are divided.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import perm

from merula.compiler.compiled import CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.plan.planner import Plan
from merula.plan.slots import Slot
from merula.rows.variation import AddressSpace, Variation
from merula.suite.sides import Side, choices, one_side
from merula.suite.splits import Split

UNIT = "set"  # what the slot of a table of sets is called
MOST = 3  # one of so many lexical sets may be kept from training, for each other split


def in_order(names: Iterable[str], seed: int) -> list[str]:
    """Names in an order that they and the seed decide, not their order in a table.

    >>> in_order(["a", "b", "c"], 0) == in_order(["c", "b", "a"], 0)
    True
    """
    return sorted(
        set(names), key=lambda name: hashlib.sha256(f"merula unit {seed} {name}".encode()).digest()
    )


@frozen
class Task:
    """What lexical sets are divided for: the designs, the types, and how many instances of each."""

    designs: tuple[CompiledDesign, ...]
    variations: tuple[Variation, ...]
    sizes: Mapping[str, int]  # of each split, of each design and type
    unit: str
    what: str  # for messages
    place: str


def divide(task: Task, split: Split, seed: int) -> dict[str, tuple[str, ...]]:
    """The lexical sets of each split; raises `MerulaError` where there are too few of them.

    Each split has its share of them at first. An instance of type III takes as many different
    choices as there are sentences in its context, and one more; so splits other than train get more
    until they have instances of every variant, or a third of all sets, or train would then have too
    few of a type (of one that it has too few of anyway, no more is asked).
    """
    units = in_order(_titles(task), seed)
    if len(units) < len(split.names):
        noun = "lexical set" if len(units) == 1 else "lexical sets"
        raise MerulaError.of(
            "M688",
            f"{task.what} has {len(units)} {noun} for {len(split.names)} splits",
            remedy="give its table more rows, or ask for fewer splits (--split 90:10)",
            place=task.place,
        )
    train, *others = split.names
    found: dict[str, tuple[str, ...]] = {}
    left = units
    for place, name in enumerate(others):
        room = len(left) - len(others[place:])  # each split after it needs one, and so does train
        number = min(max(split.sizes(len(units))[name], 1), room)
        most = min(max(len(units) // MOST, number), room)
        while (
            number < most
            and not _serves(task, left[:number], name)
            and _short(task, left[number + 1 :], train) == _short(task, left[number:], train)
        ):
            number += 1
        found[name], left = tuple(left[:number]), left[number:]
    found[train] = tuple(left)
    return {name: found[name] for name in split.names}


def _titles(task: Task) -> set[str]:
    """The names of all lexical sets; raises `MerulaError` where a variant shows none."""
    found: set[str] = set()
    for plan in _plans(task):
        own = {title for s in plan.slots if s.name == task.unit for title in s.titles}
        if not own:
            raise _no_unit(task)
        found |= own
    return found


def _plans(task: Task) -> list[Plan]:
    """The plans of all designs that have instances."""
    return [plan for design in task.designs for plan in design.plans if plan.count]


def _no_unit(task: Task) -> MerulaError:
    """The error of a unit that some variant does not show."""
    slots = [{slot.name for slot in plan.slots if slot.rows is not None} for plan in _plans(task)]
    known = sorted(set.intersection(*slots))
    if UNIT in known:
        remedy = "leave unit out of the recipe: the rows of the table of sets are divided then"
    elif known:
        remedy = f'write unit = "{known[0]}" in the recipe'
        remedy += f", or {listing(known[1:], 'or')} instead" if known[1:] else ""
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


def _serves(task: Task, units: Sequence[str], split: str) -> bool:
    """Whether some lexical sets are enough for a split, in every variant that has instances."""
    return not any(_short(task, units, split)) and all(
        mine or not there
        for own, whole in _instances(task, units)
        for mine, there in zip(own, whole, strict=True)
    )


def _short(task: Task, units: Sequence[str], split: str) -> list[bool]:
    """For each design and type, whether some lexical sets make too few instances for a split."""
    return [sum(own) < task.sizes[split] for own, _ in _instances(task, units)]


def _instances(task: Task, units: Sequence[str]) -> Iterator[tuple[list[int], list[int]]]:
    """For each design and type: how many instances each plan has of some lexical sets, of all."""
    inside = frozenset(units)
    for design in task.designs:
        mine = choices(design, inside.__contains__, _is(task.unit))
        for variation in task.variations:
            space = AddressSpace(design, variation, strict=False)
            yield [perm(number, space.draws) for number in mine], list(space.counts)


def restricted(design: CompiledDesign, unit: str, units: Iterable[str]) -> Side:
    """The instances of a design that show some lexical sets only."""
    inside = frozenset(units)
    return one_side(design, inside.__contains__, _is(unit))


def _is(unit: str) -> Callable[[Slot], bool]:
    return lambda slot: slot.name == unit


def divide_answers(
    answers: Sequence[str], split: Split, seed: int, split_of: dict[str, str]
) -> None:
    """Put the split of each right answer of some instances into ``split_of``.

    What is there already stays. Splits other than train are filled with one right answer after the
    other, in an order that the seed decides, as long as they stay within their sizes.
    """
    number = Counter(answers)
    train, *others = split.names
    room = split.sizes(len(answers))
    for answer in number.keys() & split_of.keys():
        room[split_of[answer]] -= number[answer]
    for answer in in_order(number.keys() - split_of.keys(), seed):
        fitting = [name for name in others if number[answer] <= room[name]]
        split_of[answer] = fitting[0] if fitting else train
        room[split_of[answer]] -= number[answer]
