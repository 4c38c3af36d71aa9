"""The token, and what an agent can do with it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.agent import CancelToken, Limits, Options, Run, RunContext, Runner, run
from gateway.agent.cancellation import Reason
from gateway.errors import RunCancelledError
from tests.agent.runs import first_of, given, rest_of, sequence, until

Ctx = RunContext[Any]


def test_the_first_reason_stays() -> None:
    token = CancelToken()
    assert not token.tripped
    assert token.cancel("deadline", "too long")
    assert not token.cancel("stopped", "again")
    assert token.detail == "too long"
    assert str(token.reason) == "deadline"


def test_an_unknown_reason_is_refused() -> None:
    wrong: Any = "bored"
    with pytest.raises(ValueError, match="client-left, stopped, deadline, shutdown"):
        CancelToken().cancel(wrong)


def test_callbacks_run_once_or_at_once_and_can_be_forgotten() -> None:
    token, calls = CancelToken(), list[str]()
    token.on_cancel(lambda: calls.append("kept"))
    forget = token.on_cancel(lambda: calls.append("forgotten"))
    forget()
    forget()
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: calls.append("late"))()
    assert calls == ["kept", "late"]


def test_waiting_ends_with_the_reason() -> None:
    async def scenario() -> Reason:
        token = CancelToken()
        waiting = asyncio.ensure_future(token.wait())
        await asyncio.sleep(0)
        token.cancel("shutdown")
        assert await token.wait() == "shutdown"
        return await waiting

    assert asyncio.run(scenario()) == "shutdown"


def test_until_cancelled_gives_the_result_or_none() -> None:
    async def scenario() -> None:
        token = CancelToken()
        assert await token.until_cancelled(asyncio.sleep(0, 7)) == 7
        endless = asyncio.ensure_future(asyncio.Event().wait())
        waiting = asyncio.ensure_future(token.until_cancelled(endless))
        await asyncio.sleep(0)
        token.cancel()
        assert await waiting is None
        assert endless.cancelled()
        assert await token.until_cancelled(asyncio.Event().wait()) is None

    asyncio.run(scenario())


def test_until_cancelled_lets_other_cancellations_pass() -> None:
    async def scenario() -> None:
        token = CancelToken()
        work = asyncio.ensure_future(asyncio.Event().wait())
        waiting = asyncio.ensure_future(token.until_cancelled(work))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert work.cancelled()

    asyncio.run(scenario())


def test_until_cancelled_passes_errors_on() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(CancelToken().until_cancelled(broken()))


def test_an_agent_that_waits_until_cancelled_goes_on_and_can_clean_up() -> None:
    seen: list[object] = []

    async def agent(ctx: Ctx) -> None:
        ctx.say("waiting")
        seen.append(await ctx.until_cancelled(asyncio.Event().wait()))
        await asyncio.sleep(0.01)  # its clean-up may wait
        seen.append(ctx.cancelled)
        ctx.say("refused")

    async def scenario() -> str:
        run = Run(agent, given())
        run.start()
        events = await first_of(run, 4)
        run.cancel()
        return sequence(events + await rest_of(run))

    assert asyncio.run(scenario()) == "RS TS TC TE RF"
    assert seen == [None, True]


def test_check_cancelled_raises() -> None:
    ctx, _ = RunContext.for_test()
    ctx.check_cancelled()
    ctx.token.cancel()
    with pytest.raises(RunCancelledError):
        ctx.check_cancelled()


class Waiting:
    """Waits, and notes how it was left."""

    def __init__(self) -> None:
        self.left: list[bool] = []

    async def run(self, ctx: Ctx) -> None:
        ctx.say("x")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.left.append(ctx.cancelled)


def test_leaving_the_iterator_cancels_the_agent() -> None:
    agent = Waiting()

    async def scenario() -> None:
        async for event in run(agent, given()):
            if event.type == "TEXT_MESSAGE_END":
                break
        await until(lambda: agent.left)

    asyncio.run(scenario())
    assert agent.left == [True]


def test_cancelling_the_consumer_cancels_the_agent_and_waits_for_it() -> None:
    agent = Waiting()

    async def scenario() -> None:
        async def consume() -> None:
            async for _ in run(agent, given()):
                pass

        task = asyncio.ensure_future(consume())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert agent.left == [True]

    asyncio.run(scenario())


def test_a_run_that_is_over_lets_go_of_its_token() -> None:
    token = CancelToken()

    async def silent(ctx: Ctx) -> None:
        pass

    async def scenario() -> None:
        async for _ in Runner(silent).run(given(), token):
            pass

    asyncio.run(scenario())
    assert not token._callbacks


def test_no_timer_is_left_when_a_cancelled_run_is_over() -> None:
    async def scenario() -> None:
        limits = Limits(run_timeout=3600, idle_timeout=3600, first_event_timeout=3600, grace=3600)
        run = Run(Waiting(), given(), Options(limits=limits))
        run.start()
        await first_of(run, 4)
        run.cancel()
        await rest_of(run)
        loop: Any = asyncio.get_running_loop()
        assert [timer for timer in loop._scheduled if not timer.cancelled()] == []

    asyncio.run(scenario())
