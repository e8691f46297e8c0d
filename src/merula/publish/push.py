"""Uploading a published folder to the Hugging Face Hub, as one commit.

>>> from pathlib import Path
>>> files = ["README.md", "merula.json", "keys/train-00000.parquet"]
>>> plan_push(Path("data"), "owner/keys", files).of("added", "changed")  # doctest: +SKIP
(FileChange(path='README.md', size=3120, change='changed'),)
>>> push(Path("data"), "owner/keys", files).url  # doctest: +SKIP
'https://huggingface.co/datasets/owner/keys'

Each try looks at what the hub has and sends the difference, on top of the commit that it saw. So a
try after a fault repeats nothing that got through, even where only the answer was lost, and what
somebody else pushes at the same time is seen before it is replaced.
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
from merula.core.frozen import frozen
from merula.core.wording import counted
from merula.data.manifests.publication import CARD
from merula.publish.hub import (
    Hub,
    Progress,
    Remote,
    RemoteFile,
    demand_library,
    hub_of,
    quiet,
    url_of,
)
from merula.publish.hub_faults import Fault, fault_of

MESSAGE = "Publish with Merula"
TRIES = 4  # of the whole; in each, huggingface_hub repeats most calls five times
SHORTEST_WAIT = 2.0  # seconds before the second try; before each further one twice as long
LONGEST_WAIT = 301.0  # the hub counts calls over five minutes
SIGNS = "[A-Za-z0-9_.-]"
SETTINGS = ".gitattributes"  # the hub's own file
sleep = time.sleep

Change = Literal["added", "changed", "kept", "deleted", "unknown"]


@frozen
class FileChange:
    """A file of the repository and what becomes of it."""

    path: str
    size: int
    change: Change


@frozen
class Changes:
    """What becomes of the files of a repository.

    ``files`` are those of the folder, then those that are deleted. ``others`` are on the hub
    and stay as they are: Merula has not published them, or somebody has changed them since.
    """

    repo: str
    url: str
    files: tuple[FileChange, ...]
    others: tuple[str, ...]

    def of(self, *changes: Change) -> tuple[FileChange, ...]:
        """The files of which one of these becomes."""
        return tuple(file for file in self.files if file.change in changes)


@frozen
class PushPlan(Changes):
    """What a push would do.

    ``exists`` and ``private`` say whether the repository is there and what it is, or would be.
    Where that is not known ``exists`` is None, ``unknown`` says why and so does each file.
    """

    exists: bool | None
    private: bool
    unknown: str = ""


@frozen
class Pushed(Changes):
    """What a push has done.

    ``private`` is what the repository is, whatever was asked for: one that was there before
    (``created`` is false) keeps its visibility. ``commit`` is its last one.
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
    progress: Progress | None = None,
    bars: bool = False,
) -> Pushed:
    """Have the data set repository ``repo`` hold ``files`` of a folder, named from there.

    The repository is made where it is not there. Only new and changed files go, in one commit with
    the deletion of those that Merula published there and that are no longer among ``files``. So
    the repository is as it was or has all, also after Ctrl-C. Faults that may pass are waited
    for, a limited number of times. ``progress`` is told what is done and what is waited for;
    with ``bars`` huggingface_hub draws how far an upload is. Without ``token`` it is the one
    that ``hf auth login`` has stored.

    A card that was edited on the hub, and configurations there that are not in the folder, are
    given up only with ``replace``. Raises `MerulaError` (M700 to M709, M716).
    """
    demand_repo_name(repo)
    local = _local_files(folder, files)
    hub = hub_of(repo, token, endpoint)
    say = progress or _say_nothing
    job = _Job(hub, local, private, replace, message, say)
    with quiet(say, bars=bars):
        for tried in range(1, TRIES + 1):
            try:
                return job.attempt()
            except MerulaError:
                raise
            except Exception as error:
                _demand_unchanged(local)
                fault = fault_of(error, hub.token)
                if fault is None:
                    raise
                wait = fault.wait or SHORTEST_WAIT * 2 ** (tried - 1)
                if not fault.passing or tried == TRIES or wait > LONGEST_WAIT:
                    raise fault.problem(repo, hub.url) from None
            say(f"{fault.what}: trying again in {wait:.0f} s (try {tried + 1} of {TRIES})")
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
    """What `push` would do. It changes nothing and asks the hub once.

    Without a token or a connection the files of the folder are listed all the same. Raises
    `MerulaError` for the rest: no huggingface_hub, no such name, no such file (M700, M701, M708).
    """
    demand_repo_name(repo)
    local = _local_files(folder, files)
    plan = partial(PushPlan, repo, url_of(repo, endpoint))
    try:
        remote, found = _seen(local, repo, token, endpoint)
    except MerulaError as error:
        listed = tuple(FileChange(name, file.size, "unknown") for name, file in local.items())
        return plan(listed, (), None, private, error.problems[0].message)
    private = private if remote is None else remote.private
    return plan(found.files, found.others, remote is not None, private)


