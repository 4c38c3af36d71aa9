"""Messages and tool calls while events build them.

They are frozen, and long ones come in thousands of deltas, so what events add is collected and put
together when somebody looks: the cost of a run stays linear in its length. Whatever has not changed
since the last look is the same object again.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from gateway.protocol.base import UNSET, Metadata, UnsetType, merged
from gateway.protocol.messages import AssistantMessage, FunctionCall, Message, ToolCall


class Call:
    """A tool call, the deltas of its arguments, and the message that holds it."""

    __slots__ = ("_call", "_deltas", "_metadata", "owner")

    def __init__(self, call: ToolCall, owner: Entry) -> None:
        self.owner = owner
        self._call = call
        self._deltas: list[str] = []
        self._metadata: Metadata | UnsetType = UNSET

    @property
    def id(self) -> str:
        return self._call.id

    @property
    def call(self) -> ToolCall:
        """The call with all that was added."""
        if self._deltas:
            before = self._call.function
            arguments = before.arguments + "".join(self._deltas)
            self._call = replace(self._call, function=FunctionCall(before.name, arguments))
            self._deltas = []
        if self._metadata is not UNSET:
            self._call = replace(self._call, metadata=merged(self._call.metadata, self._metadata))
            self._metadata = UNSET
        return self._call

    def append(self, delta: str) -> None:
        """Append to the arguments."""
        self._deltas.append(delta)
        self.owner.stale = True

    def merge(self, metadata: Metadata | UnsetType) -> None:
        """Merge metadata into the call's."""
        if metadata is not UNSET:
            self._metadata = added(self._metadata, metadata)
            self.owner.stale = True

    def rename(self, name: str) -> None:
        """Give the function another name."""
        function = FunctionCall(name, self.call.function.arguments)
        self.change(function=function)

    def change(self, **members: Any) -> None:
        """Replace members of the call other than its metadata."""
        self._call = replace(self._call, **members)
        self.owner.stale = True


class Entry:
    """A message, its calls, and the deltas that it has not taken in yet."""

    __slots__ = ("_deltas", "_message", "_metadata", "calls", "stale")

    def __init__(self, message: Message) -> None:
        self.put(message)

    def put(self, message: Message) -> None:
        """Make this another message altogether."""
        self._message: Any = message
        self._deltas: list[str] = []
        self._metadata: Metadata | UnsetType = UNSET
        self.calls = [Call(call, self) for call in _calls_of(message)]
        self.stale = False
        """Whether `message` must be put together again; a call sets it too."""

    @property
    def id(self) -> str:
        id: str = self._message.id
        return id

    @property
    def role(self) -> str:
        role: str = self._message.role
        return role

    @property
    def message(self) -> Message:
        """The message with all that was added."""
        if self.stale:
            self._settle()
        message: Message = self._message
        return message

    def append(self, delta: str) -> None:
        """Append to the content; what is no text gives way to the delta."""
        self._deltas.append(delta)
        self.stale = True

    def merge(self, metadata: Metadata | UnsetType) -> None:
        """Merge metadata into the message's."""
        if metadata is not UNSET:
            self._metadata = added(self._metadata, metadata)
            self.stale = True

    def add_call(self, call: ToolCall) -> Call:
        """Add a call to this message, which must be the assistant's."""
        self.calls.append(Call(call, self))
        self.stale = True
        return self.calls[-1]

    def change(self, **members: Any) -> None:
        """Replace members of the message that nothing is appended to or merged into."""
        self._message = replace(self._message, **members)

    def _settle(self) -> None:
        members: dict[str, Any] = {}
        if self._deltas:
            before = self._message.content
            start = before if isinstance(before, str) else ""
            members["content"] = start + "".join(self._deltas)
            self._deltas = []
        if self._metadata is not UNSET:
            members["metadata"] = merged(self._message.metadata, self._metadata)
            self._metadata = UNSET
        if self.calls:
            members["tool_calls"] = [call.call for call in self.calls]
        self._message = replace(self._message, **members)
        self.stale = False


def added(collected: Metadata | UnsetType, more: Metadata) -> Metadata:
    """Metadata collected in one dict of our own, so that many small merges cost their own size."""
    if collected is UNSET:
        return dict(more)
    collected.update(more)
    return collected


def _calls_of(message: Message) -> list[ToolCall]:
    if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET:
        return message.tool_calls
    return []
