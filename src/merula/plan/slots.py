"""Slots: which rows an object's words can come from, and which of their columns are shown.

The items of a variant (`merula.design.placement`) and the tables go in; out come, for each word,
the slot and the column that it shows, and the slots with their candidates. `merula.plan.planner`
calls this. What a table lacks is reported. Candidates are in a canonical order, by what is in their
rows, so that neither the names in a grammar nor the order of a table's rows or columns changes any
data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from merula.core.arrays import Bools, Ints
from merula.core.diagnostics import Report
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.design.placement import Fixed, Item, OneOf, Word
from merula.grammar import model as g
from merula.grammar.names import rows_of
from merula.language.syntax import cell_references, columns_in, references
from merula.lexicon.selection import check_cells, fits, fits_itself
from merula.lexicon.table import (
    ANY,
    LEMMA,
    SETS,
    Lexicon,
    Rows,
    has_several,
    members,
    one_form_each,
)

SlotKey = tuple[object, ...]
Features = tuple[tuple[g.Variable, str], ...]
Candidates = tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]  # rows, titles, places
T = TypeVar("T")


@frozen(eq=False)
class Slot:
    """A choice of a lexeme: its candidates and, for every column shown, their forms."""

    name: str
    objects: frozenset[str]  # the objects that it is the lexeme of
    titles: tuple[str, ...]  # a name for each candidate: its lemma or set
    places: tuple[str, ...]  # the place of each candidate: ``nouns.tsv:12``
    forms: Mapping[str, tuple[str, ...]]  # column → a text for each candidate
    rows: Rows | None  # None for words that the grammar lists
    candidates: tuple[int, ...]  # their numbers in ``rows``; empty without rows

    def __len__(self) -> int:
        return len(self.titles)


@frozen
class Spec:
    """A slot before its candidates are chosen; equal specs have equal candidates."""

    key: SlotKey
    name: str
    objects: frozenset[str]
    columns: tuple[str, ...]


class ShownWord(NamedTuple):
    """A word of an item: the slot that it shows (None for fixed words), and a column or a text."""

    key: SlotKey | None
    text: str
    name: str = ""  # of the slot
    objects: frozenset[str] = frozenset()  # the objects that the slot is the lexeme of


class SlotMaker:
    """Finds the slot and the column of a word, and makes slots; equal ones are made once."""

    def __init__(
        self,
        grammar: g.Grammar,
        lexicon: Lexicon,
        report: Report,
        words: dict[Item, tuple[ShownWord, ...]] | None = None,
    ) -> None:
        """Make slots of a grammar's tables; ``words`` are kept by several makers together.

        The second of these says nothing of words that a table lacks.
        """
        self.quiet = words is not None
        self.grammar, self.lexicon, self.report = grammar, lexicon, report
        self.words_of = {} if words is None else words
        self._lacking: set[Item] = set()  # items of which a word is in no table
        self._sources = {item: rows_of(lexicon, item) for item in grammar.objects.values()}
        self._columns: dict[tuple[g.Object, tuple[tuple[str, str], ...]], str | None] = {}
        self._slots: dict[Spec, Slot] = {}
        self._chosen: dict[tuple[object, ...], Candidates] = {}
        self._told: set[tuple[object, ...]] = set()  # rows of a slot said to be left out
        self._barred: dict[tuple[Rows, str], frozenset[int]] = {}  # of columns that are shown
        self._features_of: dict[g.Object, tuple[g.Variable, ...]] = {}
        self._asked_of: dict[Rows, tuple[str, ...]] = {}
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}

    def words(self, item: Item) -> tuple[ShownWord, ...] | None:
        """Return what the words of an item show, or None where something is missing."""
        if item not in self.words_of and item not in self._lacking:
            words: list[ShownWord] = []
            for placed in item.words:
                shown = self.shown(placed.word, item.solved.values)
                if shown is None:
                    self._lacking.add(item)
                    break
                words.append(shown)
            else:
                self.words_of[item] = tuple(words)
        return self.words_of.get(item)

    def shown(self, word: Word, values: g.Setting) -> ShownWord | None:
        """Return what a word of an item with these values shows, or None, as `words` does."""
        if isinstance(word, Fixed):
            return ShownWord(None, word.text)
        if isinstance(word, OneOf):
            key: SlotKey = ("words", word.variable, word.value)
            return ShownWord(key, "", f"{word.variable}={word.value}")
        rows = self._sources[word.object]
        if rows is None:
            self._no_rows(word.object)
            return None
        column: str | None
        if word.column is None:
            column = self._column(rows, word.object, word.values)
        else:
            prefix = f"{word.object.name}." if rows.kind == SETS else ""
            column = word.column_in(rows.columns, prefix)
        if column is None or not self._has_column(rows, word.object, column):
            return None
        key = self._key(rows, word.object, values)
        name = "set" if rows.kind == SETS else word.object.name
        return ShownWord(key, column, name, frozenset({word.object.name}))

    def _key(self, rows: Rows, item: g.Object, values: g.Setting) -> SlotKey:
        """Return the slot of an object's word; a value of a lexical feature makes it another."""
        features = tuple((v, values[v]) for v in self._features(rows, item) if v in values)
        if rows.kind == SETS:
            number = next(i for i, other in enumerate(self.lexicon.sets) if other is rows)
            return ("set", number, features)
        return ("lexeme", item, features)

    def _features(self, rows: Rows, item: g.Object) -> tuple[g.Variable, ...]:
        """Return the lexical features that decide which rows an object's word can come from."""
        if item not in self._features_of:
            owners = self.grammar.objects.values() if rows.kind == SETS else (item,)
            self._features_of[item] = tuple(
                v
                for owner in owners
                if self._sources[owner] is rows
                for v in self.grammar.by_object[owner]
                if v.lexical
            )
        return self._features_of[item]

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
        if column in rows.filled:
            return True
        if column in rows.columns:
            self.report.error(
                "M315",
                f"the column `{column}` is empty in all rows of `{item.name}`",
                item.span,
                remedy="fill its cells",
            )
            return False
        self.report.error(
            "M315",
            f"the table of `{item.name}` has no column `{column}`",
            item.span,
            remedy=did_you_mean(column, _shown_columns(rows)) or f"add a column `{column}`",
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
        """Return the most specific column all of whose parts are among an object's values.

        ``nom.sg`` for an object that is nominative, singular and feminine, if there is no column
        ``nom.sg.f``. A column that no row fills is a form of another category. Reported and None
        where no column, or more than one, is the most specific.
        """
        bundle = set(values.values())
        sets = rows.kind == SETS
        fitting: dict[str, frozenset[str]] = {}
        empty: list[str] = []
        related = False
        possible = {x for v in self.grammar.by_object[item] if v.attribute for x in v.values}
        for name in rows.columns:
            parts = name.split(".")
            if sets:
                if parts[0] != item.name:
                    continue
                parts = parts[1:]
            fits_values = (sets or bool(parts)) and set(parts) <= bundle
            if name not in rows.filled:
                empty += [name] * fits_values
                continue
            if fits_values:
                fitting[name] = frozenset(parts)
            related = related or (bool(parts) and set(parts) <= possible)
        if not fitting and not sets and not related:
            self._unused_forms(rows, item)
            return LEMMA
        best = [n for n, p in fitting.items() if not any(p < q for q in fitting.values())]
        if len(best) == 1:
            return best[0]
        if best:
            self.report.error(
                "M322",
                f"the columns {listing(best)} both fit `{item.name}` that is"
                f" {listing(values.values()) or 'no attributes'}",
                item.span,
                remedy="name a column after all values that decide the form",
            )
        else:
            self._no_form(rows, item, values, empty)
        return None

    def _no_form(
        self, rows: Rows, item: g.Object, values: Mapping[str, str], empty: Sequence[str]
    ) -> None:
        """Report an object without a form; ``empty`` are columns that fit it and are not filled."""
        if self.quiet:
            return
        sets = rows.kind == SETS
        column = ".".join([item.name, *values.values()] if sets else values.values())
        if empty:
            whose = "" if sets else f" for every {rows.kind}"
            one = len(empty) == 1
            remedy = (
                f"the column{'s' * (not one)} {listing(f'`{x}`' for x in empty)}"
                f" {'is' if one else 'are'} empty{whose}: fill {'it' if one else 'one of them'}"
            )
        else:
            remedy = did_you_mean(column, _shown_columns(rows))
        self.report.error(
            "M321",
            f"no column of {_tables(rows)} has the form of `{item.name}` that is"
            f" {listing(values.values()) or 'no attributes'}",
            item.span,
            remedy=remedy or f"add a column such as `{column}`",
        )

    def _unused_forms(self, rows: Rows, item: g.Object) -> None:
        """Warn where an object shows its lemma although its table has forms."""
        for name in rows.columns:
            parts = name.split(".")
            owners = [
                v for v in self.grammar.variables.values() if v.attribute and parts[0] in v.values
            ]
            if owners and name in rows.filled:
                attribute = owners[0].attribute
                self.report.warning(
                    "M325",
                    f"`{item.name}` shows its lemma: it has no attribute with the value"
                    f" `{parts[0]}`, so the column `{name}` is not used",
                    item.span,
                    remedy=f"declare it as `{item.name} : {item.category} ({attribute})`",
                )
                return

    # --- slots

    def slot(self, spec: Spec) -> Slot:
        """Return the slot of a spec."""
        slot = self._slots.get(spec)
        if slot is None:
            slot = self._slots[spec] = self._make_slot(spec, select=True)
        return slot

    def unselected(self, spec: Spec) -> tuple[Slot, list[tuple[g.IsA, Bools]]]:
        """Return the slot without the selections that ask about it alone, and these selections.

        Each comes with the candidates that it lets pass.
        """
        slot = self._make_slot(spec, select=False)
        if slot.rows is None:
            return slot, []
        rows, chosen = slot.rows, list(slot.candidates)
        return slot, [(s, self._alone(s, rows, chosen)) for s in self._asked_alone(spec)]

    def _make_slot(self, spec: Spec, *, select: bool) -> Slot:
        kind = spec.key[0]
        if kind == "words":
            variable, value = spec.key[1], spec.key[2]
            assert isinstance(variable, g.Variable)
            assert isinstance(value, str)
            words = tuple(sorted({x for x in variable.words[value] if isinstance(x, str)}))
            places = tuple(f"{variable}={value}" for _ in words)
            return Slot(spec.name, spec.objects, words, places, {"": words}, None, ())
        rows, features = self._rows_of_key(spec.key)
        chosen, titles, places = self._candidates(spec, rows, features, select=select)
        forms: dict[str, tuple[str, ...]] = {}
        for column in spec.columns:
            texts = tuple(map(rows.columns[column].__getitem__, chosen))
            # equal columns are one object, so that facts about one are found once
            forms[column] = self._texts.setdefault(texts, texts)
        return Slot(
            spec.name,
            spec.objects,
            titles,
            places,
            forms,
            rows,
            chosen,
        )

    def _candidates(
        self, spec: Spec, rows: Rows, features: Features, *, select: bool
    ) -> Candidates:
        """Return the rows of a slot in their order, found once for specs with the same rows.

        Rows are in the order of their cells, whatever the columns are named. Rows of the same
        cells are told apart by the columns that show, then by those asked about.
        """
        contents = rows.contents
        alike = len(set(contents)) < len(contents)
        shown = spec.columns if alike else frozenset(spec.columns)
        key = (spec.key, spec.objects, shown, select)
        if key not in self._chosen:
            chosen = self._filtered(spec, rows, features, select=select)
            columns = [rows.columns[c] for c in (*spec.columns, *self._asked(rows)) if alike]
            chosen.sort(key=lambda row: (contents[row], *(cells[row] for cells in columns)))
            chosen = self._merged(spec, rows, chosen) if select else chosen
            titles, places = map(rows.title, chosen), map(rows.places.__getitem__, chosen)
            self._chosen[key] = (tuple(chosen), tuple(titles), tuple(places))
        return self._chosen[key]

    def _asked(self, rows: Rows) -> tuple[str, ...]:
        """Return the columns that selections and rules ask about, in the grammar's order."""
        if rows not in self._asked_of:
            names: dict[str, None] = {}
            for selection in self.grammar.selections:
                if isinstance(selection, g.Share):
                    names[selection.column] = None
                elif isinstance(selection, g.IsA):
                    names.update(dict.fromkeys(columns_in(selection.expression)))
            names.update(dict.fromkeys(v.attribute for v in self.grammar.variables.values()))
            of_sets = (f"{item}.{name}" for name in names for item in self.grammar.objects)
            self._asked_of[rows] = tuple(c for c in (*names, *of_sets) if c in rows.columns)
        return self._asked_of[rows]

    def _rows_of_key(self, key: SlotKey) -> tuple[Rows, Features]:
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
        self,
        spec: Spec,
        rows: Rows,
        features: Features,
        *,
        select: bool,
    ) -> list[int]:
        """Return the rows that have the features and all forms, and satisfy selections alone."""
        chosen = list(range(len(rows)))
        for variable, value in features:
            cells = rows.of(variable.object.name).columns[variable.attribute]
            chosen = [r for r in chosen if value in members(cells[r]) or ANY in members(cells[r])]
        for selection in self._asked_alone(spec) if select else ():
            good = self._alone(selection, rows, chosen)
            chosen = [r for r, fine in zip(chosen, good.tolist(), strict=True) if fine]
        blank = frozenset().union(*(rows.blanks[c] for c in spec.columns))
        missing = [r for r in chosen if r in blank]
        if missing:
            if select:
                self._missing(spec, rows, missing)
            chosen = [r for r in chosen if r not in blank]
        if select:
            self._check_bars(rows, spec.columns, chosen)
        return chosen

    def _asked_alone(self, spec: Spec) -> Iterator[g.IsA]:
        """Yield the selections that ask about this slot only."""
        for selection in self.grammar.selections:
            if isinstance(selection, g.IsA) and selection.object.name in spec.objects:
                others = {owner for owner, _ in references(selection.expression)}
                if others <= spec.objects:
                    yield selection

    def _alone(self, selection: g.IsA, rows: Rows, chosen: list[int]) -> Bools:
        """Return which rows satisfy a selection, of one object or of two of one lexical set."""
        mine = rows.of(selection.object.name)
        others = {owner for owner, _ in references(selection.expression)}
        if not others:
            return fits(selection.expression, mine, chosen, {})
        theirs = rows.of(next(iter(others)))
        for _, column in cell_references(selection.expression):
            check_cells(theirs, column, mine, self.report)
        return fits_itself(selection.expression, mine, chosen, theirs)

    def _missing(self, spec: Spec, rows: Rows, missing: list[int]) -> None:
        """Warn of rows without a form that is shown."""
        columns = [c for c in spec.columns if any(not rows.columns[c][r] for r in missing)]
        one = len(missing) == 1
        used = "used" if rows.kind == SETS else f"`{spec.name}`"
        self.report.warning(
            "M317",
            f"{len(missing)} row{'' if one else 's'} of {_tables(rows)} {'has' if one else 'have'}"
            f" no form in {listing(f'`{c}`' for c in columns)} and cannot be {used}",
            remedy="fill the cells, or select lexemes that have the form",
            notes=[f"left out: {_some(rows, missing)}"],
            place=rows.places[missing[0]],
        )

    def _check_bars(self, rows: Rows, columns: Sequence[str], chosen: Sequence[int]) -> None:
        """Report columns with bars in forms that are shown, each with all its rows, once."""
        for column in columns:
            if (rows, column) not in self._barred:
                cells = enumerate(rows.columns[column])
                self._barred[rows, column] = frozenset(r for r, cell in cells if has_several(cell))
            barred = self._barred[rows, column]
            if barred and (rows, column) not in self._told and not barred.isdisjoint(chosen):
                self._told.add((rows, column))
                self._several_forms(rows, column, sorted(barred))

    def _several_forms(self, rows: Rows, column: str, barred: Sequence[int]) -> None:
        """Report rows that have several forms in one cell."""
        first, *rest = barred
        cell = rows.columns[column][first]
        value = column.rpartition(".")[2]
        declared = any(v.attribute and value in v.values for v in self.grammar.variables.values())
        self.report.error(
            "M348",
            f"`{rows.title(first)}` has `{cell}` in `{column}`, but a form is one text",
            remedy=one_form_each(rows.title(first), cell, value if declared else ""),
            notes=[f"the same is wrong in {_some(rows, rest)}"] if rest else [],
            place=rows.places[first],
        )

    def _merged(self, spec: Spec, rows: Rows, chosen: list[int]) -> list[int]:
        """Return the rows without those that look like an earlier one, and warn of these."""
        kept: dict[tuple[str, ...], int] = {}
        doubled: list[int] = []
        columns = [map(rows.columns[c].__getitem__, chosen) for c in spec.columns]
        for row, forms in zip(chosen, zip(*columns, strict=True), strict=True):
            if kept.setdefault(forms, row) != row:
                doubled.append(row)
        if doubled and (spec.name, *doubled) not in self._told:
            self._told.add((spec.name, *doubled))
            self.report.warning(
                "M318",
                f"{len(doubled)} {lexemes_of(spec.name, len(doubled))}"
                f" {'looks' if len(doubled) == 1 else 'look'} like another in all forms used"
                f" ({listing(spec.columns)}), so {'it is' if len(doubled) == 1 else 'they are'}"
                " left out",
                notes=[f"left out: {_some(rows, doubled)}"],
                remedy="this is fine where only parts of a row are shown; delete real doubles",
                place=rows.places[doubled[0]],
            )
        return list(kept.values())


