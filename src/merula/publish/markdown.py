r"""Text that comes from data, written so that Markdown shows it as it is.

What `inline` and `code` give can stand in a paragraph and in a cell of a table alike.

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

WIDEST = 60  # letters to which the cells of a column are padded
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_MARKS = re.compile(r"""[\\`*_\[\]<>~$|]|&(?=#?\w+;)|!(?=\[)|(?<!\S)#""")
# What a list, a rule or a heading begins with, at the beginning of a line.
_FIRST = re.compile(r"^(?P<sign>[-+](?=\s|$)|[-=]+(?=\s*$)|\d{1,9}(?=[.)](?:\s|$)))")
_BARE = re.compile(r"(?<=[^\W_])_(?=[^\W_])")  # inside a word, where it marks nothing


def line(text: object) -> str:
    """A text in one line; characters that cannot be written become U+FFFD.

    >>> line("two\\nlines ")
    'two lines'
    """
    return _writable(str(text)).strip(" ")


def _writable(text: str) -> str:
    joined = _BREAKS.sub(" ", text)
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in joined)


def inline(text: object) -> str:
    r"""A text as it stands in a paragraph; nothing in it marks anything.

    >>> inline("# 1 <b> agreement_fr *x*")
    '\\# 1 \\<b\\> agreement_fr \\*x\\*'
    """
    found = line(text)
    kept = _BARE.sub("\0", found)
    escaped = _MARKS.sub(lambda m: "\\" + m[0], kept).replace("\0", "_")
    return _FIRST.sub(_held, escaped)


def _held(match: re.Match[str]) -> str:
    sign = match["sign"]
    return f"{sign}\\" if sign[0].isdigit() else f"\\{sign}"


def sentence(text: object) -> str:
    """A text in one line, with a capital, and with a full stop where no other mark ends it.

    >>> sentence("agreement"), sentence("Agreement?")
    ('Agreement.', 'Agreement?')
    """
    found = line(text)
    found = found[:1].upper() + found[1:]
    return found if found.endswith((".", "?", "!", "…", "。")) else f"{found}."


def code(text: object) -> str:
    """A text as code; empty where it is."""
    found = line(text)
    if "`" in found or "|" in found:
        return f"<code>{inline(found)}</code>"
    return f"`{found}`" if found else ""


def cell_code(text: object) -> str:
    r"""A text as code in a cell of a table, where a bar is escaped between backticks too.

    >>> cell_code("sg | pl")
    '`sg \\| pl`'
    """
    found = line(text)
    if not found or "`" in found or r"\|" in found:
        return code(found)
    escaped = found.replace("|", r"\|")
    return f"`{escaped}`"


def aligned(text: str) -> str:
    """A table of Markdown, its columns aligned as far as that is of use.

    The second line says to which side: ``|---|--:|``.
    """
    lines = [_cells(own) for own in text.split("\n") if own.strip()]
    head, rule, *rows = lines
    every = [[*row, *("" for _ in head)][: len(head)] for row in (head, *rows)]
    right = [own.endswith(":") and not own.startswith(":") for own in rule]
    widths = [
        min(max(3, *map(display_width, column)), WIDEST) for column in zip(*every, strict=True)
    ]
    rules = ["-" * (width + 1) for width in widths]
    sides = [f"{own}:" if r else f":{own}" for own, r in zip(rules, right, strict=True)]

    def written(cells: Sequence[str]) -> str:
        texts = zip(cells, widths, right, strict=True)
        return "| " + " | ".join(_padded(own, n, right=r) for own, n, r in texts) + " |"

    return "\n".join([written(every[0]), f"|{'|'.join(sides)}|", *map(written, every[1:])])


def _cells(row: str) -> list[str]:
    """The cells of a row; a bar after a backslash belongs to its cell."""
    inner = row.strip().removeprefix("|")
    found, at = [""], 0
    while at < len(inner):
        if inner[at] == "\\" and at + 1 < len(inner):
            found[-1] += inner[at : at + 2]
            at += 2
            continue
        if inner[at] == "|":
            found.append("")
        else:
            found[-1] += inner[at]
        at += 1
    if not found[-1].strip():
        found.pop()
    return [own.strip() for own in found]


def _padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def columns(rows: Iterable[Sequence[str]], gap: str = "  ") -> str:
    """Lines of aligned columns, as they stand between fences; empty columns are left out."""
    lines = [[_writable(own) for own in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    used = [i for i, width in enumerate(widths) if width]
    return "\n".join(gap.join(_padded(own[i], widths[i]) for i in used).rstrip() for own in lines)


def fenced(text: str, language: str = "") -> str:
    """Lines between fences that nothing in them closes.

    >>> print(fenced("a ``` b", "text"))
    ````text
    a ``` b
    ````
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    own = re.split(r"\r\n|\r|\n", text.strip("\r\n"))
    lines = "\n".join(_writable(x).rstrip() for x in own)
    return f"{fence}{language}\n{lines}\n{fence}"


def tidied(text: str) -> str:
    """Markdown with one empty line at most between others, but for what stands between fences."""
    found: list[str] = []
    fence = ""
    for own in text.split("\n"):
        marks = re.match(r" {0,3}(`{3,}|~{3,})", own)
        if not fence and not own.strip() and (not found or not found[-1].strip()):
            continue
        if fence and re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}} *", own):
            fence = ""
        elif not fence and marks is not None:
            fence = marks[1]
        found.append(own)
    return "\n".join(found).rstrip() + "\n"
