"""Partly crossed paradigms: which combinations of factors are cells, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product, starmap
from typing import NamedTuple

import pytest

from merula.compiler.compile import MAX_CELLS, MAX_COMBINATIONS, compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.design.cells import cells, crossed, variants
from merula.grammar import model as g
from merula.grammar.conditions import evaluate

GRAMMAR = """phenomenon pronouns
language en
lexicon sets "pronouns.csv"
objects
  pron : pron (person, gender)
  verb : verb (person)
  adv? : adv
attributes
  person = 1 | 2 | 3
  gender = m | f
external
  agreement: verb.person = pron.person
frames
  clause = [main pron verb adv]
  late   = [main pron verb] adv
"""
TABLE = """set,pron.1.m,pron.1.f,pron.2.m,pron.2.f,pron.3.m,pron.3.f,verb.1,verb.2,verb.3,adv
a,ego,ega,tu,tua,is,ea,amo,amas,amat,hodie
b,ego,ega,tu,tua,is,ea,lego,legis,legit,cras
"""


def compiled(design: str) -> Compiled:
    return compile_source(
        Source("pronouns.merula", f"{GRAMMAR}{design}\n"), tables={"pronouns.csv": TABLE}
    )


def labels(design: str) -> list[str]:
    """The labels of the cells of a paradigm, which are the same in all variants."""
    grammar = compiled(f"paradigm cells = {design}")
    assert not grammar.failed, [p.render() for p in grammar.problems]
    of_variants = {tuple(c.label for c in made) for _, made in grammar.designs["cells"].cells}
    (only,) = of_variants
    assert all(len(plan.cells) == len(only) for plan in grammar.designs["cells"].plans)
    return list(only)


FACTORS = "pron.person × pron.gender × verb.person in clause"


class Values(NamedTuple):
    """The values of the factors of `FACTORS` in a cell."""

    person: str
    gender: str
    verb: str


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("pron.person = 3 or pron.gender = m", lambda c: c.person == "3" or c.gender == "m"),
        ("pron.person = verb.person", lambda c: c.person == c.verb),
        ("pron.person != verb.person", lambda c: c.person != c.verb),
        (
            "not (pron.person = 1 | 2 and pron.gender = f)",
            lambda c: c.person == "3" or c.gender == "m",
        ),
        (
            "not pron.person = 1 and verb.person = 1 | 2",
            lambda c: c.person != "1" and c.verb != "3",
        ),
        ("pron inside main and pron.gender = f", lambda c: c.gender == "f"),
        (
            "pron.gender = m or pron.person = 2 and verb.person != 2",
            lambda c: c.gender == "m" or (c.person == "2" and c.verb != "2"),
        ),
    ],
)
def test_a_cell_stays_where_the_test_is_true(test: str, holds: Callable[[Values], bool]) -> None:
    every = [" ".join(x) for x in starmap(Values, product("123", "mf", "123")) if holds(x)]
    assert labels(f"{FACTORS} where {test}") == every
    assert 0 < len(every) < 18


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("not adv = absent or pron.gender = m", ["m absent", "m present", "f present"]),
        ("adv inside main or pron.gender = m", ["m absent", "m present", "f present"]),
        ("not adv inside main", []),
        ("adv and not pron.gender = f", ["m present"]),
    ],
)
def test_what_is_undecided_is_left_out(test: str, expected: list[str]) -> None:
    design = f"pron.gender × adv(absent | present) in clause where {test}"
    if expected:
        assert labels(design) == expected
    else:
        assert [p.code for p in compiled(f"paradigm cells = {design}").problems] == ["M438"]


def test_a_test_sees_what_rules_determine() -> None:
    assert labels("pron.person × pron.gender in clause where verb.person = 2") == ["2 m", "2 f"]


def test_the_tail_has_any_order() -> None:
    parts = ["in clause", "varying adv", "with verb.person = 3", "where pron.gender = f"]
    texts = {" ".join([*parts[i:], *parts[:i]]) for i in range(4)}
    found = {tuple(labels(f"pron.person × pron.gender {text}")) for text in texts}
    assert found == {("1 f", "2 f", "3 f")}


@pytest.mark.parametrize(
    ("design", "code"),
    [
        (f"{FACTORS} where pron.person = 1 and pron.person = 2", "M438"),
        (f"{FACTORS} where adv with adv = absent", "M438"),
        (f"{FACTORS} where pron.person = 1 or pron.person = 2 | 3", "M439"),
        ("pron.gender in clause varying pron.person where pron.person = 1", "M440"),
        ("pron.gender × adv in clause | late where adv inside main", "M440"),
        ("pron.gender in clause varying adv where adv or pron.gender = m", "M440"),
    ],
)
def test_a_test_has_to_leave_some_cells_the_same_in_all_variants(design: str, code: str) -> None:
    grammar = compiled(f"paradigm cells = {design}")
    (problem,) = grammar.problems
    assert problem.code == code
    assert problem.severity == ("warning" if code == "M439" else "error")
    (label,) = problem.labels
    assert label.span.text == design.partition(" where ")[2].partition(" with ")[0]
    assert ("cells" in grammar.designs) is (code == "M439")


def test_a_feature_of_lexemes_is_not_for_where() -> None:
    table = "lemma,category,1,2,3,kind\nego,pron,ego,tu,is,a\nnos,pron,nos,vos,ei,b\n"
    text = (
        'phenomenon p\nlexicon "p.csv"\nobjects\n  pron : pron (person)\n'
        "attributes\n  person = 1 | 2 | 3\nframes\n  clause = pron\n"
        "paradigm cells = pron.person where pron.kind = a or pron.person = 1"
    )
    grammar = compile_source(Source("p.merula", text), tables={"p.csv": table})
    (problem,) = grammar.problems
    assert problem.code == "M440"
    assert "`select`" in problem.remedy


def test_a_contested_cell_that_is_left_out_contests_nothing() -> None:
    contested = "contested\n  odd: pron.person = 2 and pron.gender = f\n"
    design = "paradigm cells = pron.person × pron.gender in clause"
    whole = compile_source(
        Source("p.merula", f"{GRAMMAR}{contested}{design}"), tables={"pronouns.csv": TABLE}
    )
    assert [p.code for p in whole.problems] == ["M432"]
    some = f"{design} where not (pron.person = 2 and pron.gender = f)"
    part = compile_source(
        Source("p.merula", f"{GRAMMAR}{contested}{some}"), tables={"pronouns.csv": TABLE}
    )
    assert [p.code for p in part.problems] == []
    assert len(part.designs["cells"].cells[0][1]) == 5


def test_instances_need_only_the_contrasts_of_cells_that_are_left() -> None:
    """Forms that are alike in cells which are left out leave no lexeme out."""
    alike = TABLE.replace("ego,ega", "ego,ego").replace("tu,tua", "tu,tu")
    designs = {
        "": 0,
        " where pron.person = 3 or pron.gender = m": 2,
        " where pron.person = 2 | 3 or pron.gender = f": 0,
    }
    for where, count in designs.items():
        text = f"{GRAMMAR}paradigm cells = pron.person × pron.gender in clause{where}"
        grammar = compile_source(Source("p.merula", text), tables={"pronouns.csv": alike})
        assert grammar.designs["cells"].count == count


# --- many combinations ---------------------------------------------------------------------------


def large(factors: int, where: str) -> Compiled:
    """A grammar of so many factors of ten values, without a lexicon."""
    names = [f"n{i}" for i in range(factors)]
    text = (
        f"phenomenon large\nobjects\n  {', '.join(names)} : NP (case)\n"
        f"attributes\n  case = {' | '.join('abcdefghij')}\nframes\n  clause = {' '.join(names)}\n"
        f"paradigm p = {' × '.join(f'{name}.case' for name in names)} {where}"
    )
    return compile_source(Source("large.merula", text))


@pytest.mark.parametrize(
    ("factors", "where", "message"),
    [
        (4, "", "p has 10,000 cells; 1,000 are the most"),
        (4, "where n0.case = a", ""),
        (4, "where n0.case = a | b", "p may have 2,000 cells; 1,000 are the most"),
        (4, "where n0.case = n1.case and n1.case = n2.case", ""),
        (5, "where n0.case = a and n1.case = n2.case and n3.case = b", ""),
        (6, "where n0.case = a and n1.case = n2.case and n3.case = b and n4.case = c",
         "the factors of p have 1,000,000 combinations, too many to test; 100,000 are the most"),
    ],
)  # fmt: skip
def test_cells_that_may_be_left_are_counted(factors: int, where: str, message: str) -> None:
    assert (MAX_CELLS, MAX_COMBINATIONS) == (1_000, 100_000)
    problems = [p for p in large(factors, where).problems if p.code != "M113"]
    assert [(p.code, p.message) for p in problems] == ([("M506", message)] if message else [])


@pytest.mark.parametrize(
    "test", ["not pron.person = 1 or verb.person = 2", "pron inside main and verb.person != 3"]
)
def test_combinations_are_left_out_early_only_where_they_are_no_cells(test: str) -> None:
    grammar = compiled(f"paradigm p = {FACTORS} where {test}").grammar
    assert grammar is not None
    (design,) = grammar.designs
    assert isinstance(design, g.Paradigm)
    assert design.where is not None
    assert design.where.text == test
    (variant,) = variants(grammar, design)
    left = {" ".join(p.label for p in points) for points in crossed(design, variant.given)}
    made, _ = cells(grammar, design, variant)
    assert {cell.label for cell in made} <= left
    for cell in made:
        assert evaluate(design.where.test, cell.item.values.get, cell.item.places.get) is True


def test_a_filler_that_is_undecided_is_not_left_out_early() -> None:
    """What fills a position may be found by a rule, so a test about it is decided last."""
    text = """phenomenon roles
objects
  agent, patient : NP (number)
  subject        : position
  verb           : verb (voice, number)
attributes
  subject = agent | patient
  number  = sg | pl
  voice   = act | pass
external
  roles: verb.voice = act -> subject = agent else subject = patient
frames
  clause = subject verb
paradigm p = verb.voice × verb.number × agent.number
  where not verb.number = subject.number with patient.number = pl
"""
    grammar = compile_source(Source("roles.merula", text))
    made = [cell.label for cell in grammar.designs["p"].cells[0][1]]
    assert made == ["act sg pl", "act pl sg", "pass sg sg", "pass sg pl"]
