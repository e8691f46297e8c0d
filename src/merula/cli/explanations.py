"""What the codes of problems mean: the sections of the pages in ``docs/errors``.

There is a page for every hundred codes, ``# M4xx · Title``, with a section for each code,
``## M420 · Title``. A code is explained nowhere else. Pages go in; chapters and sections come out,
and those sections in which somebody's words occur. ``merula explain`` prints them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from merula.core.resources import folder

_CHAPTER = re.compile(r"# (M\dxx) · (.+)\n")
_SECTION = re.compile(r"^## (M\d{3}) · (.+)\n", re.MULTILINE)
_FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```\n", re.MULTILINE)
_FILE = re.compile(r'\b(?:title|changes)="([^"]+)"')
_COMMENT = re.compile(r"^<!-- .* -->\n\n?", re.MULTILINE)
_MESSAGE = re.compile(r"^(?:error|warning)\[M\d{3}\]: (.+)", re.MULTILINE)
_TYPED_CODE = re.compile(r"(?:(?:error|warning)?\[)?m?(\d+)\]?:?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")  # `licensor_in_scope` is three words

_PLURALS = {"matrices": "matrix", "phenomena": "phenomenon"}
_PLURAL_ENDINGS = {"ies": "y", "sses": "ss", "xes": "x", "shes": "sh", "s": ""}
_SINGULAR_ENDINGS = ("ss", "us", "is")


@dataclass(frozen=True)
class Passage:
    """A paragraph, or a block of lines: a file, changes to a file, or commands with their output.

    ``language`` is the word after the fence of a block (``merula``, ``csv``, ``diff``,
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
        """The section as it is written in the page."""
        return f"## {self.code} · {self.title}\n\n{self.text}"

    def passages(self) -> Iterator[Passage]:
        """Yield the paragraphs and blocks of the section in order."""
        prose, *blocks = _FENCE.split(self.text)
        yield from _paragraphs(prose)
        for info, content, after in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
            file = _FILE.search(info)
            yield Passage(content, info.split()[0], file[1] if file else "")
            yield from _paragraphs(after)

    def words(self) -> set[str]:
        """Return the words of the title, the paragraphs and the messages, not those of files."""
        texts = [self.title, *_MESSAGE.findall(self.text)]
        texts += [passage.text for passage in self.passages() if not passage.language]
        return set(compared_words(" ".join(texts)))


@dataclass(frozen=True)
class Chapter:
    """The codes that begin with one digit; ``name`` is ``M4xx`` for those with a 4."""

    name: str
    title: str
    sections: tuple[Explanation, ...]


@dataclass(frozen=True)
class Explanations:
    """The explanations of all codes, in their order."""

    chapters: tuple[Chapter, ...]

    @cached_property
    def by_code(self) -> Mapping[str, Explanation]:
        """The sections of all chapters."""
        return {section.code: section for chapter in self.chapters for section in chapter.sections}

    def about(self, text: str) -> tuple[Explanation, ...]:
        """Return the sections that contain all words of a text, those with them in the title first.

        Capitals, accents and plurals do not count.
        """
        wanted = set(compared_words(text))
        hits = [section for section in self.by_code.values() if wanted <= section.words()]
        return tuple(sorted(hits, key=lambda hit: not wanted <= set(compared_words(hit.title))))

    def corrected(self, text: str) -> str | None:
        """Return a text with each word that occurs nowhere replaced by the nearest that does.

        None means that every word occurs, or that nothing is near to one of them.
        """
        from merula.core.wording import near

        words = compared_words(text)
        known = set[str]().union(*(section.words() for section in self.by_code.values()))
        corrected = [word if word in known else near(word, known) for word in words]
        complete = [word for word in corrected if word]
        return " ".join(complete) if len(complete) == len(words) and words != complete else None


def explanations() -> Explanations:
    """Return the explanations that come with Merula."""
    pages = sorted(folder("docs").glob("errors/M?xx.md"))
    if not pages:
        raise FileNotFoundError("docs/errors is missing: install merula again")
    return Explanations(tuple(read(page.read_text(encoding="utf-8")) for page in pages))


def read(page: str) -> Chapter:
    r"""Return the chapter in the text of a page.

    >>> read("# M1xx · Names\n\n## M101 · A new name\n\nIt is new.\n").sections[0].title
    'A new name'
    """
    head, *parts = _SECTION.split(page)
    heading = _CHAPTER.match(head)
    assert heading, "a page of explanations begins with its codes and title"
    return Chapter(
        heading[1],
        heading[2],
        tuple(
            Explanation(code, title, _COMMENT.sub("", text).strip("\n") + "\n")
            for code, title, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        ),
    )


def is_typed_code(text: str) -> bool:
    """Return whether a text is meant as a code, with any number of digits.

    >>> [is_typed_code(text) for text in ("M101", "error[101]:", "m42", "agreement", "UTF-8")]
    [True, True, True, False, False]
    """
    return _TYPED_CODE.fullmatch(text.strip()) is not None


def code_of(text: str) -> str | None:
    """Return the code that somebody has typed or copied, or None if it is not a code.

    >>> [code_of(text) for text in ("M101", "m101", "101", "error[M101]:", "m42", "agreement")]
    ['M101', 'M101', 'M101', 'M101', None, None]
    """
    code = _TYPED_CODE.fullmatch(text.strip())
    return f"M{code[1]}" if code and len(code[1]) == 3 else None


def nearest(code: str, codes: Iterable[str]) -> str | None:
    """Return the code of the same chapter with the nearest number, or None without a chapter.

    >>> nearest("M113", ["M112", "M201"])
    'M112'
    """
    same = [other for other in codes if other[:2] == code[:2]]
    return min(same, key=lambda other: abs(int(other[1:]) - int(code[1:])), default=None)


def beginning_with(codes: Iterable[str], text: str) -> Iterator[str]:
    """Yield the codes that begin as somebody has begun to type them.

    >>> list(beginning_with(["M101", "M420", "M421"], "m42"))
    ['M420', 'M421']
    """
    start = text.upper()
    for code in codes:
        if code.startswith(start) or code[1:].startswith(start):
            yield code


def compared_words(text: str) -> list[str]:
    """Return the words of a text as they are compared: small, without accents, in the singular.

    >>> compared_words("Matrices, boxes, Énoncés: the licensor_in_scope of this class")
    ['matrix', 'box', 'enonce', 'the', 'licensor', 'in', 'scope', 'of', 'this', 'class']
    """
    letters = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return [_singular(word) for word in _WORD.findall(plain)]


def _singular(word: str) -> str:
    """Return an English word without the ending of its plural, as far as spelling shows it."""
    if word in _PLURALS or len(word) < 4 or word.endswith(_SINGULAR_ENDINGS):
        return _PLURALS.get(word, word)
    ending = next((ending for ending in _PLURAL_ENDINGS if word.endswith(ending)), "")
    return word.removesuffix(ending) + _PLURAL_ENDINGS.get(ending, "")


def _paragraphs(text: str) -> Iterator[Passage]:
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            yield Passage(" ".join(paragraph.split()))
