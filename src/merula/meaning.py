"""What a grammar means, without any lexicon: settings, rules, edits, cells.

Slow and obvious on purpose. A design has few cells, whatever the number of lexemes, so the
compiler and the reference interpreter both stand on this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from merula import grammar as g
from merula.language.source import Span

LETTERS = ("E", "I", "R")
CORRECT = "Correct"


class NoSense(Exception):
    """An edit cannot be done to this item; the message says why."""


class Circular(Exception):
    """Attributes that determine each other in a circle."""

    def __init__(self, variables: Sequence[g.Variable], rule: g.Rule) -> None:
        super().__init__(variables)
        self.variables, self.rule = variables, rule


# --- settings ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solved:
    """A total setting; ``determined`` are the variables that a rule gave their value."""

    values: Mapping[g.Variable, str]
    determined: frozenset[g.Variable]


def solve(
    grammar: g.Grammar,
    given: Mapping[g.Variable, str],
    pinned: Mapping[g.Variable, str] | None = None,
) -> Solved:
    """Give every variable its value: pinned, given, fixed, by a rule, or its first value.

    An attribute of an absent object has no value and is left out.
    """
    return _Solver(grammar, given, pinned or {}).run()


class _Solver:
    def __init__(
        self,
        grammar: g.Grammar,
        given: Mapping[g.Variable, str],
        pinned: Mapping[g.Variable, str],
    ) -> None:
        self.grammar, self.given, self.pinned = grammar, given, pinned
        self.values: dict[g.Variable, str | None] = {}
        self.determined: set[g.Variable] = set()
        self.open: list[g.Variable] = []
        self.equations: dict[g.Variable, list[g.Equation]] = {}
        for equation in in_force(grammar, frozenset(given)):
            self.equations.setdefault(equation.target, []).append(equation)

    def run(self) -> Solved:
        for variable in self.grammar.variables.values():
            self.value(variable)
        known = {v: value for v, value in self.values.items() if value is not None}
        return Solved(known, frozenset(self.determined))

    def value(self, variable: g.Variable) -> str | None:
        if variable in self.values:
            return self.values[variable]
        if variable in self.open:
            circle = self.open[self.open.index(variable) :]
            raise Circular(circle, self.equations[variable][0].rule)
        self.open.append(variable)
        self.values[variable] = result = self._value(variable)
        self.open.pop()
        return result

    def _value(self, variable: g.Variable) -> str | None:
        own = self.grammar.own(variable.object)
        if own is not None and own is not variable and self.value(own) == g.ABSENT:
            return None
        if variable in self.pinned:
            return self.pinned[variable]
        if variable in self.given:
            return self.given[variable]
        for equation in () if variable.fixed else self.equations.get(variable, ()):
            if all((self.test(t) is True) is wanted for t, wanted in equation.conditions):
                source = equation.source
                result = source if isinstance(source, str) else self.value(source)
                if result is not None:
                    self.determined.add(variable)
                    return result
        return variable.default or None

    def test(self, test: g.Test) -> bool | None:
        return evaluate(test, self.value)


@lru_cache(maxsize=256)
def in_force(grammar: g.Grammar, known: frozenset[g.Variable]) -> tuple[g.Equation, ...]:
    """The equations that determine something where the variables ``known`` are given.

    Of ``a = b`` that is the left side, or the right one if the left is known. Between an
    attribute and a lexical feature the attribute follows the lexeme; if the attribute is known,
    a fitting lexeme is chosen.
    """
    found = []
    for equation in grammar.equations:
        target, source = equation.target, equation.source
        if target in known or target.fixed or _needs_places(equation):
            continue
        if isinstance(source, g.Variable):
            source_known = source in known or source.fixed
            if target.lexical != source.lexical:
                applies = source_known if target.lexical else True
            else:
                applies = source_known if equation.reverse else True
            if not applies:
                continue
        found.append(equation)
    return tuple(found)


def _needs_places(equation: g.Equation) -> bool:
    return any(_has_within(test) for test, _ in equation.conditions)


def _has_within(test: g.Test) -> bool:
    match test:
        case g.Within():
            return True
        case g.Not(test=inner):
            return _has_within(inner)
        case g.All(tests=tests) | g.Any_(tests=tests):
            return any(_has_within(t) for t in tests)
        case g.Choice(condition=c, consequence=t, alternative=a):
            return any(_has_within(x) for x in (c, t, a) if x is not None)
        case _:
            return False


# --- tests ---------------------------------------------------------------------------------

Getter = Callable[[g.Variable], str | None]
Places = Mapping[g.Object, tuple[str, ...]]


def evaluate(test: g.Test, get: Getter, places: Places | None = None) -> bool | None:
    """Whether a test holds: True, False, or None where it asks about an absent object.

    ``places`` are the constituents around each object that stands in the sentence.
    """
    match test:
        case g.Is(variable=variable, values=values):
            value = get(variable)
            return None if value is None else value in values
        case g.Same(variable=variable, other=other):
            value, wanted = get(variable), get(other)
            return None if value is None or wanted is None else value == wanted
        case g.Within(object=item, place=place):
            name = place if isinstance(place, str) else get(place)
            around = (places or {}).get(item)
            return None if around is None or name is None else name in around
        case g.Not(test=inner):
            result = evaluate(inner, get, places)
            return None if result is None else not result
        case g.All(tests=tests):
            results = [evaluate(t, get, places) for t in tests]
            return False if False in results else None if None in results else True
        case g.Any_(tests=tests):
            results = [evaluate(t, get, places) for t in tests]
            return True if True in results else None if None in results else False
        case g.Choice(condition=condition, consequence=then, alternative=otherwise):
            if evaluate(condition, get, places) is True:
                return evaluate(then, get, places)
            return True if otherwise is None else evaluate(otherwise, get, places)
        case g.Ignores():
            return None  # needs what the rules would determine: see `_ignores`


def broken_rules(grammar: g.Grammar, item: Item) -> tuple[str, ...]:
    """The external and internal rules that fail in an item, as ``E agreement``."""
    values, places = item.solved.values, item.places
    failed = []
    for rule in grammar.rules:
        for test in rule.tests:
            if isinstance(test, g.Ignores):
                holds = _ignores(grammar, item, test)
            else:
                holds = evaluate(test, values.get, places)
            if holds is False:
                failed.append(str(rule))
                break
    return tuple(failed)


def _ignores(grammar: g.Grammar, item: Item, test: g.Ignores) -> bool:
    """False iff the variable has not its determined value but an overt attractor's.

    An attractor counts only where it stands in the sentence and differs from what is determined.
    """
    actual = item.solved.values.get(test.variable)
    pinned = {v: x for v, x in item.state.pinned.items() if v is not test.variable}
    wanted = solve(grammar, item.state.given, pinned).values.get(test.variable)
    if actual is None or actual == wanted:
        return True
    overt = (v for v in test.attractors if v.object in item.places)
    return all(item.solved.values.get(v) != actual for v in overt)


# --- placement -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """A place of a sentence: quoted words, or an object, with the constituents around it."""

    text: str
    object: g.Object | None
    inside: tuple[str, ...]


def place(grammar: g.Grammar, frame: g.Frame, state: State, solved: Solved) -> tuple[Leaf, ...]:
    """The leaves of a frame in order, absent objects left out, objects with a site put there."""
    leaves = list(_leaves(grammar, frame.items, solved.values, ()))
    for one, other in state.swaps:
        for i, leaf in enumerate(leaves):
            if leaf.object is one:
                leaves[i] = replace(leaf, object=other)
            elif leaf.object is other:
                leaves[i] = replace(leaf, object=one)
    for item, host, text in state.embeds:
        moved = next(leaf for leaf in leaves if leaf.object is item)
        leaves.remove(moved)
        at = next(i for i, leaf in enumerate(leaves) if leaf.object is host)
        inside = (*leaves[at].inside, host.name)
        new = [Leaf(text, None, inside)] if text else []
        leaves[at + 1 : at + 1] = [*new, replace(moved, inside=inside)]
    return tuple(leaves)


def _leaves(
    grammar: g.Grammar, items: Iterable[g.Item], values: g.Setting, inside: tuple[str, ...]
) -> Iterator[Leaf]:
    for item in items:
        match item:
            case g.Literal(text=text):
                yield Leaf(text, None, inside)
            case g.Reference(object=target):
                if _present(grammar, target, values):
                    yield Leaf("", target, inside)
            case g.Bracket(name=name, items=content):
                yield from _leaves(grammar, content, values, (*inside, name))
            case g.Site(name=name):
                for target in grammar.objects.values():
                    site = grammar.variables.get((target, "site"))
                    if site is not None and values.get(site) == name:
                        yield Leaf("", target, inside)
            case g.Guarded(options=options):
                for guard, content in options:
                    if guard is None or evaluate(guard, values.get) is True:
                        yield from _leaves(grammar, content, values, inside)
                        break


def _present(grammar: g.Grammar, item: g.Object, values: g.Setting) -> bool:
    own = grammar.own(item)
    return own is None or values[own] != g.ABSENT


# --- words ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixed:
    """Words that no lexeme decides."""

    text: str


@dataclass(frozen=True)
class OneOf:
    """One of the words a value carries; the choice is part of the instance."""

    variable: g.Variable
    value: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Lexical:
    """A form of an object's lexeme: of a bundle of values, or of a named column."""

    object: g.Object
    values: tuple[tuple[str, str], ...]
    column: str | None = None


