"""Serving with granian, as the configuration says."""

import os
import socket
import sys
from pathlib import Path
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces, Loops, SSLProtocols
from granian.log import LogLevels
from msgspec.structs import replace

from gateway.cli.configuration import Configuration, Sources, Tls
from gateway.cli.listening import bound
from gateway.cli.supervisor import Supervisor, end_on_sigterm
from gateway.cli.watching import shared_counters
from gateway.cli.worker import load
from gateway.errors import ConfigurationError
from gateway.server.logs import logging_config

BACKLOG: Final = 4096
"""Connections that wait to be accepted; the kernel has a bound of its own."""

_HTTP: Final = {"auto": HTTPModes.auto, "1": HTTPModes.http1, "2": HTTPModes.http2}
_TLS: Final = {"1.2": SSLProtocols.tls12, "1.3": SSLProtocols.tls13}


def serve(sources: Sources, *, watch: bool = False) -> int:
    """Serve until SIGINT or SIGTERM, and reload on SIGHUP; the result is the exit status.

    `watch` restarts the workers whenever a Python file changes, for development. Raises
    ConfigurationError, and OSError when the address cannot be listened at.
    """
    configuration = sources.read(os.environ)
    listening, configuration = _listening(configuration)
    port = configuration.server.port
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=end_on_sigterm)
    supervisor = Supervisor(
        configuration,
        lambda: _with_port(sources.read(os.environ), port),
        listening,
        **_options(configuration),
        **_watching(watch),
    )
    with shared_counters(configuration.metrics):
        supervisor.serve(target_loader=load, wrap_loader=False)
    return 0


def _listening(configuration: Configuration) -> tuple[socket.socket | None, Configuration]:
    listener = configuration.server
    if listener.unix_socket:
        _require_folder(listener.unix_socket)
        return None, configuration
    listening = bound(listener.host, listener.port)
    return listening, _with_port(configuration, listening.getsockname()[1])


def _with_port(configuration: Configuration, port: int) -> Configuration:
    """The configuration with the port that was found for 0."""
    if configuration.server.port:
        return configuration
    return replace(configuration, server=replace(configuration.server, port=port))


def _require_folder(path: str) -> None:
    if not Path(path).resolve().parent.is_dir():
        raise OSError(f"cannot listen at {path}: its folder does not exist")


def _options(configuration: Configuration) -> dict[str, Any]:
    listener = configuration.server
    return {
        "target": "agui-gateway",
        "uds": Path(listener.unix_socket) if listener.unix_socket else None,
        "address": listener.host,
        "port": listener.port,
        "interface": Interfaces.ASGI,
        "workers": listener.workers,
        "runtime_threads": 1,
        "loop": Loops.auto if sys.platform == "win32" else Loops.uvloop,
        "http": _HTTP[listener.http],
        "websockets": False,
        "backlog": BACKLOG,
        "backpressure": listener.connections,
        "url_path_prefix": listener.root_path or None,
        "log_level": LogLevels.warning,
        "log_dictconfig": logging_config(configuration.logs),
        "log_access": listener.access_log,
        **_tls(listener.tls),
    }


def _tls(tls: Tls) -> dict[str, Any]:
    """What granian is told of TLS. Raises ConfigurationError for files that are not there."""
    for name in ("certificate", "key", "client_ca"):
        path = getattr(tls, name)
        if path and not os.access(path, os.R_OK):
            raise ConfigurationError(f"server.tls.{name}", "", f"cannot read the file {path!r}")
    if not tls.certificate:
        return {}
    return {
        "ssl_cert": Path(tls.certificate),
        "ssl_key": Path(tls.key),
        "ssl_key_password": None if tls.password is None else str(tls.password),
        "ssl_protocol_min": _TLS[tls.minimum],
        "ssl_ca": Path(tls.client_ca) if tls.client_ca else None,
        "ssl_client_verify": bool(tls.client_ca),
    }


def _watching(watch: bool) -> dict[str, Any]:
    return {"reload": True, "reload_ignore_worker_failure": True} if watch else {}
