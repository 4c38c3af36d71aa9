"""Sessions: what is kept across runs, tools of the front end, interrupts, updates."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from gateway.agent import RunContext, RunOutcome
from gateway.client import (
    Client,
    CustomReceived,
    Ended,
    RecordedTransport,
    Session,
    StateChanged,
    StepChanged,
    SyncClient,
    TextChanged,
    ToolAnswered,
    ToolCallReady,
    Update,
)
from gateway.client.interrupts import require_answers
from gateway.errors import InterruptError, RunFailedError, TruncatedRunError
from gateway.protocol.base import UNSET
from gateway.protocol.events import Event, RunError
from gateway.protocol.input import ResumeEntry, Tool
from gateway.protocol.messages import ToolMessage, UserMessage
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.usage import TokenUsage
from tests.client.upstream import finished, frames, started, text
from tests.server.asgi import run

TOOL = Tool("get_weather", "The weather of a city", {"type": "object"})


async def _all(updates: AsyncIterator[Update]) -> list[Update]:
    return [update async for update in updates]


def _session(agent: Any, **options: Any) -> Session:
    ids = count(1)
    return Session(Client(transport=agent), "t1", new_id=lambda: f"id-{next(ids)}", **options)


def _sse(*events: dict[str, Any]) -> bytes:
    return b"".join(frames(*events))


async def _weather(ctx: RunContext[Any]) -> None:
    """Calls a tool of the front end, and answers from its result."""
    last = ctx.messages[-1]
    if isinstance(last, ToolMessage):
        ctx.say(f"The weather: {last.content}")
        return
    with ctx.tool_call("get_weather") as call:
        call.args('{"city": "Busan"}')


async def _approve(ctx: RunContext[Any]) -> RunOutcome | None:
    if ctx.is_resume:
        entry = ctx.resume[0]
        ctx.say(f"{entry.status} {entry.payload!r}")
        return None
    return RunOutcome.interrupt(Interrupt("i1", "approval"))


async def _counter(ctx: RunContext[Any]) -> RunOutcome:
    ctx.set_state({"runs": ctx.state.get("runs", 0) + 1})
    ctx.usage(TokenUsage(model="m", input_tokens=2))
    return RunOutcome.success({"messages": len(ctx.messages)})


def test_messages_state_and_usage_go_on_from_run_to_run() -> None:
    async def scenario() -> None:
        session = _session(_counter)
        await _all(session.send("one"))
        updates = await _all(session.send("two"))
        ended = updates[-1]
        assert isinstance(ended, Ended)
        assert (ended.status, ended.result) == ("success", {"messages": 2})
        assert session.state == {"runs": 2}
        assert StateChanged({"runs": 2}) in updates
        assert session.usage == [TokenUsage(model="m", input_tokens=4)]
        assert [m.id for m in session.messages if isinstance(m, UserMessage)] == ["id-1", "id-3"]

    run(scenario())


def test_a_registered_tool_is_executed_and_its_result_sent_in_the_next_run() -> None:
    async def scenario() -> None:
        session = _session(_weather)
        session.add_tool(TOOL, lambda arguments: f"sunny in {arguments['city']}")
        updates = await _all(session.send("Busan?"))
        ready = next(u for u in updates if isinstance(u, ToolCallReady))
        assert (ready.name, ready.arguments) == ("get_weather", '{"city": "Busan"}')
        assert ToolAnswered(ready.id, "sunny in Busan") in updates
        ends = [u for u in updates if isinstance(u, Ended)]
        assert [end.pending_calls for end in ends] == [[ready.id], []]
        assert session.last_text == "The weather: sunny in Busan"

    run(scenario())


def test_a_tool_may_be_a_coroutine_and_give_json() -> None:
    async def forecast(arguments: Any) -> Any:
        return {"sky": "clear", "for": arguments["city"]}

    async def scenario() -> None:
        session = _session(_weather)
        session.add_tool(TOOL, forecast)
        assert await session.ask("?") == 'The weather: {"sky":"clear","for":"Busan"}'

    run(scenario())


def test_a_tool_that_fails_tells_the_agent() -> None:
    def fail(arguments: Any) -> str:
        raise LookupError("no such city")

    async def scenario() -> None:
        session = _session(_weather)
        session.add_tool(TOOL, fail)
        updates = await _all(session.send("?"))
        (answer,) = [u for u in updates if isinstance(u, ToolAnswered)]
        assert answer.error == "LookupError: no such city"

    run(scenario())


def test_a_tool_without_a_function_waits_for_the_application() -> None:
    async def scenario() -> None:
        session = _session(_weather)
        session.add_tool(TOOL)
        (end,) = [u for u in await _all(session.send("?")) if isinstance(u, Ended)]
        session.answer_call(end.pending_calls[0], "rain")
        await _all(session.run())
        assert session.last_text == "The weather: rain"

    run(scenario())


def test_an_agent_that_calls_for_ever_is_stopped() -> None:
    async def again(ctx: RunContext[Any]) -> None:
        with ctx.tool_call("get_weather"):
            pass

    async def scenario() -> None:
        session = _session(again, max_rounds=3)
        session.add_tool(TOOL, lambda arguments: "x")
        updates = await _all(session.send("?"))
        assert sum(isinstance(u, Ended) for u in updates) == 3

    run(scenario())


def test_an_interrupt_must_be_answered_before_anything_else() -> None:
    async def scenario() -> None:
        session = _session(_approve)
        (*_, ended) = await _all(session.send("deploy"))
        assert isinstance(ended, Ended)
        assert ended.status == "interrupt"
        with pytest.raises(InterruptError, match="i1"):
            await _all(session.send("never mind"))
        assert len(session.messages) == 1
        await _all(session.resume({"i1": {"approved": True}}))
        assert session.last_text == "resolved {'approved': True}"
        assert session.pending_interrupts == []

    run(scenario())


def test_an_interrupt_can_be_abandoned() -> None:
    async def scenario() -> None:
        session = _session(_approve)
        await _all(session.send("deploy"))
        await _all(session.cancel())
        assert session.last_text == "cancelled UNSET"

    run(scenario())


@pytest.mark.parametrize(
    ("expires_at", "status", "late"),
    [
        ("2030-01-01T00:00:00Z", "resolved", False),
        ("2020-01-01T00:00:00Z", "resolved", True),
        ("2020-01-01T00:00:00Z", "cancelled", False),
        ("tomorrow", "resolved", False),
        (UNSET, "resolved", False),
    ],
)
def test_an_expired_interrupt_can_only_be_cancelled(
    expires_at: Any, status: Any, late: bool
) -> None:
    pending = [Interrupt("i1", "r", expires_at=expires_at)]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    if not late:
        require_answers(pending, [ResumeEntry("i1", status)], now)
        return
    with pytest.raises(InterruptError, match="expired"):
        require_answers(pending, [ResumeEntry("i1", status)], now)


def test_the_agents_error_ends_a_run_as_failed() -> None:
    async def failing(ctx: RunContext[Any]) -> AsyncIterator[Event]:
        yield RunError("out of credit", "PAYMENT")

    async def scenario() -> None:
        session = _session(failing)
        (ended,) = await _all(session.send("x"))
        assert isinstance(ended, Ended)
        assert (ended.status, ended.message, ended.code) == ("failed", "out of credit", "PAYMENT")
        with pytest.raises(RunFailedError, match="PAYMENT"):
            await session.ask("x")

    run(scenario())


def test_a_late_error_makes_a_finished_run_failed() -> None:
    late = {"type": "RUN_ERROR", "message": "after all"}

    async def scenario() -> None:
        session = _session(RecordedTransport(_sse(started(), finished(), late)))
        (ended,) = await _all(session.run())
        assert isinstance(ended, Ended)
        assert ended.status == "failed"

    run(scenario())


def test_what_came_before_a_fault_is_kept() -> None:
    async def scenario() -> None:
        session = _session(RecordedTransport(_sse(started(), *text("half")), b""))
        with pytest.raises(TruncatedRunError):
            await _all(session.send("x"))
        assert session.last_text == "half"
        with pytest.raises(TruncatedRunError):  # and the session can be used again
            await _all(session.run())

    run(scenario())


def test_updates_say_what_changed() -> None:
    events = [
        started(),
        {"type": "STEP_STARTED", "stepName": "think"},
        *text("a", "b"),
        {"type": "STEP_FINISHED", "stepName": "think"},
        {"type": "CUSTOM", "name": "n", "value": None},
        finished(),
    ]

    async def scenario() -> None:
        updates = await _all(_session(RecordedTransport(_sse(*events))).run())
        assert updates[:-1] == [
            StepChanged("think", True),
            TextChanged("m1", "started"),
            TextChanged("m1", "grown", "a"),
            TextChanged("m1", "grown", "b"),
            TextChanged("m1", "ended"),
            StepChanged("think", False),
            CustomReceived("n", None),
        ]

    run(scenario())


def test_one_request_at_a_time() -> None:
    async def scenario() -> None:
        session = _session(_counter)
        first = session.send("one")
        await anext(first)
        with pytest.raises(RuntimeError, match="one at a time"):
            await _all(session.send("two"))
        await first.aclose()  # type: ignore[attr-defined]
        assert await session.ask("three") == ""

    run(scenario())


def test_the_synchronous_client_needs_no_loop() -> None:
    with SyncClient(transport=_weather) as client:
        session = client.session("t1")
        session.session.add_tool(TOOL, lambda arguments: "sun")
        assert session.ask("?") == "The weather: sun"
        events = client.run({"threadId": "t", "runId": "r", "messages": [], "tools": []})
        with pytest.raises(IndexError):  # an agent that expects a message
            _ = [event.type for event in events][9]
        first = next(session.run())
        assert isinstance(first, TextChanged | ToolCallReady)
        client.close()


def test_the_synchronous_client_works_within_a_running_loop() -> None:
    async def scenario() -> str:
        with SyncClient(transport=_weather) as client:
            session = client.session("t1")
            session.session.add_tool(TOOL, lambda arguments: "sun")
            return session.ask("?")

    assert run(scenario()) == "The weather: sun"
