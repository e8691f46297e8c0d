"""Restrict a design to some frames, attribute values, lexemes or features.

``where`` maps a name to the value wanted, or to several values of which one is wanted:

- ``frame``: a clause type;
- what a variant chooses, as rows and drawings name it: ``subj.number``, ``n2``;
- a slot, as the column ``lexemes`` names it: ``verb``, with lexemes;
- a feature of the lexemes of a slot: ``N1.sort``;
- a factor of a paradigm, or ``cell``, ``label``, ``scope.NAME``: these choose among the cells.

Some names mean several of these, such as that of an optional object with lexemes. Then the values
say what is meant; where they leave it open, a factor goes before a choice, a choice before a slot,
a slot before a feature.

In comes a compiled design with ``where``, out comes a `Restriction` for each plan that has what is
asked for. Strategies and the cases of tests call `narrowed`. The addresses of the whole design stay
what they are: `Restriction.address` leads back to them.
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
from merula.plan.space import Space
from merula.plan.wishes import Chooser

Where = Mapping[str, str | Sequence[str]]
Asked = Mapping[str, tuple[str, tuple[str, ...]]]  # name → of what kind it is, the values wanted
KINDS = ("cell", "plan", "slot", "feature")  # what a name can mean; earlier kinds win
CELL = ("cell", "label")
FRAME = "frame"
SCOPE = "scope."
MAX_VALUES_SHOWN = 12  # in a message: about two lines of a terminal
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
        """Return the address in the whole design of a combination of the lexemes left."""
        whole = [int(kept[i]) for kept, i in zip(self.candidates, chosen, strict=True)]
        return design.starts[self.number] + self.whole.space.rank(whole)


def narrowed(design: CompiledDesign, where: Where | None = None) -> list[Restriction]:
    """Return the plans of a design that have what is asked for, the plainest first.

    Plain is the first frame, then the fewest words, then the first values. Raises `MerulaError`
    where a name is unknown (M750) or nothing is left (M751).
    """
    request = _asked(design, where or {})
    shared = _Made()
    every = (_narrow(number, plan, request, shared) for number, plan in enumerate(design.plans))
    restrictions = [restriction for restriction in every if restriction is not None]
    if not restrictions:
        wanted = [f"{name} {listing(values, 'or')}" for name, (_, values) in request.items()]
        raise MerulaError.of(
            "M751",
            f"{design.name} has no instance" + (f" with {', '.join(wanted)}" if wanted else ""),
            remedy="ask for less"
            if wanted
            else "name its tables, and see what `merula check` says",
            place=design.design.span.source.name,
        )
    frames = [frame.name for frame in design.design.frames]
    return sorted(restrictions, key=lambda restriction: _plainness(restriction, frames))


def _asked(design: CompiledDesign, where: Where) -> Asked:
    """Return the values asked for, each with its kind; raises TypeError or ValueError too."""
    if not isinstance(where, Mapping):
        raise TypeError(f'where={where!r} should be a mapping, such as {{"frame": "main"}}')
    kinds_of: dict[str, set[str]] = {}
    for plan in design.plans:
        for name, kinds in names(plan).items():
            kinds_of.setdefault(name, set()).update(kinds)
    kinds_and_values = {}
    for name, entry in where.items():
        values: Any = (entry,) if isinstance(entry, str) else entry
        values = tuple(values) if isinstance(values, Iterable) else (None,)
        if not all(isinstance(value, str) for value in values):
            raise TypeError(f"where={{{name!r}: {entry!r}}} should be a text, or several")
        if not values:
            raise ValueError(f"where={{{name!r}: {entry!r}}} names no value")
        if name not in kinds_of:
            plain = dict.fromkeys(n for plan in design.plans for n in plain_names(plan))
            raise MerulaError.of(
                "M750",
                f"{design.name} has nothing that is named {name}",
                remedy=did_you_mean(name, kinds_of) or f"ask for {listing(plain, 'or')}",
                place=design.design.span.source.name,
            )
        texts = tuple(map(clean, values))
        kind = meant(design.plans, name, texts)[0]
        possible = {x for plan in design.plans for x in _values(plan, name, kind)}
        if possible.isdisjoint(texts) and ANY not in possible:
            raise unknown(design, name, texts[0], possible)
        kinds_and_values[name] = kind, texts
    return kinds_and_values


def unknown(design: CompiledDesign, name: str, value: str, possible: Iterable[str]) -> MerulaError:
    """Return the error of a value that something never has."""
    values = sorted(possible)
    shown = f"one of {len(values)} others"
    if len(values) <= MAX_VALUES_SHOWN:
        shown = listing(values, "or")
    return MerulaError.of(
        "M751",
        f"{name} is never {value} in {design.name}",
        remedy=did_you_mean(value, values) or (f"it is {shown}" if values else "it has no value"),
        place=design.design.span.source.name,
    )


def meant(plans: Iterable[Plan], name: str, values: Iterable[str | None]) -> list[str]:
    """Return what a name can mean; kinds that have some of the values go first."""
    wanted = {value for value in values if value is not None}
    kinds: dict[str, bool] = {}
    for plan in plans:
        for kind in names(plan).get(name, ()):
            kinds[kind] = kinds.get(kind, False) or bool(wanted & _values(plan, name, kind))
    return sorted(kinds, key=lambda kind: (bool(wanted) and not kinds[kind], KINDS.index(kind)))


def _values(plan: Plan, name: str, kind: str) -> set[str]:
    """Return the values that a name has in a plan, taken as the name of one kind."""
    if kind == "plan":
        return {choices_of(plan)[name]}
    if kind == "cell":
        return {x for cell in plan.cells if (x := _value_in(cell.cell, name)) is not None}
    for slot_name, slot in zip(slot_names(plan), plan.slots, strict=True):
        if kind == "slot" and slot_name == name:
            return set(slot.titles)
        column = feature(slot_name, slot, name)
        if kind == "feature" and column is not None:
            return {value for cell in column for value in members(cell)}
    return set()


def names_of(plans: Iterable[Plan]) -> dict[str, list[str]]:
    """Return what can be asked of some plans, without features: each name with its values."""
    values_by_name: dict[str, dict[str, None]] = {}
    for plan in plans:
        for name, kinds in names(plan).items():
            for kind in kinds:
                if kind != "feature":
                    values = dict.fromkeys(sorted(_values(plan, name, kind)))
                    values_by_name.setdefault(name, {}).update(values)
    return {name: list(values) for name, values in values_by_name.items()}


def values_of(plans: Iterable[Plan], name: str) -> set[str]:
    """Return all values of a name in some plans, whatever kinds it is the name of."""
    return {
        x for plan in plans for kind in names(plan).get(name, ()) for x in _values(plan, name, kind)
    }


def choices_of(plan: Plan) -> dict[str, str]:
    """Return the frame of a variant and what it chooses, by name."""
    return {FRAME: plan.variant.frame.name, **dict(plan.variant.choices)}


def feature(name: str, slot: Slot, asked: str) -> list[str] | None:
    """Return the cells of a feature ``NAME.column`` of a slot's lexemes, or None."""
    column = asked.removeprefix(f"{name}.")
    if column == asked or slot.rows is None or not slot.candidates:
        return None
    cells = slot.rows.columns.get(column)
    return None if cells is None else [cells[row] for row in slot.candidates]


