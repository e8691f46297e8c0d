"""The cases that a test over a grammar runs for: which they are, and how they are named.

A case is known by its design and its address; its sentences are made when its test runs. The
grammar, the seed and the request decide which cases there are and how they are named.

In come a `CaseRequest` and a `Grammar`, out come `Case` values; `merula.pytest_plugin` calls
`cases_of`. Two runs of pytest with the same files have the same cases under the same names.
"""

from __future__ import annotations

import json
import re
import shlex
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

from merula.api import Design, Grammar, Instance, load
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.resources import SUFFIX
from merula.core.resources import folder as packaged
from merula.design.pairs import MinimalPair
from merula.plan.order import Permutation
from merula.query.narrowing import Restriction, narrowed
from merula.query.occurrences import (
    Occurrence,
    Pair,
    designs_of,
    occurrence,
    pair_of,
    pairs_in,
    sentences_in,
)
from merula.testing import CaseRequest

# of a test: pytest makes an item of each before it runs any, so more are likely a slip of n
MAX_CASES = 100_000

Part: TypeAlias = MinimalPair | int | None  # a pair, the place of a cell, or the whole instance


class TooMany(ValueError):
    """More cases than a test can run for."""


@frozen(eq=False)
class Case:
    """An instance, or a part of it, that a test runs for.

    ``local`` is its address among what is left of the plan. ``file`` is that of the grammar, which
    the test has either named (``by_file``) or handed over as it was read.
    """

    design: Design
    narrow: Restriction
    local: int
    address: int
    part: Part
    file: Path | None
    by_file: bool

    def __repr__(self) -> str:
        return f"<{self.design.name}[{self.address}]>"

    @property
    def id(self) -> str:
        """Design, address, frame and choices, and which part of the instance it is.

        It holds no sign that pytest's option ``-k`` does not take.
        """
        variant, cells = self.narrow.plan.variant, self.narrow.plan.cells
        words = [self.design.name, str(self.address), variant.frame.name]
        words += [f"{name}:{value}" for name, value in variant.choices]
        if isinstance(self.part, MinimalPair):
            words.append(self.part.contrast)
        words += [cells[place].cell.label for place in self.places]
        return "-".join(re.sub(r"[^\w.:+]", "_", word) for word in words)

    @property
    def places(self) -> tuple[int, ...]:
        """The places of the cells that it is about; none where it is about all."""
        if isinstance(self.part, MinimalPair):
            return (self.part.good, self.part.bad)
        return () if self.part is None else (self.part,)

    def value(self) -> Instance | Pair | Occurrence:
        """Return the instance, pair or sentence."""
        if self.part is None:
            return self._instance()
        chosen = self.narrow.plan.space.unrank_one(self.local)
        if isinstance(self.part, MinimalPair):
            return pair_of(self.design, self.narrow, self.part, chosen)
        return occurrence(self.design, self.narrow, self.part, chosen)

    def _instance(self) -> Instance:
        return self.design[self.address]

    def drawn(self) -> str:
        """Return its instance as `merula show` draws it, the cells that it is about marked."""
        instance = self._instance()
        if not self.places:
            return str(instance)
        lines = str(instance).split("\n")
        head = next(i for i, line in enumerate(lines) if line.startswith("─"))
        rows = [i for i, line in enumerate(lines) if i > head and line]
        # the item to be guessed is drawn between the items of a matrix and its answers
        after = [instance.cells[place].role == "answer" for place in self.places]
        marked = {rows[place + gap] for place, gap in zip(self.places, after, strict=True)}
        return "\n".join(
            f"{'>' if i in marked else ' '} {line}".rstrip() for i, line in enumerate(lines)
        )

    def remade(self, folder: Path) -> list[str]:
        """Return what makes its instance again: in Python, and as a command for a folder."""
        file, design, address = self.file, self.design.name, self.address
        if file is None or not (self.by_file or _reads_the_same(file, self.design._compiled)):
            return [f'grammar["{design}"][{address}]']
        name = _name(file, folder)
        return [
            f'merula.load({json.dumps(name, ensure_ascii=False)})["{design}"][{address}]',
            f"merula show {shlex.quote(name)} -d {design} -i {address}",
        ]


@cache
def _reads_the_same(file: Path, compiled: Compiled) -> bool:
    """Return whether a file, read without any options, is a grammar."""
    try:
        again = load(file)._compiled
    except MerulaError:
        return False
    both = (compiled.grammar_digest, compiled.lexicon_digest)
    return both == (again.grammar_digest, again.lexicon_digest)


