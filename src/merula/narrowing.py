"""The part of a design that a caller asks for: some frames, attribute values, lexemes, features.

``where`` maps a name to the value wanted, or to several values of which one is wanted:

- ``frame``: a clause type;
- what a variant chooses, as rows and drawings name it: ``subj.number``, ``n2``;
- a slot, as the column ``lexemes`` names it: ``verb``, with lexemes;
- a feature of the lexemes of a slot: ``N1.sort``;
- a factor of a paradigm, or ``cell``, ``label``, ``scope.NAME``: these choose among the cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from merula.choosing import Chooser
from merula.compiler import CompiledDesign
from merula.language.diagnostics import MerulaError, did_you_mean, listing
from merula.lexicon import members
from merula.meaning import Cell
from merula.plan import Plan, slot_names
from merula.slots import Slot, kept
from merula.space import Bools, Ints
from merula.values import frozen

Where = Mapping[str, str | Sequence[str]]
CELL = ("cell", "label")
FRAME = "frame"
SCOPE = "scope."
BAND = "band"  # the column of frequency bands in Merula's tables


@frozen(eq=False)
class Narrow:
    """A plan with the lexemes that are left of each slot.

    ``number`` is its place in the design, ``candidates`` what the lexemes left are in the whole
    plan, ``cells`` the places of the cells wanted. ``chooser`` makes combinations of wishes, 0 for
    the plainest lexeme of a slot.
    """

    number: int
    whole: Plan
    plan: Plan
    candidates: tuple[Ints, ...]
    cells: tuple[int, ...]
    chooser: Chooser

    def address(self, design: CompiledDesign, chosen: Sequence[int]) -> int:
        """The address in the whole design of a combination of the lexemes left."""
        own = [int(kept[i]) for kept, i in zip(self.candidates, chosen, strict=True)]
        return design.starts[self.number] + self.whole.space.rank(own)


def narrowed(design: CompiledDesign, where: Where | None = None) -> list[Narrow]:
    """The plans of a design that have what is asked for, the plainest first.

    Plain is the first frame, then the fewest words, then the first values. Raises `MerulaError`
    where a name is unknown (M750) or nothing is left (M751).
    """
    asked = {name: _values(value) for name, value in (where or {}).items()}
    _demand_known(design, asked)
    made: dict[tuple[int, bytes], tuple[Slot, Ints, list[int]]] = {}
    found = []
    for number, plan in enumerate(design.plans):
        own = _narrow(number, plan, asked, made)
        if own is not None:
            found.append(own)
    if not found:
        raise MerulaError.of(
            "M751",
            f"{design.name} has no instance with "
            + ", ".join(f"{name} {listing(values, 'or')}" for name, values in asked.items()),
            remedy="ask for less",
            place=design.design.span.source.name,
        )
    frames = [frame.name for frame in design.design.frames]
    return sorted(found, key=lambda own: _plainness(own, frames))


def _values(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _plainness(own: Narrow, frames: Sequence[str]) -> tuple[int, int, int]:
    words = sum(len(cell.pieces) for cell in own.plan.cells)
    return frames.index(own.plan.variant.frame.name), words, own.number


def names(plan: Plan) -> dict[str, str]:
    """What can be asked of a plan, and whether it is of the plan, a cell, a slot or a feature."""
    known = {FRAME: "plan", **{name: "plan" for name, _ in plan.variant.choices}}
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        known[name] = "slot"
        columns = slot.rows.columns if slot.rows is not None and slot.candidates else ()
        known |= {f"{name}.{column}": "feature" for column in columns}
    for cell in plan.cells:
        known |= {name: "cell" for name, _ in cell.cell.factors}
        known |= {SCOPE + name: "cell" for name, _ in cell.cell.scopes}
    return {**known, **dict.fromkeys(CELL, "cell")}


def _demand_known(design: CompiledDesign, asked: Mapping[str, tuple[str, ...]]) -> None:
    known = {name: kind for plan in design.plans for name, kind in names(plan).items()}
    for name in asked:
        if name not in known:
            plain = [n for n, kind in known.items() if kind != "feature"]
            raise MerulaError.of(
                "M750",
                f"{design.name} has nothing that is called {name}",
                remedy=did_you_mean(name, known) or f"ask for {listing(plain, 'or')}",
                place=design.design.span.source.name,
            )


def _narrow(
    number: int,
    plan: Plan,
    asked: Mapping[str, tuple[str, ...]],
    made: dict[tuple[int, bytes], tuple[Slot, Ints, list[int]]],
) -> Narrow | None:
    """A plan with what is asked for, or None where it has not."""
    known = names(plan)
    if any(name not in known for name in asked):
        return None
    chosen = {FRAME: plan.variant.frame.name, **dict(plan.variant.choices)}
    cells = tuple(range(len(plan.cells)))
    for name, values in asked.items():
        if known[name] == "plan" and chosen[name] not in values:
            return None
        if known[name] == "cell":
            cells = tuple(i for i in cells if _said(plan.cells[i].cell, name) in values)
    if not cells:
        return None
    slots, candidates, order = [], [], []
    for name, slot in zip(slot_names(plan), plan.slots, strict=True):
        keep = _keep(name, slot, asked)
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
    return Narrow(number, plan, left_plan, tuple(candidates), cells, Chooser(space, order))


def _said(cell: Cell, name: str) -> str | None:
    """What a cell says of something."""
    if name in CELL:
        return cell.label
    if name.startswith(SCOPE):
        return dict(cell.scopes).get(name.removeprefix(SCOPE))
    return dict(cell.factors).get(name)


def _keep(name: str, slot: Slot, asked: Mapping[str, tuple[str, ...]]) -> Bools:
    """Which lexemes of a slot are asked for."""
    keep = np.ones(len(slot), dtype=np.bool_)
    if name in asked:
        keep &= np.array([title in asked[name] for title in slot.titles], dtype=np.bool_)
    for own, values in asked.items():
        slot_name, _, column = own.partition(".")
        while slot_name != name and "." in column:  # names of slots may hold dots
            more, _, column = column.partition(".")
            slot_name = f"{slot_name}.{more}"
        if slot_name == name and column and slot.rows is not None and column in slot.rows.columns:
            cells = slot.rows.columns[column]
            has = [bool(set(members(cells[row])) & set(values)) for row in slot.candidates]
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
