"""Frames, however they are cut, give the events and the kind of error of the official reader."""

import base64
from typing import Any

from gateway.errors import DecodeError, FrameTooLargeError, GatewayError, TruncatedError
from gateway.protocol.proto import ProtoReader
from tests.replay.verdict import Row, Verdict, difference

ERRORS: list[tuple[str, type[GatewayError]]] = [
    ("mid-frame", TruncatedError),
    ("maximum limit", FrameTooLargeError),
    ("", DecodeError),
]
"""A part of the official message and the error that we raise."""


def check(row: Row) -> Verdict:
    events, error = _read([base64.b64decode(chunk) for chunk in row["chunks_b64"]])
    if found := difference(events, row["yields"]):
        return found
    if (error is None) != row["completed"]:
        return f"completed: ours {error!r} != {row['completed']}"
    expected = _expected(row["error"])
    return None if type(error) is expected else f"error: ours {error!r} != {row['error']!r}"


def _expected(error: str | None) -> type[object]:
    if error is None:
        return type(None)
    return next(cls for text, cls in ERRORS if text in error)


def _read(chunks: list[bytes]) -> tuple[list[Any], GatewayError | None]:
    reader = ProtoReader()
    events: list[Any] = []
    try:
        for chunk in chunks:
            events += reader.feed(chunk)
        events += reader.finish()
    except GatewayError as error:
        return events, error
    return events, None
