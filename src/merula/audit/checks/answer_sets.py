"""Checks of matrices: what stands twice in them, where the right answer stands, what is broken."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix, Place
from merula.audit.findings import FindingPlace, Found, Settings
from merula.audit.reading.matrix_rows import RIGHT
from merula.audit.view import View

LEVEL = 0.01  # of error, for the places of right answers


class SetTally:
    """Things that are found in several matrices, counted by what they are called.

    An example stands for all matrices of a part that have the thing, with the place of the first.
    """

    def __init__(self, view: View) -> None:
        self.times: Counter[tuple[str, str]] = Counter()
        self.first: dict[tuple[str, str], Place] = {}
        self.of = view.matrix_parts
        self.matrices: set[Place] = set()

    def add(self, matrix: Matrix, what: str) -> None:
        """Count a thing, once for each matrix."""
        key = (matrix.part, what)
        self.times[key] += 1
        self.first.setdefault(key, matrix.place)
        self.matrices.add(matrix.place)

    def found(self, of: int, said: str = "") -> Found:
        """What was counted, in order of how often it is found."""
        examples = []
        for (part, what), times in self.times.most_common():
            where = f"{part}: " if len(self.of) > 1 else ""
            said_of_it = f"{where}{what} in {times:,} of {len(self.of[part]):,}"
            examples.append(FindingPlace(self.first[part, what], said_of_it))
        return Found(of, tuple(examples), said, len(self.matrices))


def repeated(view: View, settings: Settings) -> Found | None:
    """A matrix with the context and the answers of one that is there already."""
    del settings
    if not view.matrices:
        return None
    seen: dict[tuple[object, ...], Place] = {}
    found = []
    for matrix in view.matrices:
        key = (matrix.context, tuple(sorted(matrix.answers)))
        first = seen.setdefault(key, matrix.place)
        if first is not matrix.place:
            found.append(FindingPlace(matrix.place, shown(matrix.context[0]), first))
    return Found(len(view.matrices), tuple(found))


def equal_answers(view: View, settings: Settings) -> Found | None:
    """Wrong answers of a set that are one and the same sentence."""
    del settings
    return _alike(view, lambda matrix, a, b: a not in matrix.right and b not in matrix.right)


def equal_to_right(view: View, settings: Settings) -> Found | None:
    """Wrong answers that are the sentence of the right one."""
    del settings
    return _alike(view, lambda matrix, a, b: (a in matrix.right) != (b in matrix.right))


def _alike(view: View, counts: Callable[[Matrix, int, int], bool]) -> Found | None:
    if not view.matrices:
        return None
    tally = SetTally(view)
    for matrix in view.matrices:
        first: dict[str, int] = {}
        pairs = set()
        for place, answer in enumerate(view.plain(text) for text in matrix.answers):
            other = first.setdefault(answer, place)
            if other != place and answer and counts(matrix, other, place):
                pairs.add(" = ".join(sorted((matrix.label(other), matrix.label(place)))))
        for pair in sorted(pairs):
            tally.add(matrix, pair)
    return tally.found(len(view.matrices))


def wrong_in_context(view: View, settings: Settings) -> Found | None:
    """Wrong answers that stand in the context: whoever remembers it can leave them out."""
    del settings
    return _shown_before(view, lambda matrix, place: place not in matrix.right)


def right_in_context(view: View, settings: Settings) -> Found | None:
    """Right answers that stand in the context."""
    del settings
    return _shown_before(view, lambda matrix, place: place in matrix.right)


def _shown_before(view: View, counts: Callable[[Matrix, int], bool]) -> Found | None:
    if not view.matrices:
        return None
    tally = SetTally(view)
    for matrix in view.matrices:
        context = {view.plain(sentence) for sentence in matrix.context}
        labels = {
            matrix.label(place)
            for place, answer in enumerate(matrix.answers)
            if counts(matrix, place) and view.plain(answer) in context
        }
        for label in sorted(labels):
            tally.add(matrix, label)
    return tally.found(len(view.matrices))


# --- right answers, labels, numbers --------------------------------------------------------


def one_right(view: View, settings: Settings) -> Found | None:
    """Matrices without a right answer, and with several."""
    del settings
    if not view.matrices:
        return None
    found = []
    for matrix in view.matrices:
        if len(matrix.right) != 1:
            what = "no right answer"
            if matrix.right:
                what = f"{len(matrix.right)} right answers: {_names(matrix, matrix.right)}"
            found.append(FindingPlace(matrix.place, what))
    return Found(len(view.matrices), tuple(found))


def _names(matrix: Matrix, places: Iterable[int]) -> str:
    return ", ".join(matrix.label(place) for place in places)


def sizes(view: View, settings: Settings) -> Found | None:
    """Matrices with fewer or more answers, or context sentences, than most of their part."""
    del settings
    if not view.matrices:
        return None
    found = []
    for part in view.matrix_parts.values():
        usual = Counter((len(m.context), len(m.answers)) for m in part).most_common(1)[0][0]
        for matrix in part:
            there = (len(matrix.context), len(matrix.answers))
            nouns = ("sentences in the context", "answers")
            said = [
                f"{noun}: {own}, not {other}"
                for own, noun, other in zip(there, nouns, usual, strict=True)
                if own != other
            ]
            if len(matrix.answers) == usual[1] == 1:
                said.append("answers: only one")
            if said:
                found.append(FindingPlace(matrix.place, "; ".join(said)))
    return Found(len(view.matrices), tuple(found))


def labels(view: View, settings: Settings) -> Found | None:
    """Answers without a label, labels that a matrix has twice, labels that say the reverse."""
    del settings
    if not any(matrix.labels for matrix in view.matrices):
        return None
    tally = SetTally(view)
    for matrix in view.matrices:
        for what in dict.fromkeys(_odd_labels(matrix)):
            tally.add(matrix, what)
    return tally.found(len(view.matrices))


def _odd_labels(matrix: Matrix) -> Iterator[str]:
    if not matrix.labels:
        yield "no labels"
        return
    if "" in matrix.labels:
        yield "an answer without a label"
    for label, times in Counter(matrix.labels).items():
        if label and times > 1:
            yield f"`{label}` twice"
    named = [place for place, label in enumerate(matrix.labels) if label.lower() in RIGHT]
    for place in named:
        if place not in matrix.right:
            yield f"a wrong answer called `{matrix.labels[place]}`"
    for place in matrix.right:
        if named and place not in named and matrix.labels[place]:
            yield f"a right answer called `{matrix.labels[place]}`"


def position(view: View, settings: Settings) -> Found | None:
    """Right answers that stand at some place more often than chance has it (chi-square)."""
    counted = [matrix for matrix in view.matrices if matrix.correct >= 0]
    if not counted:
        return None
    found = []
    said = []
    for part, matrices in view.matrix_parts.items():
        for number in sorted({len(m.answers) for m in matrices if m.correct >= 0}):
            own = [m for m in matrices if m.correct >= 0 and len(m.answers) == number]
            times = Counter(m.correct for m in own)
            expected = len(own) / number
            square = sum((times[place] - expected) ** 2 / expected for place in range(number))
            place, most = times.most_common(1)[0]
            share = most / len(own)
            said.append(f"at most {share:.1%} at one of {number} places")
            above = share - 1 / number
            if above > settings.tolerance and chi_square_tail(square, number - 1) < LEVEL:
                where = f"{part}: " if len(view.matrix_parts) > 1 else ""
                what = f"{where}answer {place + 1} is right in {most:,} of {len(own):,}"
                found.append(FindingPlace(own[0].place, what))
    return Found(len(counted), tuple(found), said[0] if len(said) == 1 else "")


def chi_square_tail(x: float, degrees: int) -> float:
    """The probability that a chi-square variable is larger than ``x``.

    (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5.)

    >>> round(chi_square_tail(3.841, 1), 3), round(chi_square_tail(9.488, 4), 3)
    (0.05, 0.05)
    """
    if degrees <= 0:
        return 1.0
    half = x / 2
    if half > 700:
        return 0.0
    if degrees % 2:
        total, term, start = math.erfc(math.sqrt(half)), math.sqrt(half / math.pi) * 2, 3
    else:
        total, term, start = math.exp(-half), half, 4
    for number in range(start, degrees + 2, 2):
        total += term * math.exp(-half)
        term *= half / (number / 2)
    return min(total, 1.0)


# --- rules ---------------------------------------------------------------------------------


def classes(view: View, settings: Settings) -> Found | None:
    """How often external, internal and relational rules are broken, among all answers."""
    del settings
    told = [matrix for matrix in view.matrices if matrix.broken]
    if not told:
        return None
    answers = sum(len(matrix.answers) for matrix in told)
    held = Counter(
        letter
        for matrix in told
        for rules in matrix.broken
        for letter in {rule[:1] for rule in rules}
    )
    said = ", ".join(f"{letter} in {held[letter] / answers:.1%}" for letter in "EIR")
    return Found(answers, (), said)


# --- splits --------------------------------------------------------------------------------


def split_contexts(view: View, settings: Settings) -> Found | None:
    """Sentences of contexts that stand in a context of another split, too."""
    del settings
    return _across(view, lambda matrix: matrix.context, "sentences of contexts")


def split_right(view: View, settings: Settings) -> Found | None:
    """Right answers that stand among the right answers of another split, too."""
    del settings
    return _across(view, lambda m: [m.answers[place] for place in m.right], "right answers")


def split_answers(view: View, settings: Settings) -> Found | None:
    """Answers, right or wrong, that stand among the answers of another split, too."""
    del settings
    return _across(view, lambda matrix: matrix.answers, "answers")


def _across(view: View, texts: Callable[[Matrix], Iterable[str]], noun: str) -> Found | None:
    """How many different sentences of a split an earlier split has as well."""
    by_split: dict[str, dict[str, Place]] = defaultdict(dict)
    for matrix in view.matrices:
        if matrix.split:
            for text in texts(matrix):
                by_split[matrix.split].setdefault(view.plain(text), matrix.place)
    if len(by_split) < 2:
        return None
    examples: list[FindingPlace] = []
    said: list[str] = []
    times = 0
    names: Sequence[str] = _ordered(by_split)
    for number, split in enumerate(names[1:], start=1):
        for other in names[:number]:
            own, there = by_split[split], by_split[other]
            both = [text for text in own if text in there]
            if both:
                times += len(both)
                share = len(both) / len(own)
                said.append(f"{share:.1%} of those in {split} are in {other}")
                what = f"{len(both):,} of {len(own):,} {noun} in {split} are in {other}"
                first = both[0]
                examples.append(FindingPlace(own[first], f"{what}: {shown(first)}", there[first]))
    of = sum(map(len, by_split.values()))
    return Found(of, tuple(examples), "; ".join(said), times)


def _ordered(splits: Iterable[str]) -> list[str]:
    """Train first, since it is the others that must not repeat it."""
    return sorted(
        splits, key=lambda name: (name != "train", name not in ("dev", "validation"), name)
    )
