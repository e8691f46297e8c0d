"""What changes between two grammars, against instances compared one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from keys import FRAME
from merula.api import Design, Instance, Sentence
from merula.changes import compare
from merula.changes.addresses import built_alike
from merula.changes.differences import Cause, CellChange, DesignDiff
from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled
from merula.core.source import Source
from merula.plan.relations import Constraint, ConstraintOrigin, Distinct
from merula.plan.space import Space
from merula.strategies.inventing.parts import Parts
from merula.strategies.inventing.whole import grammar_parts
from merula.strategies.tables import TableText
from random_grammars import compiled_grammar, examples, permuted

MOST = 600  # instances of a design, so that all can be compared


# --- random edits --------------------------------------------------------------------------------

Edit = Callable[[st.DrawFn, Parts], Parts]


def _table_edit(draw: st.DrawFn, program: Parts, change: Callable[..., TableText]) -> Parts:
    i = draw(st.integers(0, len(program.lexicons) - 1))
    tables = list(program.lexicons)
    tables[i] = change(tables[i])
    return replace(program, lexicons=tuple(tables))


def drop_row(draw: st.DrawFn, program: Parts) -> Parts:
    def change(table: TableText) -> TableText:
        assume(len(table.rows) > 1)
        gone = draw(st.integers(0, len(table.rows) - 1))
        return replace(table, rows=(*table.rows[:gone], *table.rows[gone + 1 :]))

    return _table_edit(draw, program, change)


def change_cell(draw: st.DrawFn, program: Parts) -> Parts:
    def change(table: TableText) -> TableText:
        row, other = (draw(st.integers(0, len(table.rows) - 1)) for _ in range(2))
        column = draw(st.integers(0, len(table.header) - 1))
        assume(table.header[column] not in ("set", "lemma", "category"))
        cells = list(table.rows[row])
        cells[column] = table.rows[other][column]
        return replace(table, rows=(*table.rows[:row], tuple(cells), *table.rows[row + 1 :]))

    return _table_edit(draw, program, change)


def turn_table(draw: st.DrawFn, program: Parts) -> Parts:
    def change(table: TableText) -> TableText:
        rows = draw(st.permutations(range(len(table.rows))))
        return permuted(table, rows, range(len(table.header)))

    return _table_edit(draw, program, change)


def drop_entry(draw: st.DrawFn, program: Parts) -> Parts:
    """Take away a selection, a rule or an answer."""
    places = [
        (i, j)
        for i, (head, entries) in enumerate(program.sections)
        if head.split()[0] in ("select", "external", "internal", "answers") and len(entries) > 1
        for j in range(len(entries))
    ]
    assume(places)
    i, j = draw(st.sampled_from(places))
    head, entries = program.sections[i]
    return _with(program, i, (head, (*entries[:j], *entries[j + 1 :])))


def change_words(draw: st.DrawFn, program: Parts) -> Parts:
    """Another text for quoted words of the attributes or frames."""
    places = [
        (i, j)
        for i, (head, entries) in enumerate(program.sections)
        if head in ("attributes", "frames")
        for j, entry in enumerate(entries)
        if '"' in entry
    ]
    assume(places)
    i, j = draw(st.sampled_from(places))
    head, entries = program.sections[i]
    parts = entries[j].split('"')
    at = draw(st.sampled_from(range(1, len(parts), 2)))
    parts[at] = draw(st.sampled_from(("other", "x", "l'", *parts[1::2])))
    return _with(program, i, (head, (*entries[:j], '"'.join(parts), *entries[j + 1 :])))


def change_frame(draw: st.DrawFn, program: Parts) -> Parts:
    """Words before a frame, or two of its items exchanged."""
    i = next(i for i, (head, _) in enumerate(program.sections) if head == "frames")
    head, entries = program.sections[i]
    name, _, items = entries[0].partition(" = ")
    words = items.split(" ")
    swappable = [
        n for n in range(len(words) - 1) if all(w[:1] == "~" == w[-1:] for w in words[n : n + 2])
    ]
    turn: bool = draw(st.booleans())
    if swappable and turn:
        n = draw(st.sampled_from(swappable))
        words[n : n + 2] = reversed(words[n : n + 2])
    else:
        words.insert(0, '"x"')
    return _with(program, i, (head, (f"{name} = {' '.join(words)}", *entries[1:])))


def change_language(draw: st.DrawFn, program: Parts) -> Parts:
    i = next((i for i, (h, _) in enumerate(program.sections) if h.startswith("language")), None)
    assume(i is not None)
    assert i is not None
    return _with(program, i, (f"language {draw(st.sampled_from(('fr', 'it', 'en')))}", ()))


def _with(program: Parts, number: int, section: tuple[str, tuple[str, ...]]) -> Parts:
    sections = list(program.sections)
    sections[number] = section
    return replace(program, sections=tuple(sections))


EDITS: tuple[Edit, ...] = (
    drop_row,
    drop_row,
    change_cell,
    change_cell,
    turn_table,
    drop_entry,
    drop_entry,
    change_words,
    change_frame,
    change_language,
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Parts, Parts]:
    """A program, and what one or two edits make of it."""
    old = new = draw(grammar_parts())
    for edit in draw(st.lists(st.sampled_from(EDITS), min_size=1, max_size=2)):
        new = edit(draw, new)
    return (new, old) if draw(st.booleans()) else (old, new)


# --- the same, one by one ------------------------------------------------------------------------

Identity = tuple[str, tuple[tuple[str, str], ...], frozenset[tuple[str, str]]]


def instances(compiled: Compiled, name: str) -> dict[Identity, Instance]:
    design = Design(compiled, compiled.designs[name])
    found = {}
    for address in range(design.count()):
        instance = design[address]
        lexemes = frozenset(instance.lexemes.items())
        found[instance.frame, tuple(instance.choices.items()), lexemes] = instance
    assert len(found) == design.count()
    return found


def rows(compiled: Compiled, name: str) -> object:
    """All rows in their order, but for what tells one grammar from another."""
    made = Design(compiled, compiled.designs[name]).generate().to_table()
    return made.drop_columns(["grammar", "lexicon"]).to_pylist()


def cells(instance: Instance) -> dict[tuple[str, str], Sentence]:
    return {(s.role, s.label): s for s in instance.cells}


def usable(program: Parts) -> Compiled:
    compiled = compiled_grammar(program)
    assume(not compiled.failed)
    assume(all(design.count <= MOST for design in compiled.designs.values()))
    return compiled


def named_apart(compiled: Compiled) -> bool:
    """Whether titles tell the lexemes of every choice apart."""
    plans = (plan for design in compiled.designs.values() for plan in design.plans)
    return all(len(set(s.titles)) == len(s.titles) for plan in plans for s in plan.slots)


def both(programs_: tuple[Parts, Parts]) -> tuple[Compiled, Compiled]:
    old, new = (usable(program) for program in programs_)
    assume(named_apart(old) and named_apart(new))
    return old, new


@examples(50)
@given(edited())
def test_instances_are_compared_as_one_by_one(programs_: tuple[Parts, Parts]) -> None:
    old, new = both(programs_)
    for design in compare(old, new).designs:
        assert design.status == "both"
        one, other = instances(old, design.name), instances(new, design.name)
        names = [{n for key in found for n, _ in key[2]} for found in (one, other)]
        assume(names[0] == names[1])  # a choice of words that is none any more: see below
        kept = one.keys() & other.keys()
        event(_sort(len(kept), len(one), len(other)))
        assert (design.old_count, design.new_count) == (len(one), len(other))
        assert design.kept == len(kept)
        assert sum(cause.instances for cause in design.lost) == len(one) - len(kept)
        assert sum(cause.instances for cause in design.gained) == len(other) - len(kept)
        check_examples(design, one, other)
        reworded = relabelled = 0
        for key in kept:
            was, now = cells(one[key]), cells(other[key])
            shared = was.keys() & now.keys()
            reworded += any(was[c].text != now[c].text for c in shared)
            relabelled += any(verdict(was[c]) != verdict(now[c]) for c in shared)
        event("reworded" if reworded else "not reworded")
        assert design.reworded == reworded
        assert design.relabelled == relabelled
        assert bool(design.rewordings) == bool(reworded)
        for changed in design.rewordings:
            assert changed.old != changed.new
        moved = any(one[key].address != other[key].address for key in kept)
        assert design.reordered == (design.same_instances and moved)
        if design.same:
            assert rows(old, design.name) == rows(new, design.name)


def _sort(kept: int, old: int, new: int) -> str:
    if kept == old == new:
        return "the same instances"
    return ", ".join(
        what
        for what, holds in (("kept", kept), ("lost", kept < old), ("gained", kept < new))
        if holds
    )


def verdict(sentence: Sentence) -> tuple[object, ...]:
    return sentence.letter, sentence.broken, tuple(sentence.scopes.items())


def check_examples(
    design: DesignDiff, old: Mapping[Identity, Instance], new: Mapping[Identity, Instance]
) -> None:
    for found, mine, theirs in ((design.lost, old, new), (design.gained, new, old)):
        addresses = {instance.address: key for key, instance in mine.items()}
        shown = [(cause, example) for cause in found for example in cause.examples]
        assert len(shown) == min(3, sum(cause.instances for cause in found))
        assert len({example.address for _, example in shown}) == len(shown)
        for cause, example in shown:
            key = addresses[example.address]
            assert key not in theirs
            assert dict(key[2]) == example.lexemes
            assert any(example.sentence == s.text for s in mine[key].cells)
            if cause.kind == "lexemes":
                assert set(cause.lexemes) & set(example.lexemes.values())


@examples(60)
@given(edited())
def test_what_is_built_alike_stands_at_the_same_addresses(
    programs_: tuple[Parts, Parts],
) -> None:
    old, new = both(programs_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("merula.changes.addresses.MAX_INSTANCES", 0)  # none are compared one by one
        found = compare(old, new)
    for design in found.designs:
        if design.same_instances:
            event("built otherwise" if design.reordered else "built alike")
        if design.same_instances and not design.reordered:
            one, other = instances(old, design.name), instances(new, design.name)
            assert list(one) == list(other)


@st.composite
def spaces(draw: st.DrawFn) -> tuple[Space, Space]:
    """A space, and one with the same demands written otherwise."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    slots = st.permutations(range(len(sizes)))
    origin = ConstraintOrigin("")
    demands: list[tuple[Constraint, Constraint]] = []
    for _ in range(draw(st.integers(0, 3))):
        pair = tuple(draw(slots)[:2])
        names = [draw(st.permutations(range(5)))[: draw(st.integers(1, 3))] for _ in pair]
        groups = tuple(
            np.array([draw(st.sampled_from(own)) for _ in range(sizes[slot])])
            for own, slot in zip(names, pair, strict=True)
        )
        bits = st.lists(st.booleans(), min_size=25, max_size=25)
        table = np.array(draw(bits), dtype=np.bool_).reshape(5, 5)
        to = [np.array(draw(st.permutations(range(5)))) for _ in pair]
        renamed = np.zeros((5, 5), dtype=np.bool_)
        renamed[np.ix_(*to)] = table
        turned = tuple(names[groups_] for names, groups_ in zip(to, groups, strict=True))
        demands.append(
            (
                Constraint(pair, groups, table, origin),
                Constraint(pair[::-1], turned[::-1], renamed.T, origin),
            )
        )
    distinct = []
    if draw(st.booleans()):
        chosen = tuple(draw(slots)[: draw(st.integers(2, len(sizes)))])
        keys = [np.array(draw(st.permutations(range(6)))[: sizes[slot]]) for slot in chosen]
        to_ = np.array(draw(st.permutations(range(6))))
        distinct = [
            Distinct(chosen, tuple(keys), origin),
            Distinct(chosen[::-1], tuple(to_[k] for k in keys[::-1]), origin),
        ]
    other = draw(st.permutations([one[1] for one in demands]))
    return (
        Space(sizes, [one[0] for one in demands], distinct[:1]),
        Space(sizes, other, distinct[1:]),
    )


