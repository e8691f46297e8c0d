"""What a suite is to be: a recipe with the options of one run, and what each file holds.

>>> from merula.suite.recipe import read_recipe
>>> plan = SuitePlan(read_recipe("npi"), configuration="all_but_one/only")
>>> plan.selected["test"], len(plan.selected["train"])
(('only',), 8)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.wording import did_you_mean, listing
from merula.suite.recipe import Recipe

MERULA, PUBLISHED = "merula", "published"
ALL, ONE, ALL_BUT_ONE = "all", "one", "all_but_one"
LEXEMES = "lexemes"


@dataclass(frozen=True)
class SuitePlan:
    """A recipe whose seed, number, split and cap are those of the run, and the run's options.

    ``order`` is one of the recipe's orders (empty: its first); ``disjoint`` is `LEXEMES` or
    empty; ``configuration`` names the parts of each split (empty: all, with `configurations`).
    """

    recipe: Recipe
    form: str = "parquet"
    layout: str = MERULA
    order: str = ""
    disjoint: str = ""
    configuration: str = ""
    only: tuple[str, ...] = ()  # the parts that are made (empty: all)

    def check(self) -> None:
        """Raise `MerulaError` where the recipe has not what is asked for."""
        orders = self.recipe.orders
        if self.order and self.order not in orders:
            raise self._unknown("order", self.order, list(orders), "orders")
        configurations = self.configurations
        if self.configuration and self.configuration not in configurations:
            raise self._unknown(
                "configuration", self.configuration, list(configurations), "configurations"
            )
        names = [part.name for part in self.recipe.parts]
        for name in self.only:
            if name not in names:
                raise self._unknown("part", name, names, "parts")
        if self.layout == PUBLISHED:
            self._demand_published()

    def _unknown(self, kind: str, name: str, known: list[str], kinds: str) -> MerulaError:
        return MerulaError.of(
            "M685",
            f"the suite {self.recipe.name} has no {kind} {name}",
            remedy=did_you_mean(name, known)
            or (f"there is {listing(known)}" if known else f"its recipe names no {kinds}"),
            place=self.recipe.place,
        )

    def _demand_published(self) -> None:
        names = {feature.name for feature in self.recipe.features}
        missing = [n for n in ("licensor", "scope", "npi_present") if n not in names]
        without = [part.name for part in self.recipe.parts if part.published is None]
        if missing or without:
            raise MerulaError.of(
                "M685",
                f"the suite {self.recipe.name} cannot be laid out as the published NPI data",
                remedy="leave --layout out, or complete the recipe",
                notes=[f"it has no feature {listing(missing)}"] * bool(missing)
                + [f"no names are published for {listing(without)}"] * bool(without),
                place=self.recipe.place,
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
        """Which parts are trained on, and which tested on, where some are held out."""
        names = tuple(part.name for part in self.recipe.parts)
        splits = self.recipe.split.names

        def of(train: tuple[str, ...], test: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
            return {split: test if split == "test" else train for split in splits}

        found = {ALL: of(names, names)}
        if len(names) > 1:
            for name in names:
                found[f"{ONE}/{name}"] = of((name,), names)
            for name in names:
                others = tuple(other for other in names if other != name)
                found[f"{ALL_BUT_ONE}/{name}"] = of(others, (name,))
        return found

    @cached_property
    def selected(self) -> Mapping[str, tuple[str, ...]]:
        """The parts whose rows are written into each split."""
        chosen = self.configurations[self.configuration or ALL]
        return {
            split: tuple(name for name in names if not self.only or name in self.only)
            for split, names in chosen.items()
        }

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """The places of the parts that are made."""
        wanted = {name for names in self.selected.values() for name in names}
        return tuple(i for i, part in enumerate(self.recipe.parts) if part.name in wanted)

    def options(self) -> dict[str, Any]:
        """All that decides the files beside grammars and tables, as plain values."""
        recipe = self.recipe
        return {
            "format": "tsv" if self.layout == PUBLISHED else self.form,
            "layout": self.layout,
            "seed": recipe.seed,
            "n": recipe.n,
            "split": {name: str(share) for name, share in recipe.split.shares},
            "cap": recipe.cap,
            "order": self.order or next(iter(recipe.orders), ""),
            "disjoint": self.disjoint,
            "configuration": self.configuration or ALL,
            **({"parts": list(self.only)} if self.only else {}),
        }
