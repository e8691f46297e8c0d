"""Minimal pairs of published data: a good sentence, a bad one, and the contrast between them.

In goes a `ConfigSplit`, out come its pairs, in the order of the rows; the formats of pairs call it
(``blimp``, ``minicons``, ``lm_eval``), ``syntaxgym`` takes `goes_wrong`. Of a paradigm they are the
cells of one instance that differ in one factor and in acceptability. Of a matrix they are the right
answer and each wrong one; a format chooses the classes of wrong answers that count. Every pair has
one of the contrasts of its `Pairs`. The last part compares sentences as BLiMP's methods do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.data.manifests.publication import ConfigEntry
from merula.design.pairs import MinimalPair
from merula.exports.instances import ConfigSplit, Grid
from merula.exports.request import PARADIGM
from merula.grammar.model import CORRECT
from merula.suite.tables import difference, tokens

EXTERNAL = "E"  # the class of wrong answers that break an external rule


@frozen
class PairContrast:
    """A contrast that pairs share. ``condition`` tells the contrasts of a configuration apart.

    Of a paradigm it is ``licensor=no-yes_ever=yes``: in the factor ``about`` the bad cell's value,
    then the good one's, and what both have; ``cells`` are the bad and the good cell. Of a matrix
    ``about`` and ``condition`` are the label of the wrong answer. ``brief`` is the condition in
    names of files and tasks, ``licensor_no-yes_yes``: the factor, its two values, the values of the
    other factors in order.
    """

    about: str
    condition: str
    cells: tuple[str, str]
    letter: str = ""  # of a wrong answer: its class
    brief: str = ""


class ContrastPair(NamedTuple):
    """A pair. ``at`` is the first character of the bad sentence where it goes wrong.

    That is the first word with which no acceptable cell of the instance goes on as it does (of
    a matrix: where it leaves the right answer). ``context`` are the items shown before.
    """

    contrast: PairContrast
    good: str
    bad: str
    number: int
    address: str
    broken: list[str]
    at: int
    context: tuple[str, ...] = ()


@frozen(eq=False)
class Pairs:
    """The pairs of a split of a configuration, to be read as often as needed."""

    part: ConfigSplit
    contrasts: tuple[PairContrast, ...]
    grid: Grid | None  # of a paradigm

    def __iter__(self) -> Iterator[ContrastPair]:
        return self._of_cells(self.grid) if self.grid is not None else self._of_answers()

    def _of_cells(self, grid: Grid) -> Iterator[ContrastPair]:
        by_condition = {contrast.condition: contrast for contrast in self.contrasts}
        by_pattern = {p: grid.pairs(p) for p in grid.patterns}
        for instance in self.part.paradigms(("broken",)):
            texts, broken = instance.sentences, instance.more["broken"]
            fine = [text for text, good in zip(texts, instance.acceptable, strict=True) if good]
            wrong: dict[int, int] = {}
            for pair in by_pattern[instance.acceptable]:
                bad = pair.bad
                if bad not in wrong:
                    wrong[bad] = goes_wrong(texts[bad], fine)
                yield ContrastPair(
                    by_condition[pair.condition],
                    texts[pair.good],
                    texts[bad],
                    instance.number,
                    instance.address,
                    broken[bad],
                    wrong[bad],
                )

    def _of_answers(self) -> Iterator[ContrastPair]:
        wanted = {(contrast.about, contrast.letter): contrast for contrast in self.contrasts}
        for instance in self.part.matrices():
            good, context = instance.answers[instance.correct], tuple(instance.context)
            answers = zip(instance.labels, instance.classes, strict=True)
            places = {answer: i for i, answer in enumerate(answers)}
            for answer, contrast in wanted.items():
                i = places.get(answer)
                if i is None:
                    continue
                bad = instance.answers[i]
                wrong = goes_wrong(bad, [good])
                yield ContrastPair(
                    contrast,
                    good,
                    bad,
                    instance.number,
                    instance.address,
                    instance.broken[i],
                    wrong,
                    context,
                )


def pairs_in(part: ConfigSplit, letters: Sequence[str], *, minimal: bool = True) -> Pairs:
    """Return the pairs of a part; ``letters`` are the classes of the wrong answers that count.

    ``minimal`` leaves out matrices each of whose answers has lexemes of its own.
    """
    if part.config.kind == PARADIGM:
        grid = part.grid()
        contrasts = [
            PairContrast(
                pair.contrast,
                pair.condition,
                (grid.cells[pair.bad], grid.cells[pair.good]),
                brief=_brief(grid, pair),
            )
            for pair in grid.conditions
        ]
        return Pairs(part, tuple(contrasts), grid)
    mixed = minimal and part.config.answers == "mixed"
    answers = {} if mixed else dict.fromkeys(part.answers())
    order = {name: i for i, name in enumerate(_label_names(part.config))}
    wrong = sorted(
        ((label, letter) for label, letter in answers if label != CORRECT and letter in letters),
        key=lambda answer: (order.get(answer[0], len(order)), answer),
    )
    of_label = Counter(label for label, _ in wrong)
    contrasts = []
    for label, letter in wrong:
        condition = label if of_label[label] == 1 else f"{label}-{letter}"
        contrasts.append(PairContrast(label, condition, (label, CORRECT), letter, condition))
    return Pairs(part, tuple(contrasts), None)


def _brief(grid: Grid, pair: MinimalPair) -> str:
    """Return a condition without names of factors: ``licensor_no-yes_yes_main``."""
    at = grid.factors.index(pair.contrast)
    bad, good = grid.values[pair.bad], grid.values[pair.good]
    return "_".join([pair.contrast, f"{bad[at]}-{good[at]}", *bad[:at], *bad[at + 1 :]])


def _label_names(config: ConfigEntry) -> Sequence[str]:
    """Return the labels of answers in the order of the design."""
    feature = config.fields["labels"]
    names: Sequence[str] = getattr(getattr(feature, "of", None), "names", ())
    return names


def no_contrasts(parts: Sequence[ConfigSplit], place: str) -> MerulaError:
    """Return the error of parts without a single pair."""
    return MerulaError.of(
        "M743",
        f"there is nothing to contrast in {listing(dict.fromkeys(p.config.name for p in parts))}",
        remedy="a pair needs a good and a bad cell that differ in one factor, or an answer that"
        " breaks an external rule: name another configuration (--config)",
        place=place,
    )


def goes_wrong(bad: str, good: Sequence[str]) -> int:
    """Return where a sentence first differs from all good ones: the first character of a word.

    >>> goes_wrong("The keys is rusty.", ["The key is rusty.", "The keys are rusty."])
    9
    """
    alike = [tokens(text) for text in good]  # good sentences that began in the same way
    for i, (word, start, _) in enumerate(tokens(bad)):
        alike = [words for words in alike if i < len(words) and words[i][0] == word]
        if not alike:
            return start
    return len(bad)


# --- how BLiMP compares ------------------------------------------------------------------------


@frozen
class Prefixes:
    """A word and the words before it in each sentence of a pair, for BLiMP's prefix methods."""

    good: str
    good_word: str
    bad: str
    bad_word: str


