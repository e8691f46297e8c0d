"""Licensing: random frames with domains, interveners and holes against a model of the definition.

The model reads the constituents around a polarity item off the frame that was drawn, and asks the
definition of each pair of them. It shares no code with the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from pygments.token import Keyword, Name

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.grammar.program import read_program
from merula.language.format import formatted
from merula.language.highlight import MerulaLexer
from merula.show.overview import overview
from random_grammars import examples
from reference import interpret

DOMAINS = ("a", "b")
PLACES = ("one", "two", "low", "high")  # owners of constituents: two objects, two sites of a third
COLUMNS = ("opens", "intervenes", "frees")
KINDS = ("yes", "no")


@dataclass(frozen=True)
class Case:
    """A grammar that was drawn, with what the model needs to know of it.

    ``words`` says what each word does in each column. ``around`` are the constituents around the
    polarity item, from the outside in. ``third`` is an object with sites; ``fourth`` opens what its
    attribute says.
    """

    frame: str
    around: tuple[str, ...]
    words: Mapping[tuple[str, str], Mapping[str, frozenset[str]]]  # object, kind → column → domains
    outside: tuple[str, ...]
    varied: bool

    @property
    def text(self) -> str:
        barriers = f" outside {' | '.join(self.outside)}" if self.outside else ""
        crossed = "one × npi × third.site × fourth.opens"
        design = f"{crossed} varying two" if self.varied else f"two × {crossed}"
        return f"""\
phenomenon drawn
lexicon "words.csv"
objects
  one, two, third : opener
  fourth : opener
  npi : item
attributes
  one = yes "one-yes" | no "one-no"
  two = yes "two-yes" | no "two-no"
  third = yes "third-yes"
  third.site = low | high
  fourth = yes "fourth-yes"
  fourth.opens = none "none" | a "some"
  npi = yes "ever" | no "often"
external
  licensing: npi needs npi inside opens{barriers}
contested
  free: npi and npi inside frees
frames
  main = {self.frame}