def kept(slot: Slot, keep: Bools) -> Slot:
    """Return a slot with some of its candidates only."""
    if keep.all():
        return slot

    def only(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(x for x, fine in zip(items, keep.tolist(), strict=False) if fine)

    forms = {column: only(texts) for column, texts in slot.forms.items()}
    candidates = only(slot.candidates) if slot.candidates else ()
    titles, places = only(slot.titles), only(slot.places)
    return Slot(slot.name, slot.objects, titles, places, forms, slot.rows, candidates)


def some(slot: Slot, places: Ints) -> Slot:
    """Return a slot with the candidates at some places only, in their order in the slot."""
    keep = np.zeros(len(slot), dtype=np.bool_)
    keep[places] = True
    return kept(slot, keep)


def lexemes_of(name: str, number: int = 1) -> str:
    """Return what a slot of some name holds: ``lexeme for `subj```, ``lexical sets``."""
    plural = "s" * (number != 1)
    if name == "set":
        return f"lexical set{plural}"
    return f"word{plural} of `{name}`" if "=" in name else f"lexeme{plural} for `{name}`"


def _shown_columns(rows: Rows) -> list[str]:
    """Return the columns that may have been meant where one is shown."""
    return [name for name in rows.columns if name in rows.filled]


def _tables(rows: Rows) -> str:
    return listing(dict.fromkeys(place.rpartition(":")[0] for place in rows.places))


def _some(rows: Rows, chosen: Sequence[int]) -> str:
    shown = [f"{rows.title(r)} ({rows.places[r]})" for r in chosen[:5]]
    more = len(chosen) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
