"""Elimination against trying out all combinations of small components."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from merula.plan import elimination
from merula.plan.elimination import Component
from merula.plan.relations import Constraint, ConstraintOrigin, Distinct, TooWide

ORIGIN = ConstraintOrigin("a test")
Drawn = tuple[list[int], list[Constraint], list[Distinct]]


def constraint(slots: Sequence[int], groups: Sequence[Sequence[int]], table: object) -> Constraint:
    arrays = tuple(np.array(numbers, dtype=np.int64) for numbers in groups)
    return Constraint(tuple(slots), arrays, np.array(table, dtype=np.bool_), ORIGIN)


def distinct(slots: Sequence[int], keys: Sequence[Sequence[int]]) -> Distinct:
    arrays = tuple(np.array(numbers, dtype=np.int64) for numbers in keys)
    return Distinct(tuple(slots), arrays, ORIGIN)


@st.composite
def components(draw: st.DrawFn) -> Drawn:
    """Two to four slots, one to three constraints, and perhaps a group of distinct slots."""
    sizes = draw(st.lists(st.integers(0, 4), min_size=2, max_size=4))
    every = range(len(sizes))
    some = st.lists(st.sampled_from(every), min_size=1, max_size=3, unique=True)
    constraints = []
    for slots in draw(st.lists(some, min_size=1, max_size=3)):
        width = draw(st.integers(1, 3))
        groups = [
            draw(st.lists(st.integers(0, width - 1), min_size=sizes[s], max_size=sizes[s]))
            for s in slots
        ]
        entries = width ** len(slots)
        allowed = draw(st.lists(st.booleans(), min_size=entries, max_size=entries))
        table = np.array(allowed).reshape([width] * len(slots))
        constraints.append(constraint(slots, groups, table))
    differing = draw(st.lists(st.sampled_from(every), max_size=len(sizes), unique=True))
    if len(differing) < 2:
        return sizes, constraints, []
    keys = [draw(st.permutations(range(5)))[: sizes[slot]] for slot in differing]
    return sizes, constraints, [distinct(differing, keys)]


def allowed(drawn: Drawn) -> set[tuple[int, ...]]:
    """All combinations that a component allows, tried out one by one."""
    sizes, constraints, differing = drawn

    def fits(chosen: Sequence[int]) -> bool:
        keys = [[k[chosen[s]] for s, k in zip(d.slots, d.keys, strict=True)] for d in differing]
        return all(len(set(some)) == len(some) for some in keys) and all(
            c.table[tuple(g[chosen[s]] for s, g in zip(c.slots, c.groups, strict=True))]
            for c in constraints
        )

    return {chosen for chosen in product(*map(range, sizes)) if fits(chosen)}


def check(drawn: Drawn) -> None:
    component = Component(*drawn)
    combinations = allowed(drawn)
    assert component.count == len(combinations)
    chosen = component.unrank(np.arange(component.count))
    unranked = list(zip(*(chosen[slot].tolist() for slot in component.slots), strict=True))
    assert len(unranked) == component.count
    assert set(unranked) == combinations
    assert [component.rank(candidates) for candidates in unranked] == [*range(component.count)]


@given(components())
@example(([3, 3], [constraint([0, 1], [[0, 1, 2], [0, 1, 2]], ~np.eye(3, dtype=bool))], []))
@example(([4, 4, 4], [], [distinct([0, 1, 2], [[0, 1, 2, 3], [1, 2, 3, 4], [3, 0, 4, 2]])]))
def test_counts_and_addresses_are_those_of_all_combinations(drawn: Drawn) -> None:
    check(drawn)


@given(components())
def test_numbers_without_bounds_say_the_same(drawn: Drawn) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "MAX_INT64_COUNT", 1)
        component = Component(*drawn)
        assert component.wide
        check(drawn)
    narrow = Component(*drawn)
    addresses = np.arange(narrow.count)
    exact, wide = narrow.unrank(addresses), component.unrank(addresses.astype(object))
    assert all(exact[slot].tolist() == wide[slot].tolist() for slot in narrow.slots)


def test_a_huge_component_is_exact() -> None:
    """Seven slots of 1,000 that differ pairwise have more combinations than an int64 holds."""
    keys = range(1_000)
    component = Component([1_000] * 7, [], [distinct(range(7), [keys] * 7)])
    count = 1
    for left in range(1_000, 993, -1):
        count *= left
    assert component.wide
    assert component.count == count
    for address in (0, 1, count // 3, count - 1):
        chosen = component.unrank(np.array([address], dtype=object))
        candidates = [int(chosen[slot][0]) for slot in range(7)]
        assert len(set(candidates)) == 7
        assert component.rank(candidates) == address


def test_many_addresses_are_found_as_one_by_one() -> None:
    """Long rows of uneven sums, with places that hold nothing, as the guide has to find them."""
    random = np.random.default_rng(4)
    sizes = [60, 50, 40]
    pairs = [(0, 1), (1, 2)]
    constraints = [
        constraint(
            pair,
            [range(sizes[slot]) for slot in pair],
            random.random([sizes[slot] for slot in pair]) < random.random(sizes[pair[0]])[:, None],
        )
        for pair in pairs
    ]
    component = Component(sizes, constraints, [])
    addresses = np.arange(component.count)
    chosen = component.unrank(addresses)  # so many that the guide is made
    assert "guide" in component.buckets[-1].__dict__ or "guide" in component.buckets[0].__dict__
    few = Component(sizes, constraints, [])
    for address in random.integers(component.count, size=200).tolist():
        one = few.unrank(np.array([address]))
        assert [int(one[s][0]) for s in range(3)] == [int(chosen[s][address]) for s in range(3)]
        assert few.rank([int(one[s][0]) for s in range(3)]) == address


def test_what_ties_too_much_together_is_named() -> None:
    size = 300
    groups = [np.arange(size)] * 2
    table = np.random.default_rng(1).random((size, size)) < 0.5
    every = [(0, 1), (1, 2), (0, 2)]
    constraints = [
        Constraint(slots, tuple(groups), table, ConstraintOrigin(str(slots))) for slots in every
    ]
    with pytest.raises(TooWide) as error:
        Component([size] * 3, constraints, [])
    assert sorted(error.value.slots) == [0, 1, 2]
    assert [origin.text for origin in error.value.origins] == ["(0, 1)", "(1, 2)", "(0, 2)"]
