"""The folder of a data set: whole files, a manifest that comes last, and the state of a run.

Until all files are there, a subfolder ``.merula`` holds what the run is to be (``run.json``) and a
record of each file that is done.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from merula.digest import summed, written
from merula.language.diagnostics import MerulaError

MANIFEST = "manifest.json"
STATE = ".merula"
RUN = "run.json"


@dataclass(frozen=True)
class PartRecord:
    """What is known of a part that is done; ``sha256`` is of its bytes, for text formats."""

    file: str
    phenomenon: str
    design: str
    first: int
    instances: int
    rows: int
    bytes: int
    digest: str
    sha256: str | None


class RunFolder:
    """A folder that holds a data set, or what is done of it."""

    def __init__(self, out: Path, identity: Mapping[str, Any]) -> None:
        self.out, self.identity = out, identity
        self.state = out / STATE
        self._new: list[Path] = []  # folders that were made for it

    def open(self) -> bool:
        """Begin, or go on with what is there; True where all is done already."""
        if "\0" in str(self.out):
            raise MerulaError.of("M608", "the name of the folder holds the character U+0000")
        if (self.out / MANIFEST).is_file():
            self._compare(self.out / MANIFEST)
            return True
        if (self.state / RUN).is_file():
            self._compare(self.state / RUN)
            return False
        self._refuse_foreign()
        self._new = [path for path in (self.out, *self.out.parents) if not path.exists()]
        self.state.mkdir(parents=True, exist_ok=True)
        write_json(self.state / RUN, self.identity)
        return False

    def _refuse_foreign(self) -> None:
        out = self.out
        if out.is_dir() and not [p for p in out.iterdir() if p.name != STATE]:
            return
        if out.exists() or out.is_symlink():
            what = "is not empty" if out.is_dir() else "is a file"
            raise MerulaError.of(
                "M609",
                f"{out} exists and {what}",
                remedy="choose another folder, or delete this one",
                place=str(out),
            )

    def _compare(self, path: Path) -> None:
        """Refuse a folder whose data is not what is asked for."""
        there = read_json(path)
        different = list(_differences(there, self.identity))
        if different:
            raise MerulaError.of(
                "M617",
                f"{self.out} holds other data than is asked for",
                remedy="choose another folder, or delete this one",
                notes=different,
                place=str(self.out),
            )

    def manifest(self) -> dict[str, Any]:
        """The manifest of a data set that is done."""
        return read_json(self.out / MANIFEST)

    def records(self, files: Iterable[str]) -> dict[str, PartRecord]:
        """The parts that are done, by file."""
        found = {}
        for file in files:
            record = read_record(self.state / f"{file}.json")
            if record is not None and _size(self.out / file) == record.bytes:
                found[file] = record
        return found

    def close(self, records: Sequence[PartRecord]) -> dict[str, Any]:
        """Write the manifest, the last file of all, and clear away what a run needs."""
        designs = []
        for described in self.identity["designs"]:
            own = [
                int(r.digest, 16)
                for r in records
                if (r.phenomenon, r.design) == (described["phenomenon"], described["design"])
            ]
            designs.append({**described, "digest": written(summed(own))})
        manifest = {
            **self.identity,
            "designs": designs,
            "files": [
                {k: v for k, v in asdict(record).items() if v is not None} for record in records
            ],
        }
        aside = self.out / f".{MANIFEST}.{os.getpid()}-{secrets.token_hex(4)}"
        write_json(self.out / MANIFEST, manifest, aside)
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


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    """What two runs differ in, in words."""
    for key in ("merula", "schema", "format", "seed", "variation", "answers", "spans", "columns"):
        if there.get(key) != here[key]:
            yield f"{key}: {_shown(there.get(key))} there, {_shown(here[key])} asked for"
    theirs = {_title(d): d for d in there.get("designs", ())}
    ours = {_title(d): d for d in here["designs"]}
    for name in theirs.keys() | ours.keys() if theirs.keys() != ours.keys() else ():
        where = "is there and not asked for" if name in theirs else "is asked for and not there"
        if (name in theirs) != (name in ours):
            yield f"{name} {where}"
    for name in ours:
        if name not in theirs:
            continue
        if theirs[name].get("grammar") != ours[name]["grammar"]:
            yield f"{name}: the grammar has changed"
        if theirs[name].get("lexicon") != ours[name]["lexicon"]:
            yield f"{name}: the tables or the surface rules have changed"
        old, new = theirs[name].get("instances"), ours[name]["instances"]
        if old != new:
            yield f"{name}: {_shown(old)} instances there, {_shown(new)} asked for"
    if there.get("part") != here["part"]:
        old, new = _shown(there.get("part")), _shown(here["part"])
        yield f"sentences in a file: {old} there, {new} asked for"


def _title(described: Mapping[str, Any]) -> str:
    return f"{described.get('phenomenon')}-{described.get('design')}"


def _shown(value: Any) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


# --- files ---------------------------------------------------------------------------------


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


def read_json(path: Path) -> dict[str, Any]:
    """A file of JSON that Merula has written; raises `MerulaError` where it is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        found = error
    if not isinstance(found, dict):
        raise MerulaError.of(
            "M618",
            f"{path} cannot be understood",
            remedy="it was damaged or is not from Merula; delete the folder, or choose another",
            place=str(path),
        )
    return found


def read_record(path: Path) -> PartRecord | None:
    """The record of a part, or None where there is none that can be read."""
    try:
        return PartRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
