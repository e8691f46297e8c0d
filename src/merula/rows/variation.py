"""Lexical variation: one lexical choice for all items of an instance, or another for each.

In type I data all items of an instance show the same lexemes. In type III every item of the
context is taken from another instance of the same variant, so that the structure is kept and
no lexical choice occurs twice (Nastase et al. 2023); the answers are from one more instance, or
mixed, each from an instance of its own. Instances of type III have addresses too: with *c*
lexical choices and *k* draws there are c·(c-1)·…·(c-k+1). An address is a mixed-radix number, whose
digits count among the choices that are left: with 5 choices and 2 draws there are 5 · 4 = 20, and
address 7 = 2 + 5 · 1 draws choice 2, and then, of 0, 1, 3, 4, the choice 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Ints
from merula.core.diagnostics import MerulaError
from merula.plan.elimination import MAX_INT64_COUNT

VARIATIONS = ("I", "III")
ANSWERS = ("one", "mixed")


@dataclass(frozen=True)
class Variation:
    """A lexical variation: of kind I or III, with answers from ``one`` choice or ``mixed``."""

    kind: str = "I"
    answers: str = "one"

    def __post_init__(self) -> None:
        for value, known in ((self.kind, VARIATIONS), (self.answers, ANSWERS)):
            if value not in known:
                raise ValueError(f"{value!r} should be one of {', '.join(known)}")

    def draws(self, roles: Sequence[str]) -> tuple[int, ...]:
        """Return the number of the draw that each cell is written from, by the cells' roles."""
        if self.kind == "I":
            return (0,) * len(roles)
        context = roles.count("context")
        draws: list[int] = []
        answers = 0
        for role in roles:
            if role == "context":
                draws.append(len(draws))
            else:
                draws.append(context + (answers if self.answers == "mixed" else 0))
                answers += 1
        return tuple(draws)


TYPE_I = Variation()


@dataclass(frozen=True, eq=False)
class AddressSpace:
    """The instances of a design under a variation, addressed from 0 to ``count`` - 1.

    Raises `MerulaError` where a design has no items to vary or too few lexical choices; the latter
    only if it is ``strict``.
    """

    design: CompiledDesign
    variation: Variation = TYPE_I
    strict: bool = True

    def __post_init__(self) -> None:
        if self.variation.kind == "I" or not self.design.plans:
            return
        if self.design.kind == "paradigm":
            raise MerulaError.of(
                "M614",
                f"{self.design.name} is a paradigm: all its cells show the same lexemes, so there"
                " is no variation III of it",
                remedy="vary matrices only: name one with --design, or leave --variation out",
                place=self.design.design.span.source.name,
            )
        if self.strict and not self.count:
            most = max(plan.count for plan in self.design.plans)
            raise MerulaError.of(
                "M615",
                f"{self.design.name} has at most {most:,} lexical choices for a variant, and an"
                f" instance of variation III takes {self.draws} different ones",
                remedy="give its table more rows"
                + (
                    ", or let all answers come from one choice (--answers one)"
                    if self.variation.answers == "mixed"
                    else ""
                ),
                place=self.design.design.span.source.name,
            )

    @cached_property
    def draws_of(self) -> tuple[int, ...]:
        """The number of the draw that each cell is written from."""
        cells = self.design.cells[0][1] if self.design.cells else ()
        return self.variation.draws([cell.role for cell in cells])

    @cached_property
    def draws(self) -> int:
        """The number of lexical choices that an instance takes."""
        return max(self.draws_of, default=0) + 1

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of instances of each plan."""
        return tuple(perm(plan.count, self.draws) for plan in self.design.plans)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first address of each plan."""
        return tuple(accumulate(self.counts, initial=0))[:-1]

    @cached_property
    def count(self) -> int:
        """The number of instances, exactly."""
        return sum(self.counts)

    def by_frame(self) -> dict[str, int]:
        """Return the number of instances of each frame."""
        counts: dict[str, int] = {frame.name: 0 for frame in self.design.design.frames}
        for plan, count in zip(self.design.plans, self.counts, strict=True):
            counts[plan.variant.frame.name] += count
        return counts

    def locate(self, addresses: NDArray[Any]) -> tuple[Ints, list[NDArray[Any]]]:
        """Return the plan of each address, and for each draw the address in the plan."""
        if addresses.dtype == object:
            places = [bisect_right(self.starts, a) - 1 for a in addresses]
            plan_of = np.array(places, dtype=np.int64)
        else:
            starts = np.array(self.starts, dtype=np.int64)
            plan_of = np.searchsorted(starts, addresses, side="right") - 1
        kind = np.int64 if max(self.starts, default=0) < MAX_INT64_COUNT else object
        local = addresses - np.array(self.starts, dtype=kind)[plan_of]
        if self.draws == 1:
            return plan_of, [local]
        return plan_of, self._drawn(plan_of, local)

    def address(self, plan: int, draws: Sequence[int]) -> int:
        """Return the address of an instance, given its plan and the draws' addresses in it.

        The inverse of `locate`.
        """
        address, size = 0, self.design.plans[plan].count
        for i in range(len(draws) - 1, -1, -1):
            place = draws[i] - sum(earlier < draws[i] for earlier in draws[:i])
            address = place + (size - i) * address
        return self.starts[plan] + address

    def _drawn(self, plan_of: Ints, local: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the draws of each instance: digit *i* counts among the choices that are left."""
        counts = [plan.count for plan in self.design.plans]
        kind: Any = np.int64 if max(counts) < MAX_INT64_COUNT else object
        sizes = np.array(counts, dtype=local.dtype)[plan_of]
        rest, done = local, []
        taken: list[NDArray[Any]] = []
        for draw in range(self.draws):
            left = sizes - draw
            above = rest // left
            place = (rest - above * left).astype(kind)
            rest = above
            for used in taken:
                place = place + (place >= used)
            done.append(place)
            taken = _inserted(taken, place)
        return done


def _inserted(columns: list[NDArray[Any]], column: NDArray[Any]) -> list[NDArray[Any]]:
    """Return columns that are sorted row by row, with one more."""
    done = []
    for sorted_column in columns:
        done.append(np.minimum(sorted_column, column))
        column = np.maximum(sorted_column, column)
    return [*done, column]
