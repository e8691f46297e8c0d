"""Matrices in the published layouts, read back with csv and json and compared with their rows."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError, Report
from merula.core.source import Source
from merula.data.format_names import suffix
from merula.data.layouts import WRITERS, LaidOutMatrix, Outlines, genbench, wide, wide_header, xy
from merula.data.run import Run, generate_files
from merula.data.verify import verify
from merula.grammar.program import read_grammar
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import Variation
from merula.strategies import GrammarText, grammars
from random_grammars import compiled_grammar, examples

ROOT = Path(__file__).resolve().parents[2]
BLM = Path(os.environ.get("MERULA_SHARED", ROOT.parent / "shared")) / "data" / "blm"

needs_published = pytest.mark.skipif(
    not BLM.is_dir(), reason="the published BLM data is not beside the project"
)

TABLE = "subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl\n{}\n"
KEYS = "the key,the keys,to the cabinet,to the cabinets,is rusty,are rusty"
TEXT = """
phenomenon toy
language en
lexicon sets "toy.csv"
objects
  subj  : NP (number)
  attr? : PP (number)
  verb  : VP (number)
  adv   : adverb
attributes
  number = sg | pl
  adv    = bare "" | late "by now"
external
  agreement: verb.number = subj.number
frames
  clause = "we know , that" adv subj attr verb "these days"
matrix four = 4 items in clause
  subj.number cycles sg | pl     every 1
  attr        cycles absent | pl every 2
matrix short = 3 items in clause
  subj.number cycles sg | pl every 1
paradigm numbers = subj.number
answers for four
  Agr   breaks E agreement: flip verb.number
  Late  breaks R adv:       set adv = late
  Order breaks R order:     swap subj, attr
  Words breaks R words:     replace attr with "near it"
  In    breaks R order:     embed verb in subj with "which"
