"""Croissant: what a published data set holds, as JSON-LD that machines read.

The files of a configuration are a ``FileSet``, and each is a ``FileObject`` with its SHA-256; the
rows are a ``RecordSet`` that is called like the configuration. Fields have the types that the hub
gives them in the Croissant of its own, besides descriptions and the names of class labels.

Croissant 1.1: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from merula.data.features import ClassNames, Feature, Fields, Items, Value
from merula.data.manifests.publication import ConfigEntry, Publication
from merula.publish.card_metadata import tags
from merula.publish.citation import citation
from merula.publish.licences import licence_url
from merula.publish.meanings import meaning

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
PARQUET = "application/x-parquet"
VERSION = "1.0.0"
TYPES = {
    "string": "sc:Text",
    "bool": "sc:Boolean",
    "int32": "cr:Int32",
    "int64": "cr:Int64",
    "float64": "cr:Float64",
}
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(publication: Publication) -> dict[str, Any]:
    """The metadata of a publication, whose files are those beside it."""
    ids = Ids()
    sets = [record for config in publication.configs for record in _records(config, ids)]
    about = {
        "name": publication.title or publication.name,
        "description": _description(publication),
        "conformsTo": CONFORMS_TO,
        "license": licence_url(publication.licence) or publication.licence,
        "creator": [{"@type": "sc:Person", "name": name} for name in publication.authors],
        "citeAs": citation(publication),
        "version": VERSION,
        "datePublished": publication.date,
        "inLanguage": publication.languages,
        "keywords": tags(publication),
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        **{name: value for name, value in about.items() if value},
        "distribution": list(_distribution(publication, ids)),
        "recordSet": sets,
    }


def _description(publication: Publication) -> str:
    docs = dict.fromkeys(own.about.rstrip(".") for own in publication.grammars if own.about)
    made = f"{publication.rows:,} rows made with Merula {publication.merula}"
    return ". ".join([*docs, made]) + "."


class Ids:
    """Identifiers that are no two alike, of letters, digits, ``-``, ``_``, ``.`` and ``/``."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, ...], str] = {}
        self.used: set[str] = set()

    def __call__(self, *path: str) -> str:
        """The identifier of a path; always the same one for the same path."""
        if path not in self.known:
            found = "/".join(re.sub(r"[^\w.-]", "_", part) for part in path)
            while found in self.used:
                found += "_0"
            self.used.add(found)
            self.known[path] = found
        return self.known[path]


# --- files ---------------------------------------------------------------------------------------


def _distribution(publication: Publication, ids: Ids) -> Iterator[dict[str, Any]]:
    for config in publication.configs:
        yield {
            "@type": "cr:FileSet",
            "@id": _files(config, ids),
            "name": _files(config, ids),
            "description": f"The Parquet files of {config.name}.",
            "encodingFormat": PARQUET,
            "includes": f"{config.name}/*.parquet",
        }
        for part in (part for split in config.splits for part in split.files):
            yield {
                "@type": "cr:FileObject",
                "@id": ids("file", *part.file.split("/")),
                "name": part.file,
                "contentUrl": part.file,
                "contentSize": f"{part.bytes} B",
                "encodingFormat": PARQUET,
                "sha256": part.sha256,
            }


def _files(config: ConfigEntry, ids: Ids) -> str:
    return ids(f"parquet-files-for-config-{config.name}")


# --- rows ----------------------------------------------------------------------------------------


def _records(config: ConfigEntry, ids: Ids) -> Iterator[dict[str, Any]]:
    """The splits of a configuration, the names of its class labels, its rows."""
    yield _splits(config, ids)
    for name, feature in config.fields.fields:
        if isinstance(feature, ClassNames):
            yield _names(config, name, feature, ids)
    rows = "sentence" if config.kind == "paradigm" else "matrix"
    about = config.about.rstrip(".") or f"{config.design} of {config.phenomenon}"
    keys = ["address", *(["cell"] if config.kind == "paradigm" else [])]
    told = [name for name in config.fields.names if not _too_deep(config.fields[name])]
    others = [name for name in config.fields.names if name not in told]
    more = f" The files have besides: {', '.join(others)}." if others else ""
    yield {
        "@type": "cr:RecordSet",
        "@id": ids(config.name),
        "name": config.name,
        "description": f"{about}. A row is a {rows}.{more}",
        "key": [{"@id": ids(config.name, name)} for name in keys if name in config.fields],
        "field": [_split(config, ids), *(_field(config, name, ids) for name in told)],
    }


def _too_deep(feature: Feature, lists: int = 0) -> bool:
    """Whether a type has structs in lists of lists, which no field can extract."""
    if isinstance(feature, Items):
        return _too_deep(feature.of, lists + 1)
    if isinstance(feature, Fields):
        return lists > 1 or any(_too_deep(own, lists) for _, own in feature.fields)
    return False


