"""The manifest of a run of `merula generate`: how it was made, its files and their digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from merula.data.digest import summed, written

MANIFEST = "manifest.json"  # of a run or a suite


@dataclass(frozen=True)
class PartRecord:
    """What is known of a part that is done; ``sha256`` is of its bytes, for text formats."""

    file: str
    phenomenon: str
    design: str
    first: int
    instances: int
    rows: int
    bytes: int
    digest: str
    sha256: str | None = None

    @property
    def title(self) -> str:
        """``PHENOMENON-DESIGN``."""
        return f"{self.phenomenon}-{self.design}"


@dataclass(frozen=True)
class DesignRecord:
    """A design of a data set.

    ``of`` is how many instances there could be, ``block`` how many are hashed together;
    ``digest`` is empty until all files are done.
    """

    phenomenon: str
    design: str
    kind: str
    language: str
    instances: int
    rows: int
    of: str
    block: int
    grammar: str
    lexicon: str
    digest: str = ""

    @property
    def title(self) -> str:
        """``PHENOMENON-DESIGN``."""
        return f"{self.phenomenon}-{self.design}"


@dataclass(frozen=True)
class RunManifest:
    """All that decides the files of a data set, and, once they are done, the files."""

    merula: str
    schema: int
    order: int
    format: str
    seed: int
    variation: str
    answers: str
    spans: bool
    columns: list[str] | None
    part: int
    designs: list[DesignRecord]
    files: list[PartRecord] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The manifest as plain values."""
        files = [{k: v for k, v in asdict(f).items() if v is not None} for f in self.files]
        return {**asdict(self), "files": files}

    def done(self, files: Sequence[PartRecord]) -> RunManifest:
        """The manifest with its files, and the digests that they add up to."""
        designs = [
            replace(design, digest=written(summed(own_digests(design, files))))
            for design in self.designs
        ]
        return replace(self, designs=designs, files=list(files))

    def differences(self, there: RunManifest) -> Iterator[str]:
        """How a data set that is there differs from this one, in words."""
        for own in fields(self):
            if own.name in ("part", "designs", "files"):
                continue
            old, new = getattr(there, own.name), getattr(self, own.name)
            if old != new:
                yield f"{own.name}: {_shown(old)} there, {_shown(new)} asked for"
        theirs = {design.title: design for design in there.designs}
        ours = {design.title: design for design in self.designs}
        for name in theirs:
            if name not in ours:
                yield f"{name} is there and not asked for"
        for name, design in ours.items():
            if name not in theirs:
                yield f"{name} is asked for and not there"
            else:
                yield from _differences(name, theirs[name], design)
        if there.part != self.part:
            old, new = _shown(there.part), _shown(self.part)
            yield f"sentences in a file: {old} there, {new} asked for"


def own_digests(design: DesignRecord, files: Sequence[PartRecord]) -> list[int]:
    """The digests of a design's files."""
    return [int(file.digest or "0", 16) for file in files if file.title == design.title]


def _differences(name: str, there: DesignRecord, here: DesignRecord) -> Iterator[str]:
    if there.grammar != here.grammar:
        yield f"{name}: the grammar has changed"
    if there.lexicon != here.lexicon:
        yield f"{name}: the tables or the surface rules have changed"
    if there.instances != here.instances:
        old, new = _shown(there.instances), _shown(here.instances)
        yield f"{name}: {old} instances there, {new} asked for"


def _shown(value: Any) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
