"""What changed between two grammars, as values; `merula.changes.report` writes them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from merula.core.frozen import frozen


@frozen
class Example:
    """An instance of one of the grammars, by one of its sentences."""

    address: int
    variant: str
    lexemes: Mapping[str, str]
    cell: str
    sentence: str


@frozen
class Cause:
    """Why instances are lost, or gained: ``instances`` of them, each counted under one cause.

    ``kind`` is ``variants`` (the other grammar has none like them), ``empty`` (there they have no
    instances), ``choice`` (an instance chooses more, or less, there), ``lexemes`` (of the choice
    ``what``; the other grammar lacks them), ``selection`` or ``contrast`` (of the other), or
    ``uncounted`` (for reasons that tie too many choices together to be counted one by one, so
    that other causes have fewer instances than they could have, or none).
    """

    kind: str
    what: str
    instances: int
    lexemes: tuple[str, ...] = ()
    variants: int = 1
    examples: tuple[Example, ...] = ()


@frozen
class Verdict:
    """What a cell is labelled: its class, the rules it breaks, what stands in scope."""

    letter: str
    broken: tuple[str, ...]
    scopes: tuple[tuple[str, str], ...] = ()


@frozen
class Sentences:
    """A cell of an instance that both grammars have, as it was and as it is."""

    address: int  # in the new grammar
    cell: str
    old: str
    new: str


@frozen
class CellChange:
    """Cells that are labelled otherwise, or have other words or another order of them.

    ``old`` and ``new`` are two verdicts, or two templates; ``variants`` those in which it is so.
    """

    cells: tuple[str, ...]
    old: Verdict | str
    new: Verdict | str
    variants: tuple[str, ...]
    example: Sentences | None


@frozen
class FormChange:
    """A lexeme that has another form in a column."""

    choice: str
    lexeme: str
    column: str
    old: str
    new: str


@frozen
class Renamed:
    """Something that is written otherwise: factors, a frame's name, a lexeme's, a claim."""

    what: str
    old: str
    new: str


@frozen
class DesignDiff:
    """What changed in a paradigm or a matrix; ``status`` is ``both``, ``gone`` or ``new``.

    ``lost`` and ``gained`` say why instances are in one of the grammars only; where ``kept`` is
    known, their numbers add up to `lost_count` and `gained_count`.

    ``kept``, ``reworded`` and ``relabelled`` are exact numbers of instances that both grammars
    have: all of them, those with another sentence, those with another label. They are None
    where selections tie so many choices together that they cannot be counted. (Where more than
    100,000 combinations of forms would have to be written out to see whether a cell reads the
    same, it is taken to read otherwise.) ``reordered`` says that the instances are the same and
    their addresses are not; `merula.changes.addresses` decides it. ``perhaps`` are answers
    and lexemes that are gone, each with a new one that looks the same: only a name may be new.
    """

    name: str
    kind: str
    status: str
    old_count: int
    new_count: int
    kept: int | None
    variants: tuple[int, int]
    lost: tuple[Cause, ...] = ()
    gained: tuple[Cause, ...] = ()
    cells_gone: tuple[str, ...] = ()
    cells_new: tuple[str, ...] = ()
    labels: tuple[CellChange, ...] = ()
    relabelled: int | None = 0
    templates: tuple[CellChange, ...] = ()
    forms: tuple[FormChange, ...] = ()
    reworded: int | None = 0
    rewordings: tuple[Sentences, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    claims: tuple[Renamed, ...] = ()  # these change no data
    reordered: bool = False
    perhaps: tuple[Renamed, ...] = ()

    @property
    def lost_count(self) -> int | None:
        """How many instances are gone."""
        return None if self.kept is None else self.old_count - self.kept

    @property
    def gained_count(self) -> int | None:
        """How many instances are new."""
        return None if self.kept is None else self.new_count - self.kept

    @property
    def same_instances(self) -> bool:
        """Whether both grammars have the same instances."""
        return self.status == "both" and self.kept == self.old_count == self.new_count

    @property
    def same(self) -> bool:
        """Whether the data of this design are the same, in the same order."""
        changes = (
            self.cells_gone,
            self.cells_new,
            self.labels,
            self.templates,
            self.reworded != 0,
            self.renamed,
            self.reordered,
        )
        return self.same_instances and self.variants[0] == self.variants[1] and not any(changes)


@frozen
class GrammarDiff:
    """What an edit of a grammar or of its tables changes in the data; `compare` makes it."""

    old: str  # the file
    new: str
    designs: tuple[DesignDiff, ...]
    other_surface: bool  # whether the surface rules are others
    perhaps: tuple[Renamed, ...] = ()  # objects and designs that may only have another name

    def __str__(self) -> str:
        """The report of ``merula diff``."""
        from merula.changes.report import draw
        from merula.show.terminal import text_of

        return text_of(draw(self))

    @property
    def same(self) -> bool:
        """Whether the data are the same."""
        return all(design.same for design in self.designs)

    @property
    def summary(self) -> str:
        """All of it in a line."""
        if self.same:
            return "the same data"
        found = self.designs
        parts = [self._counts()]
        if any(d.cells_gone or d.cells_new for d in found):
            parts.append("other cells")
        if any(d.labels for d in found):
            parts.append("other labels")
        if any(d.reworded != 0 for d in found):
            parts.append("other sentences")
        elif any(d.templates for d in found):
            parts.append("other templates")
        if any(d.reordered for d in found):
            parts.append("in another order")
        return ", ".join(parts)

    def _counts(self) -> str:
        numbers = [(d.old_count, d.new_count, d.kept) for d in self.designs]
        old, new = sum(n[0] for n in numbers), sum(n[1] for n in numbers)
        kept = None if any(n[2] is None for n in numbers) else sum(n[2] or 0 for n in numbers)
        if kept == old == new:
            return "the same instances" if old else "no instances"
        if kept is None:
            parts = ["how many are kept cannot be counted"]
        else:
            parts = [f"{kept:,} kept"] if kept not in (old, new) else []
            parts += [f"{old - kept:,} lost"] if old > kept else []
            parts += [f"{new - kept:,} gained"] if new > kept else []
        if old == new:
            return f"the count stays at {new:,}, but instances change ({', '.join(parts)})"
        return f"counts change: {old:,} → {new:,} instances ({', '.join(parts)})"

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON values."""
        designs = []
        for design in self.designs:
            counts = {"lost_count": design.lost_count, "gained_count": design.gained_count}
            designs.append({**asdict(design), **counts, "same": design.same})
        return {
            "old": self.old,
            "new": self.new,
            "same": self.same,
            "summary": self.summary,
            "other_surface": self.other_surface,
            "perhaps": [asdict(other) for other in self.perhaps],
            "designs": designs,
        }
