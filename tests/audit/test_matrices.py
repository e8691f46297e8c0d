"""``merula audit`` of matrices: readers, checks of answer sets, solvers, claims of rules.

The published data are not part of the project; without them their tests are skipped.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from audited import ROOT, found, rows_found
from merula.audit import Audit, Matrix, Reading, Settings, audit, read_corpus
from merula.audit.checks import answer_claims as matrix_claims
from merula.audit.checks.answer_sets import chi_square_tail
from merula.audit.corpus import Corpus, Place
from merula.audit.probes.answer_scores import bags, credit, distance, edits, places
from merula.audit.probes.solvers import SOLVERS, grammatical
from merula.cli import main
from merula.core.diagnostics import MerulaError
from merula.data.manifests.suite import MatrixRecord, SuiteManifest
from merula.lexicon.surface import Surface, load_surface
from published_blm import AS_PUBLISHED, BLM, needs_published

Row = dict[str, Any]
FORMS = ("", "matrices", "blm", "blm-first", "genbench", "xy")


def surface(language: str) -> Surface:
    return load_surface((ROOT / f"lexicons/{language}/surface.toml").read_text(encoding="utf-8"))


FRENCH = surface("fr")

# --- a design by hand: eight items, subject and two attractors ------------------------------------

SETS = (
    ("key", "cabinet", "museum", "shines"),
    ("book", "table", "garden", "falls"),
    ("letter", "boss", "factory", "matters"),
    ("road", "bridge", "village", "ends"),
    ("house", "hill", "farm", "burns"),
    ("cup", "shelf", "kitchen", "breaks"),
)  # fmt: skip
Values = tuple[str, str, str, str]  # of subject, attractor 1, attractor 2, verb
OTHER = {"sg": "pl", "pl": "sg"}


def sentence(nouns: Sequence[str], values: Values) -> str:
    def number(noun: str, value: str) -> str:
        return f"{noun}s" if value == "pl" else noun

    subject, one, two, verb = (number(n, v) for n, v in zip(nouns, values, strict=True))
    second = "" if values[2] == "absent" else f" of the {two}"
    verb = nouns[3] if values[3] == "sg" else nouns[3].removesuffix("s")
    return f"The {subject} by the {one}{second} {verb}."


def template(values: Values) -> str:
    names = ("subj", "n1", "n2", "verb")
    pairs = zip(names, values, strict=True)
    return " ".join(f"{name}[{value}]" for name, value in pairs if value != "absent")


def crossed(third: bool) -> list[Row]:
    """Matrices as Merula writes them: answers cross edits of V, N1 and N2 of the right answer.

    N2 gets its third value, which the matrix never shows, or else the other one that it shows.
    """
    rows: list[Row] = []
    pairs = tuple(product(("absent", "sg", "pl"), repeat=2))
    for nouns, start, first, two in product(SETS, OTHER, OTHER, pairs):
        if two[0] == two[1]:
            continue
        numbers = [start, OTHER[start]] * 4
        ones = ([first] * 2 + [OTHER[first]] * 2) * 2
        twos = [two[0]] * 4 + [two[1]] * 4
        items: list[Values] = list(zip(numbers, ones, twos, numbers, strict=True))
        subject, one, last, verb = items[-1]
        other = next(v for v in ("absent", "sg", "pl") if v not in two) if third else two[0]
        answers = []
        for v, n1, n2 in product((0, 1), repeat=3):
            edited = (
                subject,
                OTHER[one] if n1 else one,
                other if n2 else last,
                OTHER[verb] if v else verb,
            )
            broken = ["E agreement"] * v + ["I n1.number"] * n1 + ["R n2"] * n2
            label = "+".join(n for n, on in (("AE", v), ("WN1", n1), ("WN2", n2)) if on)
            answers.append((sentence(nouns, edited), label or "Correct", broken, template(edited)))
        at = len(rows) % 8
        answers = answers[8 - at :] + answers[: 8 - at]
        rows.append(
            {
                "address": str(len(rows)),
                "design": "agr",
                "context": [sentence(nouns, item) for item in items[:-1]],
                "answers": [text for text, _, _, _ in answers],
                "correct": at,
                "labels": [label for _, label, _, _ in answers],
                "classes": [broken[0][0] if broken else "" for _, _, broken, _ in answers],
                "broken": [broken for _, _, broken, _ in answers],
                "context_templates": [template(item) for item in items[:-1]],
                "answer_templates": [text for _, _, _, text in answers],
                "lexemes": {"set": nouns[0], "verb=sg": "s"},
            }
        )
    return rows


BALANCED, SHOWN = crossed(third=True), crossed(third=False)


def write_jsonl(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def flat(value: Any, name: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for n, x in value.items() for k, v in flat(x, f"{name}.{n}").items()}
    if isinstance(value, list) and name == "broken":
        return {f"{name}.{n}": "; ".join(x) for n, x in enumerate(value)}
    if isinstance(value, list):
        return {f"{name}.{n}": x for n, x in enumerate(value)}
    return {name: value}


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    flattened = [{k: v for n, x in row.items() for k, v in flat(x, n).items()} for row in rows]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(flattened[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(flattened)
    return path


def write_parquet(path: Path, rows: Sequence[Row]) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def matrix(
    *answers: str, context: Sequence[str] = ("A b.",), right: int = 0, **more: Any
) -> Matrix:
    found_ = Matrix(tuple(context), answers, (), (right,), "", "", "", Place("a.csv", 2))
    return found_._replace(**more)


def corpus(*matrices: Matrix, language: str = "en") -> Corpus:
    own = [m._replace(place=Place("a.csv", row)) for row, m in enumerate(matrices, start=2)]
    return Corpus(matrices=tuple(own), language=language)


def audited(data: Corpus, **settings: Any) -> Audit:
    return audit(data, Settings(**settings), surface=surface(data.language))


def read(tmp_path: Path, rows: Sequence[Row], name: str = "agr.jsonl") -> Corpus:
    return read_corpus([write_jsonl(tmp_path / name, rows)])


def reached(report: Audit) -> dict[str, float]:
    return {probed.probe: probed.accuracy for probed in report.probes}


def leaks(report: Audit) -> list[str]:
    return [probed.probe for probed in report.probes if report.leaks(probed)]


# --- readers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.jsonl", write_jsonl), ("a.csv", write_csv), ("a.parquet", write_parquet)],
)
def test_own_matrices_read_the_same_from_all_files(
    tmp_path: Path, name: str, write: Callable[[Path, Sequence[Row]], Path]
) -> None:
    data = read_corpus([write(tmp_path / name, BALANCED[:8])])
    assert data.files == ((str(tmp_path / name), "matrices"),)
    for row, one in zip(BALANCED, data.matrices, strict=False):
        assert list(one.context) == row["context"]
        assert list(one.answers) == row["answers"]
        assert list(one.labels) == row["labels"]
        assert [list(rules) for rules in one.broken] == row["broken"]
        assert list(one.answer_templates) == row["answer_templates"]
        assert one.correct == row["correct"]
        assert one.lexemes == (row["lexemes"]["set"],)
        assert (one.part, one.design) == ("a", "agr")


KEYS = """phenomenon keys
language fr
lexicon sets "keys.csv"
objects
  subj  : NP (number)
  attr? : PP (number)
  verb  : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj attr verb
