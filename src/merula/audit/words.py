"""Words of a sentence, and how two sentences differ in them."""

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
LONGEST = 200  # words of a stretch in which moves are looked for


def tokens(text: str) -> list[str]:
    """Words and punctuation marks, without letter case.

    >>> tokens("Wasn't the co-pilot at Jo's, too?")
    ["wasn't", 'the', 'co-pilot', 'at', "jo's", ',', 'too', '?']
    """
    return TOKEN.findall(text.casefold())


def words(text: str) -> list[str]:
    """Words without punctuation marks and letter case."""
    return [token for token in tokens(text) if WORD.match(token)]


def closed_up(text: str) -> str:
    """A sentence as it is compared: straight apostrophes, no space after them or before marks.

    >>> closed_up("L\u2019 ordinateur  est en panne .")
    "L'ordinateur est en panne."
    """
    return MARK.sub(r"\1", APOSTROPHE.sub("'", clean(text)))


class WordChange(NamedTuple):
    """How two lists of words differ.

    ``kind`` is ``same``; ``replaced``: one stretch by another, which shares no word with it (one of
    them may be empty); ``moved``: one stretch stands elsewhere; ``exchanged``: two stretches have
    changed places; ``rearranged``: the same words in another order; ``several``: anything else.
    ``one`` and ``other`` are the stretch that changed, from and to, in each list. All this is said
    of what is left when the words are taken away that both begin with and that both end with.
    """

    kind: Kind
    one: tuple[int, int]
    other: tuple[int, int]


def change(one: Sequence[str], other: Sequence[str]) -> WordChange:
    """How two lists of words differ.

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
    if len(a) > LONGEST:
        return whole._replace(kind="rearranged")
    return _moved(a, b, start) or whole._replace(
        kind="exchanged" if _exchanged(a, b) else "rearranged"
    )


def _moved(a: Sequence[str], b: Sequence[str], start: int) -> WordChange | None:
    """Two neighbouring stretches in the other order: the shorter one has moved."""
    size = len(a)
    for cut in range(1, size):
        if a[cut] == b[0] and a[cut:] == b[: size - cut] and a[:cut] == b[size - cut :]:
            if cut <= size - cut:
                return WordChange("moved", (start, start + cut), (start + size - cut, start + size))
            return WordChange("moved", (start + cut, start + size), (start, start + size - cut))
    return None


def _exchanged(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the first stretch and the last have changed places, and what is between has not."""
    size = len(a)
    for left in range(1, size):
        if a[:left] != b[size - left :]:
            continue
        for right in range(1, size - left):
            middle = slice(left, size - right)
            if a[size - right :] == b[:right] and a[middle] == b[right : size - left]:
                return True
    return False
