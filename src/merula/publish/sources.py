"""The sources of grammars as files of a repository, so that the data can be made again anywhere.

In: compiled grammars, or a recipe with its grammars. Out: a `Bundle`, the contents of files by
their paths in the repository. `merula.publish.make` calls it.

Imports, tables, legends and surface rules are first looked for beside the file that names them
(`merula.grammar.program`). So each is put there under the name by which it is called, even a file
that comes with Merula. Two different files never get one path: that is an error (M721).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from merula.core.diagnostics import MerulaError, Report
from merula.core.files import name_on_disk
from merula.core.frozen import frozen
from merula.core.resources import SUFFIX
from merula.core.source import Source
from merula.grammar.program import locate, read_files
from merula.lexicon.legend import LEGEND
from merula.lexicon.table import TableOptions
from merula.publish.origins import ORIGINS
from merula.suite.recipe import RECIPE, RecipeFile

SOURCE_FOLDER = "source"  # in a repository


@frozen
class Bundle:
    """Contents of files by their paths in the repository, and how to compile the grammars there.

    ``mains`` are the paths of the grammars, by phenomenon or by the name that a recipe gives them.
    ``recipe`` is the path of a suite's recipe, empty without one. The files in ``options`` are
    named by their paths in the repository.
    """

    mains: Mapping[str, str]
    files: Mapping[str, bytes]
    options: TableOptions
    recipe: str = ""


def bundle(phenomenon: str, source: Source, options: TableOptions) -> Bundle:
    """Collect the sources of a grammar; raises `MerulaError` where they cannot be placed."""
    files = _SourceFiles()
    main = files.collect(source, options, "")
    paths = files.placed()
    overrides = {table: paths[place] for table, place in files.overrides.items()}
    return Bundle({phenomenon: paths[main]}, files.read(), replace(options, files=overrides))


def suite_bundle(file: RecipeFile, grammars: Mapping[str, Source]) -> Bundle:
    """Collect the recipe of a suite and its grammars, by the names that the recipe gives them.

    Raises `MerulaError` where two different files would have one path.
    """
    files = _SourceFiles()
    mains = {name: files.collect(source, TableOptions(), name) for name, source in grammars.items()}
    recipe = files.put_text((RECIPE,), file.text)
    paths = files.placed()
    mains_by_name = {name: paths[place] for name, place in mains.items()}
    return Bundle(mains_by_name, files.read(), TableOptions(), paths[recipe])


def merged(bundles: Sequence[Bundle]) -> dict[str, bytes]:
    """Put together the files of several grammars; raises `MerulaError` where two have one name."""
    files: dict[str, bytes] = {}
    on_disk: dict[str, bytes] = {}
    for each in bundles:
        for name, data in each.files.items():
            files[name] = data
            if on_disk.setdefault(name_on_disk(name), data) != data:
                raise MerulaError.of(
                    "M721",
                    f"two different files would be {name} among the sources",
                    remedy="publish the grammars into folders of their own, rename one of the"
                    " files, or leave the sources out (--no-source)",
                    place=" and ".join(each.mains),
                )
    return files


Place = tuple[str, ...]  # parts of a path; `..` may come first


class _SourceFiles:
    """The files to publish, each with its place seen from the folder of the grammar or recipe."""

    def __init__(self) -> None:
        self.places: dict[Place, Path | bytes] = {}  # where the content is, or the content
        self.overrides: dict[str, Place] = {}  # of tables that the user has named otherwise
        self.source = Source("", "")  # the grammar that messages are about
        self.options = TableOptions()

    def collect(self, source: Source, options: TableOptions, name: str) -> Place:
        """Note all files of a grammar; ``name`` is its own, or empty for that of its file.

        Returns the place of the grammar. A file that is imported from two folders is followed from
        each, since the files that it names have to be beside it there.
        """
        self.source, self.options = source, options
        path = source.path
        if path is None:
            raise _unbundled(source, "it is not in a file", "write it into a file")
        by_path = {file.source.path: file for file in read_files(source, Report())}
        main = self._put((), name.removesuffix(SUFFIX) + SUFFIX if name else path.name, path)
        todo = [(main, path)]
        done = set()
        while todo:
            place, path = todo.pop(0)
            if (place, path) in done:
                continue
            done.add((place, path))
            file, folder = by_path[path], place[:-1]
            for word in (word for node in file.imports for word in node.files):
                located = locate("grammars", word.text, file.source)
                imported = next((p for p in by_path if p and located and _same(p, located)), None)
                if imported is not None:
                    todo.append((self._put(folder, word.text, imported), imported))
            for word in (word for node in file.lexicons for word in node.files):
                self._table(folder, word.text, file.source)
            for node in file.languages:
                self._rules(folder, node.name.text, file.source)
        return main

    def put_text(self, place: Place, text: str) -> Place:
        """Note a file with a text as its content; returns its place."""
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
        """Note a table, its legend, and the file that says where its words come from."""
        given = self.options.files
        key = name if name in given else "" if list(given) == [""] else None
        if key is not None:
            path = Path(given[key])
            place = self._put(folder, path.name, path)
            self.overrides[key] = place
        else:
            located = locate("lexicons", name, source)
            if located is None:
                return
            path, place = located, self._put(folder, name, located)
        for beside in (LEGEND, ORIGINS):
            if (path.parent / beside).is_file():
                self._put(place[:-1], beside, path.parent / beside)

    def _put(self, folder: Place, name: str, path: Path) -> Place:
        """Note a file under the name that a file in ``folder`` gives it; returns its place."""
        inner = PurePosixPath(name.replace("\\", "/"))
        if inner.is_absolute() or ":" in name:
            raise _unbundled(
                self.source,
                f"{name} is not named by its path from the file that names it",
                "write it so",
            )
        parts = list(folder)
        for part in inner.parts:
            if part == ".." and parts and parts[-1] != "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        place = tuple(parts)
        content = self.places.setdefault(place, path)
        if content != path and _data(content) != path.read_bytes():
            raise _unbundled(self.source, f"{name} would be two different files", "rename one")
        return place

    def placed(self) -> dict[Place, str]:
        """Return the paths of the places in the repository.

        If a place begins with ``..``, all files are put into folders ``grammars``, so deep that no
        path leaves the folder of sources: ``../a.csv`` becomes ``source/a.csv``, and ``g.merula``
        is then ``source/grammars/g.merula``.
        """
        up = max(sum(part == ".." for part in place) for place in self.places)

        def inside(place: Place) -> str:
            above = sum(part == ".." for part in place)
            return "/".join((SOURCE_FOLDER, *["grammars"] * (up - above), *place[above:]))

        return {place: inside(place) for place in self.places}

    def read(self) -> dict[str, bytes]:
        """Read the files; they come by their paths in the repository."""
        files: dict[str, bytes] = {}
        on_disk: dict[str, bytes] = {}
        for place, name in self.placed().items():
            files[name] = data = _data(self.places[place])
            if on_disk.setdefault(name_on_disk(name), data) != data:
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
