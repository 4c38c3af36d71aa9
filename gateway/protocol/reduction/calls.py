"""Tool calls and their results (spec: `docs/spec/1.1/events/tool-calls.mdx`).

The metadata of a call's events lands on the call, that of a result on the tool message.
"""

from __future__ import annotations

from typing import Final

from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, ToolCallArgs, ToolCallEnd, ToolCallResult, ToolCallStart
from gateway.protocol.messages import AssistantMessage, FunctionCall, ToolCall, ToolMessage
from gateway.protocol.notices import Warn
from gateway.protocol.reduction.entries import Call, Entry
from gateway.protocol.reduction.history import Apply, History, unknown_target


def _start(history: History, event: ToolCallStart, warn: Warn) -> None:
    """A call that is there already is started again: it takes the name, and keeps its arguments."""
    call = history.find_call(event.tool_call_id)
    if call is None:
        parent = _parent_of(history, event, warn)
        fresh = ToolCall(event.tool_call_id, FunctionCall(event.tool_call_name, ""))
        call = history.add_call(parent, fresh)
    else:
        call.rename(event.tool_call_name)
    call.merge(event.metadata)


def _parent_of(history: History, event: ToolCallStart, warn: Warn) -> Entry:
    """The assistant message that the call belongs to, made if there is none."""
    parent = event.parent_message_id
    id = event.tool_call_id
    if parent is not UNSET and parent:
        entry = history.find(parent)
        if entry is None:
            id = parent
        elif entry.role == "assistant":
            return entry
        else:
            warn(unknown_target(event, parent, "is no message of the assistant"))
    owner = event.subagent_run_id if history.find(id) is None else UNSET
    return history.append(AssistantMessage(id, tool_calls=[], subagent_run_id=owner))


def _append(history: History, event: ToolCallArgs, warn: Warn) -> None:
    call = _known(history, event, event.tool_call_id, warn)
    if call is not None:
        call.append(event.delta)
        call.merge(event.metadata)


def _end(history: History, event: ToolCallEnd, warn: Warn) -> None:
    call = _known(history, event, event.tool_call_id, warn)
    if call is not None:
        call.merge(event.metadata)


def _known(history: History, event: Event, id: str, warn: Warn) -> Call | None:
    call = history.find_call(id)
    if call is None:
        warn(unknown_target(event, id, "does not exist"))
    return call


def _add_result(history: History, event: ToolCallResult, warn: Warn) -> None:
    history.insert_result(
        ToolMessage(
            event.message_id,
            event.tool_call_id,
            event.content,
            metadata=event.metadata,
            subagent_run_id=event.subagent_run_id,
        )
    )


APPLY: Final[dict[type[Event], Apply]] = {
    ToolCallStart: _start,
    ToolCallArgs: _append,
    ToolCallEnd: _end,
    ToolCallResult: _add_result,
}
