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
from gateway.protocol.records import OneOf, Record
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.shapes import Several, Shape, TextOr
from gateway.protocol.values import encode_value


def event_of(row: dict[str, Any]) -> Event | None:
    """The event that a JSON object describes, unknown members and whole optional nulls left out."""
    if row.get("type") not in EVENTS:
        return None
    shape = SCHEMAS["1.1"].events[row["type"]]
    return msgspec.convert(strip(row, shape, lenient=True), EVENTS[row["type"]])


def declared_in(value: Any, shape: Shape) -> Any:
    """A JSON value without undeclared members of closed objects and optional nulls.

    Nothing is judged: what is required may be absent.
    """
    match shape:
        case Several() if isinstance(value, list):
            return [declared_in(item, shape.item) for item in value]
        case TextOr() if isinstance(value, list):
            return declared_in(value, shape.items)
        case OneOf():
            return declared_in(value, shape.arms[value[shape.tag]])
        case Record(open=False):
            tag = {shape.tag: value[shape.tag]} if shape.tag else {}
            return tag | {
                member.name: declared_in(value[member.name], member.shape)
                for member in shape.members
                if value.get(member.name) is not None or (member.required and member.name in value)
            }
    return value


def struct_of(value: Any, shape: Shape) -> Any:
    """Structs from a JSON value, what is absent and required left unset."""
    match shape:
        case Several() if isinstance(value, list):
            return [struct_of(item, shape.item) for item in value]
        case TextOr() if isinstance(value, list):
            return struct_of(value, shape.items)
        case OneOf():
            return struct_of(value, shape.arms[value[shape.tag]])
        case Record(open=False):
            return shape.cls(
                **{
                    member.attribute: struct_of(value[member.name], member.shape)
                    if member.name in value
                    else UNSET
                    for member in shape.members
                }
            )
    return value


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
