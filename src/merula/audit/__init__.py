"""Checks of sentences, pairs and matrices, ours and others': faults, imbalances, shortcuts.

`read_corpus` reads files of several formats into one `Corpus`; `audit` runs all checks on it.
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
