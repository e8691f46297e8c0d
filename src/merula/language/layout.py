"""Lay out an entry: its spaces, its columns within a section, and the lines of a long one.

In go entries with their comments (`CommentedEntry`). `spacing` returns the spaces between their
tokens, and `lines` the lines of one of them; `merula.language.format` calls both. Only the words of
an entry and the comments inside it decide, never how it was laid out before, so that a text that
is laid out stays as it is. A ``kind`` is always the start symbol of ``grammar.lark`` that reads an
entry. Widths are columns of a terminal (`display_width`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise

from merula.core.source import Source, display_width
from merula.language.tokens import Token, entries

# All in columns. Beyond the middle of a line nothing is aligned except in tables, since the later
# lines of an entry would have too little room there.
MAX_COLUMNS = 100  # of a line, as in the Python of this repository
INDENT = 2  # of an entry under its section
CONTINUATION_INDENT = 4  # of the later lines of an entry, where they are under nothing above
MAX_ALIGNED = MAX_COLUMNS // 2

SPELLINGS = {"ARROW": "->", "DIFFERS": "!=", "TIMES": "×", "DASH": "-"}

# Where a long entry is cut: at these, the first ones first. A line ends with a comma and begins
# with any other sign or word.
_CUTS = {
    "object": ",",
    "attribute": "| ,",
    "rule": ", else -> or and |",
    "selection": "or and , |",
    "paradigm": "where in varying with × , or and |",
    "matrix": "in varying with × , |",
    "answer": "else , keeping and",
}
_OTHER_CUTS = ", |"
# Ranks of cuts, lower ones first. The places of signs in `_CUTS` are ranks below 10. A line ends
# after the `=` or `:` of an entry first if that is far to the right, and else last. Each pair of
# brackets around a cut adds more than any of these.
_BEFORE_ALL, _AFTER_ALL, _IN_BRACKETS = -1, 10, 20

# The sign between the thing that an entry names and what it says of it.
_MARKS = {
    "object": "COLON",
    "attribute": "EQUALS",
    "mapping": "EQUALS",
    "frame": "EQUALS",
    "rule": "COLON",
    "paradigm": "EQUALS",
    "matrix": "EQUALS",
    "answer": "COLON",
}
_BEFORE_TEST = frozenset({"where", "and", "or", "not"})  # in a paradigm, a bracket is a test then
_WITH_DOC = frozenset({"rule", "paradigm", "matrix", "answer"})
_OPENS, _CLOSES = frozenset({"LPAR", "LSQB"}), frozenset({"RPAR", "RSQB"})
TABLE = frozenset({"table_header", "table_row"})


@dataclass(frozen=True, slots=True)
class Note:
    """A comment in an entry or at its end; ``after`` is the number of the token before it."""

    after: int
    text: str
    own_line: bool


@dataclass(frozen=True, slots=True)
class CommentedEntry:
    """An entry with its comments; the head word is the first token of an ``inline`` one."""

    kind: str
    head: str
    tokens: tuple[Token, ...]
    inline: bool
    notes: tuple[Note, ...] = ()

    @property
    def body(self) -> int:
        """Return the number of the first token after the head word."""
        return 1 if self.inline else 0

    @property
    def indent(self) -> int:
        """Return the column at which the entry begins, from 0."""
        return 0 if self.inline else INDENT

    @property
    def first_line(self) -> int:
        """Return the number of tokens before the first comment."""
        return min((note.after + 1 for note in self.notes), default=len(self.tokens))

    @property
    def has_doc(self) -> bool:
        """Return whether a description follows the name."""
        named = self.tokens[self.body : self.body + 2]
        return self.kind in _WITH_DOC and len(named) == 2 and named[1].kind == "STRING"

    @property
    def mark(self) -> int | None:
        """Return the number of the token `=` or `:` that divides the entry; None without one."""
        return _find(self.tokens, _MARKS.get(self.kind, ""), self.body)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line to be written, and the comment at its end (empty if there is none)."""

    text: str
    comment: str = ""


