"""A grammar is looked at again when one of its files changes, and only then."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest

import keys
from merula.cli.watcher import MAX_QUIET_LOOKS, Look, look, looks, stamp, wait
from merula.lexicon.table import TableOptions

RULES = keys.RULES.replace("subj, attr", "subj").replace("subj attr verb", "subj verb")
GRAMMAR = """\
phenomenon keys
language xx
import "rules.merula"
lexicon sets "keys.csv"
paradigm pairs = subj.number × verb.number
"""
TABLE = "subj.sg,subj.pl,verb.sg,verb.pl\nthe dog,the dogs,barks,bark\n"
SURFACE = 'capital = true\nstop = "!"\n'
PLAIN = TableOptions()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "keys.merula").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "rules.merula").write_text(RULES, encoding="utf-8")
    (tmp_path / "keys.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "lexicons" / "xx").mkdir(parents=True)
    (tmp_path / "lexicons" / "xx" / "surface.toml").write_text(SURFACE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# --- what is watched -----------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_all_files_that_a_grammar_is_made_of_are_watched() -> None:
    found = look("keys.merula", PLAIN)
    assert not found.problems
    names = {"keys.merula", "rules.merula", "keys.csv", "lexicons/xx/surface.toml"}
    assert {path.as_posix() for path, known in found.files.items() if known} == names


@pytest.mark.parametrize("name", ["rules.merula", "keys.csv", "lexicons/xx/surface.toml"])
def test_a_file_that_is_not_there_is_watched(folder: Path, name: str) -> None:
    (folder / name).unlink()
    found = look("keys.merula", PLAIN)
    assert found.files[Path(name)] is None
    assert found.problems


def test_a_grammar_that_is_not_there_is_watched(folder: Path) -> None:
    (folder / "keys.merula").unlink()
    found = look("keys", PLAIN)
    assert found.compiled is None
    assert found.files == {Path("keys"): None, Path("keys.merula"): None}


def test_a_table_of_the_command_line_is_watched(folder: Path) -> None:
    (folder / "other.csv").write_text(TABLE, encoding="utf-8")
    found = look("keys.merula", TableOptions({"": "other.csv"}))
    assert Path("other.csv") in found.files
    assert Path("keys.csv") not in found.files


def test_files_that_come_with_merula_are_watched() -> None:
    found = look("blm/agreement_fr", PLAIN)
    names = {path.name for path, known in found.files.items() if known}
    assert names == {"agreement_fr.merula", "agreement.merula", "agreement.tsv", "surface.toml"}


@pytest.mark.usefixtures("folder")
def test_a_change_while_a_grammar_is_read_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def changed_at_once(path: Path) -> bytes:
        data = read(path)
        if path.name == "keys.csv":
            path.write_text(TABLE + "the cat,the cats,sleeps,sleep\n", encoding="utf-8")
        return data

    monkeypatch.setattr(Path, "read_bytes", changed_at_once)
    found = look("keys.merula", PLAIN)
    assert found.files[Path("keys.csv")] != stamp(Path("keys.csv"))


# --- when it is looked at again ------------------------------------------------------------


class Clock:
    """Instead of sleeping, does the next of some steps; counts the times it was asked."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps, self.asked = list(steps), 0

    def __call__(self, seconds: float) -> None:
        assert 0 < seconds < 1
        self.asked += 1
        assert self.asked < 1000, "waits for ever"
        if self.steps:
            self.steps.pop(0)()


def nothing() -> None:
    pass


def test_nothing_is_read_while_nothing_changes(folder: Path) -> None:
    clock = Clock(*[nothing] * 50, lambda: rewrite(folder / "keys.merula", "pairs", "couples"))
    found = looks("keys.merula", PLAIN, sleep=clock)
    next(found)
    again = next(found)
    assert clock.asked > 50
    assert again.compiled is not None
    assert list(again.compiled.designs) == ["couples"]


def test_a_file_is_not_read_before_it_is_complete(folder: Path) -> None:
    table = folder / "keys.csv"

    def grow(line: str) -> Callable[[], object]:
        return lambda: table.write_text(table.read_text() + line, encoding="utf-8")

    lines = [f"the {x},the {x}s,barks,bark\n" for x in ("cat", "cow", "pig", "hen")]
    clock = Clock(*map(grow, lines))
    found = looks("keys.merula", PLAIN, sleep=clock)
    next(found)
    assert count(next(found)) == 5


def count(found: Look) -> int:
    assert found.compiled is not None
    return found.compiled.designs["pairs"].count


def test_a_file_that_never_rests_is_read_all_the_same(folder: Path) -> None:
    table = folder / "keys.csv"
    clock = Clock(*[lambda: table.write_text(table.read_text() + "\n", encoding="utf-8")] * 500)
    wait(look("keys.merula", PLAIN).files, clock)
    assert clock.asked <= MAX_QUIET_LOOKS + 1


def test_a_file_that_is_put_in_the_place_of_another(folder: Path) -> None:
    table, new = folder / "keys.csv", folder / "keys.csv~"
    new.write_text(TABLE.replace("dog", "cat"), encoding="utf-8")
    os.utime(new, ns=(table.stat().st_atime_ns, table.stat().st_mtime_ns))
    found = looks("keys.merula", PLAIN, sleep=Clock(lambda: new.replace(table)))
    next(found)
    compiled = next(found).compiled
    assert compiled is not None
    assert compiled.designs["pairs"].plans[0].slots[0].titles == ("the cat",)


