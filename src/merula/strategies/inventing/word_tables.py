"""The tables of a grammar.

The first rows of a table are regular and fit what selections ask for, so that a design has an
instance; the others are as odd as they come. One table in ten has odd words only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from merula.lexicon.table import SETS
from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.sketch import Sketch, Thing
from merula.strategies.inventing.tongues import endings, odd_forms, unique
from merula.strategies.tables import TableText

Columns = dict[str, tuple[str, ...]]
MAX_STRANGE = 4  # columns that lexemes of no object fill: enough for two attributes


def draw_tables(c: Choices, sketch: Sketch) -> list[TableText]:
    """The tables that the objects need."""
    tables = []
    in_sets = [x for x in sketch.things if x.lexical and x.in_set]
    if in_sets:
        own = c.part(lambda: _sets(c, sketch, in_sets))
        tables.append(_table("sets.tsv", SETS, own))
    columns: dict[str, Columns] = {}
    for category in ("noun", "verb"):
        members = [x for x in sketch.things if x.category == category and not x.in_set]
        if members:
            columns[category] = c.part(partial(_lexemes, c, sketch, category, members))
    if c.chance(30) and columns:
        strangers = c.part(lambda: _strangers(c, sketch)) if c.chance(50) else {}
        categories = {**columns, "pronoun": strangers} if strangers else columns
        tables.append(_joined("words.tsv", categories))
    else:
        tables += [_table(f"{name}s.tsv", f"~{name}~", own) for name, own in columns.items()]
    return tables


def _table(name: str, kind: str, columns: Columns) -> TableText:
    return TableText(name, kind, tuple(columns), tuple(zip(*columns.values(), strict=True)))


def _strangers(c: Choices, sketch: Sketch) -> Columns:
    """Lexemes that no object has, with columns named after values of objects.

    In the rows of all other categories those columns are empty, unless they have them, too.
    """
    titles: dict[str, None] = {}
    for x in sketch.things:
        lists = [values for _, values in x.attributes] if x.lexical else []
        titles.update(dict.fromkeys(".".join(parts) for parts in product(*lists) if parts))
        titles.update(dict.fromkeys(value for values in lists for value in values))
    titles.update(dict.fromkeys(("m", "f") if sketch.gendered else ()))
    size, words = c.number(1, 2), [word for word in sketch.tongue.small if word]
    chosen = c.some(list(titles), 0, MAX_STRANGE)
    cells = {title: tuple(c.pick(words) for _ in range(size)) for title in chosen}
    return {"lemma": tuple(f"w{i}" for i in range(size)), **cells}


def _joined(name: str, columns: Mapping[str, Columns]) -> TableText:
    """One table of all categories, with a column that names them."""
    header = dict.fromkeys(title for found in columns.values() for title in found)
    rows = []
    for category, found in columns.items():
        for i in range(len(found["lemma"])):
            cells = (found[title][i] if title in found else "" for title in header)
            rows.append((f"~{category}~", *cells))
    return TableText(name, "", ("category", *header), tuple(rows))


# --- rows --------------------------------------------------------------------------------------


class _Rows:
    """How many rows a table has, and how many of them are regular."""

    def __init__(self, c: Choices, sketch: Sketch, regular: int, most: int) -> None:
        self.c, self.sketch = c, sketch
        needed = regular + (sketch.gendered or sketch.complement)
        self.size = needed + c.number(0, most - needed)
        self.named, self.own = c.chance(60), c.chance(30)
        self.fitting = needed  # rows that fit what is asked for
        self.regular = 0 if c.chance(10) else needed

    def column(self, firm: Sequence[str], odd: Callable[[], str]) -> tuple[str, ...]:
        """The cells of a column: those of rows that fit, again and again, and others."""
        own = (firm[row % len(firm)] for row in range(self.fitting))
        return (*own, *(odd() for _ in range(self.size - self.fitting)))

    def words(self) -> tuple[str, ...]:
        """A word in every row."""
        return tuple(self.c.pick(self.sketch.tongue.small) for _ in range(self.size))

    def forms(self, x: Thing, stems: Sequence[str]) -> tuple[list[str], Columns]:
        """The words of all rows, and their forms, a column for each combination of values."""
        lists = [values for _, values in x.attributes]
        if len(lists) == 2 and self.c.chance(25):
            lists.pop()  # an attribute that no form shows
        self.sketch.showing[x.name] = [a for a, _ in x.attributes][: len(lists)]
        titles = list(product(*lists))
        parts = [tuple(value.strip("~") for value in title) for title in titles]
        rows = []
        for row in range(self.size):
            if row < self.regular:
                stem = stems[row]
                own = [stem + ending for ending in endings(parts)]
            else:
                stem = self.c.pick(self.sketch.tongue.stems(x.category))
                own = self._odd(x, stem, parts, distinct=row == 0)
            rows.append([stem, *own])
        words, *forms = zip(*rows, strict=True)
        return list(words), {".".join(t): own for t, own in zip(titles, forms, strict=True)}

    def _odd(
        self, x: Thing, stem: str, parts: Sequence[tuple[str, ...]], *, distinct: bool
    ) -> list[str]:
        articles = x.category != "verb"
        tongue = self.sketch.tongue
        return odd_forms(self.c, tongue, stem, parts, articles=articles, distinct=distinct)


def _sets(c: Choices, sketch: Sketch, things: Sequence[Thing]) -> Columns:
    rows = _Rows(c, sketch, 1, 5)
    columns: Columns = {}
    if rows.named and rows.size > 1:
        columns["set"] = tuple(f"s{i}" for i in range(rows.size))
    for category in ("noun", "verb"):
        own = [x for x in things if x.category == category]
        stems = _stems(c, sketch, category, rows.regular * len(own))
        for i, x in enumerate(own):
            _, forms = rows.forms(x, stems[i * rows.regular :])
            for title, cells in forms.items():
                columns[f"{x.path}.{title}" if title else x.path] = cells
    nouns = [x for x in things if x.category == "noun"]
    columns |= _features(rows, "noun")
    for x in nouns:
        if rows.size > 1 and c.chance(
            15
        ):  # features of one object go before those of the whole set
            own_features = _features(rows, "noun").items()
            columns |= {f"{x.path}.{title}": cells for title, cells in own_features}
    if sketch.gendered:
        columns["~gender~"] = _genders(rows)
        columns |= {f"{x.path}.~gender~": _genders(rows) for x in nouns if rows.own}
    if any(x.name == "verb" for x in things):
        columns |= _of_verb(rows, "~verb~.")
    return columns


def _lexemes(c: Choices, sketch: Sketch, category: str, things: Sequence[Thing]) -> Columns:
    number = max(len(things), sketch.asked.differ if category == "noun" else 1)
    rows = _Rows(c, sketch, number, 4 if len(things) < 3 else 3)
    words, forms = rows.forms(things[0], _stems(c, sketch, category, rows.regular))
    for x in things:
        sketch.showing[x.name] = sketch.showing[things[0].name]
    columns: Columns = {"lemma": unique(words)}
    if list(forms) != [""]:
        columns |= forms
    columns |= _features(rows, category)
    if sketch.gendered and category == "noun":
        columns["~gender~"] = _genders(rows)
    if category == "verb":
        columns |= _of_verb(rows, "")
    return columns


def _stems(c: Choices, sketch: Sketch, category: str, number: int) -> list[str]:
    """Different words for regular rows."""
    known = list(sketch.tongue.stems(category))
    stems = c.some(known, min(number, len(known)), min(number, len(known)))
    return [*stems, *(f"{known[0]}{i}" for i in range(number - len(stems)))]


# --- features ----------------------------------------------------------------------------------

SORTS = ("human", "thing", "human | thing", "*", "")
SCENES = ("home", "home | court", "*", "sea", "sea | home", "")
WANTS = ("human", "*", "not human", "")
OF_THINGS = ("thing", "sort = thing", "human or thing")


def _features(rows: _Rows, category: str) -> Columns:
    """The columns that selections ask for, and perhaps some that nothing does."""
    c, asked = rows.c, rows.sketch.asked
    columns: Columns = {}
    if category == "noun":
        if c.chance(15) or asked.sorts:
            firm = " | ".join(asked.sorts) or "human"
            columns["sort"] = rows.column([firm], lambda: c.pick(SORTS))
        if c.chance(15) or asked.proper:
            columns["proper"] = rows.column(["no"], lambda: c.pick(("no", "yes", "")))
    if c.chance(15) or asked.scene:
        columns["scene"] = rows.column(["home"], lambda: c.pick(SCENES))
    return columns


def _genders(rows: _Rows) -> tuple[str, ...]:
    return rows.column(("m", "f"), lambda: rows.c.pick(("m", "f", "*", "m | f", "")))


def _of_verb(rows: _Rows, start: str) -> Columns:
    """What a verb's row says about other words."""
    c, sketch = rows.c, rows.sketch
    columns: Columns = {}
    if sketch.complement:
        cells = rows.column(("yes", "no"), lambda: c.pick(("yes", "no", "*", "")))
        columns[f"{start}~complement~"] = cells
    if sketch.prep:
        columns[f"{start}~prep~"] = rows.words()
        filler = next(value for value, word in sketch.thing("role").kinds if word)
        if c.chance(50):
            columns[f"{start}~prep~.{c.pick((filler, '~subj~'))}"] = rows.words()
    if sketch.asked.wants:
        asked = sketch.asked
        known = (*WANTS, *OF_THINGS * ("thing" in asked.sorts), *("proper",) * asked.proper)
        columns["~wants~"] = rows.column(["human"], lambda: c.pick(known))
    return columns
