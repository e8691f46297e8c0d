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
from typing import TypeVar

import numpy as np

from merula import grammar as g
from merula.contrast import Contrast, Contraster, Piece
from merula.grammar import CORRECT
from merula.items import Fixed, OneOf, Placed
from merula.language.diagnostics import Report, did_you_mean, listing
from merula.language.names import rows_of
from merula.language.syntax import references
from merula.lexicon import ANY, LEMMA, Lexicon, Rows, members
from merula.meaning import Cell, Variant
from merula.selection import check_cells, fits, fits_itself
from merula.space import Bools, Constraint, Distinct, Ints, Origin, Space
from merula.surface import Surface

SlotKey = tuple[object, ...]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Slot:
    """A choice: the rows it is made from and, for every column shown, their forms."""

    name: str
    objects: frozenset[str]  # the objects it is the lexeme of
    titles: tuple[str, ...]  # what a reader calls each candidate
    places: tuple[str, ...]  # where each candidate stands in its table
    forms: Mapping[str, tuple[str, ...]]
    rows: Rows | None
    candidates: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.titles)


@dataclass(frozen=True)
class PlanCell:
    """A cell with its pieces; ``owners[i]`` is the object that piece ``i`` belongs to."""

    cell: Cell
    pieces: tuple[Piece, ...]
    owners: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """One variant of a design, ready to be counted and written."""

    design: g.Design
    variant: Variant
    slots: tuple[Slot, ...]
    cells: tuple[PlanCell, ...]
    space: Space

    @property
    def count(self) -> int:
        """How many instances the variant has."""
        return self.space.count


@dataclass(frozen=True)
class _Spec:
    """A slot before its candidates are chosen; equal specs have equal candidates."""

    key: SlotKey
    name: str
    objects: frozenset[str]
    columns: tuple[str, ...]


