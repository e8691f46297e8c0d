"""What in one design is the same as in another: its variants and its cells.

A variant is the same if its frame and all that it chooses are. Where only one of the designs has
an axis (``varying obj.number`` was added), a variant of the other one counts as having the value
that holds in all its items, if one does. Frames that were renamed are known by what they show.

A cell of a paradigm is the same if its factors are, an item or an answer of a matrix if its label
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from merula.compiler.compiled import CompiledDesign
from merula.core.frozen import frozen
from merula.design.cells import Cell, Variant, template
from merula.design.placement import Lexical, OneOf, Placed, piece_template
from merula.grammar import model as g
from merula.plan.planner import Plan

Values = Mapping[str, str]  # of variables, by what they are called
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
        """How many instances it has."""
        return self.plan.count if self.plan is not None else 0

    @property
    def name(self) -> str:
        """Its frame and what it chooses."""
        return self.variant.title

    @cached_property
    def settings(self) -> tuple[Values, ...]:
        """The values of every cell."""
        return tuple({str(v): x for v, x in c.item.solved.values.items()} for c in self.cells)

    @property
    def predicted(self) -> list[Values]:
        """The values of all cells that are no wrong answers."""
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
    """The variants of a design, each with its plan."""
    plans = {id(p.variant): (p, at) for p, at in zip(design.plans, design.starts, strict=True)}
    return [
        DesignVariant(variant, cells, *plans.get(id(variant), (None, 0)))
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
            id(side): _labels(design, side)
            for design, found in ((old, self.old), (new, self.new))
            for side in found
        }
        self.axes = sorted({name for labels in self.labels.values() for name in labels})
        self.factors = sorted({*_factors(old), *_factors(new)})

    def pairing(self) -> Pairing:
        pairs = _matched(self.old, self.new, lambda s: (s.variant.frame.name, self._choices(s)))
        done = {id(side) for pair in pairs for side in pair}
        rest = [[s for s in found if id(s) not in done] for found in (self.old, self.new)]
        pairs += _matched(rest[0], rest[1], lambda s: (self._choices(s), self._shown(s)))
        done = {id(side) for pair in pairs for side in pair}
        places = {id(side): i for i, side in enumerate(self.new)}
        pairs.sort(key=lambda pair: places[id(pair[1])])
        return Pairing(
            tuple(self._pair(one, other) for one, other in pairs),
            tuple(side for side in self.old if id(side) not in done),
            tuple(side for side in self.new if id(side) not in done),
        )

    def _choices(self, side: DesignVariant) -> Labels:
        """The label of a variant on every axis that either design has."""
        own = self.labels[id(side)]
        return tuple(own.get(x) or self._implied(x, side.predicted) for x in self.axes)

    def _implied(self, axis: str, items: Sequence[Values]) -> str | None:
        """The one point of an axis that holds in all of some items."""
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
        own, values = dict(cell.factors), [side.settings[number]]
        return "cell", tuple(own.get(x) or self._implied(x, values) for x in self.factors)

    def _shown(self, side: DesignVariant) -> frozenset[object]:
        """What a variant shows, whatever its frame is called."""
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
    """Whether two cells have the same words but for lexemes and for words that are chosen."""
    if len(old.item.words) != len(new.item.words):
        return False
    return all(map(_same_piece, old.item.words, new.item.words))


def template_change(old: Cell, new: Cell) -> tuple[str, str]:
    """Where the templates of two cells differ, with a word to the left and to the right."""
    words = [[piece_template(placed) for placed in cell.item.words] for cell in (old, new)]
    shorter = min(map(len, words))
    start = end = 0
    while start < shorter and words[0][start] == words[1][start]:
        start += 1
    while end < shorter - start and words[0][-1 - end] == words[1][-1 - end]:
        end += 1
    start, end = max(start - 1, 0), max(end - 1, 0)
    before, after = "… " * (start > 0), " …" * (end > 0)
    cut = [" ".join(found[start : len(found) - end]) for found in words]
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
    """What a variant chooses, the orders of cycles that have only one among it."""
    cycles = design.design.cycles if isinstance(design.design, g.Matrix) else ()
    orders = {
        cycle.axis.name: " ".join(point.label for point in order)
        for cycle, order in zip(cycles, side.variant.orders, strict=True)
    }
    return orders | dict(side.variant.choices)


def _points(design: CompiledDesign) -> dict[str, dict[str, Values]]:
    """What the points of every factor, free choice and lexical feature assign."""
    axes = [*design.design.varying]
    if isinstance(design.design, g.Paradigm):
        axes += design.design.factors
    found: dict[str, dict[str, Values]] = {
        axis.name: {p.label: {str(v): x for v, x in p.assignment} for p in axis.points}
        for axis in axes
    }
    lexical = {
        (str(v), x) for variant, _ in design.cells for v, x in variant.given.items() if v.lexical
    }
    for name, value in sorted(lexical):
        found.setdefault(name, {}).setdefault(value, {name: value})
    return found


def _matched(
    old: Iterable[DesignVariant],
    new: Iterable[DesignVariant],
    key: Callable[[DesignVariant], object],
) -> list[tuple[DesignVariant, DesignVariant]]:
    """The sides of equal keys, where the key is that of one side on either hand."""
    groups: dict[object, tuple[list[DesignVariant], list[DesignVariant]]] = {}
    for hand, found in enumerate((old, new)):
        for side in found:
            groups.setdefault(key(side), ([], []))[hand].append(side)
    return [
        (ones[0], others[0]) for ones, others in groups.values() if len(ones) == len(others) == 1
    ]