def _seen(
    local: Mapping[str, _LocalFile], repo: str, token: str | None, endpoint: str | None
) -> tuple[Remote | None, _Found]:
    """The repository as it is and what would become of it; whatever fails is a `MerulaError`."""
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
    """Refuse what cannot be OWNER/NAME on the hub; raises `MerulaError` (M701, M700)."""
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
    """Refuse to go on without a token that is stored; raises `MerulaError` (M702, M700)."""
    demand_library()
    hub_of("owner/name", None, None)


def _can_be_name(repo: str) -> bool:
    from huggingface_hub.utils import validate_repo_id

    if not re.fullmatch(f"{SIGNS}+/{SIGNS}+", repo):
        return False
    with suppress(ValueError):
        validate_repo_id(repo)
        return True
    return False


def _name_meant(repo: str) -> str:
    """The name that seems to be meant: without accents, blanks and the hub's address; or empty."""
    bare = re.sub(r"^(https?://)?((www\.)?huggingface\.co/|hf\.co/)?(datasets/)?", "", repo.strip())
    plain = unicodedata.normalize("NFKD", bare).encode("ascii", "ignore").decode()
    parts = [_cleaned(part) for part in plain.split("/")]
    words = [part for part in parts if part][:2]
    if len(words) == 1:
        words = [words[0], "NAME"] if parts[0] and len(parts) > 1 else ["OWNER", words[0]]
    meant = "/".join(words)
    return meant if _can_be_name(meant) else ""


def _cleaned(part: str) -> str:
    signs = re.sub(r"[^A-Za-z0-9_.-]+", "-", part.strip())
    return re.sub(r"-{2,}", "-", re.sub(r"\.{2,}", ".", signs)).removesuffix(".git").strip("-.")


# --- the folder ----------------------------------------------------------------------------------


class _LocalFile(NamedTuple):
    """A file of the folder, with what tells whether somebody has written it since."""

    path: Path
    size: int
    written: int
    inode: int


def _local_files(folder: Path, files: Iterable[str]) -> dict[str, _LocalFile]:
    """The files by their names in the repository; raises `MerulaError` (M708)."""
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
        raise MerulaError.of(
            "M708",
            f"{path} cannot be read: {error.strerror or error}",
            remedy="nothing was pushed; publish again so that the folder is complete",
            place=str(path),
        ) from error
    return _LocalFile(path, state.st_size, state.st_mtime_ns, state.st_ino)


def _demand_unchanged(local: Mapping[str, _LocalFile]) -> None:
    """Refuse files that were written or removed since they were listed (M708)."""
    for file in local.values():
        happened = _happened_to(file)
        if happened:
            raise MerulaError.of(
                "M708",
                f"{file.path} {happened} while it was pushed",
                remedy="nothing is half pushed; let what writes in the folder come to its end,"
                " then push again",
                place=str(file.path),
            )


def _happened_to(file: _LocalFile) -> str:
    try:
        state = file.path.stat()
    except OSError:
        return "went away"
    same = (state.st_size, state.st_mtime_ns, state.st_ino) == file[1:]
    return "" if same else "changed"


def _hash(path: Path, digest: Any) -> str:
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return str(digest.hexdigest())


# --- what differs --------------------------------------------------------------------------------


