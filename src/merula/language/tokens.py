"""Cut the text of a grammar into tokens, and the tokens into entries.

In goes a `Source`; `scan` yields its tokens, `entries` its entries, each one logical line. The
kinds of tokens are the terminals of ``grammar.lark``. `merula.language.parse` reads entries;
`format` and `highlight` work on the same ones.

A head word in the first column begins a section, and the indented lines under it are its entries.
An entry ends with its line, unless a bracket is open, the line ends with an operator, or the next
line begins with one. Nothing here raises: a character without a meaning becomes a token of kind
``UNKNOWN``, a text without a closing quote one of kind ``OPEN``, and no entry can contain them.
Tokens do not overlap, and what is between them is spaces and comments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from merula.core.frozen import frozen
from merula.core.source import Source, Span

HEADS = (
    "phenomenon",
    "language",
    "import",
    "lexicon",
    "objects",
    "attributes",
    "external",
    "internal",
    "contested",
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

# Words that are key words where the grammar can use them, and names everywhere else.
KEYWORDS = frozenset(
    "separated by encoded else ignores and needs or not inside outside is differ share in varying "
    "with where items cycles of every under swap for breaks as keeping flip set add like drop "
    "replace embed accept reject designs crossed".split()
)

# MARKS stands for the combining marks of the text: `\w` lacks them, but letters of any script may
# carry them.
_TOKEN = r"""(?P<space>[^\S\n]+) | (?P<comment>\#[^\n]*) | (?P<newline>\n)
      | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<open>"[^\n]*)
      | (?P<number>\d+(?!\w)) | (?P<name>[^\W\d][\wMARKS]*(?:-[\wMARKS]+)*)
      | (?P<foreign>==+ | := | =/?> | -+-> | <> | [<>]= | =/= | && | \|\|)
      | (?P<symbol>->|→|!=|≠|[×*:=|,.()\[\]@?\-–]) | (?P<unknown>.)"""
# An entry goes on where a line ends or the next one begins with one of these.
_ENDS_OPEN = frozenset({"COMMA", "BAR", "EQUALS", "COLON", "TIMES", "ARROW", "DIFFERS"})
_STARTS_OPEN = frozenset({"COMMA", "BAR", "EQUALS", "TIMES", "ARROW", "COLON"})
_WORDS_OPEN = frozenset("else and or in varying with keeping".split())
_NOT_AFTER_WORD = frozenset({"DOT", "EQUALS", "COLON", "COMMA", "QUESTION"})


@frozen
class Token:
    """A token: its kind (``NAME`` for every word), its text and where it is in the source."""

    kind: str
    text: str
    start: int
    end: int


@frozen
class Entry:
    """The tokens of one logical line; ``head`` is the head word of its section.

    An ``inline`` entry is on the line of the head word itself, which is not among its tokens.
    """

    head: Token
    tokens: tuple[Token, ...]
    inline: bool

    def span(self, source: Source) -> Span:
        """Return the span from the first token to the last, or the head word of an empty entry."""
        if not self.tokens:
            return source.span(self.head.start, self.head.end)
        return source.span(self.tokens[0].start, self.tokens[-1].end)


def scan(text: str) -> Iterator[Token]:
    """Yield the tokens of a text with its newlines, but without spaces and comments."""
    for match in _pattern(_marks(text)).finditer(text):
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


def _marks(text: str) -> str:
    if text.isascii():
        return ""
    return "".join(sorted(c for c in set(text) if unicodedata.category(c) in ("Mn", "Mc")))


@lru_cache(maxsize=8)
def _pattern(marks: str) -> re.Pattern[str]:
    return re.compile(_TOKEN.replace("MARKS", marks), re.VERBOSE)


def unquote(text: str) -> str:
    """Return the characters of a text in quotes, composed (NFC); ``\\t`` is a tab."""
    plain = re.sub(r"\\(.)", lambda m: "\t" if m[1] == "t" else m[1], text[1:-1])
    return unicodedata.normalize("NFC", plain)


def entries(source: Source) -> Iterator[Entry]:
    """Yield the entries in order; each head word has an inline one, which may be empty."""
    lines = [_Line(source.position(line[0].start)[1], tuple(line)) for line in _lines(source.text)]
    head: Token | None = None
    brackets = True  # False after a bracket that is never closed, up to the next head word
    number = 0
    while number < len(lines):
        line = lines[number]
        inline = line.column == 1
        brackets = brackets or inline
        if inline or head is None:
            head = line.tokens[0]
        group = list(line.tokens[1:] if inline else line.tokens)
        end, depth = _end(lines, number, head, group, inline=inline, brackets=brackets)
        if depth > 0 and end > number + 1 and brackets:
            brackets = False
            end, _ = _end(lines, number, head, group, inline=inline, brackets=False)
        for more in lines[number + 1 : end]:
            group.extend(more.tokens)
        yield Entry(head, tuple(group), inline)
        number = end


@frozen
class _Line:
    column: int  # of its first token, from 1
    tokens: tuple[Token, ...]


def _end(
    lines: Sequence[_Line],
    number: int,
    head: Token,
    group: Sequence[Token],
    *,
    inline: bool,
    brackets: bool,
) -> tuple[int, int]:
    """Return the number of the line after an entry, and how many brackets are open there.

    The entry begins in line ``number`` with the tokens of ``group``. Without ``brackets`` an open
    bracket does not hold the lines after it; lines that are indented deeper are held instead.
    """
    first, last = (group[0] if group else None), (group[-1] if group else None)
    depth = _depth(group)
    end = number + 1
    while end < len(lines):
        line = lines[end]
        word = line.tokens[0]
        if line.column == 1 and (depth <= 0 or not brackets or word.text in HEADS):
            break
        held = depth > 0 if brackets else not inline and line.column > lines[number].column
        if not held and not _continues(head, first, last, line.tokens, inline):
            break
        first, last = first or word, line.tokens[-1]
        depth += _depth(line.tokens)
        end += 1
    return end, depth


def _begins_section(word: Token, last: Token | None) -> bool:
    """Return whether a line that begins with a word can only be a section, indented by mistake.

    The entry before it is complete, so that the word is not a name that goes on with it.
    """
    if last is None or word.text not in HEADS:
        return False
    open_ = last.text in _WORDS_OPEN or last.text == "where"
    return not (last.kind in _ENDS_OPEN or last.kind == "DOT" or open_)


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


def _depth(tokens: Sequence[Token]) -> int:
    opened = sum(token.kind in ("LPAR", "LSQB") for token in tokens)
    return opened - sum(token.kind in ("RPAR", "RSQB") for token in tokens)


def _continues(
    head: Token, first: Token | None, last: Token | None, line: Sequence[Token], inline: bool
) -> bool:
    """Return whether a line goes on with the entry above it, given that entry's ends."""
    if inline and head.text in ("paradigm", "import", "language"):
        return not _begins_section(line[0], last)
    if first is None or last is None:
        return False
    if head.text == "matrix" and (line[0].kind == "BAR" or first.kind == "INT"):
        return False
    if last.kind in _ENDS_OPEN or line[0].kind in _STARTS_OPEN:
        return True
    word = line[0].kind == "NAME" and line[0].text in _WORDS_OPEN
    return word and not (len(line) > 1 and line[1].kind in _NOT_AFTER_WORD)
