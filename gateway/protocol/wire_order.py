"""Nested types as plain objects, their members in the order of the schema.

Constructors take what matters first; the schema puts members elsewhere (`role` after `id`, `name`
before `content`). Whoever compares bytes sees the schema's order, so messages, parts, interrupts
and inputs go out through here.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from gateway.protocol.base import UNSET
from gateway.protocol.input import RunAgentInput
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

ORDERS: dict[type[Struct], tuple[str, ...]] = {
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


def to_wire(value: Any) -> Any:
    """A protocol value as plain objects in the schema's order, absent members left out.

    Open JSON inside is left as it is, to be encoded by whoever gets the result.
    """
    if isinstance(value, list):
        return [to_wire(element) for element in value]
    if isinstance(value, Struct):
        writer = _WRITERS.get(type(value))
        if writer is None:
            writer = _WRITERS[type(value)] = _writer(type(value))
        return writer(value)
    return value


def _writer(cls: type[Struct]) -> Callable[[Any], dict[str, Any]]:
    config = cls.__struct_config__
    names = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
    order = ORDERS.get(cls, (config.tag_field, *names) if config.tag_field else tuple(names))
    tag = {config.tag_field: config.tag}

    def write(value: Any) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for attribute in order:
            if attribute in tag and attribute not in names:
                members[str(attribute)] = tag[attribute]
                continue
            member = getattr(value, attribute)
            if member is not UNSET:
                members[names[attribute]] = to_wire(member)
        return members

    return write


_WRITERS: dict[type[Struct], Callable[[Any], dict[str, Any]]] = {}
