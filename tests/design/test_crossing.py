"""Crossed answer sets: what makes them full, whatever the grammar; and edits that they rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.design.cells import Cell, Variant, edited, unshown_points
from merula.design.placement import Item
from merula.grammar import model as g
from merula.strategies import GrammarText, grammars
from random_grammars import compiled_grammar, examples

TABLE = {"s.tsv": "subj.sg\tsubj.pl\tn1.sg\tn1.pl\tverb.sg\tverb.pl\na\tb\tc\td\te\tf\n"}
AGREEMENT = """\
phenomenon x
lexicon sets "s.tsv"
objects
  subj : NP (number)
  n1?  : NP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj n1 verb
matrix m = 4 items
  subj.number cycles 2 of sg | pl          every 1
  n1          cycles 2 of absent | sg | pl every 2
"""


def compiled(text: str) -> Compiled:
    return compile_source(Source("x.merula", text), tables=TABLE)


def errors(text: str) -> list[str]:
    return [p.code for p in compiled(text).problems if p.severity == "error"]


def of_crossed(found: Compiled) -> list[tuple[g.Matrix, Variant, tuple[Cell, ...]]]:
    """The variants of the matrices whose answers are crossed, each with its answers."""
    return [
        (design.design, variant, tuple(cell for cell in cells if cell.role == "answer"))
        for design in found.designs.values()
        if isinstance(design.design, g.Matrix) and design.design.crossed
        for variant, cells in design.cells
    ]


def singles(design: g.Matrix) -> list[g.Answer]:
    return [answer for answer in design.answers if len(answer.steps) == 1]


# --- what holds for every crossed answer set -----------------------------------------------------


@examples(50)
@given(grammars(crossed=True))
def test_each_edit_is_in_half_of_the_answers(grammar: GrammarText) -> None:
    found = compiled_grammar(grammar)
    crossed = of_crossed(found)
    assume(crossed)
    for design, _, answers in crossed:
        names = [answer.label for answer in singles(design)]
        subsets = chain.from_iterable(combinations(names, n) for n in range(1, len(names) + 1))
        assert [cell.label for cell in answers] == ["Correct", *map("+".join, subsets)]
        done = Counter(name for cell in answers for name in cell.label.split("+"))
        assert all(done[name] * 2 == len(answers) for name in names)
        signatures = {frozenset(cell.broken) for cell in answers}
        assert len(signatures) == len(answers)
        assert answers[0].broken == ()


@examples(50)
@given(grammars(crossed=True), st.data())
def test_crossed_edits_may_be_done_in_any_order(drawn: GrammarText, data: st.DataObject) -> None:
    found = compiled_grammar(drawn)
    crossed = of_crossed(found)
    assume(crossed)
    grammar = found.grammar
    assert grammar is not None
    design, variant, (right, *wrong) = data.draw(st.sampled_from(crossed))
    unshown = tuple(unshown_points(design, variant))
    steps = {answer.label: answer.steps for answer in singles(design)}
    by_label = {cell.label: cell.item for cell in wrong}

    def outcome(labels: Sequence[str]) -> Item:
        chosen = [step for label in labels for step in steps[label]]
        return edited(grammar, variant.frame, chosen, right.item, unshown)

    for label, item in by_label.items():
        for order in permutations(label.split("+")):
            other = outcome(order)
            assert other.words == item.words
            assert other.solved.values == item.solved.values


@examples(60)
@given(grammars(crossed=True))
def test_what_is_unshown_is_in_no_item(grammar: GrammarText) -> None:
    """The value is one of the cycle's, and no item of the variant has it."""
    found = compiled_grammar(grammar)
    for report in found.designs.values():
        design = report.design
        if not isinstance(design, g.Matrix):
            continue
        for variant, cells in report.cells:
            shown = {
                (name, label)
                for cell in cells
                if cell.role == "context" or cell.label == "Correct"
                for name, label in cell.factors
            }
            points = dict(unshown_points(design, variant))
            for cycle in design.cycles:
                name = cycle.axis.name
                rest = {p.label for p in cycle.axis.points} - {v for n, v in shown if n == name}
                expected = rest if len(rest) == 1 else set()
                assert {p.label for n, p in points.items() if n == name} == expected


# --- what is refused -----------------------------------------------------------------------------


def test_a_full_crossing_is_fine() -> None:
    text = AGREEMENT + (
        "answers crossed\n"
        "  AE breaks E: flip verb.number\n"
        "  S breaks R: flip subj.number\n"
        "  N breaks R: set n1 = unshown\n"
    )
    assert not errors(text)
    assert len(of_crossed(compiled(text))) == 12


@pytest.mark.parametrize(
    ("values", "codes"), [("sg | pl | du", []), ("sg | pl | du | tr", ["M403"])]
)
def test_of_two_values_that_are_unshown_none_is_taken(values: str, codes: list[str]) -> None:
    """A cycle of two of four values leaves two, and does not say which of them is meant."""
    text = AGREEMENT.replace("number = sg | pl", f"number = {values}").replace(
        "n1          cycles 2 of absent | sg | pl every 2",
        f"n1.number cycles 2 of {values} every 2",
    )
    row = TABLE["s.tsv"].splitlines()
    table = {"s.tsv": f"{row[0]}\tn1.du\tn1.tr\n{row[1]}\tg\th\n"}
    source = Source("x.merula", text + "answers\n  N: set n1.number = unshown\n")
    found = compile_source(source, tables=table)
    assert [p.code for p in found.problems if p.severity == "error"] == codes


