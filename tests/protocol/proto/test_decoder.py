"""Messages become JSON objects, None for the future, or a typed error."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DecodeError
from gateway.protocol.events import Event
from gateway.protocol.notices import Notice
from gateway.protocol.proto import decode_proto, encode_message
from gateway.protocol.proto.schema import ARMS
from gateway.protocol.proto.wire import delimited
from gateway_native import kinds
from tests.strategies import events


def message(kind: str, body: bytes = b"", declared: str | None = None) -> bytes:
    """The message of an event whose fields behind the base event are given."""
    number = kinds.NAMES.index(declared or kind)
    base = b"\x0a" + delimited(b"\x08" + bytes([number]) if number else b"")
    return ARMS[kind].tag + delimited(base + body)


def snapshot(*fields: bytes) -> bytes:
    return message("MESSAGES_SNAPSHOT", b"\x12" + delimited(b"".join(fields)))


def field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2]) + delimited(payload)


def test_required_strings_and_lists_read_as_empty() -> None:
    assert decode_proto(message("STEP_STARTED")) == {"type": "STEP_STARTED", "stepName": ""}
    assert decode_proto(message("STATE_DELTA")) == {"type": "STATE_DELTA", "delta": []}
    assert decode_proto(message("TOOL_CALL_RESULT")) == {
        "type": "TOOL_CALL_RESULT",
        "messageId": "",
        "toolCallId": "",
        "content": [],
    }


def test_input_gains_the_lists_that_it_may_have() -> None:
    assert decode_proto(message("RUN_STARTED", field(5, b""))) == {
        "type": "RUN_STARTED",
        "threadId": "",
        "runId": "",
        "input": {
            "threadId": "",
            "runId": "",
            "messages": [],
            "tools": [],
            "context": [],
            "resume": [],
        },
    }


def test_pieces_of_an_event_are_merged() -> None:
    pieces = message("CUSTOM", b"\x12\x01a") + message("CUSTOM", b"\x1a\x02\x20\x01")
    assert decode_proto(pieces) == {"type": "CUSTOM", "name": "a", "value": True}


def test_fields_of_the_future_are_skipped() -> None:
    data = message("STEP_STARTED", b"\x12\x01s" + field(15, b"new") + b"\x78\x05\x7b\x7c")
    assert decode_proto(data + b"\xfa\x3e\x01\xff") == {"type": "STEP_STARTED", "stepName": "s"}


def test_event_of_the_future_is_dropped_with_a_notice() -> None:
    notices: list[Notice] = []
    assert decode_proto(b"\xfa\x3e\x02\x08\x01", notices.append) is None
    assert [notice.code for notice in notices] == ["unknown-event"]


@pytest.mark.parametrize("outcome", ["success", "interrupt", "cancelled", "future"])
def test_every_outcome_is_rebuilt(outcome: str) -> None:
    decoded = decode_proto(message("RUN_FINISHED", field(5, outcome.encode()) + field(8, b"c")))
    expected: dict[str, Any] = {"type": outcome, "pendingToolCallIds": ["c"]}
    if outcome == "interrupt":
        expected["interrupts"] = []
    assert decoded is not None
    assert decoded["outcome"] == expected


def test_lists_without_an_outcome_stay_beside_it() -> None:
    decoded = decode_proto(message("SUBAGENT_FINISHED", field(5, b"i")))
    assert decoded == {"type": "SUBAGENT_FINISHED", "subagentRunId": "", "interruptIds": ["i"]}


def test_unknown_operation_keeps_its_number() -> None:
    decoded = decode_proto(message("STATE_DELTA", field(2, b"\x08\x09")))
    assert decoded is not None
    assert decoded["delta"] == [{"op": "9", "path": ""}]


def test_part_of_an_unknown_kind_is_dropped_with_a_notice() -> None:
    notices: list[Notice] = []
    unknown_source = field(2, field(1, b""))
    text = field(1, field(1, b"t"))
    parts = [field(8, part) for part in (b"", text, unknown_source)]
    decoded = decode_proto(snapshot(field(2, b"user"), *parts), notices.append)
    assert decoded is not None
    assert decoded["messages"] == [
        {"id": "", "role": "user", "content": [{"type": "text", "text": "t"}]}
    ]
    assert [notice.code for notice in notices] == ["unknown-member"] * 2


def test_message_of_an_unknown_role_is_kept_for_enforcement() -> None:
    decoded = decode_proto(snapshot(field(2, b"wizard"), field(3, b"abra")))
    assert decoded is not None
    assert decoded["messages"] == [{"id": "", "role": "wizard", "content": "abra"}]


TEXT_PART = field(8, field(1, b""))
ACTIVITY = field(13, b"")
BROKEN = {
    "nothing": b"",
    "only a scalar of the future": b"\xf8\x3e\x01",
    "an arm of the future that is no message": b"\xfa\x3e\x01\xff",
    "no base event": ARMS["CUSTOM"].tag + b"\x00",
    "an empty event": ARMS["TEXT_MESSAGE_CHUNK"].tag + b"\x00",
    "another type": message("CUSTOM", declared="RAW"),
    "an unknown type": ARMS["CUSTOM"].tag + b"\x04\x0a\x02\x08\x63",
    "two arms": message("CUSTOM") + message("RAW"),
    "an arm that is a number": b"\x58\x01",
    "an arm and a number in another": message("CUSTOM") + b"\x50\x01",
    "a cut": message("CUSTOM")[:-1],
    "a timestamp beyond a double": ARMS["CUSTOM"].tag
    + delimited(b"\x0a" + delimited(b"\x08\x0a\x10" + b"\xff" * 8 + b"\x7f")),
    "two kinds of part": message("TOOL_CALL_RESULT", field(7, field(1, b"") + field(2, b""))),
    "two kinds of source": message(
        "TOOL_CALL_RESULT", field(7, field(2, field(1, field(1, b"") + field(2, b""))))
    ),
    "text and parts in a result": message("TOOL_CALL_RESULT", field(5, b"") + field(7, b"")),
    "text and parts": snapshot(field(2, b"user"), field(3, b""), TEXT_PART),
    "parts for an assistant": snapshot(field(2, b"assistant"), TEXT_PART),
    "activity for a user": snapshot(field(2, b"user"), ACTIVITY),
    "text for an activity": snapshot(field(2, b"activity"), field(3, b"")),
    "two contents of an unknown role": snapshot(field(2, b"wizard"), field(3, b""), ACTIVITY),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_message_that_is_no_event_is_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_proto(data)


def test_deep_values_are_refused() -> None:
    value = b""
    for _ in range(1200):
        value = field(6, field(1, value))
    with pytest.raises(DecodeError):
        decode_proto(message("CUSTOM", field(3, value)))


@given(st.binary(max_size=60))
def test_any_bytes_give_an_object_or_a_typed_error(data: bytes) -> None:
    with suppress(DecodeError):
        decode_proto(data)


@given(events(), st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=3))
def test_damaged_events_give_an_object_or_a_typed_error(
    event: Event, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(encode_message(event))
    for position, byte in changes:
        data[position % len(data)] = byte
    with suppress(DecodeError):
        decode_proto(bytes(data))
