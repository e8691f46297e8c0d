"""A text cut into entries: one logical line each, its tokens named for the Lark grammar.

A head word at column 0 begins a section; the indented lines under it are its entries. An entry
ends with its line, unless a bracket is open, the line ends with an operator, or the next line
begins with one. Nothing here raises: what cannot be read becomes a token the parser refuses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from merula.language.source import Source, Span

HEADS = (
    "phenomenon",
    "language",
    "import",
    "lexicon",
    "objects",
    "attributes",
    "external",
    "internal",
    "select",
    "frame",
    "frames",
    "paradigm",
    "matrix",
    "answers",
    "examples",
)

SYMBOLS = {
    "->": "ARROW",
    "→": "ARROW",
    "!=": "DIFFERS",
    "≠": "DIFFERS",
    "×": "TIMES",
    "*": "TIMES",
    ":": "COLON",
    "=": "EQUALS",
    "|": "BAR",
    ",": "COMMA",
    ".": "DOT",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "@": "AT",
    "?": "QUESTION",
    "-": "DASH",
    "–": "DASH",
}

KEYWORDS = frozenset(
    "separated by encoded else ignores and needs or not inside is differ share in varying with "
    "items cycles of every under swap for breaks as keeping flip set add like drop replace embed "
    "accept reject".split()
)

_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+) | (?P<comment>\#[^\n]*) | (?P<newline>\n)
      | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<open>"[^\n]*)
      | (?P<number>\d+(?!\w)) | (?P<name>[^\W\d][\w\u0300-\u036f]*(?:-[\w\u0300-\u036f]+)*)
      | (?P<symbol>->|→|!=|≠|[×*:=|,.()\[\]@?\-–]) | (?P<unknown>.)""",
    re.VERBOSE,
)
_ENDS_OPEN = frozenset({"COMMA", "BAR", "EQUALS", "COLON", "TIMES", "ARROW", "DIFFERS"})
_STARTS_OPEN = frozenset({"COMMA", "BAR", "EQUALS", "TIMES", "ARROW", "COLON"})
_WORDS_OPEN = frozenset("else and or in varying with keeping".split())
_NOT_AFTER_WORD = frozenset({"DOT", "EQUALS", "COLON", "COMMA"})


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its terminal (``NAME`` for every word), its text, its place."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """The tokens of one logical line; ``head`` is the head word of its section."""

    head: Token
    tokens: tuple[Token, ...]
    inline: bool  # stands on the head word's own line

    def span(self, source: Source) -> Span:
        """Where the entry stands."""
        if not self.tokens:
            return source.span(self.head.start, self.head.end)
        return source.span(self.tokens[0].start, self.tokens[-1].end)


def scan(text: str) -> Iterator[Token]:
    """The tokens of a text, newlines among them, spaces and comments left out."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        word, start, end = match.group(), match.start(), match.end()
        if kind in ("space", "comment"):
            continue
        if kind == "name":
            yield Token("NAME", unicodedata.normalize("NFC", word), start, end)
        elif kind == "symbol":
            yield Token(SYMBOLS[word], word, start, end)
        elif kind == "string":
            yield Token("STRING", word, start, end)
        elif kind == "number":
            yield Token("INT", word, start, end)
        elif kind == "newline":
            yield Token("NEWLINE", word, start, end)
        else:
            yield Token("OPEN" if kind == "open" else "UNKNOWN", word, start, end)


def unquote(text: str) -> str:
    """The characters a quoted string stands for, composed (NFC)."""
    return unicodedata.normalize("NFC", re.sub(r"\\(.)", r"\1", text[1:-1]))


def entries(source: Source) -> Iterator[Entry]:
    """The entries of a text in order, an inline one (perhaps empty) for every head word."""
    head: Token | None = None
    group: list[Token] = []
    inline = False
    depth = 0
    for line in _lines(source.text):
        column = source.position(line[0].start)[1]
        if column == 1 and not (depth > 0 and line[0].text not in HEADS):
            if head is not None and (group or inline):
                yield Entry(head, tuple(group), inline)
            head, group, inline = line[0], list(line[1:]), True
            depth = _depth(group)
            continue
        if head is None:
            head = line[0]
        if depth > 0 or _continues(head, group, line, inline):
            group.extend(line)
        else:
            if group or inline:
                yield Entry(head, tuple(group), inline)
            group, inline = list(line), False
        depth = _depth(group)
    if head is not None and (group or inline):
        yield Entry(head, tuple(group), inline)


def _lines(text: str) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in scan(text):
        if token.kind != "NEWLINE":
            line.append(token)
        elif line:
            yield line
            line = []
    if line:
        yield line


def _depth(tokens: list[Token]) -> int:
    opened = sum(token.kind in ("LPAR", "LSQB") for token in tokens)
    return opened - sum(token.kind in ("RPAR", "RSQB") for token in tokens)


def _continues(head: Token, group: list[Token], line: list[Token], inline: bool) -> bool:
    """Whether a line goes on with the entry above it."""
    if inline and head.text in ("paradigm", "import", "language"):
        return True
    if not group:
        return False
    if head.text == "matrix" and (line[0].kind == "BAR" or group[0].kind == "INT"):
        return False
    if group[-1].kind in _ENDS_OPEN or line[0].kind in _STARTS_OPEN:
        return True
    word = line[0].kind == "NAME" and line[0].text in _WORDS_OPEN
    return word and not (len(line) > 1 and line[1].kind in _NOT_AFTER_WORD)
