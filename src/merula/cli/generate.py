"""``merula generate``: instances written to files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from merula.cli.common import options_of, table_options, usable

FORMATS = ("parquet", "arrow", "jsonl", "csv")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option("-n", "number", type=click.IntRange(0), help="Instances of each design.")
@click.option("--all", "everything", is_flag=True, help="All instances.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which ones, in what order.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="parquet", show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@table_options
def generate(
    files: Sequence[str],
    out: Path,
    number: int | None,
    everything: bool,
    seed: int,
    form: str,
    quiet: bool,
    **tables: Any,
) -> None:
    """Write instances into a new folder, a file a design, with a manifest."""
    from merula.export import generate_files
    from merula.rows import Selection

    if everything == (number is not None):
        both = "not both" if everything else "one of them"
        raise click.UsageError(f"say how many instances: -n N or --all, {both}")
    options = options_of(**tables)
    compiled = [usable(file, options, quiet=quiet) for file in files]
    selection = Selection(None if everything else number, seed)
    progress = None if quiet or not sys.stderr.isatty() else _progress
    manifest = generate_files(compiled, out, selection, form, progress)
    for entry in manifest["files"]:
        noun = "instance" if entry["instances"] == 1 else "instances"
        rows = "" if entry["kind"] == "matrix" else f", {entry['rows']:,} sentences"
        click.echo(f"{out / entry['file']}  {entry['instances']:,} {noun}{rows}")


def _progress(name: str, done: int, number: int) -> None:
    end = "\n" if done == number else ""
    click.echo(f"\r{name}: {done:,} of {number:,}{end}", err=True, nl=False)
