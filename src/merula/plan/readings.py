"""Readings: how the words of a bad cell can be read as a good sentence.

A string is bad only if no reading of it is good. *The sheep run* with a singular subject and a
plural verb breaks agreement, but the same words are good where the subject is plural. A bad item
goes in (`Readings.of`); out come the good items that may be written alike, for some lexemes. The
planner compares what both are written as (`merula.plan.contrast`), and leaves the lexemes out for
which they are one sentence.

Two kinds of items are compared with a bad one. Items of the same frame in which each object has
the same words in the same places, with any values: inside the design or outside it (`of`). And all
good items of the design, whatever their frames and orders of words (`among`).

**How the first kind is found.** A rule that fails can only hold again if a value changes that it
asks about. So the search takes a rule that fails, changes an object that it is about, and goes on
with the rules that fail then, until none does. An object changes only to values whose words may be
the same as its own: *dogs* is plural whatever the rules want, *sheep* may be either. So most
searches end at once. With an agreement rule, the item ``subj[sg] verb[pl]`` and a lexicon with
*sheep* but no verb like that, the search visits two items: the item itself and, good,
``subj[pl] verb[pl]``. What changes more objects than another reading is not looked for: it is
possible for fewer lexemes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, product
from math import prod

from merula.core.diagnostics import Report
from merula.core.frozen import frozen
from merula.design.acceptability import failing
from merula.design.leaves import asked_by_guards
from merula.design.placement import Item, Lexical, NoSense, State, object_words, realise
from merula.design.settings import Circular, in_force
from merula.grammar import model as g
from merula.grammar.conditions import parts, scope_tests, variables_of
from merula.grammar.names import rows_of
from merula.lexicon.table import SETS, Lexicon
from merula.plan.contrast import Contraster
from merula.plan.matching import Matcher
from merula.plan.slots import ShownWord, SlotMaker, Spec

MAX_STEPS = 2_000  # items that a search visits: a tenth of a second; most visit fewer than five
MAX_VALUES = 5_000  # combinations of an object's values that are tried

_Change = tuple[tuple[g.Variable, str], ...]
_Skeleton = tuple[g.Frame, tuple[object, ...], object]  # a frame, its leaves, and what edits moved
_Shown = tuple[_Skeleton, tuple[int, ...]]  # with the numbers of the words
Goods = Mapping[Item, str]  # the good items of a design, and what to call each in a message


@frozen(eq=False)
class GoodReading:
    """A good item whose words may be those of a bad one, and by what it differs from it."""

    item: Item
    difference: str  # ``subj.number = pl``, or the name of another cell


class Readings:
    """Finds the readings of bad items; those of an item are found once."""

    def __init__(
        self,
        grammar: g.Grammar,
        lexicon: Lexicon,
        contraster: Contraster,
        words: dict[Item, tuple[ShownWord, ...]],
    ) -> None:
        self.grammar, self.lexicon, self._contraster = grammar, lexicon, contraster
        # what a table lacks for words that no cell has is not a fault
        self._slots = SlotMaker(grammar, lexicon, Report(), words)
        self._of: dict[Item, tuple[GoodReading, ...]] = {}
        self._agree: dict[tuple[ShownWord, ShownWord], bool] = {}
        self._unchecked: set[Item] = set()
        self._alternatives_of: dict[tuple[object, ...], Sequence[_Change]] = {}
        self._good: Goods | None = None
        self._rivals: dict[_Shown, Item] = {}
        self._among: dict[_Shown, tuple[GoodReading, ...]] = {}
        self._codes_of: dict[Item, tuple[int, ...]] = {}
        self._numbers: dict[ShownWord, int] = {}
        self._matcher = Matcher()

    def of(self, item: Item) -> tuple[GoodReading, ...]:
        """Return the good items of the same frame and order that a bad item may be read as."""
        if item not in self._of:
            self._of[item] = tuple(self._search(item))
        return self._of[item]

    def among(self, item: Item, good: Goods) -> tuple[GoodReading, ...]:
        """Return the good items of a design that may be a bad one, with words in other places."""
        if self._good is not good:
            self._good, self._rivals, self._among = good, self._distinct(good), {}
        key = (_skeleton(item), self._codes(item))
        if key not in self._among:
            self._among[key] = tuple(
                GoodReading(other, good[other])
                for shown, other in self._rivals.items()
                if key[1] and self._may_be(key, shown)
            )
        return self._among[key]

    def _may_be(self, one: _Shown, other: _Shown) -> bool:
        """Return whether two items may be one string, and the search does not find that."""
        (skeleton, mine), (other_skeleton, theirs) = one, other
        if not self._matcher.may_match(mine, theirs):
            return False
        return skeleton != other_skeleton or not self._matcher.word_by_word(mine, theirs)

    def unchecked(self, item: Item) -> bool:
        """Return whether there was too much to search for an item."""
        return item in self._unchecked

    def words(self, item: Item) -> tuple[ShownWord, ...] | None:
        """Return what the words of an item show, or None where no table has them."""
        return self._slots.words(item)

    def forms(self, spec: Spec) -> Mapping[str, tuple[str, ...]]:
        """Return the forms of the lexemes that a word of a reading may be of."""
        return self._slots.slot(spec).forms

    # --- the good items of a design

    def _distinct(self, good: Goods) -> dict[_Shown, Item]:
        """Return good items by what they show; of those that show the same the first."""
        rivals: dict[_Shown, Item] = {}
        for item in good:
            codes = self._codes(item)
            if codes:
                rivals.setdefault((_skeleton(item), codes), item)
        return rivals

    def _codes(self, item: Item) -> tuple[int, ...]:
        """Return the numbers of an item's words, empty where a table lacks one."""
        if item not in self._codes_of:
            words = self.words(item) or ()
            self._codes_of[item] = tuple(self._code(word) for word in words)
        return self._codes_of[item]

    def _code(self, word: ShownWord) -> int:
        if word not in self._numbers:
            self._numbers[word] = self._matcher.add(self._cores(word))
        return self._numbers[word]

    # --- the search

    def _search(self, item: Item) -> Iterator[GoodReading]:
        good: list[frozenset[object]] = []
        start: tuple[tuple[g.Object, _Change], ...] = ()
        waiting = [start]
        seen: set[frozenset[object]] = set()
        leaves = self._leaves(item)
        alternatives: dict[g.Object, Sequence[_Change]] = {}

        def repairs(rule: g.Rule, done: Container[g.Object]) -> list[tuple[g.Object, _Change]]:
            """Return the changes of one more object by which a rule may hold again."""
            ways = []
            for target in _objects_of(self.grammar, rule, item.frame):
                if target not in done:
                    if target not in alternatives:
                        own_leaves = leaves.get(target, ())
                        alternatives[target] = self._alternatives(item, target, own_leaves)
                    ways += [(target, change) for change in alternatives[target]]
            return ways

        for changes in waiting:  # fewest changes first, since new ones are put at the end
            if len(waiting) > MAX_STEPS:
                self._unchecked.add(item)
                return
            if any(before <= frozenset(changes) for before in good):
                continue
            changed = {v: x for _, change in changes for v, x in change}
            done = {target for target, _ in changes}
            fewest: list[tuple[g.Object, _Change]] | None = None
            broken = self._failing(item, changed)
            if broken is None:
                continue
            for rule in broken:
                ways = repairs(rule, done)
                if fewest is None or len(ways) < len(fewest):
                    fewest = ways
                if not ways:
                    break  # this rule cannot hold
            if fewest is None:
                good.append(frozenset(changes))
                found = realise(self.grammar, item.frame, self._state(item, changed))
                yield GoodReading(found, _named(changed))
            for way in fewest or ():
                new = (*changes, way)
                if frozenset(new) not in seen:
                    seen.add(frozenset(new))
                    waiting.append(new)

    def _failing(self, item: Item, changed: Mapping[g.Variable, str]) -> Iterable[g.Rule] | None:
        """Return the rules that fail with other values, or None where the words are others."""
        if not changed:
            return failing(self.grammar, item)
        solved = self._hidden & item.solved.determined
        if not solved and structural(self.grammar, item.frame).isdisjoint(changed):
            return failing(self.grammar, item, {**item.values, **changed})
        try:
            other = realise(self.grammar, item.frame, self._state(item, changed))
        except (NoSense, Circular):
            return None
        mine, theirs = self.words(item), self.words(other)
        if mine is None or theirs is None or not self._may_agree(mine, theirs):
            return None
        return failing(self.grammar, other)

    def _leaves(self, item: Item) -> dict[g.Object, tuple[g.Object, ...]]:
        """Return the leaves where each object's words are: its own, and the position it fills."""
        leaves: dict[g.Object, tuple[g.Object, ...]] = {}
        for leaf in dict.fromkeys(x.object for x in item.leaves if x.object is not None):
            filler = _filler(self.grammar, leaf, item) if leaf.position else None
            for target in (leaf, filler):
                if target is not None:
                    leaves[target] = (*leaves.get(target, ()), leaf)
        return leaves

    def _state(self, item: Item, changed: Mapping[g.Variable, str]) -> State:
        """Return the state of an item with other values, all of them given.

        What no word shows and no design gives follows from the rules.
        """
        state = item.state
        follows = self._hidden - state.given.keys() - state.pinned.keys()
        given = {v: value for v, value in item.solved.values.items() if v not in follows}
        return replace(state, given={**given, **changed}, pinned={})

    @cached_property
    def _hidden(self) -> frozenset[g.Variable]:
        """The attributes that no form, word or place shows: rules give them their values."""
        hidden = set()
        for variable in self.grammar.variables.values():
            target = variable.object
            rows = rows_of(self.lexicon, target)
            columns = [name.split(".") for name in rows.filled] if rows is not None else []
            if rows is not None and rows.kind == SETS:
                columns = [parts[1:] for parts in columns if parts[0] == target.name]
            shown = {part for parts in columns for part in parts}
            visible = variable.lexical or variable.words or variable.attribute in ("", "site")
            if not visible and shown.isdisjoint(variable.values):
                hidden.add(variable)
        return frozenset(hidden)

    def _alternatives(
        self, item: Item, target: g.Object, leaves: tuple[g.Object, ...]
    ) -> Sequence[_Change]:
        """Return other values of an object with which its words may be the same.

        ``leaves`` are those where its words are.
        """
        own = self.grammar.own(target)
        if own is not None and item.values.get(own) == g.ABSENT:
            return ()
        values, by_object = item.values, self.grammar.by_object
        of_leaves = (values.get(v) for x in leaves if x is not target for v in by_object[x])
        known = (*(values.get(v) for v in by_object[target]), *of_leaves)
        # of a table of sets, the features of all objects decide the row
        features = tuple(values.get(v) for v in self._lexical)
        key = (target, leaves, known, features, tuple(item.state.texts.items()))
        if key not in self._alternatives_of:
            self._alternatives_of[key] = self._find_alternatives(item, target, leaves)
        return self._alternatives_of[key]

    @cached_property
    def _lexical(self) -> tuple[g.Variable, ...]:
        return tuple(v for v in self.grammar.variables.values() if v.lexical)

    def _find_alternatives(
        self, item: Item, target: g.Object, shown: Sequence[g.Object]
    ) -> Sequence[_Change]:
        variables = [v for v in self.grammar.by_object[target] if v in item.values]
        lexeme = any(isinstance(x.word, Lexical) and x.word.object is target for x in item.words)
        options = [self._options(v, item.values[v], target, lexeme) for v in variables]
        if prod(map(len, options)) > MAX_VALUES:
            self._unchecked.add(item)
            return ()
        now = tuple(item.values[v] for v in variables)
        before = [self._shown(item, leaf, item.solved.values) for leaf in shown]
        changes: list[_Change] = []
        for values in product(*options):
            if values == now:
                continue
            change = tuple(
                (v, x) for v, x, old in zip(variables, values, now, strict=True) if x != old
            )
            after = {**item.solved.values, **dict(change)}
            if all(
                self._may_agree(words, self._shown(item, leaf, after))
                for leaf, words in zip(shown, before, strict=True)
            ):
                changes.append(change)
        return changes

    def _options(
        self, variable: g.Variable, now: str, target: g.Object, lexeme: bool
    ) -> tuple[str, ...]:
        """Return the values that a variable may have in another reading, its own among them.

        ``lexeme`` says whether the object shows a lexeme, which has features; other words have
        those that the grammar gives them.
        """
        values = variable.values
        if variable in self._hidden and not self._guards(variable):
            values = (now,)
        elif variable.fixed:
            values = (variable.default,)
        elif variable is self.grammar.own(target):
            values = tuple(x for x in values if x != g.ABSENT)
        elif variable.lexical and not (lexeme and variable in _asked(self.grammar)):
            values = (now,)
        return values if now in values else (now, *values)

    def _shown(self, item: Item, leaf: g.Object, values: g.Setting) -> tuple[ShownWord, ...] | None:
        try:
            words = list(object_words(self.grammar, leaf, item.state, values))
        except NoSense:
            return None
        shown = [self._slots.shown(word, values) for word in words]
        full = tuple(word for word in shown if word is not None)
        return full if len(full) == len(shown) else None

    def _guards(self, variable: g.Variable) -> bool:
        """Return whether a frame asks about a variable, so that it decides what is there."""
        frames = (frame for ways in self.grammar.frames.values() for frame in ways)
        return any(variable.object in asked_by_guards(frame.items) for frame in frames)

    # --- words that may be the same

    def _may_agree(
        self, one: Sequence[ShownWord] | None, other: Sequence[ShownWord] | None
    ) -> bool:
        if one is None or other is None or len(one) != len(other):
            return False
        return all(a == b or self._word_may_agree(a, b) for a, b in zip(one, other, strict=True))

    def _word_may_agree(self, one: ShownWord, other: ShownWord) -> bool:
        key = (one, other)
        if key not in self._agree:
            self._agree[key] = not self._cores(one).isdisjoint(self._cores(other))
        return self._agree[key]

    def _cores(self, word: ShownWord) -> frozenset[tuple[str, ...]]:
        return self._contraster.cores(self._texts(word))

    def _texts(self, word: ShownWord) -> tuple[str, ...]:
        if word.key is None:
            return self._contraster.fixed(word.text)
        return self.forms(Spec(word.key, word.name, word.objects, (word.text,)))[word.text]


