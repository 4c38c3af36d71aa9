"""Messages of a thread, one Struct a role (spec: `docs/spec/1.1/basic/run-input.mdx`)."""

from typing import Any, ClassVar, Final, Literal, TypeAlias

from gateway.protocol.base import UNSET, Metadata, UnsetType, Wire
from gateway.protocol.parts import ContentPart


class FunctionCall(Wire, frozen=True, gc=False):
    """`arguments` is text as the model wrote it; the protocol neither parses nor validates it."""

    name: str
    arguments: str


IMPLIED_FUNCTION: Final[Literal["function"]] = str(b"function", "ascii")  # type: ignore[assignment]
"""The default of `ToolCall.type`; another object than the one decoded, so it shows who left it."""


class ToolCall(Wire, frozen=True):
    """A call that an assistant message made; `type` is required on the wire."""

    id: str
    function: FunctionCall
    type: Literal["function"] = IMPLIED_FUNCTION
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class BaseMessage(Wire, frozen=True, kw_only=True, tag_field="role"):
    """What all messages share; `role` tells them apart."""

    role: ClassVar[str]
    metadata: Metadata | UnsetType = UNSET
    subagent_run_id: str | UnsetType = UNSET


class DeveloperMessage(BaseMessage, frozen=True, tag="developer"):
    id: str
    content: str
    name: str | UnsetType = UNSET
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


class SystemMessage(BaseMessage, frozen=True, tag="system"):
    id: str
    content: str
    name: str | UnsetType = UNSET
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


class UserMessage(BaseMessage, frozen=True, tag="user"):
    id: str
    content: str | list[ContentPart]
    name: str | UnsetType = UNSET
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


class AssistantMessage(BaseMessage, frozen=True, tag="assistant"):
    id: str
    content: str | UnsetType = UNSET
    tool_calls: list[ToolCall] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


class ToolMessage(BaseMessage, frozen=True, tag="tool"):
    """The answer to a tool call; `error` says why a call failed."""

    id: str
    tool_call_id: str
    content: str | list[ContentPart]
    error: str | UnsetType = UNSET
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


class ActivityMessage(BaseMessage, frozen=True, tag="activity"):
    """Something shown to the user only; never sent to an agent."""

    id: str
    activity_type: str
    content: dict[str, Any]


class ReasoningMessage(BaseMessage, frozen=True, tag="reasoning"):
    id: str
    content: str
    encrypted_value: str | UnsetType = UNSET
    encrypted_value_type: str | UnsetType = UNSET


Message: TypeAlias = (
    DeveloperMessage
    | SystemMessage
    | UserMessage
    | AssistantMessage
    | ToolMessage
    | ActivityMessage
    | ReasoningMessage
)

MESSAGES: tuple[type[BaseMessage], ...] = (
    DeveloperMessage,
    SystemMessage,
    UserMessage,
    AssistantMessage,
    ToolMessage,
    ActivityMessage,
    ReasoningMessage,
)

for _message in MESSAGES:
    _message.role = str(_message.__struct_config__.tag)
