"""The explanations of codes in docs/errors.md, and ``merula explain``, which prints them.

Each section of the page is run as a spec (`spec_runner`). The first command has to meet the problem
that the section is about. What stands after it mends the problem: files and changes are written,
and the same command runs again. Where no input is known that leads to the problem, a comment stands
instead of an example, ``<!-- no example: reason -->``. ``pytest tests/test_errors.py --rewrite``
writes what the commands print now into the page.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from merula.cli import main
from merula.explain import Explanation, explanations
from spec_runner import FENCE, Ran, Section, commands, run, run_section, sections

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errors.md"
KNOWN = explanations()
CODES = [section for section in sections(PAGE) if re.match(r"M\d{3} ", section.title)]

# Stands in a section instead of an example.
NO_EXAMPLE = re.compile(r"<!-- no example: .+ -->")

# What the small examples lack on purpose: tables, a design.
LACKING = {"M112", "M113"}


def codes_in_source() -> set[str]:
    """The codes that some module of Merula reports."""
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")]
    return {code for text in texts for code in re.findall(r'"(M\d{3})"', text)}


def test_every_code_is_explained() -> None:
    missing = sorted(codes_in_source() - KNOWN.by_code.keys())
    assert not missing, f"docs/errors.md has no section for {', '.join(missing)}"


def test_every_explained_code_exists() -> None:
    assert not sorted(KNOWN.by_code.keys() - codes_in_source())


def test_sections_stand_in_order_in_their_chapters() -> None:
    headings = re.findall(r"^## (M\S+) · (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    codes = [code.replace("xx", "") for code, _ in headings]
    assert codes == sorted(set(codes))
    assert len({title for _, title in headings}) == len(headings)
    for chapter in KNOWN.chapters:
        assert all(part.code[:2] == chapter.name[:2] for part in chapter.sections)


# --- the examples --------------------------------------------------------------------------------


def printed(ran: Ran) -> Sequence[str]:
    """What a command printed; it failed if and only if it printed an error."""
    assert bool(ran.code) == any(line.startswith("error[") for line in ran.lines), ran
    return ran.lines


def found_codes(lines: Sequence[str]) -> set[str]:
    return set(re.findall(r"^(?:error|warning)\[(M\d{3})\]", "\n".join(lines), re.MULTILINE))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, in which rights count for everybody (root has all elsewhere)."""
    read, access, scan = Path.read_bytes, os.access, os.scandir

    def allowed(path: Any, rights: int) -> bool:
        return bool(Path(path).stat().st_mode & (rights << 6 | rights << 3 | rights))

    def demand(path: Any, rights: int) -> None:
        if not isinstance(path, int) and not allowed(path, rights):
            raise PermissionError(13, "Permission denied", str(path))

    def read_bytes(path: Path) -> bytes:
        demand(path, os.R_OK)
        return read(path)

    def scandir(path: Any = ".") -> Any:
        demand(path, os.R_OK)
        return scan(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "access", lambda p, mode: access(p, mode) and allowed(p, mode))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("section", CODES, ids=lambda section: section.title[:4])
def test_the_example_of(section: Section, folder: Path, pytestconfig: pytest.Config) -> None:
    code = section.title[:4]
    now = run_section(section.text, folder, printed)
    if NO_EXAMPLE.search(section.text):
        assert "```console" not in section.text
        return
    blocks = [(info, content) for _, info, content in FENCE.findall(now)]
    (failing, *mended) = [content for info, content in blocks if info == "console"]
    assert code in found_codes(failing.splitlines())
    warns = f"\nwarning[{code}]" in failing
    assert ("*A warning.*" in section.text) == warns
    assert not any(code in found_codes(content.splitlines()) for content in mended)
    after = blocks[[info for info, _ in blocks].index("console") + 1 :]
    if any(info != "console" for info, _ in after):
        again = run(commands(failing)[-1])
        assert found_codes(printed(again)) <= LACKING - {code}, "\n".join(again.lines)
    if pytestconfig.getoption("rewrite") and now != section.text:
        text = PAGE.read_text(encoding="utf-8")
        assert section.text in text
        PAGE.write_text(text.replace(section.text, now), encoding="utf-8")
    else:
        assert now.splitlines() == section.text.splitlines()