Word = Fixed | OneOf | Lexical


@dataclass(frozen=True)
class Placed:
    """A word with the object it belongs to (a position, where one fills it) and its place."""

    word: Word
    object: g.Object | None
    inside: tuple[str, ...]


def words(
    grammar: g.Grammar, leaves: Iterable[Leaf], state: State, values: g.Setting
) -> Iterator[Placed]:
    """The words of the leaves, in order."""
    for leaf in leaves:
        if leaf.object is None:
            yield Placed(Fixed(leaf.text), None, leaf.inside)
            continue
        for word in _object_words(grammar, leaf.object, state, values):
            yield Placed(word, leaf.object, leaf.inside)


def _object_words(
    grammar: g.Grammar, item: g.Object, state: State, values: g.Setting
) -> Iterator[Word]:
    instead = state.texts.get(item)
    if isinstance(instead, str):
        yield Fixed(instead)
        return
    if isinstance(instead, g.Object):
        item = instead
    carried = list(_carried(grammar, item, state, values))
    if item.position:
        yield from carried
        own = grammar.own(item)
        assert own is not None
        yield from _object_words(grammar, grammar.objects[values[own]], state, values)
    elif carried:
        yield from (word for word in carried if word != Fixed(""))
    else:
        attributes = ((v.attribute, values.get(v)) for v in grammar.by_object[item])
        bundle = tuple((a, value) for a, value in attributes if a and value is not None)
        yield Lexical(item, bundle)


