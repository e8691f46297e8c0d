"""Tables for minicons: a CSV file for each configuration, a pair a line.

``good`` and ``bad`` are what its scorers take. Pairs of a matrix have a ``prefix`` besides, the
items shown, for ``conditional_score``: there ``good`` and ``bad`` are the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from merula.exports.instances import ConfigSplit
from merula.exports.pairs import ContrastPair, Pairs, no_contrasts, pairs_in
from merula.exports.request import MATRIX, ExportRequest, Made
from merula.exports.texts import csv_line, name_of, new_file
from merula.grammar.model import LETTERS
from merula.suite.tables import difference

COLUMNS = (
    "pair",
    "contrast",
    "condition",
    "good",
    "bad",
    "good_start",
    "good_end",
    "bad_start",
    "bad_end",
    "good_cell",
    "bad_cell",
    "config",
    "split",
    "instance",
    "address",
)
PREFIX = "prefix"


def write(asked: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the tables; raises `MerulaError` where there is not one pair."""
    every = [pairs_in(part, LETTERS, minimal=False) for part in asked.parts()]
    if not any(found.contrasts for found in every):
        raise no_contrasts(asked.parts(), asked.place)
    for found in every:
        if not found.contrasts:
            yield Made.nothing(found.part.config)
            continue
        before = asked.folder_of(found.part.split)
        (folder / before).mkdir(exist_ok=True)
        name = f"{before}{name_of(found.part.config.name)}.csv"
        yield Made(name, _write(found, folder / name), "pair")


def _write(found: Pairs, path: Path) -> int:
    """Write a table; returns how many pairs it has."""
    conditional = found.part.config.kind == MATRIX
    names = [*COLUMNS[:3], PREFIX, *COLUMNS[3:]] if conditional else COLUMNS
    number = 0
    with new_file(path) as file:
        file.write(csv_line(names))
        for pair in found:
            said = _cells(found.part, pair, number)
            file.write(csv_line(said[name] for name in names))
            number += 1
    return number


def _cells(part: ConfigSplit, pair: ContrastPair, number: int) -> dict[str, Any]:
    differ = difference(pair.good, pair.bad)
    return {
        "pair": number,
        "contrast": pair.contrast.about,
        "condition": pair.contrast.condition,
        PREFIX: " ".join(pair.context),
        "good": pair.good,
        "bad": pair.bad,
        "good_start": differ.one.start,
        "good_end": differ.one.end,
        "bad_start": differ.other.start,
        "bad_end": differ.other.end,
        "good_cell": pair.contrast.cells[1],
        "bad_cell": pair.contrast.cells[0],
        "config": part.config.name,
        "split": part.split,
        "instance": pair.number,
        "address": pair.address,
    }
