"""The time limits of a run: in all, to its first event, and between two events.

Silence is an agent's only while its viewer keeps up: as long as output waits to be taken, the time
between events is the viewer's affair and not counted.
"""

from __future__ import annotations

import asyncio

from gateway.agent.cancellation import CancelToken
from gateway.agent.limits import Limits
from gateway.agent.sink import Sink


class Deadlines:
    """Trips `token` with the reason `deadline` once a limit is reached; `clear` ends the watch."""

    __slots__ = ("_first", "_heard", "_idle", "_limits", "_loop", "_run", "_sink", "_token")

    def __init__(self, limits: Limits, sink: Sink, token: CancelToken) -> None:
        self._limits = limits
        self._sink = sink
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._heard = self._loop.time()
        self._run: asyncio.TimerHandle | None = None
        self._first: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None

    def set(self) -> None:
        """Start the clocks."""
        limits = self._limits
        if limits.run_timeout is not None:
            text = f"the run took longer than {limits.run_timeout:g} seconds"
            self._run = self._loop.call_later(limits.run_timeout, self._trip, text)
        if limits.first_event_timeout is not None:
            self._first = self._loop.call_later(limits.first_event_timeout, self._expect_first)
        if limits.idle_timeout is not None:
            self._idle = self._loop.call_later(limits.idle_timeout, self._look)

    def hear(self) -> None:
        """The agent has emitted something."""
        self._heard = self._loop.time()

    def clear(self) -> None:
        """Stop the clocks."""
        for timer in (self._run, self._first, self._idle):
            if timer is not None:
                timer.cancel()
        self._run = self._first = self._idle = None

    def _expect_first(self) -> None:
        """Trip if nothing has followed RUN_STARTED."""
        if self._sink.events <= 1:
            limit = self._limits.first_event_timeout
            self._trip(f"the agent emitted no first event within {limit:g} seconds")

    def _look(self) -> None:
        """Trip if it was silent long enough, else look again when it might be."""
        limit = self._limits.idle_timeout or 0.0
        if self._sink.pending:
            self.hear()
        rest = self._heard + limit - self._loop.time()
        if rest <= 0:
            self._trip(f"the agent emitted nothing for {limit:g} seconds")
        else:
            self._idle = self._loop.call_later(rest, self._look)

    def _trip(self, detail: str) -> None:
        self._token.cancel("deadline", detail)
