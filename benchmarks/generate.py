"""How fast sentences are made, each figure beside a peer or a bound measured in the same run.

Run with ``python benchmarks/generate.py`` (``--quick`` for a smoke run with small sizes). The
design is NPI licensing by sentential negation, eight cells an instance, on one core; NLTK is
measured where it is installed (``pip install nltk``). Times are CPU seconds of this process
unless a line says otherwise; rounds are interleaved and medians shown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import merula
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.data.digest import BlockHasher
from merula.data.formats import WRITERS
from merula.plan.planner import Plan, PlanCell
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.sentences import Writer

GRAMMAR = str(Path(__file__).resolve().with_name("negation.merula"))
LABELLED = ("sentence", "acceptable", "factors")


@dataclass(frozen=True)
class Sizes:
    """How much of everything is measured."""

    instances: int = 60_000
    slow: int = 4_000  # instances of peers written in Python
    rounds: int = 7
    streamed: int = 50_000_000  # sentences
    shared: int = 48_000_000  # sentences made by one worker and by two
    pairs: int = 3


QUICK = Sizes(2_000, 200, 1, 80_000, 80_000, 1)


# --- peers ---------------------------------------------------------------------------------


def template(cell: PlanCell, name: Callable[[int, str], str]) -> str:
    """An f-string for a cell, as one would write it by hand."""
    words = [p.text if p.slot < 0 else "{" + name(p.slot, p.text) + "}" for p in cell.pieces]
    text = " ".join(words) + "."
    return text[0].upper() + text[1:]


class ChoiceLoop:
    """The script one writes: random.choice among what fits, an f-string a cell."""

    def __init__(self, design: CompiledDesign) -> None:
        self.plans = design.plans
        self.choosers = [self._chooser(plan) for plan in self.plans]
        self.writers = [self._compile(plan) for plan in self.plans]

    @staticmethod
    def _chooser(plan: Plan) -> Callable[[Callable[[Any], Any]], list[int]]:
        """Chooses a candidate a slot; what fits what is looked up in lists made beforehand."""
        by_name = {slot.name: i for i, slot in enumerate(plan.slots)}
        n1, v3, n2, obj = (by_name[name] for name in ("N1", "V3", "N2", "obj"))
        axes = {v3: 0, obj: 1, n2: 2}
        good = np.ones([len(plan.slots[slot]) for slot in axes], dtype=np.bool_)
        for c in plan.space.constraints:
            if set(c.slots) <= set(axes):
                order = sorted(range(len(c.slots)), key=lambda i, c=c: axes[c.slots[i]])
                groups = [c.groups[i] for i in order]
                table = c.table.transpose(order)[np.ix_(*groups)]
                good &= table.reshape(
                    [len(plan.slots[slot]) if slot in c.slots else 1 for slot in axes]
                )
        lists: dict[bytes, list[int]] = {}  # most things fit the same people
        fits: dict[int, list[tuple[int, list[int]]]] = {}
        for verb in range(good.shape[0]):
            for thing in np.flatnonzero(good[verb].any(axis=1)).tolist():
                people = good[verb, thing]
                own = people.tobytes()
                if own not in lists:
                    lists[own] = np.flatnonzero(people).tolist()
                fits.setdefault(verb, []).append((thing, lists[own]))
        verbs = list(fits)
        titles = [slot.titles for slot in plan.slots]
        everybody = list(range(len(plan.slots[n1])))
        others = [i for i in range(len(plan.slots)) if i not in (n1, v3, n2, obj)]
        pools = [list(range(len(plan.slots[i]))) for i in others]

        def choose(choice: Callable[[Any], Any]) -> list[int]:
            while True:
                verb = choice(verbs)
                thing, people = choice(fits[verb])
                who, subject = choice(people), choice(everybody)
                names = {titles[n1][subject], titles[n2][who], titles[obj][thing]}
                if len(names) == 3:
                    break
            chosen = [0] * len(titles)
            chosen[n1], chosen[v3], chosen[n2], chosen[obj] = subject, verb, who, thing
            for slot, pool in zip(others, pools, strict=True):
                chosen[slot] = choice(pool)
            return chosen

        return choose

    @staticmethod
    def _compile(plan: Plan) -> Callable[[list[int], Callable[[str], None]], None]:
        lines = ["def write(chosen, append):"]
        names: dict[tuple[int, str], str] = {}
        for cell in plan.cells:
            for piece in cell.pieces:
                if piece.slot >= 0:
                    names.setdefault((piece.slot, piece.text), f"w{len(names)}")
        scope: dict[str, Any] = {}
        for (slot, column), name in names.items():
            scope[f"f{name}"] = plan.slots[slot].forms[column]
            lines.append(f"    {name} = f{name}[chosen[{slot}]]")
        for cell in plan.cells:
            text = template(cell, lambda slot, column: names[slot, column])
            lines.append(f"    append(f{text!r})")
        exec("\n".join(lines), scope)
        written: Callable[[list[int], Callable[[str], None]], None] = scope["write"]
        return written

    def __call__(self, instances: int) -> list[str]:
        """The sentences of some random instances."""
        source = random.Random(0)
        found: list[str] = []
        for _ in range(instances):
            number = source.randrange(len(self.plans))
            self.writers[number](self.choosers[number](source.choice), found.append)
        return found


class Presampled:
    """F-strings over indices that were drawn beforehand (their time is not counted)."""

    def __init__(self, design: CompiledDesign, maker: RowMaker, instances: int) -> None:
        addresses = maker.order.rows(0, instances)
        plan_of, (local,) = maker.space.locate(addresses)
        self.work = []
        for number, plan in enumerate(design.plans):
            here = local[plan_of == number]
            rows = list(zip(*(x.tolist() for x in plan.space.unrank(here)), strict=True))
            self.work.append((self._compile(plan), rows))

    @staticmethod
    def _compile(plan: Plan) -> Callable[[list[tuple[int, ...]], Callable[[str], None]], None]:
        names: dict[tuple[int, str], str] = {}
        for cell in plan.cells:
            for piece in cell.pieces:
                if piece.slot >= 0:
                    names.setdefault((piece.slot, piece.text), f"w{len(names)}")
        scope = {f"f{n}": plan.slots[slot].forms[column] for (slot, column), n in names.items()}
        indices = ", ".join(f"i{i}" for i in range(len(plan.slots)))
        forms = ", ".join(f"f{n}=f{n}" for n in names.values())
        lines = [f"def write(rows, append, {forms}):", f"    for {indices} in rows:"]
        lines += [f"        {n} = f{n}[i{slot}]" for (slot, _), n in names.items()]
        for cell in plan.cells:
            text = template(cell, lambda slot, column: names[slot, column])
            lines.append(f"        append(f{text!r})")
        exec("\n".join(lines), scope)
        written: Any = scope["write"]
        return written

    def __call__(self) -> list[str]:
        """All sentences."""
        found: list[str] = []
        for write, rows in self.work:
            write(rows, found.append)
        return found


class TakeAndJoin:
    """Arrow's own kernels on the fused columns: a take a constituent, a join a cell."""

    def __init__(self, maker: RowMaker, instances: int, chunk: int) -> None:
        self.writer: Writer = maker.writer
        self.chunks = []
        for first in range(0, instances, chunk):
            addresses = maker.order.rows(first, min(first + chunk, instances))
            numbers = self.writer.write(*maker.space.locate(addresses)).numbers
            _, cells, parts = numbers.shape
            columns = [
                [
                    pa.array(np.ascontiguousarray(numbers[:, c, p]))
                    for p in range(parts)
                    if numbers[:, c, p].any()  # cells of fewer constituents have empty texts
                ]
                for c in range(cells)
            ]
            self.chunks.append(columns)

    def __call__(self) -> int:
        """Write everything once."""
        texts, done = self.writer.book.texts, 0
        for columns in self.chunks:
            for parts in columns:
                taken = [texts.take(part) for part in parts]
                done += len(pc.binary_join_element_wise(*taken, ""))
        return done


