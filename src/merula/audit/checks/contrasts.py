"""Checks of pairs: two sentences should differ in their contrast and in nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from merula.audit.checks.spelling import shown
from merula.audit.corpus import LICENSOR, NPI, SCOPE, Place
from merula.audit.findings import Finding, Found, Settings
from merula.audit.view import View
from merula.audit.words import Kind, change

# The changes that a contrast may be. A licensor may move, as in an inversion. A scope contrast has
# the same words in another order. Where the data do not name the contrast, any of these may be.
ALLOWED: Mapping[str, frozenset[Kind]] = {
    NPI: frozenset(["replaced"]),
    LICENSOR: frozenset(["replaced", "moved"]),
    SCOPE: frozenset(["moved", "exchanged", "rearranged"]),
    "": frozenset(["same", "replaced", "moved", "exchanged", "rearranged"]),
}


def identical(view: View, settings: Settings) -> Found | None:
    """Find pairs of two sentences that are the same."""
    del settings
    if not view.pairs:
        return None
    findings = [Finding(p.place, shown(p.good)) for p in view.pairs if p.good == p.bad]
    return Found(len(view.pairs), tuple(findings))


def beyond(view: View, settings: Settings) -> Found | None:
    """Find pairs, and cells of paradigms, that differ in more than their contrast."""
    del settings
    findings = []
    for what, kind, good, bad, place, other in _differences(view):
        if kind not in ALLOWED[what]:
            named = f"{what}: " if what else ""
            findings.append(Finding(place, f"{named}{shown(good)} / {shown(bad)}", other))
    of = sum(pair.good != pair.bad for pair in view.pairs) + len(view.edges)
    return Found(of, tuple(findings)) if of else None


def _differences(view: View) -> Iterator[tuple[str, Kind, str, str, Place, Place | None]]:
    for pair, (good, bad) in zip(view.pairs, view.pair_words, strict=True):
        if pair.good != pair.bad:
            kind = change(good, bad).kind
            yield pair.contrast, kind, pair.good, pair.bad, pair.place, None
    for edge in view.edges:
        one, other = view.sentences[edge.one], view.sentences[edge.other]
        if one.text != other.text:  # the check `repeated` finds the rest
            kind = edge.change.kind
            yield edge.contrast, kind, one.text, other.text, one.place, other.place


def cloze_length(view: View, settings: Settings) -> Found | None:
    """Find cloze pairs whose sentences do not have the same number of words."""
    del settings
    findings, of = [], 0
    for pair, (good, bad) in zip(view.pairs, view.pair_words, strict=True):
        if pair.cloze:
            of += 1
            if len(good) != len(bad):
                findings.append(Finding(pair.place, f"{shown(pair.good)} / {shown(pair.bad)}"))
    return Found(of, tuple(findings)) if of else None


def pair_length(view: View, settings: Settings) -> Found | None:
    """Find pairs whose sentences do not have the same number of words, and the mean difference."""
    del settings
    if not view.pairs:
        return None
    findings = []
    total = 0
    for pair, (good, bad) in zip(view.pairs, view.pair_words, strict=True):
        total += len(good) - len(bad)
        if len(good) != len(bad):
            findings.append(Finding(pair.place, f"{shown(pair.good)} / {shown(pair.bad)}"))
    mean = total / len(view.pairs)
    longer = "longer" if mean >= 0 else "shorter"
    summary = f"good ones are {abs(mean):.2f} words {longer} on average"
    return Found(len(view.pairs), tuple(findings), summary)
