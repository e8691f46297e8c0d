"""The changes between two grammars as values, and the report of them.

``compare`` makes a `GrammarDiff` of a `DesignDiff` for each design; ``merula diff`` draws it by
`draw` or writes `GrammarDiff.to_json`. The names of fields are those of the JSON. Counts are exact,
or None where they cannot be computed; they are never estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from merula.core.frozen import frozen
from merula.core.wording import counted

MAX_SHOWN = 5  # changes of one kind that are written out, so that a design fits on a screen
_STYLES = {"+": "green", "-": "red", "~": "yellow", "?": "cyan"}


@frozen
class InstanceExample:
    """An instance of one of the grammars, by one of its sentences."""

    address: int
    variant: str
    lexemes: Mapping[str, str]
    cell: str
    sentence: str


@frozen
class Cause:
    """A cause by which instances are lost or gained; each instance is counted under one cause.

    ``kind`` is one of these, where "the other" is the grammar without the instances:

    - ``variants``: the other does not have the variants;
    - ``empty``: the variants do not have instances in the other;
    - ``choice``: an instance of the other chooses more lexemes, or fewer;
    - ``lexemes``: the other lacks these lexemes of the choice ``what``;
    - ``selection``, ``contrast``: of the other, which rules the instances out;
    - ``uncounted``: the reasons tie too many choices together to be counted one by one, so that
      other causes have fewer instances than they could have, or none.
    """

    kind: str
    what: str
    instances: int
    lexemes: tuple[str, ...] = ()
    variants: int = 1
    examples: tuple[InstanceExample, ...] = ()


@frozen
class Verdict:
    """The label of a cell: its class, the rules it breaks, the NPIs in and out of scope."""

    letter: str
    broken: tuple[str, ...]
    scopes: tuple[tuple[str, str], ...] = ()


@frozen
class Sentences:
    """A cell of an instance that both grammars have, with its old and its new sentence."""

    address: int  # in the new grammar
    cell: str
    old: str
    new: str


@frozen
class CellChange:
    """Cells whose label has changed, or whose template has.

    ``old`` and ``new`` are two verdicts, or two templates; ``variants`` are those with the change.
    """

    cells: tuple[str, ...]
    old: Verdict | str
    new: Verdict | str
    variants: tuple[str, ...]
    example: Sentences | None


@frozen
class FormChange:
    """A lexeme whose form in a column has changed."""

    choice: str
    lexeme: str
    column: str
    old: str
    new: str


@frozen
class Renamed:
    """A changed name or text: of factors, a frame, a lexeme, a claim."""

    what: str
    old: str
    new: str


@frozen
class DesignDiff:
    """The changes of a paradigm or a matrix; ``status`` is ``both``, ``gone`` or ``new``.

    ``lost`` and ``gained`` are the causes by which instances are in one of the grammars only; where
    ``kept`` is not None, their counts add up to `lost_count` and `gained_count`.

    ``kept``, ``reworded`` and ``relabelled`` are exact counts of instances that both grammars
    have: all of them, those with a changed sentence, those with a changed label. They are None
    where selections tie so many choices together that they cannot be counted. (Where more than
    100,000 combinations of forms would have to be written out to see whether a cell reads the
    same, it is taken to read differently.) ``reordered`` says that the instances are the same and
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
        """Return how many instances are gone, or None."""
        return None if self.kept is None else self.old_count - self.kept

    @property
    def gained_count(self) -> int | None:
        """Return how many instances are new, or None."""
        return None if self.kept is None else self.new_count - self.kept

    @property
    def same_instances(self) -> bool:
        """Return whether both grammars have the same instances."""
        return self.status == "both" and self.kept == self.old_count == self.new_count

    @property
    def same(self) -> bool:
        """Return whether the data of this design are the same, in the same order."""
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
    """The changes that an edit of a grammar or of its tables makes in the data."""

    old: str  # the file
    new: str
    designs: tuple[DesignDiff, ...]
    other_surface: bool  # whether the surface rules differ
    perhaps: tuple[Renamed, ...] = ()  # objects and designs that may only have another name

    def __str__(self) -> str:
        """Return the report of ``merula diff``."""
        from merula.show.terminal import text_of

        return text_of(draw(self))

    @property
    def same(self) -> bool:
        """Return whether the data are the same."""
        return all(design.same for design in self.designs)

    @property
    def summary(self) -> str:
        """Return the changes in a line."""
        if self.same:
            return "the same data"
        designs = self.designs
        parts = [self._counts()]
        if any(d.cells_gone or d.cells_new for d in designs):
            parts.append("other cells")
        if any(d.labels for d in designs):
            parts.append("other labels")
        if any(d.reworded != 0 for d in designs):
            parts.append("other sentences")
        elif any(d.templates for d in designs):
            parts.append("other templates")
        if any(d.reordered for d in designs):
            parts.append("in another order")
        return ", ".join(parts)

    def _counts(self) -> str:
        old = sum(design.old_count for design in self.designs)
        new = sum(design.new_count for design in self.designs)
        counts = [design.kept for design in self.designs]
        kept = None if None in counts else sum(count or 0 for count in counts)
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
        """Return the changes as plain JSON values."""
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
            "perhaps": [asdict(name) for name in self.perhaps],
            "designs": designs,
        }


