"""`RemoteAgent`: an agent of another server, served like any other.

The gateway is a translating proxy: what the upstream says is checked by the rules of consumers and
written anew, for whatever version and encoding the viewer speaks. Whatever the upstream does, the
viewer gets a well-formed stream with one end; a fault of the upstream is a RUN_ERROR with one of
the codes UPSTREAM_… of `gateway.errors`. A run that the upstream did not finish is never reported
as finished. Until the first event has come, another try is invisible, and only until then is there
one.

Nothing is fetched for a content part that holds a URL; it passes as it is.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from gateway.agent import RunContext
from gateway.agent.outgoing import Call, outgoing, report
from gateway.client.bounds import Bounds
from gateway.client.client import outgoing_input
from gateway.client.headers import HeaderPolicy
from gateway.client.http import ACCEPT, Http, address
from gateway.client.relay import Ids, Relay, Repair
from gateway.client.transport import SSE_TYPE
from gateway.client.upstream import Breaker, Spread, Upstream, Upstreams
from gateway.errors import AnswerError, SilenceError, UnavailableError, UpstreamError
from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.notices import Notice
from gateway.protocol.peer import Peer
from gateway.protocol.values import encode_value

logger = logging.getLogger("gateway.client")

PAUSE = 0.1
"""Seconds before a server is asked a second time for one run."""

RETRIED = (408, 425, 429)
"""Statuses below 500 for which another try makes sense."""


class RemoteAgent:
    """An agent behind one URL or several, which are then servers of the same agent.

    `headers` go with each request and win over those that `forward_headers` lets pass from the
    inbound request. `ids` says what becomes of thread and run ids of the upstream: `check` (they
    must be the input's) or `rewrite`. `repair` is `strict`, which ends a run at a violation, or
    `close`, which is not conforming: it ends what is open at a RUN_FINISHED and drops terminal
    events behind the last. `attempts` bounds the requests for one run, by default one for each URL
    and at least 2. `ceiling` is as for `Client`. `on_call` hears of each request when it is over.
    Raises ValueError for a configuration that cannot be meant.
    """

    relays = True

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        headers: Mapping[str, str] | None = None,
        forward_headers: Iterable[str] = (),
        bounds: Bounds = Bounds(),
        ids: Ids = "check",
        repair: Repair = "strict",
        spread: Spread = "failover",
        breaker: Breaker = Breaker(),
        attempts: int | None = None,
        ceiling: str | None = None,
        protobuf: bool = False,
        description: str = "",
        capabilities: AgentCapabilities | None = None,
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        addresses = [urls] if isinstance(urls, str) else list(urls)
        self.upstreams = Upstreams(addresses, spread, breaker)
        self.description = description
        self.capabilities = capabilities
        self._policy = HeaderPolicy(headers, forward_headers)
        self.bounds = bounds
        self.ids: Ids = _one_of("ids", ids, ("check", "rewrite"))
        self.repair: Repair = _one_of("repair", repair, ("strict", "close"))
        self._attempts = max(2, len(addresses)) if attempts is None else attempts
        if self._attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {attempts}")
        self._ceiling = ceiling
        Peer(ceiling)  # raises ValueError for what is no version
        self.http = Http(bounds, ACCEPT if protobuf else SSE_TYPE)
        self.on_call = on_call

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep connections from run to run, and close them when the process goes down."""
        try:
            yield
        finally:
            await self.close()

    async def close(self) -> None:
        """Close the connections that no run uses."""
        await self.http.close()

    async def run(self, ctx: RunContext[Any]) -> None:
        """Relay one run."""
        peer = Peer(self._ceiling, _log)
        body = encode_value(outgoing_input(ctx.input, peer, _log))
        fields = self._policy.outgoing(ctx.request.headers)
        attempt = 0
        fault: UpstreamError | None = None
        for upstream in self._tries(ctx.thread_id):
            if upstream.available:
                attempt += 1
                exchange = Exchange(self, upstream, attempt)
                fault = await exchange.run(ctx, body, fields, peer)
                if fault is None:
                    return
                if exchange.final(fault) or attempt >= self._attempts:
                    raise fault
                await asyncio.sleep(PAUSE if len(self.upstreams.all) == 1 else 0)
        raise fault or UnavailableError(self.upstreams.wait)

    def _tries(self, thread_id: str) -> list[Upstream]:
        """The servers in the order of asking, over and over."""
        order = self.upstreams.order(thread_id)
        return order * (1 + self._attempts // len(order))


class Exchange:
    """One request for one run."""

    def __init__(self, agent: RemoteAgent, upstream: Upstream, attempt: int) -> None:
        self._agent = agent
        self._upstream = upstream
        self._attempt = attempt
        self._relay: Relay | None = None
        self._began = time.monotonic()

    def final(self, fault: UpstreamError) -> bool:
        """Whether another try cannot help, or would be seen."""
        if self._relay is not None and self._relay.first_event is not None:
            return True
        return isinstance(fault, AnswerError) and fault.status < 500 and fault.status not in RETRIED

    async def run(
        self, ctx: RunContext[Any], body: bytes, fields: Mapping[str, str], peer: Peer
    ) -> UpstreamError | None:
        """Relay the answer; returns the fault of the upstream, None if there was none."""
        code = "CANCELLED"
        self._upstream.claim()
        try:
            await self._relay_answer(ctx, body, fields, peer)
            self._upstream.succeeded()
            code = ""
        except UpstreamError as fault:
            code = fault.code
            self._blame(fault)
            return fault
        finally:
            self._upstream.released()
            await self._close()
            self._report(code)
        return None

    async def _relay_answer(
        self, ctx: RunContext[Any], body: bytes, fields: Mapping[str, str], peer: Peer
    ) -> None:
        with outgoing("POST", address(self._upstream.url)) as trace:
            await self._receive(ctx, body, {**fields, **trace}, peer)

    async def _receive(
        self, ctx: RunContext[Any], body: bytes, fields: Mapping[str, str], peer: Peer
    ) -> None:
        agent = self._agent
        seconds = agent.bounds.first_event
        try:
            async with asyncio.timeout(seconds):
                incoming = await agent.http.post(self._upstream.url, body, fields)
        except TimeoutError:
            raise SilenceError("an answer", seconds or 0) from None
        self._relay = Relay(ctx, incoming, agent.bounds, peer, _log, agent.ids, agent.repair)
        await self._relay.begin()
        await self._relay.pump()

    def _blame(self, fault: UpstreamError) -> None:
        """Tell the health of the server; a request at fault itself says nothing about it."""
        if isinstance(fault, AnswerError) and fault.status < 500 and fault.status not in RETRIED:
            return
        retry_after = fault.retry_after if isinstance(fault, AnswerError) else None
        self._upstream.failed(retry_after)
        logger.warning("%r failed, %s: %s", self._upstream, fault.code, fault)

    async def _close(self) -> None:
        if self._relay is not None:
            await self._relay.close()

    def _report(self, code: str) -> None:
        now = time.monotonic()
        relay = self._relay
        first = None if relay is None else relay.first_event
        call = Call(
            upstream=address(self._upstream.url),
            attempt=self._attempt,
            code=code,
            first_event=None if first is None else first - self._began,
            seconds=now - self._began,
            events=0 if relay is None else relay.intake.events,
            bytes=0 if relay is None else relay.intake.bytes,
        )
        report(call)
        if self._agent.on_call is not None:
            self._agent.on_call(call)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise ValueError(f"unknown {name} {value!r}: expected one of {', '.join(allowed)}")
    return value


def _log(notice: Notice) -> None:
    logger.warning("upstream: %s at %s: %s", notice.code, notice.path, notice.message)
