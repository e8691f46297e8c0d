"""Rows of matrices, whatever their format, as `Matrix` values.

What a row lacks is a check's business, as far as there is a matrix at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from merula.audit.corpus import Matrix, Place
from merula.audit.reading.tables import DataTable, UnreadableLine, refuse
from merula.audit.reading.values import MISSING, first_column, text_of, truth, whole, word_of
from merula.core.frozen import frozen

RIGHT = frozenset({"true", "correct", "right"})  # labels of right answers
PARTS = ("part", "environment", "env", "UID")
NAMES = ("address", "ID", "id", "group", "instance")
TOLD = ("split", "design", "frame", "variant")

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
        """All of them."""
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
    """What is wrong with a row, and the code of that."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def matrices(path: Path, table: DataTable, title: str, lists: AnswerColumns) -> list[Matrix]:
    """The matrices of some columns; raises `MerulaError` where a row is none."""
    number = len(table)
    missing = [""] * number
    cells = map(MatrixCells, *(column or [()] * number for column in lists.columns))
    names = map(word_of, first_column(table, *NAMES) or missing)
    told = [map(word_of, first_column(table, name) or missing) for name in TOLD]
    rows = zip(table.rows, cells, _parts(table, title), names, _lexemes(table), strict=True)
    rules: dict[Row, tuple[str, ...]] | None = {} if lists.broken else None
    found: list[Matrix] = []
    faults: list[tuple[str, UnreadableLine]] = []
    for (row, own, part, name, lexemes), (split, design, frame, variant) in zip(
        rows, zip(*told, strict=True), strict=True
    ):
        try:
            matrix = _matrix(own, Place(str(path), row), rules)
        except NoMatrixError as error:
            faults.append((error.code, UnreadableLine(row, str(error))))
            continue
        found.append(
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
        raise refuse(code, str(path), [f for own, f in faults if own == code], REMEDIES[code])
    return found


def _matrix(cells: MatrixCells, place: Place, rules: dict[Row, tuple[str, ...]] | None) -> Matrix:
    """A matrix of the cells of a row, without its names; raises `NoMatrixError`.

    ``rules`` are those that are known, None where the data say nothing of rules.
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
    """What each row belongs to: a part of a suite and a set of it; else what the file is called."""
    parts = first_column(table, *PARTS)
    if parts is None:
        return [title] * len(table)
    designs = first_column(table, "set", "design") or [""] * len(table)
    return [part_of(word_of(p), word_of(d)) for p, d in zip(parts, designs, strict=True)]


def part_of(part: str, design: str) -> str:
    """A part of a suite and a design in it, as one part of the data."""
    return f"{part} {design}".strip()


REMEDIES: Mapping[str, str] = {
    "M697": "a matrix has sentences of a context, answers, and a label for each answer at most",
    "M698": "name the right answer by its place, counted from 0",
}


def _texts(cells: Row) -> tuple[str, ...]:
    """The texts of a list, without those missing at its end."""
    found = [text_of(cell) for cell in cells]
    while found and not found[-1].strip():
        found.pop()
    return tuple(found)


def _fitted(texts: tuple[str, ...], number: int) -> tuple[str, ...]:
    """As many texts as there are things; none, where all are missing."""
    return texts[:number] + ("",) * (number - len(texts)) if texts else ()


def _broken(
    cells: Row, number: int, known: dict[Row, tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """The rules that each answer breaks: lists, or texts with ``;`` between; few values, shared."""
    found = []
    for cell in cells[:number]:
        entries = cell if isinstance(cell, (list, tuple)) else text_of(cell).split(";")
        rules = tuple(rule.strip() for rule in map(word_of, entries) if rule.strip())
        found.append(known.setdefault(rules, rules))
    return tuple(found) + ((),) * (number - len(found))


def _right(said: Any, answers: Sequence[str], labels: Sequence[str]) -> tuple[int, ...]:
    """The places of the right answers; raises `NoMatrixError` where it is no answer."""
    if isinstance(said, (list, tuple)):
        values = [truth(cell) for cell in said]
        if any(value is not None for value in values):
            return tuple(place for place, value in enumerate(values[: len(answers)]) if value)
        said = None
    if said is not None and word_of(said).strip().lower() not in MISSING:
        place = None if isinstance(said, bool) else whole(said)
        if place is not None and 0 <= place < len(answers):
            return (place,)
        if isinstance(said, str) and said in answers:
            return tuple(p for p, answer in enumerate(answers) if answer == said)
        if isinstance(said, str) and said in labels:
            return tuple(p for p, label in enumerate(labels) if label == said)
        why = f"the right answer is `{word_of(said)[:40]}`, which is none of the answers"
        raise NoMatrixError("M698", why)
    return tuple(place for place, label in enumerate(labels) if label.strip().lower() in RIGHT)


def _lexemes(table: DataTable) -> Iterator[tuple[str, ...]]:
    """The lexemes of each row, those of its sentences together; no words of values (``any=no``)."""
    own = [
        cells
        for name, cells in table.columns.items()
        if name.partition(".")[0] in ("lexemes", "context_lexemes", "answer_lexemes")
        and "=" not in name
    ]
    if not own:
        yield from repeat((), len(table))
        return
    for cells in zip(*own, strict=True):
        found: dict[str, None] = {}
        for cell in cells:
            for entry in cell if isinstance(cell, list) else [cell]:
                values = entry.values() if isinstance(entry, dict) else [entry]
                found.update((word_of(value), None) for value in values if word_of(value))
        yield tuple(found)
