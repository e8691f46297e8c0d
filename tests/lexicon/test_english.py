"""The English tables: large enough, complete, true to their legend, and fit for selection."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from merula.core.arrays import Bools
from merula.core.diagnostics import Report
from merula.lexicon.legend import ALWAYS, Legend, load_legend
from merula.lexicon.oddities import check_table
from merula.lexicon.selection import cell_expression, fits
from merula.lexicon.table import ANY, CATEGORY, LEMMA, Rows, TableFormat, build, members, read_table

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = ROOT / "lexicons" / "en"
TABLES = sorted(  # of lexemes; a table of lexical sets stands beside them
    path for path in ENGLISH.glob("*.tsv") if path.read_bytes().startswith(LEMMA.encode())
)
COMPLETE = ROOT / "lexicons" / "complete.py"

LEXEMES = 1_500
FEATURES = 30
CHOICES = 5  # nouns for every argument of a verb, in one scene at least
BROADEST = 0.95  # of the nouns of a scene fit an object, at most
ENOUGH = {"person": 50, "thing": 15, "verb": 15}  # of each scene

SOURCES = pytest.mark.skipif(
    not (find_spec("lemminflect") and find_spec("wordfreq")),
    reason="lemminflect and wordfreq are not installed: pip install lemminflect wordfreq",
)


@cache
def legend() -> Legend:
    report = Report()
    found = load_legend(TABLES[0], "en/nouns.tsv", report)
    assert found is not None, report.items
    return found


@cache
def lexemes() -> dict[str, Rows]:
    """All lexemes by category, as a grammar sees them that names all tables."""
    report = Report()
    tables = [read_table(path.name, path.read_bytes(), TableFormat(), report) for path in TABLES]
    lexicon = build((), [(table, None) for table in tables if table is not None], report)
    assert not report.items
    return dict(lexicon.lexemes)


@cache
def fitting(cell: str) -> Bools:
    """The nouns that a selection fits."""
    nouns = lexemes()["noun"]
    node = cell_expression(cell)
    assert node is not None
    return fits(node, nouns, range(len(nouns)), {})


@cache
def in_scene(category: str) -> dict[str, Bools]:
    """The lexemes of a category that are at home in each scene; none are where `*` stands."""
    cells = lexemes()[category].columns["scene"]
    return {
        scene: np.array([ANY in members(cell) or scene in members(cell) for cell in cells])
        for scene in legend().columns["scene"].values
    }


def arguments() -> list[tuple[str, str, str, tuple[str, ...]]]:
    """The verbs' arguments: lemma, column, selection, and the scenes of the verb."""
    verbs = lexemes()["verb"].columns
    asking = [c.name for c in legend().of("verb") if c.kind == "selection"]
    every = tuple(legend().columns["scene"].values)
    found = []
    for row, lemma in enumerate(verbs[LEMMA]):
        scenes = every if verbs["scene"][row] == ANY else members(verbs["scene"][row])
        cells = [(column, verbs[column][row]) for column in asking]
        found += [(lemma, column, cell, scenes) for column, cell in cells if cell]
    return found


# --- the tables and their legend ---------------------------------------------------------------


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_nothing_is_said_of_a_table(path: Path) -> None:
    report = Report()
    found = check_table(path.name, path.read_bytes(), TableFormat(), report, legend())
    assert found is not None
    assert found.legend is not None
    assert report.items == []


def test_there_are_enough_lexemes_with_enough_features() -> None:
    assert sum(len(rows) for rows in lexemes().values()) >= LEXEMES
    used = {
        name for rows in lexemes().values() for name, cells in rows.columns.items() if any(cells)
    }
    typed = {c.name for c in legend().columns.values() if c.is_feature or c.kind == "selection"}
    assert len(typed & used) >= FEATURES


def test_all_that_the_legend_describes_is_used() -> None:
    assert set(lexemes()) == set(legend().categories)
    for column in legend().columns.values():
        cells = {
            cell
            for name in column.categories
            for cell in lexemes()[name].columns.get(column.name, ())
        }
        held = {value for cell in cells for value in members(cell)}
        assert column.values.keys() <= held, column.name
        assert held, column.name


def test_every_category_has_each_of_its_columns_somewhere() -> None:
    bare = [
        f"{column.name} of {name}"
        for column in legend().columns.values()
        for name in column.categories
        if len(column.categories) < len(legend().categories)
        if not any(lexemes()[name].columns.get(column.name, ()))
    ]
    assert bare == []


def test_no_form_is_missing_where_a_lexeme_has_one() -> None:
    for column in legend().columns.values():
        for name in column.categories if column.kind == "form" else ():
            rows = lexemes()[name]
            if column.required == ALWAYS:
                assert all(rows.columns[column.name]), column.name


def test_plurals_and_degrees_are_complete() -> None:
    nouns, adjectives = lexemes()["noun"].columns, lexemes()["adjective"].columns
    assert [bool(pl) for pl in nouns["pl"]] == [cell == "count" for cell in nouns["countability"]]
    for degree in ("comparative", "superlative"):
        assert [bool(form) for form in adjectives[degree]] == [
            cell == "yes" for cell in adjectives["gradable"]
        ]


# --- choosing ------------------------------------------------------------------------------------


