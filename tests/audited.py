"""Data as files, audited: what the tests of the audit share."""

from __future__ import annotations

from pathlib import Path

from merula.audit import Audit

ROOT = Path(__file__).resolve().parents[1]


def found(report: Audit, name: str) -> list[str]:
    """What a check has found; it must have run."""
    result = next(result for result in report.results if result.check.name == name)
    assert result.found is not None, f"{name} did not run"
    return [str(example) for example in result.found.examples]


def rows_found(report: Audit, name: str) -> list[int]:
    result = next(result for result in report.results if result.check.name == name)
    assert result.found is not None, f"{name} did not run"
    return [example.place.row for example in result.found.examples if example.place]
