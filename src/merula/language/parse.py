"""Entries → the typed tree, through Lark's LALR parser, one entry at a time.

A faulty entry is one diagnostic; the entries around it are parsed all the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from lark import Lark, Transformer, v_args
from lark import Token as LarkToken
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer
from lark.parsers.lalr_interactive_parser import InteractiveParser

from merula.language import syntax as s
from merula.language.diagnostics import Report, did_you_mean, listing
from merula.language.source import Source, Span
from merula.language.tokens import HEADS, KEYWORDS, SYMBOLS, Entry, Token, entries, scan, unquote

STARTS = (
    *("phenomenon", "language", "lexicon", "mapping", "imports", "object", "attribute", "rule"),
    *("selection", "frame", "paradigm", "matrix", "cycle", "table_header", "table_row", "answers"),
    *("answer", "example", "expression"),
)

# The start rule of a section's own line, and of the lines under it.
INLINE = {
    "phenomenon": "phenomenon",
    "language": "language",
    "import": "imports",
    "lexicon": "lexicon",
    "paradigm": "paradigm",
    "matrix": "matrix",
    "answers": "answers",
}
UNDER = {
    "lexicon": "mapping",
    "objects": "object",
    "attributes": "attribute",
    "external": "rule",
    "internal": "rule",
    "select": "selection",
    "frame": "frame",
    "frames": "frame",
    "matrix": "cycle",
    "answers": "answer",
    "examples": "example",
}


@cache
def _lark() -> Lark:
    grammar = files("merula.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_NoLexer, start=list(STARTS), maybe_placeholders=True)


class _NoLexer(Lexer):
    """Lark asks for a lexer; tokens are fed by hand, so that a word's place decides its kind."""

    def __init__(self, conf: object) -> None:
        del conf

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[LarkToken]:
        """No tokens."""
        del lexer_state, parser_state
        return iter(())


class EntryError(Exception):
    """An entry that the grammar does not allow."""

    def __init__(self, start: str, state: int, kind: str, position: int, expected: set[str]):
        super().__init__(kind)
        self.start, self.state, self.kind = start, state, kind
        self.position, self.expected = position, expected


def feed(start: str, tokens: Sequence[Token]) -> Any:
    """Lark's tree of one entry; raises `EntryError` at the token that does not fit."""
    parser: InteractiveParser = _lark().parse_interactive(None, start=start)
    for number, token in enumerate(tokens):
        choices = parser.choices()
        kind = token.kind
        if kind == "NAME" and token.text in KEYWORDS and token.text.upper() in choices:
            kind = token.text.upper()
        if kind not in choices:
            _refuse(start, parser, kind, number)
        try:
            parser.feed_token(LarkToken(kind, token.text, token.start, end_pos=token.end))
        except UnexpectedInput:
            _refuse(start, parser, kind, number)
    try:
        return parser.feed_eof()
    except UnexpectedInput:
        return _refuse(start, parser, "$END", len(tokens))


def _refuse(start: str, parser: InteractiveParser, kind: str, position: int) -> None:
    state = cast(int, parser.parser_state.position)
    raise EntryError(start, state, kind, position, set(parser.accepts()))


def parse(source: Source, report: Report) -> s.File:
    """The tree of a text; what does not parse is reported and left out."""
    builder = _FileBuilder(source, report)
    for entry in entries(source):
        builder.add(entry)
    return builder.finish()


def parse_cell(source: Source, report: Report) -> s.Expression | None:
    """The expression in a table cell (``person and not proper``), or None if it is faulty."""
    tokens = [token for token in scan(source.text) if token.kind != "NEWLINE"]
    try:
        tree = feed("expression", tokens)
    except EntryError as error:
        _report_entry(report, source, tokens, source.span(0, len(source.text)), error, "")
        return None
    return cast(s.Expression, _Tree(source).transform(tree))


