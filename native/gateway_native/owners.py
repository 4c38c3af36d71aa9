"""Owners: the subagent that a message, call, activity or reasoning belongs to (None: the agent).

Owners outlive the block, since an id may be reopened or get an encrypted value later; they are
forgotten when the next run starts. Reasoning spans and messages share their owners.
Spec: `docs/spec/1.1/events/subagents.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.errors import OrderingError

UNKNOWN: Final = "\x00unknown"
"""What a lookup gives for an id nobody owns; never compared by value."""


class Owners:
    """The owners that one run has seen."""

    def __init__(self) -> None:
        self.messages: dict[str, str | None] = {}
        self.calls: dict[str, str | None] = {}
        self.activities: dict[str, str | None] = {}
        self.reasoning: dict[str, str | None] = {}
        self.by_family: list[dict[str, str | None]] = [
            self.messages,
            self.calls,
            self.reasoning,
            self.reasoning,
        ]

    def of_message(self, id: str) -> str | None:
        """The owner of a text or else of a reasoning message, UNKNOWN if there is none."""
        if id in self.messages:
            return self.messages[id]
        return self.reasoning.get(id, UNKNOWN)

    def seed(self, messages: Any, authoritative: bool) -> None:
        """Take over the owners of a history; an authoritative one replaces what is known."""
        unset = BINDING.unset
        for message in messages:
            tag: Any = message.subagent_run_id
            owner: str | None = None if tag is unset else tag
            role: str = message.role
            id: str = message.id
            if role == "reasoning":
                _put(self.reasoning, id, owner, authoritative)
            elif role == "activity":
                _put(self.activities, id, owner, authoritative)
            else:
                _put(self.messages, id, owner, authoritative)
            if role == "assistant" and message.tool_calls is not unset:
                for call in message.tool_calls:
                    _put(self.calls, call.id, owner, authoritative)


def _put(owners: dict[str, str | None], id: str, owner: str | None, authoritative: bool) -> None:
    if authoritative or id not in owners:
        owners[id] = owner


def tag_of(event: Any) -> str | None:
    """The subagent that an attributable event names, None if it is untagged."""
    tag: Any = event.subagent_run_id
    if tag is BINDING.unset:
        return None
    name: str = tag
    return name


def require_owner(owner: str | None, tag: str, event_type: str, noun: str, id: str) -> None:
    """Raise OrderingError (wrong-owner) unless the tag of a continuation is the opener's."""
    if owner is UNKNOWN or owner == tag:
        return
    opener = "the agent itself" if owner is None else f"subagent {owner!r}"
    raise OrderingError(
        "wrong-owner",
        event_type,
        id,
        f"{noun} {id!r} belongs to {opener}, the event names subagent {tag!r}",
    )
