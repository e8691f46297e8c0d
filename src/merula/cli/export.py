"""``merula export``: published data in the formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from merula.cli.options import complete_folder, seed_option
from merula.cli.printing import progress_shown
from merula.core.wording import counted
from merula.exports.format_names import FORMATS

if TYPE_CHECKING:
    from merula.exports.request import Made

HELP = """Write published data for another tool.

DIR is a folder that `merula publish` has made. Configurations that do not fit the format
are left out, unless they are named.

\b
""" + "\n".join(f"{name:<13} {about}" for name, about in FORMATS.items())


@click.command(help=HELP)
@click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete_folder
)
@click.option(
    "--as",
    "format_name",
    type=click.Choice(tuple(FORMATS), case_sensitive=False),
    required=True,
    help="The tool that the data are for.",
)
@click.option(
    "--out",
    "-o",
    metavar="OUT",
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=complete_folder,
    help="Write into this folder (new or empty).",
)
@click.option(
    "--config",
    "-c",
    "configs",
    multiple=True,
    metavar="NAME",
    help="Only this configuration (may be repeated).",
)
@click.option(
    "--split",
    "splits",
    multiple=True,
    metavar="NAME",
    help="Only this split (may be repeated).",
)
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(1),
    help="Only the first N instances of each configuration (latin-square: at most N items).",
)
@click.option("--field", metavar="NAME", help="blimp: the field of linguistics, such as syntax.")
@click.option("--hub", metavar="OWNER/NAME", help="lm-eval: read the data from the hub.")
@click.option(
    "--share-lexemes",
    is_flag=True,
    help="latin-square: take all instances, even if they share words.",
)
@seed_option("the order of the sentences of latin-square")
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
@click.pass_context
def export(
    ctx: click.Context,
    folder: Path,
    format_name: str,
    out: Path,
    configs: tuple[str, ...],
    splits: tuple[str, ...],
    count: int | None,
    field: str | None,
    hub: str | None,
    share_lexemes: bool,
    seed: int,
    quiet: bool,
) -> None:
    """Write published data for another tool (`HELP`)."""
    from merula.exports.make import FORMATS as WRITERS
    from merula.exports.make import export as make
    from merula.exports.request import ExportOptions

    chosen = WRITERS[format_name]
    for option in ("field", "hub", "seed", "share_lexemes"):
        source = ctx.get_parameter_source(option)
        if source is click.core.ParameterSource.COMMANDLINE and option not in chosen.options:
            owner = next(f.name for f in WRITERS.values() if option in f.options)
            written = option.replace("_", "-")
            raise click.UsageError(f"--{written} is for --as {owner}, not for {format_name}")
    result = make(
        folder,
        chosen,
        out,
        configs=configs,
        splits=splits,
        options=ExportOptions(count, seed, hub or "", field or "", share_lexemes),
        progress=progress_shown(quiet=quiet),
    )
    if quiet:
        return
    for item in result.made:
        if item.files:
            click.echo(f"{out / item.file}  {_written(item)}")
    for name in dict.fromkeys(item.file for item in result.made if not item.files):
        click.echo(f"left out, for there is nothing to contrast: {name}", err=True)
    for item in result.made:
        for note in item.notes:
            click.echo(note, err=True)
    if result.left_out:
        names = ", ".join(result.left_out)
        click.echo(f"left out, for {format_name} does not fit them: {names}", err=True)


def _written(item: Made) -> str:
    """Say how much was written of a configuration, and into how many files."""
    amount = counted(item.count, item.noun, {"matrix": "matrices"}.get(item.noun))
    if item.other_splits:
        rest = ", ".join(f"{split} {count:,}" for split, count in item.other_splits)
        amount += f" in {item.split} ({rest})"
    if item.files == 1:
        return amount
    return f"{amount}{',' if item.other_splits else ' in'} {item.files} files"
