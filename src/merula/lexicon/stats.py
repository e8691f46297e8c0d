"""What is in a table: lexemes by category, and for each column how full it is and with what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from merula.lexicon.profile import Kind, Profile, ProfileColumn, ProfileSection

MAX_VALUES = 20  # of a column, the commonest ones: more than a terminal shows
MAX_FORMS = 3  # of a column, the longest ones
MAX_EXAMPLES = 5  # lexemes with the same form in two columns


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
        """Return the statistics as plain JSON values."""
        return {
            "file": self.name,
            "kind": self.kind,
            "rows": self.rows,
            "sections": [_section_json(section) for section in self.sections],
        }


def statistics(profile: Profile) -> Statistics:
    """Return the statistics of a table."""
    return Statistics(
        profile.table.name,
        "sets" if profile.has_sets else "lexemes",
        len(profile.table),
        tuple(_section(profile, section) for section in profile.sections),
    )


def _section(profile: Profile, section: ProfileSection) -> SectionStatistics:
    columns = [column for column in section.columns if column.filled]
    same = [
        SameForms(
            (one.name, other.name), len(rows), tuple(profile.title(r) for r in rows[:MAX_EXAMPLES])
        )
        for one, other, rows in section.same_forms()
    ]
    return SectionStatistics(
        "" if profile.has_sets else section.category,
        len(section.rows),
        tuple(_column(column) for column in columns),
        tuple(sorted(same, key=lambda pair: -pair.rows)),
    )


def _column(column: ProfileColumn) -> ColumnStatistics:
    values = column.values
    commonest = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_VALUES]
    longest = sorted(column.counts, key=lambda cell: (-len(cell), cell))[:MAX_FORMS]
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
