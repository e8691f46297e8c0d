"""Random grammars and tables: all are valid, they shrink, and everything occurs in them."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.strategies import SearchStrategy

import merula
from merula.core.diagnostics import Report
from merula.lexicon.oddities import check_table
from merula.lexicon.table import TableFormat, clean
from merula.strategies import GrammarText, TableText, grammars, lexicons
from merula.strategies.inventing.mending import STEPS, mended, plainest
from merula.strategies.inventing.sketch import Wanted
from merula.strategies.inventing.whole import drawn
from random_grammars import compiled_grammar

# --- grammars: valid -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"design": "paradigm"},
        {"design": "matrix"},
        {"answers": True},
        {"crossed": True},
        {"language": "it"},
        {"language": ""},
    ],
    ids=str,
)
def test_all_compile_and_have_what_is_asked_for(wanted: dict[str, Any]) -> None:
    seen = 0

    # Neither rejected draws nor slow or large ones: the health checks are on.
    @settings(max_examples=60, database=None, derandomize=True, phases=[Phase.generate])
    @given(grammars(**wanted))
    def check(grammar: GrammarText) -> None:
        nonlocal seen
        seen += 1
        found = compiled_grammar(grammar)
        assert not found.failed, [p.render() for p in found.problems]
        assert found.designs
        assert all(design.count for design in found.designs.values())
        kinds = {design.kind for design in found.designs.values()}
        if "design" in wanted:
            assert wanted["design"] in kinds
        if "answers" in wanted or "crossed" in wanted:
            assert "answers" in grammar.text
        if "crossed" in wanted:
            assert " crossed\n" in grammar.text
        if "language" in wanted:
            assert grammar.compile().language == wanted["language"]

    check()
    assert seen == 60


def test_few_drafts_need_mending() -> None:
    """Most of what is drawn is valid as it stands; nothing falls back on the plainest grammar."""
    steps: Counter[int] = Counter()

    @st.composite
    def drafts(draw: Callable[[SearchStrategy[Any]], Any]) -> Any:
        return drawn(draw, Wanted())

    @settings(max_examples=150, database=None, derandomize=True, phases=[Phase.generate])
    @given(drafts())
    def check(draft: Any) -> None:
        steps[mended(draft, Wanted()).steps] += 1

    check()
    assert steps[0] > 125
    assert steps[STEPS] <= 3


@pytest.mark.parametrize("design", [None, "paradigm", "matrix"])
@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("crossed", [False, True])
def test_the_plainest_grammar_compiles(design: str | None, answers: bool, crossed: bool) -> None:
    if design != "paradigm" or not (answers or crossed):
        parts = plainest(Wanted(design, answers, crossed, "fr"))
        assert not compiled_grammar(parts).failed


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"design": "paradigms"}, "design='paradigms' is none of None, 'paradigm', 'matrix'"),
        ({"answers": "yes"}, "answers='yes' is none of False, True"),
        ({"crossed": 2}, "crossed=2 is none of False, True"),
        ({"language": "xx"}, "language='xx' is none of None, '', 'de', 'en', 'es', 'fr', 'it'"),
        (
            {"design": "paradigm", "answers": True},
            "design='paradigm' has no answers, but answers=True asks for some",
        ),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        grammars(**wrong)


# --- grammars: what occurs -----------------------------------------------------------------------

CONSTRUCTS = {
    "a language": r"^language \w+$",
    "a doc string": r'^phenomenon random "',
    "sets": r'^lexicon sets "',
    "lexemes of a category": r'^lexicon noun "',
    "lexemes with a column": r'^lexicon "',
    "objects of one line": r"^  \w+\??, \w+",
    "an optional object": r"^  .*\w\?.* : ",
    "a fixed value": r"\(number = (?:sg|pl)",
    "a position": r" : position$",
    "kinds": r'^  comp = yes "',
    "several words": r'no "[^"]*", "',
    "words of a value": r"^  det\.def = ",
    "a word of a column": r" verb\.prep",
    "sites": r"^  npi\.site = ",
    "external": r"^external$",
    "internal": r"^internal$",
    "a condition": r": .* -> ",
    "else in a rule": r" -> .* else ",
    "needs": r" needs ",
    "inside": r" inside dom",
    "ignores": r" ignores ",
    "or in a rule": r"^  \w+: .* or ",
    "and in a rule": r"^  \w+: .* and ",
    "a demand": r": verb\.complement = comp",
    "a lexical feature": r"\.gender",
    "is": r"^  \w+(?:, \w+)* is \w",
    "a selection of a word": r" is verb\.wants",
    "not in a selection": r" is not proper",
    "a column": r" is sort = ",
    "differ": r" differ$",
    "share": r" share scene$",
    "a bracket": r"\[dom ",
    "a frame in a frame": r"^  outer = ",
    "a free choice": r"= [^:]*\([^:]+\|",
    "a guard": r"\((?:not )?\w+(?:\.\w+)?[^|]*: ",
    "unequal": r" != ",
    "a site": r"@near",
    "a paradigm": r"^paradigm ",
    "×": " × ",
    "*": r" \* ",
    "values of a factor": r"^paradigm .*\((?:sg|pl)",
    "in": r"^(?:paradigm|matrix) .* in main",
    "several frames": r" in (?:main|outer|outmost) \| ",
    "varying": r" varying ",
    "with": r" with \w+(?:\.\w+)? = ",
    "cycles": r" cycles ",
    "some of the values": r" cycles 2 of ",
    "absent": r"absent",
    "under": r" under I$",
    "an item table": r"^matrix base = items",
    "a copy": r"^matrix copy = base$",
    "items exchanged": r"^matrix turned = base swap 1, 2$",
    "answers": r"^answers$",
    "answers for": r"^answers for base",
    "crossed": r"^answers.* crossed$",
    "flip": r": flip ",
    "set": r": set ",
    "set to a path": r"set verb\.number = subj\.number",
    "unshown": r" = unshown",
    "add like": r"add \w+ like subj",
    "drop": r" drop ",
    "swap": r"swap \w+, \w+",
    "swap values": r"swap \w+\.\w+, ",
    "replace with words": r'replace \w+ with "',
    "replace with an object": r"replace \w+ with \w",
    "replace a value's words": r"replace det\.def with",
    "embed": r"embed \w+ in \w+",
    "keeping": r" keeping ",
    "several edits": r"^  [^(]*: [^\"]*, ",
    "else": r"^  .*: .* else ",
    "a label between quotation marks": r'^  "a label"',
}


def empty_columns(grammar: GrammarText) -> set[str]:
    """The columns of a table of several categories that one of these does not fill."""
    header, *rows = (line.split("\t") for line in grammar.tables.get("words.tsv", "").split("\n"))
    filled: dict[str, set[str]] = {}
    for row in rows[:-1]:
        held = {title for title, cell in zip(header, row, strict=True) if cell}
        filled.setdefault(row[0], set()).update(held)
    return {title for title in header for held in filled.values() if title not in held}


def test_everything_occurs() -> None:
    seen: Counter[str] = Counter()
    patterns = {name: re.compile(own, re.MULTILINE) for name, own in CONSTRUCTS.items()}
    empty = {f"empty {title}" for title in ("sg", "pl.coord", "prs", "m", "sort")}
    wanted = {*CONSTRUCTS, *empty}

    class Complete(Exception):
        """Everything has occurred."""

    @settings(
        max_examples=1_500,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    @given(st.one_of(grammars(), grammars(answers=True), grammars(crossed=True)))
    def look(grammar: GrammarText) -> None:
        seen.update(name for name, own in patterns.items() if own.search(grammar.text))
        seen.update(f"empty {title}" for title in empty_columns(grammar))
        if wanted <= seen.keys():
            raise Complete

    with suppress(Complete):  # then more examples tell nothing
        look()
    assert wanted - seen.keys() == set()


# --- grammars: what is reported ------------------------------------------------------------------


# Explaining a failure takes longer than all else and tells nothing here.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]


def smallest(strategy: SearchStrategy[Any], fault: Callable[[Any], bool], number: int = 300) -> Any:
    """What is reported of a test that fails where ``fault`` holds."""
    chosen = settings(max_examples=number, database=None, derandomize=True, phases=PHASES)
    return find(strategy, fault, settings=chosen)


PLAINEST = """\
phenomenon random
lexicon sets "sets.tsv"
objects
  subj : noun (number)
