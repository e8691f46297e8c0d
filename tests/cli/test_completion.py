"""What a shell completes, asked as the shells ask."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from merula.cli import COMMANDS, main
from merula.cli.completion import SHELLS

SCRIPTS = Path(sys.executable).parent
HEAVY = {"asyncio", "hypothesis", "jinja2", "lark", "numpy", "pyarrow", "rich"}
MODULES = 250  # with Python's own; a start of Python alone loads 30
NPI = [
    f"npi/{name}"
    for name in (
        *("adverbs", "conditionals", "determiner_negation", "embedded_questions", "only"),
        *("quantifiers", "sentential_negation", "simple_questions", "superlatives"),
    )
]
BLM = [
    f"blm/{name}"
    for name in (
        *("agreement_en", "agreement_es", "agreement_fr", "agreement_it", "causative_it"),
        *("object_drop_it", "spray_load", "spray_load_balanced", "spray_load_seed"),
    )
]
PACKAGED = [*BLM, *NPI]

GRAMMAR = """\
phenomenon x
paradigm numbers "all" = a × b
matrix six = 6 items
  matrix cycles a | b every 1
matrix
  = faulty
paradigm persons = (
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("keys.merula", "more keys.merula", "sub/deep.merula", "sub/table.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "npi").mkdir()
    (tmp_path / "folder.merula").mkdir()
    return tmp_path


def completed(*words: str) -> list[str]:
    """What can stand for the last word; a folder of the shell's own is ``<dir>``."""
    *before, unfinished = words
    found = ShellComplete(main, {}, "merula", "_MERULA_COMPLETE").get_completions(
        before, unfinished
    )
    return ["<dir>" if item.type == "dir" else item.value for item in found]


def test_commands_are_completed() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("che") == ["check"]
    assert completed("completion", "") == list(SHELLS)


@pytest.mark.parametrize("command", ["check", "show", "count", "generate"])
def test_grammars_are_completed(command: str) -> None:
    assert completed(command, "") == [*PACKAGED, "keys.merula", "more keys.merula", "<dir>"]
    assert completed(command, "np") == [*NPI, "<dir>"]
    assert completed(command, "npi/se") == ["npi/sentential_negation"]
    assert completed(command, "k") == ["keys.merula"]
    assert completed(command, "sub/") == ["sub/deep.merula"]
    assert completed(command, "./sub/d") == ["./sub/deep.merula"]
    assert completed(command, "~/sub/d") == ["~/sub/deep.merula"]


def test_several_grammars_are_completed() -> None:
    assert completed("check", "keys.merula", "k") == ["keys.merula"]


@pytest.mark.parametrize("unfinished", ["nowhere/x", "~nobody/x", "\0", "keys.merula/"])
def test_a_path_that_leads_nowhere(unfinished: str) -> None:
    assert completed("check", unfinished) == []


def test_only_ones_own_grammars_are_laid_out() -> None:
    assert completed("fmt", "") == ["keys.merula", "more keys.merula", "<dir>"]
    assert completed("fmt", "npi/") == []


def test_designs_are_completed() -> None:
    assert completed("show", "keys.merula", "--design", "") == ["numbers", "six", "persons"]
    assert completed("show", "keys", "-n", "2", "-d", "p") == ["persons"]
    assert completed("show", "npi/sentential_negation", "-d", "") == ["ever", "any"]
    assert completed("show", "nowhere.merula", "-d", "") == []
    assert completed("show", "-d", "") == []


def test_designs_of_imported_files_are_completed(folder: Path) -> None:
    text = 'import "keys.merula"{}\nimport "sub/deep.merula"\nmatrix mine = six\n'
    file = folder / "mine.merula"
    file.write_text(text.format(" with designs"), encoding="utf-8")
    assert completed("show", "mine", "-d", "") == ["numbers", "six", "persons", "mine"]
    file.write_text(text.format(""), encoding="utf-8")
    assert completed("show", "mine", "-d", "") == ["mine"]
    assert completed("show", "blm/agreement_es", "-d", "b") == ["balanced"]


def test_languages_are_completed() -> None:
    assert completed("new", "x", "--lang", "f") == ["fr"]
    assert {"en", "it"} < set(completed("new", "x", "--lang", ""))
    assert completed("new", "x", "--like", "blm", "--lang", "d") == ["de"]
    assert completed("new", "x", "--lang", "zz") == []


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", **more}


def in_bash(script: str) -> str:
    done = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(merula completion bash)"\n{script}'],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def asked_by_bash(*words: str) -> list[str]:
    """What bash gets for the last of some words, and what it is told besides (``compopt``)."""
    return in_bash(
        "compopt() { echo compopt $*; }\n"
        f"COMP_WORDS=(merula {shlex.join(words)}); COMP_CWORD={len(words)}\n"
        "_merula_completion merula\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    ).splitlines()


def test_bash_completes() -> None:
    assert in_bash("complete -p merula") == "complete -o nosort -F _merula_completion merula\n"
    assert asked_by_bash("che") == ["check"]
    assert asked_by_bash("fmt", "mo") == ["compopt -o filenames", "more keys.merula"]
    assert asked_by_bash("fmt", "more\\ k") == ["compopt -o filenames", "more keys.merula"]
    assert asked_by_bash("count", "np") == ["compopt -o plusdirs", *NPI]
    assert asked_by_bash("generate", "keys", "--out", "s") == ["compopt -o plusdirs", ""]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_can_be_read_by_its_shell(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell], catch_exceptions=False)
    assert done.exit_code == 0
    assert f"_MERULA_COMPLETE={shell}_complete" in done.output
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    subprocess.run([shell, "-n"], input=done.output, encoding="utf-8", check=True)


def test_another_shell_is_refused() -> None:
    done = CliRunner().invoke(main, ["completion", "powershell"], catch_exceptions=False)
    assert done.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in done.output


def modules_loaded(words: str) -> set[str]:
    """The modules that one completion loads."""
    given = environment(
        _MERULA_COMPLETE="bash_complete",
        COMP_WORDS=f"merula {words}",
        COMP_CWORD=str(len(words.split(" "))),
    )
    command = [sys.executable, "-X", "importtime", str(SCRIPTS / "merula")]
    done = subprocess.run(command, env=given, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}


@pytest.mark.parametrize("words", ["", "check np", "show npi/sentential_negation -d "])
def test_completing_is_quick(words: str) -> None:
    """It reads a grammar at most: nothing that takes long to load, and no room that compiles."""
    loaded = modules_loaded(words)
    assert "merula.cli.grammars" in loaded
    names = {  # which options list; nothing else of these rooms
        f"merula.{room}{module}"
        for room in ("audit", "data", "exports")
        for module in ("", ".format_names")
    }
    rooms = {name.split(".")[1] for name in loaded - names if name.startswith("merula.")}
    assert rooms <= {"cli", "core", "grammar", "language", "lexicon"}
    assert HEAVY & loaded == set()
    assert len(loaded) < MODULES
