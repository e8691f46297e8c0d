"""`merula export`: each format says what the published rows say, and nothing is lost on the way."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from export_folders import KEYS, KEYS_CSV, keys, publish, run
from merula.audit import read_corpus
from merula.cli import main
from merula.core.diagnostics import MerulaError
from merula.data.folder import new_folder
from merula.exports import format_names
from merula.exports.make import FORMATS, export
from merula.exports.pairs import (
    ContrastPair,
    PairContrast,
    lexically_identical,
    one_prefix,
    two_prefix,
)
from merula.exports.regions import Alignment, Unit, pieces
from merula.exports.texts import csv_line, distinct, name_of, yaml_text

ROOT = Path(__file__).resolve().parents[2]
BLIMP = Path(os.environ.get("MERULA_SHARED", ROOT.parent / "shared")) / "data" / "blimp"

Row = dict[str, Any]
# What BLiMP has only where it fits: other fields are in all of its files.
PREFIXES = ("one_prefix_prefix", "one_prefix_word", "two_prefix_prefix", "two_prefix_word")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All instances of small paradigms and a matrix, with odd characters."""
    return keys(tmp_path_factory.mktemp("keys"), "-n", 12, "--seed", 5)


@pytest.fixture(scope="module")
def npi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("npi") / "npi", "npi/only", "-n", 20)


@pytest.fixture(scope="module")
def blm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blm") / "blm"
    return publish(folder, "blm/agreement_fr", "blm/spray_load", "-n", 12)


def exported(data: Path, form: str, out: Path, *args: object) -> Path:
    done = run("export", data, "--as", form, "--out", out, *args)
    assert done.exit_code == 0, done.output
    return out


def rows(data: Path, config: str, split: str = "test") -> list[Row]:
    """The published rows of a configuration as the Parquet files have them, numbers as names."""
    about = json.loads((data / "merula.json").read_text(encoding="utf-8"))
    (entry,) = (own for own in about["configs"] if own["name"] == config)
    files = [f["file"] for own in entry["splits"] if own["name"] == split for f in own["files"]]
    found = [row for file in files for row in pq.read_table(data / file).to_pylist()]
    names = {k: v["names"] for k, v in entry["features"].items() if v.get("_type") == "ClassLabel"}
    lists = {
        k: v["feature"]["names"]
        for k, v in entry["features"].items()
        if v.get("_type") == "List" and v["feature"].get("_type") == "ClassLabel"
    }
    factors = entry["features"].get("factors", {})
    for row in found:
        for name, known in names.items():
            row[name] = None if row[name] is None else known[row[name]]
        for name, known in lists.items():
            row[name] = [known[value] for value in row[name]]
        for name, feature in factors.items():
            row["factors"][name] = feature["names"][row["factors"][name]]
    return found


def instances(data: Path, config: str, split: str = "test") -> dict[str, dict[str, Row]]:
    """The rows of a paradigm by address and cell."""
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows(data, config, split):
        found[row["address"]][row["cell"]] = row
    return found


def contrasts(cells: dict[str, Row]) -> set[tuple[str, str]]:
    """The good and the bad cells of an instance that differ in one factor."""
    found = set()
    for good, bad in product(cells.values(), repeat=2):
        different = [
            name for name in good["factors"] if good["factors"][name] != bad["factors"][name]
        ]
        if good["label"] == "acceptable" and bad["label"] == "unacceptable" and len(different) == 1:
            found.add((good["cell"], bad["cell"]))
    return found


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# --- BLiMP -----------------------------------------------------------------------------------


def test_blimp_has_every_contrast_of_every_instance(data: Path, npi: Path, tmp_path: Path) -> None:
    for source, config in ((data, "keys-attraction"), (data, "keys-crossed"), (npi, "only-ever")):
        out = exported(source, "blimp", tmp_path / config, "--config", config)
        there = instances(source, config)
        found: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for path in out.iterdir():
            for number, pair in enumerate(lines(path)):
                good = there[pair["address"]][pair["cell_good"]]
                bad = there[pair["address"]][pair["cell_bad"]]
                assert (pair["sentence_good"], pair["sentence_bad"]) == (
                    good["sentence"],
                    bad["sentence"],
                )
                assert pair["UID"] == path.stem
                assert pair["pairID"] == str(number)
                assert pair["instance"] == good["instance"]
                assert (pair["config"], pair["split"]) == (config, "test")
                assert pair["broken"]
                (about,) = (n for n in good["factors"] if good["factors"][n] != bad["factors"][n])
                assert pair["contrast"] == about
                found[pair["address"]].add((pair["cell_good"], pair["cell_bad"]))
        assert found == {address: contrasts(cells) for address, cells in there.items()}


