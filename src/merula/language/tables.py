"""The LALR tables of ``grammar.lark``, made by Lark and kept between runs.

To make them takes longer than to check a grammar. So they are kept in the user's folder for
caches, with a digest of all that they follow from. They are plain JSON: what is read back is
data, never code. A file that is missing, out of date or damaged is made again, and one that
cannot be written costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merula.language.lalr import Rule, Tables

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule as LarkRule

STARTS = (
    *("phenomenon", "language", "lexicon", "mapping", "imports", "object", "attribute", "rule"),
    *("selection", "frame", "paradigm", "matrix", "cycle", "table_header", "table_row", "answers"),
    *("answer", "example", "cell_expression"),
)


@cache
def tables() -> Tables:
    """The tables of the entries of a grammar file, by their start symbols."""
    grammar = Path(__file__).with_name("grammar.lark").read_bytes()
    origin = _origin(grammar)
    kept = _kept_at()
    if kept is not None:
        found = _read(kept, origin)
        if found is not None:
            return found
    made = _make(grammar.decode())
    if kept is not None:
        _keep(kept, origin, made)
    return made


def _origin(grammar: bytes) -> bytes:
    """All that the tables follow from: the grammar, the code of this module, Lark's version."""
    lark = find_spec("lark")
    assert lark is not None
    assert lark.origin is not None
    return b"\0".join((grammar, *(Path(file).read_bytes() for file in (__file__, lark.origin))))


def _kept_at() -> Path | None:
    """The file that the tables are kept in; None where the user has no home."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return folder / "merula" / "tables.json" if folder.is_absolute() else None


def _digest(origin: bytes, text: str) -> str:
    return hashlib.sha256(origin + b"\0" + text.encode()).hexdigest()


def _read(kept: Path, origin: bytes) -> Tables | None:
    """The tables in a file; None where it is missing, damaged, or made from something else."""
    try:
        digest, _, text = kept.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    return _from_json(json.loads(text)) if digest == _digest(origin, text) else None


def _keep(kept: Path, origin: bytes, made: Tables) -> None:
    from tempfile import TemporaryDirectory

    text = json.dumps(_to_json(made), separators=(",", ":"))
    with suppress(OSError):
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as folder:
            new = Path(folder, kept.name)
            new.write_text(f"{_digest(origin, text)}\n{text}", encoding="utf-8")
            new.replace(kept)


def _to_json(made: Tables) -> dict[str, Any]:
    rules = [[rule.symbol, rule.size, rule.name, rule.single, rule.shape] for rule in made.rules]
    return {"states": made.states, "rules": rules, "starts": made.starts}


def _from_json(data: dict[str, Any]) -> Tables:
    return Tables(
        tuple(data["states"]),
        tuple(
            Rule(symbol, size, name, single, tuple(shape))
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


def _rule(rule: LarkRule) -> Rule:
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
    return Rule(
        rule.origin.name,
        len(rule.expansion),
        "" if name.startswith("_") else name,
        bool(rule.options.expand1) and not rule.alias,
        tuple(shape),
    )
