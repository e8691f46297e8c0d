"""A part of a suite: its grammar compiled, its paradigms drawn, its rows kept for the files."""

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
from merula.plan.elimination import LIMIT
from merula.suite.cells import cells_of
from merula.suite.differences import tokens
from merula.suite.draw import Demands, Drawn, TooFew, draw, limit_of
from merula.suite.plan import LEXEMES, SuitePlan
from merula.suite.recipe import Part
from merula.suite.sides import is_content, one_side
from merula.suite.splits import split_names
from merula.suite.tables import PAIRS, SENTENCES, Paradigms, pair_batch, sentence_batches


@frozen
class MadePart:
    """What is known of a part whose rows are kept (`rows_file`)."""

    number: int  # its place in the recipe
    records: tuple[ParadigmRecord, ...]
    words: frozenset[str]
    warnings: int


def rows_file(folder: Path, part: int, design: int, kind: str) -> Path:
    """Where the rows of a design wait for the files that they go into."""
    return folder / f"{part:03d}-{design:03d}-{kind}.rows"


def make_part(plan: SuitePlan, number: int, folder: Path) -> MadePart:
    """Compile the grammar of a part, draw its paradigms, keep its rows in a folder.

    Raises `MerulaError` where the grammar has an error or the paradigms are not to be had.
    """
    part = plan.recipe.parts[number]
    compiled = compiled_grammar(plan.recipe.grammar_path(part))
    records: list[ParadigmRecord] = []
    words: set[str] = set()
    for place, (design, paradigms, drawn) in enumerate(drawn_paradigms(plan, part, compiled)):
        files = [rows_file(folder, number, place, kind) for kind in (SENTENCES, PAIRS)]
        own = _keep(plan, compiled, design, paradigms, files)
        words |= own
        records.append(_record(part, compiled, design, paradigms, drawn, len(own)))
    warnings = sum(problem.severity == "warning" for problem in compiled.problems)
    return MadePart(number, tuple(records), frozenset(words), warnings)


def compiled_grammar(name: str) -> Compiled:
    """The grammar of a part, compiled; raises `MerulaError` where it has an error."""
    report = Report()
    source = read_grammar(name, report)
    if source is None:
        raise MerulaError(report.sorted())
    compiled = compile_source(source, report=report)
    if compiled.failed or compiled.grammar is None:
        raise MerulaError([p for p in compiled.problems if p.severity == "error"])
    return compiled


def _designs(plan: SuitePlan, part: Part, compiled: Compiled) -> list[CompiledDesign]:
    """The paradigms of a part; raises `MerulaError` where one is not there."""

    def fault(message: str, remedy: str) -> MerulaError:
        return MerulaError.of("M684", message, remedy=remedy, place=plan.recipe.place)

    known = {name: d for name, d in compiled.designs.items() if d.kind == "paradigm"}
    for name in part.designs:
        if name not in known:
            remedy = did_you_mean(name, known) or f"there is {listing(known) or 'none'}"
            raise fault(f"the grammar of {part.name} has no paradigm {name}", remedy)
    found = [known[name] for name in part.designs] if part.designs else list(known.values())
    if not found:
        raise fault(
            f"the grammar of {part.name} has no paradigm",
            'name another grammar; a recipe of matrices says kind = "matrices"',
        )
    for design in found:
        if not design.plans:
            remedy = 'name tables in its grammar: lexicon "nouns.tsv"'
            raise fault(f"{part.name} {design.name} has no lexemes", remedy)
    return found


# --- which paradigms -----------------------------------------------------------------------


def drawn_paradigms(
    plan: SuitePlan, part: Part, compiled: Compiled
) -> Iterator[tuple[CompiledDesign, Paradigms, list[Drawn]]]:
    """The paradigms of each design of a part; raises `MerulaError` where they are not to be had."""
    seen: set[str] = set()
    for design in _designs(plan, part, compiled):
        paradigms, drawn = _paradigms(plan, part, compiled, design, seen)
        yield design, paradigms, drawn


def _paradigms(
    plan: SuitePlan, part: Part, compiled: Compiled, design: CompiledDesign, seen: set[str]
) -> tuple[Paradigms, list[Drawn]]:
    """The paradigms of a design: drawn, named, divided."""
    recipe, what = plan.recipe, f"{part.name} {design.name}"
    assert compiled.grammar is not None
    categories = {item.name: item.category for item in compiled.grammar.objects.values()}
    cells = cells_of(design, recipe.features, what, recipe.place)
    demands = Demands(
        recipe.n,
        limit_of(recipe.cap, recipe.n),
        plan.frames if _ordered(plan, design) else (),
        partial(is_content, closed=recipe.closed, categories=categories),
        what,
        recipe.place,
    )
    if plan.disjoint == LEXEMES:
        drawn, addresses, splits = _by_side(plan, compiled, design, demands, seen)
    else:
        found = draw(design, compiled.surface, recipe.seed, demands, seen)
        drawn, addresses = [found], found.addresses.tolist()
        kinds = {frame: i for i, frame in enumerate(sorted(set(found.frames)))}
        splits = split_names(recipe.split, [kinds[f] for f in found.frames], recipe.seed)
    frames = [frame for found in drawn for frame in found.frames]
    width = len(str(recipe.n))
    made = Paradigms(
        part.name,
        cells,
        np.array(addresses, dtype=np.int64 if design.count < LIMIT else object),
        tuple(f"{part.name}-{design.name}-{i:0{width}}" for i in range(1, len(addresses) + 1)),
        tuple(splits),
        tuple(frame if frame in recipe.frames else None for frame in frames),
    )
    return made, drawn


