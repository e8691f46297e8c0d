"""The choices of lexemes that two variants of a design have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from merula.core.arrays import Ints
from merula.core.frozen import ById, frozen
from merula.plan.elimination import Made
from merula.plan.planner import slot_names
from merula.plan.relations import Constraint, Distinct
from merula.plan.slots import Slot, some
from merula.plan.space import Space
from merula.plan.wishes import Chooser
from merula.query.narrowing import Restriction, plainest
from merula.strategies.draws import Chosen


@frozen(eq=False)
class Joint:
    """The choices of lexemes that two variants have in common.

    ``candidates[number][i]`` leads from the lexemes of a joint slot to those of slot *i* of the
    plan with that number; ``place[number][i]`` is the joint slot.
    """

    slots: Sequence[tuple[str, Slot]]
    chooser: Chooser
    candidates: Mapping[int, Sequence[Ints]]
    place: Mapping[int, Sequence[int]]

    @staticmethod
    def of(before: Restriction, after: Restriction, variable: str, tables: Made) -> Joint | None:
        """Return what two variants have in common; None where no choice suits both.

        A slot that both have is one slot, with the lexemes that both have. Only those of the object
        that is changed itself (``variable`` is ``OBJECT.attribute``) may have none in common, as
        nouns of one gender and another. ``tables`` has those that several spaces share.
        """
        numbers = {name: i for i, name in enumerate(slot_names(after.plan))}  # of slots after
        slots: list[tuple[str, Slot]] = []
        candidates: dict[int, list[Ints]] = {before.number: [], after.number: []}
        place: dict[int, list[int]] = {before.number: [], after.number: []}
        shared: dict[int, tuple[int, Ints]] = {}
        for name, slot in zip(slot_names(before.plan), before.plan.slots, strict=True):
            lexemes = np.arange(len(slot))
            if name in numbers:
                common, common_after = _common(slot, after.plan.slots[numbers[name]])
                if len(common):
                    lexemes = common
                    shared[numbers[name]] = (len(slots), common_after)
                elif slot.objects != {variable.partition(".")[0]}:
                    return None
            place[before.number].append(len(slots))
            candidates[before.number].append(lexemes)
            slots.append((name, some(slot, lexemes)))
        for i, (name, slot) in enumerate(
            zip(slot_names(after.plan), after.plan.slots, strict=True)
        ):
            at, lexemes = shared.get(i, (len(slots), np.arange(len(slot))))
            if i not in shared:
                slots.append((f"{name} after", slot))
            place[after.number].append(at)
            candidates[after.number].append(lexemes)
        space = _joint_space([before, after], slots, candidates, place, tables)
        if not space.count:
            return None
        chooser = Chooser(space, [plainest(slot) for _, slot in slots])
        return Joint(slots, chooser, candidates, place)

    def chosen(self, narrow: Restriction, chosen: Chosen) -> Chosen:
        """Return the candidates of one of the plans."""
        number = narrow.number
        return tuple(
            int(own[chosen[at]])
            for own, at in zip(self.candidates[number], self.place[number], strict=True)
        )


def _common(one: Slot, other: Slot) -> tuple[Ints, Ints]:
    """Return the lexemes that two slots have in common, as candidates of each."""
    theirs = {lexeme: i for i, lexeme in enumerate(_lexemes(other))}
    pairs = [(i, theirs[x]) for i, x in enumerate(_lexemes(one)) if x in theirs]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def _lexemes(slot: Slot) -> list[object]:
    """Return what identifies the lexemes of a slot: their rows, or else their words."""
    if slot.rows is None or not slot.candidates:
        return list(slot.titles)
    return [(slot.rows, row) for row in slot.candidates]


def _joint_space(
    narrows: Sequence[Restriction],
    slots: Sequence[tuple[str, Slot]],
    candidates: Mapping[int, Sequence[Ints]],
    place: Mapping[int, Sequence[int]],
    tables: Made,
) -> Space:
    """Return the space that satisfies the constraints of both plans, each of them once."""
    links: dict[tuple[object, ...], Constraint | Distinct] = {}
    for narrow in narrows:
        lexemes, at = candidates[narrow.number], place[narrow.number]
        for c in narrow.plan.space.constraints:
            where = tuple(at[s] for s in c.slots)
            groups = tuple(_taken(x, lexemes[s]) for s, x in zip(c.slots, c.groups, strict=True))
            key = (where, ById(c.table), *(x.tobytes() for x in groups))
            links[key] = Constraint(where, groups, c.table, c.origin)
        for d in narrow.plan.space.distinct:
            where = tuple(at[s] for s in d.slots)
            keys = tuple(_taken(x, lexemes[s]) for s, x in zip(d.slots, d.keys, strict=True))
            links[where, *(x.tobytes() for x in keys)] = Distinct(where, keys, d.origin)
    sizes = tuple(len(slot) for _, slot in slots)
    first = narrows[0].plan.space
    if sizes == first.sizes and len(links) == len(first.constraints) + len(first.distinct):
        return first  # the other plan demands nothing more
    constraints = [link for link in links.values() if isinstance(link, Constraint)]
    distinct = [link for link in links.values() if isinstance(link, Distinct)]
    return Space(sizes, constraints, distinct, tables)


def _taken(values: Ints, places: Ints) -> Ints:
    return values if len(places) == len(values) else values[places]
