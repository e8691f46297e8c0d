"""``merula explain``: what the code of a problem means, with an example and how to mend it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.explain import Explanation, Explanations

WIDEST = 100  # columns of prose


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from merula.explain import beginning_with, explanations

    del ctx, param
    known = explanations().by_code
    return [
        CompletionItem(code, help=known[code].title)
        for code in beginning_with(list(known), incomplete)
    ]


@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE]…", shell_complete=_complete)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="How it is printed: for readers, or for programs.",
)
def explain(codes: Sequence[str], form: str) -> None:
    """Explain the codes of errors and warnings, such as M420.

    Without a code, all codes are listed.
    """
    from merula.explain import explanations

    known = explanations()
    chosen = [known.by_code[code] for code in dict.fromkeys(_code(c, known) for c in codes)]
    if form == "json":
        shown = chosen or list(known.by_code.values())
        data = [{"code": x.code, "title": x.title, "markdown": x.text} for x in shown]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    elif not chosen:
        click.echo(_listed(known, markdown=form == "markdown"))
    elif form == "markdown":
        click.echo("\n".join(x.markdown for x in chosen), nl=False)
    else:
        width = min(get_terminal_size((WIDEST, 0)).columns, WIDEST)
        click.echo("\n\n".join(_written(x, width) for x in chosen))


def _code(text: str, known: Explanations) -> str:
    """The code that is meant; raises `click.BadParameter`."""
    from merula.explain import code_of, nearest

    code = code_of(text)
    if code is not None and code in known.by_code:
        return code
    meant = nearest(code, known.by_code) if code else None
    hint = f"did you mean {meant}?" if meant else "`merula explain` lists all codes"
    raise click.BadParameter(f"there is no code {code or repr(text)}; {hint}", param_hint="CODE")


def _listed(known: Explanations, *, markdown: bool) -> str:
    """All codes with their titles, chapter by chapter."""
    if markdown:
        return "\n".join(f"- **{x.code}** {x.title}" for x in known.by_code.values())
    return "\n\n".join(
        "\n".join(
            [
                click.style(f"{chapter.name}  {chapter.title}", bold=True),
                *(f"  {x.code}  {x.title}" for x in chapter.sections),
            ]
        )
        for chapter in known.chapters
    )


def _written(item: Explanation, width: int) -> str:
    """A section as a terminal shows it, at most so many columns wide; what is code is indented."""
    parts = [click.style(f"{item.code} · {item.title}", bold=True)]
    for part in item.parts():
        if not part.language:
            parts.append(_styled("\n".join(wrap(part.text, width, break_on_hyphens=False))))
            continue
        if part.file:
            parts.append(f"{'In ' if part.language == 'diff' else ''}{part.file}:")
        lines = part.text.splitlines()
        parts.append("\n".join(f"    {_coloured(line, part.language)}".rstrip() for line in lines))
    return "\n\n".join(parts)


_EMPHASIS = re.compile(r"(`[^`]*`)|\*\*([^*]+)\*\*|\*([^*]+)\*")


def _styled(text: str) -> str:
    def style(found: re.Match[str]) -> str:
        code, strong, emphasis = found.groups()
        return code or (click.style(strong, bold=True) if strong else _italic(emphasis))

    return _EMPHASIS.sub(style, text)


def _italic(text: str) -> str:
    return click.style(text, italic=True)


def _coloured(line: str, language: str) -> str:
    """A line of a block in the colours that it has elsewhere."""
    if language == "diff" and line[:1] in ("-", "+"):
        return click.style(line, fg="red" if line[0] == "-" else "green")
    found = re.match(r"(error|warning)\[M\d{3}\]", line) if language == "console" else None
    if found:
        colour = "red" if found[1] == "error" else "yellow"
        return click.style(found[0], fg=colour, bold=True) + line[found.end() :]
    if language == "console" and line.startswith("$ "):
        return click.style(line, bold=True)
    return line
