"""The folder of a run of `merula generate`, which several shards and later runs may share."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from merula.core.files import flush, replacing, write_json
from merula.core.records import left_record, read_json, understood
from merula.data.folder import RUN, Folder, has_size
from merula.data.manifests.run import MANIFEST, PartRecord, RunManifest


class RunFolder(Folder):
    """A folder that contains a data set, or the finished part of one."""

    def __init__(self, out: Path, wanted: RunManifest) -> None:
        super().__init__(out)
        self.wanted = wanted
        self.whole: RunManifest | None = None  # the manifest, where all is done already

    def open(self) -> None:
        """Begin, go on with what is there, or find that all is done already (`whole`)."""
        before = self.finished()
        if before is not None and all(has_size(self.out / f.file, f.bytes) for f in before.files):
            shutil.rmtree(self.state, ignore_errors=True)
            self.whole = before
        elif before is not None:
            self._reopen(before)
        elif (self.state / RUN).is_file():
            self._demand_same(self.wanted.differences(_read(self.state / RUN)))
        else:
            self._demand_free()
            self._make(self.state)
            write_json(self.state / RUN, self.wanted.to_json())

    def finished(self) -> RunManifest | None:
        """Return the manifest, if there is one; raises `MerulaError` where it is of other data."""
        path = self.out / MANIFEST
        if not path.is_file():
            return None
        manifest = _read(path)
        self._demand_same(self.wanted.differences(manifest))
        return manifest

    def _reopen(self, before: RunManifest) -> None:
        """Make a data set that has lost files one that is not finished."""
        self.state.mkdir(exist_ok=True)
        for record in before.files:
            self.note(record)
        write_json(self.state / RUN, self.wanted.to_json())
        (self.out / MANIFEST).unlink()

    @contextmanager
    def staged(self, file: str) -> Iterator[Path]:
        """Give a path to write a part to; it moves to its place when the block has ended."""
        with replacing(self.out / file, self.state) as path:
            yield path
        flush(self.out)

    def note(self, record: PartRecord) -> None:
        """Record that a part is done."""
        write_json(self.state / f"{record.file}.json", asdict(record))

    def records(self, files: Iterable[str]) -> dict[str, PartRecord]:
        """Return the records of the parts that are done, by file."""
        records = {file: left_record(PartRecord, self.state / f"{file}.json") for file in files}
        return {
            file: record
            for file, record in records.items()
            if record is not None and has_size(self.out / file, record.bytes)
        }

    def commit(self, records: Sequence[PartRecord]) -> RunManifest:
        """Write the manifest of all parts, the last file of all."""
        manifest = self.wanted.done(records)
        self._close(manifest.to_json())
        return manifest

    def leave(self) -> bool:
        """After a failure: return whether something is done; where nothing is, clear up."""
        with suppress(OSError):
            if any(path.name != RUN for path in self.state.iterdir()):
                return True
            shutil.rmtree(self.state)
        self._unmake()
        return False


def _read(path: Path) -> RunManifest:
    return understood(RunManifest, read_json(path), path)
