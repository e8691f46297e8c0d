"""Names of files, lines of CSV and of JSON, texts in YAML."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

# Characters of a name: file systems take 255 bytes, and prefixes, splits and suffixes are added.
MAX_CHARACTERS = 120
BYTE_ORDER_MARK = "\ufeff"

_QUOTED = re.compile(r'[",\s]')


def name_of(text: str) -> str:
    """Return the name of a file, a task or a UID for a text: its `ascii_name`, made its own.

    Where letters had to be replaced or left out, or a name would be too long, it ends in a hash of
    the text. Texts that differ in signs alone have the same name: see `distinct`.

    >>> name_of("keys-attraction-verb.number_pl-sg_sg")
    'keys-attraction-verb_number_pl-sg_sg'
    >>> name_of("élevé")
    'eleve-e51f85f1'
    """
    plain = ascii_name(text).strip("_-")
    lost = sum(map(str.isalnum, text)) != sum(map(str.isalnum, plain)) or not plain
    if not lost and len(plain) <= MAX_CHARACTERS and all(c.isascii() for c in text if c.isalnum()):
        return plain
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[: MAX_CHARACTERS - len(digest) - 1]}-{digest}".lstrip("-")


def ascii_name(text: str) -> str:
    """Return a text in letters, digits, ``_`` and ``-`` of ASCII; other letters are left out.

    >>> ascii_name("élevé 2.5 yes"), ascii_name("да")
    ('eleve_2_5_yes', '')
    """
    letters = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    return re.sub(r"[^A-Za-z0-9-]+", "_", plain).strip("_")


def distinct(names: Iterable[str], *, fold: bool = True) -> list[str]:
    """Return names in which a number follows each that was there before; ``fold`` ignores case.

    >>> distinct(["a", "A", "a", "b"])
    ['a', 'A-2', 'a-3', 'b']
    """
    taken: set[str] = set()
    result = []
    for name in names:
        new, number = name, 1
        while (new.casefold() if fold else new) in taken:
            number += 1
            new = f"{name}-{number}"
        taken.add(new.casefold() if fold else new)
        result.append(new)
    return result


def new_file(path: Path) -> TextIO:
    """Open a new file of text, whose line ends are the same on every system."""
    return path.open("x", encoding="utf-8", newline="")


def json_line(value: Any) -> str:
    """Return a value as a line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def csv_line(cells: Iterable[Any]) -> str:
    """Return cells as a line of CSV, in quotes if they contain a comma, a quote or white space.

    Then every reader reads back a line end or a tab inside a cell.

    >>> csv_line(["a", "b c", 1, None])
    'a,"b c",1,\\n'
    """
    return ",".join(_cell("" if cell is None else str(cell)) for cell in cells) + "\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def yaml_text(text: str) -> str:
    """Return a text as YAML in double quotes, with escapes for what it takes for a line end.

    >>> print(yaml_text("é \\u2028"))
    "é \\u2028"
    """
    return '"' + "".join(_yaml_character(c) for c in text) + '"'


def _yaml_character(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char == " " or unicodedata.category(char)[0] not in "CZ":
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
