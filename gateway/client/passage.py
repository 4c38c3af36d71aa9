"""Frames that are passed on as they came, since their bytes say all that is to be known.

A content event in an order that is already known to be lawful needs no decoding: of a row of them,
each is the same text up to the delta, then a JSON string, then the end of the frame. The row is
judged as a whole: what stands in the place of the deltas is joined to a JSON array, which one
decode finds to be one of strings, or not. The text before the deltas was learnt from the last frame
that took the full path: a content event that its strict twin decodes, undeclared members forbidden.

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
        self._pattern = NO_PATTERN

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
        if BLANK in chunk or (tail.endswith(b"\n") and chunk.startswith(b"\n")):
            data = bytes(tail) + chunk if tail else chunk
            end = data.rfind(BLANK) + len(BLANK)
            tail = self._tail = bytearray(data[end:])
            self._digest_frames(data, end, events)
        else:
            tail += chunk
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
        start = barred = 0
        mixed = False
        while start < end:
            pattern = self._pattern
            if start >= barred and pattern.begins(data, start, end):
                stop = pattern.reach(data, start, end, mixed)
                passage = pattern.passage(data[start:stop])
                if passage is not None:
                    self._count(passage.count)
                    events.append(passage)
                    start = stop
                    continue
                if not mixed:
                    mixed = True
                    continue
                barred = stop
            stop = _others(data, start, end)
            self._digest_others(data[start:stop], events)
            start = stop

    def _digest_others(self, frames: bytes, events: list[Any]) -> None:
        """The full path, after which a single frame may be the first of a row."""
        self._pattern = NO_PATTERN
        before = len(events)
        super()._digest(frames, events)
        if len(events) == before + 1 and type(events[-1]) in CONTENT:
            self._pattern = Pattern.of(frames, events[-1])


class Pattern:
    """What the frames of a row begin with, up to a delta; the last event was one of them.

    `event` is that event. Only content events leave every order as it was, so that what was lawful
    once is lawful again.
    """

    def __init__(self, prefix: bytes, event: Any) -> None:
        self.prefix = prefix
        self._between = END + prefix
        self._event = event

    @staticmethod
    def of(frame: bytes, event: Any) -> Pattern:
        """The pattern of a frame of `event`, NO_PATTERN if more than the delta may differ."""
        head = len(DATA) if frame.startswith(DATA) else len(DATA) - 1
        payload = frame[head : -len(BLANK)]
        at = payload.rfind(KEY)
        if not frame.startswith(DATA[:-1]) or at < 0 or b"\n" in payload or _carries_more(event):
            return NO_PATTERN
        try:
            strict = _strict[type(event)](payload)
            delta = _string(payload[at + len(KEY) : -1])
        except (msgspec.DecodeError, UnicodeError):
            return NO_PATTERN
        if delta != event.delta or strict.subagent_run_id != event.subagent_run_id:
            return NO_PATTERN
        return Pattern(frame[: head + at + len(KEY)], event)

    def begins(self, data: bytes, start: int, end: int) -> bool:
        """Whether the frame at `start` may be one of the row."""
        return self.prefix != b"" and data.startswith(self.prefix, start, end)

    def reach(self, data: bytes, start: int, end: int, mixed: bool) -> int:
        """The end of the frames to be judged together: up to the last one, or the first other."""
        if not mixed:
            last = data.rfind(self._between, start, end)
            return data.index(BLANK, start if last < 0 else last + len(END)) + len(BLANK)
        while data.startswith(self.prefix, start, end):
            start = data.index(BLANK, start) + len(BLANK)
        return start

    def passage(self, frames: bytes) -> Passage | None:
        """The frames as one row, None if one of them is anything else.

        A line feed is within no text but a frame's end, and within no JSON string: so if the array
        holds as many strings as there are texts, each text is one string.
        """
        texts = frames.split(self._between)
        texts[-1] = texts[-1][: -len(END)]
        texts[0] = texts[0][len(self.prefix) :]
        array = b"[" + b",\n".join(texts) + b"]"
        if not frames.endswith(END) or array.count(b"\n") != len(texts) - 1:
            return None
        try:
            deltas = _strings(array)
        except (msgspec.DecodeError, UnicodeError):
            return None
        if len(deltas) != len(texts):
            return None
        event = self._event
        id = event.tool_call_id if type(event) is ToolCallArgs else event.message_id
        return Passage(event.kind, id, event.subagent_run_id, frames, deltas)


NO_PATTERN: Final = Pattern(b"", None)


def _others(data: bytes, start: int, end: int) -> int:
    """The end of the frames from `start` on that hold no delta, or else of one frame."""
    at = data.find(KEY, start, end)
    if at < 0:
        return end
    before = data.rfind(BLANK, start, at)
    return (data.index(BLANK, start) if before < 0 else before) + len(BLANK)


def _carries_more(event: Any) -> bool:
    return (
        event.timestamp is not UNSET or event.raw_event is not UNSET or event.metadata is not UNSET
    )
