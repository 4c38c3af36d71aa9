"""Chunk expansion: *_CHUNK events become start, content and end.

Each owner (the agent itself, or a subagent) has a lane, and a lane holds at most one open shorthand
of any family. A chunk continues the shorthand of its lane, or ends it and opens another; most
other events end the shorthand of their owner's lane, since they show that it is over.
Spec: `docs/spec/1.1/basic/patterns/streaming.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import CALL, NOUNS, REASONING, TEXT
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
CLOSES_NOTHING: Final = 2
IS_CHUNK: Final = 3

EFFECT_OF: Final[list[int]] = [
    IS_CHUNK
    if kind in (TEXT_MESSAGE_CHUNK, TOOL_CALL_CHUNK, REASONING_MESSAGE_CHUNK)
    else CLOSES_ALL
    if kind in (RUN_STARTED, RUN_FINISHED, RUN_ERROR, MESSAGES_SNAPSHOT)
    else CLOSES_NOTHING
    if kind in (RAW, ACTIVITY_SNAPSHOT, ACTIVITY_DELTA, REASONING_ENCRYPTED_VALUE, SUBAGENT_STARTED)
    else CLOSES_LANE
    for kind in range(COUNT)
]
"""What an event of each kind does to the shorthands that are open."""

FAMILY_OF_CHUNK: Final[dict[int, int]] = {
    TEXT_MESSAGE_CHUNK: TEXT,
    TOOL_CALL_CHUNK: CALL,
    REASONING_MESSAGE_CHUNK: REASONING,
}
STARTS: Final[dict[int, int]] = {
    TEXT: TEXT_MESSAGE_START,
    CALL: TOOL_CALL_START,
    REASONING: REASONING_MESSAGE_START,
}
CONTENTS: Final[dict[int, int]] = {
    TEXT: TEXT_MESSAGE_CONTENT,
    CALL: TOOL_CALL_ARGS,
    REASONING: REASONING_MESSAGE_CONTENT,
}
ENDINGS: Final[dict[int, int]] = {
    TEXT: TEXT_MESSAGE_END,
    CALL: TOOL_CALL_END,
    REASONING: REASONING_MESSAGE_END,
}


class Shorthand:
    """An open shorthand: its family, id and tag, and the opener's other members."""

    def __init__(self, family: int, id: str, tag: Any, first: Any, second: Any) -> None:
        self.family = family
        self.id = id
        self.tag = tag
        self.first = first
        """role of a text message, tool name of a call"""
        self.second = second
        """name of a text message, parent message of a call"""


class ChunkExpander:
    """Expands the chunks of one stream; other events pass, after the ends that they imply.

    `finish` is not needed: a shorthand that is open when the stream ends gets no end.
    """

    def __init__(self) -> None:
        self.lanes: dict[str | None, Shorthand] = {}

    @property
    def busy(self) -> bool:
        """True while any shorthand is open."""
        return len(self.lanes) > 0

    def copy(self) -> ChunkExpander:
        """The same state, for going back to it."""
        twin = ChunkExpander()
        twin.lanes = dict(self.lanes)
        return twin

    def feed(self, event: Any) -> list[Any]:
        """What `event` stands for; raises OrderingError and stays as before."""
        kind: int = event.kind
        effect = EFFECT_OF[kind]
        if effect == IS_CHUNK:
            return self._expand(event, kind)
        if not self.lanes or effect == CLOSES_NOTHING:
            return [event]
        if effect == CLOSES_ALL:
            out: list[Any] = []
            for shorthand in self.lanes.values():
                out.append(_end_of(shorthand))
            self.lanes.clear()
            out.append(event)
            return out
        tag: Any = event.subagent_run_id
        owner: str | None = None if tag is BINDING.unset else tag
        if owner in self.lanes:
            return [_end_of(self.lanes.pop(owner)), event]
        return [event]

    def _expand(self, chunk: Any, kind: int) -> list[Any]:
        family = FAMILY_OF_CHUNK[kind]
        id: Any = chunk.tool_call_id if family == CALL else chunk.message_id
        lane = self._lane_of(family, id, chunk)
        open_now = self.lanes.get(lane)
        unset = BINDING.unset
        if (
            open_now is not None
            and open_now.family == family
            and (id is unset or id == open_now.id)
        ):
            _require_same_opener(open_now, chunk)
            return _content_of(open_now, chunk, False)
        opened = _opened_by(family, id, chunk)
        out: list[Any] = []
        if open_now is not None:
            out.append(_end_of(open_now))
        self.lanes.pop(lane, None)
        self.lanes[lane] = opened
        out.append(_start_of(opened, chunk))
        out.extend(_content_of(opened, chunk, True))
        return out

    def _lane_of(self, family: int, id: Any, chunk: Any) -> str | None:
        """The lane that a chunk belongs to: by its id, by its tag, or the only one that fits."""
        unset = BINDING.unset
        tag: Any = chunk.subagent_run_id
        if id is not unset:
            for lane, shorthand in self.lanes.items():
                if shorthand.family == family and shorthand.id == id:
                    if tag is not unset and tag != lane:
                        raise OrderingError(
                            "wrong-owner",
                            NAMES[chunk.kind],
                            id,
                            f"{NOUNS[family]} {id!r} is open under another owner than {tag!r}",
                        )
                    return lane
            return None if tag is unset else tag
        if tag is not unset:
            owner: str = tag
            return owner
        return self._only_lane_with(family, chunk)

    def _only_lane_with(self, family: int, chunk: Any) -> str | None:
        own = self.lanes.get(None)
        if own is not None and own.family == family:
            return None
        fitting: list[str | None] = []
        for lane, shorthand in self.lanes.items():
            if shorthand.family == family:
                fitting.append(lane)
        if len(fitting) > 1:
            raise OrderingError(
                "out-of-order",
                NAMES[chunk.kind],
                "",
                f"ambiguous: {len(fitting)} owners have a {NOUNS[family]} open, "
                "and the chunk names neither an id nor an owner",
            )
        return fitting[0] if fitting else None


