"""What is in a table: lexemes by category, and for each column how full it is and with what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from merula.lexicography.profile import Column, Kind, Profile, Section
from merula.lexicon import CATEGORY

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

COMMONEST = 20  # values of a column that are kept
LONGEST = 3  # forms of a column that are kept
EXAMPLES = 5  # lexemes with the same form in two columns that are kept
WIDEST = 60  # characters of the values that are drawn


@dataclass(frozen=True)
class ColumnStatistics:
    """A column of a category: filled cells, distinct values, the commonest with their numbers.

    ``gloss`` is what a legend says of the column, or empty.
    """

    name: str
    kind: Kind
    gloss: str
    filled: int
    distinct: int
    commonest: tuple[tuple[str, int], ...]
    longest: tuple[str, ...]


@dataclass(frozen=True)
class SameForms:
    """Two columns of forms, and how many lexemes have the same form in both."""

    columns: tuple[str, str]
    rows: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class SectionStatistics:
    """The lexemes of a category (no category: all lexical sets)."""

    category: str
    rows: int
    columns: tuple[ColumnStatistics, ...]
    same_forms: tuple[SameForms, ...]


@dataclass(frozen=True)
class Statistics:
    """A table: ``kind`` is ``sets`` or ``lexemes``."""

    name: str
    kind: str
    rows: int
    sections: tuple[SectionStatistics, ...]

    def to_json(self) -> dict[str, Any]:
        """The statistics as plain JSON values."""
        return {
            "file": self.name,
            "kind": self.kind,
            "rows": self.rows,
            "sections": [_section_json(section) for section in self.sections],
        }


def statistics(found: Profile) -> Statistics:
    """The statistics of a table."""
    return Statistics(
        found.table.name,
        "sets" if found.has_sets else "lexemes",
        len(found.table),
        tuple(_section(found, section) for section in found.sections),
    )


def _section(found: Profile, section: Section) -> SectionStatistics:
    columns = [column for column in section.columns if column.filled]
    same = [
        SameForms((one.name, other.name), len(rows), tuple(found.title(r) for r in rows[:EXAMPLES]))
        for one, other, rows in section.same_forms()
    ]
    return SectionStatistics(
        "" if found.has_sets else section.category,
        len(section.rows),
        tuple(_column(column) for column in columns),
        tuple(sorted(same, key=lambda pair: -pair.rows)),
    )


def _column(column: Column) -> ColumnStatistics:
    values = column.values
    commonest = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:COMMONEST]
    longest = sorted(column.counts, key=lambda cell: (-len(cell), cell))[:LONGEST]
    return ColumnStatistics(
        column.name,
        column.kind,
        column.gloss,
        column.filled,
        len(values),
        tuple(commonest),
        tuple(longest),
    )


def _section_json(section: SectionStatistics) -> dict[str, Any]:
    data = asdict(section)
    for column in data["columns"]:
        column["commonest"] = [{"value": v, "count": n} for v, n in column["commonest"]]
    return data


def drawing(found: Statistics) -> RenderableType:
    """The statistics as tables, one for each category."""
    from rich.console import Group
    from rich.text import Text

    noun = {"sets": "lexical set", "lexemes": "lexeme"}[found.kind]
    parts: list[RenderableType] = [
        Text.assemble((found.name, "bold"), f" · {found.rows:,} {noun}{'s' * (found.rows != 1)}")
    ]
    for section in found.sections:
        if section.category or len(found.sections) > 1:
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
            continue  # its only value stands above the table
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
    """What a legend says of a column, above what stands in it."""
    from rich.text import Text

    return Text.assemble((fill(column.gloss, WIDEST), "dim"), "\n", _shown(column))


def _shown(column: ColumnStatistics) -> str:
    """The commonest values with their numbers, or the longest forms, as far as they fit."""
    if column.kind in ("form", "text") or column.name in ("lemma", "set"):
        words = list(column.longest)
    else:
        words = [f"{value} {number:,}" for value, number in column.commonest]
    kept = [words[0]]
    for word in words[1:]:
        if len(", ".join([*kept, word])) > WIDEST:
            break
        kept.append(word)
    return ", ".join(kept) + (" …" if len(kept) < column.distinct else "")
