"""Settings: the value of every variable of an item.

A frame and what a design gives go in; a `Solved` comes out. `merula.design.placement` calls this.
Slow and obvious on purpose: a design has few items, whatever the number of lexemes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from merula.core.frozen import frozen
from merula.design.leaves import around, elsewhere
from merula.grammar import model as g
from merula.grammar.conditions import evaluate, scope_tests, variables_of


class Circular(Exception):
    """Attributes that determine each other in a circle."""

    def __init__(self, variables: Sequence[g.Variable], rule: g.Rule) -> None:
        super().__init__(variables)
        self.variables, self.rule = variables, rule


@frozen
class Solved:
    """A total setting; ``determined`` are the variables that a rule gave their value."""

    values: Mapping[g.Variable, str]
    determined: frozenset[g.Variable]


OTHER = "≠"  # pinned: not the value that the rules give, but the other one
MAX_OPEN = 200  # variables solved inside one another; `in_order` leaves that to rules in a circle


def solve(
    grammar: g.Grammar,
    frame: g.Frame,
    given: Mapping[g.Variable, str],
    pinned: Mapping[g.Variable, str] | None = None,
) -> Solved:
    """Give every variable its value: pinned, given, fixed, by a rule, or its first value.

    A variable that is pinned to `OTHER` has the other one of its two values than it would have
    without that, whatever the rules give it.
    An attribute of an absent object has no value and is left out; objects that the frame cannot
    show are absent. A condition may ask where an object is: in the frame as it is written,
    whatever edits move later.
    """
    return _solved(
        grammar,
        elsewhere(grammar, frame),
        frame if _ask_for_places(grammar) else None,
        frozenset(given.items()),
        frozenset((pinned or {}).items()),
    )


@lru_cache(maxsize=256)
def _ask_for_places(grammar: g.Grammar) -> bool:
    """Return whether some value depends on where an object is."""
    conditions = (test for equation in grammar.equations for test, _ in equation.conditions)
    return any(True for test in conditions for _ in scope_tests(test))


_Pairs = frozenset[tuple[g.Variable, str]]


@lru_cache(maxsize=2_000)
def _solved(
    grammar: g.Grammar,
    absent: frozenset[g.Object],
    frame: g.Frame | None,
    given: _Pairs,
    pinned: _Pairs,
) -> Solved:
    """Solve a setting, once: the items of a design have few different ones between them.

    Frames that have the same objects share it where no value depends on their places.
    """
    return _Solver(grammar, absent, frame, dict(given), dict(pinned)).run()


class _Solver:
    def __init__(
        self,
        grammar: g.Grammar,
        absent: frozenset[g.Object],
        frame: g.Frame | None,
        given: Mapping[g.Variable, str],
        pinned: Mapping[g.Variable, str],
    ) -> None:
        self.grammar, self.given, self.pinned = grammar, given, pinned
        self.absent, self.frame = absent, frame
        self.values: dict[g.Variable, str | None] = {}
        self.determined: set[g.Variable] = set()
        self.open: list[g.Variable] = []
        self.equations: dict[g.Variable, list[g.Equation]] = {}
        for equation in in_force(grammar, frozenset(given)):
            self.equations.setdefault(equation.target, []).append(equation)

    def run(self) -> Solved:
        for variable in in_order(self.grammar, frozenset(self.given)):
            self.value(variable)
        values = {v: value for v, value in self.values.items() if value is not None}
        return Solved(values, frozenset(self.determined))

    def value(self, variable: g.Variable) -> str | None:
        if variable in self.values:
            return self.values[variable]
        if variable in self.open or len(self.open) > MAX_OPEN:
            first = self.open.index(variable) if variable in self.open else 0
            circle = self.open[first:]
            raise Circular(
                circle, next(self.equations[v][0].rule for v in circle if v in self.equations)
            )
        self.open.append(variable)
        self.values[variable] = result = self._value(variable)
        self.open.pop()
        return result

    def _value(self, variable: g.Variable) -> str | None:
        if variable.object in self.absent:
            return None
        own = self.grammar.own(variable.object)
        may_lack = own is not None and own is not variable and g.ABSENT in own.values
        if may_lack and own is not None and self.value(own) == g.ABSENT:
            return None
        pin = self.pinned.get(variable)
        if pin is not None and pin != OTHER:
            return pin
        if variable in self.given:
            return self.given[variable]
        for equation in () if variable.fixed else self.equations.get(variable, ()):
            if all((self.test(t) is True) is wanted for t, wanted in equation.conditions):
                source = equation.source
                result = source if isinstance(source, str) else self.value(source)
                if result is not None and pin == OTHER:
                    return _other(variable, result)
                if result is not None:
                    self.determined.add(variable)
                    return result
        default = variable.default or None
        return _other(variable, default) if pin == OTHER and default else default

    def test(self, test: g.Test) -> bool | None:
        return evaluate(test, self.value, self.around)

    def around(self, target: g.Object) -> tuple[str, ...] | None:
        assert self.frame is not None
        return around(self.grammar, self.frame, target, self.value)


def _other(variable: g.Variable, value: str) -> str:
    return next(other for other in variable.values if other != value)


@lru_cache(maxsize=256)
def in_force(grammar: g.Grammar, known: frozenset[g.Variable]) -> tuple[g.Equation, ...]:
    """Return the equations that determine something where the variables ``known`` are given.

    ``a = b`` determines ``a``: an attribute takes a value, a lexical feature asks for lexemes
    that have it. Where ``a`` is given, the equation is only a test.
    """
    return tuple(
        equation
        for equation in grammar.equations
        if equation.target not in known and not equation.target.fixed
    )


@lru_cache(maxsize=256)
def in_order(grammar: g.Grammar, known: frozenset[g.Variable]) -> tuple[g.Variable, ...]:
    """Return all variables, those that determine others first (where there is no circle).

    So a long chain of rules is solved link by link, not by recursion.
    """
    needs: dict[g.Variable, list[g.Variable]] = {v: [] for v in grammar.variables.values()}
    for equation in in_force(grammar, known):
        if isinstance(equation.source, g.Variable):
            needs[equation.target].append(equation.source)
        for test, _ in equation.conditions:
            needs[equation.target].extend(variables_of(test))
    try:
        return tuple(TopologicalSorter(needs).static_order())
    except CycleError:
        return tuple(grammar.variables.values())