def test_blimp_of_a_matrix_pairs_the_right_answer_with_external_errors(
    blm: Path, tmp_path: Path
) -> None:
    for config in ("agreement_fr-balanced-type_I", "spray_load-alt_atl-type_III"):
        out = exported(blm, "blimp", tmp_path / config, "--config", config)
        there = {row["address"]: row for row in rows(blm, config)}
        found = []
        for path in out.iterdir():
            for pair in lines(path):
                row = there[pair["address"]]
                label = pair["cell_bad"]
                assert pair["UID"] == path.stem == f"{config}-{label.replace('+', '_')}"
                assert pair["cell_good"] == "Correct"
                assert pair["sentence_good"] == row["answers"][row["correct"]]
                assert pair["sentence_bad"] == row["answers"][row["labels"].index(label)]
                found.append((pair["address"], label))
        expected = [
            (address, label)
            for address, row in there.items()
            for label, letter in zip(row["labels"], row["classes"], strict=True)
            if letter == "E"
        ]
        assert sorted(found) == sorted(expected)


def test_the_fields_are_those_of_blimp(npi: Path, tmp_path: Path) -> None:
    out = exported(npi, "blimp", tmp_path / "out", "--field", "semantics")
    if not BLIMP.is_dir():
        pytest.skip(f"there is no published data in {BLIMP}")
    published = [json.loads(path.read_text("utf-8").partition("\n")[0]) for path in BLIMP.iterdir()]
    kinds = {name: type(value) for row in published for name, value in row.items()}
    for path in out.iterdir():
        for pair in lines(path):
            assert {name: type(pair[name]) for name in kinds} == kinds
            assert pair["field"] == "semantics"
            assert list(pair)[:10] == [n for n in published[0] if not n.startswith(PREFIXES)]


def test_published_blimp_would_get_the_methods_that_it_has() -> None:
    """Where its sentences decide: of one word for another after one beginning, and of scope."""
    if not BLIMP.is_dir():
        pytest.skip(f"there is no published data in {BLIMP}")
    none = PairContrast("", "", ("", ""))
    for name in ("npi_present_1", "regular_plural_subject_verb_agreement_1"):
        for row in lines(BLIMP / f"{name}.jsonl"):
            at = len(row["one_prefix_prefix"]) + 1
            pair = ContrastPair(none, row["sentence_good"], row["sentence_bad"], 0, "0", [], at)
            found = one_prefix(pair)
            if found is None:  # its words may be phrases
                assert " " in row["one_prefix_word_good"] + row["one_prefix_word_bad"]
                continue
            assert (found.good, found.good_word, found.bad_word) == (
                row["one_prefix_prefix"],
                row["one_prefix_word_good"],
                row["one_prefix_word_bad"],
            )
            assert not lexically_identical(pair.good, pair.bad)
    for name in ("only_npi_scope", "sentential_negation_npi_scope"):
        for row in lines(BLIMP / f"{name}.jsonl"):
            at = len(row["two_prefix_prefix_bad"]) + 1
            pair = ContrastPair(none, row["sentence_good"], row["sentence_bad"], 0, "0", [], at)
            found = two_prefix(pair)
            assert found is not None
            assert (found.good, found.bad, found.bad_word) == (
                row["two_prefix_prefix_good"],
                row["two_prefix_prefix_bad"],
                row["two_prefix_word"],
            )
            assert lexically_identical(pair.good, pair.bad) == row["lexically_identical"]


