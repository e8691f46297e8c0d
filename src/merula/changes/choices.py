"""The choices that two plans share, and the candidates of these that are the same lexemes.

In go two plans of a variant, out come their `SharedChoices`; ``joint`` calls `ChoiceMatcher`. A
choice belongs to an object, to a table of sets, or to a value with several words. Lexemes are the
same if their names are; sets without a name, if all their cells are, or else their titles. A value
that has one word in one plan and several in the other is a choice in both.
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

    ``old`` and ``new`` are its slots; None where the plan has a single word instead, ``word``, for
    the ``value`` of the ``variable``. ``old_shared`` and ``new_shared`` are the numbers of the
    candidates that both have, side by side.
    """

    old_name: str
    new_name: str
    old: int | None
    new: int | None
    old_shared: Ints
    new_shared: Ints
    variable: str = ""
    value: str = ""
    word: str = ""

    def mirrored(self) -> SharedChoice:
        """Return the choice with old and new exchanged."""
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
    """The choices of two plans. With any in ``gone`` or ``added`` they do not share an instance."""

    both: tuple[SharedChoice, ...]
    gone: tuple[str, ...]
    added: tuple[str, ...]


@frozen
class _Key:
    """The owners of a choice, and the features that rules demand of its lexemes."""

    kind: str  # "words", "set" or "lexeme"
    owners: frozenset[str]
    features: tuple[tuple[str, str], ...]

    def like(self, other: _Key) -> bool:
        """Return whether two choices have an owner in common, whatever is demanded."""
        return self.kind == other.kind and bool(self.owners & other.owners)


