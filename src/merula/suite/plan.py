"""Plans of suites: a recipe with the options of one run.

>>> from merula.suite.recipe import paradigm_recipe, read_file
>>> recipe = paradigm_recipe(read_file("npi"))
>>> plan = ParadigmPlan(recipe, configuration="all_but_one/only")
>>> plan.selected["test"], len(plan.selected["train"])
(('only',), 8)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from merula.core.diagnostics import MerulaError
from merula.core.wording import listing
from merula.data.format_names import LAYOUTS
from merula.suite.recipe import Head, MatrixRecipe, ParadigmRecipe, SourceGrammar

MERULA, PUBLISHED = "merula", "published"  # layouts, beside those of matrices (`LAYOUTS`)
ALL, ONE, ALL_BUT_ONE = "all", "one", "all_but_one"  # configurations, the last two with a part
LEXEMES, SETS, ANSWERS = "lexemes", "sets", "answers"  # things that splits do not share


@dataclass(frozen=True)
class ParadigmPlan:
    """A recipe of paradigms, its head and cap as in the run, with the options of the run.

    ``order`` is one of the recipe's orders (empty: its first); ``disjoint`` is `LEXEMES` or
    empty; ``configuration`` is one of `configurations` (empty: all parts in all splits); ``parts``
    are the names of the parts that are made (empty: all).
    """

    recipe: ParadigmRecipe
    format_name: str = "parquet"
    layout: str = MERULA
    order: str = ""
    disjoint: str = ""
    configuration: str = ""
    parts: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise `MerulaError` where the recipe does not have what an option names."""
        head = self.recipe.head
        head.demand("order", filter(None, [self.order]), list(self.recipe.orders))
        named = filter(None, [self.configuration])
        head.demand("configuration", named, list(self.configurations))
        head.demand("part", self.parts, [part.name for part in self.recipe.parts])
        if self.layout == PUBLISHED:
            self._demand_published()

    def _demand_published(self) -> None:
        names = {feature.name for feature in self.recipe.features}
        missing = [n for n in ("licensor", "scope", "npi_present") if n not in names]
        nameless = [part.name for part in self.recipe.parts if part.published is None]
        if missing or nameless:
            raise MerulaError.of(
                "M685",
                f"the suite {self.recipe.head.name} cannot be laid out as the published NPI data",
                remedy="leave --layout out, or complete the recipe",
                notes=[f"it has no feature {listing(missing)}"] * bool(missing)
                + [f"no names are published for {listing(nameless)}"] * bool(nameless),
                place=self.recipe.head.place,
            )

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """The frames that paradigms are taken from, equally often (empty: all, as they come)."""
        orders = self.recipe.orders
        if not orders:
            return ()
        return orders[self.order] if self.order else next(iter(orders.values()))

    @cached_property
    def configurations(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """For each configuration, the names of the parts in each split."""
        names = tuple(part.name for part in self.recipe.parts)
        splits = self.recipe.head.split.names

        def of(train: tuple[str, ...], test: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
            return {split: test if split == "test" else train for split in splits}

        configurations = {ALL: of(names, names)}
        if len(names) > 1:
            for name in names:
                configurations[f"{ONE}/{name}"] = of((name,), names)
            for name in names:
                rest = tuple(other for other in names if other != name)
                configurations[f"{ALL_BUT_ONE}/{name}"] = of(rest, (name,))
        return configurations

    @cached_property
    def selected(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the parts whose rows are written into each split."""
        return {
            split: tuple(name for name in names if not self.parts or name in self.parts)
            for split, names in self.configurations[self.configuration or ALL].items()
        }

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places in the recipe of the parts that are made."""
        names = {name for names in self.selected.values() for name in names}
        return tuple(i for i, part in enumerate(self.recipe.parts) if part.name in names)

    @property
    def suffix(self) -> str:
        """The ending of the names of files."""
        return "tsv" if self.layout == PUBLISHED else self.format_name

    def options(self) -> dict[str, Any]:
        """Return all that decides the files, beside grammars and tables, as plain values."""
        return {
            **_options(self, self.recipe.head, self.recipe.head.n),
            "cap": self.recipe.cap,
            "order": self.order or next(iter(self.recipe.orders), ""),
            "disjoint": self.disjoint,
            "configuration": self.configuration or ALL,
            **({"parts": list(self.parts)} if self.parts else {}),
        }


@dataclass(frozen=True)
class MatrixPlan:
    """A recipe of matrices, its head as in the run, with the options of the run.

    ``layout`` is `MERULA` or one of `LAYOUTS`, which have formats of their own. ``disjoint`` is
    `SETS` (lexical sets) or `ANSWERS` (right answers). ``parts``, ``sets`` and ``types`` name those
    that are made (empty: all). ``size`` is how many instances each matrix has (None: as many as
    the recipe says).
    """

    recipe: MatrixRecipe
    format_name: str = "parquet"
    layout: str = MERULA
    disjoint: str = SETS
    parts: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    size: int | None = None

    def check(self) -> None:
        """Raise `MerulaError` where the recipe does not have what an option names.

        Sets are not looked at: where a recipe names none, the grammars do.
        """
        head = self.recipe.head
        head.demand("part", self.parts, [part.name for part in self.recipe.parts])
        head.demand("type", self.types, self.recipe.types)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places in the recipe of the parts that are made."""
        parts = enumerate(self.recipe.parts)
        return tuple(i for i, part in parts if not self.parts or part.name in self.parts)

    @cached_property
    def made_types(self) -> tuple[str, ...]:
        """The types that are made, in the order of the recipe."""
        return tuple(name for name in self.recipe.types if not self.types or name in self.types)

    def instances(self, part: SourceGrammar) -> int:
        """Return how many instances each matrix of a part has."""
        return self.size or part.n or self.recipe.head.n

    @property
    def suffix(self) -> str:
        """The ending of the names of files."""
        return LAYOUTS.get(self.layout, self.format_name)

    def options(self) -> dict[str, Any]:
        """Return all that decides the files, beside grammars and tables, as plain values."""
        return {
            **_options(self, self.recipe.head, self.size or "as the recipe says"),
            "disjoint": self.disjoint,
            "types": list(self.made_types),
            "parts": list(self.parts),
            "sets": list(self.sets),
        }


SuitePlan: TypeAlias = ParadigmPlan | MatrixPlan


def _options(plan: SuitePlan, head: Head, n: int | str) -> dict[str, Any]:
    """Return the options that plans have in common, the first in a manifest."""
    return {
        "format": plan.suffix,
        "layout": plan.layout,
        "seed": head.seed,
        "n": n,
        "split": {name: str(share) for name, share in head.split.shares},
    }
