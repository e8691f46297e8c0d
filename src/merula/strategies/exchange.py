"""Another lexeme for one slot that goes with the lexemes of all others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from merula.choosing import Chooser
from merula.narrowing import Narrow, plainest
from merula.plan import slot_names
from merula.slots import Slot, some
from merula.space import Bools, Ints, Space
from merula.strategies.draws import TRIES, Chosen


class Exchanger:
    """Makes exchanges; spaces that several of them need are worked out once."""

    def __init__(self) -> None:
        self._spaces: dict[tuple[object, ...], tuple[Space, Chooser]] = {}

    def exchange(self, narrow: Narrow, number: int, old: Ints, new: Ints) -> Exchange | None:
        """The exchange of one of some lexemes of a slot for one of others; None if there is none.

        The two are the same lexemes, or have none in common.
        """
        plan = narrow.plan
        slots = list(zip(slot_names(plan), plan.slots, strict=True))
        name, slot = slots[number]
        chooser = narrow.chooser
        if len(old) < len(slot):
            slots[number] = (name, some(slot, old))
            key = (id(plan.space), number, old.tobytes())
            if key not in self._spaces:
                keep = [np.arange(size) for size in plan.space.sizes]
                keep[number] = old
                space = plan.space.restricted(keep)
                order = [plainest(own) for _, own in slots]
                self._spaces[key] = space, Chooser(space, order)
            space, chooser = self._spaces[key]
            if not space.count:
                return None
        last = some(slot, new)
        slots.append((f"{name} after", last))
        found = Exchange(plan.space, number, slots, chooser, old, new, plainest(last))
        return found if found.spare is not None else None


class Exchange:
    """Choices of lexemes for a plan, and of another lexeme for one of its slots.

    ``slots`` are those of the plan and that slot once more. ``old`` and ``new`` lead from the
    lexemes of the two to those of the plan, ``order`` holds places in ``new``, the plainest first.
    Where nothing else goes with a choice, ``spare`` is taken: a choice with which something does.
    """

    def __init__(
        self,
        space: Space,
        number: int,
        slots: Sequence[tuple[str, Slot]],
        chooser: Chooser,
        old: Ints,
        new: Ints,
        order: Sequence[int],
    ) -> None:
        self.space, self.number, self.slots, self.chooser = space, number, slots, chooser
        self.old = old
        self.others = [int(new[i]) for i in order]
        sizes = [len(slot) for _, slot in slots]
        tries = np.random.default_rng(0).integers(sizes, size=(TRIES, len(sizes)))
        tries[0] = 0
        looked_at = (self._choose(wishes.tolist()) for wishes in tries)
        self.spare = next((found for found in looked_at if found is not None), None)

    def choose(self, wishes: Sequence[int]) -> Chosen:
        """The lexemes of the plan, and last the other one for the slot."""
        found = self._choose(wishes) or self.spare
        assert found is not None
        return found

    def _choose(self, wishes: Sequence[int]) -> Chosen | None:
        chosen = list(self.chooser.choose(wishes[:-1]))
        chosen[self.number] = int(self.old[chosen[self.number]])
        can = _instead(self.space, chosen, self.number)
        can[chosen[self.number]] = False
        start = wishes[-1]
        others = (*self.others[start:], *self.others[:start])
        other = next((other for other in others if can[other]), None)
        return None if other is None else (*chosen, other)


def _instead(space: Space, chosen: Sequence[int], slot: int) -> Bools:
    """Which candidates of a slot go with the candidates of all others."""
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