class _FileBuilder:
    """Collects parsed entries; entries under a matrix, an answer set, a lexicon join it."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source, self.report = source, report
        self.tree = _Tree(source)
        self.lists: dict[str, list[Any]] = {}
        self.skipping = False  # the section's own line was faulty: its entries mean nothing
        self.current: Any = None

    def add(self, entry: Entry) -> None:
        head = entry.head.text
        if head not in HEADS or entry.head.kind != "NAME":
            if entry.inline or not self.skipping:
                self._unknown_head(entry)
            self.skipping = True
            return
        if entry.inline:
            self.skipping = False
            self.current = None
            if head not in INLINE and not entry.tokens:
                return
        elif self.skipping:
            return
        start = INLINE.get(head) if entry.inline else UNDER.get(head)
        start = start or UNDER.get(head)
        if start is None:
            self._nothing_under(entry)
            return
        if start == "cycle" and isinstance(self.current, s.ItemTable):
            start = "table_header" if entry.tokens[0].kind == "BAR" else "table_row"
        node = self._node(start, entry)
        if node is None:
            self.skipping = self.skipping or (entry.inline and head in ("matrix", "answers"))
        else:
            self._place(head, start, node)

    def _node(self, start: str, entry: Entry) -> Any:
        try:
            tree = feed(start, entry.tokens)
        except EntryError as error:
            span = entry.span(self.source)
            _report_entry(self.report, self.source, entry.tokens, span, error, entry.head.text)
            return None
        return self.tree.transform(tree)

    def _place(self, head: str, start: str, node: Any) -> None:
        if start in ("matrix", "answers", "lexicon"):
            self.current = node
            self._list(head).append(node)
        elif start == "mapping":
            self._join(head, mappings=node)
        elif start == "cycle":
            if isinstance(self.current, s.Swapped):
                self._no_cycles(node)
            else:
                self._join(head, cycles=node)
        elif start == "table_header":
            self._join(head, columns=node)
        elif start == "table_row":
            self._join(head, rows=node)
        elif start == "answer":
            self._join(head, answers=node)
        else:
            self._list(head).append(node)

    def _list(self, head: str) -> list[Any]:
        return self.lists.setdefault("frames" if head == "frame" else head, [])

    def _join(self, head: str, **field: Any) -> None:
        ((name, node),) = field.items()
        if self.current is None:  # the lines of a section whose head line did not parse
            return
        new = node if isinstance(node, tuple) else (node,)
        self.current = replace(self.current, **{name: getattr(self.current, name) + new})
        self._list(head)[-1] = self.current

    def _no_cycles(self, node: s.Cycle) -> None:
        self.report.error(
            "M012",
            "a matrix made by `swap` takes its items from another; nothing can stand under it",
            node.span,
            remedy="write the cycles under the matrix that is swapped",
        )

    def _unknown_head(self, entry: Entry) -> None:
        word = entry.head
        span = self.source.span(word.start, word.end)
        if not entry.inline:
            self.report.error(
                "M002",
                "this line is indented but stands under no section",
                span,
                remedy="begin with a line such as `phenomenon NAME` at the left margin",
            )
            return
        if word.kind != "NAME":
            text = _show(word.text)
            message = f"a line at the left margin begins a section, and {text} begins none"
        else:
            message = f"there is no section called `{word.text}`"
        hint = did_you_mean(word.text, HEADS)
        known = f"sections are {listing(dict.fromkeys(HEADS), 'or')}; indent the entries under one"
        self.report.error("M001", message, span, remedy=hint or known)

    def _nothing_under(self, entry: Entry) -> None:
        head = entry.head.text
        self.report.error(
            "M003",
            f"nothing can stand under `{head}`",
            entry.span(self.source),
            remedy=f"write it on the line of `{head}`, or begin a section at the left margin",
        )

    def finish(self) -> s.File:
        get = self.lists.get
        return s.File(
            self.source,
            phenomena=tuple(get("phenomenon", ())),
            languages=tuple(get("language", ())),
            imports=tuple(get("import", ())),
            lexicons=tuple(get("lexicon", ())),
            objects=tuple(get("objects", ())),
            attributes=tuple(get("attributes", ())),
            external=tuple(get("external", ())),
            internal=tuple(get("internal", ())),
            selections=tuple(get("select", ())),
            frames=tuple(get("frames", ())),
            paradigms=tuple(get("paradigm", ())),
            matrices=tuple(get("matrix", ())),
            answers=tuple(get("answers", ())),
            examples=tuple(get("examples", ())),
        )


# --- messages ----------------------------------------------------------------------------

_TERMINALS = {
    "NAME": "a name",
    "STRING": 'a text in quotes ("…")',
    "INT": "a number",
    "$END": "the end of the line",
    **{kind: f"`{text}`" for text, kind in reversed(SYMBOLS.items()) if text.isascii()},
    **{word.upper(): f"`{word}`" for word in KEYWORDS},
}
WHAT = {
    "phenomenon": "`phenomenon`",
    "language": "`language`",
    "lexicon": "`lexicon`",
    "mapping": "a column of a lexicon",
    "imports": "`import`",
    "object": "an object",
    "attribute": "an attribute",
    "rule": "a rule",
    "selection": "a selection",
    "frame": "a frame",
    "paradigm": "a paradigm",
    "matrix": "a matrix",
    "cycle": "a cycle",
    "table_header": "the header of an item table",
    "table_row": "a row of an item table",
    "answers": "`answers`",
    "answer": "an answer",
    "example": "an example",
    "expression": "an expression",
}


def _report_entry(
    report: Report,
    source: Source,
    tokens: Sequence[Token],
    span: Span,
    error: EntryError,
    head: str,
) -> None:
    """Say what is wrong with an entry: what a beginner's slip is called, else what was expected."""
    from merula.language.malformed import explanation

    if error.position < len(tokens):
        token = tokens[error.position]
        place = source.span(token.start, token.end)
        found = _show(token.text)
        previous = tokens[error.position - 1].text if error.position else head
    else:
        token = None
        place = source.span(span.end, span.end)
        found = "the end of the line"
        previous = tokens[-1].text if tokens else head
    unclosed = token is not None and token.kind == "OPEN"
    known = None if unclosed else explanation(error.start, error.state, error.kind)
    if unclosed:
        code, message = "M005", "this text has no closing quote"
        remedy = 'write " at the end of the text, on the same line'
    elif token is not None and token.kind == "UNKNOWN":
        code, message = "M006", f"{found} has no meaning in a grammar"
        remedy = _unknown_remedy(token.text)
    elif error.position == 0 and token is not None and token.text in HEADS and known is None:
        code, message = "M004", f"`{token.text}` begins a section only at the left margin"
        remedy = "take away the spaces before it"
    elif known is not None:
        code = "M010"
        message = known.message.format(found=found, previous=_show(previous))
        remedy = known.remedy
    else:
        code = "M011"
        message = f"{found} cannot stand here in {WHAT[error.start]}"
        words = {token.text for token in tokens[error.position : error.position + 1]}
        hint = did_you_mean(next(iter(words), ""), [k.lower() for k in error.expected])
        remedy = hint or f"expected {listing(_expected(error.expected), 'or')}"
    report.error(code, message, place, remedy=remedy)


