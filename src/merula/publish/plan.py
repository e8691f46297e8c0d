"""The plan of a publication: its configurations, splits and files, before any row is made.

In: grammars, or a suite's recipe, with what the user asks for. Out: a `Publishing`, whose
``publication`` is the manifest without digests and sizes. ``merula publish`` makes the plan,
`merula.publish.make` carries it out, and `merula.publish.card` draws its examples from it.

Every row is decided here: a plan that is made twice gives the same rows. No two configurations have
one name, also where the disk does not tell capitals, and none is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.files import same_on_disk
from merula.core.frozen import frozen
from merula.core.wording import counted, listing
from merula.data.features import features_of
from merula.data.manifests.publication import (
    VERSION,
    ConfigEntry,
    GrammarEntry,
    PartEntry,
    Publication,
    SplitEntry,
)
from merula.data.published_rows import Block, ConfigInstances
from merula.lexicon.table import TableOptions
from merula.plan.order import ORDER
from merula.publish.suites import SuiteRequest
from merula.rows.maker import SCHEMA_VERSION, RowChoice, RowMaker
from merula.rows.variation import VARIATIONS, AddressSpace, Variation
from merula.suite.splits import Split

TEST = "test"
HUB_SPLITS = {"train": "train", "dev": "validation", "test": TEST}
MAX_FILES = 10_000  # the hub advises against more in a folder
ROWS_PER_FILE = 500_000  # some 20 MB of a paradigm, 200 MB of a matrix


@frozen
class GrammarRequest:
    """A grammar as the user named it, with the options of its tables."""

    name: str
    options: TableOptions
    compiled: Compiled


@frozen
class Details:
    """What users say of the data beside the grammars: licence, title, authors, citation.

    ``date`` is the day of publication (``2026-11-30``); it may be empty.
    """

    licence: str
    title: str = ""
    authors: tuple[str, ...] = ()
    citation: str = ""  # BibTeX
    date: str = ""


@frozen
class RowRequest:
    """The rows that are asked for, and how they are split and put into files.

    A configuration has ``max_instances`` instances, or as many as there are. Without ``designs``
    all are published. ``types`` and ``answers`` are of matrices. ``split`` gives shares
    (``80:10:10``); empty, all rows are in the split ``test``.
    """

    max_instances: int = 1000
    seed: int = 0
    designs: tuple[str, ...] = ()
    types: tuple[str, ...] = VARIATIONS
    answers: str = "one"
    split: str = ""
    rows_per_file: int = ROWS_PER_FILE


@frozen(eq=False)
class ConfigRequest:
    """A configuration to be made: its instances, and its entry without digests and sizes."""

    drawn: ConfigInstances
    entry: ConfigEntry


@frozen(eq=False)
class Publishing:
    """Everything that decides what is published: grammars and rows of them, or a suite.

    Of the ``rows`` of a suite nothing counts but ``rows_per_file``; its recipe decides the rest.
    ``default`` is the configuration that is loaded where none is named; empty, it is the first.
    """

    name: str
    grammars: tuple[GrammarRequest, ...]
    details: Details
    rows: RowRequest
    default: str = ""
    suite: SuiteRequest | None = None
    suite_name: str = ""  # as the user named it

    @staticmethod
    def of_suite(
        name: str,
        suite_name: str,
        suite: SuiteRequest,
        details: Details,
        rows: RowRequest,
        default: str = "",
    ) -> Publishing:
        """Return the plan of a suite; raises `MerulaError` where a grammar has an error."""
        compiled = suite.grammars()
        grammars = tuple(GrammarRequest(g, TableOptions(), compiled[g]) for g in compiled)
        return Publishing(name, grammars, details, rows, default, suite, suite_name)

    @cached_property
    def configs(self) -> tuple[ConfigRequest, ...]:
        """All configurations; raises `MerulaError` where there is none, or one comes twice."""
        if self.suite is not None:
            every = self.suite.drawn({request.name: request.compiled for request in self.grammars})
        else:
            every = (
                drawn
                for request in self.grammars
                for design in request.compiled.designs.values()
                if design.plans and design.name in (self.rows.designs or (design.name,))
                for drawn in self._drawn(request.compiled, design)
            )
        configs = []
        for drawn in every:
            configs.append(self._config(drawn))
            drawn.forget()
        self._demand(configs)
        return tuple(configs)

    @property
    def seed(self) -> int:
        """The seed of the rows."""
        return self.suite.plan.recipe.head.seed if self.suite is not None else self.rows.seed

    def _drawn(self, compiled: Compiled, design: CompiledDesign) -> Iterator[ConfigInstances]:
        """Yield the first instances of a paradigm, or those of each type of a matrix."""
        rows = self.rows
        for kind in rows.types if design.kind == "matrix" else ("I",):
            variation = Variation(kind, rows.answers if kind != "I" else "one")
            # A type that the user did not name need not exist for every matrix.
            space = AddressSpace(design, variation, strict=len(rows.types) == 1)
            blocks, first = [], 0
            for split, size in self.sizes(min(rows.max_instances, space.count)).items():
                blocks.append(Block(split, design, first, size))
                first += size
            if first:
                yield ConfigInstances(compiled, design.name, (design,), variation, tuple(blocks))

    def sizes(self, instances: int) -> dict[str, int]:
        """Return how many of so many instances each split has."""
        return Split.of(self.rows.split).sizes(instances) if self.rows.split else {TEST: instances}

    def _config(self, drawn: ConfigInstances) -> ConfigRequest:
        compiled, variation = drawn.compiled, drawn.variation
        grammar, design = compiled.grammar, drawn.designs[0]
        matrix = design.kind == "matrix"
        assert grammar is not None
        makers = [
            RowMaker(compiled, member, RowChoice(0, self.seed, variation, spans=True))
            for member in drawn.designs
        ]
        name = config_name(grammar.name, drawn.name, variation if matrix else None)
        entry = ConfigEntry(
            name=name,
            phenomenon=grammar.name,
            design=drawn.name,
            designs=[member.name for member in drawn.designs],
            about=design.design.doc if len(drawn.designs) == 1 else "",
            kind=design.kind,
            language=grammar.language,
            variation=variation.kind if matrix else "",
            answers=variation.answers if matrix and variation.kind != "I" else "",
            instances=sum(block.instances for block in drawn.blocks),
            of=str(sum(maker.space.count for maker in makers)),
            cells=len(makers[0].cells),
            block=makers[0].chunk,
            features=features_of(makers).to_json(),
            splits=self._splits(name, drawn, makers[0].rows_per_instance),
        )
        return ConfigRequest(drawn, entry)

    def _splits(self, name: str, drawn: ConfigInstances, rows: int) -> list[SplitEntry]:
        """Return the splits with their files, which do not have sizes and digests yet.

        ``rows`` are those of an instance. Raises `MerulaError` where a split would be empty.
        """
        entries = []
        for split in dict.fromkeys(block.split for block in drawn.blocks):
            blocks = [block for block in drawn.blocks if block.split == split]
            hub_name = HUB_SPLITS[split]
            size = sum(block.instances for block in blocks)
            if not size:
                raise _empty_split(name, hub_name, sum(block.instances for block in drawn.blocks))
            files = self._parts(f"{name}/{hub_name}", blocks, rows)
            entries.append(SplitEntry(hub_name, size, size * rows, files))
        return entries

    def _parts(self, path: str, blocks: Sequence[Block], rows: int) -> list[PartEntry]:
        """Return the files of a split; each has rows of one design."""
        step = max(self.rows.rows_per_file // rows, 1)  # instances in a file
        _demand_few_files(sum(-(-block.instances // step) for block in blocks))
        parts = []
        for block in blocks:
            stop = block.first + block.instances
            for start in range(block.first, stop, step):
                size = min(step, stop - start)
                parts.append(PartEntry("", block.design.name, start, size, size * rows))
        return [
            replace(part, file=f"{path}-{k:05d}-of-{len(parts):05d}.parquet")
            for k, part in enumerate(parts)
        ]

    def _demand(self, configs: Sequence[ConfigRequest]) -> None:
        """Raise `MerulaError` where nothing, or something twice, would be published."""
        places = ", ".join(asked.name for asked in self.grammars)
        designs = {d.name for asked in self.grammars for d in asked.compiled.designs.values()}
        for name in self.rows.designs:
            if name not in designs:
                raise MerulaError.of(
                    "M610",
                    f"there is no paradigm or matrix named {name}",
                    remedy=f"there is {listing(designs)}",
                    place=places,
                )
        if not configs:
            raise MerulaError.of(
                "M607",
                "there is nothing to publish: no paradigm and no matrix with instances",
                remedy="declare one: `paradigm NAME = factor × factor`, and name a lexicon",
                place=places,
            )
        names = [config.entry.name for config in configs]
        same = same_on_disk(names)
        if same is not None:
            one, other = (names[place] for place in same)
            sources = (configs[place].drawn.compiled.source.name for place in same)
            raise MerulaError.of(
                "M613",
                f"two configurations would be called {one}"
                if one == other
                else f"{one} and {other} would be one folder on macOS and Windows",
                remedy="rename one phenomenon or design, or publish them into two folders",
                place=" and ".join(dict.fromkeys(sources)),
            )
        _demand_few_files(sum(len(s.files) for c in configs for s in c.entry.splits))
        if self.default and self.default not in names:
            raise MerulaError.of(
                "M724",
                f"there is no configuration named {self.default}",
                remedy=f"there is {listing(names)}",
            )

    @cached_property
    def publication(self) -> Publication:
        """The manifest as far as it is known before anything is made: without digests and sizes."""
        details = self.details
        return Publication(
            publication=VERSION,
            name=self.name,
            title=details.title or titled(self.name),
            licence=details.licence,
            authors=list(details.authors),
            citation=details.citation,
            date=details.date,
            merula=version("merula"),
            schema=SCHEMA_VERSION,
            order=ORDER,
            seed=self.seed,
            split=self.suite.split if self.suite is not None else self.rows.split,
            command="",
            default=self.default or self.configs[0].entry.name,
            grammars=[_grammar(asked) for asked in self.grammars],
            configs=[config.entry for config in self.configs],
            suite=None if self.suite is None else self.suite.entry(self.suite_name),
        )


def _empty_split(name: str, split: str, instances: int) -> MerulaError:
    return MerulaError.of(
        "M728",
        f"{name} has {counted(instances, 'instance')}: none would be in {split}",
        remedy="ask for more instances (-n), give that split a larger share (--split), publish this"
        " design apart (--design), or leave --split out",
    )


def _demand_few_files(files: int) -> None:
    """Raise `MerulaError` where there would be too many files."""
    if files > MAX_FILES:
        raise MerulaError.of(
            "M619",
            f"that would be {files:,} files; {MAX_FILES:,} are the most",
            remedy="ask for fewer instances (-n), or for larger files (--rows-per-file)",
        )


def titled(name: str) -> str:
    """Return the title of a data set to which nobody has given one."""
    return name.replace("_", " ")


def config_name(phenomenon: str, design: str, variation: Variation | None) -> str:
    """Return the name of a configuration: ``PHENOMENON-DESIGN``, and the type of a matrix.

    >>> config_name("only", "any", None), config_name("agreement_fr", "six", Variation("III"))
    ('only-any', 'agreement_fr-six-type_III')
    """
    suffix = "" if variation is None else f"-type_{variation.kind}"
    return f"{phenomenon}-{design}{suffix}"


def _grammar(request: GrammarRequest) -> GrammarEntry:
    compiled, grammar = request.compiled, request.compiled.grammar
    assert grammar is not None
    options = request.options
    return GrammarEntry(
        phenomenon=grammar.name,
        about=grammar.doc,
        language=grammar.language,
        asked=request.name,
        source="",
        grammar=compiled.grammar_digest,
        lexicon=compiled.lexicon_digest,
        options={
            "files": dict(options.files),
            "separator": options.separator,
            "encoding": options.encoding,
            "columns": dict(options.columns),
        },
    )


def table_options(entry: GrammarEntry, folder: Path) -> TableOptions:
    """Return the options of a grammar's tables as its entry has them.

    Files that are in the repository are named by their places in ``folder``.
    """
    stored = entry.options
    files = dict(stored.get("files", {}))
    if entry.source:
        files = {name: str(folder / file) for name, file in files.items()}
    return TableOptions(
        files, stored.get("separator"), stored.get("encoding"), dict(stored.get("columns", {}))
    )
