"""What a careful lexicographer sees in a table alone, without a grammar that uses it.

Each check is a function from a `Profile` to warnings: one for each column and kind of fault, with
the first places of it. They name what is likely to be a slip, so they keep silent where a table
may well be meant as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from merula.core.diagnostics import Diagnostic, Report
from merula.core.source import Source
from merula.core.wording import listing
from merula.language.parse import parse_cell
from merula.lexicon.characters import CHARACTER_CHECKS
from merula.lexicon.conformity import check_legend
from merula.lexicon.legend import Legend
from merula.lexicon.profile import FEWEST, NAMES, SET, Profile, ProfileColumn, odd, profile
from merula.lexicon.table import ANY, CATEGORY, LEMMA, TableFormat, members

Check = Callable[[Profile], Iterator[Diagnostic]]

FREQUENT = 3  # times that a value occurs which another may be a slip of
SHORTEST = 4  # letters of words that may be slips of each other
MOST_VALUES = 2000  # of a column whose values are compared with each other
FULL = 0.95  # of the cells of a column are filled, so that an empty one is a gap
RARE = 0.1  # of the lexemes have the same form in two columns that otherwise differ
NUMBERS = frozenset("sg sing singular du dual pl plur plural".split())
MOST = 10  # warnings of a check that are given
COPIES = 5  # rows with the same form, copied by mistake
SHOWN = 5  # lexemes that a warning names
SEPARATED = re.compile(r"\s*[,;/]\s*")


def check_table(
    name: str, data: bytes, form: TableFormat, report: Report, legend: Legend | None = None
) -> Profile | None:
    """Report everything that is wrong or odd in a table; its profile, if it can be read.

    Where a legend says what stands in the columns, nothing is guessed about that.
    """
    found = profile(name, data, form, report, legend)
    if found is not None:
        told = () if found.legend is None else TOLD
        for check in CHECKS:
            if check not in told:
                report.extend(_few(list(check(found))))
        if found.legend is not None:
            check_legend(found.table, found.legend, report)
    return found


def _few(problems: list[Diagnostic]) -> list[Diagnostic]:
    """The first of the warnings of a check; the last of these tells how many more there are."""
    more = len(problems) - MOST
    if more <= 0:
        return problems
    last = problems[MOST - 1]
    notes = (*last.notes, f"{more:,} more warnings of this kind are left out")
    return [*problems[: MOST - 1], replace(last, notes=notes)]


# --- columns -------------------------------------------------------------------------------


def headers(found: Profile) -> Iterator[Diagnostic]:
    """Headers that are nearly a name that means something, or nearly another object."""
    titles = list(found.table.columns)
    for title in titles:
        for known in NAMES:
            alike = title.casefold() == known or _is_slip(title, known)
            told = known in titles or (known == LEMMA and CATEGORY in titles)  # by the compiler
            if alike and not told:
                yield odd(
                    "M331",
                    f"the column `{title}` looks like a slip of `{known}`",
                    found.head,
                    remedy=f"call it `{known}`, if that is meant",
                )
    if not found.has_sets:
        return
    objects = Counter(title.partition(".")[0] for title in titles if "." in title)
    for slip, known in _slips(objects, frequent=2):
        title = next(title for title in titles if title.startswith(f"{slip}."))
        yield odd(
            "M331",
            f"the column `{title}` looks like a slip of `{known}{title.removeprefix(slip)}`",
            found.head,
            remedy=f"write `{known}`, if that object is meant",
        )


def empty_columns(found: Profile) -> Iterator[Diagnostic]:
    """Columns without a single cell."""
    for name, cells in found.table.columns.items():
        if not any(cells):
            yield odd(
                "M342",
                f"the column `{name}` is empty",
                found.head,
                remedy="delete it, or fill it",
            )


def gaps(found: Profile) -> Iterator[Diagnostic]:
    """Empty cells in a column that is filled for nearly all of a category."""
    for section in found.sections:
        for column in section.columns:
            empty = [row for row, cell in enumerate(column.cells) if not cell]
            if column.name in (LEMMA, CATEGORY) or not _is_gap(len(empty), len(column.cells)):
                continue
            of = f" of {section.category}" if section.category and not found.has_sets else ""
            number = len(column.cells) - len(empty)
            yield odd(
                "M341",
                f"the column `{column.name}` is filled in {number:,} of {len(column.cells):,}"
                f" rows{of}, but not here",
                found.places([section.rows[row] for row in empty]),
                remedy="fill the cells; a row without a form that is needed is left out",
            )


def _is_gap(empty: int, rows: int) -> bool:
    return rows >= FEWEST and 0 < empty <= max(1, (1 - FULL) * rows)


# --- rows ----------------------------------------------------------------------------------


def doubles(found: Profile) -> Iterator[Diagnostic]:
    """Rows that differ in their name at most. (What has the same name is an error already.)"""
    for section in found.sections:
        shown = [column for column in section.columns if column.name not in NAMES]
        first: dict[tuple[str, ...], int] = {}
        again: list[tuple[int, int]] = []
        counts = [Counter(column.cells) for column in shown]
        lines = zip(*(column.cells for column in shown), strict=True)
        for row, cells in zip(section.rows, lines, strict=False):
            original = first.setdefault(cells, row) if any(cells) else row
            rare = tuple(c for c, n in zip(cells, counts, strict=True) if n[c] <= COPIES)
            if original != row and _is_double(found, original, row, rare):
                again.append((row, original))
        if again:
            _, original = again[0]
            named = LEMMA in found.table.columns or SET in found.table.columns
            but = "but for its name, " if named else ""
            yield odd(
                "M330",
                f"{but}this row is the same as `{found.title(original)}`"
                f" ({found.table.place(original)})",
                found.places(row for row, _ in again),
                remedy="delete one, or tell them apart",
            )


def _is_double(found: Profile, one: int, other: int, cells: tuple[str, ...]) -> bool:
    """Whether rows with the same cells, but for their names, are one row written twice.

    Rows of the same name are an error already. Lexemes without forms of their own show their
    lemmas, so that they may have the same features; that there are forms is told by a word that
    begins like the lemma. ``cells`` are those that few rows have, as features are not.
    """
    if found.has_sets:
        names = found.table.columns.get(SET)
        return names is None or names[one] != names[other]
    lemmas = found.table.columns.get(LEMMA, ())
    if not lemmas or lemmas[one] == lemmas[other]:
        return False
    start = lemmas[one][:3].casefold()
    words = (word for cell in cells for word in cell.casefold().split())
    return bool(start) and any(word.startswith(start) for word in words)


def same_forms(found: Profile) -> Iterator[Diagnostic]:
    """Lexemes without the difference that two columns otherwise show (*sheep*)."""
    for section in found.sections:
        for one, other, rows in section.same_forms():
            both = sum(bool(a and b) for a, b in zip(one.cells, other.cells, strict=True))
            differ = set(one.name.split(".")) ^ set(other.name.split("."))
            if 2 * len(rows) > both or not (differ <= NUMBERS or len(rows) <= RARE * both):
                continue
            named = listing(f"`{found.title(row)}`" for row in rows[:SHOWN])
            more = f" and {len(rows) - SHOWN:,} more" if rows[SHOWN:] else ""
            yield odd(
                "M344",
                f"{named}{more} {_has(len(rows))} the same form in `{one.name}` and `{other.name}`",
                found.places(rows),
                remedy="nothing is wrong if they are alike; designs that contrast these forms leave"
                " the rows out",
            )


# --- values --------------------------------------------------------------------------------


def slips_of_values(found: Profile) -> Iterator[Diagnostic]:
    """Values that occur once and are nearly another one that is frequent (*perosn*)."""
    for name, columns in _closed(found):
        values = sum((column.values for column in columns), Counter[str]())
        if len(values) > MOST_VALUES:
            continue
        for slip, known in _slips(values, frequent=FREQUENT):
            yield odd(
                "M332",
                f"`{slip}` in the column `{name}` looks like a slip of `{known}`, which stands"
                f" there {values[known]:,} times",
                found.places(_holding(found, name, slip)),
                remedy=f"write `{known}`, if that is meant",
            )


def letter_case(found: Profile) -> Iterator[Diagnostic]:
    """Values that differ in nothing but capitals."""
    for name, columns in _closed(found):
        values = sum((column.values for column in columns), Counter[str]())
        alike: dict[str, list[str]] = {}
        for value in values:
            alike.setdefault(value.casefold(), []).append(value)
        for group in alike.values():
            usual, *others = sorted(group, key=lambda value: (-values[value], value))
            if others and values[usual] > 1:
                rows = [row for other in others for row in _holding(found, name, other)]
                yield odd(
                    "M333",
                    f"{listing(f'`{other}`' for other in others)} and `{usual}` are different"
                    f" values of the column `{name}`",
                    found.places(sorted(rows)),
                    remedy=f"write `{usual}` everywhere, if they are the same",
                )


def selections(found: Profile) -> Iterator[Diagnostic]:
    """Cells of a column of selections that cannot be read."""
    for section in found.sections:
        for column in section.columns:
            if column.kind != "selection":
                continue
            for cell in column.counts:
                row = section.rows[column.cells.index(cell)]
                where = f"{found.table.place(row)}, column {column.name}"
                report = Report()
                if cell != ANY and parse_cell(Source(where, cell, cell=True), report) is None:
                    (problem, *_) = report.items
                    yield replace(
                        problem,
                        code="M345",
                        severity="warning",
                        message=f"this selection cannot be read: {problem.message}",
                    )


def separated_values(found: Profile) -> Iterator[Diagnostic]:
    """Cells of features that set values off by commas, where ``|`` is meant."""
    for name, columns in _closed(found):
        cells = [cell for column in columns if column.kind == "feature" for cell in column.counts]
        values = {value for cell in cells for value in members(cell)}
        for cell in dict.fromkeys(cells):
            parts = SEPARATED.split(cell)
            if len(parts) > 1 and "|" not in cell and values.issuperset(parts):
                yield odd(
                    "M346",
                    f"`{cell}` is one value of the column `{name}`",
                    found.places(_holding(found, name, cell)),
                    remedy=f"write `{' | '.join(parts)}`, if several values are meant",
                )


def _closed(found: Profile) -> Iterator[tuple[str, list[ProfileColumn]]]:
    """The columns that hold few values again and again, with their sections."""
    by_name: dict[str, list[ProfileColumn]] = {}
    for section in found.sections:
        for column in section.columns:
            if column.filled:
                by_name.setdefault(column.name, []).append(column)
    for name, columns in by_name.items():
        closed = sum(c.filled for c in columns if c.kind in ("feature", "selection"))
        if name == CATEGORY or 2 * closed > sum(c.filled for c in columns):
            yield name, columns


def _holding(found: Profile, name: str, value: str) -> list[int]:
    """The rows that have a value, or a word of a selection, in a column."""
    word = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])")
    holding = {cell for cell in found.distinct[name] if word.search(cell)}
    return [row for row, cell in enumerate(found.table.columns[name]) if cell in holding]


# --- slips ---------------------------------------------------------------------------------


def _slips(values: Counter[str], *, frequent: int) -> Iterator[tuple[str, str]]:
    """Values that occur once, each with the frequent value that it is nearly the same as."""
    usual = [value for value, number in values.most_common() if number >= frequent]
    for value, number in values.items():
        if number == 1:
            near = (other for other in usual if _is_slip(value, other))
            yield from ((value, known) for known in islice(near, 1))


def _is_slip(word: str, known: str) -> bool:
    """Whether a word is another but for a letter too many, too few or wrong, or two exchanged.

    Short words are never slips of each other, nor are names that differ in a digit (``n1``,
    ``n2``) and values that are the same but for capitals.
    """
    if min(len(word), len(known)) < SHORTEST or word.casefold() == known.casefold():
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    mine, theirs = word[start:], known[start:]
    while mine and theirs and mine[-1] == theirs[-1]:
        mine, theirs = mine[:-1], theirs[:-1]
    if any(c.isdigit() for c in mine + theirs):
        return False
    exchanged = len(mine) == 2 and mine == theirs[::-1]
    return exchanged or (len(mine) <= 1 and len(theirs) <= 1)


def _has(number: int) -> str:
    return "has" if number == 1 else "have"


TOLD: tuple[Check, ...] = (gaps, slips_of_values, letter_case, selections, separated_values)
CHECKS: tuple[Check, ...] = (
    headers,
    empty_columns,
    gaps,
    doubles,
    same_forms,
    slips_of_values,
    letter_case,
    selections,
    separated_values,
    *CHARACTER_CHECKS,
)