def test_a_file_that_is_gone_for_a_moment_is_waited_for(folder: Path) -> None:
    grammar = folder / "keys.merula"
    text = grammar.read_text(encoding="utf-8").replace("pairs", "couples")
    steps = (grammar.unlink, nothing, nothing, nothing, lambda: grammar.write_text(text, "utf-8"))
    found = looks("keys.merula", PLAIN, sleep=Clock(*steps))
    next(found)
    assert not next(found).problems


def test_a_file_that_comes_back_as_it_was_is_no_change(folder: Path) -> None:
    table, away = folder / "keys.csv", folder / "away"
    steps = (
        lambda: table.rename(away),
        lambda: away.rename(table),
        *[nothing] * 20,
        lambda: rewrite(table, "dog", "cat"),
    )
    clock = Clock(*steps)
    wait(look("keys.merula", PLAIN).files, clock)
    assert clock.asked > 22


def test_a_file_that_stays_away_is_reported(folder: Path) -> None:
    found = looks("keys.merula", PLAIN, sleep=Clock((folder / "keys.csv").unlink))
    next(found)
    assert [problem.code for problem in next(found).problems] == ["M601"]


# --- the command ---------------------------------------------------------------------------

ENDS = "waiting for changes, Ctrl-C ends"
SECONDS = 120  # a busy machine may be slow, one that hangs is found


class Watching:
    """A running ``merula watch``: what it prints, a round at a time."""

    def __init__(self, *args: str) -> None:
        command = [sys.executable, "-m", "merula.cli", "watch", *args]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.decode())
        self.lines.put(None)

    def round(self) -> str:
        text = ""
        while ENDS not in text:
            line = self.lines.get(timeout=SECONDS)
            assert line is not None, text
            text += line
        return text

    def end(self) -> tuple[int, str]:
        """Press Ctrl-C; what the command returns and what it says on standard error."""
        assert self.process.stderr is not None
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=SECONDS)
        return code, self.process.stderr.read().decode()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def watching() -> Iterator[Callable[..., Watching]]:
    running: list[Watching] = []

    def start(*args: str) -> Watching:
        running.append(Watching(*args))
        return running[-1]

    yield start
    for one in running:
        one.close()


def drawn(text: str) -> str:
    """A round without its first, empty line and its last, which tells the time."""
    return text.strip().rpartition("\n")[0]


def test_a_session(folder: Path, watching: Callable[..., Watching]) -> None:
    session = watching("keys.merula")
    first = session.round()
    assert "1   sg            sg                The dog    barks!" in first
    assert "1 design, 1 instance — waiting" in first
    assert "\x1b" not in first
    rewrite(folder / "keys.merula", "verb.number", "verb.numbr")
    faulty = session.round()
    assert "error[M103]: `verb` has no attribute `numbr`" in faulty
    assert "1 error — waiting" in faulty
    rewrite(folder / "keys.merula", "verb.numbr", "verb.number")
    assert drawn(session.round()) == drawn(first)
    rewrite(folder / "rules.merula", "subj verb", '"look:" subj verb')
    assert "Look:   the dog" in session.round()
    (folder / "keys.csv").write_text(TABLE + "the cat,the cats,sleeps,sleep\n", encoding="utf-8")
    assert "1 design, 2 instances — waiting" in session.round()
    rewrite(folder / "lexicons" / "xx" / "surface.toml", "!", "?")
    asked = session.round()
    assert "barks?" in asked or "sleeps?" in asked
    assert session.end() == (0, "")


def test_what_is_drawn_can_be_chosen(folder: Path, watching: Callable[..., Watching]) -> None:
    with (folder / "keys.merula").open("a", encoding="utf-8") as file:
        file.write("paradigm verbs = verb.number\n")
    session = watching("keys.merula", "--design", "verbs")
    first = session.round()
    assert "verbs · clause" in first
    assert "pairs · clause" not in first
    assert "2 designs, 2 instances" in first
    rewrite(folder / "keys.merula", "paradigm verbs", "paradigm others")
    assert "error[M610]: there is no paradigm or matrix named verbs" in session.round()
    assert session.end() == (0, "")


def test_a_grammar_may_be_written_while_it_is_watched(
    folder: Path, watching: Callable[..., Watching]
) -> None:
    session = watching("new.merula")
    assert "error[M601]: the grammar new.merula does not exist" in session.round()
    (folder / "new.merula").write_text(GRAMMAR, encoding="utf-8")
    assert "The dog" in session.round()
    assert session.end() == (0, "")


def test_a_terminal_is_cleared(folder: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "merula.cli", "watch", "keys.merula"]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        assert screen(ours).startswith("\x1b[2J\x1b[1;1H")
        rewrite(folder / "keys.merula", "pairs", "couples")
        again = screen(ours)
        assert again.startswith("\x1b[2J\x1b[1;1H")
        assert "couples" in again
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=SECONDS) == 0
        os.close(ours)


def screen(terminal: int) -> str:
    data = b""
    while ENDS.encode() not in data or not data.endswith(b"\n"):
        data += os.read(terminal, 4096)
    return data.decode()


@pytest.mark.usefixtures("folder")
def test_options_are_read_at_once() -> None:
    command = [sys.executable, "-m", "merula.cli", "watch", "keys.merula", "--column", "sg"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 2
    assert "should be NAME=HEADER" in done.stderr
