"""Code of an embedder that both type checkers accept: agents, states, handles, answers.

Checked by `test_typing.py`; nothing here runs.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, TypedDict, assert_type

from msgspec import Struct

from gateway.agent import Agent, Agents, Answer, CancelToken, Limits, RunContext, Runner, RunOutcome
from gateway.agent import run as run_agent
from gateway.errors import AgentError
from gateway.protocol.events import Event, TextMessageEnd, TextMessageStart
from gateway.protocol.input import RunAgentInput, Tool
from gateway.protocol.messages import UserMessage
from gateway.protocol.outcomes import Interrupt
from gateway.protocol.usage import TokenUsage


@dataclass
class Board:
    """A state."""

    tasks: list[str] = field(default_factory=list)


class Counter(TypedDict):
    """A state that is a dict."""

    hits: int


class Query(Struct):
    """Arguments of a tool."""

    city: str


ASK = Interrupt("ask", "approval", message="May I?", response_schema={"type": "boolean"})


class Planner:
    """An agent with a typed state."""

    state_type = Board

    async def run(self, ctx: RunContext[Board]) -> RunOutcome | None:
        """Touches every handle."""
        assert_type(ctx.state, Board)
        assert_type(ctx.last_user_text, str | None)
        assert_type(ctx.tool("search"), Tool | None)
        ctx.state.tasks.append("x")
        ctx.publish_state()
        ctx.update_state(lambda board: Board([*board.tasks, "y"]))
        with ctx.step("plan") as step, step.message() as message:
            message.delta("x")
        with ctx.tool_call("search") as call:
            call.args_json({"city": "Seoul"})
            assert_type(call.parse_args(Query), Query)
            assert_type(call.result("sunny"), str)
        with ctx.subagent("guide") as guide:
            guide.think("hm")
            activity = guide.activity("route", {"stops": []})
            activity.patch([{"op": "add", "path": "/stops/-", "value": 1}])
        assert_type(await ctx.until_cancelled(asyncio.sleep(0, 7)), int | None)
        await ctx.drain()
        ctx.usage(TokenUsage(model="m", input_tokens=1))
        answer = ctx.answer(ASK)
        assert_type(answer, Answer | None)
        if answer is None:
            return RunOutcome.interrupt(ASK)
        if answer.cancelled:
            raise AgentError("declined", "DECLINED")
        assert_type(answer.payload_as(bool), bool)
        return RunOutcome.success({"tasks": len(ctx.state.tasks)})


async def counting(ctx: RunContext[Counter]) -> None:
    """A function with a typed state."""
    assert_type(ctx.state["hits"], int)


async def streaming(ctx: RunContext[Any]) -> AsyncIterator[Event]:
    """A generator."""
    yield TextMessageStart("m")
    yield TextMessageEnd("m")


planner: Agent[Board] = Planner()
agents = Agents({"planner": planner, "counting": counting, "streaming": streaming})


async def main() -> None:
    """Runs them in process."""
    input = RunAgentInput("t", "r", [UserMessage("m", "Hello")])
    async for event in run_agent(planner, input):
        print(event.type)
    token = CancelToken()
    async with Runner(counting, limits=Limits(run_timeout=60)) as runner:
        async for event in runner.run(input, token):
            token.cancel("stopped", event.type)
    ctx, events = RunContext.for_test(input, state_type=Board)
    assert_type(ctx, RunContext[Board])
    await Planner().run(ctx)
    assert_type(events[0], Event)