attributes
  number = sg | pl
frames
  main = subj
paradigm cells = subj.number

--- sets.tsv
subj.sg	subj.pl
dog	dogs
"""


def lines(grammar: GrammarText) -> int:
    return str(grammar).count("\n")


def test_the_plainest_grammar_is_reported() -> None:
    assert str(smallest(grammars(), lambda _: True)) == PLAINEST


FAULTS: dict[str, tuple[Callable[[GrammarText], bool], int]] = {  # and the lines it needs
    "a selection": (lambda grammar: "\nselect\n" in grammar.text, 2),
    "an optional object": (lambda grammar: "? : " in grammar.text, 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_makes_a_test_fail_is_reported_with_little_else(name: str) -> None:
    """In most runs with nothing else; Hypothesis may stop one step before, at an object more."""
    fault, needed = FAULTS[name]
    found = smallest(grammars(), fault)
    assert fault(found)
    assert lines(found) <= PLAINEST.count("\n") + needed + 4, found


def test_wrong_answers_are_reported_with_one_answer() -> None:
    found = smallest(grammars(answers=True), lambda _: True)
    assert found.text.endswith(
        "matrix base = 4 items\n  subj.number cycles sg | pl every 1\n"
        "answers\n  AE: flip subj.number\n"
    )


def test_a_report_can_be_pasted() -> None:
    @settings(database=None, derandomize=True, max_examples=50, phases=PHASES)
    @given(grammars(answers=True))
    def check(grammar: GrammarText) -> None:
        assert eval(repr(grammar)) == grammar
        assert hash(eval(repr(grammar))) == hash(grammar)
        assert "AE" not in grammar.text

    with pytest.raises(AssertionError) as raised:
        check()
    notes = "\n".join(raised.value.__notes__)
    assert 'GrammarText(\n    """\\\nphenomenon random\n' in notes
    assert "        'sets.tsv': (\n            'subj.sg\\tsubj.pl\\n'\n" in notes


