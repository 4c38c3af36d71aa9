"""What the run context, a step and a subagent can all do: open handles and emit events."""

from __future__ import annotations

from typing import Any

from gateway.agent.handles.activity import Activity
from gateway.agent.handles.reasoning import Reasoning
from gateway.agent.handles.text import TextMessage
from gateway.agent.handles.tool_call import ToolCallBlock
from gateway.agent.ids import Ids
from gateway.protocol.base import UNSET, Metadata, UnsetType
from gateway.protocol.events import (
    ActivitySnapshot,
    Attributable,
    Custom,
    Event,
    MessagesSnapshot,
    Raw,
    ReasoningMessageStart,
    ReasoningStart,
    TextMessageStart,
    TextRole,
    ToolCallStart,
)
from gateway.protocol.messages import Message
from gateway_native.stream import RunStream


class Emitters:
    """Emits into one run, attributed to `owner` (UNSET: the agent itself).

    Nothing here waits: events go through the transformers and the verifier at once, and leave at
    the end of the loop's tick. All of it raises OrderingError for an event that breaks a rule,
    in which case nothing has happened, and RunCancelledError after the run was cancelled.
    """

    __slots__ = ("_ids", "_stream", "owner")

    def __init__(self, stream: RunStream, ids: Ids, owner: str | UnsetType) -> None:
        self._stream = stream
        self._ids = ids
        self.owner = owner

    def emit(self, event: Event) -> None:
        """Emit any event; an untagged one is attributed to the owner."""
        if (
            self.owner is not UNSET
            and isinstance(event, Attributable)
            and event.subagent_run_id is UNSET
        ):
            event = event.__replace__(subagent_run_id=self.owner)
        self._stream.emit(event)

    def message(
        self,
        role: TextRole = "assistant",
        *,
        id: str | None = None,
        name: str | UnsetType = UNSET,
        metadata: Metadata | UnsetType = UNSET,
    ) -> TextMessage:
        """Open a text message; `id` is minted if not given."""
        id = self._ids.message() if id is None else id
        self._stream.emit(
            TextMessageStart(id, role, name, metadata=metadata, subagent_run_id=self.owner)
        )
        return TextMessage(self._stream, id, self.owner)

    def assistant_message(self) -> TextMessage:
        """Open a text message of the assistant."""
        return self.message()

    def say(self, text: str) -> str:
        """Emit a whole message of the assistant; returns its id."""
        with self.message() as message:
            message.delta(text)
        return message.id

    def reasoning(self, *, id: str | None = None) -> Reasoning:
        """Open a reasoning span and its message; both have the id, minted if not given."""
        id = self._ids.message() if id is None else id
        self._stream.emit(ReasoningStart(id, subagent_run_id=self.owner))
        self._stream.emit(ReasoningMessageStart(id, subagent_run_id=self.owner))
        return Reasoning(self._stream, id, self.owner)

    def think(self, text: str) -> str:
        """Emit a whole reasoning span; returns its id."""
        with self.reasoning() as reasoning:
            reasoning.delta(text)
        return reasoning.id

    def tool_call(
        self,
        name: str,
        *,
        id: str | None = None,
        parent_message_id: str | UnsetType = UNSET,
        metadata: Metadata | UnsetType = UNSET,
    ) -> ToolCallBlock:
        """Open a tool call; `id` is minted if not given."""
        id = self._ids.call() if id is None else id
        result_id = self._ids.message()
        self._stream.emit(
            ToolCallStart(
                id, name, parent_message_id, metadata=metadata, subagent_run_id=self.owner
            )
        )
        return ToolCallBlock(self._stream, id, self.owner, name, result_id)

    def activity(self, type: str, content: dict[str, Any], *, id: str | None = None) -> Activity:
        """Show an activity of that type; `id` is minted if not given."""
        id = self._ids.message() if id is None else id
        self._stream.emit(ActivitySnapshot(id, type, content, subagent_run_id=self.owner))
        return Activity(self._stream, id, self.owner, type)

    def custom(self, name: str, value: Any) -> None:
        """Emit an event of the application's own; `value` is any JSON value, null included."""
        self._stream.emit(Custom(name, value, subagent_run_id=self.owner))

    def raw(self, event: Any, source: str | UnsetType = UNSET) -> None:
        """Pass on an event of another system; any JSON value, null included."""
        self._stream.emit(Raw(event, source, subagent_run_id=self.owner))

    def messages_snapshot(self, messages: list[Message]) -> None:
        """Restate the messages of the thread; the client reconciles them by id."""
        self._stream.emit(MessagesSnapshot(messages))
