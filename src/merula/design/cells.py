"""What a grammar means, without any lexicon: the variants of its designs and their cells.

A design goes in; its variants come out (`variants`), and the cells of each with their labels
(`cells`), for a matrix with the wrong answers that cannot be made and why. The compiler and the
reference interpreter of the tests both rest on this module, `merula.design.placement` and
`merula.design.settings`. Labels are derived from rules and settings, never taken from the author.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from itertools import product

from merula.core.frozen import frozen
from merula.core.source import Span
from merula.design.acceptability import broken_rules, contested, scopes
from merula.design.edits import apply
from merula.design.leaves import objects_in
from merula.design.placement import Item, NoSense, State, piece_template, realise
from merula.design.settings import in_force
from merula.grammar import model as g
from merula.grammar.conditions import evaluate, parts


@frozen
class Variant:
    """One way a design can run: a frame, the cycles' orders, the free choices."""

    frame: g.Frame
    choices: tuple[tuple[str, str], ...]  # axis or cycle name, what was chosen
    given: Mapping[g.Variable, str] = field(compare=False)  # what follows from these
    orders: tuple[tuple[g.Point, ...], ...] = ()

    @property
    def title(self) -> str:
        """The frame and what is chosen: ``active · subj.number sg``."""
        return " · ".join([self.frame.name, *(f"{name} {x}" for name, x in self.choices)])


@frozen
class Cell:
    """A labelled item: a paradigm's cell, a matrix's context item, or an answer.

    ``broken`` are all rules that fail in it (``E agreement``, ``R n1.number``); ``letter`` is
    the class printed for a wrong answer, empty where nothing is broken. ``scopes`` says of the
    objects whose place a rule asks about whether they are ``in`` or ``out``; ``contested`` on what
    grounds the cell has no label; ``acceptable`` whether no external and no internal rule fails.
    An answer that only differs from its operators is acceptable, also where they are filed under I.
    """

    role: str  # "cell", "context" or "answer"
    label: str
    factors: tuple[tuple[str, str], ...]
    item: Item
    broken: tuple[str, ...]
    letter: str
    scopes: tuple[tuple[str, str], ...] = ()
    contested: tuple[str, ...] = ()
    acceptable: bool = True


def template(cell: Cell) -> str:
    """Return a cell without its lexemes: ``subj[sg] n1[pp sg] verb[sg]``."""
    return " ".join(map(piece_template, cell.item.words))


def cell_name(design: g.Design, cell: Cell) -> str:
    """Return a cell's name in messages: ``the cell `sg pl` of numbers``, ``item 3 of early``."""
    if cell.label == g.CORRECT:
        return f"the right answer of {design.name}"
    if cell.role == "context":
        return f"item {cell.label} of {design.name}"
    return f"the {cell.role} `{cell.label}` of {design.name}"


@frozen
class Senseless:
    """An answer none of whose edits can be done in some variant."""

    answer: g.Answer
    variant: Variant
    reasons: tuple[str, ...]
    span: Span


def lexical_choices(grammar: g.Grammar, design: g.Design, frame: g.Frame) -> tuple[g.Variable, ...]:
    """Return the lexical features that rules read and nothing determines: each makes variants.

    Only those of objects that can be in the frame, since no other shows.
    """
    given = frozenset(_assigned(grammar, design))
    targets = {equation.target for equation in in_force(grammar, given)}
    objects = objects_in(grammar, frame.items)
    return tuple(
        v
        for v in grammar.variables.values()
        if v.lexical and v.values and v not in given and v not in targets and v.object in objects
    )


def shared_values(grammar: g.Grammar, feature: g.Variable) -> tuple[str, ...]:
    """Return the values of a lexical feature that every attribute that follows it can take."""
    followers = [e.target for e in grammar.equations if e.source is feature]
    return tuple(
        value
        for value in feature.values
        if all(value in v.values for v in followers if not v.lexical)
    )


def _explicit(design: g.Design) -> set[g.Variable]:
    """Return the variables that a design gives a value somewhere."""
    axes = [*design.varying]
    if isinstance(design, g.Paradigm):
        axes += design.factors
    else:
        axes += [cycle.axis for cycle in design.cycles]
    points = [point for axis in axes for point in axis.points]
    if isinstance(design, g.Matrix):
        points += [point for row in design.rows for point in row]
    assigned = {variable for point in points for variable, _ in point.assignment}
    return assigned | {variable for variable, _ in design.fixings}


def _assigned(grammar: g.Grammar, design: g.Design) -> set[g.Variable]:
    explicit = _explicit(design)
    return explicit | {own for own, _ in _implied(grammar, explicit)}


