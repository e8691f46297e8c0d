"""What holds for every grammar: the compiler against the reference, and what changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise, product
from math import perm, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from merula.api import Grammar
from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.compiler.examples import ExampleParser
from merula.core.diagnostics import Report
from merula.core.resources import data_root
from merula.core.source import Source
from merula.design.cells import Cell
from merula.grammar import model as g
from merula.grammar.program import read_program
from merula.language.tokens import HEADS, KEYWORDS, scan
from merula.lexicon.surface import Surface, load_surface, plain_surface
from merula.plan.planner import Plan, PlanCell, phrases, slot_names
from merula.plan.relations import Constraint, ConstraintOrigin, Distinct
from merula.plan.space import Space
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.sentences import Spans, Writer
from merula.strategies import GrammarText, grammars
from merula.strategies.inventing.parts import Parts
from merula.strategies.inventing.sketch import Wanted
from merula.strategies.inventing.tongues import TONGUES
from merula.strategies.inventing.whole import grammar_parts
from random_grammars import claiming, compiled_grammar, examples, permuted
from reference import SizeError, interpret

MOST = 1_500  # choices of rows a variant may have, so that trying all of them stays quick
MOST_VARIANTS = 16


# --- the compiler and the reference --------------------------------------------------------------


def rows_of_plan(plan: Plan, surface: Surface) -> list[tuple[str, ...]]:
    """The sentences of all cells, by address; what is written in columns is checked one by one."""
    assert plan.count == plan.space.count
    addresses = np.arange(plan.count, dtype=np.int64)
    candidates = plan.space.unrank(addresses)
    rows, spans = [], []
    for address in range(plan.count):
        chosen = plan.space.unrank_one(address)
        assert chosen == tuple(int(column[address]) for column in candidates)
        assert plan.space.rank(chosen) == address
        assert plan.space.contains(chosen)
        texts = [phrases(plan.slots, cell, chosen) for cell in plan.cells]
        rows.append(tuple(surface.sentence(text) for text in texts))
        assert tuple(surface.composed(text) for text in texts) == rows[-1]
        spans += [
            spans_of(cell, text, surface) for cell, text in zip(plan.cells, texts, strict=True)
        ]
    for sentence, found in zip((text for row in rows for text in row), spans, strict=True):
        said = [sentence[start:end] for _, start, end in found]
        assert said == [text.strip() for text in said]
        assert all(one[2] <= other[1] for one, other in pairwise(found))
    for instances in (1, 7, 10**6):  # constituents of a slot each, of some, of as many as may be
        writer = Writer([plan], surface, instances=instances, spans=True)
        written = writer.write(np.zeros(plan.count, dtype=np.int64), [addresses])
        assert writer.texts(written.numbers).to_pylist() == [text for row in rows for text in row]
        assert_spans(writer.spans(np.zeros(plan.count, dtype=np.int64), written), spans)
        for name, slot, places in zip(slot_names(plan), plan.slots, candidates, strict=True):
            titles = list(writer.titles[name])
            found = written.lexemes[0][name].tolist()
            assert [titles[i] for i in found] == [slot.titles[i] for i in places]
    return rows


def spans_of(cell: PlanCell, texts: Sequence[str], surface: Surface) -> list[tuple[str, int, int]]:
    """Where the objects of a sentence stand, the obvious way."""
    found: list[tuple[str, int, int]] = []
    at, before = 0, None
    pieces = surface.pieces(texts)
    for i, (placed, text) in enumerate(zip(cell.cell.item.words, pieces, strict=True)):
        shown = text.rstrip(" ")
        if i == len(pieces) - 1 and surface.stop and not texts[-1].rstrip().endswith(surface.stop):
            shown = shown.removesuffix(surface.stop)
        name = placed.object.name if placed.object is not None else None
        if name is not None and name == before:
            _, start, end = found[-1]
            if shown:  # a word that was swallowed whole stands nowhere
                found[-1] = (name, at if start == end else start, at + len(shown))
        elif name is not None:
            found.append((name, at, at + len(shown)))
        at, before = at + len(text), name
    return found


def assert_spans(spans: Spans, expected: Sequence[Sequence[tuple[str, int, int]]]) -> None:
    every = [
        (spans.names[i], start, end)
        for i, start, end in zip(
            spans.objects.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True
        )
    ]
    bounds = spans.offsets.tolist()
    assert [every[a:b] for a, b in pairwise(bounds)] == expected


def small(compiled: Compiled) -> bool:
    designs = compiled.designs.values()
    return all(len(d.cells) <= MOST_VARIANTS and d.count <= MOST for d in designs)


def labels(cells: Sequence[Cell]) -> list[tuple[object, ...]]:
    return [(c.role, c.label, c.factors, c.broken, c.letter) for c in cells]


@examples(40)
@given(grammars(), st.integers(1, 9))
def test_rows_are_instances(program: GrammarText, chunk: int) -> None:
    """What is written for many variants together is what each instance says alone."""
    compiled = compiled_grammar(program)
    assume(small(compiled))
    for name, design in Grammar(compiled).items():
        if not design.count():
            continue
        made = RowMaker(compiled, compiled.designs[name], RowChoice(seed=5, spans=True))
        rows = [row for batch in made.batches(chunk=chunk) for row in batch.to_pylist()]
        assert rows == made.batch(0, made.size).to_pylist()
        for i in range(0, len(rows), made.rows_per_instance):
            instance = design[int(rows[i]["address"])]
            if design.kind == "matrix":
                by_label = {s.label: s for s in instance.answers}
                assert rows[i]["context"] == [s.text for s in instance.context]
                assert rows[i]["answers"] == [by_label[x].text for x in rows[i]["labels"]]
                assert rows[i]["labels"][rows[i]["correct"]] == "Correct"
            else:
                own = rows[i : i + made.rows_per_instance]
                assert [r["sentence"] for r in own] == [s.text for s in instance.cells]
                assert [tuple(r["broken"]) for r in own] == [s.broken for s in instance.cells]
            lexemes = rows[i].get("lexemes", {})
            assert {k: v for k, v in lexemes.items() if v is not None} == dict(instance.lexemes)


SAME_LEMMA = GrammarText(  # of a noun and a verb, which are two lexemes
    """phenomenon random
