"""Events to JSON and SSE, against the official encoder."""

from typing import Any

import pytest
from ag_ui.core import Event as OfficialEvent
from ag_ui.encoder import EventEncoder
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from gateway.errors import EncodeError
from gateway.protocol import (
    CancelledOutcome,
    Custom,
    Event,
    MessagesSnapshot,
    Raw,
    RunAgentInput,
    RunFinished,
    RunStarted,
    StateDelta,
    StateSnapshot,
    TextMessageContent,
    TextMessageStart,
    ToolCallArgs,
    UserMessage,
    decode_value,
    encode_event,
    encode_sse,
)
from gateway.protocol.encoder import encode_json, encode_lines

OFFICIAL = TypeAdapter[Any](OfficialEvent)

texts = st.text(st.characters(exclude_categories=["Cs"]))
hot = st.builds(TextMessageContent, texts, texts) | st.builds(ToolCallArgs, texts, texts)


def _official(event: Event) -> bytes:
    official = OFFICIAL.validate_json(encode_event(event))
    return EventEncoder().encode(official).encode()


@given(hot)
def test_deltas_are_written_as_the_official_encoder_does(event: Event) -> None:
    official = _official(event)
    for raw, escaped in (("\u2028", r"\u2028"), ("\u2029", r"\u2029"), ("\x85", r"\u0085")):
        official = official.replace(raw.encode(), escaped.encode())
    assert encode_sse(event) == official


@pytest.mark.parametrize(
    "event",
    [
        TextMessageStart("m", "user", "Ada"),
        StateSnapshot(None),
        StateSnapshot({"a": [1e16, 1e-7, 2**64, None, "é"]}),
        StateDelta([{"op": "add", "path": "/a", "value": None}]),
        Custom("n", [1, {"k": None}]),
        RunStarted("t", "r", input=RunAgentInput("t", "r", [UserMessage("u", "hi")])),
        RunFinished("t", "r", outcome=CancelledOutcome()),
        MessagesSnapshot([UserMessage("u", "hi", name="Ada")]),
    ],
    ids=lambda event: type(event).__name__,
)
def test_frames_equal_the_official_ones(event: Event) -> None:
    assert encode_sse(event) == _official(event)


def test_the_envelope_is_written_last() -> None:
    event = TextMessageContent(
        "m", "d", timestamp=1, raw_event=[1e16], metadata={"k": 1e-7}, subagent_run_id="s"
    )
    assert encode_event(event) == (
        b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"d","timestamp":1,'
        b'"rawEvent":[1e+16],"metadata":{"k":1e-7},"subagentRunId":"s"}'
    )


def test_a_batch_holds_a_line_for_each_event() -> None:
    events = [TextMessageContent("m", "a\nb\u2028"), ToolCallArgs("c", "{}", metadata={"k": 1})]
    assert encode_lines(events).decode() == (
        '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\\nb\u2028"}\n'
        '{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}","metadata":{"k":1}}\n'
    )
    assert encode_lines(["a", "é\n"]) == '"a"\n"é\\n"\n'.encode()
    assert encode_lines([]) == b""


def test_lone_surrogates_are_escaped_alone_and_in_batches() -> None:
    event = TextMessageContent("m", "x\ud83dy", metadata={"k": "\udc00"})
    expected = (
        rb'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x\ud83dy",'
        rb'"metadata":{"k":"\udc00"}}'
    )
    assert encode_event(event) == expected
    assert encode_lines([event, event]) == (expected + b"\n") * 2
    assert encode_lines(["a", "\ud83d"]) == b'"a"\n"\\ud83d"\n'
    assert encode_json("\ud83d\u2028") == rb'"\ud83d\u2028"'
    assert decode_value(expected)["delta"] == "x\ud83dy"


@pytest.mark.parametrize(
    "event",
    [
        Custom("n", object()),
        Raw({"a": [object()]}),
        TextMessageContent("m", "d", metadata={"k": object()}),
        TextMessageContent("m", object()),  # type: ignore[arg-type]
    ],
    ids=lambda event: type(event).__name__,
)
def test_the_event_and_the_type_of_what_cannot_be_written_are_named(event: Event) -> None:
    with pytest.raises(EncodeError, match=f"{event.type}.*object"):
        encode_event(event)
    with pytest.raises(EncodeError, match=f"{event.type}.*object"):
        encode_lines([TextMessageContent("m", "fine"), event])


def test_encoding_leaves_the_event_as_it_was() -> None:
    value = {"a": {1: 2**64}}
    event = Custom("n", value, raw_event=value)
    encode_sse(event)
    assert event.value is value
    assert event.raw_event is value
