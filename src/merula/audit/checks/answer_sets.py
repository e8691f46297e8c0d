"""Checks of answer sets: repetition, the right answer, labels, sizes, classes of rules, splits.

In goes a `View`, out come `Found`; ``registry`` lists the functions. A fault that many matrices of
a part share, such as a wrong answer in the context, is one example with a count (`SetTally`). Texts
are compared after `View.plain`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from merula.audit.checks.spelling import shown
from merula.audit.corpus import Matrix, Place
from merula.audit.findings import Finding, Found, Settings
from merula.audit.reading.matrix_rows import RIGHT
from merula.audit.view import View

LEVEL = 0.01  # probability of an error, for the places of right answers of a part


class SetTally:
    """A count of faults over matrices, by part and description.

    An example is of all matrices of a part that have the fault, with the place of the first.
    """

    def __init__(self, view: View) -> None:
        self.times: Counter[tuple[str, str]] = Counter()
        self.first: dict[tuple[str, str], Place] = {}
        self.parts = view.matrix_parts
        self.matrices: set[Place] = set()

    def add(self, matrix: Matrix, what: str) -> None:
        """Count a fault of a matrix."""
        key = (matrix.part, what)
        self.times[key] += 1
        self.first.setdefault(key, matrix.place)
        self.matrices.add(matrix.place)

    def found(self, of: int) -> Found:
        """Return the faults among ``of`` matrices, the most frequent first."""
        examples = []
        for (part, what), times in self.times.most_common():
            where = f"{part}: " if len(self.parts) > 1 else ""
            text = f"{where}{what} in {times:,} of {len(self.parts[part]):,}"
            examples.append(Finding(self.first[part, what], text))
        return Found(of, tuple(examples), times=len(self.matrices))


def repeated(view: View, settings: Settings) -> Found | None:
    """Find matrices with the context and the answers of an earlier one."""
    del settings
    if not view.matrices:
        return None
    seen: dict[tuple[object, ...], Place] = {}
    findings = []
    for matrix in view.matrices:
        key = (matrix.context, tuple(sorted(matrix.answers)))
        first = seen.setdefault(key, matrix.place)
        if first is not matrix.place:
            findings.append(Finding(matrix.place, shown(matrix.context[0]), first))
    return Found(len(view.matrices), tuple(findings))


def equal_answers(view: View, settings: Settings) -> Found | None:
    """Find wrong answers of a set that are the same sentence."""
    del settings
    return _alike(view, lambda matrix, a, b: a not in matrix.right and b not in matrix.right)


def equal_to_right(view: View, settings: Settings) -> Found | None:
    """Find wrong answers that are the sentence of the right one."""
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
            earlier = first.setdefault(answer, place)
            if earlier != place and answer and counts(matrix, earlier, place):
                pairs.add(" = ".join(sorted((matrix.label(earlier), matrix.label(place)))))
        for pair in sorted(pairs):
            tally.add(matrix, pair)
    return tally.found(len(view.matrices))


def wrong_in_context(view: View, settings: Settings) -> Found | None:
    """Find wrong answers that are in the context: they can be excluded by remembering it."""
    del settings
    return _shown_before(view, lambda matrix, place: place not in matrix.right)


def right_in_context(view: View, settings: Settings) -> Found | None:
    """Find right answers that are in the context."""
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
    """Find matrices without a right answer, or with several."""
    del settings
    if not view.matrices:
        return None
    findings = []
    for matrix in view.matrices:
        if len(matrix.right) != 1:
            what = "no right answer"
            if matrix.right:
                what = f"{len(matrix.right)} right answers: {_names(matrix, matrix.right)}"
            findings.append(Finding(matrix.place, what))
    return Found(len(view.matrices), tuple(findings))


def _names(matrix: Matrix, places: Iterable[int]) -> str:
    return ", ".join(matrix.label(place) for place in places)


def sizes(view: View, settings: Settings) -> Found | None:
    """Find matrices with fewer or more answers, or context sentences, than most of their part."""
    del settings
    if not view.matrices:
        return None
    findings = []
    for part in view.matrix_parts.values():
        usual = Counter((len(m.context), len(m.answers)) for m in part).most_common(1)[0][0]
        for matrix in part:
            counts = (len(matrix.context), len(matrix.answers))
            nouns = ("sentences in the context", "answers")
            differences = [
                f"{noun}: {count}, not {most}"
                for count, noun, most in zip(counts, nouns, usual, strict=True)
                if count != most
            ]
            if len(matrix.answers) == usual[1] == 1:
                differences.append("answers: only one")
            if differences:
                findings.append(Finding(matrix.place, "; ".join(differences)))
    return Found(len(view.matrices), tuple(findings))


def labels(view: View, settings: Settings) -> Found | None:
    """Find answers without a label, labels that a matrix has twice, and contradictory labels."""
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
    """Find places where the right answer is more often than by chance (chi-square test)."""
    counted = [matrix for matrix in view.matrices if matrix.correct >= 0]
    if not counted:
        return None
    findings = []
    summaries = []
    for part, matrices in view.matrix_parts.items():
        for size in sorted({len(m.answers) for m in matrices if m.correct >= 0}):
            of_size = [m for m in matrices if m.correct >= 0 and len(m.answers) == size]
            times = Counter(m.correct for m in of_size)
            expected = len(of_size) / size
            square = sum((times[place] - expected) ** 2 / expected for place in range(size))
            place, most = times.most_common(1)[0]
            share = most / len(of_size)
            summaries.append(f"at most {share:.1%} at one of {size} places")
            above = share - 1 / size
            if above > settings.tolerance and chi_square_tail(square, size - 1) < LEVEL:
                where = f"{part}: " if len(view.matrix_parts) > 1 else ""
                what = f"{where}answer {place + 1} is right in {most:,} of {len(of_size):,}"
                findings.append(Finding(of_size[0].place, what))
    return Found(len(counted), tuple(findings), summaries[0] if len(summaries) == 1 else "")


def chi_square_tail(x: float, degrees: int) -> float:
    """Return the probability that a chi-square variable is larger than ``x``.

    It is a finite sum for a whole number of degrees (Abramowitz & Stegun 1964, 26.4.4 and 26.4.5),
    which spares the import of SciPy.

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
    """Measure how often answers break external, internal and relational rules."""
    del settings
    with_rules = [matrix for matrix in view.matrices if matrix.broken]
    if not with_rules:
        return None
    answers = sum(len(matrix.answers) for matrix in with_rules)
    times = Counter(
        letter
        for matrix in with_rules
        for rules in matrix.broken
        for letter in {rule[:1] for rule in rules}
    )
    summary = ", ".join(f"{letter} in {times[letter] / answers:.1%}" for letter in "EIR")
    return Found(answers, (), summary)


