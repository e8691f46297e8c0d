"""Tables → immutable typed tables: a row per lexical set, or a row per lexeme.

The bytes of a file go in; a `Table` comes out (`read_table`), or None and a problem with its line.
`build` puts tables together as a `Lexicon`, lexemes by category. `merula.grammar.program` and the
commands on tables call them. Nothing here reads files. Cells are composed (NFC), trimmed, with
straight apostrophes; ``*`` in a feature fits every value, ``a | b`` is a set of values, an empty
cell is not a value.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from merula.core.diagnostics import Report
from merula.core.frozen import frozen
from merula.core.source import Span
from merula.core.wording import counted, did_you_mean, listing

ANY = "*"
BAR = "|"  # between the values of a feature
LEMMA, CATEGORY = "lemma", "category"
SETS = "sets"


@frozen
class TableFormat:
    """How a file is to be read: what the grammar says, or the command line instead of it.

    ``mappings`` sends our column names to the file's headers; ``places`` are where a grammar says
    so, and ``encoded`` where it names the encoding.
    """

    separator: str | None = None
    encoding: str = "utf-8-sig"
    mappings: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Span] = field(default_factory=dict, compare=False)
    encoded: Span | None = field(default=None, compare=False)


@frozen(eq=False)
class Table:
    """A table read from a file, columns by name; ``lines`` are the rows' line numbers."""

    name: str
    columns: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]

    def place(self, row: int) -> str:
        """Return the place of a row: ``nouns.tsv:12``."""
        return f"{self.name}:{self.lines[row]}"

    def __len__(self) -> int:
        return len(self.lines)


@frozen(eq=False)
class Rows:
    """The rows that candidates are drawn from: a table of sets, or all lexemes of a category."""

    kind: str  # `SETS` or a category
    columns: Mapping[str, tuple[str, ...]]
    places: tuple[str, ...]
    _views: dict[str, Rows] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.places)

    def title(self, row: int) -> str:
        """Return the name of a row: its lemma, or the first cell of its set."""
        names = self.columns.get(LEMMA) or self.columns.get("set")
        if names and names[row]:
            return names[row]
        return next((cells[row] for cells in self.columns.values() if cells[row]), "an empty row")

    def of(self, item: str) -> Rows:
        """Return the rows as an object sees them: ``subj.gender`` of a set is its ``gender``."""
        if self.kind != SETS:
            return self
        if item not in self._views:
            start = item + "."
            of_item = {
                n.removeprefix(start): c for n, c in self.columns.items() if n.startswith(start)
            }
            plain = {n: c for n, c in self.columns.items() if "." not in n and n not in of_item}
            self._views[item] = Rows("features of " + item, {**plain, **of_item}, self.places)
        return self._views[item]

    @cached_property
    def contents(self) -> tuple[tuple[str, ...], ...]:
        """The cells of each row in order of the alphabet, whatever the columns are called."""
        return tuple(tuple(sorted(cells)) for cells in zip(*self.columns.values(), strict=True))

    @cached_property
    def blanks(self) -> Mapping[str, frozenset[int]]:
        """The rows whose cell is empty, for each column."""
        return {
            name: frozenset(row for row, cell in enumerate(cells) if not cell)
            for name, cells in self.columns.items()
        }

    @cached_property
    def filled(self) -> frozenset[str]:
        """The columns that some row fills: any other has no form of the category.

        A table of several categories has the columns of all of them.
        """
        return frozenset(name for name, cells in self.columns.items() if any(cells))

    @cached_property
    def values(self) -> Mapping[str, frozenset[str]]:
        """The values found in each column, sets taken apart, without blanks and ``*``."""
        return {
            name: frozenset(v for cell in set(cells) for v in members(cell) if v != ANY)
            for name, cells in self.columns.items()
        }


