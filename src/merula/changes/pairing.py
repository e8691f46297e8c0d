"""The variants and cells that two designs share.

In go an old and a new design of one kind and name, out comes a `Pairing`; ``compare`` calls
`pair_designs`. A variant is the same if its frame and all its choices are. Where only one of the
designs has an axis (``varying obj.number`` was added), a variant of the other one counts as having
the value that holds in all its items, if there is one. A frame that was renamed is recognised by
its templates. A cell of a paradigm is the same if its factors are, an item or an answer of a matrix
if its label is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from merula.compiler.compiled import CompiledDesign
from merula.core.frozen import ById, frozen
from merula.design.cells import Cell, Variant, template
from merula.design.placement import Lexical, OneOf, Placed, piece_template
from merula.grammar import model as g
from merula.plan.planner import Plan

Values = Mapping[str, str]  # of variables, by their names
Labels = tuple[str | None, ...]


@frozen(eq=False)
class DesignVariant:
    """A variant of one of the two designs; ``plan`` is None where it has no instances."""

    variant: Variant
    cells: tuple[Cell, ...]
    plan: Plan | None
    start: int  # the address of its first instance

    @property
    def count(self) -> int:
        """Return the count of instances."""
        return self.plan.count if self.plan is not None else 0

    @property
    def name(self) -> str:
        """Return its frame and its choices."""
        return self.variant.title

    @cached_property
    def settings(self) -> tuple[Values, ...]:
        """Return the values of every cell."""
        return tuple({str(v): x for v, x in c.item.solved.values.items()} for c in self.cells)

    @property
    def predicted(self) -> list[Values]:
        """Return the values of all cells that are not wrong answers."""
        wrong = [c.role == "answer" and c.label != g.CORRECT for c in self.cells]
        return [values for values, out in zip(self.settings, wrong, strict=True) if not out]


@frozen
class SharedCell:
    """A cell that both variants have: its number in each."""

    old: int
    new: int


@frozen(eq=False)
class VariantPair:
    """A variant that both designs have, with the cells that both have and those of one alone."""

    old: DesignVariant
    new: DesignVariant
    cells: tuple[SharedCell, ...]
    gone: tuple[int, ...]
    added: tuple[int, ...]


@frozen(eq=False)
class Pairing:
    """The variants that two designs share, and those of one alone."""

    both: tuple[VariantPair, ...]
    gone: tuple[DesignVariant, ...]
    added: tuple[DesignVariant, ...]


def sides(design: CompiledDesign) -> list[DesignVariant]:
    """Return the variants of a design, each with its plan."""
    plans = {ById(p.variant): (p, at) for p, at in zip(design.plans, design.starts, strict=True)}
    return [
        DesignVariant(variant, cells, *plans.get(ById(variant), (None, 0)))
        for variant, cells in design.cells
    ]


def pair_designs(old: CompiledDesign, new: CompiledDesign) -> Pairing:
    """Pair the variants of two designs of one kind, and the cells of each pair."""
    return _Pairer(old, new).pairing()


class _Pairer:
    def __init__(self, old: CompiledDesign, new: CompiledDesign) -> None:
        self.old, self.new = sides(old), sides(new)
        self.points = _points(old)
        for axis, points in _points(new).items():
            self.points[axis] = self.points.get(axis, {}) | points
        self.labels = {
            side: _labels(design, side)
            for design, variants in ((old, self.old), (new, self.new))
            for side in variants
        }
        self.axes = sorted({name for labels in self.labels.values() for name in labels})
        self.factors = sorted({*_factors(old), *_factors(new)})

    def pairing(self) -> Pairing:
        pairs = _matched(self.old, self.new, lambda s: (s.variant.frame.name, self._choices(s)))
        paired = {side for pair in pairs for side in pair}
        rest = [[s for s in variants if s not in paired] for variants in (self.old, self.new)]
        pairs += _matched(rest[0], rest[1], lambda s: (self._choices(s), self._shown(s)))
        paired = {side for pair in pairs for side in pair}
        places = {side: i for i, side in enumerate(self.new)}
        pairs.sort(key=lambda pair: places[pair[1]])
        return Pairing(
            tuple(self._pair(one, other) for one, other in pairs),
            tuple(side for side in self.old if side not in paired),
            tuple(side for side in self.new if side not in paired),
        )

    def _choices(self, side: DesignVariant) -> Labels:
        """Return the label of a variant on every axis that either design has."""
        labels = self.labels[side]
        return tuple(labels.get(x) or self._implied(x, side.predicted) for x in self.axes)

    def _implied(self, axis: str, items: Sequence[Values]) -> str | None:
        """Return the only point of an axis that holds in all of some items, or None."""
        holding = [
            label
            for label, assigned in self.points.get(axis, {}).items()
            if all(item.get(v) == value for item in items for v, value in assigned.items())
        ]
        return holding[0] if len(holding) == 1 else None

    def _cell(self, side: DesignVariant, number: int) -> tuple[str, Labels]:
        cell = side.cells[number]
        if cell.role != "cell":
            return cell.role, (cell.label,)
        factors, values = dict(cell.factors), [side.settings[number]]
        return "cell", tuple(factors.get(x) or self._implied(x, values) for x in self.factors)

    def _shown(self, side: DesignVariant) -> frozenset[object]:
        """Return the cells of a variant with their templates, without the name of its frame."""
        return frozenset((self._cell(side, i), template(cell)) for i, cell in enumerate(side.cells))

    def _pair(self, old: DesignVariant, new: DesignVariant) -> VariantPair:
        numbers = [range(len(side.cells)) for side in (old, new)]
        keys = [{i: self._cell(s, i) for i in n} for s, n in zip((old, new), numbers, strict=True)]
        places = {key: i for i, key in keys[0].items()}
        cells = tuple(SharedCell(places[key], j) for j, key in keys[1].items() if key in places)
        both = {pair.old for pair in cells}, {pair.new for pair in cells}
        return VariantPair(
            old,
            new,
            cells,
            tuple(i for i in numbers[0] if i not in both[0]),
            tuple(j for j in numbers[1] if j not in both[1]),
        )


def same_template(old: Cell, new: Cell) -> bool:
    """Return whether two cells have the same words but for lexemes and words that are chosen."""
    if len(old.item.words) != len(new.item.words):
        return False
    return all(map(_same_piece, old.item.words, new.item.words))


def template_change(old: Cell, new: Cell) -> tuple[str, str]:
    """Return where two cells' templates differ, with a word to the left and to the right."""
    words = [[piece_template(placed) for placed in cell.item.words] for cell in (old, new)]
    shorter = min(map(len, words))
    start = end = 0
    while start < shorter and words[0][start] == words[1][start]:
        start += 1
    while end < shorter - start and words[0][-1 - end] == words[1][-1 - end]:
        end += 1
    start, end = max(start - 1, 0), max(end - 1, 0)
    before, after = "… " * (start > 0), " …" * (end > 0)
    cut = [" ".join(pieces[start : len(pieces) - end]) for pieces in words]
    return before + cut[0] + after, before + cut[1] + after


