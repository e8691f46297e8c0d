"""Suites: what is drawn, how it is divided, the tables and files, recipes and folders."""

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
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import merula
from merula.audit import read_corpus
from merula.cli import main
from merula.data.verify import verify
from merula.suite.plan import ParadigmPlan
from merula.suite.recipe import known_suites, paradigm_recipe, read_file
from merula.suite.splits import Split, shared_evenly, split_names
from merula.suite.tables import difference, tokens

ROOT = Path(__file__).resolve().parents[2]
NPI = Path(os.environ.get("MERULA_SHARED", ROOT.parent / "shared")) / "data" / "npi"

NOUNS = (
    "actor baker banker clerk cook dancer doctor driver farmer guard guest judge lawyer nurse"
    " painter pilot poet sailor singer tailor"
).split()
INTRANSITIVE = "called coughed danced fainted laughed slept smiled stayed waited yawned".split()
TRANSITIVE = "admired blamed feared followed greeted helped hired praised thanked visited".split()
WORDS = "\n".join(
    ["lemma,category,frame"]
    + [f"{word},noun," for word in NOUNS]
    + [f"{word},verb,intransitive" for word in INTRANSITIVE]
    + [f"{word},verb,transitive" for word in TRANSITIVE]
)
GRAMMAR = """
phenomenon negation
language en
lexicon "words.csv"
objects
  N1, N2   : noun
  V1, V2   : verb
  licensor : particle
  ever     : adverb
attributes
  licensor      = yes "not"  | no "also"
  ever          = yes "ever" | no "often", "recently"
  licensor.site = main | relative
external
  licensing: ever needs licensor and ever inside licensor.site
select
  N1, N2 differ
  V1 is intransitive
  V2 is transitive
frames
  after  = "the" N1 "who had" @relative [relative V1] "had" @main [main ever V2 "the" N2]
  before = "the" N1 "who had" @relative [relative ever V2 "the" N2] "had" @main [main V1]
paradigm ever = licensor × ever × licensor.site in after | before
"""
QUESTIONS = """
phenomenon questions
language en
lexicon "words.csv"
objects
  N1, N2   : noun
  V2       : verb
  licensor : punctuation
  ever     : adverb
attributes
  licensor = yes "?" | no "."
  ever     = yes "ever" | no "often", "recently"
external
  licensing: ever needs licensor
select
  N1, N2 differ
  V2 is transitive
frames
  question = (licensor: "had") "the" N1 (not licensor: "had") ever V2 "the" N2 licensor
paradigm ever = licensor × ever
"""
RECIPE = """
name   = "small"
n      = 100
cap    = 0.2
part_column   = "environment"
design_column = "npi"
closed = ["particle", "adverb"]
[orders]
balanced = ["after", "before"]
early    = ["before"]
[features.licensor]
factor = "licensor"
[features.scope]
scope     = "{design}"
otherwise = 1
[features.npi_present]
factor = "{design}"
[flags.illusion]
licensor = 1
scope = 0
npi_present = 1
order = "after"
parts = "negation"
[[parts]]
grammar   = "negation"
published = { file = "neg", env = "negation", task = "NPI-negation" }
[[parts]]
grammar   = "questions.merula"
published = { file = "simple", env = "simple", task = "NPI-simple" }
"""
FEATURES = ("licensor", "scope", "npi_present")
Row = Mapping[str, Any]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, its grammars and their table."""
    folder = tmp_path_factory.mktemp("recipe")
    write(folder)
    return folder


def write(folder: Path, recipe: str = RECIPE) -> None:
    for name, text in {
        "words.csv": WORDS,
        "negation.merula": GRAMMAR,
        "questions.merula": QUESTIONS,
        "suite.toml": recipe,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


def suite(home: Path, out: Path, *options: str) -> Result:
    arguments = ["suite", str(home), "--out", str(out), "--workers", "1", *options]
    return CliRunner().invoke(main, arguments)


def made(home: Path, out: Path, *options: str) -> Path:
    found = suite(home, out, *options)
    assert found.exit_code == 0, found.output
    return out


@pytest.fixture(scope="module")
def data(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(home, tmp_path_factory.mktemp("data") / "out")


def rows(folder: Path, kind: str, *splits: str) -> list[Row]:
    files = splits or ("train", "dev", "test")
    return [
        row
        for split in files
        for row in pq.read_table(folder / kind / f"{split}.parquet").to_pylist()
    ]


def by_paradigm(found: Sequence[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row["paradigm"], []).append(row)
    return groups


def values(row: Row) -> tuple[int, ...]:
    return tuple(row[name] for name in FEATURES)


# --- sentences -----------------------------------------------------------------------------


def test_there_are_as_many_paradigms_as_the_recipe_says(data: Path) -> None:
    found = by_paradigm(rows(data, "sentences"))
    sizes = Counter((group[0]["environment"], len(group)) for group in found.values())
    assert sizes == {("negation", 8): 100, ("questions", 4): 100}
    assert "negation-ever-001" in found


def test_splits_have_their_sizes_and_half_of_each_order(data: Path) -> None:
    for environment, orders in (("negation", ("after", "before")), ("questions", (None,))):
        found = Counter(
            (row["split"], row["order"])
            for group in by_paradigm(rows(data, "sentences")).values()
            for row in group[:1]
            if row["environment"] == environment
        )
        sizes = {"train": 80, "dev": 10, "test": 10}
        assert found == {
            (split, order): size // len(orders) for split, size in sizes.items() for order in orders
        }


def test_no_paradigm_stands_in_two_splits(data: Path) -> None:
    found = {
        split: {row["paradigm"] for row in rows(data, "sentences", split)}
        for split in ("train", "dev", "test")
    }
    assert sum(map(len, found.values())) == len(set().union(*found.values())) == 200
    for split in found:
        assert {row["split"] for row in rows(data, "sentences", split)} == {split}


def test_columns_are_those_of_generate_and_of_the_recipe(data: Path, home: Path) -> None:
    own = merula.load(home / "negation.merula")["ever"].generate(1, spans=True).schema.names
    found = pq.read_table(data / "sentences" / "train.parquet").column_names
    told = ["environment", "npi", "paradigm", "split", "order", *FEATURES, "illusion"]
    assert found == [*told, *(name for name in own if name != "scope")]


def test_features_are_those_of_the_cells(data: Path) -> None:
    for row in rows(data, "sentences"):
        licensor, scope, npi = values(row)
        assert licensor == (row["factors"]["licensor"] == "yes")
        assert npi == (row["factors"]["ever"] == "yes")
        assert row["acceptable"] == (not npi or bool(licensor and scope))
        wrong = row["environment"] == "negation" and row["order"] == "after"
        assert row["illusion"] == (wrong and (licensor, scope, npi) == (1, 0, 1))


def test_an_npi_out_of_scope_stands_where_the_order_says(data: Path) -> None:
    checked = 0
    for row in rows(data, "sentences"):
        if row["environment"] == "negation" and values(row)[1:] == (0, 1):
            at = {span["object"]: span["start"] for span in row["spans"]}
            assert (at["ever"] > at["licensor"]) == (row["order"] == "after")
            checked += 1
    assert checked == 200


def test_no_sentence_stands_in_two_paradigms(data: Path) -> None:
    for environment in ("negation", "questions"):
        texts = [r["sentence"] for r in rows(data, "sentences") if r["environment"] == environment]
        assert len(texts) == len(set(texts))


def test_no_lexeme_is_used_more_often_than_the_cap(data: Path) -> None:
    for environment in ("negation", "questions"):
        groups = by_paradigm(
            [r for r in rows(data, "sentences") if r["environment"] == environment]
        )
        for slot in ("N1", "N2", "V1", "V2"):
            used = Counter(group[0]["lexemes"][slot] for group in groups.values())
            used.pop(None, None)
            assert max(used.values(), default=0) <= 20
        assert max(Counter(g[0]["lexemes"]["ever=no"] for g in groups.values()).values()) > 20


def test_the_cap_changes_what_is_drawn(home: Path, tmp_path: Path) -> None:
    """With ten verbs and a cap of 10% each stands in exactly as many paradigms."""
    out = made(home, tmp_path / "out", "--cap", "0.1", "-n", "50")
    groups = by_paradigm([r for r in rows(out, "sentences") if r["environment"] == "negation"])
    used = Counter(group[0]["lexemes"]["V1"] for group in groups.values())
    assert sorted(used.values()) == [5] * 10


def test_an_address_makes_its_row_again(data: Path, home: Path) -> None:
    design = merula.load(home / "negation.merula")["ever"]
    for group in list(by_paradigm(rows(data, "sentences")).values())[:5]:
        instance = design[int(group[0]["address"])]
        assert [cell.text for cell in instance.cells] == [row["sentence"] for row in group]


def test_one_order_alone(home: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--order", "early", "-n", "20")
    found = Counter((row["environment"], row["order"]) for row in rows(out, "sentences"))
    assert found == {("negation", "before"): 160, ("questions", None): 80}


@pytest.mark.parametrize("number", [1, 3, 7])
def test_few_paradigms(home: Path, tmp_path: Path, number: int) -> None:
    out = made(home, tmp_path / "out", "-n", str(number), "--split", "50:25:25")
    groups = by_paradigm(rows(out, "sentences"))
    assert len(groups) == 2 * number
    orders = Counter(g[0]["order"] for g in groups.values() if g[0]["environment"] == "negation")
    assert orders["after"] - orders["before"] == number % 2


def test_the_same_suite_with_two_processes(home: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = CliRunner().invoke(main, ["suite", str(home), "--out", str(out), "--workers", "2"])
    assert found.exit_code == 0, found.output
    assert contents(out) == contents(data)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# --- lexemes of one split only -------------------------------------------------------------


@pytest.fixture(scope="module")
def disjoint(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("disjoint") / "out"
    return made(home, out, "--disjoint", "lexemes", "--split", "50:50", "-n", "60")


def test_no_lexeme_stands_in_two_splits(disjoint: Path) -> None:
    lexemes = {
        split: {
            row["lexemes"][slot]
            for row in rows(disjoint, "sentences", split)
            for slot in ("N1", "N2", "V1", "V2")
        }
        - {None}
        for split in ("train", "test")
    }
    assert not lexemes["train"] & lexemes["test"]
    assert all(len(found) > 10 for found in lexemes.values())
    words = {row["lexemes"]["ever=no"] for row in rows(disjoint, "sentences", "test")}
    assert words == {"often", "recently"}  # words of the grammar are nobody's


def test_splits_without_common_lexemes_are_balanced_too(disjoint: Path) -> None:
    groups = by_paradigm(rows(disjoint, "sentences", "train", "test"))
    found = Counter((g[0]["environment"], g[0]["split"], g[0]["order"]) for g in groups.values())
    expected: dict[tuple[str, str, str | None], int] = {}
    for split in ("train", "test"):
        expected |= {("negation", split, order): 15 for order in ("after", "before")}
        expected["questions", split, None] = 30
    assert found == expected


def test_addresses_are_those_of_the_whole_design(disjoint: Path, home: Path) -> None:
    design = merula.load(home / "negation.merula")["ever"]
    found = rows(disjoint, "sentences", "train", "test")
    groups = by_paradigm([row for row in found if row["environment"] == "negation"])
    for group in list(groups.values())[::7]:
        instance = design[int(group[0]["address"])]
        assert [cell.text for cell in instance.cells] == [row["sentence"] for row in group]


# --- pairs and probing tables --------------------------------------------------------------


def test_pairs_differ_in_one_feature_and_one_is_good(data: Path) -> None:
    groups = by_paradigm(rows(data, "sentences"))
    pairs = by_paradigm(rows(data, "minimal_pairs"))
    assert set(pairs) == set(groups)
    for name, group in groups.items():
        expected = set()
        for bad in group:
            for good in group:
                differing = [f for f in FEATURES if bad[f] != good[f]]
                if len(differing) == 1 and good["acceptable"] and not bad["acceptable"]:
                    expected.add((differing[0], good["sentence"], bad["sentence"]))
        found = [(p["contrast"], p["sentence_good"], p["sentence_bad"]) for p in pairs[name]]
        assert len(found) == len(set(found)) == (5 if group[0]["scope"] + len(group) > 5 else 2)
        assert set(found) == expected


def test_conditions_are_written_as_in_the_published_data(data: Path) -> None:
    found = Counter((p["environment"], p["condition"]) for p in rows(data, "minimal_pairs"))
    of_scope = {
        "licensor=0-1_scope=1_npi_present=1",
        "licensor=1_scope=0-1_npi_present=1",
        "licensor=0_scope=0_npi_present=1-0",
        "licensor=0_scope=1_npi_present=1-0",
        "licensor=1_scope=0_npi_present=1-0",
    }
    simple = {"licensor=0-1_scope=1_npi_present=1", "licensor=0_scope=1_npi_present=1-0"}
    assert found == {
        **{("negation", condition): 100 for condition in of_scope},
        **{("questions", condition): 100 for condition in simple},
    }


def test_spans_of_a_pair_say_what_differs(data: Path) -> None:
    for pair in rows(data, "minimal_pairs"):
        good, bad = pair["sentence_good"], pair["sentence_bad"]
        assert good[: pair["good_start"]] == bad[: pair["bad_start"]]
        assert good[pair["good_end"] :] == bad[pair["bad_end"] :]
        for text, which in ((good, "good"), (bad, "bad")):
            rest = text[pair[f"{which}_spillover_start"] : pair[f"{which}_spillover_end"]]
            assert rest == pair["spillover"]
        if pair["contrast"] == "npi_present" and pair["environment"] == "negation":
            assert bad[pair["bad_start"] : pair["bad_end"]] == "ever"
            assert pair["spillover"]


def test_cloze_pairs_are_those_that_differ_in_a_word(data: Path) -> None:
    pairs = {
        (p["sentence_good"], p["sentence_bad"])
        for p in rows(data, "minimal_pairs")
        if (p["contrast"] != "scope" and p["environment"] == "negation")
        or p["contrast"] == "npi_present"
    }
    found = rows(data, "cloze")
    assert {(p["sentence_good"], p["sentence_bad"]) for p in found} == pairs
    for pair in found:
        assert pair["masked"].replace("[MASK]", pair["good"]) == pair["sentence_good"]
        assert pair["masked"].replace("[MASK]", pair["bad"]) == pair["sentence_bad"]
        assert pair["sentence_good"][pair["start"] : pair["good_end"]] == pair["good"]
        assert pair["sentence_bad"][pair["start"] : pair["bad_end"]] == pair["bad"]


def test_probing_tables_have_a_row_for_each_feature_that_varies(data: Path) -> None:
    expected = Counter(
        (row["environment"], row["split"], row["sentence"], name, row[name])
        for row in rows(data, "sentences")
        for name in FEATURES
        if row["environment"] == "negation" or name != "scope"
    )
    assert expected == Counter(
        (row["environment"], row["split"], row["sentence"], row["feature"], row["label"])
        for row in rows(data, "probing")
    )


def test_a_paradigm_that_is_not_of_npis(tmp_path: Path) -> None:
    """Features of any factors give contrasts; nothing is called after NPIs."""
    write(tmp_path)
    (tmp_path / "keys.csv").write_text(
        "set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl\n"
        + "".join(f"k{i},the key{i},the keys{i},to it,to them,is,are\n" for i in range(10)),
        encoding="utf-8",
    )
    (tmp_path / "keys.merula").write_text(
        'phenomenon keys\nlexicon sets "keys.csv"\nobjects\n  subj, attr : NP (number)\n'
        "  verb : VP (number)\nattributes\n  number = sg | pl\nexternal\n"
        "  agreement: verb.number = subj.number\nframes\n  clause = subj attr verb\n"
        "paradigm attraction = attr.number × verb.number varying subj.number\n",
        encoding="utf-8",
    )
    (tmp_path / "suite.toml").write_text(
        'name = "keys"\nn = 10\nsplit = "90:10"\n'
        '[features.plural_attr]\nfactor = "attr.number"\nyes = "pl"\n'
        '[features.plural_verb]\nfactor = "verb.number"\nyes = "pl"\n'
        '[[parts]]\nname = "agreement"\ngrammar = "keys"\n',
        encoding="utf-8",
    )
    out = made(tmp_path, tmp_path / "out")
    pairs = rows(out, "minimal_pairs", "train", "test")
    assert len(rows(out, "sentences", "train")) == 36
    assert len(pairs) == 20
    assert {pair["contrast"] for pair in pairs} == {"plural_verb"}
    assert {pair["part"] for pair in pairs} == {"agreement"}
    assert not (out / "sentences" / "dev.parquet").exists()


# --- files ---------------------------------------------------------------------------------


def test_formats_hold_the_same_rows(home: Path, tmp_path: Path) -> None:
    tables = made(home, tmp_path / "parquet", "-n", "10")
    lines = made(home, tmp_path / "jsonl", "-n", "10", "--format", "jsonl")
    flat = made(home, tmp_path / "csv", "-n", "10", "--format", "csv")
    for kind in ("sentences", "minimal_pairs", "cloze", "probing"):
        expected = rows(tables, kind, "train")
        text = (lines / kind / "train.jsonl").read_text(encoding="utf-8")
        assert [json.loads(line) for line in text.splitlines()] == expected
        with (flat / kind / "train.csv").open(encoding="utf-8-sig", newline="") as file:
            found = list(csv.DictReader(file))
        name = "masked" if kind == "cloze" else "paradigm"
        assert [row[name] for row in found] == [row[name] for row in expected]


def test_configurations(home: Path, data: Path, tmp_path: Path) -> None:
    listed = json.loads((data / "configurations.json").read_text(encoding="utf-8"))
    both = ["negation", "questions"]
    assert listed["one/negation"] == {"train": ["negation"], "dev": ["negation"], "test": both}
    name = "all_but_one/negation"
    assert listed[name] == {"train": ["questions"], "dev": ["questions"], "test": ["negation"]}
    out = made(home, tmp_path / "out", "--configuration", name)
    for split, parts in listed[name].items():
        expected = [r for r in rows(data, "sentences", split) if r["environment"] in parts]
        found = rows(out, "sentences", split)
        assert [row["sentence"] for row in found] == [row["sentence"] for row in expected]
        pairs = rows(out, "minimal_pairs", split)
        assert {pair["environment"] for pair in pairs} == set(parts)


def test_the_published_layout(home: Path, data: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--layout", "published")
    names = {path.name for path in out.iterdir()}
    splits = ("train", "dev", "test")
    assert names == {
        *(f"{env}_{split}.tsv" for env in ("neg", "simple") for split in splits),
        *("minimal_pairs.tsv", "cloze_pairs.tsv", "manifest.json"),
    }
    lines = [line.split("\t") for line in (out / "neg_dev.tsv").read_text().splitlines()]
    expected = [r for r in rows(data, "sentences", "dev") if r["environment"] == "negation"]
    assert [(cells[1:]) for cells in lines] == [
        [str(int(row["acceptable"])), "", row["sentence"]] for row in expected
    ]
    for (metadata, *_), row in zip(lines, expected, strict=True):
        item = "not" if row["licensor"] else "also"
        licensor, scope, npi = values(row)
        assert metadata == (
            f"experiment=NPI-env=negation-npi=ever-crucial_item={item}-licensor={licensor}"
            f"-scope={scope}-npi_present={npi}-paradigm={row['instance'] + 1}"
        )
    pairs = [line.split("\t") for line in (out / "minimal_pairs.tsv").read_text().splitlines()]
    goods = {row["sentence_good"] for row in rows(data, "minimal_pairs", "test")}
    assert {cells[1 + int(cells[3])] for cells in pairs} == goods
    assert {cells[3] for cells in pairs} == {"0", "1"}
    assert {cells[0] for cells in pairs} == {"NPI-negation", "NPI-simple"}


def test_what_audits_read_is_what_was_made(home: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "--layout", "published", "-n", "20")
    corpus = read_corpus([out])
    assert len(corpus.sentences) == 20 * 8 + 20 * 4
    assert corpus.splits == ("train", "dev", "test") or set(corpus.splits) == {
        "train",
        "dev",
        "test",
    }
    assert len(corpus.pairs) == 2 * (5 + 2) + 2 * (4 + 1)


@pytest.mark.skipif(not NPI.is_dir(), reason="the published NPI data is not beside the project")
def test_names_are_those_of_the_published_data() -> None:
    lines = (NPI / "minimal_pairs.tsv").read_text(encoding="utf-8").splitlines()
    theirs = {
        (cells[0], re.sub(r"^env=(.*?)_licensor=.*", r"\1", cells[4]))
        for cells in (line.split("\t") for line in lines)
    }
    published = [part.published for part in paradigm_recipe(read_file("npi")).parts]
    assert {(p.task, p.env) for p in published if p is not None} == theirs
    conditions = {re.sub(r"^env=.*?_(licensor=)", r"\1", line.split("\t")[4]) for line in lines}
    assert len(conditions) == 5
    files = {path.name.removesuffix("_dev.tsv") for path in NPI.glob("*_dev.tsv")}
    assert files <= {p.file for p in published if p is not None}


def test_digests_tell_what_is_changed(home: Path, tmp_path: Path) -> None:
    for form, name in (("parquet", "cloze/dev.parquet"), ("csv", "probing/test.csv")):
        out = made(home, tmp_path / form, "-n", "10", "--format", form)
        assert [check.fault for check in verify(out)] == [""] * 12
        other = out / name.replace("dev", "train").replace("test", "train")
        (out / name).write_bytes(other.read_bytes())
        (out / f"more.{form}").write_bytes(b"")
        found = {check.file: check.fault for check in verify(out) if check.fault}
        assert set(found) == {name, f"more.{form}"}


# --- folders -------------------------------------------------------------------------------


def test_a_finished_suite_is_left_as_it_is(home: Path, tmp_path: Path) -> None:
    out = made(home, tmp_path / "out", "-n", "5")
    before = contents(out)
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    again = suite(home, out, "-n", "5")
    assert again.exit_code == 0
    assert "nothing is left to do" in again.output
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == times
    (out / "cloze" / "dev.parquet").unlink()
    assert "nothing is left to do" not in suite(home, out, "-n", "5").output
    assert contents(out) == before


def test_other_data_are_never_touched(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    found = suite(home, out)
    assert (found.exit_code, "error[M609]" in found.output) == (1, True)
    assert contents(out) == {"notes.txt": b"mine"}
    state = tmp_path / "run" / ".merula"  # of `merula generate`
    state.mkdir(parents=True)
    (state / "run.json").write_text("{}", encoding="utf-8")
    assert "error[M609]" in suite(home, tmp_path / "run").output
    assert contents(tmp_path / "run") == {".merula/run.json": b"{}"}


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (("-n", "6"), "n: 5 there, 6 asked for"),
        (("--split", "90:10"), "split: 4/5:1/10:1/10 there, 9/10:1/10 asked for"),
        (("--order", "early"), "order: balanced there, early asked for"),
        (("--seed", "1"), "seed: 0 there, 1 asked for"),
    ],
)
def test_another_suite_needs_another_folder(
    home: Path, tmp_path: Path, options: Sequence[str], note: str
) -> None:
    out = made(home, tmp_path / "out", "-n", "5")
    before = contents(out)
    found = suite(home, out, "-n", "5", *options)
    assert (found.exit_code, "error[M617]" in found.output) == (1, True)
    assert note in found.output
    assert contents(out) == before


def test_a_changed_grammar_needs_another_folder(tmp_path: Path) -> None:
    write(tmp_path)
    out = made(tmp_path, tmp_path / "out", "-n", "5")
    (tmp_path / "negation.merula").write_text(GRAMMAR + "# changed\n", encoding="utf-8")
    found = suite(tmp_path, out, "-n", "5")
    assert "changed since then: the grammar of negation\n" in found.output


def test_a_run_that_was_killed_begins_again(home: Path, tmp_path: Path) -> None:
    whole = contents(made(home, tmp_path / "whole", "-n", "5"))
    out = made(home, tmp_path / "out", "-n", "5")
    # as a run leaves it that is ended while files are moved to their places
    state = out / ".merula"
    (state / "work-1-x" / "files").mkdir(parents=True)
    (out / "manifest.json").replace(state / "run.json")
    (out / "cloze" / "test.parquet").unlink()
    made(home, out, "-n", "5")
    assert contents(out) == whole


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "merula.cli", "suite", str(tmp_path), "--out", str(out)]
    with subprocess.Popen(
        [*command, "--cap", "1", "-n", "60000", "-w", "1"], stderr=subprocess.PIPE, text=True
    ) as run:
        while not out.exists() and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=120)
    assert (run.returncode, told) == (130, "\ninterrupted: nothing was written\n")
    assert not out.exists()


@pytest.mark.parametrize("place", ["file", "file/inside"])
def test_a_folder_that_cannot_be(home: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    found = suite(home, tmp_path / place)
    assert found.exit_code == 1
    assert re.search(r"error\[M60[89]\]", found.output)
    assert contents(tmp_path) == {"file": b"mine"}


# --- what is said --------------------------------------------------------------------------


def test_the_summary(home: Path, tmp_path: Path) -> None:
    found = suite(home, tmp_path / "out", "-n", "10")
    lines = found.output.splitlines()
    assert lines[0].split() == (
        "environment npi paradigms sentences word types largest share of a lexeme".split()
    )
    assert lines[2].split()[:4] == ["negation", "ever", "10", "80"]
    assert [line.split()[:3] for line in lines if line.startswith("all")] == [["all", "20", "120"]]
    assert lines[-1] == f"{tmp_path / 'out'}  12 files"
    assert suite(home, tmp_path / "quiet", "-n", "10", "--quiet").output == ""


def test_the_manifest_says_how_it_was_made(data: Path) -> None:
    found = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    assert found["options"]["split"] == {"train": "4/5", "dev": "1/10", "test": "1/10"}
    design = found["designs"][0]
    assert (design["part"], design["paradigms"], design["sentences"]) == ("negation", 100, 800)
    assert design["orders"] == {"after": 50, "before": 50}
    assert design["of"] == "152000"
    counted = Counter(
        group[0]["lexemes"][design["largest"]["slot"]]
        for group in by_paradigm(rows(data, "sentences")).values()
        if group[0]["environment"] == "negation"
    )
    assert counted[design["largest"]["lexeme"]] == design["largest"]["paradigms"]
    words = {
        word.lower()
        for row in rows(data, "sentences")
        for word, _, _ in tokens(row["sentence"])
        if word[0].isalnum()
    }
    assert found["word_types"] == len(words)


def changed(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed('name   = "small"', ""), "[M681]: name: is missing"),
        (changed('name   = "small"', 'name = " "'), "[M681]: name: is not a text"),
        (changed("n      = 100", "n = 0"), "[M681]: n: is not a whole number from 1 on"),
        (changed("n      = 100", "n = true"), "[M681]: n: is not a whole number from 1 on"),
        (changed("cap    = 0.2", "cap = 3"), "[M681]: cap: is not a number above 0 and up to 1"),
        (changed("cap    = 0.2", "cpa = 0.2"), "[M681]: cpa: there is no field of this name"),
        (changed("cap    = 0.2", 'split = "x"'), "[M681]: split: 'x' should be shares"),
        (changed('scope     = "{design}"', ""), "[M681]: features.scope: a feature is of a factor"),
        (changed('order = "after"', 'order = "aftr"'), "[M681]: flags.illusion.order: there is no"),
        (changed('parts = "negation"', 'parts = "x"'), "[M681]: flags.illusion.parts: there is no"),
        (changed('balanced = ["after", "before"]', "balanced = []"), "[M681]: orders.balanced:"),
        (changed("[flags.illusion]", "[flags.split]"), "[M681]: two columns would be named split"),
        (changed('"environment"', '"scope"'), "[M681]: two columns would be named scope"),
        (lambda text: text.partition("[[")[0], "[M681]: parts: there is no part"),
        (
            changed('"questions.merula"', '"negation"'),
            "[M681]: parts: two parts are named negation",
        ),
        (changed('"questions.merula"', '"a"\nname = "../a"'), "cannot be named '../a'"),
        (changed('"simple"', '"../a"'), "[M681]: parts: a file cannot be named '../a'"),
        (changed('"simple"', '"neg"'), "[M681]: parts: two files are named neg"),
        (changed('"simple"', '"Neg"'), "[M681]: parts: neg and Neg would be one file"),
        (
            changed('"questions.merula"', '"question"'),
            "[M601]: the grammar question does not exist",
        ),
        (
            changed('grammar   = "negation"', 'grammar = "negation"\ndesigns = "any"'),
            "[M684]: the gr",
        ),
        (
            changed('factor = "licensor"', 'factor = "licenser"'),
            "[M684]: features.licensor: negation",
        ),
        (changed('factor = "licensor"', 'factor = "licensor"\nyes = "y"'), "is never y"),
        (changed("otherwise = 1", ""), "[M684]: features.scope: questions ever has no scope ever"),
        (changed("[orders]", "[orders"), "[M680]: the recipe"),
        (lambda text: text.replace("=", ""), "[M680]: the recipe"),
    ],
)
def test_a_recipe_with_a_fault(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    write(tmp_path, change(RECIPE))
    found = suite(tmp_path, tmp_path / "out")
    assert found.exit_code == 1
    assert f"error{message}" in found.output or message in found.output
    assert "= help: " in found.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-n", "200000"), "[M682]: negation ever has 152,000 instances; 200,000 are wanted"),
        (("--cap", "0.05"), "[M683]: negation ever: 10 lexemes for `V1` are too few for 100"),
        (("--order", "erly"), "[M685]: the suite small has no order erly"),
        (("--configuration", "one/negatio"), "[M685]: the suite small has no configuration"),
        (("--disjoint", "lexemes", "--split", "98:1:1"), "[M686]: negation ever, "),
    ],
)
def test_what_cannot_be_made(
    home: Path, tmp_path: Path, options: Sequence[str], message: str
) -> None:
    found = suite(home, tmp_path / "out", *options)
    assert (found.exit_code, f"error{message}" in found.output) == (1, True), found.output
    assert "= help: " in found.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", [b"\xff\xfe", b""])
def test_a_recipe_that_is_no_text(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "suite.toml").write_bytes(text)
    assert "error[M68" in suite(tmp_path, tmp_path / "out").output


def test_a_recipe_from_windows(tmp_path: Path) -> None:
    write(tmp_path, "")
    windows = b"\xef\xbb\xbf" + RECIPE.replace("\n", "\r\n").encode()
    (tmp_path / "suite.toml").write_bytes(windows)
    assert suite(tmp_path, tmp_path / "out", "-n", "2").exit_code == 0


@pytest.mark.parametrize(
    "options", [("--split", "80"), ("--split", "-1:2"), ("-n", "0"), ("--cap", "0")]
)
def test_options_that_make_no_sense(home: Path, tmp_path: Path, options: Sequence[str]) -> None:
    assert suite(home, tmp_path / "out", *options).exit_code == 2


# --- the suite of NPIs ---------------------------------------------------------------------


def test_the_recipe_of_the_npi_suite() -> None:
    assert "npi" in known_suites()
    recipe = paradigm_recipe(read_file("npi"))
    assert len(recipe.parts) == 9
    head = recipe.head
    assert head.split.sizes(head.n) == {"train": 800, "dev": 100, "test": 100}
    assert (head.n, recipe.cap, list(recipe.orders)) == (1000, 0.03, ["balanced", "published"])
    ParadigmPlan(recipe, layout="published", order="published").check()
    for part in recipe.parts:
        assert Path(head.grammar_path(part.grammar)).is_file()


def test_the_digest_of_a_recipe_is_the_one_on_disks(home: Path) -> None:
    """It is compared with those of suites that earlier versions have made."""
    digest = "d0d8b3f0f6512059b4bf36cc3f25782853136128764672d5cb657714555d9176"
    assert paradigm_recipe(read_file(str(home))).digest == digest


def test_the_suite_is_offered_by_the_shell() -> None:
    names = [item.value for item in completions("np")]
    assert names[0] == "npi"


def completions(start: str) -> list[Any]:
    from merula.cli.suite import _complete_suite
    from merula.cli.suite import suite as command

    context = command.make_context("suite", [], resilient_parsing=True)
    return _complete_suite(context, command.params[0], start)


# --- properties ----------------------------------------------------------------------------

shares = st.lists(st.integers(0, 100), min_size=2, max_size=3).filter(any)


@given(shares, st.integers(0, 500))
def test_splits_add_up_and_are_near_their_shares(parts: Sequence[int], number: int) -> None:
    split = Split.of(":".join(map(str, parts)))
    sizes = split.sizes(number)
    assert sum(sizes.values()) == number
    for name, share in split.shares:
        assert abs(sizes[name] - share * number) < 1
    assert sum(share for _, share in split.shares) == Fraction(1)


@given(shares, st.lists(st.integers(0, 2), max_size=120), st.integers(0, 9))
def test_kinds_are_spread_over_splits(parts: Sequence[int], kinds: list[int], seed: int) -> None:
    split = Split.of(":".join(map(str, parts)))
    found = split_names(split, kinds, seed)
    sizes = split.sizes(len(kinds))
    assert Counter(found) == {name: size for name, size in sizes.items() if size}
    for kind, number in Counter(kinds).items():
        for name, size in sizes.items():
            mine = sum(k == kind and f == name for k, f in zip(kinds, found, strict=True))
            assert abs(mine - number * size / len(kinds)) <= 2


@given(st.integers(0, 50), st.integers(1, 4), st.integers(0, 9))
def test_kinds_taken_in_turn(number: int, kinds: int, first: int) -> None:
    taken = Counter(i % kinds for i in range(first, first + number))
    assert shared_evenly(number, kinds, first) == [taken[i] for i in range(kinds)]


@given(st.text(max_size=12), st.integers(0, 5))
def test_a_lexeme_is_on_one_side(lemma: str, seed: int) -> None:
    split = Split.of("60:20:20")
    assert split.split_of(lemma, seed) == split.split_of(lemma, seed)
    assert split.split_of(lemma, seed) in split.names


def test_sides_have_their_shares() -> None:
    split = Split.of("80:10:10")
    sides = Counter(split.split_of(f"lemma{i}", 1) for i in range(4000))
    for name, share in split.shares:
        assert abs(sides[name] / 4000 - share) < 0.03


sentences = st.lists(
    st.sampled_from("the a dog dogs ever's ran , no-one é".split()), max_size=7
).map(lambda words: " ".join(words).capitalize() + ".")


@given(sentences, sentences)
def test_a_difference_is_all_that_differs(one: str, other: str) -> None:
    found = difference(one, other)
    mine, theirs = found.one, found.other
    before = [word for word, _, end in tokens(one) if end <= mine.start]
    after = [word for word, start, _ in tokens(one) if start >= mine.end]
    assert before == [word for word, _, end in tokens(other) if end <= theirs.start]
    assert after == [word for word, start, _ in tokens(other) if start >= theirs.end]
    assert found.one_rest.of(one) == found.other_rest.of(other)
    assert len(before) + mine.words + len(after) == len(tokens(one))
    if one == other:
        assert mine.words == theirs.words == 0
