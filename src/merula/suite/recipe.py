"""Recipes: which grammars make a suite, how its columns are named, how it is divided.

In: a file of TOML, ``suite.toml``, beside the grammars that it names (``docs/suites.md`` lists its
fields). Out: a `ParadigmRecipe` or a `MatrixRecipe`, which share a `Head`. `merula suite` and the
publishing of suites read them. Names in a recipe are distinct and fit for files; whether its
grammars have the designs, factors and lexemes that it names is found out when a suite is made.

>>> recipe = paradigm_recipe(read_file("npi"))
>>> recipe.head.name, [part.name for part in recipe.parts][:2], recipe.orders["published"]
('npi', ['adverbs', 'conditionals'], ('before',))
>>> recipe = matrix_recipe(read_file("blm"))
>>> [part.name for part in recipe.parts][:3], recipe.types
(['agreement_fr', 'agreement_en', 'agreement_it'], ('I', 'III'))
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.resources import find, folder
from merula.core.wording import did_you_mean, listing
from merula.rows.variation import VARIATIONS
from merula.suite.splits import Split
from merula.suite.toml_fields import RecipeFields

RECIPE = "suite.toml"  # the file in a folder that is named as a suite
PARADIGMS, MATRICES = "paradigms", "matrices"  # the kinds of recipes
DESIGN = "{design}"  # is replaced by the name of the design
# Columns that the data have anyway; a feature named `scope` takes the place of that column.
RESERVED_COLUMNS = frozenset(
    "split order paradigm instance address design frame variant cell factors sentence spans"
    " acceptable broken lexemes grammar lexicon contrast condition label feature masked".split()
)


@frozen
class Head:
    """The part that all recipes have: names, and what a run does where no option says more.

    ``place`` names the recipe in messages; grammars are looked for in ``folder`` first. ``n`` is
    how many instances each design has.
    """

    name: str
    place: str
    folder: Path = field(compare=False, repr=False)
    about: str
    references: tuple[str, ...]  # the works that the suite follows
    seed: int
    n: int
    split: Split

    def changed(self, **options: Any) -> Head:
        """Return the head with new values of fields; None leaves a field as it is."""
        return replace(self, **{name: x for name, x in options.items() if x is not None})

    def grammar_path(self, grammar: str) -> str:
        """Return where a grammar is: beside the recipe, or else among those of Merula."""
        beside = self.folder / grammar
        path = beside.with_name(beside.name.removesuffix(".merula") + ".merula")
        return str(path) if path.is_file() else grammar

    def demand(self, what: str, names: Iterable[str], known: Sequence[str]) -> None:
        """Raise `MerulaError` where an option names a thing that the suite does not have."""
        for name in names:
            if name not in known:
                meant = did_you_mean(name, known) if what != "type" else ""  # II is not near I
                there_is = f"there is {listing(known)}" if known else f"its recipe has no {what}s"
                raise MerulaError.of(
                    "M685",
                    f"the suite {self.name} has no {what} {name}",
                    remedy=meant or there_is,
                    place=self.place,
                )


# --- recipes of paradigms ------------------------------------------------------------------


@frozen
class FeatureColumn:
    """A column of 0 and 1: whether a factor has one of some values, or an object is in scope.

    ``factors`` or ``scopes`` are the names that the factor or the object has in some designs; in
    them ``{design}`` means the name of the design. ``otherwise`` holds in designs that have none
    of them; where it is None, each design must have one.
    """

    name: str
    factors: tuple[str, ...] = ()
    yes: tuple[str, ...] = ("yes",)  # the values of the factor that count as 1
    scopes: tuple[str, ...] = ()
    otherwise: int | None = None

    def names(self, design: str) -> tuple[str, ...]:
        """Return the factors or objects by their names in a design."""
        return tuple(name.replace(DESIGN, design) for name in self.factors or self.scopes)


@frozen
class Flag:
    """A column of 0 and 1: 1 where features have some values, in some orders and parts.

    Without ``orders`` or ``parts`` it is 1 in all of them.
    """

    name: str
    features: tuple[tuple[str, int], ...] = ()
    orders: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@frozen
class PublishedNames:
    """The names of a part in published files: of its files, after ``env=``, and of its task."""

    file: str
    env: str
    task: str


@frozen
class Environment:
    """A part of a suite of paradigms: a grammar and the designs taken from it (empty: all)."""

    name: str
    grammar: str
    designs: tuple[str, ...] = ()
    published: PublishedNames | None = None


@frozen
class ParadigmRecipe:
    """A recipe of paradigms.

    ``part_column`` and ``design_column`` are the columns with the names of parts and designs.
    ``orders`` has for each way to choose paradigms the frames that are taken, equally often; the
    first is the rule. ``cap`` is the largest share of a design's paradigms that a lexeme may be in;
    lexemes of the categories in ``closed`` are neither capped nor kept to one split.
    """

    head: Head
    parts: tuple[Environment, ...]
    cap: float = 1.0
    closed: tuple[str, ...] = ()
    part_column: str = "part"
    design_column: str = "design"
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    features: tuple[FeatureColumn, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that the column ``order`` tells apart."""
        return tuple(dict.fromkeys(name for names in self.orders.values() for name in names))

    def changed(self, *, cap: float | None = None, **options: Any) -> ParadigmRecipe:
        """Return the recipe with new values of fields; None leaves a field as it is."""
        return replace(
            self, head=self.head.changed(**options), cap=self.cap if cap is None else cap
        )

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides data, except what options of a run may change."""
        names = (self.parts, self.closed, self.part_column, self.design_column, self.features)
        text = _digested((names, self.flags, tuple(self.orders.items())))
        return hashlib.sha256(text.encode()).hexdigest()


# Digests on disks have the names that classes had when these were first written down.
_DIGESTED_NAMES = {"Environment": "Part", "FeatureColumn": "Feature", "PublishedNames": "Published"}


def _digested(value: Any) -> str:
    """Return the text of a value in a digest: its ``repr``, but for names of classes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_digested, value))}{',' * (len(value) == 1)})"
    if is_dataclass(value):
        name = type(value).__name__
        members = (f"{f.name}={_digested(getattr(value, f.name))}" for f in fields(value))
        return f"{_DIGESTED_NAMES.get(name, name)}({', '.join(members)})"
    return repr(value)


