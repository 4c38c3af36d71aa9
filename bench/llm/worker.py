"""A process that turns many concurrent provider streams into AG-UI bytes, in one of two ways.

    python -m bench.llm.worker WAY URL STREAMS CHUNKS      prints CPU microseconds per chunk

`gateway` is an agent over our provider, run by the gateway, its bytes read as a viewer reads them;
`official` the OpenAI SDK and the official AG-UI encoder. The CPU time is the whole process's, from
the first request to the last byte, imports and one stream for warming up left out.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import uvloop

from gateway.agent import Options, Run, RunContext
from gateway.llm.model import Request, TextDelta
from gateway.llm.providers import HttpProvider, openai
from gateway.protocol.input import RunAgentInput
from gateway.protocol.messages import UserMessage

Stream = Callable[[], Awaitable[int]]
"""Reads one answer to its end and gives the bytes that a client would get."""

BYTES = Options(encoding="sse")
QUESTION = "Tell me a story."


def measure(way: str, url: str, streams: int, chunks: int) -> float:
    """CPU microseconds per chunk in a fresh process."""
    command = [sys.executable, "-m", "bench.llm.worker", way, url, str(streams), str(chunks)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def gateway_stream(provider: HttpProvider) -> Stream:
    """Provider, agent, run, bytes."""
    request = Request(messages=[UserMessage(id="u", content=QUESTION)])
    given = RunAgentInput(thread_id="t", run_id="r", protocol_version="1.1")

    async def agent(ctx: RunContext[None]) -> None:
        with ctx.assistant_message() as message:
            async for delta in provider.stream(request):
                if type(delta) is TextDelta:
                    message.delta(delta.text)

    async def stream() -> int:
        run = Run(agent, given, BYTES)
        run.start()
        size = 0
        while data := await run.read():
            size += len(data)
        await run.closed()
        return size

    return stream


def official_stream(url: str) -> Stream:
    """SDK, events, encoder."""
    from ag_ui.core import EventType, TextMessageContentEvent
    from ag_ui.encoder import EventEncoder
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="k", base_url=url, max_retries=0)
    encoder = EventEncoder()

    async def stream() -> int:
        chunks = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": QUESTION}], stream=True
        )
        size = 0
        async for chunk in chunks:
            text = chunk.choices[0].delta.content if chunk.choices else None
            if text:
                event = TextMessageContentEvent(
                    type=EventType.TEXT_MESSAGE_CONTENT, message_id="m", delta=text
                )
                size += len(encoder.encode(event).encode())
        return size

    return stream


async def cost(way: str, url: str, streams: int, chunks: int) -> float:
    """Run the streams all at once."""
    provider = openai(model="m", api_key="k", base_url=url)
    stream = gateway_stream(provider) if way == "gateway" else official_stream(url)
    sizes = [await stream()]
    began = time.process_time()
    sizes += await asyncio.gather(*(stream() for _ in range(streams)))
    spent = time.process_time() - began
    await provider.close()
    if min(sizes) < 40 * chunks:
        raise RuntimeError(f"{way}: a stream is too short for {chunks} chunks: {min(sizes)} bytes")
    return spent / (streams * chunks) * 1e6


if __name__ == "__main__":
    print(uvloop.run(cost(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
