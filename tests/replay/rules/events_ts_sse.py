"""Frames of the official TypeScript encoder, as JSON values with numbers as doubles."""

import json
from typing import Any

from gateway.protocol.encoder import encode_sse
from gateway.protocol.schema import SCHEMAS
from tests.replay.build import declared_in, struct_of
from tests.replay.verdict import Row, Verdict, difference


def check(row: Row) -> Verdict:
    shape = SCHEMAS["1.1"].events[row["event"]["type"]]
    event = struct_of(declared_in(row["event"], shape), shape)
    ours = _value(encode_sse(event).decode())
    return difference(ours, declared_in(_value(row["sse"]), shape))


def _value(frame: str) -> Any:
    return json.loads(frame.removeprefix("data: ").removesuffix("\n\n"), parse_int=float)
