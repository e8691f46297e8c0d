"""``merula watch``: a grammar checked and drawn each time that one of its files is saved."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from merula.cli.grammars import address_in, chosen
from merula.cli.options import (
    complete_design,
    complete_grammar,
    options_of,
    seed_option,
    table_options,
)
from merula.cli.printing import draw, print_problems
from merula.core.wording import counted

if TYPE_CHECKING:
    from merula.cli.watcher import Look

WAITING = "waiting for changes, Ctrl-C ends"


@click.command()
@click.argument("file", metavar="FILE", shell_complete=complete_grammar)
@click.option(
    "--design",
    "-d",
    metavar="NAME",
    help="Draw only this paradigm or matrix.",
    shell_complete=complete_design,
)
@seed_option("which instance is drawn")
@click.option("--instance", "-i", metavar="N", type=int, help="Draw the instance at this address.")
@table_options
def watch(file: str, design: str | None, seed: int, instance: int | None, **tables: Any) -> None:
    """Check and draw a grammar whenever it is saved.

    Its imports, tables and surface rules are watched as well.
    """
    options = options_of(**tables)
    try:
        from merula.cli.watcher import looks

        for index, seen in enumerate(looks(file, options)):
            click.clear()  # does nothing where there is no terminal
            if index and not sys.stdout.isatty():
                click.echo()
            _show(seen, design, seed, instance)
    except KeyboardInterrupt:
        if sys.stdout.isatty():
            click.echo()


def _show(look: Look, design: str | None, seed: int, instance: int | None) -> None:
    """Print the problems of a grammar, its drawings if it has no errors, and a line on both."""
    from merula.core.diagnostics import MerulaError

    print_problems(look.problems)
    try:
        _draw(look, design, seed, instance)
    except MerulaError as error:
        print_problems(error.problems)
    click.secho(f"{_summary(look)} — {WAITING}", dim=True)


def _draw(look: Look, design: str | None, seed: int, instance: int | None) -> None:
    from merula.plan.order import Permutation
    from merula.show.drawing import draw_instance, draw_template
    from merula.show.terminal import render

    compiled = look.compiled
    if compiled is None or compiled.failed:
        return
    language = compiled.grammar.language if compiled.grammar is not None else ""
    for item in chosen(compiled, design):
        if item.plans:
            first = int(Permutation(item.count, seed).rows(0, 1)[0])
            address = first if instance is None else address_in(item, instance)
            draw(render(draw_instance(compiled, item, address)))
        else:
            draw(render(draw_template(item, language=language)))
        click.echo()


def _summary(look: Look) -> str:
    errors = sum(problem.severity == "error" for problem in look.problems)
    warnings = len(look.problems) - errors
    parts = [f"checked in {max(look.seconds, 0.01):.2f} s"]
    if errors:
        parts.append(counted(errors, "error"))
    if warnings:
        parts.append(counted(warnings, "warning"))
    if look.compiled is not None and not errors:
        designs = look.compiled.designs.values()
        parts.append(counted(len(designs), "design"))
        parts.append(counted(sum(design.count for design in designs), "instance"))
    return ", ".join(parts)
