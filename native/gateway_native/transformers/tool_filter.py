"""`FilterToolCalls`: some tool calls leave no trace in the stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from gateway_native.binding import BINDING
from gateway_native.chain import Transformer
from gateway_native.chunks import CHUNK, CLOSES_ALL, CLOSES_LANE, EFFECT_OF
from gateway_native.kinds import (
    COUNT,
    MESSAGES_SNAPSHOT,
    REASONING_ENCRYPTED_VALUE,
    REASONING_MESSAGE_CONTENT,
    TEXT_MESSAGE_CONTENT,
    TOOL_CALL_ARGS,
    TOOL_CALL_CHUNK,
    TOOL_CALL_END,
    TOOL_CALL_RESULT,
    TOOL_CALL_START,
)

CONTENT: Final = (TEXT_MESSAGE_CONTENT, REASONING_MESSAGE_CONTENT)


class FilterToolCalls(Transformer):
    """Drops calls by the name of their tool: start, arguments, end, result, chunks.

    Encrypted values of dropped calls go as well, and so do, from snapshots of messages, the calls,
    their tool messages, and an assistant message that consisted of them. The decision is made anew
    at each start of an id.
    """

    kinds: ClassVar[Any] = [kind for kind in range(COUNT) if kind not in CONTENT]

    def __init__(self, names: Iterable[str], keep: bool) -> None:
        if isinstance(names, str):
            raise TypeError("names must be several tool names, not one string")
        self.names = frozenset(names)
        self.keep = keep
        self._dropped: set[str] = set()
        self._lanes: dict[str | None, bool] = {}
        """Owners that write a call in chunks, and whether it is dropped."""

    @staticmethod
    def allow(names: Iterable[str]) -> FilterToolCalls:
        """Keep the calls of these tools only."""
        return FilterToolCalls(names, True)

    @staticmethod
    def deny(names: Iterable[str]) -> FilterToolCalls:
        """Drop the calls of these tools."""
        return FilterToolCalls(names, False)

    def transform(self, event: Any) -> Any:
        """The event, None, or a snapshot without the dropped calls."""
        kind: int = event.kind
        if kind in (TOOL_CALL_ARGS, TOOL_CALL_END, TOOL_CALL_RESULT):
            dropped = event.tool_call_id in self._dropped
        elif kind == TOOL_CALL_START:
            dropped = self._decide(event.tool_call_id, event.tool_call_name)
        elif kind == TOOL_CALL_CHUNK:
            return None if self._drops_chunk(event) else event
        elif kind == REASONING_ENCRYPTED_VALUE:
            dropped = event.subtype == "tool-call" and event.entity_id in self._dropped
        elif kind == MESSAGES_SNAPSHOT:
            event = event.__replace__(messages=self._without_calls(event.messages))
            dropped = False
        else:
            dropped = False
        if self._lanes:
            self._leave_lanes(event, kind)
        return None if dropped else event

    def _decide(self, id: str, name: str) -> bool:
        if (name in self.names) == self.keep:
            self._dropped.discard(id)
            return False
        self._dropped.add(id)
        return True

    def _drops_chunk(self, chunk: Any) -> bool:
        unset: Any = BINDING.unset
        id: Any = chunk.tool_call_id
        owner = self._lane_of(chunk)
        if id is unset:
            return self._lanes.get(owner, False)
        name: Any = chunk.tool_call_name
        dropped = id in self._dropped if name is unset else self._decide(id, name)
        self._lanes[owner] = dropped
        return dropped

    def _lane_of(self, chunk: Any) -> str | None:
        """The owner of a chunk; without tag and id the agent itself, else the only one writing."""
        owner = _owner(chunk)
        alone = chunk.tool_call_id is BINDING.unset and len(self._lanes) == 1
        if owner is None and alone and None not in self._lanes:
            for lane in self._lanes:
                return lane
        return owner

    def _leave_lanes(self, event: Any, kind: int) -> None:
        effect = EFFECT_OF[kind]
        if effect == CLOSES_ALL:
            self._lanes.clear()
        elif effect in (CLOSES_LANE, CHUNK):
            self._lanes.pop(_owner(event), None)

    def _without_calls(self, messages: list[Any]) -> list[Any]:
        kept: list[Any] = []
        for message in messages:
            if message.role == "assistant" and message.tool_calls is not BINDING.unset:
                self._keep_assistant(message, kept)
            elif message.role != "tool" or message.tool_call_id not in self._dropped:
                kept.append(message)
        return kept

    def _keep_assistant(self, message: Any, kept: list[Any]) -> None:
        unset: Any = BINDING.unset
        calls = [c for c in message.tool_calls if not self._decide(c.id, c.function.name)]
        if calls:
            kept.append(message.__replace__(tool_calls=calls))
        elif message.content is not unset and message.content != "":
            kept.append(message.__replace__(tool_calls=unset))


def _owner(event: Any) -> str | None:
    tag: Any = event.subagent_run_id
    if tag is BINDING.unset:
        return None
    owner: str = tag
    return owner
