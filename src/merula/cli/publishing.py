"""What ``merula publish`` prints, and what it sends to the hub."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from merula.publish.make import Outcome

MOST = 12  # files that are named


def report(out: Path, outcome: Outcome) -> None:
    """What is in the folder now, and what of it is new."""
    sizes(outcome)
    if outcome.audit is not None:
        click.echo(_findings(outcome.audit))
    if outcome.saved:
        click.echo(f"{out / outcome.saved}  the card as it was edited by hand")
    written, kept, deleted = len(outcome.written), len(outcome.kept), len(outcome.deleted)
    if not written and not deleted:
        click.echo(f"{out}  nothing has changed", err=True)
        return
    if kept or deleted:  # something was there: say what has changed
        _list("written", outcome.written)
        _list("deleted", outcome.deleted)
    left = f", {kept} unchanged" if kept else ""
    gone = f", {deleted} deleted" if deleted else ""
    click.echo(f"{out}  {written} {'file' if written == 1 else 'files'} written{left}{gone}")


def sizes(outcome: Outcome) -> None:
    """The configurations with their splits."""
    for config in outcome.publication.configs:
        for split in config.splits:
            noun = "instance" if split.instances == 1 else "instances"
            rows = "" if config.kind == "matrix" else f", {split.rows:,} sentences"
            click.echo(f"{config.name} {split.name}  {split.instances:,} {noun}{rows}")


def _findings(audit: Mapping[str, Any]) -> str:
    """What the audit has found, in a line."""
    of = {"sentences": audit["sentences"], "matrices": audit["matrices"]}
    what = " and ".join(f"{number:,} {name}" for name, number in of.items() if number)
    faults = audit["faults"]
    if not faults:
        return f"audit of {what}: no faults"
    named = ", ".join(faults[:MOST]) + (" …" if len(faults) > MOST else "")
    return f"audit of {what}: faults, which the card explains: {named}"


def _list(what: str, files: Sequence[str]) -> None:
    """Some files, a line each."""
    for name in files[:MOST]:
        click.echo(f"{what}  {name}")
    if len(files) > MOST:
        click.echo(f"{what}  … and {len(files) - MOST} more")


def show_push(folder: Path, repo: str, outcome: Outcome, *, public: bool) -> None:
    """What would be uploaded."""
    from merula.publish.push import plan_push

    plan = plan_push(folder, repo, _files_of(outcome), private=not public)
    click.echo(f"\n{repo}: nothing is uploaded; this would be")
    for file in plan.files:
        click.echo(f"{file.change:10}{file.size:>14,}  {file.path}")
    if plan.others:
        click.echo(f"not touched: {', '.join(plan.others)}")
    if plan.unknown:
        click.echo(f"what the hub has is not known: {plan.unknown}", err=True)


def _files_of(outcome: Outcome) -> list[str]:
    from merula.data.manifests.publication import PUBLICATION

    return [*outcome.publication.files(), PUBLICATION]


def send(
    out: Path, repo: str, outcome: Outcome, *, public: bool, replace: bool, quiet: bool
) -> None:
    """Upload a folder, and say what went."""
    from merula.publish.push import push

    try:
        done = push(
            out,
            repo,
            _files_of(outcome),
            private=not public,
            replace=replace,
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


def progress_line(name: str, done: int, number: int) -> None:
    """How far it is, in a line that is written over."""
    end = "\n" if done == number else ""
    click.echo(f"\r{name}: {done:,} of {number:,}{end}", err=True, nl=False)
