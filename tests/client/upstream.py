"""An HTTP server for tests that says exactly the bytes it is told to, and can be rude."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import orjson

from tests.server.asgi import turn, until

SSE = {"content-type": "text/event-stream"}


def frames(*events: dict[str, Any]) -> list[bytes]:
    """Events as SSE frames."""
    return [b"data: " + orjson.dumps(event) + b"\n\n" for event in events]


def started(run: str = "r1", thread: str = "t1", **members: Any) -> dict[str, Any]:
    return {"type": "RUN_STARTED", "threadId": thread, "runId": run, **members}


def finished(run: str = "r1", thread: str = "t1", **members: Any) -> dict[str, Any]:
    return {"type": "RUN_FINISHED", "threadId": thread, "runId": run, **members}


def text(*deltas: str, id: str = "m1") -> list[dict[str, Any]]:
    """A whole message."""
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": d} for d in deltas),
        {"type": "TEXT_MESSAGE_END", "messageId": id},
    ]


class Request:
    """What a client sent."""

    def __init__(self, line: str, headers: dict[str, str], body: bytes) -> None:
        self.line = line
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


class Reply:
    """One answer: a head, pieces of a body, and how it ends.

    `end` is `close` (in order), `reset` (the connection breaks) or `hang` (nothing more comes until
    the client leaves), or `refuse` (it breaks before the head). `pause` is the number of turns of
    the loop between two pieces.
    """

    def __init__(
        self,
        pieces: Sequence[bytes] = (),
        status: int = 200,
        headers: dict[str, str] | None = None,
        end: str = "close",
        chunked: bool = True,
        pause: int = 0,
    ) -> None:
        self.pause = pause
        self.pieces = pieces
        self.status = status
        self.headers = SSE if headers is None else headers
        self.end = end
        self.chunked = chunked


Answer = Callable[[Request], Reply | None]


class Upstream:
    """Serves one reply after the other (the last one for ever), or what a function says.

    A reply of None hangs without a head. `open` counts the connections that are open.
    """

    def __init__(self, *replies: Reply | None, answer: Answer | None = None) -> None:
        self.requests: list[Request] = []
        self.open = 0
        self._replies = replies
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Upstream]:
        """Listen on a free loopback port; at the end no connection may be open."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/run"
        try:
            yield self
            await self.left()
        finally:
            self._server.close()
            for task in self._tasks:
                task.cancel()

    async def left(self) -> None:
        """Wait until no connection is open."""
        async with asyncio.timeout(5):
            await until(lambda: self.open == 0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.open += 1
        try:
            while await self._serve(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await _read(reader)
        self.requests.append(request)
        reply = self._reply(request)
        if reply is None:
            await reader.read()
            return False
        if reply.end == "refuse":
            _reset(writer)
            return False
        await _write(writer, reply)
        if reply.end == "hang":
            await reader.read()
        elif reply.end == "reset":
            _reset(writer)
        elif reply.chunked:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return True
        return False

    def _reply(self, request: Request) -> Reply | None:
        if self._answer is not None:
            return self._answer(request)
        return self._replies[min(len(self.requests), len(self._replies)) - 1]


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.strip().split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (field.partition(":") for field in rest)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(line, headers, body)


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> None:
    head = f"HTTP/1.1 {reply.status} x\r\n"
    fields = dict(reply.headers)
    fields.update({"transfer-encoding": "chunked"} if reply.chunked else {"connection": "close"})
    head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(head.encode("latin-1") + b"\r\n")
    for piece in filter(None, reply.pieces):
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if reply.chunked else piece)
        await writer.drain()
        for _ in range(reply.pause):
            await turn()


def _reset(writer: asyncio.StreamWriter) -> None:
    with suppress(Exception):
        writer.transport.abort()
