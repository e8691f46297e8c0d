"""Build the typed nodes of the tree from the parts that the LALR machine hands over.

`TreeBuilder.build` is called for each production of ``grammar.lark`` with a name; what it returns
is a part of the next one. `merula.language.parse` has one builder for a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

from merula.core.source import Source, Span
from merula.language import syntax as s
from merula.language.tokens import Token, unquote


class TreeBuilder:
    """One method for each named production; parts are nodes, key words and signs are tokens."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def build(self, name: str, parts: list[Any]) -> Any:
        """Return the node of a production, given its parts (None for an absent optional one)."""
        method: Callable[[list[Any]], Any] = getattr(self, name)
        return method([self._word(x) if isinstance(x, Token) else x for x in parts])

    def _word(self, token: Token) -> s.Word | Token:
        if token.kind in ("NAME", "INT", "DASH"):
            return s.Word(self._span(token), token.text)
        if token.kind == "STRING":
            return s.Word(self._span(token), unquote(token.text))
        return token

    def _span(self, token: Token) -> Span:
        return self.source.span(token.start, token.end)

    def _extent(self, children: Iterable[Any]) -> Span:
        spans = [span for child in children for span in self._spans(child)]
        if not spans:
            return self.source.span(0, 0)
        return self.source.span(min(x.start for x in spans), max(x.end for x in spans))

    def _spans(self, child: Any) -> Iterator[Span]:
        if isinstance(child, Token):
            yield self._span(child)
        elif isinstance(child, s.Node):
            yield child.span
        elif isinstance(child, (list, tuple)):
            for item in child:
                yield from self._spans(item)

    # small parts

    def path(self, c: list[Any]) -> s.Path:
        return s.Path(self._extent(c), c[0], c[-1])

    def value(self, c: list[Any]) -> s.Word:
        return cast(s.Word, c[0])

    def doc(self, c: list[Any]) -> s.Word:
        return cast(s.Word, c[0])

    def label(self, c: list[Any]) -> s.Word:
        return cast(s.Word, c[0])

    def cell(self, c: list[Any]) -> s.Word:
        return cast(s.Word, c[0])

    # heads

    def phenomenon(self, c: list[Any]) -> s.Phenomenon:
        return s.Phenomenon(self._extent(c), c[0], c[1].text if len(c) > 1 else "")

    def language(self, c: list[Any]) -> s.Language:
        return s.Language(self._extent(c), c[0])

    def imports(self, c: list[Any]) -> s.Import:
        return s.Import(self._extent(c), _words(c), _has(c, "DESIGNS"))

    def lexicon(self, c: list[Any]) -> s.Lexicon:
        kind, rest = c[0], c[1:]
        options: dict[str, s.Word] = dict(x for x in rest if isinstance(x, tuple))
        return s.Lexicon(
            self._extent([x for x in c if isinstance(x, s.Word)]),
            kind,
            _words(rest),
            options.get("separated"),
            options.get("encoded"),
        )

    def separated(self, c: list[Any]) -> tuple[str, s.Word]:
        return ("separated", c[-1])

    def encoded(self, c: list[Any]) -> tuple[str, s.Word]:
        return ("encoded", c[-1])

    def mapping(self, c: list[Any]) -> s.Mapping:
        return s.Mapping(self._extent(c), c[0], c[-1])

    def column(self, c: list[Any]) -> s.Word:
        return s.Word(self._extent(c), ".".join(word.text for word in _words(c)))

    # objects and attributes

    def object(self, c: list[Any]) -> s.Objects:
        names = tuple(x for x in c if isinstance(x, s.ObjectName))
        features = tuple(x for x in c if isinstance(x, s.Feature))
        category = next(x for x in c if isinstance(x, s.Word))
        return s.Objects(self._extent(c), names, category, features)

    def object_name(self, c: list[Any]) -> s.ObjectName:
        return s.ObjectName(self._extent(c), c[0], c[1] is not None)

    def feature(self, c: list[Any]) -> s.Feature:
        return s.Feature(self._extent(c), c[0], c[-1])

    def attribute(self, c: list[Any]) -> s.Attribute:
        values = tuple(x for x in c if isinstance(x, s.AttributeValue))
        return s.Attribute(self._extent(c), c[0], values)

    def attribute_value(self, c: list[Any]) -> s.AttributeValue:
        return s.AttributeValue(self._extent(c), c[0], tuple(c[1] or ()))

    def words(self, c: list[Any]) -> list[Any]:
        return [x for x in c if isinstance(x, (s.Word, s.Path))]

    def word(self, c: list[Any]) -> s.Word | s.Path:
        return c[0] if len(c) == 1 else s.Path(self._extent(c), c[0], c[2])

    # rules and expressions

    def rule(self, c: list[Any]) -> s.Rule:
        doc = c[1].text if isinstance(c[1], s.Word) else ""
        clauses = [x for x in c[1:] if isinstance(x, s.Clause)]
        return s.Rule(self._extent(c), c[0], doc, tuple(_with_scope(clauses)))

    def conditional(self, c: list[Any]) -> s.Conditional:
        parts = _expressions(c)
        otherwise = parts[2] if len(parts) > 2 else None
        return s.Conditional(self._extent(c), parts[0], parts[1], otherwise)

    def ignores(self, c: list[Any]) -> s.Ignores:
        paths = [x for x in c if isinstance(x, s.Path)]
        return s.Ignores(self._extent(c), paths[0], tuple(paths[1:]))

    def needs(self, c: list[Any]) -> s.Needs:
        return s.Needs(self._extent(c), c[0], c[-1])

    def disjunction(self, c: list[Any]) -> s.Or:
        return s.Or(self._extent(c), _expressions(c))

    def conjunction(self, c: list[Any]) -> s.And:
        return s.And(self._extent(c), _expressions(c))

    def guard(self, c: list[Any]) -> s.Expression:
        items = _expressions(c)
        return items[0] if len(items) == 1 else s.And(self._extent(c), items)

    def negation(self, c: list[Any]) -> s.Not:
        return s.Not(self._extent(c), c[-1])

    def group(self, c: list[Any]) -> s.Expression:
        return cast(s.Expression, replace(c[1], span=self._extent(c)))

    def truth(self, c: list[Any]) -> s.Truth:
        return s.Truth(self._extent(c), c[0])

    def equal(self, c: list[Any]) -> s.Equal:
        return s.Equal(self._extent(c), c[0], c[-1])

    def unequal(self, c: list[Any]) -> s.Not:
        span = self._extent(c)
        return s.Not(span, s.Equal(span, c[0], c[-1]))

    def inside(self, c: list[Any]) -> s.Inside:
        path, place, *outside = [x for x in c if isinstance(x, s.Path)]
        return s.Inside(self._extent(c), path, place, tuple(outside))

    def terms(self, c: list[Any]) -> tuple[s.Path, ...]:
        return tuple(x for x in c if isinstance(x, s.Path))

    def term(self, c: list[Any]) -> s.Path:
        item: s.Path | s.Word = c[0]
        return item if isinstance(item, s.Path) else s.Path(item.span, item)

    # selection

    def names(self, c: list[Any]) -> tuple[s.Word, ...]:
        return tuple(x for x in c if isinstance(x, s.Word))

    def is_a(self, c: list[Any]) -> s.IsA:
        return s.IsA(self._extent(c), c[0], c[-1])

    def differ(self, c: list[Any]) -> s.Differ:
        return s.Differ(self._extent(c), c[0])

    def share(self, c: list[Any]) -> s.Share:
        return s.Share(self._extent(c), c[0], c[-1])

    # frames

    def frame(self, c: list[Any]) -> s.Frame:
        return s.Frame(self._extent(c), c[0], c[-1])

    def items(self, c: list[Any]) -> tuple[s.Item, ...]:
        return tuple(c)

    def reference(self, c: list[Any]) -> s.Reference:
        return s.Reference(self._extent(c), c[0])

    def literal(self, c: list[Any]) -> s.Literal:
        return s.Literal(self._extent(c), c[0])

    def site(self, c: list[Any]) -> s.Site:
        return s.Site(self._extent(c), c[-1])

    def bracket(self, c: list[Any]) -> s.Bracket:
        return s.Bracket(self._extent(c), c[1], c[2])

    def alternatives(self, c: list[Any]) -> s.Alternatives:
        return s.Alternatives(self._extent(c), tuple(x for x in c if isinstance(x, s.Option)))

    def option(self, c: list[Any]) -> s.Option:
        guard = next(iter(_expressions(c[:1])), None)
        return s.Option(self._extent(c), guard, c[-1])

    # paradigms and matrices

    def factor(self, c: list[Any]) -> s.Factor:
        return s.Factor(self._extent(c), c[0], _words(c[1:]))

    def fixing(self, c: list[Any]) -> s.Fixing:
        return s.Fixing(self._extent(c), c[0], c[-1])

    def in_frames(self, c: list[Any]) -> s.Tail:
        return s.Tail(frames=_words(c))

    def varying(self, c: list[Any]) -> s.Tail:
        return s.Tail(varying=tuple(x for x in c if isinstance(x, s.Factor)))

    def fixings(self, c: list[Any]) -> s.Tail:
        return s.Tail(fixings=tuple(x for x in c if isinstance(x, s.Fixing)))

    def paradigm(self, c: list[Any]) -> s.Paradigm:
        factors = tuple(x for x in c if isinstance(x, s.Factor))
        where = next(iter(_expressions(c)), None)
        return s.Paradigm(self._extent(c[:1]), c[0], _doc(c), factors, _tail(c), where)

    def where(self, c: list[Any]) -> s.Expression:
        return cast(s.Expression, c[-1])

    def odometer(self, c: list[Any]) -> s.Odometer:
        length = int(next(x for x in c[2:] if isinstance(x, s.Word) and x.text.isdigit()).text)
        return s.Odometer(self._extent(c[:1]), c[0], _doc(c), length, _tail(c))

    def item_table(self, c: list[Any]) -> s.ItemTable:
        return s.ItemTable(self._extent(c[:1]), c[0], _doc(c), _tail(c))

    def copied(self, c: list[Any]) -> s.Copied:
        base, *places = _words(c[2:])
        swap = (int(places[0].text), int(places[1].text)) if places else None
        return s.Copied(self._extent(c[:1]), c[0], _doc(c), base, swap)

    def cycle(self, c: list[Any]) -> s.Cycle:
        kinds = [x.kind if isinstance(x, Token) else "" for x in c]
        every = kinds.index("EVERY")
        take = int(c[2].text) if c[2] is not None else 0
        values = tuple(x for x in c[4:every] if isinstance(x, s.Word))
        letter = c[-1] if isinstance(c[-1], s.Word) and c[-1] is not c[every + 1] else None
        count: s.Word = c[every + 1]
        span = self._extent(c)
        return s.Cycle(span, c[0], take, values, int(count.text), letter, count.span)

    def table_header(self, c: list[Any]) -> tuple[s.Path, ...]:
        return tuple(x for x in c if isinstance(x, s.Path))

    def table_row(self, c: list[Any]) -> s.TableRow:
        number, *cells = _words(c)
        return s.TableRow(self._extent(c), int(number.text), tuple(cells))

    # answers

    def answers(self, c: list[Any]) -> s.Answers:
        return s.Answers(self._extent(c), _words(c), _has(c, "CROSSED"))

    def claim(self, c: list[Any]) -> s.Claim:
        return s.Claim(self._extent(c), c[0], tuple(c[1:]))

    def answer(self, c: list[Any]) -> s.Answer:
        kinds = [x.kind if isinstance(x, Token) else "" for x in c]
        counts_as = c[kinds.index("AS") + 1] if "AS" in kinds else None
        claims = tuple(x for x in c if isinstance(x, s.Claim))
        doc = c[1].text if isinstance(c[1], s.Word) else ""
        return s.Answer(self._extent(c), c[0], doc, claims, counts_as, c[-1])

    def remedies(self, c: list[Any]) -> tuple[s.Edits, ...]:
        return tuple(x for x in c if isinstance(x, s.Edits))

    def edits(self, c: list[Any]) -> s.Edits:
        keeping = tuple(x for x in c if isinstance(x, s.Path))
        edits = tuple(x for x in c if isinstance(x, s.Node) and not isinstance(x, s.Path))
        return s.Edits(self._extent(c), cast(tuple[s.Edit, ...], edits), keeping)

    def flip(self, c: list[Any]) -> s.Flip:
        return s.Flip(self._extent(c), c[1])

    def set(self, c: list[Any]) -> s.Set:
        return s.Set(self._extent(c), c[1], c[-1])

    def add(self, c: list[Any]) -> s.Add:
        return s.Add(self._extent(c), c[1], c[-1])

    def drop(self, c: list[Any]) -> s.Drop:
        return s.Drop(self._extent(c), c[1])

    def swap(self, c: list[Any]) -> s.Swap:
        return s.Swap(self._extent(c), c[1], c[-1])

    def replace(self, c: list[Any]) -> s.Replace:
        word: s.Word = c[-1]
        text, source = (word.text, None) if word.span.text.startswith('"') else (None, word)
        return s.Replace(self._extent(c), c[1], text, source)

    def embed(self, c: list[Any]) -> s.Embed:
        text = c[-1].text if c[-1] is not None and c[-1].span.text.startswith('"') else None
        return s.Embed(self._extent(c), c[1], c[3], text)

    def accept(self, c: list[Any]) -> s.Example:
        return s.Example(self._extent(c), True, c[-1])

    def reject(self, c: list[Any]) -> s.Example:
        return s.Example(self._extent(c), False, c[-1])


