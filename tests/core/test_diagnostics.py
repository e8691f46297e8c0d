"""What is said of bad input: the code, where the carets stand, and the remedy.

Every case is a change to a grammar that is fine. Nothing here may raise.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import merula
from merula.cli import main
from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import Diagnostic
from merula.core.source import Source, display_width
from merula.data.folder import STATE
from merula.data.formats import WRITERS
from merula.data.manifests.run import MANIFEST

SETS = """\
subj.sg\tsubj.pl\tn1.sg\tn1.pl\tn2.sg\tn2.pl\tverb.sg\tverb.pl
the key\tthe keys\tto the room\tto the rooms\tof the guest\tof the guests\tis lost\tare lost
the letter\tthe letters\tfrom the boy\tfrom the boys\tto the girl\tto the girls\twas read\twere read
"""
GRAMMAR = """\
phenomenon toy "Agreement"
language en
lexicon sets "sets.tsv"
objects
  subj, n1 : NP (number)
  n2?      : NP (number)
  verb     : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
internal
  attraction: verb.number ignores n1.number
frames
  clause = subj [inner n1 n2] verb
paradigm agree = subj.number × verb.number
matrix m = 4 items
  subj.number cycles 2 of sg | pl every 1
  n1.number   cycles 2 of sg | pl every 2
answers for m
  AE breaks E agreement: flip verb.number
  WN breaks R: flip n1.number
