"""Settings: what value every variable of an item has, and whether a test holds in it.

Slow and obvious on purpose: a design has few items, whatever the number of lexemes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from merula import grammar as g
from merula.values import frozen


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
MAX_OPEN = 200  # variables solved inside one another: more only where rules form a circle


def solve(
    grammar: g.Grammar,
    given: Mapping[g.Variable, str],
    pinned: Mapping[g.Variable, str] | None = None,
) -> Solved:
    """Give every variable its value: pinned, given, fixed, by a rule, or its first value.

    A variable that is pinned to `OTHER` has the other one of its two values than it would have
    without that, whatever the rules give it.
    An attribute of an absent object has no value and is left out.
    """
    return _solved(grammar, frozenset(given.items()), frozenset((pinned or {}).items()))


_Pairs = frozenset[tuple[g.Variable, str]]


@lru_cache(maxsize=2_000)
def _solved(grammar: g.Grammar, given: _Pairs, pinned: _Pairs) -> Solved:
    """`solve`, once for each setting: the items of a design have few between them."""
    return _Solver(grammar, dict(given), dict(pinned)).run()


class _Solver:
    def __init__(
        self,
        grammar: g.Grammar,
        given: Mapping[g.Variable, str],
        pinned: Mapping[g.Variable, str],
    ) -> None:
        self.grammar, self.given, self.pinned = grammar, given, pinned
        self.values: dict[g.Variable, str | None] = {}
        self.determined: set[g.Variable] = set()
        self.open: list[g.Variable] = []
        self.equations: dict[g.Variable, list[g.Equation]] = {}
        for equation in in_force(grammar, frozenset(given)):
            self.equations.setdefault(equation.target, []).append(equation)

    def run(self) -> Solved:
        for variable in in_order(self.grammar, frozenset(self.given)):
            self.value(variable)
        known = {v: value for v, value in self.values.items() if value is not None}
        return Solved(known, frozenset(self.determined))

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
        return evaluate(test, self.value)


def _other(variable: g.Variable, value: str) -> str:
    return next(other for other in variable.values if other != value)


@lru_cache(maxsize=256)
def in_force(grammar: g.Grammar, known: frozenset[g.Variable]) -> tuple[g.Equation, ...]:
    """The equations that determine something where the variables ``known`` are given.

    ``a = b`` determines ``a``: an attribute takes a value, a lexical feature asks for lexemes
    that have it. Where ``a`` is given, the equation is only a test.
    """
    return tuple(
        equation
        for equation in grammar.equations
        if equation.target not in known
        and not equation.target.fixed
        and not _needs_places(equation)
    )


@lru_cache(maxsize=256)
def in_order(grammar: g.Grammar, known: frozenset[g.Variable]) -> tuple[g.Variable, ...]:
    """All variables, those that determine others first (where there is no circle).

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


def parts(test: g.Test) -> Iterator[g.Test]:
    """A test and all tests it is made of."""
    yield test
    match test:
        case g.Not(test=inner):
            yield from parts(inner)
        case g.AllOf(tests=tests) | g.AnyOf(tests=tests):
            for part in tests:
                yield from parts(part)
        case g.Choice(condition=c, consequence=t, alternative=a):
            for branch in (c, t, a):
                if branch is not None:
                    yield from parts(branch)


def variables_of(test: g.Test) -> Iterator[g.Variable]:
    """The variables that a test asks about."""
    for part in parts(test):
        match part:
            case g.Is(variable=variable):
                yield variable
            case g.Same(variable=variable, other=other):
                yield from (variable, other)
            case g.Ignores(variable=variable, attractors=attractors):
                yield from (variable, *attractors)
            case g.Within(place=g.Variable() as place):
                yield place
            case g.Licensed(domains=domains, barriers=barriers):
                conditions = (c for d in (*domains, *barriers) for c in (d.there, d.opened))
                yield from (c.variable for c in conditions if c is not None)


def scope_tests(test: g.Test) -> Iterator[g.Within | g.Licensed]:
    """The parts of a test that ask whether something stands in a constituent."""
    return (part for part in parts(test) if isinstance(part, (g.Within, g.Licensed)))


def _needs_places(equation: g.Equation) -> bool:
    return any(True for test, _ in equation.conditions for _ in scope_tests(test))


# --- tests ---------------------------------------------------------------------------------

Getter = Callable[[g.Variable], str | None]
Places = Mapping[g.Object, tuple[str, ...]]
NEXT = ""  # stands between the constituents around an object's places, where it has several


def evaluate(test: g.Test, get: Getter, places: Places | None = None) -> bool | None:
    """Whether a test holds: True, False, or None where it asks about an absent object.

    ``places`` are the constituents around each object that stands in the sentence.
    """
    match test:
        case g.Is(variable=variable, values=values):
            value = get(variable)
            return None if value is None else value in values
        case g.Same(variable=variable, other=other):
            value, wanted = get(variable), get(other)
            return None if value is None or wanted is None else value == wanted
        case g.Within(object=item, place=place):
            name = place if isinstance(place, str) else get(place)
            around = (places or {}).get(item)
            return None if around is None or name is None else name in around
        case g.Licensed(object=item):
            around = (places or {}).get(item)
            return None if around is None else _licensed(test, around, get)
        case g.Not(test=inner):
            result = evaluate(inner, get, places)
            return None if result is None else not result
        case g.AllOf(tests=tests):
            results = [evaluate(t, get, places) for t in tests]
            return False if False in results else None if None in results else True
        case g.AnyOf(tests=tests):
            results = [evaluate(t, get, places) for t in tests]
            return True if True in results else None if None in results else False
        case g.Choice(condition=condition, consequence=then, alternative=otherwise):
            if evaluate(condition, get, places) is True:
                return evaluate(then, get, places)
            return True if otherwise is None else evaluate(otherwise, get, places)
        case g.Ignores():
            return None  # needs what the rules would determine: see `_ignores`


def _licensed(test: g.Licensed, around: Sequence[str], get: Getter) -> bool:
    """Whether one of the constituents around an object is a domain with no barrier further in.

    An object that stands in several places is licensed in all of them.
    """

    def holds(condition: g.Is | None) -> bool:
        return condition is None or evaluate(condition, get) is True

    def among(some: Sequence[g.Domain], name: str) -> bool:
        return any(d.name == name and holds(d.there) and holds(d.opened) for d in some)

    licensed = False
    for name in (*reversed(around), NEXT):  # from the object outwards
        if name == NEXT and not licensed:
            return False
        if name == NEXT:
            licensed = False
        elif not licensed and among(test.domains, name):
            licensed = True
        elif not licensed and among(test.barriers, name):
            return False
    return True
