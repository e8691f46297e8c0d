"""The head of a card, which the Hugging Face hub and Datasets read, as YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.resources import install
from merula.data.manifests.publication import ConfigEntry, Publication

INSTALL = install("hf")
MAX_FEATURE_CONFIGS = 12  # with more, the head leaves their features out: they are long
# The hub's identifiers (huggingface.js, packages/tasks) and those of Datasets.
TASKS = {"paradigm": "text-classification", "matrix": "multiple-choice"}
SUBTASKS = {"paradigm": ("acceptability-classification",), "matrix": ()}
KINDS = {"paradigm": "minimal-pairs", "matrix": "blackbird-language-matrices"}
SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
    (10**9, "100M<n<1B"),
    (10**10, "1B<n<10B"),
    (10**11, "10B<n<100B"),
    (10**12, "100B<n<1T"),
)
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def metadata(publication: Publication) -> dict[str, Any]:
    """Return the head of the card, in the order of the hub's own example."""
    kinds = list(dict.fromkeys(config.kind for config in publication.configs))
    languages = [code for code in publication.languages if is_language(code)]
    plurality = {0: [], 1: ["monolingual"]}.get(len(publication.languages), ["multilingual"])
    head = {
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "language": languages,
        "license": publication.licence,
        "multilinguality": plurality,
        "pretty_name": publication.title,
        "size_categories": [size_category(publication.rows)],
        "source_datasets": ["original"],
        "task_categories": [TASKS[kind] for kind in kinds],
        "task_ids": [name for kind in kinds for name in SUBTASKS[kind]],
        "tags": tags(publication),
        "configs": [_config(config, publication) for config in publication.configs],
        "dataset_info": [
            _info(config, features=len(publication.configs) <= MAX_FEATURE_CONFIGS)
            for config in publication.configs
        ],
    }
    return {name: value for name, value in head.items() if value}


def is_language(code: str) -> bool:
    """Whether a code can be one of ISO 639, which is what the hub takes."""
    return _LANGUAGE.fullmatch(code) is not None


def size_category(rows: int) -> str:
    """Return the hub's name for a number of rows.

    >>> size_category(999), size_category(1000)
    ('n<1K', '1K<n<10K')
    """
    return next((name for bound, name in SIZES if rows < bound), "n>1T")


def tags(publication: Publication) -> list[str]:
    """Return the words by which people find the data set, besides languages and tasks."""
    kinds = (KINDS[config.kind] for config in publication.configs)
    phenomena = (config.phenomenon for config in publication.configs)
    return list(dict.fromkeys(["merula", "linguistics", "syntax", "synthetic", *kinds, *phenomena]))


def _config(config: ConfigEntry, publication: Publication) -> dict[str, Any]:
    files = [
        {"split": split.name, "path": f"{config.name}/{split.name}-*"} for split in config.splits
    ]
    default = {"default": True} if config.name == publication.default else {}
    return {"config_name": config.name, "data_files": files, **default}


def _info(config: ConfigEntry, *, features: bool) -> dict[str, Any]:
    """Return features and sizes; without features, Datasets read them from the Parquet files."""
    memory = {s.name: sum(part.memory for part in s.files) for s in config.splits}
    return {
        "config_name": config.name,
        **({"features": config.fields.to_yaml()} if features else {}),
        "splits": [
            {"name": split.name, "num_bytes": memory[split.name], "num_examples": split.rows}
            for split in config.splits
        ],
        "download_size": sum(split.bytes for split in config.splits),
        "dataset_size": sum(memory.values()),
    }


# --- YAML ----------------------------------------------------------------------------------------

# Words that some version of YAML does not take for a text.
_WORDS = frozenset("y n yes no on off true false null nan inf".split())
_PLAIN = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*")
_RANGE = re.compile(r"\d+[KMBT]<n<\d+[KMBT]")


def is_plain(text: str) -> bool:
    """Whether every version of YAML reads an unquoted text as this text.

    >>> [is_plain(word) for word in ("only-ever", "yes", "1e3", "null", "key: 1")]
    [True, False, False, False, False]
    """
    if _RANGE.fullmatch(text) or text == "n<1K":
        return True
    return _PLAIN.fullmatch(text) is not None and text.casefold() not in _WORDS


def to_yaml(value: Mapping[str, Any]) -> str:
    """Write a mapping as YAML, with its keys in their order and any letters as they are.

    Lists and mappings of nothing but plain values take a line. Raises `MerulaError` where PyYAML is
    missing.
    """
    yaml = demand_yaml()
    written: str = yaml.dump(
        value,
        Dumper=_dumper(),
        allow_unicode=True,
        sort_keys=False,
        width=float("inf"),
    )
    return written


def read_yaml(text: str) -> Any:
    """Read YAML; raises ValueError where it is not YAML."""
    yaml = demand_yaml()
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def demand_yaml() -> Any:
    """Return PyYAML; raises `MerulaError` where it is not installed."""
    try:
        import yaml
    except ImportError as error:
        raise MerulaError.of(
            "M712",
            "the card of a data set needs the package PyYAML",
            remedy=f"install it: {INSTALL}",
        ) from error
    return yaml


@cache
def _dumper() -> Any:
    yaml = demand_yaml()

    class Dumper(yaml.SafeDumper):  # type: ignore[misc, name-defined]
        def ignore_aliases(self, _: Any) -> bool:
            return True

        def represent(self, data: Any) -> None:
            node = self.represent_data(data)
            node.flow_style = False
            self.serialize(node)

        def represent_sequence(self, tag: Any, sequence: Any, flow_style: Any = None) -> Any:
            node = super().represent_sequence(tag, sequence, flow_style)
            node.flow_style = all(isinstance(x, yaml.ScalarNode) for x in node.value)
            return node

        def represent_mapping(self, tag: Any, mapping: Any, flow_style: Any = None) -> Any:
            node = super().represent_mapping(tag, mapping, flow_style)
            node.flow_style = all(isinstance(x, yaml.ScalarNode) for _, x in node.value)
            return node

    def written(dumper: Any, text: str) -> Any:
        style = None if is_plain(text) else "'" if text.isprintable() else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, written)
    return Dumper
