"""Looking at a grammar again each time that one of its files changes.

Files are asked for their time of change, their size and their number on the disk a few times a
second. That works in network folders, and it makes no difference whether an editor writes into a
file or puts a new one in its place. Files that a grammar names and that are not there are watched
as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import Diagnostic, Report
from merula.core.frozen import frozen
from merula.grammar.program import read_grammar
from merula.lexicon.table import TableOptions

POLL_SECONDS = 0.2  # between two looks at the files: what a user takes for at once
QUIET_SECONDS = 0.1  # without a change: then a file is taken to be complete
MAX_QUIET_LOOKS = 15  # then a file that still changes is read as it is: after 1.5 seconds

Sleep = Callable[[float], object]


@frozen
class Stamp:
    """The marks that tell one state of a file from another."""

    changed: int  # nanoseconds
    size: int
    inode: int


Stamps = Mapping[Path, Stamp | None]


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file, or None if it does not exist."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


@frozen(eq=False)
class Look:
    """A grammar as it was when it was looked at.

    ``compiled`` is None where its file cannot be read. ``files`` are all files that it was read
    from or that it names, with their stamps from before they were read.
    """

    compiled: Compiled | None
    problems: tuple[Diagnostic, ...]
    files: Stamps
    seconds: float


def look(name: str, options: TableOptions) -> Look:
    """Return a grammar as it is now; ``name`` is a file, or a grammar that comes with Merula."""
    begin = time.perf_counter()
    files: dict[Path, Stamp | None] = {}

    def notice(path: Path) -> None:
        if path not in files:
            files[path] = stamp(path)

    report = Report()
    source = read_grammar(name, report, notice)
    compiled = None
    if source is not None:
        compiled = compile_source(source, options, report=report, notice=notice)
    return Look(compiled, report.sorted(), files, time.perf_counter() - begin)


def looks(name: str, options: TableOptions, *, sleep: Sleep = time.sleep) -> Iterator[Look]:
    """Yield a grammar as it is now, and again after each change of its files, without end."""
    while True:
        seen = look(name, options)
        yield seen
        wait(seen.files, sleep)


def wait(files: Stamps, sleep: Sleep = time.sleep) -> None:
    """Return when the files have changed and are complete.

    Where a file has just gone, an editor is mostly about to replace it: it is waited for.
    """
    now = files
    while now == files:
        sleep(POLL_SECONDS)
        now = _stamps(files)
        for _ in range(MAX_QUIET_LOOKS):
            if now == files:
                break
            before = now
            sleep(QUIET_SECONDS)
            now = _stamps(files)
            gone = any(now[path] is None for path, known in files.items() if known is not None)
            if now == before and not gone:
                break


def _stamps(files: Stamps) -> Stamps:
    return {path: stamp(path) for path in files}
