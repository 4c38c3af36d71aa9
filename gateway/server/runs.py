"""The runs that are going on.

A run belongs to the gateway, not to the response that started it: the response may end, fail or be
cancelled, and the run is held here until its task has cleaned up.
"""

import asyncio
from contextlib import suppress

from gateway.agent import Run


class Runs:
    """The open runs of one gateway; `closing` says that no further ones are wanted."""

    def __init__(self) -> None:
        self._open: set[Run] = set()
        self._reapers: set[asyncio.Task[None]] = set()
        self._idle: list[asyncio.Future[None]] = []
        self.closing = False

    def __len__(self) -> int:
        return len(self._open)

    def start(self, run: Run) -> None:
        """Start a run and hold it; `release` must follow."""
        run.start()
        self._open.add(run)

    def release(self, run: Run) -> None:
        """Hold a run no longer than until its task has ended."""
        reaper = asyncio.get_running_loop().create_task(self._reap(run))
        self._reapers.add(reaper)
        reaper.add_done_callback(self._reapers.discard)

    async def _reap(self, run: Run) -> None:
        try:
            await run.closed()
        finally:
            self._open.discard(run)
            self._tell_idle()

    def _tell_idle(self) -> None:
        if self._open:
            return
        waiting, self._idle = self._idle, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def open(self) -> None:
        """Accept runs, again if they were refused before."""
        self.closing = False

    def refuse(self) -> None:
        """Accept no further runs; the open ones go on."""
        self.closing = True

    def close(self) -> None:
        """Refuse further runs and ask the open ones to end; `closed` waits for them."""
        self.refuse()
        for run in list(self._open):
            run.cancel("shutdown")

    async def closed(self) -> None:
        """Wait until every run that is open now has ended."""
        await asyncio.gather(*(run.closed() for run in list(self._open)))

    async def idle(self, seconds: float) -> bool:
        """Wait until no run is open nor viewed, for that long at most; False if time was up."""
        if self._open:
            ended = asyncio.get_running_loop().create_future()
            self._idle.append(ended)
            with suppress(TimeoutError):
                await asyncio.wait_for(ended, seconds)
        return not self._open
