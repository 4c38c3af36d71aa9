"""Frames cut anywhere give the same events; too large, broken and cut short are told apart."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DecodeError, FrameTooLargeError, GatewayError, TruncatedError
from gateway.protocol.events import RunFinished, RunStarted, TextMessageContent
from gateway.protocol.notices import Notice
from gateway.protocol.proto import ProtoReader, decode_proto, encode_message, encode_proto
from gateway.protocol.reader import Json

EVENTS = [RunStarted("t", "r"), TextMessageContent("m", "é" * 90), RunFinished("t", "r")]
BODY = b"".join(map(encode_proto, EVENTS))
OBJECTS = [decode_proto(encode_message(event)) for event in EVENTS]
FUTURE = b"\x00\x00\x00\x03\xfa\x3e\x00"


def read(chunks: list[bytes]) -> list[Json]:
    reader = ProtoReader()
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return events + reader.finish()


def test_every_cut_gives_the_same_events() -> None:
    for position in range(len(BODY) + 1):
        assert read([BODY[:position], BODY[position:]]) == OBJECTS
    assert read([BODY[i : i + 1] for i in range(len(BODY))]) == OBJECTS


def test_every_body_that_is_cut_short_is_truncated() -> None:
    ends = {len(BODY[: BODY.index(encode_proto(event))]) for event in EVENTS}
    for end in set(range(len(BODY))) - ends:
        reader = ProtoReader()
        reader.feed(BODY[:end])
        with pytest.raises(TruncatedError):
            reader.finish()


def test_length_beyond_the_limit_is_refused_before_its_bytes_arrive() -> None:
    reader = ProtoReader(limit=20)
    assert reader.feed(b"\x00\x00\x00\x10") == []
    with pytest.raises(FrameTooLargeError) as caught:
        ProtoReader(limit=20).feed(b"\x00\x00\x00\x11")
    assert caught.value.limit == 20


def test_default_limit_is_ten_mebibytes_with_the_header() -> None:
    assert ProtoReader().feed((10 * 2**20 - 4).to_bytes(4, "big")) == []
    with pytest.raises(FrameTooLargeError):
        ProtoReader().feed((10 * 2**20 - 3).to_bytes(4, "big"))


@pytest.mark.parametrize("frame", [bytes(4), b"\x00\x00\x00\x03\xff\xff\xff"])
def test_events_before_a_broken_frame_are_given(frame: bytes) -> None:
    reader = ProtoReader()
    assert reader.feed(BODY + frame) == OBJECTS
    with pytest.raises(DecodeError) as caught:
        reader.finish()
    assert type(caught.value) is DecodeError


def test_event_of_the_future_is_dropped_with_a_notice() -> None:
    notices: list[Notice] = []
    reader = ProtoReader(warn=notices.append)
    assert reader.feed(FUTURE + BODY) == OBJECTS
    assert [notice.code for notice in notices] == ["unknown-event"]


@given(st.lists(st.binary(max_size=12) | st.sampled_from([BODY, FUTURE]), max_size=6))
def test_any_bytes_give_objects_or_a_typed_error(chunks: list[bytes]) -> None:
    with suppress(GatewayError):
        assert all(event["type"] for event in read(chunks))
