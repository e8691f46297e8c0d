"""The layout of the published NPI data (Warstadt et al. 2019), for code that was written for it.

Sentences: metadata, label, an empty cell, the sentence. Pairs: task, two sentences, the place of
the good one (0 or 1), condition. Cells are separated by tabs, and there is no header.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from merula.core.frozen import frozen
from merula.suite.recipe import Environment, ParadigmRecipe, PublishedNames
from merula.suite.tables import objects_of

LICENSOR = "licensor"


@frozen
class ParadigmNumbers:
    """The numbers of paradigms, counted through all designs of a part, of ``n`` paradigms each."""

    designs: tuple[str, ...]
    n: int

    def of(self, design: str, instance: int) -> int:
        """Return the number of a paradigm, from 1 on."""
        return self.designs.index(design) * self.n + instance + 1


def published_sentences(
    recipe: ParadigmRecipe, part: Environment, numbers: ParadigmNumbers, batch: Any
) -> list[str]:
    """Return the lines of a batch of sentences."""
    names = _names(part)
    feature = next(f for f in recipe.features if f.name == LICENSOR)
    lines = []
    for row in batch.to_pylist():
        design = row[recipe.design_column]
        metadata = (
            f"experiment=NPI-env={names.env}-npi={design}"
            f"-crucial_item={_crucial_item(row, objects_of(feature, design))}"
            f"-licensor={row['licensor']}-scope={row['scope']}-npi_present={row['npi_present']}"
            f"-paradigm={numbers.of(design, row['instance'])}"
        )
        lines.append(f"{metadata}\t{int(row['acceptable'])}\t\t{row['sentence']}\n")
    return lines


def _crucial_item(row: dict[str, Any], objects: Sequence[str]) -> str:
    """Return the licensor or its replacement as in the sentence; else the value of its factor."""
    words = [
        row["sentence"][span["start"] : span["end"]]
        for span in row["spans"]
        if span["object"] in objects
    ]
    return " ".join(words).lower() or next(
        (v for name, v in row["factors"].items() if name.partition(".")[0] in objects and v), ""
    )


def published_pairs(recipe: ParadigmRecipe, part: Environment, batch: Any) -> list[str]:
    """Return the lines of a batch of pairs; the seed decides which sentence comes first."""
    names = _names(part)
    lines = []
    for row in batch.to_pylist():
        good, bad = row["sentence_good"], row["sentence_bad"]
        place = _place(f"{recipe.head.seed} {good} {bad}")
        first, second = (bad, good) if place else (good, bad)
        lines.append(
            f"{names.task}\t{first}\t{second}\t{place}\tenv={names.env}_{row['condition']}\n"
        )
    return lines


def _names(part: Environment) -> PublishedNames:
    assert part.published is not None
    return part.published


def _place(text: str) -> int:
    """Return 0 or 1, as a text decides."""
    return hashlib.sha256(f"merula place {text}".encode()).digest()[0] % 2