def nltk_sentences(plan: Plan, number: int) -> Callable[[], int] | None:
    """NLTK's generator on the cells of a plan as a context-free grammar, without features."""
    try:
        from nltk import CFG
        from nltk.parse.generate import generate
    except ImportError:
        return None
    rules = []
    for i, cell in enumerate(plan.cells):
        words = []
        for piece in cell.pieces:
            if piece.slot < 0:
                words += [f'"{word}"' for word in piece.text.split()]
            else:
                words.append(f"S{piece.slot}{piece.text.replace('.', '')}")
        rules.append(f"S -> C{i}")
        rules.append(f"C{i} -> {' '.join(words)}")
    for slot, item in enumerate(plan.slots):
        for column, forms in item.forms.items():
            right = " | ".join(
                " ".join(f'"{word}"' for word in form.split()) for form in dict.fromkeys(forms)
            )
            rules.append(f"S{slot}{column.replace('.', '')} -> {right}")
    grammar = CFG.fromstring("\n".join(rules))

    def run() -> int:
        return sum(1 for words in generate(grammar, n=number) if " ".join(words))

    return run


# --- measuring -----------------------------------------------------------------------------


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def per_sentence(
    works: Mapping[str, tuple[Callable[[], Any], int]], rounds: int
) -> dict[str, float]:
    """Nanoseconds a sentence, the median of interleaved rounds."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for work, _ in works.values():
        work()
    for _ in range(rounds):
        for name, (work, sentences) in works.items():
            times[name].append(cpu(work) / sentences * 1e9)
    return {name: statistics.median(found) for name, found in times.items()}


def speed(compiled: Compiled, sizes: Sizes, folder: Path) -> Iterator[str]:
    """Sentences a second on one core beside the peers."""
    design = compiled.designs["ever"]
    cells = len(design.plans[0].cells)
    n = sizes.instances
    labelled = RowMaker(compiled, design, RowChoice(n, columns=LABELLED))
    every = RowMaker(compiled, design, RowChoice(n))
    loop, fused = ChoiceLoop(design), TakeAndJoin(labelled, n, labelled.chunk)
    presampled = Presampled(design, labelled, sizes.slow)

    def in_memory(maker: RowMaker) -> Callable[[], Any]:
        return lambda: [batch.num_rows for batch in maker.batches()]

    def to_parquet(maker: RowMaker) -> Callable[[], Any]:
        def work() -> None:
            hasher = BlockHasher(maker.schema)
            with WRITERS["parquet"](folder / "x.parquet", maker.schema, None) as write:
                for i, batch in enumerate(maker.batches()):
                    hasher.block(batch, i * maker.chunk)
                    write(batch)

        return work

    works: dict[str, tuple[Callable[[], Any], int]] = {
        "merula": (in_memory(labelled), n * cells),
        "merula, all columns": (in_memory(every), n * cells),
        "choice": (lambda: loop(sizes.slow), sizes.slow * cells),
        "presampled": (presampled, sizes.slow * cells),
        "arrow": (fused, n * cells),
        "parquet": (to_parquet(labelled), n * cells),
        "parquet, all columns": (to_parquet(every), n * cells),
    }
    check_peers(labelled, loop, presampled, sizes)
    nltk = nltk_sentences(design.plans[0], sizes.slow * cells)
    if nltk is not None:
        works["nltk"] = (nltk, sizes.slow * cells)
    found = per_sentence(works, sizes.rounds)
    ours = found["merula"]
    yield f"in memory, labels and factors      {rate(ours)}"
    yield f"in memory, all columns             {rate(found['merula, all columns'])}"
    yield line("random.choice + f-string", found["choice"], found["choice"] / ours, "≥ 5")
    yield line("f-string, presampled", found["presampled"], found["presampled"] / ours, "≥ 2")
    if nltk is None:
        yield "NLTK generate                      not installed"
    else:
        yield line("NLTK generate", found["nltk"], found["nltk"] / ours, "≥ 8")
    yield line(
        "Arrow take + join, fused", found["arrow"], ours / found["arrow"], "≤ 3", "of its time"
    )
    yield line(
        "to Parquet, labels and factors",
        found["parquet"],
        ours / found["parquet"],
        "≥ 0.4",
        "of the rate in memory",
    )
    ratio = found["merula, all columns"] / found["parquet, all columns"]
    yield line(
        "to Parquet, all columns",
        found["parquet, all columns"],
        ratio,
        "–",
        "of the rate in memory",
    )


def check_peers(maker: RowMaker, loop: ChoiceLoop, presampled: Presampled, sizes: Sizes) -> None:
    """The peers write what Merula writes: the same sentences, or some of those there could be."""
    ours = pa.Table.from_batches(list(maker.batches(0, sizes.slow)))["sentence"].to_pylist()
    assert sorted(presampled()) == sorted(ours)
    texts = set(maker.writer.book.texts.to_pylist())
    words = {word for text in texts for word in text.split()}
    made = loop(100)
    assert len(made) == 100 * len(maker.cells)
    assert all(set(sentence.split()) <= words for sentence in made)


def rate(nanoseconds: float) -> str:
    return f"{1000 / nanoseconds:7.2f} M/s {nanoseconds:8.0f} ns"


def line(
    name: str, nanoseconds: float, ratio: float, floor: str, what: str = "times as fast"
) -> str:
    return f"{name:34} {rate(nanoseconds)}   {ratio:6.2f} {what} (target {floor})"


# --- scale ---------------------------------------------------------------------------------

STREAM = """
import json, resource, sys, time
from pathlib import Path
import pyarrow as pa
pa.set_cpu_count(1)
import merula
from merula.data.run import Run, generate_files
from merula.rows.maker import RowChoice
compiled = merula.load(sys.argv[4])._compiled
from dataclasses import replace
compiled = replace(compiled, designs={"ever": compiled.designs["ever"]})
selection = RowChoice(int(sys.argv[1]) // 8, columns=("sentence", "acceptable", "factors"))
run = Run.of([compiled], selection, "parquet")
start = time.perf_counter()
generate_files(run, Path(sys.argv[2]), workers=int(sys.argv[3]))
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def stream(sentences: int, out: Path, workers: int) -> tuple[float, float]:
    """Wall seconds and peak MB of a process that writes sentences to Parquet."""
    command = [sys.executable, "-c", STREAM, str(sentences), str(out), str(workers), GRAMMAR]
    # modules are compiled once, as on any machine that may keep them
    env = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(out.parent / "py"),
    }
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak / (1024 if sys.platform != "darwin" else 1024**2)


