"""Pushing a folder to a hub: a small one on this machine, which can be told to fail."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("huggingface_hub", reason="pushing needs the extra hf")

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import constants

import merula.publish.hub.push as pushing
from hub_server import Fault, Hub, Repository, running
from merula.core.diagnostics import Diagnostic, MerulaError
from merula.publish.hub.faults import fault_of
from merula.publish.hub.push import Pushed, PushPlan, demand_repo_name, plan_push, push

TOKEN = "hf_" + "s3cret" * 6
REPO = "anna/keys"
FILES = ["README.md", "keys/train-00000.parquet", "keys/test-00000.parquet", "merula.json"]
FAULTS: list[Fault] = ["drop", "lost", 429, 500, 503]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[float]:
    """The seconds that were to be waited; nobody waits for them. Uploads go without Xet."""
    waited: list[float] = []
    monkeypatch.setattr(pushing, "sleep", waited.append)
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none" / "token"))
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE"):
        monkeypatch.delenv(name, raising=False)
    return waited


@pytest.fixture
def hub(waits: list[float]) -> Iterator[Hub]:
    del waits
    with running(tokens={TOKEN: ("anna", "lab"), "hf_of_ben": ("ben",)}) as hub:
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A published folder: text files, and two of rows."""
    made = tmp_path / "data"
    (made / "keys").mkdir(parents=True)
    (made / "README.md").write_text("---\nlicense: cc-by-4.0\n---\n# Keys, clés, ключи\n", "utf-8")
    for split, rows in (("train", 2000), ("test", 200)):
        table = pa.table({"sentence": [f"{split} {n} ~ {n * n}" for n in range(rows)]})
        pq.write_table(table, made / f"keys/{split}-00000.parquet")
    write_manifest(made, FILES)
    return made


def write_manifest(folder: Path, files: list[str]) -> None:
    entries = [entry(folder, name) for name in files if name != "merula.json"]
    data = [e for e in entries if e["file"].endswith(".parquet")]
    others = [e for e in entries if not e["file"].endswith(".parquet")]
    manifest = {"configs": [{"splits": [{"files": data}]}], "others": others}
    (folder / "merula.json").write_text(json.dumps(manifest), "utf-8")


def entry(folder: Path, name: str) -> dict[str, Any]:
    content = (folder / name).read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    return {"file": name, "bytes": len(content), "sha256": sha256}


def contents(folder: Path, files: list[str] = FILES) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files}


def pushed(hub: Hub, folder: Path, files: list[str] = FILES, **options: Any) -> Pushed:
    return push(folder, REPO, files, **{"token": TOKEN, "endpoint": hub.url, **options})


def planned(hub: Hub, folder: Path, files: list[str] = FILES, **options: Any) -> PushPlan:
    return plan_push(folder, REPO, files, **{"token": TOKEN, "endpoint": hub.url, **options})


def refused(hub: Hub, folder: Path, **options: Any) -> Diagnostic:
    with pytest.raises(MerulaError) as raised:
        pushed(hub, folder, **options)
    (problem,) = raised.value.problems
    assert problem.remedy
    assert TOKEN not in str(raised.value)
    return problem


def names(result: Pushed | PushPlan, *changes: Any) -> list[str]:
    return [file.path for file in result.of(*changes)]


def commits(hub: Hub) -> list[str]:
    return [message for _, message, _ in hub.repositories[REPO].commits]


# --- what arrives --------------------------------------------------------------------------------


def test_a_folder_arrives_byte_by_byte_in_one_commit(hub: Hub, folder: Path) -> None:
    result = pushed(hub, folder, message="Keys")
    repository = hub.repositories[REPO]
    assert repository.contents() == contents(folder)
    assert commits(hub) == ["initial commit", "Keys"]
    assert repository.private
    assert result.private
    assert result.created
    assert names(result, "added") == FILES
    assert [file.size for file in result.files] == [len(c) for c in contents(folder).values()]
    assert result.commit == repository.head
    assert result.url == f"{hub.url}/datasets/{REPO}"
    assert [p for p, f in repository.files.items() if f.large] == FILES[1:3]


