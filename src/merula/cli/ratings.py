"""``merula ratings``: what raters have filled in, joined with published labels."""

from __future__ import annotations

from pathlib import Path

import click

from merula.cli.options import complete_folder
from merula.core.wording import counted


@click.command()
@click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete_folder
)
@click.argument(
    "files", metavar="LIST.csv…", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="Write this table (CSV).",
)
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
def ratings(folder: Path, files: tuple[Path, ...], out: Path, quiet: bool) -> None:
    """Join ratings with the labels of published data.

    DIR is the published folder of which lists were made (merula export --as latin-square). LIST.csv
    is a list that a rater has filled in, or a table with the columns code and rating. Ratings are
    numbers, or words such as yes and no. Nothing is written if a line does not fit.
    """
    from merula.exports.ratings import rated, write_ratings

    table = rated(folder, files)
    write_ratings(table, out, folder)
    if not quiet:
        scale = table.scale
        empty = f", {scale.empty:,} left empty" if scale.empty else ""
        raters = counted(scale.raters, "rater")
        click.echo(f"{out}  {counted(scale.count, 'rating')} by {raters}{empty}")
        click.echo(f"ratings: {scale}")
        if table.fillers:
            lines = counted(table.fillers, "line")
            click.echo(f"left out, as fillers: {lines} without a code", err=True)
