"""The audit of a corpus: all checks, all probes, as a value, as JSON and as a drawing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from merula.audit.checks import CHECKS
from merula.audit.corpus import Corpus
from merula.audit.findings import Check, Example, Found, Settings
from merula.audit.linear import INSTALL, usable
from merula.audit.pair_probes import probe_pairs
from merula.audit.probes import PROBES, Probed, probe
from merula.audit.view import View
from merula.surface import Surface
from merula.values import frozen

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

VERSION = 1  # of the JSON
SHORTCUT = "shortcut-"
NAMES = tuple([check.name for check in CHECKS] + [f"{SHORTCUT}{p.name}" for p in PROBES])


@frozen(eq=False)
class Result:
    """What a check has found; ``found`` is None where there was nothing to look at."""

    check: Check
    found: Found | None
    allowed: bool

    @property
    def number(self) -> int:
        """How many things were found."""
        return len(self.found.examples) if self.found is not None else 0

    @property
    def fails(self) -> bool:
        """Whether something was found that is a fault and not allowed."""
        return self.number > 0 and self.check.fault and not self.allowed


@frozen(eq=False)
class Audit:
    """What an audit has found."""

    corpus: Corpus
    paradigms: int
    results: tuple[Result, ...]
    probes: tuple[Probed, ...]
    settings: Settings
    allowed: frozenset[str]
    complete: bool  # False where scikit-learn is missing and something would have been probed

    def leaks(self, probed: Probed) -> bool:
        """Whether a probe reaches more than is forced, and that is not allowed."""
        return probed.leaks(self.settings) and f"{SHORTCUT}{probed.probe}" not in self.allowed

    @property
    def faults(self) -> tuple[str, ...]:
        """The names of the checks that fail."""
        names = [result.check.name for result in self.results if result.fails]
        names += [f"{SHORTCUT}{probed.probe}" for probed in self.probes if self.leaks(probed)]
        return tuple(dict.fromkeys(names))

    @property
    def clean(self) -> bool:
        """Whether no check fails."""
        return not self.faults

    def to_json(self, examples: int) -> dict[str, Any]:
        """The audit as plain JSON values, with some examples of each finding."""
        return {
            "version": VERSION,
            "clean": self.clean,
            "faults": list(self.faults),
            "files": [{"file": file, "format": form} for file, form in self.corpus.files],
            "language": self.corpus.language,
            "sentences": len(self.corpus.sentences),
            "pairs": len(self.corpus.pairs),
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
    allowed: Iterable[str] = (),
) -> Audit:
    """Run all checks and probes; ``surface`` are the surface rules of the language."""
    settings, allow = settings or Settings(), frozenset(allowed)
    view = View(corpus, surface)
    results = [Result(c, c.find(view, settings), c.name in allow) for c in CHECKS]
    probes = probe(view, settings) + probe_pairs(view, settings)
    complete = usable() or not probes
    groups = {text.group for text in view.texts if text.group}
    return Audit(corpus, len(groups), tuple(results), tuple(probes), settings, allow, complete)


def _check_json(result: Result, examples: int) -> dict[str, Any]:
    found = result.found
    return {
        "check": result.check.name,
        "meaning": result.check.meaning,
        "ran": found is not None,
        "found": result.number,
        "of": found.of if found is not None else 0,
        "fault": result.check.fault,
        "allowed": result.allowed,
        "fails": result.fails,
        "said": found.said if found is not None else "",
        "examples": [_example_json(e) for e in found.examples[:examples]] if found else [],
    }


def _example_json(example: Example) -> dict[str, Any]:
    places = {"place": example.place, "other": example.other}
    return {
        "text": example.text,
        **{
            name: None if place is None else {"file": place.file, "row": place.row}
            for name, place in places.items()
        },
    }


# --- drawing -------------------------------------------------------------------------------


def draw(found: Audit, examples: int) -> RenderableType:
    """The audit as tables: the checks, their examples, the probes, and what follows."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(_head(found), "bold"), Text(), _checks(found)]
    for result in found.results:
        if result.number and examples:
            parts += [Text(), *_examples(result, examples)]
    for kind in ("sentences", "pairs"):
        own = [probed for probed in found.probes if probed.kind == kind]
        if own:
            parts += [Text(), _shortcuts(found, own, kind)]
    parts += [Text(), *(Text(line) for line in _summary(found))]
    return Group(*parts)


