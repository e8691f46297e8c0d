"""Where the files that come with Merula are: its grammars, lexicons, templates and explanations.

Their folders are at the top of the repository. A wheel carries them inside the package, at
``merula/_data`` (of ``docs`` only ``errors``); a checkout and an editable install read them in
place. Only the outermost layer asks here: every other stage takes a folder as an argument.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["docs", "grammars", "lexicons", "templates"]


def data_root() -> Path:
    """Return the folder that holds ``docs``, ``grammars``, ``lexicons`` and ``templates``.

    Raises `FileNotFoundError`, naming both places, when the installation has neither.

    >>> (data_root() / "grammars").is_dir()
    True
    """
    package = Path(__file__).resolve().parents[1]
    packaged, checkout = package / "_data", package.parents[1]
    for root in (packaged, checkout):
        if (root / "grammars").is_dir():
            return root
    raise FileNotFoundError(
        f"Merula's grammars are neither in {packaged} nor in {checkout}: install merula again"
    )


def folder(kind: Kind) -> Path:
    """Return the folder of one kind of file.

    >>> folder("lexicons").name
    'lexicons'
    """
    return data_root() / kind


def find(kind: Kind, relative: str) -> Path | None:
    """Return the file or folder named `relative` among those of one kind, or None.

    `relative` is written with ``/`` on every system and with its suffix, as in
    ``npi/sentential_negation.merula``. A path that leaves the folder is never found.

    >>> find("grammars", "no/such/grammar.merula") is None
    True
    >>> find("grammars", "../pyproject.toml") is None
    True
    """
    root = folder(kind)
    path = (root / relative).resolve()
    return path if path.is_relative_to(root) and path.exists() else None


# --- the extras of the package: what to type where one of them is missing -------------------


def install(extra: str) -> str:
    """Return the command that installs an extra.

    >>> install("hf")
    "pip install 'merula[hf]'"
    """
    return f"pip install 'merula[{extra}]'"


SUFFIX = ".merula"
