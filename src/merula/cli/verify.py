"""``merula verify``: whether the data on the disk are those that were made."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from merula.cli.options import complete_folder, format_option
from merula.cli.printing import progress_shown


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    metavar="DIR…",
    type=click.Path(path_type=Path),
    shell_complete=complete_folder,
)
@format_option
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
def verify(folders: tuple[Path, ...], format_name: str, quiet: bool) -> None:
    """Check that data sets are as they were made.

    Every file in the folders DIR is read again and compared with the manifest: Parquet and Arrow
    files row by row, by a digest of what they say, JSONL and CSV files byte by byte. The rows of
    published data sets are also made again from their grammars, and compared.
    """
    from merula.data.verify import verify as check
    from merula.publish.remake import remake

    progress = progress_shown(quiet=quiet)
    checks = []
    for folder in folders:
        for item in check(folder, remake, progress):
            checks.append({"folder": str(folder), **asdict(item)})
            if format_name == "text" and (item.fault or not quiet):
                click.echo(f"{folder / item.file}  {item}")
    if format_name == "json":
        click.echo(json.dumps(checks, ensure_ascii=False, indent=2))
    if any(item["fault"] for item in checks):
        raise click.exceptions.Exit(1)
