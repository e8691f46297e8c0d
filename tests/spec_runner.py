"""Runs Markdown that holds programs with commands and what those print, word for word.

A section (``## title``) has a folder of its own. Its fenced blocks are taken in order:

- a block with a title, as in ```` ```merula title="x.merula" ````, is written to that file.
  ``as="cp1252"`` names an encoding other than UTF-8, ``as="zip"`` packs the block into an archive;
  with ``times="900"`` the last line stands so often;
- a ``diff`` block, as in ```` ```diff changes="x.merula" ````, changes that file: its lines that
  begin with a minus or a space stand beside each other once in the file, and those that begin with
  a plus or a space take their place;
- in a ``console`` block each line after ``$ `` is a command, and the lines up to the next one are
  its exact output, standard error among it, but for spaces at line ends. Commands are ``merula …``,
  ``cat FILE``, ``ls FOLDER``, ``mkdir FOLDER`` and ``chmod a-r FILE`` or ``a-w``.
"""

from __future__ import annotations

import re
import shlex
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from merula.cli import main

FENCE = re.compile(r"^(`{3,})(.*)\n((?:.*\n)*?)\1\n", re.MULTILINE)
OPTION = re.compile(r'(\w+)="([^"]+)"')


@dataclass(frozen=True)
class Section:
    """A section of a page: where it stands, and its text from its title on."""

    path: Path
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"


@dataclass(frozen=True)
class Ran:
    """A command that ran: the lines it printed and its exit code."""

    command: str
    lines: tuple[str, ...]
    code: int


def sections(path: Path) -> Iterator[Section]:
    """Yield the sections of a page in order."""
    for part in re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0].removeprefix("## ").strip()
        yield Section(path, title, part)


def with_exit_code(ran: Ran) -> Sequence[str]:
    """What a command printed, with ``[exit 1]`` under it where it ended with that code."""
    return [*ran.lines, f"[exit {ran.code}]"] if ran.code else ran.lines


def run_section(
    text: str, folder: Path, shown: Callable[[Ran], Sequence[str]] = with_exit_code
) -> str:
    """The section's text with what its commands print in ``folder``, the working folder.

    ``shown`` says which lines stand under a command.
    """

    def block(found: re.Match[str]) -> str:
        fence, info, content = found.groups()
        options = dict(OPTION.findall(info))
        if "title" in options:
            write(folder / options["title"], content, options)
        elif "changes" in options:
            file = folder / options["changes"]
            file.write_text(changed(file.read_text(encoding="utf-8"), content), encoding="utf-8")
        elif info.strip() == "console":
            content = "".join(
                f"{line}\n"
                for ran in map(run, commands(content))
                for line in (f"$ {ran.command}", *shown(ran))
            )
        return f"{fence}{info}\n{content}{fence}\n"

    return FENCE.sub(block, text)


def write(file: Path, content: str, options: dict[str, str]) -> None:
    """Write the file of a block."""
    file.parent.mkdir(parents=True, exist_ok=True)
    last = content.splitlines(keepends=True)[-1] if content else ""
    content += last * (int(options.get("times", 1)) - 1)
    if options.get("as") == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("sheet.xml", content)
    else:
        file.write_bytes(content.encode(options.get("as", "utf-8")))


def changed(text: str, diff: str) -> str:
    """A file's text after the changes of a ``diff`` block."""
    lines = diff.splitlines(keepends=True)
    assert all(line[0] in "+- " for line in lines), "a line of a diff begins with +, - or a space"
    old = [line[1:] for line in lines if line[0] != "+"]
    new = [line[1:] for line in lines if line[0] != "-"]
    now = text.splitlines(keepends=True)
    places = [i for i in range(len(now)) if now[i : i + len(old)] == old]
    assert old, "a diff without a line that stands in the file"
    assert len(places) == 1, f"{len(places)} times in the file:\n{''.join(old)}"
    now[places[0] : places[0] + len(old)] = new
    return "".join(now)


def commands(content: str) -> list[str]:
    """The commands of a console block, without their output."""
    found = re.findall(r"^\$ (.+)$", content, flags=re.MULTILINE)
    assert content.startswith("$ "), "output without a command"
    return found


def run(command: str) -> Ran:
    """Run a command."""
    program, *arguments = shlex.split(command)
    code = 0
    if program == "merula":
        result = CliRunner().invoke(
            main, arguments, prog_name="merula", env={"NO_COLOR": "1"}, catch_exceptions=False
        )
        output, code = result.output, result.exit_code
    elif program == "cat":
        output = "".join(Path(file).read_text(encoding="utf-8") for file in arguments)
    elif program == "ls":
        names = sorted(path.name for folder in arguments for path in Path(folder).iterdir())
        output = "\n".join(names)
    elif program == "mkdir":
        output = ""
        Path(arguments[0]).mkdir()
    else:
        rights = {"a-r": 0o333, "a-w": 0o555}
        assert program == "chmod", f"a spec cannot run {program}"
        output = ""
        file = Path(arguments[1])
        file.chmod(file.stat().st_mode & rights[arguments[0]])
    lines = tuple(line.rstrip() for line in output.strip("\n").splitlines())
    return Ran(command, lines, code)
