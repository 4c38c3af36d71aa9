"""Tool calls and their results (spec: `docs/spec/1.1/events/tool-calls.mdx`)."""

from typing import Literal

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events.base import Attributable
from gateway.protocol.parts import ContentPart


class ToolCallStart(Attributable, frozen=True, gc=False, tag="TOOL_CALL_START"):
    """Opens a call; `parent_message_id` is the assistant message that it belongs to."""

    tool_call_id: str
    tool_call_name: str
    parent_message_id: str | UnsetType = UNSET


class ToolCallArgs(Attributable, frozen=True, gc=False, tag="TOOL_CALL_ARGS"):
    """Appends `delta` to the argument text."""

    tool_call_id: str
    delta: str


class ToolCallEnd(Attributable, frozen=True, gc=False, tag="TOOL_CALL_END"):
    """The arguments are complete."""

    tool_call_id: str


class ToolCallChunk(Attributable, frozen=True, gc=False, tag="TOOL_CALL_CHUNK"):
    """Shorthand for start, args and end; the first chunk of a call names its id and tool."""

    tool_call_id: str | UnsetType = UNSET
    tool_call_name: str | UnsetType = UNSET
    parent_message_id: str | UnsetType = UNSET
    delta: str | UnsetType = UNSET


class ToolCallResult(Attributable, frozen=True, tag="TOOL_CALL_RESULT"):
    """The answer to a call; makes a tool message with its own `message_id`."""

    message_id: str
    tool_call_id: str
    content: str | list[ContentPart]
    role: Literal["tool"] | UnsetType = UNSET
