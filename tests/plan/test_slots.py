"""Slots: which rows are candidates, in what order, and which columns show."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from merula.compiler.compile import compile_source
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.grammar.program import read_program
from merula.grammar.resolve import resolve
from merula.plan.planner import Plan
from merula.plan.slots import Slot, SlotMaker, Spec, kept, lexemes_of, some

GRAMMAR = """
phenomenon p
lexicon noun "nouns.csv"
objects
  a, b : noun (number)
attributes
  number = sg | pl
select
  a is edible
  a is b.likes
frames
  f = a b
paradigm p = a.number × b.number
"""
HEAD = ["lemma", "sg", "pl", "edible", "likes"]
ROWS = [
    ["apple", "apple", "apples", "yes", "edible"],
    ["pear", "pear", "pears", "yes", "*"],
    ["stone", "stone", "stones", "", "*"],
    ["fruit", "fruit", "", "yes", "*"],
]


def csv(head: list[str], rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in (head, *rows))


def slot_maker(text: str, **tables: str) -> SlotMaker:
    report = Report()
    named = {f"{name}.csv": table for name, table in tables.items()}
    program = read_program(Source("p.merula", text), report, None, named)
    grammar = resolve(program.files, program.lexicon, report)
    assert not report.failed, [str(problem) for problem in report.items]
    assert grammar is not None
    assert program.lexicon is not None
    return SlotMaker(grammar, program.lexicon, report)


def spec(maker: SlotMaker, name: str, *columns: str, **features: str) -> Spec:
    item = maker.grammar.objects[name]
    variables = {v.attribute: v for v in maker.grammar.by_object[item]}
    restricted = tuple((variables[name], value) for name, value in features.items())
    return Spec(("lexeme", item, restricted), name, frozenset({name}), columns)


def plan(text: str, **tables: str) -> Plan:
    named = {f"{name}.csv": table for name, table in tables.items()}
    found = compile_source(Source("p.merula", text), tables=named)
    assert not found.failed, [str(problem) for problem in found.problems]
    return next(iter(found.designs.values())).plans[0]


def codes(text: str, **tables: str) -> list[str]:
    named = {f"{name}.csv": table for name, table in tables.items()}
    return [p.code for p in compile_source(Source("p.merula", text), tables=named).problems]


def test_candidates_are_what_selections_and_forms_leave() -> None:
    maker = slot_maker(GRAMMAR, nouns=csv(HEAD, ROWS))
    slot = maker.slot(spec(maker, "a", "sg", "pl"))
    assert slot.titles == ("pear", "apple")  # by their cells, from the first in the alphabet
    assert slot.forms == {"sg": ("pear", "apple"), "pl": ("pears", "apples")}
    assert slot.places == ("nouns.csv:3", "nouns.csv:2")
    assert slot.candidates == (1, 0)
    (problem,) = maker.report.items
    assert problem.code == "M317"
    assert "1 row of nouns.csv has no form in `pl`" in problem.message
    assert maker.slot(spec(maker, "a", "sg")).titles == ("fruit", "pear", "apple")
    assert maker.slot(spec(maker, "b", "sg")).titles == ("fruit", "stone", "pear", "apple")
    assert len(maker.report.items) == 1


def test_a_slot_without_selections_says_what_they_let_pass() -> None:
    maker = slot_maker(GRAMMAR, nouns=csv(HEAD, ROWS))
    slot, asked = maker.unselected(spec(maker, "a", "sg", "pl"))
    assert slot.titles == ("stone", "pear", "apple")
    ((selection, passing),) = asked  # what `b` asks is no matter of this slot alone
    assert selection.span.text.endswith("edible")
    assert passing.tolist() == [False, True, True]
    assert maker.report.items == []


def test_equal_specs_are_one_slot() -> None:
    maker = slot_maker(GRAMMAR, nouns=csv(HEAD, ROWS))
    one = maker.slot(spec(maker, "a", "sg"))
    assert maker.slot(spec(maker, "a", "sg")) is one
    assert maker.slot(spec(maker, "a", "pl")) is not one
    assert maker.slot(spec(maker, "b", "sg")) is not one


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    expected = [slot.forms for slot in plan(GRAMMAR, nouns=csv(HEAD, ROWS)).slots]
    for order in permutations(range(len(ROWS))):
        assert [
            slot.forms for slot in plan(GRAMMAR, nouns=csv(HEAD, [ROWS[i] for i in order])).slots
        ] == expected
    turned = [row[:1] + row[:0:-1] for row in (HEAD, *ROWS)]
    assert [s.forms for s in plan(GRAMMAR, nouns=csv(turned[0], turned[1:])).slots] == expected


def test_lexemes_that_look_alike_are_one() -> None:
    rows = [
        ["bank-river", "bank", "banks"],
        ["bank-money", "bank", "banks"],
        ["eye", "eye", "eyes"],
    ]
    text = GRAMMAR.replace("select\n  a is edible\n  a is b.likes\n", "")
    maker = slot_maker(text, nouns=csv(HEAD[:3], rows))
    slot = maker.slot(spec(maker, "a", "sg", "pl"))
    assert slot.titles == ("bank-money", "eye")
    assert slot.places[0] == "nouns.csv:3"  # the first in that order is kept
    assert [problem.code for problem in maker.report.items] == ["M318"]
    assert "nouns.csv:2" in maker.report.items[0].notes[0]
    maker.slot(spec(maker, "a", "pl", "sg"))
    assert len(maker.report.items) == 1  # it is said once
    assert len(maker.unselected(spec(maker, "a", "sg"))[0]) == 3


GENDERS = """
phenomenon p
lexicon noun "nouns.csv"
objects
  a : noun (gender, number)
