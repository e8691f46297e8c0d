"""Where the words of a grammar's tables come from, as ``sources.toml`` beside them says.

::

    [[source]]
    title = "LemmInflect"
    tables = ["nouns.tsv", "verbs.tsv"]   # patterns; without it all tables of the folder
    what = "forms"
    by = "Brad Jascob"
    url = "https://github.com/bjascob/LemmInflect"
    licence = "mit"
    cite = "how it is to be cited"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from merula.compiler.compiled import Compiled
from merula.core.diagnostics import MerulaError, Report
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean
from merula.grammar.program import locate, read_files
from merula.publish.licences import licence_url

ORIGINS = "sources.toml"
KEYS = ("title", "tables", "what", "by", "url", "licence", "cite")


@frozen
class WordSource:
    """A source of words: what was taken from it, who made it, under which licence."""

    title: str
    tables: tuple[str, ...] = ("*",)
    what: str = ""
    by: str = ""
    url: str = ""
    licence: str = ""
    cite: str = ""

    @property
    def licence_url(self) -> str:
        """The address of the licence's text; empty if the hub does not know the licence."""
        return licence_url(self.licence)


def origins(compiled: Compiled, overrides: Mapping[str, str]) -> dict[str, tuple[WordSource, ...]]:
    """Return the sources of each table of a grammar; a table without an entry has none.

    ``overrides`` are the files that the user has named for tables, by the table's name; an empty
    name is that of the only table. Raises `MerulaError` where a ``sources.toml`` cannot be
    understood.
    """
    by_table: dict[str, tuple[WordSource, ...]] = {}
    for name, folder, file in _tables(compiled, overrides):
        by_table.setdefault(name, tuple(_of(folder, file)))
    return by_table


def _tables(
    compiled: Compiled, overrides: Mapping[str, str]
) -> Iterator[tuple[str, Path | None, str]]:
    """Yield the name of each table, its folder (None if it is not found), its file's name."""
    for file in read_files(compiled.source, Report()):
        for word in (word for node in file.lexicons for word in node.files):
            given = overrides.get(word.text, overrides.get(""))
            if given is not None:
                beside = compiled.source.path
                yield Path(given).name, beside.parent if beside else None, Path(given).name
                continue
            path = locate("lexicons", word.text, file.source)
            yield word.text, path.parent if path else None, path.name if path else word.text


def _of(folder: Path | None, file: str) -> Iterator[WordSource]:
    if folder is None or not (folder / ORIGINS).is_file():
        return
    for source in read_origins(folder / ORIGINS):
        if any(fnmatchcase(file, pattern) for pattern in source.tables):
            yield source


def read_origins(path: Path) -> tuple[WordSource, ...]:
    """Read a ``sources.toml``; raises `MerulaError` where it cannot be understood."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        for key in content:
            if key != "source":
                raise ValueError(f"it has {key}, and only [[source]] may be there")
        entries = content.get("source", [])
        if not isinstance(entries, list):
            raise ValueError("a source is written [[source]], in double brackets")
        return tuple(_word_source(entry, number) for number, entry in enumerate(entries, 1))
    except (OSError, ValueError) as error:
        raise MerulaError.of(
            "M713",
            f"{path} cannot be understood: {error}",
            remedy="begin each source with [[source]], then write title, tables, what, by, url,"
            ' licence and cite, as in title = "LemmInflect"',
            place=str(path),
        ) from error


def _word_source(entry: Any, number: int) -> WordSource:
    if not isinstance(entry, Mapping):
        raise ValueError("a source is written [[source]], in double brackets")
    for key, value in entry.items():
        if key not in KEYS:
            hint = did_you_mean(key, KEYS)
            raise ValueError(f"source {number} has the key {key}{'; ' + hint if hint else ''}")
        if key == "tables":
            if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
                raise ValueError(f"tables of source {number} is not a list of names")
        elif not isinstance(value, str):
            raise ValueError(f"{key} of source {number} is not a text")
    if not entry.get("title"):
        raise ValueError(f"source {number} has no title")
    return WordSource(**{**entry, "tables": tuple(entry.get("tables", ("*",)))})
