"""Making a suite: its parts, then its files, then the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from merula.core.progress import Progress
from merula.core.workers import Workers
from merula.data.formats import one_arrow_thread
from merula.data.manifests.suite import FileRecord, SuiteManifest
from merula.data.suite_folder import SuiteFolder
from merula.suite.files import SuiteFile, files_of, write_file
from merula.suite.parts import MadePart, make_part
from merula.suite.plan import PUBLISHED, SuitePlan

CONFIGURATIONS = "configurations.json"

# Is told what was done, how many of it are done, and how many there are.


@dataclass(frozen=True)
class Outcome:
    """What a run has left: the manifest, whether anything was made, warnings by grammar."""

    manifest: SuiteManifest
    made: bool
    warnings: dict[str, int]


def make_suite(
    plan: SuitePlan, out: Path, *, workers: int = 1, progress: Progress | None = None
) -> Outcome:
    """Make a suite in a folder, which is new or empty, or holds the same suite.

    The files are the same whatever the number of workers. Raises `MerulaError` where something
    is wrong; the folder is then as it was.
    """
    plan.check()
    folder = SuiteFolder(out, _wanted(plan))
    with folder.opened(), Workers(min(workers, max(len(plan.parts), 1)), one_arrow_thread) as pool:
        return _make(plan, folder, pool, progress)


def _wanted(plan: SuitePlan) -> SuiteManifest:
    recipe = plan.recipe
    return SuiteManifest(
        recipe.name, recipe.about, version("merula"), recipe.digest, plan.options()
    )


def _make(
    plan: SuitePlan, folder: SuiteFolder, pool: Workers, progress: Progress | None
) -> Outcome:
    parts: dict[int, MadePart] = {}
    for i, made in pool.run(partial(_part, plan, folder.kept), plan.parts):
        parts[i] = made
        if progress is not None:
            name = plan.recipe.parts[made.number].name
            progress(name, len(parts), len(plan.parts))
    done = [parts[i] for i in sorted(parts)]
    words = frozenset().union(*(part.words for part in done))
    manifest = replace(
        folder.wanted,
        designs=tuple(record for part in done for record in part.records),
        word_types=len(words),
    )
    warnings = {r.grammar: p.warnings for p in done for r in p.records if p.warnings}
    if folder.is_whole(manifest):
        there = manifest
        folder.leave()
        return Outcome(there, False, warnings)
    records = _write(plan, done, folder, pool, progress)
    manifest = replace(manifest, files=tuple(records))
    more = {} if plan.layout == PUBLISHED else {CONFIGURATIONS: plan.configurations}
    folder.commit(manifest, more)
    return Outcome(manifest, True, warnings)


def _part(plan: SuitePlan, kept: Path, number: int) -> MadePart:
    return make_part(plan, number, kept)


def _write(
    plan: SuitePlan,
    made: Sequence[MadePart],
    folder: SuiteFolder,
    pool: Workers,
    progress: Progress | None,
) -> list[FileRecord]:
    """Write all files, the largest first."""
    files = files_of(plan)
    light = [replace(part, words=frozenset()) for part in made]  # words take long to send
    records: dict[int, FileRecord] = {}
    for i, record in pool.run(partial(_file, plan, light, folder.kept, folder.staged), files):
        records[i] = record
        if progress is not None:
            progress("files", len(records), len(files))
    return [records[i] for i in sorted(records)]


def _file(
    plan: SuitePlan, made: Sequence[MadePart], kept: Path, files: Path, file: SuiteFile
) -> FileRecord:
    return write_file(plan, made, file, kept, files)
