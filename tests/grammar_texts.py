"""All grammars there are, and what several tests ask about a grammar's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from merula.core.diagnostics import Report
from merula.core.resources import data_root
from merula.core.source import Source
from merula.language import syntax as s
from merula.language.parse import parse

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("tests/specs/*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
FILES = [
    *data_root().glob("grammars/**/*.merula"),
    *ROOT.parent.glob("shared/design/sketches/*.merula"),  # where they are at hand
]
BLOCK = re.compile(r'^```merula title="[^"]+"\n(.*?)^```', re.MULTILINE | re.DOTALL)


def _texts() -> Iterator[str]:
    for file in FILES:
        yield file.read_text(encoding="utf-8")
    for page in PAGES:
        yield from BLOCK.findall(page.read_text(encoding="utf-8"))


@cache
def texts() -> list[str]:
    """The grammars that come with Merula, and those in documents and specs, faulty ones too."""
    return sorted(set(_texts()))


@cache
def readable() -> list[str]:
    """Those of `texts` without mistakes in their writing."""
    found = [text for text in texts() if tree(text) is not None]
    assert len(found) > 100
    return found


@lru_cache(maxsize=1_000)
def tree(text: str) -> s.File | None:
    """What a text says, or None if it has mistakes in its writing."""
    report = Report()
    found = parse(Source("x.merula", text), report)
    return None if report.failed else replace(found, source=Source("x.merula", ""))
