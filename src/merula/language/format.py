"""Lay out the text of a grammar: there is one way for its words, comments and blank lines.

In goes a `Source`, out comes its new text (`merula fmt` writes it). The text is cut into pieces,
entries and comments on lines of their own; entries without a blank line between them are aligned
with each other (`merula.language.layout`), and the comments at the ends of lines come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from merula.core.diagnostics import Report
from merula.core.source import Source, display_width
from merula.language import syntax as s
from merula.language.layout import (
    INDENT,
    TABLE,
    CodeLine,
    CommentedEntry,
    Note,
    column,
    lines,
    spacing,
)
from merula.language.parse import INLINE, UNDER, parse
from merula.language.tokens import Entry, Token, entries, scan

COMMENT_GAP = 2  # spaces before a comment at the end of a line, at least


def formatted(source: Source, report: Report) -> str | None:
    """Return the text of a grammar laid out anew; None if it is faulty, which is reported.

    Words, texts and comments stay as they are, and the text means the same: the new text is parsed
    and its tree compared with the old one.
    """
    problems = Report()
    tree = parse(source, problems)
    report.extend(problems.items)
    if problems.failed:
        return None
    text = _written(source)
    if not _means(text, tree):
        report.error(
            "M621",
            f"{source.name} would mean something else if it were laid out anew",
            remedy="the fault is in Merula: please report it, with the file; nothing was changed",
            place=source.name,
        )
        return None
    return text


def _means(text: str, tree: s.File) -> bool:
    """Return whether a text has this tree, and the comments of its source."""
    problems = Report()
    new = parse(Source(tree.source.name, text), problems)
    kept = [comment.text for comment in _comments(text)]
    before = [comment.text for comment in _comments(tree.source.text)]
    return not problems.failed and kept == before and replace(new, source=tree.source) == tree


# --- the pieces of a text --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Comment:
    start: int
    text: str
    own_line: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Piece:
    """An entry, or a comment on a line of its own; ``blank``: after a blank line.

    ``section`` is the place in the text where the section's line begins.
    """

    what: CommentedEntry | _Comment
    section: int
    blank: bool


def _comments(text: str) -> Iterator[_Comment]:
    """Yield the comments of a text: all that `scan` leaves out, except spaces."""
    end, fresh = 0, True
    for token in (*scan(text), Token("NEWLINE", "", len(text), len(text))):
        left_out = text[end : token.start]
        if comment := left_out.strip():
            start = token.start - len(left_out.lstrip())
            yield _Comment(start, comment, fresh)
        end, fresh = token.end, token.kind == "NEWLINE"


def _pieces(source: Source) -> Iterator[_Piece]:
    """Yield the entries, and the comments between them, in order."""
    text = source.text
    comments = list(_comments(text))
    done = 0  # what is before this place has been put into a piece
    section = 0
    for entry in entries(source):
        tokens = (entry.head, *entry.tokens) if entry.inline else entry.tokens
        section = entry.head.start
        while comments and comments[0].start < tokens[0].start:
            comment = comments.pop(0)
            yield _Piece(comment, section, _blank(text, done, comment.start))
            done = comment.end
        notes = []
        line_end = text.find("\n", tokens[-1].end)
        while comments and (comments[0].start < line_end or line_end < 0):
            comment = comments.pop(0)
            after = sum(token.start < comment.start for token in tokens) - 1
            notes.append(Note(after, comment.text, comment.own_line))
        commented = CommentedEntry(
            _kind(entry), entry.head.text, _verbatim(tokens, text), entry.inline, tuple(notes)
        )
        yield _Piece(commented, section, _blank(text, done, tokens[0].start))
        done = line_end if line_end >= 0 else len(text)
    for comment in comments:
        yield _Piece(comment, section, _blank(text, done, comment.start))
        done = comment.end


def _blank(text: str, start: int, end: int) -> bool:
    """Return whether a blank line is between two places; at the beginning of a text none is."""
    return start > 0 and text.count("\n", start, end) > 1


def _verbatim(tokens: Iterable[Token], text: str) -> tuple[Token, ...]:
    """Return tokens with names as they are written, not composed (NFC)."""
    return tuple(replace(token, text=text[token.start : token.end]) for token in tokens)


def _kind(entry: Entry) -> str:
    """Return the start symbol that reads an entry, if the entry is not faulty."""
    head = entry.head.text
    if entry.inline and (head in INLINE or not entry.tokens):
        return INLINE.get(head, "")
    if head == "matrix" and entry.tokens[0].kind in ("BAR", "INT"):
        return "table_header" if entry.tokens[0].kind == "BAR" else "table_row"
    return UNDER[head]


# --- writing -----------------------------------------------------------------------------------


def _written(source: Source) -> str:
    pieces = list(_pieces(source))
    spaces = _spaces(pieces)
    written: list[CodeLine] = []
    for number, piece in enumerate(pieces):
        if piece.blank:
            written.append(CodeLine(""))
        if isinstance(piece.what, CommentedEntry):
            written += lines(piece.what, spaces[number])
        else:
            written.append(CodeLine(" " * _depth(source, pieces, number) + piece.what.text))
    return "".join(f"{line}\n" for line in _with_comments(written))


def _spaces(pieces: Sequence[_Piece]) -> dict[int, list[int]]:
    """Return the spaces before the tokens of each entry, by its number among the pieces."""
    spaces: dict[int, list[int]] = {}
    for group in _together(pieces):
        block = [piece.what for _, piece in group if isinstance(piece.what, CommentedEntry)]
        numbers = (number for number, _ in group)
        spaces.update(zip(numbers, spacing(block), strict=True))
    return spaces


def _together(pieces: Sequence[_Piece]) -> Iterator[list[tuple[int, _Piece]]]:
    """Yield blocks of entries, numbered: of one section, with no blank line between them.

    An item table is one block even with blank lines, and so are the lines of neighbouring sections
    that begin with the same word.
    """
    group: list[tuple[int, _Piece]] = []
    last: tuple[object, ...] = ()
    blank = False
    for number, piece in enumerate(pieces):
        blank = blank or piece.blank
        if not isinstance(piece.what, CommentedEntry):
            continue
        entry = piece.what
        place: tuple[object, ...] = (
            (entry.head,) if entry.inline else (piece.section, entry.kind in TABLE)
        )
        if group and (place != last or (blank and entry.kind not in TABLE)):
            yield group
            group = []
        group.append((number, piece))
        last, blank = place, False
    if group:
        yield group


def _depth(source: Source, pieces: Sequence[_Piece], number: int) -> int:
    """Return the indent of a comment: that of the entry after it, or 0 if it was at the margin."""
    after = (piece.what for piece in pieces[number + 1 :])
    entry = next((what for what in after if isinstance(what, CommentedEntry)), None)
    comment = pieces[number].what
    assert isinstance(comment, _Comment)
    if entry is not None and not entry.inline:
        return INDENT
    return 0 if source.position(comment.start)[1] == 1 else INDENT


def _with_comments(written: Sequence[CodeLine]) -> Iterator[str]:
    """Yield the lines with the comments at their ends, in one column within a section."""
    for _, group in groupby(_by_section(written), key=lambda pair: pair[0]):
        block = [line for _, line in group]
        places = [
            (display_width(line.text) + COMMENT_GAP, display_width(line.comment))
            for line in block
            if line.comment
        ]
        stop = column(places) if places else 0
        for line in block:
            gap = max(stop - display_width(line.text), COMMENT_GAP)
            yield line.text + " " * gap + line.comment if line.comment else line.text


def _by_section(written: Sequence[CodeLine]) -> Iterator[tuple[int, CodeLine]]:
    """Yield the lines, each with the number of its block, which a blank line or a section ends.

    Neighbouring sections of one line are one block.
    """
    number = 0
    texts = ["", *(line.text for line in written), ""]
    indented = [text.startswith(" ") for text in texts]
    for i, line in enumerate(written, start=1):
        begins = not indented[i] and (indented[i - 1] or indented[i + 1])
        number += begins or not line.text
        yield number, line
