"""Activities (spec: `docs/spec/1.1/events/activity.mdx`)."""

from __future__ import annotations

from typing import Final

from gateway.errors import PatchError
from gateway.protocol.events import ActivityDelta, ActivitySnapshot, Event
from gateway.protocol.json_patch import apply_patch
from gateway.protocol.messages import ActivityMessage
from gateway.protocol.notices import Notice, Warn
from gateway.protocol.reduction.history import Apply, History, unknown_target


def _show(history: History, event: ActivitySnapshot, warn: Warn) -> None:
    """A known activity keeps its metadata; `replace: false` leaves it as it is but for that."""
    entry = history.find(event.message_id)
    if entry is None:
        history.append(_message_of(event)).merge(event.metadata)
        return
    if event.replace is False:
        if entry.role == "activity":
            entry.merge(event.metadata)
        return
    if entry.role == "activity":
        entry.change(
            content=event.content,
            activity_type=event.activity_type,
            subagent_run_id=event.subagent_run_id,
        )
    else:
        history.replace(entry, _message_of(event))
    entry.merge(event.metadata)


def _message_of(event: ActivitySnapshot) -> ActivityMessage:
    return ActivityMessage(
        event.message_id,
        event.activity_type,
        event.content,
        subagent_run_id=event.subagent_run_id,
    )


def _change(history: History, event: ActivityDelta, warn: Warn) -> None:
    """A patch that fails leaves content and type alone; the metadata merges all the same."""
    entry = history.find(event.message_id)
    if entry is None or entry.role != "activity":
        warn(unknown_target(event, event.message_id, "is no activity"))
        return
    entry.merge(event.metadata)
    message = entry.message
    assert isinstance(message, ActivityMessage)
    try:
        content = apply_patch(message.content, event.patch)
    except PatchError as error:
        path = f"/patch/{error.index}"
        warn(Notice("unappliable", path, f"Failed to apply activity patch: {error}"))
        return
    entry.change(content=content, activity_type=event.activity_type)


APPLY: Final[dict[type[Event], Apply]] = {ActivitySnapshot: _show, ActivityDelta: _change}
