"""What a stream has accepted and not yet handed out, as SSE frames or as events.

JSON text never holds a raw line feed, so a whole batch is framed in two C calls: `encode_lines`
writes the events as lines and one `replace` turns each line feed into the end of one frame and the
start of the next. Deltas of one block differ in nothing but their text: they wait as plain strings
and need no event at all, only the text of such an event up to its delta, made once for a block.

A full batch (256 events) is sealed, that is encoded, at once, so that what waits is counted in
bytes; the rest is encoded at `flush`.
"""

from __future__ import annotations

import json
from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.escape import escape_line_separators

FULL: Final = 256
"""Events or deltas that wait unencoded at most."""

LAST: Final = b'""}\n'
"""How the line of an event with an empty delta ends."""


class Batch:
    """What all batches share: order is kept, and `flush` empties."""

    def __init__(self) -> None:
        self.deltas: list[str] = []
        self.events: list[Any] = []
        self.sealed_events = 0
        """Number of events encoded and not flushed."""
        self.sealed_bytes = 0
        """Their size."""

    def waiting(self) -> int:
        """Number of events not flushed."""
        return self.sealed_events + len(self.events) + len(self.deltas)

    def add(self, event: Any) -> None:
        """Append an event."""
        self.events.append(event)

    def start_deltas(self, kind: int, id: str) -> bool:
        """Prepare for plain deltas of one block; False if this batch wants events instead."""
        return False

    def seal(self) -> None:
        """Encode what waits, if this batch encodes in pieces."""

    def flush(self) -> bytes:
        """Everything waiting, as one chunk; empty if nothing waits."""
        return b""

    def take(self) -> list[Any]:
        """Everything waiting, as events."""
        raise TypeError(f"{type(self).__name__} hands out bytes")


class SseBatch(Batch):
    """Frames of server-sent events."""

    def __init__(self) -> None:
        super().__init__()
        self.prefix = b""
        self.between = b""
        self.sealed: list[bytes] = []

    def add(self, event: Any) -> None:
        """Append an event behind the deltas that wait."""
        if self.deltas:
            self._seal_deltas()
        self.events.append(event)
        if len(self.events) >= FULL:
            self._seal_events()

    def start_deltas(self, kind: int, id: str) -> bool:
        """Seal what waits and make the prefix of the frames to come."""
        self.seal()
        line: bytes = BINDING.encode_lines([BINDING.classes[kind](id, "")])
        self.prefix = b"data: " + line[: -len(LAST)]
        self.between = b"}\n\n" + self.prefix
        return True

    def seal(self) -> None:
        """Encode what waits."""
        if self.events:
            self._seal_events()
        if self.deltas:
            self._seal_deltas()

    def flush(self) -> bytes:
        """Everything waiting as one chunk of frames."""
        self.seal()
        if not self.sealed:
            return b""
        chunk = self.sealed[0] if len(self.sealed) == 1 else b"".join(self.sealed)
        self.sealed.clear()
        self.sealed_events = 0
        self.sealed_bytes = 0
        return escape_line_separators(chunk)

    def _seal_events(self) -> None:
        lines: bytes = BINDING.encode_lines(self.events)
        self._keep(b"data: " + lines.replace(b"\n", b"\n\ndata: ")[:-6], len(self.events))
        self.events.clear()

    def _seal_deltas(self) -> None:
        lines = _lines(self.deltas)
        prefix = self.prefix
        self._keep(prefix + lines.replace(b"\n", self.between)[: -len(prefix)], len(self.deltas))
        self.deltas.clear()

    def _keep(self, frames: bytes, count: int) -> None:
        self.sealed.append(frames)
        self.sealed_events += count
        self.sealed_bytes += len(frames)


class EventBatch(Batch):
    """Events as they are; `encode`, if given, turns a list of them into one chunk.

    With `encode` any other encoding can be had: JSON lines, or length-prefixed protobuf.
    """

    def __init__(self, encode: Any = None) -> None:
        super().__init__()
        self.encode: Any = encode

    def flush(self) -> bytes:
        """Everything waiting, through `encode`."""
        events = self.take()
        if not events:
            return b""
        chunk: bytes = self.encode(events)
        return chunk

    def take(self) -> list[Any]:
        """Everything waiting, as a list of events that now belongs to the caller."""
        events = self.events
        self.events = []
        return events


def _lines(strings: list[str]) -> bytes:
    try:
        lines: bytes = BINDING.encode_strings(strings)
        return lines
    except UnicodeEncodeError:  # a lone surrogate leaves as an escape, as in JavaScript
        text = "".join([json.dumps(s, ensure_ascii=False) + "\n" for s in strings])
        return text.encode("utf-8", "backslashreplace")
