"""One call of an agent: awaited, or iterated and emitted for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from typing import Any

from gateway.agent.agent import AnyAgent, name_of, start
from gateway.agent.context import RunContext
from gateway.agent.outcome import RunOutcome
from gateway.protocol.events import Event

TURN = 256
"""Events of a generator between two turns of the loop."""


async def perform(agent: AnyAgent, ctx: RunContext[Any]) -> RunOutcome | None:
    """Run the agent once; raises what it raises, and TypeError for what is no agent."""
    running = start(agent, ctx)
    if not isinstance(running, AsyncIterable):
        return _checked(await running, agent)
    if not isinstance(running, AsyncGenerator):
        await _emit_all(running, ctx)
        return None
    async with aclosing(running):
        await _emit_all(running, ctx)
    return None


async def _emit_all(events: AsyncIterable[Event], ctx: RunContext[Any]) -> None:
    """Emit what a generator yields, and hold it back while the viewer is behind."""
    count = 0
    async for event in events:
        ctx.emit(event)
        count += 1
        if count % TURN == 0 or ctx.behind:
            await ctx.drain()


def _checked(outcome: object, agent: AnyAgent) -> RunOutcome | None:
    if outcome is None or isinstance(outcome, RunOutcome):
        return outcome
    raise TypeError(
        f"{name_of(agent)}.run returned {type(outcome).__name__}: expected a RunOutcome or None"
    )