def _expected(kinds: Iterable[str]) -> list[str]:
    return sorted({_TERMINALS[kind] for kind in kinds if kind in _TERMINALS})


def _show(text: str) -> str:
    if len(text) == 1 and not text.isprintable():
        return f"the invisible character U+{ord(text):04X}"
    return f"`{text}`"


def _unknown_remedy(text: str) -> str:
    if text in "“”„«»‘’'":
        return 'texts stand in straight double quotes: "…"'
    if text in ";{}<>&/\\+~^$%!":
        return "rules are written with words: and, or, not, =, !=, ->, |"
    name = unicodedata.name(text, "no name in Unicode")
    return f"delete it (it is {name}); if it belongs to a text, put that in quotes"


# --- Lark's tree → ours ---------------------------------------------------------------------


def _inline(function: Callable[..., Any]) -> Any:
    return v_args(inline=True)(function)


class _Tree(Transformer[LarkToken, Any]):
    """One method a rule of ``grammar.lark``; children arrive built."""

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=True)
        self.source = source

    # tokens

    def _word(self, token: LarkToken) -> s.Word:
        return s.Word(self._span(token), str(token))

    NAME = INT = DASH = _word

    def STRING(self, token: LarkToken) -> s.Word:  # noqa: N802 - Lark names it
        """A quoted text."""
        return s.Word(self._span(token), unquote(token))

    def _span(self, token: LarkToken) -> Span:
        return self.source.span(token.start_pos or 0, token.end_pos or 0)

    def _extent(self, children: Iterable[Any]) -> Span:
        spans = [span for child in children for span in self._spans(child)]
        if not spans:
            return self.source.span(0, 0)
        return self.source.span(min(x.start for x in spans), max(x.end for x in spans))

    def _spans(self, child: Any) -> Iterator[Span]:
        if isinstance(child, LarkToken):
            yield self._span(child)
        elif isinstance(child, s.Node):
            yield child.span
        elif isinstance(child, (list, tuple)):
            for item in child:
                yield from self._spans(item)

    # small parts

    def path(self, c: list[Any]) -> s.Path:
        return s.Path(self._extent(c), c[0], c[-1])

    @_inline
    def value(self, word: s.Word) -> s.Word:
        return word

    @_inline
    def doc(self, word: s.Word) -> s.Word:
        return word

    @_inline
    def label(self, word: s.Word) -> s.Word:
        return word

    @_inline
    def cell(self, word: s.Word) -> s.Word:
        return word

    # heads

    def phenomenon(self, c: list[Any]) -> s.Phenomenon:
        return s.Phenomenon(self._extent(c), c[0], c[1].text if len(c) > 1 else "")

    def language(self, c: list[Any]) -> s.Language:
        return s.Language(self._extent(c), c[0])

    def imports(self, c: list[Any]) -> s.Import:
        return s.Import(self._extent(c), _words(c))

    def lexicon(self, c: list[Any]) -> s.Lexicon:
        kind, rest = c[0], c[1:]
        options = {name: word for name, word in (x for x in rest if isinstance(x, tuple))}
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
        clauses = tuple(x for x in c[1:] if isinstance(x, s.Node) and not isinstance(x, s.Word))
        return s.Rule(self._extent(c), c[0], doc, cast(tuple[s.Clause, ...], clauses))

    def conditional(self, c: list[Any]) -> s.Conditional:
        parts = [x for x in c if isinstance(x, s.Node)]
        otherwise = parts[2] if len(parts) > 2 else None
        return s.Conditional(self._extent(c), parts[0], parts[1], otherwise)

    def ignores(self, c: list[Any]) -> s.Ignores:
        paths = [x for x in c if isinstance(x, s.Path)]
        return s.Ignores(self._extent(c), paths[0], tuple(paths[1:]))

    def needs(self, c: list[Any]) -> s.Needs:
        return s.Needs(self._extent(c), c[0], c[-1])

    def disjunction(self, c: list[Any]) -> s.Or:
        return s.Or(self._extent(c), tuple(x for x in c if isinstance(x, s.Node)))

    def conjunction(self, c: list[Any]) -> s.And:
        return s.And(self._extent(c), tuple(x for x in c if isinstance(x, s.Node)))

    def guard(self, c: list[Any]) -> s.Expression:
        items = tuple(x for x in c if isinstance(x, s.Node))
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
        return s.Inside(self._extent(c), c[0], c[-1])

    def terms(self, c: list[Any]) -> tuple[s.Path, ...]:
        return tuple(x for x in c if isinstance(x, s.Path))

    @_inline
    def term(self, item: s.Path | s.Word) -> s.Path:
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
        return s.Option(self._extent(c), c[0] if isinstance(c[0], s.Node) else None, c[-1])

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
        return s.Paradigm(self._extent(c[:1]), c[0], _doc(c), factors, _tail(c))

    def odometer(self, c: list[Any]) -> s.Odometer:
        length = int(next(x for x in c[2:] if isinstance(x, s.Word) and x.text.isdigit()).text)
        return s.Odometer(self._extent(c[:1]), c[0], _doc(c), length, _tail(c))

    def item_table(self, c: list[Any]) -> s.ItemTable:
        return s.ItemTable(self._extent(c[:1]), c[0], _doc(c), _tail(c))

    def swapped(self, c: list[Any]) -> s.Swapped:
        base, first, second = _words(c[2:])
        places = (int(first.text), int(second.text))
        return s.Swapped(self._extent(c[:1]), c[0], _doc(c), base, *places)

    def cycle(self, c: list[Any]) -> s.Cycle:
        kinds = [x.type if isinstance(x, LarkToken) else "" for x in c]
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
        return s.Answers(self._extent(c), _words(c))

    def claim(self, c: list[Any]) -> s.Claim:
        return s.Claim(self._extent(c), c[0], tuple(c[1:]))

    def answer(self, c: list[Any]) -> s.Answer:
        kinds = [x.type if isinstance(x, LarkToken) else "" for x in c]
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
        text, other = (word.text, None) if word.span.text.startswith('"') else (None, word)
        return s.Replace(self._extent(c), c[1], text, other)

    def embed(self, c: list[Any]) -> s.Embed:
        text = c[-1].text if c[-1] is not None and c[-1].span.text.startswith('"') else None
        return s.Embed(self._extent(c), c[1], c[3], text)

    def accept(self, c: list[Any]) -> s.Example:
        return s.Example(self._extent(c), True, c[-1])

    def reject(self, c: list[Any]) -> s.Example:
        return s.Example(self._extent(c), False, c[-1])


def _words(children: Iterable[Any]) -> tuple[s.Word, ...]:
    return tuple(x for x in children if isinstance(x, s.Word))


def _doc(children: list[Any]) -> str:
    return children[1].text if isinstance(children[1], s.Word) else ""


def _tail(children: Iterable[Any]) -> s.Tail:
    tails = [x for x in children if isinstance(x, s.Tail)]
    return s.Tail(
        frames=tuple(x for tail in tails for x in tail.frames),
        varying=tuple(x for tail in tails for x in tail.varying),
        fixings=tuple(x for tail in tails for x in tail.fixings),
    )
