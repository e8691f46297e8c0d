"""Phenomena and their designs as plain values for a card, with an example of each.

In: entries of a manifest with compiled grammars, drawn instances. Out: dicts, whose keys templates
use (``templates/README.md`` lists them). `merula.publish.card.facts` calls it; the instances are
drawn by `draw_samples`, which `merula.publish.make` calls.

A design is described with the cells that all of its variants have: where variants differ, a cell is
"acceptable in some variants", and a rule is broken "sometimes".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from numpy.typing import NDArray

from merula.compiler.answer_sets import answer_set
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.resources import folder
from merula.data.manifests.publication import ConfigEntry, GrammarEntry
from merula.data.published_rows import Block, ConfigInstances
from merula.design.cells import Cell
from merula.grammar import model as g
from merula.plan.order import Permutation
from merula.publish.plan import ConfigRequest
from merula.rows.columns import variant_text
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation
from merula.show.drawing import Drawing, DrawnRow, DrawnWord, draw_instance, plain
from merula.show.overview import overview

# --- phenomena -----------------------------------------------------------------------------------

SECTIONS = ("objects", "attributes", "external", "internal", "contested", "select", "frames")
LETTERS = {"external": "E", "internal": "I"}


def phenomenon_facts(entry: GrammarEntry, compiled: Compiled) -> dict[str, Any]:
    """Return what a grammar is about, and its sections with their doc strings."""
    entries = {section.name: section.entries for section in overview(compiled).sections}
    sections = {
        name: [{"name": e.name, "text": e.text, "doc": e.doc} for e in entries.get(name, ())]
        for name in SECTIONS
    }
    return {
        "name": entry.phenomenon,
        "about": entry.about,
        "language": entry.language,
        "asked": entry.asked,
        "source": entry.source,
        "packaged": _is_packaged(compiled),
        "grammar": entry.grammar,
        "lexicon": entry.lexicon,
        "sections": sections,
    }


def _is_packaged(compiled: Compiled) -> bool:
    path = compiled.source.path
    root = folder("grammars").resolve()
    return path is not None and path.resolve().is_relative_to(root)


def merged_sections(phenomena: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Merge the sections of all grammars; what several grammars have comes once.

    An entry names the phenomena that have it (``only``), or those that do not if they are fewer
    (``but``); neither if all have it. External and internal rules are one section, ``rules``.
    """
    sections: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for grammar in phenomena:
        for section, name, text, doc in _entries(grammar):
            entries = sections.setdefault(section, {})
            entries.setdefault((name, text, doc), []).append(grammar["name"])
    if "rules" in sections:  # E comes before I
        sections["rules"] = dict(sorted(sections["rules"].items(), key=lambda rule: rule[0][0][0]))
    every = [grammar["name"] for grammar in phenomena]
    return {
        section: [
            {"name": name, "text": text, "doc": doc, **_among(names, every)}
            for (name, text, doc), names in sections.get(section, {}).items()
        ]
        for section in ("rules", "objects", "attributes", "contested", "select", "frames")
    }