@frozen
class Lexicon:
    """All tables of a grammar: sets in the order they are named, lexemes by category."""

    sets: tuple[Rows, ...] = ()
    lexemes: Mapping[str, Rows] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the contents, whatever the order of rows and columns."""
        total = hashlib.sha256()
        for rows in (*self.sets, *(self.lexemes[name] for name in sorted(self.lexemes))):
            names = sorted(rows.columns)
            total.update(repr((rows.kind, names)).encode())
            lines = zip(*(rows.columns[name] for name in names), strict=True)
            for line in sorted(lines):
                total.update(repr(line).encode())
        return total.hexdigest()


def members(cell: str) -> tuple[str, ...]:
    """Return the values in a cell: ``court | market`` holds two."""
    if BAR not in cell:
        return (cell,) if cell else ()
    return tuple(part.strip() for part in cell.split(BAR) if part.strip())


def has_several(cell: str) -> bool:
    """Return whether a form looks like several ones with bars between them.

    A bar between two digits is a sign like any other.

    >>> [has_several(cell) for cell in ("learned | learnt", "learned|learnt", "2|3", "fun")]
    [True, True, False, False]
    """
    return BAR in cell and re.search(r"(?<!\d)\||\|(?!\d)", cell) is not None


def one_form_each(title: str, cell: str, value: str = "") -> str:
    """Return what to do about a cell of several forms: the row's name, and a value that has words.

    >>> one_form_each("learn", "learned | learnt")
    'write a row for each: `learn-learned` and `learn-learnt`'
    """
    texts = members(cell)
    if len(texts) < 2:
        return "take the bar away"
    names = texts if BAR in title else [f"{title}-{text}" for text in texts]
    remedy = f"write a row for each: {listing(f'`{name}`' for name in names)}"
    words = ", ".join(f'"{text}"' for text in texts)
    return f"{remedy}; or let a value bring the words: {value} {words}" if value else remedy


def clean(text: str) -> str:
    """Return a cell as we keep it: composed, trimmed, single spaces, straight apostrophes."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate({0x2019: "'", 0x02BC: "'", 0xA0: " "})
    return " ".join(text.split())


def read_table(
    name: str, data: bytes, form: TableFormat, report: Report, span: Span | None = None
) -> Table | None:
    """Return the table in a file's bytes; what is wrong with it is reported, with its line."""
    labels = (span,) if span else ()
    text = _decode(name, data, form, report, labels)
    if text is None:
        return None
    declared = re.match(r"sep=(.)\r?\n", text)  # a line that Excel writes and reads
    if declared:
        text = text[declared.end() - 1 :]  # an empty line keeps the numbers right
    separator = (
        form.separator
        or (declared and declared[1])
        or ("," if name.lower().endswith(".csv") else "\t")
    )
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
    )
    rows: list[list[str]] = []
    lines: list[int] = []  # where each row begins
    before, top = 0, ""
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                top = top or row[0]
                rows.append([clean(cell) for cell in row])
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error:
        report.error(
            "M305",
            f"a cell of the table {name} is too long",
            *labels,
            remedy="close the quotation mark that opens it, or name the separator of the cells",
            place=f"{name}:{before + 1}",
        )
        return None
    if len(rows) < 2:
        what = "is empty" if not rows else "has a header but no rows"
        read = [] if form.encoding.startswith("utf-8") else [f"it was read as {form.encoding}"]
        report.error(
            "M301",
            f"the table {name} {what}",
            *labels,
            remedy="the first line names the columns, every further line is a row",
            notes=read,
            place=name,
        )
        return None
    header = _header(name, rows[0], top, separator, form, report, labels)
    if header is None or not _even(name, rows, lines, report, labels):
        return None
    _warn_of_untitled(f"{name}:{lines[0]}", header, rows[1:], report)
    columns = {title: tuple(row[i] for row in rows[1:]) for i, title in enumerate(header) if title}
    return Table(name, columns, tuple(lines[1:]))


def _warn_of_untitled(
    place: str, header: Sequence[str], rows: Sequence[Sequence[str]], report: Report
) -> None:
    """Warn of columns with cells and without a header, which nothing can read."""
    bare = [i for i, title in enumerate(header) if not title and any(row[i] for row in rows)]
    if bare:
        one = len(bare) == 1
        report.warning(
            "M343",
            f"column{'s' * (not one)} {listing(i + 1 for i in bare)} ha{'s' if one else 've'} no"
            f" header; {'it is' if one else 'they are'} not read",
            remedy=f"name {'it' if one else 'them'} in the first line, or delete"
            f" {'it' if one else 'them'}",
            place=place,
        )


