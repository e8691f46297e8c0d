"""What notebooks and ``str()`` show: the drawing of `merula show`, as HTML and as text."""

from __future__ import annotations

import dataclasses
import doctest
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import merula
from document_blocks import ROOT, blocks, write
from html_tree import Tree
from merula.api import Design, Grammar
from merula.cli import main
from merula.show.drawing import draw_instance, draw_template, plain
from merula.show.html import drawing_html
from merula.strategies import GrammarText, grammars
from random_grammars import compiled_grammar, examples

API_PAGE = ROOT / "docs" / "api.md"
TABLE = "subj.sg,subj.pl,verb.sg,verb.pl\nthe <dog> & co,the dogs,barks,bark\n"
TEXT = """
phenomenon toy "dogs & <cats>"
language en
lexicon sets "toy.csv"
objects
  subj : NP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement "a verb <agrees>": verb.number = subj.number
frames
  clause = subj verb
paradigm agree "all of it" = subj.number × verb.number
matrix four = 4 items in clause
  subj.number cycles sg | pl every 1
answers
  AE breaks E agreement: flip verb.number
  "O & <O>": replace subj with "<b>no one</b>"
"""


@pytest.fixture
def toy() -> Grammar:
    return merula.compile(TEXT, tables={"toy.csv": TABLE}, name="toy.merula")


def all_html(grammar: Grammar) -> dict[str, str]:
    first = next(iter(grammar.values()))
    shown = {"grammar": grammar, "instance": first[0], "problems": grammar.problems, **grammar}
    return {name: thing._repr_html_() for name, thing in shown.items()}


def test_everything_is_shown(toy: Grammar) -> None:
    for name, html in all_html(toy).items():
        tree = Tree(html)
        text = tree.find("div", **{"class": "merula"})[0]["text"]
        if name == "problems":
            assert "warning[M407]: the right answer of four is item 2" in text
            assert text.rstrip().endswith("0 errors, 1 warning")
            continue
        assert "agree" in text or "four" in text
        assert not tree.find("b")  # what the words hold is text
        assert not tree.find("o")
        assert all(e.get("scope") in ("col", "row", "rowgroup") for e in tree.find("th"))
    grammar = Tree(all_html(toy)["grammar"]).find("div", **{"class": "merula"})[0]["text"]
    for part in ("dogs & <cats>", "a verb <agrees>", "verb.number = subj.number", "NP (number)"):
        assert part in grammar
    assert "2 instances" in grammar


def test_a_matrix_is_shown_with_its_gap_and_its_answers(toy: Grammar) -> None:
    tree = Tree(toy["four"]._repr_html_())
    rows = [e["text"].split("\n") for e in tree.find("tr")]
    texts = [" ".join(part for part in row if part.strip()) for row in rows]
    assert texts[1:] == [
        "1 sgsgThe <dog> & cobarks.",
        "2 plplThe dogsbark.",
        "3 sgsgThe <dog> & cobarks.",
        "4 ???",
        "Correct plplThe dogsbark.",
        "AE plsgThe dogsbarks. EE agreement",
        "O & <O> <b>no one</b>pl<b>no one</b>bark. RR words",
    ]
    assert [e["text"] for e in tree.find("dl")] == ["\nE agreementa verb <agrees>\n"]


def test_what_is_unacceptable_is_told_not_by_colour_alone(toy: Grammar) -> None:
    tree = Tree(toy["agree"][0]._repr_html_())
    assert [e["text"] for e in tree.find("span", title="unacceptable")] == ["*", "*"]
    assert sum("E agreement" in e["text"] for e in tree.find("tr")) == 2
    assert {e["title"] for e in tree.find("span") if "title" in e} == {"unacceptable", "sg", "pl"}


def test_words_have_their_language_and_their_direction(toy: Grammar) -> None:
    tree = Tree(toy["agree"][0]._repr_html_())
    words = tree.find("td", dir="auto")
    assert len(words) == 8
    assert {e["lang"] for e in words} == {"en"}
    assert not tree.find("table", dir="rtl")
    arabic = TABLE.replace("the <dog> & co", "الكلب").replace("barks", "ينبح")
    tree = Tree(
        merula.compile(TEXT.replace("language en", ""), tables={"toy.csv": arabic})["agree"][
            0
        ]._repr_html_()
    )
    assert tree.find("table", dir="rtl")
    assert not any("lang" in e for e in tree.find("td"))


def test_styles_hold_for_merula_alone(toy: Grammar) -> None:
    for html in all_html(toy).values():
        tree = Tree(html)
        (style,) = (e["text"] for e in tree.find("style"))
        rules = re.sub(r"/\*.*?\*/|@supports[^{]*\{", "", style)
        heads = re.findall(r"([^{}]+)\{[^{}]*\}", rules)
        assert len(heads) > 10
        for head in heads:
            assert all(part.strip().startswith(".merula.merula") for part in head.split(",")), head
        assert not any("id" in e for e in tree.all)
        assert not tree.find("script")
        assert not any(name.startswith("on") for e in tree.all for name in e)


@examples(25)
@given(grammars(), st.integers(0, 10**6))
def test_the_words_of_a_row_are_its_sentence(grammar: GrammarText, number: int) -> None:
    compiled = compiled_grammar(grammar)
    for design in compiled.designs.values():
        if not design.plans:
            continue
        address = number % design.count
        instance = Design(compiled, design)[address]
        drawing = draw_instance(compiled, design, address)
        assert [row.label for row in drawing.rows] == [s.label for s in instance.cells]
        for row, sentence in zip(drawing.rows, instance.cells, strict=True):
            assert len(row.words) == len(drawing.heads)
            assert words(plain(row.sentence)) == words(sentence.text)
            assert (row.acceptable, row.broken) == (sentence.acceptable, sentence.broken)
        html = Tree(drawing_html(drawing))
        shown = [e["text"] for e in html.find("td", dir="auto")]
        assert shown == [plain(run) for row in drawing.rows for run in row.words]
        Tree(drawing_html(draw_template(design)))


