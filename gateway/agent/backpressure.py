"""Between a run and its reader: who waits for whom, and what wakes them.

The reader waits while nothing is pending; the agent waits in `drain` while more than the high-water
mark is pending. Nothing is ever dropped.
"""

from __future__ import annotations

import asyncio
import time

from gateway.agent.sink import Sink


class Backpressure:
    """Wakes the reader when output is pending, and drainers when it has been taken."""

    __slots__ = ("_drainers", "_ended", "_reader", "first_taken", "high_water", "stream")

    def __init__(self, stream: Sink, high_water: int) -> None:
        self.stream = stream
        self.high_water = high_water
        self.first_taken: float | None = None
        """When the reader took what follows RUN_STARTED, by `time.monotonic`."""
        self._reader: asyncio.Future[None] | None = None
        self._drainers: list[asyncio.Future[None]] = []
        self._ended = False

    @property
    def ended(self) -> bool:
        """True when no more output will come."""
        return self._ended

    def wake_reader(self) -> None:
        """There is output to take, or there will be none."""
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def end(self) -> None:
        """No more output will come."""
        self._ended = True
        self.wake_reader()
        self._wake_drainers()

    def waiting(self) -> asyncio.Future[None] | None:
        """What to await until there is output to take; None once there is, or the end has come."""
        if self._ended or self.stream.pending or self.stream.ended:
            return None
        self._reader = asyncio.get_running_loop().create_future()
        return self._reader

    def taken(self) -> None:
        """Output was taken; whoever drains may go on."""
        if self.first_taken is None and self.stream.events > 1:
            self.first_taken = time.monotonic()
        if self._drainers and self.stream.pending_bytes <= self.high_water:
            self._wake_drainers()

    @property
    def behind(self) -> bool:
        """True while more than the high-water mark is pending."""
        return self.stream.pending_bytes > self.high_water

    async def drain(self) -> None:
        """Let the loop turn once, then wait while more than the high-water mark is pending."""
        await asyncio.sleep(0)
        while self.behind and not self._ended:
            drainer = asyncio.get_running_loop().create_future()
            self._drainers.append(drainer)
            await drainer

    def _wake_drainers(self) -> None:
        drainers, self._drainers = self._drainers, []
        for drainer in drainers:
            if not drainer.done():
                drainer.set_result(None)