def _implied(
    grammar: g.Grammar, assigned: Iterable[g.Variable]
) -> Iterator[tuple[g.Variable, str]]:
    """Yield that an optional object is present whose attribute a design gives, unless given too."""
    known = set(assigned)
    for variable in list(known):
        presence = grammar.own(variable.object)
        if presence is not None and presence not in known and g.PRESENT in presence.values:
            yield presence, g.PRESENT


def variants(grammar: g.Grammar, design: g.Design) -> Iterator[Variant]:
    """Yield all variants, in a fixed order: frames, cycles, free choices, lexical features."""
    base = dict(_implied(grammar, _explicit(design)))
    base.update(design.fixings)
    cycles = design.cycles if isinstance(design, g.Matrix) else ()
    free = [axis.points for axis in design.varying]
    for frame in design.frames:
        lexical = lexical_choices(grammar, design, frame)
        features = [
            tuple(g.Point(x, ((v, x),)) for x in shared_values(grammar, v)) for v in lexical
        ]
        names = [*(axis.name for axis in design.varying), *(str(v) for v in lexical)]
        for orders in product(*(cycle.orders for cycle in cycles)):
            starts = tuple(
                (cycle.axis.name, " ".join(point.label for point in order))
                for cycle, order in zip(cycles, orders, strict=True)
                if len(cycle.orders) > 1
            )
            for points in product(*free, *features):
                given = {**base, **dict(pair for p in points for pair in p.assignment)}
                chosen = tuple((n, p.label) for n, p in zip(names, points, strict=True))
                yield Variant(frame, (*starts, *chosen), given, orders)


def cells(
    grammar: g.Grammar, design: g.Design, variant: Variant
) -> tuple[tuple[Cell, ...], tuple[Senseless, ...]]:
    """Return the cells of a variant in order; for a matrix context, right answer, wrong answers."""
    if isinstance(design, g.Paradigm):
        return tuple(_paradigm_cells(grammar, design, variant)), ()
    return _matrix_cells(grammar, design, variant)


_Given = tuple[tuple[g.Variable, str], ...]


@lru_cache(maxsize=2_000)
def _read(grammar: g.Grammar, frame: g.Frame, given: _Given) -> tuple[Item, tuple[str, ...]]:
    """Return an item and the rules that fail in it, found once for all variants that show it."""
    item = realise(grammar, frame, State(dict(given)))
    return item, broken_rules(grammar, item)


def _given(variant: Variant, points: Iterable[g.Point]) -> _Given:
    assigned = (pair for point in points for pair in point.assignment)
    return tuple({**variant.given, **dict(assigned)}.items())


def crossed(design: g.Paradigm, given: Mapping[g.Variable, str]) -> Iterator[tuple[g.Point, ...]]:
    """Yield the combinations of a paradigm's factors that may be cells of it.

    Where the values of the factors and those ``given`` already make its `where` false, a
    combination is left out here; of the others, only the whole setting tells.
    """
    where = design.where.test if design.where is not None else None
    # a choice is true where its condition is undecided, so it may turn false later on
    early = where is not None and not any(isinstance(x, g.Choice) for x in parts(where))
    for points in product(*(axis.points for axis in design.factors)):
        if early and where is not None:
            known = {**given, **dict(pair for point in points for pair in point.assignment)}
            if evaluate(where, known.get) is False:
                continue
        yield points


def _paradigm_cells(grammar: g.Grammar, design: g.Paradigm, variant: Variant) -> Iterator[Cell]:
    for points in crossed(design, variant.given):
        item, broken = _read(grammar, variant.frame, _given(variant, points))
        where = design.where
        if where and evaluate(where.test, item.values.get, item.places.get) is not True:
            continue
        factors = tuple(
            (axis.name, point.label) for axis, point in zip(design.factors, points, strict=True)
        )
        label = " ".join(point.label for point in points)
        letter = broken[0][0] if broken else ""
        judged = scopes(grammar, item), contested(grammar, item), not broken
        yield Cell("cell", label, factors, item, broken, letter, *judged)