def test_files_in_several_parts_arrive(hub: Hub, folder: Path) -> None:
    hub.part_size = 1000
    pushed(hub, folder)
    assert hub.repositories[REPO].contents() == contents(folder)
    assert sum(call.startswith("PUT ") for call in hub.calls) > 4


def test_the_same_again_sends_nothing(hub: Hub, folder: Path) -> None:
    first = pushed(hub, folder)
    hub.calls.clear()
    again = pushed(hub, folder)
    assert {call.split()[0] for call in hub.calls} == {"GET"}
    assert names(again, "kept") == FILES
    assert not again.of("added", "changed", "deleted")
    assert again.commit == first.commit
    assert not again.created


@pytest.mark.parametrize("name", FILES)
def test_only_what_changed_is_sent(hub: Hub, folder: Path, name: str) -> None:
    pushed(hub, folder)
    content = one_bit_changed((folder / name).read_bytes())
    (folder / name).write_bytes(content)
    before = dict(hub.repositories[REPO].files)
    result = pushed(hub, folder)
    after = hub.repositories[REPO].files
    assert names(result, "changed") == [name]
    assert len(result.of("kept")) == 3
    assert [path for path in after if after[path] is not before[path]] == [name]
    assert after[name].content == content


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_equal_size_on_the_hub_is_replaced(hub: Hub, folder: Path, name: str) -> None:
    pushed(hub, folder)
    by_hand(hub, name, one_bit_changed((folder / name).read_bytes()))
    assert names(planned(hub, folder), "changed") == [name]
    result = pushed(hub, folder, replace=True)
    assert names(result, "changed") == [name]
    assert hub.repositories[REPO].contents() == contents(folder)


def test_public_is_asked_for_and_an_existing_repository_stays_what_it_is(
    hub: Hub, folder: Path
) -> None:
    assert not pushed(hub, folder, private=False).private
    assert not hub.repositories[REPO].private
    (folder / "README.md").write_text("# New", "utf-8")
    again = pushed(hub, folder, private=True)
    assert not again.private
    assert not again.created
    assert not hub.repositories[REPO].private


def test_lists_of_several_pages_are_read(hub: Hub, folder: Path) -> None:
    pushed(hub, folder)
    hub.page_size = 2
    assert names(pushed(hub, folder), "kept") == FILES


# --- what is not given up ------------------------------------------------------------------------


def by_hand(hub: Hub, name: str, content: bytes) -> None:
    """Somebody changes a file on the hub; it stays in the storage it is in."""
    repository = hub.repositories[REPO]
    mine = replace(repository.files[name], content=content)
    repository.commit("By hand", {**repository.files, name: mine})


def one_bit_changed(content: bytes) -> bytes:
    """As long as before."""
    return content[:-2] + bytes([content[-2] ^ 1]) + content[-1:]


def test_a_card_edited_on_the_hub_is_not_overwritten(hub: Hub, folder: Path) -> None:
    pushed(hub, folder)
    by_hand(hub, "README.md", b"---\nlicense: mit\n---\n# What I know of it\n")
    assert pushed(hub, folder, [n for n in FILES if n != "README.md"]).commit
    (folder / "keys/test-00000.parquet").write_bytes(b"PAR1 other rows")
    write_manifest(folder, FILES)
    before = hub.repositories[REPO].head
    error = refused(hub, folder)
    assert error.code == "M716"
    assert "README.md was not written by Merula, or edited there" in error.render()
    assert hub.repositories[REPO].head == before
    pushed(hub, folder, replace=True)
    assert hub.repositories[REPO].contents() == contents(folder)


@pytest.mark.parametrize("edit", [one_bit_changed, lambda content: content + b"mine\n"])
def test_a_source_edited_on_the_hub_is_not_overwritten(
    hub: Hub, folder: Path, edit: Callable[[bytes], bytes]
) -> None:
    (folder / "source").mkdir()
    table = folder / "source/keys.csv"
    table.write_text("subj.sg,subj.pl\nthe key,the keys\n", "utf-8")
    files = [*FILES[:-1], "source/keys.csv", "merula.json"]
    write_manifest(folder, files)
    pushed(hub, folder, files)
    table.write_text("subj.sg,subj.pl\nthe lock,the locks\n", "utf-8")
    write_manifest(folder, files)
    assert names(pushed(hub, folder, files), "changed") == ["source/keys.csv", "merula.json"]
    by_hand(hub, "source/keys.csv", edit(table.read_bytes()))
    head = hub.repositories[REPO].head
    table.write_text("subj.sg,subj.pl\nthe door,the doors\n", "utf-8")
    write_manifest(folder, files)
    error = refused(hub, folder, files=files)
    assert error.code == "M716"
    assert error.notes == ("its source/keys.csv was not written by Merula, or edited there",)
    assert hub.repositories[REPO].head == head
    pushed(hub, folder, files, replace=True)
    assert hub.repositories[REPO].contents() == contents(folder, files)