@pytest.mark.parametrize(
    ("answers", "codes"),
    [
        ("answers crossed\n  A: flip verb.number\n", ["M433"]),
        ("answers crossed\n", ["M433"]),
        (
            "answers crossed\n" + "".join(f"  A{n}: flip verb.number\n" for n in range(6)),
            ["M433"],
        ),
        (
            "answers crossed\n  A: flip verb.number\n  B: flip subj.number\n"
            "answers\n  C: set n1 = unshown\n",
            ["M433"],
        ),
        (
            "answers\n  C: set n1 = unshown\n"
            "answers for m crossed\n  A: flip verb.number\n  B: flip subj.number\n",
            ["M433"],
        ),
        (
            "answers crossed\n  A: flip verb.number\n  B: flip subj.number\n"
            "answers crossed\n  C: set n1 = unshown\n  D: flip subj.number\n",
            ["M433"],
        ),
        ("answers crossed\n  A: flip verb.number\n  A: flip subj.number\n", ["M102"]),
        (
            'answers crossed\n  A: flip verb.number\n  B: flip subj.number\n  "A+B": drop n1\n',
            ["M102"],
        ),
        ("answers crossed\n  A breaks R: flip verb.number\n  B: flip subj.number\n", ["M401"]),
        (
            "answers crossed\n  A: flip subj.number\n"
            '  B: replace n1 with "z" else add n1 like subj\n',
            ["M434"],
        ),
        (
            'answers crossed\n  A: replace subj with "y"\n  B: replace verb with "z"\n',
            ["M435"],
        ),
    ],
)
def test_what_is_no_full_crossing(answers: str, codes: list[str]) -> None:
    found = errors(AGREEMENT + answers)
    assert set(codes) <= set(found), found
    assert set(found) <= {*codes, "M402", "M435"}, found


# --- edits that commute --------------------------------------------------------------------------


def right_and_wrong(edits: str) -> tuple[Cell, Cell]:
    found = compiled(f"{AGREEMENT}answers\n  A: {edits}\n")
    assert found.grammar is not None
    cells = found.designs["m"].cells[0][1]
    by_label = {cell.label: cell for cell in cells}
    return by_label["Correct"], by_label["A"]


def value(cell: Cell, name: str) -> str:
    return next(x for v, x in cell.item.solved.values.items() if str(v) == name)


@examples(60)
@given(st.lists(st.sampled_from(("verb", "subj", "n1")), min_size=1, max_size=6))
def test_what_is_flipped_twice_is_as_before(names: list[str]) -> None:
    """A verb that is flipped has the other number than its subject, whenever that is flipped."""
    odd = {name for name, number in Counter(names).items() if number % 2}
    right, wrong = right_and_wrong(", ".join(f"flip {name}.number" for name in names))
    changed = {
        name
        for name in ("subj", "n1")
        if value(right, f"{name}.number") != value(wrong, f"{name}.number")
    }
    assert changed == odd - {"verb"}
    agrees = value(wrong, "verb.number") == value(wrong, "subj.number")
    assert agrees == ("verb" not in odd)
    assert ("E agreement" in wrong.broken) == ("verb" in odd)


def test_what_nothing_determines_any_more_is_still_flipped() -> None:
    """*The other than determined* is the other than the first value where no rule applies."""
    text = AGREEMENT.replace(
        "verb.number = subj.number", "subj.number = pl -> verb.number = pl"
    ).replace("2 of sg | pl ", "sg | pl ")
    one, other = (
        compiled(f"{text}answers\n  A: {edits}\n").designs["m"].cells[0][1][-1]
        for edits in ("flip verb.number, flip subj.number", "flip subj.number, flip verb.number")
    )
    assert value(one, "subj.number") == value(other, "subj.number") == "sg"
    assert value(one, "verb.number") == value(other, "verb.number") == "pl"


def test_a_value_that_is_set_is_flipped_no_more() -> None:
    _, wrong = right_and_wrong("flip verb.number, set verb.number = sg, flip subj.number")
    assert value(wrong, "verb.number") == "sg"


def test_one_senseless_edit_of_a_crossing_is_told_once() -> None:
    text = (
        AGREEMENT + "answers crossed\n  A: flip verb.number\n  B: drop n1\n  C: flip subj.number\n"
    )
    assert errors(text).count("M403") == 1


def test_in_a_table_nothing_cycles_that_could_be_unshown() -> None:
    text = AGREEMENT[: AGREEMENT.index("matrix")] + (
        "matrix m = items\n    | subj.number n1\n  1 | sg sg\n  2 | pl pl\n"
        "answers\n  N: set n1 = unshown\n"
    )
    (problem,) = compiled(text).problems
    assert problem.code == "M403"
    assert "write the value" in problem.remedy


POSITIONS = """\
phenomenon x
lexicon "w.csv", "v.csv"
objects
  verb  : verb (number)
  agent : agent
  theme{mark} : theme
  subject : position
attributes
  number  = sg | pl
  subject = agent | theme
external
  agreement: verb.number = subject.number{more}
frames
  clause = subject verb
paradigm p = subject
"""
WORDS = {
    "w.csv": "lemma,category,number\ndogs,agent,pl\ndog,agent,sg\ncat,theme,sg\ncats,theme,pl\n",
    "v.csv": "lemma,category,sg,pl\nrun,verb,runs,run\n",
}


def positions(**parts: str) -> list[str]:
    text = POSITIONS.format(**{"mark": "", "more": "", **parts})
    return [p.code for p in compile_source(Source("x.merula", text), tables=WORDS).problems]


def test_a_position_agrees_as_what_fills_it_does() -> None:
    """What fills a position may agree with it: of itself nothing is said."""
    assert positions() == []
    assert positions(more=", theme.number = subject.number") == []


def test_a_position_is_filled_by_what_is_always_there() -> None:
    assert "M122" in positions(mark="?")
