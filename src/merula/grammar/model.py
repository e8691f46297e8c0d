"""A resolved grammar: no name is a string any more, every rule has a type.

`merula.grammar.resolve` makes it, and every later stage reads it. Invariants: every `Variable`
belongs to an `Object` of the same grammar; a value of a test, an axis or an edit is among the
values of its variable; frames hold no frames (they are inlined); nothing here knows a table row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from merula.core.frozen import frozen
from merula.core.source import Source, Span
from merula.language import syntax

ABSENT = "absent"
PRESENT = "present"
LETTERS = ("E", "I", "R")  # error classes: external, internal, relational
CORRECT = "Correct"  # the label of the right answer


@frozen(eq=False)
class Object:
    """A word, a phrase, or a position that another object fills."""

    name: str
    category: str
    optional: bool
    position: bool
    span: Span

    def __repr__(self) -> str:
        return self.name


@frozen
class ColumnWord:
    """Words read from a column of an object's lexeme (``verb.prep``)."""

    object: Object
    column: str


@frozen(eq=False)
class Variable:
    """Something a setting gives a value: presence or kind of an object, or an attribute of it.

    ``attribute`` is empty for the object's own variable. ``lexical`` marks a feature that
    the lexeme brings along: giving it a value restricts the lexemes.
    """

    object: Object
    attribute: str
    values: tuple[str, ...]
    default: str
    span: Span
    words: Mapping[str, tuple[str | ColumnWord, ...]] = field(default_factory=dict)
    lexical: bool = False
    fixed: bool = False

    def __str__(self) -> str:
        return f"{self.object.name}.{self.attribute}" if self.attribute else self.object.name

    __repr__ = __str__


Setting = Mapping[Variable, str]


# --- tests ---------------------------------------------------------------------------------


@frozen
class Is:
    """The variable has one of the values."""

    variable: Variable
    values: tuple[str, ...]


@frozen
class Same:
    """Two variables have one value."""

    variable: Variable
    other: Variable


@frozen
class Within:
    """An object is in a constituent of a given name, or of the name that a variable has."""

    object: Object
    place: str | Variable


@frozen
class Domain:
    """A constituent ``[licensor.scope …]`` or ``[site.scope …]``, and whether a word opens it.

    It belongs to what is in its owner's place: ``there`` says that the owner is at the
    site, ``opened`` that the word there opens it. None always holds.
    """

    name: str
    there: Is | None
    opened: Is | None


@frozen
class Licensed:
    """An object is in a domain that some word opens, with no barrier between.

    A barrier is a constituent inside the domain and around the object. ``columns`` are the columns
    that tell of words what they open, or where they intervene.
    """

    object: Object
    columns: tuple[str, ...]
    domains: tuple[Domain, ...]
    barriers: tuple[Domain, ...]


@frozen
class Not:
    test: Test


@frozen
class AllOf:
    tests: tuple[Test, ...]


@frozen
class AnyOf:
    tests: tuple[Test, ...]


@frozen
class Choice:
    """``condition -> consequence else alternative``."""

    condition: Test
    consequence: Test
    alternative: Test | None


@frozen
class Ignores:
    """A variable does not have the value of an attractor instead of its determined one."""

    variable: Variable
    attractors: tuple[Variable, ...]


Test = Is | Same | Within | Licensed | Not | AllOf | AnyOf | Choice | Ignores


@frozen
class Equation:
    """``target`` takes a value, or another variable's, wherever the conditions are as wanted."""

    target: Variable
    source: str | Variable
    conditions: tuple[tuple[Test, bool], ...]
    rule: Rule


@frozen(eq=False)
class Rule:
    """A named rule, external (E) or internal (I); without a letter, a test of what is contested."""

    name: str
    letter: str
    doc: str
    tests: tuple[Test, ...]
    span: Span

    def __str__(self) -> str:
        return f"{self.letter} {self.name}".strip()


# --- frames --------------------------------------------------------------------------------


@frozen
class Reference:
    object: Object


@frozen
class Literal:
    text: str


@frozen
class Site:
    name: str


@frozen
class Bracket:
    name: str
    items: tuple[Item, ...]


@frozen
class Guarded:
    """The first option whose guard holds (None always does)."""

    options: tuple[tuple[Test | None, tuple[Item, ...]], ...]


Item = Reference | Literal | Site | Bracket | Guarded


@frozen(eq=False)
class Frame:
    """A sentence pattern without free alternatives; ``name`` counts them off (``main/2``)."""

    name: str
    items: tuple[Item, ...]


# --- selection -----------------------------------------------------------------------------


@frozen
class IsA:
    """Lexemes of ``object`` satisfy an expression, which may name columns of one other object."""

    object: Object
    expression: syntax.Expression
    span: Span


@frozen
class Differ:
    """No two of the objects are the same lexeme."""

    objects: tuple[Object, ...]
    span: Span


