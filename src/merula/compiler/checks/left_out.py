"""Messages about lexemes, combinations and variants that are left out, lest a label be wrong.

Two cells may be one sentence for some lexemes, or a bad cell may be good in another reading. The
designs of a grammar are told of together, so that a lexeme that drops out of several is named once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merula.compiler.checks.observations import DesignReport, of_variants, variant_name
from merula.core.diagnostics import Label, Report
from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.design.cells import Variant
from merula.plan.planner import Excluded, LeftOut
from merula.plan.slots import lexemes_of

MAX_LEXEMES = 5  # that a message names: one line
_Where = tuple[tuple[DesignReport, tuple[Variant, ...]], ...]  # designs, and variants of each


@frozen
class _Contrast:
    """What a lexeme does not show: which cell is which other, or a good sentence."""

    one: str
    other: str
    reading: bool


def check_left_out(designs: Sequence[DesignReport], report: Report) -> None:
    """Warn of lexemes and combinations that are left out of some designs."""
    seen: dict[tuple[str, ...], dict[Excluded | None, dict[_Contrast, _Places]]] = {}
    examples: dict[tuple[tuple[str, ...], _Contrast], LeftOut] = {}
    for design in designs:
        for left_out, variants in design.left_out.items():
            contrast = _Contrast(left_out.one, left_out.other, left_out.reading)
            single = len(left_out.slots) == 1
            examples.setdefault((left_out.slots, contrast), left_out)
            for lexeme in left_out.lexemes if single else (None,):
                of_slots = seen.setdefault(left_out.slots, {})
                places = of_slots.setdefault(lexeme, {}).setdefault(contrast, {})
                places.setdefault(design, {}).update(dict.fromkeys(variants))
    for slots, lexemes in seen.items():
        alike: dict[tuple[tuple[_Contrast, ...], _Where], list[Excluded]] = {}
        for lexeme, contrasts in lexemes.items():
            rows = alike.setdefault((tuple(contrasts), _where(contrasts.values())), [])
            if lexeme is not None:
                rows.append(lexeme)
        for (contrasts_of, where), rows in alike.items():
            if rows:
                _lexemes(slots[0], rows, contrasts_of, where, report)
            else:
                _combinations(examples[slots, contrasts_of[0]], contrasts_of, where, report)


_Places = dict[DesignReport, dict[Variant, None]]


def _where(every: Iterable[_Places]) -> _Where:
    """Return the designs in whose variants something is left out, with these variants."""
    merged: _Places = {}
    for places in every:
        for design, variants in places.items():
            merged.setdefault(design, {}).update(variants)
    return tuple((design, tuple(variants)) for design, variants in merged.items())


def _lexemes(
    slot: str,
    rows: Sequence[Excluded],
    contrasts: Sequence[_Contrast],
    where: _Where,
    report: Report,
) -> None:
    one = len(rows) == 1
    why = _why(contrasts, "its" if one else "their", "it" if one else "they")
    shown = ", ".join(map(str, rows[:MAX_LEXEMES]))
    more = f" and {len(rows) - MAX_LEXEMES} more" if rows[MAX_LEXEMES:] else ""
    report.warning(
        "M420",
        f"{len(rows)} {lexemes_of(slot, len(rows))} {'is' if one else 'are'} left out"
        f"{_in_variants(where)}: {why}",
        notes=[f"left out: {shown}{more}", *_which(where)],
        remedy="nothing is wrong if these forms are alike; else correct the table",
        place=rows[0].place,
    )


def _combinations(
    example: LeftOut, contrasts: Sequence[_Contrast], where: _Where, report: Report
) -> None:
    names = listing((f"`{name}`" for name in example.slots), "and")
    report.warning(
        "M420",
        f"some combinations of {names} are left out{_in_variants(where)}:"
        f" {_why(contrasts, 'their', 'they')}",
        notes=[f"left out: for example {' with '.join(map(str, example.lexemes))}", *_which(where)],
        remedy="nothing is wrong if these forms are alike; else correct the table",
        place=example.lexemes[0].place,
    )


def _why(contrasts: Sequence[_Contrast], whose: str, who: str) -> str:
    """Return what lexemes do not show."""
    cells = [c for c in contrasts if not c.reading]
    if cells:
        which = " and ".join(f"`{c.one}` from `{c.other}`" for c in cells[:2])
        more = f" and {len(cells) - 2} more pairs" if cells[2:] else ""
        return f"{whose} forms do not tell {which}{more}"
    first = contrasts[0]
    others = dict.fromkeys(c.one for c in contrasts if c.one != first.one)
    more = f", and so {'is' if len(others) == 1 else 'are'} {len(others)} more" if others else ""
    with_them = "with it" if who == "it" else "with them"
    return f"{with_them} `{first.one}` is a good sentence too ({first.other}){more}"


def _in_variants(where: _Where) -> str:
    """Return in how many variants of which designs, where these are not all."""
    if all(len(variants) == len(design.planned) for design, variants in where):
        return ""
    counts = (
        f"{of_variants(len(variants), len(design.planned)).strip() or 'in its variant'}"
        f" of {design.design.name}"
        for design, variants in where
    )
    return " " + listing(counts, "and")


def _which(where: _Where) -> Iterator[str]:
    """Yield a note that says which variants, where these are not all."""
    for design, variants in where:
        if len(variants) < len(design.planned):
            yield f"these variants of {design.design.name}: {_described(design, variants)}"


def _described(design: DesignReport, variants: Sequence[Variant]) -> str:
    """Return what some variants have in common and no other has, or else the first of them."""
    chosen = set(variants)
    for number in range(max(len(_parts(v)) for v in variants)):
        values = {_parts(v)[number] for v in variants if number < len(_parts(v))}
        having = {
            v
            for v in design.planned
            if _parts(v)[number : number + 1] and _parts(v)[number] in values
        }
        if having == chosen:
            return listing(sorted(values), "or")
    more = f" and {len(variants) - 1} more" if variants[1:] else ""
    return f"{variant_name(variants[0])}{more}"


def _parts(variant: Variant) -> tuple[str, ...]:
    return (variant.frame.name, *(f"{name} {value}" for name, value in variant.choices))


def check_readable(seen: DesignReport, report: Report) -> None:
    """Report bad cells that are good in another reading, whatever the lexemes."""
    if not seen.readable:
        return
    (label, reading), _ = next(iter(seen.readable.items()))
    left = {v for variants in seen.readable.values() for v in variants}
    everything = len(left) == len(seen.planned)
    name = f"the {'answer' if seen.is_matrix else 'cell'} `{label}` of {seen.design.name}"
    first = next(iter(seen.readable.values()))[0]
    if everything:
        report.error(
            "M424",
            f"{name} is a good sentence too: its words are the same in another reading ({reading})",
            Label(seen.design.span),
            remedy="let its words show the difference, or take this value out of the grammar",
            notes=seen.example(first),
        )
        return
    report.warning(
        "M424",
        f"{len(left)} of {seen.variants} variants of {seen.design.name}"
        f" {'is' if len(left) == 1 else 'are'} left out: `{label}` is a good sentence too, in"
        f" another reading ({reading})",
        Label(seen.design.span),
        remedy="nothing is wrong if you want no data of them; else let the words show the"
        " difference",
        notes=seen.example(first),
    )
