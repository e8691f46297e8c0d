"""How an entry is laid out: spaces, columns within a section, the lines that a long one takes.

Only the words of an entry and the comments inside it decide, never how it was laid out before.
``kind`` is everywhere the start rule of ``grammar.lark`` that reads an entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise

from merula.core.source import Source, display_width
from merula.language.tokens import Token, entries

WIDTH = 100  # columns of a line
INDENT = 2  # of an entry under its section
DEEPER = 4  # of the lines in which an entry goes on, where they stand under nothing above
FARTHEST = WIDTH // 2  # the last column under which anything is set, but in a table

SPELLINGS = {"ARROW": "->", "DIFFERS": "!=", "TIMES": "×", "DASH": "-"}

# Where a long entry is cut: at these, the first ones before the others. A line ends with a comma
# and begins with any of the others.
_CUTS = {
    "object": ",",
    "attribute": "| ,",
    "rule": ", else -> or and |",
    "selection": "or and , |",
    "paradigm": "in varying with × , |",
    "matrix": "in varying with × , |",
    "answer": "else , keeping and",
}
_OTHER_CUTS = ", |"
_DEPTH = 20  # what stands in brackets is cut after all that does not
# Behind the `=` or `:` of an entry a line ends where that is far to the right, or else at last.
_BEFORE_ALL, _AFTER_ALL = -1, 10

# What stands before what an entry says of the thing it names.
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
_WITH_DOC = frozenset({"rule", "paradigm", "matrix", "answer"})
_OPENS, _CLOSES = frozenset({"LPAR", "LSQB"}), frozenset({"RPAR", "RSQB"})
TABLE = frozenset({"table_header", "table_row"})


@dataclass(frozen=True, slots=True)
class Note:
    """A comment inside an entry or at its end: after which token, and whether on its own line."""

    after: int
    text: str
    own_line: bool


@dataclass(frozen=True, slots=True)
class Row:
    """An entry. If it is ``inline``, on its section's line, the head word is its first token."""

    kind: str
    head: str
    tokens: tuple[Token, ...]
    inline: bool
    notes: tuple[Note, ...] = ()

    @property
    def body(self) -> int:
        """The number of the first token after the head word."""
        return 1 if self.inline else 0

    @property
    def indent(self) -> int:
        """The column at which the entry begins."""
        return 0 if self.inline else INDENT

    @property
    def first_line(self) -> int:
        """How many tokens stand before the first comment."""
        return min((note.after + 1 for note in self.notes), default=len(self.tokens))

    @property
    def has_doc(self) -> bool:
        """Whether a doc string follows the name."""
        named = self.tokens[self.body : self.body + 2]
        return self.kind in _WITH_DOC and len(named) == 2 and named[1].kind == "STRING"

    @property
    def mark(self) -> int | None:
        """The number of the token `=` or `:` after which the entry says something."""
        return _find(self.tokens, _MARKS.get(self.kind, ""), self.body)


@dataclass(frozen=True, slots=True)
class Line:
    """A line to be written, and the comment at its end."""

    text: str
    comment: str = ""


def spelled(token: Token) -> str:
    """A token as it is written: each sign has one spelling, all else stays as it is."""
    return SPELLINGS.get(token.kind, token.text)


def column(places: Sequence[tuple[int, int]]) -> int:
    """The column where things in several lines are set under each other.

    A place is where the thing would stand alone and how wide is what begins there. The lines
    that are longest before the thing are left out if a line gets too long otherwise.
    """
    wanted = [(start, width if start + width <= WIDTH else 0) for start, width in places]
    while True:
        widest = max(start for start, _ in wanted)
        if not any(width and widest + width > WIDTH for _, width in wanted):
            return widest
        wanted = [place for place in wanted if place[0] < widest]


# --- spaces and columns ------------------------------------------------------------------------


def spacing(rows: Sequence[Row]) -> list[list[int]]:
    """For each of the entries that stand together, the spaces before each of its tokens."""
    spaces = [_natural(row) for row in rows]
    for row, own in zip(rows, spaces, strict=True):
        if row.kind in TABLE:
            own[0] = _before_bar(row, rows)
    stops = [{stop: i for stop, i in _stops(row) if i < row.first_line} for row in rows]
    for stop in sorted({stop for found in stops for stop in found}):
        for group in _sharing(stop, stops):
            places = {i: _place(rows[i], spaces[i], stops[i][stop]) for i in group}
            near = {i: p for i, p in places.items() if rows[i].mark is None or p[0] <= FARTHEST}
            common = column([*near.values()]) if near else 0
            for i, (start, _) in near.items():
                spaces[i][stops[i][stop]] += max(common - start, 0)
    return spaces


