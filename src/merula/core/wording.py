"""How messages say things: lists of names, numbers of things, names that are near a word."""

from __future__ import annotations

from collections.abc import Iterable

MAX_LISTED = 20  # words of a list that are shown: about three lines of a terminal


def near(word: str, known: Iterable[str]) -> str | None:
    """Return the nearest known word, if it is near enough to be meant.

    Letter case is tried before edit distance; a word that is nearly all different is no hint.
    """
    from difflib import get_close_matches

    candidates = sorted(set(known))
    for candidate in candidates:
        if candidate.casefold() == word.casefold():
            return candidate
    close = get_close_matches(word, candidates, n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` for the nearest known word, or an empty string."""
    meant = near(word, known)
    return f"did you mean {meant}?" if meant is not None else ""


def listing(words: Iterable[object], last: str = "and") -> str:
    """Return ``a, b and c``; of many words only the first."""
    texts = [str(word) for word in words]
    if len(texts) > MAX_LISTED:
        return f"{', '.join(texts[:MAX_LISTED])} … ({len(texts):,} in all)"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a number of things.

    >>> counted(1, "instance"), counted(2_000, "instance"), counted(0, "matrix", "matrices")
    ('1 instance', '2,000 instances', '0 matrices')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
