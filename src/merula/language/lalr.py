"""LALR tables and the machine that runs them, a token at a time.

Lark makes the tables (`merula.language.parser_tables`). They are run here, not by Lark, because
of time alone: to import Lark costs 128 ms of CPU at every start, this module 1 ms, and Lark's
machine takes 65 µs for an entry, this one 7 µs (measured on two cores, Lark 1.2). For messages
Lark would do: its ``InteractiveParser.accepts()`` looks as closely at what could come next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from merula.core.frozen import frozen

END = "$END"  # what comes after the last token

# What to do with a symbol: go to this state if it is not negative; otherwise the complement of the
# number of the production that is complete.
Action = int
# Makes the value of a production from its name and its parts.
Build = Callable[[str, list[Any]], Any]


@frozen
class Production:
    """A production of the grammar: ``size`` symbols that are reduced to one ``symbol``.

    ``shape`` says what the parts of its value are: the number of a symbol; the complement of the
    number of a symbol whose own parts take its place; None for an optional part that is absent.
    A production without a ``name`` only collects parts. The value of a ``single`` production with
    one part is that part.

    >>> Production("path", 3, "path", False, (0, 2)).parts(["verb", ".", "number"])
    ['verb', 'number']
    >>> Production("words", 3, "words", False, (~0, 2)).parts([["a", "b"], ",", "c"])
    ['a', 'b', 'c']
    """

    symbol: str
    size: int
    name: str
    single: bool
    shape: tuple[int | None, ...]

    def parts(self, values: Sequence[Any]) -> list[Any]:
        """Return the parts of the value, given the values of the symbols."""
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
    """For each state the action at each symbol; for each start symbol its first and last state."""

    states: tuple[Mapping[str, Action], ...]
    productions: tuple[Production, ...]
    starts: Mapping[str, tuple[int, int]]


class Machine:
    """An entry as far as it has been read: a stack of states, and their values.

    Without ``build`` no values are made; all are None.
    """

    def __init__(self, tables: Tables, start: str, build: Build | None = None) -> None:
        self.tables, self.build = tables, build
        first, self.last = tables.starts[start]
        self.stack = [first]
        self.values: list[Any] = []

    @property
    def choices(self) -> Mapping[str, Action]:
        """Return the actions of the state on top of the stack, by symbol."""
        return self.tables.states[self.stack[-1]]

    def feed(self, kind: str, value: Any) -> bool:
        """Take a token and return whether it fits; `END` completes the entry."""
        while True:
            action = self.choices.get(kind)
            if action is None:
                return False
            if action >= 0:
                self.stack.append(action)
                self.values.append(value)
                return True
            self._reduce(self.tables.productions[~action])
            if kind == END and self.stack[-1] == self.last:
                return True

    def _reduce(self, production: Production) -> None:
        first = len(self.values) - production.size
        value = None
        if self.build is not None:
            value = production.parts(self.values[first:])
            if production.single and len(value) == 1:
                value = value[0]
            elif production.name:
                value = self.build(production.name, value)
        del self.stack[first + 1 :], self.values[first:]
        self.stack.append(self.choices[production.symbol])
        self.values.append(value)

    @property
    def result(self) -> Any:
        """Return the value of a complete entry."""
        return self.values[-1]

    def after(self, kind: str) -> Machine | None:
        """Return a copy that has taken one more token, without values; None if it does not fit."""
        trial = object.__new__(Machine)
        trial.tables, trial.build, trial.last = self.tables, None, self.last
        trial.stack, trial.values = self.stack.copy(), self.values.copy()
        return trial if trial.feed(kind, None) else None

    def accepted(self) -> set[str]:
        """Return the kinds of tokens that could come next."""
        return {kind for kind in self.choices if kind.isupper() and self.after(kind)}
