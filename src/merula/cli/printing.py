"""What commands print: problems, drawings, progress, and where they were interrupted."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from merula.core.progress import Progress
from merula.core.resources import SUFFIX

if TYPE_CHECKING:
    from rich.console import RenderableType

    from merula.core.diagnostics import Diagnostic

INTERRUPTED = 130  # the exit code of a command that Ctrl-C has ended: 128 + SIGINT


def print_problems(problems: Iterable[Diagnostic], *, err: bool = False) -> None:
    """Print problems, coloured in a terminal, unless the variable ``NO_COLOR`` is set."""
    coloured = (sys.stderr if err else sys.stdout).isatty() and not os.environ.get("NO_COLOR")
    for problem in problems:
        text = problem.render()
        if coloured:
            first, *rest = text.split("\n")
            head, colon, message = first.partition(": ")
            title = click.style(head, fg=_COLOURS[problem.severity], bold=True) + colon + message
            text = "\n".join([title, *(_coloured(line, problem) for line in rest)])
        click.echo(f"{text}\n", err=err)


_COLOURS = {"error": "red", "warning": "yellow"}


def _coloured(line: str, problem: Diagnostic) -> str:
    """Return a line of a rendered problem with its marks and, of a grammar, its words coloured."""
    marks = re.match(r"( +\| +)(\^+|-+)", line)
    if marks:
        colour = _COLOURS[problem.severity] if marks[2][0] == "^" else "blue"
        return marks[1] + click.style(marks[2], fg=colour, bold=True) + line[marks.end() :]
    quoted = re.match(r"(\d+) \| ", line)
    for span in (label.span for label in problem.labels):
        number, _ = span.source.position(span.start)
        of_grammar = span.source.path is not None and span.source.path.suffix == SUFFIX
        if quoted and of_grammar and int(quoted[1]) == number:
            code = span.source.line(number)
            if code.rstrip() == line[quoted.end() :]:  # neither cut nor with signs replaced
                return quoted[0] + _coloured_code(span.source.text, number)
    return line


def _coloured_code(text: str, number: int) -> str:
    """Return a line of a grammar in colours; the first is number one."""
    from merula.language.highlight import by_line

    styles: dict[str, dict[str, Any]] = {
        "Comment": {"fg": "bright_black"},
        "Keyword": {"bold": True},
        "String": {"fg": "green"},
        "Type": {},  # a category is a name
    }
    parts = []
    for kind, word in by_line(text)[number - 1]:
        style = next((styles[name] for name in kind[::-1] if name in styles), None)
        parts.append(click.style(word, **style) if style else word)
    return "".join(parts).rstrip()


def draw(drawing: RenderableType) -> None:
    """Print a drawing as wide as the terminal, or in a file as wide as it needs to be."""
    from rich.console import Console

    from merula.show.terminal import text_of

    if sys.stdout.isatty():
        Console(highlight=False).print(drawing)
    else:
        click.echo(text_of(drawing))


def progress_line(what: str, done: int, of: int) -> None:
    """Show how far the work is, in one line that is written over."""
    share = f": {done:,} of {of:,}" if of else ""
    end = "\n" if of and done == of else "\r"
    click.echo(f"\r\033[K{what}{share}{end}", err=True, nl=False)


def progress_shown(*, quiet: bool) -> Progress | None:
    """Return `progress_line` in a terminal, unless ``quiet``; elsewhere None."""
    return progress_line if sys.stderr.isatty() and not quiet else None


@contextmanager
def interrupted(what_is_left: str) -> Iterator[None]:
    """Say what is left when the user interrupts the block, and exit with `INTERRUPTED`.

    ``what_is_left`` ends the line "interrupted: …".
    """
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\ninterrupted: {what_is_left}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
