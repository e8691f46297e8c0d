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
from merula.lexicon.profile import MIN_ROWS, NAMES, SET, Profile, ProfileColumn, odd, profile_of
from merula.lexicon.table import (
    ANY,
    CATEGORY,
    LEMMA,
    TableFormat,
    has_several,
    members,
    one_form_each,
)

Check = Callable[[Profile], Iterator[Diagnostic]]

MIN_FREQUENT = 3  # times that a value occurs which another may be a slip of
MIN_LETTERS = 4  # of words that may be slips of each other: *sg* and *pg* are not
MAX_VALUES = 2_000  # of a column whose values are compared with each other: about a second
MIN_FILLED = 0.95  # the share of a column's cells that is filled, so that an empty one is a gap
MAX_SAME = 0.1  # the share of lexemes with the same form in two columns that otherwise differ
NUMBERS = frozenset("sg sing singular du dual pl plur plural".split())
MAX_WARNINGS = 10  # of a check: one screen of a terminal
MAX_COPIES = 5  # rows with the same form, copied by mistake: more are syncretism or features
MAX_NAMES = 5  # lexemes that a warning names: one line
SEPARATED = re.compile(r"\s*[,;/]\s*")


def check_table(
    name: str, data: bytes, form: TableFormat, report: Report, legend: Legend | None = None
) -> Profile | None:
    """Report everything that is wrong or odd in a table; its profile, if it can be read.

    Where a legend says what is in the columns, nothing is guessed about that.
    """
    profile = profile_of(name, data, form, report, legend)
    if profile is not None:
        by_legend = () if profile.legend is None else TOLD
        for check in CHECKS:
            if check not in by_legend:
                report.extend(_few(list(check(profile))))
        if profile.legend is not None:
            check_legend(profile.table, profile.legend, report)
    return profile


