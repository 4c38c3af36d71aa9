"""Content negotiation by RFC 9110, with text for those who did not ask for protobuf by name."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import RefusedError
from gateway.server.negotiation import negotiate

PROTOBUF = "application/vnd.ag-ui.event+proto"


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        " , ,",
        "*/*",
        "text/*",
        "text/event-stream",
        "TEXT/Event-Stream",
        "text/event-stream;charset=utf-8",
        "text/event-stream; charset=UTF-8; q=0.5",
        "application/json, text/plain, */*",
        "application/json, text/*;q=0.1",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "application/*",
        f"{PROTOBUF};q=0, */*",
        "text/event-stream;q=0, */*",
        f"{PROTOBUF};v=1, */*",
        f"{PROTOBUF};q=0, {PROTOBUF};v=1, text/*",
        'text/event-stream;charset="utf-8"',
        f'text/plain;a=", {PROTOBUF}, ", */*',
        "garbage",
        "*",
        "*/event-stream",
        f"{PROTOBUF};q=abc",
        "text/html, image/gif, *; q=.2, */*; q=.2",
    ],
)
def test_text_is_sent(accept: str | None) -> None:
    assert negotiate(accept) == "sse"


@pytest.mark.parametrize(
    "accept",
    [
        PROTOBUF,
        PROTOBUF.upper(),
        f"{PROTOBUF};q=0.001",
        f"{PROTOBUF};q=2",
        f"{PROTOBUF}\t; Q=0.3",
        f"text/event-stream, {PROTOBUF};q=0.1",
        f"{PROTOBUF}, text/event-stream;q=0.5",
        f"*/*;q=0, {PROTOBUF}",
        f"{PROTOBUF};q=0, {PROTOBUF}",
        f'text/plain;a="\\",", {PROTOBUF}',
        f";;;,{PROTOBUF};",
        f"text/event-stream;q=0, {PROTOBUF}",
    ],
)
def test_protobuf_is_sent(accept: str) -> None:
    assert negotiate(accept) == "protobuf"


@pytest.mark.parametrize(
    "accept",
    [
        "application/xml",
        "text/plain",
        "text/event-stream;q=0",
        "text/event-stream;q=0.000, application/json",
        "text/*;q=0",
        "*/*;q=0",
        f"{PROTOBUF};q=0",
        f"{PROTOBUF};v=1",
        f"application/*;q=0.5, {PROTOBUF};q=0",
        "text/event-stream;charset=latin-1",
    ],
)
def test_a_field_that_admits_neither_type_is_refused(accept: str) -> None:
    with pytest.raises(RefusedError, match="text/event-stream") as caught:
        negotiate(accept)
    assert (caught.value.status, caught.value.code) == (406, "NOT_ACCEPTABLE")


def test_the_most_specific_range_gives_the_weight() -> None:
    assert negotiate("*/*;q=0, text/*;q=0, text/event-stream") == "sse"
    with pytest.raises(RefusedError):
        negotiate("text/event-stream;q=0, text/*")


@given(st.text(alphabet='ae/*;=,q01. "\\', max_size=40))
def test_any_field_is_answered_or_refused(accept: str) -> None:
    with suppress(RefusedError):
        assert negotiate(accept) in ("sse", "protobuf")
