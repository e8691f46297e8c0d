"""A recipe: which grammars make a suite, what its columns are called, how it is divided.

A recipe is a file of TOML, ``suite.toml``, beside the grammars that it names. ``docs/suites.md``
says what can stand in it.

>>> recipe = read_recipe("npi")
>>> recipe.name, [part.name for part in recipe.parts][:2], recipe.orders["published"]
('npi', ['adverbs', 'conditionals'], ('before',))
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.resources import find, folder
from merula.core.wording import did_you_mean, listing
from merula.data.manifests.run import MANIFEST
from merula.suite.fields import Fields
from merula.suite.splits import Split

FILE = "suite.toml"
PARADIGMS = "paradigms"
KINDS = (PARADIGMS, "matrices")
# Columns that the data have already; a feature called `scope` takes the place of that column.
TAKEN = frozenset(
    "split order paradigm instance address design frame variant cell factors sentence spans"
    " acceptable broken lexemes grammar lexicon contrast condition label feature masked".split()
)
DESIGN = "{design}"  # stands for the name of the design


@frozen
class Feature:
    """A column of 0 and 1: whether a factor has one of some values, or an object is in scope.

    ``factors`` or ``scopes`` are the names that the factor or the object has in some designs; in
    them ``{design}`` stands for the name of the design. ``otherwise`` is what holds in designs
    that have none of them; where it is None, each design has to have one.
    """

    name: str
    factors: tuple[str, ...] = ()
    yes: tuple[str, ...] = ("yes",)
    scopes: tuple[str, ...] = ()
    otherwise: int | None = None

    def names(self, design: str) -> tuple[str, ...]:
        """The factors or objects, as they are called in a design."""
        return tuple(name.replace(DESIGN, design) for name in self.factors or self.scopes)


@frozen
class Flag:
    """A column of 0 and 1: 1 where features, the order and the part are as is asked here."""

    name: str
    features: tuple[tuple[str, int], ...] = ()
    orders: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@frozen
class Published:
    """What the published files call a part: the name of its files, ``env=`` and the task."""

    file: str
    env: str
    task: str


@frozen
class Part:
    """A grammar of the suite, with the designs taken from it (empty: all of its paradigms)."""

    name: str
    grammar: str
    designs: tuple[str, ...] = ()
    published: Published | None = None


@frozen
class Recipe:
    """All that a recipe says.

    ``part_column`` and ``design_column`` are what the columns of the names of parts and designs
    are called. ``orders`` has for each way to choose paradigms the frames that are taken, equally
    often; the first is taken where nothing is said. Lexemes of the categories in ``closed`` are
    neither capped nor kept to one split.
    """

    name: str
    parts: tuple[Part, ...]
    place: str
    folder: Path = field(compare=False, repr=False)
    text: str = field(compare=False, repr=False)
    about: str = ""
    references: tuple[str, ...] = ()  # what the suite is after
    seed: int = 0
    n: int = 1000
    split: Split = Split.of("80:10:10")
    cap: float = 1.0
    closed: tuple[str, ...] = ()
    part_column: str = "part"
    design_column: str = "design"
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    features: tuple[Feature, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that the column ``order`` tells apart."""
        return tuple(dict.fromkeys(name for names in self.orders.values() for name in names))

    def changed(self, **options: Any) -> Recipe:
        """The recipe with other values of fields; None leaves a field as it is."""
        return replace(self, **{name: x for name, x in options.items() if x is not None})

    @property
    def digest(self) -> str:
        """SHA-256 of what decides data and is no option of a run."""
        said = (self.parts, self.closed, self.part_column, self.design_column, self.features)
        orders = tuple(self.orders.items())
        return hashlib.sha256(repr((said, self.flags, orders)).encode()).hexdigest()

    def grammar_path(self, part: Part) -> str:
        """Where the grammar of a part is: beside the recipe, or among those of Merula."""
        return grammar_path(self.folder, part.grammar)


