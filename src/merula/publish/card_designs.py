"""What a card says of designs, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from merula.compiler.answer_sets import answer_set
from merula.compiler.compiled import CompiledDesign
from merula.data.manifests.publication import ConfigEntry
from merula.design.cells import Cell
from merula.grammar import model as g
from merula.show.drawing import Drawing, Row, plain

ALWAYS, SOMETIMES, NEVER = "acceptable", "acceptable in some variants", "unacceptable"


def design(configs: Sequence[ConfigEntry], own: CompiledDesign) -> dict[str, Any]:
    """A design, which has a configuration for each type: its cells, and what they break."""
    drawn = [[cell.cell for cell in plan.cells] for plan in own.plans]
    cells = _cells(drawn)
    found: dict[str, Any] = {
        "name": own.name,
        "phenomenon": configs[0].phenomenon,
        "about": own.design.doc,
        "kind": own.kind,
        "configs": [config.name for config in configs],
        "beside": list(dict.fromkeys(n for c in configs for n in c.designs if n != own.name)),
        "variants": len(own.plans),
        "frames": list(dict.fromkeys(plan.variant.frame.name for plan in own.plans)),
        "varying": list(dict.fromkeys(n for plan in own.plans for n, _ in plan.variant.choices)),
        "cells": cells,
        "answer_set": None,
    }
    if own.kind == "paradigm":
        return {
            **found,
            "factors": _factors(drawn),
            "scopes": _scopes(drawn[0][0]),
            "tables": _tables(own, drawn),
            "acceptable": _acceptable(drawn),
        }
    shares = answer_set(own)
    answers = [_answer(cell, own) for cell in cells if cell["role"] == "answer"]
    return {
        **found,
        "operators": _operators(own.design),
        "length": sum(cell["role"] == "context" for cell in cells) + 1,
        "answers": answers,
        "remarks": any(answer["doc"] for answer in answers),
        "answer_set": None if shares is None else _shares(shares.to_json()),
    }


def _shares(said: dict[str, Any]) -> dict[str, Any]:
    letters = {name: said[f"P({name})"] for name in g.LETTERS}
    return {**{name: said[name] for name in ("number", "chance", "grammar")}, **letters}


def _cells(drawn: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
    """The cells as they are in some variants."""
    return [_cell(every) for every in zip(*drawn, strict=True)]


def _tables(own: CompiledDesign, drawn: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
    """The cells in each frame; frames in which all are alike are told together."""
    by_frame: dict[str, list[Sequence[Cell]]] = {}
    for plan, cells in zip(own.plans, drawn, strict=True):
        by_frame.setdefault(plan.variant.frame.name, []).append(cells)
    tables: list[dict[str, Any]] = []
    for frame, variants in by_frame.items():
        told = _cells(variants)
        alike = next((table for table in tables if table["cells"] == told), None)
        if alike is None:
            tables.append({"frames": [frame], "cells": told})
        else:
            alike["frames"].append(frame)
    return tables


def _acceptable(drawn: Sequence[Sequence[Cell]]) -> int | None:
    """How many cells of an instance are acceptable; None where that depends on its variant."""
    numbers = {sum(cell.acceptable for cell in cells) for cells in drawn}
    return numbers.pop() if len(numbers) == 1 else None


def _cell(every: Sequence[Cell]) -> dict[str, Any]:
    """A cell as it is in some variants."""
    good = sum(cell.acceptable for cell in every)
    return {
        "role": every[0].role,
        "label": every[0].label,
        "factors": [value for _, value in every[0].factors],
        "scopes": [
            _one(dict(cell.scopes).get(name, "") for cell in every) for name in _scopes(every[0])
        ],
        "letter": _one(cell.letter for cell in every),
        "judgement": ALWAYS if good == len(every) else SOMETIMES if good else NEVER,
        **_broken(every),
    }


def _broken(every: Sequence[Cell]) -> dict[str, list[str]]:
    """The rules that a cell breaks in all variants, and those that it breaks in some."""
    rules = list(dict.fromkeys(rule for cell in every for rule in cell.broken))
    always = [rule for rule in rules if all(rule in cell.broken for cell in every)]
    return {"breaks": always, "sometimes": [rule for rule in rules if rule not in always]}


def _one(texts: Iterable[str]) -> str:
    """What is the same in all variants, or all that there is."""
    return " or ".join(dict.fromkeys(text for text in texts if text))


def _factors(drawn: Sequence[Sequence[Cell]]) -> list[str]:
    return [name for name, _ in drawn[0][0].factors]


def _scopes(cell: Cell) -> list[str]:
    """The factors whose object a rule asks to be inside a constituent."""
    factors = dict(cell.factors)
    return [name for name, _ in cell.scopes if name in factors]


def _operators(design: g.Design) -> list[str]:
    """How the items of a matrix change; empty where they stand in a table."""
    if not isinstance(design, g.Matrix):
        return []
    return [" ".join(cycle.span.text.split()) for cycle in design.cycles]


def _answer(cell: dict[str, Any], own: CompiledDesign) -> dict[str, Any]:
    """An answer with its doc string."""
    assert isinstance(own.design, g.Matrix)
    docs = {answer.label: answer.doc for answer in own.design.answers}
    return {**cell, "doc": docs.get(cell["label"], "")}


# --- drawings ------------------------------------------------------------------------------------


def example(drawn: Drawing) -> dict[str, Any]:
    """A drawing as lines of columns."""
    lines = list(_paradigm(drawn) if drawn.kind == "paradigm" else matrix_lines(drawn))
    return {"title": title(drawn), "lines": lines}


def title(drawn: Drawing) -> str:
    """Which instance is drawn, by its address as rows write it."""
    address = drawn.title.removeprefix("instance ").partition(" of ")[0].replace(",", "")
    return f"{drawn.where} · address {address}"


def _paradigm(drawn: Drawing) -> Iterator[list[str]]:
    """The sentences by the numbers of their cells, those that are unacceptable with a star."""
    for number, row in enumerate(drawn.rows):
        yield [str(number), starred(row)]


def starred(row: Row) -> str:
    """A sentence, with a star if it is unacceptable."""
    return (" " if row.acceptable else "*") + plain(row.sentence)


def matrix_lines(drawn: Drawing) -> Iterator[list[str]]:
    """The items, the gap and the answers, with what stands in each place after the sentence."""
    empty = ["" for _ in drawn.objects]
    yield ["", "", "", *drawn.objects]
    gap = False
    for number, row in enumerate(drawn.rows, 1):
        if row.role == "answer" and not gap:
            gap = True
            yield [str(number), "", "???", *empty]
            yield ["", "", "", *empty]
        outline = [plain(run) for run in row.outline] or empty
        yield [row.label, row.letter, plain(row.sentence), *outline]