def spelled(token: Token) -> str:
    """Return a token as it is written: a sign has one spelling, everything else stays as it is."""
    return SPELLINGS.get(token.kind, token.text)


def column(places: Sequence[tuple[int, int]]) -> int:
    """Return the column where things in several lines are put under each other.

    A place is the column of a thing if its line were alone, and the width of the line from there.
    If a line would get too long, the lines that are longest before the thing are left out.

    >>> column([(4, 10), (9, 10)])
    9
    >>> column([(4, 95), (9, 10)])  # at 9, the first line would have 104 columns
    4
    """
    wanted = [(start, width if start + width <= MAX_COLUMNS else 0) for start, width in places]
    while True:
        widest = max(start for start, _ in wanted)
        if not any(width and widest + width > MAX_COLUMNS for _, width in wanted):
            return widest
        wanted = [place for place in wanted if place[0] < widest]


# --- spaces and columns ------------------------------------------------------------------------


def spacing(block: Sequence[CommentedEntry]) -> list[list[int]]:
    """Return, for each entry of a block, the spaces before each of its tokens."""
    spaces = [_natural(entry) for entry in block]
    for entry, before in zip(block, spaces, strict=True):
        if entry.kind in TABLE:
            before[0] = _before_bar(entry, block)
    stops = [{stop: i for stop, i in _stops(entry) if i < entry.first_line} for entry in block]
    for stop in sorted({stop for places in stops for stop in places}):
        for group in _sharing(stop, stops):
            places = {i: _place(block[i], spaces[i], stops[i][stop]) for i in group}
            near = {i: p for i, p in places.items() if block[i].mark is None or p[0] <= MAX_ALIGNED}
            common = column([*near.values()]) if near else 0
            for i, (start, _) in near.items():
                spaces[i][stops[i][stop]] += max(common - start, 0)
    return spaces


def _sharing(stop: Stop, stops: Sequence[Mapping[Stop, int]]) -> Iterator[list[int]]:
    """Yield the numbers of entries that share a column, wherever several do."""
    runs = groupby(range(len(stops)), key=lambda number: stop in stops[number])
    groups = [list(group) for shared, group in runs if shared]
    if not stop[1]:
        groups = [list(chain(*groups))]
    yield from (group for group in groups if len(group) > 1)


def _place(entry: CommentedEntry, spaces: Sequence[int], at: int) -> tuple[int, int]:
    """Return the column of a token, and the width of the first line from there on."""
    ends = _ends(entry, spaces)
    start = entry.indent + ends[at] + spaces[at]
    return start, entry.indent + ends[entry.first_line] - start


def _ends(entry: CommentedEntry, spaces: Sequence[int]) -> list[int]:
    """Return the widths of the first 0, 1, 2, … tokens of an entry in one line."""
    words = (display_width(spelled(token)) for token in entry.tokens)
    return [0, *accumulate(space + word for space, word in zip(spaces, words, strict=True))]


def _natural(entry: CommentedEntry) -> list[int]:
    """Return the spaces before each token of an entry that is aligned with no other."""
    between = [_space(entry.kind, before, token) for before, token in pairwise(entry.tokens)]
    return [0, *between]


def _space(kind: str, before: Token, token: Token) -> int:
    if token.kind in ("COMMA", "DOT", "QUESTION", "RPAR", "RSQB"):
        return 0
    if before.kind in ("DOT", "AT", "LPAR", "LSQB"):
        return 0
    if token.kind == "COLON":
        return 1 if kind == "object" else 0
    if token.kind == "LPAR":  # a factor is `attr(sg | pl)`; other brackets come after a space
        factor = kind in ("paradigm", "matrix") and before.kind == "NAME"
        return 0 if factor and before.text not in _BEFORE_TEST else 1
    if kind in TABLE and before.kind != "BAR" and token.kind != "BAR":
        return 2
    return 1


