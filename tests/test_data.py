"""Rows and files: the same data whatever the batches, the formats, the machine."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import merula
from merula.cli.generate import FORMATS
from merula.compiler import Compiled
from merula.export import MANIFEST, WRITERS, generate_files
from merula.permute import Permutation
from merula.rows import RowMaker, Selection, answer_orders

# 60 nouns in each of seven places: 60^7 = 2.8e12; in twelve: above 2^62.
WIDE = """
phenomenon wide
language en
lexicon noun "nouns.csv"
objects
  {names} : noun (number)
attributes
  number = sg | pl
frames
  row = {frame}
paradigm number = a.number
"""
NOUNS = "lemma,sg,pl\n" + "".join(f"n{i},n{i},n{i}s\n" for i in range(60))


def wide(slots: int) -> merula.Grammar:
    names = [chr(ord("a") + i) for i in range(slots)]
    text = WIDE.format(names=", ".join(names), frame=" ".join(names))
    return merula.compile(text, tables={"nouns.csv": NOUNS})


@pytest.fixture(scope="module")
def agreement() -> merula.Grammar:
    return merula.load("blm/agreement_fr")


@pytest.fixture(scope="module")
def negation() -> merula.Grammar:
    return merula.load("npi/sentential_negation")


def compiled(grammar: merula.Grammar) -> Compiled:
    return grammar._compiled


def maker(grammar: merula.Grammar, name: str) -> RowMaker:
    return RowMaker(compiled(grammar), compiled(grammar).designs[name])


def rows(grammar: merula.Grammar, name: str, n: int, seed: int, chunk: int) -> list[Any]:
    made = maker(grammar, name)
    batches = list(made.batches(Selection(n, seed), chunk))
    assert all(batch.schema == made.schema for batch in batches)
    found: list[Any] = pa.Table.from_batches(batches, schema=made.schema).to_pylist()
    return found


@pytest.mark.parametrize("name", ["ever", "any"])
def test_the_size_of_a_batch_changes_nothing(negation: merula.Grammar, name: str) -> None:
    whole = rows(negation, name, 60, 3, 1000)
    assert rows(negation, name, 60, 3, 7) == whole
    assert rows(negation, name, 25, 3, 25) == whole[: 25 * 8]


def test_the_size_of_a_batch_changes_no_matrix(agreement: merula.Grammar) -> None:
    assert rows(agreement, "agrf", 200, 5, 33) == rows(agreement, "agrf", 200, 5, 16_384)


def test_a_seed_is_an_order(agreement: merula.Grammar) -> None:
    one, other = (rows(agreement, "agrf", 4680, seed, 1000) for seed in (0, 1))
    assert [r["address"] for r in one] != [r["address"] for r in other]
    assert {r["address"] for r in one} == {str(i) for i in range(4680)}
    assert {r["address"] for r in other} == {r["address"] for r in one}


def test_no_instance_repeats(agreement: merula.Grammar, negation: merula.Grammar) -> None:
    matrices = rows(agreement, "agrf", 4680, 0, 5000)
    assert len({(tuple(r["context"]), tuple(sorted(r["answers"]))) for r in matrices}) == 4680
    cells = rows(negation, "ever", 3000, 0, 5000)
    assert len({(r["sentence"], r["cell"]) for r in cells}) == len(cells) == 24_000


def test_rows_are_instances(agreement: merula.Grammar, negation: merula.Grammar) -> None:
    """A row says what the instance at its address says, read the obvious way."""
    for row in rows(agreement, "agrf", 150, 2, 64):
        instance = agreement["agrf"][int(row["address"])]
        assert row["context"] == [s.text for s in instance.context]
        by_label = {s.label: s for s in instance.answers}
        assert sorted(row["labels"]) == sorted(by_label)
        assert row["labels"][row["correct"]] == "Correct"
        for label, text, letter, broken in zip(
            row["labels"], row["answers"], row["classes"], row["broken"], strict=True
        ):
            assert (text, letter) == (by_label[label].text, by_label[label].letter)
            assert tuple(broken) == by_label[label].broken
        assert row["frame"] == instance.frame
    for row in rows(negation, "any", 40, 2, 16):
        instance = negation["any"][int(row["address"])]
        (cell,) = [s for s in instance.cells if s.label == row["cell"]]
        assert row["sentence"] == cell.text
        assert row["acceptable"] == cell.acceptable
        assert row["factors"] == dict(cell.factors)
        assert row["scope"] == dict(cell.scopes)
        assert {k: v for k, v in row["lexemes"].items() if v} == dict(instance.lexemes)


def test_the_right_answer_is_at_each_position_equally_often() -> None:
    for seed in (0, 1, -7):
        order = answer_orders(np.arange(6000), 6, seed)
        assert np.array_equal(np.sort(order, axis=1), np.tile(np.arange(6), (6000, 1)))
        assert Counter(np.argmin(order, axis=1).tolist()) == dict.fromkeys(range(6), 1000)
        # the others are everywhere too, and not always in one order
        for answer in range(1, 6):
            places = Counter(np.argmax(order == answer, axis=1).tolist())
            assert set(places) == set(range(6))
            assert max(places.values()) < 1300
        assert len({tuple(row) for row in order.tolist()}) > 600


def test_answer_orders_do_not_depend_on_the_batch() -> None:
    whole = answer_orders(np.arange(100), 8, 4)
    assert np.array_equal(answer_orders(np.arange(37, 61), 8, 4), whole[37:61])


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 17, 255, 1000, 4681])
def test_a_permutation_is_one(count: int) -> None:
    for seed in (0, 1, 2**70, -3):
        assert sorted(Permutation(count, seed).rows(0, count).tolist()) == list(range(count))


@pytest.mark.parametrize("count", [10**18, 2**62 - 1, 2**62, 10**30])
def test_a_huge_permutation_repeats_nothing(count: int) -> None:
    found = Permutation(count, 9).rows(0, 2000).tolist()
    assert len(set(found)) == 2000
    assert 0 <= min(found) <= max(found) < count
    assert Permutation(count, 9).rows(500, 510).tolist() == found[500:510]


@pytest.mark.parametrize(("slots", "exact"), [(7, 60**7), (12, 60**12)])
def test_huge_spaces_are_counted_and_sampled(slots: int, exact: int) -> None:
    grammar = wide(slots)
    design = grammar["number"]
    assert design.count() == exact
    table = design.generate(500, seed=1).to_table()
    assert len(set(table["sentence"].to_pylist())) == 1000
    address = int(table["address"][0].as_py())
    assert table["sentence"][0].as_py() == design[address].cells[0].text
    assert design[exact - 1] == design[-1]
    with pytest.raises(IndexError):
        design[exact]


def read(path: Path, form: str) -> list[Any]:
    if form == "parquet":
        return list(pq.read_table(path).to_pylist())
    if form == "arrow":
        return list(pa.ipc.open_stream(path.read_bytes()).read_all().to_pylist())
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_formats_hold_the_same_rows(
    tmp_path: Path, agreement: merula.Grammar, negation: merula.Grammar
) -> None:
    both = [compiled(agreement), compiled(negation)]
    found = {}
    for form in ("parquet", "arrow", "jsonl", "csv"):
        manifest = generate_files(both, tmp_path / form, Selection(30, 4), form)
        assert json.loads((tmp_path / form / MANIFEST).read_text()) == manifest
        names = [entry["file"] for entry in manifest["files"]]
        assert sorted(p.name for p in (tmp_path / form).iterdir()) == sorted([*names, MANIFEST])
        if form != "csv":
            found[form] = [read(tmp_path / form / name, form) for name in names]
    assert found["parquet"] == found["arrow"] == found["jsonl"]
    assert [len(x) for x in found["jsonl"]] == [30, 240, 240]
    with (tmp_path / "csv" / "agreement_fr-agrf.csv").open(
        encoding="utf-8-sig", newline=""
    ) as file:
        for flat, row in zip(csv.DictReader(file), found["jsonl"][0], strict=True):
            assert [flat[f"context.{i}"] for i in range(7)] == row["context"]
            assert flat[f"labels.{row['correct']}"] == "Correct"
            assert flat["correct"] == str(row["correct"])
    path = tmp_path / "csv" / "sentential_negation-ever.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for flat, row in zip(csv.DictReader(file), found["jsonl"][1], strict=True):
            assert flat["sentence"] == row["sentence"]
            assert flat["acceptable"] == str(int(row["acceptable"]))
            assert flat["factors.ever"] == row["factors"]["ever"]
            assert flat["broken"] == "; ".join(row["broken"])


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_same_seed_gives_the_same_bytes(
    tmp_path: Path, agreement: merula.Grammar, form: str
) -> None:
    for name in ("one", "two"):
        generate_files([compiled(agreement)], tmp_path / name, Selection(50, 8), form)
    files = [tmp_path / name / f"agreement_fr-agrf.{form}" for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_too_many_are_refused(agreement: merula.Grammar, tmp_path: Path) -> None:
    with pytest.raises(merula.MerulaError, match="has 4,680 instances; 4,681 were asked for"):
        agreement.generate(4681)
    with pytest.raises(merula.MerulaError, match="M606"):
        generate_files([compiled(agreement)], tmp_path / "x", Selection(10**40, 0), "jsonl")
    assert list(tmp_path.iterdir()) == []


def test_none_and_all(agreement: merula.Grammar) -> None:
    assert agreement.generate(0).to_table().num_rows == 0
    assert agreement.generate().to_table().num_rows == 4680


def test_public_names() -> None:
    assert sorted(merula.__all__) == merula.__all__
    assert all(getattr(merula, name) is not None for name in merula.__all__)
    assert set(merula.__all__) <= set(dir(merula))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        merula.nothing  # noqa: B018


def test_a_data_set_needs_its_extra(
    agreement: merula.Grammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'merula\[hf\]'"):
        agreement.generate(3).to_dataset()


@pytest.mark.parametrize("n", [0, 3])
def test_a_data_set_is_given_plain_rows(
    agreement: merula.Grammar, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    """`datasets` is given strings where our batches have dictionaries."""
    package = ModuleType("datasets")
    package.Dataset = lambda table: table  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", package)
    table = agreement.generate(n, seed=2).to_dataset()
    assert table.to_pylist() == agreement.generate(n, seed=2).to_table().to_pylist()
    assert "dictionary" not in str(table.schema)


def test_rows_say_where_they_are_from(agreement: merula.Grammar) -> None:
    made = maker(agreement, "agrf")
    (row,) = rows(agreement, "agrf", 1, 11, 10)
    found = compiled(agreement)
    assert (row["grammar"], row["lexicon"]) == (
        found.grammar_digest[:16],
        found.lexicon_digest[:16],
    )
    instance = agreement["agrf"][int(row["address"])]
    assert row["variant"] == "; ".join(f"{k}={v}" for k, v in instance.choices.items())
    assert row["context_templates"][0].startswith("subj[")
    words = [len(template.split("] ")) for template in row["context_templates"]]
    assert set(words) <= {3, 4, 5, 6}
    assert made.schema.metadata[b"merula.lexicon"].decode() == found.lexicon_digest


def test_digests_follow_what_data_depend_on() -> None:
    def digests(text: str, table: str) -> tuple[str, str]:
        found = compiled(merula.compile(text, tables={"nouns.csv": table}))
        return found.grammar_digest, found.lexicon_digest

    text = WIDE.format(names="a, b", frame="a b")
    base = digests(text, NOUNS)
    shuffled = "\n".join([*NOUNS.split("\n")[:1], *reversed(NOUNS.strip().split("\n")[1:])])
    assert digests(text, shuffled) == base
    assert digests(text, NOUNS.replace("n7s", "n7es"))[1] != base[1]
    assert digests(text.replace("a b", "b a"), NOUNS)[0] != base[0]
    assert digests(text.replace("language en", "language it"), NOUNS)[1] != base[1]


def test_the_seed_moves_the_right_answer() -> None:
    first = {int(np.argmin(answer_orders(np.arange(1), 6, seed))) for seed in range(30)}
    assert len(first) > 3


def test_the_command_line_knows_the_formats() -> None:
    assert list(WRITERS) == list(FORMATS)
