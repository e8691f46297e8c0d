"""The meaning of a grammar with its lexicon, the slow and obvious way.

What a plan counts and unranks is enumerated here: every choice of rows, one by one, kept or
thrown away by reading the rules out loud. Sentences are compared when they are finished. Settings
and rules come from `merula.design.cells`, which the compiler uses as well; nothing else of it is
used. This is what the compiler is tested against.

A bad sentence is thrown away with its instance if some reading of it is good (`_Readings`): a good
cell of the design with any lexemes, or the same words of the same objects with any other values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod

from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.design.acceptability import broken_rules
from merula.design.cells import Cell, Variant, cells, variants
from merula.design.placement import Fixed, Item, Lexical, NoSense, OneOf, Placed, realise
from merula.design.settings import Circular
from merula.grammar import model as g
from merula.grammar.model import CORRECT
from merula.grammar.names import rows_of
from merula.language import syntax as s
from merula.language.parse import parse_cell
from merula.lexicon.surface import Surface
from merula.lexicon.table import ANY, LEMMA, Lexicon, Rows, members

Features = tuple[tuple[g.Variable, str], ...]
Columns = Mapping[str, tuple[str, ...]]
Others = Mapping[tuple[str, str], str]  # (object, column) → the cell of that object's row
Sentence = tuple[str, tuple[str, ...]]  # and the texts of its words as they are written
Instance = tuple[Sentence, ...]


class FormError(Exception):
    """A word of a cell is in no table; the compiler reports it, here it has no meaning."""


class SizeError(Exception):
    """A variant has more choices of rows than the caller wants to see tried."""


@dataclass(frozen=True)
class Meaning:
    """A variant of a design with all its instances.

    An instance holds the finished sentences of the cells, in their order.
    """

    variant: Variant
    cells: tuple[Cell, ...]
    instances: tuple[tuple[str, ...], ...]


def interpret(
    grammar: g.Grammar,
    lexicon: Lexicon,
    surface: Surface,
    design: g.Design,
    *,
    limit: int | None = None,
) -> Iterator[Meaning]:
    """Every variant of a design with its instances.

    A variant in which an edit has no sense has none; one with a contested cell is left out. Raises
    `FormError` where a word is in no table, `SizeError` where a variant has more than ``limit``
    choices of rows.
    """
    made = [(variant, *cells(grammar, design, variant)) for variant in variants(grammar, design)]
    made = [x for x in made if not any(cell.contested for cell in x[1])]
    possible = [cell for _, found, senseless in made if not senseless for cell in found]
    good = list(dict.fromkeys(cell.item for cell in possible if cell.acceptable))
    readings = _Readings(grammar, lexicon, surface, good, limit)
    reader = _Reader(grammar, lexicon)
    for variant, found, senseless in made:
        if senseless:
            yield Meaning(variant, found, ())
            continue
        shown = [reader.parts(cell.item) for cell in found]
        chooser = _Chooser(grammar, lexicon, surface, found, shown)
        instances = chooser.instances(limit)
        kept = (x for x in instances if readings.none_is_good(found, x))
        yield Meaning(variant, found, tuple(tuple(text for text, _ in x) for x in kept))


# --- whether a bad sentence can be read as a good one -------------------------------------------


class _Readings:
    """The good sentences that a bad one can be read as."""

    def __init__(
        self,
        grammar: g.Grammar,
        lexicon: Lexicon,
        surface: Surface,
        good: Sequence[Item],
        limit: int | None,
    ) -> None:
        self.grammar, self.lexicon, self.surface, self.limit = grammar, lexicon, surface, limit
        self._good = good
        self._words: dict[Item, set[tuple[str, ...]]] = {}

    def none_is_good(self, found: Sequence[Cell], instance: Instance) -> bool:
        """Whether no bad sentence of an instance is good in another reading."""
        return not any(
            text in self._in_design or not self._same_words(cell.item).isdisjoint([words])
            for cell, (text, words) in zip(found, instance, strict=True)
            if not cell.acceptable
        )

    @cached_property
    def _in_design(self) -> set[str]:
        """All sentences that are good cells of the design, with all lexemes."""
        return {text for item in self._good for text, _ in self._sentences(item)}

    def _same_words(self, item: Item) -> set[tuple[str, ...]]:
        """What the words of a bad item are in good items with the same objects at its places."""
        if item not in self._words:
            self._words[item] = {
                words for other in self._others(item) for _, words in self._sentences(other)
            }
        return self._words[item]

    def _others(self, item: Item) -> Iterator[Item]:
        """All good items with the objects of an item in its order, whatever their values are."""
        options = {v: self._options(item, v) for v in item.solved.values}
        number = prod(map(len, options.values()))
        if self.limit is not None and number > self.limit:
            raise SizeError(number)
        for values in product(*options.values()):
            given = {v: x for v, x in zip(options, values, strict=True) if x is not None}
            state = replace(item.state, given=given, pinned={})
            try:
                other = realise(self.grammar, item.frame, state)
            except (NoSense, Circular):
                continue
            leaves = [[(leaf.object, leaf.text) for leaf in x.leaves] for x in (item, other)]
            if leaves[0] == leaves[1] and not broken_rules(self.grammar, other):
                yield other

    def _options(self, item: Item, variable: g.Variable) -> Sequence[str | None]:
        """The values a variable may have: all of them, unless it is not about these words."""
        now = item.solved.values[variable]
        own, target = self.grammar.own(variable.object), variable.object
        absent = own is not None and item.solved.values.get(own) == g.ABSENT
        if absent or variable not in item.values:
            return (now,)
        if variable is own:
            return [x for x in variable.values if x != g.ABSENT]
        if variable.lexical:
            chosen = any(
                isinstance(x.word, Lexical) and x.word.object is target for x in item.words
            )
            return variable.values if chosen else (now,)
        if self._shows_nowhere(variable):
            given = variable in item.state.given or variable in item.state.pinned
            return (now,) if given else (None,)  # None: what the rules give it
        return list(dict.fromkeys([now, variable.default] if variable.fixed else variable.values))

    def _shows_nowhere(self, variable: g.Variable) -> bool:
        """Whether no form and no word shows an attribute; rules give it its value then."""
        if variable.words or variable.attribute in ("", "site"):
            return False
        rows = rows_of(self.lexicon, variable.object)
        columns = [name.split(".") for name in _filled(rows)] if rows is not None else []
        if rows is not None and rows.kind == "sets":
            columns = [parts[1:] for parts in columns if parts[0] == variable.object.name]
        return not any(set(parts) & set(variable.values) for parts in columns)

    def _sentences(self, item: Item) -> Iterator[tuple[str, tuple[str, ...]]]:
        """All sentences of an item, each with the texts of its words as they are written."""
        try:
            parts = _Reader(self.grammar, self.lexicon).parts(item)
        except FormError:
            return
        if parts:
            chooser = _Chooser(self.grammar, self.lexicon, self.surface, (), [parts])
            yield from chooser.sentences(self.limit)


# --- which words are chosen together -----------------------------------------------------------


@dataclass(frozen=True)
class _WordChoice:
    """One of the texts that a value carries."""

    variable: g.Variable
    value: str


@dataclass(frozen=True)
class _SetChoice:
    """A row of a table of sets, with what is asked of its lexical features."""

    table: int
    features: Features


@dataclass(frozen=True)
class _LexemeChoice:
    """The lexeme of an object, with what is asked of its lexical features."""

    object: g.Object
    features: Features


_Choice = _WordChoice | _SetChoice | _LexemeChoice


@dataclass(frozen=True)
class _Part:
    """Part of a sentence: fixed words (no choice), or the form in a column of what is chosen."""

    text: str  # the words, or the column
    choice: _Choice | None = None
    object: str = ""  # whose form it is


class _Reader:
    """Finds the choice and the column behind every word of a cell."""

    def __init__(self, grammar: g.Grammar, lexicon: Lexicon) -> None:
        self.grammar, self.lexicon = grammar, lexicon

    def parts(self, item: Item) -> list[_Part]:
        return [self._part(item, placed) for placed in item.words]

    def _part(self, item: Item, placed: Placed) -> _Part:
        word = placed.word
        if isinstance(word, Fixed):
            return _Part(word.text)
        if isinstance(word, OneOf):
            return _Part("", _WordChoice(word.variable, word.value))
        rows = rows_of(self.lexicon, word.object)
        if rows is None:
            raise FormError(word.object.name)
        if word.column is None:
            column = self._form(rows, word.object, {value for _, value in word.values})
        else:
            column = _own_column(rows, word.object, word.column)
            if word.filler and f"{column}.{word.filler}" in _filled(rows):
                column = f"{column}.{word.filler}"
        if column not in _filled(rows):
            raise FormError(column)
        return _Part(column, self._choice(rows, word.object, item.solved.values), word.object.name)

    def _choice(self, rows: Rows, item: g.Object, values: g.Setting) -> _Choice:
        """A table of sets gives one row to all its objects; features ask for another row."""
        if rows.kind != "sets":
            return _LexemeChoice(item, self._features((item,), values))
        number = [id(other) for other in self.lexicon.sets].index(id(rows))
        together = [x for x in self.grammar.objects.values() if rows_of(self.lexicon, x) is rows]
        return _SetChoice(number, self._features(together, values))

    def _features(self, items: Iterable[g.Object], values: g.Setting) -> Features:
        return tuple(
            (variable, values[variable])
            for item in items
            for variable in self.grammar.variables.values()
            if variable.object is item and variable.lexical and variable in values
        )

    def _form(self, rows: Rows, item: g.Object, values: set[str]) -> str:
        """The column with most of an object's values in its name and nothing else there.

        Columns that are empty belong to other categories of the table.
        """
        named: dict[str, set[str]] = {}
        for column in _filled(rows):
            first, *rest = parts = column.split(".")
            if rows.kind != "sets":
                named[column] = set(parts)
            elif first == item.name:
                named[column] = set(rest)
        fitting = [column for column, parts in named.items() if parts <= values]
        best = [c for c in fitting if not any(named[c] < named[other] for other in fitting)]
        if len(best) == 1:
            return best[0]
        possible = {
            value
            for variable in self.grammar.variables.values()
            if variable.object is item and variable.attribute
            for value in variable.values
        }
        inflects = any(parts <= possible for parts in named.values())
        if best or rows.kind == "sets" or inflects:
            raise FormError(item.name)
        return LEMMA


def _filled(rows: Rows) -> list[str]:
    return [column for column, cells_ in rows.columns.items() if set(cells_) != {""}]


def _own_column(rows: Rows, item: g.Object, column: str) -> str:
    return f"{item.name}.{column}" if rows.kind == "sets" else column


# --- which choices are allowed ------------------------------------------------------------------


class _Chooser:
    """The choices of a variant's cells and all ways to make them."""

    def __init__(
        self,
        grammar: g.Grammar,
        lexicon: Lexicon,
        surface: Surface,
        cells_: Sequence[Cell],
        shown: Sequence[Sequence[_Part]],
    ) -> None:
        self.grammar, self.lexicon, self.surface = grammar, lexicon, surface
        self.cells, self.shown = cells_, shown
        self._written: dict[tuple[str, ...], Sentence] = {}
        self.choices = list(
            dict.fromkeys(p.choice for parts in shown for p in parts if p.choice is not None)
        )
        self.columns = {
            c: list(dict.fromkeys(p.text for parts in shown for p in parts if p.choice == c))
            for c in self.choices
        }
        self.objects = {
            c: {p.object for parts in shown for p in parts if p.choice == c} for c in self.choices
        }

    def sentences(self, limit: int | None) -> Iterator[Sentence]:
        """The sentences of all cells, whatever goes together."""
        for chosen in self._chosen(limit):
            for parts in self.shown:
                yield self._sentence(parts, chosen)

    def instances(self, limit: int | None) -> Iterator[Instance]:
        if any(self._parts_equal(i, j) for i, j in self._must_differ):
            return
        for chosen in self._chosen(limit):
            if not self._selected(chosen):
                continue
            instance = tuple(self._sentence(parts, chosen) for parts in self.shown)
            if all(instance[i][0] != instance[j][0] for i, j in self._must_differ):
                yield instance

    def _chosen(self, limit: int | None) -> Iterator[dict[_Choice, int]]:
        candidates = [self._candidates(choice) for choice in self.choices]
        number = prod(len(options) for options in candidates)
        if limit is not None and number > limit:
            raise SizeError(number)
        for rows in product(*candidates):
            yield dict(zip(self.choices, rows, strict=True))

    # --- rows

    def _rows(self, choice: _Choice) -> Rows:
        assert not isinstance(choice, _WordChoice)
        if isinstance(choice, _SetChoice):
            return self.lexicon.sets[choice.table]
        rows = rows_of(self.lexicon, choice.object)
        assert rows is not None
        return rows

    def _candidates(self, choice: _Choice) -> list[int]:
        """The rows that can be chosen, or the numbers of the texts."""
        if isinstance(choice, _WordChoice):
            return list(range(len(self._texts(choice))))
        rows = self._rows(choice)
        fitting = [row for row in range(len(rows)) if self._can_be(choice, rows, row)]
        # the order of candidates: by all that a row holds, whatever its columns are called
        fitting.sort(
            key=lambda row: (
                sorted(cells[row] for cells in rows.columns.values()),
                self._forms(choice, rows, row),
            )
        )
        kept: dict[tuple[str, ...], int] = {}
        for row in fitting:  # of homographs the first
            kept.setdefault(self._forms(choice, rows, row), row)
        return list(kept.values())

    @staticmethod
    def _texts(choice: _WordChoice) -> list[str]:
        options = choice.variable.words[choice.value]
        return sorted({text for text in options if isinstance(text, str)})

    def _can_be(self, choice: _SetChoice | _LexemeChoice, rows: Rows, row: int) -> bool:
        if not all(self._forms(choice, rows, row)):
            return False
        for variable, value in choice.features:
            cells_ = _seen(rows, variable.object.name)[variable.attribute]
            if not _holds(cells_[row], {value}):
                return False
        return all(
            self._is_a_alone(selection, choice, row)
            for selection in self.grammar.selections
            if isinstance(selection, g.IsA) and selection.object.name in self.objects[choice]
        )

    def _is_a_alone(self, selection: g.IsA, choice: _Choice, row: int) -> bool:
        """What is asked of a row by itself, or as the row of two objects of one lexical set."""
        asked = _columns_of_others(selection.expression)
        if all(name in self.objects[choice] for name, _ in asked):
            return self._fits(selection, asked, (choice, row), (choice, row))
        return True

    def _fits(
        self,
        selection: g.IsA,
        asked: set[tuple[str, str]],
        mine: tuple[_Choice, int],
        theirs: tuple[_Choice, int],
    ) -> bool:
        others = {
            (name, column): _seen(self._rows(theirs[0]), name)[column][theirs[1]]
            for name, column in asked
        }
        seen = _seen(self._rows(mine[0]), selection.object.name)
        return _satisfies(selection.expression, seen, mine[1], others)

    def _forms(self, choice: _SetChoice | _LexemeChoice, rows: Rows, row: int) -> tuple[str, ...]:
        return tuple(rows.columns[column][row] for column in self.columns[choice])

    # --- select

    def _selected(self, chosen: Mapping[_Choice, int]) -> bool:
        return all(self._holds(selection, chosen) for selection in self.grammar.selections)

    def _holds(self, selection: g.Selection, chosen: Mapping[_Choice, int]) -> bool:
        if isinstance(selection, g.IsA):
            return self._is_a(selection, chosen)
        found = [
            (item.name, self._rows(choice), row)
            for choice, row in chosen.items()
            for item in selection.objects
            if not isinstance(choice, _WordChoice) and item.name in self.objects[choice]
        ]
        if isinstance(selection, g.Differ):
            lexemes = [(rows.kind, rows.title(row)) for _, rows, row in found]
            return len(set(lexemes)) == len(lexemes)
        if len(found) < 2:
            return True
        cells_ = [_seen(rows, name)[selection.column][row] for name, rows, row in found]
        some = [set(members(cell)) for cell in cells_ if ANY not in members(cell)]
        return not some or bool(set.intersection(*some))

    def _is_a(self, selection: g.IsA, chosen: Mapping[_Choice, int]) -> bool:
        """Of every two choices that a cell shows together, one fits the columns of the other."""
        asked = _columns_of_others(selection.expression)
        if not asked:
            return True  # seen to already
        other_name = min(name for name, _ in asked)
        for mine, theirs in product(chosen, repeat=2):
            if selection.object.name not in self.objects[mine]:
                continue
            if other_name not in self.objects[theirs] or not self._together(mine, theirs):
                continue
            one, other = (mine, chosen[mine]), (theirs, chosen[theirs])
            if not self._fits(selection, asked, one, other):
                return False
        return True

    def _together(self, one: _Choice, other: _Choice) -> bool:
        return frozenset((one, other)) in self._shown_together

    @cached_property
    def _shown_together(self) -> set[frozenset[_Choice]]:
        sets = [{p.choice for p in parts if p.choice is not None} for parts in self.shown]
        return {frozenset(pair) for found in sets for pair in product(found, repeat=2)}

    # --- sentences

    @cached_property
    def _must_differ(self) -> list[tuple[int, int]]:
        """The cells that may not be one sentence.

        Any two cells of a paradigm and any two answers; of the context any two items, and an
        item and the right answer, unless they repeat each other by design.
        """
        pairs = []
        for i, j in combinations(range(len(self.cells)), 2):
            one, other = self.cells[i], self.cells[j]
            if one.role == other.role != "context":
                pairs.append((i, j))
            elif self._parts_equal(i, j):
                continue
            elif one.role == other.role or CORRECT in (one.label, other.label):
                pairs.append((i, j))
        return pairs

    def _parts_equal(self, i: int, j: int) -> bool:
        def parts(number: int) -> list[tuple[_Choice | None, str]]:
            return [(part.choice, part.text) for part in self.shown[number]]

        return parts(i) == parts(j)

    def _sentence(self, parts: Sequence[_Part], chosen: Mapping[_Choice, int]) -> Sentence:
        phrases = []
        for part in parts:
            if part.choice is None:
                phrases.append(part.text)
            elif isinstance(part.choice, _WordChoice):
                phrases.append(self._texts(part.choice)[chosen[part.choice]])
            else:
                phrases.append(self._rows(part.choice).columns[part.text][chosen[part.choice]])
        known = tuple(phrases)
        if known not in self._written:
            pieces = tuple(text.strip() for text in self.surface.pieces(known))
            self._written[known] = (self.surface.sentence(known), pieces)
        return self._written[known]


