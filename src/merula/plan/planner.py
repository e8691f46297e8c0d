"""The plan of a variant: slots with candidate lexemes, constraints between them, and cells.

The cells of a variant go in, with the tables and surface rules of its grammar; a `Plan` comes out,
or None where something is missing, which is reported. `merula.compiler.compile` calls this for each
variant of each design. The cells of a plan are ordered lists of pieces, a piece being fixed words
or a form of a slot; placement, voice and linking are gone. Counting, sampling, writing and auditing
work on plans and know nothing of phenomena.

Order is canonical: slots in the order the cells show them, candidates by what stands in their
rows, so that neither the names in a grammar nor the order of a table's rows or columns changes
any data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from merula.core.arrays import Bools
from merula.core.diagnostics import Report
from merula.core.frozen import frozen
from merula.design.cells import Cell, Variant, cell_name
from merula.design.placement import Item
from merula.grammar import model as g
from merula.grammar.model import CORRECT
from merula.lexicon.surface import Surface
from merula.lexicon.table import Lexicon
from merula.plan.constraints import Selector, Together
from merula.plan.contrast import CellDifference, Collapse, Contraster, Piece, difference
from merula.plan.elimination import Made
from merula.plan.readings import Goods, Readings
from merula.plan.relations import Constraint, ConstraintOrigin, Distinct
from merula.plan.slots import ShownWord, Slot, SlotKey, SlotMaker, Spec, kept
from merula.plan.space import Space


@frozen
class PlanCell:
    """A cell with its pieces, one for each of its words."""

    cell: Cell
    pieces: tuple[Piece, ...]


@frozen(eq=False)
class Plan:
    """One variant of a design, ready to be counted and written."""

    design: g.Design
    variant: Variant
    slots: tuple[Slot, ...]
    cells: tuple[PlanCell, ...]
    space: Space
    specs: tuple[Spec, ...]
    alike: tuple[tuple[str, str], ...] = ()  # cells that must differ and are one sentence
    readable: tuple[tuple[str, str], ...] = ()  # bad cells that are good in a reading, always
    left_out: tuple[LeftOut, ...] = ()

    @property
    def count(self) -> int:
        """The number of instances of the variant."""
        return self.space.count


@frozen(eq=False)
class Clash:
    """A demand that is part of a clash, with the lexemes that demands on one slot leave it."""

    origin: ConstraintOrigin
    lexemes: Mapping[str, tuple[str, ...]]  # by slot


@frozen
class Excluded:
    """A lexeme that is left out because a contrast does not show in it."""

    title: str
    place: str
    alike: str  # which forms are the same

    def __str__(self) -> str:
        return f"{self.title} ({self.place}) {self.alike}".rstrip()


@frozen
class LeftOut:
    """Lexemes of a slot, or combinations of several, for which a contrast does not show.

    ``one`` and ``other`` are the cells that would be one sentence; ``other`` is what makes a bad
    cell good where ``reading`` says so.
    """

    slots: tuple[str, ...]
    one: str
    other: str
    reading: bool
    lexemes: tuple[Excluded, ...]  # of the slot; of several slots one combination, for example


_Names = tuple[str, str]
_Pairs = tuple[_Names, ...]


class _Filled(NamedTuple):
    """Slots, their space, and what contrasts there have left out."""

    slots: tuple[Slot, ...]
    space: Space
    alike: _Pairs
    readable: _Pairs
    left_out: tuple[LeftOut, ...]


class _Contrast(NamedTuple):
    """Two cells that must differ, or a bad cell and a reading of it; and where they do."""

    where: CellDifference
    names: _Names
    reading: bool
    free: tuple[Spec, ...] = ()


class _Layout:
    """The numbers of a variant's slots.

    Variants of one layout share many items: the pieces of an item, and the difference of two, are
    found once, and equal differences are one object.
    """

    def __init__(self, specs: Sequence[Spec]) -> None:
        self._order = {spec.key: i for i, spec in enumerate(specs)}
        self._pieces: dict[Item, tuple[Piece, ...]] = {}
        self._pairs: dict[tuple[Item, Item], CellDifference | None] = {}
        self._readings: dict[tuple[Item, Item], tuple[CellDifference | None, tuple[Spec, ...]]] = {}
        self._known: dict[tuple[object, ...], CellDifference] = {}

    def cell(self, cell: Cell, words: Sequence[ShownWord]) -> PlanCell:
        """Return a cell with its pieces."""
        if cell.item not in self._pieces:
            slots = (-1 if word.key is None else self._order[word.key] for word in words)
            pieces = (Piece(slot, word.text) for slot, word in zip(slots, words, strict=True))
            self._pieces[cell.item] = tuple(pieces)
        return PlanCell(cell, self._pieces[cell.item])

    def difference(self, one: PlanCell, other: PlanCell) -> CellDifference | None:
        """Return the difference of two cells, or None where they have the same pieces."""
        pair = (one.cell.item, other.cell.item)
        if pair not in self._pairs:
            where = difference(one.pieces, other.pieces)
            self._pairs[pair] = self._one(where, ())
        return self._pairs[pair]

    def _one(self, where: CellDifference | None, free: tuple[Spec, ...]) -> CellDifference | None:
        if where is None:
            return None
        content = (where.one, where.other, where.tail, where.first, free)
        return self._known.setdefault(content, where)

    def reading(
        self, cell: PlanCell, mine: Sequence[ShownWord], item: Item, theirs: Sequence[ShownWord]
    ) -> tuple[CellDifference | None, tuple[Spec, ...]]:
        """Return the difference of a cell and a reading of it, and the slots of the reading alone.

        These are numbered after those of the layout. The reading has the lexeme of the cell where
        it shows the same words of it at the same places, and any other lexeme elsewhere.
        """
        pair = (cell.cell.item, item)
        if pair not in self._readings:
            shown, read = _by_key(mine), _by_key(theirs)
            own = [
                key for key, at in read.items() if shown.get(key) != at or key not in self._order
            ]
            if len(mine) != len(theirs):
                own = list(read)
            specs = tuple(spec for spec in _specs([theirs]) if spec.key in own)
            numbers = {spec.key: len(self._order) + i for i, spec in enumerate(specs)}
            order = {**self._order, **numbers}
            pieces = tuple(
                Piece(-1 if word.key is None else order[word.key], word.text) for word in theirs
            )
            where = difference(cell.pieces, pieces, frozenset(numbers.values()))
            self._readings[pair] = (self._one(where, specs), specs)
        return self._readings[pair]

    def contrasting(
        self, cells: Sequence[PlanCell]
    ) -> tuple[dict[CellDifference, tuple[str, str]], list[tuple[str, str]]]:
        """Return the differences of cells that must differ, each with the names of one pair.

        Beside them the names of the pairs that have the same pieces.
        """
        differences: dict[CellDifference, tuple[str, str]] = {}
        equal: list[tuple[str, str]] = []
        for one, other in _must_differ(cells):
            names = (one.cell.label, other.cell.label)
            where = self.difference(one, other)
            if where is None:
                equal.append(names)
            else:
                differences.setdefault(where, names)
        return differences, equal


class Planner:
    """Makes the plans of a grammar; what variants have in common is made once."""

    def __init__(
        self, grammar: g.Grammar, lexicon: Lexicon, surface: Surface, report: Report
    ) -> None:
        self.grammar, self.report = grammar, report
        self._slots = SlotMaker(grammar, lexicon, report)
        self._selector = Selector(grammar, report)
        self._contraster = Contraster(surface)
        self._layouts: dict[tuple[SlotKey, ...], _Layout] = {}
        self._candidates: dict[tuple[object, ...], int] = {}  # of slots, numbered
        self._contrasts: dict[tuple[int, CellDifference], Collapse | None] = {}
        self._readings = Readings(grammar, lexicon, self._contraster, self._slots.words_of)
        self._spaces: dict[tuple[object, ...], _Filled] = {}
        self._equal_spaces: dict[tuple[object, ...], Space] = {}
        self._components: Made = {}
        self.unchecked: dict[str, None] = {}  # what was too large to check, said in words
        self._alike: dict[tuple[str, str, frozenset[str]], Excluded] = {}

    def plan(
        self, design: g.Design, variant: Variant, cells: Sequence[Cell], good: Goods
    ) -> Plan | None:
        """Return the plan of a variant, or None where something is missing, which is reported.

        ``good`` are the good cells of all variants of the design.
        """
        rows: list[tuple[ShownWord, ...]] = []
        for cell in cells:
            row = self._slots.words(cell.item)
            if row is None:
                return None
            if not row:
                self._no_words(design, cell)
                return None
            rows.append(row)
        specs = _specs(rows)
        layout = self._layout(specs)
        plan_cells = tuple(layout.cell(cell, row) for cell, row in zip(cells, rows, strict=True))
        contrasts, equal, always = self._differences(layout, plan_cells, good)
        filled = self._space(specs, plan_cells, contrasts)
        return Plan(
            design,
            variant,
            filled.slots,
            plan_cells,
            filled.space,
            specs,
            (*equal, *filled.alike),
            (*always, *filled.readable),
            filled.left_out,
        )

    def _differences(
        self, layout: _Layout, cells: Sequence[PlanCell], good: Goods
    ) -> tuple[list[_Contrast], list[_Names], list[_Names]]:
        """Return how cells differ that must, and bad cells from their readings.

        Beside them the cells that never differ, and the bad cells that a reading makes good
        whatever the lexemes.
        """
        pairs, equal = layout.contrasting(cells)
        contrasts = {x: _Contrast(x, names, reading=False) for x, names in pairs.items()}
        always: list[_Names] = []
        for cell in cells:
            if cell.cell.acceptable:
                continue
            item = cell.cell.item
            mine = self._slots.words(item) or ()
            for reading in (*self._readings.of(item), *self._readings.among(item, good)):
                names = (cell.cell.label, reading.difference)
                theirs = self._readings.words(reading.item)
                if theirs is None:
                    continue
                where, free = layout.reading(cell, mine, reading.item, theirs)
                if where is None:
                    always.append(names)
                else:
                    contrasts.setdefault(where, _Contrast(where, names, True, free))
            if self._readings.unchecked(item):
                self.unchecked.setdefault(f"`{cell.cell.label}` can be read as a good sentence")
        return list(contrasts.values()), equal, always

    def _layout(self, specs: Sequence[Spec]) -> _Layout:
        keys = tuple(spec.key for spec in specs)
        if keys not in self._layouts:
            self._layouts[keys] = _Layout(specs)
        return self._layouts[keys]

    def _no_words(self, design: g.Design, cell: Cell) -> None:
        self.report.error(
            "M421",
            f"{cell_name(design, cell)} has no words",
            design.span,
            remedy="let the frame show something in every cell (an alternative without a guard)",
        )

    def clash(self, plan: Plan, good: Goods) -> tuple[Clash, ...]:
        """Return, for a plan without instances, demands that cannot hold together.

        None of them can be spared. Empty where some slot has no lexeme to begin with.
        """
        made = [self._slots.unselected(spec) for spec in plan.specs]
        slots = [slot for slot, _ in made]
        only_good = np.array([False, True])
        constraints = [
            Constraint(
                (i,), (good.astype(np.int64),), only_good, ConstraintOrigin("", selection.span)
            )
            for i, (_, asked) in enumerate(made)
            for selection, good in asked
        ]
        forms = [slot.forms for slot in slots]
        for contrast in self._differences(self._layout(plan.specs), plan.cells, good)[0]:
            free = [self._readings.forms(spec) for spec in contrast.free]
            alike = self._contraster.contrast([*forms, *free], contrast.where)
            if alike is not None and alike.slots:
                origin = ConstraintOrigin(_contrast_text(contrast))
                constraints.append(Constraint(alike.slots, alike.groups, ~alike.table, origin))
        demanded, distinct = self._selector.constraints(slots, _together(plan.cells))
        space = Space([len(slot) for slot in slots], [*constraints, *demanded], distinct)
        clash = space.clash() if all(space.sizes) else []
        return tuple(
            Clash(item.origin, {slots[s].name: _passing(slots[s], s, clash) for s in item.slots})
            for item in clash
        )

    def _space(
        self,
        specs: tuple[Spec, ...],
        cells: Sequence[PlanCell],
        contrasts: Sequence[_Contrast],
    ) -> _Filled:
        together = _together(cells)
        key = (specs, tuple(contrast.where for contrast in contrasts), together)
        if key not in self._spaces:
            self._spaces[key] = self._make_space(specs, contrasts, together)
        return self._spaces[key]

    def _make_space(
        self,
        specs: tuple[Spec, ...],
        contrasts: Sequence[_Contrast],
        together: Together,
    ) -> _Filled:
        slots = [self._slots.slot(spec) for spec in specs]
        keep = [np.ones(len(slot), dtype=np.bool_) for slot in slots]
        shared: dict[tuple[object, ...], tuple[Collapse, _Contrast]] = {}
        same: dict[bool, list[_Names]] = {False: [], True: []}  # by whether it is a reading
        left_out: list[LeftOut] = []
        candidates = tuple((slot.rows, slot.candidates or slot.titles) for slot in slots)
        number = self._candidates.setdefault(candidates, len(self._candidates))
        for contrast in contrasts:
            collapse = self._contrast(slots, number, contrast)
            if collapse is None:
                continue
            if not collapse.slots:
                same[contrast.reading].append(contrast.names)
            elif len(collapse.slots) == 1:
                (slot,), bad = collapse.slots, collapse.table[collapse.groups[0]]
                if contrast.reading:
                    bad = bad & keep[slot]  # the others are left out already
                keep[slot] &= ~bad
                if bad.any():
                    left_out.append(self._left_out(slots[slot], slot, bad, contrast))
            else:
                content = (
                    collapse.slots,
                    *(x.tobytes() for x in (*collapse.groups, collapse.table)),
                )
                if content not in shared:
                    shared[content] = (collapse, contrast)
        left_out += [
            _combination(slots, collapse, contrast)
            for collapse, contrast in shared.values()
            if contrast.reading
        ]
        slots = [kept(slot, k) for slot, k in zip(slots, keep, strict=True)]
        constraints = [
            Constraint(
                collapse.slots,
                tuple(
                    x if keep[s].all() else x[keep[s]]
                    for s, x in zip(collapse.slots, collapse.groups, strict=True)
                ),
                ~collapse.table,
                ConstraintOrigin(_contrast_text(contrast)),
            )
            for collapse, contrast in shared.values()
        ]
        demanded, distinct = self._selector.constraints(slots, together)
        constraints += demanded
        space = self._same_space([len(s) for s in slots], constraints, distinct)
        return _Filled(tuple(slots), space, tuple(same[False]), tuple(same[True]), tuple(left_out))

    def _same_space(
        self, sizes: Sequence[int], constraints: list[Constraint], distinct: list[Distinct]
    ) -> Space:
        """Return one space for all variants that differ in nothing but the forms they show."""
        key = (  # a space keeps its constraints, so that the numbers of their arrays stay theirs
            tuple(sizes),
            tuple((c.slots, *(id(x) for x in c.groups)) for c in constraints),
            tuple((d.slots, *(id(x) for x in d.keys)) for d in distinct),
        )
        if key not in self._equal_spaces:
            self._equal_spaces[key] = Space(sizes, constraints, distinct, self._components)
        return self._equal_spaces[key]

    def _contrast(self, slots: Sequence[Slot], same: int, contrast: _Contrast) -> Collapse | None:
        """Return where two cells collapse, found once for slots that have the same candidates."""
        key = (same, contrast.where)
        if key not in self._contrasts:
            self._contraster.unchecked = False
            forms = [slot.forms for slot in slots]
            forms += [self._readings.forms(spec) for spec in contrast.free]
            self._contrasts[key] = self._contraster.contrast(forms, contrast.where)
            if self._contraster.unchecked:
                self.unchecked.setdefault(_open_question(contrast))
        return self._contrasts[key]

    def _left_out(self, slot: Slot, number: int, bad: Bools, contrast: _Contrast) -> LeftOut:
        columns = () if contrast.reading else contrast.where.columns(number)
        rows = []
        for i in np.flatnonzero(bad).tolist():
            forms = " = ".join(dict.fromkeys(slot.forms[c][i] for c in columns))
            alike = f"{columns[0]} = {columns[1]} = {forms}" if len(columns) == 2 else ""
            key = (slot.titles[i], slot.places[i], frozenset(columns))
            rows.append(self._alike.setdefault(key, Excluded(*key[:2], alike)))  # in either order
        return LeftOut((slot.name,), *contrast.names, contrast.reading, tuple(rows))


# --- small functions -----------------------------------------------------------------------


def _contrast_text(contrast: _Contrast) -> str:
    one, other = contrast.names
    if contrast.reading:
        return f"`{one}` must not be a good sentence in another reading ({other})"
    return f"`{one}` and `{other}` must not be the same sentence"


def _open_question(contrast: _Contrast) -> str:
    one, other = contrast.names
    if contrast.reading:
        return f"`{one}` can be read as a good sentence ({other})"
    return f"`{one}` and `{other}` can be the same sentence"


def _combination(slots: Sequence[Slot], collapse: Collapse, contrast: _Contrast) -> LeftOut:
    """Return one combination of lexemes for which a contrast does not show."""
    place = np.argwhere(collapse.table)[0].tolist()
    lexemes = []
    for slot, groups, group in zip(collapse.slots, collapse.groups, place, strict=True):
        candidate = int(np.flatnonzero(groups == group)[0])
        lexemes.append(Excluded(slots[slot].titles[candidate], slots[slot].places[candidate], ""))
    names = tuple(slots[slot].name for slot in collapse.slots)
    return LeftOut(names, *contrast.names, contrast.reading, tuple(lexemes))


def _by_key(words: Sequence[ShownWord]) -> dict[SlotKey, tuple[tuple[int, str], ...]]:
    """Return the places of each slot's words, with what is shown there."""
    places: dict[SlotKey, tuple[tuple[int, str], ...]] = {}
    for at, word in enumerate(words):
        if word.key is not None:
            places[word.key] = (*places.get(word.key, ()), (at, word.text))
    return places


