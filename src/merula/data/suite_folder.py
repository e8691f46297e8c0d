"""The folder of a suite: whole files, a manifest that comes last.

A run writes into a subfolder ``.merula`` and moves the files to their places when all are done. A
run that was ended leaves that subfolder, or a suite without a manifest; the same command begins
again. What was there of other data is never touched.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, write_json
from merula.data.run_folder import MANIFEST, RUN, STATE, demand_name, not_empty, size_of, writing
from merula.data.suite_manifest import SuiteManifest, read_suite


class SuiteFolder:
    """The folder that a suite is written into."""

    def __init__(self, out: Path, wanted: SuiteManifest) -> None:
        self.out, self.wanted = out, wanted
        self.state = out / STATE
        self.work = self.state / f"work-{os.getpid()}-{secrets.token_hex(4)}"
        self._new: list[Path] = []  # folders that were made for it
        self._begun = False  # whether anything was
        self._there: dict[str, Any] | None = None

    @property
    def kept(self) -> Path:
        """Where rows wait for the files that they go into."""
        return self.work / "rows"

    @property
    def files(self) -> Path:
        """Where files are made."""
        return self.work / "files"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The folder while a suite is made; after a failure it is as it was."""
        with writing(self.out, self.leave):
            self.open()
            yield

    def open(self) -> None:
        """Begin; raises `MerulaError` where the folder holds other data, OSError elsewhere."""
        demand_name(self.out)
        self._there = self._finished()
        if self._there is None:
            self._refuse_others()
        self._new = [path for path in (self.out, *self.out.parents) if not path.exists()]
        self._begun = True
        self.kept.mkdir(parents=True)
        self.files.mkdir()
        if self._there is None:
            write_json(self.state / RUN, self.wanted.to_json())

    def _refuse_others(self) -> None:
        """Refuse a folder that holds anything but what another run of this suite has left."""
        if (self.state / RUN).is_file():
            begun = read_suite(self.state / RUN)
            if begun is not None:
                self._compare(begun, self.wanted)
                return
            raise not_empty(self.out)
        self._refuse_foreign()

    def _finished(self) -> dict[str, Any] | None:
        path = self.out / MANIFEST
        if not path.is_file():
            return None
        there = read_suite(path)
        if there is None:
            raise not_empty(self.out)
        self._compare(there, self.wanted)
        return there

    def _refuse_foreign(self) -> None:
        out = self.out
        if out.is_dir() and not [p for p in out.iterdir() if p.name != STATE]:
            return
        if out.exists() or out.is_symlink():
            raise not_empty(self.out)

    def _compare(self, there: Mapping[str, Any], wanted: SuiteManifest) -> None:
        """Refuse data that is not what is asked for."""
        different = list(wanted.differences(there))
        if different:
            raise MerulaError.of(
                "M617",
                f"{self.out} holds other data than is asked for",
                remedy="choose another folder, or delete this one",
                notes=different,
                place=str(self.out),
            )

    def is_whole(self, made: SuiteManifest) -> bool:
        """Whether all that is made now is there already; raises where it is other data."""
        if self._there is None:
            return False
        self._compare(self._there, made)
        return all(size_of(self.out / f["file"]) == f["bytes"] for f in self._there["files"])

    def finish(self, manifest: SuiteManifest, more: Mapping[str, Any]) -> None:
        """Move all files to their places, write ``more`` files of JSON, the manifest last."""
        write_json(self.state / RUN, self.wanted.to_json())
        (self.out / MANIFEST).unlink(missing_ok=True)
        for name, value in more.items():
            write_json(self.files / name, value)
        for path in sorted(p for p in self.files.rglob("*") if p.is_file()):
            place = self.out / path.relative_to(self.files)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
            flush(place.parent)
        write_json(self.out / MANIFEST, manifest.to_json(), self.work / MANIFEST)
        flush(self.out)
        shutil.rmtree(self.state, ignore_errors=True)

    def leave(self) -> None:
        """After a failure, or where nothing was left to do: take away what was made."""
        if not self._begun:
            return
        shutil.rmtree(self.work, ignore_errors=True)
        with suppress(OSError):
            if self._there is not None or not any(p.name != STATE for p in self.out.iterdir()):
                shutil.rmtree(self.state)
        for folder in self._new:
            with suppress(OSError):
                folder.rmdir()
