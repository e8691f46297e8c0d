"""Files on the disk: whole or absent, and nothing left behind."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from merula.core import files
from merula.core.files import obstacle, partial_path, replacing, write_json


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_partial_name_is_hidden_and_new_each_time(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    made = {partial_path(path) for _ in range(50)}
    assert len(made) == 50
    for partial in made:
        assert partial.parent == tmp_path
        assert partial.name.startswith(f".data.csv-{os.getpid()}-")
        assert partial.suffix == ".partial"
    assert partial_path(path, tmp_path / "other").parent == tmp_path / "other"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path, elsewhere: bool) -> None:
    folder = tmp_path / "other" if elsewhere else None
    if folder is not None:
        folder.mkdir()
    path = tmp_path / "data"
    path.write_text("old")
    with replacing(path, folder) as made:
        assert made.parent == (folder or tmp_path)
        made.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert not made.exists()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, old: str | None, error: BaseException
) -> None:
    path = tmp_path / "data"
    if old is not None:
        path.write_text(old)

    def fail() -> None:
        with replacing(path) as made:
            made.write_text("half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert names(tmp_path) == ([] if old is None else ["data"])
    assert old is None or path.read_text() == old


def test_a_file_is_flushed_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data"
    flushed = []

    def flush(made: Path) -> None:
        flushed.append((made.read_text(), path.exists()))

    monkeypatch.setattr(files, "flush", flush)
    with replacing(path) as made:
        made.write_text("whole")
    assert flushed == [("whole", False)]


def test_what_cannot_be_flushed_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no"):
        write_json(tmp_path / "data.json", [1])
    assert names(tmp_path) == []


def test_json_is_readable_and_comes_back(tmp_path: Path) -> None:
    path, value = tmp_path / "data.json", {"b": ["é", 1, None], "a": {}}
    write_json(path, value)
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == value
    assert text == '{\n  "b": [\n    "é",\n    1,\n    null\n  ],\n  "a": {}\n}\n'
    assert names(tmp_path) == ["data.json"]


def test_what_is_not_json_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    write_json(path, [1])
    with pytest.raises(TypeError):
        write_json(path, [1, object()])
    assert json.loads(path.read_text()) == [1]
    assert names(tmp_path) == ["data.json"]


@pytest.mark.parametrize(
    ("error", "reason", "remedy"),
    [
        (OSError(errno.ENOSPC, "a library's words"), os.strerror(errno.ENOSPC), "make room"),
        (OSError(errno.EACCES, "x"), os.strerror(errno.EACCES), "check the rights"),
        (OSError(errno.EIO, "x"), os.strerror(errno.EIO), "name another folder"),
        (ValueError("embedded null byte"), "embedded null byte", "name another folder"),
    ],
)
def test_an_obstacle_has_a_reason_and_a_remedy(
    tmp_path: Path, error: OSError | ValueError, reason: str, remedy: str
) -> None:
    found = obstacle(tmp_path / "out", error)
    assert found[0] == reason
    assert found[1].startswith(remedy)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    reason, _ = obstacle(tmp_path / "out" / "more" / "data", OSError(errno.ENOTDIR, "x"))
    assert reason == f"{tmp_path / 'out'} is a file"
