"""The official client completes a run of each demo agent, over a real server, without a warning."""

import os
from typing import Any

import pytest

from tests.peer import client
from tests.served import Served

if client.unavailable() and os.environ.get("CI") != "true":
    pytest.skip(str(client.unavailable()), allow_module_level=True)

WEATHER_TOOL = {
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def _drive(served: Served, agent: str, *turns: dict[str, Any], **scenario: Any) -> dict[str, Any]:
    outcome = client.drive(
        {
            "url": f"{served.url}/agents/{agent}",
            "threadId": f"thread-{agent}",
            "turns": list(turns),
            **scenario,
        }
    )
    assert outcome["warnings"] == []
    for turn in outcome["turns"]:
        assert "thrown" not in turn, turn["thrown"]
        assert "failure" not in turn, turn["failure"]
        assert "runError" not in turn, turn["runError"]
        assert turn["events"][0]["type"] == "RUN_STARTED"
        assert turn["events"][-1]["type"] == "RUN_FINISHED"
    return outcome


def _texts(turn: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in turn["messages"] if "content" in m]


def _user(text: str, id: str = "u1") -> dict[str, str]:
    return {"id": id, "content": text}


def test_echo_streams_the_last_user_text_back(served: Served) -> None:
    text = "Grüße, 안녕 “world” 👩‍🚀 \u2028 done"
    outcome = _drive(served, "echo", {"user": _user(text), "run": {"runId": "r1"}})
    (turn,) = outcome["turns"]
    assert _texts(turn) == [("user", text), ("assistant", text)]
    deltas = [e for e in turn["events"] if e["type"] == "TEXT_MESSAGE_CONTENT"]
    assert len(deltas) == len(text.split())


def test_tour_goes_through_every_event_family(served: Served) -> None:
    outcome = _drive(served, "tour", {"user": _user("go"), "run": {"runId": "r1"}})
    (turn,) = outcome["turns"]
    families = {event["type"] for event in turn["events"]}
    assert families >= {
        "STEP_STARTED",
        "STEP_FINISHED",
        "REASONING_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_ENCRYPTED_VALUE",
        "REASONING_END",
        "TEXT_MESSAGE_CONTENT",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "CUSTOM",
        "RAW",
        "SUBAGENT_STARTED",
        "SUBAGENT_FINISHED",
    }
    assert turn["state"]["visited"] == ["palace"]
    assert turn["result"] == {"stops": 3}
    call = next(m for m in turn["messages"] if m.get("toolCalls"))["toolCalls"][0]
    assert call["function"] == {"name": "find_stops", "arguments": '{"city": "Seoul"}'}
    activity = next(m for m in turn["messages"] if m["role"] == "activity")
    assert activity["content"] == {"stops": ["palace"], "done": True}
    reasoning = next(m for m in turn["messages"] if m["role"] == "reasoning")
    assert reasoning["content"] == "The palace first, then the market."
    assert reasoning["encryptedValue"] == "b3BhcXVl"


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ({"status": "resolved", "payload": {"approved": True}}, "You approved."),
        ({"status": "resolved", "payload": {"approved": False}}, "You declined."),
        ({"status": "cancelled"}, "You did not want to decide."),
    ],
)
def test_approve_interrupts_and_resumes(
    served: Served, answer: dict[str, Any], decision: str
) -> None:
    asked, answered = _drive(
        served,
        "approve",
        {"user": _user("deploy"), "run": {"runId": "r1"}},
        {"run": {"runId": "r2", "resume": [{"interruptId": "approval", **answer}]}},
    )["turns"]
    assert asked["outcome"] == "interrupt"
    assert [i["id"] for i in asked["pendingInterrupts"]] == ["approval"]
    assert answered["outcome"] == "success"
    assert answered["pendingInterrupts"] == []
    assert _texts(answered)[-1] == ("assistant", decision)


def test_weather_calls_the_front_end_tool_and_answers_from_its_result(served: Served) -> None:
    calling, answering = _drive(
        served,
        "weather",
        {"user": _user("Busan"), "run": {"runId": "r1", "tools": [WEATHER_TOOL]}},
        {
            "toolResult": {"id": "t1", "toolCallId": "r1-call-1", "content": "sunny, 21 °C"},
            "run": {"runId": "r2", "tools": [WEATHER_TOOL]},
        },
    )["turns"]
    assert calling["pendingToolCallIds"] == ["r1-call-1"]
    assert not any(event["type"] == "TOOL_CALL_RESULT" for event in calling["events"])
    assert answering["pendingToolCallIds"] == []
    assert _texts(answering)[-1] == ("assistant", "The weather: sunny, 21 °C")


def test_weather_says_what_is_missing_without_the_tool(served: Served) -> None:
    outcome = _drive(served, "weather", {"user": _user("Busan"), "run": {"runId": "r1"}})
    (turn,) = outcome["turns"]
    assert "get_weather" in _texts(turn)[-1][1]


def test_slow_streams_two_hundred_deltas(served: Served) -> None:
    outcome = _drive(served, "slow", {"user": _user("count"), "run": {"runId": "r1"}})
    (turn,) = outcome["turns"]
    deltas = [e for e in turn["events"] if e["type"] == "TEXT_MESSAGE_CONTENT"]
    assert len(deltas) == 200
    assert _texts(turn)[-1][1].split()[-1] == "200"
