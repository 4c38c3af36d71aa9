"""The runs that are going on.

A run belongs to the gateway, not to the response that started it: the response may end, fail or be
cancelled, and the run is held here until its task has cleaned up. What nobody reads any more is
read here, so that a run can go on without a viewer and its transcript is whole.
"""

import asyncio
from contextlib import suppress

from gateway.agent import Run
from gateway.agent.cancellation import Reason
from gateway.errors import RefusedError
from gateway.server.admission import Place
from gateway.server.transcript import Transcript


class Session:
    """A run with what the gateway knows of it; the viewers' side of a run.

    `owner` is the id of the principal that started it, None where nobody needs to say who it is.
    """

    __slots__ = ("agent", "owner", "place", "run", "transcript")

    def __init__(
        self,
        run: Run,
        agent: str,
        owner: str | None,
        place: Place,
        transcript: Transcript | None = None,
    ) -> None:
        self.run = run
        self.agent = agent
        self.owner = owner
        self.place = place
        self.transcript = transcript

    @property
    def refusal(self) -> RefusedError | None:
        """What the agent raised to refuse the run."""
        return self.run.refusal

    async def read(self) -> bytes:
        """The next chunk, `b""` after the end."""
        chunk = await self.run.read()
        if self.transcript is not None:
            self.transcript.feed(chunk)
        return chunk

    def cancel(self, reason: Reason) -> None:
        """End the run early; without effect on one that has ended."""
        self.run.cancel(reason)


class Runs:
    """The open runs of one gateway; `closing` says that no further ones are wanted."""

    def __init__(self) -> None:
        self._open: set[Session] = set()
        self._reapers: set[asyncio.Task[None]] = set()
        self._idle: list[asyncio.Future[None]] = []
        self.closing = False

    def __len__(self) -> int:
        return len(self._open)

    def start(self, session: Session) -> None:
        """Start a run and hold it; `release` must follow."""
        try:
            session.run.start()
        except BaseException:
            session.place.leave()
            raise
        self._open.add(session)

    def release(self, session: Session) -> None:
        """Hold a run that nobody reads any more no longer than until it has ended."""
        reaper = asyncio.get_running_loop().create_task(self._reap(session))
        self._reapers.add(reaper)
        reaper.add_done_callback(self._reapers.discard)

    async def _reap(self, session: Session) -> None:
        try:
            while await session.read():
                pass
            await session.run.closed()
            if session.transcript is not None:
                await session.transcript.end()
        finally:
            session.place.leave()
            self._open.discard(session)
            self._tell_idle()

    def _tell_idle(self) -> None:
        if self._open:
            return
        waiting, self._idle = self._idle, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def cancel(self, agent: str, run_id: str, owner: str | None) -> bool:
        """Stop the open runs of that id, agent and owner; False if there is none."""
        found = [
            each
            for each in self._open
            if (each.run.input.run_id, each.agent, each.owner) == (run_id, agent, owner)
        ]
        for session in found:
            session.cancel("stopped")
        return bool(found)

    def open(self) -> None:
        """Accept runs, again if they were refused before."""
        self.closing = False

    def refuse(self) -> None:
        """Accept no further runs; the open ones go on."""
        self.closing = True

    def close(self) -> None:
        """Refuse further runs and ask the open ones to end; `closed` waits for them."""
        self.refuse()
        for session in list(self._open):
            session.cancel("shutdown")

    async def closed(self) -> None:
        """Wait until every open run has ended and its agent has been told."""
        await asyncio.gather(*(session.run.closed() for session in list(self._open)))
        await asyncio.gather(*self._reapers, return_exceptions=True)

    async def idle(self, seconds: float) -> bool:
        """Wait until no run is open nor viewed, for that long at most; False if time was up."""
        if self._open:
            ended = asyncio.get_running_loop().create_future()
            self._idle.append(ended)
            with suppress(TimeoutError):
                await asyncio.wait_for(ended, seconds)
        return not self._open
