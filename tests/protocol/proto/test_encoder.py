"""Events become the bytes that first-party encoders write, or a typed error."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from gateway.errors import EncodeError
from gateway.protocol.events import (
    EVENT_CLASSES,
    EVENTS,
    Custom,
    Event,
    RunError,
    RunFinished,
    StateDelta,
    StepStarted,
    TextMessageContent,
    TextMessageStart,
    ToolCallResult,
)
from gateway.protocol.patches import AddOperation, MoveOperation
from gateway.protocol.proto import decode_proto, encode_message, encode_proto
from tests.strategies import JSON, TEXT, events


def build(event: dict[str, Any]) -> Event:
    return convert(event, EVENTS[event["type"]])


def test_frame_is_the_length_and_the_message() -> None:
    event = TextMessageContent("m", "hé 😀")
    assert encode_proto(event) == (
        b"\x00\x00\x00\x13\x12\x11\x0a\x02\x08\x01\x12\x01m\x1a\x08h\xc3\xa9 \xf0\x9f\x98\x80"
    )
    assert encode_proto(event)[4:] == encode_message(event)


def test_first_kind_and_empty_strings_are_not_written() -> None:
    assert encode_message(TextMessageStart("")) == b"\x0a\x02\x0a\x00"
    assert encode_message(TextMessageStart("", name="")) == b"\x0a\x04\x0a\x00\x22\x00"


def test_negative_timestamp_takes_ten_bytes() -> None:
    data = encode_message(StepStarted("s", timestamp=-1))
    assert b"\x10" + b"\xff" * 9 + b"\x01" in data


@given(events())
def test_events_survive_a_second_time(event: Event) -> None:
    data = encode_message(event)
    decoded = decode_proto(data)
    assert decoded is not None
    assert encode_message(build(decoded)) == data


def test_operations_may_be_dicts_or_structs() -> None:
    plain = [{"op": "add", "path": "/a", "value": None}, {"op": "move", "from": "/a", "path": "/b"}]
    structs = [AddOperation("/a", None), MoveOperation("/a", "/b")]
    assert encode_message(StateDelta(plain)) == encode_message(StateDelta(structs))


def test_event_is_not_changed() -> None:
    patch = [{"op": "add", "path": "", "value": {"b": 1, "0": 2}, "note": "x"}]
    event = StateDelta(patch)
    encode_message(event)
    assert patch == [{"op": "add", "path": "", "value": {"b": 1, "0": 2}, "note": "x"}]


def test_values_that_are_nearly_json_are_converted() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    decoded = decode_proto(encode_message(Custom("n", {"at": moment, 1: (1, 2)})))
    assert decoded == {
        "type": "CUSTOM",
        "name": "n",
        "value": {"at": "2026-01-02T00:00:00Z", "1": [1, 2]},
    }


class Name(str):
    """Text that is not quite a string."""


def test_values_that_only_the_json_encoding_knows_are_converted() -> None:
    decoded = decode_proto(encode_message(Custom("n", {"a": [Name("x")]})))
    assert decoded == {"type": "CUSTOM", "name": "n", "value": {"a": ["x"]}}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WRONG: list[Any] = [
    TextMessageContent("m", 5),  # type: ignore[arg-type]
    TextMessageContent("m", None),  # type: ignore[arg-type]
    StepStarted("s", timestamp=2**53),
    StepStarted("s", timestamp=True),
    StepStarted("s", timestamp=1.5),  # type: ignore[arg-type]
    StepStarted("s", metadata=[1]),  # type: ignore[arg-type]
    RunError("m", usage={}),  # type: ignore[arg-type]
    StateDelta([{"op": "ADD", "path": ""}]),
    StateDelta([{"path": ""}]),
    StateDelta([1]),
    StateDelta([{"op": [], "path": ""}]),
    RunFinished("t", "r", outcome="success"),  # type: ignore[arg-type]
    RunFinished("t", "r", outcome={"type": "interrupt", "interrupts": [1]}),  # type: ignore[arg-type]
    ToolCallResult("m", "c", [{"text": "t"}]),  # type: ignore[list-item]
    ToolCallResult("m", "c", [{"type": "binary"}]),  # type: ignore[list-item]
    ToolCallResult("m", "c", [5]),  # type: ignore[list-item]
    Custom("n", object()),
    Custom("n", deep(450)),
    Custom("n", deep(100_000)),
]


@pytest.mark.parametrize("event", WRONG, ids=lambda event: event.type)
def test_event_that_does_not_fit_is_refused(event: Event) -> None:
    with pytest.raises(EncodeError):
        encode_proto(event)


@given(st.sampled_from(EVENT_CLASSES), st.data())
def test_any_members_give_bytes_or_a_typed_error(cls: type[Event], data: st.DataObject) -> None:
    members: dict[str, Any] = {name: data.draw(JSON | TEXT) for name in cls.__struct_fields__}
    event = cls(**members)
    with suppress(EncodeError):
        encode_proto(event)
