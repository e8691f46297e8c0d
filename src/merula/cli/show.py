"""``merula show``: instances of a paradigm or a matrix, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from merula.cli.grammars import address_in, chosen, usable
from merula.cli.options import (
    complete_design,
    complete_grammar,
    options_of,
    seed_option,
    table_options,
)
from merula.cli.printing import draw

if TYPE_CHECKING:
    from merula.show.drawing import Drawing


@click.command()
@click.argument("file", metavar="FILE", shell_complete=complete_grammar)
@click.option(
    "--design",
    "-d",
    metavar="NAME",
    help="Draw only this paradigm or matrix.",
    shell_complete=complete_design,
)
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Draw N instances of each.",
)
@seed_option("which instances are drawn")
@click.option("--instance", "-i", metavar="N", type=int, help="Draw the instance at this address.")
@click.option(
    "--template/--no-template",
    default=None,
    help="Draw only the cells, without lexemes; or a matrix without its template beside it.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "lines", "html"]),
    default="text",
    help="Draw in the terminal, or write a sentence a line or a page.",
)
@click.option("--quiet", "-q", is_flag=True, help="Do not mention warnings.")
@table_options
def show(
    file: str,
    design: str | None,
    seed: int,
    count: int,
    instance: int | None,
    template: bool | None,
    format_name: str,
    quiet: bool,
    **tables: Any,
) -> None:
    """Draw instances of a paradigm or a matrix.

    To write a page: merula show FILE --format html > page.html
    """
    from merula.plan.order import Permutation
    from merula.show.drawing import draw_instance, draw_template, without_outline

    compiled = usable(file, options_of(**tables), quiet=quiet)
    grammar = compiled.grammar
    language = grammar.language if grammar is not None else ""
    rules = grammar.rules if grammar is not None else ()
    drawings: list[Drawing] = []
    for item in chosen(compiled, design):
        if template or not item.plans:
            drawings.append(draw_template(item, language=language, rules=rules))
        elif instance is not None:
            drawings.append(draw_instance(compiled, item, address_in(item, instance)))
        else:
            order = Permutation(item.count, seed)
            rows = order.rows(0, min(count, item.count)).tolist()
            drawings += [draw_instance(compiled, item, int(address)) for address in rows]
    if template is False:
        drawings = [without_outline(drawing) for drawing in drawings]
    if format_name == "html":
        from merula.show.html import page

        name = compiled.grammar.name if compiled.grammar is not None else file
        click.echo(page(name, drawings))
        return
    if format_name == "lines":
        for drawing in drawings:
            for row in drawing.rows:
                star = "" if row.acceptable else "*"
                click.echo(f"{row.label}\t{star}{''.join(word.text for word in row.sentence)}")
        return
    from merula.show.terminal import render

    for i, drawing in enumerate(drawings):
        if i:
            click.echo()
        draw(render(drawing))
