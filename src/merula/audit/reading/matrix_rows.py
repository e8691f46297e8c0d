"""Rows of matrices, whatever their format, as `Matrix` values.

In go the columns of a table as `AnswerColumns`, out come matrices; the formats of
``matrix_formats`` call `matrices`. A row without a context or answers, or with a right answer that
is not among them, raises; anything else that a matrix lacks is for the checks to find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from merula.audit.corpus import Matrix, Place
from merula.audit.reading.tables import DataTable, UnreadableLine, unreadable
from merula.audit.reading.values import MISSING, first_column, text_of, truth, whole, word_of
from merula.core.frozen import frozen

RIGHT = frozenset({"true", "correct", "right"})  # labels of right answers
PARTS = ("part", "environment", "env", "UID")
NAMES = ("address", "ID", "id", "group", "instance")
NAMED = ("split", "design", "frame", "variant")

Row = Sequence[Any]


@frozen(eq=False)
class AnswerColumns:
    """The columns of matrices, a list for each row; empty where the data have not these."""

    context: Sequence[Row]
    answers: Sequence[Row]
    labels: Sequence[Row] = ()
    right: Sequence[Any] = ()  # a place, an answer, or a value for each answer
    broken: Sequence[Row] = ()
    context_templates: Sequence[Row] = ()
    answer_templates: Sequence[Row] = ()

    @property
    def columns(self) -> tuple[Sequence[Any], ...]:
        """Return all of them, in the order of `MatrixCells`."""
        of_answers = (self.answers, self.labels, self.right, self.broken)
        return (self.context, *of_answers, self.context_templates, self.answer_templates)


class MatrixCells(NamedTuple):
    """The cells of a row, in the order of `AnswerColumns`."""

    context: Row
    answers: Row
    labels: Row
    right: Any
    broken: Row
    context_templates: Row
    answer_templates: Row


class NoMatrixError(ValueError):
    """A fault of a row, with its code."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def matrices(path: Path, table: DataTable, title: str, lists: AnswerColumns) -> list[Matrix]:
    """Return the matrices of some columns; raises `MerulaError` where a row is not one."""
    size = len(table)
    missing = [""] * size
    cells = map(MatrixCells, *(column or [()] * size for column in lists.columns))
    names = map(word_of, first_column(table, *NAMES) or missing)
    named = [map(word_of, first_column(table, name) or missing) for name in NAMED]
    rows = zip(table.rows, cells, _parts(table, title), names, _lexemes(table), strict=True)
    rules: dict[Row, tuple[str, ...]] | None = {} if lists.broken else None
    result: list[Matrix] = []
    faults: list[tuple[str, UnreadableLine]] = []
    for (row, row_cells, part, name, lexemes), (split, design, frame, variant) in zip(
        rows, zip(*named, strict=True), strict=True
    ):
        try:
            matrix = _matrix(row_cells, Place(str(path), row), rules)
        except NoMatrixError as error:
            faults.append((error.code, UnreadableLine(row, str(error))))
            continue
        result.append(
            matrix._replace(
                part=part,
                group=f"{part} {name}" if name else "",
                split=split,
                lexemes=lexemes,
                design=design,
                frame=frame,
                variant=variant,
            )
        )
    if faults:
        code = faults[0][0]
        raise unreadable(
            code, str(path), [fault for c, fault in faults if c == code], REMEDIES[code]
        )
    return result


def _matrix(cells: MatrixCells, place: Place, rules: dict[Row, tuple[str, ...]] | None) -> Matrix:
    """Return the matrix of a row, without its names; raises `NoMatrixError`.

    ``rules`` has the rules of earlier rows, so that equal ones are one object; None where the data
    do not have a column of rules.
    """
    context, answers, labels = map(_texts, (cells.context, cells.answers, cells.labels))
    if not context or not answers:
        what = "answers" if context else "context"
        raise NoMatrixError("M697", f"this row has no {what}")
    templates = _texts(cells.answer_templates)
    if max(len(labels), len(templates)) > len(answers):
        what = "labels" if len(labels) > len(answers) else "templates"
        raise NoMatrixError("M697", f"this row has more {what} than answers")
    labels = _fitted(labels, len(answers))
    return Matrix(
        context,
        answers,
        labels,
        _right(cells.right, answers, labels),
        "",
        "",
        "",
        place,
        broken=_broken(cells.broken, len(answers), rules) if rules is not None else (),
        context_templates=_fitted(_texts(cells.context_templates), len(context)),
        answer_templates=_fitted(templates, len(answers)),
    )