def _carried(
    grammar: g.Grammar, item: g.Object, state: State, values: g.Setting
) -> Iterator[Word]:
    """The words that values bring: those of the last variable that has any for its value."""
    found: Word | None = None
    for variable in grammar.by_object[item]:
        value = values.get(variable)
        instead = state.texts.get(variable)
        if isinstance(instead, str):
            found = Fixed(instead)
        elif value is not None and value in variable.words:
            found = _word(variable, value, variable.words[value])
    if found is not None and not (item.position and found == Fixed("")):
        yield found


def _word(variable: g.Variable, value: str, options: Sequence[str | g.ColumnWord]) -> Word:
    first = options[0]
    if isinstance(first, g.ColumnWord):
        return Lexical(first.object, (), first.column)
    if len(options) == 1:
        return Fixed(first)
    return OneOf(variable, value, tuple(x for x in options if isinstance(x, str)))


# --- items and edits -----------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """All that decides an item: what a design gives and what edits changed."""

    given: Mapping[g.Variable, str]
    pinned: Mapping[g.Variable, str] = field(default_factory=dict)
    swaps: tuple[tuple[g.Object, g.Object], ...] = ()
    embeds: tuple[tuple[g.Object, g.Object, str | None], ...] = ()
    texts: Mapping[g.Object | g.Variable, str | g.Object] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One sentence of a design before any lexeme is chosen."""

    state: State
    solved: Solved
    words: tuple[Placed, ...]
    places: Places


def realise(grammar: g.Grammar, frame: g.Frame, state: State) -> Item:
    """The item of a state in a frame."""
    solved = solve(grammar, state.given, state.pinned)
    leaves = place(grammar, frame, state, solved)
    placed = tuple(words(grammar, leaves, state, solved.values))
    places: dict[g.Object, tuple[str, ...]] = {}
    for leaf in leaves:
        if leaf.object is None:
            continue
        places[leaf.object] = (*places.get(leaf.object, ()), *leaf.inside)
        own = grammar.own(leaf.object)
        if leaf.object.position and own is not None:
            places[grammar.objects[solved.values[own]]] = leaf.inside
    return Item(state, solved, placed, places)


def apply(grammar: g.Grammar, frame: g.Frame, edits: g.Edits, item: Item) -> Item:
    """The item after some edits; raises `NoSense` where one cannot be done."""
    kept = {}
    for variable in edits.keeping:
        if variable not in item.solved.values:
            raise NoSense(f"there is no `{variable}` to keep")
        kept[variable] = item.solved.values[variable]
    state = replace(item.state, pinned={**item.state.pinned, **kept})
    for edit in edits.edits:
        item = realise(grammar, frame, state)
        state = _edit(grammar, edit, item)
    return realise(grammar, frame, state)


def _edit(grammar: g.Grammar, edit: g.Edit, item: Item) -> State:
    state, values = item.state, item.solved.values
    match edit:
        case g.Flip(variable=variable):
            value = _defined(variable, values)
            others = [v for v in variable.values if v != value]
            if len(others) != 1:
                raise NoSense(f"`{variable}` has no single other value than {value}")
            return _assign(item, {variable: others[0]})
        case g.Assign(point=point, variable=variable, source=source):
            if point is not None:
                own = grammar.own(variable.object)
                assigned = dict(point.assignment)
                if variable is not own and own not in assigned:
                    _defined(variable, values)
                return _assign(item, assigned)
            assert source is not None
            _defined(variable, values)
            return _assign(item, {variable: _defined(source, values)})
        case g.Add(object=target, like=like):
            return _add(grammar, item, target, like)
        case g.Drop(object=target):
            own = grammar.own(target)
            assert own is not None
            if values[own] == g.ABSENT:
                raise NoSense(f"`{target.name}` is absent already")
            return _assign(item, {own: g.ABSENT})
        case g.SwapValues(first=first, second=second):
            one, other = _defined(first, values), _defined(second, values)
            for variable, value in ((first, other), (second, one)):
                if value not in variable.values:
                    raise NoSense(f"`{variable}` cannot be {value}")
            return _assign(item, {first: other, second: one})
        case g.SwapPlaces(first=one_object, second=other_object):
            _overt(one_object, item)
            _overt(other_object, item)
            return replace(state, swaps=(*state.swaps, (one_object, other_object)))
        case g.Replace(target=target, text=text, other=other_target):
            if isinstance(target, g.Object):
                _overt(target, item)
            else:
                _overt(target.object, item)
            instead = text if other_target is None else other_target
            assert instead is not None
            return replace(state, texts={**state.texts, target: instead})
        case g.Embed(object=target, host=host, text=text):
            _overt(target, item)
            _overt(host, item)
            return replace(state, embeds=(*state.embeds, (target, host, text)))


def _assign(item: Item, assigned: Mapping[g.Variable, str]) -> State:
    """Give variables values: a determined one is pinned (its rule may break), a free one given."""
    given, pinned = dict(item.state.given), dict(item.state.pinned)
    for variable, value in assigned.items():
        free = variable not in item.solved.determined and variable not in pinned
        (given if free else pinned)[variable] = value
    return replace(item.state, given=given, pinned=pinned)


def _add(grammar: g.Grammar, item: Item, target: g.Object, like: g.Object | None) -> State:
    values = item.solved.values
    own = grammar.own(target)
    assert own is not None
    if values[own] != g.ABSENT:
        raise NoSense(f"`{target.name}` is there already")
    kinds = [v for v in own.values if v != g.ABSENT]
    assigned = {own: kinds[0]}
    if like is not None:
        model = grammar.own(like)
        if model is not None:
            if values[model] == g.ABSENT:
                raise NoSense(f"there is no `{like.name}` to be like")
            if values[model] in kinds:
                assigned[own] = values[model]
        for variable in grammar.by_object[target]:
            twin = grammar.variables.get((like, variable.attribute))
            if variable.attribute and variable.attribute != "site" and twin in values:
                assigned[variable] = values[twin]
    return _assign(item, assigned)


def _defined(variable: g.Variable, values: g.Setting) -> str:
    if variable not in values:
        raise NoSense(f"there is no `{variable.object.name}`")
    return values[variable]


def _overt(target: g.Object, item: Item) -> None:
    if target not in item.places:
        raise NoSense(f"there is no `{target.name}`")


# --- designs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """One way a design can run: a frame, the cycles' orders, the free choices."""

    frame: g.Frame
    choices: tuple[tuple[str, str], ...]  # axis or cycle name, what was chosen
    given: Mapping[g.Variable, str]
    orders: tuple[tuple[g.Point, ...], ...] = ()


