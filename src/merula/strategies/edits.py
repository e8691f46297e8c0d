"""Edits: two sentences of a grammar that differ in one thing, drawn as Hypothesis strategies.

What an edit changes is named as in ``where``: a factor, what a variant chooses, a frame, the lexeme
of a slot or a feature of it. All lexemes else are the same in both sentences: they are chosen in a
space that satisfies the constraints of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice, permutations
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from merula.api import Design, Grammar
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.lexicon.table import ANY, clean, members
from merula.plan.elimination import Made
from merula.plan.planner import slot_names
from merula.plan.slots import Slot
from merula.query.narrowing import (
    CELL,
    SCOPE,
    Restriction,
    Where,
    choices_of,
    feature,
    meant,
    names,
    plain_names,
    unknown,
    values_of,
)
from merula.query.occurrences import Occurrence, occurrence, sentences_in
from merula.strategies.draws import Chosen, DrawSource
from merula.strategies.exchange import Exchange, Exchanges
from merula.strategies.joint import Joint
from merula.strategies.sentences import Request, called

Rewriting = Callable[[str], str]
MOST_PARTS = 50  # that are looked through for an edit that shows


@dataclass(frozen=True, repr=False)
class Edit:
    """Two sentences that differ in one thing: ``what`` is ``old`` before and ``new`` after it."""

    before: Occurrence
    after: Occurrence
    what: str
    old: str
    new: str

    @property
    def title(self) -> str:
        """``N1.number sg → pl``, or the name of a function that changes the text."""
        return f"{self.what} {self.old} → {self.new}" if self.old or self.new else self.what

    @property
    def shows(self) -> bool:
        """Whether the two texts differ, and what is said to."""
        return self.before.text != self.after.text and self.old != self.new

    def __repr__(self) -> str:
        return f"<{self.title}: {self.before!r} {self.after!r}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))


@frozen
class Change:
    """What is to be changed, and from what to what; None where anything will do."""

    what: str
    old: str | None
    new: str | None
    acceptable: bool | None

    def fits(self, old: str | None, new: str | None) -> bool:
        """Whether these values are wanted."""
        if old is None or new is None or old == new:
            return False
        return self.old in (None, old) and self.new in (None, new)

    def sentences(self, narrow: Restriction) -> Iterator[int]:
        """The places of the cells that can stand on one side."""
        yield from sentences_in(narrow, self.acceptable)


def edits(
    grammar: Grammar,
    what: str | Rewriting,
    *,
    old: str | None = None,
    new: str | None = None,
    acceptable: bool | None = None,
    design: str | None = None,
    where: Where | None = None,
) -> SearchStrategy[Edit]:
    """Pairs of sentences that differ in what is named, and perhaps in what depends on it.

    ``what`` is a factor (two cells of an instance), what a variant chooses or ``frame`` (the
    lexemes stay), a slot (another lexeme), a feature of a slot's lexemes (a lexeme that has another
    value), or a function from the text to the text after the edit. The two texts differ, but where
    a function leaves one as it is. ``old`` and ``new`` ask for a value before and after it,
    ``acceptable`` for two sentences that both are so, or are not, ``design`` and ``where`` as in
    `sentences`. Raises `MerulaError` where there is none.
    """
    more = {"what": what, "old": old, "new": new, "acceptable": acceptable}
    asked = Request("edits", grammar, design, where, more)
    if callable(what):
        if old is not None or new is not None:
            raise ValueError(f"old={old!r}, new={new!r}: a function that edits has no values")
        wanted = Change(called(what), None, None, acceptable)
        return asked.drawn(
            lambda narrow: list(wanted.sentences(narrow)), partial(_rewritten, what, wanted.what)
        )
    if not isinstance(what, str):
        raise TypeError(f"what={what!r} should be a name or a function of a text")
    for name, value in (("old", old), ("new", new)):
        if not isinstance(value, str | None):
            raise TypeError(f"{name}={value!r} should be a text")
    if isinstance(where, Mapping) and what in where:
        raise ValueError(f"where={dict(where)!r} holds {what} fast, which is to be changed")
    old, new = (None if value is None else clean(value) for value in (old, new))
    wanted = Change(what, old, new, acceptable)
    sources: list[DrawSource[Edit]] = []
    known: set[str] = set()
    for own, narrows in asked.narrowed():
        plans = [narrow.plan for narrow in narrows]
        known.update(*(plain_names(plan) for plan in plans))
        made = (_KINDS[kind](own, narrows, wanted) for kind in meant(plans, what, (old, new)))
        sources += next((telling for found in made if (telling := _telling(found))), [])
        known.update([what] if any(what in names(plan) for plan in plans) else [])
    if what not in known:
        raise MerulaError.of(
            "M750",
            f"{grammar.name} has nothing that is called {what}",
            remedy=did_you_mean(what, known) or f"change {listing(sorted(known), 'or')}",
            place=grammar._compiled.source.name,
        )
    if not sources:
        there = {x for own in asked.designs for x in values_of(own._design.plans, what)}
        for value in (old, new):
            if value is not None and value not in there:
                raise unknown(asked.designs[0]._design, what, value, there)
    return asked.strategy(sources)


def _telling(sources: Sequence[DrawSource[Edit]]) -> list[DrawSource[Edit]]:
    """Sources without the edits that no word shows (*one sheep*, *two sheep*).

    Another edit stands for them, of the same cells where one is found soon. Empty where no edit
    shows.
    """
    some = (_spare(source, part) for source in sources for part in source.parts)
    last = next((edit for edit in islice(some, MOST_PARTS) if edit is not None), None)
    if last is None:
        return []

    @cache
    def spare(number: int, part: Any) -> Edit:
        return _spare(sources[number], part) or last

    def make(number: int, part: Any, chosen: Chosen) -> Edit:
        edit = sources[number].make(part, chosen)
        return edit if edit.shows else spare(number, part)

    return [replace(source, make=partial(make, i)) for i, source in enumerate(sources)]


def _spare(source: DrawSource[Edit], part: Any) -> Edit | None:
    """An edit of a part of a source that shows, always the same, if one is found soon."""
    made = (source.make(part, chosen) for chosen in source.choices())
    return next((edit for edit in made if edit.shows), None)


def _rewritten(
    change: Rewriting, what: str, design: Design, narrow: Restriction, place: int, chosen: Chosen
) -> Edit:
    before = occurrence(design, narrow, place, chosen)
    text = change(before.text)
    if not isinstance(text, str):
        raise TypeError(f"{what} made {text!r} of a text, and not a text")
    return Edit(before, replace(before, text=text), what, "", "")


# --- another cell ------------------------------------------------------------------------------


def _other_cells(
    design: Design, narrows: Sequence[Restriction], wanted: Change
) -> list[DrawSource[Edit]]:
    """Two cells of an instance that differ in a factor alone, or just in their names."""
    found = []
    for narrow in narrows:
        said = {place: _said(narrow, place) for place in wanted.sentences(narrow)}
        parts = [
            (one, other, said[one][wanted.what], said[other][wanted.what])
            for one, other in permutations(said, 2)
            if wanted.fits(said[one].get(wanted.what), said[other].get(wanted.what))
            and narrow.plan.cells[one].cell.role == narrow.plan.cells[other].cell.role
            and _apart(narrow, one, other, wanted.what)
        ]
        if parts:
            found.append(DrawSource.of(narrow, parts, partial(_cells, wanted.what, design, narrow)))
    return found


def _said(narrow: Restriction, place: int) -> dict[str, str]:
    """What a cell is, as ``where`` may name it."""
    cell = narrow.plan.cells[place].cell
    scopes = {SCOPE + name: value for name, value in cell.scopes}
    return {**dict(cell.factors), **scopes, **dict.fromkeys(CELL, cell.label)}


def _apart(narrow: Restriction, one: int, other: int, what: str) -> bool:
    """Whether two cells differ in a factor alone: in ``what`` if it is one."""
    if what in CELL:
        return True
    cells = [narrow.plan.cells[place].cell for place in (one, other)]
    mine, theirs = (dict(cell.factors) for cell in cells)
    differ = [name for name in mine if mine[name] != theirs.get(name)]
    return differ == [what] if what in mine else len(differ) == 1


def _cells(
    what: str, design: Design, narrow: Restriction, part: tuple[int, int, str, str], chosen: Chosen
) -> Edit:
    one, other, old, new = part
    before, after = (occurrence(design, narrow, place, chosen) for place in (one, other))
    return Edit(before, after, what, old, new)


# --- another variant ---------------------------------------------------------------------------


def _other_variants(
    design: Design, narrows: Sequence[Restriction], wanted: Change
) -> list[DrawSource[Edit]]:
    """The same cell of two variants whose lexemes are the same."""
    found = []
    groups: dict[tuple[tuple[str, str], ...], list[tuple[str, Restriction]]] = {}
    for narrow in narrows:
        choices = choices_of(narrow.plan)
        value = choices.pop(wanted.what, None)
        if value is not None:
            groups.setdefault(tuple(choices.items()), []).append((value, narrow))
    joints: dict[tuple[int, ...], Joint | None] = {}
    made: Made = {}
    for group in groups.values():
        for (old, one), (new, other) in permutations(group, 2):
            parts = _same_cells(one, other, wanted) if wanted.fits(old, new) else []
            key = tuple(sorted((one.number, other.number)))
            if parts and key not in joints:
                joints[key] = Joint.of(one, other, wanted.what, made)
            if parts and (joint := joints[key]) is not None:
                make = partial(_variants, (wanted.what, old, new), design, joint, one, other)
                found.append(DrawSource(joint.slots, joint.chooser, parts, make))
    return found


def _same_cells(one: Restriction, other: Restriction, wanted: Change) -> list[tuple[int, int]]:
    """For each cell of a plan the nearest of another, as places in each.

    That is the cell of the same name, if it is wanted, or else one that differs in the fewest
    factors: where a factor follows from what is changed, such as the number of a verb.
    """
    pairs = []
    for i in wanted.sentences(one):
        mine = one.plan.cells[i].cell
        apart = {}
        for j in wanted.sentences(other):
            theirs = other.plan.cells[j].cell
            if theirs.role == mine.role and (theirs.role == "cell" or theirs.label == mine.label):
                differ = sum(a != b for a, b in zip(mine.factors, theirs.factors, strict=True))
                apart[j] = (theirs.label != mine.label, differ)
        if apart:
            pairs.append((i, min(apart, key=lambda j: apart[j])))
    return pairs


def _variants(
    what: tuple[str, str, str],
    design: Design,
    joint: Joint,
    one: Restriction,
    other: Restriction,
    part: tuple[int, int],
    chosen: Chosen,
) -> Edit:
    before, after = (
        occurrence(design, narrow, place, joint.chosen(narrow, chosen))
        for narrow, place in zip((one, other), part, strict=True)
    )
    return Edit(before, after, *what)


# --- another lexeme ----------------------------------------------------------------------------


def _other_lexemes(
    design: Design, narrows: Sequence[Restriction], wanted: Change
) -> list[DrawSource[Edit]]:
    """The same cell with another lexeme in a slot, or one that has another value of a feature."""
    found = []
    made: Exchanges = {}
    for narrow in narrows:
        for number, name in enumerate(slot_names(narrow.plan)):
            shown = [i for i in wanted.sentences(narrow) if _shows(narrow, i, number)]
            values = _values(name, narrow.plan.slots[number], wanted.what)
            old, new = (
                np.array([i for i, v in enumerate(values) if v and asked in (None, v)], np.int64)
                for asked in (wanted.old, wanted.new)
            )
            if wanted.new is not None:  # what is so already is not changed
                old = old[[values[i] != wanted.new for i in old]]
            kind = {value: i for i, value in enumerate(dict.fromkeys(values))}
            kinds = np.array([kind[value] for value in values], dtype=np.int64)
            if shown and len({*kinds[old], *kinds[new]}) > 1:
                exchange = Exchange.of(narrow, number, (old, new), kinds, made)
                if exchange is not None:
                    make = partial(_lexeme, wanted.what, number, values, design, narrow)
                    found.append(DrawSource(exchange.slots, exchange.chooser, shown, make))
    return found


def _values(name: str, slot: Slot, what: str) -> Sequence[str]:
    """What each lexeme is that would be exchanged: itself, or the one value of a feature.

    Empty for a lexeme with several values or any, and no values for other slots.
    """
    if what == name:
        return slot.titles
    cells = [members(cell) for cell in feature(name, slot, what) or ()]
    return [cell[0] if len(cell) == 1 and cell[0] != ANY else "" for cell in cells]


def _shows(narrow: Restriction, place: int, slot: int) -> bool:
    return any(piece.slot == slot for piece in narrow.plan.cells[place].pieces)


def _lexeme(
    what: str,
    number: int,
    values: Sequence[str],
    design: Design,
    narrow: Restriction,
    place: int,
    chosen: Chosen,
) -> Edit:
    *own, other = chosen
    edited = own.copy()
    edited[number] = other
    before, after = (occurrence(design, narrow, place, tuple(one)) for one in (own, edited))
    return Edit(before, after, what, values[own[number]], values[other])


_KINDS = {
    "cell": _other_cells,
    "plan": _other_variants,
    "slot": _other_lexemes,
    "feature": _other_lexemes,
}
