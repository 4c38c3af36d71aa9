"""Our Structs from the JSON of a row, for rules whose rows meet no enforcement."""

import json
from typing import Any

import msgspec

from gateway.protocol.base import UNSET
from gateway.protocol.encoder import encode_event
from gateway.protocol.enforcement import strip
from gateway.protocol.events import EVENTS, Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.notices import Notice
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.values import encode_value


def event_of(row: dict[str, Any]) -> Event | None:
    """The event that a JSON object describes, unknown members and whole optional nulls left out."""
    if row.get("type") not in EVENTS:
        return None
    return msgspec.convert(declared_in(row), EVENTS[row["type"]])


def declared_in(row: dict[str, Any]) -> dict[str, Any]:
    """An event's JSON without undeclared members of closed objects and without optional nulls."""
    kept: dict[str, Any] = strip(row, SCHEMAS["1.1"].events[row["type"]], lenient=True)
    return kept


def undeclared_in(row: dict[str, Any]) -> set[str]:
    """The pointers of the undeclared members in an event's JSON."""
    notices: list[Notice] = []
    strip(row, SCHEMAS["1.1"].events[row["type"]], notices.append, lenient=True)
    return {notice.path for notice in notices}


def messages_of(rows: list[dict[str, Any]]) -> list[Any]:
    """Messages from their JSON."""
    return msgspec.convert({"threadId": "", "runId": "", "messages": rows}, RunAgentInput).messages


def json_of(value: Any) -> Any:
    """Messages, parts or interrupts as JSON, in the order of the schema."""
    return json.loads(encode_value(value))


def json_of_event(event: Event) -> Any:
    """An event as JSON, as it leaves the gateway."""
    return json.loads(encode_event(event))


def state_of(owner: dict[str, Any]) -> Any:
    """The `state` of a row, UNSET without the key."""
    return owner.get("state", UNSET)