class Planner:
    """Makes the plans of a grammar; what variants have in common is made once."""

    def __init__(
        self, grammar: g.Grammar, lexicon: Lexicon, surface: Surface, report: Report
    ) -> None:
        self.grammar, self.lexicon, self.surface, self.report = grammar, lexicon, surface, report
        self._sources = {item: rows_of(lexicon, item) for item in grammar.objects.values()}
        self._columns: dict[tuple[g.Object, tuple[tuple[str, str], ...]], str | None] = {}
        self._slots: dict[_Spec, Slot] = {}
        self._spaces: dict[tuple[object, ...], tuple[tuple[Slot, ...], Space]] = {}
        self._equal_spaces: dict[tuple[object, ...], Space] = {}
        self._relations: dict[tuple[object, ...], tuple[Ints, Ints, Bools]] = {}
        self._keys: dict[tuple[object, ...], tuple[Ints, ...]] = {}
        self._shared: dict[tuple[object, ...], tuple[tuple[Ints, ...], Bools]] = {}
        self._checked: set[tuple[int, str, int]] = set()
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._contraster = Contraster(surface)
        self._contrasts: dict[tuple[object, ...], Contrast | None] = {}
        self.excluded: dict[tuple[str, str, str], dict[str, None]] = {}  # contrast → rows left out

    def plan(self, design: g.Design, variant: Variant, cells: Sequence[Cell]) -> Plan | None:
        """The plan of a variant, or None where something is missing (it has been reported)."""
        specs: dict[SlotKey, dict[str, None]] = {}
        heads: dict[SlotKey, tuple[str, frozenset[str]]] = {}
        rough: list[list[tuple[SlotKey | None, str, str]]] = []
        for cell in cells:
            row = []
            for placed in cell.item.words:
                found = self._word(placed, cell, heads)
                if found is None:
                    return None
                key, text = found
                if key is not None:
                    specs.setdefault(key, {})[text] = None
                row.append((key, text, placed.object.name if placed.object else ""))
            rough.append(row)
            if not row:
                self._no_words(design, cell)
                return None
        order = {key: i for i, key in enumerate(specs)}
        plan_cells = tuple(
            PlanCell(
                cell,
                tuple(Piece(-1 if key is None else order[key], text) for key, text, _ in row),
                tuple(owner for _, _, owner in row),
            )
            for cell, row in zip(cells, rough, strict=True)
        )
        wanted = tuple(_Spec(k, *heads[k], tuple(columns)) for k, columns in specs.items())
        slots, space = self._space(wanted, plan_cells)
        return Plan(design, variant, slots, plan_cells, space)

    # --- words → slots

    def _word(
        self, placed: Placed, cell: Cell, heads: dict[SlotKey, tuple[str, frozenset[str]]]
    ) -> tuple[SlotKey | None, str] | None:
        word = placed.word
        if isinstance(word, Fixed):
            return None, word.text
        if isinstance(word, OneOf):
            key: SlotKey = ("words", word.variable, word.value)
            heads.setdefault(key, (f"{word.variable}={word.value}", frozenset()))
            return key, ""
        rows = self._sources[word.object]
        if rows is None:
            self._no_rows(word.object)
            return None
        column = word.column
        if column is None:
            column = self._column(rows, word.object, word.values)
        elif rows.kind == "sets":
            column = f"{word.object.name}.{column}"
        if column is None or not self._has_column(rows, word.object, column):
            return None
        key, name, objects = self._key(rows, word.object, cell)
        heads.setdefault(key, (name, objects))
        if rows.kind == "sets":
            heads[key] = (name, heads[key][1] | objects)
        return key, column

    def _key(self, rows: Rows, item: g.Object, cell: Cell) -> tuple[SlotKey, str, frozenset[str]]:
        """Which choice an object's word is made by: a restricted feature makes a choice its own."""
        sets = rows.kind == "sets"
        owners = self.grammar.objects.values() if sets else (item,)
        values = cell.item.solved.values
        features = tuple(
            (v, values[v])
            for owner in owners
            if self._sources[owner] is rows
            for v in self.grammar.by_object[owner]
            if v.lexical and v in values
        )
        if sets:
            number = next(i for i, other in enumerate(self.lexicon.sets) if other is rows)
            return ("set", number, features), "set", frozenset({item.name})
        return ("lexeme", item, features), item.name, frozenset({item.name})

    def _no_words(self, design: g.Design, cell: Cell) -> None:
        self.report.error(
            "M421",
            f"`{cell.label}` of {design.name} has no words",
            design.span,
            remedy="let the frame show something in every cell (an alternative without a guard)",
        )

    def _no_rows(self, item: g.Object) -> None:
        known = self.lexicon.lexemes
        self.report.error(
            "M314",
            f"no table has forms for `{item.name}`",
            item.span,
            remedy=did_you_mean(item.category, known)
            or f"give lexemes the category `{item.category}`, or a table of sets columns such as"
            f" `{item.name}`",
        )

    def _has_column(self, rows: Rows, item: g.Object, column: str) -> bool:
        if column in rows.columns:
            return True
        self.report.error(
            "M315",
            f"the table of `{item.name}` has no column `{column}`",
            item.span,
            remedy=did_you_mean(column, rows.columns) or f"add a column `{column}`",
        )
        return False

    def _column(
        self, rows: Rows, item: g.Object, values: tuple[tuple[str, str], ...]
    ) -> str | None:
        key = (item, values)
        if key not in self._columns:
            self._columns[key] = self._find_column(rows, item, dict(values))
        return self._columns[key]

    def _find_column(self, rows: Rows, item: g.Object, values: Mapping[str, str]) -> str | None:
        """The most specific column all of whose parts are among an object's values."""
        bundle = set(values.values())
        sets = rows.kind == "sets"
        fitting: dict[str, frozenset[str]] = {}
        related = False
        possible = {x for v in self.grammar.by_object[item] if v.attribute for x in v.values}
        for name in rows.columns:
            parts = name.split(".")
            if sets:
                if parts[0] != item.name:
                    continue
                parts = parts[1:]
            if (sets or parts) and set(parts) <= bundle:
                fitting[name] = frozenset(parts)
            related = related or (bool(parts) and set(parts) <= possible)
        if not fitting and not sets and not related:
            return LEMMA
        best = [n for n, p in fitting.items() if not any(p < q for q in fitting.values())]
        if len(best) == 1:
            return best[0]
        shown = listing(values.values()) or "no attributes"
        if not best:
            column = ".".join([item.name, *values.values()] if sets else values.values())
            self.report.error(
                "M321",
                f"no column has the form of `{item.name}` that is {shown}",
                item.span,
                remedy=f"add a column such as `{column}`",
            )
        else:
            self.report.error(
                "M322",
                f"the columns {listing(best)} both fit `{item.name}` that is {shown}",
                item.span,
                remedy="name a column after all values that decide the form",
            )
        return None

    # --- slots

    def _slot(self, spec: _Spec) -> Slot:
        found = self._slots.get(spec)
        if found is None:
            found = self._slots[spec] = self._make_slot(spec)
        return found

    def _make_slot(self, spec: _Spec) -> Slot:
        kind = spec.key[0]
        if kind == "words":
            variable, value = spec.key[1], spec.key[2]
            assert isinstance(variable, g.Variable)
            assert isinstance(value, str)
            words = tuple(sorted({x for x in variable.words[value] if isinstance(x, str)}))
            places = tuple(f"{variable}={value}" for _ in words)
            return Slot(spec.name, spec.objects, words, places, {"": words}, None, ())
        rows, features = self._rows_of_key(spec.key)
        chosen = self._filtered(spec, rows, features)
        chosen.sort(key=lambda r: canonical(rows, r))
        chosen = self._merged(spec, rows, chosen)
        # equal columns are one object, so that what is found out about one is found out once
        texts = {c: tuple(rows.columns[c][r] for r in chosen) for c in spec.columns}
        forms = {c: self._texts.setdefault(column, column) for c, column in texts.items()}
        return _slot_of(spec, rows, chosen, forms)

    def _rows_of_key(self, key: SlotKey) -> tuple[Rows, tuple[tuple[g.Variable, str], ...]]:
        features = key[2]
        assert isinstance(features, tuple)
        if key[0] == "set":
            assert isinstance(key[1], int)
            return self.lexicon.sets[key[1]], features
        assert isinstance(key[1], g.Object)
        rows = self._sources[key[1]]
        assert rows is not None
        return rows, features

    def _filtered(
        self, spec: _Spec, rows: Rows, features: tuple[tuple[g.Variable, str], ...]
    ) -> list[int]:
        """The rows that have the features, all forms, and satisfy what is asked of them alone."""
        chosen = list(range(len(rows)))
        for variable, value in features:
            cells = rows.of(variable.object.name).columns[variable.attribute]
            chosen = [r for r in chosen if value in members(cells[r]) or ANY in members(cells[r])]
        for selection in self.grammar.selections:
            if not isinstance(selection, g.IsA) or selection.object.name not in spec.objects:
                continue
            others = {owner for owner, _ in references(selection.expression)}
            if others <= spec.objects and chosen:
                good = self._alone(selection, rows, chosen, others)
                kept = [r for r, fine in zip(chosen, good.tolist(), strict=True) if fine]
                if not kept:
                    self.report.error(
                        "M501",
                        f"no lexeme of `{selection.object.name}` is left: none of"
                        f" {_some(rows, chosen)} satisfies this",
                        selection.span,
                        remedy="check the expression and the table's columns",
                    )
                chosen = kept
        missing = [r for r in chosen if any(not rows.columns[c][r] for c in spec.columns)]
        if missing:
            self._missing(spec, rows, missing, everything=len(missing) == len(chosen))
            gone = set(missing)
            chosen = [r for r in chosen if r not in gone]
        return chosen

    def _alone(self, selection: g.IsA, rows: Rows, chosen: list[int], others: set[str]) -> Bools:
        """Which rows satisfy what is asked of them, or of two objects of one lexical set."""
        mine = rows.of(selection.object.name)
        if not others:
            return fits(selection.expression, mine, chosen, {})
        theirs = rows.of(next(iter(others)))
        for _, column in references(selection.expression):
            check_cells(theirs, column, mine, self.report)
        return fits_itself(selection.expression, mine, chosen, theirs)

    def _missing(self, spec: _Spec, rows: Rows, missing: list[int], *, everything: bool) -> None:
        columns = [c for c in spec.columns if any(not rows.columns[c][r] for r in missing)]
        count = f"{len(missing)} row{'s' if len(missing) > 1 else ''}"
        has = "has" if len(missing) == 1 else "have"
        add = self.report.error if everything else self.report.warning
        add(
            "M317",
            f"{count} of `{spec.name}` {has} no form in {listing(f'`{c}`' for c in columns)}"
            " and cannot be used",
            remedy="fill the cells, or select lexemes that have the form",
            notes=[f"left out: {_some(rows, missing)}"],
            place=rows.places[missing[0]],
        )

    def _merged(self, spec: _Spec, rows: Rows, chosen: list[int]) -> list[int]:
        kept: dict[tuple[str, ...], int] = {}
        doubled: list[int] = []
        for row in chosen:
            forms = tuple(rows.columns[c][row] for c in spec.columns)
            if forms in kept:
                doubled.append(row)
            else:
                kept[forms] = row
        if doubled:
            self.report.warning(
                "M318",
                f"{len(doubled)} of `{spec.name}` look like another in all forms used"
                f" ({listing(spec.columns)}), so they are left out",
                notes=[f"left out: {_some(rows, doubled)}"],
                remedy="this is fine where only parts of a row are shown; delete real doubles",
                place=rows.places[doubled[0]],
            )
        return list(kept.values())

    # --- constraints and space

    def _space(
        self, specs: tuple[_Spec, ...], cells: Sequence[PlanCell]
    ) -> tuple[tuple[Slot, ...], Space]:
        pairs = _contrasting(cells)
        together = _together(cells)
        key = (specs, tuple(pairs), together)
        if key not in self._spaces:
            self._spaces[key] = self._make_space(specs, pairs, together)
        return self._spaces[key]

    def _make_space(
        self,
        specs: tuple[_Spec, ...],
        pairs: Mapping[Difference, tuple[str, str]],
        together: frozenset[tuple[int, int]],
    ) -> tuple[tuple[Slot, ...], Space]:
        slots = [self._slot(spec) for spec in specs]
        keep = [np.ones(len(slot), dtype=np.bool_) for slot in slots]
        shared: list[tuple[Contrast, tuple[str, str]]] = []
        for difference, names in pairs.items():
            found = self._contrast(specs, slots, difference)
            if found is None:
                continue
            if len(found.slots) == 1:
                (slot,), bad = found.slots, found.table[found.groups[0]]
                keep[slot] &= ~bad
                self._note_excluded(slots[slot], bad, names)
            else:
                shared.append((found, names))
        slots = [_kept(slot, k) for slot, k in zip(slots, keep, strict=True)]
        constraints = [
            Constraint(
                found.slots,
                tuple(
                    x if keep[s].all() else x[keep[s]]
                    for s, x in zip(found.slots, found.groups, strict=True)
                ),
                ~found.table,
                Origin(f"{names[0]} and {names[1]} must not be the same sentence"),
            )
            for found, names in shared
        ]
        distinct: list[Distinct] = []
        for selection in self.grammar.selections:
            self._select(selection, slots, together, constraints, distinct)
        return tuple(slots), self._same_space([len(s) for s in slots], constraints, distinct)

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
        self, specs: tuple[_Spec, ...], slots: Sequence[Slot], difference: Difference
    ) -> Contrast | None:
        """`contrast`, once for equal slots and pieces; the result's slots are numbered as here."""
        one, other, tail = difference
        pieces = (*one, *other) if tail is None else (*one, *other, tail)
        used = tuple(dict.fromkeys(p.slot for p in pieces if p.slot >= 0))
        local = {slot: i for i, slot in enumerate(used)}

        def renamed(many: Iterable[Piece]) -> tuple[Piece, ...]:
            return tuple(Piece(local.get(p.slot, -1), p.text) for p in many)

        key = (
            tuple(specs[s] for s in used),
            renamed(one),
            renamed(other),
            renamed([tail] if tail else []),
        )
        if key not in self._contrasts:
            forms = [slots[s].forms for s in used]
            last = renamed([tail])[0] if tail else None
            self._contrasts[key] = self._contraster.contrast(forms, key[1], key[2], last)
        found = self._contrasts[key]
        if found is None:
            return None
        return Contrast(tuple(used[i] for i in found.slots), found.groups, found.table)

    def _note_excluded(self, slot: Slot, bad: Bools, names: tuple[str, str]) -> None:
        rows = self.excluded.setdefault((slot.name, *names), {})
        for i in np.flatnonzero(bad).tolist():
            rows[f"{slot.titles[i]} ({slot.places[i]})"] = None

    # --- selection

    def _select(
        self,
        selection: g.Selection,
        slots: Sequence[Slot],
        together: frozenset[tuple[int, int]],
        constraints: list[Constraint],
        distinct: list[Distinct],
    ) -> None:
        if isinstance(selection, g.IsA):
            constraints.extend(self._is_a(selection, slots, together))
            return
        names = [item.name for item in selection.objects]
        chosen = [i for i, s in enumerate(slots) if s.rows and s.objects & set(names)]
        origin = Origin(_what(selection), selection.span)
        if isinstance(selection, g.Share) and len(chosen) > 1:
            key = (selection, *(slots[i].candidates for i in chosen))
            if key not in self._shared:
                self._shared[key] = _share([slots[i] for i in chosen], selection)
            constraints.append(Constraint(tuple(chosen), *self._shared[key], origin))
        elif isinstance(selection, g.Differ) and len(chosen) > 1:
            taken = {s for d in distinct for s in d.slots}
            key = (selection, *(slots[i].candidates for i in chosen))
            if key not in self._keys:
                self._keys[key] = _lemma_keys([slots[i] for i in chosen])
            keys = self._keys[key]
            if not taken & set(chosen):
                distinct.append(Distinct(tuple(chosen), keys, origin))
                return
            for (i, one), (j, other) in combinations(zip(chosen, keys, strict=True), 2):
                number = int(max(one.max(initial=0), other.max(initial=0))) + 1
                table = ~np.eye(number, dtype=np.bool_)
                constraints.append(Constraint((i, j), (one, other), table, origin))

    def _is_a(
        self,
        selection: g.IsA,
        slots: Sequence[Slot],
        together: frozenset[tuple[int, int]],
    ) -> Iterator[Constraint]:
        wanted = sorted(references(selection.expression))
        if not wanted:
            return
        origin = Origin(_what(selection), selection.span)
        other_name = wanted[0][0]
        mine = [i for i, s in enumerate(slots) if s.rows and selection.object.name in s.objects]
        theirs = [i for i, s in enumerate(slots) if s.rows and other_name in s.objects]
        for i in mine:
            for j in theirs:
                if i != j and (min(i, j), max(i, j)) in together:
                    yield self._relation(selection, wanted, (i, slots[i]), (j, slots[j]), origin)

    def _relation(
        self,
        selection: g.IsA,
        wanted: Sequence[tuple[str, str]],
        mine: tuple[int, Slot],
        theirs: tuple[int, Slot],
        origin: Origin,
    ) -> Constraint:
        """What pairs of lexemes an expression over two objects allows."""
        (i, slot), (j, other) = mine, theirs
        rows = _rows(slot).of(selection.object.name)
        other_rows = _rows(other).of(wanted[0][0])
        for _, column in wanted:
            checked = (id(other_rows), column, id(rows))
            if checked not in self._checked:
                self._checked.add(checked)
                check_cells(other_rows, column, rows, self.report)
        key = (selection, slot.candidates, other.candidates)
        if key not in self._relations:
            self._relations[key] = _relation(selection, wanted, slot, other)
        mine_groups, theirs_groups, table = self._relations[key]
        return Constraint((i, j), (mine_groups, theirs_groups), table, origin)


