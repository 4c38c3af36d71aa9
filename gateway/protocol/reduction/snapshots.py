"""Snapshots of the messages, and which messages they do not speak for.

A snapshot replaces all messages but the client's own: activities and reasoning stay unless it
brings some of their role (spec: `docs/spec/1.1/events/state.mdx`). The official client's hint in
the snapshot's metadata narrows that to types of activities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, MessagesSnapshot
from gateway.protocol.messages import ActivityMessage, Message
from gateway.protocol.notices import Warn
from gateway.protocol.reduction.history import Apply, History

AUTHORITY: Final = "@ag-ui/client"
"""Key of snapshot metadata whose `authoritativeActivityTypes` says which activities it owns."""


def _reconcile(history: History, event: MessagesSnapshot, warn: Warn) -> None:
    history.reconcile(event.messages, _keeper_of(event))


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


APPLY: Final[dict[type[Event], Apply]] = {MessagesSnapshot: _reconcile}
