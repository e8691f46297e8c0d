"""Minimal pairs of published data: a good sentence, a bad one, and what the contrast is.

Of a paradigm they are the cells of one instance that differ in one factor and in acceptability.
Of a matrix they are the right answer and each wrong one; which wrong ones count is for the format.
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
from merula.grammar.model import CORRECT
from merula.suite.tables import difference, tokens

EXTERNAL = "E"
MATRIX, PARADIGM = "matrix", "paradigm"


@frozen
class PairContrast:
    """What pairs have in common. ``condition`` tells the contrasts of a configuration apart.

    Of a paradigm it is ``licensor=no-yes_ever=yes``: in the factor ``about`` the bad cell's value,
    then the good one's, and what both have; ``cells`` are the bad and the good cell. Of a matrix
    both are the label of the wrong answer. ``brief`` is the condition in names of files and tasks,
    ``licensor_no-yes_yes``: the factor, its two values, the values of the other factors in order.
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
    """The pairs of a part, to be read as often as needed."""

    part: ConfigSplit
    contrasts: tuple[PairContrast, ...]
    grid: Grid | None  # of a paradigm

    def __iter__(self) -> Iterator[ContrastPair]:
        return self._of_cells(self.grid) if self.grid is not None else self._of_answers()

    def _of_cells(self, grid: Grid) -> Iterator[ContrastPair]:
        by_condition = {contrast.condition: contrast for contrast in self.contrasts}
        by_pattern = {p: grid.pairs(p) for p in grid.patterns}
        for own in self.part.paradigms(("broken",)):
            texts, broken = own.sentences, own.more["broken"]
            fine = [text for text, good in zip(texts, own.acceptable, strict=True) if good]
            wrong: dict[int, int] = {}
            for pair in by_pattern[own.acceptable]:
                bad = pair.bad
                if bad not in wrong:
                    wrong[bad] = goes_wrong(texts[bad], fine)
                yield ContrastPair(
                    by_condition[pair.condition],
                    texts[pair.good],
                    texts[bad],
                    own.number,
                    own.address,
                    broken[bad],
                    wrong[bad],
                )

    def _of_answers(self) -> Iterator[ContrastPair]:
        wanted = {(contrast.about, contrast.letter): contrast for contrast in self.contrasts}
        for own in self.part.matrices():
            good, context = own.answers[own.correct], tuple(own.context)
            places = {said: i for i, said in enumerate(zip(own.labels, own.classes, strict=True))}
            for said, contrast in wanted.items():
                i = places.get(said)
                if i is None:
                    continue
                bad = own.answers[i]
                wrong = goes_wrong(bad, [good])
                yield ContrastPair(
                    contrast, good, bad, own.number, own.address, own.broken[i], wrong, context
                )


def pairs_in(part: ConfigSplit, letters: Sequence[str], *, minimal: bool = True) -> Pairs:
    """The pairs of a part; ``letters`` are the classes of the wrong answers that count.

    Answers that have lexemes of their own each are no minimal pairs.
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
    seen = {} if mixed else dict.fromkeys(part.answers())
    order = {name: i for i, name in enumerate(_label_names(part.config))}
    wanted = sorted(
        ((label, letter) for label, letter in seen if label != CORRECT and letter in letters),
        key=lambda own: (order.get(own[0], len(order)), own),
    )
    of_label = Counter(label for label, _ in wanted)
    contrasts = []
    for label, letter in wanted:
        condition = label if of_label[label] == 1 else f"{label}-{letter}"
        contrasts.append(PairContrast(label, condition, (label, CORRECT), letter, condition))
    return Pairs(part, tuple(contrasts), None)


def _brief(grid: Grid, pair: MinimalPair) -> str:
    """``licensor_no-yes_yes_main``."""
    at = grid.factors.index(pair.contrast)
    bad, good = grid.values[pair.bad], grid.values[pair.good]
    return "_".join([pair.contrast, f"{bad[at]}-{good[at]}", *bad[:at], *bad[at + 1 :]])


def _label_names(config: ConfigEntry) -> Sequence[str]:
    """The labels of answers in the order of the design."""
    feature = config.fields["labels"]
    names: Sequence[str] = getattr(getattr(feature, "of", None), "names", ())
    return names


def no_contrasts(parts: Sequence[ConfigSplit], place: str) -> MerulaError:
    """The error of parts without a single pair."""
    return MerulaError.of(
        "M743",
        f"there is nothing to contrast in {listing(dict.fromkeys(p.config.name for p in parts))}",
        remedy="a pair needs a good and a bad cell that differ in one factor, or an answer that"
        " breaks an external rule: name another configuration (--config)",
        place=place,
    )


def goes_wrong(bad: str, good: Sequence[str]) -> int:
    """The first character of the word at which a sentence goes on as none of some others does.

    >>> goes_wrong("The keys is rusty.", ["The key is rusty.", "The keys are rusty."])
    9
    """
    words = tokens(bad)
    others = [tokens(text) for text in good]
    for i, (word, start, _) in enumerate(words):
        others = [own for own in others if i < len(own) and own[i][0] == word]
        if not others:
            return start
    return len(bad)


# --- how BLiMP compares ------------------------------------------------------------------------


@frozen
class Prefixes:
    """What the prefix methods compare: words after what stands before them, in each sentence."""

    good: str
    good_word: str
    bad: str
    bad_word: str


def one_prefix(pair: ContrastPair) -> Prefixes | None:
    """One word for another after the same beginning, at the place where it goes wrong; else None.

    >>> contrast = PairContrast("", "", ("", ""))
    >>> one_prefix(ContrastPair(contrast, "The keys are here.", "The keys is here.", 0, "0", [], 9))
    Prefixes(good='The keys', good_word='are', bad='The keys', bad_word='is')
    """
    found = difference(pair.good, pair.bad)
    mine, theirs = found.one, found.other
    before = pair.bad[: theirs.start]
    if (
        not found.one_word
        or theirs.start != pair.at
        or not before.strip()
        or pair.good[: mine.start] != before
        or pair.good[mine.end :] != pair.bad[theirs.end :]
    ):
        return None
    shared = before.rstrip()
    return Prefixes(shared, mine.of(pair.good), shared, theirs.of(pair.bad))


def two_prefix(pair: ContrastPair) -> Prefixes | None:
    """The same word, at which it goes wrong, after two beginnings; else None.

    In the good sentence it stands before the same rest, or it is the only one of its kind.

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
    """Whether two sentences have the same words, in whatever order; case does not count.

    >>> lexically_identical("Only he had ever left.", "He had only ever left.")
    True
    """
    mine, theirs = ([word.casefold() for word, _, _ in tokens(text)] for text in (good, bad))
    return sorted(mine) == sorted(theirs)
