"""Upload a published folder to the Hugging Face Hub, as one commit.

>>> from pathlib import Path
>>> files = ["README.md", "merula.json", "keys/train-00000.parquet"]
>>> plan_push(Path("data"), "owner/keys", files).of("added", "changed")  # doctest: +SKIP
(FileChange(path='README.md', size=3120, change='changed'),)
>>> push(Path("data"), "owner/keys", files).url  # doctest: +SKIP
'https://huggingface.co/datasets/owner/keys'

In: a folder, the files in it that belong to the data set, the name of a repository. Out: `Pushed`,
or a `PushPlan` of what would be done. ``merula publish --push`` calls both.

Each try asks what the hub has and sends the difference, on top of the commit that it saw. So a try
after a fault does not repeat what got through, even where only the answer was lost, and what
somebody else pushes at the same time is seen before it is replaced. Files are compared by content,
never by size alone. A file that somebody wrote or edited on the hub is not deleted, and replaced
only if the user says so.
"""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from merula.core.diagnostics import MerulaError
from merula.core.files import unreadable
from merula.core.frozen import frozen
from merula.core.wording import counted
from merula.data.manifests.publication import PUBLICATION
from merula.publish.hub.faults import HubFault, fault_of
from merula.publish.hub.repository import (
    Hub,
    Remote,
    RemoteFile,
    Say,
    demand_library,
    hub_of,
    quiet,
    url_of,
)

MESSAGE = "Publish with Merula"
MAX_TRIES = 4  # of the whole push; in each, huggingface_hub repeats most calls five times
FIRST_WAIT_SECONDS = 2.0  # before the second try; before each further one twice as long
MAX_WAIT_SECONDS = 301.0  # the hub counts calls over five minutes; users wait longer themselves
BLOCK_BYTES = 1 << 20  # of a file that are read at once to hash it
NAME_CHARACTERS = "[A-Za-z0-9_.-]"  # of OWNER and of NAME
HUB_SETTINGS = ".gitattributes"  # the hub writes it itself
sleep = time.sleep

Change = Literal["added", "changed", "kept", "deleted", "unknown"]


@frozen
class FileChange:
    """A file of the repository, its size in bytes, and what becomes of it."""

    path: str
    size: int
    change: Change


@frozen
class Changes:
    """The files of a repository, and what becomes of them.

    ``files`` are those of the folder, then those that are deleted. ``others`` are on the hub and
    stay: Merula has not published them, or somebody has changed them since.
    """

    repo: str
    url: str
    files: tuple[FileChange, ...]
    others: tuple[str, ...]

    def of(self, *changes: Change) -> tuple[FileChange, ...]:
        """Return the files with one of these changes."""
        return tuple(file for file in self.files if file.change in changes)


@frozen
class PushPlan(Changes):
    """The changes that a push would make.

    ``private`` says whether the repository is private, or would be. ``exists`` is None where the
    hub did not answer; ``unknown`` then says why, and the change of each file is ``"unknown"``.
    """

    exists: bool | None
    private: bool
    unknown: str = ""


@frozen
class Pushed(Changes):
    """The changes that a push has made.

    ``private`` says whether the repository is private now: one that was there before (``created``
    is false) keeps its visibility, whatever was asked for. ``commit`` is the hash of its last
    commit.
    """

    commit: str
    private: bool
    created: bool