def _passing(slot: Slot, number: int, clash: Iterable[Constraint | Distinct]) -> tuple[str, ...]:
    """Return the lexemes of a slot that satisfy what a clash asks of the slot alone."""
    keep = np.ones(len(slot), dtype=np.bool_)
    for item in clash:
        if isinstance(item, Constraint) and item.slots == (number,):
            keep &= item.table[item.groups[0]]
    return tuple(slot.titles[i] for i in np.flatnonzero(keep))


def _specs(rows: Iterable[Sequence[ShownWord]]) -> tuple[Spec, ...]:
    """Return the slots of some words, in the order in which they show."""
    words: dict[SlotKey, dict[ShownWord, None]] = {}
    for word in chain.from_iterable(rows):
        if word.key is not None:
            words.setdefault(word.key, {})[word] = None
    return tuple(
        Spec(
            key,
            next(word.name for word in shown),
            frozenset().union(*(word.objects for word in shown)),
            tuple(dict.fromkeys(word.text for word in shown)),
        )
        for key, shown in words.items()
    )


def forms(slots: Sequence[Slot], piece: Piece) -> Sequence[str]:
    """Return the texts that a piece can have, by candidate."""
    return (piece.text,) if piece.slot < 0 else slots[piece.slot].forms[piece.text]


