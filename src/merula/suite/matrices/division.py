"""Dividing matrices among splits, so that what a model was trained on does not come again.

Lexical sets (rows of a table of sets, or the lexemes of one object with all that goes with them)
are divided once for a part: the same for all of its answer sets and types, so that a model may be
trained on one and tested on another. Or else right answers are divided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import perm

from merula.compiler import CompiledDesign
from merula.language.diagnostics import MerulaError
from merula.slots import Slot
from merula.suite.sides import Side, choices, one_side
from merula.suite.splits import Split
from merula.values import frozen
from merula.variation import AddressSpace, Variation

UNIT = "set"  # what the slot of a table of sets is called
MOST = 3  # one of so many lexical sets may be kept from training, for each other split
Wanted = Mapping[str, Mapping[str, int]]  # split, design → how many instances


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
    until they have instances of every variant, or a third of all sets, or train would have too few.
    """
    units = in_order(_titles(task), seed)
    if len(units) < len(split.names):
        raise MerulaError.of(
            "M688",
            f"{task.what} has {len(units)} lexical sets for {len(split.names)} splits",
            remedy="give its table more rows, or name another unit in the recipe",
            place=task.place,
        )
    train, *others = split.names
    found: dict[str, tuple[str, ...]] = {}
    left = units
    for name in others:
        number = max(split.sizes(len(units))[name], 1)
        most = max(len(units) // MOST, number)
        while (
            number < most
            and not _serves(task, left[:number], name)
            and _enough(task, left[number + 1 :], train)
        ):
            number += 1
        found[name], left = tuple(left[:number]), left[number:]
    found[train] = tuple(left)
    return {name: found[name] for name in split.names}


def _titles(task: Task) -> Iterable[str]:
    """The names of all lexical sets that some variant can show."""
    found: dict[str, None] = {}
    for design in task.designs:
        for plan in design.plans:
            for slot in plan.slots:
                if slot.name == task.unit:
                    found.update(dict.fromkeys(slot.titles))
    if not found:
        known = sorted(
            {s.name for d in task.designs for p in d.plans for s in p.slots if s.rows is not None}
        )
        raise MerulaError.of(
            "M688",
            f"{task.what} has no choice of lexemes called `{task.unit}`",
            remedy=f'write unit = "NAME" in the recipe; there is {", ".join(known) or "none"}',
            place=task.place,
        )
    return found


def _serves(task: Task, units: Sequence[str], split: str) -> bool:
    """Whether some lexical sets are enough for a split, in every variant that has instances."""
    return _enough(task, units, split) and all(
        mine or not there
        for own, whole in _instances(task, units)
        for mine, there in zip(own, whole, strict=True)
    )


def _enough(task: Task, units: Sequence[str], split: str) -> bool:
    """Whether some lexical sets make as many instances as a split has."""
    return all(sum(own) >= task.sizes[split] for own, _ in _instances(task, units))


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


def divide_answers(answers: Sequence[str], split: Split, seed: int) -> list[str]:
    """The split of each of some instances by their right answers, which no two splits share.

    Splits other than train are filled with one right answer after the other, in an order that the
    seed decides, as long as they stay within their sizes.
    """
    members: dict[str, list[int]] = {}
    for place, answer in enumerate(answers):
        members.setdefault(answer, []).append(place)
    train, *others = split.names
    sizes = split.sizes(len(answers))
    found = [train] * len(answers)
    room = {name: sizes[name] for name in others}
    for answer in in_order(members, seed):
        own = members[answer]
        for name in others:
            if len(own) <= room[name]:
                room[name] -= len(own)
                for place in own:
                    found[place] = name
                break
    return found
