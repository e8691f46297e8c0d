"""The audit of a corpus by all checks and all probes, as a value and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from merula.audit.checks.registry import CHECKS
from merula.audit.corpus import Corpus
from merula.audit.findings import Check, Finding, Found, Settings
from merula.audit.probes.linear import usable
from merula.audit.probes.pairs import probe_pairs
from merula.audit.probes.sentences import PROBES, Probed, probe
from merula.audit.probes.solvers import SOLVERS, solve
from merula.audit.view import View
from merula.core.frozen import frozen
from merula.lexicon.surface import Surface

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled

VERSION = 1  # of the JSON
SHORTCUT = "shortcut-"
SHORTCUTS = tuple(dict.fromkeys([*(probe.name for probe in PROBES), *SOLVERS]))
NAMES = tuple([check.name for check in CHECKS] + [f"{SHORTCUT}{name}" for name in SHORTCUTS])


@frozen(eq=False)
class Result:
    """A check with its findings; ``found`` is None where there was nothing to look at."""

    check: Check
    found: Found | None
    allowed: bool

    @property
    def count(self) -> int:
        """Return the count of findings."""
        return self.found.count if self.found is not None else 0

    @property
    def fails(self) -> bool:
        """Return whether there are findings that are faults and not allowed."""
        return self.count > 0 and self.check.fault and not self.allowed


@frozen(eq=False)
class Audit:
    """The results of an audit."""

    corpus: Corpus
    paradigms: int
    results: tuple[Result, ...]
    probes: tuple[Probed, ...]
    settings: Settings
    allowed: frozenset[str]
    complete: bool  # False where scikit-learn is missing and something would have been probed

    def leaks(self, probed: Probed) -> bool:
        """Return whether a probe reaches more than the design forces, and that is not allowed."""
        return probed.leaks(self.settings) and f"{SHORTCUT}{probed.probe}" not in self.allowed

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the names of the checks that fail."""
        names = [result.check.name for result in self.results if result.fails]
        names += [f"{SHORTCUT}{probed.probe}" for probed in self.probes if self.leaks(probed)]
        return tuple(dict.fromkeys(names))

    @property
    def clean(self) -> bool:
        """Return whether no check fails."""
        return not self.faults

    def to_json(self, examples: int) -> dict[str, Any]:
        """Return the audit as plain JSON values, with up to ``examples`` examples of each check."""
        return {
            "version": VERSION,
            "clean": self.clean,
            "faults": list(self.faults),
            "files": [{"file": file, "format": name} for file, name in self.corpus.files],
            "language": self.corpus.language,
            "sentences": len(self.corpus.sentences),
            "pairs": len(self.corpus.pairs),
            "matrices": len(self.corpus.matrices),
            "paradigms": self.paradigms,
            "splits": list(self.corpus.splits),
            "tolerance": self.settings.tolerance,
            "seed": self.settings.seed,
            "checks": [_check_json(result, examples) for result in self.results],
            "shortcuts": [self._probe_json(probed) for probed in self.probes],
            "shortcuts_complete": self.complete,
        }

    def _probe_json(self, probed: Probed) -> dict[str, Any]:
        return {
            "probe": probed.probe,
            "part": probed.part,
            "of": probed.kind,
            "number": probed.number,
            "accuracy": round(probed.accuracy, 6),
            "majority": round(probed.majority, 6),
            "forced": None if probed.forced is None else round(probed.forced, 6),
            "leaks": probed.leaks(self.settings),
            "allowed": f"{SHORTCUT}{probed.probe}" in self.allowed,
        }


def audit(
    corpus: Corpus,
    settings: Settings | None = None,
    *,
    surface: Surface | None = None,
    surfaces: Mapping[str, Surface] | None = None,
    grammar: Compiled | None = None,
    allowed: Iterable[str] = (),
) -> Audit:
    """Run all checks and probes on a corpus.

    ``surface`` are the surface rules of the corpus's language, ``surfaces`` those of more languages
    by their codes. The rules that answers of matrices break in the data are compared with those
    that they break by ``grammar``; raises `MerulaError` where it builds none of the answers.
    ``allowed`` are names of checks that do not fail.
    """
    settings, allow = settings or Settings(), frozenset(allowed)
    rules = dict(surfaces or {})
    if surface is not None:
        rules[corpus.language] = surface
    view = View(corpus, rules, grammar)
    results = [Result(c, c.find(view, settings), c.name in allow) for c in CHECKS]
    probes = probe(view, settings) + probe_pairs(view, settings) + solve(view, settings)
    complete = usable() or not probes
    groups = {text.group for text in view.texts if text.group}
    return Audit(corpus, len(groups), tuple(results), tuple(probes), settings, allow, complete)


def _check_json(result: Result, examples: int) -> dict[str, Any]:
    finding = result.found
    return {
        "check": result.check.name,
        "meaning": result.check.meaning,
        "ran": finding is not None,
        "found": result.count,
        "of": finding.of if finding is not None else 0,
        "fault": result.check.fault,
        "allowed": result.allowed,
        "fails": result.fails,
        "said": finding.summary if finding is not None else "",
        "examples": [_example_json(e) for e in finding.examples[:examples]] if finding else [],
    }


def _example_json(example: Finding) -> dict[str, Any]:
    places = {"place": example.place, "other": example.other}
    return {
        "text": example.text,
        **{
            name: None if place is None else {"file": place.file, "row": place.row}
            for name, place in places.items()
        },
    }
