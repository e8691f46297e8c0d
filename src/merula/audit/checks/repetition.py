"""Checks of repetition: within a paradigm, across paradigms, in two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix, Place, Sentence
from merula.audit.findings import Finding, Found, Settings
from merula.audit.view import Text, View

# The share of sentences in which a lexeme is one of the design, such as an auxiliary: it is meant
# to be in all of them, but some cells may be without it.
DESIGN_SHARE = 0.9


def repeated(view: View, settings: Settings) -> Found | None:
    """Find sentences that their paradigm has already; the first one is not counted."""
    del settings
    if not view.groups:
        return None
    seen: dict[tuple[str, str], Place] = {}
    findings = []
    for s in view.sentences:
        first = seen.setdefault((s.group, s.text), s.place) if s.group and s.text else s.place
        if first is not s.place:
            findings.append(Finding(s.place, shown(s.text), first))
    return Found(len(view.sentences), tuple(findings))


def shared(view: View, settings: Settings) -> Found | None:
    """Find sentences that another paradigm has already, with the same label."""
    del settings
    if not view.sentences:
        return None
    seen: dict[tuple[str, bool | None], tuple[str, Place]] = {}
    findings = []
    for s in view.sentences:
        group, first = seen.setdefault((s.text, s.acceptable), (s.group, s.place))
        if s.text and first is not s.place and (group != s.group or not group):
            findings.append(Finding(s.place, shown(s.text), first))
    return Found(len(view.sentences), tuple(findings))


def contradictions(view: View, settings: Settings) -> Found | None:
    """Find sentences that are good in one place and bad in another."""
    del settings
    same = {
        pair.place for pair in view.pairs if pair.good == pair.bad
    }  # the check `identical` finds these
    labelled = [
        text
        for text in view.judged
        if text.good is not None and text.text and text.place not in same
    ]
    first: dict[tuple[str, bool], Text] = {}
    for text in labelled:
        first.setdefault((text.text, bool(text.good)), text)
    findings = []
    for text in labelled:
        other = first.get((text.text, not text.good))
        if other is not None:
            label = "good" if text.good else "bad"
            findings.append(Finding(text.place, f"{label} here: {shown(text.text)}", other.place))
    return Found(len(labelled), tuple(findings)) if labelled else None


def repeated_pairs(view: View, settings: Settings) -> Found | None:
    """Find pairs that repeat the two sentences and the contrast of an earlier pair."""
    del settings
    if not view.pairs:
        return None
    seen: dict[tuple[str, ...], Place] = {}
    findings = []
    for p in view.pairs:
        first = seen.setdefault((p.good, p.bad, p.contrast, str(p.cloze)), p.place)
        if first is not p.place:
            findings.append(Finding(p.place, f"{shown(p.good)} / {shown(p.bad)}", first))
    return Found(len(view.pairs), tuple(findings))


# --- splits --------------------------------------------------------------------------------


def split_sentences(view: View, settings: Settings) -> Found | None:
    """Find sentences that are in another split, too."""
    del settings
    return _in_two(view, ((text.text, text) for text in view.judged if text.split and text.text))


def split_paradigms(view: View, settings: Settings) -> Found | None:
    """Find sentences whose paradigm has sentences in another split."""
    del settings
    items = ((text.group, text) for text in view.judged if text.split and text.group)
    return _in_two(view, items)


def split_lexemes(view: View, settings: Settings) -> Found | None:
    """Find lexemes in two splits, if the settings demand it.

    A lexeme that nearly all sentences or matrices have is left out: it belongs to the design.
    """
    if not settings.disjoint_lexemes or len(view.corpus.splits) < 2:
        return None
    items: Iterable[Sentence | Matrix] = (*view.sentences, *view.matrices)
    named = [item for item in items if item.split and item.lexemes]
    if not named:
        return None
    times = Counter(lexeme for s in named for lexeme in set(s.lexemes))
    first: dict[str, tuple[str, Place]] = {}
    again: dict[str, Finding] = {}
    for s in named:
        for lexeme in s.lexemes:
            if times[lexeme] > DESIGN_SHARE * len(named):
                continue
            split, place = first.setdefault(lexeme, (s.split, s.place))
            if split != s.split and lexeme not in again:
                text = f"`{lexeme}` in {s.split} and in {split}"
                again[lexeme] = Finding(s.place, text, place)
    return Found(len(first), tuple(again.values()))


def _in_two(view: View, items: Iterable[tuple[Hashable, Text]]) -> Found | None:
    """Find sentences whose key is in an earlier split as well."""
    if len({text.split for text in view.judged if text.split}) < 2:
        return None
    first: dict[Hashable, Text] = {}
    findings, of = [], 0
    for key, text in items:
        of += 1
        earlier = first.setdefault(key, text)
        if earlier.split != text.split:
            where = f"{text.split} and {earlier.split}: {shown(text.text)}"
            findings.append(Finding(text.place, where, earlier.place))
    return Found(of, tuple(findings))
