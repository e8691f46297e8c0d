"""``merula suite``: a whole data set from a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from merula.cli.options import out_option
from merula.cli.printing import draw, interrupted, progress_shown
from merula.core.wording import counted
from merula.data.format_names import FORMATS, LAYOUTS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.suite.make import MadeSuite
    from merula.suite.plan import SuitePlan
    from merula.suite.splits import Split


def _complete_suite(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the suites that come with Merula, and let the shell find files."""
    from click.shell_completion import CompletionItem

    from merula.suite.recipe import known_suites

    del ctx, param
    names = [name for name in known_suites() if name.startswith(incomplete)]
    packaged = [CompletionItem(name, help="comes with Merula") for name in names]
    return [*packaged, CompletionItem(incomplete, type="file")]


@click.command()
@click.argument("recipe", metavar="SUITE", shell_complete=_complete_suite)
@out_option("Write into this folder (new, empty, or of the same suite).")
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(1),
    help="Make N paradigms or matrices of each design.",
)
@click.option("--seed", metavar="N", type=int, help="Decides which paradigms or matrices are made.")
@click.option(
    "--split",
    metavar="A:B:C",
    help="Divide into train, dev and test, such as 80:10:10 (A:B: no dev).",
)
@click.option(
    "--disjoint",
    type=click.Choice(["lexemes", "sets", "answers"]),
    help="What no two splits share: lexemes (paradigms); lexical sets, the default, or right"
    " answers (matrices).",
)
@click.option(
    "--cap",
    metavar="SHARE",
    type=click.FloatRange(0, 1, min_open=True),
    help="Let no lexeme be in more than this share of a design's paradigms.",
)
@click.option("--order", metavar="NAME", help="Make only this order of the recipe.")
@click.option(
    "--configuration",
    metavar="NAME",
    help="Write only the parts of this selection, such as all_but_one/adverbs.",
)
@click.option(
    "--part", "parts", metavar="NAME", multiple=True, help="Make only this part (may be repeated)."
)
@click.option(
    "--set",
    "sets",
    metavar="NAME",
    multiple=True,
    help="Make only this answer set of matrices (may be repeated).",
)
@click.option(
    "--type",
    "types",
    metavar="TYPE",
    multiple=True,
    help="Make only this type of matrices (may be repeated).",
)
@click.option(
    "--layout",
    type=click.Choice(["merula", "published", *LAYOUTS]),
    default="merula",
    show_default=True,
    help="The files of Merula, or those of published data: published (NPI); wide, genbench or xy"
    " (matrices).",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    help="The format of the files.  [default: parquet]",
)
@click.option(
    "--workers",
    "-w",
    metavar="N",
    type=click.IntRange(1),
    help="Use N processes at once (else one for each processor).",
)
@click.option("--quiet", "-q", is_flag=True, help="Show neither progress nor the summary.")
def suite(
    recipe: str,
    out: Path,
    count: int | None,
    seed: int | None,
    split: str | None,
    disjoint: str | None,
    cap: float | None,
    order: str | None,
    configuration: str | None,
    parts: tuple[str, ...],
    sets: tuple[str, ...],
    types: tuple[str, ...],
    layout: str,
    format_name: str | None,
    workers: int | None,
    quiet: bool,
) -> None:
    """Make a whole data set from a recipe.

    The data are paradigms with minimal pairs, cloze pairs and probing tables, or matrices. SUITE is
    a recipe (suite.toml), or the name of a suite that comes with Merula, such as npi. An option
    wins over the recipe. The same recipe, grammars, tables and options give the same files.
    """
    from merula.suite.plan import SETS, MatrixPlan, ParadigmPlan
    from merula.suite.recipe import MATRICES, matrix_recipe, paradigm_recipe, read_file

    if layout != "merula" and format_name is not None:
        raise click.UsageError(f"--layout {layout} has a format of its own: leave --format out")
    file = read_file(recipe)
    shares = _split(split)
    if file.kind == MATRICES:
        _refuse(file.kind, cap=cap, order=order, configuration=configuration)
        _only(layout, disjoint, ("published",), ("lexemes",), file.kind)
        matrices = MatrixPlan(
            matrix_recipe(file).changed(seed=seed, split=shares),
            format_name or "parquet",
            layout,
            disjoint or SETS,
            parts,
            sets,
            types,
            count,
        )
        _make(matrices, out, workers, quiet)
        return
    _refuse(file.kind, set=sets, type=types)
    _only(layout, disjoint, tuple(LAYOUTS), ("sets", "answers"), file.kind)
    paradigms = ParadigmPlan(
        paradigm_recipe(file).changed(n=count, seed=seed, split=shares, cap=cap),
        format_name or "parquet",
        layout,
        order or "",
        disjoint or "",
        configuration or "",
        parts,
    )
    _make(paradigms, out, workers, quiet)


def _refuse(kind: str, **given: object) -> None:
    """Raise `click.UsageError` for options that this kind of recipe does not have."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"a recipe of {kind} has no --{name}: leave it out")


def _only(
    layout: str,
    disjoint: str | None,
    other_layouts: tuple[str, ...],
    other_divisions: tuple[str, ...],
    kind: str,
) -> None:
    """Raise `click.UsageError` for layouts and divisions of the other kind of recipe."""
    for name, value, other in (
        ("layout", layout, other_layouts),
        ("disjoint", disjoint, other_divisions),
    ):
        if value in other:
            raise click.UsageError(f"a recipe of {kind} has no --{name} {value}: leave it out")


def _make(plan: SuitePlan, out: Path, workers: int | None, quiet: bool) -> None:
    """Make the suite, and print what was made."""
    from merula.core.workers import processors
    from merula.suite.make import make_suite

    progress = progress_shown(quiet=quiet)
    with interrupted("nothing was written"):
        suite = make_suite(plan, out, workers=workers or processors(), progress=progress)
    if not quiet:
        _report(plan, out, suite)


def _split(text: str | None) -> Split | None:
    from merula.suite.splits import Split

    if text is None:
        return None
    try:
        return Split.of(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--split") from None


def _report(plan: SuitePlan, out: Path, suite: MadeSuite) -> None:
    """Print what is in the folder now."""
    from merula.suite.summary import summary

    for grammar, count in suite.warnings.items():
        warnings = counted(count, "warning")
        click.echo(f"{grammar}: {warnings}; `merula check {grammar}` shows them", err=True)
    draw(summary(plan, suite.manifest))
    files = len(suite.manifest.files)
    click.echo()
    if suite.is_new:
        click.echo(f"{out}  {counted(files, 'file')}")
    else:
        click.echo(f"{out} is complete already; nothing is left to do", err=True)