# --- what rules are about ---------------------------------------------------------------------


@lru_cache(maxsize=2_000)
def structural(grammar: g.Grammar, frame: g.Frame) -> frozenset[g.Variable]:
    """Return the variables that decide which places a frame has, and what is in them."""
    guarded = asked_by_guards(frame.items)
    return frozenset(
        v for v in grammar.variables.values() if v.attribute in ("", "site") or v.object in guarded
    )


@lru_cache(maxsize=2_000)
def _objects_of(grammar: g.Grammar, rule: g.Rule, frame: g.Frame) -> tuple[g.Object, ...]:
    """Return the objects on whose values it depends whether a rule holds."""
    objects: dict[g.Object, None] = {}
    for test in rule.tests:
        variables = list(variables_of(test))
        for scope in scope_tests(test):
            objects[scope.object] = None
            objects |= dict.fromkeys(asked_by_guards(frame.items))
        for part in parts(test):
            if isinstance(part, g.Ignores):
                variables += _determining(grammar, part.variable)
        objects |= dict.fromkeys(v.object for v in variables)
    return tuple(objects)


def _determining(grammar: g.Grammar, variable: g.Variable) -> tuple[g.Variable, ...]:
    """Return the variables that the value of one follows from, by rules."""
    sources: dict[g.Variable, None] = {variable: None}
    waiting = [variable]
    while waiting:
        target = waiting.pop()
        for equation in in_force(grammar, frozenset()):
            if equation.target is target:
                followed = [equation.source] if isinstance(equation.source, g.Variable) else []
                tested = (v for test, _ in equation.conditions for v in variables_of(test))
                new = [v for v in (*followed, *tested) if v not in sources]
                sources |= dict.fromkeys(new)
                waiting += new
    return tuple(sources)


@lru_cache(maxsize=256)
def _asked(grammar: g.Grammar) -> frozenset[g.Variable]:
    """Return the variables that rules are about."""
    return frozenset(
        chain.from_iterable(variables_of(test) for rule in grammar.rules for test in rule.tests)
    )


def _filler(grammar: g.Grammar, position: g.Object, item: Item) -> g.Object | None:
    own = grammar.own(position)
    return grammar.objects.get(item.solved.values.get(own, "")) if own is not None else None


def _skeleton(item: Item) -> _Skeleton:
    """Return the frame of an item, its leaves in order, and other words that edits put there."""
    leaves = tuple(leaf.object if leaf.object is not None else leaf.text for leaf in item.leaves)
    return item.frame, leaves, tuple(item.state.texts.items())


def _named(changed: Mapping[g.Variable, str]) -> str:
    return ", ".join(f"{variable} = {value}" for variable, value in changed.items())