matrix six = 6 items in clause
  subj.number cycles 2 of sg | pl     every 1
  attr        cycles absent | sg | pl every 2
answers
  AE  breaks E agreement:   flip verb.number
  WN1 breaks R attr.number: flip attr.number
  WNA breaks R attr:        drop attr
"""
NOUNS = "ami chat clerc frère guide juge pilote voisin".split()
TABLE = "\n".join(
    [
        "set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl",
        *(f"{n},le {n},les {n}s,de le {n[1:]},de les {n[1:]}s,{n}t,{n}nt" for n in NOUNS),
    ]
)


def keys(tmp_path: Path) -> Path:
    (tmp_path / "keys.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "keys.merula").write_text(KEYS, encoding="utf-8")
    return tmp_path / "keys.merula"


def generated(folder: Path, *options: str) -> Corpus:
    grammar = str(keys(folder.parent))
    arguments = ["generate", grammar, "-n", "5", "--out", str(folder), "-q", *options]
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    return read_corpus([folder])


def test_what_merula_generates_is_read_in_every_format(tmp_path: Path) -> None:
    formats = {f: generated(tmp_path / f, "--format", f) for f in ("parquet", "csv", "jsonl")}
    for data in formats.values():
        assert data.language == "fr"
        assert {m.language for m in data.matrices} == {"fr"}
        assert all(m.labels[m.correct] == "Correct" and m.variant for m in data.matrices)
        assert all(m.broken[m.correct] == () and len(m.lexemes) == 1 for m in data.matrices)
    own = [[m._replace(place=Place("", 0)) for m in data.matrices] for data in formats.values()]
    assert own[0] == own[1] == own[2]


def test_lexemes_of_every_sentence_are_taken_together(tmp_path: Path) -> None:
    for form in ("parquet", "csv"):
        data = generated(tmp_path / form, "--variation", "III", "--format", form)
        assert {len(m.lexemes) for m in data.matrices} == {6}
        assert all(set(m.lexemes) <= set(NOUNS) for m in data.matrices)


WIDE = (
    "Answer_2\tSent_10\tAnswer_10\tAnswer_1\tSent_2\tAnswer_label_1\tAnswer_value_1\t"
    "Answer_value_2\tAnswer_value_10\tAnswer_label_2\tSent_template_2\tAnswer_label_10\n"
    "B.\tLast.\tC.\tA.\tFirst.\tAE\tFalse\tTrue\tFalse\tTrue\tSubj_sg\tWN1\n"
)
FIRST = ",0,1,2,3,4,5,6,7\n0,First.,Last.,A.,B.,False,True,AE,True\n"
GENBENCH = '{"input": "First. </s> Last. </s> ", "target": 1, "target_options": ["A.", "B."]}'
XY = '{"x": ["First.", "Last."], "y": ["A.", "B."], "labels": '


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a.tsv", WIDE, "blm"),
        ("a.tsv", WIDE.replace("\n", "\r\n"), "blm"),
        ("a.csv", WIDE.replace("\t", ","), "blm"),
        ("a.csv", FIRST, "blm-first"),
        ("a.csv", FIRST.replace("AE,True", "True,AE").replace("False,True", "True,False"), None),
        ("a.csv", "0,1,2,3,4,5\nFirst.,Last.,A.,B.,False,True\n", "blm-first"),
        ("a.jsonl", GENBENCH, "genbench"),
        ("a.jsonl", GENBENCH.replace("1", '"B."'), "genbench"),
        ("a.json", f"[{GENBENCH}]", "genbench"),
        ("a.json", f'[{XY}["AE", "Correct"]}}]', "xy"),
        ("a.jsonl", f"{XY}[0, 1]}}\r\n", "xy"),
        ("a.jsonl", f"{XY}[false, true]}}", "xy"),
        ("a.jsonl", f"{XY}1}}", "xy"),
        ("a.jsonl", f'{XY}["AE", "WN1"], "values": [false, true]}}', "xy"),
        ("a.jsonl", f'{XY}["AE", "WN1"], "target": "WN1"}}', "xy"),
        (
            "a.csv",
            'context,answers,correct\n"[\'First.\', \'Last.\']","[""A."", ""B.""]",1.0\n',
            "matrices",
        ),
    ],
)
def test_formats_of_others(tmp_path: Path, name: str, content: str, form: str | None) -> None:
    (tmp_path / name).write_bytes(content.encode())
    data = read_corpus([tmp_path / name])
    (one,) = data.matrices
    if form is None:  # the right answer is the first one, and is called so
        assert (one.correct, one.labels) == (0, ("True", "AE"))
        return
    assert data.files[0][1] == form
    assert one.context == ("First.", "Last.")
    assert one.answers[:2] == ("A.", "B.")
    assert one.correct == 1
    again = read_corpus([tmp_path / name], Reading(form))
    assert again.matrices == data.matrices


CELL = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=6),
    lambda cells: st.lists(cells, max_size=4) | st.dictionaries(st.text("01a", max_size=2), cells),
    max_leaves=5,
)
NAMES = st.sampled_from(
    "context answers correct labels broken answer_templates lexemes part x y input target"
    " target_options values Sent_1 Answer_1 Answer_value_1".split()
)


@given(st.lists(st.dictionaries(NAMES, CELL), max_size=3), st.sampled_from(FORMS))
def test_anything_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], form: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    data = Corpus()
    with suppress(MerulaError):
        data = read_corpus([path], Reading(form))
    for one in data.matrices:
        assert one.context
        assert -1 <= one.correct < len(one.answers)
        assert len(one.labels) in (0, len(one.answers))
        assert len(one.broken) in (0, len(one.answers))
    audited(data).to_json(3)


def test_templates_and_splits_of_wide_tables(tmp_path: Path) -> None:
    (tmp_path / "agr_train.tsv").write_text(WIDE, encoding="utf-8")
    (one,) = read_corpus([tmp_path]).matrices
    assert one.context_templates == ("Subj_sg", "")
    assert one.labels == ("AE", "True", "WN1")
    assert (one.split, one.part) == ("train", "agr")


@pytest.mark.parametrize(
    ("name", "content", "code", "place"),
    [
        ("a.json", "[]", "M696", "a.json"),
        ("a.json", "[1]", "M692", "a.json:1"),
        ("a.json", '[{"x":\n[1,}', "M692", "a.json:2"),
        ("a.tsv", WIDE.splitlines()[0], "M696", "a.tsv"),
        ("a.tsv", WIDE.replace("Answer_10\t", "Answer_1\t"), "M697", "a.tsv"),
        ("a.tsv", WIDE.replace("Sent_", "Item_"), "M691", "a.tsv"),
        ("a.csv", ",0,1,2\n0,A.,False,True\n", "M697", "a.csv"),
        ("a.csv", "context,answers,correct\nA.,B.,0\n", "M697", "a.csv:2"),
        ("a.csv", "context,answers,correct\n['A.' 'B.'],['C.' 'D.'],0\n", "M697", "a.csv:2"),
        ("a.csv", "context.0,answers.0,answers.1\nA.,B.,C.\n", "M693", "a.csv"),
        ("a.csv", "context.0,answers.0,answers.1,correct\n,B.,C.,0\n", "M697", "a.csv:2"),
        ("a.csv", "context.0,answers.0,answers.1,correct\nA.,,,0\n", "M697", "a.csv:2"),
        ("a.csv", "context.0,answers.0,answers.1,correct\nA.,B.,C.,2\n", "M698", "a.csv:2"),
        ("a.csv", "context.0,answers.0,labels.0,labels.1,correct\nA.,B.,C.,D.,0\n", "M697", None),
        ("a.jsonl", GENBENCH.replace("1", "-1"), "M698", "a.jsonl:1"),
        ("a.jsonl", GENBENCH.replace("1", "true"), "M698", "a.jsonl:1"),
    ],
)  # fmt: skip
def test_what_is_no_matrix_is_named(
    tmp_path: Path, name: str, content: str, code: str, place: str | None
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(MerulaError) as caught:
        read_corpus([tmp_path / name])
    problem = caught.value.problems[0]
    assert problem.code == code
    assert place is None or problem.place == str(tmp_path / place)
    assert problem.remedy


def test_json_beside_tables_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"seed": 1}', encoding="utf-8")
    write_jsonl(tmp_path / "a.jsonl", BALANCED[:2])
    assert len(read_corpus([tmp_path]).matrices) == 2


def test_what_is_missing_is_found_and_not_refused(tmp_path: Path) -> None:
    row = '{"context": ["A b.", NaN], "answers": ["C d.", NaN, "E f."], "correct": NaN}\n'
    (tmp_path / "a.jsonl").write_text(row, encoding="utf-8")
    report = audited(read_corpus([tmp_path / "a.jsonl"]))
    assert found(report, "right-answers") == [f"{tmp_path}/a.jsonl:1  no right answer"]
    assert rows_found(report, "empty") == [1]
    assert report.probes == ()


# --- checks of answer sets -----------------------------------------------------------------------


def test_answers_that_are_one_sentence() -> None:
    labels = ("Correct", "WN1", "AE", "WNA")
    one = matrix("A c.", "B c.", "B  c.", "A c.", labels=labels)
    report = audited(corpus(one, one._replace(answers=("A c.", "B c.", "C c.", "D c."))))
    assert found(report, "equal-answers") == ["a.csv:2  AE = WN1 in 1 of 2"]
    assert found(report, "right-answer-twice") == ["a.csv:2  Correct = WNA in 1 of 2"]
    assert found(report, "repeated-matrices") == []


def test_answers_from_the_context() -> None:
    data = corpus(
        matrix("L’ ami est là.", "B c.", context=("B c.", "L' ami est là.")),
        matrix("A c.", "C c.", context=("B c.",)),
    )
    report = audited(data)
    assert found(report, "answer-in-context") == ["a.csv:2  answer 2 in 1 of 2"]
    assert found(report, "right-in-context") == ["a.csv:2  answer 1 in 1 of 2"]


def test_matrices_that_are_there_already_in_another_order() -> None:
    report = audited(corpus(matrix("A c.", "B c."), matrix("B c.", "A c.", right=1)))
    assert rows_found(report, "repeated-matrices") == [3]


def test_right_answers_numbers_and_labels() -> None:
    fine = matrix("A c.", "B c.", labels=("True", "AE"))
    report = audited(
        corpus(
            fine,
            fine._replace(right=()),
            fine._replace(right=(0, 1)),
            fine._replace(answers=("A c.", "B c.", "C c."), labels=("True", "AE", "AE")),
            fine._replace(labels=()),
            fine._replace(labels=("", "AE")),
            fine._replace(right=(1,)),
        )
    )
    assert found(report, "right-answers") == [
        "a.csv:3  no right answer",
        "a.csv:4  2 right answers: True, AE",
    ]
    assert found(report, "answer-sizes") == ["a.csv:5  answers: 3, not 2"]
    assert sorted(text.partition("  ")[2] for text in found(report, "answer-labels")) == [
        "`AE` twice in 1 of 7",
        "a right answer called `AE` in 2 of 7",
        "a wrong answer called `True` in 2 of 7",
        "an answer without a label in 1 of 7",
        "no labels in 1 of 7",
    ]


def test_right_answers_at_one_place() -> None:
    first = [matrix("A c.", "B c.", right=0) for _ in range(30)]
    assert found(audited(corpus(*first)), "answer-place") == [
        "a.csv:2  answer 1 is right in 30 of 30"
    ]
    assert found(audited(corpus(*first[:3])), "answer-place") == []  # as chance has it
    mixed = [m._replace(right=(n % 2,)) for n, m in enumerate(first)]
    assert found(audited(corpus(*mixed)), "answer-place") == []


def test_the_tail_of_chi_square() -> None:
    stats = pytest.importorskip("scipy.stats")
    for degrees, x in product(range(1, 12), (0.0, 0.3, 2.0, 9.0, 40.0)):
        assert chi_square_tail(x, degrees) == pytest.approx(stats.chi2.sf(x, degrees), abs=1e-12)


def test_classes_are_counted_among_all_answers(tmp_path: Path) -> None:
    report = audited(read(tmp_path, BALANCED))
    (result,) = [r for r in report.results if r.check.name == "answer-classes"]
    assert result.found is not None
    assert result.found.summary == "E in 50.0%, I in 50.0%, R in 50.0%"
    assert not result.fails


def test_matrices_are_no_paradigms(tmp_path: Path) -> None:
    report = audited(read(tmp_path, BALANCED))
    ran = {result.check.name for result in report.results if result.found is not None}
    assert ran.isdisjoint({"repeated", "shared", "contradictions", "identical", "cells", "labels"})
    assert report.paradigms == 0


def test_splits(tmp_path: Path) -> None:
    half = len(BALANCED) // 2
    rows = [{**row, "split": "train" if n < half else "test"} for n, row in enumerate(BALANCED)]
    clean = audited(read(tmp_path, rows), disjoint_lexemes=True)
    assert clean.corpus.splits == ("train", "test")
    assert [found(clean, f"split-{x}") for x in ("contexts", "right", "answers", "lexemes")] == [
        [], [], [], [],
    ]  # fmt: skip
    rows[-1] |= {name: rows[0][name] for name in ("context", "answers", "correct", "lexemes")}
    report = audited(read(tmp_path, rows), disjoint_lexemes=True)
    for name in ("contexts", "right", "answers", "lexemes"):
        assert f"split-{name}" in report.faults
    (said,) = found(report, "split-right")
    assert "1 of " in said
    assert "right answers in test are in train" in said


# --- solvers -------------------------------------------------------------------------------------


def test_ties_are_solved_by_chance() -> None:
    assert credit([2, 2, 2, 2], 3) == 0.25
    assert credit([2, 3, 3, 2], 3) == 0.0


@given(st.text("ab", max_size=6), st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_edit_distance_is_a_metric(one: str, two: str, three: str) -> None:
    assert distance(one, two) == distance(two, one)
    assert (distance(one, two) == 0) == (one == two)
    assert distance(one, three) <= distance(one, two) + distance(two, three)
    assert abs(len(one) - len(two)) <= distance(one, two) <= max(len(one), len(two))


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=2, max_size=5))
def test_scores_do_not_depend_on_the_order_of_the_answers(answers: list[list[int]]) -> None:
    for score in (edits, places, bags):
        assert list(score(answers))[::-1] == list(score(answers[::-1]))


def test_a_star_of_single_edits_is_solved_by_its_centre() -> None:
    """Answers that each change one word of the right one, as in the first published sets."""
    words = "abcdefghijkl"
    data = []
    for n in range(24):
        centre = [f"{words[i]}{n}" for i in range(5)]
        wrong = [[*centre[:i], f"{words[i + 5]}{n}", *centre[i + 1 :]] for i in range(5)]
        texts = [" ".join(answer) for answer in (centre, *wrong)]
        at = n % 6
        texts.insert(at, texts.pop(0))
        data.append(matrix(*texts, right=at))
    report = audited(corpus(*data))
    assert all(
        reached(report)[name] == 1 for name in ("edits", "letters", "places", "words", "bigrams")
    )
    assert reached(report)["length"] == pytest.approx(1 / 6)
    assert "shortcut-edits" in report.faults


def test_a_balanced_set_is_solved_by_nobody_who_is_blind(tmp_path: Path) -> None:
    report = audited(read(tmp_path, BALANCED))
    solved = reached(report)
    assert set(solved) == set(SOLVERS)
    for name in ("edits", "letters", "places", "words", "bigrams", "slots", "length"):
        assert solved[name] == pytest.approx(1 / 8, abs=0.02), name
    assert leaks(report) == []
    assert report.faults == ()
    assert len(found(report, "answer-in-context")) == 1  # WN1, which I excludes, is always shown


def test_grammar_and_memory(tmp_path: Path) -> None:
    """A quarter by grammar; a third of what is new, or all, if N2 takes a value that is shown."""
    third, shown = (reached(audited(read(tmp_path, rows))) for rows in (BALANCED, SHOWN))
    assert third["grammar"] == shown["grammar"] == 0.25
    assert third["unseen"] == pytest.approx(1 / 3)
    assert shown["unseen"] == 1.0
    assert third["shown"] == shown["shown"] == 1.0  # the one combination that is left over
    report = audited(read(tmp_path, SHOWN))
    assert leaks(report) == ["unseen"]
    bare = [{k: v for k, v in row.items() if "template" not in k} for row in BALANCED]
    assert reached(audited(read(tmp_path, bare)))["unseen"] == pytest.approx(1 / 3)


def test_a_cycle_under_i_is_no_rule_of_the_sentence() -> None:
    one = matrix(
        "A.", "B.", "C.", "D.", "E.", "F.",
        broken=((), ("I n1.number",), ("I n2",), ("I attraction",), ("E agreement",), ("R n2",)),
        answer_templates=("n1[sg] n2[pl]",) * 6,
    )  # fmt: skip
    assert grammatical(one) == [True, True, True, False, False, True]
    labels = ("True", "agreement_error_N1", "AE", "AE_V", "WN1", "PAEAN")
    assert grammatical(one._replace(broken=(), labels=labels)) == [
        True, False, False, False, True, True,
    ]  # fmt: skip
    assert grammatical(one._replace(broken=(), labels=("True", "x", "y"))) is None


def test_few_matrices_show_no_shortcut(tmp_path: Path) -> None:
    assert audited(read(tmp_path, BALANCED[:9])).probes == ()
    assert leaks(audited(read(tmp_path, BALANCED[:12]))) == []


# --- words that are not contracted ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("fr", "Le récit de les amis.", "Le récit [de les] amis.  ← des"),
        ("fr", "De le chat.", "[De le] chat.  ← Du"),
        ("fr", "Il parle à les clients de la ville .", "Il parle [à les] clients"),
        (
            "fr",
            "Voici le ordinateur de Anne.",
            "Voici [le ordinateur de Anne.]  ← l'ordinateur d'Anne.",
        ),
        ("fr", "L’ ordinateur de l’ ami est là .", ""),
        ("fr", "L'homme du village va au marché des fleurs.", ""),
        ("it", "Il libro di il bambino.", "Il libro [di il] bambino.  ← del"),
        ("it", "Un po' di pane.", ""),
        ("en", "He is an boy.", ""),
    ],
)
def test_contractions(language: str, text: str, said: str) -> None:
    report = audited(corpus(matrix(text, "Oui ."), language=language))
    if language == "en":
        assert all(r.found is None for r in report.results if r.check.name == "contractions")
        assert len(found(report, "articles")) == 1
    else:
        shown_ = [text.partition("  ")[2] for text in found(report, "contractions")]
        assert [t[: len(said)] for t in shown_] == ([said] if said else [])


def test_each_matrix_has_its_own_language() -> None:
    one = matrix("Le chat de le ami.", "A an boy.", language="fr")
    data = corpus(one, one._replace(language="en"))
    report = audit(data, surfaces={"fr": FRENCH, "en": surface("en")})
    assert data.languages == ("en", "fr")
    assert rows_found(report, "contractions") == [2]
    assert rows_found(report, "articles") == [3]


def test_a_suite_says_of_which_language_its_parts_are(tmp_path: Path) -> None:
    designs = tuple(
        MatrixRecord(
            *(part, "agr", "agr.merula", "", "", language, "agr", "I", ("agr",), 2, "2"),
            splits={"train": 2},
            units={"train": 2},
            answers={},
        )
        for part, language in (("one", "fr"), ("two", "it"))
    )
    manifest = SuiteManifest("blm", "", "0.1", "", {}, matrices=designs)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest.to_json()), encoding="utf-8")
    (tmp_path / "matrices").mkdir()
    rows = [{**row, "part": ("one", "two")[n % 2]} for n, row in enumerate(BALANCED[:4])]
    write_jsonl(tmp_path / "matrices" / "train.jsonl", rows)
    data = read_corpus([tmp_path])
    assert [(m.part, m.language) for m in data.matrices] == [
        ("one agr", "fr"),
        ("two agr", "it"),
    ] * 2
    assert data.languages == ("fr", "it")
    assert data.splits == ("train",)
    assert read_corpus([tmp_path], Reading(language="en")).languages == ("en",)


# --- claims of rules ------------------------------------------------------------------------------


def merula(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments], prog_name="merula", catch_exceptions=False)


def test_claims_are_compared_with_a_grammar(tmp_path: Path) -> None:
    data = generated(tmp_path / "keys")
    out = tmp_path / "a.jsonl"
    rows: list[Row] = [
        {
            "context": m.context, "answers": m.answers, "labels": m.labels, "correct": m.correct,
            "broken": m.broken, "design": m.design, "frame": m.frame, "variant": m.variant,
        }
        for m in data.matrices
    ]  # fmt: skip
    write_jsonl(out, rows)
    arguments = ("audit", str(out), "--language", "fr", "--grammar", str(tmp_path / "keys.merula"))
    said = json.loads(merula(*arguments, "--format", "json").output)
    (check,) = [c for c in said["checks"] if c["check"] == "answer-rules"]
    assert (check["found"], check["of"]) == (0, sum(len(row["answers"]) for row in rows))

    right = rows[0]["correct"]
    rows[0]["broken"] = [
        ["E agreement"] if n == right else b for n, b in enumerate(rows[0]["broken"])
    ]
    rows[1]["answers"] = ["Rien du tout.", *rows[1]["answers"][1:]]
    write_jsonl(out, rows)
    said = json.loads(merula(*arguments, "--format", "json").output)
    (check,) = [c for c in said["checks"] if c["check"] == "answer-rules"]
    texts = [example["text"] for example in check["examples"]]
    assert len(texts) == 2
    assert texts[0].startswith("Correct: ")
    assert texts[0].endswith("← breaks nothing, not E agreement")
    assert texts[1].endswith("Rien du tout.  ← not an answer of this variant")


def test_a_grammar_of_other_sentences_is_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", BALANCED[:1])
    result = merula("audit", str(path), "--grammar", str(keys(tmp_path)))
    assert result.exit_code == 1
    assert "M699" in result.output
    assert merula("audit", str(path), "--lexicon", "x.csv").exit_code == 2


# --- the command ----------------------------------------------------------------------------------


def test_the_report_says_what_the_data_do_not_tell(tmp_path: Path) -> None:
    rows = [
        {
            "input": " </s> ".join(row["context"]),
            "target": row["correct"],
            "target_options": row["answers"],
        }
        for row in BALANCED
    ]
    path = str(write_jsonl(tmp_path / "a.jsonl", rows))
    said = "grammar, unseen and shown did not run"
    assert said in merula("audit", path).output
    assert said not in merula("audit", str(write_jsonl(tmp_path / "b.jsonl", BALANCED))).output


def test_the_report_speaks_of_matrices(tmp_path: Path) -> None:
    folder = tmp_path / "data"  # the name of the folder above would make it a split
    folder.mkdir()
    path = str(write_jsonl(folder / "a.jsonl", SHOWN))
    result = merula("audit", path)
    assert result.exit_code == 1
    assert result.output.startswith("1 file · 144 matrices\n")
    assert "unseen      1.000!   of these one" in result.output
    assert result.output.endswith("1 check finds faults: shortcut-unseen\n")
    assert merula("audit", path, "--allow", "shortcut-unseen").exit_code == 0
    said = json.loads(merula("audit", path, "--format", "json").output)
    assert (said["matrices"], said["sentences"], said["paradigms"]) == (144, 0, 0)
    (edit,) = [x for x in said["shortcuts"] if x["probe"] == "edits"]
    assert (edit["of"], edit["number"], edit["forced"], edit["leaks"]) == (
        "matrices", 144, 0.125, False,
    )  # fmt: skip


def test_many_parts_are_rows(tmp_path: Path) -> None:
    for name in "abc":
        write_jsonl(tmp_path / f"{name}.jsonl", BALANCED[:24])
    output = merula("audit", str(tmp_path)).output
    assert output.startswith("3 files · 72 matrices")
    rows = [line.split() for line in output.splitlines() if line.startswith(("a ", "b ", "c "))]
    assert [row[:2] for row in rows] == [[name, "0.125"] for name in "abcabc"]


# --- published data -------------------------------------------------------------------------------


def published(name: str, **more: Any) -> Audit:
    data = read_corpus([BLM / name], Reading(language="fr"))
    return audit(data, surface=FRENCH, **more)


@needs_published
@pytest.mark.parametrize("kind", ["II", "III"])
def test_faults_of_the_later_published_matrices(kind: str) -> None:
    report = published(f"agr_FR_type_{kind}.csv")
    assert report.corpus.files[0][1] == "blm"
    (said,) = found(report, "equal-answers")
    assert said.endswith("agreement_error_N1 = agreement_error_N2 in 100 of 100")
    (said,) = found(report, "answer-place")
    assert said.endswith("answer 1 is right in 100 of 100")
    uncontracted = {
        text.partition("  ")[0] for text in found(report, "contractions") if "[de les]" in text
    }
    assert len(uncontracted) == {"II": 0, "III": 20}[kind]
    assert reached(report)["edits"] == 1.0
    assert {"shortcut-edits", "shortcut-slots", "shortcut-position"} <= set(report.faults)


@needs_published
def test_faults_of_the_first_published_matrices() -> None:
    report = published("agrF_type_I_main.csv")
    assert report.corpus.files[0][1] == "blm-first"
    said = [text.partition("  ")[2] for text in found(report, "answer-in-context")]
    assert said == ["N2_alter in 768 of 768", "mis_num in 128 of 768"]
    assert reached(report)["edits"] == 1.0
    assert "shortcut-edits" in report.faults
    assert found(report, "answer-place") == []
    assert all(probed.majority == pytest.approx(1 / 6) for probed in report.probes)


@needs_published
def test_published_labels_are_compared_with_a_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from merula.compiler.compile import compile_source
    from merula.core.source import Source
    from merula.lexicon.table import TableOptions

    monkeypatch.setattr(matrix_claims, "MAX_OF_ANY", 40)
    path = tmp_path / "agreement_published.merula"
    source = Source(path.name, AS_PUBLISHED, path)
    compiled = compile_source(source, TableOptions({"": str(BLM / "fragments_FR.csv")}))
    report = published("agrF_type_I_main.csv", grammar=compiled)
    assert found(report, "answer-rules") == []
    (result,) = [r for r in report.results if r.check.name == "answer-rules"]
    assert result.found is not None
    assert result.found.of == 40 * 6
    assert result.found.summary.startswith("in 40 matrices")
