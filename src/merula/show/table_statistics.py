"""Statistics of a table, drawn for a terminal."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from merula.core.wording import counted
from merula.lexicon.stats import ColumnStatistics, SectionStatistics, Statistics
from merula.lexicon.table import CATEGORY

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

MAX_WIDTH = 60  # characters of the values that are drawn, so that a row fits into a terminal


def drawing(table: Statistics) -> RenderableType:
    """Return the statistics as tables, one for each category."""
    from rich.console import Group
    from rich.text import Text

    noun = {"sets": "lexical set", "lexemes": "lexeme"}[table.kind]
    parts: list[RenderableType] = [
        Text.assemble((table.name, "bold"), f" · {counted(table.rows, noun)}")
    ]
    for section in table.sections:
        if section.category or len(table.sections) > 1:
            name = section.category or "no category"
            parts += [Text(), Text.assemble((name, "bold"), f" · {section.rows:,}")]
        parts.append(_columns(section))
        for same in section.same_forms:
            more = " …" if same.rows > len(same.examples) else ""
            parts.append(
                Text(
                    f"{' = '.join(same.columns)} in {same.rows:,} of {section.rows:,}:"
                    f" {', '.join(same.examples)}{more}"
                )
            )
    return Group(*parts)


def _columns(section: SectionStatistics) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("column", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    for title in ("filled", "", "values"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("commonest values, longest forms")
    for column in section.columns:
        if column.name == CATEGORY:
            continue  # its only value is above the table
        table.add_row(
            Text(column.name, "bold"),
            column.kind,
            f"{column.filled:,}",
            f"{column.filled / section.rows:.0%}",
            f"{column.distinct:,}",
            Text(_shown(column)) if not column.gloss else _glossed(column),
        )
    return table


def _glossed(column: ColumnStatistics) -> Text:
    """Return the legend's gloss of a column, above its values."""
    from rich.text import Text

    return Text.assemble((fill(column.gloss, MAX_WIDTH), "dim"), "\n", _shown(column))


def _shown(column: ColumnStatistics) -> str:
    """Return the commonest values with their numbers, or the longest forms, as far as they fit."""
    if column.kind in ("form", "text") or column.name in ("lemma", "set"):
        words = list(column.longest)
    else:
        words = [f"{value} {number:,}" for value, number in column.commonest]
    kept = [words[0]]
    for word in words[1:]:
        if len(", ".join([*kept, word])) > MAX_WIDTH:
            break
        kept.append(word)
    return ", ".join(kept) + (" …" if len(kept) < column.distinct else "")