def _sharing(stop: Stop, stops: Sequence[Mapping[Stop, int]]) -> Iterator[list[int]]:
    """The numbers of the entries that share a column, where several do."""
    runs = groupby(range(len(stops)), key=lambda number: stop in stops[number])
    groups = [list(group) for shared, group in runs if shared]
    if not stop[1]:
        groups = [list(chain(*groups))]
    yield from (group for group in groups if len(group) > 1)


def _place(row: Row, spaces: Sequence[int], at: int) -> tuple[int, int]:
    """The column at which a token stands, and how wide the first line is from there on."""
    ends = _ends(row, spaces)
    start = row.indent + ends[at] + spaces[at]
    return start, row.indent + ends[row.first_line] - start


def _ends(row: Row, spaces: Sequence[int]) -> list[int]:
    """The width of the first no, one, two, … tokens of an entry in one line."""
    words = (display_width(spelled(token)) for token in row.tokens)
    return [0, *accumulate(space + word for space, word in zip(spaces, words, strict=True))]


def _natural(row: Row) -> list[int]:
    """The spaces before each token of an entry that stands alone."""
    between = [_space(row.kind, before, token) for before, token in pairwise(row.tokens)]
    return [0, *between]


def _space(kind: str, before: Token, token: Token) -> int:
    if token.kind in ("COMMA", "DOT", "QUESTION", "RPAR", "RSQB"):
        return 0
    if before.kind in ("DOT", "AT", "LPAR", "LSQB"):
        return 0
    if token.kind == "COLON":
        return 1 if kind == "object" else 0
    if token.kind == "LPAR":  # `attr(sg | pl)` is a factor, all other brackets stand apart
        return 0 if kind in ("paradigm", "matrix") and before.kind == "NAME" else 1
    if kind in TABLE and before.kind != "BAR" and token.kind != "BAR":
        return 2
    return 1


def _before_bar(row: Row, rows: Sequence[Row]) -> int:
    """What moves the numbers of items to the right, and the header behind them."""
    numbers = [len(r.tokens[0].text) for r in rows if r.kind == "table_row"]
    widest = max(numbers, default=1)
    return widest + 1 if row.kind == "table_header" else widest - len(row.tokens[0].text)


# A column: they are made in this order. One with a name is shared by neighbours only.
Stop = tuple[int, str]


def _stops(row: Row) -> Iterator[tuple[Stop, int]]:
    """The tokens of an entry that stand under those of other entries."""
    tokens, mark = row.tokens, row.mark
    if row.kind in TABLE:
        first = 2 if row.kind == "table_row" else 1
        cells = (i for i in range(first, len(tokens)) if _begins_cell(tokens, i))
        yield from (((number, ""), i) for number, i in enumerate(cells))
    elif row.kind == "cycle":
        yield (0, ""), 3 if tokens[1].kind == "DOT" else 1
        yield (1, ""), len(tokens) - (2 if tokens[-1].kind == "INT" else 4)
    elif row.kind == "selection" and (verb := _verb(row)):
        yield (0, ""), verb
    if mark is None or row.has_doc:
        return
    if row.kind == "answer" and tokens[1].text == "breaks":
        yield (0, ""), 1
    yield (1, ""), mark + 1 if row.kind in ("rule", "answer") else mark
    bracket = _find(tokens, "LPAR", mark)
    if row.kind == "object" and bracket is not None:
        yield (2, ""), bracket
    short = row.indent + _ends(row, _natural(row))[-1] <= WIDTH
    if row.kind == "attribute" and short:  # those with the same values are a table
        bars = [i for i, token in enumerate(tokens) if token.kind == "BAR"]
        values = " ".join(tokens[i + 1].text for i in (mark, *bars))
        yield from (((2 + number, values), i) for number, i in enumerate(bars))


def _verb(row: Row) -> int | None:
    """The number of the word `is` behind the names at the beginning of a selection."""
    at = row.body + 1
    while row.tokens[at].kind == "COMMA" or row.tokens[at].text == "and":
        at += 2
    return at if row.tokens[at].text == "is" else None


def _begins_cell(tokens: Sequence[Token], number: int) -> bool:
    before, token = tokens[number - 1], tokens[number]
    return token.kind == "BAR" or ("DOT" not in (token.kind, before.kind) and before.kind != "BAR")


def _find(tokens: Sequence[Token], kind: str, start: int) -> int | None:
    return next((i for i in range(start, len(tokens)) if tokens[i].kind == kind), None)


