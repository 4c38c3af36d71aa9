"""What a stream has accepted and not yet handed out: frames, encoded frames, or events.

JSON text never holds a raw line feed, so a whole batch is framed in two C calls: `encode_lines`
writes the events as lines, and one `replace` turns each line feed into the end of one frame and the
start of the next. Deltas of one block differ in nothing but their text: they wait as plain strings
and need no event, only the frame's text up to the delta, made once for a row of them.

A full batch is sealed, that is encoded, so that what waits is bounded and counted in bytes. What
holds open JSON (state, values, results) is encoded when it is added, since its author may change it
afterwards.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.escape import escape_line_separators
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    CUSTOM,
    MESSAGES_SNAPSHOT,
    RAW,
    REASONING_MESSAGE_CONTENT,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    STATE_DELTA,
    STATE_SNAPSHOT,
    SUBAGENT_FINISHED,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
    TOOL_CALL_RESULT,
)

PREFIXES: Final = 16
"""Beginnings of frames that are kept for blocks whose deltas take turns."""

UNBOUNDED: Final = 1 << 60

OPEN_JSON: Final = [
    kind
    in (
        STATE_SNAPSHOT,
        STATE_DELTA,
        MESSAGES_SNAPSHOT,
        RAW,
        CUSTOM,
        RUN_STARTED,
        RUN_FINISHED,
        RUN_ERROR,
        SUBAGENT_FINISHED,
        TOOL_CALL_RESULT,
        ACTIVITY_SNAPSHOT,
        ACTIVITY_DELTA,
    )
    for kind in range(COUNT)
]
"""For each kind, whether its own members may hold what an author can change later."""

DELTA: Final = b',"delta":'
HEADS: Final[dict[int, bytes]] = {
    TEXT_MESSAGE_CONTENT: b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":',
    TOOL_CALL_ARGS: b'data: {"type":"TOOL_CALL_ARGS","toolCallId":',
    REASONING_MESSAGE_CONTENT: b'data: {"type":"REASONING_MESSAGE_CONTENT","messageId":',
}


class Batch:
    """Base: keeps the order and counts; here, events that are handed out as they are."""

    full = UNBOUNDED
    """Events or deltas that wait unencoded at most."""
    takes_deltas = False
    """Whether plain deltas may be put into `deltas` after `start_deltas`."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        """Events that wait."""
        self.deltas: list[str] = []
        """Deltas of one block that wait; they and events never wait at the same time."""
        self.sealed = 0
        """Number of events added and no longer waiting."""
        self.bytes = 0
        """Bytes encoded so far."""
        self.pending_bytes = 0
        """Bytes encoded and not flushed."""

    def count(self) -> int:
        """Number of events added so far."""
        return self.sealed + len(self.events) + len(self.deltas)

    def frame(self, event: Any, kind: int) -> bytes:
        """The frame of an event that must be encoded at once; `b""` if it can wait."""
        return b""

    def add(self, event: Any, frame: bytes) -> None:
        """Append an event and what `frame` made of it."""
        self.events.append(event)

    def waits(self) -> bool:
        """Whether there is anything to flush or to take."""
        return len(self.events) > 0 or len(self.deltas) > 0 or self.pending_bytes > 0

    def start_deltas(self, kind: int, id: str) -> None:
        """Make ready for `deltas` of one block."""

    def seal(self) -> None:
        """Encode what waits."""

    def flush(self) -> bytes:
        """Everything added since the last flush, as one chunk; `b""` if nothing was."""
        raise TypeError("this stream hands out events, not bytes")

    def take(self) -> list[Any]:
        """Everything added since the last time, as events."""
        events = list(self.events)
        self.events.clear()
        self.sealed += len(events)
        return events


class FrameBatch(Batch):
    """Frames made by `encode`, one for each event, when it is added."""

    def __init__(self, encode: Any) -> None:
        super().__init__()
        self.encode: Any = encode
        self.chunks: list[bytes] = []

    def frame(self, event: Any, kind: int) -> bytes:
        """The frame of any event."""
        frame: bytes = self.encode(event)
        return frame

    def add(self, event: Any, frame: bytes) -> None:
        """Append a frame."""
        self.keep([frame], 1)

    def keep(self, parts: list[bytes], count: int) -> None:
        """Append `count` frames, in parts."""
        size = 0
        for part in parts:
            size += len(part)
        self.chunks.extend(parts)
        self.sealed += count
        self.bytes += size
        self.pending_bytes += size

    def flush(self) -> bytes:
        """All frames since the last flush, as one chunk."""
        self.seal()
        chunks = self.chunks
        chunk = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        chunks.clear()
        self.pending_bytes = 0
        return chunk

    def take(self) -> list[Any]:
        """Refused: the events are gone."""
        raise TypeError("this stream hands out bytes, not events")


class SseBatch(FrameBatch):
    """Frames of server-sent events, encoded 256 at a time."""

    full = 256
    takes_deltas = True

    def __init__(self) -> None:
        super().__init__(None)
        self.prefix = b""
        self.prefixes: dict[tuple[int, str], bytes] = {}
        """Of blocks that take turns; no more than PREFIXES."""

    def frame(self, event: Any, kind: int) -> bytes:
        """The frame of an event with open JSON; `b""` for others."""
        unset: Any = BINDING.unset
        if not OPEN_JSON[kind] and event.metadata is unset and event.raw_event is unset:
            return b""
        json: bytes = BINDING.encode(event)
        return b"data: " + json + b"\n\n"

    def add(self, event: Any, frame: bytes) -> None:
        """Append an event, or its frame behind what waits."""
        if not frame:
            self.events.append(event)
            return
        self.seal()
        self.keep([frame], 1)

    def start_deltas(self, kind: int, id: str) -> None:
        """Seal what waits and make the prefix of the frames to come."""
        self.seal()
        prefix = self.prefixes.get((kind, id))
        if prefix is None:
            json: bytes = BINDING.encode(id)
            prefix = HEADS[kind] + json + DELTA
            if len(self.prefixes) >= PREFIXES:
                self.prefixes.clear()
            self.prefixes[(kind, id)] = prefix
        self.prefix = prefix

    def seal(self) -> None:
        """Encode what waits."""
        if self.deltas:
            self._seal_deltas()
        elif self.events:
            self._seal_events()

    def _seal_events(self) -> None:
        lines: bytes = BINDING.encode_lines(self.events)
        body = escape_line_separators(lines)[:-1].replace(b"\n", b"\n\ndata: ")
        self.keep([b"data: ", body, b"\n\n"], len(self.events))
        self.events.clear()

    def _seal_deltas(self) -> None:
        prefix = self.prefix
        lines: bytes = BINDING.encode_lines(self.deltas)
        body = escape_line_separators(lines)[:-1].replace(b"\n", b"}\n\n" + prefix)
        self.keep([prefix, body, b"}\n\n"], len(self.deltas))
        self.deltas.clear()