# --- the report ------------------------------------------------------------------------------


def draw(diff: GrammarDiff) -> RenderableType:
    """Return a summary in one line, and a section for each design that changes."""
    parts: list[RenderableType] = [Text(diff.summary, "bold")]
    if diff.other_surface:
        parts.append(_line("~", "the surface rules differ"))
    parts += _perhaps(diff.perhaps)
    for design in diff.designs:
        if not design.same or design.claims:
            parts += [Text(), *_design(design)]
    return Group(*parts)


def _design(design: DesignDiff) -> Iterator[RenderableType]:
    yield Text.assemble((design.name, "bold"), f" · {design.kind} · {_counts(design)}")
    yield from _perhaps(design.perhaps)
    yield from _causes("-", design.lost)
    yield from _causes("+", design.gained)
    for sign, names in (("-", design.cells_gone), ("+", design.cells_new)):
        yield from _few(sign, [_cell(name, design) for name in names])
    yield from _few("~", [f"{name.what}: {name.old} → {name.new}" for name in design.renamed])
    for change in design.labels[:MAX_SHOWN]:
        yield from _label(change, design)
    if design.labels[MAX_SHOWN:]:
        yield _line("~", counted(len(design.labels) - MAX_SHOWN, "more label"))
    yield from _few("~", [f"{change.old} → {change.new}" for change in design.templates])
    yield from _few(
        "~", [f"{f.choice} {f.lexeme}, {f.column}: {f.old} → {f.new}" for f in design.forms]
    )
    if design.reworded != 0:
        yield _line("~", _reworded(design))
        for example in design.rewordings:
            yield from _sentences(example)
    for claim in design.claims:
        yield _line("~", f"claim of {claim.what}: {claim.old} → {claim.new}")
    if design.reordered:
        yield _line("~", "the instances have new addresses: a seed takes them in another order")


def _perhaps(renamed: Sequence[Renamed]) -> Iterator[RenderableType]:
    return _few("?", [f"renamed? {name.what} {name.old} → {name.new}" for name in renamed])


def _cell(name: str, design: DesignDiff) -> str:
    if design.kind == "paradigm":
        return f"cell {name}"
    return name if name.startswith("item ") else f"answer {name}"


def _counts(design: DesignDiff) -> str:
    old, new, kept = design.old_count, design.new_count, design.kept
    if design.status != "both":
        count = old if design.status == "gone" else new
        return f"{design.status}, {counted(count, 'instance')}"
    counts = f"{new:,}" if old == new else f"{old:,} → {new:,}"
    if kept is None:
        return f"{counts} instances; how many are the same cannot be counted"
    if kept == old == new:
        return f"{counted(new, 'instance')}, all kept" if new else "no instances"
    parts = ["all kept"] if kept == old else [f"{kept:,} kept"] if new > kept else []
    parts += [f"{old - kept:,} lost"] if old > kept else []
    parts += [f"{new - kept:,} gained"] if new > kept else []
    return f"{counts} instances: {', '.join(parts)}"


