"""``merula explain``: what the code of a problem means, with an example and how to mend it.

Words instead of codes find the codes that are about them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.cli.explanations import Explanation, Explanations

MAX_COLUMNS = 100  # longer lines of prose are hard to read
MAX_HITS = 20  # as many as a terminal shows without scrolling


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from merula.cli.explanations import beginning_with, explanations

    del ctx, param
    sections = explanations().by_code
    return [
        CompletionItem(code, help=sections[code].title)
        for code in beginning_with(list(sections), incomplete)
    ]


@click.command()
@click.argument("codes", nargs=-1, metavar="[CODE|WORD]…", shell_complete=_complete)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="Print for people (text), or for programs.",
)
def explain(codes: Sequence[str], format_name: str) -> None:
    """Explain the codes of errors and warnings, such as M420.

    Words instead of codes, such as `licensor` or `lexicon table`, list the codes whose title or
    explanation contains all of them, and explain the code if it is the only one. Without an
    argument, all codes are listed.
    """
    from merula.cli.explanations import compared_words, explanations, is_typed_code

    book = explanations()
    text = " ".join(codes)
    searched = bool(compared_words(text)) and not any(is_typed_code(code) for code in codes)
    if searched:
        chosen: Sequence[Explanation] = book.about(text)
    else:
        chosen = [book.by_code[code] for code in dict.fromkeys(_code(c, book) for c in codes)]
    if format_name == "json":
        sections = chosen if codes else book.by_code.values()
        data = [{"code": x.code, "title": x.title, "markdown": x.text} for x in sections]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    elif not codes:
        click.echo(_contents(book, markdown=format_name == "markdown"))
    elif searched and len(chosen) > 1:
        click.echo(_hits(chosen, markdown=format_name == "markdown"))
    elif format_name == "markdown":
        click.echo("\n".join(x.markdown for x in chosen), nl=False)
    elif chosen:
        width = min(get_terminal_size((MAX_COLUMNS, 0)).columns, MAX_COLUMNS)
        click.echo("\n\n".join(_written(x, width) for x in chosen))
    if not chosen and codes:
        raise click.ClickException(_nothing_about(text, book))


def _code(text: str, book: Explanations) -> str:
    """Return the code that is meant; raises `click.BadParameter`."""
    from merula.cli.explanations import code_of, nearest

    code = code_of(text)
    if code is not None and code in book.by_code:
        return code
    meant = nearest(code, book.by_code) if code else None
    hint = f"did you mean {meant}?" if meant else "`merula explain` lists all codes"
    raise click.BadParameter(f"there is no code {code or repr(text)}; {hint}", param_hint="CODE")


def _contents(book: Explanations, *, markdown: bool) -> str:
    """Return all codes with their titles, chapter by chapter."""
    if markdown:
        return _titles(book.by_code.values(), markdown=True)
    return "\n\n".join(
        click.style(f"{chapter.name}  {chapter.title}", bold=True)
        + f"\n{_titles(chapter.sections, markdown=False)}"
        for chapter in book.chapters
    )


def _hits(hits: Sequence[Explanation], *, markdown: bool) -> str:
    """Return the first codes of those that were found, and how many there are."""
    titles = _titles(hits[:MAX_HITS], markdown=markdown)
    shown = f"; the first {MAX_HITS} are shown" if len(hits) > MAX_HITS else ""
    return titles if markdown else f"{titles}\n\n{len(hits)} codes{shown}"


def _titles(sections: Iterable[Explanation], *, markdown: bool) -> str:
    pattern = "- **{}** {}" if markdown else "  {}  {}"
    return "\n".join(pattern.format(section.code, section.title) for section in sections)


def _nothing_about(text: str, book: Explanations) -> str:
    """Say that no section contains the words of a text, and what can be asked instead."""
    near = book.corrected(text)
    if near and book.about(near):
        remedy = f"did you mean `{near}`?"
    elif len(text.split()) > 1:
        remedy = "leave a word out"
    else:
        remedy = "`merula explain` lists all codes"
    return f"no explanation contains `{text}`; {remedy}"


def _written(item: Explanation, width: int) -> str:
    """Return a section as a terminal shows it, at most `width` columns wide, with code indented."""
    parts = [click.style(f"{item.code} · {item.title}", bold=True)]
    for passage in item.passages():
        language = passage.language
        if not language:
            parts.append(_styled("\n".join(wrap(passage.text, width, break_on_hyphens=False))))
            continue
        if passage.file:
            parts.append(f"{'In ' if language == 'diff' else ''}{passage.file}:")
        lines = passage.text.splitlines()
        parts.append("\n".join(f"    {_coloured(line, language)}".rstrip() for line in lines))
    return "\n\n".join(parts)


_EMPHASIS = re.compile(r"(`[^`]*`)|\*\*([^*]+)\*\*|\*([^*]+)\*")


def _styled(text: str) -> str:
    def style(match: re.Match[str]) -> str:
        code, strong, emphasis = match.groups()
        return code or (click.style(strong, bold=True) if strong else _italic(emphasis))

    return _EMPHASIS.sub(style, text)


def _italic(text: str) -> str:
    return click.style(text, italic=True)


def _coloured(line: str, language: str) -> str:
    """Return a line of a block in the colours that it has elsewhere."""
    if language == "diff" and line[:1] in ("-", "+"):
        return click.style(line, fg="red" if line[0] == "-" else "green")
    code = re.match(r"(error|warning)\[M\d{3}\]", line) if language == "console" else None
    if code:
        colour = "red" if code[1] == "error" else "yellow"
        return click.style(code[0], fg=colour, bold=True) + line[code.end() :]
    if language == "console" and line.startswith("$ "):
        return click.style(line, bold=True)
    return line
