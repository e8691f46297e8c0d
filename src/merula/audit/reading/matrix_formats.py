"""Formats of matrices, each a function that knows the columns of contexts and answers.

In goes a `DataTable`, out come matrices, by `matrix_rows.matrices`; ``readers.FORMATS`` lists the
functions. A format that lacks a column that it needs raises, with the column's name.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from merula.audit.corpus import Matrix
from merula.audit.reading.matrix_rows import AnswerColumns, Row, matrices
from merula.audit.reading.tables import MAX_NOTE, DataTable, UnreadableLine, lacks, unreadable
from merula.audit.reading.values import MISSING, first_column, text_of, truth, whole, word_of
from merula.core.diagnostics import MerulaError
from merula.core.wording import listing

# The columns of matrices that are read from a Parquet or Arrow file.
MATRIX_COLUMNS = (
    "context answers correct labels broken context_templates answer_templates context_lexemes"
    " answer_lexemes part set instance input target target_options x y values"
).split()
WIDE = re.compile(r"(sent|answer)(?:_(label|value|template))?_(\d+)", re.IGNORECASE)
JOINED = re.compile(r"""(['"])\s+['"]""")  # NumPy's lists have no commas: Python joins their texts
BETWEEN = "</s>"  # the separator of the sentences of a context in GenBench's format


def read_matrices(path: Path, table: DataTable, title: str) -> list[Matrix]:
    """Return Merula's own matrices: lists, or a column for each entry of a list (``answers.0``)."""
    _once(path, table, lambda name: name.partition(".")[0] in MATRIX_COLUMNS)
    lists = {
        name: _lists(path, table, name)
        for name in (
            "context answers labels broken context_templates answer_templates"
        ).split()
    }  # fmt: skip
    for name in ("context", "answers"):
        if not lists[name]:
            raise _lacks(path, table, name)
    if "correct" not in table.columns:
        raise _lacks(path, table, "correct")
    return matrices(path, table, title, AnswerColumns(right=table.columns["correct"], **lists))


def read_wide(path: Path, table: DataTable, title: str) -> list[Matrix]:
    """Return published matrices: ``Sent_1``, ``Answer_1``, ``Answer_label_1``, …"""
    _once(path, table, lambda name: WIDE.fullmatch(name) is not None)
    by_kind: dict[str, dict[int, Sequence[Any]]] = {}
    for name, cells in table.columns.items():
        match = WIDE.fullmatch(name)
        if match is not None:
            what, which, number = match.groups()
            kind = f"{what}_{which}" if which else what
            by_kind.setdefault(kind.lower(), {})[int(number)] = cells
    for name in ("sent", "answer"):
        if name not in by_kind:
            raise _lacks(path, table, f"{name.capitalize()}_1")
    numbers = sorted(by_kind["answer"])

    def rows(kind: str) -> Sequence[Row]:
        columns = by_kind.get(kind, {})
        wanted = sorted(columns) if kind.startswith("sent") else numbers
        missing = [None] * len(table)
        return _across([columns.get(n, missing) for n in wanted], len(table)) if columns else ()

    return matrices(
        path,
        table,
        title,
        AnswerColumns(
            rows("sent"),
            rows("answer"),
            rows("answer_label"),
            rows("answer_value"),
            (),
            rows("sent_template"),
            rows("answer_template"),
        ),
    )


def read_numbered(path: Path, table: DataTable, title: str) -> list[Matrix]:
    """Return the first published matrices, under numbers: context, answers, values, labels.

    The columns of values (True, False) tell the rest: as many columns before them are answers, as
    many behind them labels. A first column without a name, or with numbers in it, counts the rows.
    """
    columns = list(table.columns.values())
    names = [name for name in table.columns if name]
    truths = [all(_is_value(cell) for cell in cells) for cells in columns]
    start = truths.index(True) if True in truths else len(columns)
    behind = truths[start:]
    size = len(behind) if all(behind) else [*behind, False].index(False)
    if not all(behind) and len(behind) % 2 == 0 and all(behind[: len(behind) // 2]):
        size = len(behind) // 2  # in few rows a column of labels may have nothing but `True`
    stop = start + size
    first = int("" in table.columns or all(whole(cell) is not None for cell in columns[0]))
    if not size or start - size <= first:
        raise MerulaError.of(
            "M697",
            f"{path} has no columns of True and False behind its answers",
            remedy="a table of this format has the context, the answers, as many values (True for"
            " the right one, False), and as many labels; name another format with --as",
            notes=[f"its columns are named {listing(names)}"[:MAX_NOTE]],
            place=str(path),
        )
    labels = columns[stop : stop + size]
    return matrices(
        path,
        table,
        title,
        AnswerColumns(
            _across(columns[first : start - size], len(table)),
            _across(columns[start - size : start], len(table)),
            _across(labels, len(table)) if labels else (),
            _across(columns[start:stop], len(table)),
        ),
    )


def read_genbench(path: Path, table: DataTable, title: str) -> list[Matrix]:
    """Return matrices of ``input`` (sentences with ``</s>``), ``target_options``, ``target``."""
    for name in ("input", "target", "target_options"):
        if name not in table.columns:
            raise _lacks(path, table, name)
    context = [_split(cell) for cell in table.columns["input"]]
    answers = _lists(path, table, "target_options")
    return matrices(
        path, table, title, AnswerColumns(context, answers, (), table.columns["target"])
    )


def _split(cell: Any) -> Row:
    if isinstance(cell, list):
        return cell
    return [part.strip() for part in text_of(cell).split(BETWEEN) if part.strip()]


def read_xy(path: Path, table: DataTable, title: str) -> list[Matrix]:
    """Return matrices of ``x`` (the context), ``y`` (the answers) and the right answer.

    ``labels`` are labels of answers, or truth values, or the place of the right one; ``values``,
    ``correct`` or ``target`` are truth values, a place or an answer.
    """
    for name in ("x", "y"):
        if name not in table.columns:
            raise _lacks(path, table, name)
    labels = first_column(table, "labels", "label") or [None] * len(table)
    values = first_column(table, "values", "correct", "target") or [None] * len(table)
    named: list[Row] = []
    right: list[Any] = []
    for label, value in zip(labels, values, strict=True):
        texts = isinstance(label, list) and not all(truth(entry) is not None for entry in label)
        named.append(label if texts and isinstance(label, list) else ())
        right.append(value if texts or value is not None else label)
    context, answers = _lists(path, table, "x"), _lists(path, table, "y")
    return matrices(path, table, title, AnswerColumns(context, answers, named, right))


# --- columns -------------------------------------------------------------------------------


def _across(columns: Sequence[Sequence[Any]], size: int) -> Sequence[Row]:
    """Return columns as rows."""
    return list(zip(*columns, strict=True)) if columns else [()] * size


def _lists(path: Path, table: DataTable, name: str) -> Sequence[Row]:
    """Return the lists of a column, or of the columns of its entries; empty without either."""
    if name in table.columns:
        cells = zip(table.rows, table.columns[name], strict=True)
        return [_list(path, row, cell) for row, cell in cells]
    entries = {n: cells for n, cells in table.under(name).items() if n.isdecimal()}
    if not entries:
        return ()
    return _across([entries[n] for n in sorted(entries, key=int)], len(table))


def _list(path: Path, row: int, cell: Any) -> Row:
    """Return a list, also one that is written as a text."""
    if isinstance(cell, (list, tuple)):
        return cell
    shown = word_of(cell).strip()
    if shown.lower() in MISSING:
        return ()
    readers = (json.loads,) if JOINED.search(shown) else (json.loads, ast.literal_eval)
    for read in readers:
        try:
            value = read(shown)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, (list, tuple)):
            return value
    fault = UnreadableLine(row, f"`{shown[:40]}` is not a list")
    remedy = 'write lists as JSON does, ["The dog barks.", "The dog bark."], or a column an entry'
    raise unreadable("M697", str(path), [fault], remedy)


def _lacks(path: Path, table: DataTable, name: str) -> MerulaError:
    remedy = "name the format of the file with --as, or its columns as the format has them"
    return lacks(str(path), name, list(table.columns), remedy)


def _once(path: Path, table: DataTable, needed: Callable[[str], bool]) -> None:
    """Raise for several columns of the same name, if the format needs it."""
    twice = [name for name in table.twice if needed(name)]
    if twice:
        raise MerulaError.of(
            "M697",
            f"{path} has several columns named {listing(twice)}",
            remedy="give each column a name of its own",
            place=str(path),
        )


def _is_value(cell: Any) -> bool:
    return word_of(cell).strip().lower() in ("true", "false")
