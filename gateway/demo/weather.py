"""Calls a tool of the front end, and answers from its result on the next request."""

from typing import Any

import msgspec

from gateway.agent.context import RunContext
from gateway.protocol.base import UNSET
from gateway.protocol.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage

TOOL = "get_weather"


class Weather:
    """Calls the front-end tool `get_weather` if the client offers it, and answers from its result.

    Arguments: `{"city": <the last user text>}`.
    """

    async def run(self, ctx: RunContext[Any]) -> None:
        """Answer when the result is there, else call the tool, else say what is missing."""
        result = _answer(ctx)
        if result is not None:
            ctx.say(f"The weather: {result}")
        elif ctx.tool(TOOL) is None:
            ctx.say(f"I can tell the weather if you offer me a tool named {TOOL}.")
        else:
            with ctx.tool_call(TOOL) as call:
                call.args_json({"city": ctx.last_user_text or "Seoul"})


def _answer(ctx: RunContext[Any]) -> str | None:
    """The text of the tool message that answers our call since the last user message."""
    for message in reversed(ctx.messages):
        if isinstance(message, UserMessage):
            return None
        if isinstance(message, ToolMessage) and _is_ours(message.tool_call_id, ctx):
            if message.error is not UNSET:
                return f"unknown, the tool failed ({message.error})"
            if isinstance(message.content, str):
                return message.content
            return msgspec.json.encode(message.content).decode()
    return None


def _is_ours(call_id: str, ctx: RunContext[Any]) -> bool:
    return any(call.id == call_id and call.function.name == TOOL for call in _calls(ctx))


def _calls(ctx: RunContext[Any]) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for message in ctx.messages:
        if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET:
            calls += message.tool_calls
    return calls
