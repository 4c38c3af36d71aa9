"""What tests of a server's life do with it: signals, streams, and looking at its processes."""

import re
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.served import Served
from tests.server.test_serve import DEADLINE, ask, open_stream, read_until

AGENTS = "tests.cli.agents:AGENTS"
END = b"0\r\n\r\n"
"""The last chunk of a response."""


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.02)  # between two polls


def pid_of(server: Served, agent: str = "process") -> int:
    """The process that answered one run."""
    status, body = ask(server, "POST", f"/agents/{agent}")
    assert status == 200, body
    return _pid(body)


def open_run(server: Served, agent: str = "gate") -> tuple[socket.socket, int]:
    """A stream that has begun, and the process that it runs in."""
    client = open_stream(server, agent)
    return client, _pid(read_until(client, b"TEXT_MESSAGE_END"))


def _pid(body: bytes) -> int:
    found = re.search(rb"pid=(\d+)\.", body)
    assert found, body
    return int(found[1])


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def workers(server: Served) -> set[int]:
    """The worker processes of a server."""
    listed = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return {pid for pid in map(int, listed.read_text().split()) if alive(pid)}


class Load:
    """Clients that ask without a pause until the end of a `with`; `failures` must stay empty."""

    def __init__(self, server: Served, clients: int = 8) -> None:
        self.failures: list[str] = []
        self.pids: set[int] = set()
        self.answers = 0
        self._server = server
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(clients)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def _ask(self) -> None:
        while not self._stop.is_set():
            try:
                self.pids.add(pid_of(self._server))
                self.answers += 1
            except (OSError, AssertionError) as error:
                self.failures.append(repr(error))

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(DEADLINE)


def hang_up(server: Served) -> None:
    """Ask for a reload."""
    server.process.send_signal(signal.SIGHUP)
