"""The command that publishes a data set again, as one writes it in the folder of its repository.

It names nothing but what is there: packaged grammars and suites by their names; any other grammar,
the tables, the citation and the template of the card by their places under ``source``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from merula.core.resources import folder as folder_of
from merula.data.manifests.publication import GrammarEntry, Publication, SuiteEntry
from merula.publish.plan import ROWS_PER_FILE, GrammarRequest, Publishing, RowRequest
from merula.suite.recipe import known_suites

CITATION = "source/citation.bib"
TEMPLATE = "source/template.md.j2"


def command(publication: Publication, plan: Publishing, more: dict[str, str]) -> str:
    """Return the command; ``more`` are options that do not change rows, with their values.

    It publishes into a folder of the same name elsewhere, so that all files come out the same.
    """
    words = ["merula", "publish"]
    if publication.suite is not None:
        words += [publication.suite.asked, *_suite_words(publication.suite)]
    else:
        words += [grammar.asked for grammar in publication.grammars]
        words += _row_words(publication, plan.rows)
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
    if plan.rows.rows_per_file != ROWS_PER_FILE:
        words += ["--rows-per-file", str(plan.rows.rows_per_file)]
    for option, value in more.items():
        words += [option, value] if value else [option]
    return shlex.join(words)


def _row_words(publication: Publication, rows: RowRequest) -> list[str]:
    words = ["-n", str(rows.max_instances), "--seed", str(rows.seed)]
    for name in rows.designs:
        words += ["--design", name]
    matrices = any(config.kind == "matrix" for config in publication.configs)
    if matrices and len(rows.types) == 1:
        words += ["--type", *rows.types]
    if matrices and rows.answers != "one":
        words += ["--answers", rows.answers]
    return words + (["--split", rows.split] if rows.split else [])


def _table_words(entry: GrammarEntry) -> Iterator[str]:
    """Yield the options of tables, which are the same for all grammars."""
    options = entry.options
    for name, file in options["files"].items():
        yield from ("--lexicon", f"{name}={file}" if name else file)
    for option in ("separator", "encoding"):
        if options[option] is not None:
            yield from (f"--{option}", options[option])
    for name, header in options["columns"].items():
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
    """Return how a suite is named where only the repository and Merula are at hand."""
    return suite.asked if suite.asked in known_suites() else suite.source or suite.asked


def grammar_name(request: GrammarRequest, entry: GrammarEntry) -> str:
    """Return how a grammar is named where only the repository and Merula are at hand."""
    path = request.compiled.source.path
    root = folder_of("grammars").resolve()
    if path is not None and path.resolve().is_relative_to(root):
        return path.resolve().relative_to(root).with_suffix("").as_posix()
    return entry.source or Path(request.name).name
