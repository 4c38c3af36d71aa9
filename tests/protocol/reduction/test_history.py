"""The messages of a thread, found by their ids."""

from gateway.protocol import (
    ActivityMessage,
    AssistantMessage,
    FunctionCall,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from gateway.protocol.reduction.history import History


def _with_call(id: str, *calls: str) -> AssistantMessage:
    return AssistantMessage(
        id, tool_calls=[ToolCall(call, FunctionCall("f", "")) for call in calls]
    )


def _ids(history: History) -> list[str]:
    return [message.id for message in history.messages]


def test_the_first_of_equal_ids_is_found() -> None:
    history = History([UserMessage("m", "first"), UserMessage("m", "second")])
    entry = history.find("m")
    assert entry is not None
    assert entry.message == UserMessage("m", "first")
    history.append(UserMessage("m", "third"))
    assert history.find("m") is entry


def test_a_call_is_found_with_the_message_that_holds_it() -> None:
    history = History([_with_call("a", "c"), _with_call("b", "c", "d")])
    first, second = history.find_call("c"), history.find_call("d")
    assert first is not None
    assert second is not None
    assert (first.owner.id, second.owner.id) == ("a", "b")
    assert history.find_call("e") is None


def test_results_stand_behind_their_call_in_the_order_they_came() -> None:
    history = History([_with_call("a", "c", "d"), UserMessage("u", ""), _with_call("b", "e")])
    for id, call in (("1", "d"), ("2", "e"), ("3", "c"), ("4", "unknown")):
        history.insert_result(ToolMessage(id, call, ""))
    assert _ids(history) == ["a", "1", "3", "u", "b", "2", "4"]


def test_a_result_is_found_first_only_where_it_stands_first() -> None:
    history = History([UserMessage("x", ""), _with_call("a", "c"), UserMessage("y", "")])
    history.insert_result(ToolMessage("x", "c", ""))
    history.insert_result(ToolMessage("y", "c", ""))
    x, y = history.find("x"), history.find("y")
    assert x is not None
    assert y is not None
    assert (x.role, y.role) == ("user", "tool")


def test_the_calls_of_a_replaced_message_are_gone() -> None:
    history = History([_with_call("a", "c"), _with_call("b", "c")])
    entry = history.find("a")
    assert entry is not None
    history.replace(entry, ActivityMessage("a", "search", {}))
    call = history.find_call("c")
    assert call is not None
    assert call.owner.id == "b"


def test_a_snapshot_replaces_in_place_and_appends_what_is_new() -> None:
    history = History([UserMessage("a", "1"), UserMessage("b", ""), ActivityMessage("c", "t", {})])
    snapshot: list[Message] = [UserMessage("new", ""), UserMessage("a", "2")]
    history.reconcile(snapshot, lambda message: message.role == "activity")
    assert history.messages == [
        UserMessage("a", "2"),
        ActivityMessage("c", "t", {}),
        UserMessage("new", ""),
    ]
    assert history.find("b") is None
    assert history.find("new") is not None
