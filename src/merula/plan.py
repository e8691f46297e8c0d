"""The plan of a design: slots with candidate lexemes, constraints between them, and cells.

A plan belongs to one variant. Its cells are ordered lists of pieces, a piece being fixed words
or a form of a slot; placement, voice and linking are gone by now. Counting, sampling, writing
and auditing work on plans and know nothing of phenomena.

Order is canonical: slots in the order the cells show them, candidates by what stands in their
rows, so that neither the names in a grammar nor the order of a table's rows or columns changes
any data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from merula import grammar as g
from merula.constraints import Selector, Together
from merula.contrast import Contrast, Contraster, Difference, Piece, difference
from merula.grammar import CORRECT
from merula.language.diagnostics import Report
from merula.lexicon import Lexicon
from merula.meaning import Cell, Variant
from merula.slots import Slot, SlotKey, SlotMaker, Spec, kept
from merula.space import Bools, Constraint, Distinct, Origin, Space
from merula.surface import Surface


@dataclass(frozen=True)
class PlanCell:
    """A cell with its pieces, one for each of its words."""

    cell: Cell
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """One variant of a design, ready to be counted and written."""

    design: g.Design
    variant: Variant
    slots: tuple[Slot, ...]
    cells: tuple[PlanCell, ...]
    space: Space
    specs: tuple[Spec, ...]
    alike: tuple[tuple[str, str], ...] = ()  # cells of unequal pieces that are one sentence

    @property
    def count(self) -> int:
        """How many instances the variant has."""
        return self.space.count


@dataclass(frozen=True, eq=False)
class Clash:
    """A demand that is part of a clash, with the lexemes that other such demands leave it."""

    origin: Origin
    lexemes: Mapping[str, tuple[str, ...]]  # by slot


@dataclass(frozen=True)
class Excluded:
    """A lexeme that is left out because a contrast does not show in it."""

    title: str
    place: str
    alike: str  # which forms are the same

    def __str__(self) -> str:
        return f"{self.title} ({self.place}) {self.alike}".rstrip()


_Filled = tuple[tuple[Slot, ...], Space, tuple[tuple[str, str], ...]]


class Planner:
    """Makes the plans of a grammar; what variants have in common is made once."""

    def __init__(
        self, grammar: g.Grammar, lexicon: Lexicon, surface: Surface, report: Report
    ) -> None:
        self.report = report
        self._slots = SlotMaker(grammar, lexicon, report)
        self._selector = Selector(grammar, report)
        self._contraster = Contraster(surface)
        self._contrasts: dict[tuple[object, ...], Contrast | None] = {}
        self._spaces: dict[tuple[object, ...], _Filled] = {}
        self._equal_spaces: dict[tuple[object, ...], Space] = {}
        self.unchecked: dict[tuple[str, str], None] = {}  # contrasts too large to check
        self.excluded: dict[tuple[str, str, str], dict[Excluded, None]] = {}  # by slot, contrast

    def plan(self, design: g.Design, variant: Variant, cells: Sequence[Cell]) -> Plan | None:
        """The plan of a variant, or None where something is missing (it has been reported)."""
        specs: dict[SlotKey, dict[str, None]] = {}
        heads: dict[SlotKey, tuple[str, frozenset[str]]] = {}
        rough: list[list[tuple[SlotKey | None, str]]] = []
        for cell in cells:
            row = []
            for placed in cell.item.words:
                found = self._slots.word(placed, cell, heads)
                if found is None:
                    return None
                key, text = found
                if key is not None:
                    specs.setdefault(key, {})[text] = None
                row.append((key, text))
            rough.append(row)
            if not row:
                self._no_words(design, cell)
                return None
        order = {key: i for i, key in enumerate(specs)}
        plan_cells = tuple(
            PlanCell(
                cell,
                tuple(Piece(-1 if key is None else order[key], text) for key, text in row),
            )
            for cell, row in zip(cells, rough, strict=True)
        )
        wanted = tuple(Spec(k, *heads[k], tuple(columns)) for k, columns in specs.items())
        slots, space, alike = self._space(wanted, plan_cells)
        return Plan(design, variant, slots, plan_cells, space, wanted, alike)

    def _no_words(self, design: g.Design, cell: Cell) -> None:
        self.report.error(
            "M421",
            f"`{cell.label}` of {design.name} has no words",
            design.span,
            remedy="let the frame show something in every cell (an alternative without a guard)",
        )

    def clash(self, plan: Plan) -> tuple[Clash, ...]:
        """For a plan without instances: demands that cannot hold together, none to spare.

        Empty where there is no lexeme to begin with.
        """
        made = [self._slots.unselected(spec) for spec in plan.specs]
        slots = [slot for slot, _ in made]
        only_good = np.array([False, True])
        constraints = [
            Constraint((i,), (good.astype(np.int64),), only_good, Origin("", selection.span))
            for i, (_, asked) in enumerate(made)
            for selection, good in asked
        ]
        forms = [slot.forms for slot in slots]
        for where, names in _contrasting(plan.cells).items():
            found = self._contraster.contrast(forms, where)
            if found is not None and found.slots:
                origin = Origin(_contrast_text(names))
                constraints.append(Constraint(found.slots, found.groups, ~found.table, origin))
        demanded, distinct = self._selector.constraints(slots, _together(plan.cells))
        space = Space([len(slot) for slot in slots], [*constraints, *demanded], distinct)
        clash = space.clash() if all(space.sizes) else []
        return tuple(
            Clash(item.origin, {slots[s].name: _passing(slots[s], s, clash) for s in item.slots})
            for item in clash
        )

    def _space(self, specs: tuple[Spec, ...], cells: Sequence[PlanCell]) -> _Filled:
        pairs = _contrasting(cells)
        together = _together(cells)
        key = (specs, tuple(pairs), together)
        if key not in self._spaces:
            self._spaces[key] = self._make_space(specs, pairs, together)
        return self._spaces[key]

    def _make_space(
        self,
        specs: tuple[Spec, ...],
        pairs: Mapping[Difference, tuple[str, str]],
        together: Together,
    ) -> _Filled:
        slots = [self._slots.slot(spec) for spec in specs]
        keep = [np.ones(len(slot), dtype=np.bool_) for slot in slots]
        shared: list[tuple[Contrast, tuple[str, str]]] = []
        alike: list[tuple[str, str]] = []
        for where, names in pairs.items():
            found = self._contrast(specs, slots, where, names)
            if found is None:
                continue
            if not found.slots:
                alike.append(names)
            elif len(found.slots) == 1:
                (slot,), bad = found.slots, found.table[found.groups[0]]
                keep[slot] &= ~bad
                self._note_excluded(slots[slot], bad, names, where.columns(slot))
            else:
                shared.append((found, names))
        slots = [kept(slot, k) for slot, k in zip(slots, keep, strict=True)]
        constraints = [
            Constraint(
                found.slots,
                tuple(
                    x if keep[s].all() else x[keep[s]]
                    for s, x in zip(found.slots, found.groups, strict=True)
                ),
                ~found.table,
                Origin(_contrast_text(names)),
            )
            for found, names in shared
        ]
        demanded, distinct = self._selector.constraints(slots, together)
        constraints += demanded
        space = self._same_space([len(s) for s in slots], constraints, distinct)
        return tuple(slots), space, tuple(alike)

    def _same_space(
        self, sizes: Sequence[int], constraints: list[Constraint], distinct: list[Distinct]
    ) -> Space:
        """One space for variants that differ in nothing but the forms they show."""
        key = (
            tuple(sizes),
            tuple((c.slots, *(id(x) for x in c.groups)) for c in constraints),
            tuple((d.slots, *(id(x) for x in d.keys)) for d in distinct),
        )
        if key not in self._equal_spaces:
            self._equal_spaces[key] = Space(sizes, constraints, distinct)
        return self._equal_spaces[key]

    def _contrast(
        self,
        specs: tuple[Spec, ...],
        slots: Sequence[Slot],
        where: Difference,
        names: tuple[str, str],
    ) -> Contrast | None:
        """Where two cells collapse, once for equal slots; slots are numbered as here."""
        tail = () if where.tail is None else (where.tail,)
        pieces = (*where.one, *where.other, *tail)
        used = tuple(dict.fromkeys(p.slot for p in pieces if p.slot >= 0))
        local = {slot: i for i, slot in enumerate(used)}

        def renamed(many: Iterable[Piece]) -> tuple[Piece, ...]:
            return tuple(Piece(local.get(p.slot, -1), p.text) for p in many)

        same = Difference(
            renamed(where.one),
            renamed(where.other),
            renamed(tail)[0] if tail else None,
            where.first,
        )
        key = (tuple(specs[s] for s in used), same)
        if key not in self._contrasts:
            forms = [slots[s].forms for s in used]
            self._contraster.unchecked = False
            self._contrasts[key] = self._contraster.contrast(forms, same)
            if self._contraster.unchecked:
                self.unchecked.setdefault(names)
        found = self._contrasts[key]
        if found is None:
            return None
        return Contrast(tuple(used[i] for i in found.slots), found.groups, found.table)

    def _note_excluded(
        self, slot: Slot, bad: Bools, names: tuple[str, str], columns: tuple[str, ...]
    ) -> None:
        rows = self.excluded.setdefault((slot.name, *names), {})
        for i in np.flatnonzero(bad).tolist():
            forms = " = ".join(dict.fromkeys(slot.forms[c][i] for c in columns))
            alike = f"{columns[0]} = {columns[1]} = {forms}" if len(columns) == 2 else ""
            rows[Excluded(slot.titles[i], slot.places[i], alike)] = None


# --- small functions -----------------------------------------------------------------------


def _contrast_text(names: tuple[str, str]) -> str:
    return f"`{names[0]}` and `{names[1]}` must not be the same sentence"


def _passing(slot: Slot, number: int, clash: Iterable[Constraint | Distinct]) -> tuple[str, ...]:
    """The lexemes of a slot that satisfy what a clash asks of the slot alone."""
    keep = np.ones(len(slot), dtype=np.bool_)
    for item in clash:
        if isinstance(item, Constraint) and item.slots == (number,):
            keep &= item.table[item.groups[0]]
    return tuple(slot.titles[i] for i in np.flatnonzero(keep))


def forms(slots: Sequence[Slot], piece: Piece) -> Sequence[str]:
    """The texts a piece can have, by candidate."""
    return (piece.text,) if piece.slot < 0 else slots[piece.slot].forms[piece.text]


def phrases(slots: Sequence[Slot], cell: PlanCell, candidates: Sequence[int]) -> tuple[str, ...]:
    """The texts of a cell's pieces for one candidate a slot, before any surface rule."""
    return tuple(
        p.text if p.slot < 0 else slots[p.slot].forms[p.text][candidates[p.slot]]
        for p in cell.pieces
    )


