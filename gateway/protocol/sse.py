"""Events out of an SSE body (spec: `docs/spec/1.1/basic/transports/http-sse.mdx`)."""

from collections.abc import Iterator
from typing import Any

from gateway.errors import DecodeError, FrameTooLargeError, TruncatedError
from gateway.protocol.reader import EventReader, Json
from gateway.protocol.values import decode_value
from gateway_native.splitter import MAX_FRAME, SseSplitter


class SseReader(EventReader):
    """Reads SSE frames; each must be a JSON object with a `type`, a string that is not empty.

    Bytes that are not UTF-8 become U+FFFD. `limit` bounds an unfinished frame in bytes. A last
    event without a blank line counts. Raises DecodeError, TruncatedError (the body ended within a
    frame) and FrameTooLargeError.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        super().__init__()
        self._splitter = SseSplitter(limit)

    def _read(self, chunk: bytes) -> Iterator[Json]:
        for payload in self._splitter.feed(chunk):
            yield _event_of(_value_of(payload))
        if self._splitter.overflows:
            raise FrameTooLargeError(self._splitter.limit)

    def _read_last(self) -> Iterator[Json]:
        for payload in self._splitter.finish():
            try:
                value = _value_of(payload)
            except DecodeError as error:
                raise TruncatedError(f"the stream ended within a frame: {error.reason}") from None
            yield _event_of(value)


def _event_of(value: Any) -> Json:
    if type(value) is not dict:
        raise DecodeError("the frame is not a JSON object")
    kind = value.get("type")
    if type(kind) is not str or not kind:
        raise DecodeError("the frame has no event type")
    return value


def _value_of(payload: bytes) -> Any:
    try:
        return decode_value(payload)
    except DecodeError:
        text = payload.decode("utf-8", "replace")
        if "\ufffd" not in text:
            raise
        return decode_value(text)
