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


# --- one table, several categories ---------------------------------------------------------------

GOVERNMENT = """
phenomenon p
lexicon "words.csv"
objects
  prep : prep
  np   : noun (case)
attributes
  case = gen | ins
external
  government: np.case = prep.case
frames
  f = "Anna jde" prep np
paradigm p = np.case
"""
CZECH = (
    "lemma,category,gen,ins,case\nbez,prep,,,gen\ns,prep,,,ins\n"
    "pes,noun,psa,psem,\nkočka,noun,kočky,kočkou,\n"
)
PERSONS = """
phenomenon p
lexicon "words.csv"
objects
  subj : pronoun (person, number)
  verb : verb (person, number)
attributes
  person = 3 | 1
  number = sg | pl
frames
  f = subj verb
paradigm p = subj.number × verb.number
"""


def shown(made: Plan, place: int) -> list[str]:
    return [cell.pieces[place].text for cell in made.cells]


def test_a_word_shows_its_lemma_where_only_other_words_have_forms_of_its_values() -> None:
    made = plan(GOVERNMENT, words=CZECH)
    assert shown(made, 1) == ["lemma", "lemma"]
    assert shown(made, 2) == ["gen", "ins"]
    declared = GOVERNMENT.replace("prep : prep", "prep : prep (case)").replace(
        "external\n  government: np.case = prep.case\n", ""
    )
    table = CZECH.replace(",case\n", ",asks\n")
    assert shown(plan(declared, words=table), 1) == ["lemma", "lemma"]


@pytest.mark.parametrize(
    ("verbs", "columns"),
    [
        ("chodit,verb,,,,,chodí,chodí_pl", ["sg", "pl", "sg", "pl"]),
        ("chodit,verb,,,jde,,,jdou", ["3.sg", "pl", "3.sg", "pl"]),
        ("chodit,verb,jdu,jdeme,jde,jdou,,", ["3.sg", "3.pl", "3.sg", "3.pl"]),
        ("chodit,verb,,,,,,", ["lemma"] * 4),
    ],
)
def test_columns_of_other_categories_are_not_forms(verbs: str, columns: list[str]) -> None:
    head = "lemma,category,1.sg,1.pl,3.sg,3.pl,sg,pl\n"
    pronouns = "on,pronoun,já,my,on,oni,,\nona,pronoun,já,my,ona,ony,,\n"
    paradigm = "paradigm p = subj.number × verb.number"
    text = PERSONS if columns[0] != "lemma" else PERSONS.replace(paradigm, "paradigm p = subj")
    if columns[0] == "lemma":
        text = text.replace("paradigm p = subj", "paradigm p = subj.number × subj.person")
    made = plan(text, words=head + pronouns + verbs + "\n")
    assert shown(made, 1) == columns
    assert shown(made, 0)[0] == "3.sg"


def test_an_empty_column_of_a_lexical_set_is_not_a_form() -> None:
    text = GENDERS.replace('noun "nouns.csv"', 'sets "sets.csv"')
    sets = "a.m.sg,a.m.pl,a.f.sg,a.f.pl,a.m,a.f\n,,,,ami,amie\n,,,,roi,reine\n"
    made = plan(text.replace(" × a.number", ""), sets=sets)
    assert shown(made, 1) == ["a.m", "a.f"]


def test_a_form_that_only_others_have_is_missing() -> None:
    table = "lemma,category,sg,pl\nkočka,noun,kočka,kočky\njde,verb,jde,\n"
    text = GRAMMAR.replace('noun "nouns.csv"', '"words.csv"').replace("a, b : noun", "a : noun")
    text = text.replace("a : noun (number)", "a : noun (number)\n  b : verb (number)")
    text = text.replace("select\n  a is edible\n  a is b.likes\n", "")
    (problem,) = compile_source(Source("p.merula", text), tables={"words.csv": table}).problems
    assert problem.code == "M321"
    assert problem.remedy == "the column `pl` is empty for every verb: fill it"


WORDS_OF_COLUMNS = """
phenomenon p
lexicon "words.csv"
objects
  noun, other : noun
  verb : verb (number)
  pp : position
attributes
  number = sg | pl
  pp = noun verb.prep | other verb.prep
frames
  f = "ona" verb pp
paradigm p = verb.number
select
  noun, other differ
"""


def test_a_word_in_a_column_is_of_the_category_too() -> None:
    head = "lemma,category,sg,pl,prep,prep.noun\n"
    table = head + "čekat,verb,čeká,čekají,na,\npes,noun,,,,\nkost,noun,,,,\n"
    assert shown(plan(WORDS_OF_COLUMNS, words=table), 2) == ["prep", "prep"]
    own = table.replace("na,\n", "na,o\n")
    assert shown(plan(WORDS_OF_COLUMNS, words=own), 2) == ["prep.noun", "prep.noun"]
    bare = table.replace("na,\n", ",\n").replace("pes,noun,,,,", "pes,noun,,,na,")
    assert codes(WORDS_OF_COLUMNS, words=bare) == ["M315"]


