"""Splits: how many instances go into each, and which lexemes.

In: shares such as ``80:10:10``, and a seed. Out: sizes, the split of each paradigm, the split of
each lexeme, and designs restricted to the lexemes of one split. Recipes, the drawing of paradigms
and the division of matrices call this. Sizes add up to the whole; the split of a lexeme depends on
its lemma and the seed alone; an instance of a restricted design has an address in the whole one.

>>> Split.of("80:10:10").sizes(1000)
{'train': 800, 'dev': 100, 'test': 100}
>>> Split.of("90:10").sizes(15)
{'train': 14, 'test': 1}
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.plan.elimination import MAX_INT64_COUNT
from merula.plan.order import Permutation
from merula.plan.planner import Plan
from merula.plan.slots import Slot, kept
from merula.plan.space import Space

NAMES = {2: ("train", "test"), 3: ("train", "dev", "test")}  # by the number of shares


@frozen
class Split:
    """The splits that are not empty, in order, with their shares of the whole."""

    shares: tuple[tuple[str, Fraction], ...]

    @staticmethod
    def of(text: str) -> Split:
        """Return the split of a text such as ``80:10:10`` or ``90:10``; raises ValueError."""
        try:
            parts = [Fraction(part.strip()) for part in text.split(":")]
        except (ValueError, ZeroDivisionError):
            parts = []
        if len(parts) not in NAMES or min(parts) < 0 or sum(parts) <= 0:
            raise ValueError(
                f"{text!r} should be shares for train, dev and test such as 80:10:10, or for"
                " train and test such as 90:10"
            )
        whole = sum(parts)
        named = zip(NAMES[len(parts)], parts, strict=True)
        return Split(tuple((name, part / whole) for name, part in named if part))

    def __str__(self) -> str:
        return ", ".join(f"{name} {float(share):.4g}" for name, share in self.shares)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the splits."""
        return tuple(name for name, _ in self.shares)

    def sizes(self, count: int) -> dict[str, int]:
        """Return how many of ``count`` instances each split has.

        Sizes are whole numbers that add up (Hare's method): shares are rounded down, and the
        instances left over go where most was cut off. Of 15 in 90:10 shares are 13.5 and 1.5,
        rounded 13 and 1; the one left over goes to train, the first of two that lost a half.
        """
        exact = {name: share * count for name, share in self.shares}
        sizes = {name: int(size) for name, size in exact.items()}
        left = count - sum(sizes.values())
        most_cut_first = sorted(sizes, key=lambda name: sizes[name] - exact[name])
        for name in most_cut_first[:left]:
            sizes[name] += 1
        return sizes

    def split_of(self, lemma: str, seed: int) -> str:
        """Return the split of a lexeme, which its lemma and a seed decide."""
        place = _fraction(lemma, seed)
        below = Fraction(0)
        for name, share in self.shares:
            below += share
            if place < below:
                return name
        return self.names[-1]


@lru_cache(maxsize=100_000)  # more lexemes than tables have
def _fraction(lemma: str, seed: int) -> Fraction:
    """Return a number from 0 to below 1 that a lemma and a seed decide."""
    digest = hashlib.sha256(f"merula side {seed} {lemma}".encode()).digest()
    return Fraction(int.from_bytes(digest[:8], "big"), 2**64)


def shared_evenly(count: int, kinds: int, first: int = 0) -> list[int]:
    """Return how often each of some kinds is taken, if they are taken in turn.

    Instances are numbered from ``first``, and instance i is of kind i modulo ``kinds``.

    >>> shared_evenly(5, 2), shared_evenly(5, 2, first=5)
    ([3, 2], [2, 3])
    """
    return [len(range(first + (i - first) % kinds, first + count, kinds)) for i in range(kinds)]


def split_names(split: Split, kinds: Sequence[int], seed: int) -> list[str]:
    """Return the split of each of some paradigms, whose kinds are given.

    Splits have their sizes (`Split.sizes`), and of each kind their share but for rounding. The
    paradigms of a kind are put in an order that the seed decides, the kinds are taken in turn, and
    the splits are stretches of that.

    >>> split_names(Split.of("50:50"), [0, 0, 1, 1], 0)
    ['test', 'train', 'test', 'train']
    """
    count = len(kinds)
    if not count:
        return []
    shuffled = Permutation(count, seed).rows(0, count)
    by_kind: dict[int, list[int]] = {kind: [] for kind in sorted(set(kinds))}
    for place in shuffled.tolist():
        by_kind[kinds[place]].append(place)
    places = _in_turn(list(by_kind.values()))
    names = [""] * count
    start = 0
    for name, size in split.sizes(count).items():
        for place in places[start : start + size].tolist():
            names[place] = name
        start += size
    return names


def _in_turn(queues: Sequence[Sequence[int]]) -> Ints:
    """Merge queues so that every stretch has about its share of each.

    Member i of a queue of length n is put at (2i + 1) / 2n of the whole, the middle of its n-th
    part: of queues of 2 and 4 the members are at 2/8 and 6/8, and at 1/8, 3/8, 5/8 and 7/8.
    """
    keys = [
        ((2 * place + 1) / (2 * len(queue)), number, member)
        for number, queue in enumerate(queues)
        for place, member in enumerate(queue)
    ]
    return np.array([member for _, _, member in sorted(keys)], dtype=np.int64)


