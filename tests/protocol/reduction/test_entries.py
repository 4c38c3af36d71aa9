"""Messages and calls while events build them: what is added costs its own size."""

from typing import Any

from gateway.protocol import (
    UNSET,
    ActivityMessage,
    AssistantMessage,
    FunctionCall,
    TextPart,
    ToolCall,
    UserMessage,
)
from gateway.protocol.reduction.entries import Entry


class _CountedText(str):
    """Counts how often something is appended to it."""

    appended = 0

    def __add__(self, other: str) -> "_CountedText":
        _CountedText.appended += 1
        return _CountedText(str(self) + other)


def _call(id: str, arguments: str = "") -> ToolCall:
    return ToolCall(id, FunctionCall("f", arguments))


def test_deltas_with_metadata_are_joined_when_somebody_looks() -> None:
    _CountedText.appended = 0
    entry = Entry(AssistantMessage("m", _CountedText("")))
    for number in range(1000):
        entry.append("x")
        entry.merge({"n": number})
    assert _CountedText.appended == 0
    assert entry.message == AssistantMessage("m", "x" * 1000, metadata={"n": 999})
    assert _CountedText.appended == 1


def test_arguments_with_metadata_are_joined_when_somebody_looks() -> None:
    _CountedText.appended = 0
    entry = Entry(AssistantMessage("m", tool_calls=[_call("c", _CountedText(""))]))
    for number in range(1000):
        entry.calls[0].append("x")
        entry.calls[0].merge({"n": number})
    assert _CountedText.appended == 0
    (call,) = _calls(entry)
    assert (call.function.arguments, call.metadata) == ("x" * 1000, {"n": 999})
    assert _CountedText.appended == 1


def test_what_has_not_changed_is_the_same_object() -> None:
    entry = Entry(AssistantMessage("m", tool_calls=[_call("a"), _call("b")]))
    entry.calls[1].append("1")
    before = entry.message
    assert entry.message is before
    entry.merge(UNSET)
    entry.calls[0].merge(UNSET)
    assert entry.message is before
    first = _calls(entry)[0]
    entry.calls[1].append("2")
    assert entry.message is not before
    assert _calls(entry)[0] is first


def test_metadata_of_events_and_messages_is_not_written_to() -> None:
    given: dict[str, Any] = {"a": 1}
    added: dict[str, Any] = {"b": 2}
    entry = Entry(AssistantMessage("m", "", metadata=given))
    entry.merge(added)
    entry.merge({"c": 3})
    assert entry.message.metadata == {"a": 1, "b": 2, "c": 3}
    assert (given, added) == ({"a": 1}, {"b": 2})


def test_a_renamed_call_keeps_its_arguments() -> None:
    entry = Entry(AssistantMessage("m", tool_calls=[_call("c", "{")]))
    entry.calls[0].append("}")
    entry.calls[0].rename("g")
    assert _calls(entry) == [ToolCall("c", FunctionCall("g", "{}"))]


def test_parts_give_way_to_text() -> None:
    entry = Entry(UserMessage("u", [TextPart("p")]))
    entry.append("x")
    assert entry.message == UserMessage("u", "x")


def test_another_message_forgets_what_was_collected() -> None:
    entry = Entry(AssistantMessage("m", "a", tool_calls=[_call("c")]))
    entry.append("b")
    entry.merge({"a": 1})
    entry.put(ActivityMessage("m", "search", {}))
    assert entry.message == ActivityMessage("m", "search", {})
    assert entry.calls == []


def _calls(entry: Entry) -> list[ToolCall]:
    message = entry.message
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls is not UNSET
    return message.tool_calls
