"""The stages together; `tests/replay` has the conformance streams."""

from typing import Any

import pytest

from gateway.errors import MalformedError, OrderingError
from gateway.protocol import Event
from gateway.protocol.notices import Notice
from gateway.protocol.peer import Peer
from gateway.protocol.pipeline import Pipeline

STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def test_chunks_arrive_expanded() -> None:
    pipeline = Pipeline()
    pipeline.feed(STARTED)
    events = pipeline.feed({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"})
    assert types(events) == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]
    assert types(pipeline.feed(FINISHED)) == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    pipeline.finish()


def test_a_retired_chunk_is_translated_before_it_is_judged() -> None:
    notices: list[Notice] = []
    pipeline = Pipeline(warn=notices.append)
    pipeline.feed(STARTED)
    assert types(pipeline.feed({"type": "THINKING_START"})) == ["REASONING_START"]
    assert [notice.code for notice in notices] == ["legacy-shape"]


@pytest.mark.parametrize("value", [None, 7, "x", [], {"type": 7}, {"type": "NO_SUCH_EVENT"}])
def test_what_is_no_known_event_is_dropped_or_refused(value: Any) -> None:
    notices: list[Notice] = []
    pipeline = Pipeline(warn=notices.append)
    pipeline.feed(STARTED)
    try:
        assert pipeline.feed(value) == []
        assert [notice.code for notice in notices] == ["unknown-event"]
    except MalformedError:
        assert value is None


def test_a_stream_without_a_terminal_event_is_told_from_a_complete_one() -> None:
    pipeline = Pipeline()
    pipeline.feed(STARTED)
    with pytest.raises(OrderingError, match="truncated"):
        pipeline.finish()


@pytest.mark.parametrize(
    ("declared", "warned"),
    [("1.0", False), ("0.9", False), ("1.1", True), ("2.0", True), ("1", True), ("1.0.0", True)],
)
def test_a_newer_or_unreadable_version_is_told(declared: str, warned: bool) -> None:
    notices: list[Notice] = []
    events = Pipeline("1.0", notices.append).feed({**STARTED, "protocolVersion": declared})
    assert types(events) == ["RUN_STARTED"]
    assert bool(notices) == warned


def test_ids_must_agree_on_demand() -> None:
    other = {**FINISHED, "runId": "other"}
    lenient, strict = Pipeline(), Pipeline(agreement=True)
    for pipeline in (lenient, strict):
        pipeline.feed(STARTED)
    assert lenient.feed(other)
    with pytest.raises(OrderingError, match="wrong-run"):
        strict.feed(other)


def test_a_peer_without_subagents_is_heard_without_them() -> None:
    notices: list[Notice] = []
    pipeline = Pipeline(warn=notices.append, peer=Peer("0.0.57", notices.append))
    pipeline.feed(STARTED)
    assert pipeline.feed({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n"}) == []
    (event,) = pipeline.feed({"type": "STEP_STARTED", "stepName": "x", "subagentRunId": "s"})
    assert "s" not in str(getattr(event, "subagent_run_id", ""))
    assert [notice.path for notice in notices] == ["SUBAGENT_STARTED"]
