"""The comparison of two compiled grammars."""

from __future__ import annotations

from collections.abc import Iterable

from merula.changes.addresses import reordered
from merula.changes.cells import CellComparer, cell_name
from merula.changes.differences import DesignDiff, GrammarDiff, Renamed
from merula.changes.joint import Joiner, SharedVariant
from merula.changes.losses import causes
from merula.changes.pairing import Pairing, pair_designs
from merula.changes.renames import other_names, renamed_heads, renamed_parts
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.grammar import model as g


def compare(old: Compiled, new: Compiled, *, examples: int = 3, seed: int = 0) -> GrammarDiff:
    """Return the changes from one compiled grammar to another.

    An instance is the same in both if its design, its variant and all its lexemes are; its
    sentences may differ. ``examples`` is how many instances are shown of those that are lost, of
    those that are gained and of those that read differently; ``seed`` decides which.
    """
    comparer = _Comparer(old, new, examples, seed)
    names = dict.fromkeys(
        (design.name, design.kind) for design in (*new.designs.values(), *old.designs.values())
    )
    designs = tuple(comparer.design(name, kind) for name, kind in names)
    other_surface = old.surface.rules != new.surface.rules
    perhaps = renamed_heads(old, new)
    return GrammarDiff(old.source.name, new.source.name, designs, other_surface, perhaps)


class _Comparer:
    def __init__(self, old: Compiled, new: Compiled, examples: int, seed: int) -> None:
        self.old, self.new, self.examples, self.seed = old, new, examples, seed
        self.joiner = Joiner()

    def design(self, name: str, kind: str) -> DesignDiff:
        """Return the changes of a design that one of the grammars has, or both."""
        old, new = (
            design if (design := compiled.designs.get(name)) and design.kind == kind else None
            for compiled in (self.old, self.new)
        )
        if old is None or new is None:
            return _alone(name, kind, old, new)
        pairing = pair_designs(old, new)
        joints = [self.joiner.join(pair) for pair in pairing.both]
        shown = {"examples": self.examples, "seed": self.seed}
        cells = CellComparer(self.old, self.new, joints, **shown)
        counts = [joint.kept for joint in joints]
        kept = None if None in counts else sum(count or 0 for count in counts)
        same = kept == old.count == new.count
        reworded, rewordings = cells.reworded()
        return DesignDiff(
            name=name,
            kind=kind,
            status="both",
            old_count=old.count,
            new_count=new.count,
            kept=kept,
            variants=(len(old.cells), len(new.cells)),
            lost=causes(self.old, joints, pairing.gone, lost=True, **shown),
            gained=causes(self.new, joints, pairing.added, lost=False, **shown),
            cells_gone=_cells(joints, old=True),
            cells_new=_cells(joints, old=False),
            labels=cells.labels(),
            relabelled=cells.relabelled(),
            templates=cells.templates(),
            forms=cells.forms(),
            reworded=reworded,
            rewordings=rewordings,
            renamed=_renamed(old, new, pairing) + (other_names(joints) if same else ()),
            claims=_claims(old, new),
            perhaps=renamed_parts(joints),
            reordered=same and reordered(joints),
        )


def _alone(
    name: str, kind: str, old: CompiledDesign | None, new: CompiledDesign | None
) -> DesignDiff:
    """Return the changes of a design that only one of the grammars has."""
    counts = [design.count if design is not None else 0 for design in (old, new)]
    variants = [len(design.cells) if design is not None else 0 for design in (old, new)]
    status = "new" if old is None else "gone"
    return DesignDiff(name, kind, status, counts[0], counts[1], 0, (variants[0], variants[1]))


def _cells(joints: Iterable[SharedVariant], *, old: bool) -> tuple[str, ...]:
    """Return the cells that only one of the grammars has."""
    names: dict[str, None] = {}
    for joint in joints:
        side = joint.pair.old if old else joint.pair.new
        alone = joint.pair.gone if old else joint.pair.added
        names.update(dict.fromkeys(cell_name(side.cells[number]) for number in alone))
    return tuple(names)


def _renamed(old: CompiledDesign, new: CompiledDesign, pairing: Pairing) -> tuple[Renamed, ...]:
    """Return changed factors, a changed order of cells, and changed names of frames."""
    renamed = []
    factors = [" × ".join(_factors(design.design)) for design in (old, new)]
    if factors[0] != factors[1]:
        renamed.append(Renamed("factors", factors[0], factors[1]))
    for pair in pairing.both:
        names = pair.old.variant.frame.name, pair.new.variant.frame.name
        if names[0] != names[1]:
            renamed.append(Renamed("frame", *names))
    orders = [[cells.old for cells in pair.cells] for pair in pairing.both]
    if any(order != sorted(order) for order in orders) and factors[0] == factors[1]:
        first = next(pair for pair, o in zip(pairing.both, orders, strict=True) if o != sorted(o))
        named = [
            ", ".join(cell_name(side.cells[number]) for number in numbers)
            for side, numbers in (
                (first.old, sorted(pair.old for pair in first.cells)),
                (first.new, [pair.new for pair in first.cells]),
            )
        ]
        renamed.append(Renamed("order of the cells", named[0], named[1]))
    return tuple(dict.fromkeys(renamed))


def _factors(design: g.Design) -> list[str]:
    return [axis.name for axis in design.factors] if isinstance(design, g.Paradigm) else []


def _claims(old: CompiledDesign, new: CompiledDesign) -> tuple[Renamed, ...]:
    """Return the answers whose claims differ."""
    claims = [
        {answer.label: _claim(answer) for answer in getattr(design.design, "answers", ())}
        for design in (old, new)
    ]
    return tuple(
        Renamed(label, claims[0][label], claim)
        for label, claim in claims[1].items()
        if label in claims[0] and claims[0][label] != claim
    )


def _claim(answer: g.Answer) -> str:
    """Return an answer's claims as they are written."""
    text = ", ".join(" ".join([c.letter, " and ".join(c.rules)]).strip() for c in answer.claims)
    return text + (f" as {answer.counts_as}" if answer.counts_as else "")
