"""``merula publish``: a data set repository that people load in one line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merula.cli.common import (
    complete_grammar,
    options_of,
    out_option,
    table_options,
    usable,
    workers_option,
)
from merula.cli.publishing import progress_line, report, send, show_push, sizes

if TYPE_CHECKING:
    from merula.publish.make import Options, Outcome
    from merula.publish.plan import Details, Plan


@click.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="GRAMMAR…", shell_complete=complete_grammar
)
@out_option("Publish into this folder (new, empty, or published before).")
@click.option(
    "--licence", "--license", metavar="ID", default="", help="The licence, such as cc-by-4.0."
)
@click.option(
    "-n",
    "number",
    metavar="N",
    type=click.IntRange(1),
    help="How many instances each configuration has at most.  [default: 1000]",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    help="Decides which instances are published, and in what order.  [default: 0]",
)
@click.option(
    "--split",
    metavar="SHARES",
    default="",
    help="Divide into train, validation and test, such as 80:10:10; else all is under test.",
)
@click.option(
    "--design",
    "-d",
    "designs",
    multiple=True,
    metavar="NAME",
    help="Publish only this paradigm or matrix (may be repeated).",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(["I", "III"]),
    help="Publish matrices of this type only (else of both).",
)
@click.option(
    "--answers",
    type=click.Choice(["one", "mixed"]),
    help="Type III: answers from one more instance, or each from another.  [default: one]",
)
@click.option(
    "--disjoint",
    type=click.Choice(["lexemes", "sets", "answers"]),
    help="Of a suite: what no two splits share.",
)
@click.option("--title", metavar="TEXT", default="", help="What the data set is called.")
@click.option("--author", "authors", multiple=True, metavar="NAME", help="Who made it.")
@click.option(
    "--citation",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="How to cite it, in BibTeX.",
)
@click.option(
    "--date",
    metavar="DAY",
    type=click.DateTime(["%Y-%m-%d"]),
    help="When it was published.  [default: as before, or today]",
)
@click.option(
    "--template",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A card template of your own (Jinja2).",
)
@click.option("--default", metavar="CONFIG", default="", help="What is loaded if none is named.")
@click.option(
    "--rows-per-file",
    "part",
    metavar="N",
    type=click.IntRange(1),
    default=500_000,
    show_default=True,
    help="Begin a new file after about so many.",
)
@click.option(
    "--audit-sentences",
    "audit",
    metavar="N",
    type=click.IntRange(0),
    default=40_000,
    show_default=True,
    help="Audit so many sentences at most, the first of each split.",
)
@click.option("--no-source", is_flag=True, help="Leave grammars and tables out.")
@click.option(
    "--replace", is_flag=True, help="Replace what is there even if its features are others."
)
@click.option("--push", metavar="OWNER/NAME", default="", help="Upload it to the hub.")
@click.option("--public", is_flag=True, help="With --push: let everybody see it.")
@click.option("--dry-run", is_flag=True, help="With --push: list what would be uploaded.")
@workers_option
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where nothing is wrong.")
@table_options
def publish(
    files: Sequence[str],
    out: Path,
    licence: str,
    title: str,
    authors: Sequence[str],
    citation: Path | None,
    date: datetime | None,
    template: Path | None,
    audit: int,
    no_source: bool,
    replace: bool,
    push: str,
    public: bool,
    dry_run: bool,
    workers: int,
    quiet: bool,
    **said: Any,
) -> None:
    """Publish the data of grammars, or of a suite: Parquet files, a card, the sources.

    DIR becomes a data set repository as the Hugging Face hub has them. Publishing again writes
    only what has changed, and needs no title, licence or the like again; `merula verify DIR` makes
    all of it again and compares. Instead of grammars you may name one suite (npi, blm) or recipe
    (*.toml).
    """
    from merula.publish.licences import demand_licence
    from merula.publish.make import Options, remembered
    from merula.publish.plan import Details

    if (public or dry_run) and not push:
        raise click.UsageError("--public and --dry-run need --push")
    _demand_split(said["split"])
    if push:
        _demand_hub(push, dry_run=dry_run)
    day = "" if date is None else date.date().isoformat()
    given = Details(licence, title.strip(), _names(authors), _bibtex(citation), day)
    known = remembered(given, out)
    details = Details(
        demand_licence(known.licence),
        known.title,
        known.authors,
        known.citation,
        known.date or datetime.now(UTC).date().isoformat(),
    )
    plan = _plan(files, push.partition("/")[2] or out.resolve().name, details, quiet, said)
    options = Options(audit, not no_source, template, push, replace, workers)
    if dry_run:
        _dry_run(plan, out, options, push, public=public, quiet=quiet)
        return
    outcome = _made(plan, out, options, quiet=quiet)
    if not quiet:
        report(out, outcome)
    if push:
        send(out, push, outcome, public=public, replace=replace, quiet=quiet)


def _demand_hub(repo: str, *, dry_run: bool) -> None:
    """Refuse a name, and a push without a token, before anything is made."""
    from merula.publish.push import demand_repo_name, demand_token

    demand_repo_name(repo)
    if not dry_run:
        demand_token()


def _plan(
    files: Sequence[str], name: str, details: Details, quiet: bool, said: Mapping[str, Any]
) -> Plan:
    """What is to be published; ``said`` are the options that decide the rows."""
    from merula.publish.plan import Asked, Choice, Plan

    keys = ("lexicons", "separator", "encoding", "columns")
    tables = {key: said[key] for key in keys}
    if _is_suite(files):
        given = {"--design": said["designs"], "--answers": said["answers"]}
        _refuse("a suite", {**given, "--lexicon and the like": any(tables.values())})
        return _suite_plan(name, files[0], details, said)
    _refuse("grammars", {"--disjoint": said["disjoint"]})
    options = options_of(**tables)
    plain = Choice()
    choice = Choice(
        said["number"] or plain.number,
        said["seed"] or 0,
        tuple(said["designs"]),
        tuple(said["types"]) or plain.types,
        said["answers"] or plain.answers,
        said["split"],
        said["part"],
    )
    asked = tuple(Asked(file, options, usable(file, options, quiet=quiet)) for file in files)
    plan = Plan(name, asked, details, choice, said["default"])
    if said["types"] and all(config.kind == "paradigm" for config in plan.publication.configs):
        raise click.UsageError("--type is for matrices, and there is none: leave it out")
    return plan


def _made(plan: Plan, out: Path, options: Options, *, quiet: bool) -> Outcome:
    from merula.publish.make import publish

    progress = None if quiet or not sys.stderr.isatty() else progress_line
    try:
        return publish(plan, out, options, progress=progress)
    except KeyboardInterrupt:
        click.echo("\ninterrupted: the same command goes on with what is done", err=True)
        raise click.exceptions.Exit(130) from None


def _dry_run(
    plan: Plan, out: Path, options: Options, repo: str, *, public: bool, quiet: bool
) -> None:
    """Publish elsewhere, and list what would be uploaded from there."""
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from merula.publish.commands import TEMPLATE

    with TemporaryDirectory(prefix="merula-") as name:
        folder = Path(name, plan.name)
        template = out / TEMPLATE
        if options.template is None and template.is_file():
            options = replace(options, template=template)
        outcome = _made(plan, folder, options, quiet=quiet)
        if not quiet:
            sizes(outcome)
        show_push(folder, repo, outcome, public=public)


def _names(authors: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in authors if name.strip())


def _is_suite(files: Sequence[str]) -> bool:
    """Whether a suite is named, or a recipe; raises `click.UsageError` beside something else."""
    from merula.suite.recipe import known_suites

    suites = [
        file
        for file in files
        if file.endswith(".toml") or (file.lower() in known_suites() and not Path(file).is_file())
    ]
    if suites and len(files) > 1:
        raise click.UsageError(f"{suites[0]} is a suite: publish it into a folder of its own")
    return bool(suites)


def _refuse(what: str, given: Mapping[str, object]) -> None:
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is not for {what}: leave it out")


def _suite_plan(name: str, asked: str, details: Details, said: Mapping[str, Any]) -> Plan:
    from merula.publish.plan import Choice, Plan
    from merula.publish.suites import Suite
    from merula.suite.matrices.recipe import MATRICES
    from merula.suite.recipe import known_suites, read_file

    if asked.lower() in known_suites():
        asked = asked.lower()
    file = read_file(asked)
    types, disjoint = tuple(said["types"]), said["disjoint"] or ""
    matrices = file.kind == MATRICES
    _refuse(f"a suite of {file.kind}", {"--type": not matrices and types})
    if disjoint in (("lexemes",) if matrices else ("sets", "answers")):
        raise click.UsageError(f"a suite of {file.kind} has no --disjoint {disjoint}: leave it out")
    suite = Suite(file, said["number"], said["seed"], said["split"], types, disjoint)
    choice = Choice(part=said["part"])
    return Plan.of_suite(name, asked, suite, details, choice, said["default"])


def _demand_split(split: str) -> None:
    from merula.suite.splits import Split

    if split:
        try:
            Split.of(split)
        except ValueError as error:
            raise click.BadParameter(
                f"{split!r} should be shares for train, validation and test such as 80:10:10, or"
                " for train and test such as 90:10",
                param_hint="--split",
            ) from error


def _bibtex(path: Path | None) -> str:
    """The text of a file of BibTeX that is named; raises `MerulaError` where it is none."""
    from merula.core.diagnostics import MerulaError

    if path is None:
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
        reason = "" if "@" in text else "it holds no entry, such as @misc{key, …}"
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not written in UTF-8"
    if reason:
        raise MerulaError.of(
            "M726",
            f"{path} cannot be read: {reason}",
            remedy="name a file of BibTeX, saved as UTF-8",
            place=str(path),
        )
    return text
