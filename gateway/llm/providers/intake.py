"""The bytes of a successful response on their way into a decoder, as a stream or as one body."""

from gateway.llm.failure import malformed
from gateway.llm.model import Delta
from gateway.llm.providers.decoder import Decoder

MAX_BODY = 32 * 1024 * 1024
"""Bound of an answer that is one body, in bytes."""


class Intake:
    """Chooses by the first byte: a brace or markup is a body, unless the stream is of `lines`."""

    def __init__(self, decoder: Decoder, lines: bool) -> None:
        self._decoder = decoder
        self._body_starts = (b"<", b"[") if lines else (b"<", b"[", b"{")
        self._start: bytes | None = b""
        """What came before the first byte that is not blank, None once that is known."""
        self._body: bytearray | None = None

    def feed(self, chunk: bytes) -> list[Delta]:
        """What these bytes complete; a body completes nothing before its end."""
        if self._start is not None:
            chunk = self._start + chunk
            first = chunk.lstrip()[:1]
            self._start = None if first else chunk
            if not first:
                return []
            self._body = bytearray() if first in self._body_starts else None
        if self._body is None:
            return self._decoder.feed(chunk)
        self._body += chunk
        if len(self._body) > MAX_BODY:
            return self._decoder.abandon(malformed(self._decoder.provider, "the body is too large"))
        return []

    def end(self) -> list[Delta]:
        """What the end of the response completes."""
        if self._body is not None and self._decoder.failure is None:
            return self._decoder.whole(bytes(self._body))
        return self._decoder.finish()
