"""From the bytes of an answer to verified events, under bounds, with faults by type.

What came before a fault is delivered first: a fault is raised by the call after.
"""

from __future__ import annotations

import asyncio
from typing import Any

from gateway.client.bounds import Bounds
from gateway.client.transport import Incoming
from gateway.errors import (
    DecodeError,
    ExcessError,
    FrameTooLargeError,
    GatewayError,
    MalformedError,
    NotAStreamError,
    OrderingError,
    SilenceError,
    TruncatedError,
    TruncatedRunError,
    UpstreamError,
    ViolationError,
)
from gateway.protocol.events import Event
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.pipeline import Pipeline
from gateway.protocol.proto import MEDIA_TYPE, ProtoReader
from gateway.protocol.reader import EventReader
from gateway.protocol.sse import SseReader


class Intake:
    """Reads one stream: `take` until it gives nothing. The parser follows the declared type."""

    def __init__(
        self,
        incoming: Incoming,
        pipeline: Pipeline,
        bounds: Bounds = Bounds(),
        warn: Warn = ignore,
    ) -> None:
        self.events = 0
        """Events read so far."""
        self.bytes = 0
        """Bytes read so far."""
        self._incoming = incoming
        self._pipeline = pipeline
        self._bounds = bounds
        self._reader: EventReader = (
            ProtoReader(bounds.frame, warn)
            if incoming.media_type == MEDIA_TYPE
            else SseReader(bounds.frame)
        )
        self._fault: UpstreamError | None = None
        self._ended = False
        now = asyncio.get_running_loop().time()
        self._deadline = None if bounds.total is None else now + bounds.total
        self._first_by = None if bounds.first_event is None else now + bounds.first_event

    async def take(self) -> list[Event]:
        """The next events, as many as have arrived; [] after the end. Raises UpstreamError."""
        while not self._ended:
            if self._fault is not None:
                raise self._fault
            if events := self.digest(await self.read()):
                return events
        return []

    async def read(self) -> bytes:
        """The next bytes, `b""` after the end."""
        what, seconds = self._patience()
        try:
            async with asyncio.timeout(seconds):
                chunk = await self._incoming.read()
        except TimeoutError:
            if self._pipeline.complete:
                return b""
            raise self._silence(what) from None
        except TruncatedRunError:
            if self._pipeline.complete:
                return b""
            raise
        self.bytes += len(chunk)
        if self._bounds.bytes and self.bytes > self._bounds.bytes:
            self._fault = ExcessError(self._bounds.bytes, "bytes")
        return chunk

    def digest(self, chunk: bytes) -> list[Event]:
        """The verified events that `chunk` completes; `b""` is the end of the body."""
        events: list[Event] = []
        try:
            self._digest(chunk, events)
        except GatewayError as error:
            self._fail(self._blamed(error), events)
        return events

    def _digest(self, chunk: bytes, events: list[Event]) -> None:
        found = self._reader.feed(chunk) if chunk else self._reader.finish()
        for raw in found:
            self._count(1)
            self._feed(raw, events)
        if self._reader.fault is not None:
            raise self._reader.fault
        if not chunk:
            self._ended = True
            self._pipeline.finish()

    def _feed(self, raw: Any, events: list[Event]) -> None:
        try:
            events.extend(self._pipeline.feed(raw))
        except (OrderingError, MalformedError) as error:
            raise self._violation(error, raw) from error

    def _count(self, more: int) -> None:
        self.events += more
        if self._bounds.events and self.events > self._bounds.events:
            raise ExcessError(self._bounds.events, "events")

    def _fail(self, fault: UpstreamError, events: list[Event]) -> None:
        """Raise a fault, unless events came before it; then the next call does."""
        self._ended = False
        self._fault = fault
        if not events:
            raise fault

    def _violation(self, error: GatewayError, raw: Any) -> ViolationError:
        name = str(raw.get("type", ""))[:80]
        if isinstance(error, OrderingError):
            return ViolationError(error.rule, name, self.events - 1, error.message)
        return ViolationError("malformed", name, self.events - 1, str(error))

    def _blamed(self, error: GatewayError) -> UpstreamError:
        """The fault of the peer behind an error of a reader or of the end."""
        if isinstance(error, UpstreamError):
            return error
        if isinstance(error, FrameTooLargeError):
            return _caused(ExcessError(error.limit, "bytes a frame"), error)
        if isinstance(error, TruncatedError):
            return _caused(TruncatedRunError(error.reason), error)
        if isinstance(error, DecodeError):
            return _caused(ViolationError("undecodable", "", self.events, error.reason), error)
        if isinstance(error, OrderingError) and error.rule != "truncated":
            name = error.event_type
            return _caused(ViolationError(error.rule, name, self.events, error.message), error)
        if not self.events and not self._claims_stream():
            return NotAStreamError(self._incoming.media_type)
        return TruncatedRunError()

    def _silence(self, what: str) -> SilenceError:
        bounds = self._bounds
        limits = {"the first event": bounds.first_event, "the next event": bounds.idle}
        return SilenceError(what, limits.get(what, bounds.total) or 0)

    def _claims_stream(self) -> bool:
        claimed = self._incoming.media_type.partition(";")[0].strip().lower()
        return claimed in ("text/event-stream", MEDIA_TYPE)

    def _patience(self) -> tuple[str, float | None]:
        """What is waited for, and how long."""
        now = asyncio.get_running_loop().time()
        what, seconds = "the next event", self._bounds.idle
        if not self.events:
            what, seconds = "the first event", _until(self._first_by, now)
        elif self._pipeline.complete:
            return "the end of the stream", self._bounds.linger
        left = _until(self._deadline, now)
        if left is not None and (seconds is None or left < seconds):
            return "the end of the run", left
        return what, seconds


def _until(deadline: float | None, now: float) -> float | None:
    return None if deadline is None else max(0.0, deadline - now)


def _caused(fault: UpstreamError, cause: GatewayError) -> UpstreamError:
    fault.__cause__ = cause
    return fault
