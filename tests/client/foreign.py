"""Servers of others, as their documentation has it: upstreams for tests and benches.

`/encoder` streams with the official Python types and encoder behind FastAPI, `/pydantic` is the
AG-UI adapter of pydantic-ai with its test model, `/relay` is what a Python program would write to
stand in front of another server: parse with the official types, write with the official encoder.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import uvicorn
from ag_ui.core import (
    CustomEvent,
    Event,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder
from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from pydantic_ai.ui.ag_ui import AGUIAdapter

app = FastAPI()
agent = Agent(TestModel(custom_output_text="It is sunny in Seoul, 서울."))
SSE = "text/event-stream"


@agent.tool_plain
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def tour(input: RunAgentInput) -> Iterator[Any]:
    """A run with most families of events."""
    yield RunStartedEvent(thread_id=input.thread_id, run_id=input.run_id)
    yield StepStartedEvent(step_name="think")
    yield TextMessageStartEvent(message_id="m1", role="assistant")
    for word in ["It ", "is ", "\u2028 sunny", " 🌞", '"quoted"\n']:
        yield TextMessageContentEvent(message_id="m1", delta=word)
    yield TextMessageEndEvent(message_id="m1")
    yield ToolCallStartEvent(tool_call_id="c1", tool_call_name="find", parent_message_id="m1")
    yield ToolCallArgsEvent(tool_call_id="c1", delta='{"city":')
    yield ToolCallArgsEvent(tool_call_id="c1", delta='"Seoul"}')
    yield ToolCallEndEvent(tool_call_id="c1")
    yield ToolCallResultEvent(message_id="m2", tool_call_id="c1", content="palace")
    yield StateSnapshotEvent(snapshot={"visited": [], "n": 1.5, "none": None})
    patch: Any = {"op": "add", "path": "/visited/-", "value": "palace"}
    yield StateDeltaEvent(delta=[patch])
    yield CustomEvent(name="note", value={"a": [1, None]})
    yield StepFinishedEvent(step_name="think")
    yield RunFinishedEvent(
        thread_id=input.thread_id, run_id=input.run_id, result={"messages": len(input.messages)}
    )


def failing(input: RunAgentInput) -> Iterator[Any]:
    """A run that its agent ends with an error."""
    yield RunStartedEvent(thread_id=input.thread_id, run_id=input.run_id)
    yield TextMessageStartEvent(message_id="m1", role="assistant")
    yield TextMessageContentEvent(message_id="m1", delta="half")
    yield RunErrorEvent(message="out of credit", code="PAY")


def burst(input: RunAgentInput) -> Iterator[Any]:
    """A thousand deltas."""
    yield RunStartedEvent(thread_id=input.thread_id, run_id=input.run_id)
    yield TextMessageStartEvent(message_id="m1", role="assistant")
    for _ in range(1000):
        yield TextMessageContentEvent(message_id="m1", delta="twenty bytes of text")
    yield TextMessageEndEvent(message_id="m1")
    yield RunFinishedEvent(thread_id=input.thread_id, run_id=input.run_id)


RUNS = {"tour": tour, "failing": failing, "burst": burst}


@app.post("/encoder/{name}")
async def encoder(name: str, input: RunAgentInput) -> StreamingResponse:
    """The official encoder behind FastAPI."""
    encode = EventEncoder().encode
    frames = (encode(event) for event in RUNS[name](input))
    return StreamingResponse(frames, media_type=SSE)


@app.post("/pydantic")
async def pydantic(request: Request) -> Response:
    """The adapter of pydantic-ai."""
    return await AGUIAdapter.dispatch_request(request, agent=agent)


@app.post("/relay")
async def relay(request: Request) -> StreamingResponse:
    """Parses each event of the upstream named in the environment and encodes it again."""
    body = await request.body()
    RunAgentInput.model_validate_json(body)
    return StreamingResponse(_relayed(body), media_type=SSE)


_adapter: TypeAdapter[Any] = TypeAdapter(Event)
_clients: list[httpx2.AsyncClient] = []


async def _relayed(body: bytes) -> AsyncIterator[str]:
    if not _clients:
        _clients.append(httpx2.AsyncClient(timeout=60, limits=httpx2.Limits(max_connections=None)))
    encode = EventEncoder().encode
    headers = {"content-type": "application/json", "accept": SSE}
    url = os.environ["UPSTREAM"]
    async with _clients[0].stream("POST", url, content=body, headers=headers) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                yield encode(_adapter.validate_json(line[6:]))


@contextmanager
def serving() -> Iterator[str]:
    """The servers in a thread of this process, on a free loopback port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