"""


def compiled(text: str, table: str = TABLE.format(KEYS)) -> Compiled:
    found = compile_source(Source("toy.merula", text), tables={"toy.csv": table})
    assert not found.failed, [problem.render() for problem in found.problems]
    return found


def matrix(
    found: Compiled, design: CompiledDesign, *, chunk: int | None = None, **selection: Any
) -> LaidOutMatrix:
    chosen = RowChoice(**{"seed": 5, "spans": True, **selection})
    return LaidOutMatrix(
        Outlines.of(design), list(RowMaker(found, design, chosen).batches(chunk=chunk))
    )


def rows(*matrices: LaidOutMatrix) -> list[dict[str, Any]]:
    return [row for _, batches in matrices for batch in batches for row in batch.to_pylist()]


def written(write: Callable[..., int], *matrices: LaidOutMatrix, **options: Any) -> str:
    out = io.StringIO(newline="")
    number = write(list(matrices), out, **options)
    assert number == len(rows(*matrices))
    return out.getvalue()


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t", strict=True))


def numbered(row: dict[str, str], name: str) -> list[str]:
    return [value for head, value in row.items() if re.fullmatch(rf"{name}_\d+", head)]


def bare(texts: Sequence[str]) -> str:
    """Texts without spaces, for those between chunks are not kept."""
    return "".join("".join(texts).split())


def check_wide(*matrices: LaidOutMatrix) -> list[dict[str, str]]:
    """The table read back says what the rows say, and its chunks are its sentences."""
    found = table(written(wide, *matrices))
    for number, (line, row) in enumerate(zip(found, rows(*matrices), strict=True)):
        assert line[""] == str(number)
        assert numbered(line, "Sent") == row["context"]
        assert numbered(line, "Answer") == row["answers"]
        labels = ["True" if label == "Correct" else label for label in row["labels"]]
        assert numbered(line, "Answer_label") == labels
        values = [str(i == row["correct"]) for i in range(len(labels))]
        assert numbered(line, "Answer_value") == values
        for name in ("Sent", "Answer"):
            for text, template, chunks in zip(
                numbered(line, name),
                numbered(line, f"{name}_template"),
                numbered(line, f"{name}_chunks"),
                strict=True,
            ):
                cut = ast.literal_eval(chunks)
                assert bare(cut) == bare([text])
                tokens = template.split(" ")
                assert len(cut) - len(tokens) in (0, 1)
                assert all(not c for t, c in zip(tokens, cut, strict=False) if t.endswith("_None"))
    return found


@cache
def packaged(name: str) -> Compiled:
    source = read_grammar(name, Report())
    assert source is not None
    return compile_source(source)


# --- wide ----------------------------------------------------------------------------------------


def test_wide_says_what_the_rows_say() -> None:
    found = packaged("blm/agreement_fr")
    for design in found.designs.values():
        for variation in (Variation(), Variation("III", "mixed")):
            check_wide(matrix(found, design, n=40, variation=variation))


def test_templates_and_chunks_go_part_by_part() -> None:
    """Fixed words, words that a value brings or not, other orders, other words; the full stop."""
    found = compiled(TEXT)
    (line,) = check_wide(matrix(found, found.designs["four"]))
    shown = zip(numbered(line, "Sent_template"), numbered(line, "Sent_chunks"), strict=True)
    assert [(template, ast.literal_eval(chunks)) for template, chunks in shown] == [
        (
            "we_know_,_that adv subj_sg attr_None verb_sg these_days",
            ["We know, that", "", "the key", "", "is rusty", "these days", "."],
        ),
        (
            "we_know_,_that adv subj_pl attr_None verb_pl these_days",
            ["We know, that", "", "the keys", "", "are rusty", "these days", "."],
        ),
        (
            "we_know_,_that adv subj_sg attr_pl verb_sg these_days",
            ["We know, that", "", "the key", "to the cabinets", "is rusty", "these days", "."],
        ),
    ]
    answers = {
        label: (template, ast.literal_eval(chunks)[:-2])
        for label, template, chunks in zip(
            numbered(line, "Answer_label"),
            numbered(line, "Answer_template"),
            numbered(line, "Answer_chunks"),
            strict=True,
        )
    }
    start, pp = "We know, that", "to the cabinets"
    assert answers == {
        "True": (
            "we_know_,_that adv subj_pl attr_pl verb_pl these_days",
            [start, "", "the keys", pp, "are rusty"],
        ),
        "Agr": (
            "we_know_,_that adv subj_pl attr_pl verb_sg these_days",
            [start, "", "the keys", pp, "is rusty"],
        ),
        "Late": (
            "we_know_,_that adv_late subj_pl attr_pl verb_pl these_days",
            [start, "by now", "the keys", pp, "are rusty"],
        ),
        "Order": (
            "we_know_,_that adv attr_pl subj_pl verb_pl these_days",
            [start, "", pp, "the keys", "are rusty"],
        ),
        "Words": (
            "we_know_,_that adv subj_pl attr_near_it verb_pl these_days",
            [start, "", "the keys", "near it", "are rusty"],
        ),
        "In": (
            "we_know_,_that adv subj_pl which verb_pl attr_pl these_days",
            [start, "", "the keys", "which", "are rusty", pp],
        ),
    }


def test_positions_name_what_fills_them() -> None:
    text = """
phenomenon roles
language en
lexicon sets "toy.csv"
objects
  verb         : VP (voice)
  agent, theme : NP
  subject      : position
  object?, by? : position
attributes
  voice     = act | pass
  subject   = agent | theme
  object    = theme
  object.as = bare "" | oblique "with"
  by        = agent "by"
external
  voice: verb.voice = act -> object else not object
  category: object.as = bare
frames
  clause = subject verb object by
matrix active = items in clause
    | subject  verb.voice  object  by
  1 | theme    pass        -       -
  2 | theme    pass        -       agent
  3 | agent    act         theme   -
answers
  NPasPP breaks E category: set object.as = oblique
