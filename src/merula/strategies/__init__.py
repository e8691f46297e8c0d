"""Hypothesis strategies: sentences, pairs, paradigms and matrices of a grammar.

Any draw is an instance of the grammar: nothing is filtered. What Hypothesis reports after shrinking
is plain: the first frame, the fewest words, the first values, the shortest lexemes (of these the
most frequent).

>>> import merula
>>> from hypothesis import given, settings
>>> from merula.strategies import sentences
>>> only = merula.load("npi/only")
>>> @settings(max_examples=20, database=None)
... @given(sentences(only, where={"licensor": "yes"}))
... def test_only_is_there(sentence):
...     assert "only" in sentence.text.lower()
>>> test_only_is_there()
"""

from importlib import import_module

from merula.core.resources import install

try:
    import_module("hypothesis")
except ImportError as error:
    raise ImportError(
        f"merula.strategies needs the package hypothesis: {install('strategies')}"
    ) from error

from merula.query.occurrences import Occurrence, Pair
from merula.strategies.edits import Edit, edits
from merula.strategies.grammars import GrammarText, grammars
from merula.strategies.lexicons import lexicons
from merula.strategies.properties import direction, invariance, preference
from merula.strategies.sentences import (
    answers,
    matrices,
    names,
    pairs,
    paradigms,
    sentences,
)
from merula.strategies.tables import TableText

__all__ = [
    "Edit",
    "GrammarText",
    "Occurrence",
    "Pair",
    "TableText",
    "answers",
    "direction",
    "edits",
    "grammars",
    "invariance",
    "lexicons",
    "matrices",
    "names",
    "pairs",
    "paradigms",
    "preference",
    "sentences",
]
