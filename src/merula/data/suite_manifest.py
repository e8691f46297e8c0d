"""The manifest of a suite: what was asked for, what was drawn, the files and their digests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError, listing

SCHEMA = 1


@dataclass(frozen=True)
class Largest:
    """The lexeme that fills the largest share of its slot in a design."""

    lexeme: str
    slot: str
    paradigms: int
    share: float


@dataclass(frozen=True)
class DesignRecord:
    """A design of a suite; ``of`` is how many instances there could be."""

    part: str
    design: str
    grammar: str
    grammar_digest: str
    lexicon_digest: str
    language: str
    paradigms: int
    sentences: int
    of: str
    splits: Mapping[str, int]
    orders: Mapping[str, int]
    word_types: int
    largest: Largest | None


@dataclass(frozen=True)
class MatrixRecord:
    """A data set of matrices of one type; ``of`` is how many instances there could be.

    ``units`` is how many lexical sets each split has, ``answers`` what the answer set gives away
    (`merula.compiler.answer_sets.AnswerSet.to_json`).
    """

    part: str
    design: str
    grammar: str
    grammar_digest: str
    lexicon_digest: str
    language: str
    set: str
    type: str
    matrices: tuple[str, ...]
    instances: int
    of: str
    splits: Mapping[str, int]
    units: Mapping[str, int]
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class FileRecord:
    """A file of a suite: ``sha256`` is of its bytes, for text; ``digest`` of its rows, else."""

    file: str
    rows: int
    bytes: int
    sha256: str | None = None
    digest: str | None = None


@dataclass(frozen=True)
class SuiteManifest:
    """How a suite was made and what its files hold; no ``files`` while it is not finished."""

    suite: str
    about: str
    merula: str
    recipe: str  # SHA-256 of what it says
    options: Mapping[str, Any]
    designs: tuple[DesignRecord, ...] = ()
    matrices: tuple[MatrixRecord, ...] = ()
    word_types: int = 0
    files: tuple[FileRecord, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The manifest as plain values."""
        files = [{k: v for k, v in asdict(f).items() if v is not None} for f in self.files]
        return {"suite_schema": SCHEMA, **asdict(self), "files": files}

    def differences(self, there: Mapping[str, Any]) -> Iterator[str]:
        """How a suite that is there differs from this one, in words."""
        if there.get("suite") != self.suite:
            yield f"suite: {there.get('suite')} there, {self.suite} asked for"
        if there.get("merula") != self.merula:
            yield f"merula: {there.get('merula')} there, {self.merula} now"
        theirs = there.get("options", {})
        for name, value in self.options.items():
            if theirs.get(name) != value:
                yield f"{name}: {_shown(theirs.get(name))} there, {_shown(value)} asked for"
        if there.get("recipe") != self.recipe:
            yield "the recipe has changed"
        yield from self._changed([*there.get("designs", []), *there.get("matrices", [])])

    def _changed(self, there: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """What has changed under the designs that are there, by part."""
        known = {(design["part"], design["design"]): design for design in there}
        for name, what in (
            ("grammar_digest", "grammar"),
            ("lexicon_digest", "tables, or the surface rules,"),
        ):
            mine: list[DesignRecord | MatrixRecord] = [*self.designs, *self.matrices]
            parts = [
                design.part
                for design in mine
                if (design.part, design.design) in known
                and known[design.part, design.design][name] != getattr(design, name)
            ]
            if parts:
                yield f"changed since then: the {what} of {listing(dict.fromkeys(parts))}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ":".join(str(share) for share in value.values())
    if isinstance(value, list):
        return listing(value) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def read_suite(path: Path) -> dict[str, Any] | None:
    """The manifest of a suite as plain values, or None where the file is none of a suite.

    Raises `MerulaError` where it cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MerulaError.of(
            "M618",
            f"{path} cannot be read: {error.strerror or error}",
            remedy="see to it that you may read the folder and its files",
            place=str(path),
        ) from error
    except ValueError:
        return None
    return found if isinstance(found, dict) and "suite_schema" in found else None


def largest_share(drawn: Sequence[Mapping[str, Counter[str]]], paradigms: int) -> Largest | None:
    """The lexeme that stands in the most paradigms, of all slots of content lexemes."""
    total: dict[str, Counter[str]] = {}
    for counts in drawn:
        for slot, own in counts.items():
            total.setdefault(slot, Counter()).update(own)
    best = max(_all(total), default=None)
    if best is None or not paradigms:
        return None
    number, slot, lexeme = best
    return Largest(lexeme, slot, number, round(number / paradigms, 4))


def _all(total: Mapping[str, Counter[str]]) -> Iterable[tuple[int, str, str]]:
    return ((n, slot, lexeme) for slot, own in total.items() for lexeme, n in own.items())
