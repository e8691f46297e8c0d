"""A data set repository on the Hugging Face Hub: what it holds, and a commit on top of that.

This is the one place that speaks with huggingface_hub, which is imported when it is needed.
"""

from __future__ import annotations

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
TAKEN = 409
ANSWER = 60.0  # seconds in which the hub tells of a repository

Progress = Callable[[str], None]


class RemoteFile(NamedTuple):
    """A file on the hub: Git's hash of it, or of what stands for it, and that of large storage."""

    size: int
    blob: str
    sha256: str | None


@dataclass(frozen=True)
class Remote:
    """A repository as it was seen; ``head`` is its last commit, None where there is none."""

    head: str | None
    private: bool
    files: dict[str, RemoteFile]


@dataclass(frozen=True)
class Hub:
    """A repository, whether it is there or not, as somebody with this token may use it.

    Its methods raise what huggingface_hub raises (`merula.publish.hub_faults.fault_of`).
    """

    api: Any
    token: str = field(repr=False)
    repo: str
    url: str

    def state(self) -> Remote | None:
        """What the repository holds; None where the token can see none."""
        from huggingface_hub.utils import RepositoryNotFoundError

        try:
            info = self.api.dataset_info(self.repo, timeout=ANSWER)
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
        """Make the repository; nothing happens where the name is taken, be it by another push."""
        from huggingface_hub.utils import HfHubHTTPError

        try:
            self.api.create_repo(self.repo, repo_type="dataset", private=private)
        except HfHubHTTPError as error:
            if error.response.status_code != TAKEN:
                raise

    def published(self, remote: Remote) -> dict[str, Mapping[str, Any]]:
        """What the manifest there says that Merula has published: entries by path.

        The manifest may be of another version, so only the places of files are read. One that is
        not understood says nothing.
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
        """What stands in a small file."""
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, http_backoff

        address = f"{self.url}/resolve/{remote.head}/{name}"
        answer = http_backoff("GET", address, headers=build_hf_headers(token=self.token))
        hf_raise_for_status(answer)
        return bytes(answer.content)

    def commit(
        self,
        adds: Mapping[str, Path],
        deletes: Iterable[str],
        *,
        message: str,
        parent: str | None,
        ready: Callable[[], None],
    ) -> str:
        """Make one commit on top of ``parent`` and give its hash.

        ``ready`` is called when large files are there and only the commit itself is to come.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        files = [CommitOperationAdd(name, path) for name, path in adds.items()]
        # Given no patterns, the hub does not leave out in silence what a .gitignore there names.
        self.api.preupload_lfs_files(
            self.repo, files, repo_type="dataset", gitignore_content="", free_memory=False
        )
        ready()
        gone = [CommitOperationDelete(name, is_folder=False) for name in deletes]
        made = self.api.create_commit(
            self.repo,
            [*files, *gone],
            commit_message=message,
            repo_type="dataset",
            parent_commit=parent,
        )
        return str(made.oid)


def demand_library() -> None:
    """Refuse to go on without huggingface_hub (M700)."""
    if find_spec("huggingface_hub") is None:
        raise MerulaError.of(
            "M700",
            "the hub needs the package huggingface_hub, which is not installed",
            remedy=INSTALL,
        )


def hub_of(repo: str, token: str | None, endpoint: str | None) -> Hub:
    """The repository with this token, or the one that is stored; raises `MerulaError` (M702)."""
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
    """The address of the repository's page."""
    from huggingface_hub import constants

    return f"{(endpoint or constants.ENDPOINT).rstrip('/')}/datasets/{repo}"


# --- what huggingface_hub prints -----------------------------------------------------------------


class _Waits(logging.Handler):
    """Tells that huggingface_hub waits; its own words would show signed addresses."""

    def __init__(self, say: Progress) -> None:
        super().__init__()
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of the wait, if the record is about one."""
        wait = re.search(r"(?:Waiting|Retrying in) ([\d.]+) ?s", record.getMessage())
        if wait:
            self.say(f"the hub is busy or out of reach: trying again in {float(wait[1]):.0f} s")


@contextmanager
def quiet(say: Progress, *, bars: bool) -> Iterator[None]:
    """Have huggingface_hub print nothing, save its bars if wanted; what matters is told."""
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
