"""Text and reasoning messages (spec: `docs/spec/1.1/events/text-messages.mdx`, `reasoning.mdx`)."""

from __future__ import annotations

from typing import Any, Final

from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    Event,
    ReasoningEncryptedValue,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
)
from gateway.protocol.messages import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    ReasoningMessage,
    SystemMessage,
    UserMessage,
)
from gateway.protocol.notices import Warn
from gateway.protocol.reduction.entries import Entry
from gateway.protocol.reduction.history import Apply, History, unknown_target

SPEAKERS: Final[dict[str, type[Any]]] = {
    "developer": DeveloperMessage,
    "system": SystemMessage,
    "assistant": AssistantMessage,
    "user": UserMessage,
}


def _start(history: History, event: TextMessageStart | ReasoningMessageStart, warn: Warn) -> None:
    if history.find(event.message_id) is None:
        history.append(_message_of(event))
    _end(history, event, warn)


def _append(
    history: History, event: TextMessageContent | ReasoningMessageContent, warn: Warn
) -> None:
    entry = _spoken(history, event, event.message_id, warn)
    if entry is not None:
        entry.append(event.delta)
        entry.merge(event.metadata)


def _end(
    history: History,
    event: TextMessageStart | ReasoningMessageStart | TextMessageEnd | ReasoningMessageEnd,
    warn: Warn,
) -> None:
    """All that an end does, and that a start does to a message which is there already."""
    entry = _spoken(history, event, event.message_id, warn)
    if entry is not None:
        entry.merge(event.metadata)


def _spoken(history: History, event: Event, id: str, warn: Warn) -> Entry | None:
    entry = history.find(id)
    if entry is None:
        warn(unknown_target(event, id, "does not exist"))
    elif entry.role == "activity":
        warn(unknown_target(event, id, "is an activity"))
        return None
    return entry


def _message_of(event: TextMessageStart | ReasoningMessageStart) -> Message:
    owner = event.subagent_run_id
    if isinstance(event, ReasoningMessageStart):
        return ReasoningMessage(event.message_id, "", subagent_run_id=owner)
    speaker = SPEAKERS["assistant" if event.role is UNSET else event.role]
    message: Message = speaker(event.message_id, "", name=event.name, subagent_run_id=owner)
    return message


def _set_encrypted_value(history: History, event: ReasoningEncryptedValue, warn: Warn) -> None:
    target = (
        history.find_call(event.entity_id)
        if event.subtype == "tool-call"
        else history.find(event.entity_id)
    )
    if target is None or (isinstance(target, Entry) and target.role == "activity"):
        warn(unknown_target(event, event.entity_id, "cannot hold an encrypted value"))
        return
    target.change(
        encrypted_value=event.encrypted_value, encrypted_value_type=event.encrypted_value_type
    )


APPLY: Final[dict[type[Event], Apply]] = {
    TextMessageStart: _start,
    TextMessageContent: _append,
    TextMessageEnd: _end,
    ReasoningMessageStart: _start,
    ReasoningMessageContent: _append,
    ReasoningMessageEnd: _end,
    ReasoningEncryptedValue: _set_encrypted_value,
}