def test_a_card_that_was_there_first_is_not_overwritten(hub: Hub, folder: Path) -> None:
    hub.make(REPO, files={"README.md": b"# My plans for this data set"})
    assert refused(hub, folder).code == "M716"
    pushed(hub, folder, replace=True)


def test_configurations_that_are_not_here_are_not_deleted(hub: Hub, folder: Path) -> None:
    (folder / "doors").mkdir()
    (folder / "doors/test-00000.parquet").write_bytes(b"PAR1 doors")
    more = [*FILES[:-1], "doors/test-00000.parquet", "merula.json"]
    write_manifest(folder, more)
    pushed(hub, folder, more)
    write_manifest(folder, FILES)
    error = refused(hub, folder)
    assert error.code == "M716"
    assert "the configuration doors is there and not here" in error.render()
    result = pushed(hub, folder, replace=True)
    assert names(result, "deleted") == ["doors/test-00000.parquet"]


# --- what is deleted -----------------------------------------------------------------------------


def test_a_stale_file_goes_and_a_foreign_one_stays(hub: Hub, folder: Path) -> None:
    hub.make(REPO, files={"logo.png": b"picture", "keys/notes.txt": b"mine"})
    pushed(hub, folder)
    fewer = [name for name in FILES if "test" not in name]
    write_manifest(folder, fewer)
    result = pushed(hub, folder, fewer)
    assert names(result, "deleted") == ["keys/test-00000.parquet"]
    assert result.others == ("keys/notes.txt", "logo.png")
    there = hub.repositories[REPO].files
    assert there.keys() == {*fewer, ".gitattributes", "logo.png", "keys/notes.txt"}
    assert len(commits(hub)) == 3


@pytest.mark.parametrize("name", ["README.md", "keys/test-00000.parquet"])
@pytest.mark.parametrize("edit", [one_bit_changed, lambda content: content + b"mine"])
def test_a_file_that_somebody_changed_there_is_theirs(
    hub: Hub, folder: Path, name: str, edit: Callable[[bytes], bytes]
) -> None:
    pushed(hub, folder)
    by_hand(hub, name, edit((folder / name).read_bytes()))
    fewer = [own for own in FILES[:3] if own != name]
    result = pushed(hub, folder, fewer)
    assert not result.of("deleted")
    assert result.others == (name, "merula.json")


def test_what_is_to_go_is_fetched_only_where_the_hub_has_no_sha256(hub: Hub, folder: Path) -> None:
    pushed(hub, folder)
    hub.calls.clear()
    plan = planned(hub, folder, FILES[3:], private=True)
    assert names(plan, "deleted") == sorted(FILES[:3])
    fetched = [call.rpartition("/")[2] for call in hub.calls if "/resolve/" in call]
    assert fetched == ["merula.json", "README.md"]


@pytest.mark.parametrize(
    "manifest",
    [
        b"{}",
        b"not JSON",
        b'["README.md"]',
        b'{"configs": [], "others": [{"file": 3}]}',
        b'{"configs": 1, "others": ["old.txt"]}',
        b"\xff\xfe",
    ],
)
def test_what_no_manifest_of_ours_lists_is_not_deleted(
    hub: Hub, folder: Path, manifest: bytes
) -> None:
    hub.make(REPO, files={"old.txt": b"old", "merula.json": manifest})
    result = pushed(hub, folder)
    assert result.others == ("old.txt",)
    assert hub.repositories[REPO].files["old.txt"].content == b"old"