def _few(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return the first warnings of a check; the last of them counts those left out."""
    more = len(problems) - MAX_WARNINGS
    if more <= 0:
        return problems
    last = problems[MAX_WARNINGS - 1]
    notes = (*last.notes, f"{more:,} more warnings of this kind are left out")
    return [*problems[: MAX_WARNINGS - 1], replace(last, notes=notes)]


# --- columns -------------------------------------------------------------------------------


def headers(profile: Profile) -> Iterator[Diagnostic]:
    """Report headers that are nearly a name that means something, or nearly another object."""
    titles = list(profile.table.columns)
    for title in titles:
        for known in NAMES:
            alike = title.casefold() == known or _is_slip(title, known)
            reported = known in titles or (known == LEMMA and CATEGORY in titles)  # by the compiler
            if alike and not reported:
                yield odd(
                    "M331",
                    f"the column `{title}` looks like a slip of `{known}`",
                    profile.head,
                    remedy=f"call it `{known}`, if that is meant",
                )
    if not profile.has_sets:
        return
    objects = Counter(title.partition(".")[0] for title in titles if "." in title)
    for slip, known in _slips(objects, frequent=2):
        title = next(title for title in titles if title.startswith(f"{slip}."))
        yield odd(
            "M331",
            f"the column `{title}` looks like a slip of `{known}{title.removeprefix(slip)}`",
            profile.head,
            remedy=f"write `{known}`, if that object is meant",
        )


def empty_columns(profile: Profile) -> Iterator[Diagnostic]:
    """Report columns without a single cell."""
    for name, cells in profile.table.columns.items():
        if not any(cells):
            yield odd(
                "M342",
                f"the column `{name}` is empty",
                profile.head,
                remedy="delete it, or fill it",
            )


def gaps(profile: Profile) -> Iterator[Diagnostic]:
    """Report empty cells in a column that is filled for nearly all of a category."""
    for section in profile.sections:
        for column in section.columns:
            empty = [row for row, cell in enumerate(column.cells) if not cell]
            if column.name in (LEMMA, CATEGORY) or not _is_gap(len(empty), len(column.cells)):
                continue
            of = f" of {section.category}" if section.category and not profile.has_sets else ""
            number = len(column.cells) - len(empty)
            yield odd(
                "M341",
                f"the column `{column.name}` is filled in {number:,} of {len(column.cells):,}"
                f" rows{of}, but not here",
                profile.places([section.rows[row] for row in empty]),
                remedy="fill the cells; a row without a form that is needed is left out",
            )


def _is_gap(empty: int, rows: int) -> bool:
    return rows >= MIN_ROWS and 0 < empty <= max(1, (1 - MIN_FILLED) * rows)


# --- rows ----------------------------------------------------------------------------------


def doubles(profile: Profile) -> Iterator[Diagnostic]:
    """Report rows that differ in their name at most; equal names are an error already."""
    for section in profile.sections:
        shown = [column for column in section.columns if column.name not in NAMES]
        first: dict[tuple[str, ...], int] = {}
        again: list[tuple[int, int]] = []
        counts = [Counter(column.cells) for column in shown]
        lines = zip(*(column.cells for column in shown), strict=True)
        for row, cells in zip(section.rows, lines, strict=False):
            original = first.setdefault(cells, row) if any(cells) else row
            rare = tuple(c for c, n in zip(cells, counts, strict=True) if n[c] <= MAX_COPIES)
            if original != row and _is_double(profile, original, row, rare):
                again.append((row, original))
        if again:
            _, original = again[0]
            named = LEMMA in profile.table.columns or SET in profile.table.columns
            but = "but for its name, " if named else ""
            yield odd(
                "M330",
                f"{but}this row is the same as `{profile.title(original)}`"
                f" ({profile.table.place(original)})",
                profile.places(row for row, _ in again),
                remedy="delete one, or tell them apart",
            )


def _is_double(profile: Profile, one: int, other: int, cells: tuple[str, ...]) -> bool:
    """Return whether rows with the same cells, but for their names, are one row written twice.

    Rows of the same name are an error already. Lexemes without forms of their own show their
    lemmas, so that they may have the same features; that there are forms is told by a word that
    begins like the lemma. ``cells`` are those that few rows have, as features are not.
    """
    if profile.has_sets:
        names = profile.table.columns.get(SET)
        return names is None or names[one] != names[other]
    lemmas = profile.table.columns.get(LEMMA, ())
    if not lemmas or lemmas[one] == lemmas[other]:
        return False
    start = lemmas[one][:3].casefold()
    words = (word for cell in cells for word in cell.casefold().split())
    return bool(start) and any(word.startswith(start) for word in words)


def same_forms(profile: Profile) -> Iterator[Diagnostic]:
    """Report lexemes without the difference that two columns otherwise show (*sheep*)."""
    for section in profile.sections:
        for one, other, rows in section.same_forms():
            both = sum(bool(a and b) for a, b in zip(one.cells, other.cells, strict=True))
            differ = set(one.name.split(".")) ^ set(other.name.split("."))
            if 2 * len(rows) > both or not (differ <= NUMBERS or len(rows) <= MAX_SAME * both):
                continue
            named = listing(f"`{profile.title(row)}`" for row in rows[:MAX_NAMES])
            more = f" and {len(rows) - MAX_NAMES:,} more" if rows[MAX_NAMES:] else ""
            yield odd(
                "M344",
                f"{named}{more} {_has(len(rows))} the same form in `{one.name}` and `{other.name}`",
                profile.places(rows),
                remedy="nothing is wrong if they are alike; designs that contrast these forms leave"
                " the rows out",
            )


def several_forms(profile: Profile) -> Iterator[Diagnostic]:
    """Report cells of a column of forms with several of them (*learned | learnt*)."""
    for section in profile.sections:
        for column in section.columns:
            barred = [row for row, cell in enumerate(column.cells) if has_several(cell)]
            if column.kind == "form" and barred:
                cell, title = column.cells[barred[0]], profile.title(section.rows[barred[0]])
                yield odd(
                    "M348",
                    f"`{title}` has `{cell}` in `{column.name}`, but a form is one text",
                    profile.places([section.rows[row] for row in barred]),
                    remedy=one_form_each(title, cell),
                )


# --- values --------------------------------------------------------------------------------


def slips_of_values(profile: Profile) -> Iterator[Diagnostic]:
    """Report values that occur once and are nearly another one that is frequent (*perosn*)."""
    for name, columns in _closed(profile):
        values = sum((column.values for column in columns), Counter[str]())
        if len(values) > MAX_VALUES:
            continue
        for slip, known in _slips(values, frequent=MIN_FREQUENT):
            yield odd(
                "M332",
                f"`{slip}` in the column `{name}` looks like a slip of `{known}`, which stands"
                f" there {values[known]:,} times",
                profile.places(_holding(profile, name, slip)),
                remedy=f"write `{known}`, if that is meant",
            )


def letter_case(profile: Profile) -> Iterator[Diagnostic]:
    """Report values that differ in nothing but capitals."""
    for name, columns in _closed(profile):
        values = sum((column.values for column in columns), Counter[str]())
        alike: dict[str, list[str]] = {}
        for value in values:
            alike.setdefault(value.casefold(), []).append(value)
        for group in alike.values():
            usual, *others = sorted(group, key=lambda value: (-values[value], value))
            if others and values[usual] > 1:
                rows = [row for other in others for row in _holding(profile, name, other)]
                yield odd(
                    "M333",
                    f"{listing(f'`{other}`' for other in others)} and `{usual}` are different"
                    f" values of the column `{name}`",
                    profile.places(sorted(rows)),
                    remedy=f"write `{usual}` everywhere, if they are the same",
                )


def selections(profile: Profile) -> Iterator[Diagnostic]:
    """Report cells of a column of selections that cannot be read."""
    for section in profile.sections:
        for column in section.columns:
            if column.kind != "selection":
                continue
            for cell in column.counts:
                row = section.rows[column.cells.index(cell)]
                where = f"{profile.table.place(row)}, column {column.name}"
                report = Report()
                if cell != ANY and parse_cell(Source(where, cell, cell=True), report) is None:
                    (problem, *_) = report.items
                    yield replace(
                        problem,
                        code="M345",
                        severity="warning",
                        message=f"this selection cannot be read: {problem.message}",
                    )


def separated_values(profile: Profile) -> Iterator[Diagnostic]:
    """Report cells of features that set values off by commas, where ``|`` is meant."""
    for name, columns in _closed(profile):
        cells = [cell for column in columns if column.kind == "feature" for cell in column.counts]
        values = {value for cell in cells for value in members(cell)}
        for cell in dict.fromkeys(cells):
            parts = SEPARATED.split(cell)
            if len(parts) > 1 and "|" not in cell and values.issuperset(parts):
                yield odd(
                    "M346",
                    f"`{cell}` is one value of the column `{name}`",
                    profile.places(_holding(profile, name, cell)),
                    remedy=f"write `{' | '.join(parts)}`, if several values are meant",
                )


def _closed(profile: Profile) -> Iterator[tuple[str, list[ProfileColumn]]]:
    """Yield the columns that hold few values again and again, with their sections."""
    by_name: dict[str, list[ProfileColumn]] = {}
    for section in profile.sections:
        for column in section.columns:
            if column.filled:
                by_name.setdefault(column.name, []).append(column)
    for name, columns in by_name.items():
        closed = sum(c.filled for c in columns if c.kind in ("feature", "selection"))
        if name == CATEGORY or 2 * closed > sum(c.filled for c in columns):
            yield name, columns


def _holding(profile: Profile, name: str, value: str) -> list[int]:
    """Return the rows that have a value, or a word of a selection, in a column."""
    word = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])")
    holding = {cell for cell in profile.distinct[name] if word.search(cell)}
    return [row for row, cell in enumerate(profile.table.columns[name]) if cell in holding]


# --- slips ---------------------------------------------------------------------------------


def _slips(values: Counter[str], *, frequent: int) -> Iterator[tuple[str, str]]:
    """Report values that occur once, each with the frequent value that it is nearly the same as."""
    usual = [value for value, number in values.most_common() if number >= frequent]
    for value, number in values.items():
        if number == 1:
            near = (other for other in usual if _is_slip(value, other))
            yield from ((value, known) for known in islice(near, 1))


def _is_slip(word: str, known: str) -> bool:
    """Return whether a word is another with a letter too many, too few or wrong, or two exchanged.

    Short words are never slips of each other, nor are names that differ in a digit (``n1``,
    ``n2``) and values that are the same but for capitals.
    """
    if min(len(word), len(known)) < MIN_LETTERS or word.casefold() == known.casefold():
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
    several_forms,
    slips_of_values,
    letter_case,
    selections,
    separated_values,
    *CHARACTER_CHECKS,
)
