"""A small hub on this machine: what pushing asks of the Hugging Face Hub, with faults on demand.

It knows data set repositories with their commits, files in Git and in large storage (in one part or
several), tokens that may write for an owner, and private repositories. ``Hub.fault`` has a call
fail: ``drop`` breaks off while the request is read, ``lost`` does what is asked and then gives no
answer, and a number is the status of the answer.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

Fault = str | int
FIRST = "0" * 39 + "1"
ADDRESS = "https://huggingface.co/datasets"  # some versions of the library understand no other
TEXT = (".md", ".json", ".merula", ".csv", ".tsv", ".txt", ".gitignore", ".gitattributes")


# What Git keeps of a file in large storage: the hub's ``oid`` of that file is of this text.
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class File:
    """A file of a repository; ``large`` ones are in large storage."""

    content: bytes
    large: bool = False

    def listed(self, path: str) -> dict[str, Any]:
        """Return its entry in a list: a SHA-256 of its content comes with large files only."""
        entry = {"type": "file", "path": path, "size": len(self.content)}
        if not self.large:
            return {**entry, "oid": git_hash(self.content)}
        sha256 = hashlib.sha256(self.content).hexdigest()
        pointer = POINTER.format(sha256, len(self.content)).encode()
        storage = {"oid": sha256, "size": len(self.content), "pointerSize": len(pointer)}
        return {**entry, "oid": git_hash(pointer), "lfs": storage}


@dataclass
class Repository:
    """Its commits, the first one made by the hub itself."""

    private: bool
    commits: list[tuple[str, str, dict[str, File]]] = field(default_factory=list)

    @property
    def head(self) -> str:
        return self.commits[-1][0]

    @property
    def files(self) -> dict[str, File]:
        return self.commits[-1][2]

    def at(self, revision: str) -> dict[str, File]:
        known = {commit: files for commit, _, files in self.commits}
        return self.files if revision == "main" else known[revision]

    def commit(self, message: str, files: dict[str, File]) -> str:
        number = hashlib.sha1(f"{len(self.commits)} {message}".encode()).hexdigest()
        self.commits.append((number, message, files))
        return number

    def contents(self) -> dict[str, bytes]:
        """Its files, without the hub's own."""
        return {path: file.content for path, file in self.files.items() if path != ".gitattributes"}


class Answer(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str = "", code: str = "") -> None:
        super().__init__(status)
        self.status, self.message, self.code = status, message, code


