"""The ASGI side of the gateway: three kinds of scope, and an answer for every request.

A request is first answered with a value, and only then is anything sent: a `Response`, or a
`Stream`, whose run starts when it is viewed. So a refusal can still become any status, and a
failure before the stream never reaches a client as half a response.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeAlias

from gateway.agent import Run
from gateway.errors import ClientLeftError, RefusedError
from gateway.server.admission import Admission
from gateway.server.asgi import Receive, Scope, Send
from gateway.server.cors import CrossOrigin
from gateway.server.identity import Authenticate, authenticate_by
from gateway.server.lifespans import AgentLifespan
from gateway.server.logs import ids_of
from gateway.server.negotiation import Encoding
from gateway.server.request import Body
from gateway.server.response import (
    INTERNAL_ERROR,
    KEEP_ALIVE,
    Headers,
    Response,
    refusal,
    respond,
    stream_head,
)
from gateway.server.runs import Runs, Session
from gateway.server.settings import Settings
from gateway.server.viewer import Viewer
from gateway.server.watch import Watch

logger = logging.getLogger("gateway.server")


class Stream(NamedTuple):
    """An answer that lasts: a run that is not started yet, and how it is viewed (see `Viewer`)."""

    session: Session
    encoding: Encoding
    keep_alive: float
    cancels: bool
    hold: bool


Answer: TypeAlias = Response | Stream


class Application:
    """What `Gateway` and `Endpoint` share; both say only how a request is answered.

    It needs no ASGI lifespan: without one agents are entered by their first run, and it is the
    host that decides when runs end, by `drain`, or by making `lifespan` its own. No signal handler
    is ever installed here.
    """

    def __init__(
        self,
        settings: Settings,
        runs: Runs,
        lifespans: Sequence[AgentLifespan],
        authenticate: Authenticate | None,
        *,
        admission: Admission | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.settings = settings
        self.watch = Watch(settings.metrics, settings.tracing) if watch is None else watch
        self.runs = runs
        self.admission = Admission(settings.quotas) if admission is None else admission
        self.authenticate = authenticate or authenticate_by(settings.identity)
        self._cross_origin = CrossOrigin(settings.cors)
        self._lifespans = lifespans

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or the lifespan of the process."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})
        else:
            raise ValueError(f"unknown ASGI scope {scope['type']!r}")

    async def answer(self, scope: Scope, body: Body) -> Answer:
        """How a request is answered. Raises RefusedError, or ClientLeftError if it is moot."""
        raise NotImplementedError

    def require_room(self) -> None:
        """Refuse (503) what may become a run while the process goes down or is full."""
        if self.runs.closing:
            raise RefusedError(
                503,
                "SHUTTING_DOWN",
                "The gateway is shutting down.",
                headers=((b"retry-after", str(self.settings.quotas.retry_after).encode()),),
            )
        self.admission.require_room()

    async def open(self) -> None:
        """Enter the lifespans of the agents and accept runs; raises what one of them raises."""
        self.runs.open()
        for lifespan in self._lifespans:
            await lifespan.enter()

    def stop(self) -> None:
        """Refuse further runs with 503 and end the open ones, each with its terminal event."""
        self.runs.close()

    async def drain(self, grace: float | None = None) -> None:
        """Refuse further runs, give open ones `grace` seconds, end the rest, wait for them.

        `settings.shutdown.grace` is the default. The agents stay entered; `close` leaves them.
        """
        self.runs.refuse()
        await self.runs.idle(self.settings.shutdown.grace if grace is None else grace)
        self.stop()
        await self.runs.closed()

    @asynccontextmanager
    async def lifespan(self, host: object = None) -> AsyncIterator[None]:
        """Open the agents, and drain and close at the end, as part of a host's lifespan.

        It is what Starlette, FastAPI and Litestar take as `lifespan`; `host` is their application.
        """
        await self.open()
        try:
            yield
        finally:
            await self.drain()
            await self.close()

    async def close(self) -> None:
        """Stop, wait for the runs, leave the lifespans of the agents."""
        self.stop()
        await self.runs.closed()
        for lifespan in self._lifespans:
            await lifespan.leave()
        await self.watch.close()

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(receive)
        extra = self._cross_origin.headers(scope)
        try:
            answer = self._cross_origin.preflight(scope) or await self.answer(scope, body)
        except RefusedError as error:
            self.watch.refused(error)
            answer = refusal(error)
        except ClientLeftError:
            return
        except Exception:
            logger.exception("a request failed before its answer")
            answer = INTERNAL_ERROR
        if isinstance(answer, Stream):
            await self._view(answer, receive, send, extra)
            return
        await respond(answer, send, extra, head_only=scope["method"] == "HEAD")
        await body.discard()

    async def _view(self, stream: Stream, receive: Receive, send: Send, extra: Headers) -> None:
        session = stream.session
        viewer = Viewer(
            session,
            receive,
            send,
            head=stream_head(stream.encoding, extra),
            comment=KEEP_ALIVE[stream.encoding],
            keep_alive=stream.keep_alive,
            stall_timeout=self.settings.stall_timeout,
            hold=stream.hold,
            cancels=stream.cancels,
        )
        self.runs.start(session)
        try:
            await viewer.view()
        finally:
            self.runs.release(session)
            if viewer.left:
                logger.info("the client left", extra={"ids": _ids(session.run)})
        if session.refusal is not None and not (viewer.begun or viewer.left):
            self.watch.refused(session.refusal)
            await respond(refusal(session.refusal), send, extra)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "lifespan.startup":
            try:
                await self.open()
            except Exception as error:
                logger.exception("an agent's lifespan could not be entered")
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})


def _ids(run: Run) -> dict[str, str]:
    return ids_of(run.input, run.options.request, run.options.name)