def predicted(design: g.Matrix, variant: Variant, place: int) -> Iterator[tuple[str, g.Point]]:
    """Yield the axes and points that the operators give an item, which is counted from zero."""
    if design.rows:
        for point in design.rows[place]:
            yield str(point.assignment[-1][0]), point
    for cycle, order in zip(design.cycles, variant.orders, strict=True):
        yield cycle.axis.name, order[place // cycle.every % len(order)]


def _matrix_cells(
    grammar: g.Grammar, design: g.Matrix, variant: Variant
) -> tuple[tuple[Cell, ...], tuple[Senseless, ...]]:
    made: list[Cell] = []
    item: Item | None = None
    for place_ in range(design.length):
        predictions = list(predicted(design, variant, place_))
        given = _given(variant, (point for _, point in predictions))
        item, broken = _read(grammar, variant.frame, given)
        factors = tuple((name, point.label) for name, point in predictions)
        last = place_ == design.length - 1
        label = g.CORRECT if last else str(place_ + 1)
        role = "answer" if last else "context"
        letter = broken[0][0] if broken else ""
        why = contested(grammar, item)
        made.append(Cell(role, label, factors, item, broken, letter, (), why, not broken))
    assert item is not None
    senseless = []
    unshown = tuple(unshown_points(design, variant))
    for answer, wrong in _wrong_answers(grammar, design, variant.frame, item, unshown):
        if isinstance(wrong, Cell):
            made.append(wrong)
        else:
            senseless.append(Senseless(answer, variant, wrong, answer.span))
    return tuple(made), tuple(senseless)


@lru_cache(maxsize=2_000)
def _wrong_answers(
    grammar: g.Grammar, design: g.Matrix, frame: g.Frame, right: Item, unshown: Unshown
) -> tuple[tuple[g.Answer, Cell | tuple[str, ...]], ...]:
    """Return the wrong answers beside a right one, or of each why it cannot be made."""
    filed = {
        variable: cycle.letter
        for cycle in design.cycles
        for point in cycle.axis.points
        for variable, _ in point.assignment
    }
    made: list[tuple[g.Answer, Cell | tuple[str, ...]]] = []
    for answer in design.answers:
        try:
            wrong = edited(grammar, frame, answer.steps, right, unshown)
        except NoSense as error:
            made.append((answer, tuple(str(reason) for reason in error.args)))
            continue
        rules = broken_rules(grammar, wrong)
        broken = (*rules, *_relational(grammar, right, wrong, filed))
        broken = tuple(sorted(broken, key=lambda rule: g.LETTERS.index(rule[0])))
        letter = answer.counts_as or (broken[0][0] if broken else "")
        why = contested(grammar, wrong)
        cell = Cell("answer", answer.label, (), wrong, broken, letter, (), why, not rules)
        made.append((answer, cell))
    return tuple(made)


Unshown = tuple[tuple[str, g.Point], ...]  # a cycle's name, the one value that it shows nowhere


def unshown_points(design: g.Matrix, variant: Variant) -> Iterator[tuple[str, g.Point]]:
    """Yield the cycles of a variant that show all their values but one, with that value."""
    for cycle, order in zip(design.cycles, variant.orders, strict=True):
        shown = {order[i // cycle.every % len(order)] for i in range(design.length)}
        rest = [point for point in cycle.axis.points if point not in shown]
        if len(rest) == 1:
            yield cycle.axis.name, rest[0]


def edited(
    grammar: g.Grammar,
    frame: g.Frame,
    steps: Iterable[tuple[g.Edits, ...]],
    item: Item,
    unshown: Unshown,
) -> Item:
    """Return an item after some steps, of each the first remedy that has a sense.

    Raises `NoSense` where no remedy of a step has one.
    """
    for remedies in steps:
        item = _first_sensible(grammar, frame, remedies, item, dict(unshown))
    return item


def _first_sensible(
    grammar: g.Grammar,
    frame: g.Frame,
    remedies: Iterable[g.Edits],
    item: Item,
    unshown: Mapping[str, g.Point],
) -> Item:
    reasons = []
    for edits in remedies:
        try:
            return apply(grammar, frame, _settled(edits, unshown), item)
        except NoSense as error:
            reasons.append(str(error))
    raise NoSense(*reasons)


def _settled(edits: g.Edits, unshown: Mapping[str, g.Point]) -> g.Edits:
    """Return edits with the value that is unshown in this variant, where they ask for it."""
    settled: list[g.Edit] = []
    for edit in edits.edits:
        if isinstance(edit, g.Unshown) and edit.name in unshown:
            point = unshown[edit.name]
            settled.append(g.Assign(point, point.assignment[-1][0], None, edit.span))
        else:
            settled.append(edit)
    return g.Edits(tuple(settled), edits.keeping, edits.span)


def _relational(
    grammar: g.Grammar, right: Item, wrong: Item, filed: Mapping[g.Variable, str]
) -> Iterator[str]:
    """Yield where an answer differs from what its operators predict.

    Attributes that no operator mentions are constant. Values that a rule determines are the rule's
    business, not the operators'.
    """
    before, after = right.solved, wrong.solved
    for variable in grammar.variables.values():
        if variable in before.determined or variable.lexical:
            continue
        old, new = before.values.get(variable), after.values.get(variable)
        if old is not None and new is not None and old != new:
            yield f"{filed.get(variable, 'R')} {variable}"
    if (right.state.swaps, right.state.embeds) != (wrong.state.swaps, wrong.state.embeds):
        yield "R order"
    if right.state.texts != wrong.state.texts:
        yield "R words"
