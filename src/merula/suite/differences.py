"""Where two sentences differ: the stretch of words in each, and the words after it.

>>> found = difference("The boys had ever left.", "The boys had often left.")
>>> found.one.of("The boys had ever left."), found.rest_of("The boys had ever left.")
('ever', 'left')
>>> found.one_word
True
>>> difference("The boys left.", "The boys had left.").one
Stretch(start=9, end=9, words=0)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from merula.core.frozen import frozen

TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
Token = tuple[str, int, int]


@frozen
class Stretch:
    """Neighbouring words of a sentence: its first character, the one after its last."""

    start: int
    end: int
    words: int

    def of(self, sentence: str) -> str:
        """The words as they stand in the sentence."""
        return sentence[self.start : self.end]


@frozen
class Difference:
    """What differs in two sentences, and the words that both have after it, without the stop."""

    one: Stretch
    other: Stretch
    one_rest: Stretch
    other_rest: Stretch

    @property
    def one_word(self) -> bool:
        """Whether one word stands for one word."""
        return self.one.words == self.other.words == 1

    def rest_of(self, one: str) -> str:
        """The words after the difference, as they stand in the first sentence."""
        return self.one_rest.of(one)


def difference(one: str, other: str) -> Difference:
    """Where two sentences differ, in whole words; what is in common at both ends is left out."""
    mine, theirs = tokens(one), tokens(other)
    before = _in_common(mine, theirs)
    shorter = min(len(mine), len(theirs)) - before
    after = min(_in_common(mine[::-1], theirs[::-1]), shorter)
    return Difference(
        _stretch(one, mine, before, len(mine) - after),
        _stretch(other, theirs, before, len(theirs) - after),
        _rest(one, mine, len(mine) - after),
        _rest(other, theirs, len(theirs) - after),
    )


@lru_cache(maxsize=64)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and marks of a sentence, with their first character and the one after the last."""
    return tuple((match[0], *match.span()) for match in TOKEN.finditer(text))


def _in_common(mine: Sequence[Token], theirs: Sequence[Token]) -> int:
    both = zip(mine, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], both))


def _stretch(text: str, words: Sequence[Token], start: int, end: int) -> Stretch:
    if start < end:
        return Stretch(words[start][1], words[end - 1][2], end - start)
    at = words[start][1] if start < len(words) else len(text)
    return Stretch(at, at, 0)


def _rest(text: str, words: Sequence[Token], start: int) -> Stretch:
    end = len(words)
    while end > start and not words[end - 1][0][0].isalnum():
        end -= 1
    if start == end:
        return Stretch(len(text), len(text), 0)
    return _stretch(text, words, start, end)
