"""Matrices in the layouts that are published, for code that was written for them.

``wide`` is the table of BLM-AgrF, BLM-s/lE and their successors: a line an instance, a column for
each sentence, its template, its parts. ``genbench`` is the task file of GenBench (lines of JSON),
``xy`` a list of questions and answers in JSON. Each is written from rows (`merula.rows.maker`):

    maker = RowMaker(compiled, design, RowChoice(1000, spans=True))
    with open("matrices.tsv", "w", encoding="utf-8", newline="") as file:
        wide([Matrix(Outlines.of(design), maker.batches())], file)
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from merula.compiler.compiled import CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.design.cells import Cell
from merula.design.outline import OutlinePart, Outliner, is_item, objects
from merula.grammar.model import CORRECT, Frame
from merula.rows.columns import variant_text

ABSENT = "None"  # SUBJ_None: the object is absent here, and another item has it
_STOP = re.compile(r"""^(.*\w.*?)\s*([^\w\s()\[\]{}"'«»“”‘’]+)$""", re.DOTALL)
_NEEDED = (
    "address",
    "design",
    "frame",
    "variant",
    "context",
    "answers",
    "correct",
    "labels",
)
_SPANS = ("context_spans", "answer_spans")


class _Sentence(NamedTuple):
    """A sentence without its words.

    ``chunks`` says which of its parts is at each place, None where an object is absent that another
    item has.
    """

    template: str
    parts: tuple[OutlinePart, ...]
    chunks: tuple[int | None, ...]


@frozen
class _Variant:
    """The sentences of a variant: items by place, answers by label."""

    context: tuple[_Sentence, ...]
    answers: Mapping[str, _Sentence]


@frozen
class Outlines:
    """What the sentences of a matrix consist of, to be looked up from its rows.

    A plain value: it can be pickled, and needs neither the grammar nor the lexicon.
    """

    design: str
    shape: tuple[int, int]  # how many items are shown, how many answers there are
    variants: Mapping[tuple[str, str], _Variant]  # by frame and variant, as rows name them

    @staticmethod
    def of(design: CompiledDesign) -> Outlines:
        """Return the outlines of a matrix that has instances.

        Raises `MerulaError` for a paradigm.
        """
        demand_matrix(design)
        outliner = Outliner(cell for _, cells in design.cells for cell in cells)
        outlines, shape = {}, (0, 0)
        for plan in design.plans:
            cells = [cell.cell for cell in plan.cells]
            variant = _variant(plan.variant.frame, cells, [outliner.parts(cell) for cell in cells])
            outlines[plan.variant.frame.name, variant_text(plan)] = variant
            shape = (len(variant.context), len(variant.answers))
        return Outlines(design.name, shape, outlines)


class LaidOutMatrix(NamedTuple):
    """The rows of a matrix: record batches of its schema."""

    outlines: Outlines
    batches: Iterable[Any]


def wide(matrices: Sequence[LaidOutMatrix], out: TextIO, *, correct: str = "True") -> int:
    """Write instances as a table, its cells separated by tabs; returns how many.

    The columns are those of the published files: a number from 0 without a head, ``Sent_1`` …,
    ``Sent_template_1`` …, ``Sent_chunks_1`` …, then ``Answer``, ``Answer_label``, ``Answer_value``,
    ``Answer_template`` and ``Answer_chunks``, each numbered from 1. A template is ``subj_sg
    n1_None verb_sg``, chunks are a list in Python's notation; ``correct`` is the label of the right
    answer. The rows need spans. Answers are in the order of the rows, so the right one is not
    always first. Raises `MerulaError` (M670) where the matrices differ in how many items or
    answers they have.
    """
    context, answers = _common_shape(matrices)
    write = csv.writer(out, delimiter="\t", lineterminator="\n").writerow
    write(wide_header(context, answers))
    number = 0
    for outlines, row in _rows(matrices, *_SPANS):
        variant = outlines.variants[row["frame"], row["variant"]]
        shown = variant.context
        offered = [variant.answers[label] for label in row["labels"]]
        write(
            [
                number,
                *row["context"],
                *(sentence.template for sentence in shown),
                *_chunks(shown, row["context"], row["context_spans"]),
                *row["answers"],
                *(correct if label == CORRECT else label for label in row["labels"]),
                *(i == row["correct"] for i in range(answers)),
                *(sentence.template for sentence in offered),
                *_chunks(offered, row["answers"], row["answer_spans"]),
            ]
        )
        number += 1
    return number


def wide_header(context: int, answers: int) -> list[str]:
    """The column names of `wide`.

    >>> wide_header(1, 1)[:4]
    ['', 'Sent_1', 'Sent_template_1', 'Sent_chunks_1']
    """
    groups = [(f"Sent{kind}", context) for kind in ("", "_template", "_chunks")]
    kinds = ("", "_label", "_value", "_template", "_chunks")
    groups += [(f"Answer{kind}", answers) for kind in kinds]
    return ["", *(f"{name}_{i}" for name, n in groups for i in range(1, n + 1))]


def genbench(matrices: Sequence[LaidOutMatrix], out: TextIO) -> int:
    """Write instances as lines of JSON; returns how many.

    ``input`` are the items shown, joined by `` </s> ``; ``target_options`` the answers; ``target``
    the place of the right one, counted from 0.
    """
    number = 0
    for _, row in _rows(matrices):
        task = {
            "input": " </s> ".join(row["context"]),
            "target": row["correct"],
            "target_options": row["answers"],
        }
        out.write(json.dumps(task, ensure_ascii=False) + "\n")
        number += 1
    return number


def xy(matrices: Sequence[LaidOutMatrix], out: TextIO) -> int:
    """Write instances as one list in JSON, a line each; returns how many.

    ``x`` are the items shown, ``y`` the answers, ``labels`` what each answer is called, ``correct``
    the place of the right one, counted from 0; ``design`` and ``address`` say which instance it is.
    """
    number = 0
    out.write("[")
    for _, row in _rows(matrices):
        task = {
            "x": row["context"],
            "y": row["answers"],
            "labels": row["labels"],
            "correct": row["correct"],
            "design": row["design"],
            "address": row["address"],
        }
        out.write((",\n" if number else "\n") + json.dumps(task, ensure_ascii=False))
        number += 1
    out.write("\n]\n")
    return number


WRITERS: Mapping[str, Callable[[Sequence[LaidOutMatrix], TextIO], int]] = {
    "wide": wide,
    "genbench": genbench,
    "xy": xy,
}


def write_layout(layout: str, path: Path, matrices: Sequence[LaidOutMatrix]) -> int:
    """Write a file of a layout (of `WRITERS`); returns how many instances it has."""
    with path.open("w", encoding="utf-8", newline="") as out:
        return WRITERS[layout](matrices, out)


def demand_matrix(design: CompiledDesign) -> None:
    """Raise `MerulaError` for a paradigm."""
    if design.kind != "matrix":
        raise MerulaError.of(
            "M669",
            f"{design.name} is a paradigm, and this is a layout of matrices",
            remedy="name matrices alone (--design), or leave --layout out",
            place=design.design.span.source.name,
        )


def _common_shape(matrices: Sequence[LaidOutMatrix]) -> tuple[int, int]:
    """How many items every matrix shows, and how many answers each has."""
    shapes = [(matrix.outlines.design, matrix.outlines.shape) for matrix in matrices]
    if len({shape for _, shape in shapes}) > 1:
        raise MerulaError.of(
            "M670",
            "these matrices cannot be one wide table, for they have not the same numbers of items"
            " and answers",
            remedy="write them into files of their own",
            notes=[
                f"{name} shows {context} items and has {answers} answers"
                for name, (context, answers) in dict.fromkeys(shapes)
            ],
        )
    return shapes[0][1] if shapes else (0, 0)


def _rows(
    matrices: Iterable[LaidOutMatrix], *spans: str
) -> Iterator[tuple[Outlines, dict[str, Any]]]:
    """The rows of all matrices, one after the other."""
    for outlines, batches in matrices:
        for batch in batches:
            missing = [name for name in (*_NEEDED, *spans) if name not in batch.schema.names]
            if missing:
                raise ValueError(f"the rows of {outlines.design} have no column {missing[0]}")
            for row in batch.select([*_NEEDED, *spans]).to_pylist():
                yield outlines, row


# --- templates and chunks --------------------------------------------------------------------


def _variant(
    frame: Frame, cells: Sequence[Cell], parts: Sequence[tuple[OutlinePart, ...]]
) -> _Variant:
    """The sentences of a variant from its cells with their parts."""
    items = [i for i, cell in enumerate(cells) if is_item(cell)]
    expected = objects(frame, [cells[i] for i in items], [parts[i] for i in items])
    sentences = [_sentence(own, expected) for own in parts]
    shown = [i for i, cell in enumerate(cells) if cell.role == "context"]
    return _Variant(
        tuple(sentences[i] for i in shown),
        {cells[i].label: sentences[i] for i in range(len(cells)) if i not in shown},
    )


def _sentence(parts: tuple[OutlinePart, ...], expected: Sequence[str]) -> _Sentence:
    """Return a sentence with the objects that it lacks put in at the places they would have."""
    places = {name: i for i, name in enumerate(expected)}
    tokens: list[tuple[str, str, int | None]] = [
        (part.name, "_".join([part.name, *part.values] if part.name else part.values), i)
        for i, part in enumerate(parts)
    ]
    for name, place in places.items():
        if all(other != name for other, _, _ in tokens):
            after = (i for i, (other, _, _) in enumerate(tokens) if places.get(other, -1) > place)
            tokens.insert(next(after, len(tokens)), (name, f"{name}_{ABSENT}", None))
    template = " ".join(re.sub(r"\s+", "_", token) for _, token, _ in tokens)
    return _Sentence(template, parts, tuple(i for _, _, i in tokens))


def _chunks(
    sentences: Iterable[_Sentence],
    texts: Iterable[str],
    spans: Iterable[Sequence[Mapping[str, Any]]],
) -> Iterator[str]:
    """Texts cut by the parts of their sentences, each as a list in Python's notation."""
    for sentence, text, own in zip(sentences, texts, spans, strict=True):
        found, stop = _cut(text, own, sentence.parts)
        chunks = ["" if i is None else found[i] for i in sentence.chunks]
        yield repr([*chunks, stop] if stop else chunks)


def _cut(
    text: str, spans: Sequence[Mapping[str, Any]], parts: Sequence[OutlinePart]
) -> tuple[list[str], str]:
    """Return the words of each part, and the full stop that the surface rules add.

    Between spans there are fixed words.
    """
    starts = [*(span["start"] for span in spans), len(text)]
    at, number = 0, 0
    words: list[str] = []
    for part in parts:
        if not part.overt:
            words.append("")
        elif part.name:
            at = spans[number]["end"]
            words.append(text[starts[number] : at])
            number += 1
        else:
            words.append(text[at : starts[number]].strip())
    last = max((i for i, part in enumerate(parts) if part.overt), default=-1)
    if last < 0 or parts[last].name:
        return words, text[at:].strip()
    ended = _STOP.match(words[last])  # fixed words go on to the end, with the full stop
    if ended is None:
        return words, ""
    words[last] = ended[1]
    return words, ended[2]
