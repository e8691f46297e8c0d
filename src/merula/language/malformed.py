"""Slips a beginner makes, each with its message: read by the parser, looped over by a test.

A sample is parsed once; where a faulty entry stops in the same parser state at the same kind of
token, the sample's message is the one to give.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Sample:
    """A faulty entry of a kind, what to say of it and what to do. ``{found}`` is the bad token."""

    start: str
    text: str
    message: str
    remedy: str


SAMPLES: tuple[Sample, ...] = ()


@cache
def _index() -> dict[tuple[str, int, str], Sample]:
    from merula.language.parse import EntryError, feed
    from merula.language.tokens import scan

    index: dict[tuple[str, int, str], Sample] = {}
    for sample in SAMPLES:
        tokens = [token for token in scan(sample.text) if token.kind != "NEWLINE"]
        try:
            feed(sample.start, tokens)
        except EntryError as error:
            index.setdefault((sample.start, error.state, error.kind), sample)
    return index


def explanation(start: str, state: int, kind: str) -> Sample | None:
    """The sample that stops where this entry stopped, if there is one."""
    return _index().get((start, state, kind))
