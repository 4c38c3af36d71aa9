"""A provider behind HTTP: one session, one attempt after the other, deltas as they arrive.

An attempt posts the request and feeds what it reads to a decoder, which is chosen by status and
first byte, not by the content type, which servers get wrong. Invisible deltas are held back until a
visible one comes, so that an attempt that fails before it leaves no trace. Whatever way a stream is
left, its connection is closed or returned.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from itertools import count
from typing import Any

import aiohttp
import msgspec
from msgspec import UNSET, Struct

from gateway.errors import ProviderError
from gateway.llm.accumulator import fold
from gateway.llm.breaker import Breaker
from gateway.llm.failure import failure_of_exception, failure_of_response, hide, resting
from gateway.llm.model import Completion, Delta, Request
from gateway.llm.providers.decoder import Decoder
from gateway.llm.providers.gate import Gate
from gateway.llm.providers.intake import Intake
from gateway.llm.retry import Budget, Retry
from gateway.protocol.messages import AssistantMessage

MAX_ERROR = 64 * 1024
"""How much of an error's body is read, in bytes."""
READ_BUFFER = 256 * 1024
DRAIN = 0.05
"""Seconds that the server has to end its response after the answer is complete."""

MAX_BREAKERS = 1000
"""Models whose failures are counted; requests may name any."""


class Timeouts(Struct, frozen=True, kw_only=True):
    """Bounds of one attempt in seconds.

    `connect` for the connection, `first_byte` for the head of the response, `idle` between two
    reads (comments and pings count), `total` for everything.
    """

    connect: float = 10.0
    first_byte: float = 120.0
    idle: float = 120.0
    total: float = 1800.0


class Api(Struct, frozen=True, kw_only=True):
    """Where and how to ask: the URL, the headers, and the two halves of a wire format.

    `build` makes a body of a request and a model, `decoder` a decoder of a provider name and the
    ids of calls in the history. `secret` is removed from whatever the provider says.
    """

    name: str
    url: str
    build: Callable[[Request, str], dict[str, Any]]
    decoder: Callable[[str, Collection[str]], Decoder]
    headers: Mapping[str, str] = {}
    secret: str = ""
    lines: bool = False
    """The stream is NDJSON, so that a brace at its start does not mean a whole body."""


class HttpProvider:
    """A `Provider` made of an `Api`; see `gateway.llm.providers.catalog` for those there are.

    `session` may be shared with others; then `close` leaves it open.
    """

    def __init__(
        self,
        api: Api,
        *,
        model: str,
        timeouts: Timeouts = Timeouts(),
        retry: Retry = Retry(),
        connections: int = 1000,
        session: aiohttp.ClientSession | None = None,
    ) -> None:
        self.api = api
        self.model = model
        self.timeouts = timeouts
        self.retry = retry
        self.connections = connections
        self._budget = Budget(retry.budget)
        self._breakers: dict[str, Breaker] = {}
        self._session = session
        self._owns_session = session is None

    @property
    def name(self) -> str:
        """The provider's name in usage and messages."""
        return self.api.name

    async def complete(self, request: Request) -> Completion:
        """The fold of `stream`; raises ProviderError.

        As nobody sees anything before the end, a failure in the middle is tried again, too.
        """
        async with aclosing(self._stream(request, whole=True)) as deltas:
            return await fold(deltas)

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """The deltas as they arrive; raises ProviderError. Close it to abandon the call."""
        return self._stream(request, whole=False)

    async def _stream(self, request: Request, whole: bool) -> AsyncGenerator[Delta, None]:
        """The deltas, from the first visible one on or, `whole`, once the answer is complete."""
        model = request.model or self.model
        body = msgspec.json.encode(self.api.build(request, model))
        breaker = self._breaker(model)
        if rest := breaker.remaining():
            raise resting(self.name, model, rest)
        for attempt in count(1):
            gate = Gate(whole)
            try:
                async with aclosing(self._attempt(request, body)) as batches:
                    async for deltas in batches:
                        for delta in gate.take(deltas):
                            yield delta
                breaker.succeeded()
                self._budget.refund()
                for delta in gate.open():
                    yield delta
                return
            except ProviderError as failure:
                breaker.failed(failure)
                wait = None if gate.is_open else self._wait(request, attempt, failure)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    async def close(self) -> None:
        """Close the session, unless it was given."""
        session, self._session = self._session, None
        if session is not None and self._owns_session:
            await session.close()

    def _breaker(self, model: str) -> Breaker:
        if len(self._breakers) > MAX_BREAKERS:
            self._breakers.clear()
        return self._breakers.setdefault(model, Breaker())

    def _wait(self, request: Request, attempt: int, failure: ProviderError) -> float | None:
        """Seconds before the next attempt, None if there is to be none."""
        wait = self.retry.wait(attempt, failure)
        if wait is None:
            return None
        if request.deadline is not UNSET and time.monotonic() + wait >= request.deadline:
            return None
        return wait if self._budget.take() else None

    async def _attempt(self, request: Request, body: bytes) -> AsyncGenerator[list[Delta], None]:
        decoder = self.api.decoder(self.name, _ids(request))
        intake = Intake(decoder, self.api.lines)
        try:
            async with aclosing(self._read(request, body, self._until(request))) as chunks:
                async for chunk in chunks:
                    if deltas := intake.feed(chunk):
                        yield deltas
                    if decoder.done or decoder.failure is not None:
                        break
                if decoder.failure is None:
                    await _drain(chunks)
            yield intake.end()
        except (aiohttp.ClientError, OSError) as error:
            yield decoder.abandon(failure_of_exception(self.name, error))
        if decoder.failure is not None:
            raise hide(decoder.failure, self.api.secret)

    async def _read(
        self, request: Request, body: bytes, until: float
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of a successful response; raises ProviderError for any other."""
        response = await self._post(request, body, until)
        try:
            if response.status >= 300:
                raise await self._refusal(response)
            async for chunk in response.content.iter_any():
                if time.monotonic() > until:
                    raise TimeoutError
                yield chunk
        finally:
            if not response.content.at_eof():
                response.close()
            response.release()

    async def _post(self, request: Request, body: bytes, until: float) -> aiohttp.ClientResponse:
        extra = request.settings.extra_headers
        left = max(0.001, until - time.monotonic())
        timeout = aiohttp.ClientTimeout(
            total=None,
            sock_connect=min(self.timeouts.connect, left),
            sock_read=min(self.timeouts.idle, left),
        )
        headers = {**self.api.headers, **({} if extra is UNSET else extra)}
        async with asyncio.timeout(min(self.timeouts.first_byte, left)):
            return await self._open_session().post(
                self.api.url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            )

    async def _refusal(self, response: aiohttp.ClientResponse) -> ProviderError:
        body = await response.content.read(MAX_ERROR)
        failure = failure_of_response(self.name, response.status, response.headers, body)
        return hide(failure, self.api.secret)

    def _until(self, request: Request) -> float:
        until = time.monotonic() + self.timeouts.total
        return until if request.deadline is UNSET else min(until, request.deadline)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=0, limit_per_host=self.connections)
            self._session = aiohttp.ClientSession(
                connector=connector, read_bufsize=READ_BUFFER, auto_decompress=True
            )
        return self._session


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read the end of the response if it comes at once: then the connection can be used again."""
    try:
        async with asyncio.timeout(DRAIN):
            await anext(chunks, None)
    except (aiohttp.ClientError, OSError):
        return


def _ids(request: Request) -> set[str]:
    """The ids of the calls that the history holds."""
    return {
        call.id
        for message in request.messages
        if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET
        for call in message.tool_calls
    }