def test_a_feature_that_a_category_does_not_fill_can_be_asked_about() -> None:
    text = GOVERNMENT.replace("frames", "select\n  np is not human\n  np, prep share style\nframes")
    table = "".join(f"{line},human,style\n" if i == 0 else f"{line},,\n"
                    for i, line in enumerate(CZECH.splitlines()))  # fmt: skip
    assert codes(text, words=table + "host,verb,,,,yes,\n") == ["M503"]  # share: nothing fits
    told = text.replace("  np, prep share style\n", "")
    assert codes(told, words=table + "host,verb,,,,yes,\n") == []
    none = told.replace("np is not human", "np is human")
    assert "M503" in codes(none, words=table + "host,verb,,,,yes,\n")


# --- several forms in one cell -------------------------------------------------------------------


def problems(text: str, **tables: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    named = {f"{name}.csv": table for name, table in tables.items()}
    found = compile_source(Source("p.merula", text), tables=named).problems
    return [(p.code, p.place, p.remedy, p.notes) for p in found]


PLAIN = GRAMMAR.replace("select\n  a is edible\n  a is b.likes\n", "")
TWO_FORMS = "lemma,sg,pl,likes\nKaktus,Kaktus,Kakteen | Kaktusse,x\nTor,Tor,Tore,x | y\n"


def test_a_form_is_one_text() -> None:
    table = TWO_FORMS + "Globus,Globus,Globen|Globusse,y\n"
    ((code, place, remedy, notes),) = problems(PLAIN, nouns=table)
    assert (code, place) == ("M348", "nouns.csv:2")
    assert remedy.startswith("write a row for each: `Kaktus-Kakteen` and `Kaktus-Kaktusse`; or")
    assert remedy.endswith('pl "Kakteen", "Kaktusse"')
    assert notes == ("the same is wrong in Globus (nouns.csv:4)",)
    apart = table.replace("Kaktus,Kaktus,Kakteen | Kaktusse,x", "K1,Kaktus,Kakteen,x")
    assert codes(PLAIN, nouns=apart.replace("Globen|", "")) == []


def test_bars_in_cells_that_are_not_shown_are_values() -> None:
    singular = PLAIN.replace("a.number × b.number", "a.number (sg)").replace(
        "p = a.number (sg)", "p = c"
    )
    singular = singular.replace("objects\n", "objects\n  c : d\n")
    singular = singular.replace("number = sg", 'c = one "x" | two "y"\n  number = sg')
    singular = singular.replace("f = a b", "f = c a b")
    assert codes(singular, nouns=TWO_FORMS) == []
    asked = GRAMMAR.replace("a is edible\n  a is b.likes", "a is x\n  b is y")
    table = TWO_FORMS.replace("Kaktusse,x", "Kaktusse,y") + "Ei,Ei,Eier,x | y\n"
    assert codes(asked.replace("b is y", "b is x"), nouns=table) == []  # only `a is x` rows show
    assert codes(asked, nouns=table) == ["M348"]


def test_a_lemma_that_is_shown_is_one_text() -> None:
    text = 'phenomenon p\nlexicon "w.csv"\nobjects\n  a : adverb\n  c : d\nattributes\n'
    text += '  c = one "x" | two "y"\nframes\n  f = c a\nparadigm p = c\n'
    ((code, place, remedy, _),) = problems(
        text, w="lemma,category\noft | häufig,adverb\nnie,adverb\n"
    )
    assert (code, place) == ("M348", "w.csv:2")
    assert remedy == "write a row for each: `oft` and `häufig`"


def test_forms_of_sets_are_one_text() -> None:
    text = PLAIN.replace('noun "nouns.csv"', 'sets "sets.csv"')
    table = "set,a.sg,a.pl,b.sg,b.pl\ns,Kaktus,Kakteen | Kaktusse,Tor,Tore |\nt,Ei,Eier,Ohr,Ohren\n"
    (one, other) = problems(text, sets=table)
    assert [x[:2] for x in (one, other)] == [("M348", "sets.csv:2")] * 2
    assert {one[2], other[2]} >= {"take the bar away"}


def test_a_word_of_a_value_is_one_text() -> None:
    text = "phenomenon p\nobjects\n  d : det\nattributes\n"
    text += '  d = one "this | that" | many "these"\nframes\n  f = d "x"\nparadigm p = d\n'
    (problem, *_) = problems(text)
    assert problem[0] == "M348"
    assert problem[2] == 'quote each word: one "this", "that"'
    assert codes(text.replace("this | that", 'this", "that')) == []
