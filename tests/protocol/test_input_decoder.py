"""Any request body gives an input or a typed error; nothing is dropped without a notice."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import DecodeError, MalformedError
from gateway.protocol.input import RunAgentInput
from gateway.protocol.input_decoder import decode_input, prepare_input, read_input
from gateway.protocol.messages import ActivityMessage, AssistantMessage, UserMessage
from gateway.protocol.notices import Notice, Warn
from tests.protocol.strategies import inputs, values
from tests.replay.verdict import difference

MINIMAL = {
    "threadId": "t",
    "runId": "r",
    "messages": [{"id": "u", "role": "user", "content": "hi"}],
}


def _body(**members: Any) -> bytes:
    return json.dumps({**MINIMAL, **members}).encode()


def _decode(body: bytes | str) -> tuple[RunAgentInput, list[tuple[str, str]]]:
    notices: list[Notice] = []
    decoded = decode_input(body, notices.append)
    return decoded, [(notice.code, notice.path) for notice in notices]


def test_absent_lists_are_empty() -> None:
    decoded, notices = _decode(_body())
    assert (decoded.tools, decoded.context, notices) == ([], [], [])
    assert decoded.messages == [UserMessage(id="u", content="hi")]


def test_text_and_bytes_are_the_same() -> None:
    body = _body(state={"name": "한국어"})
    assert decode_input(body.decode()) == decode_input(body)


def test_integers_of_any_size_are_exact() -> None:
    big = 123456789012345678901234567890
    decoded, _ = _decode(_body(state={"n": big}, forwardedProps=[big]))
    assert (decoded.state, decoded.forwarded_props) == ({"n": big}, [big])


def test_nulls_in_optional_places_are_absent_and_inner_ones_are_data() -> None:
    decoded, notices = _decode(
        _body(state=None, tools=None, resume=None, forwardedProps={"a": None})
    )
    assert decoded == decode_input(_body(forwardedProps={"a": None}))
    assert notices == []


def test_unknown_material_is_stripped_with_a_notice() -> None:
    decoded, notices = _decode(
        _body(future=1, tools=[{"name": "n", "description": "", "strict": 1}])
    )
    assert notices == [("unknown-member", "/future"), ("unknown-member", "/tools/0/strict")]
    assert decoded.tools[0].name == "n"


def test_retired_binary_parts_are_translated() -> None:
    part = {"type": "binary", "mimeType": "image/png", "data": "aGk="}
    messages = [{"id": "u", "role": "user", "content": [part]}]
    decoded, notices = _decode(_body(messages=messages))
    assert notices == [("legacy-shape", "/messages/0/content/0")]
    assert msgspec.to_builtins(decoded.messages[0])["content"][0]["type"] == "image"


@pytest.mark.parametrize("missing", ["threadId", "runId", "messages"])
def test_required_members_are_missed(missing: str) -> None:
    value = {key: member for key, member in MINIMAL.items() if key != missing}
    with pytest.raises(MalformedError) as caught:
        decode_input(json.dumps(value))
    assert caught.value.pointer == f"/{missing}"


def test_tool_calls_state_their_type() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": ""}}
    message = {"id": "a", "role": "assistant", "toolCalls": [call]}
    with pytest.raises(MalformedError) as caught:
        decode_input(_body(messages=[message]))
    assert caught.value.pointer == "/messages/0/toolCalls/0/type"
    call["type"] = "function"
    assert decode_input(_body(messages=[message])).messages


def test_members_of_a_later_version_are_unknown_to_an_earlier_one() -> None:
    message = {"id": "a", "role": "assistant", "encryptedValue": "v", "encryptedValueType": "x"}
    body = _body(messages=[message])
    _, notices = _decode(body)
    assert notices == [("unknown-member", "/messages/0/encryptedValueType")]
    (kept,) = decode_input(body, version="1.1").messages
    assert isinstance(kept, AssistantMessage)
    assert kept.encrypted_value_type == "x"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 5000 + b"]" * 5000,
        b'{"state":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"threadId": NaN}',
        b'{"threadId": 1e400}',
        "\ud83d",
    ],
    ids=lambda body: repr(body)[:20],
)
def test_what_is_not_json_is_a_decode_error(body: bytes | str) -> None:
    with pytest.raises(DecodeError):
        decode_input(body)


def test_lone_surrogates_are_kept() -> None:
    body = _body(state="\ud83d")
    assert decode_input(body).state == "\ud83d"


def test_nesting_of_some_hundreds_is_fine() -> None:
    state = json.loads("[" * 300 + "]" * 300)
    assert decode_input(_body(state=state)).state == state


def test_last_of_duplicate_members_counts() -> None:
    body = b'{"threadId":"a","threadId":"b","runId":"r","messages":[]}'
    assert decode_input(body).thread_id == "b"


def test_clients_do_not_send_activity_messages() -> None:
    activity = ActivityMessage(id="a", activity_type="search", content={})
    user = UserMessage(id="u", content="hi")
    given_input = RunAgentInput(thread_id="t", run_id="r", messages=[activity, user])
    assert prepare_input(given_input).messages == [user]


def test_clients_do_not_send_malformed_input() -> None:
    with pytest.raises(MalformedError):
        prepare_input({**MINIMAL, "threadId": 1})


@given(inputs | values)
def test_both_ways_of_decoding_agree(value: Any) -> None:
    body = json.dumps(value)
    assert _outcome(lambda warn: decode_input(body, warn)) == _outcome(
        lambda warn: read_input(json.loads(body), warn)
    )


@given(inputs)
def test_nothing_goes_without_a_notice(value: dict[str, Any]) -> None:
    decoded, notices = _outcome(lambda warn: decode_input(json.dumps(value), warn))
    if isinstance(decoded, RunAgentInput) and not notices and "null" not in json.dumps(value):
        again = json.loads(msgspec.json.encode(decoded))
        assert difference(again, {"tools": [], "context": [], **value}) is None


@given(st.binary() | st.text() | st.sampled_from([b"[", b'"', b"{}", b"null", b"0"]))
def test_any_body_gives_an_input_or_a_typed_error(body: bytes | str) -> None:
    with pytest.raises((DecodeError, MalformedError)):
        decode_input(body)


def _outcome(decode: Callable[[Warn], RunAgentInput]) -> tuple[RunAgentInput | str, list[Notice]]:
    """The input, or the pointer of what is malformed; and the notices."""
    notices: list[Notice] = []
    try:
        return decode(notices.append), notices
    except MalformedError as error:
        return error.pointer, []
