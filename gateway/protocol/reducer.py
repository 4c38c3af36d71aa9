"""Reduction: events become messages and state, as the official client's reducer has it.

Feed it verified events whose chunks are expanded. An event that refers to what does not exist is
ignored, with a notice; a patch that cannot be applied leaves the state as it was.
Spec: `docs/spec/1.1/events/*.mdx`, `docs/spec/1.1/basic/metadata.mdx`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from gateway.errors import OrderingError, PatchError
from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    ActivityDelta,
    ActivitySnapshot,
    Event,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    ReasoningMessageChunk,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    TextMessageChunk,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from gateway.protocol.history import Entry, History, merged
from gateway.protocol.json_patch import apply_patch
from gateway.protocol.messages import (
    ActivityMessage,
    AssistantMessage,
    DeveloperMessage,
    FunctionCall,
    Message,
    ReasoningMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.outcomes import (
    Interrupt,
    InterruptOutcome,
    RunFinishedOutcome,
    SuccessOutcome,
)

SPEAKERS: dict[str, type[Any]] = {
    "developer": DeveloperMessage,
    "system": SystemMessage,
    "assistant": AssistantMessage,
    "user": UserMessage,
}

AUTHORITY = "@ag-ui/client"
"""Key of snapshot metadata whose `authoritativeActivityTypes` says which activities it owns."""


class Reducer:
    """Messages and state of a thread, event by event.

    `messages` and `state` are where it begins; an input without a state means `{}`, UNSET is a
    thread that has none, to which no patch applies. Readable at any time: `messages`,
    `state`, `pending_interrupts` (of the last run that ended in order), `pending_tool_call_ids`,
    `outcome` and `result` of the last run.
    """

    def __init__(
        self, messages: Iterable[Message] = (), state: Any = UNSET, warn: Warn = ignore
    ) -> None:
        self.state = state
        self.pending_interrupts: list[Interrupt] = []
        self.pending_tool_call_ids: list[str] = []
        self.outcome: RunFinishedOutcome | UnsetType = UNSET
        self.result: Any = UNSET
        self._history = History(messages)
        self._warn = warn
        self._unanswered: dict[str, None] = {}

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return self._history.messages

    def append(self, message: Message) -> None:
        """Add a message of the application at the end, such as what the user says."""
        self._history.append(message)

    def feed(self, event: Event) -> None:
        """Apply one event; raises OrderingError for a chunk, which must be expanded before."""
        apply = _APPLY.get(type(event))
        if apply is not None:
            apply(self, event)

    # ---- text and reasoning

    def _start_message(self, event: TextMessageStart | ReasoningMessageStart) -> None:
        entry = self._history.find(event.message_id)
        if entry is None:
            entry = self._history.append(_message_of(event))
        elif entry.role == "activity":
            self._warn_of_target(event, event.message_id, "is an activity")
            return
        entry.merge(event.metadata)

    def _append_delta(self, event: TextMessageContent | ReasoningMessageContent) -> None:
        entry = self._spoken(event, event.message_id)
        if entry is not None:
            entry.append_text(event.delta)
            entry.merge(event.metadata)

    def _end_message(self, event: TextMessageEnd | ReasoningMessageEnd) -> None:
        entry = self._spoken(event, event.message_id)
        if entry is not None:
            entry.merge(event.metadata)

    def _spoken(self, event: Event, id: str) -> Entry | None:
        entry = self._history.find(id)
        if entry is None:
            self._warn_of_target(event, id, "does not exist")
        elif entry.role == "activity":
            self._warn_of_target(event, id, "is an activity")
            return None
        return entry

    def _set_encrypted_value(self, event: ReasoningEncryptedValue) -> None:
        members = {
            "encrypted_value": event.encrypted_value,
            "encrypted_value_type": event.encrypted_value_type,
        }
        if event.subtype == "tool-call":
            owner = self._history.owner_of(event.entity_id)
            if owner is not None:
                owner.change_call(event.entity_id, lambda call: replace(call, **members))
                return
        else:
            entry = self._history.find(event.entity_id)
            if entry is not None and entry.role != "activity":
                entry.change(**members)
                return
        self._warn_of_target(event, event.entity_id, "cannot hold an encrypted value")

    # ---- tool calls

    def _start_call(self, event: ToolCallStart) -> None:
        self._unanswered.setdefault(event.tool_call_id, None)
        owner = self._history.owner_of(event.tool_call_id)
        if owner is None:
            owner = self._parent_of(event)
            call = ToolCall(event.tool_call_id, FunctionCall(event.tool_call_name, ""))
            self._history.add_call(owner, replace(call, metadata=merged(UNSET, event.metadata)))
            return
        owner.change_call(event.tool_call_id, lambda call: _renamed(call, event))

    def _parent_of(self, event: ToolCallStart) -> Entry:
        """The assistant message that the call belongs to, made if there is none."""
        parent = event.parent_message_id
        id = event.tool_call_id
        if parent is not UNSET and parent:
            entry = self._history.find(parent)
            if entry is None:
                id = parent
            elif entry.role == "assistant":
                return entry
            else:
                self._warn_of_target(event, parent, "is no message of the assistant")
        known = self._history.find(id)
        owner = event.subagent_run_id if known is None else UNSET
        return self._history.append(AssistantMessage(id, tool_calls=[], subagent_run_id=owner))

    def _append_args(self, event: ToolCallArgs) -> None:
        owner = self._history.owner_of(event.tool_call_id)
        if owner is None:
            self._warn_of_target(event, event.tool_call_id, "does not exist")
            return
        owner.append_args(event.tool_call_id, event.delta)
        self._merge_into_call(owner, event)

    def _end_call(self, event: ToolCallEnd) -> None:
        owner = self._history.owner_of(event.tool_call_id)
        if owner is None:
            self._warn_of_target(event, event.tool_call_id, "does not exist")
            return
        self._merge_into_call(owner, event)

    def _merge_into_call(self, owner: Entry, event: ToolCallArgs | ToolCallEnd) -> None:
        if event.metadata is not UNSET:
            owner.change_call(
                event.tool_call_id,
                lambda call: replace(call, metadata=merged(call.metadata, event.metadata)),
            )

    def _add_result(self, event: ToolCallResult) -> None:
        self._unanswered.pop(event.tool_call_id, None)
        self._history.insert_result(
            ToolMessage(
                event.message_id,
                event.tool_call_id,
                event.content,
                metadata=merged(UNSET, event.metadata),
                subagent_run_id=event.subagent_run_id,
            )
        )

    # ---- state and snapshots

    def _set_state(self, event: StateSnapshot) -> None:
        self.state = event.snapshot

    def _change_state(self, event: StateDelta) -> None:
        try:
            if self.state is UNSET:
                raise PatchError(0, "there is no state")
            self.state = apply_patch(self.state, event.delta)
        except PatchError as error:
            self._warn(
                Notice(
                    "unappliable",
                    f"/delta/{error.index}",
                    f"Failed to apply state patch, the state stays as it was: {error}",
                )
            )

    def _reconcile(self, event: MessagesSnapshot) -> None:
        keeps = _keeper_of(event)
        self._history.reconcile(event.messages, keeps)

    # ---- activities

    def _show_activity(self, event: ActivitySnapshot) -> None:
        entry = self._history.find(event.message_id)
        shown = ActivityMessage(
            event.message_id,
            event.activity_type,
            event.content,
            subagent_run_id=event.subagent_run_id,
        )
        if entry is None:
            entry = self._history.append(shown)
        elif event.replace is not False:
            if entry.role == "activity":
                shown = replace(shown, metadata=entry.message.metadata)
            entry = self._history.put_in_place(entry, shown)
        elif entry.role != "activity":
            return
        entry.merge(event.metadata)

    def _change_activity(self, event: ActivityDelta) -> None:
        entry = self._history.find(event.message_id)
        if entry is None or entry.role != "activity":
            self._warn_of_target(event, event.message_id, "is no activity")
            return
        entry.merge(event.metadata)
        message = entry.message
        assert isinstance(message, ActivityMessage)
        try:
            content = apply_patch(message.content, event.patch)
        except PatchError as error:
            path = f"/patch/{error.index}"
            self._warn(Notice("unappliable", path, f"Failed to apply activity patch: {error}"))
            return
        entry.change(content=content, activity_type=event.activity_type)

    # ---- runs

    def _start_run(self, event: RunStarted) -> None:
        self._unanswered = {}
        self.outcome = UNSET
        self.result = UNSET
        if event.input is UNSET:
            return
        for message in event.input.messages:
            if self._history.find(message.id) is None:
                self._history.append(message)

    def _finish_run(self, event: RunFinished) -> None:
        self.outcome = event.outcome
        self.pending_interrupts = []
        self.pending_tool_call_ids = []
        if isinstance(event.outcome, InterruptOutcome):
            self.pending_interrupts = list(event.outcome.interrupts)
        elif event.outcome is UNSET or isinstance(event.outcome, SuccessOutcome):
            self.result = event.result
            self.pending_tool_call_ids = self._pending(event.outcome)

    def _pending(self, outcome: SuccessOutcome | UnsetType) -> list[str]:
        """The calls that the outcome names, or else those that nobody has answered."""
        named = UNSET if outcome is UNSET else outcome.pending_tool_call_ids
        return list(named) if named is not UNSET and named else list(self._unanswered)

    def _refuse_chunk(self, event: Event) -> None:
        raise OrderingError(
            "out-of-order", event.type, "", "a chunk must be expanded before it is reduced"
        )

    def _warn_of_target(self, event: Event, id: str, what: str) -> None:
        self._warn(Notice("unknown-target", event.type, f"{event.type}: {id!r} {what}"))


def _message_of(event: TextMessageStart | ReasoningMessageStart) -> Message:
    owner = event.subagent_run_id
    if isinstance(event, ReasoningMessageStart):
        return ReasoningMessage(event.message_id, "", subagent_run_id=owner)
    speaker = SPEAKERS["assistant" if event.role is UNSET else event.role]
    message: Message = speaker(event.message_id, "", name=event.name, subagent_run_id=owner)
    return message


def _renamed(call: ToolCall, event: ToolCallStart) -> ToolCall:
    """A call that is started again: its name and metadata are the event's."""
    return replace(
        call,
        function=FunctionCall(event.tool_call_name, call.function.arguments),
        metadata=merged(call.metadata, event.metadata),
    )