class _Found(NamedTuple):
    """Files and what becomes of them; what else is on the hub."""

    files: tuple[FileChange, ...]
    others: tuple[str, ...]


def _compare(local: Mapping[str, _LocalFile], remote: Remote | None, hub: Hub) -> _Found:
    """What becomes of every file of the folder and every one on the hub."""
    there = remote.files if remote is not None else {}
    files = [
        FileChange(name, file.size, _change(file, there.get(name))) for name, file in local.items()
    ]
    rest = sorted(there.keys() - local.keys() - {SETTINGS})
    known = hub.published(remote) if remote is not None and rest else {}
    stale = [name for name in rest if name in known and _is_as_published(there[name], known[name])]
    files += [FileChange(name, there[name].size, "deleted") for name in stale]
    return _Found(tuple(files), tuple(name for name in rest if name not in stale))


def _change(file: _LocalFile, there: RemoteFile | None) -> Change:
    if there is None:
        return "added"
    if there.size != file.size:
        return "changed"
    if there.sha256 is not None:
        same = _hash(file.path, hashlib.sha256()) == there.sha256
    else:
        begun = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)  # as Git does
        same = _hash(file.path, begun) == there.blob
    return "kept" if same else "changed"


def _is_as_published(there: RemoteFile, entry: Mapping[str, Any]) -> bool:
    """Whether a file is what the manifest beside it says; if not, somebody works on it there."""
    same = there.sha256 is None or there.sha256 == entry.get("sha256")
    return same and there.size == entry.get("bytes")


def _demand_ours(found: _Found, remote: Remote, hub: Hub) -> None:
    """Refuse to give up what others wrote there, or rely on (M716)."""
    changes = {file.path: file.change for file in found.files}
    notes = []
    if changes.get(CARD) == "changed":
        known = hub.published(remote).get(CARD, {}).get("sha256")
        if hashlib.sha256(hub.content(remote, CARD)).hexdigest() != known:
            notes.append(f"its {CARD} was not written by Merula, or edited there")
    here = {PurePosixPath(name).parts[0] for name, kind in changes.items() if kind != "deleted"}
    there = {PurePosixPath(name).parts[0] for name in changes if name.endswith(".parquet")}
    notes += [f"the configuration {name} is there and not here" for name in sorted(there - here)]
    if notes:
        raise MerulaError.of(
            "M716",
            f"{hub.repo} holds what pushing would lose",
            remedy="push to another repository; or put what was edited into a template of your own"
            " (--template); or add --replace, if nobody relies on what is there",
            notes=notes,
            place=hub.url,
        )


# --- the work ------------------------------------------------------------------------------------


@dataclass
class _Job:
    """A push over all its tries; what an earlier try may have done counts in the next."""

    hub: Hub
    local: dict[str, _LocalFile]
    private: bool
    replace: bool
    message: str
    say: Progress
    created: bool = False
    sent: _Found | None = None

    def attempt(self) -> Pushed:
        """Send what differs; raises `MerulaError` and what huggingface_hub raises."""
        remote = self.hub.state() or self.make()
        found = _compare(self.local, remote, self.hub)
        commit = remote.head or ""
        if any(file.change != "kept" for file in found.files):
            if not self.replace:
                _demand_ours(found, remote, self.hub)
            self.sent = found
            commit = self.send(found, remote.head)
        # Nothing left to send after a try that failed: it was only its answer that was lost.
        files, others = self.sent or found
        return Pushed(
            self.hub.repo, self.hub.url, files, others, commit, remote.private, self.created
        )

    def make(self) -> Remote:
        """Make the repository."""
        self.say(f"making the {'private' if self.private else 'public'} data set {self.hub.repo}")
        self.created = True
        self.hub.create(private=self.private)
        remote = self.hub.state()
        if remote is None:  # there is one that is none of data, or that the token must not see
            raise Fault(409, "taken").problem(self.hub.repo, self.hub.url)
        return remote

    def send(self, found: _Found, parent: str | None) -> str:
        """Make the commit; gives its hash."""
        adds = [file for file in found.files if file.change in ("added", "changed")]
        deletes = [file.path for file in found.files if file.change == "deleted"]
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
    number = float(sum(file.size for file in files))
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
