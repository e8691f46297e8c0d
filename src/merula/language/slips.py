"""Slips that beginners make, each with its message, in a table beside this module.

A line of ``slips.tsv`` is a faulty entry, the message about it and the remedy. Each faulty entry
is parsed once; where an entry of a user stops in the same state of the parser at the same kind of
token, it gets the message of that line. If several lines fit, the first one counts, so that their
order matters. Cells are separated by tabs and have no quoting; empty cells at the end of a line
are left out. ``tests/language/slips.txt`` shows where the caret of each message is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from merula.core.frozen import frozen
from merula.language.entry import EntryError, feed
from merula.language.tokens import Token, scan

COLUMNS = ("start", "text", "message", "remedy", "words", "back", "shift", "anywhere")


@frozen
class Sample:
    """A faulty entry, the message about it and the remedy.

    ``start`` is the start symbol of the kind of entry. In the message, ``{found}`` is the bad
    token and ``{previous}`` the one before it. The bad token is ``back`` tokens before the place
    where the parser stops. If there are ``words``, one of them must be there or at most ``back``
    tokens before; then the bad token is the one ``shift`` tokens before that word. A sample with
    ``anywhere`` fits wherever an entry of its kind stops at this kind of token.
    """

    start: str
    text: str
    message: str
    remedy: str
    words: tuple[str, ...] = ()
    back: int = 0
    shift: int = 0
    anywhere: bool = False


@cache
def samples() -> tuple[Sample, ...]:
    """Return the samples of the table, in the order of its lines."""
    lines = Path(__file__).with_name("slips.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(map(_sample, lines[1:]))


def _sample(line: str) -> Sample:
    start, text, message, remedy, *rest = line.split("\t")
    words, back, shift, anywhere = [*rest, "", "", "", ""][: len(COLUMNS) - 4]
    numbers = int(back or 0), int(shift or 0)
    return Sample(start, text, message, remedy, tuple(words.split()), *numbers, anywhere == "yes")


# Signs of other notations, and how to write the same here.
FOREIGN: dict[str, str] = {
    "==": "write one `=`",
    ":=": "the name of a rule or an answer is followed by `:`, every other name by `=`",
    "=>": "write `->`",
    "-->": "write `->`",
    "⇒": "write `->`",
    "<>": "write `!=`",
    "=/=": "write `!=`",
    "<=": "write `=` or `!=`",
    ">=": "write `=` or `!=`",
    "<": "write `=` or `!=`",
    ">": "write `=` or `!=`",
    "&&": "write `and`",
    "&": "write `and`",
    "∧": "write `and`",
    "||": "write `or` between tests, `|` between values",
    "∨": "write `or`",
    "/": "write `|` between values or alternatives",
    "\\": "write `|` between values or alternatives",
    "¦": "write `|`",
    "!": "write `not`",
    "¬": "write `not`",
    "~": "write `not`",
    ";": "write a comma between the parts of a list, and every entry on a line of its own",
    "+": "write the parts of a frame side by side, and × between factors",
    "·": "write × (or *) between factors",
    "{": "brackets are ( ) for attributes and alternatives, [ ] for constituents",
    "}": "brackets are ( ) for attributes and alternatives, [ ] for constituents",
    "：": "write `:`",
    "＝": "write `=`",
    "，": "write a comma",
    "；": "write a comma, and every entry on a line of its own",
    "｜": "write `|`",
    "（": "write `(`",
    "）": "write `)`",
}


@frozen
class SlipMatch:
    """The sample that fits a faulty entry, and the number of the token that it is about."""

    sample: Sample
    position: int


@cache
def _index() -> tuple[
    dict[tuple[str, int, str], list[Sample]], dict[tuple[str, str], list[Sample]]
]:
    """Return the samples by start symbol, state and kind, and those that fit in any state."""
    exact: dict[tuple[str, int, str], list[Sample]] = {}
    anywhere: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples():
        tokens = [token for token in scan(sample.text) if token.kind != "NEWLINE"]
        try:
            feed(sample.start, tokens)
        except EntryError as error:
            exact.setdefault((sample.start, error.state, error.kind), []).append(sample)
            if sample.anywhere:
                anywhere.setdefault((sample.start, error.kind), []).append(sample)
    return exact, anywhere


def explanation(
    start: str, state: int, kind: str, tokens: Sequence[Token], position: int, *, words: bool
) -> SlipMatch | None:
    """Return the first sample that fits an entry which stops at a token; None if none fits.

    ``words`` asks for the samples that are about certain words, or else for those that are not.
    """
    exact, anywhere = _index()
    for sample in (*exact.get((start, state, kind), ()), *anywhere.get((start, kind), ())):
        if bool(sample.words) is not words:
            continue
        for place in _places(sample, tokens, position):
            return SlipMatch(sample, place)
    return None


def _places(sample: Sample, tokens: Sequence[Token], position: int) -> Iterator[int]:
    """Yield the numbers of the tokens that can be the bad one of a sample."""
    if not sample.words:
        yield max(position - sample.back, 0)
        return
    for place in range(position, max(position - sample.back, 0) - 1, -1):
        if place < len(tokens) and tokens[place].text.casefold() in sample.words:
            yield max(place - sample.shift, 0)
