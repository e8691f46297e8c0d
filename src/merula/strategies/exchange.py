"""Another lexeme for one slot, which goes with the lexemes of all other slots.

A test asks for two sentences that differ in one lexeme, of another kind: *the dog that the cats saw
barks* and *the dogs that …*. Drawing two choices and throwing away those that do not fit would
reject most draws; so lexemes are chosen for the plan, and then one of those that can take the place
of the slot's lexeme (`Exchanging`).

With 3 nouns and 4 verbs of which the first goes with the first noun only: beside verb 0 no noun can
take the place of noun 0, beside any other verb two can. If more than a tenth of the choices looked
at leave no other lexeme, they are forbidden from the beginning by one more constraint, over the
other slots: those values of the verb's groups that leave enough nouns (`_room`), here all but verb
0. If they are few, the choice ``spare`` is taken instead.

>>> from merula.plan.relations import ConstraintOrigin
>>> groups = np.arange(3), np.array([0, 1, 1, 1])
>>> allowed = np.array([[True, True], [False, True], [False, True]])
>>> tied = Constraint((0, 1), groups, allowed, ConstraintOrigin(""))
>>> space, nouns = Space([3, 4], [tied]), np.arange(3)
>>> _instead(space, (0, 0), 0).tolist(), _instead(space, (0, 1), 0).tolist()
([True, False, False], [True, True, True])
>>> room = _room(space, 0, (nouns, nouns), nouns)
>>> room.slots, room.groups[0].tolist(), room.table.tolist()
((1,), [0, 1, 1, 1], [False, True])
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import chain

import numpy as np

from merula.core.arrays import Bools, Ints
from merula.core.frozen import frozen
from merula.plan.planner import slot_names
from merula.plan.relations import Constraint, ConstraintOrigin, TooWide, fits_in_table
from merula.plan.slots import Slot, some
from merula.plan.space import Space
from merula.plan.wishes import Chooser
from merula.query.narrowing import Restriction, plainest
from merula.strategies.draws import Choosing, Chosen, tries

GLANCE = 40  # choices that are looked at to see how many leave a slot another lexeme: milliseconds
MAX_WITHOUT = 0.1  # the share of these that may leave none: ``spare`` would be drawn too often


@frozen(eq=False)
class Exchange:
    """Choices of lexemes for a plan, and of another lexeme for one of its slots.

    ``slots`` are those of the plan and that slot once more. ``chooser`` makes choices for the plan,
    with the other lexeme last.
    """

    slots: Sequence[tuple[str, Slot]]
    chooser: Choosing

    @staticmethod
    def of(
        narrow: Restriction,
        number: int,
        lexemes: tuple[Ints, Ints],
        kinds: Ints,
        choosers: Exchanges,
    ) -> Exchange | None:
        """Return the exchange of an old lexeme of a slot for a new one of another kind.

        ``lexemes`` are the old and the new ones, ``kinds`` the kind of each lexeme of the slot,
        ``choosers`` those of earlier calls for the same design. None where there is no exchange.
        """
        plan = narrow.plan
        slots = list(zip(slot_names(plan), plan.slots, strict=True))
        name, slot = slots[number]
        old, new = lexemes
        if not len(old) or not len(new):
            return None
        slots[number] = (name, some(slot, old))
        slots.append((f"{name} after", some(slot, new)))
        orders = [plainest(chosen_slot) for _, chosen_slot in slots]
        # Variants that differ in forms alone have one space, and its tables may take 30 MB.
        arrays = (x.tobytes() for x in (old, new, kinds))
        key = (plan.space, number, *arrays, *map(tuple, orders))
        if key not in choosers:
            choosers[key] = _exchanging(narrow, number, orders, lexemes, kinds)
        chooser = choosers[key]
        return None if chooser is None else Exchange(slots, chooser)


class Exchanging:
    """A chooser for the plan, and then of another lexeme that goes with the choice.

    Where no lexeme goes with it, the choice is ``spare``, with which one does. ``rare`` says that
    this would happen often.
    """

    def __init__(
        self,
        space: Space,
        number: int,
        orders: Sequence[Sequence[int]],
        chooser: Chooser,
        lexemes: tuple[Ints, Ints],
        kinds: Ints,
    ) -> None:
        self.space, self.number, self.chooser, self.kinds = space, number, chooser, kinds
        self.old, new = lexemes
        self.new = [int(new[i]) for i in orders[-1]]
        every = tries(map(len, orders))
        looked_at = [self._choose(wishes) for wishes in every[:GLANCE]]
        self.rare = looked_at.count(None) > MAX_WITHOUT * GLANCE
        rest = map(self._choose, every[GLANCE:])
        self.spare = next((x for x in chain(looked_at, rest) if x is not None), None)

    def choose(self, wishes: Sequence[int]) -> Chosen:
        """Return the lexemes of the plan, and last the other one for the slot."""
        chosen = self._choose(wishes) or self.spare
        assert chosen is not None
        return chosen

    def _choose(self, wishes: Sequence[int]) -> Chosen | None:
        chosen = list(self.chooser.choose(wishes[:-1]))
        old = chosen[self.number] = int(self.old[chosen[self.number]])
        can = _instead(self.space, chosen, self.number) & (self.kinds != self.kinds[old])
        start = wishes[-1]
        in_order = (*self.new[start:], *self.new[:start])
        new = next((lexeme for lexeme in in_order if can[lexeme]), None)
        return None if new is None else (*chosen, new)


Exchanges = dict[tuple[object, ...], Exchanging | None]  # by all that decides them


def _exchanging(
    narrow: Restriction,
    number: int,
    orders: Sequence[Sequence[int]],
    lexemes: tuple[Ints, Ints],
    kinds: Ints,
) -> Exchanging | None:
    """Return the chooser of an exchange; None where none of the choices tried leaves one."""
    space, old = narrow.plan.space, lexemes[0]
    keep = [np.arange(size) for size in space.sizes]
    keep[number] = old
    whole = len(old) == space.sizes[number]

    def choosing(wider: Space) -> Exchanging | None:
        restricted = wider if whole else wider.restricted(keep)
        if not restricted.count:
            return None
        chooser = narrow.chooser if restricted is space else Chooser(restricted, orders)
        return Exchanging(space, number, orders, chooser, lexemes, kinds)

    exchanging = choosing(space)
    if exchanging is None:
        return None
    room = _room(space, number, lexemes, kinds) if exchanging.rare else None
    if room is not None:
        with suppress(TooWide):
            links = [*space.constraints, room]
            exchanging = choosing(Space(space.sizes, links, space.distinct)) or exchanging
    return exchanging if exchanging.spare is not None else None


def _instead(space: Space, chosen: Sequence[int], slot: int) -> Bools:
    """Return which candidates of a slot go with the candidates of all other slots."""
    can = np.ones(space.sizes[slot], dtype=np.bool_)
    for c in space.constraints:
        if slot in c.slots:
            place = tuple(
                x if s == slot else x[chosen[s]] for s, x in zip(c.slots, c.groups, strict=True)
            )
            can &= c.table[place]
    for d in space.distinct:
        if slot in d.slots:
            taken = [int(x[chosen[s]]) for s, x in zip(d.slots, d.keys, strict=True) if s != slot]
            can &= ~np.isin(d.keys[d.slots.index(slot)], taken)
    return can


def _room(space: Space, number: int, lexemes: tuple[Ints, Ints], kinds: Ints) -> Constraint | None:
    """Return what has to hold of the other slots to leave a slot a lexeme of another kind.

    It demands a little more: each slot that has to differ from this one may take one of its
    lexemes. None where nothing has to hold, or where it would take too large a table.
    """
    constraints = [c for c in space.constraints if number in c.slots]
    neighbours = sorted({s for c in constraints for s in c.slots} - {number})
    columns = {
        slot: [x for c in constraints for s, x in zip(c.slots, c.groups, strict=True) if s == slot]
        for slot in (number, *neighbours)
    }
    classes = {
        slot: np.unique(np.stack(groups_of), axis=1, return_inverse=True)[1].reshape(-1)
        for slot, groups_of in columns.items()
        if groups_of
    }
    first = {slot: np.unique(of_slot, return_index=True)[1] for slot, of_slot in classes.items()}
    shape = tuple(len(first[slot]) for slot in neighbours)
    if not neighbours or not fits_in_table(shape):
        return None
    old, new = lexemes
    can = [
        np.logical_and.reduce(
            [
                np.broadcast_to(_beside(c, number, int(i), neighbours, first), shape)
                for c in constraints
            ]
        )
        for i in first[number]
    ]
    left = np.zeros(shape, dtype=np.int64)
    for kind in np.unique(kinds[new]):
        of_kind = np.unique(classes[number][new[kinds[new] == kind]])
        left += np.logical_or.reduce([can[i] for i in of_kind])
    least = 1 + len(np.intersect1d(kinds[old], kinds[new])[:1])
    least += sum(len(d.slots) - 1 for d in space.distinct if number in d.slots)
    groups = tuple(classes[slot] for slot in neighbours)
    return Constraint(tuple(neighbours), groups, left >= least, ConstraintOrigin("the edit"))


def _beside(
    c: Constraint, number: int, candidate: int, neighbours: Sequence[int], first: dict[int, Ints]
) -> Bools:
    """Return what a constraint allows beside a candidate of a slot, an axis for each other slot."""
    index = (
        x[[candidate]] if s == number else x[first[s]]
        for s, x in zip(c.slots, c.groups, strict=True)
    )
    table = c.table[np.ix_(*index)]
    order = sorted(range(len(c.slots)), key=lambda i: (c.slots[i] != number, c.slots[i]))
    view: Bools = table.transpose(order)[0]
    return view.reshape([len(first[s]) if s in c.slots else 1 for s in neighbours])