# --- merula explain ------------------------------------------------------------------------------


def merula(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments], prog_name="merula", catch_exceptions=False)


@pytest.mark.parametrize("code", ["M420", "m420", "420", "[M420]", "warning[M420]:"])
def test_a_code_is_taken_as_it_is_typed_or_copied(code: str) -> None:
    result = merula("explain", code)
    assert result.exit_code == 0
    assert result.output.startswith("M420 · Lexemes whose forms are alike\n\nA warning. Cells ")
    assert "\n    $ merula check animals.merula\n    warning[M420]: " in result.output
    assert "\nIn animals.merula:\n\n     objects\n" in result.output
    assert "```" not in result.output


def test_several_codes_are_explained_once_each() -> None:
    output = merula("explain", "M101", "M420", "101").output
    assert re.findall(r"^M\d{3} ·", output, re.MULTILINE) == ["M101 ·", "M420 ·"]


def test_all_codes_are_listed() -> None:
    output = merula("explain").output
    assert output.startswith("M0xx  How a grammar is written\n  M001  A section that does not")
    assert re.findall(r"^  (M\d{3})  \S", output, re.MULTILINE) == list(KNOWN.by_code)


def test_what_a_program_reads() -> None:
    (found,) = json.loads(merula("explain", "M101", "--format", "json").output)
    expected = KNOWN.by_code["M101"]
    assert Explanation(found["code"], found["title"], found["markdown"]) == expected
    assert len(json.loads(merula("explain", "--format", "json").output)) == len(KNOWN.by_code)
    markdown = merula("explain", "M101", "--format", "markdown").output
    assert markdown in PAGE.read_text(encoding="utf-8")
    assert merula("explain", "--format", "markdown").output.startswith("- **M001** A section")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("M429", "there is no code M429; did you mean M428?"),
        ("999", "there is no code M999; `merula explain` lists all codes"),
        ("agreement", "there is no code 'agreement'; `merula explain` lists all codes"),
        ("", "there is no code ''; `merula explain` lists all codes"),
    ],
)
def test_an_unknown_code(code: str, message: str) -> None:
    result = merula("explain", code)
    assert result.exit_code == 2
    assert message in result.output


def test_a_shell_completes_codes() -> None:
    environment = {
        "COMP_WORDS": "merula explain m42",
        "COMP_CWORD": "2",
        "_MERULA_COMPLETE": "zsh_complete",
    }
    output = CliRunner().invoke(main, prog_name="merula", env=environment).output
    assert output.startswith("plain\nM420\nLexemes whose forms are alike\nplain\nM421\n")


def started(*command: str) -> Iterator[str]:
    """The lines that a command prints in a terminal."""
    reader, terminal = pty.openpty()
    done = subprocess.Popen(command, stdout=terminal, stderr=terminal, cwd=ROOT)
    os.close(terminal)
    output = b""
    while True:
        try:
            read = os.read(reader, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not read:
            break
        output += read
    os.close(reader)
    done.wait()
    yield from output.decode().replace("\r\n", "\n").splitlines()


def test_explaining_loads_nothing_heavy() -> None:
    program = """
import sys
from merula.cli import main
main(["explain", "M420"], standalone_mode=False)
print([x for x in ("numpy", "pyarrow", "lark", "rich") if x in sys.modules])
"""
    *shown, loaded = started(sys.executable, "-c", program)
    assert loaded == "[]"
    assert shown[0] == "\x1b[1mM420 · Lexemes whose forms are alike\x1b[0m"


def test_a_terminal_is_told_where_to_read_on(tmp_path: Path) -> None:
    file = tmp_path / "x.merula"
    file.write_text('phenomenon x\nobject\n  a : b\nframes\n  f = a "\n  a = b\n', encoding="utf-8")
    command = [sys.executable, "-m", "merula.cli", "check", str(file)]
    assert list(started(*command))[-1] == (
        "\x1b[2m`merula explain M001 M005 M129` tells more\x1b[0m"
    )
    piped = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "tells more" not in piped
    file.write_text('phenomenon x\nframes\n  f = "a"\n', encoding="utf-8")
    assert "`merula explain M112` tells more" in list(started(*command))[-1]
