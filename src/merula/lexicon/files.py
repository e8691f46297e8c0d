"""Tables by name, for commands that take a table without its grammar."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from merula.core.diagnostics import Report
from merula.core.resources import SUFFIX, find, folder
from merula.core.wording import did_you_mean
from merula.lexicon.legend import Legend, load_legend
from merula.lexicon.table import TableFormat, TableOptions

WIDE = re.compile(r"utf[-_]?(?:16|32)", re.IGNORECASE)  # encodings with bytes that are zero
PACKED = b"PK\x03\x04"  # a spreadsheet, or another packed file


def table_format(options: TableOptions, report: Report) -> TableFormat | None:
    """Return how tables are read, given the options; what is wrong with these is reported."""
    separator = options.separator
    if separator in ("\\t", "tab"):
        separator = "\t"  # a shell cannot write it
    if separator is not None and (
        len(separator) != 1 or separator.isalnum() or separator in '"\r\n'
    ):
        report.error(
            "M323",
            f"cells are separated by one sign, not by `{separator}`",
            remedy='common ones are ";", "," and "\\t"',
            place="the option --separator",
        )
        return None
    return TableFormat(separator, options.encoding or "utf-8-sig", options.columns)


def find_legend(name: str, report: Report) -> Legend | None:
    """Return the legend beside a table that `find_table` finds, if there is one."""
    return load_legend(_table_path(name), name, report)


def _table_path(name: str) -> Path:
    path = Path(name)
    return (None if path.exists() else find("lexicons", name)) or path


def find_table(name: str, report: Report) -> bytes | None:
    """Return the bytes of a table: a file, or one that comes with Merula (``en/nouns.tsv``)."""
    if not name:
        report.error("M601", "no table is named", remedy="name a file, such as words.tsv")
        return None
    try:
        path = _table_path(name)
        if path.is_file():
            return path.read_bytes()
        what = "is a folder, not a table" if path.is_dir() else "does not exist"
        report.error("M601", f"the table {name} {what}", remedy=_near_table(name), place=name)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        remedy = "check the file's name and its rights"
        report.error("M603", f"the table {name} cannot be read: {why}", remedy=remedy, place=name)
    return None


def _near_table(name: str) -> str:
    """Return the remedy where a table is not found: the nearest name of one that is there."""
    path = Path(name)
    beside = path if path.is_dir() else path.parent
    known = [str(beside / other.name) for other in beside.glob("*.[ct]sv")]
    root = folder("lexicons")
    known += [other.relative_to(root).as_posix() for other in root.glob("*/*.tsv")]
    return did_you_mean(name, known) or ("name a file in it" if path.is_dir() else "check the path")


def holds_text(name: str, data: bytes, form: TableFormat, report: Report) -> bool:
    """Return whether the bytes can be a table; what else they are goes to the report."""
    if name.lower().endswith(SUFFIX):
        report.error(
            "M650",
            f"{name} is a grammar, not a table",
            remedy=f"`merula check {name}` checks a grammar with its tables",
            place=name,
        )
        return False
    wide = WIDE.match(form.encoding) or data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if wide or data.startswith(PACKED) or b"\0" not in data:
        return True  # or `read_table` says what it is
    report.error(
        "M651",
        f"{name} is not a table in plain text",
        remedy="open it with the program that made it, and save it as CSV (UTF-8); if it is a"
        " text in UTF-16, say so: --encoding utf-16",
        place=name,
    )
    return False
