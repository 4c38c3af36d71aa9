"""Text and reasoning messages."""

import pytest

from gateway.protocol import (
    ActivityMessage,
    AssistantMessage,
    Event,
    ReasoningEncryptedValue,
    ReasoningMessage,
    ReasoningMessageContent,
    ReasoningMessageEnd,
    ReasoningMessageStart,
    TextMessageContent,
    TextMessageEnd,
    TextMessageStart,
    UserMessage,
)
from gateway.protocol.notices import Notice
from gateway.protocol.reducer import Reducer


def test_a_start_gives_role_name_and_owner() -> None:
    reducer = Reducer()
    reducer.feed(TextMessageStart("u", role="user", name="Ada", subagent_run_id="s"))
    reducer.feed(ReasoningMessageStart("r"))
    assert reducer.messages == [
        UserMessage("u", "", name="Ada", subagent_run_id="s"),
        ReasoningMessage("r", ""),
    ]


def test_a_start_of_a_known_message_continues_it() -> None:
    reducer = Reducer([UserMessage("m", "a", metadata={"x": 1})])
    reducer.feed(TextMessageStart("m", metadata={"y": 2}))
    reducer.feed(TextMessageContent("m", "b", metadata={"x": 3}))
    reducer.feed(TextMessageEnd("m", metadata={"z": None}))
    assert reducer.messages == [UserMessage("m", "ab", metadata={"x": 3, "y": 2, "z": None})]


@pytest.mark.parametrize(
    "event",
    [
        TextMessageStart("a", metadata={"x": 1}),
        TextMessageContent("a", "x"),
        ReasoningMessageEnd("a", metadata={"x": 1}),
        ReasoningEncryptedValue("message", "a", "AA"),
    ],
)
def test_an_activity_does_not_speak(event: Event) -> None:
    notices: list[Notice] = []
    activity = ActivityMessage("a", "search", {})
    reducer = Reducer([activity], warn=notices.append)
    reducer.feed(event)
    assert reducer.messages == [activity]
    assert [notice.code for notice in notices] == ["unknown-target"]


def test_an_encrypted_value_does_not_touch_what_streams() -> None:
    reducer = Reducer()
    reducer.feed(ReasoningMessageStart("r"))
    reducer.feed(ReasoningMessageContent("r", "a"))
    reducer.feed(ReasoningEncryptedValue("message", "r", "AA"))
    reducer.feed(ReasoningMessageContent("r", "b"))
    assert reducer.messages == [ReasoningMessage("r", "ab", encrypted_value="AA")]


def test_text_follows_a_message_that_had_no_content() -> None:
    reducer = Reducer([AssistantMessage("m")])
    reducer.feed(TextMessageContent("m", ""))
    assert reducer.messages == [AssistantMessage("m", "")]
