"""The agents of the gateway under measurement: the same burst, hosted and remote."""

import os
from typing import Any

from bench.client.burst import DELTAS, TEXT
from gateway.agent import Agents, RunContext
from gateway.client import RemoteAgent


async def hosted(ctx: RunContext[Any]) -> None:
    """A burst of the push API."""
    with ctx.assistant_message() as message:
        for _ in range(DELTAS):
            message.delta(TEXT)


async def events(ctx: RunContext[Any]) -> Any:
    """The same burst as events that an agent yields."""
    from gateway.protocol.events import TextMessageContent, TextMessageEnd, TextMessageStart

    yield TextMessageStart("m1", "assistant")
    for _ in range(DELTAS):
        yield TextMessageContent("m1", TEXT)
    yield TextMessageEnd("m1")


AGENTS = Agents({"hosted": hosted, "events": events, "remote": RemoteAgent(os.environ["UPSTREAM"])})
