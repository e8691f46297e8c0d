"""Edits: two sentences of a grammar that differ in one thing, drawn as Hypothesis strategies.

What an edit changes has the name that it has in ``where``: a factor, a choice of a variant, a
frame, the lexeme of a slot or a feature of it. All other lexemes are the same in both sentences:
they are chosen in a space that satisfies the constraints of both.
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
        """Return whether the two texts differ, and the values as well."""
        return self.before.text != self.after.text and self.old != self.new

    def __repr__(self) -> str:
        return f"<{self.title}: {self.before!r} {self.after!r}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))


@frozen
class Change:
    """A change that is asked for: of what, and from which value to which; None where any fits."""

    what: str
    old: str | None
    new: str | None
    acceptable: bool | None

    def fits(self, old: str | None, new: str | None) -> bool:
        """Return whether the values before and after an edit are the ones asked for."""
        if old is None or new is None or old == new:
            return False
        return self.old in (None, old) and self.new in (None, new)

    def sentences(self, narrow: Restriction) -> Iterator[int]:
        """Yield the places of the cells that can be before or after the edit."""
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
    """Draw pairs of sentences that differ in one thing, and perhaps in what depends on it.

    ``what`` is a factor (two cells of an instance), what a variant chooses or ``frame`` (the
    lexemes stay), a slot (another lexeme), a feature of a slot's lexemes (a lexeme that has another
    value), or a function from the text to the text after the edit. The two texts differ, unless a
    function leaves one as it is. ``old`` and ``new`` ask for a value before and after it,
    ``acceptable`` for two acceptable sentences (False: two that are not), ``design`` and ``where``
    mean the same as in `sentences`. Raises `MerulaError` where there is none.
    """
    more = {"what": what, "old": old, "new": new, "acceptable": acceptable}
    request = Request("edits", grammar, design, where, more)
    if callable(what):
        if old is not None or new is not None:
            raise ValueError(f"old={old!r}, new={new!r}: a function that edits has no values")
        by_function = Change(called(what), None, None, acceptable)
        return request.drawn(
            lambda narrow: list(by_function.sentences(narrow)),
            partial(_rewritten, what, by_function.what),
        )
    if not isinstance(what, str):
        raise TypeError(f"what={what!r} should be a name or a function of a text")
    for name, value in (("old", old), ("new", new)):
        if not isinstance(value, str | None):
            raise TypeError(f"{name}={value!r} should be a text")
    if isinstance(where, Mapping) and what in where:
        raise ValueError(f"where={dict(where)!r} keeps {what}, which is to change, as it is")
    old, new = (None if value is None else clean(value) for value in (old, new))
    change = Change(what, old, new, acceptable)
    sources: list[DrawSource[Edit]] = []
    changeable: set[str] = set()  # names of what plans have, without the features
    for in_design, narrows in request.narrowed():
        plans = [narrow.plan for narrow in narrows]
        changeable.update(*(plain_names(plan) for plan in plans))
        kinds = meant(plans, what, (old, new))
        by_kind = (_KINDS[kind](in_design, narrows, change) for kind in kinds)
        sources += next((shown for drawn in by_kind if (shown := _shown(drawn))), [])
        changeable.update([what] if any(what in names(plan) for plan in plans) else [])
    if what not in changeable:
        raise MerulaError.of(
            "M750",
            f"{grammar.name} has nothing that is named {what}",
            remedy=did_you_mean(what, changeable) or f"change {listing(sorted(changeable), 'or')}",
            place=grammar._compiled.source.name,
        )
    if not sources:
        values = {x for each in request.designs for x in values_of(each._design.plans, what)}
        for value in (old, new):
            if value is not None and value not in values:
                raise unknown(request.designs[0]._design, what, value, values)
    return request.strategy(sources)


def _shown(sources: Sequence[DrawSource[Edit]]) -> list[DrawSource[Edit]]:
    """Return the sources without the edits that no word shows (*one sheep*, *two sheep*).

    Another edit takes their place, of the same cells where one is found soon. Empty where no edit
    shows.
    """
    spares = (_spare(source, part) for source in sources for part in source.parts)
    last = next((edit for edit in islice(spares, MOST_PARTS) if edit is not None), None)
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
    """Return an edit of a part of a source that shows, always the same, if one is found soon."""
    every = (source.make(part, chosen) for chosen in source.choices())
    return next((edit for edit in every if edit.shows), None)


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
    design: Design, narrows: Sequence[Restriction], change: Change
) -> list[DrawSource[Edit]]:
    """Return sources of two cells of an instance that differ in a factor, or in their names."""
    sources = []
    for narrow in narrows:
        names_of = {place: _names_of(narrow, place) for place in change.sentences(narrow)}
        parts = [
            (one, other, names_of[one][change.what], names_of[other][change.what])
            for one, other in permutations(names_of, 2)
            if change.fits(names_of[one].get(change.what), names_of[other].get(change.what))
            and narrow.plan.cells[one].cell.role == narrow.plan.cells[other].cell.role
            and _apart(narrow, one, other, change.what)
        ]
        if parts:
            make = partial(_cells, change.what, design, narrow)
            sources.append(DrawSource.of(narrow, parts, make))
    return sources


def _names_of(narrow: Restriction, place: int) -> dict[str, str]:
    """Return the factors, scopes and label of a cell, under the names that ``where`` has."""
    cell = narrow.plan.cells[place].cell
    scopes = {SCOPE + name: value for name, value in cell.scopes}
    return {**dict(cell.factors), **scopes, **dict.fromkeys(CELL, cell.label)}


def _apart(narrow: Restriction, one: int, other: int, what: str) -> bool:
    """Return whether two cells differ in a single factor: in ``what`` if that is a factor."""
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
    design: Design, narrows: Sequence[Restriction], change: Change
) -> list[DrawSource[Edit]]:
    """Return sources of the same cell of two variants whose lexemes are the same."""
    sources = []
    groups: dict[tuple[tuple[str, str], ...], list[tuple[str, Restriction]]] = {}
    for narrow in narrows:
        choices = choices_of(narrow.plan)
        value = choices.pop(change.what, None)
        if value is not None:
            groups.setdefault(tuple(choices.items()), []).append((value, narrow))
    joints: dict[tuple[int, ...], Joint | None] = {}
    tables: Made = {}
    for group in groups.values():
        for (old, one), (new, other) in permutations(group, 2):
            parts = _same_cells(one, other, change) if change.fits(old, new) else []
            key = tuple(sorted((one.number, other.number)))
            if parts and key not in joints:
                joints[key] = Joint.of(one, other, change.what, tables)
            if parts and (joint := joints[key]) is not None:
                make = partial(_variants, (change.what, old, new), design, joint, one, other)
                sources.append(DrawSource(joint.slots, joint.chooser, parts, make))
    return sources


def _same_cells(before: Restriction, after: Restriction, change: Change) -> list[tuple[int, int]]:
    """Return for each cell of a plan the nearest of another, as places in each.

    That is the cell of the same name, if the change allows it, or else one that differs in the
    fewest factors: where a factor follows from what is changed, such as the number of a verb.
    """
    pairs = []
    for i in change.sentences(before):
        mine = before.plan.cells[i].cell
        apart = {}
        for j in change.sentences(after):
            theirs = after.plan.cells[j].cell
            if theirs.role == mine.role and (theirs.role == "cell" or theirs.label == mine.label):
                differ = sum(a != b for a, b in zip(mine.factors, theirs.factors, strict=True))
                apart[j] = (theirs.label != mine.label, differ)
        if apart:
            pairs.append((i, min(apart, key=lambda j: apart[j])))
    return pairs


def _variants(
    change: tuple[str, str, str],
    design: Design,
    joint: Joint,
    before_narrow: Restriction,
    after_narrow: Restriction,
    part: tuple[int, int],
    chosen: Chosen,
) -> Edit:
    before, after = (
        occurrence(design, narrow, place, joint.chosen(narrow, chosen))
        for narrow, place in zip((before_narrow, after_narrow), part, strict=True)
    )
    return Edit(before, after, *change)


# --- another lexeme ----------------------------------------------------------------------------


def _other_lexemes(
    design: Design, narrows: Sequence[Restriction], change: Change
) -> list[DrawSource[Edit]]:
    """Return sources of a cell with another lexeme in a slot, or with one of another feature."""
    sources = []
    exchanges: Exchanges = {}
    for narrow in narrows:
        for number, name in enumerate(slot_names(narrow.plan)):
            shown = [i for i in change.sentences(narrow) if _shows(narrow, i, number)]
            values = _values(name, narrow.plan.slots[number], change.what)
            old, new = (
                np.array([i for i, v in enumerate(values) if v and value in (None, v)], np.int64)
                for value in (change.old, change.new)
            )
            if change.new is not None:  # a lexeme that has the value already is not changed
                old = old[[values[i] != change.new for i in old]]
            kind = {value: i for i, value in enumerate(dict.fromkeys(values))}
            kinds = np.array([kind[value] for value in values], dtype=np.int64)
            if shown and len({*kinds[old], *kinds[new]}) > 1:
                exchange = Exchange.of(narrow, number, (old, new), kinds, exchanges)
                if exchange is not None:
                    make = partial(_lexeme, change.what, number, values, design, narrow)
                    sources.append(DrawSource(exchange.slots, exchange.chooser, shown, make))
    return sources


def _values(name: str, slot: Slot, what: str) -> Sequence[str]:
    """Return the value of each lexeme of a slot: itself, or the one value of a feature.

    Empty for a lexeme with several values or any; there are no values for other slots.
    """
    if what == name:
        return slot.titles
    cells = [members(cell) for cell in feature(name, slot, what) or ()]
    return [cell[0] if len(cell) == 1 and cell[0] != ANY else "" for cell in cells]


def _shows(narrow: Restriction, place: int, slot: int) -> bool:
    return any(piece.slot == slot for piece in narrow.plan.cells[place].pieces)


def _lexeme(
    name: str,
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
    return Edit(before, after, name, values[own[number]], values[other])


_KINDS = {
    "cell": _other_cells,
    "plan": _other_variants,
    "slot": _other_lexemes,
    "feature": _other_lexemes,
}
