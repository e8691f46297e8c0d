"""Legends: how they are read, and how tables are held to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from merula import MerulaError, compile, load
from merula.cli import main
from merula.cli.watcher import look
from merula.core.diagnostics import Report
from merula.lexicon.conformity import MAX_PROBLEMS, check_legend
from merula.lexicon.legend import Legend, read_legend
from merula.lexicon.table import Table, TableFormat, TableOptions, read_table

LEGEND = """\
language = "en"
order = ["category", "lemma"]

[category]
noun = "a common noun"
verb = "a verb"

[column.sg]
kind = "form"
gloss = "the singular"
required = true

[column."past.pl"]
kind = "form"
gloss = "the plural of the past"
categories = ["verb"]

[column.pl]
kind = "form"
gloss = "the plural"
categories = ["noun"]
required = "count"
only = "count"

[column.countability]
kind = "values"
gloss = "whether there is a plural"
categories = ["noun"]
required = true
[column.countability.values]
count = "there is: goat"
mass = "there is none: hay"

[column.scene]
kind = "values"
gloss = "where the word is at home"
several = true
[column.scene.values]
farm = "crops and livestock"
street = "traffic"

[column.pet]
kind = "flag"
gloss = "whether it lives in the house"
categories = ["noun"]

[column.age]
kind = "number"
gloss = "when the word is learnt"
least = 1
most = 18

[column.subject]
kind = "selection"
gloss = "what the subject is"
categories = ["verb"]
asks = ["noun"]
required = "verb and not (farm and street)"