def test_the_same_draws_give_the_same_grammars() -> None:
    def texts() -> list[str]:
        found: list[str] = []

        @settings(max_examples=40, database=None, derandomize=True, phases=[Phase.generate])
        @given(grammars())
        def note(grammar: GrammarText) -> None:
            found.append(str(grammar))

        note()
        return found

    one = texts()
    assert one == texts()
    assert len(set(one)) > 20


GIVEN = GrammarText("phenomenon given\n", {})


def test_examples_are_given_and_failures_come_again() -> None:
    base = InMemoryExampleDatabase()
    seen: list[GrammarText] = []

    @settings(database=base, max_examples=30, phases=PHASES)
    @example(GIVEN)
    @given(grammars())
    def check(grammar: GrammarText) -> None:
        seen.append(grammar)
        assert grammar == GIVEN or "matrix" not in grammar.text

    for _ in range(20):
        try:
            check()
        except AssertionError:
            break
    assert seen[0] == GIVEN
    reported = seen[-1]
    seen.clear()
    with pytest.raises(AssertionError):
        check()
    assert str(seen[1]) == str(reported)  # right after the one that is given


# --- grammars: files -----------------------------------------------------------------------------


def test_a_grammar_can_be_saved_and_loaded(tmp_path: Path) -> None:
    @settings(max_examples=20, database=None, derandomize=True, phases=[Phase.generate])
    @given(grammars())
    def check(grammar: GrammarText) -> None:
        path = grammar.save(tmp_path)
        assert path == tmp_path / "random.merula"
        loaded = merula.load(path)
        assert {name: d.count() for name, d in loaded.items()} == {
            name: d.count() for name, d in grammar.compile().items()
        }

    check()


def test_a_faulty_grammar_says_what_is_wrong() -> None:
    with pytest.raises(merula.MerulaError, match="M"):
        GrammarText("phenomenon x\nparadigm p = q\n", {}).compile()
    assert eval(repr(GrammarText('a "b"', {"c": ""}))) == GrammarText('a "b"', {"c": ""})
    odd = GrammarText('a \\ """\n', {"c'": 'x\\y"\n', "d": "no end"})
    assert eval(repr(odd)) == odd


# --- tables --------------------------------------------------------------------------------------

TABLES: list[dict[str, Any]] = [
    {},
    {"category": "verb", "forms": ("prs.sg", "prs.pl", "pst.sg", "pst.pl")},
    {"forms": (), "features": {"sort": ("a", "b", "c")}},
    {"category": None, "forms": ("subj.sg", "subj.pl", "adv"), "features": {"scene": ("x",)}},
    {"words": st.text(), "features": {"sort": ("a", "b")}},
    {"words": st.just("x"), "rows": (3, 6)},
    {"language": "fr", "forms": ("nom", "gen", "gift")},
]


@pytest.mark.parametrize("options", TABLES, ids=lambda options: " ".join(options) or "plain")
def test_tables_are_accepted(options: dict[str, Any]) -> None:
    """By the checks of a table alone, and by a grammar that declares its forms."""

    @settings(max_examples=40, database=None, derandomize=True, phases=[Phase.generate])
    @given(lexicons(**options))
    def check(table: TableText) -> None:
        report = Report()
        assert check_table(table.name, table.text.encode(), TableFormat(), report) is not None
        assert not report.failed, [p.render() for p in report.items]
        least, most = options.get("rows", (1, 5))
        assert least <= len(table.rows) <= most
        assert all(len(row) == len(table.header) for row in table.rows)
        found = merula.compile(grammar_of(table), tables={table.name: table.text})
        (design,) = found.values()
        assert design.count() > 0
        assert eval(repr(table)) == table

    check()


