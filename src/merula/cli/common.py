"""What several commands share: how tables are read, what is compiled, how things are printed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from rich.console import RenderableType

    from merula.compiler.compiled import Compiled, CompiledDesign
    from merula.core.diagnostics import Diagnostic
    from merula.lexicon.table import TableOptions
    from merula.rows.variation import Variation

F = TypeVar("F", bound=Callable[..., Any])
SUFFIX = ".merula"


def complete_grammar(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """The grammars that `complete_file` finds, and those that come with Merula."""
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
    """The grammars in the folder that an unfinished path names; the shell adds its folders."""
    from click.shell_completion import CompletionItem

    del ctx, param
    before, start = os.path.split(incomplete)
    as_written = incomplete[: len(incomplete) - len(start)]
    try:
        inside = sorted(Path(before).expanduser().iterdir())
    except (OSError, RuntimeError):  # not to be read; the home of an unknown user
        return []
    fitting = [path for path in inside if path.name.startswith(start)]
    names = [p.name for p in fitting if p.suffix == SUFFIX and p.is_file()]
    found = [CompletionItem(as_written + name) for name in names]
    if any(path.is_dir() for path in fitting):
        found.append(CompletionItem(incomplete, type="dir"))
    return found


def complete_folder(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Folders, which the shell finds."""
    from click.shell_completion import CompletionItem

    del ctx, param
    return [CompletionItem(incomplete, type="dir")]


def complete_design(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """The paradigms and matrices of the grammar that is named before; nothing is compiled."""
    from click.shell_completion import CompletionItem

    from merula.core.diagnostics import Report
    from merula.grammar.program import read_files, read_grammar
    from merula.language.tokens import entries

    del param
    # Click stops reading at the option without a value; what stands before it is left over.
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


def format_option(command: F) -> F:
    """The option that says for whom it is printed, of commands that can do both."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        help="How it is printed: for readers, or for programs.",
    )(command)


def seed_option(what: str) -> Callable[[F], F]:
    """The option ``--seed``, which decides ``what``."""
    return click.option(
        "--seed", metavar="N", type=int, default=0, show_default=True, help=f"Decides {what}."
    )


def out_option(what: str) -> Callable[[F], F]:
    """The option ``--out``, a folder to write into; ``what`` says which there may be."""
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
    """The option ``--workers``: one process, unless more are asked for."""
    return click.option(
        "--workers",
        "-w",
        metavar="N",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Use so many processes at once.",
    )(command)


def variation_options(command: F) -> F:
    """The options that say how the items of a matrix vary in their lexemes."""
    answers = click.option(
        "--answers",
        type=click.Choice(["one", "mixed"]),
        default="one",
        show_default=True,
        help="With variation III: answers from one more instance, or each from another.",
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
    """What the options of `variation_options` say; raises `click.UsageError`."""
    from merula.rows.variation import Variation

    if answers != "one" and variation == "I":
        raise click.UsageError("--answers mixed needs --variation III")
    return Variation(variation, answers)


def options_of(
    lexicons: Sequence[str], separator: str | None, encoding: str | None, columns: Sequence[str]
) -> TableOptions:
    """What the options of `table_options` say; raises `click.BadParameter`."""
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
    for given, option in ((separator, "--separator"), (encoding, "--encoding")):
        if given == "":
            raise click.BadParameter("nothing is given", param_hint=option)
    return TableOptions(files, separator, encoding, mapped)


def compiled(file: str, options: TableOptions) -> Compiled | tuple[Diagnostic, ...]:
    """A compiled grammar, or what is wrong where its file cannot be read."""
    from merula.compiler.compile import compile_source
    from merula.core.diagnostics import Report
    from merula.grammar.program import read_grammar

    report = Report()
    source = read_grammar(file, report)
    if source is None:
        return report.sorted()
    return compile_source(source, options, report=report)


def usable(file: str, options: TableOptions, *, quiet: bool = False) -> Compiled:
    """The compiled grammar of a file; errors are raised, warnings printed."""
    from merula.core.diagnostics import MerulaError

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
    from merula.core.diagnostics import MerulaError
    from merula.core.wording import did_you_mean, listing

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
    from merula.core.diagnostics import MerulaError

    if not 0 <= address < design.count:
        raise MerulaError.of(
            "M611",
            f"{design.name} has no instance {address:,}",
            remedy=f"addresses are 0 to {design.count - 1:,}",
            place=design.design.span.source.name,
        )
    return address


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
    """A line of a rendered problem: the marks under a place stand out, and so do key words."""
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
    """A line of a grammar, counted from one."""
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
    """Print a drawing: as wide as the terminal, or as wide as it needs where there is none."""
    from rich.console import Console

    from merula.show.terminal import text_of

    if sys.stdout.isatty():
        Console(highlight=False).print(drawing)
    else:
        click.echo(text_of(drawing))
