"""Rules, selections and guards: expressions typed, with what each rule determines.

The syntax trees of clauses go in; tests, rules with their equations, and selections come out.
`merula.grammar.resolve` and, for guards, `merula.grammar.frames` call this. A rule with a problem
is left out, and the problem is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from merula.core.diagnostics import Label
from merula.core.wording import did_you_mean, listing
from merula.grammar import model as g
from merula.grammar.conditions import evaluate
from merula.grammar.domains import Domains
from merula.grammar.names import Names, Unresolved, rows_of
from merula.language import syntax as s
from merula.language.syntax import references
from merula.lexicon.selection import unknown_feature
from merula.lexicon.table import SETS, Rows


class Rules:
    """Types expressions; ``brackets`` are the names of all constituents in frames.

    ``owned`` are those that belong to an object or a site.
    """

    def __init__(self, names: Names, brackets: frozenset[str], owned: Mapping[str, s.Path]) -> None:
        self.names, self.brackets = names, brackets
        self.domains = Domains(names, brackets, owned)

    # --- tests

    def test(self, node: s.Clause) -> g.Test:
        """Return the typed test of a clause."""
        match node:
            case s.Truth():
                return self._truth(node.path)
            case s.Equal():
                return self._equal(node)
            case s.Inside():
                return self._inside(node)
            case s.Not():
                return g.Not(self.test(node.item))
            case s.And():
                return g.AllOf(tuple(self.test(item) for item in node.items))
            case s.Or():
                return g.AnyOf(tuple(self.test(item) for item in node.items))
            case s.Conditional():
                other = node.alternative
                return g.Choice(
                    self.test(node.condition),
                    self.test(node.consequence),
                    self.test(other) if other is not None else None,
                )
            case s.Needs():
                return g.Choice(self._truth(node.path), self.test(node.need), None)
            case s.Ignores():
                others = tuple(self.names.variable(path) for path in node.others)
                return g.Ignores(self.names.variable(node.path), others)

    def _truth(self, path: s.Path) -> g.Test:
        if str(path) in self.brackets and path.owner.text not in self.names.objects:
            raise self.names.fail(
                "M201",
                f"`{path}` is a constituent, which alone is neither true nor false",
                path.span,
                remedy=f"say what is inside it: NAME inside {path}; after `outside`, several are"
                " joined by `|`",
            )
        variable = self.names.variable(path)
        if "yes" in variable.values:
            return g.Is(variable, ("yes",))
        if not variable.attribute and g.ABSENT in variable.values:
            return g.Not(g.Is(variable, (g.ABSENT,)))
        raise self.names.fail(
            "M201",
            f"`{path}` alone is neither true nor false",
            path.span,
            remedy=f"say which value: {path} = {listing(variable.values, 'or')}",
        )

    def _equal(self, node: s.Equal) -> g.Test:
        variable = self._compared(node)
        values: list[str] = []
        tests: list[g.Test] = []
        for term in node.terms:
            possible = variable.values or ()
            if term.attribute is None and (
                term.owner.text in possible
                or (variable.lexical and term.owner.text not in self.names.objects)
            ):
                if variable.lexical and possible and term.owner.text not in possible:
                    raise self.names.unknown_value(term.owner, str(variable), possible)
                values.append(term.owner.text)
            elif term.attribute is None and term.owner.text not in self.names.objects:
                raise self.names.unknown_value(term.owner, str(variable), possible)
            else:
                tests.append(self._same(variable, term, node))
        if values:
            tests.insert(0, g.Is(variable, tuple(values)))
        return tests[0] if len(tests) == 1 else g.AnyOf(tuple(tests))

    def _same(self, variable: g.Variable, term: s.Path, node: s.Equal) -> g.Test:
        """Return the test that a variable has the value of a path, or of what fills a position."""
        item = self.names.object(term.owner)
        kind = self.names.variables.get((item, ""))
        if (
            term.attribute is None
            or kind is None
            or not item.position
            or (item, term.attribute.text) in self.names.variables
        ):
            other = self.names.variable(term)
            self._comparable(variable, other, node)
            return g.Same(variable, other)
        cases: list[g.Test] = []
        for filler in kind.values:
            if filler != g.ABSENT:
                word = s.Word(term.owner.span, filler)
                other = self.names.variable(replace(term, owner=word))
                if other is variable:
                    continue
                self._comparable(variable, other, node)
                cases.append(g.Choice(g.Is(kind, (filler,)), g.Same(variable, other), None))
        return g.AllOf(tuple(cases))

    def _compared(self, node: s.Equal) -> g.Variable:
        """Return the variable of a comparison: of ``n2 = pl`` the attribute that has the value."""
        item = self.names.object(node.path.owner)
        first = node.terms[0]
        if node.path.attribute is None and first.attribute is None:
            kind = self.names.variables.get((item, ""))
            if kind is None or first.owner.text not in kind.values:
                having = [
                    v
                    for (o, a), v in self.names.variables.items()
                    if o is item and a and first.owner.text in v.values
                ]
                if len(having) == 1:
                    return having[0]
        return self.names.variable(node.path)

    def _comparable(self, one: g.Variable, other: g.Variable, node: s.Equal) -> None:
        if one.values and other.values and not set(one.values) & set(other.values):
            raise self.names.fail(
                "M202",
                f"`{one}` and `{other}` have no value in common, so they are never equal",
                node.span,
                remedy=f"{one} is {listing(one.values, 'or')}; {other} is"
                f" {listing(other.values, 'or')}",
            )

    def _inside(self, node: s.Inside) -> g.Test:
        item, place = self.names.object(node.path.owner), node.place
        bracket = str(place) in self.brackets
        if place.attribute is None and not bracket and self.domains.may_be(place.owner.text):
            return self.domains.licensed(item, node)
        if node.outside:
            raise self.names.fail(
                "M217",
                f"`{place}` is a constituent, and `outside` asks what lies between a domain and"
                f" `{item.name}`",
                node.outside[0].span,
                remedy=f"write `{item.name} inside {place}` alone; or name the column that says"
                " which domains words open:"
                f" {item.name} inside {next(iter(self.domains.known()), 'opens')} outside …",
            )
        return g.Within(item, self._place(place))

    def _place(self, path: s.Path) -> str | g.Variable:
        if str(path) in self.brackets:
            return str(path)
        if path.attribute is not None:
            variable = self.names.variable(path)
            missing = [v for v in variable.values if v not in self.brackets]
            if variable.lexical:  # lexemes may open domains that these frames have not
                missing = missing if len(missing) == len(variable.values) else []
            if missing:
                raise self.names.fail(
                    "M203",
                    f"no frame has a constituent called `{missing[0]}`, which"
                    f" `{variable}` can name",
                    path.span,
                    remedy=did_you_mean(missing[0], self.brackets)
                    or f"bracket it in a frame: [{missing[0]} …]",
                    about=(missing[0],),
                )
            return variable
        raise self.names.fail(
            "M203",
            f"no frame has a constituent called `{path}`",
            path.span,
            remedy=did_you_mean(path.owner.text, (*self.brackets, *self.domains.known()))
            or f"bracket it in a frame: [{path} …]",
            about=(path.owner.text,),
        )

    # --- rules

    def rules(self) -> tuple[tuple[g.Rule, ...], tuple[g.Equation, ...]]:
        """Return all rules of the files, and what they determine."""
        rules: list[g.Rule] = []
        equations: list[g.Equation] = []
        first: dict[str, s.Rule] = {}
        for letter, part in (("E", "external"), ("I", "internal")):
            for node in self.names.all_nodes(part):
                assert isinstance(node, s.Rule)
                if node.name.text in first:
                    before = first[node.name.text]
                    self.names.twice("rule", node.name.text, node.name.span, before.name.span)
                    continue
                first[node.name.text] = node
                try:
                    tests = tuple(self.test(clause) for clause in node.clauses)
                except Unresolved:
                    continue
                rule = g.Rule(node.name.text, letter, node.doc, tests, node.span)
                rules.append(rule)
                self._check_determined(rule)
                for test in tests:
                    equations.extend(_equations(test, (), rule))
        return tuple(rules), tuple(equations)

    def contested(self) -> tuple[g.Rule, ...]:
        """Return the tests of what is contested: a cell in which one holds has no label."""
        contested: list[g.Rule] = []
        first: dict[str, s.Rule] = {}
        for node in self.names.all_nodes("contested"):
            assert isinstance(node, s.Rule)
            if node.name.text in first:
                before = first[node.name.text]
                self.names.twice("test", node.name.text, node.name.span, before.name.span)
                continue
            first[node.name.text] = node
            try:
                tests = tuple(self._plain(clause) for clause in node.clauses)
            except Unresolved:
                continue
            contested.append(g.Rule(node.name.text, "", node.doc, tests, node.span))
        return tuple(contested)

    def _plain(self, clause: s.Clause) -> g.Test:
        if isinstance(clause, (s.Conditional, s.Needs, s.Ignores)):
            raise self.names.fail(
                "M218",
                "this demands something, but `contested` says which sentences are contested",
                clause.span,
                remedy="say what holds in them, with `and`, `or` and `not`: any and any inside"
                " frees",
            )
        return self.test(clause)

    # --- selection

    def selection(self, node: s.Selection) -> tuple[g.Selection, ...]:
        """Return the typed selections of an entry, one for each object it names."""
        objects = tuple(self.names.object(word) for word in node.names)
        if isinstance(node, s.Differ):
            for item, word in zip(objects, node.names, strict=True):
                if self._set_of(item) is not None:
                    raise self.names.fail(
                        "M207",
                        f"`{item.name}` is chosen with its whole lexical set, not as a lexeme",
                        word.span,
                        remedy="let only objects with tables of lexemes differ",
                    )
            return (g.Differ(objects, node.span),)
        if isinstance(node, s.Share):
            sets = [rows for item in objects if (rows := self._set_of(item)) is not None]
            if len(set(sets)) < len(sets):
                raise self.names.fail(
                    "M207",
                    "two of these objects are chosen together, with their lexical set",
                    node.span,
                    remedy="let the table hold only sets whose parts go together",
                )
            for item in objects:
                self._column(item, node.column)
            return (g.Share(objects, node.column.text, node.span),)
        owners = sorted({owner for owner, _ in references(node.expression)})
        if len(owners) > 1:
            raise self.names.fail(
                "M208",
                f"this asks about columns of {listing(owners)}; a selection relates two objects",
                node.expression.span,
                remedy=f"write a line for each: `{node.names[0]} is {owners[0]}.…`",
            )
        for item in objects:
            self._check_expression(item, node.expression)
        parts = _apart(node.expression)
        return tuple(g.IsA(item, part, node.span) for item in objects for part in parts)

    def _check_determined(self, rule: g.Rule) -> None:
        """Report an attribute that follows another and does not have all of its values."""
        for test in rule.tests:
            for equation in _equations(test, (), rule):
                target, source = equation.target, equation.source
                if isinstance(source, str) or target.lexical or source.lexical:
                    continue
                lacking = [
                    value
                    for value in source.values
                    if value not in target.values and _may_be(source, value, equation.conditions)
                ]
                if lacking and g.ABSENT not in lacking:
                    self.names.report.error(
                        "M212",
                        f"`{target}` follows `{source}`, but cannot be {listing(lacking, 'or')}",
                        rule.span,
                        remedy=f"give `{target}` {'that value' if len(lacking) == 1 else 'these'},"
                        f" or {_without(equation, source, lacking)}",
                    )
                    return

    def _set_of(self, item: g.Object) -> Rows | None:
        """Return the table of sets that an object is chosen from, if it is one."""
        rows = rows_of(self.names.lexicon, item) if self.names.lexicon else None
        return rows if rows is not None and rows.kind == SETS else None

    def _column(self, item: g.Object, word: s.Word) -> None:
        rows = rows_of(self.names.lexicon, item) if self.names.lexicon else None
        if self.names.lexicon is None:
            return
        if rows is None:
            raise self.names.fail(
                "M314",
                f"no table has lexemes of the category `{item.category}` (for `{item.name}`)",
                Label(item.span, "declared here"),
                Label(word.span, "asked for here"),
                remedy=did_you_mean(item.category, self.names.lexicon.lexemes)
                or "write that category in the tables' `category` column",
            )
        rows = rows.of(item.name)
        if word.text not in rows.columns:
            raise self.names.fail(
                "M315",
                f"the lexemes of `{item.name}` have no column `{word}`",
                word.span,
                remedy=did_you_mean(word.text, rows.columns)
                or f"their columns are {listing(rows.columns)}",
            )

    def _check_expression(self, item: g.Object, node: s.Expression) -> None:
        match node:
            case s.And() | s.Or():
                for part in node.items:
                    self._check_expression(item, part)
            case s.Not():
                self._check_expression(item, node.item)
            case s.Truth(path=path) | s.Equal(path=path):
                if path.attribute is not None:
                    self._column(self.names.object(path.owner), path.attribute)
                elif isinstance(node, s.Equal):
                    self._column(item, path.owner)
                    self._column_values(item, node)
                else:
                    self._feature(item, path.owner)
            case s.Inside():
                raise self.names.fail(
                    "M205",
                    "a lexeme is not inside a constituent, an object of a sentence is",
                    node.span,
                    remedy="write a rule under `external`: name: object inside constituent",
                )

    def _column_values(self, item: g.Object, node: s.Equal) -> None:
        rows = rows_of(self.names.lexicon, item) if self.names.lexicon else None
        values = rows.of(item.name).values[node.path.owner.text] if rows else frozenset()
        for term in node.terms:
            if term.attribute is not None:
                raise self.names.fail(
                    "M209",
                    f"`{node.path}` is compared with `{term}`, which is not a value",
                    term.span,
                    remedy="a selection names values; that two lexemes agree is a rule:"
                    f" {item.name}.{node.path} = {term}",
                )
            if rows is not None and term.owner.text not in values:
                raise self.names.unknown_value(term.owner, str(node.path), sorted(values))

    def _feature(self, item: g.Object, word: s.Word) -> None:
        rows = rows_of(self.names.lexicon, item) if self.names.lexicon else None
        if rows is None:
            self._column(item, word)
            return
        unknown = unknown_feature(rows.of(item.name), word.text)
        if unknown is not None:
            raise self.names.fail(
                "M316",
                f"`{word}` is not a feature of `{item.name}`: no column of its table has that name"
                " or holds that value",
                word.span,
                remedy=unknown or "check the table's columns and values",
            )


def _apart(node: s.Expression) -> tuple[s.Expression, ...]:
    """Take ``person and verb.subject`` apart, so that the first selection leaves fewer lexemes."""
    if not isinstance(node, s.And):
        return (node,)
    alone = tuple(item for item in node.items if not references(item))
    related = tuple(item for item in node.items if references(item))
    if not alone or not related:
        return (node,)
    both = (alone, related)
    return tuple(items[0] if len(items) == 1 else s.And(node.span, items) for items in both)


def _may_be(variable: g.Variable, value: str, conditions: tuple[tuple[g.Test, bool], ...]) -> bool:
    """Return whether conditions may be as wanted where a variable has a value."""

    def get(other: g.Variable) -> str | None:
        return value if other is variable else None  # None makes a test neither true nor false

    return all(evaluate(test, get) in (wanted, None) for test, wanted in conditions)


def _without(equation: g.Equation, source: g.Variable, values: Sequence[str]) -> str:
    """Return the remedy that keeps an equation from some values of its right side."""
    those = f"{source} = {' | '.join(values)}"
    if not equation.conditions:
        target = equation.target
        return (
            f"say what it is then: {those} -> {target} = {target.values[-1]} else"
            f" {target} = {source}"
        )
    _, wanted = equation.conditions[-1]
    return f"add `{'and not' if wanted else 'or'} {those}` to the condition"


def _equations(
    test: g.Test, conditions: tuple[tuple[g.Test, bool], ...], rule: g.Rule
) -> Iterator[g.Equation]:
    """Yield what a rule determines: its equations, with their conditions."""
    match test:
        case g.Is(variable=variable, values=(value,)):
            # no rule makes an object present or absent, but one may say what fills a position
            optional = variable.attribute == "" and g.ABSENT in variable.values
            if not optional or (variable.object.position and value != g.ABSENT):
                yield g.Equation(variable, value, conditions, rule)
        case g.Same(variable=variable, other=other):
            yield g.Equation(variable, other, conditions, rule)
        case g.AllOf(tests=tests):
            for part in tests:
                yield from _equations(part, conditions, rule)
        case g.Choice(condition=condition, consequence=then, alternative=otherwise):
            yield from _equations(then, (*conditions, (condition, True)), rule)
            if otherwise is not None:
                yield from _equations(otherwise, (*conditions, (condition, False)), rule)
