"""`DropReasoning`: what the model thought stays here."""

from __future__ import annotations

from typing import Any, ClassVar

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer
from gateway_native.kinds import (
    MESSAGES_SNAPSHOT,
    REASONING_ENCRYPTED_VALUE,
    REASONING_END,
    REASONING_MESSAGE_CHUNK,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    REASONING_START,
)


class DropReasoning(Transformer):
    """Drops spans, messages and chunks of reasoning, also from snapshots of messages.

    Encrypted values of tool calls and of other messages pass: providers want them back.
    """

    kinds: ClassVar[Any] = (
        REASONING_START,
        REASONING_MESSAGE_START,
        REASONING_MESSAGE_CONTENT,
        REASONING_MESSAGE_END,
        REASONING_MESSAGE_CHUNK,
        REASONING_END,
        REASONING_ENCRYPTED_VALUE,
        MESSAGES_SNAPSHOT,
    )

    def __init__(self) -> None:
        self._dropped: set[str] = set()
        """Ids of reasoning messages and spans."""

    def transform(self, event: Any) -> Any:
        """None, a snapshot without reasoning, or an encrypted value of something that is sent."""
        kind: int = event.kind
        if kind == MESSAGES_SNAPSHOT:
            kept = [message for message in event.messages if message.role != "reasoning"]
            return event.__replace__(messages=kept)
        if kind == REASONING_ENCRYPTED_VALUE:
            dropped = event.subtype == "message" and event.entity_id in self._dropped
            return None if dropped else event
        id: Any = event.message_id
        if kind != REASONING_MESSAGE_CONTENT and id is not BINDING.unset:
            self._dropped.add(id)
        return None