def _relation(
    selection: g.IsA, wanted: Sequence[tuple[str, str]], slot: Slot, other: Slot
) -> tuple[Ints, Ints, Bools]:
    rows = _rows(slot).of(selection.object.name)
    other_rows = _rows(other).of(wanted[0][0])
    columns = [other_rows.columns[column] for _, column in wanted]
    cells = [tuple(column[r] for column in columns) for r in other.candidates]
    kinds = {cell: n for n, cell in enumerate(dict.fromkeys(cells))}
    fitting = [
        fits(selection.expression, rows, slot.candidates, dict(zip(wanted, cell, strict=True)))
        for cell in kinds
    ]
    matrix = np.stack(fitting, axis=1) if fitting else np.zeros((len(slot), 0), np.bool_)
    table, groups = np.unique(matrix, axis=0, return_inverse=True)
    theirs_groups = np.array([kinds[cell] for cell in cells], dtype=np.int64)
    mine_groups = groups.reshape(-1).astype(np.int64)
    return mine_groups, theirs_groups, table.astype(np.bool_)


# --- small functions -----------------------------------------------------------------------

Difference = tuple[tuple[Piece, ...], tuple[Piece, ...], Piece | None]


def forms(slots: Sequence[Slot], piece: Piece) -> Sequence[str]:
    """The texts a piece can have, by candidate."""
    return (piece.text,) if piece.slot < 0 else slots[piece.slot].forms[piece.text]


