"""One connection that reads one run.

Three things go on at once. The pump takes chunks from the run and sends them; `send` waits while
the client is slow, the run then holds its agent back, so a stalled client costs a few chunks. The
watch waits for the client to leave, since a server need not say so otherwise: it neither cancels
the application nor fails its `send`. A timer sends a comment into silence; it looks at the time of
the last chunk instead of being reset by each, and never runs while the pump is sending.
"""

import asyncio
from typing import Protocol

from gateway.agent.cancellation import Reason
from gateway.server.asgi import Message, Receive, Send


class Readable(Protocol):
    """The side of a run that a viewer sees."""

    async def read(self) -> bytes:
        """The next chunk, `b""` after the end."""

    def cancel(self, reason: Reason) -> None:
        """End the run early; without effect on one that has ended."""


class Viewer:
    """Sends a run to a client: `head` first, then its chunks.

    After `keep_alive` silent seconds (0: never) it sends the head, unless that is sent, and
    `comment`, unless that is empty. `left` says that the client has gone before the end.
    """

    def __init__(
        self,
        run: Readable,
        receive: Receive,
        send: Send,
        *,
        head: Message,
        comment: bytes,
        keep_alive: float,
    ) -> None:
        self._run = run
        self._receive = receive
        self._send = send
        self._head: Message | None = head
        self._comment = comment
        self._keep_alive = keep_alive
        self._loop = asyncio.get_running_loop()
        self.left = False
        self._ended = False
        self._sending = False
        self._sent_at = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._pulse: asyncio.Task[None] | None = None

    async def view(self) -> None:
        """Send the run to its end and finish the response, or cancel it when the client leaves."""
        watch = self._loop.create_task(self._watch())
        self._schedule(self._keep_alive)
        try:
            await self._pump()
        except OSError:
            self._leave()  # some servers say by an exception that the client has left
        finally:
            if not self._ended:
                self._run.cancel("client-left")
            await self._stop(watch)

    async def _pump(self) -> None:
        read = self._run.read
        while chunk := await read():
            if self.left:
                return
            await self._write(chunk, more=True)
        if not self.left:
            self._ended = True
            await self._write(b"", more=False)

    async def _write(self, body: bytes, *, more: bool) -> None:
        self._sending = True
        if self._pulse is not None:
            await self._pulse
        if self._head is not None:
            await self._begin()
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
        self._sent_at = self._loop.time()
        self._sending = False

    async def _begin(self) -> None:
        if self._head is not None:
            head, self._head = self._head, None
            await self._send(head)

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._leave()

    def _leave(self) -> None:
        if self._ended:
            return
        self.left = True
        self._run.cancel("client-left")

    def _schedule(self, delay: float) -> None:
        if self._keep_alive:
            self._timer = self._loop.call_later(delay, self._tick)

    def _tick(self) -> None:
        due = self._sent_at + self._keep_alive - self._loop.time()
        if due <= 0 and not self._sending and self._pulse is None:
            self._pulse = self._loop.create_task(self._beat())
        self._schedule(due if due > 0 else self._keep_alive)

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
