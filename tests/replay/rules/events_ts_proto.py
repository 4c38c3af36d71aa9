"""Events encode to the official bytes and decode to what the official decoder gives."""

import base64
from typing import Any

from gateway.errors import EncodeError, GatewayError
from gateway.protocol.enforcement import enforce
from gateway.protocol.events import Event
from gateway.protocol.proto import decode_proto, encode_proto
from tests.replay.verdict import NOT_APPLICABLE, Row, Verdict, difference


def check(row: Row) -> Verdict:
    if not row["supported"]:
        return _check_refused(row)
    if row["name"].startswith("x/"):
        return NOT_APPLICABLE
    expected = base64.b64decode(row["proto_b64"])
    ours = encode_proto(_build(row["event"]))
    if ours != expected:
        return f"bytes: ours {ours.hex()} != {expected.hex()}"
    theirs = row.get("decoded", row["event"])
    return difference(_doubles(decode_proto(ours[4:])), _doubles(theirs))


def _check_refused(row: Row) -> Verdict:
    """What cannot be encoded must fail in encoding; what was encoded all the same, in decoding."""
    try:
        if "proto_b64" in row:
            decode_proto(base64.b64decode(row["proto_b64"])[4:])
        else:
            encode_proto(_build(row["event"]))
    except GatewayError:
        return None
    return "not refused"


def _build(value: dict[str, Any]) -> Event:
    """The Struct of a JSON object, without undeclared members."""
    event = enforce(value)
    if event is None:
        raise EncodeError("no such event")
    return event


def _doubles(value: Any) -> Any:
    """The value as JavaScript holds it: each integer is the double next to it."""
    if type(value) is dict:
        return {key: _doubles(item) for key, item in value.items()}
    if type(value) is list:
        return [_doubles(item) for item in value]
    return float(value) if type(value) is int else value
