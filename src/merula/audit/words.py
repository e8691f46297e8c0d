"""The words of a sentence, and the difference of two sentences in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from merula.lexicon.table import clean

TOKEN = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*['’]?|[^\w\s]|_")
WORD = re.compile(r"\w")
APOSTROPHE = re.compile(r"(?<=\w)'\s+(?=\w)")
MARK = re.compile(r"\s+([,.;:?!)\]…])")

Kind = Literal["same", "replaced", "moved", "exchanged", "rearranged", "several"]
# Words of a stretch in which moves are searched: the time grows with its square, and no sentence of
# a minimal pair is as long.
MAX_WORDS = 200


def tokens(text: str) -> list[str]:
    """Return words and punctuation marks, in lower case.

    >>> tokens("Wasn't the co-pilot at Jo's, too?")
    ["wasn't", 'the', 'co-pilot', 'at', "jo's", ',', 'too', '?']
    """
    return TOKEN.findall(text.casefold())


def words(text: str) -> list[str]:
    """Return words without punctuation marks, in lower case."""
    return [token for token in tokens(text) if WORD.match(token)]


def closed_up(text: str) -> str:
    """Return a sentence for comparisons: no space after apostrophes and before marks.

    >>> closed_up("L\u2019 ordinateur  est en panne .")
    "L'ordinateur est en panne."
    """
    return MARK.sub(r"\1", APOSTROPHE.sub("'", clean(text)))


class WordChange(NamedTuple):
    """The difference of two lists of words, apart from the words that both begin and end with.

    ``kind`` is ``same``; ``replaced``: one stretch by another, which shares no word with it (one of
    them may be empty); ``moved``: one stretch is in another place; ``exchanged``: two stretches
    have changed places; ``rearranged``: the same words in another order; ``several``: anything
    else. ``one`` and ``other`` are the stretch that changed in each list: its first word, and the
    one after its last.
    """

    kind: Kind
    one: tuple[int, int]
    other: tuple[int, int]


def change(one: Sequence[str], other: Sequence[str]) -> WordChange:
    """Return the difference of two lists of words.

    >>> change("he did not go".split(), "he did also go".split())
    WordChange(kind='replaced', one=(2, 3), other=(2, 3))
    >>> change("he did go".split(), "did he go".split())
    WordChange(kind='moved', one=(0, 1), other=(1, 2))
    >>> change("no man that the dog saw".split(), "the man that no dog saw".split()).kind
    'exchanged'
    >>> change("any boys saw the dogs".split(), "the boys saw any cats".split()).kind
    'several'
    """
    start = 0
    shortest = min(len(one), len(other))
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    whole = WordChange("several", (start, start + len(a)), (start, start + len(b)))
    if not a and not b:
        return whole._replace(kind="same")
    if set(a).isdisjoint(b):
        return whole._replace(kind="replaced")
    if len(a) != len(b) or Counter(a) != Counter(b):
        return whole
    if len(a) > MAX_WORDS:
        return whole._replace(kind="rearranged")
    return _moved(a, b, start) or whole._replace(
        kind="exchanged" if _exchanged(a, b) else "rearranged"
    )


def _moved(a: Sequence[str], b: Sequence[str], start: int) -> WordChange | None:
    """Return the move of the shorter of two neighbouring stretches, or None if it is not one."""
    size = len(a)
    for cut in range(1, size):
        if a[cut] == b[0] and a[cut:] == b[: size - cut] and a[:cut] == b[size - cut :]:
            if cut <= size - cut:
                return WordChange("moved", (start, start + cut), (start + size - cut, start + size))
            return WordChange("moved", (start + cut, start + size), (start, start + size - cut))
    return None


def _exchanged(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether the first and the last stretch have changed places around the middle."""
    size = len(a)
    for left in range(1, size):
        if a[:left] != b[size - left :]:
            continue
        for right in range(1, size - left):
            middle = slice(left, size - right)
            if a[size - right :] == b[:right] and a[middle] == b[right : size - left]:
                return True
    return False
