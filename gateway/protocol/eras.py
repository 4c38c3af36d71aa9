"""Protocol versions, and what an older viewer gets instead of what it would reject.

A client that declares no version is of the 0.x era; its floor is 0.0.58, whose validators are
strict.
`Downgrade` is a pure transformation: it removes or reshapes, and never changes an outcome, an id or
the order. Spec: `docs/spec/1.1/basic/versioning.mdx`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from gateway.protocol.base import UNSET, UnsetType
from gateway.protocol.events import (
    Event,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    RunFinished,
    RunStarted,
    ToolCallResult,
)
from gateway.protocol.messages import AssistantMessage, Message, ToolMessage, UserMessage
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.outcomes import CancelledOutcome, SuccessOutcome
from gateway.protocol.parts import ContentPart, FileSource, TextPart

PROTOCOL_VERSION: Final = "1.0"
"""What the gateway speaks, declared on every RUN_STARTED."""

_GRAMMAR = re.compile(r"[0-9]+\.[0-9]+", re.ASCII)


class Version(Struct, frozen=True, order=True, gc=False):
    """A protocol version; versions compare by their numbers, 1.10 after 1.9."""

    major: int
    minor: int

    @staticmethod
    def parse(text: str) -> Version | None:
        """The version that a text names, None if it is not MAJOR.MINOR."""
        if not _GRAMMAR.fullmatch(text) or len(text) > 40:
            return None
        major, minor = text.split(".")
        return Version(int(major), int(minor))


OWN: Final = Version(1, 0)
LEGACY: Final = Version(0, 0)
"""The era of clients that declare nothing."""


def version_of(declared: str | UnsetType) -> Version:
    """What a client speaks: LEGACY if it declares nothing, our own if we cannot read it."""
    if declared is UNSET:
        return LEGACY
    return Version.parse(declared) or OWN


class Downgrade:
    """Reshapes events for a viewer that speaks `version`; each kind of loss is told once a run.

    It holds the state of one run.
    """

    def __init__(self, version: Version, warn: Warn = ignore) -> None:
        self.version = version
        self._warn = warn
        self._told: set[str] = set()

    def reshape(self, event: Event) -> Event:
        """The event as the viewer understands it; most are left as they are."""
        change = _CHANGES.get(type(event))
        return event if change is None else change(self, event)

    def _value(self, event: ReasoningEncryptedValue) -> Event:
        if event.encrypted_value_type is UNSET:
            return event
        self._tell("encrypted-value-type", "`encryptedValueType` was left out")
        return event.__replace__(encrypted_value_type=UNSET)

    def _snapshot(self, event: MessagesSnapshot) -> Event:
        return event.__replace__(messages=self._messages(event.messages))

    def _started(self, event: RunStarted) -> Event:
        if event.input is UNSET:
            return event
        messages = self._messages(event.input.messages)
        return event.__replace__(input=event.input.__replace__(messages=messages))

    def _result(self, event: ToolCallResult) -> Event:
        if self.version.major >= 1 or isinstance(event.content, str):
            return event
        return event.__replace__(content=self._flattened(event.content))

    def _finished(self, event: RunFinished) -> Event:
        """0.x knows success without members, and interrupt; a cancelled run keeps its reason."""
        if self.version.major >= 1:
            return event
        if isinstance(event.outcome, CancelledOutcome):
            self._tell("cancelled", "the outcome `cancelled` became `metadata.reason`")
            metadata = {} if event.metadata is UNSET else event.metadata
            return event.__replace__(outcome=UNSET, metadata={**metadata, "reason": "cancelled"})
        if isinstance(event.outcome, SuccessOutcome):
            if event.outcome.pending_tool_call_ids is UNSET:
                return event
            self._tell("pending-tool-call-ids", "`outcome.pendingToolCallIds` was left out")
            return event.__replace__(outcome=SuccessOutcome())
        return event

    def _messages(self, messages: list[Message]) -> list[Message]:
        return [self._message(message) for message in messages]

    def _message(self, message: Message) -> Message:
        message = self._without_message_types(message)
        if self.version.major >= 1:
            return message
        if isinstance(message, ToolMessage) and not isinstance(message.content, str):
            return message.__replace__(content=self._flattened(message.content))
        if isinstance(message, UserMessage) and not isinstance(message.content, str):
            return message.__replace__(content=self._without_files(message.content))
        return message

    def _flattened(self, parts: list[ContentPart]) -> str:
        """The text of a list of parts, which 0.x knows only as one string."""
        self._tell("tool-result-parts", "the parts of a tool result became their text")
        return "".join(part.text for part in parts if isinstance(part, TextPart))

    def _without_files(self, parts: list[ContentPart]) -> list[ContentPart]:
        kept = [
            part
            for part in parts
            if isinstance(part, TextPart) or not isinstance(part.source, FileSource)
        ]
        if len(kept) < len(parts):
            self._tell("file-source", "parts with a `file` source were left out")
        return kept

    def _without_message_types(self, message: Message) -> Message:
        if getattr(message, "encrypted_value_type", UNSET) is not UNSET:
            self._tell("encrypted-value-type", "`encryptedValueType` was left out")
            message = message.__replace__(encrypted_value_type=UNSET)
        if not isinstance(message, AssistantMessage) or message.tool_calls is UNSET:
            return message
        if all(call.encrypted_value_type is UNSET for call in message.tool_calls):
            return message
        self._tell("encrypted-value-type", "`encryptedValueType` was left out")
        calls = [call.__replace__(encrypted_value_type=UNSET) for call in message.tool_calls]
        return message.__replace__(tool_calls=calls)

    def _tell(self, name: str, sentence: str) -> None:
        """Warn of a loss, once a run."""
        if name in self._told:
            return
        self._told.add(name)
        peer = (
            "of the 0.x era"
            if self.version.major < 1
            else f"that speaks {self.version.major}.{self.version.minor}"
        )
        self._warn(Notice("downgrade", name, f"for a viewer {peer} {sentence}"))


_CHANGES: dict[type[Event], Callable[[Downgrade, Any], Event]] = {
    ReasoningEncryptedValue: Downgrade._value,
    MessagesSnapshot: Downgrade._snapshot,
    RunStarted: Downgrade._started,
    RunFinished: Downgrade._finished,
    ToolCallResult: Downgrade._result,
}


def downgrade_for(
    declared: str | UnsetType, warn: Warn = ignore
) -> Callable[[Event], Event] | None:
    """What reshapes events for a viewer of that declaration, None if nothing needs it.

    `declared` is the `protocolVersion` of its input. A 1.0 viewer misses nothing but the types of
    encrypted values, which agents of 1.1 may send.
    """
    version = version_of(declared)
    return Downgrade(version, warn).reshape if version < Version(1, 1) else None