"""
    found = compiled(text, "agent,theme,verb.act,verb.pass\nAnn,hay,moved,was moved\n")
    (line,) = check_wide(matrix(found, found.designs["active"]))
    assert numbered(line, "Sent_template") == [
        "subject_theme verb_pass object_None by_None",
        "subject_theme verb_pass object_None by_agent",
    ]
    assert ast.literal_eval(line["Sent_chunks_2"]) == ["Hay", "was moved", "", "by Ann", "."]
    assert sorted(numbered(line, "Answer_template")) == [
        "subject_agent verb_act object_theme by_None",
        "subject_agent verb_act object_theme_oblique by_None",
    ]


@needs_published
@pytest.mark.parametrize("name", ["agr_FR_type_II.csv", "agr_FR_type_III.csv"])
def test_the_columns_are_the_published_ones(name: str) -> None:
    with (BLM / name).open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file, delimiter="\t")) == wide_header(7, 8)


@needs_published
def test_the_templates_are_the_published_ones() -> None:
    """But for the names of the objects, and for coordination, which has a name of its own there."""
    with (BLM / "agr_FR_type_II.csv").open(encoding="utf-8", newline="") as file:
        published = next(csv.DictReader(file, delimiter="\t"))
    names = {"subj": "Subj", "n1": "P1", "n2": "P2", "n3": "P3", "verb": "V"}
    found = packaged("blm/agreement_fr")
    like = [
        line
        for line in check_wide(matrix(found, found.designs["eight"], n=200))
        if _renamed(numbered(line, "Sent_template"), names) == numbered(published, "Sent_template")
    ]
    assert like
    theirs = dict(
        zip(
            numbered(published, "Answer_label"), numbered(published, "Answer_template"), strict=True
        )
    )
    for line in like:
        ours = dict(
            zip(
                numbered(line, "Answer_label"),
                _renamed(numbered(line, "Answer_template"), names),
                strict=True,
            )
        )
        same = {"True": "True", "WN1": "N1_alter", "WN2": "N2_alter"}
        assert {k: ours[k] for k in same} == {k: theirs[v] for k, v in same.items()}
        assert ours["WNA"].split(" ")[3] in ("P3_sg", "P3_pl")
        assert re.sub(r"P2_(\w+)_coord", r"Conj2_\1", ours["Coord"]).count("Conj2") == 1


def _renamed(templates: Sequence[str], names: dict[str, str]) -> list[str]:
    return [
        " ".join(re.sub(r"^[^_]+", lambda m: names.get(m[0], m[0]), t) for t in x.split(" "))
        for x in templates
    ]


def test_odd_characters_come_back() -> None:
    odd = KEYS.replace("to the cabinets", '"to l\'été ""\U0001f511 — ’x"""')
    found = compiled(TEXT, TABLE.format(odd))
    (line,) = check_wide(matrix(found, found.designs["four"]))
    shown = "to l'été \"\U0001f511 — 'x\""
    assert sum(shown in text for text in numbered(line, "Answer")) == 5
    assert sum(shown in ast.literal_eval(x) for x in numbered(line, "Answer_chunks")) == 5


def test_the_right_answer_may_keep_its_label() -> None:
    found = compiled(TEXT)
    one = matrix(found, found.designs["four"])
    (line,) = table(written(wide, one, correct="Correct"))
    assert sorted(numbered(line, "Answer_label"))[1] == "Correct"


# --- JSON ----------------------------------------------------------------------------------------


def test_genbench_says_what_the_rows_say() -> None:
    found = packaged("blm/agreement_fr")
    one = matrix(found, found.designs["six"], n=30, spans=False)
    lines = written(genbench, one).splitlines()
    for line, row in zip(lines, rows(one), strict=True):
        task = json.loads(line)
        assert list(task) == ["input", "target", "target_options"]
        assert task["input"].split(" </s> ") == row["context"]
        assert task["target_options"] == row["answers"]
        assert row["labels"][task["target"]] == "Correct"
    assert "é" in "".join(lines)  # not written as \\u00e9


def test_xy_says_what_the_rows_say() -> None:
    found = packaged("blm/agreement_fr")
    several = [matrix(found, design, n=20, spans=False) for design in found.designs.values()]
    tasks = json.loads(written(xy, *several))
    for task, row in zip(tasks, rows(*several), strict=True):
        assert task.pop("x") == row["context"]
        assert task.pop("y") == row["answers"]
        assert task == {name: row[name] for name in ("labels", "correct", "design", "address")}


# --- all -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITERS)
def test_bytes_do_not_depend_on_batches(name: str) -> None:
    found = packaged("blm/agreement_fr")
    write = WRITERS[name]
    small, large = (matrix(found, found.designs["six"], n=25, chunk=c) for c in (4, None))
    assert len(list(small.batches)) == 7
    assert written(write, small) == written(write, large)
    outlines = pickle.loads(pickle.dumps(large.outlines))
    assert outlines == large.outlines
    assert written(write, LaidOutMatrix(outlines, small.batches)) == written(write, large)


