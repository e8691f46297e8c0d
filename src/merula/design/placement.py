"""Items: one sentence of a design before any lexeme is chosen, its words in their places.

A frame and a state go in, that is all that a design gives and edits change; an `Item` comes out
(`realise`): the values of all variables, the leaves of the frame in order, the words of each, and
the constituents around each object. `merula.design.cells` and `merula.design.edits` call this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from merula.core.frozen import frozen
from merula.design.settings import Solved, solve
from merula.grammar import model as g
from merula.grammar.conditions import NEXT, Places, evaluate


class NoSense(Exception):
    """An edit cannot be done to this item; the message says why."""


# --- placement -----------------------------------------------------------------------------


class Leaf(NamedTuple):
    """A place of a sentence: quoted words, or an object, with the constituents around it."""

    text: str
    object: g.Object | None
    inside: tuple[str, ...]


def place(grammar: g.Grammar, frame: g.Frame, state: State, solved: Solved) -> tuple[Leaf, ...]:
    """Return the leaves of a frame in order, without absent objects, sites filled, edits done."""
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
                if is_present(grammar, target, values):
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


def is_present(grammar: g.Grammar, item: g.Object, values: g.Setting) -> bool:
    """Return whether an object that may be absent is present."""
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

    def column_in(self, columns: Mapping[str, Sequence[str]], prefix: str = "") -> str:
        """Return the column's name, with what fills the position (``wrong.theme``) if it exists.

        ``columns`` are the cells of each; an empty column does not count.
        """
        of_filler = f"{prefix}{self.column}.{self.filler}"
        if self.filler and any(columns.get(of_filler, ())):
            return of_filler
        return f"{prefix}{self.column}"


Word = Fixed | OneOf | Lexical


class Placed(NamedTuple):
    """A word with its object (the position, for what fills one) and the constituents around it."""

    word: Word
    object: g.Object | None
    inside: tuple[str, ...]


def words(
    grammar: g.Grammar, leaves: Iterable[Leaf], state: State, values: g.Setting
) -> Iterator[Placed]:
    """Yield the words of the leaves, in order."""
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
    """Yield the words that values bring: those of the last variable that has any for its value."""
    word: Word | None = None
    kind = grammar.own(item)
    filler = values[kind] if item.position and kind is not None else ""
    for variable in grammar.by_object[item]:
        value = values.get(variable)
        instead = state.texts.get(variable)
        if isinstance(instead, str):
            word = Fixed(instead)
        elif value is not None and value in variable.words:
            word = _word(variable, value, variable.words[value], filler)
    if word is not None and not (item.position and word == Fixed("")):
        yield word


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
    """Return a word without its lexeme: ``n1[pp sg]``, or the words where they are fixed."""
    values = shown_values(placed)
    name = placed_name(placed)
    return f"{name}[{values}]" if values else name


def placed_name(placed: Placed) -> str:
    """Return the name of a word without its lexeme: its object and column, or its text."""
    word = placed.word
    if isinstance(word, Fixed):
        return word.text
    if isinstance(word, OneOf):
        return "|".join(word.texts)
    return word.object.name if word.column is None else f"{word.object.name}.{word.column}"


def shown_values(placed: Placed) -> str:
    """Return the values that decide a word's form."""
    word = placed.word
    if not isinstance(word, Lexical):
        return ""
    return " ".join(value for attribute, value in word.values if attribute != "site")


# --- items and edits -----------------------------------------------------------------------


@frozen
class State:
    """Everything that decides an item: what a design gives and what edits have changed.

    ``given`` are values of the design, ``pinned`` values that hold against the rules. ``swaps`` are
    pairs of objects that change places, ``embeds`` objects moved behind a host with words between,
    ``texts`` other words, or the words of another object, for an object or a variable.
    """

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
    """Return the item of a state in a frame."""
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