def phrases(slots: Sequence[Slot], cell: PlanCell, candidates: Sequence[int]) -> tuple[str, ...]:
    """The texts of a cell's pieces for one candidate a slot, before any surface rule."""
    return tuple(
        p.text if p.slot < 0 else slots[p.slot].forms[p.text][candidates[p.slot]]
        for p in cell.pieces
    )


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
        a, b = one.pieces, other.pieces
        start = 0
        while start < min(len(a), len(b)) and a[start] == b[start]:
            start += 1
        end = 0
        while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
            end += 1
        if start == len(a) == len(b):
            continue
        tail = a[len(a) - end] if end else None
        difference = (a[start : len(a) - end], b[start : len(b) - end], tail)
        found.setdefault(difference, (one.cell.label, other.cell.label))
    return found


def _together(cells: Iterable[PlanCell]) -> frozenset[tuple[int, int]]:
    """The pairs of slots that some cell shows both."""
    pairs: set[tuple[int, int]] = set()
    for shown in {frozenset(p.slot for p in cell.pieces if p.slot >= 0) for cell in cells}:
        pairs.update(combinations(sorted(shown), 2))
    return frozenset(pairs)


def _slot_of(
    spec: _Spec, rows: Rows, chosen: Sequence[int], forms: Mapping[str, tuple[str, ...]]
) -> Slot:
    return Slot(
        spec.name,
        spec.objects,
        tuple(rows.title(r) for r in chosen),
        tuple(rows.places[r] for r in chosen),
        forms,
        rows,
        tuple(chosen),
    )