@examples(150)
@given(spaces())
def test_the_order_and_the_numbers_of_demands_change_no_address(
    spaces_: tuple[Space, Space],
) -> None:
    one, other = spaces_
    assert built_alike(one, other)
    assert one.count == other.count
    addresses = np.arange(one.count)
    for mine, theirs in zip(one.unrank(addresses), other.unrank(addresses), strict=True):
        assert mine.tolist() == theirs.tolist()


@examples(15)
@given(grammar_parts())
def test_nothing_changes_from_a_grammar_to_itself(program: Parts) -> None:
    one, other = usable(program), usable(program)
    found = compare(one, other)
    assert found.same
    for design in found.designs:
        assert not design.lost
        assert not design.gained
        assert not design.forms
        assert not design.reordered


@examples(20)
@given(edited())
def test_the_other_way_round_what_is_lost_is_gained(programs_: tuple[Parts, Parts]) -> None:
    old, new = (usable(program) for program in programs_)
    there, back = compare(old, new), compare(new, old)
    assert there.same == back.same
    backs = {design.name: design for design in back.designs}
    for one in there.designs:
        other = backs[one.name]
        assert (one.old_count, one.new_count) == (other.new_count, other.old_count)
        for mine, theirs in ((one.lost, other.gained), (one.gained, other.lost)):
            assert sorted(map(told, mine)) == sorted(map(told, theirs))
        for attribute in ("kept", "reworded", "relabelled", "reordered"):
            assert getattr(one, attribute) == getattr(other, attribute)
        assert (set(one.cells_gone), set(one.cells_new)) == (
            set(other.cells_new),
            set(other.cells_gone),
        )
        for mine_, theirs_ in ((one.labels, other.labels), (one.templates, other.templates)):
            turned = {(set_of(c), repr(c.new), repr(c.old), len(c.variants)) for c in theirs_}
            assert {(set_of(c), repr(c.old), repr(c.new), len(c.variants)) for c in mine_} == turned


