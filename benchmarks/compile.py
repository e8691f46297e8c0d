"""How long the editor loop takes: to check a grammar, to count and to show it.

Run with ``python benchmarks/compile.py`` (``--quick`` for a smoke run). Figures are CPU seconds,
user and system together, of whole processes with their modules compiled, as after an
installation; rounds are interleaved and medians shown. A *recheck* is what ``merula watch`` does
when a file has changed, in a process that is running. The peer is a Python process that only
imports what every check needs. The large grammar is sentential negation with a lexicon of 2,000
lexemes made for the purpose.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GRAMMARS = ("npi/sentential_negation", "blm/agreement_fr")
ROUNDS = 15

MAIN = "import sys; from merula.cli import main; sys.argv[0] = 'merula'; main()"
PEER = "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import click, numpy"
RECHECK = """
import json, os, sys, time
os.environ["OPENBLAS_NUM_THREADS"] = "1"
from merula.grammar.program import TableOptions
from merula.cli.watcher import look
times = []
for _ in range(1 + int(sys.argv[2])):
    begin = time.process_time()
    look(sys.argv[1], TableOptions())
    times.append(time.process_time() - begin)
print(json.dumps(times[1:]))
"""


def large_lexicon(folder: Path) -> Path:
    """Sentential negation with 1,200 nouns and 800 verbs, 15 scenes, ten kinds of selection."""
    scenes = [f"scene{i}" for i in range(15)]
    sorts = ["person", "animal", "thing", "place", "content", "event"]
    nouns = ["lemma\tcategory\tsg\tpl\tsort\tcountability\treadable\tedible\tscene"]
    for i in range(1200):
        sort = sorts[i % 7 % 6]
        scene = " | ".join(sorted({scenes[i * 7 % 15], scenes[i * 11 % 15]}))
        readable, edible = ["yes" if i % k == 0 else "" for k in (5, 9)]
        nouns.append(f"n{i}\tnoun\tn{i}\tn{i}s\t{sort}\tcount\t{readable}\t{edible}\t{scene}")
    verbs = [
        "lemma\tcategory\tparticiple\tframe\tsubject\tobject\tcomplement\taspect\trepeatable"
        "\tfactive\tscene"
    ]
    frames = ["intransitive", "transitive", "transitive", "clausal"]
    objects = ["person", "thing", "animal or thing", "content and readable", "thing and edible"]
    for i in range(800):
        frame = frames[i % 4]
        scene = "*" if frame != "transitive" else scenes[i % 15]
        what = objects[i % 5] if frame == "transitive" else ""
        claim = "declarative" if frame == "clausal" else ""
        row = [f"v{i}", "verb", f"v{i}ed", frame, "person", what, claim, "eventive", "yes", ""]
        row.append(scene)
        verbs.append("\t".join(row))
    text = (ROOT / "benchmarks" / "negation.merula").read_text(encoding="utf-8")
    text = text.replace('"en/', '"')
    path = folder / "large.merula"
    path.write_text(text, encoding="utf-8")
    (folder / "nouns.tsv").write_text("\n".join(nouns) + "\n", encoding="utf-8")
    (folder / "verbs.tsv").write_text("\n".join(verbs) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True)
class Row:
    """What is measured, and the seconds it may take, if that is settled."""

    name: str
    measure: Callable[[], list[float]]
    floor: float | None = None


class Processes:
    """Runs Python in new processes whose compiled modules are kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.env = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "modules")}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(self, *command: str, **variables: str) -> tuple[float, str]:
        """The CPU seconds of a process, and what it printed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *command],
            check=True,
            capture_output=True,
            text=True,
            env={**self.env, **variables},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, done.stdout

    def whole(self, *command: str) -> Callable[[], list[float]]:
        """Measures a process."""
        return lambda: [self.run(*command)[0]]

    def merula(self, *args: str) -> Callable[[], list[float]]:
        """Measures a command of Merula."""
        return self.whole("-c", MAIN, *args)

    def again(self, grammar: str, times: int) -> Callable[[], list[float]]:
        """Measures checks in a process that has checked the grammar before."""
        return lambda: list(json.loads(self.run("-c", RECHECK, grammar, str(times))[1]))


def rows(run: Processes, large: str, times: int) -> tuple[Row, ...]:
    """All that is measured, the peer first."""
    return (
        Row("import click, numpy (peer)", run.whole("-c", PEER)),
        Row("merula --help", run.merula("--help"), 0.3),
        *(Row(f"check {name}", run.merula("check", name), 0.2) for name in GRAMMARS),
        *(Row(f"recheck {name}", run.again(name, times), 0.2) for name in GRAMMARS),
        Row("check, 2,000 lexemes", run.merula("check", large)),
        Row("recheck, 2,000 lexemes", run.again(large, times)),
        Row("count, 2,000 lexemes", run.merula("count", large)),
        Row(f"show {GRAMMARS[1]} -i 99", run.merula("show", GRAMMARS[1], "-i", "99")),
    )


def measured(what: tuple[Row, ...], rounds: int, *, warm_up: bool) -> Mapping[str, float]:
    """The median of each row over interleaved rounds; a first one may warm up."""
    found: dict[str, list[float]] = {row.name: [] for row in what}
    for number in range(rounds + warm_up):
        for row in what:
            seconds = row.measure()
            if number >= warm_up:
                found[row.name] += seconds
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def main() -> None:
    """Print a table: what, CPU seconds, the ratio to the peer, the floor."""
    parser = argparse.ArgumentParser(description="How long the editor loop takes.")
    parser.add_argument("--quick", action="store_true", help="a smoke run: one cold round")
    quick: bool = parser.parse_args().quick
    rounds = 1 if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        what = rows(Processes(folder), str(large_lexicon(folder)), rounds)
        found = measured(what, rounds, warm_up=not quick)
    peer = found[what[0].name]
    print(f"{'':40}    CPU     × peer   floor   (rounds: {rounds})")
    for row in what:
        seconds = found[row.name]
        floor = ""
        if row.floor is not None:
            floor = f"{row.floor:.1f} s  {'kept' if seconds < row.floor else 'missed'}"
        print(f"{row.name:40} {seconds:6.3f} s   {seconds / peer:5.2f}   {floor}".rstrip())


if __name__ == "__main__":
    main()
