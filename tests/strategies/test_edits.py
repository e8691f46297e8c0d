"""Edits differ in what they say and in nothing else; properties fail where they should."""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import merula
from keys import KEYS, TABLE
from merula import strategies
from merula.api import Grammar
from merula.core.diagnostics import MerulaError
from merula.query.narrowing import names
from merula.query.occurrences import Occurrence, Pair
from merula.strategies import (
    Edit,
    answers,
    direction,
    edits,
    grammars,
    invariance,
    pairs,
    preference,
    sentences,
)
from random_grammars import compiled_grammar, examples

T = TypeVar("T")


@pytest.fixture(scope="module")
def only() -> Grammar:
    return merula.load("npi/only")


@pytest.fixture(scope="module")
def agreement() -> Grammar:
    return merula.load("blm/agreement_en")


def drawn(strategy: st.SearchStrategy[T], number: int = 30) -> list[T]:
    found: list[T] = []

    @settings(max_examples=number, database=None, derandomize=True, phases=[Phase.generate])
    @given(strategy)
    def collect(value: T) -> None:
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
        assert edit.before.address == edit.after.address


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
        shared = set(edit.before.instance.lexemes) & set(kept[edit.after.address].lexemes)
        assert {"N1", "N2", "V2", "obj1"} <= shared
        changed = {name.partition(" ")[2] for name in differences(edit)} - {""}
        assert changed <= {"V1", "V3", "H2"}


@pytest.mark.parametrize("what", ["N1", "V2", "obj1"])
def test_another_lexeme(only: Grammar, what: str) -> None:
    found = drawn(edits(only, what, design="any", acceptable=True))
    assert len({edit.after.text for edit in found}) > 18
    for edit in found:
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


def test_exchanges_vary_where_it_is_said_what_is_changed_into(only: Grammar) -> None:
    found = drawn(edits(only, "obj1.sort", new="place", design="any"))
    assert len({edit.before.text for edit in found}) > 18
    assert {edit.new for edit in found} == {"place"}
    found = drawn(edits(only, "obj1.sort", old="place", design="any"))
    assert len({edit.before.text for edit in found}) > 18
    assert {edit.old for edit in found} == {"place"}


def test_items_and_answers_of_matrices(agreement: Grammar) -> None:
    for edit in drawn(edits(agreement, "cell", old="Correct", new="AE", design="balanced")):
        assert (edit.before.label, edit.after.label) == ("Correct", "AE")
        assert edit.before.acceptable
        assert "E agreement" in edit.after.broken
    for edit in drawn(edits(agreement, "n1.number", acceptable=True, design="six")):
        assert edit.before.role == edit.after.role
        assert set(differences(edit)) == {"factor n1.number"}


@pytest.mark.parametrize(
    ("what", "where"), [("obj1.sort", {}), ("licensor", {"V1": ("hug", "see", "meet")})]
)
def test_variants_that_differ_in_forms_alone_share_their_tables(
    only: merula.Grammar, what: str, where: dict[str, Any]
) -> None:
    """Those of a space take 30 MB, and here are four spaces of 32 variants."""
    choosers, tables = made_by(edits(only, what, where=where))
    spaces = {id(plan.space) for design in only.values() for plan in design._design.plans}
    assert len(choosers) >= 4 * len(spaces)
    assert len(tables) <= len(spaces) * max(len(chooser.steps) for chooser in choosers)


def test_an_edit_that_keeps_all_lexemes_makes_no_tables(only: merula.Grammar) -> None:
    plans = [plan for design in only.values() for plan in design._design.plans]
    _, tables = made_by(edits(only, "N1.number"))
    assert tables <= {
        id(bucket) for plan in plans for _, part in plan.space.components for bucket in part.buckets
    }


def made_by(strategy: Any) -> tuple[list[Any], set[int]]:
    """Return what chooses the lexemes of each source of a strategy, and all their tables."""
    choosers = [getattr(source.chooser, "chooser", source.chooser) for source in strategy._sources]
    return choosers, {id(step.bucket) for chooser in choosers for step in chooser.steps}


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
    with pytest.raises(MerulaError, match="has nothing for"):
        edits(grammar, "subj", where={"verb": "low"})
    with pytest.raises(MerulaError, match="has nothing for"):
        edits(grammar, "subj", old="ox")
    with pytest.raises(MerulaError, match="has nothing for"):
        edits(grammar, "verb")


SYNCRETIC = """phenomenon syncretic
language en
lexicon noun "nouns.csv"
objects
  subj : noun (number)
  neg : adverb
attributes
  number = sg | pl
  neg = yes "not" | no "also"
frames
  clause = "the" subj "did" neg "sleep"
paradigm denied = neg varying subj.number
"""


