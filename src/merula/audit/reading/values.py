"""The values of cells: texts, truth values, numbers, and missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from merula.audit.reading.tables import DataTable

MISSING = frozenset({"", "nan", "none", "null", "na", "n/a"})
TRUE, FALSE = frozenset({"1", "1.0", "true", "correct"}), frozenset({"0", "0.0", "false", "wrong"})


def word_of(value: Any) -> str:
    """Return a cell as a text; a missing one (also NaN) is empty."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else str(value)


def text_of(value: Any) -> str:
    """Return a sentence; a missing one is empty."""
    text = word_of(value)
    return "" if text.lower() in ("nan", "null") else text


def first_column(table: DataTable, *names: str) -> Sequence[Any] | None:
    """Return the first of some columns that a table has, or None."""
    return next((table.columns[name] for name in names if name and name in table.columns), None)


def truth(cell: Any) -> bool | None:
    """Return a cell as a truth value, or None if it is not one."""
    word = word_of(cell).strip().lower()
    return True if word in TRUE else False if word in FALSE else None


def whole(cell: Any) -> int | None:
    """Return a cell as a whole number, also from a text (``3``, ``3.0``); None if it is not one."""
    try:
        number = float(word_of(cell))
    except ValueError:
        return None
    return int(number) if number.is_integer() else None