"""


def compiled(text: str, tables: Mapping[str, str | bytes] | None = None) -> Compiled:
    tables = {"sets.tsv": SETS} if tables is None else tables
    return compile_source(Source("x.merula", text), tables=tables)


def changed(text: str, *changes: str) -> str:
    """The text after ``old => new`` changes, each of which must change something."""
    for change in changes:
        old, _, new = change.partition(" => ")
        assert old in text, old
        text = text.replace(old, new)
    return text


def errors(found: Compiled) -> list[Diagnostic]:
    return [problem for problem in found.problems if problem.severity == "error"]


def carets(problem: Diagnostic) -> list[str]:
    return [label.span.text for label in problem.labels]


@dataclass(frozen=True)
class Case:
    """Changes to the grammar, and the one problem they lead to."""

    changes: str | tuple[str, ...]
    code: str
    carets: str | list[str]
    message: str
    remedy: str

    def __str__(self) -> str:
        first = self.changes if isinstance(self.changes, str) else self.changes[0]
        return f"{self.code} {first}"


def check_case(case: Case, text: str, tables: Mapping[str, str | bytes] | None = None) -> None:
    changes = (case.changes,) if isinstance(case.changes, str) else case.changes
    problems = errors(compiled(changed(text, *changes), tables))
    assert len(problems) == 1, "\n".join(p.render() for p in problems)
    (problem,) = problems
    wanted = [case.carets] if isinstance(case.carets, str) else case.carets
    assert (problem.code, carets(problem)) == (case.code, wanted), problem.render()
    assert case.message in problem.message
    assert case.remedy in problem.remedy
    assert bool(case.remedy) == bool(problem.remedy)


def test_the_grammar_is_fine() -> None:
    assert not compiled(GRAMMAR).problems


# --- names ----------------------------------------------------------------------------------

NAMES = [
    Case("verb.number = subj => verb.number = sbj", "M101", "sbj", "no object", "mean subj?"),
    Case("verb.number = subj => verb.number = Subj", "M101", "Subj", "no object", "mean subj?"),
    Case("= subj.number × => = xyz.number ×", "M101", "xyz", "no object", "declare it"),
    Case(
        "verb     : VP (number) => verb : VP (numbr)", "M101", "numbr", "attribute", "mean number?"
    ),
    Case("verb     : VP (number) => verb : VP (Number)", "M101", "Number", "attribute", "number?"),
    Case("verb     : VP (number) => verb : VP (number, x)", "M101", "x", "attribute", "declare it"),
    Case("answers for m => answers for n", "M101", "n", "no matrix", "matrices are"),
    Case("answers for m => answers for agree", "M416", "agree", "is a paradigm", "labelled by"),
    Case("subj [inner => subjj [inner", "M106", "subjj", "neither an object nor", "mean subj?"),
    Case("subj [inner => the subj [inner", "M106", "the", "neither an object nor", "quote it"),
    Case("× verb.number => × verb.number in claus", "M106", "claus", "no frame", "mean clause?"),
    Case(
        "n2?      : NP => subj : XP (number)\n  n2?      : NP",
        "M102",
        ["subj", "subj"],
        "object `subj` is declared twice",
        "rename one",
    ),
    Case(
        "number = sg | pl\nexternal => number = sg | pl\n  number = a | b\nexternal",
        "M102",
        ["number", "number"],
        "attribute `number` is declared twice",
        "rename one",
    ),
    Case(
        "internal => internal\n  agreement: n1.number = sg",
        "M102",
        ["agreement", "agreement"],
        "rule `agreement` is declared twice",
        "rename one",
    ),
    Case(
        "frames => frames\n  clause = verb",
        "M102",
        ["clause", "clause"],
        "frame `clause` is declared twice",
        "rename one",
    ),
    Case(
        "frames => frames\n  subj = verb",
        "M129",
        ["subj", "subj"],
        "both a frame and an object",
        "rename one",
    ),
    Case(
        "paradigm agree => paradigm agree = subj.number\nparadigm agree",
        "M102",
        ["agree", "agree"],
        "design `agree` is declared twice",
        "rename one",
    ),
    Case(
        "WN breaks R: => AE breaks R:",
        "M102",
        ["AE breaks R: flip n1.number", "AE breaks E agreement: flip verb.number"],
        "answer `AE` is declared twice",
        "rename one",
    ),
    Case("WN => Correct", "M417", "Correct breaks R: flip n1.number", "right answer", "another"),
    Case(
        "language en => language en\nlanguage fr",
        "M102",
        ["fr", "en"],
        "two languages",
        "keep one",
    ),
    Case(
        "language en => phenomenon tea\nlanguage en",
        "M102",
        ["tea", 'toy "Agreement"'],
        "two phenomena",
        "keep one",
    ),
    Case(
        '"sets.tsv" => "sets.tsv", "sets.tsv"',
        "M102",
        ['"sets.tsv"', '"sets.tsv"'],
        "named twice",
        "delete one",
    ),
    Case(
        "= sg | pl\nexternal => = sg | pl | sg\nexternal", "M102", ["sg", "sg"], "twice", "delete"
    ),
    Case('phenomenon toy "Agreement"\n => ', "M109", "language en", "no `phenomenon`", "begin"),
]


@pytest.mark.parametrize("case", NAMES, ids=str)
def test_names(case: Case) -> None:
    check_case(case, GRAMMAR)


# --- attributes, values, rules, frames ---------------------------------------------------------

SENSE = [
    Case("= subj.number × => = subj.numbr ×", "M103", "subj.numbr", "no attribute", "number?"),
    Case(
        "verb.number = subj.number\n => verb.number = subj.case\n",
        "M103",
        "subj.case",
        "no",
        "it has",
    ),
    Case(
        "= subj.number × => = subj ×", "M103", "subj", "always there", "name one of its attributes"
    ),
    Case(
        "= subj.number × => = subj.number (sg | du) ×", "M104", "du", "no value `du`", "sg and pl"
    ),
    Case("= subj.number × => = subj.number (SG | pl) ×", "M104", "SG", "no value", "mean sg?"),
    Case("verb.number = subj.number => verb.number = pll", "M104", "pll", "no value", "mean pl?"),
    Case(
        "subj, n1 : NP (number) => subj, n1 : NP (number = du)", "M104", "du", "no value", "sg and"
    ),
    Case(
        "cycles 2 of sg | pl every 2 => cycles absent | sg every 2",
        "M104",
        "absent",
        "no value",
        "",
    ),
    Case(
        "= subj.number × => = subj.number × subj.number ×",
        "M411",
        ["subj.number", "subj.number"],
        "given twice",
        "keep one",
    ),
    Case(
        "every 2 => every 2\n  n1.number cycles sg | pl every 1",
        "M411",
        ["n1.number", "n1.number"],
        "given twice",
        "keep one",
    ),
    Case(
        "verb.number = subj.number\n => verb.number\n",
        "M201",
        "verb.number",
        "neither true",
        "sg or pl",
    ),
    Case(
        "= sg | pl\nexternal => = sg | pl\n  verb.tense = past | present\nexternal\n"
        "  t: verb.tense = verb.number",
        "M202",
        "verb.tense = verb.number",
        "no value in common",
        "past or present",
    ),
    Case(
        "ignores n1.number => ignores n1.number, n1 inside outer",
        "M203",
        "outer",
        "outer",
        "bracket",
    ),
    Case(
        "ignores n1.number => ignores n1.number, n1 inside iner", "M203", "iner", "iner", "inner?"
    ),
    Case("[inner n1 => [inner @here n1", "M128", "@here", "nothing can stand", "NAME.site = here"),
    Case("subj [inner => clause [inner", "M107", "clause", "contains itself", "finite pattern"),
    Case(
        "frames => frames\n  a = verb b\n  b = subj a",
        "M107",
        "a",
        "contains itself: a → b → a",
        "finite pattern",
    ),
    Case(
        "verb     : VP (number) => verb : position (number)",
        "M120",
        "verb",
        "fill",
        "list its fillers",
    ),
]


@pytest.mark.parametrize("case", SENSE, ids=str)
def test_attributes_values_rules_and_frames(case: Case) -> None:
    text = GRAMMAR
    if "frames => frames\n  a" in case.changes:
        text = changed(
            text, "× verb.number => × verb.number in clause", "4 items => 4 items in clause"
        )
    if case.code == "M104" and "absent" in case.carets:
        case = Case(case.changes, "M104", "absent", "no value `absent`", "its values are")
    check_case(case, text)


DUAL = changed(
    GRAMMAR,
    "number = sg | pl\n => number = sg | pl\n  subj.number = sg | pl | du\n",
    "subj.number × verb.number => subj.number (sg | pl) × verb.number",
)


@pytest.mark.parametrize(
    "rule",
    [
        "subj.number = du -> verb.number = pl else verb.number = subj.number",
        "subj.number = sg | pl -> verb.number = subj.number else verb.number = pl",
        "subj.number != du -> verb.number = subj.number else verb.number = pl",
        "n1.number = sg and subj.number != du -> verb.number = subj.number",
        "n1.number = sg or subj.number = du -> verb.number = pl else verb.number = subj.number",
    ],
)
def test_a_condition_may_leave_out_the_values_that_an_attribute_lacks(rule: str) -> None:
    found = compiled(changed(DUAL, f"verb.number = subj.number => {rule}"))
    assert found.designs
    assert "M212" not in {problem.code for problem in found.problems}


@pytest.mark.parametrize(
    ("rule", "remedy"),
    [
        (
            "verb.number = subj.number",
            "say what it is then:"
            " subj.number = du -> verb.number = pl else verb.number = subj.number",
        ),
        (
            "n1.number = sg -> verb.number = subj.number else verb.number = pl",
            "add `and not subj.number = du` to the condition",
        ),
        (
            "n1.number = sg -> verb.number = pl else verb.number = subj.number",
            "add `or subj.number = du` to the condition",
        ),
        (
            "subj.number = du -> verb.number = pl, verb.number = subj.number",
            "say what it is then",
        ),
    ],
)
def test_what_follows_has_to_have_the_value(rule: str, remedy: str) -> None:
    (problem,) = errors(compiled(changed(DUAL, f"verb.number = subj.number => {rule}")))
    assert (problem.code, problem.message) == (
        "M212",
        "`verb.number` follows `subj.number`, but cannot be du",
    )
    assert problem.remedy.startswith(f"give `verb.number` that value, or {remedy}")


@pytest.mark.parametrize(
    ("change", "head"),
    [
        ("lexicon => \n  lexicon", "lexicon"),  # under `language`
        ("language => \n  language", "language"),  # under `phenomenon`
        ('language => import "a.merula"\n  language', "language"),
        ("matrix m => \n  matrix m", "matrix"),  # under `paradigm`
        ("paradigm => \n  paradigm", "paradigm"),
    ],
)
def test_a_section_that_is_indented(change: str, head: str) -> None:
    problems = errors(compiled(changed(GRAMMAR, change)))
    assert [(p.code, carets(p)) for p in problems if p.code != "M110"] == [("M004", [head])]


def test_several_sections_that_are_indented() -> None:
    text = changed(GRAMMAR, "language => \n  language", "\nlexicon => \n  lexicon")
    problems = errors(compiled(text))
    assert [(p.code, carets(p)) for p in problems] == [
        ("M004", ["language"]),
        ("M004", ["lexicon"]),
    ]


def test_lines_that_go_on_may_begin_with_the_name_of_a_section() -> None:
    text = changed(
        GRAMMAR,
        "n1 => matrix",
        "clause => frames",
        "× verb.number => × verb.number in\n  frames\n  varying\n  matrix.number",
        "language en => language\n  en",
    )
    table = SETS.replace("n1.", "matrix.")
    found = compiled(text.replace("\nmatrix", "\nmatrix", 1), {"sets.tsv": table})
    assert not found.problems, [p.render() for p in found.problems]


@pytest.mark.parametrize(
    "lines",
    [
        "subj.number cycles sg | pl every 1\n  n1.number cycles sg | pl every 2",
        "| subj.number\n  1 | pl\n  2 | sg",
        "n1.number = sg",
    ],
)
def test_lines_under_a_swapped_matrix_are_one_fault(lines: str) -> None:
    text = changed(
        GRAMMAR,
        "answers for m => matrix t = items\n  | subj.number\n  1 | sg\n  2 | pl\n"
        f"matrix k = t swap 1, 2\n  {lines}\nanswers for m",
    )
    (problem,) = errors(compiled(text))
    assert problem.code == "M012"
    assert "delete these lines" in problem.remedy


def test_what_may_fill_a_position_is_not_said_to_be_out_of_place() -> None:
    text = changed(
        GRAMMAR, "verb     : VP => place : position\n  verb : VP", "[inner n1 n2] => [inner place]"
    )
    assert [p.code for p in compiled(text).problems] == ["M120"]


def test_an_attribute_that_no_object_has_is_a_warning() -> None:
    found = compiled(changed(GRAMMAR, "attributes => attributes\n  case = nom | acc"))
    (problem,) = found.problems
    assert (problem.code, problem.severity, carets(problem)) == ("M105", "warning", ["case"])
    assert not found.failed


# --- matrices and answers ----------------------------------------------------------------------

WN = "WN breaks R: flip n1.number => WN "
MATRICES = [
    Case("= 4 items => = 1 items", "M410", "m", "at least 2 items", "write"),
    Case("= 4 items => = 8000000 items", "M410", "m", "8,000,000 items", "write"),
    Case(
        (
            "  subj.number cycles 2 of sg | pl every 1\n => ",
            "  n1.number   cycles 2 of sg | pl every 2\n => ",
            "  WN breaks R: flip n1.number\n => ",
        ),
        "M428",
        "m",
        "nothing changes",
        "cycles 2 of",
    ),
    Case(
        "every 2 => every 3",
        "M404",
        "3",
        "items 1 to 3 do not determine item 4",
        "whole period",
    ),
    Case("every 2 => every 0", "M413", "0", "every 1 item", "or more"),
    Case(
        "cycles 2 of sg | pl every 2 => cycles 3 of sg | pl every 2",
        "M413",
        "n1.number   cycles 3 of sg | pl every 2",
        "cannot be taken from 2 values",
        "from 2 up",
    ),
    Case("every 2 => every 2 under Q", "M412", "Q", "no error class", "relational"),
    Case(
        "breaks E agreement => breaks agreement",
        "M412",
        "agreement",
        "no error class",
        "classes are",
    ),
    Case(WN + "breaks R: drop n1", "M419", ["n1", "n1"], "always there", "declare it as `n1?`"),
    Case(WN + "breaks R: set n1.number = du", "M104", "du", "no value", "sg and pl"),
    Case(WN + "breaks R: flip n1", "M103", "n1", "always there", "name one of its attributes"),
    Case(WN + "breaks R: embed n1 in n1", "M422", "embed n1 in n1", "in itself", "another object"),
    Case(
        WN + "breaks R: flip n2.number",
        "M403",
        "WN breaks R: flip n2.number",
        "have no sense",
        "",
    ),
    Case(
        "breaks E agreement => breaks I attraction",
        "M401",
        "I attraction",
        "breaks E agreement",
        "write `breaks E agreement",
    ),
    Case(
        WN + "breaks E: flip n1.number",
        "M401",
        ["E", "n1.number   cycles 2 of sg | pl every 2"],
        "is said to break E, but",
        "write `breaks R n1.number`",
    ),
    Case(
        "breaks E agreement => breaks attraction",
        "M412",
        "attraction",
        "no error class",
        "write `breaks I attraction`",
    ),
    Case(
        "breaks E agreement => breaks agrement",
        "M412",
        "agrement",
        "no error class",
        "write `breaks E agreement`",
    ),
    Case("breaks E agreement => breaks e agreement", "M412", "e", "no error class", "write `E`"),
    Case(
        "breaks E agreement => breaks E agreemnt",
        "M423",
        "E agreemnt",
        "no rule has that name",
        "did you mean `breaks E agreement`?",
    ),
    Case(
        "breaks E agreement => breaks E atraction",
        "M423",
        "E atraction",
        "no rule has that name",
        "did you mean `breaks I attraction`?",
    ),
    Case(
        WN + "breaks E attraction: flip n1.number",
        "M423",
        "E attraction",
        "but attraction is an internal rule",
        "write `breaks I attraction`",
    ),
    Case(
        "breaks E agreement => breaks I n1.number",
        "M423",
        "I n1.number",
        "but n1.number belongs to class R",
        "write `breaks R n1.number`",
    ),
    Case(
        "breaks E agreement => breaks E concord",
        "M423",
        "E concord",
        "no rule has that name",
        "write `breaks E agreement`",
    ),
    Case(
        "breaks E agreement => breaks E agreement as R",
        "M401",
        "AE breaks E agreement as R: flip verb.number",
        "printed as R",
        "take `as R` away",
    ),
    Case(
        WN + "breaks R: flip n1.number, flip n1.number",
        "M402",
        "WN breaks R: flip n1.number, flip n1.number",
        "same sentence as the right answer",
        "edit something",
    ),
    Case(
        WN + "breaks E: flip verb.number",
        "M402",
        ["WN breaks E: flip verb.number", "AE breaks E agreement: flip verb.number"],
        "same sentence as `AE`",
        "",
    ),
    Case(
        "matrix m => matrix k = m swap 1, 2\nmatrix m",
        "M101",
        "m",
        "above this line",
        "write the matrix that is copied above",
    ),
    Case(
        "answers for m => matrix k = m swap 1, 2\nanswers for m",
        "M415",
        "k",
        "follow from cycles",
        "item table",
    ),
]


@pytest.mark.parametrize("case", MATRICES, ids=str)
def test_matrices_and_answers(case: Case) -> None:
    changes = (case.changes,) if isinstance(case.changes, str) else case.changes
    problems = errors(compiled(changed(GRAMMAR, *changes)))
    assert [p.code for p in problems] == [case.code], "\n".join(p.render() for p in problems)
    (problem,) = problems
    assert carets(problem) == ([case.carets] if isinstance(case.carets, str) else case.carets)
    assert case.message in problem.message
    assert case.remedy in problem.remedy
    assert problem.remedy


def test_an_edit_without_sense_in_some_variants_names_one() -> None:
    text = changed(
        GRAMMAR,
        "every 2 => every 2\n  n2 cycles 2 of absent | sg | pl every 2",
        "WN breaks R: flip n1.number => WN breaks R: flip n2.number",
    )
    (problem,) = errors(compiled(text))
    assert problem.code == "M403"
    assert " of 24 variants" in problem.message
    assert problem.notes[0].startswith("for example in clause")


def test_for_some_lexemes_only_the_rows_are_named() -> None:
    table = (
        SETS
        + "the sheep\tthe sheep\tto the room\tto the rooms\tof it\tof them\tis lost\tare lost\n"
    )
    found = compiled(GRAMMAR, {"sets.tsv": table})
    assert not found.failed
    left_out = [p for p in found.problems if p.code == "M420"]
    assert left_out
    assert all("the sheep (sets.tsv:4)" in p.notes[0] for p in left_out)
    assert found.designs["agree"].count == 2


def test_for_all_lexemes_it_is_an_error() -> None:
    table = SETS.replace("keys", "key").replace("letters", "letter")
    found = compiled(GRAMMAR, {"sets.tsv": table})
    assert "M424" in {p.code for p in errors(found)}


# --- tables ------------------------------------------------------------------------------------

HEADER, *ROWS = SETS.splitlines(keepends=True)
TABLES: dict[str, tuple[str | bytes, str, str, str]] = {
    # name: (table, code, place, part of the remedy)
    "empty": ("", "M301", "sets.tsv", "first line names the columns"),
    "blank": ("\n\n", "M301", "sets.tsv", "first line names the columns"),
    "header only": (HEADER, "M301", "sets.tsv", "first line names the columns"),
    "short row": (SETS + "a\tb\n", "M309", "sets.tsv:4", "an empty cell still needs its separator"),
    "long row": (SETS + "a\t" * 9 + "\n", "M309", "sets.tsv:4", "closed quotes"),
    "semicolons": (SETS.replace("\t", ";"), "M306", "sets.tsv:1", '`separated by ";"`'),
    "commas": (SETS.replace("\t", ","), "M306", "sets.tsv:1", '`separated by ","`'),
    "spaces": (SETS.replace("\t", "   "), "M306", "sets.tsv:1", "one tab between cells"),
    "doubled column": (SETS.replace("subj.pl", "subj.sg"), "M308", "sets.tsv:1", "columns 1 and 2"),
    "cp1252": (SETS.replace("key", "clé").encode("cp1252"), "M302", "sets.tsv:2", '"cp1252"'),
    "utf-16": (SETS.encode("utf-16"), "M302", "sets.tsv:1", '"utf-16"'),
    "utf-16 without mark": (SETS.encode("utf-16-le"), "M304", "sets.tsv:1", "utf-16"),
    "nul": (SETS.replace("letter", "let\0ter"), "M304", "sets.tsv:3", "delete it"),
    "a cell without end": (SETS + "x" * 200_000, "M305", "sets.tsv:4", "quotation mark"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    table, code, place, remedy = TABLES[name]
    (problem,) = errors(compiled(GRAMMAR, {"sets.tsv": table}))
    assert (problem.code, problem.place) == (code, place), problem.render()
    assert remedy in problem.remedy
    assert carets(problem) in ([], ['"sets.tsv"'])


GOOD_TABLES: dict[str, str | bytes] = {
    "byte order mark": SETS.encode("utf-8-sig"),
    "CRLF": SETS.replace("\n", "\r\n"),
    "CR": SETS.replace("\n", "\r"),
    "no last newline": SETS.rstrip("\n"),
    "blank lines": SETS.replace("\n", "\n\n"),
    "spaces around": SETS.replace("\t", " \t  "),
    "non-breaking spaces": SETS.replace("the ", "the\N{NO-BREAK SPACE}"),
    "quotation marks": SETS.replace("the key\t", '"the" key\t'),
}


@pytest.mark.parametrize("name", GOOD_TABLES)
def test_tables_that_are_read_all_the_same(name: str) -> None:
    found = compiled(GRAMMAR, {"sets.tsv": GOOD_TABLES[name]})
    assert not found.problems
    assert found.designs["agree"].count == 2


def test_a_row_without_a_form_is_left_out_with_a_warning() -> None:
    everywhere = SETS.replace("the keys", "").replace("the letters", "")
    assert {p.code for p in errors(compiled(GRAMMAR, {"sets.tsv": everywhere}))} == {"M321"}
    every_row = SETS.replace("the keys", "").replace("the letter\t", "\t")
    assert {p.code for p in errors(compiled(GRAMMAR, {"sets.tsv": every_row}))} == {"M502"}
    found = compiled(GRAMMAR, {"sets.tsv": SETS.replace("the keys", "")})
    assert not found.failed
    (problem, *_) = found.problems
    assert (problem.code, problem.place) == ("M317", "sets.tsv:2")
    assert found.designs["agree"].count == 1


def test_sets_without_a_name_are_not_the_same_set() -> None:
    names = ("set", "", "")
    table = "".join(f"{name}\t{row}" for name, row in zip(names, [HEADER, *ROWS], strict=True))
    assert not compiled(GRAMMAR, {"sets.tsv": table}).problems


def test_a_column_without_a_header_is_a_warning_if_it_holds_something() -> None:
    header, *rows = SETS.splitlines()
    for cells, message in (
        ("\t\t", ""),
        ("\tnote\t", "column 9 has no header; it is not read"),
        ("\tnote\tx", "columns 9 and 10 have no header; they are not read"),
    ):
        table = "\n".join([header + "\t\t", rows[0] + cells, rows[1] + "\t\t"])
        found = compiled(GRAMMAR, {"sets.tsv": table})
        assert not found.failed
        told = [("M343", message, "sets.tsv:1")] if message else []
        assert [(p.code, p.message, p.place) for p in found.problems] == told


def test_many_faulty_rows_are_one_problem() -> None:
    (problem,) = errors(compiled(GRAMMAR, {"sets.tsv": SETS + "a\tb\n" * 1000}))
    assert problem.notes == (
        "the same is wrong at sets.tsv:5, sets.tsv:6, sets.tsv:7, sets.tsv:8, sets.tsv:9"
        " and 994 more",
    )


def test_a_quotation_mark_that_is_not_closed_is_blamed_on_its_line() -> None:
    table = SETS.replace("\t", ",").replace("the key,", '"the key,')
    text = changed(GRAMMAR, "sets.tsv => sets.csv")
    (problem,) = errors(compiled(text, {"sets.csv": table}))
    assert (problem.code, problem.place) == ("M309", "sets.csv:2")


@pytest.mark.parametrize(
    ("option", "code", "caret"),
    [
        ('encoded "nonsense"', "M303", '"nonsense"'),
        ('encoded ""', "M303", '""'),
        ('encoded "undefined"', "M302", '"sets.tsv"'),
        ('encoded "base64"', "M302", '"sets.tsv"'),
        ('encoded "é"', "M303", '"é"'),
        ('separated by ";;"', "M323", '";;"'),
        ('separated by ""', "M323", '""'),
        ('separated by "\\""', "M323", '"\\""'),
        ('separated by "a"', "M323", '"a"'),
        ('separated by ";"', "M306", '"sets.tsv"'),
        ('\n  subj.sg = "Singular"', "M307", 'subj.sg = "Singular"'),
        ('\n  subj.sg = "subj.pl"', "M308", 'subj.sg = "subj.pl"'),
    ],
)
def test_how_a_table_is_to_be_read(option: str, code: str, caret: str) -> None:
    (problem,) = errors(compiled(changed(GRAMMAR, f'"sets.tsv" => "sets.tsv" {option}')))
    assert (problem.code, carets(problem)[0]) == (code, caret)


def test_a_header_named_twice_names_both_places() -> None:
    option = '\n  subj.sg = "subj.sg"\n  subj.sg = "subj.pl"'
    (problem,) = errors(compiled(changed(GRAMMAR, f'"sets.tsv" => "sets.tsv" {option}')))
    assert problem.code == "M102"
    assert carets(problem) == ['subj.sg = "subj.pl"', 'subj.sg = "subj.sg"']


# --- tables of lexemes and selection -------------------------------------------------------------

NOUNS = """\
lemma\tcategory\tsg\tpl\tsort\tscene
guest\tnoun\tguest\tguests\tperson\thotel
cook\tnoun\tcook\tcooks\tperson\tkitchen
cup\tnoun\tcup\tcups\tthing\tkitchen
"""
VERBS = """\
lemma\tcategory\tsg\tpl\tsubject\tscene
sleep\tverb\tsleeps\tsleep\tperson\thotel
break\tverb\tbreaks\tbreak\tthing\tkitchen
"""
LEXICON = """\
phenomenon lex
language en
lexicon "nouns.tsv", "verbs.tsv"
objects
  N, M : noun (number)
  V    : verb (number)