def slot_names(plan: Plan) -> list[str]:
    """A column name for each slot: its object, numbered where an object has several."""
    names: list[str] = []
    for slot in plan.slots:
        name, number = slot.name, 2
        while name in names:
            name, number = f"{slot.name}_{number}", number + 1
        names.append(name)
    return names


def must_differ(cells: Sequence[PlanCell]) -> Iterator[tuple[PlanCell, PlanCell]]:
    """The pairs of cells that must never be one sentence.

    All cells of a paradigm; all answers of a matrix; of its items those with unequal pieces.
    """
    for one, other in combinations(cells, 2):
        roles = {one.cell.role, other.cell.role}
        if roles == {"context", "answer"} and CORRECT not in (one.cell.label, other.cell.label):
            continue
        if "context" in roles and one.pieces == other.pieces:
            continue
        yield one, other


def _contrasting(cells: Sequence[PlanCell]) -> dict[Difference, tuple[str, str]]:
    """In what the pairs that must differ do differ, and the names of a pair that does so."""
    found: dict[Difference, tuple[str, str]] = {}
    for one, other in must_differ(cells):
        where = difference(one.pieces, other.pieces)
        if where is not None:
            found.setdefault(where, (one.cell.label, other.cell.label))
    return found


def _together(cells: Iterable[PlanCell]) -> Together:
    """The pairs of slots that some cell shows both."""
    pairs: set[tuple[int, int]] = set()
    for shown in {frozenset(p.slot for p in cell.pieces if p.slot >= 0) for cell in cells}:
        pairs.update(combinations(sorted(shown), 2))
    return frozenset(pairs)