paradigm p = {design}
"""

    @property
    def table(self) -> str:
        rows = [f"lemma,category,{','.join(COLUMNS)}"]
        for (name, kind), said in self.words.items():
            cells = (" | ".join(sorted(said[column])) for column in COLUMNS)
            rows.append(f"{name}-{kind},opener,{','.join(cells)}")
        return "\n".join(rows) + "\n"

    def compile(self, text: str = "") -> Compiled:
        return compile_source(
            Source("drawn.merula", text or self.text), tables={"words.csv": self.table}
        )

    # --- the model

    def says(self, name: str, column: str, factors: Mapping[str, str]) -> bool:
        """Whether a constituent is such a domain in a cell with these factors."""
        owner, _, domain = name.partition(".")
        if owner in ("low", "high"):
            if factors["third.site"] != owner:
                return False
            owner = "third"
        if owner == "fourth" and column == "opens":
            return factors["fourth.opens"] == domain
        kind = factors.get(owner, "yes")
        return domain in self.words[owner, kind][column] if domain else False

    def inside(self, column: str, factors: Mapping[str, str], outside: Sequence[str] = ()) -> bool:
        """Whether the item is in a domain that a word opens, and nothing lies between."""
        spoilt = [
            any(x == name or (x in COLUMNS and self.says(name, x, factors)) for x in outside)
            for name in self.around
        ]
        return any(
            self.says(name, column, factors) and not any(spoilt[i + 1 :])
            for i, name in enumerate(self.around)
        )


DOMAIN_NAMES = [f"{owner}.{domain}" for owner in (*PLACES, "fourth") for domain in DOMAINS]
subsets = st.frozensets(st.sampled_from(DOMAINS))


@st.composite
def cases(draw: st.DrawFn, *, free: bool = False) -> Case:
    """A frame in which every domain of every word is marked, in any order and any nesting."""
    names = draw(st.permutations([*DOMAIN_NAMES, "hole", "other"]))
    depth = draw(st.integers(0, 6))
    around = tuple(names[:depth])
    inner = draw(st.sampled_from(["npi", 'npi "x"', '"x" npi']))
    for name in reversed(around):
        left, right = draw(st.sampled_from([("", ""), ('"y" ', ""), ("", ' "y"')]))
        inner = f"[{name} {left}{inner}{right}]"
    rest = " ".join(f'[{name} "z"]' for name in names[depth:])
    frame = f'one two fourth @low "w" @high {inner} {rest}'
    words = {
        (name, kind): {
            column: draw(subsets) if free or column != "frees" else frozenset()
            for column in COLUMNS
        }
        for name, kind in [*product(("one", "two"), KINDS), ("third", "yes"), ("fourth", "yes")]
    }
    outside = draw(st.lists(st.sampled_from(("intervenes", "hole", *names[:2])), unique=True))
    return Case(frame, around, words, tuple(outside), draw(st.booleans()))


def everything(compiled: Compiled) -> Iterator[tuple[Mapping[str, str], bool]]:
    """The values of every cell that is made, with whether it breaks the rule."""
    assert not compiled.failed, [problem.render() for problem in compiled.problems]
    for variant, cells in compiled.designs["p"].cells:
        for cell in cells:
            yield {**dict(variant.choices), **dict(cell.factors)}, cell.broken == ("E licensing",)


@pytest.mark.slow
@examples(80)
@given(cases())
def test_a_label_is_what_the_definition_says(case: Case) -> None:
    number = 0
    for factors, broken in everything(case.compile()):
        licensed = case.inside("opens", factors, case.outside)
        assert broken == (factors["npi"] == "yes" and not licensed), factors
        if licensed != case.inside("opens", factors):
            event("something lies between")
        number += 1
    assert number == 32


@examples(60)
@given(cases(free=True))
def test_variants_with_a_contested_cell_are_left_out(case: Case) -> None:
    compiled = case.compile()
    kept = {
        two
        for two in KINDS
        if not any(
            case.inside("frees", {"one": one, "two": two, "third.site": site})
            for one, site in product(KINDS, ("low", "high"))
        )
    }
    if not case.varied:
        kept = kept if len(kept) == len(KINDS) else set()
    found = [problem.severity for problem in compiled.problems if problem.code == "M432"]
    event(f"{len(kept)} of 2 kept, {'varied' if case.varied else 'crossed'}")
    assert found == {0: ["error"], 1: ["warning"], 2: []}[len(kept)]
    if kept:
        assert {factors["two"] for factors, _ in everything(compiled)} == kept
    assert compiled.designs["p"].count == (len(kept) if case.varied else len(kept) // 2)


@examples(30)
@given(cases(free=True))
def test_the_compiler_means_what_the_reference_means(case: Case) -> None:
    compiled = case.compile()
    if compiled.failed:
        return
    assert compiled.grammar is not None
    source = Source("drawn.merula", case.text)
    lexicon = read_program(source, Report(), tables={"words.csv": case.table}).lexicon
    assert lexicon is not None
    design = compiled.designs["p"]
    meanings = list(interpret(compiled.grammar, lexicon, compiled.surface, design.design))
    assert [m.variant for m in meanings] == [variant for variant, _ in design.cells]
    for meaning, (_, cells) in zip(meanings, design.cells, strict=True):
        assert [(c.label, c.broken) for c in meaning.cells] == [(c.label, c.broken) for c in cells]
    assert sum(len(m.instances) for m in meanings) == design.count


@examples(30)
@given(cases(free=True))
def test_the_scope_is_the_same_whichever_word_stands_there(case: Case) -> None:
    """A place is `in` or `out` for all words of `one`, where nothing that they do lies between."""
    words = {key: {**said, "intervenes": frozenset[str]()} for key, said in case.words.items()}
    compiled = Case(case.frame, case.around, words, case.outside, varied=False).compile()
    if compiled.failed:
        return
    places: dict[str, set[object]] = {}
    for _, cells in compiled.designs["p"].cells:
        for cell in cells:
            places.setdefault(dict(cell.factors)["third.site"], set()).add(cell.scopes)
    assert all(len(scopes) == 1 for scopes in places.values())


@examples(30)
@given(cases(free=True))
def test_the_formatter_keeps_the_meaning(case: Case) -> None:
    loose = case.text.replace(".a ", " . a  ").replace(" | ", "|").replace(": ", ":")
    report = Report()
    now = formatted(Source("drawn.merula", loose), report)
    assert now is not None, [problem.render() for problem in report.items]
    assert formatted(Source("drawn.merula", now), report) == now
    one, other = case.compile(), case.compile(now)
    assert [p.code for p in one.problems] == [p.code for p in other.problems]
    if not one.failed:
        assert list(everything(one)) == list(everything(other))


# --- the net for words that no frame marks -------------------------------------------------------

SEEN = """\
phenomenon seen
lexicon "words.csv"
objects
  one : opener
  npi : item
