"""Jobs done in other processes: their results, their errors and their end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from merula.core.diagnostics import MerulaError
from merula.core.workers import Workers, interrupts_ignored, processors
from worker_jobs import (
    PREPARED,
    fail_at_two,
    kill_itself,
    prepare,
    prepared,
    raise_key_error,
    square,
    wait_for,
)


@pytest.mark.parametrize("count", [1, 2])
def test_each_job_is_done_once(count: int) -> None:
    with Workers(count) as workers:
        for _ in range(2):  # the processes are there for the next jobs too
            results = list(workers.run(square, range(7)))
            assert sorted(results) == [(i, i * i) for i in range(7)]
    assert list(Workers(count).run(square, [])) == []


def test_one_worker_or_one_job_needs_no_process() -> None:
    for count, jobs in ((1, [0, 1, 2]), (4, [5])):
        with Workers(count, prepare) as workers:
            found = list(workers.run(prepared, jobs))
        assert found == [(i, (os.getpid(), None)) for i in range(len(jobs))]


def test_processes_are_prepared() -> None:
    with Workers(2, prepare) as workers:
        found = [result for _, result in workers.run(prepared, range(6))]
    assert len(found) == 6
    for process, said in found:
        assert process != os.getpid()
        assert said == str(process)
    assert PREPARED not in os.environ


def test_results_come_as_they_are_done(tmp_path: Path) -> None:
    """The first job waits for what the second has written."""
    first, second = tmp_path / "first", tmp_path / "second"
    with Workers(2) as workers:
        found = list(workers.run(wait_for, [(first, second), (second, None)]))
    assert found == [(1, "second"), (0, "first")]


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_of_a_job_comes_back_whole(count: int) -> None:
    with Workers(count) as workers:
        with pytest.raises(MerulaError, match="two is too many") as error:
            list(workers.run(fail_at_two, [0, 1, 2, 3]))
        (problem,) = error.value.problems
        assert (problem.code, problem.remedy, problem.place) == ("M618", "take one", "here")
        with pytest.raises(KeyError):
            list(workers.run(raise_key_error, [0, 1]))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_killed_worker_is_an_error_with_a_remedy() -> None:
    with (
        Workers(2, remedy="use fewer --jobs") as workers,
        pytest.raises(MerulaError, match="ended from outside") as error,
    ):
        list(workers.run(kill_itself, [0, 1]))
    (problem,) = error.value.problems
    assert (problem.code, problem.remedy) == ("M677", "use fewer --jobs")


def test_interrupts_are_ignored_in_the_block_only() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_ignored():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before


def test_there_is_a_processor() -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
