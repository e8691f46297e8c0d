"""Checks of sentences, pairs and matrices, Merula's own or any others: faults and shortcuts.

In go files of several formats, which `read_corpus` reads into one `Corpus`; `audit` runs all checks
and probes on it, and out comes an `Audit`. ``merula audit`` and ``merula publish`` call it.
``reading`` knows the formats, ``view`` keeps what several checks need, ``checks`` look for faults,
``probes`` measure shortcuts, ``drawing`` makes tables of it all.
"""

from merula.audit.corpus import Cell, Corpus, Matrix, Pair, Place, Sentence
from merula.audit.findings import Settings
from merula.audit.reading.readers import Reading, read_corpus
from merula.audit.reading.rows import Columns
from merula.audit.report import Audit, audit

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
