"""One entry through the LALR machine: its tokens become a node, or an error says where it stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from merula.language.lalr import END, Build, Parser
from merula.language.parser_tables import tables
from merula.language.tokens import KEYWORDS, Token


class EntryError(Exception):
    """An entry that the grammar does not allow, with the place where the parser stops.

    ``position`` is the number of the token, ``expected`` are the kinds that could come there.
    """

    def __init__(self, start: str, state: int, kind: str, position: int, expected: set[str]):
        super().__init__(kind)
        self.start, self.state, self.kind = start, state, kind
        self.position, self.expected = position, expected


def feed(start: str, tokens: Sequence[Token], build: Build | None = None) -> Any:
    """Return what ``build`` makes of an entry; raises `EntryError` where a token does not fit."""
    parser = Parser(tables(), start, build)
    for number, token in enumerate(tokens):
        kind = token.kind
        if kind == "NAME" and token.text in KEYWORDS:
            after = tokens[number + 1] if number + 1 < len(tokens) else None
            kind = _kind(parser, token.text.upper(), after)
        if not parser.feed(
            kind, token if kind == token.kind else Token(kind, token.text, token.start, token.end)
        ):
            _refuse(start, parser, kind, number)
    if not parser.feed(END, None):
        _refuse(start, parser, END, len(tokens))
    return parser.result


def parses(start: str, tokens: Sequence[Token]) -> bool:
    """Return whether tokens are an entry of some kind."""
    try:
        feed(start, tokens)
    except EntryError:
        return False
    return True


def _kind(parser: Parser, keyword: str, after: Token | None) -> str:
    """Whether a word is a keyword or a name here: what can be a name is one, if that goes on."""
    if keyword not in parser.choices:
        return "NAME"
    name = "NAME" in parser.choices and _goes_on(parser, "NAME", after)
    return keyword if not name or _goes_on(parser, keyword, after) else "NAME"


def _goes_on(parser: Parser, kind: str, after: Token | None) -> bool:
    """Whether the parser, fed a word as a keyword or a name, could take the next token."""
    trial = parser.after(kind)
    if trial is None:
        return False
    if after is None:
        return END in trial.choices
    return after.kind in trial.choices or (
        after.kind == "NAME" and after.text.upper() in trial.choices
    )


def _refuse(start: str, parser: Parser, kind: str, position: int) -> None:
    raise EntryError(start, _settled(parser), kind, position, parser.accepted())


# Parts whose end is taken for granted when an entry is refused: after `flip verb.number` the
# parser still waits for more of a path, but what matters is that a `flip` is complete.
_SMALL = frozenset({"path", "value", "term", "word", "doc", "label", "cell"})


def _settled(parser: Parser) -> int:
    """The state of a parser once the small part at its end is complete."""
    stack = parser.stack.copy()
    states, rules = parser.tables.states, parser.tables.rules
    while True:
        complete = {~action for action in states[stack[-1]].values() if action < 0}
        if len(complete) != 1:
            return stack[-1]
        rule = rules[complete.pop()]
        if rule.symbol not in _SMALL:
            return stack[-1]
        del stack[len(stack) - rule.size :]
        stack.append(states[stack[-1]][rule.symbol])
