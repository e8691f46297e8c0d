"""The command line: arguments, printing, exit codes (0 fine, 1 the input is at fault, 2 usage)."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from merula.compiler import Compiled, CompiledDesign
    from merula.language.diagnostics import Diagnostic
    from merula.program import TableOptions

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("parquet", "arrow", "jsonl", "csv")


class _Group(click.Group):
    """Prints problems instead of tracebacks; knows the commands in the order one needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        from merula.language.diagnostics import MerulaError

        # A command makes many small values and few circles; looking for circles less often
        # saves a tenth of its time.
        gc.set_threshold(200_000, 50, 50)
        try:
            return super().invoke(ctx)
        except MerulaError as error:
            _print_problems(error.problems, err=True)
            ctx.exit(1)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="merula", prog_name="merula", message="%(prog)s %(version)s")
def main() -> None:
    """Merula: controlled linguistic data from a grammar.

    A FILE is a grammar (*.merula), or the name of one that comes with Merula, such as
    npi/sentential_negation.
    """


def _tables(command: F) -> F:
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


def _options(
    lexicons: Sequence[str], separator: str | None, encoding: str | None, columns: Sequence[str]
) -> TableOptions:
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


def _compile(file: str, options: TableOptions) -> Compiled | tuple[Diagnostic, ...]:
    from merula.compiler import compile_source
    from merula.language.diagnostics import Report
    from merula.program import read_grammar

    report = Report()
    source = read_grammar(file, report)
    if source is None:
        return report.sorted()
    return compile_source(source, options, report=report)


def _usable(file: str, options: TableOptions, *, quiet: bool = False) -> Compiled:
    """The compiled grammar of a file; errors are raised, warnings printed."""
    from merula.language.diagnostics import MerulaError

    found = _compile(file, options)
    if isinstance(found, tuple):
        raise MerulaError(found)
    if found.failed:
        raise MerulaError(found.problems)
    if found.problems and not quiet:
        number = len(found.problems)
        noun = "warning" if number == 1 else "warnings"
        click.echo(f"{file}: {number} {noun}; `merula check {file}` shows them", err=True)
    return found


# --- commands ------------------------------------------------------------------------------


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where nothing is wrong.")
@_tables
def check(files: Sequence[str], form: str, quiet: bool, **tables: Any) -> None:
    """Say everything that is wrong with grammars and their tables."""
    options = _options(**tables)
    problems: list[Diagnostic] = []
    for file in files:
        found = _compile(file, options)
        problems += found if isinstance(found, tuple) else found.problems
    if form == "json":
        click.echo(json.dumps([p.to_json() for p in problems], ensure_ascii=False, indent=2))
    else:
        _print_problems(problems)
        if problems or not quiet:
            click.echo(_summary(files, problems), err=bool(quiet))
    if any(p.severity == "error" for p in problems):
        raise click.exceptions.Exit(1)


def _summary(files: Sequence[str], problems: Sequence[Diagnostic]) -> str:
    errors = sum(p.severity == "error" for p in problems)
    warnings = len(problems) - errors
    noun = "file" if len(files) == 1 else "files"
    if not problems:
        return f"{len(files)} {noun} checked: no problems"
    return (
        f"{len(files)} {noun} checked: {errors} error{'s' * (errors != 1)},"
        f" {warnings} warning{'s' * (warnings != 1)}"
    )


@main.command()
@click.argument("file", metavar="FILE")
@click.option("--design", "-d", metavar="NAME", help="Only this paradigm or matrix.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which instances are shown.")
@click.option("-n", "number", type=click.IntRange(1), default=1, show_default=True)
@click.option("--instance", "-i", type=int, help="The instance at this address.")
@click.option("--template", is_flag=True, help="The cells without lexemes.")
@click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
@_tables
def show(
    file: str,
    design: str | None,
    seed: int,
    number: int,
    instance: int | None,
    template: bool,
    quiet: bool,
    **tables: Any,
) -> None:
    """Draw instances of a paradigm or a matrix."""
    from merula.permute import Permutation
    from merula.show import draw_instance, draw_template

    compiled = _usable(file, _options(**tables), quiet=quiet)
    drawings: list[RenderableType] = []
    for item in _chosen(compiled, design):
        if template or not item.plans:
            drawings.append(draw_template(item))
        elif instance is not None:
            drawings.append(draw_instance(compiled, item, _address(item, instance)))
        else:
            order = Permutation(item.count, seed)
            rows = order.rows(0, min(number, item.count)).tolist()
            drawings += [draw_instance(compiled, item, int(address)) for address in rows]
    for i, drawing in enumerate(drawings):
        if i:
            click.echo()
        _draw(drawing)


