"""``merula show``: instances of a paradigm or a matrix, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from merula.cli.common import (
    address_in,
    chosen,
    complete_design,
    complete_grammar,
    draw,
    options_of,
    table_options,
    usable,
)

if TYPE_CHECKING:
    from merula.drawing import Drawing


@click.command()
@click.argument("file", metavar="FILE", shell_complete=complete_grammar)
@click.option(
    "--design",
    "-d",
    metavar="NAME",
    help="Only this paradigm or matrix.",
    shell_complete=complete_design,
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which instances are shown.")
@click.option("-n", "number", type=click.IntRange(1), default=1, show_default=True)
@click.option("--instance", "-i", type=int, help="The instance at this address.")
@click.option("--template", is_flag=True, help="The cells without lexemes.")
@click.option("--format", "form", type=click.Choice(["text", "html"]), default="text")
@click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
@table_options
def show(
    file: str,
    design: str | None,
    seed: int,
    number: int,
    instance: int | None,
    template: bool,
    form: str,
    quiet: bool,
    **tables: Any,
) -> None:
    """Draw instances of a paradigm or a matrix.

    With --format html a whole page is written: merula show FILE --format html > page.html
    """
    from merula.drawing import draw_instance, draw_template
    from merula.permute import Permutation

    compiled = usable(file, options_of(**tables), quiet=quiet)
    language = compiled.grammar.language if compiled.grammar is not None else ""
    drawings: list[Drawing] = []
    for item in chosen(compiled, design):
        if template or not item.plans:
            drawings.append(draw_template(item, language=language))
        elif instance is not None:
            drawings.append(draw_instance(compiled, item, address_in(item, instance)))
        else:
            order = Permutation(item.count, seed)
            rows = order.rows(0, min(number, item.count)).tolist()
            drawings += [draw_instance(compiled, item, int(address)) for address in rows]
    if form == "html":
        from merula.notebook import page

        name = compiled.grammar.name if compiled.grammar is not None else file
        click.echo(page(name, drawings))
        return
    from merula.show import render

    for i, drawing in enumerate(drawings):
        if i:
            click.echo()
        draw(render(drawing))