def set_of(change: CellChange) -> frozenset[str]:
    return frozenset(change.cells)


def told(cause: Cause) -> tuple[object, ...]:
    what = "" if cause.kind == "choice" else cause.what  # one more choice, one less
    return cause.kind, what, cause.instances, cause.lexemes, cause.variants


# --- large spaces --------------------------------------------------------------------------------

LARGE = """
phenomenon large
lexicon noun "nouns.tsv"
objects
  a, b, c, d, e, f : noun (number)
attributes
  number = sg | pl
select
  SELECTIONS
frames
  clause = a b c d e f
paradigm numbers = a.number
"""


def large(
    nouns: int,
    selections: str = "a, b, c differ",
    gone: str = "",
    changed: str = "",
    names: tuple[str, str] = ("", ""),
) -> Compiled:
    rows = [f"n{i}\tn{i}x\tn{i}y" for i in range(nouns)]
    rows = [row for row in rows if row.split("\t")[0] != gone]
    rows = [row.replace(changed, f"{changed}!") if changed else row for row in rows]
    table = "lemma\tsg\tpl\n" + "".join(f"{row}\n" for row in rows)
    text = LARGE.replace("SELECTIONS", selections)
    text = re.sub(rf"\b{names[0]}\b", names[1], text) if names[0] else text
    compiled = compile_source(Source("large.merula", text), tables={"nouns.tsv": table})
    assert not compiled.failed
    return compiled


