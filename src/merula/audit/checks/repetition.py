"""Checks of what stands twice: within a paradigm, across paradigms, in two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix, Place, Sentence
from merula.audit.findings import FindingPlace, Found, Settings
from merula.audit.view import Text, View

NEARLY_ALL = 0.9  # of the sentences: a lexeme that they have is one of the design


def repeated(view: View, settings: Settings) -> Found | None:
    """A sentence that its paradigm has already; the first of them is not counted."""
    del settings
    if not view.groups:
        return None
    seen: dict[tuple[str, str], Place] = {}
    found = []
    for s in view.sentences:
        first = seen.setdefault((s.group, s.text), s.place) if s.group and s.text else s.place
        if first is not s.place:
            found.append(FindingPlace(s.place, shown(s.text), first))
    return Found(len(view.sentences), tuple(found))


def shared(view: View, settings: Settings) -> Found | None:
    """A sentence that another paradigm has already, with the same label."""
    del settings
    if not view.sentences:
        return None
    seen: dict[tuple[str, bool | None], tuple[str, Place]] = {}
    found = []
    for s in view.sentences:
        group, first = seen.setdefault((s.text, s.acceptable), (s.group, s.place))
        if s.text and first is not s.place and (group != s.group or not group):
            found.append(FindingPlace(s.place, shown(s.text), first))
    return Found(len(view.sentences), tuple(found))


def contradictions(view: View, settings: Settings) -> Found | None:
    """A sentence that is good in one place and bad in another."""
    del settings
    same = {pair.place for pair in view.pairs if pair.good == pair.bad}  # told by another check
    labelled = [
        text
        for text in view.judged
        if text.good is not None and text.text and text.place not in same
    ]
    first: dict[tuple[str, bool], Text] = {}
    for text in labelled:
        first.setdefault((text.text, bool(text.good)), text)
    found = []
    for text in labelled:
        other = first.get((text.text, not text.good))
        if other is not None:
            label = "good" if text.good else "bad"
            found.append(FindingPlace(text.place, f"{label} here: {shown(text.text)}", other.place))
    return Found(len(labelled), tuple(found)) if labelled else None


def repeated_pairs(view: View, settings: Settings) -> Found | None:
    """A pair of the same two sentences that stands there already, of the same contrast."""
    del settings
    if not view.pairs:
        return None
    seen: dict[tuple[str, ...], Place] = {}
    found = []
    for p in view.pairs:
        first = seen.setdefault((p.good, p.bad, p.contrast, str(p.cloze)), p.place)
        if first is not p.place:
            found.append(FindingPlace(p.place, f"{shown(p.good)} / {shown(p.bad)}", first))
    return Found(len(view.pairs), tuple(found))


# --- splits --------------------------------------------------------------------------------


def split_sentences(view: View, settings: Settings) -> Found | None:
    """A sentence that stands in another split, too."""
    del settings
    return _in_two(view, ((text.text, text) for text in view.judged if text.split and text.text))


def split_paradigms(view: View, settings: Settings) -> Found | None:
    """A sentence whose paradigm has sentences in another split."""
    del settings
    items = ((text.group, text) for text in view.judged if text.split and text.group)
    return _in_two(view, items)


def split_lexemes(view: View, settings: Settings) -> Found | None:
    """A lexeme that stands in two splits; only looked for where it is demanded.

    What nearly all sentences or matrices have, an auxiliary say, is a word of the design and left
    aside.
    """
    if not settings.disjoint_lexemes or len(view.corpus.splits) < 2:
        return None
    items: Iterable[Sentence | Matrix] = (*view.sentences, *view.matrices)
    named = [item for item in items if item.split and item.lexemes]
    if not named:
        return None
    held = Counter(lexeme for s in named for lexeme in set(s.lexemes))
    first: dict[str, tuple[str, Place]] = {}
    again: dict[str, FindingPlace] = {}
    for s in named:
        for lexeme in s.lexemes:
            if held[lexeme] > NEARLY_ALL * len(named):
                continue
            split, place = first.setdefault(lexeme, (s.split, s.place))
            if split != s.split and lexeme not in again:
                said = f"`{lexeme}` in {s.split} and in {split}"
                again[lexeme] = FindingPlace(s.place, said, place)
    return Found(len(first), tuple(again.values()))


def _in_two(view: View, items: Iterable[tuple[Hashable, Text]]) -> Found | None:
    """Sentences whose key stands in an earlier split as well."""
    if len({text.split for text in view.judged if text.split}) < 2:
        return None
    first: dict[Hashable, Text] = {}
    found, of = [], 0
    for key, text in items:
        of += 1
        other = first.setdefault(key, text)
        if other.split != text.split:
            said = f"{text.split} and {other.split}: {shown(text.text)}"
            found.append(FindingPlace(text.place, said, other.place))
    return Found(of, tuple(found))
