"""Hypothesis strategies for small random grammars with their tables.

A `Program` is kept in parts, with its identifiers marked (``~subj~``), so that it can be written
with other names, another layout, its tables turned round, or claims added to its answers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from merula.compiler import Compiled, compile_source
from merula.language.source import Source

T = TypeVar("T")
NAME = re.compile(r"~([^~\n]+)~")
CLAIM = re.compile(r"<claim:([^>]+)>")

TIMES = int(os.environ.get("MERULA_EXAMPLES", "1"))  # 20 looks for what nobody has met yet


def examples(number: int) -> settings:
    """As many examples, the same ones every time unless more are wanted."""
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        suppress_health_check=list(HealthCheck),
    )


@dataclass(frozen=True)
class TableText:
    """A table: its name, the word after ``lexicon`` (perhaps none), marked header and cells."""

    name: str
    kind: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def permuted(self, rows: Sequence[int], columns: Sequence[int]) -> TableText:
        """The table with its rows and columns in another order."""
        return TableText(
            self.name,
            self.kind,
            tuple(self.header[c] for c in columns),
            tuple(tuple(self.rows[r][c] for c in columns) for r in rows),
        )


@dataclass(frozen=True)
class Program:
    """A grammar in parts; ``sections`` are head lines with the entries under them."""

    sections: tuple[tuple[str, tuple[str, ...]], ...]
    tables: tuple[TableText, ...]
    claims: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def _named(self, text: str) -> str:
        return NAME.sub(lambda found: self.names.get(found[1], found[1]), text)

    @property
    def marked_names(self) -> tuple[str, ...]:
        """The identifiers that can be renamed, in a fixed order."""
        texts = [t for head, entries in self.sections for t in (head, *entries)]
        texts += [t for table in self.tables for t in (table.kind, *table.header)]
        texts += [cell for table in self.tables for row in table.rows for cell in row]
        return tuple(sorted({name for text in texts for name in NAME.findall(text)}))

    @property
    def text(self) -> str:
        """The source text."""
        lines = []
        for head, entries in self.sections:
            lines += [head, *(f"  {entry}" for entry in entries)]
        text = "\n".join(lines) + "\n"
        return self._named(CLAIM.sub(lambda found: self.claims.get(found[1], ""), text))

    @property
    def files(self) -> dict[str, str]:
        """The contents of the tables, by name."""
        return {
            table.name: "".join(
                self._named("\t".join(cells)) + "\n" for cells in (table.header, *table.rows)
            )
            for table in self.tables
        }

    def compile(self, text: str | None = None) -> Compiled:
        """Compile the program, or another text with its tables."""
        source = Source("random.merula", self.text if text is None else text)
        return compile_source(source, tables=self.files)

    def show(self) -> str:
        """All of it, for a reader."""
        return self.text + "".join(f"\n--- {n}\n{t}" for n, t in self.files.items())

    def renamed(self, names: Mapping[str, str]) -> Program:
        """The program with other identifiers."""
        return replace(self, names=names)

    def claiming(self, claims: Mapping[str, str]) -> Program:
        """The program with claims (``breaks E agreement``) for some labels."""
        return replace(self, claims={k: f" {v}" for k, v in claims.items()})


# --- words -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tongue:
    """Words of a language that change, or make others change, beside each other."""

    code: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    before: Mapping[str, tuple[str, ...]]  # number → what can stand before a noun
    small: tuple[str, ...]
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


TONGUES = (
    Tongue(
        "fr",
        ("ami", "chat", "école", "héros", "Ami", "le", "un", "il dort"),
        ("dort", "arrive", "est", "de"),
        {"sg": ("le", "la", "de le", "à le", "de", "l'", ""), "pl": ("les", "de les", "des", "")},
        ("de", "que", "le", ",", "à", "et", "ne", "", "lorsque il"),
    ),
    Tongue(
        "it",
        ("amico", "zio", "cane", "erba", "studente", "è", "di"),
        ("dorme", "esce", "va", "a"),
        {"sg": ("il", "la", "di il", "a la", "un", "di", ""), "pl": ("i", "di i", "le", "gli", "")},
        ("di", "e", "a", "il", ",", "in", "", "di l'"),
    ),
    Tongue(
        "en",
        ("apple", "dog", "hour", "sheep", "unit", "a", "an egg", "A dog"),
        ("sleeps", "eats", "put", "a"),
        {"sg": ("a", "the", "", "one"), "pl": ("the", "some", "")},
        ("a", "that", "of a", ",", "and", "the", "", "a."),
    ),
    Tongue(
        "",
        ("x", "y", "x y", "z", "z?", "X"),
        ("v", "w", "x", "w."),
        {"sg": ("", "p"), "pl": ("", "q", "p")},
        ("p", "x", "y", ",", "?"),
    ),
    Tongue(  # few words, so that cells are often one sentence
        "",
        ("x", "y", "x y", "x x", "X"),
        ("x", "y", "x y", "x."),
        {"sg": ("", "", "x"), "pl": ("", "", "x", "y")},
        ("x", "y", "", ".", "x x", "x  x", "x "),
        {"~pl~": ("", " x", " y", "s"), "~coord~": ("", " x"), "~pst~": ("", " y", " x")},
    ),
)


# --- shapes ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Thing:
    """An object: one that inflects for attributes, or a function word with ``kinds``."""

    name: str
    category: str
    optional: bool = False
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()  # value → its words as written, or nothing
    worded: tuple[tuple[str, str], ...] = ()  # the same for the values of its attribute `def`
    sites: tuple[str, ...] = ()
    position: bool = False
    in_set: bool = False

    @property
    def lexical(self) -> bool:
        """Whether its words stand in a table."""
        return not self.kinds and not self.position and not self.worded

    @property
    def declared(self) -> str:
        """Its line under ``objects``."""
        mark = "?" if self.optional else ""
        category = "position" if self.position else f"~{self.category}~"
        features = ", ".join(f"~{a}~" for a, _ in self.attributes)
        return f"~{self.name}~{mark} : {category}" + (f" ({features})" if features else "")


@dataclass(frozen=True)
class Way:
    """A path that a design can vary, with the values written for it."""

    path: str
    values: tuple[str, ...]
    flips: bool = True  # two values that an edit can exchange


class _Builder:
    """Draws one program, part by part."""

    def __init__(self, draw: st.DrawFn, *, answers: bool, crossed: bool) -> None:
        self.draw, self.answers = draw, answers
        kinds = ("paradigm", "paradigm", "odometer", "odometer", "table")
        self.kind = "odometer" if answers or crossed else self.pick(kinds)
        self.crossed = crossed or (not answers and self.chance(15))
        self.tongue = self.pick(TONGUES)
        self.showing: dict[str, list[str]] = {}  # the attributes that an object's forms show

    # --- small draws

    def pick(self, options: Sequence[T]) -> T:
        return self.draw(st.sampled_from(options))

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Different ones of some options, in any order."""
        most = min(most, len(options))
        if most == 0:
            return []
        numbers = st.lists(
            st.integers(0, len(options) - 1), min_size=min(least, most), max_size=most, unique=True
        )
        return [options[i] for i in self.draw(numbers)]

    def order(self, options: Sequence[T]) -> list[T]:
        return list(self.draw(st.permutations(options)))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(1, 100)) > 100 - percent

    def number(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def quoted(self, options: Sequence[str]) -> str:
        return f'"{self.pick(options)}"'

    # --- the whole

    def program(self) -> Program:
        self._attributes()
        self._things()
        frames = self._frames()
        tables = self._tables()
        selections = self._selections()
        external, internal = self._rules()
        designs = self._designs()
        sections: list[tuple[str, tuple[str, ...]]] = [("phenomenon ~thing~", ())]
        if self.tongue.code:
            sections.append((f"language {self.tongue.code}", ()))
        for table in tables:
            kind = f"{table.kind} " if table.kind else ""
            sections.append((f'lexicon {kind}"{table.name}"', ()))
        sections.append(("objects", tuple(x.declared for x in self.things)))
        sections.append(("attributes", tuple(self._attribute_lines())))
        for head, entries in (("external", external), ("internal", internal)):
            if entries:
                sections.append((head, tuple(entries)))
        if selections:
            sections.append(("select", tuple(selections)))
        sections.append(("frames", tuple(frames)))
        sections += designs
        return Program(tuple(sections), tuple(tables))

    # --- objects and attributes

    def _attributes(self) -> None:
        three = self.chance(10)
        self.values = {
            "number": ("~sg~", "~pl~", "~du~") if three else ("~sg~", "~pl~"),
            "link": ("~pp~", "~coord~"),
            "tense": ("~prs~", "~pst~"),
        }

    def _things(self) -> None:
        mode = self.pick(("sets", "lexemes", "lexemes", "mixed"))
        number = ("number", self.values["number"])
        link = ("link", self.values["link"])
        tense = ("tense", self.values["tense"])
        noun_has: tuple[tuple[str, tuple[str, ...]], ...] = (number,)
        if self.chance(25):
            noun_has = self.pick(((number, link), (), (link,)))
        self.things: list[Thing] = []
        names = ("subj", "att", "obj")[: self.pick((1, 2, 2, 2, 3))]
        for name in names:
            in_set = mode == "sets" or (mode == "mixed" and self.chance(50))
            has = (number, link) if name == "att" and in_set and self.chance(40) else noun_has
            optional = name != "subj" and self.chance(40)
            self.things.append(Thing(name, "N", optional, has, in_set=in_set))
        if self.chance(80):
            verb_has = self.pick(((number,), (number,), (number, tense), (tense,), ()))
            in_set = mode == "sets" or (mode == "mixed" and self.chance(50))
            self.things.append(Thing("verb", "V", self.chance(8), verb_has, in_set=in_set))
        if self.chance(45):
            self.things.append(self._function_word("comp", optional=self.chance(25)))
        if self.chance(35):
            sites = self.pick(((), ("near", "far"), ("near", "far"), ("near",)))
            word = self._function_word("npi", optional=self.chance(15))
            self.things.append(replace(word, sites=sites))
        nouns = [x for x in self.things if x.category == "N"]
        if self.chance(15) and len(nouns) > 1:
            self.things.append(self._position(nouns))
        if self.chance(20):
            self.things.append(self._determiner())
        self.complement = self.has("comp") and self.has("verb") and self.chance(50)
        self.gendered = self.chance(25)

    def _function_word(self, name: str, *, optional: bool) -> Thing:
        texts = [w for w in self.tongue.small if w]
        many = ", ".join(f'"{w}"' for w in self.some(texts, 2, 3))
        yes = self.pick((self.quoted(self.tongue.small), f'"{name}"'))
        empty = '"no"' if optional else '""'  # it would look as if it were absent
        no = self.pick((self.quoted(self.tongue.small), many, many, many, empty))
        return Thing(name, "P", optional, kinds=(("yes", yes), ("no", no)))

    def _determiner(self) -> Thing:
        texts = [w for w in self.tongue.small if w]
        one, *more = self.some(texts, 2, 4)
        worded = (("~d1~", f'"{one}"'), ("~d2~", ", ".join(f'"{w}"' for w in more)))
        return Thing("det", "D", self.chance(20), worded=worded)

    def _position(self, nouns: Sequence[Thing]) -> Thing:
        words = [self.quoted(self.tongue.small) if self.chance(50) else "" for _ in nouns]
        if self.has("verb") and self.chance(40):
            words[-1] = "~verb~.~prep~"
        kinds = tuple((f"~{x.name}~", w) for x, w in zip(nouns, words, strict=True))
        return Thing("role", "position", self.chance(30), kinds=kinds, position=True)

    def has(self, name: str) -> bool:
        return any(x.name == name for x in self.things)

    def thing(self, name: str) -> Thing:
        return next(x for x in self.things if x.name == name)

    @property
    def prep(self) -> bool:
        """Whether a position takes its word from the verb."""
        return any(w == "~verb~.~prep~" for x in self.things for _, w in x.kinds)

    def _attribute_lines(self) -> list[str]:
        used = dict.fromkeys(a for x in self.things for a, _ in x.attributes)
        lines = [f"~{a}~ = {' | '.join(self.values[a])}" for a in used]
        for x in self.things:
            if x.kinds:
                written = (f"{value} {words}".strip() for value, words in x.kinds)
                lines.append(f"~{x.name}~ = {' | '.join(written)}")
            if x.worded:
                written = (f"{value} {words}" for value, words in x.worded)
                lines.append(f"~{x.name}~.~def~ = {' | '.join(written)}")
            if x.sites:
                lines.append(f"~{x.name}~.site = {' | '.join(f'~{s}~' for s in x.sites)}")
        return lines

    # --- frames

    def _frames(self) -> list[str]:
        items = [f"~{x.name}~" for x in self.things if not x.sites]
        self.missing = ""
        if self.chance(12) and len(items) > 2:
            self.missing = self.pick(items)  # an object that no sentence has
            items.remove(self.missing)
        items = self.order(items)
        for x in self.things:
            for site in x.sites:
                items.insert(self.number(0, len(items)), f"@~{site}~")
        for _ in range(self.pick((0, 0, 1, 1, 2))):
            items.insert(self.number(0, len(items)), self.quoted(self.tongue.small))
        self.bracket = self.chance(60)
        if self.bracket:
            start = self.number(0, len(items) - 1)
            end = self.number(start + 1, len(items))
            items[start:end] = [f"[~dom~ {' '.join(items[start:end])}]"]
        if self.chance(30):
            at = self.number(0, len(items) - 1)
            items[at] = self._alternatives(items[at])
        frames = [f"~main~ = {' '.join(items)}"]
        self.frames = ["~main~"]
        if self.chance(25):
            before = self.quoted(self.tongue.small)
            frames.append(f"~outer~ = {before} [~cl~ ~main~]")
            self.frames.append("~outer~")
            if self.chance(30):
                frames.append(f"~outmost~ = ~outer~ {self.quoted(self.tongue.small)}")
                self.frames.append("~outmost~")
        return frames

    def _alternatives(self, item: str) -> str:
        word = self.quoted(self.tongue.small)
        guards = [
            f"~{x.name}~.~{a}~ {self.pick(('=', '='))} {values[0]}"
            for x in self.things
            for a, values in x.attributes
        ]
        guards += [f"~{x.name}~" for x in self.things if x.optional or "yes" in dict(x.kinds)]
        guards += [f"not {guard}" for guard in guards]
        if guards and self.chance(60):
            last = item if self.chance(60) else f"{guards[-1]}: {item}"
            return f"({self.pick(guards)}: {word} {item} | {last})"
        return self.pick((f"({word} {item} | {item})", f"({item} | {word} {item} {word})"))

    # --- tables

    def _tables(self) -> list[TableText]:
        tables = []
        in_sets = [x for x in self.things if x.lexical and x.in_set]
        if in_sets:
            tables.append(self._set_table("sets.tsv", in_sets))
        columns: dict[str, dict[str, tuple[str, ...]]] = {}
        for category in ("N", "V"):
            members = [x for x in self.things if x.category == category and not x.in_set]
            if members:
                columns[category] = self._lexemes(category, members)
        if len(columns) == 2 and self.chance(30):
            tables.append(_joined("words.tsv", columns))
        else:
            tables += [
                TableText(
                    f"{category.lower()}.tsv",
                    f"~{category}~",
                    tuple(found),
                    tuple(zip(*found.values(), strict=True)),
                )
                for category, found in columns.items()
            ]
        return tables

    def _set_table(self, name: str, things: Sequence[Thing]) -> TableText:
        size = self.number(3, 6)
        columns: dict[str, tuple[str, ...]] = {}
        if self.chance(70):
            columns["set"] = tuple(f"s{i}" for i in range(size))
            if self.number(0, 60) == 37:
                columns["set"] = (*columns["set"][1:], columns["set"][1])
        for x in things:
            for column, forms in self._forms(x, size).items():
                title = ".".join((f"~{x.name}~", column)) if column else f"~{x.name}~"
                columns[title] = forms
        verb = next((x for x in things if x.name == "verb"), None)
        nouns = [x.name for x in things if x.category == "N"]
        columns.update(self._feature_columns("set", size))
        for noun in nouns:
            if self.chance(25):  # features of one object go before those of the whole set
                for column, cells in self._feature_columns("N", size).items():
                    if self.chance(60):
                        columns[f"~{noun}~.{column}"] = cells
        if self.gendered:
            columns["~gender~"] = self._genders(size)
            for noun in nouns:
                if self.chance(70):
                    columns[f"~{noun}~.~gender~"] = self._genders(size)
        if verb is not None and self.complement:
            columns["~verb~.~complement~"] = self._yes_no(size)
        if verb is not None and self.prep:
            columns.update(self._prepositions("~verb~.~prep~", size))
        if verb is not None:
            columns["~wants~"] = self._wants(size)
        return TableText(name, "sets", tuple(columns), tuple(zip(*columns.values(), strict=True)))

    def _lexemes(self, category: str, things: Sequence[Thing]) -> dict[str, tuple[str, ...]]:
        size = self.number(3, 4) if len(things) < 3 else 3
        forms = self._forms(things[0], size)
        self.showing.update({x.name: self.showing[things[0].name] for x in things})
        columns: dict[str, tuple[str, ...]] = {}
        columns["lemma"] = tuple(f"{category.lower()}{i}" for i in range(size))
        if list(forms) == [""]:
            if self.chance(50):
                words = dict.fromkeys(forms[""])
                if len(words) == size and "" not in words:
                    columns["lemma"] = forms[""]
        else:
            columns.update(forms)
        columns.update(self._feature_columns(category, size))
        if self.gendered and category == "N":
            columns["~gender~"] = self._genders(size)
        if category == "V":
            if self.complement:
                columns["~complement~"] = self._yes_no(size)
            if self.prep:
                columns.update(self._prepositions("~prep~", size))
            columns["~wants~"] = self._wants(size)
        return columns

    def _forms(self, x: Thing, size: int) -> dict[str, tuple[str, ...]]:
        """The forms of some lexemes, a column for each combination of values."""
        lists = [values for _, values in x.attributes]
        if len(lists) == 2 and self.chance(25):
            lists.pop()  # an attribute that no form shows
        self.showing[x.name] = [a for a, _ in x.attributes][: len(lists)]
        combos = list(product(*lists))
        rows = [self._inflected(x, combos) for _ in range(size)]
        return {".".join(c): tuple(row[i] for row in rows) for i, c in enumerate(combos)}

    def _inflected(self, x: Thing, combos: Sequence[tuple[str, ...]]) -> list[str]:
        stem = self.pick(self.tongue.verbs if x.name == "verb" else self.tongue.nouns)
        syncretic = self.number(0, 9) in (3, 7)
        before = self.chance(50) and x.name != "verb"
        forms = []
        for combo in combos:
            endings = "".join(
                self.pick(self.tongue.endings[v]) if v in self.tongue.endings else _ENDINGS[v]
                for v in combo
            )
            front = ""
            if before:
                front = self.pick(self.tongue.before["sg" if "~sg~" in combo else "pl"])
            form = f"{front} {stem}" if syncretic else f"{front} {stem}{endings}"
            forms.append("" if self.number(0, 60) == 37 else form.replace("' ", "'").strip())
        return forms

    def _words(self, size: int) -> tuple[str, ...]:
        return tuple(self.pick(self.tongue.small) for _ in range(size))

    def _prepositions(self, column: str, size: int) -> dict[str, tuple[str, ...]]:
        """The column of a position's word, and perhaps one for what fills it."""
        columns = {column: self._words(size)}
        filler = next(value for value, word in self.thing("role").kinds if word)
        if self.chance(50):
            columns[f"{column}.{self.pick((filler, '~subj~'))}"] = self._words(size)
        return columns

    def _yes_no(self, size: int) -> tuple[str, ...]:
        rest = (self.pick(("yes", "no", "yes", "no", "*", "")) for _ in range(size - 2))
        return tuple(self.order(("yes", "no", *rest)))

    def _genders(self, size: int) -> tuple[str, ...]:
        rest = (self.pick(("m", "f", "m", "f", "*", "", "m | f")) for _ in range(size - 2))
        return tuple(self.order(("m", "f", *rest)))

    def _wants(self, size: int) -> tuple[str, ...]:
        options = ["*", "", "not human", "sort = thing", "proper", "human or thing", "*"]
        return tuple(self.pick(("human", "thing", *options)) for _ in range(size))

    def _feature_columns(self, category: str, size: int) -> dict[str, tuple[str, ...]]:
        if category == "V":
            return {"scene": self._scenes(size)}
        sorts = ("human", "thing", "human | thing", "*", "", "human")
        return {
            "sort": ("human", *(self.pick(sorts) for _ in range(size - 2)), "thing"),
            "proper": tuple(self.pick(("yes", "no", "")) for _ in range(size)),
            "scene": self._scenes(size),
        }

    def _scenes(self, size: int) -> tuple[str, ...]:
        scenes = ("home", "home | court", "*", "*", "home", "", "sea | home", "sea")
        return tuple(self.pick(scenes) for _ in range(size))

    # --- selection

    def _selections(self) -> list[str]:
        lexical = [x for x in self.things if x.lexical]
        lexemes = [x for x in lexical if not x.in_set]
        sharing = [*lexemes, *[x for x in lexical if x.in_set][-1:]]  # a set is chosen as a whole
        nouns = [x for x in lexical if x.category == "N"]
        simple = ("human", "not proper", "human or thing", "sort = thing", "sort = human | thing")
        verb = self.has("verb")
        entries = []
        for _ in range(self.pick((0, 1, 1, 1, 2, 3))):
            kind = self.pick(("is", "is", "wants", "wants", "differ", "share"))
            if kind == "is":
                names = self.some(nouns, 1, 2)
                entries.append(f"{_listed(names)} is {self.pick(simple)}")
            elif kind == "wants" and verb:
                more = self.pick(("", "", " and not proper", " or human"))
                entries.append(f"{_listed(self.some(nouns, 1, 2))} is ~verb~.~wants~{more}")
            elif kind == "differ" and len(lexemes) > 1:
                entries.append(f"{_listed(self.some(lexemes, 2, 3))} differ")
            elif kind == "share" and len(sharing) > 1:
                entries.append(f"{_listed(self.some(sharing, 2, 3))} share scene")
        return list(dict.fromkeys(entries))

    # --- rules

    def _rules(self) -> tuple[list[str], list[str]]:
        external, internal = [], []
        numbered = [x for x in self.things if "number" in dict(x.attributes)]
        nouns = [x for x in numbered if x.category == "N"]
        verb = next((x for x in numbered if x.name == "verb"), None)
        linked = next((x for x in self.things if "link" in dict(x.attributes)), None)
        self.agrees = self.licensed = False
        self.ruled: list[str] = []  # other paths that a rule wants to have a value
        if verb is not None and nouns and nouns[0].name == "subj" and self.chance(85):
            self.agrees = True
            controller = "~subj~"
            if self._all_numbered("role") and self.chance(60):
                controller = "~role~"  # the verb agrees with whatever fills the position
            equation = f"~verb~.~number~ = {controller}.~number~"
            if linked is not None and self.chance(50):
                condition = f"~{linked.name}~.~link~ = ~coord~"
                equation = f"{condition} -> ~verb~.~number~ = ~pl~ else {equation}"
            external.append(f"~agreement~: {equation}")
        if self.complement and self.chance(80):
            external.append('~complementation~ "why": ~verb~.~complement~ = ~comp~')
        if self.has("npi") and self.chance(70 if self.kind == "paradigm" else 40):
            self.licensed = True
            needs = [f"~{x.name}~" for x in self.things if x.name == "comp"]
            inside = ["~npi~ inside ~dom~"] if self.bracket else []
            if needs:
                joined = " and ".join([needs[0], *inside]) if self.chance(50) else needs[0]
                external.append(f"~licensing~: ~npi~ needs {joined}")
            elif inside:
                external.append(f"~licensing~: {inside[0]}")
        if linked is not None and self.chance(30):
            internal.append(f"~linking~: ~{linked.name}~.~link~ = ~pp~")
            self.ruled.append(f"~{linked.name}~.~link~")
        if self.agrees and len(nouns) > 1 and self.chance(60):
            others = " and ".join(f"~{x.name}~.~number~" for x in nouns[1:])
            internal.append(f"~attraction~: ~verb~.~number~ ignores {others}")
        tensed = self.has("verb") and "tense" in dict(self.thing("verb").attributes)
        if tensed and self.has("comp") and self.chance(50):
            internal.append("~tenses~: ~comp~ = yes -> ~verb~.~tense~ = ~pst~")
            self.ruled.append("~verb~.~tense~")
        if self.gendered and len(nouns) > 1 and self.chance(40):
            external.append(f"~genders~: ~subj~.~gender~ = ~{nouns[1].name}~.~gender~")
        elif self.gendered and self.has("comp") and self.chance(20):
            external.append("~genders~: ~subj~.~gender~ = f or not ~comp~")
        if self.has("role") and self.chance(60):
            internal.append(f"~filling~: {self._filling(tensed)}")
            self.ruled.append("~role~")
        if self.has("det") and self.chance(30):
            need = self.pick(("~d1~", "~d1~ | ~d2~", "~d2~"))
            internal.append(f"~definite~: ~det~.~def~ = {need}")
        return external, internal

    def _all_numbered(self, position: str) -> bool:
        """Whether all that can fill a position has a number."""
        if not self.has(position):
            return False
        fillers = [self.thing(value.strip("~")) for value, _ in self.thing(position).kinds]
        return all("number" in dict(x.attributes) for x in fillers)

    def _filling(self, tensed: bool) -> str:
        """A rule that says what fills the position, and brings it where it is optional."""
        fillers = [value for value, _ in self.thing("role").kinds]
        one, other = self.some(fillers, 2, 2)
        if tensed and self.chance(60):
            otherwise = self.pick(("", f" else ~role~ = {other}", " else not ~role~"))
            return f"~verb~.~tense~ = ~prs~ -> ~role~ = {one}{otherwise}"
        return f"~role~ = {one}"

    # --- designs

    def _ways(self) -> list[Way]:
        ways = []
        for x in self.things:
            if f"~{x.name}~" == self.missing and self.chance(80):
                continue
            ways += [
                Way(f"~{x.name}~.~{a}~", values)
                for a, values in x.attributes
                if a in self.showing.get(x.name, ()) or self.chance(5)
            ]
            if x.worded:
                ways.append(Way(f"~{x.name}~.~def~", tuple(value for value, _ in x.worded)))
            if self.gendered and x.category == "N" and self.chance(30):
                ways.append(Way(f"~{x.name}~.~gender~", ("m", "f")))
            kinds = tuple(value for value, _ in x.kinds)
            if x.optional:
                shown = dict(x.attributes).get("number", ())
                values = kinds or self.pick((shown, ("present",))) or ("present",)
                ways.append(Way(f"~{x.name}~", ("absent", *values), flips=False))
            elif kinds:
                ways.append(Way(f"~{x.name}~", kinds))
            if len(x.sites) > 1:
                ways.append(Way(f"~{x.name}~.site", tuple(f"~{s}~" for s in x.sites)))
        return ways

    def _designs(self) -> list[tuple[str, tuple[str, ...]]]:
        ways = self._ways()
        if not ways:
            return []
        if self.kind != "paradigm" and self.chance(90):  # the right answer has to be right
            determined = ["~verb~.~number~"] if self.agrees else []
            determined += ["~comp~", "~npi~", "~npi~.site"] if self.licensed else []
            determined += ["~det~.~def~", *self.ruled]
            ways = [w for w in ways if w.path not in determined] or ways
        kind = self.kind
        self.varied = self._compatible(ways, 1, 3)
        free = [w for w in ways if not self._clash(w, self.varied)]
        varying = self.some(free, 0, 1) if self.chance(30) else []
        fixable = [w for w in free if w not in varying]
        fixed = self.some(fixable, 0, 1) if self.chance(25) else []
        tail = ""
        if len(self.frames) > 1 or self.chance(50):
            tail += f" in {' | '.join(self.some(self.frames, 1, 2))}"
        for w in varying:
            tail += f" varying {w.path}"
            if w.values[0] == "absent" or self.chance(50):
                tail += f" ({' | '.join(w.values)})"
        for w in fixed:
            tail += f" with {w.path} = {self.pick(w.values)}"
        if kind == "paradigm":
            return [(self._paradigm(tail), ())]
        designs = [self._odometer(tail) if kind == "odometer" else self._item_table(tail)]
        if kind == "table" and self.chance(20):
            designs.append(("matrix ~turned~ = ~base~ swap 1, 2", ()))
        if self.chance(15):
            designs.append(("matrix ~copy~ = ~base~", ()))
        crossed = self._crossed(ways) if self.crossed else []
        if len(crossed) > 1:
            of = self.pick(("", " for ~base~", " for ~copy~, ~base~"))
            if "copy" in of and designs[-1][0] != "matrix ~copy~ = ~base~":
                of = ""
            designs.append((f"answers{of} crossed", tuple(crossed)))
        elif self.answers or self.chance(80):
            of = " for ~base~" if self.chance(50) else ""
            designs.append((f"answers{of}", tuple(self._answers(ways))))
        return designs

    def _compatible(self, ways: Sequence[Way], least: int, most: int) -> list[Way]:
        chosen: list[Way] = []
        for way in self.some(ways, least, most):
            if not self._clash(way, chosen):
                chosen.append(way)
        return chosen

    @staticmethod
    def _clash(way: Way, others: Sequence[Way]) -> bool:
        """Whether two ways set the same object (its presence, or an attribute by a kind)."""
        for other in others:
            if way.path == other.path:
                return True
            same = way.path.split(".")[0] == other.path.split(".")[0]
            if same and "absent" in (way.values[0], other.values[0]):
                return True
        return False

    def _paradigm(self, tail: str) -> str:
        factors = []
        for w in self.varied:
            values = list(w.values)
            if "absent" in values or self.chance(60):
                factors.append(f"{w.path} ({' | '.join(self.order(values))})")
            else:
                factors.append(w.path)
        return f"paradigm ~cells~ = {self.pick((' × ', ' * ')).join(factors)}{tail}"

    def _odometer(self, tail: str) -> tuple[str, tuple[str, ...]]:
        length = self.pick((4, 4, 6, 3, 8))
        lines = []
        for w in self.varied[:2]:
            values = self.order(w.values)
            count = "" if self.chance(60) else f"{min(2, len(values))} of "
            steps = [s for s in (1, 2, 3) if s * 2 <= length and s * len(values) < length]
            every = self.pick(steps or [1])
            under = self.pick(("", "", "", " under I"))
            lines.append(f"{w.path} cycles {count}{' | '.join(values)} every {every}{under}")
        return (f"matrix ~base~ = {length} items{tail}", tuple(lines))

    def _item_table(self, tail: str) -> tuple[str, tuple[str, ...]]:
        lines = ["| " + " | ".join(w.path for w in self.varied)]
        for n in range(self.number(2, 4)):
            cells = (self.pick(w.values).replace("absent", "-") for w in self.varied)
            lines.append(f"{n + 1} | {' | '.join(cells)}")
        return (f"matrix ~base~ = items{tail}", tuple(lines))

    # --- answers

    def _answers(self, ways: Sequence[Way]) -> list[str]:
        edits = self.order(list(dict.fromkeys(self._edits(ways))))
        always = [x.name for x in self.things if self._overt(x)]
        answers = []
        labels = ("~AE~", "~WN~", "~Other~", '"a label"')[: self.number(1, 4)]
        for n, label in enumerate(labels):
            remedies = [edits[n % len(edits)]]
            if self.chance(15):
                remedies[0] += f", {self.pick(edits)}"
            if self.chance(40):
                remedies.append(self.pick(edits))
            if always:
                remedies.append(f'replace ~{self.pick(always)}~ with "wrong{n}"')
            if self.chance(10) and "~verb~.~number~" in (w.path for w in ways):
                remedies[0] += " keeping ~verb~.~number~"
            claim = f"<claim:{label}>"
            answers.append(f"{label}{claim}: {' else '.join(dict.fromkeys(remedies))}")
        return answers

    def _crossed(self, ways: Sequence[Way]) -> list[str]:
        """Single edits, of which most commute."""
        edits = [f"flip {w.path}" for w in ways if w.flips and len(w.values) == 2]
        edits += [f"set {w.path} = unshown" for w in self.varied[:2] if len(w.values) == 3]
        if self.agrees:
            edits.append("flip ~verb~.~number~")
        edits += [f"add ~{x.name}~ else drop ~{x.name}~" for x in self.things if x.optional]
        overt = [x.name for x in self.things if self._overt(x)]
        if overt:
            edits.append(f'replace ~{self.pick(overt)}~ with "wrong"')
        labels = ("~AE~", "~WN~", "~Other~")
        chosen = self.some(list(dict.fromkeys(edits)), 2, 3)
        return [f"{label}: {edit}" for label, edit in zip(labels, chosen, strict=False)]

    def _overt(self, x: Thing) -> bool:
        """Whether an object stands in all sentences."""
        return not x.optional and not x.sites and f"~{x.name}~" != self.missing

    def _edits(self, ways: Sequence[Way]) -> list[str]:
        edits = []
        small = self.tongue.small
        for w in ways:
            if w.flips and len(w.values) == 2:
                edits.append(f"flip {w.path}")
            else:
                edits.append(f"set {w.path} = {self.pick(w.values)}")
        if {"~verb~.~number~", "~subj~.~number~"} <= {w.path for w in ways}:
            edits.append("flip ~subj~.~number~ keeping ~verb~.~number~")
            if self.chance(20):
                edits.append("set ~verb~.~number~ = ~subj~.~number~")
        for x in self.things:
            if x.optional:
                like = " like ~subj~" if x.category == "N" and self.chance(60) else ""
                edits.append(f"add ~{x.name}~{like} else drop ~{x.name}~")
        if self.has("det"):
            edits.append(f"replace ~det~.~def~ with {self.quoted((*small, 'new'))}")
        names = [x.name for x in self.things if not x.position and f"~{x.name}~" != self.missing]
        if len(names) > 1:
            one, other = self.some(names, 2, 2)
            edits.append(f"swap ~{one}~, ~{other}~")
            edits.append(f"replace ~{one}~ with ~{other}~")
            host = self.pick(("", f" with {self.quoted(small)}"))
            edits.append(f"embed ~{one}~ in ~{other}~{host}")
        edits.append(f"replace ~{self.pick(names)}~ with {self.quoted((*small, 'new'))}")
        has = [(x.name, a) for x in self.things for a in self.showing.get(x.name, ())]
        pairs = [(x, y, a) for x, a in has for y, b in has if a == b and x < y]
        if pairs:
            one, other, shared = self.pick(pairs)
            edits.append(f"swap ~{one}~.~{shared}~, ~{other}~.~{shared}~")
        return edits


_ENDINGS = {
    "~sg~": "",
    "~pl~": "s",
    "~du~": "u",
    "~pp~": "",
    "~coord~": "-c",
    "~prs~": "",
    "~pst~": "t",
}


def _listed(things: Sequence[Thing]) -> str:
    return ", ".join(f"~{x.name}~" for x in things)


def _joined(name: str, columns: Mapping[str, Mapping[str, tuple[str, ...]]]) -> TableText:
    """One table of all categories, with a column that names them."""
    header = dict.fromkeys(c for found in columns.values() for c in found)
    rows = []
    for category, found in columns.items():
        for i in range(len(next(iter(found.values())))):
            cells = (found[c][i] if c in found else "" for c in header)
            rows.append((f"~{category}~", *cells))
    return TableText(name, "", ("category", *header), tuple(rows))


@st.composite
def programs(draw: st.DrawFn, *, answers: bool = False, crossed: bool = False) -> Program:
    """Small grammars with tables; with ``answers``, all have a matrix and wrong answers.

    With ``crossed``, all have a matrix, and crossed answers where there are edits to be crossed.
    """
    return _Builder(draw, answers=answers, crossed=crossed).program()