def test_the_settings_of_the_hub_stay_whatever_a_manifest_says(hub: Hub, folder: Path) -> None:
    own = {"file": ".gitattributes", "bytes": 48, "sha256": ""}
    manifest = json.dumps({"configs": [], "others": [own]}).encode()
    hub.make(REPO, files={"merula.json": manifest})
    pushed(hub, folder)
    assert ".gitattributes" in hub.repositories[REPO].files


def test_a_gitignore_there_leaves_nothing_out(hub: Hub, folder: Path) -> None:
    hub.make(REPO, files={".gitignore": b".parquet\n.json\n"})
    pushed(hub, folder)
    assert contents(folder).items() <= hub.repositories[REPO].contents().items()


# --- what would go -------------------------------------------------------------------------------


def test_a_plan_says_what_a_push_would_do_and_does_none_of_it(hub: Hub, folder: Path) -> None:
    plan = planned(hub, folder, private=False)
    assert (plan.exists, plan.private, plan.unknown) == (False, False, "")
    assert names(plan, "added") == FILES
    assert not hub.repositories
    pushed(hub, folder)
    fewer = [name for name in FILES if "test" not in name]
    write_manifest(folder, fewer)
    repository = hub.repositories[REPO]
    before = list(repository.commits)
    plan = planned(hub, folder, fewer, private=False)
    assert (plan.exists, plan.private) == (True, True)
    assert repository.commits == before
    result = pushed(hub, folder, fewer)
    assert plan.files == result.files
    assert {file.change for file in plan.files} == {"kept", "changed", "deleted"}


def test_a_plan_asks_only(hub: Hub, folder: Path) -> None:
    pushed(hub, folder)
    hub.calls.clear()
    planned(hub, folder)
    assert {call.split()[0] for call in hub.calls} == {"GET"}


def test_without_a_token_a_plan_lists_the_folder(hub: Hub, folder: Path) -> None:
    plan = planned(hub, folder, token=None)
    assert plan.unknown == "there is no token for the hub"
    assert names(plan, "unknown") == FILES
    assert plan.exists is None
    assert not hub.calls


@pytest.mark.parametrize(
    ("fault", "why"),
    [("drop", "the connection to the hub fails"), (503, "the hub answers 503"), (401, "the token")],
)
def test_where_the_hub_does_not_answer_a_plan_lists_the_folder(
    hub: Hub, folder: Path, fault: Fault, why: str
) -> None:
    hub.always("", fault)
    plan = planned(hub, folder)
    assert why in plan.unknown
    assert names(plan, "unknown") == FILES


# --- faults that pass ----------------------------------------------------------------------------


def number_of_calls(folder: Path) -> int:
    with running(tokens={TOKEN: ("anna",)}, part_size=100_000) as hub:
        pushed(hub, folder)
        return len(hub.calls)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_may_fail_once(hub: Hub, folder: Path, waits: list[float], fault: Fault) -> None:
    calls = number_of_calls(folder)
    assert calls > 10
    for call in range(calls):
        hub.repositories.clear()
        hub.storage.clear()
        hub.part_size = 100_000
        hub.fault(call, fault)
        result = pushed(hub, folder)
        assert not hub.faults, "the fault was met"
        assert hub.repositories[REPO].contents() == contents(folder), call
        assert len(commits(hub)) == 2, call
        assert names(result, "added") == FILES
        assert result.created
        assert result.commit == hub.repositories[REPO].head
    assert len(waits) >= calls - 1  # an answer that a repository is made may get lost in peace


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_a_second_push_may_fail_once(hub: Hub, folder: Path, fault: Fault) -> None:
    pushed(hub, folder)
    fewer = [name for name in FILES if "test" not in name]
    (folder / "README.md").write_text("# Anew", "utf-8")
    write_manifest(folder, fewer)
    saved = list(hub.repositories[REPO].commits)
    for call in range(6):
        hub.repositories[REPO].commits[:] = saved
        hub.fault(call, fault)
        result = pushed(hub, folder, fewer)
        assert not hub.faults, "the fault was met"
        assert hub.repositories[REPO].contents() == contents(folder, fewer), call
        assert len(commits(hub)) == 3, call
        assert names(result, "changed") == ["README.md", "merula.json"]
        assert names(result, "deleted") == ["keys/test-00000.parquet"]


