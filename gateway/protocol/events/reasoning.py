"""Reasoning spans, messages and encrypted values (spec: `docs/spec/1.1/events/reasoning.mdx`)."""

from typing import Literal

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events.base import Attributable


class ReasoningStart(Attributable, frozen=True, gc=False, tag="REASONING_START"):
    """Opens a span; spans and reasoning messages are separate name spaces."""

    message_id: str


class ReasoningEnd(Attributable, frozen=True, gc=False, tag="REASONING_END"):
    message_id: str


class ReasoningMessageStart(Attributable, frozen=True, gc=False, tag="REASONING_MESSAGE_START"):
    """Opens a reasoning message; `role` is required on the wire and always the same."""

    message_id: str
    role: Literal["reasoning"] = "reasoning"


class ReasoningMessageContent(Attributable, frozen=True, gc=False, tag="REASONING_MESSAGE_CONTENT"):
    message_id: str
    delta: str


class ReasoningMessageEnd(Attributable, frozen=True, gc=False, tag="REASONING_MESSAGE_END"):
    message_id: str


class ReasoningMessageChunk(Attributable, frozen=True, gc=False, tag="REASONING_MESSAGE_CHUNK"):
    """Shorthand for start, content and end; the first chunk names the id."""

    message_id: str | UnsetType = UNSET
    delta: str | UnsetType = UNSET


class ReasoningEncryptedValue(Attributable, frozen=True, gc=False, tag="REASONING_ENCRYPTED_VALUE"):
    """An opaque value that belongs to a message or call and returns unmodified in later input.

    `encrypted_value_type` is an addition of protocol 1.1.
    """

    subtype: Literal["tool-call", "message"]
    entity_id: str
    encrypted_value: str
    encrypted_value_type: str | UnsetType = UNSET
