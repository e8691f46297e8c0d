"""Rules that an item breaks, scopes that its rules ask about, and contested judgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from merula.design.placement import Item
from merula.design.settings import solve
from merula.grammar import model as g
from merula.grammar.conditions import evaluate, scope_tests


def broken_rules(grammar: g.Grammar, item: Item) -> tuple[str, ...]:
    """Return the external and internal rules that fail in an item, as ``E agreement``."""
    return tuple(map(str, failing(grammar, item)))


def failing(grammar: g.Grammar, item: Item, values: g.Setting | None = None) -> Iterator[g.Rule]:
    """Yield the external and internal rules that fail in an item.

    With ``values`` in the item that has these instead, its objects at the same places.
    """
    get, around = (item.values if values is None else values).get, item.places.get
    for rule in grammar.rules:
        for test in rule.tests:
            if isinstance(test, g.Ignores):
                holds: bool | None = _ignores(grammar, item, test, values)
            else:
                holds = evaluate(test, get, around)
            if holds is False:
                yield rule
                break


def scopes(grammar: g.Grammar, item: Item) -> tuple[tuple[str, str], ...]:
    """Return, for every object whose place a rule asks about, whether it is ``in`` or ``out``.

    Scope is read off the constituents of the frame: it is the same where another word replaces the
    licensor.
    """
    scope_of: dict[str, str] = {}
    for rule in grammar.rules:
        for test in rule.tests:
            for part in scope_tests(test):
                asked = _whatever_the_word(part) if isinstance(part, g.Licensed) else part
                inside = evaluate(asked, item.values.get, item.places.get)
                if inside is not None:
                    scope_of.setdefault(part.object.name, "in" if inside else "out")
    return tuple(scope_of.items())


def _whatever_the_word(test: g.Licensed) -> g.Licensed:
    """Return the same test for any word in the licensor's place: each of its domains is open."""
    return replace(test, domains=tuple(replace(d, opened=None) for d in test.domains))


def contested(grammar: g.Grammar, item: Item) -> tuple[str, ...]:
    """Return the names of what is contested about an item: speakers or linguists differ on it."""
    return tuple(
        rule.name
        for rule in grammar.contested
        if any(evaluate(test, item.values.get, item.places.get) is True for test in rule.tests)
    )


def _ignores(grammar: g.Grammar, item: Item, test: g.Ignores, values: g.Setting | None) -> bool:
    """Return False iff the variable has an overt attractor's value instead of its determined one.

    An attractor counts only where it is in the sentence and differs from what is determined.
    """
    states: tuple[g.Setting, ...] = (item.state.given, item.state.pinned)
    if values is not None:
        states = ({**item.solved.values, **values}, {})
    values = item.values if values is None else values
    actual = values.get(test.variable)
    given, pinned = (
        {v: x for v, x in assigned.items() if v is not test.variable} for assigned in states
    )
    wanted = solve(grammar, item.frame, given, pinned).values.get(test.variable)
    if actual is None or actual == wanted:
        return True
    overt = (v for v in test.attractors if v.object in item.places)
    return all(values.get(v) != actual for v in overt)
