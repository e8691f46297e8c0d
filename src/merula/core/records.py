"""Files of JSON that Merula has written, read back as frozen records.

What comes back is data, never code, and each field has the type that its record says. A file that
cannot be read or does not fit is one error (M618), with the place and the fault.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from merula.core.diagnostics import MerulaError
from merula.core.files import unreadable

T = TypeVar("T")

AGAIN = (
    "it was damaged or is not from this version of Merula: fetch the data set again, or make it"
    " again"
)


def read_json(path: Path, remedy: str = AGAIN) -> Any:
    """Return the JSON in a file; raises `MerulaError` where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        rights = "see to it that you may read the folder and its files"
        raise unreadable("M618", path, error, rights) from error
    except json.JSONDecodeError as error:
        raise not_understood(path, "it is not JSON", remedy) from error
    except ValueError as error:
        raise not_understood(path, str(error), remedy) from error
    except RecursionError as error:
        raise not_understood(path, "it is nested too deeply", remedy) from error


def understood(kind: type[T], value: Any, path: Path, remedy: str = AGAIN) -> T:
    """Return the JSON of a file as a record; raises `MerulaError` where it does not fit."""
    try:
        return read_as(kind, value)
    except (KeyError, TypeError, ValueError) as error:
        raise not_understood(path, str(error), remedy) from error


def not_understood(path: Path, fault: str, remedy: str = AGAIN) -> MerulaError:
    """Return the error of a file of ours that says what cannot be."""
    return MerulaError.of(
        "M618", f"{path} cannot be understood: {fault}", remedy=remedy, place=str(path)
    )


def left_record(kind: type[T], path: Path) -> T | None:
    """Return the record that an interrupted run has left, or None where it is not whole."""
    try:
        return read_as(kind, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def read_as(kind: type[T], value: Any) -> T:
    """Return a value of JSON as a record; raises ValueError saying what does not fit.

    Numbers are not negative, except for a seed; digests are hexadecimal.
    """
    if not isinstance(value, Mapping):
        raise ValueError("it is not an object")
    hints = get_type_hints(kind)
    signature = inspect.signature(kind).parameters
    arguments = {}
    for name, hint in hints.items():
        if name in value:
            arguments[name] = _fitting(name, hint, value[name])
        elif signature[name].default is inspect.Parameter.empty:
            raise ValueError(f"`{name}` is missing")
    for name in value:
        if name not in hints:
            raise ValueError(f"`{name}` is unknown")
    return kind(**arguments)


def _fitting(name: str, hint: Any, value: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        return None if value is None else _fitting(name, inner[0], value)
    if origin in (list, tuple):
        if isinstance(value, list):
            return origin(_fitting(name, inner[0], item) for item in value)
    elif origin in (dict, Mapping):
        if isinstance(value, dict):
            return {key: _fitting(key, inner[1], item) for key, item in value.items()}
    elif isinstance(hint, type) and hint not in (str, int, bool, float):
        return read_as(hint, value)
    elif hint is float and type(value) in (int, float):
        return float(value)
    elif type(value) is hint and _sensible(name, value):
        return value
    raise ValueError(f"`{name}` is {value!r}"[:80])


def _sensible(name: str, value: Any) -> bool:
    if name in ("digest", "sha256"):
        return all(c in "0123456789abcdef" for c in value) and len(value) in (0, 64)
    if name == "block":
        return bool(value > 0)
    return not isinstance(value, int) or value >= 0 or name == "seed"
