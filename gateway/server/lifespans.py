"""What agents open once a process: pools and clients, by the `lifespan` of an agent.

A lifespan is entered and left in one task of its own, since what it holds may be bound to a task.
It is entered when the server starts, or else by the first run, so that the gateway also works
below a router that passes no ASGI lifespan on.
"""

import asyncio
import logging
from typing import Any

from gateway.agent.agent import AnyAgent

logger = logging.getLogger("gateway.server")


class AgentLifespan:
    """The lifespan of one agent in this process; nothing happens if the agent has none."""

    def __init__(self, agent: AnyAgent) -> None:
        self._factory: Any = getattr(agent, "lifespan", None)
        self._entered: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()

    async def enter(self) -> None:
        """Enter it unless that is done; raises what the agent raises, a later call tries again."""
        if self._factory is None:
            return
        if self._entered is None:
            loop = asyncio.get_running_loop()
            self._entered = loop.create_future()
            self._task = loop.create_task(self._live(self._entered), name="lifespan")
        await asyncio.shield(self._entered)

    async def leave(self) -> None:
        """Leave it if it was entered; what the agent raises then is logged."""
        if self._task is not None:
            self._leave.set()
            await asyncio.wait({self._task})
        self._entered = self._task = None
        self._leave = asyncio.Event()

    async def _live(self, entered: asyncio.Future[None]) -> None:
        try:
            async with self._factory():
                entered.set_result(None)
                await self._leave.wait()
        except Exception as error:
            if entered.done():
                logger.exception("an agent's lifespan failed while it was left")
                return
            self._entered = self._task = None
            entered.set_exception(error)
            entered.exception()  # whoever waits may have left; then nobody else looks at it
