"""What several commands share: how tables are read, what is compiled, how things are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from merula.compiler import Compiled, CompiledDesign
    from merula.language.diagnostics import Diagnostic
    from merula.program import TableOptions

F = TypeVar("F", bound=Callable[..., Any])


def table_options(command: F) -> F:
    """The options that say how tables are read."""
    for option in reversed(
        (
            click.option(
                "--lexicon",
                "lexicons",
                multiple=True,
                metavar="[NAME=]FILE",
                help="Use FILE instead of the table NAME (or of the only table).",
            ),
            click.option("--separator", metavar="CHAR", help="What separates a table's cells."),
            click.option("--encoding", metavar="NAME", help="How a table is encoded."),
            click.option(
                "--column",
                "columns",
                multiple=True,
                metavar="NAME=HEADER",
                help="Read the column NAME under HEADER.",
            ),
        )
    ):
        command = option(command)
    return command


def options_of(
    lexicons: Sequence[str], separator: str | None, encoding: str | None, columns: Sequence[str]
) -> TableOptions:
    """What the options of `table_options` say; raises `click.BadParameter`."""
    from merula.program import TableOptions

    files = {}
    for text in lexicons:
        name, equals, file = text.partition("=")
        if not (file if equals else text):
            raise click.BadParameter(f"{text!r} names no file", param_hint="--lexicon")
        files[name if equals else ""] = file if equals else text
    mapped = {}
    for text in columns:
        name, equals, header = text.partition("=")
        if not equals or not name or not header:
            raise click.BadParameter(f"{text!r} should be NAME=HEADER", param_hint="--column")
        mapped[name] = header
    for given, option in ((separator, "--separator"), (encoding, "--encoding")):
        if given == "":
            raise click.BadParameter("nothing is given", param_hint=option)
    return TableOptions(files, separator, encoding, mapped)


def compiled(file: str, options: TableOptions) -> Compiled | tuple[Diagnostic, ...]:
    """A compiled grammar, or what is wrong where its file cannot be read."""
    from merula.compiler import compile_source
    from merula.language.diagnostics import Report
    from merula.program import read_grammar

    report = Report()
    source = read_grammar(file, report)
    if source is None:
        return report.sorted()
    return compile_source(source, options, report=report)


def usable(file: str, options: TableOptions, *, quiet: bool = False) -> Compiled:
    """The compiled grammar of a file; errors are raised, warnings printed."""
    from merula.language.diagnostics import MerulaError

    found = compiled(file, options)
    if isinstance(found, tuple):
        raise MerulaError(found)
    if found.failed:
        raise MerulaError(found.problems)
    if found.problems and not quiet:
        number = len(found.problems)
        noun = "warning" if number == 1 else "warnings"
        click.echo(f"{file}: {number} {noun}; `merula check {file}` shows them", err=True)
    return found


def chosen(compiled: Compiled, name: str | None) -> list[CompiledDesign]:
    """The design of a name, or all designs; raises `MerulaError`."""
    from merula.language.diagnostics import MerulaError, did_you_mean, listing

    if name is None:
        return list(compiled.designs.values())
    if name not in compiled.designs:
        raise MerulaError.of(
            "M610",
            f"there is no paradigm or matrix called {name}",
            remedy=did_you_mean(name, compiled.designs) or f"there is {listing(compiled.designs)}",
            place=compiled.source.name,
        )
    return [compiled.designs[name]]


def address_in(design: CompiledDesign, address: int) -> int:
    """The address, if the design has it; raises `MerulaError`."""
    from merula.language.diagnostics import MerulaError

    if not 0 <= address < design.count:
        raise MerulaError.of(
            "M611",
            f"{design.name} has no instance {address:,}",
            remedy=f"addresses are 0 to {design.count - 1:,}",
        )
    return address


def print_problems(problems: Iterable[Diagnostic], *, err: bool = False) -> None:
    """Print problems, coloured in a terminal."""
    for problem in problems:
        colour = "red" if problem.severity == "error" else "yellow"
        first, *rest = problem.render().split("\n")
        head, colon, message = first.partition(": ")
        click.echo(click.style(head, fg=colour, bold=True) + colon + message, err=err)
        click.echo("\n".join([*rest, ""]), err=err)


def draw(drawing: RenderableType) -> None:
    """Print a drawing: as wide as the terminal, or as wide as it needs where there is none."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(drawing)
        return
    console = Console(highlight=False, width=10_000, color_system=None, record=False)
    with console.capture() as capture:
        console.print(drawing)
    click.echo("\n".join(line.rstrip() for line in capture.get().split("\n")).rstrip("\n"))
