"""New grammars: every kind in every language works at once, and nothing is ever overwritten."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import merula
from merula.cli import main
from merula.cli.new import KINDS
from merula.cli.scaffold import (
    GRAMMAR,
    TABLES,
    Scaffold,
    checked_name,
    languages,
    scaffold,
    write_scaffold,
)
from merula.core.diagnostics import MerulaError, Report
from merula.core.resources import folder
from merula.core.source import Source
from merula.language.parse import parse
from merula.language.tokens import HEADS, KEYWORDS
from merula.lexicon.oddities import check_table
from merula.lexicon.table import TableFormat

ROOT = folder("templates") / "new"
ALL = [(kind, row["code"]) for kind in TABLES for row in languages(ROOT, kind)]
each = pytest.mark.parametrize(("kind", "code"), ALL, ids=[" ".join(pair) for pair in ALL])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The grammar of every kind and language, written where a user would have it."""
    out = tmp_path_factory.mktemp("new")
    return {
        (kind, code): write_scaffold(scaffold(ROOT, kind, code, "toy"), out / f"{kind}-{code}")[0]
        for kind, code in ALL
    }


def new(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["new", *map(str, arguments)], catch_exceptions=False)


# --- what is made --------------------------------------------------------------------------


def test_there_are_words_in_every_language_with_surface_rules() -> None:
    known = {path.parent.name for path in folder("lexicons").glob("*/surface.toml")}
    for kind in TABLES:
        assert {row["code"] for row in languages(ROOT, kind)} == known


def test_the_kinds_are_those_that_have_a_template() -> None:
    assert set(KINDS) == set(TABLES) == {path.parent.name for path in ROOT.glob(f"*/{GRAMMAR}")}


@each
def test_it_works_at_once(kind: str, code: str, made: dict[tuple[str, str], Path]) -> None:
    path = made[kind, code]
    assert merula.check(path) == ()  # no warning either; the examples are as they say
    grammar = merula.load(path)
    (design,) = grammar.values()
    assert (grammar.name, grammar.language) == ("toy", code)
    assert "toy" in path.name
    assert design.count() > 100
    data = design.generate(20, seed=1).to_table()
    assert data.num_rows == (80 if kind == "paradigm" else 20)


@each
def test_examples_of_both_kinds_are_given(
    kind: str, code: str, made: dict[tuple[str, str], Path]
) -> None:
    lines = made[kind, code].read_text(encoding="utf-8").splitlines()
    for judgement in ("accept", "reject"):
        assert sum(line.strip().startswith(judgement) for line in lines) >= 2


@each
def test_it_is_laid_out(kind: str, code: str, made: dict[tuple[str, str], Path]) -> None:
    result = CliRunner().invoke(main, ["fmt", "--diff", str(made[kind, code])])
    assert (result.exit_code, result.output) == (0, "")


@each
def test_its_table_is_small_and_clean(kind: str, code: str) -> None:
    table = ROOT / kind / f"{code}.tsv"
    report = Report()
    found = check_table(table.name, table.read_bytes(), TableFormat(), report)
    assert report.items == []
    assert found is not None
    assert found.has_sets == (kind == "blm")
    few, many = (8, 12) if kind == "blm" else (15, 30)
    assert few <= len(found.table) <= many


@each
def test_no_phrase_is_left_uncontracted(
    kind: str, code: str, made: dict[tuple[str, str], Path]
) -> None:
    (design,) = merula.load(made[kind, code]).values()
    wrong = {
        "fr": (" de le ", " de les ", " à le ", " à les ", " le a", " que il"),
        "it": (" di il ", " a il ", " a lo ", " a la ", " vicino a gli "),
        "es": (" de el ", " a el "),
        "de": (" zu dem ", " in dem ", " von dem "),
        "en": (" a apple", " an the "),
    }[code]
    for address in range(0, design.count(), 7):
        for cell in design[address].cells:
            assert not any(part in cell.text for part in wrong), cell.text
            assert cell.text[0].isupper()
            assert cell.text.endswith(".")
            assert "  " not in cell.text


@pytest.mark.parametrize("code", [row["code"] for row in languages(ROOT, "blm")])
def test_answers_do_not_stand_out(code: str, made: dict[tuple[str, str], Path]) -> None:
    """Each change is in half of the answers, and every combination of them occurs."""
    (design,) = merula.load(made["blm", code]).values()
    first = design[0]
    assert len(first.context) == 7
    changes = [
        frozenset(label for label in ("AE", "WN1", "WN2") if label in answer.label.split("+"))
        for answer in first.answers
    ]
    assert len(set(changes)) == len(changes) == 8
    assert sum(answer.acceptable for answer in first.answers) == 4


