"""Arguments and options that several commands share, and how a shell completes them.

Decorators such as `table_options` add the options to a command of click; `options_of` and
`variation_of` make values of what the user has given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from merula.core.resources import SUFFIX

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.lexicon.table import TableOptions
    from merula.rows.variation import Variation

F = TypeVar("F", bound=Callable[..., Any])


def complete_grammar(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the grammars that `complete_file` finds, after those that come with Merula."""
    from click.shell_completion import CompletionItem

    from merula.core.resources import folder

    root = folder("grammars")
    names = (p.relative_to(root).with_suffix("").as_posix() for p in root.glob(f"*/*{SUFFIX}"))
    packaged = [
        CompletionItem(name, help="comes with Merula")
        for name in sorted(names)
        if name.startswith(incomplete)
    ]
    return [*packaged, *complete_file(ctx, param, incomplete)]


def complete_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the grammars in the folder that an unfinished path names; the shell adds folders."""
    from click.shell_completion import CompletionItem

    del ctx, param
    before, start = os.path.split(incomplete)
    as_written = incomplete[: len(incomplete) - len(start)]
    try:
        inside = sorted(Path(before).expanduser().iterdir())
    except (OSError, RuntimeError):  # a folder that may not be read; the home of an unknown user
        return []
    fitting = [path for path in inside if path.name.startswith(start)]
    names = [p.name for p in fitting if p.suffix == SUFFIX and p.is_file()]
    items = [CompletionItem(as_written + name) for name in names]
    if any(path.is_dir() for path in fitting):
        items.append(CompletionItem(incomplete, type="dir"))
    return items


def complete_folder(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Leave it to the shell to find folders."""
    from click.shell_completion import CompletionItem

    del ctx, param
    return [CompletionItem(incomplete, type="dir")]


def complete_design(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the designs of the grammar that is named before, without compiling it."""
    from click.shell_completion import CompletionItem

    from merula.core.diagnostics import Report
    from merula.grammar.program import read_files, read_grammar
    from merula.language.tokens import entries

    del param
    # Click stops reading at the option without a value; what comes before it is left over.
    names = [ctx.params.get("file"), *ctx.args]
    source = read_grammar(next((name for name in names if name), ""), Report())
    files = read_files(source, Report()) if source else []
    texts = [file.source for file in files if file.designs]
    heads = [e for text in texts for e in entries(text) if e.inline and e.tokens]
    return [
        CompletionItem(entry.tokens[0].text, help=entry.head.text)
        for entry in heads
        if entry.head.text in ("paradigm", "matrix") and entry.tokens[0].text.startswith(incomplete)
    ]


def table_options(command: F) -> F:
    """Add the options that say how tables are read."""
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


def format_option(command: F) -> F:
    """Add the option ``--format``, of commands that print for people or for programs."""
    return click.option(
        "--format",
        "format_name",
        type=click.Choice(["text", "json"]),
        default="text",
        help="Print for people (text) or for programs (json).",
    )(command)


def seed_option(what: str) -> Callable[[F], F]:
    """Return a decorator that adds ``--seed``; ``what`` ends its help, "Decides …"."""
    return click.option(
        "--seed", metavar="N", type=int, default=0, show_default=True, help=f"Decides {what}."
    )


def out_option(what: str) -> Callable[[F], F]:
    """Return a decorator that adds ``--out``, a folder to write into; ``what`` is its help."""
    return click.option(
        "--out",
        "-o",
        metavar="DIR",
        required=True,
        type=click.Path(path_type=Path),
        shell_complete=complete_folder,
        help=what,
    )


def workers_option(command: F) -> F:
    """Add the option ``--workers``: one process, unless more are asked for."""
    return click.option(
        "--workers",
        "-w",
        metavar="N",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Use N processes at once.",
    )(command)


def variation_options(command: F) -> F:
    """Add the options that say how the items of a matrix vary in their lexemes."""
    answers = click.option(
        "--answers",
        type=click.Choice(["one", "mixed"]),
        default="one",
        show_default=True,
        help="With --variation III: take all answers from one more instance, or each from another.",
    )
    kind = click.option(
        "--variation",
        type=click.Choice(["I", "III"]),
        default="I",
        show_default=True,
        help="III takes each item of a matrix from another instance.",
    )
    return kind(answers(command))


def variation_of(variation: str, answers: str) -> Variation:
    """Return the value of `variation_options`; raises `click.UsageError`."""
    from merula.rows.variation import Variation

    if answers != "one" and variation == "I":
        raise click.UsageError("--answers mixed needs --variation III")
    return Variation(variation, answers)


def options_of(
    lexicons: Sequence[str], separator: str | None, encoding: str | None, columns: Sequence[str]
) -> TableOptions:
    """Return the value of `table_options`; raises `click.BadParameter`."""
    from merula.lexicon.table import TableOptions

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
    for value, option in ((separator, "--separator"), (encoding, "--encoding")):
        if value == "":
            raise click.BadParameter("it is empty: name a value or leave it out", param_hint=option)
    return TableOptions(files, separator, encoding, mapped)
