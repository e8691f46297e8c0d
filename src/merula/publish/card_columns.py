"""What a card says of the columns of rows, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from merula.data.features import ClassNames
from merula.data.manifests.publication import ConfigEntry
from merula.publish.meanings import classes, common, meaning

MOST_NAMES = 12  # of a class label that are written out


def columns_by_kind(configs: Sequence[ConfigEntry]) -> list[dict[str, Any]]:
    """The columns of each kind of rows, each once, with what they hold."""
    found = []
    for kind in dict.fromkeys(config.kind for config in configs):
        own = [config for config in configs if config.kind == kind]
        names = dict.fromkeys(name for config in own for name in config.fields.names)
        found.append({"kind": kind, "columns": [_column(name, kind, own) for name in names]})
    return found


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
    """The types of matrices that have a column, if it is these that decide."""
    types = {config.variation for config in having}
    alike = all((config.variation in types) == (config in having) for config in configs)
    return sorted(types) if alike and len(having) < len(configs) else []


def _names(config: ConfigEntry, name: str) -> list[tuple[str, ...]]:
    """The names of a column that is a class label, or a list of them."""
    feature = config.fields[name]
    found = [own.names for own in classes(feature)]
    plain = isinstance(feature, ClassNames) or hasattr(feature, "of")
    return found if plain and len(found) == 1 and len(found[0]) <= MOST_NAMES else []
