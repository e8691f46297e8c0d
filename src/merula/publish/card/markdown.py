r"""Text from data, written so that Markdown shows it as it is.

Texts of `inline` and `code` can be put into a paragraph and into a cell of a table.

>>> inline("a * b | c"), code("n1.number"), code("a|b")
('a \\* b \\| c', '`n1.number`', '<code>a\\|b</code>')
>>> print(aligned("|cell|n|\n|---|--:|\n|sg pl|1,000|\n|a\\|b||"))
| cell  |     n |
|:------|------:|
| sg pl | 1,000 |
| a\|b  |       |
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from merula.core.source import display_width

MAX_PADDED_WIDTH = 60  # of a column, in letters; cells that are wider are not aligned
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_MARKS = re.compile(r"""[\\`*_\[\]<>~$|]|&(?=#?\w+;)|!(?=\[)|(?<!\S)#""")
# What a list, a rule or a heading begins with, at the beginning of a line.
_FIRST = re.compile(r"^(?P<sign>[-+](?=\s|$)|[-=]+(?=\s*$)|\d{1,9}(?=[.)](?:\s|$)))")
_BARE = re.compile(r"(?<=[^\W_])_(?=[^\W_])")  # inside a word, where it marks nothing


def line(text: object) -> str:
    """Return a text in one line; characters that cannot be written become U+FFFD.

    >>> line("two\\nlines ")
    'two lines'
    """
    return _writable(str(text)).strip(" ")


def _writable(text: str) -> str:
    joined = _BREAKS.sub(" ", text)
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in joined)


def inline(text: object) -> str:
    r"""Escape a text for a paragraph, so that nothing in it is markup.

    >>> inline("# 1 <b> agreement_fr *x*")
    '\\# 1 \\<b\\> agreement_fr \\*x\\*'
    """
    held = _BARE.sub("\0", line(text))  # a control character, which `line` has taken out
    escaped = _MARKS.sub(lambda m: "\\" + m[0], held).replace("\0", "_")
    return _FIRST.sub(_escaped_first, escaped)


def _escaped_first(match: re.Match[str]) -> str:
    sign = match["sign"]
    return f"{sign}\\" if sign[0].isdigit() else f"\\{sign}"


def sentence(text: object) -> str:
    """Return a text in one line, with a capital and, unless another mark ends it, a full stop.

    >>> sentence("agreement"), sentence("Agreement?")
    ('Agreement.', 'Agreement?')
    """
    written = line(text)
    written = written[:1].upper() + written[1:]
    return written if written.endswith((".", "?", "!", "…", "。")) else f"{written}."


def code(text: object) -> str:
    """Write a text as code; an empty text stays empty."""
    written = line(text)
    if "`" in written or "|" in written:
        return f"<code>{inline(written)}</code>"
    return f"`{written}`" if written else ""


def cell_code(text: object) -> str:
    r"""Write a text as code in a cell of a table, where a bar is escaped between backticks too.

    >>> cell_code("sg | pl")
    '`sg \\| pl`'
    """
    written = line(text)
    if not written or "`" in written or r"\|" in written:
        return code(written)
    escaped = written.replace("|", r"\|")
    return f"`{escaped}`"


def aligned(text: str) -> str:
    """Align the columns of a table of Markdown, up to `MAX_PADDED_WIDTH`.

    The second line says to which side: ``|---|--:|``. Rows get as many cells as the first line has.
    """
    head, rule, *rows = [_cells(row) for row in text.split("\n") if row.strip()]
    every = [[*row, *("" for _ in head)][: len(head)] for row in (head, *rows)]
    right = [side.endswith(":") and not side.startswith(":") for side in rule]
    widths = [
        min(max(3, *map(display_width, column)), MAX_PADDED_WIDTH)
        for column in zip(*every, strict=True)
    ]
    dashes = ["-" * (width + 1) for width in widths]
    rules = [f"{dash}:" if r else f":{dash}" for dash, r in zip(dashes, right, strict=True)]

    def written(cells: Sequence[str]) -> str:
        texts = zip(cells, widths, right, strict=True)
        return "| " + " | ".join(_padded(cell, n, right=r) for cell, n, r in texts) + " |"

    return "\n".join([written(every[0]), f"|{'|'.join(rules)}|", *map(written, every[1:])])


def _cells(row: str) -> list[str]:
    """Split a row into its cells; a bar after a backslash belongs to its cell."""
    inner = row.strip().removeprefix("|")
    cells, at = [""], 0
    while at < len(inner):
        if inner[at] == "\\" and at + 1 < len(inner):
            cells[-1] += inner[at : at + 2]
            at += 2
            continue
        if inner[at] == "|":
            cells.append("")
        else:
            cells[-1] += inner[at]
        at += 1
    if not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def columns(rows: Iterable[Sequence[str]], gap: str = "  ") -> str:
    """Write lines of aligned columns, for a text between fences; empty columns are left out."""
    lines = [[_writable(cell) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    used = [i for i, width in enumerate(widths) if width]
    return "\n".join(gap.join(_padded(row[i], widths[i]) for i in used).rstrip() for row in lines)


def fenced(text: str, language: str = "") -> str:
    """Put lines between fences that nothing in them closes.

    >>> print(fenced("a ``` b", "text"))
    ````text
    a ``` b
    ````
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    split = re.split(r"\r\n|\r|\n", text.strip("\r\n"))
    lines = "\n".join(_writable(part).rstrip() for part in split)
    return f"{fence}{language}\n{lines}\n{fence}"


def tidied(text: str) -> str:
    """Leave at most one empty line between other lines of Markdown, except between fences."""
    lines: list[str] = []
    fence = ""
    for row in text.split("\n"):
        opening = re.match(r" {0,3}(`{3,}|~{3,})", row)
        if not fence and not row.strip() and (not lines or not lines[-1].strip()):
            continue
        if fence and re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}} *", row):
            fence = ""
        elif not fence and opening is not None:
            fence = opening[1]
        lines.append(row)
    return "\n".join(lines).rstrip() + "\n"
