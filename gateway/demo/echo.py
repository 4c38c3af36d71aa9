"""Streams the last user text back."""

import re
from typing import Any

from gateway.agent.context import RunContext


class Echo:
    """Streams the last user text back word by word."""

    async def run(self, ctx: RunContext[Any]) -> None:
        """One text message; each delta is a word with the white space after it."""
        with ctx.assistant_message() as message:
            for word in re.findall(r"\s*\S+\s*", ctx.last_user_text or ""):
                message.delta(word)
                await ctx.drain()
