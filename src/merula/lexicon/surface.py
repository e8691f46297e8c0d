"""Surface rules of a language: elision, contraction, spacing, capital and stop, from data.

A sentence is written from right to left, since what a word becomes depends on what follows it
(``de le ami`` → ``de l'ami``, ``de le chat`` → ``du chat``). All that a word needs to know of
its right neighbour is that neighbour's `PhraseEdge`; so a column of phrases can be written for
every edge once, and sentences are put together by looking up (`merula.rows.sentences`).

The text of a ``surface.toml`` goes in (`load_surface`); a `Surface` comes out, which writes phrases
before an edge (`Surface.write`) and whole sentences. Contrasts, rows, examples and drawings write
with it. A language's ``surface.toml`` holds ``capital``, ``stop``, named patterns under ``sounds``,
``[[change]]`` (one word before a sound) and ``[[contract]]`` (two words become one).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing

# Marks without a space before them.
CLOSING = frozenset({",", ".", ";", ":", "?", "!", ")", "]", "…"})
_ENDS = (".", "?", "!", "…")


class PhraseEdge(NamedTuple):
    """What a word shows its left neighbour: the sounds it begins with, how it contracts."""

    sounds: frozenset[str] = frozenset()
    second: str = ""  # the word or elided article that can contract with the word before it
    closing: bool = False
    end: bool = False
    alone: bool = False  # nothing but ``second`` stands before a closing mark or the end


END = PhraseEdge(end=True)
_NEUTRAL = PhraseEdge()


@frozen
class WrittenPhrase:
    """A phrase before a given right edge.

    ``text`` ends with a space where one belongs; ``withheld`` is what is left of it when its
    left neighbour has swallowed its ``second``; ``swallows`` says that it does so to its right.
    """

    text: str
    withheld: str
    edge: PhraseEdge
    swallows: bool


@frozen
class Surface:
    """The surface rules of one language."""

    capital: bool = True
    stop: str = "."
    sounds: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, str, str], ...] = ()  # word, sound, becomes
    contractions: tuple[tuple[str, str, str], ...] = ()  # word, next word, becomes
    _cache: dict[tuple[str, PhraseEdge], WrittenPhrase] = field(
        default_factory=dict, compare=False, repr=False
    )
    _edges: dict[str, PhraseEdge] = field(default_factory=dict, compare=False, repr=False)

    @property
    def rules(self) -> tuple[object, ...]:
        """All that is read from ``surface.toml``."""
        return (self.capital, self.stop, self.sounds, self.changes, self.contractions)

    @cached_property
    def _patterns(self) -> Mapping[str, re.Pattern[str]]:
        used = {sound for _, sound, _ in self.changes}
        return {n: re.compile(p, re.IGNORECASE) for n, p in self.sounds if n in used}

    @cached_property
    def _changes(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        table: dict[str, tuple[tuple[str, str], ...]] = {}
        for word, sound, becomes in self.changes:
            table[word] = (*table.get(word, ()), (sound, becomes))
        return table

    @cached_property
    def _contractions(self) -> Mapping[tuple[str, str], str]:
        return {(word, after): becomes for word, after, becomes in self.contractions}

    @cached_property
    def _seconds(self) -> frozenset[str]:
        return frozenset(after for _, after, _ in self.contractions)

    @cached_property
    def changing(self) -> frozenset[str]:
        """The words that may be written otherwise beside their neighbours, in lower case."""
        first = {word for word, _, _ in self.changes} | {word for word, _, _ in self.contractions}
        return frozenset(first | self._seconds)

    def edge(self, word: str) -> PhraseEdge:
        """Return what a written word shows its left neighbour."""
        found = self._edges.get(word)
        if found is None:
            found = self._edges[word] = self._edge(word)
        return found

    def _edge(self, word: str) -> PhraseEdge:
        lowered = word.lower()
        article = lowered[: lowered.find("'") + 1]
        second = lowered if lowered in self._seconds else ""
        if not second and article in self._seconds:
            second = article
        sounds = frozenset(n for n, p in self._patterns.items() if p.match(word))
        return PhraseEdge(sounds, second, word[0] in CLOSING)

    def write(self, phrase: str, right: PhraseEdge) -> WrittenPhrase:
        """Return a phrase as written before ``right``."""
        key = (phrase, right)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._write(phrase, right)
        return found

    def pieces(self, phrases: Sequence[str]) -> tuple[str, ...]:
        """Return each phrase's text in the finished sentence; joined, they are the sentence."""
        texts: list[str] = []
        right = END
        last: WrittenPhrase | None = None
        for phrase in reversed(phrases):
            written = self.write(phrase, right)
            if last is not None:
                texts.append(last.withheld if written.swallows else last.text)
            last, right = written, written.edge
        assert last is not None
        texts.append(last.text)
        texts[0] = self.stopped(texts[0])
        if self.capital:
            texts[-1] = self.capitalise(texts[-1])
        return tuple(reversed(texts))

    def settle(self, phrase: str) -> str:
        """Return a phrase with the changes that its own words bring about among each other."""
        if self._still(phrase.split()):
            return phrase
        return self.write(phrase, _NEUTRAL).text.rstrip(" ")

    def _still(self, words: Sequence[str]) -> bool:
        """Return whether some words only need spaces between them, whatever stands beside them."""
        marked = any(word[0] in CLOSING or word.endswith("'") for word in words)
        return not marked and self.changing.isdisjoint(word.lower() for word in words)

    def _write(self, phrase: str, right: PhraseEdge) -> WrittenPhrase:
        words = phrase.split()
        edge, swallows = right, False
        done: list[str] = []
        for number in range(len(words) - 1, -1, -1):
            word, contracted = self._beside(words[number], edge)
            if contracted and done:
                done[0] = word + done[0][len(edge.second) :]
            else:
                swallows = swallows or contracted
                done.insert(0, word)
            edge = self.edge(done[0])
        text = _spaced(done, right, swallows=swallows)
        rest = text[len(edge.second) :].lstrip(" ") if edge.second else text
        if edge.second:
            behind = right.alone if swallows else right.closing or right.end
            edge = edge._replace(alone=rest[0] in CLOSING if rest else behind)
        return WrittenPhrase(text, rest, edge, swallows)

    def _beside(self, word: str, edge: PhraseEdge) -> tuple[str, bool]:
        """Return a word before an edge, and whether it swallows what begins there."""
        lowered = word.lower()
        for sound, becomes in self._changes.get(lowered, ()):
            if sound in edge.sounds:
                return _like(word, becomes), False
        becomes_one = self._contractions.get((lowered, edge.second)) if edge.second else None
        return (word, False) if becomes_one is None else (_like(word, becomes_one), True)

    def finish(self, text: str) -> str:
        """Return a sentence with its capital and stop."""
        text = self.stopped(text)
        return self.capitalise(text) if self.capital else text

    def stopped(self, text: str) -> str:
        """Return a text with the full stop, unless it ends with one or a mark like it."""
        return text if not self.stop or text.endswith(_ENDS) else text + self.stop

    @staticmethod
    def capitalise(text: str) -> str:
        """Return a text with a capital first letter."""
        return text[:1].upper() + text[1:]

    def sentence(self, phrases: Sequence[str]) -> str:
        """Return the sentence of some phrases in the obvious way: one list, from right to left."""
        return self.finish(self._write(" ".join(phrases), END).text)

    def composed(self, phrases: Sequence[str]) -> str:
        """Return the same, quicker where no rule has a say."""
        words = " ".join(phrases).split()
        return self.finish(" ".join(words)) if self._still(words) else self.sentence(phrases)


