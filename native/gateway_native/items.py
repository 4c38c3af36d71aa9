"""Items: what is being written in chunks, and the events that it stands for.

Spec: `docs/spec/1.1/basic/patterns/streaming.mdx`.
"""

from __future__ import annotations

from typing import Any, Final

from gateway_native.binding import BINDING
from gateway_native.blocks import CALL, FAMILY_OF, NOUNS, TEXT
from gateway_native.errors import OrderingError
from gateway_native.kinds import (
    NAMES,
    REASONING_MESSAGE_CHUNK,
    REASONING_MESSAGE_CONTENT,
    REASONING_MESSAGE_END,
    REASONING_MESSAGE_START,
    TEXT_MESSAGE_CHUNK,
    TEXT_MESSAGE_CONTENT,
    TEXT_MESSAGE_END,
    TEXT_MESSAGE_START,
    TOOL_CALL_ARGS,
    TOOL_CALL_CHUNK,
    TOOL_CALL_END,
    TOOL_CALL_START,
)

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


def begin(chunk: Any, kind: int, id: Any) -> Item:
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


def require_agreement(item: Item, chunk: Any) -> None:
    """Raise OrderingError (out-of-order) if a later chunk contradicts the first."""
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


def start(item: Item, chunk: Any) -> Any:
    """The event that opens the item; the first chunk's metadata goes with it."""
    opener: Any = BINDING.classes[START_OF[item.kind]]
    metadata: Any = chunk.metadata
    tag: Any = item.tag
    if item.family == TEXT:
        role: Any = item.fixed["role"]
        name: Any = item.fixed["name"]
        return opener(item.id, role, name, metadata=metadata, subagent_run_id=tag)
    if item.family == CALL:
        tool: Any = item.fixed["toolCallName"]
        parent: Any = item.fixed["parentMessageId"]
        return opener(item.id, tool, parent, metadata=metadata, subagent_run_id=tag)
    return opener(item.id, metadata=metadata, subagent_run_id=tag)


def contents(item: Item, chunk: Any, opening: bool) -> list[Any]:
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


def end(item: Item) -> Any:
    """The event that closes the item; nothing of any chunk goes with it but the owner."""
    return BINDING.classes[END_OF[item.kind]](item.id, subagent_run_id=item.tag)
