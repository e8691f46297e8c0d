"""The parts of a suite of paradigms: each compiled, drawn, and kept as rows for the files.

In: the plan of a run and the place of a part in its recipe. Out: a `MadePart`, and in a folder the
rows of its sentences and pairs (`rows_file`), a design at a time. ``make`` calls `make_part` in
several processes; the publishing of suites takes the addresses alone (`drawn_paradigms`). What a
part has depends on its grammar, its tables, the recipe and the seed, on no other part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError, Report
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.data.formats import plain, plain_schema
from merula.data.manifests.suite import ParadigmRecord, largest_share
from merula.grammar.program import read_grammar
from merula.plan.elimination import MAX_INT64_COUNT
from merula.suite.draw import Demands, DrawnParadigms, TooFew, draw, limit_of
from merula.suite.plan import LEXEMES, ParadigmPlan
from merula.suite.recipe import Environment
from merula.suite.splits import is_content, restricted, split_names
from merula.suite.tables import (
    PAIRS,
    SENTENCES,
    Paradigms,
    features_of,
    pair_batch,
    sentence_batches,
    tokens,
)


@frozen
class MadePart:
    """A part whose rows are kept (`rows_file`): what is known of it, and its words."""

    place: int  # in the recipe
    records: tuple[ParadigmRecord, ...]
    words: frozenset[str]
    grammar: str
    warnings: int


def rows_file(folder: Path, part: int, design: int, kind: str) -> Path:
    """Return where the rows of a design are kept; part and design are numbers from 0 on."""
    return folder / f"{part:03d}-{design:03d}-{kind}.rows"


def make_part(plan: ParadigmPlan, folder: Path, place: int) -> MadePart:
    """Compile the grammar of a part, draw its paradigms, keep its rows in a folder.

    Raises `MerulaError` where the grammar has an error or there are too few paradigms.
    """
    part = plan.recipe.parts[place]
    compiled = compiled_grammar(plan.recipe.head.grammar_path(part.grammar))
    records: list[ParadigmRecord] = []
    words: set[str] = set()
    for number, (design, paradigms, drawn) in enumerate(drawn_paradigms(plan, part, compiled)):
        files = [rows_file(folder, place, number, kind) for kind in (SENTENCES, PAIRS)]
        of_design = _keep(plan, compiled, design, paradigms, files)
        words |= of_design
        records.append(_record(part, compiled, design, paradigms, drawn, len(of_design)))
    return MadePart(
        place,
        tuple(records),
        frozenset(words),
        compiled.source.name,
        warnings_of(compiled),
    )


def compiled_grammar(name: str) -> Compiled:
    """Return the grammar of a part, compiled; raises `MerulaError` where it has an error."""
    report = Report()
    source = read_grammar(name, report)
    if source is None:
        raise MerulaError(report.sorted())
    compiled = compile_source(source, report=report)
    if compiled.failed or compiled.grammar is None:
        raise MerulaError([p for p in compiled.problems if p.severity == "error"])
    return compiled


def warnings_of(compiled: Compiled) -> int:
    """Return how many warnings a grammar has."""
    return sum(problem.severity == "warning" for problem in compiled.problems)


def _designs(plan: ParadigmPlan, part: Environment, compiled: Compiled) -> list[CompiledDesign]:
    """Return the paradigms of a part; raises `MerulaError` where one does not exist."""

    def fault(message: str, remedy: str) -> MerulaError:
        return MerulaError.of("M684", message, remedy=remedy, place=plan.recipe.head.place)

    by_name = {name: d for name, d in compiled.designs.items() if d.kind == "paradigm"}
    for name in part.designs:
        if name not in by_name:
            remedy = did_you_mean(name, by_name) or f"there is {listing(by_name) or 'none'}"
            raise fault(f"the grammar of {part.name} has no paradigm {name}", remedy)
    designs = [by_name[name] for name in part.designs or by_name]
    if not designs:
        raise fault(
            f"the grammar of {part.name} has no paradigm",
            'name another grammar; a recipe of matrices says kind = "matrices"',
        )
    for design in designs:
        if not design.plans:
            remedy = 'name tables in its grammar: lexicon "nouns.tsv"'
            raise fault(f"{part.name} {design.name} has no lexemes", remedy)
    return designs


# --- which paradigms -----------------------------------------------------------------------


def drawn_paradigms(
    plan: ParadigmPlan, part: Environment, compiled: Compiled
) -> Iterator[tuple[CompiledDesign, Paradigms, list[DrawnParadigms]]]:
    """Yield the paradigms of each design of a part; raises `MerulaError` where they are too few.

    No sentence is in two paradigms of a part, whatever their designs.
    """
    seen: set[str] = set()
    for design in _designs(plan, part, compiled):
        paradigms, drawn = _paradigms(plan, part, compiled, design, seen)
        yield design, paradigms, drawn


def _paradigms(
    plan: ParadigmPlan,
    part: Environment,
    compiled: Compiled,
    design: CompiledDesign,
    sentences: set[str],
) -> tuple[Paradigms, list[DrawnParadigms]]:
    """Draw the paradigms of a design, name them and divide them."""
    recipe, head = plan.recipe, plan.recipe.head
    what = f"{part.name} {design.name}"
    assert compiled.grammar is not None
    categories = {item.name: item.category for item in compiled.grammar.objects.values()}
    cells = features_of(design, recipe.features, what, head.place)
    has_orders = any(p.variant.frame.name in recipe.frames for p in design.plans)
    demands = Demands(
        head.n,
        limit_of(recipe.cap, head.n),
        plan.frames if has_orders else (),
        partial(is_content, closed=recipe.closed, categories=categories),
        what,
        head.place,
    )
    if plan.disjoint == LEXEMES:
        drawn, addresses, splits = _by_split(plan, compiled, design, demands, sentences)
    else:
        whole = draw(design, compiled.surface, head.seed, demands, sentences)
        drawn, addresses = [whole], whole.addresses.tolist()
        kinds = {frame: i for i, frame in enumerate(sorted(set(whole.frames)))}
        splits = split_names(head.split, [kinds[frame] for frame in whole.frames], head.seed)
    frames = [frame for one in drawn for frame in one.frames]
    width = len(str(head.n))
    paradigms = Paradigms(
        part.name,
        cells,
        np.array(addresses, dtype=np.int64 if design.count < MAX_INT64_COUNT else object),
        tuple(f"{part.name}-{design.name}-{i:0{width}}" for i in range(1, len(addresses) + 1)),
        tuple(splits),
        tuple(frame if frame in recipe.frames else None for frame in frames),
    )
    return paradigms, drawn


def _by_split(
    plan: ParadigmPlan,
    compiled: Compiled,
    design: CompiledDesign,
    demands: Demands,
    sentences: set[str],
) -> tuple[list[DrawnParadigms], list[int], list[str]]:
    """Draw for each split paradigms all of whose content lexemes are in that split."""
    head = plan.recipe.head
    drawn: list[DrawnParadigms] = []
    addresses: list[int] = []
    splits: list[str] = []
    for name, size in head.split.sizes(head.n).items():
        if size:
            is_inside = partial(_is_inside, plan, name)
            of_split = restricted(design, is_inside, demands.is_content)
            what = f"{demands.what}, {name}"
            asked = replace(demands, count=size, first=len(splits), what=what)
            drawn.append(_with_least_cap(of_split.design, compiled, plan, asked, sentences))
            addresses += of_split.addresses(drawn[-1].addresses)
            splits += [name] * size
    return drawn, addresses, splits


def _is_inside(plan: ParadigmPlan, split: str, lemma: str) -> bool:
    head = plan.recipe.head
    return head.split.split_of(lemma, head.seed) == split


def _with_least_cap(
    design: CompiledDesign,
    compiled: Compiled,
    plan: ParadigmPlan,
    demands: Demands,
    sentences: set[str],
) -> DrawnParadigms:
    """Draw for one split, with about the smallest cap at which there are enough lexemes.

    A split has fewer lexemes than the whole. So its cap is a share of its own paradigms at first,
    and is doubled until there are enough: with a cap of 0.03, a lexeme may be in 3 of 100
    paradigms, then in 6, 12, 24, 48, 96 and 100.
    """
    limit = limit_of(plan.recipe.cap, demands.count)
    while True:
        try:
            asked = replace(demands, limit=limit)
            return draw(design, compiled.surface, plan.recipe.head.seed, asked, sentences)
        except TooFew as error:
            if limit >= demands.count:
                raise _too_small(error) from error
            limit = min(2 * limit, demands.count)


def _too_small(error: TooFew) -> MerulaError:
    """Return the error of a split that has too few lexemes, with a remedy."""
    (problem,) = error.problems
    return MerulaError.of(
        "M686",
        problem.message,
        remedy="give its tables more lexemes, give this split a larger share (--split 60:20:20),"
        " or try another --seed, which divides them otherwise",
        notes=["no content lexeme may be in two splits (--disjoint lexemes)", *problem.notes],
        place=problem.place,
    )


# --- rows and records of them --------------------------------------------------------------


class _Stream:
    """A file of batches with the schema of the first; without batches it is empty."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._writer: Any = None

    def write(self, batch: Any) -> None:
        """Add a batch."""
        if self._writer is None:
            self._writer = pa.ipc.new_stream(self._file, plain_schema(batch.schema))
        self._writer.write_batch(plain(batch))

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()
        self._file.close()


