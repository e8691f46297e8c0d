"""Rows and files: the same data whatever the batches, the formats, the machine."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import merula
from merula.compiler.compiled import Compiled
from merula.data.format_names import FORMATS, LAYOUTS
from merula.data.formats import WRITERS
from merula.data.layouts import WRITERS as LAYOUT_WRITERS
from merula.data.run import Run
from merula.plan.order import Permutation
from merula.rows.columns import answer_orders
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import Variation

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
ROWS = """
phenomenon rows
language en
lexicon sets "sets.csv"
objects
  subj : NP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj verb
"""
WRONG = "answers for m\n  AE breaks E agreement: flip verb.number\n"
PAIRS = [("dog", "bark"), ("cat", "sleep"), ("bird", "sing"), ("cow", "eat"), ("pig", "dig")]
NOUNS = "lemma,sg,pl\n" + "".join(f"n{i},n{i},n{i}s\n" for i in range(60))


# The first rows of seed 7, by the number of instances.
GOLDEN = {
    6: [3, 1, 5, 4, 0, 2],
    1000: [972, 531, 642, 295, 364, 20],
    4680: [3845, 3322, 2456, 3263, 4075, 1145],
    20000000: [10933943, 4097406, 5957735, 6253639, 7841827, 5398796],
    385274948688: [
        326955104193,
        281949041682,
        117352971202,
        37809585538,
        88808666503,
        162050715926,
    ],
    1000000000000000000: [
        731875579014964231,
        416378132158277091,
        301841418675427227,
        982904681183358240,
        669596075040328464,
        83024602971570670,
    ],
    4611686018427387905: [
        1961463333901047136,
        586001917797160066,
        2566585658619339466,
        2322650085544912334,
        1643304976631467407,
        4109626196423943784,
    ],
    1000000000000000000000000000000: [
        904765764521772527529227357379,
        61109124595639175555128599969,
        609334133688157199452260402836,
        168306978425406271188950374356,
        905228557035268647701488297348,
        612637265426512578574617161320,
    ],
}
GOLDEN_ANSWERS = [4, 1, 3, 2, 5, 0, 2, 5, 3, 1, 0, 4]
GOLDEN_ORDERS = [[2, 3, 4, 5, 0, 1], [3, 0, 2, 4, 1, 5]]


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


def maker(grammar: merula.Grammar, name: str, selection: RowChoice | None = None) -> RowMaker:
    return RowMaker(compiled(grammar), compiled(grammar).designs[name], selection)


def rows(grammar: merula.Grammar, name: str, n: int, seed: int, chunk: int) -> list[Any]:
    made = maker(grammar, name, RowChoice(n, seed))
    batches = list(made.batches(chunk=chunk))
    assert all(batch.schema == made.schema for batch in batches)
    found: list[Any] = pa.Table.from_batches(batches, schema=made.schema).to_pylist()
    return found


@pytest.mark.parametrize("name", ["ever", "any"])
def test_the_size_of_a_batch_changes_nothing(negation: merula.Grammar, name: str) -> None:
    whole = rows(negation, name, 60, 3, 1000)
    for chunk in (1, 7, 59):  # also with one instance left over
        assert rows(negation, name, 60, 3, chunk) == whole
    assert rows(negation, name, 25, 3, 25) == whole[: 25 * 8]


def test_the_size_of_a_batch_changes_no_matrix(agreement: merula.Grammar) -> None:
    assert rows(agreement, "six", 200, 5, 33) == rows(agreement, "six", 200, 5, 16_384)


def test_a_seed_is_an_order(agreement: merula.Grammar) -> None:
    one, other = (rows(agreement, "six", 4680, seed, 1000) for seed in (0, 1))
    assert [r["address"] for r in one] != [r["address"] for r in other]
    assert {r["address"] for r in one} == {str(i) for i in range(4680)}
    assert {r["address"] for r in other} == {r["address"] for r in one}


def test_no_instance_repeats(agreement: merula.Grammar, negation: merula.Grammar) -> None:
    matrices = rows(agreement, "six", 4680, 0, 5000)
    assert len({(tuple(r["context"]), tuple(sorted(r["answers"]))) for r in matrices}) == 4680
    cells = rows(negation, "ever", 3000, 0, 5000)
    assert len({(r["sentence"], r["cell"]) for r in cells}) == len(cells) == 24_000


def test_rows_are_instances(agreement: merula.Grammar, negation: merula.Grammar) -> None:
    """A row says what the instance at its address says, read the obvious way."""
    for row in rows(agreement, "six", 150, 2, 64):
        instance = agreement["six"][int(row["address"])]
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


@pytest.mark.parametrize("answers", [2, 5, 6, 9])
def test_the_number_of_a_row_does_not_tell_the_right_answer(answers: int) -> None:
    """Whatever rows are split by, the right answer is at all positions about equally often."""
    numbers = np.arange(answers * 3000)
    position = np.argmin(answer_orders(numbers, answers, 3), axis=1)
    for step in (2, 3, 5, 6, 10):
        for rest in range(step):
            seen = np.bincount(position[numbers % step == rest], minlength=answers)
            expected = seen.sum() / answers
            assert np.abs(seen - expected).max() < 5 * np.sqrt(expected)
    assert len({tuple(block) for block in position.reshape(-1, answers).tolist()}) > 1


@pytest.mark.parametrize("answers", [1, 2, 3])
def test_few_answers_are_ordered_too(answers: int) -> None:
    order = answer_orders(np.arange(60), answers, 1)
    assert np.array_equal(np.sort(order, axis=1), np.tile(np.arange(answers), (60, 1)))
    assert {tuple(row) for row in order.tolist()} == set(permutations(range(answers)))


def test_a_seed_means_the_same_rows_as_before() -> None:
    """What no later version may change without raising `merula.plan.order.ORDER`."""
    assert {n: Permutation(n, 7).rows(0, 6).tolist() for n in GOLDEN} == GOLDEN
    assert np.argmin(answer_orders(np.arange(12), 6, 7), axis=1).tolist() == GOLDEN_ANSWERS
    assert answer_orders(np.arange(2), 6, 7).tolist() == GOLDEN_ORDERS


def test_numbers_may_be_numpys(agreement: merula.Grammar) -> None:
    design = agreement["six"]
    plain = design.generate(3, seed=7).to_table()
    assert design.generate(np.int64(3), seed=np.int64(7)).to_table().equals(plain)
    assert design[np.int64(5)] == design[5]
    assert design[3:6] == [design[3], design[4], design[5]]
    for wrong in (1.0, "1"):
        with pytest.raises(TypeError):
            design.generate(3, seed=wrong)
        with pytest.raises(TypeError):
            design[wrong]
    with pytest.raises(TypeError, match="list of names"):
        design.generate(3, columns="context")
    with pytest.raises(merula.MerulaError, match="no column of six is kept"):
        design.generate(3, columns=[])


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


def test_too_many_are_refused(agreement: merula.Grammar) -> None:
    with pytest.raises(merula.MerulaError, match="has 4,680 instances; 4,681 were asked for"):
        agreement["six"].generate(4681)
    with pytest.raises(merula.MerulaError, match="M606"):
        Run.of([compiled(agreement)], RowChoice(10**40), "jsonl")


def test_none_and_all(agreement: merula.Grammar) -> None:
    assert agreement["six"].generate(0).to_table().num_rows == 0
    assert agreement["six"].generate().to_table().num_rows == 4680


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
        agreement["six"].generate(3).to_dataset()


@pytest.mark.parametrize("n", [0, 3])
def test_a_data_set_is_typed_as_published_data_are(agreement: merula.Grammar, n: int) -> None:
    rows = agreement["six"].generate(n, seed=2)
    data = rows.to_dataset()
    assert len(data) == n
    assert data.features["context"].length == 7
    names = data.features["labels"].feature
    for row, expected in zip(data, rows.to_table().to_pylist(), strict=True):
        assert [names.int2str(label) for label in row["labels"]] == expected["labels"]
        assert row["answers"] == expected["answers"]
    paradigm = merula.load("npi/only")["any"].generate(n).to_dataset()
    assert paradigm.features["label"].names == ["unacceptable", "acceptable"]


def test_rows_say_where_they_are_from(agreement: merula.Grammar) -> None:
    made = maker(agreement, "six")
    (row,) = rows(agreement, "six", 1, 11, 10)
    found = compiled(agreement)
    assert (row["grammar"], row["lexicon"]) == (
        found.grammar_digest[:16],
        found.lexicon_digest[:16],
    )
    instance = agreement["six"][int(row["address"])]
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


def test_the_order_of_rows_is_as_good_as_random() -> None:
    """Remainders, quantiles and steps of the first rows are spread as chance would have them."""
    scores = []
    for count in (4680, 100_007, 385_274_948_688, 10**18):
        for seed in range(20):
            places = Permutation(count, seed).rows(0, 2000)
            for parts in (2, 3, 8, 13):
                quantiles = (places.astype(np.float64) * parts / count).astype(np.int64)
                for values in (places % parts, quantiles, np.diff(places) % parts):
                    seen = np.bincount(values, minlength=parts)[:parts]
                    expected = len(values) / parts
                    chi2 = float(((seen - expected) ** 2 / expected).sum())
                    scores.append((chi2 - (parts - 1)) / np.sqrt(2 * (parts - 1)))
    assert abs(float(np.mean(scores))) < 0.15
    assert np.quantile(scores, 0.99) < 4


# --- lexical variation -----------------------------------------------------------------------


@pytest.mark.parametrize("answers", ["one", "mixed"])
def test_type_iii_takes_each_item_from_another_instance(
    agreement: merula.Grammar, answers: str
) -> None:
    design = agreement["six"]
    one = design.generate(300, seed=4).to_table().to_pylist()
    table = design.generate(300, seed=4, variation="III", answers=answers).to_table()
    assert len(set(table["address"].to_pylist())) == 300
    for row in table.to_pylist():
        sets = [item["set"] for item in row["context_lexemes"]]
        theirs = {item["set"] for item in row["answer_lexemes"]}
        assert len(set(sets)) == 7
        assert not theirs & set(sets)
        assert len(theirs) == (1 if answers == "one" else 6)
        assert row["variation"] == "III"
    # the structure is that of a type I instance
    templates = {(r["frame"], r["variant"]): r["context_templates"] for r in one}
    for row in table.to_pylist():
        kept = templates.get((row["frame"], row["variant"]))
        assert kept is None or kept == row["context_templates"]


def test_a_type_iii_item_is_that_of_its_instance(agreement: merula.Grammar) -> None:
    """Each sentence is the one of its place in the type I instance with its lexemes."""
    design = agreement["six"]
    known = {
        (r["frame"], r["variant"], r["lexemes"]["set"]): r
        for r in design.generate().to_table().to_pylist()
    }
    for row in (
        design.generate(200, seed=1, variation="III", answers="mixed").to_table().to_pylist()
    ):
        for i, (text, item) in enumerate(zip(row["context"], row["context_lexemes"], strict=True)):
            assert text == known[row["frame"], row["variant"], item["set"]]["context"][i]
        for text, label, item in zip(
            row["answers"], row["labels"], row["answer_lexemes"], strict=True
        ):
            other = known[row["frame"], row["variant"], item["set"]]
            assert text == other["answers"][other["labels"].index(label)]
        assert row["labels"][row["correct"]] == "Correct"


def test_type_iii_addresses_are_a_falling_factorial() -> None:
    """A small design, all of it: every sequence of different sets once in each variant."""
    text = ROWS + "matrix m = 3 items\n  subj.number cycles 2 of sg | pl every 1\n" + WRONG
    table = "set,subj.sg,subj.pl,verb.sg,verb.pl\n" + "".join(
        f"{a},the {a},the {a}s,{b}s,{b}\n" for a, b in PAIRS[:5]
    )
    grammar = merula.compile(text, tables={"sets.csv": table})
    made = maker(grammar, "m", RowChoice(variation=Variation("III")))
    assert made.space.count == 2 * 5 * 4 * 3
    found = {
        (r["variant"], *(x["set"] for x in [*r["context_lexemes"], *r["answer_lexemes"]]))
        for r in pa.Table.from_batches(list(made.batches())).to_pylist()
    }
    names = [a for a, _ in PAIRS[:5]]
    expected = {
        (variant, *chosen, chosen[-1])
        for variant in ("subj.number=sg pl", "subj.number=pl sg")
        for chosen in permutations(names, 3)
    }
    assert found == expected


def test_huge_type_iii_spaces_are_exact() -> None:
    text = ROWS + "matrix m = 5 items\n  subj.number cycles 2 of sg | pl every 1\n" + WRONG
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "lmnrst"]
    table = "set,subj.sg,subj.pl,verb.sg,verb.pl\n" + "".join(
        f"{w},the {w},the {w}s,{w}os,{w}o\n" for w in words
    )
    grammar = merula.compile(text, tables={"sets.csv": table})
    made = maker(grammar, "m", RowChoice(400, 2, Variation("III", "mixed")))
    assert made.space.count == 2 * perm(120, 6)
    rows = pa.Table.from_batches(list(made.batches(chunk=33))).to_pylist()
    assert [r["address"] for r in rows] == [
        r["address"] for r in pa.Table.from_batches(list(made.batches(chunk=400))).to_pylist()
    ]
    for row in rows:
        drawn = [x["set"] for x in [*row["context_lexemes"], *row["answer_lexemes"]]]
        assert len(set(drawn)) == len(drawn)


def test_variation_iii_needs_a_matrix_and_enough_sets(negation: merula.Grammar) -> None:
    with pytest.raises(merula.MerulaError, match="M614"):
        negation["ever"].generate(3, variation="III")
    text = ROWS + "matrix m = 3 items\n  subj.number cycles 2 of sg | pl every 1\n" + WRONG
    table = "set,subj.sg,subj.pl,verb.sg,verb.pl\ndog,the dog,the dogs,barks,bark\n"
    grammar = merula.compile(text, tables={"sets.csv": table})
    with pytest.raises(merula.MerulaError, match="M615"):
        grammar["m"].generate(3, variation="III")
    with pytest.raises(ValueError, match="'II'"):
        grammar["m"].generate(3, variation="II")


# --- options of columns ----------------------------------------------------------------------


def test_only_some_columns(negation: merula.Grammar) -> None:
    whole = negation["ever"].generate(20, seed=3).to_table()
    some = negation["ever"].generate(20, seed=3, columns=["acceptable", "sentence"]).to_table()
    assert some.column_names == ["sentence", "acceptable"]
    assert some.to_pylist() == whole.select(["sentence", "acceptable"]).to_pylist()
    with pytest.raises(merula.MerulaError, match="did you mean sentence"):
        negation["ever"].generate(20, columns=["sentense"])


def test_spans_are_where_words_stand(agreement: merula.Grammar, negation: merula.Grammar) -> None:
    for row in negation["any"].generate(40, seed=5, spans=True).to_table().to_pylist():
        found = {s["object"]: row["sentence"][s["start"] : s["end"]] for s in row["spans"]}
        assert row["lexemes"]["obj2"][:1] == found["obj2"][:1]
        assert found["any"] in ("any", "the", "these", "those")
        assert not any(text != text.strip() or text.endswith(".") for text in found.values())
        starts = [s["start"] for s in row["spans"]]
        assert starts == sorted(starts)
    for row in agreement["six"].generate(40, seed=5, spans=True).to_table().to_pylist():
        for texts, spans, templates in (
            (row["context"], row["context_spans"], row["context_templates"]),
            (row["answers"], row["answer_spans"], row["answer_templates"]),
        ):
            for text, items, pattern in zip(texts, spans, templates, strict=True):
                named = [part.partition("[")[0] for part in pattern.split() if "[" in part]
                assert set(named) <= {item["object"] for item in items}
                verb = next(s for s in items if s["object"] == "verb")
                assert text[verb["end"] :] == "."


@pytest.mark.parametrize("design", ["ever", "any"])
def test_large_and_small_requests_agree(negation: merula.Grammar, design: str) -> None:
    """Fused constituents (many rows wanted) and single pieces (few) write the same."""
    few = negation[design].generate(30, seed=9).to_table().to_pylist()
    many = maker(negation, design, RowChoice(3_000_000, 9))
    assert many.writer.largest > maker(negation, design, RowChoice(30, 9)).writer.largest
    assert many.batch(0, 30).to_pylist() == few


def test_each_format_and_layout_has_a_writer() -> None:
    assert list(WRITERS) == list(FORMATS)
    assert list(LAYOUT_WRITERS) == list(LAYOUTS)
