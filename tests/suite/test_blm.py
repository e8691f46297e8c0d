"""The packaged matrices: what they show, what they break, that they do not give themselves away.

Sentences are parsed back with the grammar. A sample is parsed by every run of the tests; with
`MERULA_THOROUGH=1` all sentences of 10,000 instances of each problem are, which takes minutes.
"""

from __future__ import annotations

import csv
import os
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

import merula
from merula.audit.corpus import Corpus, Matrix, Place
from merula.audit.findings import Settings
from merula.audit.probes.solvers import solve
from merula.audit.view import View
from merula.compiler.answer_sets import answer_sets_of
from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.compiler.examples import ExampleParser
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.grammar.model import CORRECT, Grammar
from merula.grammar.program import read_grammar
from merula.lexicon.surface import load_surface
from merula.rows.maker import RowChoice, RowMaker

ROOT = Path(__file__).resolve().parents[2]
GRAMMARS = ROOT / "grammars" / "blm"
PROBLEMS = sorted(path.stem for path in GRAMMARS.glob("*.merula"))
LANGUAGES = ("fr", "en", "it", "es")
THOROUGH = "MERULA_THOROUGH" in os.environ
INSTANCES = 10_000  # of each problem, over all of its matrices
BALANCED = [
    *((f"agreement_{language}", ("balanced",)) for language in LANGUAGES),
    ("spray_load_balanced", ("alt_atl", "atl_alt")),
    ("causative_it", ("balanced",)),
    ("object_drop_it", ("balanced",)),
]
BLIND = ("edits", "letters", "places", "words", "bigrams", "slots", "length", "common", "position")


@cache
def compiled(problem: str) -> Compiled:
    report = Report()
    source = read_grammar(f"blm/{problem}", report)
    assert source is not None
    found = compile_source(source, report=report)
    assert [p.render() for p in found.problems] == []
    return found


def grammar(problem: str) -> Grammar:
    found = compiled(problem).grammar
    assert found is not None
    return found


