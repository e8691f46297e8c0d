"""The typed tree → a resolved grammar: every name looked up, every rule typed.

Problems are collected; an entry with a problem is left out, so that one slip is one diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeVar

from merula import grammar as g
from merula.language import syntax as s
from merula.language.diagnostics import Label, Report, did_you_mean, listing
from merula.language.source import Span
from merula.lexicon import Lexicon, Rows

LETTERS = ("E", "I", "R")
POSITION = "position"
T = TypeVar("T")


class _Unresolved(Exception):
    """An entry cannot be resolved; the reason has been reported."""


def resolve(files: Sequence[s.File], lexicon: Lexicon | None, report: Report) -> g.Grammar | None:
    """The grammar of a file and its imports (``files[-1]`` is the file itself).

    ``lexicon`` is None where a grammar has no tables: a path that may be a column then is one.
    """
    return _Resolver(files, lexicon, report).run()


def rows_of(lexicon: Lexicon, item: g.Object) -> Rows | None:
    """The rows an object's lexemes come from: a set table with its columns, or its category."""
    for rows in lexicon.sets:
        if any(name.split(".")[0] == item.name for name in rows.columns):
            return rows
    return lexicon.lexemes.get(item.category)


class _Resolver:
    def __init__(
        self, files: Sequence[s.File], lexicon: Lexicon | None, report: Report
    ) -> None:
        self.files, self.lexicon, self.report = files, lexicon, report
        self.objects: dict[str, g.Object] = {}
        self.variables: dict[tuple[g.Object, str], g.Variable] = {}
        self.frames: dict[str, tuple[g.Frame, ...]] = {}
        self.frame_nodes: dict[str, s.Frame] = {}
        self.equations: list[g.Equation] = []
        self.determinable: set[g.Variable] = set()

    def run(self) -> g.Grammar | None:
        main = self.files[-1]
        phenomenon = self._one([x for f in self.files[-1:] for x in f.phenomena], "phenomenon")
        language = self._language()
        self._objects()
        self._attributes()
        self._frames()
        rules = self._rules()
        selections = tuple(self._each(self._all("selections"), self._selection))
        designs = self._designs()
        self._unused()
        if phenomenon is None:
            return None
        return g.Grammar(
            main.source,
            phenomenon.name.text,
            phenomenon.doc,
            language,
            self.objects,
            self.variables,
            rules,
            tuple(self.equations),
            tuple(x for many in selections for x in many),
            self.frames,
            designs,
            tuple(g.Example(x.accept, x.text.text, x.span) for x in main.examples),
        )

    # --- helpers

    def _all(self, part: str) -> Iterator[s.Node]:
        for file in self.files:
            yield from getattr(file, part)

    def _each(self, nodes: Iterable[Any], function: Callable[[Any], T]) -> Iterator[T]:
        for node in nodes:
            try:
                yield function(node)
            except _Unresolved:
                continue

    def _fail(self, code: str, message: str, *labels: Label | Span, remedy: str = "") -> _Unresolved:
        self.report.error(code, message, *labels, remedy=remedy)
        return _Unresolved()

    def _twice(self, what: str, name: str, span: Span, first: Span) -> None:
        self.report.error(
            "M102",
            f"{what} `{name}` is declared twice",
            Label(span, "declared again here"),
            Label(first, "first declared here"),
            remedy="rename one of them",
        )

    def _one(self, nodes: Sequence[s.Phenomenon], what: str) -> s.Phenomenon | None:
        source = self.files[-1].source
        if not nodes:
            end = source.line_starts[1] - 1 if len(source.line_starts) > 1 else len(source.text)
            self.report.error(
                "M109",
                f"this grammar has no `{what}`",
                source.span(0, end),
                remedy=f'begin the file with `{what} NAME "what it is about"`',
            )
            return None
        for again in nodes[1:]:
            self._twice(what, again.name.text, again.span, nodes[0].span)
        return nodes[0]

    def _language(self) -> str:
        nodes = [x for f in self.files for x in f.languages]
        for node in nodes[:-1]:
            if node.name != nodes[-1].name:
                self.report.error(
                    "M102",
                    "two languages are declared",
                    Label(nodes[-1].span, f"{nodes[-1].name} here"),
                    Label(node.span, f"{node.name} here"),
                    remedy="keep one",
                )
        return nodes[-1].name.text if nodes else ""

    # --- objects and attributes

    def _objects(self) -> None:
        for entry in self._all("objects"):
            assert isinstance(entry, s.Objects)
            for name in entry.names:
                first = self.objects.get(name.name.text)
                if first is not None:
                    self._twice("object", first.name, name.span, first.span)
                    continue
                category = entry.category.text
                self.objects[name.name.text] = g.Object(
                    name.name.text, category, name.optional, category == POSITION, name.span
                )

    def _attributes(self) -> None:
        declared: dict[str, s.Attribute] = {}
        for node in self._all("attributes"):
            assert isinstance(node, s.Attribute)
            key = str(node.path)
            if key in declared:
                self._twice("attribute", key, node.path.span, declared[key].path.span)
            declared.setdefault(key, node)
            if node.path.attribute and node.path.owner.text not in self.objects:
                self._unknown_object(node.path.owner)
        self.declared = declared
        self.used_attributes: set[str] = set()
        for entry in self._all("objects"):
            assert isinstance(entry, s.Objects)
            for name in entry.names:
                item = self.objects[name.name.text]
                if item.span == name.span:
                    self._variables_of(item, entry)

    def _variables_of(self, item: g.Object, entry: s.Objects) -> None:
        own = self.declared.get(item.name)
        if own is not None or item.optional or item.position:
            self._own_variable(item, own)
        for feature in entry.features:
            node = self.declared.get(f"{item.name}.{feature.name}")
            node = node or self.declared.get(feature.name.text)
            if node is None:
                hint = did_you_mean(feature.name.text, self.declared)
                remedy = hint or f"declare it under `attributes`: {feature.name} = … | …"
                text = f"there is no attribute called `{feature.name}`"
                self.report.error("M101", text, feature.name.span, remedy=remedy)
                continue
            self._variable(item, feature.name.text, node, feature.value)
        for key, node in self.declared.items():
            owner, _, attribute = key.partition(".")
            if attribute and owner == item.name and (item, attribute) not in self.variables:
                self._variable(item, attribute, node, None)

    def _own_variable(self, item: g.Object, node: s.Attribute | None) -> None:
        if item.position and node is None:
            self.report.error(
                "M120",
                f"nothing says what can fill the position `{item.name}`",
                item.span,
                remedy=f"list its fillers under `attributes`: {item.name} = … | …",
            )
            return
        if node is not None:
            self.used_attributes.add(str(node.path))
        values = tuple(v.value.text for v in node.values) if node else (g.PRESENT,)
        if item.position and node is not None:
            for value in node.values:
                if value.value.text not in self.objects:
                    self._unknown_object(value.value)
        values = ((g.ABSENT,) if item.optional else ()) + values
        words = self._words(node) if node else {}
        self.variables[item, ""] = g.Variable(
            item, "", values, values[0], node.span if node else item.span, words
        )

    def _variable(
        self, item: g.Object, attribute: str, node: s.Attribute, fixed: s.Word | None
    ) -> None:
        self.used_attributes.add(str(node.path))
        values = tuple(v.value.text for v in node.values)
        if len(set(values)) < len(values):
            doubled = next(v for v in node.values if values.count(v.value.text) > 1)
            text = f"value `{doubled.value}` stands twice in `{node.path}`"
            self.report.error("M102", text, doubled.value.span, remedy="delete one")
        if fixed is not None and fixed.text not in values:
            self._unknown_value(fixed, str(node.path), values)
            fixed = None
        default = fixed.text if fixed else values[0]
        self.variables[item, attribute] = g.Variable(
            item,
            attribute,
            tuple(dict.fromkeys(values)),
            default,
            node.span,
            self._words(node),
            fixed=fixed is not None,
        )

    def _words(self, node: s.Attribute) -> dict[str, tuple[str | g.ColumnWord, ...]]:
        words: dict[str, tuple[str | g.ColumnWord, ...]] = {}
        for value in node.values:
            known: list[str | g.ColumnWord] = []
            for word in value.words:
                if isinstance(word, s.Word):
                    known.append(word.text)
                    continue
                owner = self.objects.get(word.owner.text)
                if owner is None:
                    self._unknown_object(word.owner)
                elif word.attribute is not None:
                    known.append(g.ColumnWord(owner, word.attribute.text))
            if known:
                words[value.value.text] = tuple(known)
        return words

    def _unused(self) -> None:
        for key, node in self.declared.items():
            if key in self.used_attributes or (node.path.attribute and "." in key):
                continue
            self.report.warning(
                "M105",
                f"no object has the attribute `{key}`",
                node.path.span,
                remedy=f"list it with the objects that have it: NAME : category ({key})",
            )

    def _unknown_object(self, word: s.Word) -> _Unresolved:
        hint = did_you_mean(word.text, self.objects)
        return self._fail(
            "M101",
            f"there is no object called `{word}`",
            word.span,
            remedy=hint or "declare it under `objects`",
        )

    def _unknown_value(self, word: s.Word, owner: str, values: Iterable[str]) -> _Unresolved:
        known = tuple(values)
        return self._fail(
            "M104",
            f"`{owner}` has no value `{word}`",
            word.span,
            remedy=did_you_mean(word.text, known) or f"its values are {listing(known)}",
        )

    # --- paths

    def object(self, word: s.Word) -> g.Object:
        if word.text not in self.objects:
            raise self._unknown_object(word)
        return self.objects[word.text]

    def variable(self, path: s.Path) -> g.Variable:
        """The variable of a path; a column of the object's table becomes a lexical variable."""
        item = self.object(path.owner)
        attribute = path.attribute.text if path.attribute else ""
        found = self.variables.get((item, attribute))
        if found is not None:
            return found
        if not attribute:
            raise self._fail(
                "M103",
                f"`{item.name}` is always there and has no kinds of its own",
                path.span,
                remedy=f"name one of its attributes ({item.name}.…), or mark it optional with `?`",
            )
        return self._lexical(item, path)

    def _lexical(self, item: g.Object, path: s.Path) -> g.Variable:
        assert path.attribute is not None
        name = path.attribute.text
        rows = rows_of(self.lexicon, item) if self.lexicon else None
        column = f"{item.name}.{name}" if rows is not None and rows.kind == "sets" else name
        if self.lexicon is None or (rows is not None and column in rows.columns):
            values = tuple(sorted(rows.values[column])) if rows else ()
            found = g.Variable(item, name, values, "", path.span, lexical=True)
            self.variables[item, name] = found
            return found
        has = [a for (o, a) in self.variables if o is item and a]
        columns = [c for c in rows.columns if c != "lemma"] if rows else []
        hint = did_you_mean(name, [*has, *columns])
        known = f"it has {listing(has)}" if has else "it has no attributes"
        raise self._fail(
            "M103",
            f"`{item.name}` has no attribute `{name}`",
            path.span,
            remedy=hint or known,
        )

    def axis(self, path: s.Path, values: Sequence[s.Word], *, take_absent: bool = False) -> g.Axis:
        """The values of a path as points; of an optional object also values of its attributes."""
        item = self.object(path.owner)
        if path.attribute is not None or (item, "") in self.variables:
            variable = self.variable(path)
        else:
            attributes = [v for (o, a), v in self.variables.items() if o is item and a]
            if not values or not attributes:
                variable = self.variable(path)  # reports that there is none
            else:
                variable = self._attribute_with(item, values[0], attributes)
        if not values:
            kinds = [v for v in variable.values if v not in (g.ABSENT,)]
            names = variable.values if take_absent or len(kinds) < 2 else tuple(kinds)
            if not names:
                raise self._fail("M104", f"`{variable}` has no values to go through", path.span)
            return g.Axis(str(path), tuple(g.Point(n, ((variable, n),)) for n in names), path.span)
        points = tuple(self.point(path, word) for word in values)
        return g.Axis(str(path), points, path.span)

    def point(self, path: s.Path, word: s.Word) -> g.Point:
        """What it means that a path has a value (``n2`` = ``sg``: it is there and singular)."""
        item = self.object(path.owner)
        if path.attribute is not None:
            variable = self.variable(path)
            if word.text not in variable.values and not (variable.lexical and not variable.values):
                raise self._unknown_value(word, str(variable), variable.values)
            return g.Point(word.text, ((variable, word.text),))
        own = self.variables.get((item, ""))
        text = g.ABSENT if word.text in ("-", "–") else word.text
        if own is not None and text in own.values:
            return g.Point(text, ((own, text),))
        attributes = [v for (o, a), v in self.variables.items() if o is item and a]
        variable = self._attribute_with(item, word, attributes)
        there = ((own, g.PRESENT),) if own is not None and g.PRESENT in own.values else ()
        return g.Point(text, (*there, (variable, text)))

    def _attribute_with(
        self, item: g.Object, word: s.Word, attributes: Sequence[g.Variable]
    ) -> g.Variable:
        having = [v for v in attributes if word.text in v.values]
        if len(having) == 1:
            return having[0]
        if having:
            raise self._fail(
                "M104",
                f"`{word}` is a value of {listing(having)}",
                word.span,
                remedy=f"say which one is meant: {having[0]} = {word}",
            )
        own = self.variables.get((item, ""))
        known = [v for x in (*((own,) if own else ()), *attributes) for v in x.values]
        raise self._unknown_value(word, item.name, dict.fromkeys(known))

    # --- tests

    def test(self, node: s.Clause) -> g.Test:
        match node:
            case s.Truth():
                return self._truth(node.path)
            case s.Equal():
                return self._equal(node)
            case s.Inside():
                return g.Within(self.object(node.path.owner), self._place(node.place))
            case s.Not():
                return g.Not(self.test(node.item))
            case s.And():
                return g.All(tuple(self.test(item) for item in node.items))
            case s.Or():
                return g.Any_(tuple(self.test(item) for item in node.items))
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
                others = tuple(self.variable(path) for path in node.others)
                return g.Ignores(self.variable(node.path), others)

    def _truth(self, path: s.Path) -> g.Test:
        variable = self.variable(path)
        if "yes" in variable.values:
            return g.Is(variable, ("yes",))
        if not variable.attribute and g.ABSENT in variable.values:
            return g.Is(variable, tuple(v for v in variable.values if v != g.ABSENT))
        raise self._fail(
            "M201",
            f"`{path}` alone is neither true nor false",
            path.span,
            remedy=f"say which value: {path} = {listing(variable.values, 'or')}",
        )

    def _equal(self, node: s.Equal) -> g.Test:
        variable = self.variable(node.path)
        values: list[str] = []
        tests: list[g.Test] = []
        for term in node.terms:
            known = variable.values or ()
            if term.attribute is None and (
                term.owner.text in known or (variable.lexical and term.owner.text not in self.objects)
            ):
                if variable.lexical and known and term.owner.text not in known:
                    raise self._unknown_value(term.owner, str(variable), known)
                values.append(term.owner.text)
            elif term.attribute is None and term.owner.text not in self.objects:
                raise self._unknown_value(term.owner, str(variable), known)
            else:
                other = self.variable(term)
                self._comparable(variable, other, node)
                tests.append(g.Same(variable, other))
        if values:
            tests.insert(0, g.Is(variable, tuple(values)))
        return tests[0] if len(tests) == 1 else g.Any_(tuple(tests))

    def _comparable(self, one: g.Variable, other: g.Variable, node: s.Equal) -> None:
        if one.values and other.values and not set(one.values) & set(other.values):
            raise self._fail(
                "M202",
                f"`{one}` and `{other}` have no value in common, so they are never equal",
                node.span,
                remedy=f"{one} is {listing(one.values, 'or')}; {other} is"
                f" {listing(other.values, 'or')}",
            )

    def _place(self, path: s.Path) -> str | g.Variable:
        if path.attribute is not None:
            variable = self.variable(path)
            names = set(variable.values) & self.brackets
            if variable.values and not names:
                raise self._fail(
                    "M203",
                    f"no value of `{variable}` is the name of a constituent",
                    path.span,
                    remedy=f"name a constituent in a frame: [{variable.values[0]} …]",
                )
            return variable
        if path.owner.text not in self.brackets:
            raise self._fail(
                "M203",
                f"no frame has a constituent called `{path}`",
                path.span,
                remedy=did_you_mean(path.owner.text, self.brackets)
                or f"bracket it in a frame: [{path} …]",
            )
        return path.owner.text

    # --- rules

    def _rules(self) -> tuple[g.Rule, ...]:
        rules: list[g.Rule] = []
        first: dict[str, s.Rule] = {}
        for letter, part in (("E", "external"), ("I", "internal")):
            for node in self._all(part):
                assert isinstance(node, s.Rule)
                if node.name.text in first:
                    before = first[node.name.text]
                    self._twice("rule", node.name.text, node.name.span, before.name.span)
                    continue
                first[node.name.text] = node
                try:
                    tests = tuple(self.test(clause) for clause in node.clauses)
                except _Unresolved:
                    continue
                rule = g.Rule(node.name.text, letter, node.doc, tests, node.span)
                rules.append(rule)
                for test in tests:
                    self.equations.extend(_equations(test, (), rule))
        return tuple(rules)

    # --- frames

    def _frames(self) -> None:
        for node in self._all("frames"):
            assert isinstance(node, s.Frame)
            name = node.name.text
            if name in self.frame_nodes:
                self._twice("frame", name, node.name.span, self.frame_nodes[name].name.span)
                continue
            if name in self.objects:
                self.report.error(
                    "M102",
                    f"`{name}` is both a frame and an object",
                    Label(node.name.span, "a frame here"),
                    Label(self.objects[name].span, "an object here"),
                    remedy="rename one of them",
                )
                continue
            self.frame_nodes[name] = node
        self.brackets: set[str] = set()
        self.sites: dict[str, Span] = {}
        for node in self.frame_nodes.values():
            self._collect(node.items)
        self._site_values()
        for name, node in self.frame_nodes.items():
            try:
                options = [tuple(items) for items in self._expand(node.items, (name,))]
            except _Unresolved:
                self.frames[name] = ()
                continue
            names = [name] if len(options) == 1 else [f"{name}/{i + 1}" for i in range(len(options))]
            self.frames[name] = tuple(
                g.Frame(title, items) for title, items in zip(names, options, strict=True)
            )

    def _collect(self, items: Iterable[s.Item]) -> None:
        for item in items:
            if isinstance(item, s.Bracket):
                self.brackets.add(item.name.text)
                self._collect(item.items)
            elif isinstance(item, s.Site):
                self.sites.setdefault(item.name.text, item.span)
            elif isinstance(item, s.Alternatives):
                for option in item.options:
                    self._collect(option.items)

    def _site_values(self) -> None:
        taken = set()
        for (item, attribute), variable in self.variables.items():
            if attribute != "site":
                continue
            taken.update(variable.values)
            for value in variable.values:
                if self.frame_nodes and value not in self.sites:
                    self.report.error(
                        "M204",
                        f"no frame has a site `@{value}` for `{item.name}`",
                        variable.span,
                        remedy=did_you_mean(value, self.sites)
                        or f"mark the place in a frame with @{value}",
                    )
        for name, span in self.sites.items():
            if name not in taken:
                self.report.error(
                    "M204",
                    f"nothing can stand at the site `@{name}`",
                    span,
                    remedy=did_you_mean(name, taken)
                    or f"give an object that attribute: NAME.site = {name} | …",
                )

    def _expand(
        self, items: Iterable[s.Item], inside: tuple[str, ...]
    ) -> Iterator[tuple[g.Item, ...]]:
        """Every way to choose the free alternatives, frames inlined."""
        done: list[tuple[g.Item, ...]] = [()]
        for item in items:
            ways = list(self._ways(item, inside))
            done = [(*before, *way) for before in done for way in ways]
        yield from done

    def _ways(self, item: s.Item, inside: tuple[str, ...]) -> Iterator[tuple[g.Item, ...]]:
        match item:
            case s.Literal():
                yield (g.Literal(item.text.text),)
            case s.Site():
                yield (g.Site(item.name.text),)
            case s.Bracket():
                for content in self._expand(item.items, inside):
                    yield (g.Bracket(item.name.text, content),)
            case s.Reference():
                yield from self._reference(item.name, inside)
            case s.Alternatives():
                if any(option.guard for option in item.options):
                    yield from self._guarded(item, inside)
                else:
                    for option in item.options:
                        yield from self._expand(option.items, inside)

    def _reference(self, name: s.Word, inside: tuple[str, ...]) -> Iterator[tuple[g.Item, ...]]:
        if name.text in inside:
            path = " → ".join((*inside, name.text))
            raise self._fail(
                "M107",
                f"the frame `{name}` contains itself: {path}",
                name.span,
                remedy="a frame is a finite pattern; write the levels out under other names",
            )
        if name.text in self.objects:
            yield (g.Reference(self.objects[name.text]),)
        elif name.text in self.frame_nodes:
            yield from self._expand(self.frame_nodes[name.text].items, (*inside, name.text))
        else:
            raise self._fail(
                "M106",
                f"`{name}` is neither an object nor a frame",
                name.span,
                remedy=did_you_mean(name.text, [*self.objects, *self.frame_nodes])
                or f'declare it, or quote it if it is a word: "{name}"',
            )

    def _guarded(
        self, item: s.Alternatives, inside: tuple[str, ...]
    ) -> Iterator[tuple[g.Item, ...]]:
        ways: list[list[tuple[g.Test | None, tuple[g.Item, ...]]]] = [[]]
        for option in item.options:
            guard = self.test(option.guard) if option.guard is not None else None
            contents = list(self._expand(option.items, inside))
            ways = [[*way, (guard, content)] for way in ways for content in contents]
        for way in ways:
            yield (g.Guarded(tuple(way)),)

    def _frames_named(self, names: Sequence[s.Word], span: Span) -> tuple[g.Frame, ...]:
        if not names:
            if len(self.frames) == 1:
                return next(iter(self.frames.values()))
            known = listing(self.frames, "or")
            raise self._fail(
                "M106",
                "nothing says which frame the sentences have",
                span,
                remedy=f"add `in` and {known}" if known else "declare one under `frames`",
            )
        frames: list[g.Frame] = []
        for name in names:
            if name.text not in self.frames:
                raise self._fail(
                    "M106",
                    f"there is no frame called `{name}`",
                    name.span,
                    remedy=did_you_mean(name.text, self.frames)
                    or (f"frames are {listing(self.frames)}" if self.frames else "declare it"),
                )
            frames.extend(self.frames[name.text])
        if not frames:
            raise _Unresolved
        return tuple(frames)

    # --- selection

    def _selection(self, node: s.Selection) -> tuple[g.Selection, ...]:
        objects = tuple(self.object(word) for word in node.names)
        if isinstance(node, s.Differ):
            return (g.Differ(objects, node.span),)
        if isinstance(node, s.Share):
            for item in objects:
                self._column(item, node.column)
            return (g.Share(objects, node.column.text, node.span),)
        for item in objects:
            self._check_expression(item, node.expression)
        return tuple(g.IsA(item, node.expression, node.span) for item in objects)

    def _column(self, item: g.Object, word: s.Word) -> None:
        rows = rows_of(self.lexicon, item) if self.lexicon else None
        if self.lexicon is None:
            return
        if rows is None:
            raise self._fail(
                "M314",
                f"no table has lexemes of the category `{item.category}` (for `{item.name}`)",
                word.span,
                remedy=did_you_mean(item.category, self.lexicon.lexemes)
                or "write that category in the tables' `category` column",
            )
        if word.text not in rows.columns:
            raise self._fail(
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
                    self._column(self.object(path.owner), path.attribute)
                elif isinstance(node, s.Equal):
                    self._column(item, path.owner)
                else:
                    self._feature(item, path.owner)
            case s.Inside():
                raise self._fail(
                    "M205", "a lexeme is not inside a constituent; a rule can say that", node.span
                )

    def _feature(self, item: g.Object, word: s.Word) -> None:
        rows = rows_of(self.lexicon, item) if self.lexicon else None
        if rows is None:
            self._column(item, word)
            return
        unknown = unknown_feature(rows, word.text)
        if unknown is not None:
            raise self._fail(
                "M316",
                f"`{word}` is no feature of `{item.name}`: no column of its table is called so"
                " or holds that value",
                word.span,
                remedy=unknown or "check the table's columns and values",
            )

    # --- designs

    def _designs(self) -> tuple[g.Design, ...]:
        main = self.files[-1]
        designs: dict[str, g.Design] = {}
        spans: dict[str, Span] = {}
        for node in (*main.paradigms, *main.matrices):
            if node.name.text in spans:
                self._twice("design", node.name.text, node.name.span, spans[node.name.text])
                continue
            spans[node.name.text] = node.name.span
            try:
                designs[node.name.text] = self._design(node, designs)
            except _Unresolved:
                continue
        self._answers(main, designs, spans)
        return tuple(designs.values())

    def _design(self, node: s.Paradigm | s.Matrix, designs: Mapping[str, g.Design]) -> g.Design:
        if isinstance(node, s.Swapped):
            return self._swapped(node, designs)
        frames = self._frames_named(node.tail.frames, node.name.span)
        varying = tuple(self.axis(f.path, f.values, take_absent=True) for f in node.tail.varying)
        fixings = tuple(
            pair for f in node.tail.fixings for pair in self.point(f.path, f.value).assignment
        )
        if isinstance(node, s.Paradigm):
            factors = tuple(self.axis(f.path, f.values) for f in node.factors)
            self._once([*factors, *varying])
            return g.Paradigm(
                node.name.text, node.doc, factors, frames, varying, fixings, node.span
            )
        if isinstance(node, s.ItemTable):
            rows = self._rows(node)
            return g.Matrix(
                node.name.text, node.doc, frames, varying, fixings, len(rows), (), rows, (), node.span
            )
        if node.length < 2:
            raise self._fail("M410", "a matrix needs at least 2 items", node.span)
        cycles = tuple(self._each(node.cycles, self._cycle))
        if len(cycles) < len(node.cycles):
            raise _Unresolved
        if not cycles:
            raise self._fail(
                "M410",
                f"nothing changes from item to item of `{node.name}`",
                node.span,
                remedy="write a line such as `n1.number cycles 2 of sg | pl every 2` under it",
            )
        self._once([*(c.axis for c in cycles), *varying])
        return g.Matrix(
            node.name.text, node.doc, frames, varying, fixings, node.length, cycles, (), (), node.span
        )

    def _once(self, axes: Sequence[g.Axis]) -> None:
        first: dict[str, g.Axis] = {}
        for axis in axes:
            if axis.name in first:
                raise self._fail(
                    "M411",
                    f"`{axis.name}` is given twice",
                    Label(axis.span, "again here"),
                    Label(first[axis.name].span, "first here"),
                    remedy="keep one",
                )
            first[axis.name] = axis

    def _cycle(self, node: s.Cycle) -> g.Cycle:
        axis = self.axis(node.path, node.values)
        letter = node.letter.text if node.letter else "R"
        if letter not in LETTERS:
            assert node.letter is not None
            raise self._fail(
                "M412",
                f"there is no error class `{letter}`",
                node.letter.span,
                remedy="classes are E (external), I (internal) and R (relational)",
            )
        if node.every < 1:
            raise self._fail("M413", "a cycle changes every 1 item or more", node.every_span)
        if node.take > len(axis.points) or node.take == 1:
            raise self._fail(
                "M413",
                f"a cycle of {node.take} cannot be taken from {len(axis.points)} values",
                node.span,
                remedy=f"write a number from 2 to {len(axis.points)}",
            )
        orders = tuple(permutations(axis.points, node.take)) if node.take else (axis.points,)
        return g.Cycle(axis, orders, node.every, letter, node.span, node.every_span)

    def _rows(self, node: s.ItemTable) -> tuple[tuple[g.Point, ...], ...]:
        if not node.columns or len(node.rows) < 2:
            raise self._fail(
                "M414",
                f"the item table of `{node.name}` is not complete",
                node.span,
                remedy="write a header `| object object.attribute …` and a row `1 | value …`"
                " for every item, at least two",
            )
        rows = []
        for number, row in enumerate(node.rows, 1):
            if row.number != number:
                text = f"row {row.number} of the item table stands where row {number} should"
                raise self._fail("M414", text, row.span, remedy="number the rows 1, 2, 3 …")
            if len(row.cells) != len(node.columns):
                raise self._fail(
                    "M414",
                    f"this row has {len(row.cells)} values for {len(node.columns)} columns",
                    Label(row.span),
                    Label(node.columns[0].span.to(node.columns[-1].span), "the columns"),
                    remedy="write `-` where an object is absent",
                )
            pairs = zip(node.columns, row.cells, strict=True)
            rows.append(tuple(self.point(path, cell) for path, cell in pairs))
        return tuple(rows)

    def _swapped(self, node: s.Swapped, designs: Mapping[str, g.Design]) -> g.Matrix:
        base = designs.get(node.base.text)
        if not isinstance(base, g.Matrix):
            known = [name for name, d in designs.items() if isinstance(d, g.Matrix)]
            raise self._fail(
                "M101",
                f"there is no matrix called `{node.base}` above this line",
                node.base.span,
                remedy=did_you_mean(node.base.text, known),
            )
        if not base.rows:
            raise self._fail(
                "M415",
                f"the items of `{base.name}` follow from cycles, so two of them cannot be swapped",
                node.span,
                remedy="give another matrix its own cycles, or write an item table",
            )
        for number in (node.first, node.second):
            if not 1 <= number <= base.length:
                text = f"`{base.name}` has no item {number}"
                raise self._fail("M415", text, node.span, remedy=f"items are 1 to {base.length}")
        rows = list(base.rows)
        i, j = node.first - 1, node.second - 1
        rows[i], rows[j] = rows[j], rows[i]
        return g.Matrix(
            node.name.text,
            node.doc,
            base.frames,
            base.varying,
            base.fixings,
            base.length,
            (),
            tuple(rows),
            (),
            node.span,
        )

    # --- answers

    def _answers(
        self, main: s.File, designs: dict[str, g.Design], spans: Mapping[str, Span]
    ) -> None:
        for node in main.answers:
            names = [word.text for word in node.matrices]
            for word in node.matrices:
                if word.text not in spans:
                    self.report.error(
                        "M101",
                        f"there is no matrix called `{word}`",
                        word.span,
                        remedy=did_you_mean(word.text, spans),
                    )
                elif isinstance(designs.get(word.text), g.Paradigm):
                    self.report.error(
                        "M416",
                        f"`{word}` is a paradigm; only a matrix has answers",
                        word.span,
                        remedy="the cells of a paradigm are labelled by its rules",
                    )
            if not names:
                names = [name for name, d in designs.items() if isinstance(d, g.Matrix)]
            answers = tuple(self._each(node.answers, self._answer))
            self._labels(answers)
            for name in names:
                design = designs.get(name)
                if isinstance(design, g.Matrix):
                    designs[name] = _with_answers(design, (*design.answers, *answers))

    def _labels(self, answers: Sequence[g.Answer]) -> None:
        first: dict[str, g.Answer] = {}
        for answer in answers:
            if answer.label in first:
                self._twice("answer", answer.label, answer.span, first[answer.label].span)
            elif answer.label == CORRECT:
                self.report.error(
                    "M417",
                    f"`{CORRECT}` is the label of the right answer",
                    answer.span,
                    remedy="give the wrong answer another label",
                )
            first.setdefault(answer.label, answer)

    def _answer(self, node: s.Answer) -> g.Answer:
        letters = [*(claim.letter for claim in node.claims)]
        letters += [node.counts_as] if node.counts_as else []
        for letter in letters:
            if letter.text not in LETTERS:
                raise self._fail(
                    "M412",
                    f"there is no error class `{letter}`",
                    letter.span,
                    remedy="classes are E (external), I (internal) and R (relational)",
                )
        claims = tuple(
            g.Claim(c.letter.text, tuple(str(rule) for rule in c.rules), c.span)
            for c in node.claims
        )
        remedies = tuple(self._edits(edits) for edits in node.remedies)
        counts_as = node.counts_as.text if node.counts_as else None
        return g.Answer(node.label.text, node.doc, claims, counts_as, remedies, node.span)

    def _edits(self, node: s.Edits) -> g.Edits:
        keeping = tuple(self.variable(path) for path in node.keeping)
        return g.Edits(tuple(self._edit(edit) for edit in node.edits), keeping, node.span)

    def _edit(self, node: s.Edit) -> g.Edit:
        match node:
            case s.Flip():
                variable = self.variable(node.path)
                if len(variable.values) != 2 and not variable.lexical:
                    raise self._fail(
                        "M418",
                        f"`{variable}` has {len(variable.values)} values, so it cannot be flipped",
                        node.path.span,
                        remedy=f"say which one: set {variable} = {listing(variable.values, 'or')}",
                    )
                return g.Flip(variable, node.span)
            case s.Set():
                return self._set(node)
            case s.Add():
                item = self._optional(node.name)
                return g.Add(item, self.object(node.like) if node.like else None, node.span)
            case s.Drop():
                return g.Drop(self._optional(node.name), node.span)
            case s.Swap():
                return self._swap(node)
            case s.Replace():
                return self._replace(node)
            case s.Embed():
                return g.Embed(
                    self.object(node.name), self.object(node.host), node.text, node.span
                )

    def _set(self, node: s.Set) -> g.Assign:
        if node.term.attribute is None:
            point = self.point(node.path, node.term.owner)
            return g.Assign(point, point.assignment[-1][0], None, node.span)
        return g.Assign(None, self.variable(node.path), self.variable(node.term), node.span)

    def _optional(self, word: s.Word) -> g.Object:
        item = self.object(word)
        if not item.optional:
            raise self._fail(
                "M419",
                f"`{item.name}` is always there",
                Label(word.span),
                Label(item.span, "declared without `?`"),
                remedy=f"declare it as `{item.name}?` to add or drop it",
            )
        return item

    def _swap(self, node: s.Swap) -> g.Edit:
        if node.first.attribute or node.second.attribute:
            return g.SwapValues(self.variable(node.first), self.variable(node.second), node.span)
        one, other = self.object(node.first.owner), self.object(node.second.owner)
        if one.position and other.position:
            return g.SwapValues(self.variables[one, ""], self.variables[other, ""], node.span)
        return g.SwapPlaces(one, other, node.span)

    def _replace(self, node: s.Replace) -> g.Replace:
        target: g.Object | g.Variable
        target = self.variable(node.path) if node.path.attribute else self.object(node.path.owner)
        other = self.object(node.other) if node.other else None
        return g.Replace(target, node.text, other, node.span)


CORRECT = "Correct"


def _with_answers(m: g.Matrix, answers: tuple[g.Answer, ...]) -> g.Matrix:
    return g.Matrix(
        m.name, m.doc, m.frames, m.varying, m.fixings, m.length, m.cycles, m.rows, answers, m.span
    )


def _equations(
    test: g.Test, conditions: tuple[tuple[g.Test, bool], ...], rule: g.Rule
) -> Iterator[g.Equation]:
    """What a rule determines: its equations, with the conditions they stand under."""
    match test:
        case g.Is(variable=variable, values=(value,)):
            if not (variable.attribute == "" and g.ABSENT in variable.values):
                yield g.Equation(variable, value, conditions, rule)
        case g.Same(variable=variable, other=other):
            yield g.Equation(variable, other, conditions, rule)
            yield g.Equation(other, variable, conditions, rule, reverse=True)
        case g.All(tests=tests):
            for part in tests:
                yield from _equations(part, conditions, rule)
        case g.Choice(condition=condition, consequence=then, alternative=otherwise):
            yield from _equations(then, (*conditions, (condition, True)), rule)
            if otherwise is not None:
                yield from _equations(otherwise, (*conditions, (condition, False)), rule)


def unknown_feature(rows: Rows, word: str) -> str | None:
    """None if a bare word is a column or a value of one column; else a hint (maybe empty)."""
    if word in rows.columns or any(word in values for values in rows.values.values()):
        return None
    known = [*rows.columns, *(v for n, vs in rows.values.items() if len(vs) < 50 for v in vs)]
    return did_you_mean(word, known)
