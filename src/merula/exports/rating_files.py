"""Lists that raters have filled in, read line by line, with everything that is wrong with them."""

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
SHOWN = 5  # faults of a file that are told one by one


@frozen
class RatingLine:
    """A line of a list: its file and number, its cells by their headers, who has rated."""

    file: str
    number: int
    cells: dict[str, str]
    rater: str

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.file}:{self.number}"

    @property
    def sentence(self) -> str:
        """Its sentence, if it has one."""
        return self.cells.get("sentence", "")

    @property
    def rating(self) -> str:
        """What the rater has written; nothing for ``NA``, as statistics programs write nothing."""
        text = self.cells["rating"].strip()
        return "" if text == "NA" else text


@frozen
class RatedFile:
    """A file: its lines, and what is wrong with it.

    Lines that name no row at all, such as fillers that were put in, are only counted.
    """

    lines: tuple[RatingLine, ...]
    faults: tuple[Diagnostic, ...]
    named: bool = False  # whether a column says who has rated
    fillers: int = 0


def fault(code: str, message: str, remedy: str, place: str) -> Diagnostic:
    """A fault at a place."""
    return Diagnostic(code, message, remedy=remedy, place=place)


def read_file(path: Path, rater: str) -> RatedFile:
    """The lines of a file that have anything in them; ``rater`` is who has rated if none is named.

    Cells may be separated by commas, semicolons or tabs.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return RatedFile((), (_unreadable(path, error),))
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        names = [_known(name.strip()) for name in next(reader, [])]
        missing = _missing(names)
        if missing:
            remedy = did_you_mean(missing, names) or f"a list has {listing(TABLE)}"
            message = f"{path} has no column {missing}"
            return RatedFile((), (fault("M747", message, remedy, str(path)),))
        return _lines(path, names, reader, rater)
    except csv.Error as error:
        place = f"{path}:{reader.line_num}"
        return RatedFile((), (fault("M747", f"this is no CSV: {error}", "save it again", place),))


def _known(name: str) -> str:
    """A header as lists have it, where only the case differs."""
    return {own: own for own in (*TABLE, *RATERS)}.get(name.casefold(), name)


def _missing(names: Sequence[str]) -> str:
    """A column that a list needs: the rating, and the code or what it stands for."""
    if "rating" not in names:
        return "rating"
    if "code" in names or all(name in names for name in ROW):
        return ""
    return next((name for name in ROW if name not in names and {*ROW} & {*names}), "code")


def _lines(path: Path, names: Sequence[str], reader: Any, rater: str) -> RatedFile:
    own = next((name for name in RATERS if name in names), None)
    lines, faults, fillers = [], [], 0
    for cells in reader:
        number = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) < len(names) or any(cells[len(names) :]):
            how = "fewer" if len(cells) < len(names) else "more"
            message = f"this line has {how} cells than the first"
            faults.append(fault("M747", message, "restore it", f"{path}:{number}"))
            continue
        said = dict(zip(names, cells, strict=False))
        if any(said.get(name, "").strip() for name in ("code", *ROW)):
            lines.append(RatingLine(str(path), number, said, said[own].strip() if own else rater))
        else:
            fillers += 1
    return RatedFile(tuple(lines), tuple(faults), own is not None, fillers)


def _unreadable(path: Path, error: OSError | UnicodeDecodeError) -> Diagnostic:
    """Why a file cannot be read, and what to do."""
    if isinstance(error, UnicodeDecodeError):
        reason, remedy = "it is not in UTF-8", "save it in the spreadsheet as CSV in UTF-8"
        if path.suffix.casefold() in (".xlsx", ".xls", ".ods", ".numbers"):
            reason = "it is no CSV"
    elif path.is_dir():
        reason, remedy = "it is a folder", f"name its files: {path / '*.csv'}"
    elif not path.exists():
        known = [own.name for own in path.parent.glob("*.csv")] if path.parent.is_dir() else []
        reason = "there is no such file"
        remedy = did_you_mean(path.name, known) or "check the name and the folder"
    else:
        reason, remedy = error.strerror or str(error), "see to it that you may read it"
    return fault("M747", f"{path} cannot be read: {reason}", remedy, str(path))


def fewer(faults: Sequence[Diagnostic], file: str) -> Iterator[Diagnostic]:
    """The faults of a file, the last of many as a number."""
    yield from faults[:SHOWN] if len(faults) > SHOWN + 1 else faults
    if len(faults) > SHOWN + 1:
        number = len(faults) - SHOWN
        remedy = "mend the first ones; if none fits, check that these lists are of these data"
        yield fault(faults[-1].code, f"{number:,} more lines of {file} are wrong", remedy, file)
