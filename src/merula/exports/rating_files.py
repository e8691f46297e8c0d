"""Lists that raters have filled in, read line by line, with all their faults."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from merula.core.diagnostics import Diagnostic
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.exports.latin_square import TABLE

ROW = ("config", "address", "cell")  # what names a row of the published data
RATERS = ("rater", "participant")  # columns that say who has rated
SEPARATORS = (",", ";", "\t")
# Faults of a file that are shown one by one: a terminal shows those of a few files at once.
MAX_FAULTS_SHOWN = 5


@frozen
class RatingLine:
    """A line of a list: its file and number, its cells by their headers, the rater."""

    file: str
    number: int
    cells: dict[str, str]
    rater: str

    @property
    def place(self) -> str:
        """Return the file and the number of the line."""
        return f"{self.file}:{self.number}"

    @property
    def sentence(self) -> str:
        """Return the sentence; empty where the list does not have this column."""
        return self.cells.get("sentence", "")

    @property
    def rating(self) -> str:
        """Return the rater's text; empty for ``NA``, as R writes a missing value."""
        text = self.cells["rating"].strip()
        return "" if text == "NA" else text


@frozen
class RatedFile:
    """A list that was read: its lines and its faults.

    ``fillers`` counts the lines without a code, address or cell, as a study puts them in.
    """

    lines: tuple[RatingLine, ...]
    faults: tuple[Diagnostic, ...]
    names_raters: bool = False  # whether a column says who has rated
    fillers: int = 0


def fault(code: str, message: str, remedy: str, place: str) -> Diagnostic:
    """Return a fault at a place."""
    return Diagnostic(code, message, remedy=remedy, place=place)


def read_file(path: Path, rater: str) -> RatedFile:
    """Return the lines of a file that are not empty; ``rater`` is who filled in a list that
    does not say so.

    Cells may be separated by commas, semicolons or tabs: whichever the first line has most of.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return RatedFile((), (_unreadable(path, error),))
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        names = [_header(name.strip()) for name in next(reader, [])]
        missing = _missing(names)
        if missing:
            remedy = did_you_mean(missing, names) or f"a list has {listing(TABLE)}"
            message = f"{path} has no column {missing}"
            return RatedFile((), (fault("M747", message, remedy, str(path)),))
        return _lines(path, names, reader, rater)
    except csv.Error as error:
        place = f"{path}:{reader.line_num}"
        return RatedFile((), (fault("M747", f"this is not CSV: {error}", "save it again", place),))


def _header(name: str) -> str:
    """Return a header in lower case if lists have it, else unchanged."""
    return name.casefold() if name.casefold() in (*TABLE, *RATERS) else name


def _missing(names: Sequence[str]) -> str:
    """Return a column that is missing: the rating, or one that names the row; or ""."""
    if "rating" not in names:
        return "rating"
    if "code" in names or all(name in names for name in ROW):
        return ""
    return next((name for name in ROW if name not in names and {*ROW} & {*names}), "code")


def _lines(path: Path, names: Sequence[str], reader: Any, rater: str) -> RatedFile:
    rater_column = next((name for name in RATERS if name in names), None)
    lines, faults, fillers = [], [], 0
    for cells in reader:
        number = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) < len(names) or any(cells[len(names) :]):
            how = "fewer" if len(cells) < len(names) else "more"
            message = f"this line has {how} cells than the first line"
            faults.append(fault("M747", message, "restore it", f"{path}:{number}"))
            continue
        row = dict(zip(names, cells, strict=False))
        if any(row.get(name, "").strip() for name in ("code", *ROW)):
            lines.append(
                RatingLine(
                    str(path), number, row, row[rater_column].strip() if rater_column else rater
                )
            )
        else:
            fillers += 1
    return RatedFile(tuple(lines), tuple(faults), rater_column is not None, fillers)


def _unreadable(path: Path, error: OSError | UnicodeDecodeError) -> Diagnostic:
    """Return the fault of a file that cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        reason, remedy = "it is not in UTF-8", "save it in the spreadsheet as CSV in UTF-8"
        if path.suffix.casefold() in (".xlsx", ".xls", ".ods", ".numbers"):
            reason = "it is a spreadsheet, not CSV"
    elif path.is_dir():
        reason, remedy = "it is a folder", f"name its files: {path / '*.csv'}"
    elif not path.exists():
        siblings = [file.name for file in path.parent.glob("*.csv")] if path.parent.is_dir() else []
        reason = "it does not exist"
        remedy = did_you_mean(path.name, siblings) or "check the name and the folder"
    else:
        reason, remedy = error.strerror or str(error), "check that you may read it"
    return fault("M747", f"{path} cannot be read: {reason}", remedy, str(path))


def fewer(faults: Sequence[Diagnostic], file: str) -> Iterator[Diagnostic]:
    """Yield the first faults of a file, and the count of the rest if that is more than one."""
    if len(faults) <= MAX_FAULTS_SHOWN + 1:
        yield from faults
        return
    yield from faults[:MAX_FAULTS_SHOWN]
    message = f"{len(faults) - MAX_FAULTS_SHOWN:,} more lines of {file} are wrong"
    remedy = "mend the first ones; if none fits, check that these lists are of these data"
    yield fault(faults[-1].code, message, remedy, file)
