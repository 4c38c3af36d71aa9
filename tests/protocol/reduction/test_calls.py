"""Tool calls and their results."""

from gateway.protocol import (
    AssistantMessage,
    FunctionCall,
    Message,
    ReasoningEncryptedValue,
    RunFinished,
    RunStarted,
    ToolCall,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.notices import Notice
from gateway.protocol.reducer import Reducer


def _holding(id: str, call: ToolCall) -> AssistantMessage:
    return AssistantMessage(id, tool_calls=[call])


def _messages(event: ToolCallStart, *before: Message) -> list[Message]:
    reducer = Reducer(before)
    reducer.feed(event)
    return reducer.messages


CALL = ToolCall("c", FunctionCall("f", ""))


def test_a_call_goes_to_its_parent() -> None:
    parent = AssistantMessage("a", "hi")
    assert _messages(ToolCallStart("c", "f", "a"), parent) == [
        AssistantMessage("a", "hi", tool_calls=[CALL])
    ]


def test_a_parent_that_is_missing_is_made() -> None:
    assert _messages(ToolCallStart("c", "f", "a")) == [_holding("a", CALL)]


def test_a_call_without_a_parent_has_a_message_of_its_own() -> None:
    made = AssistantMessage("c", tool_calls=[CALL], subagent_run_id="s")
    assert _messages(ToolCallStart("c", "f", subagent_run_id="s")) == [made]
    assert _messages(ToolCallStart("c", "f", "", subagent_run_id="s")) == [made]


def test_a_parent_of_another_role_gets_no_call() -> None:
    notices: list[Notice] = []
    reducer = Reducer([UserMessage("u", "hi")], warn=notices.append)
    reducer.feed(ToolCallStart("c", "f", "u"))
    assert reducer.messages == [UserMessage("u", "hi"), _holding("c", CALL)]
    assert [notice.code for notice in notices] == ["unknown-target"]


def test_a_call_that_is_started_again_is_renamed_and_goes_on() -> None:
    reducer = Reducer([_holding("a", ToolCall("c", FunctionCall("f", "{"), metadata={"x": 1}))])
    reducer.feed(ToolCallStart("c", "g", "other", metadata={"y": 2}))
    reducer.feed(ToolCallArgs("c", "}"))
    call = ToolCall("c", FunctionCall("g", "{}"), metadata={"x": 1, "y": 2})
    assert reducer.messages == [_holding("a", call)]


def test_metadata_lands_on_the_call_and_on_the_result() -> None:
    reducer = Reducer()
    reducer.feed(ToolCallStart("c", "f", metadata={"x": 1}))
    reducer.feed(ToolCallArgs("c", "", metadata={"x": 2}))
    reducer.feed(ToolCallEnd("c", metadata={"y": 3}))
    reducer.feed(ToolCallResult("t", "c", "ok", metadata={"z": 4}))
    call = ToolCall("c", FunctionCall("f", ""), metadata={"x": 2, "y": 3})
    assert reducer.messages == [
        _holding("c", call),
        ToolMessage("t", "c", "ok", metadata={"z": 4}),
    ]


def test_a_call_holds_an_encrypted_value() -> None:
    reducer = Reducer()
    reducer.feed(ToolCallStart("c", "f"))
    reducer.feed(ReasoningEncryptedValue("tool-call", "c", "AA"))
    call = ToolCall("c", FunctionCall("f", ""), encrypted_value="AA")
    assert reducer.messages == [_holding("c", call)]


def test_a_call_that_starts_after_its_result_does_not_pend() -> None:
    reducer = Reducer([_holding("a", CALL)])
    for event in (
        RunStarted("t", "r"),
        ToolCallResult("m", "c", ""),
        ToolCallStart("c", "f"),
        ToolCallEnd("c"),
        ToolCallStart("d", "f"),
        ToolCallEnd("d"),
        RunFinished("t", "r"),
    ):
        reducer.feed(event)
    assert reducer.pending_tool_call_ids == ["d"]
