"""A Pygments lexer, with which `pygmentize`, Sphinx and notebooks show grammars in colour.

In goes a text, out come its tokens with their Pygments types; together they are the text. It is
cut up by `merula.language.tokens`. The section of a word and its neighbours say whether it is a
key word; the parser is not used, so that a text with mistakes is coloured as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from merula.core.source import Source
from merula.language.tokens import HEADS, Entry, Token, entries, scan

# Key words that come after an operand, by section; there every other word is a name.
_BEHIND = {
    "import": "with",
    "lexicon": "separated encoded",
    "external": "else ignores and needs or inside outside",
    "internal": "else ignores and needs or inside outside",
    "contested": "else ignores and needs or inside outside",
    "select": "is differ share and or inside",
    "paradigm": "in varying with where and or inside outside",
    "matrix": "items in varying with swap cycles of every under",
    "answers": "else keeping and like in with",
}
_EDITS = frozenset("flip set add drop swap replace embed".split())
_OPERATORS = frozenset({"ARROW", "DIFFERS", "TIMES", "EQUALS", "BAR", "DASH"})
_OPERANDS = frozenset({"NAME", "INT", "STRING", "RPAR", "RSQB", "QUESTION"})
_WITH_DOC = frozenset(
    {"phenomenon", "external", "internal", "contested", "paradigm", "matrix", "answers"}
)


class MerulaLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """A lexer of grammars in the language of Merula."""

    name = "Merula"
    url = ""
    aliases: ClassVar[list[str]] = ["merula"]
    filenames: ClassVar[list[str]] = ["*.merula"]
    mimetypes: ClassVar[list[str]] = ["text/x-merula"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield the tokens of a text, each with its place; together they are the text."""
        types: dict[int, _TokenType] = {}
        for entry in entries(Source("", text)):
            types.update(_types(entry))
        end = 0
        for token in (*scan(text), Token("NEWLINE", "", len(text), len(text))):
            yield from _left_out(text, end, token.start)
            word = text[token.start : token.end]
            if token.kind in ("STRING", "OPEN"):
                yield from _quoted(token, word, types[token.start])
            elif word:
                yield token.start, types.get(token.start, Whitespace), word
            end = token.end


@lru_cache(maxsize=4)
def by_line(text: str) -> tuple[tuple[tuple[_TokenType, str], ...], ...]:
    """Return the tokens of each line of a text, without their places."""
    lines: list[list[tuple[_TokenType, str]]] = [[]]
    for _, kind, words in MerulaLexer().get_tokens_unprocessed(text):
        first, *more = words.split("\n")
        lines[-1].append((kind, first))
        lines += [[(kind, word)] for word in more]
    return tuple(tuple(line) for line in lines)


def _left_out(text: str, start: int, end: int) -> Iterator[tuple[int, _TokenType, str]]:
    """Yield what is between two tokens: spaces, and a comment."""
    comment = text.find("#", start, end)
    middle = end if comment < 0 else comment
    if start < middle:
        yield start, Whitespace, text[start:middle]
    if middle < end:
        yield middle, Comment.Single, text[middle:end]


def _quoted(token: Token, word: str, kind: _TokenType) -> Iterator[tuple[int, _TokenType, str]]:
    """Yield the pieces of a text in quotes; if it has no end, its first quote is the mistake."""
    opened = 1 if token.kind == "OPEN" else 0
    if opened:
        yield token.start, Error, word[:1]
    for piece in re.finditer(r"(?P<escape>\\.)|[^\\]+|\\", word[opened:]):
        this = String.Escape if piece["escape"] else kind
        yield token.start + opened + piece.start(), this, piece[0]


# --- the types of the tokens of an entry ---------------------------------------------------------


def _types(entry: Entry) -> Iterator[tuple[int, _TokenType]]:
    """Yield the type of each token of an entry, with its place."""
    tokens = entry.tokens
    if entry.inline:
        section = entry.head.kind == "NAME" and entry.head.text in HEADS
        yield entry.head.start, Keyword.Declaration if section else _plain(entry.head)
    keywords = _keywords(entry)
    for number, token in enumerate(tokens):
        if number in keywords:
            yield token.start, Keyword
        elif token.kind == "NAME":
            yield token.start, _name(entry, number)
        elif token.kind == "STRING" and number == 1 and entry.head.text in _WITH_DOC:
            yield token.start, String.Doc
        else:
            yield token.start, _plain(token)


