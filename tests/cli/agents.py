"""Agents for tests of a server's life: they say which process they run in, and wait for a file."""

import asyncio
import os
from typing import Any

from gateway.agent import Agents, RunContext


async def process(ctx: RunContext[Any]) -> None:
    """Say the id of the process."""
    ctx.say(f"pid={os.getpid()}.")


async def gate(ctx: RunContext[Any]) -> None:
    """Say the id of the process, then wait until the file of the variable GATE exists."""
    ctx.say(f"pid={os.getpid()}.")
    while not os.path.exists(os.environ["GATE"]):  # noqa: ASYNC240 - a look takes no time
        await asyncio.sleep(0.02)
    ctx.say("through")


async def stubborn(ctx: RunContext[Any]) -> None:
    """Go on for as long as it likes, whoever cancels it."""
    ctx.say(f"pid={os.getpid()}.")
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue


async def silent(ctx: RunContext[Any]) -> None:
    """Say nothing for twelve seconds."""
    await asyncio.sleep(12)
    ctx.say("spoken")


AGENTS = Agents({"process": process, "gate": gate, "stubborn": stubborn, "silent": silent})