def _before_bar(entry: CommentedEntry, block: Sequence[CommentedEntry]) -> int:
    """Return the spaces before a row of a table, so that the numbers end in one column."""
    numbers = [len(r.tokens[0].text) for r in block if r.kind == "table_row"]
    widest = max(numbers, default=1)
    return widest + 1 if entry.kind == "table_header" else widest - len(entry.tokens[0].text)


# A column: its rank and its name. They are made in this order, from left to right. One with a name
# is shared by neighbours only, one without by all entries of a block.
Stop = tuple[int, str]


def _stops(entry: CommentedEntry) -> Iterator[tuple[Stop, int]]:
    """Yield the tokens of an entry that are put under tokens of other entries."""
    tokens, mark = entry.tokens, entry.mark
    if entry.kind in TABLE:
        first = 2 if entry.kind == "table_row" else 1
        cells = (i for i in range(first, len(tokens)) if _begins_cell(tokens, i))
        yield from (((number, ""), i) for number, i in enumerate(cells))
    elif entry.kind == "cycle":
        yield (0, ""), 3 if tokens[1].kind == "DOT" else 1
        yield (1, ""), len(tokens) - (2 if tokens[-1].kind == "INT" else 4)
    elif entry.kind == "selection" and (verb := _verb(entry)):
        yield (0, ""), verb
    if mark is None or entry.has_doc:
        return
    if entry.kind == "answer" and tokens[1].text == "breaks":
        yield (0, ""), 1
    yield (1, ""), mark + 1 if entry.kind in ("rule", "answer") else mark
    bracket = _find(tokens, "LPAR", mark)
    if entry.kind == "object" and bracket is not None:
        yield (2, ""), bracket
    short = entry.indent + _ends(entry, _natural(entry))[-1] <= MAX_COLUMNS
    if entry.kind == "attribute" and short:  # those with the same values are a table
        bars = [i for i, token in enumerate(tokens) if token.kind == "BAR"]
        values = " ".join(tokens[i + 1].text for i in (mark, *bars))
        yield from (((2 + number, values), i) for number, i in enumerate(bars))


def _verb(entry: CommentedEntry) -> int | None:
    """Return the number of the word `is` after the names of a selection; None without it."""
    at = entry.body + 1
    while entry.tokens[at].kind == "COMMA" or entry.tokens[at].text == "and":
        at += 2
    return at if entry.tokens[at].text == "is" else None


def _begins_cell(tokens: Sequence[Token], number: int) -> bool:
    before, token = tokens[number - 1], tokens[number]
    return token.kind == "BAR" or ("DOT" not in (token.kind, before.kind) and before.kind != "BAR")


def _find(tokens: Sequence[Token], kind: str, start: int) -> int | None:
    return next((i for i in range(start, len(tokens)) if tokens[i].kind == kind), None)


# --- lines -------------------------------------------------------------------------------------


def lines(entry: CommentedEntry, spaces: Sequence[int]) -> Iterator[CodeLine]:
    """Yield the lines of an entry: one, or more if it is too long or has comments inside."""
    start, hang = 0, (entry.indent, entry.indent)
    current, ends = spaces, _ends(entry, spaces)  # those of the line in hand
    cuts = _cuts(entry, spaces) if entry.notes or entry.indent + ends[-1] > MAX_COLUMNS else []
    for stop in sorted({*(note.after + 1 for note in entry.notes), len(entry.tokens)}):
        notes = [note for note in entry.notes if note.after + 1 == stop]
        while start < stop:
            indent = hang[0] if entry.tokens[start].kind in ("BAR", "TIMES") else hang[1]
            room = MAX_COLUMNS - indent + ends[start] + (current[start] if start else 0)
            inside = [(rank, at) for rank, at in cuts if start < at < stop]
            end = stop if ends[stop] <= room else _cut(inside, ends, room, stop)
            behind = [note.text for note in notes if end == stop and not note.own_line]
            yield CodeLine(" " * indent + _text(entry, current, start, end), "".join(behind))
            if start == 0:
                hang = _hang(entry, spaces, end)
                current = _natural(entry)
                ends = _ends(entry, current)
            start = end
        yield from (CodeLine(" " * hang[1] + note.text) for note in notes if note.own_line)


