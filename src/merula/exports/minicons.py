"""Tables for minicons: a CSV file for each configuration, a pair a line.

Its scorers take ``good`` and ``bad``. Pairs of a matrix also have a ``prefix``, the items shown,
for ``conditional_score``: there ``good`` and ``bad`` are the answers.
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


def write(request: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the tables; raises `MerulaError` where there is not one pair."""
    request.demand_files()
    all_pairs = [pairs_in(part, LETTERS, minimal=False) for part in request.parts()]
    if not any(pairs.contrasts for pairs in all_pairs):
        raise no_contrasts(request.parts(), request.place)
    for pairs in all_pairs:
        if not pairs.contrasts:
            yield Made.nothing(pairs.part.config)
            continue
        prefix = request.folder_of(pairs.part.split)
        (folder / prefix).mkdir(exist_ok=True)
        name = f"{prefix}{name_of(pairs.part.config.name)}.csv"
        yield Made(name, _write(pairs, folder / name), "pair")


def _write(pairs: Pairs, path: Path) -> int:
    """Write a table; returns how many pairs it has."""
    conditional = pairs.part.config.kind == MATRIX
    names = [*COLUMNS[:3], PREFIX, *COLUMNS[3:]] if conditional else COLUMNS
    count = 0
    with new_file(path) as file:
        file.write(csv_line(names))
        for pair in pairs:
            cells = _cells(pairs.part, pair, count)
            file.write(csv_line(cells[name] for name in names))
            count += 1
    return count


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
