"""Mistakes of an embedder that both type checkers must report, each at its marked line.

Checked by `test_typing.py`; nothing here runs.
"""

from dataclasses import dataclass
from typing import Any

from gateway.agent import Agent, Agents, RunContext, RunOutcome
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import UserMessage


@dataclass
class Board:
    """The state that is meant."""

    title: str = ""


@dataclass
class Other:
    """Another state."""

    hits: int = 0


class Planner:
    """An agent of boards."""

    async def run(self, ctx: RunContext[Board]) -> None:
        """Mistakes the state and the handles."""
        ctx.state.hits += 1  # mistake
        ctx.set_state(Other())  # mistake
        ctx.update_state(lambda board: Other())  # mistake
        with ctx.message() as message:
            message.delta(7)  # mistake
        with ctx.tool_call("f") as call:
            print(call.parse_args(Board).hits)  # mistake
        ctx.message("narrator")  # mistake
        ctx.token.cancel("bored")  # mistake


class Synchronous:
    """No agent: its `run` gives neither a coroutine nor events."""

    def run(self, ctx: RunContext[Any]) -> str:
        """Gives a string."""
        return "done"


async def wrong_result(ctx: RunContext[Any]) -> str:
    """Gives no outcome."""
    return "done"


right: Agent[Board] = Planner()
wrong: Agent[Other] = Planner()  # mistake
no_agent: Agent[Any] = Synchronous()  # mistake
agents = Agents({"wrong": wrong_result})  # mistake
outcome = RunOutcome.interrupt("why")  # mistake
input = RunAgentInput("t", "r", [UserMessage("m", 7)])  # mistake