@dataclass(frozen=True)
class Cell:
    """A labelled item: a paradigm's cell, a matrix's context item, or an answer.

    ``broken`` are all rules that fail in it (``E agreement``, ``R n1.number``); ``letter`` is
    the class printed for a wrong answer, empty where nothing is broken.
    """

    role: str  # "cell", "context" or "answer"
    label: str
    factors: tuple[tuple[str, str], ...]
    item: Item
    broken: tuple[str, ...]
    letter: str

    @property
    def acceptable(self) -> bool:
        """Whether no external or internal rule fails."""
        return not any(rule[0] in "EI" for rule in self.broken)


@dataclass(frozen=True)
class Senseless:
    """An answer none of whose edits can be done in some variant."""

    answer: g.Answer
    variant: Variant
    reasons: tuple[str, ...]
    span: Span


def lexical_choices(grammar: g.Grammar, design: g.Design) -> tuple[g.Variable, ...]:
    """Lexical features that rules read and nothing determines: a variant for each value."""
    known = frozenset(_assigned(grammar, design))
    targets = {equation.target for equation in in_force(grammar, known)}
    return tuple(
        v
        for v in grammar.variables.values()
        if v.lexical and v.values and v not in known and v not in targets
    )


def _explicit(design: g.Design) -> set[g.Variable]:
    """The variables that a design gives a value somewhere."""
    axes = [*design.varying]
    if isinstance(design, g.Paradigm):
        axes += design.factors
    else:
        axes += [cycle.axis for cycle in design.cycles]
    points = [point for axis in axes for point in axis.points]
    if isinstance(design, g.Matrix):
        points += [point for row in design.rows for point in row]
    found = {variable for point in points for variable, _ in point.assignment}
    return found | {variable for variable, _ in design.fixings}


