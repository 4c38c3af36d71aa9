"""Activities."""

from gateway.protocol import (
    ActivityDelta,
    ActivityMessage,
    ActivitySnapshot,
    AssistantMessage,
    FunctionCall,
    ToolCall,
    ToolCallArgs,
    UserMessage,
)
from gateway.protocol.notices import Notice
from gateway.protocol.reducer import Reducer

KNOWN = ActivityMessage("a", "search", {"n": 1}, metadata={"x": 1}, subagent_run_id="s")


def test_a_snapshot_replaces_all_but_the_metadata() -> None:
    reducer = Reducer([KNOWN])
    reducer.feed(ActivitySnapshot("a", "plan", {"m": 2}, metadata={"y": 2}))
    assert reducer.messages == [ActivityMessage("a", "plan", {"m": 2}, metadata={"x": 1, "y": 2})]


def test_a_snapshot_that_does_not_replace_merges_its_metadata_alone() -> None:
    reducer = Reducer([KNOWN])
    reducer.feed(ActivitySnapshot("a", "plan", {}, replace=False, metadata={"y": 2}))
    expected = ActivityMessage(
        "a", "search", {"n": 1}, metadata={"x": 1, "y": 2}, subagent_run_id="s"
    )
    assert reducer.messages == [expected]


def test_a_snapshot_that_does_not_replace_still_shows_what_is_new() -> None:
    reducer = Reducer()
    reducer.feed(ActivitySnapshot("a", "plan", {}, replace=False))
    assert reducer.messages == [ActivityMessage("a", "plan", {})]


def test_a_snapshot_takes_the_place_of_another_message() -> None:
    notices: list[Notice] = []
    call = ToolCall("c", FunctionCall("f", ""))
    reducer = Reducer([AssistantMessage("a", tool_calls=[call])], warn=notices.append)
    reducer.feed(ActivitySnapshot("a", "plan", {}, metadata={"y": 2}))
    reducer.feed(ToolCallArgs("c", "x"))
    assert reducer.messages == [ActivityMessage("a", "plan", {}, metadata={"y": 2})]
    assert [notice.path for notice in notices] == ["TOOL_CALL_ARGS"]


def test_one_that_does_not_replace_leaves_another_message_alone() -> None:
    reducer = Reducer([UserMessage("a", "hi")])
    reducer.feed(ActivitySnapshot("a", "plan", {}, replace=False, metadata={"y": 2}))
    assert reducer.messages == [UserMessage("a", "hi")]


def test_a_delta_changes_content_and_type() -> None:
    reducer = Reducer([ActivityMessage("a", "search", {"n": 1})])
    patch = [{"op": "replace", "path": "/n", "value": 2}]
    reducer.feed(ActivityDelta("a", "plan", patch, metadata={"y": 2}))
    assert reducer.messages == [ActivityMessage("a", "plan", {"n": 2}, metadata={"y": 2})]


def test_a_delta_that_fails_merges_its_metadata_alone() -> None:
    notices: list[Notice] = []
    reducer = Reducer([ActivityMessage("a", "search", {"n": 1})], warn=notices.append)
    reducer.feed(ActivityDelta("a", "plan", [{"op": "remove", "path": "/x"}], metadata={"y": 2}))
    assert reducer.messages == [ActivityMessage("a", "search", {"n": 1}, metadata={"y": 2})]
    assert [(notice.code, notice.path) for notice in notices] == [("unappliable", "/patch/0")]
