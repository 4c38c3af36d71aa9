"""Compaction of a finished stream: the same meaning in fewer events.

Each message and tool call becomes start, one content and end, followed by what arrived meanwhile;
the state events of a run become one snapshot just before its terminal. Chunks and reasoning stay
as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from msgspec.structs import replace

from gateway.errors import PatchError
from gateway.protocol.base import UNSET, Metadata, UnsetType, merged
from gateway.protocol.events import (
    Event,
    RunError,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallStart,
)
from gateway.protocol.json_patch import apply_patch
from gateway.protocol.notices import Notice, Warn, ignore

CONTENTS: dict[str, type[Any]] = {"message": TextMessageContent, "call": ToolCallArgs}


def compact(events: Iterable[Event], warn: Warn = ignore) -> list[Event]:
    """The compacted stream. A state patch that cannot be applied is left out, with a notice."""
    compaction = _Compaction(warn)
    for event in events:
        compaction.feed(event)
    return compaction.finish()


class _Block:
    """A message or call while it is collected."""

    def __init__(self, family: str, id: str) -> None:
        self.family = family
        self.id = id
        self.start: Any = None
        self.deltas: list[str] = []
        self.end: Any = None
        self.metadata: Metadata | UnsetType = UNSET
        self.meanwhile: list[Event] = []

    def begin(self, event: Any) -> None:
        """Take a start; a later one replaces the members, and its metadata moves to the content."""
        before = UNSET if self.start is None else self.start.metadata
        if self.deltas:
            self.start = replace(event, metadata=before)
            self.metadata = merged(self.metadata, event.metadata)
        else:
            self.start = replace(event, metadata=merged(before, event.metadata))

    def append(self, event: Any) -> None:
        self.deltas.append(event.delta)
        self.metadata = merged(self.metadata, event.metadata)

    def events(self) -> list[Event]:
        """The block, and what arrived while it was open."""
        out: list[Event] = [] if self.start is None else [self.start]
        if self.deltas:
            content = CONTENTS[self.family]
            out.append(content(self.id, "".join(self.deltas), metadata=self.metadata))
        if self.end is not None:
            out.append(self.end)
        return out + self.meanwhile


class _Compaction:
    """The state of one pass."""

    def __init__(self, warn: Warn) -> None:
        self._out: list[Event] = []
        self._messages: dict[str, _Block] = {}
        self._calls: dict[str, _Block] = {}
        self._state: list[StateSnapshot | StateDelta] = []
        self._warn = warn

    def feed(self, event: Event) -> None:
        if isinstance(event, TextMessageStart | TextMessageContent | TextMessageEnd):
            self._collect(self._messages, "message", event.message_id, event)
        elif isinstance(event, ToolCallStart | ToolCallArgs | ToolCallEnd):
            self._collect(self._calls, "call", event.tool_call_id, event)
        elif isinstance(event, RunStarted | RunFinished | RunError):
            self._flush_state()
            self._out.append(event)
        elif isinstance(event, StateSnapshot | StateDelta):
            self._state.append(event)
        else:
            self._pass(event)

    def finish(self) -> list[Event]:
        for block in [*self._messages.values(), *self._calls.values()]:
            self._out += block.events()
        self._flush_state()
        return self._out

    def _collect(self, blocks: dict[str, _Block], family: str, id: str, event: Any) -> None:
        block = blocks.setdefault(id, _Block(family, id))
        if isinstance(event, TextMessageStart | ToolCallStart):
            block.begin(event)
        elif isinstance(event, TextMessageContent | ToolCallArgs):
            block.append(event)
        else:
            block.end = event
            self._out += block.events()
            del blocks[id]

    def _pass(self, event: Event) -> None:
        """Hold an event back while a block is open, else let it through."""
        for block in chain(self._messages.values(), self._calls.values()):
            if block.start is not None:
                block.meanwhile.append(event)
                return
        self._out.append(event)

    def _flush_state(self) -> None:
        events, self._state = self._state, []
        last = max((i for i, e in enumerate(events) if isinstance(e, StateSnapshot)), default=None)
        if last is None:
            self._out += events
            return
        state: Any = None
        for event in events[last:]:
            state = self._applied(state, event)
        metadata: Metadata | UnsetType = UNSET
        for event in events:
            metadata = merged(metadata, event.metadata)
        self._out.append(StateSnapshot(state, metadata=metadata))

    def _applied(self, state: Any, event: StateSnapshot | StateDelta) -> Any:
        if isinstance(event, StateSnapshot):
            return event.snapshot
        try:
            return apply_patch(state, event.delta)
        except PatchError as error:
            path = f"/delta/{error.index}"
            self._warn(Notice("unappliable", path, f"Failed to apply state patch: {error}"))
            return state