lexicon noun "noun.tsv"
lexicon verb "verb.tsv"
objects
  subj : noun (number)
  verb : verb (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
select
  subj, verb differ
frames
  main = "the" subj verb
paradigm cells = subj.number × verb.number
""",
    {
        "noun.tsv": "lemma\tsg\tpl\nwalk\twalk\twalks\n",
        "verb.tsv": "lemma\tsg\tpl\nwalk\ttires\ttire\n",
    },
)


@examples(120)
@given(grammars())
@example(SAME_LEMMA)
def test_the_compiler_means_what_the_reference_means(program: GrammarText) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    grammar = compiled.grammar
    assert grammar is not None
    source = Source("random.merula", program.text)
    lexicon = read_program(source, Report(), tables=program.tables).lexicon
    assert lexicon is not None
    for name, design in compiled.designs.items():
        try:
            meanings = list(
                interpret(grammar, lexicon, compiled.surface, design.design, limit=MOST)
            )
        except SizeError:
            event("too many choices")
            continue
        event(f"{design.kind} compared")
        assert [m.variant for m in meanings] == [variant for variant, _ in design.cells]
        plans = {id(plan.variant): plan for plan in design.plans}
        before: list[Counter[tuple[str, ...]]] = []
        count = 0
        for meaning, (variant, cells) in zip(meanings, design.cells, strict=True):
            assert labels(meaning.cells) == labels(cells)
            plan = plans.pop(id(variant), None)
            every = Counter(meaning.instances)
            if plan is None:  # it has no instances, or those of another variant
                assert not every or every in before, name
                continue
            before.append(every)
            count += len(meaning.instances)
            assert labels([c.cell for c in plan.cells]) == labels(cells)
            rows = rows_of_plan(plan, compiled.surface)
            assert Counter(rows) == Counter(meaning.instances), name
        assert not plans
        assert design.count == count
        assert design.count > 0, name  # else it has an error


@examples(200)
@given(grammars())
def test_no_sentence_is_both_good_and_bad(program: GrammarText) -> None:
    """In all rows of a design, by brute force."""
    compiled = compiled_grammar(program)
    assume(small(compiled))
    for name, design in compiled.designs.items():
        labels_of: dict[str, set[bool]] = {}
        for plan in design.plans:
            for row in rows_of_plan(plan, compiled.surface):
                for text, cell in zip(row, plan.cells, strict=True):
                    labels_of.setdefault(text, set()).add(cell.cell.acceptable)
        assert [text for text, every in labels_of.items() if len(every) > 1] == [], name
        if {True, False} <= {x for every in labels_of.values() for x in every}:
            event(f"good and bad sentences in a {design.kind}")
        if any(plan.left_out or plan.readable for plan in design.plans):
            event("a reading leaves something out")


@examples(120)
@given(grammars())
def test_no_instance_is_made_twice(program: GrammarText) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    for design in compiled.designs.values():
        for plan in design.plans:
            seen = set()
            for address in range(plan.count):
                chosen = plan.space.unrank_one(address)
                assert len(chosen) == len(plan.slots)
                texts = [phrases(plan.slots, cell, chosen) for cell in plan.cells]
                forms = tuple(tuple(" ".join(t.split()) for t in cell) for cell in texts)
                assert forms not in seen
                seen.add(forms)
    for design in compiled.designs.values():
        for plan in design.plans:
            for row in rows_of_plan(plan, compiled.surface):
                _contrasts(plan, row)


def _contrasts(plan: Plan, row: Sequence[str]) -> None:
    """Cells of a paradigm, and answers, are always different sentences."""
    for (one, first), (other, second) in combinations(zip(plan.cells, row, strict=True), 2):
        if one.cell.role == other.cell.role != "context":
            assert first != second, (one.cell.label, other.cell.label)


# --- the space -----------------------------------------------------------------------------------


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    slots = list(range(len(sizes)))
    constraints = []
    for _ in range(draw(st.integers(0, 4))):
        chosen = draw(st.permutations(slots))[: draw(st.integers(1, 3))]
        numbers = [draw(st.integers(1, 3)) for _ in chosen]
        groups = tuple(
            np.array([draw(st.integers(0, n - 1)) for _ in range(sizes[s])], dtype=np.int64)
            for s, n in zip(chosen, numbers, strict=True)
        )
        allowed = draw(st.lists(st.booleans(), min_size=prod(numbers), max_size=prod(numbers)))
        table = np.array(allowed, dtype=np.bool_).reshape(numbers)
        constraints.append(Constraint(tuple(chosen), groups, table, ConstraintOrigin("")))
    distinct = []
    left = draw(st.permutations(slots))
    while len(left) > 1 and draw(st.booleans()):
        number = draw(st.integers(2, len(left)))
        chosen, left = left[:number], left[number:]
        keys = tuple(
            np.array(draw(st.permutations(range(6)))[: sizes[s]], dtype=np.int64) for s in chosen
        )
        distinct.append(Distinct(tuple(chosen), keys, ConstraintOrigin("")))
    return Space(sizes, constraints, distinct)


def allowed(space: Space, chosen: Sequence[int]) -> bool:
    """Whether a combination satisfies all constraints, said once more."""
    for c in space.constraints:
        place = tuple(int(c.groups[i][chosen[s]]) for i, s in enumerate(c.slots))
        if not bool(c.table[place]):
            return False
    for d in space.distinct:
        keys = [int(d.keys[i][chosen[s]]) for i, s in enumerate(d.slots)]
        if len(set(keys)) < len(keys):
            return False
    return True


@examples(300)
@given(spaces())
def test_a_space_has_every_combination_once(space: Space) -> None:
    wanted = [c for c in product(*map(range, space.sizes)) if allowed(space, c)]
    assert space.count == len(wanted)
    found = space.unrank(np.arange(space.count, dtype=np.int64))
    rows = [tuple(int(column[i]) for column in found) for i in range(space.count)]
    assert sorted(rows) == wanted
    for address, row in enumerate(rows):
        assert space.rank(row) == address
        assert space.contains(row)
    event("empty" if not wanted else "not empty")


@examples(100)
@given(spaces(), st.data())
def test_a_restricted_space_has_what_is_left(space: Space, data: st.DataObject) -> None:
    left = [
        data.draw(st.lists(st.integers(0, size - 1), unique=True)) if size else []
        for size in space.sizes
    ]
    kept = [np.array(sorted(x), dtype=np.int64) for x in left]
    wanted = [c for c in product(*(x.tolist() for x in kept)) if allowed(space, c)]
    assert space.restricted(kept).count == len(wanted)


@examples(100)
@given(spaces())
def test_a_clash_is_irreducible(space: Space) -> None:
    assume(space.count == 0 and all(space.sizes))
    clash = space.clash()

    def count(parts: Sequence[Constraint | Distinct]) -> int:
        constraints = [x for x in parts if isinstance(x, Constraint)]
        return Space(space.sizes, constraints, [x for x in parts if isinstance(x, Distinct)]).count

    assert count(clash) == 0
    for item in clash:
        assert count([x for x in clash if x is not item]) > 0


def large_space(seed: int, size: int, slots: int) -> tuple[Space, int]:
    """A chain of slots, with its count reckoned over groups."""
    noise = np.random.default_rng(seed)
    groups = [noise.integers(0, 3, size) for _ in range(slots)]
    tables = [noise.random((3, 3)) < 0.7 for _ in range(slots - 1)]
    chain = [
        Constraint((i, i + 1), (groups[i], groups[i + 1]), table, ConstraintOrigin(""))
        for i, table in enumerate(tables)
    ]
    total = 0
    for way in product(range(3), repeat=slots):
        if all(bool(table[way[i], way[i + 1]]) for i, table in enumerate(tables)):
            total += prod(int((groups[i] == n).sum()) for i, n in enumerate(way))
    return Space([size] * slots, chain), total


@examples(15)
@given(st.integers(0, 10**6), st.sampled_from([(900, 6), (1000, 7), (3000, 6)]), st.data())
def test_large_spaces_are_exact(seed: int, shape: tuple[int, int], data: st.DataObject) -> None:
    space, total = large_space(seed, *shape)
    assert space.count == total
    assume(total > 10**12)
    _sampled(space, data)


@examples(10)
@given(st.sampled_from([(1003, 6), (1200, 7), (50, 3)]), st.data())
def test_a_falling_factorial_is_exact(shape: tuple[int, int], data: st.DataObject) -> None:
    size, slots = shape
    keys = tuple(np.arange(size, dtype=np.int64) for _ in range(slots))
    space = Space([size] * slots, (), [Distinct(tuple(range(slots)), keys, ConstraintOrigin(""))])
    assert space.count == perm(size, slots)
    _sampled(space, data)


@examples(10)
@given(st.data())
def test_components_multiply(data: st.DataObject) -> None:
    space = Space([1000] * 30)
    assert space.count == 1000**30
    _sampled(space, data)


def _sampled(space: Space, data: st.DataObject) -> None:
    addresses = data.draw(st.lists(st.integers(0, space.count - 1), min_size=1, max_size=20))
    addresses += [0, space.count - 1]
    dtype = np.int64 if space.count < 2**62 else object
    batch: NDArray[np.int64] = np.array(addresses, dtype=dtype)
    columns = space.unrank(batch)
    rows = [tuple(int(column[i]) for column in columns) for i in range(len(addresses))]
    for address, row in zip(addresses, rows, strict=True):
        assert space.unrank_one(address) == row
        assert allowed(space, row)
        assert space.rank(row) == address
    assert len(set(rows)) == len(set(addresses))


# --- what changes nothing ------------------------------------------------------------------------


def everything(compiled: Compiled) -> list[list[tuple[str, ...]]]:
    """The sentences of all designs by address."""
    return [
        [row for plan in design.plans for row in rows_of_plan(plan, compiled.surface)]
        for design in compiled.designs.values()
    ]


def assert_same(one: Compiled, other: Compiled) -> None:
    problems = [p.code for p in other.problems if p.severity == "error"]
    assert not other.failed, problems
    assert everything(one) == everything(other)
    for a, b in zip(one.designs.values(), other.designs.values(), strict=True):
        for (_, mine), (_, theirs) in zip(a.cells, b.cells, strict=True):
            for x, y in zip(mine, theirs, strict=True):
                assert x.letter == y.letter
                assert len(x.broken) == len(y.broken)


@examples(80)
@given(grammar_parts(), st.permutations([f"{c}{n}" for c in "zaMé" for n in range(12)]))
def test_other_names_change_no_data(program: Parts, new: list[str]) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    names = dict(zip(program.marked_names, new, strict=False))
    assert_same(compiled, compiled_grammar(program.renamed(names)))


@examples(80)
@given(grammar_parts(), st.data())
def test_the_order_of_rows_and_columns_changes_no_data(program: Parts, data: st.DataObject) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    tables = tuple(
        permuted(
            table,
            data.draw(st.permutations(range(len(table.rows)))),
            data.draw(st.permutations(range(len(table.header)))),
        )
        for table in program.lexicons
    )
    turned = replace(program, lexicons=tables)
    again = compiled_grammar(turned)
    assert_same(compiled, again)
    assert again.lexicon_digest == compiled.lexicon_digest
    assert again.grammar_digest == compiled.grammar_digest


COMMENTS = ("", "", "", "  # a comment", "   ", '\t# matrix items = 8 items " | é')
GAPS = ("", " ", " ", "   ", "\t", " \t ")


@st.composite
def layouts(draw: st.DrawFn, text: str) -> str:
    """A text with other spaces, comments and blank lines."""
    lines = []
    for line in text.splitlines():
        blank = st.sampled_from(("", "    ", "# a note", '   # a note: -> "'))
        lines += draw(st.lists(blank, max_size=2))
        tokens = list(scan(line))
        made = draw(st.sampled_from((" ", "  ", "\t", "       "))) if line[0] == " " else ""
        for number, token in enumerate(tokens):
            if number:
                last = tokens[number - 1]
                gap = draw(st.sampled_from(GAPS))
                apart = token.start > last.end
                words = {"NAME", "INT", "DASH"}
                if not gap and apart and {last.kind, token.kind} <= words:
                    gap = " "
                open_end = last.kind in ("COMMA", "EQUALS", "TIMES", "ARROW", "LPAR", "LSQB")
                if open_end and draw(st.integers(0, 9)) == 9:
                    gap = draw(st.sampled_from(("\n    ", "  # more\n  ", "\n\n\t")))
                made += gap
            made += token.text
        lines.append(made + draw(st.sampled_from(COMMENTS)))
    return "\n".join(lines) + draw(st.sampled_from(("", "\n", "\n\n# end", "\n   ")))


@examples(60)
@given(grammars(), st.data())
def test_layout_changes_no_data(program: GrammarText, data: st.DataObject) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    text = data.draw(layouts(program.text))
    assert_same(compiled, compiled_grammar(program, text))


# --- claims --------------------------------------------------------------------------------------


def derived(compiled: Compiled) -> dict[str, str]:
    """A true claim for every answer that breaks the same in all variants."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for design in compiled.designs.values():
        for _, cells in design.cells:
            for cell in cells:
                if cell.role == "answer":
                    found.setdefault(cell.label, set()).add(cell.broken)
    claims = {}
    for label, ways in found.items():
        if len(ways) == 1 and (broken := ways.pop()):
            letter = broken[0][0]
            rules = [rule[2:] for rule in broken if rule[0] == letter]
            plain = all(" " not in rule for rule in rules)
            if plain and not (letter == "R" and {"order", "words"} & set(rules)):
                claims[label] = f"{letter} {' '.join(rules)}"
    return claims


CLAIM_CODES = frozenset({"M401", "M412", "M423"})


@examples(120)
@given(grammar_parts(Wanted(answers=True)), st.data())
def test_a_wrong_claim_is_reported(program: Parts, data: st.DataObject) -> None:
    compiled = compiled_grammar(program)
    claims = derived(compiled)
    marks = {"AE": "~AE~", "WN": "~WN~", "Other": "~Other~", "a label": '"a label"'}
    claims = {marks[label]: claim for label, claim in claims.items() if label in marks}
    assume(claims)
    true = {label: f"breaks {claim}" for label, claim in claims.items()}
    assert not compiled_grammar(claiming(program, true)).failed, true
    label = data.draw(st.sampled_from(sorted(claims)))
    letter, *rules = claims[label].split(" ")
    others = [x for x in "EIR" if x != letter]
    assert compiled.grammar is not None
    names = [rule.name for rule in compiled.grammar.rules if rule.name not in rules]
    names += ["nothing", str(next(iter(compiled.grammar.variables.values())))]
    wrong = data.draw(
        st.one_of(
            st.sampled_from([f"{other} {' '.join(rules)}" for other in others]),
            st.sampled_from(others),
            st.sampled_from([f"{letter} {n}" for n in names if n not in rules]),
            st.sampled_from([f"{letter} {' '.join([*rules, n])}" for n in names]),
        )
    )
    assume(set(wrong.split(" ")[1:]) != set(rules) or wrong[0] != letter)
    failed = compiled_grammar(claiming(program, {**true, label: f"breaks {wrong}"}))
    codes = {p.code for p in failed.problems if p.severity == "error"}
    assert codes & CLAIM_CODES, (wrong, claims[label], codes)


# --- robustness ----------------------------------------------------------------------------------

SPRAY = """\
phenomenon spray_load "Spray/load alternation"
language en
lexicon sets "spray.tsv"
objects
  verb                       : V (voice)
  agent, theme, loc          : NP
  subject, object?, pp?, by? : position
attributes
  voice     = act | pass
  subject   = agent | theme | loc
  object    = theme | loc | agent
  object.as = bare | oblique
  pp        = theme "with" | loc verb.prep | agent "with"
  pp.as     = oblique | bare | embedded
  pp.prep   = own | other
  by        = agent "by"
external
  voice:      verb.voice = act -> object else not object
  category:   object.as = bare, pp.as = oblique | embedded
  government: pp.prep = own
internal
  linking: verb.voice = act -> subject = agent
frame
  clause = subject verb object pp by
matrix alt_atl = items in clause
     | subject  verb.voice  object  pp     by
  1  | agent    act         loc     theme  -
  2  | theme    pass        -       -      agent
  3  | theme    pass        -       loc    agent
  4  | agent    act         theme   loc    -
matrix atl_alt = alt_atl swap 1, 4
answers
  Passive breaks E voice: set verb.voice = pass
  Swap    breaks I linking: swap subject, pp
  ThAg    breaks I linking: set subject = theme, set object = agent, set pp = loc
"""
SPRAY_TABLE = (
    "set\tverb.act\tverb.pass\tverb.prep\tagent\ttheme\tloc\n"
    "s1\tloaded\twas loaded\tonto\tthe man\tthe hay\tthe cart\n"
    "s2\tsprayed\twas sprayed\ton\tthe girl\tthe paint\tthe wall\n"
)
QUESTIONS = """\
phenomenon npi_questions "NPIs in embedded questions"
language en
lexicon "nouns.tsv", "verbs.tsv"
objects
  D1, D2      : determiner
  N1, N2, obj : noun (number)
  V1, V2      : verb (number)
  licensor    : complementizer
  npi         : adverb
attributes
  D1 = def "the"
  D2 = def "the" | indef "a", "some"
  number = sg | pl
  licensor = yes "whether" | no "that"
  npi      = yes "ever" | no "often", "also", "clearly"
  npi.site = matrix | embedded
external
  agreement:  V1.number = N1.number, V2.number = N2.number
  complement: V1.complement = licensor      # wonder whether, say that
  licensing:  npi needs licensor and npi inside domain
select
  N1  is V1.subject
  N2  is V2.subject and not proper
  N1, N2 differ
  N1, V1 share scene
frame
  question = D1 N1 @matrix V1 licensor [domain D2 N2 @embedded V2 obj]
  longer = "so" question
paradigm ever = licensor × npi × npi.site
    in question
    varying N1.number (sg)
examples
  accept "the boy wonders whether the girl ever sees dog"
"""
NOUNS = (
    "lemma\tcategory\tsg\tpl\tsort\tproper\tscene\n"
    "boy\tnoun\tboy\tboys\tperson\t\tschool\n"
    "girl\tnoun\tgirl\tgirls\tperson\t\t*\n"
    "dog\tnoun\tdog\tdogs\tanimal\tyes\tschool | home\n"
)
VERBS = (
    "lemma\tcategory\tsg\tpl\tsubject\tcomplement\tscene\n"
    "wonder\tverb\twonders\twonder\tperson\tyes\t*\n"
    "say\tverb\tsays\tsay\tperson or animal\tno\tschool\n"
    "see\tverb\tsees\tsee\t*\t*\thome\n"
)
TABLES = {"spray.tsv": SPRAY_TABLE, "nouns.tsv": NOUNS, "verbs.tsv": VERBS}


def packaged() -> str:
    path = data_root() / "grammars" / "blm" / "agreement_fr.merula"
    return path.read_text(encoding="utf-8")


ALPHABET = st.one_of(
    st.sampled_from([*" \n\t\"\\#:=|,.()[]@?->→≠×*!–'’a10é\u0301\x00"]),
    st.characters(),
    st.sampled_from([*"\r\u2028\ufeff😀\u200b\x85\x1f²½", "\ud800"]),
)
WORDS = (
    "absent",
    "- ",
    '""',
    '" "',
    " keeping verb.number",
    "else ",
    "99999999999999999999",
    "in ",
)


def survives(
    text: str, tables: Mapping[str, str | bytes], source_name: str = "mutated.merula"
) -> Compiled:
    """Compile, render all that is found, and read its places."""
    source = Source(source_name, text)
    compiled = compile_source(source, tables=tables)
    for problem in compiled.problems:
        assert problem.render()
        json.dumps(problem.to_json())
        for label in problem.labels:
            span = label.span
            assert 0 <= span.start <= span.end <= len(span.source.text), problem
        assert isinstance(problem.sort_key(), tuple)
    assert compiled.failed == any(p.severity == "error" for p in compiled.problems)
    return compiled


@dataclass(frozen=True)
class Change:
    """A change at a place, both as fractions of the text."""

    at: float
    delete: int
    insert: str

    def apply(self, text: str) -> str:
        start = min(int(self.at * (len(text) + 1)), len(text))
        return text[:start] + self.insert + text[start + self.delete :]


changes = st.builds(
    Change,
    st.floats(0, 1),
    st.sampled_from((0, 1, 1, 2, 9)),
    st.one_of(st.just(""), ALPHABET, st.sampled_from(WORDS)),
)


@pytest.mark.parametrize("text", [SPRAY, QUESTIONS], ids=["spray", "questions"])
def test_the_texts_compile(text: str) -> None:
    compiled = survives(text, TABLES)
    assert compiled.grammar is not None
    assert compiled.grammar.designs
    assert not compiled.failed, [p.render() for p in compiled.problems]
    assert all(design.count for design in compiled.designs.values())


@examples(250)
@given(st.integers(0, 4), st.lists(changes, min_size=1, max_size=2))
def test_a_slip_is_a_diagnostic(number: int, slips: list[Change]) -> None:
    text = packaged() if number == 0 else (SPRAY, QUESTIONS)[number % 2]
    for slip in slips:
        text = slip.apply(text)
    survives(text, TABLES)


@examples(150)
@given(grammars(), st.lists(changes, min_size=1, max_size=2))
def test_a_slip_in_any_program_is_a_diagnostic(program: GrammarText, slips: list[Change]) -> None:
    text = program.text
    for slip in slips:
        text = slip.apply(text)
    survives(text, program.tables)


@st.composite
def shuffled(draw: st.DrawFn, text: str) -> str:
    """A text with some words in the place of others, and lines deleted, doubled or moved."""
    for _ in range(draw(st.integers(1, 3))):
        tokens = [token for token in scan(text) if token.kind != "NEWLINE"]
        word = draw(st.integers(0, 3)) > 0
        if tokens and word:
            one, other = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
            text = text[: one.start] + other.text + text[one.end :]
            continue
        lines = text.splitlines(keepends=True)
        if not lines:
            break
        line = lines.pop(draw(st.integers(0, len(lines) - 1)))
        for _ in range(draw(st.integers(0, 2))):
            lines.insert(draw(st.integers(0, len(lines))), line)
        text = "".join(lines)
    return text


@examples(200)
@given(grammars(), st.data())
def test_words_in_wrong_places_are_diagnostics(program: GrammarText, data: st.DataObject) -> None:
    survives(data.draw(shuffled(program.text)), program.tables)


@examples(150)
@given(st.sampled_from((SPRAY, QUESTIONS)), st.data())
def test_words_in_wrong_places_of_a_text_are_diagnostics(text: str, data: st.DataObject) -> None:
    survives(data.draw(shuffled(text)), TABLES)


@examples(150)
@given(grammars(), st.data())
def test_a_slip_in_a_table_is_a_diagnostic(program: GrammarText, data: st.DataObject) -> None:
    files: dict[str, str | bytes] = dict(program.tables)
    if not files:
        return
    name = data.draw(st.sampled_from(sorted(files)))
    text = str(files[name])
    for slip in data.draw(st.lists(changes, min_size=1, max_size=2)):
        text = slip.apply(text)
    files[name] = text.encode("utf-8", "surrogatepass")
    survives(program.text, files)


@examples(80)
@given(grammar_parts(), st.data())
def test_any_word_can_be_a_name(program: Parts, data: st.DataObject) -> None:
    """Words of the language are names wherever the language does not need them.

    Not tried are those that go on with an entry where they begin a line, and `set`, which names
    a column of its own in tables.
    """
    ambiguous = {"and", "or", "else", "in", "varying", "with", "keeping", "set"}
    compiled = compiled_grammar(program)
    assume(small(compiled))
    old = data.draw(st.sampled_from(program.marked_names))
    new = data.draw(st.sampled_from(sorted({*HEADS, *KEYWORDS} - ambiguous)))
    assert_same(compiled, compiled_grammar(program.renamed({old: new})))


# --- sentences -----------------------------------------------------------------------------------


@examples(60)
@given(grammars(), st.data())
def test_a_sentence_is_read_back(program: GrammarText, data: st.DataObject) -> None:
    compiled = compiled_grammar(program)
    assume(small(compiled))
    plans = [plan for design in compiled.designs.values() for plan in design.plans]
    assume(plans)
    plan = data.draw(st.sampled_from(plans))
    number = data.draw(st.integers(0, len(plan.cells) - 1))
    chosen = plan.space.unrank_one(data.draw(st.integers(0, plan.count - 1)))
    sentence = compiled.surface.sentence(phrases(plan.slots, plan.cells[number], chosen))
    cell = plan.cells[number].cell
    parser = ExampleParser(plans, compiled.surface)
    found = list(parser.readings(sentence))
    assert any(other.broken == cell.broken for _, other in found), sentence
    assert list(parser.readings(sentence + " qqq")) == []


@cache
def surface_of(code: str) -> Surface:
    if not code:
        return plain_surface()
    path = data_root() / "lexicons" / code / "surface.toml"
    return load_surface(path.read_text(encoding="utf-8"))


SMALL = {
    t.code: [*t.small, *t.nouns, *(w for ws in t.before.values() for w in ws), "", "de la", "du"]
    for t in TONGUES
}


@examples(500)
@given(st.sampled_from(sorted(SMALL)), st.data())
def test_a_sentence_is_written_piece_by_piece(code: str, data: st.DataObject) -> None:
    surface = surface_of(code)
    word = st.sampled_from([word for word in SMALL[code] if word])
    phrase = st.lists(word, min_size=1, max_size=3).map(" ".join)
    pieces = data.draw(st.lists(phrase, min_size=1, max_size=5))
    assert "".join(surface.pieces(pieces)) == surface.sentence(pieces)


def test_grammar_is_resolved_once() -> None:
    """Objects of two compilations are never equal: nothing may hang on their identity."""
    one, other = (compile_source(Source("q", QUESTIONS), tables=TABLES) for _ in range(2))
    assert isinstance(one.grammar, g.Grammar)
    assert isinstance(other.grammar, g.Grammar)
    assert one.grammar_digest == other.grammar_digest
    assert everything(one) == everything(other)


def test_the_packaged_grammar_is_where_it_was() -> None:
    assert Path(data_root() / "grammars" / "blm" / "agreement_fr.merula").is_file()