# --- designs whose content lexemes are in one split --------------------------------------------

Inside = Callable[[str], bool]  # whether the lexeme of a title belongs to the split
IsContent = Callable[[Slot], bool]  # whether a slot has content lexemes


@frozen(eq=False)
class RestrictedDesign:
    """A design with some of its lexemes only; its instances have addresses in the whole design too.

    ``whole`` has for each plan of the restricted design the plan that it is of, with the first
    address of that plan and, for each slot, the candidates that are kept.
    """

    design: CompiledDesign
    whole: tuple[tuple[int, Plan, tuple[Ints, ...]], ...]

    def addresses(self, restricted: NDArray[Any]) -> list[int]:
        """Return the addresses in the whole design of some addresses in the restricted one."""
        by_plan: dict[int, list[tuple[int, int]]] = {}
        for place, address in enumerate(restricted.tolist()):
            plan_number, local = self.design.locate(int(address))
            by_plan.setdefault(plan_number, []).append((place, local))
        addresses = [0] * len(restricted)
        for plan_number, places in by_plan.items():
            first, plan, candidates = self.whole[plan_number]
            space = self.design.plans[plan_number].space
            kind: Any = np.int64 if space.count < MAX_INT64_COUNT else object
            chosen = space.unrank(np.array([local for _, local in places], dtype=kind))
            rows = zip(*(kept[x] for kept, x in zip(candidates, chosen, strict=True)), strict=True)
            ranks: dict[tuple[int, ...], int] = {}
            for (place, _), row in zip(places, rows, strict=True):
                if row not in ranks:
                    ranks[row] = first + plan.space.rank([int(i) for i in row])
                addresses[place] = ranks[row]
        return addresses


def is_content(slot: Slot, closed: Sequence[str], categories: Mapping[str, str]) -> bool:
    """Return whether a slot has content lexemes: those of a table, not of a closed category.

    Words that a grammar names itself (``ever = no "often", "recently"``) are not content lexemes.
    ``categories`` are those of objects.
    """
    if slot.rows is None:
        return False
    return not slot.objects or any(categories.get(name) not in closed for name in slot.objects)


def restricted(design: CompiledDesign, inside: Inside, is_content: IsContent) -> RestrictedDesign:
    """Return the instances of a design all of whose content lexemes are ``inside``.

    The spaces of the plans are restricted to some candidates, so that a grammar is compiled once,
    on all its tables.
    """
    keeper = _Keeper(inside, is_content)
    plans: list[Plan] = []
    whole: list[tuple[int, Plan, tuple[Ints, ...]]] = []
    for first, plan in zip(design.starts, design.plans, strict=True):
        candidates = keeper.candidates(plan)
        space = keeper.space(plan.space, candidates)
        if space.count:
            slots = tuple(keeper.slot(slot) for slot in plan.slots)
            plans.append(replace(plan, slots=slots, space=space))
            whole.append((first, plan, candidates))
    starts = tuple(accumulate((plan.count for plan in plans), initial=0))
    part = replace(design, plans=tuple(plans), starts=starts[:-1], count=starts[-1])
    return RestrictedDesign(part, tuple(whole))


def restricted_counts(
    design: CompiledDesign, inside: Inside, is_content: IsContent
) -> tuple[int, ...]:
    """Return how many instances `restricted` would leave to each plan of a design, 0 included."""
    keeper = _Keeper(inside, is_content)
    return tuple(keeper.space(plan.space, keeper.candidates(plan)).count for plan in design.plans)


class _Keeper:
    """Restricts slots and spaces to the candidates inside; the same ones are restricted once."""

    def __init__(self, inside: Inside, is_content: IsContent) -> None:
        self.inside, self.is_content = inside, is_content
        self._masks: dict[tuple[str, ...], Bools] = {}  # by the titles of a slot
        self._slots: dict[Slot, Slot] = {}
        self._spaces: dict[tuple[Any, ...], Space] = {}

    def mask(self, slot: Slot) -> Bools:
        """Return which candidates of a slot are inside."""
        if not self.is_content(slot):
            return np.ones(len(slot), dtype=np.bool_)
        if slot.titles not in self._masks:
            mask = np.array([self.inside(title) for title in slot.titles], dtype=np.bool_)
            self._masks[slot.titles] = mask
        return self._masks[slot.titles]

    def candidates(self, plan: Plan) -> tuple[Ints, ...]:
        """Return for each slot of a plan the numbers of the candidates inside."""
        return tuple(np.flatnonzero(self.mask(slot)) for slot in plan.slots)

    def slot(self, slot: Slot) -> Slot:
        """Return the slot with the candidates inside."""
        if slot not in self._slots:
            self._slots[slot] = kept(slot, self.mask(slot))
        return self._slots[slot]

    def space(self, space: Space, candidates: tuple[Ints, ...]) -> Space:
        """Return the space of some candidates only."""
        key = (space, *(x.tobytes() for x in candidates))
        if key not in self._spaces:
            self._spaces[key] = space.restricted(candidates)
        return self._spaces[key]
