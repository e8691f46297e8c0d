# /// script
# requires-python = ">=3.11"
# dependencies = ["merula", "lemminflect>=0.2.3", "wordfreq>=3.1"]
#
# [tool.uv.sources]
# merula = { path = "..", editable = true }
# ///
"""Complete tables of lexemes: fill empty cells as their legend says, and sort the rows.

    python lexicons/complete.py lexicons/en/verbs.tsv    fill and sort one table
    python lexicons/complete.py                          all tables that have a legend
    python lexicons/complete.py --check                  change nothing, say what differs

A column of a ``legend.toml`` with ``made`` is filled from a source: ``lemminflect VBD`` (a form),
``wordfreq`` (how frequent the lemma is), or a pattern such as ``more {lemma}``. A cell that holds
something is never changed. What is right although the source says otherwise stands in
``corrections.txt`` beside the tables, and is taken instead. A second run changes nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from merula.core.diagnostics import MerulaError, Report
from merula.lexicon.conformity import fitting
from merula.lexicon.legend import ALWAYS, ColumnLegend, Legend, legend_beside, read_legend
from merula.lexicon.table import CATEGORY, LEMMA, Table, TableFormat, members, read_table

CORRECTIONS = "corrections.txt"
HERE = Path(__file__).parent

# --- sources -------------------------------------------------------------------------------

DOUBLED = re.compile(r"[^aeiou][aeiouy]l$|ue?l$")  # travel, fuel: British forms have two l


def inflected(lemma: str, tag: str, language: str) -> str:
    """A form of an English word, for a tag of the Penn Treebank (`VBD`, `NNS`, `JJR` …).

    Of several forms the British one is taken (*travelled*), otherwise the first.
    """
    from lemminflect import getInflection

    if language != "en":
        sys.exit("lemminflect knows English only; name another source in the legend")
    forms: tuple[str, ...] = getInflection(lemma, tag)
    if DOUBLED.search(lemma):
        british = [form for form in forms if form.startswith(lemma + "l")]
        forms = (*british, *forms)
    return forms[0] if forms else ""


def band(lemma: str, argument: str, language: str) -> str:
    """How frequent a word is: its Zipf frequency, rounded (3 is one in a million words)."""
    from wordfreq import zipf_frequency

    return str(round(zipf_frequency(lemma, argument or language)))


SOURCES: dict[str, Callable[[str, str, str], str]] = {"lemminflect": inflected, "wordfreq": band}


def make(recipe: str, lemma: str, language: str) -> str:
    """What a recipe of the legend makes of a lemma."""
    if "{lemma}" in recipe:
        return recipe.replace("{lemma}", lemma)
    source, _, argument = recipe.partition(" ")
    if source not in SOURCES:
        known = ", ".join(SOURCES)
        sys.exit(f"the legend names the source {source}; this script has {known}")
    return SOURCES[source](lemma, argument.strip(), language)


# --- tables --------------------------------------------------------------------------------


@dataclass
class Words:
    """A table in memory, with its legend: the header, and the rows as lists of cells."""

    path: Path
    legend: Legend
    header: list[str]
    rows: list[list[str]]

    def cell(self, row: int, column: str) -> str:
        """A cell; of a column that the table does not have, nothing."""
        return self.rows[row][self.header.index(column)] if column in self.header else ""

    def made(self) -> Iterator[tuple[int, ColumnLegend, str]]:
        """The cells that a source knows: the row, the column and what the source says."""
        lines = tuple(range(2, len(self.rows) + 2))
        cells = {name: tuple(row[i] for row in self.rows) for i, name in enumerate(self.header)}
        table = Table(self.path.name, cells, lines)
        features = self.legend.features(table, cells[CATEGORY])
        for column in self.legend.columns.values():
            if column.name not in self.header or not column.made:
                continue
            needed = fitting(column.required or column.only or ALWAYS, features)
            for condition, recipe in column.made.items():
                fits = fitting(condition or ALWAYS, features)
                for row in range(len(self.rows)):
                    if needed[row] and fits[row] and self.cell(row, CATEGORY) in column.categories:
                        lemma = self.cell(row, LEMMA)
                        yield row, column, make(recipe, lemma, self.legend.language)

    def order(self, row: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """What a row is sorted by: values in the order of the legend, texts by their letters."""
        key = []
        for name in self.legend.order:
            cell = row[self.header.index(name)] if name in self.header else ""
            column = self.legend.columns.get(name)
            values = list(column.values) if column else []
            first = next(iter(members(cell)), "")
            known = first in values
            key.append((values.index(first) if known else len(values), "" if known else cell))
        return tuple(key)

    def text(self) -> str:
        """The table as it is written."""
        return "".join("\t".join(row) + "\n" for row in (self.header, *self.rows))


def read(path: Path) -> Words:
    """Read a table with its legend; exits with the reason where that is impossible."""
    if path.suffix.lower() == ".csv":
        sys.exit(f"{path}: this script reads and writes tables with tabs (*.tsv)")
    report = Report()
    beside = legend_beside(path)
    if beside is None:
        sys.exit(f"{path}: there is no legend.toml beside this table")
    try:
        legend = read_legend(str(beside), beside.read_bytes(), report)
        table = read_table(str(path), path.read_bytes(), TableFormat("\t"), report)
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    if legend is None or table is None:
        sys.exit(str(MerulaError(report.items)))
    for name in (LEMMA, CATEGORY):
        if name not in table.columns:
            sys.exit(f"{path}: there is no column {name}")
    rows = [list(cells) for cells in zip(*table.columns.values(), strict=True)]
    return Words(path, legend, list(table.columns), rows)


def lexeme_tables(folder: Path) -> Iterator[Path]:
    """The tables of a folder that have a column of lemmas; one of lexical sets has none."""
    for path in sorted(folder.glob("*.tsv")):
        head = path.read_text(encoding="utf-8").partition("\n")[0]
        if LEMMA in head.split("\t"):
            yield path


def write(path: Path, text: str) -> None:
    """Put a new file in the place of the old one, at once."""
    try:
        number, name = tempfile.mkstemp(prefix=".complete-", dir=path.parent)
        os.close(number)
        aside = Path(name)
        try:
            aside.write_text(text, encoding="utf-8", newline="\n")
            aside.chmod(path.stat().st_mode)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    except OSError as error:
        sys.exit(f"{path}: cannot be written: {error.strerror}")


# --- corrections ---------------------------------------------------------------------------

Corrections: TypeAlias = dict[tuple[str, str, str], str]


def read_corrections(folder: Path) -> Corrections:
    """The forms that are right against their source, by category, lemma and column."""
    path = folder / CORRECTIONS
    found: Corrections = {}
    lines = path.read_text(encoding="utf-8-sig").splitlines() if path.exists() else []
    for number, line in enumerate(lines[1:], start=2):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 5 or not all(cells):
            sys.exit(f"{path}:{number}: a line holds category, lemma, column, form and reason")
        category, lemma, column, form, _ = cells
        found[category, lemma, column] = form
    return found


def address(words: Words, row: int, column: ColumnLegend) -> tuple[str, str, str]:
    """What a correction calls a cell."""
    return words.cell(row, CATEGORY), words.cell(row, LEMMA), column.name


# --- the two things that the script does -----------------------------------------------------


def complete(words: Words, known: Corrections) -> list[str]:
    """Fill empty cells and sort the rows; returns the cells that no source could fill."""
    missing = []
    for row, column, made in words.made():
        at = words.header.index(column.name)
        if not words.rows[row][at]:
            words.rows[row][at] = known.get(address(words, row, column), made)
            if not words.rows[row][at]:
                missing.append(f"{words.cell(row, LEMMA)}, {column.name}: no source has it")
    words.rows.sort(key=words.order)
    return missing


def differences(words: Words, known: Corrections) -> list[str]:
    """The cells that are neither what their source says nor corrections, and rows out of order."""
    found = []
    for row, column, made in words.made():
        cell, wanted = words.cell(row, column.name), known.get(address(words, row, column))
        if cell != (wanted or made):
            said = f"{CORRECTIONS} says" if wanted else "the source says"
            found.append(
                f"{words.cell(row, LEMMA)}, {column.name}: {cell or 'empty'}; {said}"
                f" {wanted or made or 'nothing'}"
            )
        elif wanted and wanted == made:
            found.append(
                f"{words.cell(row, LEMMA)}, {column.name}: the source says {made}, too;"
                f" delete the line of {CORRECTIONS}"
            )
    if words.rows != sorted(words.rows, key=words.order):
        found.append(f"rows are not sorted by {', '.join(words.legend.order)}")
    return found


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(
        description="Fill empty cells of tables as their legend says, and sort the rows."
    )
    parser.add_argument("tables", nargs="*", type=Path, metavar="TABLE", help="default: all")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; list what the sources say otherwise"
    )
    options = parser.parse_args()
    paths = options.tables or [
        path
        for legend in sorted(HERE.glob("*/legend.toml"))
        for path in lexeme_tables(legend.parent)
    ]
    failed = False
    for path in paths:
        words, known = read(path), read_corrections(path.parent)
        before = words.text()
        said = differences(words, known) if options.check else complete(words, known)
        for text in said:
            sys.stdout.write(f"{path}: {text}\n")
        if words.text() != before:
            write(path, words.text())
            sys.stdout.write(f"{path}: completed\n")
        failed = failed or bool(said)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
