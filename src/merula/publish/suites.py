"""Suites to publish: the designs of a recipe's grammars with the instances that it draws.

The instances are those of `merula suite` with the same recipe and options, in the same splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.frozen import frozen
from merula.data.manifests.publication import SuiteEntry
from merula.data.published_rows import Block, Drawn
from merula.rows.variation import Variation
from merula.suite.matrices.make import sets_of
from merula.suite.matrices.plan import SETS, MatrixPlan
from merula.suite.matrices.recipe import MATRICES, matrix_recipe
from merula.suite.parts import compiled_grammar, drawn_paradigms
from merula.suite.plan import SuitePlan
from merula.suite.recipe import RecipeFile, grammar_path, paradigm_recipe, read_file
from merula.suite.splits import Split


@frozen(eq=False)
class Suite:
    """A recipe with the options of a run; ``number`` and others may be left to the recipe."""

    file: RecipeFile
    number: int | None = None
    seed: int | None = None
    split: str = ""
    types: tuple[str, ...] = ()
    disjoint: str = ""

    @staticmethod
    def of(entry: SuiteEntry, place: str) -> Suite:
        """The suite that a publication was made from; its recipe is at a place."""
        return Suite(
            read_file(place),
            entry.number,
            entry.seed,
            entry.split,
            tuple(entry.types),
            entry.disjoint,
        )

    @cached_property
    def plan(self) -> SuitePlan | MatrixPlan:
        """The plan of such a run; raises `MerulaError` where the recipe is at fault."""
        split = Split.of(self.split) if self.split else None
        if self.file.kind == MATRICES:
            matrices = matrix_recipe(self.file).changed(seed=self.seed, split=split)
            return MatrixPlan(
                matrices, disjoint=self.disjoint or SETS, types=self.types, number=self.number
            )
        recipe = paradigm_recipe(self.file).changed(n=self.number, seed=self.seed, split=split)
        return SuitePlan(recipe, disjoint=self.disjoint)

    def entry(self, asked: str) -> SuiteEntry:
        """What a manifest says of it, if the user has named it so."""
        return SuiteEntry(
            asked=asked,
            source="",
            name=self.plan.recipe.name,
            about=self.plan.recipe.about,
            references=list(self.plan.recipe.references),
            cap=self.plan.recipe.cap if isinstance(self.plan, SuitePlan) else None,
            orders=list(self.plan.frames) if isinstance(self.plan, SuitePlan) else [],
            recipe=self.plan.recipe.digest,
            number=self.number,
            seed=self.plan.recipe.seed,
            split=self.split,
            types=list(self.types),
            disjoint=self.disjoint,
        )

    def grammars(self) -> dict[str, Compiled]:
        """The grammars by the names that the recipe gives them, each compiled once."""
        recipe = self.plan.recipe
        names = dict.fromkeys(part.grammar for part in recipe.parts)
        places = {name: grammar_path(self.file.folder, name) for name in names}
        return {name: compiled_grammar(place) for name, place in places.items()}

    def drawn(self, grammars: Mapping[str, Compiled]) -> Iterator[Drawn]:
        """All designs with their instances; raises `MerulaError` where they are not to be had."""
        plan = self.plan
        plan.check()
        if isinstance(plan, MatrixPlan):
            yield from _matrices(plan, grammars)
        else:
            yield from _paradigms(plan, grammars)


def _paradigms(plan: SuitePlan, grammars: Mapping[str, Compiled]) -> Iterator[Drawn]:
    for part in plan.recipe.parts:
        compiled = grammars[part.grammar]
        for design, paradigms, _ in drawn_paradigms(plan, part, compiled):
            splits = np.array(paradigms.splits, dtype=object)
            found = {name: paradigms.addresses[splits == name] for name in plan.recipe.split.names}
            yield _drawn(compiled, design.name, [(design, found)], Variation("I"))


def _matrices(plan: MatrixPlan, grammars: Mapping[str, Compiled]) -> Iterator[Drawn]:
    for part in plan.recipe.parts:
        compiled = grammars[part.grammar]
        every, source = sets_of(plan, part, compiled)
        for own, designs in every:
            for variation in map(Variation, plan.kinds):
                found = source.addresses(designs, variation, plan.instances(part))
                members = [(design, found[design.name]) for design in designs]
                yield _drawn(compiled, own.name, members, variation)


def _drawn(
    compiled: Compiled,
    name: str,
    members: Sequence[tuple[CompiledDesign, Mapping[str, NDArray[Any]]]],
    variation: Variation,
) -> Drawn:
    """The instances at the addresses of each design and split, split after split."""
    blocks: list[Block] = []
    first = 0
    for split in members[0][1]:
        for design, found in members:
            addresses = found[split]
            blocks.append(Block(split, design, first, len(addresses), addresses))
            first += len(addresses)
    return Drawn(compiled, name, tuple(design for design, _ in members), variation, tuple(blocks))