def _with_scope(clauses: Iterable[s.Clause]) -> list[s.Clause]:
    """Join the clauses of ``npi needs licensor, npi inside domain``: the second is needed too."""
    done: list[s.Clause] = []
    for clause in clauses:
        before = done[-1] if done else None
        if (
            isinstance(clause, s.Inside)
            and isinstance(before, s.Needs)
            and clause.path == before.path
        ):
            span = before.need.span.to(clause.span)
            need = s.And(span, (before.need, clause))
            done[-1] = replace(before, need=need, span=before.span.to(clause.span))
        else:
            done.append(clause)
    return done


def _expressions(children: Iterable[Any]) -> tuple[s.Expression, ...]:
    return tuple(x for x in children if isinstance(x, s.Expression))


def _words(children: Iterable[Any]) -> tuple[s.Word, ...]:
    return tuple(x for x in children if isinstance(x, s.Word))


def _has(children: Iterable[Any], kind: str) -> bool:
    """Return whether a key word is among the parts."""
    return any(isinstance(x, Token) and x.kind == kind for x in children)


def _doc(children: list[Any]) -> str:
    return children[1].text if isinstance(children[1], s.Word) else ""


def _tail(children: Iterable[Any]) -> s.Tail:
    tails = [x for x in children if isinstance(x, s.Tail)]
    return s.Tail(
        frames=tuple(x for tail in tails for x in tail.frames),
        varying=tuple(x for tail in tails for x in tail.varying),
        fixings=tuple(x for tail in tails for x in tail.fixings),
    )
