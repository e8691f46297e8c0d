"""What stands in the way of writing: the system's errors, with the remedy that fits each."""

from __future__ import annotations

import errno
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

_REMEDIES = {
    errno.EACCES: "check the rights of the folder, or name another",
    errno.EPERM: "check the rights of the folder, or name another",
    errno.EROFS: "name a folder on another disk",
    errno.ENOSPC: "make room on the disk, or name a folder on another",
    errno.EDQUOT: "make room on the disk, or name a folder on another",
    errno.ENAMETOOLONG: "give it a shorter name",
}


def obstacle(path: Path, error: OSError | ValueError) -> tuple[str, str]:
    """Why a folder cannot be made or written, and what to do about it."""
    with suppress(OSError, ValueError):
        there = (part for part in path.parents if part.exists() or part.is_symlink())
        nearest = next(there, None)
        if nearest is not None and not nearest.is_dir():
            what = "a file" if nearest.is_file() else "no folder"
            return f"{nearest} is {what}", "a folder can only stand in another: name another path"
    number = getattr(error, "errno", None) or 0
    # what a library adds to the system's words is of no use to the user
    reason = os.strerror(number) if number else str(error)
    return reason, _REMEDIES.get(number, "name another folder")


def flush(path: Path) -> None:
    """Have the disk hold what was written to a file, or the names in a folder."""
    if path.is_dir() and os.name == "nt":
        return  # Windows has no handle of a folder to flush
    number = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def write_json(path: Path, value: Any, aside: Path | None = None) -> None:
    """Write a file of JSON under another name and move it to its place."""
    aside = aside or path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.partial")
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    aside.write_text(text, encoding="utf-8")
    flush(aside)
    aside.replace(path)
