"""Merula: a language and compiler for controlled linguistic data.

>>> import merula
>>> g = merula.load("npi/sentential_negation")
>>> g["ever"].kind
'paradigm'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from merula.api import Data as Data
    from merula.api import Design as Design
    from merula.api import Grammar as Grammar
    from merula.api import Instance as Instance
    from merula.api import Sentence as Sentence
    from merula.api import check as check
    from merula.api import compile as compile
    from merula.api import diff as diff
    from merula.api import load as load
    from merula.api import verify as verify
    from merula.changes import GrammarDiff as GrammarDiff
    from merula.core.diagnostics import Diagnostic as Diagnostic
    from merula.core.diagnostics import MerulaError as MerulaError
    from merula.data.verify import FileCheck as FileCheck
    from merula.lexicon.table import TableOptions as TableOptions
    from merula.show.problems import Problems as Problems

_PLACES = {
    "Data": "merula.api",
    "Design": "merula.api",
    "Diagnostic": "merula.core.diagnostics",
    "FileCheck": "merula.data.verify",
    "Grammar": "merula.api",
    "GrammarDiff": "merula.changes",
    "Instance": "merula.api",
    "MerulaError": "merula.core.diagnostics",
    "Problems": "merula.show.problems",
    "Sentence": "merula.api",
    "TableOptions": "merula.grammar.program",
    "check": "merula.api",
    "compile": "merula.api",
    "diff": "merula.api",
    "load": "merula.api",
    "verify": "merula.api",
}

__all__ = [
    "Data",
    "Design",
    "Diagnostic",
    "FileCheck",
    "Grammar",
    "GrammarDiff",
    "Instance",
    "MerulaError",
    "Problems",
    "Sentence",
    "TableOptions",
    "check",
    "compile",
    "diff",
    "load",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import merula`` stays light."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'merula' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
