"""Streams paced text, to look at latency, buffering proxies and disconnects."""

import asyncio
from typing import Any

from gateway.agent.context import RunContext


class Slow:
    """Streams paced text: about 20 deltas a second for 10 seconds."""

    deltas = 200
    pause = 0.05

    async def run(self, ctx: RunContext[Any]) -> None:
        """One text message that counts up."""
        with ctx.assistant_message() as message:
            for count in range(1, self.deltas + 1):
                message.delta(f"{count} ")
                await asyncio.sleep(self.pause)
