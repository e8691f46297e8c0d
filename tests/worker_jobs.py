"""Jobs for the tests of workers, in a module that a new process can import."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from time import monotonic, sleep

from merula.core.diagnostics import MerulaError

PREPARED = "MERULA_TEST_PREPARED"  # set in the processes that were prepared
PATIENCE_S = 60.0  # how long a job waits for another: starting a process takes a second or less


def prepare() -> None:
    os.environ[PREPARED] = str(os.getpid())


def prepared(_: int) -> tuple[int, str | None]:
    return os.getpid(), os.environ.get(PREPARED)


def square(job: int) -> int:
    return job * job


def fail_at_two(job: int) -> int:
    if job == 2:
        raise MerulaError.of("M618", "two is too many", remedy="take one", place="here")
    return job


def raise_key_error(job: int) -> int:
    raise KeyError(job)


def wait_for(job: tuple[Path, Path | None]) -> str:
    """Wait for a file, where one is named, then write another."""
    own, awaited = job
    end = monotonic() + PATIENCE_S
    while awaited is not None and not awaited.exists() and monotonic() < end:
        sleep(0.01)
    own.write_text("")
    return own.name


def kill_itself(job: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return job
