"""``merula publish``: a data set repository that people load in one line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from merula.cli.common import (
    complete_folder,
    complete_grammar,
    options_of,
    table_options,
    usable,
)

if TYPE_CHECKING:
    from merula.publish.make import Outcome
    from merula.publish.plan import Choice, Details, Plan


@click.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="GRAMMAR…", shell_complete=complete_grammar
)
@click.option(
    "--out",
    "-o",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=complete_folder,
    help="Publish into this folder (new, empty, or published before).",
)
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
@click.option(
    "--workers",
    "-w",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Use so many processes at once.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where nothing is wrong.")
@table_options
def publish(
    files: Sequence[str],
    out: Path,
    licence: str,
    number: int | None,
    seed: int | None,
    split: str,
    designs: Sequence[str],
    types: Sequence[str],
    answers: str | None,
    disjoint: str | None,
    title: str,
    authors: Sequence[str],
    citation: Path | None,
    template: Path | None,
    default: str,
    part: int,
    audit: int,
    no_source: bool,
    replace: bool,
    push: str,
    public: bool,
    dry_run: bool,
    workers: int,
    quiet: bool,
    **tables: Any,
) -> None:
    """Publish the data of grammars, or of a suite: Parquet files, a card, the sources.

    DIR becomes a data set repository as the Hugging Face hub has them. Publishing again writes
    only what has changed; `merula verify DIR` makes all of it again and compares. Instead of
    grammars you may name one suite (npi, blm) or recipe (*.toml).
    """
    from merula.publish.licences import demand_licence
    from merula.publish.make import Options
    from merula.publish.make import publish as make
    from merula.publish.plan import Asked, Choice, Details, Plan

    if (public or dry_run) and not push:
        raise click.UsageError("--public and --dry-run need --push")
    _demand_split(split)
    licence = demand_licence(licence)
    if push:
        from merula.publish.push import demand_repo_name

        demand_repo_name(push)
    name = push.partition("/")[2] or out.resolve().name
    details = Details(licence, title, tuple(authors), _text(citation))
    options = options_of(**tables)
    if _is_suite(files):
        given = {"--design": designs, "--answers": answers, "--lexicon": any(tables.values())}
        _refuse("a suite", given)
        plan = _suite_plan(
            name, files[0], details, Choice(part=part), default,
            number=number, seed=seed, split=split, types=tuple(types), disjoint=disjoint or "",
        )  # fmt: skip
    else:
        _refuse("grammars", {"--disjoint": disjoint})
        plan = Plan(
            name,
            tuple(Asked(file, options, usable(file, options, quiet=quiet)) for file in files),
            details,
            Choice(
                number or Choice().number,
                seed or 0,
                tuple(designs),
                tuple(types) or Choice().types,
                answers or "one",
                split,
                part,
            ),
            default,
        )
    shown = None if quiet or not sys.stderr.isatty() else _progress
    try:
        outcome = make(
            plan,
            out,
            Options(audit, not no_source, template, push, replace, workers),
            progress=shown,
        )
    except KeyboardInterrupt:
        click.echo("\ninterrupted: the same command goes on with what is done", err=True)
        raise click.exceptions.Exit(130) from None
    if not quiet:
        _report(out, outcome)
    if push:
        from merula.publish.manifest import PUBLICATION

        files_of = [*outcome.publication.files(), PUBLICATION]
        if dry_run:
            _show_push(out, push, files_of, public)
        else:
            _push(out, push, files_of, public, quiet)


def _is_suite(files: Sequence[str]) -> bool:
    """Whether a suite is named, or a recipe; raises `click.UsageError` beside something else."""
    from merula.suite.recipe import known_suites

    suites = [
        file
        for file in files
        if file.endswith(".toml") or (file in known_suites() and not Path(file).is_file())
    ]
    if suites and len(files) > 1:
        raise click.UsageError(f"{suites[0]} is a suite: publish it into a folder of its own")
    return bool(suites)


def _refuse(what: str, given: Mapping[str, object]) -> None:
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is not for {what}: leave it out")


def _suite_plan(
    name: str, asked: str, details: Details, choice: Choice, default: str, **said: Any
) -> Plan:
    from merula.publish.plan import Plan
    from merula.publish.suites import Suite
    from merula.suite.matrices.recipe import MATRICES
    from merula.suite.recipe import read_file

    file = read_file(asked)
    matrices = file.kind == MATRICES
    _refuse(f"a suite of {file.kind}", {"--type": not matrices and said["types"]})
    if said["disjoint"] in (("lexemes",) if matrices else ("sets", "answers")):
        raise click.UsageError(
            f"a suite of {file.kind} has no --disjoint {said['disjoint']}: leave it out"
        )
    return Plan.of_suite(name, asked, Suite(file, **said), details, choice, default)


def _demand_split(split: str) -> None:
    from merula.suite.splits import Split

    if split:
        try:
            Split.of(split)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--split") from error


def _text(path: Path | None) -> str:
    """The text of a file that is named; raises `MerulaError` where it cannot be read."""
    from merula.language.diagnostics import MerulaError

    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not written in UTF-8"
        raise MerulaError.of(
            "M726",
            f"{path} cannot be read: {reason}",
            remedy="name a file of BibTeX, saved as UTF-8",
            place=str(path),
        ) from error


def _report(out: Path, outcome: Outcome) -> None:
    """What is in the folder now, and what of it is new."""
    for config in outcome.publication.configs:
        for split in config.splits:
            noun = "instance" if split.instances == 1 else "instances"
            rows = "" if config.kind == "matrix" else f", {split.rows:,} sentences"
            click.echo(f"{config.name} {split.name}  {split.instances:,} {noun}{rows}")
    written, kept, deleted = len(outcome.written), len(outcome.kept), len(outcome.deleted)
    if not written and not deleted:
        click.echo(f"{out}  nothing has changed", err=True)
        return
    left = f", {kept} unchanged" if kept else ""
    gone = f", {deleted} deleted" if deleted else ""
    click.echo(f"{out}  {written} {'file' if written == 1 else 'files'} written{left}{gone}")


def _show_push(out: Path, repo: str, files: Sequence[str], public: bool) -> None:
    """What would be uploaded."""
    from merula.publish.push import plan_push

    plan = plan_push(out, repo, files, private=not public)
    click.echo(f"\n{repo}: nothing is uploaded; this would be")
    for file in plan.files:
        click.echo(f"{file.change:10}{file.size:>14,}  {file.path}")
    if plan.others:
        click.echo(f"not touched: {', '.join(plan.others)}")
    if plan.unknown:
        click.echo(f"what the hub has is not known: {plan.unknown}", err=True)


def _push(out: Path, repo: str, files: Sequence[str], public: bool, quiet: bool) -> None:
    """Upload a folder, and say what went."""
    from merula.publish.push import push

    try:
        done = push(
            out,
            repo,
            files,
            private=not public,
            progress=None if quiet else lambda text: click.echo(text, err=True),
            bars=sys.stderr.isatty() and not quiet,
        )
    except KeyboardInterrupt:
        click.echo(
            "\ninterrupted: the repository is as it was or has all; the same command goes on",
            err=True,
        )
        raise click.exceptions.Exit(130) from None
    if not done.created and done.private == public:
        now = "private" if done.private else "public"
        click.echo(f"{repo} stays {now}: change that in its settings on the hub", err=True)
    if quiet:
        return
    went, there, gone = (
        len(done.of(*kinds)) for kinds in (("added", "changed"), ("kept",), ("deleted",))
    )
    click.echo(
        f"{done.url}  {went} {'file' if went == 1 else 'files'} uploaded"
        + f", {there} there already" * bool(there)
        + f", {gone} deleted" * bool(gone)
    )


def _progress(name: str, done: int, number: int) -> None:
    end = "\n" if done == number else ""
    click.echo(f"\r{name}: {done:,} of {number:,}{end}", err=True, nl=False)