def _ordered(plan: SuitePlan, design: CompiledDesign) -> bool:
    """Whether a design has frames that the recipe's orders tell apart at all."""
    return any(p.variant.frame.name in plan.recipe.frames for p in design.plans)


def _by_side(
    plan: SuitePlan,
    compiled: Compiled,
    design: CompiledDesign,
    demands: Demands,
    seen: set[str],
) -> tuple[list[Drawn], list[int], list[str]]:
    """Paradigms whose content lexemes are all on the side of their split."""
    recipe = plan.recipe
    drawn: list[Drawn] = []
    addresses: list[int] = []
    splits: list[str] = []
    for name, size in recipe.split.sizes(recipe.n).items():
        if size:
            inside = partial(_is_inside, plan, name)
            side = one_side(design, inside, demands.content)
            what = f"{demands.what}, {name}"
            own = replace(demands, number=size, first=len(splits), what=what)
            found = _relaxed(side.design, compiled, plan, own, seen)
            drawn.append(found)
            addresses += side.addresses(found.addresses)
            splits += [name] * size
    return drawn, addresses, splits


def _is_inside(plan: SuitePlan, split: str, lemma: str) -> bool:
    return plan.recipe.split.side(lemma, plan.recipe.seed) == split


def _relaxed(
    design: CompiledDesign, compiled: Compiled, plan: SuitePlan, demands: Demands, seen: set[str]
) -> Drawn:
    """Draw for one side, with the smallest cap that can be met.

    A side has fewer lexemes. So its cap, a share of its own paradigms at first, is doubled until
    there are enough.
    """
    limit = limit_of(plan.recipe.cap, demands.number)
    while True:
        try:
            own = replace(demands, limit=limit)
            return draw(design, compiled.surface, plan.recipe.seed, own, seen)
        except TooFew as error:
            if limit >= demands.number:
                raise _too_small(error) from error
            limit = min(2 * limit, demands.number)


def _too_small(error: TooFew) -> MerulaError:
    """The error of a side that has too few lexemes, with what to do."""
    (problem,) = error.problems
    return MerulaError.of(
        "M686",
        problem.message,
        remedy="give its tables more lexemes, give this split a larger share (--split 60:20:20),"
        " or try another --seed, which divides them otherwise",
        notes=["no content lexeme may stand in two splits (--disjoint lexemes)", *problem.notes],
        place=problem.place,
    )


# --- what is kept of them ------------------------------------------------------------------


class _Stream:
    """A file of batches, whose schema is that of the first."""

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
    plan: SuitePlan,
    compiled: Compiled,
    design: CompiledDesign,
    paradigms: Paradigms,
    files: list[Path],
) -> set[str]:
    """Write the sentences and the pairs of a design into two files; returns their words."""
    words: set[str] = set()
    with closing(_Stream(files[0])) as sentences, closing(_Stream(files[1])) as pairs:
        for batch, plan_of in sentence_batches(plan.recipe, compiled, design, paradigms):
            sentences.write(batch)
            pairs.write(pair_batch(plan.recipe, paradigms, batch, plan_of))
            words |= words_of(batch.column("sentence").to_pylist())
    return words


def words_of(sentences: list[str]) -> set[str]:
    """The words of sentences, in lower case.

    >>> sorted(words_of(["The dog hasn't barked."]))
    ['barked', 'dog', "hasn't", 'the']
    """
    return {w.lower() for text in sentences for w, _, _ in tokens(text) if w[0].isalnum()}


def _record(
    part: Part,
    compiled: Compiled,
    design: CompiledDesign,
    paradigms: Paradigms,
    drawn: list[Drawn],
    word_types: int,
) -> ParadigmRecord:
    assert compiled.grammar is not None
    number = len(paradigms.names)
    return ParadigmRecord(
        part=part.name,
        design=design.name,
        grammar=compiled.source.name,
        grammar_digest=compiled.grammar_digest,
        lexicon_digest=compiled.lexicon_digest,
        language=compiled.grammar.language,
        paradigms=number,
        sentences=number * paradigms.cells.values.shape[1],
        of=str(design.count),
        splits=_counted(paradigms.splits),
        orders=_counted(paradigms.orders),
        word_types=word_types,
        largest=largest_share([found.counts for found in drawn], number),
    )


def _counted(names: Sequence[str | None]) -> dict[str, int]:
    return {name: n for name, n in sorted(Counter(names).items(), key=str) if name is not None}
