"""All checks, in the order in which an audit shows them.

To add a check:

1. Write a function ``check(view: View, settings: Settings) -> Found | None`` in a module of this
   folder. It returns None where the data have nothing to look at, and else a `Finding` for each
   fault, with its place; what several checks need is computed once, in `View`.
2. Add a `Check` to `CHECKS`: the name that ``--allow`` takes, the meaning that the table shows, and
   ``fault=False`` if its findings are information.
3. Add a row with the name to the table of checks in docs/audit.md, and tests to tests/audit: data
   with the fault, and data without it in which a careless check would find one.
"""

from __future__ import annotations

from merula.audit.checks import answer_claims, answer_sets, balance, contrasts, repetition, spelling
from merula.audit.findings import Check

CHECKS = (
    # repetition
    Check("repeated", "sentences that their paradigm has already", repetition.repeated),
    Check("shared", "sentences that another paradigm has already", repetition.shared),
    Check("contradictions", "sentences good here and bad there", repetition.contradictions),
    Check("identical", "pairs of one and the same sentence", contrasts.identical),
    Check("repeated-pairs", "pairs that are there already", repetition.repeated_pairs),
    # repetition in matrices
    Check("repeated-matrices", "matrices that are there already", answer_sets.repeated),
    Check("equal-answers", "wrong answers that are one sentence", answer_sets.equal_answers),
    Check("right-answer-twice", "wrong answers like the right one", answer_sets.equal_to_right),
    Check(
        "answer-in-context",
        "wrong answers from the context",
        answer_sets.wrong_in_context,
        fault=False,
    ),
    Check("right-in-context", "right answers from the context", answer_sets.right_in_context),
    # answer sets
    Check("right-answers", "matrices with no right answer, or several", answer_sets.one_right),
    Check("answer-sizes", "matrices of another size than the rest", answer_sets.sizes),
    Check("answer-labels", "labels that are missing, twice, or wrong", answer_sets.labels),
    Check("answer-place", "places where the right answer is too often", answer_sets.position),
    Check("answer-classes", "which classes answers break", answer_sets.classes, fault=False),
    Check("answer-rules", "answers that break other rules than the data say", answer_claims.claims),
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
    Check("contractions", "words that are not contracted or elided", spelling.contractions),
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
    Check("split-contexts", "sentences of contexts in two splits", answer_sets.split_contexts),
    Check("split-right", "right answers in two splits", answer_sets.split_right),
    Check("split-answers", "answers in two splits", answer_sets.split_answers),
)  # fmt: skip
