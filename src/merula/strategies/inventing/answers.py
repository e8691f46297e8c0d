"""The wrong answers of a grammar's matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.sketch import Sketch, Way

LABELS = ("~AE~", "~WN~", "~Other~", '"a label"')


def answer_lines(c: Choices, sketch: Sketch, ways: Sequence[Way]) -> list[str]:
    """The entries under ``answers``."""
    edits = c.part(lambda: c.order(list(dict.fromkeys(_edits(c, sketch, ways)))))
    always = [x.path for x in sketch.things if sketch.overt(x) and x.path not in sketch.fillers]
    keeps = any(way.path == "~verb~.~number~" for way in ways)
    return [
        c.part(partial(_answer, c, edits, number, label, always, keeps=keeps))
        for number, label in enumerate(LABELS[: c.number(1, len(LABELS))])
    ]


def _answer(
    c: Choices, edits: list[str], number: int, label: str, always: list[str], *, keeps: bool
) -> str:
    """An answer with the edit of its number, and perhaps others after it or in its place."""
    remedies = [edits[number % len(edits)]]
    others = [edit for edit in edits if edit != remedies[0]]
    if others and c.chance(15) and "keeping" not in remedies[0]:
        remedies[0] += f", {c.pick(others)}"
    if c.chance(10) and keeps and "keeping" not in remedies[0]:
        remedies[0] += " keeping ~verb~.~number~"
    if c.chance(40):
        remedies.append(c.pick(edits))
    if always and c.chance(60):
        remedies.append(f'replace {c.pick(always)} with "wrong{number}"')
    return f"{label}: {' else '.join(dict.fromkeys(remedies))}"


def crossed_lines(c: Choices, sketch: Sketch, ways: Sequence[Way]) -> list[str]:
    """Single edits of different objects, of which most commute."""
    optional = {x.path for x in sketch.things if x.optional}
    by_object: dict[str, list[str]] = {}
    for way in ways:
        if way.flips and len(way.values) == 2 and way.object not in optional:
            by_object.setdefault(way.object, []).append(f"flip {way.path}")
    for path in sketch.unshown:
        by_object.setdefault(path.partition(".")[0], []).append(f"set {path} = unshown")
    for x in sketch.things:
        if x.optional:
            by_object.setdefault(x.path, []).append(f"add {x.path} else drop {x.path}")
        elif sketch.overt(x) and x.path not in sketch.fillers:
            by_object.setdefault(x.path, []).append(f'replace {x.path} with "wrong"')
    chosen = c.some(list(by_object), 2, 3)
    edits = [c.pick(by_object[name]) for name in chosen]
    words = [edit for edit in edits if edit.startswith("replace")]
    edits = [edit for edit in edits if edit not in words[1:]]  # they would break the same
    return [f"{label}: {edit}" for label, edit in zip(LABELS, edits, strict=False)]


def _edits(c: Choices, sketch: Sketch, ways: Sequence[Way]) -> list[str]:
    optional = {x.path for x in sketch.things if x.optional}
    edits = []
    for way in ways:
        if way.flips and len(way.values) == 2:
            edit = f"flip {way.path}"
            if way.path.endswith(".~gender~") and c.chance(80):
                continue  # nothing shows it, and a rule only decides it if there is one
        elif way.path in sketch.unshown:
            edit = f"set {way.path} = unshown"
        else:
            edit = f"set {way.path} = {c.pick(way.values)}"
        absent = f" else add {way.object}" if way.object in optional else ""
        if way.path not in optional or c.chance(20):
            edits.append(edit + absent)
    edits += _of_values(c, sketch, ways)
    for x in sketch.things:
        if x.optional:
            like = " like ~subj~" if x.category == "noun" and c.chance(60) else ""
            edits.append(f"add {x.path}{like} else drop {x.path}")
    names = [x.path for x in sketch.things if sketch.overt(x) and not x.position]
    names = [name for name in names if name not in sketch.fillers]
    if not names or c.chance(15):
        names = [x.path for x in sketch.things if not x.position and x.path != sketch.missing]
    if len(names) > 1:
        one, other = c.some(names, 2, 2)
        edits.append(f"swap {one}, {other}")
        edits.append(f"replace {one} with {other}")
        host = "" if c.chance(15) else f" with {c.quoted(('of', *sketch.tongue.small))}"
        edits.append(f"embed {one} in {other}{host}")
    new = c.quoted(("new", "new", *sketch.tongue.small))
    edits.append(f"replace {c.pick(names)} with {new}")
    return edits


def _of_values(c: Choices, sketch: Sketch, ways: Sequence[Way]) -> list[str]:
    """Edits of two paths, and of the words of a value."""
    edits = []
    two = {way.path for way in ways if len(way.values) == 2}
    if {"~verb~.~number~", "~subj~.~number~"} <= two:
        edits.append("flip ~subj~.~number~ keeping ~verb~.~number~")
        edits.append("flip ~subj~.~number~, set ~verb~.~number~ = ~subj~.~number~")
    if sketch.has("det"):
        new = c.quoted(("newer", "newer", *sketch.tongue.small))
        edits.append(f"replace ~det~.~def~ with {new}")
    has = [(x.path, a) for x in sketch.things for a in sketch.showing.get(x.name, ())]
    pairs = [(x, y, a) for x, a in has for y, b in has if a == b and x < y]
    if pairs and c.chance(40):  # where both are alike, nothing changes
        one, other, shared = c.pick(pairs)
        edits.append(f"swap {one}.~{shared}~, {other}.~{shared}~")
    return edits
