"""A variant of two grammars with all that is needed to count and to draw its instances."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from merula.changes.choices import ChoiceMatcher, SharedChoices
from merula.changes.overlap import Overlap
from merula.changes.pairing import DesignVariant, VariantPair
from merula.compiler.compiled import Compiled
from merula.core.frozen import frozen
from merula.plan.order import Permutation
from merula.plan.planner import Plan, phrases, slot_names


@frozen(eq=False)
class SharedVariant:
    """A variant that both grammars have; ``overlap`` is None where one of them cannot make it."""

    pair: VariantPair
    choices: SharedChoices | None
    overlap: Overlap | None

    @property
    def kept(self) -> int | None:
        """How many of its instances both have; None if that cannot be counted."""
        return 0 if self.overlap is None else self.overlap.kept

    def plan(self, *, old: bool) -> Plan:
        """The plan of one of the grammars."""
        plan = (self.pair.old if old else self.pair.new).plan
        assert plan is not None
        return plan

    def candidates(self, shared: Sequence[int], *, old: bool) -> tuple[int, ...]:
        """The candidates of a plan for a combination of shared ones."""
        assert self.overlap is not None
        half = self.overlap.old if old else self.overlap.new
        return half.candidates([int(x[c]) for x, c in zip(half.shared, shared, strict=True)])


class Joiner:
    """Joins variants; what variants have in common is found out once."""

    def __init__(self) -> None:
        self._matcher = ChoiceMatcher()
        self._overlaps: dict[tuple[object, ...], Overlap] = {}

    def join(self, pair: VariantPair) -> SharedVariant:
        """What a pair of variants shares."""
        old, new = pair.old.plan, pair.new.plan
        if old is None or new is None:
            return SharedVariant(pair, None, None)
        choices = self._matcher.match(old, new)
        key = (
            id(old.space),
            id(new.space),
            *((c.old, c.new, id(c.old_shared), id(c.new_shared)) for c in choices.both),
            choices.gone,
            choices.added,
        )
        if key not in self._overlaps:
            self._overlaps[key] = Overlap(old, new, choices)
        return SharedVariant(pair, choices, self._overlaps[key])


@frozen(eq=False)
class Lot:
    """Some instances of a variant: how many, and which candidates each of them has."""

    side: DesignVariant
    count: int
    member: Callable[[int], tuple[int, ...]]


def drawn(lots: Sequence[Lot], number: int, seed: int) -> Iterator[tuple[Lot, tuple[int, ...]]]:
    """Different instances of some lots, in the order that a seed decides."""
    total = sum(lot.count for lot in lots)
    if not total:
        return
    ends = list(accumulate(lot.count for lot in lots))
    for place in Permutation(total, seed).rows(0, min(number, total)).tolist():
        i = bisect_right(ends, place)
        yield lots[i], lots[i].member(place - ends[i] + lots[i].count)


def shares(counts: Sequence[int], number: int) -> list[int]:
    """How many examples each of several groups gets: one each, the first ones a second, …"""
    given = [0] * len(counts)
    while number > 0 and any(g < c for g, c in zip(given, counts, strict=True)):
        for i, count in enumerate(counts):
            if number > 0 and given[i] < count:
                given[i] += 1
                number -= 1
    return given


def lexemes(plan: Plan, candidates: Sequence[int]) -> dict[str, str]:
    """The lexemes of an instance, by choice."""
    names = zip(slot_names(plan), plan.slots, candidates, strict=True)
    return {name: slot.titles[c] for name, slot, c in names}


def sentence(compiled: Compiled, plan: Plan, cell: int, candidates: Sequence[int]) -> str:
    """A sentence of an instance."""
    return compiled.surface.sentence(phrases(plan.slots, plan.cells[cell], candidates))
