"""`Client`: runs on another AG-UI server, as async iterators of verified events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec.structs import replace

from gateway.agent.agent import AnyAgent
from gateway.client.bounds import Bounds
from gateway.client.http import HttpTransport
from gateway.client.intake import Intake
from gateway.client.transport import AgentTransport, Incoming, RecordedTransport, Transport
from gateway.errors import SilenceError
from gateway.protocol.base import UNSET
from gateway.protocol.eras import PROTOCOL_VERSION
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.input_decoder import prepare_input
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.peer import Peer
from gateway.protocol.pipeline import Pipeline


class Client:
    """One AG-UI server, or what stands for one; shared by any number of concurrent runs.

    Give a `url`, with `headers` that go with each request, or else a `transport`: an agent of this
    process, the path of a recorded stream, or any `Transport`. `ceiling` is the newest version of
    the official packages that a server of the 0.x era knows, such as "0.0.57". `warn` hears what
    was stripped, translated or downgraded. Use it as an async context manager, or `close` it.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        transport: Transport | AnyAgent | str | Path | None = None,
        bounds: Bounds = Bounds(),
        ceiling: str | None = None,
        protobuf: bool = True,
        warn: Warn = ignore,
    ) -> None:
        if (url is None) == (transport is None):
            raise ValueError("give a url or a transport, one of the two")
        self.bounds = bounds
        self.transport: Transport = (
            HttpTransport(url, headers, bounds, protobuf)
            if url is not None
            else _transport_of(transport)
        )
        Peer(ceiling)  # raises ValueError for what is no version
        self._ceiling = ceiling
        self._warn = warn

    def run(
        self,
        input: RunAgentInput | dict[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Event]:
        """Run an input; the events come verified, their chunks expanded, RUN_ERROR among them.

        Nothing is retried. Leaving the iterator (`aclose`) closes the connection, which is how a
        run is cancelled. Raises MalformedError before anything is sent, and UpstreamError.
        """
        return self._events(input, headers or {})

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _events(
        self, input: RunAgentInput | dict[str, Any], headers: Mapping[str, str]
    ) -> AsyncIterator[Event]:
        peer = Peer(self._ceiling, self._warn)
        prepared = outgoing_input(input, peer, self._warn)
        incoming = await self._open(prepared, headers)
        try:
            pipeline = Pipeline(warn=self._warn, peer=peer)
            intake = Intake(incoming, pipeline, self.bounds, self._warn)
            while events := await intake.take():
                for event in events:
                    yield event
        finally:
            await incoming.close()

    async def _open(self, input: RunAgentInput, headers: Mapping[str, str]) -> Incoming:
        seconds = self.bounds.first_event
        try:
            async with asyncio.timeout(seconds):
                return await self.transport.open(input, headers)
        except TimeoutError:
            raise SilenceError("an answer", seconds or 0) from None


def outgoing_input(
    input: RunAgentInput | dict[str, Any], peer: Peer, warn: Warn = ignore
) -> RunAgentInput:
    """The input as it is sent: by the rules of `prepare_input`, with the version of this side.

    `forwardedProps` is always there, as servers of the 0.x era insist on it.
    """
    prepared = replace(prepare_input(input, warn), protocol_version=PROTOCOL_VERSION)
    if prepared.forwarded_props is UNSET:
        prepared = replace(prepared, forwarded_props={})
    return peer.outgoing(prepared)


def _transport_of(source: Any) -> Transport:
    if isinstance(source, str | Path):
        return RecordedTransport(source)
    if hasattr(source, "open") and hasattr(source, "close"):
        transport: Transport = source
        return transport
    return AgentTransport(source)
