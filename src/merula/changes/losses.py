"""The causes by which instances are in one of two grammars only, with examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from merula.changes.differences import Cause, InstanceExample
from merula.changes.joint import Lot, SharedVariant, drawn, lexemes, sentence, shares
from merula.changes.overlap import Half, LostPart, Overlap
from merula.changes.pairing import DesignVariant
from merula.compiler.compiled import Compiled
from merula.core.wording import listing
from merula.grammar.model import CORRECT


@dataclass(eq=False)
class _Group:
    """The lots of instances that have the same cause."""

    kind: str
    what: str
    lexemes: tuple[str, ...] = ()
    lots: list[Lot] = field(default_factory=list)
    variants: int = 0
    rest: int = 0  # instances that are in no lot, so that none of them can be drawn

    @property
    def drawable(self) -> int:
        return sum(lot.count for lot in self.lots)

    @property
    def count(self) -> int:
        return self.drawable + self.rest


def causes(
    compiled: Compiled,
    joints: Sequence[SharedVariant],
    alone: Sequence[DesignVariant],
    *,
    lost: bool,
    examples: int,
    seed: int,
) -> tuple[Cause, ...]:
    """Return the causes by which instances of ``compiled`` are not in the other grammar.

    ``compiled`` is the old grammar if ``lost``, else the new one; ``alone`` are the variants that
    only this grammar has. Every cause gets an example before any gets two.
    """
    groups = _Groups(lost=lost)
    for side, what in zip(alone, _apart(alone, joints, lost=lost), strict=True):
        groups.whole("variants", what, side)
    for joint in joints:
        groups.add(joint)
    for group in groups.by_cause.values():
        if group.kind == "empty" and group.variants == 1:
            group.what = group.lots[0].side.name
    ordered = [group for group in groups.by_cause.values() if group.count or group.lexemes]
    ordered.sort(key=lambda group: -group.count)
    sizes = shares([group.drawable for group in ordered], examples)
    return tuple(
        Cause(
            group.kind,
            group.what,
            group.count,
            group.lexemes,
            group.variants,
            tuple(
                _example(compiled, lot.side, candidates)
                for lot, candidates in drawn(group.lots, size, seed)
            ),
        )
        for group, size in zip(ordered, sizes, strict=True)
    )


class _Groups:
    def __init__(self, *, lost: bool) -> None:
        self.lost = lost
        self.by_cause: dict[tuple[object, ...], _Group] = {}

    def group(self, kind: str, what: str, titles: tuple[str, ...] = ()) -> _Group:
        return self.by_cause.setdefault((kind, what, titles), _Group(kind, what, titles))

    def whole(self, kind: str, what: str, side: DesignVariant) -> None:
        """Add all instances of a variant."""
        group = self.group(kind, what)
        group.variants += 1
        if side.plan is not None:
            group.lots.append(Lot(side, side.count, side.plan.space.unrank_one))

    def add(self, joint: SharedVariant) -> None:
        """Add the instances of one side of a variant that the other side lacks."""
        side = joint.pair.old if self.lost else joint.pair.new
        if side.plan is None:
            return
        if joint.overlap is None or joint.choices is None:
            self.whole("empty", "", side)
        elif not joint.overlap.matched:
            self.whole("choice", _other_choices(joint), side)
        else:
            self._parts(joint, side)

    def _parts(self, joint: SharedVariant, side: DesignVariant) -> None:
        assert joint.overlap is not None
        assert joint.choices is not None
        assert side.plan is not None
        half = joint.overlap.old if self.lost else joint.overlap.new
        by_choice: dict[int, _Group] = {}
        for i, slot in enumerate(half.slots):
            lacking = half.lacking(i).tolist()
            if lacking:
                choice = joint.choices.both[i]
                all_titles = (choice.word,) if slot is None else side.plan.slots[slot].titles
                titles = tuple(all_titles[c] for c in lacking)
                name = choice.old_name if self.lost else choice.new_name
                by_choice[i] = self.group("lexemes", name, titles)
                by_choice[i].variants += 1
        for part in joint.overlap.parts(lost=self.lost):
            if part.choice is not None:
                group = by_choice[part.choice]
            else:
                assert part.demand is not None
                kind = "contrast" if part.demand.span is None else "selection"
                group = self.group(kind, part.demand.text)
                group.variants += 1
            group.lots.append(Lot(side, part.count, _members(half, part)))
        self._rest(joint.overlap, side)

    def _rest(self, overlap: Overlap, side: DesignVariant) -> None:
        """Add the instances of the parts that were left out, since they cannot be counted."""
        if overlap.kept is None:
            return
        explained = sum(part.count for part in overlap.parts(lost=self.lost))
        rest = side.count - overlap.kept - explained
        if rest:
            group = self.group("uncounted", "")
            group.variants += 1
            group.rest += rest


def _members(half: Half, part: LostPart) -> Callable[[int], tuple[int, ...]]:
    return lambda number: half.candidates(part.member(number))


def _apart(
    alone: Sequence[DesignVariant], joints: Sequence[SharedVariant], *, lost: bool
) -> list[str]:
    """Return for each variant a frame or a value that no shared variant has, or else its name."""
    both = [joint.pair.old if lost else joint.pair.new for joint in joints]
    shared = {feature for side in both for feature in _features(side)}
    return [next((x for x in _features(s) if x not in shared), s.name) for s in alone]


def _features(side: DesignVariant) -> list[str]:
    return [side.variant.frame.name, *(f"{name} {label}" for name, label in side.variant.choices)]


def _other_choices(joint: SharedVariant) -> str:
    assert joint.choices is not None
    parts = []
    for names, what in ((joint.choices.gone, "no longer"), (joint.choices.added, "as well")):
        if names:
            parts.append(f"{listing(names)} {'is' if len(names) == 1 else 'are'} chosen {what}")
    return ", ".join(parts)


def _example(
    compiled: Compiled, side: DesignVariant, candidates: tuple[int, ...]
) -> InstanceExample:
    """Return an instance by its right answer, or by its first cell that breaks no rule."""
    plan = side.plan
    assert plan is not None
    cells = side.cells
    shown = next((i for i, c in enumerate(cells) if c.label == CORRECT and c.role == "answer"), -1)
    if shown < 0:
        shown = next((i for i, c in enumerate(cells) if c.acceptable), 0)
    return InstanceExample(
        side.start + plan.space.rank(candidates),
        side.name,
        lexemes(plan, candidates),
        cells[shown].label,
        sentence(compiled, plan, shown, candidates),
    )
