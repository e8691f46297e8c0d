"""The instances of a suite that is to be published, which its recipe draws.

They are those of `merula suite` with the same recipe and options, in the same splits.
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
from merula.data.published_rows import Block, ConfigInstances
from merula.rows.variation import Variation
from merula.suite.draw_matrices import sets_of
from merula.suite.parts import compiled_grammar, drawn_paradigms
from merula.suite.plan import SETS, MatrixPlan, ParadigmPlan, SuitePlan
from merula.suite.recipe import MATRICES, RecipeFile, matrix_recipe, paradigm_recipe, read_file
from merula.suite.splits import Split


@frozen(eq=False)
class SuiteRequest:
    """A recipe with the options of a run; None and empty values leave it to the recipe."""

    file: RecipeFile
    size: int | None = None  # instances, as the option -n
    seed: int | None = None
    split: str = ""
    types: tuple[str, ...] = ()
    disjoint: str = ""

    @staticmethod
    def of(entry: SuiteEntry, place: str) -> SuiteRequest:
        """Return the suite that a publication was made from; ``place`` is that of its recipe."""
        return SuiteRequest(
            read_file(place),
            entry.number,
            entry.seed,
            entry.split,
            tuple(entry.types),
            entry.disjoint,
        )

    @cached_property
    def plan(self) -> SuitePlan:
        """The plan of the run; raises `MerulaError` where the recipe is at fault."""
        split = Split.of(self.split) if self.split else None
        if self.file.kind == MATRICES:
            matrices = matrix_recipe(self.file).changed(seed=self.seed, split=split)
            return MatrixPlan(
                matrices, disjoint=self.disjoint or SETS, types=self.types, size=self.size
            )
        recipe = paradigm_recipe(self.file).changed(n=self.size, seed=self.seed, split=split)
        return ParadigmPlan(recipe, disjoint=self.disjoint)

    def entry(self, asked: str) -> SuiteEntry:
        """Return the entry of a manifest; ``asked`` is how the user named the suite."""
        return SuiteEntry(
            asked=asked,
            source="",
            name=self.plan.recipe.head.name,
            about=self.plan.recipe.head.about,
            references=list(self.plan.recipe.head.references),
            cap=self.plan.recipe.cap if isinstance(self.plan, ParadigmPlan) else None,
            orders=list(self.plan.frames) if isinstance(self.plan, ParadigmPlan) else [],
            recipe=self.plan.recipe.digest,
            number=self.size,
            seed=self.plan.recipe.head.seed,
            split=self.split,
            types=list(self.types),
            disjoint=self.disjoint,
        )

    def grammars(self) -> dict[str, Compiled]:
        """Compile each grammar once; they come by the names that the recipe gives them."""
        recipe = self.plan.recipe
        names = dict.fromkeys(part.grammar for part in recipe.parts)
        places = {name: recipe.head.grammar_path(name) for name in names}
        return {name: compiled_grammar(place) for name, place in places.items()}

    def drawn(self, grammars: Mapping[str, Compiled]) -> Iterator[ConfigInstances]:
        """Yield all designs with their instances; raises `MerulaError` where there are too few."""
        plan = self.plan
        plan.check()
        if isinstance(plan, MatrixPlan):
            yield from _matrices(plan, grammars)
        else:
            yield from _paradigms(plan, grammars)


def _paradigms(plan: ParadigmPlan, grammars: Mapping[str, Compiled]) -> Iterator[ConfigInstances]:
    names = plan.recipe.head.split.names
    for part in plan.recipe.parts:
        compiled = grammars[part.grammar]
        for design, paradigms, _ in drawn_paradigms(plan, part, compiled):
            splits = np.array(paradigms.splits, dtype=object)
            by_split = {name: paradigms.addresses[splits == name] for name in names}
            yield _drawn(compiled, design.name, [(design, by_split)], Variation("I"))


def _matrices(plan: MatrixPlan, grammars: Mapping[str, Compiled]) -> Iterator[ConfigInstances]:
    for part in plan.recipe.parts:
        compiled = grammars[part.grammar]
        matrix_sets, source = sets_of(plan, part, compiled)
        for matrix_set, designs in matrix_sets:
            for variation in map(Variation, plan.made_types):
                addresses = source.addresses(designs, variation, plan.instances(part))
                members = [(design, addresses[design.name]) for design in designs]
                yield _drawn(compiled, matrix_set.name, members, variation)


def _drawn(
    compiled: Compiled,
    name: str,
    members: Sequence[tuple[CompiledDesign, Mapping[str, NDArray[Any]]]],
    variation: Variation,
) -> ConfigInstances:
    """Put together the addresses of each design in each split, split after split."""
    blocks: list[Block] = []
    first = 0
    for split in members[0][1]:
        for design, by_split in members:
            addresses = by_split[split]
            blocks.append(Block(split, design, first, len(addresses), addresses))
            first += len(addresses)
    return ConfigInstances(
        compiled, name, tuple(design for design, _ in members), variation, tuple(blocks)
    )
