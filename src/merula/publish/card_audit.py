"""What a card says of an audit, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from merula.audit.matrix_solvers import BLIND, MATRICES, MEANINGS
from merula.audit.probes import PROBES

SENTENCES = "sentences"


def audited(audit: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The findings of an audit (`merula.audit.report.Audit.to_json`), or None without one."""
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
        "whole": all(said["instances"] == said["of"] for said in sample),
        "sample": [dict(said) for said in sample],
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


def limits_of(found: Mapping[str, Any] | None) -> dict[str, Any]:
    """What of the findings limits the use of the data.

    ``leaking`` are the configurations whose answer sets give themselves away, ``shared`` what two
    splits have in common, ``forced`` the shares that are reached without syntax: by the most
    frequent label, and by a bag of words at most.
    """
    if found is None:
        return {"leaking": [], "shared": [], "forced": None}
    rows = found["sentence_shortcuts"]
    words = [row["probes"]["words"]["forced"] for row in rows if "words" in row["probes"]]
    return {
        "leaking": [row["part"] for row in found["matrix_shortcuts"] if row["leaks"]],
        "shared": [own for own in found["found"] if own["check"].startswith("split-")],
        "forced": {"label": [row["chance"] for row in rows], "words": words} if rows else None,
    }


def _by_part(shortcuts: Sequence[Mapping[str, Any]], kind: str) -> list[dict[str, Any]]:
    """What is reached in each part, by probe."""
    parts: dict[str, dict[str, Any]] = {}
    for said in shortcuts:
        if said["of"] == kind:
            own = parts.setdefault(said["part"], {"part": said["part"], "probes": {}})
            own["chance"] = said["majority"]
            own["number"] = said["number"]
            own["probes"][said["probe"]] = {
                name: said[name] for name in ("accuracy", "forced", "leaks")
            }
    return list(parts.values())


def _solved(row: dict[str, Any]) -> dict[str, Any]:
    """The best of the solvers that never see the context, beside those that know something."""
    blind = {name: own for name, own in row["probes"].items() if name in BLIND}
    plain = [name for name in blind if name != "learned"]
    best = max(plain, key=lambda name: blind[name]["accuracy"], default="")
    leaks = [name for name, own in blind.items() if own["leaks"]]
    return {**row, "best": best, "leaks": leaks}