def test_the_hub_is_given_the_time_that_it_asks_for(
    hub: Hub, folder: Path, waits: list[float]
) -> None:
    hub.retry_after = "17"
    told: list[str] = []
    hub.fault(0, 429)
    pushed(hub, folder, progress=told.append)
    assert waits == [18.0]
    assert told[0] == "the hub answers 429 Too Many Requests: trying again in 18 s (try 2 of 4)"
    assert told[1:] == [
        f"making the private data set {REPO}",
        f"sending 4 files ({sum(map(len, contents(folder).values())) / 1000:.1f} kB)",
    ]


def test_the_waits_of_the_library_are_told_too(hub: Hub, folder: Path) -> None:
    pushed(hub, folder)
    (folder / "README.md").write_text("# Anew", "utf-8")
    hub.fault(4, 503)  # the call after those for the repository, its files, manifest and card
    told: list[str] = []
    pushed(hub, folder, progress=told.append)
    assert "preupload" in hub.calls[-3]
    assert told[1:] == ["the hub is busy or out of reach: trying again in 1 s"]


def test_it_does_not_wait_for_an_hour(hub: Hub, folder: Path, waits: list[float]) -> None:
    hub.retry_after = "3600"
    hub.fault(0, 429)
    problem = refused(hub, folder)
    assert problem.code == "M707"
    assert problem.remedy.startswith("wait 3601 s;")
    assert not waits


def test_what_another_pushes_meanwhile_is_kept(hub: Hub, folder: Path) -> None:
    def intrude(call: str) -> None:
        if "/commit/" in call and len(commits(hub)) == 1:
            there = hub.repositories[REPO]
            file = type(there.files[".gitattributes"])(b"theirs")
            there.commit("Theirs", {**there.files, "theirs.txt": file})

    hub.before = intrude
    result = pushed(hub, folder)
    assert commits(hub) == ["initial commit", "Theirs", "Publish with Merula"]
    assert result.others == ("theirs.txt",)
    assert hub.repositories[REPO].contents() == {**contents(folder), "theirs.txt": b"theirs"}


# --- faults that last ----------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["drop", 429, 500, 503])
@pytest.mark.parametrize("call", ["GET /api", "preupload", "batch", "PUT", "commit"])
def test_faults_that_last_leave_what_was_there(
    hub: Hub, folder: Path, waits: list[float], call: str, fault: Fault
) -> None:
    pushed(hub, folder)
    before = hub.repositories[REPO].contents()
    (folder / "README.md").write_text("# Other", "utf-8")
    pq.write_table(pa.table({"sentence": ["other"]}), folder / FILES[1])
    hub.always(call, fault)
    problem = refused(hub, folder)
    assert problem.code == ("M706" if fault == "drop" else "M707")
    assert "push again to go on" in problem.remedy
    assert hub.repositories[REPO].contents() == before
    assert 3 <= len(waits) <= 60
    assert sum(waits) < 150
    hub.heal()
    assert names(pushed(hub, folder), "changed") == FILES[:2]
    assert hub.repositories[REPO].contents() == contents(folder)


def test_a_commit_whose_answers_are_all_lost_is_found(hub: Hub, folder: Path) -> None:
    hub.always("commit", "lost")
    result = pushed(hub, folder)
    assert names(result, "added") == FILES
    assert len(commits(hub)) == 2


def test_nobody_listens(hub: Hub, folder: Path) -> None:
    problem = refused(hub, folder, endpoint="http://127.0.0.1:9")
    assert problem.code == "M706"
    assert "onnection refused" in problem.message


