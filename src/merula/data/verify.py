"""Whether a data set on the disk is what its manifest says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.core.diagnostics import MerulaError
from merula.data.digest import BlockHasher, summed, written
from merula.data.formats import TEXT_FORMATS, Stored, read_batches, stored_schema, suffix
from merula.data.manifest import DesignRecord, Manifest, PartRecord, own_digests, read_manifest
from merula.data.run_folder import MANIFEST, RUN, STATE
from merula.rows.columns import row_schema


@dataclass(frozen=True)
class FileCheck:
    """A file of a data set; ``fault`` says what is wrong with it (empty if nothing is).

    ``rows`` is 0 for files that hold none. ``note`` says of rows that were published whether they
    were made again.
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


def verify(folder: Path, progress: Callable[[str], None] | None = None) -> Iterator[FileCheck]:
    """Check every file of a data set, then the data set as a whole.

    Of a published data set all rows are also made again from its sources.

    Raises `MerulaError` where there is no data set, or one that is not finished.
    """
    if _is_published(folder):
        from merula.publish.verification import verify_publication

        yield from verify_publication(folder, progress)
        return
    suite = _suite(folder)
    if suite is not None:
        from merula.data.suite_verification import verify_suite

        yield from verify_suite(folder, suite, progress)
        return
    manifest = _manifest(folder)
    designs = {design.title: design for design in manifest.designs}
    for entry in manifest.files:
        if progress is not None:
            progress(entry.file)
        fault = _fault(folder, manifest.format, entry, designs.get(entry.title))
        yield FileCheck(entry.file, entry.rows, fault)
    for design in manifest.designs:
        yield from _whole(manifest, design)
    names = {MANIFEST, *(entry.file for entry in manifest.files)}
    for path in sorted(folder.iterdir()):
        if path.name not in names and path.suffix == f".{suffix(manifest.format)}":
            yield FileCheck(path.name, 0, "is not in the manifest")


def _is_published(folder: Path) -> bool:
    from merula.data.publication import PUBLICATION

    return (folder / PUBLICATION).is_file()


def _suite(folder: Path) -> Mapping[str, Any] | None:
    """The manifest of a suite, if that is what the folder holds."""
    from merula.data.suite_manifest import read_suite

    path = folder / MANIFEST
    return read_suite(path) if path.is_file() else None


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        if not folder.is_dir():
            raise MerulaError.of(
                "M675",
                f"there is no folder {folder}" if not folder.exists() else f"{folder} is a file",
                remedy="name a folder that `merula generate`, `suite` or `publish` has made",
                place=str(folder),
            )
        if (folder / STATE / RUN).is_file():
            raise MerulaError.of(
                "M676",
                f"the data set in {folder} is not finished",
                remedy="run the command that makes it again: it goes on where it stopped",
                place=str(folder),
            )
        raise MerulaError.of(
            "M675",
            f"there is no data set in {folder}: it has neither {MANIFEST} nor merula.json",
            remedy="name a folder that `merula generate`, `suite` or `publish` has made",
            place=str(folder),
        )
    return read_manifest(path)


def _fault(folder: Path, form: str, entry: PartRecord, design: DesignRecord | None) -> str:
    """What is wrong with a file, or nothing."""
    path = folder / entry.file
    if design is None:
        return "is of a design that the manifest does not name"
    if not path.is_file():
        return "is missing"
    try:
        if form in TEXT_FORMATS:
            return _other_bytes(path, entry)
        digest, rows = _digest(path, form, entry, design)
    except (OSError, TypeError, ValueError, pa.ArrowException) as error:
        return f"cannot be read: {str(error).splitlines()[0]}"
    if rows != entry.rows:
        return f"has {rows:,} rows instead of {entry.rows:,}"
    return "" if digest == entry.digest else "has other rows than were written"


def _other_bytes(path: Path, entry: PartRecord) -> str:
    size = path.stat().st_size
    if size != entry.bytes:
        return f"has {size:,} bytes instead of {entry.bytes:,}"
    same = Stored.of(path).sha256 == entry.sha256
    return "" if same else "has other bytes than were written"


def _digest(path: Path, form: str, entry: PartRecord, design: DesignRecord) -> tuple[str, int]:
    """The digest of a Parquet or Arrow file, and its number of rows."""
    schema = row_schema(stored_schema(path, form))
    hasher, rows, digests = BlockHasher(schema), 0, []
    cells = max(design.rows // max(design.instances, 1), 1)
    for batch in read_batches(path, form, schema, design.block * cells):
        digests.append(hasher.block(batch, entry.first + rows // cells))
        rows += batch.num_rows
    return written(summed(digests)), rows


def _whole(manifest: Manifest, design: DesignRecord) -> Iterator[FileCheck]:
    """Whether the files of a design add up to it."""
    rows = sum(entry.rows for entry in manifest.files if entry.title == design.title)
    if rows != design.rows:
        yield FileCheck(design.title, rows, f"has {rows:,} rows instead of {design.rows:,}")
    if written(summed(own_digests(design, manifest.files))) != design.digest:
        yield FileCheck(design.title, rows, "its files do not add up to its digest")
