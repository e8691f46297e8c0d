"""``merula.json``: what a published data set contains, how it was made, how it can be remade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from merula.core.records import not_understood, read_json, understood
from merula.data.features import Fields

PUBLICATION = "merula.json"
CARD = "README.md"
AUDIT = "audit.json"
VERSION = 1


@dataclass(frozen=True)
class FileEntry:
    """A file of the repository, by its path from there; ``sha256`` is of its bytes."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class PartEntry:
    """A Parquet file: instances ``first`` to ``first + instances`` of a configuration.

    They are of one ``design``, in the order in which they were drawn, and numbered so.
    ``digest`` is of what its rows say (`merula.data.digest`), whatever library has written them;
    ``memory`` is how many bytes they take as Arrow.
    """

    file: str
    design: str
    first: int
    instances: int
    rows: int
    bytes: int = 0
    memory: int = 0
    sha256: str = ""
    digest: str = ""


@dataclass(frozen=True)
class SplitEntry:
    """A split of a configuration: ``train``, ``validation`` or ``test``."""

    name: str
    instances: int
    rows: int
    files: list[PartEntry]

    @property
    def by_design(self) -> dict[str, int]:
        """How many instances it has of each design."""
        counts: dict[str, int] = {}
        for part in self.files:
            counts[part.design] = counts.get(part.design, 0) + part.instances
        return counts

    @property
    def bytes(self) -> int:
        """The size of its files."""
        return sum(part.bytes for part in self.files)

    @property
    def memory(self) -> int:
        """How many bytes its rows take as Arrow."""
        return sum(part.memory for part in self.files)


@dataclass(frozen=True)
class GrammarEntry:
    """A grammar: ``source`` is its file in the repository, empty where it was left out.

    ``asked`` is its name in the command; ``options`` are those of tables
    (`merula.lexicon.table.TableOptions`), with files as they are named in the repository.
    """

    phenomenon: str
    about: str
    language: str
    asked: str
    source: str
    grammar: str
    lexicon: str
    options: dict[str, Any]


@dataclass(frozen=True)
class ConfigEntry:
    """A configuration: the rows of one design, of one type where it is a matrix.

    Of a suite it may be the rows of several matrices that belong together; ``design`` is then the
    name of their set, and ``designs`` are all of them.

    ``of`` is how many instances there could be (it may not fit a number of JSON), ``block`` how
    many are hashed together, ``cells`` how many sentences an instance has. ``features`` are written
    as Hugging Face Datasets writes them.
    """

    name: str
    phenomenon: str
    design: str
    designs: list[str]
    about: str
    kind: str  # paradigm or matrix
    language: str
    variation: str  # of a matrix: I or III
    answers: str  # of type III: one or mixed
    instances: int
    of: str
    cells: int
    block: int
    features: dict[str, Any]
    splits: list[SplitEntry]

    @cached_property
    def fields(self) -> Fields:
        """Its features, read."""
        return Fields.of_json(self.features)

    @property
    def rows(self) -> int:
        """How many rows all its splits have."""
        return sum(split.rows for split in self.splits)


@dataclass(frozen=True)
class SuiteEntry:
    """The suite whose instances are published: its recipe, and options that replace parts of it.

    ``asked`` is how the command named it, ``source`` its recipe in the repository, empty where that
    was left out; ``recipe`` is the digest of what it says; ``number`` None if it decides that.
    """

    asked: str
    source: str
    name: str
    about: str
    references: list[str]
    cap: float | None  # no lexeme in a larger share of a slot's paradigms; None for matrices
    orders: list[str]  # frames that paradigms are taken from equally often
    recipe: str
    number: int | None
    seed: int
    split: str
    types: list[str]
    disjoint: str


@dataclass(frozen=True)
class Publication:
    """A published data set. ``default`` is the configuration that is loaded where none is named.

    ``command`` is what remakes it; ``suite`` is there where a recipe draws the instances;
    ``others`` are the files that are not data: the card, Croissant, the audit, the sources.
    """

    publication: int
    name: str
    title: str
    licence: str
    authors: list[str]
    citation: str  # BibTeX, or empty
    date: str  # when it was published first: 2026-11-30; or empty
    merula: str
    schema: int
    order: int
    seed: int
    split: str
    command: str
    default: str
    grammars: list[GrammarEntry]
    configs: list[ConfigEntry]
    others: list[FileEntry] = field(default_factory=list)
    suite: SuiteEntry | None = None

    def config(self, name: str) -> ConfigEntry:
        """Return the configuration of a name; raises KeyError."""
        return {config.name: config for config in self.configs}[name]

    @property
    def languages(self) -> list[str]:
        """The languages of its data, each once."""
        return list(dict.fromkeys(config.language for config in self.configs if config.language))

    @property
    def rows(self) -> int:
        """How many rows there are in all."""
        return sum(config.rows for config in self.configs)

    def to_json(self) -> dict[str, Any]:
        """Return the publication as plain values."""
        return asdict(self)

    def files(self) -> list[str]:
        """Return all files of the repository but ``merula.json``."""
        data = [f.file for c in self.configs for split in c.splits for f in split.files]
        return [*data, *(other.file for other in self.others)]


def read_publication(folder: Path) -> Publication | None:
    """Return the publication of a folder, or None where it has no ``merula.json``.

    Raises `MerulaError` where it cannot be read or understood.
    """
    path = folder / PUBLICATION
    if not path.is_file():
        return None
    value = read_json(path)
    if isinstance(value, Mapping) and value.get("publication") != VERSION:
        raise not_understood(path, "it is of another version of Merula")
    publication = understood(Publication, value, path)
    try:
        for config in publication.configs:
            assert config.fields is not None
    except (KeyError, TypeError, ValueError) as error:
        raise not_understood(path, str(error)) from error
    return publication
