"""The folder of a data set: whole files, a manifest that comes last, and the state of a run.

Until all files are there, a subfolder ``.merula`` holds what the run is to be (``run.json``) and a
record of each file that is done.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, obstacle, write_json
from merula.data.manifest import Manifest, PartRecord, read_manifest, read_record

MANIFEST = "manifest.json"
STATE = ".merula"
RUN = "run.json"


def demand_name(out: Path) -> None:
    """Refuse a name that no folder can have; raises `MerulaError`."""
    if "\0" in str(out):
        raise MerulaError.of(
            "M608",
            "the name of the folder holds the character U+0000",
            remedy="name another folder",
        )


def not_empty(out: Path) -> MerulaError:
    """The error of a folder that holds something else already."""
    what = "is not empty" if out.is_dir() else "is a file"
    return MerulaError.of(
        "M609",
        f"{out} exists and {what}",
        remedy="name a folder that is new or empty",
        place=str(out),
    )


@contextmanager
def writing(out: Path, leave: Callable[[], object]) -> Iterator[None]:
    """A folder while it is written into; ``leave`` is called after any failure.

    Raises `MerulaError` where the disk does not take it.
    """
    try:
        yield
    except OSError as error:
        leave()
        reason, remedy = obstacle(out, error)
        raise MerulaError.of(
            "M608", f"{out} cannot be written: {reason}", remedy=remedy, place=str(out)
        ) from error
    except BaseException:
        leave()
        raise


class RunFolder:
    """A folder that holds a data set, or what is done of it."""

    def __init__(self, out: Path, wanted: Manifest) -> None:
        self.out, self.wanted = out, wanted
        self.state = out / STATE
        self._new: list[Path] = []  # folders that were made for it

    def open(self) -> bool:
        """Begin, or go on with what is there; True where all is done already."""
        demand_name(self.out)
        there = self.finished()
        if there is not None and all(size_of(self.out / f.file) == f.bytes for f in there.files):
            shutil.rmtree(self.state, ignore_errors=True)
            return True
        if there is not None:
            self._reopen(there)
            return False
        if (self.state / RUN).is_file():
            self._compare(read_manifest(self.state / RUN))
            return False
        self._refuse_foreign()
        self._new = [path for path in (self.out, *self.out.parents) if not path.exists()]
        self.state.mkdir(parents=True, exist_ok=True)
        write_json(self.state / RUN, self.wanted.to_json())
        return False

    def _refuse_foreign(self) -> None:
        out = self.out
        if out.is_dir() and not [p for p in out.iterdir() if p.name != STATE]:
            return
        if out.exists() or out.is_symlink():
            raise not_empty(out)

    def finished(self) -> Manifest | None:
        """The manifest, if there is one; raises `MerulaError` where it is of other data."""
        path = self.out / MANIFEST
        if not path.is_file():
            return None
        there = read_manifest(path)
        self._compare(there)
        return there

    def _reopen(self, there: Manifest) -> None:
        """Make a data set that has lost files one that is not finished."""
        self.state.mkdir(exist_ok=True)
        for record in there.files:
            write_json(self.state / f"{record.file}.json", asdict(record))
        write_json(self.state / RUN, self.wanted.to_json())
        (self.out / MANIFEST).unlink()

    def _compare(self, there: Manifest) -> None:
        """Refuse data that is not what is asked for."""
        different = list(self.wanted.differences(there))
        if different:
            raise MerulaError.of(
                "M617",
                f"{self.out} holds other data than is asked for",
                remedy="choose another folder, or delete this one",
                notes=different,
                place=str(self.out),
            )

    def records(self, files: Iterable[str]) -> dict[str, PartRecord]:
        """The parts that are done, by file."""
        found = {}
        for file in files:
            record = read_record(self.state / f"{file}.json")
            if record is not None and size_of(self.out / file) == record.bytes:
                found[file] = record
        return found

    def close(self, records: Sequence[PartRecord]) -> Manifest:
        """Write the manifest, the last file of all, and clear away what a run needs."""
        manifest = self.wanted.done(records)
        aside = self.state / f"{MANIFEST}.{os.getpid()}-{secrets.token_hex(4)}.partial"
        write_json(self.out / MANIFEST, manifest.to_json(), aside)
        flush(self.out)
        shutil.rmtree(self.state, ignore_errors=True)
        return manifest

    def leave(self) -> bool:
        """After a failure: whether something is done; where nothing is, take away what was made."""
        with suppress(OSError):
            if any(path.name != RUN for path in self.state.iterdir()):
                return True
            shutil.rmtree(self.state)
        for folder in self._new:
            with suppress(OSError):
                folder.rmdir()
        return False


# --- files ---------------------------------------------------------------------------------


def size_of(path: Path) -> int | None:
    """How many bytes a file has; None where it cannot be told."""
    try:
        return path.stat().st_size
    except OSError:
        return None
