"""Tests over the instances of a grammar, for pytest.

``merula_cases`` makes a test of each instance, pair or sentence::

    from merula.testing import merula_cases

    @merula_cases("grammars/npi/only.merula", n=200, seed=0)
    def test_a_model(case):
        assert my_model.prefers(case.cells[0].text, case.cells[1].text)

The plug-in that does it (`merula.pytest_plugin`) is installed with Merula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from merula.core.frozen import frozen

if TYPE_CHECKING:
    import pytest

    from merula.api import Grammar

Kind: TypeAlias = Literal["instances", "pairs", "sentences"]
KINDS: tuple[str, ...] = get_args(Kind)


def merula_cases(
    grammar: str | PathLike[str] | Grammar,
    *,
    n: int | None = 100,
    seed: int = 0,
    design: str | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    of: Kind = "instances",
    contrast: str | None = None,
    acceptable: bool | None = None,
    name: str = "case",
) -> pytest.MarkDecorator:
    """Run a test for each of some instances of a grammar, given to it as the argument ``name``.

    ``grammar`` is a file, beside the test file or in pytest's root folder, or what `merula.load`
    takes, or a grammar that is loaded. Of each design (of ``design`` alone, where it is given) the
    instances are the first ``n`` that ``merula generate -n N --seed SEED`` writes, or all where
    there are fewer or ``n`` is None. The option ``--merula-seed`` takes the place of ``seed``.
    ``where`` takes only instances that have what it asks for (`merula.query.narrowing`), and
    ``of`` only those that have such parts; so with either the instances are different ones.

    The argument is an `Instance`. With ``of="pairs"`` there is a test for each minimal pair of an
    instance (of those that differ in the factor ``contrast``), and with ``of="sentences"`` one for
    each sentence (those that are ``acceptable``, or are not).

    Raises `TypeError` and `ValueError` for arguments that cannot be meant. A grammar that is at
    fault, or has nothing of what is asked for, is an error when pytest collects the test.
    """
    import pytest

    request = CaseRequest(
        _grammar(grammar),
        None if n is None else _integer("n", n),
        _integer("seed", seed),
        design,
        _asked(where),
        of,
        contrast,
        acceptable,
        name,
    )
    _check(request)
    return pytest.mark.merula_cases.with_args(request)


@frozen(eq=False)
class CaseRequest:
    """The arguments of `merula_cases`."""

    grammar: str | Grammar
    n: int | None
    seed: int
    design: str | None
    where: Mapping[str, tuple[str, ...]]
    kind: str
    contrast: str | None
    acceptable: bool | None
    name: str


def _grammar(grammar: object) -> Any:
    if isinstance(grammar, str | PathLike):
        return fspath(grammar)
    if not hasattr(grammar, "_compiled"):
        raise TypeError(
            f'{grammar!r} is neither a file nor a grammar: write @merula_cases("FILE.merula")'
        )
    return grammar


def _integer(name: str, value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} should be a number") from None


def _asked(where: object) -> dict[str, tuple[str, ...]]:
    """Return the condition as a mapping from each name to the values that will do."""
    if where is None:
        return {}
    if not isinstance(where, Mapping):
        raise TypeError(f'where={where!r} should be a mapping, such as {{"frame": "main"}}')
    values_of = {}
    for name, given in where.items():
        values = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else given
        values_of[name] = tuple(values)
        if not all(isinstance(text, str) for text in (name, *values_of[name])):
            raise TypeError(f"where={where!r} should map names to texts, or to lists of texts")
    return values_of


def _check(request: CaseRequest) -> None:
    """Raise `TypeError` or `ValueError` for arguments that do not fit, alone or together."""
    if request.n is not None and request.n < 1:
        raise ValueError(f"n={request.n} should be at least 1, or None for all instances")
    if not isinstance(request.design, str | None):
        raise TypeError(f"design={request.design!r} should be the name of a paradigm or a matrix")
    if request.kind not in KINDS:
        raise ValueError(f"of={request.kind!r} should be one of {', '.join(map(repr, KINDS))}")
    if request.contrast is not None and request.kind != "pairs":
        raise ValueError(f'contrast={request.contrast!r} is asked of pairs: add of="pairs"')
    if request.acceptable is not None and request.kind != "sentences":
        raise ValueError(
            f'acceptable={request.acceptable} is asked of sentences: add of="sentences"'
        )
