"""Whether a suite on the disk is what its manifest says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.data.digest import BlockHasher, summed, written
from merula.data.formats import Stored, read_batches, stored_schema
from merula.data.run_folder import MANIFEST
from merula.data.verify import FileCheck
from merula.suite.files import BLOCK
from merula.suite.tables import typed


def verify_suite(
    folder: Path, manifest: Mapping[str, Any], progress: Callable[[str], None] | None = None
) -> Iterator[FileCheck]:
    """Check every file of a suite against its manifest, as `read_suite` gives it."""
    form = manifest["options"]["format"]
    for entry in manifest["files"]:
        if progress is not None:
            progress(entry["file"])
        yield FileCheck(entry["file"], entry["rows"], _fault(folder / entry["file"], form, entry))
    known = {MANIFEST, *(entry["file"] for entry in manifest["files"])}
    for path in sorted(folder.rglob(f"*.{form}")):
        name = path.relative_to(folder).as_posix()
        if name not in known and not name.startswith("."):
            yield FileCheck(name, 0, "is not in the manifest")


def _fault(path: Path, form: str, entry: Mapping[str, Any]) -> str:
    """What is wrong with a file, or nothing."""
    if not path.is_file():
        return "is missing"
    try:
        if "sha256" in entry:
            size = path.stat().st_size
            if size != entry["bytes"]:
                return f"has {size:,} bytes instead of {entry['bytes']:,}"
            same = Stored.of(path).sha256 == entry["sha256"]
            return "" if same else "has other bytes than were written"
        digest, rows = _digest(path, form)
    except (OSError, TypeError, ValueError, pa.ArrowException) as error:
        return f"cannot be read: {str(error).splitlines()[0]}"
    if rows != entry["rows"]:
        return f"has {rows:,} rows instead of {entry['rows']:,}"
    return "" if digest == entry["digest"] else "has other rows than were written"


def _digest(path: Path, form: str) -> tuple[str, int]:
    """The digest of a Parquet or Arrow file, and its number of rows."""
    schema = typed(stored_schema(path, form))
    hasher, rows, digests = BlockHasher(schema), 0, []
    for batch in read_batches(path, form, schema, BLOCK):
        digests.append(hasher.block(batch, rows))
        rows += batch.num_rows
    return written(summed(digests)), rows