def test_prefixes_are_beginnings_and_words_go_on(data: Path, npi: Path, tmp_path: Path) -> None:
    seen: Counter[tuple[str, bool, bool]] = Counter()
    for i, source in enumerate((data, npi)):
        for path in exported(source, "blimp", tmp_path / str(i)).iterdir():
            for pair in lines(path):
                good, bad = pair["sentence_good"], pair["sentence_bad"]
                if pair["one_prefix_method"]:
                    prefix = pair["one_prefix_prefix"]
                    assert good.startswith(f"{prefix} {pair['one_prefix_word_good']}")
                    assert bad.startswith(f"{prefix} {pair['one_prefix_word_bad']}")
                if pair["two_prefix_method"]:
                    word = pair["two_prefix_word"]
                    assert good.startswith(f"{pair['two_prefix_prefix_good']} {word}")
                    assert bad.startswith(f"{pair['two_prefix_prefix_bad']} {word}")
                    assert pair["two_prefix_prefix_good"] != pair["two_prefix_prefix_bad"]
                for name in ("one_prefix_prefix", "two_prefix_word"):
                    assert bool(pair[name]) == pair[f"{name[:10]}_method"]
                seen[pair["contrast"], pair["one_prefix_method"], pair["two_prefix_method"]] += 1
    # another verb after the same words; another subject before the same verb; the NPI after a scope
    assert {("verb.number", True, False), ("subj.number", False, True)} <= set(seen)
    assert {
        ("ever", True, False),
        ("licensor", False, True),
        ("licensor.site", False, True),
    } <= set(seen)


def test_an_audit_reads_the_pairs(npi: Path, tmp_path: Path) -> None:
    out = exported(npi, "blimp", tmp_path / "out")
    corpus = read_corpus(sorted(out.iterdir()))
    assert len(corpus.pairs) == sum(len(lines(path)) for path in out.iterdir())


# --- minicons --------------------------------------------------------------------------------


def test_tables_of_pairs_of_cells(data: Path, tmp_path: Path) -> None:
    out = exported(data, "minicons", tmp_path / "out")
    for config in ("keys-attraction", "keys-crossed"):
        there, found = instances(data, config), defaultdict(set)
        for number, pair in enumerate(table(out / f"{config}.csv")):
            cells = there[pair["address"]]
            good, bad = cells[pair["good_cell"]], cells[pair["bad_cell"]]
            assert (pair["good"], pair["bad"]) == (good["sentence"], bad["sentence"])
            assert (pair["pair"], pair["instance"]) == (str(number), str(good["instance"]))
            same = pair["good"][: int(pair["good_start"])] + pair["good"][int(pair["good_end"]) :]
            assert (
                same == pair["bad"][: int(pair["bad_start"])] + pair["bad"][int(pair["bad_end"]) :]
            )
            found[pair["address"]].add((pair["good_cell"], pair["bad_cell"]))
        assert found == {address: contrasts(cells) for address, cells in there.items()}


def test_tables_of_answers_have_the_items_before(blm: Path, tmp_path: Path) -> None:
    out = exported(blm, "minicons", tmp_path / "out")
    for path in out.iterdir():
        there = {row["address"]: row for row in rows(blm, path.stem)}
        found: Counter[str] = Counter()
        for pair in table(path):
            row = there[pair["address"]]
            assert pair["prefix"] == " ".join(row["context"])
            assert pair["good"] == row["answers"][row["correct"]]
            assert pair["bad"] == row["answers"][row["labels"].index(pair["bad_cell"])]
            found[pair["address"]] += 1
        assert found == {address: len(row["answers"]) - 1 for address, row in there.items()}


# --- SyntaxGym -------------------------------------------------------------------------------

ATOM = re.compile(r"\((\d+);%([A-Za-z0-9_-]+)%\)")


