"""Strategies: any draw is an instance of the grammar, and what is reported is the plainest one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, example, given, seed, settings
from hypothesis import strategies as st

import merula
from merula.compiler.examples import ExampleParser
from merula.core.diagnostics import MerulaError
from merula.core.resources import folder
from merula.plan import wishes as chooser
from merula.plan.wishes import Chooser
from merula.query.narrowing import Restriction, narrowed, plainest
from merula.query.occurrences import occurrence
from merula.strategies import (
    Occurrence,
    Pair,
    answers,
    grammars,
    matrices,
    pairs,
    paradigms,
    sentences,
)
from random_grammars import compiled_grammar, examples

NPI, BLM = "npi/only", "blm/agreement_en"


@pytest.fixture(scope="module")
def only() -> merula.Grammar:
    return merula.load(NPI)


@pytest.fixture(scope="module")
def agreement() -> merula.Grammar:
    return merula.load(BLM)


def drawn(strategy: st.SearchStrategy[Any], number: int = 60) -> list[Any]:
    """Some draws, as many as are asked for: none is filtered out."""
    found: list[Any] = []

    @settings(max_examples=number, database=None, derandomize=True, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def refused(make: Callable[[], object]) -> str:
    with pytest.raises(MerulaError) as raised:
        make()
    (problem,) = raised.value.problems
    return problem.code


# --- choosing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["npi/superlatives", "blm/spray_load", "blm/causative_it"])
def test_any_wishes_give_a_combination_and_each_is_given_by_some(name: str) -> None:
    grammar = merula.load(name)
    random = np.random.default_rng(3)
    for design in grammar:
        for plan in grammar[design]._design.plans[:4]:
            sizes = plan.space.sizes
            chooser = Chooser(plan.space, [range(size) for size in sizes])
            for _ in range(60):
                wishes = [int(random.integers(size)) for size in sizes]
                chosen = chooser.choose(wishes)
                assert plan.space.contains(chosen)
                assert chooser.choose(chosen) == chosen
                if plan.space.contains(wishes):
                    assert chosen == tuple(wishes)


def test_what_is_kept_of_a_choice_changes_nothing(
    only: merula.Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = only["any"]._design.plans[0]
    random = np.random.default_rng(0)
    wishes = [[int(random.integers(size)) for size in plan.space.sizes] for _ in range(40)]
    order = [range(size) for size in plan.space.sizes]
    kept = Chooser(plan.space, order)
    monkeypatch.setattr(chooser, "MAX_ROWS_KEPT", 1)
    assert [kept.choose(own) for own in wishes] == [
        Chooser(plan.space, order).choose(own) for own in wishes
    ]
    few = Chooser(plan.space, order)
    assert [kept.choose(own) for own in wishes] == [few.choose(own) for own in wishes]
    assert max(len(step.fine) for step in few.steps) == 1


@given(st.data())
@examples(60)
def test_the_same_of_random_grammars(data: st.DataObject) -> None:
    """All combinations of a small space are given by some wishes, and nothing else is."""
    found = compiled_grammar(data.draw(grammars()))
    for design in found.designs.values():
        for plan in design.plans[:3]:
            sizes = plan.space.sizes
            if not plan.space.count or np.prod(sizes) > 500:
                continue
            chooser = Chooser(plan.space, [range(size)[::-1] for size in sizes])
            given_ = {chooser.choose(wishes) for wishes in np.ndindex(*sizes)}
            there = {plan.space.unrank_one(i) for i in range(plan.space.count)}
            assert given_ == there


# --- what is drawn -----------------------------------------------------------------------------


def test_sentences_stand_in_their_instances(only: merula.Grammar) -> None:
    compiled_ = only._compiled
    assert compiled_.grammar is not None
    found = drawn(sentences(only))
    assert len(found) == 60
    for sentence in found:
        cells = {cell.label: cell for cell in sentence.instance.cells}
        own = cells[sentence.label]
        assert (own.text, own.acceptable, own.broken) == (
            sentence.text,
            sentence.acceptable,
            sentence.broken,
        )
        assert only[sentence.design][sentence.address].cells[0].text
    assert len({sentence.text for sentence in found}) > 40
    assert {sentence.acceptable for sentence in found} == {True, False}
    assert {sentence.design for sentence in found} == {"ever", "any"}


PACKAGED = [
    path.relative_to(folder("grammars")).with_suffix("").as_posix()
    for path in sorted(folder("grammars").glob("*/*.merula"))
]


@pytest.mark.parametrize("name", PACKAGED)
def test_sentences_are_parsed_back(name: str) -> None:
    """The grammar builds each sentence, and breaks the same rules in it."""
    grammar = merula.load(name)
    for design in grammar:
        parser = ExampleParser(grammar[design]._design.plans, grammar._compiled.surface)
        for sentence in drawn(sentences(grammar, design=design), 20):
            readings = [cell for _, cell in parser.readings(sentence.text)]
            said = [(cell.acceptable, cell.broken) for cell in readings]
            assert (sentence.acceptable, sentence.broken) in said, sentence


@given(st.data())
@examples(40)
def test_sentences_of_random_grammars_are_parsed_back(data: st.DataObject) -> None:
    grammar = data.draw(grammars()).compile()
    try:
        strategy = sentences(grammar)
    except MerulaError:
        return  # a grammar without a design, or whose designs have no instance
    sentence = data.draw(strategy)
    parser = ExampleParser(grammar[sentence.design]._design.plans, grammar._compiled.surface)
    readings = [cell for _, cell in parser.readings(sentence.text)]
    assert (sentence.acceptable, sentence.broken) in [(c.acceptable, c.broken) for c in readings]


def test_pairs_differ_in_what_they_say(only: merula.Grammar) -> None:
    for pair in drawn(pairs(only, contrast="licensor")):
        assert isinstance(pair, Pair)
        assert pair.good.acceptable
        assert not pair.bad.acceptable
        assert pair.good.address == pair.bad.address
        different = {n for n, x in pair.good.factors.items() if pair.bad.factors[n] != x}
        assert different == {"licensor"} == {pair.contrast}
    assert {pair.contrast for pair in drawn(pairs(only, design="any"))} == {
        "licensor",
        "any",
        "licensor.site",
    }


def test_whole_instances(only: merula.Grammar, agreement: merula.Grammar) -> None:
    for paradigm in drawn(paradigms(only), 20):
        assert len(paradigm.cells) == 8
        assert paradigm == only[paradigm.design][paradigm.address]
    for matrix in drawn(matrices(agreement, design="eight"), 20):
        assert (len(matrix.context), len(matrix.answers)) == (7, 8)


def test_answers_break_what_is_asked(agreement: merula.Grammar) -> None:
    for answer in drawn(answers(agreement, breaks="E agreement"), 30):
        assert answer.role == "answer"
        assert "E agreement" in answer.broken
    for answer in drawn(answers(agreement, breaks="R", design="balanced"), 30):
        assert any(rule.startswith("R") for rule in answer.broken)


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ({"licensor": "yes", "ever": "yes"}, lambda s: s.factors["licensor"] == "yes"),
        ({"scope.ever": "out"}, lambda s: s.scopes["ever"] == "out"),
        ({"cell": "yes yes upper"}, lambda s: s.label == "yes yes upper"),
        ({"frame": "before"}, lambda s: s.instance.frame == "before"),
        ({"N1.number": "pl"}, lambda s: s.instance.choices["N1.number"] == "pl"),
        (
            {"N1": ("teacher", "senator")},
            lambda s: s.instance.lexemes["N1"] in ("teacher", "senator"),
        ),
        ({"V1.frame": "transitive"}, lambda s: "V1" in s.instance.lexemes),
    ],
)
def test_what_is_asked_for_holds(
    only: merula.Grammar, where: Any, holds: Callable[[Occurrence], bool]
) -> None:
    found = drawn(sentences(only, design="ever", where=where), 25)
    assert len(found) == 25
    assert all(map(holds, found))


def test_acceptability_can_be_asked_for(only: merula.Grammar) -> None:
    for wanted in (True, False):
        assert {s.acceptable for s in drawn(sentences(only, acceptable=wanted), 25)} == {wanted}


def test_designs_without_what_is_asked_are_left_out(only: merula.Grammar) -> None:
    """Only one of the designs has a factor of that name."""
    assert {s.design for s in drawn(sentences(only, where={"any": "yes"}), 30)} >= {"any"}


def test_what_is_not_there(only: merula.Grammar, agreement: merula.Grammar) -> None:
    assert refused(lambda: sentences(only, where={"N1.nubmer": "pl"})) == "M750"
    assert refused(lambda: sentences(only, where={"N1": "blackbird"})) == "M751"
    assert refused(lambda: sentences(only, where={"licensor": "maybe"})) == "M751"
    assert refused(lambda: pairs(only, contrast="N1")) == "M751"
    assert refused(lambda: pairs(agreement)) == "M751"
    assert refused(lambda: matrices(only)) == "M751"
    assert refused(lambda: answers(agreement, breaks="X")) == "M751"


# --- what is reported --------------------------------------------------------------------------


class Fault(Exception):
    """What a test meets."""


def shrunk(strategy: st.SearchStrategy[Any], fault: Callable[[Any], bool], number: int = 0) -> Any:
    """The example that Hypothesis reports for a fault."""
    last: list[Any] = []

    @seed(number)
    @settings(max_examples=3000, database=None, report_multiple_bugs=False)
    @given(strategy)
    def test(value: Any) -> None:
        if fault(value):
            last.append(value)
            raise Fault

    with pytest.raises(Fault):
        test()
    return last[-1]


def plainest_of(
    grammar: merula.Grammar, design: str, fault: Callable[[Occurrence], bool]
) -> tuple[Any, ...]:
    """By brute force: the first plan, cell and lexemes, in the order of plainness."""
    for narrow in narrowed(grammar[design]._design):
        ranks = [
            {candidate: rank for rank, candidate in enumerate(plainest(slot))}
            for slot in narrow.plan.slots
        ]
        for place in narrow.cells:
            found = [
                key
                for key, sentence in _all(grammar, design, narrow, place, ranks)
                if fault(sentence)
            ]
            if found:
                return narrow.number, place, min(found)
    raise AssertionError("nothing is at fault")


def _all(
    grammar: merula.Grammar,
    design: str,
    narrow: Restriction,
    place: int,
    ranks: list[dict[int, int]],
) -> Iterator[tuple[tuple[int, ...], Any]]:
    own = grammar[design]
    for address in range(narrow.plan.space.count):
        chosen = narrow.plan.space.unrank_one(address)
        key = tuple(rank[c] for rank, c in zip(ranks, chosen, strict=True))
        yield key, occurrence(own, narrow, place, chosen)


def _key(sentence: Occurrence) -> tuple[Any, ...]:
    assert isinstance(sentence._of, tuple)
    _, narrow, chosen = sentence._of
    ranks = [plainest(slot) for slot in narrow.plan.slots]
    labels = [cell.cell.label for cell in narrow.plan.cells]
    roles = [cell.cell.role for cell in narrow.plan.cells]
    place = next(
        i
        for i, (label, role) in enumerate(zip(labels, roles, strict=True))
        if (label, role) == (sentence.label, sentence.role)
    )
    key = tuple(rank.index(c) for rank, c in zip(ranks, chosen, strict=True))
    return narrow.number, place, key


TOY = """phenomenon toy
language en
lexicon noun "nouns.csv"
lexicon verb "verbs.csv"
lexicon adverb "adverbs.csv"
objects
  subj : noun (number)
  attr : noun (number)
  verb : verb (number)
  adv? : adverb
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
select
  subj, attr differ
