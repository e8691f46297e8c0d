"""The rows of a published data set, made again from its sources and compared.

In: a publication and its folder. Out: for each file of rows, whether the sources make the same.
``merula verify`` and `merula.api.verify` hand it to `merula.data.verify.verify`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import MerulaError, Report
from merula.data.manifests.publication import ConfigEntry, GrammarEntry, PartEntry, Publication
from merula.data.published_rows import Block, ConfigInstances, Maker
from merula.data.verify import Again
from merula.grammar.program import is_packaged, read_grammar
from merula.plan.order import ORDER
from merula.publish.plan import config_name, table_options
from merula.publish.suites import SuiteRequest
from merula.rows.maker import SCHEMA_VERSION
from merula.rows.variation import Variation


def remake(publication: Publication, folder: Path) -> Again:
    """Return a function that makes a part again and compares it with what the manifest says of it.

    The function returns a fault and a note, each empty or a text. It is a fault if the sources in
    the repository do not make the part. If the sources were left out and are not at hand, or Merula
    is of another version, that is only noted.
    """
    return _Remakes(publication, folder).compared


class _Remakes:
    """Makes the rows of each configuration again; each grammar is compiled once."""

    def __init__(self, publication: Publication, folder: Path) -> None:
        self.publication, self.folder = publication, folder
        self._compiled: dict[str, Compiled] = {}  # by phenomenon

    def compared(self, config: ConfigEntry, part: PartEntry) -> tuple[str, str]:
        """Make a part again; returns a fault and a note."""
        publication = self.publication
        if (publication.schema, publication.order) != (SCHEMA_VERSION, ORDER):
            return "", f"not made again: Merula {publication.merula} wrote rows in another way"
        try:
            digest = self._maker(config).digest(part)
        except (_CannotRemake, MerulaError) as error:
            why = error.problems[0].message if isinstance(error, MerulaError) else str(error)
            if all(grammar.source for grammar in publication.grammars):
                return f"cannot be made again: {why}", ""
            return "", f"not made again: {why}"
        if digest != part.digest:
            return "has other rows than its grammar makes", ""
        return "", "and made again"

    def _maker(self, config: ConfigEntry) -> Maker:
        if self.publication.suite is None:
            drawn = self._first_instances(config)
        elif config.name in self._suite:
            drawn = self._suite[config.name]
        else:
            raise _CannotRemake(f"the suite has no {config.name} any more")
        return Maker(drawn, self.publication.seed, config.fields)

    def _first_instances(self, config: ConfigEntry) -> ConfigInstances:
        """Return the first instances of a design, as many as the configuration has."""
        compiled = self._grammar(config.phenomenon)
        if config.design not in compiled.designs:
            raise _CannotRemake(f"the grammar has no {config.design} any more")
        design = compiled.designs[config.design]
        variation = Variation(config.variation or "I", config.answers or "one")
        block = Block("", design, 0, config.instances)
        return ConfigInstances(compiled, design.name, (design,), variation, (block,))

    @cached_property
    def _suite(self) -> Mapping[str, ConfigInstances]:
        """What a suite draws, by configuration."""
        entry = self.publication.suite
        assert entry is not None
        suite = SuiteRequest.of(
            entry, str(self.folder / entry.source) if entry.source else entry.asked
        )
        if suite.plan.recipe.digest != entry.recipe:
            raise _CannotRemake(f"the recipe of {entry.name} has changed")
        grammars = suite.grammars()
        for grammar in self.publication.grammars:
            if grammar.asked in grammars:
                _demand_same(grammar, grammars[grammar.asked])
        by_config = {}
        for drawn in suite.drawn(grammars):
            assert drawn.compiled.grammar is not None
            variation = drawn.variation if drawn.designs[0].kind == "matrix" else None
            by_config[config_name(drawn.compiled.grammar.name, drawn.name, variation)] = drawn
        return by_config

    def _grammar(self, phenomenon: str) -> Compiled:
        if phenomenon not in self._compiled:
            entries = [g for g in self.publication.grammars if g.phenomenon == phenomenon]
            if not entries:
                raise _CannotRemake("its grammar is not named")
            self._compiled[phenomenon] = _compile(entries[0], self.folder)
        return self._compiled[phenomenon]


class _CannotRemake(Exception):
    """Why rows cannot be made again."""


def _compile(entry: GrammarEntry, folder: Path) -> Compiled:
    name = str(folder / entry.source) if entry.source else entry.asked
    if not entry.source and not is_packaged(entry.asked):
        raise _CannotRemake(f"the grammar {name} was not published with it")
    report = Report()
    source = read_grammar(name, report)
    if source is None:
        raise _CannotRemake(f"the grammar {name} is not at hand")
    compiled = compile_source(source, table_options(entry, folder), report=report)
    if compiled.failed:
        (first, *_) = [p for p in compiled.problems if p.severity == "error"]
        raise _CannotRemake(f"{name} has an error: {first.message}")
    _demand_same(entry, compiled)
    return compiled


def _demand_same(entry: GrammarEntry, compiled: Compiled) -> None:
    name = compiled.source.name
    if compiled.grammar_digest != entry.grammar:
        raise _CannotRemake(f"the grammar {name} has changed")
    if compiled.lexicon_digest != entry.lexicon:
        raise _CannotRemake(f"the tables or surface rules of {name} have changed")
