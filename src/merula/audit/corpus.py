"""A corpus: sentences, pairs of sentences, and matrices, whatever format they were read from.

There may be millions of them, so they are tuples, and sentences share the values of `Cell`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from merula.core.frozen import frozen

NPI, LICENSOR, SCOPE = "npi", "licensor", "scope"


class Place(NamedTuple):
    """A file, and a line in it (in a Parquet or Arrow file a row), counted from one."""

    file: str
    row: int

    def __str__(self) -> str:
        return f"{self.file}:{self.row}"


class ObjectSpan(NamedTuple):
    """The place of an object in a sentence, in characters from 0; ``end`` is after its last."""

    name: str
    start: int
    end: int


@frozen
class Cell:
    """The cell of a design that a sentence is in.

    ``factors`` are the factors with their values, as the data name them. ``licensor``, ``npi`` and
    ``scope`` say whether there is a licensor, whether there is an NPI, and whether the NPI (or the
    words in its place) is in the scope of the licensor (or the words in its place); None: not
    known. ``npi_factor`` is the factor that says whether there is an NPI; empty: unknown.
    ``setting`` is the frame and the variant, which may decide a label too.
    """

    factors: tuple[tuple[str, str], ...] = ()
    licensor: bool | None = None
    npi: bool | None = None
    scope: bool | None = None
    npi_factor: str = ""
    setting: str = ""

    @cached_property
    def rest(self) -> tuple[tuple[str, str], ...]:
        """Return the factors other than licensor and NPI, among them the one of scope."""
        left_out = (LICENSOR, "npi_present", self.npi_factor)
        return tuple(item for item in self.factors if item[0] not in left_out)

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.factors)


NO_CELL = Cell()


class Sentence(NamedTuple):
    """A sentence; ``acceptable`` is None without a label, ``group`` is its paradigm (or empty).

    ``part`` is the part of a larger data set: an environment and an NPI, or a design.
    ``npi_object`` is the name of the NPI in ``spans``.
    """

    text: str
    acceptable: bool | None
    group: str
    part: str
    cell: Cell
    split: str
    place: Place
    spans: tuple[ObjectSpan, ...] = ()
    lexemes: tuple[str, ...] = ()
    npi_object: str = ""


class Pair(NamedTuple):
    """Two sentences, of which one is good.

    ``contrast`` is `NPI`, `LICENSOR` or `SCOPE`, or empty where the data do not say what differs;
    ``condition`` is its name in the data. In a ``cloze`` pair one word differs.
    """

    good: str
    bad: str
    part: str
    group: str
    contrast: str
    condition: str
    split: str
    place: Place
    cloze: bool = False


class Matrix(NamedTuple):
    """A matrix: the sentences of its context, and the answers, one of which goes on from them.

    ``labels`` name the answers (empty: the data have no labels). ``right`` are the places of the
    answers that the data call right, counted from zero: of a sound matrix, one. ``broken`` are the
    rules that each answer breaks by the data, as Merula writes them (``E agreement``); empty where
    the data do not say. Templates are sentences without their lexemes; they may be empty, as may
    ``design``, ``frame`` and ``variant``, which Merula writes. An empty ``language`` is that of the
    corpus.
    """

    context: tuple[str, ...]
    answers: tuple[str, ...]
    labels: tuple[str, ...]
    right: tuple[int, ...]
    part: str
    group: str
    split: str
    place: Place
    broken: tuple[tuple[str, ...], ...] = ()
    lexemes: tuple[str, ...] = ()
    context_templates: tuple[str, ...] = ()
    answer_templates: tuple[str, ...] = ()
    design: str = ""
    frame: str = ""
    variant: str = ""
    language: str = ""

    @property
    def correct(self) -> int:
        """Return the place of the right answer, from zero; -1 where there is none, or several."""
        return self.right[0] if len(self.right) == 1 else -1

    def label(self, place: int) -> str:
        """Return the label of an answer, or else its number, counted from one."""
        label = self.labels[place] if place < len(self.labels) else ""
        return label or f"answer {place + 1}"


@frozen(eq=False)
class Corpus:
    """The sentences, pairs and matrices that were read, and each file with its format."""

    sentences: tuple[Sentence, ...] = ()
    pairs: tuple[Pair, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    language: str = "en"
    matrices: tuple[Matrix, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """Return the names of the splits, in their order in the files."""
        items: Iterable[Sentence | Pair | Matrix] = (*self.sentences, *self.pairs, *self.matrices)
        return tuple(dict.fromkeys(item.split for item in items if item.split))

    @property
    def languages(self) -> tuple[str, ...]:
        """Return all languages of the data, the corpus's own first."""
        of_matrices = (matrix.language for matrix in self.matrices if matrix.language)
        return tuple(dict.fromkeys([self.language, *of_matrices]))