attributes
  gender = m | f
  number = sg | pl
frames
  f = "le" a
paradigm p = a.gender × a.number
"""


def test_a_feature_restricts_the_rows() -> None:
    table = (
        "lemma,gender,sg,pl\nami,m | f,ami,amis\nroi,m,roi,rois\nreine,f,reine,reines\nx,*,y,z\n"
    )
    maker = slot_maker(GENDERS, nouns=table)
    assert maker.slot(spec(maker, "a", "sg", gender="m")).titles == ("x", "ami", "roi")
    assert maker.slot(spec(maker, "a", "sg", gender="f")).titles == ("x", "ami", "reine")
    assert maker.slot(spec(maker, "a", "sg")).titles == ("x", "ami", "reine", "roi")


def test_the_most_specific_column_shows() -> None:
    table = "lemma,m,m.pl,f,f.pl\nami,ami,amis,amie,amies\n"
    cells = plan(GENDERS, nouns=table).cells
    assert [cell.pieces[-1].text for cell in cells] == ["m", "m.pl", "f", "f.pl"]


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("lemma,m,m.pl,f,f.pl\nami,ami,amis,amie,amies\n", []),
        ("lemma,m.sg,m.pl,f.sg\nami,ami,amis,amie\n", ["M321"]),  # no form of the last cell
        ("lemma,m,f,sg,pl\nami,ami,amie,ami,amis\n", ["M322"]),  # two that are as specific
    ],
)
def test_each_form_has_one_column(table: str, found: list[str]) -> None:
    assert codes(GENDERS, nouns=table) == found


def test_what_an_object_shows_is_in_its_table() -> None:
    plain = GRAMMAR.replace("select\n  a is edible\n  a is b.likes\n", "")
    table = csv(HEAD[:3], [row[:3] for row in ROWS[:3]])
    assert codes(plain, nouns=table) == []
    assert codes(plain.replace("a, b : noun", "a, b : name"), nouns=table) == ["M314"]
    bare = plain.replace("a, b : noun (number)", "a : noun\n  b : noun (number)")
    assert codes(bare.replace("a.number × ", ""), nouns=table) == ["M325"]


def test_objects_of_a_lexical_set_are_one_slot() -> None:
    text = GRAMMAR.replace('noun "nouns.csv"', 'sets "sets.csv"')
    text = text.replace("select\n  a is edible\n  a is b.likes\n", "")
    made = plan(text, sets="set,a.sg,a.pl,b.sg,b.pl\nx,cat,cats,dog,dogs\nw,ox,oxen,emu,emus\n")
    (slot,) = made.slots
    assert (slot.name, slot.objects) == ("set", frozenset({"a", "b"}))
    assert set(slot.forms) == {"a.sg", "a.pl", "b.sg", "b.pl"}
    assert slot.titles == ("x", "w")  # `cat` is before `emu`
    assert [piece.slot for piece in made.cells[0].pieces] == [0, 0]


def test_words_of_a_value_are_a_slot() -> None:
    text = """
phenomenon p
objects
  d : det
attributes
  d = one "this", "a" | many "these"
frames
  f = d "x"
paradigm p = d
"""
    made = plan(text)
    (slot,) = made.slots
    assert slot.name == "d=one"
    assert slot.titles == ("a", "this")
    assert slot.rows is None
    assert [cell.pieces[0].slot for cell in made.cells] == [0, -1]


def test_a_slot_of_some_candidates() -> None:
    words = ("a", "b", "c")
    slot = Slot("x", frozenset({"x"}), words, ("1", "2", "3"), {"": words}, None, (7, 8, 9))
    assert kept(slot, np.ones(3, dtype=np.bool_)) is slot
    for fewer in (kept(slot, np.array([True, False, True])), some(slot, np.array([2, 0]))):
        assert (fewer.titles, fewer.places) == (("a", "c"), ("1", "3"))
        assert (fewer.forms, fewer.candidates) == ({"": ("a", "c")}, (7, 9))
        assert (fewer.name, fewer.objects) == ("x", slot.objects)
        assert len(fewer) == 2


def test_what_a_slot_holds_has_a_name() -> None:
    assert lexemes_of("subj") == "lexeme for `subj`"
    assert lexemes_of("subj", 2) == "lexemes for `subj`"
    assert lexemes_of("set", 2) == "lexical sets"
    assert lexemes_of("d=one") == "word of `d=one`"
