"""The part of a design that a caller asks for: some frames, attribute values, lexemes, features.

``where`` maps a name to the value wanted, or to several values of which one is wanted:

- ``frame``: a clause type;
- what a variant chooses, as rows and drawings name it: ``subj.number``, ``n2``;
- a slot, as the column ``lexemes`` names it: ``verb``, with lexemes;
- a feature of the lexemes of a slot: ``N1.sort``;
- a factor of a paradigm, or ``cell``, ``label``, ``scope.NAME``: these choose among the cells.

Some names mean several of these, such as that of an optional object with lexemes. Then the values
say what is meant; where they leave it open, a factor goes before a choice, a choice before a slot,
a slot before a feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Bools, Ints
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.design.cells import Cell
from merula.lexicon.table import ANY, clean, members
from merula.plan.planner import Plan, slot_names
from merula.plan.slots import Slot, kept
from merula.plan.wishes import Chooser

Where = Mapping[str, str | Sequence[str]]
Asked = Mapping[str, tuple[str, tuple[str, ...]]]  # name → of what kind it is, the values wanted
KINDS = ("cell", "plan", "slot", "feature")  # what a name is the name of; the first goes first
CELL = ("cell", "label")
FRAME = "frame"
SCOPE = "scope."
MOST_LISTED = 12  # values that a message lists
BAND = "band"  # the column of frequency bands in Merula's tables


@frozen(eq=False)
class Restriction:
    """A plan with the lexemes that are left of each slot.

    ``number`` is its place in the design, ``candidates`` what the lexemes left are in the whole
    plan, ``cells`` the places of the cells wanted, ``asked`` the slots whose lexemes are asked for.
    ``chooser`` makes combinations of wishes, 0 for the plainest lexeme of a slot.
    """

    number: int
    whole: Plan
    plan: Plan
    candidates: tuple[Ints, ...]
    cells: tuple[int, ...]
    asked: frozenset[int]
    chooser: Chooser

    def address(self, design: CompiledDesign, chosen: Sequence[int]) -> int:
        """The address in the whole design of a combination of the lexemes left."""
        own = [int(kept[i]) for kept, i in zip(self.candidates, chosen, strict=True)]
        return design.starts[self.number] + self.whole.space.rank(own)


def narrowed(design: CompiledDesign, where: Where | None = None) -> list[Restriction]:
    """The plans of a design that have what is asked for, the plainest first.

    Plain is the first frame, then the fewest words, then the first values. Raises `MerulaError`
    where a name is unknown (M750) or nothing is left (M751).
    """
    asked = _asked(design, where or {})
    made: dict[tuple[int, bytes], tuple[Slot, Ints, list[int]]] = {}
    found = []
    for number, plan in enumerate(design.plans):
        own = _narrow(number, plan, asked, made)
        if own is not None:
            found.append(own)
    if not found:
        wanted = [f"{name} {listing(values, 'or')}" for name, (_, values) in asked.items()]
        raise MerulaError.of(
            "M751",
            f"{design.name} has no instance" + (f" with {', '.join(wanted)}" if wanted else ""),
            remedy="ask for less"
            if wanted
            else "name its tables, and see what `merula check` says",
            place=design.design.span.source.name,
        )
    frames = [frame.name for frame in design.design.frames]
    return sorted(found, key=lambda own: _plainness(own, frames))


def _asked(design: CompiledDesign, where: Where) -> Asked:
    """What is asked for, and what it is. Raises TypeError, ValueError and `MerulaError`."""
    if not isinstance(where, Mapping):
        raise TypeError(f'where={where!r} should be a mapping, such as {{"frame": "main"}}')
    known: dict[str, set[str]] = {}
    for plan in design.plans:
        for name, kinds in names(plan).items():
            known.setdefault(name, set()).update(kinds)
    asked = {}
    for name, given in where.items():
        values: Any = (given,) if isinstance(given, str) else given
        values = tuple(values) if isinstance(values, Iterable) else (None,)
        if not all(isinstance(value, str) for value in values):
            raise TypeError(f"where={{{name!r}: {given!r}}} should be a text, or several")
        if not values:
            raise ValueError(f"where={{{name!r}: {given!r}}} names no value")
        if name not in known:
            plain = dict.fromkeys(n for plan in design.plans for n in plain_names(plan))
            raise MerulaError.of(
                "M750",
                f"{design.name} has nothing that is called {name}",
                remedy=did_you_mean(name, known) or f"ask for {listing(plain, 'or')}",
                place=design.design.span.source.name,
            )
        wanted = tuple(map(clean, values))
        kind = meant(design.plans, name, wanted)[0]
        there = {x for plan in design.plans for x in _values(plan, name, kind)}
        if there.isdisjoint(wanted) and ANY not in there:
            raise unknown(design, name, wanted[0], there)
        asked[name] = kind, wanted
    return asked


def unknown(design: CompiledDesign, name: str, value: str, there: Iterable[str]) -> MerulaError:
    """The error that something never has a value."""
    known = sorted(there)
    some = listing(known, "or") if len(known) <= MOST_LISTED else f"one of {len(known)} others"
    return MerulaError.of(
        "M751",
        f"{name} is never {value} in {design.name}",
        remedy=did_you_mean(value, known) or (f"it is {some}" if known else "it has no value"),
        place=design.design.span.source.name,
    )


def meant(plans: Iterable[Plan], name: str, values: Iterable[str | None]) -> list[str]:
    """What a name can mean, the likeliest first: that of which some of the values are values."""
    wanted = {value for value in values if value is not None}
    kinds: dict[str, bool] = {}
    for plan in plans:
        for kind in names(plan).get(name, ()):
            kinds[kind] = kinds.get(kind, False) or bool(wanted & _values(plan, name, kind))
    return sorted(kinds, key=lambda kind: (bool(wanted) and not kinds[kind], KINDS.index(kind)))


def _values(plan: Plan, name: str, kind: str) -> set[str]:
    """The values that something of a plan has."""
    if kind == "plan":
        return {choices_of(plan)[name]}
    if kind == "cell":
        return {said for cell in plan.cells if (said := _said(cell.cell, name)) is not None}
    for own, slot in zip(slot_names(plan), plan.slots, strict=True):
        if kind == "slot" and own == name:
            return set(slot.titles)
        column = feature(own, slot, name)
        if kind == "feature" and column is not None:
            return {value for cell in column for value in members(cell)}
    return set()


def names_of(plans: Iterable[Plan]) -> dict[str, list[str]]:
    """What can be asked of some plans, without features: each name with its values."""
    found: dict[str, dict[str, None]] = {}
    for plan in plans:
        for name, kinds in names(plan).items():
            for kind in kinds:
                if kind != "feature":
                    values = dict.fromkeys(sorted(_values(plan, name, kind)))
                    found.setdefault(name, {}).update(values)
    return {name: list(values) for name, values in found.items()}


def values_of(plans: Iterable[Plan], name: str) -> set[str]:
    """All that something of some plans can be, whatever it is the name of."""
    return {
        x for plan in plans for kind in names(plan).get(name, ()) for x in _values(plan, name, kind)
    }


def choices_of(plan: Plan) -> dict[str, str]:
    """The frame of a variant and what it chooses, by name."""
    return {FRAME: plan.variant.frame.name, **dict(plan.variant.choices)}


def feature(name: str, slot: Slot, asked: str) -> list[str] | None:
    """The cells of a feature of a slot's lexemes, ``NAME.column``; None where it has none such."""
    column = asked.removeprefix(f"{name}.")
    if column == asked or slot.rows is None or not slot.candidates:
        return None
    cells = slot.rows.columns.get(column)
    return None if cells is None else [cells[row] for row in slot.candidates]


