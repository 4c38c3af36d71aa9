"""Counters of several processes in one directory, each process in a slot of its own.

`prometheus_client` keeps the counters of each process in mapped files named after the process, and
adds them up when it is asked. With process ids in the names every worker that is replaced leaves
files behind, and a gauge of a worker that crashed counts for ever. So files are named after slots:
a process holds the lowest slot that is free by a file lock, which the kernel gives up for it
whatever way it ends. The next process there goes on with its counters, so that totals never fall,
and drops its gauges. A slot that nobody holds drops them when the counters are read.
"""

from __future__ import annotations

import fcntl
import itertools
import os
from pathlib import Path

import prometheus_client.values
from prometheus_client.multiprocess import mark_process_dead


class Slots:
    """Names this process in the files of `directory`; call it for the number of its slot."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._pid = 0
        self._slot = -1
        self._lock = -1

    def __call__(self) -> int:
        """The slot of this process, taken anew after a fork."""
        if self._pid != os.getpid():
            self._take()
        return self._slot

    def _take(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)  # the parent's
        for number in itertools.count():
            lock = _locked(self._path(number))
            if lock is not None:
                mark_process_dead(number, self._directory)  # type: ignore[no-untyped-call]
                self._pid, self._slot, self._lock = os.getpid(), number, lock
                return

    def _path(self, number: int) -> Path:
        return Path(self._directory, f"slot_{number}.lock")


def join(directory: str) -> None:
    """Keep the counters of this process in a slot; call it before a metric is made."""
    values = prometheus_client.values
    values.ValueClass = values.MultiProcessValue(Slots(directory))  # type: ignore[no-untyped-call]


def sweep(directory: str) -> None:
    """Drop the gauges of processes that have ended."""
    for path in Path(directory).glob("slot_*.lock"):
        lock = _locked(path)
        if lock is not None:
            number = int(path.stem.removeprefix("slot_"))
            mark_process_dead(number, directory)  # type: ignore[no-untyped-call]
            os.close(lock)


def _locked(path: Path) -> int | None:
    """A descriptor that holds the lock, None while another one does."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
