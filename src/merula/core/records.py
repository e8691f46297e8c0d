"""Read JSON into frozen records, with an error that says what does not fit."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read_as(kind: type[T], value: Any) -> T:
    """A value of JSON as one of the classes above; raises ValueError saying what does not fit.

    Numbers are not negative, but for a seed; digests are hexadecimal.
    """
    if not isinstance(value, Mapping):
        raise ValueError("it is no object")
    hints = get_type_hints(kind)
    signature = inspect.signature(kind).parameters
    found = {}
    for name, hint in hints.items():
        if name in value:
            found[name] = _fitting(name, hint, value[name])
        elif signature[name].default is inspect.Parameter.empty:
            raise ValueError(f"`{name}` is missing")
    for name in value:
        if name not in hints:
            raise ValueError(f"`{name}` is unknown")
    return kind(**found)


def _fitting(name: str, hint: Any, value: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return None if value is None else _fitting(name, get_args(hint)[0], value)
    if get_origin(hint) is list:
        if isinstance(value, list):
            return [_fitting(name, get_args(hint)[0], item) for item in value]
    elif get_origin(hint) is dict:
        if isinstance(value, dict):
            return dict(value)
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