def words(text: str) -> str:
    """A text without spaces, for these depend on the words beside each other."""
    return "".join(text.split())


# --- as text -------------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 1)
    return result.output


def test_str_is_what_the_command_line_shows() -> None:
    grammar = merula.load("blm/agreement_fr")
    instance = grammar["six"][7]
    shown = run("show", "blm/agreement_fr", "-d", "six", "--instance", "7").rstrip("\n")
    assert str(instance) == shown
    assert run("count", "blm/agreement_fr").rstrip("\n") in str(grammar)
    assert run("show", "blm/agreement_fr", "-d", "six").rstrip("\n") in str(grammar["six"])
    assert "attraction" in str(grammar)
    assert repr(instance) == (
        "<instance 7 of six: main · subj.number sg pl · n1.number sg pl · n2 absent sg>"
    )


def test_problems_read_as_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "toy.merula"
    file.write_text(TEXT.replace("subj.number\n", "subj.nubmer\n"), encoding="utf-8")
    (tmp_path / "toy.csv").write_text(TABLE, encoding="utf-8")
    problems = merula.check(file)
    assert isinstance(problems, tuple)
    assert repr(problems) == "<Problems: 1 error, 0 warnings>"
    assert problems.errors == problems
    assert problems.warnings == ()
    shown = run("check", str(file)).rstrip("\n").replace("1 file checked: ", "")
    assert str(problems) == shown
    tree = Tree(problems._repr_html_())
    assert "error[M103]: `subj` has no attribute `nubmer`" in " ".join(
        e["text"] for e in tree.find("div")
    )
    assert any("^^^^^^^^^^^" in e["text"] for e in tree.find("pre"))
    assert str(merula.load("blm/agreement_fr").problems) == "no problems"


def test_printers_of_ipython(toy: Grammar) -> None:
    class Printer:
        shown = ""

        def text(self, text: str) -> None:
            self.shown += text

    for thing in (toy, toy["agree"], toy["agree"][0], toy.problems):
        printer = Printer()
        thing._repr_pretty_(printer, False)
        assert printer.shown == str(thing)
        thing._repr_pretty_(printer, True)
        assert len(printer.shown) < len(str(thing)) + 200


def test_an_instance_can_be_copied_and_is_shown_all_the_same(toy: Grammar) -> None:
    instance = toy["four"][0]
    for copy in (pickle.loads(pickle.dumps(instance)), dataclasses.replace(instance)):
        assert copy == instance
        assert all(s.text in str(copy) for s in instance.cells)
        assert "instance 0" in str(copy)
        assert "???" in Tree(copy._repr_html_()).find("div", **{"class": "merula"})[0]["text"]
    assert list(dataclasses.asdict(instance)) == [f.name for f in dataclasses.fields(instance)]
    paradigm = dataclasses.replace(toy["agree"][0])
    assert "subj.number" in str(paradigm)
    assert "*" in str(paradigm)


def test_a_grammar_without_words_is_shown_as_a_template() -> None:
    grammar = merula.compile(TEXT.replace('lexicon sets "toy.csv"', ""))
    assert "template, variant 1 of 1" in str(grammar["agree"])
    tree = Tree(grammar["agree"]._repr_html_())
    assert {e["lang"] for e in tree.find("td", dir="auto")} == {"en"}
    assert "M113" in str(grammar)
    assert Tree(grammar._repr_html_()).find("details")


# --- a whole page --------------------------------------------------------------------------------


def test_show_writes_a_page() -> None:
    html = run("show", "blm/agreement_fr", "-d", "six", "--format", "html", "-n", "3")
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    tree = Tree(html.removeprefix("<!DOCTYPE html>\n"))
    assert len(tree.find("figure")) == 3
    assert tree.find("title")[0]["text"] == "agreement_fr"
    assert all(e["text"] for e in tree.find("figcaption"))
    html = run("show", "npi/sentential_negation", "--format", "html", "--template")
    assert len(Tree(html.removeprefix("<!DOCTYPE html>\n")).find("figure")) == 2


def test_displays_are_imported_when_they_are_asked_for() -> None:
    program = (
        "import sys, merula; g = merula.load('blm/agreement_fr'); g['six'][0], repr(g);"
        "assert not {'jinja2', 'rich'} & set(sys.modules); str(g);"
        "assert 'jinja2' not in sys.modules; g._repr_html_(); assert 'jinja2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# --- the page about the API ----------------------------------------------------------------------


def test_the_examples_of_the_api_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are written, and its ``pycon`` blocks are one session in that folder.

    What is expected may have empty lines.
    """
    monkeypatch.chdir(tmp_path)
    session: dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE)
    for block in blocks(API_PAGE.read_text(encoding="utf-8")):
        if block.file is not None:
            how, name = block.file
            write(block, how, tmp_path / name)
        if block.language == "pycon":
            text = re.sub(r"\n\n(?!>>>)", "\n<BLANKLINE>\n", block.text)
            parsed = doctest.DocTestParser().get_doctest(
                text, session, "docs/api.md", str(API_PAGE), block.line
            )
            runner.run(parsed, clear_globs=False)
            session = parsed.globs
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 20


def test_the_api_page_names_everything() -> None:
    names = API_PAGE.read_text(encoding="utf-8").partition("## All names")[2]
    assert set(re.findall(r"`(\w+)`", names)) == set(merula.__all__)
