"""Many designs in a card: those that are alike are told together, with an example of the first.

Paradigms are alike if they have the same cells with the same judgements. Matrices are alike if they
have the same operators and the same answers; where items stand in a table, they may differ. A block
shows the cells or the answers, what they break, and an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from merula.publish.card_designs import matrix_lines, starred, title
from merula.publish.card_samples import Samples
from merula.show.drawing import Drawing

MOST_CELLS = 64


def groups(designs: Sequence[Mapping[str, Any]], samples: Samples) -> list[dict[str, Any]]:
    """The designs in groups of those that are alike, in their order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for own in designs:
        found.setdefault(repr(_key(own)), []).append(own)
    return [_group(own, samples) for own in found.values()]


def _key(own: Mapping[str, Any]) -> list[Any]:
    if own["kind"] == "paradigm":
        return [own["factors"], own["scopes"], own["tables"]]
    answers = [(a["label"], a["letter"], _said(a)) for a in own["answers"]]
    items = [own["operators"] or own["phenomenon"], own["length"]]
    return [items, answers, own["answer_set"]]


def _group(designs: Sequence[Mapping[str, Any]], samples: Samples) -> dict[str, Any]:
    first = designs[0]
    example = next(_examples(first, samples), None)
    names = list(dict.fromkeys(own["name"] for own in designs))
    phenomena = list(dict.fromkeys(own["phenomenon"] for own in designs))
    pairs = [(own["name"], own["phenomenon"]) for own in designs]
    crossed = set(pairs) == set(product(names, phenomena))
    return {
        "kind": first["kind"],
        "members": [[names, phenomena]] if crossed else [[[n], [p]] for n, p in pairs],
        "abouts": _abouts(designs),
        "varying": _varying(designs),
        "design": first,
        "example": None if example is None else {"config": example[0], "title": title(example[1])},
        "lines": list(_lines(first, None if example is None else example[1])),
    }


def _abouts(designs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each doc string, with the designs that have it where not all do."""
    found: dict[str, dict[str, None]] = {}
    for own in designs:
        if own["about"]:
            found.setdefault(own["about"], {})[own["name"]] = None
    every = {own["name"] for own in designs}
    return [{"about": a, "of": [] if set(n) == every else list(n)} for a, n in found.items()]


def _varying(designs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What varies from instance to instance, with the phenomena where it is not the same in all."""
    found: dict[tuple[bool, tuple[str, ...]], dict[str, None]] = {}
    for own in designs:
        key = len(own["frames"]) > 1, tuple(own["varying"])
        found.setdefault(key, {})[own["phenomenon"]] = None
    return [
        {"frame": frame, "names": list(names), "of": list(of) if len(found) > 1 else []}
        for (frame, names), of in found.items()
        if frame or names
    ]


def _examples(own: Mapping[str, Any], samples: Samples) -> Iterator[tuple[str, Drawing]]:
    for name in own["configs"]:
        if (name, own["name"]) in samples:
            yield name, samples[name, own["name"]]


# --- blocks --------------------------------------------------------------------------------------


def _lines(own: Mapping[str, Any], drawn: Drawing | None) -> Iterator[list[str]]:
    """The block of a design: cells or answers, what they break, and an instance."""
    if own["kind"] == "paradigm":
        sentences = [""] * len(own["cells"]) if drawn is None else list(map(starred, drawn.rows))
        yield from _cells(own, sentences)
    elif drawn is None:
        yield from ([a["label"], a["letter"], _said(a)] for a in own["answers"])
    else:
        said = {answer["label"]: _said(answer) for answer in own["answers"]}
        for number, line in enumerate(matrix_lines(drawn)):
            breaks = "breaks" if number == 0 else said.get(line[0], "")
            yield [*line[:3], breaks, *line[3:]]


def _cells(own: Mapping[str, Any], sentences: Sequence[str]) -> Iterator[list[str]]:
    """The cells with their sentences; a column for all frames, or for those that differ."""
    tables = own["tables"]
    several = len(tables) > 1
    heads = [", ".join(table["frames"]) for table in tables] if several else ["breaks"]
    scopes = (
        []
        if several
        else ["scope" if len(own["scopes"]) == 1 else f"scope of {n}" for n in own["scopes"]]
    )
    yield ["cell", *own["factors"], *scopes, *heads, ""]
    for number, sentence in enumerate(sentences[:MOST_CELLS]):
        cells = [table["cells"][number] for table in tables]
        inside = [] if several else cells[0]["scopes"]
        told = [_said(cell, with_scopes=several) for cell in cells]
        yield [str(number), *cells[0]["factors"], *inside, *told, sentence]
    if len(sentences) > MOST_CELLS:
        yield ["…", *["" for _ in (*own["factors"], *scopes, *heads)], ""]


def _said(cell: Mapping[str, Any], *, with_scopes: bool = False) -> str:
    """What a cell or an answer breaks, and the remark on it."""
    found = [*cell["breaks"], *(f"sometimes {rule}" for rule in cell["sometimes"])]
    if with_scopes:
        found = [*cell["scopes"], *found]
    doc = cell.get("doc", "")
    return ", ".join(found) + (f" ({doc})" if doc else "")
