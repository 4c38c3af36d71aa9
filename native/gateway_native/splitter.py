"""Byte splitters for incoming streams: SSE blocks and NDJSON lines, fed with chunks cut anywhere.

Each feed returns the payloads that it completed; what is unfinished waits in a buffer of bounded
size. Every byte is scanned and copied a fixed number of times however it arrives. Lines end where
the format says so: Python's `splitlines` would also split at U+2028, U+0085 and form feeds.

A splitter that has met a frame beyond its limit first returns what was completed before it; from
then on every call raises.
"""

from __future__ import annotations

from typing import Final

from gateway_native.errors import FrameTooLargeError

MAX_FRAME: Final = 10 * 1024 * 1024
"""Default limit of an unfinished frame in bytes (10 MiB)."""

BOM: Final = b"\xef\xbb\xbf"
LF: Final = 0x0A


class SseSplitter:
    """Splits `text/event-stream` into the data of its events.

    Lines end with LF, CRLF or CR. `data` lines of one block are joined by LF, without one space
    after the colon; comments, other fields and lines without a colon are ignored, and a block
    without data gives nothing. `limit` bounds the block that a feed leaves unfinished, line ends
    counted as one byte; a larger one that is complete within one chunk passes.

    With `error_field` a line `error: {...}`, which some model servers send outside of the standard,
    counts as the data `{"error":{...}}`.
    """

    def __init__(self, limit: int = MAX_FRAME, error_field: bool = False) -> None:
        self.limit = limit
        self.error_field = error_field
        self._start: bytes | None = b""
        """The first bytes while they may be a byte order mark, then None."""
        self._skip_lf = False
        """True after a CR at the end of a chunk, whose LF may follow."""
        self._tail = bytearray()
        """The unfinished block; its lines end with LF."""

    @property
    def overflows(self) -> bool:
        """True if the unfinished block is beyond the limit, so that the next call will raise."""
        return len(self._tail) > self.limit

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that `chunk` completes; raises FrameTooLargeError."""
        if len(self._tail) > self.limit:
            raise FrameTooLargeError(self.limit)
        if self._start is not None:
            chunk = self._strip_bom(chunk)
        if self._skip_lf or b"\r" in chunk:
            chunk = self._normalize(chunk)
        return self._split(chunk)

    def finish(self) -> list[bytes]:
        """The data of a last event that no blank line ends; call it once, at the end of input."""
        if len(self._tail) > self.limit:
            raise FrameTooLargeError(self.limit)
        return _data_of(bytes(self._tail), self.error_field)

    def _strip_bom(self, chunk: bytes) -> bytes:
        """Remove a byte order mark from the very first bytes; holds back what may be one."""
        start = (self._start or b"") + chunk
        if len(start) < len(BOM) and BOM.startswith(start):
            self._start = start
            return b""
        self._start = None
        return start[len(BOM) :] if start.startswith(BOM) else start

    def _normalize(self, chunk: bytes) -> bytes:
        """Make every line end LF, a CRLF that is cut in two included."""
        if not chunk:
            return chunk
        if self._skip_lf and chunk[0] == LF:
            chunk = chunk[1:]
        self._skip_lf = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _split(self, chunk: bytes) -> list[bytes]:
        """Take the blocks up to the last blank line, hold the rest."""
        tail = self._tail
        end = chunk.rfind(b"\n\n")
        if end >= 0:
            head, rest = chunk[:end], chunk[end + 2 :]
        elif chunk.startswith(b"\n") and tail.endswith(b"\n"):
            head, rest = b"", chunk[1:]
        else:
            tail += chunk
            if len(tail) > self.limit:
                raise FrameTooLargeError(self.limit)
            return []
        if tail:
            tail += head
            head = bytes(tail)
            self._tail = bytearray()
        self._tail += rest
        payloads = _data_of(head, self.error_field)
        if not payloads and len(rest) > self.limit:
            raise FrameTooLargeError(self.limit)
        return payloads


class LineSplitter:
    """Splits NDJSON into its lines, ended by LF or CRLF; blank lines are skipped.

    `limit` bounds the line that a feed leaves unfinished, as in `SseSplitter`.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._tail = bytearray()
        """The unfinished line."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without line ends; raises FrameTooLargeError."""
        tail = self._tail
        if len(tail) > self.limit:
            raise FrameTooLargeError(self.limit)
        end = chunk.rfind(b"\n")
        if end < 0:
            tail += chunk
            if len(tail) > self.limit:
                raise FrameTooLargeError(self.limit)
            return []
        head = chunk[:end]
        if tail:
            tail += head
            head = bytes(tail)
            self._tail = bytearray()
        self._tail += chunk[end + 1 :]
        lines = _lines_of(head)
        if not lines and len(self._tail) > self.limit:
            raise FrameTooLargeError(self.limit)
        return lines

    def finish(self) -> list[bytes]:
        """A last line that nothing ends; call it once, at the end of input."""
        if len(self._tail) > self.limit:
            raise FrameTooLargeError(self.limit)
        return _lines_of(bytes(self._tail))


def _data_of(text: bytes, error_field: bool) -> list[bytes]:
    """The data of each block of `text`, whose lines end with LF; the last one needs no end."""
    payloads: list[bytes] = []
    data: list[bytes] = []
    for line in text.split(b"\n"):
        if not line:
            if data:
                payloads.append(data[0] if len(data) == 1 else b"\n".join(data))
                data.clear()
        elif line.startswith(b"data: "):
            data.append(line[6:])
        elif line.startswith(b"data:"):
            data.append(line[5:])
        elif error_field and line.startswith(b"error:"):
            data.append(b'{"error":' + line[6:] + b"}")
    if data:
        payloads.append(data[0] if len(data) == 1 else b"\n".join(data))
    return payloads


def _lines_of(text: bytes) -> list[bytes]:
    lines: list[bytes] = []
    for line in text.split(b"\n"):
        if line.endswith(b"\r"):
            line = line[:-1]
        if line.strip():
            lines.append(line)
    return lines
