"""Making a suite: its parts in several processes, its files, then the manifest.

In: a plan and a folder. Out: the files, and a `MadeSuite` for `merula suite`, which calls this.
The parts of paradigms leave rows, which are then written into tables of all parts; the parts of
matrices write their files themselves. The files are the same whatever the number of processes;
after a failure the folder is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from merula.compiler.answer_sets import answer_set, pooled
from merula.compiler.compiled import CompiledDesign
from merula.core.files import flush
from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.core.workers import Workers
from merula.data.digest import BlockHasher, summed, written
from merula.data.format_names import LAYOUTS, TEXT_FORMATS
from merula.data.formats import (
    WRITERS,
    Stored,
    as_batch,
    in_blocks,
    one_arrow_thread,
    plain,
)
from merula.data.layouts import LaidOutMatrix, Outlines, write_layout
from merula.data.manifests.suite import FileRecord, MatrixRecord, SuiteManifest
from merula.data.schema import BLOCK, common_schema, fitted, typed
from merula.data.suite_folder import SuiteFolder
from merula.rows.variation import AddressSpace, Variation
from merula.suite.draw_matrices import DrawnRows, MatrixSource, labelled, sets_of
from merula.suite.parts import MadePart, compiled_grammar, make_part, rows_file, warnings_of
from merula.suite.plan import PUBLISHED, MatrixPlan, ParadigmPlan, SuitePlan
from merula.suite.published_npi import ParadigmNumbers, published_pairs, published_sentences
from merula.suite.recipe import ParadigmRecipe
from merula.suite.tables import (
    CLOZE,
    KINDS,
    PAIRS,
    PROBING,
    SENTENCES,
    cloze,
    minimal_pairs,
    probing,
)

CONFIGURATIONS = "configurations.json"

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True)
class MadeSuite:
    """A finished run: the manifest, whether anything was made, the warnings of each grammar.

    Where all was there already, the manifest of paradigms has no files.
    """

    manifest: SuiteManifest
    is_new: bool
    warnings: dict[str, int]


def make_suite(
    plan: SuitePlan, out: Path, *, workers: int = 1, progress: Progress | None = None
) -> MadeSuite:
    """Make a suite in a folder, which is new or empty, or holds the same suite.

    Raises `MerulaError` where something is wrong.
    """
    plan.check()
    head = plan.recipe.head
    wanted = SuiteManifest(
        head.name, head.about, version("merula"), plan.recipe.digest, plan.options()
    )
    folder = SuiteFolder(out, wanted)
    processes = min(workers, max(len(plan.places), 1))
    with folder.opened(), Workers(processes, one_arrow_thread) as pool:
        run = _Run(folder, pool, progress)
        if isinstance(plan, MatrixPlan):
            return _make_matrices(plan, run)
        return _make_paradigms(plan, run)


@dataclass(frozen=True)
class _Run:
    folder: SuiteFolder
    pool: Workers
    progress: Progress | None

    def results(self, do: Callable[[J], R], jobs: Sequence[J], names: Sequence[str]) -> list[R]:
        """Do jobs in any order; return their results in the order of the jobs."""
        by_place: dict[int, R] = {}
        for i, result in self.pool.run(do, jobs):
            by_place[i] = result
            if self.progress is not None:
                self.progress(names[i], len(by_place), len(jobs))
        return [by_place[i] for i in sorted(by_place)]

    def parts(self, plan: SuitePlan, do: Callable[[int], R]) -> list[R]:
        """Make all parts, which are named by their places."""
        return self.results(do, plan.places, [plan.recipe.parts[i].name for i in plan.places])


def _make_paradigms(plan: ParadigmPlan, run: _Run) -> MadeSuite:
    folder = run.folder
    parts = run.parts(plan, partial(make_part, plan, folder.kept))
    manifest = replace(
        folder.wanted,
        designs=tuple(record for part in parts for record in part.records),
        word_types=len(frozenset().union(*(part.words for part in parts))),
    )
    is_new = not folder.is_whole(manifest)
    if is_new:
        files = files_of(plan)
        light = [replace(part, words=frozenset()) for part in parts]  # words take long to send
        write = partial(write_file, plan, light, folder.kept, folder.staged)
        records = run.results(write, files, ["files"] * len(files))
        manifest = replace(manifest, files=tuple(records))
        is_published = plan.layout == PUBLISHED
        folder.commit(manifest, {} if is_published else {CONFIGURATIONS: plan.configurations})
    else:
        folder.leave()
    return MadeSuite(manifest, is_new, _warnings(parts))


def _make_matrices(plan: MatrixPlan, run: _Run) -> MadeSuite:
    folder = run.folder
    parts = run.parts(plan, partial(make_sets, plan, folder.staged))
    names = list(dict.fromkeys(name for part in parts for name in part.sets))
    plan.recipe.head.demand("set", plan.sets, names)
    manifest = replace(
        folder.wanted,
        matrices=tuple(record for part in parts for record in part.records),
        files=tuple(file for part in parts for file in part.files),
    )
    is_new = not folder.is_whole(manifest)
    if is_new:
        folder.commit(manifest, {})
    else:
        folder.leave()
    return MadeSuite(manifest, is_new, _warnings(parts))


def _warnings(parts: Iterable[MadePart | MadeSets]) -> dict[str, int]:
    return {part.grammar: part.warnings for part in parts if part.warnings}


# --- files of paradigms --------------------------------------------------------------------

# The rows that a table is made of, and how.
_FROM: Mapping[str, tuple[str, Callable[[Any, ParadigmRecipe], Any]]] = {
    SENTENCES: (SENTENCES, lambda batch, _: batch),
    PAIRS: (PAIRS, lambda batch, _: minimal_pairs(batch)),
    CLOZE: (PAIRS, lambda batch, _: cloze(batch)),
    PROBING: (SENTENCES, probing),
}


@frozen
class SuiteFile:
    """A file of paradigms: its name in the folder, its table, its split and parts (places)."""

    name: str
    kind: str
    split: str
    parts: tuple[int, ...]


def files_of(plan: ParadigmPlan) -> list[SuiteFile]:
    """Return the files of a suite of paradigms, in the order of the manifest."""
    if plan.layout == PUBLISHED:
        return list(_published_files(plan))
    return [
        SuiteFile(f"{kind}/{split}.{plan.suffix}", kind, split, _selected(plan, split))
        for kind in KINDS
        for split in plan.recipe.head.split.names
    ]


def _selected(plan: ParadigmPlan, split: str) -> tuple[int, ...]:
    names = plan.selected[split]
    return tuple(i for i in plan.places if plan.recipe.parts[i].name in names)


def _published_files(plan: ParadigmPlan) -> Iterator[SuiteFile]:
    """Yield a file for each environment and split, and the pairs of the last split."""
    splits = plan.recipe.head.split.names
    for split in splits:
        for i in _selected(plan, split):
            published = plan.recipe.parts[i].published
            assert published is not None
            yield SuiteFile(f"{published.file}_{split}.tsv", SENTENCES, split, (i,))
    for kind, name in ((PAIRS, f"{PAIRS}.tsv"), (CLOZE, "cloze_pairs.tsv")):
        yield SuiteFile(name, kind, splits[-1], _selected(plan, splits[-1]))


def write_file(
    plan: ParadigmPlan, every_part: Sequence[MadePart], store: Path, folder: Path, file: SuiteFile
) -> FileRecord:
    """Write a file into ``folder`` from the rows in ``store``; ``every_part`` are all parts."""
    path = folder / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    by_place = {part.place: part for part in every_part}
    parts = [by_place[i] for i in file.parts]
    if plan.layout == PUBLISHED:
        return _file_record(folder, path, _write_lines(plan, parts, file, store, path))
    # the columns are those of all parts made, so that they are the same in all splits
    schema = common_schema(
        s for part in every_part for s in _schemas(plan.recipe, part, file, store)
    )
    batches = (b for part in parts for b in _batches(plan.recipe, part, file, store))
    rows = (fitted(batch, schema) for batch in batches)
    return _write_table(folder, path, plan, file.kind, rows, schema.empty_table())


def _write_lines(
    plan: ParadigmPlan, parts: Iterable[MadePart], file: SuiteFile, store: Path, path: Path
) -> int:
    """Write a file of the published layout; return its number of lines."""
    rows = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for part in parts:
            environment = plan.recipe.parts[part.place]
            designs = tuple(record.design for record in part.records)
            numbers = ParadigmNumbers(designs, plan.recipe.head.n)
            for batch in _batches(plan.recipe, part, file, store):
                if file.kind == SENTENCES:
                    lines = published_sentences(plan.recipe, environment, numbers, batch)
                else:
                    lines = published_pairs(plan.recipe, environment, batch)
                out.writelines(lines)
                rows += len(lines)
    return rows


def _schemas(recipe: ParadigmRecipe, part: MadePart, file: SuiteFile, store: Path) -> Iterator[Any]:
    """Yield the schema of a table for each design of a part."""
    source, make = _FROM[file.kind]
    for design in range(len(part.records)):
        for batch in _stored(rows_file(store, part.place, design, source)):
            yield plain(make(batch.slice(0, 0), recipe)).schema
            break


def _batches(recipe: ParadigmRecipe, part: MadePart, file: SuiteFile, store: Path) -> Iterator[Any]:
    """Yield the rows of a part that are for a file."""
    source, make = _FROM[file.kind]
    for design in range(len(part.records)):
        for batch in _stored(rows_file(store, part.place, design, source)):
            of_split = batch.filter(pc.equal(batch.column("split"), file.split))
            yield plain(make(of_split, recipe))


def _stored(path: Path) -> Iterator[Any]:
    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as reader:
        yield from reader


# --- files of matrices ---------------------------------------------------------------------


@dataclass(frozen=True)
class MadeSets:
    """A part of a suite of matrices whose files are written; ``sets`` are all it could have."""

    sets: tuple[str, ...]
    records: tuple[MatrixRecord, ...]
    files: tuple[FileRecord, ...]
    grammar: str
    warnings: int


def make_sets(plan: MatrixPlan, folder: Path, place: int) -> MadeSets:
    """Compile the grammar of a part, draw its instances, write their files into a folder."""
    part = plan.recipe.parts[place]
    compiled = compiled_grammar(plan.recipe.head.grammar_path(part.grammar))
    sets, source = sets_of(plan, part, compiled)
    records: list[MatrixRecord] = []
    files: list[FileRecord] = []
    for matrix_set, designs in sets:
        if not plan.sets or matrix_set.name in plan.sets:
            for variation in map(Variation, plan.made_types):
                drawn = source.rows(designs, variation, plan.instances(part))
                name = matrix_set.name
                files += _write_set(plan, part.name, name, designs, variation, drawn, folder)
                records.append(_matrix_record(source, name, designs, variation, drawn))
    return MadeSets(
        tuple(matrix_set.name for matrix_set, _ in sets),
        tuple(records),
        tuple(files),
        compiled.source.name,
        warnings_of(compiled),
    )


def _write_set(
    plan: MatrixPlan,
    part: str,
    name: str,
    designs: Sequence[CompiledDesign],
    variation: Variation,
    drawn: DrawnRows,
    folder: Path,
) -> Iterator[FileRecord]:
    """Write the files of a data set of one type, one for each split."""
    for split in plan.recipe.head.split.names:
        path = folder / part / name / f"type_{variation.kind}" / f"{split}.{plan.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if plan.layout in LAYOUTS:
            matrices = [LaidOutMatrix(Outlines.of(d), drawn[d.name][split]) for d in designs]
            yield _file_record(folder, path, write_layout(plan.layout, path, matrices))
            continue
        batches, first = [], 0
        for batch in (batch for design in designs for batch in drawn[design.name][split]):
            batches.append(labelled(batch, first, part, name, split))
            first += batch.num_rows
        schema = common_schema(batch.schema for batch in batches)
        rows = [fitted(batch, schema) for batch in batches]
        sample = [batch.slice(0, 1) for batch in rows if batch.num_rows][:1]
        yield _write_table(folder, path, plan, name, rows, pa.Table.from_batches(sample, schema))


def _matrix_record(
    source: MatrixSource,
    name: str,
    designs: Sequence[CompiledDesign],
    variation: Variation,
    drawn: DrawnRows,
) -> MatrixRecord:
    compiled = source.compiled
    assert compiled.grammar is not None
    answers = pooled(answer_set(design) for design in designs)
    sizes = {
        split: sum(batch.num_rows for design in designs for batch in drawn[design.name][split])
        for split in source.split.names
    }
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
        splits=sizes,
        units={k: len(v) for k, v in source.units.items()} if source.units is not None else {},
        answers=answers.to_json() if answers is not None else {},
    )


# --- tables and records of files -----------------------------------------------------------


def _write_table(
    folder: Path, path: Path, plan: SuitePlan, table: str, batches: Iterable[Any], sample: Any
) -> FileRecord:
    """Write batches of one schema as a table of a suite.

    ``sample`` is a table of no row or one, from which CSV takes the names of its columns.
    """
    names = {"merula.suite": plan.recipe.head.name, "merula.table": table}
    schema = typed(sample.schema).with_metadata(names)
    hasher, digests, rows = BlockHasher(schema), [], 0
    with WRITERS[plan.format_name](path, schema, as_batch(sample, schema)) as write:
        for block in in_blocks(batches, BLOCK):
            batch = as_batch(block, schema)
            digests.append(hasher.block(batch, rows))
            write(batch)
            rows += int(batch.num_rows)
    is_text = plan.format_name in TEXT_FORMATS
    return _file_record(folder, path, rows, None if is_text else written(summed(digests)))


def _file_record(folder: Path, path: Path, rows: int, digest: str | None = None) -> FileRecord:
    """Flush a file and return its record; text, which has no digest of rows, has one of bytes."""
    flush(path)
    sha256 = Stored.of(path).sha256 if digest is None else None
    return FileRecord(
        path.relative_to(folder).as_posix(), rows, path.stat().st_size, sha256, digest
    )
