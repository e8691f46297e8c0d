"""Tables by themselves: what is said of slips, what is not said of good tables, statistics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from merula.cli import main
from merula.core.diagnostics import Report
from merula.core.resources import folder
from merula.lexicon.oddities import CHECKS, check_table
from merula.lexicon.profile import Profile, profile_of
from merula.lexicon.stats import statistics
from merula.lexicon.table import TableFormat

NOUNS = """\
lemma	category	sg	pl	sort	scene
dog	noun	dog	dogs	animal	farm | street
cat	noun	cat	cats	animal	street
cow	noun	cow	cows	animal	farm
goat	noun	goat	goats	animal	farm
farmer	noun	farmer	farmers	person	farm
driver	noun	driver	drivers	person	street
tourist	noun	tourist	tourists	person	street
nurse	noun	nurse	nurses	person	*
child	noun	child	children	person	farm | street
"""
VERBS = """\
lemma	category	prs.sg	prs.pl	subject
wait	verb	waits	wait	person or animal
see	verb	sees	see	person
speak	verb	speaks	speak	person and not child
bark	verb	barks	bark	animal
sleep	verb	sleeps	sleep	person or animal
"""
SETS = """\
set	subj.sg	subj.pl	attr.sg	attr.pl	verb.sg	verb.pl
key	the key	the keys	to the cabinet	to the cabinets	is rusty	are rusty
label	the label	the labels	on the bottle	on the bottles	has faded	have faded
"""


def said(text: str | bytes, name: str = "t.tsv", **form: Any) -> list[tuple[str, str]]:
    """The codes and places of what is said of a table."""
    report = Report()
    data = text if isinstance(text, bytes) else text.encode()
    check_table(name, data, TableFormat(**form), report)
    places = [p.place or p.labels[0].span.source.name for p in report.items]
    return [(p.code, place) for p, place in zip(report.items, places, strict=True)]


def messages(text: str) -> str:
    """All that is said of a table."""
    report = Report()
    check_table("t.tsv", text.encode(), TableFormat(), report)
    return "\n".join(problem.render() for problem in report.items)


def profiled(text: str, name: str = "t.tsv") -> Profile:
    found = profile_of(name, text.encode(), TableFormat(), Report())
    assert found is not None
    return found


# --- checks --------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [NOUNS, VERBS, SETS, SETS.replace("\t", ";")])
def test_nothing_is_said_of_a_good_table(table: str) -> None:
    assert said(table, separator=";" if ";" in table else None) == []


@pytest.mark.parametrize("path", sorted(folder("lexicons").glob("*/*.tsv")), ids=str)
def test_the_tables_that_come_with_merula_are_clean(path: Path) -> None:
    assert said(path.read_bytes(), path.name) == []


@pytest.mark.parametrize(
    ("table", "old", "new", "expected"),
    [
        (SETS, "label\tthe", "label2\tthe key\tthe keys\tto the cabinet\tto the cabinets\tis rusty"
         "\tare rusty\nlabel\tthe", [("M330", "t.tsv:3")]),
        (NOUNS, "lemma", "lema", [("M310", "t.tsv")]),
        (NOUNS, "category", "categroy", [("M331", "t.tsv:1")]),
        (NOUNS, "lemma\tcategory", "Lemma\tCategory", [("M331", "t.tsv:1")] * 2),
        (SETS, "attr.sg", "atrt.sg", []),  # an object's name that occurs once in two columns
        (SETS, "verb.pl", "verb.pl\tvreb.past", [("M309", "t.tsv:2")]),
        (NOUNS, "driver\tdrivers\tperson", "driver\tdrivers\tperosn", [("M332", "t.tsv:7")]),
        (NOUNS, "driver\tdrivers\tperson", "driver\tdrivers\tPerson", [("M333", "t.tsv:7")]),
        (NOUNS, "noun\tdriver", "nuon\tdriver", [("M332", "t.tsv:7")]),
        (NOUNS, "nurse\tnurses", "nur\u200bse\tnurses", [("M334", "t.tsv:9")]),
        (NOUNS, "nurse\tnurses", "nur\u00adse\tnurses", [("M334", "t.tsv:9")]),
        (NOUNS, "cow\tcows", "c\u043ew\tcows", [("M335", "t.tsv:4")]),
        (NOUNS, "nurse\tnurses", "infirmiÃ¨re\tnurses", [("M336", "t.tsv:9")]),
        (NOUNS, "nurse\tnurses", "infirmi\ufffdre\tnurses", [("M336", "t.tsv:9")]),
        (NOUNS, "nurse\tnurses", "l\u00b4infirmière\tnurses", [("M337", "t.tsv:9")]),
        (NOUNS, "nurse\tnurses", "l`infirmière\tnurses", [("M337", "t.tsv:9")]),
        (SETS, "the key\tthe", "l'ami\tl\u2019amie, the", [("M338", "t.tsv:2")]),
        (NOUNS, "cow\tcows", "cow\tc0ws", [("M339", "t.tsv:4")]),
        (NOUNS, "cow\tcows", " cow\tcows", [("M340", "t.tsv:4")]),
        (SETS, "the key\t", "the  key\t", [("M340", "t.tsv:2")]),
        (SETS, "the key\t", "the\u00a0key\t", [("M340", "t.tsv:2")]),
        (NOUNS, "goat\tgoats", "goat\t", [("M341", "t.tsv:5")]),
        (NOUNS, "cow\tnoun", "cow\t", [("M341", "t.tsv:4")]),
        (NOUNS, "dog\tdogs", "dog\tdog", [("M344", "t.tsv:2")]),
        (NOUNS, "cow\tcows", "cow\tcows | oxen", []),  # unlike: they may be values
        (NOUNS, "cow\tcows", "cow\tcows | cow-s", [("M348", "t.tsv:4")]),
        (NOUNS, "child\tchildren", "child\tchildren|childs", [("M348", "t.tsv:10")]),
        (SETS, "is rusty\tare rusty", "is rusty | is red\tare rusty", [("M348", "t.tsv:2")]),
        (VERBS, "person and not child", "person and child)", [("M345", "t.tsv:4, column subject")]),
        (VERBS, "person and not child", "person, animal", [("M345", "t.tsv:4, column subject")]),
        (NOUNS, "farm | street\nc", "farm, street\nc", [("M346", "t.tsv:2")]),
        (NOUNS, "cow\tcows", '"cow"\tcows', [("M347", "t.tsv:4")]),
    ],
)  # fmt: skip
def test_a_slip_is_seen(table: str, old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert old in table
    assert said(table.replace(old, new, 1)) == expected


def with_column(table: str, header: str, cells: str) -> str:
    """A table with another column, the same cell in every row."""
    first, *rows = table.splitlines()
    return "\n".join([f"{first}\t{header}", *(f"{row}\t{cells}" for row in rows)]) + "\n"


@pytest.mark.parametrize(
    ("header", "cell", "expected"),
    [
        ("note", "", [("M342", "t.tsv:1")]),
        ("", "seen", [("M343", "t.tsv:1")]),
        ("", "", []),  # a spreadsheet's empty column
        ("sujb.case", "nom", [("M331", "t.tsv:1")]),
        ("subj2.case", "nom", []),
        ("subject.case", "nom", []),
    ],
)
def test_a_column_is_looked_at(header: str, cell: str, expected: list[tuple[str, str]]) -> None:
    assert said(with_column(SETS, header, cell)) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nurse\tnurses", "nurse-1\tnurse-1s"),  # digits that are set off
        ("nurse\tnurses", "پرستار\tپرستار\u200cها"),  # a joiner that Persian needs
        ("nurse\tnurses", "Тетя\tτεχνη"),  # two alphabets, but not in one word
        ("nurse\tnurses", "看護婦さん\tナース達"),  # scripts that stand beside each other
        ("nurse\tnurses", "l'infirmière\tles infirmières"),
        ("nurse\tnurses", "θɪk\tθɪks"),  # letters of the phonetic alphabet
        ("driver\tdrivers\tperson", "driver\tdrivers\tpersonal"),
        ("driver\tdrivers\tperson", "driver\tdrivers\tplace"),
        ("farm | street\nc", "farm and street\nc"),
    ],
)
def test_what_may_be_meant_is_not_spoken_of(old: str, new: str) -> None:
    assert old in NOUNS
    assert said(NOUNS.replace(old, new, 1)) == []


def test_forms_that_are_mostly_alike_are_no_news() -> None:
    rows = [f"v{i}x\tverb\tv{i}xed\tv{i}x{'en' if i < 2 else 'ed'}" for i in range(30)]
    text = "lemma\tcategory\tpast\tparticiple\n" + "\n".join(r.replace("v", "w", 1) for r in rows)
    assert "M344" not in [code for code, _ in said(text)]


def test_the_compiler_is_not_asked_twice() -> None:
    """A double that is an error already gets no warning."""
    text = NOUNS + NOUNS.splitlines()[1] + "\n"
    assert said(text) == [("M313", "t.tsv:11")]


def test_homographs_that_nothing_tells_apart_are_doubles() -> None:
    bats = "bat-1\tnoun\tbat\tbats\tthing\tfarm\nbat-2\tnoun\tbat\tbats\t{}\tfarm\n"
    assert said(NOUNS + bats.format("thing")) == [("M330", "t.tsv:12")]
    assert said(NOUNS + bats.format("animal")) == []


def test_many_warnings_of_a_check_are_cut_short() -> None:
    values = "".join(
        f"x{i}\tnoun\tx{i}\tx{i}s\tperson{c}\tfarm\n" for i, c in enumerate("abcdefghijkl")
    )
    found = messages(NOUNS + values)
    assert found.count("warning[M332]") == 10
    assert "2 more warnings of this kind are left out" in found


def test_places_beside_the_first_are_told() -> None:
    text = NOUNS.replace("\tgoats", "\tgoats ").replace("\tcows", "\tcows ")
    assert "--> t.tsv:4\n  = the same at t.tsv:5\n" in messages(text)


def test_many_places_are_counted() -> None:
    text = NOUNS.replace("\tnoun", "\t noun")
    assert "t.tsv:3, t.tsv:4, t.tsv:5, t.tsv:6, t.tsv:7 and 3 more" in messages(text)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "M301"),
        (b"lemma\tcategory\n", "M301"),
        (b"lemma\tcategory\nkey\n", "M309"),
        (b"lemma;category\nkey;noun\n", "M306"),
        (NOUNS.encode("utf-16"), "M302"),
        ("lemma\tsg\nélève\télève\n".encode("latin-1"), "M302"),
        (b"PK\x03\x04rest", "M326"),
    ],
)
def test_what_the_compiler_says_of_a_table_is_said(data: bytes, code: str) -> None:
    assert [found for found, _ in said(data)] == [code]


@given(
    st.binary(max_size=60) | st.text("ab'|*\t\n,()\"é\u200b\u00a0 ", max_size=60).map(str.encode)
)
def test_any_bytes_are_a_table_or_refused(data: bytes) -> None:
    report = Report()
    found = check_table("t.tsv", data, TableFormat(), report)
    if found is None:
        assert report.failed
        return
    rows = sorted(row for section in found.sections for row in section.rows)
    assert rows == list(range(len(found.table)))
    for section in statistics(found).sections:
        for column in section.columns:
            assert 0 < column.filled <= section.rows
            assert len(column.commonest) <= column.distinct


CELLS = st.sampled_from(
    ["dog", "cat", "person", "perosn", "a | b", "a or b", "*", "", "l`a", "x2y"]
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20))
def test_every_place_is_in_the_table(rows: list[tuple[str, str, str]]) -> None:
    lines = ["\t".join((f"w{i}", *row)) for i, row in enumerate(rows)]
    text = "\n".join(["lemma\tsg\tpl\tsort", *lines])
    for _, place in said(text):
        line = place.removeprefix("t.tsv").partition(",")[0]
        assert line == "" or 1 <= int(line[1:]) <= len(lines) + 1


def test_each_check_has_its_docstring() -> None:
    assert all(check.__doc__ for check in CHECKS)


# --- what columns are ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        (NOUNS, "name name form form feature feature"),
        (VERBS, "name name form form selection"),
        (SETS, "name form form form form form form"),
    ],
)
def test_kinds_of_columns(table: str, kinds: str) -> None:
    (section,) = profiled(table).sections
    assert [column.kind for column in section.columns] == kinds.split()


def test_forms_with_an_and_are_no_selections() -> None:
    forms = ["black and white", "up and down", "salt", "oil", "by and by", "wine"]
    text = "lemma\tsg\n" + "".join(f"l{i}\t{form}\n" for i, form in enumerate(forms))
    (section,) = profiled(text).sections
    assert [column.kind for column in section.columns] == ["name", "form"]


def test_numbers_are_features() -> None:
    text = "lemma\tsg\tfrequency\n" + "".join(f"w{i}\tw{i}\t{i * 7}.5\n" for i in range(9))
    (section,) = profiled(text).sections
    assert [column.kind for column in section.columns] == ["name", "form", "feature"]


def test_a_category_has_its_own_columns() -> None:
    text = "lemma\tcategory\tsg\tsubject\n"
    text += "".join(f"n{i}\tnoun\tn{i}\t\n" for i in range(9))
    text += "".join(f"v{i}\tverb\t\tperson or animal\n" for i in range(9))
    nouns, verbs = statistics(profiled(text)).sections
    assert [column.name for column in nouns.columns] == ["lemma", "category", "sg"]
    assert [column.name for column in verbs.columns] == ["lemma", "category", "subject"]


# --- statistics ----------------------------------------------------------------------------


def test_statistics() -> None:
    (section,) = statistics(profiled(NOUNS.replace("\tdogs", "\tdog"))).sections
    assert (section.category, section.rows) == ("noun", 9)
    by_name = {column.name: column for column in section.columns}
    assert by_name["sort"].commonest == (("person", 5), ("animal", 4))
    assert by_name["scene"].commonest == (("farm", 5), ("street", 5))
    assert by_name["scene"].filled == 9
    assert by_name["pl"].longest == ("children", "tourists", "drivers")
    (same,) = section.same_forms
    assert (same.columns, same.rows, same.examples) == (("sg", "pl"), 1, ("dog",))


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["lexicon", *map(str, arguments)], catch_exceptions=False)
    return done.exit_code, done.output


def test_statistics_as_json() -> None:
    code, output = run("stats", "en/nouns.tsv", "en/verbs.tsv", "--format", "json")
    nouns, verbs = json.loads(output)
    assert code == 0
    assert (nouns["file"], nouns["kind"]) == ("en/nouns.tsv", "lexemes")
    assert nouns["rows"] > 1_000
    (section,) = verbs["sections"]
    assert section["category"] == "verb"
    past = section["same_forms"][0]
    assert past["columns"] == ["past", "participle"]
    aspect = next(column for column in section["columns"] if column["name"] == "aspect")
    assert aspect["commonest"][0]["value"] == "eventive"
    assert sum(each["count"] for each in aspect["commonest"]) == verbs["rows"] > 500
    assert set(aspect) == {*("name", "kind", "filled", "distinct", "commonest", "longest", "gloss")}


def test_problems_as_json(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text(NOUNS.replace("driver\tdrivers\tperson", "driver\tdrivers\tperosn"))
    code, output = run("check", table, "--format", "json")
    (problem,) = json.loads(output)
    assert code == 0
    assert (problem["code"], problem["severity"]) == ("M332", "warning")
    assert problem["place"] == f"{table}:7"


def test_quiet_says_nothing_of_a_good_table() -> None:
    assert run("check", "en/nouns.tsv", "--quiet") == (0, "")


@pytest.mark.parametrize("command", ["check", "stats"])
def test_other_files_are_refused(command: str, tmp_path: Path) -> None:
    (tmp_path / "x.merula").write_text("phenomenon x\n")
    (tmp_path / "x.png").write_bytes(b"\x89PNG\0\0\0")
    (tmp_path / "words.tsv").write_text(NOUNS)
    for name, error in [
        ("x.merula", "M650"),
        ("x.png", "M651"),
        ("nowhere.tsv", "M601"),
        ("word.tsv", "did you mean " + str(tmp_path / "words.tsv")),
        ("", "is a folder"),
        ("a\0b", "M603"),
    ]:
        code, output = run(command, f"{tmp_path}/{name}")
        assert code == 1
        assert error in output


def test_a_form_with_a_bar_says_what_to_do() -> None:
    table = VERBS.replace("sleeps", "sleeps | sleepeth")
    assert "`sleep` has `sleeps | sleepeth` in `prs.sg`, but a form is one text" in messages(table)
    assert "write a row for each: `sleep-sleeps` and `sleep-sleepeth`" in messages(table)


def test_the_kind_of_a_column_is_told_by_the_categories_that_fill_it() -> None:
    """In a table of several categories most cells of a form are empty."""
    words = [f"w{i}\tadverb\t\t\t" for i in range(5)]
    nouns = ["Hund\tnoun\tHund\tHunde\tTier", "Uhr\tnoun\tUhr\tUhren\tDing"]
    table = "\n".join(["lemma\tcategory\tsg\tpl\tsort", *nouns, *words, ""])
    adverbs, noun = sorted(profiled(table).sections, key=lambda section: section.category)
    kinds = {column.name: column.kind for column in noun.columns}
    assert (kinds["sg"], kinds["pl"]) == ("form", "form")
    assert all(not column.filled for column in adverbs.columns[2:])
    assert said(table) == []
