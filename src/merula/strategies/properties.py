"""Metamorphic properties of a function of text, as tests that Hypothesis runs.

A metamorphic property says how the results for two texts go together, where nobody knows the right
result for one text (Chen et al. 1998): an edit changes nothing (`invariance`), it changes
one thing, and in one way (`direction`), or the better sentence of a pair is preferred
(`preference`). Each function here returns a test: give it a name that pytest collects, or call it.

>>> import merula
>>> from hypothesis import settings
>>> from merula.strategies import edits, invariance
>>> only = merula.load("npi/only")
>>> def words(text):
...     return len(text.split())
>>> test_words = invariance(words, edits(only, "N1.number", design="any"))
>>> settings(max_examples=20, database=None)(test_words)()
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from hypothesis import given
from hypothesis.strategies import SearchStrategy

from merula.query.occurrences import Pair
from merula.strategies.edits import Edit
from merula.strategies.sentences import called

T = TypeVar("T")
Test = Callable[[], None]
Way = Literal["up", "down"]
WAYS: Mapping[str, Callable[[Any, Any], bool]] = {"up": operator.gt, "down": operator.lt}


def invariance(
    function: Callable[[str], T],
    edits: SearchStrategy[Edit],
    *,
    same: Callable[[T, T], bool] | None = None,
) -> Test:
    """Return a test that an edit changes nothing: the results for both texts are the same.

    ``same`` compares two results, for instance with `math.isclose`; without it they have to be
    equal, arrays and tensors in shape and values. (No result is equal to a not-a-number.)
    """
    alike = _equal if same is None else same

    def test_invariance(edit: Edit) -> None:
        _demand(edit, Edit)
        old, new = function(edit.before.text), function(edit.after.text)
        if not alike(old, new):
            raise AssertionError(_message(edit, old, new, "should change nothing"))

    return _given(edits, test_invariance, function)


def direction(
    function: Callable[[str], Any],
    edits: SearchStrategy[Edit],
    way: Way | Mapping[str, object] | Callable[[Any, Any], bool],
) -> Test:
    """Return a test that an edit changes one thing, and in one way.

    ``way`` is ``"up"`` or ``"down"`` for results that are numbers; a mapping from the edit's values
    to results that they should have, such as ``{"sg": "NN", "pl": "NNS"}``; or a function that is
    true of a result before the edit and the one after it. Where results are lists, tuples or
    mappings, exactly one member of them has to change, and ``way`` is about this one.
    """
    if way not in WAYS if isinstance(way, str) else not (isinstance(way, Mapping) or callable(way)):
        raise ValueError(f"way={way!r} should be up, down, a mapping or a function")

    def test_direction(edit: Edit) -> None:
        _demand(edit, Edit)
        old, new = function(edit.before.text), function(edit.after.text)
        changed = _changed(old, new)
        if isinstance(way, Mapping):
            results = _results(way, edit)
            same = results[0] == results[1]  # as `have` is for the first person and the second
            fine = changed == ([] if same else [results])
            change = f"should change {results[0]!r} into {results[1]!r}"
            demand = "should change nothing" if same else change
        elif isinstance(way, str):
            fine = len(changed) == 1 and WAYS[way](changed[0][1], changed[0][0])
            demand = f"should bring the result {way}"
        else:
            fine = len(changed) == 1 and way(*changed[0])
            demand = f"should change the result as {called(way)} demands"
        if len(changed) > 1:
            demand += f" and nothing else, but {len(changed)} things change"
        if not fine:
            raise AssertionError(_message(edit, old, new, demand))

    return _given(edits, test_direction, function)


def preference(
    score: Callable[[str], float], pairs: SearchStrategy[Pair], *, margin: float = 0.0
) -> Test:
    """Return a test that the good sentence of each pair has a score above that of the bad one.

    ``margin`` is how much it has to be above it, in the units of ``score``: a log-probability or
    any other number of which more is better.
    """

    def test_preference(pair: Pair) -> None:
        _demand(pair, Pair)
        good, bad = (_number(score, sentence.text) for sentence in (pair.good, pair.bad))
        if not good - bad > margin:
            raise AssertionError(
                f"{pair.contrast}: the good sentence should have the higher score\n"
                f"  {good:<12.6g} {pair.good.text}\n"
                f"  {bad:<12.6g} *{pair.bad.text}"
            )

    return _given(pairs, test_preference, score)


def _equal(old: Any, new: Any) -> bool:
    """Return whether two results are equal; arrays and tensors also need the same shape."""
    one, other = _plain(old), _plain(new)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if _listed(one) and _listed(other):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _plain(value: Any) -> Any:
    """Return an array or a tensor as lists of numbers, and any other value as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _number(score: Callable[[str], Any], text: str) -> float:
    result = score(text)
    try:
        return float(result.item() if hasattr(result, "item") else result)
    except (TypeError, ValueError):
        raise TypeError(f"{called(score)} gave {result!r} for a text, and not a number") from None


def _changed(old: Any, new: Any) -> list[tuple[Any, Any]]:
    """Return the things that are not the same in two results."""
    one, other = _plain(old), _plain(new)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        both = [(one.get(key), other.get(key)) for key in dict.fromkeys([*one, *other])]
    elif _listed(one) and _listed(other) and len(one) == len(other):
        both = list(zip(one, other, strict=True))
    else:
        both = [(one, other)]
    return [(x, y) for x, y in both if not _equal(x, y)]


def _results(way: Mapping[str, object], edit: Edit) -> tuple[object, object]:
    """Return the results that the values before and after an edit have in ``way``."""
    for value in (edit.old, edit.new):
        if value not in way:
            raise ValueError(f"way={dict(way)!r} has no result for {value!r}")
    return way[edit.old], way[edit.new]


def _listed(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _message(edit: Edit, old: object, new: object, demand: str) -> str:
    before, after = edit.before, edit.after
    return (
        f"{edit.title} {demand}\n"
        f"  {_marked(before)}\n    → {old!r}\n"
        f"  {_marked(after)}\n    → {new!r}"
    )


def _marked(sentence: Any) -> str:
    return sentence.text if sentence.acceptable else f"*{sentence.text}"


def _given(strategy: SearchStrategy[T], test: Callable[[T], None], of: Callable[..., Any]) -> Test:
    """Return a test for Hypothesis, which keeps its failing examples apart from other tests'."""
    if not isinstance(strategy, SearchStrategy):
        raise TypeError(
            f"{strategy!r} is not a strategy: write for instance invariance(function, edits(…))"
        )
    if not callable(of):
        raise TypeError(f"{of!r} is not a function of a text")
    code = getattr(of, "__code__", None)
    does = "" if code is None else f"{code.co_code!r} {code.co_names} {code.co_consts}"
    about = re.sub(r" at 0x[0-9a-fA-F]+", "", f"{called(of)} {strategy!r} {does}")
    test._hypothesis_internal_add_digest = about.encode()  # type: ignore[attr-defined]
    return given(strategy)(test)


def _demand(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        name = kind.__name__
        raise TypeError(f"{value!r} is not of the type {name}: give it {name.lower()}s(…)")
