"""``merula show``: instances of a paradigm or a matrix, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from merula.cli.common import address_in, chosen, draw, options_of, table_options, usable

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--design", "-d", metavar="NAME", help="Only this paradigm or matrix.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which instances are shown.")
@click.option("-n", "number", type=click.IntRange(1), default=1, show_default=True)
@click.option("--instance", "-i", type=int, help="The instance at this address.")
@click.option("--template", is_flag=True, help="The cells without lexemes.")
@click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
@table_options
def show(
    file: str,
    design: str | None,
    seed: int,
    number: int,
    instance: int | None,
    template: bool,
    quiet: bool,
    **tables: Any,
) -> None:
    """Draw instances of a paradigm or a matrix."""
    from merula.permute import Permutation
    from merula.show import draw_instance, draw_template

    compiled = usable(file, options_of(**tables), quiet=quiet)
    drawings: list[RenderableType] = []
    for item in chosen(compiled, design):
        if template or not item.plans:
            drawings.append(draw_template(item))
        elif instance is not None:
            drawings.append(draw_instance(compiled, item, address_in(item, instance)))
        else:
            order = Permutation(item.count, seed)
            rows = order.rows(0, min(number, item.count)).tolist()
            drawings += [draw_instance(compiled, item, int(address)) for address in rows]
    for i, drawing in enumerate(drawings):
        if i:
            click.echo()
        draw(drawing)
