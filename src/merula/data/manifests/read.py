"""The manifest of a folder, whatever command has made the data set in it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from merula.core.records import read_json, understood
from merula.data.manifests.publication import Publication
from merula.data.manifests.run import MANIFEST, RunManifest
from merula.data.manifests.soundness import sound_publication
from merula.data.manifests.suite import SuiteManifest

AnyManifest: TypeAlias = RunManifest | SuiteManifest | Publication


def manifest_in(folder: Path) -> AnyManifest | None:
    """Return the manifest of the data set in a folder, or None where there is none.

    Raises `MerulaError` (M618) where it cannot be read, understood or believed.
    """
    publication = sound_publication(folder)
    if publication is not None:
        return publication
    path = folder / MANIFEST
    return read_manifest(path) if path.is_file() else None


def read_manifest(path: Path) -> RunManifest | SuiteManifest:
    """Return the manifest of a run or a suite; raises `MerulaError` where it does not fit.

    Manifests of suites have a number of their schema, which tells them apart from those of runs.
    """
    value = read_json(path)
    if isinstance(value, dict) and "suite_schema" in value:
        fields = {name: item for name, item in value.items() if name != "suite_schema"}
        return understood(SuiteManifest, fields, path)
    return understood(RunManifest, value, path)
