"""The manifest of a run of `merula generate`: how it was made, its files and their digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from merula.data.digest import summed, written

MANIFEST = "manifest.json"  # of a run or a suite


@dataclass(frozen=True)
class PartRecord:
    """A file that is done; ``sha256`` is of its bytes, for text formats only."""

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
    """Everything that decides the files of a data set, and the files once they are done.

    ``part`` is how many sentences a file may have; ``columns`` is None where all are kept.
    """

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
        """Return the manifest as plain values."""
        files = [{k: v for k, v in asdict(f).items() if v is not None} for f in self.files]
        return {**asdict(self), "files": files}

    def done(self, files: Sequence[PartRecord]) -> RunManifest:
        """Return the manifest with its files, and the digests that they add up to."""
        designs = [
            replace(design, digest=written(summed(own_digests(design, files))))
            for design in self.designs
        ]
        return replace(self, designs=designs, files=list(files))

    def differences(self, before: RunManifest) -> Iterator[str]:
        """Say how the data set on the disk differs from this one."""
        for option in fields(self):
            if option.name in ("part", "designs", "files"):
                continue
            old, new = getattr(before, option.name), getattr(self, option.name)
            if old != new:
                yield f"{option.name}: {_shown(old)} there, {_shown(new)} asked for"
        old_designs = {design.title: design for design in before.designs}
        new_designs = {design.title: design for design in self.designs}
        for name in old_designs:
            if name not in new_designs:
                yield f"{name} is there and not asked for"
        for name, design in new_designs.items():
            if name not in old_designs:
                yield f"{name} is asked for and not there"
            else:
                yield from _differences(name, old_designs[name], design)
        if before.part != self.part:
            old, new = _shown(before.part), _shown(self.part)
            yield f"sentences in a file: {old} there, {new} asked for"


def own_digests(design: DesignRecord, files: Sequence[PartRecord]) -> list[int]:
    """Return the digests of a design's files."""
    return [int(file.digest or "0", 16) for file in files if file.title == design.title]


def _differences(name: str, old: DesignRecord, new: DesignRecord) -> Iterator[str]:
    if old.grammar != new.grammar:
        yield f"{name}: the grammar has changed"
    if old.lexicon != new.lexicon:
        yield f"{name}: the tables or the surface rules have changed"
    if old.instances != new.instances:
        before, after = _shown(old.instances), _shown(new.instances)
        yield f"{name}: {before} instances there, {after} asked for"


def _shown(value: Any) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
