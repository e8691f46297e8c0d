"""``merula generate``: instances written to files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merula.cli.grammars import chosen, usable
from merula.cli.options import (
    complete_grammar,
    options_of,
    out_option,
    seed_option,
    table_options,
    variation_of,
    variation_options,
    workers_option,
)
from merula.cli.printing import interrupted, progress_shown
from merula.core.wording import counted
from merula.data.format_names import FORMATS, LAYOUTS, SENTENCES_PER_FILE, suffix

if TYPE_CHECKING:
    from merula.data.run import RunOutcome, Shard


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_grammar)
@out_option("Write into this folder (new, empty, or of the same run).")
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(0),
    help="Make N instances of each paradigm and matrix.",
)
@click.option("--all", "everything", is_flag=True, help="Make all instances.")
@seed_option("which instances are made, and in what order")
@click.option(
    "--design",
    "-d",
    "names",
    multiple=True,
    metavar="NAME",
    help="Make only this paradigm or matrix (may be repeated).",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    help="The format of the files.  [default: parquet]",
)
@click.option(
    "--layout",
    type=click.Choice(tuple(LAYOUTS)),
    help="Write matrices as published ones are: one wide table, GenBench's tasks, lists x and y.",
)
@variation_options
@click.option(
    "--spans", is_flag=True, help="Add the place of each object in its sentence, in characters."
)
@click.option("--keep", metavar="NAME,…", help="Keep only these columns of the data.")
@workers_option
@click.option(
    "--shard",
    metavar="K/M",
    help="Make only the K-th of M shares of the files (see --sentences-per-file).",
)
@click.option(
    "--sentences-per-file",
    "part",
    metavar="N",
    type=click.IntRange(1),
    default=SENTENCES_PER_FILE,
    show_default=True,
    help="Begin a new file after about N sentences.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, and do not mention warnings.")
@table_options
def generate(
    files: Sequence[str],
    out: Path,
    count: int | None,
    everything: bool,
    seed: int,
    names: Sequence[str],
    format_name: str | None,
    layout: str | None,
    variation: str,
    answers: str,
    spans: bool,
    keep: str | None,
    workers: int,
    shard: str | None,
    part: int,
    quiet: bool,
    **tables: Any,
) -> None:
    """Write instances into a folder, with a manifest.

    The same grammar, tables and seed give the same rows, however many processes or shards make
    them. If a run is interrupted, the same command goes on with it.
    """
    from merula.data.run import Run, generate_files
    from merula.rows.maker import RowChoice

    if everything == (count is not None):
        both = "not both" if everything else "one of them"
        raise click.UsageError(f"say how many instances: -n N or --all, {both}")
    for option, value in (("--format", format_name), ("--keep", keep)):
        if layout is not None and value is not None:
            raise click.UsageError(f"--layout {layout} has columns of its own: leave {option} out")
    share = _shard(shard)
    options = options_of(**tables)
    compiled = [usable(file, options, quiet=quiet) for file in files]
    if names:
        compiled = _only(compiled, names)
    columns = None if keep is None else tuple(name.strip() for name in keep.split(","))
    rows = RowChoice(
        None if everything else count, seed, variation_of(variation, answers), spans, columns
    )
    progress = progress_shown(quiet=quiet)
    run = Run.of(compiled, rows, layout or format_name or "parquet", part)
    with interrupted("the same command goes on with what is done"):
        outcome = generate_files(run, out, workers=workers, shard=share, progress=progress)
    _report(out, outcome)


def _only(compiled: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return the grammars with only the named designs; raises `MerulaError` for an unknown name."""
    from dataclasses import replace

    designs = {name for c in compiled for name in c.designs}
    for name in names:
        if name not in designs:
            chosen(compiled[0], name)  # raises
    return [
        replace(c, designs={n: d for n, d in c.designs.items() if n in names}) for c in compiled
    ]


def _shard(text: str | None) -> Shard | None:
    from merula.data.run import Shard

    if text is None:
        return None
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise click.BadParameter(
            f"{text!r} should be K/M with K from 1 to M, such as 2/4", param_hint="--shard"
        )
    return Shard(int(match[1]), int(match[2]))


def _report(out: Path, outcome: RunOutcome) -> None:
    """What is in the folder now."""

    if outcome.manifest is None:
        made, missing = len(outcome.made), len(outcome.missing)
        verb = "is" if missing == 1 else "are"
        click.echo(f"{out}  {counted(made, 'file')} made; {missing} of other shards {verb} missing")
        return
    for design in outcome.manifest.designs:
        names = [part.file for part in outcome.manifest.files if part.title == design.title]
        rows = "" if design.kind == "matrix" else f", {counted(design.rows, 'sentence')}"
        name = (
            names[0] if len(names) == 1 else f"{design.title}-*.{suffix(outcome.manifest.format)}"
        )
        spread = "" if len(names) == 1 else f" in {len(names)} files"
        click.echo(f"{out / name}  {counted(design.instances, 'instance')}{rows}{spread}")
    if not outcome.made:
        click.echo(f"{out} is complete already; nothing is left to do", err=True)