def scale(sizes: Sizes, folder: Path) -> Iterator[str]:
    """Memory of a long run, and what a second worker is worth."""
    seconds, peak = stream(sizes.streamed, folder / "stream", 1)
    yield (
        f"{sizes.streamed:,} sentences to Parquet: {seconds:.1f} s,"
        f" {peak:.0f} MB at most (target < 800)"
    )
    ratios = []
    for i in range(sizes.pairs):
        one, _ = stream(sizes.shared, folder / f"one{i}", 1)
        two, _ = stream(sizes.shared, folder / f"two{i}", 2)
        ratios.append(one / two)
    yield (
        f"two workers, {sizes.shared:,} sentences, wall time: {statistics.median(ratios):.2f}"
        " times as fast as one (target ≥ 1.7)"
    )


SPACE = """
phenomenon space
language en
lexicon noun "nouns.csv"
objects
  {objects} : noun (number)
attributes
  number = sg | pl
select
  a, b share topic
  b, c share topic
frames
  row = {frame}
paradigm number = a.number
"""


def space(slots: int, topics: int, lexemes: int = 1000) -> Compiled:
    """Nouns in some slots; the first three of a sentence share one of so many topics."""
    names = "abcdefghijklmnop"[:slots]
    rows = [f"n{i},n{i},n{i}s,t{i % topics}" for i in range(lexemes)]
    table = "lemma,sg,pl,topic\n" + "\n".join(rows) + "\n"
    text = SPACE.format(objects=", ".join(names), frame=" ".join(names))
    return merula.compile(text, tables={"nouns.csv": table})._compiled