# --- expressions over one row -------------------------------------------------------------------


def _columns_of_others(node: s.Expression) -> set[tuple[str, str]]:
    """The columns of other objects that an expression names, as (object, column)."""
    if isinstance(node, s.Truth | s.Equal):
        path = node.path
        return set() if path.attribute is None else {(path.owner.text, path.attribute.text)}
    if isinstance(node, s.Not):
        return _columns_of_others(node.item)
    if isinstance(node, s.And | s.Or):
        return {pair for item in node.items for pair in _columns_of_others(item)}
    return set()


def _seen(rows: Rows, item: str) -> Columns:
    """The columns as an object sees them: in a table of sets its own, and those of no object."""
    if rows.kind != "sets":
        return rows.columns
    own = {
        column.removeprefix(f"{item}."): cells_
        for column, cells_ in rows.columns.items()
        if column.startswith(f"{item}.")
    }
    return {c: cells_ for c, cells_ in rows.columns.items() if "." not in c} | own


def _satisfies(node: s.Expression, columns: Columns, row: int, others: Others) -> bool:
    """Whether a row satisfies an expression, ``others`` being the other object's cells."""
    match node:
        case s.Not(item=item):
            return not _satisfies(item, columns, row, others)
        case s.And(items=items):
            return all(_satisfies(item, columns, row, others) for item in items)
        case s.Or(items=items):
            return any(_satisfies(item, columns, row, others) for item in items)
        case s.Truth(path=path):
            if path.attribute is None:
                return _has_feature(columns, row, path.owner.text)
            return _is_what(others[path.owner.text, path.attribute.text], columns, row)
        case s.Equal(path=path, terms=terms):
            wanted = {str(term) for term in terms}
            if path.attribute is None:
                return _holds(columns[path.owner.text][row], wanted)
            return _holds(others[path.owner.text, path.attribute.text], wanted)
    raise AssertionError(node)


def _has_feature(columns: Columns, row: int, word: str) -> bool:
    """A column's name asks for a yes; any other word for a column that may hold it."""
    if word in columns:
        return columns[word][row] not in ("", "no")
    return any(
        _holds(column[row], {word})
        for column in columns.values()
        if any(word in members(cell) for cell in column)
    )


def _is_what(cell: str, columns: Columns, row: int) -> bool:
    """Whether a row is what another's cell asks for: nothing is where it asks nothing."""
    if cell == ANY:
        return True
    expression = _parsed(cell) if cell else None
    return expression is not None and _satisfies(expression, columns, row, {})


@lru_cache(maxsize=10_000)
def _parsed(cell: str) -> s.Expression | None:
    return parse_cell(Source("<cell>", cell), Report())


def _holds(cell: str, wanted: set[str]) -> bool:
    held = members(cell)
    return ANY in held or any(value in wanted for value in held)
