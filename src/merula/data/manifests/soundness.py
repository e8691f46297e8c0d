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

MOST = 2**63  # numbers of Arrow are below this
SPLITS = ("train", "validation", "test")
# Columns without which there are no such rows, and what they hold.
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
    """Return what ``merula.json`` in a folder says, or None where there is none.

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
    """Whether a name is that of a file in a repository, on every system; none of them is hidden.

    >>> is_inside("source/en/nouns.tsv"), is_inside("../nouns.tsv"), is_inside(".git/config")
    (True, False, False)
    """
    path = PurePosixPath(name)
    plain = str(path) == name and not set(":\\\0") & set(name)
    return plain and not path.is_absolute() and ".." not in path.parts and name[0] != "."


def _faults(found: Publication) -> Iterator[str]:
    """What cannot be, in words."""
    yield from _texts(found.to_json())
    yield from _twice("file", [PUBLICATION, *found.files()])
    yield from _twice("configuration", [config.name for config in found.configs])
    sources = [grammar.source for grammar in found.grammars]
    sources += [found.suite.source] if found.suite is not None else []
    for name in [*found.files(), *filter(None, sources)]:
        if not is_inside(name):
            yield f"{name!r} is no file of the data set"
    for grammar in found.grammars:
        yield from _grammar_faults(grammar)
    for config in found.configs:
        yield from (f"{config.name}: {what}" for what in _config_faults(config))


def _texts(value: Any) -> Iterator[str]:
    """Texts that no file can hold, and numbers that are none of Arrow's."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            yield f"{value!r} is no text"[:80]
    elif isinstance(value, int):
        if value >= MOST:
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
    said = grammar.options
    for name in ("files", "columns"):
        own = said.get(name, {})
        if not isinstance(own, Mapping) or not all(isinstance(v, str) for v in own.values()):
            yield f"`{name}` of {grammar.phenomenon} is {own!r}"[:80]
        elif name == "files" and grammar.source and not all(map(is_inside, own.values())):
            yield f"a table of {grammar.phenomenon} is no file of the data set"
    for name in ("separator", "encoding"):
        if not isinstance(said.get(name), str | None):
            yield f"`{name}` of {grammar.phenomenon} is {said[name]!r}"[:80]


def _config_faults(config: ConfigEntry) -> Iterator[str]:
    if not is_inside(config.name) or "/" in config.name:
        yield "this is no name"
    known = {"kind": NEEDED, "variation": ("", *VARIATIONS), "answers": ("", *ANSWERS)}
    for name, values in known.items():
        if getattr(config, name) not in values:
            yield f"`{name}` is {getattr(config, name)!r}"[:80]
            return
    if config.cells < 1:
        yield "an instance has no sentences"
    yield from _numbers(config)
    yield from _columns(config.kind, config.fields)


def _numbers(config: ConfigEntry) -> Iterator[str]:
    """Instances and rows that do not add up."""
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
    if any(said != is_ for said, is_ in sums):
        yield "its instances and rows do not add up"
    if not {part.design for part in parts} <= set(config.designs):
        yield "a file holds a design that is not its own"


def _columns(kind: str, fields: Fields) -> Iterator[str]:
    """Columns that are missing, or hold something else."""
    for name, holds in NEEDED[kind].items():
        if name not in fields:
            yield f"the column {name} is missing"
        elif not isinstance(fields[name], holds):
            yield f"the column {name} has another type"
    for name in ("spans", "context_spans", "answer_spans"):
        if name in fields:
            own = fields[name]
            inner = own if name == "spans" else own.of if isinstance(own, Items) else None
            if inner != SPANS:
                yield f"the column {name} has another type"
