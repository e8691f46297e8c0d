"""Metamorphic properties of a function of text, as tests that Hypothesis runs.

A metamorphic property says how the results for two texts go together, where nobody can say what
the result for one should be (Chen et al. 1998): an edit changes nothing (`invariance`), it changes
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
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from hypothesis import given
from hypothesis.strategies import SearchStrategy

from merula.occurrences import Pair
from merula.strategies.edits import Edit

T = TypeVar("T")
Test = Callable[[], None]
Way = Literal["up", "down"]
WAYS: Mapping[str, Callable[[Any, Any], bool]] = {"up": operator.gt, "down": operator.lt}


def invariance(
    function: Callable[[str], T],
    edits: SearchStrategy[Edit],
    *,
    same: Callable[[T, T], bool] = operator.eq,
) -> Test:
    """A test that an edit changes nothing: the results for both texts are the same.

    ``same`` compares two results, for instance with `math.isclose`.
    """

    def test_invariance(edit: Edit) -> None:
        old, new = function(edit.before.text), function(edit.after.text)
        if not same(old, new):
            raise AssertionError(_told(edit, old, new, "should change nothing"))

    return _given(edits, test_invariance, function)


def direction(
    function: Callable[[str], Any],
    edits: SearchStrategy[Edit],
    way: Way | Mapping[str, object] | Callable[[Any, Any], bool],
) -> Test:
    """A test that an edit changes one thing, and in one way.

    ``way`` is ``"up"`` or ``"down"`` for results that are numbers; a mapping from the edit's values
    to the results that they stand for, such as ``{"sg": "NN", "pl": "NNS"}``; or a function that is
    true of a result before the edit and the one after it. Where results are lists, tuples or
    mappings, exactly one member of them has to change, and that is what ``way`` speaks of.
    """
    if isinstance(way, str) and way not in WAYS:
        raise ValueError(f"way={way!r} should be up, down, a mapping or a function")

    def test_direction(edit: Edit) -> None:
        old, new = function(edit.before.text), function(edit.after.text)
        changed = _changed(old, new)
        if isinstance(way, Mapping):
            wanted = _stand_for(way, edit)
            fine = changed == [wanted]
            said = f"should change {wanted[0]!r} into {wanted[1]!r}"
        elif isinstance(way, str):
            fine = len(changed) == 1 and WAYS[way](changed[0][1], changed[0][0])
            said = f"should bring the result {way}"
        else:
            fine = len(changed) == 1 and way(*changed[0])
            said = f"should change the result as {_name(way)} demands"
        if len(changed) > 1:
            said += f" and nothing else, but {len(changed)} things change"
        if not fine:
            raise AssertionError(_told(edit, old, new, said))

    return _given(edits, test_direction, function)


def preference(
    score: Callable[[str], float], pairs: SearchStrategy[Pair], *, margin: float = 0.0
) -> Test:
    """A test that the good sentence of each pair has a score above that of the bad one.

    ``margin`` is how much it has to be above it, in the units of ``score``: a log-probability or
    any other number of which more is better.
    """

    def test_preference(pair: Pair) -> None:
        good, bad = score(pair.good.text), score(pair.bad.text)
        if not good - bad > margin:
            raise AssertionError(
                f"{pair.contrast}: the good sentence should have the higher score\n"
                f"  {good:<12.6g} {pair.good.text}\n"
                f"  {bad:<12.6g} *{pair.bad.text}"
            )

    return _given(pairs, test_preference, score)


def _changed(old: Any, new: Any) -> list[tuple[Any, Any]]:
    """The things that are not the same in two results."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = dict.fromkeys([*old, *new])
        both = [(old.get(key), new.get(key)) for key in keys]
    elif _listed(old) and _listed(new) and len(old) == len(new):
        both = list(zip(old, new, strict=True))
    else:
        both = [(old, new)]
    return [(one, other) for one, other in both if one != other]


def _stand_for(way: Mapping[str, object], edit: Edit) -> tuple[object, object]:
    """The results that the values before and after an edit stand for."""
    for value in (edit.old, edit.new):
        if value not in way:
            raise ValueError(f"way={dict(way)!r} does not say what {value!r} stands for")
    return way[edit.old], way[edit.new]


def _listed(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _told(edit: Edit, old: object, new: object, said: str) -> str:
    before, after = edit.before, edit.after
    return (
        f"{edit.title} {said}\n"
        f"  {_marked(before)}\n    → {old!r}\n"
        f"  {_marked(after)}\n    → {new!r}"
    )


def _marked(sentence: Any) -> str:
    return sentence.text if sentence.acceptable else f"*{sentence.text}"


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", repr(function))


def _given(strategy: SearchStrategy[T], test: Callable[[T], None], of: Callable[..., Any]) -> Test:
    """A test as Hypothesis runs it; what it finds is kept apart from what others like it find."""
    about = f"{_name(of)} {strategy!r}"
    test._hypothesis_internal_add_digest = about.encode()  # type: ignore[attr-defined]
    return given(strategy)(test)
