"""Retired shapes leave the boundary as what replaced them; everything else leaves it untouched."""

import copy
from itertools import count
from typing import Any

import pytest
from hypothesis import given

from gateway.protocol.boundary import Boundary, upgrade_messages
from gateway.protocol.notices import Notice
from tests.protocol.strategies import events, values


def _feed(*events: Any) -> tuple[list[Any], list[str]]:
    notices: list[Notice] = []
    ids = map(str, count(1))
    boundary = Boundary(notices.append, lambda: next(ids))
    return [boundary.feed(event) for event in events], [notice.path for notice in notices]


def test_thinking_becomes_reasoning_under_minted_ids() -> None:
    names = ["START", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "END"]
    fed, notices = _feed(
        *({"type": f"THINKING_{name}", "title": "t", "delta": "d"} for name in names)
    )
    assert [(event["type"], event["messageId"]) for event in fed] == [
        ("REASONING_START", "1"),
        ("REASONING_MESSAGE_START", "2"),
        ("REASONING_MESSAGE_CONTENT", "2"),
        ("REASONING_MESSAGE_END", "2"),
        ("REASONING_END", "1"),
    ]
    assert "title" not in fed[0]
    assert fed[1]["role"] == "reasoning"
    assert notices == [f"THINKING_{name}" for name in names]


def test_orphans_get_an_id_that_nobody_opened() -> None:
    fed, _ = _feed({"type": "THINKING_END"}, {"type": "THINKING_TEXT_MESSAGE_CONTENT"})
    assert [event["messageId"] for event in fed] == ["1", "2"]


def test_unknown_thinking_event_is_left_to_enforcement() -> None:
    event = {"type": "THINKING_HARD"}
    assert _feed(event) == ([event], [])


@pytest.mark.parametrize(
    ("kind", "member"),
    [
        ("RAW", "rawEvent"),
        ("RUN_FINISHED", "result"),
        ("RUN_FINISHED", "outcome"),
        ("SUBAGENT_FINISHED", "result"),
        ("TOOL_CALL_START", "parentMessageId"),
        ("TOOL_CALL_CHUNK", "parentMessageId"),
    ],
)
def test_tolerated_nulls_are_absent(kind: str, member: str) -> None:
    assert _feed({"type": kind, member: None}) == ([{"type": kind}], [f"/{member}"])


@pytest.mark.parametrize("member", ["metadata", "subagentRunId", "timestamp", "outcome"])
def test_other_nulls_stay(member: str) -> None:
    event = {"type": "SUBAGENT_FINISHED", member: None}
    assert _feed(event) == ([event], [])


def test_nulls_in_the_echo_of_an_input_are_absent() -> None:
    echo = {
        "forwardedProps": None,
        "tools": [{"name": "n", "parameters": None}],
        "resume": [{"payload": None, "metadata": None}],
    }
    fed, notices = _feed({"type": "RUN_STARTED", "input": echo})
    assert fed[0]["input"] == {
        "tools": [{"name": "n"}],
        "resume": [{"metadata": None}],
    }
    assert notices == [
        "/input/forwardedProps",
        "/input/tools/0/parameters",
        "/input/resume/0/payload",
    ]


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/png", "image"),
        ("audio/mp3", "audio"),
        ("video/mp4", "video"),
        ("text/x", "document"),
    ],
)
def test_binary_parts_become_media_parts_by_their_type(mime: str, kind: str) -> None:
    part = {"type": "binary", "mimeType": mime, "data": "aGk=", "url": "u", "filename": "f"}
    source = {"type": "data", "value": "aGk=", "mimeType": mime}
    assert _upgraded(part) == {"type": kind, "source": source, "metadata": {"filename": "f"}}


def test_binary_part_with_only_an_id_stays() -> None:
    part = {"type": "binary", "mimeType": "image/png", "id": "f"}
    assert _upgraded(part) == part


def test_null_metadata_goes_from_media_parts_only() -> None:
    assert _upgraded({"type": "image", "metadata": None}) == {"type": "image"}
    assert _upgraded({"type": "text", "metadata": None}) == {"type": "text", "metadata": None}


@given(events | values)
def test_boundary_never_changes_its_input(event: Any) -> None:
    before = copy.deepcopy(event)
    (fed,), notices = _feed(event)
    assert event == before
    assert notices or fed is event


def _upgraded(part: dict[str, Any]) -> Any:
    return upgrade_messages([{"content": [part]}], "")[0]["content"][0]
