"""Frozen values: what ``dataclass(frozen=True)`` makes, without compiling code for each class.

A data class writes and compiles six methods. For the hundred small classes of this compiler that
takes longer than to check a grammar. Here `dataclass` finds the fields, and the methods are
closures. ``dataclasses.fields`` and ``replace``, patterns and type checkers see no difference.

>>> from dataclasses import field, replace
>>> @frozen
... class Word:
...     text: str
...     at: int = field(default=0, compare=False)
>>> Word("dog"), Word("dog") == Word("dog", at=7), replace(Word("dog"), text="cat")
(Word(text='dog', at=0), True, Word(text='cat', at=0))
>>> Word("dog").text = "cat"
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot change 'text'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_set = object.__setattr__


class ById:
    """A key of a dictionary for one object, whatever it is equal to; it keeps the object.

    A column of forms is a long tuple that is slow to hash; ``id(column)`` is quick, but becomes
    that of another object once the column is gone.

    >>> column = ("dog", "cat")
    >>> lengths = {ById(column): 2}
    >>> lengths[ById(column)], ById(tuple(["dog", "cat"])) in lengths
    (2, False)
    """

    __slots__ = ("it",)

    def __init__(self, it: object) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return type(other) is ById and self.it is other.it


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T] | None = None, /, *, eq: bool = True) -> Any:
    """Make a class one of frozen values; without ``eq`` each is equal to itself only."""
    return _frozen(cls, eq) if cls is not None else lambda other: _frozen(other, eq)


def _frozen(cls: type[Any], eq: bool) -> type[Any]:
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}.__post_init__ would not be called")
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # `dataclass` would work out a signature
    cls = dataclass(init=False, repr=False, eq=False)(cls)
    of_cls = fields(cls)
    methods = {
        "__init__": _init(of_cls),
        "__repr__": _repr([f.name for f in of_cls if f.repr]),
        "__setattr__": _refuse,
        "__delattr__": _refuse,
    }
    if eq:
        methods["__eq__"], methods["__hash__"] = _equality([f.name for f in of_cls if f.compare])
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return cls


def _init(of_cls: Sequence[Field[Any]]) -> Callable[..., Any]:
    names = tuple(f.name for f in of_cls)

    def init(self: Any, *args: Any, **given: Any) -> None:
        if given or len(args) != len(names):
            args = _complete(type(self).__name__, of_cls, args, given)
        for name, item in zip(names, args):  # noqa: B905 - as long; to ask takes a third longer
            _set(self, name, item)

    return init


def _complete(
    name: str, of_cls: Sequence[Field[Any]], args: tuple[Any, ...], given: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the value of every field: arguments in order, arguments by name, defaults."""
    items = [*args]
    for f in of_cls[len(args) :]:
        if f.name in given:
            items.append(given.pop(f.name))
        elif f.default is not MISSING:
            items.append(f.default)
        elif f.default_factory is not MISSING:
            items.append(f.default_factory())
        else:
            raise TypeError(f"{name}() needs {f.name!r}")
    if given:
        raise TypeError(f"{name}() has no field {next(iter(given))!r}, or is given it twice")
    if len(items) > len(of_cls):
        raise TypeError(f"{name}() has {len(of_cls)} fields, but is given {len(items)}")
    return tuple(items)


def _repr(names: Sequence[str]) -> Callable[..., Any]:
    def show(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return show


def _equality(names: Sequence[str]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    def number(self: Any) -> int:
        return hash(key(self))

    return equal, number


def _refuse(self: Any, name: str, *item: Any) -> NoReturn:
    del self, item
    raise FrozenInstanceError(f"cannot change {name!r}")
