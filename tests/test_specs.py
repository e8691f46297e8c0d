"""The specs in tests/specs: programs with commands and what those print, word for word.

A section (``## title``) has a folder of its own. Its fenced blocks are taken in order:

- a block with a title, as in ```` ```merula title="x.merula" ````, is written to that file;
- in a ``console`` block each line after ``$ `` is a command, and the lines up to the next one are
  its exact output, standard error among it, but for spaces at line ends. ``[exit 1]`` stands under
  the output of a command that ends with that code. Commands are ``merula …``, ``cat FILE`` and
  ``ls FOLDER``.

``pytest tests/test_specs.py --rewrite`` writes what the commands print now into the files.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from merula.cli import main

SPECS = Path(__file__).parent / "specs"
FENCE = re.compile(r"^(`{3,})(.*)\n((?:.*\n)*?)\1\n", re.MULTILINE)
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Section:
    """A section of a spec: where it stands, and its text from its title on."""

    path: Path
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"


def sections(path: Path) -> Iterator[Section]:
    """Yield the sections of a spec in order."""
    for part in re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0].removeprefix("## ").strip()
        yield Section(path, title, part)


ALL = [section for path in sorted(SPECS.glob("*.md")) for section in sections(path)]


def run_section(text: str, folder: Path) -> str:
    """The section's text with what its commands print in ``folder``, the working folder."""

    def block(found: re.Match[str]) -> str:
        fence, info, content = found.groups()
        title = TITLE.search(info)
        if title:
            file = folder / title[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        elif info.strip() == "console":
            content = "".join(run(command) for command in commands(content))
        return f"{fence}{info}\n{content}{fence}\n"

    return FENCE.sub(block, text)


def commands(content: str) -> list[str]:
    """The commands of a console block, without their output."""
    found = re.findall(r"^\$ (.+)$", content, flags=re.MULTILINE)
    assert content.startswith("$ "), "output without a command"
    return found


def run(command: str) -> str:
    """A command with its output, as it stands in a console block."""
    program, *arguments = shlex.split(command)
    if program == "merula":
        result = CliRunner().invoke(
            main, arguments, prog_name="merula", env={"NO_COLOR": "1"}, catch_exceptions=False
        )
        output, code = result.output, result.exit_code
    elif program == "cat":
        output, code = "".join(Path(file).read_text(encoding="utf-8") for file in arguments), 0
    else:
        assert program == "ls", f"a spec cannot run {program}"
        names = sorted(path.name for folder in arguments for path in Path(folder).iterdir())
        output, code = "\n".join(names), 0
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    if code:
        lines.append(f"[exit {code}]")
    return "".join(f"{line}\n" for line in [f"$ {command}", *lines])


@pytest.mark.parametrize("section", ALL, ids=str)
def test_spec(
    section: Section,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:
    monkeypatch.chdir(tmp_path)
    now = run_section(section.text, tmp_path)
    if pytestconfig.getoption("rewrite") and now != section.text:
        text = section.path.read_text(encoding="utf-8")
        assert section.text in text
        section.path.write_text(text.replace(section.text, now), encoding="utf-8")
    else:
        assert now.splitlines() == section.text.splitlines()


def test_titles_are_unique() -> None:
    titles = [str(section) for section in ALL]
    assert sorted(set(titles)) == sorted(titles)


SAMPLE = """\
## a section

```merula title="x.merula"
phenomenon x
```

```console
$ merula check x.merula
whatever
$ cat x.merula
```
"""


def test_output_is_put_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    now = run_section(SAMPLE, tmp_path)
    assert now.startswith(SAMPLE.partition("whatever")[0])
    assert "warning[M112]" in now
    assert now.endswith("$ cat x.merula\nphenomenon x\n```\n")
    assert run_section(now, tmp_path) == now


def test_rewrite_is_refused_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    pytester.makeconftest(conftest.replace('pytest_plugins = ["pytester"]', ""))
    pytester.makepyfile("def test_it(): pass")
    monkeypatch.setenv("CI", "true")
    refused = pytester.runpytest("--rewrite")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*--rewrite is refused where CI is set*"])
    monkeypatch.delenv("CI")
    assert pytester.runpytest("--rewrite").ret == pytest.ExitCode.OK
