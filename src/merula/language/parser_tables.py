"""The LALR tables of ``grammar.lark``, made by Lark when a wheel is built.

Lark takes longer to make them than a check of a grammar takes, so a wheel carries them beside the
grammar, as ``parser_tables.json`` (``hatch_build.py`` writes it). A checkout makes that file when
it is first needed, and again when the grammar or this module has changed: its first line is a
digest of both. The version of Lark is not in the digest, since tables that Lark has made for this
grammar stay right whatever Lark is installed later. The file is JSON: data, never code. Where it
cannot be written, each run makes the tables again; that costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merula.core.files import replacing
from merula.language.lalr import Action, Production, Tables

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule as LarkRule

STARTS = (
    *("phenomenon", "language", "lexicon", "mapping", "imports", "object", "attribute", "rule"),
    *("selection", "frame", "paradigm", "matrix", "cycle", "table_header", "table_row", "answers"),
    *("answer", "example", "cell_expression"),
)
FILE = "parser_tables.json"


@cache
def tables() -> Tables:
    """Return the tables of all entries of a grammar file."""
    path = Path(__file__).with_name(FILE)
    stored = _read(path, _origin())
    if stored is not None:
        return stored
    made = _make(_grammar().decode())
    with suppress(OSError):
        _write(path, made)
    return made


def write_tables(path: Path) -> None:
    """Make the tables and write them into a file; raises OSError where that cannot be done."""
    _write(path, _make(_grammar().decode()))


def _write(path: Path, made: Tables) -> None:
    with replacing(path) as partial:
        partial.write_text(f"{_origin()}\n{json.dumps(_to_json(made), separators=(',', ':'))}")


def _grammar() -> bytes:
    return Path(__file__).with_name("grammar.lark").read_bytes()


def _origin() -> str:
    """Return a digest of all that the tables follow from: the grammar and this module."""
    return hashlib.sha256(_grammar() + b"\0" + Path(__file__).read_bytes()).hexdigest()


def _read(path: Path, origin: str) -> Tables | None:
    """Return the tables in a file; None if it is missing, damaged or made of another grammar."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
        return _from_json(json.loads(text)) if digest == origin else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _to_json(made: Tables) -> dict[str, Any]:
    rules = [[p.symbol, p.size, p.name, p.single, p.shape] for p in made.productions]
    return {"states": made.states, "rules": rules, "starts": made.starts}


def _from_json(data: dict[str, Any]) -> Tables:
    return Tables(
        tuple(data["states"]),
        tuple(
            Production(symbol, size, name, single, tuple(shape))
            for symbol, size, name, single, shape in data["rules"]
        ),
        {start: (first, last) for start, (first, last) in data["starts"].items()},
    )


# --- from Lark's tables to ours -------------------------------------------------------------


def _make(grammar: str) -> Tables:
    from lark.parsers.lalr_analysis import Shift

    lark = _lark(grammar)
    ends = {}
    for start in STARTS:
        conf = lark.parse_interactive(None, start=start).parser_state.parse_conf
        ends[start] = (conf.start_state, conf.end_state)
    # Lark numbers states in the order of Python's hashes, another one in each run. Here they are
    # numbered as they are reached, so that two builds of a wheel are equal.
    order = list(dict.fromkeys(chain(*ends.values())))
    places = {state: place for place, state in enumerate(order)}
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    states: list[dict[str, Action]] = []
    for state in order:  # which grows
        actions: dict[str, Action] = {}
        for symbol, (action, target) in sorted(conf.states[state].items()):
            if action is not Shift:
                actions[symbol] = ~numbers[target]
                continue
            if target not in places:
                places[target] = len(order)
                order.append(target)
            actions[symbol] = places[target]
        states.append(actions)
    starts = {start: (places[first], places[last]) for start, (first, last) in ends.items()}
    return Tables(tuple(states), tuple(_production(rule) for rule in lark.rules), starts)


def _lark(grammar: str) -> Lark:
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Lark wants a lexer, but the place of a word decides its kind, so none is ever run."""

        def __init__(self, conf: object) -> None:
            del conf

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
            del lexer_state, parser_state
            return iter(())

    return Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=True)


def _production(rule: LarkRule) -> Production:
    """Return a rule with the shape of Lark's trees: see ``maybe_placeholders`` in its manual."""
    shape: list[int | None] = []
    symbols = iter(range(len(rule.expansion)))
    for absent in rule.options.empty_indices or [False] * len(rule.expansion):
        if absent:
            shape.append(None)
            continue
        number = next(symbols)
        shape.append(~number if rule.expansion[number].name.startswith("_") else number)
    name = rule.alias or rule.origin.name
    return Production(
        rule.origin.name,
        len(rule.expansion),
        "" if name.startswith("_") else name,
        bool(rule.options.expand1) and not rule.alias,
        tuple(shape),
    )
