"""Frames that are passed on as they came, since their bytes say all that is to be known.

A content event in an order that is already known to be lawful needs no decoding: of a row of them,
each is the same text up to the delta, then a JSON string, then the end of the frame. The row is
judged as a whole. The text between two strings becomes a comma and a line feed, which makes the row
a JSON array of strings; it is one exactly if each frame held one string, since a line feed may not
stand within one. The text before the strings was learnt from the last frame that took the full
path: a content event that its strict twin decodes, undeclared members forbidden.

Everything else takes the full path, frame by frame: other events, other orders of members, line
ends that are not LF, strings that are not UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from gateway.client.intake import Intake
from gateway.errors import FrameTooLargeError
from gateway.protocol.base import UNSET
from gateway.protocol.enforcement import TWINS
from gateway.protocol.events import (
    EVENT_CLASSES,
    Event,
    ReasoningMessageContent,
    TextMessageContent,
    ToolCallArgs,
)
from gateway.protocol.proto import MEDIA_TYPE

CONTENT: Final = (TextMessageContent, ToolCallArgs, ReasoningMessageContent)
KEY: Final = b'"delta":'
DATA: Final = b"data: "
BLANK: Final = b"\n\n"
END: Final = b"}\n\n"
SEPARATOR: Final = b",\n"

_strings: Final = msgspec.json.Decoder(list[str]).decode
_string: Final = msgspec.json.Decoder(str).decode
_strict: Final[dict[Any, Any]] = {
    cls: msgspec.json.Decoder(TWINS["1.0"].events[cls.type]).decode for cls in CONTENT
}


class Passage(Struct, frozen=True):
    """A row of content events of one block, and the frames that hold them."""

    kind: int
    id: str
    tag: Any
    frames: bytes
    deltas: list[str]

    @property
    def count(self) -> int:
        """The number of events."""
        return len(self.deltas)

    def events(self) -> Iterator[Event]:
        """The events themselves."""
        make: Any = EVENT_CLASSES[self.kind]
        for delta in self.deltas:
            yield make(self.id, delta, subagent_run_id=self.tag)


Item: TypeAlias = Event | Passage


class PassageIntake(Intake):
    """An intake that gives rows of content as passages."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._tail = bytearray()
        """The unfinished frame, while frames are looked at here."""
        self._framing = self._incoming.media_type != MEDIA_TYPE
        """False when all bytes go straight to the reader."""
        self._row = NO_ROW

    async def take_all(self) -> list[Item]:
        """As `take`, with passages in the place of some events."""
        items: list[Any] = await self.take()
        return items

    def _digest(self, chunk: bytes, events: list[Any]) -> None:
        if self._framing and (not chunk or b"\r" in chunk or self._may_begin_with_mark(chunk)):
            self._framing = False
            chunk = bytes(self._tail) + chunk if chunk else self._give_tail(events)
        if not self._framing:
            super()._digest(chunk, events)
            return
        tail = self._tail
        ends = BLANK in chunk or (tail.endswith(b"\n") and chunk.startswith(b"\n"))
        tail += chunk
        if ends:
            data = bytes(tail)
            end = data.rfind(BLANK) + len(BLANK)
            del tail[:end]
            self._digest_frames(data, end, events)
        if len(tail) > self._bounds.frame:
            raise FrameTooLargeError(self._bounds.frame)

    def _may_begin_with_mark(self, chunk: bytes) -> bool:
        """Whether the stream begins with what may be a byte order mark, the reader's affair."""
        return self.bytes == len(chunk) and chunk.startswith(b"\xef")

    def _give_tail(self, events: list[Any]) -> bytes:
        """Hand the unfinished frame to the reader, as the body has ended."""
        if self._tail:
            super()._digest(bytes(self._tail), events)
        return b""

    def _digest_frames(self, data: bytes, end: int, events: list[Any]) -> None:
        """The frames of `data` up to `end`, which is the end of one."""
        start = 0
        mixed = False
        while start < end:
            prefix = self._row.prefix
            if prefix and data.startswith(prefix, start, end):
                stop = self._row.reach(data, start, end, mixed)
                passage = self._row.passage(data[start:stop])
                if passage is not None:
                    self._count(passage.count)
                    events.append(passage)
                    start = stop
                    continue
                if not mixed:
                    mixed = True
                    continue
            stop = data.index(BLANK, start) + len(BLANK)
            self._digest_frame(data[start:stop], events)
            start = stop

    def _digest_frame(self, frame: bytes, events: list[Any]) -> None:
        """The full path, after which the frame may be the first of a row."""
        self._row = NO_ROW
        before = len(events)
        super()._digest(frame, events)
        if len(events) == before + 1 and type(events[-1]) in CONTENT:
            self._row = Row.like(frame, events[-1])


class Row:
    """Frames that begin with `prefix`, which ends before a delta; the last event was one of them.

    `event` is that event. Only content events leave every order as it was, so that what was lawful
    once is lawful again.
    """

    def __init__(self, prefix: bytes, event: Any) -> None:
        self.prefix = prefix
        self._event = event
        self._between = END + prefix

    @staticmethod
    def like(frame: bytes, event: Any) -> Row:
        """The row that a frame of `event` begins, NO_ROW if more than the delta may differ."""
        head = len(DATA) if frame.startswith(DATA) else len(DATA) - 1
        payload = frame[head : -len(BLANK)]
        at = payload.rfind(KEY)
        if not frame.startswith(DATA[:-1]) or at < 0 or b"\n" in payload or _carries_more(event):
            return NO_ROW
        try:
            strict = _strict[type(event)](payload)
            delta = _string(payload[at + len(KEY) : -1])
        except (msgspec.DecodeError, UnicodeError):
            return NO_ROW
        if delta != event.delta or strict.subagent_run_id != event.subagent_run_id:
            return NO_ROW
        return Row(frame[: head + at + len(KEY)], event)

    def reach(self, data: bytes, start: int, end: int, mixed: bool) -> int:
        """The end of the frames to be judged together: up to the last one, or the first other."""
        if not mixed:
            last = data.rfind(self._between, start, end)
            return data.index(BLANK, start if last < 0 else last + len(END)) + len(BLANK)
        while data.startswith(self.prefix, start, end):
            start = data.index(BLANK, start) + len(BLANK)
        return start

    def passage(self, frames: bytes) -> Passage | None:
        """The row as one, None if one of the frames is anything else."""
        bare = frames[len(self.prefix) : -len(END)]
        body = bare.replace(self._between, SEPARATOR)
        try:
            deltas = _strings(b"[" + body + b"]")
        except (msgspec.DecodeError, UnicodeError):
            return None
        joints = (len(bare) - len(body)) // (len(self._between) - len(SEPARATOR))
        one_each = len(deltas) == joints + 1 and frames.count(b"\n") == 2 * len(deltas)
        if not one_each or not frames.endswith(END):
            return None
        event = self._event
        id = event.tool_call_id if type(event) is ToolCallArgs else event.message_id
        return Passage(event.kind, id, event.subagent_run_id, frames, deltas)


NO_ROW: Final = Row(b"", None)


def _carries_more(event: Any) -> bool:
    return (
        event.timestamp is not UNSET or event.raw_event is not UNSET or event.metadata is not UNSET
    )
