"""How long a million rows take to be published, beside what it takes to write them at all.

Run with ``python benchmarks/publish.py`` (``--quick`` for a smoke run). The rows are those of NPI
licensing by sentential negation, with spans. The peer is `merula generate --spans`, which writes
the same rows to Parquet and nothing else. Times are wall seconds of whole commands; memory is that
of a command and all its processes together, looked at every 20 ms (Linux only).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GRAMMAR = "npi/sentential_negation"
MAIN = "import sys; from merula.cli import main; sys.argv[0] = 'merula'; main()"
CELLS = 8
PAGE = 4096


@dataclass(frozen=True)
class Ran:
    """Wall seconds of a command, and the most megabytes that it had at once."""

    seconds: float
    memory: float


def ran(*words: str) -> Ran:
    """Run a command of Merula."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(resident, family(process.pid))))
        time.sleep(0.02)
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    return Ran(time.perf_counter() - start, most / 1e6)


def family(number: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield number
    try:
        children = Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii")
    except OSError:
        return
    for child in children.split():
        yield from family(int(child))


def resident(number: int) -> int:
    """The bytes of memory that a process has."""
    try:
        return int(Path(f"/proc/{number}/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def main() -> None:
    """Print a line for each figure, with what is aimed at."""
    parser = argparse.ArgumentParser(description="How long publishing takes.")
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    rows = 16_000 if parser.parse_args().quick else 1_000_000
    number = str(rows // CELLS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = str(folder / "published")
        design = (GRAMMAR, "--design", "ever", "-n", number)
        peer = ran("generate", *design, "--spans", "--out", str(folder / "rows"), "--quiet")
        publish = ("publish", *design, "--licence", "cc0-1.0", "--out")
        bare = ran(*publish, str(folder / "bare"), "--audit-sentences", "0", "--quiet")
        whole = ran(*publish, out, "--quiet")
        again = ran(*publish, out, "--quiet")
        verified = ran("verify", out, "--quiet")
        page = ran("report", out, "--quiet")
    print(f"{rows:,} rows; generate --spans: {peer.seconds:.1f} s, {peer.memory:.0f} MB")
    ratio = bare.seconds / peer.seconds
    print(f"published without an audit: {bare.seconds:.1f} s, {ratio:.2f} × generate (target < 3)")
    print(f"published with one: {whole.seconds:.1f} s (target < 60)")
    most = max(bare.memory, whole.memory)
    print(f"memory of all processes: {most:.0f} MB at most (target < 1,000)")
    ratio = again.seconds / bare.seconds
    print(f"published again, unchanged: {again.seconds:.1f} s, {ratio:.2f} × (target < 1)")
    ratio = verified.seconds / bare.seconds
    print(f"verified, all rows made again: {verified.seconds:.1f} s, {ratio:.2f} × (target < 4)")
    print(f"report: {page.seconds:.1f} s, {page.memory:.0f} MB (target < 1,000)")


if __name__ == "__main__":
    main()
