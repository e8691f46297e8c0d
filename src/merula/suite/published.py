"""The layout of the published NPI data (Warstadt et al. 2019), for code that was written for it.

Sentences: metadata, label, an empty cell, the sentence. Pairs: task, two sentences, the place of
the good one (0 or 1), condition. Cells are separated by tabs, and there is no header.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from merula.core.frozen import frozen
from merula.suite.cells import objects_of
from merula.suite.recipe import Part, Published, Recipe

LICENSOR = "licensor"


@frozen
class Numbers:
    """The numbers of paradigms, which are counted through all designs of a part."""

    designs: tuple[str, ...]
    n: int

    def of(self, design: str, instance: int) -> int:
        """The number of a paradigm, from 1 on."""
        return self.designs.index(design) * self.n + instance + 1


def published_sentences(recipe: Recipe, part: Part, numbers: Numbers, batch: Any) -> list[str]:
    """The lines of a batch of sentences."""
    names = _names(part)
    feature = next(f for f in recipe.features if f.name == LICENSOR)
    found = []
    for row in batch.to_pylist():
        design = row[recipe.design_column]
        items = objects_of(feature, design)
        number = numbers.of(design, row["instance"])
        metadata = (
            f"experiment=NPI-env={names.env}-npi={design}-crucial_item={_crucial(row, items)}"
            f"-licensor={row['licensor']}-scope={row['scope']}-npi_present={row['npi_present']}"
            f"-paradigm={number}"
        )
        found.append(f"{metadata}\t{int(row['acceptable'])}\t\t{row['sentence']}\n")
    return found


def _crucial(row: dict[str, Any], items: Sequence[str]) -> str:
    """The licensor or its replacement as it stands in a sentence; else what its factor says."""
    words = [
        row["sentence"][span["start"] : span["end"]]
        for span in row["spans"]
        if span["object"] in items
    ]
    return " ".join(words).lower() or next(
        (v for name, v in row["factors"].items() if name.partition(".")[0] in items and v), ""
    )


def published_pairs(recipe: Recipe, part: Part, batch: Any) -> list[str]:
    """The lines of a batch of pairs; which sentence comes first is decided by the seed."""
    names = _names(part)
    found = []
    for row in batch.to_pylist():
        good, bad = row["sentence_good"], row["sentence_bad"]
        place = _place(f"{recipe.seed} {good} {bad}")
        one, other = (bad, good) if place else (good, bad)
        found.append(f"{names.task}\t{one}\t{other}\t{place}\tenv={names.env}_{row['condition']}\n")
    return found


def _names(part: Part) -> Published:
    assert part.published is not None
    return part.published


def _place(text: str) -> int:
    return hashlib.sha256(f"merula place {text}".encode()).digest()[0] % 2
