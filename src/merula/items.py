"""Items: one sentence of a design before any lexeme is chosen. Placement, words, edits, rules."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import NamedTuple

from merula import grammar as g
from merula.settings import NEXT, OTHER, Places, Solved, evaluate, scope_tests, solve
from merula.values import frozen


class NoSense(Exception):
    """An edit cannot be done to this item; the message says why."""


# --- placement -----------------------------------------------------------------------------


class Leaf(NamedTuple):
    """A place of a sentence: quoted words, or an object, with the constituents around it."""

    text: str
    object: g.Object | None
    inside: tuple[str, ...]


def place(grammar: g.Grammar, frame: g.Frame, state: State, solved: Solved) -> tuple[Leaf, ...]:
    """The leaves of a frame in order, absent objects left out, objects with a site put there."""
    leaves = list(_leaves(grammar, frame.items, solved.values, ()))
    for one, other in state.swaps:
        for swapped in (one, other):
            if all(leaf.object is not swapped for leaf in leaves):
                raise NoSense(f"`{swapped.name}` is not there any more")
        for i, leaf in enumerate(leaves):
            if leaf.object is one:
                leaves[i] = leaf._replace(object=other)
            elif leaf.object is other:
                leaves[i] = leaf._replace(object=one)
    for item, host, text in state.embeds:
        moved = next((leaf for leaf in leaves if leaf.object is item), None)
        if moved is None:
            raise NoSense(f"`{item.name}` is not there any more")
        leaves.remove(moved)
        at = next((i for i, leaf in enumerate(leaves) if leaf.object is host), -1)
        if at < 0:
            raise NoSense(f"`{host.name}` is not there any more")
        inside = (*leaves[at].inside, host.name)
        new = [Leaf(text, None, inside)] if text else []
        leaves[at + 1 : at + 1] = [*new, moved._replace(inside=inside)]
    return tuple(leaves)


def _leaves(
    grammar: g.Grammar, items: Iterable[g.Item], values: g.Setting, inside: tuple[str, ...]
) -> Iterator[Leaf]:
    for item in items:
        match item:
            case g.Literal(text=text):
                yield Leaf(text, None, inside)
            case g.Reference(object=target):
                if _present(grammar, target, values):
                    yield Leaf("", target, inside)
            case g.Bracket(name=name, items=content):
                yield from _leaves(grammar, content, values, (*inside, name))
            case g.Site(name=name):
                for target in grammar.objects.values():
                    site = grammar.variables.get((target, "site"))
                    if site is not None and values.get(site) == name:
                        yield Leaf("", target, inside)
            case g.Guarded(options=options):
                for guard, content in options:
                    if guard is None or evaluate(guard, values.get) is True:
                        yield from _leaves(grammar, content, values, inside)
                        break


def objects_in(grammar: g.Grammar, items: Iterable[g.Item]) -> frozenset[g.Object]:
    """All objects that can stand in some items of a frame, fillers of positions among them."""
    found: set[g.Object] = set()
    for item in items:
        match item:
            case g.Reference(object=target):
                found.add(target)
            case g.Bracket(items=content):
                found |= objects_in(grammar, content)
            case g.Site(name=name):
                for target in grammar.objects.values():
                    site = grammar.variables.get((target, "site"))
                    if site is not None and name in site.values:
                        found.add(target)
            case g.Guarded(options=options):
                for _, content in options:
                    found |= objects_in(grammar, content)
    for target in list(found):
        own = grammar.own(target)
        if target.position and own is not None:
            found |= {grammar.objects[v] for v in own.values if v in grammar.objects}
    # words may be a column of another object's lexeme (`verb.prep`)
    for target in list(found):
        for variable in grammar.by_object[target]:
            for words in variable.words.values():
                found |= {w.object for w in words if isinstance(w, g.ColumnWord)}
    return frozenset(found)


def _present(grammar: g.Grammar, item: g.Object, values: g.Setting) -> bool:
    own = grammar.own(item)
    return own is None or values[own] != g.ABSENT


# --- words ---------------------------------------------------------------------------------


class Fixed(NamedTuple):
    """Words that no lexeme decides."""

    text: str


@frozen
class OneOf:
    """One of the words a value carries; the choice is part of the instance."""

    variable: g.Variable
    value: str
    texts: tuple[str, ...]


class Lexical(NamedTuple):
    """A form of an object's lexeme: of a bundle of values, or of a named column.

    Of a column there may be one for each ``filler`` of a position: see `column_in`.
    """

    object: g.Object
    values: tuple[tuple[str, str], ...]
    column: str | None = None
    filler: str = ""

    def column_in(self, columns: Container[str], prefix: str = "") -> str:
        """The named column: that for what fills the position (``wrong.theme``), if there is one."""
        own = f"{prefix}{self.column}.{self.filler}"
        return own if self.filler and own in columns else f"{prefix}{self.column}"


Word = Fixed | OneOf | Lexical


class Placed(NamedTuple):
    """A word with the object it belongs to (a position, where one fills it) and its place."""

    word: Word
    object: g.Object | None
    inside: tuple[str, ...]


def words(
    grammar: g.Grammar, leaves: Iterable[Leaf], state: State, values: g.Setting
) -> Iterator[Placed]:
    """The words of the leaves, in order."""
    for leaf in leaves:
        if leaf.object is None:
            if leaf.text.strip():
                yield Placed(Fixed(leaf.text), None, leaf.inside)
            continue
        for word in _object_words(grammar, leaf.object, state, values):
            yield Placed(word, leaf.object, leaf.inside)


def _object_words(
    grammar: g.Grammar, item: g.Object, state: State, values: g.Setting
) -> Iterator[Word]:
    instead = state.texts.get(item)
    if isinstance(instead, str):
        if instead.strip():
            yield Fixed(instead)
        return
    if isinstance(instead, g.Object):
        item = instead
    carried = list(_carried(grammar, item, state, values))
    if item.position:
        yield from carried
        own = grammar.own(item)
        assert own is not None
        if values[own] == g.ABSENT:
            raise NoSense(f"`{item.name}` is not there any more")
        yield from _object_words(grammar, grammar.objects[values[own]], state, values)
    elif carried:
        yield from (word for word in carried if word != Fixed(""))
    else:
        attributes = ((v.attribute, values.get(v)) for v in grammar.by_object[item])
        bundle = tuple((a, value) for a, value in attributes if a and value is not None)
        yield Lexical(item, bundle)


def _carried(grammar: g.Grammar, item: g.Object, state: State, values: g.Setting) -> Iterator[Word]:
    """The words that values bring: those of the last variable that has any for its value."""
    found: Word | None = None
    own = grammar.own(item)
    filler = values[own] if item.position and own is not None else ""
    for variable in grammar.by_object[item]:
        value = values.get(variable)
        instead = state.texts.get(variable)
        if isinstance(instead, str):
            found = Fixed(instead)
        elif value is not None and value in variable.words:
            found = _word(variable, value, variable.words[value], filler)
    if found is not None and not (item.position and found == Fixed("")):
        yield found


def _word(
    variable: g.Variable, value: str, options: Sequence[str | g.ColumnWord], filler: str
) -> Word:
    first = options[0]
    if isinstance(first, g.ColumnWord):
        return Lexical(first.object, (), first.column, filler)
    if len(options) == 1:
        return Fixed(first)
    return OneOf(variable, value, tuple(x for x in options if isinstance(x, str)))


def piece_template(placed: Placed) -> str:
    """A word without its lexeme: ``n1[pp sg]``, or the words themselves where they are fixed."""
    values = shown_values(placed)
    name = placed_name(placed)
    return f"{name}[{values}]" if values else name


def placed_name(placed: Placed) -> str:
    """What a word without lexeme is called."""
    word = placed.word
    if isinstance(word, Fixed):
        return word.text
    if isinstance(word, OneOf):
        return "|".join(word.texts)
    return word.object.name if word.column is None else f"{word.object.name}.{word.column}"


def shown_values(placed: Placed) -> str:
    """The values that decide a word's form."""
    word = placed.word
    if not isinstance(word, Lexical):
        return ""
    return " ".join(value for attribute, value in word.values if attribute != "site")


