"""Which choices two plans both make, and which of their candidates are the same lexemes.

A choice belongs to an object, to a table of sets, or to a value with several words. Lexemes are
the same if their names are; sets without a name, if all that stands in them is, or else what they
are called by. A value that has one word on one side and several on the other is a choice on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from merula.core.arrays import Ints
from merula.core.frozen import frozen
from merula.design.cells import Cell
from merula.design.placement import Fixed, Placed
from merula.lexicon.table import LEMMA, Rows
from merula.plan.planner import Plan, slot_names
from merula.plan.slots import Slot

_NAMES = (LEMMA, "set")


@frozen(eq=False)
class SharedChoice:
    """A choice that both plans make.

    ``old`` and ``new`` are its slots; None where the plan has one word there, which is no choice.
    ``old_shared`` and ``new_shared`` are the candidates that are in both, side by side.
    """

    old_name: str
    new_name: str
    old: int | None
    new: int | None
    old_shared: Ints
    new_shared: Ints
    variable: str = ""  # of a choice of words that one plan has as a single one
    value: str = ""
    word: str = ""

    def mirrored(self) -> SharedChoice:
        """The choice with old and new exchanged."""
        return SharedChoice(
            self.new_name,
            self.old_name,
            self.new,
            self.old,
            self.new_shared,
            self.old_shared,
            self.variable,
            self.value,
            self.word,
        )


@frozen(eq=False)
class SharedChoices:
    """The choices of two plans; with one of theirs alone, they have no instance in common."""

    both: tuple[SharedChoice, ...]
    gone: tuple[str, ...]
    added: tuple[str, ...]


@frozen
class _Key:
    """What a choice is of; ``features`` are what rules demand of its lexemes."""

    kind: str  # "words", "set" or "lexeme"
    owners: frozenset[str]
    features: tuple[tuple[str, str], ...]

    def like(self, other: _Key) -> bool:
        """Whether the two are of the same, whatever is demanded."""
        return self.kind == other.kind and bool(self.owners & other.owners)


class ChoiceMatcher:
    """Pairs the choices of plans of two grammars; what plans share is found out once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int], Mapping[int, int]] = {}
        self._shared: dict[tuple[object, ...], tuple[Ints, Ints]] = {}
        self._equal: dict[tuple[tuple[int, int], ...], tuple[Ints, Ints]] = {}
        self._kept: list[object] = []  # what is known by its identity has to stay

    def match(self, old: Plan, new: Plan) -> SharedChoices:
        """The choices that both plans make, in the same order either way round, and all others."""
        keys = [_keys(old), _keys(new)]
        pairs = _paired(keys[0], keys[1])
        names = [slot_names(plan) for plan in (old, new)]
        both = [
            SharedChoice(
                names[0][i], names[1][j], i, j, *self._candidates(old.slots[i], new.slots[j])
            )
            for i, j in pairs
        ]
        left = [
            [n for n in range(len(plan.slots)) if n not in {pair[hand] for pair in pairs}]
            for hand, plan in enumerate((old, new))
        ]
        gone, added = [], []
        for i in left[0]:
            found = self._fixed(old, i, new)
            if found is None:
                gone.append(names[0][i])
            else:
                both.append(found)
        for j in left[1]:
            found = self._fixed(new, j, old)
            if found is None:
                added.append(names[1][j])
            else:
                both.append(found.mirrored())
        both.sort(key=lambda choice: sorted((choice.old_name, choice.new_name)))
        return SharedChoices(tuple(both), tuple(gone), tuple(added))

    def _candidates(self, old: Slot, new: Slot) -> tuple[Ints, Ints]:
        if old.rows is None or new.rows is None:
            return self._words(old.titles, new.titles)
        key = (
            id(old.rows),
            old.candidates,
            *old.forms,
            "",
            id(new.rows),
            new.candidates,
            *new.forms,
        )
        if key not in self._shared:
            found = self._same_candidates(old, new, self._same_rows(old.rows, new.rows))
            # equal ones are one object, so that what is found out about one is found out once
            self._shared[key] = self._equal.setdefault(tuple(found), _columns(found))
        return self._shared[key]

    def _same_candidates(
        self, old: Slot, new: Slot, rows: Mapping[int, int]
    ) -> list[tuple[int, int]]:
        """The pairs of candidates from the same rows, and of those that look alike with one name.

        (Of rows that look alike only the first is a candidate, which may be another in each.)
        """
        theirs = {row: j for j, row in enumerate(new.candidates)}
        found = {i: theirs[rows[r]] for i, r in enumerate(old.candidates) if rows.get(r) in theirs}
        taken = set(found.values())
        if len(found) < len(old) and len(found) < len(new):
            left = {_look(new, j): j for j in range(len(new)) if j not in taken}
            for i in range(len(old)):
                if i not in found and _look(old, i) in left:
                    found[i] = left.pop(_look(old, i))
        return sorted(found.items())

    def _words(self, old: Sequence[str], new: Sequence[str]) -> tuple[Ints, Ints]:
        key = (tuple(old), tuple(new))
        if key not in self._shared:
            self._shared[key] = _common(old, new)
        return self._shared[key]

    def _same_rows(self, old: Rows, new: Rows) -> Mapping[int, int]:
        key = (id(old), id(new))
        if key not in self._rows:
            self._kept += [old, new]
            self._rows[key] = same_rows(old, new)
        return self._rows[key]

    def _fixed(self, plan: Plan, number: int, other: Plan) -> SharedChoice | None:
        """A choice of words of which the other plan has a single one."""
        slot, key = plan.slots[number], plan.specs[number].key
        if key[0] != "words":
            return None
        variable, value = str(key[1]), str(key[2])
        text = fixed_word(other, variable, value)
        if text is None:
            return None
        shared = self._words(slot.titles, (text,))
        return SharedChoice(slot.name, slot.name, number, None, *shared, variable, value, text)


