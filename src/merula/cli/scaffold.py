"""A new grammar with its table, from the templates in ``templates/new``.

``languages.tsv`` has a row for each language. Each kind of grammar has a folder with its template
(`GRAMMAR`), ``examples.tsv`` and a table of words for each language, ``CODE.tsv``. A kind, a
language and a name go in; a folder with a grammar and its table comes out, for ``merula new``. The
code knows no language: a new one is a row and tables.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from merula.core.diagnostics import MerulaError, Report
from merula.core.files import obstacle, partial_path
from merula.core.resources import SUFFIX
from merula.core.wording import listing, near
from merula.language.tokens import scan
from merula.lexicon.table import TableFormat, read_table

GRAMMAR = "grammar.merula.jinja"
LANGUAGES = "languages.tsv"
EXAMPLES = "examples.tsv"

# The kinds of grammars that can be made, the usual one first, each with the name of its table.
TABLES: Mapping[str, str] = {"paradigm": "words.tsv", "blm": "sets.tsv"}


@dataclass(frozen=True)
class Scaffold:
    """A grammar to be made: its files by name, in the order in which one reads them."""

    name: str
    language: str
    files: Mapping[str, str]


def languages(root: Path, kind: str) -> tuple[Mapping[str, str], ...]:
    """Return the languages that a kind has words for, as rows of ``languages.tsv``."""
    rows = _rows(root / LANGUAGES)
    return tuple(row for row in rows if (root / kind / f"{row['code']}.tsv").is_file())


def scaffold(root: Path, kind: str, code: str, name: str) -> Scaffold:
    """Return the files of a new grammar; ``root`` is the folder ``templates/new``.

    Raises `MerulaError` where ``name`` is not a name, or where there are no words in the language.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    name = checked_name(name)
    language = _language(languages(root, kind), code)
    table = TABLES[kind]
    environment = Environment(
        loader=FileSystemLoader(root / kind, encoding="utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    examples = [row for row in _rows(root / kind / EXAMPLES) if row["language"] == language["code"]]
    grammar = environment.get_template(GRAMMAR).render(
        name=name, table=table, language=language, examples=examples
    )
    words = (root / kind / f"{language['code']}.tsv").read_text(encoding="utf-8")
    return Scaffold(name, language["name"], {name + SUFFIX: grammar, table: words})


def write_scaffold(scaffold: Scaffold, folder: Path) -> tuple[Path, ...]:
    """Write the files into a new folder, all of them or none; return their paths.

    Raises `MerulaError` where something of that name exists, or where it cannot be written.
    """
    partial = partial_path(folder)
    new: list[Path] = []  # folders above it that are made
    try:
        if folder.exists() or folder.is_symlink():
            raise _exists(scaffold.name, folder)
        new = [path for path in (folder.parent, *folder.parent.parents) if not path.exists()]
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial.mkdir()
        for name, text in scaffold.files.items():
            (partial / name).write_text(text, encoding="utf-8", newline="\n")
        partial.rename(folder)
    except (OSError, ValueError) as error:
        _clear(partial, new)
        raise MerulaError.of(
            "M643",
            f"the folder {_shown(str(folder))} cannot be made: {obstacle(folder, error)[0]}",
            remedy="nothing was left there; name another folder with --out",
        ) from error
    except BaseException:
        _clear(partial, new)
        raise
    return tuple(folder / name for name in scaffold.files)


def checked_name(name: str) -> str:
    """Return a name in composed form (NFC); raises `MerulaError` if it is not a name."""
    name = unicodedata.normalize("NFC", name)
    if _is_name(name):
        return name
    path = name.replace("\\", "/").rstrip("/")
    better = _near_name(path.rpartition("/")[2])
    if "/" in path and better:
        raise MerulaError.of(
            "M640",
            f"`{_shown(name)}` is a path, not the name of a phenomenon",
            remedy=f"name the folder with --out: merula new {better} --out {_shown(name)}",
        )
    raise MerulaError.of(
        "M640",
        f"`{_shown(name)}` cannot be the name of a phenomenon",
        remedy="a name is one word of letters, digits, `_` and inner hyphens, and does not begin"
        " with a digit" + (f", such as {better}" if better else ""),
    )


def _is_name(text: str) -> bool:
    tokens = list(scan(text))
    return len(tokens) == 1 and tokens[0].kind == "NAME" and tokens[0].text == text


def _near_name(text: str) -> str:
    """Return a name made from a text that is not one, or an empty string."""
    text = text.strip().removesuffix(SUFFIX)
    kept = "".join(c if c.isalnum() or c in "_-" or unicodedata.combining(c) else " " for c in text)
    words = "_".join(kept.split()).strip("-_")
    letters = words.lstrip("0123456789_-")
    name = letters + words[: len(words) - len(letters)].strip("_-")
    return name if _is_name(name) else ""


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)


def _language(languages: Sequence[Mapping[str, str]], code: str) -> Mapping[str, str]:
    """Return the row of a language's code; raises `MerulaError` with the codes there are."""
    for row in languages:
        if row["code"] == code:
            return row
    near_code = _near_language(languages, code)
    codes = listing(f"{row['code']} ({row['name']})" for row in languages)
    raise MerulaError.of(
        "M641",
        f"there are no words for a new grammar in `{_shown(code)}`; there are some in {codes}",
        remedy=f"did you mean {near_code}?"
        if near_code
        else "begin with the nearest of these, then replace the words of its table and the"
        " language's code in the grammar",
    )


def _near_language(languages: Sequence[Mapping[str, str]], code: str) -> str:
    """Return the code that ``FR``, ``fr-CH`` or ``frensh`` means, or an empty string."""
    codes = {row["name"]: row["code"] for row in languages}
    short = code.casefold().replace("_", "-").partition("-")[0]
    if short in codes.values():
        return short
    return codes.get(near(code, codes) or "", "")


def _exists(name: str, folder: Path) -> MerulaError:
    inside = folder / name
    free = folder.is_dir() and not inside.exists()
    return MerulaError.of(
        "M642",
        f"{folder} exists already",
        remedy="nothing was changed; name a folder that is not there yet with --out"
        + (f", such as {inside}" if free else ""),
    )


def _clear(partial: Path, new: Sequence[Path]) -> None:
    """Delete what was written, and the folders made for it."""
    shutil.rmtree(partial, ignore_errors=True)
    for folder in new:
        with suppress(OSError):
            folder.rmdir()


def _rows(path: Path) -> list[Mapping[str, str]]:
    """Return the rows of a table that comes with Merula."""
    report = Report()
    table = read_table(path.name, path.read_bytes(), TableFormat(), report)
    if table is None:
        raise MerulaError(report.items)
    return [
        {name: cells[i] for name, cells in table.columns.items()} for i in range(len(table.lines))
    ]