def ways(nouns: int) -> int:
    """How many instances there are if a, b and c differ."""
    return nouns * (nouns - 1) * (nouns - 2) * nouns**3


def test_a_lexeme_less_of_very_many_has_its_examples() -> None:
    (design,) = compare(large(200), large(200, gone="n7"), examples=12).designs
    assert design.old_count == ways(200) > 10**13
    assert design.kept == design.new_count == ways(199)
    assert sum(cause.instances for cause in design.lost) == ways(200) - ways(199)
    assert [cause.lexemes for cause in design.lost] == [("n7",)] * 6
    for cause in design.lost:
        assert cause.instances > 0
        for example in cause.examples:
            assert example.lexemes[cause.what] == "n7"
    assert [len(cause.examples) for cause in design.lost] == [2] * 6


def test_one_form_of_very_many_lexemes() -> None:
    (design,) = compare(large(200), large(200, changed="n7y")).designs
    assert design.kept == design.new_count == ways(200)
    # the plural shows in one cell, of `a` alone
    assert design.reworded == ways(200) // 200
    assert [(f.choice, f.lexeme, f.old, f.new) for f in design.forms] == [
        ("a", "n7", "n7y", "n7y!")
    ]
    assert design.rewordings
    for changed in design.rewordings:
        assert (changed.cell, changed.old.replace("N7y", "N7y!")) == ("pl", changed.new)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("a, b differ", "b, a differ", 12 * 11 * 12**4),
        ("a, b differ", "b, c differ", 12 * 11 * 11 * 12**3),
        ("a, b differ", "a, b, c differ", 12 * 11 * 10 * 12**3),
        ("a, b, c differ", "b, c, d differ", 12 * 11 * 10 * 10 * 12**2),
        ("a, b, c differ", "c, d, e differ", 12 * 11 * 10 * 11 * 10 * 12),
    ],
)
def test_lexemes_that_have_to_differ_in_other_groups(old: str, new: str, kept: int) -> None:
    one, other = large(12, old), large(12, new)
    (there,), (back,) = compare(one, other).designs, compare(other, one).designs
    assert there.kept == back.kept == kept
    for design in (there, back):
        assert sum(cause.instances for cause in design.lost) == design.old_count - kept
        assert sum(cause.instances for cause in design.gained) == design.new_count - kept


