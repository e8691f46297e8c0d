"""What commands print where no terminal is: UTF-8, whatever the locale says."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from merula.cli import main

GRAMMAR = """\
phenomenon согласование
language en
lexicon noun "слова.csv"
objects
  субъект : noun (число)
attributes
  число = ед | мн
frames
  фраза = субъект   "спит"
paradigm числа = субъект.число
"""
TABLE = "lemma,ед,мн\nкот,кот,коты\nпёс,пёс,псы\n"
COMMANDS = {
    "check": ["check", "новый.merula"],
    "check as JSON": ["check", "новый.merula", "--format", "json"],
    "show": ["show", "g.merula"],
    "show as a page": ["show", "g.merula", "--format", "html"],
    "show as lines": ["show", "g.merula", "--format", "lines"],
    "count": ["count", "g.merula"],
    "diff": ["diff", "g.merula", "g.merula", "--new-lexicon", "другие.csv"],
    "fmt": ["fmt", "g.merula", "--diff"],
    "generate": ["generate", "g.merula", "--all", "--out", "данные"],
    "verify": ["verify", "сделано"],
    "lexicon check": ["lexicon", "check", "нет.csv"],
    "lexicon stats": ["lexicon", "stats", "слова.csv"],
    "new": ["new", "мой"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    for name, text in (
        ("g.merula", GRAMMAR),
        ("новый.merula", GRAMMAR.replace("число = ед | мн", "число = ед | мн | дв")),
        ("слова.csv", TABLE),
        ("другие.csv", TABLE.replace("псы", "собаки")),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    run(folder, "generate", "g.merula", "--all", "--out", "сделано")
    return folder


def run(folder: Path, *arguments: str) -> tuple[int, bytes]:
    """The exit code of a command and what it prints, of both kinds."""
    done = subprocess.run(
        [sys.executable, "-m", "merula.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_what_no_terminal_shows_is_utf8(name: str, folder: Path) -> None:
    code, output = run(folder, *COMMANDS[name])
    text = output.decode("utf-8")
    assert code == (1 if name in ("check", "check as JSON", "lexicon check") else 0), text
    assert "Traceback" not in text
    assert any("а" <= letter <= "я" for letter in text), text


def test_a_name_that_is_no_text_is_printed_with_escapes(tmp_path: Path) -> None:
    code, output = run(tmp_path, "check", "g\udcff.merula")
    assert code == 1
    assert "g\\udcff.merula" in output.decode("utf-8")


def test_a_reader_that_has_gone_ends_a_command_quietly(folder: Path) -> None:
    command = [sys.executable, "-m", "merula.cli", "explain", "--format", "json"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


# --- verify --------------------------------------------------------------------------------------


@pytest.fixture
def data(folder: Path, tmp_path: Path) -> Path:
    """A data set of two instances."""
    shutil.copytree(folder / "сделано", tmp_path / "data")
    return tmp_path / "data"


def verified(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)], catch_exceptions=False)


def test_data_that_is_as_it_was_made(data: Path) -> None:
    (file,) = data.glob("*.parquet")
    done = verified(data)
    assert (done.exit_code, done.output) == (0, f"{file}  4 rows, as made\n")
    done = verified(data, "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    done = verified(data, data, "--format", "json")
    found = {"folder": str(data), "file": file.name, "rows": 4, "fault": "", "note": ""}
    assert (done.exit_code, json.loads(done.output)) == (0, [found, found])


@pytest.mark.parametrize("options", [(), ("--quiet",)])
def test_data_that_is_not(options: tuple[str, ...], data: Path) -> None:
    (file,) = data.glob("*.parquet")
    file.unlink()
    done = verified(data, *options)
    assert (done.exit_code, done.output) == (1, f"{file}  is missing\n")
    done = verified(data, "--format", "json", *options)
    assert done.exit_code == 1
    assert [item["fault"] for item in json.loads(done.output)] == ["is missing"]