frames
  plain = "the" subj "near the" attr adv verb
  asked = "why" adv verb "the" subj "near the" attr
paradigm agree = subj.number × verb.number × attr.number
  in plain | asked varying adv (present | absent)
"""
NOUNS = "lemma,sg,pl,band\nfox,fox,foxes,5\ncat,cat,cats,6\nturtle,turtle,turtles,4\nox,ox,oxen,3\n"
ADVERBS = "lemma,band\nnow,6\nseldom,3\n"
VERBS = "lemma,sg,pl,band\nsleep,sleeps,sleep,5\nrun,runs,run,6\nmeditate,meditates,meditate,2\n"

TABLES = {"nouns.csv": NOUNS, "verbs.csv": VERBS, "adverbs.csv": ADVERBS}

FAULTS: dict[str, Callable[[Occurrence], bool]] = {
    # a lexeme
    "turtle": lambda s: "turtle" in s.text,
    "oxen": lambda s: "oxen" in s.text,
    "meditate": lambda s: "meditate" in s.text,
    "seldom": lambda s: "seldom" in s.text,
    "two lexemes": lambda s: "fox" in s.text and "meditate" in s.text,
    "two forms": lambda s: "cats" in s.text and "runs" in s.text,
    "two in their order": lambda s: "turtle near the ox" in s.text,
    # a feature value
    "plural subject": lambda s: s.factors["subj.number"] == "pl",
    "singular verb": lambda s: s.factors["verb.number"] == "sg",
    "question": lambda s: s.text.startswith("Why"),
    "optional object": lambda s: s.instance.choices["adv"] == "present",
    "unacceptable": lambda s: not s.acceptable,
    # a combination
    "plural verb, singular subject": lambda s: s.label.startswith("sg pl"),
    "attraction": lambda s: (
        s.factors["verb.number"] == s.factors["attr.number"] and not s.acceptable
    ),
    "all plural": lambda s: set(s.factors.values()) == {"pl"},
    "rule and lexeme": lambda s: "E agreement" in s.broken and "cat" in s.text,
    "question of an ox": lambda s: s.text.startswith("Why") and "ox" in s.text.split(),
    # a length
    "letters": lambda s: len(s.text) > 30,
    "few letters": lambda s: len(s.text) < 26,
    "words": lambda s: len(s.text.split()) > 6,
}


def test_the_plainest_plans_go_first() -> None:
    """The first frame, then the fewest words; the grammar has `present` before `absent`."""
    grammar = merula.compile(TOY, tables=TABLES)
    plans = [narrow.plan.variant for narrow in narrowed(grammar["agree"]._design)]
    found = [(plan.frame.name, dict(plan.choices)["adv"]) for plan in plans]
    assert found == [(f, adv) for f in ("plain", "asked") for adv in ("absent", "present")]


def test_faults_are_shrunk_to_the_plainest_example() -> None:
    """All but one in twenty: to change the cell and a lexeme at once is more than shrinking tries.

    How Hypothesis shrinks changes now and then, so that some more may be missed here.
    """
    grammar = merula.compile(TOY, tables=TABLES)
    strategy = sentences(grammar)
    best = {name: plainest_of(grammar, "agree", fault) for name, fault in FAULTS.items()}
    missed = [
        (name, number)
        for number in range(5)
        for name, fault in FAULTS.items()
        if _key(shrunk(strategy, fault, number)) != best[name]
    ]
    assert len(FAULTS) == 20
    assert len(missed) <= 8, missed


def test_what_is_reported_says_where_it_is_from(only: merula.Grammar) -> None:
    sentence = shrunk(sentences(only, design="any"), lambda s: not s.acceptable)
    said = repr(sentence)
    assert said == f"<any[{sentence.address}] {sentence.label!r}: *{sentence.text}>"
    again = only["any"][sentence.address]
    assert sentence.text in [cell.text for cell in again.cells]


def test_examples_of_ones_own_go_first(only: merula.Grammar) -> None:
    own = drawn(sentences(only), 1)[0]
    seen = []

    @settings(max_examples=2, database=None)
    @example(own)
    @given(sentences(only))
    def test(sentence: Occurrence) -> None:
        seen.append(sentence)

    test()
    assert seen[0] is own


RUN = """
import merula
from hypothesis import HealthCheck, example, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from merula.strategies import pairs, sentences

