"""Edits of an item: flip, set, add, drop, swap, replace, embed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from merula.design.leaves import is_present
from merula.design.placement import Item, NoSense, State, realise
from merula.design.settings import OTHER
from merula.grammar import model as g


def apply(grammar: g.Grammar, frame: g.Frame, edits: g.Edits, item: Item) -> Item:
    """Return the item after some edits; raises `NoSense` where one cannot be done."""
    kept = {}
    for variable in edits.keeping:
        if variable not in item.solved.values:
            raise NoSense(f"there is no `{variable}` to keep")
        kept[variable] = item.solved.values[variable]
    if kept:
        pinned = {**item.state.pinned, **kept}
        item = realise(grammar, frame, replace(item.state, pinned=pinned))
    for edit in edits.edits:
        item = realise(grammar, frame, _edit(grammar, edit, item))
    return item


def _edit(grammar: g.Grammar, edit: g.Edit, item: Item) -> State:
    state, values = item.state, item.solved.values
    match edit:
        case g.Flip(variable=variable):
            value = _defined(variable, values)
            rest = [v for v in variable.values if v != value]
            if len(rest) != 1:
                raise NoSense(f"`{variable}` does not have exactly one other value than {value}")
            if variable in item.solved.determined:
                return replace(state, pinned={**state.pinned, variable: OTHER})
            if state.pinned.get(variable) == OTHER:
                pinned = {v: pin for v, pin in state.pinned.items() if v is not variable}
                return replace(state, pinned=pinned)
            return _assign(item, {variable: rest[0]})
        case g.Assign(point=point, variable=variable, source=source):
            if point is not None:
                own = grammar.own(variable.object)
                assigned = dict(point.assignment)
                if variable is not own and own not in assigned:
                    _defined(variable, values)
                return _assign(item, assigned)
            assert source is not None
            _defined(variable, values)
            value = _defined(source, values)
            if value not in variable.values:
                raise NoSense(f"`{variable}` cannot be {value}")
            return _assign(item, {variable: value})
        case g.Add(object=target, like=like):
            return _add(grammar, item, target, like)
        case g.Drop(object=target):
            own = grammar.own(target)
            assert own is not None
            if values.get(own, g.ABSENT) == g.ABSENT:
                raise NoSense(f"`{target.name}` is absent already")
            return _assign(item, {own: g.ABSENT})
        case g.SwapValues(first=first, second=second):
            one, other = _defined(first, values), _defined(second, values)
            for variable, value in ((first, other), (second, one)):
                if value not in variable.values:
                    raise NoSense(f"`{variable}` cannot be {value}")
            return _assign(item, {first: other, second: one})
        case g.SwapPlaces(first=one_object, second=other_object):
            filled = _exchanged(grammar, one_object, other_object, item)
            if filled:
                return _assign(item, filled)
            _overt(one_object, item)
            _overt(other_object, item)
            return replace(state, swaps=(*state.swaps, (one_object, other_object)))
        case g.Replace(target=target, text=text, other=other_target):
            if isinstance(target, g.Object):
                _overt(target, item)
            else:
                _overt(target.object, item)
            if other_target is not None:
                _can_stand_in(grammar, other_target, values)
            instead = text if other_target is None else other_target
            assert instead is not None
            return replace(state, texts={**state.texts, target: instead})
        case g.Unshown(name=name):
            raise NoSense(f"no cycle named `{name}` leaves one value unshown")
        case g.Embed(object=target, host=host, text=text):
            _overt(target, item)
            _overt(host, item)
            return replace(state, embeds=(*state.embeds, (target, host, text)))


def _exchanged(
    grammar: g.Grammar, one: g.Object, other: g.Object, item: Item
) -> dict[g.Variable, str]:
    """Return what fills the positions of two objects once each has the other's.

    Empty where neither of them fills any.
    """
    new = {one.name: other.name, other.name: one.name}
    filled = {}
    for target in grammar.objects.values():
        kind = grammar.own(target)
        if not target.position or kind is None or item.solved.values.get(kind) not in new:
            continue
        filler = new[item.solved.values[kind]]
        if filler not in kind.values:
            raise NoSense(f"`{target.name}` cannot be {filler}")
        filled[kind] = filler
    return filled


def _can_stand_in(grammar: g.Grammar, other: g.Object, values: g.Setting) -> None:
    if other.position:
        raise NoSense(f"`{other.name}` is a position; name the object that fills it")
    if not is_present(grammar, other, values.get):
        raise NoSense(f"there is no `{other.name}`")


def _assign(item: Item, assigned: Mapping[g.Variable, str]) -> State:
    """Give variables values: a determined one is pinned (its rule may break), a free one given."""
    given, pinned = dict(item.state.given), dict(item.state.pinned)
    for variable, value in assigned.items():
        free = variable not in item.solved.determined and variable not in pinned
        (given if free else pinned)[variable] = value
    return replace(item.state, given=given, pinned=pinned)


def _add(grammar: g.Grammar, item: Item, target: g.Object, like: g.Object | None) -> State:
    values = item.solved.values
    presence = grammar.own(target)
    assert presence is not None
    if presence not in values:
        raise NoSense(f"the frame has no place for `{target.name}`")
    if values[presence] != g.ABSENT:
        raise NoSense(f"`{target.name}` is there already")
    kinds = [v for v in presence.values if v != g.ABSENT]
    assigned = {presence: kinds[0]}
    if like is not None:
        model = grammar.own(like)
        if model is not None:
            if values.get(model, g.ABSENT) == g.ABSENT:
                raise NoSense(f"there is no `{like.name}` to be like")
            if values[model] in kinds:
                assigned[presence] = values[model]
        for variable in grammar.by_object[target]:
            twin = grammar.variables.get((like, variable.attribute))
            copied = variable.attribute and variable.attribute != "site"
            if copied and twin is not None and twin in values:
                assigned[variable] = values[twin]
    return _assign(item, assigned)


def _defined(variable: g.Variable, values: g.Setting) -> str:
    if variable not in values:
        raise NoSense(f"there is no `{variable.object.name}`")
    return values[variable]


def _overt(target: g.Object, item: Item) -> None:
    if all(leaf.object is not target for leaf in item.leaves):
        fills = target in item.places
        where = "fills a position, which can be moved itself" if fills else "is not there"
        raise NoSense(f"`{target.name}` {where}")
