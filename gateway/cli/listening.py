"""The socket of the server, and how it is called.

All workers accept from one socket that the server process holds. With a socket for each worker, as
granian makes them on Linux, connections that wait for a worker are reset when that worker goes; so
they wait for the others, or for its successor.
"""

import os
import socket
import sys
from contextlib import suppress
from typing import Final

import gateway
from gateway.cli.configuration import Listener

RUN: Final = '{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Hi"}]}'


def bound(host: str, port: int) -> socket.socket:
    """A socket that is bound to an address. Raises OSError, which names the address, if it cannot.

    It has the address for itself: a second server there is refused instead of sharing it.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind)
        try:
            if sys.platform != "win32":
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise OSError(f"cannot listen at {joined(host, port)}: {error.strerror}") from error
    return bound


def leave_to_others(listening: int) -> None:
    """Accept no more in this process; what is accepted already stays as it is.

    granian can only do both at once, and would close connections whose request is on its way. So a
    socket that nobody knows takes the place of each descriptor of the listening one. Other systems
    than Linux skip this.
    """
    if sys.platform != "linux":
        return
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind("")  # an abstract name of the kernel's choice
        silent.listen()
        silent.setblocking(False)
        for descriptor in _aliases(listening):
            os.dup2(silent.fileno(), descriptor)


def _aliases(descriptor: int) -> list[int]:
    """All descriptors of this process for the same socket."""
    wanted = os.fstat(descriptor).st_ino
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if os.fstat(int(name)).st_ino == wanted:
                found.append(int(name))
    return found


def joined(host: str, port: int) -> str:
    """Host and port as they stand in a URL."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def greeting(listener: Listener, names: list[str]) -> str:
    """What is said once the server answers: where, with which agents, and how to try it.

    The port of `listener` is the one that was found.
    """
    lines = [
        f"AG-UI gateway {gateway.__version__} listens at {_place(listener)}",
        f"Agents: {', '.join(names) or 'none'}",
    ]
    if names:
        target = f"{_url(listener)}/agents/{names[0]} -H 'content-type: application/json'"
        lines += ["Try it:", f"  curl -N {_flags(listener)}{target} -d '{RUN}'"]
    return "\n".join(lines)


def _place(listener: Listener) -> str:
    if listener.unix_socket:
        return listener.unix_socket
    return f"{_scheme(listener)}://{joined(listener.host, listener.port)}"


def _url(listener: Listener) -> str:
    if listener.unix_socket:
        return f"{_scheme(listener)}://localhost"
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listener.host, listener.host)
    return f"{_scheme(listener)}://{joined(reachable, listener.port)}"


def _flags(listener: Listener) -> str:
    flags = f"--unix-socket {listener.unix_socket} " if listener.unix_socket else ""
    if listener.http == "2" and not listener.tls.certificate:
        flags += "--http2-prior-knowledge "
    return flags


def _scheme(listener: Listener) -> str:
    return "https" if listener.tls.certificate else "http"