def test_what_cannot_be_counted_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = large(12, "a, b differ"), large(12, "b, c differ")
    monkeypatch.setattr("merula.plan.relations.MAX_TABLE", 100)
    found = compare(old, new)
    (design,) = found.designs
    assert design.kept is design.lost_count is design.gained_count is design.reworded is None
    assert (design.old_count, design.new_count) == (12 * 11 * 12**4, 12 * 11 * 12**4)
    assert not found.same
    assert "cannot be counted" in found.summary


# --- what counts as the same ---------------------------------------------------------------------

OBJECTS = "subj, attr : NP (number)", "subj : NP (number)\n  attr? : PP (number)"
KEYS = FRAME.replace(*OBJECTS) + "  other = attr subj verb\n"
TABLE = """\
subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
the key,the keys,to the door,to the doors,is old,are old
the key,the keys,to the shed,to the sheds,is lost,are lost
the pen,the pens,on the desk,on the desks,is blue,are blue
"""


def keys(design: str, *edits: tuple[str, str], table: str = TABLE) -> Compiled:
    text = KEYS + design + "\n"
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    compiled = compile_source(Source("keys.merula", text), tables={"keys.csv": table})
    assert not compiled.failed, [problem.render() for problem in compiled.problems]
    return compiled


def only(old: Compiled, new: Compiled) -> DesignDiff:
    (design,) = compare(old, new).designs
    return design


PAIRS = "paradigm pairs = subj.number × verb.number in clause"


def test_a_frame_with_another_name_is_known_by_what_it_shows() -> None:
    design = only(keys(PAIRS), keys(PAIRS, ("clause", "whole")))
    assert design.same_instances
    assert [(r.what, r.old, r.new) for r in design.renamed] == [("frame", "clause", "whole")]


def test_an_axis_that_one_grammar_lacks() -> None:
    varying = keys(f"{PAIRS} varying attr(absent | sg)")
    design = only(keys(PAIRS), varying)
    assert (design.kept, [(c.kind, c.what, c.instances) for c in design.gained]) == (
        3,
        [("variants", "attr sg", 3)],
    )
    assert only(keys(f"{PAIRS} with attr.number = sg"), varying).kept == 3
    assert only(keys(f"{PAIRS} with attr.number = pl"), varying).kept == 0


def test_a_factor_that_one_grammar_lacks() -> None:
    more = keys("paradigm pairs = attr(absent | pl) × subj.number × verb.number in clause")
    design = only(keys(PAIRS), more)
    assert design.same_instances
    assert design.cells_new == tuple(f"pl {a} {b}" for a in ("sg", "pl") for b in ("sg", "pl"))
    assert not design.cells_gone
    assert not design.labels


def test_the_order_of_cells_and_of_rows() -> None:
    turned = PAIRS.replace("subj.number ×", "subj.number(pl | sg) ×")
    design = only(keys(PAIRS), keys(turned))
    assert [r.what for r in design.renamed] == ["order of the cells"]
    more = TABLE.replace("verb.pl\n", "verb.pl,note\n").replace("blue\n", "blue,a\n")
    more = more.replace("old\n", "old,b\n").replace("lost\n", "lost,0\n")
    design = only(keys(PAIRS), keys(PAIRS, table=more))
    assert design.same_instances
    assert design.reordered


def test_the_order_of_variants() -> None:
    varying = PAIRS + " varying attr(absent | sg)"
    turned = varying.replace("absent | sg", "sg | absent")
    design = only(keys(varying), keys(turned))
    assert design.same_instances
    assert design.reordered


