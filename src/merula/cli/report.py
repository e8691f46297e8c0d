"""``merula report``: a data set as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from merula.cli.options import complete_folder, seed_option
from merula.cli.printing import progress_shown
from merula.core.wording import counted


@click.command()
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    shell_complete=complete_folder,
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write this file (else DIR.html, beside DIR).",
)
@click.option(
    "--instances",
    "-n",
    metavar="N",
    type=click.IntRange(0),
    help="Show N instances of each configuration (else 100; fewer of many configurations).",
)
@seed_option("which instances are shown")
@click.option("--quiet", "-q", is_flag=True, help="Show neither progress nor what was written.")
def report(folder: Path, out: Path | None, instances: int | None, seed: int, quiet: bool) -> None:
    """Write one page about a data set, to read in a browser.

    DIR is a folder that `merula publish`, `merula generate` or `merula suite` has made. The page
    shows instances, drawn as linguists draw them, with filters and a search. It counts all rows and
    tells what the audit has found. It is one file to share, and works without a connection.
    """
    from merula.pages.report import report as write

    progress = progress_shown(quiet=quiet)
    found = write(folder, out, size=instances, seed=seed, progress=progress)
    if not quiet:
        shown = "" if found.instances == found.of else f"{found.instances:,} of "
        click.echo(f"{found.path}  {shown}{counted(found.of, 'instance')}")
