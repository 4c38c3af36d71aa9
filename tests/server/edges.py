"""Agents for rude, slow and gone clients; `record` tells what became of the others."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from gateway.agent import RunContext
from gateway.protocol.events import Event, TextMessageContent, TextMessageEnd, TextMessageStart
from gateway.server import AgentSettings, Gateway, Quotas, Settings

DELTAS = 1_000_000


class Noted:
    """Counts for `record`."""

    interrupted = 0
    finished = 0
    said = 0


NOTED = Noted()


async def waiting(ctx: RunContext[Any]) -> None:
    """Waits until it is interrupted."""
    ctx.say("waiting")
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        NOTED.interrupted += 1


async def patient(ctx: RunContext[Any]) -> None:
    """Says one thing and a moment later that it has finished."""
    ctx.say("begun")
    await asyncio.sleep(0.2)
    NOTED.finished += 1


async def generated(ctx: RunContext[Any]) -> AsyncIterator[Event]:
    """A million deltas, as a generator."""
    yield TextMessageStart("m", "assistant")
    for _ in range(DELTAS):
        NOTED.said += 1
        yield TextMessageContent("m", "0123456789")
    yield TextMessageEnd("m")


async def drained(ctx: RunContext[Any]) -> None:
    """A million deltas, with a look at the client after every hundred."""
    with ctx.assistant_message() as message:
        for count in range(DELTAS):
            message.delta("0123456789")
            NOTED.said += 1
            if count % 100 == 0:
                await ctx.drain()


async def emitted(ctx: RunContext[Any]) -> None:
    """A million deltas without a look at anything."""
    with ctx.assistant_message() as message:
        for _ in range(DELTAS):
            message.delta("0123456789")
            NOTED.said += 1


async def slow(ctx: RunContext[Any]) -> None:
    """Five megabytes and an end."""
    with ctx.assistant_message() as message:
        for _ in range(500):
            message.delta("x" * 10_000)
            await ctx.drain()


def resident() -> int:
    """Bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def record(ctx: RunContext[Any]) -> None:
    """Says what is noted, and how this process is."""
    tasks = len(asyncio.all_tasks())
    ctx.say(
        f"interrupted={NOTED.interrupted} finished={NOTED.finished} said={NOTED.said} "
        f"resident={resident()} tasks={tasks}."
    )


AGENTS: dict[str, Any] = {
    "waiting": waiting,
    "patient": patient,
    "generated": generated,
    "drained": drained,
    "emitted": emitted,
    "slow": slow,
    "record": record,
}

GATEWAY = Gateway(AGENTS, Settings(agents={"patient": AgentSettings(on_disconnect="continue")}))

IMPATIENT = Gateway(AGENTS, Settings(stall_timeout=0.5))

SMALL = Gateway(AGENTS, Settings(body_timeout=0.5, quotas=Quotas(max_runs=3, max_runs_per_agent=2)))