def push(
    folder: Path,
    repo: str,
    files: Sequence[str],
    *,
    private: bool = True,
    token: str | None = None,
    replace: bool = False,
    message: str = MESSAGE,
    endpoint: str | None = None,
    progress: Say | None = None,
    bars: bool = False,
) -> Pushed:
    """Upload files of a folder to the data set repository ``repo``, which is made if need be.

    ``files`` are paths from the folder. Only new and changed files are sent, in one commit that
    also deletes what Merula published there and is not among ``files`` any more. So the repository
    is as it was or has all, also after Ctrl-C. After a fault that may pass, the push waits and
    tries again, `MAX_TRIES` times in all. ``progress`` is called with a line about each step and
    each wait; with ``bars`` huggingface_hub draws how far an upload is. If ``token`` is None, the
    one that ``hf auth login`` has stored is taken.

    Files that were edited on the hub, and configurations that are there and not in the folder, are
    replaced or deleted only with ``replace``. Raises `MerulaError` (M700 to M709, M716).
    """
    demand_repo_name(repo)
    local = _local_files(folder, files)
    hub = hub_of(repo, token, endpoint)
    say = progress or _say_nothing
    attempts = _Attempts(hub, local, private, replace, message, say)
    with quiet(say, bars=bars):
        for tries in range(1, MAX_TRIES + 1):
            try:
                return attempts.attempt()
            except MerulaError:
                raise
            except Exception as error:
                _demand_unchanged(local)
                fault = fault_of(error, hub.token)
                if fault is None:
                    raise
                wait = fault.wait or FIRST_WAIT_SECONDS * 2 ** (tries - 1)
                if not fault.passing or tries == MAX_TRIES or wait > MAX_WAIT_SECONDS:
                    raise fault.problem(repo, hub.url) from None
            say(f"{fault.what}: trying again in {wait:.0f} s (try {tries + 1} of {MAX_TRIES})")
            sleep(wait)
    raise AssertionError("the last try returns or raises")


def plan_push(
    folder: Path,
    repo: str,
    files: Sequence[str],
    *,
    private: bool = True,
    token: str | None = None,
    endpoint: str | None = None,
) -> PushPlan:
    """Return what `push` would do, without changing anything; the hub is asked once.

    Without a token or a connection the files of the folder are listed all the same. Raises
    `MerulaError` where huggingface_hub is missing, the name is not one, or a file is not there
    (M700, M701, M708).
    """
    demand_repo_name(repo)
    local = _local_files(folder, files)
    plan = partial(PushPlan, repo, url_of(repo, endpoint))
    try:
        remote, comparison = _seen(local, repo, token, endpoint)
    except MerulaError as error:
        unknown = tuple(FileChange(name, file.size, "unknown") for name, file in local.items())
        return plan(unknown, (), None, private, error.problems[0].message)
    private = private if remote is None else remote.private
    return plan(comparison.files, comparison.others, remote is not None, private)


def _seen(
    local: Mapping[str, _LocalFile], repo: str, token: str | None, endpoint: str | None
) -> tuple[Remote | None, _Comparison]:
    """Return the repository as it is and what would become of it; raises `MerulaError`."""
    hub = hub_of(repo, token, endpoint)
    with quiet(_say_nothing, bars=False):
        try:
            remote = hub.state()
            return remote, _compare(local, remote, hub)
        except Exception as error:
            fault = fault_of(error, hub.token)
            if fault is None:
                raise
            raise fault.problem(repo, hub.url) from None


def _say_nothing(text: str) -> None:
    del text


# --- names ---------------------------------------------------------------------------------------


def demand_repo_name(repo: str) -> None:
    """Raise `MerulaError` unless ``repo`` can be OWNER/NAME on the hub (M701, M700)."""
    demand_library()
    if _can_be_name(repo):
        return
    meant = _name_meant(repo)
    raise MerulaError.of(
        "M701",
        f"`{repo}` cannot be the name of a repository on the hub",
        remedy="name the owner (you, or an organisation) and the data set, in letters without"
        " accents, digits, `-`, `_` and `.`, such as " + (meant or "OWNER/NAME"),
    )


def demand_token() -> None:
    """Raise `MerulaError` unless a token is stored (M702, M700)."""
    demand_library()
    hub_of("owner/name", None, None)


def _can_be_name(repo: str) -> bool:
    from huggingface_hub.utils import validate_repo_id

    if not re.fullmatch(f"{NAME_CHARACTERS}+/{NAME_CHARACTERS}+", repo):
        return False
    with suppress(ValueError):
        validate_repo_id(repo)
        return True
    return False


def _name_meant(repo: str) -> str:
    """Return the name that seems to be meant, without accents, blanks and address; or nothing."""
    bare = re.sub(r"^(https?://)?((www\.)?huggingface\.co/|hf\.co/)?(datasets/)?", "", repo.strip())
    plain = unicodedata.normalize("NFKD", bare).encode("ascii", "ignore").decode()
    parts = [_cleaned(part) for part in plain.split("/")]
    words = [part for part in parts if part][:2]
    if len(words) == 1:
        words = [words[0], "NAME"] if parts[0] and len(parts) > 1 else ["OWNER", words[0]]
    meant = "/".join(words)
    return meant if _can_be_name(meant) else ""


