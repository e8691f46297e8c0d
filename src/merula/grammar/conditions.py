"""The parts of a test, and whether it holds under a setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from merula.grammar import model as g


def parts(test: g.Test) -> Iterator[g.Test]:
    """Yield a test and all tests it is made of."""
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
    """Yield the variables that a test asks about."""
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
    """Return the parts of a test that ask whether something is in a constituent."""
    return (part for part in parts(test) if isinstance(part, (g.Within, g.Licensed)))


Getter = Callable[[g.Variable], str | None]


Places = Mapping[g.Object, tuple[str, ...]]
Around = Callable[[g.Object], tuple[str, ...] | None]


NEXT = ""  # between the constituents around an object's places, where it has several


def evaluate(test: g.Test, get: Getter, around: Around | None = None) -> bool | None:
    """Return whether a test holds: True, False, or None where it asks about an absent object.

    ``around`` gives the constituents around an object of the sentence.
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
            inside = around(item) if around is not None else None
            return None if inside is None or name is None else name in inside
        case g.Licensed(object=item):
            inside = around(item) if around is not None else None
            return None if inside is None else _licensed(test, inside, get)
        case g.Not(test=inner):
            result = evaluate(inner, get, around)
            return None if result is None else not result
        case g.AllOf(tests=tests):
            results = [evaluate(t, get, around) for t in tests]
            return False if False in results else None if None in results else True
        case g.AnyOf(tests=tests):
            results = [evaluate(t, get, around) for t in tests]
            return True if True in results else None if None in results else False
        case g.Choice(condition=condition, consequence=then, alternative=otherwise):
            if evaluate(condition, get, around) is True:
                return evaluate(then, get, around)
            return True if otherwise is None else evaluate(otherwise, get, around)
        case g.Ignores():
            return None  # needs what the rules would determine: see `_ignores`


def _licensed(test: g.Licensed, inside: Sequence[str], get: Getter) -> bool:
    """Return whether a constituent around an object is a domain with no barrier further in.

    An object that is in several places has to be licensed in each.
    """

    def holds(condition: g.Is | None) -> bool:
        return condition is None or evaluate(condition, get) is True

    def among(constituents: Sequence[g.Domain], name: str) -> bool:
        return any(d.name == name and holds(d.there) and holds(d.opened) for d in constituents)

    licensed = False
    for name in (*reversed(inside), NEXT):  # from the object outwards
        if name == NEXT and not licensed:
            return False
        if name == NEXT:
            licensed = False
        elif not licensed and among(test.domains, name):
            licensed = True
        elif not licensed and among(test.barriers, name):
            return False
    return True
