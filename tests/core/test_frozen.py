"""A frozen value does what a frozen data class does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from merula.core.frozen import frozen


@frozen
class Node:
    span: int = field(compare=False, repr=False)


@frozen
class Word(Node):
    """A word."""

    text: str
    tags: tuple[str, ...] = ()
    seen: list[int] = field(default_factory=list, compare=False)


@frozen
class Name(Node):
    text: str
    tags: tuple[str, ...] = ()
    seen: list[int] = field(default_factory=list, compare=False)


@frozen(eq=False)
class Thing:
    name: str

    def __repr__(self) -> str:
        return self.name


@frozen
class Empty:
    pass


@dataclass(frozen=True)
class DataNode:
    span: int = field(compare=False, repr=False)


@dataclass(frozen=True)
class DataWord(DataNode):
    text: str
    tags: tuple[str, ...] = ()
    seen: list[int] = field(default_factory=list, compare=False)


ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1, "dog"), {}),
    ((1, "dog", ("a",)), {}),
    ((1, "dog", ("a",), [3]), {}),
    ((1,), {"text": "dog"}),
    ((), {"text": "dog", "span": 1, "seen": [2]}),
    ((1, "cat"), {"tags": ("b",)}),
]
WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((), {"text": "dog"}),
    ((1, "dog"), {"text": "dog"}),
    ((1, "dog"), {"txt": "dog"}),
    ((1, "dog", (), [], 5), {}),
    ((1, "dog", (), []), {"seen": []}),
]


def shown(item: object) -> str:
    return repr(item).replace("DataWord", "Word")


@pytest.mark.parametrize(("args", "given"), ARGUMENTS)
def test_it_takes_what_a_data_class_takes(args: tuple[Any, ...], given: dict[str, Any]) -> None:
    ours, theirs = Word(*args, **given), DataWord(*args, **given)
    assert [(f.name, getattr(ours, f.name)) for f in fields(ours)] == [
        (f.name, getattr(theirs, f.name)) for f in fields(theirs)
    ]
    assert shown(ours) == shown(theirs)
    assert hash(ours) == hash(theirs)


@pytest.mark.parametrize(("args", "given"), WRONG)
@pytest.mark.parametrize("make", [Word, DataWord])
def test_it_refuses_what_a_data_class_refuses(
    make: Callable[..., object], args: tuple[Any, ...], given: dict[str, Any]
) -> None:
    with pytest.raises(TypeError):
        make(*args, **given)


def test_equality_leaves_out_what_is_not_compared() -> None:
    assert Word(1, "dog") == Word(2, "dog", seen=[7])
    assert Word(1, "dog") != Word(1, "cat")
    assert len({Word(1, "dog"), Word(2, "dog"), Word(1, "dog", ("a",))}) == 2


def test_values_of_two_classes_differ() -> None:
    word: object = Word(1, "dog")
    assert word != Name(1, "dog")
    assert Empty() == Empty()
    empty: object = ()
    assert Empty() != empty


def test_without_equality_each_is_its_own() -> None:
    one = Thing("dog")
    assert one != Thing("dog")
    assert len({one, one, Thing("dog")}) == 2


def test_a_method_of_the_class_stays() -> None:
    assert repr(Thing("dog")) == "dog"


def test_nothing_is_shared_between_values() -> None:
    assert Word(1, "dog").seen is not Word(1, "dog").seen


def test_nothing_can_be_changed() -> None:
    word = Word(1, "dog")
    with pytest.raises(FrozenInstanceError):
        word.text = "cat"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del word.text
    with pytest.raises(FrozenInstanceError):
        word.other = 1  # type: ignore[attr-defined]
    assert word == Word(1, "dog")


def test_it_can_be_copied_matched_and_packed() -> None:
    word = Word(1, "dog", ("a",))
    assert replace(word, text="cat") == Word(1, "cat", ("a",))
    assert copy.deepcopy(word) == pickle.loads(pickle.dumps(word)) == word
    match word:
        case Word(span, text, tags=(tag,)):
            assert (span, text, tag) == (1, "dog", "a")
        case _:
            pytest.fail("no match")
