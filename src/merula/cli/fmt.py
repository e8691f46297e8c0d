"""``merula fmt``: grammars laid out in one way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from merula.cli.options import complete_file
from merula.cli.printing import print_problems

if TYPE_CHECKING:
    from merula.cli.reformat import Reformatted
    from merula.core.diagnostics import Report

STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_file)
@click.option("--check", is_flag=True, help="Write nothing; fail if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--quiet", "-q", is_flag=True, help="Print only problems and differences.")
def fmt(files: Sequence[str], check: bool, diff: bool, quiet: bool) -> None:
    """Lay out grammars: spaces, columns, long lines.

    In a folder, all *.merula files below it are laid out. With - for a file, standard input is laid
    out to standard output. A grammar that cannot be read stays as it is.
    """
    from merula.cli.reformat import grammars_in, reformat
    from merula.core.diagnostics import Report

    report = Report()
    stdin = STDIN in files
    if stdin and len(files) > 1:
        raise click.UsageError("- cannot be combined with other files: leave them out")
    names = [STDIN] if stdin else grammars_in(files, report)
    read = _from_stdin if stdin else reformat
    reformatted = [file for name in names if (file := read(name, report)) is not None]
    changed = [file for file in reformatted if file.changed]
    if diff:
        for file in changed:
            _print_diff(file)
    elif stdin and not check:
        for file in reformatted:
            sys.stdout.buffer.write(file.after)
    else:
        if not check:
            changed = [file for file in changed if file.write(report)]
        if not quiet and (changed or not report.failed):
            _say(changed, len(names), check=check)
    print_problems(report.sorted(), err=True)
    if report.failed or (check and changed):
        raise click.exceptions.Exit(1)


def _from_stdin(name: str, report: Report) -> Reformatted | None:
    from merula.cli.reformat import reformat_bytes

    del name
    return reformat_bytes(sys.stdin.buffer.read(), "<stdin>", report)


def _say(changed: Sequence[Reformatted], size: int, *, check: bool) -> None:
    for file in changed:
        click.echo(f"{'would format' if check else 'formatted'} {file.name}")
    if changed and size > 1:
        click.echo(f"{len(changed)} of {size} files {'would change' if check else 'changed'}")
    elif size and not changed:
        click.echo("nothing to change" if size == 1 else f"nothing to change in {size} files")


def _print_diff(file: Reformatted) -> None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in file.diff():
        heading = line.startswith(("+++", "---"))
        colour = None if heading else colours.get(line[0])
        click.echo(click.style(line, fg=colour, bold=heading), nl=False)
