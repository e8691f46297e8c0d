"""The extras of the package: what to type where one of them is missing."""

from __future__ import annotations


def install(extra: str) -> str:
    """The command that installs an extra.

    >>> install("hf")
    "pip install 'merula[hf]'"
    """
    return f"pip install 'merula[{extra}]'"
