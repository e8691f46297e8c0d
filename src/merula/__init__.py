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
    from merula.api import load as load
    from merula.language.diagnostics import Diagnostic as Diagnostic
    from merula.language.diagnostics import MerulaError as MerulaError
    from merula.program import TableOptions as TableOptions

_PLACES = {
    "Data": "merula.api",
    "Design": "merula.api",
    "Diagnostic": "merula.language.diagnostics",
    "Grammar": "merula.api",
    "Instance": "merula.api",
    "MerulaError": "merula.language.diagnostics",
    "Sentence": "merula.api",
    "TableOptions": "merula.program",
    "check": "merula.api",
    "compile": "merula.api",
    "load": "merula.api",
}

__all__ = [
    "Data",
    "Design",
    "Diagnostic",
    "Grammar",
    "Instance",
    "MerulaError",
    "Sentence",
    "TableOptions",
    "check",
    "compile",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import merula`` stays light."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'merula' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
