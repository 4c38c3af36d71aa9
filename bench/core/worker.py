"""A process that runs the workload with one core, compiled or interpreted, when it is told to.

The two cores cannot live in one process, so each has a worker; a bench asks them in turn and so
compares figures of the same minute. What is timed is inside the worker, without the pipe, and in
CPU time of its thread: on a busy machine the clock on the wall counts other processes too, and more
of them the longer a sample lasts, which would flatter whatever is compared with a slow peer.

    python -m bench.core.worker      reads `WAY SCRIPT` lines, answers nanoseconds per event
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from types import TracebackType
from typing import Self

ROUNDS = 4
"""Runs of 1000 events in one answer."""


class Worker:
    """A worker process; use it in a `with` statement."""

    def __init__(self, compiled: bool) -> None:
        environment = {**os.environ, "GATEWAY_PURE": "0" if compiled else "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.core.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=environment,
        )
        if self._read() != str(compiled):
            raise RuntimeError("the compiled core is missing: run `make build`")

    def measure(self, way: str, script: str) -> float:
        """CPU nanoseconds per event, of 4000 events."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{way} {script}\n")
        return float(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()


def main() -> None:
    """Answer until the input ends."""
    import gateway_native
    from bench.core.workload import COUNT, TEXTS, WAYS

    runs = {(w, s): WAYS[w](deltas) for w in WAYS for s, deltas in TEXTS.items()}
    for (way, script), run in runs.items():
        assert run() == runs["official", script](), f"{way} differs from the official encoder"
    gc.freeze()
    print(gateway_native.COMPILED, flush=True)
    for line in sys.stdin:
        way, script = line.split()
        run = runs[way, script]
        run()  # warms the caches that another way has filled
        start = time.thread_time_ns()
        for _ in range(ROUNDS):
            run()
        print((time.thread_time_ns() - start) / COUNT / ROUNDS, flush=True)


if __name__ == "__main__":
    main()
