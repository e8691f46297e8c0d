"""The facts of a card as plain values, which templates write out.

In: a publication with its compiled grammars, audit and examples. Out: one dict, whose keys
``templates/README.md`` lists. `merula.publish.make` calls it and hands the dict to
`merula.publish.card.template.render`. The words for columns are used by Croissant as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from merula.audit.probes.sentences import PROBES
from merula.audit.probes.solvers import BLIND, MATRICES, MEANINGS
from merula.compiler.compiled import Compiled
from merula.data.features import ClassNames, Feature, Fields, Items, Value
from merula.data.manifests.publication import ConfigEntry, Publication
from merula.publish.card.citation import citation
from merula.publish.card.designs import (
    Samples,
    design_facts,
    example_facts,
    first_example,
    groups,
    merged_sections,
    phenomenon_facts,
)
from merula.publish.card.metadata import metadata
from merula.publish.licences import licence_url
from merula.publish.origins import WordSource, origins

MAX_SINGLE_DESIGNS = 6  # a card with more is too long; similar designs are then described together
APART = {
    "": "",
    "lexemes": "content lexeme",
    "sets": "lexical set",
    "answers": "right answer",
}


def facts(
    publication: Publication,
    compiled: Mapping[str, Compiled],
    audit: Mapping[str, Any] | None = None,
    samples: Samples | None = None,
    *,
    repo: str = "",
) -> dict[str, Any]:
    """Return all that a card says, as plain values.

    ``compiled`` has the grammars by phenomenon, ``audit`` is what `Audit.to_json` gives,
    ``samples`` an instance of each design in each configuration. ``repo`` is the name on the hub,
    ``owner/name``; if it is empty the card names the folder. Raises `MerulaError` where a
    ``sources.toml`` beside the tables cannot be understood.
    """
    findings = audit_facts(audit)
    words = _words(publication, compiled)
    return {
        **_publication(publication, repo),
        **_grammars(publication, compiled),
        **_data(publication, compiled, samples or {}),
        "fields": columns_by_kind(publication.configs),
        "probe_names": [probe.name for probe in PROBES],
        "audit": findings,
        **limits_of(findings),
        "words": words,
        "other_licences": _other_licences(publication, words["sources"]),
    }


def _publication(publication: Publication, repo: str) -> dict[str, Any]:
    """Return what the user has given about the data, and how they are made again."""
    return {
        "metadata": metadata(publication),
        "name": publication.name,
        "title": publication.title or publication.name,
        "repo": repo or publication.name,
        "licence": publication.licence,
        "licence_url": licence_url(publication.licence),
        "authors": list(publication.authors),
        "citation": citation(publication),
        "languages": publication.languages,
        "merula": publication.merula,
        "seed": publication.seed,
        "split": publication.split,
        "suite": _suite(publication),
        "apart": APART[_apart(publication)],
        "command": publication.command,
    }


def _suite(publication: Publication) -> dict[str, Any] | None:
    """Return the suite that draws the instances, if there is one."""
    suite = publication.suite
    if suite is None:
        return None
    return {
        "name": suite.name,
        "about": suite.about,
        "references": list(suite.references),
        "cap": suite.cap,
        "orders": list(suite.orders),
    }


def _apart(publication: Publication) -> str:
    """Return what no two splits share beside instances, a key of `APART`; empty for nothing."""
    suite = publication.suite
    if suite is None or len(_splits(publication)) < 2:
        return ""
    matrices = any(config.kind == "matrix" for config in publication.configs)
    return suite.disjoint or ("sets" if matrices else "")


def _splits(publication: Publication) -> list[str]:
    return list(dict.fromkeys(s.name for c in publication.configs for s in c.splits))


# --- grammars and data ---------------------------------------------------------------------------


def _grammars(publication: Publication, compiled: Mapping[str, Compiled]) -> dict[str, Any]:
    """Return the phenomena, and the sections of all of them together."""
    phenomena = [
        phenomenon_facts(entry, compiled[entry.phenomenon]) for entry in publication.grammars
    ]
    return {
        "phenomena": phenomena,
        "together": merged_sections(phenomena),
        "has_source": all(phenomenon["source"] for phenomenon in phenomena),
        "packaged": all(phenomenon["packaged"] for phenomenon in phenomena),
    }


def _data(
    publication: Publication, compiled: Mapping[str, Compiled], samples: Samples
) -> dict[str, Any]:
    """Return the configurations and their designs."""
    designs = _designs(publication, compiled)
    configs = [_config(config, publication, designs) for config in publication.configs]
    many = len(designs) > MAX_SINGLE_DESIGNS
    return {
        "default": publication.default,
        "rows": publication.rows,
        "kinds": list(dict.fromkeys(config.kind for config in publication.configs)),
        "split_names": _splits(publication),
        "configs": configs,
        "loaded": _loaded(configs),
        "designs": [{**design, "examples": _examples(design, samples)} for design in designs],
        "groups": groups(designs, samples) if many else [],
    }


def _designs(publication: Publication, compiled: Mapping[str, Compiled]) -> list[dict[str, Any]]:
    """Return each design once, whatever types it is published in."""
    configs_of: dict[tuple[str, str], list[ConfigEntry]] = {}
    for config in publication.configs:
        for name in config.designs:
            configs_of.setdefault((config.phenomenon, name), []).append(config)
    return [
        design_facts(configs, compiled[phenomenon].designs[name])
        for (phenomenon, name), configs in configs_of.items()
    ]


def _examples(design: Mapping[str, Any], samples: Samples) -> list[dict[str, Any]]:
    """Return an example of a design as a list, which is empty if there is none."""
    example = first_example(design, samples)
    return [] if example is None else [{"config": example[0], **example_facts(example[1])}]


def _config(
    config: ConfigEntry, publication: Publication, designs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a configuration and its splits, with the number of acceptable rows if it is known."""
    design = next(design for design in designs if config.name in design["configs"])
    acceptable = design["acceptable"] if config.kind == "paradigm" else None  # in an instance
    return {
        "name": config.name,
        "phenomenon": config.phenomenon,
        "design": config.design,
        "about": config.about,
        "kind": config.kind,
        "language": config.language,
        "type": config.variation,
        "answers": config.answers,
        "default": config.name == publication.default,
        "instances": config.instances,
        "of": f"{int(config.of):,}",
        "rows": config.rows,
        "acceptable": None if acceptable is None else config.instances * acceptable,
        "sizes": {split.name: split.instances for split in config.splits},
        "splits": [
            {
                "name": split.name,
                "instances": split.instances,
                "rows": split.rows,
                "bytes": split.bytes,
                "acceptable": None if acceptable is None else split.instances * acceptable,
            }
            for split in config.splits
        ],
    }


