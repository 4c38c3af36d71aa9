"""Protocol types as plain objects."""

from gateway.protocol import (
    AgentCapabilities,
    AssistantMessage,
    CancelledOutcome,
    Custom,
    FunctionCall,
    IdentityCapabilities,
    InterruptOutcome,
    RunAgentInput,
    Tool,
    ToolCall,
)
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.wire_order import members_of, to_wire


def test_nested_types_become_objects_in_the_order_of_the_schema() -> None:
    call = ToolCall("c", FunctionCall("f", "{}"), metadata={"k": None})
    message = AssistantMessage("m", "hi", [call], subagent_run_id="s")
    assert list(to_wire(message).items()) == [
        ("subagentRunId", "s"),
        ("id", "m"),
        ("role", "assistant"),
        ("content", "hi"),
        (
            "toolCalls",
            [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "metadata": {"k": None},
                }
            ],
        ),
    ]


def test_tags_come_first_where_the_schema_has_them_first() -> None:
    outcome = InterruptOutcome([Interrupt("i", "r")])
    assert list(to_wire(outcome)) == ["type", "interrupts"]
    assert to_wire(CancelledOutcome()) == {"type": "cancelled"}
    assert list(members_of(Custom("n", None, timestamp=1))) == [
        "type",
        "name",
        "value",
        "timestamp",
    ]


def test_open_json_is_left_as_it_is() -> None:
    state = {"a": object()}
    given = RunAgentInput("t", "r", state=state)
    assert to_wire(given)["state"] is state


def test_members_are_given_as_they_are_one_level_deep() -> None:
    interrupt = Interrupt("i", "r")
    assert members_of(InterruptOutcome([interrupt]))["interrupts"][0] is interrupt


def test_lists_left_out_stay_out_until_they_hold_something() -> None:
    given = RunAgentInput("t", "r")
    assert to_wire(given) == {"threadId": "t", "runId": "r", "messages": []}
    given.tools.append(Tool("n", "d"))
    assert to_wire(given)["tools"] == [{"name": "n", "description": "d"}]
    assert to_wire(RunAgentInput("t", "r", context=[]))["context"] == []


def test_capabilities_have_their_wire_names() -> None:
    capabilities = AgentCapabilities(identity=IdentityCapabilities(documentation_url="u"))
    assert to_wire(capabilities) == {"identity": {"documentationUrl": "u"}}
