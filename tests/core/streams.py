"""Streams to test with, and what they sent."""

import json
from typing import Any

from gateway.protocol.events import EVENTS, Event, RunStarted
from gateway_native.chain import Chain, Transformer
from gateway_native.stream import SSE, RunStream
from gateway_native.verifier import Verifier


def started(*transformers: Transformer, mode: int = SSE, **bounds: int) -> RunStream:
    """A stream of run r in thread t after its RUN_STARTED, which has been flushed."""
    verifier = Verifier(True, True, "t", "r", ["known"])
    stream = RunStream(Chain(list(transformers)), verifier, mode, None, **bounds)
    stream.emit(RunStarted("t", "r"))
    if mode == SSE:
        stream.flush()
    return stream


def sent(stream: RunStream) -> list[dict[str, Any]]:
    """The events of all frames that wait."""
    frames = stream.flush().decode().split("\n\n")
    assert frames.pop() == ""
    return [json.loads(frame.removeprefix("data: ")) for frame in frames]


def brief(stream: RunStream) -> list[str]:
    """What waits, an event a string: its type, then its id and delta if it has them."""
    return [_brief(event) for event in sent(stream)]


def _brief(event: dict[str, Any]) -> str:
    id = event.get("messageId") or event.get("toolCallId") or event.get("stepName") or ""
    if event["type"] == "TOOL_CALL_RESULT":
        id = event["toolCallId"]
    words = [event["type"], id or event.get("subagentRunId", ""), event.get("delta", "")]
    return " ".join(word for word in words if isinstance(word, str) and word)


def build(text: str) -> list[Event]:
    """Events from lines like `TEXT_MESSAGE_CONTENT m hello` (members in the class's order)."""
    lines = [line.split(maxsplit=2) for line in text.strip().splitlines()]
    return [EVENTS[name](*members) for name, *members in lines]
