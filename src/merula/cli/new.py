"""``merula new``: a commented grammar with its table, to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from merula.cli.options import complete_folder

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

KINDS = ("paradigm", "blm")


def _complete_language(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    from merula.cli.scaffold import languages
    from merula.core.resources import folder

    del param
    rows = languages(folder("templates") / "new", ctx.params.get("kind") or KINDS[0])
    fitting = [row for row in rows if row["code"].startswith(incomplete)]
    return [CompletionItem(row["code"], help=row["name"]) for row in fitting]


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--like",
    "kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="Begin with a paradigm over a table of lexemes, or a matrix over lexical sets.",
)
@click.option(
    "--lang",
    "code",
    default="en",
    show_default=True,
    metavar="CODE",
    shell_complete=_complete_language,
    help="The language of its words: en, fr, it … (an unknown code lists all).",
)
@click.option(
    "--out",
    "-o",
    metavar="DIR",
    type=click.Path(path_type=Path),
    shell_complete=complete_folder,
    help="Make this folder.  [default: NAME]",
)
def new(name: str, kind: str, code: str, out: Path | None) -> None:
    """Begin a grammar called NAME.

    The new folder holds a grammar that works, with comments, and a table of its words.
    """
    from merula.cli.scaffold import scaffold, write_scaffold
    from merula.core.resources import folder

    made = scaffold(folder("templates") / "new", kind, code, name)
    grammar, table = write_scaffold(made, out or Path(made.name))
    width = max(len(str(path)) for path in (grammar, table))
    click.echo(f"{grammar!s:<{width}}  the grammar, with comments")
    click.echo(f"{table!s:<{width}}  its words, in {made.language}")
    click.echo("\nIt works as it is. See what it makes, change it, and check it again:")
    click.echo(f"  merula check {_quoted(grammar)}")
    click.echo(f"  merula show {_quoted(grammar)}")
    data = _quoted(grammar.parent / "data")
    click.echo(f"  merula generate {_quoted(grammar)} --out {data} -n 100")


def _quoted(path: Path) -> str:
    """Return a path as one word of a command."""
    text = str(path)
    return f'"{text}"' if any(c.isspace() or c in "'&();$" for c in text) else text
