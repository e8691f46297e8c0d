"""The nine environments of the NPI suite: what holds of every sentence of theirs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

import merula
from merula.api import Grammar, Instance, Sentence
from merula.core import resources as _resources

ENVIRONMENTS = (
    *("adverbs", "conditionals", "determiner_negation", "sentential_negation", "only"),
    *("quantifiers", "embedded_questions", "simple_questions", "superlatives"),
)
NPIS = ("ever", "any")
SAMPLE = 100
# They are fine without a licensor, or have to be outside its scope.
POSITIVE = frozenset("some several already obviously clearly fortunately certainly really".split())
LICENSORS = frozenset(
    "no not never rarely seldom hardly scarcely barely few nobody nothing without before if whether"
    " every all only doubt deny any ever".split()
)

each_design = pytest.mark.parametrize(
    ("environment", "npi"), [(e, n) for e in ENVIRONMENTS for n in NPIS]
)
with_scope = pytest.mark.parametrize(
    ("environment", "npi"), [(e, n) for e in ENVIRONMENTS if "simple" not in e for n in NPIS]
)


@cache
def grammar(environment: str) -> Grammar:
    return merula.load(f"npi/{environment}")


@cache
def sample(environment: str, npi: str) -> tuple[Instance, ...]:
    """Instances at places that look random and are the same in every run."""
    design = grammar(environment)[npi]
    return tuple(design[pow(7919, k + 1, 2**61 - 1) % design.count()] for k in range(SAMPLE))


def words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+|[^\w\s]", text.lower())


def of(cell: Sentence, npi: str) -> tuple[bool, bool, bool]:
    """Whether there is a licensor, whether the NPI's place is in its scope, whether it is there."""
    licensed, present, *_ = cell.factors.values()
    return licensed in ("yes", "superlative"), cell.scopes[npi] == "in", present == "yes"


def cells(environment: str, npi: str) -> Iterator[Sentence]:
    return (cell for instance in sample(environment, npi) for cell in instance.cells)


def test_all_grammars_together_are_short() -> None:
    files = list((_resources.folder("grammars") / "npi").rglob("*.merula"))
    assert len(files) > len(ENVIRONMENTS)
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 250


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_compiler_has_nothing_to_say(environment: str) -> None:
    assert [str(problem) for problem in grammar(environment).problems] == []
    assert list(grammar(environment)) == list(NPIS)


@each_design
def test_a_cell_is_bad_iff_the_npi_is_not_licensed(environment: str, npi: str) -> None:
    for cell in cells(environment, npi):
        licensor, scope, present = of(cell, npi)
        assert cell.acceptable == (not present or (licensor and scope))
        assert cell.broken == (() if cell.acceptable else (f"E licensing_{npi}",))


@each_design
def test_every_cell_of_the_design_is_there(environment: str, npi: str) -> None:
    number = 4 if environment == "simple_questions" else 8
    for instance in sample(environment, npi):
        assert len({of(cell, npi) for cell in instance.cells}) == len(instance.cells) == number
        assert len({cell.text for cell in instance.cells}) == number


@with_scope
def test_in_and_out_of_scope_have_the_same_words(environment: str, npi: str) -> None:
    for instance in sample(environment, npi):
        bags: dict[tuple[bool, bool], set[tuple[tuple[str, int], ...]]] = {}
        for cell in instance.cells:
            licensor, _, present = of(cell, npi)
            bag = tuple(sorted(Counter(words(cell.text)).items()))
            bags.setdefault((licensor, present), set()).add(bag)
        assert all(len(found) == 1 for found in bags.values())


@with_scope
def test_frames_say_where_the_npi_out_of_scope_stands(environment: str, npi: str) -> None:
    orders = Counter(instance.frame for instance in sample(environment, npi))
    assert set(orders) == {"after", "before"}
    for instance in sample(environment, npi):
        by_cell = {of(cell, npi): words(cell.text) for cell in instance.cells}
        licensor = differing(by_cell[True, False, True], by_cell[False, False, True])
        out = by_cell[True, False, True]
        assert (out.index(npi) > licensor) == (instance.frame == "after")
        licensor = differing(by_cell[True, True, True], by_cell[False, True, True])
        assert by_cell[True, True, True].index(npi) > licensor


def differing(one: list[str], other: list[str]) -> int:
    """The only place where two sentences of one length differ."""
    assert len(one) == len(other)
    places = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    assert len(places) == 1
    return places[0]


@each_design
def test_one_word_is_changed_by_a_licensor_and_by_an_npi(environment: str, npi: str) -> None:
    for instance in sample(environment, npi):
        by_cell = {of(cell, npi): words(cell.text) for cell in instance.cells}
        for (licensor, scope, present), text in by_cell.items():
            if present:
                differing(text, by_cell[licensor, scope, False])
            if licensor and environment != "simple_questions":
                differing(text, by_cell[False, scope, present])


@each_design
def test_no_word_is_doubled_or_positive_and_articles_are_right(environment: str, npi: str) -> None:
    # `some` is the replacement of a determiner, and stands outside any scope there
    positive = (
        POSITIVE - {"some"} if environment in ("determiner_negation", "quantifiers") else POSITIVE
    )
    for cell in cells(environment, npi):
        text = words(cell.text)
        assert all(a != b for a, b in pairwise(text)), cell.text
        assert positive.isdisjoint(text), cell.text
        assert not re.search(r"\b(a [aeiou]|an [^aeiouh])", cell.text, re.IGNORECASE), cell.text


@each_design
def test_no_licensor_stands_in_a_bad_cell_by_accident(environment: str, npi: str) -> None:
    for cell in cells(environment, npi):
        licensor, _, present = of(cell, npi)
        found = LICENSORS.intersection(words(cell.text))
        if not licensor:
            assert found <= {npi}, cell.text
        assert (npi in found) == present


@each_design
def test_licensor_and_npi_never_touch(environment: str, npi: str) -> None:
    """So that no pair of neighbours tells what only structure can."""
    for instance in sample(environment, npi):
        by_cell = {of(cell, npi): words(cell.text) for cell in instance.cells}
        for (licensor, scope, present), text in by_cell.items():
            if licensor and present and environment != "simple_questions":
                at = differing(text, by_cell[False, scope, present])
                assert abs(text.index(npi) - at) > 1, " ".join(text)


@each_design
def test_lexemes_of_a_sentence_differ(environment: str, npi: str) -> None:
    for instance in sample(environment, npi):
        nouns = [x for slot, x in instance.lexemes.items() if slot[0] in "No" and "=" not in slot]
        verbs = [x for slot, x in instance.lexemes.items() if slot[0] == "V"]
        assert len(set(nouns)) == len(nouns), instance.lexemes
        assert len(set(verbs)) == len(verbs), instance.lexemes
