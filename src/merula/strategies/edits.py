"""Edits: two sentences of a grammar that differ in one thing, drawn as Hypothesis strategies.

What an edit changes is named as in ``where``: a factor, what a variant chooses, a frame, the lexeme
of a slot or a feature of it. All lexemes else are the same in both sentences: they are chosen in a
space that satisfies the constraints of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from merula.api import Design, Grammar, Sentence
from merula.language.diagnostics import MerulaError, did_you_mean, listing
from merula.lexicon import members
from merula.narrowing import CELL, FRAME, SCOPE, Narrow, Where, names
from merula.occurrences import Occurrence, occurrence
from merula.plan import slot_names
from merula.slots import Slot
from merula.space import Ints, Made
from merula.strategies.draws import Chosen, Source
from merula.strategies.exchange import Exchanger
from merula.strategies.joint import Joint
from merula.strategies.sentences import Asked
from merula.values import frozen

Change = Callable[[str], str]
MOST_VALUES = 8  # of a feature, where it is not said which are exchanged


@dataclass(frozen=True, repr=False)
class Edit:
    """Two sentences that differ in one thing: ``what`` is ``old`` before and ``new`` after it."""

    before: Occurrence
    after: Sentence
    what: str
    old: str
    new: str

    @property
    def title(self) -> str:
        """``N1.number sg → pl``, or the name of a function that changes the text."""
        return f"{self.what} {self.old} → {self.new}" if self.old or self.new else self.what

    @property
    def shows(self) -> bool:
        """Whether the two texts differ."""
        return self.before.text != self.after.text

    def __repr__(self) -> str:
        return f"<{self.title}: {self.before!r} {self.after!r}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))


@frozen
class Wanted:
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

    def sentences(self, narrow: Narrow) -> Iterator[int]:
        """The places of the cells that can stand on one side."""
        for place in narrow.cells:
            if self.acceptable in (None, narrow.plan.cells[place].cell.acceptable):
                yield place


def edits(
    grammar: Grammar,
    what: str | Change,
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
    asked = Asked("edits", grammar, design, where, more)
    if callable(what):
        if old is not None or new is not None:
            raise ValueError(f"old={old!r}, new={new!r}: a function that edits has no values")
        wanted = Wanted(getattr(what, "__name__", repr(what)), None, None, acceptable)
        return asked.drawn(
            lambda narrow: list(wanted.sentences(narrow)), partial(_rewritten, what, wanted.what)
        )
    if where is not None and what in where:
        raise ValueError(f"where={dict(where)!r} holds {what} fast, which is to be changed")
    wanted = Wanted(what, old, new, acceptable)
    sources: list[Source[Edit]] = []
    known: dict[str, str] = {}
    for own, narrows in asked.narrowed():
        kinds = {name: kind for narrow in narrows for name, kind in names(narrow.plan).items()}
        known |= kinds
        if what in kinds:
            sources += _KINDS[kinds[what]](own, narrows, wanted)
    if what not in known:
        raise MerulaError.of(
            "M750",
            f"{grammar.name} has nothing that is called {what}",
            remedy=did_you_mean(what, known)
            or f"change {listing((n for n, kind in known.items() if kind != 'feature'), 'or')}",
        )
    return asked.strategy(told for source in sources if (told := _telling(source)) is not None)


def _telling(source: Source[Edit]) -> Source[Edit] | None:
    """A source without the edits that no word shows (*one sheep*, *two sheep*).

    Another edit stands for them: the first of some in which it shows. None where there is none.
    """
    spares: dict[Any, Edit] = {}
    for part in source.parts:
        edits_ = (source.make(part, chosen) for chosen in source.choices())
        spare = next((edit for edit in edits_ if edit.shows), None)
        if spare is not None:
            spares[part] = spare

    def make(part: Any, chosen: Chosen) -> Edit:
        edit = source.make(part, chosen)
        return edit if edit.shows else spares[part]

    return Source(source.slots, source.chooser, list(spares), make) if spares else None


def _rewritten(
    change: Change, what: str, design: Design, narrow: Narrow, place: int, chosen: Chosen
) -> Edit:
    before = occurrence(design, narrow, place, chosen)
    return Edit(before, replace(before, text=change(before.text)), what, "", "")


# --- another cell ------------------------------------------------------------------------------


def _other_cells(design: Design, narrows: Sequence[Narrow], wanted: Wanted) -> list[Source[Edit]]:
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
            found.append(Source.of(narrow, parts, partial(_cells, wanted.what, design, narrow)))
    return found


def _said(narrow: Narrow, place: int) -> dict[str, str]:
    """What a cell is, as ``where`` may name it."""
    cell = narrow.plan.cells[place].cell
    scopes = {SCOPE + name: value for name, value in cell.scopes}
    return {**dict(cell.factors), **scopes, **dict.fromkeys(CELL, cell.label)}


def _apart(narrow: Narrow, one: int, other: int, what: str) -> bool:
    """Whether two cells differ in a factor alone: in ``what`` if it is one."""
    if what in CELL:
        return True
    cells = [narrow.plan.cells[place].cell for place in (one, other)]
    mine, theirs = (dict(cell.factors) for cell in cells)
    differ = [name for name in mine if mine[name] != theirs.get(name)]
    return differ == [what] if what in mine else len(differ) == 1


def _cells(
    what: str, design: Design, narrow: Narrow, part: tuple[int, int, str, str], chosen: Chosen
) -> Edit:
    one, other, old, new = part
    before, after = (occurrence(design, narrow, place, chosen) for place in (one, other))
    return Edit(before, after, what, old, new)


# --- another variant ---------------------------------------------------------------------------


def _other_variants(
    design: Design, narrows: Sequence[Narrow], wanted: Wanted
) -> list[Source[Edit]]:
    """The same cell of two variants whose lexemes are the same."""
    found = []
    groups: dict[tuple[tuple[str, str], ...], list[tuple[str, Narrow]]] = {}
    for narrow in narrows:
        choices = _choices(narrow)
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
                joints[key] = Joint.of(one, other, made)
            if parts and (joint := joints[key]) is not None:
                make = partial(_variants, (wanted.what, old, new), design, joint, one, other)
                found.append(Source(joint.slots, joint.chooser, parts, make))
    return found


def _choices(narrow: Narrow) -> dict[str, str]:
    variant = narrow.plan.variant
    return {FRAME: variant.frame.name, **dict(variant.choices)}


def _same_cells(one: Narrow, other: Narrow, wanted: Wanted) -> list[tuple[int, int]]:
    """The cells that both plans have, as places in each."""
    mine, theirs = ({_name(n, i): i for i in wanted.sentences(n)} for n in (one, other))
    return [(i, theirs[key]) for key, i in mine.items() if key in theirs]


def _name(narrow: Narrow, place: int) -> tuple[str, str]:
    cell = narrow.plan.cells[place].cell
    return cell.role, cell.label


def _variants(
    what: tuple[str, str, str],
    design: Design,
    joint: Joint,
    one: Narrow,
    other: Narrow,
    part: tuple[int, int],
    chosen: Chosen,
) -> Edit:
    before, after = (
        occurrence(design, narrow, place, joint.chosen(narrow, chosen))
        for narrow, place in zip((one, other), part, strict=True)
    )
    return Edit(before, after, *what)


# --- another lexeme ----------------------------------------------------------------------------


def _other_lexemes(design: Design, narrows: Sequence[Narrow], wanted: Wanted) -> list[Source[Edit]]:
    """The same cell with another lexeme in a slot, or one that has another value of a feature."""
    exchanger = Exchanger()
    found = []
    for narrow in narrows:
        for number, name in enumerate(slot_names(narrow.plan)):
            shown = [i for i in wanted.sentences(narrow) if _shows(narrow, i, number)]
            if not shown:
                continue
            slot = narrow.plan.slots[number]
            for old, new, values in _exchanges(name, slot, wanted):
                exchange = exchanger.exchange(narrow, number, old, new)
                if exchange is not None:
                    make = partial(_lexeme, wanted.what, number, values, design, narrow)
                    found.append(Source(exchange.slots, exchange, shown, make))
    return found


def _exchanges(name: str, slot: Slot, wanted: Wanted) -> Iterator[tuple[Ints, Ints, Sequence[str]]]:
    """Some lexemes, others to exchange them for, and what each lexeme of the slot is called."""
    if wanted.what == name:
        old, new = (
            np.array([i for i, title in enumerate(slot.titles) if asked in (None, title)])
            for asked in (wanted.old, wanted.new)
        )
        if wanted.old is not None:
            new = np.setdiff1d(new, old)
        elif wanted.new is not None:
            old = np.setdiff1d(old, new)
        if len(old) and len(new) and len(slot) > 1:
            yield old, new, slot.titles
        return
    column = wanted.what.removeprefix(f"{name}.")
    if column == wanted.what or slot.rows is None or column not in slot.rows.columns:
        return
    cells = [members(slot.rows.columns[column][row]) for row in slot.candidates]
    values = dict.fromkeys(value for cell in cells for value in cell)
    if len(values) > MOST_VALUES and None in (wanted.old, wanted.new):
        raise MerulaError.of(
            "M752",
            f"{wanted.what} has {len(values)} values",
            remedy="say which are exchanged with old= and new=",
        )
    for one, other in permutations(values, 2):
        if wanted.fits(one, other):
            old = np.array([i for i, c in enumerate(cells) if one in c and other not in c])
            new = np.array([i for i, c in enumerate(cells) if other in c and one not in c])
            if len(old) and len(new):
                yield old, new, [one if one in c else other for c in cells]


def _shows(narrow: Narrow, place: int, slot: int) -> bool:
    return any(piece.slot == slot for piece in narrow.plan.cells[place].pieces)


def _lexeme(
    what: str,
    number: int,
    values: Sequence[str],
    design: Design,
    narrow: Narrow,
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