def phrases(slots: Sequence[Slot], cell: PlanCell, candidates: Sequence[int]) -> tuple[str, ...]:
    """Return the texts of a cell's pieces for one candidate a slot, before any surface rule."""
    return tuple(
        p.text if p.slot < 0 else slots[p.slot].forms[p.text][candidates[p.slot]]
        for p in cell.pieces
    )


def slot_names(plan: Plan) -> list[str]:
    """Return a column name for each slot: its object, numbered where an object has several."""
    names: list[str] = []
    for slot in plan.slots:
        name, number = slot.name, 2
        while name in names:
            name, number = f"{slot.name}_{number}", number + 1
        names.append(name)
    return names


def _must_differ(cells: Sequence[PlanCell]) -> Iterator[tuple[PlanCell, PlanCell]]:
    """Yield the pairs of cells that must never be one sentence.

    They are all cells of a paradigm and all answers of a matrix; the items of a matrix, the right
    answer among them, where their pieces differ.
    """
    for one, other in combinations(cells, 2):
        both = one.cell.role == other.cell.role
        if not both and CORRECT not in (one.cell.label, other.cell.label):
            continue
        if one.pieces == other.pieces and "context" in (one.cell.role, other.cell.role):
            continue
        yield one, other


def _together(cells: Iterable[PlanCell]) -> Together:
    """Return the pairs of slots that some cell shows both."""
    pairs: set[tuple[int, int]] = set()
    for shown in {frozenset(p.slot for p in cell.pieces if p.slot >= 0) for cell in cells}:
        pairs.update(combinations(sorted(shown), 2))
    return frozenset(pairs)
