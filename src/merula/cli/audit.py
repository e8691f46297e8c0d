"""``merula audit``: faults, imbalances and shortcuts in a data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merula.audit.format_names import FORMATS
from merula.cli.grammars import usable
from merula.cli.options import (
    complete_grammar,
    format_option,
    options_of,
    seed_option,
    table_options,
)
from merula.cli.printing import draw

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from merula.lexicon.surface import Surface


def _complete_check(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    from merula.audit.report import NAMES

    del ctx, param
    return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "kind",
    type=click.Choice(tuple(FORMATS)),
    help="The format of the files; else it is guessed.",
)
@click.option("--good", metavar="COLUMN", default="", help="Pairs: the column of good sentences.")
@click.option("--bad", metavar="COLUMN", default="", help="Pairs: the column of bad sentences.")
@click.option("--sentence", metavar="COLUMN", default="", help="The column of sentences.")
@click.option(
    "--label", metavar="COLUMN", default="", help="The column that says which sentences are good."
)
@click.option("--group", metavar="COLUMN", default="", help="The column that names the paradigm.")
@click.option(
    "--language",
    metavar="CODE",
    default="",
    help="The language (else the one that the data name, or en).",
)
@click.option(
    "--allow",
    "allowed",
    metavar="CHECK",
    multiple=True,
    shell_complete=_complete_check,
    help="Allow this check to find something (may be repeated).",
)
@click.option(
    "--tolerance",
    metavar="X",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="How far a shortcut, or a word, may be from what the design forces.",
)
@click.option(
    "--disjoint",
    type=click.Choice(["lexemes"]),
    help="Demand that no lexeme is in two splits.",
)
@click.option(
    "--grammar",
    metavar="FILE",
    default="",
    shell_complete=complete_grammar,
    help="Matrices: compare what answers break with this grammar.",
)
@table_options
@click.option(
    "--examples",
    metavar="N",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="How many examples of each finding are shown.",
)
@seed_option("which paradigms the probes are trained on")
@format_option
def audit(
    paths: Sequence[Path],
    kind: str | None,
    good: str,
    bad: str,
    sentence: str,
    label: str,
    group: str,
    language: str,
    allowed: Sequence[str],
    tolerance: float,
    disjoint: str | None,
    grammar: str,
    examples: int,
    seed: int,
    format_name: str,
    **tables: Any,
) -> None:
    """Find faults, imbalances and shortcuts in data sets.

    PATH is a file or a folder: data that Merula has made, BLiMP, the published NPI data, the
    published Blackbird Language Matrices, or a table (csv, tsv, json, jsonl, parquet, arrow). All
    files are taken together. The exit code is 1 if a check finds a fault.
    """
    from merula.audit import Columns, Reading, Settings, read_corpus
    from merula.audit import audit as check
    from merula.audit.drawing import draw as drawing
    from merula.audit.report import NAMES

    _demand_known(allowed, NAMES)
    if bool(good) != bool(bad):
        raise click.UsageError("--good and --bad go together")
    columns = Columns(good, bad, sentence, label, group)
    if any(tables.values()) and not grammar:
        raise click.UsageError("--lexicon, --separator, --encoding and --column need --grammar")
    corpus = read_corpus(paths, Reading(kind or "", columns, language))
    report = check(
        corpus,
        Settings(tolerance, seed, disjoint == "lexemes"),
        surfaces=_surfaces(corpus.languages),
        grammar=usable(grammar, options_of(**tables), quiet=True) if grammar else None,
        allowed=allowed,
    )
    if format_name == "json":
        click.echo(json.dumps(report.to_json(examples), ensure_ascii=False, indent=2))
    else:
        draw(drawing(report, examples))
    if not report.clean:
        raise click.exceptions.Exit(1)


def _demand_known(allowed: Sequence[str], names: Sequence[str]) -> None:
    from merula.core.wording import did_you_mean

    for name in allowed:
        if name not in names:
            hint = did_you_mean(name, names) or f"the checks are {', '.join(names)}"
            raise click.BadParameter(f"no check is named {name!r}; {hint}", param_hint="--allow")


def _surfaces(languages: Sequence[str]) -> dict[str, Surface]:
    """Return the surface rules that come with Merula, for those languages that have some."""
    from merula.core.resources import find
    from merula.lexicon.surface import load_surface

    surfaces = {}
    for language in languages:
        path = find("lexicons", f"{language}/surface.toml") if language.isalpha() else None
        if path is not None:
            surfaces[language] = load_surface(path.read_text(encoding="utf-8"))
    return surfaces
