"""The folder of a published data set: what was there stays whole until all that is new is ready.

New files are made in a subfolder ``.merula/publish``. When all are done, a list of what is to be
moved and deleted is written (``.merula/commit.json``), and only then are files moved. A run that
was ended before that list was written has changed nothing, and the same command goes on with the
files that are done; one that was ended after it is finished by the next.

`merula.publish.make` hands in the key of what it wants, the files and the manifest. The folder may
be a clone of git: hidden files in it are left alone, and no link in it is followed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from merula.core.diagnostics import MerulaError
from merula.core.files import flush, replacing, write_json
from merula.core.records import left_record, not_understood, read_json, understood
from merula.core.workers import interrupts_ignored
from merula.data.folder import RUN, STATE, Folder, has_size, not_empty
from merula.data.formats import Stored
from merula.data.manifests.publication import PUBLICATION, PartEntry, Publication
from merula.data.manifests.soundness import is_inside, sound_publication

COMMIT, LOCK = "commit.json", "lock"


class PublicationFolder(Folder):
    """The folder that is published into; ``before`` is what was published there before."""

    def __init__(self, out: Path, key: str) -> None:
        super().__init__(out)
        self.key = key  # of all that decides the rows: parts of a run with another key are deleted
        self.stage = self.state / "publish"
        self.before: Publication | None = None
        self._own = False  # whether what is in ``.merula`` is this run's
        self._lock: int | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open the folder for this process alone; after a failure the old data is there."""
        try:
            with super().opened():
                yield
        finally:
            self._unlock()

    def open(self) -> None:
        """Finish what an earlier run has begun to move; keep its parts if they are of this run."""
        if self.out.exists() and not self.out.is_dir():
            raise not_empty(self.out)
        if not (self.out / PUBLICATION).is_file() and not (self.state / COMMIT).is_file():
            self._demand_unused()
        for folder in (self.state, self.stage):
            _demand_folder(folder)
        self._make(self.state)
        self._take_lock()
        self._own = True
        finish_commit(self.out)
        self.before = sound_publication(self.out)
        mark = self.stage / "key"
        if not (mark.is_file() and mark.read_bytes() == self.key.encode()):
            shutil.rmtree(self.stage, ignore_errors=True)
            self.stage.mkdir()
            mark.write_bytes(self.key.encode())

    def _demand_unused(self) -> None:
        """Raise where the folder contains anything but hidden files, such as those of git."""
        if not self.out.is_dir():
            return
        generated = (self.state / RUN).exists()  # what is done of a run of `merula generate`
        if generated or any(not p.name.startswith(".") for p in self.out.iterdir()):
            raise not_empty(self.out)

    def _take_lock(self) -> None:
        """Let no other process publish here at the same time, if the system can lock files."""
        try:
            import fcntl
        except ImportError:
            return
        path = self.state / LOCK
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(self._lock), path.stat()):  # it is not a deleted one
                return
        self._new = []
        raise MerulaError.of(
            "M725",
            f"another process is publishing into {self.out}",
            remedy="wait until it is done, or name another folder",
            place=str(self.out),
        )

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def leave(self) -> bool:
        """After a failure: parts that are done stay, what else was made is taken away."""
        unfinished = False
        with suppress(OSError):
            unfinished = is_unfinished(self.out) or any((self.stage / "done").rglob("*.json"))
            if self._own and not unfinished:
                self._clear()
        self._unmake()
        return unfinished

    def _clear(self) -> None:
        """Take away all that a run needs, last of all what keeps others out."""
        shutil.rmtree(self.stage, ignore_errors=True)
        with suppress(OSError):
            for path in sorted(self.state.iterdir(), key=lambda path: path.name == LOCK):
                path.unlink()
            self.state.rmdir()

    # --- parts ---------------------------------------------------------------------------------

    def staged(self, file: str) -> Path:
        """Return where a file is made."""
        return self.stage / "files" / file

    def note(self, part: PartEntry) -> None:
        """Record that a part is done."""
        path = self._note_of(part)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, asdict(part))

    def record(self, part: PartEntry) -> PartEntry | None:
        """Return a part that an interrupted run has made, if it is whole."""
        record = left_record(PartEntry, self._note_of(part))
        whole = record is not None and has_size(self.staged(part.file), record.bytes)
        return record if whole else None

    def _note_of(self, part: PartEntry) -> Path:
        return self.stage / "done" / f"{part.file}.json"

    def published(self, part: PartEntry) -> bool:
        """Return whether a part that was published before is on the disk as it was."""
        path = self.out / part.file
        try:
            return has_size(path, part.bytes) and Stored.of(path).sha256 == part.sha256
        except OSError:
            return False

    # --- the end -------------------------------------------------------------------------------

    def commit(
        self, publication: Publication, texts: Mapping[str, bytes], parts: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """Put the new parts and ``texts`` in their places, and delete old files not wanted now.

        Returns the files that were written and those that were deleted.
        """
        manifest = json.dumps(publication.to_json(), indent=2, ensure_ascii=False) + "\n"
        every = {**texts, PUBLICATION: manifest.encode()}
        moved = list(parts)
        for name, data in every.items():
            if not _holds(self.out / name, data):
                path = self.staged(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path) as made:
                    made.write_bytes(data)
                moved.append(name)
        wanted = {*publication.files(), PUBLICATION}
        old = self.before.files() if self.before is not None else []
        deleted = [name for name in old if name not in wanted and (self.out / name).exists()]
        if moved or deleted:
            _demand_places(self.out, [*moved, *deleted])
            flush(self.stage)
            write_json(self.state / COMMIT, {"move": moved, "delete": deleted})
            flush(self.state)
            with interrupts_ignored():
                finish_commit(self.out)
        self._clear()
        return moved, deleted


def finish_commit(out: Path) -> None:
    """Move what the list of an earlier run says is to be moved, if there is one."""
    state = out / STATE
    path = state / COMMIT
    if not path.is_file():
        return
    moves = _commit(path)
    _demand_places(out, [*moves.move, *moves.delete])
    for name in moves.move:
        made, place = state / "publish" / "files" / name, out / name
        if made.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            made.replace(place)
            flush(place.parent)
    for name in moves.delete:
        gone = out / name
        gone.unlink(missing_ok=True)
        for folder in gone.parents:
            if folder == out:
                break
            with suppress(OSError):
                folder.rmdir()
    path.unlink()


@dataclass(frozen=True)
class _Commit:
    """Which files are to be moved and deleted, named from the folder of the data set."""

    move: list[str]
    delete: list[str]


def _commit(path: Path) -> _Commit:
    """Read a list of moves; raises `MerulaError` where it names a file outside the folder."""
    remedy = f"delete the folder {path.parent}, then publish again"
    moves = understood(_Commit, read_json(path, remedy), path, remedy)
    for name in (*moves.move, *moves.delete):
        if not is_inside(name):
            raise not_understood(path, f"{name!r} is not a file of the data set", remedy)
    return moves


def _demand_places(out: Path, names: Iterable[str]) -> None:
    """Raise, before anything is moved, where something is in the way of a file or its folder."""
    for name in names:
        place = out / name
        for folder in place.parents:
            if folder == out:
                break
            _demand_folder(folder)
        if place.is_dir() and not place.is_symlink():
            raise _in_the_way(place, "a folder")


def _demand_folder(path: Path) -> None:
    """Raise where a file is in the place of a folder, or a link, which may lead anywhere."""
    if path.is_symlink():
        raise _in_the_way(path, "a link")
    if path.exists() and not path.is_dir():
        raise _in_the_way(path, "a file")


def _in_the_way(path: Path, what: str) -> MerulaError:
    return MerulaError.of(
        "M727",
        f"{path} is {what}: it is in the way",
        remedy="move it elsewhere, then publish again",
        place=str(path),
    )


def is_unfinished(out: Path) -> bool:
    """Return whether a run was ended while it moved files to their places."""
    return (out / STATE / COMMIT).is_file()


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
