"""A gateway in front of a test upstream: what a viewer gets, and whether it is lawful."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import orjson

from gateway.agent import Options
from gateway.client import RemoteAgent
from gateway.protocol.pipeline import Pipeline
from gateway.protocol.sse import SseReader
from gateway.server import Gateway
from tests.client.upstream import Upstream
from tests.server.asgi import JSON, RUN, Connection, post

SPOKEN: dict[str, Any] = {**RUN, "protocolVersion": "1.0"}


def events_of(body: bytes) -> list[dict[str, Any]]:
    """The events of a viewer's body; fails unless it is one lawful stream."""
    reader = SseReader()
    events = [*reader.feed(body), *reader.finish()]
    pipeline = Pipeline(agreement=True)
    for event in events:
        pipeline.feed(event)
    pipeline.finish()
    return events


class Front:
    """A gateway whose one agent is remote."""

    def __init__(self, agent: RemoteAgent, options: Options = Options()) -> None:
        self.agent = agent
        self.gateway = Gateway({"far": agent}, options=options)

    def post(
        self, body: Mapping[str, Any] = SPOKEN, headers: Mapping[str, str] | None = None
    ) -> Connection:
        """A viewer's connection."""
        return post(self.gateway, "/agents/far", body, {**JSON, **(headers or {})})

    async def view(
        self, body: Mapping[str, Any] = SPOKEN, headers: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """The events that a viewer gets; the stream must be lawful and complete."""
        answer = await self.post(body, headers).answer()
        assert answer.status == 200, answer.body
        return events_of(answer.body)


@asynccontextmanager
async def fronted(
    upstream: Upstream, options: Options = Options(), **settings: Any
) -> AsyncIterator[Front]:
    """A gateway in front of `upstream`; at the end nothing may be open."""
    async with upstream.serving():
        front = Front(RemoteAgent(upstream.url, **settings), options)
        try:
            yield front
        finally:
            await front.gateway.close()


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def code(events: list[dict[str, Any]]) -> str:
    """The code of the last event, "" for a RUN_FINISHED."""
    last = events[-1]
    if last["type"] == "RUN_FINISHED":
        return ""
    assert last["type"] == "RUN_ERROR"
    return str(last["code"])


def same(events: list[dict[str, Any]], sent: list[dict[str, Any]]) -> bool:
    """Whether a viewer got what was sent, with the gateway's own version on RUN_STARTED."""
    wanted = [
        {**event, "protocolVersion": "1.0"} if event["type"] == "RUN_STARTED" else event
        for event in sent
    ]
    return bool(orjson.loads(orjson.dumps(events)) == wanted)