def one_prefix(pair: ContrastPair) -> Prefixes | None:
    """Return two words that differ after the same beginning, where the bad sentence goes wrong.

    None where the sentences do not differ in this one word.

    >>> contrast = PairContrast("", "", ("", ""))
    >>> one_prefix(ContrastPair(contrast, "The keys are here.", "The keys is here.", 0, "0", [], 9))
    Prefixes(good='The keys', good_word='are', bad='The keys', bad_word='is')
    """
    differ = difference(pair.good, pair.bad)
    good, bad = differ.one, differ.other
    before = pair.bad[: bad.start]
    if (
        not differ.one_word
        or bad.start != pair.at
        or not before.strip()
        or pair.good[: good.start] != before
        or pair.good[good.end :] != pair.bad[bad.end :]
    ):
        return None
    shared = before.rstrip()
    return Prefixes(shared, good.of(pair.good), shared, bad.of(pair.bad))


def two_prefix(pair: ContrastPair) -> Prefixes | None:
    """Return the word where the bad sentence goes wrong, after two beginnings.

    None unless the good sentence has the word once, or before the same rest.

    >>> contrast = PairContrast("", "", ("", ""))
    >>> two_prefix(ContrastPair(contrast, "The key is here.", "The keys is here.", 0, "0", [], 9))
    Prefixes(good='The key', good_word='is', bad='The keys', bad_word='is')
    """
    word = next((text for text, at, _ in tokens(pair.bad) if at == pair.at), "")
    places = [at for text, at, _ in tokens(pair.good) if text == word]
    before_rest = len(pair.good) - len(pair.bad) + pair.at
    if before_rest in places and pair.good.endswith(pair.bad[pair.at :]):
        places = [before_rest]
    if len(places) != 1:
        return None
    good, bad = pair.good[: places[0]].rstrip(), pair.bad[: pair.at].rstrip()
    return Prefixes(good, word, bad, word) if good and bad and good != bad else None


def lexically_identical(good: str, bad: str) -> bool:
    """Return whether two sentences have the same words, in any order and case.

    >>> lexically_identical("Only he had ever left.", "He had only ever left.")
    True
    """
    one, two = (sorted(word.casefold() for word, _, _ in tokens(text)) for text in (good, bad))
    return one == two