def rows(problem: str, number: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """So many instances of a problem, taken from all of its matrices alike, as rows."""
    found = compiled(problem)
    each = -(-number // len(found.designs))
    for design in found.designs.values():
        maker = RowMaker(found, design, RowChoice(min(each, design.count), seed))
        for batch in maker.batches():
            yield from batch.to_pylist()


# --- what is there ------------------------------------------------------------------------------


def test_all_problems_are_there_and_short() -> None:
    assert [
        *sorted(f"agreement_{language}" for language in LANGUAGES),
        "causative_it", "object_drop_it", "spray_load", "spray_load_balanced", "spray_load_seed",
    ] == PROBLEMS  # fmt: skip
    for path in GRAMMARS.rglob("*.merula"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60, path
    for language in LANGUAGES:  # all that a language adds beside its tables
        assert len((GRAMMARS / f"agreement_{language}.merula").read_text().splitlines()) <= 10


@pytest.mark.parametrize(
    ("problem", "counts"),
    [
        ("spray_load", {"alt_atl": 3750, "atl_alt": 3750}),
        ("spray_load_seed", {"passive": 3750, "active": 3750}),
        ("spray_load_balanced", {"alt_atl": 3750, "atl_alt": 3750}),
        ("causative_it", {"verbs": 2430, "balanced": 6 * 2430}),
        ("object_drop_it", {"verbs": 2430, "balanced": 6 * 2430}),
    ],
)
def test_counts(problem: str, counts: dict[str, int]) -> None:
    assert {name: design.count for name, design in compiled(problem).designs.items()} == counts


@pytest.mark.parametrize("language", LANGUAGES)
def test_agreement_has_24_variants_of_every_set_and_clause(language: str) -> None:
    with (ROOT / "lexicons" / language / "agreement.tsv").open(encoding="utf-8") as file:
        sets = len(list(csv.DictReader(file, delimiter="\t")))
    assert sets >= (40 if language != "es" else 20)
    for design in compiled(f"agreement_{language}").designs.values():
        assert design.count == 24 * 3 * sets


def test_every_alternating_verb_has_its_fillers() -> None:
    wanted = {
        "en/blm/spray_load.tsv": {"agent": 5, "theme": 5, "location": 5},
        "it/blm/causative.tsv": {"agent": 3, "patient": 3, "adjunct": 3, "da_adjunct": 3},
        "it/blm/object_drop.tsv": {"agent": 3, "patient": 3, "adjunct": 3, "da_adjunct": 3},
    }
    for name, fillers in wanted.items():
        with (ROOT / "lexicons" / name).open(encoding="utf-8") as file:
            table = list(csv.DictReader(file, delimiter="\t"))
        verbs = [row["lemma"] for row in table if row["category"] == "verb"]
        assert len(verbs) == len(set(verbs)) == 30
        fit = Counter(
            (verb, row["category"])
            for row in table
            if row["category"] != "verb"
            for verb in row["scene"].split(" | ")
        )
        assert fit == {(verb, c): n for verb in verbs for c, n in fillers.items()}


def test_the_example_of_the_seed_paper() -> None:
    """Il vaso con i fiori del giardino: its context and its answers, WN1 put right."""
    grammar = merula.load("blm/agreement_it")
    design = grammar["six"]
    wanted = [
        "Il vaso con il fiore si è rotto.",
        "I vasi con il fiore si sono rotti.",
        "Il vaso con i fiori si è rotto.",
        "I vasi con i fiori si sono rotti.",
        "Il vaso con il fiore del giardino si è rotto.",
        "I vasi con il fiore del giardino si sono rotti.",
        "Il vaso con i fiori del giardino si è rotto.",
    ]
    (found,) = (
        instance
        for instance in map(design.__getitem__, range(design.count()))
        if [sentence.text for sentence in instance.context] == wanted
    )
    assert {answer.label: answer.text for answer in found.answers} == {
        "Correct": "I vasi con i fiori del giardino si sono rotti.",
        "AE": "I vasi con i fiori del giardino si è rotto.",
        "WN1": "I vasi con il fiore del giardino si sono rotti.",
        "WN2": "I vasi con i fiori dei giardini si sono rotti.",
        "WNA": "I vasi con i fiori del giardino della villa si sono rotti.",
        "Coord": "I vasi con i fiori e il giardino si sono rotti.",
    }
    broken = {answer.label: answer.broken for answer in found.answers}
    assert broken["Correct"] == ()
    assert broken["AE"] == ("E agreement", "I attraction")
    assert broken["WN1"] == ("I n1.number",)
    assert all(rule.startswith("R ") for name in ("WN2", "WNA", "Coord") for rule in broken[name])


def test_verbs_that_show_no_number_are_caught(tmp_path: Path) -> None:
    """``will fall`` has one form: its set is left out, and a warning names it."""
    text = (ROOT / "lexicons" / "en" / "agreement.tsv").read_text(encoding="utf-8")
    head, first, *rest = text.splitlines()
    cells = first.split("\t")
    names = head.split("\t")
    for form in ("verb.sg", "verb.pl"):
        cells[names.index(form)] = "will fall"
    table = "\n".join([head, "\t".join(cells), *rest])
    source = Source(
        "will.merula",
        'phenomenon will\nlanguage en\nimport "blm/shared/agreement.merula" with designs\n'
        'lexicon sets "will.tsv"\n',
        tmp_path / "will.merula",
    )
    found = compile_source(source, tables={"will.tsv": table})
    assert {p.code for p in found.problems} == {"M420"}
    assert all(cells[0] in p.render() for p in found.problems)
    assert found.designs["six"].count == compiled("agreement_en").designs["six"].count - 72


# --- what the answers break ---------------------------------------------------------------------


def test_the_three_errors_of_agreement_are_three() -> None:
    """AE_V agrees with no attractor, AE_N1 with the first alone, AE_N2 with the second alone."""
    for row in rows("agreement_en", 3_000):
        if row["design"] != "eight":
            continue
        at = dict(zip(row["labels"], row["answer_templates"], strict=True))
        numbers = {
            name: {
                piece.partition("[")[0]: piece.partition("[")[2][:2]
                for piece in template.replace(" pp", "").replace(" coord", "").split()
            }
            for name, template in at.items()
        }
        for name, same in (("AE_V", ()), ("AE_N1", ("n1",)), ("AE_N2", ("n2",))):
            own = numbers[name]
            agreeing = [n for n in ("subj", "n1", "n2") if own.get(n) == own["verb"]]
            assert agreeing == list(same), (name, at[name])


@pytest.mark.parametrize("problem", PROBLEMS)
def test_wrong_answers_are_wrong_and_unlike(problem: str) -> None:
    """No two answers of an instance are one sentence; the right one breaks nothing."""
    for row in rows(problem, INSTANCES, seed=1):
        assert len(set(row["answers"])) == len(row["answers"])
        assert row["labels"][row["correct"]] == CORRECT
        for label, letter, broken in zip(row["labels"], row["classes"], row["broken"], strict=True):
            assert bool(broken) == (label != CORRECT) == bool(letter)
        assert row["answers"][row["correct"]] not in row["context"]


@cache
def sentences(problem: str) -> dict[str, set[tuple[str, ...]]]:
    """All sentences of 10,000 instances, with the rules that each is said to break itself."""
    found: dict[str, set[tuple[str, ...]]] = {}
    rules = {str(rule) for rule in grammar(problem).rules}
    for row in rows(problem, INSTANCES, seed=2):
        for text in row["context"]:
            found.setdefault(text, set()).add(())
        for text, broken in zip(row["answers"], row["broken"], strict=True):
            found.setdefault(text, set()).add(tuple(rule for rule in broken if rule in rules))
    return found


@pytest.mark.parametrize("problem", PROBLEMS)
def test_sentences_are_parsed_back(problem: str) -> None:
    """Each sentence has a reading that breaks what the data say, and none that contradicts it.

    A sentence with a wrong contraction or elision has no reading; one with a wrong agreement has
    none that breaks nothing.
    """
    found = compiled(problem)
    rules = {str(rule) for rule in grammar(problem).rules}
    parser = ExampleParser([p for d in found.designs.values() for p in d.plans], found.surface)
    every = sorted(sentences(problem).items())
    random.Random(3).shuffle(every)
    for text, said in every if THOROUGH else islice(every, 150):
        read = [
            tuple(rule for rule in cell.broken if rule in rules)
            for _, cell in parser.readings(text)
        ]
        assert said <= set(read), text
        external = {bool([rule for rule in broken if rule[0] == "E"]) for broken in read}
        assert len(external) == 1, (text, read)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_sentences_are_written_by_the_rules_of_their_language(problem: str) -> None:
    """Written once more by the surface rules, no sentence changes."""
    language = grammar(problem).language
    path = ROOT / "lexicons" / language / "surface.toml"
    surface = load_surface(path.read_text(encoding="utf-8"))
    for text in sentences(problem):
        lowered = text[:1].lower() + text[1:]
        again = surface.finish(surface.settle(lowered.removesuffix(".")))
        assert again == text
        words = text.lower().rstrip(".").split()
        assert all(a != b for a, b in pairwise(words)), text


# --- what is given away -------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "designs"), BALANCED)
def test_balanced_sets_are_solved_by_nobody_who_is_blind(
    problem: str, designs: tuple[str, ...]
) -> None:
    found = compiled(problem)
    matrices: list[Matrix] = []
    for name in designs:
        maker = RowMaker(found, found.designs[name], RowChoice(1_500, 4))
        for row in (row for batch in maker.batches() for row in batch.to_pylist()):
            matrices.append(
                Matrix(
                    tuple(row["context"]),
                    tuple(row["answers"]),
                    tuple(row["labels"]),
                    (row["correct"],),
                    problem,
                    "",
                    "",
                    Place(problem, len(matrices)),
                    broken=tuple(map(tuple, row["broken"])),
                    context_templates=tuple(row["context_templates"]),
                    answer_templates=tuple(row["answer_templates"]),
                )
            )
    solved = {p.probe: p for p in solve(View(Corpus(matrices=tuple(matrices))), Settings())}
    chance = 1 / len(matrices[0].answers)
    for name in BLIND:
        assert solved[name].accuracy <= chance + 0.03, (name, solved[name].accuracy)
    answers = answer_sets_of(found)[designs[0]]
    assert answers.grammar == (0.25 if problem.startswith("agreement") else 0.5)
    assert answers.classes["E"] == answers.classes["R"] == 0.5
    assert solved["grammar"].accuracy == pytest.approx(answers.grammar)
    assert solved["unseen"].accuracy <= 0.5
    assert solved["learned"].accuracy <= answers.grammar + 0.03


def test_published_sets_give_the_right_answer_away() -> None:
    """Single edits have a centre; the audit says so."""
    found = compiled("agreement_fr")
    maker = RowMaker(found, found.designs["six"], RowChoice(500, 4))
    matrices = [
        Matrix(
            tuple(row["context"]), tuple(row["answers"]), tuple(row["labels"]),
            (row["correct"],), "six", "", "", Place("six", i),
        )
        for i, row in enumerate(r for batch in maker.batches() for r in batch.to_pylist())
    ]  # fmt: skip
    solved = {p.probe: p for p in solve(View(Corpus(matrices=tuple(matrices))), Settings())}
    assert solved["edits"].accuracy == 1.0
    assert solved["edits"].leaks(Settings())