def _entries(grammar: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the entries of a grammar: section, name, text and doc string."""
    for section, entries in grammar["sections"].items():
        letter = LETTERS.get(section, "")
        for entry in entries:
            name = f"{letter} {entry['name']}".strip()
            yield "rules" if letter else section, name, entry["text"], entry["doc"]


def _among(names: Sequence[str], every: Sequence[str]) -> dict[str, list[str]]:
    missing = [name for name in every if name not in names]
    few = len(missing) < len(names)
    return {"only": [] if few else list(names), "but": missing if few else []}


# --- designs -------------------------------------------------------------------------------------

ALWAYS, SOMETIMES, NEVER = "acceptable", "acceptable in some variants", "unacceptable"


def design_facts(configs: Sequence[ConfigEntry], compiled: CompiledDesign) -> dict[str, Any]:
    """Return the cells of a design and what they break; it has a configuration for each type."""
    variants = [[cell.cell for cell in plan.cells] for plan in compiled.plans]
    cells = _cells(variants)
    common: dict[str, Any] = {
        "name": compiled.name,
        "phenomenon": configs[0].phenomenon,
        "about": compiled.design.doc,
        "kind": compiled.kind,
        "configs": [config.name for config in configs],
        "beside": list(dict.fromkeys(n for c in configs for n in c.designs if n != compiled.name)),
        "variants": len(compiled.plans),
        "frames": list(dict.fromkeys(plan.variant.frame.name for plan in compiled.plans)),
        "varying": list(
            dict.fromkeys(n for plan in compiled.plans for n, _ in plan.variant.choices)
        ),
        "cells": cells,
        "answer_set": None,
    }
    if compiled.kind == "paradigm":
        return {
            **common,
            "factors": [name for name, _ in variants[0][0].factors],
            "where": _where(compiled.design),
            "scopes": _scopes(variants[0][0]),
            "tables": _tables(compiled, variants),
            "acceptable": _acceptable(variants),
        }
    shares = answer_set(compiled)
    answers = [_answer(cell, compiled) for cell in cells if cell["role"] == "answer"]
    return {
        **common,
        "operators": _operators(compiled.design),
        "length": sum(cell["role"] == "context" for cell in cells) + 1,
        "answers": answers,
        "remarks": any(answer["doc"] for answer in answers),
        "answer_set": None if shares is None else _shares(shares.to_json()),
    }


def _shares(answers: dict[str, Any]) -> dict[str, Any]:
    """Return the shares of an answer set under names that a template can use."""
    letters = {name: answers[f"P({name})"] for name in g.LETTERS}
    return {**{name: answers[name] for name in ("number", "chance", "grammar")}, **letters}


def _cells(variants: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
    """Return the cells of an instance, each as it is in these variants."""
    return [_cell(cells) for cells in zip(*variants, strict=True)]


def _tables(compiled: CompiledDesign, variants: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
    """Return the cells in each frame; frames in which all cells are alike share a table."""
    by_frame: dict[str, list[Sequence[Cell]]] = {}
    for plan, cells in zip(compiled.plans, variants, strict=True):
        by_frame.setdefault(plan.variant.frame.name, []).append(cells)
    tables: list[dict[str, Any]] = []
    for frame, of_frame in by_frame.items():
        merged_cells = _cells(of_frame)
        alike = next((table for table in tables if table["cells"] == merged_cells), None)
        if alike is None:
            tables.append({"frames": [frame], "cells": merged_cells})
        else:
            alike["frames"].append(frame)
    return tables


def _acceptable(variants: Sequence[Sequence[Cell]]) -> int | None:
    """Count the acceptable cells of an instance; None where that depends on its variant."""
    counts = {sum(cell.acceptable for cell in cells) for cells in variants}
    return counts.pop() if len(counts) == 1 else None


def _cell(in_variants: Sequence[Cell]) -> dict[str, Any]:
    """Return a cell as it is in some variants."""
    first = in_variants[0]
    acceptable = sum(cell.acceptable for cell in in_variants)
    return {
        "role": first.role,
        "label": first.label,
        "factors": [value for _, value in first.factors],
        "scopes": [
            _one(dict(cell.scopes).get(name, "") for cell in in_variants) for name in _scopes(first)
        ],
        "letter": _one(cell.letter for cell in in_variants),
        "judgement": (
            ALWAYS if acceptable == len(in_variants) else SOMETIMES if acceptable else NEVER
        ),
        **_broken(in_variants),
    }


def _broken(in_variants: Sequence[Cell]) -> dict[str, list[str]]:
    """Return the rules that a cell breaks in all variants, and those that it breaks in some."""
    rules = list(dict.fromkeys(rule for cell in in_variants for rule in cell.broken))
    always = [rule for rule in rules if all(rule in cell.broken for cell in in_variants)]
    return {"breaks": always, "sometimes": [rule for rule in rules if rule not in always]}


def _one(texts: Iterable[str]) -> str:
    """Return the one text of all variants, or their texts joined by "or"."""
    return " or ".join(dict.fromkeys(text for text in texts if text))


def _scopes(cell: Cell) -> list[str]:
    """Return the factors whose object a rule asks to be inside a constituent."""
    factors = dict(cell.factors)
    return [name for name, _ in cell.scopes if name in factors]


def _where(design: g.Design) -> str:
    """Return the test that says which combinations of factors are cells, or ""."""
    where = design.where if isinstance(design, g.Paradigm) else None
    return where.text if where is not None else ""


def _operators(design: g.Design) -> list[str]:
    """Return how the items of a matrix change, as it is written; empty if a table gives them."""
    if not isinstance(design, g.Matrix):
        return []
    return [" ".join(cycle.span.text.split()) for cycle in design.cycles]


def _answer(cell: dict[str, Any], compiled: CompiledDesign) -> dict[str, Any]:
    """Return an answer with its doc string."""
    assert isinstance(compiled.design, g.Matrix)
    docs = {answer.label: answer.doc for answer in compiled.design.answers}
    return {**cell, "doc": docs.get(cell["label"], "")}


# --- drawings ------------------------------------------------------------------------------------


def example_facts(drawn: Drawing) -> dict[str, Any]:
    """Return a drawing as lines of columns, with its title."""
    lines = list(_paradigm(drawn) if drawn.kind == "paradigm" else matrix_lines(drawn))
    return {"title": title(drawn), "lines": lines}


def title(drawn: Drawing) -> str:
    """Return the title of a drawing, with the address as rows write it."""
    address = drawn.title.removeprefix("instance ").partition(" of ")[0].replace(",", "")
    return f"{drawn.where} · address {address}"


def _paradigm(drawn: Drawing) -> Iterator[list[str]]:
    """Yield the sentences with the numbers of their cells, unacceptable ones with a star."""
    for number, row in enumerate(drawn.rows):
        yield [str(number), starred(row)]


def starred(row: DrawnRow) -> str:
    """Return a sentence, with a star if it is unacceptable."""
    return (" " if row.acceptable else "*") + plain(row.sentence)


def matrix_lines(drawn: Drawing) -> Iterator[list[str]]:
    """Yield the items, the gap and the answers, each with what is in its places."""
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


# --- examples ------------------------------------------------------------------------------------

Samples = Mapping[tuple[str, str], Drawing]  # by configuration and design


def draw_samples(configs: Sequence[ConfigRequest], seed: int) -> dict[tuple[str, str], Drawing]:
    """Draw the first instance of each design in each configuration; they come by both names."""
    drawings: dict[tuple[str, str], Drawing] = {}
    for config in configs:
        for block in config.drawn.blocks:
            name = config.entry.name, block.design.name
            if block.instances and name not in drawings:
                drawings[name] = _sample(config.drawn, block, seed)
    return drawings


def _sample(drawn: ConfigInstances, block: Block, seed: int) -> Drawing:
    """Draw the first instance of a block."""
    compiled, design, variation = drawn.compiled, block.design, drawn.variation
    if block.addresses is not None:
        addresses = block.addresses[:1]
    else:
        count = AddressSpace(design, variation).count
        addresses = Permutation(count, seed).rows(block.first, block.first + 1)
    if variation.kind == "III":
        return _mixed(compiled, design, variation, addresses)
    return draw_instance(compiled, design, int(addresses[0]))


def _mixed(
    compiled: Compiled, design: CompiledDesign, variation: Variation, addresses: NDArray[Any]
) -> Drawing:
    """Draw an instance of type III: the outline of its variant, and the sentences of its row."""
    maker = RowMaker(compiled, design, RowChoice(1, 0, variation), addresses)
    (row,) = (row for batch in maker.batches(0, 1) for row in batch.to_pylist())
    start = next(
        first
        for first, plan in zip(design.starts, design.plans, strict=False)
        if plan.variant.frame.name == row["frame"] and variant_text(plan) == row["variant"]
    )
    outline = draw_instance(compiled, design, start)
    answers = dict(zip(row["labels"], row["answers"], strict=True))
    context = iter(row["context"])

    def with_sentence(place: DrawnRow) -> DrawnRow:
        text = next(context) if place.role == "context" else answers[place.label]
        return replace(place, words=((DrawnWord(text),),))

    title = f"instance {int(row['address']):,} of {maker.space.count:,}"
    rows = tuple(with_sentence(place) for place in outline.rows)
    return replace(outline, title=title, heads=("sentence",), rows=rows)


# --- groups --------------------------------------------------------------------------------------

MAX_CELLS = 64  # shown of a paradigm: six factors of two values


def groups(designs: Sequence[Mapping[str, Any]], samples: Samples) -> list[dict[str, Any]]:
    """Group the designs that are alike, in their order, with an example of the first of each.

    Paradigms are alike if they have the same cells with the same judgements. Matrices are alike if
    they have the same operators and the same answers; if a table gives the items, those may differ
    within a phenomenon.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for design in designs:
        alike.setdefault(repr(_likeness(design)), []).append(design)
    return [_group(members, samples) for members in alike.values()]


def _likeness(design: Mapping[str, Any]) -> list[Any]:
    if design["kind"] == "paradigm":
        return [design["factors"], design["where"], design["scopes"], design["tables"]]
    answers = [(a["label"], a["letter"], _remark(a)) for a in design["answers"]]
    items = [design["operators"] or design["phenomenon"], design["length"]]
    return [items, answers, design["answer_set"]]


def _group(designs: Sequence[Mapping[str, Any]], samples: Samples) -> dict[str, Any]:
    first = designs[0]
    example = first_example(first, samples)
    names = list(dict.fromkeys(design["name"] for design in designs))
    phenomena = list(dict.fromkeys(design["phenomenon"] for design in designs))
    pairs = [(design["name"], design["phenomenon"]) for design in designs]
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
    """Return each doc string, with the designs that have it if not all do."""
    names: dict[str, dict[str, None]] = {}  # by doc string
    for design in designs:
        if design["about"]:
            names.setdefault(design["about"], {})[design["name"]] = None
    every = {design["name"] for design in designs}
    return [{"about": a, "of": [] if set(n) == every else list(n)} for a, n in names.items()]


def _varying(designs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what varies from instance to instance, with the phenomena if they differ in it."""
    phenomena: dict[tuple[bool, tuple[str, ...]], dict[str, None]] = {}  # by what varies
    for design in designs:
        key = len(design["frames"]) > 1, tuple(design["varying"])
        phenomena.setdefault(key, {})[design["phenomenon"]] = None
    return [
        {"frame": frame, "names": list(names), "of": list(of) if len(phenomena) > 1 else []}
        for (frame, names), of in phenomena.items()
        if frame or names
    ]


def first_example(design: Mapping[str, Any], samples: Samples) -> tuple[str, Drawing] | None:
    """Return the first configuration that has an example of a design, with the example."""
    for config in design["configs"]:
        if (config, design["name"]) in samples:
            return config, samples[config, design["name"]]
    return None


def _lines(design: Mapping[str, Any], drawn: Drawing | None) -> Iterator[list[str]]:
    """Yield the lines of a design: cells or answers, what they break, and an instance."""
    if design["kind"] == "paradigm":
        sentences = [""] * len(design["cells"]) if drawn is None else map(starred, drawn.rows)
        yield from _cell_lines(design, list(sentences))
    elif drawn is None:
        yield from ([a["label"], a["letter"], _remark(a)] for a in design["answers"])
    else:
        remarks = {answer["label"]: _remark(answer) for answer in design["answers"]}
        for number, line in enumerate(matrix_lines(drawn)):
            breaks = "breaks" if number == 0 else remarks.get(line[0], "")
            yield [*line[:3], breaks, *line[3:]]


def _cell_lines(design: Mapping[str, Any], sentences: Sequence[str]) -> Iterator[list[str]]:
    """Yield the cells with their sentences; what they break has a column for each table."""
    tables = design["tables"]
    several = len(tables) > 1
    heads = [", ".join(table["frames"]) for table in tables] if several else ["breaks"]
    scopes = (
        []
        if several
        else ["scope" if len(design["scopes"]) == 1 else f"scope of {n}" for n in design["scopes"]]
    )
    yield ["cell", *design["factors"], *scopes, *heads, ""]
    for number, sentence in enumerate(sentences[:MAX_CELLS]):
        cells = [table["cells"][number] for table in tables]
        inside = [] if several else cells[0]["scopes"]
        remarks = [_remark(cell, with_scopes=several) for cell in cells]
        yield [str(number), *cells[0]["factors"], *inside, *remarks, sentence]
    if len(sentences) > MAX_CELLS:
        yield ["…", *["" for _ in (*design["factors"], *scopes, *heads)], ""]


def _remark(cell: Mapping[str, Any], *, with_scopes: bool = False) -> str:
    """Write what a cell or an answer breaks, with the doc string of the answer."""
    broken = [*cell["breaks"], *(f"sometimes {rule}" for rule in cell["sometimes"])]
    if with_scopes:
        broken = [*cell["scopes"], *broken]
    doc = cell.get("doc", "")
    return ", ".join(broken) + (f" ({doc})" if doc else "")
