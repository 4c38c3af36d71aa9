"""A gateway as a user starts it: the command in a process of its own, on a free loopback port."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Self

DEADLINE = 30.0


def free_port() -> int:
    """A loopback port that is free right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Served:
    """Starts `agui-gateway serve` and waits until it answers; stops it at the end.

    `output()` is what the process has printed.
    """

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gateway", "serve", "--port", str(self.port), *arguments],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=env,
        )

    def output(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def __enter__(self) -> Self:
        deadline = time.monotonic() + DEADLINE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the gateway did not start:\n{self.output()}")
            time.sleep(0.05)  # between two polls for readiness
        return self

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self) -> int:
        """Terminate the process if it still runs; returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        finally:
            self._log.close()