def grammar_path(folder: Path, grammar: str) -> str:
    """Where a grammar that a recipe names is: beside the recipe, or among those of Merula."""
    beside = folder / grammar
    named = beside.with_name(beside.name.removesuffix(".merula") + ".merula")
    return str(named) if named.is_file() else grammar


def known_suites() -> tuple[str, ...]:
    """The suites that come with Merula."""
    root = folder("grammars")
    return tuple(sorted(path.parent.name for path in root.glob(f"*/{FILE}")))


@frozen
class RecipeFile:
    """A file of a recipe: what messages call it, its folder, its text and what that says."""

    place: str
    folder: Path
    text: str
    data: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """What the recipe is for: ``paradigms``, if it does not say."""
        found = self.data.get("kind", PARADIGMS)
        if found not in KINDS:
            raise Fields(self.place, "", self.data).fault(
                "kind", f"there is no kind {found!r}", f"write kind = {listing(KINDS, 'or')}"
            )
        return str(found)


def read_recipe(name: str) -> Recipe:
    """The recipe of a suite that comes with Merula, or of a file; raises `MerulaError`."""
    return paradigm_recipe(read_file(name))


def paradigm_recipe(file: RecipeFile) -> Recipe:
    """What a file says of paradigms; raises `MerulaError` where something does not fit."""
    return _Reader(file.place, file.folder, file.text).recipe(file.data)