attributes
  number = sg | pl
external
  agreement: V.number = N.number
select
  N is V.subject
  N, M differ
frames
  clause = "the" N "near the" M V
paradigm agree = N.number × V.number
"""
LEXEMES: Mapping[str, str | bytes] = {"nouns.tsv": NOUNS, "verbs.tsv": VERBS}
SELECTION = [
    Case("is V.subject => is V.object", "M315", "object", "no column `object`", "mean subject?"),
    Case("is V.subject => is V.Subject", "M315", "Subject", "no column `Subject`", "subject?"),
    Case("is V.subject => is W.subject", "M101", "W", "no object", "declare it"),
    Case("is V.subject => is persn", "M316", "persn", "not a feature", "mean person?"),
    Case("is V.subject => is Person", "M316", "Person", "not a feature", "mean person?"),
    Case("is V.subject => is sort = persn", "M104", "persn", "no value", "mean person?"),
    Case("is V.subject => is sortt = person", "M315", "sortt", "no column", "mean sort?"),
    Case("is V.subject => is V inside clause", "M205", "V inside clause", "not inside", "a rule"),
    Case("N, M differ => N, M share scen", "M315", "scen", "no column", "mean scene?"),
    Case("N, M : noun => N, M : nouns", "M314", "N", "no table has forms", "mean noun?"),
    Case("V    : verb => V : Verb", "M314", ["V", "subject"], "no table has", "mean verb?"),
    Case(
        "is V.subject => is person and thing",
        "M503",
        "N is person and thing",
        "no instance",
        "add lexemes",
    ),
]


@pytest.mark.parametrize("case", SELECTION, ids=str)
def test_selection(case: Case) -> None:
    check_case(case, LEXICON, LEXEMES)


def test_the_lexicon_grammar_is_fine() -> None:
    assert not compiled(LEXICON, LEXEMES).problems


def test_an_unsatisfiable_selection_names_only_the_rules_that_clash() -> None:
    text = changed(
        LEXICON,
        "select => select\n  M is person\n  N is V.subject and thing\n  N, M, V share scene",
        "  N is V.subject\n => ",
    )
    tables = {"nouns.tsv": NOUNS.replace("person\tkitchen", "person\tstage"), "verbs.tsv": VERBS}
    (problem,) = errors(compiled(text, tables))
    assert problem.code == "M503"
    assert "N, M, V share scene" in carets(problem)
    assert "N, M differ" not in carets(problem)
    assert any("cup" in note for note in problem.notes)


CELLS = {
    "person; thing": ("M006", ";"),
    "person, thing": ("M010", ","),
    "person thing": ("M010", "thing"),
    "(person": ("M007", "("),
    '"person"': ("M010", '"person"'),
    "persn": ("M316", "persn"),
    "not persn": ("M316", "persn"),
    "not " * 60 + "person": ("M008", "not"),
}


@pytest.mark.parametrize("cell", CELLS)
def test_selection_cells(cell: str) -> None:
    tables = {"nouns.tsv": NOUNS, "verbs.tsv": VERBS.replace("\tthing\t", f"\t{cell}\t")}
    (problem,) = errors(compiled(LEXICON, tables))
    code, caret = CELLS[cell]
    assert (problem.code, carets(problem)) == (code, [caret])
    assert problem.labels[0].span.source.name == "verbs.tsv:3, column subject"
    assert problem.remedy


def test_a_cell_is_its_own_place() -> None:
    tables = {"nouns.tsv": NOUNS, "verbs.tsv": VERBS.replace("\tthing\t", "\tthing or\t")}
    (problem,) = errors(compiled(LEXICON, tables))
    place, _, cell, marks, *_ = problem.render().splitlines()[1:]
    assert place == "  --> verbs.tsv:3, column subject"
    assert (cell, marks.rstrip()) == ("  | thing or", "  |         ^")


def test_many_faulty_cells_are_few_problems() -> None:
    verbs = VERBS + "".join(f"v{i}\tverb\tv{i}s\tv{i}\tf{i}\thotel\n" for i in range(1000))
    problems = errors(compiled(LEXICON, {"nouns.tsv": NOUNS, "verbs.tsv": verbs}))
    assert [p.code for p in problems] == ["M316"] * 5
    assert any("995 more cells" in note for p in problems for note in p.notes)


LEXEME_TABLES = {
    "no lemma column": (NOUNS.replace("lemma", "word"), "M310", "nouns.tsv", "`lemma`"),
    "misspelt lemma column": (
        NOUNS.replace("lemma", "Lemma"),
        "M310",
        "nouns.tsv",
        'lemma = "Lemma"',
    ),
    "no category": (NOUNS.replace("category", "kind"), "M311", "nouns.tsv", "column `category`"),
    "a row without a lemma": (
        NOUNS.replace("guest\tnoun", "\tnoun"),
        "M312",
        "nouns.tsv:2",
        "name",
    ),
    "a doubled lexeme": (NOUNS + NOUNS.splitlines()[1] + "\n", "M313", "nouns.tsv:5", "delete one"),
}


def test_lexemes_without_a_category_are_left_out_with_a_warning() -> None:
    nouns = NOUNS + "egg\t\tegg\teggs\tthing\tkitchen\nspoon\t\tspoon\tspoons\tthing\tkitchen\n"
    found = compiled(LEXICON, {"nouns.tsv": nouns, "verbs.tsv": VERBS})
    assert not found.failed
    (problem,) = found.problems
    assert (problem.code, problem.place) == ("M341", "nouns.tsv:5")
    assert problem.message == "`egg` has no category, so nothing can use it"
    assert problem.notes == ("the same is wrong at nouns.tsv:6",)


def test_what_has_no_lexeme_is_named_once() -> None:
    text = """