def _decode(
    name: str, data: bytes, form: TableFormat, report: Report, labels: Sequence[Span]
) -> str | None:
    encoding = form.encoding
    if encoding.lower().replace("_", "-") == "utf-8":
        encoding = "utf-8-sig"
    try:
        codec = codecs.lookup(encoding) if encoding.isascii() else None
    except (LookupError, ValueError):
        codec = None
    if codec is None or not encoding:
        report.error(
            "M303",
            f"there is no encoding named `{encoding}`",
            *([form.encoded] if form.encoded else []),
            remedy='common ones are "utf-8", "utf-16", "cp1252", "latin-1"',
            place="" if form.encoded else name,
        )
        return None
    if data.startswith(b"PK\x03\x04"):
        report.error(
            "M326",
            f"{name} is a spreadsheet or another packed file, not a table in plain text",
            *labels,
            remedy="open it and save it as CSV (UTF-8)",
            place=name,
        )
        return None
    try:
        text = data.decode(encoding)
    except (LookupError, ValueError) as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        likely = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
        report.error(
            "M302",
            f"the table {name} is not written in {encoding.removesuffix('-sig')}",
            *labels,
            remedy=f'name its encoding after the file, for example `encoded "{likely}"`,'
            " or save it as UTF-8",
            place=f"{name}:{data.count(10, 0, start) + 1}",
        )
        return None
    if not data.isascii() and not encoding.lower().startswith("utf") and _is_utf8(data):
        report.warning(
            "M327",
            f"the table {name} seems to be written in UTF-8, not in {encoding}",
            *labels,
            remedy="take `encoded` away, if letters with accents look wrong",
            place=name,
        )
    bad = re.search(r"[\x00-\x08\x0e-\x1f\x7f]", text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        report.error(
            "M304",
            f"the table {name} holds the control character U+{ord(bad.group()):04X}",
            *labels,
            remedy="delete it; if there are many, the encoding may be another (utf-16?)",
            place=f"{name}:{line}",
        )
        return None
    return text


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _header(
    name: str,
    titles: list[str],
    top: str,
    separator: str,
    form: TableFormat,
    report: Report,
    labels: Sequence[Span],
) -> list[str] | None:
    separators = [s for s in ("\t", ";", ",", " ") if s != separator and s in top]
    if len(titles) == 1 and separators:
        shown = "\\t" if separators[0] == "\t" else separators[0]
        report.error(
            "M306",
            f"the table {name} has a single column; its cells seem to be separated otherwise",
            *labels,
            remedy="put one tab between cells, or another sign that you name after the file"
            if shown == " "
            else f'write `separated by "{shown}"` after the file',
            place=f"{name}:1",
        )
        return None
    fine = True
    ours = {theirs: mine for mine, theirs in form.mappings.items()}
    for mine, theirs in form.mappings.items():
        if clean(theirs) not in titles:
            fine = False
            report.error(
                "M307",
                f"the table {name} has no column `{theirs}` (for {mine})",
                *([form.places[mine]] if mine in form.places else []),
                *labels,
                remedy=did_you_mean(theirs, titles) or f"its columns are {listing(titles)}",
            )
    ours = {clean(theirs): mine for theirs, mine in ours.items()}
    named = [ours.get(title, title) for title in titles]
    for title in sorted({title for title in named if title and named.count(title) > 1}):
        fine = False
        places = [i + 1 for i, other in enumerate(named) if other == title]
        report.error(
            "M308",
            f"the table {name} has {len(places)} columns called `{title}`",
            *([form.places[title]] if title in form.places else []),
            *labels,
            remedy=f"rename one of columns {listing(places)}",
            place=f"{name}:1",
        )
    return named if fine else None


def _even(
    name: str,
    rows: list[list[str]],
    lines: list[int],
    report: Report,
    labels: Sequence[Span],
) -> bool:
    width = len(rows[0])
    ragged = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) != width]
    if ragged:
        row, line = ragged[0]
        report.error(
            "M309",
            f"this row has {counted(len(row), 'cell')}, but the header names"
            f" {counted(width, 'column')}",
            *labels,
            remedy="an empty cell still needs its separator; a cell that holds the separator, and"
            " only that, is in closed quotes",
            notes=_also([f"{name}:{line}" for _, line in ragged[1:]]),
            place=f"{name}:{line}",
        )
    return not ragged


def _called(wanted: str, columns: Iterable[str]) -> str:
    """Return the remedy where a column has nearly the name that is wanted, or an empty string."""
    near = did_you_mean(wanted, columns).removeprefix("did you mean ").removesuffix("?")
    if not near:
        return ""
    return f'if that is `{near}`, call it `{wanted}`, or write {wanted} = "{near}" under the table'


