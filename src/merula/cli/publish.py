"""``merula publish``: a data set repository that people load in one line.

Options become a plan (`Publishing`), which is made in the folder; then they print what was made,
and the folder may be sent to the hub.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from merula.cli.grammars import usable
from merula.cli.options import (
    complete_grammar,
    options_of,
    out_option,
    table_options,
    workers_option,
)
from merula.cli.printing import interrupted, progress_shown
from merula.core.wording import counted

if TYPE_CHECKING:
    from merula.publish.make import PublishOptions, PublishOutcome
    from merula.publish.plan import Details, Publishing


class _RowOptions(NamedTuple):
    """The options that decide the rows, as they were given; None and empty where they were not."""

    max_instances: int | None
    seed: int | None
    split: str
    designs: tuple[str, ...]
    types: tuple[str, ...]
    answers: str | None
    disjoint: str | None
    part: int  # rows in a file


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
    "max_instances",
    metavar="N",
    type=click.IntRange(1),
    help="Publish at most N instances of each configuration.  [default: 1000]",
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
    help="Divide into train, validation and test, such as 80:10:10; without this, all is test.",
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
    help="Publish only matrices of this type (else of both).",
)
@click.option(
    "--answers",
    type=click.Choice(["one", "mixed"]),
    help="Type III: take all answers from one more instance, or each from another.  [default: one]",
)
@click.option(
    "--disjoint",
    type=click.Choice(["lexemes", "sets", "answers"]),
    help="Of a suite: what no two splits may share.",
)
@click.option("--title", metavar="TEXT", default="", help="The title of the data set.")
@click.option(
    "--author", "authors", multiple=True, metavar="NAME", help="An author (may be repeated)."
)
@click.option(
    "--citation",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file of BibTeX that says how to cite it.",
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
@click.option(
    "--default",
    metavar="CONFIG",
    default="",
    help="The configuration that is loaded if none is named.",
)
@click.option(
    "--rows-per-file",
    "part",
    metavar="N",
    type=click.IntRange(1),
    default=500_000,
    show_default=True,
    help="Begin a new file after about N rows.",
)
@click.option(
    "--audit-sentences",
    "audit",
    metavar="N",
    type=click.IntRange(0),
    default=40_000,
    show_default=True,
    help="Audit at most N sentences, the first of each split.",
)
@click.option("--no-source", is_flag=True, help="Leave grammars and tables out.")
@click.option(
    "--replace", is_flag=True, help="Replace published data even if their columns have other types."
)
@click.option("--push", metavar="OWNER/NAME", default="", help="Upload it to the hub.")
@click.option("--public", is_flag=True, help="With --push: make it public.")
@click.option("--dry-run", is_flag=True, help="With --push: only list what would be uploaded.")
@workers_option
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
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
    max_instances: int | None,
    seed: int | None,
    split: str,
    designs: tuple[str, ...],
    types: tuple[str, ...],
    answers: str | None,
    disjoint: str | None,
    part: int,
    default: str,
    **tables: Any,
) -> None:
    """Publish the data of grammars or of a suite.

    DIR becomes a data set repository for the Hugging Face hub: Parquet files, a card and the
    sources. Publishing again writes only what has changed, and remembers the title, the licence and
    the like; `merula verify DIR` makes all of it again and compares. Instead of grammars you may
    name one suite (npi, blm) or recipe (*.toml).
    """
    from merula.publish.licences import demand_licence
    from merula.publish.make import PublishOptions, remembered
    from merula.publish.plan import Details

    if (public or dry_run) and not push:
        raise click.UsageError("--public and --dry-run need --push")
    _demand_split(split)
    if push:
        _demand_hub(push, dry_run=dry_run)
    day = "" if date is None else date.date().isoformat()
    given = Details(licence, title.strip(), _names(authors), _bibtex(citation), day)
    before = remembered(given, out)
    details = Details(
        demand_licence(before.licence),
        before.title,
        before.authors,
        before.citation,
        before.date or datetime.now(UTC).date().isoformat(),
    )
    name = push.partition("/")[2] or out.resolve().name
    rows = _RowOptions(max_instances, seed, split, designs, types, answers, disjoint, part)
    if _is_suite(files):
        plan = _suite_plan(files[0], name, details, rows, default, tables)
    else:
        plan = _plan(files, name, details, rows, default, tables, quiet=quiet)
    options = PublishOptions(audit, not no_source, template, push, replace, workers)
    if dry_run:
        _dry_run(plan, out, options, push, public=public, quiet=quiet)
        return
    outcome = _made(plan, out, options, quiet=quiet)
    if not quiet:
        _report(out, outcome)
    if push:
        _send(out, push, outcome, public=public, replace=replace, quiet=quiet)


def _demand_hub(repo: str, *, dry_run: bool) -> None:
    """Raise `MerulaError` for a wrong name or a missing token, before anything is made."""
    from merula.publish.hub.push import demand_repo_name, demand_token

    demand_repo_name(repo)
    if not dry_run:
        demand_token()


def _plan(
    files: Sequence[str],
    name: str,
    details: Details,
    rows: _RowOptions,
    default: str,
    tables: Mapping[str, Any],
    *,
    quiet: bool,
) -> Publishing:
    """Plan to publish grammars; ``tables`` are the options of tables (`table_options`)."""
    from merula.publish.plan import GrammarRequest, Publishing, RowRequest

    _refuse("grammars", {"--disjoint": rows.disjoint})
    options = options_of(**tables)
    plain = RowRequest()
    request = RowRequest(
        rows.max_instances or plain.max_instances,
        rows.seed or plain.seed,
        rows.designs,
        rows.types or plain.types,
        rows.answers or plain.answers,
        rows.split,
        rows.part,
    )
    asked = tuple(
        GrammarRequest(file, options, usable(file, options, quiet=quiet)) for file in files
    )
    plan = Publishing(name, asked, details, request, default)
    if rows.types and all(config.kind == "paradigm" for config in plan.publication.configs):
        raise click.UsageError("--type is for matrices, and there are none: leave it out")
    return plan


def _made(plan: Publishing, out: Path, options: PublishOptions, *, quiet: bool) -> PublishOutcome:
    from merula.publish.make import publish

    with interrupted("the same command goes on with what is done"):
        return publish(plan, out, options, progress=progress_shown(quiet=quiet))


def _dry_run(
    plan: Publishing, out: Path, options: PublishOptions, repo: str, *, public: bool, quiet: bool
) -> None:
    """Publish into a temporary folder, and list what would be uploaded from there."""
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
            _print_sizes(outcome)
        _show_push(folder, repo, outcome, public=public)


def _names(authors: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in authors if name.strip())


def _is_suite(files: Sequence[str]) -> bool:
    """Return whether a suite or a recipe is named; raises `click.UsageError` for more than one."""
    from merula.suite.recipe import known_suites

    suites = [
        file
        for file in files
        if file.endswith(".toml") or (file.lower() in known_suites() and not Path(file).is_file())
    ]
    if suites and len(files) > 1:
        raise click.UsageError(
            f"{suites[0]} is a suite: publish it alone, into a folder of its own"
        )
    return bool(suites)


def _refuse(what: str, given: Mapping[str, object]) -> None:
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is not for {what}: leave it out")


def _suite_plan(
    suite_name: str,
    name: str,
    details: Details,
    rows: _RowOptions,
    default: str,
    tables: Mapping[str, Any],
) -> Publishing:
    """Plan to publish a suite, which the user has named ``suite_name``."""
    from merula.publish.plan import Publishing, RowRequest
    from merula.publish.suites import SuiteRequest
    from merula.suite.recipe import MATRICES, known_suites, read_file

    given = {"--design": rows.designs, "--answers": rows.answers}
    _refuse("a suite", {**given, "--lexicon and the like": any(tables.values())})
    if suite_name.lower() in known_suites():
        suite_name = suite_name.lower()
    file = read_file(suite_name)
    matrices = file.kind == MATRICES
    _refuse(f"a suite of {file.kind}", {"--type": not matrices and rows.types})
    disjoint = rows.disjoint or ""
    if disjoint in (("lexemes",) if matrices else ("sets", "answers")):
        raise click.UsageError(f"a suite of {file.kind} has no --disjoint {disjoint}: leave it out")
    suite = SuiteRequest(file, rows.max_instances, rows.seed, rows.split, rows.types, disjoint)
    request = RowRequest(rows_per_file=rows.part)
    return Publishing.of_suite(name, suite_name, suite, details, request, default)


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
    """Return the text of a file of BibTeX; raises `MerulaError` if it is not one."""
    from merula.core.diagnostics import MerulaError

    if path is None:
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
        reason = "" if "@" in text else "it does not contain an entry, such as @misc{key, …}"
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


# names of files or checks: a dozen lines leave the summary in sight
MAX_NAMES_SHOWN = 12


def _report(out: Path, outcome: PublishOutcome) -> None:
    """Print what is in the folder now, and what of it is new."""
    _print_sizes(outcome)
    if outcome.audit is not None:
        click.echo(_findings(outcome.audit))
    if outcome.saved:
        click.echo(f"{out / outcome.saved}  the card as it was edited by hand")
    written, unchanged, deleted = len(outcome.written), len(outcome.kept), len(outcome.deleted)
    if not written and not deleted:
        click.echo(f"{out}  nothing has changed", err=True)
        return
    if unchanged or deleted:  # something was there: say what has changed
        _list("written", outcome.written)
        _list("deleted", outcome.deleted)
    left = f", {unchanged} unchanged" if unchanged else ""
    gone = f", {deleted} deleted" if deleted else ""
    click.echo(f"{out}  {counted(written, 'file')} written{left}{gone}")


def _print_sizes(outcome: PublishOutcome) -> None:
    """Print the configurations with their splits."""
    for config in outcome.publication.configs:
        for split in config.splits:
            rows = "" if config.kind == "matrix" else f", {counted(split.rows, 'sentence')}"
            click.echo(f"{config.name} {split.name}  {counted(split.instances, 'instance')}{rows}")


def _findings(audit: Mapping[str, Any]) -> str:
    """Return what the audit has found, in a line."""
    of = {"sentences": audit["sentences"], "matrices": audit["matrices"]}
    what = " and ".join(f"{number:,} {name}" for name, number in of.items() if number)
    faults = audit["faults"]
    if not faults:
        return f"audit of {what}: no faults"
    named = ", ".join(faults[:MAX_NAMES_SHOWN]) + (" …" if len(faults) > MAX_NAMES_SHOWN else "")
    return f"audit of {what}: faults, which the card explains: {named}"


def _list(what: str, files: Sequence[str]) -> None:
    """Print the first files, a line each."""
    for name in files[:MAX_NAMES_SHOWN]:
        click.echo(f"{what}  {name}")
    if len(files) > MAX_NAMES_SHOWN:
        click.echo(f"{what}  … and {len(files) - MAX_NAMES_SHOWN} more")


def _show_push(folder: Path, repo: str, outcome: PublishOutcome, *, public: bool) -> None:
    """Print what would be uploaded."""
    from merula.publish.hub.push import plan_push

    plan = plan_push(folder, repo, _files_of(outcome), private=not public)
    click.echo(f"\n{repo}: nothing is uploaded; this would be")
    for file in plan.files:
        click.echo(f"{file.change:10}{file.size:>14,}  {file.path}")
    if plan.others:
        click.echo(f"not touched: {', '.join(plan.others)}")
    if plan.unknown:
        click.echo(f"what the hub has is not known: {plan.unknown}", err=True)


def _files_of(outcome: PublishOutcome) -> list[str]:
    from merula.data.manifests.publication import PUBLICATION

    return [*outcome.publication.files(), PUBLICATION]


def _send(
    out: Path, repo: str, outcome: PublishOutcome, *, public: bool, replace: bool, quiet: bool
) -> None:
    """Upload a folder, and print what was sent."""
    from merula.publish.hub.push import push

    with interrupted("the repository is as it was or has all; the same command goes on"):
        pushed = push(
            out,
            repo,
            _files_of(outcome),
            private=not public,
            replace=replace,
            progress=None if quiet else lambda text: click.echo(text, err=True),
            bars=sys.stderr.isatty() and not quiet,
        )
    if not pushed.created and pushed.private == public:
        now = "private" if pushed.private else "public"
        click.echo(f"{repo} stays {now}: change that in its settings on the hub", err=True)
    if quiet:
        return
    sent, kept, deleted = (
        len(pushed.of(*kinds)) for kinds in (("added", "changed"), ("kept",), ("deleted",))
    )
    click.echo(
        f"{pushed.url}  {counted(sent, 'file')} uploaded"
        + f", {kept} there already" * bool(kept)
        + f", {deleted} deleted" * bool(deleted)
    )