def _causes(sign: str, causes: Sequence[Cause]) -> Iterator[RenderableType]:
    """Yield the first causes by which instances are lost or gained, with their examples."""
    for cause in causes[:MAX_SHOWN]:
        count = f" ({counted(cause.instances, 'instance')})" if cause.instances else ""
        yield _line(sign, _cause(sign, cause) + count)
        for example in cause.examples:
            where = f"   instance {example.address:,} · {example.variant}"
            yield _indented(6, example.sentence, (where, "dim"))
    if causes[MAX_SHOWN:]:
        rest = sum(cause.instances for cause in causes[MAX_SHOWN:])
        yield _line(
            sign, f"{counted(len(causes) - MAX_SHOWN, 'more reason')} ({counted(rest, 'instance')})"
        )


def _cause(sign: str, cause: Cause) -> str:
    lost = sign == "-"
    match cause.kind:
        case "variants":
            noun = "variant" if cause.variants == 1 else f"{cause.variants:,} variants with"
            return f"{noun} {cause.what}"
        case "empty":
            where = f"variant {cause.what}" if cause.what else f"{cause.variants:,} variants"
            return f"{where}: {'nothing is left' if lost else 'there was nothing before'}"
        case "lexemes":
            shown = ", ".join(cause.lexemes[:MAX_SHOWN])
            more = (
                f" and {len(cause.lexemes) - MAX_SHOWN:,} more" if cause.lexemes[MAX_SHOWN:] else ""
            )
            return f"{cause.what}: {shown}{more}"
        case "choice":
            return cause.what
        case "uncounted":
            return "for reasons that tie too many choices together to be counted one by one"
        case _:
            what = cause.what if cause.kind == "contrast" else f"`{cause.what}`"
            return f"{'now' if lost else 'no longer'} ruled out: {what}"


def _label(change: CellChange, design: DesignDiff) -> Iterator[RenderableType]:
    assert isinstance(change.old, Verdict)
    assert isinstance(change.new, Verdict)
    variants = min(design.variants)
    where = f" (in {len(change.variants)} of {variants} variants)" * (
        len(change.variants) < variants
    )
    cells = "; ".join(change.cells[:MAX_SHOWN])
    more = f"; {len(change.cells) - MAX_SHOWN} more" if change.cells[MAX_SHOWN:] else ""
    old, new = (_verdict(verdict, design) for verdict in (change.old, change.new))
    yield _line("~", f"{cells}{more}: {old} → {new}{where}")
    if change.example is not None:
        where = f"   instance {change.example.address:,} · {change.example.cell}"
        yield _indented(6, change.example.new, (where, "dim"))


def _verdict(verdict: Verdict, design: DesignDiff) -> str:
    text = ", ".join(verdict.broken) or "breaks nothing"
    if verdict.broken and verdict.letter != verdict.broken[0][0]:
        text += f" as {verdict.letter}"
    if design.kind == "paradigm" and not verdict.broken:
        text = "acceptable"
    return ", ".join([text, *(f"{name} {where} scope" for name, where in verdict.scopes)])


def _reworded(design: DesignDiff) -> str:
    count, kept = design.reworded, design.kept
    if count is None or kept is None:
        return "instances may read differently; how many cannot be counted"
    if count == kept == design.old_count == design.new_count:
        return "all instances read differently"
    noun = "instances" if design.same_instances else "kept instances"
    return f"{count:,} of {kept:,} {noun} read{'s' * (count == 1)} differently"


def _sentences(changed: Sentences) -> Iterator[RenderableType]:
    where = f"   instance {changed.address:,} · {changed.cell}"
    yield _indented(6, ("-", "red"), f" {changed.old}", (where, "dim"))
    yield _indented(6, ("+", "green"), f" {changed.new}")


def _few(sign: str, texts: Sequence[str]) -> Iterator[RenderableType]:
    """Yield a line for each of the first few texts, and the count of the rest."""
    yield from (_line(sign, text) for text in texts[:MAX_SHOWN])
    if texts[MAX_SHOWN:]:
        yield _line(sign, f"{len(texts) - MAX_SHOWN:,} more like these")


def _line(sign: str, text: str) -> RenderableType:
    return _indented(2, (sign, _STYLES[sign]), f" {text}")


def _indented(columns: int, *parts: str | tuple[str, str]) -> RenderableType:
    """Return a line that is indented, also where it goes on in the next one."""
    return Padding(Text.assemble(*parts), (0, 0, 0, columns), expand=False)
