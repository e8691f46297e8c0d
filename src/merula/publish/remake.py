"""Rows that were published, made again from their sources and compared by their digest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import MerulaError, Report
from merula.data.manifests.publication import ConfigEntry, GrammarEntry, PartEntry, Publication
from merula.data.published_rows import Block, Drawn, Maker
from merula.data.verify import Again
from merula.grammar.program import is_packaged, read_grammar
from merula.plan.order import ORDER
from merula.publish.plan import config_name, table_options
from merula.publish.suites import Suite
from merula.rows.maker import SCHEMA_VERSION
from merula.rows.variation import Variation


def remake(publication: Publication, folder: Path) -> Again:
    """Return what makes a part of a published data set again: for `merula.data.verify.verify`."""
    return _Makers(publication, folder).compared


class _Makers:
    """What makes the rows of each configuration again; or why that cannot be done."""

    def __init__(self, publication: Publication, folder: Path) -> None:
        self.publication, self.folder = publication, folder

    def compared(self, config: ConfigEntry, part: PartEntry) -> tuple[str, str]:
        """What is wrong with a part that is made again, and what is to be said of it.

        It is a fault where the sources in the repository do not make it; where they were left out
        and are not at hand, or Merula is of another version, that is only said.
        """
        whole = self.publication
        if (whole.schema, whole.order) != (SCHEMA_VERSION, ORDER):
            return "", f"not made again: Merula {whole.merula} wrote rows in another way"
        published = all(grammar.source for grammar in whole.grammars)
        try:
            again = self._maker(config).digest(part)
        except (_Lost, MerulaError) as error:
            why = error.problems[0].message if isinstance(error, MerulaError) else str(error)
            return (
                (f"cannot be made again: {why}", "")
                if published
                else ("", f"not made again: {why}")
            )
        if again != part.digest:
            return "has other rows than its grammar makes", ""
        return "", "and made again"

    def _maker(self, config: ConfigEntry) -> Maker:
        whole = self.publication
        if whole.suite is None:
            drawn = self._first(config)
        elif config.name in self._suite:
            drawn = self._suite[config.name]
        else:
            raise _Lost(f"the suite has no {config.name} any more")
        return Maker(drawn, whole.seed, config.fields)

    def _first(self, config: ConfigEntry) -> Drawn:
        """The first instances of a design, as many as the configuration has."""
        compiled = self._grammar(config.phenomenon)
        if config.design not in compiled.designs:
            raise _Lost(f"the grammar has no {config.design} any more")
        design = compiled.designs[config.design]
        variation = Variation(config.variation or "I", config.answers or "one")
        block = Block("", design, 0, config.instances)
        return Drawn(compiled, design.name, (design,), variation, (block,))

    @cached_property
    def _suite(self) -> Mapping[str, Drawn]:
        """What a suite draws, by configuration."""
        entry = self.publication.suite
        assert entry is not None
        suite = Suite.of(entry, str(self.folder / entry.source) if entry.source else entry.asked)
        if suite.plan.recipe.digest != entry.recipe:
            raise _Lost(f"the recipe of {entry.name} has changed")
        grammars = suite.grammars()
        for own in self.publication.grammars:
            if own.asked in grammars:
                _demand_same(own, grammars[own.asked])
        found = {}
        for drawn in suite.drawn(grammars):
            assert drawn.compiled.grammar is not None
            kind = drawn.variation if drawn.designs[0].kind == "matrix" else None
            found[config_name(drawn.compiled.grammar.name, drawn.name, kind)] = drawn
        return found

    def _grammar(self, phenomenon: str) -> Compiled:
        if phenomenon not in self._compiled:
            entries = [g for g in self.publication.grammars if g.phenomenon == phenomenon]
            if not entries:
                raise _Lost("its grammar is not named")
            self._compiled[phenomenon] = _compile(entries[0], self.folder)
        return self._compiled[phenomenon]

    @cached_property
    def _compiled(self) -> dict[str, Compiled]:
        return {}


class _Lost(Exception):
    """Why rows cannot be made again."""


def _compile(entry: GrammarEntry, folder: Path) -> Compiled:
    name = str(folder / entry.source) if entry.source else entry.asked
    if not entry.source and not is_packaged(entry.asked):
        raise _Lost(f"the grammar {name} was not published with it")
    report = Report()
    source = read_grammar(name, report)
    if source is None:
        raise _Lost(f"the grammar {name} is not at hand")
    compiled = compile_source(source, table_options(entry, folder), report=report)
    if compiled.failed:
        (first, *_) = [p for p in compiled.problems if p.severity == "error"]
        raise _Lost(f"{name} has an error: {first.message}")
    _demand_same(entry, compiled)
    return compiled


def _demand_same(entry: GrammarEntry, compiled: Compiled) -> None:
    name = compiled.source.name
    if compiled.grammar_digest != entry.grammar:
        raise _Lost(f"the grammar {name} has changed")
    if compiled.lexicon_digest != entry.lexicon:
        raise _Lost(f"the tables or surface rules of {name} have changed")
