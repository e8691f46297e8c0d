"""Constraints of selections against what each selection says of two or three lexemes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest

from merula.compiler.compile import compile_source
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.plan import constraints
from merula.plan.constraints import Selector, Together
from merula.plan.planner import Plan
from merula.plan.relations import Constraint, Distinct, TooWide
from merula.plan.slots import some

GRAMMAR = """
phenomenon p
lexicon noun "nouns.csv"
lexicon verb "verbs.csv"
objects
  a, b : noun
  c    : verb
  m    : mark
attributes
  m = yes "m" | no "k"
select
  SELECTION
frames
  f = a b c m
paradigm p = m
"""
NOUNS = """\
lemma,sort,scene
cow,animal,farm | field
dog,animal,*
oak,plant,field
axe,thing,wood
"""
VERBS = """\
lemma,of,scene
eat,animal,farm
cut,plant or thing,wood | field
see,*,*
run,,sea
"""
Row = dict[str, str]


class Lexemes(NamedTuple):
    """The rows of a combination, by their slots."""

    a: Row
    b: Row
    c: Row


EVERY: Together = frozenset(combinations(range(3), 2))


def plan_and_selector(selection: str) -> tuple[Plan, Selector]:
    """A plan of the slots a, b, c, and what makes the constraints between them."""
    tables = {"nouns.csv": NOUNS, "verbs.csv": VERBS}
    compiled = compile_source(
        Source("p.merula", GRAMMAR.replace("SELECTION", selection)), tables=tables
    )
    assert not compiled.failed, [str(problem) for problem in compiled.problems]
    assert compiled.grammar is not None
    return compiled.designs["p"].plans[0], Selector(compiled.grammar, Report())


def rows_of(table: str) -> dict[str, Row]:
    head, *lines = (line.split(",") for line in table.splitlines())
    return {line[0]: dict(zip(head, line, strict=True)) for line in lines}


def passing(
    plan: Plan, made: Sequence[Constraint], distinct: Sequence[Distinct]
) -> set[tuple[str, ...]]:
    """The titles of all combinations that constraints let pass."""
    found = set()
    for chosen in product(*(range(len(slot)) for slot in plan.slots)):
        fits = all(
            c.table[tuple(g[chosen[s]] for s, g in zip(c.slots, c.groups, strict=True))]
            for c in made
        )
        for d in distinct:
            keys = [int(k[chosen[s]]) for s, k in zip(d.slots, d.keys, strict=True)]
            fits = fits and len(set(keys)) == len(keys)
        if fits:
            pairs = zip(plan.slots, chosen, strict=True)
            found.add(tuple(slot.titles[place] for slot, place in pairs))
    return found


def is_a(noun: Row, verb: Row) -> bool:
    return verb["of"] == "*" or noun["sort"] in verb["of"].split(" or ")


def share(rows: Sequence[Row]) -> bool:
    scenes = [set(row["scene"].split(" | ")) for row in rows if row["scene"] != "*"]
    return not scenes or bool(set.intersection(*scenes))


@pytest.mark.parametrize(
    ("selection", "allowed"),
    [
        ("a is c.of", lambda x: is_a(x.a, x.c)),
        ("a, b is c.of", lambda x: is_a(x.a, x.c) and is_a(x.b, x.c)),
        ("a is not c.of", lambda x: not is_a(x.a, x.c)),
        ("a, c share scene", lambda x: share([x.a, x.c])),
        ("a, b, c share scene", lambda x: share([x.a, x.b, x.c])),
        ("a, b differ", lambda x: x.a != x.b),
        ("a is sort = animal", lambda x: x.a["sort"] == "animal"),
        (
            "a is c.of\n  a, b differ\n  b, c share scene",
            lambda x: is_a(x.a, x.c) and x.a != x.b and share([x.b, x.c]),
        ),
    ],
)
def test_what_passes_is_what_is_selected(
    selection: str, allowed: Callable[[Lexemes], bool]
) -> None:
    plan, selector = plan_and_selector(selection)
    nouns, verbs = rows_of(NOUNS), rows_of(VERBS)
    expected = {
        (a, b, c)
        for a, b, c in product(nouns, nouns, verbs)
        if allowed(Lexemes(nouns[a], nouns[b], verbs[c]))
    }
    assert 0 < len(expected) < len(nouns) ** 2 * len(verbs)
    made, distinct = selector.constraints(plan.slots, EVERY)
    assert passing(plan, made, distinct) == expected
    assert plan.space.count == len(expected)
    origins = [c.origin for c in made] + [d.origin for d in distinct]
    assert all(origin.text in " ".join(selection.split()) for origin in origins)


def test_only_slots_of_one_sentence_select_each_other() -> None:
    plan, selector = plan_and_selector("a, b is c.of")
    made, _ = selector.constraints(plan.slots, frozenset({(0, 2)}))
    assert [c.slots for c in made] == [(0, 2)]
    assert selector.constraints(plan.slots, frozenset()) == ([], [])


def test_what_equal_slots_share_is_made_once() -> None:
    plan, selector = plan_and_selector("a, b is c.of\n  a, c share scene\n  a, b differ")
    once, twice = (selector.constraints(plan.slots, EVERY) for _ in range(2))
    for first, second in zip(once[0], twice[0], strict=True):
        assert first.table is second.table
    for one, other in zip(once[1], twice[1], strict=True):
        assert one.keys[0] is other.keys[0]


def test_groups_of_slots_that_differ() -> None:
    plan, selector = plan_and_selector("a, b differ")
    made, (distinct,) = selector.constraints(plan.slots, EVERY)
    assert made == []
    assert distinct.slots == (0, 1)
    # a slot is in one group: what overlaps it is a constraint for each pair
    slots = (plan.slots[0], plan.slots[1], plan.slots[0])
    plan, selector = plan_and_selector("a, b differ\n  b, a differ")
    made, distincts = selector.constraints(slots, EVERY)
    assert [d.slots for d in distincts] == [(0, 1, 2)]
    assert [c.slots for c in made] == [(0, 1), (0, 2), (1, 2)]
    for constraint in made:
        one, other = constraint.groups
        for i, j in product(range(4), repeat=2):
            assert constraint.table[one[i], other[j]] == (i != j)


def test_slots_without_a_common_lexeme_always_differ() -> None:
    plan, selector = plan_and_selector("a, c differ")
    assert selector.constraints(plan.slots, EVERY) == ([], [])


def test_one_value_for_all_needs_no_table_of_all() -> None:
    """Each verb of one scene: every noun has to fit it, two by two. With several: all at once."""
    plan, selector = plan_and_selector("a, b, c share scene")
    (whole,), _ = selector.constraints(plan.slots, EVERY)
    assert whole.slots == (0, 1, 2)
    oaks = [row for row in range(4) if plan.slots[1].titles[row] in ("oak", "axe")]
    fewer = (plan.slots[0], some(plan.slots[1], np.array(oaks)), plan.slots[2])
    spokes, _ = selector.constraints(fewer, EVERY)
    assert [c.slots for c in spokes] == [(0, 1), (1, 2)]


def test_what_is_too_large_to_compare_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, selector = plan_and_selector("a, b, c share scene")
    monkeypatch.setattr(constraints, "MAX_TABLE", 10)
    with pytest.raises(TooWide) as error:
        selector.constraints(plan.slots, EVERY)
    assert [origin.text for origin in error.value.origins] == ["a, b, c share scene"]