def read_file(name: str) -> RecipeFile:
    """The file of a recipe, its values not looked at; raises `MerulaError`."""
    path = _path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except OSError as error:
        why, remedy = error.strerror or str(error), "check the rights of the file"
        raise _unreadable(name, f"cannot be read: {why}", remedy) from error
    except UnicodeDecodeError as error:
        raise _unreadable(name, "is not written in UTF-8", "save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        remedy = "mend that line; a recipe is written in TOML (https://toml.io)"
        raise _unreadable(name, f"is no TOML: {error}", remedy) from error
    own = name if path.is_relative_to(folder("grammars")) else str(path)
    return RecipeFile(own, path.parent, text, data)


def _path(name: str) -> Path:
    """The file of a recipe; a folder stands for the recipe in it."""
    path = Path(name)
    try:
        if name and path.is_file():
            return path
        if name and (path / FILE).is_file():
            return path / FILE
        packaged = find("grammars", f"{name}/{FILE}") if name.strip("./") else None
    except (OSError, ValueError):  # too long, or with characters that no path has
        packaged = None
    if packaged is not None:
        return packaged
    known = known_suites()
    if not name.strip():
        raise MerulaError.of("M680", "no suite is named", remedy=f"there is {listing(known)}")
    what = f"is a folder without a {FILE}" if path.is_dir() else "does not exist"
    raise MerulaError.of(
        "M680",
        f"the suite {name} {what}",
        remedy=did_you_mean(name, known)
        or f"name a recipe ({FILE}), or a suite that comes with Merula: {listing(known)}",
        place=name,
    )


def _unreadable(name: str, what: str, remedy: str) -> MerulaError:
    return MerulaError.of("M680", f"the recipe {name} {what}", remedy=remedy, place=name)


class _Reader:
    """Reads the tables of a recipe into values; what does not fit is raised with its place."""

    def __init__(self, place: str, beside: Path, text: str) -> None:
        self.place, self.beside, self.text = place, beside, text

    def recipe(self, data: Mapping[str, Any]) -> Recipe:
        top = Fields(self.place, "", data)
        top.word("kind", PARADIGMS)
        orders = self._orders(top)
        features = tuple(
            self._feature(name, top.inside("features").inside(name))
            for name in top.table("features")
        )
        found = Recipe(
            name=top.word("name"),
            parts=tuple(self._part(entry) for entry in top.entries("parts")),
            place=self.place,
            folder=self.beside,
            text=self.text,
            about=top.word("about", ""),
            references=top.words("references", ()),
            seed=top.number("seed", 0),
            n=top.number("n", 1000, least=1),
            split=top.split("80:10:10"),
            cap=top.share("cap", 1.0),
            closed=top.words("closed", ()),
            part_column=top.word("part_column", "part"),
            design_column=top.word("design_column", "design"),
            orders=orders,
            features=features,
            flags=tuple(
                self._flag(name, top.inside("flags").inside(name), features, orders)
                for name in top.table("flags")
            ),
        )
        top.refuse_others()
        self._check(found, top)
        return found

    def _orders(self, top: Fields) -> dict[str, tuple[str, ...]]:
        found = {name: top.inside("orders").words(name) for name in top.table("orders")}
        for name, frames in found.items():
            if not frames:
                raise top.fault(f"orders.{name}", "there is no frame", "name one, or delete it")
        return found

    def _feature(self, name: str, said: Fields) -> Feature:
        otherwise = said.number("otherwise", -1)
        found = Feature(
            name,
            said.words("factor", ()),
            said.words("yes", ("yes",)),
            said.words("scope", ()),
            None if otherwise < 0 else min(otherwise, 1),
        )
        if bool(found.factors) == bool(found.scopes):
            raise said.fault(
                "",
                "a feature is of a factor or of a scope",
                'write factor = "NAME" and yes = "VALUE", or scope = "OBJECT"',
            )
        said.refuse_others()
        return found

    def _flag(
        self,
        name: str,
        said: Fields,
        features: Sequence[Feature],
        orders: Mapping[str, tuple[str, ...]],
    ) -> Flag:
        names = [feature.name for feature in features]
        asked = tuple((n, said.number(n, 0)) for n in names if n in said.data)
        found = Flag(name, asked, said.words("order", ()), said.words("parts", ()))
        said.refuse_others(names)
        for order in found.orders:
            said.known("order", order, [x for given in orders.values() for x in given])
        return found

    def _part(self, said: Fields) -> Part:
        grammar = said.word("grammar")
        name = said.word("name", Path(grammar).stem)
        published = None
        if "published" in said.data:
            theirs = said.inside("published")
            published = Published(
                theirs.word("file", name), theirs.word("env", name), theirs.word("task", name)
            )
            theirs.refuse_others()
        found = Part(name, grammar, said.words("designs", ()), published)
        said.refuse_others()
        return found

    def _check(self, recipe: Recipe, top: Fields) -> None:
        """Refuse names that would be taken twice, and flags of parts that are not there."""
        names = [part.name for part in recipe.parts]
        if not names:
            remedy = 'name one: [[parts]] and below it grammar = "NAME"'
            raise top.fault("parts", "there is no part", remedy)
        for name in names:
            demand_plain(top, "parts", name)
            if names.count(name) > 1:
                raise top.fault("parts", f"two parts are called {name}", "rename one")
        columns = [recipe.part_column]
        columns += [feature.name for feature in recipe.features]
        columns += [flag.name for flag in recipe.flags]
        if recipe.design_column != "design":
            columns.append(recipe.design_column)
        for name in columns:
            if name in TAKEN or columns.count(name) > 1:
                raise top.fault("", f"two columns would be called {name}", "rename one")
        for flag in recipe.flags:
            for name in flag.parts:
                top.inside("flags").known(f"{flag.name}.parts", name, names)


def demand_plain(said: Fields, key: str, name: str, what: str = "part") -> None:
    """Refuse a name that cannot stand in names of files and folders."""
    odd = any(c in '/\\:*?"<>|\0' or ord(c) < 32 for c in name)
    if odd or not name or name != name.strip(" .\u3000\xa0") or name.casefold() == MANIFEST:
        remedy = 'call it by letters, digits and "_"'
        raise said.fault(key, f"a {what} cannot be called {name!r}", remedy)
