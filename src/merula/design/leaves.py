"""The leaves of a frame: which objects and quoted words a sentence has, and what is around each.

The items of a frame and the values of variables go in; the leaves come out in order, without absent
objects, each with the constituents around it. `merula.design.placement` makes sentences of them;
`merula.design.settings` asks where an object is, since a rule may depend on it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from merula.grammar import model as g
from merula.grammar.conditions import NEXT, Getter, evaluate, variables_of


class Leaf(NamedTuple):
    """A place of a sentence: quoted words, or an object, with the constituents around it."""

    text: str
    object: g.Object | None
    inside: tuple[str, ...]


def leaves_of(
    grammar: g.Grammar,
    items: Iterable[g.Item],
    get: Getter,
    inside: tuple[str, ...] = (),
    wanted: Container[g.Object] | None = None,
) -> Iterator[Leaf]:
    """Yield the leaves of some items of a frame, in order.

    With ``wanted`` only those of some objects; then no value is asked for that does not decide
    where these are.
    """
    for item in items:
        match item:
            case g.Literal(text=text):
                if wanted is None:
                    yield Leaf(text, None, inside)
            case g.Reference(object=target):
                if (wanted is None or target in wanted) and is_present(grammar, target, get):
                    yield Leaf("", target, inside)
            case g.Bracket(name=name, items=content):
                yield from leaves_of(grammar, content, get, (*inside, name), wanted)
            case g.Site(name=name):
                for target in grammar.objects.values():
                    site = grammar.variables.get((target, "site"))
                    if site is None or (wanted is not None and target not in wanted):
                        continue
                    if get(site) == name:
                        yield Leaf("", target, inside)
            case g.Guarded(options=options):
                if wanted is not None and not _may_show(grammar, item, wanted):
                    continue
                for guard, content in options:
                    if guard is None or evaluate(guard, get) is True:
                        yield from leaves_of(grammar, content, get, inside, wanted)
                        break


def around(
    grammar: g.Grammar, frame: g.Frame, target: g.Object, get: Getter
) -> tuple[str, ...] | None:
    """Return the constituents around an object of a frame, or None where it is absent.

    What fills a position is where the position is. `NEXT` divides the places of an object that
    has several.
    """
    positions = {
        own.object
        for own in (grammar.own(item) for item in grammar.objects.values() if item.position)
        if own is not None and target.name in own.values
    }
    found: tuple[str, ...] | None = None
    for leaf in leaves_of(grammar, frame.items, get, (), {target, *positions}):
        if leaf.object is not target:
            own = grammar.own(leaf.object) if leaf.object is not None else None
            if own is None or get(own) != target.name:
                continue
        found = leaf.inside if found is None else (*found, NEXT, *leaf.inside)
    return found


def _may_show(grammar: g.Grammar, item: g.Item, wanted: Container[g.Object]) -> bool:
    return any(target in wanted for target in objects_in(grammar, (item,)))


def objects_in(grammar: g.Grammar, items: Iterable[g.Item]) -> frozenset[g.Object]:
    """Return all objects that can be in some items of a frame, fillers of positions too."""
    objects: set[g.Object] = set()
    for item in items:
        match item:
            case g.Reference(object=target):
                objects.add(target)
            case g.Bracket(items=content):
                objects |= objects_in(grammar, content)
            case g.Site(name=name):
                for target in grammar.objects.values():
                    site = grammar.variables.get((target, "site"))
                    if site is not None and name in site.values:
                        objects.add(target)
            case g.Guarded(options=options):
                for _, content in options:
                    objects |= objects_in(grammar, content)
    for target in list(objects):
        filler = grammar.own(target)
        if target.position and filler is not None:
            objects |= {grammar.objects[v] for v in filler.values if v in grammar.objects}
    # words may be a column of another object's lexeme (`verb.prep`)
    for target in list(objects):
        for variable in grammar.by_object[target]:
            for words in variable.words.values():
                objects |= {w.object for w in words if isinstance(w, g.ColumnWord)}
    return frozenset(objects)


def asked_by_guards(items: Iterable[g.Item]) -> frozenset[g.Object]:
    """Return the objects that the guards of a frame ask about."""
    objects: set[g.Object] = set()
    for item in items:
        match item:
            case g.Bracket(items=content):
                objects |= asked_by_guards(content)
            case g.Guarded(options=options):
                for guard, content in options:
                    objects |= asked_by_guards(content)
                    if guard is not None:
                        objects.update(v.object for v in variables_of(guard))
    return frozenset(objects)


@lru_cache(maxsize=256)
def without_words(grammar: g.Grammar) -> frozenset[g.Object]:
    """Return the objects that no frame can show: they only have values that rules read."""
    frames = [frame for ways in grammar.frames.values() for frame in ways]
    shown = frozenset().union(*(objects_in(grammar, frame.items) for frame in frames))
    return frozenset(grammar.objects.values()) - shown


@lru_cache(maxsize=2_000)
def always_there(grammar: g.Grammar, frame: g.Frame) -> frozenset[g.Object]:
    """Return the objects that have values in every sentence of a frame, shown there or not.

    No frame can show them, or the frame asks about them.
    """
    return without_words(grammar) | asked_by_guards(frame.items)


@lru_cache(maxsize=2_000)
def elsewhere(grammar: g.Grammar, frame: g.Frame) -> frozenset[g.Object]:
    """Return the objects that other frames can show and this one cannot: here they are absent.

    Those that an answer may put in another's place can be anywhere.
    """
    here = objects_in(grammar, frame.items) | asked_by_guards(frame.items)
    return frozenset(grammar.objects.values()) - here - without_words(grammar) - _instead(grammar)


@lru_cache(maxsize=256)
def _instead(grammar: g.Grammar) -> frozenset[g.Object]:
    matrices = [design for design in grammar.designs if isinstance(design, g.Matrix)]
    steps = [step for matrix in matrices for answer in matrix.answers for step in answer.steps]
    edits = [edit for step in steps for remedy in step for edit in remedy.edits]
    return frozenset(e.other for e in edits if isinstance(e, g.Replace) and e.other is not None)


def is_present(grammar: g.Grammar, item: g.Object, get: Getter) -> bool:
    """Return whether an object that may be absent is present."""
    own = grammar.own(item)
    return own is None or get(own) not in (g.ABSENT, None)
