"""Names → things: the objects and variables of a grammar, and the meaning of its paths.

The parsed files of a grammar and its tables go in; `Names` answers what a name or a path
(``verb.number``) is, and reports what it is not. Frames, rules and designs look their names up
here. What cannot be resolved raises `Unresolved`, after it has been reported once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from merula.core.diagnostics import Label, Report
from merula.core.source import Span
from merula.core.wording import did_you_mean, listing, near
from merula.grammar import model as g
from merula.language import syntax as s
from merula.lexicon.table import Lexicon, Rows, clean, has_several, members

POSITION = "position"
T = TypeVar("T")


class Unresolved(Exception):
    """An entry cannot be resolved; the reason has been reported."""


def rows_of(lexicon: Lexicon, item: g.Object) -> Rows | None:
    """Return the rows that an object's lexemes come from: a table of sets, or its category."""
    for rows in lexicon.sets:
        if any(name.split(".")[0] == item.name for name in rows.columns):
            return rows
    return lexicon.lexemes.get(item.category)


class Names:
    """The objects and variables declared in some files; every failed look-up is reported."""

    def __init__(self, files: Sequence[s.File], lexicon: Lexicon | None, report: Report) -> None:
        self.files, self.lexicon, self.report = files, lexicon, report
        self.objects: dict[str, g.Object] = {}
        self.variables: dict[tuple[g.Object, str], g.Variable] = {}
        self.declared: dict[str, s.Attribute] = {}
        self.used_attributes: set[str] = set()
        self._objects()
        self._attributes()

    # --- helpers

    def is_own(self, span: Span) -> bool:
        """Return whether a place is in the grammar itself, not in a file that it imports."""
        return span.source is self.files[-1].source

    def all_nodes(self, part: str) -> Iterator[s.Node]:
        """Yield every node of a part, imported files first."""
        for file in self.files:
            yield from getattr(file, part)

    def each(self, nodes: Iterable[Any], function: Callable[[Any], T]) -> Iterator[T]:
        """Yield the results of a function over nodes, without those that cannot be resolved."""
        for node in nodes:
            try:
                yield function(node)
            except Unresolved:
                continue

    def fail(
        self,
        code: str,
        message: str,
        *labels: Label | Span,
        remedy: str = "",
        about: tuple[str, ...] = (),
        meant: str | None = None,
    ) -> Unresolved:
        """Report an error; the result is to be raised."""
        self.report.error(code, message, *labels, remedy=remedy, about=about, meant=meant)
        return Unresolved()

    def twice(self, what: str, name: str, span: Span, first: Span) -> None:
        """Report a name that is declared twice."""
        self.report.error(
            "M102",
            f"{what} `{name}` is declared twice",
            Label(span, "declared again here"),
            Label(first, "first declared here"),
            remedy="rename one of them",
        )

    # --- objects and attributes

    def _objects(self) -> None:
        for entry in self.all_nodes("objects"):
            assert isinstance(entry, s.Objects)
            for name in entry.names:
                first = self.objects.get(name.name.text)
                if first is not None:
                    self.twice("object", first.name, name.span, first.span)
                    continue
                category = entry.category.text
                self.objects[name.name.text] = g.Object(
                    name.name.text, category, name.optional, category == POSITION, name.span
                )

    def _attributes(self) -> None:
        declared = self.declared
        for node in self.all_nodes("attributes"):
            assert isinstance(node, s.Attribute)
            key = str(node.path)
            if key in declared:
                self.twice("attribute", key, node.path.span, declared[key].path.span)
            declared.setdefault(key, node)
            if node.path.attribute and node.path.owner.text not in self.objects:
                self.unknown_object(node.path.owner)
        for entry in self.all_nodes("objects"):
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
                name, meant = feature.name, near(feature.name.text, self.declared)
                about = (name.text,)
                self.report.error("M101", text, name.span, remedy=remedy, about=about, meant=meant)
                if meant is not None:  # one slip is one diagnostic
                    self._variable(item, meant, self.declared[meant], None)
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
                filler = self.objects.get(value.value.text)
                if filler is None:
                    self.unknown_object(value.value)
                elif filler.position:
                    self.report.error(
                        "M122",
                        f"the position `{item.name}` is filled by another position,"
                        f" `{filler.name}`",
                        value.value.span,
                        remedy="list the objects that can stand there",
                    )
                elif filler.optional:
                    self.report.error(
                        "M122",
                        f"the position `{item.name}` is filled by `{filler.name}`, which may be"
                        " absent",
                        Label(value.value.span),
                        Label(filler.span, "declared with `?`"),
                        remedy=f"declare `{filler.name}` without `?`: it shows only where it fills"
                        f" a position; let the position be absent (`{item.name}?`)",
                    )
        if node is not None:
            self._doubled_value(node, absent=item.optional)
        values = tuple(dict.fromkeys(((g.ABSENT,) if item.optional else ()) + values))
        words = self._words(node) if node else {}
        self.variables[item, ""] = g.Variable(
            item, "", values, values[0], node.span if node else item.span, words
        )

    def _variable(
        self, item: g.Object, attribute: str, node: s.Attribute, fixed: s.Word | None
    ) -> None:
        self.used_attributes.add(str(node.path))
        values = tuple(v.value.text for v in node.values)
        self._doubled_value(node, absent=False)
        if fixed is not None and fixed.text not in values:
            self.unknown_value(fixed, str(node.path), values)
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

    def _doubled_value(self, node: s.Attribute, *, absent: bool) -> None:
        """Report a value that is written twice; an optional object has `absent` already."""
        first: dict[str, Span] = {}
        for value in node.values:
            name, span = value.value.text, value.value.span
            if absent and name == g.ABSENT:
                text = f"`{node.path}` may be absent already, as its `?` says"
                self.report.error("M102", text, span, remedy="delete this value")
            elif name in first:
                self.report.error(
                    "M102",
                    f"value `{name}` stands twice in `{node.path}`",
                    Label(span, "again here"),
                    Label(first[name], "first here"),
                    remedy="delete one",
                )
            first.setdefault(name, span)

    def _words(self, node: s.Attribute) -> dict[str, tuple[str | g.ColumnWord, ...]]:
        words: dict[str, tuple[str | g.ColumnWord, ...]] = {}
        for value in node.values:
            texts: list[str | g.ColumnWord] = []
            for word in value.words:
                if isinstance(word, s.Word):
                    texts.append(clean(word.text))
                    continue
                owner = self.objects.get(word.owner.text)
                if owner is None:
                    self.unknown_object(word.owner)
                elif word.attribute is not None:
                    texts.append(g.ColumnWord(owner, word.attribute.text))
            texts = list(dict.fromkeys(texts))
            barred = next((x for x in texts if isinstance(x, str) and has_several(x)), None)
            if barred is not None:
                quoted = ", ".join(f'"{text}"' for text in members(barred))
                self.report.error(
                    "M348",
                    f"`{value.value}` has the word `{barred}`, but a word is one text",
                    value.span,
                    remedy=f"quote each word: {value.value} {quoted}"
                    if quoted
                    else "take the bar away",
                )
            elif len(texts) > 1 and not all(texts):
                self.report.error(
                    "M121",
                    f"one of the words of `{value.value}` is empty",
                    value.span,
                    remedy='a value has words to choose from, or none at all (""):'
                    " make the empty one a value of its own",
                )
            elif len(texts) > 1 and not all(isinstance(word, str) for word in texts):
                self.report.error(
                    "M123",
                    f"`{value.value}` mixes words and columns",
                    value.span,
                    remedy="name one column, or quote all words to choose from",
                )
            elif texts:
                words[value.value.text] = tuple(texts)
        return words

    def report_unused(self) -> None:
        """Warn of attributes that no object has."""
        for key, node in self.declared.items():
            if key in self.used_attributes or (node.path.attribute and "." in key):
                continue
            if not self.is_own(node.path.span):
                continue
            self.report.warning(
                "M105",
                f"no object has the attribute `{key}`",
                node.path.span,
                remedy=f"list it with the objects that have it: NAME : category ({key})",
            )

    def unknown_object(self, word: s.Word) -> Unresolved:
        """Report a name that no object has; the result is to be raised."""
        hint = did_you_mean(word.text, self.objects) or self._value_meant(word)
        remedy = hint or "declare it under `objects`"
        if word.text in self.declared:
            having = [o.name for (o, a) in self.variables if a == word.text]
            remedy = f"`{word}` is an attribute: say whose, as in {(having or ['NAME'])[0]}.{word}"
        return self.fail(
            "M101",
            f"there is no object called `{word}`",
            word.span,
            remedy=remedy,
            about=(word.text,),
            meant=near(word.text, self.objects),
        )

    def _value_meant(self, word: s.Word) -> str:
        """Return the remedy where a value is written as if it were an object, or ""."""
        for name, node in self.declared.items():
            if word.text in {value.value.text for value in node.values}:
                path = name if "." in name else f"object.{name}"
                return f"it is a value of `{name}`: write `{path} = {word}`, or `= … | {word}`"
        return ""

    def unknown_value(self, word: s.Word, owner: str, values: Iterable[str]) -> Unresolved:
        """Report a value that an attribute does not have; the result is to be raised."""
        possible = tuple(values)
        return self.fail(
            "M104",
            f"`{owner}` has no value `{word}`",
            word.span,
            remedy=did_you_mean(word.text, possible) or f"its values are {listing(possible)}",
            about=(owner.partition(".")[0], word.text),
            meant=near(word.text, possible),
        )

    # --- paths

    def object(self, word: s.Word) -> g.Object:
        """Return the object of a name."""
        if word.text not in self.objects:
            raise self.unknown_object(word)
        return self.objects[word.text]

    def variable(self, path: s.Path) -> g.Variable:
        """Return the variable of a path; for a column of the object's table a lexical one."""
        item = self.object(path.owner)
        attribute = path.attribute.text if path.attribute else ""
        variable = self.variables.get((item, attribute))
        if variable is not None:
            return variable
        if item.position and not attribute:
            raise Unresolved  # that nothing fills it has been reported
        if not attribute:
            raise self.fail(
                "M103",
                f"`{item.name}` is always there and has no kinds of its own",
                path.span,
                remedy=f"name one of its attributes ({item.name}.…), or mark it optional with `?`",
                about=(item.name,),
            )
        return self._lexical(item, path)

    def _lexical(self, item: g.Object, path: s.Path) -> g.Variable:
        assert path.attribute is not None
        name = path.attribute.text
        rows = rows_of(self.lexicon, item) if self.lexicon else None
        rows = rows.of(item.name) if rows is not None else None
        if self.lexicon is None or (rows is not None and name in rows.columns):
            values = tuple(sorted(rows.values[name])) if rows else ()
            found = g.Variable(item, name, values, "", path.span, lexical=True)
            self.variables[item, name] = found
            return found
        has = [a for (o, a) in self.variables if o is item and a]
        columns = [c for c in rows.columns if c != "lemma"] if rows else []
        hint = did_you_mean(name, [*has, *columns])
        has_text = f"it has {listing(has)}" if has else "it has no attributes"
        if not has:
            has_text = f"{has_text}, and no table has a column `{path}`"
        if item.position and not hint:
            has_text = (
                "name what fills it; a position has attributes only at the right of `=` in rules"
            )
        raise self.fail(
            "M103",
            f"`{item.name}` has no attribute `{name}`",
            path.span,
            remedy=hint or has_text,
            about=(item.name, name),
            meant=near(name, [*has, *columns]),
        )

    def _attribute_meant(self, variable: g.Variable) -> str:
        """Return the attribute that something taken for a column is meant to be, as a question."""
        has = [a for (o, a), v in self.variables.items() if o is variable.object and not v.lexical]
        return did_you_mean(variable.attribute, has) if variable.lexical else ""

    def axis(self, path: s.Path, values: Sequence[s.Word], *, take_absent: bool = False) -> g.Axis:
        """Return the values of a path as points; an optional object may have its attributes'."""
        item = self.object(path.owner)
        if path.attribute is not None or (item, "") in self.variables:
            variable = self.variable(path)
        else:
            attributes = [v for (o, a), v in self.variables.items() if o is item and a]
            if not values or not attributes:
                variable = self.variable(path)  # reports that there is none
            else:
                variable = self.attribute_with(item, values[0], attributes)
        if not values:
            kinds = [v for v in variable.values if v not in (g.ABSENT,)]
            names = variable.values if take_absent or len(kinds) < 2 else tuple(kinds)
            if not names:
                raise self.fail(
                    "M130",
                    f"`{variable}` has no values to go through",
                    path.span,
                    remedy=self._attribute_meant(variable)
                    or "list them in brackets, under `attributes`, or in a column of its table",
                    about=(item.name, variable.attribute or item.name),
                )
            return g.Axis(str(path), tuple(g.Point(n, ((variable, n),)) for n in names), path.span)
        points = tuple(self.point(path, word) for word in values)
        return g.Axis(str(path), points, path.span)

    def point(self, path: s.Path, word: s.Word) -> g.Point:
        """Return what a value of a path means (``n2`` = ``sg``: it is present and singular)."""
        item = self.object(path.owner)
        if path.attribute is not None:
            variable = self.variable(path)
            if word.text not in variable.values and not (variable.lexical and not variable.values):
                raise self.unknown_value(word, str(variable), variable.values)
            return g.Point(word.text, ((variable, word.text),))
        kind = self.variables.get((item, ""))
        text = g.ABSENT if word.text in ("-", "–") else word.text
        if kind is not None and text in kind.values:
            return g.Point(text, ((kind, text),))
        attributes = [v for (o, a), v in self.variables.items() if o is item and a]
        variable = self.attribute_with(item, word, attributes)
        presence = ((kind, g.PRESENT),) if kind is not None and g.PRESENT in kind.values else ()
        return g.Point(text, (*presence, (variable, text)))

    def attribute_with(
        self, item: g.Object, word: s.Word, attributes: Sequence[g.Variable]
    ) -> g.Variable:
        """Return the only attribute of an object that has a value."""
        having = [v for v in attributes if word.text in v.values]
        if len(having) == 1:
            return having[0]
        if having:
            raise self.fail(
                "M104",
                f"`{word}` is a value of {listing(having)}",
                word.span,
                remedy=f"say which one is meant: {having[0]} = {word}",
            )
        kind = self.variables.get((item, ""))
        values = [v for x in (*((kind,) if kind else ()), *attributes) for v in x.values]
        raise self.unknown_value(word, item.name, dict.fromkeys(values))
