"""The folder that a data set is written into: whole files, and a manifest that comes last.

Until all is done, a subfolder ``.merula`` contains the manifest to be and the files that are done.
Three commands write such folders, and differ in when files move to their places:

- `RunFolder`: each part as soon as it is done, so that shards and later runs go on with the rest;
- `SuiteFolder`: all files at the end, since a suite is drawn as a whole;
- `PublicationFolder`: all files at the end, by a list that is written first, so that the old data
  stay whole until the new are ready.

Exports are written by `new_folder`: they are new folders, whole or absent. No command touches a
folder that contains anything else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, partial_path, unwritable, write_json
from merula.data.manifests.run import MANIFEST

STATE = ".merula"
RUN = "run.json"  # in ``.merula``: the manifest that is wanted, before it has any files


class Folder:
    """A folder while a data set is written into it; see the subclasses.

    Use it as ``with folder.opened():``. After any failure `leave` is called, which takes away
    whatever is of no use to a later run.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.state = out / STATE
        self._new: list[Path] = []  # folders that were made for it, innermost first

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open the folder; raises `MerulaError` where it is taken or the disk does not take it."""
        with writing(self.out, self.leave):
            demand_name(self.out)
            self.open()
            yield

    def open(self) -> None:
        """Begin, or go on with what an earlier run has left."""
        raise NotImplementedError

    def leave(self) -> bool:
        """Take away what is of no use to a later run; return whether something is kept."""
        raise NotImplementedError

    def _make(self, *folders: Path) -> None:
        """Make folders inside, and note which were made for them."""
        self._new = [path for path in (self.out, *self.out.parents) if not path.exists()]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)

    def _unmake(self) -> None:
        """Delete the folders that were made, as far as they are empty."""
        for folder in self._new:
            with suppress(OSError):
                folder.rmdir()

    def _demand_free(self) -> None:
        """Raise where the folder contains anything but ``.merula``."""
        if self.out.is_dir() and all(path.name == STATE for path in self.out.iterdir()):
            return
        if self.out.exists() or self.out.is_symlink():
            raise not_empty(self.out)

    def _demand_same(self, differences: Iterator[str]) -> None:
        """Raise where data that are there differ from what is asked for."""
        notes = list(differences)
        if notes:
            raise MerulaError.of(
                "M617",
                f"{self.out} holds other data than is asked for",
                remedy="choose another folder, or delete this one",
                notes=notes,
                place=str(self.out),
            )

    def _close(self, manifest: Any) -> None:
        """Write the manifest, the last file of all, and clear away what a run needs."""
        write_json(self.out / MANIFEST, manifest, self.state)
        flush(self.out)
        shutil.rmtree(self.state, ignore_errors=True)


@contextmanager
def writing(out: Path, leave: Callable[[], bool]) -> Iterator[None]:
    """Write into a folder; ``leave`` is called after any failure.

    Raises `MerulaError` where the disk does not take it.
    """
    try:
        yield
    except OSError as error:
        more = "; what is done is kept: the same command goes on" if leave() else ""
        raise unwritable("M608", out, error, more) from error
    except BaseException:
        leave()
        raise


def demand_name(out: Path) -> None:
    """Raise `MerulaError` where a name is not one that a folder can have."""
    if "\0" in str(out):
        raise MerulaError.of(
            "M608",
            "the name of the folder holds the character U+0000",
            remedy="name another folder",
        )


def not_empty(out: Path) -> MerulaError:
    """Return the error of a folder that contains something else already."""
    what = "is not empty" if out.is_dir() else "is a file"
    return MerulaError.of(
        "M609",
        f"{out} exists and {what}",
        remedy="name a folder that is new or empty",
        place=str(out),
    )


def has_size(path: Path, size: int) -> bool:
    """Return whether there is a file of so many bytes."""
    try:
        return path.stat().st_size == size
    except OSError:
        return False


# --- exports: new folders, whole or absent ------------------------------------------------------


@contextmanager
def new_folder(out: Path, source: Path | None = None) -> Iterator[Path]:
    """Give a folder to write into, which is ``out`` once the block has ended.

    It is made beside ``out``; a run that was ended leaves at most that folder. It may not be in
    ``source``, the published data. Raises `MerulaError` where ``out`` is not new or empty.
    """
    demand_name(out)
    if source is not None:
        demand_outside(out, source)
    out = out.absolute() if out.name in ("", "..") else out
    aside = partial_path(out)
    new_parents: list[Path] = []

    def leave() -> bool:
        shutil.rmtree(aside, ignore_errors=True)
        for folder in new_parents:
            with suppress(OSError):
                folder.rmdir()
        return False

    with writing(out, leave):
        _demand_unfilled(out)
        new_parents += [path for path in out.parents if not path.exists()]
        aside.mkdir(parents=True)
        yield aside
        for path in sorted(aside.rglob("*"), reverse=True):
            flush(path)
        _move(aside, out)


def demand_outside(out: Path, source: Path) -> None:
    """Raise `MerulaError` where a place is inside the published data.

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


def _demand_unfilled(out: Path) -> None:
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
        _demand_unfilled(out)  # it may have been filled in the meantime
        if out.is_symlink() or out.samefile(Path.cwd()):  # a folder that has to stay the same
            for path in aside.iterdir():
                path.replace(out / path.name)
            aside.rmdir()
            return
        out.rmdir()
    aside.replace(out)
    flush(out.parent)
