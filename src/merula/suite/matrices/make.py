"""Making a suite of matrices: its parts in several processes, the files of each in folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.compiler.answer_sets import answer_set, pooled
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.files import flush
from merula.core.progress import Progress
from merula.core.wording import did_you_mean, listing
from merula.core.workers import Workers
from merula.data.digest import BlockHasher, summed, written
from merula.data.formats import (
    LAYOUTS,
    TEXT_FORMATS,
    WRITERS,
    Stored,
    as_batch,
    in_blocks,
    one_arrow_thread,
)
from merula.data.layouts import LaidOutMatrix, Outlines, write_layout
from merula.data.manifests.suite import FileRecord, MatrixRecord, SuiteManifest
from merula.data.schema import BLOCK, common_schema, fitted, typed
from merula.data.suite_folder import SuiteFolder
from merula.rows.variation import AddressSpace, Variation
from merula.suite.division import UNIT, Task, divide
from merula.suite.draw_matrices import Source, told
from merula.suite.make import Outcome
from merula.suite.matrices.plan import SETS, MatrixPlan
from merula.suite.matrices.recipe import MatrixPart, MatrixSet
from merula.suite.parts import compiled_grammar


@dataclass(frozen=True)
class MadeMatrices:
    """What a part has left: its sets, its records, its files, the warnings of its grammar."""

    sets: tuple[str, ...]
    records: tuple[MatrixRecord, ...]
    files: tuple[FileRecord, ...]
    grammar: str
    warnings: int


def make_matrices(
    plan: MatrixPlan, out: Path, *, workers: int = 1, progress: Progress | None = None
) -> Outcome:
    """Make a suite in a folder, which is new or empty, or holds the same suite.

    The files are the same whatever the number of workers. Raises `MerulaError` where something
    is wrong; the folder is then as it was.
    """
    plan.check()
    recipe = plan.recipe
    wanted = SuiteManifest(
        recipe.name, recipe.about, version("merula"), recipe.digest, plan.options()
    )
    folder = SuiteFolder(out, wanted)
    with folder.opened(), Workers(min(workers, max(len(plan.places), 1)), one_arrow_thread) as pool:
        return _make(plan, folder, pool, progress)


def _make(
    plan: MatrixPlan, folder: SuiteFolder, pool: Workers, progress: Progress | None
) -> Outcome:
    parts: dict[int, MadeMatrices] = {}
    for i, made in pool.run(partial(make_part, plan, folder.staged), plan.places):
        parts[i] = made
        if progress is not None:
            progress(plan.recipe.parts[plan.places[i]].name, len(parts), len(plan.places))
    done = [parts[i] for i in sorted(parts)]
    known = list(dict.fromkeys(name for made in done for name in made.sets))
    for name in plan.sets:
        if name not in known:
            raise plan.unknown("set", name, known)
    manifest = replace(
        folder.wanted,
        matrices=tuple(record for made in done for record in made.records),
        files=tuple(file for made in done for file in made.files),
    )
    warnings = {made.grammar: made.warnings for made in done if made.warnings}
    if folder.is_whole(manifest):
        folder.leave()
        return Outcome(manifest, False, warnings)
    folder.commit(manifest, {})
    return Outcome(manifest, True, warnings)


def make_part(plan: MatrixPlan, folder: Path, number: int) -> MadeMatrices:
    """Compile the grammar of a part, draw its instances, write their files into a folder."""
    part = plan.recipe.parts[number]
    compiled = compiled_grammar(plan.recipe.grammar_path(part))
    every, source = sets_of(plan, part, compiled)
    records, files = [], []
    for own, designs in every:
        if plan.sets and own.name not in plan.sets:
            continue
        for kind in plan.kinds:
            made, record = _write_set(plan, source, own.name, designs, Variation(kind), folder)
            files += made
            records.append(record)
    warnings = sum(problem.severity == "warning" for problem in compiled.problems)
    names = tuple(own.name for own, _ in every)
    return MadeMatrices(names, tuple(records), tuple(files), compiled.source.name, warnings)


def sets_of(
    plan: MatrixPlan, part: MatrixPart, compiled: Compiled
) -> tuple[list[tuple[MatrixSet, list[CompiledDesign]]], Source]:
    """The data sets of a part with their matrices, and what draws their instances.

    Raises `MerulaError` where a matrix is not there.
    """
    every = _sets(plan, part, compiled)
    return every, _source(plan, part, compiled, [d for _, designs in every for d in designs])


def _sets(
    plan: MatrixPlan, part: MatrixPart, compiled: Compiled
) -> list[tuple[MatrixSet, list[CompiledDesign]]]:
    """The data sets of a part with their matrices; raises `MerulaError` where one is not there."""
    known = {n: d for n, d in compiled.designs.items() if d.kind == "matrix" and d.plans}
    if not known:
        raise MerulaError.of(
            "M684",
            f"the grammar of {part.name} has no matrix with instances",
            remedy='name another grammar; a recipe of paradigms has no kind = "matrices"',
            place=plan.recipe.place,
        )
    sets = part.sets or tuple(MatrixSet(name, (name,)) for name in known)
    for own in sets:
        for name in own.designs:
            if name not in known:
                raise MerulaError.of(
                    "M684",
                    f"the grammar of {part.name} has no matrix {name}",
                    remedy=did_you_mean(name, known) or f"there is {listing(known)}",
                    place=plan.recipe.place,
                )
    found = [(own, [known[name] for name in own.designs]) for own in sets]
    for own, designs in found:
        _demand_alike(plan, part, own, designs)
    return found


def _demand_alike(
    plan: MatrixPlan, part: MatrixPart, own: MatrixSet, designs: Sequence[CompiledDesign]
) -> None:
    """Raise `MerulaError` where the matrices of a data set differ in how long they are."""
    shapes = [Counter(cell.role for cell in design.cells[0][1]) for design in designs]
    if shapes.count(shapes[0]) < len(shapes):
        raise MerulaError.of(
            "M684",
            f"the matrices of {own.name} in {part.name} cannot be one data set, for they have not"
            " the same numbers of items and answers",
            remedy="give each a set of its own",
            notes=[
                f"{design.name} shows {shape['context']} items and has {shape['answer']} answers"
                for design, shape in zip(designs, shapes, strict=True)
            ],
            place=plan.recipe.place,
        )


def _source(
    plan: MatrixPlan, part: MatrixPart, compiled: Compiled, designs: Sequence[CompiledDesign]
) -> Source:
    recipe, unit = plan.recipe, part.unit or UNIT
    units = None
    if plan.disjoint == SETS:
        task = Task(
            tuple({design.name: design for design in designs}.values()),
            tuple(Variation(kind) for kind in recipe.types),
            recipe.split.sizes(plan.instances(part)),
            unit,
            part.name,
            recipe.place,
        )
        units = divide(task, recipe.split, recipe.seed)
    return Source(part.name, compiled, units, unit, recipe.split, recipe.seed)


def _write_set(
    plan: MatrixPlan,
    source: Source,
    name: str,
    designs: Sequence[CompiledDesign],
    variation: Variation,
    folder: Path,
) -> tuple[list[FileRecord], MatrixRecord]:
    """Write the files of a data set of one type; returns what they are, and what is in them."""
    part = next(p for p in plan.recipe.parts if p.name == source.part)
    number = plan.instances(part)
    drawn = source.drawn(designs, variation, number)
    below = f"{source.part}/{name}/type_{variation.kind}"
    files, sizes = [], {}
    for split in plan.recipe.split.names:
        path = folder / below / f"{split}.{plan.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        mine = [(design, drawn[design.name][split]) for design in designs]
        sizes[split] = sum(batch.num_rows for _, batches in mine for batch in batches)
        if plan.form in LAYOUTS:
            matrices = [LaidOutMatrix(Outlines.of(design), batches) for design, batches in mine]
            rows, digest = write_layout(plan.form, path, matrices), None
        else:
            rows, digest = _write_table(plan, source.part, name, split, mine, path)
        flush(path)
        text = plan.form in LAYOUTS or plan.form in TEXT_FORMATS
        sha256 = Stored.of(path).sha256 if text else None
        files.append(
            FileRecord(
                path.relative_to(folder).as_posix(),
                rows,
                path.stat().st_size,
                sha256,
                None if text else digest,
            )
        )
    return files, _record(source, name, designs, variation, sizes)


def _write_table(
    plan: MatrixPlan,
    part: str,
    name: str,
    split: str,
    mine: Sequence[tuple[CompiledDesign, Sequence[Any]]],
    path: Path,
) -> tuple[int, str]:
    """Write a table; returns its number of rows and their digest."""
    batches, first = [], 0
    for _, own in mine:
        for batch in own:
            batches.append(told(batch, first, part, name, split))
            first += batch.num_rows
    every = common_schema(batch.schema for batch in batches)
    schema = typed(every).with_metadata({"merula.suite": plan.recipe.name, "merula.table": name})
    hasher, digests, rows = BlockHasher(schema), [], 0
    sample = next((fitted(batch.slice(0, 1), every) for batch in batches if batch.num_rows), None)
    table = pa.Table.from_batches([sample] if sample is not None else [], every)
    with WRITERS[plan.form](path, schema, as_batch(table, schema)) as write:
        for block in in_blocks((fitted(batch, every) for batch in batches), BLOCK):
            batch = as_batch(block, schema)
            digests.append(hasher.block(batch, rows))
            write(batch)
            rows += int(batch.num_rows)
    return rows, written(summed(digests))


def _record(
    source: Source,
    name: str,
    designs: Sequence[CompiledDesign],
    variation: Variation,
    sizes: Mapping[str, int],
) -> MatrixRecord:
    compiled = source.compiled
    assert compiled.grammar is not None
    answers = pooled(answer_set(design) for design in designs)
    return MatrixRecord(
        part=source.part,
        design=f"{name} type {variation.kind}",
        grammar=compiled.source.name,
        grammar_digest=compiled.grammar_digest,
        lexicon_digest=compiled.lexicon_digest,
        language=compiled.grammar.language,
        set=name,
        type=variation.kind,
        matrices=tuple(design.name for design in designs),
        instances=sum(sizes.values()),
        of=str(sum(AddressSpace(design, variation).count for design in designs)),
        splits=dict(sizes),
        units={k: len(v) for k, v in source.units.items()} if source.units is not None else {},
        answers=answers.to_json() if answers is not None else {},
    )
