"""``merula audit``: readers, checks, probes, and what the command prints.

The published data are not part of the project; without them their tests are skipped.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from audited import ROOT, found, rows_found
from merula.audit import Audit, Columns, Reading, Settings, audit, format_names, read_corpus
from merula.audit.checks.registry import CHECKS
from merula.audit.corpus import Cell, Corpus, Pair, Place, Sentence
from merula.audit.reading.readers import FORMATS
from merula.audit.report import NAMES
from merula.audit.words import change, tokens
from merula.cli import main
from merula.core.diagnostics import MerulaError
from merula.lexicon.surface import load_surface

PUBLISHED = Path(os.environ.get("MERULA_SHARED", ROOT.parent / "shared")) / "data"
ENGLISH = load_surface((ROOT / "lexicons/en/surface.toml").read_text(encoding="utf-8"))

needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the published data are not beside the project"
)

# --- data ----------------------------------------------------------------------------------------

NOUNS = "guide clerk nurse pilot guard judge boy girl cook vet monk thief".split()
VERBS = "slept left called phoned sung won lied swum danced prayed smiled coughed".split()
Row = dict[str, Any]


def paradigms(number: int, *, order: str = "half") -> Iterator[Row]:
    """Rows of licensor × NPI × site as Merula writes them; ``order``: where the outer NPI stands.

    After the licensor (``after``), before it (``before``), or by turns.
    """
    for instance in range(number):
        noun, other = NOUNS[instance % 12], NOUNS[(instance // 12 + 5 * instance + 1) % 12]
        one, two = VERBS[instance // 12 % 12], VERBS[(instance // 5 + 7) % 12]
        frame = ("after", "before")[instance % 2] if order == "half" else order
        for licensor, npi, site in product(("yes", "no"), ("yes", "no"), ("main", "relative")):
            word = "not" if licensor == "yes" else "also"
            ever = "ever" if npi == "yes" else "often"
            inner = f"claimed that the {other} had {ever} {one}"
            outer, last = (two, inner) if frame == "after" else (inner, two)
            if site == "main":
                text = f"The {noun} who had {outer} had {word} {last}."
            else:
                text = f"The {noun} who had {word} {outer} had {last}."
            inside = (site == "main") == (frame == "after")
            yield {
                "address": str(instance * 31),
                "design": "ever",
                "frame": frame,
                "factors": {"licensor": licensor, "ever": npi, "licensor.site": site},
                "scope": {"ever": "in" if inside else "out"},
                "sentence": text,
                "acceptable": npi == "no" or (licensor == "yes" and inside),
                "lexemes": {"N1": noun, "V1": one, "ever=no": "often"},
            }


def flat(row: Row, before: str = "") -> Row:
    found: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= flat(value, f"{before}{name}.")
        else:
            found[before + name] = int(value) if isinstance(value, bool) else value
    return found


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(flat(rows[0])), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(map(flat, rows))
    return path


def write_jsonl(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_arrow(path: Path, rows: Sequence[Row]) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(list(rows))
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        kind = pa.ipc.new_file if path.stem.endswith("-file") else pa.ipc.new_stream
        with path.open("wb") as file, kind(file, table.schema) as writer:
            writer.write_table(table)
    return path


def sentences(*texts: str, label: bool = True) -> Corpus:
    return Corpus(
        tuple(
            Sentence(text, label, "", "", Cell(), "", Place("a.csv", row))
            for row, text in enumerate(texts, start=2)
        )
    )


def pairs(*texts: tuple[str, str], contrast: str = "", cloze: bool = False) -> Corpus:
    return Corpus(
        pairs=tuple(
            Pair(good, bad, "", "", contrast, contrast, "", Place("a.csv", row), cloze)
            for row, (good, bad) in enumerate(texts, start=2)
        )
    )


def audited(corpus: Corpus, **settings: Any) -> Audit:
    return audit(corpus, Settings(**settings), surface=ENGLISH)


def accuracy(report: Audit, probe: str) -> tuple[float, float | None, bool]:
    (one,) = [probed for probed in report.probes if probed.probe == probe]
    return one.accuracy, one.forced, report.leaks(one)


# --- words ---------------------------------------------------------------------------------------

WORDS = st.lists(st.sampled_from("abcd"), max_size=7)


@given(WORDS, WORDS)
def test_a_change_is_what_it_says(one: list[str], other: list[str]) -> None:
    kind, (a, b), (c, d) = change(one, other)
    assert change(other, one).kind == kind
    assert (kind == "same") == (one == other)
    if kind in ("replaced", "several"):
        assert one[:a] + other[c:d] + one[b:] == other
    if kind == "replaced":
        assert not set(one[a:b]) & set(other[c:d])
    if kind == "moved":
        assert one[a:b] == other[c:d]
        assert one[:a] + one[b:] == other[:c] + other[d:]
    same_words = Counter(one) == Counter(other)
    assert same_words == (kind in ("same", "moved", "exchanged", "rearranged"))


@given(WORDS, WORDS, WORDS, WORDS)
def test_moves_and_exchanges_are_seen(
    start: list[str], left: list[str], right: list[str], end: list[str]
) -> None:
    moved = change([*start, *left, *right, *end], [*start, *right, *left, *end])
    assert moved.kind not in ("several", "replaced")
    if not set(left) & set(right):
        assert moved.kind in ("same", "moved")
    swapped = change([*start, *left, "-", *right, *end], [*start, *right, "-", *left, *end])
    assert swapped.kind != "several"


@given(st.text(max_size=40))
def test_no_letter_is_lost(text: str) -> None:
    kept = "".join(tokens(text))
    assert Counter(c for c in kept if c.isalnum()) == Counter(
        c for c in text.casefold() if c.isalnum()
    )


# --- readers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("ever.csv", write_csv),
        ("ever.jsonl", write_jsonl),
        ("ever.parquet", write_arrow),
        ("ever.arrow", write_arrow),
        ("ever-file.arrow", write_arrow),
    ],
)
def test_all_formats_read_the_same(
    tmp_path: Path, name: str, write: Callable[[Path, Sequence[Row]], Path]
) -> None:
    rows = list(paradigms(6))
    corpus = read_corpus([write(tmp_path / name, rows)])
    assert corpus.files == ((str(tmp_path / name), "sentences"),)
    assert len(corpus.sentences) == 48
    for row, sentence in zip(rows, corpus.sentences, strict=True):
        assert sentence.text == row["sentence"]
        assert sentence.acceptable == row["acceptable"]
        assert sentence.cell.factors == tuple(row["factors"].items())
        assert sentence.cell.licensor == (row["factors"]["licensor"] == "yes")
        assert sentence.cell.npi == (row["factors"]["ever"] == "yes")
        assert sentence.cell.scope == (row["scope"]["ever"] == "in")
        assert sentence.lexemes == (row["lexemes"]["N1"], row["lexemes"]["V1"])
    assert len({sentence.group for sentence in corpus.sentences}) == 6


def test_spans_are_read_as_lists_and_as_texts(tmp_path: Path) -> None:
    spans = [
        {"object": "licensor", "start": 4, "end": 7},
        {"object": "the ever", "start": 9, "end": 12},
    ]
    as_list = write_jsonl(tmp_path / "a.jsonl", [{"sentence": "A b.", "spans": spans}])
    as_text = write_csv(
        tmp_path / "a.csv", [{"sentence": "A b.", "spans": "licensor 4-7; the ever 9-12"}]
    )
    one, other = read_corpus([as_list, as_text]).sentences
    assert one.spans == other.spans == (("licensor", 4, 7), ("the ever", 9, 12))


def test_places_are_lines_also_after_a_cell_with_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('sentence,acceptable\n"A\nb.",1\n\nC d.,0\n', encoding="utf-8")
    assert [s.place.row for s in read_corpus([path]).sentences] == [2, 5]


@pytest.mark.parametrize("text", ["1", "TRUE", " yes", "good", "Acceptable", "1.0"])
def test_labels_of_words(tmp_path: Path, text: str) -> None:
    path = write_csv(tmp_path / "a.csv", [{"s": "A b.", "judgement": text}])
    reading = Reading(columns=Columns(sentence="s", label="judgement"))
    assert read_corpus([path], reading).sentences[0].acceptable is True


@pytest.mark.parametrize("text", ["", "NaN", "n/a"])
def test_a_missing_label_is_none(tmp_path: Path, text: str) -> None:
    path = write_csv(tmp_path / "a.csv", [{"sentence": "A b.", "label": text}])
    assert read_corpus([path]).sentences[0].acceptable is None


def test_pairs_in_named_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('right\twrong\tset\nA "b.\tA c.\t7\n', encoding="utf-8")
    reading = Reading(columns=Columns(good="right", bad="wrong", group="set"))
    (pair,) = read_corpus([path], reading).pairs
    assert (pair.good, pair.bad, pair.group) == ('A "b.', "A c.", "a 7")


def test_splits_are_read_from_names_of_files_and_paradigms_span_them(tmp_path: Path) -> None:
    rows = list(paradigms(4))
    write_csv(tmp_path / "ever_train.csv", rows[:20])
    write_csv(tmp_path / "ever-validation.csv", rows[20:])
    report = audited(read_corpus([tmp_path]))
    assert sorted(report.corpus.splits) == ["dev", "train"]
    assert report.paradigms == 4
    assert len(found(report, "split-paradigms")) == 4  # those in the file that is read second
    assert found(report, "split-sentences") == []


@pytest.mark.parametrize(
    ("name", "content", "code", "place"),
    [
        ("a.csv", b"", "M696", "a.csv"),
        ("a.csv", b"sentence,label\n", "M696", "a.csv"),
        ("a.csv", b"x,y\n1,2\n", "M691", "a.csv"),
        ("a.jsonl", b'[{"sentence": "A b."}, 7]', "M692", "a.jsonl:2"),
        ("a.csv", b"answers.0,answers.1\na,b\n", "M691", "a.csv"),
        ("a.csv", b"sentence,label\nA b.\n", "M692", "a.csv:2"),
        ("a.jsonl", b'{"sentence": "A b."}\n\n{"sent\n', "M692", "a.jsonl:3"),
        ("a.jsonl", b'{"sentence": "A b."}\n7\n', "M692", "a.jsonl:2"),
        ("a.tsv", b"experiment=x-paradigm=1\t1\t\tA b.\na\n", "M692", "a.tsv:2"),
        ("a.tsv", b"experiment=x\t1\t\tA b.\n", "M692", "a.tsv:1"),
        ("a.parquet", b"PAR1 and nothing else", "M692", "a.parquet"),
        ("a.arrow", b"nothing", "M692", "a.arrow"),
        ("a.csv", "sentence\nLe café.\n".encode("latin-1"), "M694", "a.csv:2"),
        ("a.csv", b"sentence,label\nA b.,1\nA c.,fine\n", "M695", "a.csv:3"),
        ("a.tsv", b"experiment=x-paradigm=1\tx\t\tA b.\n", "M695", "a.tsv:1"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes, code: str, place: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MerulaError) as caught:
        read_corpus([tmp_path / name])
    problem = caught.value.problems[0]
    assert (problem.code, problem.place) == (code, str(tmp_path / place))
    assert problem.remedy


def test_a_json_list_is_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"sentence": "A b.",\n "label": 1}, {"sentence": "A c."}]', encoding="utf-8")
    one, other = read_corpus([path]).sentences
    assert (one.text, one.acceptable, one.place.row) == ("A b.", True, 1)
    assert (other.text, other.acceptable, other.place.row) == ("A c.", None, 2)


def test_many_bad_lines_are_summed_up(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sentence,label\n" + "A b.,odd\n" * 20, encoding="utf-8")
    with pytest.raises(MerulaError) as caught:
        read_corpus([path])
    assert len(caught.value.problems) == 5
    assert f"15 more lines of {path} are like this" in caught.value.problems[-1].notes


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [{"good": "A b.", "bad": "A c."}])
    with pytest.raises(MerulaError, match="did you mean good"):
        read_corpus([path], Reading(columns=Columns(good="goood", bad="bad")))


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_nothing_to_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(MerulaError) as caught:
        read_corpus([tmp_path / path])
    assert caught.value.problems[0].code == "M690"


def test_utf_16_and_old_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("sentence,label\rÉté.,1\rÀ b.,0\r".encode("utf-16"))
    assert [s.text for s in read_corpus([path]).sentences] == ["Été.", "À b."]


# --- checks of single sentences ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "bad", "good"),
    [
        ("articles", "He read an report.", "He read a report."),
        ("articles", "He ate a apple.", 'He ate an apple, a "union" and an hour.'),
        ("articles", "An “report” came.", "An FBI agent and an 8-year-old came."),
        ("doubled", "He really Really left.", "He really, really left."),
        ("doubled", "The the dog left.", "He said that that dog left."),
        ("doubles", "He had had it.", "He had it."),
        ("spaces", "He  left.", "He left."),
        ("spaces", "He left. ", "He left…"),
        ("spaces", "He\u00a0left.", "She left!"),
        ("punctuation", "He left .", "He left (at 10.30)."),
        ("punctuation", "He left", 'He said "no."'),
        ("punctuation", "He left,then she.", "He left, then she?!"),
        ("punctuation", "He left..", "He left..."),
        ("punctuation", "He (left.", "He (left)."),
        ("capitals", "he left.", "“He left.”"),
        ("capitals", "élan is good.", "3 men left."),
        ("characters", "He le\u200bft.", "Élan, naïve, 😀."),
        ("characters", "Le cafÃ© ferme.", "Le café ferme."),
        ("characters", "Le caf\ufffd ferme.", "क्‍ष."),
        ("empty", "…", "I."),
    ],
)
def test_how_a_sentence_is_written(check: str, bad: str, good: str) -> None:
    assert rows_found(audited(sentences(good, bad)), check) == [3]


def test_a_double_in_another_language_is_none_of_english() -> None:
    french = Corpus(sentences("Nous nous levons.").sentences, language="fr")
    assert found(audited(french), "doubled") == []
    assert all(r.found is None for r in audited(french).results if r.check.name == "articles")
    assert rows_found(audited(sentences("Nous nous levons.")), "doubled") == [2]


# --- checks of pairs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contrast", "good", "bad", "fine"),
    [
        ("npi", "He often left.", "He ever left.", True),
        ("npi", "He saw the dogs.", "He saw any dogs.", True),
        ("npi", "He often left the boys.", "He ever left those boys.", False),
        ("npi", "Often he left.", "He often left.", False),
        ("licensor", "They wonder whether he ever left.", "They say that he ever left.", True),
        ("licensor", "Has he ever left?", "He has ever left.", True),
        ("licensor", "Has a man ever left?", "The man has ever left.", False),
        ("scope", "If he ever left, she lied.", "If he left, she ever lied.", True),
        ("scope", "No man that the dog saw ever left.", "The man that no dog saw ever left.", True),
        ("scope", "Those who phoned wondered whether he ever left.",
         "Those who wondered whether he left ever phoned.", True),
        ("scope", "The boys hugged any girls.", "Any boys hugged girls.", False),
        ("scope", "He ever left.", "He often left.", False),
        ("", "He left.", "He leave.", True),
        ("", "He often left boys.", "He ever leaves girls.", True),
        ("", "He often left the boy there.", "He ever left a boy there.", False),
    ],
)  # fmt: skip
def test_a_pair_differs_in_its_contrast(contrast: str, good: str, bad: str, fine: bool) -> None:
    report = audited(pairs((good, bad), contrast=contrast))
    assert (found(report, "contrast") == []) == fine


def test_pairs_that_are_no_pairs() -> None:
    report = audited(pairs(("A b.", "A b."), ("A b.", "A c."), ("A b.", "A c."), ("A c.", "A b.")))
    assert rows_found(report, "identical") == [2]
    assert rows_found(report, "repeated-pairs") == [4]
    assert rows_found(report, "contradictions") == [3, 3, 4, 4, 5, 5]


def test_a_cloze_pair_has_equal_lengths() -> None:
    texts = [("He saw dogs.", "He saw any dogs."), ("He saw the dogs.", "He saw any dogs.")]
    report = audited(pairs(*texts, cloze=True))
    assert rows_found(report, "cloze-length") == rows_found(report, "pair-length") == [2]
    assert report.faults == ("cloze-length",)  # any other pair may be of unequal length
    assert audited(pairs(*texts)).clean


# --- checks of paradigms -------------------------------------------------------------------------


def corpus_of(tmp_path: Path, rows: Sequence[Row]) -> Corpus:
    return read_corpus([write_jsonl(tmp_path / "ever.jsonl", rows)])


def test_clean_paradigms_are_clean(tmp_path: Path) -> None:
    report = audited(corpus_of(tmp_path, list(paradigms(60))))
    assert report.clean, report.to_json(5)
    assert found(report, "lexemes") == []
    looked_at = {r.check.name: r.found.of for r in report.results if r.found is not None}
    assert looked_at["contrast"] == 60 * 12  # four of each contrast in a paradigm
    assert looked_at["cells"] == 60


def test_what_stands_twice(tmp_path: Path) -> None:
    rows = list(paradigms(3))
    rows[1]["sentence"] = rows[0]["sentence"]  # in one paradigm, with the other label
    rows[10]["sentence"] = rows[2]["sentence"]  # in two paradigms
    assert rows[0]["acceptable"] != rows[1]["acceptable"]
    assert rows[10]["acceptable"] == rows[2]["acceptable"]
    report = audited(corpus_of(tmp_path, rows))
    assert rows_found(report, "repeated") == [2]
    assert rows_found(report, "contradictions") == [1, 2]
    assert rows_found(report, "shared") == [11]


def test_scope_is_a_contrast_only_where_nothing_else_is_crossed(tmp_path: Path) -> None:
    """Cells that differ in scope may differ in another factor too: they are not compared."""
    rows = []
    for row in paradigms(6):
        for tense, day in (("past", "yesterday"), ("present", "today")):
            text = str(row["sentence"]).replace(".", f" {day}.")
            if tense == "present":  # another word for each cell, so that more than scope differs
                text = text.replace(" had ", " has ")
            rows.append({**row, "sentence": text, "factors": {**row["factors"], "tense": tense}})
    rows.sort(key=lambda row: (row["address"], row["factors"]["licensor.site"] == "main"))
    report = audited(corpus_of(tmp_path, rows))
    looked_at = {r.check.name: r.found.of for r in report.results if r.found is not None}
    assert looked_at["contrast"] == 6 * 16  # eight of a licensor, eight of an NPI, none of scope
    assert found(report, "contrast") == []


def test_a_cell_that_is_missing_and_one_that_is_labelled_otherwise(tmp_path: Path) -> None:
    rows = list(paradigms(6, order="after"))
    rows[8]["acceptable"] = not rows[8]["acceptable"]
    del rows[17]
    report = audited(corpus_of(tmp_path, rows))
    assert rows_found(report, "labels") == [9]
    (said,) = found(report, "cells")
    assert said.endswith("no licensor=yes, ever=yes, licensor.site=relative")


def test_a_word_that_tells_the_label(tmp_path: Path) -> None:
    rows = list(paradigms(40))
    for row in rows:
        if row["acceptable"]:
            row["sentence"] = row["sentence"].replace(" who ", " that ")
    report = audited(corpus_of(tmp_path, rows))
    said = {text.partition(" in ")[0] for text in found(report, "lexemes")}
    assert said == {"`who`"}  # "that" stands in every sentence anyway
    reached, forced, leaks = accuracy(report, "words")
    assert (reached, forced, leaks) == (1.0, 0.875, True)
    assert {"lexemes", "shortcut-words", "contrast"} <= set(report.faults)


def test_lexemes_in_two_splits_are_found_on_demand(tmp_path: Path) -> None:
    rows = list(paradigms(3))
    for row in rows:
        row["split"] = "train" if row["address"] == "0" else "test"
        row["lexemes"]["aux"] = "have"  # of the design: every sentence has it
        if row["address"] == "62":
            row["lexemes"] = {name: f"other {name}" for name in row["lexemes"]} | {"aux": "have"}
    corpus = corpus_of(tmp_path, rows)
    assert all(r.found is None for r in audited(corpus).results if r.check.name == "split-lexemes")
    (said,) = found(audited(corpus, disjoint_lexemes=True), "split-lexemes")
    assert "`slept` in test and in train" in said


# --- shortcuts -----------------------------------------------------------------------------------


def test_what_the_design_forces(tmp_path: Path) -> None:
    report = audited(corpus_of(tmp_path, list(paradigms(60))))
    assert accuracy(report, "words") == (0.875, 0.875, False)
    assert accuracy(report, "length") == (0.625, 0.625, False)
    reached, forced, leaks = accuracy(report, "position")
    assert reached == pytest.approx(0.9375, abs=0.02)
    assert (forced, leaks) == (0.9375, False)


def test_scope_that_is_linear_order_leaks(tmp_path: Path) -> None:
    report = audited(corpus_of(tmp_path, list(paradigms(60, order="before"))))
    assert accuracy(report, "position") == (1.0, 0.9375, True)
    assert report.faults == ("shortcut-position",)
    after = audited(corpus_of(tmp_path, list(paradigms(60, order="after"))))
    assert accuracy(after, "position") == (0.875, 0.9375, False)


def test_places_are_those_of_spans(tmp_path: Path) -> None:
    rows = list(paradigms(20, order="before"))
    for row in rows:
        words = {"licensor": ("not", "also"), "ever": ("ever", "often")}
        row["spans"] = [
            {"object": name, "start": (start := row["sentence"].index(w)), "end": start + len(w)}
            for name, choices in words.items()
            for w in choices
            if f" {w} " in row["sentence"]
        ]
    report = audited(corpus_of(tmp_path, rows))
    assert accuracy(report, "position") == (1.0, 0.9375, True)


def test_length_is_a_shortcut(tmp_path: Path) -> None:
    rows = list(paradigms(20))
    for row in rows:
        if row["acceptable"]:
            row["sentence"] = row["sentence"].replace(".", " yesterday.")
    assert accuracy(audited(corpus_of(tmp_path, rows)), "length") == (1.0, 0.625, True)


def test_the_seed_decides_the_folds_and_nothing_else_does(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, list(paradigms(30)))
    one, two = (audited(corpus, seed=seed).to_json(3) for seed in (1, 1))
    assert one == two


def test_pairs_are_told_by_words_and_not_by_length() -> None:
    corpus = pairs(*[(f"The {n} often left.", f"The {n} ever left.") for n in NOUNS])
    report = audited(corpus)
    assert accuracy(report, "words") == (1.0, None, False)
    assert accuracy(report, "length") == (0.5, None, False)
    same_words = pairs(*[(f"Often {n} left.", f"{n} often left.") for n in NOUNS])
    assert accuracy(audited(same_words), "words")[0] == 0.5


def test_without_the_library_all_else_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    path = write_jsonl(tmp_path / "ever.jsonl", list(paradigms(20, order="before")))
    result = merula("audit", str(path))
    assert result.exit_code == 1
    assert "pip install 'merula[audit]'" in result.output
    assert "words " not in result.output.partition("shortcuts")[2].partition("\n")[0]
    assert "1 check finds faults: shortcut-position" in result.output


# --- the command ---------------------------------------------------------------------------------


def merula(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments], prog_name="merula", catch_exceptions=False)


def test_exit_codes(tmp_path: Path) -> None:
    clean = str(write_csv(tmp_path / "clean.csv", list(paradigms(4))))
    faulty = str(write_csv(tmp_path / "faulty.csv", [{"sentence": "He  left.", "label": 1}]))
    assert merula("audit", clean).exit_code == 0
    assert merula("audit", faulty).exit_code == 1
    allowed = merula("audit", faulty, "--allow", "spaces", "--allow", "labels")
    assert allowed.exit_code == 0
    assert "(allowed)" in allowed.output
    assert merula("audit", str(tmp_path / "none")).exit_code == 1
    assert merula("audit", faulty, "--good", "a").exit_code == 2
    unknown = merula("audit", faulty, "--allow", "space")
    assert unknown.exit_code == 2
    assert "did you mean spaces?" in unknown.output


def test_examples_are_as_many_as_asked_for(tmp_path: Path) -> None:
    rows = [{"sentence": f"He  left {n}.", "label": n % 2} for n in range(7)]
    path = str(write_csv(tmp_path / "a.csv", rows))
    assert f"{path}:3  He[␣␣]left 1." in merula("audit", path, "--examples", "2").output
    assert "… 5 more" in merula("audit", path, "--examples", "2").output
    assert f"{path}:" not in merula("audit", path, "--examples", "0").output


def test_json_says_the_same(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [{"sentence": "He  left.", "label": 1}])
    said = json.loads(merula("audit", str(path), "--format", "json").output)
    assert said["version"] == 1
    assert (said["clean"], said["faults"]) == (False, ["spaces", "labels"])
    assert (said["sentences"], said["pairs"], said["paradigms"]) == (1, 0, 0)
    (spaces,) = [check for check in said["checks"] if check["check"] == "spaces"]
    assert (spaces["found"], spaces["of"], spaces["fails"]) == (1, 1, True)
    assert spaces["examples"] == [
        {"text": "He[␣␣]left.", "place": {"file": str(path), "row": 2}, "other": None}
    ]


def test_names_are_told_apart_and_documented() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert [form.name for form in FORMATS] == list(format_names.FORMATS)
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []
    assert {check.name for check in CHECKS if not check.fault} == {
        "pair-length",
        "doubles",
        "length",
        "answer-classes",
        "answer-in-context",
    }


# --- published data ------------------------------------------------------------------------------


def published(*names: str) -> Audit:
    return audited(read_corpus([PUBLISHED / name for name in names]))


@needs_published
def test_faults_of_published_pairs() -> None:
    report = published("blimp/principle_A_case_2.jsonl", "blimp/passive_1.jsonl")
    files = Counter(Path(said.partition(":")[0]).stem for said in found(report, "identical"))
    assert files == {"principle_A_case_2": 5, "passive_1": 2}
    assert found(report, "contrast") == []


@needs_published
def test_faults_of_published_paradigms() -> None:
    report = published("npi/conditionals_dev.tsv", "npi/sentential_negation_dev.tsv")
    assert len(found(report, "repeated")) == 54
    assert all("conditionals" in said for said in found(report, "repeated"))
    assert len(found(report, "doubled")) == 10
    assert all("[really really]" in said for said in found(report, "doubled"))
    assert len(found(report, "articles")) == 32
    assert report.paradigms == 250
    leaking = [(p.part, p.probe) for p in report.probes if report.leaks(p)]
    assert leaking == [
        ("sentential_negation_biclausal any", "position"),
        ("sentential_negation_biclausal ever", "position"),
    ]


@needs_published
def test_other_published_files_are_read() -> None:
    corpus = read_corpus([PUBLISHED / "npi/minimal_pairs.tsv", PUBLISHED / "npi/wilcox_104.tsv"])
    assert len(corpus.pairs) == 5500
    assert Counter(pair.contrast for pair in corpus.pairs) == {
        "npi": 3 * 8 * 125 + 250,
        "licensor": 8 * 125 + 250,
        "scope": 8 * 125,
    }
    assert len(corpus.sentences) == 104
    assert corpus.sentences[0].cell.factors == (
        ("distractor", "0"), ("licensor", "0"), ("scope", "1"), ("npi_present", "1"),
    )  # fmt: skip