class Suite:
    """A suite, read as strictly as its published schema and its parser of formulas demand."""

    def __init__(self, path: Path) -> None:
        said = json.loads(path.read_text(encoding="utf-8"))
        assert {"meta", "region_meta", "predictions", "items"} == set(said)
        assert isinstance(said["meta"]["name"], str)
        assert said["meta"]["metric"] == "sum"
        self.meta, self.items = said["meta"], said["items"]
        assert list(said["region_meta"]) == [str(i + 1) for i in range(len(said["region_meta"]))]
        self.regions = list(said["region_meta"].values())
        self.conditions = [c["condition_name"] for c in self.items[0]["conditions"]]
        assert len(set(self.conditions)) == len(self.conditions)
        for number, item in enumerate(self.items, start=1):
            assert item["item_number"] == number
            assert [c["condition_name"] for c in item["conditions"]] == self.conditions
            for condition in item["conditions"]:
                assert set(condition) == {"condition_name", "regions"}
                numbers = [region["region_number"] for region in condition["regions"]]
                assert numbers == list(range(1, len(self.regions) + 1))
                for region in condition["regions"]:
                    assert set(region) == {"region_number", "content"}
                    assert region["content"] == region["content"].strip()
        self.predictions = [self._prediction(p) for p in said["predictions"]]
        assert self.predictions

    def _prediction(self, said: Row) -> tuple[str, str, list[int]]:
        """The bad and the good condition, and the regions that are summed."""
        assert set(said) == {"type", "formula"}
        assert said["type"] == "formula"
        sides = said["formula"].split(" > ")
        found = [[(int(n), c) for n, c in ATOM.findall(side)] for side in sides]
        for side, atoms in zip(sides, found, strict=True):
            # a sum takes two operands at a time
            total = f"({atoms[0][0]};%{atoms[0][1]}%)"
            for number, condition in atoms[1:]:
                total = f"({total} + ({number};%{condition}%))"
            assert side == total
        (bad,), (good,) = ({c for _, c in atoms} for atoms in found)
        numbers = [[n for n, _ in atoms] for atoms in found]
        assert numbers[0] == numbers[1]
        assert {bad, good} <= set(self.conditions)
        return bad, good, numbers[0]

    def sentences(self) -> Iterator[tuple[Row, str, list[str]]]:
        for item in self.items:
            for condition in item["conditions"]:
                content = [region["content"] for region in condition["regions"]]
                yield item, condition["condition_name"], content


def suites(source: Path, out: Path, *args: object) -> list[Suite]:
    return [Suite(path) for path in sorted(exported(source, "syntaxgym", out, *args).iterdir())]


def test_regions_joined_are_the_sentences(data: Path, npi: Path, tmp_path: Path) -> None:
    for i, source in enumerate((data, npi)):
        found: dict[str, set[str]] = defaultdict(set)
        for suite in suites(source, tmp_path / str(i)):
            there = instances(source, suite.meta["config"])
            for item, condition, content in suite.sentences():
                cell = suite.meta["conditions"][condition]
                row = there[item["address"]][cell["cell"]]
                assert " ".join(words for words in content if words) == row["sentence"]
                assert cell["acceptable"] == (row["label"] == "acceptable")
                assert cell["factors"] == row["factors"]
                assert (row["instance"], row["frame"]) == (item["instance"], suite.meta["frame"])
                for span in row["spans"]:
                    words = row["sentence"][span["start"] : span["end"]]
                    named = zip(suite.regions, content, strict=True)
                    own = [text for name, text in named if name.partition(" ")[0] == span["object"]]
                    assert any(words in text for text in own)
            found[suite.meta["config"]] |= {item["address"] for item in suite.items}
        for config, addresses in found.items():
            assert addresses == set(instances(source, config))


def test_predictions_are_the_contrasts(data: Path, npi: Path, tmp_path: Path) -> None:
    for i, source in enumerate((data, npi)):
        for suite in suites(source, tmp_path / str(i)):
            there = instances(source, suite.meta["config"])
            cells = {name: own["cell"] for name, own in suite.meta["conditions"].items()}
            said = {(cells[good], cells[bad]) for bad, good, _ in suite.predictions}
            assert all(contrasts(there[item["address"]]) == said for item in suite.items)