def _head(found: Audit) -> str:
    """What was read, in a line."""
    corpus = found.corpus
    numbers = [
        (len(corpus.files), "file"),
        (len(corpus.sentences), "sentence"),
        (len(corpus.pairs), "pair"),
        (found.paradigms, "paradigm"),
    ]
    said = [f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in numbers if number]
    if corpus.splits:
        said.append(f"split into {', '.join(corpus.splits)}")
    return " · ".join(said)


def _table(*titles: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for title in titles:
        table.add_column(title)
    return table


def _checks(found: Audit) -> Table:
    """A row a check that had something to look at."""
    from rich.text import Text

    table = _table("check", "found", "of", "what is looked for")
    for column in table.columns[1:3]:
        column.justify = "right"
    for column in table.columns[:3]:
        column.no_wrap = True
    for result in found.results:
        if result.found is None:
            continue
        style = "bold red" if result.fails else "dim" if not result.number else ""
        number = f"{result.number:,}" if result.number else "–"
        note = " (allowed)" if result.allowed and result.number else ""
        said = f": {result.found.said}" if result.found.said else ""
        table.add_row(
            Text(result.check.name, style),
            Text(number, style),
            f"{result.found.of:,}",
            f"{result.check.meaning}{said}{note}",
        )
    return table


def _examples(result: Result, examples: int) -> Iterable[RenderableType]:
    from rich.text import Text

    assert result.found is not None
    yield Text.assemble((result.check.name, "bold"), f" · {result.check.meaning}")
    for example in result.found.examples[:examples]:
        yield Text(f"  {example}")
    more = result.number - examples
    if more > 0:
        yield Text(f"  … {more:,} more", "dim")


def _shortcuts(found: Audit, own: list[Probed], kind: str) -> RenderableType:
    """A row a part, a column a probe: what it reaches, and what is forced."""
    from rich.console import Group
    from rich.text import Text

    names = list(dict.fromkeys(probed.probe for probed in own))
    table = _table("shortcuts", *names)
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    by_part: dict[str, dict[str, Probed]] = {}
    for probed in own:
        by_part.setdefault(probed.part, {})[probed.probe] = probed
    for part, row in by_part.items():
        shown = [_accuracy(found, row[name]) if name in row else Text("") for name in names]
        table.add_row(part or "all", *shown)
    legend = {
        "sentences": "accuracy/what the design forces; ! is more than that",
        "pairs": "how often the good sentence is told; 0.5 is chance",
    }[kind]
    return Group(table, Text(legend, "dim"))


def _accuracy(found: Audit, probed: Probed) -> Any:
    from rich.text import Text

    if probed.forced is None:
        return Text(f"{probed.accuracy:.3f}")
    text = f"{probed.accuracy:.3f}/{probed.forced:.3f}"
    if not probed.leaks(found.settings):
        return Text(f"{text} ")
    return Text(f"{text}!", "bold red" if found.leaks(probed) else "")


def _summary(found: Audit) -> list[str]:
    lines = []
    if not found.complete:
        lines.append(
            f"The probes of words and bigrams did not run: they need scikit-learn; {INSTALL}"
        )
    if found.clean:
        lines.append("No faults.")
    else:
        number = len(found.faults)
        noun = "check finds" if number == 1 else "checks find"
        lines.append(f"{number} {noun} faults: {', '.join(found.faults)}")
    return lines
