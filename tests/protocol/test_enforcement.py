"""Unknown material is stripped, malformed material is refused, whatever the value looks like."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given

from gateway.errors import MalformedError
from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.checks import check_event
from gateway.protocol.encoder import encode_json
from gateway.protocol.enforcement import enforce, read, strip
from gateway.protocol.events import (
    EVENTS,
    MessagesSnapshot,
    ReasoningEncryptedValue,
    RunFinished,
    StateDelta,
    TextMessageStart,
)
from gateway.protocol.notices import Notice
from gateway.protocol.schema import SCHEMAS
from gateway.protocol.shapes import Walk
from tests.protocol.strategies import events, values
from tests.replay.verdict import difference

MESSAGE = {"type": "TEXT_MESSAGE_START", "messageId": "m"}


def _enforce(event: Any) -> tuple[Any, list[tuple[str, str]]]:
    notices: list[Notice] = []
    result = enforce(event, notices.append)
    return result, [(notice.code, notice.path) for notice in notices]


def _pointer(event: Any) -> str:
    with pytest.raises(MalformedError) as caught:
        enforce(event)
    return caught.value.pointer


def test_known_event_becomes_its_struct_quietly() -> None:
    assert _enforce({**MESSAGE, "role": "user"}) == (TextMessageStart("m", "user"), [])


@pytest.mark.parametrize("event", [{"type": "FUTURE"}, {"type": None}, {}, [], "RAW", 1])
def test_unknown_event_is_dropped_with_a_notice(event: Any) -> None:
    result, notices = _enforce(event)
    assert result is None
    assert [code for code, _ in notices] == ["unknown-event"]


def test_null_is_no_event() -> None:
    assert _pointer(None) == ""


def test_undeclared_members_are_stripped_whatever_they_are_called() -> None:
    event = {**MESSAGE, "constructor": 1, "toString": 2, "a/b~": 3}
    result, notices = _enforce(event)
    assert result == TextMessageStart("m")
    assert [path for _, path in notices] == ["/constructor", "/toString", "/a~1b~0"]
    assert len(event) == 5


def test_dropped_container_is_reported_alone_and_its_faults_do_not_matter() -> None:
    part = {"type": "image", "id": 5, "zzz": 1, "source": {"type": "ipfs", "q": 1}}
    message = {"id": "m", "role": "user", "content": [part]}
    result, notices = _enforce({"type": "MESSAGES_SNAPSHOT", "messages": [message]})
    assert isinstance(result, MessagesSnapshot)
    assert notices == [("unknown-member", "/messages/0/content/0")]


def test_faults_are_found_where_they_were_before_stripping() -> None:
    messages = [{"role": "wizard"}, {"id": 1, "role": "user", "content": ""}]
    assert _pointer({"type": "MESSAGES_SNAPSHOT", "messages": messages}) == "/messages/1/id"


def test_interrupt_outcome_needs_an_interrupt() -> None:
    outcome = {"type": "interrupt", "interrupts": []}
    finished = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome}
    assert _pointer(finished) == "/outcome/interrupts"


@pytest.mark.parametrize("number", [12.5, True, 2**53, -(2**53), "12", 1e300, None])
def test_timestamps_are_safe_integers(number: Any) -> None:
    assert _pointer({**MESSAGE, "timestamp": number}) == "/timestamp"


def test_whole_floats_become_integers() -> None:
    result, _ = _enforce({**MESSAGE, "timestamp": 12.0})
    assert type(result.timestamp) is int


def test_counts_are_not_negative() -> None:
    usage = [{"inputTokens": -1}]
    assert _pointer({"type": "RUN_ERROR", "message": "m", "usage": usage}) == "/usage/0/inputTokens"


def test_patch_operations_keep_members_that_they_do_not_define() -> None:
    operations = [{"op": "remove", "path": "", "x": 1}, {"op": "merge", "path": 5}]
    result, notices = _enforce({"type": "STATE_DELTA", "delta": operations})
    assert result == StateDelta([{"op": "remove", "path": "", "x": 1}])
    assert notices == [("unknown-member", "/delta/1")]


@pytest.mark.parametrize("path", ["a", "/~", "/~2", "\n", 3, None])
def test_paths_in_patches_are_pointers(path: Any) -> None:
    operation = {"op": "remove", "path": path}
    assert _pointer({"type": "STATE_DELTA", "delta": [operation]}) == "/delta/0/path"


def test_members_of_a_later_version_are_unknown_to_an_earlier_one() -> None:
    event = {
        "type": "REASONING_ENCRYPTED_VALUE",
        "subtype": "message",
        "entityId": "m",
        "encryptedValue": "v",
        "encryptedValueType": "openai",
    }
    result, notices = _enforce(event)
    assert notices == [("unknown-member", "/encryptedValueType")]
    assert result == ReasoningEncryptedValue("message", "m", "v")
    assert enforce(event, version="1.1") == ReasoningEncryptedValue("message", "m", "v", "openai")


def test_capabilities_are_read_without_members_that_are_not_known() -> None:
    value = {"state": {"deltas": True, "x": 1}, "custom": {"x": 1}, "subAgents": []}
    notices: list[Notice] = []
    read_value = read(value, AgentCapabilities, notices.append)
    assert {notice.path for notice in notices} == {"/state/x", "/subAgents"}
    assert msgspec.to_builtins(read_value) == {"state": {"deltas": True}, "custom": {"x": 1}}


def test_messages_alone_can_be_stripped() -> None:
    messages = [{"role": "wizard"}, {"id": "m", "role": "user", "content": "", "x": 1}]
    clean = strip(messages, SCHEMAS["1.0"].messages)
    assert clean == [{"id": "m", "role": "user", "content": ""}]


@given(events | values)
def test_any_json_gives_an_event_nothing_or_a_typed_error(value: Any) -> None:
    before = json.dumps(value)
    try:
        event, notices = _enforce(value)
    except MalformedError:
        return
    finally:
        assert json.dumps(value) == before
    if event is None:
        return
    check_event(event)
    again = json.loads(encode_json(event))
    assert enforce(again) == event
    if not notices:
        assert difference(again, value) is None


@given(events)
def test_strict_twins_accept_exactly_what_stripping_leaves_alone(event: dict[str, Any]) -> None:
    record = SCHEMAS["1.0"].events[event["type"]]
    walk = Walk()
    try:
        clean = record.read(event, "", walk)
    except MalformedError:
        with pytest.raises(MalformedError):
            enforce(event)
        return
    result, notices = _enforce(event)
    assert result == msgspec.convert(clean, EVENTS[event["type"]])
    assert [path for _, path in notices] == walk.removed


def test_finished_run_with_unknown_outcome_is_a_success() -> None:
    finished = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "new"}}
    assert _enforce(finished) == (RunFinished("t", "r"), [("unknown-member", "/outcome")])