def test_a_prediction_is_about_the_place_where_it_shows(
    data: Path, npi: Path, tmp_path: Path
) -> None:
    (ever,) = (s for s in suites(npi, tmp_path / "n") if s.meta["name"] == "only-ever-after")
    assert {ever.regions[n - 1] for _, _, (n,) in ever.predictions} == {"ever"}
    for suite in suites(data, tmp_path / "d"):
        assert {suite.regions[n - 1] for _, _, (n,) in suite.predictions} == {"verb"}
        by_item: dict[int, dict[str, list[str]]] = defaultdict(dict)
        for item, condition, content in suite.sentences():
            by_item[item["item_number"]][condition] = content
        good_ones = [n for n, own in suite.meta["conditions"].items() if own["acceptable"]]
        for (bad, good, (number,)), own in product(suite.predictions, by_item.values()):
            assert own[good][number - 1]
            begins = [own[name][: number - 1] == own[bad][: number - 1] for name in good_ones]
            goes_on = [own[name][:number] == own[bad][:number] for name in good_ones]
            assert any(begins)
            assert not any(goes_on)


ABSENT = """\
phenomenon drop "An object that has to be there, or must not"
lexicon sets "drop.csv"
objects
  subj    : NP
  verb    : VP (valency)
  object? : NP
attributes
  valency = intr | tr
external
  valency: verb.valency = tr -> object else not object
frames
  clause = subj verb object "again"
paradigm valency = verb.valency × object
"""


def test_whole_sentences_are_compared_where_a_region_is_missing(tmp_path: Path) -> None:
    (tmp_path / "drop.merula").write_text(ABSENT, encoding="utf-8")
    table = "subj,verb.intr,verb.tr,object\nthe dog,sleeps,sees,the cat\na cow,falls,eats,grass\n"
    (tmp_path / "drop.csv").write_text(table, encoding="utf-8")
    (suite,) = suites(publish(tmp_path / "data", tmp_path / "drop.merula"), tmp_path / "out")
    assert suite.regions == ["subj", "verb", "object", "again."]
    found = {(bad, good): numbers for bad, good, numbers in suite.predictions}
    # *the dog sleeps the cat* shows at the object, which *the dog sleeps* has not
    assert found["intr_present", "intr_absent"] == [1, 2, 3, 4]
    # *the dog sees again* shows at the last word, which is the same after another verb
    assert found["tr_absent", "intr_absent"] == [4]
    (first, *_) = suite.sentences()
    assert "" in first[2]


SPACES = st.text("abc’'.,é文 \u00a0", max_size=12)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd"), SPACES), min_size=1, max_size=8))
def test_pieces_are_the_sentence(parts: list[tuple[bool, str, str]]) -> None:
    sentence, spans = "", []
    for spanned, name, words in parts:
        if spanned and words:
            spans.append((name, len(sentence), len(sentence) + len(words)))
        sentence += words
    found = pieces(sentence, spans)
    assert " ".join(words for _, words in found) == sentence
    inner = [words for _, words in found[1:-1]]
    assert all(words == words.strip(" ") for words in inner)


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=6))
def test_sentences_fit_into_common_places(orders: list[list[str]]) -> None:
    row = Alignment()
    for order in orders:
        row.add(map(Unit, order))
    for order in orders:
        places = row.places(map(Unit, order))
        assert places == sorted(set(places))
        assert [row.row[place][1].name for place in places] == order
    assert len(set(row.names())) == len(row.row)
    assert len(row.row) <= sum(map(len, orders))


def test_places_are_not_wasted() -> None:
    row = Alignment()
    row.add(map(Unit, ["only", "the", "n", "had", "the", "m", "ever"]))
    row.add(map(Unit, ["the", "n", "had", "only", "the", "m", "ever"]))
    row.add(map(Unit, ["the", "n", "ever"]))
    assert row.names() == ["only", "the", "n", "had", "only 2", "the 2", "m", "ever"]
    assert row.places(map(Unit, ["the", "n", "ever"])) == [1, 2, 7]


# --- what all formats have in common ---------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_folder_gives_the_same_bytes(data: Path, tmp_path: Path, form: str) -> None:
    one, other = (exported(data, form, tmp_path / name) for name in ("one", "other"))
    files = [path.relative_to(one) for path in sorted(one.rglob("*")) if path.is_file()]
    assert files
    assert files == [p.relative_to(other) for p in sorted(other.rglob("*")) if p.is_file()]
    assert all((one / file).read_bytes() == (other / file).read_bytes() for file in files)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "latin-square"])