def _plain(token: Token) -> _TokenType:
    if token.kind in ("STRING", "OPEN"):
        return String.Double
    if token.kind == "UNKNOWN":
        return Error
    if token.kind == "INT":
        return Number.Integer
    if token.kind == "NAME":
        return Name
    return Operator if token.kind in _OPERATORS else Punctuation


def _name(entry: Entry, number: int) -> _TokenType:
    """Return the type of a name, as far as its place in the entry tells."""
    head, tokens = entry.head.text, entry.tokens
    before = tokens[number - 1].kind if number else ""
    if before == "DOT":
        return Name.Attribute
    if before in ("AT", "LSQB"):
        return Name.Label
    mark = next((i for i, t in enumerate(tokens) if t.kind in ("COLON", "EQUALS")), len(tokens))
    if head == "objects" and number < mark:
        return Name.Class
    if head == "objects":
        return {"COLON": Keyword.Type, "EQUALS": Name.Constant}.get(before, Name.Attribute)
    if head == "attributes" and before in ("EQUALS", "BAR"):
        return Name.Constant
    if head == "attributes" and number + 1 == mark:
        return Name.Attribute
    if head == "matrix" and not entry.inline:
        return Name
    named = head in _WITH_DOC or head in ("frame", "frames")
    return Name.Function if number == 0 and named else Name


def _keywords(entry: Entry) -> list[int]:
    """Return the numbers of the tokens of an entry that are key words."""
    keywords: list[int] = []
    if entry.head.text == "matrix" and entry.tokens and entry.tokens[0].kind in ("BAR", "INT"):
        return keywords  # the header or a row of a table
    for number, token in enumerate(entry.tokens):
        before = entry.tokens[number - 1] if number else None
        if token.kind != "NAME" or (before is not None and before.kind == "DOT"):
            continue
        operand = number - 1 not in keywords or (before is not None and before.text == "items")
        behind = operand and before is not None and before.kind in _OPERANDS
        if _joins(entry, number) if behind else _begins(entry, number, keywords):
            keywords.append(number)
    return keywords


def _joins(entry: Entry, number: int) -> bool:
    """Return whether a word after a name, a number or a text is a key word."""
    head, tokens = entry.head.text, entry.tokens
    word = tokens[number].text
    if head in ("frame", "frames"):
        return word == "and" and _in_guard(tokens, number)
    if head == "answers" and entry.inline:
        return word == "crossed"
    if head == "answers" and not any(token.kind == "COLON" for token in tokens[:number]):
        return word in ("breaks", "as")
    return word in _BEHIND.get(head, "").split()


def _begins(entry: Entry, number: int, keywords: Sequence[int]) -> bool:
    """Return whether a word where a name could be is a key word; ``keywords`` are those before."""
    head, tokens = entry.head.text, entry.tokens
    word = tokens[number].text
    before = tokens[number - 1] if number else entry.head
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    last = tokens[keywords[-1]].text if keywords else ""
    if head == "matrix" and word == "items" and before.kind == "EQUALS" and not keywords:
        return after is None or after.text != "swap"
    if head == "lexicon" and word == "by":
        return before.text == last == "separated"
    if head == "import":
        return before.text == last == "with" and word == "designs"
    if head == "answers" and entry.inline and after is None:
        return number == 0 and word == "crossed"
    if after is None or after.kind not in _OPERANDS | {"LPAR"}:
        return False
    if word == "not":
        guard = head in ("frame", "frames") and _in_guard(tokens, number)
        return (
            guard
            or head in ("external", "internal", "contested")
            or (head == "select" and last != "")
            or (head == "paradigm" and any(tokens[at].text == "where" for at in keywords))
        )
    if head == "answers" and entry.inline:
        return number == 0 and word == "for"
    if head == "answers" and word in _EDITS:
        commas = sum(t.kind == "COMMA" for t in tokens[keywords[-1] : number]) if keywords else 0
        edit = before.kind == "COLON" or (before.kind == "COMMA" and (last, commas) != ("swap", 1))
        return edit or (before.text == last == "else" and number - 1 in keywords)
    return head == "examples" and number == 0 and word in ("accept", "reject")


def _in_guard(tokens: Sequence[Token], number: int) -> bool:
    """Return whether a word of a frame is in a condition, which ends with a colon."""
    ends = ("COLON", "LPAR", "RPAR", "LSQB", "RSQB", "STRING", "AT")
    end = next((token.kind for token in tokens[number:] if token.kind in ends), "")
    return end == "COLON"
