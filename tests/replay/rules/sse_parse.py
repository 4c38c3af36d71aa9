"""Byte chunks through the SSE reader give the official reader's events, or an error where it does.

The official reader knows no CR and reads numbers as doubles: such rows do not apply.
"""

import base64
import json
import math
from contextlib import suppress
from typing import Any

from gateway.errors import GatewayError
from gateway.protocol.sse import SseReader
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference


def check(row: Row) -> Verdict:
    chunks = _chunks(row)
    if not _applies(b"".join(chunks)):
        return NOT_APPLICABLE
    expected = row.get("http") or row
    events, error = _read(chunks)
    if found := difference(_elide(events, expected["yields"]), expected["yields"]):
        return found
    if (error is None) != (expected["error"] is None):
        return f"error: ours {error!r} != {expected['error']!r}"
    return None


def _chunks(row: Row) -> list[bytes]:
    if "chunks_b64" in row:
        return [base64.b64decode(chunk) for chunk in row["chunks_b64"]]
    repeat = row["chunks_repeat"]
    body = (repeat["prefix"] + repeat["char"] * repeat["count"]).encode()
    suffix = repeat["suffix"].encode()
    return [body, suffix] if repeat.get("split_before_suffix") else [body + suffix]


def _applies(data: bytes) -> bool:
    """False for CR, NaN and numbers that a double does not hold as they are written."""
    if b"\r" in data:
        return False
    foreign: list[str] = []

    def number(text: str) -> float:
        value = float(text)
        whole = text.lstrip("-").isdigit()
        if not math.isfinite(value) or (whole and int(text) != int(value)):
            foreign.append(text)
        return value

    for line in data.decode("utf-8", "replace").split("\n"):
        with suppress(ValueError, RecursionError):
            json.loads(
                line.removeprefix("data:"),
                parse_int=number,
                parse_float=number,
                parse_constant=foreign.append,
            )
    return not foreign


def _read(chunks: list[bytes]) -> tuple[list[Any], GatewayError | None]:
    reader = SseReader()
    events: list[Any] = []
    try:
        for chunk in chunks:
            events += reader.feed(chunk)
        events += reader.finish()
    except GatewayError as error:
        return events, error
    return events, None


def _elide(events: list[Any], expected: list[Any]) -> list[Any]:
    """Very long values stand in the rows as their length."""
    return [
        {"type": event["type"], "v_length": len(event["v"])} if "v_length" in str(wanted) else event
        for event, wanted in zip(events, expected, strict=False)
    ] + events[len(expected) :]
