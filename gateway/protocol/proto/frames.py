"""Events out of protobuf frames (spec: `docs/spec/1.1/basic/transports/http-protobuf.mdx`)."""

from collections.abc import Iterator

from gateway.errors import FrameTooLargeError, TruncatedError
from gateway.protocol.notices import Warn, ignore
from gateway.protocol.proto.decoder import decode_proto
from gateway.protocol.reader import EventReader, Json
from gateway_native.splitter import MAX_FRAME

HEADER = 4
"""Bytes of the length, big-endian, before each message."""


class ProtoReader(EventReader):
    """Reads protobuf frames; `limit` bounds one frame in bytes, its header included.

    Events newer than this build are dropped, with a notice to `warn`. Raises DecodeError,
    TruncatedError (the body ended within a frame) and FrameTooLargeError (from the length alone).
    """

    def __init__(self, limit: int = MAX_FRAME, warn: Warn = ignore) -> None:
        super().__init__()
        self._limit = limit
        self._warn = warn
        self._buffer = bytearray()

    def _read(self, chunk: bytes) -> Iterator[Json]:
        self._buffer += chunk
        for message in self._frames():
            event = decode_proto(message, self._warn)
            if event is not None:
                yield event

    def _read_last(self) -> Iterator[Json]:
        if self._buffer:
            raise TruncatedError(
                f"the stream ended within a frame, {len(self._buffer)} bytes of it"
            )
        yield from ()

    def _frames(self) -> Iterator[bytes]:
        """Yields the messages that are complete and keeps the rest."""
        buffer = self._buffer
        start = 0
        while len(buffer) - start >= HEADER:
            end = start + HEADER + int.from_bytes(buffer[start : start + HEADER], "big")
            if end - start > self._limit:
                raise FrameTooLargeError(self._limit)
            if end > len(buffer):
                break
            yield bytes(buffer[start + HEADER : end])
            start = end
        del buffer[:start]