@dataclass
class Hub:
    """The state of the server, and what it is told to do wrong."""

    url: str = ""
    tokens: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the owners to write for
    repositories: dict[str, Repository] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # names of something else
    storage: dict[str, bytes] = field(default_factory=dict)
    part_size: int | None = None  # of files in large storage; None takes them in one part
    page_size: int = 1000
    calls: list[str] = field(default_factory=list)
    retry_after: str | None = None
    refuse_card: str = ""
    before: Callable[[str], None] | None = None  # is given every call, before it is done
    faults: dict[int, Fault] = field(default_factory=dict)
    lasting: tuple[str, Fault] | None = None
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def fault(self, call: int, fault: Fault) -> None:
        """Have the call of this number fail; the first one to come is 0."""
        self.faults[len(self.calls) + call] = fault

    def always(self, pattern: str, fault: Fault) -> None:
        """Have every call like this fail, ``METHOD /path``."""
        self.lasting = (pattern, fault)

    def heal(self) -> None:
        self.faults.clear()
        self.lasting = None

    def repository(self, name: str) -> Repository:
        if name not in self.repositories:
            raise Answer(404, "Repository not found", "RepoNotFound")
        return self.repositories[name]

    def make(
        self, name: str, *, private: bool = True, files: dict[str, bytes] | None = None
    ) -> Repository:
        """A repository as the hub makes it, with its own first file, and some of a user."""
        own = File(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")
        there = {path: File(content) for path, content in (files or {}).items()}
        made = Repository(private, [(FIRST, "initial commit", {".gitattributes": own, **there})])
        self.repositories[name] = made
        return made

    def next_fault(self, call: str) -> Fault | None:
        with self.lock:
            number = len(self.calls)
            self.calls.append(call)
        if self.lasting and re.search(self.lasting[0], call):
            return self.lasting[1]
        return self.faults.pop(number, None)


class Handler(BaseHTTPRequestHandler):
    """One call."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body of an answer go together
    hub: Hub
    body: bytes

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (ConnectionError, ValueError):  # the other side went, or a dropped call
            self.close_connection = True

    def call(self) -> None:
        self.path, _, query = self.path.partition("?")
        self.query = parse_qs(query)
        call = f"{self.command} {self.path}"
        if self.hub.before:
            self.hub.before(call)
        fault = self.hub.next_fault(call)
        length = int(self.headers.get("content-length") or 0)
        self.body = self.rfile.read(length // 2 if fault == "drop" else length)
        if fault == "drop":
            return self.hang_up()
        if isinstance(fault, int):
            return self.send(fault, b"<html>not now</html>", "text/html", self.waiting(fault))
        try:
            with self.hub.lock:
                answer = self.route()
        except Answer as bad:
            if fault == "lost":
                return self.hang_up()
            return self.refuse(bad)
        if fault == "lost":
            return self.hang_up()
        if isinstance(answer, bytes):
            return self.send(200, answer, "application/octet-stream", self.extra)
        return self.send(200, json.dumps(answer).encode(), "application/json", self.extra)

    do_GET = do_POST = do_PUT = do_HEAD = call  # noqa: N815

    def waiting(self, status: int) -> dict[str, str]:
        after = self.hub.retry_after
        return {"Retry-After": after} if after and status in (429, 503) else {}

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def send(self, status: int, body: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": kind, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, bad: Answer) -> None:
        headers = {"X-Error-Message": bad.message, "X-Error-Code": bad.code}
        told = {name: value for name, value in headers.items() if value}
        errors = {"error": bad.message, "errors": [{"message": bad.message}], "warnings": []}
        self.send(bad.status, json.dumps(errors).encode(), "application/json", told)

    # --- what is asked ---------------------------------------------------------------------------

    def route(self) -> Any:
        self.extra: dict[str, str] = {}
        for method, pattern, step in ROUTES:
            found = re.fullmatch(pattern, self.path)
            if method == self.command and found:
                return step(self, *(unquote(part) for part in found.groups()))
        raise Answer(404, f"this hub knows no {self.command} {self.path}")

    def owners(self) -> tuple[str, ...]:
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.hub.tokens:
            raise Answer(401, "Invalid credentials in Authorization header")
        return self.hub.tokens[token]

    def may_write(self, name: str) -> Repository:
        found = self.may_read(name)
        if name.split("/", maxsplit=1)[0] not in self.owners():
            raise Answer(403, "You don't have the right to write to this repository")
        return found

    def may_read(self, name: str) -> Repository:
        found = self.hub.repository(name)
        if found.private and name.split("/", maxsplit=1)[0] not in self.owners():
            raise Answer(404, "Repository not found", "RepoNotFound")
        return found

    def create(self) -> Any:
        asked = json.loads(self.body)
        name = f"{asked['organization']}/{asked['name']}"
        if asked["organization"] not in self.owners():
            raise Answer(403, f"You don't have the rights to create a dataset under {name}")
        if name in self.hub.repositories or name in self.hub.taken:
            raise Answer(409, "You already created this dataset repo")
        private = asked.get("visibility") == "private" or asked.get("private") is True
        self.hub.make(name, private=private)
        return {"url": f"{ADDRESS}/{name}", "name": name}

    def info(self, name: str) -> Any:
        self.owners()
        found = self.may_read(name)
        return {"id": name, "sha": found.head, "private": found.private, "siblings": []}

    def tree(self, name: str, revision: str) -> Any:
        files = sorted(self.may_read(name).at(revision).items())
        start = int(self.query.get("cursor", ["0"])[0])
        stop = start + self.hub.page_size
        if stop < len(files):
            page = f"{self.hub.url}{self.path}?recursive=True&cursor={stop}"
            self.extra = {"Link": f'<{page}>; rel="next"'}
        return [file.listed(path) for path, file in files[start:stop]]

    def resolve(self, name: str, revision: str, path: str) -> bytes:
        files = self.may_read(name).at(revision)
        if path not in files:
            raise Answer(404, "Entry not found", "EntryNotFound")
        return files[path].content

    def check_card(self) -> Any:
        if self.hub.refuse_card:
            raise Answer(400, self.hub.refuse_card)
        return {"errors": [], "warnings": []}

    def preupload(self, name: str, revision: str) -> Any:
        files, asked = self.may_write(name).at(revision), json.loads(self.body)
        ignored = asked.get("gitIgnore")
        if ignored is None:
            ignored = files[".gitignore"].content.decode() if ".gitignore" in files else ""
        return {
            "files": [
                {
                    "path": file["path"],
                    "uploadMode": "regular" if file["path"].endswith(TEXT) else "lfs",
                    "shouldIgnore": any(file["path"].endswith(end) for end in ignored.split()),
                }
                for file in asked["files"]
            ]
        }

    def batch(self, name: str) -> Any:
        self.may_write(name)
        return {"objects": [self.upload_of(entry) for entry in json.loads(self.body)["objects"]]}

    def upload_of(self, entry: dict[str, Any]) -> dict[str, Any]:
        sha256, size, part = entry["oid"], entry["size"], self.hub.part_size
        place = f"{self.hub.url}/storage/{sha256}"
        if sha256 in self.hub.storage:
            return {"oid": sha256, "size": size}
        if part is None:
            upload: dict[str, Any] = {"href": f"{place}?X-Amz-Signature=secret"}
        else:
            parts = {str(n + 1): f"{place}/{n + 1}" for n in range(-(-size // part))}
            upload = {"href": f"{place}/done", "header": {"chunk_size": str(part), **parts}}
        verify = {"href": f"{place}/verify"}
        return {"oid": sha256, "size": size, "actions": {"upload": upload, "verify": verify}}

    def store(self, sha256: str) -> Any:
        if hashlib.sha256(self.body).hexdigest() != sha256:
            raise Answer(400, "the content is not what it was said to be")
        self.hub.storage[sha256] = self.body
        return {}

    def store_part(self, sha256: str, number: str) -> Any:
        self.hub.uploads.setdefault(sha256, {})[int(number)] = self.body
        self.extra = {"ETag": f'"{number}"'}
        return {}

    def store_all(self, sha256: str) -> Any:
        parts = self.hub.uploads[sha256]
        self.body = b"".join(parts[n] for n in sorted(parts))
        return self.store(sha256)

    def verify(self, sha256: str) -> Any:
        if sha256 not in self.hub.storage:
            raise Answer(404, "no such object")
        return {}

    def commit(self, name: str, revision: str) -> Any:
        found = self.may_write(name)
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit") not in (None, found.head):
            raise Answer(412, "A commit has happened since. Please refresh and try again.")
        files = dict(found.at(revision))
        for line in lines[1:]:
            self.change(files, line["key"], line["value"])
        number = found.commit(header["summary"], files)
        page = f"{ADDRESS}/{name}/commit/{number}"
        return {"commitUrl": page, "commitOid": number, "pullRequestUrl": None}

    def change(self, files: dict[str, File], kind: str, value: dict[str, Any]) -> None:
        path = value["path"]
        if kind == "deletedFile":
            del files[path]
        elif kind == "file":
            files[path] = File(base64.b64decode(value["content"]))
        elif value["oid"] in self.hub.storage:
            files[path] = File(self.hub.storage[value["oid"]], large=True)
        else:
            raise Answer(400, f"{path} was not uploaded")


NAME = r"([^/]+/[^/]+)"
ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("POST", r"/api/repos/create", Handler.create),
    ("GET", rf"/api/datasets/{NAME}", Handler.info),
    ("GET", rf"/api/datasets/{NAME}/tree/([^/]+)", Handler.tree),
    ("GET", rf"/datasets/{NAME}/resolve/([^/]+)/(.+)", Handler.resolve),
    ("POST", r"/api/validate-yaml", Handler.check_card),
    ("POST", rf"/api/datasets/{NAME}/preupload/([^/]+)", Handler.preupload),
    ("POST", rf"/datasets/{NAME}\.git/info/lfs/objects/batch", Handler.batch),
    ("PUT", r"/storage/(\w+)", Handler.store),
    ("PUT", r"/storage/(\w+)/(\d+)", Handler.store_part),
    ("POST", r"/storage/(\w+)/done", Handler.store_all),
    ("POST", r"/storage/(\w+)/verify", Handler.verify),
    ("POST", rf"/api/datasets/{NAME}/commit/([^/]+)", Handler.commit),
]


@contextmanager
def running(**state: Any) -> Iterator[Hub]:
    """A hub that runs until the block ends."""
    hub = Hub(**state)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneHub", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
