"""Transformers between an agent and its stream: what they change, and what they cannot break."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.agent import RunContext, Runner
from gateway.protocol.events import (
    Event,
    RunFinished,
    StateSnapshot,
    TextMessageStart,
    ToolCallResult,
)
from gateway_native.chain import Transformer
from gateway_native.transformers.result_promoter import ToolResultToState
from gateway_native.transformers.timestamps import Timestamps
from gateway_native.transformers.tool_filter import FilterToolCalls
from tests.agent.runs import events_of, given, sequence

Ctx = RunContext[Any]


async def uses_tools(ctx: Ctx) -> None:
    """Two calls, one of them nobody's business, and a text."""
    with ctx.tool_call("internal_debug") as call:
        call.args("{}")
        call.encrypted_value("opaque")
        call.result("secret")
    with ctx.tool_call("search") as call:
        call.args("{}")
        call.result_json({"hits": 1})
    ctx.say("done")


def test_a_denied_tool_is_nowhere() -> None:
    events = events_of(uses_tools, transformers=[lambda: FilterToolCalls.deny(["internal_debug"])])
    assert sequence(events) == "RS CS CA CE CR TS TC TE RF"
    assert "internal_debug" not in repr(events)
    assert "r-call-1" not in repr(events)


def test_a_result_takes_the_place_of_the_state() -> None:
    chain: list[Any] = [
        lambda: FilterToolCalls.allow(["search"]),
        lambda: ToolResultToState.snapshot("search", replacing=True),
    ]
    events = events_of(uses_tools, transformers=chain)
    assert sequence(events) == "RS CS CA CE SS TS TC TE RF"
    assert isinstance(events[4], StateSnapshot)
    assert events[4].snapshot == {"hits": 1}


def test_a_result_is_followed_by_the_state() -> None:
    chain = [lambda: ToolResultToState.snapshot("search")]
    assert "CR SS TS" in sequence(events_of(uses_tools, transformers=chain))


def test_a_promoted_state_is_the_baseline_of_the_next_publication() -> None:
    async def agent(ctx: Ctx) -> None:
        with ctx.tool_call("search") as call:
            call.result_json({"hits": 1, "notes": "x" * 200})
        ctx.set_state({"hits": 2, "notes": "x" * 200})

    chain = [lambda: ToolResultToState.snapshot("search", replacing=True)]
    assert sequence(events_of(agent, transformers=chain)) == "RS CS CE SS SD RF"


def test_every_event_is_stamped() -> None:
    events = events_of(uses_tools, transformers=[lambda: Timestamps(lambda: 7)])
    assert {event.timestamp for event in events} == {7}


def test_the_same_recipe_twice_gives_the_same() -> None:
    runner = Runner(uses_tools, transformers=[lambda: FilterToolCalls.deny(["search"])])
    first, second = (
        events_of(uses_tools, given(), transformers=runner.options.transformers) for _ in range(2)
    )
    assert first == second


class Editing(Transformer):
    """Gives `instead` for one type of event."""

    def __init__(self, type: str, instead: Any) -> None:
        self._type = type
        self._instead = instead

    def transform(self, event: Event) -> Any:
        return self._instead if event.type == self._type else event


@pytest.mark.parametrize(
    ("type", "instead"),
    [
        ("RUN_FINISHED", None),
        ("RUN_FINISHED", [RunFinished("t", "r"), RunFinished("t", "r")]),
        ("RUN_FINISHED", "no event"),
        ("TEXT_MESSAGE_START", None),
        ("TEXT_MESSAGE_START", [TextMessageStart("a"), TextMessageStart("a")]),
        ("TEXT_MESSAGE_CONTENT", ToolCallResult("m", "nowhere", "x")),
        ("TEXT_MESSAGE_END", 7),
    ],
)
def test_no_transformer_can_break_the_end_of_a_stream(type: str, instead: Any) -> None:
    events = events_of(uses_tools, transformers=[lambda: Editing(type, instead)])
    assert sequence(events).startswith("RS CS CA EV CE CR CS")
    assert sequence(events).endswith(" RE(TRANSFORMER_ERROR)")
    assert [event.type for event in events[:-1]].count("RUN_FINISHED") == 0
