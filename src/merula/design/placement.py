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
from merula.design.leaves import (
    Leaf,
    always_there,
    is_present,
    leaves_of,
)
from merula.design.settings import Solved, solve
from merula.grammar import model as g
from merula.grammar.conditions import NEXT, Places
from merula.grammar.frames import sites_in


class NoSense(Exception):
    """An edit cannot be done to this item; the message says why."""


# --- placement -----------------------------------------------------------------------------


def place(grammar: g.Grammar, frame: g.Frame, state: State, solved: Solved) -> tuple[Leaf, ...]:
    """Return the leaves of a frame in order, without absent objects, sites filled, edits done."""
    leaves = list(leaves_of(grammar, frame.items, solved.values.get))
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
        for word in object_words(grammar, leaf.object, state, values):
            yield Placed(word, leaf.object, leaf.inside)


def object_words(
    grammar: g.Grammar, item: g.Object, state: State, values: g.Setting
) -> Iterator[Word]:
    """Yield the words of an object, or of a position with what fills it."""
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
        if values.get(own, g.ABSENT) == g.ABSENT:
            raise NoSense(f"`{item.name}` is not there any more")
        yield from object_words(grammar, grammar.objects[values[own]], state, values)
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
    filler = values.get(kind, "") if item.position and kind is not None else ""
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
    """One sentence of a design before any lexeme is chosen.

    ``solved`` holds the values of all variables of the frame's objects; ``values`` only those of
    what is in the sentence, which is all that rules can be about.
    """

    frame: g.Frame
    state: State
    solved: Solved
    leaves: tuple[Leaf, ...]
    words: tuple[Placed, ...]
    places: Places
    values: g.Setting


def realise(grammar: g.Grammar, frame: g.Frame, state: State) -> Item:
    """Return the item of a state in a frame."""
    solved = solve(grammar, frame, state.given, state.pinned)
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
    values = _of_the_sentence(grammar, frame, solved.values, places, placed)
    return Item(frame, state, solved, leaves, placed, places, values)


def _of_the_sentence(
    grammar: g.Grammar,
    frame: g.Frame,
    values: g.Setting,
    places: Iterable[g.Object],
    placed: Iterable[Placed],
) -> g.Setting:
    """Return the values of what is in a sentence; other objects are absent from it.

    An object that no frame can show belongs to every sentence: it has no words, but values that
    rules read.
    """
    there = {*places, *always_there(grammar, frame)}
    there.update(word.word.object for word in placed if isinstance(word.word, Lexical))
    left = dict(values)
    for target in grammar.objects.values():
        if target not in there:
            for variable in grammar.by_object[target]:
                value = left.pop(variable, None)
                if value is not None and not variable.attribute and g.ABSENT in variable.values:
                    left[variable] = g.ABSENT
    return left


@frozen
class Misplaced:
    """An object at a site that its frame does not have, or (``other``) where another object is."""

    object: g.Object
    site: str
    frame: g.Frame
    other: g.Object | None = None


def misplaced(grammar: g.Grammar, item: Item) -> Iterator[Misplaced]:
    """Yield the objects of an item that cannot be where their site says."""
    sites = frozenset(sites_in(item.frame.items))
    first: dict[str, g.Object] = {}
    for (target, attribute), variable in grammar.variables.items():
        site = item.solved.values.get(variable) if attribute == "site" else None
        if site is None or not is_present(grammar, target, item.solved.values.get):
            continue
        if site not in sites:
            yield Misplaced(target, site, item.frame)
        elif site in first:
            yield Misplaced(target, site, item.frame, first[site])
        else:
            first[site] = target
