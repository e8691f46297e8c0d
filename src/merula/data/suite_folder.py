"""The folder of a suite. A run that was ended is begun again by the same command."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, write_json
from merula.data.folder import RUN, STATE, Folder, has_size, not_empty
from merula.data.manifests.read import read_manifest
from merula.data.manifests.run import MANIFEST
from merula.data.manifests.suite import SuiteManifest


class SuiteFolder(Folder):
    """The folder that a suite is written into; each process has a place of its own to work in."""

    def __init__(self, out: Path, wanted: SuiteManifest) -> None:
        super().__init__(out)
        self.wanted = wanted
        self.work = self.state / f"work-{os.getpid()}-{secrets.token_hex(4)}"
        self._begun = False  # whether anything was made
        self._before: SuiteManifest | None = None  # the suite that is there

    @property
    def kept(self) -> Path:
        """Where rows wait for the files that they go into."""
        return self.work / "rows"

    @property
    def staged(self) -> Path:
        """Where files are made."""
        return self.work / "files"

    def open(self) -> None:
        """Begin; raises `MerulaError` where the folder contains other data."""
        self._before = self._left(self.out / MANIFEST)
        if self._before is None and self._left(self.state / RUN) is None:
            self._demand_free()
        self._begun = True
        self._make(self.kept, self.staged)
        if self._before is None:
            write_json(self.state / RUN, self.wanted.to_json())

    def _left(self, path: Path) -> SuiteManifest | None:
        """Return the manifest that an earlier run has left; raises where it is of other data."""
        if not path.is_file():
            return None
        manifest = None
        with suppress(MerulaError):  # a file of another program: the folder is taken
            manifest = read_manifest(path)
        if not isinstance(manifest, SuiteManifest):
            raise not_empty(self.out)
        self._demand_same(self.wanted.differences(manifest))
        return manifest

    def is_whole(self, made: SuiteManifest) -> bool:
        """Return whether all that is made now is there; raises where it is other data."""
        if self._before is None:
            return False
        self._demand_same(made.differences(self._before))
        return all(has_size(self.out / record.file, record.bytes) for record in self._before.files)

    def commit(self, manifest: SuiteManifest, more: Mapping[str, Any]) -> None:
        """Move all files to their places, with ``more`` files of JSON; the manifest comes last."""
        write_json(self.state / RUN, self.wanted.to_json())
        (self.out / MANIFEST).unlink(missing_ok=True)
        for name, value in more.items():
            write_json(self.staged / name, value)
        for path in sorted(p for p in self.staged.rglob("*") if p.is_file()):
            place = self.out / path.relative_to(self.staged)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
            flush(place.parent)
        self._close(manifest.to_json())

    def leave(self) -> bool:
        """After a failure, or where nothing was left to do: take away what was made."""
        if not self._begun:
            return False
        shutil.rmtree(self.work, ignore_errors=True)
        with suppress(OSError):
            if self._before is not None or all(p.name == STATE for p in self.out.iterdir()):
                shutil.rmtree(self.state)
        self._unmake()
        return False
