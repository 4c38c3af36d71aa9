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
from gateway_native.blocks import CALL, FAMILY_OF, NOUNS, TEXT
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    ACTIVITY_DELTA,
    ACTIVITY_SNAPSHOT,
    COUNT,
    MESSAGES_SNAPSHOT,
    NAMES,
    RAW,
    REASONING_ENCRYPTED_VALUE,
    REASONING_MESSAGE_CHUNK,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    RUN_ERROR,
    RUN_FINISHED,
    RUN_STARTED,
    SUBAGENT_STARTED,
    TEXT_MESSAGE_CHUNK,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_CHUNK,
    TOOL_CALL_END,
    TOOL_CALL_START,
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

START_OF: Final[dict[int, int]] = {
    TEXT_MESSAGE_CHUNK: TEXT_MESSAGE_START,
    TOOL_CALL_CHUNK: TOOL_CALL_START,
    REASONING_MESSAGE_CHUNK: REASONING_MESSAGE_START,
}
CONTENT_OF: Final[dict[int, int]] = {
    TEXT_MESSAGE_CHUNK: TEXT_MESSAGE_CONTENT,
    TOOL_CALL_CHUNK: TOOL_CALL_ARGS,
    REASONING_MESSAGE_CHUNK: REASONING_MESSAGE_CONTENT,
}
END_OF: Final[dict[int, int]] = {
    TEXT_MESSAGE_CHUNK: TEXT_MESSAGE_END,
    TOOL_CALL_CHUNK: TOOL_CALL_END,
    REASONING_MESSAGE_CHUNK: REASONING_MESSAGE_END,
}


class Item:
    """What a lane is writing: the kind of its chunks, and what the first of them said.

    `fixed` are the members that a later chunk may repeat but not change, by wire name; an absent
    one is fixed as absent (spec: `docs/spec/1.1/basic/patterns/streaming.mdx`).
    """

    def __init__(self, kind: int, id: str, tag: Any, fixed: dict[str, Any]) -> None:
        self.kind = kind
        self.family = FAMILY_OF[START_OF[kind]]
        self.id = id
        self.tag: Any = tag
        self.fixed = fixed


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
            out = [_end(item) for item in self.lanes.values()]
            self.lanes = {}
            out.append(event)
            return out
        owner = _owner(event.subagent_run_id)
        if owner not in self.lanes:
            return [event]
        out = [_end(self.lanes[owner]), event]
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
            _require_agreement(item, chunk)
            return _contents(item, chunk, False)
        begun = _begin(chunk, kind, id)
        out: list[Any] = [] if item is None else [_end(item)]
        out.append(_start(begun, chunk))
        out.extend(_contents(begun, chunk, True))
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


def _begin(chunk: Any, kind: int, id: Any) -> Item:
    """The item that a first chunk begins; it must name the id, and of a call the tool."""
    unset = BINDING.unset
    if id is unset:
        member = "toolCallId" if kind == TOOL_CALL_CHUNK else "messageId"
        raise OrderingError(
            "out-of-order", NAMES[kind], "", f"nothing to continue: a first chunk has a {member}"
        )
    if kind == TOOL_CALL_CHUNK and chunk.tool_call_name is unset:
        raise OrderingError(
            "out-of-order", NAMES[kind], id, "the first chunk of a tool call has a toolCallName"
        )
    fixed = _members(chunk, kind)
    if kind == TEXT_MESSAGE_CHUNK and fixed["role"] is unset:
        fixed["role"] = "assistant"
    return Item(kind, id, chunk.subagent_run_id, fixed)


def _members(chunk: Any, kind: int) -> dict[str, Any]:
    if kind == TEXT_MESSAGE_CHUNK:
        return {"role": chunk.role, "name": chunk.name}
    if kind == TOOL_CALL_CHUNK:
        return {"toolCallName": chunk.tool_call_name, "parentMessageId": chunk.parent_message_id}
    return {}


def _require_agreement(item: Item, chunk: Any) -> None:
    unset = BINDING.unset
    for member, said in _members(chunk, item.kind).items():
        known = item.fixed[member]
        if said is unset or said == known:
            continue
        established = "absent" if known is unset else repr(known)
        raise OrderingError(
            "out-of-order",
            NAMES[item.kind],
            item.id,
            f"{member} {said!r} contradicts the first chunk of {NOUNS[item.family]} {item.id!r}, "
            f"where it is {established}",
        )


def _start(item: Item, chunk: Any) -> Any:
    start: Any = BINDING.classes[START_OF[item.kind]]
    metadata: Any = chunk.metadata
    tag: Any = item.tag
    if item.family == TEXT:
        role: Any = item.fixed["role"]
        name: Any = item.fixed["name"]
        return start(item.id, role, name, metadata=metadata, subagent_run_id=tag)
    if item.family == CALL:
        tool: Any = item.fixed["toolCallName"]
        parent: Any = item.fixed["parentMessageId"]
        return start(item.id, tool, parent, metadata=metadata, subagent_run_id=tag)
    return start(item.id, metadata=metadata, subagent_run_id=tag)


def _contents(item: Item, chunk: Any, opening: bool) -> list[Any]:
    """The content event of a chunk, if it has a delta or something else that needs a carrier."""
    unset = BINDING.unset
    delta: Any = chunk.delta
    raw: Any = chunk.raw_event
    metadata: Any = chunk.metadata
    if delta is unset and raw is unset and (opening or metadata is unset):
        return []
    tag: Any = chunk.subagent_run_id
    content: Any = BINDING.classes[CONTENT_OF[item.kind]](
        item.id,
        "" if delta is unset else delta,
        raw_event=raw,
        metadata=metadata,
        subagent_run_id=item.tag if tag is unset else tag,
    )
    return [content]


def _end(item: Item) -> Any:
    return BINDING.classes[END_OF[item.kind]](item.id, subagent_run_id=item.tag)
