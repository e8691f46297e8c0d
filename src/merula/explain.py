"""What the codes of problems mean: the sections of ``docs/errors.md``.

The page has a chapter for every hundred codes, ``## M4xx · Title``, and under it a section for
each code, ``## M420 · Title``. It is the only place where a code is explained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from merula.core.resources import find

_HEADING = re.compile(r"^## (M\d(?:\d\d|xx)) · (.+)\n", re.MULTILINE)
_FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```\n", re.MULTILINE)
_FILE = re.compile(r'\b(?:title|changes)="([^"]+)"')
_COMMENT = re.compile(r"^<!-- .* -->\n\n?", re.MULTILINE)
_CODE = re.compile(r"(?:(?:error|warning)?\[)?m?(\d{3})\]?:?", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """A paragraph, or a block of lines: a file, changes to a file, or commands with their output.

    ``language`` is what stands behind the fence of a block (``merula``, ``csv``, ``diff``,
    ``console``), and empty for a paragraph. ``file`` is the file that a block is or changes.
    """

    text: str
    language: str = ""
    file: str = ""


@dataclass(frozen=True)
class Explanation:
    """The section of a code: its title, and the Markdown under it."""

    code: str
    title: str
    text: str

    @property
    def markdown(self) -> str:
        """The section as it stands in the page."""
        return f"## {self.code} · {self.title}\n\n{self.text}"

    def parts(self) -> Iterator[Part]:
        """The paragraphs and blocks of the section, in order."""
        prose, *blocks = _FENCE.split(self.text)
        yield from _paragraphs(prose)
        for info, content, after in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
            file = _FILE.search(info)
            yield Part(content, info.split()[0], file[1] if file else "")
            yield from _paragraphs(after)


@dataclass(frozen=True)
class Chapter:
    """The codes that begin with one digit; ``name`` is such as ``M4xx``."""

    name: str
    title: str
    sections: tuple[Explanation, ...]


@dataclass(frozen=True)
class Explanations:
    """All that is explained, in the order of the page."""

    chapters: tuple[Chapter, ...]

    @cached_property
    def by_code(self) -> Mapping[str, Explanation]:
        """The sections of all chapters."""
        return {part.code: part for chapter in self.chapters for part in chapter.sections}


def explanations() -> Explanations:
    """The explanations that come with Merula."""
    file = find("docs", "errors.md")
    if file is None:
        raise FileNotFoundError("docs/errors.md is not there: install merula again")
    return read(file.read_text(encoding="utf-8"))


def read(page: str) -> Explanations:
    r"""The explanations in the text of a page.

    >>> page = "# Errors\n\n## M1xx · Names\n\n## M101 · A new name\n\nIt is new.\n"
    >>> read(page).by_code["M101"].title
    'A new name'
    """
    _, *parts = _HEADING.split(page)
    chapters: list[tuple[str, str]] = []
    sections: list[list[Explanation]] = []
    for code, title, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if code.endswith("xx"):
            chapters.append((code, title))
            sections.append([])
        else:
            shown = _COMMENT.sub("", text).strip("\n")
            sections[-1].append(Explanation(code, title, f"{shown}\n"))
    return Explanations(
        tuple(
            Chapter(name, title, tuple(found))
            for (name, title), found in zip(chapters, sections, strict=True)
        )
    )


def code_of(text: str) -> str | None:
    """The code that somebody has typed or copied, or None if it is none.

    >>> [code_of(text) for text in ("M101", "m101", "101", "error[M101]:", "agreement")]
    ['M101', 'M101', 'M101', 'M101', None]
    """
    found = _CODE.fullmatch(text.strip())
    return f"M{found[1]}" if found else None


def nearest(code: str, codes: Iterable[str]) -> str | None:
    """The code of the same chapter whose number is nearest, or None if there is no such chapter.

    >>> nearest("M113", ["M112", "M201"])
    'M112'
    """
    same = [other for other in codes if other[:2] == code[:2]]
    return min(same, key=lambda other: abs(int(other[1:]) - int(code[1:])), default=None)


def beginning_with(codes: Iterable[str], text: str) -> Iterator[str]:
    """The codes that begin as somebody has begun to type them.

    >>> list(beginning_with(["M101", "M420", "M421"], "m42"))
    ['M420', 'M421']
    """
    start = text.upper()
    for code in codes:
        if code.startswith(start) or code[1:].startswith(start):
            yield code


def _paragraphs(text: str) -> Iterator[Part]:
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            yield Part(" ".join(paragraph.split()))
