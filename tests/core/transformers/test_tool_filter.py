"""FilterToolCalls leaves no trace of a dropped call."""

import pytest

from gateway.protocol.events import (
    Event,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    RunFinished,
    SubagentStarted,
    TextMessageChunk,
    ToolCallArgs,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from gateway.protocol.messages import (
    AssistantMessage,
    FunctionCall,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway_native.transformers.chunk_expansion import ExpandChunks
from gateway_native.transformers.tool_filter import FilterToolCalls
from tests.core.streams import brief, sent, started


def call(id: str, tool: str) -> list[Event]:
    return [
        ToolCallStart(id, tool),
        ToolCallArgs(id, "{}"),
        ToolCallEnd(id),
        ToolCallResult(f"{id}-result", id, "42"),
        ReasoningEncryptedValue("tool-call", id, "opaque"),
    ]


def test_a_denied_call_is_dropped_whole() -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    for pair in zip(call("a", "internal"), call("b", "search"), strict=True):
        for event in pair:
            stream.emit(event)
    stream.end(RunFinished("t", "r"))
    assert b'"a"' not in (chunk := stream.flush())
    assert b"internal" not in chunk
    assert chunk.count(b"data: ") == 6


def test_only_allowed_calls_pass() -> None:
    stream = started(FilterToolCalls.allow({"search"}))
    for event in [*call("a", "internal"), *call("b", "search")]:
        stream.emit(event)
    assert {event.get("toolCallId", event.get("entityId")) for event in sent(stream)} == {"b"}


def test_deltas_of_a_dropped_call_are_dropped() -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    stream.emit(ToolCallStart("a", "internal"))
    stream.args("a", "{")
    stream.close_open(False)
    assert stream.flush() == b""


def test_a_later_start_decides_anew() -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    for event in [*call("a", "internal"), *call("a", "search")]:
        stream.emit(event)
    assert len(sent(stream)) == 5


def test_an_encrypted_value_of_a_message_of_the_same_id_passes() -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    stream.emit(ToolCallStart("a", "internal"))
    stream.emit(ReasoningEncryptedValue("message", "a", "opaque"))
    assert brief(stream) == ["REASONING_ENCRYPTED_VALUE"]


@pytest.mark.parametrize("named", [True, False])
def test_chunks_of_a_dropped_call_are_dropped_with_and_without_id(named: bool) -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    stream.emit(ToolCallChunk("a", "internal", delta="{"))
    stream.emit(ToolCallChunk("a", delta="}") if named else ToolCallChunk(delta="}"))
    stream.emit(ToolCallChunk("b", "search", delta="{"))
    stream.emit(ToolCallChunk("b", delta="}") if named else ToolCallChunk(delta="}"))
    assert [event["delta"] for event in sent(stream)] == ["{", "}"]


def test_chunks_without_id_follow_their_owner() -> None:
    stream = started(FilterToolCalls.deny(["internal"]))
    stream.emit(SubagentStarted("s", "helper"))
    stream.emit(ToolCallChunk("a", "internal", delta="1", subagent_run_id="s"))
    stream.emit(ToolCallChunk("b", "search", delta="2"))
    stream.emit(ToolCallChunk(delta="3", subagent_run_id="s"))
    stream.emit(ToolCallChunk(delta="4"))
    stream.emit(TextMessageChunk("m", delta="text"))
    stream.emit(ToolCallChunk(delta="5"))
    deltas = [event.get("delta") for event in sent(stream)]
    assert deltas == [None, "2", "4", "text"]


def test_a_filter_works_behind_expansion_too() -> None:
    stream = started(ExpandChunks(), FilterToolCalls.deny(["internal"]))
    stream.emit(ToolCallChunk("a", "internal", delta="{"))
    stream.emit(ToolCallChunk("b", "search", delta="{"))
    stream.end(RunFinished("t", "r"))
    assert brief(stream) == [
        "TOOL_CALL_START b",
        "TOOL_CALL_ARGS b {",
        "TOOL_CALL_END b",
        "RUN_FINISHED",
    ]


def test_snapshots_lose_dropped_calls_their_results_and_empty_messages() -> None:
    hidden = ToolCall("a", FunctionCall("internal", "{}"))
    shown = ToolCall("b", FunctionCall("search", "{}"))
    stream = started(FilterToolCalls.deny(["internal"]))
    stream.emit(
        MessagesSnapshot(
            [
                UserMessage("1", "hi"),
                AssistantMessage("2", tool_calls=[hidden, shown]),
                ToolMessage("3", "a", "secret"),
                ToolMessage("4", "b", "found"),
                AssistantMessage("5", tool_calls=[hidden]),
                AssistantMessage("6", "said", tool_calls=[hidden]),
            ]
        )
    )
    messages = sent(stream)[0]["messages"]
    assert [message["id"] for message in messages] == ["1", "2", "4", "6"]
    assert [c["id"] for c in messages[1]["toolCalls"]] == ["b"]
    assert "toolCalls" not in messages[3]


def test_names_must_be_several() -> None:
    with pytest.raises(TypeError):
        FilterToolCalls.deny("internal")
