"""The Croissant metadata of a published data set: JSON-LD that machines read.

In: a publication whose files are made. Out: a dict, which `merula.publish.make` writes as
``croissant.json``. The files of a configuration are a ``FileSet``, and each is a ``FileObject``
with its SHA-256; the rows are a ``RecordSet`` with the name of the configuration. Fields have the
types that the hub gives them in the Croissant that it makes itself, and also descriptions and the
names of class labels.

Croissant 1.1: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from merula.data.features import ClassNames, Feature, Fields, Items, Value
from merula.data.manifests.publication import ConfigEntry, Publication
from merula.publish.card.citation import citation
from merula.publish.card.facts import meaning
from merula.publish.card.metadata import tags
from merula.publish.licences import licence_url

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
PARQUET = "application/x-parquet"
VERSION = "1.0.0"  # of the data set, which Croissant demands; Merula does not count versions
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
    """Return the metadata of a publication, which names files by their paths from its folder."""
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
    docs = dict.fromkeys(
        grammar.about.rstrip(".") for grammar in publication.grammars if grammar.about
    )
    made = f"{publication.rows:,} rows made with Merula {publication.merula}"
    return ". ".join([*docs, made]) + "."


class Ids:
    """Identifiers of letters, digits and ``-_./``, a different one for each path."""

    def __init__(self) -> None:
        self.by_path: dict[tuple[str, ...], str] = {}
        self.used: set[str] = set()

    def __call__(self, *path: str) -> str:
        """Return the identifier of a path; it is always the same for the same path."""
        if path not in self.by_path:
            identifier = "/".join(re.sub(r"[^\w.-]", "_", part) for part in path)
            while identifier in self.used:
                identifier += "_0"
            self.used.add(identifier)
            self.by_path[path] = identifier
        return self.by_path[path]


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
    """Yield the splits of a configuration, the names of its class labels, its rows."""
    yield _splits(config, ids)
    for name, feature in config.fields.fields:
        if isinstance(feature, ClassNames):
            yield _names(config, name, feature, ids)
    rows = "sentence" if config.kind == "paradigm" else "matrix"
    about = config.about.rstrip(".") or f"{config.design} of {config.phenomenon}"
    keys = ["address", *(["cell"] if config.kind == "paradigm" else [])]
    fields = [name for name in config.fields.names if not _too_deep(config.fields[name])]
    left_out = [name for name in config.fields.names if name not in fields]
    more = f" The files have besides: {', '.join(left_out)}." if left_out else ""
    yield {
        "@type": "cr:RecordSet",
        "@id": ids(config.name),
        "name": config.name,
        "description": f"{about}. A row is a {rows}.{more}",
        "key": [{"@id": ids(config.name, name)} for name in keys if name in config.fields],
        "field": [_split(config, ids), *(_field(config, name, ids) for name in fields)],
    }


def _too_deep(feature: Feature, lists: int = 0) -> bool:
    """Whether a type has structs in lists of lists, which a field cannot extract."""
    if isinstance(feature, Items):
        return _too_deep(feature.of, lists + 1)
    if isinstance(feature, Fields):
        return lists > 1 or any(_too_deep(field, lists) for _, field in feature.fields)
    return False


def _splits(config: ConfigEntry, ids: Ids) -> dict[str, Any]:
    """Return the splits, as the hub writes them."""
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
    """Return the field that reads the split of a row from the name of its file.

    If one split is asked for, mlcroissant makes a pattern of files out of the regular expression;
    where it joins the splits, it applies the expression twice. So it also has to match the name of
    the split alone.
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
    """Return the names of a class label by their numbers."""
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
        "data": [{number: i, word: label} for i, label in enumerate(feature.names)],
    }


def _table(config: ConfigEntry, name: str) -> str:
    return f"{config.name}_{name}_names"


def _field(config: ConfigEntry, name: str, ids: Ids) -> dict[str, Any]:
    """Return the field of a column.

    A class label says where its names are, and does not refer to them: mlcroissant cannot ask for a
    split of rows that refer to another record set beside the splits.
    """
    feature = config.fields[name]
    source = {"fileSet": {"@id": _files(config, ids)}, "extract": {"column": name}}
    field = _typed(feature, (config.name, name), source, (), ids)
    field["description"] = meaning(name, config.kind) + _listed(feature)
    if isinstance(feature, ClassNames):
        field["description"] += f"; a number, whose name is in {ids(_table(config, name))}"
    return field


def _listed(feature: Feature) -> str:
    """Write the names of a class label inside a list, where a field cannot say where they are."""
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
    """Return a field of a type; ``inside`` are the keys that lead to it within the column."""
    shape: list[int] = []
    while isinstance(feature, Items):
        shape.append(feature.length)
        feature = feature.of
    field: dict[str, Any] = {"@type": "cr:Field", "@id": ids(*path), "name": path[-1]}
    if isinstance(feature, Fields):
        field["subField"] = [
            _sub(inner, (*path, name), source, (*inside, name), ids)
            for name, inner in feature.fields
        ]
    else:
        field["dataType"] = TYPES[feature.dtype] if isinstance(feature, Value) else "sc:Integer"
        transforms = [{"jsonPath": _json_path(name)} for name in inside]
        if transforms:
            source = {**source, "transform": transforms if transforms[1:] else transforms[0]}
        field["source"] = source
    if shape:
        field |= {"isArray": True, "arrayShape": ",".join(map(str, shape))}
    return field


def _sub(
    feature: Feature, path: Sequence[str], source: dict[str, Any], inside: Sequence[str], ids: Ids
) -> dict[str, Any]:
    field = _typed(feature, path, source, inside, ids)
    names = _numbered(feature).strip(" ()")
    return {**field, "description": names} if names else field


def _json_path(name: str) -> str:
    """Return the JSONPath of a key.

    >>> _json_path("subj"), _json_path("the subject")
    ('subj', "['the subject']")
    """
    if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name):
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