# --- recipes of matrices -------------------------------------------------------------------


@frozen
class MatrixSet:
    """A data set of a part: one matrix, or several whose instances belong together."""

    name: str
    designs: tuple[str, ...]


@frozen
class SourceGrammar:
    """A part of a suite of matrices: a grammar and the data sets made of it.

    Without ``sets`` each matrix is one. ``unit`` is the object whose lexemes are the lexical sets
    that splits do not share; empty: the rows of a table of sets. ``n`` is how many instances each
    matrix has (None: as many as in the head).
    """

    name: str
    grammar: str
    sets: tuple[MatrixSet, ...] = ()
    unit: str = ""
    n: int | None = None


@frozen
class MatrixRecipe:
    """A recipe of matrices, of some types (`merula.rows.variation`)."""

    head: Head
    parts: tuple[SourceGrammar, ...]
    types: tuple[str, ...] = VARIATIONS

    def changed(self, **options: Any) -> MatrixRecipe:
        """Return the recipe with new values of fields of its head; None leaves one as it is."""
        return replace(self, head=self.head.changed(**options))

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides data, except what options of a run may change."""
        parts = [(p.name, p.grammar, p.sets, p.unit, p.n) for p in self.parts]
        return hashlib.sha256(repr(parts).encode()).hexdigest()


# --- files ---------------------------------------------------------------------------------


@frozen
class RecipeFile:
    """A file of a recipe: its name in messages, its folder, its text and the values in that."""

    place: str
    folder: Path
    text: str
    data: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`PARADIGMS`, unless the file says `MATRICES`; raises `MerulaError` for other words."""
        kind = self.data.get("kind", PARADIGMS)
        kinds = (PARADIGMS, MATRICES)
        if kind not in kinds:
            raise RecipeFields(self.place, "", self.data).fault(
                "kind", f"there is no kind {kind!r}", f"write kind = {listing(kinds, 'or')}"
            )
        return str(kind)


