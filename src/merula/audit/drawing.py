"""An audit as tables for a terminal: the checks, their examples, the probes, and a summary.

In goes an `Audit`, out comes something that rich prints; ``merula audit`` calls `draw`. Everything
in red is a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from merula.audit.probes.linear import INSTALL
from merula.audit.probes.sentences import Probed
from merula.audit.probes.solvers import BLIND, MATRICES, MEANINGS, SOLVERS, TOLD
from merula.audit.report import Audit, Result

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

MAX_PARTS_AS_COLUMNS = 2  # as many fit beside the names and the meanings of solvers


def draw(audit: Audit, examples: int) -> RenderableType:
    """Return the audit as tables, with up to ``examples`` examples of each check."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(_head(audit), "bold"), Text(), _checks(audit)]
    for result in audit.results:
        if result.count and examples:
            parts += [Text(), *_examples(result, examples)]
    for kind in ("sentences", "pairs"):
        probes = [probed for probed in audit.probes if probed.kind == kind]
        if probes:
            parts += [Text(), _shortcuts(audit, probes, kind)]
    probes = [probed for probed in audit.probes if probed.kind == MATRICES]
    if probes:
        parts += _solvers(audit, probes)
    parts += [Text(), *(Text(line) for line in _summary(audit))]
    return Group(*parts)


def _head(audit: Audit) -> str:
    """Return the counts of what was read, in a line."""
    corpus = audit.corpus
    counts = [
        (len(corpus.files), "file"),
        (len(corpus.sentences), "sentence"),
        (len(corpus.pairs), "pair"),
        (len(corpus.matrices), "matrix"),
        (audit.paradigms, "paradigm"),
    ]
    parts = [f"{count:,} {_noun(noun, count)}" for count, noun in counts if count]
    if corpus.splits:
        parts.append(f"split into {', '.join(corpus.splits)}")
    return " · ".join(parts)


def _noun(noun: str, count: int) -> str:
    if count == 1:
        return noun
    return "matrices" if noun == "matrix" else f"{noun}s"


def _table(*titles: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for title in titles:
        table.add_column(title)
    return table


def _checks(audit: Audit) -> Table:
    """Return a table with a row for each check that had something to look at."""
    from rich.text import Text

    table = _table("check", "found", "of", "what is looked for")
    for column in table.columns[1:3]:
        column.justify = "right"
    for column in table.columns[:3]:
        column.no_wrap = True
    for result in audit.results:
        if result.found is None:
            continue
        style = "bold red" if result.fails else "dim" if not result.count else ""
        count = f"{result.count:,}" if result.count else "–"
        note = " (allowed)" if result.allowed and result.count else ""
        if result.count and not result.check.fault:
            note = " (not a fault)"
        summary = f": {result.found.summary}" if result.found.summary else ""
        table.add_row(
            Text(result.check.name, style),
            Text(count, style),
            f"{result.found.of:,}",
            f"{result.check.meaning}{summary}{note}",
        )
    return table


def _examples(result: Result, examples: int) -> Iterable[RenderableType]:
    from rich.text import Text

    assert result.found is not None
    yield Text.assemble((result.check.name, "bold"), f" · {result.check.meaning}")
    for example in result.found.examples[:examples]:
        yield Text(f"  {example}")
    more = len(result.found.examples) - examples
    if more > 0:
        yield Text(f"  … {more:,} more", "dim")


def _shortcuts(audit: Audit, probes: list[Probed], kind: str) -> RenderableType:
    """Return a table with a row for each part: the accuracy of each probe, and the forced one."""
    from rich.console import Group
    from rich.text import Text

    names = list(dict.fromkeys(probed.probe for probed in probes))
    table = _table("shortcuts", *names)
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    by_part: dict[str, dict[str, Probed]] = {}
    for probed in probes:
        by_part.setdefault(probed.part, {})[probed.probe] = probed
    for part, row in by_part.items():
        shown = [_accuracy(audit, row[name]) if name in row else Text("") for name in names]
        table.add_row(part or "all", *shown)
    legend = {
        "sentences": "accuracy/what the design forces; ! is more than that",
        "pairs": "how often the good sentence is guessed; 0.5 is chance",
    }[kind]
    return Group(table, Text(legend, "dim"))


def _solvers(audit: Audit, probes: list[Probed]) -> Iterable[RenderableType]:
    """Yield tables of solvers with a column for each part, or a row where there are many parts."""
    from rich.text import Text

    parts: dict[str, dict[str, Probed]] = {}
    for probed in probes:
        parts.setdefault(probed.part, {})[probed.probe] = probed
    yield Text()
    if len(parts) <= MAX_PARTS_AS_COLUMNS:
        yield _by_solver(audit, parts)
    else:
        yield _by_part(audit, parts, "shortcuts", BLIND)
        yield Text()
        yield _by_part(audit, parts, "knowledge", TOLD)
    yield Text("how often the right answer is guessed; ! is more than may be", "dim")
    if not any("grammar" in row for row in parts.values()):
        why = "the data do not say which answers are good sentences"
        yield Text(f"grammar, unseen and shown did not run: {why}", "dim")


def _by_solver(audit: Audit, parts: Mapping[str, Mapping[str, Probed]]) -> Table:
    from rich.text import Text

    table = _table("shortcuts", *(part or "all" for part in parts), "what is taken")
    for column in table.columns[1:-1]:
        column.justify = "right"
        column.overflow = "fold"
    table.columns[0].no_wrap = True
    table.add_row("", *(_chance(row) for row in parts.values()), "any answer: chance")
    for name in SOLVERS:
        if any(name in row for row in parts.values()):
            cells = [_reached(audit, row.get(name)) for row in parts.values()]
            table.add_row(Text(name), *cells, MEANINGS[name])
    return table


def _by_part(
    audit: Audit, parts: Mapping[str, Mapping[str, Probed]], title: str, solvers: Iterable[str]
) -> Table:
    names = [name for name in solvers if any(name in row for row in parts.values())]
    table = _table(title, "chance", *names)
    table.padding = (0, 1, 0, 0)
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    for part, row in parts.items():
        table.add_row(
            part or "all", _chance(row), *(_reached(audit, row.get(name)) for name in names)
        )
    return table


def _chance(row: Mapping[str, Probed]) -> Text:
    from rich.text import Text

    return Text(f"{next(iter(row.values())).majority:.3f} ", "dim")


def _reached(audit: Audit, probed: Probed | None) -> Text:
    from rich.text import Text

    if probed is None:
        return Text()
    if not probed.leaks(audit.settings):
        return Text(f"{probed.accuracy:.3f} ")
    return Text(f"{probed.accuracy:.3f}!", "bold red" if audit.leaks(probed) else "")


def _accuracy(audit: Audit, probed: Probed) -> Text:
    from rich.text import Text

    if probed.forced is None:
        return Text(f"{probed.accuracy:.3f}")
    text = f"{probed.accuracy:.3f}/{probed.forced:.3f}"
    if not probed.leaks(audit.settings):
        return Text(f"{text} ")
    return Text(f"{text}!", "bold red" if audit.leaks(probed) else "")


def _summary(audit: Audit) -> list[str]:
    lines = []
    if not audit.complete:
        lines.append(
            f"The probes of words and bigrams did not run: they need scikit-learn; {INSTALL}"
        )
    if audit.clean:
        lines.append("No faults.")
    else:
        count = len(audit.faults)
        noun = "check finds" if count == 1 else "checks find"
        lines.append(f"{count} {noun} faults: {', '.join(audit.faults)}")
    return lines
