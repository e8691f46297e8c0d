"""Whether two sequences of words can be one string."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merula.plan.matching import Matcher
from random_grammars import examples

Word = frozenset[tuple[str, ...]]


def word(*texts: str) -> Word:
    return frozenset(tuple(text.split()) for text in texts)


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ([word("the lamp post")], [word("the lamp"), word("post")], True),
        ([word("the lamp"), word("post")], [word("the lamp post")], True),
        ([word("the"), word("lamp post"), word("x")], [word("the lamp"), word("post x")], True),
        ([word("a")], [word("a"), word("", "b")], True),
        ([word("a")], [word("a"), word("b")], False),
        ([word("", "a"), word("b")], [word("b")], True),
        ([word("a b"), word("c")], [word("a"), word("c")], False),
        ([], [], True),
        ([], [word("a")], False),
    ],
)
def test_words_may_be_shared_out_otherwise(one: list[Word], other: list[Word], may: bool) -> None:
    matcher = Matcher()
    numbers = [tuple(map(matcher.add, words)) for words in (one, other)]
    assert matcher.may_match(*numbers) == may
    assert matcher.may_match(*reversed(numbers)) == may


WORDS = st.frozensets(
    st.lists(st.sampled_from("ab"), max_size=2).map(tuple), min_size=1, max_size=3
)


@examples(300)
@given(st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3))
def test_it_is_as_by_trying_all(one: list[Word], other: list[Word]) -> None:
    def strings(words: list[Word]) -> set[tuple[str, ...]]:
        return {sum(texts, ()) for texts in product(*words)}

    matcher = Matcher()
    numbers = [tuple(map(matcher.add, words)) for words in (one, other)]
    assert matcher.may_match(*numbers) == (not strings(one).isdisjoint(strings(other)))
