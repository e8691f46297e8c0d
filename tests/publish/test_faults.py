"""Publishing under bad luck and bad intent: strange manifests, links, full disks, two at once."""

from __future__ import annotations

import copy
import errno
import json
import os
import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import merula
from keys import RULES
from merula.cli import main
from merula.data.manifests.soundness import is_inside
from merula.data.opened import Published
from merula.data.publication_folder import PublicationFolder
from merula.data.published_rows import Maker
from random_grammars import examples

TABLE = """subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
the dog,the dogs,by the car,by the cars,barks,bark
the cat,the cats,on the mat,on the mats,sits,sit
"""
TOY = f"""phenomenon toys "how toys agree"
lexicon sets "toy.csv"
{RULES}\
paradigm agree = subj.number × verb.number varying attr.number
matrix four = 4 items
  subj.number cycles 2 of sg | pl every 1
  attr.number cycles 2 of sg | pl every 2
answers
  AE breaks E agreement: flip verb.number
"""
PART = "toys-agree/test-00000-of-00001.parquet"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder that tests copy, with its grammar beside it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "toy.csv").write_text(TABLE, encoding="utf-8")
    (folder / "toy.merula").write_text(TOY, encoding="utf-8")
    ran = publish(folder / "out", grammar=folder / "toy.merula")
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.fixture(autouse=True)
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the grammar, what was published, and a file of somebody's own."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def publish(out: Path | str, *words: str, grammar: Path | str = "toy.merula") -> Result:
    asked = ["publish", str(grammar), "--out", str(out), "--licence", "mit", "--title", "Toys"]
    return CliRunner().invoke(main, [*asked, *words], catch_exceptions=False)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def contents(out: Path | str = "out") -> dict[str, bytes]:
    """All files of a folder but those of a run."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(Path(out).rglob("*"))
        if path.is_file() and ".merula" not in path.parts
    }


def faults() -> list[str]:
    return [check.fault for check in merula.verify("out") if check.fault]


def edited(change: Callable[[Any], None]) -> None:
    """The manifest with a change."""
    path = Path("out/merula.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


# --- manifests from anybody --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../precious", "/etc/passwd", "a/../../precious", ".git/config", "C:\\x", "a//b", ".", "a\0b"],
)
def test_names_of_files_elsewhere_are_none(name: str) -> None:
    assert not is_inside(name)
    edited(lambda said: said["others"].append({"file": name, "bytes": 4, "sha256": ""}))
    for words in (["verify", "out"], ["report", "out"], ["audit", "out"]):
        ran = run(*words)
        assert ran.exit_code == 1
        assert "M618" in ran.output
    assert "M618" in publish("out").output
    assert Path("precious").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("list_", ["move", "delete"])
@pytest.mark.parametrize("name", ["../precious", ".git/config", None])
def test_a_list_of_moves_names_files_of_the_folder(list_: str, name: str | None) -> None:
    staged = Path("out/.merula/publish/files")
    staged.mkdir(parents=True)
    (staged.parent / "precious").write_text("theirs", encoding="utf-8")
    Path("out/.git").mkdir()
    Path("out/.git/config").write_text("mine", encoding="utf-8")
    said = {"move": [], "delete": [], list_: [name] if name else 3}
    Path("out/.merula/commit.json").write_text(json.dumps(said), encoding="utf-8")
    ran = publish("out")
    assert ran.exit_code == 1
    assert "M618" in ran.output
    assert "delete the folder out/.merula" in ran.output
    for path in ("precious", "out/.git/config"):
        assert Path(path).read_text(encoding="utf-8") == "mine"


def _set(*keys: Any) -> Callable[[Any], None]:
    *way, last, value = keys

    def change(said: Any) -> None:
        for key in way:
            said = said[key]
        said[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("configs", 0, "cells", 0),
        _set("configs", 0, "instances", 10**30),
        _set("configs", 0, "splits", 0, "rows", 7),
        _set("configs", 0, "splits", 0, "name", "training"),
        _set("configs", 0, "kind", "matrix"),
        _set("configs", 1, "variation", "II"),
        _set("configs", 1, "name", "../x"),
        _set("configs", 1, "name", "toys-agree"),
        _set("configs", 0, "features", "sentence", "dtype", "int9"),
        _set("configs", 0, "features", "broken", "feature", "names", "E agreement"),
        _set("configs", 1, "features", "context", "length", 2**40),
        _set("configs", 1, "features", "context", {"dtype": "string", "_type": "Value"}),
        _set("configs", 0, "features", "spans", "feature", "end", "dtype", "string"),
        _set("configs", 1, "features", "answer_spans", {"dtype": "string", "_type": "Value"}),
        _set("grammars", 0, "source", "../toy.merula"),
        _set("grammars", 0, "options", "files", {"toy.csv": "../toy.csv"}),
        _set("grammars", 0, "options", "files", 3),
        _set("grammars", 0, "options", "columns", {"a": 1}),
        _set("grammars", 0, "options", "encoding", 8),
        _set("title", "\ud800"),
    ],
)
def test_what_cannot_be_is_no_manifest(change: Callable[[Any], None]) -> None:
    edited(change)
    for words in (["verify", "out"], ["report", "out"], ["audit", "out"]):
        assert "M618" in run(*words).output
    assert "M618" in publish("out").output


def test_a_manifest_that_is_nested_too_deeply() -> None:
    Path("out/merula.json").write_text("[" * 100_000, encoding="utf-8")
    assert "M618" in run("verify", "out").output


def _leaves(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, own in inner:
        yield (*way, key)
        if isinstance(own, dict | list):
            yield from _leaves(own, (*way, key))


NASTY: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 0, 2, 2**40, 10**30, 1.5, "", "III", "../precious", "string", [], {}, [[]]]
)


@given(st.data())
@examples(60)
def test_a_manifest_with_any_change_is_told_or_borne(data: st.DataObject) -> None:
    """Whatever somebody writes into it, there is a message and no crash."""
    said = json.loads(Path("out/merula.json").read_text(encoding="utf-8"))
    changed = copy.deepcopy(said)
    *way, last = data.draw(st.sampled_from(list(_leaves(said))))
    inner = changed
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(NASTY)
    Path("out/merula.json").write_text(json.dumps(changed), encoding="utf-8")
    try:
        for command in ("verify", "audit", "report"):
            assert run(command, "out").exit_code in (0, 1)
    finally:
        Path("out/merula.json").write_text(json.dumps(said), encoding="utf-8")


def test_columns_of_another_type_are_told() -> None:
    edited(_set("configs", 0, "features", "variant", {"dtype": "float64", "_type": "Value"}))
    assert any(fault.startswith("cannot be read") for fault in faults())
    published = Published.open(Path("out"))
    with pytest.raises(merula.MerulaError, match="M720"):
        list(published.rows(published.about.configs[0], "test"))


# --- what stands in the way --------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("name", ["toys-agree", "source", ".merula", ".merula/publish"])
def test_links_lead_nowhere(name: str) -> None:
    link = Path("out", name)
    shutil.rmtree(link, ignore_errors=True)
    link.parent.mkdir(exist_ok=True)
    Path("elsewhere").mkdir()
    link.symlink_to(Path("elsewhere").absolute())
    ran = publish("out", "--title", "others")
    assert ran.exit_code == 1
    assert "M727" in ran.output
    assert not any(Path("elsewhere").iterdir())


@pytest.mark.parametrize("name", ["croissant.json", "README.md", PART])
def test_a_folder_in_the_way_of_a_file_is_told_before_anything_is_moved(name: str) -> None:
    Path("out", name).unlink()
    Path("out", name).mkdir()
    before = contents()
    ran = publish("out", "--title", "others")
    assert ran.exit_code == 1
    assert "M727" in ran.output
    assert contents() == before
    Path("out", name).rmdir()
    assert publish("out", "--title", "others").exit_code == 0
    assert not faults()


def test_a_file_in_the_way_of_a_folder_is_told() -> None:
    shutil.rmtree("out/source")
    Path("out/source").write_text("mine", encoding="utf-8")
    assert "M727" in publish("out").output
    assert Path("out/source").read_text(encoding="utf-8") == "mine"


def test_what_is_done_of_a_run_of_generate_is_not_lost() -> None:
    for files in ([], ["agree.parquet"]):
        state = Path("run/.merula")
        state.mkdir(parents=True, exist_ok=True)
        (state / "run.json").write_text("{}", encoding="utf-8")
        for file in files:
            Path("run", file).write_text("rows", encoding="utf-8")
        assert "M609" in publish("run").output
        assert (state / "run.json").is_file()


# --- two at once, a full disk ------------------------------------------------------------------


def test_one_that_is_refused_leaves_the_other_alone() -> None:
    pytest.importorskip("fcntl")
    with PublicationFolder(Path("out"), "other").opened():
        mark = Path("out/.merula/publish/key")
        assert mark.is_file()
        assert "M725" in publish("out").output
        assert mark.is_file()


def test_a_lock_that_was_deleted_meanwhile_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run before ends and clears away, between opening and locking its file."""
    fcntl = pytest.importorskip("fcntl")
    real = fcntl.flock

    def flock(number: int, how: int) -> None:
        Path("out/.merula/lock").unlink()
        real(number, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    assert "M725" in publish("out").output


@pytest.mark.parametrize("after", range(0, 16, 3))
def test_a_full_disk_leaves_the_old_data(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when files are written for the so-manieth time."""
    before = contents()
    Path("toy.csv").write_text(TABLE + "the hen,the hens,in it,in them,eats,eat\n", "utf-8")
    number = iter(range(10**6))
    reached = []
    real = os.fsync

    def fsync(file: int) -> None:
        if next(number) >= after:
            reached.append(file)
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        ran = publish("out")
    assert reached
    assert ran.exit_code == 1
    assert "make room on the disk" in ran.output
    if not Path("out/.merula/commit.json").is_file():
        assert contents() == before
    assert publish("out").exit_code == 0
    assert not faults()
    assert not Path("out/.merula").exists()


def test_a_failure_while_files_are_moved_keeps_what_is_to_be_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No part was made, only texts: they are not thrown away."""
    real = Path.replace

    def replace(self: Path, target: Any) -> Path:
        if Path(target).name == "croissant.json" and ".merula" not in Path(target).parts:
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        assert "M608" in publish("out", "--title", "others").output
    assert Path("out/.merula/publish/files/croissant.json").is_file()
    assert publish("out", "--title", "others").exit_code == 0
    assert not faults()


# --- many rows ---------------------------------------------------------------------------------


def test_the_tables_of_one_configuration_are_kept_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known: list[weakref.ref[Maker]] = []
    alive = []
    real = Maker.write

    def write(self: Maker, *asked: Any) -> Any:
        if all(own() is not self for own in known):
            known.append(weakref.ref(self))
        alive.append(sum(own() is not None for own in known))
        return real(self, *asked)

    monkeypatch.setattr(Maker, "write", write)
    assert publish("new", "--rows-per-file", "8").exit_code == 0
    assert len(known) == 2
    assert set(alive) == {1}


def test_too_many_files_are_told_before_they_are_listed() -> None:
    ran = run(
        "publish", "npi/sentential_negation", "--out", "new", "--licence", "mit", "-n", str(10**15)
    )
    assert "M619" in ran.output
    assert not Path("new").exists()