def test_offline_is_said_at_once(
    hub: Hub, folder: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    problem = refused(hub, folder)
    assert (problem.code, waits) == ("M706", [])
    assert "HF_HUB_OFFLINE" in problem.remedy


def test_somebody_who_pushes_all_the_time(hub: Hub, folder: Path) -> None:
    hub.always("commit", 412)
    problem = refused(hub, folder)
    assert problem.code == "M707"
    assert "somebody else" in problem.message
    assert commits(hub) == ["initial commit"]


class XetAuthenticationError(PermissionError):
    """Called like that of the storage."""


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (ConnectionError("GET /xet-write-token/main: 404 Not Found"), "M709", "HF_HUB_DISABLE_XET"),
        (XetAuthenticationError("no"), "M703", "the hub says: no"),
        (RuntimeError("upload aborted"), "M706", "upload aborted"),
        (OSError(28, "No space left on device"), "M709", "No space left on device"),
        (ValueError("LFS batch API returned errors"), "M709", "LFS batch API"),
        (ValueError(f"{TOKEN} " + "x" * 999), "M709", "(token) xxx"),
        (KeyError("url"), "", ""),
    ],
)
def test_what_the_storage_and_the_library_may_raise(error: Exception, code: str, told: str) -> None:
    fault = fault_of(error, TOKEN)
    if not code:
        assert fault is None
        return
    assert fault is not None
    text = str(fault.problem(REPO, "https://hub/datasets/anna/keys"))
    assert text.startswith(f"error[{code}]")
    assert told in text
    assert TOKEN not in text
    assert len(text) < 700


# --- rights --------------------------------------------------------------------------------------


def test_no_token(hub: Hub, folder: Path) -> None:
    problem = refused(hub, folder, token=None)
    assert problem.code == "M702"
    assert "hf auth login" in problem.remedy
    assert not hub.calls


def test_the_stored_token_is_used(
    hub: Hub, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "token"
    store.write_text(TOKEN)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(store))
    assert pushed(hub, folder, token=None).created


def test_a_token_that_is_not_known(hub: Hub, folder: Path, waits: list[float]) -> None:
    problem = refused(hub, folder, token="hf_old")
    assert (problem.code, waits) == ("M703", [])
    assert "hf_old" not in str(problem)


@pytest.mark.parametrize("there", [False, True])
def test_a_repository_of_somebody_else(hub: Hub, folder: Path, there: bool) -> None:
    if there:
        hub.make(REPO, private=False)
    problem = refused(hub, folder, token="hf_of_ben")
    assert problem.code == "M704"
    assert REPO in problem.message
    assert problem.notes[0].startswith("the hub says: You don't have the right")
    assert not there or commits(hub) == ["initial commit"]


def test_a_name_that_is_taken(hub: Hub, folder: Path, waits: list[float]) -> None:
    hub.taken.add(REPO)
    assert (refused(hub, folder).code, waits) == ("M705", [])


def test_a_card_that_the_hub_refuses(hub: Hub, folder: Path) -> None:
    hub.refuse_card = '"license" must be one of [a, b]'
    problem = refused(hub, folder)
    assert problem.code == "M709"
    assert any('"license" must be' in note for note in problem.notes)
    assert commits(hub) == ["initial commit"]


# --- the folder ----------------------------------------------------------------------------------


def test_a_file_that_is_not_there(hub: Hub, folder: Path) -> None:
    (folder / "README.md").unlink()
    problem = refused(hub, folder)
    assert problem.code == "M708"
    assert problem.place == str(folder / "README.md")
    assert not hub.calls


@pytest.mark.parametrize("name", ["../README.md", "/README.md", "keys/../../README.md"])
def test_files_outside_are_no_files_of_the_folder(hub: Hub, folder: Path, name: str) -> None:
    with pytest.raises(ValueError, match="named from there"):
        pushed(hub, folder, [name])