def _keep(
    plan: ParadigmPlan,
    compiled: Compiled,
    design: CompiledDesign,
    paradigms: Paradigms,
    files: list[Path],
) -> set[str]:
    """Write the sentences and the pairs of a design into two files; return their words."""
    words: set[str] = set()
    with closing(_Stream(files[0])) as sentences, closing(_Stream(files[1])) as pairs:
        for batch, plan_of in sentence_batches(plan.recipe, compiled, design, paradigms):
            sentences.write(batch)
            pairs.write(pair_batch(plan.recipe, paradigms, batch, plan_of))
            words |= words_of(batch.column("sentence").to_pylist())
    return words


def words_of(sentences: list[str]) -> set[str]:
    """Return the words of sentences, in lower case.

    >>> sorted(words_of(["The dog hasn't barked."]))
    ['barked', 'dog', "hasn't", 'the']
    """
    return {w.lower() for text in sentences for w, _, _ in tokens(text) if w[0].isalnum()}


def _record(
    part: Environment,
    compiled: Compiled,
    design: CompiledDesign,
    paradigms: Paradigms,
    drawn: list[DrawnParadigms],
    word_types: int,
) -> ParadigmRecord:
    assert compiled.grammar is not None
    count = len(paradigms.names)
    return ParadigmRecord(
        part=part.name,
        design=design.name,
        grammar=compiled.source.name,
        grammar_digest=compiled.grammar_digest,
        lexicon_digest=compiled.lexicon_digest,
        language=compiled.grammar.language,
        paradigms=count,
        sentences=count * paradigms.cells.values.shape[1],
        of=str(design.count),
        splits=_frequencies(paradigms.splits),
        orders=_frequencies(paradigms.orders),
        word_types=word_types,
        largest=largest_share([one.counts for one in drawn], count),
    )


def _frequencies(names: Sequence[str | None]) -> dict[str, int]:
    return {name: n for name, n in sorted(Counter(names).items(), key=str) if name is not None}
