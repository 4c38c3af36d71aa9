"""Frames of the official TypeScript encoder, as JSON values with numbers as doubles."""

import json
from typing import Any

from gateway.protocol.encoder import encode_sse
from tests.replay.build import declared_in, event_of
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    event = event_of(row["event"])
    if event is None:
        return "no such event"
    return difference(_value(encode_sse(event).decode()), declared_in(_value(row["sse"])))


def _value(frame: str) -> Any:
    assert frame.startswith("data: ") and frame.endswith("\n\n"), frame
    return json.loads(frame[6:-2], parse_int=float)
