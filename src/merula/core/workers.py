"""Jobs done in other processes, or in this one where there is one worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

from merula.core.diagnostics import Diagnostic, MerulaError

J = TypeVar("J")
R = TypeVar("R")


class Workers:
    """Processes that do jobs, at most ``count`` at once; they are started when they are needed.

    ``prepare`` is called in each process before its first job. With one worker, or one job, all is
    done in this process.
    """

    def __init__(
        self,
        count: int,
        prepare: Callable[[], None] | None = None,
        *,
        remedy: str = "use fewer --workers",
    ) -> None:
        self.count, self.prepare, self.remedy = count, prepare, remedy
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, do: Callable[[J], R], jobs: Sequence[J]) -> Iterator[tuple[int, R]]:
        """Yield the place and result of each job, as they are done; raises what a job raises."""
        if self.count < 2 or len(jobs) < 2:
            yield from ((i, do(job)) for i, job in enumerate(jobs))
            return
        try:
            with interrupts_ignored():
                pool = self._started()
                places = {pool.submit(_attempt, do, job): i for i, job in enumerate(jobs)}
            for done in as_completed(places):
                result, problems = done.result()
                if problems:
                    raise MerulaError(problems)
                yield places[done], result
        except BrokenExecutor as error:
            raise MerulaError.of(
                "M677",
                "a worker was ended from outside, perhaps because there was too little memory",
                remedy=self.remedy,
            ) from error

    def _started(self) -> ProcessPoolExecutor:
        # forking a process in which Arrow has threads is not safe
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.count, get_context("spawn"), _start, (self.prepare,)
            )
        return self._pool


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _attempt(do: Callable[[J], R], job: J) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Return what a job gives, or the problems that it raises, as the error cannot be pickled."""
    try:
        return do(job), ()
    except MerulaError as error:
        return None, error.problems


def _start(prepare: Callable[[], None] | None) -> None:
    """Begin a process that works for this one: it ends with it, and Ctrl-C ends it from now on."""
    if prepare is not None:
        prepare()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # it was ignored while the process started
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process when another one ends, however that comes about."""
    wait([sentinel])
    os._exit(1)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C in the block; processes started in it ignore it until they are ready."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