def _chosen(compiled: Compiled, name: str | None) -> list[CompiledDesign]:
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


def _address(design: CompiledDesign, address: int) -> int:
    from merula.language.diagnostics import MerulaError

    if not 0 <= address < design.count:
        raise MerulaError.of(
            "M611",
            f"{design.name} has no instance {address:,}",
            remedy=f"addresses are 0 to {design.count - 1:,}",
        )
    return address


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
@_tables
def count(files: Sequence[str], form: str, quiet: bool, **tables: Any) -> None:
    """Count instances exactly, by paradigm, matrix and clause type."""
    options = _options(**tables)
    compiled = [_usable(file, options, quiet=quiet) for file in files]
    if form == "json":
        data = [_counts(file, c) for file, c in zip(files, compiled, strict=True)]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    from merula.show import counts

    for i, item in enumerate(compiled):
        if i:
            click.echo()
        if len(compiled) > 1 and item.grammar is not None:
            click.echo(item.grammar.name)
        _draw(counts(item.designs))


def _counts(file: str, compiled: Compiled) -> dict[str, Any]:
    return {
        "file": file,
        "designs": [
            {
                "design": design.name,
                "kind": design.kind,
                "variants": len(design.cells),
                "cells": len(design.cells[0][1]) if design.cells else 0,
                "instances": design.count,
                "frames": design.by_frame(),
            }
            for design in compiled.designs.values()
        ],
    }


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option("-n", "number", type=click.IntRange(0), help="Instances of each design.")
@click.option("--all", "everything", is_flag=True, help="All instances.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which ones, in what order.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="parquet", show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@_tables
def generate(
    files: Sequence[str],
    out: Path,
    number: int | None,
    everything: bool,
    seed: int,
    form: str,
    quiet: bool,
    **tables: Any,
) -> None:
    """Write instances into a new folder, a file a design, with a manifest."""
    from merula.export import generate_files
    from merula.rows import Selection

    if everything == (number is not None):
        both = "not both" if everything else "one of them"
        raise click.UsageError(f"say how many instances: -n N or --all, {both}")
    options = _options(**tables)
    compiled = [_usable(file, options, quiet=quiet) for file in files]
    selection = Selection(None if everything else number, seed)
    progress = None if quiet or not sys.stderr.isatty() else _progress
    manifest = generate_files(compiled, out, selection, form, progress)
    for entry in manifest["files"]:
        noun = "instance" if entry["instances"] == 1 else "instances"
        rows = "" if entry["kind"] == "matrix" else f", {entry['rows']:,} sentences"
        click.echo(f"{out / entry['file']}  {entry['instances']:,} {noun}{rows}")


def _progress(name: str, done: int, number: int) -> None:
    end = "\n" if done == number else ""
    click.echo(f"\r{name}: {done:,} of {number:,}{end}", err=True, nl=False)


# --- printing ------------------------------------------------------------------------------


def _print_problems(problems: Iterable[Diagnostic], *, err: bool = False) -> None:
    for problem in problems:
        colour = "red" if problem.severity == "error" else "yellow"
        first, *rest = problem.render().split("\n")
        head, colon, message = first.partition(": ")
        click.echo(click.style(head, fg=colour, bold=True) + colon + message, err=err)
        click.echo("\n".join([*rest, ""]), err=err)


def _draw(drawing: RenderableType) -> None:
    """Print a drawing: as wide as the terminal, or as wide as it needs where there is none."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(drawing)
        return
    console = Console(highlight=False, width=10_000, color_system=None, record=False)
    with console.capture() as capture:
        console.print(drawing)
    click.echo("\n".join(line.rstrip() for line in capture.get().split("\n")).rstrip("\n"))


if __name__ == "__main__":
    main()