def test_splits_are_folders_or_tasks(tmp_path: Path, form: str) -> None:
    data = keys(tmp_path, "-n", 10, "--split", "50:0:50")
    out = exported(data, form, tmp_path / "out", "--config", "keys-crossed")
    if form == "lm-eval":
        assert "training_split: train" in next(out.glob("merula_*.yaml")).read_text("utf-8")
    else:
        assert sorted(path.name for path in out.iterdir()) == ["test", "train"]
    test = exported(data, form, tmp_path / "test", "--config", "keys-crossed", "--split", "test")
    part = test if form == "lm-eval" else out / "test"
    addresses = {row["address"] for row in rows(data, "keys-crossed", "test")}
    texts = "".join(p.read_text("utf-8") for p in part.rglob("*") if p.is_file())
    found = set(re.findall(r'"address": "(\d+)"', texts))
    if form == "minicons":
        found = {row["address"] for path in part.iterdir() for row in table(path)}
    assert found <= addresses
    assert found
    for path in test.rglob("*.*"):
        if form != "lm-eval" and path.is_file():
            assert (part / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("form", ["blimp", "minicons", "lm-eval", "syntaxgym"])
def test_the_first_instances(data: Path, tmp_path: Path, form: str) -> None:
    out = exported(data, form, tmp_path / "out", "-n", 3, "--config", "keys-crossed")
    first = list(dict.fromkeys(row["address"] for row in rows(data, "keys-crossed")))[:3]
    texts = "".join(path.read_text("utf-8") for path in out.rglob("*") if path.is_file())
    found = set(re.findall(r'"address": "(\d+)"', texts))
    if form == "minicons":
        found = {row["address"] for row in table(out / "keys-crossed.csv")}
    assert found == set(first)


def test_the_instances_of_a_batch_are_not_cut(
    npi: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = exported(npi, "blimp", tmp_path / "whole")
    monkeypatch.setattr("merula.exports.instances.CHUNK_ROWS", 3)
    small = exported(npi, "blimp", tmp_path / "small")
    for path in whole.iterdir():
        assert path.read_bytes() == (small / path.name).read_bytes()


def test_what_does_not_fit_is_left_out_and_said(data: Path, tmp_path: Path) -> None:
    done = run("export", data, "--as", "syntaxgym", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "left out, for syntaxgym does not fit them: keys-four-type_I, keys-four" in done.stderr
    assert "left out, for there is nothing to contrast: keys-fine" in done.stderr
    assert "keys-fine" not in done.stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--as", "blimp", "--config", "keys-atraction"], "M740", "did you mean keys-attraction?"),
        (["--as", "blimp", "--split", "dev"], "M740", "name one of theirs: test"),
        (["--as", "latin-square", "--config", "keys-four-type_I"], "M741", "keys-attraction"),
        (["--as", "blimp", "--config", "keys-fine"], "M743", "nothing to contrast in keys-fine"),
        (["--as", "syntaxgym", "--config", "keys-fine"], "M743", "nothing to contrast"),
        (["--as", "minicons", "--config", "keys-fine"], "M743", "nothing to contrast"),
        (["--as", "lm-eval", "--config", "keys-fine"], "M743", "nothing to contrast"),
        (["--as", "lm-eval", "--hub", "a b"], "M745", "--hub owner/name"),
        (["--as", "lm-eval", "--hub", "a/b", "-n", "3"], "M745", "--limit"),
        (
            ["--as", "latin-square", "-n", "3"],
            "M746",
            "-n 3 is fewer than the 4 cells of keys-attraction",
        ),
    ],
)
def test_faults(data: Path, tmp_path: Path, args: list[str], code: str, message: str) -> None:
    done = run("export", data, *args, "--out", tmp_path / "a" / "out")
    assert done.exit_code == 1
    assert f"error[{code}]" in done.output
    assert message in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--as", "blimp", "--seed", "3"], "--seed is for --as latin-square, not for blimp"),
        (["--as", "minicons", "--hub", "a/b"], "--hub is for --as lm-eval"),
        (["--as", "lm-eval", "--field", "syntax"], "--field is for --as blimp"),
        (["--as", "blimp", "--share-lexemes"], "--share-lexemes is for --as latin-square"),
        (["--as", "conll"], "'conll' is not one of"),
    ],
)
def test_options_of_other_formats(
    data: Path, tmp_path: Path, args: list[str], message: str
) -> None:
    done = run("export", data, *args, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.output


def test_a_format_is_called_so_whatever_the_case(data: Path, tmp_path: Path) -> None:
    for name in ("BLiMP", "LM-Eval"):
        done = run("export", data, "--as", name, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert list((tmp_path / "BLiMP").glob("*.jsonl"))
    assert list((tmp_path / "LM-Eval").glob("*.yaml"))


def test_nothing_is_written_into_the_published_data(data: Path, tmp_path: Path) -> None:
    before = sorted(data.rglob("*"))
    (tmp_path / "link").symlink_to(data)
    for out in (data / "pairs", data / "a" / "b", data / "x" / ".." / "y", tmp_path / "link" / "z"):
        done = run("export", data, "--as", "blimp", "--out", out)
        assert done.exit_code == 1
        assert "error[M742]" in done.output
        assert f"is inside the published data {data}" in done.output
    assert sorted(data.rglob("*")) == before


def test_names_are_short_and_safe_and_say_what_differs(npi: Path, tmp_path: Path) -> None:
    for form in ("blimp", "syntaxgym", "lm-eval", "minicons"):
        out = exported(npi, form, tmp_path / form)
        files = [path for path in out.rglob("*") if path.is_file()]
        assert files
        for path in files:
            assert re.fullmatch(r"[A-Za-z0-9_-]+(\.[a-z]+)?", path.name)
    names = {path.stem: lines(path)[0] for path in (tmp_path / "blimp").iterdir()}
    first = names["only-ever-licensor_no-yes_yes_upper"]
    assert (first["cell_bad"], first["cell_good"]) == ("no yes upper", "yes yes upper")
    pairs = {(own["config"], own["cell_bad"], own["cell_good"]) for own in names.values()}
    assert len(names) == len(pairs) == 10
    tasks = {path.stem for path in (tmp_path / "lm-eval").glob("merula_npi_*.yaml")}
    assert tasks == {f"merula_npi_{name}" for name in names}


def test_the_splits_of_tasks_are_counted_apart(tmp_path: Path) -> None:
    data = keys(tmp_path, "-n", 10, "--split", "60:20:20")
    done = run("export", data, "--as", "lm-eval", "--out", tmp_path / "out")
    told = {
        line.partition("  ")[0].rpartition("_data_")[2]: line for line in done.stdout.splitlines()
    }
    said = told["keys-four-type_I.yaml"].partition("  ")[2]
    number = {
        split: len(lines(tmp_path / "out" / "data" / f"keys-four-type_I-{split}.jsonl"))
        for split in ("train", "validation", "test")
    }
    assert sum(number.values()) > number["test"] > 0
    others = f"train {number['train']}, validation {number['validation']}"
    assert said == f"{number['test']} matrices in test ({others})"
    pairs = sum(
        len(lines(path)) for path in (tmp_path / "out" / "data").glob("keys-crossed-*-test.jsonl")
    )
    assert told["keys-crossed-*.yaml"].partition("  ")[2].startswith(f"{pairs} pairs in test (")
    done = run("export", data, "--as", "lm-eval", "--out", tmp_path / "one", "--split", "test")
    assert f"  {number['test']} matrices\n" in done.stdout


def test_no_published_folder(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        done = run("export", folder, "--as", "blimp", "--out", tmp_path / "out")
        assert done.exit_code == 1
        assert "error[M720]" in done.output
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_over(data: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine", "utf-8")
    (tmp_path / "file").write_text("mine", "utf-8")
    for name in ("full", "file"):
        done = run("export", data, "--as", "blimp", "--out", tmp_path / name)
        assert "error[M742]" in done.output
    assert (tmp_path / "full" / "mine").read_text("utf-8") == "mine"
    assert (tmp_path / "file").read_text("utf-8") == "mine"
    (tmp_path / "empty").mkdir()
    assert exported(data, "blimp", tmp_path / "empty").is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "full"]


def test_the_working_folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    number = tmp_path.stat().st_ino
    exported(data, "minicons", Path())
    assert (tmp_path / "keys-crossed.csv").is_file()
    assert tmp_path.stat().st_ino == number
    assert not [path for path in tmp_path.parent.iterdir() if path.name.endswith(".partial")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_run_that_ends_leaves_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("merula.exports.blimp.json_line", fail)
    with pytest.raises((KeyboardInterrupt, MerulaError)):
        export(data, FORMATS["blimp"], tmp_path / "a" / "out")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_filled_in_the_meantime(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def fill() -> None:
        with new_folder(out) as aside:
            (aside / "ours").write_text("", "utf-8")
            out.mkdir()
            (out / "theirs").write_text("", "utf-8")

    with pytest.raises(MerulaError, match="not empty"):
        fill()
    assert [path.name for path in out.iterdir()] == ["theirs"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_damaged_file_is_named(data: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(data, tmp_path / "broken"))
    file = next(broken.glob("keys-crossed/*.parquet"))
    file.write_bytes(file.read_bytes()[:200])
    done = run("export", broken, "--as", "minicons", "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert file.name in done.output
    assert not (tmp_path / "out").exists()


def test_a_row_that_was_lost_is_missed(data: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(data, tmp_path / "broken"))
    file = next(broken.glob("keys-crossed/*.parquet"))
    found = pq.read_table(file)
    pq.write_table(found.slice(0, found.num_rows - 1), file)
    done = run("export", broken, "--as", "minicons", "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "the last instance of keys-crossed lacks some of its rows" in done.output


def test_the_command_knows_the_formats() -> None:
    assert list(FORMATS) == list(format_names.FORMATS)
    shown = run("export", "--help").output
    for name, about in format_names.FORMATS.items():
        assert re.search(rf"^ *{name} +{re.escape(about)}$", shown, re.MULTILINE)
    assert "export" in main.list_commands(None)  # type: ignore[arg-type]


# --- texts -----------------------------------------------------------------------------------


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=4))
)
def test_lines_of_csv_are_read_back(cells: list[list[str]]) -> None:
    text = "".join(csv_line(own) for own in cells)
    assert list(csv.reader(io.StringIO(text, newline=""))) == cells


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_are_read_back_from_yaml(text: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(f"a: {yaml_text(text)}\n") == {"a": text}


@given(st.text(), st.text())
def test_names_are_names_of_files(text: str, other: str) -> None:
    name = name_of(text)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,120}", name)
    assert not name.startswith("-")
    # what it loses of letters and digits tells it apart
    letters, others = ("".join(c for c in own if c.isalnum()) for own in (text, other))
    assert letters == others or name != name_of(other)


@pytest.mark.parametrize("form", ["blimp", "minicons", "lm-eval", "syntaxgym"])
def test_configurations_that_would_be_one_file_are_an_error(tmp_path: Path, form: str) -> None:
    """Two names that differ in signs are one in ASCII."""
    text = KEYS.replace("crossed   ", "attraction_").partition("paradigm fine")[0]
    (tmp_path / "keys.csv").write_text(KEYS_CSV, encoding="utf-8")
    (tmp_path / "keys.merula").write_text(text, encoding="utf-8")
    data = publish(tmp_path / "data", tmp_path / "keys.merula", "-n", 3)
    done = run("export", data, "--as", form, "--out", tmp_path / "out")
    message = "error[M613]: two configurations would be written to the file keys-attraction\n"
    assert f"{message}  --> keys-attraction and keys-attraction_\n" in done.output
    assert not (tmp_path / "out").exists()
    exported(data, form, tmp_path / "one", "--config", "keys-attraction_")


@given(st.lists(st.sampled_from(["a", "A", "a-2", "b"])))
def test_distinct_names(names: list[str]) -> None:
    found = distinct(names)
    assert len({name.casefold() for name in found}) == len(names)
    assert all(new.startswith(old) for old, new in zip(names, found, strict=True))
    assert found[:1] == names[:1]
