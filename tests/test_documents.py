"""The commands in README.md and docs/ run, and print what the pages say they print.

The fenced blocks of a page are taken in order, in one empty folder a page:

- a block with a title, as in ```` ```merula title="name.merula" ````, is written to that file;
- one with ``adds="name.merula"`` goes to the end of that file, and each line of one with
  ``changes="name.merula"`` takes the place of the file's only line that begins with the same word;
- an ``sh`` block is run as one script, and so is a ``console`` block without prompts;
- in a ``console`` block with prompts each line after ``$ `` is a command, and the lines up to the
  next prompt are its exact output, but for spaces at line ends. A command that ends in a backslash
  goes on in the next line, which may begin with ``> ``.

A comment just above a block changes that: ``<!-- not run: reason -->`` leaves the block out, and
``<!-- exits: 1 -->`` names the exit code of its commands, which otherwise is 0. After
``<!-- varies: reason -->`` only the first line of an output has to be as the page says. Commands
that set up a checkout (`SKIPPED`) are left out everywhere.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from document_blocks import ROOT, WARM, Block, blocks, write

# The pages of docs/errors are not among them: each section is run apart (test_errors).
PAGES = sorted([*ROOT.glob("README.md"), *ROOT.glob("docs/*.md")])
SECONDS = 600
# Hypothesis takes a machine where this is set for one of continuous integration, on which examples
# may be slow; nothing else that the pages run looks at it.
SLOW_MACHINE = {"TF_BUILD": "true"}
CI = ("CI", "BUILD_NUMBER")  # a reader has none of these; pytest says more where they are set

# How these commands begin. They set up a checkout; the tests run in one that is set up.
SKIPPED = (
    ". .venv/bin/activate",
    "cd merula",
    "git",
    "make",
    "pip",
    "python3 -m venv",
    "source .venv/bin/activate",
)


@dataclass(frozen=True)
class Command:
    """A script, and what it has to print; None where the page does not say."""

    script: str
    output: str | None = None
    source: str = ""  # the command as it stands in the block


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block, without those that set up a checkout."""
    if block.language not in {"sh", "console"}:
        return
    before, *prompted = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if block.language == "sh" or not prompted:
        script = "".join(filter(wanted, logical_lines(block.text)))
        yield Command(script)
        return
    assert not before, f"line {block.line}: output without a command"
    for part in prompted:
        command = next(logical_lines(part))
        if wanted(command):
            script = re.sub(r"^> ", "", command, flags=re.MULTILINE)
            yield Command(script, part[len(command) :], command)


def logical_lines(script: str) -> Iterator[str]:
    """Yield the lines of a script, joined with the next where they end in a backslash."""
    yield from re.findall(r"(?:.*\\\n)*.*\n", script)


def wanted(command: str) -> bool:
    return not f"{command.strip()} ".startswith(tuple(f"{start} " for start in SKIPPED))


def check_page(page: str, folder: Path) -> None:
    """Write the titled blocks of a page to `folder`, run its commands there, compare."""
    for block in blocks(page):
        for command, output in run_block(block, folder):
            where = f"the block at line {block.line}: {command.script}"
            if command.output is not None:
                lines = 1 if block.varies else None
                assert trimmed(output)[:lines] == trimmed(command.output)[:lines], where


def rewritten(page: str, folder: Path) -> str:
    """The page with what its commands print now."""
    lines = page.splitlines(keepends=True)
    for block in blocks(page):
        text, at = block.text, 0
        for command, output in run_block(block, folder):
            if command.output is not None:
                shown = "".join(f"{line}\n" for line in trimmed(output))
                start = text.index(f"$ {command.source}", at) + len(f"$ {command.source}")
                text = text[:start] + shown + text[start + len(command.output) :]
                at = start + len(shown)
        if text != block.text:
            last = block.line + block.text.count("\n")
            lines[block.line : last] = [text, *[""] * (last - block.line - 1)]
    return "".join(lines)


def run_block(block: Block, folder: Path) -> Iterator[tuple[Command, str]]:
    """Write a block's file, or run its commands; yields each with what it prints."""
    if block.skipped:
        return
    if block.file is not None:
        how, name = block.file
        write(block, how, folder / name)
    for command in commands(block):
        yield command, run_command(command, block, folder)


def run_command(command: Command, block: Block, folder: Path) -> str:
    """Run one command as a reader would; its output, standard error among it."""
    scripts = Path(sys.executable).parent
    own = {name: value for name, value in os.environ.items() if name not in CI}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command.script],
        cwd=folder,
        env=own
        | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80", "NO_COLOR": "1"}
        | SLOW_MACHINE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    where = f"the block at line {block.line}: {command.script}"
    assert done.returncode == block.exit_code, f"{where}{done.stdout}"
    return done.stdout


def trimmed(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_commands_of(page: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    text = page.read_text(encoding="utf-8")
    if "from hypothesis import" in text:
        subprocess.run([sys.executable, "-c", WARM], cwd=tmp_path, check=True)
    if pytestconfig.getoption("rewrite"):
        page.write_text(rewritten(text, tmp_path), encoding="utf-8")
    else:
        check_page(text, tmp_path)


def test_a_page_is_rewritten(tmp_path: Path) -> None:
    stale = SAMPLE.replace("\none\n$ pip", "\nold\nolder\n$ pip")
    assert stale != SAMPLE
    assert rewritten(stale, tmp_path) == SAMPLE


SAMPLE = """\
Write a file:

```text title="notes/a.txt"
one
```

1. Then read it:

   ```sh
   git clone \\
     nowhere
   make
   grep one notes/a.txt > b.txt
   ```

````console
$ cat \\
>   b.txt
one
$ pip install merula
Collecting merula
$ true
$ echo '```'   # two lines
```
````

<!-- exits: 3 -->

```console
$ echo no >&2; exit 3
no
```

<!-- not run: there is no such command -->
```sh
no-such-command
```
"""


CHANGED = """\
```text title="a.txt"
one 1
two 2
```

```text adds="a.txt"
three 3
```

```text changes="a.txt"
  two 22
```

```console
$ cat a.txt
one 1
  two 22
three 3
```
"""


def test_a_file_is_changed_line_by_line(tmp_path: Path) -> None:
    check_page(CHANGED, tmp_path)


def test_an_output_that_varies_begins_as_the_page_says(tmp_path: Path) -> None:
    check_page("<!-- varies: by chance -->\n```console\n$ echo a; echo b\na\nc\n```\n", tmp_path)


def test_a_page_is_run_in_order(tmp_path: Path) -> None:
    check_page(SAMPLE, tmp_path)
    assert (tmp_path / "b.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```sh\nfalse\ntrue\n```\n", "the block at line 1"),
        ("```sh\nfalse | cat\n```\n", "the block at line 1"),
        ("\n```console\n$ echo a\nb\n```\n", "the block at line 2"),
        ("```console\n$ echo a\n```\n", "echo a"),
        ("```console\na\n$ echo a\n```\n", "output without a command"),
        ("<!-- exits: 1 -->\n```sh\ntrue\n```\n", "the block at line 2"),
        ('```text title="a"\na 1\n```\n```text changes="a"\nb 1\n```\n', "0 lines like b"),
        ('```text title="a"\na 1\na 2\n```\n```text changes="a"\na 3\n```\n', "2 lines like a"),
        ("<!-- varies: x -->\n```console\n$ echo a\nb\n```\n", "the block at line 2"),
        ("<!-- not run: -->\n```sh\nfalse\n```\n", "the block at line 2"),
    ],
)
def test_a_page_that_is_wrong_fails(page: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=message):
        check_page(page, tmp_path)