attributes
  one = yes "no" | no "the"
  npi = yes "ever" | no "often"
external
  licensing: npi needs npi inside opens
frames
  main = one [one.a "x"] [one.b "y" npi] "end"
paradigm p = one × npi
"""
TABLE = "lemma,category,opens\nno,opener,a | b\nthe,opener,\n?,mark,a\nno one,pronoun,a\nten,x,no\n"


def codes(text: str, table: str = TABLE) -> list[str]:
    found = compile_source(Source("seen.merula", text), tables={"words.csv": table}).problems
    return [problem.code for problem in found]


def test_the_seen_grammar_is_fine() -> None:
    assert codes(SEEN) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"x"', '"No, x"', "M431"),
        ('"x"', '"x no"', "M431"),
        ('"x"', '"nothing x"', ""),
        ('"x"', '"no-nonsense x"', ""),
        ('"x"', '"ten x"', ""),  # a cell `no` marks nothing
        ('"end"', '"end?"', "M431"),
        ('"end"', '("end" | "no one")', "M431"),
        ('"end"', '(one: "end" | "no")', "M431"),
        ("[one.a", "[a", "M430"),
        ("[one.b", "[b", "M430"),
        ('no "often"', 'no "no"', "M431"),  # another category than the table's
        ("npi : item", "npi : opener", ""),
    ],
)
def test_a_marked_word_is_seen(old: str, new: str, found: str) -> None:
    assert SEEN.count(old) == 1
    assert codes(SEEN.replace(old, new)) == ([found] if found else [])


def test_a_marked_word_in_a_column_of_a_lexeme_is_seen() -> None:
    text = SEEN.replace('"end"', "verb link").replace(
        "attributes\n", "  verb : verb\n  link : link\nattributes\n  link = own verb.prep\n"
    )
    text = text.replace('"words.csv"', '"words.csv"\nlexicon verb "verbs.csv"')
    for prep, found in (("onto", []), ("no", ["M431"])):
        tables = {
            "words.csv": TABLE,
            "verbs.csv": f"lemma,sg,prep\nload,loads,{prep}\nput,puts,into\n",
        }
        problems = compile_source(Source("seen.merula", text), tables=tables).problems
        assert [p.code for p in problems] == found, [p.render() for p in problems]


def test_a_marked_word_in_a_lexical_set_is_seen() -> None:
    text = SEEN.replace('"end"', "place").replace("attributes\n", "  place : place\nattributes\n")
    text = text.replace('"words.csv"', '"words.csv"\nlexicon sets "sets.csv"')
    for words, found in (("at home", []), ("in no town", ["M431"])):
        tables = {"words.csv": TABLE, "sets.csv": f"place\n{words}\nin town\n"}
        problems = compile_source(Source("seen.merula", text), tables=tables).problems
        assert [p.code for p in problems] == found, [p.render() for p in problems]


# --- what is shown -----------------------------------------------------------------------------


def test_an_overview_has_the_contested_tests() -> None:
    more = 'contested\n  free "a doc": npi and not one\nframes'
    compiled = compile_source(
        Source("seen.merula", SEEN.replace("frames", more)), tables={"words.csv": TABLE}
    )
    found = {section.name: section.entries for section in overview(compiled).sections}
    assert found["contested"] == (("free", "npi and not one", "a doc"),)
    assert [rule[0] for rule in found["external"]] == ["licensing"]
    assert found["frames"][0][1] == 'one [one.a "x"] [one.b "y" npi] "end"'


# --- colours -------------------------------------------------------------------------------------


def test_domains_and_contested_cells_are_coloured() -> None:
    text = "contested\n  free: npi inside frees outside focus\nframes\n  m = neg [neg.scope npi]\n"
    kinds = {word: kind for _, kind, word in MerulaLexer().get_tokens_unprocessed(text)}
    assert kinds["contested"] == Keyword.Declaration
    assert kinds["free"] == Name.Function
    assert kinds["inside"] == kinds["outside"] == Keyword
    assert kinds["scope"] == Name.Attribute
    colours = [
        kind for _, kind, word in MerulaLexer().get_tokens_unprocessed(text) if word == "neg"
    ]
    assert colours == [Name, Name.Label]
