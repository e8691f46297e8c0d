"""Files as columns: CSV and TSV, JSON, JSON Lines, Parquet and Arrow.

In goes a path, or the text of a file, out comes a `DataTable`; ``readers`` calls the function for
the kind of file. Columns inside columns get names with dots (``factors.npi``). A file that cannot
be read raises `MerulaError` with the first lines at fault, and a remedy.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from merula.core.diagnostics import Diagnostic, MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing

SUFFIXES = (".parquet", ".arrow", ".jsonl", ".csv", ".tsv", ".json")
BINARY = (".parquet", ".arrow")
MAX_FAULTS_SHOWN = 5  # rows at fault that are named: they are mostly of one kind
MAX_NOTE = 300  # characters of a note: four lines of a terminal
MAX_CELL = 2**31 - 1  # characters; `csv` takes no more than a C long, and else only 131,072


@frozen(eq=False)
class DataTable:
    """The columns of a file; ``rows[i]`` is the line (or row), from 1, of cell *i* of each.

    ``twice`` are names that several columns have; the last of these columns is kept.
    """

    columns: Mapping[str, Sequence[Any]]
    rows: Sequence[int]
    twice: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def under(self, name: str) -> dict[str, Sequence[Any]]:
        """Return the columns inside a column: ``factors.npi`` as ``npi``."""
        start = f"{name}."
        return {n[len(start) :]: c for n, c in self.columns.items() if n.startswith(start)}


@frozen
class UnreadableLine:
    """A line that cannot be read, and why."""

    row: int
    why: str


def unreadable(
    code: str, file: str, faults: Sequence[UnreadableLine], remedy: str, notes: Sequence[str] = ()
) -> MerulaError:
    """Return the error of some lines of a file: the first of them, each at its place."""
    shown = [
        Diagnostic(code, fault.why, (), remedy, tuple(notes), "error", f"{file}:{fault.row}")
        for fault in faults[:MAX_FAULTS_SHOWN]
    ]
    more = len(faults) - len(shown)
    if more > 0:
        last = shown[-1]
        note = f"{more:,} more lines of {file} are like this"
        shown[-1] = Diagnostic(
            code, last.message, (), remedy, (*last.notes, note), "error", last.place
        )
    return MerulaError(shown)


# --- text ----------------------------------------------------------------------------------


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark, or in UTF-16."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", errors="replace").encode()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "is not text" if b"\0" in data[:4096] else "is not in UTF-8"
        raise MerulaError.of(
            "M694",
            f"{path} {what}: the byte {data[error.start]:#04x} has no meaning there",
            remedy="save it as UTF-8 and run this again",
            place=f"{path}:{line}",
        ) from error


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers; takes all usual line ends."""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.strip():
            yield number, line


def split_tabs(path: Path, text: str, width: int, what: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of a file without a header, tabs between them; raises for other widths."""
    faults = []
    for number, line in lines_of(text):
        cells = line.split("\t")
        if len(cells) == width:
            yield number, cells
        else:
            noun = "column" if len(cells) == 1 else "columns"
            faults.append(
                UnreadableLine(number, f"this line has {len(cells)} {noun} instead of {width}")
            )
    if faults:
        raise unreadable("M692", str(path), faults, f"a line has {what}, with tabs between them")


def read_separated(path: Path, text: str) -> DataTable:
    """Return a table with a header; its cells are separated as those of the header are."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    separator = max("\t,;", key=header.count)
    before = csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=separator,
            quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
        )
        names = next((row for row in reader if any(row)), [])
        rows, numbers, faults = [], [], []
        first = reader.line_num + 1
        for row in reader:
            if len(row) == len(names):
                rows.append(row)
                numbers.append(first)
            elif any(cell.strip() for cell in row):
                why = f"this row has {len(row)} cells, the header {len(names)}"
                faults.append(UnreadableLine(first, why))
            first = reader.line_num + 1
    except csv.Error as error:
        fault = UnreadableLine(reader.line_num, f"this line cannot be read: {error}")
        raise unreadable(
            "M692", str(path), [fault], "save the table again as CSV in UTF-8"
        ) from error
    finally:
        csv.field_size_limit(before)
    if faults:
        remedy = "put cells that contain the separator into double quotes; keep empty cells"
        raise unreadable("M692", str(path), faults, remedy)
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    names = [name.strip() for name in names]
    twice = tuple(name for name, times in Counter(names).items() if times > 1)
    return DataTable(dict(zip(names, cells, strict=True)), numbers, twice)