def grammar_of(table: TableText) -> str:
    """A grammar that has all forms of a table in a paradigm."""
    objects: dict[str, list[tuple[str, ...]]] = {}
    sets = table.kind == "sets"
    for title in table.header:
        name, *values = title.split(".") if sets else ("word", *title.split("."))
        if title not in ("lemma", "sort", "scene"):
            objects.setdefault(name, []).append(tuple(values))
    lines, attributes, factors = [], [], []
    for name, columns in (objects or {"word": [()]}).items():
        axes = [list(dict.fromkeys(axis)) for axis in zip(*columns, strict=True)]
        assert list(product(*axes)) == columns
        names = [f"{name}{number}" for number in range(len(axes))]
        category = "NP" if sets else table.kind
        lines.append(f"{name} : {category}" + (f" ({', '.join(names)})" if names else ""))
        attributes += [f"{a} = {' | '.join(v)}" for a, v in zip(names, axes, strict=True)]
        factors += [f"{name}.{a}" for a in names]
    if not factors:
        lines.append("other : other")
        attributes.append('other = yes "yes" | no "no"')
        factors.append("other")
    return "\n".join(
        [
            "phenomenon p",
            table.declaration,
            "objects",
            *(f"  {line}" for line in lines),
            "attributes" if attributes else "",
            *(f"  {line}" for line in attributes),
            f"frame f = {' '.join([*(line.split(' ')[0] for line in lines)])}",
            f"paradigm all = {' × '.join(factors)}",
            "",
        ]
    )


def cells(table: TableText) -> Iterator[str]:
    return (cell for row in table.rows for cell in row)


HARD: dict[str, Callable[[TableText], bool]] = {
    "forms that are the same": lambda t: any(r[1] == r[2] != "" for r in t.rows),
    "a missing form": lambda t: any("" in r[1:3] for r in t.rows),
    "several words": lambda t: any(" " in r[1] for r in t.rows),
    "an apostrophe": lambda t: any("'" in cell for cell in cells(t)),
    "a curly apostrophe": lambda t: any("’" in cell for cell in cells(t)),
    "an accent of its own": lambda t: any("\u0301" in cell for cell in cells(t)),
    "from right to left": lambda t: any("ש" in cell for cell in cells(t)),
    "a capital": lambda t: any(cell != cell.lower() for cell in cells(t)),
    "an empty feature": lambda t: any(r[3] == "" for r in t.rows),
    "every value": lambda t: any(r[3] == "*" for r in t.rows),
    "several values": lambda t: any(" | " in r[3] for r in t.rows),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_things_occur_and_are_reported_alone(name: str) -> None:
    found = smallest(lexicons(features={"sort": ("animal", "thing")}), HARD[name], 2_000)
    hard = [row for row in found.rows if HARD[name](TableText("", "", (), (row,)))]
    assert len(hard) == 1
    plain = [row for row in found.rows if row not in hard]
    assert plain == [(w, w, f"{w}s", "animal") for w in ("dog", "cat")[: len(plain)]]


def test_names_differ_once_they_are_read() -> None:
    words = st.sampled_from(("é", "e\u0301", "a b", "a  b", "o'clock", "o’clock", "\t", "\x00"))

    @settings(max_examples=100, database=None, derandomize=True)
    @given(lexicons(words=words, rows=(4, 8)))
    def check(table: TableText) -> None:
        lemmas = [clean(lemma) for lemma in table.column("lemma")]
        assert len(set(lemmas)) == len(lemmas)
        assert all(lemmas)

    check()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"category": "a noun"}, "category='a noun' is not the name"),
        ({"category": None}, "forms=('sg', 'pl') name no objects, as sets need: `subj.sg`"),
        ({"forms": ("sg", "sg")}, "forms=('sg', 'sg'): 'sg' can name no column, or not two"),
        ({"forms": "sg"}, "forms='sg' should be a list of names"),
        ({"forms": ("lemma",)}, "'lemma' can name no column"),
        ({"features": {"sg": ("a",)}}, "features={'sg': ('a',)}: 'sg' can name no column, or not"),
        ({"features": {"sort": ()}}, "features={'sort': ()}: 'sort' needs a list of values"),
        ({"language": "xx"}, "language='xx' is none of None, ''"),
        ({"words": "dog"}, "words='dog' is not a strategy"),
        ({"rows": (0, 3)}, "rows=(0, 3) is not a least and a most number of rows, from 1"),
        ({"rows": (3, 2)}, "rows=(3, 2) is not a least"),
    ],
    ids=str,
)
def test_wrong_arguments_of_tables_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        lexicons(**wrong)


def test_all_arguments_have_names() -> None:
    for signature in (inspect.signature(grammars), inspect.signature(lexicons)):
        kinds = {p.kind for p in signature.parameters.values()}
        assert kinds == {inspect.Parameter.KEYWORD_ONLY}
