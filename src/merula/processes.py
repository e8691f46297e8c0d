"""Processes that work for another one: they end with it, and are not interrupted as they start."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from threading import current_thread, main_thread


def end_with(sentinel: int) -> None:
    """End this process when another one ends, however that comes about."""
    wait([sentinel])
    os._exit(1)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Processes that are started meanwhile ignore Ctrl-C, until they are ready for it."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