def test_edits_that_no_word_shows_are_not_drawn() -> None:
    nouns = "lemma,sg,pl\nsheep,sheep,sheep\nfox,fox,foxes\nhen,hen,hens\n"
    grammar = merula.compile(SYNCRETIC, tables={"nouns.csv": nouns})
    found = drawn(edits(grammar, "subj.number"), 60)
    assert len(found) > 4
    assert {edit.before.instance.lexemes["subj"] for edit in found} == {"fox", "hen"}
    for edit in drawn(edits(grammar, "subj"), 60):
        assert edit.before.text != edit.after.text
    with pytest.raises(MerulaError, match="has nothing for"):
        edits(grammar, "subj.number", where={"subj": "sheep"})


@given(st.data())
@examples(40)
def test_edits_of_random_grammars(data: st.DataObject) -> None:
    """Whatever has a name can be edited, or there is nothing to edit; nothing else changes."""
    compiled = compiled_grammar(data.draw(grammars()))
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
            assert problem.code == "M751"
            continue
        edit = data.draw(strategy)
        assert edit.old != edit.new
        assert edit.before.text != edit.after.text
        changed = set(differences(edit))
        lexical = [f"lexeme {name}" for name in edit.before.instance.lexemes]
        if what in changed:
            assert "plan" in known[what]
            # a factor may follow, and the lexeme of the object itself
            own = [n for n in lexical if n.startswith(f"lexeme {what.partition('.')[0]}")]
            assert changed - {what, *own} <= {n for n in changed if n.startswith("factor ")}
        elif changed & {*lexical}:
            assert {"slot", "feature"} & {*known[what]}
            assert changed == {f"lexeme {_slot(what, edit)}"}
        else:
            assert "cell" in known[what]
            assert all(name.startswith("factor ") for name in changed)


def _slot(what: str, edit: Edit) -> str:
    fits = [name for name in edit.before.instance.lexemes if f"{what}.".startswith(f"{name}.")]
    return max(fits, key=len)


def codes(make: Callable[[], object]) -> Iterator[str]:
    with pytest.raises(MerulaError) as raised:
        make()
    yield from (problem.code for problem in raised.value.problems)


def test_what_cannot_be_edited(only: Grammar) -> None:
    assert list(codes(lambda: edits(only, "N1.nubmer"))) == ["M750"]
    for make, said in (
        (lambda: edits(only, "N1.number", old="plural"), "N1.number is never plural"),
        (lambda: edits(only, "N1", new="techer"), "did you mean teacher"),
        (lambda: sentences(only, where={"N1.number": "plural"}), "it is pl or sg"),
        (lambda: sentences(only, where={"frame": "main"}), "it is after or before"),
        (lambda: pairs(only, contrast="licensr"), "did you mean licensor"),
        (lambda: answers(merula.load("blm/agreement_en"), breaks="agreement"), "E agreement"),
        (lambda: pairs(merula.load("blm/agreement_en")), "a matrix has no pairs"),
    ):
        with pytest.raises(MerulaError, match=said):
            make()
    assert list(codes(lambda: edits(only, "H1"))) == ["M751"]
    with pytest.raises(ValueError, match="keeps N1, which is to change"):
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
    assert "should bring the result down" in failure(
        direction(lambda t: t.startswith("Only"), longer, "down")
    )
    assert "should bring the result up" in failure(direction(words, longer, "up"))
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
    assert "and nothing else, but 2 things change" in said
    with pytest.raises(ValueError, match="has no result for"):
        run(direction(tags, number, {"singular": "has"}))
    sideways: Any = "sideways"
    with pytest.raises(ValueError, match="way='sideways'"):
        direction(words, number, sideways)


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


def test_examples_of_ones_own(only: Grammar) -> None:
    cells = {cell.label: cell for cell in only["any"][1143569937].cells}
    own: Any = Pair(cells["yes yes upper"], cells["no yes upper"], "licensor")
    seen: list[str] = []

    def score(text: str) -> float:
        seen.append(text)
        return -text.count("Even ")

    test: Any = preference(score, licensed_pairs(only))
    settings(max_examples=2, database=None)(example(own)(test))()
    assert seen[:2] == [own.good.text, own.bad.text]


def test_examples_of_one_property_are_not_those_of_another(only: Grammar) -> None:
    """They share their code, so Hypothesis' database would take them for one test."""
    from hypothesis.database import InMemoryExampleDatabase

    base = InMemoryExampleDatabase()
    for what in ("N1.number", "N2.number"):
        test: Any = settings(database=base, max_examples=20)(invariance(len, edits(only, what)))
        with pytest.raises(AssertionError):
            test()
    twice = invariance(lambda text: 2 * len(text), edits(only, "N1.number"))
    less = invariance(lambda text: -len(text), edits(only, "N1.number"))
    for test in (twice, less):  # both functions have the name `<lambda>`
        with pytest.raises(AssertionError):
            settings(database=base, max_examples=20)(test)()
    primary = [key for key in base.data if b"secondary" not in key and b"pareto" not in key]
    assert len(primary) == 4


