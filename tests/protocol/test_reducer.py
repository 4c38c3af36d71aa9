"""Reduction of events to messages and state; `tests/replay` has the official client's rows."""

from typing import Any

import pytest

from gateway.errors import OrderingError
from gateway.protocol import (
    UNSET,
    ActivityDelta,
    ActivitySnapshot,
    AssistantMessage,
    CancelledOutcome,
    Event,
    Interrupt,
    InterruptOutcome,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    RunError,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    SuccessOutcome,
    TextMessageChunk,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    ToolCallArgs,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
    UserMessage,
)
from gateway.protocol.notices import Notice
from gateway.protocol.reducer import Reducer


def reduced(*events: Event, **start: Any) -> Reducer:
    reducer = Reducer(**{"state": {}, **start})
    for event in events:
        reducer.feed(event)
    return reducer


def test_messages_are_readable_at_any_time() -> None:
    reducer = reduced(TextMessageStart("m"), TextMessageContent("m", "Hel"))
    assert reducer.messages == [AssistantMessage("m", "Hel")]
    reducer.feed(TextMessageContent("m", "lo"))
    assert reducer.messages == [AssistantMessage("m", "Hello")]


def test_a_long_message_is_joined_once() -> None:
    reducer = reduced(TextMessageStart("m"))
    delta = TextMessageContent("m", "x")
    for _ in range(200_000):
        reducer.feed(delta)
    assert reducer.messages == [AssistantMessage("m", "x" * 200_000)]


def test_messages_given_at_the_start_are_left_alone() -> None:
    given = [UserMessage("u", "hi")]
    reducer = reduced(TextMessageStart("m"), TextMessageContent("m", "x"), messages=given)
    assert len(reducer.messages) == 2
    assert given == [UserMessage("u", "hi")]


def test_arguments_of_parallel_calls_stay_apart() -> None:
    reducer = reduced(
        ToolCallStart("a", "f", "m"),
        ToolCallStart("b", "g", "m"),
        ToolCallArgs("b", "2"),
        ToolCallArgs("a", "1"),
        ToolCallArgs("b", "2"),
        ToolCallEnd("a"),
        ToolCallEnd("b"),
    )
    (message,) = reducer.messages
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls is not UNSET
    assert [(c.id, c.function.arguments) for c in message.tool_calls] == [("a", "1"), ("b", "22")]


def test_a_result_stands_behind_its_call() -> None:
    reducer = reduced(
        ToolCallStart("a", "f"),
        ToolCallEnd("a"),
        TextMessageStart("m"),
        ToolCallResult("t", "a", ""),
    )
    assert [message.id for message in reducer.messages] == ["a", "t", "m"]


def test_a_failed_patch_is_told_and_changes_nothing() -> None:
    notices: list[Notice] = []
    reducer = Reducer(state={"n": 1}, warn=notices.append)
    reducer.feed(
        StateDelta([{"op": "replace", "path": "/n", "value": 2}, {"op": "remove", "path": "/x"}])
    )
    assert reducer.state == {"n": 1}
    assert [(n.code, n.path) for n in notices] == [("unappliable", "/delta/1")]


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}])
def test_a_snapshot_replaces_by_any_value(value: Any) -> None:
    assert reduced(StateSnapshot({"a": 1}), StateSnapshot(value)).state == value


def test_a_new_encrypted_value_forgets_the_type_of_the_old_one() -> None:
    reducer = reduced(
        TextMessageStart("m"),
        ReasoningEncryptedValue("message", "m", "A", "x.y"),
        ReasoningEncryptedValue("message", "m", "B"),
    )
    assert reducer.messages == [AssistantMessage("m", "", encrypted_value="B")]


def test_activities_survive_a_snapshot_that_has_none() -> None:
    reducer = reduced(
        ActivitySnapshot("x", "search", {"q": 1}),
        MessagesSnapshot([UserMessage("u", "hi")]),
        ActivityDelta("x", "search", [{"op": "add", "path": "/r", "value": 2}]),
    )
    assert [message.id for message in reducer.messages] == ["x", "u"]
    assert getattr(reducer.messages[0], "content", None) == {"q": 1, "r": 2}


def test_pending_calls_are_those_without_a_result() -> None:
    reducer = reduced(
        RunStarted("t", "r"),
        ToolCallStart("a", "f"),
        ToolCallEnd("a"),
        ToolCallStart("b", "f"),
        ToolCallEnd("b"),
        ToolCallResult("m", "a", ""),
        RunFinished("t", "r", {"x": 1}),
    )
    assert reducer.pending_tool_call_ids == ["b"]
    assert reducer.result == {"x": 1}


def test_interrupts_pend_until_a_run_ends_in_order() -> None:
    asked = RunFinished("t", "r", outcome=InterruptOutcome([Interrupt("i", "approval")]))
    reducer = reduced(RunStarted("t", "r"), asked, RunStarted("t", "r2"), RunError("broken"))
    assert [interrupt.id for interrupt in reducer.pending_interrupts] == ["i"]
    for event in (RunStarted("t", "r3"), RunFinished("t", "r3", outcome=CancelledOutcome())):
        reducer.feed(event)
    assert reducer.pending_interrupts == []
    assert isinstance(reducer.outcome, CancelledOutcome)


def test_named_pending_calls_win() -> None:
    finished = RunFinished("t", "r", outcome=SuccessOutcome(["z"]))
    assert reduced(RunStarted("t", "r"), finished).pending_tool_call_ids == ["z"]


def test_chunks_must_be_expanded_before() -> None:
    with pytest.raises(OrderingError, match="expanded"):
        reduced(TextMessageChunk("m", delta="x"))


@pytest.mark.parametrize(
    "event",
    [
        TextMessageContent("m", "x"),
        TextMessageEnd("m"),
        ToolCallArgs("c", "x"),
        ToolCallEnd("c"),
        ActivityDelta("a", "t", []),
        ReasoningEncryptedValue("tool-call", "c", "AA"),
    ],
)
def test_what_does_not_exist_is_told_and_ignored(event: Event) -> None:
    notices: list[Notice] = []
    reducer = Reducer(warn=notices.append)
    reducer.feed(event)
    assert reducer.messages == []
    assert [(notice.code, notice.path) for notice in notices] == [("unknown-target", event.type)]
