"""What runs in each worker process: the gateway, and an orderly end on SIGTERM.

On SIGTERM granian stops accepting and then waits for the open streams without telling the
application, which could be hours. So the handler is replaced: it ends the runs, each stream gets
its terminal event, and then hands over to granian's own handler, which stays on SIGINT.
"""

import asyncio
import importlib
import logging
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

import gateway_native
from gateway.server import Gateway, Settings
from gateway.server.asgi import Receive, Scope, Send

logger = logging.getLogger("gateway.cli")


class Worker:
    """The ASGI application of one process."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection; the lifespan comes after granian has set its own handlers."""
        if scope["type"] == "lifespan" and os.name == "posix":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._terminate)
        await self.gateway(scope, receive, send)

    def _terminate(self) -> None:
        self.gateway.stop()
        os.kill(os.getpid(), signal.SIGINT)


def load(target: str, settings: Settings) -> Worker:
    """The application of a worker for `module:attribute`: agents by name, or a `Gateway`.

    Ends the process with a line in the log when there is no such thing.
    """
    report_core(gateway_native.COMPILED, os.environ.get("GATEWAY_PURE"))
    try:
        return Worker(_gateway(target, settings))
    except (ImportError, TypeError, ValueError) as error:
        logger.critical(
            "cannot serve %s: %s", target, error, exc_info=not isinstance(error, ValueError)
        )
        sys.exit(1)


def _gateway(target: str, settings: Settings) -> Gateway:
    found = _resolve(target)
    if isinstance(found, Gateway):
        return found
    if isinstance(found, Mapping):
        return Gateway(found, settings)
    raise ValueError(f"{target} is a {type(found).__name__}: expected agents by name or a Gateway")


def _resolve(target: str) -> Any:
    module, colon, attribute = target.partition(":")
    if not (module and colon and attribute):
        raise ValueError(f"{target!r} names no agents: expected module:attribute")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name, None)
    if found is None:
        raise ValueError(f"module {module} has no {attribute}")
    return found


def report_core(compiled: bool, pure: str | None) -> None:
    """Complain when the interpreted core runs without GATEWAY_PURE (`pure`) asking for it."""
    if compiled or pure == "1":
        return
    logger.critical(
        "THE COMPILED CORE IS MISSING: events are verified and encoded by the interpreted core, "
        "two to three times slower. Install a wheel for this platform, or run `make build`."
    )
