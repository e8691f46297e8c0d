"""Labels that cannot contradict each other, over grammars made to be ambiguous.

Forms are drawn from few words, so that lexemes are syncretic and homonymous; features have two
values or any; frames have two orders, sites and alternatives. The compiler is compared with the
reference, and the rows of a design are searched for a sentence with two labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import Report
from merula.core.source import Source
from merula.grammar.program import read_program
from merula.plan.planner import phrases
from random_grammars import examples
from reference import SizeError, interpret

T = TypeVar("T")
FORMS = ("ba", "bo", "bi", "bu", "be")
RULES = {
    "agreement": "verb.number = subj.number",
    "case": "obj.case = acc",
    "bound": "refl = subj.gender",
    "near": "verb inside clause -> verb.number = obj.number else verb.number = subj.number",
    "front": "refl inside clause -> refl = subj.gender",
    "control": "verb.number ignores obj.number",
}
FRAMES = (
    "a = subj verb obj refl",
    "b = obj verb subj refl",
    "c = subj [clause verb obj] @late refl",
    'd = @early subj (subj.number = sg: "x" | "y") verb obj refl @late',
    'e = subj verb (obj | "bo" obj) refl',
)
FACTORS = (
    ("subj.number", ("sg", "pl")),
    ("verb.number", ("sg", "pl")),
    ("obj.number", ("sg", "pl")),
    ("obj.case", ("nom", "acc")),
    ("refl", ("m", "f", "c")),
    ("adv.site", ("early", "late")),
)


@dataclass(frozen=True)
class Ambiguous:
    """A grammar with its two tables."""

    text: str
    tables: dict[str, str]

    def compile(self) -> Compiled:
        return compile_source(Source("ambiguous.merula", self.text), tables=self.tables)


Factor = tuple[str, tuple[str, ...]]


@st.composite
def ambiguous(draw: st.DrawFn) -> Ambiguous:
    """A grammar in which much can be read in two ways."""

    def some(options: Sequence[T], least: int, most: int) -> list[T]:
        chosen = st.lists(st.sampled_from(options), min_size=least, max_size=most, unique=True)
        return draw(chosen) if options else []

    def form() -> str:
        return draw(st.sampled_from(FORMS))

    gender = st.sampled_from(("m", "f", "c", "m | c", "f | c", "*"))
    nouns = [
        f"n{i},noun,{draw(gender)},{form()},{form()},{form()},{form()}"
        for i in range(draw(st.integers(2, 4)))
    ]
    verbs = [f"v{i},verb,,{form()},{form()},," for i in range(draw(st.integers(1, 3)))]
    frames = some(FRAMES, 1, 3)
    sited = all("@early" in frame and "@late" in frame for frame in frames)
    if not sited:
        frames = [frame.replace("@early ", "").replace(" @late", "") for frame in frames]
    places = any("[clause" in frame for frame in frames)
    rules = some([x for x in sorted(RULES) if places or "inside" not in RULES[x]], 1, 3)
    usable = [factor for factor in FACTORS if sited or factor[0] != "adv.site"]
    chosen = some(usable, 1, 4)
    crossed = draw(st.integers(1, min(2, len(chosen))))
    factors, varying, fixed = chosen[:crossed], chosen[crossed : crossed + 1], chosen[crossed + 1 :]
    product = " × ".join(f"{name} ({' | '.join(values)})" for name, values in factors)
    tail = f" in {' | '.join(frame[0] for frame in frames)}"
    tail += "".join(f" varying {name}" for name, _ in varying)
    if fixed:
        given = (f"{name} = {draw(st.sampled_from(values))}" for name, values in fixed)
        tail += f" with {', '.join(given)}"
    refl = " | ".join(f'{value} "{form()}"' for value in ("m", "f", "c"))
    lines = [
        "phenomenon ambiguous",
        'lexicon "words.csv"',
        "objects",
        "  subj : noun (number)",
        "  obj  : noun (number, case)",
        "  verb : verb (number)",
        "  refl : pronoun",
        *(["  adv  : adverb (sound)"] if sited else []),
        "attributes",
        "  number = sg | pl",
        "  case   = nom | acc",
        f"  refl   = {refl}",
        *(["  adv.site = early | late", '  sound = on "ha"'] if sited else []),
        "external",
        *(f"  {rule}: {RULES[rule]}" for rule in rules),
        "frames",
        *(f"  {frame}" for frame in frames),
        f"paradigm p = {product}{tail}",
    ]
    table = ["lemma,category,gender,sg,pl,acc.sg,acc.pl", *nouns, *verbs]
    return Ambiguous("\n".join(lines), {"words.csv": "\n".join(table) + "\n"})


def instances(compiled: Compiled, design: CompiledDesign) -> list[list[tuple[str, ...]]]:
    """The sentences of all instances of each plan."""
    made = []
    for plan in design.plans:
        candidates = plan.space.unrank(np.arange(plan.count, dtype=np.int64))
        rows = zip(*(column.tolist() for column in candidates), strict=True)
        made.append(
            [
                tuple(
                    compiled.surface.sentence(phrases(plan.slots, cell, row)) for cell in plan.cells
                )
                for row in rows
            ]
        )
    return made


@examples(150)
@given(ambiguous())
def test_no_sentence_is_both_good_and_bad(grammar: Ambiguous) -> None:
    compiled = grammar.compile()
    for design in compiled.designs.values():
        labels: dict[str, set[bool]] = {}
        for plan, rows in zip(design.plans, instances(compiled, design), strict=True):
            for row in rows:
                for text, cell in zip(row, plan.cells, strict=True):
                    labels.setdefault(text, set()).add(cell.cell.acceptable)
        assert [text for text, both in labels.items() if len(both) > 1] == []


@examples(150)
@given(ambiguous())
def test_the_compiler_leaves_out_what_the_reference_leaves_out(grammar: Ambiguous) -> None:
    compiled = grammar.compile()
    assert compiled.grammar is not None
    refused = {p.code for p in compiled.problems if p.severity == "error"}
    if refused:
        event(f"refused: {min(refused)}")
    if not refused <= {"M424", "M502", "M503"}:
        return
    source = Source("ambiguous.merula", grammar.text)
    lexicon = read_program(source, Report(), tables=grammar.tables).lexicon
    assert lexicon is not None
    for design in compiled.designs.values():
        try:
            meanings = list(
                interpret(compiled.grammar, lexicon, compiled.surface, design.design, limit=20_000)
            )
        except SizeError:
            event("too many")
            continue
        of_plan = zip(design.plans, instances(compiled, design), strict=True)
        made = {plan.variant: Counter(rows) for plan, rows in of_plan}
        wanted = {m.variant: Counter(m.instances) for m in meanings if m.instances}
        before: list[Counter[tuple[str, ...]]] = []
        for variant, rows in wanted.items():
            if variant in made:
                assert made[variant] == rows
                before.append(rows)
            else:
                assert rows in before  # the same as another variant
        assert made.keys() <= wanted.keys()
        assert bool(made) != bool(refused)
        codes = {p.code for p in compiled.problems}
        event("compared" + "".join(f", {c}" for c in ("M420", "M424") if c in codes))
