"""Checks of sentences, pairs and matrices, Merula's own or any others: faults and shortcuts.

In go files of several formats, which `read_corpus` reads into one `Corpus`; `audit` runs all checks
and probes on it, and out comes an `Audit`. ``merula audit`` and ``merula publish`` call it.
``reading`` knows the formats, ``view`` keeps what several checks need, ``checks`` look for faults,
``probes`` measure shortcuts, ``drawing`` makes tables of it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from merula.audit.corpus import Cell, Corpus, Matrix, Pair, Place, Sentence
    from merula.audit.findings import Settings
    from merula.audit.reading.readers import Reading, read_corpus
    from merula.audit.reading.rows import Columns
    from merula.audit.report import Audit, audit

_PLACES = {
    "Audit": "merula.audit.report",
    "Cell": "merula.audit.corpus",
    "Columns": "merula.audit.reading.rows",
    "Corpus": "merula.audit.corpus",
    "Matrix": "merula.audit.corpus",
    "Pair": "merula.audit.corpus",
    "Place": "merula.audit.corpus",
    "Reading": "merula.audit.reading.readers",
    "Sentence": "merula.audit.corpus",
    "Settings": "merula.audit.findings",
    "audit": "merula.audit.report",
    "read_corpus": "merula.audit.reading.readers",
}

__all__ = [
    "Audit",
    "Cell",
    "Columns",
    "Corpus",
    "Matrix",
    "Pair",
    "Place",
    "Reading",
    "Sentence",
    "Settings",
    "audit",
    "read_corpus",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the names of formats are needed without numpy."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'merula.audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