def _assigned(grammar: g.Grammar, design: g.Design) -> set[g.Variable]:
    explicit = _explicit(design)
    return explicit | {own for own, _ in _implied(grammar, explicit)}


def _implied(
    grammar: g.Grammar, assigned: Iterable[g.Variable]
) -> Iterator[tuple[g.Variable, str]]:
    """An optional object whose attribute a design gives is there, unless that is given too."""
    known = set(assigned)
    for variable in list(known):
        own = grammar.own(variable.object)
        if own is not None and own not in known and g.PRESENT in own.values:
            yield own, g.PRESENT


def variants(grammar: g.Grammar, design: g.Design) -> Iterator[Variant]:
    """All variants of a design, in a fixed order: frames, cycles, free choices, lexical features."""
    base = dict(_implied(grammar, _explicit(design)))
    base.update(design.fixings)
    cycles = design.cycles if isinstance(design, g.Matrix) else ()
    lexical = lexical_choices(grammar, design)
    free = [axis.points for axis in design.varying]
    features = [tuple(g.Point(x, ((v, x),)) for x in v.values) for v in lexical]
    names = [*(axis.name for axis in design.varying), *(str(v) for v in lexical)]
    for frame in design.frames:
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
    """The cells of a variant in order; for a matrix the context, the right answer, the others."""
    if isinstance(design, g.Paradigm):
        return tuple(_paradigm_cells(grammar, design, variant)), ()
    return _matrix_cells(grammar, design, variant)


