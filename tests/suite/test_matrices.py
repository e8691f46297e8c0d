"""Suites of matrices: what is drawn, how it is divided, recipes, folders, what is refused."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import merula
from keys import FRAME
from merula.audit import read_corpus
from merula.cli import main
from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import Report
from merula.data.verify import verify
from merula.grammar.program import read_grammar
from merula.rows.variation import AddressSpace, Variation
from merula.suite.division import divide_answers
from merula.suite.recipe import matrix_recipe, read_file
from merula.suite.splits import Split

TYPES = ("I", "III")
SETS = 20
KEYS = "set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl\n" + "".join(
    f"{name},the {name},the {name}s,of the {name}er,of the {name}ers,is {name}ed,are {name}ed\n"
    for name in "abcdefghijklmnopqrst"
)
GRAMMAR = f"""{FRAME}\
matrix early "The subject changes first" = 4 items in clause
  subj.number cycles 2 of sg | pl every 1
  attr.number cycles 2 of sg | pl every 2
matrix late "The attractor changes first" = 4 items in clause
  attr.number cycles 2 of sg | pl every 1
  subj.number cycles 2 of sg | pl every 2
matrix few "Three answers" = early
answers for early, late crossed
  AE breaks E agreement: flip verb.number
  WN breaks R:           flip attr.number
answers for few
  AE breaks E agreement: flip verb.number
  WN breaks R:           flip attr.number
"""
NOUNS = "actor baker clerk dancer farmer guard judge nurse".split()
VERBS = "blame calls fears greets helps likes meets needs".split()
WORDS = "lemma,category,sg,pl\n" + "".join(
    [f"{word},noun,{word},{word}s\n" for word in NOUNS]
    + [f"{word},verb,{word}s,{word}\n" for word in VERBS]
)
CALLS = """
phenomenon calls
language en
lexicon "words.csv"
objects
  N1, N2 : noun (number)
  adv?   : adverb
  V      : verb (number)
attributes
  number = sg | pl
  adv = often "often"
external
  agreement: V.number = N1.number
select N1, N2 differ
frames
  clause = "the" N1 adv V "the" N2
matrix four = 4 items in clause
  N1.number cycles 2 of sg | pl every 1
  N2.number cycles 2 of sg | pl every 2
answers for four crossed
  AE breaks E agreement: flip V.number
  WN breaks R:           flip N2.number
