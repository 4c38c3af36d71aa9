"""Many concurrent runs of one agent, each with an input of its own, some of them cancelled."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from gateway.agent import Options, Run, RunContext
from gateway.protocol.events import Event, StateSnapshot, TextMessageContent, ToolCallStart
from gateway.protocol.input import Tool
from tests.agent.runs import given


class Marked:
    """Says, calls and publishes nothing but the mark of its run."""

    state_type = dict[str, Any]

    async def run(self, ctx: RunContext[dict[str, Any]]) -> None:
        """Every value comes from the context; between them other runs have their turn."""
        mark = ctx.last_user_text or ""
        with ctx.step(mark), ctx.message() as message:
            for _ in range(3):
                message.delta(ctx.last_user_text or "")
                await asyncio.sleep(0)
                ctx.state["seen"] = [*ctx.state.get("seen", []), mark]
                ctx.publish_state()
            with ctx.tool_call(ctx.tools[0].name) as call:
                call.args_json({"mark": mark})
                await asyncio.sleep(0)


AGENT = Marked()


def marked_run(number: int) -> Run:
    """A run whose messages, tools, state and ids carry its number."""
    mark = f"mark-{number}"
    input = given(
        mark, run_id=f"run-{number}", tools=[Tool(mark, "")], state={"mark": mark, "seen": []}
    )
    return Run(AGENT, input, Options())


async def follow(run: Run, dice: random.Random, cancelling: bool) -> list[Event]:
    """Read a run to its end and perhaps cancel it somewhere on the way."""
    run.start()
    turns = dice.randrange(12) if cancelling and dice.random() < 0.5 else -1
    events: list[Event] = []
    while more := await run.read_events():
        events += more
        if turns == 0:
            run.cancel(dice.choice(("client-left", "stopped", "deadline", "shutdown")))
        turns -= 1
    await run.closed()
    return events


def strangers(number: int, events: list[Event]) -> list[Event]:
    """Events that do not carry the mark of the run that they came from."""
    mark = f"mark-{number}"
    return [event for event in events if not _belongs(event, mark, f"run-{number}")]


def _belongs(event: Event, mark: str, run_id: str) -> bool:
    if isinstance(event, TextMessageContent):
        return event.delta == mark and event.message_id.startswith(f"{run_id}-")
    if isinstance(event, ToolCallStart):
        return event.tool_call_name == mark and event.tool_call_id.startswith(f"{run_id}-")
    if isinstance(event, StateSnapshot):
        return event.snapshot["mark"] == mark and set(event.snapshot["seen"]) == {mark}
    return True


async def cancelled_run(number: int) -> None:
    """One run that is cancelled while its agent waits, read to its end."""
    run = Run(_waits, given(run_id=f"run-{number}"))
    run.start()
    await run.read_events()
    if number % 3:
        await asyncio.sleep(0)
    run.cancel("client-left")
    while await run.read_events():
        pass
    await run.closed()


async def _waits(ctx: RunContext[Any]) -> None:
    with ctx.step("wait"), ctx.message() as message:
        message.delta("x")
        await asyncio.Event().wait()