# --- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*HEADS, *sorted(KEYWORDS), "größe", "数", "n1", "a-b", "_x"])
def test_every_word_of_the_language_is_a_name(name: str) -> None:
    text = scaffold(ROOT, "blm", "en", name).files[f"{name}.merula"]
    report = Report()
    assert [str(node.name) for node in parse(Source("x", text), report).phenomena] == [name]
    assert not report.failed


def test_a_name_is_composed() -> None:
    assert checked_name(unicodedata.normalize("NFD", "größe")) == "größe"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("two words", "such as two_words"),
        ("2keys", "such as keys2"),
        ("keys.merula", "such as keys"),
        ("keys/", "such as keys"),
        ("ke\u200by", "such as ke_y"),
        ("l'ami", "such as l_ami"),
        ("data/keys", "merula new keys --out data/keys"),
        ("C:\\data\\keys", "merula new keys --out C:\\data\\keys"),
        ("", "does not begin with a digit"),
        ("2024", "does not begin with a digit"),
        ("…/…", "does not begin with a digit"),
    ],
)
def test_what_is_no_name_is_refused_with_one_that_is(name: str, remedy: str) -> None:
    with pytest.raises(MerulaError) as caught:
        checked_name(name)
    (problem,) = caught.value.problems
    assert problem.code == "M640"
    assert problem.remedy.endswith(remedy)


@given(st.text(max_size=12))
def test_a_text_is_a_name_or_refused(text: str) -> None:
    try:
        name = checked_name(text)
    except MerulaError as error:
        (problem,) = error.problems
        assert problem.code == "M640"
        *_, near = problem.remedy.partition("such as ")
        assert near == "" or checked_name(near) == near
    else:
        report = Report()
        parse(Source("x", f"phenomenon {name}\n"), report)
        assert not report.failed


# --- languages -----------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["FR", "fr-CH", "fr_FR", "french", "French", "Frensh"])
def test_a_language_called_otherwise_is_meant(code: str) -> None:
    with pytest.raises(MerulaError, match="did you mean fr") as caught:
        scaffold(ROOT, "blm", code, "x")
    assert [problem.code for problem in caught.value.problems] == ["M641"]


@pytest.mark.parametrize("code", ["", "eu", "pt", "../en", "examples"])
def test_a_language_without_words_is_refused(code: str) -> None:
    with pytest.raises(MerulaError, match="begin with the nearest") as caught:
        scaffold(ROOT, "paradigm", code, "x")
    assert "en (English)" in caught.value.problems[0].message


# --- files ---------------------------------------------------------------------------------


@pytest.fixture
def toy() -> Scaffold:
    return scaffold(ROOT, "blm", "en", "toy")


def test_the_folder_holds_the_grammar_and_its_table(tmp_path: Path) -> None:
    out = tmp_path / "a folder" / "toy"
    result = new("toy", "--lang", "fr", "--out", out)
    assert result.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["toy.merula", "words.tsv"]
    assert [path.name for path in out.parent.iterdir()] == ["toy"]
    assert (out / "words.tsv").read_bytes() == (ROOT / "paradigm" / "fr.tsv").read_bytes()
    assert f'merula check "{out / "toy.merula"}"' in result.output


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_nothing_is_overwritten(what: str, toy: Scaffold, tmp_path: Path) -> None:
    out = tmp_path / "toy"
    if what == "file":
        out.write_text("mine")
    elif what == "folder":
        out.mkdir()
    else:
        out.symlink_to("nowhere")
    with pytest.raises(MerulaError, match="exists already") as caught:
        write_scaffold(toy, out)
    assert [problem.code for problem in caught.value.problems] == ["M642"]
    assert list(tmp_path.iterdir()) == [out]
    assert out.is_symlink() or not out.is_dir() or not any(out.iterdir())
    assert what != "file" or out.read_text() == "mine"


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_all_is_written_or_nothing(
    failure: BaseException, toy: Scaffold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def fail(path: Path, text: str, **options: str) -> int:
        if path.name == "sets.tsv":
            raise failure
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises((MerulaError, KeyboardInterrupt)) as caught:
        write_scaffold(toy, tmp_path / "new" / "toy")
    assert list(tmp_path.iterdir()) == []
    if isinstance(caught.value, MerulaError):
        (problem,) = caught.value.problems
        assert (problem.code, "No space left" in problem.message) == ("M643", True)


def test_a_folder_in_a_file_cannot_be_made(toy: Scaffold, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(MerulaError, match="a is a file"):
        write_scaffold(toy, tmp_path / "a" / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
