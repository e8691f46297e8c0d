"""``merula lexicon``: tables by themselves, without a grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from merula.cli.options import format_option, options_of
from merula.cli.printing import draw, print_problems
from merula.core.wording import counted

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.core.diagnostics import Diagnostic, Report
    from merula.lexicon.legend import Legend
    from merula.lexicon.table import TableFormat

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def lexicon() -> None:
    """Check tables of words, or show what is in them.

    A FILE is a table (*.tsv, *.csv), or the name of one that comes with Merula, such as
    en/nouns.tsv.
    """


def _complete_table(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    del ctx, param
    return [CompletionItem(incomplete, type="file")]


def _reading(command: F) -> F:
    """Add the argument of files, and the options that say how a table is read."""
    for option in (
        click.option(
            "--column",
            "columns",
            multiple=True,
            metavar="NAME=HEADER",
            help="Read the column NAME under HEADER.",
        ),
        click.option("--encoding", metavar="NAME", help="How the table is encoded."),
        click.option("--separator", metavar="CHAR", help="What separates the table's cells."),
        format_option,
        click.argument(
            "files", nargs=-1, required=True, metavar="FILE…", shell_complete=_complete_table
        ),
    ):
        command = option(command)
    return command


@lexicon.command()
@_reading
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
def check(files: Sequence[str], format_name: str, quiet: bool, **reading: Any) -> None:
    """Report what is wrong or odd in tables.

    Errors are wrong. Warnings are odd, and may be meant: slips, gaps, doubles, strange characters.
    """
    from merula.core.diagnostics import Report
    from merula.lexicon.oddities import check_table

    reports = [Report() for _ in files]
    for file, report in zip(files, reports, strict=True):
        read = _read(file, report, **reading)
        if read is not None:
            check_table(file, *read[:2], report, read[2])
    problems = [_here(problem) for report in reports for problem in _in_order(report)]
    if format_name == "json":
        click.echo(json.dumps([p.to_json() for p in problems], ensure_ascii=False, indent=2))
    else:
        print_problems(problems)
        if problems or not quiet:
            click.echo(_summary(len(files), problems), err=quiet)
    if any(problem.severity == "error" for problem in problems):
        raise click.exceptions.Exit(1)


@lexicon.command()
@_reading
def stats(files: Sequence[str], format_name: str, **reading: Any) -> None:
    """Show what is in tables.

    Lexemes are counted by category, and each column is described: its cells, values and forms.
    """
    from merula.core.diagnostics import MerulaError, Report
    from merula.lexicon.profile import profile_of
    from merula.lexicon.stats import statistics
    from merula.show.table_statistics import drawing

    tables = []
    for file in files:
        report = Report()
        read = _read(file, report, **reading)
        table = None if read is None else profile_of(file, *read[:2], report, read[2])
        if table is None or report.failed:
            raise MerulaError([_here(problem) for problem in _in_order(report)])
        tables.append(statistics(table))
    if format_name == "json":
        click.echo(json.dumps([s.to_json() for s in tables], ensure_ascii=False, indent=2))
        return
    for number, item in enumerate(tables):
        if number:
            click.echo()
        draw(drawing(item))


def _read(
    file: str,
    report: Report,
    separator: str | None,
    encoding: str | None,
    columns: Sequence[str],
) -> tuple[bytes, TableFormat, Legend | None] | None:
    """Return the bytes of a file, their format and the legend; faults go to the report."""
    from merula.lexicon.files import find_legend, find_table, holds_text, table_format

    file_format = table_format(options_of((), separator, encoding, columns), report)
    data = None if file_format is None else find_table(file, report)
    if file_format is None or data is None or not holds_text(file, data, file_format, report):
        return None
    return data, file_format, find_legend(file, report)


def _in_order(report: Report) -> list[Diagnostic]:
    """Return the problems of a table by line; those of the whole table come first."""

    def line(problem: Diagnostic) -> int:
        place = problem.place or (problem.labels[0].span.source.name if problem.labels else "")
        line_number = re.search(r":(\d+)(?:, column .*)?$", place)
        return int(line_number[1]) if line_number else 0

    return sorted(report.items, key=lambda problem: (line(problem), problem.code))


def _here(problem: Diagnostic) -> Diagnostic:
    """Return the problem with the option that does here what the remedy writes into a grammar."""
    remedy = re.sub(r'`encoded "([^"]+)"`', r"\g<0> (here: --encoding \1)", problem.remedy)
    remedy = re.sub(
        r'(`separated by ("[^"]+")` after the file)', r"\1 (here: --separator \2)", remedy
    )
    return replace(problem, remedy=remedy)


def _summary(files: int, problems: Sequence[Diagnostic]) -> str:
    from merula.show.problems import Problems

    return f"{counted(files, 'table')} checked: {Problems(problems).summary}"
