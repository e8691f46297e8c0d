"""The card of a published data set: ``README.md``, its head in YAML and its body in Markdown.

`facts` gathers plain values, `render` writes them with a template (`merula.publish.card_template`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from merula.audit.probes import PROBES
from merula.compiler.compiled import Compiled
from merula.data.manifests.publication import ConfigEntry, Publication
from merula.publish.card_audit import audited, limits_of
from merula.publish.card_columns import columns_by_kind
from merula.publish.card_designs import design, example
from merula.publish.card_groups import groups
from merula.publish.card_metadata import metadata
from merula.publish.card_phenomena import phenomenon, together
from merula.publish.card_samples import Samples
from merula.publish.card_template import demand_card, demand_template, render
from merula.publish.citation import citation
from merula.publish.licences import licence_url
from merula.publish.origins import Origin, origins

__all__ = ["demand_card", "demand_template", "facts", "render"]

FEW = 6  # designs that are told one by one, each with an example
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
    """All that a card says, as plain values.

    ``compiled`` holds the grammars by phenomenon, ``audit`` what `Audit.to_json` gives, ``samples``
    an instance of each design in each configuration. ``repo`` is the name on the hub,
    ``owner/name``; without it the card names the folder. Raises `MerulaError` where a
    ``sources.toml`` beside the tables cannot be understood.
    """
    found = audited(audit)
    words = _words(publication, compiled)
    return {
        **_publication(publication, repo),
        **_grammars(publication, compiled),
        **_data(publication, compiled, samples or {}),
        "fields": columns_by_kind(publication.configs),
        "probe_names": [probe.name for probe in PROBES],
        "audit": found,
        **limits_of(found),
        "words": words,
        "other_licences": _other_licences(publication, words["sources"]),
    }


def _publication(publication: Publication, repo: str) -> dict[str, Any]:
    """What was said when it was published, and how it is made again."""
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
    """The suite that instances are drawn by."""
    own = publication.suite
    if own is None:
        return None
    return {
        "name": own.name,
        "about": own.about,
        "references": list(own.references),
        "cap": own.cap,
        "orders": list(getattr(own, "orders", ())),
    }


def _apart(publication: Publication) -> str:
    """What no two splits have in common beside instances; empty where that is nothing."""
    suite = publication.suite
    if suite is None or len(_splits(publication)) < 2:
        return ""
    matrices = any(config.kind == "matrix" for config in publication.configs)
    return suite.disjoint or ("sets" if matrices else "")


def _splits(publication: Publication) -> list[str]:
    return list(dict.fromkeys(s.name for c in publication.configs for s in c.splits))


# --- grammars and data ---------------------------------------------------------------------------


def _grammars(publication: Publication, compiled: Mapping[str, Compiled]) -> dict[str, Any]:
    """The phenomena, and what they have in common."""
    phenomena = [phenomenon(own, compiled[own.phenomenon]) for own in publication.grammars]
    return {
        "phenomena": phenomena,
        "together": together(phenomena),
        "has_source": all(own["source"] for own in phenomena),
        "packaged": all(own["packaged"] for own in phenomena),
    }


def _data(
    publication: Publication, compiled: Mapping[str, Compiled], samples: Samples
) -> dict[str, Any]:
    """The configurations and their designs."""
    designs = _designs(publication, compiled)
    configs = [_config(config, publication, designs) for config in publication.configs]
    many = len(designs) > FEW
    return {
        "default": publication.default,
        "rows": publication.rows,
        "kinds": list(dict.fromkeys(config.kind for config in publication.configs)),
        "split_names": _splits(publication),
        "configs": configs,
        "loaded": _loaded(configs),
        "designs": [{**own, "examples": _examples(own, samples)} for own in designs],
        "groups": groups(designs, samples) if many else [],
    }


def _designs(publication: Publication, compiled: Mapping[str, Compiled]) -> list[dict[str, Any]]:
    """Each design once, whatever types it is published in."""
    found: dict[tuple[str, str], list[ConfigEntry]] = {}
    for config in publication.configs:
        for name in config.designs:
            found.setdefault((config.phenomenon, name), []).append(config)
    return [
        design(configs, compiled[phenomenon].designs[name])
        for (phenomenon, name), configs in found.items()
    ]


def _examples(own: Mapping[str, Any], samples: Samples) -> list[dict[str, Any]]:
    """An example of a design, from the first of its configurations."""
    names = [name for name in own["configs"] if (name, own["name"]) in samples]
    return [{"config": name, **example(samples[name, own["name"]])} for name in names[:1]]


def _config(
    config: ConfigEntry, publication: Publication, designs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A configuration and its splits; how many rows of a split are acceptable, if that is known."""
    own = next(d for d in designs if config.name in d["configs"])
    good = own["acceptable"] if config.kind == "paradigm" else None
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
        "acceptable": None if good is None else config.instances * good,
        "sizes": {split.name: split.instances for split in config.splits},
        "splits": [
            {
                "name": split.name,
                "instances": split.instances,
                "rows": split.rows,
                "bytes": split.bytes,
                "acceptable": None if good is None else split.instances * good,
            }
            for split in config.splits
        ],
    }


def _loaded(configs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first configuration of each kind and type, but for that of the default one."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for config in sorted(configs, key=lambda config: not config["default"]):
        first.setdefault((config["kind"], config["type"]), config)
    return [config for config in first.values() if not config["default"]]


# --- words ---------------------------------------------------------------------------------------


def _words(publication: Publication, compiled: Mapping[str, Compiled]) -> dict[str, Any]:
    """Each source with the tables it has words in, and the tables of which nothing is said."""
    found: dict[Origin, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    for entry in publication.grammars:
        files = entry.options.get("files") or {}
        for table, own in origins(compiled[entry.phenomenon], files).items():
            for origin in own:
                found.setdefault(origin, {})[table] = None
            if not own:
                unknown[table] = None
    sources = [
        {**asdict(origin), "licence_url": origin.licence_url, "tables": list(tables)}
        for origin, tables in found.items()
    ]
    return {"sources": sources, "unknown": list(unknown)}


def _other_licences(
    publication: Publication, sources: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """The licences of words that are not that of the data."""
    found = {own["licence"]: own["licence_url"] for own in sources if own["licence"]}
    found.pop(publication.licence, None)
    return [{"name": name, "url": url} for name, url in found.items()]
