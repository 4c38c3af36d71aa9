"""Repair of histories before they go to a provider."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.llm.history import NOT_EXECUTED, AssistantTurn, UserTurn, repair
from gateway.protocol.messages import (
    ActivityMessage,
    AssistantMessage,
    DeveloperMessage,
    Message,
    ReasoningMessage,
    SystemMessage,
)
from tests.llm.providers.requests import calls, result, user


def only_turn(messages: Sequence[Message]) -> AssistantTurn:
    (turn,) = (t for t in repair(messages).turns if isinstance(t, AssistantTurn))
    return turn


def test_a_dangling_call_is_answered() -> None:
    turn = only_turn([user("hi"), calls(("c1", "now", "{}")), user("again")])
    (answer,) = turn.results
    assert (answer.tool_call_id, answer.content, answer.error) == ("c1", NOT_EXECUTED, NOT_EXECUTED)


def test_an_orphan_result_and_a_second_result_are_dropped() -> None:
    messages: list[Message] = [
        result("x", "lost"),
        calls(("c1", "now", "{}")),
        result("c1", "a"),
        result("c1", "b"),
    ]
    assert [r.content for r in only_turn(messages).results] == ["a"]


def test_results_come_in_the_order_of_the_calls_right_after_them() -> None:
    called = calls(("c1", "now", "{}"), ("c2", "now", "{}"))
    turns = repair([called, user("so?"), result("c2", "two"), result("c1", "one")]).turns
    assert isinstance(turns[0], AssistantTurn)
    assert [r.content for r in turns[0].results] == ["one", "two"]
    assert isinstance(turns[1], UserTurn)


def test_an_id_used_in_two_turns_becomes_two_ids_and_results_stay_with_their_turn() -> None:
    messages: list[Message] = [
        calls(("0", "now", "{}")),
        result("0", "a"),
        calls(("0", "now", "{}")),
        result("0", "b"),
    ]
    first, second = repair(messages).turns
    assert isinstance(first, AssistantTurn)
    assert isinstance(second, AssistantTurn)
    assert [c.id for c in (*first.calls, *second.calls)] == ["0", "0_2"]
    assert [(r.tool_call_id, r.content) for r in (*first.results, *second.results)] == [
        ("0", "a"),
        ("0_2", "b"),
    ]


def test_equal_ids_in_one_turn_pair_by_position() -> None:
    called = calls(("now", "now", "{}"), ("now", "now", "{}"))
    turn = only_turn([called, result("now", "first"), result("now", "second")])
    assert [r.content for r in turn.results] == ["first", "second"]
    assert len({c.id for c in turn.calls}) == 2


def test_system_and_developer_messages_join_the_system_slot() -> None:
    messages: list[Message] = [
        SystemMessage(id="s", content="two"),
        user("hi"),
        DeveloperMessage(id="d", content="three"),
    ]
    assert repair(messages, "one").system == "one\n\ntwo\n\nthree"


def test_activities_and_empty_turns_never_leave() -> None:
    activity = ActivityMessage(id="x", activity_type="plan", content={})
    assert repair([activity, AssistantMessage(id="a"), user("")]).turns == []


def test_an_opaque_value_of_a_reasoning_message_belongs_to_the_next_turn() -> None:
    value = msgspec.json.encode({"format": "anthropic", "layout": []}).decode()
    thought = ReasoningMessage(id="t", content="hm", encrypted_value=value)
    assert (
        only_turn([thought, AssistantMessage(id="a", content="x")]).opaque["format"] == "anthropic"
    )


@pytest.mark.parametrize("value", ["", "gAAAA", "[1]", '{"a":1}', "\ud800"])
def test_an_encrypted_value_of_somebody_else_is_left_alone(value: str) -> None:
    turn = only_turn([AssistantMessage(id="a", content="x", encrypted_value=value)])
    assert turn.opaque == {}


def test_only_turns_after_the_last_user_are_current() -> None:
    turns = repair([calls(("a", "now", "{}")), user("hi"), calls(("b", "now", "{}"))]).turns
    assert [t.is_current for t in turns if isinstance(t, AssistantTurn)] == [False, True]


IDS = st.sampled_from(["a", "b", "c"])
MESSAGES = st.one_of(
    st.builds(user, st.sampled_from(["", "hi"])),
    st.builds(result, IDS, st.just("ok")),
    st.lists(st.tuples(IDS, st.just("now"), st.just("{}")), max_size=3).map(lambda c: calls(*c)),
)


@given(st.lists(MESSAGES, max_size=12))
def test_whatever_comes_in_every_call_has_one_result_and_ids_are_unique(
    messages: list[Message],
) -> None:
    turns = [t for t in repair(messages).turns if isinstance(t, AssistantTurn)]
    ids = [call.id for turn in turns for call in turn.calls]
    assert len(ids) == len(set(ids))
    for turn in turns:
        assert [c.id for c in turn.calls] == [r.tool_call_id for r in turn.results]
