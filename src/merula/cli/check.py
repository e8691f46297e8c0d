"""``merula check``: what is wrong with grammars and their tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from merula.cli.grammars import compiled
from merula.cli.options import complete_grammar, format_option, options_of, table_options
from merula.cli.printing import print_problems
from merula.core.wording import counted

if TYPE_CHECKING:
    from merula.core.diagnostics import Diagnostic


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_grammar)
@format_option
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
@table_options
def check(files: Sequence[str], format_name: str, quiet: bool, **tables: Any) -> None:
    """Report what is wrong with grammars and their tables.

    The exit code is 1 if there is an error; warnings alone do not change it.
    """
    options = options_of(**tables)
    problems: list[Diagnostic] = []
    for file in files:
        found = compiled(file, options)
        problems += found if isinstance(found, tuple) else found.problems
    if format_name == "json":
        click.echo(json.dumps([p.to_json() for p in problems], ensure_ascii=False, indent=2))
    else:
        print_problems(problems)
        if problems or not quiet:
            click.echo(_summary(files, problems), err=bool(quiet))
        if problems and not quiet and sys.stdout.isatty():
            click.secho(_more(problems), dim=True)
    if any(p.severity == "error" for p in problems):
        raise click.exceptions.Exit(1)


def _summary(files: Sequence[str], problems: Sequence[Diagnostic]) -> str:
    from merula.show.problems import Problems

    return f"{counted(len(files), 'file')} checked: {Problems(problems).summary}"


def _more(problems: Sequence[Diagnostic]) -> str:
    """Return where to read on: the first codes, those of errors before those of warnings."""
    errors_first = sorted(problems, key=lambda p: p.severity != "error")
    codes = list(dict.fromkeys(p.code for p in errors_first))
    return f"`merula explain {' '.join(codes[:3])}` tells more"
