"""What the run context, a step and a subagent can all do: open handles and emit events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gateway.agent.handles.activity import Activity
from gateway.agent.handles.reasoning import Reasoning
from gateway.agent.handles.text import TextMessage
from gateway.agent.handles.tool_call import ToolCallBlock
from gateway.agent.ids import Ids
from gateway.agent.sink import Sink
from gateway.errors import OrderingError
from gateway.protocol.base import UNSET, Metadata, UnsetType
from gateway.protocol.events import (
    Attributable,
    Custom,
    Event,
    MessagesSnapshot,
    Raw,
    ReasoningEnd,
    ReasoningMessageStart,
    ReasoningStart,
    TextMessageStart,
    TextRole,
    ToolCallStart,
)
from gateway.protocol.messages import Message
from gateway_native.kinds import RUN_ERROR, RUN_FINISHED, STATE_DELTA

Guard: TypeAlias = Callable[[Event], None]
"""Raises PatchError for a state delta that does not apply to the state at the client."""


class Emitters:
    """Emits into one run, attributed to `owner` (UNSET: the agent itself).

    Nothing here waits: events go through the transformers and the verifier at once, and leave at
    the end of the loop's tick. All of it raises OrderingError for an event that breaks a rule,
    in which case nothing has happened, and RunCancelledError after the run was cancelled.
    """

    __slots__ = ("_guard", "_ids", "_stream", "owner")

    def __init__(self, stream: Sink, ids: Ids, owner: str | UnsetType, guard: Guard) -> None:
        self._stream = stream
        self._ids = ids
        self._guard = guard
        self.owner = owner

    def emit(self, event: Event) -> None:
        """Emit any event; an untagged one is attributed to the owner.

        A terminal event ends the run: what is open is closed first. A STATE_DELTA that does not
        apply to the state at the client raises PatchError. Raises TypeError for anything else than
        an event.
        """
        if self.owner is not UNSET:
            event = self._attributed(event)
        kind = getattr(event, "kind", None)
        if kind is None:
            raise TypeError(f"cannot emit {type(event).__name__}: expected an event")
        if kind == STATE_DELTA:
            self._guard(event)
        elif kind in (RUN_FINISHED, RUN_ERROR) and not self._stream.stopped:
            self._stream.close_open(kind == RUN_ERROR)
        self._stream.emit(event)

    def _attributed(self, event: Event) -> Event:
        if isinstance(event, Attributable) and event.subagent_run_id is UNSET:
            return event.__replace__(subagent_run_id=self.owner)
        return event

    def message(
        self,
        role: TextRole = "assistant",
        *,
        id: str | None = None,
        name: str | UnsetType = UNSET,
        metadata: Metadata | UnsetType = UNSET,
    ) -> TextMessage:
        """Open a text message; `id` is minted if not given."""
        id = self._ids.message(id)
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
        id = self._ids.message(id)
        self._stream.emit(ReasoningStart(id, subagent_run_id=self.owner))
        try:
            self._stream.emit(ReasoningMessageStart(id, subagent_run_id=self.owner))
        except OrderingError:
            self._stream.emit(ReasoningEnd(id, subagent_run_id=self.owner))
            raise
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
        id = self._ids.call(id)
        result_id = self._ids.message()
        self._stream.emit(
            ToolCallStart(
                id, name, parent_message_id, metadata=metadata, subagent_run_id=self.owner
            )
        )
        return ToolCallBlock(self._stream, id, self.owner, name, result_id)

    def activity(self, type: str, content: dict[str, Any], *, id: str | None = None) -> Activity:
        """Show an activity of that type; `id` is minted if not given."""
        return Activity(self._stream, self._ids.message(id), self.owner, type, content)

    def custom(self, name: str, value: Any) -> None:
        """Emit an event of the application's own; `value` is any JSON value, null included."""
        self._stream.emit(Custom(name, value, subagent_run_id=self.owner))

    def raw(self, event: Any, source: str | UnsetType = UNSET) -> None:
        """Pass on an event of another system; any JSON value, null included."""
        self._stream.emit(Raw(event, source, subagent_run_id=self.owner))

    def messages_snapshot(self, messages: list[Message]) -> None:
        """Restate the messages of the thread; the client reconciles them by id."""
        self._stream.emit(MessagesSnapshot(messages))
