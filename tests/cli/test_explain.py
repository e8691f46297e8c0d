"""The explanations of codes in docs/errors, and ``merula explain``, which prints them.

Each section of the pages is run as a spec (`spec_runner`). The first command has to meet the
problem that the section is about. What comes after it mends the problem: files and changes are
written, and the same command runs again. Where no input is known that leads to the problem, there
is a comment instead of an example, ``<!-- no example: reason -->``. ``pytest
tests/cli/test_explain.py --rewrite`` writes what the commands print now into the pages, and
their index.
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
from merula.cli.explanations import Explanation, compared_words, explanations
from merula.language.tokens import KEYWORDS
from spec_runner import FENCE, Ran, Section, commands, run, run_section, sections

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "errors"
INDEX = FOLDER / "README.md"
PAGES = sorted(FOLDER.glob("M*.md"))
KNOWN = explanations()
CODES = [section for page in PAGES for section in sections(page)]

# What a section has instead of an example.
NO_EXAMPLE = re.compile(r"<!-- no example: .+ -->")

# What the small examples lack on purpose: tables, a design.
LACKING = {"M112", "M113", "M429"}


def codes_in_source() -> set[str]:
    """The codes that some module of Merula reports."""
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")]
    return {code for text in texts for code in re.findall(r'"(M\d{3})"', text)}


def test_every_code_is_explained() -> None:
    missing = sorted(codes_in_source() - KNOWN.by_code.keys())
    assert not missing, f"docs/errors has no section for {', '.join(missing)}"


def test_every_explained_code_exists() -> None:
    assert not sorted(KNOWN.by_code.keys() - codes_in_source())


def test_sections_are_in_the_order_of_their_codes() -> None:
    codes = list(KNOWN.by_code)
    assert codes == sorted(set(codes))
    assert [section.title for section in CODES] == [
        f"{section.code} · {section.title}" for section in KNOWN.by_code.values()
    ]
    assert len({section.title for section in KNOWN.by_code.values()}) == len(codes)
    assert [chapter.name for chapter in KNOWN.chapters] == [page.stem for page in PAGES]
    for chapter in KNOWN.chapters:
        assert all(section.code[:2] == chapter.name[:2] for section in chapter.sections)


# --- the index -----------------------------------------------------------------------------------

# Words of titles that nobody would look up.
STOP_WORDS = set(
    compared_words(
        "8 a about after all already also among an and another are as ask asked at be been begin "
        "belong between build by called can cannot come could do does each else ended exist "
        "expected fit for found from given go has have here hold iii in instead into is it its "
        "itself kind know like listed look ly made make many mean more named need needed neither "
        "no nobody none nor not nothing of on one only open or other otherwise out over rest same "
        "say see seem several should something such take taken tell than that the them there they "
        "this three to together too two under unlike use used utf was way well what when where "
        "which while whose with without would yes you"
    )
)


def anchor(section: Explanation) -> str:
    """The end of the address under which GitHub shows a section."""
    heading = f"{section.code} · {section.title}".lower()
    return re.sub(r"[^\w -]", "", heading).replace(" ", "-")


def index() -> str:
    """The titles of all codes by page, an index of words, and where the links lead.

    The words are those of the titles, and key words of the language that an explanation quotes.
    """
    lines = ["## All codes", ""]
    links = []
    words: dict[str, list[str]] = {}
    for chapter in KNOWN.chapters:
        page = f"{chapter.name}.md"
        lines += [f"### [{chapter.name}]({page}) · {chapter.title}", ""]
        for section in chapter.sections:
            lines.append(f"- [{section.code}] {section.title}")
            links.append(f"[{section.code}]: {page}#{anchor(section)}")
            keywords = [x for x in re.findall(r"`(\w+)`", section.text) if x in KEYWORDS]
            for word in dict.fromkeys(compared_words(" ".join([section.title, *keywords]))):
                words.setdefault(word, []).append(section.code)
        lines.append("")
    lines += ["## Words", ""]
    for word in sorted(words.keys() - STOP_WORDS):
        lines.append(f"- {word}: {', '.join(f'[{code}]' for code in words[word])}")
    return "\n".join([*lines, "", *links, ""])


def test_the_index_is_that_of_the_pages(pytestconfig: pytest.Config) -> None:
    text = INDEX.read_text(encoding="utf-8")
    now = text.partition("## All codes\n")[0] + index()
    if pytestconfig.getoption("rewrite"):
        INDEX.write_text(now, encoding="utf-8")
    else:
        assert now.splitlines() == text.splitlines()


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
        text = section.path.read_text(encoding="utf-8")
        assert section.text in text
        section.path.write_text(text.replace(section.text, now), encoding="utf-8")
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
    assert markdown in (FOLDER / "M1xx.md").read_text(encoding="utf-8")
    assert merula("explain", "--format", "markdown").output.startswith("- **M001** A section")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("M449", "there is no code M449; did you mean M440?"),
        ("999", "there is no code M999; `merula explain` lists all codes"),
        ("M42", "there is no code 'M42'; `merula explain` lists all codes"),
        ("", "there is no code ''; `merula explain` lists all codes"),
    ],
)
def test_an_unknown_code(code: str, message: str) -> None:
    result = merula("explain", code)
    assert result.exit_code == 2
    assert message in result.output


def test_a_code_and_a_word_do_not_go_together() -> None:
    result = merula("explain", "M101", "agreement")
    assert result.exit_code == 2
    assert "there is no code 'agreement'; `merula explain` lists all codes" in result.output


def hits(*words: str) -> list[str]:
    """The codes that are listed for some words."""
    result = merula("explain", *words)
    assert result.exit_code == 0
    codes = re.findall(r"^  (M\d{3})  \S", result.output, re.MULTILINE)
    assert result.output.endswith(f"\n\n{len(codes)} codes\n")
    return codes


def test_words_find_titles_before_texts() -> None:
    codes = hits("licence")
    assert codes[0] == "M710"
    assert codes[1:] == sorted(codes[1:])
    in_title = ["licence" in compared_words(KNOWN.by_code[code].title) for code in codes]
    assert in_title == sorted(in_title, reverse=True)
    assert len(codes) > sum(in_title)


@pytest.mark.parametrize(
    "words", [["LICENSOR"], ["licensors"], ["licénsor"], ["word licensors"], ["licensor", "word"]]
)
def test_words_are_found_in_another_spelling(words: Sequence[str]) -> None:
    assert hits(*words)[0] == "M431"


def test_words_of_a_message_are_found() -> None:
    output = merula("explain", "text", "has no closing quote").output
    assert output == merula("explain", "M005").output


def test_words_of_the_files_of_an_example_are_not_found() -> None:
    assert "gatto" in KNOWN.by_code["M103"].text
    assert "gatto" not in KNOWN.by_code["M103"].words()


def test_one_hit_is_explained() -> None:
    output = merula("explain", "garbled").output
    assert output == merula("explain", "M336").output
    markdown = merula("explain", "garbled", "--format", "markdown").output
    assert markdown == merula("explain", "M336", "--format", "markdown").output


def test_many_hits_are_counted_and_the_first_are_listed() -> None:
    lines = merula("explain", "grammar").output.splitlines()
    listed = [line for line in lines if line.startswith("  M")]
    found = json.loads(merula("explain", "grammar", "--format", "json").output)
    assert len(listed) == 20
    assert lines[-1] == f"{len(found)} codes; the first 20 are shown"
    assert [line[2:6] for line in listed] == [item["code"] for item in found[:20]]
    assert all(item.keys() == {"code", "title", "markdown"} for item in found)
    markdown = merula("explain", "grammar", "--format", "markdown").output.splitlines()
    assert [line[4:8] for line in markdown] == [line[2:6] for line in listed]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("lisensor", "did you mean `licensor`?"),
        ("lexicn tabels", "did you mean `lexicon table`?"),
        ("garbled licensor", "leave a word out"),
        ("xyzzy", "`merula explain` lists all codes"),
    ],
)
def test_words_that_no_explanation_contains(words: str, remedy: str) -> None:
    result = merula("explain", words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: no explanation contains `{words}`; {remedy}\n"
    result = merula("explain", words, "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, [])


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