def read_json_lines(path: Path, text: str) -> DataTable:
    """Return a table from an object a line; objects inside become columns with dots."""
    rows: list[tuple[int, Any]] = []
    faults = []
    for number, line in lines_of(text):
        try:
            rows.append((number, json.loads(line)))
        except ValueError as error:
            faults.append(
                UnreadableLine(number, f"this line is not JSON: {str(error).partition(':')[0]}")
            )
        except RecursionError:
            faults.append(
                UnreadableLine(number, "this line has too many brackets inside each other")
            )
    return _of_objects(path, rows, faults, "line")


def read_json(path: Path, text: str) -> DataTable:
    """Return a table from a list of objects, which are counted from one."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        why = str(error).partition(":")[0]
        fault = UnreadableLine(line, f"from this line on the list is not JSON: {why}")
        raise unreadable(
            "M692", str(path), [fault], "make the file again, or cut it out whole"
        ) from (error)
    return _of_objects(path, list(enumerate(entries, start=1)), [], "entry")


def _of_objects(
    path: Path, rows: Sequence[tuple[int, Any]], faults: list[UnreadableLine], a: str
) -> DataTable:
    """Return the columns of objects, each with its number; raises where one is not an object."""
    columns: dict[str, list[Any]] = {}
    numbers: list[int] = []
    for number, row in rows:
        if not isinstance(row, dict):
            faults.append(UnreadableLine(number, f"this {a} is not a JSON object"))
            continue
        for name, cell in _flat(row):
            column = columns.setdefault(name, [])
            column.extend([None] * (len(numbers) - len(column)))
            column.append(cell)
        numbers.append(number)
    if faults:
        faults.sort(key=lambda fault: fault.row)
        remedy = 'write objects, as in {"sentence": "The dog barks.", "acceptable": true}'
        if a == "line":
            remedy = f"a line has one object{remedy.removeprefix('write objects')}"
        raise unreadable("M692", str(path), faults, remedy)
    for column in columns.values():
        column.extend([None] * (len(numbers) - len(column)))
    return DataTable(columns, numbers)


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, cell in row.items():
        if isinstance(cell, dict):
            yield from _flat(cell, f"{before}{name}.")
        else:
            yield before + name, cell


# --- Parquet and Arrow ---------------------------------------------------------------------


def read_binary(path: Path, names: Sequence[str]) -> DataTable:
    """Return the wanted columns of a Parquet or Arrow file, with all columns inside them."""
    import pyarrow as pa

    try:
        table = _arrow_table(path)
        table = table.select([n for n in table.column_names if n.partition(".")[0] in names])
        columns = columns_of(table)
    except (pa.ArrowException, ValueError) as error:
        what = str(error).splitlines()[0] if str(error) else "the library does not say why"
        raise MerulaError.of(
            "M692",
            f"{path} cannot be read: {what}",
            remedy="it is damaged, or not of the kind that its name says: make it again",
            place=str(path),
        ) from error
    return DataTable(columns, range(1, table.num_rows + 1))


def columns_of(table: Any) -> dict[str, list[Any]]:
    """Return the columns of an Arrow table as Python values, those inside structs with dots."""
    import pyarrow as pa

    from merula.data.formats import plain_schema

    table = table.cast(plain_schema(table.schema))
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _arrow_table(path: Path) -> Any:
    import pyarrow as pa

    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:  # not read_table: a folder named a=b is not a column
            return file.read(use_threads=False)
    data = path.read_bytes()
    kind = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    with kind(data) as reader:
        table = reader.read_all()
    table.validate(full=True)
    return table


def names_of(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet or Arrow file."""
    return list(_arrow_schema(path).names)


def _arrow_schema(path: Path) -> Any:
    import pyarrow as pa

    try:
        if path.suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            return pq.read_schema(path)
        with path.open("rb") as file:
            start = file.read(6)
            file.seek(0)
            kind = pa.ipc.open_file if start == b"ARROW1" else pa.ipc.open_stream
            with kind(file) as reader:
                return reader.schema
    except pa.ArrowException as error:
        raise MerulaError.of(
            "M692",
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            remedy="it is damaged, or not of the kind that its name says: make it again",
            place=str(path),
        ) from error


def lacks(path: str, column: str, columns: Sequence[str], remedy: str) -> MerulaError:
    """Return the error of a column that a file lacks; ``remedy`` is for when no name is near."""
    named = [name for name in columns if name]
    return MerulaError.of(
        "M693",
        f"{path} has no column `{column}`",
        remedy=did_you_mean(column, named) or remedy,
        notes=[f"its columns are named {listing(named)}"[:MAX_NOTE]],
        place=path,
    )
