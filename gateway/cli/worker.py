"""What runs in each worker process: the gateway, and an orderly end.

On SIGTERM granian stops accepting and then waits for the open streams without telling the
application, which could be hours. So that handler is replaced, and what granian does on SIGINT is
asked for when the time has come:

    the server goes down   refuse runs with 503 while still answering; give open ones the grace, end
                           the rest, each with its terminal event; stop accepting when the other
                           workers are as far
    a reload replaced us   let busy connections move over, stop accepting, and end what is left
                           after the reload grace; nothing is refused

A worker whose server has died goes down as well.
"""

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

from granian.utils.proxies import wrap_asgi_with_proxy_headers

import gateway_native
from gateway.agent.limits import Limits
from gateway.cli.assembly import assemble
from gateway.cli.configuration import Configuration
from gateway.cli.lifeline import Link
from gateway.cli.listening import greeting, leave_to_others
from gateway.cli.watching import watch_worker
from gateway.errors import ConfigurationError
from gateway.server import Gateway
from gateway.server.asgi import Message, Receive, Scope, Send
from gateway.server.settings import Shutdown

logger = logging.getLogger("gateway.cli")

SETTLE: Final = 0.02
"""Seconds until granian serves for certain; the loop stands still before."""

MOVE: Final = 0.5
"""Seconds that busy connections of a replaced worker have to move over, each after an answer."""

STALL: Final = 3.0
"""Seconds for connections to take what is on its way, after which they are cut."""

Application = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]


class Worker:
    """The ASGI application of one process."""

    def __init__(self, gateway: Gateway, configuration: Configuration, link: Link) -> None:
        self.gateway = gateway
        self._configuration = configuration
        self._link = link
        self._application: Application = gateway
        if configuration.server.trusted_proxies:
            trusted = list(configuration.server.trusted_proxies)
            self._application = wrap_asgi_with_proxy_headers(gateway, trusted)
        self._leaving: asyncio.Task[None] | None = None
        self._retiring = False
        self._alone = False
        self._released = asyncio.Event()

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        """Serve one connection; a coroutine more would cost memory for each open stream."""
        if scope["type"] == "lifespan":
            return self._live(scope, receive, send)
        if self._retiring and scope.get("http_version", "").startswith("1"):
            return self._application(scope, receive, _last(send))
        return self._application(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The lifespan, which comes after granian has set its own handlers."""
        if os.name == "posix":  # until it serves, SIGTERM simply ends it
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)

        async def next_message() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._leaving is not None:
                await asyncio.wait({self._leaving})
            return message

        async def tell(message: Message) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self._begin()

        await self.gateway(scope, next_message, tell)

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        if os.name == "posix":
            loop.add_signal_handler(signal.SIGTERM, self._terminate)
        server = multiprocessing.parent_process()
        if server is not None and os.name == "posix":
            loop.add_reader(server.sentinel, self._orphaned, server.sentinel)
        loop.call_later(SETTLE, self._settle)

    def _settle(self) -> None:
        """Serve; a signal that came while granian changed loops and handlers was lost."""
        if self._leaving is None and (self._link.lifeline.stopping or self._link.replaced):
            self._terminate()
        shutdown, limits = self.gateway.settings.shutdown, self._configuration.limits
        self._link.set_ready(drain_seconds(shutdown, limits), retire_seconds(shutdown, limits))
        if self._link.greets:
            print(greeting(self._configuration.server, list(self.gateway.agents)), flush=True)

    def _orphaned(self, sentinel: int) -> None:
        asyncio.get_running_loop().remove_reader(sentinel)
        logger.error("the server process is gone: this worker ends")
        self._alone = True
        self._released.set()
        self._terminate()

    def _terminate(self) -> None:
        shutdown, lifeline = self.gateway.settings.shutdown, self._link.lifeline
        if self._leaving is not None and lifeline.leaving:
            self._released.set()
        elif self._link.replaced:
            self._leave(self._retire(shutdown.reload_grace), again=False)
        elif lifeline.hurrying or lifeline.leaving:
            self._leave(self._drain(0, 0), again=True)
        else:
            self._leave(self._drain(shutdown.grace, shutdown.delay), again=self._retiring)

    def _leave(self, way: Coroutine[Any, Any, None], *, again: bool) -> None:
        """Go one way, at most once unless `again` says that it is a shorter one."""
        if self._leaving is not None:
            if not again:
                way.close()
                return
            self._leaving.cancel()
        self._leaving = asyncio.get_running_loop().create_task(way, name="leave")

    async def _retire(self, grace: float) -> None:
        self._retiring = True
        leave_to_others(self._link.listening)
        await asyncio.sleep(MOVE)
        self._stop_accepting()
        await asyncio.sleep(MOVE)
        await self.gateway.runs.idle(grace)
        await self.gateway.drain(0)
        self._link.set_drained()
        self._finish()

    async def _drain(self, grace: float, delay: float) -> None:
        self._retiring = False
        self.gateway.runs.refuse()
        if open := len(self.gateway.runs):
            logger.info("going down: %d open runs have %g seconds", open, grace)
        await asyncio.gather(self.gateway.runs.idle(grace), asyncio.sleep(delay))
        await self.gateway.drain(0)
        self._link.set_drained()
        lifeline = self._link.lifeline
        if lifeline.stopping and not (lifeline.leaving or self._alone):
            await self._released.wait()
        self._finish()
        self._stop_accepting()

    def _finish(self) -> None:
        asyncio.get_running_loop().call_later(STALL, self._cut)

    def _stop_accepting(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    def _cut(self) -> None:
        self._cutting = asyncio.get_running_loop().create_task(self._exit())

    async def _exit(self) -> None:
        logger.warning("connections that take no data are cut")
        await self.gateway.close()
        os._exit(0)


def drain_seconds(shutdown: Shutdown, limits: Limits) -> float:
    """How long a worker may have runs after SIGTERM."""
    return max(shutdown.grace, shutdown.delay) + limits.grace + 1


def retire_seconds(shutdown: Shutdown, limits: Limits) -> float:
    """How long a worker may live after another one has replaced it."""
    return shutdown.reload_grace + limits.grace + 2 * MOVE + STALL + 1


def _last(send: Send) -> Send:
    """A `send` that makes its answer the last one of an HTTP/1.1 connection."""

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return closing


def load(configuration: Configuration, link: Link) -> Worker:
    """What a process needs to become a worker: logs, metrics and traces, and the application."""
    watch_worker(configuration)
    return worker_of(configuration, link)


def worker_of(configuration: Configuration, link: Link) -> Worker:
    """The application of a worker. Ends the process with a line in the log when there is none."""
    report_core(gateway_native.COMPILED, os.environ.get("GATEWAY_PURE"))
    try:
        worker = Worker(assemble(configuration), configuration, link)
        gc.collect()
        gc.freeze()  # what is loaded lives as long as the process: no collection need look at it
        return worker
    except ConfigurationError as error:
        logger.critical("cannot serve: %s", error)
    except Exception:
        logger.critical("cannot serve: the agents could not be loaded", exc_info=True)
    sys.exit(1)


def report_core(compiled: bool, pure: str | None) -> None:
    """Complain when the interpreted core runs without GATEWAY_PURE (`pure`) asking for it."""
    if compiled or pure == "1":
        return
    logger.critical(
        "THE COMPILED CORE IS MISSING: events are verified and encoded by the interpreted core, "
        "two to three times slower. Install a wheel for this platform, or run `make build`."
    )