def linear(sizes: Sizes) -> Iterator[str]:
    """Cost by number of rows and by size of the space."""
    # one grammar over 1,000 nouns each, with 1 and with 1,000 topics: from 10^18 to 10^12; and
    # with 10 nouns: 10^6, so few that they fuse; and with more slots: above 2^62
    spaces = {
        "large": space(6, 1),
        "less": space(6, 1000),
        "small": space(6, 1, 10),
        "huge": space(8, 1),
    }
    counts = {name: c.designs["number"].count for name, c in spaces.items()}

    def work(name: str, n: int) -> tuple[Callable[[], Any], int]:
        compiled = spaces[name]
        maker = RowMaker(compiled, compiled.designs["number"], RowChoice(n))
        return lambda: [batch.num_rows for batch in maker.batches()], n * 2

    n = sizes.instances
    found = per_sentence(
        {
            **{name: work(name, n) for name in spaces if name != "huge"},
            "huge": work("huge", sizes.slow),
            "more": work("large", 4 * n),
        },
        sizes.rounds,
    )
    large = found["large"]
    yield f"four times the rows: {found['more'] / large:.2f} times the time a row"
    for name, what in (("small", "10 nouns instead of 1,000"), ("less", "the same nouns")):
        yield (
            f"{counts['large']:.0e} instances against {counts[name]:.0e} ({what}):"
            f" {large / found[name]:.2f} times the time a row (target ≤ 1.3)"
        )
    yield (
        f"{counts['huge']:.0e} instances, above 2^62:"
        f" {found['huge'] / 1000 * 2:.1f} µs an instance, {found['huge'] / large:.0f} times as long"
    )


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a smoke run with small sizes")
    parser.add_argument("--only", choices=["speed", "scale", "linear"])
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    pa.set_cpu_count(1)
    compiled = merula.load(GRAMMAR)._compiled
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: dict[str, Callable[[], Iterator[str]]] = {
            "speed": lambda: speed(compiled, sizes, folder),
            "linear": lambda: linear(sizes),
            "scale": lambda: scale(sizes, folder),
        }
        for part, lines in parts.items():
            if options.only in (None, part):
                print(f"{part}:")
                for text in lines():
                    print(f"  {text}", flush=True)


if __name__ == "__main__":
    main()
