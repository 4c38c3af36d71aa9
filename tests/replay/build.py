"""Our Structs from the JSON of a row, for rules whose rows meet no enforcement."""

import json
from typing import Any

import msgspec

from gateway.protocol.base import UNSET
from gateway.protocol.encoder import encode_event
from gateway.protocol.enforcement import strip
from gateway.protocol.events import EVENTS, Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.values import encode_value
from gateway.protocol.wire_order import to_wire


def event_of(row: dict[str, Any]) -> Event | None:
    """The event that a JSON object describes, unknown members and whole optional nulls left out."""
    if row.get("type") not in EVENTS:
        return None
    shape = SCHEMAS["1.1"].events[row["type"]]
    return msgspec.convert(strip(row, shape, lenient=True), EVENTS[row["type"]])


def messages_of(rows: list[dict[str, Any]]) -> list[Any]:
    """Messages from their JSON."""
    return msgspec.convert({"threadId": "", "runId": "", "messages": rows}, RunAgentInput).messages


def json_of(value: Any) -> Any:
    """Messages, parts or interrupts as JSON, in the order of the schema."""
    return json.loads(encode_value(to_wire(value)))


def json_of_event(event: Event) -> Any:
    """An event as JSON, as it leaves the gateway."""
    return json.loads(encode_event(event))


def state_of(owner: dict[str, Any]) -> Any:
    """The `state` of a row, UNSET without the key."""
    return owner.get("state", UNSET)
