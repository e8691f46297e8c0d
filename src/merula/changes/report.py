"""What changed between two grammars, written out for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from merula.changes.differences import (
    Cause,
    CellChange,
    DesignDiff,
    GrammarDiff,
    Renamed,
    Sentences,
    Verdict,
)

MANY = 5  # changes of one kind that are written out
_STYLES = {"+": "green", "-": "red", "~": "yellow", "?": "cyan"}


def draw(diff: GrammarDiff) -> RenderableType:
    """A summary in one line, and a section for each design that changes."""
    parts: list[RenderableType] = [Text(diff.summary, "bold")]
    if diff.other_surface:
        parts.append(_line("~", "the surface rules are others"))
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
    yield from _few("~", [f"{other.what}: {other.old} → {other.new}" for other in design.renamed])
    for change in design.labels[:MANY]:
        yield from _label(change, design)
    if design.labels[MANY:]:
        yield _line("~", _number(len(design.labels) - MANY, "more label"))
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
        yield _line("~", "the instances have other addresses: a seed takes them in another order")


def _perhaps(renamed: Sequence[Renamed]) -> Iterator[RenderableType]:
    return _few("?", [f"renamed? {other.what} {other.old} → {other.new}" for other in renamed])


def _cell(name: str, design: DesignDiff) -> str:
    if design.kind == "paradigm":
        return f"cell {name}"
    return name if name.startswith("item ") else f"answer {name}"


def _counts(design: DesignDiff) -> str:
    old, new, kept = design.old_count, design.new_count, design.kept
    if design.status != "both":
        number = old if design.status == "gone" else new
        return f"{design.status}, {_instances(number)}"
    counts = f"{new:,}" if old == new else f"{old:,} → {new:,}"
    if kept is None:
        return f"{counts} instances; how many are the same cannot be counted"
    if kept == old == new:
        return f"{_instances(new)}, all kept" if new else "no instances"
    parts = ["all kept"] if kept == old else [f"{kept:,} kept"] if new > kept else []
    parts += [f"{old - kept:,} lost"] if old > kept else []
    parts += [f"{new - kept:,} gained"] if new > kept else []
    return f"{counts} instances: {', '.join(parts)}"


def _causes(sign: str, causes: Sequence[Cause]) -> Iterator[RenderableType]:
    """Why instances are lost or gained, with examples; of many reasons only the first."""
    for cause in causes[:MANY]:
        number = f" ({_instances(cause.instances)})" if cause.instances else ""
        yield _line(sign, _cause(sign, cause) + number)
        for example in cause.examples:
            where = f"   instance {example.address:,} · {example.variant}"
            yield _indented(6, example.sentence, (where, "dim"))
    if causes[MANY:]:
        rest = sum(cause.instances for cause in causes[MANY:])
        yield _line(sign, f"{_number(len(causes) - MANY, 'more reason')} ({_instances(rest)})")


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
            shown = ", ".join(cause.lexemes[:MANY])
            more = f" and {len(cause.lexemes) - MANY:,} more" if cause.lexemes[MANY:] else ""
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
    number = min(design.variants)
    where = f" (in {len(change.variants)} of {number} variants)" * (len(change.variants) < number)
    cells = "; ".join(change.cells[:MANY])
    more = f"; {len(change.cells) - MANY} more" if change.cells[MANY:] else ""
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
    number, kept = design.reworded, design.kept
    if number is None or kept is None:
        return "instances may read otherwise; how many cannot be counted"
    if number == kept == design.old_count == design.new_count:
        return "all instances read otherwise"
    noun = "instances" if design.same_instances else "kept instances"
    return f"{number:,} of {kept:,} {noun} read{'s' * (number == 1)} otherwise"


def _sentences(changed: Sentences) -> Iterator[RenderableType]:
    where = f"   instance {changed.address:,} · {changed.cell}"
    yield _indented(6, ("-", "red"), f" {changed.old}", (where, "dim"))
    yield _indented(6, ("+", "green"), f" {changed.new}")


def _few(sign: str, texts: Sequence[str]) -> Iterator[RenderableType]:
    """A line for each of the first few, and how many there are besides."""
    yield from (_line(sign, text) for text in texts[:MANY])
    if texts[MANY:]:
        yield _line(sign, f"{len(texts) - MANY:,} more like these")


def _line(sign: str, text: str) -> RenderableType:
    return _indented(2, (sign, _STYLES[sign]), f" {text}")


def _indented(columns: int, *parts: str | tuple[str, str]) -> RenderableType:
    """A line that is indented, with what follows where it is too long."""
    return Padding(Text.assemble(*parts), (0, 0, 0, columns), expand=False)


def _instances(number: int) -> str:
    return _number(number, "instance")


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
