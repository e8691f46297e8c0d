"""Whether two sequences of words can be one string, whatever their lexemes: a quick test.

What each word may be goes in (`Matcher.add`), then sequences of words by their numbers
(`may_match`). False is certain, True only possible: that two words are of one lexeme is not looked
at. `merula.plan.readings` keeps the pairs for which it is True, and `merula.plan.contrast` decides.

*the key* | *to the cabinets* | *rusts* and *the key* | *rusts* cannot be one string: after *the
key* no text of the second place begins like a text of the verb. *the lamp* | *post* and
*the lamp post* can:

>>> matcher = Matcher()
>>> texts = [("the key", "the lamp"), ("to the cabinets", "post"), ("rusts",), ("the lamp post",)]
>>> s, a, v, whole = (matcher.add(frozenset(tuple(x.split()) for x in word)) for word in texts)
>>> matcher.may_match((s, a, v), (s, v)), matcher.may_match((s, a), (whole,))
(False, True)
"""

from __future__ import annotations

from typing import NamedTuple

_Spoken = tuple[str, ...]
_Numbers = tuple[int, ...]


class _Comparison(NamedTuple):
    """The texts of two sets compared: whether two are equal, and what others leave over."""

    equal: bool
    over_one: frozenset[
        _Spoken
    ]  # what is left of texts of the one that begin with one of the other
    over_other: frozenset[_Spoken]


class Matcher:
    """Compares sequences of words; what has been found of their ends is kept."""

    def __init__(self) -> None:
        self._texts: list[frozenset[_Spoken]] = []
        self._number_of: dict[frozenset[_Spoken], int] = {}
        self._compared: dict[tuple[frozenset[_Spoken], frozenset[_Spoken]], _Comparison] = {}
        self._known: dict[tuple[_Numbers, _Numbers, frozenset[_Spoken]], bool] = {}

    def add(self, texts: frozenset[_Spoken]) -> int:
        """Return the number of what has some texts, each a sequence of words."""
        if texts not in self._number_of:
            self._number_of[texts] = len(self._texts)
            self._texts.append(texts)
        return self._number_of[texts]

    def may_match(self, one: _Numbers, other: _Numbers) -> bool:
        """Return whether two sequences may be one string."""
        return self._match(one, other, _NOTHING)

    def word_by_word(self, one: _Numbers, other: _Numbers) -> bool:
        """Return whether each word of the one may be the word of the other at its place."""
        texts = self._texts
        return len(one) == len(other) and all(
            a == b or not texts[a].isdisjoint(texts[b]) for a, b in zip(one, other, strict=True)
        )

    def _match(self, one: _Numbers, other: _Numbers, left: frozenset[_Spoken]) -> bool:
        """Return whether two ends of sequences match, the first after some words left over."""
        if not one and left is _NOTHING:
            one, other = other, one
        if not one and left is _NOTHING:
            return True
        if not other:
            return (() in left or left is _NOTHING) and all(() in self._texts[x] for x in one)
        key = (one, other, left)
        if key not in self._known:
            self._known[key] = self._matches(one, other, left)
        return self._known[key]

    def _matches(self, one: _Numbers, other: _Numbers, left: frozenset[_Spoken]) -> bool:
        if left is _NOTHING:
            left, one = self._texts[one[0]], one[1:]
        found = self._compare(left, self._texts[other[0]])
        other = other[1:]
        return (
            (found.equal and self._match(one, other, _NOTHING))
            or (bool(found.over_one) and self._match(one, other, found.over_one))
            or (bool(found.over_other) and self._match(other, one, found.over_other))
        )

    def _compare(self, one: frozenset[_Spoken], other: frozenset[_Spoken]) -> _Comparison:
        key = (one, other)
        if key not in self._compared:
            over_one = (w[n:] for w in one for n in range(len(w)) if w[:n] in other)
            over_other = (w[n:] for w in other for n in range(len(w)) if w[:n] in one)
            self._compared[key] = _Comparison(
                not one.isdisjoint(other), frozenset(over_one), frozenset(over_other)
            )
        return self._compared[key]


_NOTHING: frozenset[_Spoken] = frozenset()
