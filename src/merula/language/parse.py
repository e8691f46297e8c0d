"""Entries → the typed tree, through Lark's LALR parser, one entry at a time.

A faulty entry is one diagnostic; the entries around it are parsed all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from lark import Lark
from lark import Token as LarkToken
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import Reduce
from lark.parsers.lalr_interactive_parser import InteractiveParser

from merula.language import syntax as s
from merula.language.build import TreeBuilder
from merula.language.diagnostics import Report, did_you_mean, listing
from merula.language.refusals import EntryError, report_refusal, show
from merula.language.source import Source
from merula.language.tokens import HEADS, KEYWORDS, Entry, Token, entries, scan

STARTS = (
    *("phenomenon", "language", "lexicon", "mapping", "imports", "object", "attribute", "rule"),
    *("selection", "frame", "paradigm", "matrix", "cycle", "table_header", "table_row", "answers"),
    *("answer", "example", "cell_expression"),
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


def feed(start: str, tokens: Sequence[Token]) -> Any:
    """Lark's tree of one entry; raises `EntryError` at the token that does not fit."""
    parser: InteractiveParser = _lark().parse_interactive(None, start=start)
    for number, token in enumerate(tokens):
        choices = parser.choices()  # type: ignore[no-untyped-call]
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
        return parser.feed_eof()  # type: ignore[no-untyped-call]
    except UnexpectedInput:
        return _refuse(start, parser, "$END", len(tokens))


def _refuse(start: str, parser: InteractiveParser, kind: str, position: int) -> None:
    expected = set(parser.accepts())  # type: ignore[no-untyped-call]
    raise EntryError(start, _settled(parser), kind, position, expected)


# Parts whose end is taken for granted when an entry is refused: after `flip verb.number` the
# parser still waits for more of a path, but what matters is that a `flip` is complete.
_SMALL = frozenset({"path", "value", "term", "word", "doc", "label", "cell"})


def _settled(parser: InteractiveParser) -> int:
    """The state of a parser once the small part at its end is complete."""
    stack: list[Any] = list(parser.parser_state.state_stack)
    table = parser.parser_state.parse_conf.states
    while True:
        actions = table[stack[-1]].values()
        rules = {rule for action, rule in actions if action is Reduce}
        small = [rule for rule in rules if rule.origin.name in _SMALL]
        if len(small) != 1 or len(rules) != 1:
            return cast(int, stack[-1])
        del stack[len(stack) - len(small[0].expansion) :]
        stack.append(table[stack[-1]][small[0].origin.name][1])


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
        tree = feed("cell_expression", tokens)
    except EntryError as error:
        report_refusal(report, source, tokens, error, None)
        return None
    return cast(s.Expression, TreeBuilder(source).transform(tree))


class _FileBuilder:
    """Collects parsed entries; entries under a matrix, an answer set, a lexicon join it."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source, self.report = source, report
        self.tree = TreeBuilder(source)
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
            report_refusal(self.report, self.source, entry.tokens, error, entry.head)
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
            text = show(word.text)
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
