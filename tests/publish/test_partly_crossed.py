"""What reads the cells of a paradigm reads those of a partly crossed one as well."""

from __future__ import annotations

import csv
import json
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import merula
from audited import found
from export_folders import publish, run
from merula.audit import audit, read_corpus
from merula.strategies import Edit, Pair, edits, pairs, paradigms
from pronouns import RULES
from random_grammars import examples

VERBS = (
    "cours/court dors/dort pars/part sors/sort lis/lit dis/dit ris/rit vis/vit bois/boit"
    " suis/suit sers/sert mens/ment"
).split()
TABLE = "set,pron.1.m,pron.3.m,pron.3.f,verb.1,verb.3\n" + "".join(
    f"{first},je,il,elle,{first},{third}\n" for first, third in (v.split("/") for v in VERBS)
)
BASE = f"""phenomenon pronouns "Pronouns and their verbs"
language fr
lexicon sets "pronouns.csv"
{RULES}frames
  clause = [main pron verb]
  cleft  = "c'est que" [main pron verb]
"""
FACTORS = "pron.person × pron.gender × verb.person in clause | cleft"
GRAMMAR = (
    f"{BASE}paradigm six = {FACTORS}\n  where pron.person = 3  # he, she\n    or pron.gender = m\n"
)
CELLS = ["1 m 1", "1 m 3", "3 m 1", "3 m 3", "3 f 1", "3 f 3"]
GOOD = ["1 m 1", "3 m 3", "3 f 3"]
# Two cells that differ in one factor, one good and one bad.
PAIRS = {
    (bad, good)
    for bad, good in permutations(CELLS, 2)
    if bad not in GOOD
    and good in GOOD
    and sum(a != b for a, b in zip(bad.split(), good.split(), strict=True)) == 1
}


def load(text: str = GRAMMAR) -> merula.Grammar:
    return merula.compile(text, tables={"pronouns.csv": TABLE})


def write(folder: Path, text: str = GRAMMAR) -> Path:
    (folder / "pronouns.csv").write_text(TABLE, encoding="utf-8")
    (folder / "pronouns.merula").write_text(text, encoding="utf-8")
    return folder / "pronouns.merula"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("partly")
    return publish(folder / "data", write(folder), "-n", 24)


def test_the_pairs_of_cells_are_those_that_are_left() -> None:
    assert len(PAIRS) == 5
    assert ("3 m 1", "1 m 1") in PAIRS
    assert ("3 f 1", "1 m 1") not in PAIRS


def test_the_overview_names_the_test() -> None:
    text = "pron.person × pron.gender × verb.person where pron.person = 3 or pron.gender = m"
    assert text in str(load())


def test_the_card_does_not_speak_of_a_full_crossing(data: Path) -> None:
    card = " ".join((data / "README.md").read_text(encoding="utf-8").split())
    assert (
        "`pron.person`, `pron.gender`, `verb.person` are crossed where"
        " `pron.person = 3 or pron.gender = m`, so that an instance has 6 cells."
    ) in card
    assert card.count("| 1 | f |") == 0


def test_published_data_are_sound(data: Path) -> None:
    done = run("verify", data)
    assert done.exit_code == 0, done.output
    report = audit(read_corpus([data]))
    assert found(report, "cells") == []
    assert found(report, "labels") == []
    assert run("report", data, "--out", data.parent / "page.html").exit_code == 0


def test_the_files_name_the_values_that_cells_have(data: Path) -> None:
    about = json.loads((data / "merula.json").read_text(encoding="utf-8"))
    (config,) = about["configs"]
    assert config["cells"] == len(CELLS)
    assert config["features"]["cell"]["names"] == CELLS


@pytest.mark.parametrize("form", ["blimp", "minicons"])
def test_exported_pairs_are_pairs_of_cells(data: Path, form: str, tmp_path: Path) -> None:
    done = run("export", data, "--as", form, "--out", tmp_path / form)
    assert done.exit_code == 0, done.output
    sentences = by_cell(data)
    good_bad = set()
    for file in (tmp_path / form).rglob("*.*l" if form == "blimp" else "*.csv"):
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        rows = map(json.loads, lines) if form == "blimp" else csv.DictReader(lines)
        names = ("sentence_bad", "sentence_good") if form == "blimp" else ("bad", "good")
        good_bad |= {tuple(sentences[row[name]] for name in names) for row in rows}
    assert good_bad == PAIRS


