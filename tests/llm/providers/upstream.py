"""A model server on loopback whose answers are scripts of bytes."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

Script = Callable[["Exchange"], Awaitable[None]]


class Exchange:
    """One request, and the way to answer it."""

    def __init__(self, head: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.path = head.split(" ", 2)[1]
        lines = head.split("\r\n")[1:]
        self.headers = {n.lower(): v for n, v in (line.split(": ", 1) for line in lines if line)}
        self.body: Any = json.loads(body)
        self.gone = asyncio.Event()
        """Set once the client has closed its side."""
        self._writer = writer

    async def head(self, status: int = 200, **headers: str) -> None:
        """The status and headers; the body ends with the connection."""
        named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        await self.send(f"HTTP/1.1 {status} X\r\n{named}connection: close\r\n\r\n".encode())

    async def send(self, data: bytes) -> None:
        """Bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    def abort(self) -> None:
        """Reset the connection."""
        self._writer.transport.abort()


class Upstream:
    """Answers the n-th request by the n-th script, the last one again and again."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = scripts
        self.exchanges: list[Exchange] = []
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip()
        length = next(
            int(x[15:]) for x in head.lower().split("\r\n") if x[:15] == "content-length:"
        )
        exchange = Exchange(head, await reader.readexactly(length), writer)
        self.exchanges.append(exchange)
        watch = asyncio.ensure_future(_watch(reader, exchange))
        try:
            await self._scripts[min(len(self.exchanges), len(self._scripts)) - 1](exchange)
        except ConnectionError:
            exchange.gone.set()
        finally:
            writer.close()
            watch.cancel()


async def _watch(reader: asyncio.StreamReader, exchange: Exchange) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read()
    exchange.gone.set()


def frame(data: object) -> bytes:
    """One SSE frame."""
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def text_chunk(text: str, finish: str | None = None) -> bytes:
    """A frame of chat completions."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return frame({"id": "c", "model": "m-1", "choices": [choice]})


def answering(status: int, *pieces: bytes, **headers: str) -> Script:
    """Send the head and these pieces, then close."""

    async def script(exchange: Exchange) -> None:
        await exchange.head(status, **headers)
        for piece in pieces:
            await exchange.send(piece)

    return script


def failing(status: int, message: str = "no", **headers: str) -> Script:
    """An error in the shape of OpenAI."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()
    return answering(status, body, **headers)


def hello() -> Script:
    """A good answer."""
    return answering(200, text_chunk("Hello"), text_chunk("", "stop"), b"data: [DONE]\n\n")
