"""The command that publishes a data set again, as one writes it in the folder of its repository.

It names nothing but what is there: packaged grammars and suites by their names, all others, their
tables, the citation and the template of the card by their places under ``source``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from merula.core.resources import folder as folder_of
from merula.data.manifests.publication import GrammarEntry, Publication, SuiteEntry
from merula.publish.plan import PART, Asked, Choice, Plan
from merula.suite.recipe import known_suites

CITATION = "source/citation.bib"
TEMPLATE = "source/template.md.j2"


def command(publication: Publication, plan: Plan, more: dict[str, str]) -> str:
    """The command; ``more`` are options that decide nothing of the rows, with their values.

    It publishes into a folder of the same name beside this one, so that all files come out the
    same.
    """
    words = ["merula", "publish"]
    if publication.suite is not None:
        words += [publication.suite.asked, *_suite_words(publication.suite)]
    else:
        words += [grammar.asked for grammar in publication.grammars]
        words += _choice_words(publication, plan.choice)
        words += _table_words(publication.grammars[0])
    details = plan.details
    words += ["--out", f"../again/{plan.name}", "--licence", details.licence]
    if details.title:
        words += ["--title", details.title]
    for author in details.authors:
        words += ["--author", author]
    if details.date:
        words += ["--date", details.date]
    if plan.default:
        words += ["--default", plan.default]
    if plan.choice.part != PART:
        words += ["--rows-per-file", str(plan.choice.part)]
    for option, value in more.items():
        words += [option, value] if value else [option]
    return shlex.join(words)


def _choice_words(publication: Publication, choice: Choice) -> list[str]:
    words = ["-n", str(choice.number), "--seed", str(choice.seed)]
    for name in choice.designs:
        words += ["--design", name]
    matrices = any(config.kind == "matrix" for config in publication.configs)
    if matrices and len(choice.types) == 1:
        words += ["--type", *choice.types]
    if matrices and choice.answers != "one":
        words += ["--answers", choice.answers]
    return words + (["--split", choice.split] if choice.split else [])


def _table_words(entry: GrammarEntry) -> Iterator[str]:
    """What was said of tables, the same for all grammars."""
    said = entry.options
    for name, file in said["files"].items():
        yield from ("--lexicon", f"{name}={file}" if name else file)
    for option in ("separator", "encoding"):
        if said[option] is not None:
            yield from (f"--{option}", said[option])
    for name, header in said["columns"].items():
        yield from ("--column", f"{name}={header}")


def _suite_words(suite: SuiteEntry) -> list[str]:
    words = [] if suite.number is None else ["-n", str(suite.number)]
    words += ["--seed", str(suite.seed)]
    for kind in suite.types:
        words += ["--type", kind]
    for option, value in (("split", suite.split), ("disjoint", suite.disjoint)):
        if value:
            words += [f"--{option}", value]
    return words


def suite_name(suite: SuiteEntry) -> str:
    """How a suite is named where nothing but the repository and Merula is at hand."""
    return suite.asked if suite.asked in known_suites() else suite.source or suite.asked


def grammar_name(asked: Asked, entry: GrammarEntry) -> str:
    """How a grammar is named where nothing but the repository and Merula is at hand."""
    path = asked.compiled.source.path
    root = folder_of("grammars").resolve()
    if path is not None and path.resolve().is_relative_to(root):
        return path.resolve().relative_to(root).with_suffix("").as_posix()
    return entry.source or Path(asked.name).name
