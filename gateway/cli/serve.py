"""Serving with granian: the server process, its workers, and the word that it listens."""

import functools
import http.client
import json
import os
import signal
import socket
import sys
import time
from typing import Any, Final

from granian.constants import Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server as Granian
from msgspec import Struct

import gateway
from gateway.cli.worker import load
from gateway.server.settings import Settings

CONNECTIONS: Final = 16384
"""Connections a worker accepts, idle ones included; one more would wait without an answer."""

HEAD_BYTES: Final = 8192
"""The largest head of a request, as elsewhere; one byte more costs 11 KB for each idle stream."""

KILL_TIMEOUT: Final = 15
"""Seconds from SIGTERM until a worker whose streams do not end is killed."""


class Serve(Struct, frozen=True, kw_only=True):
    """What is served where: `target` is `module:attribute`, `port` 0 means any free one."""

    target: str
    host: str
    port: int
    workers: int
    settings: Settings


class Server(Granian):  # type: ignore[misc, valid-type]  # its type is chosen at import
    """granian, with word on standard output once it answers.

    A worker that fails before that ends the server; later ones are started anew.
    """

    def startup(self, spawn_target: Any, target_loader: Any) -> None:
        """Start the workers and wait until one of them answers."""
        super().startup(spawn_target, target_loader)
        while not (self.interrupt_signal or self.interrupt_children):
            names = _agents(self.bind_addr, self.bind_port)
            if names is not None:
                print(_greeting(self.bind_addr, self.bind_port, names), flush=True)
                return
            time.sleep(0.02)
        self.respawn_failed_workers = False


def serve(what: Serve) -> int:
    """Serve until SIGINT or SIGTERM; the result is the exit status.

    Raises OSError when the address cannot be listened at.
    """
    address, port = _bindable(what.host, what.port)
    server = Server(
        what.target,
        address=address,
        port=port,
        interface=Interfaces.ASGI,
        workers=what.workers,
        runtime_threads=1,
        loop=Loops.auto if sys.platform == "win32" else Loops.uvloop,
        websockets=False,
        http1_settings=HTTP1Settings(max_buffer_size=HEAD_BYTES),
        backlog=CONNECTIONS,
        backpressure=CONNECTIONS,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_TIMEOUT,
        log_level=LogLevels.warning,
        log_dictconfig=_logging(),
    )
    loader = functools.partial(load, what.target, what.settings)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_end_on_sigterm)
    server.serve(target_loader=loader, wrap_loader=False)
    return 0


def _end_on_sigterm() -> None:
    """Let SIGTERM end a worker that has not set its own handlers yet.

    It would inherit the server's, which ends nothing in a worker, and be waited for in vain.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _logging() -> dict[str, Any]:
    """Logging of the server and its workers: one line for each record, on standard error."""
    line = {"format": "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"}
    return {
        "formatters": {"line": line},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {},
        "root": {"level": "INFO", "handlers": ["stderr"]},
    }


def _bindable(host: str, port: int) -> tuple[str, int]:
    """The numeric address of a host, and the port, or any free one for 0.

    Raises OSError when somebody listens there: granian would share the port, since its own workers
    do, and split the requests with whoever came first.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            if sys.platform != "win32":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            name = probe.getsockname()
    except OSError as error:
        raise OSError(f"cannot listen at {_at(host, port)}: {error.strerror}") from error
    return name[0], name[1]


def _agents(host: str, port: int) -> list[str] | None:
    """Names of the agents that a server at this address has, None while nothing answers."""
    connection = http.client.HTTPConnection(_reachable(host), port, timeout=1)
    try:
        connection.request("GET", "/agents")
        return [agent["name"] for agent in json.load(connection.getresponse())["agents"]]
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _greeting(host: str, port: int, names: list[str]) -> str:
    url = f"http://{_at(_reachable(host), port)}"
    lines = [
        f"AG-UI gateway {gateway.__version__} listens at http://{_at(host, port)}",
        f"Agents: {', '.join(names) or 'none'}",
    ]
    if names:
        body = (
            '{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Hi"}]}'
        )
        lines += [
            "Try it:",
            f"  curl -N {url}/agents/{names[0]} -H 'content-type: application/json' -d '{body}'",
        ]
    return "\n".join(lines)


def _reachable(host: str) -> str:
    """An address under which this machine reaches a server that listens at `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)


def _at(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
