"""Names of files, lines of CSV and of JSON, texts in YAML."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

LONGEST = 120  # characters of a name; more is put before it and after it
BYTE_ORDER_MARK = "\ufeff"

_QUOTED = re.compile(r'[",\s]')


def name_of(text: str) -> str:
    """A text as the name of a file, a task or a UID: ``ascii_name``, which no other text has.

    Where letters had to be replaced or left out, or a name would be too long, it ends in a hash of
    the text. Signs between letters are all the same: see `distinct`.

    >>> name_of("keys-attraction-verb.number_pl-sg_sg")
    'keys-attraction-verb_number_pl-sg_sg'
    >>> name_of("élevé")
    'eleve-e51f85f1'
    """
    plain = ascii_name(text).strip("_-")
    lost = sum(map(str.isalnum, text)) != sum(map(str.isalnum, plain)) or not plain
    if not lost and len(plain) <= LONGEST and all(c.isascii() for c in text if c.isalnum()):
        return plain
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[: LONGEST - len(mark) - 1]}-{mark}".lstrip("-")


def ascii_name(text: str) -> str:
    """A text in letters, digits, ``_`` and ``-`` of ASCII; what it cannot say is left out.

    >>> ascii_name("élevé 2.5 yes"), ascii_name("да")
    ('eleve_2_5_yes', '')
    """
    letters = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    return re.sub(r"[^A-Za-z0-9-]+", "_", plain).strip("_")


def distinct(names: Iterable[str], *, fold: bool = True) -> list[str]:
    """Names made distinct by numbers after those that were there, also where case is ignored.

    >>> distinct(["a", "A", "a", "b"])
    ['a', 'A-2', 'a-3', 'b']
    """
    seen: set[str] = set()
    found = []
    for name in names:
        new, number = name, 1
        while (new.casefold() if fold else new) in seen:
            number += 1
            new = f"{name}-{number}"
        seen.add(new.casefold() if fold else new)
        found.append(new)
    return found


def new_file(path: Path) -> TextIO:
    """A file of text that is not there yet, with line ends that are the same everywhere."""
    return path.open("x", encoding="utf-8", newline="")


def json_line(value: Any) -> str:
    """A value as a line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def csv_line(cells: Iterable[Any]) -> str:
    """Cells as a line of CSV; in quotes where they hold a comma, a quote or white space.

    So a line end or a tab inside a cell is read back by every reader.

    >>> csv_line(["a", "b c", 1, None])
    'a,"b c",1,\\n'
    """
    return ",".join(_cell("" if cell is None else str(cell)) for cell in cells) + "\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def yaml_text(text: str) -> str:
    """A text as YAML, in double quotes, with escapes for what YAML would take for a line end.

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
