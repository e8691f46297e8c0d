"""Cells that two grammars have: changes of labels, templates, forms and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from merula.changes.differences import CellChange, FormChange, Sentences, Verdict
from merula.changes.joint import Lot, SharedVariant, drawn, sentence, shares
from merula.changes.overlap import failing, further, space
from merula.changes.pairing import SharedCell, same_template, template_change
from merula.changes.wording import PhraseTexts, Wording
from merula.compiler.compiled import Compiled
from merula.design.cells import Cell
from merula.plan.relations import Constraint, TooWide


class CellComparer:
    """A comparison of the cells of the variants that a design has in both grammars."""

    def __init__(
        self,
        old: Compiled,
        new: Compiled,
        joints: Sequence[SharedVariant],
        *,
        examples: int,
        seed: int,
    ) -> None:
        self.old, self.new, self.joints = old, new, joints
        self.examples, self.seed = examples, seed
        self.wording = Wording(old.surface, new.surface)

    # --- labels and templates

    def labels(self) -> tuple[CellChange, ...]:
        """Return the cells whose label has changed."""
        return self._changes(_other_verdict)

    def relabelled(self) -> int | None:
        """Return how many shared instances have a cell whose label has changed; None if unknown."""
        total = 0
        for joint in self.joints:
            if any(_other_verdict(old, new) is not None for old, new in _cells(joint)):
                if joint.kept is None:
                    return None
                total += joint.kept
        return total

    def templates(self) -> tuple[CellChange, ...]:
        """Return the cells whose words or forms, or their order, have changed."""
        return self._changes(_other_template)

    def _changes(
        self, change: Callable[[Cell, Cell], tuple[Verdict | str, Verdict | str] | None]
    ) -> tuple[CellChange, ...]:
        """Return the cells with a change, equal changes taken together."""
        places: dict[
            tuple[Verdict | str, Verdict | str], list[tuple[SharedVariant, SharedCell]]
        ] = {}
        for joint in self.joints:
            for pair in joint.pair.cells:
                changed = change(joint.pair.old.cells[pair.old], joint.pair.new.cells[pair.new])
                if changed is not None:
                    places.setdefault(changed, []).append((joint, pair))
        return tuple(
            CellChange(
                tuple(dict.fromkeys(cell_name(j.pair.new.cells[pair.new]) for j, pair in where)),
                old,
                new,
                tuple(dict.fromkeys(joint.pair.new.name for joint, _ in where)),
                next(filter(None, (self._any(joint, pair) for joint, pair in where)), None),
            )
            for (old, new), where in places.items()
        )

    def _any(self, joint: SharedVariant, pair: SharedCell) -> Sentences | None:
        """Return a cell of some shared instance, or None if there is none to show."""
        if not self.examples or not joint.kept:
            return None
        assert joint.overlap is not None
        assert joint.overlap.space is not None
        lot = Lot(joint.pair.new, joint.kept, joint.overlap.space.unrank_one)
        _, shared = next(drawn([lot], 1, self.seed))
        return self._sentences(joint, pair, shared)

    def _sentences(
        self, joint: SharedVariant, pair: SharedCell, shared: Sequence[int]
    ) -> Sentences:
        old, new = (joint.candidates(shared, old=old) for old in (True, False))
        return Sentences(
            joint.pair.new.start + joint.plan(old=False).space.rank(new),
            cell_name(joint.pair.new.cells[pair.new]),
            sentence(self.old, joint.plan(old=True), pair.old, old),
            sentence(self.new, joint.plan(old=False), pair.new, new),
        )

    # --- sentences

    def forms(self) -> tuple[FormChange, ...]:
        """Return the shared lexemes whose form in some column has changed."""
        kept = [joint for joint in self.joints if joint.kept]
        return tuple(dict.fromkeys(change for joint in kept for change in self._forms(joint)))

    @staticmethod
    def _forms(joint: SharedVariant) -> Iterator[FormChange]:
        assert joint.choices is not None
        for choice in joint.choices.both:
            if choice.old is None or choice.new is None:
                continue
            old = joint.plan(old=True).slots[choice.old]
            new = joint.plan(old=False).slots[choice.new]
            for column, texts in new.forms.items():
                before = old.forms.get(column, texts)
                if before is texts:
                    continue
                for i, j in zip(choice.old_shared, choice.new_shared, strict=True):
                    if before[i] != texts[j]:
                        yield FormChange(
                            choice.new_name, new.titles[j], column, before[i], texts[j]
                        )

    def _parts(
        self, joint: SharedVariant, pair: SharedCell
    ) -> tuple[list[PhraseTexts], list[PhraseTexts]]:
        assert joint.choices is not None
        choices = joint.choices.both
        return (
            self.wording.parts(joint.plan(old=True), pair.old, choices, old=True),
            self.wording.parts(joint.plan(old=False), pair.new, choices, old=False),
        )

    def reworded(self) -> tuple[int | None, tuple[Sentences, ...]]:
        """Return how many shared instances have a changed sentence (None if unknown), and some."""
        total: int | None = 0
        groups: dict[str, list[tuple[Lot, SharedVariant, SharedCell]]] = {}
        for joint in self.joints:
            if joint.kept is None:
                total = None
            if not joint.kept:
                continue
            count, lots = self._reworded(joint)
            total = None if total is None or count is None else total + count
            for name, lot, pair in lots:
                groups.setdefault(name, []).append((lot, joint, pair))
        counts = [sum(lot.count for lot, _, _ in group) for group in groups.values()]
        examples: list[Sentences] = []
        for group, size in zip(groups.values(), shares(counts, self.examples), strict=True):
            place = {lot: (joint, pair) for lot, joint, pair in group}
            for lot, shared in drawn([lot for lot, _, _ in group], size, self.seed):
                examples.append(self._sentences(*place[lot], shared))
        return total, tuple(examples)

    def _reworded(
        self, joint: SharedVariant
    ) -> tuple[int | None, list[tuple[str, Lot, SharedCell]]]:
        """Return the same for a variant; instances are grouped by their first changed cell."""
        assert joint.overlap is not None
        assert joint.kept is not None
        sizes, common = joint.overlap.sizes, joint.overlap.common
        pairs: dict[str, SharedCell] = {}
        demands: list[Constraint] = []
        for pair in joint.pair.cells:
            name = cell_name(joint.pair.new.cells[pair.new])
            pairs[name] = pair
            demands += self.wording.demands(*self._parts(joint, pair), name, len(sizes) - 1)
        new_demands = further(demands, joint.overlap.forms)
        if not new_demands:
            return 0, []
        count: int | None = None
        with suppress(TooWide):
            count = joint.kept - space(sizes, [*common, *new_demands]).count
        unequal = joint.kept if count is None else count
        return count, [
            (origin.text, Lot(joint.pair.new, failed.count, failed.unrank_one), pairs[origin.text])
            for failed, origin in failing(sizes, common, new_demands, unequal)
        ]


def cell_name(cell: Cell) -> str:
    """Return the name of a cell: its values, the number of the item, or the answer's label."""
    return f"item {cell.label}" if cell.role == "context" else cell.label


def _other_verdict(old: Cell, new: Cell) -> tuple[Verdict, Verdict] | None:
    before, after = (Verdict(cell.letter, cell.broken, cell.scopes) for cell in (old, new))
    return None if before == after else (before, after)


def _other_template(old: Cell, new: Cell) -> tuple[str, str] | None:
    return None if same_template(old, new) else template_change(old, new)


def _cells(joint: SharedVariant) -> Iterator[tuple[Cell, Cell]]:
    for pair in joint.pair.cells:
        yield joint.pair.old.cells[pair.old], joint.pair.new.cells[pair.new]