def _cleaned(part: str) -> str:
    allowed = re.sub(r"[^A-Za-z0-9_.-]+", "-", part.strip())
    return re.sub(r"-{2,}", "-", re.sub(r"\.{2,}", ".", allowed)).removesuffix(".git").strip("-.")


# --- the folder ----------------------------------------------------------------------------------


class _LocalFile(NamedTuple):
    """A file of the folder, with what tells whether somebody has written it since."""

    path: Path
    size: int  # in bytes
    written: int  # in nanoseconds
    inode: int


def _local_files(folder: Path, files: Iterable[str]) -> dict[str, _LocalFile]:
    """Return the files by their names in the repository; raises `MerulaError` (M708)."""
    return {name: _local_file(folder, name) for name in dict.fromkeys(files)}


def _local_file(folder: Path, name: str) -> _LocalFile:
    inner = PurePosixPath(name)
    if inner.is_absolute() or ".." in inner.parts:
        raise ValueError(f"files of a folder are named from there, not {name!r}")
    path = folder / inner
    try:
        with path.open("rb"):
            state = path.stat()
    except OSError as error:
        remedy = "nothing was pushed; publish again so that the folder is complete"
        raise unreadable("M708", path, error, remedy) from error
    return _LocalFile(path, state.st_size, state.st_mtime_ns, state.st_ino)


def _demand_unchanged(local: Mapping[str, _LocalFile]) -> None:
    """Raise `MerulaError` where a file was written or removed since it was listed (M708)."""
    for file in local.values():
        event = _event(file)
        if event:
            raise MerulaError.of(
                "M708",
                f"{file.path} {event} while it was pushed",
                remedy="the repository is as it was; let what writes in the folder come to its end,"
                " then push again",
                place=str(file.path),
            )


def _event(file: _LocalFile) -> str:
    """Say what has happened to a file since it was listed; empty if nothing has."""
    try:
        state = file.path.stat()
    except OSError:
        return "went away"
    same = (state.st_size, state.st_mtime_ns, state.st_ino) == file[1:]
    return "" if same else "changed"


def _hash(path: Path, digest: Any) -> str:
    with path.open("rb") as stream:
        while block := stream.read(BLOCK_BYTES):
            digest.update(block)
    return str(digest.hexdigest())


# --- what differs --------------------------------------------------------------------------------


class _Comparison(NamedTuple):
    """The files of a folder and of the repository: what becomes of each, and what stays there."""

    files: tuple[FileChange, ...]
    others: tuple[str, ...]


def _compare(local: Mapping[str, _LocalFile], remote: Remote | None, hub: Hub) -> _Comparison:
    """Say what becomes of every file of the folder and of every file on the hub."""
    on_hub = remote.files if remote is not None else {}
    files = [
        FileChange(name, file.size, _change(file, on_hub.get(name))) for name, file in local.items()
    ]
    rest = sorted(on_hub.keys() - local.keys() - {HUB_SETTINGS})
    if remote is None or not rest:
        return _Comparison(tuple(files), ())
    published = hub.published(remote)
    stale = [
        name
        for name in rest
        if name in published and _is_as_published(name, published[name], remote, hub)
    ]
    files += [FileChange(name, on_hub[name].size, "deleted") for name in stale]
    return _Comparison(tuple(files), tuple(name for name in rest if name not in stale))


def _change(file: _LocalFile, on_hub: RemoteFile | None) -> Change:
    """Compare a file with that on the hub: by size, then by the hash that the hub has of it.

    Of a file in large storage that is the SHA-256 of its content; its ``blob`` is the hash of the
    pointer that Git has in its place. Of any other file it is Git's own hash: the SHA-1 of
    ``blob SIZE``, a zero byte, and the content.
    """
    if on_hub is None:
        return "added"
    if on_hub.size != file.size:
        return "changed"
    if on_hub.sha256 is not None:
        same = _hash(file.path, hashlib.sha256()) == on_hub.sha256
    else:
        begun = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
        same = _hash(file.path, begun) == on_hub.blob
    return "kept" if same else "changed"


