"""Typed state, and that deltas always apply at the client."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, TypedDict

import pydantic
import pytest
from hypothesis import given as examples
from hypothesis import settings
from msgspec import Struct

from gateway.agent import CancelToken, Limits, Options, Run, RunContext
from gateway.errors import PatchError, RunCancelledError, StateError
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, StateDelta, StateSnapshot
from gateway.protocol.json_patch import apply_patch, same
from gateway_native.chain import Transformer
from tests.agent.runs import events_of, failure, first_of, given, rest_of, sequence, sequence_of
from tests.strategies import JSON

Ctx = RunContext[Any]
NOTES = "x" * 200


class StructState(Struct):
    """State as a Struct."""

    hits: int = 0
    notes: str = ""


@dataclass
class DataState:
    """State as a dataclass."""

    hits: int = 0
    notes: str = ""
    tags: list[str] = field(default_factory=list)


class ModelState(pydantic.BaseModel):
    """State as a pydantic model."""

    hits: int = 0
    notes: str = ""


class DictState(TypedDict, total=False):
    """State as a dict with known members."""

    hits: int


class NeedyState(Struct):
    """A state without a default."""

    hits: int


TYPED: list[Any] = [StructState, DataState, ModelState]


def held(events: list[Event], start: Any = None) -> Any:
    """The state of a client that has seen `events`."""
    state = {} if start is None else start
    for event in events:
        if isinstance(event, StateSnapshot):
            state = event.snapshot
        elif isinstance(event, StateDelta):
            state = apply_patch(state, event.delta)
    return state


def make(state: Any = UNSET, state_type: Any = None) -> tuple[Ctx, Any]:
    return RunContext.for_test(given(state=state), state_type=state_type)


@pytest.mark.parametrize("state_type", TYPED)
@pytest.mark.parametrize("state", [UNSET, None, {}])
def test_no_state_gives_the_default(state_type: Any, state: Any) -> None:
    ctx, _ = make(state, state_type)
    assert ctx.state == state_type()


@pytest.mark.parametrize("state_type", TYPED)
def test_the_state_is_typed_and_published_whole(state_type: Any) -> None:
    ctx, events = make({"hits": 7}, state_type)
    ctx.state.hits += 1
    ctx.publish_state()
    assert sequence(list(events)) == "SS"
    assert events[0].snapshot["hits"] == 8


@pytest.mark.parametrize("state_type", [*TYPED, DictState, dict[str, int], NeedyState])
def test_a_state_that_does_not_fit_ends_the_run_before_the_agent(state_type: Any) -> None:
    class Agent:
        def __init__(self) -> None:
            self.state_type = state_type

        async def run(self, ctx: Ctx) -> None:
            raise AssertionError("called")

    events = events_of(Agent(), given(state={"hits": "seven"}))
    assert sequence(events) == "RS RE(SERIALIZATION)"
    place = "$[...]" if state_type == dict[str, int] else "hits"
    assert place in failure(events).message
    assert "seven" not in failure(events).message


def test_a_state_without_default_needs_one_from_the_client() -> None:
    with pytest.raises(StateError, match="NeedyState has no default"):
        make({}, NeedyState)
    assert make({"hits": 1}, NeedyState)[0].state.hits == 1


def test_untyped_state_is_any_json_and_the_agents_own() -> None:
    given_state = {"list": [1, {"deep": [2]}]}
    ctx, _ = make(given_state)
    ctx.state["list"][1]["deep"].append(3)
    assert given_state == {"list": [1, {"deep": [2]}]}
    assert make([1])[0].state == [1]


@pytest.mark.parametrize("state_type", [*TYPED, dict[str, Any]])
def test_a_small_change_of_a_large_state_is_a_delta(state_type: Any) -> None:
    ctx, events = make({"hits": 1, "notes": NOTES}, state_type)
    ctx.publish_state()
    if isinstance(ctx.state, dict):
        ctx.state["hits"] = 2
    else:
        ctx.state.hits = 2
    ctx.publish_state()
    ctx.publish_state()
    assert sequence(list(events)) == "SS SD"
    assert events[1].delta == [{"op": "replace", "path": "/hits", "value": 2}]


def test_a_patch_that_is_not_smaller_is_a_snapshot() -> None:
    ctx, events = make({"a": 1})
    ctx.publish_state()
    ctx.set_state({"b": 2})
    assert sequence(list(events)) == "SS SS"


def test_the_same_value_again_is_nothing() -> None:
    ctx, events = make()
    ctx.set_state({"a": 1})
    ctx.set_state({"a": 1})
    assert sequence(list(events)) == "SS"


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (1, True), (0, False), (1.0, True)])
def test_numbers_and_booleans_differ(old: Any, new: Any) -> None:
    ctx, events = make({"value": old, "notes": NOTES})
    ctx.publish_state()
    ctx.state["value"] = new
    ctx.publish_state()
    assert sequence(list(events)) == "SS SD"


def test_a_snapshot_can_be_asked_for() -> None:
    ctx, events = make({"a": 1, "notes": NOTES})
    ctx.publish_state()
    ctx.publish_state(snapshot=True)
    assert sequence(list(events)) == "SS SS"


def test_a_list_that_shrinks_is_three_removals() -> None:
    ctx, events = make({"list": [1, 2, 3, 4], "notes": NOTES})
    ctx.publish_state()
    ctx.state["list"] = [1]
    ctx.publish_state()
    assert events[1].delta == [{"op": "remove", "path": "/list/1"}] * 3


@pytest.mark.parametrize(
    ("title", "expected"), [("a", "SS SS"), ("a long title of a long task " * 4, "SS SD")]
)
def test_the_bytes_decide(title: str, expected: str) -> None:
    ctx, events = make({"tasks": [], "nextId": 1})
    for number in (1, 2):
        ctx.state["tasks"].append({"id": number, "title": title})
        ctx.state["nextId"] = number + 1
        ctx.publish_state()
    assert sequence(list(events)) == expected


def test_update_state_changes_in_place_or_replaces() -> None:
    ctx, events = make({"hits": 1}, StructState)

    def count(state: StructState) -> None:
        state.hits += 1

    ctx.update_state(count)
    ctx.update_state(lambda state: StructState(state.hits + 1))
    assert ctx.state.hits == 3
    assert held(list(events))["hits"] == 3


def test_the_baseline_follows_what_was_emitted_by_hand() -> None:
    ctx, events = make({"a": 1, "notes": NOTES})
    ctx.publish_state()
    ctx.emit(StateSnapshot({"a": 5, "notes": NOTES, "other": True}))
    ctx.emit(StateDelta([{"op": "remove", "path": "/other"}]))
    ctx.publish_state()
    assert sequence(list(events)) == "SS SS SD SD"
    assert held(list(events)) == {"a": 1, "notes": NOTES}


def test_the_baseline_stays_when_nothing_went_out() -> None:
    class Refusing(Transformer):
        def __init__(self) -> None:
            self.refuse = False

        def transform(self, event: Event) -> Event | None:
            drop, self.refuse = self.refuse, isinstance(event, StateSnapshot)
            return None if drop and isinstance(event, StateDelta) else event

    async def agent(ctx: Ctx) -> None:
        for hits in (1, 2, 3):
            ctx.set_state({"hits": hits, "notes": NOTES})

    events = events_of(agent, transformers=[Refusing])
    assert sequence(events) == "RS SS SD RF"
    assert held(events)["hits"] == 3


def test_the_baseline_stays_after_a_refused_publication() -> None:
    ctx, events = make()
    ctx.set_state({"a": 1, "notes": NOTES})
    ctx.state["bad"] = object()
    with pytest.raises(Exception, match="JSON"):
        ctx.publish_state()
    del ctx.state["bad"]
    ctx.state["a"] = 2
    ctx.publish_state()
    assert held(list(events)) == ctx.state


class Promoting(Transformer):
    """Adds a state event of its own behind each snapshot."""

    def __init__(self, made: Event) -> None:
        self._made = made

    def transform(self, event: Event) -> Any:
        return [event, self._made] if isinstance(event, StateSnapshot) else event


@pytest.mark.parametrize(
    "made",
    [
        StateSnapshot({"hits": 100, "notes": NOTES}),
        StateDelta([{"op": "add", "path": "/more", "value": 1}]),
    ],
)
def test_the_baseline_follows_transformers(made: Event) -> None:
    async def agent(ctx: Ctx) -> None:
        for hits in (1, 2):
            ctx.set_state({"hits": hits, "notes": NOTES})

    events = events_of(agent, transformers=[lambda: Promoting(made)])
    assert sequence(events[3:]) == "SD RF"
    assert held(events) == {"hits": 2, "notes": NOTES}


def test_after_a_transformers_delta_that_does_not_apply_comes_a_snapshot() -> None:
    bad = StateDelta([{"op": "replace", "path": "/nowhere", "value": 1}])

    async def agent(ctx: Ctx) -> None:
        for hits in (1, 2):
            ctx.set_state({"hits": hits, "notes": NOTES})

    events = events_of(agent, transformers=[lambda: Promoting(bad)])
    assert sequence(events) == "RS SS SD SS SD RF"


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/steps", "value": []},
        {"op": "add", "path": "/todos/-", "value": "x"},
        {"op": "test", "path": "/a", "value": 1},
    ],
)
@pytest.mark.parametrize("state", [UNSET, {}])
def test_a_delta_by_hand_that_does_not_apply_is_refused(
    operation: dict[str, Any], state: Any
) -> None:
    ctx, events = make(state)
    with pytest.raises(PatchError):
        ctx.emit(StateDelta([operation]))
    with ctx.step("s") as step, pytest.raises(PatchError):
        step.emit(StateDelta([operation]))
    assert sequence(list(events)) == "XS XF"


def test_a_delta_by_hand_applies_to_the_state_of_the_input() -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.emit(StateDelta([{"op": "add", "path": "/todos/-", "value": "x"}]))
        ctx.emit(StateDelta([{"op": "replace", "path": "/todos/0", "value": "y"}]))

    assert sequence_of(agent, given(state={"todos": []})) == "RS SD SD RF"
    assert sequence_of(agent, given(state={})) == "RS RE(PROTOCOL_VIOLATION)"


def test_publishing_after_cancellation_is_refused() -> None:
    ctx, events = make()
    ctx.token.cancel()
    with pytest.raises(RunCancelledError):
        ctx.set_state({"a": 1})
    assert not events


@settings(max_examples=60)
@examples(JSON, JSON, JSON)
def test_a_client_always_ends_up_with_the_state(first: Any, second: Any, third: Any) -> None:
    ctx, events = make()
    for value in (first, second, third):
        ctx.set_state({"value": value, "notes": NOTES})
    assert same(held(list(events)), {"value": third, "notes": NOTES})


def test_concurrent_runs_do_not_share_the_state_of_one_input() -> None:
    input = given(state={"seen": []})

    async def agent(ctx: Ctx) -> None:
        ctx.state["seen"].append(1)
        await asyncio.sleep(0)
        assert ctx.state == {"seen": [1]}

    async def scenario() -> list[str]:
        runs = [Run(agent, input, Options(limits=Limits()), CancelToken()) for _ in range(20)]
        for run in runs:
            run.start()
        return [sequence(await first_of(run, 1) + await rest_of(run)) for run in runs]

    assert set(asyncio.run(scenario())) == {"RS RF"}
