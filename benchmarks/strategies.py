"""How many sentences a second Hypothesis draws from a grammar, beside its own `from_lark`.

Run with ``python benchmarks/strategies.py`` (``--quick`` for a smoke run). The language is NPI
licensing by sentential negation. The peer draws from the same sentences written as a Lark grammar
without features, words for words: it may put any lexeme beside any other. Figures are CPU seconds
of this process; rounds are interleaved and medians shown.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

import merula
from merula.compiler.compiled import CompiledDesign
from merula.strategies import sentences

GRAMMAR = "npi/sentential_negation"


def without_features(design: CompiledDesign) -> Lark:
    """The sentences of a design as a Lark grammar, each word any form that may stand there."""
    words: dict[tuple[str, ...], str] = {}

    def rule(forms: tuple[str, ...]) -> str:
        return words.setdefault(forms, f"w{len(words)}")

    lines = []
    for plan in design.plans:
        for cell in plan.cells:
            parts = [
                rule((p.text,) if p.slot < 0 else tuple(plan.slots[p.slot].forms[p.text]))
                for p in cell.pieces
            ]
            lines.append(" ".join(parts))
    text = ["start: " + "\n     | ".join(dict.fromkeys(lines))]
    for forms, name in words.items():
        known = sorted({form for form in forms if form})
        text.append(f"{name}: " + " | ".join(f'"{form} "' for form in known or [""]))
    return Lark("\n".join(text), start="start")


def rate(strategy: st.SearchStrategy[Any], number: int) -> float:
    """Examples a second."""
    seen = 0

    @settings(
        max_examples=number,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def test(example: object) -> None:
        nonlocal seen
        del example
        seen += 1

    gc.collect()  # what was drawn before is garbage now, and not this one's to sweep
    start = time.process_time()
    test()
    return seen / (time.process_time() - start)


def measured(number: int, rounds: int) -> Iterator[str]:
    """A line for each figure, with what is aimed at."""
    grammar = merula.load(GRAMMAR)
    strategies = {
        "from_lark, no features": from_lark(without_features(grammar["ever"]._design)),
        "one integer": st.integers(0, 2**20),
        "sentences": sentences(grammar, design="ever"),
    }
    found: dict[str, list[float]] = {name: [] for name in strategies}
    for _ in range(rounds):
        for name, strategy in strategies.items():
            found[name].append(rate(strategy, number))
    rates = {name: statistics.median(own) for name, own in found.items()}
    for name, own in rates.items():
        yield f"{name:26} {own:8,.0f} a second"
    ours, peer = rates["sentences"], rates["from_lark, no features"]
    yield f"sentences: {ours:,.0f} a second (target ≥ 1,000)"
    yield f"sentences: {ours / peer:.2f} × from_lark (target ≥ 3)"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="How fast examples are drawn.")
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    quick: bool = parser.parse_args().quick
    for text in measured(60 if quick else 1500, 1 if quick else 5):
        print(text)


if __name__ == "__main__":
    main()
