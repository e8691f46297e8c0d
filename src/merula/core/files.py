"""Writing to the disk: files that are whole or absent, and the reasons where it cannot be done."""

from __future__ import annotations

import errno
import json
import os
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError

_REMEDIES = {
    errno.EACCES: "check the rights of the folder, or name another",
    errno.EPERM: "check the rights of the folder, or name another",
    errno.EROFS: "name a folder on another disk",
    errno.ENOSPC: "make room on the disk, or name a folder on another",
    errno.EDQUOT: "make room on the disk, or name a folder on another",
    errno.ENAMETOOLONG: "give it a shorter name",
}


def obstacle(path: Path, error: OSError | ValueError) -> tuple[str, str]:
    """Return why a folder cannot be made or written, and what to do about it."""
    with suppress(OSError, ValueError):
        existing = (part for part in path.parents if part.exists() or part.is_symlink())
        nearest = next(existing, None)
        if nearest is not None and not nearest.is_dir():
            what = "a file" if nearest.is_file() else "not a folder"
            return f"{nearest} is {what}", "a folder can only be in another one: name another path"
    number = getattr(error, "errno", None) or 0
    # what a library adds to the system's words is of no use to the user
    reason = os.strerror(number) if number else str(error)
    return reason, _REMEDIES.get(number, "name another folder")


def unreadable(code: str, path: Path, error: Exception, remedy: str) -> MerulaError:
    """Return the error of a file that cannot be read, in the system's words or a library's."""
    reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return MerulaError.of(code, f"{path} cannot be read: {reason}", remedy=remedy, place=str(path))


def unwritable(code: str, path: Path, error: OSError, more: str = "") -> MerulaError:
    """Return the error of a file or folder that cannot be written; ``more`` ends the remedy."""
    reason, remedy = obstacle(path, error)
    return MerulaError.of(
        code, f"{path} cannot be written: {reason}", remedy=remedy + more, place=str(path)
    )


def name_on_disk(name: str) -> str:
    """Return a name as the least particular disk takes it: two that are equal are one file there.

    macOS and Windows take capitals and small letters for the same, macOS also the two ways to write
    an accent. A data set must not depend on where it is made, so that this holds everywhere.
    """
    letters = unicodedata.normalize("NFD", name).casefold()  # folding can take accents apart
    return unicodedata.normalize("NFD", letters)


def same_on_disk(names: Iterable[str]) -> tuple[int, int] | None:
    """Return the places of the first two names that would be one file on some disk, or None.

    >>> same_on_disk(["dogs", "cats", "Dogs"])
    (0, 2)
    """
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        before = first.setdefault(name_on_disk(name), place)
        if before != place:
            return before, place
    return None


def flush(path: Path) -> None:
    """Make sure that the contents of a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows has no handle of a folder to flush
    number = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def partial_path(path: Path, folder: Path | None = None) -> Path:
    """Return a name for a file or folder while it is made: hidden, and nobody else's.

    It is beside ``path``, or in another ``folder`` of the same disk.
    """
    name = f".{path.name}-{os.getpid()}-{secrets.token_hex(4)}.partial"
    return (folder or path.parent) / name


@contextmanager
def replacing(path: Path, folder: Path | None = None) -> Iterator[Path]:
    """Give a temporary name to write a file under.

    When the block has ended, the file is flushed to the disk and takes the place of ``path``, so
    that whoever reads ``path`` sees the old file or the new one. After a failure it is deleted.
    """
    made = partial_path(path, folder)
    try:
        yield made
        flush(made)
        made.replace(path)
    except BaseException:
        with suppress(OSError):
            made.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any, folder: Path | None = None) -> None:
    """Write a file of JSON, under a temporary name first (in ``folder``, where one is given)."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    with replacing(path, folder) as made:
        made.write_text(text, encoding="utf-8")
