"""A peer of the 0.x era: what it gets instead of what it cannot read, and what it cannot mean.

`ceiling` is the newest version of the official packages that the peer's integration knows, such as
"0.0.57"; without one a peer counts as current. Each kind of loss is told once.
Spec: `docs/spec/1.1/basic/versioning.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from gateway.protocol.base import UNSET
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import Message
from gateway.protocol.notices import Notice, Warn, ignore
from gateway.protocol.parts import ContentPart, TextPart
from gateway.protocol.reader import Json

NO_SUBAGENTS: Final = (0, 0, 57)
"""Newest packages that know no subagents."""

NO_PARTS: Final = (0, 0, 39)
"""Newest packages that know content only as text, and no parent run."""

VERSIONED: Final = (1, 0, 0)
"""Oldest packages that know protocol versions."""

SUBAGENT_EVENTS: Final = ("SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR")


class Peer:
    """One peer with the ceiling that was configured for it; raises ValueError if that is none."""

    def __init__(self, ceiling: str | None = None, warn: Warn = ignore) -> None:
        self._ceiling = None if ceiling is None else _numbers(ceiling)
        self._warn = warn
        self._told: set[str] = set()

    @property
    def declares_version(self) -> bool:
        """Whether the peer may be sent a protocol version."""
        return self._ceiling is None or self._ceiling >= VERSIONED

    def outgoing(self, input: RunAgentInput) -> RunAgentInput:
        """The input as the peer can read it."""
        if self._ceiling is None or self._ceiling >= VERSIONED:
            return input
        input = replace(input, protocol_version=UNSET)
        if self._ceiling <= NO_SUBAGENTS:
            input = replace(input, messages=[_untagged(message) for message in input.messages])
        if self._ceiling <= NO_PARTS:
            messages = [self._flattened(message) for message in input.messages]
            input = replace(input, messages=messages, parent_run_id=UNSET)
        return input

    def incoming(self, event: Json) -> Json | None:
        """An event of the peer, or None for one of a family that it cannot know."""
        if self._ceiling is None or self._ceiling > NO_SUBAGENTS:
            return event
        name = event.get("type")
        if name in SUBAGENT_EVENTS:
            self._tell(str(name), f"dropping {name}: the peer predates subagents")
            return None
        return _untagged_event(event)

    def _flattened(self, message: Message) -> Message:
        content: Any = getattr(message, "content", UNSET)
        if content is UNSET:
            return replace(message, content="")
        if not isinstance(content, list):
            return message
        return replace(message, content=self._text_of(content))

    def _text_of(self, parts: list[ContentPart]) -> str:
        text = [part.text for part in parts if isinstance(part, TextPart)]
        if len(text) < len(parts):
            self._tell("parts", "the peer takes text only: this DROPS non-text parts of messages")
        return "".join(text)

    def _tell(self, name: str, sentence: str) -> None:
        if name not in self._told:
            self._told.add(name)
            self._warn(Notice("downgrade", name, sentence))


def _numbers(ceiling: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in ceiling.split("."))
    except ValueError:
        numbers = ()
    if len(numbers) != 3:
        raise ValueError(f"{ceiling!r} is no version of the packages: expected one like '0.0.57'")
    return numbers


def _untagged(message: Message) -> Message:
    return replace(message, subagent_run_id=UNSET)


def _untagged_event(event: Json) -> Json:
    """The event without tags, also on the messages and interrupts inside."""
    event = _without_tag(event)
    for path in (("messages",), ("input", "messages"), ("outcome", "interrupts")):
        event = _untagged_at(event, path)
    return event


def _untagged_at(owner: Any, path: tuple[str, ...]) -> Any:
    if type(owner) is not dict or path[0] not in owner:
        return owner
    member = owner[path[0]]
    if len(path) > 1:
        return {**owner, path[0]: _untagged_at(member, path[1:])}
    if type(member) is not list:
        return owner
    return {**owner, path[0]: [_without_tag(element) for element in member]}


def _without_tag(value: Any) -> Any:
    if type(value) is not dict or "subagentRunId" not in value:
        return value
    return {key: member for key, member in value.items() if key != "subagentRunId"}
