"""An audit as tables: the checks, their examples, the probes, and what follows."""

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

MOST_COLUMNS = 2  # parts that stand side by side


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
    own = [probed for probed in found.probes if probed.kind == MATRICES]
    if own:
        parts += _solvers(found, own)
    parts += [Text(), *(Text(line) for line in _summary(found))]
    return Group(*parts)


def _head(found: Audit) -> str:
    """What was read, in a line."""
    corpus = found.corpus
    numbers = [
        (len(corpus.files), "file"),
        (len(corpus.sentences), "sentence"),
        (len(corpus.pairs), "pair"),
        (len(corpus.matrices), "matrix"),
        (found.paradigms, "paradigm"),
    ]
    said = [f"{number:,} {_noun(noun, number)}" for number, noun in numbers if number]
    if corpus.splits:
        said.append(f"split into {', '.join(corpus.splits)}")
    return " · ".join(said)


def _noun(noun: str, number: int) -> str:
    if number == 1:
        return noun
    return "matrices" if noun == "matrix" else f"{noun}s"


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
        if result.number and not result.check.fault:
            note = " (told, no fault)"
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
    more = len(result.found.examples) - examples
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


def _solvers(found: Audit, own: list[Probed]) -> Iterable[RenderableType]:
    """What each solver of matrices reaches: a column a part, or a row where there are many."""
    from rich.text import Text

    parts: dict[str, dict[str, Probed]] = {}
    for probed in own:
        parts.setdefault(probed.part, {})[probed.probe] = probed
    yield Text()
    if len(parts) <= MOST_COLUMNS:
        yield _by_solver(found, parts)
    else:
        yield _by_part(found, parts, "shortcuts", BLIND)
        yield Text()
        yield _by_part(found, parts, "knowledge", TOLD)
    yield Text("how often the right answer is told; ! is more than may be", "dim")
    if not any("grammar" in row for row in parts.values()):
        why = "the data do not tell which answers are good sentences"
        yield Text(f"grammar, unseen and shown did not run: {why}", "dim")


def _by_solver(found: Audit, parts: Mapping[str, Mapping[str, Probed]]) -> Table:
    from rich.text import Text

    table = _table("shortcuts", *(part or "all" for part in parts), "what is taken")
    for column in table.columns[1:-1]:
        column.justify = "right"
        column.overflow = "fold"
    table.columns[0].no_wrap = True
    table.add_row("", *(_chance(row) for row in parts.values()), "any answer: chance")
    for name in SOLVERS:
        if any(name in row for row in parts.values()):
            cells = [_reached(found, row.get(name)) for row in parts.values()]
            table.add_row(Text(name), *cells, MEANINGS[name])
    return table


def _by_part(
    found: Audit, parts: Mapping[str, Mapping[str, Probed]], title: str, solvers: Iterable[str]
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
            part or "all", _chance(row), *(_reached(found, row.get(name)) for name in names)
        )
    return table


def _chance(row: Mapping[str, Probed]) -> Text:
    from rich.text import Text

    return Text(f"{next(iter(row.values())).majority:.3f} ", "dim")


def _reached(found: Audit, probed: Probed | None) -> Text:
    from rich.text import Text

    if probed is None:
        return Text()
    if not probed.leaks(found.settings):
        return Text(f"{probed.accuracy:.3f} ")
    return Text(f"{probed.accuracy:.3f}!", "bold red" if found.leaks(probed) else "")


def _accuracy(found: Audit, probed: Probed) -> Text:
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