def _same_piece(old: Placed, new: Placed) -> bool:
    chosen = isinstance(old.word, OneOf) or isinstance(new.word, OneOf)
    if chosen and not (isinstance(old.word, Lexical) or isinstance(new.word, Lexical)):
        names = [placed.object.name if placed.object else "" for placed in (old, new)]
        return names[0] == names[1]
    return piece_template(old) == piece_template(new)


def _factors(design: CompiledDesign) -> list[str]:
    made = design.design
    return [axis.name for axis in made.factors] if isinstance(made, g.Paradigm) else []


def _labels(design: CompiledDesign, side: DesignVariant) -> dict[str, str]:
    """Return the choices of a variant, with the orders of cycles that have only one."""
    cycles = design.design.cycles if isinstance(design.design, g.Matrix) else ()
    orders = {
        cycle.axis.name: " ".join(point.label for point in order)
        for cycle, order in zip(cycles, side.variant.orders, strict=True)
    }
    return orders | dict(side.variant.choices)


def _points(design: CompiledDesign) -> dict[str, dict[str, Values]]:
    """Return the values that the points of each factor, free choice and lexical feature assign."""
    axes = [*design.design.varying]
    if isinstance(design.design, g.Paradigm):
        axes += design.design.factors
    points_of: dict[str, dict[str, Values]] = {
        axis.name: {p.label: {str(v): x for v, x in p.assignment} for p in axis.points}
        for axis in axes
    }
    lexical = {
        (str(v), x) for variant, _ in design.cells for v, x in variant.given.items() if v.lexical
    }
    for name, value in sorted(lexical):
        points_of.setdefault(name, {}).setdefault(value, {name: value})
    return points_of


def _matched(
    old: Iterable[DesignVariant],
    new: Iterable[DesignVariant],
    key: Callable[[DesignVariant], object],
) -> list[tuple[DesignVariant, DesignVariant]]:
    """Return the pairs of variants with equal keys, where only one variant of each has the key."""
    groups: dict[object, tuple[list[DesignVariant], list[DesignVariant]]] = {}
    for hand, variants in enumerate((old, new)):
        for side in variants:
            groups.setdefault(key(side), ([], []))[hand].append(side)
    return [
        (ones[0], others[0]) for ones, others in groups.values() if len(ones) == len(others) == 1
    ]
