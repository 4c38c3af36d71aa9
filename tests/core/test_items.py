"""Items written in chunks: what a first chunk must say and a later one may not change."""

from typing import Any

import pytest

from gateway.errors import OrderingError
from gateway.protocol import events as e
from gateway.protocol.base import UNSET
from gateway_native.items import begin, contents, end, require_agreement, start


@pytest.mark.parametrize(
    ("chunk", "missing"),
    [
        (e.TextMessageChunk(delta="x"), "messageId"),
        (e.ReasoningMessageChunk(delta="x"), "messageId"),
        (e.ToolCallChunk(tool_call_name="t"), "toolCallId"),
        (e.ToolCallChunk("c"), "toolCallName"),
    ],
)
def test_a_first_chunk_names_what_it_begins(chunk: Any, missing: str) -> None:
    id = chunk.tool_call_id if type(chunk) is e.ToolCallChunk else chunk.message_id
    with pytest.raises(OrderingError, match=f"out-of-order.*{missing}"):
        begin(chunk, chunk.kind, id)


@pytest.mark.parametrize(
    ("later", "agrees"),
    [
        (e.TextMessageChunk(), True),
        (e.TextMessageChunk(role="assistant"), True),
        (e.TextMessageChunk(role="user"), False),
        (e.TextMessageChunk(name="n"), False),
    ],
)
def test_what_the_first_chunk_left_out_is_fixed_too(later: Any, agrees: bool) -> None:
    first = e.TextMessageChunk("m")
    item = begin(first, first.kind, "m")
    if agrees:
        require_agreement(item, later)
        return
    with pytest.raises(OrderingError, match="out-of-order"):
        require_agreement(item, later)


def test_an_item_becomes_start_content_and_end() -> None:
    chunk = e.ToolCallChunk("c", "t", "m", "{", metadata={"k": 1}, subagent_run_id="s")
    item = begin(chunk, chunk.kind, "c")
    assert [start(item, chunk), *contents(item, chunk, True), end(item)] == [
        e.ToolCallStart("c", "t", "m", metadata={"k": 1}, subagent_run_id="s"),
        e.ToolCallArgs("c", "{", metadata={"k": 1}, subagent_run_id="s"),
        e.ToolCallEnd("c", subagent_run_id="s"),
    ]
    assert end(item).metadata is UNSET