class ChoiceMatcher:
    """A matcher of the choices of two grammars' plans, which compares tables and slots once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Rows, Rows], Mapping[int, int]] = {}
        self._shared: dict[tuple[object, ...], tuple[Ints, Ints]] = {}
        self._equal: dict[tuple[tuple[int, int], ...], tuple[Ints, Ints]] = {}

    def match(self, old: Plan, new: Plan) -> SharedChoices:
        """Return the choices that both plans make, and those of one of them.

        The shared ones are in the same order whichever plan is the old one.
        """
        keys = [_keys(old), _keys(new)]
        pairs = _paired(keys[0], keys[1])
        names = [slot_names(plan) for plan in (old, new)]
        shared = [
            SharedChoice(
                names[0][i], names[1][j], i, j, *self._candidates(old.slots[i], new.slots[j])
            )
            for i, j in pairs
        ]
        unpaired = [
            [n for n in range(len(plan.slots)) if n not in {pair[hand] for pair in pairs}]
            for hand, plan in enumerate((old, new))
        ]
        gone, added = [], []
        for i in unpaired[0]:
            choice = self._fixed(old, i, new)
            if choice is None:
                gone.append(names[0][i])
            else:
                shared.append(choice)
        for j in unpaired[1]:
            choice = self._fixed(new, j, old)
            if choice is None:
                added.append(names[1][j])
            else:
                shared.append(choice.mirrored())
        shared.sort(key=lambda choice: sorted((choice.old_name, choice.new_name)))
        return SharedChoices(tuple(shared), tuple(gone), tuple(added))

    def _candidates(self, old: Slot, new: Slot) -> tuple[Ints, Ints]:
        if old.rows is None or new.rows is None:
            return self._words(old.titles, new.titles)
        key = (old.rows, old.candidates, *old.forms, "", new.rows, new.candidates, *new.forms)
        if key not in self._shared:
            pairs = self._same_candidates(old, new, self._same_rows(old.rows, new.rows))
            # equal pairs are one object, since `Joiner` and `Wording` know them by identity
            self._shared[key] = self._equal.setdefault(tuple(pairs), _columns(pairs))
        return self._shared[key]

    def _same_candidates(
        self, old: Slot, new: Slot, rows: Mapping[int, int]
    ) -> list[tuple[int, int]]:
        """Return the pairs of candidates from the same rows, or with the same title and forms.

        Of rows that look alike only the first is a candidate; it may be a different row in each.
        """
        place = {row: j for j, row in enumerate(new.candidates)}
        pairs = {i: place[rows[r]] for i, r in enumerate(old.candidates) if rows.get(r) in place}
        taken = set(pairs.values())
        if len(pairs) < len(old) and len(pairs) < len(new):
            left = {_look(new, j): j for j in range(len(new)) if j not in taken}
            for i in range(len(old)):
                if i not in pairs and _look(old, i) in left:
                    pairs[i] = left.pop(_look(old, i))
        return sorted(pairs.items())

    def _words(self, old: Sequence[str], new: Sequence[str]) -> tuple[Ints, Ints]:
        key = (tuple(old), tuple(new))
        if key not in self._shared:
            self._shared[key] = _common(old, new)
        return self._shared[key]

    def _same_rows(self, old: Rows, new: Rows) -> Mapping[int, int]:
        key = (old, new)
        if key not in self._rows:
            self._rows[key] = same_rows(old, new)
        return self._rows[key]

    def _fixed(self, plan: Plan, number: int, other: Plan) -> SharedChoice | None:
        """Return a choice of words of which the other plan has a single one, or None."""
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
    """Return the only word that a value of a variable has in a plan, if its cells show it."""
    for cell in plan.cells:
        for placed in cell.cell.item.words:
            word = placed.word
            if isinstance(word, Fixed) and brings(placed, word, cell.cell, variable, value):
                return word.text
    return None


def brings(placed: Placed, word: Fixed, cell: Cell, variable: str, value: str) -> bool:
    """Return whether a fixed word is in a sentence because a variable has a value."""
    if placed.object is None or placed.object.name != variable.partition(".")[0]:
        return False
    for solved, held in cell.item.solved.values.items():
        if str(solved) == variable and held == value:
            return word.text in solved.words.get(value, ())
    return False


def same_rows(old: Rows, new: Rows) -> dict[int, int]:
    """Return pairs of equal rows of two tables: by name, or by contents and then by title."""
    named = [any(name in rows.columns for name in _NAMES) for rows in (old, new)]
    pairs: dict[int, int] = {}
    if not all(named):
        columns = sorted(set(old.columns) & set(new.columns))
        _match(_contents(old, columns), _contents(new, columns), pairs)
    titles = [{r: rows.title(r) for r in range(len(rows))} for rows in (old, new)]
    _match(titles[0], titles[1], pairs)
    return pairs


def _match(old: Mapping[int, object], new: Mapping[int, object], pairs: dict[int, int]) -> None:
    """Add the rows of equal keys that are not matched yet, first with first."""
    places: dict[object, list[int]] = {}
    taken = set(pairs.values())
    for j, key in new.items():
        if j not in taken:
            places.setdefault(key, []).append(j)
    for i, key in old.items():
        if i not in pairs and places.get(key):
            pairs[i] = places[key].pop(0)


def _look(slot: Slot, candidate: int) -> tuple[object, ...]:
    forms = frozenset((column, texts[candidate]) for column, texts in slot.forms.items())
    return slot.titles[candidate], forms


def _contents(rows: Rows, columns: Sequence[str]) -> dict[int, object]:
    return {r: tuple(rows.columns[c][r] for c in columns) for r in range(len(rows))}


def _keys(plan: Plan) -> list[_Key]:
    keys = []
    for spec in plan.specs:
        kind, of, *rest = spec.key
        if kind == "words":
            keys.append(_Key("words", frozenset({f"{of}={rest[0]}"}), ()))
            continue
        owners = spec.objects if kind == "set" else frozenset({str(of)})
        features = rest[0]
        assert isinstance(features, tuple)
        keys.append(_Key(str(kind), owners, tuple((str(v), value) for v, value in features)))
    return keys


def _paired(old: Sequence[_Key], new: Sequence[_Key]) -> list[tuple[int, int]]:
    """Return pairs of old and new choices: with equal demands first, then where one is left."""
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
        left_old = [x for x, key in enumerate(old) if x not in pairs and key.like(one)]
        left_new = [y for y, key in enumerate(new) if y not in pairs.values() and key.like(one)]
        if left_old == [i] and len(left_new) == 1:
            pairs[i] = left_new[0]
    return sorted(pairs.items(), key=lambda pair: pair[1])


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[Ints, Ints]:
    place = {title: j for j, title in enumerate(new)}
    return _columns([(i, place[title]) for i, title in enumerate(old) if title in place])


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