def _name(path: Path, folder: Path) -> str:
    """Return what `merula.load` takes for a file in a folder."""
    if path.is_relative_to(packaged("grammars")):
        return path.relative_to(packaged("grammars")).with_suffix("").as_posix()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


# --- which cases -------------------------------------------------------------------------------


def grammar_path(name: str, folders: Sequence[Path]) -> str:
    """Return the path of a grammar in the first folder that has it, else the name as it is."""
    for folder in folders:
        for path in (folder / name, folder / (name + SUFFIX)):
            if path.is_file():
                return str(path)
    return name


def cases_of(request: CaseRequest, grammar: Grammar) -> list[Case]:
    """Return the cases of a test, design by design.

    Raises `MerulaError` where there is none, `TooMany` where there are too many to run.
    """
    designs = designs_of(grammar, request.design)
    if not designs:
        remedy = "declare one: `paradigm NAME = factor × factor`"
        raise _nothing(grammar, "no paradigm and no matrix", remedy)
    cases: list[Case] = []
    problems: list[MerulaError] = []
    for design in designs:
        try:
            cases += _of_design(request, grammar, design, len(cases))
        except MerulaError as error:
            problems.append(error)
    if not cases:
        raise problems[0]
    return cases


def _of_design(request: CaseRequest, grammar: Grammar, design: Design, before: int) -> list[Case]:
    if not design._design.plans:
        raise _nothing(grammar, "no lexicon is named", 'name its tables: lexicon "nouns.tsv"')
    parts = _parts(request, grammar, design)
    ends = list(accumulate(narrow.plan.space.count for narrow, _ in parts))
    count = ends[-1] if request.n is None else min(request.n, ends[-1])
    least = before + count * min(len(in_plan) for _, in_plan in parts)
    if least > MAX_CASES:
        raise TooMany(f"n={request.n} makes {least:,} cases or more: ask for {MAX_CASES:,} at most")
    source, by_file = grammar._compiled.source.path, isinstance(request.grammar, str)
    file = None if source is None else source.absolute()
    cases = []
    for row in Permutation(ends[-1], request.seed).rows(0, count).tolist():
        place = bisect_right(ends, row)
        narrow, in_plan = parts[place]
        local = row - (ends[place] - narrow.plan.space.count)
        address = _address(design, narrow, local)
        cases += [Case(design, narrow, local, address, part, file, by_file) for part in in_plan]
    return cases


def _nothing(grammar: Grammar, why: str, remedy: str) -> MerulaError:
    message, place = f"there is nothing to test: {why}", grammar._compiled.source.name
    return MerulaError.of("M607", message, remedy=remedy, place=place)


def _address(design: Design, narrow: Restriction, local: int) -> int:
    """Return the address in the design of an address among what is left of a plan."""
    if narrow.plan.space is narrow.whole.space:
        return design._design.starts[narrow.number] + local
    return narrow.address(design._design, narrow.plan.space.unrank_one(local))


def _parts(
    request: CaseRequest, grammar: Grammar, design: Design
) -> list[tuple[Restriction, Sequence[Part]]]:
    """Return the plans that have what is wanted, with it, in the order of their addresses."""
    narrows = sorted(narrowed(design._design, request.where), key=lambda narrow: narrow.number)
    if request.kind == "instances":
        if any(len(narrow.cells) < len(narrow.plan.cells) for narrow in narrows):
            raise MerulaError.of(
                "M751",
                f"an instance of {design.name} has all its cells, and `where` asks for some",
                remedy='ask for of="sentences" or of="pairs"',
                place=grammar._compiled.source.name,
            )
        return [(narrow, [None]) for narrow in narrows]
    parts: list[tuple[Restriction, Sequence[Part]]] = [
        (narrow, in_plan) for narrow in narrows if (in_plan := _cells(request, narrow))
    ]
    if not parts:
        condition = f" that differ in {request.contrast}" if request.contrast is not None else ""
        if request.acceptable is not None:
            condition = " that are acceptable" if request.acceptable else " that are not acceptable"
        where = " where that is asked for" if request.where else ""
        raise MerulaError.of(
            "M751",
            f"{design.name} has no {request.kind}{condition}{where}",
            remedy="ask for less, or for another design",
            place=grammar._compiled.source.name,
        )
    return parts


def _cells(request: CaseRequest, narrow: Restriction) -> Sequence[Part]:
    if request.kind == "pairs":
        return pairs_in(narrow, request.contrast)
    return sentences_in(narrow, request.acceptable)
