"""Lifespans of agents."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from gateway.agent import RunContext
from gateway.server.lifespans import AgentLifespan
from tests.server.asgi import run, turn


class Pooled:
    """An agent whose lifespan notes what happens, and fails as often as it is told."""

    def __init__(self, failures: int = 0) -> None:
        self.log: list[str] = []
        self.failures = failures

    async def run(self, ctx: RunContext[Any]) -> None:
        """Do nothing."""

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        return self._lifespan()

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        task = asyncio.current_task()
        self.log.append("enter")
        if self.failures:
            self.failures -= 1
            raise ConnectionError("no database")
        yield
        assert asyncio.current_task() is task
        self.log.append("leave")


def test_a_lifespan_is_entered_once_and_left() -> None:
    async def scenario() -> list[str]:
        agent = Pooled()
        lifespan = AgentLifespan(agent)
        await asyncio.gather(lifespan.enter(), lifespan.enter())
        await lifespan.enter()
        await lifespan.leave()
        return agent.log

    assert run(scenario()) == ["enter", "leave"]


def test_a_lifespan_that_failed_is_tried_again() -> None:
    async def scenario() -> list[str]:
        agent = Pooled(failures=1)
        lifespan = AgentLifespan(agent)
        with pytest.raises(ConnectionError):
            await lifespan.enter()
        await lifespan.enter()
        await lifespan.leave()
        return agent.log

    assert run(scenario()) == ["enter", "enter", "leave"]


def test_one_waiter_that_is_cancelled_does_not_cancel_the_others() -> None:
    async def scenario() -> list[str]:
        agent = Pooled()
        lifespan = AgentLifespan(agent)
        first = asyncio.ensure_future(lifespan.enter())
        second = asyncio.ensure_future(lifespan.enter())
        await turn()
        first.cancel()
        await second
        await lifespan.leave()
        return agent.log

    assert run(scenario()) == ["enter", "leave"]


def test_an_agent_without_a_lifespan_has_nothing_to_enter() -> None:
    async def agent(ctx: RunContext[Any]) -> None:
        """Do nothing."""

    async def scenario() -> None:
        lifespan = AgentLifespan(agent)
        await lifespan.enter()
        await lifespan.leave()

    run(scenario())
