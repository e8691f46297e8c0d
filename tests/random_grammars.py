"""How our own tests use random grammars, and what they change in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import HealthCheck, settings

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.strategies import GrammarText, TableText
from merula.strategies.inventing.parts import Parts

TIMES = int(os.environ.get("MERULA_EXAMPLES", "1"))  # 20 looks for what nobody has met yet


def examples(number: int) -> settings:
    """As many examples, the same ones every time unless more are wanted."""
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        suppress_health_check=list(HealthCheck),
    )


def compiled_grammar(grammar: GrammarText | Parts, text: str | None = None) -> Compiled:
    """A grammar as compiled, or another text with its tables, whatever is wrong with it."""
    source = Source("random.merula", grammar.text if text is None else text)
    return compile_source(source, tables=grammar.tables)


def permuted(table: TableText, rows: Sequence[int], columns: Sequence[int]) -> TableText:
    """A table with its rows and columns in another order."""
    return replace(
        table,
        header=tuple(table.header[c] for c in columns),
        rows=tuple(tuple(table.rows[r][c] for c in columns) for r in rows),
    )


def claiming(parts: Parts, claims: Mapping[str, str]) -> Parts:
    """A grammar with claims (``breaks E agreement``) for answers with some labels."""

    def claimed(entry: str) -> str:
        for label, claim in claims.items():
            if entry.startswith(f"{label}:"):
                return f"{label} {claim}{entry.removeprefix(label)}"
        return entry

    sections = tuple(
        (head, tuple(map(claimed, entries)) if head.startswith("answers") else entries)
        for head, entries in parts.sections
    )
    return replace(parts, sections=sections)