# --- lines -------------------------------------------------------------------------------------


def lines(row: Row, spaces: Sequence[int]) -> Iterator[Line]:
    """The lines of an entry: one, or more where it is too long or has comments inside."""
    start, hang = 0, (row.indent, row.indent)
    own, ends = spaces, _ends(row, spaces)
    cuts = _cuts(row, spaces) if row.notes or row.indent + ends[-1] > WIDTH else []
    for stop in sorted({*(note.after + 1 for note in row.notes), len(row.tokens)}):
        notes = [note for note in row.notes if note.after + 1 == stop]
        while start < stop:
            indent = hang[0] if row.tokens[start].kind in ("BAR", "TIMES") else hang[1]
            room = WIDTH - indent + ends[start] + (own[start] if start else 0)
            inside = [(rank, at) for rank, at in cuts if start < at < stop]
            end = stop if ends[stop] <= room else _cut(inside, ends, room, stop)
            behind = [note.text for note in notes if end == stop and not note.own_line]
            yield Line(" " * indent + _text(row, own, start, end), "".join(behind))
            if start == 0:
                hang = _hang(row, spaces, end)
                own = _natural(row)
                ends = _ends(row, own)
            start = end
        yield from (Line(" " * hang[1] + note.text) for note in notes if note.own_line)


def _hang(row: Row, spaces: Sequence[int], first_end: int) -> tuple[int, int]:
    """The columns of later lines: of those that begin with `|` or `×`, and of all others.

    They stand under the mark and under what follows it, if the first line ends behind that.
    """
    at = row.mark
    if at is None or at + 1 >= first_end or _far(row, spaces):
        return row.indent + DEEPER, row.indent + DEEPER
    mark, text = (_place(row, spaces, number)[0] for number in (at, at + 1))
    return (mark if row.tokens[at].kind == "EQUALS" else text), text


def _far(row: Row, spaces: Sequence[int]) -> bool:
    """Whether what follows the mark stands too far to the right to have lines under it."""
    return row.mark is not None and _place(row, spaces, row.mark + 1)[0] > FARTHEST


def _text(row: Row, spaces: Sequence[int], start: int, end: int) -> str:
    text = "".join(" " * spaces[i] + spelled(row.tokens[i]) for i in range(start, end))
    return text if start == 0 else text.lstrip(" ")


Cut = tuple[int, int]  # its rank, the lowest being the best, and the token that begins a line


def _cut(cuts: Sequence[Cut], ends: Sequence[int], room: int, stop: int) -> int:
    """The best of some cuts, and of equals the last, before which the line fits; else the first.

    ``ends`` are widths up to the tokens, ``room`` is the width there is. Without a cut the line
    goes up to ``stop``.
    """
    fitting = [(rank, -at) for rank, at in cuts if ends[at] <= room]
    return -min(fitting)[1] if fitting else min((at for _, at in cuts), default=stop)


def _cuts(row: Row, spaces: Sequence[int]) -> list[Cut]:
    """Where an entry can be cut; ``spaces`` are those of its first line."""
    order = _CUTS.get(row.kind, _OTHER_CUTS).split()
    mark, behind_mark = row.mark, _BEFORE_ALL if _far(row, spaces) else _AFTER_ALL
    found = []
    depth = 0
    for at in range(row.body + 1, len(row.tokens)):
        before, token = row.tokens[at - 1], row.tokens[at]
        depth += (before.kind in _OPENS) - (before.kind in _CLOSES)
        sign = "," if before.kind == "COMMA" else spelled(token)
        if row.head == "matrix" and before.kind == "BAR":  # there no line may begin with one
            sign = "|"
        if not spaces[at] or not (depth or _goes_on(row, at)):
            continue
        inside = 0 if row.kind == "object" else _DEPTH * depth  # features are as good as names
        if sign in order:
            found.append((order.index(sign) + inside, at))
        elif at - 1 == mark:
            found.append((behind_mark, at))
        elif depth:
            found.append((_AFTER_ALL + inside, at))
    return found


def _goes_on(row: Row, number: int) -> bool:
    """Whether the entry is read as one if a line begins with a token, outside of brackets.

    What matters is how it begins, what is before the token, and two words from there on.
    """
    tokens = row.tokens
    before = " ".join(spelled(tokens[i]) for i in sorted({row.body, number - 1}))
    after = [spelled(token) for token in tokens[number : number + 2] if token.kind not in _OPENS]
    between = " " if row.inline else "\n "
    text = f"{row.head}{between}{before}\n {' '.join(after)}"
    return len(list(entries(Source("", text)))) == (1 if row.inline else 2)