phenomenon nomi
lexicon noun "n.csv"
objects
  nome : noun (number)
  agg  : adj
attributes
  number     = sg | pl
  agg.gender = m "rosso" | f "rossa"
external
  concord: agg.gender = nome.gender
frames
  clause = nome agg
matrix m = 4 items
  nome.number cycles sg | pl every 1
answers
  AE: flip nome.gender
"""
    found = compiled(text, {"n.csv": "lemma,sg,pl,gender\ngatto,gatto,,m\ncase,,case,f\n"})
    messages = [p.message for p in found.problems if p.code == "M502"]
    assert messages == ["m has no instance in all 2 variants: no lexeme for `nome` is left"]


WORDS = """\
phenomenon words
objects
  subj : NP (number)
  verb : VP (number)
attributes
  number      = sg | pl
  subj.number = sg "the dog" | pl "the dogs"
  verb.number = sg "barks" | pl "bark"
external
  agreement: verb.number = subj.number
frames
  clause = subj verb
paradigm p = subj.number × verb.number
"""


def test_without_tables_an_object_with_words_of_its_own_has_no_columns() -> None:
    text = changed(WORDS, "  number      = sg | pl\n => ")
    assert not compiled(text).problems
    (problem,) = errors(compiled(changed(text, "agreement: verb.number => agreement: verb.numbr")))
    assert (problem.code, carets(problem)) == ("M103", ["verb.numbr"])
    assert problem.remedy == "did you mean number?"


def test_without_tables_the_columns_that_are_asked_for_are_named() -> None:
    text = changed(WORDS, '  subj.number = sg "the dog" | pl "the dogs"\n => ')
    asking = changed(text, "external => external\n  case: verb.number = sg -> subj.case = nom")
    for grammar, notes in (
        (text, ()),
        (asking, ("taken for columns of its tables, unless they are misspelt: subj.case",)),
    ):
        (problem,) = compiled(grammar, {}).problems
        assert (problem.code, problem.notes) == ("M113", notes)


def test_a_misspelt_factor_without_tables() -> None:
    text = changed(WORDS, "  number      = sg | pl\n => ", "= subj.number × => = subj.numbr ×")
    (problem,) = compiled(text).problems
    assert (problem.code, problem.remedy) == ("M130", "did you mean number?")


@pytest.mark.parametrize("name", LEXEME_TABLES)
def test_tables_of_lexemes(name: str) -> None:
    table, code, place, remedy = LEXEME_TABLES[name]
    (problem,) = errors(compiled(LEXICON, {"nouns.tsv": table, "verbs.tsv": VERBS}))
    assert (problem.code, problem.place) == (code, place)
    assert remedy in problem.remedy


# --- characters ----------------------------------------------------------------------------------


def caret_columns(problem: Diagnostic) -> tuple[str, str]:
    """The source line of the first place as it is shown, and what stands over the carets."""
    lines = problem.render().splitlines()
    at = next(i for i, line in enumerate(lines) if "^" in line)
    shown, marks = lines[at - 1], lines[at]
    start, end = marks.index("^"), marks.rindex("^") + 1
    over, width = "", 0
    for char in shown:
        if start <= width < end:
            over += char
        width += display_width(char)
    return shown, over


@pytest.mark.parametrize(
    ("frame", "caret"),
    [
        ("clause = subj n1 verbb", "verbb"),
        ('clause = "日本語の" subj n1 動詞', "動詞"),
        ('clause = "ｆｕｌｌ" subj n1 verbb', "verbb"),
        ('clause = "e\u0301te\u0301" subj n1 verbb', "verbb"),
        ('clause = "שלום" subj n1 פועל', "פועל"),
        ("clause = subj\tn1\t\tverbb", "verbb"),
        ('clause = "👩‍🏫" subj n1 verbb', "verbb"),
        ("clause = subj n1\u200b verb", "\N{REPLACEMENT CHARACTER}"),
        ("clause = subj\u202e n1 verb", "\N{REPLACEMENT CHARACTER}"),
        ("clause = subj n1\0 verb", "\N{REPLACEMENT CHARACTER}"),
        ("clause = subj n1 fe\u0301e", "fe\u0301e"),
    ],
)
def test_the_caret_stands_under_wide_and_narrow_characters(frame: str, caret: str) -> None:
    text = changed(GRAMMAR, f"clause = subj [inner n1 n2] verb => {frame}")
    text = text.replace("[inner", "")
    problems = errors(compiled(text))
    assert len(problems) == 1
    shown, over = caret_columns(problems[0])
    assert over == caret, problems[0].render()
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\0", "U+0000"),
        ("\u200b", "U+200B"),
        ("\u200d", "U+200D"),
        ("\u00ad", "U+00AD"),
        ("\u202e", "U+202E"),
        ("\ufeff", "U+FEFF"),
        ("\ud800", "U+D800"),
        ("\x07", "U+0007"),
    ],
)
def test_invisible_characters_are_named(char: str, name: str) -> None:
    (problem,) = errors(compiled(changed(GRAMMAR, f"frames\n  clause => frames\n  cla{char}use")))
    assert (problem.code, carets(problem)) == ("M006", [char])
    assert f"the invisible character {name}" in problem.message
    assert problem.remedy.startswith("delete it")


def test_decomposed_accents_are_composed_in_grammar_and_table() -> None:
    composed, decomposed = "clé", "cle\u0301"
    text = changed(GRAMMAR, f"subj => {decomposed}")
    table = SETS.replace("subj", composed)
    assert not compiled(text, {"sets.tsv": table}).problems
    assert not compiled(
        changed(GRAMMAR, f"subj => {composed}"), {"sets.tsv": SETS.replace("subj", decomposed)}
    ).problems


@pytest.mark.parametrize(
    "word", ["主語", "संज्ञा", "اسم", "подлежащее", "υποκείμενο", "명사", "ประธาน"]
)
def test_names_in_any_script(word: str) -> None:
    text, table = changed(GRAMMAR, f"subj => {word}"), SETS.replace("subj", word)
    assert not compiled(text, {"sets.tsv": table}).problems


@pytest.mark.parametrize(
    "word",
    "every matrix in with not and or cycles items of absent present position sets else keeping is"
    " needs inside frame frames accept flip like as breaks under for varying by objects set add"
    " drop".split(),
)
def test_names_may_be_key_words(word: str) -> None:
    for old in ("subj", "number", "pl"):
        if (old, word) == ("pl", "absent"):
            continue
        text = GRAMMAR.replace(old, word) if old != "pl" else GRAMMAR.replace("| pl", f"| {word}")
        table = SETS.replace("subj", word) if old == "subj" else SETS
        if old == "pl":
            table = table.replace(".pl", f".{word}")
        problems = errors(compiled(text, {"sets.tsv": table}))
        assert not problems, f"{old} called {word}: {problems[0].render()}"


def test_odd_words_and_values() -> None:
    apostrophe = changed(GRAMMAR, 'n1 n2] verb => n1 n2] "l\'ami" verb')
    assert not compiled(apostrophe).problems
    (problem,) = errors(compiled(changed(GRAMMAR, "n1 n2] verb => n1 n2] l'ami verb")))
    assert (problem.code, carets(problem)) == ("M006", ["'"])
    assert "words with an apostrophe" in problem.remedy
    assert not errors(compiled(changed(GRAMMAR, 'n1 n2] verb => n1 n2] "" verb')))
    values = changed(GRAMMAR, "number = sg | pl\n => number = 1 | 2\n", " sg | pl =>  1 | 2")
    table = SETS.replace(".sg", ".1").replace(".pl", ".2")
    assert not compiled(values, {"sets.tsv": table}).problems


# --- size and depth ------------------------------------------------------------------------------


def seconds(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


@pytest.mark.parametrize("text", ["", "\n", "   \n\t\n", "# a comment\n\n  # another\n"])
def test_an_empty_grammar(text: str) -> None:
    (problem,) = errors(compiled(text))
    assert problem.code == "M109"
    assert problem.render()


def test_five_thousand_lines() -> None:
    n = 1600
    lines = ["phenomenon big", 'lexicon sets "t.tsv"', "objects"]
    lines += [f"  o{i} : NP (number)" for i in range(n)]
    lines += ["attributes", "  number = sg | pl", "external"]
    lines += [f"  r{i}: o{i}.number = o0.number" for i in range(1, n)]
    lines += ["frames", *(f"  f{i} = o0 o{i}" for i in range(n))]
    lines += ["paradigm p = o0.number in f1 | f2"]
    columns = [f"o{i}.{x}" for i in range(n) for x in ("sg", "pl")]
    table = "\n".join("\t".join(c + end for c in columns) for end in ("", " a", " b"))
    found: list[Compiled] = []
    took = seconds(lambda: found.append(compiled("\n".join(lines), {"t.tsv": table})))
    assert not errors(found[0])
    assert found[0].designs["p"].count == 4
    assert took < 600


def test_five_thousand_faults() -> None:
    found: list[Compiled] = []
    text = GRAMMAR + "objects\n" + "  a b c\n" * 2500 + "foo\n" * 2500
    took = seconds(lambda: found.append(compiled(text)))
    assert len(errors(found[0])) == 5000
    assert took < 600


def test_long_rules() -> None:
    test = "verb.number = subj.number"
    for word in ("and", "or"):
        text = changed(
            GRAMMAR, f"agreement: {test} => agreement: " + f" {word} ".join([test] * 500)
        )
        assert "M008" not in [p.code for p in compiled(text).problems]
    values = " | ".join(f"v{i}" for i in range(5000))
    problems = errors(
        compiled(changed(GRAMMAR, f"= sg | pl\nexternal => = sg | pl | {values}\nexternal"))
    )
    assert {p.code for p in problems} == {"M418"}
    assert all("… (5,002 in all)" in p.remedy for p in problems)


@pytest.mark.slow
def test_a_hundred_thousand_rows() -> None:
    rows = "".join(f"n{i}a\tn{i}b\tv{i}a\tv{i}b\n" for i in range(100_000))
    text = changed(
        LEXICON, 'lexicon "nouns.tsv", "verbs.tsv" => lexicon sets "t.tsv"', "\n  N, M differ => "
    )
    text = changed(
        text, "\n  N is V.subject => ", 'N "near the" M V => N V', "N, M : => N :", "select => "
    )
    found: list[Compiled] = []
    table = "N.sg\tN.pl\tV.sg\tV.pl\n" + rows
    took = seconds(lambda: found.append(compiled(text, {"t.tsv": table})))
    assert not found[0].problems
    assert found[0].designs["agree"].count == 100_000
    assert took < 1200


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ("".join(f"  c{i} = c{i + 1}\n" for i in range(1000)) + "  c1000 = subj n1 verb\n", "M125"),
        ("".join(f"  c{i} = [a c{i + 1}]\n" for i in range(1000)) + "  c1000 = verb\n", "M125"),
        (
            "".join(f"  c{i} = c{i + 1} c{i + 1}\n" for i in range(40)) + "  c40 = subj verb\n",
            "M126",
        ),
        ("  c0 = " + '("a" | "b") ' * 40 + "subj n1 verb\n", "M126"),
        ('  c0 = (n2: "c" | ' + '("a" | "b") ' * 40 + ") subj n1 verb\n", "M126"),
    ],
)
def test_frames_that_grow_without_end(frames: str, code: str) -> None:
    text = changed(GRAMMAR, "  clause = subj [inner n1 n2] verb\n => " + frames)
    text = changed(text, "× verb.number => × verb.number in c0", "4 items => 4 items in c0")
    (problem,) = errors(compiled(text))
    assert problem.code == code
    assert problem.remedy


def test_long_chains_and_circles_of_rules() -> None:
    n = 1500
    objects = "objects\n" + "".join(f"  o{i} : NP (number)\n" for i in range(n))
    rules = "external\n" + "".join(f"  r{i}: o{i}.number = o{i + 1}.number\n" for i in range(n - 1))
    assert not errors(
        compiled(changed(GRAMMAR, f"objects\n => {objects}", f"external\n => {rules}"))
    )
    circle = f"external\n  last: o{n - 1}.number = o0.number\n" + rules.removeprefix("external\n")
    problems = errors(
        compiled(changed(GRAMMAR, f"objects\n => {objects}", f"external\n => {circle}"))
    )
    assert {p.code for p in problems} <= {"M206"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("× verb.number => × " + " × ".join(f"o{i}" for i in range(20)), "M506"),
        ("× verb.number => × verb.number varying " + ", ".join(f"o{i}" for i in range(20)), "M505"),
    ],
)
def test_designs_that_are_too_large(change: str, code: str) -> None:
    names = [f"o{i}" for i in range(20)]
    text = changed(
        GRAMMAR,
        "objects\n => objects\n" + "".join(f"  {name} : word\n" for name in names),
        "attributes\n => attributes\n"
        + "".join(f'  {x} = yes "{x}" | no "no{x}"\n' for x in names),
        "clause = => clause = " + " ".join(names),
        change,
    )
    (problem,) = errors(compiled(text))
    assert problem.code == code
    assert problem.remedy


def test_a_cycle_with_too_many_orders() -> None:
    values = " | ".join(f"v{i}" for i in range(20))
    text = changed(
        GRAMMAR,
        f"number = sg | pl\nexternal => number = sg | pl\n  n1.kind = {values}\nexternal",
        f"every 2\n => every 2\n  n1.kind cycles 10 of {values} every 1\n",
    )
    (problem,) = errors(compiled(text))
    assert problem.code == "M413"
    assert "670,442,572,800 orders" in problem.message


# --- files, on the command line ------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("x.merula").write_text(GRAMMAR, encoding="utf-8")
    Path("sets.tsv").write_text(SETS, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(
        main, list(arguments), prog_name="merula", env={"NO_COLOR": "1"}, catch_exceptions=False
    )
    assert "Traceback" not in result.output
    return result


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        ("y.merula", "the grammar y.merula does not exist", "did you mean x.merula?"),
        ("X.MERULA", "the grammar X.MERULA does not exist", "did you mean x.merula?"),
        ("npi/sentential", "does not exist", "did you mean npi/sentential_negation?"),
        ("nowhere/x.merula", "does not exist", "check the path"),
        ("x.merula/y", "does not exist", "check the path"),
        ("deep", "the grammar deep is a folder", "did you mean deep/z.merula?"),
        (".", "the grammar . is a folder", "name a file in it"),
        ("", "no grammar is named", "name a file"),
        ("a" * 5000, "does not exist", "check the path"),
        ("a\0b", "does not exist", "check the path"),
        ("sets.tsv", "is a table, not a grammar", "name a grammar"),
    ],
)
def test_grammars_that_are_not_there(folder: Path, name: str, message: str, remedy: str) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "z.merula").write_text(GRAMMAR, encoding="utf-8")
    result = run("check", name)
    assert result.exit_code == 1
    first = result.output.splitlines()[0]
    assert message in first
    if name not in ("X.MERULA", "deep"):
        assert f"= help: {remedy}" in result.output


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (GRAMMAR.encode("utf-8-sig"), ""),
        (GRAMMAR.replace("\n", "\r\n").encode(), ""),
        (GRAMMAR.replace("\n", "\r").encode(), ""),
        (GRAMMAR.replace("Agreement", "Accord réel").encode("cp1252"), "M602"),
        (GRAMMAR.encode("utf-16"), "M602"),
        (b"\xff\xfe\x00\x00", "M602"),
        (bytes(range(128)), "M001"),
        (b"", "M109"),
    ],
)
def test_how_a_grammar_is_written(folder: Path, data: bytes, code: str) -> None:
    (folder / "x.merula").write_bytes(data)
    result = run("check", "x.merula")
    assert result.exit_code == bool(code)
    assert f"error[{code}]" in result.output or not code


@pytest.mark.usefixtures("folder")
def test_a_grammar_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    result = run("check", "x.merula")
    assert result.exit_code == 1
    assert "error[M603]: the grammar x.merula cannot be read: Permission denied" in result.output


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ("sets.tsv => set.tsv", "M601", "did you mean sets.tsv?"),
        ("sets.tsv => Sets.tsv", "M601", "did you mean sets.tsv?"),
        ("sets.tsv => deep", "M601", "`deep` is a folder, not a table"),
        ('"sets.tsv" => ""', "M601", "does not exist"),
        ("sets.tsv => \0.tsv", "M601", "does not exist"),
        ('language => import "x.merula"\nlanguage', "M111", "x.merula imports itself"),
        ('language => import "deep"\nlanguage', "M110", "`deep` is a folder, not a grammar"),
        ('language => import "y.merula"\nlanguage', "M110", "cannot be found"),
        ('language => import "a.merula"\nlanguage', "M111", "import each other"),
        ('language => import "latin.merula"\nlanguage', "M602", "not written in UTF-8"),
        ('language => import "c0.merula"\nlanguage', "M111", "more than 50 deep"),
    ],
)
def test_tables_and_imports_that_are_not_there(
    folder: Path, change: str, code: str, message: str
) -> None:
    (folder / "deep").mkdir()
    (folder / "a.merula").write_text('import "b.merula"\n', encoding="utf-8")
    (folder / "b.merula").write_text('import "a.merula"\n', encoding="utf-8")
    (folder / "latin.merula").write_bytes("phenomenon ré\n".encode("latin-1"))
    for i in range(200):
        text = f'import "c{i + 1}.merula"\n' if i < 199 else ""
        (folder / f"c{i}.merula").write_text(text, encoding="utf-8")
    (folder / "x.merula").write_text(changed(GRAMMAR, change), encoding="utf-8")
    result = run("check", "x.merula", "--format", "json")
    assert result.exit_code == 1
    (problem,) = json.loads(result.output)
    assert problem["code"] == code
    assert message in f"{problem['message']} {problem['remedy']}"
    assert problem["labels"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--lexicon", "no.tsv"], "M601", "`no.tsv` does not exist"),
        (["--lexicon", "set.tsv=sets.tsv"], "M605", "did you mean sets.tsv?"),
        (["--separator", ";"], "M306", "single column"),
        (["--separator", ";;"], "M323", "one sign"),
        (["--encoding", "klingon"], "M303", "no encoding named `klingon`"),
        (["--column", "subj.sg=Subject"], "M307", "no column `Subject` (for subj.sg)"),
        (["--column", "subj.sg"], "", "should be NAME=HEADER"),
        (["--column", "=Subject"], "", "should be NAME=HEADER"),
        (["--lexicon", ""], "", "names no file"),
        (["--lexicon", "sets.tsv="], "", "names no file"),
        (["--separator", ""], "", "it is empty"),
        (["--encoding", ""], "", "it is empty"),
    ],
)
def test_options_for_tables(arguments: list[str], code: str, message: str) -> None:
    result = run("check", "x.merula", *arguments)
    assert result.exit_code == (1 if code else 2)
    assert message in result.output
    assert code in result.output


# --- what is asked for, and where it goes --------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["show", "x.merula", "-d", "agre"], 1, "did you mean agree?"),
        (["show", "x.merula", "-d", "agree", "-i", "2"], 1, "addresses are 0 to 1"),
        (["show", "x.merula", "-d", "agree", "-i", "-1"], 1, "addresses are 0 to 1"),
        (["show", "x.merula", "-n", "0"], 2, "not in the range"),
        (["show", "x.merula", "--seed", "9" * 40], 0, "agree"),
        (["show", "x.merula", "--seed", "-1"], 0, "agree"),
        (["count", "y.merula"], 1, "did you mean x.merula?"),
        (["generate", "x.merula", "-o", "out"], 2, "say how many instances"),
        (["generate", "x.merula", "-o", "out", "-n", "1", "--all"], 2, "say how many instances"),
        (["generate", "x.merula", "-o", "out", "-n", "-1"], 2, "not in the range"),
        (["generate", "x.merula", "-o", "out", "-n", "3"], 1, "instances; 3 were asked for"),
        (["generate", "x.merula", "-o", "out", "-n", "9" * 30], 1, "were asked for"),
        (
            ["generate", "x.merula", "x.merula", "-o", "out", "-n", "1"],
            1,
            "the file toy-agree.parquet",
        ),
        (["generate", "x.merula", "-o", ".", "-n", "1"], 1, "exists and is not empty"),
        (["generate", "x.merula", "-o", "full", "-n", "1"], 1, "full exists and is not empty"),
        (["generate", "x.merula", "-o", "x.merula", "-n", "1"], 1, "exists and is a file"),
        (["generate", "x.merula", "-o", "x.merula/out", "-n", "1"], 1, "cannot be written"),
        (["generate", "x.merula", "-o", "a" * 300, "-n", "1"], 1, "cannot be written"),
    ],
)
def test_nothing_is_left_where_nothing_can_be_made(
    folder: Path, arguments: list[str], exit_code: int, message: str
) -> None:
    (folder / "full").mkdir()
    (folder / "full" / "a.txt").write_text("a", encoding="utf-8")
    before = files(folder)
    result = run(*arguments)
    assert (result.exit_code, message in result.output) == (exit_code, True), result.output
    assert files(folder) == before


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "arrow"])
@pytest.mark.parametrize("out", ["out", "empty", "new/deep/out"])
def test_a_disk_that_fills_up_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, form: str, out: str
) -> None:
    (folder / "empty").mkdir()
    before = files(folder)
    whole = WRITERS[form]

    def full(path: Path, schema: Any, sample: Any) -> Any:
        context = whole(path, schema, sample)
        write = context.__enter__()

        class Full:
            def __enter__(self) -> Any:
                return self.write

            def write(self, batch: Any) -> None:
                write(batch)
                raise OSError(28, "No space left on device")

            def __exit__(self, *error: object) -> None:
                context.__exit__(None, None, None)

        return Full()

    monkeypatch.setattr("merula.data.run.WRITERS", {form: full})
    result = run("generate", "x.merula", "--out", out, "-n", "1", "--format", form)
    assert result.exit_code == 1
    assert f"error[M608]: {out} cannot be written: No space left on device" in result.output
    assert files(folder) == before


def test_the_manifest_may_be_what_does_not_fit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are kept, and the next run writes the manifest."""
    write = Path.write_text

    def full(path: Path, *arguments: Any, **options: Any) -> int:
        if MANIFEST in path.name:
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        result = run("generate", "x.merula", "--out", "out", "-n", "1")
    assert result.exit_code == 1
    assert "the same command goes on" in result.output
    assert not (folder / "out" / MANIFEST).exists()
    assert run("generate", "x.merula", "--out", "out", "-n", "1").exit_code == 0
    assert run("verify", "out").exit_code == 0