"""
RECIPE = """
kind  = "matrices"
name  = "small"
about = "Two problems"
n     = 50
split = "70:30"
[[parts]]
grammar     = "keys"
sets.early  = "early"
sets.few    = "few"
sets.both   = ["early", "late"]
[[parts]]
name    = "verbs"
grammar = "calls.merula"
unit    = "V"
n       = 60
"""
DATA = [("keys", "early"), ("keys", "few"), ("keys", "both"), ("verbs", "four")]
Row = Mapping[str, Any]


def write(folder: Path, recipe: str = RECIPE, keys: str = GRAMMAR) -> None:
    for name, text in {
        "keys.csv": KEYS,
        "words.csv": WORDS,
        "keys.merula": keys,
        "calls.merula": CALLS,
        "suite.toml": recipe,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


def suite(home: Path | str, out: Path, *options: str, workers: int = 1) -> Result:
    arguments = ["suite", str(home), "--out", str(out), "--workers", str(workers), *options]
    return CliRunner().invoke(main, arguments)


def made(home: Path | str, out: Path, *options: str, workers: int = 1) -> Path:
    found = suite(home, out, *options, workers=workers)
    assert found.exit_code == 0, found.output
    return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, its grammars and their tables."""
    folder = tmp_path_factory.mktemp("recipe")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def data(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(home, tmp_path_factory.mktemp("data") / "out")


@pytest.fixture(scope="module")
def answers(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with right answers divided."""
    return made(home, tmp_path_factory.mktemp("answers") / "out", "--disjoint", "answers")


def rows(folder: Path, part: str, name: str, kind: str, split: str) -> list[Row]:
    path = folder / part / name / f"type_{kind}" / f"{split}.parquet"
    return list(pq.read_table(path).to_pylist())


def of_splits(
    folder: Path, *splits: str, data: Sequence[tuple[str, str]] = DATA
) -> Iterator[tuple[str, str, str, dict[str, list[Row]]]]:
    """Part, set and type of each data set, and its rows by split."""
    for part, name in data:
        for kind in TYPES:
            found = {s: rows(folder, part, name, kind, s) for s in splits or ("train", "test")}
            yield part, name, kind, found


def units(row: Row, unit: str) -> set[str]:
    """The lexical sets that a row shows."""
    if row["variation"] == "I":
        return {row["lexemes"][unit]}
    return {words[unit] for words in (*row["context_lexemes"], *row["answer_lexemes"])}


def right(row: Row) -> str:
    return str(row["answers"][row["correct"]])


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@cache
def compiled(path: Path) -> Compiled:
    source = read_grammar(str(path), Report())
    assert source is not None
    found = compile_source(source)
    assert not found.failed
    return found


# --- rows ---------------------------------------------------------------------------------------


def test_data_sets_have_their_sizes(data: Path) -> None:
    sizes = {"early": (35, 15), "few": (35, 15), "both": (70, 30), "four": (42, 18)}
    for _, name, _, found in of_splits(data):
        assert tuple(len(found[split]) for split in ("train", "test")) == sizes[name]
    files = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert files == {
        "manifest.json",
        *(
            f"{part}/{name}/type_{kind}/{split}.parquet"
            for part, name in DATA
            for kind in TYPES
            for split in ("train", "test")
        ),
    }


def test_rows_say_which_data_set_they_are_of(data: Path) -> None:
    for part, name, kind, found in of_splits(data):
        for split, own in found.items():
            told = {(r["part"], r["set"], r["split"], r["variation"]) for r in own}
            assert told == {(part, name, split, kind)}
            assert [row["instance"] for row in own] == list(range(len(own)))


def test_no_instance_is_there_twice(data: Path) -> None:
    for *_, found in of_splits(data):
        every = [(row["design"], row["address"]) for own in found.values() for row in own]
        assert len(every) == len(set(every))


@pytest.mark.parametrize("folder", ["data", "answers"])
def test_the_right_answer_stands_everywhere_equally_often(
    folder: str, request: pytest.FixtureRequest
) -> None:
    for *_, found in of_splits(request.getfixturevalue(folder)):
        for own in found.values():
            for design in {row["design"] for row in own}:
                mine = [row for row in own if row["design"] == design]
                places = Counter(row["correct"] for row in mine)
                number = len(mine[0]["answers"])
                assert {places[i] for i in range(number)} <= {
                    len(mine) // number,
                    -(-len(mine) // number),
                }


def test_splits_do_not_have_the_same_order_of_answers(data: Path) -> None:
    train, test = (rows(data, "keys", "early", "I", split) for split in ("train", "test"))
    pairs = list(zip(train, test, strict=False))
    assert any(one["labels"] != other["labels"] for one, other in pairs)


def test_answer_sets_of_a_part_have_the_same_contexts(data: Path) -> None:
    for kind in TYPES:
        for split in ("train", "test"):
            one, other = (rows(data, "keys", name, kind, split) for name in ("early", "few"))
            for name in ("address", "context", "variant"):
                assert [row[name] for row in one] == [row[name] for row in other]
            assert [right(row) for row in one] == [right(row) for row in other]


def test_six_and_eight_are_the_same_instances(tmp_path: Path) -> None:
    options = ["--part", "agreement_en", "--set", "six", "--set", "eight", "--type", "I"]
    out = made("blm", tmp_path / "out", *options, "-n", "48")
    assert sorted(p.name for p in (out / "agreement_en").iterdir()) == ["eight", "six"]
    for split, number in (("train", 43), ("test", 5)):
        six, eight = (rows(out, "agreement_en", name, "I", split) for name in ("six", "eight"))
        assert [row["context"] for row in six] == [row["context"] for row in eight]
        assert [right(row) for row in six] == [right(row) for row in eight]
        assert len(six) == number
        assert {len(row["answers"]) for row in six} == {6}
        assert {len(row["answers"]) for row in eight} == {8}


def test_sets_pooled_have_all_of_their_matrices(data: Path) -> None:
    for kind in TYPES:
        for split in ("train", "test"):
            both = rows(data, "keys", "both", kind, split)
            half = len(both) // 2
            assert [row["design"] for row in both] == ["early"] * half + ["late"] * half
            early = rows(data, "keys", "early", kind, split)
            for one, other in zip(both[:half], early, strict=True):
                assert {**one, "set": "early"} == {**other}


# --- addresses ----------------------------------------------------------------------------------


def test_an_address_of_type_one_makes_its_row_again(data: Path, home: Path) -> None:
    for part, _, kind, found in of_splits(data):
        grammar = merula.load(home / ("keys" if part == "keys" else "calls"))
        for row in [row for own in found.values() for row in own[::5] if kind == "I"]:
            instance = grammar[row["design"]][int(row["address"])]
            assert [sentence.text for sentence in instance.context] == row["context"]
            shown = {answer.label: answer.text for answer in instance.answers}
            assert dict(zip(row["labels"], row["answers"], strict=True)) == shown


def test_show_draws_the_instance_at_an_address(data: Path, home: Path) -> None:
    row = rows(data, "verbs", "four", "I", "test")[7]
    options = ["--design", "four", "--instance", row["address"]]
    found = CliRunner().invoke(main, ["show", str(home / "calls"), *options])
    assert found.exit_code == 0, found.output
    drawn = " ".join(found.output.split())
    words = [sentence.rstrip(".").split() for sentence in (*row["context"], *row["answers"])]
    assert all(word in drawn for sentence in words for word in sentence)
    assert f"instance {row['address']} of" in drawn


def test_an_address_of_type_three_leads_to_its_sentences(data: Path, home: Path) -> None:
    for part, _, kind, found in of_splits(data):
        path = home / ("keys" if part == "keys" else "calls")
        grammar = merula.load(path)
        for row in [row for own in found.values() for row in own[::9] if kind == "III"]:
            design = compiled(path).designs[row["design"]]
            space = AddressSpace(design, Variation("III"))
            (plan,), draws = space.locate(np.array([int(row["address"])], dtype=np.int64))
            chosen = [grammar[row["design"]][design.starts[plan] + int(draw[0])] for draw in draws]
            *context, last = chosen
            assert row["context"] == [
                instance.context[i].text for i, instance in enumerate(context)
            ]
            shown = {answer.label: answer.text for answer in last.answers}
            assert dict(zip(row["labels"], row["answers"], strict=True)) == shown


@pytest.fixture(scope="module")
def spaces(home: Path) -> list[AddressSpace]:
    designs = [
        *compiled(home / "keys").designs.values(),
        *compiled(home / "calls").designs.values(),
    ]
    return [AddressSpace(design, Variation(kind)) for design in designs for kind in TYPES]


@given(st.data())
def test_addresses_and_draws_lead_to_each_other(spaces: list[AddressSpace], data: Any) -> None:
    space = data.draw(st.sampled_from(spaces))
    plan = data.draw(st.integers(0, len(space.design.plans) - 1))
    choices = st.integers(0, space.design.plans[plan].count - 1)
    draws = data.draw(st.lists(choices, min_size=space.draws, max_size=space.draws, unique=True))
    address = space.address(plan, draws)
    assert space.starts[plan] <= address < space.starts[plan] + space.counts[plan]
    for kind in (np.int64, object):
        plan_of, found = space.locate(np.array([address], dtype=kind))
        assert (plan_of[0], [int(draw[0]) for draw in found]) == (plan, draws)


@given(st.data())
def test_every_number_is_an_address(spaces: list[AddressSpace], data: Any) -> None:
    space = data.draw(st.sampled_from(spaces))
    address = data.draw(st.integers(0, space.count - 1))
    (plan,), draws = space.locate(np.array([address], dtype=np.int64))
    assert space.address(int(plan), [int(draw[0]) for draw in draws]) == address


# --- splits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--split", "80:10:10", "-n", "20"), ("--seed", "5")])
def test_no_lexical_set_stands_in_two_splits(
    home: Path, tmp_path: Path, options: Sequence[str]
) -> None:
    out = made(home, tmp_path / "out", *options)
    splits = ("train", "dev", "test") if "80:10:10" in options else ("train", "test")
    for part, unit, number in (("keys", "set", SETS), ("verbs", "V", len(VERBS))):
        mine: dict[str, set[str]] = {split: set() for split in splits}
        for *_, found in of_splits(out, *splits, data=[d for d in DATA if d[0] == part]):
            for split, own in found.items():
                assert own
                mine[split].update(*(units(row, unit) for row in own))
        # over all answer sets and types together
        assert sum(map(len, mine.values())) == len(set().union(*mine.values())) <= number
        told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["matrices"]
        (sizes,) = {tuple(r["units"].items()) for r in told if r["part"] == part}
        assert {split: len(shown) for split, shown in mine.items()} == dict(sizes)


def test_no_choice_is_there_twice_in_type_three(data: Path) -> None:
    for *_, kind, found in of_splits(data, data=[("keys", "early")]):
        for row in [row for own in found.values() for row in own if kind == "III"]:
            shown = [words["set"] for words in row["context_lexemes"]]
            shown.append(row["answer_lexemes"][row["correct"]]["set"])
            assert len(set(shown)) == 4


def test_a_small_split_has_more_sets_until_every_variant_has_instances(
    home: Path, tmp_path: Path
) -> None:
    """Type III takes four sets for three items and the answers: a tenth of twenty are too few."""
    out = made(home, tmp_path / "out", "--split", "90:10", "--part", "keys")
    told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["matrices"]
    assert {tuple(record["units"].items()) for record in told} == {(("train", 16), ("test", 4))}


def test_a_type_that_nobody_asks_for_demands_nothing(home: Path, tmp_path: Path) -> None:
    """Train could not have 90 matrices of type I, however many sets it kept."""
    options = ["--type", "III", "-n", "100", "--split", "90:10"]
    out = made(home, tmp_path / "out", "--part", "keys", "--set", "early", *options)
    assert len(rows(out, "keys", "early", "III", "test")) == 10


def test_train_keeps_what_it_needs(home: Path, tmp_path: Path) -> None:
    """All 80 instances of type I: a set more for the others would be one too few for train."""
    options = ["--part", "keys", "--set", "early", "--type", "I", "-n", "80"]
    out = made(home, tmp_path / "out", *options, "--split", "90:10")
    (told,) = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["matrices"]
    assert (told["units"], told["splits"]) == ({"train": 18, "test": 2}, {"train": 72, "test": 8})


def test_every_split_has_a_lexical_set(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "keys.csv").write_text("".join(KEYS.splitlines(True)[:4]), encoding="utf-8")
    options = ["--part", "keys", "--set", "early", "--type", "I", "-n", "4"]
    out = made(tmp_path, tmp_path / "out", *options, "--split", "2:2:96")
    (told,) = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["matrices"]
    assert told["units"] == {"train": 1, "dev": 1, "test": 1}


def test_no_right_answer_stands_in_two_splits(answers: Path) -> None:
    for _, name, _, found in of_splits(answers):
        mine = {split: {right(row) for row in own} for split, own in found.items()}
        assert not mine["train"] & mine["test"]
        sizes = {"early": (35, 15), "few": (35, 15), "both": (70, 30), "four": (42, 18)}
        assert tuple(len(found[split]) for split in ("train", "test")) == sizes[name]


@given(
    st.lists(st.sampled_from("abcdefghijklm"), max_size=60),
    st.lists(st.sampled_from("abcdefghijklm"), max_size=60),
    st.sampled_from(["90:10", "70:30", "60:20:20", "100:0"]),
    st.integers(0, 9),
)
def test_right_answers_are_divided(
    first: list[str], second: list[str], shares: str, seed: int
) -> None:
    split, split_of = Split.of(shares), dict[str, str]()
    divide_answers(first, split, seed, split_of)
    sizes, mine = split.sizes(len(first)), Counter(split_of[answer] for answer in first)
    number = Counter(first)
    for name in split.names[1:]:
        assert mine[name] <= sizes[name]
        for answer in number:  # nothing that would still fit is left to train
            if split_of[answer] == "train":
                assert mine[name] + number[answer] > sizes[name]
    before = dict(split_of)
    divide_answers(second, split, seed, split_of)
    assert {answer: split_of[answer] for answer in before} == before
    assert split_of.keys() == {*first, *second}


def test_another_seed_draws_and_divides_otherwise(home: Path, data: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--seed", "1")
    for (part, name, kind, one), (*_, other) in zip(of_splits(data), of_splits(out), strict=True):
        unit = "set" if part == "keys" else "V"
        tests = [set().union(*(units(r, unit) for r in found["test"])) for found in (one, other)]
        assert tests[0] != tests[1], (part, name, kind)
        assert [r["context"] for r in one["train"]] != [r["context"] for r in other["train"]]


# --- selections ---------------------------------------------------------------------------------


def test_what_is_chosen_is_as_in_the_whole(home: Path, data: Path, tmp_path: Path) -> None:
    whole = contents(data)
    for options, kept in (
        (("--part", "verbs"), "verbs/"),
        (("--set", "few"), "keys/few/"),
        (("--part", "keys", "--set", "both", "--type", "III"), "keys/both/type_III/"),
    ):
        out = made(home, tmp_path / "-".join(options), *options)
        found = contents(out)
        found.pop("manifest.json")
        assert found == {name: text for name, text in whole.items() if name.startswith(kept)}


def test_files_are_the_same_with_two_processes(home: Path, data: Path, tmp_path: Path) -> None:
    assert contents(made(home, tmp_path / "out", workers=2)) == contents(data)


# --- files --------------------------------------------------------------------------------------


def test_layouts_hold_the_same_rows(home: Path, data: Path, tmp_path: Path) -> None:
    for layout in ("wide", "genbench", "xy"):
        made(home, tmp_path / layout, "--layout", layout)
        assert [check.fault for check in verify(tmp_path / layout)] == [""] * 16
    for part, name, kind, found in of_splits(data):
        for split, own in found.items():
            place = Path(part) / name / f"type_{kind}" / split
            texts = [(tuple(row["context"]), tuple(row["answers"]), row["correct"]) for row in own]
            with (tmp_path / "wide" / place).with_suffix(".tsv").open(encoding="utf-8") as file:
                table = list(csv.DictReader(file, delimiter="\t"))
            number = len(own[0]["answers"])
            assert texts == [
                (
                    tuple(line[f"Sent_{i}"] for i in (1, 2, 3)),
                    tuple(line[f"Answer_{i}"] for i in range(1, number + 1)),
                    [line[f"Answer_value_{i}"] for i in range(1, number + 1)].index("True"),
                )
                for line in table
            ]
            lines = (tmp_path / "genbench" / place).with_suffix(".jsonl").read_text("utf-8")
            assert texts == [
                (tuple(t["input"].split(" </s> ")), tuple(t["target_options"]), t["target"])
                for t in map(json.loads, lines.splitlines())
            ]
            listed = json.loads((tmp_path / "xy" / place).with_suffix(".json").read_text("utf-8"))
            assert texts == [(tuple(t["x"]), tuple(t["y"]), t["correct"]) for t in listed]
            assert [t["address"] for t in listed] == [row["address"] for row in own]


def test_formats_hold_the_same_rows(home: Path, data: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--format", "jsonl")
    for part, name, kind, found in of_splits(data):
        for split, own in found.items():
            path = out / part / name / f"type_{kind}" / f"{split}.jsonl"
            lines = path.read_text(encoding="utf-8").splitlines()
            assert [json.loads(line) for line in lines] == own


def test_what_audits_read_is_what_was_made(data: Path) -> None:
    corpus = read_corpus([data])
    assert len(corpus.matrices) == 2 * (50 + 50 + 100 + 60)
    assert set(corpus.splits) == {"train", "test"}


@pytest.mark.parametrize("options", [(), ("--layout", "xy"), ("--format", "csv")])
def test_a_changed_byte_is_found(home: Path, tmp_path: Path, options: Sequence[str]) -> None:
    out = made(home, tmp_path / "out", "--part", "verbs", *options)
    assert [check.fault for check in verify(out)] == [""] * 4
    (path,) = (out / "verbs" / "four" / "type_III").glob("test.*")
    text = path.read_bytes()
    at = text.index(b"clerk")
    path.write_bytes(text[:at] + b"k" + text[at + 1 :])
    found = {check.file: check.fault for check in verify(out) if check.fault}
    assert list(found) == [path.relative_to(out).as_posix()]


def test_a_split_without_instances_has_the_columns_of_the_others(
    home: Path, tmp_path: Path
) -> None:
    out = made(home, tmp_path / "out", "-n", "1")
    for *_, found in of_splits(out):
        assert not found["test"]
        assert found["train"]
    for part, name in DATA:
        place = out / part / name / "type_III"
        one, other = (pq.read_schema(place / f"{split}.parquet") for split in ("train", "test"))
        assert one.equals(other)


def test_the_manifest_says_what_answers_give_away(data: Path, home: Path) -> None:
    told = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    records = {(r["part"], r["set"], r["type"]): r for r in told["matrices"]}
    assert set(records) == {(part, name, kind) for part, name in DATA for kind in TYPES}
    crossed = {"number": 4, "chance": 0.25, "grammar": 0.5, "P(E)": 0.5, "P(I)": 0, "P(R)": 0.5}
    assert records["keys", "both", "III"]["answers"] == crossed
    assert records["keys", "few", "I"]["answers"]["chance"] == pytest.approx(1 / 3, abs=1e-5)
    assert records["keys", "both", "I"]["matrices"] == ["early", "late"]
    assert records["keys", "both", "I"]["of"] == str(2 * 4 * SETS)
    assert records["keys", "early", "III"]["of"] == str(4 * 20 * 19 * 18 * 17)
    assert records["verbs", "four", "I"]["instances"] == 60
    grammar = compiled(home / "keys")
    assert records["keys", "few", "I"]["grammar_digest"] == grammar.grammar_digest
    assert (told["suite"], told["about"]) == ("small", "Two problems")
    assert told["options"] == {
        "format": "parquet",
        "layout": "merula",
        "seed": 0,
        "n": "as the recipe says",
        "split": {"train": "7/10", "test": "3/10"},
        "disjoint": "sets",
        "types": ["I", "III"],
        "parts": [],
        "sets": [],
    }


def test_the_summary(home: Path, tmp_path: Path) -> None:
    lines = suite(home, tmp_path / "out", "--part", "verbs").output.splitlines()
    assert lines[0].split() == (
        "part set type train test lexical sets answers chance grammar alone".split()
    )
    assert lines[2].split() == ["verbs", "four", "I", "42", "18", "6:2", "4", "25.0%", "50.0%"]
    assert lines[-1] == f"{tmp_path / 'out'}  4 files"
    shared = suite(home, tmp_path / "a", "--part", "verbs", "--disjoint", "answers").output
    assert shared.splitlines()[2].split()[5] == "shared"
    assert suite(home, tmp_path / "quiet", "--part", "verbs", "--quiet").output == ""


def test_a_grammar_with_warnings(tmp_path: Path) -> None:
    write(tmp_path, keys=GRAMMAR.replace("number = sg | pl\n", "number = sg | pl\n  x = a | b\n"))
    found = suite(tmp_path, tmp_path / "out", "--part", "keys")
    assert found.exit_code == 0
    assert "keys.merula: 1 warning; `merula check " in found.output


# --- folders ------------------------------------------------------------------------------------


def test_a_finished_suite_is_left_as_it_is(home: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--part", "verbs")
    before = contents(out)
    assert "nothing is left to do" in suite(home, out, "--part", "verbs").output
    (out / "verbs" / "four" / "type_I" / "test.parquet").unlink()
    assert "nothing is left to do" not in suite(home, out, "--part", "verbs").output
    assert contents(out) == before


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (("-n", "9"), "n: as the recipe says there, 9 asked for"),
        (("--disjoint", "answers"), "disjoint: sets there, answers asked for"),
        (("--layout", "wide"), "layout: merula there, wide asked for"),
        (("--type", "III"), "types: I and III there, III asked for"),
        (("--set", "four"), "sets: none there, four asked for"),
    ],
)
def test_another_suite_needs_another_folder(
    home: Path, tmp_path: Path, options: Sequence[str], note: str
) -> None:
    out = made(home, tmp_path / "out", "--part", "verbs")
    before = contents(out)
    found = suite(home, out, "--part", "verbs", *options)
    assert (found.exit_code, "error[M617]" in found.output) == (1, True), found.output
    assert note in found.output
    assert contents(out) == before


def test_a_changed_table_needs_another_folder(tmp_path: Path) -> None:
    write(tmp_path)
    out = made(tmp_path, tmp_path / "out", "--part", "keys")
    (tmp_path / "keys.csv").write_text(KEYS.replace("the as", "as"), encoding="utf-8")
    found = suite(tmp_path, out, "--part", "keys")
    assert "changed since then: the tables, or the surface rules, of keys\n" in found.output


def test_a_run_that_was_ended_while_files_were_moved_begins_again(
    home: Path, data: Path, tmp_path: Path
) -> None:
    out = made(home, tmp_path / "out")
    state = out / ".merula"
    (state / "work-1-x" / "files").mkdir(parents=True)
    (out / "manifest.json").replace(state / "run.json")
    (out / "keys" / "few" / "type_I" / "test.parquet").unlink()
    made(home, out)
    assert contents(out) == contents(data)


def long_run(home: Path, out: Path) -> subprocess.Popen[str]:
    """A run of a second at least, which has begun to work."""
    command = [sys.executable, "-m", "merula.cli", "suite", str(home), "--out", str(out)]
    options = ["--part", "keys", "--type", "III", "-n", "30000", "--split", "50:50", "-w", "1"]
    run = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    while not (out / ".merula" / "run.json").exists() and run.poll() is None:
        time.sleep(0.01)
    return run


def test_ctrl_c_leaves_nothing(home: Path, tmp_path: Path) -> None:
    with long_run(home, tmp_path / "out") as run:
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=120)
    assert (run.returncode, told) == (130, "\ninterrupted: nothing was written\n")
    assert not (tmp_path / "out").exists()


def test_a_run_that_was_killed_leaves_no_data(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with long_run(home, out) as run:
        run.kill()
        run.communicate(timeout=120)
    assert [path.name for path in out.iterdir()] == [".merula"]
    again = suite(home, out, "--part", "verbs")  # another suite
    assert "error[M617]" in again.output


@pytest.mark.parametrize("place", ["file", "file/inside"])
def test_a_folder_that_cannot_be(home: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    found = suite(home, tmp_path / place)
    assert found.exit_code == 1
    assert re.search(r"error\[M60[89]\]", found.output)
    assert contents(tmp_path) == {"file": b"mine"}


def test_a_folder_that_may_not_be_written(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Any, _mode: int = 0o777) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "mkdir", refused)
    found = suite(home, tmp_path / "out")
    assert (found.exit_code, "error[M608]" in found.output) == (1, True), found.output
    assert "= help: " in found.output
    assert not contents(tmp_path)


def test_names_in_any_letters(tmp_path: Path) -> None:
    recipe = RECIPE.replace('"verbs"', '"clés à l’eau"') + 'sets."日本語 ∀" = "four"\n'
    write(tmp_path, recipe)
    out = made(tmp_path, tmp_path / "Daten – ñ")
    assert len(rows(out, "clés à l’eau", "日本語 ∀", "III", "train")) == 42
    assert [check.fault for check in verify(out)] == [""] * 16


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ("--cap", "0.1"),
        ("--order", "x"),
        ("--configuration", "one/keys"),
        ("--layout", "published"),
        ("--disjoint", "lexemes"),
        ("--layout", "wide", "--format", "csv"),
        ("--disjoint", "nothing"),
        ("-n", "0"),
        ("--split", "100"),
    ],
)
def test_options_that_are_not_for_matrices(
    home: Path, tmp_path: Path, options: Sequence[str]
) -> None:
    found = suite(home, tmp_path / "out", *options)
    assert found.exit_code == 2
    assert options[0] in found.output
    assert not (tmp_path / "out").exists()


def test_options_that_are_for_matrices_alone(tmp_path: Path) -> None:
    for options in (("--set", "x"), ("--type", "I"), ("--layout", "xy"), ("--disjoint", "sets")):
        found = suite("npi", tmp_path / "out", *options)
        assert (found.exit_code, "a recipe of paradigms has no " in found.output) == (2, True)


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        (("--part", "verb"), "[M685]: the suite small has no part verb", "did you mean verbs?"),
        (("--part", "x"), "[M685]: the suite small has no part x", "there is keys and verbs"),
        (("--set", "fwe"), "[M685]: the suite small has no set fwe", "did you mean few?"),
        (
            ("--set", "few", "--set", "x"),
            "[M685]: the suite small has no set x",
            "there is early, few, both and four",
        ),
        (("--type", "II"), "[M685]: the suite small has no type II", "there is I and III"),
        (
            ("-n", "100"),
            "[M687]: keys early has 56 matrices of type I for train; 70 are wanted",
            "ask for fewer (-n)",
        ),
        (
            ("--part", "keys", "--disjoint", "answers", "-n", "81"),
            "[M687]: keys early has 80 matrices of type I; 81 are wanted",
            "ask for fewer (-n)",
        ),
    ],
)
def test_what_cannot_be_made(
    home: Path, tmp_path: Path, options: Sequence[str], message: str, remedy: str
) -> None:
    found = suite(home, tmp_path / "out", *options)
    assert (found.exit_code, f"error{message}\n" in found.output) == (1, True), found.output
    assert f"  = help: {remedy}" in found.output
    assert re.search(r"^  --> .*(suite\.toml|keys\.merula)$", found.output, re.MULTILINE)
    assert not (tmp_path / "out").exists()


def changed(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed('"matrices"', '"matrix"'), "[M681]: kind: there is no kind 'matrix'"),
        (changed('kind  = "matrices"', ""), "[M681]: parts 1.sets: there is no field of this name"),
        (changed("n     = 50", "cap = 0.5"), "[M681]: cap: there is no field of this name"),
        (changed("n     = 50", "n = 0"), "[M681]: n: is not a whole number from 1 on"),
        (changed("n       = 60", "n = 0"), "[M681]: parts 2.n: is not a whole number from 1 on"),
        (changed("n     = 50", "types = []"), "[M681]: types: there is none"),
        (changed("n     = 50", 'types = "II"'), "[M681]: types: there is no type II"),
        (changed('"70:30"', '"7"'), "[M681]: split: '7' should be shares"),
        (changed('= ["early", "late"]', "= []"), "[M681]: parts 1.sets.both: there is no matrix"),
        (
            changed('= ["early", "late"]', "= 1"),
            "[M681]: parts 1.sets.both: is not a list of texts",
        ),
        (changed("sets.both ", 'sets."a/b"'), "[M681]: parts 1.sets: a set cannot be named"),
        (
            changed("sets.both ", "sets.FEW"),
            "[M681]: parts 1.sets: few and FEW would be one",
        ),
        (changed('"verbs"', '"KEYS"'), "[M681]: parts: keys and KEYS would be one folder"),
        (
            lambda text: text.replace('"keys"', '"é"').replace('"verbs"', '"e\u0301"'),
            "[M681]: parts: é and e\u0301 would be one folder",
        ),
        (changed('"verbs"', '"keys"'), "[M681]: parts: two parts are named keys"),
        (changed('"verbs"', '"manifest.json"'), "[M681]: parts: a part cannot be named 'manifest"),
        (lambda text: text.partition("[[")[0], "[M681]: parts: there is no part"),
        (changed('"keys"', '"kees"'), "[M601]: the grammar kees does not exist"),
        (changed('= "few"', '= "fwe"'), "[M684]: the grammar of keys has no matrix fwe"),
        (changed('"calls.merula"', '"npi/adverbs"'), "[M684]: the grammar of verbs has no matrix"),
        (changed('"late"]', '"few"]'), "[M684]: the matrices of both in keys cannot be one data"),
        (
            changed('unit    = "V"', 'unit = "adv"'),
            "[M688]: the lexical sets of verbs cannot be divided: not every variant shows lexemes",
        ),
        (
            changed('unit    = "V"', ""),
            "[M688]: the lexical sets of verbs cannot be divided: its grammar has no table of sets",
        ),
        (
            changed('sets.early  = "early"', 'unit = "subj"'),
            "[M688]: the lexical sets of keys cannot be divided",
        ),
    ],
)
def test_a_recipe_with_a_fault(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    write(tmp_path, change(RECIPE))
    found = suite(tmp_path, tmp_path / "out")
    assert (found.exit_code, f"error{message}" in found.output) == (1, True), found.output
    assert "\n  --> " in found.output
    assert "\n  = help: " in found.output
    assert not (tmp_path / "out").exists()


def test_fewer_lexical_sets_than_splits(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "keys.csv").write_text("".join(KEYS.splitlines(True)[:3]), encoding="utf-8")
    found = suite(tmp_path, tmp_path / "out", "--split", "80:10:10", "--part", "keys", "-n", "1")
    assert "error[M688]: keys has 2 lexical sets for 3 splits\n" in found.output


def test_a_grammar_with_an_error_is_named(tmp_path: Path) -> None:
    write(tmp_path, keys=GRAMMAR.replace("flip verb.number", "flip verb.numbr"))
    for workers in (1, 2):
        found = suite(tmp_path, tmp_path / "out", workers=workers)
        assert found.exit_code == 1
        assert "keys.merula:" in found.output
        assert not (tmp_path / "out").exists()


# --- the suite of matrices ----------------------------------------------------------------------


def test_the_recipe_of_the_blm_suite_has_the_published_sizes() -> None:
    recipe = matrix_recipe(read_file("blm"))
    assert recipe.types == TYPES
    assert {part.name: part.n for part in recipe.parts} == {
        **{f"agreement_{language}": 2304 for language in ("fr", "en", "it")},
        **dict.fromkeys(("spray_load", "spray_load_seed", "spray_load_balanced"), 3750),
        **dict.fromkeys(("causative_it", "object_drop_it"), 2430),
    }
    for part in recipe.parts:
        assert Path(recipe.head.grammar_path(part.grammar)).is_file() or "blm" in str(
            recipe.head.folder
        )


def test_the_digest_of_a_recipe_is_the_one_on_disks(home: Path) -> None:
    """It is compared with those of suites that earlier versions have made."""
    digest = "19e98c570f29fe6c2a1baea92fb5a848d99349ea82cb49edd2e6626280f3b993"
    assert matrix_recipe(read_file(str(home))).digest == digest


def test_one_command_makes_a_data_set_of_the_published_size(tmp_path: Path) -> None:
    options = ["--part", "spray_load", "--set", "alt_atl", "--type", "I"]
    out = made("blm", tmp_path / "out", *options)
    found = {s: rows(out, "spray_load", "alt_atl", "I", s) for s in ("train", "test")}
    assert {split: len(own) for split, own in found.items()} == {"train": 3375, "test": 375}
    verbs = {s: {row["lexemes"]["verb"] for row in own} for s, own in found.items()}
    assert (len(verbs["train"]), len(verbs["test"])) == (27, 3)
    assert not verbs["train"] & verbs["test"]
    assert len({right(row) for own in found.values() for row in own}) == 3750
