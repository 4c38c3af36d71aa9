"""The members of protocol types in the order of the schema, under their names on the wire.

Constructors take what matters first; the schema puts members elsewhere (`role` after `id`, `name`
before `content`). Whoever compares bytes sees the schema's order, so what is nested in an event
goes out through here. Events themselves are written in the order of their constructors, the
envelope last.
"""

from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import astuple

import gateway.protocol.capabilities  # noqa: F401 - its types belong into the table too
from gateway.protocol.base import UNSET, Wire
from gateway.protocol.events import Event
from gateway.protocol.input import ImpliedList, RunAgentInput
from gateway.protocol.messages import (
    ActivityMessage,
    AssistantMessage,
    DeveloperMessage,
    ReasoningMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.parts import AudioPart, DocumentPart, ImagePart, TextPart, VideoPart

_TYPED = ("subagent_run_id", "id", "role")
_ENCRYPTED = ("encrypted_value", "encrypted_value_type")
_SPOKEN = (*_TYPED, "name", *_ENCRYPTED, "metadata", "content")
_MEDIA = ("type", "id", "source", "metadata")

ORDERS: Final[dict[type[Struct], tuple[str, ...]]] = {
    DeveloperMessage: _SPOKEN,
    SystemMessage: _SPOKEN,
    UserMessage: _SPOKEN,
    AssistantMessage: (*_SPOKEN, "tool_calls"),
    ToolMessage: (*_TYPED, "content", "tool_call_id", "error", *_ENCRYPTED, "metadata"),
    ActivityMessage: (*_TYPED, "activity_type", "content", "metadata"),
    ReasoningMessage: (*_TYPED, "content", *_ENCRYPTED, "metadata"),
    ToolCall: ("id", "type", "function", *_ENCRYPTED, "metadata"),
    TextPart: ("type", "id", "text", "metadata"),
    ImagePart: _MEDIA,
    AudioPart: _MEDIA,
    VideoPart: _MEDIA,
    DocumentPart: _MEDIA,
    Interrupt: (
        "subagent_run_id",
        "id",
        "reason",
        "message",
        "tool_call_id",
        "response_schema",
        "expires_at",
        "metadata",
    ),
    RunAgentInput: (
        "thread_id",
        "run_id",
        "protocol_version",
        "parent_run_id",
        "state",
        "messages",
        "tools",
        "context",
        "forwarded_props",
        "resume",
    ),
}
"""The attributes of each type in the order of the schema, where that is not the constructor's."""

Slots: TypeAlias = list[tuple[str, int]]
"""Names on the wire, each with the place of its value: a field's, or -1 for the tag."""


def to_wire(value: Any) -> Any:
    """A protocol value as plain objects in the schema's order, absent members left out.

    Open JSON inside is given as it is.
    """
    if isinstance(value, list):
        return [to_wire(element) for element in value]
    if type(value) not in SLOTS:
        return value
    return {name: to_wire(member) for name, member in members_of(value).items()}


def members_of(value: Wire | Event) -> dict[str, Any]:
    """The members of a protocol value as they are, under their wire names in the schema's order."""
    cls = type(value)
    values = (*astuple(value), cls.__struct_config__.tag)
    return {
        name: member
        for name, place in SLOTS[cls]
        if (member := values[place]) is not UNSET and (member or type(member) is not ImpliedList)
    }


def _slots(cls: type[Struct]) -> Slots:
    tag = cls.__struct_config__.tag_field
    fields = cls.__struct_fields__
    order = ORDERS.get(cls) or ((tag, *fields) if tag else fields)
    names = dict(zip(fields, cls.__struct_encode_fields__, strict=True))
    return [(names.get(each, each), fields.index(each) if each in names else -1) for each in order]


def _family(cls: type[Struct]) -> list[type[Struct]]:
    return [cls, *(each for sub in cls.__subclasses__() for each in _family(sub))]


SLOTS: Final[dict[type[Struct], Slots]] = {
    cls: _slots(cls) for root in (Wire, Event) for cls in _family(root)
}
"""The members of every protocol type in the order in which they are written."""
