"""A corpus with what several checks need of it, worked out once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from merula.audit.corpus import LICENSOR, NPI, SCOPE, Corpus, Matrix, Place, Sentence
from merula.audit.words import WORD, WordChange, change, tokens
from merula.lexicon.surface import Surface
from merula.lexicon.table import clean

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled


class Text(NamedTuple):
    """A sentence of any kind of data, with its label; one of a matrix has none."""

    text: str
    good: bool | None
    place: Place
    group: str
    split: str
    language: str


class ContrastEdge(NamedTuple):
    """Two sentences of a paradigm, by number, that differ in one thing by design."""

    contrast: str
    one: int
    other: int
    change: WordChange


class WordPlace(NamedTuple):
    """Where something stands in a sentence (only the order counts), and the words there.

    ``sure`` is False where more differs, so that the words may not be of this thing alone.
    """

    at: int
    words: str
    sure: bool = True


class View:
    """A corpus with its words, paradigms, contrasts and places of licensors and NPIs.

    ``surfaces`` are the surface rules of its languages, as far as there are any; ``grammar`` is
    what answers are compared with, if anything is.
    """

    def __init__(
        self,
        corpus: Corpus,
        surfaces: Mapping[str, Surface] | None = None,
        grammar: Compiled | None = None,
    ) -> None:
        self.corpus = corpus
        self.surfaces = surfaces or {}
        self.grammar = grammar
        self.sentences = corpus.sentences
        self.pairs = corpus.pairs
        self.matrices = corpus.matrices
        self._plain: dict[str, str] = {}
        self._tokens: dict[str, list[str]] = {}

    @cached_property
    def judged(self) -> list[Text]:
        """All sentences that can have a label: also those of pairs, not those of matrices."""
        own = self.corpus.language
        found = [Text(s.text, s.acceptable, s.place, s.group, s.split, own) for s in self.sentences]
        for p in self.pairs:
            found.append(Text(p.good, True, p.place, p.group, p.split, own))
            found.append(Text(p.bad, False, p.place, p.group, p.split, own))
        return found

    @cached_property
    def texts(self) -> list[Text]:
        """All sentences."""
        found = list(self.judged)
        for m in self.matrices:
            language = m.language or self.corpus.language
            own = (Text(t, None, m.place, "", m.split, language) for t in (*m.context, *m.answers))
            found.extend(own)
        return found

    def plain(self, text: str) -> str:
        """A sentence as it is compared: straight apostrophes, single spaces, composed letters."""
        found = self._plain.get(text)
        if found is None:
            found = self._plain[text] = clean(text)
        return found

    def tokens_of(self, text: str) -> list[str]:
        """The words and marks of a sentence of a matrix."""
        found = self._tokens.get(text)
        if found is None:
            found = self._tokens[text] = tokens(self.plain(text))
        return found

    @cached_property
    def matrix_parts(self) -> dict[str, list[Matrix]]:
        """The matrices of each part."""
        found: dict[str, list[Matrix]] = defaultdict(list)
        for matrix in self.matrices:
            found[matrix.part].append(matrix)
        return dict(found)

    @cached_property
    def groups(self) -> dict[str, list[int]]:
        """The sentences of each paradigm, by number."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            if sentence.group:
                found[sentence.group].append(number)
        return dict(found)

    @cached_property
    def parts(self) -> dict[str, list[int]]:
        """The sentences of each part, by number."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            found[sentence.part].append(number)
        return dict(found)

    @cached_property
    def pair_parts(self) -> dict[str, list[int]]:
        """The pairs of each part, by number."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, pair in enumerate(self.pairs):
            found[pair.part].append(number)
        return dict(found)

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The words and marks of each sentence."""
        return [tokens(sentence.text) for sentence in self.sentences]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each sentence."""
        return [[token for token in found if WORD.match(token)] for found in self.tokens]

    @cached_property
    def pair_words(self) -> list[tuple[list[str], list[str]]]:
        """The words of the good and of the bad sentence of each pair."""

        def of(text: str) -> list[str]:
            return [token for token in tokens(text) if WORD.match(token)]

        return [(of(pair.good), of(pair.bad)) for pair in self.pairs]

    @cached_property
    def edges(self) -> list[ContrastEdge]:
        """Pairs of cells that differ in the licensor, in the NPI, or in scope alone."""
        found = []
        words = self.words
        for members in self.groups.values():
            for contrast, one, other in _edges(self.sentences, members):
                found.append(ContrastEdge(contrast, one, other, change(words[one], words[other])))
        return found

    @cached_property
    def sites(self) -> dict[str, dict[int, WordPlace]]:
        """Where licensor and NPI (or what stands for them) stand in each sentence, by number.

        The data say so in their spans; else it is where a sentence differs from its neighbour in
        the paradigm. Both count the same within a sentence: characters, or words.
        """
        found: dict[str, dict[int, WordPlace]] = {LICENSOR: {}, NPI: {}}
        for number, sentence in enumerate(self.sentences):
            spans = {span.name: span for span in sentence.spans}
            objects = {LICENSOR: spans.get(LICENSOR), NPI: spans.get(sentence.npi_object)}
            if all(objects.values()):
                for role, span in objects.items():
                    if span is not None:
                        said = sentence.text[span.start : span.end].casefold()
                        found[role][number] = WordPlace(span.start, said)
        told = set(found[NPI])
        for edge in self.edges:
            if edge.contrast == SCOPE:
                continue
            for number, (start, end) in (
                (edge.one, edge.change.one),
                (edge.other, edge.change.other),
            ):
                if number not in told:
                    said = " ".join(self.words[number][start:end])
                    sure = edge.change.kind in ("replaced", "moved")
                    found[edge.contrast].setdefault(number, WordPlace(start, said, sure))
        return found


def _edges(sentences: tuple[Sentence, ...], members: list[int]) -> Iterator[tuple[str, int, int]]:
    """Contrasts among the cells of a paradigm, the sentence without the thing first."""
    by_licensor: dict[object, dict[bool, int]] = {}
    by_npi: dict[object, dict[bool, int]] = {}
    by_scope: dict[object, dict[bool, int]] = {}
    for number in members:
        cell = sentences[number].cell
        if cell.licensor is None or cell.npi is None:
            return
        rest = cell.rest
        by_licensor.setdefault((cell.npi, rest), {}).setdefault(cell.licensor, number)
        by_npi.setdefault((cell.licensor, rest), {}).setdefault(cell.npi, number)
        if cell.scope is not None and len(rest) == 1:
            by_scope.setdefault((cell.licensor, cell.npi), {}).setdefault(cell.scope, number)
    for contrast, ties in ((LICENSOR, by_licensor), (NPI, by_npi), (SCOPE, by_scope)):
        for tie in ties.values():
            if len(tie) == 2:
                yield contrast, tie[False], tie[True]