def test_two_of_very_many_that_change_places() -> None:
    def made(note: str) -> Compiled:
        rows = [f"n{i:04},n{i:04},n{i:04}s,a{i:04}" for i in range(2_000)]
        rows[700] = rows[700].replace("a0700", note)
        table = "\n".join(["lemma,sg,pl,note", *rows]) + "\n"
        text = LARGE.replace("nouns.tsv", "nouns.csv").replace("SELECTIONS", "a, b, c differ")
        compiled = compile_source(Source("large.merula", text), tables={"nouns.csv": table})
        assert not compiled.failed
        return compiled

    assert compare(made("a0700"), made("a0700b")).same
    design = only(made("a0700"), made("a0701b"))
    assert design.same_instances
    assert design.reordered


def test_sets_without_names_are_known_by_their_contents_then_by_their_first_cells() -> None:
    head, *rows = TABLE.splitlines()
    turned = "\n".join([head, *reversed(rows)]) + "\n"
    assert compare(keys(PAIRS), keys(PAIRS, table=turned)).same
    forms = TABLE.replace("is blue", "is red")
    design = only(keys(PAIRS), keys(PAIRS, table=forms))
    assert (design.kept, design.reworded) == (3, 1)
    gone = "\n".join([head, rows[1], rows[2]]) + "\n"  # one of the two keys
    design = only(keys(PAIRS), keys(PAIRS, table=gone))
    assert (design.kept, design.lost_count, design.gained_count) == (2, 1, 0)
    assert "old" in design.lost[0].examples[0].sentence


def test_a_design_of_another_kind_is_another_design() -> None:
    matrix = "matrix pairs = 4 items in clause\n  subj.number cycles sg | pl every 1"
    found = compare(keys(PAIRS), keys(matrix))
    assert [(d.name, d.kind, d.status) for d in found.designs] == [
        ("pairs", "matrix", "new"),
        ("pairs", "paradigm", "gone"),
    ]


def test_everything_is_counted_that_another_choice_makes() -> None:
    nouns = "lemma,category,sg,pl\ndog,noun,dog,dogs\ncat,noun,cat,cats\ncow,noun,cow,cows\n"
    text = """
phenomenon more
lexicon "nouns.csv"
objects
  one, two? : noun (number)
attributes
  number = sg | pl
frames
  clause = one two
paradigm numbers = one.number with two = WHAT
"""

    def made(what: str) -> Compiled:
        source = Source("more.merula", text.replace("WHAT", what))
        compiled = compile_source(source, tables={"nouns.csv": nouns})
        assert not compiled.failed, [problem.render() for problem in compiled.problems]
        return compiled

    design = only(made("absent"), made("present"))
    assert (design.kept, design.lost_count, design.gained_count) == (0, 3, 9)
    assert [(c.kind, c.what, c.instances) for c in (*design.lost, *design.gained)] == [
        ("choice", "two is chosen as well", 3),
        ("choice", "two is chosen as well", 9),
    ]


