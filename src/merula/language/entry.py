"""One entry through the LALR machine: it becomes a node, or an error says where it stops.

Key words are not reserved. A word is a key word where the machine can use it as one, and a name
everywhere else. Where it could be both, it is a name only if a key word could not be followed by
the next token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from merula.language.lalr import END, Build, Machine
from merula.language.parser_tables import tables
from merula.language.tokens import KEYWORDS, Token


class EntryError(Exception):
    """An entry that the grammar does not allow, with the place where the machine stops.

    ``position`` is the number of the bad token, which is the number of tokens if the entry ends
    too early. ``kind`` is the kind of that token, and ``expected`` are the kinds that could come
    there. ``state`` and ``kind`` together find the message (`merula.language.slips`).
    """

    def __init__(self, start: str, state: int, kind: str, position: int, expected: set[str]):
        super().__init__(kind)
        self.start, self.state, self.kind = start, state, kind
        self.position, self.expected = position, expected


def feed(start: str, tokens: Sequence[Token], build: Build | None = None) -> Any:
    """Return the value that ``build`` makes of an entry; raises `EntryError` at a bad token.

    ``start`` is the start symbol of the kind of entry in ``grammar.lark``. Without ``build`` the
    entry is only checked.
    """
    machine = Machine(tables(), start, build)
    for position, token in enumerate(tokens):
        kind = token.kind
        if kind == "NAME" and token.text in KEYWORDS:
            after = tokens[position + 1] if position + 1 < len(tokens) else None
            kind = _kind(machine, token.text.upper(), after)
        if not machine.feed(
            kind, token if kind == token.kind else Token(kind, token.text, token.start, token.end)
        ):
            raise _error(start, machine, kind, position)
    if not machine.feed(END, None):
        raise _error(start, machine, END, len(tokens))
    return machine.result


def parses(start: str, tokens: Sequence[Token]) -> bool:
    """Return whether tokens are an entry of this kind."""
    try:
        feed(start, tokens)
    except EntryError:
        return False
    return True


def _kind(machine: Machine, keyword: str, after: Token | None) -> str:
    """Return the keyword as a kind, or NAME where the word is a name."""
    if keyword not in machine.choices:
        return "NAME"
    name = "NAME" in machine.choices and _goes_on(machine, "NAME", after)
    return keyword if not name or _goes_on(machine, keyword, after) else "NAME"


def _goes_on(machine: Machine, kind: str, after: Token | None) -> bool:
    """Return whether the machine, fed a word of this kind, could take the next token."""
    trial = machine.after(kind)
    if trial is None:
        return False
    if after is None:
        return END in trial.choices
    return after.kind in trial.choices or (
        after.kind == "NAME" and after.text.upper() in trial.choices
    )


def _error(start: str, machine: Machine, kind: str, position: int) -> EntryError:
    return EntryError(start, _settled(machine), kind, position, machine.accepted())


# Small parts that are taken to be complete where an entry stops: after `flip verb` the machine
# still waits for more of a path, but the message is about a `flip` that has its path. Without this
# the same slip would need a sample for `flip verb` and another for `flip verb.number`.
_SMALL = frozenset({"path", "value", "term", "word", "doc", "label", "cell"})


def _settled(machine: Machine) -> int:
    """Return the state of a machine once the small part at its end is complete."""
    stack = machine.stack.copy()
    states, productions = machine.tables.states, machine.tables.productions
    while True:
        complete = {~action for action in states[stack[-1]].values() if action < 0}
        if len(complete) != 1:
            return stack[-1]
        production = productions[complete.pop()]
        if production.symbol not in _SMALL:
            return stack[-1]
        del stack[len(stack) - production.size :]
        stack.append(states[stack[-1]][production.symbol])
