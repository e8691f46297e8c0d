"""Options of the test run."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Machines and the load on them differ. The library of the hub reads these when it is imported; else
# it waits 10 seconds for an answer.
os.environ |= {"HF_HUB_DOWNLOAD_TIMEOUT": "300", "HF_HUB_ETAG_TIMEOUT": "300"}
settings.register_profile("merula", deadline=None)
settings.load_profile("merula")

pytest_plugins = ["pytester"]

# A test may leave some 100 MB in reference cycles: what Hypothesis makes of a test refers to itself
# and to the strategy, which has the tables of all plans. Python looks for cycles when there are
# many new objects, and these are few and large.
MEMORY_STEP = 200_000_000  # bytes that a process may grow before cycles are looked for
TESTS = Path(__file__).parent
STATUS = Path("/proc/self/status")  # of Linux; elsewhere nothing is measured


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what the commands in tests/specs, README and docs print now into those files",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Memory())
    # A shell has what it runs in the background ignore Ctrl-C; commands under test should not.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("rewrite"):
        return
    if os.environ.get("CI"):
        raise pytest.UsageError("--rewrite is refused where CI is set: it would accept any output")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--rewrite works in one process: leave out -n")


# --- memory --------------------------------------------------------------------------------------


def memory(line: str = "VmRSS") -> int:
    """Return the bytes that this process has in memory, or (``VmHWM``) the most it has had."""
    if not STATUS.exists():
        return 0
    fields = dict(row.split(":", 1) for row in STATUS.read_text(encoding="ascii").splitlines())
    return int(fields[line].split()[0]) * 1024


def clear_caches() -> None:
    """Empty the caches of functions of Merula and of the tests: most hold compiled grammars.

    What the language keeps stays: its tables are small, the same for all tests and slow to make.
    """
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        ours = name.startswith("merula.") and not name.startswith("merula.language.")
        if ours or Path(path).is_relative_to(TESTS):
            for value in list(vars(module).values()):
                if isinstance(value, type(cache(len))):
                    value.cache_clear()


def return_memory() -> None:
    """Give freed memory back to Linux, as its C library keeps what lies between objects in use."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if STATUS.exists() else None
    if trim is not None:
        trim(0)


class Memory:
    """Lets go of what no later test needs; with ``MERULA_MEMORY`` (MB) set, demands that it helps.

    The last test of a file fails where the process has had more, in this file or before it.
    """

    def __init__(self) -> None:
        self.collected_at = 0  # bytes in memory after cycles were looked for
        self.allowed = int(os.environ.get("MERULA_MEMORY", "0")) * 1_000_000

    def pytest_collection_finish(self) -> None:
        """Leave out of all later searches what modules and tests consist of: it stays.

        Python searches less often by itself, as compiled grammars are many objects and no garbage.
        """
        if not gc.get_freeze_count():  # else this run is inside a test of another
            gc.collect()
            gc.freeze()
        gc.set_threshold(20_000, 20, 100)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, None, None]:
        yield
        last = nextitem is None or nextitem.path != item.path
        if last:
            clear_caches()
        if last or memory() > self.collected_at + MEMORY_STEP:
            gc.collect()
            return_memory()
            self.collected_at = memory()
        peak = memory("VmHWM") if last and self.allowed else 0
        if peak > self.allowed:
            pytest.fail(
                f"{peak / 1e6:,.0f} MB were in memory by the end of {item.path.name}", False
            )
