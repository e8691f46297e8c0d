"""Slips that beginners make, each with its message: a table that the parser reads.

A line of ``slips.tsv`` is a faulty entry with what to say of it and what to do. It is parsed once;
where an entry of a user stops in the same parser state at the same kind of token, that line's
message is the one to give. Of several lines the first that fits counts.
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
    """A faulty entry of a kind, what to say of it and what to do.

    In the message, ``{found}`` is the bad token and ``{previous}`` the one before it. ``back`` is
    how many tokens the bad one is before the place where the parser stops. Where there are
    ``words``, one of them has to be there, or at most ``back`` tokens before; the bad token is
    then the one ``shift`` before it. A sample with ``anywhere`` fits wherever an entry of its kind
    stops at this kind of token.
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
    """Return the samples of the table, in its order."""
    lines = Path(__file__).with_name("slips.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(map(_sample, lines[1:]))


def _sample(line: str) -> Sample:
    start, text, message, remedy, *rest = line.split("\t")
    words, back, shift, anywhere = [*rest, "", "", "", ""][: len(COLUMNS) - 4]
    numbers = int(back or 0), int(shift or 0)
    return Sample(start, text, message, remedy, tuple(words.split()), *numbers, anywhere == "yes")


# Signs of other notations, and how the same is written here.
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
class Explained:
    """The sample that explains a refusal, and the number of the token it is about."""

    sample: Sample
    position: int


@cache
def _index() -> tuple[
    dict[tuple[str, int, str], list[Sample]], dict[tuple[str, str], list[Sample]]
]:
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
) -> Explained | None:
    """Return the sample that explains an entry refused at a token, if there is one.

    ``words`` asks for the samples about certain words, or for the others.
    """
    exact, anywhere = _index()
    for sample in (*exact.get((start, state, kind), ()), *anywhere.get((start, kind), ())):
        if bool(sample.words) is not words:
            continue
        for place in _places(sample, tokens, position):
            return Explained(sample, place)
    return None


def _places(sample: Sample, tokens: Sequence[Token], position: int) -> Iterator[int]:
    """Yield where the bad token of a sample can be in an entry."""
    if not sample.words:
        yield max(position - sample.back, 0)
        return
    for place in range(position, max(position - sample.back, 0) - 1, -1):
        if place < len(tokens) and tokens[place].text.casefold() in sample.words:
            yield max(place - sample.shift, 0)