[column.remarks]
kind = "text"
gloss = "anything"
"""
TABLE = (
    "lemma\tcategory\tsg\tpl\tcountability\tscene\tpet\tage\tsubject\tremarks\n"
    "goat\tnoun\tgoat\tgoats\tcount\tfarm\tno\t3\t\ta\n"
    "cat\tnoun\tcat\tcats\tcount\tfarm | street\tyes\t2\t\t\n"
    "hay\tnoun\thay\t\tmass\t*\t\t4.5\t\tcount, pet\n"
    "bleat\tverb\tbleats\t\t\tfarm\t\t\tcount and not pet\t\n"
    "stroll\tverb\tstrolls\t\t\tstreet\t\t\t*\t\n"
)


def legend(text: str = LEGEND) -> Legend:
    report = Report()
    found = read_legend("legend.toml", text.encode(), report)
    assert found is not None, report.items
    return found


def table(text: str) -> Table:
    report = Report()
    found = read_table("t.tsv", text.encode(), TableFormat(), report)
    assert found is not None
    return found


def said(text: str, category: str | None = None, of: Legend | None = None) -> list[tuple[str, str]]:
    """The codes and places of what is said of a table."""
    report = Report()
    check_legend(table(text), of or legend(), report, category)
    assert all(problem.severity == "error" and problem.remedy for problem in report.items)
    return [(problem.code, problem.place) for problem in report.items]


# --- legends -----------------------------------------------------------------------------------


def test_what_a_legend_says() -> None:
    found = legend()
    assert (found.language, found.order) == ("en", ("category", "lemma"))
    assert found.categories == {"noun": "a common noun", "verb": "a verb"}
    assert [c.name for c in found.of("noun")] == [
        "sg",
        "pl",
        "countability",
        "scene",
        "pet",
        "age",
        "remarks",
    ]
    assert found.columns["past.pl"].categories == ("verb",)
    assert set(found.words(["noun"])) == {
        "countability",
        "count",
        "mass",
        "scene",
        "farm",
        "street",
        "pet",
        "age",
    }
    assert set(found.words(["verb"])) == {"scene", "farm", "street", "age"}


FAULTS = [  # what is changed, what is said of it, and where
    ("[category]", "[category", "cannot be read as TOML", 4),
    ('sg]\nkind = "form"', 'sg]\nkind = form', "cannot be read as TOML", 9),
    ('kind = "flag"', 'kind = "flagg"', "no kind `flagg`", 42),
    ('kind = "flag"\n', "", "has no kind", 42),
    ('gloss = "the singular"\n', "", "has no gloss", 8),
    ('gloss = "the singular"', 'glos = "the singular"', "has no `glos`", 8),
    ('required = true\n\n[column."p', 'required = 1\n\n[column."p', "not what it should", 8),
    ("least = 1", "least = 19", "from 19 to 18", 47),
    ("least = 1", "least = true", "not what it should", 47),
    ('required = "count"', 'required = "cuont"', "asks for `cuont`", 18),
    ('required = "count"', 'required = "goat.count"', "is not a condition", 18),
    ('required = "count"', 'required = "count and"', "is not a condition", 18),
    ('asks = ["noun"]', 'asks = ["nuon"]', "names `nuon`", 53),
    ('asks = ["noun"]\n', "", "does not say what it asks about", 53),
    ("several = true", 'asks = ["noun"]', "which has no `asks`", 34),
    ('count = "there is: goat"', "count = 1", "`count` in `values`", 25),
    ('\n[column.countability.values]\ncount = "there is: goat"\nmass = "there is none: hay"', "",
     "has no values", 25),
    ('categories = ["verb"]\n\n', 'categories = ["vreb"]\n\n', "names `vreb`", 13),
    ('[column."past.pl"]', "[column.past.pl]", "is a table of others, not a column", 13),
    ("[column.sg]", "[column.lemma]", "every table has it", 8),
    ('order = ["category", "lemma"]', 'order = ["categroy"]', "names `categroy`", None),
    ('language = "en"', 'langauge = "en"', "has no `langauge`", None),
    ('noun = "a common noun"\nverb = "a verb"\n', "", "names no categories", None),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message", "line"), FAULTS)
def test_a_faulty_legend(old: str, new: str, message: str, line: int | None) -> None:
    assert old in LEGEND
    report = Report()
    assert read_legend("x/legend.toml", LEGEND.replace(old, new, 1).encode(), report) is None
    first = next(problem for problem in report.items if message in problem.message)
    assert first.code == "M660"
    assert first.remedy
    assert first.place == (f"x/legend.toml:{line}" if line else "x/legend.toml")


def test_names_that_toml_cannot_read_bare_go_into_quotes() -> None:
    report = Report()
    text = "[category]\nnom = 'un nom'\n[column.fée]"
    assert read_legend("legend.toml", text.encode(), report) is None
    (problem,) = report.items
    assert problem.place == "legend.toml:3"
    assert "in quotes" in problem.remedy


def test_a_legend_that_is_not_utf8() -> None:
    report = Report()
    assert read_legend("legend.toml", b"\n# caf\xe9\n", report) is None
    assert report.items[0].place == "legend.toml:2"


def test_an_empty_legend_says_what_it_lacks() -> None:
    report = Report()
    assert read_legend("legend.toml", b"", report) is None
    assert [p.message for p in report.items] == [
        "the legend names no categories", "the legend describes no columns",
    ]  # fmt: skip


def test_windows_lines_and_a_byte_order_mark_make_no_difference() -> None:
    text = "\ufeff" + LEGEND.replace("\n", "\r\n")
    assert legend(text) == legend()


PIECES = st.lists(st.sampled_from(LEGEND.splitlines()), max_size=30).map("\n".join)


@given(st.one_of(st.binary(max_size=80), PIECES.map(str.encode)))
def test_a_legend_is_read_or_refused_with_a_reason(data: bytes) -> None:
    report = Report()
    assert (read_legend("legend.toml", data, report) is None) == report.failed


# --- tables --------------------------------------------------------------------------------------


def test_nothing_is_said_of_a_table_that_keeps_to_its_legend() -> None:
    assert said(TABLE) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("stroll\tverb", "stroll\tvreb", [("M661", "t.tsv:6")]),
        ("\tpet\t", "\tpets\t", [("M662", "t.tsv:1")]),
        ("count\tfarm\tno", "coumt\tfarm\tno", [("M663", "t.tsv:2")]),
        ("farm | street", "farm | steret", [("M663", "t.tsv:3")]),
        ("farm | street", "farm, street", [("M663", "t.tsv:3")]),
        ("mass\t*", "count | mass\t*", [("M663", "t.tsv:4")]),
        ("mass\t*", "*\t*", [("M663", "t.tsv:4")]),
        ("goat\tgoats", "\tgoats", [("M664", "t.tsv:2")]),
        ("goat\tgoats", "goat\t", [("M664", "t.tsv:2")]),
        ("strolls\t\t\tstreet\t\t\t*", "strolls\t\t\tstreet\t\t\t", [("M664", "t.tsv:6")]),
        ("strolls\t\t\tstreet\t\t\t*", "strolls\t\t\tfarm|street\t\t\t", []),
        ("strolls\t\t", "strolls\tstroll\t", [("M665", "t.tsv:6")]),
        ("hay\t\tmass", "hay\thays\tmass", [("M665", "t.tsv:4")]),
        ("\tyes\t", "\tYes\t", [("M666", "t.tsv:3")]),
        ("\tyes\t", "\t*\t", [("M666", "t.tsv:3")]),
        ("count and not pet", "count and not pte", [("M667", "t.tsv:5")]),
        ("count and not pet", "count and not goat", [("M667", "t.tsv:5")]),
        ("count and not pet", "count and", [("M667", "t.tsv:5")]),
        ("count and not pet", "verb.subject", [("M667", "t.tsv:5")]),
        ("count and not pet", "scene = farm", []),
        ("4.5", "four", [("M668", "t.tsv:4")]),
        ("4.5", "nan", [("M668", "t.tsv:4")]),
        ("4.5", "0.5", [("M668", "t.tsv:4")]),
        ("4.5", "19", [("M668", "t.tsv:4")]),
        ("4.5", "18", []),
    ],
)  # fmt: skip
def test_where_a_table_departs_from_its_legend(
    old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    assert old in TABLE
    assert said(TABLE.replace(old, new, 1)) == expected


def test_a_needed_column_that_is_not_there() -> None:
    without = "\n".join("\t".join(line.split("\t")[:4] + line.split("\t")[5:])
                        for line in TABLE.splitlines())  # fmt: skip
    assert said(without) == [("M664", "t.tsv:1"), ("M665", "t.tsv:2")]


def test_a_grammar_can_say_the_category() -> None:
    text = "lemma\tsg\tsubject\nbleat\tbleats\tcount\nstroll\t\t*\n"
    assert said(text) == []  # the compiler says that the category is missing
    assert said(text, "verb") == [("M664", "t.tsv:3")]
    assert said(text, "vreb") == [("M661", "t.tsv:2")]


def test_a_condition_never_means_a_form_or_a_lemma() -> None:
    assert said(TABLE.replace("hay\tnoun\thay", "count\tnoun\tcount")) == []


def test_faults_of_one_kind_are_one_problem_with_a_note() -> None:
    report = Report()
    check_legend(table(TABLE.replace("farm", "fram")), legend(), report)
    (problem, *_) = report.items
    assert (problem.code, problem.place) == ("M663", "t.tsv:2")
    assert problem.remedy == "did you mean farm?"
    assert problem.notes == ("the same is wrong at t.tsv:3 (cat), t.tsv:5 (bleat)",)


def test_of_many_problems_only_the_first_are_given() -> None:
    lines = [f"n{i}\tnoun\tn{i}\tns\tcount\tbad{i}\t\t\t\t" for i in range(MAX_PROBLEMS + 5)]
    report = Report()
    check_legend(table("\n".join([TABLE.splitlines()[0], *lines])), legend(), report)
    assert len(report.items) == MAX_PROBLEMS
    assert report.items[-1].notes == ("5 more problems of this kind are left out",)


CELLS = [(row, column) for row in range(5) for column in range(2, 9)]


@given(st.sampled_from(CELLS), st.text("abc|* ", min_size=1, max_size=6))
@example((1, 4), "*|")
def test_a_cell_is_refused_unless_it_holds_what_the_legend_says(
    cell: tuple[int, int], text: str
) -> None:
    row, column = cell
    head, *lines = [line.split("\t") for line in TABLE.splitlines()]
    lines[row][column] = text
    place = f"t.tsv:{row + 2}"
    codes = said("\n".join("\t".join(line) for line in (head, *lines)))
    assert {where for _, where in codes} <= {place}
    mine = {c.name for c in legend().of(lines[row][1])}
    free = head[column] in ("sg", "pl") or not text.replace("|", " ").strip()
    whole = [part.strip() for part in text.split("|") if part.strip()]
    star = whole == ["*"] and head[column] in ("scene", "subject")
    if head[column] not in mine and text.strip():
        assert ("M665", place) in codes
    elif not free and not star and head[column] != "scene":
        assert codes


# --- commands ------------------------------------------------------------------------------------

GRAMMAR = """\
phenomenon goats
lexicon "words.tsv"
objects
  subj : noun (number)
