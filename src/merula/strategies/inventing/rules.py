"""The rules of a grammar, and which lexemes go together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.sketch import Sketch, Thing

Rules = tuple[list[str], list[str]]  # external and internal


def draw_rules(c: Choices, sketch: Sketch) -> Rules:
    """The entries under ``external`` and ``internal``."""
    external: list[str] = []
    internal: list[str] = []
    for rule in RULES:
        c.part(partial(rule, c, sketch, external, internal))
    return external, internal


def _agreement(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    linked = _linked(sketch)
    drawn = c.chance(85)
    numbered = [x for x in sketch.nouns if "number" in dict(x.attributes)]
    agreeing = sketch.has("verb") and sketch.thing("verb").has("number")
    if not (agreeing and numbered and numbered[0].name == "subj" and drawn):
        return
    sketch.agrees = True
    controller = "~subj~"
    if _all_numbered(sketch, "role") and c.chance(60):
        controller = "~role~"  # the verb agrees with whatever fills the position
    equation = f"~verb~.~number~ = {controller}.~number~"
    if linked is not None and c.chance(50):
        condition = f"{linked.path}.~link~ = ~coord~"
        equation = f"{condition} -> ~verb~.~number~ = ~pl~ else {equation}"
    doc = ' "as the subject"' if c.chance(15) else ""
    external.append(f"~agreement~{doc}: {equation}")
    if len(numbered) > 1 and c.chance(60):
        others = " and ".join(f"{x.path}.~number~" for x in numbered[1:])
        internal.append(f"~attraction~: ~verb~.~number~ ignores {others}")


def _complement(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del internal
    if c.chance(80) and sketch.complement:
        external.append('~complementation~ "why": ~verb~.~complement~ = ~comp~')


def _licensing(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del internal
    if not c.chance(60 if sketch.matrix else 80) or not sketch.has("npi"):
        return
    npi = sketch.thing("npi")
    stands = f"@~{npi.sites[0]}~" if npi.sites else npi.path
    inside = sketch.bracket and (not sketch.matrix or stands in sketch.inside)
    comp = sketch.thing("comp") if sketch.has("comp") else None
    if comp is not None and not (sketch.matrix and comp.optional):
        needs = comp.path
        if c.chance(60) and inside:
            needs = f"{needs} and ~npi~ inside ~dom~"
            if c.chance(40) and not sketch.matrix:
                needs = f"{comp.path} or not ~npi~ inside ~dom~"
        external.append(f"~licensing~: ~npi~ needs {needs}")
        sketch.licensed = True
    elif inside:
        external.append("~licensing~: ~npi~ inside ~dom~")
        sketch.licensed = True


def _linked(sketch: Sketch) -> Thing | None:
    return next((x for x in sketch.things if x.has("link")), None)


def _linking(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del external
    linked = _linked(sketch)
    if c.chance(30) and linked is not None:
        internal.append(f"~linking~: {linked.path}.~link~ = ~pp~")
        sketch.ruled.append(f"{linked.path}.~link~")


def _tensed(sketch: Sketch) -> bool:
    return sketch.has("verb") and sketch.thing("verb").has("tense")


def _tenses(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del external
    if c.chance(50) and _tensed(sketch) and sketch.has("comp"):
        internal.append("~tenses~: ~comp~ = yes -> ~verb~.~tense~ = ~pst~")
        sketch.ruled.append("~verb~.~tense~")


def _fills(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del external
    if c.chance(60) and sketch.has("role"):
        internal.append(f"~filling~: {_filling(c, sketch, _tensed(sketch))}")
        sketch.ruled.append("~role~")


def _definite(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del external
    if c.chance(30) and sketch.has("det"):
        need = c.pick(("~d1~", "~d1~ | ~d2~", "~d2~"))
        internal.append(f"~definite~: ~det~.~def~ = {need}")
        sketch.ruled.append("~det~.~def~")


def _genders(c: Choices, sketch: Sketch, external: list[str], internal: list[str]) -> None:
    del internal
    others = [x for x in sketch.nouns[1:] if sketch.overt(x)]
    if c.chance(40) and sketch.gendered and others:
        external.append(f"~genders~: ~subj~.~gender~ = {others[0].path}.~gender~")
        sketch.ruled += [f"{x.path}.~gender~" for x in sketch.nouns]
    elif c.chance(40) and sketch.gendered and sketch.has("comp") and not sketch.matrix:
        external.append("~genders~: ~subj~.~gender~ = f or not ~comp~")


def _all_numbered(sketch: Sketch, position: str) -> bool:
    """Whether all that can fill a position has a number."""
    if not sketch.has(position):
        return False
    fillers = [sketch.thing(value.strip("~")) for value, _ in sketch.thing(position).kinds]
    return all("number" in dict(x.attributes) for x in fillers)


def _filling(c: Choices, sketch: Sketch, tensed: bool) -> str:
    """A rule that says what fills the position, and brings it where it is optional."""
    role = sketch.thing("role")
    one, other = c.some([value for value, _ in role.kinds], 2, 2)
    if tensed and c.chance(60):
        ways = ["", f" else ~role~ = {other}"] + [" else not ~role~"] * role.optional
        return f"~verb~.~tense~ = ~prs~ -> ~role~ = {one}{c.pick(ways)}"
    return f"~role~ = {one}"


RULES = (_agreement, _complement, _licensing, _linking, _tenses, _genders, _fills, _definite)


# --- selections --------------------------------------------------------------------------------

SIMPLE = ("human", "not proper", "human or thing", "sort = thing", "sort = human | thing")


def draw_selections(c: Choices, sketch: Sketch) -> list[str]:
    """The entries under ``select``; what they ask for is noted for the tables."""
    entries: list[str] = []
    for percent in (80, 25, 10):
        entries += c.part(partial(_selection, c, sketch, percent))
    return list(dict.fromkeys(entries))


def _selection(c: Choices, sketch: Sketch, percent: int) -> list[str]:
    if not c.chance(percent):
        return []
    return c.pick((_is, _is, _wants, _wants, _differ, _share))(c, sketch)


def _is(c: Choices, sketch: Sketch) -> list[str]:
    said = c.pick(SIMPLE)
    _note(sketch, said)
    return [f"{_listed(c.some(sketch.nouns, 1, 2))} is {said}"]


def _wants(c: Choices, sketch: Sketch) -> list[str]:
    if not sketch.has("verb"):
        return []
    sketch.asked.wants = True
    more = c.pick(("", "", " and not proper", " or human"))
    _note(sketch, f"human{more}{' thing proper' * c.chance(50)}")
    return [f"{_listed(c.some(sketch.nouns, 1, 2))} is ~verb~.~wants~{more}"]


def _differ(c: Choices, sketch: Sketch) -> list[str]:
    lexemes = [x for x in sketch.things if x.lexical and not x.in_set]
    if len(lexemes) < 2:
        return []
    named = c.some(lexemes, 2, 3)
    nouns = sum(x.category == "noun" for x in named)
    sketch.asked.differ = max(sketch.asked.differ, nouns)
    return [f"{_listed(named)} differ"]


def _share(c: Choices, sketch: Sketch) -> list[str]:
    lexical = [x for x in sketch.things if x.lexical]
    sets = [x for x in lexical if x.in_set]  # one of them, for a set is chosen as a whole
    sharing = [*(x for x in lexical if not x.in_set), *sets[-1:]]
    if len(sharing) < 2:
        return []
    sketch.asked.scene = True
    return [f"{_listed(c.some(sharing, 2, 3))} share scene"]


def _note(sketch: Sketch, said: str) -> None:
    """Note what a selection asks for."""
    asked = sketch.asked
    asked.sorts += [sort for sort in ("human", "thing") if sort in said and sort not in asked.sorts]
    asked.proper |= "proper" in said


def _listed(things: Sequence[Thing]) -> str:
    return ", ".join(x.path for x in things)