def _kept(slot: Slot, keep: Bools) -> Slot:
    if keep.all():
        return slot

    def only(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(x for x, fine in zip(items, keep.tolist(), strict=False) if fine)

    forms = {column: only(texts) for column, texts in slot.forms.items()}
    candidates = only(slot.candidates) if slot.candidates else ()
    titles, places = only(slot.titles), only(slot.places)
    return Slot(slot.name, slot.objects, titles, places, forms, slot.rows, candidates)


def canonical(rows: Rows, row: int) -> tuple[str, ...]:
    """The key of a row's place among candidates: its cells, whatever the columns are called."""
    return tuple(sorted(cells[row] for cells in rows.columns.values()))


def _some(rows: Rows, chosen: Sequence[int]) -> str:
    shown = [f"{rows.title(r)} ({rows.places[r]})" for r in chosen[:5]]
    more = len(chosen) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _lemma_keys(slots: Sequence[Slot]) -> tuple[Ints, ...]:
    ids = {t: i for i, t in enumerate(sorted({t for slot in slots for t in slot.titles}))}
    return tuple(np.array([ids[t] for t in slot.titles], dtype=np.int64) for slot in slots)


def _share(slots: Sequence[Slot], selection: g.Share) -> tuple[tuple[Ints, ...], Bools]:
    """One value of the column fits all: an AND over bit sets is not empty."""
    names = [item.name for item in selection.objects]
    views = [_rows(s).of(next(n for n in names if n in s.objects)) for s in slots]
    column = selection.column
    values = sorted({v for rows in views for v in rows.values[column]})
    bits = {v: 1 << n for n, v in enumerate(values)}
    everything = (1 << len(values)) - 1
    groups: list[Ints] = []
    table = np.array(everything, dtype=object)
    for axis, (slot, rows) in enumerate(zip(slots, views, strict=True)):
        cells = [rows.columns[column][r] for r in slot.candidates]
        kinds = {cell: n for n, cell in enumerate(dict.fromkeys(cells))}
        groups.append(np.array([kinds[cell] for cell in cells], dtype=np.int64))
        masks = [
            everything if ANY in members(c) else sum(bits[v] for v in members(c)) for c in kinds
        ]
        shape = [-1 if a == axis else 1 for a in range(len(slots))]
        table = table & np.array(masks, dtype=object).reshape(shape)
    return tuple(groups), (table != 0).astype(np.bool_)


def _rows(slot: Slot) -> Rows:
    assert slot.rows is not None
    return slot.rows


def _what(selection: g.Selection) -> str:
    return " ".join(selection.span.text.split())
