"""What is to be published: the configurations, their splits and files, before any row is made."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
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
from merula.data.published_rows import Block, Drawn
from merula.lexicon.table import TableOptions
from merula.plan.order import ORDER
from merula.publish.suites import Suite
from merula.rows.maker import SCHEMA_VERSION, RowChoice, RowMaker
from merula.rows.variation import VARIATIONS, AddressSpace, Variation
from merula.suite.splits import Split

TEST = "test"
HUB_SPLITS = {"train": "train", "dev": "validation", "test": TEST}
MAX_FILES = 10_000
PART = 500_000  # rows in a file


@frozen
class Asked:
    """A grammar as the user named it, with what was said of its tables."""

    name: str
    options: TableOptions
    compiled: Compiled


@frozen
class Details:
    """What a grammar does not say of its data: the licence, names, how they are cited.

    ``date`` is when they were published (``2026-11-30``), empty where nobody says.
    """

    licence: str
    title: str = ""
    authors: tuple[str, ...] = ()
    citation: str = ""  # BibTeX
    date: str = ""


@frozen
class Choice:
    """Which rows are published, in which splits and files.

    ``number`` is how many instances a configuration has at most; ``designs`` are the designs that
    are wanted (none: all), ``types`` those of matrices; an empty ``split`` puts all under test.
    """

    number: int = 1000
    seed: int = 0
    designs: tuple[str, ...] = ()
    types: tuple[str, ...] = VARIATIONS
    answers: str = "one"
    split: str = ""
    part: int = PART


@frozen(eq=False)
class Wanted:
    """A configuration to be made: its instances, and what is known of it beforehand."""

    drawn: Drawn
    entry: ConfigEntry


@frozen(eq=False)
class Plan:
    """Everything that decides what is published: grammars with a choice, or a suite's recipe.

    The ``choice`` of a suite says nothing but how large files are.
    """

    name: str
    grammars: tuple[Asked, ...]
    details: Details
    choice: Choice
    default: str = ""
    suite: Suite | None = None
    suite_name: str = ""  # as the user named it

    @staticmethod
    def of_suite(
        name: str, asked: str, suite: Suite, details: Details, choice: Choice, default: str = ""
    ) -> Plan:
        """The plan of a suite; raises `MerulaError` where a grammar has an error."""
        compiled = suite.grammars()
        grammars = tuple(Asked(own, TableOptions(), compiled[own]) for own in compiled)
        return Plan(name, grammars, details, choice, default, suite, asked)

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        """All configurations; raises `MerulaError` where there is none, or one comes twice."""
        if self.suite is not None:
            drawn = self.suite.drawn({own.name: own.compiled for own in self.grammars})
        else:
            drawn = (
                found
                for asked in self.grammars
                for design in asked.compiled.designs.values()
                if design.plans and design.name in (self.choice.designs or (design.name,))
                for found in self._drawn(asked.compiled, design)
            )
        found = []
        for own in drawn:
            found.append(self._config(own))
            own.forget()
        self._demand(found)
        return tuple(found)

    @property
    def seed(self) -> int:
        """The seed of the rows."""
        return self.suite.plan.recipe.seed if self.suite is not None else self.choice.seed

    def _drawn(self, compiled: Compiled, design: CompiledDesign) -> Iterator[Drawn]:
        """The first instances of a paradigm, or those of each type of a matrix."""
        matrix, choice = design.kind == "matrix", self.choice
        for kind in choice.types if matrix else ("I",):
            variation = Variation(kind, choice.answers if kind != "I" else "one")
            # what was not asked for by name need not be there
            space = AddressSpace(design, variation, strict=len(choice.types) == 1)
            blocks, first = [], 0
            for split, size in self.sizes(min(choice.number, space.count)).items():
                blocks.append(Block(split, design, first, size))
                first += size
            if first:
                yield Drawn(compiled, design.name, (design,), variation, tuple(blocks))

    def sizes(self, number: int) -> dict[str, int]:
        """How many of so many instances each split has."""
        return Split.of(self.choice.split).sizes(number) if self.choice.split else {TEST: number}

    def _config(self, drawn: Drawn) -> Wanted:
        compiled, variation = drawn.compiled, drawn.variation
        grammar, design = compiled.grammar, drawn.designs[0]
        matrix = design.kind == "matrix"
        assert grammar is not None
        makers = [
            RowMaker(compiled, own, RowChoice(0, self.seed, variation, spans=True))
            for own in drawn.designs
        ]
        name = config_name(grammar.name, drawn.name, variation if matrix else None)
        entry = ConfigEntry(
            name=name,
            phenomenon=grammar.name,
            design=drawn.name,
            designs=[own.name for own in drawn.designs],
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
        return Wanted(drawn, entry)

    def _splits(self, name: str, drawn: Drawn, rows: int) -> list[SplitEntry]:
        """The splits with their files, which have no size and no digest yet.

        Raises `MerulaError` where one would be empty.
        """
        found = []
        for split in dict.fromkeys(block.split for block in drawn.blocks):
            blocks = [block for block in drawn.blocks if block.split == split]
            known = HUB_SPLITS[split]
            size = sum(block.instances for block in blocks)
            if not size:
                raise _empty_split(name, known, sum(block.instances for block in drawn.blocks))
            files = self._parts(f"{name}/{known}", blocks, rows)
            found.append(SplitEntry(known, size, size * rows, files))
        return found

    def _parts(self, path: str, blocks: Sequence[Block], rows: int) -> list[PartEntry]:
        """The files of a split; each holds rows of one design."""
        step = max(self.choice.part // rows, 1)
        _demand_few_files(sum(-(-block.instances // step) for block in blocks))
        found = []
        for block in blocks:
            stop = block.first + block.instances
            for start in range(block.first, stop, step):
                size = min(step, stop - start)
                found.append(PartEntry("", block.design.name, start, size, size * rows))
        return [
            replace(part, file=f"{path}-{k:05d}-of-{len(found):05d}.parquet")
            for k, part in enumerate(found)
        ]

    def _demand(self, found: Sequence[Wanted]) -> None:
        """Raise `MerulaError` where nothing, or something twice, would be published."""
        places = ", ".join(asked.name for asked in self.grammars)
        known = {d.name for asked in self.grammars for d in asked.compiled.designs.values()}
        for name in self.choice.designs:
            if name not in known:
                raise MerulaError.of(
                    "M610",
                    f"there is no paradigm or matrix called {name}",
                    remedy=f"there is {listing(known)}",
                    place=places,
                )
        if not found:
            raise MerulaError.of(
                "M607",
                "there is nothing to publish: no paradigm and no matrix with instances",
                remedy="declare one: `paradigm NAME = factor × factor`, and name a lexicon",
                place=places,
            )
        first: dict[str, str] = {}
        for wanted in found:
            name, place = wanted.entry.name, wanted.drawn.compiled.source.name
            on_disk = unicodedata.normalize("NFC", name).casefold()
            other = first.get(on_disk)
            first[on_disk] = place
            if other is not None:
                raise MerulaError.of(
                    "M613",
                    f"two configurations would be called {name}",
                    remedy="rename one phenomenon or design, or publish them into two folders",
                    place=" and ".join(dict.fromkeys((other, place))),
                )
        _demand_few_files(sum(len(s.files) for w in found for s in w.entry.splits))
        if self.default and self.default not in [wanted.entry.name for wanted in found]:
            raise MerulaError.of(
                "M724",
                f"no configuration is called {self.default}",
                remedy=f"there is {listing(wanted.entry.name for wanted in found)}",
            )

    @cached_property
    def publication(self) -> Publication:
        """What is known before anything is made: no digest, no size, no source."""
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
            split=self.suite.split if self.suite is not None else self.choice.split,
            command="",
            default=self.default or self.wanted[0].entry.name,
            grammars=[_grammar(asked) for asked in self.grammars],
            configs=[wanted.entry for wanted in self.wanted],
            suite=None if self.suite is None else self.suite.entry(self.suite_name),
        )


def _empty_split(name: str, split: str, number: int) -> MerulaError:
    return MerulaError.of(
        "M728",
        f"{name} has {counted(number, 'instance')}: none would be in {split}",
        remedy="ask for more instances (-n), give that split a larger share (--split), publish this"
        " design apart (--design), or leave --split out",
    )


def _demand_few_files(number: int) -> None:
    """Raise `MerulaError` where there would be too many files."""
    if number > MAX_FILES:
        raise MerulaError.of(
            "M619",
            f"that would be {number:,} files; {MAX_FILES:,} are the most",
            remedy="ask for fewer instances (-n), or for larger files (--rows-per-file)",
        )


def titled(name: str) -> str:
    """What a data set is called where nobody has said it."""
    return name.replace("_", " ")


def config_name(phenomenon: str, design: str, variation: Variation | None) -> str:
    """``PHENOMENON-DESIGN``, and the type of a matrix.

    >>> config_name("only", "any", None), config_name("agreement_fr", "six", Variation("III"))
    ('only-any', 'agreement_fr-six-type_III')
    """
    kind = "" if variation is None else f"-type_{variation.kind}"
    return f"{phenomenon}-{design}{kind}"


def _grammar(asked: Asked) -> GrammarEntry:
    compiled, grammar = asked.compiled, asked.compiled.grammar
    assert grammar is not None
    options = asked.options
    return GrammarEntry(
        phenomenon=grammar.name,
        about=grammar.doc,
        language=grammar.language,
        asked=asked.name,
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
    """What a grammar's entry says of tables, their files seen from a folder."""
    said = entry.options
    found = TableOptions(
        dict(said.get("files", {})),
        said.get("separator"),
        said.get("encoding"),
        dict(said.get("columns", {})),
    )
    if not entry.source:
        return found
    files = {name: str(folder / file) for name, file in found.files.items()}
    return replace(found, files=files)