def test_examples_are_those_of_the_seed() -> None:
    old, new = large(30), large(30, gone="n7")
    first, again, other = (compare(old, new, examples=6, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first != other
    assert all(
        not cause.examples for d in compare(old, new, examples=0).designs for cause in d.lost
    )


# --- what cannot be counted, or takes too long ---------------------------------------------------


def test_instances_of_reasons_that_cannot_be_counted_are_told_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = large(12, "a, b differ"), large(12, "a, b, c differ", gone="n7")
    everything = compare(old, new)
    monkeypatch.setattr("merula.plan.relations.MAX_TABLE", 100)
    found = compare(old, new)
    (full,), (design,) = everything.designs, found.designs
    assert (design.kept, design.lost_count) == (full.kept, full.lost_count)
    assert sum(cause.instances for cause in design.lost) == design.lost_count
    (rest,) = [cause for cause in design.lost if cause.kind == "uncounted"]
    (ruled_out,) = [cause for cause in full.lost if cause.kind == "selection"]
    assert (rest.instances, rest.examples) == (ruled_out.instances, ())
    said = str(found)
    assert "- for reasons that tie too many choices together to be counted one by one (" in said
    assert "selection" not in said


def test_a_report_of_what_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = large(12, "a, b differ"), large(12, "b, c differ", gone="n7")
    monkeypatch.setattr("merula.plan.relations.MAX_TABLE", 60)
    found = compare(old, new)
    text = str(found)
    assert "instances; how many are the same cannot be counted" in text
    assert "instances may read differently; how many cannot be counted" in text
    assert "(0 instances)" not in text


def test_too_many_combinations_are_taken_to_read_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turned = ("frames\n  clause = subj attr verb", "frames\n  clause = verb attr subj")
    table = TABLE.replace("is old,are old", "the key,are old")
    one_cell = "paradigm one = subj.number(sg) × verb.number(sg) in clause"
    old, new = keys(one_cell, table=table), keys(one_cell, turned, table=table)
    assert (only(old, new).kept, only(old, new).reworded) == (3, 2)  # "The key the key."
    monkeypatch.setattr("merula.changes.wording.MAX_JOINT", 1)
    assert (only(old, new).kept, only(old, new).reworded) == (3, 3)


# --- which choices are the same ------------------------------------------------------------------

WORDS = """
phenomenon words
language en
lexicon noun "nouns.csv"
objects
  noun : noun (number)
  det  : determiner (sort)
attributes
  number = sg | pl
  sort = near WORDS | far "those"
frames
  clause = det noun "here"
paradigm numbers = noun.number with det.sort = near
"""


def words(written: str, *edits: tuple[str, str]) -> Compiled:
    table = "lemma,sg,pl\ndog,dog,dogs\ncat,cat,cats\n"
    text = WORDS.replace("WORDS", written)
    for old, new in edits:
        text = text.replace(old, new)
    source = Source("words.merula", text)
    compiled = compile_source(source, tables={"nouns.csv": table})
    assert not compiled.failed, [problem.render() for problem in compiled.problems]
    return compiled


def test_a_word_where_there_were_several() -> None:
    one, two = words('"this"'), words('"this", "that"')
    assert (one.designs["numbers"].count, two.designs["numbers"].count) == (2, 4)
    there, back = only(one, two), only(two, one)
    assert (there.kept, there.lost_count, there.gained_count) == (2, 0, 2)
    assert (back.kept, back.lost_count, back.gained_count) == (2, 2, 0)
    for causes in (there.gained, back.lost):
        assert [(c.kind, c.what, c.lexemes) for c in causes] == [
            ("lexemes", "det.sort=near", ("that",))
        ]
    assert there.reworded == back.reworded == 0
    such = only(two, words('"this", "such"'))
    assert (such.kept, such.lost_count, such.gained_count) == (2, 2, 2)
    gone = only(two, words('"such"'))
    assert (gone.kept, gone.lost_count, gone.gained_count) == (0, 4, 2)


def test_a_word_that_makes_two_cells_alike_is_no_choice() -> None:
    cells = ("with det.sort = near", "× det.sort")
    several = words('"this", "those"', cells)
    single = words('"this"', cells)
    assert several.designs["numbers"].count == single.designs["numbers"].count == 2
    design = only(several, single)
    assert design.same_instances
    assert not design.reordered
    # rows of the one name the choice, and its templates have both words
    assert ("choice", "det.sort=near", "only `this`") in told_names(design)


def test_choices_that_only_one_grammar_has() -> None:
    far = words('"this", "that"', ("sort = near\n", "sort = far\n"))
    near = words('"this", "that"')
    design = only(near, far)
    assert (design.kept, design.lost_count, design.gained_count) == (0, 4, 2)
    assert [(c.kind, c.what) for c in design.lost] == [
        ("choice", "det.sort=near is chosen no longer")
    ]


def told_names(design: DesignDiff) -> list[tuple[str, str, str]]:
    return [(r.what, r.old, r.new) for r in design.renamed]


def test_what_rows_call_otherwise_is_no_longer_the_same() -> None:
    varying = keys(f"{PAIRS} varying attr(absent)")
    there, back = only(keys(PAIRS), varying), only(varying, keys(PAIRS))
    assert there.same_instances
    assert (told_names(there), told_names(back)) == (
        [("variant", "-", "attr absent")],
        [("variant", "attr absent", "-")],
    )
    unnamed = "\n".join(line.partition(",")[2] for line in NAMED.splitlines()) + "\n"
    design = only(keys(PAIRS, table=NAMED), keys(PAIRS, table=unnamed))
    assert design.same_instances
    assert sorted(told_names(design)) == [("set", "door", "the key"), ("set", "shed", "the key")]


# --- other names ---------------------------------------------------------------------------------

NAMED = """\
set,subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl
door,the key,the keys,to the door,to the doors,is old,are old
shed,the key,the keys,to the shed,to the sheds,is lost,are lost
"""
MATRIX = """\
matrix four = 4 items in clause
  subj.number cycles sg | pl every 1
answers
  wrong breaks E agreement: flip verb.number
"""


def renamed(old: Compiled, new: Compiled) -> list[tuple[str, str, str]]:
    found = compare(old, new)
    perhaps = (*found.perhaps, *(r for d in found.designs for r in d.perhaps))
    return [(r.what, r.old, r.new) for r in perhaps]


def test_what_only_has_another_name_is_pointed_at() -> None:
    assert renamed(keys(PAIRS), keys(PAIRS.replace("pairs", "couples"))) == [
        ("paradigm", "pairs", "couples")
    ]
    assert renamed(keys(MATRIX), keys(MATRIX.replace("wrong", "bad"))) == [
        ("answer", "wrong", "bad")
    ]
    sets = keys(PAIRS, table=NAMED), keys(PAIRS, table=NAMED.replace("door,the", "gate,the"))
    assert renamed(*sets) == [("set", "door", "gate")]
    one, other = large(4), large(4, names=("a", "first"))
    assert renamed(one, other) == [("object", "a", "first")]


def test_what_looks_otherwise_is_not() -> None:
    assert not renamed(keys(PAIRS), keys(PAIRS.replace("pairs", "one").replace("verb", "attr")))
    flipped = MATRIX.replace("wrong breaks E agreement: flip verb", "bad breaks R: flip subj")
    assert not renamed(keys(MATRIX), keys(flipped))
    other = NAMED.replace("door,the key", "gate,the pen")
    assert not renamed(keys(PAIRS, table=NAMED), keys(PAIRS, table=other))
    two = large(4, names=("a", "one")), large(4, names=("b", "two"))
    assert not renamed(*two)  # which is which


# --- reports -------------------------------------------------------------------------------------

VARYING = PAIRS + " varying attr(absent | sg | pl)"


def numbered_keys(numbers: range) -> str:
    rows = [f"the k{i},the k{i}s,to d{i},to d{i}s,is {i},are {i}" for i in numbers]
    return "\n".join([TABLE.splitlines()[0], *rows]) + "\n"


def test_a_report_of_many_reasons_and_lexemes() -> None:
    text = str(compare(large(200), large(200, gone="n7"), examples=0))
    assert text.count("\n  - ") == 6
    assert "\n  - 1 more reason (307,390,644,594 instances)" in text
    text = str(
        compare(
            keys(PAIRS, table=numbered_keys(range(9))),
            keys(PAIRS, table=numbered_keys(range(7, 9))),
        )
    )
    assert "\n  - set: the k0, the k1, the k2, the k3, the k4 and 2 more (7 instances)\n" in text


def test_a_report_of_variants_that_have_no_instances() -> None:
    no_attr = (
        "subj.sg,subj.pl,attr.sg,attr.pl,verb.sg,verb.pl\n"
        "the key,the keys,,,is old,are old\nthe pen,the pens,,,is blue,are blue\n"
        ",,on the desk,on the desks,,\n"
    )
    there = str(compare(keys(VARYING), keys(VARYING, table=no_attr)))
    assert "  - 2 variants: nothing is left (6 instances)" in there
    back = str(compare(keys(VARYING, table=no_attr), keys(VARYING)))
    assert "  + 2 variants: there was nothing before (6 instances)" in back
    one = VARYING.replace(" | pl)", ")")
    there = str(compare(keys(one), keys(one, table=no_attr)))
    assert "  - variant clause · attr sg: nothing is left (3 instances)" in there


def test_a_report_of_many_cells_and_labels() -> None:
    more = PAIRS.replace("subj.number ×", "subj.number × attr(absent | sg | pl) ×")
    text = str(compare(keys(PAIRS), keys(more)))
    assert "  + cell sg sg sg\n" in text
    assert "  + 3 more like these\n" in text
    assert "  ~ factors: subj.number × verb.number → subj.number × attr × verb.number" in text


def test_a_report_of_designs_of_one_grammar_alone() -> None:
    other = keys(PAIRS.replace("pairs", "couples"))
    assert str(compare(keys(PAIRS), other)).splitlines() == [
        "the count stays at 3, but instances change (0 kept, 3 lost, 3 gained)",
        "  ? renamed? paradigm pairs → couples",
        "",
        "couples · paradigm · new, 3 instances",
        "",
        "pairs · paradigm · gone, 3 instances",
    ]