def _hang(entry: CommentedEntry, spaces: Sequence[int], first_end: int) -> tuple[int, int]:
    """Return the columns of later lines: of those that begin with `|` or `×`, and of the rest.

    They are under the mark and under what follows it, if the first line goes on after that.
    """
    at = entry.mark
    if at is None or at + 1 >= first_end or _far(entry, spaces):
        return entry.indent + CONTINUATION_INDENT, entry.indent + CONTINUATION_INDENT
    mark, text = (_place(entry, spaces, number)[0] for number in (at, at + 1))
    return (mark if entry.tokens[at].kind == "EQUALS" else text), text


def _far(entry: CommentedEntry, spaces: Sequence[int]) -> bool:
    """Return whether what follows the mark is too far to the right to have lines under it."""
    return entry.mark is not None and _place(entry, spaces, entry.mark + 1)[0] > MAX_ALIGNED


def _text(entry: CommentedEntry, spaces: Sequence[int], start: int, end: int) -> str:
    text = "".join(" " * spaces[i] + spelled(entry.tokens[i]) for i in range(start, end))
    return text if start == 0 else text.lstrip(" ")


Cut = tuple[int, int]  # its rank, of which the lowest is the best, and the token after it


def _cut(cuts: Sequence[Cut], ends: Sequence[int], room: int, stop: int) -> int:
    """Return the token at which a line is cut: the last of the best cuts up to which it fits.

    ``ends`` are the widths up to each token, ``room`` is the width that is free. If the line fits
    at no cut, it is cut at the first; without any cut it goes up to ``stop``.

    >>> _cut([(0, 2), (0, 4), (1, 5)], ends=[0, 3, 6, 9, 12, 15], room=14, stop=6)
    4
    """
    fitting = [(rank, -at) for rank, at in cuts if ends[at] <= room]
    return -min(fitting)[1] if fitting else min((at for _, at in cuts), default=stop)


def _cuts(entry: CommentedEntry, spaces: Sequence[int]) -> list[Cut]:
    """Return where an entry can be cut; ``spaces`` are those of its first line."""
    order = _CUTS.get(entry.kind, _OTHER_CUTS).split()
    mark, behind_mark = entry.mark, _BEFORE_ALL if _far(entry, spaces) else _AFTER_ALL
    cuts: list[Cut] = []
    depth = 0
    for at in range(entry.body + 1, len(entry.tokens)):
        before, token = entry.tokens[at - 1], entry.tokens[at]
        depth += (before.kind in _OPENS) - (before.kind in _CLOSES)
        sign = "," if before.kind == "COMMA" else spelled(token)
        if entry.head == "matrix" and before.kind == "BAR":  # no line of a matrix may begin with it
            sign = "|"
        if not spaces[at] or not (depth or _goes_on(entry, at)):
            continue
        # the features of an object, in brackets, are as good a place as its names
        inside = 0 if entry.kind == "object" else _IN_BRACKETS * depth
        if sign in order:
            cuts.append((order.index(sign) + inside, at))
        elif at - 1 == mark:
            cuts.append((behind_mark, at))
        elif depth:
            cuts.append((_AFTER_ALL + inside, at))
    return cuts


def _goes_on(entry: CommentedEntry, number: int) -> bool:
    """Return whether the entry is read as one if a line begins with a token outside of brackets.

    How the entry begins, the token before, this token and the next one decide that, so that a
    short text of these is read instead of the whole entry.
    """
    tokens = entry.tokens
    before = " ".join(spelled(tokens[i]) for i in sorted({entry.body, number - 1}))
    after = [spelled(token) for token in tokens[number : number + 2] if token.kind not in _OPENS]
    between = " " if entry.inline else "\n "
    text = f"{entry.head}{between}{before}\n {' '.join(after)}"
    return len(list(entries(Source("", text)))) == (1 if entry.inline else 2)
