"""The designs of a grammar: a paradigm, or matrices with their wrong answers."""

from __future__ import annotations

from collections.abc import Sequence

from merula.core.frozen import frozen
from merula.strategies.inventing.answers import answer_lines, crossed_lines
from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.parts import Section
from merula.strategies.inventing.sketch import Sketch, Way


@frozen
class InventedDesign:
    """The sections of the designs, and plainer ones that may stand in their place."""

    sections: tuple[Section, ...]
    plainer: tuple[tuple[Section, ...], ...]


def draw_designs(c: Choices, sketch: Sketch) -> InventedDesign:
    """Draw the designs of a grammar."""
    ways = _ways(c, sketch)
    determined = set(sketch.ruled)  # by rules
    determined |= {"~verb~.~number~"} if sketch.agrees else set()
    determined |= {"~comp~", "~npi~", "~npi~.site"} if sketch.licensed else set()
    free = [way for way in ways if way.path not in determined]
    own = (free or ways) if sketch.matrix else ways  # a matrix has to have a right answer
    plainer = [_plain(sketch, way) for way in free if way.flips and len(way.values) == 2]
    return InventedDesign(tuple(_designs(c, sketch, ways, own)), tuple(plainer))


def _designs(c: Choices, sketch: Sketch, ways: Sequence[Way], own: Sequence[Way]) -> list[Section]:
    varied = c.part(lambda: _compatible(c, own))
    tail = _tail(c, sketch, [way for way in own if not _clash(way, varied)])
    if not sketch.matrix:
        return [(_paradigm(c, varied, tail), ())]
    sections = [
        _odometer(c, sketch, varied, tail) if sketch.kind == "odometer" else _items(c, varied, tail)
    ]
    if c.chance(20) and sketch.kind == "table":
        sections.append(("matrix ~turned~ = ~base~ swap 1, 2", ()))
    copied = c.chance(15)
    if copied:
        sections.append(("matrix ~copy~ = ~base~", ()))
    crossed = crossed_lines(c, sketch, ways) if sketch.crossed else []
    if len(crossed) > 1:
        of = c.pick(("", " for ~base~", " for ~copy~, ~base~" if copied else ""))
        sections.append((f"answers{of} crossed", tuple(crossed)))
    elif sketch.wanted.answers or c.chance(80):
        of = " for ~base~" if c.chance(50) else ""
        sections.append((f"answers{of}", tuple(answer_lines(c, sketch, ways))))
    if c.chance(10) and sketch.wanted.design is None:
        sections.append((_paradigm(c, _compatible(c, ways), _in(c, sketch)), ()))
    return sections


def _plain(sketch: Sketch, way: Way) -> tuple[Section, ...]:
    """The plainest design in which a path changes."""
    frame = " in ~main~" if len(sketch.frames) > 1 else ""
    if not sketch.matrix:
        return ((f"paradigm ~cells~ = {way.path}{frame}", ()),)
    line = f"{way.path} cycles {' | '.join(way.values)} every 1"
    matrix: Section = (f"matrix ~base~ = 4 items{frame}", (line,))
    spare = {way.object, *sketch.fillers}
    others = [x.path for x in sketch.things if sketch.overt(x) and x.path not in spare]
    edits = [f"~AE~: flip {way.path}", *(f'~WN~: replace {x} with "wrong"' for x in others[-1:])]
    crossed = sketch.wanted.crossed
    if len(edits) > crossed and (crossed or sketch.wanted.answers):
        return matrix, (f"answers{' crossed' * crossed}", tuple(edits))
    return (matrix,)


# --- what can change ---------------------------------------------------------------------------


def _ways(c: Choices, sketch: Sketch) -> list[Way]:
    ways: list[Way] = []
    genders, numbers = c.chance(30), c.chance(50)
    for x in sketch.things:
        if x.path == sketch.missing:
            continue
        ways += [
            Way(f"{x.path}.~{a}~", values)
            for a, values in x.attributes
            if a in sketch.showing.get(x.name, ())
        ]
        if x.worded:
            ways.append(Way(f"{x.path}.~def~", tuple(value for value, _ in x.worded)))
        if genders and sketch.gendered and x in sketch.nouns and not x.optional:
            ways.append(Way(f"{x.path}.~gender~", ("m", "f")))
        kinds = tuple(value for value, _ in x.kinds)
        if x.optional:
            shown = dict(x.attributes).get("number", ())
            values = kinds or (shown if numbers else ()) or ("present",)
            ways.append(Way(x.path, ("absent", *values), flips=False))
        elif kinds:
            ways.append(Way(x.path, kinds))
        if len(x.sites) > 1:
            ways.append(Way(f"{x.path}.site", tuple(f"~{s}~" for s in x.sites)))
    return ways