def _loaded(configs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first configuration of each kind and type, without the default one's."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for config in sorted(configs, key=lambda config: not config["default"]):
        first.setdefault((config["kind"], config["type"]), config)
    return [config for config in first.values() if not config["default"]]


# --- words ---------------------------------------------------------------------------------------


def _words(publication: Publication, compiled: Mapping[str, Compiled]) -> dict[str, Any]:
    """Return each source with the tables it has words in, and the tables without a source."""
    tables_of: dict[WordSource, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    for entry in publication.grammars:
        files = entry.options.get("files") or {}
        for table, sources in origins(compiled[entry.phenomenon], files).items():
            for source in sources:
                tables_of.setdefault(source, {})[table] = None
            if not sources:
                unknown[table] = None
    described = [
        {**asdict(source), "licence_url": source.licence_url, "tables": list(tables)}
        for source, tables in tables_of.items()
    ]
    return {"sources": described, "unknown": list(unknown)}


def _other_licences(
    publication: Publication, sources: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the licences of words that are not that of the data."""
    urls = {source["licence"]: source["licence_url"] for source in sources if source["licence"]}
    urls.pop(publication.licence, None)
    return [{"name": name, "url": url} for name, url in urls.items()]


# --- columns -------------------------------------------------------------------------------------

MAX_LABELS = 12  # names of a class label in a cell of a table; more would fill the page


def columns_by_kind(configs: Sequence[ConfigEntry]) -> list[dict[str, Any]]:
    """Return the columns of each kind of rows, each once, with what they hold."""
    kinds = []
    for kind in dict.fromkeys(config.kind for config in configs):
        of_kind = [config for config in configs if config.kind == kind]
        names = dict.fromkeys(name for config in of_kind for name in config.fields.names)
        kinds.append({"kind": kind, "columns": [_column(name, kind, of_kind) for name in names]})
    return kinds


def _column(name: str, kind: str, configs: Sequence[ConfigEntry]) -> dict[str, Any]:
    having = [config for config in configs if name in config.fields]
    labels = {label for config in having for label in _names(config, name)}
    return {
        "name": name,
        "type": common([config.fields[name] for config in having]),
        "holds": meaning(name, kind),
        "names": list(labels.pop()) if len(labels) == 1 else [],
        "types": _types(having, configs),
        "configs": [] if len(having) == len(configs) else [config.name for config in having],
    }


def _types(having: Sequence[ConfigEntry], configs: Sequence[ConfigEntry]) -> list[str]:
    """Return the types of matrices that have a column, if exactly they have it."""
    types = {config.variation for config in having}
    decided = all((config.variation in types) == (config in having) for config in configs)
    return sorted(types) if decided and len(having) < len(configs) else []


def _names(config: ConfigEntry, name: str) -> list[tuple[str, ...]]:
    """Return the names of a column that is a class label, or a list of them."""
    feature = config.fields[name]
    labels = [label.names for label in classes(feature)]
    plain = isinstance(feature, (ClassNames, Items))
    return labels if plain and len(labels) == 1 and len(labels[0]) <= MAX_LABELS else []


COLUMNS: Mapping[str, str] = {
    "instance": "the number of the instance in the order of the seed, from 0",
    "address": "the address of the instance, which remakes it alone; a text, since it can be long",
    "design": "the paradigm or the matrix",
    "frame": "the order of the parts of the sentence",
    "variant": "what varies from instance to instance, and how it was chosen here",
    "cell": "the cell of the paradigm; its number is that in the table of its design",
    "factors": "the value of each factor",
    "scope": "for objects that a rule asks to be inside a constituent: `in` or `out`",
    "sentence": "the sentence",
    "spans": "where each object is in the sentence, in characters",
    "label": "whether no external and no internal rule is broken",
    "variation": "`I`: one lexical choice for all items; `III`: another for each",
    "context": "the items that are shown, in order",
    "answers": "the answers, one of which is right; in another order in each row",
    "correct": "the place of the right answer, from 0; each place equally often",
    "labels": "the label of each answer",
    "classes": "the class of each answer's error: E external, I internal, R relational",
    "context_templates": "the items without their lexemes",
    "answer_templates": "the answers without their lexemes",
    "context_spans": "where each object is in each item, in characters",
    "answer_spans": "where each object is in each answer, in characters",
    "lexemes": "the lexeme of each choice, by its lemma or its set",
    "context_lexemes": "the lexemes of each item",
    "answer_lexemes": "the lexemes of each answer",
    "varied": "empty here: words that a language model has put in",
    "grammar": "the beginning of the grammar's digest",
    "lexicon": "the beginning of the digest of its tables and surface rules",
}
MAX_FIELD_NAMES = 4  # of a struct that are named in its type
BROKEN = {
    "paradigm": "the rules that are broken, with their class: E external, I internal",
    "matrix": "of each answer the rules that it breaks, with their class",
}


def meaning(name: str, kind: str) -> str:
    """Say what a column holds in rows of a paradigm or a matrix; empty for an unknown column."""
    return BROKEN[kind] if name == "broken" else COLUMNS.get(name, "")


def described(feature: Feature, *, lengths: bool = True, names: bool = True) -> str:
    """Describe a type in words.

    >>> described(Items(ClassNames(("sg", "pl")), 7))
    'list of 7 class labels'
    """
    match feature:
        case Items(of=of, length=length):
            count = f"{length} " if lengths and length >= 0 else ""
            return f"list of {count}{_several(described(of, lengths=lengths, names=names))}"
        case Fields(names=inner) if names and len(inner) <= MAX_FIELD_NAMES:
            return f"struct of {', '.join(inner)}"
        case Fields():
            return "struct"
        case ClassNames():
            return "class label"
        case Value(dtype=dtype):
            return dtype


def _several(one: str) -> str:
    """Return the plural of a type.

    >>> _several("list of strings"), _several("int32")
    ('lists of strings', 'int32')
    """
    head, of, rest = one.partition(" of ")
    return one if head[-1].isdigit() else f"{head}s{of}{rest}"


def common(features: Sequence[Feature]) -> str:
    """Describe the type of a column in several configurations, as exactly as they agree on it."""
    for lengths, names in ((True, True), (False, True), (True, False), (False, False)):
        texts = {described(feature, lengths=lengths, names=names) for feature in features}
        if len(texts) == 1:
            return texts.pop()
    return " or ".join(dict.fromkeys(described(feature) for feature in features))


def classes(feature: Feature) -> Iterator[ClassNames]:
    """Yield the class labels in a type, from the outside in."""
    match feature:
        case ClassNames():
            yield feature
        case Items(of=of):
            yield from classes(of)
        case Fields(fields=fields):
            for _, field in fields:
                yield from classes(field)


# --- audit ---------------------------------------------------------------------------------------

SENTENCES = "sentences"


def audit_facts(audit: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the findings of an audit (`merula.audit.report.Audit.to_json`); None without one."""
    if audit is None:
        return None
    ran = [check for check in audit["checks"] if check["ran"]]
    sample = audit.get("publication", {}).get("sample", [])
    shortcuts = _by_part(audit["shortcuts"], SENTENCES)
    return {
        "clean": audit["clean"],
        "faults": list(audit["faults"]),
        "sentences": audit["sentences"],
        "matrices": audit["matrices"],
        "paradigms": audit["paradigms"],
        "whole": all(entry["instances"] == entry["of"] for entry in sample),
        "sample": [dict(entry) for entry in sample],
        "nothing": [check["check"] for check in ran if not check["found"]],
        "found": [
            {
                **{name: check[name] for name in ("check", "meaning", "found", "of", "said")},
                "fault": check["fails"],
            }
            for check in ran
            if check["found"]
        ],
        "said": [{"meaning": c["meaning"], "said": c["said"]} for c in ran if c["said"]],
        "sentence_shortcuts": shortcuts,
        "unforced": any(p["forced"] is None for row in shortcuts for p in row["probes"].values()),
        "matrix_shortcuts": [_solved(row) for row in _by_part(audit["shortcuts"], MATRICES)],
        "probes": {probe.name: probe.meaning for probe in PROBES},
        "solvers": dict(MEANINGS),
        "complete": audit["shortcuts_complete"],
        "tolerance": audit["tolerance"],
    }


def limits_of(findings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the findings that limit the use of the data.

    ``leaking`` are the configurations whose answer sets give the right answer away, ``shared`` is
    what two splits have in common, ``forced`` are the shares that are reached without syntax: by
    the most frequent label, and by the words of a sentence in any order.
    """
    if findings is None:
        return {"leaking": [], "shared": [], "forced": None}
    rows = findings["sentence_shortcuts"]
    words = [row["probes"]["words"]["forced"] for row in rows if "words" in row["probes"]]
    return {
        "leaking": [row["part"] for row in findings["matrix_shortcuts"] if row["leaks"]],
        "shared": [check for check in findings["found"] if check["check"].startswith("split-")],
        "forced": {"label": [row["chance"] for row in rows], "words": words} if rows else None,
    }


def _by_part(shortcuts: Sequence[Mapping[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Return what each probe reaches in each part of the data."""
    parts: dict[str, dict[str, Any]] = {}
    for shortcut in shortcuts:
        if shortcut["of"] == kind:
            part = parts.setdefault(shortcut["part"], {"part": shortcut["part"], "probes": {}})
            part["chance"] = shortcut["majority"]
            part["number"] = shortcut["number"]
            part["probes"][shortcut["probe"]] = {
                name: shortcut[name] for name in ("accuracy", "forced", "leaks")
            }
    return list(parts.values())


def _solved(row: dict[str, Any]) -> dict[str, Any]:
    """Add the best of the rules that never see the context, and those that reach too much."""
    blind = {name: probe for name, probe in row["probes"].items() if name in BLIND}
    rules = [name for name in blind if name != "learned"]
    best = max(rules, key=lambda name: blind[name]["accuracy"], default="")
    leaks = [name for name, probe in blind.items() if probe["leaks"]]
    return {**row, "best": best, "leaks": leaks}