def _also(places: Sequence[str]) -> list[str]:
    """Return the note that the same is wrong in other places, if there are any."""
    more = f" and {len(places) - 5:,} more" if places[5:] else ""
    return [f"the same is wrong at {', '.join(places[:5])}{more}"] if places else []


def build(
    sets: Iterable[tuple[Table, str]],
    lexemes: Iterable[tuple[Table, str | None]],
    report: Report,
) -> Lexicon:
    """Return a lexicon from tables, each with the word between ``lexicon`` and the file, if any."""
    set_rows = []
    for table, kind in sets:
        places = tuple(table.place(i) for i in range(len(table)))
        first: dict[str, str] = {}
        for title, place in zip(table.columns.get("set", ()), places, strict=False):
            if title and title in first:
                report.error(
                    "M313",
                    f"the set `{title}` stands twice: here and at {first[title]}",
                    remedy="give each set a name of its own, so that rows of data tell them apart",
                    place=place,
                )
            first.setdefault(title, place)
        set_rows.append(Rows(kind, table.columns, places))
    merged: dict[str, list[tuple[Table, int]]] = {}
    for table, category in lexemes:
        for row, name in enumerate(_categories(table, category, report)):
            if name:
                merged.setdefault(name, []).append((table, row))
    by_category = {name: _merge(name, rows, report) for name, rows in merged.items()}
    return Lexicon(tuple(set_rows), by_category)


def _categories(table: Table, category: str | None, report: Report) -> Sequence[str]:
    if LEMMA not in table.columns:
        report.error(
            "M310",
            f"the table {table.name} has no column `{LEMMA}`",
            remedy=_called(LEMMA, table.columns)
            or "a table of lexemes names them in `lemma`; a table of lexical sets is declared"
            " with `lexicon sets`",
            place=table.name,
        )
        return ()
    if category is not None:
        return [category] * len(table)
    if CATEGORY not in table.columns:
        report.error(
            "M311",
            f"the table {table.name} does not say what category its lexemes have",
            remedy=_called(CATEGORY, table.columns)
            or f'add a column `{CATEGORY}`, or write `lexicon noun "{table.name}"`',
            place=table.name,
        )
        return ()
    bare = [row for row, name in enumerate(table.columns[CATEGORY]) if not name]
    if bare:
        title = table.columns[LEMMA][bare[0]]
        report.warning(
            "M341",
            f"{f'`{title}`' if title else 'this lexeme'} has no category, so nothing can use it",
            remedy=f"fill the column `{CATEGORY}`, or delete the row",
            notes=_also([table.place(row) for row in bare[1:]]),
            place=table.place(bare[0]),
        )
    return table.columns[CATEGORY]


def _merge(category: str, rows: list[tuple[Table, int]], report: Report) -> Rows:
    tables = dict.fromkeys(table for table, _ in rows)
    names = dict.fromkeys(n for table in tables for n in table.columns if n != CATEGORY)
    columns = {
        name: tuple(t.columns[name][r] if name in t.columns else "" for t, r in rows)
        for name in names
    }
    places = tuple(table.place(row) for table, row in rows)
    first: dict[str, str] = {}
    bare: list[str] = []
    doubled: list[tuple[str, str]] = []
    for lemma, place in zip(columns[LEMMA], places, strict=True):
        if not lemma:
            bare.append(place)
        elif lemma in first:
            doubled.append((lemma, place))
        else:
            first[lemma] = place
    if bare:
        report.error(
            "M312",
            f"this {category} has no lemma",
            remedy="every lexeme has a name of its own in the column `lemma`",
            notes=_also(bare[1:]),
            place=bare[0],
        )
    if doubled:
        lemma, place = doubled[0]
        report.error(
            "M313",
            f"the {category} `{lemma}` stands twice: here and at {first[lemma]}",
            remedy="delete one row; two lexemes that look alike need two lemmas"
            " (bat-animal, bat-club)",
            notes=_also([f"{place} ({lemma})" for lemma, place in doubled[1:]]),
            place=place,
        )
    return Rows(category, columns, places)


@frozen
class TableOptions:
    """What a caller says of tables instead of the grammar.

    ``files`` sends names written in the grammar to other files (the empty name stands for the
    only table); ``columns`` sends our column names to headers.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    encoding: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