# --- items and edits -----------------------------------------------------------------------


@frozen
class State:
    """All that decides an item: what a design gives and what edits changed."""

    given: Mapping[g.Variable, str]
    pinned: Mapping[g.Variable, str] = field(default_factory=dict)
    swaps: tuple[tuple[g.Object, g.Object], ...] = ()
    embeds: tuple[tuple[g.Object, g.Object, str | None], ...] = ()
    texts: Mapping[g.Object | g.Variable, str | g.Object] = field(default_factory=dict)


@frozen(eq=False)
class Item:
    """One sentence of a design before any lexeme is chosen."""

    state: State
    solved: Solved
    leaves: tuple[Leaf, ...]
    words: tuple[Placed, ...]
    places: Places


def realise(grammar: g.Grammar, frame: g.Frame, state: State) -> Item:
    """The item of a state in a frame."""
    solved = solve(grammar, state.given, state.pinned)
    leaves = place(grammar, frame, state, solved)
    placed = tuple(words(grammar, leaves, state, solved.values))
    places: dict[g.Object, tuple[str, ...]] = {}
    for leaf in leaves:
        if leaf.object is None:
            continue
        before = places.get(leaf.object)
        places[leaf.object] = leaf.inside if before is None else (*before, NEXT, *leaf.inside)
        own = grammar.own(leaf.object)
        if leaf.object.position and own is not None:
            places[grammar.objects[solved.values[own]]] = leaf.inside
    return Item(state, solved, leaves, placed, places)


