"""What a card says of phenomena, as plain values: each grammar, and what several have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from merula.compiler.compiled import Compiled
from merula.core.resources import folder
from merula.data.manifests.publication import GrammarEntry
from merula.show.overview import overview

SECTIONS = ("objects", "attributes", "external", "internal", "contested", "select", "frames")
LETTERS = {"external": "E", "internal": "I"}


def phenomenon(entry: GrammarEntry, compiled: Compiled) -> dict[str, Any]:
    """A grammar: what it is about, and its sections with their doc strings."""
    there = {section.name: section.entries for section in overview(compiled).sections}
    sections = {
        name: [{"name": own.name, "text": own.text, "doc": own.doc} for own in there.get(name, ())]
        for name in SECTIONS
    }
    return {
        "name": entry.phenomenon,
        "about": entry.about,
        "language": entry.language,
        "asked": entry.asked,
        "source": entry.source,
        "packaged": _is_packaged(compiled),
        "grammar": entry.grammar,
        "lexicon": entry.lexicon,
        "sections": sections,
    }


def _is_packaged(compiled: Compiled) -> bool:
    path = compiled.source.path
    root = folder("grammars").resolve()
    return path is not None and path.resolve().is_relative_to(root)


def together(phenomena: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The sections of all grammars, what several of them have only once.

    An entry says in which phenomena it is (``only``), or in which it is not if these are fewer
    (``but``); neither where all have it. Rules of both kinds are together.
    """
    found: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for own in phenomena:
        for section, name, text, doc in _entries(own):
            entries = found.setdefault(section, {})
            entries.setdefault((name, text, doc), []).append(own["name"])
    if "rules" in found:  # external ones first
        found["rules"] = dict(sorted(found["rules"].items(), key=lambda rule: rule[0][0][0]))
    every = [own["name"] for own in phenomena]
    return {
        section: [
            {"name": name, "text": text, "doc": doc, **_among(names, every)}
            for (name, text, doc), names in found.get(section, {}).items()
        ]
        for section in ("rules", "objects", "attributes", "contested", "select", "frames")
    }


def _entries(own: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """The entries of a grammar: section, name, text and doc string."""
    for section, entries in own["sections"].items():
        letter = LETTERS.get(section, "")
        for entry in entries:
            name = f"{letter} {entry['name']}".strip()
            yield "rules" if letter else section, name, entry["text"], entry["doc"]


def _among(names: Sequence[str], every: Sequence[str]) -> dict[str, list[str]]:
    others = [name for name in every if name not in names]
    few = len(others) < len(names)
    return {"only": [] if few else list(names), "but": others if few else []}