def by_cell(data: Path) -> dict[str, str]:
    """The cell of each sentence."""
    corpus = read_corpus([data])
    return {s.text: " ".join(value for _, value in s.cell.factors) for s in corpus.sentences}


def test_a_latin_square_shows_every_cell_equally_often(data: Path, tmp_path: Path) -> None:
    done = run("export", data, "--as", "latin-square", "--out", tmp_path / "lists")
    assert done.exit_code == 0, done.output
    file = tmp_path / "lists" / "all-lists-of-6.csv"
    rows = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
    assert {row["cell"] for row in rows} == set(CELLS)
    for number in "123456":
        shown = [row["cell"] for row in rows if row["list"] == number]
        assert {shown.count(cell) for cell in CELLS} == {len(shown) // 6}


def test_a_suite_has_the_features_and_pairs_of_the_cells(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "small.toml").write_text(
        'name = "small"\nn = 10\ncap = 1.0\nclosed = ["pron"]\n'
        '[features.third]\nfactor = "pron.person"\nyes = ["3"]\n'
        '[features.feminine]\nfactor = "pron.gender"\nyes = ["f"]\n'
        '[features.ending]\nfactor = "verb.person"\nyes = ["3"]\n'
        '[[parts]]\ngrammar = "pronouns.merula"\n',
        encoding="utf-8",
    )
    done = run("suite", tmp_path / "small.toml", "--out", tmp_path / "out", "--format", "jsonl")
    assert done.exit_code == 0, done.output
    rows = [
        json.loads(line)
        for file in sorted((tmp_path / "out").rglob("*.jsonl"))
        if "minimal_pairs" in str(file.relative_to(tmp_path))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert rows
    assert {row["condition"] for row in rows} == {
        "third=0-1_feminine=0_ending=1",
        "third=1-0_feminine=0_ending=0",
        "third=0_feminine=0_ending=1-0",
        "third=1_feminine=0_ending=0-1",
        "third=1_feminine=1_ending=0-1",
    }


# --- changes -------------------------------------------------------------------------------------


def test_a_changed_test_changes_cells_and_no_instances() -> None:
    other = GRAMMAR.replace("or pron.gender = m", "or verb.person = 3 and pron.gender = m")
    (change,) = merula.diff(load(), load(other)).designs
    assert (change.cells_gone, change.cells_new) == (("1 m 1",), ())
    assert change.kept == change.old_count == change.new_count == 2 * len(VERBS)


def test_a_test_that_is_written_differently_changes_nothing() -> None:
    other = GRAMMAR.replace("pron.person = 3 ", "not pron.person != 3 ")
    (change,) = merula.diff(load(), load(other)).designs
    assert (change.cells_gone, change.cells_new, change.renamed) == ((), (), ())


# --- strategies ----------------------------------------------------------------------------------


def label(factors: object) -> str:
    assert isinstance(factors, dict)
    return " ".join(factors.values())


@examples(60)
@given(pairs(load()))
def test_drawn_pairs_are_pairs_of_cells(pair: Pair) -> None:
    assert (label(dict(pair.bad.factors)), label(dict(pair.good.factors))) in PAIRS


@examples(20)
@given(paradigms(load()))
def test_drawn_instances_have_the_cells(instance: merula.Instance) -> None:
    assert [cell.label for cell in instance.cells] == CELLS


@examples(60)
@given(st.one_of(edits(load(), "pron.gender"), edits(load(), "pron.person")))
def test_an_edit_of_a_factor_is_between_cells(edit: Edit) -> None:
    before, after = (label(dict(x.factors)).split() for x in (edit.before, edit.after))
    assert {" ".join(before), " ".join(after)} <= set(CELLS)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@examples(20)
@given(edits(load(), "frame"))
def test_an_edit_of_the_frame_keeps_the_cell(edit: Edit) -> None:
    assert edit.before.label == edit.after.label in CELLS
