"""Drawings of matrices in consoles of any width, and the templates beside their sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from rich.console import Console

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.design.outline import Outliner
from merula.show.drawing import Drawing, draw_instance, plain, without_outline
from merula.show.terminal import render, text_of
from merula.strategies import GrammarText, grammars
from random_grammars import compiled_grammar, examples

TABLE = """agent,theme,verb.act,verb.pass
the gardeners,paint,sprayed,was sprayed
"""
TEXT = """
phenomenon roles
language en
lexicon sets "load.csv"
objects
  verb                : V (voice, tense)
  agent, theme        : NP
  subject             : position
  object?, by?        : position
  when?               : adverb
attributes
  voice     = act | pass
  tense     = present | past
  subject   = agent | theme
  object    = theme
  object.as = bare "" | oblique "with"
  by        = agent "by"
  when      = yes "today"
external
  voice "an active verb has an object": verb.voice = act -> object else not object
  case: object.as = bare
frames
  clause = subject verb object by when
matrix active = items in clause
    | subject  verb.voice  object  by     when
  1 | theme    pass        -       -      -
  2 | theme    pass        -       agent  yes
  3 | agent    act         theme   -      -
answers
  Passive breaks E voice:        set verb.voice = pass
  Case    breaks E case:         set object.as = oblique
  Past    breaks R verb.tense:   set verb.tense = past
"""


def compiled(text: str) -> Compiled:
    table = TABLE.replace("act,verb.pass", "act.present,verb.act.past,verb.pass")
    table = table.replace("sprayed,was", "spray,sprayed,was")
    found = compile_source(Source("roles.merula", text), tables={"load.csv": table})
    assert not found.failed, [problem.render() for problem in found.problems]
    return found


@pytest.fixture(scope="module")
def drawn() -> Drawing:
    found = compiled(TEXT)
    return draw_instance(found, found.designs["active"], 0)


def shown(drawing: Drawing, width: int) -> list[str]:
    """The lines of a drawing in a console of a width."""
    console = Console(width=width, highlight=False, color_system=None)
    with console.capture() as capture:
        console.print(render(drawing))
    return [line.rstrip() for line in capture.get().split("\n")]


def outlines(drawing: Drawing) -> dict[str, list[str]]:
    return {row.label: [plain(run) for run in row.outline] for row in drawing.rows}


def test_a_template_holds_what_changes(drawn: Drawing) -> None:
    """Voice changes; tense and case do not, and are shown where a wrong answer changes them."""
    assert drawn.objects == ("subject", "verb", "object", "by", "when")
    assert outlines(drawn) == {
        "1": ["theme", "pass", "-", "-", "-"],
        "2": ["theme", "pass", "-", "agent", "yes"],
        "Correct": ["agent", "act", "theme", "-", "-"],
        "Passive": ["agent", "pass", "theme", "-", "-"],
        "Case": ["agent", "act", "theme oblique", "-", "-"],
        "Past": ["agent", "act past", "theme", "-", "-"],
    }


def test_values_called_present_and_objects_without_values() -> None:
    """The first is a value like others; the second are `+` where they are there."""
    found = compiled(
        """
phenomenon small
lexicon sets "load.csv"
objects
  agent       : NP
  verb        : V (voice, tense)
  when?, why? : adverb
attributes
  voice = act
  tense = present | past
  when  = present "now"
  why   = yes "thus"
frames
  clause = agent verb when why
matrix two = 4 items in clause
  verb.tense cycles past | present every 1
  when       cycles absent | present every 1
  why        cycles absent | yes every 1
"""
    )
    drawing = draw_instance(found, found.designs["two"], 0)
    assert drawing.objects == ("verb", "when", "why")
    shown = list(outlines(drawing).values())
    assert shown == [["past", "-", "-"], ["present", "+", "yes"]] * 2


def test_the_rules_that_are_broken_and_say_something_stand_below(drawn: Drawing) -> None:
    assert drawn.rules == (("E voice", "an active verb has an object"),)
    assert text_of(render(drawn)).endswith("\n\nE voice  an active verb has an object")


def test_what_is_drawn_depends_on_the_width(drawn: Drawing) -> None:
    """Cut sentences, whole ones, their rules below each other, sentences below templates."""
    cut = shown(drawn, 200)
    assert cut[2].split()[:10] == [*drawn.objects, *drawn.objects]
    width = max(map(len, cut))
    whole = shown(drawn, width - 1)
    assert whole[2].split() == [*drawn.objects, "sentence", "breaks"]
    below = shown(drawn, max(map(len, whole)) - 1)
    assert any(line.split() == ["R", "verb.voice"] for line in below)
    stacked = shown(drawn, max(map(len, below)) - 1)
    assert stacked[2].split() == list(drawn.objects)
    at = next(i for i, line in enumerate(stacked) if line.startswith("Case"))
    assert stacked[at].split() == "Case agent act theme oblique - - E E case".split()
    assert stacked[at + 1].strip() == "The gardeners spray with paint."


@pytest.mark.parametrize("width", [200, 120, 100, 80, 60, 40])
def test_nothing_is_lost_in_a_narrow_console(drawn: Drawing, width: int) -> None:
    for drawing in (drawn, without_outline(drawn)):
        lines = shown(drawing, width)
        assert all(len(line) <= width for line in lines)
        words = {word.strip(",") for word in " ".join(lines).split()}
        for row in drawing.rows:
            values = [plain(run) for run in row.outline]
            said = " ".join([row.label, plain(row.sentence), *row.broken, *values])
            assert set(said.split()) <= words


def test_a_matrix_can_be_drawn_without_its_template(drawn: Drawing) -> None:
    alone = without_outline(drawn)
    assert not alone.objects
    assert shown(alone, 200)[2].split()[:5] == list(drawn.objects)
    assert [row.words for row in alone.rows] == [row.words for row in drawn.rows]


@examples(30)
@given(grammars(answers=True))
def test_outlines_name_what_stands_in_a_sentence(grammar: GrammarText) -> None:
    """Each part has words iff it is overt, and all objects with words are parts."""
    found = compiled_grammar(grammar)
    for design in found.designs.values():
        for _, cells in design.cells:
            outliner = Outliner(cells)
            for cell in cells:
                parts = outliner.parts(cell)
                names = {p.object.name: p for p in cell.item.words if p.object is not None}
                assert {part.name for part in parts if part.overt and part.name} == set(names)
                leaves = {leaf.object.name for leaf in cell.item.leaves if leaf.object is not None}
                assert {part.name for part in parts if part.name} == leaves
