"""Parse a grammar, or a selection cell of a table, into the typed tree, an entry at a time.

In go a `Source` and a `Report`; out comes a `syntax.File`. A faulty entry becomes one diagnostic
and is left out of the tree; the entries around it are parsed all the same. The file remembers
which names and sections are lost with it, so that later stages do not report what only follows
from that fault. `merula.grammar.program` calls `parse`, `merula.lexicon` calls `parse_cell`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any, cast

from merula.core.diagnostics import Label, Report
from merula.core.source import Source
from merula.core.wording import did_you_mean, listing
from merula.language import syntax as s
from merula.language.build import TreeBuilder
from merula.language.entry import EntryError, feed, parses
from merula.language.refusals import ENTRY_NAMES, report_excess, report_refusal, show
from merula.language.tokens import HEADS, Entry, Token, entries, scan

# The start symbol of the entry on a section's own line, and of the entries under it.
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
    "contested": "rule",
    "select": "selection",
    "frame": "frame",
    "frames": "frame",
    "matrix": "cycle",
    "answers": "answer",
    "examples": "example",
}


def parse(source: Source, report: Report) -> s.File:
    """Return the tree of a text; entries that do not parse are reported and left out."""
    builder = _FileBuilder(source, report)
    every = tuple(entries(source))
    for number in range(len(every)):
        builder.add(every, number)
    return builder.finish()


def parse_cell(source: Source, report: Report) -> s.Expression | None:
    """Return the expression in a table cell (``person and not proper``); None if it is faulty."""
    tokens = [token for token in scan(source.text) if token.kind != "NEWLINE"]
    if report_excess(report, source, tokens):
        return None
    try:
        node = feed("cell_expression", tokens, TreeBuilder(source).build)
    except EntryError as error:
        report_refusal(report, source, tokens, error, None)
        return None
    return cast(s.Expression, node)


_ELSEWHERE = object()  # instead of a node: the entry belongs to another section


class _FileBuilder:
    """Collects parsed entries; those under a matrix, answers or a lexicon become part of it."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source, self.report = source, report
        self.tree = TreeBuilder(source)
        self.lists: dict[str, list[Any]] = {}
        self.head = ""  # the head word of the section that entries belong to, without its slips
        self.skipping = False  # the section's own line was faulty: its entries mean nothing
        self.current: Any = None  # the matrix, answers or lexicon that entries become part of
        self.fine = True  # whether the entry before could be read
        self.unread: set[str] = set()
        self.lost: set[str] = set()

    def add(self, every: Sequence[Entry], number: int) -> None:
        """Parse the entry with this number among all entries, and put it where it belongs."""
        entry = every[number]
        if entry.inline:
            self.skipping, self.current = False, None
            self.head = self._head(entry)
        elif not self.head and not self.skipping:
            self._homeless(entry)
        if self.skipping or not self.head:
            self.skipping = True
            self._lose(entry)
        elif not entry.inline or entry.tokens or self.head in INLINE:
            self._add(entry, islice(every, number + 1, None))

    def _missing_head(self, entry: Entry, after: Iterable[Entry]) -> bool:
        """Return whether a faulty entry and the rest of its section belong in another section.

        Then it is reported, and the entries are put there.
        """
        here = UNDER[self.head]
        group = [entry]
        for following in takewhile(lambda e: not e.inline, after):
            if parses(here, following.tokens):
                return False
            group.append(following)
        if len(group) < 2 or isinstance(self.current, s.ItemTable):
            return False
        for head in ("objects", "attributes", "external", "select", "frames", "answers"):
            if head != self.head and all(parses(UNDER[head], e.tokens) for e in group):
                self.report.error(
                    "M013",
                    f"{ENTRY_NAMES[UNDER[head]]} does not belong under `{self.head}`",
                    entry.span(self.source),
                    remedy=f"is the line `{head}` missing above it?",
                )
                self.head, self.current = head, None
                self.skipping = head == "answers"
                return True
        return False

    def _add(self, entry: Entry, after: Iterable[Entry] = ()) -> None:
        head = self.head
        if self.skipping:
            self._lose(entry)
            return
        start = INLINE.get(head) if entry.inline else UNDER.get(head)
        start = start or UNDER.get(head)
        if start is None:
            self._nothing_under(entry)
            return
        if start == "cycle" and not entry.inline and self._wrong_matrix(entry):
            self.skipping = True
            self._lose(entry)
            return
        if start == "cycle" and isinstance(self.current, s.ItemTable):
            start = "table_header" if entry.tokens[0].kind == "BAR" else "table_row"
        node = self._node(start, entry, after)
        if node is _ELSEWHERE:
            self._add(entry)
            return
        self.fine = node is not None
        if node is None:
            self._lose(entry)
            self.skipping = entry.inline and head in ("matrix", "answers")
        else:
            self._place(head, start, node)

    def _wrong_matrix(self, entry: Entry) -> bool:
        """Report an operator where a matrix has a table, or a table where it has operators."""
        table = isinstance(self.current, s.ItemTable)
        if isinstance(self.current, s.Copied):
            return self._under_copied(entry)
        if not table and entry.tokens[0].kind != "BAR":
            return False
        if table and not (entry.tokens[0].kind == "NAME" and parses("cycle", entry.tokens)):
            return False
        self.report.error(
            "M014",
            "an operator does not belong in a table of items"
            if table
            else "a table of items does not belong under a number of items",
            Label(entry.span(self.source)),
            *([Label(self.current.name.span, "the matrix")] if self.current else []),
            remedy="write `= 8 items` where operators make the items, `= items` before a table",
        )
        return True

    def _under_copied(self, entry: Entry) -> bool:
        """Report a line under a matrix that takes its items from another; return whether it was.

        It is not reported here if it begins with a head word: then it is an indented section.
        """
        if entry.tokens[0].text in HEADS and not parses("cycle", entry.tokens):
            return False
        self.report.error(
            "M012",
            "nothing belongs under this matrix: it takes its items from another",
            entry.span(self.source),
            remedy="delete these lines; a matrix with cycles of its own begins `= 8 items`",
        )
        return True

    def _lose(self, entry: Entry) -> None:
        """Remember the names in an entry that is left out, and its section."""
        for token in entry.tokens:
            if token.kind in ("NAME", "OPEN"):
                self.unread.update(re.findall(r"[^\W\d][\w-]*", token.text))
        self.lost.add(self.head)
        if entry.inline:
            self.lost.update(token.text for token in entry.tokens[:1] if token.text in HEADS)

    def _node(self, start: str, entry: Entry, after: Iterable[Entry]) -> Any:
        if report_excess(self.report, self.source, entry.tokens):
            return None
        try:
            return feed(start, entry.tokens, self.tree.build)
        except EntryError as error:
            if not entry.inline and self._indented_head(entry, error):
                return None
            if not entry.inline and self.fine and self._missing_head(entry, after):
                return _ELSEWHERE
            report_refusal(self.report, self.source, entry.tokens, error, entry.head)
            return None

    def _indented_head(self, entry: Entry, error: EntryError) -> bool:
        """Return whether a faulty entry is an indented head; what follows are its entries."""
        head = entry.tokens[0]
        if head.text not in HEADS or error.position > 1:
            return False
        self._begin_indented(head)
        return True

    def _begin_indented(self, head: Token) -> None:
        self.report.error(
            "M004",
            f"`{head.text}` begins a section only at the left margin",
            self.source.span(head.start, head.end),
            remedy="take away the spaces before it",
        )
        self.current, self.head = None, head.text
        self.skipping = head.text in ("matrix", "answers")

    def _place(self, head: str, start: str, node: Any) -> None:
        if start in ("matrix", "answers", "lexicon"):
            self.current = node
            self._list(head).append(node)
        elif start == "mapping":
            self._join(head, mappings=node)
        elif start == "cycle":
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
        if self.current is None:  # the section's own line did not parse
            return
        new = node if isinstance(node, tuple) else (node,)
        self.current = replace(self.current, **{name: getattr(self.current, name) + new})
        self._list(head)[-1] = self.current

    def _head(self, entry: Entry) -> str:
        """Return the section that a line at the left margin begins, or an empty string."""
        word = entry.head
        if word.kind == "NAME" and word.text in HEADS:
            return word.text
        if word.kind != "NAME":
            text = show(word.text)
            message = f"a line at the left margin begins a section, and {text} does not"
        else:
            message = f"there is no section named `{word.text}`"
        hint = did_you_mean(word.text, HEADS) if word.kind == "NAME" else ""
        heads = f"sections are {listing(dict.fromkeys(HEADS), 'or')}; indent the entries under one"
        span = self.source.span(word.start, word.end)
        self.report.error("M001", message, span, remedy=hint or heads)
        return hint.removeprefix("did you mean ").removesuffix("?")

    def _homeless(self, entry: Entry) -> None:
        self.report.error(
            "M002",
            "this line is indented, but no section begins above it",
            self.source.span(entry.head.start, entry.head.end),
            remedy="begin with a line such as `phenomenon NAME` at the left margin",
        )

    def _nothing_under(self, entry: Entry) -> None:
        if entry.tokens[0].text in HEADS:
            self._begin_indented(entry.tokens[0])
            self._lose(entry)
            return
        self.skipping = True
        self.report.error(
            "M003",
            f"nothing belongs under `{self.head}`",
            entry.span(self.source),
            remedy=f"write it on the line of `{self.head}`, or begin a section at the left margin",
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
            contested=tuple(get("contested", ())),
            selections=tuple(get("select", ())),
            frames=tuple(get("frames", ())),
            paradigms=tuple(get("paradigm", ())),
            matrices=tuple(get("matrix", ())),
            answers=tuple(get("answers", ())),
            examples=tuple(get("examples", ())),
            unread=frozenset(self.unread),
            lost=frozenset(self.lost),
        )