def _splits(config: ConfigEntry, ids: Ids) -> dict[str, Any]:
    """The splits, as the hub has them."""
    name, key = f"{config.name}_splits", ids(f"{config.name}_splits", "split_name")
    return {
        "@type": "cr:RecordSet",
        "dataType": "cr:Split",
        "key": {"@id": key},
        "@id": ids(name),
        "name": name,
        "description": f"The splits of {config.name}.",
        "field": [{"@type": "cr:Field", "@id": key, "name": "split_name", "dataType": "sc:Text"}],
        "data": [{key: split.name} for split in config.splits],
    }


def _split(config: ConfigEntry, ids: Ids) -> dict[str, Any]:
    """The split of a row, told by the name of its file.

    mlcroissant makes a pattern of files out of the expression, where one split is asked for, and
    applies it twice, where it joins the splits; so the split alone has to fit as well.
    """
    names = "|".join(split.name for split in config.splits)
    place = re.escape(config.name).replace(r"\-", "-")
    regex = f"(?:{place}/)?({names})(?:-.+parquet)?$"
    return {
        "@type": "cr:Field",
        "@id": ids(config.name, "split"),
        "name": "split",
        "description": "the split of the row",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": _files(config, ids)},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": regex},
        },
        "references": {"field": {"@id": ids(f"{config.name}_splits", "split_name")}},
    }


def _names(config: ConfigEntry, name: str, feature: ClassNames, ids: Ids) -> dict[str, Any]:
    """The names of a class label by their numbers."""
    table = _table(config, name)
    number, word = ids(table, "number"), ids(table, "name")
    return {
        "@type": "cr:RecordSet",
        "dataType": "sc:Enumeration",
        "key": {"@id": number},
        "@id": ids(table),
        "name": table,
        "description": f"The names of the numbers in {name}.",
        "field": [
            {"@type": "cr:Field", "@id": number, "name": "number", "dataType": "sc:Integer"},
            {"@type": "cr:Field", "@id": word, "name": "name", "dataType": "sc:Text"},
        ],
        "data": [{number: i, word: own} for i, own in enumerate(feature.names)],
    }


def _table(config: ConfigEntry, name: str) -> str:
    return f"{config.name}_{name}_names"


def _field(config: ConfigEntry, name: str, ids: Ids) -> dict[str, Any]:
    """A column.

    A class label says where its names are, and does not refer to them: mlcroissant cannot ask for a
    split of rows that refer to something else as well.
    """
    feature = config.fields[name]
    source = {"fileSet": {"@id": _files(config, ids)}, "extract": {"column": name}}
    found = _typed(feature, (config.name, name), source, (), ids)
    found["description"] = meaning(name, config.kind) + _listed(feature)
    if isinstance(feature, ClassNames):
        found["description"] += f"; a number, whose name is in {ids(_table(config, name))}"
    return found


def _listed(feature: Feature) -> str:
    """The names of a class label inside a list, since nothing can refer to them."""
    if isinstance(feature, Items):
        return _listed(feature.of) if isinstance(feature.of, Items) else _numbered(feature.of)
    return ""


def _numbered(feature: Feature) -> str:
    if not isinstance(feature, ClassNames):
        return ""
    return f" ({', '.join(f'{i} {name}' for i, name in enumerate(feature.names))})"


def _typed(
    feature: Feature, path: Sequence[str], source: dict[str, Any], inside: Sequence[str], ids: Ids
) -> dict[str, Any]:
    """A field of a type; ``inside`` leads to it within the column."""
    shape: list[int] = []
    while isinstance(feature, Items):
        shape.append(feature.length)
        feature = feature.of
    found: dict[str, Any] = {"@type": "cr:Field", "@id": ids(*path), "name": path[-1]}
    if isinstance(feature, Fields):
        found["subField"] = [
            _sub(own, (*path, name), source, (*inside, name), ids) for name, own in feature.fields
        ]
    else:
        found["dataType"] = TYPES[feature.dtype] if isinstance(feature, Value) else "sc:Integer"
        transforms = [{"jsonPath": _json_path(name)} for name in inside]
        if transforms:
            source = {**source, "transform": transforms if transforms[1:] else transforms[0]}
        found["source"] = source
    if shape:
        found |= {"isArray": True, "arrayShape": ",".join(map(str, shape))}
    return found


def _sub(
    feature: Feature, path: Sequence[str], source: dict[str, Any], inside: Sequence[str], ids: Ids
) -> dict[str, Any]:
    found = _typed(feature, path, source, inside, ids)
    names = _numbered(feature).strip(" ()")
    return {**found, "description": names} if names else found


def _json_path(name: str) -> str:
    """A JSONPath to a key."""
    if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name):
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
