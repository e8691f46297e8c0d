"""Whether a manifest can be believed, before anything that it names is read, moved or deleted.

A published folder may come from anybody. Nothing outside it is touched because its manifest says
so, and what that says of rows has to add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from merula.core.records import not_understood
from merula.data.features import ClassNames, Feature, Fields, Items, Value
from merula.data.manifests.publication import (
    PUBLICATION,
    ConfigEntry,
    GrammarEntry,
    Publication,
    read_publication,
)
from merula.rows.variation import ANSWERS, VARIATIONS

INT64_BOUND = 2**63  # Arrow keeps numbers as int64, which are below this
SPLITS = ("train", "validation", "test")
# The columns that rows of a kind must have, and the features that these hold.
NEEDED: Mapping[str, Mapping[str, type[Feature]]] = {
    "paradigm": {
        "instance": Value,
        "address": Value,
        "sentence": Value,
        "label": ClassNames,
        "broken": Items,
    },
    "matrix": {
        "instance": Value,
        "address": Value,
        "context": Items,
        "answers": Items,
        "correct": Value,
        "labels": Items,
        "classes": Items,
        "broken": Items,
    },
}
SPANS = Items(
    Fields((("object", Value("string")), ("start", Value("int32")), ("end", Value("int32"))))
)


def sound_publication(folder: Path) -> Publication | None:
    """Return the publication of a folder, or None where it has no ``merula.json``.

    Raises `MerulaError` where it cannot be read, understood or believed.
    """
    try:
        publication = read_publication(folder)
        fault = None if publication is None else next(_faults(publication), None)
    except RecursionError:
        publication, fault = None, "it is nested too deeply"
    if fault is None:
        return publication
    raise not_understood(folder / PUBLICATION, fault)


def is_inside(name: str) -> bool:
    """Return whether a name is a file inside a repository on every system, and not hidden.

    >>> is_inside("source/en/nouns.tsv"), is_inside("../nouns.tsv"), is_inside(".git/config")
    (True, False, False)
    """
    path = PurePosixPath(name)
    plain = str(path) == name and not set(":\\\0") & set(name)
    return plain and not path.is_absolute() and ".." not in path.parts and name[0] != "."


def _faults(publication: Publication) -> Iterator[str]:
    """Yield what cannot be true of a publication, in words."""
    yield from _texts(publication.to_json())
    yield from _twice("file", [PUBLICATION, *publication.files()])
    yield from _twice("configuration", [config.name for config in publication.configs])
    sources = [grammar.source for grammar in publication.grammars]
    sources += [publication.suite.source] if publication.suite is not None else []
    for name in [*publication.files(), *filter(None, sources)]:
        if not is_inside(name):
            yield f"{name!r} is not a file of the data set"
    for grammar in publication.grammars:
        yield from _grammar_faults(grammar)
    for config in publication.configs:
        yield from (f"{config.name}: {what}" for what in _config_faults(config))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts that a file cannot hold and the numbers too large for Arrow."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            yield f"{value!r} is not a text"[:80]
    elif isinstance(value, int):
        if value >= INT64_BOUND:
            yield f"{value!r} is too large"[:80]
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key != "seed":
                yield from _texts(key)
                yield from _texts(inner)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from _texts(inner)


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    return (f"the {what} {name} comes twice" for name, n in Counter(names).items() if n > 1)


def _grammar_faults(grammar: GrammarEntry) -> Iterator[str]:
    options = grammar.options
    for name in ("files", "columns"):
        texts = options.get(name, {})
        if not isinstance(texts, Mapping) or not all(isinstance(v, str) for v in texts.values()):
            yield f"`{name}` of {grammar.phenomenon} is {texts!r}"[:80]
        elif name == "files" and grammar.source and not all(map(is_inside, texts.values())):
            yield f"a table of {grammar.phenomenon} is not a file of the data set"
    for name in ("separator", "encoding"):
        if not isinstance(options.get(name), str | None):
            yield f"`{name}` of {grammar.phenomenon} is {options[name]!r}"[:80]


def _config_faults(config: ConfigEntry) -> Iterator[str]:
    if not is_inside(config.name) or "/" in config.name:
        yield "this is not a name"
    allowed = {"kind": NEEDED, "variation": ("", *VARIATIONS), "answers": ("", *ANSWERS)}
    for name, values in allowed.items():
        if getattr(config, name) not in values:
            yield f"`{name}` is {getattr(config, name)!r}"[:80]
            return
    if config.cells < 1:
        yield "an instance has no sentences"
    yield from _counts(config)
    yield from _columns(config.kind, config.fields)


def _counts(config: ConfigEntry) -> Iterator[str]:
    """Yield what is wrong with the instances and rows of a configuration."""
    names = [split.name for split in config.splits]
    if names != [name for name in SPLITS if name in names]:
        yield "its splits are not train, validation and test"
    each = config.cells if config.kind == "paradigm" else 1
    parts = [part for split in config.splits for part in split.files]
    sums = [(config.instances, sum(split.instances for split in config.splits))]
    for split in config.splits:
        sums += [(split.instances, sum(part.instances for part in split.files))]
        sums += [(split.rows, sum(part.rows for part in split.files))]
    sums += [(part.rows, part.instances * each) for part in parts]
    if any(total != sum_of_parts for total, sum_of_parts in sums):
        yield "its instances and rows do not add up"
    if not {part.design for part in parts} <= set(config.designs):
        yield "a file holds a design that is not its own"


def _columns(kind: str, fields: Fields) -> Iterator[str]:
    """Yield the columns that are missing, or hold something else."""
    for name, holds in NEEDED[kind].items():
        if name not in fields:
            yield f"the column {name} is missing"
        elif not isinstance(fields[name], holds):
            yield f"the column {name} has another type"
    for name in ("spans", "context_spans", "answer_spans"):
        if name in fields:
            feature = fields[name]
            inner: Feature | None = feature
            if name != "spans":  # spans of each item, or of each answer
                inner = feature.of if isinstance(feature, Items) else None
            if inner != SPANS:
                yield f"the column {name} has another type"
