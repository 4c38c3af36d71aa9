"""ToolResultToState makes state events of results."""

import pytest

from gateway.protocol.events import (
    Event,
    SubagentStarted,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallResult,
    ToolCallStart,
)
from gateway.protocol.parts import TextPart
from gateway_native.transformers.result_promoter import ToolResultToState
from tests.core.streams import sent, started


def results(promoter: ToolResultToState, *events: Event) -> list[dict[str, object]]:
    stream = started(promoter)
    for event in events:
        stream.emit(event)
    return [event for event in sent(stream) if "TOOL_CALL_" not in event["type"]]


def called(content: str, tool: str = "search") -> list[Event]:
    return [ToolCallStart("c", tool), ToolCallEnd("c"), ToolCallResult("m", "c", content)]


def test_a_result_is_followed_by_the_state_it_holds() -> None:
    stream = started(ToolResultToState.snapshot("search"))
    for event in called('{"hits":18446744073709551616}'):
        stream.emit(event)
    *_, result, state = sent(stream)
    assert result["type"] == "TOOL_CALL_RESULT"
    assert state == {"type": "STATE_SNAPSHOT", "snapshot": {"hits": 2**64}}


def test_a_result_can_be_replaced_by_the_state() -> None:
    stream = started(ToolResultToState.snapshot("search", replacing=True))
    for event in called("null"):
        stream.emit(event)
    assert sent(stream)[-1] == {"type": "STATE_SNAPSHOT", "snapshot": None}


def test_a_result_can_be_a_change_of_the_state() -> None:
    patch = '[{"op":"add","path":"/a","value":1,"note":"kept"}]'
    found = results(ToolResultToState.delta("search"), *called(patch))
    assert found[0]["delta"] == [{"op": "add", "path": "/a", "value": 1, "note": "kept"}]


@pytest.mark.parametrize("content", ["no JSON", "{", "", "NaN", "[" * 100_000])
def test_a_result_that_is_no_json_passes_alone(content: str) -> None:
    assert results(ToolResultToState.snapshot("search", True), *called(content)) == []


@pytest.mark.parametrize("content", ["{}", '[{"op":"jump"}]', '[{"op":"add","path":"x"}]', "[1]"])
def test_a_result_that_is_no_patch_passes_alone(content: str) -> None:
    assert results(ToolResultToState.delta("search", True), *called(content)) == []


def test_other_tools_and_second_results_pass_alone() -> None:
    again = ToolCallResult("m2", "c", "2")
    assert results(ToolResultToState.snapshot("search"), *called("1", "other")) == []
    assert len(results(ToolResultToState.snapshot("search"), *called("1"), again)) == 1


def test_a_list_of_parts_passes_alone() -> None:
    events = [*called("1")[:2], ToolCallResult("m", "c", [TextPart(text="1")])]
    assert results(ToolResultToState.snapshot("search"), *events) == []


def test_a_call_in_chunks_counts_and_the_owner_is_kept() -> None:
    found = results(
        ToolResultToState.snapshot("search"),
        SubagentStarted("s", "helper"),
        ToolCallChunk("c", "search", subagent_run_id="s"),
        ToolCallChunk(delta="{}", subagent_run_id="s"),
        ToolCallResult("m", "c", "1", subagent_run_id="s"),
    )
    assert found[-1] == {"type": "STATE_SNAPSHOT", "snapshot": 1, "subagentRunId": "s"}
