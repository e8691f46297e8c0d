"""Whether a data set on the disk is what its manifest says, whatever command has made it.

Each kind of manifest says which files there should be, how many rows each has and what their
digest is (`_expected`); one check compares a file with that. Rows that were published can also be
made again from their sources: `merula.publish.remake` knows how, and is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from merula.core.diagnostics import MerulaError
from merula.core.progress import Progress
from merula.data.digest import BlockHasher, summed, written
from merula.data.folder import RUN, STATE
from merula.data.format_names import TEXT_FORMATS, suffix
from merula.data.formats import Stored, read_batches, stored_schema
from merula.data.manifests.publication import (
    PUBLICATION,
    ConfigEntry,
    PartEntry,
    Publication,
)
from merula.data.manifests.read import AnyManifest, manifest_in
from merula.data.manifests.run import MANIFEST, DesignRecord, PartRecord, RunManifest, own_digests
from merula.data.manifests.suite import SuiteManifest
from merula.data.opened import demand_finished
from merula.data.published_rows import stored_digest
from merula.data.schema import BLOCK, typed
from merula.rows.columns import row_schema

Digest = tuple[str, int]  # of the rows of a file, and how many there are
Again = Callable[[ConfigEntry, PartEntry], tuple[str, str]]
Remake = Callable[[Publication, Path], Again]


@dataclass(frozen=True)
class FileCheck:
    """A file of a data set; ``fault`` says what is wrong with it, and is empty if nothing is.

    ``rows`` is 0 for files without rows. ``note`` says of published rows whether they were made
    again.
    """

    file: str
    rows: int
    fault: str
    note: str = ""

    def __str__(self) -> str:
        if self.fault:
            return self.fault
        rows = f"{self.rows:,} rows, " if self.rows else ""
        return f"{rows}as made{f', {self.note}' if self.note else ''}"


@dataclass(frozen=True)
class _Expected:
    """What a manifest says of a file: its bytes, or what its rows say.

    ``digest`` reads a file's rows; it is None for files that are compared byte by byte.
    ``again`` makes the rows of a sound file again, where that can be done.
    """

    file: str
    rows: int
    made: str  # how it came to be: written, published
    bytes: int | None = None
    sha256: str | None = None
    digest: str | None = None
    read: Callable[[Path], Digest] | None = None
    again: Callable[[], tuple[str, str]] | None = None
    fault: str = ""  # of the manifest: the file is not looked at

    def check(self, folder: Path) -> FileCheck:
        """Compare the file with this."""
        fault, note = self.fault or self._fault(folder / self.file), ""
        if not fault and self.again is not None:
            fault, note = self.again()
        return FileCheck(self.file, self.rows, fault, note)

    def _fault(self, path: Path) -> str:
        if not path.is_file():
            return "is missing"
        try:
            if self.read is None:
                return self._other_bytes(path)
            digest, rows = self.read(path)
        except (OSError, TypeError, ValueError, pa.ArrowException) as error:
            return f"cannot be read: {str(error).splitlines()[0]}"
        if rows != self.rows:
            return f"has {rows:,} rows instead of {self.rows:,}"
        return "" if digest == self.digest else f"has other rows than were {self.made}"

    def _other_bytes(self, path: Path) -> str:
        size = path.stat().st_size
        if self.bytes is not None and size != self.bytes:
            return f"has {size:,} bytes instead of {self.bytes:,}"
        same = Stored.of(path).sha256 == self.sha256
        return "" if same else f"has other bytes than were {self.made}"


def verify(
    folder: Path,
    remake: Remake | None = None,
    progress: Progress | None = None,
) -> Iterator[FileCheck]:
    """Check every file of a data set, then the data set as a whole.

    ``remake`` gives what makes the rows of a publication again from its sources; without it, only
    files are compared with what the manifest says. Raises `MerulaError` where there is no data
    set, or one that is not finished.
    """
    manifest = _demanded(folder)
    files = list(_expected(manifest, folder, remake))
    for number, expected in enumerate(files):
        if progress is not None:
            progress(expected.file, number, len(files))
        yield expected.check(folder)
    if isinstance(manifest, RunManifest):
        yield from _sums(manifest)
    yield from _strangers(folder, manifest)


def _demanded(folder: Path) -> AnyManifest:
    """Return the manifest of a finished data set."""
    manifest = manifest_in(folder)
    if isinstance(manifest, Publication):
        demand_finished(folder)
    if manifest is not None:
        return manifest
    if folder.is_dir() and (folder / STATE / RUN).is_file():
        raise MerulaError.of(
            "M676",
            f"the data set in {folder} is not finished",
            remedy="run the command that makes it again: it goes on where it stopped",
            place=str(folder),
        )
    what = f"there is no data set in {folder}: it has neither {MANIFEST} nor {PUBLICATION}"
    if not folder.is_dir():
        what = f"{folder} is a file" if folder.exists() else f"there is no folder {folder}"
    raise MerulaError.of(
        "M675",
        what,
        remedy="name a folder that `merula generate`, `suite` or `publish` has made",
        place=str(folder),
    )


# --- what each kind of manifest says ----------------------------------------------------------


def _expected(manifest: AnyManifest, folder: Path, remake: Remake | None) -> Iterator[_Expected]:
    """Yield what there should be in a folder, file by file."""
    match manifest:
        case RunManifest():
            designs = {design.title: design for design in manifest.designs}
            for part in manifest.files:
                yield _of_run(manifest.format, part, designs.get(part.title))
        case SuiteManifest():
            format_name = str(manifest.options["format"])
            for file in manifest.files:
                expected = _Expected(file.file, file.rows, "written", file.bytes, file.sha256)
                if file.sha256 is None:
                    expected = replace(
                        expected, digest=file.digest, read=partial(_suite_digest, format_name)
                    )
                yield expected
        case Publication():
            again = None if remake is None else remake(manifest, folder)
            for config in manifest.configs:
                for split in config.splits:
                    for entry in split.files:
                        yield _of_publication(config, entry, again)
            for other in manifest.others:
                yield _Expected(other.file, 0, "published", sha256=other.sha256)


def _of_run(format_name: str, part: PartRecord, design: DesignRecord | None) -> _Expected:
    if design is None:
        fault = "is of a design that the manifest does not name"
        return _Expected(part.file, part.rows, "written", fault=fault)
    if format_name in TEXT_FORMATS:
        return _Expected(part.file, part.rows, "written", part.bytes, part.sha256)
    read = partial(_run_digest, format_name, part, design)
    return _Expected(part.file, part.rows, "written", digest=part.digest, read=read)


def _of_publication(config: ConfigEntry, part: PartEntry, again: Again | None) -> _Expected:
    return _Expected(
        part.file,
        part.rows,
        "published",
        digest=part.digest,
        read=partial(stored_digest, config, part),
        again=None if again is None else partial(again, config, part),
    )


def _run_digest(format_name: str, part: PartRecord, design: DesignRecord, path: Path) -> Digest:
    cells = max(design.rows // max(design.instances, 1), 1)
    schema = row_schema(stored_schema(path, format_name))
    return _digest(path, format_name, schema, design.block, cells, part.first)


def _suite_digest(format_name: str, path: Path) -> Digest:
    return _digest(path, format_name, typed(stored_schema(path, format_name)), BLOCK)


def _digest(
    path: Path, format_name: str, schema: pa.Schema, block: int, cells: int = 1, first: int = 0
) -> Digest:
    """Return the digest of a Parquet or Arrow file, and its number of rows.

    ``block`` instances of ``cells`` rows each are hashed together; ``first`` is the number of the
    file's first instance.
    """
    hasher, rows, digests = BlockHasher(schema), 0, []
    for batch in read_batches(path, format_name, schema, block * cells):
        digests.append(hasher.block(batch, first + rows // cells))
        rows += batch.num_rows
    return written(summed(digests)), rows


# --- the data set as a whole ------------------------------------------------------------------


def _sums(manifest: RunManifest) -> Iterator[FileCheck]:
    """Say where the files of a design do not add up to it."""
    for design in manifest.designs:
        rows = sum(part.rows for part in manifest.files if part.title == design.title)
        if rows != design.rows:
            yield FileCheck(design.title, rows, f"has {rows:,} rows instead of {design.rows:,}")
        if written(summed(own_digests(design, manifest.files))) != design.digest:
            yield FileCheck(design.title, rows, "its files do not add up to its digest")


def _strangers(folder: Path, manifest: AnyManifest) -> Iterator[FileCheck]:
    """Say which files of data the manifest does not name: readers might take them as well."""
    match manifest:
        case RunManifest():
            names = {part.file for part in manifest.files}
            paths = folder.glob(f"*.{suffix(manifest.format)}")
        case SuiteManifest():
            names = {file.file for file in manifest.files}
            paths = folder.rglob(f"*.{manifest.options['format']}")
        case Publication():
            names = set(manifest.files())
            paths = folder.rglob("*.parquet")
    for path in sorted(paths):
        name = path.relative_to(folder).as_posix()
        if name not in {*names, MANIFEST, PUBLICATION} and not name.startswith("."):
            yield FileCheck(name, 0, "is not in the manifest")
