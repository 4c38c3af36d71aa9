"""Events that an author built wrongly are refused where they are wrong."""

from typing import Any, cast

import pytest
from hypothesis import given

from gateway.errors import MalformedError
from gateway.protocol.checks import check_event
from gateway.protocol.enforcement import enforce
from gateway.protocol.events import (
    Custom,
    Event,
    MessagesSnapshot,
    RunError,
    RunFinished,
    StateDelta,
    StateSnapshot,
    TextMessageContent,
    TextMessageStart,
    ToolCallResult,
)
from gateway.protocol.messages import AssistantMessage, FunctionCall, ToolCall, UserMessage
from gateway.protocol.outcomes import InterruptOutcome, SubagentSuccessOutcome
from gateway.protocol.parts import TextPart
from gateway.protocol.patches import AddOperation, RemoveOperation
from gateway.protocol.usage import TokenUsage
from tests.protocol.strategies import events

wrong = cast(Any, 5)

RIGHT: list[Event] = [
    TextMessageContent("m", "", timestamp=-1, metadata={"k": None}, raw_event=0),
    TextMessageStart("m", "user", subagent_run_id="s"),
    StateSnapshot(None),
    Custom("n", None),
    StateDelta([]),
    StateDelta([AddOperation(path="", value=None), {"op": "remove", "path": "/a", "x": 1}]),
    ToolCallResult("m", "c", [TextPart(text="x", metadata=0)]),
    RunFinished("t", "r", usage=[TokenUsage(input_tokens=0)]),
    MessagesSnapshot([UserMessage(id="u", content=[])]),
]

WRONG: list[tuple[str, Event]] = [
    ("/messageId", TextMessageContent(wrong, "")),
    ("/delta", TextMessageContent("m", cast(Any, None))),
    ("/role", TextMessageStart("m", cast(Any, "tool"))),
    ("/timestamp", TextMessageContent("m", "", timestamp=True)),
    ("/timestamp", TextMessageContent("m", "", timestamp=2**53)),
    ("/metadata", TextMessageContent("m", "", metadata=cast(Any, None))),
    ("/rawEvent", TextMessageContent("m", "", raw_event=None)),
    ("/result", RunFinished("t", "r", result=None)),
    ("/outcome", RunFinished("t", "r", outcome=cast(Any, SubagentSuccessOutcome()))),
    ("/outcome", RunFinished("t", "r", outcome=cast(Any, {"type": "success"}))),
    ("/outcome/interrupts", RunFinished("t", "r", outcome=InterruptOutcome(interrupts=[]))),
    ("/usage/0/outputTokens", RunError("m", usage=[TokenUsage(output_tokens=-1)])),
    ("/delta/0/path", StateDelta([RemoveOperation(path="a")])),
    ("/delta/0/from", StateDelta([{"op": "move", "path": ""}])),
    ("/delta/0", StateDelta([{"op": "merge", "path": ""}])),
    ("/delta", StateDelta(cast(Any, {}))),
    ("/content", ToolCallResult("m", "c", wrong)),
    ("/content/0/metadata", ToolCallResult("m", "c", [TextPart(text="x", metadata=None)])),
    (
        "/messages/0/toolCalls/0/function/arguments",
        MessagesSnapshot(
            [
                AssistantMessage(
                    id="a",
                    tool_calls=[ToolCall(id="c", function=FunctionCall(name="f", arguments=wrong))],
                )
            ]
        ),
    ),
]


@pytest.mark.parametrize("event", RIGHT, ids=repr)
def test_right_events_pass(event: Event) -> None:
    check_event(event)


@pytest.mark.parametrize(("pointer", "event"), WRONG, ids=repr)
def test_wrong_members_are_named(pointer: str, event: Event) -> None:
    with pytest.raises(MalformedError) as caught:
        check_event(event)
    assert caught.value.pointer == pointer


@given(events)
def test_what_enforcement_lets_through_passes(value: dict[str, Any]) -> None:
    try:
        event = enforce(value, version="1.1")
    except MalformedError:
        return
    if event is not None:
        check_event(event)