attributes
  number = sg | pl
frames
  clause = "the" subj
paradigm numbers = subj.number
select
  subj is count
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "legend.toml").write_text(LEGEND, encoding="utf-8")
    (tmp_path / "words.tsv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "goats.merula").write_text(GRAMMAR, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


@pytest.mark.usefixtures("folder")
def test_a_grammar_with_a_table_that_keeps_to_its_legend() -> None:
    assert run("check", "goats.merula")[0] == 0
    assert run("lexicon", "check", "words.tsv") == (0, "1 table checked: no problems\n")


COMMANDS = [("check", "goats.merula"), ("lexicon", "check", "words.tsv")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_slip_in_the_table_is_an_error(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "words.tsv").write_text(TABLE.replace("\tyes\t", "\ttrue\t"), encoding="utf-8")
    code, output = run(*command)
    assert code == 1
    assert "error[M666]: `true` is in `pet`" in output
    assert "--> words.tsv:3" in output
    assert output.count("error[") == 1


@pytest.mark.parametrize("command", [*COMMANDS, ("lexicon", "stats", "words.tsv")])
def test_a_slip_in_the_legend_is_an_error(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "legend.toml").write_text(LEGEND.replace('"flag"', '"flog"'), encoding="utf-8")
    code, output = run(*command)
    assert code == 1
    assert output.count("error[M660]") == 1
    assert "--> legend.toml:42" in output


def test_a_table_named_by_an_option_has_the_legend_beside_it(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "words.tsv").write_text(TABLE.replace("\tyes\t", "\ttrue\t"))
    option = ("check", "goats.merula", "--lexicon", "words.tsv=more/words.tsv")
    assert run(*option)[0] == 0
    (folder / "more" / "legend.toml").write_text(LEGEND)
    assert "error[M666]" in run(*option)[1]


def test_lexical_sets_and_tables_in_memory_have_no_legend(folder: Path) -> None:
    sets = "subj.sg\tsubj.pl\nthe key\tthe keys\nthe cat\tthe cats\n"
    (folder / "sets.tsv").write_text(sets)
    grammar = GRAMMAR.replace('"words.tsv"', 'sets "sets.tsv"').replace("noun (", "NP (")
    (folder / "sets.merula").write_text(grammar.partition("select")[0])
    assert run("check", "sets.merula")[0] == 0
    assert run("lexicon", "check", "sets.tsv")[0] == 0
    compile(GRAMMAR, tables={"words.tsv": TABLE.replace("\tyes\t", "\ttrue\t")})


def test_a_folder_called_like_a_legend_is_none(folder: Path) -> None:
    (folder / "legend.toml").unlink()
    (folder / "legend.toml").mkdir()
    assert run("check", "goats.merula")[0] == 0


def test_a_legend_is_watched(folder: Path) -> None:
    found = look("goats.merula", TableOptions())
    assert found.files[Path("legend.toml")] is not None
    (folder / "legend.toml").unlink()
    found = look("goats.merula", TableOptions())
    assert found.files[Path("legend.toml")] is None


@pytest.mark.usefixtures("folder")
def test_statistics_tell_what_columns_are_for() -> None:
    code, output = run("lexicon", "stats", "words.tsv")
    assert code == 0
    assert "whether it lives in the house" in output
    (found,) = json.loads(run("lexicon", "stats", "words.tsv", "--format", "json")[1])
    columns = {c["name"]: c for section in found["sections"] for c in section["columns"]}
    assert columns["pet"]["gloss"] == "whether it lives in the house"
    kinds = {"lemma": "name", "sg": "form", "pet": "feature", "subject": "selection"}
    assert {name: columns[name]["kind"] for name in kinds} == kinds
    assert columns["remarks"]["kind"] == "text"


@pytest.mark.usefixtures("folder")
def test_problems_of_a_legend_are_raised_in_python() -> None:
    Path("words.tsv").write_text(TABLE.replace("\tyes\t", "\ttrue\t"))
    with pytest.raises(MerulaError) as raised:
        load("goats.merula")
    assert [problem.code for problem in raised.value.problems] == ["M666"]
