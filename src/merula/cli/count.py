"""``merula count``: exact numbers of instances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from merula.cli.grammars import usable
from merula.cli.options import (
    complete_grammar,
    format_option,
    options_of,
    table_options,
    variation_of,
    variation_options,
)
from merula.cli.printing import draw

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled
    from merula.rows.variation import Variation


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_grammar)
@format_option
@variation_options
@click.option("--quiet", "-q", is_flag=True, help="Do not mention warnings.")
@table_options
def count(
    files: Sequence[str], format_name: str, variation: str, answers: str, quiet: bool, **tables: Any
) -> None:
    """Count instances exactly, by paradigm, matrix and frame."""
    options, drawn = options_of(**tables), variation_of(variation, answers)
    compiled = [usable(file, options, quiet=quiet) for file in files]
    if format_name == "json":
        data = [_counts(file, c, drawn) for file, c in zip(files, compiled, strict=True)]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    from merula.compiler.answer_sets import answer_sets_of
    from merula.show.terminal import answer_sets, counts

    for i, item in enumerate(compiled):
        if i:
            click.echo()
        if len(compiled) > 1 and item.grammar is not None:
            click.echo(item.grammar.name)
        draw(counts(item.designs, drawn))
        answers_of_matrices = answer_sets_of(item)
        if answers_of_matrices:
            click.echo()
            draw(answer_sets(answers_of_matrices))


def _counts(file: str, compiled: Compiled, variation: Variation) -> dict[str, Any]:
    from merula.compiler.answer_sets import answer_sets_of
    from merula.rows.variation import AddressSpace
    from merula.show.overview import good_cells

    answers = answer_sets_of(compiled)
    return {
        "file": file,
        "designs": [
            {
                "design": design.name,
                "kind": design.kind,
                "variants": len(design.cells),
                "cells": len(design.cells[0][1]) if design.cells else 0,
                "good_cells": list(good_cells(design)),  # the least and the most of a variant
                "instances": AddressSpace(design, variation).count,
                "frames": AddressSpace(design, variation).by_frame(),
                **({"answers": answers[name].to_json()} if name in answers else {}),
            }
            for name, design in compiled.designs.items()
        ],
    }
