"""Owners: which subagent a message, call, activity or reasoning belongs to (None: the agent).

Owners outlive the block, since an id may be opened again or get an encrypted value later; they are
forgotten when the next run starts. An absent tag never contradicts an owner, while a tag on what
the agent itself opened does. Reasoning spans and messages share their owners.
Spec: `docs/spec/1.1/events/subagents.mdx`.
"""

from __future__ import annotations

from typing import Any

from gateway_native.binding import BINDING
from gateway_native.blocks import CALL, FAMILY_OF, NOUNS, REASONING, TEXT, describe_owner
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    NAMES,
    REASONING_ENCRYPTED_VALUE,
    TOOL_CALL_START,
)


class Owners:
    """The owners that one run has named. A method that raises has changed nothing."""

    def __init__(self) -> None:
        self.messages: dict[str, str | None] = {}
        self.calls: dict[str, str | None] = {}
        self.reasoning: dict[str, str | None] = {}
        self.activities: dict[str, str | None] = {}
        self.by_family: list[dict[str, str | None]] = [
            self.messages,
            self.calls,
            self.reasoning,
            self.reasoning,
        ]

    def require(self, kind: int, id: str, tag: str | None) -> None:
        """Raise OrderingError (wrong-owner) if an event of a block contradicts its owner."""
        if tag is None:
            return
        family = FAMILY_OF[kind]
        _require(self.by_family[family], kind, NOUNS[family], id, tag)

    def claim(self, kind: int, id: str, tag: str | None) -> str | None:
        """Who owns what a start event opens: its first opener, for the rest of the run."""
        self.require(kind, id, tag)
        return self.by_family[FAMILY_OF[kind]].setdefault(id, tag)

    def claim_call(self, id: str, tag: str | None, parent: Any) -> str | None:
        """As `claim`, for a tool call, which belongs to the owner of its parent message."""
        if parent is BINDING.unset or parent not in self.messages:
            return self.claim(TOOL_CALL_START, id, tag)
        if tag is not None:
            _require(self.messages, TOOL_CALL_START, "parent message", parent, tag)
        owner = self.messages[parent]
        if id in self.calls and self.calls[id] != owner:
            raise OrderingError(
                "wrong-owner",
                NAMES[TOOL_CALL_START],
                id,
                f"tool call {id!r} belongs to {describe_owner(self.calls[id])}, "
                f"its parent message {parent!r} to {describe_owner(owner)}",
            )
        return self.calls.setdefault(id, owner)

    def claim_activity(self, id: str, tag: str | None, replace: bool) -> None:
        """A snapshot takes an activity over, unless it leaves an existing one alone."""
        if replace or id not in self.activities:
            self.activities[id] = tag

    def require_activity(self, id: str, tag: str | None) -> None:
        """As `require`, for a change of an activity."""
        if tag is not None:
            _require(self.activities, ACTIVITY_DELTA, "activity", id, tag)

    def require_entity(self, id: str, tag: str | None, subtype: str) -> None:
        """As `require`, for an encrypted value; an entity that nobody knows is let pass."""
        if tag is None:
            return
        if subtype == "tool-call":
            _require(self.calls, REASONING_ENCRYPTED_VALUE, NOUNS[CALL], id, tag)
        elif id in self.messages:
            _require(self.messages, REASONING_ENCRYPTED_VALUE, NOUNS[TEXT], id, tag)
        else:
            _require(self.reasoning, REASONING_ENCRYPTED_VALUE, NOUNS[REASONING], id, tag)

    def seed(self, messages: Any, authoritative: bool) -> None:
        """Take over the owners of a history; an authoritative one replaces what is known."""
        unset = BINDING.unset
        for message in messages:
            tag: Any = message.subagent_run_id
            owner: str | None = None if tag is unset else tag
            role: str = message.role
            _put(self._of_role(role), message.id, owner, authoritative)
            if role == "assistant" and message.tool_calls is not unset:
                for call in message.tool_calls:
                    _put(self.calls, call.id, owner, authoritative)

    def _of_role(self, role: str) -> dict[str, str | None]:
        if role == "reasoning":
            return self.reasoning
        return self.activities if role == "activity" else self.messages


def tag_of(event: Any) -> str | None:
    """The subagent that an attributable event names, None if it is untagged."""
    tag: Any = event.subagent_run_id
    if tag is BINDING.unset:
        return None
    name: str = tag
    return name


def _put(owners: dict[str, str | None], id: str, owner: str | None, authoritative: bool) -> None:
    if authoritative or id not in owners:
        owners[id] = owner


def _require(owners: dict[str, str | None], kind: int, noun: str, id: str, tag: str) -> None:
    if id not in owners or owners[id] == tag:
        return
    raise OrderingError(
        "wrong-owner",
        NAMES[kind],
        id,
        f"{noun} {id!r} belongs to {describe_owner(owners[id])}, the event names subagent {tag!r}",
    )
