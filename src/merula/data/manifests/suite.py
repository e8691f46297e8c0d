"""The manifest of a suite: what was asked for, what was drawn, the files and their digests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from merula.core.wording import listing

SCHEMA = 1


@dataclass(frozen=True)
class Largest:
    """The lexeme that fills the largest share of its slot in a design."""

    lexeme: str
    slot: str
    paradigms: int
    share: float


@dataclass(frozen=True)
class ParadigmRecord:
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
    designs: tuple[ParadigmRecord, ...] = ()
    matrices: tuple[MatrixRecord, ...] = ()
    word_types: int = 0
    files: tuple[FileRecord, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as plain values."""
        files = [{k: v for k, v in asdict(f).items() if v is not None} for f in self.files]
        return {"suite_schema": SCHEMA, **asdict(self), "files": files}

    def differences(self, before: SuiteManifest) -> Iterator[str]:
        """Say how the suite on the disk differs from this one."""
        if before.suite != self.suite:
            yield f"suite: {before.suite} there, {self.suite} asked for"
        if before.merula != self.merula:
            yield f"merula: {before.merula} there, {self.merula} now"
        for name, value in self.options.items():
            old = before.options.get(name)
            if old != value:
                yield f"{name}: {_shown(old)} there, {_shown(value)} asked for"
        if before.recipe != self.recipe:
            yield "the recipe has changed"
        yield from self._changed([*before.designs, *before.matrices])

    def _changed(self, designs: Sequence[ParadigmRecord | MatrixRecord]) -> Iterator[str]:
        """Say what has changed under the designs on the disk, by part."""
        before = {(design.part, design.design): design for design in designs}
        for name, source in (
            ("grammar_digest", "grammar"),
            ("lexicon_digest", "tables, or the surface rules,"),
        ):
            mine: list[ParadigmRecord | MatrixRecord] = [*self.designs, *self.matrices]
            parts = [
                design.part
                for design in mine
                if (old := before.get((design.part, design.design))) is not None
                and getattr(old, name) != getattr(design, name)
            ]
            if parts:
                yield f"changed since then: the {source} of {listing(dict.fromkeys(parts))}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ":".join(str(share) for share in value.values())
    if isinstance(value, list):
        return listing(value) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def largest_share(drawn: Sequence[Mapping[str, Counter[str]]], paradigms: int) -> Largest | None:
    """Return the lexeme that is in the most paradigms, of all slots of content lexemes.

    ``drawn`` counts the lexemes of each slot; the result is None where nothing was drawn.
    """
    total: dict[str, Counter[str]] = {}
    for counts in drawn:
        for slot, lexemes in counts.items():
            total.setdefault(slot, Counter()).update(lexemes)
    best = max(_all(total), default=None)
    if best is None or not paradigms:
        return None
    count, slot, lexeme = best
    return Largest(lexeme, slot, count, round(count / paradigms, 4))


def _all(total: Mapping[str, Counter[str]]) -> Iterable[tuple[int, str, str]]:
    return ((n, slot, lexeme) for slot, counts in total.items() for lexeme, n in counts.items())
