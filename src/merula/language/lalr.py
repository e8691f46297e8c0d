"""LALR tables and the machine that runs them, a token at a time.

Lark makes the tables (`merula.language.parser_tables`). They are run here and not by Lark for the
time it takes: to import Lark costs 128 ms of CPU at every start, this module 1 ms; and an entry
takes 7 µs here, 65 µs with Lark's machine (measured on two cores, Lark 1.2). What else this one
gives, such as which tokens could come next, Lark's ``InteractiveParser`` could tell as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from merula.core.frozen import frozen

END = "$END"  # what comes after the last token

# A number of a state where it is not negative, else the complement of the number of a rule.
Action = int
Build = Callable[[str, list[Any]], Any]


@frozen
class Production:
    """What a parser does where a rule is complete.

    ``shape`` are the parts of what is made: the number of a symbol; the complement of one whose
    own parts take its place; None for something optional that is not there. A rule without a
    ``name`` only collects parts. One that is ``single`` and has one part is that part.
    """

    symbol: str
    size: int
    name: str
    single: bool
    shape: tuple[int | None, ...]

    def parts(self, values: Sequence[Any]) -> list[Any]:
        """The parts of what is made, from the values of the rule's symbols."""
        parts: list[Any] = []
        for place in self.shape:
            if place is None:
                parts.append(None)
            elif place >= 0:
                parts.append(values[place])
            elif parts:
                parts += values[~place]
            else:  # a long list grows at its end: it is not copied for each item
                parts = values[~place]
        return parts


@frozen
class Tables:
    """For each state what to do with a symbol; for each start symbol the first and last state."""

    states: tuple[Mapping[str, Action], ...]
    rules: tuple[Production, ...]
    starts: Mapping[str, tuple[int, int]]


class Parser:
    """An entry as far as it has been read.

    ``build`` makes the value of a rule from its name and its parts. Without it nothing is made.
    """

    def __init__(self, tables: Tables, start: str, build: Build | None = None) -> None:
        self.tables, self.build = tables, build
        first, self.last = tables.starts[start]
        self.stack = [first]
        self.values: list[Any] = []

    @property
    def choices(self) -> Mapping[str, Action]:
        """What the state on top of the stack does with which symbols."""
        return self.tables.states[self.stack[-1]]

    def feed(self, kind: str, value: Any) -> bool:
        """Take a token; False where it does not fit. `END` completes the entry."""
        while True:
            action = self.choices.get(kind)
            if action is None:
                return False
            if action >= 0:
                self.stack.append(action)
                self.values.append(value)
                return True
            self._reduce(self.tables.rules[~action])
            if kind == END and self.stack[-1] == self.last:
                return True

    def _reduce(self, rule: Production) -> None:
        first = len(self.values) - rule.size
        value = None
        if self.build is not None:
            value = rule.parts(self.values[first:])
            if rule.single and len(value) == 1:
                value = value[0]
            elif rule.name:
                value = self.build(rule.name, value)
        del self.stack[first + 1 :], self.values[first:]
        self.stack.append(self.choices[rule.symbol])
        self.values.append(value)

    @property
    def result(self) -> Any:
        """What has been made of a complete entry."""
        return self.values[-1]

    def after(self, kind: str) -> Parser | None:
        """A parser that has taken a token more and makes nothing; None where it does not fit."""
        trial = object.__new__(Parser)
        trial.tables, trial.build, trial.last = self.tables, None, self.last
        trial.stack, trial.values = self.stack.copy(), self.values.copy()
        return trial if trial.feed(kind, None) else None

    def accepted(self) -> set[str]:
        """The kinds of tokens that could come next."""
        return {kind for kind in self.choices if kind.isupper() and self.after(kind)}
