"""What the cells of a design are in a data set: their features, their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from merula.compiler.compiled import CompiledDesign
from merula.core.arrays import Ints
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.design.cells import Cell
from merula.design.pairs import CellPair, pairs_of
from merula.suite.recipe import Feature


@frozen(eq=False)
class Cells:
    """The features of each cell of each plan (shape: plans, cells, features), and the pairs."""

    names: tuple[str, ...]
    values: Ints
    pairs: tuple[tuple[CellPair, ...], ...]  # by plan


def cells_of(design: CompiledDesign, features: Sequence[Feature], what: str, place: str) -> Cells:
    """The features and pairs of a design; raises `MerulaError` where a feature is not to be had."""
    by_plan = [[cell.cell for cell in plan.cells] for plan in design.plans]
    _demand(features, by_plan[0] if by_plan else [], design.name, what, place)
    values = [
        [[_value(feature, cell, design.name) for feature in features] for cell in cells]
        for cells in by_plan
    ]
    names = tuple(feature.name for feature in features)
    good = [[cell.acceptable for cell in cells] for cells in by_plan]
    pairs = tuple(tuple(pairs_of(names, own, fine)) for own, fine in zip(values, good, strict=True))
    shape = (len(by_plan), len(by_plan[0]) if by_plan else 0, len(names))
    return Cells(names, np.array(values, np.int64).reshape(shape), pairs)


def objects_of(feature: Feature, design: str) -> tuple[str, ...]:
    """The objects that a feature can be about in a design."""
    return tuple(name.partition(".")[0] for name in feature.names(design))


def _value(feature: Feature, cell: Cell, design: str) -> int:
    said = dict(cell.scopes if feature.scopes else cell.factors)
    yes = ("in",) if feature.scopes else feature.yes
    found = next((said[name] for name in feature.names(design) if name in said), None)
    return int(found in yes) if found is not None else feature.otherwise or 0


def _demand(
    features: Sequence[Feature], cells: Sequence[Cell], design: str, what: str, place: str
) -> None:
    """Refuse a feature that the cells of a design have not, or whose values they do not know."""
    for feature in features:
        said = [dict(cell.scopes if feature.scopes else cell.factors) for cell in cells[:1]]
        known = [name for own in said for name in own]
        names = feature.names(design)
        name = next((name for name in names if name in known), None)
        if name is not None and feature.factors:
            _demand_value(feature, name, cells, what, place)
        elif name is None and feature.otherwise is None:
            kind = "scope" if feature.scopes else "factor"
            raise MerulaError.of(
                "M684",
                f"features.{feature.name}: {what} has no {kind} {listing(names, 'or')}",
                remedy=did_you_mean(names[0], known)
                or (f"it has {listing(known)}" if known else "write otherwise = 0 or 1"),
                place=place,
            )


def _demand_value(
    feature: Feature, name: str, cells: Sequence[Cell], what: str, place: str
) -> None:
    """Refuse a factor that has none of the values that count as 1."""
    values = list(dict.fromkeys(dict(cell.factors)[name] for cell in cells))
    if not {*values} & {*feature.yes}:
        raise MerulaError.of(
            "M684",
            f"features.{feature.name}: {name} of {what} is never {listing(feature.yes, 'or')}",
            remedy=f"it is {listing(values, 'or')}: name one of them in `yes`",
            place=place,
        )
