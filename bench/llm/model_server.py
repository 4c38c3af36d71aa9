"""A model server that answers every request with the same stream of chat completions.

    python -m bench.llm.model_server CHUNKS RATE      RATE in chunks a second, 0 as fast as it goes

Prints its port. A paced chunk is one write; unpaced the answer is written in pieces of 16 KiB.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from types import TracebackType
from typing import Self

import uvloop

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
    b"connection: close\r\n\r\n"
)
PIECE = 16 * 1024


class ModelServer:
    """A server in a process of its own; use it in a `with` statement."""

    def __init__(self, chunks: int, rate: int) -> None:
        command = [sys.executable, "-m", "bench.llm.model_server", str(chunks), str(rate)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{self._process.stdout.readline().strip()}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.communicate()


def frame(delta: dict[str, str], finish: str | None) -> bytes:
    """One chunk as OpenAI sends it."""
    chunk = {
        "id": "chatcmpl-BwJbL2lqNFzXmJVDLIVhpWXQk4fWn",
        "object": "chat.completion.chunk",
        "created": 1753219583,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_34a54ae93c",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
    }
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def frames(chunks: int) -> list[bytes]:
    """A whole answer of so many pieces of text."""
    texts = [frame({"content": f" word{i % 97}"}, None) for i in range(chunks)]
    return [*texts, frame({}, "stop"), b"data: [DONE]\n\n"]


def chunked(data: bytes) -> bytes:
    """One chunk of the transfer encoding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


async def answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pieces: list[bytes], rate: int
) -> None:
    """Read a request and write the pieces in their time."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        writer.close()
        return
    length = int(head.lower().split(b"content-length:")[1].split()[0])
    await reader.readexactly(length)
    writer.write(HEAD)
    loop = asyncio.get_running_loop()
    due = loop.time()
    for piece in pieces:
        if rate:
            due += 1 / rate
            await asyncio.sleep(due - loop.time())
        writer.write(piece)
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    writer.close()


async def serve(chunks: int, rate: int) -> None:
    """Serve until the process is stopped."""
    pieces = frames(chunks)
    if not rate:
        whole = b"".join(pieces)
        pieces = [whole[i : i + PIECE] for i in range(0, len(whole), PIECE)]
    sent = [chunked(piece) for piece in pieces]
    server = await asyncio.start_server(
        lambda reader, writer: answer(reader, writer, sent, rate), "127.0.0.1", 0, backlog=2048
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2])))