@pytest.mark.parametrize("moment", ["preupload", "PUT", "verify"])
@pytest.mark.parametrize("name", FILES[:2])
@pytest.mark.parametrize("what", ["changed", "went away"])
def test_files_that_change_meanwhile_are_not_pushed(
    hub: Hub, folder: Path, moment: str, name: str, what: str
) -> None:
    def meddle(call: str) -> None:
        if moment in call and (folder / name).exists():
            (folder / name).unlink()
            if what == "changed":
                (folder / name).write_bytes(b"# half wri")

    hub.before = meddle
    problem = refused(hub, folder)
    assert problem.code == "M708"
    assert problem.message == f"{folder / name} {what} while it was pushed"
    assert commits(hub) == ["initial commit"]


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["anna/keys", "a/b", "The-Lab.x/blm_agrF-2.0", "1/2"])
def test_names(name: str) -> None:
    demand_repo_name(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("", "OWNER/NAME"),
        ("/", "OWNER/NAME"),
        ("keys", "OWNER/keys"),
        ("/keys", "OWNER/keys"),
        ("anna/", "anna/NAME"),
        ("anna/my keys", "anna/my-keys"),
        ("anna/clés", "anna/cles"),
        ("anna/ключи", "anna/NAME"),
        ("anna/keys.git", "anna/keys"),
        ("anna/a--b..c", "anna/a-b.c"),
        ("anna/-keys-", "anna/keys"),
        ("anna/keys\n", "anna/keys"),
        ("datasets/anna/keys", "anna/keys"),
        ("https://huggingface.co/datasets/anna/keys", "anna/keys"),
        ("hf.co/datasets/anna/keys/tree/main", "anna/keys"),
        (f"anna/{'k' * 97}", "OWNER/NAME"),
    ],
)
def test_what_is_no_name_and_one_that_is_meant(name: str, meant: str) -> None:
    with pytest.raises(MerulaError) as raised:
        demand_repo_name(name)
    (problem,) = raised.value.problems
    assert problem.code == "M701"
    assert problem.remedy.endswith(f"such as {meant}")
    demand_repo_name(meant)


def test_the_name_is_looked_at_first(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(MerulaError, match="M701"):
        push(tmp_path, "keys", ["none"], endpoint=hub.url)


def test_the_package_is_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MerulaError, match=r"pip install 'merula\[hf\]'") as raised:
        push(folder, REPO, FILES)
    assert raised.value.problems[0].code == "M700"


# --- what is printed -----------------------------------------------------------------------------


def test_nothing_is_printed_and_the_library_is_left_as_it_was(
    hub: Hub, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("huggingface_hub.utils._http")
    before = (logger.level, logger.propagate, list(logger.handlers))
    told: list[str] = []
    for call, fault in enumerate(FAULTS):
        hub.fault(3 * call, fault)
    pushed(hub, folder, progress=told.append)
    hub.always("PUT", 503)
    (folder / FILES[1]).write_bytes(b"new")
    refused(hub, folder, progress=told.append)
    assert len(told) > 20
    assert capfd.readouterr() == ("", "")
    assert TOKEN not in "".join(told)
    assert "Signature" not in "".join(told)
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_an_answer_that_repeats_the_token_does_not_show_it(hub: Hub, folder: Path) -> None:
    hub.refuse_card = f"who is {TOKEN}? see https://x.org/?X-Amz-Signature=secret"
    problem = refused(hub, folder)
    assert problem.notes == ("the hub says: who is (token)? see (address)",)


# --- Ctrl-C --------------------------------------------------------------------------------------

INTERRUPTED = """
    import sys
    from pathlib import Path
    from huggingface_hub import constants
    from merula.publish.hub.push import push
    constants.HF_HUB_DISABLE_XET = True
    push(
        Path(sys.argv[1]),
        "anna/keys",
        sys.argv[4:],
        token=sys.argv[2],
        endpoint=sys.argv[3],
        replace=True,
    )
"""


@pytest.mark.parametrize("moment", ["batch", "PUT"])  # in the main thread, in another
def test_an_interrupt_leaves_what_was_there(folder: Path, moment: str) -> None:
    reached, done = threading.Event(), threading.Event()

    def stall(call: str) -> None:
        if moment in call:
            reached.set()
            done.wait(120)

    with running(tokens={TOKEN: ("anna",)}) as hub:
        repository: Repository = hub.make(REPO, files={"README.md": b"old"})
        hub.before = stall
        code = [
            sys.executable,
            "-c",
            textwrap.dedent(INTERRUPTED),
            str(folder),
            TOKEN,
            hub.url,
            *FILES,
        ]
        process = subprocess.Popen(
            code, stderr=subprocess.PIPE, env={**os.environ, "HF_HUB_OFFLINE": "0"}
        )
        assert reached.wait(120)
        process.send_signal(signal.SIGINT)
        threading.Timer(0.2, done.set).start()
        _, told = process.communicate(timeout=120)
        assert process.returncode
        assert b"KeyboardInterrupt" in told
        assert TOKEN.encode() not in told
        assert not any("/commit/" in call for call in hub.calls)
        assert repository.contents() == {"README.md": b"old"}