def fixed_word(plan: Plan, variable: str, value: str) -> str | None:
    """The only word that a value of a variable brings in a plan, if its cells show it."""
    for cell in plan.cells:
        for placed in cell.cell.item.words:
            word = placed.word
            if isinstance(word, Fixed) and brings(placed, word, cell.cell, variable, value):
                return word.text
    return None


def brings(placed: Placed, word: Fixed, cell: Cell, variable: str, value: str) -> bool:
    """Whether a fixed word stands there because a variable has a value."""
    if placed.object is None or placed.object.name != variable.partition(".")[0]:
        return False
    for own, held in cell.item.solved.values.items():
        if str(own) == variable and held == value:
            return word.text in own.words.get(value, ())
    return False


def same_rows(old: Rows, new: Rows) -> dict[int, int]:
    """Which row of the one is which of the other: by name, or by contents and then by title."""
    named = [any(name in rows.columns for name in _NAMES) for rows in (old, new)]
    found: dict[int, int] = {}
    if not all(named):
        columns = sorted(set(old.columns) & set(new.columns))
        _match(_contents(old, columns), _contents(new, columns), found)
    titles = [{r: rows.title(r) for r in range(len(rows))} for rows in (old, new)]
    _match(titles[0], titles[1], found)
    return found


def _match(old: Mapping[int, object], new: Mapping[int, object], found: dict[int, int]) -> None:
    """Add the rows of equal keys that are not matched yet, first with first."""
    places: dict[object, list[int]] = {}
    taken = set(found.values())
    for j, key in new.items():
        if j not in taken:
            places.setdefault(key, []).append(j)
    for i, key in old.items():
        if i not in found and places.get(key):
            found[i] = places[key].pop(0)


def _look(slot: Slot, candidate: int) -> tuple[object, ...]:
    forms = frozenset((column, texts[candidate]) for column, texts in slot.forms.items())
    return slot.titles[candidate], forms


def _contents(rows: Rows, columns: Sequence[str]) -> dict[int, object]:
    return {r: tuple(rows.columns[c][r] for c in columns) for r in range(len(rows))}


def _keys(plan: Plan) -> list[_Key]:
    found = []
    for spec in plan.specs:
        kind, of, *rest = spec.key
        if kind == "words":
            found.append(_Key("words", frozenset({f"{of}={rest[0]}"}), ()))
            continue
        owners = spec.objects if kind == "set" else frozenset({str(of)})
        features = rest[0]
        assert isinstance(features, tuple)
        found.append(_Key(str(kind), owners, tuple((str(v), value) for v, value in features)))
    return found


def _paired(old: Sequence[_Key], new: Sequence[_Key]) -> list[tuple[int, int]]:
    """Which old choice is which new one: of equal demands first, then where only one is left."""
    alike = [
        (-len(one.owners & other.owners), sorted((sorted(one.owners), sorted(other.owners))), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if one.like(other) and one.features == other.features
    ]
    pairs: dict[int, int] = {}
    for *_, i, j in sorted(alike):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    for i, one in enumerate(old):
        mine = [x for x, key in enumerate(old) if x not in pairs and key.like(one)]
        theirs = [y for y, key in enumerate(new) if y not in pairs.values() and key.like(one)]
        if mine == [i] and len(theirs) == 1:
            pairs[i] = theirs[0]
    return sorted(pairs.items(), key=lambda pair: pair[1])


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[Ints, Ints]:
    theirs = {title: j for j, title in enumerate(new)}
    return _columns([(i, theirs[title]) for i, title in enumerate(old) if title in theirs])


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