def test_an_interrupt_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path, schema: Any, sample: Any) -> Any:
        del schema, sample
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    before = files(folder)
    monkeypatch.setattr("merula.data.run.WRITERS", {"jsonl": interrupted})
    result = CliRunner().invoke(
        main, ["generate", "x.merula", "-o", "new/out", "-n", "1", "--format", "jsonl"]
    )
    assert result.exit_code == 130
    assert files(folder) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs rights that count")
def test_a_folder_without_rights(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    result = run("generate", "x.merula", "--out", "locked/out", "-n", "1")
    assert result.exit_code == 1
    assert "locked/out cannot be written: Permission denied" in result.output


def test_a_folder_that_refuses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Path.mkdir

    def refuse(path: Path, *arguments: Any, **options: Any) -> None:
        if path.name == STATE:
            raise PermissionError(13, "Permission denied")
        make(path, *arguments, **options)

    before = files(folder)
    monkeypatch.setattr(Path, "mkdir", refuse)
    result = run("generate", "x.merula", "--out", "new/out", "-n", "1")
    assert "error[M608]: new/out cannot be written: Permission denied" in result.output
    assert files(folder) == before


@pytest.mark.parametrize(
    ("error", "reason", "remedy"),
    [
        (errno.EACCES, "Permission denied", "check the rights of the folder, or name another"),
        (errno.ENOSPC, "No space left on device", "make room on the disk"),
        (errno.ENOENT, "No such file or directory", "name another folder"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_remedy_fits_what_the_system_says(
    monkeypatch: pytest.MonkeyPatch, error: int, reason: str, remedy: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(Path, "mkdir", refuse)
    output = run("generate", "x.merula", "--out", "out", "-n", "1").output
    assert f"error[M608]: out cannot be written: {reason}" in output
    assert f"  = help: {remedy}" in output


@pytest.mark.parametrize("out", ["x.merula/a/out", "link/out"])
def test_a_part_of_a_path_that_is_no_folder_is_named(folder: Path, out: str) -> None:
    (folder / "link").symlink_to("nowhere")
    part = Path(out).parts[0]
    what = "a file" if part == "x.merula" else "not a folder"
    for command in (["generate", "x.merula", "-n", "1"], ["new", "dogs"]):
        result = run(*command, "--out", out)
        assert result.exit_code == 1
        assert f": {part} is {what}\n" in result.output


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lexicon sets", "# lexicon sets", "no lexicon is named"),
        ("paradigm agree", "# paradigm agree", "there is no paradigm and no matrix"),
    ],
)
def test_what_lacks_where_nothing_can_be_generated(
    folder: Path, old: str, new: str, message: str
) -> None:
    text = GRAMMAR[: GRAMMAR.index("matrix m")]
    (folder / "x.merula").write_text(changed(text, f"{old} => {new}"), encoding="utf-8")
    output = run("generate", "x.merula", "--out", "out", "-n", "1").output
    assert f"error[M607]: there is nothing to generate: {message}\n  --> x.merula\n" in output


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_no_color_is_heeded_by_every_command(folder: Path, value: str, *, coloured: bool) -> None:
    (folder / "x.merula").write_text("language   en\n", encoding="utf-8")
    runner = CliRunner(env={"NO_COLOR": value})
    result = runner.invoke(main, ["fmt", "--diff", "x.merula"], color=True)
    assert ("\x1b[" in result.output) is coloured


# --- one shape -----------------------------------------------------------------------------------


def test_the_api_raises_the_same_problems(folder: Path) -> None:
    (folder / "x.merula").write_text(changed(GRAMMAR, "= subj.number => = sbj.number"), "utf-8")
    with pytest.raises(merula.MerulaError) as raised:
        merula.load("x.merula")
    assert [p.code for p in raised.value.problems] == [p.code for p in merula.check("x.merula")]
    assert "did you mean subj?" in str(raised.value)


def test_problems_stand_in_the_order_of_their_places() -> None:
    text = changed(
        GRAMMAR, "verb.number = subj => verb.number = sbj", "clause = subj => clause = sbjj"
    )
    problems = compiled(text).problems
    starts = [p.labels[0].span.start for p in problems]
    assert starts == sorted(starts)
    assert len(starts) == 2


def test_json_and_text_say_the_same(folder: Path) -> None:
    (folder / "x.merula").write_text(changed(GRAMMAR, "  verb     : VP => subj : VP"), "utf-8")
    (problem, *_) = json.loads(run("check", "x.merula", "--format", "json").output)
    text = run("check", "x.merula").output
    assert f"error[{problem['code']}]: {problem['message']}" in text
    for label in problem["labels"]:
        assert f"--> {label['file']}:{label['line']}:{label['column']}" in text
        assert (label["message"] or "") in text
    assert f"= help: {problem['remedy']}" in text
