"""Characters in a table that are likely to be slips: invisible, look-alike, garbled, stray.

Each check takes a `Profile` and yields warnings, at most one for each kind of fault, with the first
places of it. `merula.lexicon.oddities` runs them. ASCII cells, the bulk of most tables, are passed
over quickly.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from merula.core.diagnostics import Diagnostic
from merula.lexicon.profile import Profile, odd

MAX_WITH_DIGITS = 0.05  # the share of a column's cells with digits, where these may be slips
LETTERS = re.compile(r"[^\W\d_]+")
# Alphabets with letters that look alike; other scripts are mixed on purpose (kanji and kana).
ALPHABETS = ("LATIN", "CYRILLIC", "GREEK")
PHONETIC = frozenset("βθχ")  # Greek letters of the International Phonetic Alphabet
APOSTROPHES = re.compile(r"(?<=[^\W\d_])[`\u00b4\u2018\u2032\u201b\uff07](?=[^\W\d_]|$|\s)")
APOSTROPHE = re.compile(r"(?<=[^\W\d_])['\u2019]")
DIGIT_INSIDE = re.compile(r"(?<=[^\W\d_])\d(?=[^\W\d_])")
SPACES = re.compile(r"^\s|\s$|\s\s|\u00a0|\u202f")
QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')


def invisible(profile: Profile) -> Iterator[Diagnostic]:
    """Report characters that nobody sees: zero-width ones, soft hyphens, marks of direction."""
    for where, cell, rows in _cells(profile, _invisible):
        char = _invisible(cell)
        name = unicodedata.name(char, "a character without a name").lower()
        yield odd(
            "M334",
            f"`{_marked(cell)}` in {where} holds an invisible character,"
            f" U+{ord(char):04X} ({name})",
            rows,
            remedy="delete it, or type the cell again",
        )


def _invisible(cell: str) -> str:
    """Return the first character of a cell that nobody sees, or an empty string.

    Scripts that need joiners and marks of direction (Arabic, Devanagari …) may have them.
    """
    if cell.isascii():
        return ""
    for char in cell:
        if unicodedata.category(char) in ("Cf", "Co", "Cn", "Cs", "Zl", "Zp"):
            needed = any(c.isalpha() and not _alphabet(c) for c in cell)
            return "" if needed else char
    return ""


def garbled(profile: Profile) -> Iterator[Diagnostic]:
    """Report text that was read or written in the wrong encoding once (*Ã©* for *é*)."""
    for where, cell, rows in _cells(profile, _mended):
        mended = _mended(cell)
        meant = f"; it may be `{mended}`" if mended != cell else ""
        yield odd(
            "M336",
            f"`{cell}` in {where} is garbled{meant}",
            rows,
            remedy="the table was saved or opened in another encoding than its own: take the"
            " original, open it as UTF-8, and save it as UTF-8",
        )


def _mended(cell: str) -> str:
    """Return a garbled cell as it was (itself, if that is lost), or "" for one that is fine."""
    if cell.isascii():
        return ""
    if "\ufffd" in cell:
        return cell
    for encoding in ("cp1252", "latin-1"):
        try:
            return cell.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return ""


def mixed_scripts(profile: Profile) -> Iterator[Diagnostic]:
    """Report words with letters of two alphabets (a Cyrillic *а* in a Latin word)."""
    for where, cell, rows in _cells(profile, _stranger):
        word, char = _stranger(cell).split(" ")
        yield odd(
            "M335",
            f"`{word}` in {where} mixes alphabets: its `{char}` is"
            f" {unicodedata.name(char).lower()}",
            rows,
            remedy="type the word again in one alphabet",
        )


def _stranger(cell: str) -> str:
    """Return the first word of two alphabets and its first letter of the rarer one, or nothing."""
    if cell.isascii():
        return ""
    for word in LETTERS.findall(cell):
        scripts = [_alphabet(char) for char in word]
        alphabets = sorted({a for a in scripts if a}, key=scripts.count)
        if len(alphabets) > 1:
            return f"{word} {word[scripts.index(alphabets[0])]}"
    return ""


@lru_cache(maxsize=5_000)
def _alphabet(char: str) -> str:
    name = unicodedata.name(char, "").partition(" ")[0]
    return name if name in ALPHABETS and char not in PHONETIC else ""


def apostrophes(profile: Profile) -> Iterator[Diagnostic]:
    """Report signs that only look like an apostrophe, so that no rule of elision sees them."""
    for where, cell, rows in _cells(profile, APOSTROPHES.search):
        sign = APOSTROPHES.search(cell)
        assert sign is not None
        name = unicodedata.name(sign.group()).lower()
        yield odd(
            "M337",
            f"`{cell}` in {where} has a sign that is not an apostrophe ({name})",
            rows,
            remedy="write `" + APOSTROPHES.sub("'", cell) + "`",
        )


def two_apostrophes(profile: Profile) -> Iterator[Diagnostic]:
    """Report straight and curly apostrophes in one table."""
    rows = {"'": Counter[int](), "\u2019": Counter[int]()}
    for number, row in enumerate(profile.written):
        for cell in row:
            for sign in APOSTROPHE.findall(cell):
                rows[sign][number] += 1
    few, many = sorted(rows, key=lambda sign: rows[sign].total())
    if rows[few]:
        yield odd(
            "M338",
            f"apostrophes are written in two ways, `{many}` ({rows[many].total():,}) and `{few}`"
            f" ({rows[few].total():,})",
            _written_places(profile, rows[few]),
            remedy="Merula reads both as `'`; write one, so that other programs see one",
        )


def digits(profile: Profile) -> Iterator[Diagnostic]:
    """Report digits inside words of a column of forms (*h0use*)."""
    for section in profile.sections:
        for column in section.columns:
            if column.kind != "form":
                continue
            cells = [cell for cell in column.counts if DIGIT_INSIDE.search(cell)]
            if cells and len(cells) <= max(1, MAX_WITH_DIGITS * column.filled):
                rows = [row for row, _ in _holding(column.cells, set(cells))]
                yield odd(
                    "M339",
                    f"`{cells[0]}` in the column `{column.name}` has a digit inside a word",
                    profile.places([section.rows[row] for row in rows]),
                    remedy="type it again, if a letter is meant",
                )


def spaces(profile: Profile) -> Iterator[Diagnostic]:
    """Report spaces at the ends of cells, doubled, or of another kind; the reader removes them."""
    rows = [
        number
        for number, row in enumerate(profile.written)
        for cell in row
        if not cell.isalnum() and SPACES.search(cell) and cell.strip()
    ]
    if rows:
        yield odd(
            "M340",
            f"{'a cell has' if len(rows) == 1 else f'{len(rows):,} cells have'} spaces at the ends,"
            " two in a row, or no-break spaces",
            _written_places(profile, dict.fromkeys(rows)),
            remedy="Merula takes them away; take them away in the table, so that other programs"
            " read the same",
        )


def quotation_marks(profile: Profile) -> Iterator[Diagnostic]:
    """Report quotation marks around cells of a table with tabs, where they belong to the text."""
    for where, cell, rows in _cells(profile, QUOTED.fullmatch):
        yield odd(
            "M347",
            f"the quotation marks around {cell} in {where} are part of the text",
            rows,
            remedy="take them away: cells between tabs need none",
        )


def _cells(
    profile: Profile, wrong: Callable[[str], object]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the first cell in which something is wrong, where it stands, and the places of all."""
    header = [title for title in profile.table.columns if wrong(title)]
    faulty = {
        (row, name): cell
        for name, cells in profile.table.columns.items()
        for row, cell in _holding(cells, {c for c in profile.distinct[name] if wrong(c)})
    }
    rows = profile.places(sorted({row for row, _ in faulty}))
    if header:
        yield "the header", header[0], (*profile.head, *rows)
    elif faulty:
        row, name = min(faulty, key=lambda place: place[0])
        yield f"the column `{name}`", faulty[row, name], rows


def _holding(cells: Sequence[str], faulty: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the rows whose cells are among some, with these."""
    if faulty:
        yield from ((row, cell) for row, cell in enumerate(cells) if cell in faulty)


def _written_places(profile: Profile, numbers: Iterable[int]) -> tuple[str, ...]:
    """Return places of rows counted with the header."""
    return tuple(profile.head[0] if n == 0 else profile.table.place(n - 1) for n in numbers)


def _marked(cell: str) -> str:
    """Return a cell with its invisible characters shown."""
    return "".join(f"<U+{ord(c):04X}>" if _invisible(c) else c for c in cell)


CHARACTER_CHECKS = (
    invisible,
    garbled,
    mixed_scripts,
    apostrophes,
    two_apostrophes,
    digits,
    spaces,
    quotation_marks,
)
