"""The sources of a grammar as files beside each other, so that its data can be remade anywhere.

Imports, tables, legends and surface rules are looked for beside the file that names them first
(`merula.grammar.program`). So each is put there under the very name it is called by, also those
that come with Merula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from merula.core.diagnostics import MerulaError, Report
from merula.core.frozen import frozen
from merula.core.resources import SUFFIX
from merula.core.source import Source
from merula.grammar.program import locate, read_files
from merula.lexicon.legend import LEGEND
from merula.lexicon.table import TableOptions
from merula.publish.origins import ORIGINS
from merula.suite.recipe import FILE as RECIPE
from merula.suite.recipe import RecipeFile

SOURCE = "source"  # the folder in a repository


@frozen
class Bundle:
    """Files by their paths in the repository, and how grammars are compiled from there.

    ``mains`` are the grammars, by phenomenon or by the name that a recipe gives them; ``recipe``
    is the recipe of a suite, if there is one; ``files`` of ``options`` are called as in the
    repository.
    """

    mains: Mapping[str, str]
    files: Mapping[str, bytes]
    options: TableOptions
    recipe: str = ""


def bundle(phenomenon: str, source: Source, options: TableOptions) -> Bundle:
    """The sources of a grammar that can be compiled; raises `MerulaError` where that fails."""
    found = _Files()
    main = found.collect(source, options, "")
    inside = found.placed()
    overrides = {given: inside[place] for given, place in found.overrides.items()}
    return Bundle({phenomenon: inside[main]}, found.read(), replace(options, files=overrides))


def suite_bundle(file: RecipeFile, grammars: Mapping[str, Source]) -> Bundle:
    """The recipe of a suite and its grammars, by the names that the recipe gives them.

    Raises `MerulaError` where they cannot stand beside each other.
    """
    found = _Files()
    mains = {name: found.collect(own, TableOptions(), name) for name, own in grammars.items()}
    recipe = found.put_text((RECIPE,), file.text)
    inside = found.placed()
    named = {name: inside[place] for name, place in mains.items()}
    return Bundle(named, found.read(), TableOptions(), inside[recipe])


def merged(bundles: Sequence[Bundle]) -> dict[str, bytes]:
    """The files of several grammars together; raises `MerulaError` where two have one name."""
    every: dict[str, bytes] = {}
    for own in bundles:
        for name, data in own.files.items():
            if every.setdefault(name, data) != data:
                raise MerulaError.of(
                    "M721",
                    f"two different files would be {name} among the sources",
                    remedy="publish the grammars into folders of their own, rename one of the"
                    " files, or leave the sources out (--no-source)",
                    place=" and ".join(own.mains),
                )
    return every


Place = tuple[str, ...]  # parts of a path; `..` may come first


class _Files:
    """Where each file would stand, seen from the folder of the grammar or the recipe."""

    def __init__(self) -> None:
        self.places: dict[Place, Path | bytes] = {}
        self.overrides: dict[str, Place] = {}
        self.source = Source("", "")  # the grammar that messages are about
        self.options = TableOptions()

    def collect(self, source: Source, options: TableOptions, name: str) -> Place:
        """Note all files of a grammar that is called by a name (else as its file is)."""
        self.source, self.options = source, options
        path = source.path
        if path is None:
            raise _unbundled(source, "it is not in a file", "write it into a file")
        by_path = {file.source.path: file for file in read_files(source, Report())}
        main = self._put((), name.removesuffix(SUFFIX) + SUFFIX if name else path.name, path)
        todo = [(main, path)]
        done = set()
        while todo:
            place, own = todo.pop(0)
            if (place, own) in done:
                continue
            done.add((place, own))
            file, folder = by_path[own], place[:-1]
            for word in (word for node in file.imports for word in node.files):
                there = locate("grammars", word.text, file.source)
                known = next((p for p in by_path if p and there and _same(p, there)), None)
                if known is not None:
                    todo.append((self._put(folder, word.text, known), known))
            for word in (word for node in file.lexicons for word in node.files):
                self._table(folder, word.text, file.source)
            for node in file.languages:
                self._rules(folder, node.name.text, file.source)
        return main

    def put_text(self, place: Place, text: str) -> Place:
        """Note a file that holds a text."""
        self.places[place] = text.encode()
        return place

    def _rules(self, folder: Place, language: str, source: Source) -> None:
        """Note the surface rules of a language."""
        name = f"lexicons/{language}/surface.toml"
        rules = locate("lexicons", name, source)
        rules = rules or locate("lexicons", f"{language}/surface.toml", source)
        if rules is not None:
            self._put(folder, name, rules)

    def _table(self, folder: Place, name: str, source: Source) -> None:
        """Note a table, its legend, and what says where its words come from."""
        given = self.options.files
        key = name if name in given else "" if list(given) == [""] else None
        if key is not None:
            path = Path(given[key])
            place = self._put(folder, path.name, path)
            self.overrides[key] = place
        else:
            found = locate("lexicons", name, source)
            if found is None:
                return
            path, place = found, self._put(folder, name, found)
        for beside in (LEGEND, ORIGINS):
            if (path.parent / beside).is_file():
                self._put(place[:-1], beside, path.parent / beside)

    def _put(self, folder: Place, name: str, path: Path) -> Place:
        """Note that a file is called by a name from a folder; returns where it stands."""
        inner = PurePosixPath(name.replace("\\", "/"))
        if inner.is_absolute() or ":" in name:
            raise _unbundled(
                self.source,
                f"{name} is not named by its path from the file that names it",
                "write such a path",
            )
        parts = list(folder)
        for part in inner.parts:
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        place = tuple(parts)
        other = self.places.setdefault(place, path)
        if other != path and _data(other) != path.read_bytes():
            raise _unbundled(self.source, f"{name} stands for two different files", "rename one")
        return place

    def placed(self) -> dict[Place, str]:
        """The paths of the files in the repository."""
        up = max(sum(part == ".." for part in place) for place in self.places)

        def inside(place: Place) -> str:
            above = sum(part == ".." for part in place)
            return "/".join((SOURCE, *["grammars"] * (up - above), *place[above:]))

        return {place: inside(place) for place in self.places}

    def read(self) -> dict[str, bytes]:
        """The files by their paths in the repository."""
        files: dict[str, bytes] = {}
        for place, name in self.placed().items():
            data = _data(self.places[place])
            if files.setdefault(name, data) != data:
                raise _unbundled(self.source, f"two files would be {name}", "rename one")
        return files


def _data(file: Path | bytes) -> bytes:
    return file if isinstance(file, bytes) else file.read_bytes()


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _unbundled(source: Source, why: str, remedy: str) -> MerulaError:
    return MerulaError.of(
        "M721",
        f"the sources of {source.name} cannot be published with the data: {why}",
        remedy=f"{remedy}, or leave the sources out (--no-source)",
        place=source.name,
    )
