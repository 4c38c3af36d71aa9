"""The client for programs without an event loop: scripts, notebooks, tests.

A loop of its own runs in a thread of its own, so it also works where a loop is running already.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from gateway.client.client import Client
from gateway.client.session import Session
from gateway.client.updates import Update
from gateway.protocol.events import Event
from gateway.protocol.input import RunAgentInput
from gateway.protocol.parts import ContentPart

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread, until `close`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="agui-client", daemon=True
        )
        self._thread.start()

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._loop.is_closed()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work on the loop and wait for it; an interruption of the wait cancels the work."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, start: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        """Iterate on the loop; leaving the iterator leaves the one on the loop too."""
        items = start()
        try:
            while True:
                try:
                    item = self.run(_next(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self.run(_close(items))

    def close(self) -> None:
        """Stop the loop and wait for the thread."""
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncSession:
    """A `Session` without `await`; made by `SyncClient.session`."""

    def __init__(self, session: Session, loop: LoopThread) -> None:
        self.session = session
        self._loop = loop

    def send(self, content: str | list[ContentPart]) -> Iterator[Update]:
        """As `Session.send`."""
        return self._loop.iterate(lambda: self.session.send(content))

    def resume(self, payloads: Mapping[str, Any]) -> Iterator[Update]:
        """As `Session.resume`."""
        return self._loop.iterate(lambda: self.session.resume(payloads))

    def run(self) -> Iterator[Update]:
        """As `Session.run`."""
        return self._loop.iterate(self.session.run)

    def ask(self, content: str | list[ContentPart]) -> str:
        """As `Session.ask`."""
        return self._loop.run(self.session.ask(content))


class SyncClient:
    """A `Client` without `await`; takes what `Client` takes. Use it as a context manager."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self.client = Client(url, **options)
        self._loop = LoopThread()

    def run(self, input: RunAgentInput | dict[str, Any]) -> Iterator[Event]:
        """As `Client.run`."""
        return self._loop.iterate(lambda: self.client.run(input))

    def session(self, thread_id: str | None = None, **options: Any) -> SyncSession:
        """A session with what `Session` takes."""
        return SyncSession(Session(self.client, thread_id, **options), self._loop)

    def close(self) -> None:
        """Close the connections and stop the loop; a second time does nothing."""
        if self._loop.closed:
            return
        try:
            self._loop.run(self.client.close())
        finally:
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


async def _next(items: AsyncIterator[T]) -> T:
    return await anext(items)


async def _close(items: AsyncIterator[T]) -> None:
    await items.aclose()  # type: ignore[attr-defined]