only = merula.load("npi/only")
settings.register_profile(  # that of no machine: on some Hypothesis has no database
    "any",
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=False,
    database=DirectoryBasedExampleDatabase("examples"),
)
settings.load_profile("any")
own = only["any"][0].cells[0]


@given(sentences(only, design="any", where={"licensor": "yes"}))
def test_short(sentence):
    print(sentence.text, file=open("seen.txt", "a"))
    assert len(sentence.text) < 60


@example(own)
@settings(max_examples=1)
@given(sentences(only, design="any"))
def test_example(sentence):
    assert sentence is not own


@given(pairs(only, contrast="licensor"))
def test_pairs(pair):
    assert pair.good.acceptable and not pair.bad.acceptable
"""


def test_with_pytest_xdist_the_database_and_examples(tmp_path: Path) -> None:
    (tmp_path / "test_run.py").write_text(RUN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*more: str) -> str:
        (tmp_path / "seen.txt").unlink(missing_ok=True)
        ran = subprocess.run(
            [*command, *more],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "2 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
        return ran.stdout

    first = run("-n", "2")
    assert re.search(r"test_short\(\n.*sentence=<any\[\d+\] 'yes", first)
    assert "explicit example: test_example(" in first
    last = (tmp_path / "seen.txt").read_text().splitlines()[-1]
    again = run()
    assert last in again
    assert (tmp_path / "seen.txt").read_text().splitlines()[0] == last  # kept in the database


def test_without_hypothesis_the_command_that_installs_it_is_named() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import merula.strategies"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode
    assert "pip install 'merula[strategies]'" in ran.stderr
