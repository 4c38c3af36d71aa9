"""The SSE reader gives JSON objects with a type, or a typed error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DecodeError, FrameTooLargeError, GatewayError, TruncatedError
from gateway.protocol.sse import SseReader

EVENT = b'data: {"type":"RUN_ERROR","message":"m"}\n\n'


def test_frames_become_objects() -> None:
    reader = SseReader()
    assert reader.feed(b": hello\n\n" + EVENT + EVENT) == [
        {"type": "RUN_ERROR", "message": "m"},
        {"type": "RUN_ERROR", "message": "m"},
    ]
    assert reader.finish() == []


def test_last_event_needs_no_blank_line() -> None:
    reader = SseReader()
    assert reader.feed(EVENT.rstrip()) == []
    assert reader.finish() == [{"type": "RUN_ERROR", "message": "m"}]


def test_body_that_ends_within_a_frame_is_truncated() -> None:
    reader = SseReader()
    reader.feed(EVENT[:20])
    with pytest.raises(TruncatedError):
        reader.finish()


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[DONE]",
        b"null",
        b"5",
        b"[]",
        b"{}",
        b'{"type":1}',
        b'{"type":""}',
        b'{"type":"X"}{"type":"Y"}',
        b'{"type":"X","v":NaN}',
        b'\xef\xbb\xbf{"type":"X"}',
        b'\xc2\xa0{"type":"X"}',
        b'{"type":"X","v":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_frame_that_is_no_event_is_refused(payload: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        SseReader().feed(b"data: " + payload + b"\n\n")
    assert type(caught.value) is DecodeError


def test_events_before_a_bad_frame_are_given() -> None:
    reader = SseReader()
    assert len(reader.feed(EVENT + b"data: [DONE]\n\n")) == 1
    with pytest.raises(DecodeError):
        reader.feed(EVENT)


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert SseReader().feed(b'data: {"type":"X","v":"caf\xe9"}\n\n') == [
        {"type": "X", "v": "caf\ufffd"}
    ]


def test_escaped_lone_surrogate_is_kept() -> None:
    assert SseReader().feed(b'data: {"type":"X","v":"\\ud83d"}\n\n') == [
        {"type": "X", "v": "\ud83d"}
    ]


def test_unfinished_frame_is_bounded() -> None:
    with pytest.raises(FrameTooLargeError):
        SseReader(limit=20).feed(b"data: " + b"x" * 20)


@given(st.lists(st.binary(max_size=20) | st.just(EVENT) | st.just(b"data: "), max_size=8))
def test_any_bytes_give_objects_or_a_typed_error(chunks: list[bytes]) -> None:
    reader = SseReader()
    try:
        for chunk in chunks:
            for event in reader.feed(chunk):
                assert event["type"]
        reader.finish()
    except GatewayError:
        assert reader.fault is not None