def _opened_by(family: int, id: Any, chunk: Any) -> Shorthand:
    unset = BINDING.unset
    if id is unset:
        missing = "toolCallId" if family == CALL else "messageId"
        raise OrderingError(
            "out-of-order", NAMES[chunk.kind], "", f"the first chunk must name a {missing}"
        )
    name: str = id
    tag: Any = chunk.subagent_run_id
    if family == CALL:
        if chunk.tool_call_name is unset:
            raise OrderingError(
                "out-of-order", NAMES[chunk.kind], name, "the first chunk must name a toolCallName"
            )
        return Shorthand(family, name, tag, chunk.tool_call_name, chunk.parent_message_id)
    if family == TEXT:
        role: Any = "assistant" if chunk.role is unset else chunk.role
        return Shorthand(family, name, tag, role, chunk.name)
    return Shorthand(family, name, tag, unset, unset)


def _require_same_opener(open_now: Shorthand, chunk: Any) -> None:
    """A continuation may repeat what the opener said, by omission too, but not contradict it."""
    if open_now.family == TEXT:
        _require_same(open_now, chunk, "role", chunk.role, open_now.first)
        _require_same(open_now, chunk, "name", chunk.name, open_now.second)
    elif open_now.family == CALL:
        _require_same(open_now, chunk, "toolCallName", chunk.tool_call_name, open_now.first)
        _require_same(open_now, chunk, "parentMessageId", chunk.parent_message_id, open_now.second)


def _require_same(open_now: Shorthand, chunk: Any, member: str, said: Any, known: Any) -> None:
    if said is BINDING.unset or said == known:
        return
    established = "absent" if known is BINDING.unset else repr(known)
    raise OrderingError(
        "out-of-order",
        NAMES[chunk.kind],
        open_now.id,
        f"{member} {said!r} contradicts {NOUNS[open_now.family]} {open_now.id!r}, "
        f"whose {member} is {established}",
    )


def _start_of(opened: Shorthand, chunk: Any) -> Any:
    constructor: Any = BINDING.classes[STARTS[opened.family]]
    if opened.family == REASONING:
        return constructor(opened.id, metadata=chunk.metadata, subagent_run_id=opened.tag)
    return constructor(
        opened.id,
        opened.first,
        opened.second,
        metadata=chunk.metadata,
        subagent_run_id=opened.tag,
    )


def _content_of(shorthand: Shorthand, chunk: Any, opening: bool) -> list[Any]:
    """The content event of a chunk, or nothing: a delta, or something that needs a carrier."""
    unset = BINDING.unset
    delta: Any = chunk.delta
    metadata: Any = chunk.metadata
    raw: Any = chunk.raw_event
    if delta is unset and raw is unset and (opening or metadata is unset):
        return []
    tag: Any = chunk.subagent_run_id
    return [
        BINDING.classes[CONTENTS[shorthand.family]](
            shorthand.id,
            "" if delta is unset else delta,
            metadata=metadata,
            raw_event=raw,
            subagent_run_id=shorthand.tag if tag is unset else tag,
        )
    ]


def _end_of(shorthand: Shorthand) -> Any:
    return BINDING.classes[ENDINGS[shorthand.family]](shorthand.id, subagent_run_id=shorthand.tag)
