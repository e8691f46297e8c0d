"""Edits differ in what they say and in nothing else; properties fail where they should."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import merula
from merula.api import Grammar
from merula.language.diagnostics import MerulaError
from merula.narrowing import names
from merula.occurrences import Occurrence
from merula.strategies import Edit, direction, edits, invariance, pairs, preference
from strategies_grammar import examples, programs

Test = Callable[[], None]


@pytest.fixture(scope="module")
def only() -> Grammar:
    return merula.load("npi/only")


@pytest.fixture(scope="module")
def agreement() -> Grammar:
    return merula.load("blm/agreement_en")


def drawn(strategy: st.SearchStrategy[Edit], number: int = 30) -> list[Edit]:
    found: list[Edit] = []

    @settings(max_examples=number, database=None, derandomize=True, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Edit) -> None:
        found.append(value)

    collect()
    return found


def differences(edit: Edit) -> dict[str, tuple[object, object]]:
    """What is not the same about the two sentences and their instances."""
    assert isinstance(edit.after, Occurrence)
    one, other = (_facts(sentence) for sentence in (edit.before, edit.after))
    return {
        name: (one.get(name), other.get(name))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }


def _facts(sentence: Occurrence) -> dict[str, object]:
    instance = sentence.instance
    assert sentence.text in [cell.text for cell in instance.cells]
    factors = {f"factor {name}": value for name, value in sentence.factors.items()}
    lexemes = {f"lexeme {name}": value for name, value in instance.lexemes.items()}
    return {"frame": instance.frame, **instance.choices, **lexemes, **factors}


# --- edits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["licensor", "ever", "licensor.site"])
def test_another_cell_of_the_instance(only: Grammar, what: str) -> None:
    for edit in drawn(edits(only, what, design="ever")):
        assert differences(edit) == {f"factor {what}": (edit.old, edit.new)}
        assert edit.before.address == edit.after.address  # type: ignore[attr-defined]


@pytest.mark.parametrize("what", ["N1.number", "N2.number", "H1.tense"])
def test_another_variant_with_the_same_lexemes(only: Grammar, what: str) -> None:
    found = drawn(edits(only, what))
    for edit in found:
        assert differences(edit) == {what: (edit.old, edit.new)}
        assert edit.before.label == edit.after.label
    assert len({(edit.old, edit.new) for edit in found}) == 2


def test_another_frame_keeps_the_lexemes_that_both_have(only: Grammar) -> None:
    for edit in drawn(edits(only, "frame", old="after", new="before")):
        assert (edit.old, edit.new) == ("after", "before")
        kept = only[edit.before.design]
        shared = set(edit.before.instance.lexemes) & set(kept[edit.after.address].lexemes)  # type: ignore[attr-defined]
        assert {"N1", "N2", "V2", "obj1"} <= shared
        changed = {name.partition(" ")[2] for name in differences(edit)} - {""}
        assert changed <= {"V1", "V3", "H2"}


@pytest.mark.parametrize("what", ["N1", "V2", "obj1"])
def test_another_lexeme(only: Grammar, what: str) -> None:
    for edit in drawn(edits(only, what, design="any", acceptable=True)):
        assert differences(edit) == {f"lexeme {what}": (edit.old, edit.new)}
        assert edit.before.acceptable
        assert edit.after.acceptable


def test_another_value_of_a_feature(only: Grammar) -> None:
    found = drawn(edits(only, "N1.band", old="6", design="any"))
    rows = {
        title: slot.rows.columns["band"][row]
        for plan in only["any"]._design.plans
        for slot in plan.slots
        if slot.name == "N1" and slot.rows is not None
        for title, row in zip(slot.titles, slot.candidates, strict=True)
    }
    assert len({edit.new for edit in found}) > 1
    for edit in found:
        ((name, (old, new)),) = differences(edit).items()
        assert name == "lexeme N1"
        assert (rows[str(old)], rows[str(new)]) == (edit.old, edit.new)
        assert edit.old == "6" != edit.new


def test_items_and_answers_of_matrices(agreement: Grammar) -> None:
    for edit in drawn(edits(agreement, "cell", old="Correct", new="AE", design="balanced")):
        assert (edit.before.label, edit.after.label) == ("Correct", "AE")
        assert edit.before.acceptable
        assert "E agreement" in edit.after.broken
    for edit in drawn(edits(agreement, "n1.number", acceptable=True, design="six")):
        assert edit.before.role == edit.after.role
        assert set(differences(edit)) == {"factor n1.number"}


def test_a_function_edits_the_text(only: Grammar) -> None:
    for edit in drawn(edits(only, str.upper, acceptable=False), 10):
        assert edit.after.text == edit.before.text.upper()
        assert not edit.before.acceptable
        assert edit.what == edit.title == "upper"


def test_what_is_asked_for_holds_on_both_sides(only: Grammar) -> None:
    asked = edits(only, "N1", new="teacher", where={"N1.number": "pl", "licensor": "yes"})
    for edit in drawn(asked):
        assert edit.new == "teacher" != edit.old
        assert isinstance(edit.after, Occurrence)
        for sentence in (edit.before, edit.after):
            assert sentence.instance.choices["N1.number"] == "pl"
            assert sentence.factors["licensor"] == "yes"


TIGHT = """phenomenon tight
language en
lexicon noun "nouns.csv"
lexicon verb "verbs.csv"
objects
  subj : noun (number)
  verb : verb (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
select
  subj is verb.wants
frames
  clause = "the" subj verb
paradigm agree = subj.number × verb.number
"""
TIGHT_TABLES = {
    "nouns.csv": "lemma,sg,pl,sort\nfox,fox,foxes,a\nox,ox,oxen,b\ncat,cat,cats,a\n",
    "verbs.csv": "lemma,sg,pl,wants\nlow,lows,low,b\nrun,runs,run,a\n",
}


def test_choices_that_leave_nothing_else_are_not_drawn() -> None:
    """What lows can only be an ox: no example is given up for it."""
    grammar = merula.compile(TIGHT, tables=TIGHT_TABLES)
    found = drawn(edits(grammar, "subj"), 60)
    assert {(edit.old, edit.new) for edit in found} == {("fox", "cat"), ("cat", "fox")}
    assert all("low" not in edit.before.text for edit in found)
    with pytest.raises(MerulaError, match="nothing of what is asked for"):
        edits(grammar, "subj", where={"verb": "low"})
    with pytest.raises(MerulaError, match="nothing of what is asked for"):
        edits(grammar, "subj", old="ox")
    with pytest.raises(MerulaError, match="nothing of what is asked for"):
        edits(grammar, "verb")


@given(st.data())
@examples(40)
def test_edits_of_random_grammars(data: st.DataObject) -> None:
    """Whatever has a name can be edited, or there is nothing to edit; nothing else changes."""
    compiled = data.draw(programs()).compile()
    grammar = Grammar(compiled)
    for design in grammar:
        known = {n: k for plan in grammar[design]._design.plans for n, k in names(plan).items()}
        if not known:
            continue
        what = data.draw(st.sampled_from(sorted(known)))
        try:
            strategy = edits(grammar, what, design=design)
        except MerulaError as error:
            (problem,) = error.problems
            assert problem.code in ("M751", "M752")
            continue
        edit = data.draw(strategy)
        assert edit.old != edit.new
        changed = set(differences(edit))
        if known[what] == "cell":
            assert all(name.startswith("factor ") for name in changed)
        elif known[what] == "plan":
            assert what in changed
            # a lexeme may change only where the variants have none in common
            assert all(name == what or name.startswith("lexeme ") for name in changed)
        else:
            assert changed == {f"lexeme {_slot(what, edit)}"}


def _slot(what: str, edit: Edit) -> str:
    fits = [name for name in edit.before.instance.lexemes if f"{what}.".startswith(f"{name}.")]
    return max(fits, key=len)


def codes(make: Callable[[], object]) -> Iterator[str]:
    with pytest.raises(MerulaError) as raised:
        make()
    yield from (problem.code for problem in raised.value.problems)


def test_what_cannot_be_edited(only: Grammar) -> None:
    assert list(codes(lambda: edits(only, "N1.nubmer"))) == ["M750"]
    assert list(codes(lambda: edits(only, "N1.number", old="dual"))) == ["M751"]
    assert list(codes(lambda: edits(only, "H1"))) == ["M751"]
    assert list(codes(lambda: edits(only, "N1.lemma"))) == ["M752"]
    with pytest.raises(ValueError, match="holds N1 fast"):
        edits(only, "N1", where={"N1": "teacher"})
    with pytest.raises(ValueError, match="has no values"):
        edits(only, str.upper, old="a")


def test_what_is_reported_of_an_edit(only: Grammar) -> None:
    edit = drawn(edits(only, "N1.number", old="sg"), 1)[0]
    assert edit.title == "N1.number sg → pl"
    assert repr(edit) == f"<N1.number sg → pl: {edit.before!r} {edit.after!r}>"
    assert repr(edits(only, "N1.number", old="sg")) == "edits(only, what='N1.number', old='sg')"


# --- properties --------------------------------------------------------------------------------


def run(test: Any, number: int = 200) -> None:
    settings(
        max_examples=number,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )(test)()


def failure(test: Any) -> str:
    with pytest.raises(AssertionError) as raised:
        run(test)
    return str(raised.value)


def words(text: str) -> int:
    return len(text.split())


def test_invariance(only: Grammar) -> None:
    run(invariance(words, edits(only, "N1.number")))
    said = failure(invariance(len, edits(only, "N1.number", design="any")))
    first, before, old, after, new = said.splitlines()
    assert first in (
        "N1.number sg → pl should change nothing",
        "N1.number pl → sg should change nothing",
    )
    assert int(old.split()[-1]) == len(before.strip().lstrip("*"))
    assert int(new.split()[-1]) == len(after.strip().lstrip("*"))
    close = invariance(
        lambda text: len(text) * 0.1, edits(only, "N1.number"), same=lambda a, b: abs(a - b) < 3
    )
    run(close)
    run(invariance(lambda text: words(text) * 0.1, edits(only, "N1"), same=math.isclose))


def test_direction_of_a_number(only: Grammar) -> None:
    longer = edits(only, "licensor.site", old="lower", new="upper", where={"licensor": "yes"})
    run(direction(lambda text: text.startswith("Only"), longer, "up"))
    assert "should go down" in failure(direction(lambda t: t.startswith("Only"), longer, "down"))
    assert "should change it" in failure(direction(words, longer, "up"))
    run(direction(lambda t: t.find("nly"), longer, lambda old, new: new == 1 < old))


def test_direction_of_a_label_and_of_one_of_many(only: Grammar) -> None:
    number = edits(only, "N1.number", where={"H1.tense": "prs", "frame": "before"})

    def auxiliary(text: str) -> str:
        return "have" if " have " in text.partition("although")[0] else "has"

    run(direction(auxiliary, number, {"sg": "has", "pl": "have"}))
    assert "into" in failure(direction(auxiliary, number, {"sg": "have", "pl": "has"}))

    def tags(text: str) -> list[str]:
        return [word if word in ("has", "have") else "·" for word in text.split()]

    run(direction(tags, number, {"sg": "has", "pl": "have"}))
    run(direction(lambda text: dict(enumerate(tags(text))), number, {"sg": "has", "pl": "have"}))
    said = failure(direction(lambda text: text.split(), number, {"sg": "has", "pl": "have"}))
    assert "should change one thing, not 2" in said
    with pytest.raises(ValueError, match="does not say what"):
        run(direction(tags, number, {"singular": "has"}))
    with pytest.raises(ValueError, match="way='sideways'"):
        direction(words, number, "sideways")  # type: ignore[arg-type]


def test_preference(only: Grammar) -> None:
    licensed = pairs(only, contrast="licensor", design="any", where={"licensor.site": "upper"})

    def score(text: str) -> float:
        return -len(re.findall("Even", text))

    run(preference(score, licensed))
    said = failure(preference(lambda text: -score(text), licensed))
    assert "licensor: the good sentence should have the higher score" in said
    assert "*Even" in said
    failure(preference(score, licensed, margin=1))
    failure(preference(lambda _: math.nan, licensed))


def test_examples_of_one_property_are_not_those_of_another(only: Grammar) -> None:
    """They share their code, so Hypothesis' database would take them for one test."""
    from hypothesis.database import InMemoryExampleDatabase

    base = InMemoryExampleDatabase()
    for what in ("N1.number", "N2.number"):
        test: Any = settings(database=base, max_examples=20)(invariance(len, edits(only, what)))
        with pytest.raises(AssertionError):
            test()
    primary = [key for key in base.data if b"secondary" not in key and b"pareto" not in key]
    assert len(primary) == 2
