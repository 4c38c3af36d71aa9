"""One connection that reads one run.

Three things go on at once. The pump takes chunks from the run and sends them; `send` waits while
the client is slow, the run then holds its agent back, so a stalled client costs a few chunks. The
watch waits for the client to leave, since a server need not say so otherwise: it neither cancels
the application nor fails its `send`. A timer sends a comment into silence; it looks at the time of
the last chunk instead of being reset by each, and never sends while the pump does. It also notices
a client that takes nothing for so long that it counts as gone.
"""

import asyncio
from typing import Any, Final, Protocol

from gateway.agent.cancellation import Reason
from gateway.errors import RefusedError
from gateway.server.asgi import Message, Receive, Send

PIECE: Final = 64 * 1024
"""Bytes sent at once, so that a client that reads slowly is seen to read."""

LOOKS: Final = 4
"""How often a stalled client is looked at before it counts as gone."""


class Readable(Protocol):
    """The side of a run that a viewer sees."""

    @property
    def refusal(self) -> RefusedError | None:
        """Set once the run has ended if the agent refused it."""

    async def read(self) -> bytes:
        """The next chunk, `b""` after the end."""

    def cancel(self, reason: Reason) -> None:
        """End the run early; without effect on one that has ended."""


class Viewer:
    """Sends a run to a client: `head` first, then its chunks.

    After `keep_alive` silent seconds (0: never) it sends the head, unless that is sent, and
    `comment`, unless that is empty. With `hold` the first chunk waits for the second one or for
    that time, so that the agent may still refuse. `left` says that the client has gone before the
    end, also because it took nothing for `stall_timeout` seconds (0: for ever); unless `cancels`,
    the run then goes on. `begun` says that the head was sent.
    """

    __slots__ = (
        "_cancels",
        "_comment",
        "_ended",
        "_head",
        "_held",
        "_hold",
        "_keep_alive",
        "_loop",
        "_pulse",
        "_pumping",
        "_receive",
        "_run",
        "_send",
        "_sending_since",
        "_sent_at",
        "_stall_timeout",
        "_timer",
        "left",
    )

    def __init__(
        self,
        run: Readable,
        receive: Receive,
        send: Send,
        *,
        head: Message,
        comment: bytes,
        keep_alive: float,
        stall_timeout: float = 0,
        hold: bool = False,
        cancels: bool = True,
    ) -> None:
        self._run = run
        self._receive = receive
        self._send = send
        self._head: Message | None = head
        self._held = b""
        self._comment = comment
        self._keep_alive = keep_alive
        self._stall_timeout = stall_timeout
        self._hold = hold
        self._cancels = cancels
        self._loop = asyncio.get_running_loop()
        self._pumping: asyncio.Task[Any] | None = None
        self.left = False
        self._ended = False
        self._sending_since = 0.0
        self._sent_at = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._pulse: asyncio.Task[None] | None = None

    @property
    def begun(self) -> bool:
        """True once the answer can no longer become another one."""
        return self._head is None

    async def view(self) -> None:
        """Send the run to its end and finish the response, or return when the client leaves."""
        watch = self._loop.create_task(self._watch())
        self._schedule()
        self._pumping = asyncio.current_task()
        try:
            await self._pump()
        except asyncio.CancelledError:
            if not self.left or self._pumping is None or self._pumping.uncancel():
                raise  # it is not only the client that has left
        except OSError:
            self._lose()  # some servers say by an exception that the client has left
        finally:
            self._pumping = None
            if not (self._ended or self.left):
                self._run.cancel("client-left")
            await self._stop(watch)

    async def _pump(self) -> None:
        read = self._run.read
        if self._hold:
            self._held = await read()
        while chunk := await read():
            if self.left or self._refused():
                return
            await self._write(chunk)
        if self._refused():
            return
        self._ended = True
        if not self.left:
            await self._write(b"", more=False)

    def _refused(self) -> bool:
        self._ended = self._run.refusal is not None and self._held != b"" and not self.begun
        return self._ended

    async def _write(self, chunk: bytes, *, more: bool = True) -> None:
        self._sending_since = self._loop.time()
        if self._pulse is not None:
            await self._pulse
        if self._head is not None:
            await self._begin()
        last = 0
        while len(chunk) - last > PIECE:
            body = chunk[last : last + PIECE]
            await self._send({"type": "http.response.body", "body": body, "more_body": True})
            self._sent_at = self._sending_since = self._loop.time()
            last += PIECE
        body = chunk[last:] if last else chunk
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
        self._sent_at = self._loop.time()
        self._sending_since = 0.0

    async def _begin(self) -> None:
        """Send the head with what was held back, unless that was done before."""
        if self._head is None:
            return
        head, self._head = self._head, None
        await self._send(head)
        if self._held:
            held, self._held = self._held, b""
            await self._send({"type": "http.response.body", "body": held, "more_body": True})

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._leave()

    def _leave(self) -> None:
        """The client has gone: stop sending, wherever that stands."""
        if self._ended or self.left:
            return
        self._lose()
        if self._pumping is not None:
            self._pumping.cancel()

    def _lose(self) -> None:
        self.left = True
        if self._cancels:
            self._run.cancel("client-left")

    def _schedule(self) -> None:
        """Look again when a comment may be due, or the client may have taken too long."""
        delays = []
        if self._keep_alive:
            due = self._sent_at + self._keep_alive - self._loop.time()
            delays.append(due if due > 0 else self._keep_alive)
        if self._stall_timeout:
            delays.append(self._stall_timeout / LOOKS)
        if delays:
            self._timer = self._loop.call_later(min(delays), self._tick)

    def _tick(self) -> None:
        now = self._loop.time()
        if self._sending_since:
            if now - self._sending_since >= self._stall_timeout > 0:
                self._leave()
        elif now - self._sent_at >= self._keep_alive > 0 and self._pulse is None:
            self._pulse = self._loop.create_task(self._beat())
        self._schedule()

    async def _beat(self) -> None:
        try:
            await self._begin()
            if self._comment:
                message = {"type": "http.response.body", "body": self._comment, "more_body": True}
                await self._send(message)
        except OSError:
            self._leave()
        self._sent_at = self._loop.time()
        self._pulse = None

    async def _stop(self, watch: asyncio.Task[None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        tasks = [task for task in (watch, self._pulse) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