def _compatible(c: Choices, ways: Sequence[Way]) -> list[Way]:
    chosen: list[Way] = []
    for way in c.some(ways, 1, 3):
        if not _clash(way, chosen):
            chosen.append(way)
    return chosen


def _clash(way: Way, others: Sequence[Way]) -> bool:
    """Whether a way sets the same as another: its object's presence, or an attribute by a kind."""
    return any(
        way.path == other.path
        or (way.object == other.object and "absent" in (way.values[0], other.values[0]))
        for other in others
    )


# --- designs -----------------------------------------------------------------------------------


def _in(c: Choices, sketch: Sketch) -> str:
    if not c.chance(50) and len(sketch.frames) == 1:
        return ""
    return f" in {' | '.join(c.some(sketch.frames, 1, 2))}"


def _tail(c: Choices, sketch: Sketch, free: Sequence[Way]) -> str:
    """What follows the factors: frames, what varies from instance to instance, fixed values."""
    varying = c.part(lambda: c.some(free, 1, 1) if c.chance(25) else [])
    fixable = [way for way in free if not _clash(way, varying)]
    fixed = c.part(lambda: c.some(fixable, 1, 1) if c.chance(25) else [])
    tail = _in(c, sketch)
    for way in varying:
        tail += f" varying {way.path}"
        if c.chance(50) or way.values[0] == "absent":
            tail += f" ({' | '.join(way.values)})"
    for way in fixed:
        tail += f" with {way.path} = {c.pick(way.values)}"
    return tail


def _paradigm(c: Choices, varied: Sequence[Way], tail: str) -> str:
    factors = []
    for way in varied:
        if c.chance(60) or "absent" in way.values:
            factors.append(f"{way.path} ({' | '.join(c.order(way.values))})")
        else:
            factors.append(way.path)
    doc = ' "all of them"' if c.chance(10) else ""
    where = c.part(lambda: _where(c, varied) if c.chance(20) else "")
    return f"paradigm ~cells~{doc} = {c.pick((' × ', ' * ')).join(factors)}{tail}{where}"


def _where(c: Choices, varied: Sequence[Way]) -> str:
    """A test about one or two factors, which leaves some of their combinations out."""
    tests = []
    for way in [way for way in varied if len(way.values) > 1][:2]:
        value = c.pick(way.values)
        tests.append(c.pick((f"{way.path} = {value}", f"{way.path} != {value}")))
    if len(tests) < 2:
        return "".join(f" where {test}" for test in tests)
    one, other = tests
    joined = (f"{one} or {other}", f"not ({one} and {other})", f"{one} or not {other}")
    return f" where {c.pick(joined)}"


def _odometer(c: Choices, sketch: Sketch, varied: Sequence[Way], tail: str) -> Section:
    cycles = []  # the values in their order, how many are shown, items needed besides a period
    for way in varied[:2]:
        values = c.order(way.values)
        shown = 2 if c.chance(50) else len(values)
        if len(values) - shown == 1:
            sketch.unshown.append(way.path)
        cycles.append((way, values, shown, 1 if shown == len(values) else 2))
    least = max(shown + more for _, _, shown, more in cycles)
    length = c.pick([n for n in (4, 4, 6, 3, 8) if n >= least])
    lines = []
    for way, values, shown, more in cycles:
        count = "" if shown == len(values) else f"{shown} of "
        every = c.pick([n for n in (1, 2, 3) if n * shown + more <= length])
        under = c.pick(("", "", "", " under I"))
        lines.append(f"{way.path} cycles {count}{' | '.join(values)} every {every}{under}")
    return f"matrix ~base~ = {length} items{tail}", tuple(lines)


def _items(c: Choices, varied: Sequence[Way], tail: str) -> Section:
    lines = ["| " + " | ".join(way.path for way in varied)]
    for number in range(c.number(2, 4)):
        cells = (c.pick(way.values).replace("absent", "-") for way in varied)
        lines.append(f"{number + 1} | {' | '.join(cells)}")
    return f"matrix ~base~ = items{tail}", tuple(lines)
