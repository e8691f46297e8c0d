"""Checks of how sentences are written: spaces, marks, capitals, characters, doubled words, a/an."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from merula.audit.findings import FindingPlace, Found, Settings
from merula.audit.view import View
from merula.audit.words import closed_up
from merula.lexicon.surface import Surface
from merula.lexicon.table import clean

# Words that may stand twice in a row: "the book that that man read", "gave her her book".
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
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
USED = "\t\n\u200c\u200d"  # spaces are looked at elsewhere; some scripts need joiners
ENGLISH = "en"
BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


def _where(view: View, says: Callable[[str, str], str]) -> Found:
    """The sentences of which a function says something; each different one is asked once.

    The function takes the sentence and its language.
    """
    known: dict[tuple[str, str], str] = {}
    found = []
    for text in view.texts:
        key = (text.text, text.language)
        said = known.get(key)
        if said is None:
            said = known[key] = says(*key)
        if said:
            found.append(FindingPlace(text.place, said))
    return Found(len(view.texts), tuple(found))


def empty(view: View, settings: Settings) -> Found:
    """Sentences without a word."""
    del settings
    return _where(view, lambda text, _: "" if any(map(str.isalnum, text)) else f"`{shown(text)}`")


def unlabelled(view: View, settings: Settings) -> Found | None:
    """Sentences without a label, where there are any labels at all or nothing else to go by."""
    del settings
    if not view.sentences:
        return None
    found = [FindingPlace(s.place, shown(s.text)) for s in view.sentences if s.acceptable is None]
    return Found(len(view.sentences), tuple(found))


def spacing(view: View, settings: Settings) -> Found:
    """Two spaces in a row, spaces at the ends, spaces that are none (tabs, no-break ones)."""
    del settings
    return _where(view, lambda text, _: _marked(text, SPACING.search(text)))


def punctuation(view: View, settings: Settings) -> Found:
    """No mark at the end; marks that nobody writes so; brackets that are not closed."""
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
    """A small letter at the beginning."""
    del settings

    def small(text: str, language: str) -> str:
        del language
        first = next(filter(str.isalnum, text), "")
        return shown(text) if first != first.upper() and first.islower() else ""

    return _where(view, small)


def characters(view: View, settings: Settings) -> Found:
    """Characters that nobody sees, and letters that a wrong encoding has garbled."""
    del settings
    return _where(view, lambda text, _: _odd_characters(text))


def _odd_characters(text: str) -> str:
    if text.isascii() and text.isprintable():
        return ""
    for char in text:
        if unicodedata.category(char) in UNSEEN and char not in USED:
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
    """A word that stands twice in a row."""
    del settings
    return _where(view, lambda text, language: _double(text, language, meant=False))


def doubles_meant(view: View, settings: Settings) -> Found:
    """A word twice in a row that can be grammatical."""
    del settings
    return _where(view, lambda text, language: _double(text, language, meant=True))


def _double(text: str, language: str, *, meant: bool) -> str:
    """The sentence with a double marked, if a word of it stands twice that may, or may not."""
    legitimate = DOUBLES.get(language, frozenset())
    for match in DOUBLED.finditer(text):
        if (match[1].casefold() in legitimate) == meant:
            return _marked(text, match)
    return ""


def articles(view: View, settings: Settings) -> Found | None:
    """`a` where English has `an`, and the other way round."""
    del settings
    surface = view.surfaces.get(ENGLISH)
    if surface is None or not any(text.language == ENGLISH for text in view.texts):
        return None
    known: dict[str, str] = {}
    return _where(
        view,
        lambda text, language: _wrong_article(text, surface, known) if language == ENGLISH else "",
    )


def contractions(view: View, settings: Settings) -> Found | None:
    """Words that the surface rules of their language contract, elide or change, and that are not.

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
    """The words that are written otherwise by the surface rules, marked, and what they become.

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


def _wrong_article(text: str, surface: Surface, known: dict[str, str]) -> str:
    """The sentence with a wrong article marked, or an empty text.

    What the surface rules write is right. How an abbreviation or a number is read aloud, they do
    not know, so articles before these are passed over.
    """
    for match in ARTICLE.finditer(text):
        article, following = match.groups()
        if following[0].isdigit() or (following.isupper() and following != "I"):
            continue
        if following not in known:
            known[following] = surface.settle(f"a {following}").split(" ", 1)[0]
        if article.lower() != known[following]:
            return _marked(text, match)
    return ""


# --- showing -------------------------------------------------------------------------------

WIDEST = 200  # characters of a sentence that are shown


def shown(text: str) -> str:
    """A sentence on one line, with what cannot be seen made visible, cut where it is long."""
    cut = text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else _escaped(c) for c in cut)


def _escaped(char: str) -> str:
    return {"\t": "⇥", "\n": "⏎", "\u00a0": "⍽"}.get(char, f"⟨U+{ord(char):04X}⟩")


def _marked(text: str, match: re.Match[str] | None) -> str:
    """The sentence with a stretch of it in brackets; only what is near it, where it is long."""
    if match is None:
        return ""
    start, end = match.span()
    before, after = text[:start], text[end:]
    if len(text) > WIDEST:
        before = f"…{before[-WIDEST // 2 :]}" if len(before) > WIDEST // 2 else before
        after = f"{after[: WIDEST // 2]}…" if len(after) > WIDEST // 2 else after
    middle = match[0].replace(" ", "␣") if not match[0].strip() else match[0]
    return f"{shown(before)}[{shown(middle)}]{shown(after)}"
