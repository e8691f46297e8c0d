"""A recipe for matrices: grammars, which of their matrices make a data set, how it is divided.

>>> recipe = read_matrix_recipe("blm")
>>> [part.name for part in recipe.parts][:3], recipe.types
(['agreement_fr', 'agreement_en', 'agreement_it'], ('I', 'III'))
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.rows.variation import VARIATIONS
from merula.suite.fields import Fields
from merula.suite.recipe import RecipeFile, demand_plain, grammar_path, read_file
from merula.suite.splits import Split

MATRICES = "matrices"


@frozen
class MatrixSet:
    """A data set of a part: one matrix, or several whose instances belong together."""

    name: str
    designs: tuple[str, ...]


@frozen
class MatrixPart:
    """A grammar of the suite.

    ``sets`` are the data sets made of its matrices (empty: one of each matrix). ``unit`` is the
    object whose lexemes are the lexical sets that splits do not share; empty: the rows of a table
    of sets. ``n`` is how many instances each matrix has (None: as the recipe says).
    """

    name: str
    grammar: str
    sets: tuple[MatrixSet, ...] = ()
    unit: str = ""
    n: int | None = None


@frozen
class MatrixRecipe:
    """All that a recipe for matrices says."""

    name: str
    parts: tuple[MatrixPart, ...]
    place: str
    folder: Path = field(compare=False, repr=False)
    about: str = ""
    references: tuple[str, ...] = ()  # what the suite is after
    seed: int = 0
    n: int = 1000
    split: Split = Split.of("90:10")
    types: tuple[str, ...] = VARIATIONS

    def changed(self, **options: Any) -> MatrixRecipe:
        """The recipe with other values of fields; None leaves a field as it is."""
        return replace(self, **{name: x for name, x in options.items() if x is not None})

    @property
    def digest(self) -> str:
        """SHA-256 of what decides data and is no option of a run."""
        said = [(p.name, p.grammar, p.sets, p.unit, p.n) for p in self.parts]
        return hashlib.sha256(repr(said).encode()).hexdigest()

    def grammar_path(self, part: MatrixPart) -> str:
        """Where the grammar of a part is: beside the recipe, or among those of Merula."""
        return grammar_path(self.folder, part.grammar)


def read_matrix_recipe(name: str) -> MatrixRecipe:
    """The recipe for matrices of a suite or a file; raises `MerulaError`."""
    return matrix_recipe(read_file(name))


def matrix_recipe(file: RecipeFile) -> MatrixRecipe:
    """What a file says; raises `MerulaError` where something does not fit."""
    top = Fields(file.place, "", file.data)
    top.word("kind")
    found = MatrixRecipe(
        name=top.word("name"),
        parts=tuple(_part(entry) for entry in top.entries("parts")),
        place=file.place,
        folder=file.folder,
        about=top.word("about", ""),
        references=top.words("references", ()),
        seed=top.number("seed", 0),
        n=top.number("n", 1000, least=1),
        split=top.split("90:10"),
        types=top.words("types", VARIATIONS),
    )
    for kind in found.types or ("",):
        if kind not in VARIATIONS:
            message = f"there is no type {kind}" if kind else "there is none"
            raise top.fault("types", message, f"there is {listing(VARIATIONS)}")
    top.refuse_others()
    names = [part.name for part in found.parts]
    if not names:
        raise top.fault(
            "parts", "there is no part", 'name one: [[parts]] and below it grammar = "NAME"'
        )
    _demand_folders(top, "parts", names, "part")
    return found


def _part(said: Fields) -> MatrixPart:
    grammar = said.word("grammar")
    sets = said.inside("sets")
    found = MatrixPart(
        said.word("name", Path(grammar).stem),
        grammar,
        tuple(MatrixSet(name, sets.words(name)) for name in said.table("sets")),
        said.word("unit", ""),
        said.number("n", 0, least=1) if "n" in said.data else None,
    )
    _demand_folders(sets, "", [own.name for own in found.sets], "set")
    for own in found.sets:
        if not own.designs:
            raise sets.fault(own.name, "there is no matrix", "name one, or delete it")
    said.refuse_others()
    return found


def _demand_folders(said: Fields, key: str, names: Sequence[str], what: str) -> None:
    """Refuse names that cannot be those of folders beside each other, also on other systems."""
    known: dict[str, str] = {}
    for name in names:
        demand_plain(said, key, name, what)
        other = known.setdefault(name.casefold(), name)
        if names.count(name) > 1:
            raise said.fault(key, f"two {what}s are called {name}", "rename one")
        if other != name:
            raise said.fault(key, f"{other} and {name} would be one folder", "rename one")
