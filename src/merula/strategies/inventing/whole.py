"""A whole grammar: its sections in their order, from one set of draws."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from merula.strategies.inventing.choices import Choices, DrawInt
from merula.strategies.inventing.designs import draw_designs
from merula.strategies.inventing.mending import Draft, Mended, mended
from merula.strategies.inventing.objects import (
    attribute_lines,
    draw_objects,
    frame_lines,
    object_lines,
)
from merula.strategies.inventing.parts import Parts, Section
from merula.strategies.inventing.rules import draw_rules, draw_selections
from merula.strategies.inventing.sketch import Sketch, Wanted
from merula.strategies.inventing.tongues import TONGUES
from merula.strategies.inventing.word_tables import draw_tables

KINDS = {
    None: ("paradigm", "paradigm", "odometer", "odometer", "table"),
    "paradigm": ("paradigm",),
    "matrix": ("odometer", "odometer", "table"),
}

ANY = Wanted()


def drawn(draw: DrawInt, wanted: Wanted) -> Draft:
    """A grammar as it is drawn, which the compiler may still refuse."""
    c = Choices(draw)
    own = [t for t in TONGUES if wanted.language in (None, t.code)]
    kinds = KINDS["matrix" if wanted.answers or wanted.crossed else wanted.design]
    kind = "odometer" if wanted.crossed else c.pick(kinds)
    crossed = wanted.crossed or (c.chance(15) and kind == "odometer" and not wanted.answers)
    sketch = Sketch(wanted, kind, crossed, c.pick(own))
    draw_objects(c, sketch)
    frames = frame_lines(c, sketch)
    external, internal = draw_rules(c, sketch)
    selections = draw_selections(c, sketch)
    tables = draw_tables(c, sketch)
    doc = ' "made up"' if c.chance(10) else ""
    sections: list[Section] = [(f"phenomenon ~random~{doc}", ())]
    if sketch.tongue.code:
        sections.append((f"language {sketch.tongue.code}", ()))
    sections += [(table.declaration, ()) for table in tables]
    sections.append(("objects", tuple(object_lines(c, sketch))))
    for head, entries in (
        ("attributes", attribute_lines(sketch)),
        ("external", external),
        ("internal", internal),
        ("select", selections),
        ("frames", frames),
    ):
        if entries:
            sections.append((head, tuple(entries)))
    designs = draw_designs(c, sketch)
    return Draft(Parts((*sections, *designs.sections), tuple(tables)), designs.plainer)


@st.composite
def drawn_and_mended(draw: DrawInt, wanted: Wanted) -> Mended:
    """Grammars that compile and have what is wanted."""
    return mended(drawn(draw, wanted), wanted)


def grammar_parts(wanted: Wanted = ANY) -> SearchStrategy[Parts]:
    """The same in parts, which can be written with other names, or changed."""
    return drawn_and_mended(wanted).map(lambda made: made.parts)