def _like(word: str, becomes: str) -> str:
    return Surface.capitalise(becomes) if word[:1].isupper() else becomes


def _spaced(words: Sequence[str], right: PhraseEdge, *, swallows: bool) -> str:
    text = ""
    for number, word in enumerate(words):
        text += word
        last = number == len(words) - 1
        if last:
            closing = right.alone if swallows else right.closing or right.end
        else:
            closing = words[number + 1][0] in CLOSING
        if not closing and not word.endswith("'"):
            text += " "
    return text


def load_surface(text: str) -> Surface:
    """Return the surface rules in a ``surface.toml``; raises ValueError with the reason."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from error
    _only(data, "the file", capital=bool, stop=str, sounds=dict, change=list, contract=list)
    sounds = data.get("sounds", {})
    for name, pattern in sounds.items():
        try:
            re.compile(pattern, re.IGNORECASE)
        except (re.error, TypeError) as error:
            raise ValueError(f"the sound `{name}` is not a pattern: {error}") from error
    changes: list[tuple[str, str, str]] = []
    for rule in data.get("change", ()):
        words, becomes = _rule(rule, "change", before=str)
        if rule.get("before") not in sounds:
            hint = did_you_mean(str(rule.get("before")), sounds)
            raise ValueError(f"there is no sound named `{rule.get('before')}`; {hint}".rstrip("; "))
        changes += [(word, rule["before"], becomes) for word in words]
    contractions: list[tuple[str, str, str]] = []
    for rule in data.get("contract", ()):
        words, becomes = _rule(rule, "contract")
        if len(words) != 2:
            raise ValueError(f"`contract` takes two words, not {len(words)}")
        made = {(first, into) for first, _, into in contractions}
        if becomes == words[0] or (words[0], becomes) in made:
            raise ValueError(
                f"`{words[0]} {words[1]}` becomes `{becomes}`, as something else does: nobody could"
                " tell the sentences apart"
            )
        contractions.append((words[0], words[1], becomes))
    return Surface(
        data.get("capital", True),
        data.get("stop", "."),
        tuple(sounds.items()),
        tuple(changes),
        tuple(contractions),
    )


def _rule(rule: object, name: str, **more: type) -> tuple[list[str], str]:
    """Return the words of a rule, in lower case as they are looked up, and what they become."""
    if not isinstance(rule, dict):
        raise ValueError(f"rules stand under [[{name}]], in double brackets")
    _only(rule, f"`{name}`", words=list, becomes=str, **more)
    words, becomes = rule.get("words"), rule.get("becomes", "").strip()
    if not words or not all(isinstance(word, str) and word.split() == [word] for word in words):
        raise ValueError(f'`words` of `{name}` is a list of words: words = ["de", "le"]')
    if not becomes:
        raise ValueError(f"`becomes` of `{name}` is missing or empty")
    return [word.lower() for word in words], becomes


def _only(data: dict[str, Any], what: str, **kinds: type) -> None:
    """Raise ValueError for keys that mean nothing, and values of another kind."""
    for key, value in data.items():
        if key not in kinds:
            hint = did_you_mean(key, kinds) or f"it has {listing(kinds)}"
            raise ValueError(f"{what} has no `{key}`; {hint}")
        if not isinstance(value, kinds[key]):
            raise ValueError(f"`{key}` of {what} is not a {_KINDS[kinds[key]]}")


_KINDS = {bool: "true or false", str: "text in quotes", dict: "table", list: "list"}


@lru_cache(maxsize=8)
def plain_surface() -> Surface:
    """Return spaces, a capital and a full stop: for a language without rules of its own."""
    return Surface()