def _paradigm_cells(
    grammar: g.Grammar, design: g.Paradigm, variant: Variant
) -> Iterator[Cell]:
    for points in product(*(axis.points for axis in design.factors)):
        given = {**variant.given, **dict(pair for p in points for pair in p.assignment)}
        item = realise(grammar, variant.frame, State(given))
        broken = broken_rules(grammar, item)
        factors = tuple(
            (axis.name, point.label) for axis, point in zip(design.factors, points, strict=True)
        )
        label = " ".join(point.label for point in points)
        yield Cell("cell", label, factors, item, broken, broken[0][0] if broken else "")


def predicted(
    design: g.Matrix, variant: Variant, place: int
) -> Iterator[tuple[str, g.Point]]:
    """What the operators say of an item (counted from zero): axis names and points."""
    if design.rows:
        for point in design.rows[place]:
            yield str(point.assignment[-1][0]), point
    for cycle, order in zip(design.cycles, variant.orders, strict=True):
        yield cycle.axis.name, order[place // cycle.every % len(order)]


def _matrix_cells(
    grammar: g.Grammar, design: g.Matrix, variant: Variant
) -> tuple[tuple[Cell, ...], tuple[Senseless, ...]]:
    found: list[Cell] = []
    item: Item | None = None
    for place_ in range(design.length):
        points = list(predicted(design, variant, place_))
        given = {**variant.given, **dict(x for _, p in points for x in p.assignment)}
        item = realise(grammar, variant.frame, State(given))
        factors = tuple((name, point.label) for name, point in points)
        last = place_ == design.length - 1
        broken = broken_rules(grammar, item)
        label = CORRECT if last else str(place_ + 1)
        role = "answer" if last else "context"
        found.append(Cell(role, label, factors, item, broken, broken[0][0] if broken else ""))
    assert item is not None
    senseless = []
    filed = {
        variable: cycle.letter
        for cycle in design.cycles
        for point in cycle.axis.points
        for variable, _ in point.assignment
    }
    for answer in design.answers:
        try:
            wrong = _first_sensible(grammar, variant.frame, answer, item)
        except NoSense as error:
            reasons = tuple(str(reason) for reason in error.args)
            senseless.append(Senseless(answer, variant, reasons, answer.span))
            continue
        broken = (*broken_rules(grammar, wrong), *_relational(grammar, item, wrong, filed))
        broken = tuple(sorted(broken, key=lambda rule: LETTERS.index(rule[0])))
        letter = answer.counts_as or (broken[0][0] if broken else "")
        found.append(Cell("answer", answer.label, (), wrong, broken, letter))
    return tuple(found), tuple(senseless)


def _first_sensible(
    grammar: g.Grammar, frame: g.Frame, answer: g.Answer, item: Item
) -> Item:
    reasons = []
    for edits in answer.remedies:
        try:
            return apply(grammar, frame, edits, item)
        except NoSense as error:
            reasons.append(str(error))
    raise NoSense(*reasons)


def _relational(
    grammar: g.Grammar, right: Item, wrong: Item, filed: Mapping[g.Variable, str]
) -> Iterator[str]:
    """Where an answer differs from what its operators predict; unmentioned attributes are constant.

    Values that a rule determines are the rule's business, not the operators'.
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
