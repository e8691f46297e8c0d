"""Variants that two grammars share, and the drawing of examples from them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from merula.changes.choices import ChoiceMatcher, SharedChoices
from merula.changes.overlap import Overlap
from merula.changes.pairing import DesignVariant, VariantPair
from merula.compiler.compiled import Compiled
from merula.core.frozen import ById, frozen
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
        """Return the count of shared instances; None if it cannot be counted."""
        return 0 if self.overlap is None else self.overlap.kept

    def plan(self, *, old: bool) -> Plan:
        """Return the plan of one of the grammars."""
        plan = (self.pair.old if old else self.pair.new).plan
        assert plan is not None
        return plan

    def candidates(self, shared: Sequence[int], *, old: bool) -> tuple[int, ...]:
        """Return the candidates of a plan for a combination of shared candidates."""
        assert self.overlap is not None
        half = self.overlap.old if old else self.overlap.new
        return half.candidates([int(x[c]) for x, c in zip(half.shared, shared, strict=True)])


class Joiner:
    """A maker of shared variants, which works out an overlap once for all variants that have it."""

    def __init__(self) -> None:
        self._matcher = ChoiceMatcher()
        self._overlaps: dict[tuple[object, ...], Overlap] = {}

    def join(self, pair: VariantPair) -> SharedVariant:
        """Return a pair of variants with what they share."""
        old, new = pair.old.plan, pair.new.plan
        if old is None or new is None:
            return SharedVariant(pair, None, None)
        choices = self._matcher.match(old, new)
        key = (
            old.space,
            new.space,
            *((c.old, c.new, ById(c.old_shared), ById(c.new_shared)) for c in choices.both),
            choices.gone,
            choices.added,
        )
        if key not in self._overlaps:
            self._overlaps[key] = Overlap(old, new, choices)
        return SharedVariant(pair, choices, self._overlaps[key])


@frozen(eq=False)
class Lot:
    """Some instances of a variant, from which examples are drawn."""

    side: DesignVariant
    count: int
    member: Callable[[int], tuple[int, ...]]  # the candidates of an instance, counted from 0


def drawn(lots: Sequence[Lot], size: int, seed: int) -> Iterator[tuple[Lot, tuple[int, ...]]]:
    """Yield up to ``size`` different instances of some lots, in an order decided by the seed."""
    total = sum(lot.count for lot in lots)
    if not total:
        return
    ends = list(accumulate(lot.count for lot in lots))
    for place in Permutation(total, seed).rows(0, min(size, total)).tolist():
        i = bisect_right(ends, place)
        yield lots[i], lots[i].member(place - ends[i] + lots[i].count)


def shares(counts: Sequence[int], examples: int) -> list[int]:
    """Return how many examples each of several groups gets: one each, then a second, and so on.

    >>> shares([1, 5, 2], 6)
    [1, 3, 2]
    """
    sizes = [0] * len(counts)
    while examples > 0 and any(size < count for size, count in zip(sizes, counts, strict=True)):
        for i, count in enumerate(counts):
            if examples > 0 and sizes[i] < count:
                sizes[i] += 1
                examples -= 1
    return sizes


def lexemes(plan: Plan, candidates: Sequence[int]) -> dict[str, str]:
    """Return the lexemes of an instance, by choice."""
    names = zip(slot_names(plan), plan.slots, candidates, strict=True)
    return {name: slot.titles[c] for name, slot, c in names}


def sentence(compiled: Compiled, plan: Plan, cell: int, candidates: Sequence[int]) -> str:
    """Return a sentence of an instance."""
    return compiled.surface.sentence(phrases(plan.slots, plan.cells[cell], candidates))
