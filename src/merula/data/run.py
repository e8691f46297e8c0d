"""Runs of `merula generate`: parts that are whole or absent, and a manifest that comes last.

In come compiled grammars, a `RowChoice` and a format; out comes a folder (`generate_files`). The
command and `merula.api.Data.write` call it.

A part holds instances ``first`` to ``first + instances`` of a design in the seed's order, whoever
makes it, so any number of workers, shards and runs make the same files. A part is written under
another name, flushed to the disk and moved to its place; until all parts are there, the folder
has a subfolder ``.merula`` with what the run is to be (``run.json``) and a record of each part
that is done. A run that was interrupted goes on from there.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.files import same_on_disk
from merula.core.progress import Progress
from merula.core.workers import Workers
from merula.data.digest import BlockHasher, summed, written
from merula.data.format_names import LAYOUTS, SENTENCES_PER_FILE, TEXT_FORMATS, suffix
from merula.data.formats import WRITERS, Stored, one_arrow_thread
from merula.data.layouts import LaidOutMatrix, Outlines, demand_matrix, write_layout
from merula.data.manifests.run import DesignRecord, PartRecord, RunManifest
from merula.data.run_folder import RunFolder
from merula.plan.order import ORDER
from merula.rows.maker import SCHEMA_VERSION, RowChoice, RowMaker

MAX_FILES = 1_000  # a run looks at all of them each time it goes on


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``total`` shares of the parts, counted from 1."""

    number: int = 1
    total: int = 1

    def of(self, parts: Sequence[FilePart]) -> Sequence[FilePart]:
        """Return the neighbouring parts of this shard; all shards together have each part once."""
        start = (self.number - 1) * len(parts) // self.total
        return parts[start : self.number * len(parts) // self.total]


@dataclass(frozen=True)
class FilePart:
    """A file of a design, and the instances in it."""

    design: int  # place among the run's designs
    file: str
    first: int
    instances: int


@dataclass(frozen=True)
class RunOutcome:
    """What a run has left in the folder.

    ``manifest`` is None while parts of other shards are missing; ``missing`` are their files.
    """

    manifest: RunManifest | None
    made: tuple[str, ...]
    missing: tuple[str, ...]


def _nothing_in(compiled: Sequence[Compiled]) -> MerulaError:
    """Return the error of grammars that nothing can be generated from."""
    planned = any(c.designs for c in compiled)
    what = "no lexicon is named" if planned else "there is no paradigm and no matrix"
    return MerulaError.of(
        "M607",
        f"there is nothing to generate: {what}",
        remedy='name its tables: lexicon "nouns.tsv"'
        if planned
        else "declare one: `paradigm NAME = factor × factor`",
        place=", ".join(c.source.name for c in compiled),
    )


@dataclass(frozen=True, eq=False)
class Run:
    """Designs, a selection of their rows, a format or layout: everything that decides the files."""

    designs: tuple[tuple[Compiled, CompiledDesign], ...]
    selection: RowChoice
    format_name: str
    sentences_per_file: int = SENTENCES_PER_FILE

    @staticmethod
    def of(
        compiled: Sequence[Compiled],
        selection: RowChoice,
        format_name: str,
        sentences_per_file: int = SENTENCES_PER_FILE,
    ) -> Run:
        """Return the run of all designs of some grammars.

        Raises `MerulaError` where there is no design, or more than `MAX_FILES` files.
        """
        designs = tuple((c, d) for c in compiled for d in c.designs.values() if d.plans)
        if not designs:
            raise _nothing_in(compiled)
        if format_name in LAYOUTS:
            for _, design in designs:
                demand_matrix(design)
            selection = replace(selection, spans=True, columns=None)  # layouts are made of them
        run = Run(designs, selection, format_name, sentences_per_file)
        run._check_names()
        count = sum(-(-r.stop // r.step) for r in map(run.firsts, range(len(designs))))
        if count > MAX_FILES:
            raise MerulaError.of(
                "M619",
                f"that would be {count:,} files; {MAX_FILES:,} are the most",
                remedy="ask for fewer instances (-n), or for larger files (--sentences-per-file)",
            )
        return run

    def _check_names(self) -> None:
        """Raise `MerulaError` where two designs would be one file on some disk."""
        names = [self.name(number) for number in range(len(self.designs))]
        same = same_on_disk(names)
        if same is None:
            return
        one, other = (names[place] for place in same)
        file = f"{one}.{suffix(self.format_name)}"
        places = (self.designs[place][0].source.name for place in same)
        raise MerulaError.of(
            "M613",
            f"two designs would be written to the file {file}"
            if one == other
            else f"{one} and {other} would be one file on macOS and Windows: {file}",
            remedy="rename one phenomenon or design, or write them into two folders",
            place=" and ".join(dict.fromkeys(places)),
        )

    @cached_property
    def makers(self) -> tuple[RowMaker, ...]:
        """A maker of rows for each design."""
        return tuple(RowMaker(c, d, self.selection) for c, d in self.designs)

    def name(self, number: int) -> str:
        """``PHENOMENON-DESIGN``."""
        compiled, design = self.designs[number]
        assert compiled.grammar is not None
        return f"{compiled.grammar.name}-{design.name}"

    def firsts(self, number: int) -> range:
        """Return the first instance of each part of a design."""
        maker = self.makers[number]
        size = maker.chunk * max(self.sentences_per_file // (maker.chunk * len(maker.cells)), 1)
        return range(0, max(maker.size, 1), size)

    @cached_property
    def parts(self) -> tuple[FilePart, ...]:
        """All parts, in order; their bounds are those of blocks."""
        parts: list[FilePart] = []
        for i, maker in enumerate(self.makers):
            firsts = self.firsts(i)
            for k, first in enumerate(firsts):
                which = f"-{k:05d}-of-{len(firsts):05d}" if len(firsts) > 1 else ""
                instances = min(firsts.step, maker.size - first)
                parts.append(
                    FilePart(
                        i, f"{self.name(i)}{which}.{suffix(self.format_name)}", first, instances
                    )
                )
        return tuple(parts)

    @cached_property
    def manifest(self) -> RunManifest:
        """What two runs must have in common to make the same files."""
        selection = self.selection
        return RunManifest(
            merula=version("merula"),
            schema=SCHEMA_VERSION,
            order=ORDER,
            format=self.format_name,
            seed=selection.seed,
            variation=selection.variation.kind,
            answers=selection.variation.answers,
            spans=selection.spans,
            columns=None if selection.columns is None else list(selection.columns),
            part=self.sentences_per_file,
            designs=[self._described(i) for i in range(len(self.designs))],
        )

    def _described(self, number: int) -> DesignRecord:
        compiled, design = self.designs[number]
        maker = self.makers[number]
        assert compiled.grammar is not None
        return DesignRecord(
            phenomenon=compiled.grammar.name,
            design=design.name,
            kind=design.kind,
            language=compiled.grammar.language,
            instances=maker.size,
            rows=maker.size * maker.rows_per_instance,
            of=str(maker.space.count),
            block=maker.chunk,
            grammar=compiled.grammar_digest,
            lexicon=compiled.lexicon_digest,
        )

    def make(self, part: FilePart, folder: Path, progress: Progress | None = None) -> PartRecord:
        """Make one part in a folder: write it under another name, note it, move it there."""
        run_folder = RunFolder(folder, self.manifest)
        with run_folder.staged(part.file) as path:
            record = self._write(part, path, progress)
            run_folder.note(record)
        return record

    def _write(self, part: FilePart, path: Path, progress: Progress | None) -> PartRecord:
        """Write the rows of a part into a file."""
        maker = self.makers[part.design]
        digests: list[int] = []
        batches = self._hashed(part, digests, progress)
        if self.format_name in LAYOUTS:
            write_layout(
                self.format_name, path, [LaidOutMatrix(Outlines.of(maker.design), batches)]
            )
        else:
            sample = (
                maker.batch(0, min(1, maker.space.count)) if self.format_name == "csv" else None
            )
            with WRITERS[self.format_name](path, maker.schema, sample) as write:
                for batch in batches:
                    write(batch)
        compiled, design = self.designs[part.design]
        assert compiled.grammar is not None
        return PartRecord(
            part.file,
            compiled.grammar.name,
            design.name,
            part.first,
            part.instances,
            part.instances * maker.rows_per_instance,
            path.stat().st_size,
            written(summed(digests)),
            Stored.of(path).sha256 if self.format_name in TEXT_FORMATS else None,
        )

    def _hashed(
        self, part: FilePart, digests: list[int], progress: Progress | None
    ) -> Iterator[Any]:
        """Yield the batches of a part, each with its digest added to ``digests``."""
        maker = self.makers[part.design]
        hasher, rows = BlockHasher(maker.schema), 0
        for batch in maker.batches(part.first, part.first + part.instances):
            digests.append(hasher.block(batch, part.first + rows // maker.rows_per_instance))
            yield batch
            rows += int(batch.num_rows)
            if progress is not None:
                done = part.first + rows // maker.rows_per_instance
                progress(maker.design.name, done, maker.size)


def generate_files(
    run: Run,
    out: Path,
    *,
    workers: int = 1,
    shard: Shard | None = None,
    progress: Progress | None = None,
) -> RunOutcome:
    """Make a run's parts (those of a shard) in a folder, and the manifest once all are there.

    The folder is new or empty, or contains part of the same run, which then goes on. Raises
    `MerulaError` where that is not so or the disk does not take it; parts that are done stay.
    """
    folder = RunFolder(out, run.manifest)
    with folder.opened():
        if folder.whole is not None:
            return RunOutcome(folder.whole, (), ())
        try:
            return _make_missing(run, folder, workers, shard or Shard(), progress)
        except OSError:
            with suppress(OSError):
                manifest = folder.finished()
                if manifest is not None:  # another process has finished it, and cleared up
                    return RunOutcome(manifest, (), ())
            raise


def _make_missing(
    run: Run, folder: RunFolder, workers: int, shard: Shard, progress: Progress | None
) -> RunOutcome:
    files = [part.file for part in run.parts]
    records = folder.records(files)
    todo = [part for part in shard.of(run.parts) if part.file not in records]
    if workers > 1 and len(todo) > 1:
        _in_workers(run, todo, folder.out, min(workers, len(todo)), progress)
    else:
        for part in todo:
            run.make(part, folder.out, progress)
    new_files = tuple(part.file for part in todo)
    records = folder.records(files)
    missing = tuple(file for file in files if file not in records)
    if missing:  # other shards', or another process has finished it, and cleared up
        manifest = folder.finished()
        return RunOutcome(manifest, new_files, missing if manifest is None else ())
    return RunOutcome(folder.commit([records[file] for file in files]), new_files, ())


# --- workers -------------------------------------------------------------------------------


def _in_workers(
    run: Run, todo: Sequence[FilePart], out: Path, workers: int, progress: Progress | None
) -> None:
    """Make parts in other processes, which read the run from a file."""
    # what is not to be made is there, or another shard's
    instances = {i: maker.size for i, maker in enumerate(run.makers)}
    for part in todo:
        instances[part.design] -= part.instances
    with TemporaryDirectory(prefix="merula-") as folder, _workers(workers) as pool:
        file = Path(folder, "run")
        file.write_bytes(pickle.dumps(replace(run)))  # without makers: workers make their own
        for number, _ in pool.run(partial(_make_kept, file, out), todo):
            part = todo[number]
            instances[part.design] += part.instances
            if progress is not None:
                maker = run.makers[part.design]
                progress(maker.design.name, instances[part.design], maker.size)


@lru_cache(maxsize=1)
def _kept(file: Path) -> Run:
    run: Run = pickle.loads(file.read_bytes())
    return run


def _make_kept(file: Path, out: Path, part: FilePart) -> PartRecord:
    """Make a part of the run that is kept in a file."""
    return _kept(file).make(part, out)


def _workers(count: int) -> Workers:
    remedy = "what is done is kept: the same command goes on; use fewer --workers"
    return Workers(count, one_arrow_thread, remedy=remedy)
