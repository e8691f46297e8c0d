"""All checks, in the order in which they are told."""

from __future__ import annotations

from merula.audit import balance, contrasts, repetition, spelling
from merula.audit.findings import Check

CHECKS = (
    # what stands twice
    Check("repeated", "sentences that their paradigm has already", repetition.repeated),
    Check("shared", "sentences that another paradigm has already", repetition.shared),
    Check("contradictions", "sentences good here and bad there", repetition.contradictions),
    Check("identical", "pairs of one and the same sentence", contrasts.identical),
    Check("repeated-pairs", "pairs that are there already", repetition.repeated_pairs),
    # contrasts
    Check("contrast", "pairs that differ in more than their contrast", contrasts.beyond),
    Check("cloze-length", "cloze pairs of unequal length", contrasts.cloze_length),
    Check("pair-length", "pairs of unequal length", contrasts.pair_length, fault=False),
    # how sentences are written
    Check("empty", "sentences without a word", spelling.empty),
    Check("doubled", "a word twice in a row", spelling.doubled),
    Check(
        "doubles", "a word twice that can be grammatical", spelling.doubles_meant, fault=False
    ),
    Check("articles", "a where English has an, or the reverse", spelling.articles),
    Check("spaces", "double spaces, spaces at the ends", spelling.spacing),
    Check("punctuation", "odd marks, or none at the end", spelling.punctuation),
    Check("capitals", "a small letter at the beginning", spelling.capital),
    Check("characters", "invisible or garbled characters", spelling.characters),
    # numbers
    Check("unlabelled", "sentences without a label", spelling.unlabelled),
    Check("cells", "paradigms with other cells than the rest", balance.cells),
    Check("labels", "labels unlike their cell's, or only one label", balance.labels),
    Check("length", "length of good and bad sentences", balance.length, fault=False),
    Check("lexemes", "words that tell the label without being meant to", balance.words_by_label),
    # splits
    Check("split-sentences", "sentences in two splits", repetition.split_sentences),
    Check("split-paradigms", "sentences of a paradigm in two splits", repetition.split_paradigms),
    Check("split-lexemes", "lexemes in two splits", repetition.split_lexemes),
)  # fmt: skip
