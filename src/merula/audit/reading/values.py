"""Cells of tables: what is missing, what means yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from merula.audit.reading.tables import DataTable

MISSING = frozenset({"", "nan", "none", "null", "na", "n/a"})
TRUE, FALSE = frozenset({"1", "1.0", "true", "correct"}), frozenset({"0", "0.0", "false", "wrong"})


def word_of(value: Any) -> str:
    """A cell as a text; what is missing (also NaN) is empty."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else str(value)


def text_of(value: Any) -> str:
    """A sentence; what is missing is empty."""
    found = word_of(value)
    return "" if found.lower() in ("nan", "null") else found


def first_column(table: DataTable, *names: str) -> Sequence[Any] | None:
    """The first column of some that is there."""
    return next((table.columns[name] for name in names if name and name in table.columns), None)


def truth(cell: Any) -> bool | None:
    """What a value says of an answer."""
    said = word_of(cell).strip().lower()
    return True if said in TRUE else False if said in FALSE else None


def whole(cell: Any) -> int | None:
    """A whole number, also as a text (``3``, ``3.0``)."""
    try:
        number = float(word_of(cell))
    except ValueError:
        return None
    return int(number) if number.is_integer() else None
