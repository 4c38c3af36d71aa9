"""Bounds of a run: seconds, events, bytes, and output that nobody takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from gateway.agent import Limits, Options, Run, RunContext
from gateway.agent.options import Encoding
from gateway.errors import LimitError
from gateway.protocol.events import Custom, Event, TextMessageContent, TextMessageStart
from tests.agent.runs import events_of, failure, first_of, given, sequence, until

Ctx = RunContext[Any]
ENCODINGS: list[Encoding] = ["events", "sse", "protobuf"]


async def never(ctx: Ctx) -> None:
    await asyncio.Event().wait()


async def speaks_then_never(ctx: Ctx) -> None:
    ctx.say("x")
    await asyncio.Event().wait()


async def speaks_now_and_then(ctx: Ctx) -> None:
    for _ in range(8):
        await asyncio.sleep(0.02)
        ctx.say("x")


@pytest.mark.parametrize(
    ("agent", "limits", "expected", "text"),
    [
        (never, Limits(run_timeout=0.05), "RS RE(TIMEOUT)", "longer than 0.05 seconds"),
        (speaks_then_never, Limits(run_timeout=0.05), "RS TS TC TE RE(TIMEOUT)", "longer"),
        (never, Limits(first_event_timeout=0.05), "RS RE(TIMEOUT)", "no first event within 0.05"),
        (never, Limits(idle_timeout=0.05), "RS RE(TIMEOUT)", "nothing for 0.05 seconds"),
        (speaks_then_never, Limits(idle_timeout=0.05), "RS TS TC TE RE(TIMEOUT)", "nothing for"),
    ],
)
def test_a_run_that_takes_too_long_ends(
    agent: Any, limits: Limits, expected: str, text: str
) -> None:
    events = events_of(agent, limits=limits)
    assert sequence(events) == expected
    assert text in failure(events).message


def test_an_agent_that_speaks_is_not_idle() -> None:
    limits = Limits(idle_timeout=0.1, first_event_timeout=0.1)
    assert sequence(events_of(speaks_now_and_then, limits=limits)).endswith("TE RF")


def test_a_viewer_that_does_not_read_makes_no_agent_idle() -> None:
    async def agent(ctx: Ctx) -> None:
        ctx.custom("app.large", "x" * 10_000)
        await ctx.drain()
        ctx.say("done")

    async def scenario() -> str:
        limits = Limits(idle_timeout=0.05, high_water=1000)
        run = Run(agent, given(), Options(limits=limits))
        run.start()
        await asyncio.sleep(0.2)  # the viewer is away
        events = await first_of(run, 6)
        await run.closed()
        return sequence(events)

    assert asyncio.run(scenario()) == "RS CU TS TC TE RF"


async def floods(ctx: Ctx) -> None:
    with ctx.message() as message:
        while True:
            message.delta("x" * 1000)


async def floods_events(ctx: Ctx) -> None:
    ctx.emit(TextMessageStart("m"))
    while True:
        ctx.emit(TextMessageContent("m", "x" * 1000))


async def floods_values(ctx: Ctx) -> None:
    while True:
        ctx.emit(Custom("app.x", ["x" * 1000]))


async def flood_of_a_generator(ctx: Ctx) -> AsyncIterator[Event]:
    yield TextMessageStart("m")
    while True:
        yield TextMessageContent("m", "x" * 1000)


async def outcome_of(agent: Any, limits: Limits, encoding: Encoding) -> str:
    """The code of the run's RUN_ERROR, read by a viewer that keeps up."""
    run = Run(agent, given(), Options(limits=limits, encoding=encoding))
    run.start()
    read = run.read_events if encoding == "events" else run.read
    while await read():
        pass
    await run.closed()
    assert run.ending is not None
    return run.ending.code


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("agent", [floods, floods_events, floods_values])
def test_an_agent_that_only_emits_is_ended(agent: Any, encoding: Encoding) -> None:
    limits = Limits(max_pending=100_000)
    assert asyncio.run(outcome_of(agent, limits, encoding)) == "LIMIT_EXCEEDED"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("agent", [floods, floods_events, floods_values, flood_of_a_generator])
@pytest.mark.parametrize("limits", [Limits(max_events=500), Limits(max_bytes=300_000)])
def test_a_run_is_bounded_in_events_and_bytes(
    agent: Any, limits: Limits, encoding: Encoding
) -> None:
    assert asyncio.run(outcome_of(agent, limits, encoding)) == "LIMIT_EXCEEDED"


def test_the_message_names_the_bound() -> None:
    assert "500 events" in failure(events_of(floods_events, limits=Limits(max_events=500))).message


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_generator_that_floods_is_held_back_and_not_ended(encoding: Encoding) -> None:
    async def agent(ctx: Ctx) -> AsyncIterator[Event]:
        yield TextMessageStart("m")
        for _ in range(2000):
            yield TextMessageContent("m", "x" * 1000)

    limits = Limits(high_water=50_000, max_pending=500_000)
    assert asyncio.run(outcome_of(agent, limits, encoding)) == ""


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_drain_waits_for_the_viewer(encoding: Encoding) -> None:
    sent = 0

    async def agent(ctx: Ctx) -> None:
        nonlocal sent
        with ctx.message() as message:
            while True:
                message.delta("x" * 10_000)
                sent += 1
                await ctx.drain()

    async def scenario() -> None:
        options = Options(limits=Limits(high_water=50_000), encoding=encoding)
        run = Run(agent, given(), options)
        run.start()
        await until(lambda: sent >= 5)
        for _ in range(20):
            await asyncio.sleep(0)
        held = sent
        assert held <= 7
        await (run.read_events() if encoding == "events" else run.read())
        await until(lambda: sent > held)
        run.cancel("client-left")
        await run.closed()

    asyncio.run(scenario())


def test_whoever_swallows_the_limit_gets_no_further() -> None:
    async def agent(ctx: Ctx) -> None:
        for _ in range(100):
            with suppress(LimitError):
                ctx.custom("app.x", "x" * 100)

    events = events_of(agent, limits=Limits(max_bytes=1000))
    assert 5 < len(events) < 15
    assert sequence(events).endswith("RE(LIMIT_EXCEEDED)")


def test_an_agent_that_stops_right_at_the_limit_has_not_gone_beyond() -> None:
    async def agent(ctx: Ctx) -> None:
        for _ in range(3):
            ctx.custom("app.x", 1)

    assert sequence(events_of(agent, limits=Limits(max_events=4))).endswith("RF")
