"""A corpus with the words, paradigms, contrasts and places that several checks need.

In goes a `Corpus`, `report.audit` makes one `View` of it, and every check and probe reads it.
Everything is computed when it is first asked for, once. Sentences and pairs are named by their
indices in the corpus; comparisons ignore case where words are compared, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from merula.audit.corpus import LICENSOR, NPI, SCOPE, Corpus, Matrix, Pair, Place, Sentence
from merula.audit.words import WORD, WordChange, change, tokens, words
from merula.lexicon.surface import Surface
from merula.lexicon.table import clean

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled


class Text(NamedTuple):
    """A sentence of any kind of data, with its label; a sentence of a matrix has none."""

    text: str
    good: bool | None
    place: Place
    group: str
    split: str
    language: str


class ContrastEdge(NamedTuple):
    """Two sentences of a paradigm, by their indices, that differ in one contrast by design."""

    contrast: str
    one: int
    other: int
    change: WordChange


class WordPlace(NamedTuple):
    """The place of a licensor or an NPI in a sentence, and its words; places are only compared.

    ``sure`` is False where more differs, so that the words may not all belong to it.
    """

    at: int
    words: str
    sure: bool = True


class View:
    """A corpus with its words, paradigms, contrasts and places of licensors and NPIs.

    ``surfaces`` are the surface rules of its languages, where there are any; ``grammar`` is the one
    that answers are compared with, or None.
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
        """Return all sentences that can have a label: those of pairs too, not those of matrices."""
        code = self.corpus.language
        texts = [
            Text(s.text, s.acceptable, s.place, s.group, s.split, code) for s in self.sentences
        ]
        for p in self.pairs:
            texts.append(Text(p.good, True, p.place, p.group, p.split, code))
            texts.append(Text(p.bad, False, p.place, p.group, p.split, code))
        return texts

    @cached_property
    def texts(self) -> list[Text]:
        """Return all sentences."""
        texts = list(self.judged)
        for m in self.matrices:
            code = m.language or self.corpus.language
            texts += [Text(t, None, m.place, "", m.split, code) for t in (*m.context, *m.answers)]
        return texts

    def plain(self, text: str) -> str:
        """Return a sentence for comparisons: straight apostrophes, single spaces, NFC."""
        if text not in self._plain:
            self._plain[text] = clean(text)
        return self._plain[text]

    def tokens_of(self, text: str) -> list[str]:
        """Return the words and marks of a sentence of a matrix."""
        if text not in self._tokens:
            self._tokens[text] = tokens(self.plain(text))
        return self._tokens[text]

    @cached_property
    def matrix_parts(self) -> dict[str, list[Matrix]]:
        """Return the matrices of each part."""
        parts: dict[str, list[Matrix]] = defaultdict(list)
        for matrix in self.matrices:
            parts[matrix.part].append(matrix)
        return dict(parts)

    @cached_property
    def groups(self) -> dict[str, list[int]]:
        """Return the sentences of each paradigm, by their indices."""
        groups: dict[str, list[int]] = defaultdict(list)
        for i, sentence in enumerate(self.sentences):
            if sentence.group:
                groups[sentence.group].append(i)
        return dict(groups)

    @cached_property
    def parts(self) -> dict[str, list[int]]:
        """Return the sentences of each part, by their indices."""
        return _by_part(self.sentences)

    @cached_property
    def pair_parts(self) -> dict[str, list[int]]:
        """Return the pairs of each part, by their indices."""
        return _by_part(self.pairs)

    @cached_property
    def tokens(self) -> list[list[str]]:
        """Return the words and marks of each sentence."""
        return [tokens(sentence.text) for sentence in self.sentences]

    @cached_property
    def words(self) -> list[list[str]]:
        """Return the words of each sentence."""
        return [[token for token in sentence if WORD.match(token)] for sentence in self.tokens]

    @cached_property
    def pair_words(self) -> list[tuple[list[str], list[str]]]:
        """Return the words of the good and of the bad sentence of each pair."""
        return [(words(pair.good), words(pair.bad)) for pair in self.pairs]

    @cached_property
    def edges(self) -> list[ContrastEdge]:
        """Return the pairs of cells that differ in the licensor, in the NPI, or in scope alone."""
        return [
            ContrastEdge(contrast, one, other, change(self.words[one], self.words[other]))
            for members in self.groups.values()
            for contrast, one, other in _edges(self.sentences, members)
        ]

    @cached_property
    def sites(self) -> dict[str, dict[int, WordPlace]]:
        """Return the places of licensor and NPI (or of the words instead) in sentences, by index.

        They are those of the spans, or else those where a sentence differs from its neighbour in
        the paradigm. Within a sentence both are counted alike: in characters, or in words.
        """
        sites: dict[str, dict[int, WordPlace]] = {LICENSOR: {}, NPI: {}}
        for i, sentence in enumerate(self.sentences):
            spans = {span.name: span for span in sentence.spans}
            objects = {LICENSOR: spans.get(LICENSOR), NPI: spans.get(sentence.npi_object)}
            if all(objects.values()):
                for role, span in objects.items():
                    if span is not None:
                        words = sentence.text[span.start : span.end].casefold()
                        sites[role][i] = WordPlace(span.start, words)
        with_spans = set(sites[NPI])
        for edge in self.edges:
            if edge.contrast == SCOPE:
                continue
            for i, (start, end) in ((edge.one, edge.change.one), (edge.other, edge.change.other)):
                if i not in with_spans:
                    words = " ".join(self.words[i][start:end])
                    sure = edge.change.kind in ("replaced", "moved")
                    sites[edge.contrast].setdefault(i, WordPlace(start, words, sure))
        return sites


def _by_part(items: Iterable[Sentence | Pair]) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = defaultdict(list)
    for i, item in enumerate(items):
        parts[item.part].append(i)
    return dict(parts)


def _edges(sentences: tuple[Sentence, ...], members: list[int]) -> Iterator[tuple[str, int, int]]:
    """Yield contrasts among the cells of a paradigm, first the sentence without licensor or NPI."""
    by_licensor: dict[object, dict[bool, int]] = {}
    by_npi: dict[object, dict[bool, int]] = {}
    by_scope: dict[object, dict[bool, int]] = {}
    for i in members:
        cell = sentences[i].cell
        if cell.licensor is None or cell.npi is None:
            return
        rest = cell.rest
        by_licensor.setdefault((cell.npi, rest), {}).setdefault(cell.licensor, i)
        by_npi.setdefault((cell.licensor, rest), {}).setdefault(cell.npi, i)
        if cell.scope is not None and len(rest) == 1:
            by_scope.setdefault((cell.licensor, cell.npi), {}).setdefault(cell.scope, i)
    for contrast, ties in ((LICENSOR, by_licensor), (NPI, by_npi), (SCOPE, by_scope)):
        for tie in ties.values():
            if len(tie) == 2:
                yield contrast, tie[False], tie[True]