# --- splits --------------------------------------------------------------------------------


def split_contexts(view: View, settings: Settings) -> Found | None:
    """Find sentences of contexts that are in a context of another split, too."""
    del settings
    return _across(view, lambda matrix: matrix.context, "sentences of contexts")


def split_right(view: View, settings: Settings) -> Found | None:
    """Find right answers that are among the right answers of another split, too."""
    del settings
    return _across(view, lambda m: [m.answers[place] for place in m.right], "right answers")


def split_answers(view: View, settings: Settings) -> Found | None:
    """Find answers, right or wrong, that are among the answers of another split, too."""
    del settings
    return _across(view, lambda matrix: matrix.answers, "answers")


def _across(view: View, texts: Callable[[Matrix], Iterable[str]], noun: str) -> Found | None:
    """Count the different sentences of each split that an earlier split has as well."""
    by_split: dict[str, dict[str, Place]] = defaultdict(dict)
    for matrix in view.matrices:
        if matrix.split:
            for text in texts(matrix):
                by_split[matrix.split].setdefault(view.plain(text), matrix.place)
    if len(by_split) < 2:
        return None
    examples: list[Finding] = []
    summaries: list[str] = []
    times = 0
    names: Sequence[str] = _ordered(by_split)
    for number, split in enumerate(names[1:], start=1):
        for other in names[:number]:
            places, earlier = by_split[split], by_split[other]
            both = [text for text in places if text in earlier]
            if both:
                times += len(both)
                share = len(both) / len(places)
                summaries.append(f"{share:.1%} of those in {split} are in {other}")
                what = f"{len(both):,} of {len(places):,} {noun} in {split} are in {other}"
                first = both[0]
                text = f"{what}: {shown(first)}"
                examples.append(Finding(places[first], text, earlier[first]))
    of = sum(map(len, by_split.values()))
    return Found(of, tuple(examples), "; ".join(summaries), times)


def _ordered(splits: Iterable[str]) -> list[str]:
    """Return the splits with train first, since the rest must not repeat it."""
    return sorted(
        splits, key=lambda name: (name != "train", name not in ("dev", "validation"), name)
    )