def test_every_argument_has_nouns_to_choose_from() -> None:
    nouns = in_scene("noun")
    few = [
        f"{lemma}, {column}: {cell}"
        for lemma, column, cell, scenes in arguments()
        if max(int((fitting(cell) & nouns[scene]).sum()) for scene in scenes) < CHOICES
    ]
    assert few == []


def test_no_object_is_fitted_by_everything() -> None:
    nouns = in_scene("noun")
    objects = {(cell, scenes) for _, column, cell, scenes in arguments() if column == "object"}
    broad = [
        cell
        for cell, scenes in objects
        for scene in scenes
        if (fitting(cell) & nouns[scene]).sum() > BROADEST * nouns[scene].sum()
    ]
    assert broad == []


def test_every_adjective_has_nouns_to_stand_before() -> None:
    cells = lexemes()["adjective"].columns["of"]
    assert [cell for cell in cells if fitting(cell).sum() < CHOICES] == []


@pytest.mark.parametrize("scene", legend().columns["scene"].values)
def test_every_scene_has_enough_persons_things_and_verbs(scene: str) -> None:
    here = in_scene("noun")[scene]
    own = [scene in members(cell) for cell in lexemes()["verb"].columns["scene"]]
    found = {sort: int((fitting(sort) & here).sum()) for sort in ("person", "thing")}
    found["verb"] = sum(own)
    assert {what: number for what, number in found.items() if number < ENOUGH[what]} == {}


def test_no_participle_is_a_form_of_another_verb() -> None:
    verbs = lexemes()["verb"].columns
    forms: dict[str, set[str]] = {}
    for column in ("base", "prs.sg", "past", "participle"):
        for lemma, form in zip(verbs[LEMMA], verbs[column], strict=True):
            forms.setdefault(form, set()).add(lemma)
    assert {form: lemmas for form, lemmas in forms.items() if len(lemmas) > 1} == {}


# --- the script that completes them ------------------------------------------------------------


def run(*arguments: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(COMPLETE), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The English tables in a folder of their own."""
    for path in (*TABLES, ENGLISH / "legend.toml", ENGLISH / "corrections.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def emptied(path: Path) -> bytes:
    """A table without what a script can make, in reverse order."""
    head, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    made = {column.name for column in legend().columns.values() if column.made}
    bare = [
        [("" if name in made else cell) for name, cell in zip(head, line, strict=True)]
        for line in lines
    ]
    return "".join("\t".join(line) + "\n" for line in (head, *reversed(bare))).encode()


@SOURCES
def test_the_tables_hold_what_their_sources_say_or_a_correction() -> None:
    assert run("--check") == (0, "")


@pytest.mark.slow
@SOURCES
def test_completing_again_changes_nothing_and_bare_tables_are_made_again(copy: Path) -> None:
    tables = sorted(copy.glob("*.tsv"))
    assert run(*tables) == (0, "")
    kept = {path: path.read_bytes() for path in tables}
    bare = [path for path in tables if path.name in ("verbs.tsv", "adjectives.tsv")]
    for path in bare:
        path.write_bytes(emptied(path))
    code, output = run(*bare)
    assert (code, output.count("completed")) == (0, 2)
    assert {path: path.read_bytes() for path in tables} == kept


@pytest.mark.slow
@SOURCES
def test_cells_that_hold_something_are_kept_and_told_of(copy: Path) -> None:
    table = copy / "nouns.tsv"
    text = table.read_text(encoding="utf-8")
    assert "\tgoats\t" in text
    table.write_text(text.replace("\tgoats\t", "\tgeats\t"), encoding="utf-8")
    assert run(table) == (0, "")
    code, output = run("--check", table)
    assert code == 1
    assert output == f"{table}: goat, pl: geats; the source says goats\n"


@SOURCES
def test_british_spelling(copy: Path) -> None:
    table = copy / "verbs.tsv"
    head, *lines = table.read_text(encoding="utf-8").splitlines()
    names = head.split("\t")
    like = dict(zip(names, lines[0].split("\t"), strict=True))
    forms = {"prs.sg", "prs.pl", "past", "participle", "ing", "base", "band"}
    rows = []
    for lemma in ("unravel", "refuel", "tranquillise", "reprogramme", "kidnap"):
        row = {**like, "lemma": lemma, **dict.fromkeys(forms, "")}
        rows.append("\t".join(row[name] for name in names))
    table.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    assert run(table)[0] == 0
    made = read_table("t.tsv", table.read_bytes(), TableFormat(), Report())
    assert made is not None
    past = dict(zip(made.columns[LEMMA], made.columns["past"], strict=True))
    assert past == {
        "kidnap": "kidnapped",
        "refuel": "refuelled",
        "reprogramme": "reprogrammed",
        "tranquillise": "tranquillised",
        "unravel": "unravelled",
    }
    assert set(made.columns[CATEGORY]) == {"verb"}


def test_the_script_says_what_stands_in_its_way(tmp_path: Path) -> None:
    table = tmp_path / "words.tsv"
    table.write_text("lemma\tcategory\ngoat\tnoun\n")
    code, output = run(table)
    assert (code, output) == (1, f"{table}: there is no legend.toml beside this table\n")
    (tmp_path / "legend.toml").write_text("[category\n")
    code, output = run(table)
    assert code == 1
    assert output.startswith("error[M660]: the legend cannot be read as TOML")
    code, output = run(tmp_path / "none.tsv")
    assert code == 1
    assert "Traceback" not in output
