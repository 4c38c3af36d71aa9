"""Where the events of a run go: what handles and the context need of a stream.

A stream of bytes is a `RunStream` of the core. `EventStream` is the one for a consumer in this
process, which takes the events themselves. It keeps what the bytes give for nothing: an event is as
it was when it was emitted, whatever its author does with a value afterwards; a value that is no
JSON is refused; and what waits is counted in bytes, so that bounds and `drain` work alike.
"""

from __future__ import annotations

from typing import Any, Protocol

from gateway.agent.limits import Limits
from gateway.errors import LimitError
from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    ActivityDelta,
    ActivitySnapshot,
    Custom,
    Event,
    MessagesSnapshot,
    Raw,
    RunFinished,
    StateDelta,
    StateSnapshot,
    SubagentFinished,
)
from gateway.protocol.values import decode_value, encode_value
from gateway_native.stream import RunStream

UNBOUNDED = 1 << 60
ENVELOPE = 64
"""Bytes that an event counts at least."""

OPEN: dict[type[Event], str] = {
    StateSnapshot: "snapshot",
    StateDelta: "delta",
    Custom: "value",
    Raw: "event",
    RunFinished: "result",
    SubagentFinished: "result",
    ActivitySnapshot: "content",
    ActivityDelta: "patch",
}
"""The member of each event that may hold what its author can change later."""


class Sink(Protocol):
    """The side of a stream on which a run writes."""

    @property
    def stopped(self) -> bool:
        """True once nothing but the end of the run is accepted."""

    @property
    def events(self) -> int:
        """How many events have gone out, but for the last few deltas."""

    @property
    def pending(self) -> bool:
        """True while there is output to take."""

    @property
    def pending_bytes(self) -> int:
        """The size of what waits to be taken."""

    @property
    def ended(self) -> bool:
        """True once a terminal event has gone out."""

    def emit(self, event: Event, /) -> None:
        """Send an event; raises what breaks a rule, in which case nothing has happened."""

    def text(self, id: str, delta: str, /) -> None:
        """Append to an open text message."""

    def args(self, id: str, delta: str, /) -> None:
        """Append to the arguments of an open call."""

    def reasoning(self, id: str, delta: str, /) -> None:
        """Append to an open reasoning message."""

    def close_open(self, failed: bool, /) -> None:
        """End whatever is open, innermost first."""


class EventStream:
    """A `Sink` whose output is taken as events; `stream` is in the mode EVENTS."""

    def __init__(self, stream: RunStream, limits: Limits = Limits()) -> None:
        self.stream = stream
        self.bytes = 0
        self.pending_bytes = 0
        self._max_bytes = limits.max_bytes or UNBOUNDED
        self._max_pending = limits.max_pending or UNBOUNDED
        self._max_events = limits.max_events or UNBOUNDED

    @property
    def stopped(self) -> bool:
        return self.stream.stopped

    @property
    def events(self) -> int:
        return self.stream.events

    @property
    def pending(self) -> bool:
        return self.stream.pending

    @property
    def ended(self) -> bool:
        return self.stream.ended

    def emit(self, event: Event, /) -> None:
        """Send the event as it is now."""
        kept, size = frozen(event)
        self.stream.emit(kept)
        self._count(size)

    def text(self, id: str, delta: str, /) -> None:
        self.stream.text(id, delta)
        self._count(ENVELOPE + len(delta))

    def args(self, id: str, delta: str, /) -> None:
        self.stream.args(id, delta)
        self._count(ENVELOPE + len(delta))

    def reasoning(self, id: str, delta: str, /) -> None:
        self.stream.reasoning(id, delta)
        self._count(ENVELOPE + len(delta))

    def close_open(self, failed: bool, /) -> None:
        self.stream.close_open(failed)

    def take(self) -> list[Event]:
        """Everything that waits."""
        self.pending_bytes = 0
        events: list[Event] = self.stream.take_events()
        return events

    def _count(self, size: int) -> None:
        self.bytes += size
        self.pending_bytes += size
        if (
            self.pending_bytes > self._max_pending
            or self.bytes > self._max_bytes
            or self.stream.events >= self._max_events
        ):
            self.stream.stop(self._broken())

    def _broken(self) -> LimitError:
        if self.pending_bytes > self._max_pending:
            return LimitError(self._max_pending, "bytes that wait for the viewer")
        if self.bytes > self._max_bytes:
            return LimitError(self._max_bytes, "bytes")
        return LimitError(self._max_events, "events")


def frozen(event: Event) -> tuple[Event, int]:
    """The event with a copy of its open value, and its size in bytes, roughly.

    Raises EncodeError for a value that is no JSON.
    """
    name = OPEN.get(type(event))
    if name is None:
        delta = getattr(event, "delta", "")
        return _with_own_list(event), ENVELOPE + (len(delta) if type(delta) is str else 0)
    value: Any = getattr(event, name)
    if value is UNSET:
        return event, ENVELOPE
    text = encode_value(value)
    return event.__replace__(**{name: decode_value(text)}), ENVELOPE + len(text)


def _with_own_list(event: Event) -> Event:
    if type(event) is MessagesSnapshot and type(event.messages) is list:
        return event.__replace__(messages=list(event.messages))
    return event