def _keeper_of(event: MessagesSnapshot) -> Callable[[Message], bool]:
    """Which messages that a snapshot lacks are the client's own and stay."""
    owned = _owned_activity_types(event)
    has_reasoning = any(message.role == "reasoning" for message in event.messages)

    def keeps(message: Message) -> bool:
        if isinstance(message, ActivityMessage):
            return owned is not None and message.activity_type not in owned
        return message.role == "reasoning" and not has_reasoning

    return keeps


def _owned_activity_types(event: MessagesSnapshot) -> list[Any] | None:
    """The activity types that a snapshot speaks for, None for all of them."""
    hint = {} if event.metadata is UNSET else event.metadata.get(AUTHORITY, {})
    if not isinstance(hint, dict):
        return []
    if "authoritativeActivityTypes" in hint:
        types = hint["authoritativeActivityTypes"]
        if types is None:
            return None
        valid = isinstance(types, list) and all(isinstance(type, str) for type in types)
        return types if valid else []
    has_activity = any(message.role == "activity" for message in event.messages)
    return None if has_activity else []


_APPLY: dict[type[Event], Callable[[Reducer, Any], None]] = {
    TextMessageStart: Reducer._start_message,
    TextMessageContent: Reducer._append_delta,
    TextMessageEnd: Reducer._end_message,
    ReasoningMessageStart: Reducer._start_message,
    ReasoningMessageContent: Reducer._append_delta,
    ReasoningMessageEnd: Reducer._end_message,
    ReasoningEncryptedValue: Reducer._set_encrypted_value,
    ToolCallStart: Reducer._start_call,
    ToolCallArgs: Reducer._append_args,
    ToolCallEnd: Reducer._end_call,
    ToolCallResult: Reducer._add_result,
    StateSnapshot: Reducer._set_state,
    StateDelta: Reducer._change_state,
    MessagesSnapshot: Reducer._reconcile,
    ActivitySnapshot: Reducer._show_activity,
    ActivityDelta: Reducer._change_activity,
    RunStarted: Reducer._start_run,
    RunFinished: Reducer._finish_run,
    TextMessageChunk: Reducer._refuse_chunk,
    ToolCallChunk: Reducer._refuse_chunk,
    ReasoningMessageChunk: Reducer._refuse_chunk,
}