# --- names that mean several things, and what is hard to tell apart ----------------------------


CONCORD = """phenomenon concord
language it
lexicon noun "nouns.csv"
lexicon adj "adjs.csv"
lexicon adv "advs.csv"
objects
  noun : noun (number)
  adj  : adj (gender, number)
  adv? : adv
attributes
  number = sg | pl
  gender = m | f
external
  number: adj.number = noun.number
  gender: adj.gender = noun.gender
frames
  np = "ecco" noun adj adv
paradigm gender = adj.gender × noun.number × adv
"""
CONCORD_TABLES = {
    "nouns.csv": (
        "lemma,sg,pl,gender,weight\nmuro,muro,muri,m,light\nlupo,lupo,lupi,m,heavy | light\n"
        "casa,casa,case,f,*\nporta,porta,porte,f,heavy\nsedia,sedia,sedie,f,light\n"
    ),
    "adjs.csv": "lemma,m.sg,f.sg,m.pl,f.pl\nnuovo,nuovo,nuova,nuovi,nuove\n",
    "advs.csv": "lemma\nqui\nora\n",
}


@pytest.fixture(scope="module")
def concord() -> Grammar:
    return merula.compile(CONCORD, tables=CONCORD_TABLES)


def test_a_choice_goes_before_a_column_of_its_name(concord: Grammar) -> None:
    for edit in drawn(edits(concord, "noun.gender", old="m", new="f", acceptable=True)):
        assert set(differences(edit)) == {"noun.gender", "lexeme noun", "factor adj.gender"}
        assert edit.before.text.split()[1] in ("muro", "muri", "lupo", "lupi")
        assert edit.after.text.split()[1] not in ("muro", "muri", "lupo", "lupi")
    for sentence in drawn(sentences(concord, where={"noun.gender": "f"})):
        assert sentence.instance.choices["noun.gender"] == "f"


@pytest.mark.parametrize(
    ("value", "words"), [("absent", {""}), ("present", {"qui", "ora"}), ("ora", {"ora"})]
)
def test_the_value_says_what_is_asked_of_an_optional_object(
    concord: Grammar, value: str, words: set[str]
) -> None:
    found = drawn(sentences(concord, where={"adv": value}))
    assert {" ".join(s.text.rstrip(".").split()[3:]) for s in found} == words


def test_presence_and_lexeme_of_an_optional_object(concord: Grammar) -> None:
    for edit in drawn(edits(concord, "adv", old="absent")):
        assert set(differences(edit)) == {"factor adv"}
    for edit in drawn(edits(concord, "adv", old="ora", new="qui")):
        assert differences(edit) == {"lexeme adv": ("ora", "qui")}
        assert edit.before.text.endswith(" ora.")


def test_any_value_and_several_values(concord: Grammar) -> None:
    """What has any value is there for each, and is not exchanged for another value."""
    light = drawn(sentences(concord, where={"noun.weight": "light"}), 60)
    assert {s.instance.lexemes["noun"] for s in light} == {"muro", "lupo", "casa", "sedia"}
    found = drawn(edits(concord, "noun.weight"), 60)
    assert {(edit.old, edit.new) for edit in found} == {("heavy", "light"), ("light", "heavy")}
    assert {edit.before.instance.lexemes["noun"] for edit in found} == {"porta", "sedia"}


def test_what_depends_on_a_change_follows_where_both_are_to_be_acceptable() -> None:
    keys = merula.compile(KEYS, tables={"keys.csv": TABLE})
    for edit in drawn(edits(keys, "subj.number", acceptable=True)):
        assert set(differences(edit)) == {"subj.number", "factor verb.number"}
    for edit in drawn(edits(keys, "subj.number")):
        assert set(differences(edit)) == {"subj.number"}


def test_variants_without_common_lexemes_are_no_edit(agreement: Grammar) -> None:
    with pytest.raises(MerulaError, match="has nothing for"):
        edits(agreement, "prefix.number")


def test_exchanges_that_are_rare_are_found() -> None:
    """Of 600 verbs one goes with two nouns."""
    nouns = "".join(f"n{i},n{i},n{i}s,k{i}\n" for i in range(600)) + "last,last,lasts,k599\n"
    verbs = "".join(f"v{i},v{i}s,v{i},k{i}\n" for i in range(600))
    tables = {"nouns.csv": f"lemma,sg,pl,sort\n{nouns}", "verbs.csv": f"lemma,sg,pl,wants\n{verbs}"}
    found = drawn(edits(merula.compile(TIGHT, tables=tables), "subj"))
    assert {(edit.old, edit.new) for edit in found} == {("n599", "last"), ("last", "n599")}


