"""Agents for tests against a server process; one of them tells what became of another."""

import asyncio
import os
import signal
from typing import Any

from gateway.agent import Agents, RunContext


class Waiting:
    """Waits until it is interrupted, and counts how often it was."""

    interrupted = 0

    async def run(self, ctx: RunContext[Any]) -> None:
        """Say one thing, then nothing."""
        ctx.say("waiting")
        try:
            await asyncio.Event().wait()
        finally:
            self.interrupted += 1


class Flood:
    """Says more than any buffer on the way holds, and notes how far it got."""

    said = 0

    async def run(self, ctx: RunContext[Any]) -> None:
        """A hundred megabytes, with a wait for the client after each piece."""
        with ctx.assistant_message() as message:
            for _ in range(1000):
                message.delta("x" * 100_000)
                self.said += 1
                await ctx.drain()


WAITING = Waiting()
FLOOD = Flood()


async def record(ctx: RunContext[Any]) -> None:
    """Says what the others have noted."""
    ctx.say(f"interrupted={WAITING.interrupted} said={FLOOD.said}.")


async def crash(ctx: RunContext[Any]) -> None:
    """Kills the process it runs in."""
    os.kill(os.getpid(), signal.SIGKILL)


AGENTS = Agents({"waiting": WAITING, "flood": FLOOD, "record": record, "crash": crash})