def test_no_rows_are_an_empty_file_of_the_layout() -> None:
    found = compiled(TEXT)
    none = matrix(found, found.designs["four"], n=0)
    assert written(wide, none) == "\t".join(wide_header(3, 6)) + "\n"
    assert written(genbench, none) == ""
    assert json.loads(written(xy, none)) == json.loads(written(xy)) == []
    assert written(wide) == '""\n'


@examples(30)
@given(grammars(answers=True))
def test_all_matrices_can_be_laid_out(grammar: GrammarText) -> None:
    found = compiled_grammar(grammar)
    for design in found.designs.values():
        if design.kind == "matrix" and design.plans:
            one = matrix(found, design, n=min(design.count, 5))
            check_wide(one)
            assert len(json.loads(written(xy, one))) == len(rows(one))


# --- what cannot be laid out ---------------------------------------------------------------------


def test_matrices_of_unequal_sizes_are_no_table() -> None:
    found = compiled(TEXT)
    both = [matrix(found, found.designs[name]) for name in ("four", "short")]
    out = io.StringIO()
    with pytest.raises(MerulaError, match="M670") as error:
        wide(both, out)
    assert out.getvalue() == ""
    assert "four shows 3 items and has 6 answers" in str(error.value)
    assert len(json.loads(written(xy, *both))) == 2
    renamed = replace(both[1].outlines, design="four")  # of another grammar
    with pytest.raises(MerulaError, match="M670"):
        wide([both[0], LaidOutMatrix(renamed, both[1].batches)], out)


def test_a_paradigm_is_no_matrix() -> None:
    with pytest.raises(MerulaError, match="M669"):
        Outlines.of(compiled(TEXT).designs["numbers"])


def test_a_table_needs_spans() -> None:
    found = compiled(TEXT)
    with pytest.raises(ValueError, match="the rows of four have no column context_spans"):
        written(wide, matrix(found, found.designs["four"], spans=False))


# --- data sets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", WRITERS)
def test_parts_of_a_data_set_hold_what_one_file_would(layout: str, tmp_path: Path) -> None:
    found = nouns()
    design = found.designs["four"]
    chunk = RowMaker(found, design).chunk
    run = Run.of(
        [found], RowChoice(chunk + 5, 3, columns=("context",)), layout, sentences_per_file=10
    )
    outcome = generate_files(run, tmp_path / "data")
    names = [f"nouns-four-0000{i}-of-00002.{suffix(layout)}" for i in range(2)]
    assert list(outcome.made) == names
    assert [check.fault for check in verify(tmp_path / "data")] == ["", ""]
    texts = [(tmp_path / "data" / name).read_bytes().decode() for name in names]
    every = rows(matrix(found, design, n=chunk + 5, seed=3))
    assert [read_answers(layout, text) for text in texts] == [
        [row["answers"] for row in part] for part in (every[:chunk], every[chunk:])
    ]
    (tmp_path / "data" / names[1]).write_bytes(texts[1].replace("the", "tha", 1).encode())
    assert [check.fault for check in verify(tmp_path / "data")][1] == (
        "has other bytes than were written"
    )


def nouns() -> Compiled:
    """A matrix with enough instances for two parts."""
    words = [f"{c}{v}{d}" for c in "bdfgklmnprst" for v in "aeiou" for d in "bdgklmnp"]
    lexemes = "".join(f"{w},noun,the {w},the {w}s\n" for w in words[:80])
    text = """
phenomenon nouns
lexicon "nouns.csv"
objects
  a, b : noun (number)
attributes
  number = sg | pl
frames
  clause = a "and" b
matrix four = 4 items in clause
  a.number cycles 2 of sg | pl every 1
  b.number cycles 2 of sg | pl every 2
answers
  A breaks R: flip a.number
  B breaks R: flip b.number
"""
    tables = {"nouns.csv": "lemma,category,sg,pl\n" + lexemes}
    found = compile_source(Source("nouns.merula", text), tables=tables)
    assert not found.failed, [problem.render() for problem in found.problems]
    return found


def read_answers(layout: str, text: str) -> list[list[str]]:
    """The answers of every instance of a file."""
    if layout == "wide":
        return [numbered(line, "Answer") for line in table(text)]
    if layout == "xy":
        return [task["y"] for task in json.loads(text)]
    return [json.loads(line)["target_options"] for line in text.splitlines()]
