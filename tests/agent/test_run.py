"""A run: how it starts, and that it ends exactly once, whatever the agent does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from gateway.agent import CancelToken, Limits, Options, Run, RunContext, RunOutcome
from gateway.errors import AgentError, RunCancelledError
from gateway.protocol.base import UNSET
from gateway.protocol.events import (
    Custom,
    Event,
    RunError,
    RunFinished,
    RunStarted,
    StepStarted,
    TextMessageContent,
    TextMessageStart,
    ToolCallEnd,
)
from gateway.protocol.outcomes import (
    CancelledOutcome,
    Interrupt,
    InterruptOutcome,
    SuccessOutcome,
)
from gateway.protocol.usage import TokenUsage
from gateway_native.chain import Transformer
from tests.agent.runs import (
    bytes_of,
    events_of,
    failure,
    finish,
    first_of,
    given,
    rest_of,
    sequence,
    sequence_of,
    until,
)

Ctx = RunContext[Any]


class Harmful(BaseException):
    """No exception that anybody expects."""


async def silent(ctx: Ctx) -> None:
    """Does nothing."""


async def says_x(ctx: Ctx) -> RunOutcome:
    ctx.say("x")
    return RunOutcome.success()


async def fails(ctx: Ctx) -> None:
    ctx.say("x")
    raise AgentError("svc down")


async def breaks(ctx: Ctx) -> None:
    raise KeyError("password=hunter2")


async def breaks_badly(ctx: Ctx) -> None:
    raise Harmful("password=hunter2")


async def breaks_in_a_group(ctx: Ctx) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails(ctx))


async def waits_for_something_cancelled(ctx: Ctx) -> None:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task


async def own_error(ctx: Ctx) -> None:
    ctx.emit(RunError("enough", "MINE"))


async def own_error_then_raises(ctx: Ctx) -> None:
    ctx.emit(TextMessageStart("m1"))
    ctx.emit(RunError("enough", "MINE"))
    raise ValueError("too late")


async def own_finish(ctx: Ctx) -> None:
    ctx.emit(TextMessageStart("m1"))
    ctx.emit(RunFinished("t", "r"))


async def own_finish_then_more(ctx: Ctx) -> None:
    ctx.emit(RunFinished("t", "r"))
    ctx.say("more")


async def second_start(ctx: Ctx) -> None:
    ctx.emit(RunStarted("t", "r"))


async def content_without_start(ctx: Ctx) -> None:
    ctx.emit(TextMessageContent("nowhere", "x"))


async def end_without_start(ctx: Ctx) -> None:
    ctx.emit(ToolCallEnd("t9"))


async def leaves_raw_things_open(ctx: Ctx) -> RunOutcome:
    ctx.emit(StepStarted("s"))
    ctx.emit(TextMessageStart("m1"))
    return RunOutcome.interrupt(Interrupt("i", "why"))


async def leaves_message(ctx: Ctx) -> None:
    ctx.message().delta("x")


async def leaves_reasoning(ctx: Ctx) -> None:
    ctx.reasoning().delta("x")


async def leaves_call(ctx: Ctx) -> None:
    ctx.tool_call("search").args("{}")


async def fails_inside(ctx: Ctx) -> None:
    with ctx.step("s"), ctx.message() as message:
        message.delta("x")
        raise AgentError("no")


async def returns_nonsense(ctx: Ctx) -> Any:
    return {"outcome": "success"}


def no_coroutine(ctx: Ctx) -> Any:
    return "done"


async def swallows_a_violation(ctx: Ctx) -> None:
    try:
        ctx.emit(ToolCallEnd("t9"))
    except Exception:
        ctx.say("never mind")


async def generator(ctx: Ctx) -> AsyncIterator[Event]:
    yield TextMessageStart("m1")
    yield TextMessageContent("m1", "x")


async def generator_that_fails(ctx: Ctx) -> AsyncIterator[Event]:
    yield TextMessageStart("m1")
    raise AgentError("no")


async def generator_of_text(ctx: Ctx) -> AsyncIterator[Any]:
    yield "hello"


ENDINGS = [
    (silent, "RS RF"),
    (says_x, "RS TS TC TE RF"),
    (fails, "RS TS TC TE RE(AGENT_ERROR)"),
    (breaks, "RS RE(AGENT_ERROR)"),
    (breaks_badly, "RS RE(AGENT_ERROR)"),
    (breaks_in_a_group, "RS TS TC TE RE(AGENT_ERROR)"),
    (waits_for_something_cancelled, "RS RE(CANCELLED)"),
    (own_error, "RS RE(MINE)"),
    (own_error_then_raises, "RS TS TE RE(MINE)"),
    (own_finish, "RS TS TE RF"),
    (own_finish_then_more, "RS RF"),
    (second_start, "RS RE(PROTOCOL_VIOLATION)"),
    (content_without_start, "RS RE(PROTOCOL_VIOLATION)"),
    (end_without_start, "RS RE(PROTOCOL_VIOLATION)"),
    (leaves_raw_things_open, "RS XS TS TE XF RF"),
    (leaves_message, "RS TS TC TE RF"),
    (leaves_reasoning, "RS BS MS MC ME BE RF"),
    (leaves_call, "RS CS CA CE RF"),
    (fails_inside, "RS XS TS TC TE XF RE(AGENT_ERROR)"),
    (returns_nonsense, "RS RE(AGENT_ERROR)"),
    (no_coroutine, "RS RE(AGENT_ERROR)"),
    (swallows_a_violation, "RS TS TC TE RF"),
    (generator, "RS TS TC TE RF"),
    (generator_that_fails, "RS TS TE RE(AGENT_ERROR)"),
    (generator_of_text, "RS RE(AGENT_ERROR)"),
]


@pytest.mark.parametrize(("agent", "expected"), ENDINGS, ids=lambda it: getattr(it, "__name__", ""))
def test_a_run_ends_once_and_in_order(agent: Any, expected: str) -> None:
    assert sequence_of(agent) == expected


@pytest.mark.parametrize(("agent", "expected"), ENDINGS, ids=lambda it: getattr(it, "__name__", ""))
def test_its_bytes_say_the_same(agent: Any, expected: str) -> None:
    frames = asyncio.run(bytes_of(agent)).split(b"\n\n")[:-1]
    assert len(frames) == len(expected.split())
    assert all(frame.startswith(b'data: {"type":') for frame in frames)


def test_the_first_event_is_there_before_the_agent_has_done_anything() -> None:
    async def scenario() -> None:
        async def slow(ctx: Ctx) -> None:
            await asyncio.sleep(30)

        run = Run(slow, given())
        run.start()
        assert sequence(await run.read_events()) == "RS"
        run.cancel("client-left")
        await run.closed()

    asyncio.run(scenario())


def test_success_is_said_in_so_many_words() -> None:
    assert finish(events_of(silent)).outcome == SuccessOutcome()


def test_an_agent_error_reaches_the_client_with_its_text_and_code() -> None:
    async def agent(ctx: Ctx) -> None:
        raise AgentError("svc down", "PROVIDER_ERROR")

    error = failure(events_of(agent))
    assert (error.message, error.code) == ("svc down", "PROVIDER_ERROR")


@pytest.mark.parametrize("agent", [breaks, breaks_badly])
def test_any_other_exception_goes_to_the_log_only(
    agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    error = failure(events_of(agent))
    assert error.message == "the agent failed"
    assert "hunter2" in caplog.text


@pytest.mark.parametrize("agent", [breaks, breaks_badly])
def test_a_setting_exposes_its_text(agent: Any) -> None:
    assert "hunter2" in failure(events_of(agent, expose_errors=True)).message


@pytest.mark.parametrize("error", [AgentError(""), AgentError("", ""), ValueError(), OSError("")])
def test_an_error_always_says_something(error: Exception) -> None:
    async def agent(ctx: Ctx) -> None:
        raise error

    said = failure(events_of(agent))
    assert said.message
    assert said.code


def test_a_second_terminal_is_swallowed_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert failure(events_of(own_error_then_raises)).message == "enough"
    assert "too late" in caplog.text


def test_a_violation_names_event_rule_and_id() -> None:
    message = failure(events_of(end_without_start)).message
    assert all(part in message for part in ("TOOL_CALL_END", "not-open", "t9"))


def test_an_interrupt_is_the_outcome() -> None:
    interrupt = Interrupt(
        "i",
        "tool_approval",
        message="May I?",
        tool_call_id="c1",
        response_schema={"type": "object"},
        expires_at="2030-01-01T00:00:00Z",
        metadata={"a": None},
    )

    async def agent(ctx: Ctx) -> RunOutcome:
        ctx.say("May I?")
        return RunOutcome.interrupt([interrupt])

    assert finish(events_of(agent)).outcome == InterruptOutcome([interrupt])


def test_result_and_usage_stand_on_the_terminal() -> None:
    async def agent(ctx: Ctx) -> RunOutcome:
        for _ in range(2):
            ctx.usage(TokenUsage(provider="p", model="a", input_tokens=1, output_tokens=2))
        ctx.usage(TokenUsage(provider="p", model="b", output_tokens=0))
        return RunOutcome.success({"answer": 42})

    last = finish(events_of(agent))
    assert last.result == {"answer": 42}
    assert last.usage == [
        TokenUsage(provider="p", model="a", input_tokens=2, output_tokens=4),
        TokenUsage(provider="p", model="b", output_tokens=0),
    ]


def test_usage_is_told_of_failed_and_cancelled_runs_too() -> None:
    token = CancelToken()

    async def agent(ctx: Ctx) -> None:
        ctx.usage(TokenUsage(model="a", input_tokens=1))
        if ctx.last_user_text == "cancel":
            token.cancel()
            await asyncio.sleep(60)
        raise AgentError("no")

    expected = [TokenUsage(model="a", input_tokens=1)]
    assert failure(events_of(agent)).usage == expected
    assert finish(events_of(agent, given("cancel"), token=token)).usage == expected


@pytest.mark.parametrize("encoding", ["events", "sse"])
def test_a_result_that_is_no_json_ends_as_serialization(encoding: str) -> None:
    async def agent(ctx: Ctx) -> RunOutcome:
        return RunOutcome.success({"answer": object()})

    if encoding == "events":
        assert sequence_of(agent) == "RS RE(SERIALIZATION)"
    else:
        assert b'"code":"SERIALIZATION"' in asyncio.run(bytes_of(agent))


@pytest.mark.parametrize("encoding", ["events", "sse"])
def test_a_value_that_is_no_json_is_refused_where_it_is_emitted(encoding: str) -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.custom("app.bad", object())

    if encoding == "events":
        assert sequence_of(agent) == "RS RE(SERIALIZATION)"
    else:
        assert b'"code":"SERIALIZATION"' in asyncio.run(bytes_of(agent))


def test_the_input_is_echoed_on_request_only() -> None:
    input = given()
    first = events_of(silent, input)[0]
    echoed = events_of(silent, input, echo_input=True)[0]
    assert isinstance(first, RunStarted)
    assert isinstance(echoed, RunStarted)
    assert not first.input
    assert echoed.input == input


def test_front_end_calls_left_unanswered_are_listed() -> None:
    async def agent(ctx: Ctx) -> None:
        first, second = ctx.tool_call("f1"), ctx.tool_call("f2")
        second.args("{}")
        first.args("{}")
        first.end()
        second.end()
        ctx.tool_call("own").result("done")

    assert finish(events_of(agent)).outcome == SuccessOutcome(["r-call-1", "r-call-2"])


def test_what_an_agent_does_to_a_value_later_changes_no_event() -> None:
    async def agent(ctx: Ctx) -> RunOutcome:
        value: dict[str, Any] = {"list": [1]}
        ctx.custom("app.value", value)
        ctx.emit(Custom("app.raw", value))
        ctx.activity("a", value)
        ctx.set_state(value)
        value["list"].append(2)
        return RunOutcome.success(value)

    events = events_of(agent)
    assert [getattr(e, "value", None) for e in events[1:3]] == [{"list": [1]}] * 2
    assert [e for e in events if "[1, 2]" in repr(e)] == [events[-1]]


def test_a_run_cancelled_before_it_began_ends_as_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    events = events_of(says_x, token=token)
    assert sequence(events) == "RS RF"  # the agent was not called
    assert finish(events).outcome == CancelledOutcome()


def test_a_run_cancelled_before_its_first_turn_ends_as_cancelled() -> None:
    async def scenario() -> list[Event]:
        run = Run(says_x, given())
        run.start()
        run.cancel("stopped")
        return await rest_of(run)

    assert sequence(asyncio.run(scenario())) == "RS RF"


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("client-left", "RS TS TC TE RF"),
        ("stopped", "RS TS TC TE RF"),
        ("deadline", "RS TS TC TE RE(TIMEOUT)"),
        ("shutdown", "RS TS TC TE RE(SHUTTING_DOWN)"),
    ],
)
def test_the_reason_decides_how_a_cancelled_run_ends(reason: Any, expected: str) -> None:
    cleaned = []

    async def agent(ctx: Ctx) -> None:
        message = ctx.message()
        message.delta("one")
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(ctx.cancelled)

    async def scenario() -> list[Event]:
        run = Run(agent, given())
        run.start()
        events = await first_of(run, 3)
        run.cancel(reason)
        return events + await rest_of(run)

    events = asyncio.run(scenario())
    assert sequence(events) == expected
    assert cleaned == [True]
    if expected.endswith("RF"):
        assert finish(events).outcome == CancelledOutcome()


def test_nothing_emitted_after_cancellation_goes_out() -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.say("one")
        ctx.token.cancel()
        ctx.say("two")

    events = events_of(agent)
    assert sequence(events) == "RS TS TC TE RF"
    assert finish(events).outcome == CancelledOutcome()


def test_a_cancelled_run_is_no_success_even_if_its_agent_returns_one() -> None:
    async def agent(ctx: Ctx) -> RunOutcome:
        message = ctx.message()
        ctx.token.cancel()
        with suppress(RunCancelledError):
            message.delta("x")
        return RunOutcome.success()

    events = events_of(agent)
    assert sequence(events) == "RS TS TE RF"
    assert finish(events).outcome == CancelledOutcome()


def test_older_clients_are_told_of_a_stop_by_metadata(caplog: pytest.LogCaptureFixture) -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.token.cancel()
        await asyncio.sleep(60)

    last = finish(events_of(agent, given(protocol_version="1.0")))
    old = finish(events_of(agent, given(protocol_version=UNSET)))
    assert last.outcome == CancelledOutcome()
    assert not old.outcome
    assert old.metadata == {"reason": "cancelled"}
    assert "0.x era" in caplog.text
    assert b"outcome" not in asyncio.run(bytes_of(agent, given(protocol_version=UNSET)))


def test_an_agent_that_gives_up_by_itself_ends_as_cancelled_error() -> None:
    async def agent(ctx: Ctx) -> None:
        raise RunCancelledError("stopped")

    assert sequence_of(agent) == "RS RE(CANCELLED)"


def test_an_agent_that_ignores_cancellation_is_abandoned() -> None:
    released = asyncio.Event()

    async def stubborn(ctx: Ctx) -> None:
        ctx.say("never mind")
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    async def scenario() -> tuple[list[Event], asyncio.Task[None]]:
        run = Run(stubborn, given(), Options(limits=Limits(grace=0.05)))
        run.start()
        events = await first_of(run, 4)
        run.cancel()
        events += await rest_of(run)
        (task,) = [t for t in asyncio.all_tasks() if t.get_name() == "run"]
        assert not task.done()
        released.set()
        await task
        return events, task

    events, _ = asyncio.run(scenario())
    assert sequence(events) == "RS TS TC TE RF"


def test_an_agent_that_goes_on_after_its_own_end_holds_nobody_up() -> None:
    interrupted = []

    async def agent(ctx: Ctx) -> None:
        ctx.emit(RunFinished("t", "r"))
        try:
            await asyncio.Event().wait()
        finally:
            interrupted.append(True)

    assert sequence_of(agent, limits=Limits(grace=0.05)) == "RS RF"
    assert interrupted == [True]


def test_work_after_the_own_end_is_done() -> None:
    done = []

    async def agent(ctx: Ctx) -> None:
        ctx.emit(RunFinished("t", "r"))
        await asyncio.sleep(0.01)
        done.append(True)

    assert sequence_of(agent) == "RS RF"
    assert done == [True]


def test_whoever_cancels_the_task_of_a_run_still_ends_the_stream() -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.message()
        await asyncio.Event().wait()

    async def scenario() -> list[Event]:
        run = Run(agent, given())
        run.start()
        events = await first_of(run, 2)
        for task in asyncio.all_tasks():
            if task.get_name() == "run":
                task.cancel()
        return events + await rest_of(run)

    assert sequence(asyncio.run(scenario())) == "RS TS TE RE(CANCELLED)"


class Failing(Transformer):
    """Fails at one kind of event."""

    def __init__(self, type: str) -> None:
        self._type = type

    def transform(self, event: Event) -> Event:
        if event.type == self._type:
            raise ValueError("password=hunter2")
        return event


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("RUN_STARTED", "RE(TRANSFORMER_ERROR)"),
        ("TEXT_MESSAGE_START", "RS RE(TRANSFORMER_ERROR)"),
        ("TEXT_MESSAGE_CONTENT", "RS TS TE RE(TRANSFORMER_ERROR)"),
        ("TEXT_MESSAGE_END", "RS TS TC TE RE(TRANSFORMER_ERROR)"),
        ("RUN_FINISHED", "RS TS TC TE RE(TRANSFORMER_ERROR)"),
    ],
)
def test_a_failing_transformer_ends_the_run_without_telling_why(type: str, expected: str) -> None:
    events = events_of(says_x, transformers=[lambda: Failing(type)])
    assert sequence(events) == expected
    assert "hunter2" not in failure(events).message
    assert type in failure(events).message


def test_a_generator_is_closed_when_its_event_is_refused() -> None:
    closed = []

    async def agent(ctx: Ctx) -> AsyncIterator[Event]:
        try:
            yield ToolCallEnd("t9")
        finally:
            closed.append(True)

    assert sequence_of(agent) == "RS RE(PROTOCOL_VIOLATION)"
    assert closed == [True]


def test_a_generator_waits_for_its_reader() -> None:
    made = 0

    async def agent(ctx: Ctx) -> AsyncIterator[Event]:
        nonlocal made
        yield TextMessageStart("m")
        while True:
            made += 1
            yield TextMessageContent("m", "x" * 1000)

    async def scenario() -> None:
        run = Run(agent, given(), Options(limits=Limits(high_water=10_000)))
        run.start()
        await run.read_events()
        await until(lambda: made > 5)
        for _ in range(50):
            await asyncio.sleep(0)
        assert made < 300
        run.cancel("client-left")
        await run.closed()

    asyncio.run(scenario())


def test_nothing_is_logged_of_a_cancelled_run(caplog: pytest.LogCaptureFixture) -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.token.cancel()
        ctx.say("x")

    with caplog.at_level(logging.WARNING):
        events_of(agent)
    assert not caplog.records
