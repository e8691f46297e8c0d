"""The LALR tables of ``grammar.lark``, made by Lark when a wheel is built.

To make them takes longer than to check a grammar, so a wheel carries them beside the grammar, as
``parser_tables.json``. A checkout makes that file when it is first needed, and again when the
grammar or this module has changed: it names a digest of both. It is plain JSON, data and never
code. One that cannot be written costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merula.core.files import replacing
from merula.language.lalr import Production, Tables

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
    """Return the tables of the entries of a grammar file, by their start symbols."""
    path = Path(__file__).with_name(FILE)
    stored = _read(path, _origin())
    if stored is not None:
        return stored
    with suppress(OSError):
        return write_tables(path)
    return _make(_grammar().decode())


def write_tables(path: Path) -> Tables:
    """Make the tables and write them into a file; raises OSError where that cannot be done."""
    made = _make(_grammar().decode())
    with replacing(path) as new:
        new.write_text(f"{_origin()}\n{json.dumps(_to_json(made), separators=(',', ':'))}")
    return made


def _grammar() -> bytes:
    return Path(__file__).with_name("grammar.lark").read_bytes()


def _origin() -> str:
    """Return a digest of all that the tables follow from: the grammar and this module."""
    return hashlib.sha256(_grammar() + b"\0" + Path(__file__).read_bytes()).hexdigest()


def _read(path: Path, origin: str) -> Tables | None:
    """Return the tables in a file; None where it is missing, damaged or of another grammar."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
        return _from_json(json.loads(text)) if digest == origin else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _to_json(made: Tables) -> dict[str, Any]:
    rules = [[rule.symbol, rule.size, rule.name, rule.single, rule.shape] for rule in made.rules]
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
    starts = {}
    for start in STARTS:
        conf = lark.parse_interactive(None, start=start).parser_state.parse_conf
        starts[start] = (conf.start_state, conf.end_state)
    numbers = {rule: number for number, rule in enumerate(lark.rules)}
    states = [
        {
            symbol: target if action is Shift else ~numbers[target]
            for symbol, (action, target) in conf.states[number].items()
        }
        for number in range(len(conf.states))
    ]
    return Tables(tuple(states), tuple(_rule(rule) for rule in lark.rules), starts)


def _lark(grammar: str) -> Lark:
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Lark asks for a lexer; a word's place decides its kind, so that there is none."""

        def __init__(self, conf: object) -> None:
            del conf

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
            del lexer_state, parser_state
            return iter(())

    return Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=True)


def _rule(rule: LarkRule) -> Production:
    """A rule with the shape that Lark's trees have: see ``maybe_placeholders`` in its manual."""
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