@frozen
class Share:
    """One value of a set-valued column fits all the objects."""

    objects: tuple[Object, ...]
    column: str
    span: Span


Selection = IsA | Differ | Share


# --- designs -------------------------------------------------------------------------------


@frozen
class Point:
    """One value of an axis: what to call it and what it assigns."""

    label: str
    assignment: tuple[tuple[Variable, str], ...]


@frozen
class Axis:
    """A dimension of a design (a factor, a cycle's values, a free choice)."""

    name: str
    points: tuple[Point, ...]
    span: Span


@frozen
class Cycle:
    """An operator: ``orders`` are the ordered value selections it can start with."""

    axis: Axis
    orders: tuple[tuple[Point, ...], ...]
    every: int
    letter: str
    span: Span
    every_span: Span


@frozen
class Flip:
    variable: Variable
    span: Span


@frozen
class Unshown:
    """``set n2 = unshown``: the value that the cycle of this name shows in no item."""

    name: str
    span: Span


@frozen
class Assign:
    """``set``: a point of an axis, or the value of another variable."""

    point: Point | None
    variable: Variable
    source: Variable | None
    span: Span


@frozen
class Add:
    object: Object
    like: Object | None
    span: Span


@frozen
class Drop:
    object: Object
    span: Span


@frozen
class SwapValues:
    first: Variable
    second: Variable
    span: Span


@frozen
class SwapPlaces:
    first: Object
    second: Object
    span: Span


@frozen
class Replace:
    """Other words for an object, or for the words that a variable brings."""

    target: Object | Variable
    text: str | None
    other: Object | None
    span: Span


@frozen
class Embed:
    object: Object
    host: Object
    text: str | None
    span: Span


Edit = Flip | Unshown | Assign | Add | Drop | SwapValues | SwapPlaces | Replace | Embed


@frozen
class Edits:
    edits: tuple[Edit, ...]
    keeping: tuple[Variable, ...]
    span: Span


@frozen
class Claim:
    letter: str
    rules: tuple[str, ...]
    span: Span


@frozen(eq=False)
class Answer:
    """A wrong answer: the right one after some steps; of each step the first remedy with a sense.

    A combination of crossed answers has a step for each of them, any other answer has one.
    """

    label: str
    doc: str
    claims: tuple[Claim, ...]
    counts_as: str | None
    steps: tuple[tuple[Edits, ...], ...]
    span: Span


@frozen
class Where:
    """What holds in the cells of a paradigm that is not fully crossed."""

    test: Test
    span: Span

    @property
    def text(self) -> str:
        """The test as it is written, in one line and without comments."""
        return " ".join(re.sub(r"#[^\n]*", "", self.span.text).split())


@frozen(eq=False)
class Paradigm:
    """All combinations of the values of ``factors``, for every frame and every free choice.

    With ``where`` a combination is a cell only if that test is true in its setting.
    """

    name: str
    doc: str
    factors: tuple[Axis, ...]
    frames: tuple[Frame, ...]
    varying: tuple[Axis, ...]
    fixings: tuple[tuple[Variable, str], ...]
    span: Span
    where: Where | None = None


@frozen(eq=False)
class Matrix:
    """Items whose settings follow from cycles or are in a table; the last is the answer."""

    name: str
    doc: str
    frames: tuple[Frame, ...]
    varying: tuple[Axis, ...]
    fixings: tuple[tuple[Variable, str], ...]
    length: int
    cycles: tuple[Cycle, ...]
    rows: tuple[tuple[Point, ...], ...]
    answers: tuple[Answer, ...]
    span: Span
    crossed: bool = False  # whether the answers are all combinations of some


Design = Paradigm | Matrix


@frozen
class Example:
    accept: bool
    text: str
    span: Span


@frozen(eq=False)
class Grammar:
    """One phenomenon: (O, A, E, I, L) with its paradigms, matrices and answer sets."""

    source: Source
    name: str
    doc: str
    language: str
    objects: Mapping[str, Object]
    variables: Mapping[tuple[Object, str], Variable]
    rules: tuple[Rule, ...]
    equations: tuple[Equation, ...]
    contested: tuple[Rule, ...]
    selections: tuple[Selection, ...]
    frames: Mapping[str, tuple[Frame, ...]]
    designs: tuple[Design, ...]
    examples: tuple[Example, ...]

    def own(self, item: Object) -> Variable | None:
        """Return the variable of an object's presence or kind, if it has one."""
        return self.variables.get((item, ""))

    @cached_property
    def by_object(self) -> Mapping[Object, tuple[Variable, ...]]:
        """All variables of every object, in the order they were declared."""
        table: dict[Object, list[Variable]] = {item: [] for item in self.objects.values()}
        for variable in self.variables.values():
            table[variable.object].append(variable)
        return {item: tuple(variables) for item, variables in table.items()}
