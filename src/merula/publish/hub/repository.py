"""A data set repository on the Hugging Face Hub: what it holds, and a commit on top of that.

In: the name of a repository and a token. Out: its files with their hashes, or a new commit. `push`
calls it. Only this module calls huggingface_hub, which is imported when it is needed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from merula.core.diagnostics import MerulaError
from merula.core.resources import install
from merula.data.manifests.publication import PUBLICATION

INSTALL = install("hf")
TAKEN = 409  # the answer where a repository of this name exists
ANSWER_SECONDS = 60.0  # in which the hub has to tell of a repository; mostly it takes one

Say = Callable[[str], None]  # called with a line for the user


class RemoteFile(NamedTuple):
    """A file on the hub.

    ``sha256`` is of its content; the hub has it only of files in large storage. ``blob`` is Git's
    hash: of the content, or of the pointer to large storage.
    """

    size: int  # in bytes
    blob: str
    sha256: str | None


@dataclass(frozen=True)
class Remote:
    """A repository as it was when the hub was asked; ``head`` is its last commit, if it has one."""

    head: str | None
    private: bool
    files: dict[str, RemoteFile]


@dataclass(frozen=True)
class Hub:
    """A repository that may exist, as somebody with this token may use it.

    Its methods raise what huggingface_hub raises (`merula.publish.hub.faults.fault_of`).
    """

    api: Any
    token: str = field(repr=False)
    repo: str
    url: str

    def state(self) -> Remote | None:
        """Return what the repository holds; None where the token cannot see one."""
        from huggingface_hub.utils import RepositoryNotFoundError

        try:
            info = self.api.dataset_info(self.repo, timeout=ANSWER_SECONDS)
        except RepositoryNotFoundError as error:
            if error.response.status_code != 404:  # 401: the token is not accepted
                raise
            return None
        return Remote(info.sha, bool(info.private), self._files(info.sha) if info.sha else {})

    def _files(self, commit: str) -> dict[str, RemoteFile]:
        tree = self.api.list_repo_tree(
            self.repo, recursive=True, revision=commit, repo_type="dataset"
        )
        return {
            entry.path: RemoteFile(
                entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None
            )
            for entry in tree
            if hasattr(entry, "blob_id")  # folders have none
        }

    def create(self, *, private: bool) -> None:
        """Make the repository; nothing happens if the name is taken, perhaps by another push."""
        from huggingface_hub.utils import HfHubHTTPError

        try:
            self.api.create_repo(self.repo, repo_type="dataset", private=private)
        except HfHubHTTPError as error:
            if error.response.status_code != TAKEN:
                raise

    def published(self, remote: Remote) -> dict[str, Mapping[str, Any]]:
        """Return the entries of files in the manifest there, by path.

        The manifest may be of another version of Merula, so nothing else of it is read. If it is
        missing or cannot be understood there are none.
        """
        if PUBLICATION not in remote.files:
            return {}
        try:
            manifest = json.loads(self.content(remote, PUBLICATION))
            splits = [split for config in manifest["configs"] for split in config["splits"]]
            entries = [*(file for split in splits for file in split["files"]), *manifest["others"]]
            return {entry["file"]: entry for entry in entries if isinstance(entry["file"], str)}
        except (KeyError, TypeError, ValueError):
            return {}

    def content(self, remote: Remote, name: str) -> bytes:
        """Fetch a file; the hub keeps files outside large storage below 10 MB."""
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, http_backoff

        address = f"{self.url}/resolve/{remote.head}/{name}"
        answer = http_backoff("GET", address, headers=build_hf_headers(token=self.token))
        hf_raise_for_status(answer)
        return bytes(answer.content)

    def sha256(self, remote: Remote, name: str) -> str:
        """Return the SHA-256 of a file; it is fetched if the hub has only another hash of it."""
        known = remote.files[name].sha256
        return known or hashlib.sha256(self.content(remote, name)).hexdigest()

    def commit(
        self,
        adds: Mapping[str, Path],
        deletes: Iterable[str],
        *,
        message: str,
        parent: str | None,
        ready: Callable[[], None],
    ) -> str:
        """Make one commit on top of ``parent`` and return its hash.

        ``ready`` is called when all large files are uploaded and only the commit is left to do.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        files = [CommitOperationAdd(name, path) for name, path in adds.items()]
        # Without this the hub silently leaves out what a .gitignore there names.
        self.api.preupload_lfs_files(
            self.repo, files, repo_type="dataset", gitignore_content="", free_memory=False
        )
        ready()
        deletions = [CommitOperationDelete(name, is_folder=False) for name in deletes]
        commit = self.api.create_commit(
            self.repo,
            [*files, *deletions],
            commit_message=message,
            repo_type="dataset",
            parent_commit=parent,
        )
        return str(commit.oid)


def demand_library() -> None:
    """Raise `MerulaError` unless huggingface_hub is installed (M700)."""
    if find_spec("huggingface_hub") is None:
        raise MerulaError.of(
            "M700",
            "the hub needs the package huggingface_hub, which is not installed",
            remedy=INSTALL,
        )


def hub_of(repo: str, token: str | None, endpoint: str | None) -> Hub:
    """Return a repository with this token, or the stored one; raises `MerulaError` (M702)."""
    from huggingface_hub import HfApi, get_token

    token = token or get_token()
    if not token:
        raise MerulaError.of(
            "M702",
            "there is no token for the hub",
            remedy="`hf auth login` asks for one once and keeps it; give it the right to write",
        )
    return Hub(HfApi(endpoint=endpoint, token=token), token, repo, url_of(repo, endpoint))


def url_of(repo: str, endpoint: str | None) -> str:
    """Return the address of the repository's page."""
    from huggingface_hub import constants

    return f"{(endpoint or constants.ENDPOINT).rstrip('/')}/datasets/{repo}"


# --- what huggingface_hub prints -----------------------------------------------------------------


class _Waits(logging.Handler):
    """Tells that huggingface_hub waits, whose own words would show signed addresses."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of the wait, if the record is about one."""
        wait = re.search(r"(?:Waiting|Retrying in) ([\d.]+) ?s", record.getMessage())
        if wait:
            self.say(f"the hub is busy or out of reach: trying again in {float(wait[1]):.0f} s")


@contextmanager
def quiet(say: Say, *, bars: bool) -> Iterator[None]:
    """Keep huggingface_hub from printing, but for its bars if wanted; tell what matters."""
    from huggingface_hub.utils import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    hide = not bars and not are_progress_bars_disabled()
    with warnings.catch_warnings(record=True) as warned, _logging_to(_Waits(say)):
        warnings.simplefilter("always")
        if hide:
            disable_progress_bars()
        try:
            yield
        finally:
            if hide:
                enable_progress_bars()
    for text in dict.fromkeys(str(warning.message) for warning in warned):
        if "README.md" in text:  # what the hub says of the card
            say(" ".join(text.split()))


@contextmanager
def _logging_to(handler: logging.Handler) -> Iterator[None]:
    library = logging.getLogger("huggingface_hub")
    calls = logging.getLogger("huggingface_hub.utils._http")
    before = library.level, calls.level, calls.propagate
    library.setLevel(logging.ERROR)
    calls.setLevel(logging.WARNING)
    calls.propagate = False
    calls.addHandler(handler)
    try:
        yield
    finally:
        calls.removeHandler(handler)
        library.setLevel(before[0])
        calls.setLevel(before[1])
        calls.propagate = before[2]