def test_lexemes_that_are_asked_for_are_shown(only: Grammar) -> None:
    """Half of the cells have no word in place of *ever*."""
    for sentence in drawn(sentences(only, where={"ever=no": "recently"})):
        assert "recently" in sentence.text


def test_a_pair_shows_the_lexeme_that_is_asked_for() -> None:
    """In one sentence at least: only what is licensed has the licensor."""
    adverbs = merula.load("npi/adverbs")
    for pair in drawn(pairs(adverbs, design="any", where={"licensor=yes": "never"})):
        assert "never" in pair.good.text + pair.bad.text


def test_drawn_values_are_small_when_pickled(only: Grammar) -> None:
    edit = drawn(edits(only, "licensor"), 1)[0]
    kept = pickle.dumps(edit)
    assert len(kept) < 5_000
    again = pickle.loads(kept)
    assert again == edit
    assert again.before.address == edit.before.address
    assert repr(again) == repr(edit)
    with pytest.raises(AttributeError, match="ask the grammar"):
        _ = again.before.instance
    assert copy.deepcopy(edit).before.instance == edit.before.instance


def test_the_names_that_can_be_asked_for(only: Grammar) -> None:
    known = strategies.names(only, "any")
    assert known["frame"] == ("after", "before")
    assert known["licensor"] == ("no", "yes")
    assert "teacher" in known["N1"]
    for name, values in known.items():
        assert drawn(sentences(only, design="any", where={name: values[0]}), 2)


# --- what functions give -----------------------------------------------------------------------


def test_values_that_stand_for_the_same_result(only: Grammar) -> None:
    tense = edits(only, "N1.number", where={"H1.tense": "past"})
    run(direction(lambda _: "had", tense, {"sg": "had", "pl": "had"}))
    assert "should change nothing" in failure(
        direction(lambda text: "men" in text, tense, {"sg": "had", "pl": "had"})
    )


@pytest.mark.parametrize("shape", [np.array, lambda x: np.array([x])])
def test_results_that_are_arrays(only: Grammar, shape: Callable[[int], Any]) -> None:
    number = edits(only, "N1.number")
    run(invariance(lambda text: shape(words(text)), number))
    run(invariance(lambda text: [shape(words(text))], number))
    failure(invariance(lambda text: np.zeros(len(text) % 2), number))
    failure(invariance(lambda text: np.ones(len(text)), number))
    assert "should change nothing" in failure(invariance(lambda text: shape(len(text)), number))
    run(preference(lambda text: shape(-text.count("Even ")), licensed_pairs(only)))
    shorter = edits(only, "N1.number", old="sg", new="pl", where={"N1": "teacher"})
    run(direction(lambda text: shape(len(text.partition("teacher")[2])), shorter, "up"))


def licensed_pairs(grammar: Grammar) -> Any:
    return pairs(grammar, contrast="licensor", design="any", where={"licensor.site": "upper"})


def test_arguments_that_cannot_be_meant(only: Grammar) -> None:
    number: Any = edits(only, "N1.number")
    wrong: Any = None

    def some(value: Any) -> Any:  # which the type checker would refuse
        return value

    for make, message in (
        (lambda: invariance(len, some([1])), "is not a strategy"),
        (lambda: direction(len, number, wrong), "should be up, down, a mapping or a function"),
        (lambda: run(preference(len, number)), "is not of the type Pair: give it pairs"),
        (lambda: run(invariance(len, licensed_pairs(only))), "is not of the type Edit: give it"),
        (lambda: run(preference(lambda _: wrong, licensed_pairs(only))), "gave None for a text"),
        (lambda: edits(only, some(5)), "should be a name or a function"),
        (lambda: run(invariance(len, edits(only, lambda _: wrong))), "and not a text"),
        (lambda: edits(some("npi/only"), "N1"), "merula.load reads one"),
        (lambda: edits(only, "N1", where=some({"N2": 5})), "should be a text"),
        (lambda: edits(only, "N1", where=some("N2")), "should be a mapping"),
        (lambda: edits(only, "N1", where={"N2": []}), "names no value"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            make()
    assert list(codes(lambda: edits(only, "N1", design="nay"))) == ["M610"]


class TestInAClass:
    """Properties are functions, so a class holds them as static methods."""

    test_words = staticmethod(
        settings(max_examples=5, database=None)(
            invariance(words, edits(merula.load("npi/only"), "N1.number", design="any"))
        )
    )
