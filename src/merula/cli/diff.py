"""``merula diff``: what an edit of a grammar, or of its tables, changes in the data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from merula.cli.grammars import usable
from merula.cli.options import (
    complete_grammar,
    format_option,
    options_of,
    seed_option,
    table_options,
)
from merula.cli.printing import draw


@click.command()
@click.argument("old", shell_complete=complete_grammar)
@click.argument("new", shell_complete=complete_grammar)
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Show N examples each of instances lost, gained and changed.",
)
@seed_option("which examples are shown")
@format_option
@click.option("--exit-code", is_flag=True, help="Exit with 1 if the data differ.")
@click.option("--quiet", "-q", is_flag=True, help="Do not mention warnings.")
@click.option(
    "--old-lexicon", multiple=True, metavar="[NAME=]FILE", help="Like --lexicon, for OLD alone."
)
@click.option(
    "--new-lexicon", multiple=True, metavar="[NAME=]FILE", help="Like --lexicon, for NEW alone."
)
@table_options
def diff(
    old: str,
    new: str,
    count: int,
    seed: int,
    format_name: str,
    exit_code: bool,
    quiet: bool,
    old_lexicon: Sequence[str],
    new_lexicon: Sequence[str],
    **tables: Any,
) -> None:
    """Show what an edit of a grammar changes in the data.

    OLD and NEW are the grammar before and after the edit, or one grammar with other tables
    (--old-lexicon, --new-lexicon). An instance is the same in both if its paradigm or matrix, its
    variant and all its lexemes are. Numbers are exact.
    """
    from merula.changes import compare

    files = tuple(tables.pop("lexicons"))
    compiled = [
        usable(file, options_of(lexicons=(*files, *more), **tables), quiet=quiet)
        for file, more in ((old, old_lexicon), (new, new_lexicon))
    ]
    differences = compare(*compiled, examples=count, seed=seed)
    if format_name == "json":
        click.echo(json.dumps(differences.to_json(), ensure_ascii=False, indent=2))
    else:
        from merula.changes.differences import draw as drawing

        draw(drawing(differences))
    if exit_code and not differences.same:
        raise click.exceptions.Exit(1)
