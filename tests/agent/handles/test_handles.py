"""Handles: context managers that also work by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pydantic
import pytest
from msgspec import Struct

from gateway.agent import RunContext
from gateway.errors import AgentError, DecodeError, OrderingError, PatchError
from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    ActivityDelta,
    SubagentError,
    SubagentFinished,
    SubagentStarted,
    TextMessageEnd,
    TextMessageStart,
    ToolCallStart,
)
from gateway.protocol.outcomes import SuspendedOutcome
from tests.agent.runs import given, sequence

Ctx = RunContext[Any]


class Query(Struct):
    """Arguments of a search."""

    city: str


@dataclass
class DataQuery:
    """The same as a dataclass."""

    city: str


class ModelQuery(pydantic.BaseModel):
    """The same as a pydantic model."""

    city: str


def make() -> tuple[Ctx, Any]:
    return RunContext.for_test(given())


@pytest.mark.parametrize("type", [Query, DataQuery, ModelQuery])
def test_arguments_are_fragments_until_they_are_whole(type: Any) -> None:
    ctx, events = make()
    call = ctx.tool_call("search")
    call.args('{"city":')
    with pytest.raises(DecodeError, match="arguments of search"):
        call.parse_args(type)
    call.args('"Seoul"}')
    assert call.parse_args(type).city == "Seoul"
    assert call.raw_args == '{"city":"Seoul"}'
    assert [e.delta for e in events[1:]] == ['{"city":', '"Seoul"}']


@pytest.mark.parametrize("type", [Query, DataQuery, ModelQuery])
def test_arguments_that_do_not_fit_are_refused(type: Any) -> None:
    ctx, _ = make()
    call = ctx.tool_call("search")
    call.args_json({"city": 7})
    with pytest.raises(DecodeError, match="city"):
        call.parse_args(type)


def test_a_call_that_is_only_ended_has_no_result() -> None:
    ctx, events = make()
    ctx.tool_call("search").end()
    assert sequence(list(events)) == "CS CE"


def test_the_result_ends_the_call_and_names_its_message() -> None:
    ctx, events = make()
    with ctx.tool_call("search", parent_message_id="m0") as call:
        call.args("{}")
        assert call.result("done") == call.result_message_id == "r-msg-1"
    assert sequence(list(events)) == "CS CA CE CR"
    assert isinstance(events[0], ToolCallStart)
    assert events[0].parent_message_id == "m0"


def test_state_may_change_between_arguments_and_result() -> None:
    ctx, events = make()
    with ctx.tool_call("search") as call:
        call.args("{}")
        ctx.set_state({"a": 1})
        call.result("done")
    assert sequence(list(events)) == "CS CA SS CE CR"


@pytest.mark.parametrize("open", ["message", "reasoning", "tool_call", "step"])
def test_ending_twice_ends_once(open: str) -> None:
    ctx, events = make()
    handle = getattr(ctx, open)(*(["x"] if open in ("tool_call", "step") else []))
    with handle:
        handle.end()
        count = len(events)
    handle.end()
    assert len(events) == count


def test_handles_work_by_hand() -> None:
    ctx, events = make()
    step = ctx.step("s")
    message = step.message()
    message.delta("x")
    assert not message.ended
    message.end()
    assert message.ended
    step.end()
    assert sequence(list(events)) == "XS TS TC TE XF"


def test_a_delta_after_the_end_is_refused() -> None:
    ctx, _ = make()
    with ctx.message() as message:
        pass
    with pytest.raises(OrderingError, match="not-open"):
        message.delta("x")


def test_leaving_by_an_error_ends_the_block_and_shows_that_error() -> None:
    ctx, events = make()
    with pytest.raises(KeyError), ctx.step("s"), ctx.message():
        raise KeyError
    assert sequence(list(events)) == "XS TS TE XF"


def test_an_error_is_not_hidden_by_a_block_that_was_ended_otherwise() -> None:
    ctx, _ = make()

    def end_otherwise() -> None:
        with ctx.message() as message:
            ctx.emit(TextMessageEnd(message.id))
            raise KeyError

    with pytest.raises(KeyError):
        end_otherwise()


def test_a_block_that_was_ended_otherwise_is_reported() -> None:
    ctx, _ = make()
    with pytest.raises(OrderingError), ctx.message() as message:
        ctx.emit(TextMessageEnd(message.id))


def test_encrypted_values_close_nothing() -> None:
    ctx, events = make()
    with ctx.reasoning() as reasoning, ctx.tool_call("f") as call:
        reasoning.encrypted_value("opaque")
        call.encrypted_value("opaque")
        reasoning.delta("x")
        call.args("{}")
    assert sequence(list(events)) == "BS MS CS EV EV MC CA CE ME BE"


def test_a_step_may_not_open_inside_itself() -> None:
    ctx, _ = make()
    with ctx.step("a") as step, step.step("b"), pytest.raises(OrderingError):
        step.step("a")


def test_a_subagent_owns_what_its_handle_emits() -> None:
    ctx, events = make()
    call = ctx.tool_call("ask")
    call.end()
    with ctx.subagent("guide", description="knows", tool_call_id=call.id) as guide:
        with guide.step("walk") as step:
            step.say("x")
        guide.emit(TextMessageStart("m"))
        guide.emit(TextMessageEnd("m"))
        with guide.subagent("child") as child:
            child.custom("app.x", 1)
    started = events[2]
    assert isinstance(started, SubagentStarted)
    assert started.parent_tool_call_id == call.id
    own = [e.subagent_run_id for e in events[2:] if e.type != "TEXT_MESSAGE_CONTENT"]
    assert own == ["r-sub-1"] * 7 + ["r-sub-2"] * 3 + ["r-sub-1"]
    assert sequence(list(events[-4:-3])) == "US"
    assert events[-4].parent_subagent_run_id == "r-sub-1"


def test_a_subagent_that_raises_fails_and_tells_no_secret() -> None:
    ctx, events = make()
    with pytest.raises(ValueError, match="secret"), ctx.subagent("guide"):
        raise ValueError("secret")
    assert events[-1] == SubagentError("r-sub-1", "guide failed", "AGENT_ERROR")


def test_an_agent_error_of_a_subagent_is_told() -> None:
    ctx, events = make()
    with pytest.raises(AgentError), ctx.subagent("guide"):
        raise AgentError("no river", "NO_RIVER")
    assert events[-1] == SubagentError("r-sub-1", "no river", "NO_RIVER")


def test_a_subagent_ends_with_a_result_or_suspended() -> None:
    ctx, events = make()
    ctx.subagent("a").finish({"x": 1})
    ctx.subagent("b").suspend(["i"])
    assert events[1] == SubagentFinished("r-sub-1", {"x": 1})
    assert events[3] == SubagentFinished("r-sub-2", outcome=SuspendedOutcome(["i"]))


def test_an_activity_is_shown_replaced_and_patched() -> None:
    ctx, events = make()
    activity = ctx.activity("route", {"stops": []})
    activity.patch([{"op": "add", "path": "/stops/-", "value": "palace"}])
    activity.patch([{"op": "replace", "path": "/stops/0", "value": "river"}])
    activity.replace({"done": True})
    activity.patch([{"op": "remove", "path": "/done"}])
    assert sequence(list(events)) == "AS AD AD AS AD"
    assert isinstance(events[1], ActivityDelta)
    assert (events[1].message_id, events[1].activity_type) == ("r-msg-1", "route")


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/nowhere", "value": 1},
        {"op": "replace", "path": "", "value": [1]},
    ],
)
def test_a_patch_that_would_break_an_activity_is_refused(operation: dict[str, Any]) -> None:
    ctx, events = make()
    activity = ctx.activity("route", {})
    with pytest.raises(PatchError):
        activity.patch([operation])
    assert len(events) == 1


def test_handles_know_their_owner() -> None:
    ctx, _ = make()
    assert ctx.message().owner is UNSET
    with ctx.subagent("guide") as guide:
        assert guide.activity("a", {}).owner == guide.id
        with guide.tool_call("f") as call:
            assert call.owner == guide.id