def _parts(table: DataTable, title: str) -> list[str]:
    """Return the part of each row: of a suite with its set, or else the title of the file."""
    parts = first_column(table, *PARTS)
    if parts is None:
        return [title] * len(table)
    designs = first_column(table, "set", "design") or [""] * len(table)
    return [part_of(word_of(p), word_of(d)) for p, d in zip(parts, designs, strict=True)]


def part_of(part: str, design: str) -> str:
    """Return a part of a suite and a design in it as one part of the data."""
    return f"{part} {design}".strip()


REMEDIES: Mapping[str, str] = {
    "M697": "a matrix has sentences of a context, answers, and a label for each answer at most",
    "M698": "name the right answer by its place, counted from 0",
}


def _texts(cells: Row) -> tuple[str, ...]:
    """Return the texts of a list, without those missing at its end."""
    texts = [text_of(cell) for cell in cells]
    while texts and not texts[-1].strip():
        texts.pop()
    return tuple(texts)


def _fitted(texts: tuple[str, ...], size: int) -> tuple[str, ...]:
    """Return ``size`` texts, with empty ones at the end; none if all are missing."""
    return texts[:size] + ("",) * (size - len(texts)) if texts else ()


def _broken(
    cells: Row, size: int, shared: dict[Row, tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Return the rules that each answer breaks, from lists or from texts with ``;`` between."""
    broken = []
    for cell in cells[:size]:
        entries = cell if isinstance(cell, (list, tuple)) else text_of(cell).split(";")
        rules = tuple(rule.strip() for rule in map(word_of, entries) if rule.strip())
        broken.append(shared.setdefault(rules, rules))
    return tuple(broken) + ((),) * (size - len(broken))


def _right(cell: Any, answers: Sequence[str], labels: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the right answers; raises `NoMatrixError` if it is not an answer.

    A cell is a truth value for each answer, a place from 0, an answer, or a label. Without one the
    labels tell.
    """
    if isinstance(cell, (list, tuple)):
        values = [truth(entry) for entry in cell]
        if any(value is not None for value in values):
            return tuple(place for place, value in enumerate(values[: len(answers)]) if value)
        cell = None
    if cell is not None and word_of(cell).strip().lower() not in MISSING:
        place = None if isinstance(cell, bool) else whole(cell)
        if place is not None and 0 <= place < len(answers):
            return (place,)
        if isinstance(cell, str) and cell in answers:
            return tuple(p for p, answer in enumerate(answers) if answer == cell)
        if isinstance(cell, str) and cell in labels:
            return tuple(p for p, label in enumerate(labels) if label == cell)
        why = f"the right answer is `{word_of(cell)[:40]}`, which is not among the answers"
        raise NoMatrixError("M698", why)
    return tuple(place for place, label in enumerate(labels) if label.strip().lower() in RIGHT)


def _lexemes(table: DataTable) -> Iterator[tuple[str, ...]]:
    """Yield the lexemes of all sentences of each row, without words of values (``any=no``)."""
    columns = [
        cells
        for name, cells in table.columns.items()
        if name.partition(".")[0] in ("lexemes", "context_lexemes", "answer_lexemes")
        and "=" not in name
    ]
    if not columns:
        yield from repeat((), len(table))
        return
    for cells in zip(*columns, strict=True):
        lexemes: dict[str, None] = {}
        for cell in cells:
            for entry in cell if isinstance(cell, list) else [cell]:
                values = entry.values() if isinstance(entry, dict) else [entry]
                lexemes.update((word_of(value), None) for value in values if word_of(value))
        yield tuple(lexemes)
