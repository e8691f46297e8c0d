"""What a suite of matrices is to be: a recipe with the options of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.wording import did_you_mean, listing
from merula.data.formats import LAYOUTS, suffix
from merula.suite.matrices.recipe import MatrixPart, MatrixRecipe

SETS, ANSWERS = "sets", "answers"


@dataclass(frozen=True)
class MatrixPlan:
    """A recipe whose seed, number and split are those of the run, and the run's options.

    ``form`` is a format of files or one of the published layouts. ``disjoint`` says what no two
    splits share: lexical `SETS`, or right `ANSWERS`. ``parts`` and ``sets`` are the names of those
    that are made (empty: all). ``number`` is how many instances each matrix has (None: as the
    recipe says).
    """

    recipe: MatrixRecipe
    form: str = "parquet"
    disjoint: str = SETS
    parts: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    number: int | None = None

    def check(self) -> None:
        """Raise `MerulaError` where the recipe has not what is asked for."""
        known = [part.name for part in self.recipe.parts]
        for name in self.parts:
            if name not in known:
                raise self.unknown("part", name, known)
        for name in self.types:
            if name not in self.recipe.types:
                raise self.unknown("type", name, self.recipe.types)

    def unknown(self, kind: str, name: str, known: Sequence[str]) -> MerulaError:
        """The error of an option that names what the recipe has not."""
        meant = did_you_mean(name, known) if kind != "type" else ""  # II is neither I nor III
        return MerulaError.of(
            "M685",
            f"the suite {self.recipe.name} has no {kind} {name}",
            remedy=meant or f"there is {listing(known)}",
            place=self.recipe.place,
        )

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places of the parts that are made."""
        names = self.parts
        return tuple(
            i for i, part in enumerate(self.recipe.parts) if not names or part.name in names
        )

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The types that are made."""
        return tuple(kind for kind in self.recipe.types if not self.types or kind in self.types)

    def instances(self, part: MatrixPart) -> int:
        """How many instances each matrix of a part has."""
        return self.number or part.n or self.recipe.n

    @property
    def suffix(self) -> str:
        """What the names of files end in."""
        return suffix(self.form)

    def options(self) -> dict[str, Any]:
        """All that decides the files beside grammars and tables, as plain values."""
        recipe = self.recipe
        return {
            "format": self.suffix,
            "layout": self.form if self.form in LAYOUTS else "merula",
            "seed": recipe.seed,
            "n": self.number or "as the recipe says",
            "split": {name: str(share) for name, share in recipe.split.shares},
            "disjoint": self.disjoint,
            "types": list(self.kinds),
            "parts": list(self.parts),
            "sets": list(self.sets),
        }
