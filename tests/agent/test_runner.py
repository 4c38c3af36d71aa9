"""Running agents in this process, and their lifespans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from gateway.agent import Agents, RunContext, Runner, run
from gateway.agent.agent import capabilities_of, description_of, name_of
from gateway.protocol.capabilities import AgentCapabilities
from gateway.protocol.events import Event
from gateway_native.chain import Transformer
from tests.agent.runs import events_of, failure, given, sequence_of

Ctx = RunContext[Any]


class Pooled:
    """Opens a pool once a process.

    The rest is not its description.
    """

    capabilities = AgentCapabilities()

    def __init__(self) -> None:
        self.log: list[str] = []

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        self.log.append("open")
        try:
            yield
        finally:
            self.log.append("close")

    async def run(self, ctx: Ctx) -> None:
        self.log.append("run")


async def greet(ctx: Ctx) -> None:
    """Greets."""
    ctx.say("hello")


def test_an_entered_runner_opens_the_lifespan_once_for_all_runs() -> None:
    agent = Pooled()

    async def scenario() -> None:
        async with Runner(agent) as runner:
            for _ in range(2):
                async for _ in runner.run(given()):
                    pass
            with pytest.raises(RuntimeError):
                await runner.__aenter__()

    asyncio.run(scenario())
    assert agent.log == ["open", "run", "run", "close"]


def test_a_runner_that_is_not_entered_leaves_the_lifespan_alone() -> None:
    agent = Pooled()
    events_of(agent)
    assert agent.log == ["run"]


def test_a_runner_needs_no_lifespan() -> None:
    async def scenario() -> None:
        async with Runner(greet):
            pass

    asyncio.run(scenario())


def test_run_is_the_short_way() -> None:
    async def scenario() -> list[str]:
        async with aclosing(run(greet, given())) as events:
            return [event.type async for event in events]

    assert asyncio.run(scenario())[0] == "RUN_STARTED"


class Counting(Transformer):
    """Numbers all events of its run."""

    def __init__(self) -> None:
        self._count = 0

    def transform(self, event: Event) -> Event:
        self._count += 1
        return event.__replace__(timestamp=self._count)


def test_each_run_has_transformers_of_its_own() -> None:
    runner = Runner(greet, transformers=[Counting])

    async def scenario() -> list[list[Any]]:
        return [[event.timestamp async for event in runner.run(given())] for _ in range(2)]

    assert asyncio.run(scenario()) == [[1, 2, 3, 4, 5]] * 2


def test_a_class_is_no_agent() -> None:
    wrong: Any = Pooled
    events = events_of(wrong, expose_errors=True)
    assert "Pooled is a class: expected an instance" in failure(events).message


def test_a_function_that_is_neither_is_refused_with_advice(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Plain:
        def run(self, ctx: Ctx) -> Any:
            return None

    assert sequence_of(Plain()) == "RS RE(AGENT_ERROR)"
    assert "expected a coroutine or an async generator" in caplog.text
    assert "write it as `async def run(ctx)`" in caplog.text


def test_an_agent_is_named_and_described() -> None:
    assert description_of(Pooled()) == "Opens a pool once a process."
    assert description_of(greet) == "Greets."
    assert name_of(greet) == "greet"
    assert name_of(Pooled()) == "Pooled"
    assert capabilities_of(Pooled()) == AgentCapabilities()
    assert capabilities_of(greet) is None


def test_a_registry_is_frozen_and_checked() -> None:
    agents = Agents({"greet": greet, "pooled": Pooled()})
    assert list(agents) == ["greet", "pooled"]
    assert len(agents) == 2
    assert agents["greet"] is greet
    assert repr(agents) == "Agents(greet, pooled)"
    frozen: Any = agents
    with pytest.raises(TypeError):
        frozen["other"] = greet
    with pytest.raises(ValueError, match="expected letters"):
        Agents({"a/b": greet})
    wrong: Any = {"a": Pooled}
    with pytest.raises(TypeError, match="expected an object"):
        Agents(wrong)
