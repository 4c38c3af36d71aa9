"""Chunk expansion: *_CHUNK events become start, content and end.

A producer may write a message as chunks alone: the first names its id, the others may leave it out.
Each owner (the agent itself, or a subagent) has a lane, and a lane holds at most one item that is
being written so, whatever its family. A chunk continues the item of its lane or ends it and begins
another; most other events end the item of their owner's lane, since they show that it is over, and
what concerns the whole run ends all. What a chunk means depends on the lanes alone, so expansion
comes before verification and knows nothing of items that were opened by a start event.
Spec: `docs/spec/1.1/basic/patterns/streaming.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import NOUNS
from gateway_native.errors import OrderingError
from gateway_native.items import Item, begin, contents, end, require_agreement, start
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    MESSAGES_SNAPSHOT,
    NAMES,
    RAW,
    REASONING_ENCRYPTED_VALUE,
    REASONING_MESSAGE_CHUNK,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CHUNK,
    TOOL_CALL_CHUNK,
)

CLOSES_LANE: Final = 0
CLOSES_ALL: Final = 1
CLOSES_NONE: Final = 2
CHUNK: Final = 3


def _effects() -> list[int]:
    effects = [CLOSES_LANE] * COUNT
    for kind in (RUN_STARTED, RUN_FINISHED, RUN_ERROR, MESSAGES_SNAPSHOT):
        effects[kind] = CLOSES_ALL
    for kind in (RAW, ACTIVITY_SNAPSHOT, ACTIVITY_DELTA):
        effects[kind] = CLOSES_NONE
    for kind in (REASONING_ENCRYPTED_VALUE, SUBAGENT_STARTED):
        effects[kind] = CLOSES_NONE
    for kind in (TEXT_MESSAGE_CHUNK, TOOL_CALL_CHUNK, REASONING_MESSAGE_CHUNK):
        effects[kind] = CHUNK
    return effects


EFFECT_OF: Final = _effects()
"""What an event of each kind does to the lanes."""


class ChunkExpander:
    """Expands the chunks of one stream; other events pass, behind the ends that they imply.

    An item that is open when the stream stops gets no end: without a terminal event the run is
    not complete, and an end would claim that the item is.
    """

    def __init__(self) -> None:
        self.lanes: dict[str | None, Item] = {}
        """What is being written, by owner, in the order of opening. Replaced, never changed."""

    def feed(self, event: Any) -> list[Any]:
        """What `event` stands for, or raises OrderingError and stays as before."""
        kind: int = event.kind
        effect = EFFECT_OF[kind]
        if effect == CHUNK:
            return self._expand(event, kind)
        if not self.lanes or effect == CLOSES_NONE:
            return [event]
        if effect == CLOSES_ALL:
            out = [end(item) for item in self.lanes.values()]
            self.lanes = {}
            out.append(event)
            return out
        owner = _owner(event.subagent_run_id)
        if owner not in self.lanes:
            return [event]
        out = [end(self.lanes[owner]), event]
        self.lanes = self._without(owner)
        return out

    def holds(self, family: int, id: str) -> bool:
        """Whether an item of that family and id is being written in any lane."""
        return any(item.family == family and item.id == id for item in self.lanes.values())

    def _expand(self, chunk: Any, kind: int) -> list[Any]:
        id: Any = chunk.tool_call_id if kind == TOOL_CALL_CHUNK else chunk.message_id
        owner = self._lane(chunk, kind, id)
        item = self.lanes.get(owner)
        if item is not None and item.kind == kind and (id is BINDING.unset or id == item.id):
            require_agreement(item, chunk)
            return contents(item, chunk, False)
        begun = begin(chunk, kind, id)
        out: list[Any] = [] if item is None else [end(item)]
        out.append(start(begun, chunk))
        out.extend(contents(begun, chunk, True))
        lanes = self._without(owner)
        lanes[owner] = begun
        self.lanes = lanes
        return out

    def _without(self, owner: str | None) -> dict[str | None, Item]:
        lanes = dict(self.lanes)
        lanes.pop(owner, None)
        return lanes

    def _lane(self, chunk: Any, kind: int, id: Any) -> str | None:
        """The lane of a chunk: where its id is being written, else its owner's."""
        tag: Any = chunk.subagent_run_id
        if id is BINDING.unset:
            return self._lane_without_id(kind) if tag is BINDING.unset else _owner(tag)
        for owner, item in self.lanes.items():
            if item.kind != kind or item.id != id:
                continue
            if tag is not BINDING.unset and tag != owner:
                raise OrderingError(
                    "wrong-owner",
                    NAMES[kind],
                    id,
                    f"{NOUNS[item.family]} {id!r} is being written by another than {tag!r}",
                )
            return owner
        return _owner(tag)

    def _lane_without_id(self, kind: int) -> str | None:
        """For a chunk without id and tag: the agent's own lane, else the only one that fits."""
        own = self.lanes.get(None)
        if own is not None and own.kind == kind:
            return None
        fitting: list[str | None] = []
        for owner, item in self.lanes.items():
            if item.kind == kind:
                fitting.append(owner)
        if len(fitting) > 1:
            raise OrderingError(
                "out-of-order",
                NAMES[kind],
                "",
                f"a chunk without id and tag is ambiguous, as {len(fitting)} subagents are writing",
            )
        return fitting[0] if fitting else None


def _owner(tag: Any) -> str | None:
    if tag is BINDING.unset:
        return None
    owner: str = tag
    return owner
