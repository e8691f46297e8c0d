"""The folder of an export: new or empty, and whole or absent.

Files are made in a folder beside it, which takes its place when all are done. A run that was
ended leaves at most that folder, ``.NAME-….partial``.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, obstacle
from merula.data.run_folder import demand_name


@contextmanager
def new_folder(out: Path, source: Path | None = None) -> Iterator[Path]:
    """A folder to write into, which is ``out`` once the block has ended; raises `MerulaError`.

    It may not stand in ``source``, the published data.
    """
    demand_name(out)
    if source is not None:
        demand_outside(out, source)
    out = out.absolute() if out.name in ("", "..") else out
    made: list[Path] = []
    aside = out.parent / f".{out.name}-{os.getpid()}-{secrets.token_hex(4)}.partial"
    try:
        _refuse_filled(out)
        made = [path for path in out.parents if not path.exists()]
        aside.mkdir(parents=True)
        yield aside
        for path in sorted(aside.rglob("*"), reverse=True):
            flush(path)
        _move(aside, out)
    except OSError as error:
        _leave(aside, made)
        reason, remedy = obstacle(out, error)
        raise MerulaError.of(
            "M608", f"{out} cannot be written: {reason}", remedy=remedy, place=str(out)
        ) from error
    except BaseException:
        _leave(aside, made)
        raise


def demand_outside(out: Path, source: Path) -> None:
    """Refuse what stands inside the published data; raises `MerulaError`.

    What is in that folder is taken for the data set: by git, and by whoever copies it.
    """
    inside, whole = Path(os.path.realpath(out)), Path(os.path.realpath(source))
    if whole in inside.parents:
        raise MerulaError.of(
            "M742",
            f"{out} is inside the published data {source}",
            remedy=f"name a place beside them, such as {source.parent / inside.name}",
            place=str(out),
        )


def _refuse_filled(out: Path) -> None:
    if out.is_symlink() or out.exists():
        what = "is not empty" if out.is_dir() else "is a file"
        if not out.is_dir() or any(out.iterdir()):
            raise MerulaError.of(
                "M742",
                f"{out} exists and {what}",
                remedy="name a folder that is new or empty, or delete this one",
                place=str(out),
            )


def _move(aside: Path, out: Path) -> None:
    """Put a folder in the place of one that is not there, or of an empty one."""
    if out.is_dir():
        _refuse_filled(out)  # it may have been filled in the meantime
        if out.is_symlink() or out.samefile(Path.cwd()):  # a folder that has to stay the same
            for path in aside.iterdir():
                path.replace(out / path.name)
            aside.rmdir()
            return
        out.rmdir()
    aside.replace(out)
    flush(out.parent)


def _leave(aside: Path, made: list[Path]) -> None:
    shutil.rmtree(aside, ignore_errors=True)
    for folder in made:
        with suppress(OSError):
            folder.rmdir()