def _is_as_published(name: str, entry: Mapping[str, Any], remote: Remote, hub: Hub) -> bool:
    """Whether a file on the hub is what the manifest there says; if not, somebody has edited it."""
    if remote.files[name].size != entry.get("bytes"):
        return False
    return hub.sha256(remote, name) == entry.get("sha256")


def _edited(names: Sequence[str], remote: Remote, hub: Hub) -> list[str]:
    """Return the files that are not as Merula published them; its own manifest is never edited."""
    names = [name for name in names if name != PUBLICATION]
    published = hub.published(remote) if names else {}
    return [
        name
        for name in names
        if name not in published or not _is_as_published(name, published[name], remote, hub)
    ]


def _demand_ours(comparison: _Comparison, remote: Remote, hub: Hub) -> None:
    """Raise `MerulaError` where a push would lose what people wrote there, or rely on (M716)."""
    changes = {file.path: file.change for file in comparison.files}
    edited = _edited([name for name, change in changes.items() if change == "changed"], remote, hub)
    notes = [f"its {name} was not written by Merula, or edited there" for name in edited]
    local = {PurePosixPath(name).parts[0] for name, kind in changes.items() if kind != "deleted"}
    of_data = {PurePosixPath(name).parts[0] for name in changes if name.endswith(".parquet")}
    notes += [f"the configuration {name} is there and not here" for name in sorted(of_data - local)]
    if notes:
        raise MerulaError.of(
            "M716",
            f"{hub.repo} holds what pushing would lose",
            remedy="push to another repository; or make the edits here as well, those of the card"
            " in a template of your own (--template); or add --replace, if nobody relies on what"
            " is there",
            notes=notes,
            place=hub.url,
        )


# --- the tries -----------------------------------------------------------------------------------


@dataclass
class _Attempts:
    """A push over all its tries; what an earlier try may have done counts in the next."""

    hub: Hub
    local: dict[str, _LocalFile]
    private: bool
    replace: bool
    message: str
    say: Say
    created: bool = False
    sent: _Comparison | None = None

    def attempt(self) -> Pushed:
        """Send what differs; raises `MerulaError` and what huggingface_hub raises."""
        remote = self.hub.state() or self.make()
        comparison = _compare(self.local, remote, self.hub)
        commit = remote.head or ""
        if any(file.change != "kept" for file in comparison.files):
            if not self.replace:
                _demand_ours(comparison, remote, self.hub)
            self.sent = comparison
            commit = self.send(comparison, remote.head)
        # Nothing is left to send after a try that failed: only its answer was lost.
        files, others = self.sent or comparison
        return Pushed(
            self.hub.repo, self.hub.url, files, others, commit, remote.private, self.created
        )

    def make(self) -> Remote:
        """Make the repository."""
        self.say(f"making the {'private' if self.private else 'public'} data set {self.hub.repo}")
        self.created = True
        self.hub.create(private=self.private)
        remote = self.hub.state()
        if remote is None:  # the name is that of a model, or of what the token must not see
            raise HubFault(409, "taken").problem(self.hub.repo, self.hub.url)
        return remote

    def send(self, comparison: _Comparison, parent: str | None) -> str:
        """Make the commit and return its hash."""
        adds = [file for file in comparison.files if file.change in ("added", "changed")]
        deletes = [file.path for file in comparison.files if file.change == "deleted"]
        parts = [f"sending {_counted(adds)} ({_size(adds)})"] if adds else []
        parts += [f"deleting {len(deletes):,} that Merula published before"] if deletes else []
        self.say(", ".join(parts))
        return self.hub.commit(
            {file.path: self.local[file.path].path for file in adds},
            deletes,
            message=self.message,
            parent=parent,
            ready=partial(_demand_unchanged, self.local),
        )


def _counted(files: Sequence[FileChange]) -> str:
    return counted(len(files), "file")


def _size(files: Sequence[FileChange]) -> str:
    """Write the size of files in the unit that suits it.

    >>> _size([FileChange("a", 999, "added")]), _size([FileChange("b", 1_500_000, "added")])
    ('999 bytes', '1.5 MB')
    """
    size = float(sum(file.size for file in files))
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