def _plainness(own: Restriction, frames: Sequence[str]) -> tuple[int, int, int]:
    words = sum(len(cell.pieces) for cell in own.plan.cells)
    return frames.index(own.plan.variant.frame.name), words, own.number


def names(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What can be asked of a plan, and what each name is the name of (`KINDS`)."""
    known: dict[str, dict[str, None]] = {}

    def add(kind: str, found: Iterable[str]) -> None:
        for name in found:
            known.setdefault(name, {})[kind] = None

    for cell in plan.cells:
        add("cell", (name for name, _ in cell.cell.factors))
        add("cell", (SCOPE + name for name, _ in cell.cell.scopes))
    add("cell", CELL)
    add("plan", choices_of(plan))
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        add("slot", [name])
        columns = slot.rows.columns if slot.rows is not None and slot.candidates else ()
        add("feature", (f"{name}.{column}" for column in columns))
    return {name: tuple(kinds) for name, kinds in known.items()}


def plain_names(plan: Plan) -> list[str]:
    """What can be asked of a plan, without the features: there are many."""
    return [name for name, kinds in names(plan).items() if kinds != ("feature",)]


def _narrow(
    number: int,
    plan: Plan,
    asked: Asked,
    made: dict[tuple[int, bytes], tuple[Slot, Ints, list[int]]],
) -> Restriction | None:
    """A plan with what is asked for, or None where it has not."""
    known, choices = names(plan), choices_of(plan)
    if any(kind not in known.get(name, ()) for name, (kind, _) in asked.items()):
        return None
    cells = tuple(range(len(plan.cells)))
    for name, (kind, values) in asked.items():
        if kind == "plan" and choices[name] not in values:
            return None
        if kind == "cell":
            cells = tuple(i for i in cells if _said(plan.cells[i].cell, name) in values)
    if not cells:
        return None
    lexical = {name: own for name, own in asked.items() if own[0] in ("slot", "feature")}
    slots: list[Slot] = []
    candidates: list[Ints] = []
    order: list[list[int]] = []
    wanted: set[int] = set()
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        keep = _keep(name, slot, lexical)
        if any(name == own or feature(name, slot, own) is not None for own in lexical):
            wanted.add(len(slots))
        key = (id(slot), keep.tobytes())
        if key not in made:
            left = kept(slot, keep)
            made[key] = (left, np.flatnonzero(keep), plainest(left))
        left, places, ordered = made[key]
        slots.append(left)
        candidates.append(places)
        order.append(ordered)
    whole = all(len(own) == len(slot) for own, slot in zip(candidates, plan.slots, strict=True))
    space = plan.space if whole else plan.space.restricted(candidates)
    if not space.count:
        return None
    left_plan = replace(plan, slots=tuple(slots), space=space)
    chooser = Chooser(space, order)
    return Restriction(
        number, plan, left_plan, tuple(candidates), cells, frozenset(wanted), chooser
    )


def _said(cell: Cell, name: str) -> str | None:
    """What a cell says of something."""
    if name in CELL:
        return cell.label
    if name.startswith(SCOPE):
        return dict(cell.scopes).get(name.removeprefix(SCOPE))
    return dict(cell.factors).get(name)


def _keep(name: str, slot: Slot, asked: Asked) -> Bools:
    """Which lexemes of a slot are asked for; ``*`` is any value of a feature."""
    keep = np.ones(len(slot), dtype=np.bool_)
    for own, (kind, values) in asked.items():
        if kind == "slot" and own == name:
            keep &= np.array([title in values for title in slot.titles], dtype=np.bool_)
        column = feature(name, slot, own) if kind == "feature" else None
        if column is not None:
            has = [bool({*members(cell)} & {*values, ANY}) for cell in column]
            keep &= np.array(has, dtype=np.bool_)
    return keep


Plainness = tuple[int, int, str]


def plainness(slot: Slot) -> list[Plainness]:
    """How plain each candidate of a slot is, less being plainer.

    Short lexemes are plain, of these the frequent ones, as far as a table says how frequent they
    are.
    """
    bands: Sequence[str] = ()
    if slot.rows is not None and slot.candidates and BAND in slot.rows.columns:
        cells = slot.rows.columns[BAND]
        bands = [cells[row] for row in slot.candidates]
    frequent = [int(b) if b.isdecimal() else 0 for b in bands] or [0] * len(slot)
    return [(len(t), -f, t) for t, f in zip(slot.titles, frequent, strict=True)]


def plainest(slot: Slot) -> list[int]:
    """The candidates of a slot, the plainest first."""
    keys = plainness(slot)
    return sorted(range(len(slot)), key=lambda i: keys[i])
