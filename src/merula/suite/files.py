"""The files of a suite, written from the rows that its parts have left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from merula.core.files import flush
from merula.core.frozen import frozen
from merula.data.digest import BlockHasher, summed, written
from merula.data.formats import TEXT_FORMATS, WRITERS, Stored, as_batch, in_blocks, plain
from merula.data.manifests.suite import FileRecord
from merula.data.schema import BLOCK, common_schema, fitted, typed
from merula.suite.parts import MadePart, rows_file
from merula.suite.plan import PUBLISHED, SuitePlan
from merula.suite.published import Numbers, published_pairs, published_sentences
from merula.suite.recipe import Recipe
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

# What a table is made of, and how.
_FROM: Mapping[str, tuple[str, Callable[[Any, Recipe], Any]]] = {
    SENTENCES: (SENTENCES, lambda batch, _: batch),
    PAIRS: (PAIRS, lambda batch, _: minimal_pairs(batch)),
    CLOZE: (PAIRS, lambda batch, _: cloze(batch)),
    PROBING: (SENTENCES, probing),
}


@frozen
class SuiteFile:
    """A file: its name in the folder, what it holds, of which split and parts."""

    name: str
    kind: str
    split: str
    parts: tuple[int, ...]


def files_of(plan: SuitePlan) -> list[SuiteFile]:
    """The files of a suite, in order."""
    if plan.layout == PUBLISHED:
        return list(_published_files(plan))
    return [
        SuiteFile(f"{kind}/{split}.{plan.form}", kind, split, _selected(plan, split))
        for kind in KINDS
        for split in plan.recipe.split.names
    ]


def _selected(plan: SuitePlan, split: str) -> tuple[int, ...]:
    names = plan.selected[split]
    return tuple(i for i in plan.parts if plan.recipe.parts[i].name in names)


def _published_files(plan: SuitePlan) -> Iterator[SuiteFile]:
    """A file an environment and split, and the pairs of the last split."""
    for split in plan.recipe.split.names:
        for i in _selected(plan, split):
            published = plan.recipe.parts[i].published
            assert published is not None
            yield SuiteFile(f"{published.file}_{split}.tsv", SENTENCES, split, (i,))
    last = plan.recipe.split.names[-1]
    for kind in (PAIRS, CLOZE):
        name = f"{kind}.tsv" if kind == PAIRS else "cloze_pairs.tsv"
        yield SuiteFile(name, kind, last, _selected(plan, last))


def write_file(
    plan: SuitePlan, made: Sequence[MadePart], file: SuiteFile, kept: Path, folder: Path
) -> FileRecord:
    """Write a file into a folder, from the rows kept in another."""
    path = folder / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    by_number = {part.number: part for part in made}
    mine = [by_number[i] for i in file.parts]
    if plan.layout == PUBLISHED:
        rows, digest = _write_lines(plan, mine, file, kept, path), None
    else:
        rows, digest = _write_table(plan, made, mine, file, kept, path)
    flush(path)
    text = plan.layout == PUBLISHED or plan.form in TEXT_FORMATS
    sha256 = Stored.of(path).sha256 if text else None
    return FileRecord(file.name, rows, path.stat().st_size, sha256, None if text else digest)


def _write_lines(
    plan: SuitePlan, parts: Iterable[MadePart], file: SuiteFile, kept: Path, path: Path
) -> int:
    """Write a file of the published layout; returns its number of lines."""
    rows = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for part in parts:
            own = plan.recipe.parts[part.number]
            numbers = Numbers(tuple(r.design for r in part.records), plan.recipe.n)
            for batch in _batches(plan.recipe, part, file, kept):
                if file.kind == SENTENCES:
                    lines = published_sentences(plan.recipe, own, numbers, batch)
                else:
                    lines = published_pairs(plan.recipe, own, batch)
                out.writelines(lines)
                rows += len(lines)
    return rows


def _write_table(
    plan: SuitePlan,
    made: Iterable[MadePart],
    parts: Iterable[MadePart],
    file: SuiteFile,
    kept: Path,
    path: Path,
) -> tuple[int, str]:
    """Write a table; returns its number of rows and their digest."""
    # the columns are those of all parts made, so that they are the same in all splits
    every = common_schema(s for part in made for s in _schemas(plan.recipe, part, file, kept))
    schema = typed(every).with_metadata(
        {"merula.suite": plan.recipe.name, "merula.table": file.kind}
    )
    batches = (
        fitted(batch, every) for part in parts for batch in _batches(plan.recipe, part, file, kept)
    )
    hasher, digests, rows = BlockHasher(schema), [], 0
    none = as_batch(every.empty_table(), schema)
    with WRITERS[plan.form](path, schema, none) as write:
        for block in in_blocks(batches, BLOCK):
            batch = as_batch(block, schema)
            digests.append(hasher.block(batch, rows))
            write(batch)
            rows += int(batch.num_rows)
    return rows, written(summed(digests))


def _schemas(recipe: Recipe, part: MadePart, file: SuiteFile, kept: Path) -> Iterator[Any]:
    """The schemas of what a part has for a file, a design each."""
    source, make = _FROM[file.kind]
    for design in range(len(part.records)):
        for batch in _stored(rows_file(kept, part.number, design, source)):
            yield plain(make(batch.slice(0, 0), recipe)).schema
            break


def _batches(recipe: Recipe, part: MadePart, file: SuiteFile, kept: Path) -> Iterator[Any]:
    """The rows that a part has for a file."""
    source, make = _FROM[file.kind]
    for design in range(len(part.records)):
        for batch in _stored(rows_file(kept, part.number, design, source)):
            mine = batch.filter(pc.equal(batch.column("split"), file.split))
            yield plain(make(mine, recipe))


def _stored(path: Path) -> Iterator[Any]:
    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as reader:
        yield from reader