def _plainness(restriction: Restriction, frames: Sequence[str]) -> tuple[int, int, int]:
    plan = restriction.plan
    words = sum(len(cell.pieces) for cell in plan.cells)
    return frames.index(plan.variant.frame.name), words, restriction.number


def names(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return what can be asked of a plan: each name with the kinds that it can mean (`KINDS`)."""
    kinds_of: dict[str, dict[str, None]] = {}

    def add(kind: str, of_kind: Iterable[str]) -> None:
        for name in of_kind:
            kinds_of.setdefault(name, {})[kind] = None

    for cell in plan.cells:
        add("cell", (name for name, _ in cell.cell.factors))
        add("cell", (SCOPE + name for name, _ in cell.cell.scopes))
    add("cell", CELL)
    add("plan", choices_of(plan))
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        add("slot", [name])
        columns = slot.rows.columns if slot.rows is not None and slot.candidates else ()
        add("feature", (f"{name}.{column}" for column in columns))
    return {name: tuple(kinds) for name, kinds in kinds_of.items()}


def plain_names(plan: Plan) -> list[str]:
    """Return what can be asked of a plan, without the features: there are many."""
    return [name for name, kinds in names(plan).items() if kinds != ("feature",)]


class _Made:
    """The slots and spaces of a restricted design, which its plans have in common.

    The tables of a space may take 30 MB. The keys are the whole slot or space and the candidates
    that are left.
    """

    def __init__(self) -> None:
        self.slots: dict[tuple[Slot, bytes], tuple[Slot, Ints, list[int]]] = {}
        self.spaces: dict[tuple[object, ...], Space] = {}

    def slot(self, slot: Slot, keep: Bools) -> tuple[Slot, Ints, list[int]]:
        """Return the slot of some candidates, these, and their order, the plainest first."""
        key = (slot, keep.tobytes())
        if key not in self.slots:
            left = kept(slot, keep)
            self.slots[key] = (left, np.flatnonzero(keep), plainest(left))
        return self.slots[key]

    def space(self, space: Space, candidates: Sequence[Ints]) -> Space:
        """Return the space of some candidates only."""
        if all(len(left) == size for left, size in zip(candidates, space.sizes, strict=True)):
            return space
        key = (space, *(left.tobytes() for left in candidates))
        if key not in self.spaces:
            self.spaces[key] = space.restricted(candidates)
        return self.spaces[key]


def _narrow(number: int, plan: Plan, request: Asked, shared: _Made) -> Restriction | None:
    """Return a plan restricted to what is asked for, or None where it does not have that."""
    kinds_of, choices = names(plan), choices_of(plan)
    if any(kind not in kinds_of.get(name, ()) for name, (kind, _) in request.items()):
        return None
    cells = tuple(range(len(plan.cells)))
    for name, (kind, values) in request.items():
        if kind == "plan" and choices[name] not in values:
            return None
        if kind == "cell":
            cells = tuple(i for i in cells if _value_in(plan.cells[i].cell, name) in values)
    if not cells:
        return None
    lexical = {name: (k, v) for name, (k, v) in request.items() if k in ("slot", "feature")}
    slots: list[Slot] = []
    candidates: list[Ints] = []
    order: list[list[int]] = []
    asked_slots: set[int] = set()
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        keep = _keep(name, slot, lexical)
        if any(name == x or feature(name, slot, x) is not None for x in lexical):
            asked_slots.add(len(slots))
        narrow_slot, places, ordered = shared.slot(slot, keep)
        slots.append(narrow_slot)
        candidates.append(places)
        order.append(ordered)
    space = shared.space(plan.space, candidates)
    if not space.count:
        return None
    narrow_plan = replace(plan, slots=tuple(slots), space=space)
    chooser = Chooser(space, order)
    return Restriction(
        number, plan, narrow_plan, tuple(candidates), cells, frozenset(asked_slots), chooser
    )


def _value_in(cell: Cell, name: str) -> str | None:
    """Return the value of a factor, a scope or the label of a cell; None where it has none."""
    if name in CELL:
        return cell.label
    if name.startswith(SCOPE):
        return dict(cell.scopes).get(name.removeprefix(SCOPE))
    return dict(cell.factors).get(name)


def _keep(name: str, slot: Slot, asked: Asked) -> Bools:
    """Return which lexemes of a slot are asked for; ``*`` is any value of a feature."""
    keep = np.ones(len(slot), dtype=np.bool_)
    for asked_name, (kind, values) in asked.items():
        if kind == "slot" and asked_name == name:
            keep &= np.array([title in values for title in slot.titles], dtype=np.bool_)
        column = feature(name, slot, asked_name) if kind == "feature" else None
        if column is not None:
            has = [bool({*members(cell)} & {*values, ANY}) for cell in column]
            keep &= np.array(has, dtype=np.bool_)
    return keep


Plainness = tuple[int, int, str]


def plainness(slot: Slot) -> list[Plainness]:
    """Return how plain each candidate of a slot is, less being plainer.

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
    """Return the candidates of a slot, the plainest first."""
    keys = plainness(slot)
    return sorted(range(len(slot)), key=lambda i: keys[i])
