"""Reading: a grammar with its imports, its tables and its language's surface rules.

The source of a grammar goes in, and what a caller says of its tables; a `Program` comes out, all
the files that the grammar is made of as trees and tables. `merula.compiler.compile`, ``watch`` and
``publish`` call it. It is the only stage of the compiler that touches files. Imports and tables are
looked for beside the grammar that names them, then among those that come with Merula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from merula.core.diagnostics import Label, Report
from merula.core.frozen import frozen
from merula.core.resources import SUFFIX, Kind, find
from merula.core.resources import folder as folder_of
from merula.core.source import Source, Span
from merula.core.wording import did_you_mean
from merula.language import syntax as s
from merula.language.parse import parse
from merula.lexicon.legend import LEGEND, Legend, load_legend
from merula.lexicon.surface import Surface, load_surface, plain_surface
from merula.lexicon.table import SETS, Lexicon, Table, TableFormat, TableOptions, build, read_table

MAX_IMPORTS = 50  # levels of files that import each other, far below Python's limit

# Called with every path that is looked for, before it is read, also where there is no file.
Notice = Callable[[Path], object]


def unnoticed(path: Path) -> None:
    """Take no notice of a file."""
    del path


@frozen
class Program:
    """All that a grammar is made of: its files (imports first), tables, surface rules."""

    files: tuple[s.File, ...]
    lexicon: Lexicon | None
    surface: Surface


def read_grammar(name: str, report: Report, notice: Notice = unnoticed) -> Source | None:
    """Return the source of a grammar: a file, or one that comes with Merula (``npi/…``)."""
    path = Path(name)
    notice(path)
    if path.suffix in (".csv", ".tsv", ".xlsx", ".txt") and _kind(path) == "file":
        report.error(
            "M612",
            f"{name} is a table, not a grammar",
            remedy=f'name a grammar (*{SUFFIX}) that names the table: lexicon "{path.name}"',
            place=name,
        )
        return None
    if _kind(path) != "file":
        longer = Path(name + SUFFIX)
        notice(longer)
        path = longer if _kind(longer) == "file" else path
    if _kind(path) != "file":
        packaged = _packaged("grammars", name if name.endswith(SUFFIX) else name + SUFFIX)
        if packaged is None:
            _no_grammar(name, path, report)
            return None
        path = packaged
        notice(path)
    return _source(name, path, report)


def _no_grammar(name: str, path: Path, report: Report) -> None:
    if not name:
        report.error("M601", "no grammar is named", remedy="name a file that ends in .merula")
        return
    folder = _kind(path) == "folder"
    beside = path if folder else path.parent
    grammars = []
    if _kind(beside) == "folder":
        grammars = [str(beside / p.name) for p in beside.glob("*" + SUFFIX) if p.is_file()]
    root = folder_of("grammars")
    grammars += [p.relative_to(root).with_suffix("").as_posix() for p in root.glob("*/*" + SUFFIX)]
    what = "is a folder" if folder else "does not exist"
    hint = did_you_mean(name, grammars)
    report.error(
        "M601",
        f"the grammar {name} {what}",
        remedy=hint or ("name a file in it" if folder else "check the path"),
        place=name,
    )


def _kind(path: Path) -> str:
    """Return ``file``, ``folder``, or "" for neither, whatever the path looks like."""
    try:
        return "file" if path.is_file() else "folder" if path.is_dir() else ""
    except (OSError, ValueError):  # too long, or with characters that no path has
        return ""


def is_packaged(name: str) -> bool:
    """Return whether a name is that of a grammar that comes with Merula.

    >>> is_packaged("npi/only"), is_packaged("dogs.merula")
    (True, False)
    """
    return _packaged("grammars", name.removesuffix(SUFFIX) + SUFFIX) is not None


def _packaged(kind: Kind, name: str) -> Path | None:
    try:
        path = find(kind, name)
    except (OSError, ValueError):
        return None
    return path if path is not None and path.is_file() else None


def _source(name: str, path: Path, report: Report, *labels: Span) -> Source | None:
    data = b""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report.error(
            "M602",
            f"the grammar {name} is not written in UTF-8",
            *labels,
            remedy="save it as UTF-8",
            place=f"{name}:{data.count(10, 0, error.start) + 1}",
        )
        return None
    except OSError as error:
        text = f"the grammar {name} cannot be read: {error.strerror}"
        report.error("M603", text, *labels, remedy="check the file's rights", place=name)
        return None
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"), path)


def read_program(
    source: Source,
    report: Report,
    options: TableOptions | None = None,
    tables: Mapping[str, str | bytes] | None = None,
    notice: Notice = unnoticed,
) -> Program:
    """Parse a grammar and its imports, and read the tables and surface rules that it names.

    ``tables`` are tables in memory, by the name a grammar gives them.
    """
    files = read_files(source, report, notice)
    reader = _TableReader(files, options or TableOptions(), tables or {}, report, notice)
    lexicon = reader.lexicon()
    return Program(tuple(files), lexicon, _surface(files, report, notice))


def read_files(source: Source, report: Report, notice: Notice = unnoticed) -> list[s.File]:
    """Parse a grammar and its imports, which come before what imports them."""
    files: list[s.File] = []
    _parse(source, report, files, (), notice, designs=True)
    return files


def _parse(
    source: Source,
    report: Report,
    files: list[s.File],
    inside: tuple[Source, ...],
    notice: Notice,
    *,
    designs: bool,
) -> None:
    tree = replace(parse(source, report), designs=designs)
    for node in tree.imports:
        for word in node.files:
            path = locate("grammars", word.text, source, notice)
            if path is None:
                folder = _kind((source.path or Path()).parent / word.text) == "folder"
                report.error(
                    "M110",
                    f"`{word.text}` is a folder, not a grammar"
                    if folder
                    else f"the grammar `{word.text}` cannot be found",
                    word.span,
                    remedy=did_you_mean(word.text, _beside(source, "*" + SUFFIX))
                    or "write its path as seen from this file",
                )
                continue
            if len(inside) >= MAX_IMPORTS:
                text = f"files import others more than {MAX_IMPORTS} deep here"
                report.error("M111", text, word.span, remedy="import them from fewer files")
                continue
            seen = [x for x in (*inside, source) if x.path and _same(x.path, path)]
            if seen:
                itself = seen[0] is source
                report.error(
                    "M111",
                    f"{source.name} imports itself"
                    if itself
                    else f"{source.name} and {word.text} import each other",
                    word.span,
                    remedy="take this away" if itself else "move what both need into a third file",
                )
                continue
            wanted = designs and node.designs
            place = _place(files, path)
            if place is not None:
                if wanted:
                    _take_designs(files, place, notice)
                continue
            imported = _source(word.text, path, report, word.span)
            if imported is not None:
                _parse(imported, report, files, (*inside, source), notice, designs=wanted)
    files.append(tree)


def _place(files: Sequence[s.File], path: Path) -> int | None:
    """Return the place of a file among those that are read, or None."""
    paths = (f.source.path for f in files)
    return next((i for i, known in enumerate(paths) if known and _same(known, path)), None)


def _take_designs(files: list[s.File], number: int, notice: Notice) -> None:
    """Take the designs of a file whose parts are read, and of what it imports with designs."""
    if files[number].designs:
        return
    file = files[number] = replace(files[number], designs=True)
    for word in (word for node in file.imports if node.designs for word in node.files):
        path = locate("grammars", word.text, file.source, notice)
        place = None if path is None else _place(files, path)
        if place is not None:
            _take_designs(files, place, notice)


def _beside(source: Source, pattern: str) -> list[str]:
    """Return the names of the files beside a grammar."""
    folder = source.path.parent if source.path else Path()
    return [path.name for path in folder.glob(pattern)]


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def locate(kind: Kind, name: str, source: Source, notice: Notice = unnoticed) -> Path | None:
    """Return the file that a grammar names: beside it, or among those of Merula."""
    beside = (source.path.parent if source.path else Path()) / name
    notice(beside)
    if _kind(beside) == "file":
        return beside
    try:
        packaged = find(kind, name)
    except (OSError, ValueError):
        return None
    if packaged is not None:
        notice(packaged)
    return packaged


def _surface(files: Sequence[s.File], report: Report, notice: Notice) -> Surface:
    nodes = [node for file in files for node in file.languages]
    if not nodes:
        return plain_surface()
    name = nodes[-1].name
    source = next(f.source for f in files if nodes[-1] in f.languages)
    path = locate("lexicons", f"lexicons/{name.text}/surface.toml", source, notice)
    path = path or _packaged("lexicons", f"{name.text}/surface.toml")
    if path is None:
        report.warning(
            "M108",
            f"there are no surface rules for the language `{name}`: a sentence gets spaces, a"
            " capital and a full stop",
            name.span,
            remedy=f"if that is enough, leave `language {name}` out; rules of elision and"
            f" contraction are in lexicons/{name}/surface.toml beside the grammar",
        )
        return plain_surface()
    notice(path)
    try:
        return load_surface(path.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError, OSError) as error:
        report.error(
            "M604",
            f"the surface rules of `{name}` cannot be read: {error}",
            name.span,
            place=f"lexicons/{name}/surface.toml",
            remedy="mend that file; the reference describes what is in it",
        )
        return plain_surface()


class _TableReader:
    def __init__(
        self,
        files: Sequence[s.File],
        options: TableOptions,
        memory: Mapping[str, str | bytes],
        report: Report,
        notice: Notice,
    ) -> None:
        self.files, self.options, self.memory = files, options, memory
        self.report, self.notice = report, notice
        self.legends: dict[Path, Legend | None] = {}

    def lexicon(self) -> Lexicon | None:
        """Return the lexicon; None where the grammar names no table or one cannot be read."""
        named = [
            (file.source, node, word)
            for file in self.files
            for node in file.lexicons
            for word in node.files
        ]
        if not named:
            return None
        before = self.report.errors
        self._known_overrides([word for _, _, word in named])
        sets: list[tuple[Table, str]] = []
        lexemes: list[tuple[Table, str | None]] = []
        done: dict[str, Span] = {}
        for source, node, word in named:
            if word.text in done:
                self._again(word, done[word.text])
                continue
            done[word.text] = word.span
            table = self._table(source, node, word, only=len(named) == 1)
            if table is None:
                continue
            if node.kind is not None and node.kind.text == SETS:
                sets.append((table, SETS))
            else:
                lexemes.append((table, node.kind.text if node.kind else None))
        if any("lexicon" in file.lost for file in self.files):
            return None
        lexicon = build(sets, lexemes, self.report)
        return lexicon if self.report.errors == before else None

    def _again(self, word: s.Word, first: Span) -> None:
        if word.span.source != first.source:
            return  # an imported file may name the same table
        self.report.error(
            "M102",
            f"the table {word.text} is named twice",
            Label(word.span, "again here"),
            Label(first, "first here"),
            remedy="delete one",
        )

    def _known_overrides(self, words: Sequence[s.Word]) -> None:
        names = [word.text for word in words]
        options = self.options
        place = self.files[-1].source.name
        given = options.separator or options.encoding or options.columns
        if given and len(words) > 1 and not options.files:
            self.report.error(
                "M605",
                "the grammar names several tables, so the option must say which one it means",
                remedy=f"write --lexicon {names[0]}=FILE beside it",
                place=place,
            )
        for name in self.options.files:
            if name == "" and len(words) != 1:
                self.report.error(
                    "M605",
                    "the grammar names several tables, so the option must say which one it means",
                    remedy=f"write --lexicon {names[0]}=FILE",
                    place=place,
                )
            elif name and name not in names:
                self.report.error(
                    "M605",
                    f"the grammar names no table {name}",
                    remedy=did_you_mean(name, names) or f"it names {', '.join(names)}",
                    place=place,
                )

    def _table(self, source: Source, node: s.Lexicon, word: s.Word, *, only: bool) -> Table | None:
        override = self.options.files.get(word.text, self.options.files.get("") if only else None)
        name = override or word.text
        data = self._bytes(source, word, override)
        if data is None:
            return None
        mappings = {str(m.column): m.header.text for m in node.mappings}
        if self._mapped_twice(node):
            return None
        changed = override is not None or only
        form = TableFormat(
            _separator(self.options.separator if changed else None)
            or _separator(node.separator.text if node.separator else None),
            (self.options.encoding if changed else None)
            or (node.encoding.text if node.encoding else "utf-8-sig"),
            {**mappings, **(self.options.columns if changed else {})},
            {str(m.column): m.span for m in node.mappings},
            None
            if (changed and self.options.encoding) or not node.encoding
            else node.encoding.span,
        )
        if form.separator is not None and not _separates(form.separator):
            declared = None if changed and self.options.separator else node.separator
            self.report.error(
                "M323",
                f"cells are separated by one sign, not by `{form.separator}`",
                *([declared.span] if declared else []),
                remedy='common ones are ";", "," and "\\t"',
                place="" if declared else "the option --separator",
            )
            return None
        table = read_table(name, data, form, self.report, word.span)
        if table is not None and (override or word.text not in self.memory):
            self._against_legend(table, node, self._path(source, word, override))
        return table

    def _against_legend(self, table: Table, node: s.Lexicon, path: Path | None) -> None:
        """Report where a table of lexemes departs from the legend beside it."""
        if path is None or (node.kind is not None and node.kind.text == SETS):
            return
        beside = path.parent / LEGEND
        if beside not in self.legends:
            self.notice(beside)
            self.legends[beside] = load_legend(path, table.name, self.report)
        legend = self.legends[beside]
        if legend is not None:
            from merula.lexicon.conformity import check_legend

            check_legend(table, legend, self.report, node.kind.text if node.kind else None)

    def _mapped_twice(self, node: s.Lexicon) -> bool:
        first: dict[str, Span] = {}
        for mapping in node.mappings:
            name = str(mapping.column)
            if name in first:
                self.report.error(
                    "M102",
                    f"the column `{name}` is named twice",
                    Label(mapping.span, "again here"),
                    Label(first[name], "first here"),
                    remedy="delete one",
                )
            first.setdefault(name, mapping.span)
        return len(first) < len(node.mappings)

    def _path(self, source: Source, word: s.Word, override: str | None) -> Path | None:
        if not override:
            return locate("lexicons", word.text, source, self.notice)
        self.notice(Path(override))
        return Path(override)

    def _bytes(self, source: Source, word: s.Word, override: str | None) -> bytes | None:
        if override is None and word.text in self.memory:
            held = self.memory[word.text]
            return held.encode() if isinstance(held, str) else held
        path = self._path(source, word, override)
        if path is None or _kind(path) != "file":
            name = override or word.text
            beside = source.path.parent if source.path else Path()
            tables = [p.name for p in beside.glob("*.[ct]sv") if p.is_file()]
            folder = _kind(path or beside / name) == "folder" and name
            self.report.error(
                "M601",
                f"`{name}` is a folder, not a table"
                if folder
                else f"the table `{name}` does not exist",
                word.span,
                remedy=did_you_mean(name, tables)
                or "write its path as seen from the grammar, or a table that comes with Merula",
            )
            return None
        try:
            return path.read_bytes()
        except OSError as error:
            text = f"the table {word.text} cannot be read: {error.strerror}"
            self.report.error("M603", text, word.span)
            return None


def _separates(text: str) -> bool:
    """Return whether a text can separate cells: one sign, neither a letter nor a quote."""
    return len(text) == 1 and not text.isalnum() and text not in '"\r\n'


def _separator(text: str | None) -> str | None:
    """Return a separator as written (a tab has a name, since a shell cannot write it)."""
    return "\t" if text in ("\\t", "tab") else text
