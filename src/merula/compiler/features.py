"""Lexical features that rules read: cells of a table that are empty, or hold an unknown value.

A lexeme without the feature is in no variant of a design that varies with it, so it drops out; a
misspelt value makes variants of its own. Neither is seen in the data, so the author is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from merula.core.diagnostics import Report
from merula.core.wording import did_you_mean, listing
from merula.design.cells import lexical_choices
from merula.grammar import model as g
from merula.grammar.conditions import parts
from merula.grammar.names import rows_of
from merula.lexicon.table import ANY, SETS, Lexicon, Rows, members
from merula.plan.slots import lexemes_of

MAX_NAMES = 5  # lexemes that a message names: one line


def check_features(grammar: g.Grammar, lexicon: Lexicon, report: Report) -> None:
    """Warn of lexemes whose cell of a feature that makes variants is empty or unknown."""
    varied = {
        variable
        for design in grammar.designs
        for frame in design.frames
        for variable in lexical_choices(grammar, design, frame)
    }
    for variable in (v for v in grammar.variables.values() if v in varied):
        rows = rows_of(lexicon, variable.object)
        if rows is not None:
            what = "set" if rows.kind == SETS else variable.object.name
            _check(grammar, variable, rows.of(variable.object.name), what, report)


def check_fillers(grammar: g.Grammar, lexicon: Lexicon, report: Report) -> None:
    """Warn of columns like ``wrong.theme`` for something that does not fill the position."""
    reported: set[str] = set()
    for variable in (v for v in grammar.variables.values() if v.object.position):
        kind = grammar.own(variable.object)
        fillers = [x for x in kind.values if x != g.ABSENT] if kind is not None else []
        columns = [
            w for words in variable.words.values() for w in words if isinstance(w, g.ColumnWord)
        ]
        for word in columns:
            rows, start = rows_of(lexicon, word.object), f"{word.column}."
            for name in rows.of(word.object.name).columns if rows is not None else ():
                filler = name.removeprefix(start)
                if not name.startswith(start) or filler in fillers or name in reported:
                    continue
                reported.add(name)
                report.warning(
                    "M437",
                    f"the column `{name}` of `{word.object.name}` is not used: `{filler}` does not"
                    f" fill `{variable.object.name}`",
                    variable.span,
                    remedy=did_you_mean(filler, fillers)
                    or f"it is filled by {listing(fillers, 'or')}",
                )


def _check(grammar: g.Grammar, variable: g.Variable, rows: Rows, what: str, report: Report) -> None:
    cells = rows.columns[variable.attribute]
    empty = [row for row, cell in enumerate(cells) if not cell]
    possible = list(dict.fromkeys(x for v in _compared(grammar, variable) for x in v.values))
    if empty and len(empty) < len(cells):
        report.warning(
            "M436",
            f"{len(empty)} {lexemes_of(what, len(empty))}"
            f" {'has' if len(empty) == 1 else 'have'} no `{variable}`, which the rules"
            f" read: {'it is' if len(empty) == 1 else 'they are'} left out",
            notes=[_named(rows, empty)],
            remedy=f"fill the cells of `{variable}`: {listing(possible or variable.values, 'or')}",
            place=rows.places[empty[0]],
        )
    for row, cell in enumerate(cells) if possible else ():
        strange = [x for x in members(cell) if x not in possible and x != ANY]
        if strange:
            report.warning(
                "M436",
                f"`{variable}` of {rows.title(row)} is `{strange[0]}`, which nothing that the rules"
                " compare it with can be",
                remedy=did_you_mean(strange[0], possible) or f"it can be {listing(possible, 'or')}",
                place=rows.places[row],
            )


def _named(rows: Rows, places: Sequence[int]) -> str:
    names = [f"{rows.title(row)} ({rows.places[row]})" for row in places[:MAX_NAMES]]
    more = f" and {len(places) - MAX_NAMES} more" if places[MAX_NAMES:] else ""
    return f"left out: {', '.join(names)}{more}"


def _compared(grammar: g.Grammar, variable: g.Variable) -> Iterator[g.Variable]:
    """Yield the attributes whose values rules compare with a feature."""
    tests = [part for rule in grammar.rules for test in rule.tests for part in parts(test)]
    for test in tests:
        if isinstance(test, g.Same):
            pair: tuple[g.Variable, ...] = (test.variable, test.other)
        elif isinstance(test, g.Ignores):
            pair = (test.variable, *(v for v in test.attractors if v is variable))
        else:
            continue
        if variable in pair:
            yield from (v for v in pair if v is not variable and not v.lexical)
