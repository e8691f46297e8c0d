"""Checks of spelling: spaces, marks, capitals, characters, doubled words, *a* and *an*.

In goes a `View`, out come `Found`, with the sentence and the odd place in brackets; ``registry``
lists the functions. `shown` writes a sentence on a line for all checks. Each different sentence is
looked at once, however often the data have it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from merula.audit.findings import Finding, Found, Settings
from merula.audit.view import View
from merula.audit.words import closed_up
from merula.lexicon.surface import Surface
from merula.lexicon.table import clean

# Words that may come twice in a row: "the book that that man read", "gave her her book".
DOUBLES = {
    "en": frozenset("that had her is you it".split()),
    "de": frozenset("der die das den dem sie".split()),
    "fr": frozenset("nous vous".split()),
}
DOUBLED = re.compile(r"(?<![\w'’-])(\w[\w'’-]*)\s+\1(?![\w'’-])", re.IGNORECASE)
SPACING = re.compile(r"^\s|\s$|\s\s|[^\S ]")
ENDS = re.compile(r"[.?!…][\"'’”»)\]]*$")
ODD = re.compile(
    r"\s[,.;:?!)\]…]|[(\[]\s|[,;:?!](?=[^\W\d_])|,[,.;:?!]|[;:][,.;:?!]|[!?]\.|(?<!\.)\.\.(?!\.)"
)
ARTICLE = re.compile(r"(?<![\w'’.-])(an?)\s+[\"'“‘«(]*(\w[\w'’-]*)", re.IGNORECASE)
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
USED = "\t\n\u200c\u200d"  # spaces have a check of their own; some scripts need joiners
ENGLISH = "en"
BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


def _where(view: View, fault_of: Callable[[str, str], str]) -> Found:
    """Return the sentences for which a function returns a text.

    The function takes a sentence and its language; it is called once for each different sentence.
    """
    faults: dict[tuple[str, str], str] = {}
    findings = []
    for text in view.texts:
        key = (text.text, text.language)
        if key not in faults:
            faults[key] = fault_of(*key)
        if faults[key]:
            findings.append(Finding(text.place, faults[key]))
    return Found(len(view.texts), tuple(findings))


def empty(view: View, settings: Settings) -> Found:
    """Find sentences without a word."""
    del settings
    return _where(view, lambda text, _: "" if any(map(str.isalnum, text)) else f"`{shown(text)}`")


def unlabelled(view: View, settings: Settings) -> Found | None:
    """Find sentences without a label; those of pairs and matrices are not looked at."""
    del settings
    if not view.sentences:
        return None
    findings = [Finding(s.place, shown(s.text)) for s in view.sentences if s.acceptable is None]
    return Found(len(view.sentences), tuple(findings))


def spacing(view: View, settings: Settings) -> Found:
    """Find two spaces in a row, spaces at the ends, tabs and no-break spaces."""
    del settings
    return _where(view, lambda text, _: _marked(text, SPACING.search(text)))


def punctuation(view: View, settings: Settings) -> Found:
    """Find sentences without a mark at the end, odd marks, and brackets that are not closed."""
    del settings
    return _where(view, lambda text, _: _odd_marks(text))


def _odd_marks(text: str) -> str:
    trimmed = text.strip()
    if not trimmed:
        return ""
    if not ENDS.search(trimmed):
        return f"{shown(text)}  ← no mark at the end"
    unbalanced = any(text.count(a) != text.count(b) for a, b in BRACKETS) or text.count('"') % 2
    return shown(text) if unbalanced else _marked(text, ODD.search(text))


def capital(view: View, settings: Settings) -> Found:
    """Find a small letter at the beginning."""
    del settings

    def small(text: str, language: str) -> str:
        del language
        first = next(filter(str.isalnum, text), "")
        return shown(text) if first != first.upper() and first.islower() else ""

    return _where(view, small)


def characters(view: View, settings: Settings) -> Found:
    """Find invisible characters, and letters that a wrong encoding has garbled."""
    del settings
    return _where(view, lambda text, _: _odd_characters(text))


def _odd_characters(text: str) -> str:
    if text.isascii() and text.isprintable():
        return ""
    for char in text:
        if unicodedata.category(char) in INVISIBLE and char not in USED:
            name = unicodedata.name(char, "no name")
            return f"{shown(text)}  ← U+{ord(char):04X} {name}"
    if "\ufffd" in text:
        return f"{shown(text)}  ← letters are lost"
    for encoding in ("cp1252", "latin-1"):
        try:
            mended = text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return f"{shown(text)}  ← may be: {shown(mended)}" if mended != text else ""
    return ""


def doubled(view: View, settings: Settings) -> Found:
    """Find a word twice in a row."""
    del settings
    return _where(view, lambda text, language: _double(text, language, meant=False))


def doubles_meant(view: View, settings: Settings) -> Found:
    """Find a word twice in a row that can be grammatical."""
    del settings
    return _where(view, lambda text, language: _double(text, language, meant=True))


def _double(text: str, language: str, *, meant: bool) -> str:
    """Return a sentence with a doubled word marked, one that may be double (``meant``) or not."""
    legitimate = DOUBLES.get(language, frozenset())
    for match in DOUBLED.finditer(text):
        if (match[1].casefold() in legitimate) == meant:
            return _marked(text, match)
    return ""


def articles(view: View, settings: Settings) -> Found | None:
    """Find `a` where English has `an`, or the reverse."""
    del settings
    surface = view.surfaces.get(ENGLISH)
    if surface is None or not any(text.language == ENGLISH for text in view.texts):
        return None
    articles: dict[str, str] = {}
    return _where(
        view,
        lambda text, code: _wrong_article(text, surface, articles) if code == ENGLISH else "",
    )


def contractions(view: View, settings: Settings) -> Found | None:
    """Find words that the surface rules of their language would contract, elide or change.

    English has a check of its own, for its articles.
    """
    del settings
    surfaces = {
        language: surface
        for language, surface in view.surfaces.items()
        if language != ENGLISH and surface.changing
    }
    if not any(text.language in surfaces for text in view.texts):
        return None

    def unlike(text: str, language: str) -> str:
        surface = surfaces.get(language)
        return _unsettled(text, surface) if surface is not None else ""

    return _where(view, unlike)


def _unsettled(text: str, surface: Surface) -> str:
    """Return a sentence with the words marked that the surface rules change, and their change.

    An apostrophe may be followed by a space (``L\u2019 ordinateur``), and a mark preceded by one.
    """
    plain, settled = closed_up(text), closed_up(surface.settle(clean(text)))
    if settled == plain:
        return ""
    old, new = plain.split(), settled.split()
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, words = " ".join(old[:start]), " ".join(old[start : len(old) - end])
    after, becomes = " ".join(old[len(old) - end :]), " ".join(new[start : len(new) - end])
    return f"{shown(f'{before} [{words}] {after}'.strip())}  ← {becomes}"


def _wrong_article(text: str, surface: Surface, articles: dict[str, str]) -> str:
    """Return a sentence with a wrong article marked, or an empty text.

    The article that the surface rules write is right; ``articles`` keeps it by the next word. The
    rules do not know how an abbreviation or a number is read aloud, so these are skipped.
    """
    for match in ARTICLE.finditer(text):
        article, following = match.groups()
        if following[0].isdigit() or (following.isupper() and following != "I"):
            continue
        if following not in articles:
            articles[following] = surface.settle(f"a {following}").split(" ", 1)[0]
        if article.lower() != articles[following]:
            return _marked(text, match)
    return ""


# --- showing -------------------------------------------------------------------------------

MAX_CHARACTERS = 200  # of a sentence that are shown: two or three lines of a terminal


def shown(text: str) -> str:
    """Return a sentence on one line, with invisible characters made visible, cut if it is long."""
    cut = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else _escaped(c) for c in cut)


def _escaped(char: str) -> str:
    return {"\t": "⇥", "\n": "⏎", "\u00a0": "⍽"}.get(char, f"⟨U+{ord(char):04X}⟩")


def _marked(text: str, match: re.Match[str] | None) -> str:
    """Return a sentence with a match in brackets; of a long one only the words near the match."""
    if match is None:
        return ""
    start, end = match.span()
    before, after = text[:start], text[end:]
    if len(text) > MAX_CHARACTERS:
        before = (
            f"…{before[-MAX_CHARACTERS // 2 :]}" if len(before) > MAX_CHARACTERS // 2 else before
        )
        after = f"{after[: MAX_CHARACTERS // 2]}…" if len(after) > MAX_CHARACTERS // 2 else after
    middle = match[0].replace(" ", "␣") if not match[0].strip() else match[0]
    return f"{shown(before)}[{shown(middle)}]{shown(after)}"
