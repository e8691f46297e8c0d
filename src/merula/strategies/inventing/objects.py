"""The objects of a grammar, their attributes, and the frames in which they stand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.sketch import Sketch, Thing, Values

LINK = ("link", ("~pp~", "~coord~"))
TENSE = ("tense", ("~prs~", "~pst~"))
NUMBER = ("number", ("~sg~", "~pl~"))
THREE = ("number", ("~sg~", "~pl~", "~du~"))
Attribute = tuple[str, Values]


def draw_objects(c: Choices, sketch: Sketch) -> None:
    """Draw the objects, each with its attributes, kinds and sites."""
    mode = c.pick(("sets", "lexemes", "lexemes", "mixed"))
    number = THREE if c.chance(15) else NUMBER
    noun_has: tuple[Attribute, ...] = (number,)
    if c.chance(20):
        noun_has = c.pick(((number, LINK), (LINK,), ()))
    parts = (
        lambda: _noun(c, "subj", mode, number, noun_has),
        lambda: _noun(c, "att", mode, number, noun_has) if c.chance(80) else None,
        lambda: _noun(c, "obj", mode, number, noun_has) if c.chance(20) else None,
        lambda: _verb(c, sketch, mode, number, bool(noun_has)),
        lambda: _function_word(c, sketch, "comp", optional=c.chance(25)) if c.chance(45) else None,
        lambda: _polarity_item(c, sketch) if c.chance(35) else None,
        lambda: _position(c, sketch) if c.chance(25) else None,
        lambda: _determiner(c, sketch) if c.chance(20) else None,
    )
    for part in parts:
        found = c.part(part)
        if found is not None:
            sketch.things.append(found)
    sketch.complement = c.chance(50) and sketch.has("verb") and _firm_comp(sketch)
    sketch.gendered = c.chance(25)


def _firm_comp(sketch: Sketch) -> bool:
    return sketch.has("comp") and not sketch.thing("comp").optional


def _in_set(c: Choices, mode: str) -> bool:
    return mode == "sets" or (mode == "mixed" and c.chance(50))


def _noun(
    c: Choices, name: str, mode: str, number: Attribute, noun_has: tuple[Attribute, ...]
) -> Thing:
    in_set, own = _in_set(c, mode), noun_has
    if name == "att" and in_set and c.chance(40):
        own = (number, LINK)
    optional = name != "subj" and c.chance(40)
    fixed = c.pick(number[1]) if name == "obj" and number in own and c.chance(25) else ""
    return Thing(name, "noun", optional, own, in_set=in_set, fixed=fixed)


def _verb(
    c: Choices, sketch: Sketch, mode: str, number: Attribute, nouns_change: bool
) -> Thing | None:
    if not c.chance(80) and not sketch.crossed and nouns_change:
        return None
    has = c.pick(((number,), (number,), (number, TENSE), (TENSE,), ()))
    if not has and not nouns_change:
        has = (number,)  # something has to change
    optional = c.chance(8) and not sketch.crossed and nouns_change
    return Thing("verb", "verb", optional, has, in_set=_in_set(c, mode))


def _polarity_item(c: Choices, sketch: Sketch) -> Thing:
    sites = c.pick(((), ("near", "far"), ("near", "far"), ("near",)))
    return replace(_function_word(c, sketch, "npi", optional=c.chance(15)), sites=sites)


def _function_word(c: Choices, sketch: Sketch, name: str, *, optional: bool) -> Thing:
    texts = [word for word in sketch.tongue.small if word]
    yes = f'"{name}"'
    if c.chance(50):
        yes = c.quoted(texts)
    shapes = ["one", "many", "many"] if optional else ["one", "many", "many", "none"]
    shape = c.pick(shapes)  # an optional word without a form would look as if it were absent
    others = [word for word in texts if f'"{word}"' != yes]
    no = '""'
    if shape == "one":
        no = c.quoted(others)
    elif shape == "many":
        no = ", ".join(f'"{word}"' for word in c.some(others, 2, 3))
    return Thing(name, "particle", optional, kinds=(("yes", yes), ("no", no)))


def _determiner(c: Choices, sketch: Sketch) -> Thing:
    texts = [word for word in sketch.tongue.small if word]
    one, *more = c.some(texts, 2, 4)
    worded = (("~d1~", f'"{one}"'), ("~d2~", ", ".join(f'"{word}"' for word in more)))
    return Thing("det", "determiner", c.chance(20), worded=worded)


def _position(c: Choices, sketch: Sketch) -> Thing | None:
    fillers = [x for x in sketch.nouns if not x.optional]
    if len(fillers) < 2:
        return None
    words = [c.quoted(sketch.tongue.small) if c.chance(50) else "" for _ in fillers]
    if sketch.has("verb") and not sketch.thing("verb").optional and c.chance(40):
        words[-1] = "~verb~.~prep~"
    kinds = tuple((x.path, w) for x, w in zip(fillers, words, strict=True))
    return Thing("role", "position", c.chance(30), kinds=kinds, position=True)


def object_lines(c: Choices, sketch: Sketch) -> list[str]:
    """The entries under ``objects``; what is alike may stand in one line."""
    lines: list[str] = []
    together = c.chance(50)
    for x in sketch.things:
        head, _, rest = x.declared.partition(" : ")
        before, _, last = lines[-1].partition(" : ") if lines else ("", "", "")
        if rest == last and together:
            lines[-1] = f"{before}, {head} : {rest}"
        else:
            lines.append(x.declared)
    return lines


def attribute_lines(sketch: Sketch) -> list[str]:
    """The entries under ``attributes``."""
    used = {a: values for x in sketch.things for a, values in x.attributes}
    lines = [f"~{a}~ = {' | '.join(values)}" for a, values in used.items()]
    for x in sketch.things:
        if x.kinds:
            written = (f"{value} {words}".strip() for value, words in x.kinds)
            lines.append(f"{x.path} = {' | '.join(written)}")
        if x.worded:
            written = (f"{value} {words}" for value, words in x.worded)
            lines.append(f"{x.path}.~def~ = {' | '.join(written)}")
        if x.sites:
            lines.append(f"{x.path}.site = {' | '.join(f'~{s}~' for s in x.sites)}")
    return lines


# --- frames ------------------------------------------------------------------------------------


def frame_lines(c: Choices, sketch: Sketch) -> list[str]:
    """The entries under ``frames``."""
    words = [word for word in sketch.tongue.small if word]
    things = c.part(lambda: _framed(c, sketch))
    items = c.part(lambda: [x.path for x in c.order(things)])
    for x in sketch.things:
        c.part(partial(_insert_sites, c, sketch, items, x))
    for percent in (60, 20):
        c.part(partial(_insert_words, c, sketch, items, percent))
    c.part(lambda: _bracket(c, sketch, items))
    c.part(lambda: _choice(c, sketch, items))
    frames = [f"~main~ = {' '.join(items)}"]
    sketch.frames = ["~main~"]
    if c.chance(25):
        inner = "[~cl~ ~main~]" if c.chance(70) else "~main~"
        frames.append(f"~outer~ = {c.quoted(words)} {inner}")
        sketch.frames.append("~outer~")
        if c.chance(30):
            frames.append(f"~outmost~ = ~outer~ {c.quoted(words)}")
            sketch.frames.append("~outmost~")
    return frames


def _framed(c: Choices, sketch: Sketch) -> list[Thing]:
    """The objects that stand at a place of their own, perhaps all but one."""
    things = [x for x in sketch.things if not x.sites]
    spare = [x for x in things if x.name not in ("subj", "verb")]
    if c.chance(12) and spare:
        x = c.pick(spare)  # no sentence has it
        sketch.missing = x.path
        things.remove(x)
    return things


def _insert_words(c: Choices, sketch: Sketch, items: list[str], percent: int) -> None:
    if c.chance(percent):
        items.insert(c.number(0, len(items)), c.quoted(sketch.tongue.small))


def _bracket(c: Choices, sketch: Sketch, items: list[str]) -> None:
    sketch.bracket = c.chance(60)
    if sketch.bracket:
        start = c.number(0, len(items) - 1)
        end = c.number(start + 1, len(items))
        sketch.inside = items[start:end]
        items[start:end] = [f"[~dom~ {' '.join(sketch.inside)}]"]


def _choice(c: Choices, sketch: Sketch, items: list[str]) -> None:
    if c.chance(30):
        at = c.number(0, len(items) - 1)
        items[at] = _alternatives(c, sketch, items[at])


def _insert_sites(c: Choices, sketch: Sketch, items: list[str], x: Thing) -> None:
    """Put the sites of an object into a frame, the second one beyond something overt."""
    firm = {thing.path for thing in sketch.things if sketch.overt(thing)}
    for number, site in enumerate(x.sites):
        least = 0
        if number:
            after = range(items.index(f"@~{x.sites[0]}~") + 1, len(items))
            least = next((i + 1 for i in after if items[i] in firm), None) or 0
        if number and not least:  # nothing overt follows, so it stands before all
            items.insert(0, f"@~{site}~")
        else:
            items.insert(c.number(least, len(items)), f"@~{site}~")


def _alternatives(c: Choices, sketch: Sketch, item: str) -> str:
    word = c.quoted([word for word in sketch.tongue.small if word])
    guards = [f"{x.path}.~{a}~ = {values[0]}" for x in sketch.things for a, values in x.attributes]
    guards += [f"{x.path}.~{a}~ != {v[0]}" for x in sketch.things for a, v in x.attributes]
    guards += [x.path for x in sketch.things if x.optional or "yes" in dict(x.kinds)]
    guards += [f"not {guard}" for guard in guards]
    guards += [f"{guards[0]} and {guards[-1]}"] if guards else []
    if guards and c.chance(60):
        last = item if not c.chance(20) else f"{guards[-2]}: {item}"
        return f"({c.pick(guards)}: {word} {item} | {last})"
    return c.pick((f"({word} {item} | {item})", f"({item} | {word} {item} {word})"))