def apply(grammar: g.Grammar, frame: g.Frame, edits: g.Edits, item: Item) -> Item:
    """The item after some edits; raises `NoSense` where one cannot be done."""
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
            others = [v for v in variable.values if v != value]
            if len(others) != 1:
                raise NoSense(f"`{variable}` has no single other value than {value}")
            if variable in item.solved.determined:
                return replace(state, pinned={**state.pinned, variable: OTHER})
            if state.pinned.get(variable) == OTHER:
                pinned = {v: pin for v, pin in state.pinned.items() if v is not variable}
                return replace(state, pinned=pinned)
            return _assign(item, {variable: others[0]})
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
            if values[own] == g.ABSENT:
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
            raise NoSense(f"no cycle called `{name}` leaves one value unshown")
        case g.Embed(object=target, host=host, text=text):
            _overt(target, item)
            _overt(host, item)
            return replace(state, embeds=(*state.embeds, (target, host, text)))


def _exchanged(
    grammar: g.Grammar, one: g.Object, other: g.Object, item: Item
) -> dict[g.Variable, str]:
    """What fills the positions that two objects fill once each has the other's.

    Empty where neither of them fills any.
    """
    new = {one.name: other.name, other.name: one.name}
    found = {}
    for target in grammar.objects.values():
        own = grammar.own(target)
        if not target.position or own is None or item.solved.values.get(own) not in new:
            continue
        filler = new[item.solved.values[own]]
        if filler not in own.values:
            raise NoSense(f"`{target.name}` cannot be {filler}")
        found[own] = filler
    return found


def _can_stand_in(grammar: g.Grammar, other: g.Object, values: g.Setting) -> None:
    if other.position:
        raise NoSense(f"`{other.name}` is a position; name the object that fills it")
    if not _present(grammar, other, values):
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
    own = grammar.own(target)
    assert own is not None
    if values[own] != g.ABSENT:
        raise NoSense(f"`{target.name}` is there already")
    kinds = [v for v in own.values if v != g.ABSENT]
    assigned = {own: kinds[0]}
    if like is not None:
        model = grammar.own(like)
        if model is not None:
            if values[model] == g.ABSENT:
                raise NoSense(f"there is no `{like.name}` to be like")
            if values[model] in kinds:
                assigned[own] = values[model]
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
        where = "stands in a position, which can be moved itself" if fills else "is not there"
        raise NoSense(f"`{target.name}` {where}")


# --- rules ---------------------------------------------------------------------------------


def broken_rules(grammar: g.Grammar, item: Item) -> tuple[str, ...]:
    """The external and internal rules that fail in an item, as ``E agreement``."""
    values, places = item.solved.values, item.places
    failed = []
    for rule in grammar.rules:
        for test in rule.tests:
            if isinstance(test, g.Ignores):
                holds: bool | None = _ignores(grammar, item, test)
            else:
                holds = evaluate(test, values.get, places)
            if holds is False:
                failed.append(str(rule))
                break
    return tuple(failed)


def scopes(grammar: g.Grammar, item: Item) -> tuple[tuple[str, str], ...]:
    """For every object whose place a rule asks about, whether it is ``in`` or ``out``.

    Scope is read off the constituents of the frame: it is the same where a replacement stands
    for the licensor.
    """
    found: dict[str, str] = {}
    for rule in grammar.rules:
        for test in rule.tests:
            for part in scope_tests(test):
                asked = _whatever_the_word(part) if isinstance(part, g.Licensed) else part
                inside = evaluate(asked, item.solved.values.get, item.places)
                if inside is not None:
                    found.setdefault(part.object.name, "in" if inside else "out")
    return tuple(found.items())


def _whatever_the_word(test: g.Licensed) -> g.Licensed:
    """The same test for a licensor's replacement: a domain is one in which some word licenses."""
    return replace(test, domains=tuple(replace(d, opened=None) for d in test.domains))


def contested(grammar: g.Grammar, item: Item) -> tuple[str, ...]:
    """The names of what is contested about an item: speakers or linguists differ on it."""
    values, places = item.solved.values, item.places
    return tuple(
        rule.name
        for rule in grammar.contested
        if any(evaluate(test, values.get, places) is True for test in rule.tests)
    )


def _ignores(grammar: g.Grammar, item: Item, test: g.Ignores) -> bool:
    """False iff the variable has not its determined value but an overt attractor's.

    An attractor counts only where it stands in the sentence and differs from what is determined.
    """
    actual = item.solved.values.get(test.variable)
    given, pinned = (
        {v: x for v, x in some.items() if v is not test.variable}
        for some in (item.state.given, item.state.pinned)
    )
    wanted = solve(grammar, given, pinned).values.get(test.variable)
    if actual is None or actual == wanted:
        return True
    overt = (v for v in test.attractors if v.object in item.places)
    return all(item.solved.values.get(v) != actual for v in overt)
