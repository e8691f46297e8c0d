"""Options of the test run."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("merula", deadline=None)  # machines and the load on them differ
settings.load_profile("merula")

pytest_plugins = ["pytester"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what the commands in tests/specs, README and docs print now into those files",
    )


def pytest_configure(config: pytest.Config) -> None:
    # A shell has what it runs in the background ignore Ctrl-C; commands under test should not.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("rewrite"):
        return
    if os.environ.get("CI"):
        raise pytest.UsageError("--rewrite is refused where CI is set: it would accept any output")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--rewrite works in one process: leave out -n")
