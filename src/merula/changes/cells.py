"""Cells that two grammars have: labels, templates, forms, and instances that read otherwise."""

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
    """Compares the cells of the variants that a design has in both grammars."""

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
        """The cells that are labelled otherwise."""
        return self._changes(_other_verdict)

    def relabelled(self) -> int | None:
        """How many instances of both grammars have a cell that is labelled otherwise."""
        total = 0
        for joint in self.joints:
            if any(_other_verdict(old, new) is not None for old, new in _cells(joint)):
                if joint.kept is None:
                    return None
                total += joint.kept
        return total

    def templates(self) -> tuple[CellChange, ...]:
        """The cells that have other words or forms, or another order of them."""
        return self._changes(_other_template)

    def _changes(
        self, change: Callable[[Cell, Cell], tuple[Verdict | str, Verdict | str] | None]
    ) -> tuple[CellChange, ...]:
        """The cells of which something changes, equal changes taken together."""
        found: dict[
            tuple[Verdict | str, Verdict | str], list[tuple[SharedVariant, SharedCell]]
        ] = {}
        for joint in self.joints:
            for pair in joint.pair.cells:
                changed = change(joint.pair.old.cells[pair.old], joint.pair.new.cells[pair.new])
                if changed is not None:
                    found.setdefault(changed, []).append((joint, pair))
        return tuple(
            CellChange(
                tuple(dict.fromkeys(cell_name(j.pair.new.cells[pair.new]) for j, pair in where)),
                one,
                other,
                tuple(dict.fromkeys(joint.pair.new.name for joint, _ in where)),
                next(filter(None, (self._any(joint, pair) for joint, pair in where)), None),
            )
            for (one, other), where in found.items()
        )

    def _any(self, joint: SharedVariant, pair: SharedCell) -> Sentences | None:
        """A cell of some instance that both grammars have."""
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
        """The lexemes of both grammars that have another form in some cell."""
        found: dict[FormChange, None] = {}
        for joint in self.joints:
            if joint.kept:
                for change in self._forms(joint):
                    found.setdefault(change)
        return tuple(found)

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
        """How many instances of both grammars have another sentence, and some of them."""
        total: int | None = 0
        groups: dict[str, list[tuple[Lot, SharedVariant, SharedCell]]] = {}
        for joint in self.joints:
            if joint.kept is None:
                total = None
            if not joint.kept:
                continue
            number, found = self._reworded(joint)
            total = None if total is None or number is None else total + number
            for name, lot, pair in found:
                groups.setdefault(name, []).append((lot, joint, pair))
        counts = [sum(lot.count for lot, _, _ in group) for group in groups.values()]
        examples: list[Sentences] = []
        for group, wanted in zip(groups.values(), shares(counts, self.examples), strict=True):
            where = {id(lot): (joint, pair) for lot, joint, pair in group}
            for lot, shared in drawn([lot for lot, _, _ in group], wanted, self.seed):
                examples.append(self._sentences(*where[id(lot)], shared))
        return total, tuple(examples)

    def _reworded(
        self, joint: SharedVariant
    ) -> tuple[int | None, list[tuple[str, Lot, SharedCell]]]:
        """The same of a variant; the instances by the first cell that has another sentence."""
        assert joint.overlap is not None
        assert joint.kept is not None
        sizes, common = joint.overlap.sizes, joint.overlap.common
        pairs: dict[str, SharedCell] = {}
        demands: list[Constraint] = []
        for pair in joint.pair.cells:
            name = cell_name(joint.pair.new.cells[pair.new])
            pairs[name] = pair
            demands += self.wording.demands(*self._parts(joint, pair), name, len(sizes) - 1)
        left = further(demands, joint.overlap.forms)
        if not left:
            return 0, []
        number: int | None = None
        with suppress(TooWide):
            number = joint.kept - space(sizes, [*common, *left]).count
        wanted = joint.kept if number is None else number
        return number, [
            (origin.text, Lot(joint.pair.new, found.count, found.unrank_one), pairs[origin.text])
            for found, origin in failing(sizes, common, left, wanted)
        ]


def cell_name(cell: Cell) -> str:
    """What a cell is called: its values, the number of the item, or the answer's label."""
    return f"item {cell.label}" if cell.role == "context" else cell.label


def _other_verdict(old: Cell, new: Cell) -> tuple[Verdict, Verdict] | None:
    one, other = (Verdict(cell.letter, cell.broken, cell.scopes) for cell in (old, new))
    return None if one == other else (one, other)


def _other_template(old: Cell, new: Cell) -> tuple[str, str] | None:
    return None if same_template(old, new) else template_change(old, new)


def _cells(joint: SharedVariant) -> Iterator[tuple[Cell, Cell]]:
    for pair in joint.pair.cells:
        yield joint.pair.old.cells[pair.old], joint.pair.new.cells[pair.new]
