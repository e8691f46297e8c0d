"""The examples of each configuration: the first instance of each of its designs, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.data.published_rows import Block, Drawn
from merula.plan.order import Permutation
from merula.publish.plan import Wanted
from merula.rows.columns import variant_text
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation
from merula.show.drawing import Drawing, Row, Word, draw_instance

Samples = Mapping[tuple[str, str], Drawing]  # by configuration and design


def samples(wanted: Sequence[Wanted], seed: int) -> dict[tuple[str, str], Drawing]:
    """The first instance of each design in each configuration, by their names."""
    found: dict[tuple[str, str], Drawing] = {}
    for own in wanted:
        for block in own.drawn.blocks:
            name = own.entry.name, block.design.name
            if block.instances and name not in found:
                found[name] = _sample(own.drawn, block, seed)
    return found


def _sample(drawn: Drawn, block: Block, seed: int) -> Drawing:
    """The first instance of a block."""
    compiled, design, variation = drawn.compiled, block.design, drawn.variation
    if block.addresses is not None:
        addresses = block.addresses[:1]
    else:
        count = AddressSpace(design, variation).count
        addresses = Permutation(count, seed).rows(block.first, block.first + 1)
    if variation.kind == "III":
        return _mixed(compiled, design, variation, addresses)
    return draw_instance(compiled, design, int(addresses[0]))


def _mixed(
    compiled: Compiled, design: CompiledDesign, variation: Variation, addresses: NDArray[Any]
) -> Drawing:
    """An instance of type III: the outline of its variant, and the sentences of its row."""
    maker = RowMaker(compiled, design, RowChoice(1, 0, variation), addresses)
    (row,) = (row for batch in maker.batches(0, 1) for row in batch.to_pylist())
    number = next(
        i
        for i, plan in enumerate(design.plans)
        if plan.variant.frame.name == row["frame"] and variant_text(plan) == row["variant"]
    )
    drawn = draw_instance(compiled, design, design.starts[number])
    answers = dict(zip(row["labels"], row["answers"], strict=True))
    context = iter(row["context"])

    def written(own: Row) -> Row:
        text = next(context) if own.role == "context" else answers[own.label]
        return replace(own, words=((Word(text),),))

    title = f"instance {int(row['address']):,} of {maker.space.count:,}"
    rows = tuple(written(own) for own in drawn.rows)
    return replace(drawn, title=title, heads=("sentence",), rows=rows)