def known_suites() -> tuple[str, ...]:
    """Return the names of the suites that come with Merula."""
    root = folder("grammars")
    return tuple(sorted(path.parent.name for path in root.glob(f"*/{RECIPE}")))


def read_file(name: str) -> RecipeFile:
    """Read the file of a recipe, without a look at its values; raises `MerulaError`.

    ``name`` is a file, a folder with a recipe in it, or a suite that comes with Merula.
    """
    path = _path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except OSError as error:
        reason, remedy = error.strerror or str(error), "check the rights of the file"
        raise _unreadable(name, f"cannot be read: {reason}", remedy) from error
    except UnicodeDecodeError as error:
        raise _unreadable(name, "is not written in UTF-8", "save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        remedy = "mend that line; a recipe is written in TOML (https://toml.io)"
        raise _unreadable(name, f"is not TOML: {error}", remedy) from error
    place = name if path.is_relative_to(folder("grammars")) else str(path)
    return RecipeFile(place, path.parent, text, data)


def _path(name: str) -> Path:
    path = Path(name)
    try:
        if name and path.is_file():
            return path
        if name and (path / RECIPE).is_file():
            return path / RECIPE
        packaged = find("grammars", f"{name}/{RECIPE}") if name.strip("./") else None
    except (OSError, ValueError):  # too long, or with characters that no path has
        packaged = None
    if packaged is not None:
        return packaged
    suites = known_suites()
    if not name.strip():
        raise MerulaError.of("M680", "no suite is named", remedy=f"there is {listing(suites)}")
    what = f"is a folder without a {RECIPE}" if path.is_dir() else "does not exist"
    raise MerulaError.of(
        "M680",
        f"the suite {name} {what}",
        remedy=did_you_mean(name, suites)
        or f"name a recipe ({RECIPE}), or a suite that comes with Merula: {listing(suites)}",
        place=name,
    )


def _unreadable(name: str, what: str, remedy: str) -> MerulaError:
    return MerulaError.of("M680", f"the recipe {name} {what}", remedy=remedy, place=name)


# --- from tables of TOML to recipes --------------------------------------------------------


def _head(top: RecipeFields, file: RecipeFile, split: str) -> Head:
    """Read what all recipes say; ``split`` is the rule for the shares."""
    top.word("kind", PARADIGMS)
    return Head(
        name=top.word("name"),
        place=file.place,
        folder=file.folder,
        about=top.word("about", ""),
        references=top.words("references", ()),
        seed=top.number("seed", 0),
        n=top.number("n", 1000, least=1),
        split=top.split(split),
    )


def _demand_parts(top: RecipeFields, names: Sequence[str]) -> None:
    if not names:
        remedy = 'name one: [[parts]] and below it grammar = "NAME"'
        raise top.fault("parts", "there is no part", remedy)


def paradigm_recipe(file: RecipeFile) -> ParadigmRecipe:
    """Return the recipe of paradigms in a file; raises `MerulaError` where a field does not fit."""
    top = RecipeFields(file.place, "", file.data)
    orders = _orders(top)
    features = tuple(_feature(name, inside) for name, inside in _tables(top, "features"))
    recipe = ParadigmRecipe(
        head=_head(top, file, "80:10:10"),
        parts=tuple(_environment(entry) for entry in top.entries("parts")),
        cap=top.share("cap", 1.0),
        closed=top.words("closed", ()),
        part_column=top.word("part_column", "part"),
        design_column=top.word("design_column", "design"),
        orders=orders,
        features=features,
        flags=tuple(
            _flag(name, inside, features, orders) for name, inside in _tables(top, "flags")
        ),
    )
    top.demand_end()
    _check_names(recipe, top)
    return recipe


def _tables(top: RecipeFields, key: str) -> Iterator[tuple[str, RecipeFields]]:
    """Yield the tables inside a table, with their names."""
    for name in top.table(key):
        yield name, top.inside(key).inside(name)


def _orders(top: RecipeFields) -> dict[str, tuple[str, ...]]:
    orders = {name: top.inside("orders").words(name) for name in top.table("orders")}
    for name, frames in orders.items():
        if not frames:
            raise top.fault(f"orders.{name}", "there is no frame", "name one, or delete it")
    return orders


def _feature(name: str, table: RecipeFields) -> FeatureColumn:
    otherwise = table.number("otherwise", -1)
    feature = FeatureColumn(
        name,
        table.words("factor", ()),
        table.words("yes", ("yes",)),
        table.words("scope", ()),
        None if otherwise < 0 else min(otherwise, 1),
    )
    if bool(feature.factors) == bool(feature.scopes):
        raise table.fault(
            "",
            "a feature is of a factor or of a scope",
            'write factor = "NAME" and yes = "VALUE", or scope = "OBJECT"',
        )
    table.demand_end()
    return feature


def _flag(
    name: str,
    table: RecipeFields,
    features: Sequence[FeatureColumn],
    orders: Mapping[str, tuple[str, ...]],
) -> Flag:
    names = [feature.name for feature in features]
    values = tuple((n, table.number(n, 0)) for n in names if n in table.data)
    flag = Flag(name, values, table.words("order", ()), table.words("parts", ()))
    table.demand_end(names)
    for frame in flag.orders:
        table.demand("order", frame, [x for frames in orders.values() for x in frames])
    return flag


def _environment(entry: RecipeFields) -> Environment:
    grammar = entry.word("grammar")
    name = entry.word("name", Path(grammar).stem)
    published = None
    if "published" in entry.data:
        table = entry.inside("published")
        published = PublishedNames(
            table.word("file", name), table.word("env", name), table.word("task", name)
        )
        table.demand_end()
    environment = Environment(name, grammar, entry.words("designs", ()), published)
    entry.demand_end()
    return environment


def _check_names(recipe: ParadigmRecipe, top: RecipeFields) -> None:
    """Raise where two parts or columns have one name, and where a flag names no part."""
    names = [part.name for part in recipe.parts]
    _demand_parts(top, names)
    for name in names:
        top.demand_plain("parts", name, "part")
        if names.count(name) > 1:
            raise top.fault("parts", f"two parts are named {name}", "rename one")
    files = [part.published.file for part in recipe.parts if part.published]
    top.demand_apart("parts", files, "file", "file")
    columns = [recipe.part_column]
    columns += [feature.name for feature in recipe.features]
    columns += [flag.name for flag in recipe.flags]
    if recipe.design_column != "design":
        columns.append(recipe.design_column)
    for name in columns:
        if name in RESERVED_COLUMNS or columns.count(name) > 1:
            raise top.fault("", f"two columns would be named {name}", "rename one")
    for flag in recipe.flags:
        for name in flag.parts:
            top.inside("flags").demand(f"{flag.name}.parts", name, names)


def matrix_recipe(file: RecipeFile) -> MatrixRecipe:
    """Return the recipe of matrices in a file; raises `MerulaError` where a field does not fit."""
    top = RecipeFields(file.place, "", file.data)
    recipe = MatrixRecipe(
        head=_head(top, file, "90:10"),
        parts=tuple(_source(entry) for entry in top.entries("parts")),
        types=top.words("types", VARIATIONS),
    )
    if not recipe.types:
        raise top.fault("types", "there is none", f"there is {listing(VARIATIONS)}")
    for name in recipe.types:
        if name not in VARIATIONS:
            raise top.fault("types", f"there is no type {name}", f"there is {listing(VARIATIONS)}")
    top.demand_end()
    names = [part.name for part in recipe.parts]
    _demand_parts(top, names)
    top.demand_apart("parts", names, "part")
    return recipe


def _source(entry: RecipeFields) -> SourceGrammar:
    grammar = entry.word("grammar")
    table = entry.inside("sets")
    source = SourceGrammar(
        entry.word("name", Path(grammar).stem),
        grammar,
        tuple(MatrixSet(name, table.words(name)) for name in entry.table("sets")),
        entry.word("unit", ""),
        entry.number("n", 0, least=1) if "n" in entry.data else None,
    )
    table.demand_apart("", [matrix_set.name for matrix_set in source.sets], "set")
    for matrix_set in source.sets:
        if not matrix_set.designs:
            raise table.fault(matrix_set.name, "there is no matrix", "name one, or delete it")
    entry.demand_end()
    return source
