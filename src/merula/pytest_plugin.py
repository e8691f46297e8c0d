"""The pytest plug-in: tests over the instances of a grammar (`merula.testing.merula_cases`).

It is loaded in every run of pytest where Merula is installed, so that it imports nothing of Merula
before a test asks for cases.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from merula.api import Grammar
    from merula.query.cases import Case
    from merula.testing import CaseRequest

MARK = "merula_cases"
_grammars: pytest.StashKey[dict[str, Grammar]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--merula-seed``."""
    parser.getgroup("merula", "tests over the instances of a grammar").addoption(
        "--merula-seed",
        type=int,
        metavar="N",
        help="take the cases of merula_cases in the order of this seed, whatever theirs is",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell the mark."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(grammar, n=100, seed=0, ...): run the test for instances of a Merula grammar"
        " (from merula.testing import merula_cases)",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which seed is taken, where one is given."""
    seed = config.getoption("merula_seed")
    return None if seed is None else f"merula: seed {seed}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each case."""
    for mark in metafunc.definition.iter_markers(MARK):
        wanted = _wanted(metafunc, mark)
        cases = _cases(metafunc, wanted)
        metafunc.parametrize(wanted.name, cases, ids=[case.id for case in cases])


def _wanted(metafunc: pytest.Metafunc, mark: pytest.Mark) -> CaseRequest:
    from merula.testing import CaseRequest, merula_cases

    if mark.args and isinstance(mark.args[0], CaseRequest):
        return mark.args[0]
    try:  # the mark itself was written, as pytest's own are
        request: CaseRequest = merula_cases(*mark.args, **mark.kwargs).args[0]
    except (TypeError, ValueError) as error:
        raise _refusal(metafunc, str(error)) from None
    return request


def _cases(metafunc: pytest.Metafunc, request: CaseRequest) -> list[Case]:
    from dataclasses import replace

    from merula.core.diagnostics import MerulaError
    from merula.query.cases import cases_of, grammar_path

    root, beside = metafunc.config.rootpath, metafunc.definition.path.parent
    started = metafunc.config.invocation_params.dir
    seed = metafunc.config.getoption("merula_seed")
    request = request if seed is None else replace(request, seed=seed)
    grammar, where = request.grammar, ""
    try:
        if isinstance(grammar, str):
            path = grammar_path(grammar, (beside, root, started))
            if path == grammar:
                where = f"\n  = it is neither beside the test nor in {root}"
            grammar = _loaded(metafunc.config, path)
        return cases_of(request, grammar)
    except MerulaError as error:
        missing = error.problems[0].code == "M601"
        raise _refusal(metafunc, str(error) + (where if missing else "")) from None
    except (TypeError, ValueError) as error:  # too many, or a `where` that cannot be meant
        raise _refusal(metafunc, str(error)) from None


def _refusal(metafunc: pytest.Metafunc, fault: str) -> BaseException:
    """Return an error that pytest shows without a traceback, like faults of its own marks."""
    message = f"{fault}\n\nin @{MARK} of {metafunc.definition.nodeid}"
    return pytest.fail.Exception(message, pytrace=False)


def _loaded(config: pytest.Config, path: str) -> Grammar:
    """A grammar, which is read once a run."""
    from merula.api import load

    known = config.stash.setdefault(_grammars, {})
    if path not in known:
        known[path] = load(path)
    return known[path]


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> None:
    """Make the sentences of a case when the first that asks for it is set up."""
    param: Any = getattr(request, "param", None)
    if _is_case(param):
        request.param = param.value()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add to the report of a failure what it has failed for, and what makes that again."""
    outcome = yield
    params = getattr(item, "callspec", None)
    cases = [value for value in getattr(params, "params", {}).values() if _is_case(value)]
    if not cases:
        return
    report: pytest.TestReport = outcome.get_result()
    if report.failed:
        text = "\n\n".join(_told(case, item.config) for case in cases)
        add = getattr(report.longrepr, "addsection", None)
        if add is not None:
            add("merula", text)
        else:
            report.sections.append(("merula", text))


def _is_case(value: Any) -> bool:
    module = sys.modules.get("merula.query.cases")
    return module is not None and isinstance(value, module.Case)


def _told(case: Case, config: pytest.Config) -> str:
    seed = config.getoption("merula_seed")
    lines = "\n".join(case.remade(config.invocation_params.dir))
    lines += "" if seed is None else f"\n(one of the tests of --merula-seed {seed})"
    try:
        drawn = case.drawn()
    except Exception as error:  # noqa: BLE001 - a test may have broken what drawing needs
        drawn = f"it cannot be drawn here: {error!r}"
    return f"{drawn}\n\n{lines}"
